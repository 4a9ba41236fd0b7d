#include "r1cs/dictionary.h"

#include <string.h>

enum { SLOTS_AT_FIRST = 1024 };

void dictionary_init(struct dictionary *d, const struct curve *curve, struct budget *budget,
                     const uint64_t *base, size_t n_base)
{
    *d = (struct dictionary){.words = curve->fr_bytes / 8, .base = base, .n_base = n_base};
    grow_init(&d->values, budget, MEM_SHAPE, curve->fr_bytes * (size_t)UINT32_MAX);
}

void dictionary_done(struct dictionary *d)
{
    grow_done(&d->values);
    region_unmap(&d->slots);
    d->n = 0;
}

struct scalar dictionary_value(const struct dictionary *d, uint32_t index)
{
    struct scalar value = {{0}};

    memcpy(value.w, dictionary_words(d, index), d->words * 8);
    return value;
}

/* Spreads the words of a value over 64 bits (multiply and fold, the finaliser of splitmix64). */
static uint64_t hash_words(const uint64_t *w, size_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < n; i++) {
        h = (h ^ w[i]) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 31;
    }
    return h * 0x94d049bb133111ebu >> 16;
}

static const uint64_t *own_value(const struct dictionary *d, size_t i)
{
    return (const uint64_t *)(const void *)d->values.region.base + i * d->words;
}

/* The slot that holds `value`, or the free one where it belongs. */
static uint32_t *find_slot(const struct dictionary *d, const uint64_t *value)
{
    uint32_t *slots = (uint32_t *)(void *)d->slots.base;
    size_t at = hash_words(value, d->words) & d->mask;

    while (slots[at] != 0 && memcmp(own_value(d, slots[at] - 1), value, d->words * 8) != 0)
        at = (at + 1) & d->mask;
    return &slots[at];
}

static enum cuzk_status double_slots(struct dictionary *d, struct cuzk_error *err)
{
    size_t n_slots = d->slots.base ? 2 * (d->mask + 1) : SLOTS_AT_FIRST;
    struct region slots, old = d->slots;

    TRY(region_map(&slots, d->values.region.budget, MEM_SHAPE, n_slots * sizeof(uint32_t), err));
    d->slots = slots;
    d->mask = n_slots - 1;
    for (size_t i = 0; i < d->n; i++)
        *find_slot(d, own_value(d, i)) = (uint32_t)i + 1;
    region_unmap(&old);
    return CUZK_OK;
}

enum cuzk_status dictionary_add(struct dictionary *d, const struct scalar *value, uint32_t *ret,
                                struct cuzk_error *err)
{
    uint32_t *slot;
    void *room;

    if (d->n_base + d->n >= UINT32_MAX)
        return error_set(err, CUZK_NO_MEMORY, "more than 2^32 different coefficients");
    if (d->n * 2 >= d->mask)
        TRY(double_slots(d, err));
    slot = find_slot(d, value->w);
    if (*slot == 0) {
        TRY(grow_take(&d->values, d->words * 8, &room, err));
        memcpy(room, value->w, d->words * 8);
        *slot = (uint32_t)++d->n;
    }
    *ret = (uint32_t)d->n_base + *slot - 1;
    return CUZK_OK;
}
