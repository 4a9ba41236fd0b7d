/* A Groth16 proof and the randomness that hides its witness. */
#ifndef GROTH16_PROOF_H
#define GROTH16_PROOF_H

#include "curve/curve.h"

/* Points on the curve and in the subgroup: decoders check it (format/bellperson.h), provers make it
 * so. Infinity is representable, and refused by every verifier. */
struct proof {
    struct g1_point a;
    struct g2_point b;
    struct g1_point c;
};

/* r hides A, s hides B: fresh for every proof, or fixed for tests. A secret: wipe it. */
struct blinding {
    struct scalar r, s;
};

/* Is one of the points at infinity? */
bool proof_has_infinity(const struct curve *curve, const struct proof *proof);

/* The first point that may not stand in a proof (out of range, off the curve, outside the subgroup,
 * infinity): its name, "A", "B" or "C", with the reason in *ret_fault. NULL: all three are good. */
const char *proof_fault(const struct curve *curve, const struct proof *proof,
                        enum point_fault *ret_fault);

/* r and s uniform from the kernel's randomness. */
void blinding_random(struct blinding *ret, const struct curve *curve);

#endif
