/* How many cards there are. The daemon itself never opens one: a process of its own is asked
 * (`PROGRAM worker cards`), which says a number, and why if it is none, and ends. */
#ifndef DAEMON_CARDS_H
#define DAEMON_CARDS_H

#include "base/error.h"

enum { CARDS_WHY = 128 };

/* Waits for the answer, at most a minute. program NULL: this one. At most CARDS_MAX are told; `why`
 * is a sentence when there are none, or "". */
MUST_CHECK enum cuzk_status cards_count(unsigned *ret, char why[CARDS_WHY], const char *program,
                                        struct cuzk_error *err);

#endif
