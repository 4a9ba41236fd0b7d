/* Registered PoSt proofs: the numbers 0 to 14 that name a kind of proof of spacetime, a sector size
 * and an API version; and the same facts for sizes that have no number. docs/filecoin.md, 5.2 and
 * 7.6. */
#ifndef FILECOIN_POST_PROOF_H
#define FILECOIN_POST_PROOF_H

#include "filecoin/seal_proof.h"

/* What the circuit depends on: sector slots, each with challenges into its TreeRLast. */
struct post_shape {
    struct tree_shape tree;
    unsigned slots;
    unsigned challenges; /* of a slot */
};

enum post_kind {
    POST_WINNING, /* one sector fills all slots, slot s with its challenge s */
    POST_WINDOW,  /* each slot another sector; the last sector again where there are too few */
};

enum { WINNING_CHALLENGES = 66, WINDOW_CHALLENGES = 10 };

struct post_config {
    enum post_kind kind;
    struct post_shape shape;
    enum api_version version; /* of Window PoSt: how challenges are numbered */
};

/* Window PoSt: any version. Winning PoSt: always 1.0.0, whatever is given. */
struct post_config post_config_make(enum post_kind kind, const struct sector_size *size,
                                    enum api_version version);

/* Inclusion proofs in the vanilla proof of one sector: 66 or 10. */
static inline unsigned post_sector_challenges(const struct post_config *config)
{
    return config->kind == POST_WINNING ? config->shape.slots : config->shape.challenges;
}

struct post_proof {
    unsigned number;
    enum post_kind kind;
    const struct sector_size *size;
    enum api_version version;
    const char *name; /* as the API writes it: "StackedDrgWindow32GiBV1_2" */
};

#define N_POST_PROOFS 15u

/* NULL if there is no such proof. */
const struct post_proof *post_proof_of_number(uint64_t number);
const struct post_proof *post_proof_of_name(const char *name);

#endif
