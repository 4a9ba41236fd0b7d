#include "filecoin/c1_json.h"

#include <inttypes.h>
#include <string.h>

#include "filecoin/c1_json_form.h"
#include "filecoin/label.h"
#include "format/json_sax.h"

/* ---- the registered proof -------------------------------------------------------------------- */

struct search {
    unsigned depth;
    bool proof_is_next, proofs_are_next; /* the value of which field comes next */
    bool has_variant, found;
    const struct seal_proof *proof;
};

static enum cuzk_status take_name(struct search *s, const struct sax_event *event,
                                  struct cuzk_error *err)
{
    s->proof = event->kind == SAX_STRING ? seal_proof_of_name(event->text) : NULL;
    if (!s->proof)
        return error_set(err, CUZK_BAD_INPUT,
                         "offset %" PRIu64 ": registered_proof: expected the name of a seal proof, "
                         "found %s %.60s",
                         event->offset, sax_kind_name(event->kind),
                         event->kind == SAX_STRING ? event->text : "");
    s->found = true;
    return CUZK_CANCELLED; /* no need to read on */
}

static enum cuzk_status search_event(void *ctx, const struct sax_event *event,
                                     struct cuzk_error *err)
{
    struct search *s = ctx;

    if (s->proof_is_next)
        return take_name(s, event, err);
    if (s->proofs_are_next && event->kind == SAX_ARRAY_BEGIN) {
        s->found = true; /* the native form: it has no name */
        return CUZK_CANCELLED;
    }
    s->has_variant |= s->proofs_are_next;
    s->proofs_are_next = false;
    if (event->kind == SAX_OBJECT_BEGIN || event->kind == SAX_ARRAY_BEGIN)
        s->depth++;
    else if (event->kind == SAX_OBJECT_END || event->kind == SAX_ARRAY_END)
        s->depth--;
    else if (event->kind == SAX_KEY && s->depth == 1) {
        s->proof_is_next = strcmp(event->text, "registered_proof") == 0;
        s->proofs_are_next = strcmp(event->text, "vanilla_proofs") == 0;
    }
    return CUZK_OK;
}

enum cuzk_status c1_json_find_proof(struct byte_source *source, void *room,
                                    const struct seal_proof **ret_proof, struct cuzk_error *err)
{
    struct search s = {0};
    enum cuzk_status st = json_sax(source, SCHEMA_DEPTH_MAX, room, search_event, &s, err);

    if (st != CUZK_OK && !s.found)
        return st;
    if (!s.found)
        return error_set(err, CUZK_BAD_INPUT, "expected an object with %s, found none",
                         s.has_variant ? "registered_proof" : "vanilla_proofs");
    *ret_proof = s.proof;
    return CUZK_OK;
}

/* ---- the values ------------------------------------------------------------------------------ */

/* Where in the result the reader is. */
struct c1_json {
    struct vanilla_porep v;
    const struct seal_proof *proof;
    struct tree_shape tree_d;

    unsigned partition;
    struct vanilla_challenge *challenge;
    bool node_known;
    unsigned first_parent;
    struct vanilla_column *column;
    size_t row;
    unsigned layer; /* that a label should be of */
    unsigned label; /* its place, from 0: labeling_proofs, then encoding_proof */
    size_t label_parent;
    uint8_t label_parents[LAYERS_MAX + 1][LABEL_PARENTS][32]; /* of the challenge */

    struct merkle_path *path;
    const struct tree_shape *tree;
    unsigned first_level, n_levels; /* of this part of a path */
    unsigned level_bits, level_shift;
    struct scalar *level_siblings;
    size_t hash;
};

static void enter_path(struct c1_json *c, struct merkle_path *path, const struct tree_shape *tree)
{
    c->path = path;
    c->tree = tree;
}

static void enter_part(struct c1_json *c, unsigned first_level, unsigned n_levels)
{
    c->first_level = first_level;
    c->n_levels = n_levels;
}

