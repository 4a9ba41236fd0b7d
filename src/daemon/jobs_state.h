/* What the files behind jobs.h share: the tables of jobs, calls and workers.
 *
 *     jobs.c          opening, lists, events, sampling, admission, the end
 *     job_view.c      jobs, workers and keys as others see them
 *     job_intake.c    submit: from a body to a row
 *     job_call.c      the other questions about jobs
 *     job_schedule.c  who begins next, and where
 *     job_run.c       a job at its worker: its beginning, what the worker says, its end
 *     job_check.c     a partition's proof: verified, stored
 *     job_keys.c      what is loaded where; plans, preload, evict
 *     job_cards.c     which cards there are, their memory, what fits where
 *
 * All of it lives on the loop's thread. A job's row is written by the journal's desk: `row` is what
 * the disk has or is about to have, and while a job is `ending` nothing else happens to it. */
#ifndef DAEMON_JOBS_STATE_H
#define DAEMON_JOBS_STATE_H

#include "daemon/config.h"
#include "daemon/desk.h"
#include "daemon/jobs.h"
#include "daemon/journal.h"
#include "daemon/ledger.h"
#include "daemon/worker_process.h"
#include "engine/proof_check.h"

enum {
    WORKERS_MAX = 20,
    PLANS_MAX = 48, /* circuits that there are */
    CHECKERS_MAX = 8,
    LINE_MAX = 64, /* jobs at the head of the line that are looked at */
    FIT_SENTENCE = 256,
};

/* What a process takes besides what its engine reserves: code's data, stacks, tables. The daemon's
 * includes the requests being read: a full partition of WindowPoSt takes 57 MB. */
#define STANDING_DAEMON ((uint64_t)160 << 20)
#define READING_LARGE ((uint64_t)96 << 20)
#define READING_SMALL ((uint64_t)32 << 20)
#define STANDING_WORKER ((uint64_t)16 << 20)
/* And one with a card, whose driver keeps pages of the host. (cuzk bench on an H200: 0.5 GB in
 * all.) */
#define STANDING_CARD ((uint64_t)512 << 20)

/* ---- calls ---- */

enum call_kind {
    CALL_SUBMIT,
    CALL_AWAIT,
    CALL_LOOK,
    CALL_CANCEL,
    CALL_CLEAR,
    CALL_TRACE,
    CALL_PRELOAD,
    CALL_EVICT
};

struct job_call {
    struct jobs *jobs;
    enum call_kind kind;
    bool dropped; /* nobody wants the answer */
    bool away;    /* a desk has it, or its note is under way: freed when it is back */
    void *ctx;
    union {
        submit_fn *submit;
        await_fn *await;
        cancel_fn *cancel;
        text_fn *text;
        preload_fn *preload;
        evict_fn *evict;
    } fn;
    char id[JOB_ID_MAX + 1]; /* what was asked about; a circuit for preload and evict */
    struct job *job;         /* whose end it awaits, */
    struct job_call *next;   /* with others */
    bool was_running;
    struct loop_timer timer;
    struct loop_note note;
    struct desk_task task;

    /* found in the journal */
    struct journal_row row;
    bool found;
    enum cuzk_status status;
    struct cuzk_error err;

    struct circuit_name circuit; /* submit, preload, evict */
    struct intake *intake;       /* submit */
    uint64_t until;              /* await: 0: for ever */
    uint64_t begun;              /* preload */
};

/* ---- jobs ---- */

struct end_task;

struct job {
    struct jobs *jobs;
    struct journal_row row;
    struct job *next, *previous; /* in the line, among the running, or among the recent */
    enum job_place { PLACE_NONE, PLACE_LINE, PLACE_RUNNING, PLACE_RECENT } place;
    struct circuit_name name;
    struct job_plan plan; /* zero: not known yet */

    unsigned n; /* partitions asked for */
    unsigned n_have;
    bool have[PAYLOAD_PARTITIONS_MAX];              /* verified and stored */
    unsigned checking;                              /* at the desk */
    struct partition_ms ms[PAYLOAD_PARTITIONS_MAX]; /* of this attempt */
    int stage_of;                                   /* the partition that stages are of; -1: none */

