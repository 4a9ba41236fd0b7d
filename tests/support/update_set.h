/* A SnapDeals set of the reference vectors: its facts and its vanilla proofs. */
#ifndef SUPPORT_UPDATE_SET_H
#define SUPPORT_UPDATE_SET_H

#include "filecoin/vanilla_update.h"
#include "support/json.h"

struct update_set {
    const char *name;
    char folder[4096];
    struct json *meta;
    struct vanilla_update vanilla; /* from vanilla-0.bin, ... */
};

/* update-2k is part of the tree, the others are below $CUZK_TEST_DATA. False, after saying so, if
 * the set is not there; anything missing in it ends the test with a sentence. */
bool update_set_load(struct update_set *ret, const char *name);
void update_set_free(struct update_set *set);

/* A file of the set. */
uint8_t *update_set_file(const struct update_set *set, const char *name, size_t *ret_bytes);

#endif
