/* Verification: e(A, B) = e(alpha, beta) e(IC(x), gamma) e(C, delta), IC(x) = ic_0 + sum x_i
 * ic_{i+1}.
 *
 * One product of four pairings with one final exponentiation. For one proof the sum IC(x) costs as
 * much as the pairings, so a verifier holds multiples of the ic points when there are few of them
 * (window tables, below); for thousands of inputs an ordinary MSM is the better way.
 *
 * Public inputs are without ONE, must be below r (a value and the value plus r would otherwise be
 * two inputs with one proof), and as many as the key says. */
#ifndef GROTH16_VERIFY_H
#define GROTH16_VERIFY_H

#include <stddef.h>

#include "base/mem.h"
#include "base/pool.h"
#include "groth16/key.h"
#include "groth16/proof.h"

/* A verifying key made ready, with the room that a verification needs: one piece of memory, since a
 * fault on a fresh page costs as much as six additions. Serves one call at a time. */
struct verifier {
    const struct verifying_key *vk; /* borrowed */
    const struct curve *curve;      /* the key's, with the fastest operations of this machine */
    struct pool *pool;
    struct region memory; /* MEM_KEY; the rest points into it */
    void *lines[3];       /* of the pairings with -beta, -gamma, -delta */
    void *alpha_beta;     /* e(alpha, -beta) before the final exponentiation */
    uint8_t *tables;      /* multiples of the ic points, native; NULL without tables */
    uint8_t *room;        /* of a sum over ic */
};
enum { VERIFIER_BETA, VERIFIER_GAMMA, VERIFIER_DELTA };

/* With tables the sum is fast, for keys of at most VERIFIER_TABLE_INPUTS points (393 KB each);
 * above that number the flag has no effect. The key must outlive the verifier. Refuses keys of
 * which beta, gamma or delta is infinity. pool may be NULL. */
#define VERIFIER_TABLE_INPUTS 128u
MUST_CHECK enum cuzk_status verifier_init(struct verifier *v, const struct verifying_key *vk,
                                          bool tables, struct pool *pool, struct budget *budget,
                                          struct cuzk_error *err);
void verifier_done(struct verifier *v); /* accepts a zeroed one */
/* What verifier_init takes and keeps on this machine. */
size_t verifier_bytes(const struct curve *curve, size_t n_inputs, bool tables, unsigned n_threads);

/* What a proof is about: n public inputs without ONE, plain, packed with the curve's fr_bytes, at
 * any address. */
struct statement {
    const void *inputs;
    size_t n;
};

/* CUZK_OK: the proof is valid. CUZK_INVALID: it is not (a point at infinity, or the equation).
 * CUZK_BAD_INPUT: wrong number of inputs, or one that is not canonical. */
MUST_CHECK enum cuzk_status groth16_verify(struct verifier *v, const struct proof *proof,
                                           const struct statement *statement,
                                           struct cuzk_error *err);

/* The same for n proofs of one key with one equation: a random combination with 128-bit weights. A
 * wrong proof passes with probability below 2^-127. CUZK_INVALID names the first bad proof, found
 * by halving, and writes its index to *ret_bad (may be NULL). What err says for CUZK_BAD_INPUT
 * begins with the index. n may be 0 (valid). `budget` (may be NULL) is charged for n while it runs.
 */
MUST_CHECK enum cuzk_status groth16_verify_batch(struct verifier *v, const struct proof *proofs,
                                                 const struct statement *statements, size_t n,
                                                 size_t *ret_bad, struct budget *budget,
                                                 struct cuzk_error *err);

/* ---- shared by the two ---- */

/* Right number of inputs, all below r. */
MUST_CHECK enum cuzk_status statement_check(const struct verifier *v,
                                            const struct statement *statement,
                                            struct cuzk_error *err);
/* *out = first * ic_0 + sum inputs[i] * ic_{i+1}: plain scalars, packed; n_inputs - 1 of them. */
MUST_CHECK enum cuzk_status verifier_ic_sum(struct verifier *v, const struct scalar *first,
                                            const void *inputs, struct g1_point *out,
                                            struct cuzk_error *err);

#endif
