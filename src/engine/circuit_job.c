/* Jobs that need a circuit and no proof: set-up of a development key, and the plan. */
#include "engine/circuit_job.h"

#include <string.h>
#include <sys/stat.h>

#include "circuit/packed_witness.h"
#include "engine/key_folder.h"
#include "engine/open_circuit.h"
#include "engine/proof_job.h"
#include "engine/request.h"
#include "format/bellperson.h"
#include "format/params_writer.h"
#include "groth16/plan.h"
#include "groth16/setup.h"

/* ---- set-up ---------------------------------------------------------------------------------- */

struct setup_progress {
    struct engine *engine;
    int query; /* that the open stage is about; -1: none yet */
};

static void query_progress(void *ctx, enum key_query query, size_t done, size_t total)
{
    struct setup_progress *progress = ctx;

    if (progress->query != (int)query)
        engine_stage(progress->engine, "query %s", key_query_name(query));
    progress->query = (int)query;
    engine_progress(progress->engine, done, total);
}

static struct setup_options setup_options_of(struct engine *engine,
                                             const struct open_circuit *circuit)
{
    return (struct setup_options){.backend = engine->backend,
                                  .pool = engine->pool,
                                  .budget = &engine->budget,
                                  .domain_generator = circuit->cs.curve->fr_generator.w[0],
                                  .cancel = engine->cancel};
}

static enum cuzk_status write_key(struct engine *engine, const struct open_circuit *circuit,
                                  const char *label, const char *params_path, const char *vk_path,
                                  struct cuzk_error *err)
{
    const struct curve *curve = circuit->cs.curve;
    struct setup_progress progress = {.engine = engine, .query = -1};
    struct setup_options options = setup_options_of(engine, circuit);
    struct params_writer writer;
    struct trapdoor trapdoor;
    struct key_sink sink;
    enum cuzk_status st;

    options.progress = query_progress;
    options.progress_ctx = &progress;
    TRY(params_writer_open(&writer, curve, params_path, vk_path, engine->pool, err));
    sink = params_writer_sink(&writer);
    engine_stage(engine, "verifying key");
    st = trapdoor_from_label(&trapdoor, curve, label, err);
    if (st == CUZK_OK)
        st = groth16_setup(&circuit->qap, &trapdoor, &options, &sink, err);
    mem_wipe(&trapdoor, sizeof trapdoor);
    engine_stage(engine, "sync files");
    if (st == CUZK_OK)
        st = params_writer_commit(&writer, err);
    params_writer_abort(&writer);
    engine_stage_end(engine);
    return st;
}

/* What making the key takes; `recording` is over when the rest begins. */
struct setup_memory {
    size_t recording, shape, scratch, key, total;
};

static struct setup_memory setup_memory_of(struct engine *engine,
                                           const struct open_circuit *circuit)
{
    const struct setup_options options = setup_options_of(engine, circuit);
    struct setup_memory b = {
        .recording = atomic_load(&engine->budget.peak),
        .shape = atomic_load(&engine->budget.class_now[MEM_SHAPE]),
        .scratch = setup_bytes(&circuit->qap, &options),
        .key = region_bytes(circuit->cs.n_inputs * circuit->cs.curve->g1_bytes),
    };

    b.total = b.shape + b.scratch + b.key;
    if (b.total < b.recording)
        b.total = b.recording;
    return b;
}

/* Says what is missing before anything is written. */
static enum cuzk_status check_setup_fits(struct engine *engine, const struct open_circuit *circuit,
                                         struct cuzk_error *err)
{
    const size_t total = setup_memory_of(engine, circuit).total, limit = engine->budget.limit;

    if (total <= limit)
        return CUZK_OK;
    return error_set(err, CUZK_NO_MEMORY, "a set-up takes %zu bytes, %zu are allowed", total,
                     limit);
}

