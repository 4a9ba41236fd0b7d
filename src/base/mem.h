/* All memory of the process comes from here, in two kinds.
 *
 *  - Small objects: mem_new / mem_free. A few kilobytes each, a bounded number of them; not counted.
 *  - Everything else: a *region*, mapped from the kernel, taken from a *budget* before it exists and
 *    given back when it is unmapped. An *arena* hands out pieces of one region and takes them back
 *    all at once. A *grow* is a region that can become larger, up to a maximum fixed at its birth.
 *
 * The budget's counters are exact by construction: a class's `now` is the number of bytes mapped for
 * it. Fault injection: mem_fail_at(n) makes the n-th mem_new or region_map from now on fail once. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What the bytes are for; `cuzk plan` shows them by class. */
enum mem_class {
    MEM_KEY,
    MEM_SHAPE,
    MEM_REQUEST,
    MEM_WITNESS,
    MEM_SCRATCH,
    MEM_PINNED,
    MEM_N_CLASSES,
};

const char *mem_class_name(enum mem_class class);

/* ---- budget ----------------------------------------------------------------------------------- */

struct budget {
    size_t limit; /* bytes; SIZE_MAX = no limit */
    _Atomic size_t now;
    _Atomic size_t peak;
    _Atomic size_t class_now[MEM_N_CLASSES];
    _Atomic size_t class_peak[MEM_N_CLASSES];
};

/* limit 0 means no limit. */
void budget_init(struct budget *budget, size_t limit);

/* Takes bytes or fails with CUZK_NO_MEMORY and a sentence with the numbers. Thread-safe. */
MUST_CHECK enum cuzk_status budget_take(struct budget *budget, enum mem_class class, size_t bytes,
                                        struct cuzk_error *err);
void budget_give(struct budget *budget, enum mem_class class, size_t bytes);

/* ---- small objects ---------------------------------------------------------------------------- */

/* Zeroed; NULL when there is no memory. mem_free accepts NULL. */
void *mem_new(size_t bytes);
char *mem_copy_string(const char *text);
void mem_free(void *object);

/* Test hook: the n-th allocation from now (1 = the next) fails once; 0 switches it off. Returns how
 * many allocations were counted since the last call. */
size_t mem_fail_at(size_t n);

/* ---- regions ---------------------------------------------------------------------------------- */

struct region {
    uint8_t *base;
    size_t bytes; /* a multiple of the page size */
    struct budget *budget;
    enum mem_class class;
};

/* Bytes that region_map really takes for a request of `bytes`: rounded up to pages. */
size_t region_bytes(size_t bytes);

/* Zeroed, page-aligned, huge pages where the kernel has them. budget may be NULL: not counted (tests,
 * and lists of a few KB that no plan has). A request of 0 bytes gives an empty region. */
MUST_CHECK enum cuzk_status region_map(struct region *region, struct budget *budget,
                                       enum mem_class class, size_t bytes, struct cuzk_error *err);
void region_unmap(struct region *region); /* accepts a zeroed or an unmapped region */

/* ---- arenas ----------------------------------------------------------------------------------- */

/* Pieces of one region, aligned to 64 bytes; they end together. */
struct arena {
    struct region region;
    size_t used;
    size_t peak;
};

#define ARENA_ALIGN 64u
/* Room that one arena_take of `bytes` needs. A plan is a sum of these. */
static inline size_t arena_piece(size_t bytes)
{
    return (bytes + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);
}

MUST_CHECK enum cuzk_status arena_init(struct arena *arena, struct budget *budget,
                                       enum mem_class class, size_t bytes, struct cuzk_error *err);
void arena_done(struct arena *arena);

/* Contents undefined (zero the first time). Fails with CUZK_NO_MEMORY when the arena is too small:
 * a plan that did not add up. */
MUST_CHECK enum cuzk_status arena_take(struct arena *arena, size_t bytes, void **ret,
                                       struct cuzk_error *err);

/* A stage ends: everything taken since `mark` is gone. */
static inline size_t arena_mark(const struct arena *arena)
{
    return arena->used;
}
void arena_rewind(struct arena *arena, size_t mark);

/* ---- growing arrays --------------------------------------------------------------------------- */

struct grow {
    struct region region;
    size_t used;      /* bytes in use */
    size_t bytes_max; /* for ever */
};

/* Nothing is mapped yet. */
void grow_init(struct grow *grow, struct budget *budget, enum mem_class class, size_t bytes_max);
void grow_done(struct grow *grow);

/* Makes room for `bytes` more and returns where they go in *ret (contents undefined, grow->used
 * already counts them). May move everything: keep offsets, not pointers. */
MUST_CHECK enum cuzk_status grow_take(struct grow *grow, size_t bytes, void **ret,
                                      struct cuzk_error *err);
/* Gives back the room beyond what is used. */
void grow_trim(struct grow *grow);

/* Overwrites secrets; not optimised away. */
void mem_wipe(void *secret, size_t bytes);

#endif
