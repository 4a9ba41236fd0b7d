/* A key's query in slices, for a device that has room for a few of its points at a time.
 *
 * A slice is a query of its own: neighbouring points, and maps that name the variables of those
 * only. So the sum over a query is the sum of the sums over its slices, with nothing else changed.
 * The inputs are in the first slice. */
#ifndef GROTH16_QUERY_SLICES_H
#define GROTH16_QUERY_SLICES_H

#include "backend/backend.h"
#include "base/mem.h"

/* At most. Of 2^27 points a slice has 2^21, whose sum in G1 takes 5 GB of scratch. */
enum { QUERY_SLICES = 64 };

struct query_slices {
    struct bases_source whole;
    const struct curve *curve;
    size_t point, variable; /* the first of the next slice */
    struct region map;      /* the aux of the last one; not mapped in an outline */
};

/* Host bytes of a map. */
static inline size_t query_slices_map_bytes(size_t n_aux)
{
    return witness_map_words(n_aux) * sizeof(uint64_t);
}

/* `whole` and what it points to must stay until the end. */
MUST_CHECK enum cuzk_status query_slices_begin(struct query_slices *ret, const struct curve *curve,
                                               const struct bases_source *whole,
                                               struct budget *budget, struct cuzk_error *err);
/* The same for sizes: the slices' points are not to be looked at, nor their maps of aux. */
void query_slices_outline(struct query_slices *ret, const struct curve *curve,
                          const struct bases_source *whole);
/* The next slice that has points, valid until the one after it; false: there is none. */
bool query_slices_next(struct query_slices *slices, struct bases_source *ret);
void query_slices_end(struct query_slices *slices);

#endif
