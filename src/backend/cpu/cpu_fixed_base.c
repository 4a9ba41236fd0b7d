#include "backend/cpu/cpu_device.h"

#include <assert.h>

size_t cpu_fixed_base_bytes(const struct curve *curve, enum element group)
{
    return device_piece(HANDLE_ROOM(struct fixed_base) +
                        group_of(curve, group)->fixed_table_bytes());
}

enum cuzk_status cpu_fixed_base_new(struct device *device, enum element group, const void *base,
                                    struct fixed_base **ret, struct cuzk_error *err)
{
    const struct group_kernels *kernels = group_of(device->curve, group);
    void *memory;
    struct fixed_base *fixed;

    TRY(device_take(device, HANDLE_ROOM(struct fixed_base) + kernels->fixed_table_bytes(), &memory,
                    err));
    fixed = memory;
    *fixed = (struct fixed_base){.device = device, .group = group};
    fixed->table = (uint8_t *)memory + HANDLE_ROOM(struct fixed_base);
    kernels->fixed_table_init(fixed->table, base, device->pool);
    *ret = fixed;
    return CUZK_OK;
}

void cpu_fixed_base_free(struct fixed_base *fixed)
{
    if (fixed)
        device_give(fixed->device, fixed);
}

size_t cpu_fixed_base_mul_bytes(const struct curve *curve, enum element group, size_t n,
                                unsigned n_threads)
{
    return device_piece(group_of(curve, group)->fixed_mul_bytes(n, n_threads));
}

void cpu_fixed_base_mul(struct stream *stream, const struct fixed_base *fixed, struct buf *out,
                        const struct buf *scalars, size_t at, size_t n)
{
    struct device *device = stream->device;
    const struct group_kernels *kernels = group_of(device->curve, fixed->group);
    void *scratch;

    if (!stream_begin(stream, "fixed_base_mul"))
        return;
    assert(out->element == fixed->group && n <= out->n && at <= scalars->n && n <= scalars->n - at);
    scratch = stream_scratch(stream, kernels->fixed_mul_bytes(n, pool_size(device->pool)));
    if (stream_is_ok(stream)) {
        buf_make_plain(scalars);
        kernels->fixed_mul(out->data, fixed->table, buf_at(scalars, at), n, scratch, device->pool);
        device_give(device, scratch);
    }
    stream_end(stream);
}
