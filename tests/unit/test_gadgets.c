/* Every gadget case of the reference vectors, one test each: the shape sink gives the rows, terms,
 * coefficients, densities and digests that the upstream code gave; the witness sink gives its
 * values for every variant, which satisfy all rows; outputs are the same variables and values. */
#include "support/testing.h"

#include "circuit/packed_witness.h"
#include "r1cs/r1cs.h"
#include "support/gadget_cases.h"
#include "support/rows_file.h"
#include "support/satisfied.h"
#include "support/shape_row.h"
#include "support/vectors.h"

static struct json *vector_index;

static const struct json *index_entry(const char *name)
{
    const struct json *cases = json_get(vector_index, "cases");

    for (size_t i = 0; i < json_count(cases); i++)
        if (strcmp(json_get_text(json_at(cases, i), "case"), name) == 0)
            return json_at(cases, i);
    fail_msg("no case %s in the index", name);
    return NULL;
}

static const struct json *expected_outputs(const struct json *entry, unsigned variant)
{
    if (json_has(entry, "outputs"))
        return json_at(json_get(entry, "outputs"), variant);
    return json_has(entry, "output") ? json_get(entry, "output") : NULL;
}

/* The file of a case; the two largest cases lie outside the tree. NULL if it is not there. */
static const char *case_file(const char *name, const char *ending)
{
    const char *path = vector_path("filecoin/gadgets/%s.%s", name, ending);
    char relative[128];
    FILE *there = fopen(path, "rb");

    if (there) {
        fclose(there);
        return path;
    }
    snprintf(relative, sizeof relative, "vectors/filecoin/gadgets/%s.%s", name, ending);
    return test_data_path(relative);
}

static void run_case(const struct gadget_case *c, struct sink *sink, unsigned variant)
{
    struct gadget_run run = {.sink = sink,
                             .variant = variant,
                             .expected = expected_outputs(index_entry(c->name), variant)};

    c->build(&run, c->parameter);
    assert_int_equal(run.n_outputs, gadget_outputs_listed(run.expected));
}

static void record_case(const struct gadget_case *c, struct r1cs *ret)
{
    struct recorder *rec;
    struct sink sink;

    assert_int_equal(recorder_new(&rec, &curve_bls12_381, NULL, NULL), CUZK_OK);
    assert_int_equal(sink_shape_init(&sink, rec, NULL), CUZK_OK);
    run_case(c, &sink, 0);
    assert_int_equal(sink_shape_done(&sink, NULL), CUZK_OK);
    assert_int_equal(recorder_finish(rec, ret, NULL), CUZK_OK);
    recorder_free(rec);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static const uint8_t *check_side(const uint8_t *at, const struct rows_file *file,
                                 struct r1cs_rows *rows, const struct r1cs_row *side,
                                 unsigned matrix)
{
    assert_int_equal(side->n, load_u32_le(at));
    at += 4;
    for (size_t i = 0; i < side->n; i++, at += 8) {
        const uint64_t *coefficient = r1cs_rows_coef(rows, matrix, side->coef[i]);

        assert_int_equal(side->var[i], load_u32_le(at));
        assert_memory_equal(coefficient, file->coefs + (size_t)32 * load_u32_le(at + 4), 32);
    }
    return at;
}

/* Small cases list a name for each row, which ours does not imitate; but as many there must be. */
static void check_names(const struct gadget_case *c, const struct r1cs *cs)
{
    const char *path = vector_path("filecoin/gadgets/%s.names.zst", c->name);
    FILE *there = fopen(path, "rb");
    uint8_t *text;
    size_t bytes, lines = 0;

    if (!there)
        return;
    fclose(there);
    text = vector_read(path, &bytes);
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, cs->n_constraints + cs->n_inputs);
    vector_free(text);
}

