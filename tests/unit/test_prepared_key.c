/* Prepared keys: made of every set of tests/vectors/filecoin/tiny, opened, used, and damaged. */
#include "support/testing.h"

#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "format/bellperson.h"
#include "format/prepared_writer.h"
#include "groth16/prove.h"
#include "msm/group_kernels.h"
#include "support/tiny_set.h"
#include "support/vectors.h"

#define CURVE (&curve_bls12_381)

/* ---- making one ------------------------------------------------------------------------------ */

static void header_of(struct prepared_header *header, const struct proving_key *key,
                      const struct tiny_set *set)
{
    struct cuzk_error err;

    *header = (struct prepared_header){.curve = CURVE,
                                       .domain_generator = key->domain_generator,
                                       .lg_domain = set->qap.lg_domain,
                                       .h_basis = key->h_basis,
                                       .n_inputs = set->cs.n_inputs,
                                       .n_aux = set->cs.n_aux};
    snprintf(header->circuit.name, sizeof header->circuit.name, "%s", set->name);
    header->circuit.structural = 0x0123456789abcdef;
    assert_ok(qap_digest(&set->qap, header->circuit.densities, &err), err);
    header->section[PREPARED_VK].n = vk_bytes(CURVE, set->cs.n_inputs);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        header->section[PREPARED_QUERIES + q].n = key->query[q].n;
}

static void write_query(struct prepared_writer *w, const struct points_view *points,
                        const struct group_kernels *group)
{
    uint8_t *native = malloc(points->n * group->point_bytes + 1);
    struct points_fault fault;
    struct cuzk_error err;

    assert_non_null(native);
    assert_true(group->decode(native, points, 0, points->n, &fault));
    if (points->n)
        assert_ok(prepared_writer_points(w, native, points->n, &err), err);
    free(native);
}

/* The set's key, prepared; returns its path in a static buffer. */
static const char *prepare(const struct tiny_set *set)
{
    static char path[4096];
    struct prepared_header header;
    struct prepared_writer w;
    struct proving_key key;
    struct cuzk_error err;

    assert_ok(params_open(&key, vector_path("filecoin/tiny/%s/params.bin", set->name), CURVE, NULL,
                          NULL, &err),
              err);
    snprintf(path, sizeof path, "%s", test_scratch_path("tiny.cuzk"));
    header_of(&header, &key, set);
    assert_ok(prepared_writer_open(&w, path, &header, key.map.data, NULL, &err), err);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        write_query(&w, &key.query[q], key_query_group(q) == ELEMENT_G2 ? CURVE->g2 : CURVE->g1);
    assert_ok(prepared_writer_commit(&w, &err), err);
    proving_key_done(&key);
    return path;
}

/* The bytes of a prepared key of the set, for free(). */
static uint8_t *prepared_bytes(const char *name, size_t *n)
{
    struct tiny_set set;
    uint8_t *bytes;

    tiny_set_load(&set, name);
    bytes = vector_read(prepare(&set), n);
    remove(test_scratch_path("tiny.cuzk"));
    tiny_set_free(&set);
    return bytes;
}

/* ---- using it -------------------------------------------------------------------------------- */

static void expect_proof(const struct tiny_set *set, const struct proving_key *key)
{
    const struct prove_options options = {.backend = backend_find("cpu")};
    uint8_t bytes[192], *expected;
    struct cuzk_error err;
    struct proof proof;
    size_t n;

    assert_ok(proving_key_matches(key, &set->qap, &err), err);
    assert_ok(groth16_prove(key, &set->qap, &set->witness, &set->blinding, &options, &proof, &err),
              err);
    proof_encode(bytes, CURVE, &proof);
    expected = tiny_set_file(set, "proof.bin", &n);
    assert_int_equal(n, sizeof bytes);
    assert_memory_equal(bytes, expected, n);
    vector_free(expected);
}

