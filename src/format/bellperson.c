#include "format/bellperson.h"

#include <stdatomic.h>

#include "backend/host.h"
#include "msm/group_kernels.h"

/* ---- single points -------------------------------------------------------------------------- */

static bool all_zero(const void *bytes, size_t n)
{
    const uint8_t *b = bytes;

    for (size_t i = 0; i < n; i++)
        if (b[i])
            return false;
    return true;
}

/* Says what is wrong with the `n` bytes before the reader's place, as of their beginning. */
static enum cuzk_status point_error(struct reader *r, size_t n, const char *name,
                                    enum point_fault fault, struct cuzk_error *err)
{
    r->at -= n;
    return reader_error(r, err, "%s: expected a point of the group, found: %s", name,
                        point_fault_name(fault));
}

static enum cuzk_status read_g1(struct reader *r, const struct curve *curve, const char *name,
                                bool compressed, struct g1_point *ret, struct cuzk_error *err)
{
    size_t n = curve->fp_bytes * (compressed ? 1 : 2);
    enum point_fault fault;
    const uint8_t *bytes;

    TRY(read_bytes(r, n, &bytes, err));
    *ret = (struct g1_point){{0}};
    fault = curve->g1_decode(ret, bytes, compressed, true);
    if (fault == POINT_OK && all_zero(ret, curve->g1_bytes))
        fault = POINT_INFINITY;
    return fault == POINT_OK ? CUZK_OK : point_error(r, n, name, fault, err);
}

static enum cuzk_status read_g2(struct reader *r, const struct curve *curve, const char *name,
                                bool compressed, struct g2_point *ret, struct cuzk_error *err)
{
    size_t n = curve->fp_bytes * (compressed ? 2 : 4);
    enum point_fault fault;
    const uint8_t *bytes;

    TRY(read_bytes(r, n, &bytes, err));
    *ret = (struct g2_point){{0}};
    fault = curve->g2_decode(ret, bytes, compressed, true);
    if (fault == POINT_OK && all_zero(ret, curve->g2_bytes))
        fault = POINT_INFINITY;
    return fault == POINT_OK ? CUZK_OK : point_error(r, n, name, fault, err);
}

/* ---- verifying keys ------------------------------------------------------------------------- */

/* Steps over `u32 count, count points` and says where the points are. */
static enum cuzk_status read_points(struct reader *r, const char *section, size_t encoded_bytes,
                                    struct points_view *ret, struct cuzk_error *err)
{
    const uint8_t *data;
    uint32_t n;

    r->section = section;
    TRY(read_u32_be(r, &n, err));
    if (n > reader_left(r) / encoded_bytes) {
        size_t left = reader_left(r);

        r->at -= 4;
        return reader_error(r, err, "a length of %lu points, the %zu bytes left hold %zu",
                            (unsigned long)n, left, left / encoded_bytes);
    }
    TRY(read_bytes(r, n * encoded_bytes, &data, err));
    *ret = (struct points_view){POINTS_ZCASH, data, n};
    return CUZK_OK;
}

/* Decodes and checks the ic points in place: many on Window PoSt keys, so on the pool. */
static enum cuzk_status decode_ic(struct verifying_key *vk, struct reader *r,
                                  const struct points_view *points, struct pool *pool,
                                  struct budget *budget, struct cuzk_error *err)
{
    const struct group_kernels *g1 = host_curve(vk->curve)->g1;
    struct points_fault fault;
    struct region scratch;
    char name[32];

    TRY(region_map(&scratch, budget, MEM_SCRATCH, g1->subgroup_bytes(points->n, pool_size(pool)),
                   err));
    if (g1->decode(vk->ic.base, points, 0, points->n, &fault))
        fault = (struct points_fault){
            g1->subgroup_check(vk->ic.base, points->n, scratch.base, pool), POINT_NOT_IN_SUBGROUP};
    region_unmap(&scratch);
    if (fault.index == points->n) {
        g1->to_plain(vk->ic.base, vk->ic.base, points->n);
        return CUZK_OK;
    }
    snprintf(name, sizeof name, "point %zu", fault.index);
    return point_error(r, (points->n - fault.index) * g1->encoded_bytes, name, fault.fault, err);
}

static enum cuzk_status read_ic(struct verifying_key *vk, struct reader *r, struct pool *pool,
                                struct budget *budget, struct cuzk_error *err)
{
    struct verifying_key with_ic;
    struct points_view points;

