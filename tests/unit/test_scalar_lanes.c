/* The bulk operations on scalars in lanes against the portable ones: the same words, always. */
#include "support/testing.h"

#include "backend/ifma/ifma_kernels.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "base/pool.h"
#include "curve/curve.h"
#include "ntt/scalar_kernels.h"

static const struct curve *const curves[] = {&curve_bls12_381, &curve_bn254, &curve_toy_bn,
                                             &curve_toy_bls12};
#define N_CURVES (sizeof curves / sizeof *curves)
#define N_LARGE 2 /* of them: with lanes for scalars */

static const enum ntt_coset cosets[] = {NTT_SUBGROUP, NTT_COSET, NTT_ODD_COSET};

/* ---- arrays ---------------------------------------------------------------------------------- */

/* n native elements; mem_free ends them. Words that carries and reductions stumble over, as native
 * and as plain numbers: 0, 1, r - 1, limbs of all ones (a limb of lanes has 52 bits). */
static uint64_t *edge_array(const struct curve *curve, size_t n, struct rng *rng)
{
    const size_t words = curve->fr_bytes / 8;
    uint64_t *a = mem_new(n * curve->fr_bytes + 64); /* some of them are empty */

    assert_non_null(a);
    for (size_t i = 0; i < n; i++) {
        struct scalar x = {{0}};
        const struct scalar one = {{1}};

        switch (rng_below(rng, 8)) {
        case 0: break;
        case 1: x = one; break;
        case 2: curve->fr_sub(&x, &x, &one); break;
        case 3:
            do {
                rng_bytes(rng, &x, curve->fr_bytes);
                for (unsigned bit = 0; bit < curve->fr_bits; bit++)
                    if (rng_below(rng, 52) < 40)
                        x.w[bit / 64] |= UINT64_C(1) << (bit % 64);
                x.w[words - 1] &= UINT64_MAX >> (64 * words - curve->fr_bits);
                if (rng_below(rng, 4) == 0)
                    x.w[words - 1] = curve->fr_modulus.w[words - 1];
                if (rng_below(rng, 4) == 0)
                    x.w[0] = 0;
                if (words > 1 && rng_below(rng, 2) == 0)
                    x.w[words - 1] = rng_below(rng, curve->fr_modulus.w[words - 1]);
            } while (!curve->fr_is_reduced(&x));
            break;
        default: {
            uint8_t wide[64];

            rng_bytes(rng, wide, sizeof wide);
            curve->fr_sample_ct(&x, wide);
        }
        }
        memcpy(a + i * words, &x, curve->fr_bytes);
    }
    return a;
}

static uint64_t *copy(const struct curve *curve, const uint64_t *a, size_t n)
{
    uint64_t *out = mem_new(n * curve->fr_bytes + 64);

    assert_non_null(out);
    memcpy(out, a, n * curve->fr_bytes);
    return out;
}

/* n in [0, 70], and some that end in the middle of every group of vectors */
static size_t array_size(size_t i)
{
    return i <= 70 ? i : 70 + 37 * (i - 70);
}

enum operation { ADD, SUB, MUL, SCALE, AXPY, POWERS, FROM_PLAIN, TO_PLAIN, N_OPERATIONS };

static void run_operation(const struct scalar_kernels *fr, enum operation what, uint64_t *out,
                          const uint64_t *a, const uint64_t *b, const struct scalar factor[2],
                          size_t n)
{
    switch (what) {
    case ADD: fr->add(out, a, b, n); break;
    case SUB: fr->sub(out, a, b, n); break;
    case MUL: fr->mul(out, a, b, n); break;
    case SCALE: fr->scale(out, a, &factor[0], n); break;
    case AXPY: fr->axpy(out, &factor[0], a, n); break;
    case POWERS: fr->powers(out, &factor[0], &factor[1], n); break;
    case FROM_PLAIN: fr->from_plain(out, a, n); break;
    case TO_PLAIN: fr->to_plain(out, a, n); break;
    case N_OPERATIONS: break;
    }
}

/* into: 0 a place of its own, 1 the first operand, 2 the second, 3 both operands are one */
static void check_operation(const struct curve *curve, enum operation what, size_t n, int into,
                            struct rng *rng)
{
    uint64_t *a[2], *b[2], *out[2];
    struct scalar factor[2] = {{{0}}, {{0}}};
    uint64_t *f = edge_array(curve, 2, rng);

