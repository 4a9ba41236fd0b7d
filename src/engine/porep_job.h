/* PoRep from a C1 to verified proof bytes, and the commands around it. Each function is one job on
 * an open engine; its stages are recorded there.
 *
 * Order of a proof: read the C1, check it against itself and the public facts, record the circuit,
 * open the key, compute the plan and compare it with the budget, then partition by partition:
 * witness, prove, verify. Nothing is returned unless every partition verified. */
#ifndef ENGINE_POREP_JOB_H
#define ENGINE_POREP_JOB_H

#include "engine/engine.h"
#include "engine/key_folder.h"
#include "engine/report.h"
#include "filecoin/c1.h"

enum { POREP_PROOF_BYTES = 192 };

#define ALL_PARTITIONS (-1)

struct porep_input {
    const char *c1_path;
    struct c1_hints hints;
    int partition; /* one, or ALL_PARTITIONS */

    /* checked against the C1's replica id when given */
    bool has_identity;
    uint64_t miner_id, sector_num;
};

struct porep_key {
    const char *folder;  /* NULL: key_folder_default() */
    const char *vk_path; /* for verification: this file instead of the folder's */
    enum key_choice choice;
    const char *seed_label; /* r and s from this label; only with KEY_ONLY_DEV */
};

/* A proof as it leaves: partitions in order, 192 bytes each. */
struct porep_proof {
    uint8_t *bytes; /* porep_proof_done frees it */
    size_t n_bytes;
};
void porep_proof_done(struct porep_proof *proof);

MUST_CHECK enum cuzk_status porep_prove(struct engine *engine, const struct porep_input *input,
                                        const struct porep_key *key, struct porep_proof *ret,
                                        struct cuzk_error *err);

/* CUZK_INVALID if it does not verify. */
MUST_CHECK enum cuzk_status porep_verify(struct engine *engine, const struct porep_input *input,
                                         const struct porep_key *key, const char *proof_path,
                                         struct cuzk_error *err);

/* Makes the witness of each partition and evaluates all rows. CUZK_INVALID names the first row that
 * does not hold, with its place in the circuit. */
MUST_CHECK enum cuzk_status porep_check(struct engine *engine, const struct porep_input *input,
                                        struct cuzk_error *err);

/* Development key files in `folder` from a trapdoor label; their paths to the report. */
MUST_CHECK enum cuzk_status circuit_setup(struct engine *engine, struct circuit_name name,
                                          const char *label, const char *folder,
                                          struct report *report, struct cuzk_error *err);

/* What one proof of this circuit takes, by class and by stage. */
MUST_CHECK enum cuzk_status circuit_plan(struct engine *engine, struct circuit_name name,
                                         struct report *report, struct cuzk_error *err);

#endif
