/* One group of one curve, seen at run time, and points whose logarithms are known: a sum of
 * products of them is one multiple of the generator, which scalar arithmetic finds without any
 * curve. */
#ifndef SUPPORT_GROUP_CASE_H
#define SUPPORT_GROUP_CASE_H

#include "base/rng.h"
#include "curve/curve.h"
#include "msm/group_kernels.h"

struct group_case {
    const char *name; /* "bls12_381 g1" */
    const struct curve *curve;
    const struct group_kernels *kernels;
    bool second; /* g2 */
};

/* A plain point of either group. */
struct any_point {
    union {
        struct g1_point g1;
        struct g2_point g2;
        uint64_t w[24];
    } u;
};

#define GROUP_CASES 16
/* All groups of all curves, with the portable kernels and, where they can run, with the lanes';
 * the first `n_large` are those of the real curves. Returns how many. */
size_t group_cases(struct group_case cases[GROUP_CASES], size_t *n_large);

void group_add(const struct group_case *group, struct any_point *out, const struct any_point *a,
               const struct any_point *b);
void group_neg(const struct group_case *group, struct any_point *out, const struct any_point *a);
void group_mul(const struct group_case *group, struct any_point *out, const struct any_point *a,
               const struct scalar *k);
/* k times the generator; infinity (zeros) for 0. */
void group_power(const struct group_case *group, struct any_point *out, const struct scalar *k);

/* n points as packed plain elements, with their logarithms. */
struct known_points {
    const struct group_case *group;
    size_t n;
    uint8_t *plain;
    struct scalar *log;
};
/* first + i * step, both random and not zero. */
void known_points_new(struct known_points *points, const struct group_case *group, size_t n,
                      struct rng *rng);
void known_points_free(struct known_points *points);
void known_points_set(struct known_points *points, size_t i, const struct scalar *log);
/* The sum of scalars[i] times point index[i] (index NULL: i), by logarithms. */
void known_points_sum(const struct known_points *points, const uint32_t *index,
                      const struct scalar *scalars, size_t n, struct any_point *out);

void scalar_random(const struct curve *curve, struct scalar *out, struct rng *rng);
struct scalar scalar_from(const struct curve *curve, int64_t k); /* k mod r */
/* n scalars as packed elements; for free(). */
uint64_t *scalars_pack(const struct curve *curve, const struct scalar *scalars, size_t n);

#endif
