/* The recorder against the rules written beside it, and repeats against the same system written
 * out. */
#include "support/testing.h"

#include "r1cs/r1cs.h"
#include "r1cs/recorder.h"
#include "support/random_system.h"

static const struct curve *const curves[] = {&curve_bls12_381, &curve_bn254, &curve_toy_bn,
                                             &curve_toy_bls12};
enum { N_CURVES = sizeof curves / sizeof *curves };

static struct recorder *new_recorder(const struct curve *curve)
{
    struct recorder *rec;

    assert_int_equal(recorder_new(&rec, curve, NULL, NULL), CUZK_OK);
    return rec;
}

static struct r1cs finish(struct recorder *rec)
{
    struct cuzk_error err;
    struct r1cs cs;

    if (recorder_finish(rec, &cs, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    recorder_free(rec);
    return cs;
}

static void expect_failure(struct recorder *rec, const char *part_of_message)
{
    struct cuzk_error err;
    struct r1cs cs;

    assert_int_not_equal(recorder_finish(rec, &cs, &err), CUZK_OK);
    if (!strstr(err.message, part_of_message))
        fail_msg("\"%s\" does not say \"%s\"", err.message, part_of_message);
    recorder_free(rec);
}

/* ---- one row --------------------------------------------------------------------------------- */

static void test_recorder_merges_equal_variables_and_drops_zeros(void **state)
{
    for (unsigned c = 0; c < N_CURVES; c++) {
        struct recorder *rec = new_recorder(curves[c]);
        var_t x = recorder_aux(rec, false), y = recorder_aux(rec, false);
        const struct term a[] = {{y, COEF_ONE}, {x, COEF_ONE}, {VAR_ONE, COEF_TWO}, {y, COEF_ONE}};
        const struct term b[] = {{x, COEF_ONE}, {y, COEF_ZERO}, {x, COEF_MINUS_ONE}};
        struct r1cs cs;

        (void)state;
        recorder_row(rec, a, 4, b, 3, a + 2, 1);
        cs = finish(rec);
        assert_int_equal(cs.a.segments[0].n_terms, 3);
        assert_int_equal(cs.a.segments[0].var[0], x);
        assert_int_equal(cs.a.segments[0].var[1], y);
        assert_int_equal(matrix_coef(&cs.a.segments[0], 1), COEF_TWO);
        assert_int_equal(cs.a.segments[0].var[2], VAR_ONE);
        assert_int_equal(cs.b.segments[0].n_terms, 0);
        assert_int_equal(cs.c.segments[0].n_terms, 1);
        r1cs_done(&cs);
    }
}

static void test_recorder_sorts_rows_of_every_length(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t n = 1; n < 3000; n = n * 3 / 2 + 1) {
        struct recorder *rec = new_recorder(&curve_bls12_381);
        struct term *terms = calloc(n, sizeof *terms);
        struct r1cs cs;

        for (size_t i = 0; i < n; i++)
            recorder_aux(rec, true);
        for (size_t i = 0; i < n; i++) { /* a random permutation, from inside out */
            size_t j = rng_below(&rng, i + 1);

            terms[i] = terms[j];
            terms[j] = (struct term){(var_t)i, i % 3 ? COEF_ONE : COEF_TWO};
        }
        recorder_row(rec, terms, n, NULL, 0, NULL, 0);
        cs = finish(rec);
        assert_int_equal(cs.a.segments[0].row_end[0], n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(cs.a.segments[0].var[i], i);
            assert_int_equal(matrix_coef(&cs.a.segments[0], i), i % 3 ? COEF_ONE : COEF_TWO);
        }
        r1cs_done(&cs);
        free(terms);
    }
}

static void test_recorder_appends_one_row_for_each_input(void **state)
{
    struct recorder *rec = new_recorder(&curve_bls12_381);
    struct r1cs_row row[3];
    struct r1cs_rows *rows;
    struct r1cs cs;
    bool more;

    (void)state;
    recorder_input(rec);
    recorder_input(rec);
    cs = finish(rec);
    assert_int_equal(cs.n_constraints, 0);
    assert_int_equal(cs.a.n_rows, 3);
    assert_int_equal(r1cs_rows_new(&rows, &cs, NULL), CUZK_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(r1cs_rows_next(rows, row, &more, NULL), CUZK_OK);
        assert_true(more);
        assert_int_equal(row[0].n, 1);
        assert_int_equal(row[0].var[0], VAR_INPUT | i);
        assert_int_equal(row[0].coef[0], COEF_ONE);
        assert_int_equal(row[1].n + row[2].n, 0);
    }
    assert_int_equal(r1cs_rows_next(rows, row, &more, NULL), CUZK_OK);
    assert_false(more);
    r1cs_rows_free(rows);
    r1cs_done(&cs);
}

static void test_recorder_refuses_variables_that_do_not_exist(void **state)
{
    const var_t bad[] = {1, VAR_INPUT | 1, VAR_RELATIVE, VAR_PORT, VAR_RELATIVE_INPUT, 0x7FFFFFFF};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct recorder *rec = new_recorder(&curve_toy_bn);
        const struct term term = {bad[i], COEF_ONE};

        recorder_aux(rec, true);
        recorder_row(rec, &term, 1, NULL, 0, NULL, 0);
        expect_failure(rec, "no such variable");
    }
}

