/* Poseidon as a circuit: the legacy circuit of neptune, which the official keys were made for. */
#ifndef CIRCUIT_POSEIDON_GADGET_H
#define CIRCUIT_POSEIDON_GADGET_H

#include "circuit/num.h"
#include "circuit/poseidon.h"

/* The hash of poseidon_arity(kind) numbers, which may repeat. */
num_t poseidon_gadget(struct sink *sink, enum poseidon_kind kind, const num_t *preimage);

#endif
