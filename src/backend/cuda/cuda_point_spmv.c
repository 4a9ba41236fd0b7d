/* A transposed product with points for values: out[j] = sum of M[row][variable first + j]
 * points[row].
 *
 * Terms are taken some millions at a time, whole rows of a segment's block. Each names a point of
 * `points`, with a sign, or a multiple made for it; then they are sorted by variable and added
 * pairwise in rounds, as a dense sum adds its buckets (cuda_msm.c), and the sums of what was taken
 * are added to those so far:
 *
 *     slots   multiples | temporaries | three rows of sums: so far, of now, so far
 */
#include "backend/cuda/cuda_matrix.h"

enum { LG_TERMS = 23 };

struct shape {
    enum cuda_group group;
    size_t n, n_rows, n_terms; /* terms taken together, at most */
    unsigned lg_row;           /* of sums */
};

struct room {
    uint32_t *counts, *keys[2], *refs[2], *pairs, *other_rows, *other_coefs;
    void *scalars, *xyzz, *sort, *batch;
    uint8_t *temp_x, *temp_y;
    struct cuda_plan plan;
    size_t bytes;
};

static unsigned bit_length(size_t x)
{
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

static size_t row_terms(const struct matrix_segment *s, size_t row)
{
    return s->row_end[row] - (row ? s->row_end[row - 1] : 0);
}

static struct shape shape_of(const struct matrix *m, enum cuda_group group, size_t n)
{
    const size_t most = (size_t)1 << LG_TERMS;
    size_t all = 0, longest = 1;

    for (size_t i = 0; i < m->n_segments; i++) {
        const struct matrix_segment *s = &m->segments[i];

        all += s->n_terms * s->count;
        for (size_t row = 0; row < s->n_rows; row++)
            longest = row_terms(s, row) > longest ? row_terms(s, row) : longest;
    }
    all = all < most ? all : most;
    return (struct shape){.group = group,
                          .n = n,
                          .n_rows = m->n_rows,
                          .n_terms = all < longest ? longest : all,
                          .lg_row = bit_length(n ? n - 1 : 0)};
}

static struct room room_of(const struct shape *s, uint8_t *base)
{
    const size_t coordinate = cuda_coordinate_bytes(s->group), words = s->n_terms * 4;
    const size_t n_slots = 2 * s->n_terms + ((size_t)3 << s->lg_row);
    const size_t n_pairs = s->n_terms > s->n ? s->n_terms : s->n;
    struct room r = {.plan = {.n_buckets = (uint32_t)s->n}};
    uint32_t **const buckets[] = {&r.plan.start,   &r.plan.count, &r.plan.left,
                                  &r.plan.n_pairs, &r.plan.place, &r.plan.long_list};

#define PLACE(where, size) (where) = cuda_place(base, &r.bytes, (size))
    PLACE(r.counts, 2 * sizeof(uint32_t));
    for (int k = 0; k < 2; k++) {
        PLACE(r.keys[k], words);
        PLACE(r.refs[k], words);
    }
    PLACE(r.pairs, words + 8);
    PLACE(r.other_rows, words);
    PLACE(r.other_coefs, words);
    PLACE(r.scalars, s->n_terms * 32);
    PLACE(r.xyzz, s->n_terms * 4 * coordinate);
    PLACE(r.sort, cuda_sort_bytes(s->n_terms));
    PLACE(r.batch, BY_CURVE(batch_add_bytes, s->group, n_pairs));
    PLACE(r.temp_x, n_slots * coordinate);
    PLACE(r.temp_y, n_slots * coordinate);
    for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++)
        PLACE(*buckets[i], (s->n + 1) * 4);
    PLACE(r.plan.totals, CUDA_ROUNDS * sizeof(uint64_t));
    PLACE(r.plan.scratch, cuda_scan_bytes(s->n));
#undef PLACE
    return r;
}

size_t cuda_point_spmv_bytes(const struct curve *curve, const struct matrix *matrix,
                             enum element group, size_t n, unsigned n_threads)
{
    const struct shape s = shape_of(matrix, cuda_group_of(curve, group), n);

    (void)n_threads;
    return cuda_piece(room_of(&s, NULL).bytes);
}

/* ---- some terms ----------------------------------------------------------------------------- */

struct product {
    struct stream *stream;
    const struct matrix_handle *matrix;
    struct shape shape;
    struct room room;
    struct cuda_points points;
    uint64_t first;   /* as var_t numbers variables */
    uint32_t rows[3]; /* the rows of sums */
    unsigned so_far;  /* which of them, 0 or 2 */
    bool any;         /* is there a sum so far? */
};