static void test_proofs_from_a_prepared_key_are_the_same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        struct prepared_header header;
        struct proving_key key;
        struct tiny_set set;
        struct cuzk_error err;
        const char *path;

        tiny_set_load(&set, tiny_names[i]);
        path = prepare(&set);
        assert_ok(prepared_key_open(&key, &header, path, CURVE, NULL, NULL, &err), err);
        assert_string_equal(key.circuit.name, set.name);
        for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
            assert_int_equal(key.query[q].form, POINTS_NATIVE);
            assert_int_equal((uintptr_t)key.query[q].data % PREPARED_PAGE, 0);
        }
        if (json_bool(json_get(json_get(set.meta, "circuit"), "satisfied")))
            expect_proof(&set, &key);
        proving_key_done(&key);
        remove(path);
        tiny_set_free(&set);
    }
}

static void test_checksums_are_those_of_the_sections(void **state)
{
    struct prepared_header header;
    struct section_sum sum;
    struct cuzk_error err;
    struct reader r;
    uint8_t *bytes, found[PREPARED_DIGEST_BYTES];
    size_t n;

    (void)state;
    bytes = prepared_bytes("mimc322", &n);
    r = reader_over(bytes, n, "key");
    assert_ok(prepared_header_read(&header, &r, CURVE, &err), err);
    assert_ok(section_sum_new(&sum, &err), err);
    for (unsigned i = 0; i < PREPARED_N_SECTIONS; i++) {
        const struct prepared_section *s = &header.section[i];

        section_sum_add(&sum, bytes + s->offset, s->bytes, NULL);
        section_sum_final(&sum, found);
        assert_ok(prepared_compare(&header, i, found, "key", &err), err);
        bytes[s->offset + s->bytes - 1] ^= 0x40;
        section_sum_add(&sum, bytes + s->offset, s->bytes, NULL);
        section_sum_final(&sum, found);
        assert_int_equal(prepared_compare(&header, i, found, "key", &err), CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "checksum: expected"));
        assert_non_null(strstr(err.message, prepared_section_name(i)));
    }
    section_sum_free(&sum);
    vector_free(bytes);
}

static void test_a_checksum_does_not_depend_on_threads_or_pieces(void **state)
{
    const size_t n = 5 * PREPARED_CHUNK + 1000;
    uint8_t *bytes = malloc(n), one[PREPARED_DIGEST_BYTES], other[PREPARED_DIGEST_BYTES];
    struct section_sum sum;
    struct cuzk_error err;
    struct pool *pool;
    struct rng rng;

    (void)state;
    assert_non_null(bytes);
    rng_seed(&rng, test_seed());
    rng_bytes(&rng, bytes, n);
    assert_ok(pool_new(&pool, 3, &err), err);
    assert_ok(section_sum_new(&sum, &err), err);
    section_sum_add(&sum, bytes, n, NULL);
    section_sum_final(&sum, one);
    section_sum_add(&sum, bytes, 2 * PREPARED_CHUNK, pool);
    section_sum_add(&sum, bytes + 2 * PREPARED_CHUNK, n - 2 * PREPARED_CHUNK, pool);
    section_sum_final(&sum, other);
    assert_memory_equal(one, other, sizeof one);
    for (size_t at = 0, some; at < n; at += some) {
        some = 1 + rng_u64(&rng) % (3 * PREPARED_CHUNK);
        some = some < n - at ? some : n - at;
        section_sum_add(&sum, bytes + at, some, pool);
    }
    section_sum_final(&sum, other);
    assert_memory_equal(one, other, sizeof one);
    section_sum_free(&sum);
    pool_free(pool);
    free(bytes);
}

/* ---- hostile files --------------------------------------------------------------------------- */

static enum cuzk_status open_bytes(const uint8_t *bytes, size_t n, struct cuzk_error *err)
{
    struct reader r = reader_over(bytes, n, "key");
    struct proving_key key;
    enum cuzk_status st = prepared_key_read(&key, NULL, &r, CURVE, NULL, NULL, err);

    if (st == CUZK_OK)
        proving_key_done(&key);
    return st;
}

static void expect_refused(const uint8_t *bytes, size_t n, const char *what, size_t at)
{
    struct cuzk_error err = {0};

    if (open_bytes(bytes, n, &err) != CUZK_BAD_INPUT)
        fail_msg("%s at %zu: not refused", what, at);
    if (strncmp(err.message, "key: ", 5) != 0 || strchr(err.message, '\n'))
        fail_msg("%s at %zu: %s", what, at, err.message);
}

