#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *mem_class_name(enum mem_class class)
{
    static const char *const names[MEM_N_CLASSES] = {
        [MEM_KEY] = "key",         [MEM_SHAPE] = "shape",     [MEM_REQUEST] = "request",
        [MEM_WITNESS] = "witness", [MEM_SCRATCH] = "scratch", [MEM_PINNED] = "pinned",
    };

    return names[class];
}

/* ---- fault injection -------------------------------------------------------------------------- */

static _Atomic size_t fail_countdown;
static _Atomic size_t n_allocations;

size_t mem_fail_at(size_t n)
{
    atomic_store(&fail_countdown, n);
    return atomic_exchange(&n_allocations, 0);
}

static bool must_fail(void)
{
    size_t n = atomic_load_explicit(&fail_countdown, memory_order_relaxed);

    atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed);
    while (n > 0)
        if (atomic_compare_exchange_weak(&fail_countdown, &n, n - 1))
            return n == 1;
    return false;
}

/* ---- budget ----------------------------------------------------------------------------------- */

void budget_init(struct budget *budget, size_t limit)
{
    memset(budget, 0, sizeof *budget);
    budget->limit = limit ? limit : SIZE_MAX;
}

static void raise_peak(_Atomic size_t *peak, size_t now)
{
    size_t seen = atomic_load_explicit(peak, memory_order_relaxed);

    while (seen < now && !atomic_compare_exchange_weak(peak, &seen, now))
        ;
}

enum cuzk_status budget_take(struct budget *budget, enum mem_class class, size_t bytes,
                             struct cuzk_error *err)
{
    size_t now = atomic_load(&budget->now);

    do {
        if (bytes > budget->limit - now)
            return error_set(err, CUZK_NO_MEMORY,
                             "%zu bytes of %s memory do not fit: %zu of %zu bytes are in use", bytes,
                             mem_class_name(class), now, budget->limit);
    } while (!atomic_compare_exchange_weak(&budget->now, &now, now + bytes));
    raise_peak(&budget->peak, now + bytes);
    raise_peak(&budget->class_peak[class],
               atomic_fetch_add(&budget->class_now[class], bytes) + bytes);
    return CUZK_OK;
}

void budget_give(struct budget *budget, enum mem_class class, size_t bytes)
{
    atomic_fetch_sub(&budget->class_now[class], bytes);
    atomic_fetch_sub(&budget->now, bytes);
}

/* ---- small objects ---------------------------------------------------------------------------- */

void *mem_new(size_t bytes)
{
    return must_fail() ? NULL : calloc(1, bytes ? bytes : 1);
}

char *mem_copy_string(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = mem_new(bytes);

    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

void mem_free(void *object)
{
    free(object);
}

void mem_wipe(void *secret, size_t bytes)
{
    explicit_bzero(secret, bytes);
}

/* ---- regions ---------------------------------------------------------------------------------- */

#define HUGE_PAGE ((size_t)2 << 20)

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t region_bytes(size_t bytes)
{
    size_t page = page_bytes();

    return bytes > SIZE_MAX - page ? SIZE_MAX / page * page : (bytes + page - 1) / page * page;
}

static void advise(void *base, size_t bytes)
{
    if (bytes >= HUGE_PAGE)
        madvise(base, bytes, MADV_HUGEPAGE); /* a wish; failure changes nothing */
}

enum cuzk_status region_map(struct region *region, struct budget *budget, enum mem_class class,
                            size_t bytes, struct cuzk_error *err)
{
    size_t mapped = region_bytes(bytes);
    void *base;

    *region = (struct region){.budget = budget, .class = class};
    if (mapped == 0)
        return CUZK_OK;
    if (budget)
        TRY(budget_take(budget, class, mapped, err));
    base = must_fail() ? MAP_FAILED
                       : mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        if (budget)
            budget_give(budget, class, mapped);
        return error_set(err, CUZK_NO_MEMORY, "the system refused %zu bytes of %s memory", mapped,
                         mem_class_name(class));
    }
    advise(base, mapped);
    region->base = base;
    region->bytes = mapped;
    return CUZK_OK;
}

