/* A recorded matrix: one of A, B, C of a constraint system, as plain data.
 *
 * Filecoin circuits are a fixed part plus one block many times, so a matrix is a list of *segments*
 * in row order. A segment with count == 1 is a run of rows as they are. A segment with count > 1 is
 * a *repeat*: one block of rows, `count` times; in copy k
 *
 *     a relative aux i    is aux    aux_base   + k * aux_stride   + i
 *     a relative input i  is input  input_base + k * input_stride + i
 *     port p              is the variable imports[k * n_ports + p]
 *     anything else       is the same variable in every copy
 *
 * The rows `[in_i] * {} = {}` that close every system are a repeat too (one row, n_inputs times).
 * Coefficients are indices into a dictionary of plain scalars, shared by the three matrices.
 * In the rows of a segment, terms are ascending by variable *as written*; after expansion of a
 * repeat they may need to be sorted again (r1cs/expander.h does). */
#ifndef BACKEND_MATRIX_H
#define BACKEND_MATRIX_H

#include <stddef.h>
#include <stdint.h>

/* A variable of a system: aux i is i, input i is VAR_INPUT | i. */
typedef uint32_t var_t;
#define VAR_INPUT 0x80000000u
#define VAR_ONE VAR_INPUT

/* Inside the block of a repeat two more kinds exist (bits 31 and 30 together tell the kind):
 *   00 aux    01 relative aux    10 input    11 and bit 29 = 0: relative input, = 1: port */
#define VAR_RELATIVE 0x40000000u
#define VAR_RELATIVE_INPUT 0xC0000000u
#define VAR_PORT 0xE0000000u
#define VAR_PORT_INDEX 0x1FFFFFFFu

struct matrix_segment {
    uint64_t n_rows;         /* of one copy */
    uint64_t n_terms;        /* of one copy */
    const uint32_t *row_end; /* n_rows: end of row i in var and coef; it begins where i - 1 ends */
    const var_t *var;        /* this and the next are NULL if the matrix has no terms at all */
    const uint16_t *coef16;  /* dictionary indices: exactly one of the two, if there are terms */
    const uint32_t *coef32;

    uint32_t count;
    uint32_t n_ports;
    uint64_t aux_base, aux_stride;
    uint32_t input_base, input_stride;
    const var_t *imports; /* count * n_ports; absolute variables */
};

struct matrix {
    uint64_t n_rows; /* all copies, input rows included */
    uint32_t n_inputs;
    uint64_t n_aux;
    size_t n_segments;
    const struct matrix_segment *segments;
    size_t n_coefs;
    const uint64_t *coefs; /* plain scalars, packed with the curve's fr_bytes; index 0 is 1 */
};

/* The variable that `var` names in copy k of a segment. */
static inline var_t matrix_resolve(const struct matrix_segment *s, uint32_t k, var_t var)
{
    if (s->count == 1 || (var & VAR_RELATIVE) == 0)
        return var;
    if ((var & VAR_INPUT) == 0)
        return (var_t)(s->aux_base + k * s->aux_stride + (var & ~VAR_RELATIVE));
    if ((var & VAR_PORT) == VAR_PORT)
        return s->imports[(size_t)k * s->n_ports + (var & VAR_PORT_INDEX)];
    return VAR_INPUT | (s->input_base + k * s->input_stride + (var & VAR_PORT_INDEX));
}

static inline uint32_t matrix_coef(const struct matrix_segment *s, size_t term)
{
    return s->coef16 ? s->coef16[term] : s->coef32[term];
}

#endif
