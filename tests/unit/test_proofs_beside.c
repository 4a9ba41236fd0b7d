/* Partitions proven by a device that works beside the host: the next witness is made and the last
 * proof verified meanwhile, on another thread. The device here is the cpu back end in disguise: it
 * keeps witnesses of its own, as a card does, and works inside prover_run's calls. */
#include "support/testing.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_backend.h"
#include "base/clock.h"
#include "engine/bench_job.h"
#include "support/vectors.h"

/* ---- the device ------------------------------------------------------------------------------ */

enum { COPIES = 2 };

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

static uint64_t *duplicate(const uint64_t *words, size_t n)
{
    uint64_t *made = malloc(n * 8 + 8);

    assert_non_null(made);
    memcpy(made, words, n * 8);
    return made;
}

static void put_a_copy(struct stream *stream, struct witness_handle *handle,
                       const struct witness *witness)
{
    struct copy *copy = copy_of(handle);
    struct witness view = *witness;

    if (copy)
        forget(copy);
    else
        copy = copy_of(NULL);
    assert_non_null(copy);
    *copy = (struct copy){
        .handle = handle,
        .inputs = duplicate(witness->inputs, witness->n_inputs * witness->fr_bytes / 8),
        .bits = duplicate(witness->bits, witness_map_words(witness->n_aux)),
        .full = duplicate(witness->full, witness->n_full * witness->fr_bytes / 8),
    };
    view.inputs = copy->inputs;
    view.bits = copy->bits;
    view.full = copy->full;
    backend_cpu.witness_put(stream, handle, &view);
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
    return backend;
}

/* ---- jobs on it -------------------------------------------------------------------------------
 */

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
    assert_non_null(strstr(err.message, "the device has 1000"));
    memory_of_the_device = SIZE_MAX;
    assert_int_equal(atomic_load(&engine.budget.now), 0);
    report_done(&report);
    engine_close(&engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partitions_are_proven_while_the_next_is_prepared),
        cmocka_unit_test(test_a_device_that_is_too_small_is_refused_with_the_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