    for (int i = 0; i < 2; i++)
        memcpy(&factor[i], f + i * (int)(curve->fr_bytes / 8), curve->fr_bytes);
    a[0] = edge_array(curve, n, rng);
    b[0] = edge_array(curve, n, rng);
    out[0] = edge_array(curve, n, rng);
    a[1] = copy(curve, a[0], n);
    b[1] = copy(curve, b[0], n);
    out[1] = copy(curve, out[0], n);
    for (int lanes = 0; lanes < 2; lanes++) {
        uint64_t *o = into == 1 || into == 3 ? a[lanes] : into == 2 ? b[lanes] : out[lanes];

        run_operation(lanes ? ifma_curve(curve)->fr : curve->fr, what, o, a[lanes],
                      into == 3 ? a[lanes] : b[lanes], factor, n);
    }
    assert_memory_equal(a[0], a[1], n * curve->fr_bytes);
    assert_memory_equal(b[0], b[1], n * curve->fr_bytes);
    assert_memory_equal(out[0], out[1], n * curve->fr_bytes);
    for (int i = 0; i < 2; i++) {
        mem_free(a[i]);
        mem_free(b[i]);
        mem_free(out[i]);
    }
    mem_free(f);
}

static void test_arrays_are_those_of_portable_c(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_CURVES; c++)
        for (enum operation what = ADD; what < N_OPERATIONS; what++)
            for (size_t i = 0; i < 90; i++)
                for (int into = 0; into < 4; into++)
                    check_operation(curves[c], what, array_size(i), into, &rng);
}

/* ---- transforms ------------------------------------------------------------------------------ */

struct pair {
    const struct curve *curve;
    const struct scalar_kernels *fr[2]; /* portable, lanes */
    unsigned lg_n;
    size_t n;
    struct region table[2];
    struct pool *pool;
};

static bool pair_open(struct pair *p, const struct curve *curve, unsigned lg_n, uint64_t g,
                      unsigned n_threads)
{
    *p = (struct pair){.curve = curve, .lg_n = lg_n, .n = (size_t)1 << lg_n};
    p->fr[0] = curve->fr;
    p->fr[1] = ifma_curve(curve)->fr;
    if (lg_n > curve->two_adicity)
        return false;
    if (n_threads > 1)
        assert_int_equal(pool_new(&p->pool, n_threads, NULL), CUZK_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            region_map(&p->table[i], NULL, MEM_SCRATCH, p->fr[i]->ntt_table_bytes(lg_n), NULL),
            CUZK_OK);
        assert_true(p->fr[i]->ntt_table_init(p->table[i].base, lg_n, g, p->pool));
    }
    return true;
}

static void pair_close(struct pair *p)
{
    for (int i = 0; i < 2; i++)
        region_unmap(&p->table[i]);
    pool_free(p->pool);
}

/* Places where an operation has written something else than the portable one. */
static void expect_same(const struct pair *p, const uint64_t *portable, const uint64_t *lanes,
                        const char *what)
{
    const size_t words = p->curve->fr_bytes / 8;

    for (size_t i = 0; i < p->n * words; i++)
        if (portable[i] != lanes[i])
            fail_msg("%s of 2^%u, %s: element %zu differs", what, p->lg_n, p->curve->name,
                     i / words);
}

static void check_one(struct pair *p, uint64_t *v[2], enum ntt_direction direction,
                      enum ntt_coset coset)
{
    for (int i = 0; i < 2; i++)
        p->fr[i]->ntt(v[i], p->table[i].base, direction, coset, p->pool);
    expect_same(p, v[0], v[1], "ntt");
}

static void check_move(struct pair *p, uint64_t *v[2], enum ntt_coset coset)
{
    for (int i = 0; i < 2; i++)
        p->fr[i]->ntt_move(v[i], p->table[i].base, coset, p->pool);
    expect_same(p, v[0], v[1], "ntt_move");
}

static void check_shift(struct pair *p, uint64_t *v[2], enum ntt_direction direction,
                        enum ntt_coset coset, const struct scalar *factor)
{
    for (int i = 0; i < 2; i++)
        p->fr[i]->ntt_shift(v[i], p->table[i].base, direction, coset, factor, p->pool);
    expect_same(p, v[0], v[1], "ntt_shift");
}

static void check_parts(struct pair *p, uint64_t *v[2], enum ntt_direction direction)
{
    for (int i = 0; i < 2; i++)
        p->fr[i]->ntt_to_reversed(v[i], p->table[i].base, direction, p->pool);
    expect_same(p, v[0], v[1], "ntt_to_reversed");
    for (int i = 0; i < 2; i++)
        p->fr[i]->ntt_reverse(v[i], p->table[i].base, p->pool);
    expect_same(p, v[0], v[1], "ntt_reverse");
    for (int i = 0; i < 2; i++)
        p->fr[i]->ntt_from_reversed(v[i], p->table[i].base, direction, p->pool);
    expect_same(p, v[0], v[1], "ntt_from_reversed");
}

