/* A loop passes through a gate, one word:
 *
 *     | number of the loop | open | threads inside, beside the caller |
 *
 * The caller lays the loop out, opens the gate with the next number, wakes as many sleepers as can
 * find a call, and takes calls itself until none is left. It shuts the gate and waits for those
 * inside. A thread that wakes up late finds the gate shut: nobody has waited for it.
 *
 * Inside a loop the workers claim indices with one atomic counter; the bodies are long
 * (microseconds to milliseconds), so the counter is not contended.
 *
 * Loops follow each other closely, and to wake a thread takes tens of microseconds: who finds
 * nothing to do looks at the gate for PATIENCE before it sleeps. Not where other threads would need
 * the processor that looks: when the pool has more threads than are right here. */
#include "base/pool.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "base/processors.h"

#define PATIENCE 1e-4 /* seconds */

#define GATE_INSIDE (((uint64_t)1 << 31) - 1)
#define GATE_OPEN ((uint64_t)1 << 31)
#define GATE_NUMBER 32 /* the lowest bit of the number */

struct worker {
    struct pool *pool;
    unsigned index;
    pthread_t thread;
};

struct pool {
    unsigned n_threads;
    unsigned n_started; /* threads beside the caller */
    bool patient;
    const atomic_bool *cancel;

    pthread_mutex_t turn; /* held by the caller of the loop that runs */
    _Atomic uint64_t gate;

    pthread_mutex_t lock;
    pthread_cond_t work; /* the gate is open, or stop */
    pthread_cond_t left; /* the gate is shut and nobody is inside */
    unsigned n_asleep;   /* wait for work */
    bool stop;

    atomic_bool paused;
    pthread_cond_t go; /* no longer paused */

    atomic_bool timed;
    _Atomic uint64_t longest_ns;

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

/* ---- grains ---------------------------------------------------------------------------------- */

static _Thread_local double grain_began; /* of those that are timed; 0: outside of calls */

/* One ends, the next begins. */
static void time_grain(struct pool *pool)
{
    const double now = clock_thread_seconds();
    const uint64_t ns = (uint64_t)((now - grain_began) * 1e9);
    uint64_t longest = atomic_load(&pool->longest_ns);

    while (ns > longest && !atomic_compare_exchange_weak(&pool->longest_ns, &longest, ns))
        continue;
    grain_began = now;
}

double pool_longest_grain(struct pool *pool)
{
    atomic_store(&pool->timed, true);
    return (double)atomic_exchange(&pool->longest_ns, 0) * 1e-9;
}

static void wait_to_go(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->paused))
        pthread_cond_wait(&pool->go, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

bool pool_may_go_on(struct pool *pool)
{
    if (!pool)
        return true;
    if (grain_began > 0)
        time_grain(pool);
    if (atomic_load_explicit(&pool->paused, memory_order_relaxed))
        wait_to_go(pool);
    return !pool_cancelled(pool);
}

static void call(struct pool *pool, pool_fn *f, void *ctx, size_t i, unsigned worker)
{
    const bool timed = pool && atomic_load_explicit(&pool->timed, memory_order_relaxed);
    const bool outermost = grain_began == 0;

    if (!pool_may_go_on(pool))
        return;
    if (timed && outermost)
        grain_began = clock_thread_seconds();
    f(ctx, i, worker);
    if (timed)
        time_grain(pool);
    if (outermost)
        grain_began = 0;
}

static void claim_and_run(struct pool *pool, unsigned worker)
{
    size_t i;

    inside_loop = true;
    my_index = worker;
    while ((i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < pool->n)
        call(pool, pool->f, pool->ctx, i, worker);
    inside_loop = false;
}

/* ---- the gate -------------------------------------------------------------------------------- */

struct patience {
    double end; /* 0: has not begun */
    unsigned n;
};

/* May one look once more before sleeping? */
static bool patience_lasts(struct patience *patience, const struct pool *pool)
{
    double now;

    if (!pool->patient)
        return false;
    cpu_relax();
    if (++patience->n % 16 != 1)
        return true;
    now = clock_seconds();
    if (patience->end == 0)
        patience->end = now + PATIENCE;
    return now < patience->end;
}

/* *number: of the loop that this thread was in last. */
static bool enter(struct pool *pool, uint64_t *number)
{
    uint64_t gate = atomic_load(&pool->gate);

    while ((gate & GATE_OPEN) && gate >> GATE_NUMBER != *number)
        if (atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1)) {
            *number = gate >> GATE_NUMBER;
            return true;
        }
    return false;
}

static void leave(struct pool *pool)
{
    const uint64_t before = atomic_fetch_sub(&pool->gate, 1);

    if ((before & (GATE_OPEN | GATE_INSIDE)) != 1)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->left);
    pthread_mutex_unlock(&pool->lock);
}

