/* Random constraint systems with repeats, recorded with them or written out: the same system twice.
 *
 * Rows draw on every kind of variable (inputs, outer aux, the block's own, ports), repeat variables
 * inside a row, and use coefficients that are zero or cancel. */
#ifndef SUPPORT_RANDOM_SYSTEM_H
#define SUPPORT_RANDOM_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "r1cs/recorder.h"

struct random_system {
    uint64_t seed;
    unsigned n_repeats; /* with flat rows before, between and after */
    uint32_t count;     /* blocks of each */
    uint32_t n_ports;
    unsigned rows, terms; /* of a block or flat part; terms of a side at most */
};

/* Records it; `flat`: every block written out. */
void random_system_record(const struct random_system *system, struct recorder *rec, bool flat);

/* Record and finish. */
enum cuzk_status random_system_load(const struct random_system *system, struct r1cs *ret,
                                    const struct curve *curve, struct budget *budget, bool flat,
                                    struct cuzk_error *err);

#endif
