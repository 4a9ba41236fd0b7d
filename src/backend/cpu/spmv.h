/* The inner loops of matrix times witness, one instance a curve (spmv.inc.h).
 *
 * A term is coefficient * value. Three facts make most of them cheap, and are used:
 *   - most values are bits: a set bit adds the coefficient, a clear one nothing;
 *   - most coefficients are 1 or -1: such terms of bits are counted, of full values added;
 *   - the Montgomery product of a native coefficient and a plain value is their plain product, so a
 *     witness is read as it is, and one row is converted once. */
#ifndef BACKEND_CPU_SPMV_H
#define BACKEND_CPU_SPMV_H

#include "backend/matrix.h"
#include "backend/witness.h"
#include "curve/curve.h"

enum coef_kind {
    COEF_KIND_ANY,
    COEF_KIND_ONE,
    COEF_KIND_MINUS_ONE,
};

/* What a matrix needs besides itself. */
struct spmv_matrix {
    const struct matrix *matrix;
    void *coefs;           /* the dictionary, native */
    uint8_t *kinds;        /* enum coef_kind of each of them */
    uint64_t *segment_row; /* n_segments + 1: first row of each, and the end */
};

struct spmv_kernels {
    /* kinds[i] of n native coefficients. */
    void (*classify)(uint8_t *kinds, const void *coefs, size_t n);

    /* out[i] = row (first + i) times the witness, native, i in [0, n). */
    void (*rows)(void *out, const struct spmv_matrix *m, const struct witness *w, uint64_t first,
                 size_t n);

    /* acc[v - first] += M[row][v] * values[row - begin] for the inputs, or the aux, v in
     * [first, first + n) and the rows [begin, end). values: native. */
    void (*transposed_inputs)(void *acc, const struct spmv_matrix *m, const void *values,
                              uint64_t begin, uint64_t end, uint64_t first, size_t n);
    void (*transposed_aux)(void *acc, const struct spmv_matrix *m, const void *values,
                           uint64_t begin, uint64_t end, uint64_t first, size_t n);
};

/* By the name of the curve, of which a back end may have its own struct. */
const struct spmv_kernels *spmv_kernels_of(const struct curve *curve);

extern const struct spmv_kernels spmv_bls12_381, spmv_bn254, spmv_toy_bn, spmv_toy_bls12;

/* The segment that holds a row. */
static inline size_t spmv_segment_of(const struct spmv_matrix *m, uint64_t row)
{
    size_t low = 0, high = m->matrix->n_segments;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (m->segment_row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where one row's terms begin in its segment. */
static inline uint32_t spmv_row_begin(const struct matrix_segment *s, uint64_t row)
{
    return row ? s->row_end[row - 1] : 0;
}

#endif
