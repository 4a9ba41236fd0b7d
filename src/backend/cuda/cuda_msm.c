/* Sums over a key's points.
 *
 * A dense sum cuts its scalars into signed windows of c bits and adds, for each window, every point
 * into the bucket of its digit. Windows are taken a few at a time:
 *
 *     digits ─► sort by (window, |digit|) ─► rounds of pairs, all buckets at once
 *            ─► one point a bucket ─► rows and columns of each window's buckets
 *            ─► 2 points a window ─► host
 *
 * A round adds the pairs (0, 1), (2, 3), .. of every bucket's points in one batch (batch_add.cuh);
 * an odd one out waits as a reference for the next odd round. The number of pairs of each round
 * follows from the buckets' counts; reading them is the one point where the host waits for the
 * device.
 *
 * With bucket index v = 2^h row + column and weight v + 1, the sum of a window is
 *     sum of weight B = 2^h (sum of row R_row) + (sum of (column + 1) C_column),
 * R_row and C_column plain sums of rows and columns: two additions a bucket, in batches again while
 * there are many.
 *
 * Windows are of c bits, or some of c + 1, so that no bit is left over: 256 are three of 24 and
 * eight of 23, with half the buckets of eleven of 24.
 *
 * Where a handle holds multiples of its points, windows a fixed number apart share their buckets:
 * as many entries, but fewer sets of buckets to reduce. A set whose entries are too many to be
 * taken together is made in parts, whose buckets are added to those so far.
 *
 * A packed witness adds one plain sum, over the points whose bit is set (rounds that halve a list),
 * to a dense one over the full values.
 *
 * Scalars are taken modulo r by adding multiples of it: points outside the subgroup of order r give
 * other sums than in the cpu back end. Keys hold none (cuzk key verify --deep). */
#include <string.h>

#include "backend/cuda/cuda_combine.h"
#include "backend/cuda/cuda_witness.h"

/* Below this many points a sum of rows, columns or bits ends in XYZZ coordinates. One more round of
 * a batch costs about 0.1 ms; 2^17 points in XYZZ 0.29 ms in G1 and 0.95 ms in G2 (one NVIDIA
 * H200). */
enum { LG_FEW_G1 = 17, LG_FEW_G2 = 15, LG_FEW_BITS = 15, BITS_GROUP = 128 };

/* ---- the shape of a dense sum --------------------------------------------------------------- */

struct sum_shape {
    enum cuda_group group;
    size_t n;                      /* scalars, at most */
    unsigned c, n_windows, spread; /* spread: multiples of r that fit beside a scalar */
    unsigned n_wide;               /* the first windows, of c + 1 bits; taken one at a time then */
    unsigned multiples, n_sets;    /* window j n_sets + k: multiple j, set k */
    unsigned sets, part;           /* sets, and multiples of them, taken at a time */
    unsigned row_bits;             /* h */
    size_t n_entries, n_buckets;   /* of what is taken at a time */
};

/* Bits of a scalar and its sign: s + spread r < 2^(bits - 1) at least for spread 1. */
static unsigned bits_of(enum cuda_group group)
{
    return cuda_is_bn254(group) ? 255 : 256;
}
static unsigned windows_of(enum cuda_group group, unsigned c)
{
    return (bits_of(group) + c - 1) / c;
}
static unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
/* The largest equal parts of `whole`, each at most `most` (1 at least). */
static unsigned equal_parts(unsigned whole, size_t most)
{
    const unsigned part = most < 1 ? 1 : most < whole ? (unsigned)most : whole;
    const unsigned n_parts = (whole + part - 1) / part;

    return (whole + n_parts - 1) / n_parts;
}

/* Entries taken together, as powers of two: the more, the fewer rounds with few pairs. Half as many
 * cost 4 % at 2^24 points of BLS12-381, and 2 % at 2^24, 4 % at 2^26 of BN254, whose products take
 * 43 % of the time, so that the rest counts for more; there twice as many gain nothing. Scratch of
 * an entry: about 160 bytes in G1 and 300 in G2 of BLS12-381, 105 and 190 of BN254. */
static const unsigned lg_together[] = {
    [CUDA_BLS12_381_G1] = 27,
    [CUDA_BLS12_381_G2] = 26,
    [CUDA_BN254_G1] = 28,
    [CUDA_BN254_G2] = 27,
};

/* The same as a test wants it; 0: as above. */
static _Atomic size_t entries_together;

void cuda_msm_together(size_t entries)
{
    atomic_store(&entries_together, entries);
}

/* Sums of n scalars in windows of c bits with `multiples` of every point. */
static struct sum_shape shape_with(enum cuda_group group, size_t n, unsigned c, unsigned multiples)
{
    const size_t wanted = atomic_load_explicit(&entries_together, memory_order_relaxed);
    const size_t enough = wanted ? wanted : (size_t)1 << lg_together[group];
    const size_t together = n ? enough / n : SIZE_MAX;
    struct sum_shape s = {.group = group, .n = n, .c = c, .n_windows = windows_of(group, c)};
    unsigned slack;

