/* What must hold in one group of every curve: a template like those that it tests.
 *
 * Parameters: GROUP, BASE, GROUP_PARAM as in curve/group.inc.h; undefined here. The test includes
 * the curve's unit and unit/curve_random.inc.h first. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define X(name) TEMPLATE_JOIN(GROUP, TEMPLATE_JOIN(xyzz, name))
#define B(name) TEMPLATE_JOIN(BASE, name)
#define POINT struct G(point)
#define X_T X(t)
#define G_AFFINE_T G(affine_t)
#define G_T G(t)
#define B_T B(t)

enum { G(rounds) = 100 };

/* ---- points ---------------------------------------------------------------------------------- */

/* A random point of the whole curve, rarely in the subgroup when there is a cofactor. */
static G_AFFINE_T G(random_on_curve)(void)
{
    G_AFFINE_T out;
    B_T x;

    do
        x = B(random)();
    while (!G(lift_x)(&out, &x, rng_below(&rng, 2) != 0));
    return out;
}

/* The same point with another z. */
static G_T G(rescaled)(const G_AFFINE_T *a)
{
    G_T out;
    B_T z, power;

    G(from_affine)(&out, a);
    do
        z = B(random)();
    while (B(is_zero)(&z));
    B(sqr)(&power, &z);
    B(mul)(&out.x, &out.x, &power);
    B(mul)(&power, &power, &z);
    B(mul)(&out.y, &out.y, &power);
    B(mul)(&out.z, &out.z, &z);
    return out;
}

static X_T G(rescaled_xyzz)(const G_AFFINE_T *a)
{
    X_T out;
    B_T z;

    X(from_affine)(&out, a);
    do
        z = B(random)();
    while (B(is_zero)(&z));
    B(mul)(&out.zzz, &z, &out.zzz);
    B(sqr)(&out.zz, &z);
    B(mul)(&out.x, &out.x, &out.zz);
    B(mul)(&out.zzz, &out.zz, &out.zzz);
    B(mul)(&out.y, &out.y, &out.zzz);
    if (G(affine_is_infinity)(a))
        out.zz = out.zzz = B(zero);
    return out;
}

/* The sum by the textbook: one inversion, affine. */
static G_AFFINE_T G(textbook_sum)(const G_AFFINE_T *a, const G_AFFINE_T *b)
{
    G_AFFINE_T out, minus_b;
    B_T slope, t;

    G(affine_neg)(&minus_b, b);
    if (G(affine_is_infinity)(a))
        return *b;
    if (G(affine_is_infinity)(b))
        return *a;
    if (G(affine_eq)(a, &minus_b))
        return G(affine_infinity);
    if (G(affine_eq)(a, b)) {
        B(sqr)(&t, &a->x);
        B(add)(&slope, &t, &t);
        B(add)(&slope, &slope, &t);
        B(add)(&t, &a->y, &a->y);
    } else {
        B(sub)(&slope, &b->y, &a->y);
        B(sub)(&t, &b->x, &a->x);
    }
    B(inv)(&t, &t);
    B(mul)(&slope, &slope, &t);
    B(sqr)(&t, &slope);
    B(sub)(&t, &t, &a->x);
    B(sub)(&out.x, &t, &b->x);
    B(sub)(&t, &a->x, &out.x);
    B(mul)(&t, &t, &slope);
    B(sub)(&out.y, &t, &a->y);
    return out;
}

static void G(expect_jacobian)(const G_T *got, const G_AFFINE_T *expected)
{
    G_AFFINE_T affine;

    G(to_affine)(&affine, got);
    assert_true(G(affine_eq)(&affine, expected));
}

