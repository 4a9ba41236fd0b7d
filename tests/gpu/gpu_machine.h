/* A device of either back end for the programs that compare them, and what they put there. */
#ifndef GPU_GPU_MACHINE_H
#define GPU_GPU_MACHINE_H

#include "gpu/gpu_check.h"

static struct pool *pool;

static inline void *map_memory(struct region *region, size_t bytes)
{
    struct cuzk_error err = {0};

    gpu_must(region_map(region, NULL, MEM_SCRATCH, bytes + 1, &err), &err);
    return region->base;
}

/* ---- a device of either back end ------------------------------------------------------------- */

struct machine {
    const struct backend *b;
    struct device *device;
    struct stream *stream;
};

static inline void machine_open(struct machine *m, const struct backend *b, size_t arena_bytes)
{
    const struct device_options options = {
        .curve = curve, .pool = pool, .arena_bytes = arena_bytes};
    struct cuzk_error err = {0};

    *m = (struct machine){.b = b};
    gpu_must(b->open(&m->device, &options, &err), &err);
    gpu_must(b->stream_new(m->device, &m->stream, &err), &err);
}
static inline void machine_wait(struct machine *m)
{
    struct cuzk_error err = {0};

    gpu_must(m->b->wait(m->stream, &err), &err);
}
static inline void machine_close(struct machine *m)
{
    m->b->stream_free(m->stream);
    m->b->close(m->device);
}
static inline struct buf *buf_of(struct machine *m, enum element element, size_t n,
                                 const void *plain)
{
    struct cuzk_error err = {0};
    struct buf *buf = NULL;

    gpu_must(m->b->buf_new(m->device, element, n, &buf, &err), &err);
    if (plain)
        m->b->buf_put(m->stream, buf, 0, plain, n);
    return buf;
}

static inline size_t point_bytes(enum element group)
{
    return group == ELEMENT_G1 ? curve->g1_bytes : curve->g2_bytes;
}
static inline const void *generator(enum element group)
{
    return group == ELEMENT_G1 ? (const void *)&curve->g1_generator : &curve->g2_generator;
}

#endif
