/* What a field of field/field.inc.h must do, for one field: the template of the tests.
 *
 * Parameters, undefined here: LAW, the prefix of the field (fp or fr), and PARAM (FP or FR).
 * Defines tests named test_<LAW>_... and <LAW>_field_tests, a list of them. GMP, where it is there,
 * is the outside opinion; words are compared in Montgomery form, as they are. */
#define F(name) TEMPLATE_JOIN(LAW, name)
#define T(name) TEMPLATE_JOIN(TEMPLATE_JOIN(test, LAW), name)
#define P(name) TEMPLATE_JOIN(PARAM, name)
#define F_LIMBS P(LIMBS)
#define F_T F(t)

enum { F(N_RANDOM) = 100000, F(N_EDGES_MAX) = 128 };

static bool F(same)(const F_T *a, const F_T *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static F_T F(random)(struct rng *rng)
{
    F_T a;

    do {
        rng_bytes(rng, &a, sizeof a);
        if (P(BITS) % 64 != 0)
            a.l[F_LIMBS - 1] &= (UINT64_C(1) << (P(BITS) % 64)) - 1;
        for (int i = 0; i < F_LIMBS; i++) /* long runs of carries are rare by chance */
            if (rng_below(rng, 4) == 0)
                a.l[i] = rng_below(rng, 2) ? UINT64_MAX : 0;
    } while (!F(plain_is_reduced)(&a));
    return a;
}

static void F(edge)(F_T *edges, size_t *n, const F_T *a)
{
    F_T negative;

    if (!F(plain_is_reduced)(a))
        return;
    F(neg)(&negative, a);
    edges[(*n)++] = *a;
    edges[(*n)++] = negative;
    assert_true(*n <= F(N_EDGES_MAX));
}

/* 0, 1, p - 1, R, R^2, and words of all ones wherever they fit; with their negatives. */
static size_t F(edges)(F_T edges[F(N_EDGES_MAX)])
{
    const F_T r2 = {P(R2)};
    size_t n = 0;

    F(edge)(edges, &n, &F(zero));
    F(edge)(edges, &n, &F(one));
    F(edge)(edges, &n, &r2);
    for (int i = 0; i < F_LIMBS; i++) {
        F_T ones = {{0}}, low = {{0}}, bit = {{0}}, top = F(modulus_words);

        ones.l[i] = UINT64_MAX;
        F(edge)(edges, &n, &ones);
        for (int j = 0; j <= i; j++)
            low.l[j] = UINT64_MAX;
        F(edge)(edges, &n, &low);
        bit.l[i] = 1;
        F(edge)(edges, &n, &bit);
        bit.l[i] = UINT64_C(1) << 63;
        F(edge)(edges, &n, &bit);
        top.l[i] -= top.l[i] > 0;
        F(edge)(edges, &n, &top);
        for (int j = 0; j < i; j++)
            top.l[j] = UINT64_MAX;
        F(edge)(edges, &n, &top);
    }
    return n;
}

/* ---- against GMP ----------------------------------------------------------------------------- */

#ifdef CUZK_HAVE_GMP
static void F(to_gmp)(mpz_t out, const F_T *a)
{
    mpz_import(out, F_LIMBS, -1, 8, 0, 0, a->l);
}

static void F(expect_gmp)(const char *what, const F_T *a, const F_T *b, const F_T *got,
                          const mpz_t expected)
{
    mpz_t found;

    mpz_init(found);
    F(to_gmp)(found, got);
    if (mpz_cmp(found, expected) != 0) {
        gmp_printf("%s: expected %Zx, found %Zx\n", what, expected, found);
        for (int i = F_LIMBS; i-- > 0;)
            printf("  %016llx %016llx\n", (unsigned long long)a->l[i], (unsigned long long)b->l[i]);
        fail();
    }
    mpz_clear(found);
}

struct F(oracle) {
    mpz_t p, r_inverse, a, b, c;
};

static void F(oracle_init)(struct F(oracle) * o)
{
    mpz_inits(o->p, o->r_inverse, o->a, o->b, o->c, NULL);
    F(to_gmp)(o->p, &F(modulus_words));
    mpz_setbit(o->r_inverse, 64 * F_LIMBS);
    assert_true(mpz_invert(o->r_inverse, o->r_inverse, o->p));
}

static void F(oracle_clear)(struct F(oracle) * o)
{
    mpz_clears(o->p, o->r_inverse, o->a, o->b, o->c, NULL);
}

static void F(check_pair)(struct F(oracle) * o, const F_T *a, const F_T *b)
{
    F_T got;

    F(to_gmp)(o->a, a);
    F(to_gmp)(o->b, b);
    mpz_add(o->c, o->a, o->b);
    mpz_mod(o->c, o->c, o->p);
    F(add)(&got, a, b);
    F(expect_gmp)("sum", a, b, &got, o->c);
    mpz_sub(o->c, o->a, o->b);
    mpz_mod(o->c, o->c, o->p);
    F(sub)(&got, a, b);
    F(expect_gmp)("difference", a, b, &got, o->c);
    mpz_mul(o->c, o->a, o->b);
    mpz_mul(o->c, o->c, o->r_inverse);
    mpz_mod(o->c, o->c, o->p);
    F(mul)(&got, a, b);
    F(expect_gmp)("product", a, b, &got, o->c);
    F(mul_portable)(&got, a, b);
    F(expect_gmp)("portable product", a, b, &got, o->c);
    mpz_mul(o->c, o->a, o->a);
    mpz_mul(o->c, o->c, o->r_inverse);
    mpz_mod(o->c, o->c, o->p);
    F(sqr)(&got, a);
    F(expect_gmp)("square", a, a, &got, o->c);
}

static void T(equals_gmp)(void **state)
{
    struct F(oracle) o;
    F_T edges[F(N_EDGES_MAX)];
    const size_t n = F(edges)(edges);
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    F(oracle_init)(&o);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            F(check_pair)(&o, &edges[i], &edges[j]);
    for (int i = 0; i < F(N_RANDOM) / 10; i++) {
        const F_T a = F(random)(&rng), b = F(random)(&rng);

        F(check_pair)(&o, &a, &b);
    }
    F(oracle_clear)(&o);
}

static void T(from_plain_takes_any_words)(void **state)
{
    struct F(oracle) o;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 1);
    F(oracle_init)(&o);
    for (int i = 0; i < 2000; i++) {
        F_T a, got;

        rng_bytes(&rng, &a, sizeof a);
        for (int j = 0; j < F_LIMBS; j++)
            if (i < 1 << F_LIMBS ? i >> j & 1 : rng_below(&rng, 4) == 0)
                a.l[j] = UINT64_MAX;
        F(to_gmp)(o.a, &a);
        mpz_mul_2exp(o.c, o.a, 64 * F_LIMBS);
        mpz_mod(o.c, o.c, o.p);
        F(from_plain)(&got, &a);
        F(expect_gmp)("from plain", &a, &a, &got, o.c);
    }
    F(oracle_clear)(&o);
}
#else
static void T(equals_gmp)(void **state)
{
    (void)state;
    printf("SKIP: libgmp is not installed\n");
    skip();
}

