/* Recorded matrices on the device: the segments as they were recorded, one block a repeat, and the
 * dictionary in the forms that spmv_kernels.cu wants. */
#include "backend/cuda/cuda_matrix.h"
#include "backend/cuda/cuda_witness.h"

static size_t coef_bytes(const struct matrix_segment *s)
{
    return s->n_terms * (s->coef16 ? sizeof(uint16_t) : sizeof(uint32_t));
}

static bool is_long(const struct matrix_segment *s, size_t row)
{
    return s->row_end[row] - (row ? s->row_end[row - 1] : 0) > CUDA_SHORT_TERMS;
}

static size_t count_long(const struct matrix_segment *s)
{
    size_t n = 0;

    for (size_t row = 0; row < s->n_rows; row++)
        n += is_long(s, row);
    return n;
}

/* Places of all parts from `base` on; segments may be NULL when only the size is wanted. */
static size_t place_parts(struct matrix_handle *h, const struct matrix *m, size_t fr_bytes,
                          void *base)
{
    size_t used = 0;

    h->plain = cuda_place(base, &used, m->n_coefs * fr_bytes);
    h->mont = cuda_place(base, &used, m->n_coefs * fr_bytes);
    h->small = cuda_place(base, &used, m->n_coefs * sizeof(int64_t));
    for (size_t i = 0; i < m->n_segments; i++) {
        const struct matrix_segment *s = &m->segments[i];
        struct resident r = {.n_long = count_long(s)};

        r.row_end = cuda_place(base, &used, s->n_rows * sizeof(uint32_t));
        r.var = cuda_place(base, &used, s->n_terms * sizeof(var_t));
        r.coef = cuda_place(base, &used, coef_bytes(s));
        r.imports = cuda_place(base, &used, (size_t)s->count * s->n_ports * sizeof(var_t));
        r.long_rows = cuda_place(base, &used, r.n_long * sizeof(uint32_t));
        if (h->segments)
            h->segments[i] = r;
    }
    return used;
}

size_t cuda_matrix_bytes(const struct curve *curve, const struct matrix *matrix)
{
    struct matrix_handle h = {0};

    return cuda_piece(place_parts(&h, matrix, curve->fr_bytes, NULL));
}

static enum cuzk_status send(void *to, const void *from, size_t bytes, struct cuzk_error *err)
{
    return bytes ? CU(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), err) : CUZK_OK;
}

static enum cuzk_status send_long_rows(const struct matrix_segment *s, const struct resident *r,
                                       struct budget *budget, struct cuzk_error *err)
{
    struct region room;
    uint32_t *rows;
    enum cuzk_status st;

    TRY(region_map(&room, budget, MEM_SCRATCH, r->n_long * sizeof *rows, err));
    rows = (uint32_t *)(void *)room.base;
    for (size_t row = 0, k = 0; k < r->n_long; row++)
        if (is_long(s, row))
            rows[k++] = (uint32_t)row;
    st = send(r->long_rows, rows, r->n_long * sizeof *rows, err);
    region_unmap(&room);
    return st;
}

static enum cuzk_status send_segment(const struct matrix_segment *s, const struct resident *r,
                                     struct budget *budget, struct cuzk_error *err)
{
    TRY(send(r->row_end, s->row_end, s->n_rows * sizeof(uint32_t), err));
    TRY(send(r->var, s->var, s->n_terms * sizeof(var_t), err));
    TRY(send(r->coef, s->coef16 ? (const void *)s->coef16 : s->coef32, coef_bytes(s), err));
    TRY(send(r->imports, s->imports, (size_t)s->count * s->n_ports * sizeof(var_t), err));
    return r->n_long ? send_long_rows(s, r, budget, err) : CUZK_OK;
}

enum cuzk_status cuda_matrix_new(struct device *device, const struct matrix *matrix,
                                 struct matrix_handle **ret, struct cuzk_error *err)
{
    const size_t fr_bytes = device->curve->fr_bytes;
    struct matrix_handle *h = mem_new(sizeof *h);
    enum cuzk_status st = CUZK_NO_MEMORY;

    if (h)
        h->segments = mem_new((matrix->n_segments + 1) * sizeof *h->segments);
    if (!h || !h->segments) {
        (void)error_set(err, CUZK_NO_MEMORY, "matrix: out of memory");
        goto out;
    }
    h->device = device;
    h->matrix = matrix;
    TRY_GOTO(st, out, cuda_take(device, place_parts(h, matrix, fr_bytes, NULL), &h->piece, err));
    (void)place_parts(h, matrix, fr_bytes, cuda_at(device, h->piece));
    TRY_GOTO(st, out, send(h->plain, matrix->coefs, matrix->n_coefs * fr_bytes, err));
    TRY_GOTO(
        st, out,
        CU(device->kernels->dictionary(h->plain, h->mont, h->small, matrix->n_coefs, NULL), err));
    for (size_t i = 0; i < matrix->n_segments; i++)
        TRY_GOTO(st, out, send_segment(&matrix->segments[i], &h->segments[i], device->budget, err));
    TRY_GOTO(st, out, CU(cudaStreamSynchronize(NULL), err));
    *ret = h;
    h = NULL;
out:
    cuda_matrix_free(h);
    return st;
}