/* Bytes that belong to the points of a section are the only ones that opening does not look at. */
static bool is_point(const struct prepared_header *header, size_t at)
{
    for (unsigned i = PREPARED_QUERIES; i < PREPARED_N_SECTIONS; i++)
        if (at >= header->section[i].offset &&
            at < header->section[i].offset + header->section[i].bytes)
            return true;
    return false;
}

static void test_every_changed_byte_outside_the_points_is_refused(void **state)
{
    struct prepared_header header;
    struct cuzk_error err;
    struct reader r;
    uint8_t *bytes;
    size_t n;

    (void)state;
    bytes = prepared_bytes("three", &n);
    r = reader_over(bytes, n, "key");
    assert_ok(prepared_header_read(&header, &r, CURVE, &err), err);
    assert_ok(open_bytes(bytes, n, &err), err);
    for (size_t at = 0; at < n; at++) {
        const uint8_t flip = (uint8_t)(1u << at % 8);

        bytes[at] ^= flip;
        if (is_point(&header, at))
            assert_ok(open_bytes(bytes, n, &err), err);
        else
            expect_refused(bytes, n, "a changed byte", at);
        bytes[at] ^= flip;
    }
    vector_free(bytes);
}

static void test_every_truncation_is_refused(void **state)
{
    uint8_t *bytes, *longer;
    size_t n;

    (void)state;
    bytes = prepared_bytes("three", &n);
    for (size_t left = 0; left < n; left += left < 4200 ? 1 : 97)
        expect_refused(bytes, left, "a truncation", left);
    expect_refused(bytes, n - 1, "a truncation", n - 1);
    longer = malloc(n + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, n);
    longer[n] = 0;
    expect_refused(longer, n + 1, "a byte more", n);
    free(longer);
    vector_free(bytes);
}

static void store(uint8_t *bytes, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        bytes[at + i] = (uint8_t)(value >> (8 * i));
}

/* A header that lies, with the right SHA-256: each lie is named. */
static void test_consistent_lies_are_refused(void **state)
{
    enum { VK = 256, H = VK + 80, L = H + 80, A = L + 80, B1 = A + 80, B2 = B1 + 80 };
    static const struct {
        size_t at;
        unsigned width;
        uint64_t value;
        const char *saying;
    } lies[] = {
        {0, 1, 'C', "expected a prepared key"},
        {8, 4, 2, "version: expected 1, found 2"},
        {12, 4, 5, "sections: expected 6, found 5"},
        {16, 8, 1, "bytes of the file"},
        {24, 1, 'B', "curve: expected bls12_381, found Bls12_381"},
        {39, 1, 1, "curve"},
        {40, 8, 6, "no domain"},
        {48, 4, 33, "no domain"},
        {48, 4, UINT32_MAX, "no domain"},
        {48, 4, 20, "elements, at least"},
        {52, 4, 4, "basis of h, at most: expected 3, found 4"},
        {52, 4, 2, "elements, at least"},
        {56, 8, 0, "inputs"},
        {56, 8, UINT64_MAX, "inputs"},
        {64, 8, UINT64_MAX, "inputs"},
        {64, 8, 1 << 20, "elements, at least"},
        {127, 1, 'x', "circuit: expected a text"},
        {220, 1, 1, "padding: expected 0, found 1"},
        {VK, 1, 'V', "section: expected vk"},
        {VK + 16, 8, 2, "bytes of an element"},
        {VK + 24, 8, UINT64_MAX, "elements, at most"},
        {VK + 24, 8, 1, "bytes: expected 1"},
        {VK + 32, 8, 8192, "offset: expected 4096, found 8192"},
        {VK + 40, 8, UINT64_MAX, "bytes: expected"},
        {VK + 48, 1, 0x5a, "vk: offset 4096: checksum"},
        {H + 24, 8, 0, "elements, at least"},
        {H + 24, 8, UINT64_MAX, "elements, at most"},
        {L + 24, 8, 0, "elements, at least"},
        {A + 24, 8, UINT64_MAX / 96, "elements, at most"},
        {B1 + 24, 8, UINT64_MAX, "elements, at most"},
        {B2 + 24, 8, 0, "elements, at least"},
        {B2 + 32, 8, UINT64_MAX - 4095, "offset: expected"},
        {B2 + 16, 8, 96, "bytes of an element: expected 192, found 96"},
        {B2 + 90, 1, 1, "padding"},
    };
    uint8_t *bytes, *copy;
    size_t n;

    (void)state;
    bytes = prepared_bytes("three", &n);
    copy = malloc(n);
    assert_non_null(copy);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct cuzk_error err = {0};

        memcpy(copy, bytes, n);
        store(copy, lies[i].at, lies[i].width, lies[i].value);
        sha256(copy + PREPARED_PAGE - 32, copy, PREPARED_PAGE - 32);
        expect_refused(copy, n, "a lie", lies[i].at);
        (void)open_bytes(copy, n, &err);
        if (!strstr(err.message, lies[i].saying))
            fail_msg("lie %zu: \"%s\" is not in: %s", i, lies[i].saying, err.message);
    }
    free(copy);
    vector_free(bytes);
}

