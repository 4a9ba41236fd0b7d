/* Matrix times witness, and its transpose, whole and in pieces of the rows, against sums over the
 * expanded terms. */
#include "support/random_matrix.h"
#include "support/waist.h"

struct naive {
    const struct curve *curve;
    const struct witness *witness; /* M w: else the transposed product */
    const uint64_t *rows;
    uint64_t *by_row, *by_input, *by_aux;
};

static void add_product(const struct curve *curve, uint64_t *sums, size_t i,
                        const struct scalar *coef, const struct scalar *value)
{
    struct scalar sum = scalar_load(curve, sums, i), product;

    curve->fr_mul(&product, coef, value);
    curve->fr_add(&sum, &sum, &product);
    scalar_store(curve, sums, i, &sum);
}

static void naive_term(void *ctx, uint64_t row, var_t var, const struct scalar *coef)
{
    struct naive *n = ctx;
    bool input = (var & VAR_INPUT) != 0;
    size_t index = var & ~VAR_INPUT;

    if (n->witness) {
        struct scalar value = {{0}};

        witness_value(value.w, n->witness, input, index);
        add_product(n->curve, n->by_row, row, coef, &value);
    } else {
        struct scalar value = scalar_load(n->curve, n->rows, row);

        add_product(n->curve, input ? n->by_input : n->by_aux, index, coef, &value);
    }
}

static void check_spmv(struct waist *w, const struct matrix *m, const struct witness *witness,
                       const uint64_t *expected)
{
    const size_t words = w->curve->fr_bytes / 8;
    const uint64_t starts[] = {0, 1, 49, 50, 57, 60, m->n_rows / 2, m->n_rows - 1, m->n_rows};
    struct matrix_handle *matrix;
    struct witness_handle *handle;
    struct buf *out = waist_buf(w, ELEMENT_SCALAR, m->n_rows, NULL);

    waist_measure_begin(w);
    size_t before = w->device->arena.used;
    assert_int_equal(w->be->matrix_new(w->device, m, &matrix, NULL), CUZK_OK);
    assert_int_equal(w->device->arena.used - before, w->be->matrix_bytes(w->curve, m));
    before = w->device->arena.used;
    assert_int_equal(w->be->witness_new(w->device, witness, &handle, NULL), CUZK_OK);
    assert_int_equal(w->device->arena.used - before, w->be->witness_bytes(w->curve, witness));
    w->be->witness_put(w->stream, handle, witness, witness_whole(witness->n_aux));
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        for (size_t n = m->n_rows - starts[i];; n /= 3) {
            uint64_t *got;

            w->be->spmv(w->stream, out, matrix, handle, starts[i], n);
            got = waist_get(w, out, n);
            assert_memory_equal(got, expected + starts[i] * words, n * w->curve->fr_bytes);
            mem_free(got);
            if (n == 0)
                break;
        }
    w->be->witness_free(handle);
    w->be->matrix_free(matrix);
    w->be->buf_free(out);
}

static void test_spmv_is_the_sum_over_expanded_terms(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (uint32_t count = 2; count <= 700; count += 698) {
            const struct curve *curve = waist_curves[c];
            struct random_matrix *rm = random_matrix_new(curve, count, &rng);
            struct matrix *m = &rm->matrix;
            struct witness *witness = random_witness_new(curve, m->n_inputs, m->n_aux, &rng);
            uint64_t *expected = mem_new(m->n_rows * curve->fr_bytes);
            struct naive naive = {.curve = curve, .witness = witness, .by_row = expected};

            matrix_terms(curve, m, naive_term, &naive);
            for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
                struct waist w;

                waist_open(&w, curve, n_threads);
                check_spmv(&w, m, witness, expected);
                waist_close(&w);
            }
            mem_free(expected);
            random_witness_free(witness);
            random_matrix_free(rm);
        }
}

/* The sums of variables [first, first + n), `piece` rows after the other. */
static uint64_t *transposed(struct waist *w, const struct matrix_handle *matrix,
                            const struct matrix *m, const uint64_t *rows, size_t piece, bool inputs,
                            size_t first, size_t n)
{
    const size_t words = w->curve->fr_bytes / 8;
    struct buf *values = waist_buf(w, ELEMENT_SCALAR, piece, NULL);
    struct buf *out = waist_buf(w, ELEMENT_SCALAR, n, NULL);
    uint64_t *got;

    for (size_t row = 0; row < m->n_rows; row += piece) {
        const size_t n_rows = m->n_rows - row < piece ? m->n_rows - row : piece;

        w->be->buf_put(w->stream, values, 0, rows + row * words, n_rows);
        waist_measure_begin(w);
        w->be->spmv_transposed(w->stream, out, matrix, values, row, n_rows, inputs, first, n);
        waist_measure_end(w,
                          w->be->spmv_transposed_bytes(w->curve, m, inputs, n, pool_size(w->pool)));
    }
    got = waist_get(w, out, n);
    w->be->buf_free(out);
    w->be->buf_free(values);
    return got;
}

static void check_transposed(struct waist *w, const struct matrix *m, const uint64_t *rows,
                             bool inputs, const uint64_t *expected, size_t n_vars)
{
    const size_t starts[] = {0, 1, n_vars / 2, n_vars - 1}, words = w->curve->fr_bytes / 8;
    const size_t pieces[] = {m->n_rows, m->n_rows / 2 + 3, 100, 7};
    struct matrix_handle *matrix;

    assert_int_equal(w->be->matrix_new(w->device, m, &matrix, NULL), CUZK_OK);
    for (size_t i = 0; i < 4; i++)
        for (size_t n = n_vars - starts[i]; n > 0; n /= 2)
            for (size_t p = 0; p < (n == n_vars ? 4 : 2); p++) {
                uint64_t *got = transposed(w, matrix, m, rows, pieces[p], inputs, starts[i], n);

                assert_memory_equal(got, expected + starts[i] * words, n * w->curve->fr_bytes);
                mem_free(got);
            }
    w->be->matrix_free(matrix);
}

static void test_spmv_transposed_is_the_sum_over_expanded_terms(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        struct random_matrix *rm = random_matrix_new(curve, 290, &rng);
        struct matrix *m = &rm->matrix;
        uint64_t *rows = mem_new(m->n_rows * curve->fr_bytes);
        uint64_t *by_input = mem_new(m->n_inputs * curve->fr_bytes);
        uint64_t *by_aux = mem_new(m->n_aux * curve->fr_bytes);
        struct naive naive = {.curve = curve, .rows = rows, .by_input = by_input, .by_aux = by_aux};

        for (size_t i = 0; i < m->n_rows; i++) {
            struct scalar x = random_scalar(curve, &rng);

            scalar_store(curve, rows, i, &x);
        }
        matrix_terms(curve, m, naive_term, &naive);
        for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
            struct waist w;

            waist_open(&w, curve, n_threads);
            check_transposed(&w, m, rows, true, by_input, m->n_inputs);
            check_transposed(&w, m, rows, false, by_aux, m->n_aux);
            waist_close(&w);
        }
        mem_free(rows);
        mem_free(by_input);
        mem_free(by_aux);
        random_matrix_free(rm);
    }
}

static int run(const char *backend)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spmv_is_the_sum_over_expanded_terms),
        cmocka_unit_test(test_spmv_transposed_is_the_sum_over_expanded_terms),
    };
    char name[64];

    snprintf(name, sizeof name, "backend matrix %s", backend);
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void)
{
    return waist_run_group(run);
}
