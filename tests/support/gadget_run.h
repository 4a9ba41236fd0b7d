/* One pass over a gadget case: the values it starts from, and its outputs compared as they are
 * made. */
#ifndef SUPPORT_GADGET_RUN_H
#define SUPPORT_GADGET_RUN_H

#include "circuit/num.h"
#include "circuit/uint32.h"
#include "support/json.h"

struct gadget_run {
    struct sink *sink; /* of either kind */
    unsigned variant;
    /* What the index says about the outputs of this variant; NULL if nothing. Variables are
     * compared in a shape sink, values in a witness sink. */
    const struct json *expected;
    size_t n_outputs; /* compared so far */
};

/* Outputs that `expected` lists, in it and below it. */
size_t gadget_outputs_listed(const struct json *expected);

/* ---- values: SHA-256(tag, 0 as u64), SHA-256(tag, 1), ... ---- */

/* The first n bytes. */
void tagged_bytes(void *out, size_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The first 32 with the two top bits of the last byte cleared. */
fr_t tagged_fr(const char *format, ...) __attribute__((format(printf, 1, 2)));
num_t alloc_tagged(struct sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- outputs: of a member (NULL: the expected value itself), of an item of it (-1: no list) -- */

void expect_bools(struct gadget_run *run, const char *member, int item, const bool_t *bits,
                  size_t n);
void expect_word(struct gadget_run *run, int item, const struct uint32 *word);
void expect_num(struct gadget_run *run, const char *member, int item, num_t x);

#endif
