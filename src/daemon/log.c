#include "daemon/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

static atomic_int current_level = LOG_LEVEL_INFO;
static atomic_int current_format = LOG_FORMAT_TEXT;
static atomic_int descriptor = STDERR_FILENO;
static atomic_bool to_journal;

/* $JOURNAL_STREAM names the socket that systemd made our stderr. */
static bool stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat st;
    unsigned long long device, inode;

    return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
           fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void log_start(enum log_level level, enum log_format format)
{
    atomic_store(&current_level, (int)level);
    atomic_store(&current_format, (int)format);
    atomic_store(&to_journal, atomic_load(&descriptor) == STDERR_FILENO && stderr_is_journal());
}

void log_to(int fd)
{
    atomic_store(&descriptor, fd);
    atomic_store(&to_journal, false);
}

bool log_wants(enum log_level level)
{
    return (int)level <= atomic_load(&current_level);
}

const char *log_number(char text[LOG_NUMBER], uint64_t value)
{
    snprintf(text, LOG_NUMBER, "%lu", (unsigned long)value);
    return text;
}

/* ---- one line -------------------------------------------------------------------------------- */

struct line {
    size_t n;
    char text[LOG_LINE_MAX];
};

/* Keeps two bytes for what must end a line. */
static void put(struct line *line, const char *text)
{
    size_t n = strlen(text), room = sizeof line->text - 2 - line->n;

    n = n < room ? n : room;
    memcpy(line->text + line->n, text, n);
    line->n += n;
}

/* Between quotes, with JSON's escapes; bytes above 0x7e are escaped too, whatever they mean. A
 * value that no longer fits is cut before an escape, never inside one. */
static void put_quoted(struct line *line, const char *text)
{
    char escape[8];

    put(line, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            snprintf(escape, sizeof escape, "\\%c", *p);
        else if (*p < 0x20 || *p > 0x7e)
            snprintf(escape, sizeof escape, "\\u%04x", *p);
        else
            snprintf(escape, sizeof escape, "%c", *p);
        if (line->n + sizeof escape > sizeof line->text - 3)
            break;
        put(line, escape);
    }
    put(line, "\"");
}

static bool is_plain(const char *text)
{
    for (const char *p = text; *p; p++)
        if (*p <= ' ' || *p > '~' || *p == '"' || *p == '=' || *p == '\\')
            return false;
    return true;
}

static void put_field(struct line *line, bool json, const char *name, const char *value)
{
    if (json) {
        put(line, line->n == 0 ? "{" : ",");
        put_quoted(line, name);
        put(line, ":");
        put_quoted(line, value);
        return;
    }
    put(line, line->n == 0 ? "" : " ");
    put(line, name);
    put(line, "=");
    if (is_plain(value))
        put(line, value);
    else
        put_quoted(line, value);
}

static void timestamp(char text[40])
{
    struct timespec now;
    struct tm tm;
    size_t n;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    n = strftime(text, 40, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + n, 40 - n, ".%03uZ", (unsigned)(now.tv_nsec / 1000000) % 1000);
}

static const char *level_name(enum log_level level)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};

    return names[level];
}

static void write_line(enum log_level level, const char *message, va_list args)
{
    bool json = atomic_load(&current_format) == LOG_FORMAT_JSON;
    struct line line = {.n = 0};
    const char *name, *value;
    char now[40];

    timestamp(now);
    put_field(&line, json, "ts", now);
    put_field(&line, json, "level", level_name(level));
    put_field(&line, json, "msg", message);
    while ((name = va_arg(args, const char *)) != NULL) {
        value = va_arg(args, const char *);
        if (value && value[0] && line.n + strlen(name) + 8 < sizeof line.text - 3)
            put_field(&line, json, name, value);
    }
    if (json)
        line.text[line.n++] = '}';
    line.text[line.n++] = '\n';
    (void)!write(atomic_load(&descriptor), line.text, line.n);
}

/* ---- the journal ----------------------------------------------------------------------------- */

enum { FIELDS_MAX = 16 };

/* MESSAGE is the line without time and level; each field is CUZK_<NAME> as well. */
static void write_journal(enum log_level level, const char *message, va_list args)
{
    static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
    struct line line = {.n = 0};
    char fields[FIELDS_MAX][600], priority[16];
    struct iovec parts[FIELDS_MAX + 2];
    int n = 2;
    const char *name, *value;

    put(&line, "MESSAGE=");
    put(&line, message);
    while ((name = va_arg(args, const char *)) != NULL) {
        value = va_arg(args, const char *);
        if (!value || !value[0])
            continue;
        put_field(&line, false, name, value);
        if (n < FIELDS_MAX + 2) {
            char *field = fields[n - 2];

            snprintf(field, sizeof fields[0], "CUZK_%.40s=%.540s", name, value);
            for (char *p = field; *p != '='; p++)
                if (*p >= 'a' && *p <= 'z')
                    *p = (char)(*p - 'a' + 'A');
            parts[n++] = (struct iovec){field, strlen(field)};
        }
    }
    snprintf(priority, sizeof priority, "PRIORITY=%d", priorities[level]);
    parts[0] = (struct iovec){line.text, line.n};
    parts[1] = (struct iovec){priority, strlen(priority)};
    (void)sd_journal_sendv(parts, n);
}

/* ---- not too many ---------------------------------------------------------------------------- */

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;

/* Is this line one of the first in its second? *ret_left_out: how many of the second before were
 * not. */
static bool count_line(unsigned long *ret_left_out)
{
    static time_t second;
    static unsigned long in_second, left_out;
    struct timespec now;
    bool wanted;

    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&count_lock);
    *ret_left_out = 0;
    if (now.tv_sec != second) {
        *ret_left_out = left_out;
        second = now.tv_sec;
        in_second = left_out = 0;
    }
    wanted = in_second < LOG_LINES_PER_SECOND;
    in_second += wanted;
    left_out += !wanted;
    pthread_mutex_unlock(&count_lock);
    return wanted;
}

static void dispatch(enum log_level level, const char *message, va_list args)
{
    if (atomic_load(&to_journal))
        write_journal(level, message, args);
    else
        write_line(level, message, args);
}

static void tell_left_out(const char *message, ...) __attribute__((sentinel));
static void tell_left_out(const char *message, ...)
{
    va_list args;

    va_start(args, message);
    dispatch(LOG_LEVEL_WARN, message, args);
    va_end(args);
}

void log_line(enum log_level level, const char *message, ...)
{
    unsigned long left_out;
    char number[LOG_NUMBER];
    va_list args;

    if (!log_wants(level) || !count_line(&left_out))
        return;
    if (left_out)
        tell_left_out("lines were left out", "lines", log_number(number, left_out), NULL);
    va_start(args, message);
    dispatch(level, message, args);
    va_end(args);
}
