/* Memory for one packed witness of a circuit, and its two faces: room for the sinks that write it,
 * and the finished values for whoever reads them. */
#ifndef CIRCUIT_PACKED_WITNESS_H
#define CIRCUIT_PACKED_WITNESS_H

#include "backend/witness.h"
#include "circuit/sink.h"
#include "r1cs/r1cs.h"

struct packed_witness {
    struct witness values;    /* class maps borrowed from the r1cs */
    struct witness_room room; /* the same memory */
    struct region memory;     /* MEM_WITNESS */
    /* Who makes a witness of many blocks may tell how far it is: aux before n_aux have their
     * values. Called between loops of the pool, which it may use. f NULL: nobody listens. */
    struct {
        void (*f)(void *ctx, size_t n_aux);
        void *ctx;
    } made;
};

/* Bytes taken from the budget. */
size_t packed_witness_bytes(const struct r1cs *cs);

/* Zeroed. `cs` must outlive it. */
MUST_CHECK enum cuzk_status packed_witness_new(struct packed_witness *ret, const struct r1cs *cs,
                                               struct budget *budget, struct cuzk_error *err);
/* Ready for another witness of the same circuit. */
void packed_witness_clear(struct packed_witness *w);
void packed_witness_done(struct packed_witness *w); /* accepts a zeroed one */

#endif
