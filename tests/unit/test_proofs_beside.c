/* Partitions proven by a device that works beside the host: the next witness is made and the last
 * proof verified meanwhile, on another thread. The device here is the cpu back end in disguise: it
 * keeps witnesses of its own, as a card does, and works inside prover_run's calls. */
#include "support/testing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cpu/cpu_backend.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/thread.h"
#include "circuit/packed_witness.h"
#include "engine/bench_job.h"
#include "engine/circuit_job.h"
#include "engine/proof_job.h"
#include "engine/sample_request.h"
#include "filecoin/circuit.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "support/vectors.h"

/* ---- the device ------------------------------------------------------------------------------ */

enum { COPIES = PLAN_WITNESSES_MAX };

/* What a handle's witness was when it was put. */
struct copy {
    const struct witness_handle *handle;
    uint64_t *inputs, *bits, *full;
};

static struct copy copies[COPIES];
static unsigned n_puts;

static struct copy *copy_of(const struct witness_handle *handle)
{
    for (unsigned i = 0; i < COPIES; i++)
        if (copies[i].handle == handle)
            return &copies[i];
    return NULL;
}

static void forget(struct copy *copy)
{
    free(copy->inputs);
    free(copy->bits);
    free(copy->full);
    *copy = (struct copy){0};
}

static uint64_t *words(size_t n)
{
    uint64_t *made = calloc(n + 1, 8);

    assert_non_null(made);
    return made;
}

/* Room for a handle's first witness; the next ones come to the same place. */
static struct copy *copy_begin(struct stream *stream, struct witness_handle *handle,
                               const struct witness *witness)
{
    struct copy *copy = copy_of(NULL);
    struct witness view = *witness;

    assert_non_null(copy);
    *copy = (struct copy){
        .handle = handle,
        .inputs = words(witness->n_inputs * witness->fr_bytes / 8),
        .bits = words(witness_map_words(witness->n_aux)),
        .full = words(witness->n_full * witness->fr_bytes / 8),
    };
    view.inputs = copy->inputs;
    view.bits = copy->bits;
    view.full = copy->full;
    backend_cpu.witness_put(stream, handle, &view, witness_whole(witness->n_aux));
    return copy;
}

/* Nothing but the part is touched: the rest may be in use. */
static void put_a_copy(struct stream *stream, struct witness_handle *handle,
                       const struct witness *witness, struct witness_part part)
{
    const size_t value = witness->fr_bytes / 8, word = part.first / 64;
    const size_t full = witness_full_before(witness, part.first);
    struct copy *copy = copy_of(handle);

    if (!copy)
        copy = copy_begin(stream, handle, witness);
    memcpy(copy->bits + word, witness->bits + word, (witness_map_words(part.end) - word) * 8);
    memcpy(copy->full + full * value, witness->full + full * value,
           (witness_full_before(witness, part.end) - full) * value * 8);
    if (part.end == witness->n_aux)
        memcpy(copy->inputs, witness->inputs, witness->n_inputs * value * 8);
    n_puts++;
}

static void free_with_copy(struct witness_handle *handle)
{
    struct copy *copy = handle ? copy_of(handle) : NULL;

    if (copy)
        forget(copy);
    backend_cpu.witness_free(handle);
}

/* It tells of one operation a wait. */
static struct device_timeline timeline;

static enum cuzk_status open_and_listen(struct device **ret, const struct device_options *options,
                                        struct cuzk_error *err)
{
    timeline = options->timeline;
    return backend_cpu.open(ret, options, err);
}

static enum cuzk_status wait_and_tell(struct stream *stream, struct cuzk_error *err)
{
    const double begin = clock_seconds();
    const enum cuzk_status st = backend_cpu.wait(stream, err);

    timeline.f(timeline.ctx, 1, "waited for", begin, clock_seconds());
    return st;
}

static size_t memory_of_the_device = SIZE_MAX;