    TRY(read_points(r, "ic", vk->curve->g1->encoded_bytes, &points, err));
    if (points.n == 0) {
        r->at -= 4;
        return reader_error(r, err, "expected at least the point of ONE, found none");
    }
    TRY(verifying_key_init(&with_ic, vk->curve, points.n, budget, err));
    vk->ic = with_ic.ic;
    vk->n_inputs = points.n;
    return decode_ic(vk, r, &points, pool, budget, err);
}

enum cuzk_status vk_read(struct verifying_key *ret, struct reader *r, const struct curve *curve,
                         struct pool *pool, struct budget *budget, struct cuzk_error *err)
{
    struct verifying_key vk = {.curve = curve};
    enum cuzk_status st;

    r->section = "vk";
    TRY(read_g1(r, curve, "alpha_g1", false, &vk.alpha_g1, err));
    TRY(read_g1(r, curve, "beta_g1", false, &vk.beta_g1, err));
    TRY(read_g2(r, curve, "beta_g2", false, &vk.beta_g2, err));
    TRY(read_g2(r, curve, "gamma_g2", false, &vk.gamma_g2, err));
    TRY(read_g1(r, curve, "delta_g1", false, &vk.delta_g1, err));
    TRY(read_g2(r, curve, "delta_g2", false, &vk.delta_g2, err));
    st = read_ic(&vk, r, pool, budget, err);
    if (st == CUZK_OK)
        *ret = vk;
    else
        verifying_key_done(&vk);
    return st;
}

enum cuzk_status vk_open(struct verifying_key *ret, const char *path, const struct curve *curve,
                         struct pool *pool, struct budget *budget, struct cuzk_error *err)
{
    const struct file_part whole = file_whole(path);
    struct verifying_key vk = {0};
    struct region file;
    enum cuzk_status st;
    struct reader r;
    size_t n;

    TRY(file_read(&file, &n, &whole, budget, MEM_SCRATCH, err));
    r = reader_over(file.base, n, path);
    TRY_GOTO(st, out, vk_read(&vk, &r, curve, pool, budget, err));
    TRY_GOTO(st, out, read_end(&r, err));
    *ret = vk;
    vk = (struct verifying_key){0};
out:
    verifying_key_done(&vk);
    region_unmap(&file);
    return st;
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* What every key has in common, whatever its circuit. */
static enum cuzk_status check_lengths(const struct proving_key *key, struct reader *r,
                                      const size_t at[KEY_N_QUERIES], struct cuzk_error *err)
{
    const size_t n_h = key->query[QUERY_H].n, n_a = key->query[QUERY_A].n;
    const size_t n_b1 = key->query[QUERY_B_G1].n, n_b2 = key->query[QUERY_B_G2].n;

    if ((n_h & (n_h + 1)) != 0) {
        r->section = "h";
        r->at = at[QUERY_H];
        return reader_error(r, err, "expected one point less than a power of two, found %zu", n_h);
    }
    if (n_a < key->vk.n_inputs) {
        r->section = "a";
        r->at = at[QUERY_A];
        return reader_error(r, err, "expected a point for each of %zu inputs at least, found %zu",
                            key->vk.n_inputs, n_a);
    }
    if (n_b1 != n_b2) {
        r->section = "b_g2";
        r->at = at[QUERY_B_G2];
        return reader_error(r, err, "expected %zu points as in b_g1, found %zu", n_b1, n_b2);
    }
    return CUZK_OK;
}

static enum cuzk_status read_queries(struct proving_key *key, struct reader *r,
                                     struct cuzk_error *err)
{
    const struct curve *curve = key->vk.curve;
    size_t at[KEY_N_QUERIES];

    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        const struct group_kernels *group =
            key_query_group(q) == ELEMENT_G1 ? curve->g1 : curve->g2;

        at[q] = r->at;
        TRY(read_points(r, key_query_name(q), group->encoded_bytes, &key->query[q], err));
    }
    TRY(read_end(r, err));
    return check_lengths(key, r, at, err);
}

enum cuzk_status params_read(struct proving_key *ret, struct reader *r, const struct curve *curve,
                             struct pool *pool, struct budget *budget, struct cuzk_error *err)
{
    struct proving_key key = {.h_basis = H_POWERS, .domain_generator = curve->fr_generator.w[0]};
    enum cuzk_status st;

    TRY(vk_read(&key.vk, r, curve, pool, budget, err));
    st = read_queries(&key, r, err);
    if (st == CUZK_OK)
        *ret = key;
    else
        proving_key_done(&key);
    return st;
}

enum cuzk_status params_open(struct proving_key *ret, const char *path, const struct curve *curve,
                             struct pool *pool, struct budget *budget, struct cuzk_error *err)
{
    enum cuzk_status st;
    struct file_map map;
    struct reader r;

