/* All jobs of the daemon: what the service and the HTTP port ask, and what they hear.
 *
 *     body (spooled) ── jobs_submit ──► desk: decode, check, identity, record ──► accepted
 *                                                                                   │
 *     jobs_await ◄── done: verified proof ◄── desk: verify ◄── worker process ◄── queue, budget
 *
 * What may go wrong, and what becomes of it (tests/unit/test_daemon_faults.c and
 * tests/daemon/test_faults.py):
 *
 *     a worker dies             its job is tried once more, then it failed: the signal is named
 *     a key is cut short        under its map: the worker dies of it, the retry finds the file too
 *                               short: the job failed, the file is named
 *     a key is overwritten      under its map: no proof of it verifies; once more, then failed
 *     a key is replaced         by its name: what is loaded goes on, the next load has the new one
 *     a verifying key is bad    the proof is made once more, then it failed, the file is named
 *     the disk is at its        large requests wait (gRPC) or hear of it (429); small ones are
 *       reserve                 taken, the reserve is there for them
 *     the disk is full          new requests are refused; accepted jobs go on, and what cannot be
 *                               stored is tried again every second
 *     a client goes away        or its deadline passes: the job goes on, its proof is there for
 *                               whoever asks again
 *     the daemon is to end      running jobs end, or stop at their last partition (jobs_drain)
 *     the daemon is killed      the next start takes up all that was accepted
 *
 * Every function here is called on the loop's thread, and every callback comes on it, later than
 * the call that asked for it. Nothing here blocks. Views and texts handed to a callback are good
 * until it returns; those of a listing until the next turn of the loop. */
#ifndef DAEMON_JOBS_H
#define DAEMON_JOBS_H

#include "base/mem.h"
#include "engine/job.h"

struct config;
struct loop;
struct jobs;

/* Opens the journal, takes up what was left unfinished, starts the workers. `config` is borrowed
 * for the life of the jobs. Workers run as `PROGRAM worker ...` of `program`; NULL: of this one. */
MUST_CHECK enum cuzk_status jobs_open(struct jobs **ret, struct loop *loop,
                                      const struct config *config, const char *program,
                                      struct cuzk_error *err);
/* After the loop has ended. Ends the workers (what they had is taken up at the next start) and
 * closes the journal. Calls that were not answered never are. Accepts NULL. */
void jobs_close(struct jobs *jobs);

/* ---- bodies ---- */

/* A nameless file in the spool folder, open for reading and writing; the caller closes it or hands
 * it to jobs_submit. */
MUST_CHECK enum cuzk_status jobs_spool_open(struct jobs *jobs, int *ret_fd, struct cuzk_error *err);

/* The one rule of admission, for gRPC and HTTP. May `bytes` more be taken from the network now? A
 * small body (JOBS_SMALL_BODY, which is also what every gRPC stream may send without leave) always
 * may: WinningPoSt requests are small, and the disk's reserve is there for them. A larger one may
 * not for the disk's reserve, memory pressure, bodies still being read, draining: then *ret_why
 * (may be NULL) is one sentence. Ask again when a second has passed or on EVENT_ADMISSION. */
enum { JOBS_SMALL_BODY = 1 << 19 };
bool jobs_may_spool(struct jobs *jobs, uint64_t bytes, const char **ret_why);

/* ---- submitting ---- */

/* Reads what the body says into *request, on a desk thread: fields, and the place of each vanilla
 * proof. Bounded memory; no access to anything of the loop. */
typedef enum cuzk_status job_decode_fn(struct job_request *request, int fd, uint64_t bytes,
                                       struct cuzk_error *err);

struct submission {
    int fd; /* from jobs_spool_open, whole; becomes the jobs' */
    uint64_t bytes;
    struct job_request request; /* what is known besides the body (REST); becomes the jobs' */
    /* NULL: all is in `request`; without ranges there, the body is one vanilla proof. */
    job_decode_fn *decode;
};

/* Why a request is not taken. None of them is "busy": that is jobs_may_spool's. */
enum refusal {
    REFUSED_NOT,         /* it is taken */
    REFUSED_BAD_REQUEST, /* it is not what it should be: a retry brings the same */
    REFUSED_NO_KEY,      /* the circuit's key is not in the folder, or not allowed */
    REFUSED_TOO_LARGE,   /* can never fit the budget; the sentence has both numbers */
    REFUSED_POISON,      /* killed its worker max_attempts times; until an operator clears it */
    REFUSED_DRAINING,    /* the daemon is ending */
    REFUSED_FAULT,       /* disk or memory failed us: a retry may succeed */
};

