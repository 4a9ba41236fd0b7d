/* Blocks of memory between the sockets and the disk.
 *
 *     socket ──read──► block ──parse in place──► pieces of bodies ──writer thread──► files
 *                        ▲                                                │
 *                        └────────── comes back, to be filled again ◄─────┘
 *
 * A connection reads into a block; the parser notes which stretches of it belong to which body; the
 * writer, a thread of its own, writes them where they belong; so the loop never waits for a disk,
 * and what all clients together can make us hold in memory is the pool and no more. When all blocks
 * are away, whoever wants one waits in line.
 *
 * Everything here is called on the loop's thread. */
#ifndef DAEMON_BLOCK_H
#define DAEMON_BLOCK_H

#include "base/mem.h"
#include "daemon/loop.h"

enum { BLOCK_BYTES = 128 << 10, BLOCK_PIECES = 128 };

/* A message on its way into a file. It ends with its last reference: each piece that is away holds
 * one, and so does whoever opened it. */
struct body {
    int fd;           /* closed at the end unless body_take took it */
    uint64_t bytes;   /* of the message, told by its sender; the file holds just them */
    uint64_t written; /* of those */
    int error;        /* errno of the first write that failed, or 0 */
    unsigned n_references;
    void (*progress)(void *ctx); /* more of it is written; NULL: nobody wants to know */
    void *ctx;
};

/* Owns fd, also on failure (NULL: no memory). */
struct body *body_new(int fd, uint64_t bytes);
void body_hold(struct body *body);
void body_release(struct body *body); /* accepts NULL */
/* The descriptor is the caller's from now on. */
int body_take(struct body *body);

struct piece {
    struct body *body;
    uint64_t offset; /* in the body */
    uint32_t at, n;  /* in the block */
};

struct block {
    uint8_t *bytes; /* BLOCK_BYTES */
    size_t used;    /* bytes read into it */
    size_t parsed;  /* of these; the caller's */
    size_t kept;    /* bytes of all its pieces */
    unsigned n_pieces;
    struct piece pieces[BLOCK_PIECES];
    void (*written)(void *ctx, struct block *block); /* see block_write */
    void *ctx;
    struct block *next;
};

struct block_pool;

MUST_CHECK enum cuzk_status block_pool_new(struct block_pool **ret, struct loop *loop,
                                           struct budget *budget, unsigned n_blocks,
                                           struct cuzk_error *err);
/* When the loop has ended: waits for the writer, and calls `written` for what is still away.
 * Accepts NULL. */
void block_pool_free(struct block_pool *pool);

/* An empty one, or NULL when all are away. */
struct block *block_take(struct block_pool *pool);
void block_give(struct block_pool *pool, struct block *block);

/* Notes that n bytes at `at` of the block are those at `offset` of the body. False: the block takes
 * no more pieces. */
bool block_add(struct block *block, struct body *body, uint64_t offset, const uint8_t *at,
               size_t n);

/* Sends the block to the writer. Back from there, its bodies have new `written` and `error`, their
 * `progress` is called, the pieces are released, and then written(ctx, block) is called; the block
 * is the caller's again, with `kept` as it was. */
void block_write(struct block_pool *pool, struct block *block);

/* For one that block_take could not serve: `f` is called once when there are blocks again. */
struct block_waiter {
    void (*f)(void *ctx);
    void *ctx;
    struct block_waiter *next, **link; /* link NULL: not waiting */
};
void block_wait(struct block_pool *pool, struct block_waiter *waiter);
void block_wait_end(struct block_pool *pool,
                    struct block_waiter *waiter); /* accepts one not waiting */

#endif
