/* Measuring ours beside a peer: both are run in turn in one process, so that a busy machine slows
 * both. The figures printed are the shortest runs; the medians follow.
 *
 *   WHAT CURVE GROUP SIZE THREADS ours X UNIT PEER Y UNIT R.RRx  (median X Y)      R = peer / ours
 *
 * What there is of these follows: "; NAME Y UNIT published" (a figure of another machine that no
 * run of ours repeats) and "; to reach G UNIT" or "; to reach G x", the goal for the shortest run
 * or for R.
 *
 * CUZK_BENCH_SMOKE=1 asks for two runs of a small case: does it still work? CUZK_BENCH_CLOCK=cpu counts
 * the processor time of the process instead of the clock on the wall: for lines of one thread on a
 * machine that does other things. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

enum { BENCH_ROUNDS_MAX = 101 };

typedef void bench_fn(void *ctx);

struct bench {
    const char *title; /* "msm BLS12-381 G1 2^16 1" */
    int rounds;
    double units_per_second; /* 1e3 for ms; 1e9 / n for the ns of one of n repetitions */
    const char *unit;        /* "ms" */
    bench_fn *ours;
    void *ours_ctx;
    const char *peer; /* its name; NULL: none, or not here */
    bench_fn *peer_fn;
    void *peer_ctx;
    const char *published; /* "gnark 1660 ms"; NULL: none */
    double goal;           /* 0: none */
    bool goal_is_ratio;
};

/* A benchmark that cannot go on ends. */
static inline void bench_must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK) {
        fprintf(stderr, "%s\n", err->message);
        exit((int)status);
    }
}

/* Never NULL; a vector may be read behind its end. */
static inline void *bench_memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 127) & ~(size_t)63);

    if (!p) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(CUZK_NO_MEMORY);
    }
    return p;
}

static inline bool bench_smoke(void)
{
    const char *text = getenv("CUZK_BENCH_SMOKE");

    return text && strcmp(text, "1") == 0;
}

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static inline double bench_clock(void)
{
    const char *text = getenv("CUZK_BENCH_CLOCK");

    return text && strcmp(text, "cpu") == 0 ? clock_cpu_seconds() : clock_seconds();
}

static inline double bench_time(bench_fn *f, void *ctx)
{
    const double begin = bench_clock();

    f(ctx);
    return bench_clock() - begin;
}

/* Runs and prints the line. */
static inline void bench_run(const struct bench *bench)
{
    double ours[BENCH_ROUNDS_MAX], peer[BENCH_ROUNDS_MAX];
    const int rounds = bench_smoke() ? 2 : bench->rounds;

    for (int i = 0; i < rounds; i++) {
        ours[i] = bench_time(bench->ours, bench->ours_ctx) * bench->units_per_second;
        if (bench->peer)
            peer[i] = bench_time(bench->peer_fn, bench->peer_ctx) * bench->units_per_second;
    }
    qsort(ours, (size_t)rounds, sizeof *ours, bench_compare);
    printf("%s ours %.4g %s", bench->title, ours[0], bench->unit);
    if (bench->peer) {
        qsort(peer, (size_t)rounds, sizeof *peer, bench_compare);
        printf(" %s %.4g %s %.2fx  (median %.4g %.4g)", bench->peer, peer[0], bench->unit,
               peer[0] / ours[0], ours[rounds / 2], peer[rounds / 2]);
    } else {
        printf("  (median %.4g)", ours[rounds / 2]);
    }
    if (bench->published)
        printf("; %s published", bench->published);
    if (bench->goal > 0)
        printf("; to reach %.4g %s", bench->goal, bench->goal_is_ratio ? "x" : bench->unit);
    printf("\n");
    fflush(stdout);
}

/* The same work by two threads and by one, in ms. */
static inline void bench_second_thread(const char *title, int rounds, bench_fn *work, void *by_two,
                                       void *by_one)
{
    bench_run(&(struct bench){.title = title,
                              .rounds = rounds,
                              .units_per_second = 1e3,
                              .unit = "ms",
                              .ours = work,
                              .ours_ctx = by_two,
                              .peer = "one-thread",
                              .peer_fn = work,
                              .peer_ctx = by_one,
                              .goal = 1.9,
                              .goal_is_ratio = true});
}

#endif
