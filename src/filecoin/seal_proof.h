/* Registered seal proofs: the numbers 0 to 19 that name a sector size, an API version and a way of
 * choosing challenges; and the same facts for sizes that have no number. docs/filecoin.md, 4.4 and
 * 7.4. */
#ifndef FILECOIN_SEAL_PROOF_H
#define FILECOIN_SEAL_PROOF_H

#include "base/error.h"
#include "filecoin/sector.h"

/* Differences: which DRG parent is the neighbour, and truncation in the expander (graph.h). */
enum api_version { API_1_0_0, API_1_1_0, API_1_2_0 };
const char *api_version_name(enum api_version version); /* "1.1.0" */
/* CUZK_USAGE: no such version. */
MUST_CHECK enum cuzk_status api_version_of_name(enum api_version *ret, const char *name,
                                                struct cuzk_error *err);

enum challenge_kind { CHALLENGES_INTERACTIVE, CHALLENGES_SYNTHETIC, CHALLENGES_NON_INTERACTIVE };

/* All that the public side of a PoRep depends on, apart from the sector itself. */
struct porep_config {
    struct porep_shape shape;
    unsigned partitions;
    enum api_version version;
    enum challenge_kind challenges;
    uint8_t porep_id[32];
};

struct seal_proof {
    unsigned number;
    const struct sector_size *size;
    enum api_version version;
    enum challenge_kind challenges;
    const char *name;         /* as the API writes it: "StackedDrg32GiBV1_1" */
    const char *variant_name; /* in C1 files: "StackedDrg32GiBV1" */
};

#define N_SEAL_PROOFS 20u

/* NULL if there is no such proof. */
const struct seal_proof *seal_proof_of_number(uint64_t number);
const struct seal_proof *seal_proof_of_name(const char *name);

/* porep_id: number as u64 LE, then a nonce (0) and zeros. */
void porep_config_of(struct porep_config *ret, const struct seal_proof *proof);

#endif
