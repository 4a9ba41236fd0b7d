#include "support/tiny_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rows_file.h"
#include "support/vectors.h"

const char *const tiny_names[] = {
    "three",      "three-big", "mimc322",     "only-b",        "only-c",    "zero-coeff",
    "input-in-b", "pow2",      "pow2-minus",  "zeros",         "pow2-plus", "pow2-256",
    "extremes",   "no-aux",    "unsatisfied", "no-input-in-b", NULL,
};

uint8_t *tiny_set_file(const struct tiny_set *set, const char *file, size_t *ret_bytes)
{
    return vector_read(vector_path("filecoin/tiny/%s/%s", set->name, file), ret_bytes);
}

static void load(struct tiny_set *set, const char *name, bool classed)
{
    const struct curve *curve = &curve_bls12_381;
    struct cuzk_error err;
    const char *label;
    size_t bytes;

    *set = (struct tiny_set){.name = name};
    set->meta = json_read(vector_path("filecoin/tiny/%s/meta.json", name));
    set->inputs = tiny_set_file(set, "inputs.bin", &bytes);
    set->n_inputs = bytes / 32;
    set->aux = tiny_set_file(set, "witness.bin", &bytes);
    rows_file_load(&set->cs, vector_path("filecoin/tiny/%s/rows.bin", name), curve,
                   classed ? set->aux : NULL);
    witness_pack(&set->witness, &set->cs, set->inputs, set->aux);
    label = json_get_text(json_get(set->meta, "trapdoors"), "label");
    if (qap_init(&set->qap, &set->cs, NULL, &err) != CUZK_OK ||
        trapdoor_from_label(&set->trapdoor, curve, label, &err) != CUZK_OK ||
        blinding_from_label(&set->blinding, curve, label, &err) != CUZK_OK) {
        fprintf(stderr, "%s: %s\n", name, err.message);
        abort();
    }
}

void tiny_set_load(struct tiny_set *set, const char *name)
{
    load(set, name, true);
}

void tiny_set_load_full(struct tiny_set *set, const char *name)
{
    load(set, name, false);
}

void tiny_set_free(struct tiny_set *set)
{
    qap_done(&set->qap);
    witness_pack_free(&set->witness);
    r1cs_done(&set->cs);
    vector_free(set->inputs);
    vector_free(set->aux);
    json_free(set->meta);
    *set = (struct tiny_set){0};
}
