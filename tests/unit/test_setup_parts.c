/* Set-up by parts of the rows and windows of the variables: the same key for every size of them, in
 * the memory that was planned; and the table of which parts name which windows. */
#include "support/testing.h"

#include "base/hash.h"
#include "base/mem.h"
#include "groth16/row_parts.h"
#include "groth16/setup.h"
#include "r1cs/recorder.h"
#include "support/random_matrix.h"
#include "support/waist.h"

/* ---- the table ------------------------------------------------------------------------------- */

struct expected {
    size_t part, window, n_windows;
    uint8_t *meets; /* a byte a part and window */
};

static void expect_term(void *ctx, uint64_t row, var_t var, const struct scalar *coef)
{
    struct expected *e = ctx;

    (void)coef;
    if ((var & VAR_INPUT) == 0)
        e->meets[row / e->part * e->n_windows + var / e->window] = 1;
}

static void check_table(const struct curve *curve, const struct matrix *m, size_t part,
                        size_t window, struct pool *pool)
{
    const struct r1cs cs = {.curve = curve, .a = *m, .b = *m, .c = *m, .n_aux = m->n_aux};
    struct row_parts parts;
    struct budget budget;
    struct cuzk_error err;

    budget_init(&budget, 0);
    assert_ok(row_parts_init(&parts, &cs, part, window, pool, &budget, NULL, &err), err);
    assert_int_equal(budget.now, row_parts_bytes(&cs, part, window));
    assert_int_equal(parts.n_parts, (m->n_rows + part - 1) / part);
    assert_int_equal(parts.n_windows, (m->n_aux + window - 1) / window);

    struct expected e = {part, window, parts.n_windows,
                         mem_new(parts.n_parts * parts.n_windows + 1)};

    matrix_terms(curve, m, expect_term, &e);
    for (unsigned k = 0; k < 3; k++)
        for (size_t i = 0; i < parts.n_parts; i++)
            for (size_t w = 0; w < parts.n_windows; w++)
                assert_int_equal(row_parts_meet(&parts, k, i, w),
                                 parts.n_parts == 1 || e.meets[i * parts.n_windows + w]);
    mem_free(e.meets);
    row_parts_done(&parts);
    assert_int_equal(budget.now, 0);
}

static void test_the_table_says_which_parts_name_which_windows(void **state)
{
    static const uint32_t counts[] = {2, 290};
    static const size_t sizes[] = {1, 7, 64, 100, 4096, SIZE_MAX / 4};
    struct pool *pool;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    assert_int_equal(pool_new(&pool, 3, NULL), CUZK_OK);
    for (size_t i = 0; i < 2; i++) {
        struct random_matrix *rm = random_matrix_new(&curve_bls12_381, counts[i], &rng);

        for (size_t p = 0; p < sizeof sizes / sizeof sizes[0]; p++)
            for (size_t w = 0; w < sizeof sizes / sizeof sizes[0]; w++)
                check_table(&curve_bls12_381, &rm->matrix, sizes[p], sizes[w], pool);
        random_matrix_free(rm);
    }
    pool_free(pool);
}

/* ---- a system whose later parts name early variables too ------------------------------------- */

enum { N_FIXED = 70, N_SMALL = 40, SMALL_ROWS = 9, N_LARGE = 3, LARGE_ROWS = 200 };

static void add_block(struct recorder *rec, unsigned rows)
{
    const var_t input = recorder_input(rec);
    var_t last = recorder_port(0);

    for (unsigned i = 0; i < rows; i++) {
        const var_t next = recorder_aux(rec, false);
        const struct term a[] = {{last, COEF_ONE}, {recorder_port(1), COEF_TWO}};
        const struct term b[] = {{VAR_ONE, COEF_ONE}, {next, COEF_MINUS_ONE}};
        const struct term c[] = {{next, COEF_ONE}, {input, COEF_MINUS_ONE}};

        recorder_row(rec, a, 2, b, 2, c, 1 + (i == 0));
        last = next;
    }
}

