/* Two threads:
 *
 *     control   reads orders; cancel, pause and resume take effect at once, the others go on a list
 *     main      takes the list's orders one by one and runs them on the engine
 *
 * When the socket ends the daemon is gone: there is nobody to prove for, and nothing here that the
 * journal does not have, so the process ends on the spot. */
#include "daemon/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/worker_protocol.h"

enum { ORDERS_MAX = 16 };

struct received {
    struct order order;
    int fd; /* -1: none */
};

struct resident_key {
    bool used;
    struct job_resident resident;
};

struct worker {
    const struct worker_options *options;
    struct engine engine;
    struct job_key key;
    struct resident_key keys[WORKER_KEYS_MAX];

    atomic_bool cancel;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t some;
    struct received list[ORDERS_MAX];
    unsigned first, n;
    uint32_t current;   /* number of the order that runs; 0: none */
    uint32_t cancelled; /* the last number that was cancelled */

    double seconds[N_ACCOUNTS]; /* of its stages, summed */
};

/* ---- telling --------------------------------------------------------------------------------- */

static void tell(struct worker *w, const struct note *note)
{
    while (send(w->options->socket, note, sizeof *note, MSG_NOSIGNAL) < 0)
        if (errno != EINTR && errno != ENOBUFS)
            _exit(0); /* nobody listens any more */
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), n_end = strlen(end);

    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

enum worker_account worker_account_of(const char *stage)
{
    if (strcmp(stage, "record circuit") == 0 || ends_with(stage, " key"))
        return ACCOUNT_KEY;
    return strncmp(stage, "read ", 5) == 0 || ends_with(stage, ": witness") ? ACCOUNT_SYNTHESIS
                                                                            : ACCOUNT_COMPUTE;
}

int worker_partition_of(const char *stage)
{
    static const char word[] = "partition ";
    unsigned long number;
    char *end;

    if (strncmp(stage, word, sizeof word - 1) != 0)
        return -1;
    number = strtoul(stage + sizeof word - 1, &end, 10);
    return end > stage + sizeof word - 1 && number < 65536 ? (int)number : -1;
}

static void stage_changed(void *ctx, const struct stage *stage)
{
    struct worker *w = ctx;
    struct note note = {.kind = NOTE_STAGE, .number = w->current};

    note.of.stage.stage = *stage;
    for (int c = 0; c < MEM_N_CLASSES; c++)
        note.of.stage.class_now[c] = atomic_load(&w->engine.budget.class_now[c]);
    if (stage->end != 0.0)
        w->seconds[worker_account_of(stage->name)] += stage->end - stage->begin;
    tell(w, &note);
}

/* What the largest WinningPoSt takes of a card. */
static struct card_bytes urgent_bytes(struct worker *w)
{
    struct circuit_name name;
    struct job_plan plan;

    if (circuit_name_parse(&name, "winning-64GiB", NULL) != CUZK_OK ||
        circuit_job_plan(&w->engine, name, w->options->card_backend, &plan, NULL) != CUZK_OK)
        return (struct card_bytes){0};
    return plan.card;
}

void worker_describe_card(const struct backend *backend, struct note_hello *ret)
{
    struct device_options options = {.curve = curve_find("bls12_381")};
    struct device_info info;
    struct device *device;
    size_t room;

    if (backend->memory_free(0, &room, NULL) != CUZK_OK)
        return; /* no proof will begin there, and the first says why */
    ret->device_room = room;
    if (backend->open(&device, &options, NULL) != CUZK_OK)
        return;
    backend->info(device, &info);
    backend->close(device);
    snprintf(ret->device, sizeof ret->device, "%.63s", info.name);
    ret->device_total = info.memory_total;
    ret->device_free = info.memory_free;
}

static void tell_hello(struct worker *w)
{
    struct note note = {.kind = NOTE_HELLO};
    struct note_hello *hello = &note.of.hello;

    snprintf(hello->backend, sizeof hello->backend, "%s", w->engine.backend->name);
    if (w->options->card[0]) {
        w->options->describe(w->engine.backend, hello);
        hello->device_urgent = urgent_bytes(w);
    }
    tell(w, &note);
}