/* The multiples that the other terms name, into the first slots. */
static enum cuzk_status make_multiples(const struct product *p, size_t n, struct cuzk_error *err)
{
    const struct room *r = &p->room;
    const cudaStream_t cuda = p->stream->cuda;

    TRY(CU(p->stream->device->kernels->gather_scalars(r->scalars, p->matrix->plain, r->other_coefs,
                                                      n, cuda),
           err));
    TRY(CU(BY_CURVE(xyzz_load, p->shape.group, r->xyzz, p->points.table, r->other_rows, n, cuda),
           err));
    TRY(CU(BY_CURVE(xyzz_scale, p->shape.group, r->xyzz, r->scalars, n, cuda), err));
    return CU(BY_CURVE(xyzz_slots, p->shape.group, r->temp_x, r->temp_y, r->xyzz, n, cuda), err);
}

static enum cuzk_status add(const struct product *p, struct cuda_batch *batch,
                            struct cuzk_error *err)
{
    batch->points = p->points;
    batch->scratch = p->room.batch;
    return CU(BY_CURVE(batch_add, p->shape.group, batch, p->stream->device->n_sm, p->stream->cuda),
              err);
}

/* n entries -> a sum a variable, in the row `to`. */
static enum cuzk_status add_entries(const struct product *p, size_t n, uint32_t to,
                                    struct cuzk_error *err)
{
    const struct room *r = &p->room;
    const cudaStream_t cuda = p->stream->cuda;
    uint32_t *keys[2] = {r->keys[0], r->keys[1]}, *refs[2] = {r->refs[0], r->refs[1]};
    uint32_t slot = p->points.n_table + (uint32_t)p->shape.n_terms;
    uint64_t totals[CUDA_ROUNDS];
    int which;

    TRY(CU(cuda_sort(keys, refs, n, bit_length(p->shape.n), &which, r->sort, cuda), err));
    TRY(CU(cuda_plan_begin(&r->plan, keys[which], n, cuda), err));
    TRY(CU(cudaMemcpyAsync(totals, r->plan.totals, sizeof totals, cudaMemcpyDeviceToHost, cuda),
           err));
    TRY(CU(cudaStreamSynchronize(cuda), err));
    /* always one round: it also turns lone entries into references */
    for (unsigned round = 0; round < CUDA_ROUNDS && (round == 0 || totals[round]); round++) {
        struct cuda_batch batch = {
            .pairs = r->pairs, .n_pairs = (uint32_t)totals[round], .out = slot, .far = round == 0};

        TRY(CU(cuda_plan_round(&r->plan, round == 0 ? refs[which] : NULL, r->pairs, slot,
                               p->stream->device->n_sm, cuda),
               err));
        TRY(add(p, &batch, err));
        slot += batch.n_pairs;
    }
    return CU(BY_CURVE(plan_collect, p->shape.group, &r->plan, &p->points, to, cuda), err);
}

/* The sums of now, in the middle row, to those so far. */
static enum cuzk_status add_to_sums(struct product *p, struct cuzk_error *err)
{
    struct cuda_batch batch = {.n_pairs = (uint32_t)p->shape.n,
                               .first = p->rows[p->so_far ? 1 : 0],
                               .lg_half = p->shape.lg_row,
                               .out = p->rows[p->so_far ? 0 : 2]};

    p->so_far = 2 - p->so_far;
    return add(p, &batch, err);
}

static enum cuzk_status take_terms(struct product *p, const struct cuda_segment *segment,
                                   struct cuda_point_terms *terms, struct cuzk_error *err)
{
    const struct room *r = &p->room;
    const cudaStream_t cuda = p->stream->cuda;
    uint32_t counts[2];

    terms->first = p->first;
    terms->n = p->shape.n;
    terms->counts = r->counts;
    terms->keys = r->keys[0];
    terms->refs = r->refs[0];
    terms->other_rows = r->other_rows;
    terms->other_coefs = r->other_coefs;
    terms->first_other = p->points.n_table;
    TRY(CU(cudaMemsetAsync(r->counts, 0, sizeof counts, cuda), err));
    TRY(CU(p->stream->device->kernels->point_terms(segment, terms, cuda), err));
    TRY(CU(cudaMemcpyAsync(counts, r->counts, sizeof counts, cudaMemcpyDeviceToHost, cuda), err));
    TRY(CU(cudaStreamSynchronize(cuda), err));
    if (p->stream->device->cancel && atomic_load(p->stream->device->cancel))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    if (counts[0] == 0)
        return CUZK_OK;
    TRY(make_multiples(p, counts[1], err));
    TRY(add_entries(p, counts[0], p->rows[p->any ? 1 : 0], err));
    if (p->any)
        TRY(add_to_sums(p, err));
    p->any = true;
    return CUZK_OK;
}