static enum cuzk_status memory_free(int ordinal, size_t *ret, struct cuzk_error *err)
{
    (void)ordinal;
    (void)err;
    *ret = memory_of_the_device;
    return CUZK_OK;
}

/* Two streams of two threads share the device; operations of the cpu back end never overlap. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

#define IN_TURN(operation)                                                                         \
    do {                                                                                           \
        pthread_mutex_lock(&turn);                                                                 \
        backend_cpu.operation;                                                                     \
        pthread_mutex_unlock(&turn);                                                               \
    } while (0)

static void spmv_in_turn(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
                         const struct witness_handle *witness, uint64_t first_row, size_t n_rows)
{
    IN_TURN(spmv(stream, out, matrix, witness, first_row, n_rows));
}

static void quotient_in_turn(struct stream *stream, const struct domain *domain, struct buf *a,
                             struct buf *b, enum h_basis basis)
{
    IN_TURN(quotient(stream, domain, a, b, basis));
}

static void msm_g1_in_turn(struct stream *stream, const struct bases *bases,
                           const struct buf *scalars, size_t at, size_t n, struct g1_point *out)
{
    IN_TURN(msm_g1(stream, bases, scalars, at, n, out));
}

static void class_g1_in_turn(struct stream *stream, const struct bases *bases,
                             struct witness_handle *const *witnesses, size_t n_witnesses,
                             struct witness_part part, struct g1_point *out)
{
    IN_TURN(msm_witness_g1(stream, bases, witnesses, n_witnesses, part, out));
}

static void class_g2_in_turn(struct stream *stream, const struct bases *bases,
                             struct witness_handle *const *witnesses, size_t n_witnesses,
                             struct witness_part part, struct g2_point *out)
{
    IN_TURN(msm_witness_g2(stream, bases, witnesses, n_witnesses, part, out));
}
#undef IN_TURN

static struct backend beside_of_cpu(void)
{
    struct backend backend = backend_cpu;

    backend.name = "beside";
    backend.beside_host = true;
    backend.memory_free = memory_free;
    backend.open = open_and_listen;
    backend.wait = wait_and_tell;
    backend.witness_put = put_a_copy;
    backend.witness_free = free_with_copy;
    backend.spmv = spmv_in_turn;
    backend.quotient = quotient_in_turn;
    backend.msm_g1 = msm_g1_in_turn;
    backend.msm_witness_g1 = class_g1_in_turn;
    backend.msm_witness_g2 = class_g2_in_turn;
    return backend;
}

/* ---- jobs on it ------------------------------------------------------------------------------ */

static void open_engine(struct engine *engine, const struct backend *backend)
{
    struct cuzk_error err;

    assert_int_equal(
        engine_open(engine, &(struct engine_options){.backend = "cpu", .threads = 2}, &err),
        CUZK_OK);
    engine->backend = backend;
}

static size_t count_stages(const struct engine *engine, const char *end)
{
    size_t n = 0;

    for (size_t i = 0; i < engine->n_stages; i++) {
        const char *at = strstr(engine->stages[i].name, end);

        n += at && strlen(at) == strlen(end);
    }
    return n;
}

static void assert_trace_has(const struct engine *engine, const char *text)
{
    const char *path = test_scratch_path("beside.trace");
    struct cuzk_error err;
    size_t n;
    uint8_t *bytes;

    assert_int_equal(engine_write_trace(engine, path, &err), CUZK_OK);
    bytes = vector_read(path, &n);
    assert_non_null(memmem(bytes, n, text, strlen(text)));
    assert_memory_equal(bytes, "[\n{", 3);
    assert_memory_equal(bytes + n - 4, "}\n]\n", 4);
    vector_free(bytes);
}

