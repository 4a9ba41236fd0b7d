/* The recorder's inside, shared by its four units: recorder.c (variables, names), recorder_rows.c
 * (segments and their rows), repeat.c (blocks), finish.c (the finished system).
 *
 * What is written, per matrix, is three arrays that only grow (row ends, variables, coefficients);
 * a *segment* is a stretch of each. Rows outside repeats go to a flat segment, opened by the first
 * of them; the block of a repeat is a segment of its own. At any time at most one is open.
 *
 *     flat rows      block 0     block 1 … count - 1     flat rows …
 *     ────────────┬───────────┬───────────────────────┬──────────────
 *      segment 0  │ segment 1 │ block 1 is compared,  │ segment 2
 *                 │           │ the others implied    │
 *
 * In block 1 the same calls go through the same normalisation, but a cursor walks over block 0's
 * rows and aux classes instead of an append. */
#ifndef R1CS_RECORDING_H
#define R1CS_RECORDING_H

#include <inttypes.h>
#include <string.h>

#include "r1cs/dictionary.h"
#include "r1cs/recorder.h"
#include "r1cs/scope.h"

#define N_AUX_MAX ((uint64_t)1 << 31)
#define N_INPUTS_MAX ((uint32_t)1 << 29)
#define N_OUTER_AUX_MAX ((uint64_t)1 << 30) /* bit 30 means "relative" in a block */
#define NARROW_COEFS 65536u
#define NO_ROW UINT64_MAX

enum { N_SIDES = 3, PATH_MAX_CHARS = 256 };

/* One of A, B, C. */
struct side {
    struct grow row_end; /* uint32_t, counted from the segment's first term */
    struct grow var;     /* var_t */
    struct grow coef;    /* uint16_t or uint32_t, as the segment says */
};

struct segment {
    uint64_t n_rows;
    bool wide; /* 32-bit coefficient indices */
    struct {
        size_t row_at, term_at, coef_at; /* byte offsets of its parts of the three arrays */
        uint64_t n_terms;
    } side[N_SIDES];
    uint32_t count;
    uint32_t n_ports;
    size_t import_at; /* in elements */
    uint64_t aux_base, aux_stride;
    uint32_t input_base, input_stride;
};

/* The repeat that is being recorded; `rec->open` is its segment from block 0 on. */
struct open_repeat {
    bool active, in_block;
    uint32_t block; /* that is being recorded; 0 before the first recorder_block */
    const char *name;
    size_t scope_depth; /* outside */
    uint32_t count, n_ports;
    size_t import_at;
    uint64_t row_base, aux_base, full_base;
    uint32_t input_base;
    uint64_t aux_stride, full_stride; /* from block 0's end on */
    uint32_t input_stride;
    uint64_t cursor;                        /* block 1: the row of block 0 that comes next */
    uint64_t n_rows;                        /* of block 0, once it is over */
    uint32_t n_marks, mark_at;              /* of block 0; in the block that is being recorded */
    struct r1cs_mark marks[R1CS_MARKS_MAX]; /* of block 0 */
};

struct recorder {
    const struct curve *curve;
    struct budget *budget;
    struct cuzk_error err; /* the first failure; err.status stays CUZK_OK until then */
    struct dictionary coefs;

    uint64_t n_rows, n_aux, n_full;
    uint32_t n_inputs;
    /* From here on variables are relative (in a block that is really repeated). */
    uint64_t relative_aux_from;
    uint32_t relative_input_from;

    struct side side[N_SIDES];
    struct grow full_map; /* uint64_t */
    struct grow segments; /* struct segment, closed ones */
    struct grow repeats;  /* struct r1cs_repeat */
    struct grow imports;  /* var_t, of all repeats */
    struct grow scratch;  /* uint64_t, two rows */
    bool has_open;
    struct segment open;
    struct open_repeat repeat;

    struct scope_stack scopes;
    uint64_t wanted_row; /* where to take the path: NO_ROW when not looking */
    uint64_t find_row;   /* what was asked for */
    char found_path[PATH_MAX_CHARS];
};

static inline bool failed(const struct recorder *rec)
{
    return rec->err.status != CUZK_OK;
}

#define fail(rec, status, ...) ((void)error_set(&(rec)->err, (status), __VA_ARGS__))

/* Room for `bytes` (and one more, so that no room is never NULL) at the end of a grow, not counted
 * as used; NULL, and the recording has failed, if there is none. */
static inline void *reserve(struct recorder *rec, struct grow *grow, size_t bytes)
{
    void *room;

    if (bytes < grow->region.bytes - grow->used)
        return grow->region.base + grow->used;
    if (grow_take(grow, bytes + 1, &room, &rec->err) != CUZK_OK)
        return NULL;
    grow->used -= bytes + 1;
    return room;
}

static inline void append(struct recorder *rec, struct grow *grow, const void *item, size_t bytes)
{
    void *room = reserve(rec, grow, bytes);

    if (room) {
        memcpy(room, item, bytes);
        grow->used += bytes;
    }
}

/* ---- recorder.c ---- */

void recording_free_parts(struct recorder *rec);

/* ---- recorder_rows.c: the open segment ---- */

/* Begins a segment of `count` copies; none is open. */
void recording_open_segment(struct recorder *rec, uint32_t count);
/* Keeps the open segment, if there is one and it has rows. */
void recording_close_segment(struct recorder *rec);

#endif
