/* The cards: which there are, what of their memory is whose, and which job fits where.
 *
 * A card's memory is a ledger of its own (daemon/ledger.h), kept beside the host's:
 *
 *     total    what the card has free when its worker begins, or memory.device_budget of it
 *     held     arenas: of the running job, and of the circuits whose keys stay there
 *     reserve  memory.urgent_reserve, for urgent jobs only: what the largest WinningPoSt takes in a
 *              form that leaves room for others
 *
 * A worker has one job at a time, so on a card that is free only idle keys are in the way, and they
 * go at once, the least recently used first. A job gets the fastest form of its plan that fits; one
 * for which no card is large enough is proven on the processor, and one that fits nowhere is
 * refused with the numbers. A card whose worker does not begin, three times in a row, counts for
 * nothing until it does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "daemon/cards.h"
#include "daemon/jobs_state.h"
#include "daemon/log.h"

enum { STARTS_IN_VAIN = 3 };

/* ---- which there are ------------------------------------------------------------------------- */

static bool is_ordinal(const char *card)
{
    return strspn(card, "0123456789") == strlen(card);
}

static void add_card(struct jobs *jobs, const char *card)
{
    struct worker *w = jobs_add_worker(jobs, ROLE_DEVICE, "cuda", card, "cuda");

    w->place = is_ordinal(card) ? (int)strtol(card, NULL, 10) : (int)jobs->n_workers - 1;
}

static enum cuzk_status take_named(struct jobs *jobs, unsigned n, const char *why,
                                   struct cuzk_error *err)
{
    const struct config_list *devices = &jobs->config->gpus.devices;

    for (size_t i = 0; i < devices->n; i++) {
        const char *card = devices->item[i];

        if (n == 0)
            return error_set(err, CUZK_USAGE, "gpus.devices: there is no card '%s': %s", card, why);
        if (is_ordinal(card) && strtoul(card, NULL, 10) >= n)
            return error_set(err, CUZK_USAGE,
                             "gpus.devices: there is no card %s: expected 0 to %u, or a UUID", card,
                             n - 1);
        add_card(jobs, card);
    }
    return CUZK_OK;
}

enum cuzk_status jobs_choose_cards(struct jobs *jobs, struct cuzk_error *err)
{
    const bool named = config_devices_named(&jobs->config->gpus.devices);
    char number[LOG_NUMBER], why[CARDS_WHY] = "";
    enum cuzk_status st;
    unsigned n = 0;

    if (config_devices_none(&jobs->config->gpus.devices))
        return CUZK_OK;
    st = cards_count(&n, why, jobs->program, err);
    if (st != CUZK_OK && named)
        return error_prefix(err, st, "gpus.devices");
    if (st != CUZK_OK)
        log_warn("no card is used: they could not be counted", "error", err->message, NULL);
    else
        log_info("cards", "found", log_number(number, n), "detail", why, NULL);
    if (named)
        return take_named(jobs, n, why, err);
    for (unsigned i = 0; i < n; i++) {
        snprintf(jobs->places[i], sizeof jobs->places[i], "%u", i % 100);
        add_card(jobs, jobs->places[i]);
    }
    return CUZK_OK;
}

/* ---- a card comes and goes ------------------------------------------------------------------- */

void jobs_refit_line(struct jobs *jobs)
{
    char sentence[FIT_SENTENCE];

    for (struct job *j = jobs->line.first, *next; j; j = next) {
        next = j->next;
        if (job_is_planned(j) && !j->ending &&
            jobs_fit(jobs, &j->plan, job_is_urgent(j), j->row.circuit, sentence) == FITS_NOWHERE)
            job_end(j, JOB_FAILED, CUZK_NO_MEMORY, sentence);
    }
}

/* The fastest form that leaves seven eighths of the card to others, or the one with the least. */
static uint64_t usual_reserve(const struct card_bytes *urgent, uint64_t total)
{
    const int form = card_form(urgent, total / 8);

    return urgent->arena[form < 0 ? 0 : form];
}

