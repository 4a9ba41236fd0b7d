/* Booleans in a circuit: constants, allocated bits and their negations.
 *
 * Constants and negations are never allocated: gadgets fold them, and which rows exist depends on
 * it. The operations below differ in what they fold, on purpose: they follow the
 * circuits whose keys exist. */
#ifndef CIRCUIT_BOOLEAN_H
#define CIRCUIT_BOOLEAN_H

#include "circuit/sink.h"

enum bool_kind {
    BOOL_FALSE,
    BOOL_TRUE,
    BOOL_IS,  /* an allocated bit */
    BOOL_NOT, /* the negation of one */
};

typedef struct {
    var_t var;
    uint8_t kind;  /* enum bool_kind */
    uint8_t value; /* of the Bool itself; in a shape sink 0 unless constant */
} bool_t;

static inline bool_t bool_constant(bool value)
{
    return (bool_t){.kind = value ? BOOL_TRUE : BOOL_FALSE, .value = value};
}
static inline bool bool_is_constant(bool_t a)
{
    return a.kind <= BOOL_TRUE;
}
/* FALSE <-> TRUE, IS <-> NOT. The value of a variable in a shape sink stays 0. */
static inline bool_t bool_not(const struct sink *sink, bool_t a)
{
    a.kind ^= 1;
    a.value = (uint8_t)(a.value ^ (bool_is_constant(a) || !sink_is_shape(sink)));
    return a;
}

/* An aux with its row: (1 - v) * v = 0. */
bool_t bool_alloc(struct sink *sink, unsigned value);

/* Exclusive or: constants fold. Else an aux r and 2a * b = a + b - r over the variables; of mixed
 * kinds the IS operand is a and the result is NOT r. */
bool_t bool_xor(struct sink *sink, bool_t a, bool_t b);

/* And: constants fold. Else an aux r and x * y = r, with x, y = the operand or 1 minus its
 * variable; of mixed kinds the IS operand is x. */
bool_t bool_and(struct sink *sink, bool_t a, bool_t b);

/* (a and b) xor (not a and c), SHA-256's choice; a constant TRUE a does not fold. */
bool_t bool_ch(struct sink *sink, bool_t a, bool_t b, bool_t c);

/* Majority of three, SHA-256's maj: its aux comes before that of (b and c). */
bool_t bool_maj(struct sink *sink, bool_t a, bool_t b, bool_t c);

/* One row 0 * 0 = a - b; of two constants no row. False if two constants differ: the circuit cannot
 * be satisfied. */
MUST_CHECK bool bool_enforce_equal(struct sink *sink, bool_t a, bool_t b);

#endif
