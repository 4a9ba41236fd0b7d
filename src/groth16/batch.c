/* Many proofs of one key with one final exponentiation.
 *
 * With random weights z_j the n equations are one:
 *
 *   prod_j e(z_j A_j, B_j) = e((sum_j z_j) alpha, beta) e(sum_i (sum_j z_j x_ji) ic_i, gamma)
 *                            e(sum_j z_j C_j, delta)
 *
 * so n Miller loops and three with prepared lines, and one sum over ic instead of n. A weight is
 * 128 uniform bits and not zero. When the equation fails, halves are tried with fresh weights until
 * the first bad proof stands alone. */
#include "base/rng.h"
#include "groth16/verify.h"
#include "msm/group_kernels.h"
#include "ntt/scalar_kernels.h"

/* One equation in work, sized for all n proofs. */
struct batch {
    struct verifier *v;
    const struct proof *proofs;
    const struct statement *statements;
    struct region room;
    struct g1_point *p; /* n: z_j A_j, */
    struct g2_point *q; /* n: against B_j */
    struct scalar *z;   /* n: the weights */
    uint8_t *c;         /* n: z_j C_j, packed */
    uint64_t *all;      /* n ones: which of them to add */
    uint8_t *inputs;    /* n_inputs - 1 combined inputs, native, then plain */
    uint8_t *term;      /* one statement's inputs, native */
    uint8_t *scratch;   /* of the sum over C */
};

/* ---- memory --------------------------------------------------------------------------------- */

/* Lays the pieces out from `base`; called once with NULL for the size. */
static size_t lay_out(struct batch *b, size_t n, uint8_t *base)
{
    const struct curve *curve = b->v->curve;
    size_t input_bytes = (b->v->vk->n_inputs - 1) * curve->fr_bytes;
    size_t at = 0;

#define PIECE(member, bytes)                                                                       \
    do {                                                                                           \
        b->member = base ? (void *)(base + at) : NULL;                                             \
        at += arena_piece(bytes);                                                                  \
    } while (0)
    PIECE(p, n * sizeof *b->p);
    PIECE(q, n * sizeof *b->q);
    PIECE(z, n * sizeof *b->z);
    PIECE(c, n * curve->g1_bytes);
    PIECE(all, 8 * witness_map_words(n));
    PIECE(inputs, input_bytes);
    PIECE(term, input_bytes);
    PIECE(scratch, curve->g1->sum_bytes(n, pool_size(b->v->pool)));
#undef PIECE
    return at;
}

static enum cuzk_status batch_init(struct batch *b, size_t n, struct budget *budget,
                                   struct cuzk_error *err)
{
    TRY(region_map(&b->room, budget, MEM_SCRATCH, lay_out(b, n, NULL), err));
    lay_out(b, n, b->room.base);
    return CUZK_OK;
}

/* ---- the combined equation ------------------------------------------------------------------ */

static void draw_weight(struct scalar *z, const struct curve *curve)
{
    *z = (struct scalar){{0}};
    do {
        if (curve->fr_bits > 128) {
            rng_secret(z->w, 16);
        } else {
            uint8_t wide[64];

            rng_secret(wide, sizeof wide);
            curve->fr_sample_ct(z, wide);
        }
    } while ((z->w[0] | z->w[1]) == 0);
}

/* inputs[i] = sum over j of z_j x_ji, plain. */
static void combine_inputs(struct batch *b, size_t first, size_t n)
{
    const struct curve *curve = b->v->curve;
    size_t n_inputs = b->v->vk->n_inputs - 1;

    memset(b->inputs, 0, n_inputs * curve->fr_bytes);
    for (size_t j = 0; j < n; j++) {
        memcpy(b->term, b->statements[first + j].inputs, n_inputs * curve->fr_bytes);
        curve->fr->from_plain(b->term, b->term, n_inputs);
        curve->fr->axpy(b->inputs, &b->z[j], b->term, n_inputs);
    }
    curve->fr->to_plain(b->inputs, b->inputs, n_inputs);
}

struct weigh {
    struct batch *b;
    size_t first;
};

