/* Key files by their official names in a folder, and the line between official and development
 * keys.
 *
 *     v28-<circuit>-<sha256>.params          official: made in the ceremony
 *     dev-v28-<circuit>-<sha256>.params      ours, from a trapdoor label: whoever knows the label
 *                                            can forge proofs; taken only where that was allowed */
#ifndef ENGINE_KEY_FOLDER_H
#define ENGINE_KEY_FOLDER_H

#include <stdbool.h>

#include "base/error.h"
#include "filecoin/circuit_name.h"

enum key_choice {
    KEY_OFFICIAL,  /* only an official key */
    KEY_ALLOW_DEV, /* an official key, else a development key */
    KEY_ONLY_DEV,  /* proofs with known randomness are for development keys alone */
};

#define KEY_PATH_MAX 4096u

/* The folder that is meant when none is given: /data/zk/params if it exists, else
 * $FIL_PROOFS_PARAMETER_CACHE, else /var/tmp/filecoin-proof-parameters. */
const char *key_folder_default(void);

/* Path of the key file with this extension (".vk") that the choice takes. CUZK_BAD_INPUT with what
 * is missing; a development key that is there but not allowed is named. */
MUST_CHECK enum cuzk_status key_folder_find(char path[KEY_PATH_MAX], const char *folder,
                                            struct circuit_name name, const char *extension,
                                            enum key_choice choice, struct cuzk_error *err);
/* The same with the first of several extensions (ended by NULL) that is there; what is missing has
 * the last of them. */
MUST_CHECK enum cuzk_status key_folder_find_any(char path[KEY_PATH_MAX], const char *folder,
                                                struct circuit_name name,
                                                const char *const *extensions,
                                                enum key_choice choice, struct cuzk_error *err);

/* Where a development key of this circuit is written. */
MUST_CHECK enum cuzk_status key_folder_dev_path(char path[KEY_PATH_MAX], const char *folder,
                                                struct circuit_name name, const char *extension,
                                                struct cuzk_error *err);

/* What follows the last slash, and the same without the mark of a development key. */
const char *key_base_name(const char *path);
const char *key_official_name(const char *path);
/* Does the file name mark a development key? */
bool key_is_dev(const char *path);

#endif
