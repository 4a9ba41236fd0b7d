/* The form of a C1 in JSON as schemas, and the names of its parts. */
#ifndef FILECOIN_C1_JSON_FORM_H
#define FILECOIN_C1_JSON_FORM_H

#include "format/json_schema.h"

enum c1_item {
    ITEM_NONE,
    /* the C1 */
    ITEM_REGISTERED_PROOF,
    ITEM_PARTITIONS, /* of the native form */
    ITEM_VARIANT,    /* the same, of the API's */
    ITEM_COMM_R,
    ITEM_COMM_D,
    ITEM_REPLICA_ID,
    ITEM_SEED,
    ITEM_TICKET,
    ITEM_PARTITION,
    ITEM_CHALLENGE,
    /* a challenge */
    ITEM_DATA_PATH,
    ITEM_REPLICA_PATH,
    ITEM_COLUMN,
    ITEM_DRG_PARENTS,
    ITEM_EXPANDER_PARENTS,
    ITEM_PARENT,
    ITEM_LABELS,
    ITEM_LABEL,
    ITEM_ENCODING,
    /* a column */
    ITEM_COLUMN_INDEX,
    ITEM_ROWS,
    ITEM_ROW,
    ITEM_COLUMN_PATH,
    /* a Merkle proof */
    ITEM_PROOF_DATA,
    ITEM_ROOT,
    ITEM_LEAF,
    ITEM_BASE_PATH,
    ITEM_SUB_PATH,
    ITEM_TOP_PATH,
    ITEM_LEVELS,
    ITEM_LEVEL,
    ITEM_HASHES,
    ITEM_HASH,
    ITEM_PATH_INDEX,
    /* a label */
    ITEM_LABEL_PARENTS,
    ITEM_LABEL_PARENT,
    ITEM_LAYER,
    ITEM_NODE,
};

extern const struct schema c1_api_form, c1_native_form;

/* What stands at ITEM_PROOF_DATA: one of these, by the tree's sub and top level. */
extern const struct schema c1_proof_single, c1_proof_sub, c1_proof_top;

#endif
