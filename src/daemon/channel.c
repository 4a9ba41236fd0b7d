#include "daemon/channel.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/tls.h"

/* The server's certificate must be for this name or number. */
static bool expect_name(SSL *ssl, const char *name)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1)
        return true;
    return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

static enum cuzk_status start(struct channel *channel, int fd, struct tls *tls, const char *name,
                              bool server, struct cuzk_error *err)
{
    enum cuzk_status st = CUZK_OK;
    SSL *ssl;

    *channel = (struct channel){.fd = fd};
    if (!tls)
        return CUZK_OK;
    ssl = SSL_new(tls_context(tls));
    channel->ssl = ssl;
    if (!ssl || !SSL_set_fd(ssl, fd) || (name && !expect_name(ssl, name)))
        st = error_set(err, CUZK_NO_MEMORY, "no memory for a TLS connection");
    else if (server)
        SSL_set_accept_state(ssl);
    else
        SSL_set_connect_state(ssl);
    if (st != CUZK_OK)
        channel_done(channel);
    return st;
}

enum cuzk_status channel_serve(struct channel *channel, int fd, struct tls *tls,
                               struct cuzk_error *err)
{
    return start(channel, fd, tls, NULL, true, err);
}

enum cuzk_status channel_call(struct channel *channel, int fd, struct tls *tls, const char *name,
                              struct cuzk_error *err)
{
    return start(channel, fd, tls, name, false, err);
}

void channel_done(struct channel *channel)
{
    if (channel->ssl) {
        if (SSL_is_init_finished(channel->ssl) && !channel->why[0])
            (void)SSL_shutdown(channel->ssl); /* says goodbye; does not wait for the answer */
        SSL_free(channel->ssl);
    }
    if (channel->fd > 0)
        close(channel->fd);
    *channel = (struct channel){0};
}

/* What a system call said, in the channel's terms. */
static ptrdiff_t plain(struct channel *channel, ssize_t n)
{
    if (n >= 0)
        return n;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return CHANNEL_LATER;
    snprintf(channel->why, sizeof channel->why, "%s", strerror(errno));
    channel->peer_left = true;
    return CHANNEL_FAILED;
}

/* *error: what OpenSSL calls it. */
static ptrdiff_t under_tls(struct channel *channel, int n, int *error)
{
    char text[120] = "the peer broke off";

    *error = SSL_get_error(channel->ssl, n);
    switch (*error) {
    case SSL_ERROR_NONE: return n;
    case SSL_ERROR_ZERO_RETURN: return CHANNEL_END;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return CHANNEL_LATER;
    default: break;
    }
    if (ERR_peek_error())
        ERR_error_string_n(ERR_peek_error(), text, sizeof text);
    ERR_clear_error();
    snprintf(channel->why, sizeof channel->why, "TLS: %s", text);
    channel->peer_left = *error == SSL_ERROR_SYSCALL;
    return CHANNEL_FAILED;
}

static int capped(size_t n)
{
    return n > INT_MAX ? INT_MAX : (int)n;
}

ptrdiff_t channel_read(struct channel *channel, void *bytes, size_t n)
{
    ptrdiff_t got;
    int error;

    if (!channel->ssl)
        return plain(channel, recv(channel->fd, bytes, n, MSG_DONTWAIT));
    ERR_clear_error();
    got = under_tls(channel, SSL_read(channel->ssl, bytes, capped(n)), &error);
    channel->read_wants_write = error == SSL_ERROR_WANT_WRITE;
    return got;
}

ptrdiff_t channel_write(struct channel *channel, const void *bytes, size_t n)
{
    ptrdiff_t sent;
    int error;

    if (!channel->ssl)
        return plain(channel, send(channel->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL));
    ERR_clear_error();
    sent = under_tls(channel, SSL_write(channel->ssl, bytes, capped(n)), &error);
    channel->write_wants_read = error == SSL_ERROR_WANT_READ;
    if (sent != CHANNEL_END)
        return sent;
    snprintf(channel->why, sizeof channel->why, "the peer has closed");
    return CHANNEL_FAILED;
}
