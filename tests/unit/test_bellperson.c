/* bellperson's files: what is written is read back, and every broken file gets its sentence. */
#include "support/testing.h"

#include "base/reader.h"
#include "base/rng.h"
#include "format/bellperson.h"
#include "format/params_writer.h"
#include "support/tiny_set.h"
#include "support/vectors.h"

#define CURVE (&curve_bls12_381)

/* Places in three/params.bin: 2 ic, h 7, l 3, a 5, b_g1 2, b_g2 2. */
enum {
    AT_IC_COUNT = 864,
    AT_IC = 868,
    AT_H = AT_IC + 2 * 96,
    AT_L = AT_H + 4 + 7 * 96,
    AT_A = AT_L + 4 + 3 * 96,
    AT_B_G1 = AT_A + 4 + 5 * 96,
    AT_B_G2 = AT_B_G1 + 4 + 2 * 96,
    THREE_BYTES = AT_B_G2 + 4 + 2 * 192,
};

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Opens bytes as a .params file; the message without the file's name comes back in err. */
static enum cuzk_status open_bytes(const void *bytes, size_t n, struct cuzk_error *err)
{
    struct proving_key key = {0};
    enum cuzk_status st;
    struct budget budget;
    char path[4096];
    size_t prefix;

    snprintf(path, sizeof path, "%s", test_scratch_path("case.params"));
    write_file(path, bytes, n);
    budget_init(&budget, 0);
    st = params_open(&key, path, CURVE, NULL, &budget, err);
    proving_key_done(&key);
    assert_int_equal(budget.now, 0);
    remove(path);
    prefix = strlen(path) + 2;
    if (st != CUZK_OK) {
        assert_memory_equal(err->message, path, prefix - 2);
        memmove(err->message, err->message + prefix, strlen(err->message) - prefix + 1);
    }
    return st;
}

static void assert_refused(const void *bytes, size_t n, const char *sentence)
{
    struct cuzk_error err;

    assert_int_equal(open_bytes(bytes, n, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, sentence);
}

static uint8_t *three(size_t *n)
{
    uint8_t *bytes = vector_read(vector_path("filecoin/tiny/three/params.bin"), n);

    assert_int_equal(*n, THREE_BYTES);
    return bytes;
}

static void test_a_key_opens_as_views_of_the_file(void **state)
{
    static const size_t lengths[KEY_N_QUERIES] = {7, 3, 5, 2, 2};
    static const size_t at[KEY_N_QUERIES] = {AT_H, AT_L, AT_A, AT_B_G1, AT_B_G2};
    struct proving_key key;

    (void)state;
    assert_int_equal(
        params_open(&key, vector_path("filecoin/tiny/three/params.bin"), CURVE, NULL, NULL, NULL),
        CUZK_OK);
    assert_int_equal(key.vk.n_inputs, 2);
    assert_int_equal(key.domain_generator, 7);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        assert_int_equal(key.query[q].n, lengths[q]);
        assert_ptr_equal(key.query[q].data, key.map.data + at[q] + 4);
    }
    proving_key_done(&key);
}

static void test_verifying_keys_survive_the_way_out_and_in(void **state)
{
    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        uint8_t *bytes, *again;
        struct verifying_key vk;
        struct out_file out;
        char path[4096];
        size_t n, n_again;

        bytes = vector_read(vector_path("filecoin/tiny/%s/vk.bin", tiny_names[i]), &n);
        assert_int_equal(vk_open(&vk, vector_path("filecoin/tiny/%s/vk.bin", tiny_names[i]), CURVE,
                                 NULL, NULL, NULL),
                         CUZK_OK);
        snprintf(path, sizeof path, "%s", test_scratch_path("again.vk"));
        assert_int_equal(out_open(&out, path, NULL), CUZK_OK);
        assert_int_equal(vk_write(&out, &vk, NULL), CUZK_OK);
        assert_int_equal(out_commit(&out, NULL), CUZK_OK);
        again = vector_read(path, &n_again);
        assert_int_equal(n, n_again);
        assert_memory_equal(bytes, again, n);
        remove(path);
        verifying_key_done(&vk);
        vector_free(again);
        vector_free(bytes);
    }
}

