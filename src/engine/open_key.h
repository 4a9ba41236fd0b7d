/* A proving key from a file, in whichever of our two forms it is.
 *
 *     <official name>.params     as bellperson writes it
 *     <official name>.cuzk       prepared from it (format/prepared_key.h)
 *
 * Which one a file is, its first bytes say, or the extension .cuzk. In a folder the prepared one
 * comes first. */
#ifndef ENGINE_OPEN_KEY_H
#define ENGINE_OPEN_KEY_H

#include "engine/engine.h"
#include "engine/key_folder.h"
#include "groth16/key.h"

#define PARAMS_EXTENSION ".params"
#define PREPARED_EXTENSION ".cuzk"

/* Is the file to be read as a prepared key? */
bool key_is_prepared(const struct file_map *map);

MUST_CHECK enum cuzk_status key_open(struct proving_key *ret, const char *path,
                                     const struct curve *curve, struct engine *engine,
                                     struct cuzk_error *err);

/* Where the key of a circuit is in a folder: as key_folder_find. */
MUST_CHECK enum cuzk_status key_find_in_folder(char path[KEY_PATH_MAX], const char *folder,
                                               struct circuit_name name, enum key_choice choice,
                                               struct cuzk_error *err);
/* The key of a circuit in a folder; stage "open key", with what was opened. A prepared key is
 * refused when it is of another circuit, and when the .params beside it has another verifying key:
 * one of the two is stale. */
MUST_CHECK enum cuzk_status key_open_in_folder(struct proving_key *ret, const char *folder,
                                               struct circuit_name name, enum key_choice choice,
                                               const struct curve *curve, struct engine *engine,
                                               struct cuzk_error *err);

#endif
