/* Transforms against FLINT's evaluation of the same polynomials. Built where FLINT is installed. */
#include "support/testing.h"

#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_vec.h>

#include "base/mem.h"
#include "curve/curve.h"
#include "ntt/scalar_kernels.h"

static void scalar_to_fmpz(fmpz_t out, const struct scalar *x)
{
    fmpz_set_ui_array(out, (const ulong *)x->w, 4);
}

/* n values of the polynomial at shift * root^i. */
static void flint_transform(fmpz *values, const struct curve *curve, unsigned lg_n, uint64_t g,
                            const struct scalar *shift, const uint64_t *coefficients)
{
    slong n = (slong)1 << lg_n;
    fmpz_t modulus, x, root;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t poly;
    fmpz *points = _fmpz_vec_init(n);
    struct scalar plain_root;

    fmpz_init(modulus);
    fmpz_init(x);
    fmpz_init(root);
    scalar_to_fmpz(modulus, &curve->fr_modulus);
    fmpz_mod_ctx_init(ctx, modulus);
    fmpz_mod_poly_init(poly, ctx);
    assert_true(curve->fr_root(&plain_root, g, lg_n));
    scalar_to_fmpz(root, &plain_root);
    for (slong i = 0; i < n; i++) {
        fmpz_set_ui_array(x, (const ulong *)coefficients + 4 * i, 4);
        fmpz_mod_poly_set_coeff_fmpz(poly, i, x, ctx);
    }
    scalar_to_fmpz(points, shift);
    for (slong i = 1; i < n; i++)
        fmpz_mod_mul(points + i, points + i - 1, root, ctx);
    fmpz_mod_poly_evaluate_fmpz_vec(values, poly, points, n, ctx);
    _fmpz_vec_clear(points, n);
    fmpz_mod_poly_clear(poly, ctx);
    fmpz_mod_ctx_clear(ctx);
    fmpz_clear(root);
    fmpz_clear(x);
    fmpz_clear(modulus);
}

static void check(const struct curve *curve, unsigned lg_n, uint64_t g, enum ntt_coset coset,
                  struct rng *rng)
{
    size_t n = (size_t)1 << lg_n;
    uint64_t *v = mem_new(n * 32), *plain = mem_new(n * 32);
    fmpz *values = _fmpz_vec_init((slong)n);
    struct scalar shift = {{coset == NTT_COSET ? g : 1}};
    struct region table;

    if (coset == NTT_ODD_COSET)
        assert_true(curve->fr_root(&shift, g, lg_n + 1));
    for (size_t i = 0; i < n; i++) {
        uint8_t wide[64];
        struct scalar x;

        rng_bytes(rng, wide, sizeof wide);
        curve->fr_sample_ct(&x, wide);
        memcpy(plain + 4 * i, &x, 32);
    }
    assert_int_equal(region_map(&table, NULL, MEM_SCRATCH, curve->fr->ntt_table_bytes(lg_n), NULL),
                     CUZK_OK);
    assert_true(curve->fr->ntt_table_init(table.base, lg_n, g, NULL));
    curve->fr->from_plain(v, plain, n);
    curve->fr->ntt(v, table.base, NTT_FORWARD, coset, NULL);
    curve->fr->to_plain(v, v, n);
    flint_transform(values, curve, lg_n, g, &shift, plain);
    for (size_t i = 0; i < n; i++) {
        struct scalar expected = {{0}};

        fmpz_get_ui_array((ulong *)expected.w, 4, values + i);
        assert_memory_equal(v + 4 * i, &expected, 32);
    }
    region_unmap(&table);
    _fmpz_vec_clear(values, (slong)n);
    mem_free(plain);
    mem_free(v);
}

static void test_ntt_is_flints_multipoint_evaluation(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned lg_n = 0; lg_n <= 13; lg_n += lg_n < 10 ? 2 : 1)
        for (enum ntt_coset coset = NTT_SUBGROUP; coset <= NTT_ODD_COSET; coset++) {
            check(&curve_bls12_381, lg_n, 7, coset, &rng);
            check(&curve_bls12_381, lg_n, 5, coset, &rng);
            check(&curve_bn254, lg_n, 5, coset, &rng);
        }
    flint_cleanup();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ntt_is_flints_multipoint_evaluation),
    };

    return cmocka_run_group_tests_name("ntt flint", tests, NULL, NULL);
}
