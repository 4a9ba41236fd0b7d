/* The worker process: an engine that does what the daemon orders (worker_protocol.h). One a device,
 * so that a device that fails takes one process with it. */
#ifndef DAEMON_WORKER_H
#define DAEMON_WORKER_H

#include "daemon/worker_protocol.h"
#include "engine/proof_job.h"

/* What a job's time went into, as AwaitProof answers it: its circuit and key, until they are where
 * they are used (srs_load_ms); all that is made from the request (synthesis_ms); the rest, which on
 * a device that works beside the host is the device's own time (gpu_compute_ms): there the next
 * partition's witness is made meanwhile, and the sum may be more than the whole. */
enum worker_account { ACCOUNT_KEY, ACCOUNT_SYNTHESIS, ACCOUNT_COMPUTE, N_ACCOUNTS };
enum worker_account worker_account_of(const char *stage);
/* "partition 3: witness" is of partition 3; -1 for a stage that names none. */
int worker_partition_of(const char *stage);

struct worker_options {
    int socket;
    const char *backend; /* "cpu", "ifma", "cuda" */
    const char *card;    /* its place among those that the daemon may see, or its UUID; "": none */
    unsigned threads;    /* 0: pool_processors() */
    unsigned witness_threads; /* at least 1 */
    const char *params;       /* folder of the keys */
    bool allow_dev_keys;

    /* How a request is proven: job_prove_request, or what a test has instead. */
    enum cuzk_status (*prove)(struct engine *engine, const struct request *request,
                              const struct job_resident *resident, const struct job_sink *sink,
                              struct cuzk_error *err);
    /* Of a worker with a card: worker_describe_card; and the back end of which plans ask what a
     * card takes, NULL where none is built. Or what a test has instead. */
    void (*describe)(const struct backend *backend, struct note_hello *ret);
    const struct backend *card_backend;
};

/* Asks the card: its name, its memory. Leaves out what the card does not tell. */
void worker_describe_card(const struct backend *backend, struct note_hello *ret);

/* Arguments of `cuzk worker`, in this order, without the verb: socket, backend, card, threads,
 * witness threads, params, "dev" or "official". */
enum { WORKER_ARGUMENTS = 7 };
MUST_CHECK bool worker_options_parse(struct worker_options *ret, char *const *arguments, int n);

/* The card at place `card` of those that CUDA_VISIBLE_DEVICES names (`seen`; NULL: all of the
 * machine), as that variable wants it: a worker sees its own card and no other, as number 0. Of n
 * bytes; "" when there is no such place. A UUID is the card itself. */
void worker_visible_card(char *ret, size_t n, const char *seen, const char *card);

/* `cuzk worker cards`: how many cards there are to be seen, and if none why, on one line. Returns
 * the exit code. */
int worker_print_cards(void);

/* Until the socket ends. Returns the exit code. */
int worker_run(const struct worker_options *options);

#endif