enum cuzk_status circuit_setup(struct engine *engine, struct circuit_name name, const char *label,
                               const char *folder, struct report *report, struct cuzk_error *err)
{
    char params_path[KEY_PATH_MAX], vk_path[KEY_PATH_MAX];
    struct open_circuit circuit;
    enum cuzk_status st;

    TRY(key_folder_dev_path(params_path, folder, name, ".params", err));
    TRY(key_folder_dev_path(vk_path, folder, name, ".vk", err));
    TRY(circuit_open(&circuit, engine, name, err));
    st = check_setup_fits(engine, &circuit, err);
    if (st == CUZK_OK) {
        mkdir(folder, 0777); /* if it cannot be made, opening the files says why */
        st = write_key(engine, &circuit, label, params_path, vk_path, err);
    }
    circuit_close(&circuit);
    if (st == CUZK_OK) {
        report_text(report, "params", "%s", params_path);
        report_text(report, "vk", "%s", vk_path);
    }
    return st;
}

enum cuzk_status circuit_setup_plan(struct engine *engine, struct circuit_name name,
                                    struct report *report, struct cuzk_error *err)
{
    struct open_circuit circuit;
    char text[CIRCUIT_TEXT_MAX];
    struct setup_memory bytes;

    TRY(circuit_open(&circuit, engine, name, err));
    bytes = setup_memory_of(engine, &circuit);
    circuit_name_print(text, name);
    report_text(report, "circuit", "%s", text);
    report_text(report, "backend", "%s", engine->backend->name);
    report_number(report, "threads", pool_size(engine->pool));
    report_object(report, "bytes");
    report_number(report, "recording", bytes.recording);
    report_number(report, "shape", bytes.shape);
    report_number(report, "scratch", bytes.scratch);
    report_number(report, "key", bytes.key);
    report_number(report, "total", bytes.total);
    report_end(report);
    report_number(report, "disk", circuit_params_bytes(&circuit) + circuit_vk_bytes(&circuit));
    circuit_close(&circuit);
    return CUZK_OK;
}

/* ---- plan ------------------------------------------------------------------------------------ */

_Static_assert((int)PLAN_OVERLAPPED - (int)PLAN_STREAMED == CARD_FORMS - 1, "the forms of a plan");

static struct job_bytes bytes_of_plan(const struct engine *engine, const struct backend *backend,
                                      const struct open_circuit *circuit, const struct plan *plan)
{
    return (struct job_bytes){
        .key = region_bytes(circuit->cs.n_inputs * circuit->cs.curve->g1_bytes),
        .shape = atomic_load(&engine->budget.class_now[MEM_SHAPE]),
        .request = request_bytes(circuit->name) +
                   job_inputs_bytes(backend, plan->n_witnesses, circuit->cs.n_inputs - 1),
        .witness = packed_witness_bytes(&circuit->cs),
        .scratch = plan->peak_bytes,
    };
}

/* For a key that does not exist yet, whose outline is the caller's. */
static struct plan_input input_of(const struct engine *engine, const struct backend *backend,
                                  const struct open_circuit *circuit, struct proving_key *outline)
{
    proving_key_outline(outline, &circuit->qap, H_POWERS, circuit->cs.curve->fr_generator.w[0]);
    return (struct plan_input){.backend = backend,
                               .key = outline,
                               .qap = &circuit->qap,
                               .n_threads = pool_size(engine->pool)};
}

/* The larger of the plans for the forms of key that there are: a folded one (groth16/folding.h) has a
 * few points more, and needs less where the quotient is made. */
static void plan_for_any_key(struct plan *ret, const struct plan_input *in)
{
    struct plan_input other = *in;
    struct proving_key folded;
    struct plan plan;

    proving_key_outline(&folded, in->qap, H_COSET_FOLDED, in->key->domain_generator);
    other.key = &folded;
    plan_prove(ret, in);
    plan_prove(&plan, &other);
    if (plan.arena_bytes > ret->arena_bytes)
        *ret = plan;
}

/* In the form that a prover would take now. */
static enum cuzk_status plan_circuit(struct plan *ret, const struct engine *engine,
                                     const struct open_circuit *circuit, struct cuzk_error *err)
{
    struct proving_key outline;
    struct plan_input in = input_of(engine, engine->backend, circuit, &outline);
    size_t available = 0;

    if (engine->backend->beside_host)
        TRY(engine_device_room(engine, &available, err));
    in.form = plan_choose(&in, available);
    plan_for_any_key(ret, &in);
    return CUZK_OK;
}

