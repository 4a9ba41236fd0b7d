/* Domains, transforms, element-wise operations, and the quotient against its defining identity. */
#include "support/random_matrix.h"
#include "support/waist.h"

/* ---- polynomials in plain form --------------------------------------------------------------- */

static struct scalar evaluate(const struct curve *curve, const uint64_t *coefficients, size_t n,
                              const struct scalar *x)
{
    struct scalar value = {{0}};

    while (n-- > 0) {
        struct scalar c = scalar_load(curve, coefficients, n);

        curve->fr_mul(&value, &value, x);
        curve->fr_add(&value, &value, &c);
    }
    return value;
}

/* Coefficients from values, by the definition. */
static uint64_t *interpolate(const struct curve *curve, uint64_t g, unsigned lg_n,
                             const uint64_t *values)
{
    size_t n = (size_t)1 << lg_n;
    uint64_t *coefficients = mem_new(n * curve->fr_bytes);
    struct scalar root, n_inv = {{n}}, x = {{1}};

    assert_true(curve->fr_root(&root, g, lg_n));
    curve->fr_inv(&root, &root);
    curve->fr_inv(&n_inv, &n_inv);
    for (size_t i = 0; i < n; i++) {
        struct scalar c = evaluate(curve, values, n, &x);

        curve->fr_mul(&c, &c, &n_inv);
        scalar_store(curve, coefficients, i, &c);
        curve->fr_mul(&x, &x, &root);
    }
    return coefficients;
}

static uint64_t *random_scalars(const struct curve *curve, size_t n, struct rng *rng)
{
    uint64_t *v = mem_new(n * curve->fr_bytes);

    for (size_t i = 0; i < n; i++) {
        struct scalar x = random_scalar(curve, rng);

        scalar_store(curve, v, i, &x);
    }
    return v;
}

static uint64_t *products(const struct curve *curve, const uint64_t *a, const uint64_t *b, size_t n)
{
    uint64_t *c = mem_new(n * curve->fr_bytes);

    for (size_t i = 0; i < n; i++) {
        struct scalar x = scalar_load(curve, a, i), y = scalar_load(curve, b, i);

        curve->fr_mul(&x, &x, &y);
        scalar_store(curve, c, i, &x);
    }
    return c;
}

/* ---- quotient -------------------------------------------------------------------------------- */

struct rows {
    const struct curve *curve;
    unsigned lg_n;
    uint64_t g;
    uint64_t *a, *b;        /* values */
    uint64_t *pa, *pb, *pc; /* coefficients; c = a∘b on the domain */
};

static void rows_init(struct rows *r, const struct curve *curve, unsigned lg_n, uint64_t g,
                      struct rng *rng)
{
    size_t n = (size_t)1 << lg_n;
    uint64_t *c;

    *r = (struct rows){.curve = curve, .lg_n = lg_n, .g = g};
    r->a = random_scalars(curve, n, rng);
    r->b = random_scalars(curve, n, rng);
    c = products(curve, r->a, r->b, n);
    r->pa = interpolate(curve, g, lg_n, r->a);
    r->pb = interpolate(curve, g, lg_n, r->b);
    r->pc = interpolate(curve, g, lg_n, c);
    mem_free(c);
}

static void rows_done(struct rows *r)
{
    mem_free(r->a);
    mem_free(r->b);
    mem_free(r->pa);
    mem_free(r->pb);
    mem_free(r->pc);
}

/* a(x) b(x) - c(x), or a(x) b(x) alone */
static struct scalar numerator(const struct rows *r, const struct scalar *x, bool folded)
{
    size_t n = (size_t)1 << r->lg_n;
    struct scalar value = evaluate(r->curve, r->pa, n, x);
    const struct scalar b = evaluate(r->curve, r->pb, n, x);
    const struct scalar c = evaluate(r->curve, r->pc, n, x);

    r->curve->fr_mul(&value, &value, &b);
    if (!folded)
        r->curve->fr_sub(&value, &value, &c);
    return value;
}

