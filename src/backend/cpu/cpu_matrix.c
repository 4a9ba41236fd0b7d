/* The packed witness and the recorded matrices, as handles: a view of the caller's memory and, for
 * a matrix, the dictionary in native form. */
#include "backend/cpu/cpu_device.h"

#include <assert.h>
#include <string.h>

#define GRAIN 2048u /* rows */

const struct spmv_kernels *spmv_kernels_of(const struct curve *curve)
{
    static const struct {
        const struct curve *curve;
        const struct spmv_kernels *kernels;
    } all[] = {{&curve_bls12_381, &spmv_bls12_381},
               {&curve_bn254, &spmv_bn254},
               {&curve_toy_bn, &spmv_toy_bn},
               {&curve_toy_bls12, &spmv_toy_bls12}};
    size_t i = 0;

    while (strcmp(all[i].curve->name, curve->name) != 0)
        i++;
    return all[i].kernels;
}

/* ---- witness --------------------------------------------------------------------------------- */

size_t cpu_witness_bytes(const struct curve *curve, const struct witness *shape)
{
    (void)curve;
    (void)shape;
    return device_piece(sizeof(struct witness_handle));
}

enum cuzk_status cpu_witness_new(struct device *device, const struct witness *shape,
                                 struct witness_handle **ret, struct cuzk_error *err)
{
    void *memory;

    assert(shape->fr_bytes == device->curve->fr_bytes);
    TRY(device_take(device, sizeof(struct witness_handle), &memory, err));
    *ret = memory;
    **ret = (struct witness_handle){.device = device, .witness = *shape};
    return CUZK_OK;
}

void cpu_witness_put(struct stream *stream, struct witness_handle *handle,
                     const struct witness *witness, struct witness_part part)
{
    (void)part; /* a view shows the values that are there when they are read */
    if (!stream_begin(stream, "witness_put"))
        return;
    assert(witness->n_inputs == handle->witness.n_inputs);
    assert(witness->n_aux == handle->witness.n_aux && witness->n_full == handle->witness.n_full);
    handle->witness = *witness;
    stream_end(stream);
}

void cpu_witness_free(struct witness_handle *witness)
{
    if (witness)
        device_give(witness->device, witness);
}

/* ---- matrix ---------------------------------------------------------------------------------- */

/* handle | segment_row | coefs | kinds */
static size_t matrix_room(const struct curve *curve, const struct matrix *m)
{
    return HANDLE_ROOM(struct matrix_handle) + (m->n_segments + 1) * sizeof(uint64_t) +
           m->n_coefs * (curve->fr_bytes + 1);
}

size_t cpu_matrix_bytes(const struct curve *curve, const struct matrix *matrix)
{
    return device_piece(matrix_room(curve, matrix));
}

enum cuzk_status cpu_matrix_new(struct device *device, const struct matrix *matrix,
                                struct matrix_handle **ret, struct cuzk_error *err)
{
    const struct curve *curve = device->curve;
    void *memory;
    struct matrix_handle *h;
    uint64_t row = 0;

    TRY(device_take(device, matrix_room(curve, matrix), &memory, err));
    h = memory;
    *h = (struct matrix_handle){.device = device, .matrix = matrix, .prepared.matrix = matrix};
    h->prepared.segment_row = (uint64_t *)((uint8_t *)memory + HANDLE_ROOM(struct matrix_handle));
    h->prepared.coefs = h->prepared.segment_row + matrix->n_segments + 1;
    h->prepared.kinds = (uint8_t *)h->prepared.coefs + matrix->n_coefs * curve->fr_bytes;
    for (size_t i = 0; i < matrix->n_segments; i++) {
        h->prepared.segment_row[i] = row;
        row += matrix->segments[i].n_rows * matrix->segments[i].count;
    }
    h->prepared.segment_row[matrix->n_segments] = row;
    assert(row == matrix->n_rows);
    curve->fr->from_plain(h->prepared.coefs, matrix->coefs, matrix->n_coefs);
    device->spmv->classify(h->prepared.kinds, h->prepared.coefs, matrix->n_coefs);
    *ret = h;
    return CUZK_OK;
}

void cpu_matrix_free(struct matrix_handle *matrix)
{
    if (matrix)
        device_give(matrix->device, matrix);
}

/* ---- M w ------------------------------------------------------------------------------------- */

struct product {
    const struct device *device;
    const struct matrix_handle *matrix;
    const struct witness *witness;
    const uint8_t *values; /* of rows, for the transposed product */
    uint8_t *out;
    uint64_t first; /* row or variable */
    size_t n;
    uint64_t begin, end; /* the rows of `values` */
    size_t share;        /* variables of one task */
};

