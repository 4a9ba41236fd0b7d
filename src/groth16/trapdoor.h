/* The secret that a key is made from. Whoever knows it can forge proofs: keys made here are for
 * development and tests, and carry that in their names. */
#ifndef GROTH16_TRAPDOOR_H
#define GROTH16_TRAPDOOR_H

#include "curve/curve.h"
#include "groth16/proof.h"
#include "groth16/qap.h"

struct trapdoor {
    struct scalar alpha, beta, gamma, delta, tau;
};

/* From a label, for the curves with more than 254 bits of r exactly as
 * tests/vectors/filecoin/README.md says; reduced modulo r elsewhere. */
MUST_CHECK enum cuzk_status trapdoor_from_label(struct trapdoor *ret, const struct curve *curve,
                                                const char *label, struct cuzk_error *err);
/* r and s of the same label. */
MUST_CHECK enum cuzk_status blinding_from_label(struct blinding *ret, const struct curve *curve,
                                                const char *label, struct cuzk_error *err);

/* Refuses values that are zero or not reduced, and a tau inside the domain (Z(tau) = 0). */
MUST_CHECK enum cuzk_status trapdoor_check(const struct trapdoor *trapdoor, const struct qap *qap,
                                           struct cuzk_error *err);
/* Z(tau) = tau^n - 1 */
void trapdoor_vanishing(struct scalar *ret, const struct trapdoor *trapdoor, const struct qap *qap);

#endif
