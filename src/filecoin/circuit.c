#include "filecoin/circuit.h"

#include "filecoin/porep_circuit.h"
#include "filecoin/post_circuit.h"
#include "filecoin/update_circuit.h"

static struct post_shape post_shape_of(struct circuit_name name)
{
    enum post_kind kind = name.kind == CIRCUIT_WINNING ? POST_WINNING : POST_WINDOW;

    return post_config_make(kind, name.size, API_1_2_0).shape; /* the same in every version */
}

static enum cuzk_status record_update(struct r1cs *ret, struct circuit_name name,
                                      struct budget *budget, struct cuzk_error *err)
{
    struct update_shape shape;
    char text[CIRCUIT_TEXT_MAX];

    if (update_shape_of(&shape, &name.size->porep.tree))
        return update_record(ret, &shape, budget, err);
    circuit_name_print(text, name);
    return error_set(err, CUZK_USAGE, "%.64s: there are no updates of sectors of this size", text);
}

enum cuzk_status circuit_record(struct r1cs *ret, struct circuit_name name, struct budget *budget,
                                struct cuzk_error *err)
{
    struct post_shape post;

    switch (name.kind) {
    case CIRCUIT_POREP: return porep_record(ret, &name.size->porep, budget, err);
    case CIRCUIT_WINNING:
    case CIRCUIT_WINDOW: post = post_shape_of(name); return post_record(ret, &post, budget, err);
    case CIRCUIT_UPDATE: return record_update(ret, name, budget, err);
    }
    return error_set(err, CUZK_INTERNAL, "a circuit of no kind");
}