    struct worker *worker;      /* running */
    const struct worker *avoid; /* what it proved was bad */
    uint64_t held;              /* of the ledger, beside the resident key */
    uint64_t device_held;       /* of its worker's card, before that is its key's */
    double in_line;             /* since when, in seconds since 1970 */
    enum waits_for why;
    char why_text[FIT_SENTENCE];
    char stage[48];
    uint64_t stage_told; /* when, for EVENT_STAGE */

    bool cancelling;     /* a client wants it to end */
    bool stopping;       /* the daemon ends: it goes back to the line */
    bool bad_proof;      /* the worker was told to stop because of one */
    bool ending;         /* its last row is under way */
    unsigned faults;     /* in a row, without a partition between them */
    uint64_t not_before; /* loop_now: it does not begin earlier */
    enum cuzk_status fault_status;
    char fault[512];         /* the last one */
    struct loop_timer grace; /* until a worker that was told to stop is killed */

    struct job_call *calls; /* that await its end */
    struct end_task *end;   /* its end, taken when it was made: an end does not fail */
    struct grow spans;      /* struct span: its timeline */
};

struct span {
    struct stage stage; /* seconds since the job was accepted */
    char worker[48];
};

/* ---- workers and what they hold ---- */

struct resident {
    bool used, loading;
    struct circuit_name name;
    uint64_t bytes, file_bytes;
    uint64_t device;    /* bytes of the worker's card */
    uint64_t last_used; /* loop_now */
};

enum worker_role { ROLE_DEVICE, ROLE_CPU, ROLE_URGENT, ROLE_PLAN };
enum worker_task { TASK_NONE, TASK_PROVE, TASK_LOAD, TASK_EVICT, TASK_PLAN };

struct worker {
    struct jobs *jobs;
    struct worker_process *process;
    enum worker_role role;
    char name[48];
    const char *backend;
    const char *card;        /* "": none */
    int place;               /* its ordinal; of a card by its UUID, its place in the list */
    struct ledger device;    /* of the card; all 0 before it has said hello */
    unsigned starts_in_vain; /* without a hello, in a row */
    enum worker_task task;
    bool sent;       /* its order has gone out */
    uint32_t number; /* of its order */
    struct job *job;
    struct circuit_name name_of_task; /* load, evict, plan */
    struct job_call *asker;           /* of load and evict; may be gone */
    uint64_t held, device_held;       /* by load and plan, of the ledger and of the card */
    bool paused;
    uint64_t begun;    /* loop_now */
    double busy_total; /* seconds, earlier tasks */
    struct resident keys[WORKER_KEYS_MAX];
    struct note_hello hello;
    uint64_t class_now[MEM_N_CLASSES];
    char stage[48];
};

/* ---- all of it ---- */

struct plan_of {
    struct circuit_name name;
    struct job_plan plan;
};

/* Belongs to the journal's desk. */
struct clerk {
    struct journal *journal;
    struct budget budget;
    struct job_key key;
    struct proof_checker checkers[CHECKERS_MAX];
    bool used[CHECKERS_MAX];
    unsigned next; /* to be replaced */
};

struct job_list {
    struct job *first, *last;
    size_t n;
};

struct subscription {
    struct jobs *jobs;
    event_fn *fn;
    void *ctx;
    struct subscription *next;
};

struct jobs {
    struct loop *loop;
    const struct config *config;
    const char *program;
    char params[CONFIG_PATH_MAX];

    struct desk *desk;        /* the journal, verification, small bodies */
    struct desk *reader;      /* large bodies */
    struct clerk clerk;       /* the desk's */
    struct engine engines[2]; /* for reading: the desk's, the reader's */

    struct job_list line, running, recent;
    struct job_call *planless; /* submissions that wait for a plan, newest first */
    struct job_call *wishes;   /* preloads and evictions, oldest first */
    struct plan_of plans[PLANS_MAX];
    size_t n_plans;

