#include "daemon/grpc.h"

#include <stdio.h>

#include "base/reader.h"

const char *grpc_code_name(unsigned code)
{
    static const char *const names[GRPC_N_CODES] = {
        "OK",
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    };

    return code < GRPC_N_CODES ? names[code] : "?";
}

void grpc_prefix_write(uint8_t prefix[GRPC_PREFIX], uint32_t n)
{
    prefix[0] = 0;
    store_u32_be(prefix + 1, n);
}

/* ---- timeouts -------------------------------------------------------------------------------- */

static const struct {
    char letter;
    uint64_t nanoseconds;
} units[] = {
    {'n', 1},
    {'u', 1000},
    {'m', 1000000},
    {'S', 1000000000},
    {'M', UINT64_C(60) * 1000000000},
    {'H', UINT64_C(3600) * 1000000000},
};
enum { N_UNITS = sizeof units / sizeof units[0], TIMEOUT_DIGITS = 8 };

bool grpc_timeout_parse(uint64_t *nanoseconds, const char *text)
{
    uint64_t value = 0;
    unsigned digits = 0;

    for (; text[digits] >= '0' && text[digits] <= '9'; digits++) {
        if (digits == TIMEOUT_DIGITS)
            return false;
        value = 10 * value + (uint64_t)(text[digits] - '0');
    }
    if (digits == 0 || text[digits] == 0 || text[digits + 1] != 0)
        return false;
    for (unsigned i = 0; i < N_UNITS; i++)
        if (units[i].letter == text[digits]) {
            bool fits = value < UINT64_MAX / units[i].nanoseconds;

            *nanoseconds = fits ? value * units[i].nanoseconds : GRPC_NO_TIMEOUT;
            return true;
        }
    return false;
}

void grpc_timeout_write(char text[GRPC_TIMEOUT_TEXT], uint64_t nanoseconds)
{
    unsigned i = 0;
    uint64_t value = nanoseconds;

    while (value > 99999999 && i + 1 < N_UNITS) {
        i++;
        value = nanoseconds / units[i].nanoseconds + 1;
    }
    snprintf(text, GRPC_TIMEOUT_TEXT, "%u%c", (unsigned)(value % 100000000), units[i].letter);
}

/* ---- sentences ------------------------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c <= 0x7e && c != '%';
}

size_t grpc_message_encode(char *text, size_t size, const char *sentence)
{
    size_t n = 0;

    for (; *sentence; sentence++) {
        unsigned char c = (unsigned char)*sentence;

        if (n + (is_plain(c) ? 1 : 3) >= size)
            break;
        if (is_plain(c))
            text[n++] = (char)c;
        else
            n += (size_t)snprintf(text + n, size - n, "%%%02X", c);
    }
    text[n] = 0;
    return n;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void grpc_message_decode(char *sentence, size_t size, const char *text, size_t n)
{
    size_t out = 0;

    for (size_t i = 0; i < n && out + 1 < size; i++) {
        if (text[i] == '%' && i + 2 < n && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
            sentence[out++] = (char)(16 * digit(text[i + 1]) + digit(text[i + 2]));
            i += 2;
        } else {
            sentence[out++] = text[i];
        }
    }
    sentence[out] = 0;
}