static void test_recorder_refuses_a_coefficient_that_is_not_reduced(void **state)
{
    struct recorder *rec = new_recorder(&curve_toy_bn);

    (void)state;
    recorder_coef(rec, &curve_toy_bn.fr_modulus);
    expect_failure(rec, "not below the modulus");
}

/* ---- the dictionary -------------------------------------------------------------------------- */

static struct scalar nth_coef(uint64_t i)
{
    return (struct scalar){{i * i + 5, i, 0, 1}};
}

/* Rows i: coefficient i, across the border of 16 bits, in flat parts and in a block. */
static void test_coefficients_survive_the_step_to_32_bits(void **state)
{
    enum { FLAT = 40000, BLOCK = 30000, COUNT = 3 };
    struct recorder *rec = new_recorder(&curve_bls12_381);
    struct r1cs_rows *rows;
    struct r1cs_row row[3];
    struct r1cs cs;
    bool more;

    (void)state;
    recorder_aux(rec, true);
    for (uint64_t i = 0; i < FLAT; i++) {
        struct scalar value = nth_coef(i);

        recorder_row(rec, &(struct term){0, recorder_coef(rec, &value)}, 1, NULL, 0, NULL, 0);
    }
    recorder_repeat_begin(rec, "part", COUNT, 0, NULL);
    while (recorder_block(rec))
        for (uint64_t i = FLAT; i < FLAT + BLOCK; i++) {
            struct scalar value = nth_coef(i);

            recorder_row(rec, &(struct term){0, recorder_coef(rec, &value)}, 1, NULL, 0, NULL, 0);
        }
    cs = finish(rec);
    assert_non_null(cs.a.segments[0].coef16);
    assert_non_null(cs.a.segments[1].coef32);
    assert_int_equal(r1cs_rows_new(&rows, &cs, NULL), CUZK_OK);
    for (uint64_t i = 0; i < FLAT + COUNT * BLOCK; i++) {
        struct scalar want = nth_coef(i < FLAT ? i : FLAT + (i - FLAT) % BLOCK);

        assert_int_equal(r1cs_rows_next(rows, row, &more, NULL), CUZK_OK);
        assert_int_equal(row[0].n, 1);
        assert_memory_equal(r1cs_rows_coef(rows, 0, row[0].coef[0]), want.w, sizeof want.w);
    }
    r1cs_rows_free(rows);
    r1cs_done(&cs);
}

/* ---- repeats --------------------------------------------------------------------------------- */

struct checkpoints {
    size_t n;
    struct {
        uint64_t rows, structural;
        uint8_t coefficient[8];
    } items[4096];
};

