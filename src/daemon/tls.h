/* TLS for gRPC by OpenSSL: 1.2 or newer, ALPN "h2" and nothing else, and where a CA file is given
 * nobody gets in without a certificate of it. The process ignores SIGPIPE from the first context
 * on. */
#ifndef DAEMON_TLS_H
#define DAEMON_TLS_H

#include "base/error.h"

struct tls;

/* PEM files: the certificate with its chain, its key, and (NULL or "": any client may come) the
 * authorities of clients' certificates. The sentence names the file. */
MUST_CHECK enum cuzk_status tls_new_server(struct tls **ret, const char *certificate,
                                           const char *key, const char *client_ca,
                                           struct cuzk_error *err);
/* ca NULL: the system's authorities. certificate and key NULL: none is shown. */
MUST_CHECK enum cuzk_status tls_new_client(struct tls **ret, const char *ca,
                                           const char *certificate, const char *key,
                                           struct cuzk_error *err);
void tls_free(struct tls *tls); /* accepts NULL; connections that use it go on */

void *tls_context(struct tls *tls); /* an SSL_CTX */

#endif
