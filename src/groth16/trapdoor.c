#include "groth16/trapdoor.h"

#include <string.h>

#include "base/hash.h"
#include "base/reader.h"

/* A 256-bit integer modulo r, four bits at a time: labels are not in a hurry. */
static void reduce(struct scalar *ret, const struct curve *curve, const struct scalar *integer)
{
    const struct scalar sixteen = {{16}};

    *ret = (struct scalar){{0}};
    for (int at = 63; at >= 0; at--) {
        struct scalar nibble = {{integer->w[at / 16] >> (4 * (at % 16)) & 15}};

        curve->fr_mul(ret, ret, &sixteen);
        curve->fr_add(ret, ret, &nibble);
    }
}

/* SHA-256("cuzk-test-trapdoor:" label ":" name) as a little-endian integer, two top bits cleared.
 */
static enum cuzk_status derive(struct scalar *ret, const struct curve *curve, const char *label,
                               const char *name, struct cuzk_error *err)
{
    struct hash *hash = hash_new(HASH_SHA256);
    struct scalar integer;
    uint8_t digest[32];

    if (!hash)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a digest");
    hash_update(hash, "cuzk-test-trapdoor:", strlen("cuzk-test-trapdoor:"));
    hash_update(hash, label, strlen(label));
    hash_update(hash, ":", 1);
    hash_update(hash, name, strlen(name));
    hash_final(hash, digest);
    hash_free(hash);
    for (int i = 0; i < 4; i++)
        integer.w[i] = load_u64_le(digest + 8 * i);
    integer.w[3] &= UINT64_MAX >> 2;
    reduce(ret, curve, &integer);
    return CUZK_OK;
}

enum cuzk_status trapdoor_from_label(struct trapdoor *ret, const struct curve *curve,
                                     const char *label, struct cuzk_error *err)
{
    TRY(derive(&ret->alpha, curve, label, "alpha", err));
    TRY(derive(&ret->beta, curve, label, "beta", err));
    TRY(derive(&ret->gamma, curve, label, "gamma", err));
    TRY(derive(&ret->delta, curve, label, "delta", err));
    return derive(&ret->tau, curve, label, "tau", err);
}

enum cuzk_status blinding_from_label(struct blinding *ret, const struct curve *curve,
                                     const char *label, struct cuzk_error *err)
{
    TRY(derive(&ret->r, curve, label, "r", err));
    return derive(&ret->s, curve, label, "s", err);
}

void trapdoor_vanishing(struct scalar *ret, const struct trapdoor *trapdoor, const struct qap *qap)
{
    const struct scalar one = {{1}};

    qap->cs->curve->fr_pow(ret, &trapdoor->tau, qap->n_domain);
    qap->cs->curve->fr_sub(ret, ret, &one);
}

static bool is_zero(const struct scalar *a)
{
    return (a->w[0] | a->w[1] | a->w[2] | a->w[3]) == 0;
}

enum cuzk_status trapdoor_check(const struct trapdoor *trapdoor, const struct qap *qap,
                                struct cuzk_error *err)
{
    const struct {
        const char *name;
        const struct scalar *value;
    } parts[] = {{"alpha", &trapdoor->alpha},
                 {"beta", &trapdoor->beta},
                 {"gamma", &trapdoor->gamma},
                 {"delta", &trapdoor->delta},
                 {"tau", &trapdoor->tau}};
    struct scalar z;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (is_zero(parts[i].value) || !qap->cs->curve->fr_is_reduced(parts[i].value))
            return error_set(err, CUZK_BAD_INPUT, "trapdoor: %s must be above 0 and below r",
                             parts[i].name);
    trapdoor_vanishing(&z, trapdoor, qap);
    if (is_zero(&z))
        return error_set(err, CUZK_BAD_INPUT, "trapdoor: tau lies in the domain of 2^%u points",
                         qap->lg_domain);
    return CUZK_OK;
}
