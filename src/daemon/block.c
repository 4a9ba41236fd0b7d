#include "daemon/block.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* So many bytes of a body are let to lie in the page cache before the kernel is told to begin with
 * them: the sync at the end is then short, and a limited cgroup does not fill with dirty pages. */
enum { WRITEBACK_BYTES = 8 << 20 };

struct block_pool {
    struct loop *loop;
    struct region region;
    struct block *blocks;
    unsigned n_blocks;
    struct block *free;

    struct block_waiter *waiters, **last_waiter;

    pthread_t writer;
    bool has_writer;
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct block *to_write, **last_to_write; /* under the lock */
    struct block *written, **last_written;
    bool note_is_out, stop;
    struct loop_note note;
};

/* ---- bodies ---------------------------------------------------------------------------------- */

struct body *body_new(int fd, uint64_t bytes)
{
    struct body *body = mem_new(sizeof *body);

    if (!body) {
        close(fd);
        return NULL;
    }
    *body = (struct body){.fd = fd, .bytes = bytes, .n_references = 1};
    return body;
}

void body_hold(struct body *body)
{
    body->n_references++;
}

void body_release(struct body *body)
{
    if (!body || --body->n_references > 0)
        return;
    if (body->fd >= 0)
        close(body->fd);
    mem_free(body);
}

int body_take(struct body *body)
{
    int fd = body->fd;

    body->fd = -1;
    return fd;
}

/* ---- the writer ------------------------------------------------------------------------------ */

/* All of the iovecs at offset; returns errno or 0. */
static int write_all(int fd, struct iovec *v, int n, uint64_t offset)
{
    while (n > 0) {
        ssize_t w = pwritev(fd, v, n, (off_t)offset);

        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return errno;
        offset += (uint64_t)w;
        while (n > 0 && (size_t)w >= v->iov_len) {
            w -= (ssize_t)v->iov_len;
            v++;
            n--;
        }
        if (n > 0) {
            v->iov_base = (uint8_t *)v->iov_base + w;
            v->iov_len -= (size_t)w;
        }
    }
    return 0;
}

static void begin_writeback(int fd, uint64_t begin, uint64_t end)
{
    uint64_t from = begin / WRITEBACK_BYTES * WRITEBACK_BYTES;
    uint64_t to = end / WRITEBACK_BYTES * WRITEBACK_BYTES;

    if (to > from)
        (void)sync_file_range(fd, (off_t)from, (off_t)(to - from), SYNC_FILE_RANGE_WRITE);
}

/* The end of the pieces that follow `first` in the same body. */
static unsigned run_end(const struct block *block, unsigned first)
{
    unsigned i = first + 1;

    while (i < block->n_pieces && block->pieces[i].body == block->pieces[first].body &&
           block->pieces[i].offset == block->pieces[i - 1].offset + block->pieces[i - 1].n)
        i++;
    return i;
}

/* Leaves each piece's errno in its `at`, which nobody needs any more. */
static void write_block(struct block *block)
{
    struct iovec v[BLOCK_PIECES];

    for (unsigned first = 0, end; first < block->n_pieces; first = end) {
        const struct piece *head = &block->pieces[first];
        uint64_t stop = head->offset;
        int error;

        end = run_end(block, first);
        for (unsigned i = first; i < end; i++) {
            v[i - first] = (struct iovec){block->bytes + block->pieces[i].at, block->pieces[i].n};
            stop += block->pieces[i].n;
        }
        error = write_all(head->body->fd, v, (int)(end - first), head->offset);
        begin_writeback(head->body->fd, head->offset, stop);
        for (unsigned i = first; i < end; i++)
            block->pieces[i].at = (uint32_t)error;
    }
}

static void append(struct block ***last, struct block *block)
{
    block->next = NULL;
    **last = block;
    *last = &block->next;
}

