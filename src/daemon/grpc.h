/* What gRPC adds to HTTP/2: status codes, the frame of a message, the text forms of a timeout and
 * of a sentence. From the gRPC project's PROTOCOL-HTTP2. */
#ifndef DAEMON_GRPC_H
#define DAEMON_GRPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum grpc_code {
    GRPC_OK = 0,
    GRPC_CANCELLED = 1,
    GRPC_UNKNOWN = 2,
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_DEADLINE_EXCEEDED = 4,
    GRPC_NOT_FOUND = 5,
    GRPC_ALREADY_EXISTS = 6,
    GRPC_PERMISSION_DENIED = 7,
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_FAILED_PRECONDITION = 9,
    GRPC_ABORTED = 10,
    GRPC_OUT_OF_RANGE = 11,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_INTERNAL = 13,
    GRPC_UNAVAILABLE = 14,
    GRPC_DATA_LOSS = 15,
    GRPC_UNAUTHENTICATED = 16,
    GRPC_N_CODES,
};

/* "INVALID_ARGUMENT"; "?" for a number that is no code. */
const char *grpc_code_name(unsigned code);

/* A message on the wire: a byte that says whether it is compressed, its length, the message. */
enum { GRPC_PREFIX = 5 };
void grpc_prefix_write(uint8_t prefix[GRPC_PREFIX], uint32_t n);

#define GRPC_NO_TIMEOUT UINT64_MAX
/* The header grpc-timeout ("20m", "1S", "1800000m") in nanoseconds; what is longer than five
 * hundred years is no timeout. False: it is none of that form. */
bool grpc_timeout_parse(uint64_t *nanoseconds, const char *text);
/* For at least that long; `text` has GRPC_TIMEOUT_TEXT bytes. */
enum { GRPC_TIMEOUT_TEXT = 10 };
void grpc_timeout_write(char text[GRPC_TIMEOUT_TEXT], uint64_t nanoseconds);

/* The header grpc-message: printable ASCII, the rest as %XX. Cuts what does not fit, between
 * characters; returns the length. */
size_t grpc_message_encode(char *text, size_t size, const char *sentence);
void grpc_message_decode(char *sentence, size_t size, const char *text, size_t n);

#endif
