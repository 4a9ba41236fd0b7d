/* Which circuits and keys are loaded where, what they hold of the budget, and what a proof of each
 * circuit takes.
 *
 * A plan is made once for a circuit, by a process of its own that ends again: recording a circuit
 * of 130 million rows takes seconds and hundreds of megabytes. The journal keeps it. */
#include <string.h>

#include "daemon/jobs_state.h"
#include "daemon/log.h"

bool same_circuit(struct circuit_name a, struct circuit_name b)
{
    return a.kind == b.kind && a.size == b.size;
}

/* ---- what is resident ------------------------------------------------------------------------ */

struct resident *worker_key(struct worker *w, struct circuit_name name)
{
    for (int i = 0; i < WORKER_KEYS_MAX; i++)
        if (w->keys[i].used && same_circuit(w->keys[i].name, name))
            return &w->keys[i];
    return NULL;
}

struct resident *worker_key_add(struct worker *w, struct circuit_name name)
{
    for (int i = 0; i < WORKER_KEYS_MAX; i++)
        if (!w->keys[i].used) {
            w->keys[i] = (struct resident){.used = true, .name = name, .last_used = loop_now()};
            return &w->keys[i];
        }
    return NULL;
}

static bool resident_full(const struct worker *w)
{
    for (int i = 0; i < WORKER_KEYS_MAX; i++)
        if (!w->keys[i].used)
            return false;
    return true;
}

bool worker_has_place(const struct worker *w, const struct job_plan *plan, bool urgent)
{
    return !resident_full(w) && card_has_room(w, plan, urgent);
}

uint64_t worker_resident_bytes(const struct worker *w)
{
    uint64_t sum = 0;

    for (int i = 0; i < WORKER_KEYS_MAX; i++)
        if (w->keys[i].used)
            sum += w->keys[i].bytes;
    return sum;
}

static void forget_key(struct worker *w, struct resident *key)
{
    w->jobs->ledger.held -= key->bytes;
    w->device.held -= key->device;
    *key = (struct resident){0};
}

void worker_keys_forget(struct worker *w)
{
    for (int i = 0; i < WORKER_KEYS_MAX; i++)
        if (w->keys[i].used)
            forget_key(w, &w->keys[i]);
}

/* ---- evicting
 * ------------------------------------------------------------------------------------ */

static void order_eviction(struct worker *w, struct circuit_name name, struct job_call *asker)
{
    struct order order = {.kind = ORDER_EVICT, .budget = worker_resident_bytes(w)};
    char text[CIRCUIT_TEXT_MAX];

    circuit_name_print(text, name);
    snprintf(order.circuit, sizeof order.circuit, "%.31s", text);
    order.number = worker_order(w, TASK_EVICT);
    w->name_of_task = name;
    w->asker = asker;
    worker_process_send(w->process, &order, -1);
    w->sent = true;
}

static bool is_idle(const struct worker *w)
{
    return w->task == TASK_NONE && worker_process_ready(w->process);
}

bool jobs_evict_idle(struct jobs *jobs, const struct worker *only, struct circuit_name keep,
                     bool at_once)
{
    const uint64_t now = loop_now(),
                   least = jobs->config->memory.eviction_min_idle_ms * LOOP_MILLISECOND;
    struct resident *oldest = NULL;
    struct worker *where = NULL;

    for (size_t i = 0; i < jobs->n_workers; i++) {
        struct worker *w = &jobs->workers[i];

        if (!is_idle(w) || (only && w != only))
            continue;
        for (int k = 0; k < WORKER_KEYS_MAX; k++) {
            struct resident *r = &w->keys[k];

            if (!r->used || same_circuit(r->name, keep) || (!at_once && now - r->last_used < least))
                continue;
            if (!oldest || r->last_used < oldest->last_used) {
                oldest = r;
                where = w;
            }
        }
    }
    if (!oldest)
        return false;
    order_eviction(where, oldest->name, NULL);
    return true;
}

/* ---- answering ------------------------------------------------------------------------------- */

static void answer_preload(struct job_call *call, const struct preload_answer *a)
{
    if (!call)
        return;
    if (call_is_wanted(call))
        call->fn.preload(call->ctx, a);
    call_free(call);
}

static void answer_evict(struct job_call *call, const struct evict_answer *a)
{
    if (!call)
        return;
    if (call_is_wanted(call))
        call->fn.evict(call->ctx, a);
    call_free(call);
}

static void refuse_wish(struct job_call *call, enum cuzk_status status, const char *sentence)
{
    call_leave(&call->jobs->wishes, call);
    if (call->kind == CALL_PRELOAD)
        answer_preload(call, &(struct preload_answer){.status = status, .sentence = sentence});
    else
        answer_evict(call, &(struct evict_answer){.status = status, .sentence = sentence});
}

