/* What a field in lanes (backend/ifma/field_lanes.inc.h) must do: the template of the tests, for
 * one field. Scalars are the oracle: every operation gives the same residue in every lane, at every
 * declared bound, and CUZK_LANE_CHECKS, on in these programs, sees that results are normal and
 * below 2p.
 *
 * Parameters, undefined here: LAW, the prefix of the field (fp or fr), and PARAM. Defines tests
 * named test_<LAW>_lanes_... and LANE_TESTS(<LAW>). */
#define F(name) TEMPLATE_JOIN(LAW, name)
#define T(name) TEMPLATE_JOIN(TEMPLATE_JOIN(test, LAW), name)
#define P(name) TEMPLATE_JOIN(PARAM, name)
#define F_N P(LANE_LIMBS)
#define F_T F(t)
#define L_T F(lanes_t)

enum { F(ROUNDS) = 2000 };

/* A residue, often with long runs of ones or zeros in its limbs of both kinds. */
static F_T F(lane_random)(struct rng *rng)
{
    F_T a;

    switch (rng_below(rng, 8)) {
    case 0: return F(zero);
    case 1: return F(one);
    case 2: F(neg)(&a, &F(one)); return a;
    }
    do {
        rng_bytes(rng, &a, sizeof a);
        if (P(BITS) % 64 != 0)
            a.l[P(LIMBS) - 1] &= (UINT64_C(1) << (P(BITS) % 64)) - 1;
        for (size_t i = 0; i < sizeof a * 8; i += 52) /* carries across limbs are rare by chance */
            if (rng_below(rng, 4) == 0)
                for (size_t b = i; b < i + 52 && b < P(BITS); b++)
                    a.l[b / 64] |= UINT64_C(1) << (b % 64);
    } while (!F(plain_is_reduced)(&a));
    return a;
}

/* Eight numbers below `bound` p as lanes, and their residues, native. The limbs before the multiple
 * of p is added are those of the plain residue: that is the number with Montgomery form `value`. */
static void F(lanes_random)(L_T *lanes, F_T value[LANES], unsigned bound, struct rng *rng)
{
    uint64_t word[F_N][LANES];

    for (int lane = 0; lane < LANES; lane++) {
        const F_T form = F(lane_random)(rng);
        const unsigned multiple = rng_below(rng, 3) ? bound - 1 : (unsigned)rng_below(rng, bound);
        uint64_t limb[F_N], carry = 0;

        F(lane_split)(limb, form.l);
        F(lane_get)(&value[lane], limb);
        for (int j = 0; j < F_N; j++) {
            carry += limb[j] + multiple * F(lane_modulus)[j];
            word[j][lane] = carry & LANE_MASK;
            carry >>= LANE_BITS;
        }
        assert_int_equal(carry, 0);
    }
    for (int j = 0; j < F_N; j++)
        lanes->l[j] = _mm512_loadu_si512(word[j]);
    assert_true(F(lanes_are_below)(lanes, bound));
}

/* Are these the residues? The lanes are below 2p. */
static void F(expect_lanes)(const L_T *lanes, const F_T expected[LANES], const char *what)
{
    F_T found[LANES];

    assert_true(F(lanes_are_below)(lanes, 2));
    F(lanes_to_native)(found, lanes);
    for (int lane = 0; lane < LANES; lane++)
        if (!F(eq)(&found[lane], &expected[lane]))
            fail_msg("%s: lane %d is wrong", what, lane);
}

/* Numbers below `bound` p come down to below 2p by a product with one. */
static void F(expect_large)(const L_T *lanes, unsigned bound, const F_T expected[LANES],
                            const char *what)
{
    L_T one, product;

    assert_true(F(lanes_are_below)(lanes, bound));
    F(lanes_set_one)(&one);
    F(lanes_mul)(&product, lanes, &one);
    F(expect_lanes)(&product, expected, what);
}

