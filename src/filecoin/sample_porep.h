/* Vanilla PoRep proofs of a sample sector: they satisfy the circuit as those of any sealed sector
 * do. */
#ifndef FILECOIN_SAMPLE_POREP_H
#define FILECOIN_SAMPLE_POREP_H

#include "filecoin/sample_sector.h"
#include "filecoin/vanilla.h"

/* All partitions of the sector's config. What it makes passes vanilla_check_deep. */
MUST_CHECK enum cuzk_status sample_porep(struct vanilla_porep *ret,
                                         const struct sample_sector *sector, struct budget *budget,
                                         struct cuzk_error *err);

#endif
