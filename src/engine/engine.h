/* What every job runs on: threads, a memory budget, a back end, and a record of its stages. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "backend/backend.h"
#include "base/mem.h"
#include "base/pool.h"

/* ---- stages: where time and memory went ---- */

struct stage {
    char name[48];
    double begin, end; /* seconds since the engine was opened */
    double cpu;        /* seconds of all threads */
    size_t bytes;      /* highest sum of the budget while it ran */
};

#define STAGES_MAX 512

/* Called when a stage begins (its end is 0) and when it has ended, on the engine's thread. */
typedef void stage_fn(void *ctx, const struct stage *stage);

/* Operations of a device that works beside the host, as it reports them. */
struct device_operation {
    const char *name;
    unsigned stream;
    double begin, end; /* seconds since the engine was opened */
};

#define OPERATIONS_MAX 1024

struct engine_options {
    const char *backend;       /* "auto", "cpu", ...; NULL: $CUZK_BACKEND, or "auto" */
    unsigned threads;          /* 0: pool_processors() */
    unsigned witness_threads;  /* that make witnesses; 0: the same */
    size_t memory;             /* the budget in bytes; 0: no limit */
    size_t device_memory;      /* of a card's memory; 0: all that is free */
    const atomic_bool *cancel; /* NULL: never */
    stage_fn *stage;           /* NULL: nobody wants to hear */
    void *stage_ctx;
    bool progress; /* tell stderr which stage runs, on one line that is overwritten */
};

struct engine {
    const struct backend *backend;
    struct pool *pool;
    struct pool *witness_pool; /* the same, unless another number of threads was asked for */
    struct budget budget;
    size_t device_memory; /* that the next prover may take of its card; 0: all that is free */
    const atomic_bool *cancel;
    stage_fn *stage;
    void *stage_ctx;
    bool progress;

    double opened;
    size_t peak; /* of the stages that are over */
    size_t n_stages;
    double stage_cpu; /* clock at the begin of the open stage */
    struct stage stages[STAGES_MAX];
    _Atomic size_t n_operations; /* told of; those beyond OPERATIONS_MAX are left out */
    struct device_operation operations[OPERATIONS_MAX];
    double device_seconds; /* in which a device that works beside the host proved */
};

MUST_CHECK enum cuzk_status engine_open(struct engine *engine, const struct engine_options *options,
                                        struct cuzk_error *err);
void engine_close(struct engine *engine); /* accepts a zeroed one */
/* What a job may take now of the memory of the first card, of a back end that works beside the host.
 */
MUST_CHECK enum cuzk_status engine_device_room(const struct engine *engine, size_t *ret,
                                               struct cuzk_error *err);
/* No grain of work begins from now on, until it is resumed (pool_pause). From any thread. */
void engine_pause(struct engine *engine);
void engine_resume(struct engine *engine);

/* Ends the open stage, if any, and begins one. engine_stage_end ends without beginning. Stages
 * beyond STAGES_MAX are added to the last. */
void engine_stage(struct engine *engine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void engine_stage_end(struct engine *engine);
/* The highest sum of the budget since the engine was opened: a stage begins with a peak of its own.
 */
size_t engine_memory_peak(const struct engine *engine);
/* A better name for the open stage, when more is known. */
void engine_stage_name(struct engine *engine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* How far the open stage is: a share on the progress line. */
void engine_progress(struct engine *engine, uint64_t done, uint64_t total);
/* For device_options: keeps what the device did, told by any thread; read by the three below when
 * all work is done. */
struct device_timeline engine_timeline(struct engine *engine);
/* Forgets all stages and what a device did: the next job starts a table of its own. */
void engine_stages_clear(struct engine *engine);

/* The table a person reads: stage, wall and processor seconds, memory; then the device's operations
 * by name, with how many and their seconds. */
void engine_print_stages(const struct engine *engine, FILE *out);
/* The same in a report, as a list `stages`. */
struct report;
void engine_report_stages(const struct engine *engine, struct report *report);
/* The same as a Chrome trace (about:tracing, Perfetto): an array of complete events. */
MUST_CHECK enum cuzk_status engine_write_trace(const struct engine *engine, const char *path,
                                               struct cuzk_error *err);

#endif