static void T(lanes_multiply_at_every_bound)(void **state)
{
    static const unsigned bounds[][2] = {{1, 1}, {2, 2}, {4, 2},  {4, 4}, {6, 4},
                                         {8, 4}, {5, 7}, {17, 2}, {35, 1}};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (int i = 0; i < F(ROUNDS); i++) {
        const unsigned *bound = bounds[i % (int)(sizeof bounds / sizeof *bounds)];
        F_T x[LANES], y[LANES], product[LANES], square[LANES];
        L_T a, b, out;

        F(lanes_random)(&a, x, bound[0], &rng);
        F(lanes_random)(&b, y, bound[1], &rng);
        for (int lane = 0; lane < LANES; lane++) {
            F(mul)(&product[lane], &x[lane], &y[lane]);
            F(sqr)(&square[lane], &x[lane]);
        }
        F(lanes_mul)(&out, &a, &b);
        F(expect_lanes)(&out, product, "a b");
        F(lanes_mul)(&out, &b, &a);
        F(expect_lanes)(&out, product, "b a");
        out = a;
        F(lanes_mul)(&out, &out, &b);
        F(expect_lanes)(&out, product, "into the first");
        out = b;
        F(lanes_mul)(&out, &a, &out);
        F(expect_lanes)(&out, product, "into the second");
        if (bound[0] > 5)
            continue;
        F(lanes_sqr)(&out, &a);
        F(expect_lanes)(&out, square, "a a");
        F(lanes_mul)(&a, &a, &a);
        F(expect_lanes)(&a, square, "into both");
    }
}

static void T(lanes_sum_two_products)(void **state)
{
    static const unsigned bounds[][4] = {
        {2, 2, 2, 2}, {4, 4, 4, 4}, {1, 1, 17, 2}, {6, 4, 6, 4}, {1, 4, 11, 4}};
    const uint64_t room = P(LANE_RECIPROCAL); /* p that S holds */
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 1);
    for (int i = 0; i < F(ROUNDS); i++) {
        const unsigned *bound = bounds[i % (int)(sizeof bounds / sizeof *bounds)];
        F_T x[4][LANES], sum[LANES];
        L_T a[4], out;

        if (bound[0] * bound[1] + bound[2] * bound[3] > room)
            continue; /* there is room for that in base fields only */
        for (int k = 0; k < 4; k++)
            F(lanes_random)(&a[k], x[k], bound[k], &rng);
        for (int lane = 0; lane < LANES; lane++) {
            F_T product;

            F(mul)(&sum[lane], &x[0][lane], &x[1][lane]);
            F(mul)(&product, &x[2][lane], &x[3][lane]);
            F(add)(&sum[lane], &sum[lane], &product);
        }
        F(lanes_mul_sum)(&out, &a[0], &a[1], &a[2], &a[3]);
        F(expect_lanes)(&out, sum, "a b + c d");
        for (int k = 0; k < 4; k++) {
            L_T b[4] = {a[0], a[1], a[2], a[3]};

            F(lanes_mul_sum)(&b[k], &b[0], &b[1], &b[2], &b[3]);
            F(expect_lanes)(&b[k], sum, "into a factor");
        }
    }
}

static void T(lanes_add_and_subtract)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 2);
    for (int i = 0; i < F(ROUNDS); i++) {
        const __mmask8 where = (__mmask8)rng_below(&rng, 256);
        F_T x[LANES], y[LANES], z[LANES];
        L_T a, b, out;

        F(lanes_random)(&a, x, 4, &rng);
        F(lanes_random)(&b, y, 2, &rng);
        for (int lane = 0; lane < LANES; lane++)
            F(add)(&z[lane], &x[lane], &y[lane]);
        F(lanes_add)(&out, &a, &b);
        F(expect_large)(&out, 6, z, "a + b");
        for (int lane = 0; lane < LANES; lane++)
            F(sub)(&z[lane], &x[lane], &y[lane]);
        F(lanes_sub)(&out, &a, &b, 2);
        F(expect_large)(&out, 6, z, "a - b + 2p");
        F(lanes_sub)(&b, &a, &b, 2);
        F(expect_large)(&b, 6, z, "into the second");

        F(lanes_random)(&b, y, 2, &rng);
        out = b;
        F(lanes_neg_where)(&out, where);
        F(lanes_fold)(&out, &out);
        for (int lane = 0; lane < LANES; lane++) {
            F(neg)(&z[lane], &y[lane]);
            if ((where >> lane & 1) == 0)
                z[lane] = y[lane];
        }
        F(expect_lanes)(&out, z, "negative in some lanes");
        F(lanes_select)(&out, where, &b, &out);
        F(expect_lanes)(&out, z, "selected");
        F(lanes_reduce_once)(&out, &b);
        assert_true(F(lanes_are_below)(&out, 1));
        F(expect_lanes)(&out, y, "reduced");
    }
}

/* All raw numbers a - b - c and c - a with a, b, c below 2p, and their ends: -(4p - 2) and 2p - 1.
 */
