/* A proof made from the trapdoor, without a key: the check of everything else.
 *
 *     A = g1 (alpha + a(tau) + r delta)       a(tau) = sum over rows of (A w)_row L_row(tau)
 *     B = g2 (beta + b(tau) + s delta)
 *     C = g1 (A B - alpha beta - sum over inputs of x_i (beta u_i + alpha v_i + w_i)(tau)) / delta
 *
 * with A, B for their discrete logarithms in the last line. It equals the prover's bytes under the
 * key of the same trapdoor, and costs no sum over points. Anyone who can do this can forge (a wrong
 * witness gives a valid proof too): tests only. */
#ifndef GROTH16_TRAPDOOR_PROOF_H
#define GROTH16_TRAPDOOR_PROOF_H

#include "groth16/prove.h"
#include "groth16/trapdoor.h"

MUST_CHECK enum cuzk_status trapdoor_prove(const struct qap *qap, const struct trapdoor *trapdoor,
                                           uint64_t domain_generator, const struct witness *witness,
                                           const struct blinding *blinding,
                                           const struct prove_options *options, struct proof *ret,
                                           struct cuzk_error *err);

#endif
