/* An rpc server on a thread of its own, with a service that shows what reached its handlers:
 *
 *     /test.Test/Echo      RPC_SMALL    answers with the request
 *     /test.Test/Many      RPC_SMALL    answers with the request, as often as its first byte says
 *     /test.Test/Never     RPC_SMALL    does not answer; counts those that are there, and those
 *                                       that left
 *     /test.Test/Each      RPC_EACH     answers each message with itself
 *     /test.Test/Digest    RPC_SPOOLED  answers with the length (8 bytes, little-endian) and the
 *                                       SHA-256 of the file; a message whose second byte is 'u' is
 *                                       urgent */
#ifndef SUPPORT_DAEMON_RPC_FIXTURE_H
#define SUPPORT_DAEMON_RPC_FIXTURE_H

#include <pthread.h>

#include "base/mem.h"
#include "daemon/listener.h"
#include "daemon/loop.h"
#include "daemon/rpc.h"
#include "daemon/tls.h"

struct rpc_fixture {
    struct loop *loop;
    struct rpc *rpc;
    struct listener *listener;
    struct address address;
    struct tls *tls;
    struct budget budget;
    pthread_t thread;
    struct rpc_service service;

    /* looked at and set through rpc_fixture_set_room and rpc_fixture_stats */
    uint64_t room;      /* bytes that may be granted at once */
    unsigned never_now; /* calls of Never that are not over */
    unsigned never_left;
    uint64_t never_left_ms; /* what the last of them was told of its deadline */
    bool spool_fails;
    char order[64]; /* first bytes of the Digest messages, as they were delivered */
    unsigned n_order;
};

/* address NULL: a unix socket with a fresh name. options: what is zero is filled in. */
void rpc_fixture_start(struct rpc_fixture *f, const struct address *address,
                       const struct rpc_options *options, struct tls *tls);
void rpc_fixture_stop(struct rpc_fixture *f);

void rpc_fixture_set_room(struct rpc_fixture *f, uint64_t room);
void rpc_fixture_stats(struct rpc_fixture *f, struct rpc_stats *ret);
/* Waits until `n` calls of Never are there (and all of what is `left` have gone); at most 5 s. */
bool rpc_fixture_wait_never(struct rpc_fixture *f, unsigned n, unsigned left);
/* Runs on the server's thread. */
void rpc_fixture_do(struct rpc_fixture *f, void (*what)(struct rpc_fixture *f));

#endif
