/* A partition's proof, from the worker that made it: on the desk it is verified and stored, and
 * only then has the job got it. */
#include <string.h>
#include <unistd.h>

#include "daemon/jobs_state.h"
#include "daemon/log.h"

#define AGAIN LOOP_SECOND /* until the disk is asked again after a failure */

struct check_task {
    struct desk_task task;
    struct job *job;
    struct worker *worker; /* that made it */
    unsigned k;
    uint8_t proof[PARTITION_PROOF_BYTES];
    struct journal_row row;
    enum cuzk_status status;
    struct cuzk_error err;
    struct loop_timer again;
};

static enum cuzk_status find_checker(struct clerk *clerk, struct circuit_name name,
                                     struct proof_checker **ret, struct cuzk_error *err)
{
    unsigned i;

    for (i = 0; i < CHECKERS_MAX; i++)
        if (clerk->used[i] && same_circuit(clerk->checkers[i].name, name)) {
            *ret = &clerk->checkers[i];
            return CUZK_OK;
        }
    i = clerk->next++ % CHECKERS_MAX;
    if (clerk->used[i])
        proof_checker_close(&clerk->checkers[i]);
    clerk->used[i] = false;
    TRY(proof_checker_open(&clerk->checkers[i], name, &clerk->key, NULL, &clerk->budget, err));
    clerk->used[i] = true;
    *ret = &clerk->checkers[i];
    return CUZK_OK;
}

/* Against the public inputs that the intake derived and the payload keeps. */
static enum cuzk_status verify(struct clerk *clerk, const struct check_task *c,
                               struct cuzk_error *err)
{
    struct proof_checker *checker;
    struct payload payload;
    enum cuzk_status st;
    int fd;

    TRY(journal_payload_open(clerk->journal, &c->row, &fd, err));
    st = payload_read(&payload, fd, &clerk->budget, err);
    close(fd);
    if (st != CUZK_OK)
        return st;
    st = find_checker(clerk, payload.name, &checker, err);
    if (st == CUZK_OK && (c->k < payload.first || c->k >= payload.end))
        st = error_set(err, CUZK_INVALID, "partition %u was not asked for", c->k);
    if (st == CUZK_OK)
        st = proof_checker_check(checker, c->proof, payload_inputs(&payload, c->k),
                                 payload.n_inputs, "the worker's proof", err);
    payload_done(&payload);
    return st;
}

static void check_work(struct desk_task *task)
{
    struct check_task *c = (struct check_task *)task;
    struct clerk *clerk = &c->job->jobs->clerk;

    c->status = verify(clerk, c, &c->err);
    if (c->status == CUZK_OK)
        c->status = journal_partition(clerk->journal, c->row.seq, c->k, c->proof, &c->err);
}

static void send_check(void *ctx)
{
    struct check_task *c = ctx;

    desk_post(c->job->jobs->desk, &c->task);
}

static void take_partition(struct job *job, unsigned k)
{
    const unsigned i = k - job->row.first;

    if (i < job->n && !job->have[i]) {
        job->have[i] = true;
        job->n_have++;
        job->faults = 0;
        jobs_event(job->jobs, EVENT_PARTITION, job, "partition");
    }
}

static void take_bad_proof(struct job *job, const struct check_task *c)
{
    job->jobs->status.verify_failures++;
    log_error("a worker's proof is not valid", "job", job->row.id, "worker", c->worker->name,
              "error", c->err.message, NULL);
    job->avoid = c->worker->role == ROLE_DEVICE ? c->worker : NULL;
    job_set_fault(job, CUZK_INVALID, c->err.message);
    job->bad_proof = true;
    job_stop(job);
}

/* The verifying key is not what it should be: proving once more gives somebody the time to mend it.
 */
static void take_unverified(struct job *job, const struct check_task *c)
{
    log_error("a proof cannot be verified", "job", job->row.id, "error", c->err.message, NULL);
    job_set_fault(job, c->status, c->err.message);
    job->bad_proof = true;
    job_stop(job);
}

/* The disk, memory or descriptors have failed us: it is asked again until somebody gives up. */
static bool is_passing(const struct check_task *c)
{
    const struct job *job = c->job;

    return c->status != CUZK_OK && c->status != CUZK_INVALID && c->status != CUZK_BAD_INPUT &&
           job->place == PLACE_RUNNING && !job->ending && !job->cancelling &&
           !job->jobs->status.draining;
}

static void check_done(struct desk_task *task)
{
    struct check_task *c = (struct check_task *)task;
    struct job *job = c->job;
    struct jobs *jobs = job->jobs;

    if (is_passing(c)) {
        log_error("a proof cannot be verified or stored", "job", job->row.id, "error",
                  c->err.message, NULL);
        c->again.f = send_check;
        c->again.ctx = c;
        loop_timer_set(jobs->loop, &c->again, loop_now() + AGAIN);
        return;
    }
    job->checking--;
    if (c->status == CUZK_OK)
        take_partition(job, c->k);
    else if (c->status == CUZK_INVALID)
        take_bad_proof(job, c);
    else if (c->status == CUZK_BAD_INPUT)
        take_unverified(job, c);
    job_finish_if_complete(job);
    jobs_schedule(jobs);
    mem_free(c);
}

void job_check_partition(struct worker *w, const struct note_partition *note)
{
    struct job *job = w->job;
    struct check_task *c = mem_new(sizeof *c);

    if (!c)
        return; /* missing at the end: the job is tried again */
    *c = (struct check_task){.task = {.work = check_work, .done = check_done},
                             .job = job,
                             .worker = w,
                             .k = note->k,
                             .row = job->row};
    memcpy(c->proof, note->proof, sizeof c->proof);
    job->checking++;
    desk_post(w->jobs->desk, &c->task);
}
