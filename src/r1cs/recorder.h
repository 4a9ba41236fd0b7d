/* Writing a constraint system down, with repeats, once.
 *
 * The caller allocates variables and adds rows in the order that defines the system. A part that
 * repeats is announced:
 *
 *     recorder_repeat_begin(rec, "challenge", count, n_ports, imports)
 *     while (recorder_block(rec))          true twice at most: block 0 is kept, block 1 is compared
 *         ... the block, referring to ports as recorder_port(p) ...
 *     (the remaining count - 2 blocks are implied; numbering goes on after them)
 *
 * In a block, variables allocated in it are named by handles like any other. The recorder knows
 * that they are relative; ports are the only thing the block must name differently. A handle is
 * good in its own block only. A block that differs from block 0 makes the whole recording fail with
 * the first differing row.
 *
 * Terms of a row need not be sorted or merged: the recorder adds coefficients of equal variables
 * and drops zeros (a term is present when its merged coefficient is not zero). Ascending terms,
 * inputs after aux, are the fast case: about 3 ns each.
 *
 * Failure (memory, limits, a variable that does not exist) is remembered and reported by
 * recorder_finish; until then calls are harmless: recorder_block says false, new variables are
 * meaningless. Curve-blind: coefficients are plain scalars in a dictionary.
 *
 * Limits: 2^31 aux, 2^29 inputs, 2^32 - 1 terms of a matrix between two repeats or in one block;
 * 2^30 aux before the end of the last repeat's first block. */
#ifndef R1CS_RECORDER_H
#define R1CS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/matrix.h"
#include "base/mem.h"
#include "curve/curve.h"
#include "r1cs/r1cs.h"

struct term {
    var_t var;
    uint32_t coef; /* index in the dictionary */
};

/* Always in the dictionary, on every curve. */
enum { COEF_ONE = 0, COEF_MINUS_ONE = 1, COEF_ZERO = 2, COEF_TWO = 3 };

struct recorder;

/* `budget` (may be NULL) is charged to MEM_SHAPE. Input 0 (ONE) exists already. */
MUST_CHECK enum cuzk_status recorder_new(struct recorder **ret, const struct curve *curve,
                                         struct budget *budget, struct cuzk_error *err);
void recorder_free(struct recorder *rec); /* accepts NULL */

/* Index of a coefficient (plain, reduced), added if new. A hash lookup: cheap, but keep the index.
 */
uint32_t recorder_coef(struct recorder *rec, const struct scalar *value);

var_t recorder_input(struct recorder *rec);
var_t recorder_aux(struct recorder *rec, bool is_bit);
/* Inside a block: the handle of port p. */
static inline var_t recorder_port(uint32_t p)
{
    return VAR_PORT | p;
}

/* One constraint A * B = C. Arrays are borrowed. */
void recorder_row(struct recorder *rec, const struct term *a, size_t n_a, const struct term *b,
                  size_t n_b, const struct term *c, size_t n_c);

/* name: what a block is ("challenge"), borrowed; its scope is "challenge 3".
 * imports: count * n_ports variables allocated before (copied); NULL when n_ports is 0. Two ports
 * may name the same variable. No nesting. A count of 0 or 1 is allowed. */
void recorder_repeat_begin(struct recorder *rec, const char *name, uint32_t count, uint32_t n_ports,
                           const var_t *imports);
bool recorder_block(struct recorder *rec);
/* In a block: a part begins here that a witness maker may write by itself (r1cs_repeat.marks). At
 * most R1CS_MARKS_MAX, the same in all blocks. */
void recorder_mark(struct recorder *rec);

/* Numbers so far (blocks implied included once their repeat is over). */
uint64_t recorder_n_rows(const struct recorder *rec);
uint64_t recorder_n_aux(const struct recorder *rec);
uint32_t recorder_n_inputs(const struct recorder *rec);

/* Appends the input rows and hands everything over. Whatever comes of it, the recorder is good for
 * recorder_found_path and recorder_free only. */
MUST_CHECK enum cuzk_status recorder_finish(struct recorder *rec, struct r1cs *ret,
                                            struct cuzk_error *err);

/* ---- names: where in the circuit a row is, for messages ----
 *
 * Scopes nest and cost a few nanoseconds. recorder_find_row(rec, row) before recording: the path
 * ("challenge 3/label 2/sha256") of that row is available after it. Row numbers count all blocks;
 * for a row of an implied block it is the path in block 1 under the implied block's number. */
void recorder_scope(struct recorder *rec, const char *name); /* borrowed until its end */
void recorder_scope_index(struct recorder *rec, const char *name, unsigned index);
void recorder_scope_end(struct recorder *rec);
void recorder_find_row(struct recorder *rec, uint64_t row);
/* "" if not found (yet), or if the row is in no scope. */
const char *recorder_found_path(const struct recorder *rec);

#endif