static void T(lanes_fold_what_additions_leave)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 3);
    for (int i = 0; i < F(ROUNDS); i++) {
        F_T x[3][LANES], z[LANES];
        L_T a[3], out;

        for (int k = 0; k < 3; k++)
            F(lanes_random)(&a[k], x[k], 2, &rng);
        F(lanes_raw_sub)(&out, &a[0], &a[1]);
        F(lanes_raw_sub)(&out, &out, &a[2]);
        F(lanes_fold)(&out, &out);
        for (int lane = 0; lane < LANES; lane++) {
            F(sub)(&z[lane], &x[0][lane], &x[1][lane]);
            F(sub)(&z[lane], &z[lane], &x[2][lane]);
        }
        F(expect_lanes)(&out, z, "a - b - c");
        F(lanes_raw_sub)(&out, &a[2], &a[0]);
        F(lanes_fold)(&out, &out);
        for (int lane = 0; lane < LANES; lane++)
            F(sub)(&z[lane], &x[2][lane], &x[0][lane]);
        F(expect_lanes)(&out, z, "c - a");
    }
}

static void T(lanes_know_zeros)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 4);
    for (int i = 0; i < F(ROUNDS); i++) {
        F_T x[LANES];
        unsigned expected = 0;
        L_T a;

        F(lanes_random)(&a, x, 4, &rng);
        for (int lane = 0; lane < LANES; lane++)
            expected |= (unsigned)F(is_zero)(&x[lane]) << lane;
        assert_int_equal(F(lanes_zeros)(&a, 4), expected);
    }
}

static void T(lanes_invert_together)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 5);
    for (int i = 0; i < F(ROUNDS) / 20; i++) {
        F_T x[LANES], z[LANES];
        unsigned expected = 0;
        L_T a;

        F(lanes_random)(&a, x, 2, &rng);
        for (int lane = 0; lane < LANES; lane++) {
            expected |= (unsigned)F(is_zero)(&x[lane]) << lane;
            F(inv)(&z[lane], &x[lane]);
        }
        assert_int_equal(F(lanes_inv)(&a, &a), expected);
        F(expect_lanes)(&a, z, "1 / a");
    }
}

static void T(lanes_words_and_limbs)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 6);
    for (int i = 0; i < F(ROUNDS); i++) {
        F_T x[LANES];
        __m512i word[8];
        uint64_t found[8][LANES], limb[F_N], one[P(LIMBS)];
        L_T a, b;

        F(lanes_random)(&a, x, 2, &rng);
        F(lanes_join)(word, &a);
        F(lanes_split)(&b, word);
        assert_memory_equal(&a, &b, sizeof a);
        for (int j = 0; j < F_N; j++)
            _mm512_storeu_si512(found[j], a.l[j]);
        for (int j = 0; j < F_N; j++)
            limb[j] = found[j][i % LANES];
        F(lane_join)(one, limb);
        for (int j = 0; j < P(LIMBS); j++) {
            _mm512_storeu_si512(found[j], word[j]);
            assert_int_equal(found[j][i % LANES], one[j]);
        }
        F(lanes_to_native)(x, &a);
        F(lanes_of_native)(&b, x);
        F(expect_lanes)(&b, x, "through words and back");
    }
}

/* Eight numbers, or the first few, anywhere in memory; zeros are told. */
static void T(lanes_go_to_memory_and_come_back)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 9);
    for (int i = 0; i < F(ROUNDS); i++) {
        const size_t offset = 8 * rng_below(&rng, 3), n = rng_below(&rng, LANES + 1);
        uint8_t from[LANES][sizeof(F_T) + 16], into[LANES][sizeof(F_T) + 16];
        const void *source[LANES];
        void *target[LANES];
        F_T x[LANES];
        unsigned zeros = 0;
        L_T a, factor;

        memset(into, 0x5a, sizeof into);
        for (int lane = 0; lane < LANES; lane++) {
            x[lane] = F(lane_random)(&rng);
            zeros |= (unsigned)F(is_zero)(&x[lane]) << lane;
            memcpy(from[lane] + offset, &x[lane], sizeof x[lane]);
            source[lane] = from[lane];
            target[lane] = into[lane];
        }
        F(lanes_set)(&factor, F(lane_from_native));
        assert_int_equal(F(lanes_import)(&a, source, offset, &factor), zeros);
        F(expect_lanes)(&a, x, "native words");
        F(lanes_export)(target, offset, &a, n);
        for (size_t lane = 0; lane < LANES; lane++)
            for (size_t b = 0; b < sizeof into[lane]; b++) {
                const bool is_its = lane < n && b - offset < sizeof(F_T);

                assert_int_equal(into[lane][b], is_its ? from[lane][b] : 0x5a);
            }
        F(lanes_set)(&factor, F(lane_from_plain));
        assert_int_equal(F(lanes_import)(&a, source, offset, &factor), zeros);
        for (int lane = 0; lane < LANES; lane++)
            F(from_plain)(&x[lane], &x[lane]);
        F(expect_lanes)(&a, x, "plain words");
    }
}

