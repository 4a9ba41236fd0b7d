#include "filecoin/update.h"

#include <string.h>

#include "circuit/poseidon.h"

/* By the number of nodes; sizes in between do not exist. */
static const struct {
    uint8_t lg_nodes, lg_partitions, lg_apex, challenges, top_bits;
} shapes[] = {
    {5, 0, 3, 10, 1},  {6, 0, 3, 10, 1},  {7, 0, 3, 10, 1},  {8, 0, 3, 10, 1},
    {9, 1, 7, 10, 1},  {10, 1, 7, 10, 1}, {18, 2, 7, 10, 7}, {19, 2, 7, 10, 7},
    {24, 4, 7, 86, 7}, {30, 4, 7, 86, 7}, {31, 4, 7, 86, 7},
};

bool update_shape_of(struct update_shape *ret, const struct tree_shape *tree)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (shapes[i].lg_nodes != tree->lg_nodes)
            continue;
        *ret = (struct update_shape){.tree = *tree,
                                     .lg_partitions = shapes[i].lg_partitions,
                                     .lg_apex = shapes[i].lg_apex,
                                     .challenges = shapes[i].challenges};
        /* 7, 8, ... 12; six times 1 where the sector is too small for a choice */
        for (unsigned h = 0; h < UPDATE_H_CHOICES; h++)
            ret->top_bits[h] = (uint8_t)(shapes[i].top_bits == 1 ? 1 : shapes[i].top_bits + h);
        return true;
    }
    return false;
}

unsigned update_h_choice(const struct update_shape *shape)
{
    unsigned choice = 0;

    while (shape->top_bits[choice] != shape->top_bits[3])
        choice++;
    return choice;
}

const struct sector_size *update_proof_size(uint64_t number)
{
    static const uint8_t places[N_UPDATE_PROOFS] = {0, 4, 6, 8, 9};

    return number < N_UPDATE_PROOFS ? &sector_sizes[places[number]] : NULL;
}

/* ---- an update ------------------------------------------------------------------------------- */

static struct scalar gen_randomness(struct scalar a, struct scalar b)
{
    const struct scalar preimage[2] = {a, b};
    struct scalar hash;

    poseidon_hash_plain(POSEIDON_GEN_RANDOMNESS, &hash, preimage, 1);
    return hash;
}

struct scalar update_phi(const struct update *update)
{
    return gen_randomness(update->comm_d_new, update->comm_r_old);
}

struct scalar update_rho(const struct update *update, const struct scalar *phi, uint64_t node)
{
    const struct update_shape *shape = &update->shape;
    unsigned bits = shape->top_bits[update_h_choice(shape)];

    return gen_randomness(*phi, (struct scalar){{node >> (shape->tree.lg_nodes - bits)}});
}

struct scalar update_encode(const struct update *update, const struct scalar *phi, uint64_t node,
                            const struct scalar *old, const struct scalar *data)
{
    struct scalar new = update_rho(update, phi, node);

    curve_bls12_381.fr_mul(&new, &new, data);
    curve_bls12_381.fr_add(&new, &new, old);
    return new;
}

/* n < 64 bits of a number from bit `at`; at + n <= 256. */
static uint64_t bits_of(const struct scalar *a, unsigned at, unsigned n)
{
    uint64_t low = a->w[at / 64] >> (at % 64);

    if (at % 64 + n > 64)
        low |= a->w[at / 64 + 1] << (64 - at % 64);
    return low & ((UINT64_C(1) << n) - 1);
}

void update_challenges(uint64_t *out, const struct update *update, unsigned k)
{
    const struct update_shape *shape = &update->shape;
    unsigned n = update_digest_challenges(shape), bits = update_random_bits(shape);
    struct scalar digest = {{0}};

    for (unsigned i = 0; i < shape->challenges; i++) {
        if (i % n == 0)
            digest = gen_randomness(update->comm_r_new,
                                    (struct scalar){{(uint64_t)k * update_digests(shape) + i / n}});
        out[i] = bits_of(&digest, i % n * bits, bits) | (uint64_t)k << bits;
    }
}

uint64_t update_k_and_h_select(const struct update_shape *shape, unsigned k)
{
    return k | UINT64_C(1) << (shape->lg_partitions + update_h_choice(shape));
}

void update_public_inputs(struct scalar out[UPDATE_N_INPUTS], const struct update *update,
                          unsigned k)
{
    out[0] = (struct scalar){{update_k_and_h_select(&update->shape, k)}};
    out[1] = update->comm_r_old;
    out[2] = update->comm_d_new;
    out[3] = update->comm_r_new;
}