static void check_powers(const struct rows *r, const uint64_t *h, struct rng *rng)
{
    const struct curve *curve = r->curve;
    size_t n = (size_t)1 << r->lg_n;
    const struct scalar zero = {{0}}, one = {{1}}, last = scalar_load(curve, h, n - 1);

    assert_memory_equal(&last, &zero, sizeof last);
    for (int i = 0; i < 300; i++) { /* more than the toy fields have elements */
        struct scalar x = i < 3 ? random_scalar(curve, rng) : (struct scalar){{(uint64_t)i % 97}};
        struct scalar left, vanishing;
        const struct scalar right = numerator(r, &x, false);

        if (i > 5 && n > 64)
            break;
        curve->fr_pow(&vanishing, &x, n);
        curve->fr_sub(&vanishing, &vanishing, &one);
        left = evaluate(curve, h, n, &x);
        curve->fr_mul(&left, &left, &vanishing);
        assert_memory_equal(&left, &right, sizeof left);
    }
}

static void check_coset(const struct rows *r, const uint64_t *h, bool odd, bool folded)
{
    const struct curve *curve = r->curve;
    const struct scalar g = {{r->g}};
    struct scalar root, x = g;

    assert_true(curve->fr_root(&root, r->g, r->lg_n));
    if (odd && !curve->fr_root(&x, r->g, r->lg_n + 1))
        curve->fr_mul(&x, &g, &g);
    for (size_t i = 0; i < (size_t)1 << r->lg_n; i++) {
        const struct scalar expected = numerator(r, &x, folded), got = scalar_load(curve, h, i);

        assert_memory_equal(&got, &expected, sizeof got);
        curve->fr_mul(&x, &x, &root);
    }
}

static void check_quotient(struct waist *w, const struct rows *r, struct rng *rng)
{
    size_t n = (size_t)1 << r->lg_n;
    struct domain *domain;

    size_t before = w->device->arena.used;
    assert_int_equal(w->be->domain_new(w->device, r->lg_n, r->g, TABLES_FAST, &domain, NULL),
                     CUZK_OK);
    assert_int_equal(w->device->arena.used - before,
                     w->be->domain_bytes(w->curve, r->lg_n, TABLES_FAST));
    for (enum h_basis basis = H_POWERS; basis <= H_COSET_FOLDED; basis++) {
        struct buf *a = waist_buf(w, ELEMENT_SCALAR, n, r->a);
        struct buf *b = waist_buf(w, ELEMENT_SCALAR, n, r->b);
        uint64_t *h;

        waist_measure_begin(w);
        w->be->quotient(w->stream, domain, a, b, basis);
        waist_measure_end(w, w->be->quotient_bytes(w->curve, r->lg_n, basis));
        h = waist_get(w, a, n);
        if (basis == H_POWERS)
            check_powers(r, h, rng);
        else
            check_coset(r, h, basis == H_ODD_COSET, basis == H_COSET_FOLDED);
        mem_free(h);
        w->be->buf_free(a);
        w->be->buf_free(b);
    }
    w->be->domain_free(domain);
}

static void test_quotient_is_ab_minus_c_over_z_in_each_basis(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (unsigned lg_n = 0; lg_n <= 7 && lg_n <= waist_curves[c]->two_adicity; lg_n++)
            for (uint64_t g = 5; g <= 7; g += 2) {
                struct scalar root;
                struct rows r;
                struct waist w;

                if (!waist_curves[c]->fr_root(&root, g, lg_n))
                    continue;
                rows_init(&r, waist_curves[c], lg_n, g, &rng);
                waist_open(&w, waist_curves[c], 1 + lg_n % 4);
                check_quotient(&w, &r, &rng);
                waist_close(&w);
                rows_done(&r);
            }
}

static void test_quotient_is_the_same_for_every_number_of_threads(void **state)
{
    const unsigned lg_n = 13;
    const size_t n = (size_t)1 << lg_n;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    const struct curve *curve = &curve_bls12_381;
    uint64_t *a = random_scalars(curve, n, &rng), *b = random_scalars(curve, n, &rng);

    for (enum h_basis basis = H_POWERS; basis <= H_COSET_FOLDED; basis++) {
        uint64_t *first = NULL;

        for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
            struct waist w;
            struct domain *domain;

            waist_open(&w, curve, n_threads);
            assert_int_equal(w.be->domain_new(w.device, lg_n, 7, TABLES_FAST, &domain, NULL),
                             CUZK_OK);
            struct buf *x = waist_buf(&w, ELEMENT_SCALAR, n, a);
            struct buf *y = waist_buf(&w, ELEMENT_SCALAR, n, b);

            w.be->quotient(w.stream, domain, x, y, basis);
            uint64_t *h = waist_get(&w, x, n);

            if (first) {
                assert_memory_equal(h, first, n * curve->fr_bytes);
                mem_free(h);
            } else {
                first = h;
            }
            w.be->buf_free(x);
            w.be->buf_free(y);
            w.be->domain_free(domain);
            waist_close(&w);
        }
        mem_free(first);
    }
    mem_free(a);
    mem_free(b);
}

