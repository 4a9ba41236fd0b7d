/* The bulk kernels of Poseidon, portable and in lanes: over every field, for every width, with any
 * constants, they give what the definition gives, value by value of the trace. */
#include "support/testing.h"

#include "backend/host.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "ntt/scalar_kernels.h"

enum { HASHES_MAX = 19, PREIMAGE_MAX = HASHES_MAX * (POSEIDON_WIDTH_MAX - 1), TRACE_MAX = 700 };

/* A permutation with constants of its own, plain and native, and hashes to make. */
struct setting {
    const struct curve *curve;
    struct poseidon_rounds rounds;
    struct scalar constants[POSEIDON_ELEMENTS_MAX], preimages[PREIMAGE_MAX];
    uint64_t native_constants[4 * POSEIDON_ELEMENTS_MAX], native_preimages[4 * PREIMAGE_MAX];
};

/* Often 0, 1 or r - 1. */
static void any_scalar(struct scalar *out, const struct curve *curve, struct rng *rng)
{
    const struct scalar zero = {{0}}, one = {{1}};
    uint8_t wide[64];

    switch (rng_below(rng, 6)) {
    case 0: *out = zero; break;
    case 1: *out = one; break;
    case 2: curve->fr_sub(out, &zero, &one); break;
    default: rng_bytes(rng, wide, sizeof wide); curve->fr_sample_ct(out, wide);
    }
}

static void to_native(uint64_t *out, const struct curve *curve, const struct scalar *plain,
                      size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy((char *)out + i * curve->fr_bytes, &plain[i], curve->fr_bytes);
    curve->fr->from_plain(out, out, n);
}

/* extreme: everything is r - 1, which makes the largest sums. */
static void setting_init(struct setting *s, const struct curve *curve, unsigned width, bool extreme,
                         struct rng *rng)
{
    const struct scalar zero = {{0}}, one = {{1}};

    s->curve = curve;
    s->rounds = (struct poseidon_rounds){.width = width,
                                         .half = 1 + (unsigned)rng_below(rng, POSEIDON_HALF_MAX),
                                         .partial = (unsigned)rng_below(rng, 20),
                                         .elements = s->native_constants};
    for (size_t i = 0; i < POSEIDON_ELEMENTS_MAX; i++)
        any_scalar(&s->constants[i], curve, rng);
    for (size_t i = 0; i < PREIMAGE_MAX; i++)
        any_scalar(&s->preimages[i], curve, rng);
    for (size_t i = 0; extreme && i < POSEIDON_ELEMENTS_MAX; i++)
        curve->fr_sub(&s->constants[i], &zero, &one);
    for (size_t i = 0; extreme && i < PREIMAGE_MAX; i++)
        curve->fr_sub(&s->preimages[i], &zero, &one);
    to_native(s->native_constants, curve, s->constants, POSEIDON_ELEMENTS_MAX);
    to_native(s->native_preimages, curve, s->preimages, PREIMAGE_MAX);
}

/* ---- the definition ------------------------------------------------------------------------- */

struct definition {
    const struct curve *curve;
    const struct scalar *next; /* constant */
    struct scalar state[POSEIDON_WIDTH_MAX], trace[TRACE_MAX];
    unsigned width, n_trace;
};

static void s_box(struct definition *d, unsigned i, bool itself, bool rest)
{
    struct scalar x = d->state[i], square, fourth, sum;

    d->curve->fr_mul(&square, &x, &x);
    d->curve->fr_mul(&fourth, &square, &square);
    d->curve->fr_mul(&sum, &fourth, &x);
    d->curve->fr_add(&sum, &sum, d->next++);
    if (itself)
        d->trace[d->n_trace++] = x;
    if (rest) {
        d->trace[d->n_trace++] = square;
        d->trace[d->n_trace++] = fourth;
        d->trace[d->n_trace++] = sum;
    }
    d->state[i] = sum;
}

static void add_product(struct definition *d, struct scalar *sum, const struct scalar *a,
                        const struct scalar *b)
{
    struct scalar product;

    d->curve->fr_mul(&product, a, b);
    d->curve->fr_add(sum, sum, &product);
}

static void full_round(struct definition *d, bool first)
{
    struct scalar next[POSEIDON_WIDTH_MAX] = {{{0}}};

    for (unsigned i = 0; i < d->width; i++)
        s_box(d, i, !first, !first || i > 0);
    for (unsigned j = 0; j < d->width; j++)
        for (unsigned i = 0; i < d->width; i++)
            add_product(d, &next[j], &d->state[i], d->next++);
    memcpy(d->state, next, sizeof next);
}

static void partial_round(struct definition *d)
{
    struct scalar first = {{0}}, old;

    s_box(d, 0, true, true);
    old = d->state[0];
    for (unsigned i = 0; i < d->width; i++)
        add_product(d, &first, &d->state[i], d->next++);
    for (unsigned j = 1; j < d->width; j++)
        add_product(d, &d->state[j], &old, d->next++);
    d->state[0] = first;
}

