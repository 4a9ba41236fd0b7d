#include "cli/bench_run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/bench_plot.h"

enum { SAMPLE_MS = 200, SAMPLES_BYTES = 16 << 20, CONCURRENCY_MAX = 256 };

struct run {
    const struct bench *bench;
    struct bench_result *result;
    double begin;
    char prefix[JOB_REQUEST_ID_MAX + 1];
    _Atomic unsigned next;
    atomic_bool over;
    pthread_mutex_t lock; /* guards the result and what follows */
    enum cuzk_status status;
    struct cuzk_error error;
    double *prove;
};

/* ---- proofs: one thread each ----------------------------------------------------------------- */

static void note_failure(struct run *run, enum cuzk_status status, const struct cuzk_error *err)
{
    pthread_mutex_lock(&run->lock);
    if (run->status == CUZK_OK) {
        run->status = status;
        run->error = *err;
    }
    pthread_mutex_unlock(&run->lock);
}

static void note_answer(struct run *run, unsigned number, double wall,
                        const struct proving_answer *a)
{
    struct bench_result *r = run->result;

    pthread_mutex_lock(&run->lock);
    if (a->state == JOB_DONE) {
        run->prove[r->done] = (double)(a->total_ms - a->queue_wait_ms) / 1e3;
        r->wall[r->done++] = wall;
        r->last = *a;
        if (!run->bench->quiet)
            fprintf(stderr,
                    "proof %u: %.2f s, of it %.2f s in the queue; witness %.2f s, rest %.2f s\n",
                    number + 1, wall, (double)a->queue_wait_ms / 1e3, (double)a->synthesis_ms / 1e3,
                    (double)a->gpu_compute_ms / 1e3);
    } else {
        r->failed++;
        fprintf(stderr, "proof %u: %s: %s\n", number + 1, job_state_name(a->state), a->error);
    }
    pthread_mutex_unlock(&run->lock);
}

static void *ask_for_proofs(void *ctx)
{
    struct run *run = ctx;
    const struct bench *bench = run->bench;
    struct job_request request = bench->request;
    struct client *client = NULL;
    struct proving_answer *answer = mem_new(sizeof *answer);
    struct cuzk_error err = {0};
    enum cuzk_status st = proving_open(&client, &bench->place, &err);
    unsigned number;

    if (st == CUZK_OK && !answer)
        st = error_set(&err, CUZK_NO_MEMORY, "no memory for an answer");

    while (st == CUZK_OK && (number = atomic_fetch_add(&run->next, 1)) < bench->count) {
        double begin = clock_seconds();

        snprintf(request.request_id, sizeof request.request_id, "%.200s-%u", run->prefix, number);
        st = proving_prove(client, &request, bench->files, bench->n_files, answer, &err);
        if (st == CUZK_OK)
            note_answer(run, number, clock_seconds() - begin, answer);
    }
    if (st != CUZK_OK)
        note_failure(run, st, &err);
    client_close(client);
    mem_free(answer);
    return NULL;
}

/* ---- samples: another thread ----------------------------------------------------------------- */

struct sampling {
    struct run *run;
    double now, before;
};

/* Each of our jobs that runs now was at this stage since the sample before. */
static void take_job(void *ctx, const struct proving_job *job)
{
    struct sampling *sampling = ctx;
    struct run *run = sampling->run;
    size_t n = strlen(run->prefix);
    struct bench_span *span;
    void *at;

    if (job->state != JOB_RUNNING || strncmp(job->request_id, run->prefix, n) != 0)
        return;
    /* Longer spans are made of the samples at one stage. */
    span = (struct bench_span *)(void *)run->result->spans.region.base;
    for (size_t i = run->result->spans.used / sizeof *span; i-- > 0;)
        if (span[i].job == (unsigned)strtoul(job->request_id + n + 1, NULL, 10)) {
            if (strcmp(span[i].stage, job->stage) == 0) {
                span[i].end = sampling->now;
                return;
            }
            break;
        }
    if (grow_take(&run->result->spans, sizeof *span, &at, NULL) != CUZK_OK)
        return;
    span = at;
    *span = (struct bench_span){.job = (unsigned)strtoul(job->request_id + n + 1, NULL, 10),
                                .begin = sampling->before,
                                .end = sampling->now};
    memcpy(span->stage, job->stage, sizeof span->stage);
}

