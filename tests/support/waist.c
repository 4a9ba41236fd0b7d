#include "support/waist.h"

const struct curve *const waist_curves[N_WAIST_CURVES] = {&curve_bls12_381, &curve_bn254,
                                                          &curve_toy_bn, &curve_toy_bls12};

const char *waist_backend = "cpu";

int waist_run_group(int (*group)(const char *backend))
{
    static const char *const names[] = {"cpu", "ifma"};
    int failed = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct backend *be = backend_find(names[i]);

        if (!be || be->unavailable())
            continue;
        waist_backend = names[i];
        failed += group(names[i]);
    }
    return failed;
}

void waist_open(struct waist *w, const struct curve *curve, unsigned n_threads)
{
    struct cuzk_error err;

    *w = (struct waist){.be = backend_find(waist_backend), .curve = curve};
    assert_int_equal(pool_new(&w->pool, n_threads, &err), CUZK_OK);
    const struct device_options options = {
        .curve = curve, .pool = w->pool, .arena_bytes = (size_t)256 << 20};

    assert_int_equal(w->be->open(&w->device, &options, &err), CUZK_OK);
    assert_int_equal(w->be->stream_new(w->device, &w->stream, &err), CUZK_OK);
}

void waist_close(struct waist *w)
{
    waist_wait(w);
    assert_int_equal(w->device->arena.used, 0);
    w->be->stream_free(w->stream);
    w->be->close(w->device);
    pool_free(w->pool);
}

void waist_wait(struct waist *w)
{
    struct cuzk_error err = {CUZK_OK, ""};

    if (w->be->wait(w->stream, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

struct buf *waist_buf(struct waist *w, enum element element, size_t n, const void *plain)
{
    struct buf *buf;

    assert_int_equal(w->be->buf_new(w->device, element, n, &buf, NULL), CUZK_OK);
    if (plain)
        w->be->buf_put(w->stream, buf, 0, plain, n);
    else
        w->be->buf_zero(w->stream, buf, 0, n);
    return buf;
}

uint64_t *waist_get(struct waist *w, const struct buf *buf, size_t n)
{
    uint64_t *plain = mem_new(n * element_bytes(w->curve, buf->element));

    w->be->buf_get(w->stream, buf, 0, plain, n);
    waist_wait(w);
    return plain;
}

void waist_measure_begin(struct waist *w)
{
    w->device->arena.peak = w->device->arena.used;
}

void waist_measure_end(const struct waist *w, size_t expected)
{
    assert_int_equal(w->device->arena.peak - w->device->arena.used, expected);
}
