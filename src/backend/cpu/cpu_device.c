/* The device: one arena, and the pieces in it.
 *
 *     | piece | handle or scratch | piece | handle ... |  free  |
 *
 * A piece begins with a 64-byte header. Pieces form a stack in the arena; one that is given back
 * stays until all younger ones are given back too, and then they go together. */
#include "backend/cpu/cpu_device.h"

#include <stdio.h>
#include <unistd.h>

struct piece {
    struct piece *older;
    size_t mark; /* of the arena before this piece */
    bool is_free;
    uint8_t pad[64 - 2 * sizeof(void *) - sizeof(bool)];
};
_Static_assert(sizeof(struct piece) == 64, "what follows a header is aligned like it");

size_t device_piece(size_t bytes)
{
    return bytes ? arena_piece(sizeof(struct piece) + bytes) : 0;
}

enum cuzk_status device_take(struct device *device, size_t bytes, void **ret,
                             struct cuzk_error *err)
{
    size_t mark = arena_mark(&device->arena);
    void *memory;
    struct piece *piece;

    if (bytes == 0) {
        *ret = NULL;
        return CUZK_OK;
    }
    TRY(arena_take(&device->arena, sizeof *piece + bytes, &memory, err));
    piece = memory;
    *piece = (struct piece){.older = device->newest, .mark = mark};
    device->newest = piece;
    *ret = piece + 1;
    return CUZK_OK;
}

void device_give(struct device *device, void *memory)
{
    if (!memory)
        return;
    ((struct piece *)memory - 1)->is_free = true;
    while (device->newest && device->newest->is_free) {
        arena_rewind(&device->arena, device->newest->mark);
        device->newest = device->newest->older;
    }
}

enum cuzk_status cpu_open(struct device **ret, const struct device_options *options,
                          struct cuzk_error *err)
{
    struct device *device = mem_new(sizeof *device);
    enum cuzk_status st;

    if (!device)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a device");
    *device = (struct device){
        .curve = options->curve,
        .spmv = spmv_kernels_of(options->curve),
        .pool = options->pool,
        .cancel = options->cancel,
    };
    st = arena_init(&device->arena, options->budget, MEM_SCRATCH, options->arena_bytes, err);
    if (st != CUZK_OK) {
        mem_free(device);
        return st;
    }
    *ret = device;
    return CUZK_OK;
}

void cpu_close(struct device *device)
{
    if (!device)
        return;
    arena_done(&device->arena);
    mem_free(device);
}

void cpu_info(const struct device *device, struct device_info *ret)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    *ret = (struct device_info){
        .memory_total = (size_t)sysconf(_SC_PHYS_PAGES) * page,
        .memory_free = (size_t)sysconf(_SC_AVPHYS_PAGES) * page,
    };
    if (device->pool)
        snprintf(ret->name, sizeof ret->name, "processor, %u threads", pool_size(device->pool));
    else
        snprintf(ret->name, sizeof ret->name, "processor");
}
