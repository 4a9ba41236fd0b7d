/* Where a gadget writes: the shape of a circuit, or a witness for it.
 *
 * A gadget is written once and run two ways. With a *shape* sink it allocates variables in a
 * recorder and adds rows; values are not looked at (they are zero). With a *witness* sink it writes
 * the values of the same variables in the same order and adds no rows. What the two must agree on
 * is the order of allocation and which variables are bits; a test compares them for every gadget.
 *
 *     struct sink sink;
 *     TRY(sink_shape_init(&sink, recorder, err));         sink_witness_init(&sink, &room, place);
 *     ... gadgets ...                                     ... the same gadgets ...
 *     TRY(sink_shape_done(&sink, err));                   place = sink_witness_done(&sink);
 *
 * Gadgets that hash in bulk take several witness sinks, as many as there are hashes, and go through
 * all of them step by step: the eight hashes of a step are made together. A shape sink is always
 * alone.
 *
 * A witness can be written by several sinks at once, each a range of the variables: the fixed part
 * by one, each block of a repeat, or each marked part of a block, by another (witness_block_place,
 * witness_part_place say where it begins). Bits of two
 * ranges may share a word of the bit string; the sinks join them atomically at the ends of their
 * ranges and write plainly between. */
#ifndef CIRCUIT_SINK_H
#define CIRCUIT_SINK_H

#include "backend/witness.h"
#include "circuit/fr.h"
#include "r1cs/recorder.h"

struct shape; /* circuit/shape.h: the recorder, interned coefficients, templates of rows */

/* Room for the values of a whole system, zeroed before the first sink writes. Layout of
 * backend/witness.h with 4 words a value. */
struct witness_room {
    uint64_t *inputs; /* n_inputs values, ONE first */
    uint64_t *bits;   /* witness_map_words(n_aux) */
    uint64_t *full;   /* n_full values */
};

/* The next variable of each sort. The beginning of a system is {0}: a sink that begins there writes
 * ONE itself. */
struct witness_place {
    uint64_t aux, full;
    uint32_t input;
};

struct sink {
    struct shape *shape; /* NULL in a witness sink; what follows is used in a witness sink only */
    struct witness_room room;
    struct witness_place at;
    uint64_t pending;    /* bits of word at.aux / 64 that are not stored yet */
    uint64_t first_word; /* may be shared with the sink before */
};

/* So many sinks a gadget can take. */
enum { SINKS_MAX = 8 };

/* Takes memory for templates as gadgets ask for them; the recorder is borrowed. */
MUST_CHECK enum cuzk_status sink_shape_init(struct sink *sink, struct recorder *rec,
                                            struct cuzk_error *err);
/* Frees the sink's own memory and reports its failures (not the recorder's). Accepts a zeroed sink.
 */
enum cuzk_status sink_shape_done(struct sink *sink, struct cuzk_error *err);

void sink_witness_init(struct sink *sink, const struct witness_room *room,
                       struct witness_place begin);
/* Stores the pending bits; returns the place after the last variable. */
struct witness_place sink_witness_done(struct sink *sink);

/* Where block k of a repeat begins. */
static inline struct witness_place witness_block_place(const struct r1cs_repeat *repeat, uint32_t k)
{
    return (struct witness_place){
        .aux = repeat->aux_base + k * repeat->aux_stride,
        .full = repeat->full_base + k * repeat->full_stride,
        .input = repeat->input_base + k * repeat->input_stride,
    };
}

/* Where part `mark` of it begins. */
static inline struct witness_place witness_part_place(const struct r1cs_repeat *repeat, uint32_t k,
                                                      uint32_t mark)
{
    struct witness_place place = witness_block_place(repeat, k);

    place.aux += repeat->marks[mark].aux;
    place.full += repeat->marks[mark].full;
    place.input += repeat->marks[mark].input;
    return place;
}

static inline bool sink_is_shape(const struct sink *sink)
{
    return sink->shape != NULL;
}

/* ---- allocation --------------------------------------------------------------------------------
 *
 * The handle returned is the recorder's in a shape sink; in a witness sink it is the absolute
 * number, which nothing needs. */

/* A shape sink's part of the two below. */
var_t sink_shape_aux(struct sink *sink, bool is_bit);

/* Stores the full word that ends before at.aux + (a few bits not appended yet). */
static inline void sink_store_word(struct sink *sink)
{
    const uint64_t word = sink->at.aux / 64;

    if (word == sink->first_word)
        __atomic_fetch_or(&sink->room.bits[word], sink->pending, __ATOMIC_RELAXED);
    else
        sink->room.bits[word] = sink->pending;
}

/* Witness sink only: n bit variables at once, 1 <= n <= 64, least significant first; bits from n on
 * are zero. */
static inline void sink_append_bits(struct sink *sink, uint64_t values, unsigned n)
{
    const unsigned at = sink->at.aux % 64;

    sink->pending |= values << at;
    if (at + n >= 64) {
        sink_store_word(sink);
        sink->pending = at ? values >> (64 - at) : 0;
    }
    sink->at.aux += n;
}

/* A variable that is 0 or 1 in every satisfying witness. No row is added. */
static inline var_t sink_bit(struct sink *sink, unsigned value)
{
    const uint64_t at = sink->at.aux;

    if (sink_is_shape(sink))
        return sink_shape_aux(sink, true);
    sink_append_bits(sink, value, 1);
    return (var_t)at;
}

/* Any other aux variable. */
static inline var_t sink_full(struct sink *sink, const fr_t *value)
{
    const uint64_t at = sink->at.aux;
    fr_t plain;

    if (sink_is_shape(sink))
        return sink_shape_aux(sink, false);
    fr_to_plain(&plain, value);
    memcpy(sink->room.full + FR_LIMBS * sink->at.full++, plain.l, sizeof plain.l);
    sink_append_bits(sink, 0, 1);
    return (var_t)at;
}

/* Witness sink only: n such variables, whose values the caller writes, plain, where this points. */
static inline uint64_t *sink_full_run(struct sink *sink, unsigned n)
{
    uint64_t *values = sink->room.full + FR_LIMBS * sink->at.full;

    sink->at.full += n;
    for (unsigned m; n > 0; n -= m) {
        m = n < 64 ? n : 64;
        sink_append_bits(sink, 0, m);
    }
    return values;
}

/* A public input. */
var_t sink_input(struct sink *sink, const fr_t *value);

/* ---- names of places in the circuit, for messages; nothing in a witness sink
 *
 * Names are borrowed until the end of the scope. */
void sink_shape_scope(struct sink *sink, const char *name);
void sink_shape_scope_index(struct sink *sink, const char *name, unsigned index);
void sink_shape_scope_end(struct sink *sink);

static inline void sink_scope(struct sink *sink, const char *name)
{
    if (sink_is_shape(sink))
        sink_shape_scope(sink, name);
}
static inline void sink_scope_index(struct sink *sink, const char *name, unsigned index)
{
    if (sink_is_shape(sink))
        sink_shape_scope_index(sink, name, index);
}
static inline void sink_scope_end(struct sink *sink)
{
    if (sink_is_shape(sink))
        sink_shape_scope_end(sink);
}

#endif