/* ---- plans
 * --------------------------------------------------------------------------------------- */

const struct job_plan *jobs_plan(const struct jobs *jobs, struct circuit_name name)
{
    for (size_t i = 0; i < jobs->n_plans; i++)
        if (same_circuit(jobs->plans[i].name, name))
            return &jobs->plans[i].plan;
    return NULL;
}

void jobs_plan_add(struct jobs *jobs, struct circuit_name name, const struct job_plan *plan)
{
    if (jobs->n_plans < PLANS_MAX && !jobs_plan(jobs, name))
        jobs->plans[jobs->n_plans++] = (struct plan_of){.name = name, .plan = *plan};
}

struct plan_task {
    struct desk_task task;
    struct jobs *jobs;
    char circuit[JOURNAL_CIRCUIT], depends[64];
    struct job_plan plan;
    struct cuzk_error err;
};

static void plan_work(struct desk_task *task)
{
    struct plan_task *p = (struct plan_task *)task;

    if (journal_plan_put(p->jobs->clerk.journal, p->circuit, p->depends, &p->plan, &p->err) ==
        CUZK_OK)
        p->err.message[0] = 0;
}

static void plan_done(struct desk_task *task)
{
    struct plan_task *p = (struct plan_task *)task;

    if (p->err.message[0])
        log_warn("a plan is not in the journal", "circuit", p->circuit, "error", p->err.message,
                 NULL);
    jobs_schedule(p->jobs);
    mem_free(p);
}

static void keep_plan(struct jobs *jobs, struct circuit_name name, const struct job_plan *plan)
{
    struct plan_task *p = mem_new(sizeof *p);
    char text[CIRCUIT_TEXT_MAX];

    jobs_plan_add(jobs, name, plan);
    if (!p)
        return;
    *p = (struct plan_task){
        .task = {.work = plan_work, .done = plan_done}, .jobs = jobs, .plan = *plan};
    circuit_name_print(text, name);
    snprintf(p->circuit, sizeof p->circuit, "%.31s", text);
    jobs_plan_depends(jobs, p->depends);
    desk_post(jobs->desk, &p->task);
}

/* Recording takes at most this (measured: porep-32GiB 380 MB, porep-2KiB 66 MB, winning 6 MB). */
static uint64_t recording_bytes(struct circuit_name name)
{
    if (name.kind == CIRCUIT_WINNING)
        return (uint64_t)32 << 20;
    return name.size->bytes >= (uint64_t)512 << 20 ? (uint64_t)448 << 20 : (uint64_t)96 << 20;
}

static bool next_planless(struct jobs *jobs, struct circuit_name *ret)
{
    const struct job_call *call = jobs->planless;

    while (call && call->next)
        call = call->next; /* the oldest */
    if (call) {
        *ret = call->circuit;
        return true;
    }
    for (call = jobs->wishes; call; call = call->next)
        if (call->kind == CALL_PRELOAD && call->status == CUZK_OK &&
            !jobs_plan(jobs, call->circuit)) {
            *ret = call->circuit;
            return true;
        }
    for (const struct job *j = jobs->line.first; j; j = j->next)
        if (!job_is_planned(j)) {
            *ret = j->name;
            return true;
        }
    return false;
}

static bool start_planner(struct jobs *jobs)
{
    struct worker *w = &jobs->planner;

    *w = (struct worker){.jobs = jobs,
                         .role = ROLE_PLAN,
                         .backend = backend_host()->name,
                         .card = "",
                         .held = w->held};
    snprintf(w->name, sizeof w->name, "planner");
    return worker_start(w);
}

static void order_plan(struct jobs *jobs, struct circuit_name name)
{
    struct worker *w = &jobs->planner;
    struct order order = {.kind = ORDER_PLAN, .budget = recording_bytes(name)};
    char text[CIRCUIT_TEXT_MAX];

    circuit_name_print(text, name);
    snprintf(order.circuit, sizeof order.circuit, "%.31s", text);
    order.number = worker_order(w, TASK_PLAN);
    w->name_of_task = name;
    worker_process_send(w->process, &order, -1);
    w->sent = true;
}

/* Whoever waits for it hears why there is none. */
static void no_plan(struct jobs *jobs, struct circuit_name name, enum cuzk_status status,
                    const char *sentence)
{
    for (struct job_call *call = jobs->wishes, *next; call; call = next) {
        next = call->next;
        if (call->kind == CALL_PRELOAD && same_circuit(call->circuit, name))
            refuse_wish(call, status, sentence);
    }
    jobs_planned(jobs, name, status, sentence);
}

