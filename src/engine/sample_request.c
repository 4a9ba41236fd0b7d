#include "engine/sample_request.h"

#include "engine/sample_input.h"
#include "filecoin/porep_circuit.h"
#include "filecoin/post_circuit.h"
#include "filecoin/sample_porep.h"
#include "filecoin/sample_post.h"
#include "filecoin/sample_update.h"
#include "filecoin/update_circuit.h"

static enum cuzk_status fill_porep(struct request *r, const struct sample_input *in,
                                   struct engine *engine, struct cuzk_error *err)
{
    struct sample_sector sector;
    enum cuzk_status st;

    TRY(sample_sector_new(&sector, &in->sealing, &in->facts, &engine->budget, err));
    st = sample_porep(&r->of.c1.vanilla, &sector, &engine->budget, err);
    sample_sector_done(&sector);
    r->kind = &request_porep;
    r->of.c1.name = in->options->name;
    r->of.c1.config = in->sealing;
    r->partitions = in->sealing.partitions;
    r->n_inputs = porep_n_inputs(&in->sealing.shape);
    return st;
}

static enum cuzk_status fill_post(struct request *r, const struct sample_input *in,
                                  struct engine *engine, struct cuzk_error *err)
{
    struct post_config config;
    size_t n;

    TRY(sample_input_post(&config, &n, in->options, err));
    TRY(sample_post(&r->of.post, &config, n, in->randomness, &in->facts, engine->pool,
                    &engine->budget, err));
    r->kind = &request_post;
    r->partitions = (unsigned)post_partitions(&config, n);
    r->n_inputs = post_n_inputs(&config.shape);
    return CUZK_OK;
}

static enum cuzk_status fill_update(struct request *r, const struct sample_input *in,
                                    struct engine *engine, struct cuzk_error *err)
{
    struct rng rng = in->facts.rng;
    struct update_shape shape;

    if (!update_shape_of(&shape, &in->options->name.size->porep.tree))
        return error_set(err, CUZK_USAGE, "there are no updates of %s sectors",
                         in->options->name.size->name);
    TRY(sample_update(&r->of.update, &shape, &rng, &engine->budget, err));
    r->kind = &request_update;
    r->partitions = update_partitions(&shape);
    r->n_inputs = UPDATE_N_INPUTS;
    return CUZK_OK;
}

/* Sectors of as many partitions as are to be proven. */
static size_t sectors_of(struct circuit_name name, unsigned partitions)
{
    const struct post_config config = post_config_make(POST_WINDOW, name.size, API_1_2_0);

    return name.kind == CIRCUIT_WINDOW ? config.shape.slots * (partitions ? partitions : 1) : 0;
}

static enum cuzk_status fill(struct request *r, const struct sample_input *in,
                             struct engine *engine, struct cuzk_error *err)
{
    switch (in->options->name.kind) {
    case CIRCUIT_POREP: return fill_porep(r, in, engine, err);
    case CIRCUIT_WINNING:
    case CIRCUIT_WINDOW: return fill_post(r, in, engine, err);
    case CIRCUIT_UPDATE: break;
    }
    return fill_update(r, in, engine, err);
}

enum cuzk_status request_sample(struct request *ret, struct circuit_name name, uint64_t seed,
                                unsigned partitions, struct engine *engine, struct cuzk_error *err)
{
    const struct sample_options options = {.name = name,
                                           .seed = seed,
                                           .registered_proof = -1,
                                           .sectors = sectors_of(name, partitions)};
    struct request r = {.name = name};
    struct sample_input in;
    enum cuzk_status st;

    engine_stage(engine, "make sample");
    TRY(sample_input_open(&in, &options, &engine->budget, err));
    st = fill(&r, &in, engine, err);
    sample_input_close(&in);
    if (st == CUZK_OK && partitions > r.partitions)
        st = error_set(err, CUZK_USAGE, "%u partitions: the circuit's proofs have %u", partitions,
                       r.partitions);
    engine_stage_end(engine);
    if (st != CUZK_OK) {
        request_done(&r);
        return st;
    }
    r.end = partitions ? partitions : r.partitions;
    *ret = r;
    return CUZK_OK;
}
