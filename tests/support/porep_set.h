/* A PoRep set of the reference vectors: its facts, its C1, what is expected of its partitions. */
#ifndef SUPPORT_POREP_SET_H
#define SUPPORT_POREP_SET_H

#include "filecoin/vanilla.h"
#include "support/json.h"

enum { N_POREP_SETS = 8 };
extern const char *const porep_sets[N_POREP_SETS];

struct porep_set {
    const char *name;
    struct json *meta;
    struct porep_config config;
    struct vanilla_porep vanilla; /* from c1.bin */
};

/* Anything missing ends the test with a sentence. */
struct porep_set porep_set_load(const char *name);
void porep_set_free(struct porep_set *set);

#endif
