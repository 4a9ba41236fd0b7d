/* How failure travels: a status up the stack, a sentence beside it (include/cuzk/status.h). */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "cuzk/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MUST_CHECK __attribute__((warn_unused_result))

/* Writes the sentence (if err is not NULL) and returns `status`, so that a failing branch is one
 * line: return error_set(err, CUZK_BAD_INPUT, "%s: ...", path);
 * A macro, so that the compiler sees that a constant status is not CUZK_OK. */
#define error_set(err, status, ...) (error_write((err), (status), __VA_ARGS__), (status))
void error_write(struct cuzk_error *err, enum cuzk_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "<prefix>: " before the sentence already there; returns `status`, which becomes err->status
 * too. For a caller who knows the file name when the callee did not. */
enum cuzk_status error_prefix(struct cuzk_error *err, enum cuzk_status status, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));

/* Early return where there is nothing to undo. */
#define TRY(expr)                                                                                  \
    do {                                                                                           \
        enum cuzk_status try_status = (expr);                                                      \
        if (try_status != CUZK_OK)                                                                 \
            return try_status;                                                                     \
    } while (0)

/* The same with a label that undoes. */
#define TRY_GOTO(status, label, expr)                                                              \
    do {                                                                                           \
        (status) = (expr);                                                                         \
        if ((status) != CUZK_OK)                                                                   \
            goto label;                                                                            \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
