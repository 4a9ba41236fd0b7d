/* `cuzk key prepare`: a key in our own form (format/prepared_key.h) from bellperson's .params. */
#ifndef ENGINE_KEY_PREPARE_H
#define ENGINE_KEY_PREPARE_H

#include "engine/engine.h"
#include "engine/report.h"
#include "groth16/key.h"
#include "groth16/qap.h"

struct key_prepare {
    const char *path;    /* the .params file */
    const char *circuit; /* which circuit it is of; NULL: its official name says it */
    const char *folder;  /* where to write; NULL: beside it */
    const char *digests; /* a parameters.json; NULL: the one beside the file, if there is one */
    bool fold;           /* H on the coset and C folded into L: groth16/folding.h */
};

/* Every point is checked as `key verify --deep` does, in the same pass, and the digest against
 * parameters.json where the file is listed; nothing appears unless all is well. Memory: what the
 * circuit takes to be recorded and to be digested, then key_points_bytes; below 512 MiB for every
 * Filecoin circuit. To fold takes the recording, key_points_bytes and folding_bytes together, and
 * folding_arena_bytes of a card. What was written goes to the report. */
MUST_CHECK enum cuzk_status key_prepare(struct engine *engine, const struct key_prepare *prepare,
                                        struct report *report, struct cuzk_error *err);

/* The same for any circuit, which the caller has recorded, and any name: without its name in the
 * header and without parameters.json. progress (may be NULL): points of a query that are done. */
typedef void key_prepare_progress_fn(void *ctx, enum key_query query, size_t done, size_t total);
MUST_CHECK enum cuzk_status key_prepare_of(struct engine *engine, const struct qap *qap,
                                           const char *from, const char *to, bool fold,
                                           key_prepare_progress_fn *progress, void *progress_ctx,
                                           struct cuzk_error *err);

#endif