/* ---- all terms ------------------------------------------------------------------------------ */

/* The end of the longest run of rows from `from` on with at most n_terms terms. */
static size_t rows_that_fit(const struct matrix_segment *s, size_t from, size_t n_terms)
{
    const size_t before = from ? s->row_end[from - 1] : 0;
    size_t low = from, high = s->n_rows;

    while (low < high) {
        const size_t middle = (low + high + 1) / 2;

        if (s->row_end[middle - 1] - before <= n_terms)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static enum cuzk_status take_segment(struct product *p, size_t i, uint64_t row,
                                     struct cuzk_error *err)
{
    const struct matrix_segment *s = &p->matrix->matrix->segments[i];
    const struct cuda_segment segment = cuda_segment_of(p->matrix, i, row);

    for (size_t from = 0, to; s->n_terms && from < s->n_rows; from = to) {
        size_t n_terms, copies;

        to = rows_that_fit(s, from, p->shape.n_terms);
        n_terms = s->row_end[to - 1] - (from ? s->row_end[from - 1] : 0);
        copies = n_terms ? p->shape.n_terms / n_terms : s->count;
        for (size_t k = 0; k < s->count; k += copies) {
            struct cuda_point_terms terms = {
                .from_row = (uint32_t)from,
                .to_row = (uint32_t)to,
                .from_copy = (uint32_t)k,
                .to_copy = (uint32_t)(s->count - k < copies ? s->count : k + copies)};

            TRY(take_terms(p, &segment, &terms, err));
        }
    }
    return CUZK_OK;
}

/* `points` have their infinities in the form of a table meanwhile. */
static enum cuzk_status multiply(struct product *p, struct buf *out, struct cuzk_error *err)
{
    const struct matrix *m = p->matrix->matrix;
    const cudaStream_t cuda = p->stream->cuda;
    uint64_t row = 0;

    for (size_t i = 0; i < m->n_segments; i++) {
        TRY(take_segment(p, i, row, err));
        row += m->segments[i].n_rows * m->segments[i].count;
    }
    if (!p->any)
        return CU(cudaMemsetAsync(buf_data(out), 0,
                                  p->shape.n * 2 * cuda_coordinate_bytes(p->shape.group), cuda),
                  err);
    return CU(BY_CURVE(points_take, p->shape.group, buf_data(out), &p->points, p->rows[p->so_far],
                       p->shape.n, cuda),
              err);
}

static enum cuzk_status run(struct stream *s, struct buf *out, const struct matrix_handle *matrix,
                            const struct buf *points, uint64_t first, size_t n,
                            struct cuzk_error *err)
{
    struct product p = {
        .stream = s,
        .matrix = matrix,
        .shape = shape_of(matrix->matrix, cuda_group_of(s->device->curve, points->element), n),
        .first = first};
    const size_t n_rows = p.shape.n_rows;
    void *scratch;
    enum cuzk_status st;

    TRY(cuda_scratch_begin(s, room_of(&p.shape, NULL).bytes, &scratch, err));
    p.room = room_of(&p.shape, scratch);
    p.points = (struct cuda_points){.table = buf_data(points),
                                    .temp_x = p.room.temp_x,
                                    .temp_y = p.room.temp_y,
                                    .n_table = (uint32_t)n_rows};
    for (uint32_t k = 0; k < 3; k++)
        p.rows[k] = (uint32_t)(n_rows + 2 * p.shape.n_terms + ((size_t)k << p.shape.lg_row));
    st = CU(BY_CURVE(points_prepare, p.shape.group, buf_data(points), n_rows, s->cuda), err);
    if (st == CUZK_OK)
        st = multiply(&p, out, err);
    if (st == CUZK_OK)
        st = CU(BY_CURVE(points_native, p.shape.group, buf_data(points), n_rows, s->cuda), err);
    cuda_scratch_end(s);
    return st;
}

void cuda_point_spmv(struct stream *s, struct buf *out, const struct matrix_handle *matrix,
                     const struct buf *points, bool inputs, uint64_t first, size_t n)
{
    const uint64_t from = (inputs ? VAR_INPUT : 0) + first;

    if (cuda_op_begin(s, "point_spmv"))
        cuda_op_end(s, n ? run(s, out, matrix, points, from, n, &s->failure) : CUZK_OK,
                    &s->failure);
}