void cuda_matrix_free(struct matrix_handle *h)
{
    if (!h)
        return;
    if (h->piece)
        cuda_give(h->device, h->piece);
    mem_free(h->segments);
    mem_free(h);
}

struct cuda_segment cuda_segment_of(const struct matrix_handle *h, size_t i, uint64_t row)
{
    const struct matrix_segment *s = &h->matrix->segments[i];
    const struct resident *r = &h->segments[i];

    return (struct cuda_segment){
        .row_end = r->row_end,
        .var = r->var,
        .coef32 = s->coef16 ? NULL : r->coef,
        .coef16 = s->coef16 ? (const uint16_t *)(const void *)r->coef : NULL,
        .imports = r->imports,
        .long_rows = r->long_rows,
        .n_rows = (uint32_t)s->n_rows,
        .count = s->count,
        .n_ports = s->n_ports,
        .n_long = (uint32_t)r->n_long,
        .aux_base = (uint32_t)s->aux_base,
        .aux_stride = (uint32_t)s->aux_stride,
        .input_base = s->input_base,
        .input_stride = s->input_stride,
        .first_row = row,
        .plain = h->plain,
        .mont = h->mont,
        .small = h->small,
    };
}

static enum cuzk_status run_segments(struct stream *stream, void *out,
                                     const struct matrix_handle *h, const struct witness_handle *w,
                                     uint64_t from, uint64_t to, struct cuzk_error *err)
{
    uint64_t row = 0;

    for (size_t i = 0; i < h->matrix->n_segments && row < to; i++) {
        const struct matrix_segment *s = &h->matrix->segments[i];
        const uint64_t end = row + s->n_rows * s->count;
        struct cuda_segment segment = cuda_segment_of(h, i, row);

        segment.records = w->records;
        segment.values = w->values;
        segment.n_inputs = (uint32_t)w->n_inputs;
        segment.from = from;
        segment.to = to;
        segment.out = out;
        if (end > from)
            TRY(CU(stream->device->kernels->spmv_segment(&segment, stream->cuda), err));
        row = end;
    }
    return CUZK_OK;
}

void cuda_spmv(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
               const struct witness_handle *witness, uint64_t first_row, size_t n_rows)
{
    if (cuda_op_begin(stream, "spmv"))
        cuda_op_end(stream,
                    run_segments(stream, buf_data(out), matrix, witness, first_row,
                                 first_row + n_rows, &stream->failure),
                    &stream->failure);
}

/* ---- transposed ----------------------------------------------------------------------------- */

size_t cuda_spmv_transposed_bytes(const struct curve *curve, const struct matrix *matrix,
                                  bool inputs, size_t n, unsigned n_threads)
{
    (void)curve;
    (void)matrix;
    (void)inputs;
    (void)n_threads;
    return cuda_piece(n * CUDA_COUNTER_BYTES);
}

static enum cuzk_status transpose_segments(struct stream *s, void *out,
                                           const struct matrix_handle *h, uint64_t from,
                                           uint64_t to, const struct cuda_transposed *t,
                                           struct cuzk_error *err)
{
    uint64_t row = 0;

    TRY(CU(cudaMemsetAsync(t->counters, 0, t->n * CUDA_COUNTER_BYTES, s->cuda), err));
    for (size_t i = 0; i < h->matrix->n_segments && row < to; i++) {
        const uint64_t end = row + h->matrix->segments[i].n_rows * h->matrix->segments[i].count;
        struct cuda_segment segment = cuda_segment_of(h, i, row);

        segment.from = from;
        segment.to = to;
        if (end > from)
            TRY(CU(s->device->kernels->transpose_segment(&segment, t, s->cuda), err));
        row = end;
    }
    return CU(s->device->kernels->add_counted(out, t->counters, t->n, s->cuda), err);
}

void cuda_spmv_transposed(struct stream *s, struct buf *out, const struct matrix_handle *matrix,
                          const struct buf *rows, uint64_t first_row, size_t n_rows, bool inputs,
                          uint64_t first, size_t n)
{
    struct cuda_transposed t = {.rows = buf_data(rows), .inputs = inputs, .first = first, .n = n};
    void *scratch;
    enum cuzk_status st;

    if (!cuda_op_begin(s, "spmv_transposed"))
        return;
    st = cuda_scratch_begin(s, n * CUDA_COUNTER_BYTES, &scratch, &s->failure);
    if (st == CUZK_OK) {
        t.counters = scratch;
        st = transpose_segments(s, buf_data(out), matrix, first_row, first_row + n_rows, &t,
                                &s->failure);
        cuda_scratch_end(s);
    }
    cuda_op_end(s, st, &s->failure);
}
