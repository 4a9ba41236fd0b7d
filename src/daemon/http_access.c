#include "daemon/http_access.h"

#include <gnutls/gnutls.h>
#include <openssl/crypto.h>
#include <string.h>

#include "base/file.h"
#include "daemon/http_exchange.h"

/* ---- the token ------------------------------------------------------------------------------- */

static enum cuzk_status read_token(char ret[HTTP_TOKEN_MAX], const char *path,
                                   struct cuzk_error *err)
{
    struct file_map map = {0};
    enum cuzk_status st = CUZK_OK;
    size_t n;

    memset(ret, 0, HTTP_TOKEN_MAX);
    if (!path[0])
        return CUZK_OK;
    TRY(file_map(&map, path, err));
    n = map.bytes;
    while (n > 0 && map.data[n - 1] <= ' ')
        n--;
    if (n < 16 || n >= HTTP_TOKEN_MAX || memchr(map.data, 0, n))
        st = error_set(err, CUZK_BAD_INPUT, "%s: a token has 16 to %d characters, found %zu", path,
                       HTTP_TOKEN_MAX - 1, n);
    else
        memcpy(ret, map.data, n);
    file_unmap(&map);
    return st;
}

enum cuzk_status http_access_open(struct http_access *access, const struct config_daemon *config,
                                  struct cuzk_error *err)
{
    access->config = config;
    pthread_mutex_init(&access->lock, NULL);
    return read_token(access->token, config->token_file, err);
}

enum cuzk_status http_access_reload(struct http_access *access, struct cuzk_error *err)
{
    char token[HTTP_TOKEN_MAX];

    TRY(read_token(token, access->config->token_file, err));
    pthread_mutex_lock(&access->lock);
    memcpy(access->token, token, sizeof token);
    pthread_mutex_unlock(&access->lock);
    mem_wipe(token, sizeof token);
    return CUZK_OK;
}

void http_access_close(struct http_access *access)
{
    pthread_mutex_destroy(&access->lock);
}

static bool token_matches(const struct exchange *x)
{
    static const char scheme[] = "Bearer ";
    const char *given = exchange_header(x, MHD_HTTP_HEADER_AUTHORIZATION);
    struct http_access *access = &x->http->access;
    bool matches;
    size_t n;

    pthread_mutex_lock(&access->lock);
    n = strlen(access->token);
    matches = given && strncmp(given, scheme, sizeof scheme - 1) == 0 &&
              strlen(given) == n + sizeof scheme - 1 &&
              CRYPTO_memcmp(given + sizeof scheme - 1, access->token, n) == 0;
    pthread_mutex_unlock(&access->lock);
    return matches;
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* NULL: the connection is plain. */
static gnutls_session_t tls_session(const struct exchange *x)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    return info ? (gnutls_session_t)info->tls_session : NULL;
}

/* The client has shown a certificate of daemon.tls_client_ca, and that it has its key. */
static bool certificate_matches(gnutls_session_t session)
{
    unsigned faults = 0;

    return gnutls_certificate_verify_peers2(session, &faults) == GNUTLS_E_SUCCESS && faults == 0;
}

/* ---- who is let in --------------------------------------------------------------------------- */

bool http_access_check(struct exchange *x)
{
    const struct config_daemon *c = x->http->access.config;
    const gnutls_session_t session = c->tls_client_ca[0] ? tls_session(x) : NULL;

    if ((!session && !c->token_file[0]) || (session && certificate_matches(session)) ||
        (c->token_file[0] && token_matches(x)))
        return true;
    answer_error(x, MHD_HTTP_UNAUTHORIZED, "expected %s%s%s",
                 session ? "a certificate of daemon.tls_client_ca" : "",
                 session && c->token_file[0] ? ", or " : "",
                 c->token_file[0] ? "Authorization: Bearer and the token" : "");
    return false;
}

bool http_origin_is_ours(const struct exchange *x)
{
    const char *origin = exchange_header(x, "Origin"), *host = exchange_header(x, "Host");
    const char *after = origin ? strstr(origin, "://") : NULL;

    return !origin || (after && host && strcmp(after + 3, host) == 0);
}