static void check_transforms(struct pair *p, struct rng *rng)
{
    const bool is_large = p->lg_n > 13;
    struct scalar factor, vanishing[2];
    uint8_t wide[64];
    uint64_t *v[2];

    rng_bytes(rng, wide, sizeof wide);
    p->curve->fr_sample_ct(&factor, wide);
    v[0] = edge_array(p->curve, p->n, rng);
    v[1] = copy(p->curve, v[0], p->n);
    if (is_large) {
        check_one(p, v, NTT_INVERSE, NTT_ODD_COSET);
        check_one(p, v, NTT_FORWARD, NTT_COSET);
        check_shift(p, v, NTT_INVERSE, NTT_COSET, &factor);
        check_move(p, v, NTT_COSET);
    }
    for (int i = 0; !is_large && i < 2; i++) {
        const enum ntt_direction direction = i ? NTT_INVERSE : NTT_FORWARD;

        check_parts(p, v, direction);
        for (int c = 0; c < 3; c++) {
            check_one(p, v, direction, cosets[c]);
            check_shift(p, v, direction, cosets[c], c == 1 ? NULL : &factor);
        }
    }
    for (int c = 0; c < 3; c++) {
        if (c && !is_large)
            check_move(p, v, cosets[c]);
        for (int i = 0; i < 2; i++)
            p->fr[i]->ntt_vanishing(&vanishing[i], p->table[i].base, cosets[c]);
        assert_memory_equal(&vanishing[0], &vanishing[1], sizeof vanishing[0]);
    }
    mem_free(v[0]);
    mem_free(v[1]);
}

/* Of all shapes: portable, two levels, and from 2^21 three. */
static void test_transforms_are_those_of_portable_c(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_CURVES; c++)
        for (unsigned lg_n = 0; lg_n <= 21; lg_n += lg_n < 13 ? 1 : 4)
            for (uint64_t g = 5; g <= 7; g += 2) {
                struct scalar root;
                struct pair p;

                if (!curves[c]->fr_root(&root, g, lg_n) || (lg_n > 13 && (g == 5) == (c == 0)))
                    continue;
                assert_true(pair_open(&p, curves[c], lg_n, g, 1 + lg_n % 2));
                check_transforms(&p, &rng);
                pair_close(&p);
            }
}

/* Vectors of one value: what is not multiplied grows the most where all signs agree. */
static void test_transforms_keep_their_bounds(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_LARGE; c++)
        for (unsigned lg_n = 6; lg_n <= 15; lg_n++)
            for (int kind = 0; kind < 4; kind++) {
                const struct curve *curve = curves[c];
                const struct scalar one = {{1}};
                struct scalar x = {{0}};
                struct pair p;
                uint64_t *v[2];

                assert_true(pair_open(&p, curve, lg_n, 5, 1));
                curve->fr_sub(&x, &x, &one);
                v[0] = edge_array(curve, p.n, &rng);
                for (size_t i = 0; i < p.n; i++)
                    memcpy(v[0] + 4 * i, kind % 2 && i % 2 ? &one : &x, 32);
                if (kind / 2)
                    curve->fr->from_plain(v[0], v[0], p.n);
                v[1] = copy(curve, v[0], p.n);
                for (int i = 0; i < 2; i++) {
                    p.fr[i]->ntt_to_reversed(v[i], p.table[i].base, NTT_FORWARD, NULL);
                    p.fr[i]->ntt_from_reversed(v[i], p.table[i].base, NTT_FORWARD, NULL);
                    p.fr[i]->ntt_move(v[i], p.table[i].base, NTT_COSET, NULL);
                }
                expect_same(&p, v[0], v[1], "transforms of one value");
                mem_free(v[0]);
                mem_free(v[1]);
                pair_close(&p);
            }
}

static void test_transforms_are_the_same_for_every_number_of_threads(void **state)
{
    static const unsigned n_threads[] = {1, 2, 3, 64};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_LARGE; c++)
        for (size_t i = 0; i < sizeof n_threads / sizeof *n_threads; i++) {
            struct pair p;

            assert_true(pair_open(&p, curves[c], 13, 7 - 2 * (uint64_t)c, n_threads[i]));
            check_transforms(&p, &rng);
            pair_close(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_are_those_of_portable_c),
        cmocka_unit_test(test_transforms_are_those_of_portable_c),
        cmocka_unit_test(test_transforms_keep_their_bounds),
        cmocka_unit_test(test_transforms_are_the_same_for_every_number_of_threads),
    };

    if (!cpu_features()->avx512_ifma) {
        printf("SKIP: this processor has no AVX-512 IFMA\n");
        return 0;
    }
    return cmocka_run_group_tests_name("scalars in lanes", tests, NULL, NULL);
}