bool jobs_plan_some(struct jobs *jobs)
{
    struct worker *w = &jobs->planner;
    struct circuit_name name;
    uint64_t bytes;

    if (w->task != TASK_NONE)
        return false;
    if (!next_planless(jobs, &name)) {
        if (w->process) { /* its memory goes with it */
            worker_process_free(w->process);
            w->process = NULL;
            jobs->ledger.held -= w->held;
            w->held = 0;
        }
        return false;
    }
    bytes = recording_bytes(name) + STANDING_WORKER;
    if (bytes > ledger_most(&jobs->ledger, true)) {
        char sentence[256], circuit[CIRCUIT_TEXT_MAX];

        circuit_name_print(circuit, name);
        snprintf(sentence, sizeof sentence,
                 "%.31s takes %llu bytes of memory to be planned; the budget of %llu can give it "
                 "%llu",
                 circuit, (unsigned long long)bytes, (unsigned long long)jobs->ledger.total,
                 (unsigned long long)ledger_most(&jobs->ledger, true));
        no_plan(jobs, name, CUZK_NO_MEMORY, sentence);
        return false;
    }
    if (w->held < bytes) {
        if (bytes - w->held > ledger_free(&jobs->ledger)) {
            jobs_evict_idle(jobs, NULL, name, jobs->running.n == 0);
            return true;
        }
        jobs->ledger.held += bytes - w->held;
        w->held = bytes;
    }
    if (!w->process && !start_planner(jobs))
        return false;
    if (worker_process_ready(w->process))
        order_plan(jobs, name);
    return false;
}

/* ---- asking
 * --------------------------------------------------------------------------------------- */

/* Where a circuit's proofs are made, so where its key is wanted: on a card if there is one for it.
 */
static struct worker *home_of(struct jobs *jobs, struct circuit_name name,
                              const struct job_plan *plan)
{
    const bool urgent = name.kind == CIRCUIT_WINNING;

    for (size_t i = 0; i < jobs->n_workers; i++) {
        struct worker *w = &jobs->workers[i];

        if (w->role == ROLE_DEVICE
                ? worker_process_ready(w->process) && worker_fits(w, plan, urgent)
                : (w->role == ROLE_URGENT) == urgent)
            return w;
    }
    return NULL;
}

static void order_load(struct worker *w, struct job_call *call, uint64_t bytes, uint64_t device)
{
    struct order order = {
        .kind = ORDER_LOAD, .budget = worker_resident_bytes(w) + bytes, .device = device};

    snprintf(order.circuit, sizeof order.circuit, "%.31s", call->id);
    order.number = worker_order(w, TASK_LOAD);
    w->name_of_task = call->circuit;
    w->asker = call;
    w->held = bytes;
    w->device_held = device;
    w->jobs->ledger.held += bytes;
    w->device.held += device;
    call_leave(&call->jobs->wishes, call);
    worker_process_send(w->process, &order, -1);
    w->sent = true;
}

static void try_preload(struct jobs *jobs, struct job_call *call)
{
    const struct job_plan *plan = jobs_plan(jobs, call->circuit);
    const bool urgent = call->circuit.kind == CIRCUIT_WINNING;
    struct worker *w;
    uint64_t bytes;

    if (!plan)
        return; /* jobs_plan_some sees to it */
    w = home_of(jobs, call->circuit, plan);
    if (worker_key(w, call->circuit)) {
        call_leave(&call->jobs->wishes, call);
        answer_preload(call, &(struct preload_answer){.status = CUZK_OK, .already_loaded = true});
        return;
    }
    bytes = job_bytes_total(job_bytes_on(plan, w));
    if (bytes > ledger_most(&jobs->ledger, false)) {
        refuse_wish(call, CUZK_NO_MEMORY, "the budget is less than this circuit needs");
        return;
    }
    if (!is_idle(w))
        return;
    if (!worker_has_place(w, plan, urgent))
        jobs_evict_idle(jobs, w, call->circuit, true);
    else if (bytes > ledger_open_to(&jobs->ledger, false))
        jobs_evict_idle(jobs, NULL, call->circuit, jobs->running.n == 0);
    else
        order_load(w, call, bytes, card_need(w, plan, urgent));
}

static void try_evict(struct jobs *jobs, struct job_call *call)
{
    for (size_t i = 0; i < jobs->n_workers; i++) {
        struct worker *w = &jobs->workers[i];

        if (!worker_key(w, call->circuit))
            continue;
        if (w->job && same_circuit(w->job->name, call->circuit)) {
            refuse_wish(call, CUZK_BAD_INPUT, "the key is in use by a job");
            return;
        }
        if (is_idle(w)) {
            call_leave(&call->jobs->wishes, call);
            order_eviction(w, call->circuit, call);
        }
        return; /* or when its worker has done what it is at */
    }
    call_leave(&call->jobs->wishes, call);
    answer_evict(call, &(struct evict_answer){.status = CUZK_OK});
}