static void keep_checkpoint(void *ctx, uint64_t rows, uint64_t structural,
                            const uint8_t coefficient_prefix[8])
{
    struct checkpoints *list = ctx;

    list->items[list->n].rows = rows;
    list->items[list->n].structural = structural;
    memcpy(list->items[list->n++].coefficient, coefficient_prefix, 8);
}

static void assert_same_density(const struct r1cs *x, const struct r1cs *y,
                                const struct matrix *of_x, const struct matrix *of_y)
{
    size_t in_words = witness_map_words(x->n_inputs), aux_words = witness_map_words(x->n_aux);
    uint64_t *maps = calloc(2 * (in_words + aux_words), sizeof *maps), nnz_x, nnz_y;
    uint64_t *other = maps + in_words + aux_words;

    assert_int_equal(r1cs_density(x, of_x, maps, maps + in_words, &nnz_x, NULL), CUZK_OK);
    assert_int_equal(r1cs_density(y, of_y, other, other + in_words, &nnz_y, NULL), CUZK_OK);
    assert_memory_equal(maps, other, (in_words + aux_words) * sizeof *maps);
    assert_int_equal(nnz_x, nnz_y);
    free(maps);
}

static void assert_same_system(const struct r1cs *x, const struct r1cs *y)
{
    static struct checkpoints of_x, of_y;
    struct r1cs_digests digest_x, digest_y;

    of_x.n = of_y.n = 0;
    assert_int_equal(x->n_constraints, y->n_constraints);
    assert_int_equal(x->n_aux, y->n_aux);
    assert_int_equal(x->n_full, y->n_full);
    assert_int_equal(x->n_inputs, y->n_inputs);
    assert_memory_equal(x->full_map, y->full_map, witness_map_words(x->n_aux) * 8);
    assert_same_density(x, y, &x->a, &y->a);
    assert_same_density(x, y, &x->b, &y->b);
    assert_same_density(x, y, &x->c, &y->c);
    assert_int_equal(r1cs_digest(x, NULL, 8, keep_checkpoint, &of_x, &digest_x, NULL), CUZK_OK);
    assert_int_equal(r1cs_digest(y, NULL, 8, keep_checkpoint, &of_y, &digest_y, NULL), CUZK_OK);
    assert_int_equal(of_x.n, of_y.n);
    assert_int_equal(of_x.items[of_x.n - 1].rows, x->a.n_rows);
    assert_memory_equal(of_x.items, of_y.items, of_x.n * sizeof *of_x.items);
    assert_memory_equal(&digest_x, &digest_y, sizeof digest_x);
}

static void test_repeats_are_the_same_system_written_out(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned i = 0; i < 300; i++) {
        const struct random_system system = {
            .seed = rng_u64(&rng),
            .n_repeats = (unsigned)rng_below(&rng, 4),
            .count = (uint32_t)rng_below(&rng, 6),
            .n_ports = (uint32_t)rng_below(&rng, 5),
            .rows = (unsigned)rng_below(&rng, 20),
            .terms = i % 3 ? 6 : 100,
        };
        struct r1cs kept, flat;
        struct cuzk_error err;

        if (random_system_load(&system, &kept, curves[i % N_CURVES], NULL, false, &err) ||
            random_system_load(&system, &flat, curves[i % N_CURVES], NULL, true, &err))
            fail_msg("%s", err.message);
        assert_int_equal(kept.n_repeats, system.n_repeats);
        assert_same_system(&kept, &flat);
        r1cs_done(&kept);
        r1cs_done(&flat);
    }
}

static void test_digest_is_the_same_on_two_threads(void **state)
{
    const struct random_system system = {test_seed(), 2, 500, 3, 40, 20};
    struct r1cs_digests one, two;
    struct pool *pool;
    struct r1cs cs;

    (void)state;
    assert_int_equal(pool_new(&pool, 2, NULL), CUZK_OK);
    assert_int_equal(random_system_load(&system, &cs, &curve_bls12_381, NULL, false, NULL),
                     CUZK_OK);
    assert_int_equal(r1cs_digest(&cs, NULL, 0, NULL, NULL, &one, NULL), CUZK_OK);
    assert_int_equal(r1cs_digest(&cs, pool, 0, NULL, NULL, &two, NULL), CUZK_OK);
    assert_memory_equal(&one, &two, sizeof one);
    r1cs_done(&cs);
    pool_free(pool);
}