struct submit_answer {
    enum refusal refusal;
    const char *sentence;    /* of a refusal */
    const char *job_id;      /* otherwise */
    uint32_t queue_position; /* 0: running or over, 1: next */
    bool attached;           /* the job was there already */
};
typedef void submit_fn(void *ctx, const struct submit_answer *answer);

/* A question that is not answered yet; gone when its callback returns. The functions that make one
 * return NULL when there is no memory for it: then no callback comes. */
struct job_call;
/* The caller has gone: its callback will not come. The job goes on. Accepts NULL. */
void job_call_drop(struct job_call *call);

/* The answer comes when payload and record are on disk, or with the reason why not. What the
 * submission holds becomes the jobs' in any case. */
struct job_call *jobs_submit(struct jobs *jobs, struct submission *submission, submit_fn *fn,
                             void *ctx);

/* ---- one job, as seen from outside ---- */

struct job_timing { /* milliseconds */
    uint64_t queue_wait, key_load, synthesis, compute, total;
};

struct partition_ms {
    uint32_t synthesis, compute;
};

struct job_view {
    const char *id, *request_id;
    enum job_kind kind;
    const char *circuit; /* "porep-32GiB" */
    enum job_priority priority;
    enum job_state state;
    bool cancelling;                     /* running, and asked to end */
    const char *why;                     /* waiting: what for; on the processor in spite of a card:
                                            why; "" otherwise */
    const char *worker;                  /* running: "cpu", "cuda 0", ...; "" otherwise */
    const char *stage;                   /* running: "partition 3: sum H"; "" otherwise */
    uint32_t queue_position;             /* waiting: from 1 */
    unsigned partitions, done;           /* asked for; proven and verified */
    unsigned attempts;                   /* begun */
    double submitted, started, finished; /* seconds since 1970; 0: not yet */
    double deadline;                     /* 0: none was said */
    uint64_t reserved_bytes;             /* of host memory: what it holds (running) or will take */
    struct job_timing timing;
    const struct partition_ms *partition_ms; /* running: of those asked for, as far as they are */
    enum cuzk_status status;                 /* failed: why */
    const char *error;                       /* failed: one sentence; "" otherwise */
    const uint8_t *proof;                    /* done: 192 bytes a partition; NULL in listings */
    size_t proof_bytes;
};

/* ---- awaiting, cancelling, clearing, tracing ---- */

enum await_end { AWAIT_OVER, AWAIT_TIMEOUT, AWAIT_UNKNOWN };
/* job: final for AWAIT_OVER, as it stands for AWAIT_TIMEOUT, NULL for AWAIT_UNKNOWN. */
typedef void await_fn(void *ctx, enum await_end end, const struct job_view *job);
/* id: a job id, or a request id for its newest job. timeout_ms 0: for ever. */
struct job_call *jobs_await(struct jobs *jobs, const char *id, uint64_t timeout_ms, await_fn *fn,
                            void *ctx);
/* The job as it stands, from memory or from the journal, at once: AWAIT_OVER with any state. */
struct job_call *jobs_look(struct jobs *jobs, const char *id, await_fn *fn, void *ctx);

enum cancel_end { CANCEL_UNKNOWN, CANCEL_WAS_WAITING, CANCEL_WAS_RUNNING, CANCEL_WAS_OVER };
typedef void cancel_fn(void *ctx, enum cancel_end end);
/* The answer comes when the job has ended as cancelled (or has ended otherwise before that). */
struct job_call *jobs_cancel(struct jobs *jobs, const char *id, cancel_fn *fn, void *ctx);
/* Forgets that a payload killed workers, so that it may be submitted again. */
struct job_call *jobs_clear(struct jobs *jobs, const char *id, cancel_fn *fn, void *ctx);

/* A job's timeline as Chrome trace JSON; status CUZK_BAD_INPUT for a job that is unknown or has not
 * begun. */
typedef void text_fn(void *ctx, enum cuzk_status status, const char *text, size_t n);
struct job_call *jobs_trace(struct jobs *jobs, const char *id, text_fn *fn, void *ctx);

/* ---- listings ---- */

typedef void job_visit_fn(void *ctx, const struct job_view *job);
/* Those in memory: running, then waiting in the order of the queue, then the latest that are over
 * (newest first, JOBS_RECENT at most). Without proofs. */
enum { JOBS_RECENT = 256 };
void jobs_each(struct jobs *jobs, job_visit_fn *fn, void *ctx);

