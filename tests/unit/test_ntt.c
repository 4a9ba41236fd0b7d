/* Transforms against the definition, and the laws that hold for any size: of the portable kernels,
 * and of those in lanes where the processor has them. */
#include "support/testing.h"

#if defined(__x86_64__)
#include "backend/ifma/ifma_kernels.h"
#endif
#include "base/cpu.h"
#include "base/mem.h"
#include "base/pool.h"
#include "curve/curve.h"
#include "ntt/scalar_kernels.h"

static const struct curve *curves[] = {&curve_bls12_381, &curve_bn254, &curve_toy_bn,
                                       &curve_toy_bls12};
#define N_CURVES (sizeof curves / sizeof curves[0])

static const enum ntt_coset cosets[] = {NTT_SUBGROUP, NTT_COSET, NTT_ODD_COSET};

/* ---- a vector and a table ------------------------------------------------------------------- */

struct setting {
    const struct curve *curve;
    unsigned lg_n;
    uint64_t g;
    size_t n, bytes;
    struct region table;
};

static bool setting_init(struct setting *s, const struct curve *curve, unsigned lg_n, uint64_t g)
{
    *s = (struct setting){.curve = curve, .lg_n = lg_n, .g = g, .n = (size_t)1 << lg_n};
    s->bytes = s->n * curve->fr_bytes;
    assert_int_equal(
        region_map(&s->table, NULL, MEM_SCRATCH, curve->fr->ntt_table_bytes(lg_n), NULL), CUZK_OK);
    if (curve->fr->ntt_table_init(s->table.base, lg_n, g, NULL))
        return true;
    region_unmap(&s->table);
    return false;
}

static void setting_done(struct setting *s)
{
    region_unmap(&s->table);
}

static uint64_t *vector_new(const struct setting *s)
{
    uint64_t *v = mem_new(s->bytes);

    assert_non_null(v);
    return v;
}

static void scalar_load(struct scalar *out, const struct setting *s, const uint64_t *v, size_t i)
{
    *out = (struct scalar){{0}};
    memcpy(out, v + i * (s->curve->fr_bytes / 8), s->curve->fr_bytes);
}

static void scalar_store(uint64_t *v, const struct setting *s, size_t i, const struct scalar *x)
{
    memcpy(v + i * (s->curve->fr_bytes / 8), x, s->curve->fr_bytes);
}

static void random_scalar(struct scalar *out, const struct curve *curve, struct rng *rng)
{
    uint8_t wide[64];

    rng_bytes(rng, wide, sizeof wide);
    curve->fr_sample_ct(out, wide);
}

/* Random, with the values that carries and reductions stumble over among them. */
static uint64_t *random_vector(const struct setting *s, struct rng *rng)
{
    uint64_t *v = vector_new(s);
    const struct scalar zero = {{0}}, one = {{1}};

    for (size_t i = 0; i < s->n; i++) {
        struct scalar x;

        switch (rng_below(rng, 6)) {
        case 0: x = zero; break;
        case 1: s->curve->fr_sub(&x, &zero, &one); break;
        default: random_scalar(&x, s->curve, rng);
        }
        scalar_store(v, s, i, &x);
    }
    s->curve->fr->from_plain(v, v, s->n);
    return v;
}

/* ---- the definition ------------------------------------------------------------------------- */

static struct scalar coset_shift(const struct setting *s, enum ntt_coset coset)
{
    struct scalar shift = {{1}};
    const struct scalar g = {{s->g}};

    if (coset == NTT_COSET)
        shift = g;
    else if (coset == NTT_ODD_COSET && !s->curve->fr_root(&shift, s->g, s->lg_n + 1))
        s->curve->fr_mul(&shift, &g, &g);
    return shift;
}

/* values[i] = sum of coefficients[k] (shift root^i)^k, all plain. */
static void naive_transform(uint64_t *values, const struct setting *s, const uint64_t *coefficients,
                            enum ntt_coset coset)
{
    struct scalar root, x = coset_shift(s, coset);

    assert_true(s->curve->fr_root(&root, s->g, s->lg_n));
    for (size_t i = 0; i < s->n; i++) {
        struct scalar sum = {{0}}, c;

        for (size_t k = s->n; k-- > 0;) {
            scalar_load(&c, s, coefficients, k);
            s->curve->fr_mul(&sum, &sum, &x);
            s->curve->fr_add(&sum, &sum, &c);
        }
        scalar_store(values, s, i, &sum);
        s->curve->fr_mul(&x, &x, &root);
    }
}

