/* States of a job, as the journal keeps them:
 *
 *                     a worker takes it
 *     (accepted) ──► WAITING ──────────► RUNNING ──► DONE       every partition proven, verified
 *                     │   ▲                │ │       and stored
 *                     │   │  worker died,  │ ├─────► FAILED     a fault that a retry will not cure,
 *                     │   │  daemon ended, │ │                  or the retry failed too
 *                     │   └── retried ─────┘ │
 *                     └──────────► CANCELLED ◄
 *
 *     WAITING may also become FAILED: its payload is gone, or it no longer fits the budget.
 *     FAILED and CANCELLED become WAITING when the same request comes again: a new attempt.
 *     DONE never changes; the same request is answered with the stored proof.
 *
 * Proofs of single partitions are stored as they are verified, in any state that leads on: what
 * begins again begins after them. */
#include "engine/job.h"

#include <string.h>

static const struct {
    const char *name;
    enum circuit_kind circuit;
    enum job_priority priority;
} kinds[JOB_N_KINDS] = {
    [JOB_KIND_NONE] = {"unspecified", CIRCUIT_POREP, PRIORITY_NORMAL},
    [JOB_POREP] = {"porep-c2", CIRCUIT_POREP, PRIORITY_NORMAL},
    [JOB_UPDATE] = {"snap-update", CIRCUIT_UPDATE, PRIORITY_NORMAL},
    [JOB_WINDOW] = {"window-post", CIRCUIT_WINDOW, PRIORITY_HIGH},
    [JOB_WINNING] = {"winning-post", CIRCUIT_WINNING, PRIORITY_CRITICAL},
};

const char *job_kind_name(enum job_kind kind)
{
    return kinds[kind < JOB_N_KINDS ? kind : JOB_KIND_NONE].name;
}

enum circuit_kind job_circuit_kind(enum job_kind kind)
{
    return kinds[kind].circuit;
}

const char *job_priority_name(enum job_priority priority)
{
    static const char *const names[N_PRIORITIES] = {"unspecified", "low", "normal", "high",
                                                    "critical"};

    return names[priority];
}

enum job_priority job_priority_of(unsigned asked, enum job_kind kind)
{
    if (asked == PRIORITY_NONE)
        return kinds[kind].priority;
    return asked < N_PRIORITIES ? (enum job_priority)asked : PRIORITY_NORMAL;
}

static double due(const struct job_turn *t)
{
    return t->deadline > 0 ? t->deadline : t->submitted + JOB_PATIENCE;
}

bool job_goes_before(const struct job_turn *a, const struct job_turn *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return due(a) != due(b) ? due(a) < due(b) : a->number < b->number;
}

const char *job_state_name(enum job_state state)
{
    static const char *const names[JOB_N_STATES] = {"waiting", "running", "done", "failed",
                                                    "cancelled"};

    return names[state];
}

bool job_state_may_become(enum job_state from, enum job_state to)
{
    static const unsigned arrows[JOB_N_STATES] = {
        [JOB_WAITING] = 1u << JOB_RUNNING | 1u << JOB_FAILED | 1u << JOB_CANCELLED,
        [JOB_RUNNING] = 1u << JOB_WAITING | 1u << JOB_DONE | 1u << JOB_FAILED | 1u << JOB_CANCELLED,
        [JOB_FAILED] = 1u << JOB_WAITING,
        [JOB_CANCELLED] = 1u << JOB_WAITING,
    };

    return (arrows[from] >> to & 1) != 0;
}

/* ---- requests -------------------------------------------------------------------------------- */

enum cuzk_status job_request_add_range(struct job_request *request, struct job_range range,
                                       struct cuzk_error *err)
{
    void *place;

    if (job_request_n_ranges(request) == JOB_RANGES_MAX)
        return error_set(err, CUZK_BAD_INPUT, "more than %d vanilla proofs", (int)JOB_RANGES_MAX);
    if (!request->ranges.bytes_max)
        grow_init(&request->ranges, NULL, MEM_REQUEST, JOB_RANGES_MAX * sizeof range);
    TRY(grow_take(&request->ranges, sizeof range, &place, err));
    memcpy(place, &range, sizeof range);
    return CUZK_OK;
}

void job_request_done(struct job_request *request)
{
    grow_done(&request->ranges);
    *request = (struct job_request){0};
}
