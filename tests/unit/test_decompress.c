/* Compressed points many at once (decompress of msm/group_kernels.h), portable and in lanes, against
 * the decoders of struct curve, one point at a time: the same points, the same faults. */
#include "support/testing.h"

#include "support/group_case.h"

static struct group_case cases[GROUP_CASES];
static size_t n_cases, n_large;

enum { MOST = 41 };

/* Up to MOST encodings, each somewhere in memory. */
struct encodings {
    const struct group_case *group;
    size_t bytes; /* of one */
    uint8_t memory[MOST][sizeof(struct g2_point) / 2 + 1];
    const uint8_t *at[MOST];
};

static void encodings_init(struct encodings *e, const struct group_case *group)
{
    e->group = group;
    e->bytes = group->kernels->point_bytes / 2;
    for (size_t i = 0; i < MOST; i++)
        e->at[i] = e->memory[i] + i % 2;
}

static uint8_t *encoding(struct encodings *e, size_t i)
{
    return e->memory[i] + i % 2;
}

static void encode(struct encodings *e, size_t i, const struct any_point *point)
{
    if (e->group->second)
        e->group->curve->g2_encode(encoding(e, i), &point->u.g2, true);
    else
        e->group->curve->g1_encode(encoding(e, i), &point->u.g1, true);
}

static enum point_fault decode_one(const struct encodings *e, size_t i, struct any_point *out)
{
    const struct curve *curve = e->group->curve;

    memset(out, 0, sizeof *out);
    return e->group->second ? curve->g2_decode(&out->u.g2, e->at[i], true, true)
                            : curve->g1_decode(&out->u.g1, e->at[i], true, true);
}

/* The first n of them at once are what they are one by one. */
static void expect_as_one_by_one(const struct encodings *e, size_t n, const char *what)
{
    const struct group_kernels *k = e->group->kernels;
    uint8_t got[(MOST + 1) * sizeof(struct g2_point)];
    struct points_fault fault = {.index = 12345};
    struct any_point expected[MOST];
    enum point_fault why = POINT_OK;
    size_t good = 0;
    bool ok;

    while (good < n && (why = decode_one(e, good, &expected[good])) == POINT_OK)
        good++;
    memset(got, 0x5a, sizeof got);
    ok = k->decompress(got, e->at, n, &fault);
    if (ok != (good == n))
        fail_msg("%s: %s, %zu points: %s", e->group->name, what, n, ok ? "accepted" : "refused");
    assert_int_equal(got[n * k->point_bytes], 0x5a);
    if (!ok) {
        assert_int_equal(fault.index, good);
        assert_int_equal(fault.fault, why);
        return;
    }
    k->to_plain(got, got, n);
    for (size_t i = 0; i < n; i++)
        if (memcmp(got + i * k->point_bytes, &expected[i], k->point_bytes) != 0)
            fail_msg("%s: %s, %zu points: point %zu is another", e->group->name, what, n, i);
}

/* Random points of both signs; every third its neighbour's negative. */
static void random_points(struct encodings *e, struct rng *rng)
{
    struct any_point p;
    struct scalar log;

    for (size_t i = 0; i < MOST; i++) {
        if (i % 3 == 2) {
            group_neg(e->group, &p, &p);
        } else {
            scalar_random(e->group->curve, &log, rng);
            log.w[0] |= (log.w[0] == 0); /* the toys meet infinity */
            group_power(e->group, &p, &log);
        }
        encode(e, i, &p);
    }
}

static void test_points_come_back_as_they_were(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 10, 11, 15, 16, 17, 24, 40, MOST};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < n_cases; c++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            struct encodings e;

            encodings_init(&e, &cases[c]);
            random_points(&e, &rng);
            expect_as_one_by_one(&e, lengths[l], "random");
        }
}

static void test_infinity_is_accepted_anywhere(void **state)
{
    static const struct any_point infinity;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 1);
    for (size_t c = 0; c < n_cases; c++)
        for (size_t at = 0; at < 18; at++) {
            struct encodings e;

            encodings_init(&e, &cases[c]);
            random_points(&e, &rng);
            encode(&e, at, &infinity);
            encode(&e, 17 - at, &infinity);
            expect_as_one_by_one(&e, 18, "with infinity");
        }
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* A point of the curve outside the subgroup; false where there is none. */
static bool outside(struct encodings *e, size_t i, struct rng *rng)
{
    const uint8_t spare = e->group->curve->fp_bits % 64 == 62 ? 0x3f : 0x1f;
    struct any_point p;

    for (int tries = 0; tries < 2000; tries++) {
        uint8_t *bytes = encoding(e, i);

        memset(bytes, 0, e->bytes);
        if (e->group->curve->fp_bytes == 8) {
            bytes[7] = (uint8_t)rng_below(rng, 97);
            if (e->group->second)
                bytes[15] = (uint8_t)rng_below(rng, 97);
        } else {
            rng_bytes(rng, bytes, e->bytes);
            bytes[0] &= spare;
        }
        bytes[0] |= 0x80;
        if (decode_one(e, i, &p) == POINT_NOT_IN_SUBGROUP)
            return true;
    }
    return false;
}