struct worker_view {
    const char *name;    /* "cpu", "urgent", "cuda 0" */
    const char *backend; /* "cpu", "ifma", "cuda" */
    const char *device;  /* the card's name; "" for a processor */
    int ordinal;         /* of the card; -1 for a processor */
    int pid;             /* 0: not running (being restarted) */
    bool paused;         /* makes way for an urgent one */
    const char *job_id;  /* "": idle */
    const char *stage;
    double busy_seconds, busy_total;    /* with this job; ever */
    uint64_t device_total, device_free; /* free when the worker began, less device_reserved */
    uint64_t device_budget, device_reserved, device_urgent; /* that proofs may take; have; spare */
    uint64_t budget_bytes, used_bytes; /* host: reserved for its job; taken of it */
    unsigned restarts;
};

enum key_tier { KEY_HOT, KEY_WARM, KEY_COLD }; /* used now; loaded and idle; not loaded */
struct key_view {
    const char *circuit; /* "porep-32GiB" */
    const char *worker;  /* where it is loaded */
    enum key_tier tier;
    uint64_t bytes;      /* that it holds of the budget */
    uint64_t file_bytes; /* that are mapped from the file */
    unsigned users;
    double idle_seconds;
    uint64_t device_bytes; /* of its worker's card */
};

struct kind_counts {
    uint32_t waiting, running;
    uint64_t done, failed, cancelled; /* since the start */
    uint64_t duration_count;          /* of done jobs */
    double duration_sum;              /* seconds from accepted to done */
};

struct jobs_status {
    double started;         /* seconds since 1970 */
    bool draining, pressed; /* pressed: the kernel reports memory pressure (PSI) */
    uint64_t budget_bytes, urgent_reserve;
    uint64_t reserved_bytes; /* of the budget, all that is spoken for */
    uint64_t used_bytes;     /* of that, taken now, all classes */
    uint64_t class_bytes[MEM_N_CLASSES];
    uint64_t metered_bytes,
        metered_peak; /* anonymous + shared memory of all our processes, sampled */
    uint64_t spool_bytes, disk_free, disk_reserve;
    struct kind_counts kind[JOB_N_KINDS];
    uint64_t waiting_by_priority[N_PRIORITIES];
    uint64_t accepted, attached, refused; /* since the start */
    uint64_t retries, worker_deaths, verify_failures, poisoned, preemptions;
    double admission_wait_sum;
    uint64_t admission_wait_count; /* from accepted to reserved, jobs that began */
    size_t n_workers, n_keys;
    const struct worker_view *workers;
    const struct key_view *keys;
};
void jobs_status(struct jobs *jobs, struct jobs_status *ret);

/* ---- events ---- */

enum event_kind {
    EVENT_ACCEPTED,
    EVENT_STATE,     /* another state, or cancelling */
    EVENT_STAGE,     /* a running job is at another stage (at most 10 a second a job) */
    EVENT_PARTITION, /* one more is done */
    EVENT_WORKER,    /* started, died, paused, goes on */
    EVENT_KEY,       /* loaded or evicted */
    EVENT_ADMISSION, /* jobs_may_spool may answer otherwise now */
};
struct event {
    enum event_kind kind;
    const struct job_view *job; /* of the first four; NULL otherwise */
    const char *text;           /* one line for a log */
};
typedef void event_fn(void *ctx, const struct event *event);
struct subscription;
/* NULL when there is no memory. */
struct subscription *jobs_subscribe(struct jobs *jobs, event_fn *fn, void *ctx);
void jobs_unsubscribe(
    struct subscription *subscription); /* accepts NULL; not inside its callback */

/* ---- keys ---- */

struct preload_answer {
    enum cuzk_status status;
    const char *sentence; /* unless CUZK_OK */
    bool already_loaded;
    uint64_t load_ms;
};
typedef void preload_fn(void *ctx, const struct preload_answer *answer);
/* circuit: any of its names. Waits for room like a job of NORMAL priority. */
struct job_call *jobs_preload(struct jobs *jobs, const char *circuit, preload_fn *fn, void *ctx);

struct evict_answer {
    enum cuzk_status status; /* CUZK_BAD_INPUT: no such circuit, or in use by a job */
    const char *sentence;
    bool was_loaded;
    uint64_t freed_bytes;
};
typedef void evict_fn(void *ctx, const struct evict_answer *answer);
struct job_call *jobs_evict(struct jobs *jobs, const char *circuit, evict_fn *fn, void *ctx);

/* ---- the end ---- */

/* Takes and begins nothing more; running jobs may finish until `seconds` have passed, then they are
 * stopped at their last checkpoint and stay accepted. */
typedef void drained_fn(void *ctx);
void jobs_drain(struct jobs *jobs, double seconds, drained_fn *fn, void *ctx);

#endif