static void assert_forward_is_definition(const struct setting *s, uint64_t *v, enum ntt_coset coset)
{
    const struct scalar_kernels *fr = s->curve->fr;
    uint64_t *plain = vector_new(s), *expected = vector_new(s);

    fr->to_plain(plain, v, s->n);
    naive_transform(expected, s, plain, coset);
    fr->ntt(v, s->table.base, NTT_FORWARD, coset, NULL);
    fr->to_plain(v, v, s->n);
    assert_memory_equal(v, expected, s->bytes);
    fr->from_plain(v, v, s->n);
    fr->ntt(v, s->table.base, NTT_INVERSE, coset, NULL);
    fr->to_plain(v, v, s->n);
    assert_memory_equal(v, plain, s->bytes);
    mem_free(plain);
    mem_free(expected);
}

static void test_ntt_is_the_definition_up_to_2_10(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_CURVES; c++)
        for (uint64_t g = 5; g <= 7; g += 2)
            for (unsigned lg_n = 0; lg_n <= 10; lg_n += lg_n < 6 ? 1 : 2) {
                struct setting s;

                if (!setting_init(&s, curves[c], lg_n, g))
                    continue;
                for (size_t i = 0; i < 3; i++) {
                    uint64_t *v = random_vector(&s, &rng);

                    assert_forward_is_definition(&s, v, cosets[i]);
                    mem_free(v);
                }
                setting_done(&s);
            }
}

/* Every vector that has one nonzero element, at every place and with every value: with linearity,
 * everything a transform of the toy fields can do. */
static void test_ntt_is_the_definition_on_all_toy_vectors(void **state)
{
    (void)state;
    for (size_t c = 2; c < N_CURVES; c++)
        for (unsigned lg_n = 0; lg_n <= curves[c]->two_adicity; lg_n++) {
            struct setting s;

            assert_true(setting_init(&s, curves[c], lg_n, curves[c]->fr_generator.w[0]));
            for (size_t place = 0; place < s.n; place++)
                for (uint64_t value = 0; value < curves[c]->fr_modulus.w[0];
                     value += 1 + value / 8) {
                    uint64_t *v = vector_new(&s);

                    v[place] = value;
                    curves[c]->fr->from_plain(v, v, s.n);
                    for (size_t i = 0; i < 3; i++) {
                        assert_forward_is_definition(&s, v, cosets[i]);
                        curves[c]->fr->from_plain(v, v, s.n);
                    }
                    mem_free(v);
                }
            setting_done(&s);
        }
}

static void test_ntt_refuses_domains_that_do_not_exist(void **state)
{
    struct setting s;

    (void)state;
    for (size_t c = 0; c < N_CURVES; c++) {
        unsigned too_large = curves[c]->two_adicity + 1;

        if (too_large > 28)
            too_large = 29; /* stated limit; do not map a table of 8 GiB to see it */
        s = (struct setting){.curve = curves[c]};
        assert_int_equal(region_map(&s.table, NULL, MEM_SCRATCH, 1 << 20, NULL), CUZK_OK);
        assert_false(curves[c]->fr->ntt_table_init(s.table.base, too_large,
                                                   curves[c]->fr_generator.w[0], NULL));
        assert_false(curves[c]->fr->ntt_table_init(s.table.base, 2, 4, NULL)); /* a square */
        region_unmap(&s.table);
    }
}

/* ---- laws, at sizes with one wide pass -------------------------------------------- */

static const unsigned law_sizes[] = {11, 12, 13, 15, 16};
#define N_LAW_SIZES (sizeof law_sizes / sizeof law_sizes[0])

static void test_ntt_inverse_undoes_forward(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < 2; c++)
        for (size_t k = 0; k < N_LAW_SIZES; k++) {
            struct setting s;

            assert_true(setting_init(&s, curves[c], law_sizes[k], k % 2 ? 5 : 7));
            for (size_t i = 0; i < 3; i++) {
                uint64_t *v = random_vector(&s, &rng), *before = vector_new(&s);

                memcpy(before, v, s.bytes);
                s.curve->fr->ntt(v, s.table.base, NTT_FORWARD, cosets[i], NULL);
                assert_memory_not_equal(v, before, s.bytes);
                s.curve->fr->ntt(v, s.table.base, NTT_INVERSE, cosets[i], NULL);
                assert_memory_equal(v, before, s.bytes);
                s.curve->fr->ntt(v, s.table.base, NTT_INVERSE, cosets[i], NULL);
                s.curve->fr->ntt(v, s.table.base, NTT_FORWARD, cosets[i], NULL);
                assert_memory_equal(v, before, s.bytes);
                mem_free(v);
                mem_free(before);
            }
            setting_done(&s);
        }
}

