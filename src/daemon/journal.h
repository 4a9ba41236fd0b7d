/* The record of all accepted jobs, in SQLite (WAL, synchronous FULL), and the spool folder with
 * their payloads. What a function here has returned CUZK_OK for survives a power cut.
 *
 *     <folder>/lock           held while a daemon has the folder
 *     <folder>/journal.db     jobs, partition proofs, plans
 *     <folder>/spool/<name>   the payload of a job that is not over
 *
 * Order of an acceptance: payload on disk, its name in the spool folder on disk, then the row.
 * Order of an end: the row, then the payload goes. So a row that is not over has its payload, and a
 * payload without such a row is litter, removed at the next opening.
 *
 * One thread. Times are seconds since 1970. */
#ifndef DAEMON_JOURNAL_H
#define DAEMON_JOURNAL_H

#include "engine/circuit_job.h"
#include "engine/job.h"
#include "engine/proof_job.h"

struct journal;

MUST_CHECK enum cuzk_status journal_open(struct journal **ret, const char *folder,
                                         struct cuzk_error *err);
void journal_close(struct journal *journal); /* accepts NULL */

enum { JOURNAL_FILE_NAME = 64, JOURNAL_CIRCUIT = 32 };

struct journal_row {
    int64_t seq; /* order of acceptance, from 1 */
    char id[JOB_ID_MAX + 1], request_id[JOB_REQUEST_ID_MAX + 1];
    uint8_t identity[JOB_IDENTITY_BYTES];
    char file[JOURNAL_FILE_NAME + 1]; /* in the spool folder */
    enum job_kind kind;
    char circuit[JOURNAL_CIRCUIT];
    enum job_priority priority;
    enum job_state state;
    unsigned attempts;   /* begun since it was accepted (anew) */
    unsigned kills;      /* workers that died of it, ever */
    unsigned first, end; /* partitions */
    double submitted, started, finished;
    double deadline; /* 0: none */
    uint64_t queue_ms, key_ms, synthesis_ms, compute_ms;
    enum cuzk_status status; /* failed: why */
    char error[512];
    uint8_t *proof; /* done: PARTITION_PROOF_BYTES a partition; mem_free */
    size_t proof_bytes;
};
void journal_row_done(struct journal_row *row); /* accepts a zeroed one */

/* ---- payloads ---- */

/* A nameless file in the spool folder. */
MUST_CHECK enum cuzk_status journal_spool_open(const struct journal *journal, int *ret_fd,
                                               struct cuzk_error *err);
/* Opens a row's payload for reading. CUZK_BAD_INPUT: it is gone. */
MUST_CHECK enum cuzk_status journal_payload_open(const struct journal *journal,
                                                 const struct journal_row *row, int *ret_fd,
                                                 struct cuzk_error *err);
const char *journal_spool_folder(const struct journal *journal);
/* Of the payloads in it, as their files say; on any thread. */
uint64_t journal_spool_bytes(const struct journal *journal);

/* ---- rows ---- */

enum accept_end {
    ACCEPT_NEW,      /* a row was made, or made anew after a failure or a cancellation */
    ACCEPT_ATTACHED, /* the request is there already, in any state but these two */
    ACCEPT_POISON,   /* its payload killed max_kills workers */
};
/* row: request_id ("": one is made), identity, kind, circuit, priority, first, end, submitted,
 * deadline; the rest is filled in, for ACCEPT_ATTACHED with what there is. fd: the sealed payload.
 */
MUST_CHECK enum cuzk_status journal_accept(struct journal *journal, struct journal_row *row, int fd,
                                           unsigned max_kills, enum accept_end *ret,
                                           struct cuzk_error *err);

/* WAITING or RUNNING with its counts and times; `row` as it shall be. */
MUST_CHECK enum cuzk_status journal_update(struct journal *journal, const struct journal_row *row,
                                           struct cuzk_error *err);
/* A verified partition. Again: it replaces the one before. */
MUST_CHECK enum cuzk_status journal_partition(struct journal *journal, int64_t seq, unsigned k,
                                              const uint8_t proof[PARTITION_PROOF_BYTES],
                                              struct cuzk_error *err);
/* Which of the row's partitions are stored: ret[k - first]. */
MUST_CHECK enum cuzk_status journal_partitions(struct journal *journal,
                                               const struct journal_row *row, bool *ret,
                                               struct cuzk_error *err);
/* DONE (all partitions are stored; they become row->proof), FAILED or CANCELLED, as row->state
 * says. The payload goes. */
MUST_CHECK enum cuzk_status journal_finish(struct journal *journal, struct journal_row *row,
                                           struct cuzk_error *err);
/* A job id, or a request id for its newest job. *ret_found false: there is none. With the proof. */
MUST_CHECK enum cuzk_status journal_find(struct journal *journal, const char *id,
                                         struct journal_row *ret, bool *ret_found,
                                         struct cuzk_error *err);
/* kills = 0 for all rows with the payload of this one. */
MUST_CHECK enum cuzk_status journal_clear(struct journal *journal, const struct journal_row *row,
                                          struct cuzk_error *err);

/* Row by row without proofs: those that are not over in the order of acceptance, or the newest
 * `limit` that are, newest first. f must not call the journal. */
typedef void journal_row_fn(void *ctx, const struct journal_row *row);
MUST_CHECK enum cuzk_status journal_each(struct journal *journal, bool over, unsigned limit,
                                         journal_row_fn *f, void *ctx, struct cuzk_error *err);
/* Rows that were over before `before`. Payloads without a row that is not over go, too. */
MUST_CHECK enum cuzk_status journal_purge(struct journal *journal, double before,
                                          struct cuzk_error *err);

/* ---- plans: what a proof takes, by circuit and by what else it depends on ---- */

MUST_CHECK enum cuzk_status journal_plan_put(struct journal *journal, const char *circuit,
                                             const char *depends, const struct job_plan *plan,
                                             struct cuzk_error *err);
typedef void journal_plan_fn(void *ctx, const char *circuit, const struct job_plan *plan);
MUST_CHECK enum cuzk_status journal_plans(struct journal *journal, const char *depends,
                                          journal_plan_fn *f, void *ctx, struct cuzk_error *err);

#endif
