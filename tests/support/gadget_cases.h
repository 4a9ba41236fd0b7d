/* The cases of tests/vectors/filecoin/gadgets: what each one allocates, in our gadgets. */
#ifndef SUPPORT_GADGET_CASES_H
#define SUPPORT_GADGET_CASES_H

#include "circuit/num.h"
#include "support/json.h"

/* One pass over a case with a sink of either kind. */
struct gadget_run {
    struct sink *sink;
    unsigned variant;
    /* What the index says about the outputs of this variant; NULL if nothing. Outputs are compared
     * as they are made: variables in a shape sink, values in a witness sink. */
    const struct json *expected;
    size_t n_outputs; /* compared so far */
};

struct gadget_case {
    const char *name;
    void (*build)(struct gadget_run *run, unsigned parameter);
    unsigned parameter;
};

#define N_GADGET_CASES 84u
extern const struct gadget_case gadget_cases[N_GADGET_CASES];

/* Outputs that `expected` lists, in it and below it. */
size_t gadget_outputs_listed(const struct json *expected);

/* SHA-256(tag, 0 as u64), SHA-256(tag, 1), ...: the first n bytes. */
void tagged_bytes(void *out, size_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