static void spmv_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct product *p = ctx;
    const struct device *device = p->device;

    (void)worker;
    device->spmv->rows(p->out + begin * device->curve->fr_bytes, &p->matrix->prepared, p->witness,
                       p->first + begin, end - begin);
}

void cpu_spmv(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
              const struct witness_handle *witness, uint64_t first_row, size_t n_rows)
{
    struct product p = {
        .device = stream->device,
        .matrix = matrix,
        .witness = &witness->witness,
        .out = out->data,
        .first = first_row,
    };

    if (!stream_begin(stream, "spmv"))
        return;
    assert(first_row <= matrix->matrix->n_rows && n_rows <= matrix->matrix->n_rows - first_row);
    buf_will_write(out, n_rows);
    pool_for(stream->device->pool, n_rows, GRAIN, spmv_range, &p);
    stream_end(stream);
}

/* ---- M^T rows -------------------------------------------------------------------------------- */

/* Inputs are few and some are in most rows: each worker sums up rows for itself, worker 0 in the
 * result. */
static size_t transposed_room(const struct curve *curve, bool inputs, size_t n, unsigned n_threads)
{
    return inputs && n_threads > 1 ? (n_threads - 1) * n * curve->fr_bytes : 0;
}

size_t cpu_spmv_transposed_bytes(const struct curve *curve, const struct matrix *matrix,
                                 bool inputs, size_t n, unsigned n_threads)
{
    (void)matrix;
    return device_piece(transposed_room(curve, inputs, n, n_threads));
}

struct input_sums {
    struct product product;
    uint8_t *others; /* sums of workers 1, 2, ... */
};

static void transposed_inputs_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct input_sums *s = ctx;
    const struct product *p = &s->product;
    const struct device *device = p->device;
    size_t bytes = p->n * device->curve->fr_bytes;

    device->spmv->transposed_inputs(worker ? s->others + (worker - 1) * bytes : p->out,
                                    &p->matrix->prepared,
                                    p->values + begin * device->curve->fr_bytes, p->begin + begin,
                                    p->begin + end, p->first, p->n);
}

static void transposed_inputs(struct stream *stream, const struct product *p)
{
    struct device *device = stream->device;
    const struct curve *curve = device->curve;
    unsigned n_threads = pool_size(device->pool);
    size_t room = transposed_room(curve, true, p->n, n_threads), bytes = p->n * curve->fr_bytes;
    struct input_sums sums = {.product = *p, .others = stream_scratch(stream, room)};

    if (!stream_is_ok(stream))
        return;
    if (room)
        memset(sums.others, 0, room);
    pool_for(device->pool, p->end - p->begin, GRAIN, transposed_inputs_range, &sums);
    for (unsigned i = 1; i < n_threads; i++)
        curve->fr->add(p->out, p->out, sums.others + (i - 1) * bytes, p->n);
    device_give(device, sums.others);
}

/* Aux are many: each task looks through all rows for its share of them. */
static void transposed_aux_share(void *ctx, size_t i, unsigned worker)
{
    const struct product *p = ctx;
    const struct device *device = p->device;
    size_t begin = i * p->share, n = p->n - begin < p->share ? p->n - begin : p->share;
    uint8_t *out = p->out + begin * device->curve->fr_bytes;

    (void)worker;
    device->spmv->transposed_aux(out, &p->matrix->prepared, p->values, p->begin, p->end,
                                 p->first + begin, n);
}

static void transposed_aux(const struct device *device, struct product *p)
{
    size_t n_shares = 2 * (size_t)pool_size(device->pool);

    if (pool_size(device->pool) == 1)
        n_shares = 1;
    p->share = p->n / n_shares + 1;
    pool_run(device->pool, p->n / p->share + (p->n % p->share != 0), transposed_aux_share, p);
}

void cpu_spmv_transposed(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
                         const struct buf *rows, uint64_t first_row, size_t n_rows, bool inputs,
                         uint64_t first, size_t n)
{
    struct product p = {
        .device = stream->device,
        .matrix = matrix,
        .out = out->data,
        .first = first,
        .n = n,
        .begin = first_row,
        .end = first_row + n_rows,
    };

    if (!stream_begin(stream, "spmv_transposed"))
        return;
    assert(first_row <= matrix->matrix->n_rows && n_rows <= matrix->matrix->n_rows - first_row);
    assert(n_rows <= rows->n && n <= out->n && out != rows);
    buf_make_native(rows);
    buf_make_native(out);
    p.values = rows->data;
    if (inputs)
        transposed_inputs(stream, &p);
    else
        transposed_aux(stream->device, &p);
    stream_end(stream);
}
