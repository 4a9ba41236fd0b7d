/* What Groth16 sees in a constraint system: a domain, and which variables occur in A and in B.
 *
 * Row j of the system is the value at the j-th domain point of the polynomials u_v, v_v, w_v of
 * every variable v; the domain is the smallest power of two with room for all rows (input rows
 * included). A key leaves out the variables whose polynomial is zero, so its `a` and `b` queries
 * are shorter than the list of variables: these maps say which ones are there. A over inputs is
 * always full, because of the input rows. Inputs that occur in C have a point in the l query of a
 * key whose L holds C (backend.h, H_COSET_FOLDED). */
#ifndef GROTH16_QAP_H
#define GROTH16_QAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "r1cs/r1cs.h"

struct qap {
    const struct r1cs *cs; /* borrowed */
    unsigned lg_domain;
    size_t n_domain; /* 2^lg_domain */
    size_t n_a_aux, n_b_inputs, n_b_aux, n_c_inputs;
    const uint64_t *all_inputs; /* n_inputs ones */
    const uint64_t *a_aux;      /* bitmaps over the aux, and over the inputs */
    const uint64_t *b_aux;
    const uint64_t *b_inputs;
    const uint64_t *c_inputs;
    struct region region; /* where the bitmaps live */
};

/* Bytes of MEM_SHAPE that qap_init takes. */
size_t qap_bytes(const struct r1cs *cs);
/* The constraint system must outlive it. Refuses systems that have no domain on their curve. */
MUST_CHECK enum cuzk_status qap_init(struct qap *qap, const struct r1cs *cs, struct budget *budget,
                                     struct cuzk_error *err);
void qap_done(struct qap *qap); /* accepts a zeroed one */
/* SHA-256 of the domain's size, the numbers of variables and the maps of A and B: which points a
 * key of this system has. */
MUST_CHECK enum cuzk_status qap_digest(const struct qap *qap, uint8_t out[32],
                                       struct cuzk_error *err);

#endif
