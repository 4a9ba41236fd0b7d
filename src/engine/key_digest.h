/* Is a key file the one that parameters.json lists? */
#ifndef ENGINE_KEY_DIGEST_H
#define ENGINE_KEY_DIGEST_H

#include "engine/engine.h"
#include "engine/report.h"
#include "format/parameters_json.h"

struct key_digest {
    const char *path;    /* of the key, for messages and to look beside it */
    const char *name;    /* the listed one, without a folder */
    const char *digests; /* a parameters.json; NULL: the one beside the key, if there is one */
};

/* Compares, and reports digest and digest_is_official. CUZK_INVALID: it is listed with another.
 * CUZK_BAD_INPUT: `digests` was given and does not list it. */
MUST_CHECK enum cuzk_status key_digest_check(const struct key_digest *key,
                                             const uint8_t digest[PARAMETERS_DIGEST_BYTES],
                                             struct report *report, struct cuzk_error *err);
/* The same for a whole file, whose digest is computed: stage "digest". */
MUST_CHECK enum cuzk_status key_digest_check_file(struct engine *engine,
                                                  const struct key_digest *key,
                                                  struct report *report, struct cuzk_error *err);

#endif
