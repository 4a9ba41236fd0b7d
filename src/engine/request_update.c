/* SnapDeals: a vanilla proof a partition, and the three commitments. */
#include "engine/request.h"
#include "filecoin/seal.h"
#include "filecoin/update_circuit.h"

static enum cuzk_status read_commitment(struct scalar *ret, const uint8_t bytes[32],
                                        const char *name, struct cuzk_error *err)
{
    *ret = scalar_from_bytes(bytes);
    if (!curve_bls12_381.fr_is_reduced(ret))
        return error_set(err, CUZK_BAD_INPUT, "%s is not below the field's modulus", name);
    return CUZK_OK;
}

/* By the number of the proof, or by the size where it has none. */
static enum cuzk_status find_size(const struct sector_size **ret, const struct c1_hints *hints,
                                  struct cuzk_error *err)
{
    if (hints->registered_proof < 0 && !hints->sector_size)
        return error_set(err, CUZK_USAGE,
                         "--registered-proof is missing: 0 to 4 for update; or --sector-size");
    if (hints->registered_proof < 0)
        return c1_hints_size(ret, hints, err);
    *ret = update_proof_size((uint64_t)hints->registered_proof);
    if (!*ret)
        return error_set(err, CUZK_USAGE, "registered proof %d is not one of update: 0 to 4 are",
                         hints->registered_proof);
    return CUZK_OK;
}

static enum cuzk_status read_facts(struct update *update, const struct sector_size **size,
                                   const struct request_input *input, struct cuzk_error *err)
{
    TRY(find_size(size, &input->hints, err));
    if (!update_shape_of(&update->shape, &(*size)->porep.tree))
        return error_set(err, CUZK_USAGE, "there are no updates of %s sectors", (*size)->name);
    TRY(read_commitment(&update->comm_r_old, input->comm_r_old, "comm_r_old", err));
    TRY(read_commitment(&update->comm_d_new, input->comm_d_new, "comm_d_new", err));
    return read_commitment(&update->comm_r_new, input->comm_r_new, "comm_r_new", err);
}

static enum cuzk_status read_partition(void *update, size_t k, struct reader *r,
                                       struct cuzk_error *err)
{
    return vanilla_update_read(update, (unsigned)k, r, err);
}

/* A file for every partition, or one file for the partition that is asked for. */
static enum cuzk_status read_partitions(struct vanilla_update *update,
                                        const struct request_input *input, unsigned n,
                                        struct cuzk_error *err)
{
    if (input->n_vanilla == 1 && input->partition >= 0 && (unsigned)input->partition < n)
        return request_read_vanilla(input, (size_t)input->partition, read_partition, update, err);
    if (input->n_vanilla != n)
        return error_set(err, CUZK_BAD_INPUT,
                         "%zu vanilla proofs: expected %u, one a partition (or one, with "
                         "--partition)",
                         input->n_vanilla, n);
    return request_read_vanilla(input, 0, read_partition, update, err);
}

static enum cuzk_status read_update(struct request *r, const struct request_input *input,
                                    struct engine *engine, struct cuzk_error *err)
{
    const struct sector_size *size;
    struct update update;

    TRY(read_facts(&update, &size, input, err));
    TRY(vanilla_update_new(&r->of.update, &update, &engine->budget, err));
    r->name = (struct circuit_name){.kind = CIRCUIT_UPDATE, .size = size};
    r->partitions = update_partitions(&update.shape);
    r->n_inputs = UPDATE_N_INPUTS;
    return read_partitions(&r->of.update, input, r->partitions, err);
}

static enum cuzk_status check_update(const struct request *r, struct engine *engine,
                                     struct cuzk_error *err)
{
    (void)engine;
    for (unsigned k = r->first; k < r->end; k++)
        TRY(update_check_deep(&r->of.update, k, err));
    return CUZK_OK;
}

static void witness(const struct request *r, struct packed_witness *w, const struct r1cs *cs,
                    unsigned k, struct pool *pool)
{
    update_witness(w, cs, &r->of.update, k, pool);
}

static void public_inputs(const struct request *r, struct scalar *out, unsigned k)
{
    update_public_inputs(out, &r->of.update.update, k);
}

static enum cuzk_status row_path(const struct request *r, char *out, size_t n, uint64_t row,
                                 struct budget *budget, struct cuzk_error *err)
{
    return update_row_path(out, n, &r->of.update.update.shape, row, budget, err);
}

static void done(struct request *r)
{
    vanilla_update_done(&r->of.update);
}

/* The circuit exists: it was recorded. */
static size_t bytes(struct circuit_name name)
{
    struct update_shape shape = {0};

    if (!update_shape_of(&shape, &name.size->porep.tree))
        return 0;
    return vanilla_update_bytes(&shape);
}

const struct request_kind request_update = {
    .bytes = bytes,
    .read = read_update,
    .check = check_update,
    .check_deep = check_update,
    .witness = witness,
    .public_inputs = public_inputs,
    .row_path = row_path,
    .done = done,
};