/* ---- lengths -------------------------------------------------------------------------------- */

static void test_every_truncation_is_refused(void **state)
{
    size_t n;
    uint8_t *bytes = three(&n);
    struct cuzk_error err;

    (void)state;
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(open_bytes(bytes, cut, &err), CUZK_BAD_INPUT);
    vector_free(bytes);
}

static void test_truncations_say_where(void **state)
{
    size_t n;
    uint8_t *bytes = three(&n);

    (void)state;
    assert_refused(bytes, 0, "vk: offset 0: expected 96 bytes, found 0");
    assert_refused(bytes, 300, "vk: offset 192: expected 192 bytes, found 108");
    assert_refused(bytes, AT_IC_COUNT + 2, "ic: offset 864: expected 4 bytes, found 2");
    assert_refused(bytes, AT_H, "h: offset 1060: expected 4 bytes, found 0");
    assert_refused(bytes, AT_L - 1,
                   "h: offset 1060: a length of 7 points, the 671 bytes left hold 6");
    assert_refused(bytes, n - 1,
                   "b_g2: offset 2708: a length of 2 points, the 383 bytes left hold 1");
    vector_free(bytes);
}

static void test_bytes_after_the_end_are_refused(void **state)
{
    size_t n;
    uint8_t *bytes = three(&n), *longer = calloc(n + 3, 1);

    (void)state;
    memcpy(longer, bytes, n);
    assert_refused(longer, n + 3, "b_g2: offset 3096: expected the end, found 3 more bytes");
    free(longer);
    vector_free(bytes);
}

/* Sets the count at a place, and moves `points` points of `bytes` bytes into or out of the file. */
static void assert_count_refused(size_t at, uint32_t count, const char *sentence)
{
    size_t n;
    uint8_t *bytes = three(&n);

    store_u32_be(bytes + at, count);
    assert_refused(bytes, n, sentence);
    vector_free(bytes);
}

static void test_lengths_that_lie_are_refused(void **state)
{
    (void)state;
    assert_count_refused(
        AT_IC_COUNT, UINT32_MAX,
        "ic: offset 864: a length of 4294967295 points, the 2228 bytes left hold 23");
    assert_count_refused(AT_IC_COUNT, 0,
                         "ic: offset 864: expected at least the point of ONE, found none");
    assert_count_refused(
        AT_H, UINT32_MAX,
        "h: offset 1060: a length of 4294967295 points, the 2032 bytes left hold 21");
    assert_count_refused(AT_B_G2, 3,
                         "b_g2: offset 2708: a length of 3 points, the 384 bytes left hold 2");
}

/* Takes `n` bytes out of a file at `at` and sets a count. */
static void assert_shorter_refused(size_t count_at, uint32_t count, size_t at, size_t cut,
                                   const char *sentence)
{
    size_t n;
    uint8_t *bytes = three(&n);

    store_u32_be(bytes + count_at, count);
    memmove(bytes + at, bytes + at + cut, n - at - cut);
    assert_refused(bytes, n - cut, sentence);
    vector_free(bytes);
}

static void test_lengths_that_fit_no_circuit_are_refused(void **state)
{
    (void)state;
    assert_shorter_refused(AT_H, 6, AT_H + 4, 96,
                           "h: offset 1060: expected one point less than a power of two, found 6");
    assert_shorter_refused(
        AT_A, 1, AT_A + 4, 4 * 96,
        "a: offset 2028: expected a point for each of 2 inputs at least, found 1");
    assert_shorter_refused(AT_B_G2, 1, AT_B_G2 + 4, 192,
                           "b_g2: offset 2708: expected 2 points as in b_g1, found 1");
}

/* ---- points --------------------------------------------------------------------------------- */

