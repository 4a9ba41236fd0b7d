/* A thread for what may block or compute: decoding, checking, hashing, the journal, verification.
 * Tasks are worked on one after the other in the order in which they came; each comes back to the
 * loop when it is done. What a task touches is its own, or the desk's alone. */
#ifndef DAEMON_DESK_H
#define DAEMON_DESK_H

#include "daemon/loop.h"

struct desk;

/* Embedded in what is worked on; the caller's until it is posted and from `done` on. */
struct desk_task {
    void (*work)(struct desk_task *task); /* on the desk's thread */
    void (*done)(struct desk_task *task); /* on the loop's */
    struct loop_note note;
    struct desk *desk;
    struct desk_task *next;
};

/* name: of the thread, at most 15 characters. */
MUST_CHECK enum cuzk_status desk_new(struct desk **ret, struct loop *loop, const char *name,
                                     struct cuzk_error *err);
/* Works on what there is, then ends the thread. The loop has ended: whatever could not come back to
 * it is done here, on the calling thread, and so is what that posts. Accepts NULL. */
void desk_free(struct desk *desk);

void desk_post(struct desk *desk, struct desk_task *task);
/* Tasks posted and not yet done; the loop's thread only. */
unsigned desk_load(const struct desk *desk);

#endif
