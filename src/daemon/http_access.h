/* Who is let in at the HTTP port: by the bearer token of a file, by a certificate of the clients'
 * authorities where TLS is spoken, and a browser only for a page of ours.
 *
 *     asked for \ shown           nothing     token       certificate
 *     nothing                       in          in          in
 *     token                         401         in          401
 *     certificates, over TLS        401         401         in
 *     both, over TLS                401         in          in
 *
 * The token is compared without telling by its time how much of it was right, on the threads of
 * libmicrohttpd; reading it again is the loop's. */
#ifndef DAEMON_HTTP_ACCESS_H
#define DAEMON_HTTP_ACCESS_H

#include <pthread.h>

#include "daemon/config.h"

struct exchange;

enum { HTTP_TOKEN_MAX = 256 };

struct http_access {
    const struct config_daemon *config;
    pthread_mutex_t lock; /* of the token */
    char token[HTTP_TOKEN_MAX];
};

/* `config` is borrowed. To be closed also after a failure. */
MUST_CHECK enum cuzk_status http_access_open(struct http_access *access,
                                             const struct config_daemon *config,
                                             struct cuzk_error *err);
/* The token file again; on failure the token stays. */
MUST_CHECK enum cuzk_status http_access_reload(struct http_access *access, struct cuzk_error *err);
void http_access_close(struct http_access *access);

/* Is this client let in, by its certificate or by the token, where one of them is asked for? If not
 * it is answered: 401 and what was expected. */
bool http_access_check(struct exchange *x);
/* Browsers name the page that a request comes from; its host must be the one that was asked. */
bool http_origin_is_ours(const struct exchange *x);

#endif