static void assert_change_refused(size_t at, uint8_t xor_with, const char *sentence)
{
    size_t n;
    uint8_t *bytes = three(&n);

    bytes[at] ^= xor_with;
    assert_refused(bytes, n, sentence);
    vector_free(bytes);
}

static void test_broken_points_of_the_verifying_key_are_named(void **state)
{
    (void)state;
    assert_change_refused(
        0, 0x80, "vk: offset 0: alpha_g1: expected a point of the group, found: bad flags");
    assert_change_refused(
        95, 1, "vk: offset 0: alpha_g1: expected a point of the group, found: not on the curve");
    assert_change_refused(
        150, 1, "vk: offset 96: beta_g1: expected a point of the group, found: not on the curve");
    assert_change_refused(
        383, 1, "vk: offset 192: beta_g2: expected a point of the group, found: not on the curve");
    assert_change_refused(
        384, 0x20, "vk: offset 384: gamma_g2: expected a point of the group, found: bad flags");
    assert_change_refused(
        600, 1, "vk: offset 576: delta_g1: expected a point of the group, found: not on the curve");
    assert_change_refused(
        863, 1, "vk: offset 672: delta_g2: expected a point of the group, found: not on the curve");
    assert_change_refused(
        AT_IC + 96 + 50, 1,
        "ic: offset 964: point 1: expected a point of the group, found: not on the curve");
}