/* Every formula that adds, on this pair. */
static void G(expect_sums)(const G_AFFINE_T *a, const G_AFFINE_T *b)
{
    const G_AFFINE_T sum = G(textbook_sum)(a, b);
    const G_T ja = G(rescaled)(a), jb = G(rescaled)(b);
    const X_T xa = G(rescaled_xyzz)(a), xb = G(rescaled_xyzz)(b);
    G_T j;
    X_T x;

    assert_true(G(on_curve)(&sum));
    G(add)(&j, &ja, &jb);
    G(expect_jacobian)(&j, &sum);
    j = ja;
    G(add)(&j, &j, &jb);
    G(expect_jacobian)(&j, &sum);
    j = jb;
    G(add)(&j, &ja, &j);
    G(expect_jacobian)(&j, &sum);
    G(add_mixed)(&j, &ja, b);
    G(expect_jacobian)(&j, &sum);
    X(add)(&x, &xa, &xb);
    X(to_jacobian)(&j, &x);
    G(expect_jacobian)(&j, &sum);
    X(add_mixed)(&x, &xa, b);
    X(to_jacobian)(&j, &x);
    G(expect_jacobian)(&j, &sum);
    assert_true(G(eq)(&ja, &jb) == G(affine_eq)(a, b));
    if (G(affine_eq)(a, b)) {
        G(dbl)(&j, &ja);
        G(expect_jacobian)(&j, &sum);
        X(dbl)(&x, &xa);
        X(to_jacobian)(&j, &x);
        G(expect_jacobian)(&j, &sum);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void G(test_every_formula_adds)(void **state)
{
    (void)state;
    for (int round = 0; round < G(rounds); round++) {
        const G_AFFINE_T a = G(random_on_curve)(), b = G(random_on_curve)();
        G_AFFINE_T minus_a, beta_a;

        G(affine_neg)(&minus_a, &a);
        G(phi)(&beta_a, &a); /* the same y, another x */
        G(expect_sums)(&a, &b);
        G(expect_sums)(&a, &a);
        G(expect_sums)(&a, &minus_a);
        G(expect_sums)(&a, &beta_a);
        G(expect_sums)(&a, &G(affine_infinity));
        G(expect_sums)(&G(affine_infinity), &b);
        G(expect_sums)(&G(affine_infinity), &G(affine_infinity));
    }
}

static void G(test_batch_conversion_equals_single)(void **state)
{
    enum { N = 33 };
    G_T points[N];
    G_AFFINE_T batch[N];
    B_T scratch[2 * N];

    (void)state;
    for (int i = 0; i < N; i++) {
        const G_AFFINE_T a = i % 4 == 0 ? G(affine_infinity) : G(random_on_curve)();

        points[i] = G(rescaled)(&a);
    }
    G(to_affine_batch)(batch, points, N, scratch);
    for (int i = 0; i < N; i++)
        G(expect_jacobian)(&points[i], &batch[i]);
}

static void G(test_multiples_follow_double_and_add)(void **state)
{
    (void)state;
    for (int round = 0; round < G(rounds) / 4; round++) {
        const fr_t k = fr_random_plain();
        const G_T generator = G(rescaled)(&G(affine_generator));
        const G_AFFINE_T any = G(random_on_curve)();
        G_T a = G(rescaled)(&any), expected = G(infinity), got;

        for (size_t i = 64 * FR_LIMBS; i-- > 0;) {
            G(dbl)(&expected, &expected);
            if (k.l[i / 64] >> (i % 64) & 1)
                G(add)(&expected, &expected, &a);
        }
        G(mul_plain)(&got, &a, k.l, FR_LIMBS);
        assert_true(G(eq)(&got, &expected));

        G(mul_plain)(&expected, &generator, k.l, FR_LIMBS);
        G(mul)(&got, &generator, &k);
        assert_true(G(eq)(&got, &expected));
        a = generator;
        G(mul)(&a, &a, &k);
        assert_true(G(eq)(&a, &expected));
    }
}

static void G(test_multiples_of_all_ones_carry_to_the_top)(void **state)
{
    const uint64_t ones[2] = {UINT64_MAX, UINT64_MAX}, power[3] = {0, 0, 1};
    const G_AFFINE_T any = G(random_on_curve)();
    G_T a = G(rescaled)(&any), x, y;

    (void)state;
    G(mul_plain)(&x, &a, ones, 2);
    G(add)(&x, &x, &a);
    G(mul_plain)(&y, &a, power, 3);
    assert_true(G(eq)(&x, &y));
    G(mul_plain)(&x, &a, ones, 0);
    assert_true(G(is_infinity)(&x));
    G(mul_plain)(&x, &G(infinity), ones, 2);
    assert_true(G(is_infinity)(&x));
}

static void G(test_phi_is_multiplication_by_lambda)(void **state)
{
    static const fr_t lambda = {GLV_LAMBDA_PLAIN};
    G_AFFINE_T image;
    G_T p, q;

    (void)state;
    G(phi)(&image, &G(affine_generator));
    assert_false(G(affine_eq)(&image, &G(affine_generator)));
    G(from_affine)(&p, &G(affine_generator));
    G(mul_plain)(&q, &p, lambda.l, FR_LIMBS);
    G(expect_jacobian)(&q, &image);
}

/* The multiple that kills the subgroup: what remains has an order that divides the cofactor. */
static G_AFFINE_T G(without_subgroup)(const G_AFFINE_T *a)
{
    G_AFFINE_T out;
    G_T p;

    G(from_affine)(&p, a);
    G(mul_plain)(&p, &p, fr_modulus_words.l, FR_LIMBS);
    G(to_affine)(&out, &p);
    return out;
}

static void G(test_subgroup_check_is_exact)(void **state)
{
    (void)state;
    assert_true(G(in_subgroup)(&G(affine_infinity)));
    for (int round = 0; round < G(rounds) / 2; round++) {
        const G_AFFINE_T any = G(random_on_curve)(), rest = G(without_subgroup)(&any);
        const fr_t k = fr_random_plain();
        G_AFFINE_T member, mixed;
        G_T p;

        G(from_affine)(&p, &G(affine_generator));
        G(mul)(&p, &p, &k);
        G(to_affine)(&member, &p);
        assert_true(G(in_subgroup)(&member));
        assert_true(G(in_subgroup)(&any) == G(affine_is_infinity)(&rest));
        assert_true(G(in_subgroup)(&rest) == G(affine_is_infinity)(&rest));
        mixed = G(textbook_sum)(&member, &rest);
        assert_true(G(in_subgroup)(&mixed) == G(affine_is_infinity)(&rest));
    }
}

/* ---- encodings ------------------------------------------------------------------------------- */

enum { G(encoding_max) = 4 * 48 };

/* Whatever is accepted is the one encoding of its point. Returns whether it was. */
static bool G(expect_canonical)(const uint8_t *bytes, bool compressed)
{
    const size_t n = G(encoded_bytes)(compressed);
    uint8_t again[G(encoding_max)];
    G_AFFINE_T a;

    if (G(read_bytes)(&a, bytes, compressed) != POINT_OK)
        return false;
    assert_true(G(on_curve)(&a));
    G(write_bytes)(again, &a, compressed);
    assert_memory_equal(again, bytes, n);
    return true;
}

static void G(expect_round_trip)(const G_AFFINE_T *a, bool compressed)
{
    uint8_t bytes[G(encoding_max)];
    G_AFFINE_T again;

    G(write_bytes)(bytes, a, compressed);
    assert_int_equal(G(read_bytes)(&again, bytes, compressed), POINT_OK);
    assert_true(G(affine_eq)(&again, a));
}

static void G(test_encodings_round_trip)(void **state)
{
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        G(expect_round_trip)(&G(affine_infinity), compressed);
        G(expect_round_trip)(&G(affine_generator), compressed);
        for (int round = 0; round < G(rounds); round++) {
            const G_AFFINE_T a = G(random_on_curve)();
            G_AFFINE_T minus_a;

            G(affine_neg)(&minus_a, &a);
            G(expect_round_trip)(&a, compressed);
            G(expect_round_trip)(&minus_a, compressed);
        }
    }
}

/* One byte of a valid encoding takes all values. */
static void G(test_encodings_near_a_point_are_refused_or_canonical)(void **state)
{
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        const size_t n = G(encoded_bytes)(compressed);
        const G_AFFINE_T points[] = {G(affine_infinity), G(affine_generator), G(random_on_curve)()};

        for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
            uint8_t bytes[G(encoding_max)];

            G(write_bytes)(bytes, &points[k], compressed);
            for (size_t at = 0; at < n; at += at < 4 || sizeof(fp_t) == 8 ? 1 : 7) {
                const uint8_t was = bytes[at];
                int accepted = 0;

                for (int value = 0; value < 256; value++) {
                    bytes[at] = (uint8_t)value;
                    accepted += G(expect_canonical)(bytes, compressed);
                }
                assert_true(accepted >= 1);
                if (!compressed && k > 0) /* y, or x, fixes the other up to six */
                    assert_true(accepted <= 6);
                bytes[at] = was;
            }
        }
    }
}

