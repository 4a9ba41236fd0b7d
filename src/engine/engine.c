#include "engine/engine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"

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
    budget_init(&engine->budget, options->memory);
    engine->cancel = options->cancel;
    pool_set_cancel(engine->pool, options->cancel);
    engine->stage = options->stage;
    engine->stage_ctx = options->stage_ctx;
    engine->progress = options->progress;
    engine->opened = clock_seconds();
    return CUZK_OK;
}

void engine_close(struct engine *engine)
{
    pool_free(engine->pool);
    engine->pool = NULL;
}

/* ---- stages -----------------------------------------------------------------------------------
 */

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

void engine_stage(struct engine *engine, const char *format, ...)
{
    struct stage *s;
    va_list args;

    engine_stage_end(engine);
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
    engine->opened = clock_seconds();
}

static double mib(size_t bytes)
{
    return (double)bytes / (1 << 20);
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
}

enum cuzk_status engine_write_trace(const struct engine *engine, const char *path,
                                    struct cuzk_error *err)
{
    struct out_file out;
    enum cuzk_status st;
    char line[256];

    TRY(out_open(&out, path, err));
    TRY_GOTO(st, fail, out_write(&out, "[\n", 2, err));
    for (size_t i = 0; i < engine->n_stages; i++) {
        const struct stage *s = &engine->stages[i];
        int n =
            snprintf(line, sizeof line,
                     "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.0f,\"dur\":%.0f,"
                     "\"args\":{\"cpu_s\":%.3f,\"bytes\":%zu}}%s\n",
                     s->name, s->begin * 1e6, (s->end - s->begin) * 1e6, s->cpu, s->bytes,
                     i + 1 < engine->n_stages ? "," : "");

        TRY_GOTO(st, fail, out_write(&out, line, (size_t)n, err));
    }
    TRY_GOTO(st, fail, out_write(&out, "]\n", 2, err));
    return out_commit(&out, err);
fail:
    out_abort(&out);
    return st;
}
