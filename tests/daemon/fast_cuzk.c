/* A cuzk of two verbs, `daemon` and `worker`. Its worker proves from the trapdoor of its
 * development key: real proofs that verify, in hundredths of a second, so that tests of the daemon
 * can have many. Besides, it does wrong on demand. Files in the folder $FAST_WORKER ask for it,
 * once each:
 *
 *     die     it kills itself in the middle of a job
 *     bad     a proof with another witness's bytes: it does not verify
 *     hang    it computes on and on, whatever it is told
 *     refuse  (a number n) the n-th piece of memory from the end of this proof on is refused
 *     slow    (stays) half a second a partition
 *
 * $FAST_WORKER_LABEL is the label of the key. It says that there are $FAST_WORKER_CARDS cards, with
 * $FAST_WORKER_CARD_MEMORY bytes each (separated by commas), and proves on the processor for them:
 * no card is ever used. With $FAST_WORKER_CARD_DEAD a worker that has a card does not begin. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "daemon/worker.h"
#include "format/bellperson.h"
#include "groth16/trapdoor_proof.h"
#include "support/made_up_card.h"

enum { FILECOIN_GENERATOR = 7 };

static struct trapdoor trapdoor;
static const char *card = ""; /* of this worker */

static bool is_asked(const char *what, bool once)
{
    const char *folder = getenv("FAST_WORKER");
    char path[1024];

    if (!folder)
        return false;
    snprintf(path, sizeof path, "%s/%s", folder, what);
    return once ? unlink(path) == 0 : access(path, F_OK) == 0;
}

static void refuse_memory_when_asked(void)
{
    const char *folder = getenv("FAST_WORKER");
    char path[1024];
    unsigned n = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/refuse", folder ? folder : "");
    f = folder ? fopen(path, "re") : NULL;
    if (!f)
        return;
    if (fscanf(f, "%u", &n) != 1)
        n = 0;
    fclose(f);
    unlink(path);
    mem_fail_at(n);
}

static enum cuzk_status slowly(struct engine *engine, struct cuzk_error *err)
{
    for (unsigned i = 0; is_asked("slow", false) && i < 50; i++) {
        if (engine->cancel && atomic_load(engine->cancel))
            return error_set(err, CUZK_CANCELLED, "cancelled");
        usleep(10000);
    }
    return CUZK_OK;
}

static enum cuzk_status prove_partition(struct engine *engine, const struct request *request,
                                        const struct job_resident *resident,
                                        struct packed_witness *witness, unsigned k,
                                        uint8_t proof[PARTITION_PROOF_BYTES],
                                        struct cuzk_error *err)
{
    const struct qap *qap = &resident->circuit.qap;
    const struct prove_options options = {.backend = engine->backend,
                                          .pool = engine->pool,
                                          .budget = &engine->budget,
                                          .cancel = engine->cancel};
    struct blinding blinding;
    struct proof p;

    engine_stage(engine, "partition %u: witness", k);
    packed_witness_clear(witness);
    request->kind->witness(request, witness, &resident->circuit.cs, k, engine->witness_pool);
    TRY(slowly(engine, err));
    engine_stage(engine, "  trapdoor");
    blinding_random(&blinding, resident->circuit.cs.curve);
    if (is_asked("die", true))
        raise(SIGKILL);
    while (is_asked("hang", true))
        for (;;)
            pause();
    TRY(trapdoor_prove(qap, &trapdoor, FILECOIN_GENERATOR, &witness->values, &blinding, &options,
                       &p, err));
    if (is_asked("bad", true))
        p.c = p.a;
    proof_encode(proof, resident->circuit.cs.curve, &p);
    return CUZK_OK;
}

static enum cuzk_status prove(struct engine *engine, const struct request *request,
                              const struct job_resident *resident, const struct job_sink *sink,
                              struct cuzk_error *err)
{
    struct packed_witness witness;
    enum cuzk_status st = CUZK_OK;

    if (card[0] && engine->device_memory == 0)
        return error_set(err, CUZK_INTERNAL, "nothing of the card is for this proof");
    TRY(packed_witness_new(&witness, &resident->circuit.cs, &engine->budget, err));
    for (unsigned k = request->first; k < request->end && st == CUZK_OK; k++) {
        uint8_t proof[PARTITION_PROOF_BYTES];

        if (sink->skip && sink->skip[k - request->first])
            continue;
        st = prove_partition(engine, request, resident, &witness, k, proof, err);
        if (st == CUZK_OK)
            st = sink->f(sink->ctx, k, proof, err);
    }
    engine_stage_end(engine);
    packed_witness_done(&witness);
    if (st == CUZK_OK)
        refuse_memory_when_asked();
    return st;
}

/* ---- a card that is not there ---- */

static void describe(const struct backend *backend, struct note_hello *ret)
{
    const char *bytes = getenv("FAST_WORKER_CARD_MEMORY");

    (void)backend;
    for (unsigned long i = strtoul(card, NULL, 10); bytes && i > 0; i--) {
        bytes = strchr(bytes, ',');
        bytes += bytes ? 1 : 0;
    }
    snprintf(ret->device, sizeof ret->device, "made-up card");
    ret->device_total = bytes ? strtoull(bytes, NULL, 10) : (uint64_t)1 << 40;
    ret->device_room = ret->device_free = ret->device_total;
}

static const struct backend *card_backend(void)
{
    static struct backend made_up;

    made_up = made_up_card();
    return &made_up;
}

static int run_worker(int argc, char **argv)
{
    struct worker_options options;

    if (argc == 3 && strcmp(argv[2], "cards") == 0) {
        printf("%s\n", getenv("FAST_WORKER_CARDS") ? getenv("FAST_WORKER_CARDS")
                                                   : "0 nobody has made one up");
        return 0;
    }
    if (!worker_options_parse(&options, argv + 2, argc - 2))
        return CUZK_USAGE;
    options.prove = prove;
    if (trapdoor_from_label(&trapdoor, &curve_bls12_381, getenv("FAST_WORKER_LABEL"), NULL) != CUZK_OK)
        return CUZK_NO_MEMORY;
    card = options.card;
    if (card[0] && getenv("FAST_WORKER_CARD_DEAD"))
        return CUZK_DEVICE;
    options.backend = "cpu";
    options.describe = describe;
    options.card_backend = card_backend();
    return worker_run(&options);
}

/* Its workers run as this program. */
static int run_daemon(const char *file)
{
    static struct config config; /* large */
    const struct daemon_arguments arguments = {.file = file};
    struct cuzk_error err = {0};

    if (daemon_configure(&config, &arguments, NULL, &err) == CUZK_OK &&
        daemon_run(&config, &arguments, &err) == CUZK_OK)
        return 0;
    fprintf(stderr, "fast_cuzk: %s\n", err.message);
    return (int)err.status;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "daemon") == 0)
        return run_daemon(argv[3]);
    if (argc > 2 && strcmp(argv[1], "worker") == 0)
        return run_worker(argc, argv);
    fputs("fast_cuzk daemon -c FILE\n", stderr);
    return CUZK_USAGE;
}