static void T(from_plain_takes_any_words)(void **state)
{
    T(equals_gmp)(state);
}
#endif

/* ---- by itself ------------------------------------------------------------------------------- */

static void T(bodies_agree)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 2);
    for (int i = 0; i < F(N_RANDOM); i++) {
        const F_T a = F(random)(&rng), b = F(random)(&rng);
        F_T x, y;

        F(mul)(&x, &a, &b);
        F(mul_portable)(&y, &a, &b);
        assert_true(F(same)(&x, &y));
        F(sqr)(&x, &a);
        F(mul_portable)(&y, &a, &a);
        assert_true(F(same)(&x, &y));
    }
}

static void T(outputs_may_be_operands)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 3);
    for (int i = 0; i < 1000; i++) {
        const F_T a = F(random)(&rng), b = F(random)(&rng);
        F_T apart, over;

#define OVER(name)                                                                                 \
    F(name)(&apart, &a, &b);                                                                       \
    over = a;                                                                                      \
    F(name)(&over, &over, &b);                                                                     \
    assert_true(F(same)(&over, &apart));                                                           \
    over = b;                                                                                      \
    F(name)(&over, &a, &over);                                                                     \
    assert_true(F(same)(&over, &apart));                                                           \
    F(name)(&apart, &a, &a);                                                                       \
    over = a;                                                                                      \
    F(name)(&over, &over, &over);                                                                  \
    assert_true(F(same)(&over, &apart))
        OVER(add);
        OVER(sub);
        OVER(mul);
#undef OVER
#define OVER(name)                                                                                 \
    F(name)(&apart, &a);                                                                           \
    over = a;                                                                                      \
    F(name)(&over, &over);                                                                         \
    assert_true(F(same)(&over, &apart))
        OVER(sqr);
        OVER(neg);
        OVER(dbl);
        OVER(inv);
        OVER(from_plain);
        OVER(to_plain);
#undef OVER
    }
}