    TRY(file_map(&map, path, err));
    r = reader_over(map.data, map.bytes, path);
    st = params_read(ret, &r, curve, pool, budget, err);
    if (st == CUZK_OK)
        ret->map = map;
    else
        file_unmap(&map);
    return st;
}

/* ---- proofs --------------------------------------------------------------------------------- */

void proof_encode(uint8_t *out, const struct curve *curve, const struct proof *proof)
{
    curve->g1_encode(out, &proof->a, true);
    curve->g2_encode(out + curve->fp_bytes, &proof->b, true);
    curve->g1_encode(out + 3 * curve->fp_bytes, &proof->c, true);
}

/* Two vectors of points of G1 and one of G2, where the host has vectors (backend/host.h). */
enum { AT_ONCE = 8 };

/* n <= AT_ONCE proofs; false if one is not good. */
static bool decode_at_once(struct proof *ret, const struct curve *curve, const uint8_t *bytes,
                           size_t n)
{
    const struct group_kernels *g1 = host_curve(curve)->g1, *g2 = host_curve(curve)->g2;
    const uint8_t *g1_at[2 * AT_ONCE], *g2_at[AT_ONCE];
    struct g1_point g1_room[2 * AT_ONCE];
    struct g2_point g2_room[AT_ONCE];
    uint8_t *const ac = (uint8_t *)g1_room, *const b = (uint8_t *)g2_room; /* packed */
    struct points_fault fault;

    for (size_t j = 0; j < n; j++) {
        g1_at[2 * j] = bytes + j * proof_bytes(curve);
        g2_at[j] = g1_at[2 * j] + curve->fp_bytes;
        g1_at[2 * j + 1] = g2_at[j] + 2 * curve->fp_bytes;
    }
    if (!g1->decompress(ac, g1_at, 2 * n, &fault) || !g2->decompress(b, g2_at, n, &fault))
        return false;
    g1->to_plain(ac, ac, 2 * n);
    g2->to_plain(b, b, n);
    for (size_t j = 0; j < n; j++) {
        ret[j] = (struct proof){0};
        memcpy(&ret[j].a, ac + 2 * j * g1->point_bytes, g1->point_bytes);
        memcpy(&ret[j].b, b + j * g2->point_bytes, g2->point_bytes);
        memcpy(&ret[j].c, ac + (2 * j + 1) * g1->point_bytes, g1->point_bytes);
        if (proof_has_infinity(curve, &ret[j]))
            return false;
    }
    return true;
}

enum cuzk_status proof_decode(struct proof *ret, const struct curve *curve, const void *bytes,
                              size_t n, const char *name, struct cuzk_error *err)
{
    struct reader r = reader_over(bytes, n, name);
    struct proof proof;

    r.section = "proof";
    if (n != proof_bytes(curve))
        return reader_error(&r, err, "expected %zu bytes, found %zu", proof_bytes(curve), n);
    if (!decode_at_once(&proof, curve, bytes, 1)) {
        TRY(read_g1(&r, curve, "A", true, &proof.a, err));
        TRY(read_g2(&r, curve, "B", true, &proof.b, err));
        TRY(read_g1(&r, curve, "C", true, &proof.c, err));
    }
    *ret = proof;
    return CUZK_OK;
}

struct proofs_search {
    struct proof *ret;
    const struct curve *curve;
    const uint8_t *bytes;
    _Atomic size_t first_bad;
};

static void decode_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    struct proofs_search *s = ctx;
    const size_t step = proof_bytes(s->curve);
    size_t bad = begin, first = atomic_load(&s->first_bad);

    (void)worker;
    if (begin > first ||
        decode_at_once(&s->ret[begin], s->curve, s->bytes + begin * step, end - begin))
        return;
    while (bad + 1 < end && decode_at_once(&s->ret[bad], s->curve, s->bytes + bad * step, 1))
        bad++;
    while (bad < first && !atomic_compare_exchange_weak(&s->first_bad, &first, bad))
        continue;
}

enum cuzk_status proofs_decode(struct proof *ret, const struct curve *curve, const void *bytes,
                               size_t n, const char *name, size_t *ret_bad, struct pool *pool,
                               struct cuzk_error *err)
{
    struct proofs_search s = {.ret = ret, .curve = curve, .bytes = bytes, .first_bad = n};
    size_t bad;

    pool_for(pool, n, AT_ONCE, decode_range, &s);
    if (pool_cancelled(pool))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    bad = atomic_load(&s.first_bad);
    if (bad == n)
        return CUZK_OK;
    if (ret_bad)
        *ret_bad = bad;
    return proof_decode(&ret[bad], curve, s.bytes + bad * proof_bytes(curve), proof_bytes(curve),
                        name, err);
}