static void test_infinity_has_no_place_in_a_verifying_key(void **state)
{
    static const struct {
        size_t at, bytes;
        const char *sentence;
    } cases[] = {
        {0, 96, "vk: offset 0: alpha_g1: expected a point of the group, found: point at infinity"},
        {384, 192,
         "vk: offset 384: gamma_g2: expected a point of the group, found: point at infinity"},
        {672, 192,
         "vk: offset 672: delta_g2: expected a point of the group, found: point at infinity"},
        {AT_IC, 96,
         "ic: offset 868: point 0: expected a point of the group, found: point at "
         "infinity"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n;
        uint8_t *bytes = three(&n);

        memset(bytes + cases[i].at, 0, cases[i].bytes);
        bytes[cases[i].at] = 0x40;
        assert_refused(bytes, n, cases[i].sentence);
        vector_free(bytes);
    }
}

/* A curve point outside the subgroup: most points are; the first small x that the compressed
 * decoder takes. */
static bool small_point_outside_subgroup(struct g1_point *ret)
{
    for (uint8_t x = 0; x < 255; x++) {
        uint8_t bytes[48] = {0x80};

        bytes[47] = x;
        if (CURVE->g1_decode(ret, bytes, true, false) == POINT_OK &&
            CURVE->g1_check(ret) == POINT_NOT_IN_SUBGROUP)
            return true;
    }
    return false;
}

static void test_points_outside_the_subgroup_are_refused(void **state)
{
    struct g1_point outside;
    size_t n;
    uint8_t *bytes = three(&n);

    (void)state;
    assert_true(small_point_outside_subgroup(&outside));
    CURVE->g1_encode(bytes + AT_IC + 96, &outside, false);
    assert_refused(bytes, n,
                   "ic: offset 964: point 1: expected a point of the group, found: not in the "
                   "subgroup of order r");
    CURVE->g1_encode(bytes + 96, &outside, false);
    assert_refused(bytes, n,
                   "vk: offset 96: beta_g1: expected a point of the group, found: not in the "
                   "subgroup of order r");
    vector_free(bytes);
}

/* ---- proofs --------------------------------------------------------------------------------- */

static void test_proofs_are_read_strictly(void **state)
{
    uint8_t bytes[192], again[192];
    struct cuzk_error err;
    struct proof proof;
    size_t n;
    uint8_t *good = vector_read(vector_path("filecoin/tiny/three/proof.bin"), &n);

    (void)state;
    assert_int_equal(proof_decode(&proof, CURVE, good, n, "p", &err), CUZK_OK);
    proof_encode(again, CURVE, &proof);
    assert_memory_equal(again, good, 192);

    assert_int_equal(proof_decode(&proof, CURVE, good, 191, "p", &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "p: proof: offset 0: expected 192 bytes, found 191");
    memcpy(bytes, good, 192);
    bytes[0] &= 0x7f;
    assert_int_equal(proof_decode(&proof, CURVE, bytes, 192, "p", &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "p: proof: offset 0: A: expected a point of the group, found: "
                                     "bad flags");
    memcpy(bytes, good, 192);
    memset(bytes + 144, 0, 48);
    bytes[144] = 0xc0;
    assert_int_equal(proof_decode(&proof, CURVE, bytes, 192, "p", &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "p: proof: offset 144: C: expected a point of the group, "
                                     "found: point at infinity");
    memcpy(bytes, good, 192);
    memset(bytes + 48, 0xff, 96);
    bytes[48] = 0x9f;
    assert_int_equal(proof_decode(&proof, CURVE, bytes, 192, "p", &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message,
                        "p: proof: offset 48: B: expected a point of the group, found: "
                        "coordinate not below the modulus");
    vector_free(good);
}

enum { PROOFS = 19 }; /* two vectors and a part of one */

static void random_proof(struct proof *proof, struct rng *rng)
{
    struct scalar k = {{0}};

    *proof = (struct proof){0};
    rng_bytes(rng, &k, 31);
    CURVE->g1_mul(&proof->a, &CURVE->g1_generator, &k);
    rng_bytes(rng, &k, 31);
    CURVE->g2_mul(&proof->b, &CURVE->g2_generator, &k);
    rng_bytes(rng, &k, 31);
    CURVE->g1_mul(&proof->c, &CURVE->g1_generator, &k);
}

/* The first bad one, and what is said of it, as proof_decode would say it. */
static void expect_bad_proof(const uint8_t *bytes, size_t n, size_t expected, struct pool *pool)
{
    struct proof proofs[PROOFS], proof;
    struct cuzk_error err, err_alone;
    size_t bad = 99;

    assert_int_equal(proofs_decode(proofs, CURVE, bytes, n, "p", &bad, pool, &err), CUZK_BAD_INPUT);
    assert_int_equal(bad, expected);
    assert_int_equal(proof_decode(&proof, CURVE, bytes + 192 * expected, 192, "p", &err_alone),
                     CUZK_BAD_INPUT);
    assert_string_equal(err.message, err_alone.message);
}

static void test_many_proofs_are_what_each_is_alone(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 7, 8, 9, 16, PROOFS};
    static const struct change {
        size_t at;
        uint8_t infinity; /* otherwise a flag is lost */
    } changes[] = {{0, 0}, {48, 0}, {144, 0}, {0, 1}, {48, 1}, {144, 1}};
    struct proof proofs[PROOFS], got[PROOFS];
    uint8_t bytes[192 * PROOFS];
    struct cuzk_error err;
    struct pool *pool;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    assert_int_equal(pool_new(&pool, 3, &err), CUZK_OK);
    for (size_t i = 0; i < PROOFS; i++) {
        random_proof(&proofs[i], &rng);
        proof_encode(bytes + 192 * i, CURVE, &proofs[i]);
    }
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int threads = 0; threads < 2; threads++) {
            size_t bad = 99;

            memset(got, 0x5a, sizeof got);
            assert_int_equal(proofs_decode(got, CURVE, bytes, lengths[l], "p", &bad,
                                           threads ? pool : NULL, &err),
                             CUZK_OK);
            assert_int_equal(bad, 99);
            assert_memory_equal(got, proofs, lengths[l] * sizeof *got);
        }
    for (size_t i = 0; i < PROOFS; i++) {
        const struct change *change = &changes[i % (sizeof changes / sizeof *changes)];
        uint8_t kept[192 * PROOFS];

        memcpy(kept, bytes, sizeof bytes);
        bytes[192 * i + change->at] &= 0x7f;
        if (change->infinity) {
            memset(bytes + 192 * i + change->at, 0, change->at == 48 ? 96 : 48);
            bytes[192 * i + change->at] = 0xc0;
        }
        expect_bad_proof(bytes, PROOFS, i, NULL);
        bytes[192 * (PROOFS - 1)] ^= 0x80; /* another behind it, or none */
        if (i < PROOFS - 1)
            expect_bad_proof(bytes, PROOFS, i, pool);
        memcpy(bytes, kept, sizeof bytes);
    }
    pool_free(pool);
}

static void test_a_cancelled_pool_decodes_no_proofs(void **state)
{
    const atomic_bool cancel = true;
    uint8_t bytes[192] = {0};
    struct proof proof;
    struct cuzk_error err;
    struct pool *pool;

    (void)state;
    assert_int_equal(pool_new(&pool, 2, &err), CUZK_OK);
    pool_set_cancel(pool, &cancel);
    assert_int_equal(proofs_decode(&proof, CURVE, bytes, 1, "p", NULL, pool, &err), CUZK_CANCELLED);
    pool_free(pool);
}

/* ---- other people's files ------------------------------------------------------------------- */

static void test_hostile_keys_are_refused_in_one_line(void **state)
{
    static const struct {
        const char *file, *sentence; /* NULL: reads */
        bool params;
    } cases[] = {
        {"b00_good.vk", NULL, false},
        {"b01_trunc.vk", "ic: offset 864: a length of 4 points, the 383 bytes left hold 3", false},
        {"b02_ic_count_max.vk",
         "ic: offset 864: a length of 4294967295 points, the 384 bytes left hold 4", false},
        {"b03_flag_compressed.vk", "vk: offset 0: alpha_g1: ", false},
        {"b04_flag_inf_nonzero.vk", "vk: offset 0: alpha_g1: ", false},
        {"b05_bitflip.vk", "not on the curve", false},
        {"b06_little_endian.vk", "vk: offset 0: alpha_g1: ", false},
        {"b07_empty.params", "vk: offset 0: expected 96 bytes, found 0", true},
        {"b08_vk_only.params", "h: offset 1252: expected 4 bytes, found 0", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct proving_key key = {0};
        struct verifying_key vk = {0};
        struct cuzk_error err = {0};
        enum cuzk_status st;
        char name[256];
        const char *path;

        snprintf(name, sizeof name, "cases/hostile/%s", cases[i].file);
        if (!(path = test_data_path(name)))
            skip();
        st = cases[i].params ? params_open(&key, path, CURVE, NULL, NULL, &err)
                             : vk_open(&vk, path, CURVE, NULL, NULL, &err);
        assert_int_equal(st, cases[i].sentence ? CUZK_BAD_INPUT : CUZK_OK);
        if (cases[i].sentence && !strstr(err.message, cases[i].sentence))
            fail_msg("%s: expected \"%s\", found \"%s\"", cases[i].file, cases[i].sentence,
                     err.message);
        verifying_key_done(&vk);
        proving_key_done(&key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_key_opens_as_views_of_the_file),
        cmocka_unit_test(test_verifying_keys_survive_the_way_out_and_in),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_truncations_say_where),
        cmocka_unit_test(test_bytes_after_the_end_are_refused),
        cmocka_unit_test(test_lengths_that_lie_are_refused),
        cmocka_unit_test(test_lengths_that_fit_no_circuit_are_refused),
        cmocka_unit_test(test_broken_points_of_the_verifying_key_are_named),
        cmocka_unit_test(test_infinity_has_no_place_in_a_verifying_key),
        cmocka_unit_test(test_points_outside_the_subgroup_are_refused),
        cmocka_unit_test(test_proofs_are_read_strictly),
        cmocka_unit_test(test_many_proofs_are_what_each_is_alone),
        cmocka_unit_test(test_a_cancelled_pool_decodes_no_proofs),
        cmocka_unit_test(test_hostile_keys_are_refused_in_one_line),
    };

    return cmocka_run_group_tests_name("bellperson", tests, NULL, NULL);
}
