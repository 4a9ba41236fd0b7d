/* Where a socket listens: `unix://PATH` or `HOST:PORT`, as in the configuration. HOST is a number
 * (IPv6 in brackets), a name, or empty for every interface. */
#ifndef DAEMON_ADDRESS_H
#define DAEMON_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct address {
    bool is_unix;
    char path[108]; /* of a unix socket; absolute */
    char host[256]; /* without brackets; "" = every interface */
    uint16_t port;  /* 0: any free one */
};

/* The sentence says what is wrong with `text`. `http://HOST:PORT` is HOST:PORT, as the original's
 * tools write it. */
MUST_CHECK enum cuzk_status address_parse(struct address *address, const char *text,
                                          struct cuzk_error *err);

/* The way back; `text` has ADDRESS_TEXT bytes. */
#define ADDRESS_TEXT 272
void address_text(char text[ADDRESS_TEXT], const struct address *address);

/* Only this machine can reach it: a unix socket, 127.0.0.0/8, ::1 or "localhost". */
bool address_is_local(const struct address *address);

#endif