/* A proof's share: z A against B, and z C. (One by one: an MSM gains nothing below 40 points.) */
static void weigh_proof(void *ctx, size_t j, unsigned worker)
{
    const struct weigh *job = ctx;
    struct batch *b = job->b;
    const struct curve *curve = b->v->curve;
    const struct proof *proof = &b->proofs[job->first + j];
    struct g1_point c;

    (void)worker;
    curve->g1_mul(&b->p[j], &proof->a, &b->z[j]);
    b->q[j] = proof->b;
    curve->g1_mul(&c, &proof->c, &b->z[j]);
    memcpy(b->c + j * curve->g1_bytes, &c, curve->g1_bytes);
}

/* Do proofs [first, first + n) satisfy one random combination? */
static enum cuzk_status equation_holds(struct batch *b, size_t first, size_t n, bool *ret,
                                       struct cuzk_error *err)
{
    const struct curve *curve = b->v->curve;
    const struct points_view weighted = {POINTS_PLAIN, b->c, n};
    struct g1_point fixed[3]; /* against -beta, -gamma, -delta */
    struct scalar sum = {{0}};

    for (size_t j = 0; j < n; j++) {
        draw_weight(&b->z[j], curve);
        curve->fr_add(&sum, &sum, &b->z[j]);
    }
    pool_run(b->v->pool, n, weigh_proof, &(struct weigh){b, first});
    if (pool_cancelled(b->v->pool))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    combine_inputs(b, first, n);
    memset(fixed, 0, sizeof fixed);
    memset(b->all, 0xff, 8 * witness_map_words(n));
    curve->g1_mul(&fixed[VERIFIER_BETA], &b->v->vk->alpha_g1, &sum);
    TRY(verifier_ic_sum(b->v, &sum, b->inputs, &fixed[VERIFIER_GAMMA], err));
    TRY(curve->g1->sum(&fixed[VERIFIER_DELTA], &weighted, b->all, n, b->scratch, b->v->pool, err));
    *ret = curve->pairing_product_is_one(
        &(struct pairing_product){.p = b->p,
                                  .q = b->q,
                                  .n = n,
                                  .fixed_p = fixed,
                                  .lines = (const void *const *)b->v->lines,
                                  .n_fixed = 3});
    return CUZK_OK;
}

/* ---- naming the bad one --------------------------------------------------------------------- */

static enum cuzk_status name_bad(size_t index, size_t n, const char *why, size_t *ret_bad,
                                 struct cuzk_error *err)
{
    if (ret_bad)
        *ret_bad = index;
    return error_set(err, CUZK_INVALID, "proof %zu of %zu is not valid%s", index, n, why);
}

/* The first bad proof of [first, first + n), whose equation failed. If every part of a failed range
 * holds (probability below 2^-127), the range's first proof is named. */
static enum cuzk_status find_bad(struct batch *b, size_t first, size_t n, size_t *ret,
                                 struct cuzk_error *err)
{
    while (n > 1) {
        size_t half = n / 2;
        bool holds;

        TRY(equation_holds(b, first, half, &holds, err));
        if (holds) {
            first += half;
            n -= half;
        } else {
            n = half;
        }
    }
    *ret = first;
    return CUZK_OK;
}

enum cuzk_status groth16_verify_batch(struct verifier *v, const struct proof *proofs,
                                      const struct statement *statements, size_t n, size_t *ret_bad,
                                      struct budget *budget, struct cuzk_error *err)
{
    struct batch b = {.v = v, .proofs = proofs, .statements = statements};
    enum cuzk_status st = CUZK_OK;
    bool holds = true;
    size_t bad;

    for (size_t j = 0; j < n; j++) {
        if ((st = statement_check(v, &statements[j], err)) != CUZK_OK)
            return error_prefix(err, st, "proof %zu of %zu", j, n);
        if (proof_has_infinity(v->curve, &proofs[j]))
            return name_bad(j, n, ": a point is infinity", ret_bad, err);
    }
    if (n == 0)
        return CUZK_OK;
    TRY(batch_init(&b, n, budget, err));
    TRY_GOTO(st, out, equation_holds(&b, 0, n, &holds, err));
    if (!holds) {
        TRY_GOTO(st, out, find_bad(&b, 0, n, &bad, err));
        st = name_bad(bad, n, "", ret_bad, err);
    }
out:
    region_unmap(&b.room);
    return st;
}