/* ---- the quotient in two operations ---------------------------------------------------------- */

/* h in two vectors and nothing else. */
static uint64_t *quotient_in_two(struct waist *w, const struct domain *domain, const uint64_t *a,
                                 const uint64_t *b, const uint64_t *c, enum h_basis basis)
{
    const size_t n = (size_t)1 << domain->lg_n;
    struct buf *x = waist_buf(w, ELEMENT_SCALAR, n, a), *y = waist_buf(w, ELEMENT_SCALAR, n, b);
    const bool folded = basis == H_COSET_FOLDED;
    uint64_t *h;

    waist_measure_begin(w);
    w->be->quotient_ab(w->stream, domain, x, y, basis);
    w->be->buf_put(w->stream, y, 0, c, n);
    if (!folded)
        w->be->quotient_c(w->stream, domain, x, y, basis);
    waist_measure_end(w, 0);
    h = waist_get(w, folded ? x : y, n);
    w->be->buf_free(y);
    w->be->buf_free(x);
    return h;
}

static void check_two(struct waist *w, unsigned lg_n, uint64_t g, struct rng *rng)
{
    const size_t n = (size_t)1 << lg_n;
    uint64_t *a = random_scalars(w->curve, n, rng), *b = random_scalars(w->curve, n, rng);
    uint64_t *c = products(w->curve, a, b, n);
    struct domain *domain;

    assert_int_equal(w->be->domain_new(w->device, lg_n, g, TABLES_SMALL, &domain, NULL), CUZK_OK);
    for (enum h_basis basis = H_POWERS; basis <= H_COSET_FOLDED; basis++) {
        struct buf *x = waist_buf(w, ELEMENT_SCALAR, n, a), *y = waist_buf(w, ELEMENT_SCALAR, n, b);
        uint64_t *expected, *got;

        w->be->quotient(w->stream, domain, x, y, basis);
        expected = waist_get(w, x, n);
        w->be->buf_free(y);
        w->be->buf_free(x);
        got = quotient_in_two(w, domain, a, b, c, basis);
        assert_memory_equal(got, expected, n * w->curve->fr_bytes);
        mem_free(got);
        mem_free(expected);
    }
    w->be->domain_free(domain);
    mem_free(c);
    mem_free(b);
    mem_free(a);
}

static void test_quotient_in_two_operations_is_the_quotient(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        struct waist w;

        waist_open(&w, curve, 1 + (unsigned)c);
        for (unsigned lg_n = 0; lg_n <= 12 && lg_n <= curve->two_adicity; lg_n++)
            for (uint64_t g = 5; g <= 7; g += 2) {
                struct scalar root;

                if (curve->fr_root(&root, g, lg_n))
                    check_two(&w, lg_n, g, &rng);
            }
        waist_close(&w);
    }
}

/* ---- ntt, pointwise, powers ------------------------------------------------------------------ */