void region_unmap(struct region *region)
{
    if (region->base) {
        munmap(region->base, region->bytes);
        if (region->budget)
            budget_give(region->budget, region->class, region->bytes);
    }
    region->base = NULL;
    region->bytes = 0;
}

/* ---- arenas ----------------------------------------------------------------------------------- */

enum cuzk_status arena_init(struct arena *arena, struct budget *budget, enum mem_class class,
                            size_t bytes, struct cuzk_error *err)
{
    *arena = (struct arena){0};
    return region_map(&arena->region, budget, class, bytes, err);
}

void arena_done(struct arena *arena)
{
    region_unmap(&arena->region);
    arena->used = 0;
}

enum cuzk_status arena_take(struct arena *arena, size_t bytes, void **ret, struct cuzk_error *err)
{
    size_t piece = arena_piece(bytes);

    if (piece < bytes || piece > arena->region.bytes - arena->used)
        return error_set(err, CUZK_NO_MEMORY,
                         "%zu bytes do not fit in an arena of %zu of which %zu are used", bytes,
                         arena->region.bytes, arena->used);
    *ret = arena->region.base + arena->used;
    arena->used += piece;
    if (arena->used > arena->peak)
        arena->peak = arena->used;
    return CUZK_OK;
}

void arena_rewind(struct arena *arena, size_t mark)
{
    arena->used = mark;
}

/* ---- growing arrays --------------------------------------------------------------------------- */

void grow_init(struct grow *grow, struct budget *budget, enum mem_class class, size_t bytes_max)
{
    *grow = (struct grow){.region = {.budget = budget, .class = class}, .bytes_max = bytes_max};
}

void grow_done(struct grow *grow)
{
    region_unmap(&grow->region);
    grow->used = 0;
}

static enum cuzk_status grow_map(struct grow *grow, size_t bytes, struct cuzk_error *err)
{
    struct region *region = &grow->region;
    size_t mapped = region_bytes(bytes);
    size_t more = mapped - region->bytes;
    void *base;

    if (!region->base)
        return region_map(region, region->budget, region->class, mapped, err);
    if (region->budget)
        TRY(budget_take(region->budget, region->class, more, err));
    base = must_fail() ? MAP_FAILED : mremap(region->base, region->bytes, mapped, MREMAP_MAYMOVE);
    if (base == MAP_FAILED) {
        if (region->budget)
            budget_give(region->budget, region->class, more);
        return error_set(err, CUZK_NO_MEMORY, "the system refused %zu bytes of %s memory", mapped,
                         mem_class_name(region->class));
    }
    advise(base, mapped);
    region->base = base;
    region->bytes = mapped;
    return CUZK_OK;
}

enum cuzk_status grow_take(struct grow *grow, size_t bytes, void **ret, struct cuzk_error *err)
{
    size_t need = grow->used + bytes;

    if (need < bytes || need > grow->bytes_max)
        return error_set(err, CUZK_NO_MEMORY, "an array of %s memory would exceed its %zu bytes",
                         mem_class_name(grow->region.class), grow->bytes_max);
    if (need > grow->region.bytes) {
        /* half as much again: at most a third is idle, and grow_trim gives that back */
        size_t want = need + need / 2;

        if (want > grow->bytes_max || want < need)
            want = grow->bytes_max;
        TRY(grow_map(grow, want, err));
    }
    *ret = grow->region.base + grow->used;
    grow->used = need;
    return CUZK_OK;
}

void grow_trim(struct grow *grow)
{
    struct region *region = &grow->region;
    size_t keep = region_bytes(grow->used);
    size_t less = region->bytes - keep;

    if (less == 0)
        return;
    if (keep == 0) {
        region_unmap(region);
        return;
    }
    munmap(region->base + keep, less);
    region->bytes = keep;
    if (region->budget)
        budget_give(region->budget, region->class, less);
}
