/* Satisfaction: the reference witnesses hold, a changed one names its first bad row. */
#include "support/testing.h"

#include "r1cs/r1cs.h"
#include "support/json.h"
#include "support/random_system.h"
#include "support/rows_file.h"
#include "support/vectors.h"

static struct r1cs_check check(const struct r1cs *cs, const struct witness *w, struct pool *pool)
{
    struct cuzk_error err;
    struct r1cs_check ret;

    if (r1cs_check(cs, w, pool, &ret, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return ret;
}

static void check_tiny(const char *set, bool satisfied)
{
    size_t n_inputs, n_aux;
    uint8_t *inputs = vector_read(vector_path("filecoin/%s/inputs.bin", set), &n_inputs);
    uint8_t *aux = vector_read(vector_path("filecoin/%s/witness.bin", set), &n_aux);
    struct witness w;
    struct r1cs cs;

    rows_file_load(&cs, vector_path("filecoin/%s/rows.bin", set), &curve_bls12_381, aux);
    witness_pack(&w, &cs, inputs, aux);
    assert_int_equal(check(&cs, &w, NULL).satisfied, satisfied);
    witness_pack_free(&w);
    r1cs_done(&cs);
    vector_free(inputs);
    vector_free(aux);
}

static void test_tiny_witnesses_hold_as_their_meta_says(void **state)
{
    struct json *index = json_read(vector_path("filecoin/tiny/index.json"));

    (void)state;
    for (size_t i = 0; i < json_count(index); i++) {
        const char *set = json_get_text(json_at(index, i), "set");
        struct json *meta = json_read(vector_path("filecoin/%s/meta.json", set));

        check_tiny(set, json_bool(json_get(json_get(meta, "circuit"), "satisfied")));
        json_free(meta);
    }
    json_free(index);
}

/* A system of n rows x_i * 1 = x_i with two rows made wrong. */
static void test_the_first_of_two_bad_rows_is_named_with_its_values(void **state)
{
    enum { N = 200000 };
    const uint64_t bad[] = {0, 1, 65535, 65536, 131071, N - 2};
    struct pool *pool;

    (void)state;
    assert_int_equal(pool_new(&pool, 2, NULL), CUZK_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct term one = {VAR_ONE, COEF_ONE}, two = {VAR_ONE, COEF_TWO};
        struct recorder *rec;
        struct witness w;
        struct r1cs cs;
        struct r1cs_check found;
        uint8_t aux[32] = {1};

        assert_int_equal(recorder_new(&rec, &curve_bls12_381, NULL, NULL), CUZK_OK);
        recorder_aux(rec, true);
        for (uint64_t row = 0; row < N; row++) {
            const struct term x = {0, COEF_ONE};
            bool wrong = row == bad[i] || row == N - 1;

            recorder_row(rec, &x, 1, wrong ? &two : &one, 1, &x, 1);
        }
        assert_int_equal(recorder_finish(rec, &cs, NULL), CUZK_OK);
        recorder_free(rec);
        witness_pack(&w, &cs, NULL, aux);
        found = check(&cs, &w, i % 2 ? pool : NULL);
        assert_false(found.satisfied);
        assert_int_equal(found.first_bad_row, bad[i]);
        assert_int_equal(found.a.w[0], 1);
        assert_int_equal(found.b.w[0], 2);
        assert_int_equal(found.c.w[0], 1);
        witness_pack_free(&w);
        r1cs_done(&cs);
    }
    pool_free(pool);
}

/* Rows of a repeat are evaluated like the same rows written out, for any witness. */
static void test_a_repeat_is_checked_like_the_system_written_out(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned i = 0; i < 50; i++) {
        const struct random_system system = {rng_u64(&rng), 2, 4, 3, i % 5, 4};
        struct r1cs kept, flat;
        struct r1cs_check of_kept, of_flat;
        struct witness w;
        uint8_t *inputs, *aux;

        assert_int_equal(random_system_load(&system, &kept, &curve_toy_bn, NULL, false, NULL),
                         CUZK_OK);
        assert_int_equal(random_system_load(&system, &flat, &curve_toy_bn, NULL, true, NULL),
                         CUZK_OK);
        inputs = calloc(kept.n_inputs, 32);
        aux = calloc(kept.n_aux, 32);
        for (size_t v = 0; v < kept.n_inputs; v++)
            inputs[32 * v] = (uint8_t)rng_below(&rng, 90);
        for (size_t v = 0; v < kept.n_aux; v++)
            aux[32 * v] = (uint8_t)rng_below(&rng, witness_bit(kept.full_map, v) ? 90 : 2);
        witness_pack(&w, &kept, inputs, aux);
        of_kept = check(&kept, &w, NULL);
        of_flat = check(&flat, &w, NULL);
        assert_int_equal(of_kept.satisfied, of_flat.satisfied);
        assert_int_equal(of_kept.first_bad_row, of_flat.first_bad_row);
        assert_memory_equal(&of_kept.a, &of_flat.a, 3 * sizeof of_kept.a);
        witness_pack_free(&w);
        r1cs_done(&kept);
        r1cs_done(&flat);
        free(inputs);
        free(aux);
    }
}

static void test_a_check_without_memory_leaves_nothing_behind(void **state)
{
    const struct random_system system = {test_seed(), 1, 4, 3, 5, 4};
    struct budget budget;
    struct cuzk_error err;
    struct r1cs_check ret;
    struct witness w;
    struct r1cs cs;
    uint8_t *zeros;
    size_t n = 1, before;

    (void)state;
    budget_init(&budget, 0);
    assert_int_equal(random_system_load(&system, &cs, &curve_toy_bn, &budget, false, NULL),
                     CUZK_OK);
    zeros = calloc(cs.n_aux + cs.n_inputs, 32);
    witness_pack(&w, &cs, zeros, zeros);
    before = budget.now;
    for (bool failed = true; failed; n++) {
        mem_fail_at(n);
        failed = r1cs_check(&cs, &w, NULL, &ret, &err) != CUZK_OK;
        if (failed)
            assert_int_equal(err.status, CUZK_NO_MEMORY);
        assert_int_equal(budget.now, before);
    }
    mem_fail_at(0);
    assert_true(n > 3);
    witness_pack_free(&w);
    r1cs_done(&cs);
    free(zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiny_witnesses_hold_as_their_meta_says),
        cmocka_unit_test(test_the_first_of_two_bad_rows_is_named_with_its_values),
        cmocka_unit_test(test_a_repeat_is_checked_like_the_system_written_out),
        cmocka_unit_test(test_a_check_without_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests_name("r1cs_check", tests, NULL, NULL);
}