void card_said_hello(struct worker *w)
{
    const struct config_memory *m = &w->jobs->config->memory;
    const struct note_hello *hello = &w->hello;
    char total[LOG_NUMBER], room[LOG_NUMBER], reserve[LOG_NUMBER];

    w->device = (struct ledger){.total = hello->device_room};
    if (m->device_budget != CONFIG_AUTO && m->device_budget < w->device.total)
        w->device.total = m->device_budget;
    w->device.urgent_reserve = m->urgent_reserve == CONFIG_AUTO
                                   ? usual_reserve(&hello->device_urgent, w->device.total)
                                   : m->urgent_reserve;
    w->starts_in_vain = 0;
    log_info("card", "worker", w->name, "device", hello->device, "budget",
             log_number(total, w->device.total), "free", log_number(room, hello->device_room),
             "urgent_reserve", log_number(reserve, w->device.urgent_reserve), NULL);
    jobs_refit_line(w->jobs);
}

void card_is_gone(struct worker *w, bool had_said_hello)
{
    w->starts_in_vain = had_said_hello ? 0 : w->starts_in_vain + 1;
    if (w->starts_in_vain != STARTS_IN_VAIN)
        return;
    log_error("a card's worker does not begin: what was for it goes elsewhere", "worker", w->name,
              NULL);
    jobs_refit_line(w->jobs);
}

/* ---- what fits where ------------------------------------------------------------------------- */

static bool fits_host(const struct jobs *jobs, const struct job_bytes *bytes, bool urgent)
{
    return job_bytes_total(bytes) <= ledger_most(&jobs->ledger, urgent);
}

bool worker_fits(const struct worker *w, const struct job_plan *plan, bool urgent)
{
    if (w->role != ROLE_DEVICE)
        return fits_host(w->jobs, &plan->host, urgent);
    return fits_host(w->jobs, &plan->card.host, urgent) &&
           card_form(&plan->card, ledger_most(&w->device, urgent)) >= 0;
}

uint64_t card_need(const struct worker *w, const struct job_plan *plan, bool urgent)
{
    int form = -1;

    if (w->role != ROLE_DEVICE)
        return 0;
    if (urgent) /* rather a slower form than to wait for others to go */
        form = card_form(&plan->card, ledger_open_to(&w->device, true));
    if (form < 0)
        form = card_form(&plan->card, ledger_most(&w->device, urgent));
    return form < 0 ? 0 : plan->card.arena[form];
}

bool card_has_room(const struct worker *w, const struct job_plan *plan, bool urgent)
{
    return card_need(w, plan, urgent) <= ledger_open_to(&w->device, urgent);
}

enum fit jobs_fit(const struct jobs *jobs, const struct job_plan *plan, bool urgent,
                  const char *circuit, char sentence[FIT_SENTENCE])
{
    const uint64_t most = ledger_most(&jobs->ledger, urgent);
    uint64_t largest = 0;
    char takes[QUANTITY_TEXT], has[QUANTITY_TEXT];
    unsigned n_cards = 0;
    size_t n;

    for (size_t i = 0; i < jobs->n_workers; i++) {
        const struct worker *w = &jobs->workers[i];

        if (w->role != ROLE_DEVICE || w->starts_in_vain >= STARTS_IN_VAIN)
            continue;
        if (!worker_process_ready(w->process) || worker_fits(w, plan, urgent))
            return FITS_CARD; /* or it is still to be seen */
        n_cards++;
        if (ledger_most(&w->device, urgent) > largest)
            largest = ledger_most(&w->device, urgent);
    }
    n = (size_t)snprintf(sentence, FIT_SENTENCE,
                         "%s takes %zu bytes of memory; the budget of %llu can give it %llu",
                         circuit, job_bytes_total(&plan->host),
                         (unsigned long long)jobs->ledger.total, (unsigned long long)most);
    if (n_cards == 0)
        return fits_host(jobs, &plan->host, urgent) ? FITS_PROCESSOR : FITS_NOWHERE;
    if (!fits_host(jobs, &plan->host, urgent)) {
        snprintf(sentence + n, FIT_SENTENCE - n,
                 "; with a card %zu, and %zu of the card, which can give it %llu",
                 job_bytes_total(&plan->card.host), plan->card.arena[0],
                 (unsigned long long)largest);
        return FITS_NOWHERE;
    }
    quantity_size_rounded(takes, plan->card.arena[0]);
    quantity_size_rounded(has, largest);
    snprintf(sentence, FIT_SENTENCE,
             "proven on the processor: it takes %s of a card, the largest can give it %s", takes,
             has);
    return FITS_PROCESSOR_ONLY;
}
