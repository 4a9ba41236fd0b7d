/* Keys folded without their trapdoor: every set of tests/vectors/filecoin/tiny, through the file. */
#include "support/testing.h"

#include <unistd.h>

#include "base/mem.h"
#include "engine/key_points.h"
#include "engine/key_prepare.h"
#include "format/bellperson.h"
#include "format/prepared_key.h"
#include "groth16/folding.h"
#include "groth16/prove.h"
#include "support/tiny_set.h"
#include "support/vectors.h"
#include "support/waist.h"

#define CURVE (&curve_bls12_381)

static void open_engine(struct engine *engine, unsigned threads, const atomic_bool *cancel)
{
    struct cuzk_error err;

    assert_ok(engine_open(engine,
                          &(struct engine_options){
                              .backend = waist_backend, .threads = threads, .cancel = cancel},
                          &err),
              err);
}

static const char *params_of(const struct tiny_set *set)
{
    return vector_path("filecoin/tiny/%s/params.bin", set->name);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static void expect_proof(const struct tiny_set *set, const struct proving_key *key,
                         struct engine *engine)
{
    const struct prove_options options = {.backend = engine->backend, .pool = engine->pool};
    const bool satisfied = json_bool(json_get(json_get(set->meta, "circuit"), "satisfied"));
    uint8_t bytes[192], *expected;
    struct cuzk_error err;
    struct proof proof;
    enum cuzk_status st;
    size_t n;

    assert_ok(proving_key_matches(key, &set->qap, &err), err);
    st = groth16_prove(key, &set->qap, &set->witness, &set->blinding, &options, &proof, &err);
    if (!satisfied) {
        assert_int_equal(st, CUZK_INVALID);
        return;
    }
    assert_ok(st, err);
    proof_encode(bytes, CURVE, &proof);
    expected = tiny_set_file(set, "proof.bin", &n);
    assert_int_equal(n, sizeof bytes);
    assert_memory_equal(bytes, expected, n);
    vector_free(expected);
}

/* What it takes: key_prepare.h says it in words. */
static size_t expected_peak(const struct engine *engine, const struct tiny_set *set)
{
    const struct folding_options options = {
        .backend = engine->backend, .pool = engine->pool, .domain_generator = 7};
    struct proving_key key;
    struct cuzk_error err;
    size_t folding = folding_bytes(&set->qap, &options) + region_bytes((1 << 16) * CURVE->g1_bytes);
    size_t most = 0;

    assert_ok(params_open(&key, params_of(set), CURVE, NULL, NULL, &err), err);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        const struct key_points points = {&key, "key", true};
        const size_t walk = key_points_bytes(engine, &points, q);
        const size_t all = q <= QUERY_L ? folding + walk : walk;

        most = all > most ? all : most;
    }
    proving_key_done(&key);
    return most;
}

static void check_set(const char *name, unsigned threads)
{
    struct prepared_header header;
    struct engine engine;
    struct proving_key key;
    struct tiny_set set;
    struct cuzk_error err;
    char path[4096];

    tiny_set_load(&set, name);
    open_engine(&engine, threads, NULL);
    snprintf(path, sizeof path, "%s", test_scratch_path("folded.cuzk"));
    assert_ok(key_prepare_of(&engine, &set.qap, params_of(&set), path, true, NULL, NULL, &err),
              err);
    assert_int_equal(atomic_load(&engine.budget.now), 0);
    assert_int_equal(engine.budget.class_peak[MEM_SCRATCH], expected_peak(&engine, &set));

    assert_ok(prepared_key_open(&key, &header, path, CURVE, engine.pool, NULL, &err), err);
    assert_int_equal(key.h_basis, H_COSET_FOLDED);
    assert_int_equal(key.query[QUERY_H].n, set.qap.n_domain);
    assert_int_equal(key.query[QUERY_L].n, set.qap.n_c_inputs + set.cs.n_aux);
    expect_proof(&set, &key, &engine);
    proving_key_done(&key);
    remove(path);
    engine_close(&engine);
    tiny_set_free(&set);
}

