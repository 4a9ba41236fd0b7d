#include "daemon/ledger.h"

size_t ledger_choose(const struct ledger *l, struct candidate *line, size_t n)
{
    uint64_t promised = 0; /* to those before */

    for (size_t i = 0; i < n; i++) {
        struct candidate *c = &line[i];
        const uint64_t open = ledger_open_to(l, c->urgent);
        const bool fits = c->need <= open;

        if (!c->has_worker)
            c->why = WAITS_WORKER;
        else if (!fits)
            c->why = WAITS_MEMORY;
        else if (promised > open - c->need)
            c->why = WAITS_TURN;
        else {
            c->why = WAITS_NOT;
            return i;
        }
        promised += c->need;
    }
    return n;
}