/* Any words, often those of a number next to p in one of them. */
static F_T F(lane_random_words)(struct rng *rng)
{
    F_T a = rng_below(rng, 4) == 0 ? F(modulus_words) : F(lane_random)(rng);
    const size_t k = rng_below(rng, P(LIMBS));

    switch (rng_below(rng, 8)) {
    case 0: a.l[k]++; break;
    case 1: a.l[k]--; break;
    case 2: memcpy(&a.l[k], &F(modulus_words).l[k], (P(LIMBS) - k) * 8); break;
    case 3: memset(&a.l[k], 0xff, (P(LIMBS) - k) * 8); break;
    }
    return a;
}

static void T(lanes_decode_what_is_below_p)(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 10);
    for (int i = 0; i < F(ROUNDS); i++) {
        const size_t offset = rng_below(&rng, 9);
        uint8_t from[LANES][sizeof(F_T) + 8];
        const void *source[LANES];
        F_T x[LANES];
        unsigned below = 0;
        L_T a, factor;

        for (int lane = 0; lane < LANES; lane++) {
            const F_T words = F(lane_random_words)(&rng);
            const bool is_below = F(plain_is_reduced)(&words);

            x[lane] = F(zero);
            if (is_below)
                F(from_plain)(&x[lane], &words);
            below |= (unsigned)is_below << lane;
            for (size_t b = 0; b < sizeof words; b++) /* big-endian */
                from[lane][offset + b] =
                    (uint8_t)(words.l[P(LIMBS) - 1 - b / 8] >> (56 - 8 * (b % 8)));
            source[lane] = from[lane];
        }
        F(lanes_set)(&factor, F(lane_from_plain));
        assert_int_equal(F(lanes_decode)(&a, source, offset, &factor), below);
        F(expect_lanes)(&a, x, "bytes");
    }
}

/* ---- constants and raw numbers --------------------------------------------------------------- */

/* The largest bound of factors that there is room for, to 64. */
#define F_ROOM (P(LANE_RECIPROCAL) < 64 ? (unsigned)P(LANE_RECIPROCAL) : 64u)

/* The same residues below `bound` p with limbs that have not been normal for a while. */
static void F(raw_random)(F(raw_t) * raw, F_T value[LANES], unsigned bound, struct rng *rng)
{
    uint64_t word[F_N][LANES];
    L_T a;

    F(lanes_random)(&a, value, bound, rng);
    for (int j = 0; j < F_N; j++)
        _mm512_storeu_si512(word[j], a.l[j]);
    for (int lane = 0; lane < LANES; lane++) {
        for (int j = 0; j + 1 < F_N; j++) {
            const uint64_t moved = rng_below(rng, 1 << 9) - (1 << 8); /* may be negative */

            word[j][lane] += moved << LANE_BITS;
            word[j + 1][lane] -= moved;
        }
        word[F_N - 1][lane] += rng_below(rng, 1 << 9) << LANE_BITS; /* mod S */
    }
    for (int j = 0; j < F_N; j++)
        raw->l[j] = _mm512_loadu_si512(word[j]);
}

/* These residues, below `bound` p? */
static void F(expect_raw)(const F(raw_t) * raw, unsigned bound, const F_T expected[LANES],
                          const char *what)
{
    L_T normal;

    F(raw_carry)(&normal, raw);
    assert_true(F(lanes_are_below)(&normal, bound));
    F(expect_large)(&normal, bound, expected, what);
    F(raw_reduce)(&normal, raw);
    assert_true(F(lanes_are_below)(&normal, 1));
    F(expect_lanes)(&normal, expected, what);
}

