#include "daemon/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static enum cuzk_status parse_unix(struct address *address, const char *text, const char *path,
                                   struct cuzk_error *err)
{
    if (path[0] != '/')
        return error_set(err, CUZK_BAD_INPUT, "'%s': expected unix:// and an absolute path", text);
    if (strlen(path) >= sizeof address->path)
        return error_set(err, CUZK_BAD_INPUT,
                         "'%s': the path of a unix socket has at most %zu bytes", text,
                         sizeof address->path - 1);
    *address = (struct address){.is_unix = true};
    memcpy(address->path, path, strlen(path) + 1);
    return CUZK_OK;
}

static bool parse_port(const char *text, uint16_t *ret)
{
    unsigned value = 0;

    if (strlen(text) < 1 || strlen(text) > 5 || strspn(text, "0123456789") != strlen(text))
        return false;
    for (; *text; text++)
        value = value * 10 + (unsigned)(*text - '0');
    *ret = (uint16_t)value;
    return value <= UINT16_MAX;
}

enum cuzk_status address_parse(struct address *address, const char *text, struct cuzk_error *err)
{
    const char *host = strncmp(text, "http://", 7) == 0 ? text + 7 : text;
    const char *colon = strrchr(host, ':');
    struct address parsed = {0};
    size_t n;

    if (strncmp(text, "unix://", 7) == 0)
        return parse_unix(address, text, text + 7, err);
    if (!colon || !parse_port(colon + 1, &parsed.port))
        return error_set(err, CUZK_BAD_INPUT, "'%s': expected unix://PATH or HOST:PORT", text);
    n = (size_t)(colon - host);
    if (host[0] == '[' && n >= 2 && host[n - 1] == ']') {
        host++;
        n -= 2;
    } else if (memchr(host, ':', n) || memchr(host, '/', n))
        return error_set(err, CUZK_BAD_INPUT, "'%s': expected unix://PATH or HOST:PORT%s", text,
                         memchr(host, ':', n) ? " (IPv6 in brackets)" : "");
    if (n >= sizeof parsed.host)
        return error_set(err, CUZK_BAD_INPUT, "'%.40s...': the host name is too long", text);
    memcpy(parsed.host, host, n);
    *address = parsed;
    return CUZK_OK;
}

void address_text(char text[ADDRESS_TEXT], const struct address *address)
{
    if (address->is_unix)
        snprintf(text, ADDRESS_TEXT, "unix://%s", address->path);
    else
        snprintf(text, ADDRESS_TEXT, strchr(address->host, ':') ? "[%s]:%u" : "%s:%u",
                 address->host, address->port);
}

bool address_is_local(const struct address *address)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (address->is_unix || strcmp(address->host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, address->host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address->host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}