void jobs_wishes(struct jobs *jobs)
{
    for (struct job_call *call = jobs->wishes, *next; call; call = next) {
        next = call->next;
        if (call->status != CUZK_OK)
            refuse_wish(call, call->status, call->err.message);
        else if (call->kind == CALL_PRELOAD)
            try_preload(jobs, call);
        else
            try_evict(jobs, call);
    }
}

/* ---- what workers say
 * ------------------------------------------------------------------------------ */

static void plan_note(struct worker *w, const struct note_end *end)
{
    struct jobs *jobs = w->jobs;
    const struct circuit_name name = w->name_of_task;

    worker_idle(w);
    if (end->status == CUZK_OK)
        keep_plan(jobs, name, &end->plan);
    if (end->status == CUZK_OK)
        jobs_planned(jobs, name, CUZK_OK, "");
    else
        no_plan(jobs, name, end->status, end->sentence);
}

static void load_note(struct worker *w, const struct note_end *end)
{
    struct jobs *jobs = w->jobs;
    struct job_call *call = w->asker;
    struct preload_answer a = {.status = end->status,
                               .sentence = end->sentence,
                               .load_ms = (loop_now() - w->begun) / LOOP_MILLISECOND};
    struct resident *key = end->status == CUZK_OK ? worker_key_add(w, w->name_of_task) : NULL;

    jobs->ledger.held -= w->held;
    w->device.held -= w->device_held;
    if (key) {
        key->bytes = job_bytes_resident(job_bytes_on(jobs_plan(jobs, w->name_of_task), w));
        key->file_bytes = end->file_bytes;
        key->device = w->device_held;
        jobs->ledger.held += key->bytes;
        w->device.held += key->device;
    }
    w->held = w->device_held = 0;
    w->asker = NULL;
    worker_idle(w);
    jobs_event(jobs, EVENT_KEY, NULL, key ? "loaded" : end->sentence);
    answer_preload(call, &a);
}

static void evict_note(struct worker *w, const struct note_end *end)
{
    struct jobs *jobs = w->jobs;
    struct job_call *call = w->asker;
    struct resident *key = worker_key(w, w->name_of_task);
    struct evict_answer a = {.status = end->status, .sentence = end->sentence};

    if (key) {
        a.was_loaded = true;
        a.freed_bytes = end->resident_bytes;
        forget_key(w, key);
    }
    w->asker = NULL;
    worker_idle(w);
    jobs_event(jobs, EVENT_KEY, NULL, "evicted");
    answer_evict(call, &a);
}

void jobs_keys_note(struct worker *w, const struct note_end *end)
{
    if (w->task == TASK_PLAN)
        plan_note(w, end);
    else if (w->task == TASK_LOAD)
        load_note(w, end);
    else
        evict_note(w, end);
}

void jobs_keys_died(struct worker *w, const char *how)
{
    struct note_end end = {.status = CUZK_DEVICE};

    snprintf(end.sentence, sizeof end.sentence, "%s", how);
    jobs_keys_note(w, &end);
}

/* ---- the face
 * -------------------------------------------------------------------------------------- */

static struct job_call *wish(struct jobs *jobs, enum call_kind kind, const char *circuit, void *ctx)
{
    struct job_call *call = call_new(jobs, kind, circuit, ctx);
    struct job_call **last = &jobs->wishes;
    char text[CIRCUIT_TEXT_MAX];

    if (!call)
        return NULL;
    if (circuit_name_parse(&call->circuit, circuit, &call->err) == CUZK_OK) {
        circuit_name_print(text, call->circuit);
        snprintf(call->id, sizeof call->id, "%.31s", text);
    } else
        call->status = CUZK_BAD_INPUT;
    while (*last)
        last = &(*last)->next;
    *last = call;
    jobs_schedule(jobs);
    return call;
}

struct job_call *jobs_preload(struct jobs *jobs, const char *circuit, preload_fn *fn, void *ctx)
{
    struct job_call *call = wish(jobs, CALL_PRELOAD, circuit, ctx);

    if (call)
        call->fn.preload = fn;
    return call;
}

struct job_call *jobs_evict(struct jobs *jobs, const char *circuit, evict_fn *fn, void *ctx)
{
    struct job_call *call = wish(jobs, CALL_EVICT, circuit, ctx);

    if (call)
        call->fn.evict = fn;
    return call;
}