/* Places of a large transform against Horner's rule: all passes take part in each of them. */
static void test_ntt_values_are_values_of_the_polynomial(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t k = 0; k < N_LAW_SIZES; k++) {
        struct setting s;
        struct scalar root;

        assert_true(setting_init(&s, curves[k % 2], law_sizes[k], 7));
        assert_true(s.curve->fr_root(&root, 7, s.lg_n));
        for (size_t i = 0; i < 3; i++) {
            uint64_t *v = random_vector(&s, &rng), *plain = vector_new(&s);

            s.curve->fr->to_plain(plain, v, s.n);
            s.curve->fr->ntt(v, s.table.base, NTT_FORWARD, cosets[i], NULL);
            s.curve->fr->to_plain(v, v, s.n);
            for (unsigned probe = 0; probe < 8; probe++) {
                size_t place = probe == 0 ? 0 : probe == 1 ? s.n - 1 : (size_t)rng_below(&rng, s.n);
                struct scalar x, value = {{0}}, got, coefficient;
                const struct scalar shift = coset_shift(&s, cosets[i]);

                s.curve->fr_pow(&x, &root, place);
                s.curve->fr_mul(&x, &x, &shift);
                for (size_t j = s.n; j-- > 0;) {
                    scalar_load(&coefficient, &s, plain, j);
                    s.curve->fr_mul(&value, &value, &x);
                    s.curve->fr_add(&value, &value, &coefficient);
                }
                scalar_load(&got, &s, v, place);
                assert_memory_equal(&got, &value, sizeof got);
            }
            mem_free(v);
            mem_free(plain);
        }
        setting_done(&s);
    }
}

static void test_ntt_is_linear(void **state)
{
    struct rng rng;
    struct setting s;
    struct scalar factor;

    (void)state;
    rng_seed(&rng, test_seed());
    assert_true(setting_init(&s, curves[0], 14, 7));
    random_scalar(&factor, s.curve, &rng);
    uint64_t *a = random_vector(&s, &rng), *b = random_vector(&s, &rng), *sum = vector_new(&s);

    memcpy(sum, a, s.bytes);
    s.curve->fr->axpy(sum, &factor, b, s.n);
    s.curve->fr->ntt(sum, s.table.base, NTT_FORWARD, NTT_COSET, NULL);
    s.curve->fr->ntt(a, s.table.base, NTT_FORWARD, NTT_COSET, NULL);
    s.curve->fr->ntt(b, s.table.base, NTT_FORWARD, NTT_COSET, NULL);
    s.curve->fr->axpy(a, &factor, b, s.n);
    assert_memory_equal(a, sum, s.bytes);
    mem_free(a);
    mem_free(b);
    mem_free(sum);
    setting_done(&s);
}

static void test_ntt_parts_add_up(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned lg_n = 0; lg_n <= 14; lg_n++) {
        struct setting s;
        struct scalar n_inv = {{(uint64_t)1 << lg_n}};

        assert_true(setting_init(&s, curves[1], lg_n, 5));
        s.curve->fr_inv(&n_inv, &n_inv);
        const struct scalar_kernels *fr = s.curve->fr;
        uint64_t *whole = random_vector(&s, &rng), *parts = vector_new(&s),
                 *before = vector_new(&s);

        memcpy(parts, whole, s.bytes);
        memcpy(before, whole, s.bytes);
        fr->ntt(whole, s.table.base, NTT_FORWARD, NTT_SUBGROUP, NULL);
        fr->ntt_to_reversed(parts, s.table.base, NTT_FORWARD, NULL);
        fr->ntt_reverse(parts, s.table.base, NULL);
        assert_memory_equal(parts, whole, s.bytes);

        fr->ntt(whole, s.table.base, NTT_INVERSE, NTT_ODD_COSET, NULL);
        fr->ntt_to_reversed(parts, s.table.base, NTT_INVERSE, NULL);
        fr->ntt_shift(parts, s.table.base, NTT_INVERSE, NTT_ODD_COSET, &n_inv, NULL);
        fr->ntt_reverse(parts, s.table.base, NULL);
        assert_memory_equal(parts, whole, s.bytes);

        memcpy(parts, before, s.bytes);
        fr->ntt_reverse(parts, s.table.base, NULL);
        fr->ntt_from_reversed(parts, s.table.base, NTT_INVERSE, NULL);
        fr->ntt_to_reversed(parts, s.table.base, NTT_FORWARD, NULL);
        fr->ntt_shift(parts, s.table.base, NTT_INVERSE, NTT_SUBGROUP, &n_inv, NULL);
        fr->ntt_reverse(parts, s.table.base, NULL);
        assert_memory_equal(parts, before, s.bytes);
        mem_free(whole);
        mem_free(parts);
        mem_free(before);
        setting_done(&s);
    }
}

