#include "support/group_case.h"

#if defined(__x86_64__)
#include "backend/ifma/ifma_kernels.h"
#endif
#include "base/cpu.h"
#include "support/testing.h"

/* Both groups of a curve; returns where the next goes. */
static size_t add_curve(struct group_case *cases, size_t n, const struct curve *curve,
                        const char *how)
{
    static char names[GROUP_CASES][32];

    for (int second = 0; second < 2; second++, n++) {
        snprintf(names[n], sizeof names[n], "%s g%d%s", curve->name, second + 1, how);
        cases[n] = (struct group_case){.name = names[n],
                                       .curve = curve,
                                       .kernels = second ? curve->g2 : curve->g1,
                                       .second = second};
    }
    return n;
}

size_t group_cases(struct group_case cases[GROUP_CASES], size_t *n_large)
{
    static const struct curve *const curves[] = {&curve_bls12_381, &curve_bn254, &curve_toy_bn,
                                                 &curve_toy_bls12};
    size_t n = 0;

    for (size_t i = 0; i < 4; i++) {
        n = add_curve(cases, n, curves[i], "");
#if defined(__x86_64__)
        if (cpu_features()->avx512_ifma)
            n = add_curve(cases, n, ifma_curve(curves[i]), " in lanes");
#endif
        if (i == 1)
            *n_large = n;
    }
    return n;
}

void group_add(const struct group_case *group, struct any_point *out, const struct any_point *a,
               const struct any_point *b)
{
    if (group->second)
        group->curve->g2_add(&out->u.g2, &a->u.g2, &b->u.g2);
    else
        group->curve->g1_add(&out->u.g1, &a->u.g1, &b->u.g1);
}

void group_neg(const struct group_case *group, struct any_point *out, const struct any_point *a)
{
    if (group->second)
        group->curve->g2_neg(&out->u.g2, &a->u.g2);
    else
        group->curve->g1_neg(&out->u.g1, &a->u.g1);
}

void group_mul(const struct group_case *group, struct any_point *out, const struct any_point *a,
               const struct scalar *k)
{
    if (group->second)
        group->curve->g2_mul(&out->u.g2, &a->u.g2, k);
    else
        group->curve->g1_mul(&out->u.g1, &a->u.g1, k);
}

void group_power(const struct group_case *group, struct any_point *out, const struct scalar *k)
{
    struct any_point generator = {.u = {.w = {0}}};

    if (group->second)
        generator.u.g2 = group->curve->g2_generator;
    else
        generator.u.g1 = group->curve->g1_generator;
    memset(out, 0, sizeof *out);
    group_mul(group, out, &generator, k);
}

void known_points_set(struct known_points *points, size_t i, const struct scalar *log)
{
    const size_t bytes = points->group->kernels->point_bytes;
    struct any_point point;

    group_power(points->group, &point, log);
    memcpy(points->plain + i * bytes, &point, bytes);
    points->log[i] = *log;
}

void known_points_new(struct known_points *points, const struct group_case *group, size_t n,
                      struct rng *rng)
{
    const size_t bytes = group->kernels->point_bytes;
    struct scalar log = {{0}}, step = {{0}};
    struct any_point point, difference;

    *points = (struct known_points){.group = group,
                                    .n = n,
                                    .plain = malloc(n * bytes + 1),
                                    .log = malloc(n * sizeof *points->log + 1)};
    assert_non_null(points->plain);
    assert_non_null(points->log);
    scalar_random(group->curve, &log, rng);
    scalar_random(group->curve, &step, rng);
    group_power(group, &point, &log);
    group_power(group, &difference, &step);
    for (size_t i = 0; i < n; i++) {
        memcpy(points->plain + i * bytes, &point, bytes);
        points->log[i] = log;
        group_add(group, &point, &point, &difference);
        group->curve->fr_add(&log, &log, &step);
    }
}

void known_points_free(struct known_points *points)
{
    free(points->plain);
    free(points->log);
}

void known_points_sum(const struct known_points *points, const uint32_t *index,
                      const struct scalar *scalars, size_t n, struct any_point *out)
{
    const struct curve *curve = points->group->curve;
    struct scalar sum = {{0}};

    for (size_t i = 0; i < n; i++) {
        struct scalar product;

        curve->fr_mul(&product, &scalars[i], &points->log[index ? index[i] : i]);
        curve->fr_add(&sum, &sum, &product);
    }
    group_power(points->group, out, &sum);
}

void scalar_random(const struct curve *curve, struct scalar *out, struct rng *rng)
{
    do {
        memset(out, 0, sizeof *out);
        rng_bytes(rng, out, curve->fr_bytes);
        if (curve->fr_bits % 64 != 0)
            out->w[curve->fr_bytes / 8 - 1] &= (UINT64_C(1) << curve->fr_bits % 64) - 1;
    } while (!curve->fr_is_reduced(out));
}

struct scalar scalar_from(const struct curve *curve, int64_t k)
{
    struct scalar magnitude = {{(uint64_t)(k < 0 ? -k : k)}}, zero = {{0}};

    if (curve->fr_bytes == 8)
        magnitude.w[0] %= curve->fr_modulus.w[0];
    if (k < 0)
        curve->fr_sub(&magnitude, &zero, &magnitude);
    return magnitude;
}

uint64_t *scalars_pack(const struct curve *curve, const struct scalar *scalars, size_t n)
{
    uint8_t *packed = malloc(n * curve->fr_bytes + 1);

    assert_non_null(packed);
    for (size_t i = 0; i < n; i++)
        memcpy(packed + i * curve->fr_bytes, &scalars[i], curve->fr_bytes);
    return (uint64_t *)packed;
}
