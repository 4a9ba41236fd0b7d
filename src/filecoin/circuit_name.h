/* Names of circuits: what people type, and what the key files of a circuit are called.
 *
 *     porep-32GiB      our form, always printed
 *     porep-32g        accepted, in any case, as are snap-32g (update) and wpost-32g (window)
 *
 * The official key files are named after a text that describes the circuit, the *identifier*:
 * "v28-" prefix "-" sha256(identifier) ".params"; docs/filecoin.md, 2.4. */
#ifndef FILECOIN_CIRCUIT_NAME_H
#define FILECOIN_CIRCUIT_NAME_H

#include <stdbool.h>

#include "base/error.h"
#include "filecoin/sector.h"

enum circuit_kind {
    CIRCUIT_POREP,   /* seal proofs */
    CIRCUIT_WINNING, /* WinningPoSt */
    CIRCUIT_WINDOW,  /* WindowPoSt */
    CIRCUIT_UPDATE,  /* SnapDeals */
};

struct circuit_name {
    enum circuit_kind kind;
    const struct sector_size *size;
};

/* Refuses anything else with one line that lists what there is. */
MUST_CHECK enum cuzk_status circuit_name_parse(struct circuit_name *ret, const char *text,
                                               struct cuzk_error *err);

/* All texts below are terminated and fit in this. */
#define CIRCUIT_TEXT_MAX 384u

void circuit_name_print(char out[CIRCUIT_TEXT_MAX], struct circuit_name name);
void circuit_identifier(char out[CIRCUIT_TEXT_MAX], struct circuit_name name);
/* extension: ".params", ".vk", ".meta" or "". */
void circuit_file_name(char out[CIRCUIT_TEXT_MAX], struct circuit_name name, const char *extension);

/* The circuit whose official key files have this name, whatever the extension; false if there is
 * none. */
bool circuit_name_of_file(struct circuit_name *ret, const char *file_name);
/* The same for a PoRep shape that belongs to no sector size (tests). */
void porep_identifier(char out[CIRCUIT_TEXT_MAX], const struct porep_shape *shape);
void porep_file_name(char out[CIRCUIT_TEXT_MAX], const struct porep_shape *shape,
                     const char *extension);

#endif
