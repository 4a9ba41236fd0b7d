/* REST, for people without gRPC. JSON answers; an error is {"error": "one sentence"}.
 *
 *     GET    /api/v1/jobs[?state=S][&limit=N]     those in memory
 *     POST   /api/v1/jobs?kind=KIND&...           submits: 202 and {"job_id", ...}; 429 when busy
 *     GET    /api/v1/jobs/ID[?wait=SECONDS]       one job, with its proofs when it is done
 *     GET    /api/v1/jobs/ID/proof                the bytes of the proofs
 *     GET    /api/v1/jobs/ID/trace                Chrome trace JSON
 *     DELETE /api/v1/jobs/ID                      cancels (or POST /api/v1/jobs/ID/cancel)
 *     POST   /api/v1/jobs/ID/clear                forgets that its payload killed workers
 *     POST   /api/v1/keys/CIRCUIT/preload|evict
 *
 * The body of a submission is the vanilla proof as it is: for porep the C1 in any form that `cuzk
 * prove` reads; for the other kinds one vanilla proof, or several one after the other with
 * `lengths=N,N,...`. Query parameters are the fields of SubmitProofRequest: request_id, kind
 * (porep-c2, snap-update, window-post, winning-post), sector_size, registered_proof, priority (low,
 * normal, high, critical), deadline_ms (from now), sector_number, miner_id, partition_index, and in
 * hexadecimal digits randomness, comm_r_old, comm_r_new, comm_d_new. It streams to the spool file.
 * ID may be a job id or a request id (its newest job), with %-escapes. */
#ifndef DAEMON_HTTP_API_H
#define DAEMON_HTTP_API_H

#include <stdbool.h>
#include <stddef.h>

struct exchange;

/* A request below /api/v1/ that has no body, or its beginning: answers, or makes ready for the
 * body. */
void api_begin(struct exchange *x);
/* More of the body, and its end. */
void api_body(struct exchange *x, const char *bytes, size_t n);
void api_end(struct exchange *x);

#endif