static void add_blocks(struct recorder *rec, uint32_t count, unsigned rows, const var_t *fixed)
{
    var_t imports[2 * N_SMALL];

    for (uint32_t i = 0; i < count; i++) {
        imports[2 * i] = fixed[i % N_FIXED];
        imports[2 * i + 1] = fixed[(7 * i + 3) % N_FIXED];
    }
    recorder_repeat_begin(rec, "block", count, 2, imports);
    while (recorder_block(rec))
        add_block(rec, rows);
}

static void record(struct r1cs *cs, const struct curve *curve)
{
    var_t fixed[N_FIXED];
    struct recorder *rec;
    struct cuzk_error err;

    assert_ok(recorder_new(&rec, curve, NULL, &err), err);
    for (size_t i = 0; i < N_FIXED; i++) {
        fixed[i] = recorder_aux(rec, i % 2 == 0);
        const struct term a = {i ? fixed[i - 1] : VAR_ONE, COEF_TWO}, c = {fixed[i], COEF_ONE};

        recorder_row(rec, &a, 1, &c, 1, &c, 1);
    }
    add_blocks(rec, N_SMALL, SMALL_ROWS, fixed);
    add_blocks(rec, N_LARGE, LARGE_ROWS, fixed);
    for (size_t i = 0; i < N_FIXED; i += 9) {
        const struct term a = {fixed[i], COEF_ONE}, c = {fixed[N_FIXED - 1 - i], COEF_TWO};

        recorder_row(rec, &a, 1, &a, 1, &c, 1);
    }
    assert_ok(recorder_finish(rec, cs, &err), err);
    recorder_free(rec);
}

/* ---- its keys -------------------------------------------------------------------------------- */

struct system {
    const struct curve *curve;
    struct r1cs cs;
    struct qap qap;
    struct trapdoor trapdoor;
    struct pool *pool;
};

static void system_open(struct system *s, const struct curve *curve)
{
    struct cuzk_error err;

    *s = (struct system){.curve = curve};
    assert_int_equal(pool_new(&s->pool, 3, NULL), CUZK_OK);
    record(&s->cs, curve);
    assert_ok(qap_init(&s->qap, &s->cs, NULL, &err), err);
    assert_ok(trapdoor_from_label(&s->trapdoor, curve, "parts", &err), err);
}

static void system_close(struct system *s)
{
    qap_done(&s->qap);
    r1cs_done(&s->cs);
    pool_free(s->pool);
}

/* A key as the digest of its bytes, stopped after `stop_after` slices. */
struct digest_sink {
    struct hash *hash;
    size_t slices, stop_after;
    atomic_bool cancel;
    const struct curve *curve;
};

static enum cuzk_status hash_vk(void *ctx, const struct verifying_key *vk, struct cuzk_error *err)
{
    struct digest_sink *sink = ctx;

    (void)err;
    hash_update(sink->hash, vk->ic.base, vk->n_inputs * sink->curve->g1_bytes);
    return CUZK_OK;
}

static enum cuzk_status hash_query(void *ctx, enum key_query query, size_t n,
                                   struct cuzk_error *err)
{
    struct digest_sink *sink = ctx;
    const uint64_t head[2] = {(uint64_t)query, n};

    (void)err;
    hash_update(sink->hash, head, sizeof head);
    return CUZK_OK;
}

static enum cuzk_status hash_points(void *ctx, enum key_query query, void *plain, size_t n,
                                    struct cuzk_error *err)
{
    struct digest_sink *sink = ctx;
    const bool is_g2 = key_query_group(query) == ELEMENT_G2;

    (void)err;
    hash_update(sink->hash, plain, n * (is_g2 ? sink->curve->g2_bytes : sink->curve->g1_bytes));
    if (++sink->slices == sink->stop_after)
        atomic_store(&sink->cancel, true);
    return CUZK_OK;
}

static enum cuzk_status make_key(const struct system *s, struct setup_options options,
                                 struct digest_sink *state, uint8_t digest[32],
                                 struct cuzk_error *err)
{
    const struct key_sink sink = {state, hash_vk, hash_query, hash_points};
    enum cuzk_status st;
    struct budget budget;

