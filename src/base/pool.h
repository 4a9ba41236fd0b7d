/* A fixed set of threads that share loops.
 *
 *   pool_run(pool, n, f, ctx)  calls f(ctx, i, worker) once for each i in [0, n), in any order, on
 *                              any of the workers, and returns when all are done.
 *
 * `worker` is in [0, pool_size(pool)) and no two calls of a loop with the same worker overlap, so
 * it may index private scratch. The caller takes part as worker 0. A NULL pool means one thread:
 * the caller. Callers on different threads take turns, a loop each; but a loop of one call, or of a
 * pool of one thread, runs at once on its caller, and a pool_run inside f serially on that worker.
 *
 * Urgent work goes first: what is ordinary runs in a pool that is paused meanwhile. A *grain* is
 * what a thread computes between two looks at whether it may go on: a call, or a part of a long one
 * (pool_may_go_on). Most are below a millisecond, the longest of a proof two to three: so long does
 * urgent work wait at most.
 *
 * Results never depend on the number of threads: that is the caller's duty, and a test of ours. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pool;

/* n_threads counts the caller; 0 means as many as are right here (base/processors.h). */
MUST_CHECK enum cuzk_status pool_new(struct pool **ret_pool, unsigned n_threads,
                                     struct cuzk_error *err);
void pool_free(struct pool *pool); /* accepts NULL */

unsigned pool_size(const struct pool *pool); /* 1 for NULL */
unsigned pool_processors(void);              /* the threads that are right here */

/* While *cancel is true, calls not yet begun are skipped. NULL: never. Owned by the caller. Returns
 * the flag in use before, for who wants to put it back. */
const atomic_bool *pool_set_cancel(struct pool *pool, const atomic_bool *cancel);
bool pool_cancelled(const struct pool *pool);

/* While it is paused, no grain begins: whoever would begin one waits. From any thread; the grains
 * that run end as they would. Who cancels a paused pool resumes it. */
void pool_pause(struct pool *pool);
void pool_resume(struct pool *pool);

/* For a call to ask where it has computed for a while: waits while the pool (NULL: none) is paused.
 * False once it is cancelled: the rest of the call may be left out. */
bool pool_may_go_on(struct pool *pool);

typedef void pool_fn(void *ctx, size_t i, unsigned worker);
void pool_run(struct pool *pool, size_t n, pool_fn *f, void *ctx);

/* The same over [0, n) cut into ranges of at most `grain`: f(ctx, begin, end, worker). */
typedef void pool_range_fn(void *ctx, size_t begin, size_t end, unsigned worker);
void pool_for(struct pool *pool, size_t n, size_t grain, pool_range_fn *f, void *ctx);

/* For who measures: grains are timed from the first call on. Returns the longest since the last
 * call, in seconds of processor time. */
double pool_longest_grain(struct pool *pool);

#endif
