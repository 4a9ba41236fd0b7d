/* Digests over the expanded rows.
 *
 * The coefficient digest of a 32 GiB PoRep hashes 26 GB, and SHA-256 cannot be split. So one thread
 * only hashes, and another writes the next chunk of bytes meanwhile (and runs the structural digest
 * along, five cycles a word). A chunk ends early where a checkpoint is due. */
#include <string.h>

#include "base/hash.h"
#include "base/reader.h"
#include "r1cs/r1cs.h"

#define FNV_START 1469598103934665603u
#define FNV_PRIME 1099511628211u

enum { CHUNK_BYTES = 1 << 20, COEF_BYTES = 32, TERM_BYTES = 4 + COEF_BYTES };

struct chunk {
    struct grow bytes;
    uint64_t rows;       /* up to its end */
    uint64_t structural; /* there */
    bool checkpoint;     /* one is due there */
};

struct digester {
    const struct r1cs *cs;
    struct r1cs_rows *rows;
    struct hash *sha;
    uint64_t step;
    r1cs_checkpoint_fn *checkpoint;
    void *ctx;

    /* the writer's */
    uint64_t n_rows, structural, nnz[3];
    bool ended;
    enum cuzk_status status;
    struct cuzk_error *err;

    struct chunk chunks[2];
    struct chunk *full, *next; /* hashed and written now; full may be NULL at first */
};

static inline uint64_t fnv(uint64_t h, uint32_t word)
{
    return (h ^ word) * FNV_PRIME;
}

/* Appends one side of a row to a chunk. */
static enum cuzk_status write_side(struct digester *d, struct chunk *chunk, unsigned side,
                                   const struct r1cs_row *row)
{
    const size_t fr_bytes = d->cs->curve->fr_bytes;
    uint64_t h = fnv(d->structural, (uint32_t)row->n);
    uint8_t *at;
    void *room;

    TRY(grow_take(&chunk->bytes, 4 + row->n * TERM_BYTES, &room, d->err));
    at = room;
    store_u32_le(at, (uint32_t)row->n);
    at += 4;
    for (size_t i = 0; i < row->n; i++, at += TERM_BYTES) {
        h = fnv(h, row->var[i]);
        store_u32_le(at, row->var[i]);
        memset(at + 4 + fr_bytes, 0, COEF_BYTES - fr_bytes);
        memcpy(at + 4, r1cs_rows_coef(d->rows, side, row->coef[i]), fr_bytes);
    }
    d->structural = h;
    d->nnz[side] += row->n;
    return CUZK_OK;
}

static enum cuzk_status write_rows(struct digester *d, struct chunk *chunk)
{
    chunk->bytes.used = 0;
    chunk->checkpoint = false;
    while (!d->ended && !chunk->checkpoint && chunk->bytes.used < CHUNK_BYTES) {
        struct r1cs_row row[3];
        bool more, on_step = d->step && d->n_rows % d->step == 0;

        TRY(r1cs_rows_next(d->rows, row, &more, d->err));
        if (!more) {
            d->ended = true;
            chunk->checkpoint = !on_step; /* the totals, unless they were just told */
            break;
        }
        for (unsigned side = 0; side < 3; side++)
            TRY(write_side(d, chunk, side, &row[side]));
        d->n_rows++;
        chunk->checkpoint = d->step && d->n_rows % d->step == 0;
    }
    chunk->rows = d->n_rows;
    chunk->structural = d->structural;
    return CUZK_OK;
}

static void hash_chunk(struct digester *d, const struct chunk *chunk)
{
    uint8_t digest[32];

    hash_update(d->sha, chunk->bytes.region.base, chunk->bytes.used);
    if (!chunk->checkpoint || !d->checkpoint)
        return;
    hash_peek(d->sha, digest);
    d->checkpoint(d->ctx, chunk->rows, chunk->structural, digest);
}

/* Task 0 writes, task 1 hashes. */
static void step_task(void *ctx, size_t task, unsigned worker)
{
    struct digester *d = ctx;

    (void)worker;
    if (task == 0)
        d->status = write_rows(d, d->next);
    else if (d->full)
        hash_chunk(d, d->full);
}