static void T(raw_products_by_constants)(void **state)
{
    uint64_t n0[F_N];
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 7);
    F(constant_n0)(n0);
    for (int i = 0; i < F(ROUNDS); i++) {
        static const unsigned bounds[] = {1, 2, 3, 33, F_ROOM};
        F_T x[LANES], w[LANES], z[LANES];
        struct F(constant) constant;
        struct F(constants) constants;
        F(raw_t) raw, out;
        L_T factor;

        F(raw_random)(&raw, x, bounds[i % 5] < F_ROOM ? bounds[i % 5] : F_ROOM, &rng);
        F(lanes_random)(&factor, w, 2, &rng);
        F(constant_set)(&constant, &w[0], n0);
        F(constants_set)(&constants, &factor, n0);
        for (int lane = 0; lane < LANES; lane++)
            F(mul)(&z[lane], &x[lane], &w[0]);
        F(raw_mul)(&out, &raw, &constant);
        F(expect_raw)(&out, 3, z, "w x");
        for (int lane = 0; lane < LANES; lane++)
            F(mul)(&z[lane], &x[lane], &w[lane]);
        F(raw_mul_each)(&out, &raw, &constants);
        F(expect_raw)(&out, 3, z, "w x, lane by lane");
        F(raw_mul_each)(&raw, &raw, &constants);
        F(expect_raw)(&raw, 3, z, "into the factor");
    }
}

/* Every constant times every number below 64p, where that can be done. */
static void T(raw_products_by_all_constants_of_a_toy)(void **state)
{
    const uint64_t p = F(lane_modulus)[0];
    uint64_t n0[F_N];

    (void)state;
    F(constant_n0)(n0);
    for (uint64_t w = 0; F_N == 1 && w < p; w++) {
        struct F(constant) constant;
        F_T native = {{w}};

        F(from_plain)(&native, &native);
        F(constant_set)(&constant, &native, n0);
        assert_int_equal(constant.w[0], w);
        assert_int_equal(constant.v[0], (w << LANE_BITS) / p);
        for (uint64_t x = 0; x < 64 * p; x += LANES) {
            uint64_t word[LANES];
            F(raw_t) raw;
            L_T reduced;

            for (uint64_t lane = 0; lane < LANES; lane++)
                word[lane] = x + lane;
            raw.l[0] = _mm512_loadu_si512(word);
            F(raw_mul)(&raw, &raw, &constant);
            F(raw_reduce)(&reduced, &raw);
            _mm512_storeu_si512(word, reduced.l[0]);
            for (uint64_t lane = 0; lane < LANES; lane++)
                assert_int_equal(word[lane], (x + lane) * w % p);
        }
    }
}

static void T(raw_sums)(void **state)
{
    const unsigned half = F_ROOM / 2;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 8);
    for (int i = 0; i < F(ROUNDS); i++) {
        F_T x[LANES], y[LANES], z[LANES];
        F(raw_t) a, b, out;

        F(raw_random)(&a, x, half, &rng);
        F(raw_random)(&b, y, half, &rng);
        for (int lane = 0; lane < LANES; lane++)
            F(add)(&z[lane], &x[lane], &y[lane]);
        F(raw_add)(&out, &a, &b);
        F(expect_raw)(&out, 2 * half, z, "a + b");
        for (int lane = 0; lane < LANES; lane++)
            F(sub)(&z[lane], &x[lane], &y[lane]);
        F(raw_sub)(&out, &a, &b, half);
        F(expect_raw)(&out, 2 * half, z, "a - b + k p");
        F(raw_sub)(&b, &a, &b, half);
        F(expect_raw)(&b, 2 * half, z, "into the second");
    }
}

#undef F_ROOM

#ifndef LANE_TESTS
#define LANE_TESTS_(F)                                                                             \
    cmocka_unit_test(test_##F##_lanes_multiply_at_every_bound),                                    \
        cmocka_unit_test(test_##F##_lanes_sum_two_products),                                       \
        cmocka_unit_test(test_##F##_lanes_add_and_subtract),                                       \
        cmocka_unit_test(test_##F##_lanes_fold_what_additions_leave),                              \
        cmocka_unit_test(test_##F##_lanes_know_zeros),                                             \
        cmocka_unit_test(test_##F##_lanes_invert_together),                                        \
        cmocka_unit_test(test_##F##_lanes_words_and_limbs),                                        \
        cmocka_unit_test(test_##F##_lanes_go_to_memory_and_come_back),                             \
        cmocka_unit_test(test_##F##_lanes_decode_what_is_below_p),                                 \
        cmocka_unit_test(test_##F##_raw_products_by_constants),                                    \
        cmocka_unit_test(test_##F##_raw_products_by_all_constants_of_a_toy),                       \
        cmocka_unit_test(test_##F##_raw_sums)
#define LANE_TESTS(F) LANE_TESTS_(F)
#endif

#undef F
#undef T
#undef P
#undef F_N
#undef F_T
#undef L_T
#undef LAW
#undef PARAM