static enum cuzk_status tell_partition(void *ctx, unsigned k,
                                       const uint8_t proof[PARTITION_PROOF_BYTES],
                                       struct cuzk_error *err)
{
    struct worker *w = ctx;
    struct note note = {.kind = NOTE_PARTITION, .number = w->current};

    (void)err;
    note.of.partition.k = k;
    memcpy(note.of.partition.proof, proof, PARTITION_PROOF_BYTES);
    tell(w, &note);
    return CUZK_OK;
}

/* ---- resident circuits and keys -------------------------------------------------------------- */

static struct resident_key *find_key(struct worker *w, struct circuit_name name)
{
    for (int i = 0; i < WORKER_KEYS_MAX; i++) {
        struct resident_key *k = &w->keys[i];

        if (k->used && k->resident.circuit.name.kind == name.kind &&
            k->resident.circuit.name.size == name.size)
            return k;
    }
    return NULL;
}

static uint64_t resident_now(const struct worker *w)
{
    return atomic_load(&w->engine.budget.class_now[MEM_SHAPE]) +
           atomic_load(&w->engine.budget.class_now[MEM_KEY]);
}

/* Opens it unless it is there. The daemon orders evictions; that there is a place is its business.
 */
static enum cuzk_status get_key(struct worker *w, struct circuit_name name,
                                struct resident_key **ret, struct note_end *end,
                                struct cuzk_error *err)
{
    struct resident_key *k = find_key(w, name);
    const uint64_t before = resident_now(w);

    for (int i = 0; i < WORKER_KEYS_MAX && !k; i++)
        if (!w->keys[i].used)
            k = &w->keys[i];
    if (!k)
        return error_set(err, CUZK_INTERNAL, "%d keys are loaded already", (int)WORKER_KEYS_MAX);
    if (!k->used) {
        TRY(job_resident_open(&k->resident, &w->engine, name, &w->key, err));
        k->used = true;
        end->resident_bytes = resident_now(w) - before;
    }
    end->file_bytes = k->resident.key.map.bytes;
    *ret = k;
    return CUZK_OK;
}

static void drop_key(struct resident_key *k)
{
    job_resident_close(&k->resident);
    k->used = false;
}

/* ---- orders ---------------------------------------------------------------------------------- */

static enum cuzk_status prove_payload(struct worker *w, const struct order *order,
                                      const struct payload *payload, int fd, struct note_end *end,
                                      struct cuzk_error *err)
{
    const struct job_sink sink = {.skip = order->skip, .f = tell_partition, .ctx = w};
    struct payload_input input = {0};
    struct request request = {0};
    struct resident_key *key;
    enum cuzk_status st;

    TRY_GOTO(st, out,
             payload_input_make(&input, &payload->request, fd, payload->body_bytes,
                                &w->engine.budget, err));
    TRY_GOTO(st, out, request_read(&request, &input.input, &w->engine, err));
    request.label = NULL;       /* one of the names that end here: */
    payload_input_done(&input); /* the plan does not count them */
    TRY_GOTO(st, out, get_key(w, request.name, &key, end, err));
    TRY_GOTO(st, out, w->options->prove(&w->engine, &request, &key->resident, &sink, err));
out:
    request_done(&request);
    payload_input_done(&input);
    return st;
}

static enum cuzk_status prove(struct worker *w, const struct received *r, struct note_end *end,
                              struct cuzk_error *err)
{
    struct payload payload;
    enum cuzk_status st;

    TRY(payload_read(&payload, r->fd, &w->engine.budget, err));
    region_unmap(&payload.inputs); /* they are the verifier's */
    st = prove_payload(w, &r->order, &payload, r->fd, end, err);
    payload_done(&payload);
    return st;
}

static enum cuzk_status load(struct worker *w, struct circuit_name name, struct note_end *end,
                             struct cuzk_error *err)
{
    struct resident_key *key;

    return get_key(w, name, &key, end, err);
}

static enum cuzk_status evict(struct worker *w, struct circuit_name name, struct note_end *end)
{
    struct resident_key *key = find_key(w, name);
    const uint64_t before = resident_now(w);

