/* One lock, two conditions: `work` says that a new loop (generation) began, `idle` that the last
 * worker left it. Inside a loop the workers claim indices with one atomic counter; the bodies are
 * long (microseconds to milliseconds), so the counter is not contended. */
#include "base/pool.h"

#include <pthread.h>

#include "base/mem.h"
#include "base/processors.h"

struct worker {
    struct pool *pool;
    unsigned index;
    pthread_t thread;
};

struct pool {
    unsigned n_threads;
    unsigned n_started; /* threads beside the caller */
    const atomic_bool *cancel;

    pthread_mutex_t turn; /* held by the caller of the loop that runs */
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    unsigned long generation;
    unsigned n_busy;
    bool stop;

    atomic_bool paused;
    pthread_cond_t go; /* no longer paused */

    /* the loop being run */
    pool_fn *f;
    void *ctx;
    size_t n;
    _Atomic size_t next;

    struct worker workers[];
};

/* Which worker this thread is while it is inside a loop, so that a loop inside a loop keeps its
 * index. */
static _Thread_local bool inside_loop;
static _Thread_local unsigned my_index;

static void wait_to_go(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->paused))
        pthread_cond_wait(&pool->go, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

/* May one more call begin? */
static bool may_begin(struct pool *pool)
{
    if (pool && atomic_load_explicit(&pool->paused, memory_order_relaxed))
        wait_to_go(pool);
    return !pool_cancelled(pool);
}

static void claim_and_run(struct pool *pool, unsigned worker)
{
    size_t i;

    inside_loop = true;
    my_index = worker;
    while ((i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < pool->n)
        if (may_begin(pool))
            pool->f(pool->ctx, i, worker);
    inside_loop = false;
}

static void *worker_main(void *arg)
{
    struct worker *me = arg;
    struct pool *pool = me->pool;
    unsigned long seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->generation == seen)
            pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        claim_and_run(pool, me->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->n_busy == 0)
            pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

unsigned pool_processors(void)
{
    struct processors here;

    processors_count(&here, "");
    return here.threads;
}

enum cuzk_status pool_new(struct pool **ret_pool, unsigned n_threads, struct cuzk_error *err)
{
    unsigned n = n_threads ? n_threads : pool_processors();
    struct pool *pool;

    if (n > 4096)
        return error_set(err, CUZK_USAGE, "%u threads are more than 4096", n);
    pool = mem_new(sizeof *pool + n * sizeof pool->workers[0]);
    if (!pool)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a pool of %u threads", n);
    pool->n_threads = n;
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pthread_cond_init(&pool->go, NULL);
    for (unsigned i = 1; i < n; i++) {
        struct worker *w = &pool->workers[i];

        *w = (struct worker){.pool = pool, .index = i};
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
            pool_free(pool);
            return error_set(err, CUZK_NO_MEMORY, "the system refused thread %u of %u", i + 1, n);
        }
        pool->n_started++;
    }
    *ret_pool = pool;
    return CUZK_OK;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 1; i <= pool->n_started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->go);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->turn);
    mem_free(pool);
}

unsigned pool_size(const struct pool *pool)
{
    return pool ? pool->n_threads : 1;
}

const atomic_bool *pool_set_cancel(struct pool *pool, const atomic_bool *cancel)
{
    const atomic_bool *before = pool ? pool->cancel : NULL;

    if (pool)
        pool->cancel = cancel;
    return before;
}

bool pool_cancelled(const struct pool *pool)
{
    return pool && pool->cancel && atomic_load_explicit(pool->cancel, memory_order_relaxed);
}

void pool_pause(struct pool *pool)
{
    atomic_store(&pool->paused, true);
}

void pool_resume(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->paused, false);
    pthread_cond_broadcast(&pool->go);
    pthread_mutex_unlock(&pool->lock);
}

static void run_serially(struct pool *pool, size_t n, pool_fn *f, void *ctx)
{
    /* a pool that the running thread is no worker of may have fewer workers than its number */
    const unsigned worker = inside_loop && my_index < pool_size(pool) ? my_index : 0;

    for (size_t i = 0; i < n; i++)
        if (may_begin(pool))
            f(ctx, i, worker);
}

void pool_run(struct pool *pool, size_t n, pool_fn *f, void *ctx)
{
    if (!pool || pool->n_threads == 1 || n <= 1 || inside_loop) {
        run_serially(pool, n, f, ctx);
        return;
    }
    pthread_mutex_lock(&pool->turn);
    pthread_mutex_lock(&pool->lock);
    pool->f = f;
    pool->ctx = ctx;
    pool->n = n;
    atomic_store(&pool->next, 0);
    pool->n_busy = pool->n_started;
    pool->generation++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);

    claim_and_run(pool, 0);

    pthread_mutex_lock(&pool->lock);
    while (pool->n_busy > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->turn);
}

struct ranges {
    pool_range_fn *f;
    void *ctx;
    size_t n, grain;
};

static void run_range(void *ctx, size_t i, unsigned worker)
{
    const struct ranges *r = ctx;
    size_t begin = i * r->grain;
    size_t end = r->n - begin < r->grain ? r->n : begin + r->grain;

    r->f(r->ctx, begin, end, worker);
}

void pool_for(struct pool *pool, size_t n, size_t grain, pool_range_fn *f, void *ctx)
{
    struct ranges r = {.f = f, .ctx = ctx, .n = n, .grain = grain ? grain : 1};

    pool_run(pool, n / r.grain + (n % r.grain != 0), run_range, &r);
}