    /* c n_windows - 1 bits hold s + spread r: r < 2^255 / 1.1 (BLS12-381), 2^254 / 1.3 (BN254) */
    slack = s.c * s.n_windows - bits_of(group);
    s.spread = slack < 1
                   ? 1
                   : (1u << (slack < 16 ? slack : 16)) * (cuda_is_bn254(group) ? 13 : 11) / 10 - 1;
    s.n_sets = (s.n_windows + multiples - 1) / multiples;
    s.multiples = (s.n_windows + s.n_sets - 1) / s.n_sets;
    s.part = equal_parts(s.multiples, together);
    s.sets = s.part < s.multiples ? 1 : equal_parts(s.n_sets, together / s.multiples);
    s.n_entries = (size_t)s.sets * s.part * n;
    s.n_buckets = (size_t)s.sets << (s.c - 1);
    s.row_bits = (s.c - 1) / 2;
    return s;
}

/* The same without a bit left over, if windows are taken one at a time. */
static struct sum_shape widened(const struct sum_shape *plain)
{
    struct sum_shape s = *plain;

    s.n_windows = s.n_sets = bits_of(s.group) / s.c;
    s.n_wide = bits_of(s.group) % s.c;
    if (plain->sets > 1 || plain->multiples > 1 || s.n_wide == 0 || s.n_wide > s.n_windows)
        return *plain;
    s.spread = 1;
    s.n_buckets *= 2;
    return s;
}

/* Additions: one an entry, about 2.5 a bucket, and one a bucket for every further part. */
static double cost_of(const struct sum_shape *s)
{
    const double buckets = (double)((size_t)1 << (s->c - 1)) * (s->n_sets + s->n_wide);
    const unsigned n_parts = (s->multiples + s->part - 1) / s->part;

    return (double)s->n_windows * (double)s->n + (1.5 + n_parts) * buckets;
}

static struct sum_shape shape_of(enum cuda_group group, size_t n)
{
    struct sum_shape best = shape_with(group, n, 6, 1);

    for (unsigned c = 7; c <= 24; c++) {
        const struct sum_shape s = shape_with(group, n, c, 1), wide = widened(&s);

        if (cost_of(&s) < cost_of(&best))
            best = s;
        if (cost_of(&wide) < cost_of(&best))
            best = wide;
    }
    return best;
}