    if (key)
        drop_key(key);
    end->resident_bytes = before - resident_now(w);
    return CUZK_OK;
}

static enum cuzk_status obey(struct worker *w, const struct received *r, struct note_end *end,
                             struct cuzk_error *err)
{
    struct circuit_name name = {0};

    if (r->order.kind == ORDER_PROVE)
        return prove(w, r, end, err);
    TRY(circuit_name_parse(&name, r->order.circuit, err));
    if (r->order.kind == ORDER_LOAD)
        return load(w, name, end, err);
    if (r->order.kind == ORDER_EVICT)
        return evict(w, name, end);
    return circuit_job_plan(&w->engine, name, w->options->card_backend, &end->plan, err);
}

static uint64_t ms(double seconds)
{
    return (uint64_t)(seconds * 1e3 + 0.5);
}

/* Where the device works beside the host, what the host did meanwhile is no compute. */
static void tell_times(const struct worker *w, struct note_end *end)
{
    const bool beside = w->engine.backend->beside_host;

    end->key_ms = ms(w->seconds[ACCOUNT_KEY]);
    end->synthesis_ms = ms(w->seconds[ACCOUNT_SYNTHESIS]);
    end->compute_ms = ms(beside ? w->engine.device_seconds : w->seconds[ACCOUNT_COMPUTE]);
}

static void run_order(struct worker *w, const struct received *r)
{
    struct note note = {.kind = NOTE_END, .number = r->order.number};
    struct note_end *end = &note.of.end;
    struct cuzk_error err = {0};

    memset(w->seconds, 0, sizeof w->seconds);
    w->engine.budget.limit = (size_t)r->order.budget;
    w->engine.device_memory = (size_t)r->order.device;
    engine_stages_clear(&w->engine);
    end->status = obey(w, r, end, &err);
    engine_stage_end(&w->engine);
    if (end->status != CUZK_OK)
        snprintf(end->sentence, sizeof end->sentence, "%s", err.message);
    tell_times(w, end);
    if (r->fd >= 0)
        close(r->fd);
    pthread_mutex_lock(&w->lock);
    w->current = 0;
    pthread_mutex_unlock(&w->lock);
    tell(w, &note);
}

/* The next order. What was cancelled while it waited runs with the flag set, and ends at once. */
static struct received next_order(struct worker *w)
{
    struct received r;

    pthread_mutex_lock(&w->lock);
    while (w->n == 0)
        pthread_cond_wait(&w->some, &w->lock);
    r = w->list[w->first];
    w->first = (w->first + 1) % ORDERS_MAX;
    w->n--;
    w->current = r.order.number;
    atomic_store(&w->cancel, w->cancelled == r.order.number);
    pthread_mutex_unlock(&w->lock);
    return r;
}

/* ---- the control thread ---------------------------------------------------------------------- */

static void take_descriptor(struct msghdr *message, struct received *r)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            memcpy(&r->fd, CMSG_DATA(c), sizeof r->fd);
}

static void receive(struct worker *w, struct received *r)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = &r->order, .iov_len = sizeof r->order};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    ssize_t n;

    r->fd = -1;
    do
        n = recvmsg(w->options->socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof r->order)
        _exit(0);
    take_descriptor(&message, r);
}

static void enlist(struct worker *w, const struct received *r)
{
    if (w->n == ORDERS_MAX)
        _exit(70); /* the daemon sends one at a time */
    w->list[(w->first + w->n++) % ORDERS_MAX] = *r;
    pthread_cond_signal(&w->some);
}

static void cancel(struct worker *w, uint32_t number)
{
    w->cancelled = number;
    if (w->current == number)
        atomic_store(&w->cancel, true);
}

