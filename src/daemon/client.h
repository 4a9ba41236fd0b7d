/* A gRPC client for the command line and the benchmark: one connection, one call at a time, waiting
 * for the answer. Threads that want calls at once open a client each. */
#ifndef DAEMON_CLIENT_H
#define DAEMON_CLIENT_H

#include "base/error.h"
#include "daemon/address.h"
#include "daemon/grpc.h"

struct client;
struct tls;

/* tls NULL: plain (always for a unix socket). The sentence names the address. */
MUST_CHECK enum cuzk_status client_open(struct client **ret, const struct address *address,
                                        struct tls *tls, struct cuzk_error *err);
void client_close(struct client *client); /* accepts NULL */

/* A stretch of the message: bytes in memory, or of a file from its beginning. */
struct client_part {
    const void *bytes; /* NULL: of fd */
    int fd;
    uint64_t n;
};

struct client_request {
    const char *method; /* "/cuzk.v1.ProvingEngine/Prove" */
    const struct client_part *parts;
    size_t n_parts;
    uint64_t timeout; /* nanoseconds, told to the server; 0: none */
};

struct client_answer {
    enum grpc_code code;
    char sentence[512]; /* of the server, made printable; "" if it said none */
};

/* A message of the answer. False: enough, the rest is not wanted (the code is then GRPC_CANCELLED).
 */
typedef bool client_message_fn(void *ctx, const uint8_t *message, size_t n);

/* CUZK_OK: there is an answer, whatever its code. Otherwise the connection is of no use any more:
 * CUZK_IO with the reason. Messages of an answer may have CLIENT_MESSAGE_MAX bytes. */
enum { CLIENT_MESSAGE_MAX = 16 << 20 };
MUST_CHECK enum cuzk_status client_call(struct client *client, const struct client_request *request,
                                        client_message_fn *f, void *ctx,
                                        struct client_answer *answer, struct cuzk_error *err);

#endif
