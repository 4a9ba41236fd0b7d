/* SnapDeals, the public side: new data in an old replica. docs/filecoin.md, 6.1, 6.3, 6.4.
 *
 *     phi       H_gr(comm_d_new, comm_r_old)
 *     rho(i)    H_gr(phi, the top bits of node i)
 *     new       old + data * rho, node by node
 *
 * The nodes are cut into equal partitions, each proven by itself at challenges in it. The top of
 * TreeD is in every proof: a partition's own subtree down to its *apex leafs*, and the path from
 * there to the root. */
#ifndef FILECOIN_UPDATE_H
#define FILECOIN_UPDATE_H

#include "curve/curve.h"
#include "filecoin/sector.h"

/* Ways to choose how many top bits rho depends on; the circuit has a selector for each. */
enum { UPDATE_H_CHOICES = 6 };
enum { UPDATE_LG_PARTITIONS_MAX = 4, UPDATE_LG_APEX_MAX = 7, UPDATE_CHALLENGES_MAX = 86 };

struct update_shape {
    struct tree_shape tree; /* TreeRLast; TreeD is tree_binary(tree.lg_nodes) */
    unsigned lg_partitions, lg_apex;
    unsigned challenges; /* of one partition */
    uint8_t top_bits[UPDATE_H_CHOICES];
};

/* False if there is no such circuit: 1 GiB, and sizes that no sector has. */
bool update_shape_of(struct update_shape *ret, const struct tree_shape *tree);

static inline unsigned update_partitions(const struct update_shape *shape)
{
    return 1u << shape->lg_partitions;
}
/* Bits of a challenge's place in its partition. */
static inline unsigned update_random_bits(const struct update_shape *shape)
{
    return shape->tree.lg_nodes - shape->lg_partitions;
}
/* Levels of TreeD below the apex leafs. */
static inline unsigned update_low_levels(const struct update_shape *shape)
{
    return update_random_bits(shape) - shape->lg_apex;
}
/* Challenges cut from one digest, and digests of a partition. */
static inline unsigned update_digest_challenges(const struct update_shape *shape)
{
    return 254 / update_random_bits(shape);
}
static inline unsigned update_digests(const struct update_shape *shape)
{
    return (shape->challenges - 1) / update_digest_challenges(shape) + 1;
}
/* The choice that the network makes: the first with as many bits as the fourth. */
unsigned update_h_choice(const struct update_shape *shape);

/* Registered update proofs are the numbers 0 to 4: 2 KiB, 8 MiB, 512 MiB, 32 GiB, 64 GiB. NULL if
 * there is no such proof. */
#define N_UPDATE_PROOFS 5u
const struct sector_size *update_proof_size(uint64_t number);

/* ---- an update ------------------------------------------------------------------------------- */

struct update {
    struct update_shape shape;
    struct scalar comm_r_old, comm_d_new, comm_r_new; /* plain */
};

struct scalar update_phi(const struct update *update);
struct scalar update_rho(const struct update *update, const struct scalar *phi, uint64_t node);
/* What node number `node` becomes; all numbers plain. */
struct scalar update_encode(const struct update *update, const struct scalar *phi, uint64_t node,
                            const struct scalar *old, const struct scalar *data);

/* The nodes that partition k must open: shape.challenges of them. */
void update_challenges(uint64_t *out, const struct update *update, unsigned k);

/* Without ONE: partition and choice of h, comm_r_old, comm_d_new, comm_r_new. */
enum { UPDATE_N_INPUTS = 4 };
uint64_t update_k_and_h_select(const struct update_shape *shape, unsigned k);
void update_public_inputs(struct scalar out[UPDATE_N_INPUTS], const struct update *update,
                          unsigned k);

#endif
