#include "support/daemon/rpc_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/reader.h"

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK) {
        fprintf(stderr, "rpc fixture: %s\n", err->message);
        abort();
    }
}

/* ---- the service ----------------------------------------------------------------------------- */

static void echo(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    (void)ctx;
    rpc_reply(call, request->message, request->n);
}

static void many(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    (void)ctx;
    for (unsigned i = 0; request->n && i < request->message[0]; i++)
        if (!rpc_send(call, request->message, request->n)) {
            rpc_finish(call, GRPC_UNAVAILABLE, "no memory");
            return;
        }
    rpc_finish(call, GRPC_OK, "that is all: 100 %");
}

static void never_leaves(void *ctx)
{
    struct rpc_fixture *f = ctx;

    f->never_now--;
    f->never_left++;
}

static void never(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct rpc_fixture *f = ctx;

    (void)request;
    f->never_now++;
    f->never_left_ms = rpc_left_ms(call);
    rpc_on_gone(call, never_leaves, f);
}

static void each(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    (void)ctx;
    if (!request->message)
        rpc_finish(call, GRPC_OK, NULL);
    else if (!rpc_send(call, request->message, request->n))
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory");
}

static void digest(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct rpc_fixture *f = ctx;
    struct hash *hash = hash_new(HASH_SHA256);
    static uint8_t bytes[1 << 16];
    uint8_t answer[40];
    ssize_t n;
    uint64_t all = 0;

    if (!hash) {
        close(request->fd);
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory");
        return;
    }
    while ((n = pread(request->fd, bytes, sizeof bytes, (off_t)all)) > 0) {
        if (all == 0 && f->n_order < sizeof f->order - 1)
            f->order[f->n_order++] = (char)bytes[0];
        hash_update(hash, bytes, (size_t)n);
        all += (uint64_t)n;
    }
    close(request->fd);
    store_u64_le(answer, all == request->n ? all : UINT64_MAX);
    hash_final(hash, answer + 8);
    hash_free(hash);
    rpc_reply(call, answer, sizeof answer);
}

static unsigned urgency(const uint8_t *head, size_t n)
{
    return n > 1 && head[1] == 'u' ? 0 : 3;
}

static const struct rpc_method methods[] = {
    {"/test.Test/Echo", RPC_SMALL, echo, NULL},          {"/test.Test/Many", RPC_SMALL, many, NULL},
    {"/test.Test/Never", RPC_SMALL, never, NULL},        {"/test.Test/Each", RPC_EACH, each, NULL},
    {"/test.Test/Digest", RPC_SPOOLED, digest, urgency},
};

/* ---- its spool ------------------------------------------------------------------------------- */

static enum cuzk_status open_spool(void *ctx, int *ret_fd, struct cuzk_error *err)
{
    struct rpc_fixture *f = ctx;

    if (f->spool_fails)
        return error_set(err, CUZK_IO, "the spool is closed today");
    *ret_fd = open(CUZK_BINARY_DIR, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return *ret_fd >= 0 ? CUZK_OK : error_set(err, CUZK_IO, "no spool file");
}

static bool room(void *ctx, uint64_t bytes, const char **why)
{
    struct rpc_fixture *f = ctx;

    *why = "there is no room";
    return bytes <= f->room;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *run(void *arg)
{
    struct rpc_fixture *f = arg;

    loop_run(f->loop);
    return NULL;
}

static void go_on(void *ctx)
{
    listener_go_on(ctx);
}

void rpc_fixture_start(struct rpc_fixture *f, const struct address *address,
                       const struct rpc_options *options, struct tls *tls)
{
    static unsigned n_started;
    struct rpc_options all = options ? *options : (struct rpc_options){0};
    struct listener_options listen = {.tls = tls};
    struct cuzk_error err;

    memset(f, 0, sizeof *f);
    f->room = UINT64_MAX;
    budget_init(&f->budget, 0);
    all.max_message = all.max_message ? all.max_message : 256 << 20;
    all.max_connections = all.max_connections ? all.max_connections : 64;
    all.max_streams = all.max_streams ? all.max_streams : 32;
    all.open_spool = open_spool;
    all.room = room;
    all.spool_ctx = f;
    all.budget = &f->budget;
    must(loop_new(&f->loop, &err), &err);
    must(rpc_new(&f->rpc, f->loop, &all, &err), &err);
    f->service = (struct rpc_service){.name = "test.Test",
                                      .methods = methods,
                                      .n_methods = sizeof methods / sizeof methods[0],
                                      .ctx = f};
    rpc_serve(f->rpc, &f->service);
    f->address.is_unix = true;
    snprintf(f->address.path, sizeof f->address.path, "/tmp/cuzk-rpc-%d-%u/socket", (int)getpid(),
             n_started++);
    if (address)
        f->address = *address;
    must(listener_open(&f->listener, f->loop, f->rpc, &f->address, &listen, &err), &err);
    if (!f->address.is_unix)
        f->address.port = listener_port(f->listener);
    rpc_on_may_accept(f->rpc, go_on, f->listener);
    if (pthread_create(&f->thread, NULL, run, f) != 0)
        abort();
}

void rpc_fixture_stop(struct rpc_fixture *f)
{
    loop_stop(f->loop);
    pthread_join(f->thread, NULL);
    listener_close(f->listener);
    rpc_free(f->rpc);
    loop_free(f->loop);
    if (f->address.is_unix) {
        *strrchr(f->address.path, '/') = 0;
        rmdir(f->address.path);
    }
}

/* ---- looking in ------------------------------------------------------------------------------ */

struct deed {
    struct rpc_fixture *f;
    void (*what)(struct rpc_fixture *f);
    uint64_t room;
    struct rpc_stats stats;
    unsigned now, left;
};

static void call_deed(struct rpc_fixture *f, void (*what)(void *ctx), struct deed *deed)
{
    deed->f = f;
    if (!loop_call(f->loop, what, deed))
        abort();
}

static void set_room(void *ctx)
{
    struct deed *d = ctx;

    d->f->room = d->room;
    rpc_room_changed(d->f->rpc);
}

void rpc_fixture_set_room(struct rpc_fixture *f, uint64_t bytes)
{
    struct deed d = {.room = bytes};

    call_deed(f, set_room, &d);
}

static void look(void *ctx)
{
    struct deed *d = ctx;

    rpc_stats(d->f->rpc, &d->stats);
    d->now = d->f->never_now;
    d->left = d->f->never_left;
}

void rpc_fixture_stats(struct rpc_fixture *f, struct rpc_stats *ret)
{
    struct deed d = {0};

    call_deed(f, look, &d);
    *ret = d.stats;
}

bool rpc_fixture_wait_never(struct rpc_fixture *f, unsigned n, unsigned left)
{
    for (int i = 0; i < 5000; i++) {
        struct deed d = {0};

        call_deed(f, look, &d);
        if (d.now == n && d.left == left)
            return true;
        usleep(1000);
    }
    return false;
}

static void do_it(void *ctx)
{
    struct deed *d = ctx;

    d->what(d->f);
}

void rpc_fixture_do(struct rpc_fixture *f, void (*what)(struct rpc_fixture *f))
{
    struct deed d = {.what = what};

    call_deed(f, do_it, &d);
}
