/* What a sample is asked to be, and the facts that follow: those that are given, and from the seed
 * those that are not. */
#ifndef ENGINE_SAMPLE_INPUT_H
#define ENGINE_SAMPLE_INPUT_H

#include "engine/engine.h"
#include "filecoin/circuit_name.h"
#include "filecoin/post.h"
#include "filecoin/sample_sector.h"

/* As the caller has it. */
struct sample_options {
    struct circuit_name name;
    uint64_t seed;
    bool dense;              /* sealed for real, node by node: 2 KiB to 32 KiB */
    size_t sectors;          /* window: how many; 0: those of one full partition */
    const char *api_version; /* porep, window; NULL: the newest there is */
    int registered_proof;    /* the seal proof of the sector; -1: by size and API version */

    /* NULL: follows from the seed. Windows: of the first sector; others count on from there. */
    const uint64_t *miner_id, *sector_num;
    const uint8_t *ticket, *seal_seed, *randomness, *porep_id; /* 32 bytes */

    /* Dense: files of 127/128 of the sector's bytes, unpadded. NULL: made up. */
    const char *data, *new_data;
    const char *sector_files; /* folder for what sealing leaves; NULL: not written */
};

struct sample_input {
    const struct sample_options *options;
    struct porep_config sealing;    /* porep, and whatever is dense */
    const struct seal_proof *proof; /* of `sealing`; NULL: the size has none */
    uint8_t randomness[32];         /* winning, window */
    struct sample_facts facts;      /* of the first sector */
    struct scalar *data, *new_data; /* a number a node; NULL: made up */

    struct region memory; /* MEM_REQUEST; the data */
};

/* CUZK_USAGE: options that do not go together or do not apply; nothing is ignored. CUZK_BAD_INPUT:
 * data of another size. `options` must outlive it. */
MUST_CHECK enum cuzk_status sample_input_open(struct sample_input *ret,
                                              const struct sample_options *options,
                                              struct budget *budget, struct cuzk_error *err);
void sample_input_close(struct sample_input *input); /* accepts a zeroed one */

/* The facts of sector number i. */
struct sample_facts sample_input_facts(const struct sample_input *input, size_t i);

/* The version of that name, one of two; without a name the second. */
MUST_CHECK enum cuzk_status sample_version(enum api_version *ret, const char *name,
                                           enum api_version older, enum api_version newer,
                                           struct cuzk_error *err);

/* Winning, window: the proof's configuration and its number of sectors. */
MUST_CHECK enum cuzk_status sample_input_post(struct post_config *config, size_t *n,
                                              const struct sample_options *options,
                                              struct cuzk_error *err);

#endif