/* What is done to a good encoding; false where it does not apply. */
static bool off_the_curve(struct encodings *e, size_t i, struct rng *rng)
{
    struct any_point p;

    (void)rng;
    do
        encoding(e, i)[e->bytes - 1]++;
    while (decode_one(e, i, &p) != POINT_NOT_ON_CURVE);
    return true;
}

static bool too_large(struct encodings *e, size_t i, struct rng *rng)
{
    const size_t at = rng_below(rng, e->group->second ? 2 : 1) * e->group->curve->fp_bytes;
    uint8_t *bytes = encoding(e, i) + at;
    const uint8_t flags = bytes[0] & 0xe0;

    memset(bytes, 0xff, e->group->curve->fp_bytes);
    bytes[0] =
        at ? 0xff : (uint8_t)(flags | 0x1f | (e->group->curve->fp_bits % 64 == 62 ? 0x20 : 0));
    return true;
}

static bool uncompressed(struct encodings *e, size_t i, struct rng *rng)
{
    (void)rng;
    encoding(e, i)[0] &= 0x1f;
    return true;
}

/* Infinity's flag with something behind it. */
static bool not_quite_infinity(struct encodings *e, size_t i, struct rng *rng)
{
    static const struct any_point infinity;

    encode(e, i, &infinity);
    encoding(e, i)[1 + rng_below(rng, e->bytes - 1)] = 1;
    return true;
}

/* (0, 2) on G1 of BLS12-381, and such a component beside one of order r. */
static bool of_order_three(struct encodings *e, size_t i, struct rng *rng)
{
    struct any_point p = {.u = {.w = {[6] = 2}}}, q;

    if (e->group->second || strcmp(e->group->curve->name, "bls12_381") != 0)
        return false;
    if (rng_below(rng, 2)) {
        decode_one(e, i, &q);
        group_add(e->group, &p, &p, &q);
    }
    encode(e, i, &p);
    return true;
}

static void test_the_first_bad_point_is_named(void **state)
{
    static bool (*const spoil[])(struct encodings *, size_t, struct rng *) = {
        off_the_curve, too_large, uncompressed, not_quite_infinity, outside, of_order_three};
    enum { N_SPOIL = sizeof spoil / sizeof *spoil };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 2);
    for (size_t c = 0; c < n_cases; c++)
        for (size_t s = 0; s < N_SPOIL; s++)
            for (size_t at = 0; at < 20; at++) {
                struct encodings e;

                encodings_init(&e, &cases[c]);
                random_points(&e, &rng);
                if (!spoil[s](&e, at, &rng))
                    break;
                if (at % 2) /* and one behind it, which is not the first */
                    spoil[rng_below(&rng, N_SPOIL - 1)](&e, at + 1 + rng_below(&rng, 20), &rng);
                expect_as_one_by_one(&e, MOST, "spoilt");
                expect_as_one_by_one(&e, at + 1, "spoilt at the end");
            }
}

/* ---- all there are --------------------------------------------------------------------------- */

/* Every x a little beyond p, with all flags, eight times the same: a good one is good and a bad one
 * bad in all lanes. On G2 of the larger toy a sample of x. */
static void test_all_encodings_of_the_toys(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 3);
    for (size_t c = n_large; c < n_cases; c++) {
        const unsigned span = cases[c].curve->fp_bits < 8 ? 128 : 1024;
        const unsigned all = cases[c].second ? span * span : span;
        const unsigned n = all < 20000 ? all : 20000;
        struct encodings e;

        encodings_init(&e, &cases[c]);
        for (unsigned k = 0; k < n; k++) {
            const unsigned x = n < all ? (unsigned)rng_below(&rng, all) : k;

            for (unsigned flags = 0; flags < 8; flags++) {
                for (size_t i = 0; i < 8; i++) {
                    uint8_t *bytes = encoding(&e, i);

                    memset(bytes, 0, e.bytes);
                    bytes[e.bytes - 1] = (uint8_t)(x % span);
                    bytes[e.bytes - 2] = (uint8_t)(x % span >> 8);
                    if (cases[c].second) {
                        bytes[7] = (uint8_t)(x / span);
                        bytes[6] = (uint8_t)(x / span >> 8);
                    }
                    bytes[0] |= (uint8_t)(flags << 5);
                }
                expect_as_one_by_one(&e, 8, "a toy's");
            }
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    n_cases = group_cases(cases, &n_large);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_come_back_as_they_were),
        cmocka_unit_test(test_infinity_is_accepted_anywhere),
        cmocka_unit_test(test_the_first_bad_point_is_named),
        cmocka_unit_test(test_all_encodings_of_the_toys),
    };

    return cmocka_run_group_tests_name("decompress", tests, set_up, NULL);
}
