/* What the daemon tells its operator: lines on stderr, as logfmt or JSON, or entries of the systemd
 * journal with their fields when systemd has connected stderr to it.
 *
 *     log_info("job accepted", "job", id, "circuit", "porep-32GiB", NULL);
 *     ts=2026-11-30T16:47:35.123Z level=info msg="job accepted" job=p-1~5a0f3c11 circuit=porep-32GiB
 *
 * The message is a fixed text of ours; what comes from elsewhere goes into fields, where it is
 * quoted: nothing that a client sends can begin a line or end one. Any thread. One process, one
 * log: the level and the form are its only state. At most LOG_LINES_PER_SECOND are written; the
 * next second tells how many were left out. */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include "daemon/config.h"

enum { LOG_LINES_PER_SECOND = 500, LOG_LINE_MAX = 4096 };

/* May be called again (reload). Before the first call: info, text. */
void log_start(enum log_level level, enum log_format format);
bool log_wants(enum log_level level);

/* Pairs of name (lower case) and value, NULL at the end. A NULL value leaves its field out; an
 * empty one too. */
void log_line(enum log_level level, const char *message, ...) __attribute__((sentinel));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* A number as the value of a field, in `text`. */
#define LOG_NUMBER 24
const char *log_number(char text[LOG_NUMBER], uint64_t value);

/* For tests: lines go to this descriptor, never to the journal. */
void log_to(int fd);

#endif