static void define(struct definition *d, const struct setting *s, size_t hash)
{
    *d = (struct definition){.curve = s->curve, .next = s->constants, .width = s->rounds.width};
    d->state[0] = *d->next++;
    for (unsigned i = 1; i < d->width; i++)
        d->state[i] = s->preimages[hash * (d->width - 1) + i - 1];
    for (unsigned i = 0; i < d->width; i++)
        d->curve->fr_add(&d->state[i], &d->state[i], d->next++);
    for (unsigned round = 0; round < s->rounds.half; round++)
        full_round(d, round == 0);
    for (unsigned round = 0; round < s->rounds.partial; round++)
        partial_round(d);
    for (unsigned round = 0; round < s->rounds.half; round++)
        full_round(d, false);
    d->trace[d->n_trace++] = d->state[1];
    assert_int_equal(d->next - s->constants, poseidon_rounds_elements(&s->rounds));
    assert_int_equal(d->n_trace, poseidon_rounds_trace(&s->rounds));
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* The first n hashes of the setting, with traces and without, elsewhere and in place. */
static void expect_hashes(const struct scalar_kernels *fr, const struct setting *s,
                          const void *table, size_t n)
{
    static uint64_t traces[HASHES_MAX][4 * TRACE_MAX];
    static struct definition d;
    const size_t bytes = s->curve->fr_bytes;
    uint64_t out[4 * HASHES_MAX + 1], bare[4 * HASHES_MAX], in_place[4 * PREIMAGE_MAX];
    void *places[HASHES_MAX] = {NULL};

    memset(traces, 0xee, sizeof traces);
    out[n * bytes / 8] = UINT64_C(0x1234567812345678);
    for (size_t i = 0; i < n; i++) /* some not aligned to more than a word */
        places[i] = traces[i] + i % 3;
    fr->poseidon(out, table, s->native_preimages, places, n);
    assert_int_equal(out[n * bytes / 8], UINT64_C(0x1234567812345678));
    fr->poseidon(bare, table, s->native_preimages, NULL, n);
    assert_memory_equal(bare, out, n * bytes);
    memcpy(in_place, s->native_preimages, sizeof in_place);
    fr->poseidon(in_place, table, in_place, NULL, n);
    assert_memory_equal(in_place, out, n * bytes);
    s->curve->fr->to_plain(out, out, n);
    for (size_t i = 0; i < n; i++) {
        const char *at = places[i];

        define(&d, s, i);
        assert_memory_equal((char *)out + i * bytes, &d.state[1], bytes);
        for (unsigned k = 0; k < d.n_trace; k++, at += bytes)
            if (memcmp(at, &d.trace[k], bytes) != 0)
                fail_msg("%s, width %u: hash %zu, value %u of the trace is wrong", s->curve->name,
                         s->rounds.width, i, k);
        for (size_t k = 0; k < 8; k++) /* nothing is written behind */
            assert_int_equal((uint8_t)at[k], 0xee);
    }
}

static void check_kernels(const struct scalar_kernels *fr, const struct setting *s)
{
    struct region table;

    assert_int_equal(
        region_map(&table, NULL, MEM_SCRATCH, fr->poseidon_table_bytes(&s->rounds), NULL), CUZK_OK);
    fr->poseidon_table_init(table.base, &s->rounds);
    for (size_t n = 0; n <= HASHES_MAX; n += n < 9 ? 1 : 5)
        expect_hashes(fr, s, table.base, n);
    region_unmap(&table);
}

static void check_curves(bool lanes)
{
    static const struct curve *const curves[] = {&curve_bls12_381, &curve_bn254, &curve_toy_bn,
                                                 &curve_toy_bls12};
    static struct setting s;
    struct rng rng;

    rng_seed(&rng, test_seed());
    for (size_t i = 0; i < 4; i++)
        for (unsigned width = 2; width <= POSEIDON_WIDTH_MAX; width++)
            for (int extreme = 0; extreme < 2; extreme++) {
                setting_init(&s, curves[i], width, extreme, &rng);
                check_kernels((lanes ? host_curve(curves[i]) : curves[i])->fr, &s);
            }
}

static void test_portable_hashes_follow_the_definition(void **state)
{
    (void)state;
    check_curves(false);
}

static void test_hashes_in_lanes_follow_the_definition(void **state)
{
    (void)state;
    if (!cpu_features()->avx512_ifma) {
        print_message("this processor has no AVX-512 IFMA\n");
        skip();
    }
    assert_ptr_not_equal(host_curve(&curve_bls12_381)->fr->poseidon, curve_bls12_381.fr->poseidon);
    check_curves(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portable_hashes_follow_the_definition),
        cmocka_unit_test(test_hashes_in_lanes_follow_the_definition),
    };

    return cmocka_run_group_tests_name("poseidon kernels", tests, NULL, NULL);
}
