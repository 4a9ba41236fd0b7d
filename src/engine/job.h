/* A proof that somebody asked for: what it is about, how urgent it is, and what becomes of it. The
 * states and their transitions are drawn at the top of job.c.
 *
 * Plain data, shared by the service that reads requests, the journal that keeps them and the
 * workers that prove them. */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "base/mem.h"
#include "engine/request.h"

/* ---- kinds and priorities: the numbers of the wire (proving.proto) ---- */

enum job_kind {
    JOB_KIND_NONE,
    JOB_POREP,
    JOB_UPDATE,
    JOB_WINDOW,
    JOB_WINNING,
    JOB_N_KINDS,
};
/* "porep-c2" "snap-update" "window-post" "winning-post"; "unspecified" for what is none. */
const char *job_kind_name(enum job_kind kind);
/* Of a job that has a kind. */
enum circuit_kind job_circuit_kind(enum job_kind kind);

enum job_priority {
    PRIORITY_NONE, /* the kind's own */
    PRIORITY_LOW,
    PRIORITY_NORMAL,
    PRIORITY_HIGH,
    PRIORITY_CRITICAL,
    N_PRIORITIES,
};
const char *job_priority_name(enum job_priority priority); /* "low" ... */
/* Who stands before whom in the line: the higher priority, then the earlier deadline, then who came
 * first. Without a deadline a job stands as if it had one JOB_PATIENCE after it came: so whatever
 * comes later than a job's deadline stands behind it, and within a priority nobody waits for ever.
 * A deadline that passes changes nothing else: the job goes on, and its proof is kept. */
#define JOB_PATIENCE 1800.0 /* seconds: what Curio's client waits */
struct job_turn {
    enum job_priority priority;
    double submitted, deadline; /* seconds since 1970; deadline 0: none */
    int64_t number;             /* in the order of coming */
};
bool job_goes_before(const struct job_turn *a, const struct job_turn *b);

/* CRITICAL for winning, HIGH for window, NORMAL for the others; what is out of range is NORMAL. */
enum job_priority job_priority_of(unsigned asked, enum job_kind kind);

/* ---- states ---- */

enum job_state {
    JOB_WAITING, /* accepted: its record and payload are on disk */
    JOB_RUNNING, /* a worker has it */
    JOB_DONE,    /* proven and verified */
    JOB_FAILED,
    JOB_CANCELLED,
    JOB_N_STATES,
};
const char *job_state_name(enum job_state state); /* "waiting" ... */
static inline bool job_state_is_final(enum job_state state)
{
    return state >= JOB_DONE;
}
/* Is this one of the arrows at the top of job.c? */
bool job_state_may_become(enum job_state from, enum job_state to);

/* ---- a request ---- */

enum {
    JOB_REQUEST_ID_MAX = 255,
    JOB_ID_MAX = JOB_REQUEST_ID_MAX + 9, /* "~" and 8 digits */
    JOB_RANGES_MAX = 65536,
    JOB_IDENTITY_BYTES = 32,
};

/* Where a vanilla proof lies in the body of the request. */
struct job_range {
    uint64_t offset, bytes;
};

/* As it came over the wire, the long fields by their place in the body. Zeroed, it is an empty
 * request. */
struct job_request {
    char request_id[JOB_REQUEST_ID_MAX + 1]; /* "": one is made */
    enum job_kind kind;
    enum job_priority priority; /* as asked */
    uint64_t deadline_ms;       /* from the acceptance on; 0: not said */
    uint64_t sector_size;       /* 0: not said */
    uint64_t registered_proof;  /* not looked at for porep when 0: the C1 says it */
    uint64_t sector_number, miner_id;
    uint32_t partition_index;
    bool has_partition; /* partition_index was given (REST); the wire cannot tell 0 from absent */
    uint8_t n_randomness, n_comm_r_old, n_comm_r_new, n_comm_d_new; /* bytes that came: 0 or 32 */
    uint8_t randomness[32], comm_r_old[32], comm_r_new[32], comm_d_new[32];
    struct grow
        ranges; /* struct job_range: vanilla_proof for porep, else vanilla_proofs in order */
};
/* Takes one more; CUZK_BAD_INPUT beyond JOB_RANGES_MAX. */
MUST_CHECK enum cuzk_status job_request_add_range(struct job_request *request,
                                                  struct job_range range, struct cuzk_error *err);
void job_request_done(struct job_request *request); /* accepts a zeroed one */

static inline size_t job_request_n_ranges(const struct job_request *request)
{
    return request->ranges.used / sizeof(struct job_range);
}
static inline const struct job_range *job_request_ranges(const struct job_request *request)
{
    return (const struct job_range *)(const void *)request->ranges.region.base;
}

#endif
