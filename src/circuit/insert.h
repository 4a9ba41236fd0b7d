/* Putting an element among its siblings, and taking one out of a list. */
#ifndef CIRCUIT_INSERT_H
#define CIRCUIT_INSERT_H

#include "circuit/num.h"

/* children: arity 2^lg_arity (2, 4 or 8) numbers: the siblings in order with `element` at the index
 * that the bits give, least significant first. The bits of arity 8 are not constant. */
void insert_gadget(struct sink *sink, unsigned lg_arity, num_t element, const bool_t *index,
                   const num_t *siblings, num_t *children);

/* list[index] of 2^lg_n numbers; index: lg_n bits, least significant first. The list is
 * overwritten. */
num_t select_gadget(struct sink *sink, unsigned lg_n, num_t *list, const bool_t *index);

#endif
