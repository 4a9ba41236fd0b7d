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

/* What every proof of one circuit under one trapdoor shares: L_row(tau) of all rows, in the memory
 * of the back end. `shape` is any witness of the circuit; its values are not looked at. qap and the
 * options' pool, budget and cancel must outlive it. */
struct trapdoor_prover;
MUST_CHECK enum cuzk_status trapdoor_prover_new(struct trapdoor_prover **ret, const struct qap *qap,
                                                const struct trapdoor *trapdoor,
                                                uint64_t domain_generator,
                                                const struct witness *shape,
                                                const struct prove_options *options,
                                                struct cuzk_error *err);
MUST_CHECK enum cuzk_status trapdoor_prover_prove(struct trapdoor_prover *prover,
                                                  const struct witness *witness,
                                                  const struct blinding *blinding,
                                                  struct proof *ret, struct cuzk_error *err);
void trapdoor_prover_free(struct trapdoor_prover *prover); /* accepts NULL */

/* One proof, by itself. */
MUST_CHECK enum cuzk_status trapdoor_prove(const struct qap *qap, const struct trapdoor *trapdoor,
                                           uint64_t domain_generator, const struct witness *witness,
                                           const struct blinding *blinding,
                                           const struct prove_options *options, struct proof *ret,
                                           struct cuzk_error *err);

#endif
