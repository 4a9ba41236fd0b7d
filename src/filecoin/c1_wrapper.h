/* The wrapper in which Lotus and Curio keep a C1:
 *
 *     {"SectorNum": 7, "Phase1Out": "<base64 of a C1 in JSON>", "SectorSize": 34359738368}
 *
 * A scanner of its own, because the base64 is one string of 68 MB: it is decoded as it passes. */
#ifndef FILECOIN_C1_WRAPPER_H
#define FILECOIN_C1_WRAPPER_H

#include "format/byte_source.h"

struct c1_wrapper {
    uint64_t sector_num, sector_size;
};

/* Reads what is inside Phase1Out. It need not read to the end. */
typedef enum cuzk_status c1_inner_fn(void *ctx, struct byte_source *inner, struct cuzk_error *err);

/* Does a text that begins with these bytes look like a wrapper? (Its first field is one of the
 * three.) */
bool c1_wrapper_is(const void *bytes, size_t n);

/* Fields in any order, each exactly once. ret NULL: only `inner` is wanted, and what follows it is
 * not looked at. */
MUST_CHECK enum cuzk_status c1_wrapper_read(struct byte_source *source, struct c1_wrapper *ret,
                                            c1_inner_fn *inner, void *ctx, struct cuzk_error *err);

#endif
