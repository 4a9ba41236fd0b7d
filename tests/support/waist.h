/* A device and a stream of a back end of the processor (cpu, ifma) for tests of the waist, with its
 * arena visible. */
#ifndef SUPPORT_WAIST_H
#define SUPPORT_WAIST_H

#include "support/testing.h"

#include "backend/backend.h"
#include "backend/cpu/cpu_device.h"

struct waist {
    const struct backend *be;
    const struct curve *curve;
    struct pool *pool;
    struct device *device;
    struct stream *stream;
};

/* Of this back end; cpu unless a program says otherwise. */
extern const char *waist_backend;
/* Runs `group` once for each back end of the processor that can be used here; returns failures. */
int waist_run_group(int (*group)(const char *backend));

void waist_open(struct waist *w, const struct curve *curve, unsigned n_threads);
/* Checks that every piece has been given back. */
void waist_close(struct waist *w);
/* wait() that must succeed. */
void waist_wait(struct waist *w);

/* A buffer of n elements with these plain contents (NULL: zeros). */
struct buf *waist_buf(struct waist *w, enum element element, size_t n, const void *plain);
/* Its first n elements, plain; mem_free ends it. */
uint64_t *waist_get(struct waist *w, const struct buf *buf, size_t n);

/* Runs between waist_measure_begin and the call take exactly `expected` bytes of the arena at most.
 */
void waist_measure_begin(struct waist *w);
void waist_measure_end(const struct waist *w, size_t expected);

/* All curves, toys last. */
#define N_WAIST_CURVES 4
extern const struct curve *const waist_curves[N_WAIST_CURVES];

#endif
