/* The cases of tests/vectors/filecoin/gadgets, in the order of their index. */
#ifndef SUPPORT_GADGET_CASES_H
#define SUPPORT_GADGET_CASES_H

#include "support/gadget_run.h"

struct gadget_case {
    const char *name;
    void (*build)(struct gadget_run *run, unsigned parameter);
    unsigned parameter;
};

#define N_GADGET_CASES 84u
extern const struct gadget_case gadget_cases[N_GADGET_CASES];

#endif