    struct worker workers[WORKERS_MAX];
    char places[CARDS_MAX][4]; /* "0", "1", ...: cards that nobody has named */
    size_t n_workers;
    struct worker planner; /* process NULL: none needed */
    uint32_t numbers;

    struct ledger ledger;
    bool closing; /* nobody is answered any more */
    struct subscription *subscriptions;
    struct jobs_status status; /* counters */
    struct worker_view worker_views[WORKERS_MAX];
    struct key_view key_views[WORKERS_MAX * WORKER_KEYS_MAX];
    char key_names[WORKERS_MAX * WORKER_KEYS_MAX][CIRCUIT_TEXT_MAX];
    struct loop_timer second, purge;
    uint64_t pressure_total; /* microseconds of stall so far */
    struct loop_note schedule_note;
    bool schedule_posted;

    drained_fn *drained;
    void *drained_ctx;
    struct loop_timer drain_timer;
};

/* Is somebody there to hear the answer? */
static inline bool call_is_wanted(const struct job_call *call)
{
    return !call->dropped && !call->jobs->closing;
}

static inline bool job_is_planned(const struct job *job)
{
    return job->plan.host.scratch != 0;
}
static inline bool job_is_urgent(const struct job *job)
{
    return job->row.priority == PRIORITY_CRITICAL;
}
/* Host bytes on this worker. */
static inline const struct job_bytes *job_bytes_on(const struct job_plan *plan,
                                                   const struct worker *w)
{
    return w->role == ROLE_DEVICE ? &plan->card.host : &plan->host;
}

/* ---- jobs.c ---- */

struct worker *jobs_add_worker(struct jobs *jobs, enum worker_role role, const char *backend,
                               const char *card, const char *name);
void jobs_event(struct jobs *jobs, enum event_kind kind, struct job *job, const char *text);
void job_list_append(struct job_list *list, struct job *job);
void job_list_remove(struct job_list *list, struct job *job);
/* Its place in the line (job_goes_before). */
void jobs_line_insert(struct jobs *jobs, struct job *job);
void jobs_remember(struct jobs *jobs, struct job *job); /* over: among the recent */
/* A job id, or a request id for its newest job in memory. */
struct job *jobs_find(struct jobs *jobs, const char *id);
struct job *job_new(struct jobs *jobs, const struct journal_row *row);
void job_free(struct job *job);
/* What plans depend on beside the circuit. */
void jobs_plan_depends(const struct jobs *jobs, char text[64]);
/* If the daemon is draining and nothing runs any more, says so. */
void jobs_check_drained(struct jobs *jobs);

/* ---- job_view.c ---- */

void jobs_view(struct job *job, struct job_view *ret);
void jobs_view_row(const struct journal_row *row, struct job_view *ret);
/* Milliseconds that it has stood in the line, all times that it did. */
uint64_t jobs_queue_ms(const struct job *job);
/* Host bytes that it takes on its worker, or where it will run. */
uint64_t job_host_bytes(const struct job *job);

/* ---- job_intake.c ---- */

/* Plans have come, or failed for this circuit (status not CUZK_OK). */
void jobs_planned(struct jobs *jobs, struct circuit_name name, enum cuzk_status status,
                  const char *sentence);
void intake_free(struct intake *intake); /* accepts NULL */

/* ---- job_call.c ---- */

struct job_call *call_new(struct jobs *jobs, enum call_kind kind, const char *id, void *ctx);
void call_free(struct job_call *call);
/* Takes it off a list, if it is there. */
void call_leave(struct job_call **list, struct job_call *call);
/* The job is over: its calls are answered. */
void calls_answer(struct job *job);

/* ---- job_schedule.c ---- */

/* Something has changed: soon, looks who may begin. */
void jobs_schedule(struct jobs *jobs);
/* Tells the ordinary worker of the processor to stand still while an urgent job computes there, and
 * to go on afterwards. */
void jobs_pause_or_resume(struct jobs *jobs);
/* Of the ledger, what it takes on this worker beside a key that is loaded there; w NULL: where it
 * will run. */