static void test_ntt_of_the_waist_is_evaluation(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        const unsigned lg_n = curve->two_adicity < 6 ? curve->two_adicity : 6;
        const uint64_t g = curve->fr_generator.w[0];
        size_t n = (size_t)1 << lg_n, longer = n + 3;
        uint64_t *coefficients = random_scalars(curve, longer, &rng);
        struct waist w;
        struct domain *domain;

        waist_open(&w, curve, 2);
        assert_int_equal(w.be->domain_new(w.device, lg_n, g, TABLES_FAST, &domain, NULL), CUZK_OK);
        for (int coset = 0; coset < 2; coset++) {
            struct buf *a = waist_buf(&w, ELEMENT_SCALAR, longer, coefficients);
            struct scalar root, x = {{coset ? g : 1}};

            w.be->ntt(w.stream, domain, a, false, coset);
            uint64_t *values = waist_get(&w, a, longer);

            assert_true(curve->fr_root(&root, g, lg_n));
            for (size_t i = 0; i < n; i++) {
                const struct scalar expected = evaluate(curve, coefficients, n, &x);
                const struct scalar got = scalar_load(curve, values, i);

                assert_memory_equal(&got, &expected, sizeof got);
                curve->fr_mul(&x, &x, &root);
            }
            w.be->ntt(w.stream, domain, a, true, coset);
            mem_free(values);
            values = waist_get(&w, a, longer);
            assert_memory_equal(values, coefficients, longer * curve->fr_bytes);
            mem_free(values);
            w.be->buf_free(a);
        }
        w.be->domain_free(domain);
        waist_close(&w);
        mem_free(coefficients);
    }
}

static void test_domain_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        struct waist w;
        struct domain *domain = NULL;
        struct cuzk_error err;

        waist_open(&w, curve, 1);
        assert_int_equal(w.be->domain_new(w.device, 3, 4, TABLES_FAST, &domain, &err), CUZK_USAGE);
        assert_int_equal(w.be->domain_new(w.device, 33, 7, TABLES_FAST, &domain, &err), CUZK_USAGE);
        if (curve->two_adicity < 20)
            assert_int_equal(w.be->domain_new(w.device, curve->two_adicity + 1,
                                              curve->fr_generator.w[0], TABLES_FAST, &domain, &err),
                             CUZK_USAGE);
        assert_null(domain);
        waist_close(&w);
    }
}

static void test_pointwise_is_the_formula_for_each_element(void **state)
{
    const size_t n = 9001;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        uint64_t *x = random_scalars(curve, n, &rng), *y = random_scalars(curve, n, &rng);
        const struct scalar factor = random_scalar(curve, &rng);
        struct waist w;

        waist_open(&w, curve, 1 + (unsigned)c);
        for (enum pointwise_op op = POINTWISE_MUL; op <= POINTWISE_SCALE; op++) {
            struct buf *a = waist_buf(&w, ELEMENT_SCALAR, n, x);
            struct buf *b = waist_buf(&w, ELEMENT_SCALAR, n, y);
            bool two = op <= POINTWISE_SUB;
            uint64_t *got;

            w.be->pointwise(w.stream, op, b, a, two ? b : NULL, two ? NULL : &factor, n - 1);
            got = waist_get(&w, b, n);
            for (size_t i = 0; i < n; i++) {
                const struct scalar p = scalar_load(curve, x, i), q = scalar_load(curve, y, i);
                const struct scalar z = scalar_load(curve, got, i);
                struct scalar e = q;

                if (i < n - 1)
                    switch (op) {
                    case POINTWISE_MUL: curve->fr_mul(&e, &p, &q); break;
                    case POINTWISE_SUB: curve->fr_sub(&e, &p, &q); break;
                    case POINTWISE_AXPY:
                        curve->fr_mul(&e, &factor, &p);
                        curve->fr_add(&e, &e, &q);
                        break;
                    case POINTWISE_SCALE: curve->fr_mul(&e, &factor, &p); break;
                    }
                assert_memory_equal(&z, &e, sizeof z);
            }
            mem_free(got);
            w.be->buf_free(a);
            w.be->buf_free(b);
        }
        waist_close(&w);
        mem_free(x);
        mem_free(y);
    }
}

static void test_powers_are_a_geometric_sequence(void **state)
{
    const size_t n = 10000;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        const struct scalar first = random_scalar(curve, &rng), base = random_scalar(curve, &rng);
        struct scalar x = first;
        struct waist w;

        waist_open(&w, curve, 3);
        struct buf *out = waist_buf(&w, ELEMENT_SCALAR, n, NULL);

        w.be->powers(w.stream, out, &first, &base, n);
        uint64_t *got = waist_get(&w, out, n);

        for (size_t i = 0; i < n; i++) {
            const struct scalar y = scalar_load(curve, got, i);

            assert_memory_equal(&y, &x, sizeof y);
            curve->fr_mul(&x, &x, &base);
        }
        mem_free(got);
        w.be->buf_free(out);
        waist_close(&w);
    }
}