/* Ports of one row that name the same variable: 1 + 1, and 1 - 1, in some copies only. */
static void test_ports_that_meet_are_merged_copy_by_copy(void **state)
{
    struct recorder *rec = new_recorder(&curve_bls12_381);
    const var_t imports[] = {0, 1, 1, 1, VAR_ONE, 0};
    const struct term sum[] = {{VAR_PORT | 0, COEF_ONE}, {VAR_PORT | 1, COEF_ONE}};
    const struct term difference[] = {{VAR_PORT | 0, COEF_ONE}, {VAR_PORT | 1, COEF_MINUS_ONE}};
    const size_t n_sum[] = {2, 1, 2}, n_difference[] = {2, 0, 2};
    struct r1cs_row row[3];
    struct r1cs_rows *rows;
    struct r1cs cs;
    uint64_t nnz, aux_map[1];
    bool more;

    (void)state;
    recorder_aux(rec, true);
    recorder_aux(rec, true);
    recorder_repeat_begin(rec, "part", 3, 2, imports);
    while (recorder_block(rec))
        recorder_row(rec, sum, 2, difference, 2, NULL, 0);
    cs = finish(rec);
    assert_int_equal(r1cs_rows_new(&rows, &cs, NULL), CUZK_OK);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(r1cs_rows_next(rows, row, &more, NULL), CUZK_OK);
        assert_int_equal(row[0].n, n_sum[k]);
        assert_int_equal(row[1].n, n_difference[k]);
        assert_int_equal(r1cs_rows_coef(rows, 0, row[0].coef[0])[0], k == 1 ? 2 : 1);
    }
    r1cs_rows_free(rows);
    assert_int_equal(r1cs_density(&cs, &cs.b, NULL, aux_map, &nnz, NULL), CUZK_OK);
    assert_int_equal(nnz, 4);
    assert_int_equal(aux_map[0], 3);
    r1cs_done(&cs);
}

/* What block 1 does differently from block 0. */
enum difference { EXTRA_ROW, MISSING_ROW, COEFFICIENT, VARIABLE, CLASS, EXTRA_AUX, OLD_HANDLE };

static void record_changed(struct recorder *rec, enum difference difference)
{
    var_t x = 0, old = 0;
    unsigned block = 0;

    recorder_aux(rec, true);
    recorder_repeat_begin(rec, "challenge", 5, 0, NULL);
    for (; recorder_block(rec); block++) {
        bool change = block == 1;
        struct term one = {0, COEF_ONE};

        recorder_scope(rec, "label");
        old = x;
        x = recorder_aux(rec, change && difference == CLASS);
        if (change && difference == EXTRA_AUX)
            recorder_aux(rec, true);
        one.var = change && difference == VARIABLE ? 0 : x;
        if (change && difference == OLD_HANDLE)
            one.var = old;
        if (change && difference == COEFFICIENT)
            one.coef = COEF_TWO;
        recorder_row(rec, NULL, 0, NULL, 0, NULL, 0);
        if (!change || difference != MISSING_ROW)
            recorder_row(rec, NULL, 0, &one, 1, NULL, 0);
        if (change && difference == EXTRA_ROW)
            recorder_row(rec, NULL, 0, NULL, 0, NULL, 0);
        recorder_scope_end(rec);
    }
}

