#include "engine/proof_check.h"

#include "format/bellperson.h"

static enum cuzk_status open_vk(struct proof_checker *checker, const struct job_key *key,
                                struct pool *pool, struct budget *budget, struct cuzk_error *err)
{
    const char *folder = key->folder ? key->folder : key_folder_default();
    char path[KEY_PATH_MAX];

    if (key->vk_path && key_is_dev(key->vk_path) && key->choice == KEY_OFFICIAL)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: a development key proves nothing; --allow-dev-key accepts it",
                         key->vk_path);
    if (!key->vk_path)
        TRY(key_folder_find(path, folder, checker->name, ".vk", key->choice, err));
    return vk_open(&checker->vk, key->vk_path ? key->vk_path : path, &curve_bls12_381, pool, budget,
                   err);
}

enum cuzk_status proof_checker_open(struct proof_checker *checker, struct circuit_name name,
                                    const struct job_key *key, struct pool *pool,
                                    struct budget *budget, struct cuzk_error *err)
{
    enum cuzk_status st;

    *checker = (struct proof_checker){.name = name};
    TRY(open_vk(checker, key, pool, budget, err));
    st = verifier_init(&checker->verifier, &checker->vk, true, pool, budget, err);
    if (st != CUZK_OK)
        proof_checker_close(checker);
    return st;
}

void proof_checker_close(struct proof_checker *checker)
{
    verifier_done(&checker->verifier);
    verifying_key_done(&checker->vk);
}

enum cuzk_status proof_checker_check(struct proof_checker *checker,
                                     const uint8_t proof[PARTITION_PROOF_BYTES], const void *inputs,
                                     size_t n_inputs, const char *name, struct cuzk_error *err)
{
    const struct statement statement = {.inputs = inputs, .n = n_inputs};
    struct proof decoded;

    if (proof_decode(&decoded, &curve_bls12_381, proof, PARTITION_PROOF_BYTES, name, err) !=
        CUZK_OK) {
        if (err)
            err->status = CUZK_INVALID;
        return CUZK_INVALID;
    }
    return groth16_verify(&checker->verifier, &decoded, &statement, err);
}
