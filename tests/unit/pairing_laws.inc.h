/* What must hold for the pairing of every curve. The test includes the curve's unit and
 * unit/curve_laws.inc.h first. */
#include <unistd.h>

static g1_affine_t g1_multiple_of_generator(const fr_t *k)
{
    g1_affine_t out;
    g1_t p;

    g1_from_affine(&p, &g1_affine_generator);
    g1_mul(&p, &p, k);
    g1_to_affine(&out, &p);
    return out;
}

static g2_affine_t g2_multiple_of_generator(const fr_t *k)
{
    g2_affine_t out;
    g2_t p;

    g2_from_affine(&p, &g2_affine_generator);
    g2_mul(&p, &p, k);
    g2_to_affine(&out, &p);
    return out;
}

/* e(p, q) as computed, final exponentiation included; infinities are not expected. */
static fp12_t pairing_value(const g1_affine_t *p, const g2_affine_t *q)
{
    struct ate_pair pair;
    fp12_t f;

    ate_pair_init(&pair, p, q);
    pairing_miller(&f, &pair, 1, NULL, 0);
    pairing_final_exp(&f, &f);
    return f;
}

/* Not zero. */
static fr_t fr_random_unit(void)
{
    fr_t k;

    do
        k = fr_random_plain();
    while (fr_is_zero(&k));
    return k;
}

static fr_t fr_product(const fr_t *a, const fr_t *b)
{
    fr_t x, y;

    fr_from_plain(&x, a);
    fr_from_plain(&y, b);
    fr_mul(&x, &x, &y);
    fr_to_plain(&x, &x);
    return x;
}

static void test_pairing_is_bilinear_and_not_degenerate(void **state)
{
    const fp12_t e = pairing_value(&g1_affine_generator, &g2_affine_generator);
    fp12_t power = fp12_power(&e, fr_modulus_words.l, FR_LIMBS);

    (void)state;
    assert_false(fp12_is_one(&e));
    assert_true(fp12_is_one(&power));
    for (int round = 0; round < 10; round++) {
        const fr_t a = fr_random_unit(), b = fr_random_unit(), ab = fr_product(&a, &b);
        const g1_affine_t p = g1_multiple_of_generator(&a);
        const g2_affine_t q = g2_multiple_of_generator(&b);
        const fp12_t value = pairing_value(&p, &q);

        power = fp12_power(&e, ab.l, FR_LIMBS);
        assert_true(fp12_eq(&value, &power));
    }
}

/* Random pairs and one that makes the product one, or just not. n goes beyond one chunk. */
static void test_pairing_product_is_one_exactly_when_the_logarithms_cancel(void **state)
{
    enum { MAX = 2 * PAIRING_CHUNK + 3 };
    struct g1_point p[MAX];
    struct g2_point q[MAX];

    (void)state;
    assert_true(pairing_is_one(NULL, NULL, 0));
    for (size_t n = 1; n <= MAX; n += n < 5 ? 1 : n + 2) {
        fr_t sum = fr_zero, term;
        g1_affine_t last;

        for (size_t i = 0; i + 1 < n; i++) {
            const fr_t a = fr_random_plain(), b = fr_random_plain(); /* zero too: infinity */
            const g1_affine_t pa = g1_multiple_of_generator(&a);
            const g2_affine_t qb = g2_multiple_of_generator(&b);

            g1_face_out(&p[i], &pa);
            g2_face_out(&q[i], &qb);
            term = fr_product(&a, &b);
            fr_from_plain(&term, &term);
            fr_sub(&sum, &sum, &term);
        }
        fr_to_plain(&term, &sum);
        last = g1_multiple_of_generator(&term);
        g1_face_out(&p[n - 1], &last);
        g2_face_out(&q[n - 1], &g2_affine_generator);
        assert_true(pairing_is_one(p, q, n));
        fr_add(&sum, &sum, &fr_one);
        fr_to_plain(&term, &sum);
        last = g1_multiple_of_generator(&term);
        g1_face_out(&p[n - 1], &last);
        assert_false(pairing_is_one(p, q, n));
    }
}

static void test_pairing_with_infinity_is_one(void **state)
{
    struct g1_point p[2] = {{{0}}};
    struct g2_point q[2] = {{{0}}};

    (void)state;
    assert_true(pairing_is_one(p, q, 2));
    g1_face_out(&p[0], &g1_affine_generator);
    assert_true(pairing_is_one(p, q, 2));
    g2_face_out(&q[1], &g2_affine_generator);
    assert_true(pairing_is_one(p, q, 2));
    q[0] = q[1];
    assert_false(pairing_is_one(p, q, 2));
}