static void test_a_block_that_differs_is_named(void **state)
{
    const struct {
        enum difference difference;
        const char *says;
    } cases[] = {
        {EXTRA_ROW, "the existence of its row 2 (row 4, challenge 1/label)"},
        {MISSING_ROW, "challenge 1 has fewer rows, variables or marks"},
        {COEFFICIENT, "in B of its row 1 (row 3, challenge 1/label)"},
        {VARIABLE, "in B of its row 1"},
        {OLD_HANDLE, "in B of its row 1"},
        {CLASS, "aux 0 of it is new or of another class"},
        {EXTRA_AUX, "aux 1 of it is new or of another class"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recorder *rec = new_recorder(&curve_bls12_381);

        record_changed(rec, cases[i].difference);
        expect_failure(rec, cases[i].says);
    }
}

/* Three blocks of a bit, a mark, an input, a mark, a number; block 1 with one bit more before the
 * mark if `other` says so (and one less after it). */
static void record_marks(struct recorder *rec, unsigned marks, bool other)
{
    const struct term one = {VAR_ONE, COEF_ONE};

    recorder_aux(rec, false);
    recorder_repeat_begin(rec, "part", 3, 0, NULL);
    for (unsigned block = 0; recorder_block(rec); block++) {
        recorder_aux(rec, true);
        if (!other || block == 0)
            recorder_mark(rec);
        recorder_input(rec);
        for (unsigned m = 1; m < marks; m++)
            recorder_mark(rec);
        recorder_aux(rec, false);
        if (other && block == 1)
            recorder_mark(rec);
        recorder_row(rec, &one, 1, &one, 1, &one, 1);
    }
}

static void test_marks_say_where_the_parts_of_a_block_begin(void **state)
{
    struct recorder *rec = new_recorder(&curve_toy_bn);
    const struct r1cs_repeat *repeat;
    struct r1cs cs;

    (void)state;
    record_marks(rec, 2, false);
    cs = finish(rec);
    repeat = cs.repeats;
    assert_int_equal(repeat->n_marks, 2);
    assert_int_equal(repeat->marks[0].aux, 1);
    assert_int_equal(repeat->marks[0].full, 0);
    assert_int_equal(repeat->marks[0].input, 0);
    assert_int_equal(repeat->marks[1].aux, 1);
    assert_int_equal(repeat->marks[1].input, 1);
    r1cs_done(&cs);
    rec = new_recorder(&curve_toy_bn);
    record_marks(rec, 1, true);
    expect_failure(rec, "part 1 differs from part 0: mark 0");
    rec = new_recorder(&curve_toy_bn);
    record_marks(rec, R1CS_MARKS_MAX + 1, false);
    expect_failure(rec, "too many");
    rec = new_recorder(&curve_toy_bn);
    recorder_mark(rec);
    expect_failure(rec, "outside a block");
}

static void test_repeats_must_be_ended_and_not_nested(void **state)
{
    struct recorder *rec = new_recorder(&curve_toy_bn);

    (void)state;
    recorder_repeat_begin(rec, "part", 2, 0, NULL);
    assert_true(recorder_block(rec));
    expect_failure(rec, "not ended");

    rec = new_recorder(&curve_toy_bn);
    recorder_repeat_begin(rec, "part", 2, 0, NULL);
    assert_true(recorder_block(rec));
    recorder_repeat_begin(rec, "part of part", 2, 0, NULL);
    assert_false(recorder_block(rec));
    expect_failure(rec, "inside another one");

    rec = new_recorder(&curve_toy_bn);
    recorder_repeat_begin(rec, "part", 1, 1, &(var_t){0});
    expect_failure(rec, "import 0 is no variable");

    rec = new_recorder(&curve_toy_bn);
    recorder_repeat_begin(rec, "part", UINT32_MAX, 0, NULL);
    assert_true(recorder_block(rec));
    recorder_aux(rec, true);
    assert_false(recorder_block(rec));
    expect_failure(rec, "too many variables");
}

/* ---- names ----------------------------------------------------------------------------------- */

static void record_scoped(struct recorder *rec)
{
    recorder_scope(rec, "head");
    recorder_row(rec, NULL, 0, NULL, 0, NULL, 0);
    recorder_scope_end(rec);
    recorder_repeat_begin(rec, "challenge", 4, 0, NULL);
    while (recorder_block(rec))
        for (unsigned i = 0; i < 3; i++) {
            recorder_scope_index(rec, "label", i + 1);
            recorder_scope(rec, "sha256");
            recorder_row(rec, NULL, 0, NULL, 0, NULL, 0);
            recorder_scope_end(rec);
            recorder_scope_end(rec);
        }
    recorder_row(rec, NULL, 0, NULL, 0, NULL, 0);
}

static void test_the_path_of_any_row_is_found(void **state)
{
    const struct {
        uint64_t row;
        const char *path;
    } cases[] = {
        {0, "head"},
        {1, "challenge 0/label 1/sha256"},
        {6, "challenge 1/label 3/sha256"},
        {8, "challenge 2/label 2/sha256"},
        {12, "challenge 3/label 3/sha256"},
        {13, ""},
        {99, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recorder *rec = new_recorder(&curve_toy_bn);

        recorder_find_row(rec, cases[i].row);
        record_scoped(rec);
        assert_string_equal(recorder_found_path(rec), cases[i].path);
        recorder_free(rec);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static enum cuzk_status record_and_digest(const struct random_system *system, struct budget *budget,
                                          struct cuzk_error *err)
{
    struct r1cs_digests digests;
    enum cuzk_status st;
    struct r1cs cs = {0};

    TRY_GOTO(st, out, random_system_load(system, &cs, &curve_toy_bls12, budget, false, err));
    TRY_GOTO(st, out, r1cs_density(&cs, &cs.a, NULL, NULL, NULL, err));
    TRY_GOTO(st, out, r1cs_digest(&cs, NULL, 0, NULL, NULL, &digests, err));
out:
    r1cs_done(&cs);
    return st;
}

static void test_any_failed_allocation_leaves_nothing_behind(void **state)
{
    const struct random_system system = {test_seed(), 2, 9, 4, 60, 90};
    struct budget budget;
    struct cuzk_error err;
    size_t n = 0;

    (void)state;
    budget_init(&budget, 0);
    for (bool failed = true; failed; n++) {
        mem_fail_at(n + 1);
        failed = record_and_digest(&system, &budget, &err) != CUZK_OK;
        if (failed)
            assert_int_equal(err.status, CUZK_NO_MEMORY);
        assert_int_equal(budget.now, 0);
    }
    mem_fail_at(0);
    assert_true(n > 20);
    printf("%zu allocations failed in turn\n", n - 1);
}

static void test_a_budget_that_is_too_small_is_kept(void **state)
{
    const struct random_system system = {test_seed(), 1, 5, 2, 2000, 90};
    struct budget budget;
    struct cuzk_error err;

    (void)state;
    budget_init(&budget, 512 << 10);
    assert_int_equal(record_and_digest(&system, &budget, &err), CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
    assert_true(budget.peak <= budget.limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorder_merges_equal_variables_and_drops_zeros),
        cmocka_unit_test(test_recorder_sorts_rows_of_every_length),
        cmocka_unit_test(test_recorder_appends_one_row_for_each_input),
        cmocka_unit_test(test_recorder_refuses_variables_that_do_not_exist),
        cmocka_unit_test(test_recorder_refuses_a_coefficient_that_is_not_reduced),
        cmocka_unit_test(test_coefficients_survive_the_step_to_32_bits),
        cmocka_unit_test(test_repeats_are_the_same_system_written_out),
        cmocka_unit_test(test_digest_is_the_same_on_two_threads),
        cmocka_unit_test(test_ports_that_meet_are_merged_copy_by_copy),
        cmocka_unit_test(test_a_block_that_differs_is_named),
        cmocka_unit_test(test_marks_say_where_the_parts_of_a_block_begin),
        cmocka_unit_test(test_repeats_must_be_ended_and_not_nested),
        cmocka_unit_test(test_the_path_of_any_row_is_found),
        cmocka_unit_test(test_any_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(test_a_budget_that_is_too_small_is_kept),
    };

    return cmocka_run_group_tests_name("r1cs_recorder", tests, NULL, NULL);
}
