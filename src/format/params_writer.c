#include "format/params_writer.h"

#include "base/reader.h"

#define ENCODE_GRAIN ((size_t)512) /* points */
/* Bytes between two looks at the disk: what is left for the end is twice that. */
#define WRITE_BEHIND ((size_t)32 << 20)

/* ---- verifying keys ------------------------------------------------------------------------- */

static enum cuzk_status write_g1(struct out_file *out, const struct curve *curve,
                                 const struct g1_point *point, struct cuzk_error *err)
{
    uint8_t bytes[sizeof *point];

    curve->g1_encode(bytes, point, false);
    return out_write(out, bytes, 2 * curve->fp_bytes, err);
}

static enum cuzk_status write_g2(struct out_file *out, const struct curve *curve,
                                 const struct g2_point *point, struct cuzk_error *err)
{
    uint8_t bytes[sizeof *point];

    curve->g2_encode(bytes, point, false);
    return out_write(out, bytes, 4 * curve->fp_bytes, err);
}

static enum cuzk_status write_length(struct out_file *out, size_t n, struct cuzk_error *err)
{
    uint8_t bytes[4];

    if (n > UINT32_MAX)
        return error_set(err, CUZK_BAD_INPUT, "%s: %zu points do not fit the format", out->path, n);
    store_u32_be(bytes, (uint32_t)n);
    return out_write(out, bytes, sizeof bytes, err);
}

enum cuzk_status vk_write(struct out_file *out, const struct verifying_key *vk,
                          struct cuzk_error *err)
{
    const struct curve *curve = vk->curve;

    TRY(write_g1(out, curve, &vk->alpha_g1, err));
    TRY(write_g1(out, curve, &vk->beta_g1, err));
    TRY(write_g2(out, curve, &vk->beta_g2, err));
    TRY(write_g2(out, curve, &vk->gamma_g2, err));
    TRY(write_g1(out, curve, &vk->delta_g1, err));
    TRY(write_g2(out, curve, &vk->delta_g2, err));
    TRY(write_length(out, vk->n_inputs, err));
    for (size_t i = 0; i < vk->n_inputs; i++) {
        struct g1_point point;

        verifying_key_get_ic(vk, i, &point);
        TRY(write_g1(out, curve, &point, err));
    }
    return CUZK_OK;
}

/* ---- parameters ----------------------------------------------------------------------------- */

enum cuzk_status params_writer_open(struct params_writer *w, const struct curve *curve,
                                    const char *params_path, const char *vk_path, struct pool *pool,
                                    struct cuzk_error *err)
{
    enum cuzk_status st;

    *w = (struct params_writer){.curve = curve, .pool = pool};
    TRY_GOTO(st, fail, out_open(&w->params, params_path, err));
    if (vk_path)
        TRY_GOTO(st, fail, out_open(&w->vk, vk_path, err));
    return CUZK_OK;
fail:
    params_writer_abort(w);
    return st;
}

static enum cuzk_status sink_verifying_key(void *ctx, const struct verifying_key *vk,
                                           struct cuzk_error *err)
{
    struct params_writer *w = ctx;

    if (w->vk.stream)
        TRY(vk_write(&w->vk, vk, err));
    return vk_write(&w->params, vk, err);
}

static enum cuzk_status sink_query(void *ctx, enum key_query query, size_t n,
                                   struct cuzk_error *err)
{
    struct params_writer *w = ctx;

    (void)query;
    w->missing += n;
    return write_length(&w->params, n, err);
}

/* Plain points, to be encoded where they are: both forms take the coordinates' bytes. */
struct encoding {
    const struct curve *curve;
    uint8_t *points;
    bool is_g2;
};

static void encode_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct encoding *e = ctx;
    const size_t bytes = e->is_g2 ? e->curve->g2_bytes : e->curve->g1_bytes;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        uint8_t *const at = e->points + i * bytes;
        union {
            struct g1_point g1;
            struct g2_point g2;
        } point;

        memcpy(&point, at, bytes);
        if (e->is_g2)
            e->curve->g2_encode(at, &point.g2, false);
        else
            e->curve->g1_encode(at, &point.g1, false);
    }
}

static enum cuzk_status sink_points(void *ctx, enum key_query query, void *plain, size_t n,
                                    struct cuzk_error *err)
{
    struct params_writer *w = ctx;
    struct encoding encoding = {w->curve, plain, key_query_group(query) == ELEMENT_G2};
    const size_t bytes = n * w->curve->fp_bytes * (encoding.is_g2 ? 4 : 2);

    pool_for(w->pool, n, ENCODE_GRAIN, encode_range, &encoding);
    TRY(out_write(&w->params, plain, bytes, err));
    w->missing -= n;
    w->behind += bytes;
    if (w->behind < WRITE_BEHIND)
        return CUZK_OK;
    w->behind = 0;
    return out_write_behind(&w->params, err);
}

struct key_sink params_writer_sink(struct params_writer *w)
{
    return (struct key_sink){w, sink_verifying_key, sink_query, sink_points};
}

enum cuzk_status params_writer_commit(struct params_writer *w, struct cuzk_error *err)
{
    enum cuzk_status st = CUZK_OK;

    if (w->missing)
        st =
            error_set(err, CUZK_INTERNAL, "%s: %zu points are missing", w->params.path, w->missing);
    if (st == CUZK_OK)
        st = out_commit(&w->params, err);
    if (st == CUZK_OK && w->vk.stream)
        st = out_commit(&w->vk, err);
    params_writer_abort(w);
    return st;
}

void params_writer_abort(struct params_writer *w)
{
    out_abort(&w->vk);
    out_abort(&w->params);
    *w = (struct params_writer){0};
}
