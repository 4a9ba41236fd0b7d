/* The messages of proto/proving.proto, to and from what the daemon works with. Requests for proofs
 * are read from their file as a stream: of the vanilla proofs only the place is noted. */
#ifndef DAEMON_PROVING_MESSAGE_H
#define DAEMON_PROVING_MESSAGE_H

#include <pb.h>
#include <proving.pb.h>

#include "daemon/jobs.h"

/* job_decode_fn for a SubmitProofRequest and a ProveRequest that is the whole file. CUZK_BAD_INPUT:
 * the sentence names the field. */
enum cuzk_status proving_decode_submit(struct job_request *request, int fd, uint64_t bytes,
                                       struct cuzk_error *err);
enum cuzk_status proving_decode_prove(struct job_request *request, int fd, uint64_t bytes,
                                      struct cuzk_error *err);

/* How urgent a message is, by its first bytes: 0 for CRITICAL, 3 for LOW; NORMAL when they do not
 * tell. */
unsigned proving_urgency_submit(const uint8_t *head, size_t n);
unsigned proving_urgency_prove(const uint8_t *head, size_t n);

/* A small message. False: it is none of that form. */
bool message_decode(void *ret, const pb_msgdesc_t *fields, const uint8_t *bytes, size_t n);
/* NULL: no memory. mem_free it. */
uint8_t *message_encode(const pb_msgdesc_t *fields, const void *message, size_t *ret_n);

/* Fields that are written from where they are; `text` NULL or "" leaves the field out. */
pb_callback_t message_text(const char *text);
struct message_bytes {
    const void *bytes;
    size_t n;
};
pb_callback_t message_bytes(const struct message_bytes *bytes);

/* Texts of `job` are borrowed. */
void proving_result(cuzk_v1_AwaitProofResponse *ret, enum await_end end, const struct job_view *job,
                    struct message_bytes *proof);
void proving_job_info(cuzk_v1_JobInfo *ret, const struct job_view *job);

#endif