static void test_ntt_vanishing_is_shift_to_the_n_minus_one(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CURVES; c++)
        for (unsigned lg_n = 0; lg_n <= 5 && lg_n <= curves[c]->two_adicity; lg_n++) {
            struct setting s;
            const struct scalar one = {{1}};

            assert_true(setting_init(&s, curves[c], lg_n, curves[c]->fr_generator.w[0]));
            for (size_t i = 0; i < 3; i++) {
                struct scalar expected = coset_shift(&s, cosets[i]), got;

                s.curve->fr_pow(&expected, &expected, s.n);
                s.curve->fr_sub(&expected, &expected, &one);
                s.curve->fr->ntt_vanishing(&got, s.table.base, cosets[i]);
                assert_memory_equal(&got, &expected, sizeof got);
            }
            setting_done(&s);
        }
}

static void test_ntt_is_the_same_for_every_number_of_threads(void **state)
{
    struct rng rng;
    struct setting s;

    (void)state;
    rng_seed(&rng, test_seed());
    assert_true(setting_init(&s, curves[0], 15, 7));
    uint64_t *input = random_vector(&s, &rng), *expected = vector_new(&s), *v = vector_new(&s);

    memcpy(expected, input, s.bytes);
    s.curve->fr->ntt(expected, s.table.base, NTT_INVERSE, NTT_COSET, NULL);
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        struct pool *pool;
        struct region table;

        assert_int_equal(pool_new(&pool, n_threads, NULL), CUZK_OK);
        assert_int_equal(region_map(&table, NULL, MEM_SCRATCH, s.table.bytes, NULL), CUZK_OK);
        assert_true(s.curve->fr->ntt_table_init(table.base, s.lg_n, s.g, pool));
        memcpy(v, input, s.bytes);
        s.curve->fr->ntt(v, table.base, NTT_INVERSE, NTT_COSET, pool);
        assert_memory_equal(v, expected, s.bytes);
        region_unmap(&table);
        pool_free(pool);
    }
    mem_free(input);
    mem_free(expected);
    mem_free(v);
    setting_done(&s);
}

/* Two wide passes, and with CUZK_LONG indices beyond 32 bits of bytes: x^k transforms to the k-th
 * powers of the roots, and back. */
static void test_ntt_of_one_coefficient_at_large_sizes(void **state)
{
    const unsigned lg_n = test_long() ? 27 : 21;
    struct setting s;
    struct region vector;
    struct scalar root, value, got;
    const struct scalar one = {{1}}, zero = {{0}};
    const size_t n = (size_t)1 << lg_n, k = n - 3, step = n / 1021;

    (void)state;
    assert_true(setting_init(&s, curves[0], lg_n, 7));
    assert_int_equal(region_map(&vector, NULL, MEM_SCRATCH, s.bytes, NULL), CUZK_OK);
    uint64_t *v = (uint64_t *)vector.base;

    scalar_store(v, &s, k, &one);
    s.curve->fr->from_plain(v + 4 * k, v + 4 * k, 1);
    s.curve->fr->ntt(v, s.table.base, NTT_FORWARD, NTT_SUBGROUP, NULL);
    assert_true(s.curve->fr_root(&root, 7, lg_n));
    for (size_t i = 0; i < n; i += step) {
        uint64_t x[4];

        s.curve->fr->to_plain(x, v + 4 * i, 1);
        s.curve->fr_pow(&value, &root, (uint64_t)i * k % n);
        assert_memory_equal(x, &value, sizeof x);
    }
    s.curve->fr->ntt(v, s.table.base, NTT_INVERSE, NTT_SUBGROUP, NULL);
    s.curve->fr->to_plain(v + 4 * k, v + 4 * k, 1);
    scalar_load(&got, &s, v, k);
    assert_memory_equal(&got, &one, sizeof got);
    for (size_t i = 0; i < n; i += step) { /* k is n - 3, not a multiple of step */
        scalar_load(&got, &s, v, i);
        assert_memory_equal(&got, &zero, sizeof got);
    }
    region_unmap(&vector);
    setting_done(&s);
}

static int run(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ntt_is_the_definition_up_to_2_10),
        cmocka_unit_test(test_ntt_is_the_definition_on_all_toy_vectors),
        cmocka_unit_test(test_ntt_refuses_domains_that_do_not_exist),
        cmocka_unit_test(test_ntt_inverse_undoes_forward),
        cmocka_unit_test(test_ntt_values_are_values_of_the_polynomial),
        cmocka_unit_test(test_ntt_is_linear),
        cmocka_unit_test(test_ntt_parts_add_up),
        cmocka_unit_test(test_ntt_vanishing_is_shift_to_the_n_minus_one),
        cmocka_unit_test(test_ntt_is_the_same_for_every_number_of_threads),
        cmocka_unit_test(test_ntt_of_one_coefficient_at_large_sizes),
    };

    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void)
{
    int failed = run("ntt");

#if defined(__x86_64__)
    if (cpu_features()->avx512_ifma) {
        for (size_t c = 0; c < N_CURVES; c++)
            curves[c] = ifma_curve(curves[c]);
        failed += run("ntt in lanes");
    }
#endif
    return failed;
}