static void *writer_main(void *arg)
{
    struct block_pool *pool = arg;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        struct block *block = pool->to_write;

        if (!block && pool->stop)
            break;
        if (!block) {
            pthread_cond_wait(&pool->work, &pool->lock);
            continue;
        }
        pool->to_write = block->next;
        if (!pool->to_write)
            pool->last_to_write = &pool->to_write;
        pthread_mutex_unlock(&pool->lock);
        write_block(block);
        pthread_mutex_lock(&pool->lock);
        append(&pool->last_written, block);
        if (!pool->note_is_out)
            pool->note_is_out = loop_post(pool->loop, &pool->note);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Back on the loop. */
static void settle(struct block *block)
{
    for (unsigned i = 0; i < block->n_pieces; i++) {
        struct piece *piece = &block->pieces[i];
        struct body *body = piece->body;

        body->written += piece->n;
        if (piece->at && !body->error)
            body->error = (int)piece->at;
        if (body->progress)
            body->progress(body->ctx);
        body_release(body);
    }
    block->n_pieces = 0;
}

static void blocks_come_back(void *ctx)
{
    struct block_pool *pool = ctx;
    struct block *block;

    pthread_mutex_lock(&pool->lock);
    block = pool->written;
    pool->written = NULL;
    pool->last_written = &pool->written;
    pool->note_is_out = false;
    pthread_mutex_unlock(&pool->lock);
    while (block) {
        struct block *next = block->next;

        settle(block);
        block->written(block->ctx, block);
        block = next;
    }
}

void block_write(struct block_pool *pool, struct block *block)
{
    pthread_mutex_lock(&pool->lock);
    append(&pool->last_to_write, block);
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- the pool -------------------------------------------------------------------------------- */

struct block *block_take(struct block_pool *pool)
{
    struct block *block = pool->free;

    if (block) {
        pool->free = block->next;
        block->used = block->parsed = block->kept = 0;
        block->n_pieces = 0;
    }
    return block;
}

void block_give(struct block_pool *pool, struct block *block)
{
    struct block_waiter *waiter = pool->waiters;

    block->next = pool->free;
    pool->free = block;
    if (waiter) {
        block_wait_end(pool, waiter);
        waiter->f(waiter->ctx);
    }
}

bool block_add(struct block *block, struct body *body, uint64_t offset, const uint8_t *at, size_t n)
{
    if (block->n_pieces == BLOCK_PIECES)
        return false;
    body_hold(body);
    block->kept += n;
    block->pieces[block->n_pieces++] = (struct piece){
        .body = body,
        .offset = offset,
        .at = (uint32_t)(at - block->bytes),
        .n = (uint32_t)n,
    };
    return true;
}

void block_wait(struct block_pool *pool, struct block_waiter *waiter)
{
    if (waiter->link)
        return;
    waiter->next = NULL;
    waiter->link = pool->last_waiter;
    *pool->last_waiter = waiter;
    pool->last_waiter = &waiter->next;
}

void block_wait_end(struct block_pool *pool, struct block_waiter *waiter)
{
    if (!waiter->link)
        return;
    *waiter->link = waiter->next;
    if (waiter->next)
        waiter->next->link = waiter->link;
    else
        pool->last_waiter = waiter->link;
    waiter->link = NULL;
}

enum cuzk_status block_pool_new(struct block_pool **ret, struct loop *loop, struct budget *budget,
                                unsigned n_blocks, struct cuzk_error *err)
{
    size_t of_one = BLOCK_BYTES + sizeof(struct block);
    struct block_pool *pool = mem_new(sizeof *pool);
    enum cuzk_status st;

    if (!pool)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the pool of blocks");
    pool->loop = loop;
    pool->n_blocks = n_blocks;
    pool->last_waiter = &pool->waiters;
    pool->last_to_write = &pool->to_write;
    pool->last_written = &pool->written;
    pool->note = (struct loop_note){.f = blocks_come_back, .ctx = pool};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    TRY_GOTO(st, out, region_map(&pool->region, budget, MEM_REQUEST, n_blocks * of_one, err));
    pool->blocks = (struct block *)(void *)(pool->region.base + (size_t)n_blocks * BLOCK_BYTES);
    for (unsigned i = n_blocks; i-- > 0;) {
        pool->blocks[i].bytes = pool->region.base + (size_t)i * BLOCK_BYTES;
        pool->blocks[i].next = pool->free;
        pool->free = &pool->blocks[i];
    }
    pool->has_writer = pthread_create(&pool->writer, NULL, writer_main, pool) == 0;
    if (!pool->has_writer)
        st = error_set(err, CUZK_NO_MEMORY, "cannot start the thread that writes bodies");
out:
    if (st == CUZK_OK)
        *ret = pool;
    else
        block_pool_free(pool);
    return st;
}

void block_pool_free(struct block_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    if (pool->has_writer)
        pthread_join(pool->writer, NULL);
    blocks_come_back(pool);
    region_unmap(&pool->region);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    mem_free(pool);
}
