/* The one thread that owns the daemon's state. It waits for descriptors, times, signals, ends of
 * children and notes of other threads, and calls one handler at a time; so what handlers share
 * needs no lock. A handler never blocks: what may block or compute goes to another thread, whose
 * answer comes back as a note.
 *
 *     other threads ──loop_post, loop_call──┐
 *     sockets, pidfds, eventfds ──loop_fd───┤
 *     signals ──────────────loop_signal─────┼──► loop_run: one handler after the other
 *     clock ────────────────loop_timer──────┤
 *     children ─────────────loop_child──────┘
 *
 * The caller owns the structs of what is waited for (zeroed before first use) and keeps them in
 * place until they are removed; a handler may remove anything, itself included, and free it at
 * once. But for loop_post, loop_call, loop_stop and loop_is_here, everything is called on the
 * loop's thread, or before it runs. */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct loop;

/* One loop that has signals a process: it blocks them in the calling thread, so make it before any
 * other thread starts. */
MUST_CHECK enum cuzk_status loop_new(struct loop **ret, struct cuzk_error *err);
void loop_free(struct loop *loop); /* accepts NULL; nothing may be waited for any more */

/* The calling thread becomes the loop's, until loop_stop. Notes that came before the end are run;
 * those that come later are dropped, and loop_call answers false. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);          /* any thread; also from a handler */
bool loop_is_here(const struct loop *loop); /* is the calling thread the loop's? */

/* The longest that one handler took since the last call, in nanoseconds. */
uint64_t loop_longest(struct loop *loop);

/* ---- descriptors ----------------------------------------------------------------------------- */

struct loop_fd {
    void (*f)(void *ctx, uint32_t events); /* EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR, ... */
    void *ctx;
    struct loop *loop; /* NULL: not waited for */
    int fd;
    uint32_t events;
};

/* Level-triggered. f and ctx are set by the caller. The descriptor stays the caller's, and is
 * closed after loop_fd_remove. */
MUST_CHECK enum cuzk_status loop_fd_add(struct loop *loop, struct loop_fd *watch, int fd,
                                        uint32_t events, struct cuzk_error *err);
void loop_fd_events(struct loop_fd *watch, uint32_t events); /* 0: only errors and hang-ups */
void loop_fd_remove(struct loop_fd *watch); /* accepts one that is not waited for */

/* ---- times ----------------------------------------------------------------------------------- */

#define LOOP_SECOND UINT64_C(1000000000)
#define LOOP_MILLISECOND UINT64_C(1000000)

uint64_t loop_now(void); /* CLOCK_MONOTONIC in nanoseconds */

struct loop_timer {
    void (*f)(void *ctx);
    void *ctx;
    struct loop *loop; /* NULL: not set */
    uint64_t due;
    struct loop_timer *child, *sibling, **link; /* a pairing heap, least due first */
};

/* Once, not before `due`, and at most about a millisecond late on an idle loop. Setting it again
 * moves it. f and ctx are set by the caller. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t due);
void loop_timer_cancel(struct loop_timer *timer); /* accepts one that is not set */

/* ---- signals --------------------------------------------------------------------------------- */

struct loop_signal {
    void (*f)(void *ctx, int signal);
    void *ctx;
    struct loop_signal *next;
    int signal;
};

/* The signal no longer does what it did, also after the loop has ended. */
MUST_CHECK enum cuzk_status loop_signal_add(struct loop *loop, struct loop_signal *watch,
                                            int signal, struct cuzk_error *err);

/* ---- children -------------------------------------------------------------------------------- */

struct loop_child {
    /* Reaped. `code` is CLD_EXITED (status: the exit code), CLD_KILLED or CLD_DUMPED (status: the
     * signal); the watch is removed. */
    void (*f)(void *ctx, int code, int status);
    void *ctx;
    struct loop_fd fd;
};

MUST_CHECK enum cuzk_status loop_child_add(struct loop *loop, struct loop_child *watch, pid_t pid,
                                           struct cuzk_error *err);
/* Sends the signal to that child and no other; one that has ended already gets none. */
void loop_child_kill(const struct loop_child *watch, int signal);
void loop_child_remove(
    struct loop_child *watch); /* nobody reaps it then; accepts one not waited for */

/* ---- notes ----------------------------------------------------------------------------------- */

/* A function that some thread wants run on the loop. */
struct loop_note {
    void (*f)(void *ctx);
    void *ctx;
    struct loop_note *next;
};

/* Any thread, a handler included (then it runs after the handlers at hand). In order for each
 * sender. The note is the sender's again when f begins. False: the loop has ended and f will not
 * run. */
bool loop_post(struct loop *loop, struct loop_note *note);

/* Any thread: runs f on the loop and returns when it has ended. False: the loop has ended and f did
 * not run. */
MUST_CHECK bool loop_call(struct loop *loop, void (*f)(void *ctx), void *ctx);

#endif