static void enter_level(struct c1_json *c, unsigned level)
{
    c->level_siblings = c->path->siblings;
    c->level_shift = 0;
    for (unsigned below = 0; below < level; below++) {
        unsigned bits = tree_level_bits(c->tree, below);

        c->level_siblings += (1u << bits) - 1;
        c->level_shift += bits;
    }
    c->level_bits = tree_level_bits(c->tree, level);
}

static enum cuzk_status enter_variant(struct c1_json *c, const struct schema_place *place,
                                      struct cuzk_error *err)
{
    if (strcmp(place->name, c->proof->variant_name) != 0)
        return error_set(err, CUZK_BAD_INPUT, "expected %s, the variant of %s",
                         c->proof->variant_name, c->proof->name);
    return CUZK_OK;
}

/* A challenge is there as a whole: its labels may have come before its columns. */
static void finish_challenge(struct c1_json *c)
{
    const unsigned layers = c->v.shape.layers;

    for (unsigned label = 0; label <= layers && c->challenge; label++)
        label_compare(c->challenge, c->label_parents[label][0], label + 1, layers);
}

static enum cuzk_status enter(void *ctx, struct schema_place *place, struct cuzk_error *err)
{
    struct c1_json *c = ctx;
    const struct porep_shape *shape = &c->v.shape;

    switch ((enum c1_item)place->item) {
    case ITEM_VARIANT:
        TRY(enter_variant(c, place, err));
        place->length = c->v.partitions;
        break;
    case ITEM_PARTITIONS: place->length = c->v.partitions; break;
    case ITEM_PARTITION:
        c->partition = (unsigned)place->index;
        place->length = shape->challenges;
        break;
    case ITEM_CHALLENGE:
        finish_challenge(c);
        c->challenge = c->v.challenges + (size_t)c->partition * shape->challenges + place->index;
        c->node_known = false;
        break;
    case ITEM_DATA_PATH: enter_path(c, &c->challenge->data, &c->tree_d); break;
    case ITEM_REPLICA_PATH: enter_path(c, &c->challenge->replica, &shape->tree); break;
    case ITEM_COLUMN: c->column = &c->challenge->column; break;
    case ITEM_DRG_PARENTS:
        c->first_parent = 0;
        place->length = DRG_PARENTS;
        break;
    case ITEM_EXPANDER_PARENTS:
        c->first_parent = DRG_PARENTS;
        place->length = EXPANDER_PARENTS;
        break;
    case ITEM_PARENT: c->column = &c->challenge->parents[c->first_parent + place->index]; break;
    case ITEM_ROWS: place->length = shape->layers; break;
    case ITEM_ROW: c->row = place->index; break;
    case ITEM_COLUMN_PATH: enter_path(c, &c->column->path, &shape->tree); break;
    case ITEM_PROOF_DATA:
        place->schema = c->tree->top_bits   ? &c1_proof_top
                        : c->tree->sub_bits ? &c1_proof_sub
                                            : &c1_proof_single;
        break;
    case ITEM_BASE_PATH: enter_part(c, 0, c->tree->base_levels); break;
    case ITEM_SUB_PATH: enter_part(c, c->tree->base_levels, 1); break;
    case ITEM_TOP_PATH: enter_part(c, c->tree->base_levels + 1, 1); break;
    case ITEM_LEVELS: place->length = c->n_levels; break;
    case ITEM_LEVEL: enter_level(c, c->first_level + (unsigned)place->index); break;
    case ITEM_HASHES: place->length = (1u << c->level_bits) - 1; break;
    case ITEM_HASH: c->hash = place->index; break;
    case ITEM_LABELS: place->length = shape->layers; break;
    case ITEM_LABEL:
        c->label = (unsigned)place->index;
        c->layer = c->label + 1;
        break;
    case ITEM_ENCODING: c->label = c->layer = shape->layers; break;
    case ITEM_LABEL_PARENTS: place->length = LABEL_PARENTS; break;
    case ITEM_LABEL_PARENT: c->label_parent = place->index; break;
    default: break;
    }
    return CUZK_OK;
}

static enum cuzk_status store_scalar(struct scalar *to, const struct schema_value *value,
                                     struct cuzk_error *err)
{
    struct scalar a = scalar_from_bytes((const uint8_t *)value->text);

