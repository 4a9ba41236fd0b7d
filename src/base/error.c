#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cuzk_status_name(enum cuzk_status status)
{
    switch (status) {
    case CUZK_OK: return "ok";
    case CUZK_INVALID: return "invalid";
    case CUZK_USAGE: return "wrong usage";
    case CUZK_BAD_INPUT: return "bad input";
    case CUZK_NO_MEMORY: return "does not fit in memory";
    case CUZK_DEVICE: return "device failed";
    case CUZK_IO: return "input/output failed";
    case CUZK_CANCELLED: return "cancelled";
    case CUZK_INTERNAL: return "internal error";
    }
    return "unknown status";
}

/* One line only: whatever bytes a hostile file put into a name cannot break a log. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

void error_write(struct cuzk_error *err, enum cuzk_status status, const char *format, ...)
{
    if (err) {
        va_list args;

        va_start(args, format);
        err->status = status;
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
        make_printable(err->message);
    }
}

enum cuzk_status error_prefix(struct cuzk_error *err, enum cuzk_status status, const char *format,
                              ...)
{
    if (err) {
        char old[sizeof err->message];
        size_t used;
        va_list args;

        memcpy(old, err->message, sizeof old);
        old[sizeof old - 1] = 0;
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
        used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, ": %s", old);
        make_printable(err->message);
        err->status = status;
    }
    return status;
}