static void test_folded_keys_give_bellpersons_proofs(void **state)
{
    (void)state;
    for (unsigned i = 0; tiny_names[i]; i++)
        check_set(tiny_names[i], 1 + i % 3);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void expect_refused(const struct tiny_set *set, struct engine *engine, const char *from,
                           enum cuzk_status expected, const char *says)
{
    char path[4096];
    struct cuzk_error err;

    snprintf(path, sizeof path, "%s", test_scratch_path("refused.cuzk"));
    assert_int_equal(key_prepare_of(engine, &set->qap, from, path, true, NULL, NULL, &err),
                     expected);
    assert_non_null(strstr(err.message, says));
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(atomic_load(&engine->budget.now), 0);
}

static void test_a_point_off_the_curve_leaves_no_file(void **state)
{
    struct engine engine;
    struct tiny_set set;
    char path[4096];
    uint8_t *bytes;
    size_t n;

    (void)state;
    tiny_set_load(&set, "pow2");
    open_engine(&engine, 2, NULL);
    snprintf(path, sizeof path, "%s", test_scratch_path("spoilt.params"));
    for (enum key_query q = QUERY_H; q <= QUERY_L; q++) {
        struct proving_key key;
        struct cuzk_error err;
        size_t at;
        FILE *f;

        assert_ok(params_open(&key, params_of(&set), CURVE, NULL, NULL, &err), err);
        at = (size_t)((const uint8_t *)key.query[q].data - key.map.data) + 2 * 96 + 60;
        proving_key_done(&key);
        bytes = tiny_set_file(&set, "params.bin", &n);
        bytes[at] ^= 1;
        f = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(bytes, 1, n, f), n);
        assert_int_equal(fclose(f), 0);
        vector_free(bytes);
        expect_refused(&set, &engine, path, CUZK_BAD_INPUT,
                       q == QUERY_H ? ": h: point 2: not on the curve"
                                    : ": l: point 2: not on the curve");
    }
    remove(path);
    engine_close(&engine);
    tiny_set_free(&set);
}

static void test_cancelled_or_without_memory_it_leaves_no_file(void **state)
{
    atomic_bool cancel = false;
    struct engine engine;
    struct tiny_set set;
    size_t most;

    (void)state;
    tiny_set_load(&set, "pow2-256");
    open_engine(&engine, 1, &cancel);
    most = expected_peak(&engine, &set);
    engine.budget.limit = most - 1;
    expect_refused(&set, &engine, params_of(&set), CUZK_NO_MEMORY, "");
    engine.budget.limit = SIZE_MAX;
    atomic_store(&cancel, true);
    expect_refused(&set, &engine, params_of(&set), CUZK_CANCELLED, "");
    engine_close(&engine);
    tiny_set_free(&set);
}

static enum cuzk_status a_small_card(int ordinal, size_t *ret, struct cuzk_error *err)
{
    (void)ordinal;
    (void)err;
    *ret = 1 << 20;
    return CUZK_OK;
}

static void test_a_card_too_small_is_refused_with_both_numbers(void **state)
{
    struct backend card = *backend_find(waist_backend);
    struct engine engine;
    struct tiny_set set;
    char says[160];

    (void)state;
    tiny_set_load(&set, "mimc322");
    open_engine(&engine, 1, NULL);
    card.beside_host = true;
    card.memory_free = a_small_card;
    engine.backend = &card;
    snprintf(says, sizeof says, "to fold takes %zu bytes of the device's memory, 1000 may be taken",
             folding_arena_bytes(&set.qap, &(struct folding_options){.backend = &card,
                                                                     .pool = engine.pool,
                                                                     .domain_generator = 7}));
    engine.device_memory = 1000;
    expect_refused(&set, &engine, params_of(&set), CUZK_NO_MEMORY, says);
    engine_close(&engine);
    tiny_set_free(&set);
}

static void test_a_back_end_that_only_proves_is_refused(void **state)
{
    struct backend proves = *backend_find(waist_backend);
    const struct folding_options options = {.backend = &proves, .domain_generator = 7};
    struct folding folding;
    struct tiny_set set;
    struct cuzk_error err;

    (void)state;
    proves.group_ntt = NULL;
    tiny_set_load(&set, "three");
    assert_int_equal(folding_open(&folding, &set.qap, &options, &err), CUZK_USAGE);
    assert_non_null(strstr(err.message, "only proves"));
    folding_close(&folding);
    tiny_set_free(&set);
}

static int run(const char *backend)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_keys_give_bellpersons_proofs),
        cmocka_unit_test(test_a_point_off_the_curve_leaves_no_file),
        cmocka_unit_test(test_cancelled_or_without_memory_it_leaves_no_file),
        cmocka_unit_test(test_a_card_too_small_is_refused_with_both_numbers),
        cmocka_unit_test(test_a_back_end_that_only_proves_is_refused),
    };
    char name[64];

    snprintf(name, sizeof name, "folding %s", backend);
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void)
{
    return waist_run_group(run);
}