static enum point_fault G(fault_of)(const uint8_t *bytes, bool compressed)
{
    G_AFFINE_T a;

    return G(read_bytes)(&a, bytes, compressed);
}

static void G(test_encodings_name_what_is_wrong)(void **state)
{
    const G_AFFINE_T origin_y = {B(zero), G(affine_generator).y};
    uint8_t bytes[G(encoding_max)] = {0}, flags;
    const size_t n = G(encoded_bytes)(false);
    B_T modulus = {0}, plain;
    fp_t *const top = (fp_t *)((uint8_t *)&modulus + sizeof modulus - sizeof(fp_t));

    (void)state;
    /* a form read as the other */
    G(write_bytes)(bytes, &G(affine_generator), true);
    assert_int_equal(G(fault_of)(bytes, false), POINT_BAD_FLAGS);
    G(write_bytes)(bytes, &G(affine_generator), false);
    assert_int_equal(G(fault_of)(bytes, true), POINT_BAD_FLAGS);

    /* a coordinate equal to the modulus, for its representative 0 */
    *top = fp_modulus_words;
    G(write_bytes)(bytes, &origin_y, false);
    flags = bytes[0];
    B(write_be)(bytes, &modulus);
    bytes[0] |= flags;
    assert_int_equal(G(fault_of)(bytes, false), POINT_NOT_CANONICAL);
    G(write_bytes)(bytes, &G(affine_generator), false);
    B(write_be)(bytes + n / 2, &modulus);
    assert_int_equal(G(fault_of)(bytes, false), POINT_NOT_CANONICAL);
    B(write_be)(bytes, &modulus);
    bytes[0] |= 0x80;
    assert_int_equal(G(fault_of)(bytes, true), POINT_NOT_CANONICAL);

    /* off the curve */
    G(write_bytes)(bytes, &G(affine_generator), false);
    bytes[n - 1] ^= 1;
    assert_int_equal(G(fault_of)(bytes, false), POINT_NOT_ON_CURVE);
    do {
        modulus = B(random)();
        G(curve_rhs)(&plain, &modulus);
    } while (B(sqrt)(&plain, &plain));
    B(to_plain)(&plain, &modulus);
    B(write_be)(bytes, &plain);
    bytes[0] |= 0x80;
    assert_int_equal(G(fault_of)(bytes, true), POINT_NOT_ON_CURVE);

    /* infinity with something else in it */
    G(write_bytes)(bytes, &G(affine_infinity), true);
    bytes[n / 2 - 1] = 1;
    assert_int_equal(G(fault_of)(bytes, true), POINT_BAD_FLAGS);
}

