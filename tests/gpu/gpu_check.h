/* What the tests for a GPU machine share: a runner without dependencies, and random values.
 *
 * A test is a function that returns the number of things it found wrong; it runs on both curves,
 * `curve` saying which, unless it is of one only. The seed is printed; the environment's CUZK_SEED
 * overrides it. */
#ifndef GPU_GPU_CHECK_H
#define GPU_GPU_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/cuda/cuda_backend.h"
#include "base/mem.h"
#include "base/pool.h"

static const struct curve *curve = &curve_bls12_381;

static uint64_t gpu_random_state;

/* splitmix64 */
static inline uint64_t gpu_random(void)
{
    uint64_t z = gpu_random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline void gpu_seed(void)
{
    const char *seed = getenv("CUZK_SEED");

    gpu_random_state = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
    printf("seed %" PRIu64 "\n", gpu_random_state);
}

/* Stops the program with the sentence: for what is no test's subject. */
static inline void gpu_must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status == CUZK_OK)
        return;
    printf("FATAL %s: %s\n", cuzk_status_name(status), err->message);
    exit(2);
}

/* n scalars below the modulus. kind 0: random; 1: a fifth of them 0 or 1; 2: 0, 1, 2, r-2, r-1 only
 */
static inline void gpu_random_scalars(struct scalar *out, size_t n, int kind)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t pick = gpu_random();

        for (int k = 0; k < 4; k++)
            out[i].w[k] = gpu_random();
        out[i].w[3] &= ~(uint64_t)0 >> (256 - curve->fr_bits);
        if (!curve->fr_is_reduced(&out[i]))
            out[i].w[3] = 0;
        if (kind == 1 && pick % 5 == 0)
            out[i] = (struct scalar){{pick >> 40 & 1}};
        if (kind == 2) {
            const struct scalar small = {{pick % 5 < 3 ? pick % 5 : pick % 5 - 2}};

            out[i] = small;
            if (pick % 5 >= 3)
                curve->fr_sub(&out[i], &(struct scalar){{0}}, &small);
        }
    }
}

struct gpu_test {
    const char *name;
    int (*run)(void);
    bool once; /* on BLS12-381 only: it has a Filecoin circuit, or takes long */
};

static inline double gpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Does "curve name" contain every argument? */
static inline bool gpu_is_asked_for(const char *name, int argc, char **argv)
{
    char full[160];

    snprintf(full, sizeof full, "%s %s", curve->name, name);
    for (int i = 1; i < argc; i++)
        if (!strstr(full, argv[i]))
            return false;
    return true;
}

/* Runs those that are asked for (all without arguments); the exit status. */
static inline int gpu_run(const struct gpu_test *tests, size_t n, int argc, char **argv)
{
    static const struct curve *const curves[] = {&curve_bls12_381, &curve_bn254};
    int passed = 0, failed = 0;

    gpu_seed();
    for (size_t i = 0; i < 2 * n; i++) {
        const struct gpu_test *test = &tests[i % n];
        double start = gpu_seconds();
        int wrong;

        curve = curves[i / n];
        if ((test->once && i >= n) || !gpu_is_asked_for(test->name, argc, argv))
            continue;
        wrong = test->run();
        printf("%s %s %s (%.2f s)%s\n", wrong ? "FAILED" : "ok    ", curve->name, test->name,
               gpu_seconds() - start, wrong ? "  <<<<<<<<" : "");
        fflush(stdout);
        passed += !wrong;
        failed += !!wrong;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}

#endif
