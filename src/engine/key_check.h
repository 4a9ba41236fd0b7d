/* `cuzk key verify`: is this key file whole, and is it the official one? */
#ifndef ENGINE_KEY_CHECK_H
#define ENGINE_KEY_CHECK_H

#include "engine/engine.h"
#include "engine/report.h"

struct key_check {
    const char *path;    /* a .params, a .vk or a prepared key */
    const char *digests; /* a parameters.json; NULL: the one beside the file, if there is one */
    bool deep;           /* every point is in the subgroup of order r, too: about 4 us a point */
};

/* Every point: canonical, on the curve, not infinity; the digest against parameters.json where the
 * file is listed. A prepared key: header, table and verifying key, and the digest of what it was
 * made from; with `deep` also its checksums, every point, and the circuit's digests. CUZK_INVALID:
 * another digest, or a point outside the subgroup. CUZK_BAD_INPUT: a file that is broken, with the
 * place. What was checked goes to the report. */
MUST_CHECK enum cuzk_status key_check(struct engine *engine, const struct key_check *check,
                                      struct report *report, struct cuzk_error *err);

#endif
