/* What a reading command answers: named values, objects and lists, printed for a person or as JSON.
 *
 * A report is a list of events in writing order. Adding cannot fail visibly: a report that ran out
 * of memory says so when it is printed. */
#ifndef ENGINE_REPORT_H
#define ENGINE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"

struct report {
    struct grow events;
    bool failed;
};

void report_init(struct report *report);
void report_done(struct report *report);

/* Inside a list the key is not written. Texts are copied. */
void report_text(struct report *report, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_number(struct report *report, const char *key, uint64_t value);
void report_real(struct report *report, const char *key, double value);
void report_bool(struct report *report, const char *key, bool value);
void report_object(struct report *report, const char *key);
void report_list(struct report *report, const char *key);
void report_end(struct report *report); /* of the innermost object or list */

/* One line a value, objects indented, long numbers grouped. */
MUST_CHECK enum cuzk_status report_print_text(const struct report *report, FILE *out,
                                              struct cuzk_error *err);
MUST_CHECK enum cuzk_status report_print_json(const struct report *report, FILE *out,
                                              struct cuzk_error *err);

#endif
