#include "daemon/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdbool.h>

static const unsigned char alpn_h2[] = {2, 'h', '2'};

/* struct tls is an SSL_CTX under our name. */
void *tls_context(struct tls *tls)
{
    return tls;
}

void tls_free(struct tls *tls)
{
    SSL_CTX_free((SSL_CTX *)tls);
}

/* A client that offers no h2 is told so by an alert: it could not talk to us anyway. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *n_out,
                           const unsigned char *offered, unsigned n_offered, void *ctx)
{
    unsigned char *chosen;

    (void)ssl;
    (void)ctx;
    if (SSL_select_next_proto(&chosen, n_out, alpn_h2, sizeof alpn_h2, offered, n_offered) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static enum cuzk_status file_error(const char *what, const char *path, struct cuzk_error *err)
{
    char text[160];

    ERR_error_string_n(ERR_peek_last_error(), text, sizeof text);
    ERR_clear_error();
    return error_set(err, CUZK_BAD_INPUT, "%s: not a usable %s: %s", path, what, text);
}

/* A key with a passphrase would have OpenSSL ask on the terminal. */
static int no_passphrase(char *out, int n, int writing, void *ctx)
{
    (void)out;
    (void)n;
    (void)writing;
    (void)ctx;
    return 0;
}

static enum cuzk_status context_new(SSL_CTX **ret, const SSL_METHOD *method,
                                    const char *certificate, const char *key,
                                    struct cuzk_error *err)
{
    SSL_CTX *context = SSL_CTX_new(method);
    enum cuzk_status st = CUZK_OK;

    if (!context)
        return error_set(err, CUZK_NO_MEMORY, "no memory for TLS");
    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes to sockets whose peer has gone */
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    if (certificate && SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
        st = file_error("certificate", certificate, err);
    else if (key && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
        st = file_error("private key", key, err);
    else if (key && SSL_CTX_check_private_key(context) != 1)
        st = file_error("private key of the certificate", key, err);
    if (st == CUZK_OK)
        *ret = context;
    else
        SSL_CTX_free(context);
    return st;
}

enum cuzk_status tls_new_server(struct tls **ret, const char *certificate, const char *key,
                                const char *client_ca, struct cuzk_error *err)
{
    SSL_CTX *context;

    TRY(context_new(&context, TLS_server_method(), certificate, key, err));
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    /* Tickets and sessions would let a certificate outlive its authority's replacement. */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    if (client_ca && *client_ca) {
        STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(client_ca);

        if (!names || SSL_CTX_load_verify_file(context, client_ca) != 1) {
            enum cuzk_status st = file_error("file of authorities", client_ca, err);

            sk_X509_NAME_pop_free(names, X509_NAME_free);
            SSL_CTX_free(context);
            return st;
        }
        SSL_CTX_set_client_CA_list(context, names);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    *ret = (struct tls *)context;
    return CUZK_OK;
}

enum cuzk_status tls_new_client(struct tls **ret, const char *ca, const char *certificate,
                                const char *key, struct cuzk_error *err)
{
    SSL_CTX *context;
    bool trusted;

    TRY(context_new(&context, TLS_client_method(), certificate, key, err));
    trusted = ca ? SSL_CTX_load_verify_file(context, ca) == 1
                 : SSL_CTX_set_default_verify_paths(context) == 1;
    if (!trusted || SSL_CTX_set_alpn_protos(context, alpn_h2, sizeof alpn_h2) != 0) {
        enum cuzk_status st = file_error("file of authorities", ca ? ca : "the system's", err);

        SSL_CTX_free(context);
        return st;
    }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    *ret = (struct tls *)context;
    return CUZK_OK;
}
