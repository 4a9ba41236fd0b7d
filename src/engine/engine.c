#include "engine/engine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "engine/report.h"

enum cuzk_status engine_open(struct engine *engine, const struct engine_options *options,
                             struct cuzk_error *err)
{
    const char *choice = getenv("CUZK_BACKEND");
    const char *name = options->backend ? options->backend : choice && *choice ? choice : "auto";
    const char *why_not;

    memset(engine, 0, sizeof *engine);
    engine->backend = backend_find(name);
    if (!engine->backend)
        return error_set(err, CUZK_USAGE, "no back end '%s' in this build; `cuzk info` lists them",
                         name);
    why_not = engine->backend->unavailable();
    if (why_not)
        return error_set(err, CUZK_DEVICE, "back end %s: %s", engine->backend->name, why_not);
    TRY(pool_new(&engine->pool, options->threads, err));
    engine->witness_pool = engine->pool;
    if (options->witness_threads && options->witness_threads != pool_size(engine->pool)) {
        const enum cuzk_status st = pool_new(&engine->witness_pool, options->witness_threads, err);

        if (st != CUZK_OK) {
            engine->witness_pool = engine->pool;
            engine_close(engine);
            return st;
        }
    }
    budget_init(&engine->budget, options->memory);
    engine->device_memory = options->device_memory;
    engine->cancel = options->cancel;
    pool_set_cancel(engine->pool, options->cancel);
    pool_set_cancel(engine->witness_pool, options->cancel);
    engine->stage = options->stage;
    engine->stage_ctx = options->stage_ctx;
    engine->progress = options->progress;
    engine->opened = clock_seconds();
    return CUZK_OK;
}

void engine_close(struct engine *engine)
{
    if (engine->witness_pool != engine->pool)
        pool_free(engine->witness_pool);
    pool_free(engine->pool);
    engine->pool = engine->witness_pool = NULL;
}

enum cuzk_status engine_device_room(const struct engine *engine, size_t *ret,
                                    struct cuzk_error *err)
{
    TRY(engine->backend->memory_free(0, ret, err));
    if (engine->device_memory && *ret > engine->device_memory)
        *ret = engine->device_memory;
    return CUZK_OK;
}

void engine_pause(struct engine *engine)
{
    pool_pause(engine->pool);
    if (engine->witness_pool != engine->pool)
        pool_pause(engine->witness_pool);
}

void engine_resume(struct engine *engine)
{
    pool_resume(engine->pool);
    if (engine->witness_pool != engine->pool)
        pool_resume(engine->witness_pool);
}

/* ---- stages ---------------------------------------------------------------------------------- */

static struct stage *open_stage(struct engine *engine)
{
    struct stage *last = engine->n_stages ? &engine->stages[engine->n_stages - 1] : NULL;

    return last && last->end == 0.0 ? last : NULL;
}

void engine_stage_end(struct engine *engine)
{
    struct stage *s = open_stage(engine);

    if (!s)
        return;
    s->end = clock_seconds() - engine->opened;
    s->cpu += clock_cpu_seconds() - engine->stage_cpu;
    s->bytes = atomic_load(&engine->budget.peak);
    if (engine->stage)
        engine->stage(engine->stage_ctx, s);
    if (engine->progress)
        fputs("\r\033[K", stderr);
}

size_t engine_memory_peak(const struct engine *engine)
{
    const size_t now = atomic_load(&engine->budget.peak);

    return now > engine->peak ? now : engine->peak;
}

void engine_stage(struct engine *engine, const char *format, ...)
{
    struct stage *s;
    va_list args;

    engine_stage_end(engine);
    pool_may_go_on(engine->pool); /* much of some stages is not in loops */
    if (engine->n_stages == STAGES_MAX) {
        s = &engine->stages[STAGES_MAX - 1];
        s->end = 0.0;
    } else {
        s = &engine->stages[engine->n_stages++];
        s->begin = clock_seconds() - engine->opened;
    }
    va_start(args, format);
    vsnprintf(s->name, sizeof s->name, format, args);
    va_end(args);
    engine->stage_cpu = clock_cpu_seconds();
    engine->peak = engine_memory_peak(engine);
    atomic_store(&engine->budget.peak, atomic_load(&engine->budget.now));
    if (engine->stage)
        engine->stage(engine->stage_ctx, s);
    if (engine->progress)
        fprintf(stderr, "\r\033[K%s", s->name);
}

void engine_stage_name(struct engine *engine, const char *format, ...)
{
    struct stage *s = open_stage(engine);
    va_list args;

    if (!s)
        return;
    va_start(args, format);
    vsnprintf(s->name, sizeof s->name, format, args);
    va_end(args);
}

void engine_progress(struct engine *engine, uint64_t done, uint64_t total)
{
    const struct stage *s = open_stage(engine);

    if (engine->progress && s && total)
        fprintf(stderr, "\r\033[K%s %3.0f %%", s->name, 100.0 * (double)done / (double)total);
}

void engine_stages_clear(struct engine *engine)
{
    memset(engine->stages, 0, sizeof engine->stages);
    engine->n_stages = 0;
    engine->n_operations = 0;
    engine->device_seconds = 0;
    engine->opened = clock_seconds();
}

/* ---- operations of a device ------------------------------------------------------------------ */

