/* The payload of a job: one file in the spool folder that a worker and the verifier need nothing
 * beside.
 *
 *     body        as it came from the network
 *     record      what it means: fields, the places of the vanilla proofs, the circuit, and the
 *                 public inputs as a verifier derives them
 *     trailer     bytes of the body, bytes of the record (u64 little-endian), "cuzkjob1"
 *
 * All numbers little-endian; the record is laid out in payload.c. */
#ifndef DAEMON_PAYLOAD_H
#define DAEMON_PAYLOAD_H

#include "engine/job.h"

enum {
    PAYLOAD_PARTITIONS_MAX = 128, /* of one job; the circuits have at most 16 */
    PAYLOAD_INPUTS_MAX = 1 << 22, /* public inputs of all its partitions */
};

struct payload {
    struct job_request request;
    struct circuit_name name;
    uint64_t body_bytes;
    unsigned first, end;  /* partitions that are asked for */
    size_t n_inputs;      /* public inputs of one, without ONE */
    struct region inputs; /* (end - first) * n_inputs plain numbers of 32 bytes */
};
void payload_done(struct payload *payload); /* accepts a zeroed one */

/* Public inputs of partition k. */
static inline const uint8_t *payload_inputs(const struct payload *payload, unsigned k)
{
    return payload->inputs.base + (size_t)(k - payload->first) * payload->n_inputs * 32;
}

/* What `request` asks for, its vanilla proofs found in the open file. */
struct payload_input {
    struct request_input input;
    struct region parts, names;
    char path[32];
};
/* CUZK_BAD_INPUT for a request whose fields do not fit its kind, or whose ranges leave the body. */
MUST_CHECK enum cuzk_status payload_input_make(struct payload_input *ret,
                                               const struct job_request *request, int fd,
                                               uint64_t body_bytes, struct budget *budget,
                                               struct cuzk_error *err);
void payload_input_done(struct payload_input *input); /* accepts a zeroed one */

/* Reads and checks the vanilla proofs of a fresh body and derives the rest of *ret. Takes over
 * `request` on success. */
MUST_CHECK enum cuzk_status payload_check(struct payload *ret, struct job_request *request, int fd,
                                          uint64_t body_bytes, struct engine *engine,
                                          struct cuzk_error *err);

/* The canonical hash of a request: every field but priority, deadline and request id, and the bytes
 * of the vanilla proofs. */
MUST_CHECK enum cuzk_status payload_identity(uint8_t ret[JOB_IDENTITY_BYTES],
                                             const struct job_request *request, int fd,
                                             struct cuzk_error *err);

/* Puts record and trailer behind the body and waits until all of it is on the disk. */
MUST_CHECK enum cuzk_status payload_seal(const struct payload *payload, int fd,
                                         struct cuzk_error *err);
/* What payload_seal wrote. CUZK_BAD_INPUT for anything else. */
MUST_CHECK enum cuzk_status payload_read(struct payload *ret, int fd, struct budget *budget,
                                         struct cuzk_error *err);

#endif
