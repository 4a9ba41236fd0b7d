#include "groth16/proof.h"

#include "base/mem.h"
#include "base/rng.h"

static bool all_zero(const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (words[i])
            return false;
    return true;
}

bool proof_has_infinity(const struct curve *curve, const struct proof *proof)
{
    return all_zero(proof->a.w, curve->g1_bytes / 8) || all_zero(proof->b.w, curve->g2_bytes / 8) ||
           all_zero(proof->c.w, curve->g1_bytes / 8);
}

static enum point_fault g1_fault(const struct curve *curve, const struct g1_point *p)
{
    return all_zero(p->w, curve->g1_bytes / 8) ? POINT_INFINITY : curve->g1_check(p);
}

static enum point_fault g2_fault(const struct curve *curve, const struct g2_point *p)
{
    return all_zero(p->w, curve->g2_bytes / 8) ? POINT_INFINITY : curve->g2_check(p);
}

const char *proof_fault(const struct curve *curve, const struct proof *proof,
                        enum point_fault *ret_fault)
{
    if ((*ret_fault = g1_fault(curve, &proof->a)) != POINT_OK)
        return "A";
    if ((*ret_fault = g2_fault(curve, &proof->b)) != POINT_OK)
        return "B";
    if ((*ret_fault = g1_fault(curve, &proof->c)) != POINT_OK)
        return "C";
    return NULL;
}

void blinding_random(struct blinding *ret, const struct curve *curve)
{
    uint8_t wide[2][64];

    rng_secret(wide, sizeof wide);
    curve->fr_sample_ct(&ret->r, wide[0]);
    curve->fr_sample_ct(&ret->s, wide[1]);
    mem_wipe(wide, sizeof wide);
}
