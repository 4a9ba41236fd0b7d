/* A sector for samples: its data, columns of labels, trees, and what is public of it. Two kinds:
 *
 *     sparse   of any size, and nobody sealed it. The first nodes of the data are random, all
 *              others have one value; so TreeD and comm_d, and from them the replica id and the
 *              challenges, are known without the sector. The columns of the challenged nodes'
 *              parents are random; those of the challenged nodes follow from them, layer by layer,
 *              as in sealing. All other leaves of TreeC have one value, and those of TreeRLast too
 *     dense    sealed for real, node by node: for sizes of kibibytes
 *
 * Sparse sectors exist where challenges depend on what is known first, replica id and seed:
 * synthetic and non-interactive ones depend on comm_r. */
#ifndef FILECOIN_SAMPLE_SECTOR_H
#define FILECOIN_SAMPLE_SECTOR_H

#include "filecoin/sample_tree.h"
#include "filecoin/seal.h"

/* What a sector is before it is sealed. */
struct sample_facts {
    bool dense;
    uint64_t miner, number;
    uint8_t ticket[32], seed[32]; /* seed: for the challenges of the seal proof */
    const struct scalar *data;    /* dense: a reduced number a node; NULL: made up */
    struct rng rng;               /* for what is made up */
};

/* Miner 1000, the seed as the sector's number, ticket and seed made up; sparse. */
enum { SAMPLE_MINER = 1000 };
struct sample_facts sample_facts_of(uint64_t seed);

/* A dense sector has at most so many nodes. */
enum { SAMPLE_DENSE_LG_NODES_MAX = 10 };

/* A node with a column of its own. */
struct sample_node {
    uint64_t number;
    bool labelled;                  /* the column follows from the parents; else it is random */
    struct scalar rows[LAYERS_MAX]; /* labels of layer 1 .. layers */
};

struct sample_sector {
    const struct porep_config *config;
    struct sample_facts facts;
    struct graph graph;
    struct seal seal;

    size_t n_challenges; /* of all partitions */
    uint64_t *challenges;

    size_t n_nodes;            /* dense: all; sparse: challenged ones and their parents */
    struct sample_node *nodes; /* ascending, no number twice */

    struct sample_tree tree_d, tree_c, tree_r_last;
    struct arena memory; /* MEM_SCRATCH */
};

/* Bytes that sample_sector_new takes from the budget: 10 MB for 32 GiB. */
size_t sample_sector_bytes(const struct porep_config *config, bool dense);

/* The same facts give the same sector. Sparse: the config's challenges are interactive. Dense: at
 * most 2^SAMPLE_DENSE_LG_NODES_MAX nodes. `config` must outlive it. */
MUST_CHECK enum cuzk_status sample_sector_new(struct sample_sector *ret,
                                              const struct porep_config *config,
                                              const struct sample_facts *facts,
                                              struct budget *budget, struct cuzk_error *err);
void sample_sector_done(struct sample_sector *sector); /* accepts a zeroed one */

/* The column of a node that has one. */
const struct scalar *sample_sector_column(const struct sample_sector *sector, uint64_t node);

/* All nodes of a dense sector: its data, and the replica that was made of it. */
const struct scalar *sample_sector_data(const struct sample_sector *sector);
const struct scalar *sample_sector_replica(const struct sample_sector *sector);

#endif
