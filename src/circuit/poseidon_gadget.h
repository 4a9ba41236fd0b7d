/* Poseidon as a circuit: the legacy circuit of neptune, which the official keys were made for. */
#ifndef CIRCUIT_POSEIDON_GADGET_H
#define CIRCUIT_POSEIDON_GADGET_H

#include "circuit/num.h"
#include "circuit/poseidon.h"

/* The hash of poseidon_arity(kind) numbers, which may repeat. */
num_t poseidon_gadget(struct sink *sink, enum poseidon_kind kind, const num_t *preimage);

/* One hash in each of n <= SINKS_MAX sinks: result[i] of the arity numbers from preimage[i * arity]
 * on. */
void poseidon_gadgets(struct sink *sinks, unsigned n, enum poseidon_kind kind,
                      const num_t *preimage, num_t *result);

#endif