static void keep_operation(void *ctx, unsigned stream, const char *name, double begin, double end)
{
    struct engine *engine = ctx;
    const size_t i = atomic_fetch_add(&engine->n_operations, 1);

    if (i < OPERATIONS_MAX)
        engine->operations[i] =
            (struct device_operation){name, stream, begin - engine->opened, end - engine->opened};
}

struct device_timeline engine_timeline(struct engine *engine)
{
    return (struct device_timeline){keep_operation, engine};
}

static size_t operations_kept(const struct engine *engine)
{
    const size_t n = atomic_load(&engine->n_operations);

    return n < OPERATIONS_MAX ? n : OPERATIONS_MAX;
}

/* Operations of one name: how many, and their seconds. */
struct operation_sum {
    const char *name;
    size_t n;
    double seconds;
};
enum { OPERATION_NAMES_MAX = 32 };

/* In the order in which the names first occur; returns how many names. */
static size_t sum_operations(const struct engine *engine,
                             struct operation_sum sums[OPERATION_NAMES_MAX])
{
    size_t n_names = 0;

    for (size_t i = 0; i < operations_kept(engine); i++) {
        const struct device_operation *o = &engine->operations[i];
        size_t k = 0;

        while (k < n_names && strcmp(sums[k].name, o->name) != 0)
            k++;
        if (k == OPERATION_NAMES_MAX)
            continue;
        if (k == n_names)
            sums[n_names++] = (struct operation_sum){.name = o->name};
        sums[k].n++;
        sums[k].seconds += o->end - o->begin;
    }
    return n_names;
}

/* ---- what there is to say about them --------------------------------------------------------- */

static double mib(size_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void print_operations(const struct engine *engine, FILE *out)
{
    struct operation_sum sums[OPERATION_NAMES_MAX];
    const size_t n = sum_operations(engine, sums);

    if (n)
        fprintf(out, "%-32s %10s %10s\n", "operation of the device", "s", "times");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%-32s %10.3f %10zu\n", sums[i].name, sums[i].seconds, sums[i].n);
}

void engine_print_stages(const struct engine *engine, FILE *out)
{
    double wall = 0, cpu = 0;
    size_t bytes = 0;

    fprintf(out, "%-32s %10s %10s %10s\n", "stage", "wall s", "cpu s", "MiB");
    for (size_t i = 0; i < engine->n_stages; i++) {
        const struct stage *s = &engine->stages[i];

        fprintf(out, "%-32s %10.3f %10.3f %10.1f\n", s->name, s->end - s->begin, s->cpu,
                mib(s->bytes));
        wall += s->end - s->begin;
        cpu += s->cpu;
        if (s->bytes > bytes)
            bytes = s->bytes;
    }
    fprintf(out, "%-32s %10.3f %10.3f %10.1f\n", "all", wall, cpu, mib(bytes));
    print_operations(engine, out);
}

static void report_operations(const struct engine *engine, struct report *report)
{
    struct operation_sum sums[OPERATION_NAMES_MAX];
    const size_t n = sum_operations(engine, sums);

    report_list(report, "device_operations");
    for (size_t i = 0; i < n; i++) {
        report_object(report, NULL);
        report_text(report, "operation", "%s", sums[i].name);
        report_number(report, "times", sums[i].n);
        report_real(report, "seconds", sums[i].seconds);
        report_end(report);
    }
    report_end(report);
}

void engine_report_stages(const struct engine *engine, struct report *report)
{
    report_list(report, "stages");
    for (size_t i = 0; i < engine->n_stages; i++) {
        const struct stage *s = &engine->stages[i];

        report_object(report, NULL);
        report_text(report, "stage", "%s", s->name);
        report_real(report, "seconds", s->end - s->begin);
        report_real(report, "core_seconds", s->cpu);
        report_number(report, "bytes", s->bytes);
        report_end(report);
    }
    report_end(report);
    report_operations(engine, report);
}

/* Tracks of the trace: 1 is the host, 2 + n a device's stream n. */
static enum cuzk_status write_events(const struct engine *engine, struct out_file *out,
                                     struct cuzk_error *err)
{
    const char *before = "";
    char line[256];

    TRY(out_write(out, "[\n", 2, err));
    for (size_t i = 0; i < engine->n_stages; i++, before = ",\n") {
        const struct stage *s = &engine->stages[i];
        int n =
            snprintf(line, sizeof line,
                     "%s{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.0f,\"dur\":%.0f,"
                     "\"args\":{\"cpu_s\":%.3f,\"bytes\":%zu}}",
                     before, s->name, s->begin * 1e6, (s->end - s->begin) * 1e6, s->cpu, s->bytes);

        TRY(out_write(out, line, (size_t)n, err));
    }
    for (size_t i = 0; i < operations_kept(engine); i++, before = ",\n") {
        const struct device_operation *o = &engine->operations[i];
        int n = snprintf(line, sizeof line,
                         "%s{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%.0f,"
                         "\"dur\":%.0f}",
                         before, o->name, 2 + o->stream, o->begin * 1e6, (o->end - o->begin) * 1e6);

        TRY(out_write(out, line, (size_t)n, err));
    }
    return out_write(out, "\n]\n", 3, err);
}

enum cuzk_status engine_write_trace(const struct engine *engine, const char *path,
                                    struct cuzk_error *err)
{
    struct out_file out;
    enum cuzk_status st;

    TRY(out_open(&out, path, err));
    st = write_events(engine, &out, err);
    if (st == CUZK_OK)
        return out_commit(&out, err);
    out_abort(&out);
    return st;
}