static void *control_main(void *arg)
{
    struct worker *w = arg;

    for (;;) {
        struct received r;

        receive(w, &r);
        if (r.order.kind == ORDER_PAUSE)
            engine_pause(&w->engine);
        else if (r.order.kind == ORDER_RESUME)
            engine_resume(&w->engine);
        pthread_mutex_lock(&w->lock);
        if (r.order.kind == ORDER_CANCEL)
            cancel(w, r.order.number);
        else if (r.order.kind <= ORDER_PLAN)
            enlist(w, &r);
        pthread_mutex_unlock(&w->lock);
        if (r.order.kind == ORDER_CANCEL)
            engine_resume(&w->engine);
    }
    return NULL;
}

/* ---- the process ----------------------------------------------------------------------------- */

bool worker_options_parse(struct worker_options *ret, char *const *arguments, int n)
{
    if (n != WORKER_ARGUMENTS)
        return false;
    *ret = (struct worker_options){
        .socket = (int)strtol(arguments[0], NULL, 10),
        .backend = arguments[1],
        .card = arguments[2],
        .threads = (unsigned)strtoul(arguments[3], NULL, 10),
        .witness_threads = (unsigned)strtoul(arguments[4], NULL, 10),
        .params = arguments[5],
        .allow_dev_keys = strcmp(arguments[6], "dev") == 0,
        .prove = job_prove_request,
        .describe = worker_describe_card,
        .card_backend = backend_find("cuda"),
    };
    return true;
}

void worker_visible_card(char *ret, size_t n, const char *seen, const char *card)
{
    const unsigned long place = strtoul(card, NULL, 10);

    if (!seen || strspn(card, "0123456789") != strlen(card)) {
        snprintf(ret, n, "%s", card);
        return;
    }
    for (unsigned long i = 0; i < place && seen; i++) {
        const char *comma = strchr(seen, ',');

        seen = comma ? comma + 1 : NULL;
    }
    snprintf(ret, n, "%.*s", seen ? (int)strcspn(seen, ",") : 0, seen ? seen : "");
}

/* Before there is a second thread. */
static bool see_one_card(const char *card)
{
    char visible[128];

    if (!*card)
        return true;
    worker_visible_card(visible, sizeof visible, getenv("CUDA_VISIBLE_DEVICES"), card);
    return setenv("CUDA_VISIBLE_DEVICES", visible, 1) == 0;
}

/* Each is asked for its memory until there is none of that number. */
int worker_print_cards(void)
{
    const struct backend *backend = backend_find("cuda");
    const char *why_not = backend ? backend->unavailable() : "this build has no CUDA back end";
    size_t bytes;
    int n = 0;

    while (!why_not && n < CARDS_MAX && backend->memory_free(n, &bytes, NULL) == CUZK_OK)
        n++;
    printf("%d %s\n", n, why_not ? why_not : "");
    return 0;
}

static enum cuzk_status start(struct worker *w, struct cuzk_error *err)
{
    const struct engine_options options = {.backend = w->options->backend,
                                           .threads = w->options->threads,
                                           .witness_threads = w->options->witness_threads,
                                           .cancel = &w->cancel,
                                           .stage = stage_changed,
                                           .stage_ctx = w};
    pthread_t control;

    if (!see_one_card(w->options->card))
        return error_set(err, CUZK_NO_MEMORY, "the environment has no room for the card's number");
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->some, NULL);
    TRY(engine_open(&w->engine, &options, err));
    w->key = (struct job_key){.folder = w->options->params,
                              .choice = w->options->allow_dev_keys ? KEY_ALLOW_DEV : KEY_OFFICIAL};
    if (pthread_create(&control, NULL, control_main, w) != 0)
        return error_set(err, CUZK_NO_MEMORY, "the system refused a thread");
    return CUZK_OK;
}

int worker_run(const struct worker_options *options)
{
    static struct worker w; /* one a process; its stages are large */
    struct cuzk_error err;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "cuzk worker");
    fcntl(options->socket, F_SETFD, FD_CLOEXEC);
    /* What is sent to the whole group is for the daemon, which drains, and then closes our socket.
     */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    w.options = options;
    if (start(&w, &err) != CUZK_OK) {
        fprintf(stderr, "cuzk worker: %s\n", err.message);
        return (int)err.status;
    }
    tell_hello(&w);
    for (;;) {
        const struct received r = next_order(&w);

        run_order(&w, &r);
    }
}
