/* Many multiples of one base: 16 table points a multiple (fixed_base_kernels.cu), added pairwise in
 * four rounds of batch additions. The table is made here too, by doubling the multiples that are
 * known of every window, fifteen times. */
#include <string.h>

#include "backend/cuda/cuda_device.h"
#include "backend/cuda/launch.h"

/* Multiples made together: enough to fill the card in the last round too, and 3.5 GB of scratch in
 * either group. */
enum { LG_TOGETHER_G1 = 21, LG_TOGETHER_G2 = 20 };

struct fixed_base {
    struct device *device;
    enum cuda_group group;
    struct piece *piece;
    uint8_t *table; /* CUDA_FIXED_POINTS and one at infinity */
};

static size_t point_bytes(enum cuda_group group)
{
    return 2 * cuda_coordinate_bytes(group);
}

static size_t table_bytes(enum cuda_group group)
{
    return (CUDA_FIXED_POINTS + 1) * point_bytes(group);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* What making it takes: the points 2^(16 w) base, the slots of all multiples, a round's pairs. */
struct making {
    void *first, *temp_x, *temp_y, *pairs, *batch;
    size_t bytes;
};

static struct making making_of(enum cuda_group group, uint8_t *base)
{
    const size_t coordinate = cuda_coordinate_bytes(group), most = CUDA_FIXED_POINTS / 2;
    struct making m = {0};

    m.first = cuda_place(base, &m.bytes, CUDA_FIXED_WINDOWS * point_bytes(group));
    m.temp_x = cuda_place(base, &m.bytes, CUDA_FIXED_POINTS * coordinate);
    m.temp_y = cuda_place(base, &m.bytes, CUDA_FIXED_POINTS * coordinate);
    m.pairs = cuda_place(base, &m.bytes, most * 8);
    m.batch = cuda_place(base, &m.bytes, BY_CURVE(batch_add_bytes, group, most));
    return m;
}

size_t cuda_fixed_base_bytes(const struct curve *curve, enum element element)
{
    const enum cuda_group group = cuda_group_of(curve, element);

    return cuda_piece(table_bytes(group)) + cuda_piece(making_of(group, NULL).bytes);
}

/* The points 2^(16 w) base, plain, one after the other. */
static void first_multiples(const struct curve *curve, enum cuda_group group, const void *base,
                            uint8_t *out)
{
    for (unsigned w = 0; w < CUDA_FIXED_WINDOWS; w++, out += point_bytes(group)) {
        struct scalar power = {{0}};

        power.w[w * CUDA_FIXED_BITS / 64] = (uint64_t)1 << (w * CUDA_FIXED_BITS % 64);
        if (cuda_is_g1(group)) {
            struct g1_point p;

            curve->g1_mul(&p, base, &power);
            memcpy(out, &p, curve->g1_bytes);
        } else {
            struct g2_point p;

            curve->g2_mul(&p, base, &power);
            memcpy(out, &p, curve->g2_bytes);
        }
    }
}

static enum cuzk_status make_table(const struct fixed_base *f, const struct making *m,
                                   const void *base, struct cuzk_error *err)
{
    uint8_t first[CUDA_FIXED_WINDOWS * sizeof(struct g2_point)];
    const struct cuda_points points = {
        .table = m->first, .temp_x = m->temp_x, .temp_y = m->temp_y, .n_table = CUDA_FIXED_WINDOWS};

    first_multiples(f->device->curve, f->group, base, first);
    TRY(CU(cudaMemcpy(m->first, first, CUDA_FIXED_WINDOWS * point_bytes(f->group),
                      cudaMemcpyHostToDevice),
           err));
    TRY(CU(BY_CURVE(points_from_plain, f->group, m->first, CUDA_FIXED_WINDOWS, NULL), err));
    TRY(CU(BY_CURVE(points_prepare, f->group, m->first, CUDA_FIXED_WINDOWS, NULL), err));
    for (uint32_t known = 1; known < CUDA_FIXED_POINTS / CUDA_FIXED_WINDOWS; known *= 2) {
        const struct cuda_batch batch = {.points = points,
                                         .pairs = m->pairs,
                                         .n_pairs = CUDA_FIXED_WINDOWS * known,
                                         .out = CUDA_FIXED_WINDOWS * known,
                                         .scratch = m->batch};

        TRY(CU(f->device->kernels->fixed_pairs(m->pairs, known, NULL), err));
        TRY(CU(BY_CURVE(batch_add, f->group, &batch, f->device->n_sm, NULL), err));
    }
    TRY(CU(BY_CURVE(fixed_table, f->group, f->table, &points, NULL), err));
    TRY(CU(BY_CURVE(points_prepare, f->group, f->table, CUDA_FIXED_POINTS, NULL), err));
    TRY(CU(cudaMemsetAsync(f->table + CUDA_FIXED_POINTS * point_bytes(f->group), 0xff,
                           point_bytes(f->group), NULL),
           err));
    return CU(cudaStreamSynchronize(NULL), err);
}

enum cuzk_status cuda_fixed_base_new(struct device *device, enum element element, const void *base,
                                     struct fixed_base **ret, struct cuzk_error *err)
{
    struct fixed_base *f = mem_new(sizeof *f);
    struct piece *room = NULL;
    struct making m;
    enum cuzk_status st;

    if (!f)
        return error_set(err, CUZK_NO_MEMORY, "fixed base: out of memory");
    *f = (struct fixed_base){.device = device, .group = cuda_group_of(device->curve, element)};
    TRY_GOTO(st, out, cuda_take(device, table_bytes(f->group), &f->piece, err));
    f->table = cuda_at(device, f->piece);
    TRY_GOTO(st, out, cuda_take(device, making_of(f->group, NULL).bytes, &room, err));
    m = making_of(f->group, cuda_at(device, room));
    TRY_GOTO(st, out, make_table(f, &m, base, err));
    *ret = f;
    f = NULL;
out:
    cuda_give(device, room);
    cuda_fixed_base_free(f);
    return st;
}

void cuda_fixed_base_free(struct fixed_base *f)
{
    if (!f)
        return;
    cuda_give(f->device, f->piece);
    mem_free(f);
}

/* ---- multiples ------------------------------------------------------------------------------ */

static size_t together(enum cuda_group group, size_t n)
{
    const size_t most = (size_t)1 << (cuda_is_g1(group) ? LG_TOGETHER_G1 : LG_TOGETHER_G2);

    return n < most ? n : most;
}

/* Scratch for m multiples: the sums of the first round and of the second; the third's overwrite the
 * first's, and the fourth's follow the third's. */
struct mul_room {
    void *refs, *temp_x, *temp_y, *batch;
    size_t bytes;
};

static struct mul_room mul_room_of(enum cuda_group group, size_t m, uint8_t *base)
{
    const size_t coordinate = cuda_coordinate_bytes(group);
    struct mul_room r = {0};

    r.refs = cuda_place(base, &r.bytes, m * CUDA_FIXED_WINDOWS * sizeof(uint32_t));
    r.temp_x = cuda_place(base, &r.bytes, 12 * m * coordinate);
    r.temp_y = cuda_place(base, &r.bytes, 12 * m * coordinate);
    r.batch = cuda_place(base, &r.bytes, BY_CURVE(batch_add_bytes, group, 8 * m));
    return r;
}

size_t cuda_fixed_base_mul_bytes(const struct curve *curve, enum element element, size_t n,
                                 unsigned n_threads)
{
    const enum cuda_group group = cuda_group_of(curve, element);

    (void)n_threads;
    return cuda_piece(mul_room_of(group, together(group, n), NULL).bytes);
}

static enum cuzk_status mul_some(struct stream *s, const struct fixed_base *f,
                                 const struct mul_room *r, void *out, const void *scalars, size_t m,
                                 struct cuzk_error *err)
{
    const struct cuda_points points = {.table = f->table,
                                       .temp_x = r->temp_x,
                                       .temp_y = r->temp_y,
                                       .n_table = CUDA_FIXED_POINTS + 1};
    const uint32_t low = points.n_table, high = low + 8 * (uint32_t)m;
    const struct {
        uint32_t from, to;
    } rounds[4] = {{0, low}, {low, high}, {high, low}, {low, low + 2 * (uint32_t)m}};

    TRY(CU(s->device->kernels->fixed_refs(r->refs, scalars, m, s->cuda), err));
    for (int i = 0; i < 4; i++) {
        const struct cuda_batch batch = {.points = points,
                                         .pairs = i == 0 ? r->refs : NULL,
                                         .n_pairs = (8 * (uint32_t)m) >> i,
                                         .first = rounds[i].from,
                                         .out = rounds[i].to,
                                         .far = i == 0,
                                         .scratch = r->batch};

        TRY(CU(BY_CURVE(batch_add, f->group, &batch, f->device->n_sm, s->cuda), err));
    }
    return CU(BY_CURVE(points_take, f->group, out, &points, rounds[3].to, m, s->cuda), err);
}

static enum cuzk_status mul_all(struct stream *s, const struct fixed_base *f, struct buf *out,
                                const struct buf *scalars, size_t at, size_t n,
                                struct cuzk_error *err)
{
    const size_t step = together(f->group, n);
    const struct mul_room sizes = mul_room_of(f->group, step, NULL);
    struct mul_room room;
    void *scratch;
    enum cuzk_status st = CUZK_OK;

    TRY(cuda_scratch_begin(s, sizes.bytes, &scratch, err));
    room = mul_room_of(f->group, step, scratch);
    for (size_t i = 0; i < n && st == CUZK_OK; i += step)
        st = mul_some(s, f, &room, buf_at(out, i), buf_at(scalars, at + i),
                      n - i < step ? n - i : step, err);
    cuda_scratch_end(s);
    return st;
}

void cuda_fixed_base_mul(struct stream *s, const struct fixed_base *f, struct buf *out,
                         const struct buf *scalars, size_t at, size_t n)
{
    if (cuda_op_begin(s, "fixed_base_mul"))
        cuda_op_end(s, n ? mul_all(s, f, out, scalars, at, n, &s->failure) : CUZK_OK, &s->failure);
}
