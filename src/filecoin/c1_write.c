#include "filecoin/c1_write.h"

#include "filecoin/label.h"
#include "filecoin/serde.h"

static void column_proof(struct serde_writer *w, const struct vanilla_column *column,
                         const struct porep_shape *shape)
{
    serde_begin(w, '{');
    serde_name(w, "column");
    serde_begin(w, '{');
    serde_name(w, "index");
    serde_number(w, column->index, 4);
    serde_name(w, "rows");
    serde_list(w, shape->layers);
    for (unsigned i = 0; i < shape->layers; i++)
        serde_scalar(w, &column->rows[i]);
    serde_end(w, ']');
    serde_name(w, "_h");
    if (w->json)
        fputs("null", w->out);
    serde_end(w, '}');
    serde_name(w, "inclusion_proof");
    serde_merkle_proof(w, &column->path, &shape->tree);
    serde_end(w, '}');
}

/* LabelingProof and EncodingProof. */
static void label(struct serde_writer *w, const struct vanilla_challenge *c, unsigned layer)
{
    struct scalar parents[N_PARENTS];
    unsigned n = label_parents(parents, c->parents, layer);

    serde_begin(w, '{');
    serde_name(w, "parents");
    serde_list(w, LABEL_PARENTS);
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        serde_scalar(w, &parents[i % n]);
    serde_end(w, ']');
    serde_name(w, "layer_index");
    serde_number(w, layer, 4);
    serde_name(w, "node");
    serde_number(w, c->node, 8);
    serde_end(w, '}');
}

static void challenge(struct serde_writer *w, const struct vanilla_challenge *c,
                      const struct porep_shape *shape)
{
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);

    serde_begin(w, '{');
    serde_name(w, "comm_d_proofs");
    serde_merkle_proof(w, &c->data, &tree_d);
    serde_name(w, "comm_r_last_proof");
    serde_merkle_proof(w, &c->replica, &shape->tree);
    serde_name(w, "replica_column_proofs");
    serde_begin(w, '{');
    serde_name(w, "c_x");
    column_proof(w, &c->column, shape);
    serde_name(w, "drg_parents");
    serde_list(w, DRG_PARENTS);
    for (int i = 0; i < DRG_PARENTS; i++)
        column_proof(w, &c->parents[i], shape);
    serde_end(w, ']');
    serde_name(w, "exp_parents");
    serde_list(w, EXPANDER_PARENTS);
    for (int i = DRG_PARENTS; i < N_PARENTS; i++)
        column_proof(w, &c->parents[i], shape);
    serde_end(w, ']');
    serde_end(w, '}');
    serde_name(w, "labeling_proofs");
    serde_list(w, shape->layers);
    for (unsigned i = 1; i <= shape->layers; i++)
        label(w, c, i);
    serde_end(w, ']');
    serde_name(w, "encoding_proof");
    label(w, c, shape->layers);
    serde_end(w, '}');
}

static void partitions(struct serde_writer *w, const struct vanilla_porep *v)
{
    serde_list(w, v->partitions);
    for (unsigned k = 0; k < v->partitions; k++) {
        serde_list(w, v->shape.challenges);
        for (unsigned i = 0; i < v->shape.challenges; i++)
            challenge(w, &vanilla_partition(v, k)[i], &v->shape);
        serde_end(w, ']');
    }
    serde_end(w, ']');
}

static void seal_fields(struct serde_writer *w, const struct seal *seal)
{
    serde_name(w, "comm_r");
    serde_scalar(w, &seal->comm_r);
    serde_name(w, "comm_d");
    serde_scalar(w, &seal->comm_d);
    serde_name(w, "replica_id");
    serde_scalar(w, &seal->replica_id);
    serde_name(w, "seed");
    serde_bytes32(w, seal->seed);
    serde_name(w, "ticket");
    serde_bytes32(w, seal->ticket);
}

void c1_write_json(FILE *out, const struct vanilla_porep *vanilla, const struct seal_proof *proof)
{
    struct serde_writer w = {.out = out, .json = true, .first = true};

    serde_begin(&w, '{');
    if (proof) {
        serde_name(&w, "registered_proof");
        fprintf(out, "\"%s\"", proof->name);
        w.first = false;
    }
    serde_name(&w, "vanilla_proofs");
    if (proof) {
        serde_begin(&w, '{');
        serde_name(&w, proof->variant_name);
    }
    partitions(&w, vanilla);
    if (proof)
        serde_end(&w, '}');
    seal_fields(&w, &vanilla->seal);
    serde_end(&w, '}');
}

void c1_write_bincode(FILE *out, const struct vanilla_porep *vanilla)
{
    struct serde_writer w = {.out = out, .first = true};

    partitions(&w, vanilla);
    seal_fields(&w, &vanilla->seal);
}
