#include "filecoin/c1_json_form.h"

#define FIELDS(list) .n_fields = sizeof(list) / sizeof *(list), .fields = (list)
#define OBJECT(list)                                                                               \
    {                                                                                              \
        .kind = SCHEMA_OBJECT, FIELDS(list)                                                        \
    }
#define VARIANT(list)                                                                              \
    {                                                                                              \
        .kind = SCHEMA_OBJECT, FIELDS(list), .one_of = true                                        \
    }
#define LIST(of, item)                                                                             \
    {                                                                                              \
        .kind = SCHEMA_LIST, .element = (of), .element_item = (item)                               \
    }

static const struct schema bytes32 = {.kind = SCHEMA_BYTES};
static const struct schema integer = {.kind = SCHEMA_UINT};
static const struct schema text = {.kind = SCHEMA_TEXT};
static const struct schema null = {.kind = SCHEMA_NULL};

/* {"path": [{"hashes": [[...], ...], "index": 3}, ...]} */
static const struct schema hashes = LIST(&bytes32, ITEM_HASH);
static const struct schema_field level_fields[] = {
    {"hashes", &hashes, ITEM_HASHES, false},
    {"index", &integer, ITEM_PATH_INDEX, false},
};
static const struct schema level = OBJECT(level_fields);
static const struct schema levels = LIST(&level, ITEM_LEVEL);
static const struct schema_field path_fields[] = {{"path", &levels, ITEM_LEVELS, false}};
static const struct schema path = OBJECT(path_fields);

/* {"data": {"Sub": {"base_proof": ..., "sub_proof": ..., "root": [...], "leaf": [...]}}}; which
 * variant there must be is known from the tree. */
#define ROOT_AND_LEAF                                                                              \
    {"root", &bytes32, ITEM_ROOT, false},                                                          \
    {                                                                                              \
        "leaf", &bytes32, ITEM_LEAF, false                                                         \
    }
static const struct schema_field single_fields[] = {
    ROOT_AND_LEAF,
    {"path", &path, ITEM_BASE_PATH, false},
};
static const struct schema_field sub_fields[] = {
    ROOT_AND_LEAF,
    {"base_proof", &path, ITEM_BASE_PATH, false},
    {"sub_proof", &path, ITEM_SUB_PATH, false},
};
static const struct schema_field top_fields[] = {
    ROOT_AND_LEAF,
    {"base_proof", &path, ITEM_BASE_PATH, false},
    {"sub_proof", &path, ITEM_SUB_PATH, false},
    {"top_proof", &path, ITEM_TOP_PATH, false},
};
static const struct schema single = OBJECT(single_fields);
static const struct schema sub = OBJECT(sub_fields);
static const struct schema top = OBJECT(top_fields);
static const struct schema_field single_variant_fields[] = {{"Single", &single, ITEM_NONE, false}};
static const struct schema_field sub_variant_fields[] = {{"Sub", &sub, ITEM_NONE, false}};
static const struct schema_field top_variant_fields[] = {{"Top", &top, ITEM_NONE, false}};
const struct schema c1_proof_single = VARIANT(single_variant_fields);
const struct schema c1_proof_sub = VARIANT(sub_variant_fields);
const struct schema c1_proof_top = VARIANT(top_variant_fields);
static const struct schema_field proof_fields[] = {
    {"data", &c1_proof_single, ITEM_PROOF_DATA, false},
};
static const struct schema merkle_proof = OBJECT(proof_fields);

/* {"column": {"index": 7, "rows": [[...], ...], "_h": null}, "inclusion_proof": ...} */
static const struct schema rows = LIST(&bytes32, ITEM_ROW);
static const struct schema_field column_fields[] = {
    {"index", &integer, ITEM_COLUMN_INDEX, false},
    {"rows", &rows, ITEM_ROWS, false},
    {"_h", &null, ITEM_NONE, true},
};
static const struct schema column = OBJECT(column_fields);
static const struct schema_field column_proof_fields[] = {
    {"column", &column, ITEM_NONE, false},
    {"inclusion_proof", &merkle_proof, ITEM_COLUMN_PATH, false},
};
static const struct schema column_proof = OBJECT(column_proof_fields);
static const struct schema column_proofs = LIST(&column_proof, ITEM_PARENT);
static const struct schema_field replica_column_fields[] = {
    {"c_x", &column_proof, ITEM_COLUMN, false},
    {"drg_parents", &column_proofs, ITEM_DRG_PARENTS, false},
    {"exp_parents", &column_proofs, ITEM_EXPANDER_PARENTS, false},
};
static const struct schema replica_columns = OBJECT(replica_column_fields);

/* {"parents": [[...], ...], "layer_index": 1, "node": 7} */
static const struct schema label_parents = LIST(&bytes32, ITEM_LABEL_PARENT);
static const struct schema_field label_fields[] = {
    {"parents", &label_parents, ITEM_LABEL_PARENTS, false},
    {"layer_index", &integer, ITEM_LAYER, false},
    {"node", &integer, ITEM_NODE, false},
};
static const struct schema label = OBJECT(label_fields);
static const struct schema labels = LIST(&label, ITEM_LABEL);

static const struct schema_field challenge_fields[] = {
    {"comm_d_proofs", &merkle_proof, ITEM_DATA_PATH, false},
    {"comm_r_last_proof", &merkle_proof, ITEM_REPLICA_PATH, false},
    {"replica_column_proofs", &replica_columns, ITEM_NONE, false},
    {"labeling_proofs", &labels, ITEM_LABELS, false},
    {"encoding_proof", &label, ITEM_ENCODING, false},
};
static const struct schema challenge = OBJECT(challenge_fields);
static const struct schema partition = LIST(&challenge, ITEM_CHALLENGE);
static const struct schema partitions = LIST(&partition, ITEM_PARTITION);

#define SEAL_FIELDS                                                                                \
    {"comm_r", &bytes32, ITEM_COMM_R, false}, {"comm_d", &bytes32, ITEM_COMM_D, false},            \
        {"replica_id", &bytes32, ITEM_REPLICA_ID, false}, {"seed", &bytes32, ITEM_SEED, false},    \
    {                                                                                              \
        "ticket", &bytes32, ITEM_TICKET, false                                                     \
    }
static const struct schema_field native_fields[] = {
    {"vanilla_proofs", &partitions, ITEM_PARTITIONS, false},
    SEAL_FIELDS,
};
const struct schema c1_native_form = OBJECT(native_fields);

static const struct schema_field variant_fields[] = {
    {"StackedDrg2KiBV1", &partitions, ITEM_VARIANT, false},
    {"StackedDrg8MiBV1", &partitions, ITEM_VARIANT, false},
    {"StackedDrg512MiBV1", &partitions, ITEM_VARIANT, false},
    {"StackedDrg32GiBV1", &partitions, ITEM_VARIANT, false},
    {"StackedDrg64GiBV1", &partitions, ITEM_VARIANT, false},
};
static const struct schema variants = VARIANT(variant_fields);
static const struct schema_field api_fields[] = {
    {"registered_proof", &text, ITEM_REGISTERED_PROOF, false},
    {"vanilla_proofs", &variants, ITEM_NONE, false},
    SEAL_FIELDS,
};
const struct schema c1_api_form = OBJECT(api_fields);