static void check_rows(const struct r1cs *cs, const char *path)
{
    struct rows_file file;
    struct r1cs_rows *rows;
    struct r1cs_row sides[3];
    const uint8_t *at;
    size_t n = 0;
    bool more;

    rows_file_read(&file, path);
    at = file.rows;
    assert_int_equal(r1cs_rows_new(&rows, cs, NULL), CUZK_OK);
    for (;; n++) {
        assert_int_equal(r1cs_rows_next(rows, sides, &more, NULL), CUZK_OK);
        if (!more)
            break;
        assert_true(n < file.n_rows);
        for (unsigned matrix = 0; matrix < 3; matrix++)
            at = check_side(at, &file, rows, &sides[matrix], matrix);
    }
    assert_int_equal(n, file.n_rows);
    assert_ptr_equal(at, file.bytes + file.n_bytes);
    r1cs_rows_free(rows);
    rows_file_free(&file);
}

/* ---- witness -------------------------------------------------------------------------------- */

/* values: inputs without ONE, then aux, 32 bytes each. */
static void check_witness(const struct gadget_case *c, const struct r1cs *cs, unsigned variant,
                          const uint8_t *values)
{
    struct witness expected;
    struct witness_place end;
    struct sink sink;
    struct packed_witness made;

    assert_int_equal(packed_witness_new(&made, cs, NULL, NULL), CUZK_OK);
    sink_witness_init(&sink, &made.room, (struct witness_place){0});
    run_case(c, &sink, variant);
    end = sink_witness_done(&sink);
    assert_int_equal(end.aux, cs->n_aux);
    assert_int_equal(end.full, cs->n_full);
    assert_int_equal(end.input, cs->n_inputs);
    witness_pack(&expected, cs, values, values + (size_t)32 * (cs->n_inputs - 1));
    assert_memory_equal(made.room.inputs, expected.inputs, 32 * cs->n_inputs);
    assert_memory_equal(made.room.bits, expected.bits, 8 * witness_map_words(cs->n_aux));
    assert_memory_equal(made.room.full, expected.full, 32 * cs->n_full);
    assert_satisfied(cs, &made.values);
    witness_pack_free(&expected);
    packed_witness_done(&made);
}

static void check_witnesses(const struct gadget_case *c, const struct r1cs *cs, const char *path)
{
    const size_t stride = 32 * (cs->n_inputs - 1 + cs->n_aux);
    const unsigned variants = (unsigned)json_get_u64(index_entry(c->name), "variants");
    size_t bytes;
    uint8_t *values = vector_read(path, &bytes);

    assert_int_equal(bytes, variants * stride);
    for (unsigned variant = 0; variant < variants; variant++)
        check_witness(c, cs, variant, values + variant * stride);
    vector_free(values);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static void test_case(void **state)
{
    const struct gadget_case *c = *state;
    const char *path = case_file(c->name, "rows.zst");
    struct r1cs cs;

    if (!path)
        skip();
    record_case(c, &cs);
    check_rows(&cs, path);
    check_names(c, &cs);
    assert_r1cs_is_listed(&cs, json_get(index_entry(c->name), "circuit"));
    check_witnesses(c, &cs, case_file(c->name, "wit.zst"));
    r1cs_done(&cs);
}

static void test_every_case_of_the_index_is_built(void **state)
{
    (void)state;
    assert_int_equal(json_count(json_get(vector_index, "cases")), N_GADGET_CASES);
    for (size_t i = 0; i < N_GADGET_CASES; i++) {
        index_entry(gadget_cases[i].name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(gadget_cases[i].name, gadget_cases[j].name);
    }
}

int main(void)
{
    struct CMUnitTest tests[1 + N_GADGET_CASES] = {
        cmocka_unit_test(test_every_case_of_the_index_is_built)};
    static char names[N_GADGET_CASES][64];
    int failures;

    for (size_t i = 0; i < N_GADGET_CASES; i++) {
        snprintf(names[i], sizeof names[i], "test_gadget_%s_equals_upstream", gadget_cases[i].name);
        tests[1 + i] = (struct CMUnitTest){.name = names[i],
                                           .test_func = test_case,
                                           .initial_state = (void *)(uintptr_t)&gadget_cases[i]};
    }
    vector_index = json_read(vector_path("filecoin/gadgets/index.json"));
    failures = cmocka_run_group_tests_name("gadgets", tests, NULL, NULL);
    json_free(vector_index);
    return failures;
}