static unsigned bit_length(size_t x)
{
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The lists of one group of windows, made on the side stream while the previous group is added up.
 */
struct lists {
    uint32_t *keys[2], *refs[2];
    uint32_t *pairs; /* of all rounds, over the keys, which are dead by then */
    struct cuda_plan plan;
};

/* Scratch of a dense sum, from `base` on. */
struct sum_room {
    struct lists lists[2];
    void *sort;
    size_t n_slots; /* temporaries before the buckets */
    uint8_t *temp_x, *temp_y;
    void *batch, *weighted;
    uint8_t *ends;   /* of every set its row sums, then of every set its column sums */
    uint8_t *finals; /* 1 + 2 n_sets points */
    size_t bytes;
};

static unsigned bits_of_set(const struct sum_shape *s, unsigned set)
{
    return s->c + (set < s->n_wide);
}
/* Of the widest sets, which are the first. */
static size_t n_rows_of(const struct sum_shape *s)
{
    return (size_t)1 << (bits_of_set(s, 0) - 1 - s->row_bits);
}

static void place_lists(struct lists *l, const struct sum_shape *s, uint8_t *base, size_t *used)
{
    uint32_t **const arrays[] = {&l->plan.start,   &l->plan.count, &l->plan.left,
                                 &l->plan.n_pairs, &l->plan.place, &l->plan.long_list};

    for (int k = 0; k < 2; k++)
        l->keys[k] = cuda_place(base, used, s->n_entries * 4);
    l->pairs = l->keys[0];
    for (int k = 0; k < 2; k++)
        l->refs[k] = cuda_place(base, used, s->n_entries * 4);
    l->plan.n_buckets = (uint32_t)s->n_buckets;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = cuda_place(base, used, (s->n_buckets + 1) * 4);
    l->plan.totals = cuda_place(base, used, CUDA_ROUNDS * sizeof(uint64_t));
    l->plan.scratch = cuda_place(base, used, cuda_scan_bytes(s->n_buckets));
}

static struct sum_room room_of(const struct sum_shape *s, uint8_t *base)
{
    const size_t coordinate = cuda_coordinate_bytes(s->group), xyzz = 4 * coordinate;
    const size_t n_lists = 2 * (size_t)s->n_sets;
    const bool in_parts = s->part < s->multiples;
    const size_t kept = in_parts ? 2 * s->n_buckets : s->n_buckets;
    const size_t halves = larger(s->n_entries, s->n_buckets) / 2 + 1;
    const size_t most_pairs = in_parts ? larger(halves, s->n_buckets) : halves;
    struct sum_room r = {.n_slots = larger(s->n_entries, 2 * s->n_buckets)};
    size_t used = 0;

    for (int k = 0; k < 2; k++)
        place_lists(&r.lists[k], s, base, &used);
    r.sort = cuda_place(base, &used, cuda_sort_bytes(s->n_entries));
    r.temp_x = cuda_place(base, &used, (r.n_slots + kept) * coordinate);
    r.temp_y = cuda_place(base, &used, (r.n_slots + kept) * coordinate);
    r.batch = cuda_place(base, &used, BY_CURVE(batch_add_bytes, s->group, most_pairs));
    r.ends = cuda_place(base, &used, n_lists * n_rows_of(s) * xyzz);
    r.weighted = cuda_place(base, &used, BY_CURVE(weighted_bytes, s->group, n_rows_of(s), n_lists));
    r.finals = cuda_place(base, &used, (1 + n_lists) * xyzz);
    r.bytes = used;
    return r;
}

size_t cuda_msm_bytes(const struct curve *curve, enum element element, size_t n, unsigned n_threads)
{
    const struct sum_shape s = shape_of(cuda_group_of(curve, element), n);

    (void)n_threads;
    return cuda_piece(room_of(&s, NULL).bytes);
}

struct cuda_multiples cuda_multiples_of(enum cuda_group group, size_t n, unsigned most)
{
    const struct sum_shape plain = shape_of(group, n);
    const size_t room = room_of(&plain, NULL).bytes;
    struct sum_shape best = plain;

    for (unsigned c = 6; c <= 24 && most > 1; c++) {
        const struct sum_shape s =
            shape_with(group, n, c, min_unsigned(most, windows_of(group, c)));

        if (cost_of(&s) < cost_of(&best) && room_of(&s, NULL).bytes <= room)
            best = s;
    }
    return (struct cuda_multiples){.n = best.multiples, .c = best.c, .n_sets = best.n_sets};
}

/* A sum over all bases of a handle with multiples uses them; a shorter one where its scratch, which
 * is that of a sum without, has room for their buckets. */
static struct sum_shape shape_for(const struct bases *b, size_t n)
{
    const struct sum_shape plain = shape_of(b->group, n);
    struct sum_shape s = plain;

    if (b->multiples.n > 1)
        s = shape_with(b->group, n, b->multiples.c, b->multiples.n);
    return room_of(&s, NULL).bytes <= room_of(&plain, NULL).bytes ? s : plain;
}

/* ---- the steps of a dense sum --------------------------------------------------------------- */

struct sum {
    struct stream *stream;
    const struct bases *bases;
    struct sum_shape shape;
    struct sum_room room;
    struct cuda_points points;
};

static struct cuda_batch batch_of(const struct sum *s)
{
    return (struct cuda_batch){.points = s->points, .scratch = s->room.batch};
}

static enum cuzk_status add_batch(const struct sum *s, const struct cuda_batch *batch,
                                  struct cuzk_error *err)
{
    return CU(BY_CURVE(batch_add, s->shape.group, batch, s->stream->device->n_sm, s->stream->cuda),
              err);
}

/* Points of a handle's table: its own, the one at infinity, and their multiples. */
static uint32_t table_points(const struct bases *b)
{
    return b->multiples.n * ((uint32_t)b->n + 1);
}

/* What is taken at a time: sets and multiples of them. */
struct chunk {
    unsigned first_set, sets, first_multiple, multiples;
};

static unsigned chunks_of_a_set(const struct sum_shape *s)
{
    return (s->multiples + s->part - 1) / s->part;
}
static unsigned n_chunks(const struct sum_shape *s)
{
    return (s->n_sets + s->sets - 1) / s->sets * chunks_of_a_set(s);
}
static struct chunk chunk_of(const struct sum_shape *s, unsigned k)
{
    struct chunk c = {.first_set = k / chunks_of_a_set(s) * s->sets,
                      .first_multiple = k % chunks_of_a_set(s) * s->part};

    c.sets = min_unsigned(s->sets, s->n_sets - c.first_set);
    c.multiples = min_unsigned(s->part, s->multiples - c.first_multiple);
    return c;
}

/* What the host knows of a chunk whose lists are made. */
struct planned {
    const struct lists *lists;
    struct cuda_plan plan; /* of as many buckets as the chunk has */
    struct chunk chunk;
    uint64_t totals[CUDA_ROUNDS];
};

/* Makes the lists of chunk k on the side stream; returns when the host knows their rounds' sizes,
 * while their last kernels may still run (lists_made follows them). */
static enum cuzk_status make_lists(const struct sum *s, const struct cuda_digits *entries,
                                   unsigned k, struct planned *ret, struct cuzk_error *err)
{
    const unsigned set = k % 2; /* of lists */
    const struct lists *l = &s->room.lists[set];
    const cudaStream_t side = s->stream->side;
    uint32_t *keys[2] = {l->keys[0], l->keys[1]}, *refs[2] = {l->refs[0], l->refs[1]};
    uint32_t slot = s->points.n_table, *pairs = l->pairs;
    struct cuda_digits digits = *entries;
    size_t n_entries;
    int which;

    *ret = (struct planned){.lists = l, .plan = l->plan, .chunk = chunk_of(&s->shape, k)};
    ret->plan.n_buckets = ret->chunk.sets << (bits_of_set(&s->shape, ret->chunk.first_set) - 1);
    memcpy(digits.modulus, s->stream->device->curve->fr_modulus.w, sizeof digits.modulus);
    digits.c = s->shape.c;
    digits.n_windows = s->shape.n_windows;
    digits.n_wide = s->shape.n_wide;
    digits.spread = s->shape.spread;
    digits.n_sets = s->shape.n_sets;
    digits.stride = (uint32_t)s->bases->n + 1;
    digits.first_set = ret->chunk.first_set;
    digits.sets = ret->chunk.sets;
    digits.first_multiple = ret->chunk.first_multiple;
    digits.multiples = ret->chunk.multiples;
    digits.keys = keys[0];
    digits.refs = refs[0];
    n_entries = (size_t)digits.sets * digits.multiples * digits.n;
    TRY(CU(cudaStreamWaitEvent(side, s->stream->lists_free[set], 0), err));
    TRY(CU(cuda_digits(&digits, side), err));
    TRY(CU(cuda_sort(keys, refs, n_entries, bit_length(ret->plan.n_buckets), &which, s->room.sort,
                     side),
           err));
    TRY(CU(cuda_plan_begin(&ret->plan, keys[which], n_entries, side), err));
    TRY(CU(cudaMemcpyAsync(ret->totals, ret->plan.totals, sizeof ret->totals,
                           cudaMemcpyDeviceToHost, side),
           err));
    TRY(CU(cudaStreamSynchronize(side), err));
    /* always one round: it also turns lone entries into references */
    for (unsigned round = 0; round < CUDA_ROUNDS && (round == 0 || ret->totals[round]); round++) {
        TRY(CU(cuda_plan_round(&ret->plan, round == 0 ? refs[which] : NULL, pairs, slot,
                               s->stream->device->n_sm, side),
               err));
        pairs += 2 * ret->totals[round];
        slot += (uint32_t)ret->totals[round];
    }
    return CU(cudaEventRecord(s->stream->lists_made[set], side), err);
}

/* Planned lists -> the sum of every bucket, at slot `buckets` on. */
static enum cuzk_status accumulate(const struct sum *s, const struct planned *p, unsigned set,
                                   uint32_t buckets, struct cuzk_error *err)
{
    const cudaStream_t cuda = s->stream->cuda;
    uint32_t slot = s->points.n_table, *pairs = p->lists->pairs;

    TRY(CU(cudaStreamWaitEvent(cuda, s->stream->lists_made[set], 0), err));
    for (unsigned round = 0; round < CUDA_ROUNDS && p->totals[round]; round++) {
        struct cuda_batch batch = batch_of(s);

        batch.pairs = pairs;
        batch.n_pairs = (uint32_t)p->totals[round];
        batch.out = slot;
        batch.far = round == 0;
        TRY(add_batch(s, &batch, err));
        pairs += 2 * p->totals[round];
        slot += batch.n_pairs;
    }
    TRY(CU(BY_CURVE(plan_collect, s->shape.group, &p->plan, &s->points, buckets, cuda), err));
    return CU(cudaEventRecord(s->stream->lists_free[set], cuda), err);
}

/* Halves n_sets lists of `length` points (slot `from` on) `times` times, pairing neighbours or,
 * if `across`, the halves of each list; temporaries from slot `to` on. Returns where they are then.
 */
static enum cuzk_status halve(const struct sum *s, uint32_t *from, size_t *length, size_t n_sets,
                              size_t least, uint32_t to, bool across, struct cuzk_error *err)
{
    const unsigned lg_few = cuda_is_g1(s->shape.group) ? LG_FEW_G1 : LG_FEW_G2;

    while (*length > least && n_sets * *length > (size_t)1 << lg_few) {
        struct cuda_batch batch = batch_of(s);

        *length /= 2;
        batch.n_pairs = (uint32_t)(n_sets * *length);
        batch.first = *from;
        batch.lg_half = across ? (uint32_t)__builtin_ctzll(*length) : 0;
        batch.out = to;
        TRY(add_batch(s, &batch, err));
        *from = to;
        to += batch.n_pairs;
    }
    return CUZK_OK;
}

/* The buckets of sets [first, first + n_sets) -> the sums of their rows and columns. */
static enum cuzk_status sum_rows_and_columns(const struct sum *s, uint32_t buckets, unsigned first,
                                             unsigned n_sets, struct cuzk_error *err)
{
    const size_t per_set = (size_t)1 << (bits_of_set(&s->shape, first) - 1);
    const size_t n_rows = per_set >> s->shape.row_bits;
    const size_t list_bytes = n_rows_of(&s->shape) * 4 * cuda_coordinate_bytes(s->shape.group);
    const uint32_t n_columns = 1u << s->shape.row_bits;
    const uint32_t rows_to = s->points.n_table, columns_to = rows_to + (uint32_t)s->shape.n_buckets;
    const cudaStream_t cuda = s->stream->cuda;
    struct cuda_group_sum sum = {.points = s->points, .end = UINT32_MAX};
    uint32_t from = buckets;
    size_t length = per_set;

    TRY(halve(s, &from, &length, n_sets, n_rows, rows_to, false, err));
    sum.first = from;
    sum.n_groups = n_sets * (uint32_t)n_rows;
    sum.size = (uint32_t)(length / n_rows);
    sum.jump = sum.size;
    sum.stride = 1;
    sum.out_jump = 1;
    sum.xyzz = s->room.ends + first * list_bytes;
    TRY(CU(BY_CURVE(group_sum, s->shape.group, &sum, cuda), err));

    from = buckets;
    length = per_set;
    TRY(halve(s, &from, &length, n_sets, n_columns, columns_to, true, err));
    sum.first = from;
    sum.n_groups = n_sets * n_columns;
    sum.size = (uint32_t)length / n_columns;
    sum.lg_run = s->shape.row_bits;
    sum.jump = (uint32_t)length;
    sum.step = 1;
    sum.stride = n_columns;
    sum.out_jump = (uint32_t)n_rows;
    sum.xyzz = s->room.ends + (s->shape.n_sets + first) * list_bytes;
    return CU(BY_CURVE(group_sum, s->shape.group, &sum, cuda), err);
}

/* The sets' rows and columns -> two points each, behind the first of the finals. */
static enum cuzk_status end_sets(const struct sum *s, struct cuzk_error *err)
{
    const struct cuda_weighted weighted = {
        .out = s->room.finals + 4 * cuda_coordinate_bytes(s->shape.group),
        .in = s->room.ends,
        .stride = (uint32_t)n_rows_of(&s->shape),
        .n_lists = 2 * s->shape.n_sets,
        .n_row_lists = s->shape.n_sets,
        .n_rows = (uint32_t)n_rows_of(&s->shape),
        .n_columns = 1u << s->shape.row_bits,
        .weighted = true,
        .scratch = s->room.weighted,
    };

    return CU(BY_CURVE(weighted_sums, s->shape.group, &weighted, s->stream->cuda), err);
}

/* n points in slots from `from` on, to slots from `to` on. */
static enum cuzk_status move_slots(const struct sum *s, uint32_t from, uint32_t to, size_t n,
                                   struct cuzk_error *err)
{
    const size_t coordinate = cuda_coordinate_bytes(s->shape.group);
    const size_t source = (from - s->points.n_table) * coordinate;
    const size_t target = (to - s->points.n_table) * coordinate;
    uint8_t *const arrays[2] = {s->room.temp_x, s->room.temp_y};

    for (int i = 0; i < 2; i++)
        TRY(CU(cudaMemcpyAsync(arrays[i] + target, arrays[i] + source, n * coordinate,
                               cudaMemcpyDeviceToDevice, s->stream->cuda),
               err));
    return CUZK_OK;
}

/* A chunk's buckets, to slots from `buckets` on; those of a set's later parts are added to what is
 * there. */
static enum cuzk_status add_chunk(const struct sum *s, const struct planned *p, unsigned set,
                                  uint32_t buckets, struct cuzk_error *err)
{
    struct cuda_batch batch = batch_of(s);

    if (p->chunk.first_multiple == 0)
        return accumulate(s, p, set, buckets, err);
    batch.n_pairs = (uint32_t)s->shape.n_buckets;
    batch.first = buckets;
    batch.lg_half = s->shape.c - 1;
    batch.out = s->points.n_table;
    TRY(accumulate(s, p, set, buckets + batch.n_pairs, err));
    TRY(add_batch(s, &batch, err));
    return move_slots(s, batch.out, buckets, batch.n_pairs, err);
}

/* All windows of the scalars that `entries` names. */
static enum cuzk_status sum_dense(const struct sum *s, const struct cuda_digits *entries,
                                  struct cuzk_error *err)
{
    const struct sum_shape *shape = &s->shape;
    const uint32_t buckets = s->points.n_table + (uint32_t)s->room.n_slots;
    const unsigned n = n_chunks(shape);
    struct planned now, next;

    if (shape->n_wide) /* other sets leave half of their rows as they are: at infinity */
        TRY(CU(cudaMemsetAsync(s->room.ends, 0,
                               2 * (size_t)shape->n_sets * n_rows_of(shape) * 4 *
                                   cuda_coordinate_bytes(shape->group),
                               s->stream->cuda),
               err));
    for (int k = 0; k < 2; k++)
        TRY(CU(cudaEventRecord(s->stream->lists_free[k], s->stream->cuda), err));
    TRY(make_lists(s, entries, 0, &now, err));
    for (unsigned k = 0; k < n; k++, now = next) {
        TRY(add_chunk(s, &now, k % 2, buckets, err));
        if (now.chunk.first_multiple + now.chunk.multiples == shape->multiples)
            TRY(sum_rows_and_columns(s, buckets, now.chunk.first_set, now.chunk.sets, err));
        next = now;
        if (k + 1 < n)
            TRY(make_lists(s, entries, k + 1, &next, err));
    }
    return end_sets(s, err);
}

static struct sum sum_of(struct stream *stream, const struct bases *bases, struct sum_shape shape,
                         uint8_t *scratch)
{
    struct sum s = {.stream = stream, .bases = bases, .shape = shape};

    s.room = room_of(&s.shape, scratch);
    s.points = (struct cuda_points){
        .table = bases->table,
        .temp_x = s.room.temp_x,
        .temp_y = s.room.temp_y,
        .n_table = table_points(bases),
    };
    return s;
}

static enum cuzk_status send_result(const struct sum *s, void *out, struct cuzk_error *err)
{
    const struct result how = {
        .finish = cuda_combine_of(s->shape.group),
        .out = out,
        .n_windows = s->shape.n_sets,
        .window_bits = s->shape.c,
        .n_wide = s->shape.n_wide,
        .row_bits = s->shape.row_bits,
    };

    return cuda_result(
        s->stream, s->room.finals,
        (1 + 2 * (size_t)s->shape.n_sets) * 4 * cuda_coordinate_bytes(s->shape.group), &how, err);
}

static void msm(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                size_t at, size_t n, void *out, const char *name)
{
    struct cuzk_error *err = &stream->failure;
    struct cuda_digits entries = {.n = (uint32_t)n};
    struct sum s;
    void *scratch;
    enum cuzk_status st;

    if (!cuda_op_begin(stream, name))
        return;
    TRY_GOTO(st, out,
             cuda_scratch_begin(stream,
                                cuda_msm_bytes(stream->device->curve, bases->source.group, n, 1),
                                &scratch, err));
    s = sum_of(stream, bases, shape_for(bases, n), scratch);
    entries.scalars = buf_at(scalars, at);
    TRY_GOTO(
        st, end,
        CU(cudaMemsetAsync(s.room.finals, 0, 4 * cuda_coordinate_bytes(bases->group), stream->cuda),
           err));
    TRY_GOTO(st, end, sum_dense(&s, &entries, err));
    st = send_result(&s, out, err);
end:
    cuda_scratch_end(stream);
out:
    cuda_op_end(stream, st, err);
}
void cuda_msm_g1(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                 size_t at, size_t n, struct g1_point *out)
{
    msm(stream, bases, scalars, at, n, out, "msm_g1");
}
void cuda_msm_g2(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                 size_t at, size_t n, struct g2_point *out)
{
    msm(stream, bases, scalars, at, n, out, "msm_g2");
}

/* ---- packed witnesses ----------------------------------------------------------------------- */

/* Scratch of a witness sum: lists, then either the plain sum or the dense one. */
struct witness_room {
    uint32_t *counts, *totals, *bit_base, *full_base, *full_scalar;
    void *scan, *plain; /* plain: the sum over the set bits */
    uint8_t *rest;
    size_t dense_bytes;       /* there, for a sum over all terms */
    uint8_t *temp_x, *temp_y; /* from here on for the plain sum only */
    void *batch, *groups, *weighted;
    size_t bytes;
};

/* The list of set bits is padded so that it can be halved until few are left. */
static unsigned bit_rounds(size_t n)
{
    const unsigned bits = bit_length(n ? n - 1 : 0);

    return bits > LG_FEW_BITS ? bits - LG_FEW_BITS : 1;
}
static size_t padded_bits(size_t n)
{
    const size_t step = (size_t)1 << bit_rounds(n);

    return n ? (n + step - 1) / step * step : step;
}

/* Terms of a sum over a witness, at most: only a variable with a point becomes one. */
static size_t most_terms(size_t n_points, size_t n_inputs, size_t n_full)
{
    return n_inputs + n_full < n_points ? n_inputs + n_full : n_points;
}

static struct witness_room witness_room_of(enum cuda_group group, size_t n_points, size_t n_aux,
                                           size_t n_terms, uint8_t *base)
{
    const size_t coordinate = cuda_coordinate_bytes(group), n_words = witness_map_words(n_aux);
    /* padding is less than half of the smallest list with as many rounds */
    const size_t most = padded_bits(n_points) + ((size_t)1 << bit_rounds(n_points));
    const size_t n_groups = ((size_t)1 << LG_FEW_BITS) / BITS_GROUP + 1;
    const struct sum_shape shape = shape_of(group, n_terms);
    struct witness_room r = {0};
    size_t used = 0;

#define PLACE(where, size) (where) = cuda_place(base, &used, (size))
    PLACE(r.counts, 2 * (n_words + 1) * 4);
    PLACE(r.totals, 2 * 4);
    PLACE(r.scan, cuda_scan_bytes(2 * (n_words + 1)));
    PLACE(r.bit_base, most * 4);
    PLACE(r.full_base, n_terms * 4);
    PLACE(r.full_scalar, n_terms * 4);
    PLACE(r.plain, 4 * coordinate);
    PLACE(r.rest, 0);
    r.dense_bytes = room_of(&shape, NULL).bytes;
    r.bytes = used + r.dense_bytes;
    PLACE(r.temp_x, most * coordinate);
    PLACE(r.temp_y, most * coordinate);
    PLACE(r.batch, BY_CURVE(batch_add_bytes, group, most / 2));
    PLACE(r.groups, n_groups * 4 * coordinate);
    PLACE(r.weighted, BY_CURVE(weighted_bytes, group, n_groups, 1));
#undef PLACE
    r.bytes = larger(r.bytes, used);
    return r;
}

size_t cuda_msm_witness_bytes(const struct curve *curve, const struct bases_source *source,
                              size_t n_full, unsigned n_threads)
{
    size_t n_inputs = 0;

    (void)n_threads;
    for (size_t w = 0; source->input_map && w < witness_map_words(source->n_inputs); w++)
        n_inputs += (size_t)__builtin_popcountll(source->input_map[w]);
    return cuda_piece(witness_room_of(cuda_group_of(curve, source->group), source->points.n,
                                      source->n_aux, most_terms(source->points.n, n_inputs, n_full),
                                      NULL)
                          .bytes);
}

/* The sum of n points named by r->bit_base -> *out (device, XYZZ). */
static enum cuzk_status sum_bits(struct stream *stream, const struct bases *bases,
                                 const struct witness_room *r, size_t n, void *out,
                                 struct cuzk_error *err)
{
    const size_t padded = padded_bits(n);
    const cudaStream_t cuda = stream->cuda;
    struct cuda_points points = {.table = bases->table,
                                 .temp_x = r->temp_x,
                                 .temp_y = r->temp_y,
                                 .n_table = table_points(bases)};
    struct cuda_group_sum sum = {.points = points,
                                 .size = BITS_GROUP,
                                 .stride = 1,
                                 .jump = BITS_GROUP,
                                 .out_jump = 1,
                                 .xyzz = r->groups};
    size_t left = padded;
    uint32_t slot = points.n_table, from = 0;

    TRY(CU(cuda_fill(r->bit_base, (uint32_t)bases->n, n, padded, cuda), err));
    for (unsigned round = 0; round < bit_rounds(n); round++) {
        struct cuda_batch batch = {.points = points, .scratch = r->batch};

        left /= 2;
        batch.pairs = round == 0 ? r->bit_base : NULL;
        batch.first = from;
        batch.n_pairs = (uint32_t)left;
        batch.out = slot;
        batch.far = round == 0;
        TRY(CU(BY_CURVE(batch_add, bases->group, &batch, stream->device->n_sm, cuda), err));
        from = slot;
        slot += (uint32_t)left;
    }
    sum.first = from;
    sum.end = from + (uint32_t)left;
    sum.n_groups = (uint32_t)((left + BITS_GROUP - 1) / BITS_GROUP);
    TRY(CU(BY_CURVE(group_sum, bases->group, &sum, cuda), err));
    return CU(BY_CURVE(weighted_sums, bases->group,
                       &(struct cuda_weighted){.out = out,
                                               .in = r->groups,
                                               .stride = sum.n_groups,
                                               .n_lists = 1,
                                               .n_row_lists = 1,
                                               .n_rows = sum.n_groups,
                                               .scratch = r->weighted},
                       cuda),
              err);
}

/* Inputs of a part that have a point. */
static size_t input_points_in(const struct bases *bases, const struct witness_handle *w,
                              struct witness_part part)
{
    return part.end == w->n_aux ? bases->n_input_points : 0;
}

/* totals: set bits, and full values of aux. */
static enum cuzk_status select_terms(struct stream *stream, const struct bases *bases,
                                     const struct witness_handle *w, struct witness_part part,
                                     const struct witness_room *r, uint32_t totals[2],
                                     struct cuzk_error *err)
{
    const size_t word = part.first / 64, step = part.first / WITNESS_RANK_STEP;
    const size_t n_inputs = input_points_in(bases, w, part);
    struct cuda_select select = {
        .full_map = w->full_map + word,
        .bits = w->bits + word,
        .full_rank = w->full_rank + step,
        .n = part.end - part.first,
        .first_base = (uint32_t)bases->n_input_points,
        .first_full = (uint32_t)w->n_inputs,
        .bit_base = r->bit_base,
        .full_base = r->full_base + n_inputs,
        .full_scalar = r->full_scalar + n_inputs,
        .counts = r->counts,
        .totals = r->totals,
        .scratch = r->scan,
    };

    if (bases->aux_map) {
        select.map = bases->aux_map + word;
        select.map_rank = bases->aux_rank + step;
    } else {
        select.first_base += (uint32_t)part.first;
    }
    TRY(CU(cuda_select(&select, stream->cuda), err));
    TRY(CU(cuda_count_up(r->full_base, n_inputs, stream->cuda), err));
    if (n_inputs)
        TRY(CU(cudaMemcpyAsync(r->full_scalar, bases->input_index, n_inputs * 4,
                               cudaMemcpyDeviceToDevice, stream->cuda),
               err));
    TRY(CU(cudaMemcpyAsync(totals, r->totals, 8, cudaMemcpyDeviceToHost, stream->cuda), err));
    return CU(cudaStreamSynchronize(stream->cuda), err);
}

/* For part of the terms in the scratch of all: fewer can want more, with more sets at a time. */
static struct sum_shape shape_within(enum cuda_group group, size_t n, size_t bytes)
{
    struct sum_shape s = shape_of(group, n);

    for (; s.sets > 1 && room_of(&s, NULL).bytes > bytes; s.sets--) {
        s.n_entries -= s.part * n;
        s.n_buckets -= (size_t)1 << (s.c - 1);
    }
    return s;
}

static enum cuzk_status witness_sum(struct stream *stream, const struct bases *bases,
                                    const struct witness_handle *w, struct witness_part part,
                                    void *out, struct cuzk_error *err)
{
    const size_t n_terms = most_terms(bases->n, bases->n_input_points, w->n_full);
    struct witness_room r = witness_room_of(bases->group, bases->n, w->n_aux, n_terms, NULL);
    struct cuda_digits entries = {0};
    uint32_t totals[2];
    struct sum s;
    void *scratch;
    enum cuzk_status st;

    TRY(cuda_scratch_begin(stream, r.bytes, &scratch, err));
    r = witness_room_of(bases->group, bases->n, w->n_aux, n_terms, scratch);
    TRY_GOTO(st, end, select_terms(stream, bases, w, part, &r, totals, err));
    entries.scalars = w->values;
    entries.scalar_index = r.full_scalar;
    entries.base_index = r.full_base;
    entries.n = (uint32_t)input_points_in(bases, w, part) + totals[1];
    s = sum_of(stream, bases, shape_within(bases->group, entries.n, r.dense_bytes), r.rest);
    TRY_GOTO(st, end, sum_bits(stream, bases, &r, totals[0], r.plain, err));
    TRY_GOTO(st, end, sum_dense(&s, &entries, err));
    TRY_GOTO(st, end,
             CU(cudaMemcpyAsync(s.room.finals, r.plain, 4 * cuda_coordinate_bytes(bases->group),
                                cudaMemcpyDeviceToDevice, stream->cuda),
                err));
    st = send_result(&s, out, err);
end:
    cuda_scratch_end(stream);
    return st;
}

static void msm_witness(struct stream *stream, const struct bases *bases,
                        struct witness_handle *const *witnesses, size_t n_witnesses,
                        struct witness_part part, uint8_t *out, size_t out_size, const char *name)
{
    for (size_t i = 0; i < n_witnesses; i++)
        if (cuda_op_begin(stream, name))
            cuda_op_end(stream,
                        witness_sum(stream, bases, witnesses[i], part, out + i * out_size,
                                    &stream->failure),
                        &stream->failure);
}
void cuda_msm_witness_g1(struct stream *stream, const struct bases *bases,
                         struct witness_handle *const *witnesses, size_t n_witnesses,
                         struct witness_part part, struct g1_point *out)
{
    msm_witness(stream, bases, witnesses, n_witnesses, part, (uint8_t *)out, sizeof *out,
                "msm_witness_g1");
}
void cuda_msm_witness_g2(struct stream *stream, const struct bases *bases,
                         struct witness_handle *const *witnesses, size_t n_witnesses,
                         struct witness_part part, struct g2_point *out)
{
    msm_witness(stream, bases, witnesses, n_witnesses, part, (uint8_t *)out, sizeof *out,
                "msm_witness_g2");
}
