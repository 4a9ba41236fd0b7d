/* One set of tests/vectors/filecoin/tiny: a small circuit with everything bellperson made of it.
 * What is broken ends the test with a sentence. */
#ifndef SUPPORT_TINY_SET_H
#define SUPPORT_TINY_SET_H

#include "groth16/qap.h"
#include "groth16/trapdoor.h"
#include "support/json.h"

struct tiny_set {
    const char *name; /* "three" */
    struct json *meta;
    uint8_t *inputs, *aux; /* 32 bytes each; inputs without ONE */
    size_t n_inputs;       /* without ONE */
    struct r1cs cs;
    struct qap qap;
    struct witness witness;
    struct trapdoor trapdoor;
    struct blinding blinding; /* of the set's label */
};

/* All sets that have a key, ended by NULL. */
extern const char *const tiny_names[];

/* Variables that are 0 or 1 are of class bit, */
void tiny_set_load(struct tiny_set *set, const char *name);
/* or all are full values. */
void tiny_set_load_full(struct tiny_set *set, const char *name);
void tiny_set_free(struct tiny_set *set);
/* One of its files. vector_free. */
uint8_t *tiny_set_file(const struct tiny_set *set, const char *file, size_t *ret_bytes);

#endif