/* Pinned tiles, landing slots and maps on their way up to a card: 36 MiB and some that grow with
 * the circuit (4 bytes for 512 variables). A prover keeps the tiles as long as it stays there. */
#define CARD_STAGING ((size_t)64 << 20)

static struct card_bytes plan_on_card(const struct engine *engine, const struct backend *card,
                                      const struct open_circuit *circuit)
{
    struct card_bytes bytes = {0};
    struct proving_key outline;
    struct plan_input in = input_of(engine, card, circuit, &outline);
    struct plan plan, most = {0}; /* of the host's memory */

    for (int form = 0; form < CARD_FORMS; form++) {
        in.form = (enum plan_form)((int)PLAN_STREAMED + form);
        plan_for_any_key(&plan, &in);
        bytes.arena[form] = plan.arena_bytes;
        if (plan.peak_bytes > most.peak_bytes)
            most.peak_bytes = plan.peak_bytes;
        if (plan.n_witnesses > most.n_witnesses)
            most.n_witnesses = plan.n_witnesses;
    }
    bytes.host = bytes_of_plan(engine, card, circuit, &most);
    bytes.host.key += CARD_STAGING;
    return bytes;
}

int card_form(const struct card_bytes *card, size_t available)
{
    int form = CARD_FORMS - 1;

    while (form >= 0 && (card->arena[form] == 0 || card->arena[form] > available))
        form--;
    return form;
}

enum cuzk_status circuit_job_plan(struct engine *engine, struct circuit_name name,
                                  const struct backend *card, struct job_plan *ret,
                                  struct cuzk_error *err)
{
    struct open_circuit circuit;
    enum cuzk_status st;
    struct plan plan;

    TRY(circuit_open(&circuit, engine, name, err));
    st = plan_circuit(&plan, engine, &circuit, err);
    if (st == CUZK_OK) {
        *ret = (struct job_plan){.host = bytes_of_plan(engine, engine->backend, &circuit, &plan)};
        if (card)
            ret->card = plan_on_card(engine, card, &circuit);
    }
    circuit_close(&circuit);
    return st;
}

static void report_plan(struct report *report, struct engine *engine,
                        const struct open_circuit *circuit, const struct plan *plan)
{
    const struct job_bytes bytes = bytes_of_plan(engine, engine->backend, circuit, plan);
    char text[CIRCUIT_TEXT_MAX];

    circuit_name_print(text, circuit->name);
    report_text(report, "circuit", "%s", text);
    report_text(report, "backend", "%s", engine->backend->name);
    report_number(report, "threads", pool_size(engine->pool));
    report_object(report, "bytes");
    report_number(report, "key", bytes.key);
    report_number(report, "shape", bytes.shape);
    report_number(report, "request", bytes.request);
    report_number(report, "witness", bytes.witness);
    report_number(report, "scratch", bytes.scratch);
    report_number(report, "total", job_bytes_total(&bytes));
    if (engine->backend->beside_host)
        report_number(report, "device", plan->arena_bytes);
    report_end(report);
    report_list(report, "stages");
    for (int i = 0; i < PROVE_N_STAGES; i++) {
        report_object(report, NULL);
        report_text(report, "stage", "%s", prove_stage_name((enum prove_stage)i));
        report_number(report, "held", plan->stage[i].held);
        report_number(report, "scratch", plan->stage[i].scratch);
        report_end(report);
    }
    report_end(report);
}

enum cuzk_status circuit_plan(struct engine *engine, struct circuit_name name,
                              struct report *report, struct cuzk_error *err)
{
    struct open_circuit circuit;
    enum cuzk_status st;
    struct plan plan;

    TRY(circuit_open(&circuit, engine, name, err));
    st = plan_circuit(&plan, engine, &circuit, err);
    if (st == CUZK_OK)
        report_plan(report, engine, &circuit, &plan);
    circuit_close(&circuit);
    return st;
}
