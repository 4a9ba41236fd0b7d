/* A PoSt set of the reference vectors: its facts and its vanilla proofs. */
#ifndef SUPPORT_POST_SET_H
#define SUPPORT_POST_SET_H

#include "filecoin/vanilla_post.h"
#include "support/json.h"

enum { N_POST_SETS = 11 };
extern const char *const post_sets[N_POST_SETS]; /* "winning-2k" and so on */

struct post_set {
    const char *name;
    struct json *meta;
    size_t partitions;
    struct vanilla_post vanilla; /* from vanilla-0.bin, ... */
};

/* Anything missing ends the test with a sentence. */
struct post_set post_set_load(const char *name);
void post_set_free(struct post_set *set);

#endif