    budget_init(&budget, 0);
    options.backend = backend_find("auto");
    options.pool = s->pool;
    options.budget = &budget;
    options.domain_generator = s->curve->fr_generator.w[0];
    options.cancel = &state->cancel;
    state->curve = s->curve;
    state->hash = hash_new(HASH_SHA256);
    st = groth16_setup(&s->qap, &s->trapdoor, &options, &sink, err);
    hash_final(state->hash, digest);
    hash_free(state->hash);
    assert_int_equal(budget.class_peak[MEM_SCRATCH], setup_bytes(&s->qap, &options));
    assert_int_equal(budget.now, 0);
    return st;
}

static void check_basis(const struct system *s, enum h_basis basis)
{
    static const struct {
        size_t part, window, slice;
    } sizes[] = {{0, 0, 0}, {64, 64, 5}, {100, 192, 1000}, {1000, 128, 64}, {7, 2048, 333}};
    uint8_t expected[32], found[32];

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct digest_sink sink = {0};
        struct cuzk_error err;
        struct setup_options options = {.h_basis = basis,
                                        .part = sizes[i].part,
                                        .window = sizes[i].window,
                                        .slice = sizes[i].slice};

        assert_ok(make_key(s, options, &sink, i ? found : expected, &err), err);
        if (i)
            assert_memory_equal(found, expected, 32);
    }
}

static void test_a_key_is_the_same_in_all_parts(void **state)
{
    struct system s;

    (void)state;
    system_open(&s, &curve_bls12_381);
    for (enum h_basis basis = H_POWERS; basis <= H_COSET_FOLDED; basis++)
        check_basis(&s, basis);
    system_close(&s);
    system_open(&s, &curve_bn254);
    check_basis(&s, H_COSET_FOLDED);
    system_close(&s);
}

/* ---- the end before the end ------------------------------------------------------------------ */

static void test_a_cancelled_set_up_says_so_and_leaks_nothing(void **state)
{
    const struct setup_options options = {.part = 100, .window = 64, .slice = 50};
    struct digest_sink whole = {0};
    struct cuzk_error err;
    uint8_t digest[32];
    struct system s;

    (void)state;
    system_open(&s, &curve_bls12_381);
    assert_ok(make_key(&s, options, &whole, digest, &err), err);
    for (size_t stop = 1; stop < whole.slices; stop += whole.slices / 7) {
        struct digest_sink sink = {.stop_after = stop};

        assert_int_equal(make_key(&s, options, &sink, digest, &err), CUZK_CANCELLED);
        assert_int_equal(sink.slices, stop);
    }
    system_close(&s);
}

static void test_tau_on_the_coset_of_h_is_refused(void **state)
{
    struct digest_sink sink = {0};
    struct cuzk_error err;
    struct scalar root;
    uint8_t digest[32];
    struct system s;

    (void)state;
    system_open(&s, &curve_bls12_381);
    assert_true(s.curve->fr_root(&root, s.curve->fr_generator.w[0], s.qap.lg_domain));
    s.curve->fr_mul(&s.trapdoor.tau, &root, &s.curve->fr_generator);
    assert_int_equal(make_key(&s, (struct setup_options){.h_basis = H_COSET}, &sink, digest, &err),
                     CUZK_BAD_INPUT);
    assert_string_equal(err.message, "trapdoor: tau lies on the coset of the key's h");
    system_close(&s);
}

static void test_a_trapdoor_without_memory_for_its_hash_is_refused(void **state)
{
    struct cuzk_error err = {0};
    struct trapdoor trapdoor;

    (void)state;
    for (size_t n = 1; n <= 5; n++) { /* one hash for each of its five scalars */
        mem_fail_at(n);
        assert_int_equal(trapdoor_from_label(&trapdoor, &curve_bn254, "x", &err), CUZK_NO_MEMORY);
        assert_string_equal(err.message, "no memory for a digest");
    }
    mem_fail_at(6);
    assert_ok(trapdoor_from_label(&trapdoor, &curve_bn254, "x", &err), err);
    mem_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_says_which_parts_name_which_windows),
        cmocka_unit_test(test_a_key_is_the_same_in_all_parts),
        cmocka_unit_test(test_a_cancelled_set_up_says_so_and_leaks_nothing),
        cmocka_unit_test(test_tau_on_the_coset_of_h_is_refused),
        cmocka_unit_test(test_a_trapdoor_without_memory_for_its_hash_is_refused),
    };

    return cmocka_run_group_tests_name("set-up in parts", tests, NULL, NULL);
}