static void test_a_key_of_another_circuit_is_refused_by_its_densities(void **state)
{
    struct cuzk_error err = {0};
    struct proving_key key;
    struct tiny_set set;
    struct reader r;
    uint8_t *bytes;
    size_t n;

    (void)state;
    bytes = prepared_bytes("three", &n);
    bytes[168] ^= 1;
    sha256(bytes + PREPARED_PAGE - 32, bytes, PREPARED_PAGE - 32);
    r = reader_over(bytes, n, "key");
    tiny_set_load(&set, "three");
    assert_ok(prepared_key_read(&key, NULL, &r, CURVE, NULL, NULL, &err), err);
    assert_int_equal(proving_key_matches(&key, &set.qap, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "another circuit"));
    proving_key_done(&key);
    tiny_set_free(&set);
    vector_free(bytes);
}

static void test_a_writer_that_lacks_points_leaves_no_file(void **state)
{
    struct prepared_header header;
    struct prepared_writer w;
    struct proving_key key;
    struct tiny_set set;
    struct cuzk_error err;
    const char *path = test_scratch_path("lacking.cuzk");

    (void)state;
    tiny_set_load(&set, "three");
    assert_ok(
        params_open(&key, vector_path("filecoin/tiny/three/params.bin"), CURVE, NULL, NULL, &err),
        err);
    header_of(&header, &key, &set);
    assert_ok(prepared_writer_open(&w, path, &header, key.map.data, NULL, &err), err);
    write_query(&w, &key.query[QUERY_H], CURVE->g1);
    assert_int_equal(prepared_writer_commit(&w, &err), CUZK_INTERNAL);
    assert_non_null(strstr(err.message, "points of l are missing"));
    assert_int_not_equal(access(path, F_OK), 0);
    proving_key_done(&key);
    tiny_set_free(&set);
}

static void test_every_failed_allocation_is_reported(void **state)
{
    uint8_t *bytes;
    size_t n;

    (void)state;
    bytes = prepared_bytes("three", &n);
    for (size_t nth = 1;; nth++) {
        struct budget budget;
        struct cuzk_error err = {0};
        struct reader r = reader_over(bytes, n, "key");
        struct proving_key key;
        enum cuzk_status st;

        budget_init(&budget, 0);
        mem_fail_at(nth);
        st = prepared_key_read(&key, NULL, &r, CURVE, NULL, &budget, &err);
        mem_fail_at(0);
        if (st == CUZK_OK)
            proving_key_done(&key);
        assert_int_equal(budget.now, 0);
        if (st == CUZK_OK) {
            assert_true(nth > 1);
            break;
        }
        assert_int_equal(st, CUZK_NO_MEMORY);
    }
    vector_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proofs_from_a_prepared_key_are_the_same_bytes),
        cmocka_unit_test(test_checksums_are_those_of_the_sections),
        cmocka_unit_test(test_a_checksum_does_not_depend_on_threads_or_pieces),
        cmocka_unit_test(test_every_changed_byte_outside_the_points_is_refused),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_consistent_lies_are_refused),
        cmocka_unit_test(test_a_key_of_another_circuit_is_refused_by_its_densities),
        cmocka_unit_test(test_a_writer_that_lacks_points_leaves_no_file),
        cmocka_unit_test(test_every_failed_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
