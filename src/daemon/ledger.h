/* The budget of host memory, and who may begin next.
 *
 *     total = standing + held + free          standing: the processes themselves
 *                                             held: jobs (all that they will ever take) and keys
 *                                                   that stay resident
 *     of free, urgent_reserve is for urgent jobs only
 *
 * Reservation is all or nothing and goes down the line in its order: what stands before takes
 * first, and what it still waits for is promised to it, so that nothing behind it can have that. A
 * job that waits for a worker only promises nothing but its bytes; small ones behind it still begin
 * if there is room for both. So nobody starves, and nothing is taken twice. */
#ifndef DAEMON_LEDGER_H
#define DAEMON_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ledger {
    uint64_t total, standing, held, urgent_reserve;
};

static inline uint64_t ledger_free(const struct ledger *l)
{
    const uint64_t taken = l->standing + l->held;

    return taken < l->total ? l->total - taken : 0;
}
/* Of that, what a job may have. */
static inline uint64_t ledger_open_to(const struct ledger *l, bool urgent)
{
    const uint64_t open = ledger_free(l), kept = urgent ? 0 : l->urgent_reserve;

    return open > kept ? open - kept : 0;
}
/* The most that a job can ever have. */
static inline uint64_t ledger_most(const struct ledger *l, bool urgent)
{
    const uint64_t kept = l->standing + (urgent ? 0 : l->urgent_reserve);

    return l->total > kept ? l->total - kept : 0;
}

enum waits_for { WAITS_NOT, WAITS_WORKER, WAITS_MEMORY, WAITS_TURN };

/* One that waits, in the order of the line. */
struct candidate {
    uint64_t need; /* host bytes on the worker that it would get */
    bool urgent;
    bool has_worker;    /* one is idle that may take it */
    enum waits_for why; /* answered: WAITS_TURN: it would fit, were it not for those before it */
};
/* The first that may begin now, or n. Answers `why` for all before it, and for all when none may.
 */
size_t ledger_choose(const struct ledger *l, struct candidate *line, size_t n);

#endif