static void F(expect_laws)(const F_T *a, const F_T *b, const F_T *c)
{
    F_T x, y, z;

    F(add)(&x, a, b);
    F(mul)(&x, &x, c);
    F(mul)(&y, a, c);
    F(mul)(&z, b, c);
    F(add)(&y, &y, &z);
    assert_true(F(same)(&x, &y));
    F(mul)(&x, a, b);
    F(mul)(&x, &x, c);
    F(mul)(&y, b, c);
    F(mul)(&y, &y, a);
    assert_true(F(same)(&x, &y));
    F(sub)(&x, a, b);
    F(add)(&x, &x, b);
    assert_true(F(same)(&x, a));
    F(neg)(&y, b);
    F(add)(&x, a, &y);
    F(sub)(&y, a, b);
    assert_true(F(same)(&x, &y));
    F(mul)(&x, a, &F(one));
    assert_true(F(same)(&x, a));
    F(to_plain)(&x, a);
    assert_true(F(plain_is_reduced)(&x));
    F(from_plain)(&x, &x);
    assert_true(F(same)(&x, a));
    F(inv)(&x, a);
    F(mul)(&x, &x, a);
    assert_true(F(is_zero)(a) ? F(is_zero)(&x) : F(is_one)(&x));
    F(select_ct)(&x, a, b, 1);
    assert_true(F(same)(&x, a));
    F(select_ct)(&x, a, b, 0);
    assert_true(F(same)(&x, b));
}

static void T(laws_hold_at_the_edges)(void **state)
{
    F_T edges[F(N_EDGES_MAX)];
    const size_t n = F(edges)(edges);

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            F(expect_laws)(&edges[i], &edges[j], &edges[(i + 3 * j) % n]);
}

static void T(laws_hold_at_random)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 4);
    for (int i = 0; i < 5000; i++) {
        const F_T a = F(random)(&rng), b = F(random)(&rng), c = F(random)(&rng);

        F(expect_laws)(&a, &b, &c);
    }
}

static void T(inverses_together_equal_inverses_alone)(void **state)
{
    enum { N = 100 };
    F_T a[N], alone[N], scratch[N];
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 5);
    for (size_t n = 0; n <= N; n += n < 4 ? 1 : 16) {
        for (size_t zeros = 0; zeros < 4; zeros++) {
            for (size_t i = 0; i < n; i++) { /* none, some, the outer ones, all */
                const bool zero = zeros == 1   ? rng_below(&rng, 3) == 0
                                  : zeros == 2 ? i == 0 || i + 1 == n
                                               : zeros == 3;

                a[i] = zero ? F(zero) : F(random)(&rng);
                F(inv)(&alone[i], &a[i]);
            }
            F(inv_batch)(a, n, scratch);
            assert_memory_equal(a, alone, n * sizeof *a);
        }
    }
}

static void T(powers)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 6);
    for (int i = 0; i < 50; i++) {
        const F_T a = F(random)(&rng);
        F_T order = F(modulus_words), x, product = F(one);

        F(pow)(&x, &a, order.l, F_LIMBS);
        assert_true(F(same)(&x, &a)); /* Fermat */
        order.l[0] -= 2;
        F(pow)(&x, &a, order.l, F_LIMBS);
        F(inv)(&product, &a);
        assert_true(F(same)(&x, &product));
        product = F(one);
        for (uint64_t e = 0; e < 20; e++) {
            F(pow)(&x, &a, &e, 1);
            assert_true(F(same)(&x, &product));
            F(mul)(&product, &product, &a);
        }
    }
}

/* Every element of a toy against arithmetic on small integers. */
static void T(small_field_exhaustively)(void **state)
{
    const uint64_t p = F(modulus_words).l[0];

    (void)state;
    if (F_LIMBS > 1)
        return;
    for (uint64_t i = 0; i < p; i++) {
        F_T a, x, y;

        F(from_u64)(&a, i);
        F(to_plain)(&x, &a);
        assert_int_equal(x.l[0], i);
        F(inv)(&x, &a);
        F(mul)(&x, &x, &a);
        F(to_plain)(&x, &x);
        assert_int_equal(x.l[0], i != 0);
        for (uint64_t j = 0; j < p; j++) {
            F(from_u64)(&y, j);
            F(add)(&x, &a, &y);
            F(to_plain)(&x, &x);
            assert_int_equal(x.l[0], (i + j) % p);
            F(sub)(&x, &a, &y);
            F(to_plain)(&x, &x);
            assert_int_equal(x.l[0], (i + p - j) % p);
            F(mul)(&x, &a, &y);
            F(to_plain)(&x, &x);
            assert_int_equal(x.l[0], i * j % p);
        }
    }
}

#define FIELD_TESTS(prefix)                                                                        \
    cmocka_unit_test(test_##prefix##_equals_gmp),                                                  \
        cmocka_unit_test(test_##prefix##_from_plain_takes_any_words),                              \
        cmocka_unit_test(test_##prefix##_bodies_agree),                                            \
        cmocka_unit_test(test_##prefix##_outputs_may_be_operands),                                 \
        cmocka_unit_test(test_##prefix##_laws_hold_at_the_edges),                                  \
        cmocka_unit_test(test_##prefix##_laws_hold_at_random),                                     \
        cmocka_unit_test(test_##prefix##_inverses_together_equal_inverses_alone),                  \
        cmocka_unit_test(test_##prefix##_powers),                                                  \
        cmocka_unit_test(test_##prefix##_small_field_exhaustively)

#undef F
#undef T
#undef P
#undef F_LIMBS
#undef F_T
#undef LAW
#undef PARAM