static enum cuzk_status run(struct digester *d, struct pool *pool, struct cuzk_error *err)
{
    d->next = &d->chunks[0];
    do {
        struct chunk *written = d->next;

        pool_run(pool, 2, step_task, d);
        if (pool_cancelled(pool))
            return error_set(err, CUZK_CANCELLED, "digest: cancelled");
        TRY(d->status);
        d->next = d->full ? d->full : &d->chunks[1];
        d->full = written;
    } while (d->full->bytes.used > 0);
    if (d->full->checkpoint) /* totals that fell on a chunk of their own */
        hash_chunk(d, d->full);
    return CUZK_OK;
}

enum cuzk_status r1cs_digest(const struct r1cs *cs, struct pool *pool, uint64_t step,
                             r1cs_checkpoint_fn *checkpoint, void *ctx, struct r1cs_digests *ret,
                             struct cuzk_error *err)
{
    struct digester d = {
        .cs = cs,
        .step = step,
        .checkpoint = checkpoint,
        .ctx = ctx,
        .structural = FNV_START,
        .err = err,
    };
    enum cuzk_status st;

    for (size_t i = 0; i < 2; i++)
        grow_init(&d.chunks[i].bytes, cs->budget, MEM_SCRATCH, SIZE_MAX / 2);
    TRY_GOTO(st, out, r1cs_rows_new(&d.rows, cs, err));
    d.sha = hash_new(HASH_SHA256);
    if (!d.sha) {
        st = error_set(err, CUZK_NO_MEMORY, "no memory for a digest");
        goto out;
    }
    TRY_GOTO(st, out, run(&d, pool, err));
    ret->structural = d.structural;
    hash_final(d.sha, ret->coefficient);
    memcpy(ret->nnz, d.nnz, sizeof ret->nnz);
out:
    for (size_t i = 0; i < 2; i++)
        grow_done(&d.chunks[i].bytes);
    hash_free(d.sha);
    r1cs_rows_free(d.rows);
    return st;
}

/* ---- TestConstraintSystem::hash -------------------------------------------------------------- */

static void update_u64_be(struct hash *h, uint64_t value)
{
    uint8_t bytes[8];

    store_u64_be(bytes, value);
    hash_update(h, bytes, sizeof bytes);
}

static void update_side(struct hash *h, const struct r1cs *cs, const struct r1cs_rows *rows,
                        unsigned side, const struct r1cs_row *row)
{
    const size_t words = cs->curve->fr_bytes / 8;

    update_u64_be(h, row->n);
    for (size_t i = 0; i < row->n; i++) {
        const uint64_t *coef = r1cs_rows_coef(rows, side, row->coef[i]);

        hash_update(h, row->var[i] & VAR_INPUT ? "I" : "A", 1);
        update_u64_be(h, row->var[i] & ~VAR_INPUT);
        for (size_t w = COEF_BYTES / 8; w-- > 0;)
            update_u64_be(h, w < words ? coef[w] : 0);
    }
}

enum cuzk_status r1cs_testcs_hash(const struct r1cs *cs, uint8_t ret[32], struct cuzk_error *err)
{
    struct hash *h = hash_new(HASH_BLAKE2S_256);
    struct r1cs_rows *rows = NULL;
    enum cuzk_status st;

    if (!h)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a digest");
    TRY_GOTO(st, out, r1cs_rows_new(&rows, cs, err));
    update_u64_be(h, cs->n_inputs);
    update_u64_be(h, cs->n_aux);
    update_u64_be(h, cs->n_constraints);
    for (uint64_t i = 0; i < cs->n_constraints; i++) {
        struct r1cs_row row[3];
        bool more;

        TRY_GOTO(st, out, r1cs_rows_next(rows, row, &more, err));
        for (unsigned side = 0; side < 3; side++)
            update_side(h, cs, rows, side, &row[side]);
    }
    hash_final(h, ret);
out:
    r1cs_rows_free(rows);
    hash_free(h);
    return st;
}