uint64_t job_need(const struct job *job, struct worker *w);

/* ---- job_run.c ---- */

/* Its process, started again whenever it dies. False: no memory for it. */
bool worker_start(struct worker *w);
/* From the line to this worker. False: no memory for it; the next second tries again. */
bool job_start(struct job *job, struct worker *w);
/* Ends it in this state. */
void job_end(struct job *job, enum job_state state, enum cuzk_status status, const char *sentence);
/* What is to be said if it is tried again, or fails. */
void job_set_fault(struct job *job, enum cuzk_status status, const char *sentence);
/* If no worker and no check is at it any more: it ends, or is tried again. */
void job_finish_if_complete(struct job *job);
/* What an end needs; mem_free. NULL when there is no memory. */
struct end_task *end_task_new(void);
/* Tells its worker to stop, and kills it when it does not. */
void job_stop(struct job *job);
uint32_t worker_order(struct worker *w, enum worker_task task);
void worker_idle(struct worker *w);

/* ---- job_check.c ---- */

/* A worker has sent a partition's proof. */
void job_check_partition(struct worker *w, const struct note_partition *note);

/* ---- job_cards.c ---- */

/* Adds a worker for each card that the configuration asks for. */
enum cuzk_status jobs_choose_cards(struct jobs *jobs, struct cuzk_error *err);
/* Something has changed: those that can no longer be proven anywhere end, with the numbers. */
void jobs_refit_line(struct jobs *jobs);
void card_said_hello(struct worker *w); /* its ledger begins afresh */
void card_is_gone(struct worker *w, bool had_said_hello);

/* Could this worker ever prove it? Of a card that has said hello. */
bool worker_fits(const struct worker *w, const struct job_plan *plan, bool urgent);
/* What the arena takes of the worker's card; 0 of one without, and where it does not fit. */
uint64_t card_need(const struct worker *w, const struct job_plan *plan, bool urgent);
/* There is so much now: else idle keys must go first. True on a worker without a card. */
bool card_has_room(const struct worker *w, const struct job_plan *plan, bool urgent);

enum fit {
    FITS_CARD,           /* or may: not all have said hello yet */
    FITS_PROCESSOR,      /* there is no card */
    FITS_PROCESSOR_ONLY, /* the sentence says why no card */
    FITS_NOWHERE,        /* the sentence has the numbers */
};
enum fit jobs_fit(const struct jobs *jobs, const struct job_plan *plan, bool urgent,
                  const char *circuit, char sentence[FIT_SENTENCE]);

/* ---- job_keys.c ---- */

const struct job_plan *jobs_plan(const struct jobs *jobs, struct circuit_name name);
void jobs_plan_add(struct jobs *jobs, struct circuit_name name, const struct job_plan *plan);
bool same_circuit(struct circuit_name a, struct circuit_name b);
struct resident *worker_key(struct worker *w, struct circuit_name name);
/* Makes a place for a key of `bytes` on this worker; the ledger's bytes are the caller's affair. */
struct resident *worker_key_add(struct worker *w, struct circuit_name name);
/* A place for one more key, and room for it on the card: else an idle one must go first. */
bool worker_has_place(const struct worker *w, const struct job_plan *plan, bool urgent);
void worker_keys_forget(struct worker *w); /* the process is gone */
uint64_t worker_resident_bytes(const struct worker *w);
/* Evicts one idle key of an idle worker if there is one: the least recently used that is idle long
 * enough, or any (`at_once`). Says whether it did. */
bool jobs_evict_idle(struct jobs *jobs, const struct worker *only, struct circuit_name keep,
                     bool at_once);
/* Starts a planner if somebody waits for a plan. True while planning waits for memory. */
bool jobs_plan_some(struct jobs *jobs);
void jobs_keys_note(struct worker *w, const struct note_end *end);
/* Tries to do what was asked about keys. */
void jobs_wishes(struct jobs *jobs);
/* The worker died over a load, evict or plan. */
void jobs_keys_died(struct worker *w, const char *how);

#endif
