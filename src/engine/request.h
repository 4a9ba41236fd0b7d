/* What a job is about: the vanilla proofs and public facts of any kind of proof, read from the
 * files that Curio's and filecoin-ffi's callers have.
 *
 *     porep             a C1
 *     winning, window   a vanilla proof a sector, in the order of the slots; the randomness
 *     update            a vanilla proof a partition; comm_r_old, comm_d_new, comm_r_new
 *
 * Everything that differs between the kinds is in struct request_kind, one table a kind; the jobs
 * (proof_job.h) are written over it. */
#ifndef ENGINE_REQUEST_H
#define ENGINE_REQUEST_H

#include "base/file.h"
#include "circuit/packed_witness.h"
#include "engine/engine.h"
#include "filecoin/c1.h"
#include "filecoin/vanilla_post.h"
#include "filecoin/vanilla_update.h"

#define ALL_PARTITIONS (-1)

/* As the caller has it; what belongs to another kind is not looked at. */
struct request_input {
    enum circuit_kind kind;
    int partition;         /* one, or ALL_PARTITIONS */
    struct c1_hints hints; /* other kinds than porep: registered_proof, or where a size has none
                              sector_size, and api_version for window */

    struct file_part c1; /* porep */
    bool has_identity;   /* porep: checked against the replica id */
    uint64_t miner_id, sector_num;

    const struct file_part *vanilla; /* the other kinds; window, update: all, or just the
                                        partition's */
    size_t n_vanilla;
    uint8_t randomness[32];                                 /* winning, window */
    uint8_t comm_r_old[32], comm_d_new[32], comm_r_new[32]; /* update */
};

struct request {
    const struct request_kind *kind;
    const char *label; /* the file that messages are about; NULL: they name it themselves */
    struct circuit_name name;
    unsigned partitions, first, end; /* all there are; those that are asked for */
    size_t n_inputs;                 /* public inputs of a partition, without ONE */
    union {
        struct c1 c1;
        struct vanilla_post post;
        struct vanilla_update update;
    } of;
};

struct request_kind {
    size_t (*bytes)(struct circuit_name name); /* request_bytes */
    /* Sets name, partitions, n_inputs, and what `of` holds. */
    enum cuzk_status (*read)(struct request *r, const struct request_input *input,
                             struct engine *engine, struct cuzk_error *err);
    /* Are the vanilla proofs of the partitions that are asked for what they should be? As far as a
     * prover must know; and all of it, with what no row of the circuit looks at. */
    enum cuzk_status (*check)(const struct request *r, struct engine *engine,
                              struct cuzk_error *err);
    enum cuzk_status (*check_deep)(const struct request *r, struct engine *engine,
                                   struct cuzk_error *err);
    void (*witness)(const struct request *r, struct packed_witness *w, const struct r1cs *cs,
                    unsigned k, struct pool *pool);
    /* As a verifier derives them: n_inputs plain numbers. */
    void (*public_inputs)(const struct request *r, struct scalar *out, unsigned k);
    enum cuzk_status (*row_path)(const struct request *r, char *out, size_t n, uint64_t row,
                                 struct budget *budget, struct cuzk_error *err);
    void (*done)(struct request *r); /* accepts one that was not read */
};

extern const struct request_kind request_porep, request_post, request_update;

/* The word of the command line: "porep", "winning", "window", "update". */
const char *request_kind_word(enum circuit_kind kind);

/* Reads the files (stage "read ..."). CUZK_USAGE for a partition that is not there and flags that
 * are missing; CUZK_BAD_INPUT for files that are not what they should be. */
MUST_CHECK enum cuzk_status request_read(struct request *ret, const struct request_input *input,
                                         struct engine *engine, struct cuzk_error *err);
void request_done(struct request *r); /* accepts a zeroed one */

/* Bytes of MEM_REQUEST for a sector's proofs, or for one full partition of WindowPoSt. For plans.
 */
size_t request_bytes(struct circuit_name name);

/* ---- for the kinds ---- */

/* Vanilla proof number i of those that `vanilla` has room for: all that `r` holds. */
typedef enum cuzk_status vanilla_read_fn(void *vanilla, size_t i, struct reader *r,
                                         struct cuzk_error *err);
/* All files of the input: they are the proofs number first, first + 1, ... */
MUST_CHECK enum cuzk_status request_read_vanilla(const struct request_input *input, size_t first,
                                                 vanilla_read_fn *read, void *vanilla,
                                                 struct cuzk_error *err);

/* request_kind.check and .check_deep as a stage, its message with the file. */
MUST_CHECK enum cuzk_status request_check(const struct request *r, struct engine *engine,
                                          struct cuzk_error *err);
MUST_CHECK enum cuzk_status request_check_deep(const struct request *r, struct engine *engine,
                                               struct cuzk_error *err);

#endif
