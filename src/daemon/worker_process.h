/* A worker as the daemon sees it: a process that is started, spoken to, and started again when it
 * dies. */
#ifndef DAEMON_WORKER_PROCESS_H
#define DAEMON_WORKER_PROCESS_H

#include "daemon/loop.h"
#include "daemon/worker_protocol.h"

struct worker_process;

struct worker_process_options {
    const char *program; /* run as PROGRAM worker ...; NULL: this program */
    const char *name;    /* "cpu", "urgent", "cuda 0": for logs */
    const char *backend;
    const char *card; /* worker.h */
    unsigned threads, witness_threads;
    const char *params;
    bool allow_dev_keys;
    bool restart; /* when it dies: at once, later when it had not said hello */

    void (*note)(void *ctx, const struct note *note); /* each that it sends, hello included */
    /* It is reaped: its memory is back. how: "the worker died of signal 9 (Killed)". */
    void (*died)(void *ctx, const char *how);
    void *ctx;
};

/* Starts it; a start that fails is tried again. Everything in `options` is borrowed. NULL when
 * there is no memory. */
struct worker_process *worker_process_new(struct loop *loop,
                                          const struct worker_process_options *options);
/* Kills it and forgets it; nothing comes any more. Accepts NULL. */
void worker_process_free(struct worker_process *worker);

/* It has said hello and takes orders. */
bool worker_process_ready(const struct worker_process *worker);
int worker_process_pid(const struct worker_process *worker); /* 0: none */
unsigned worker_process_deaths(const struct worker_process *worker);

/* fd: goes with ORDER_PROVE and stays the caller's; -1: none. A worker that does not take it is
 * killed, and `died` comes. */
void worker_process_send(struct worker_process *worker, const struct order *order, int fd);
/* `died` comes when it is gone. */
void worker_process_kill(struct worker_process *worker);

#endif