static enum cuzk_status take_sample(struct client *client, struct sampling *sampling,
                                    struct cuzk_error *err)
{
    struct run *run = sampling->run;
    struct bench_sample *sample;
    struct text metrics;
    void *at;

    TRY(proving_metrics(client, &metrics, err));
    sampling->now = clock_seconds() - run->begin;
    if (grow_take(&run->result->samples, sizeof *sample, &at, NULL) == CUZK_OK) {
        sample = at;
        *sample = (struct bench_sample){
            .time = sampling->now,
            .metered = proving_metric(metrics.bytes, "cuzk_memory_metered_bytes"),
            .reserved = proving_metric(metrics.bytes, "cuzk_memory_reserved_bytes"),
            .budget = proving_metric(metrics.bytes, "cuzk_memory_budget_bytes"),
        };
        if (sample->metered > run->result->peak_bytes)
            run->result->peak_bytes = sample->metered;
    }
    text_free(&metrics);
    TRY(proving_list(client, take_job, sampling, err));
    sampling->before = sampling->now;
    return CUZK_OK;
}

static void *take_samples(void *ctx)
{
    struct run *run = ctx;
    struct sampling sampling = {.run = run};
    const struct timespec pause = {.tv_nsec = SAMPLE_MS * 1000000};
    struct client *client = NULL;
    struct cuzk_error err = {0};
    enum cuzk_status st = proving_open(&client, &run->bench->place, &err);

    while (st == CUZK_OK && !atomic_load(&run->over)) {
        st = take_sample(client, &sampling, &err);
        nanosleep(&pause, NULL);
    }
    if (st != CUZK_OK)
        note_failure(run, st, &err);
    client_close(client);
    return NULL;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

double bench_quantile(const double *values, unsigned n, double part)
{
    unsigned at = (unsigned)(part * n);

    if ((double)at < part * n)
        at++;
    return n == 0 ? 0 : values[at > 0 ? at - 1 : 0];
}

/* Starts the threads and waits for them; returns how many asked for proofs. */
static unsigned run_threads(struct run *run)
{
    pthread_t threads[CONCURRENCY_MAX], sampler;
    unsigned n = 0, wanted = run->bench->concurrency;
    bool samples = pthread_create(&sampler, NULL, take_samples, run) == 0;

    while (n < wanted && n < CONCURRENCY_MAX && n < run->bench->count &&
           pthread_create(&threads[n], NULL, ask_for_proofs, run) == 0)
        n++;
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    run->result->seconds = clock_seconds() - run->begin;
    atomic_store(&run->over, true);
    if (samples)
        pthread_join(sampler, NULL);
    return n;
}

enum cuzk_status bench_run(const struct bench *bench, struct bench_result *result,
                           struct cuzk_error *err)
{
    struct run run = {.bench = bench, .result = result, .lock = PTHREAD_MUTEX_INITIALIZER};

    memset(result, 0, sizeof *result);
    grow_init(&result->samples, NULL, MEM_REQUEST, SAMPLES_BYTES);
    grow_init(&result->spans, NULL, MEM_REQUEST, SAMPLES_BYTES);
    result->wall = mem_new(bench->count * sizeof *result->wall);
    run.prove = mem_new(bench->count * sizeof *run.prove);
    if (!result->wall || !run.prove) {
        mem_free(run.prove);
        return error_set(err, CUZK_NO_MEMORY, "no memory for %u results", bench->count);
    }
    /* Ids of our own, so that no proof is one of an earlier run. */
    snprintf(run.prefix, sizeof run.prefix, "%.100s-%lx-%lx", bench->request.request_id,
             (unsigned long)(clock_unix_seconds() * 1e3), (unsigned long)getpid());
    run.begin = clock_seconds();
    if (run_threads(&run) == 0)
        run.status = error_set(&run.error, CUZK_IO, "no thread could be started");
    qsort(result->wall, result->done, sizeof *result->wall, compare);
    qsort(run.prove, result->done, sizeof *run.prove, compare);
    result->prove_median = bench_quantile(run.prove, result->done, 0.5);
    mem_free(run.prove);
    if (run.status != CUZK_OK)
        return error_set(err, run.status, "%s", run.error.message);
    return CUZK_OK;
}

void bench_result_done(struct bench_result *result)
{
    grow_done(&result->samples);
    grow_done(&result->spans);
    mem_free(result->wall);
    *result = (struct bench_result){0};
}
