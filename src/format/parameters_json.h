/* parameters.json: what the official key files hash to.
 *
 *     {"v28-....params": {"cid": "Qm...", "digest": "<32 hex>", "sector_size": 2048}, ...}
 *
 * digest: the first 16 bytes of BLAKE2b-512 over the file. */
#ifndef FORMAT_PARAMETERS_JSON_H
#define FORMAT_PARAMETERS_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { PARAMETERS_DIGEST_BYTES = 16 };

/* The digest of `file_name` (no folder) in the parameters.json at `path`. *ret_found is false when
 * it is not listed. A file of another form is refused with its offset. */
MUST_CHECK enum cuzk_status parameters_json_find(const char *path, const char *file_name,
                                                 uint8_t digest[PARAMETERS_DIGEST_BYTES],
                                                 bool *ret_found, struct cuzk_error *err);

#endif