static void test_partitions_are_proven_while_the_next_is_prepared(void **state)
{
    const struct backend backend = beside_of_cpu();
    struct bench_options options = {.partitions = 4};
    struct report report;
    struct engine engine;
    struct cuzk_error err = {0};

    (void)state;
    assert_int_equal(circuit_name_parse(&options.name, "window-2KiB", &err), CUZK_OK);
    open_engine(&engine, &backend);
    report_init(&report);
    n_puts = 0;
    if (bench_job_run(&engine, &options, &report, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(n_puts, 4);
    assert_int_equal(count_stages(&engine, ": witness"), 4);
    assert_int_equal(count_stages(&engine, ": device"), 4);
    assert_int_equal(count_stages(&engine, ": verify"), 4);
    assert_true(engine.device_seconds > 0);
    assert_trace_has(&engine, "{\"name\":\"waited for\",\"ph\":\"X\",\"pid\":1,\"tid\":3,");
    assert_int_equal(atomic_load(&engine.budget.now), 0);
    assert_null(copies[0].handle);
    assert_null(copies[1].handle);
    report_done(&report);
    engine_close(&engine);
}

/* ---- witnesses in parts ---------------------------------------------------------------------- */

/* A prover of its own over a made-up key; nothing is verified, so any values do. */
struct scene {
    struct backend backend;
    struct prove_options options;
    struct r1cs cs;
    struct qap qap;
    struct device *device;
    struct stream *stream;
    struct resident_key key;
    struct packed_witness witness;
    struct prover *prover;
};

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s", err->message);
}

static void scene_key(struct scene *s, enum plan_form form)
{
    const struct setup_options setup = {.backend = &s->backend,
                                        .pool = s->options.pool,
                                        .domain_generator = 7,
                                        .h_basis = H_COSET_FOLDED};
    struct trapdoor trapdoor;
    struct cuzk_error err = {0};
    struct plan plan;
    size_t bytes;

    prover_resident_plan(&plan, &s->qap, setup.h_basis, form, &s->options);
    bytes = resident_key_bytes(&s->backend, &s->qap, setup.h_basis) + plan.arena_bytes;
    if (bytes < setup_resident_bytes(&s->qap, &setup))
        bytes = setup_resident_bytes(&s->qap, &setup);
    must(s->backend.open(&s->device,
                         &(struct device_options){
                             .curve = s->cs.curve, .pool = s->options.pool, .arena_bytes = bytes},
                         &err),
         &err);
    must(s->backend.stream_new(s->device, &s->stream, &err), &err);
    must(trapdoor_from_label(&trapdoor, s->cs.curve, "parts", &err), &err);
    must(groth16_setup_resident(&s->qap, &trapdoor, &setup, s->device, s->stream, &s->key, &err),
         &err);
}

static void scene_values(struct scene *s)
{
    struct cuzk_error err = {0};
    struct rng rng;

    rng_seed(&rng, test_seed());
    must(packed_witness_new(&s->witness, &s->cs, NULL, &err), &err);
    for (size_t i = 0; i < s->cs.n_inputs; i++)
        s->witness.room.inputs[4 * i] = rng_u64(&rng);
    for (size_t i = 0; i < s->cs.n_full; i++)
        s->witness.room.full[4 * i] = rng_u64(&rng);
    for (size_t v = 0; v < s->cs.n_aux; v++)
        if (!witness_bit(s->cs.full_map, v) && rng_u64(&rng) % 2)
            s->witness.room.bits[v / 64] |= (uint64_t)1 << v % 64;
}

static void scene_open(struct scene *s, enum plan_form form)
{
    struct circuit_name name = {0};
    struct cuzk_error err = {0};

    *s = (struct scene){.backend = beside_of_cpu()};
    s->backend.wait = backend_cpu.wait; /* nobody listens */
    must(pool_new(&s->options.pool, 2, &err), &err);
    s->options.backend = &s->backend;
    must(circuit_name_parse(&name, "window-2KiB", &err), &err);
    must(circuit_record(&s->cs, name, NULL, &err), &err);
    must(qap_init(&s->qap, &s->cs, NULL, &err), &err);
    scene_key(s, form);
    scene_values(s);
    must(prover_open_resident(&s->prover, &s->key, s->device, form, &s->qap, &s->options, &err),
         &err);
}

static void scene_close(struct scene *s)
{
    prover_close(s->prover);
    packed_witness_done(&s->witness);
    resident_key_done(&s->key);
    s->backend.stream_free(s->stream);
    s->backend.close(s->device);
    qap_done(&s->qap);
    r1cs_done(&s->cs);
    pool_free(s->options.pool);
}

/* A run on a thread of its own. */
struct started {
    struct scene *scene;
    struct thread thread;
    struct prove_sums sums;
    enum cuzk_status st;
    struct cuzk_error err;
};

static void run_main(void *ctx)
{
    struct started *run = ctx;

    run->st = prover_run(run->scene->prover, 1, &run->sums, &run->err);
}

static void check_parts(enum plan_form form)
{
    struct scene s;
    struct started run = {.scene = &s};
    struct prove_sums whole;
    struct cuzk_error err = {0};
    const struct witness *w;

    scene_open(&s, form);
    w = &s.witness.values;
    must(prover_put(s.prover, 0, w, &err), &err);
    must(prover_run(s.prover, 0, &whole, &err), &err);

    /* more parts than a run keeps apart, not cut where words end, and one that brings nothing */
    prover_put_begin(s.prover, 1);
    must(thread_begin(&run.thread, run_main, &run, &err), &err);
    for (unsigned i = 1; i <= 12; i++) {
        must(prover_put_part(s.prover, 1, w, w->n_aux * i / 12, &err), &err);
        if (i < 12)
            must(prover_put_part(s.prover, 1, w, w->n_aux * i / 12 + 1, &err), &err);
    }
    thread_end(&run.thread);
    must(run.st, &run.err);
    assert_memory_equal(&run.sums, &whole, sizeof whole);

    /* a witness that does not come ends the run; the next one is proven */
    prover_put_begin(s.prover, 1);
    must(thread_begin(&run.thread, run_main, &run, &err), &err);
    must(prover_put_part(s.prover, 1, w, w->n_aux / 2, &err), &err);
    prover_put_fail(s.prover, 1);
    thread_end(&run.thread);
    assert_int_equal(run.st, CUZK_CANCELLED);
    must(prover_put(s.prover, 1, w, &err), &err);
    run_main(&run);
    must(run.st, &run.err);
    assert_memory_equal(&run.sums, &whole, sizeof whole);
    scene_close(&s);
}

static void test_parts_of_a_witness_sum_up_to_the_whole(void **state)
{
    (void)state;
    check_parts(PLAN_RESIDENT);
    check_parts(PLAN_OVERLAPPED);
}

/* ---- batches --------------------------------------------------------------------------------- */

/* Points take memory, and a witness so much that two make a batch. */
enum { BYTES_OF_A_POINT = 4096, N_PARTITIONS = 3 };
static size_t bytes_of_a_witness;
static struct slices_read {
    size_t h, others;
} slices;

static size_t points_take_memory(const struct curve *curve, const struct bases_source *source)
{
    return backend_cpu.bases_bytes(curve, source) + source->points.n * BYTES_OF_A_POINT;
}

static size_t witnesses_take_memory(const struct curve *curve, const struct witness *shape)
{
    return backend_cpu.witness_bytes(curve, shape) + bytes_of_a_witness;
}

static enum cuzk_status count_slice(struct device *device, const struct bases_source *source,
                                    struct bases **ret, struct cuzk_error *err)
{
    if (source->n_aux == 0)
        slices.h++;
    else
        slices.others++;
    return backend_cpu.bases_new(device, source, ret, err);
}

static struct backend small_card(void)
{
    struct backend backend = beside_of_cpu();

    backend.bases_bytes = points_take_memory;
    backend.bases_new = count_slice;
    backend.witness_bytes = witnesses_take_memory;
    return backend;
}

/* Jobs of some partitions, each with the same proofs whatever proves it. */
struct jobs {
    struct backend card;
    struct engine engine;
    struct request request;
    struct job_key key;
    atomic_bool cancel;
    size_t arena; /* of the streamed form */
};

/* When it was asked to, in the second partition of a batch. */
static bool cancels;

static void cancel_at_device(void *ctx, const struct stage *stage)
{
    if (cancels && strcmp(stage->name, "partition 1: device") == 0)
        atomic_store((atomic_bool *)ctx, true);
}

static void jobs_open(struct jobs *j)
{
    struct circuit_name name = {0};
    struct cuzk_error err = {0};
    struct report report;
    struct job_plan plan;
    static char folder[4096];

    *j = (struct jobs){.card = small_card()};
    snprintf(folder, sizeof folder, "%s", test_scratch_path("batches"));
    j->key = (struct job_key){.folder = folder, .choice = KEY_ONLY_DEV, .seed_label = "batches"};
    must(engine_open(&j->engine,
                     &(struct engine_options){.backend = "cpu",
                                              .threads = 2,
                                              .cancel = &j->cancel,
                                              .stage = cancel_at_device,
                                              .stage_ctx = &j->cancel},
                     &err),
         &err);
    must(circuit_name_parse(&name, "window-2KiB", &err), &err);
    report_init(&report);
    must(circuit_setup(&j->engine, name, "batches", folder, &report, &err), &err);
    report_done(&report);
    bytes_of_a_witness = 0;
    must(circuit_job_plan(&j->engine, name, &j->card, &plan, &err), &err);
    bytes_of_a_witness = plan.card.arena[0] / 40;
    must(circuit_job_plan(&j->engine, name, &j->card, &plan, &err), &err);
    j->arena = plan.card.arena[0];
    must(request_sample(&j->request, name, 1, N_PARTITIONS, &j->engine, &err), &err);
}

static void jobs_close(struct jobs *j)
{
    static const char *const extensions[] = {".params", ".vk"};
    char path[KEY_PATH_MAX];

    for (size_t i = 0; i < 2; i++) {
        must(key_folder_dev_path(path, j->key.folder, j->request.name, extensions[i], NULL), NULL);
        remove(path);
    }
    rmdir(j->key.folder);
    request_done(&j->request);
    assert_int_equal(atomic_load(&j->engine.budget.now), 0);
    engine_close(&j->engine);
    for (unsigned i = 0; i < COPIES; i++)
        assert_null(copies[i].handle);
}

/* What came of a job; the proof that is number `refuse` is not taken. */
struct taken {
    uint8_t proof[N_PARTITIONS][PARTITION_PROOF_BYTES];
    unsigned n, refuse;
};

static enum cuzk_status take_proof(void *ctx, unsigned k,
                                   const uint8_t proof[PARTITION_PROOF_BYTES],
                                   struct cuzk_error *err)
{
    struct taken *taken = ctx;

    if (++taken->n == taken->refuse)
        return error_set(err, CUZK_IO, "refused");
    memcpy(taken->proof[k], proof, PARTITION_PROOF_BYTES);
    return CUZK_OK;
}

static enum cuzk_status prove(struct jobs *j, const struct job_resident *resident, const bool *skip,
                              struct taken *ret)
{
    const struct job_sink sink = {.skip = skip, .f = take_proof, .ctx = ret};
    struct cuzk_error err = {0};
    const enum cuzk_status st = job_prove_request(&j->engine, &j->request, resident, &sink, &err);

    if (st != CUZK_OK)
        print_message("%s\n", err.message);
    return st;
}

/* As the processor proves them. */
static void expect(struct jobs *j, struct taken *ret)
{
    struct job_resident resident;
    struct cuzk_error err = {0};

    must(job_resident_open(&resident, &j->engine, j->request.name, &j->key, &err), &err);
    assert_int_equal(prove(j, &resident, NULL, ret), CUZK_OK);
    assert_int_equal(ret->n, N_PARTITIONS);
    job_resident_close(&resident);
}

/* Three are two batches, of two and of one. */
static void check_batches(struct jobs *j, const struct job_resident *resident,
                          const struct taken *expected)
{
    const bool skip[N_PARTITIONS] = {false, true, false};
    struct taken all = {0}, two = {0};
    size_t others;

    slices = (struct slices_read){0};
    assert_int_equal(prove(j, resident, NULL, &all), CUZK_OK);
    assert_memory_equal(all.proof, expected->proof, sizeof all.proof);
    assert_int_equal(slices.h % N_PARTITIONS, 0);
    assert_true(slices.h / N_PARTITIONS > 1 && slices.others / 2 > KEY_N_QUERIES);
    others = slices.others;

    slices = (struct slices_read){0};
    assert_int_equal(prove(j, resident, skip, &two), CUZK_OK);
    assert_int_equal(two.n, 2);
    assert_memory_equal(two.proof[0], expected->proof[0], PARTITION_PROOF_BYTES);
    assert_memory_equal(two.proof[2], expected->proof[2], PARTITION_PROOF_BYTES);
    assert_int_equal(2 * slices.others, others);
}

static void check_failures(struct jobs *j, const struct job_resident *resident)
{
    struct taken taken = {.refuse = 2};

    assert_int_equal(prove(j, resident, NULL, &taken), CUZK_IO);
    taken = (struct taken){0};
    cancels = true;
    assert_int_equal(prove(j, resident, NULL, &taken), CUZK_CANCELLED);
    cancels = false;
    assert_int_equal(prove(j, resident, NULL, &taken), CUZK_CANCELLED); /* in the first witness */
    atomic_store(&j->cancel, false);
    assert_int_equal(taken.n, 0);
}

static void test_partitions_are_proven_in_batches_where_the_key_is_streamed(void **state)
{
    struct jobs j;
    struct job_resident resident;
    struct taken expected = {0};
    struct cuzk_error err = {0};

    (void)state;
    jobs_open(&j);
    expect(&j, &expected);
    j.engine.backend = &j.card;
    j.engine.device_memory = j.arena - 1;
    assert_int_equal(job_resident_open(&resident, &j.engine, j.request.name, &j.key, &err),
                     CUZK_NO_MEMORY);
    j.engine.device_memory = j.arena;
    must(job_resident_open(&resident, &j.engine, j.request.name, &j.key, &err), &err);
    assert_true(prover_takes_batches(resident.prover));
    assert_int_equal(prover_slots(resident.prover), 2);
    check_failures(&j, &resident);
    check_batches(&j, &resident, &expected);
    job_resident_close(&resident);
    jobs_close(&j);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void test_a_device_that_is_too_small_is_refused_with_the_numbers(void **state)
{
    const struct backend backend = beside_of_cpu();
    struct bench_options options = {.partitions = 1};
    struct report report;
    struct engine engine;
    struct cuzk_error err = {0};

    (void)state;
    assert_int_equal(circuit_name_parse(&options.name, "window-2KiB", &err), CUZK_OK);
    open_engine(&engine, &backend);
    report_init(&report);
    memory_of_the_device = 1000;
    assert_int_equal(bench_job_run(&engine, &options, &report, &err), CUZK_NO_MEMORY);
    assert_non_null(strstr(err.message, "1000 may be taken"));
    memory_of_the_device = SIZE_MAX;
    assert_int_equal(atomic_load(&engine.budget.now), 0);
    report_done(&report);
    engine_close(&engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partitions_are_proven_while_the_next_is_prepared),
        cmocka_unit_test(test_parts_of_a_witness_sum_up_to_the_whole),
        cmocka_unit_test(test_partitions_are_proven_in_batches_where_the_key_is_streamed),
        cmocka_unit_test(test_a_device_that_is_too_small_is_refused_with_the_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
