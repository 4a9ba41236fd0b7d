/* Poseidon over the scalar field, as Filecoin uses it: hashing of values, without a circuit.
 *
 * Width t = arity + 1, x^5, 8 full rounds and a number of partial rounds that depends on t
 * (Grassi, Khovratovich, Rechberger, Roy, Schofnegger 2021), in neptune's optimised form
 * with its constants: state element 0 is a domain tag, the result is element 1. */
#ifndef CIRCUIT_POSEIDON_H
#define CIRCUIT_POSEIDON_H

#include "circuit/fr.h"

enum poseidon_kind {
    POSEIDON_2, /* Merkle trees and columns of these arities: tag 2^arity - 1 */
    POSEIDON_4,
    POSEIDON_8,
    POSEIDON_11,
    POSEIDON_GEN_RANDOMNESS, /* arity 2 with tag 2^40 */
    POSEIDON_N_KINDS,
};

unsigned poseidon_arity(enum poseidon_kind kind);
/* The Merkle kind of an arity: 2, 4, 8 or 11. */
enum poseidon_kind poseidon_of_arity(unsigned arity);

/* Bulk: eight hashes at once take little more time than one where the processor has lanes.
 *
 * out[i] of preimages[i], i in [0, n), each poseidon_arity(kind) elements, packed. out may be
 * preimages. */
void poseidon_hash(enum poseidon_kind kind, fr_t *out, const fr_t *preimages, size_t n);
/* The same in plain form; reduced values. */
void poseidon_hash_plain(enum poseidon_kind kind, struct scalar *out,
                         const struct scalar *preimages, size_t n);

/* The same, and at traces[i] (8-byte aligned) what the circuit allocates while it computes this
 * hash: poseidon_trace_n(kind) plain values in order, the last of them the result. */
enum { POSEIDON_TRACE_MAX = 598 };
unsigned poseidon_trace_n(enum poseidon_kind kind);
void poseidon_trace(enum poseidon_kind kind, fr_t *out, void *const *traces, const fr_t *preimages,
                    size_t n);

#endif