/* Into the next loop; false when there will be none. */
static bool wait_to_enter(struct pool *pool, uint64_t *number)
{
    struct patience patience = {0};
    bool entered;

    do
        if (enter(pool, number))
            return true;
    while (patience_lasts(&patience, pool));
    pthread_mutex_lock(&pool->lock);
    pool->n_asleep++;
    while (!(entered = enter(pool, number)) && !pool->stop)
        pthread_cond_wait(&pool->work, &pool->lock);
    pool->n_asleep--;
    pthread_mutex_unlock(&pool->lock);
    return entered;
}

static void open_gate(struct pool *pool)
{
    const uint64_t number = (atomic_load(&pool->gate) >> GATE_NUMBER) + 1;
    size_t n_wanted = pool->n - 1; /* one call is the caller's */
    unsigned n_asleep;

    atomic_store(&pool->gate, number << GATE_NUMBER | GATE_OPEN);
    pthread_mutex_lock(&pool->lock); /* who is not asleep by now sees the gate open */
    n_asleep = pool->n_asleep;
    pthread_mutex_unlock(&pool->lock);
    if (n_wanted >= n_asleep)
        pthread_cond_broadcast(&pool->work);
    else
        while (n_wanted-- > 0)
            pthread_cond_signal(&pool->work);
}

static bool is_empty(struct pool *pool)
{
    return (atomic_load(&pool->gate) & GATE_INSIDE) == 0;
}

static void shut_gate(struct pool *pool)
{
    struct patience patience = {0};

    atomic_fetch_and(&pool->gate, ~GATE_OPEN);
    do
        if (is_empty(pool))
            return;
    while (patience_lasts(&patience, pool));
    pthread_mutex_lock(&pool->lock);
    while (!is_empty(pool))
        pthread_cond_wait(&pool->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- the pool -------------------------------------------------------------------------------- */

static void *worker_main(void *arg)
{
    struct worker *me = arg;
    uint64_t number = 0;

    while (wait_to_enter(me->pool, &number)) {
        claim_and_run(me->pool, me->index);
        leave(me->pool);
    }
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
    const unsigned right = n_threads == 1 ? 1 : pool_processors();
    const unsigned n = n_threads ? n_threads : right;
    struct pool *pool;

    if (n > 4096)
        return error_set(err, CUZK_USAGE, "%u threads are more than 4096", n);
    pool = mem_new(sizeof *pool + n * sizeof pool->workers[0]);
    if (!pool)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a pool of %u threads", n);
    pool->n_threads = n;
    pool->patient = n <= right;
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->left, NULL);
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
    pthread_cond_destroy(&pool->left);
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
        call(pool, f, ctx, i, worker);
}

void pool_run(struct pool *pool, size_t n, pool_fn *f, void *ctx)
{
    if (!pool || pool->n_threads == 1 || n <= 1 || inside_loop) {
        run_serially(pool, n, f, ctx);
        return;
    }
    pthread_mutex_lock(&pool->turn);
    pool->f = f;
    pool->ctx = ctx;
    pool->n = n;
    atomic_store(&pool->next, 0);
    open_gate(pool);
    claim_and_run(pool, 0);
    shut_gate(pool);
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
