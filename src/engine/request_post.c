/* Winning and Window PoSt: a vanilla proof a sector, and the randomness. */
#include <string.h>

#include "engine/request.h"
#include "filecoin/post_circuit.h"

static enum cuzk_status config_of_proof(struct post_config *ret, const struct sector_size **size,
                                        const struct request_input *input, struct cuzk_error *err)
{
    enum post_kind kind = input->kind == CIRCUIT_WINNING ? POST_WINNING : POST_WINDOW;
    const struct post_proof *proof = post_proof_of_number((uint64_t)input->hints.registered_proof);

    if (!proof || proof->kind != kind)
        return error_set(err, CUZK_USAGE, "registered proof %d is not one of %s: %s",
                         input->hints.registered_proof, request_kind_word(input->kind),
                         kind == POST_WINNING ? "0 to 4 are" : "5 to 14 are");
    if (input->hints.api_version &&
        strcmp(input->hints.api_version, api_version_name(proof->version)) != 0)
        return error_set(err, CUZK_BAD_INPUT, "API version: expected %s, found %s (%s)",
                         input->hints.api_version, api_version_name(proof->version), proof->name);
    *size = proof->size;
    *ret = post_config_make(kind, proof->size, proof->version);
    return CUZK_OK;
}

/* Some sizes have no registered proof. */
static enum cuzk_status config_of_size(struct post_config *ret, const struct sector_size **size,
                                       const struct request_input *input, struct cuzk_error *err)
{
    const struct c1_hints *hints = &input->hints;
    enum api_version version = API_1_0_0;

    if (!hints->sector_size || (input->kind == CIRCUIT_WINDOW && !hints->api_version))
        return error_set(
            err, CUZK_USAGE,
            "--registered-proof is missing: 0 to 4 for winning, 5 to 14 for window; or "
            "--sector-size, and for window --api-version");
    TRY(c1_hints_size(size, hints, err));
    if (input->kind == CIRCUIT_WINDOW)
        TRY(api_version_of_name(&version, hints->api_version, err));
    *ret = post_config_make(input->kind == CIRCUIT_WINNING ? POST_WINNING : POST_WINDOW, *size,
                            version);
    return CUZK_OK;
}

static enum cuzk_status read_sector(void *post, size_t i, struct reader *r, struct cuzk_error *err)
{
    return vanilla_post_read(post, i, r, err);
}

/* The files are all sectors of the list, or those of the one partition that is asked for, as
 * filecoin-ffi takes them: then the partition lies beyond what the files alone would need. */
static size_t sectors_before(const struct post_config *config, const struct request_input *input)
{
    size_t n = input->n_vanilla, slots = config->shape.slots;

    if (config->kind == POST_WINNING || input->partition < 0 || n > slots ||
        (size_t)input->partition < post_partitions(config, n))
        return 0;
    return (size_t)input->partition * slots;
}

static enum cuzk_status read_post(struct request *r, const struct request_input *input,
                                  struct engine *engine, struct cuzk_error *err)
{
    struct vanilla_post *post = &r->of.post;
    const struct sector_size *size;
    struct post_config config;

    TRY(input->hints.registered_proof >= 0 ? config_of_proof(&config, &size, input, err)
                                           : config_of_size(&config, &size, input, err));
    TRY(vanilla_post_new(post, &config, input->randomness, input->n_vanilla, &engine->budget, err));
    post->post.n_before = sectors_before(&config, input);
    TRY(request_read_vanilla(input, 0, read_sector, post, err));
    r->name = (struct circuit_name){.kind = input->kind, .size = size};
    r->partitions = (unsigned)post_partitions(&config, post->post.n_before + input->n_vanilla);
    r->n_inputs = post_n_inputs(&config.shape);
    return CUZK_OK;
}

static enum cuzk_status check_post(const struct request *r, struct engine *engine,
                                   struct cuzk_error *err)
{
    return post_check_deep(&r->of.post, engine->pool, err);
}

static void witness(const struct request *r, struct packed_witness *w, const struct r1cs *cs,
                    unsigned k, struct pool *pool)
{
    post_witness(w, cs, &r->of.post, k, pool);
}

static void public_inputs(const struct request *r, struct scalar *out, unsigned k)
{
    post_public_inputs(out, &r->of.post.post, k);
}

static enum cuzk_status row_path(const struct request *r, char *out, size_t n, uint64_t row,
                                 struct budget *budget, struct cuzk_error *err)
{
    return post_row_path(out, n, &r->of.post.post.config.shape, row, budget, err);
}

static void done(struct request *r)
{
    vanilla_post_done(&r->of.post);
}

static size_t bytes(struct circuit_name name)
{
    const struct post_config config = post_config_make(
        name.kind == CIRCUIT_WINNING ? POST_WINNING : POST_WINDOW, name.size, API_1_2_0);

    return vanilla_post_bytes(&config, name.kind == CIRCUIT_WINNING ? 1 : config.shape.slots);
}

const struct request_kind request_post = {
    .bytes = bytes,
    .read = read_post,
    .check = check_post,
    .check_deep = check_post,
    .witness = witness,
    .public_inputs = public_inputs,
    .row_path = row_path,
    .done = done,
};
