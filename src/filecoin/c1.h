/* A C1, the payload of a seal proof, in every form in which it is handed around:
 *
 *     {"registered_proof": ...}     JSON of the API (Lotus, Curio)
 *     {"SectorNum": ...}            the wrapper with that in base64 (lotus-bench, Curio)
 *     {"vanilla_proofs": [[...]]}   native JSON
 *     (binary)                      native bincode
 *
 * The form is recognised from the first bytes. A native C1 does not say what it is a proof of: the
 * caller has to, with --registered-proof or with --sector-size, --api-version and --porep-id. */
#ifndef FILECOIN_C1_H
#define FILECOIN_C1_H

#include "base/file.h"
#include "filecoin/circuit_name.h"
#include "filecoin/vanilla.h"

/* What the caller knows. What the file says must agree. */
struct c1_hints {
    int registered_proof;    /* -1: unknown */
    uint64_t sector_size;    /* in bytes; 0: unknown */
    const char *api_version; /* "1.1.0"; NULL: unknown */
    bool has_porep_id;
    uint8_t porep_id[32];
};

/* The size that the hints say, where no registered proof does. CUZK_USAGE: there are no such
 * sectors. */
MUST_CHECK enum cuzk_status c1_hints_size(const struct sector_size **ret,
                                          const struct c1_hints *hints, struct cuzk_error *err);

struct c1 {
    struct circuit_name name;
    struct porep_config config;
    struct vanilla_porep vanilla;
    bool has_sector_num; /* the wrapper says it */
    uint64_t sector_num;
};

/* Every field is checked for its form (vanilla.h), and comm_r, comm_d and seed not to be zero.
 * CUZK_USAGE: the hints do not suffice, or do not make sense. Messages begin with the path or name.
 * Besides the result it takes SAX_ROOM_BYTES (MEM_REQUEST); bincode is mapped. */
MUST_CHECK enum cuzk_status c1_read_file(struct c1 *ret, const char *path,
                                         const struct c1_hints *hints, struct budget *budget,
                                         struct cuzk_error *err);
MUST_CHECK enum cuzk_status c1_read_part(struct c1 *ret, const struct file_part *part,
                                         const struct c1_hints *hints, struct budget *budget,
                                         struct cuzk_error *err);
MUST_CHECK enum cuzk_status c1_read(struct c1 *ret, const void *bytes, size_t n, const char *name,
                                    const struct c1_hints *hints, struct budget *budget,
                                    struct cuzk_error *err);
void c1_done(struct c1 *c1); /* accepts a zeroed one */

#endif