/* Outside the subgroup of 2^lg_n. */
static struct scalar random_outside(const struct curve *curve, unsigned lg_n, struct rng *rng)
{
    const struct scalar one = {{1}};
    struct scalar x, power;

    do {
        x = random_scalar(curve, rng);
        curve->fr_pow(&power, &x, (uint64_t)1 << lg_n);
    } while (memcmp(&power, &one, sizeof one) == 0);
    return x;
}

/* The inverse transform of factor, factor x, factor x^2, ... has all of them. */
static void check_lagrange(struct waist *w, unsigned lg_n, struct rng *rng)
{
    const struct curve *curve = w->curve;
    const uint64_t g = curve->fr_generator.w[0];
    const size_t n = (size_t)1 << lg_n, third = n / 3;
    const struct {
        size_t first, n;
    } ranges[] = {{0, n}, {third, n - 2 * third}, {n - 1, 1}, {third, 0}};
    const struct scalar factor = random_scalar(curve, rng), x = random_outside(curve, lg_n, rng);
    struct buf *buf = waist_buf(w, ELEMENT_SCALAR, n + 3, NULL);
    struct domain *domain;

    assert_int_equal(w->be->domain_new(w->device, lg_n, g, TABLES_FAST, &domain, NULL), CUZK_OK);
    w->be->powers(w->stream, buf, &factor, &x, n);
    w->be->ntt(w->stream, domain, buf, true, false);
    uint64_t *expected = waist_get(w, buf, n);

    w->be->domain_free(domain);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        waist_measure_begin(w);
        w->be->lagrange(w->stream, buf, lg_n, g, &factor, &x, ranges[i].first, ranges[i].n);
        waist_measure_end(w, 0);
        uint64_t *got = waist_get(w, buf, ranges[i].n);

        assert_memory_equal(got, expected + ranges[i].first * (curve->fr_bytes / 8),
                            ranges[i].n * curve->fr_bytes);
        mem_free(got);
    }
    mem_free(expected);
    w->be->buf_free(buf);
}

static void test_lagrange_is_the_inverse_transform_of_powers(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (unsigned n_threads = 1; n_threads <= 3; n_threads += 2) {
            const struct curve *curve = waist_curves[c];
            struct waist w;

            waist_open(&w, curve, n_threads);
            for (unsigned lg_n = 0; lg_n <= 14 && lg_n <= curve->two_adicity; lg_n++)
                check_lagrange(&w, lg_n, &rng);
            waist_close(&w);
        }
}

static void test_lagrange_of_no_domain_is_refused(void **state)
{
    const struct scalar x = {{5}};

    (void)state;
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        struct cuzk_error err;
        struct waist w;

        waist_open(&w, waist_curves[c], 1);
        struct buf *out = waist_buf(&w, ELEMENT_SCALAR, 8, NULL);

        w.be->lagrange(w.stream, out, 3, 4, &x, &x, 0, 8);
        assert_int_equal(w.be->wait(w.stream, &err), CUZK_USAGE);
        assert_non_null(strstr(err.message, "lagrange: "));
        assert_non_null(strstr(err.message, "no domain of 2^3 elements generated from 4"));
        w.be->buf_free(out);
        waist_close(&w);
    }
}

static int run(const char *backend)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotient_is_ab_minus_c_over_z_in_each_basis),
        cmocka_unit_test(test_quotient_is_the_same_for_every_number_of_threads),
        cmocka_unit_test(test_quotient_in_two_operations_is_the_quotient),
        cmocka_unit_test(test_ntt_of_the_waist_is_evaluation),
        cmocka_unit_test(test_domain_that_does_not_exist_is_refused),
        cmocka_unit_test(test_pointwise_is_the_formula_for_each_element),
        cmocka_unit_test(test_powers_are_a_geometric_sequence),
        cmocka_unit_test(test_lagrange_is_the_inverse_transform_of_powers),
        cmocka_unit_test(test_lagrange_of_no_domain_is_refused),
    };
    char name[64];

    snprintf(name, sizeof name, "backend transform %s", backend);
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void)
{
    return waist_run_group(run);
}