/* ---- PARI/GP --------------------------------------------------------------------------------- */

static void gp_number(FILE *gp, const uint64_t *words, size_t n)
{
    fprintf(gp, "0x");
    for (size_t i = n; i-- > 0;)
        fprintf(gp, "%016llx", (unsigned long long)words[i]);
}

static void gp_fp2(FILE *gp, const fp2_t *a)
{
    fp2_t plain;

    fp2_to_plain(&plain, a);
    fprintf(gp, "[");
    gp_number(gp, plain.c0.l, FP_LIMBS);
    fprintf(gp, ", ");
    gp_number(gp, plain.c1.l, FP_LIMBS);
    fprintf(gp, "]");
}

/* What tests/unit/pairing.gp wants to know. */
static void gp_define(FILE *gp, const g1_affine_t *p, const g2_affine_t *q, const fp12_t *e)
{
    static const signed char digits[] = U_DIGITS;
    const fp2_t *const in[6] = {&e->c0.c0, &e->c1.c0, &e->c0.c1, &e->c1.c1, &e->c0.c2, &e->c1.c2};
    g1_affine_t plain;

    fprintf(gp, "p = ");
    gp_number(gp, fp_modulus_words.l, FP_LIMBS);
    fprintf(gp, ";\nr = ");
    gp_number(gp, fr_modulus_words.l, FR_LIMBS);
    fprintf(gp, ";\nu = 0;\n");
    for (size_t i = 0; i < sizeof digits; i++)
        fprintf(gp, "u = 2 * u + %d;\n", digits[i]);
    if (U_IS_NEGATIVE)
        fprintf(gp, "u = -u;\n");
    fprintf(gp, "b = %d; is_bn = %d; is_m = %d; xi0 = %d; xi1 = %d;\n", CURVE_B_SMALL, FAMILY_IS_BN,
            TWIST_IS_M, XI_C0, XI_C1);
    g1_affine_to_plain(&plain, p);
    fprintf(gp, "P = [");
    gp_number(gp, plain.x.l, FP_LIMBS);
    fprintf(gp, ", ");
    gp_number(gp, plain.y.l, FP_LIMBS);
    fprintf(gp, "];\nQ = [");
    gp_fp2(gp, &q->x);
    fprintf(gp, ", ");
    gp_fp2(gp, &q->y);
    fprintf(gp, "];\ne = [");
    for (int k = 0; k < 6; k++) {
        fprintf(gp, k > 0 ? ", " : "");
        gp_fp2(gp, in[k]);
    }
    fprintf(gp, "];\n");
}

static void test_pairing_equals_the_tate_pairing_of_pari(void **state)
{
    char path[256], command[640], line[64] = "";
    const fr_t a = fr_random_unit(), b = fr_random_unit();
    const g1_affine_t p = g1_multiple_of_generator(&a);
    const g2_affine_t q = g2_multiple_of_generator(&b);
    const fp12_t e = pairing_value(&p, &q);
    FILE *gp;

    (void)state;
    if (system("command -v gp > /dev/null") != 0) {
        printf("PARI/GP (gp) is not installed: the pairing was not compared with it\n");
        skip();
    }
    snprintf(command, sizeof command, "pairing_%s.gp", TEMPLATE_JOIN(curve, CURVE).name);
    snprintf(path, sizeof path, "%s", test_scratch_path(command));
    gp = fopen(path, "w");
    assert_non_null(gp);
    gp_define(gp, &p, &q, &e);
    fprintf(gp, "read(\"%s\");\n", test_vector_path("unit/pairing.gp"));
    assert_int_equal(fclose(gp), 0);
    snprintf(command, sizeof command, "gp -q -f %s < /dev/null", path);
    gp = popen(command, "r");
    assert_non_null(gp);
    assert_non_null(fgets(line, sizeof line, gp));
    assert_int_equal(pclose(gp), 0);
    assert_string_equal(line, "equal\n");
    unlink(path);
}

#define PAIRING_LAWS                                                                               \
    cmocka_unit_test(test_pairing_is_bilinear_and_not_degenerate),                                 \
        cmocka_unit_test(test_pairing_product_is_one_exactly_when_the_logarithms_cancel),          \
        cmocka_unit_test(test_pairing_with_infinity_is_one),                                       \
        cmocka_unit_test(test_pairing_equals_the_tate_pairing_of_pari)
