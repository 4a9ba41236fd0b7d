/* All points of a query of a key, in order, a window at a time: decoded, looked at, handed on.
 *
 * For `cuzk key verify` and `cuzk key prepare`, on keys of any size: a window is as many
 * tiles as there is work for, within KEY_POINTS_BYTES, a tile is the work of one thread, and pages
 * of the mapped file leave memory when their window is done. */
#ifndef ENGINE_KEY_POINTS_H
#define ENGINE_KEY_POINTS_H

#include "engine/engine.h"
#include "groth16/key.h"

enum {
    KEY_POINTS_TILE = 1 << 14,    /* points: 3 MiB on G2 of BLS12-381, 10 with their scratch */
    KEY_POINTS_BYTES = 300 << 20, /* of a window at most */
};

struct key_points {
    const struct proving_key *key; /* on curve->g1 and g2, mapped from key->map */
    const char *path;              /* for messages */
    bool subgroup;                 /* look at that too (msm/group_kernels.h: random sums) */
};

/* Gets points [first, first + n) of the query, native; it may change them, and they are gone when it
 * returns. */
typedef enum cuzk_status key_points_fn(void *ctx, enum key_query query, size_t first, void *native,
                                       size_t n, struct cuzk_error *err);

/* Bytes of MEM_SCRATCH that a walk takes: KEY_POINTS_BYTES at most, on any machine. */
size_t key_points_bytes(const struct engine *engine, const struct key_points *points,
                        enum key_query query);

/* Stage "points of <query>". Every point: canonical, on the curve, not infinity. The first that is
 * bad is CUZK_BAD_INPUT, or CUZK_INVALID if it is outside the subgroup. `take` may be NULL. */
MUST_CHECK enum cuzk_status key_points_walk(struct engine *engine, const struct key_points *points,
                                            enum key_query query, key_points_fn *take, void *ctx,
                                            struct cuzk_error *err);

#endif