    if (!curve_bls12_381.fr_is_reduced(&a))
        return error_set(err, CUZK_BAD_INPUT, "expected a number below the field's modulus");
    *to = a;
    return CUZK_OK;
}

/* All labels of a challenge are of one node. */
static enum cuzk_status store_node(struct c1_json *c, uint64_t node, struct cuzk_error *err)
{
    if (c->node_known && node != c->challenge->node)
        return error_set(err, CUZK_BAD_INPUT,
                         "expected %" PRIu64 " as in the other labels, found %" PRIu64,
                         c->challenge->node, node);
    c->challenge->node = node;
    c->node_known = true;
    return CUZK_OK;
}

static enum cuzk_status in_range(uint64_t number, uint64_t least, uint64_t most,
                                 struct cuzk_error *err)
{
    if (number >= least && number <= most)
        return CUZK_OK;
    return error_set(err, CUZK_BAD_INPUT, "expected %s %" PRIu64 ", found %" PRIu64,
                     least == most ? "exactly" : "at most", most, number);
}

static enum cuzk_status store(void *ctx, int item, const struct schema_value *value,
                              struct cuzk_error *err)
{
    struct c1_json *c = ctx;
    struct seal *seal = &c->v.seal;

    switch ((enum c1_item)item) {
    case ITEM_REGISTERED_PROOF:
        if (strcmp(value->text, c->proof->name) != 0)
            return error_set(err, CUZK_BAD_INPUT, "expected %s", c->proof->name);
        return CUZK_OK;
    case ITEM_COMM_R: return store_scalar(&seal->comm_r, value, err);
    case ITEM_COMM_D: return store_scalar(&seal->comm_d, value, err);
    case ITEM_REPLICA_ID: return store_scalar(&seal->replica_id, value, err);
    case ITEM_SEED: memcpy(seal->seed, value->text, sizeof seal->seed); return CUZK_OK;
    case ITEM_TICKET: memcpy(seal->ticket, value->text, sizeof seal->ticket); return CUZK_OK;
    case ITEM_ROOT: return store_scalar(&c->path->root, value, err);
    case ITEM_LEAF: return store_scalar(&c->path->leaf, value, err);
    case ITEM_HASH: return store_scalar(&c->level_siblings[c->hash], value, err);
    case ITEM_PATH_INDEX:
        TRY(in_range(value->number, 0, (1u << c->level_bits) - 1, err));
        c->path->index |= value->number << c->level_shift; /* zero at first; each level once */
        return CUZK_OK;
    case ITEM_COLUMN_INDEX:
        TRY(in_range(value->number, 0, UINT32_MAX, err));
        c->column->index = (uint32_t)value->number;
        return CUZK_OK;
    case ITEM_ROW: return store_scalar(&c->column->rows[c->row], value, err);
    case ITEM_LAYER: return in_range(value->number, c->layer, c->layer, err);
    case ITEM_NODE: return store_node(c, value->number, err);
    case ITEM_LABEL_PARENT:
        memcpy(c->label_parents[c->label][c->label_parent], value->text, 32);
        return CUZK_OK;
    default: return CUZK_OK;
    }
}

enum cuzk_status c1_json_read(struct vanilla_porep *ret, struct byte_source *source,
                              const struct porep_shape *shape, unsigned partitions,
                              const struct seal_proof *proof, void *room, struct budget *budget,
                              struct cuzk_error *err)
{
    struct c1_json c = {.proof = proof, .tree_d = tree_binary(shape->tree.lg_nodes)};
    const struct schema_handler handler = {.ctx = &c, .enter = enter, .value = store};
    enum cuzk_status st;

    TRY(vanilla_porep_new(&c.v, shape, partitions, budget, err));
    st = json_schema_read(source, proof ? &c1_api_form : &c1_native_form, &handler, room, err);
    if (st != CUZK_OK) {
        vanilla_porep_done(&c.v);
        return st;
    }
    finish_challenge(&c);
    *ret = c.v;
    return CUZK_OK;
}