/* ---- the face -------------------------------------------------------------------------------- */

static void G(test_face_agrees_with_the_formulas)(void **state)
{
    (void)state;
    for (int round = 0; round < G(rounds) / 4; round++) {
        const G_AFFINE_T a = G(random_on_curve)(), b = G(random_on_curve)();
        const G_AFFINE_T sum = G(textbook_sum)(&a, &b);
        uint8_t bytes[G(encoding_max)], expected[G(encoding_max)];
        POINT p, q, out, again;

        G(face_out)(&p, &a);
        G(face_out)(&q, &b);
        G(face_out)(&again, &sum);
        G(face_add)(&out, &p, &q);
        assert_memory_equal(&out, &again, sizeof out);
        G(face_add)(&p, &p, &q); /* in place */
        assert_memory_equal(&p, &again, sizeof p);
        G(face_neg)(&q, &p);
        G(face_add)(&q, &q, &p);
        memset(&again, 0, sizeof again);
        assert_memory_equal(&q, &again, sizeof q);
        for (int compressed = 0; compressed < 2; compressed++) {
            G(face_encode)(bytes, &p, compressed);
            G(write_bytes)(expected, &sum, compressed);
            assert_memory_equal(bytes, expected, G(encoded_bytes)(compressed));
            assert_int_equal(G(face_decode)(&again, bytes, compressed, false), POINT_OK);
            assert_memory_equal(&again, &p, sizeof p);
            assert_int_equal(G(face_decode)(&again, bytes, compressed, true),
                             G(in_subgroup)(&sum) ? POINT_OK : POINT_NOT_IN_SUBGROUP);
        }
        assert_int_equal(G(face_check)(&p),
                         G(in_subgroup)(&sum) ? POINT_OK : POINT_NOT_IN_SUBGROUP);
    }
}

static void G(test_face_check_names_what_is_wrong)(void **state)
{
    POINT p;

    (void)state;
    G(face_out)(&p, &G(affine_generator));
    assert_int_equal(G(face_check)(&p), POINT_OK);
    p.w[0] ^= 1;
    assert_int_equal(G(face_check)(&p), POINT_NOT_ON_CURVE);
    G(face_out)(&p, &G(affine_generator));
    memcpy(p.w, &fp_modulus_words, sizeof(fp_t));
    assert_int_equal(G(face_check)(&p), POINT_NOT_CANONICAL);
    memset(&p, 0, sizeof p);
    assert_int_equal(G(face_check)(&p), POINT_OK); /* infinity */
}

#undef G
#undef X
#undef B
#undef X_T
#undef G_AFFINE_T
#undef G_T
#undef B_T
#undef POINT
#undef GROUP
#undef BASE
#undef GROUP_PARAM
