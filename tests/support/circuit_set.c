#include "support/circuit_set.h"

#include "filecoin/porep_circuit.h"
#include "filecoin/post_circuit.h"
#include "filecoin/update_circuit.h"
#include "filecoin/vanilla_check.h"
#include "support/porep_set.h"
#include "support/post_set.h"
#include "support/set_key.h"
#include "support/testing.h"
#include "support/update_set.h"
#include "support/vectors.h"
#include "support/witness_digest.h"

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

/* ---- the kinds ------------------------------------------------------------------------------- */

static void open_porep(struct circuit_set *set)
{
    struct porep_set porep = porep_set_load(set->name);
    struct cuzk_error err;

    set->meta = porep.meta;
    set->request.kind = &request_porep;
    set->request.of.c1.config = porep.config;
    set->request.of.c1.vanilla = porep.vanilla;
    set->request.partitions = porep.config.partitions;
    set->request.n_inputs = porep_n_inputs(&porep.config.shape);
    snprintf(set->folder, sizeof set->folder, "%s", vector_path("filecoin/%s", set->name));
    must(porep_record(&set->cs, &porep.config.shape, NULL, &err), &err);
}

static void open_post(struct circuit_set *set)
{
    struct post_set post = post_set_load(set->name);
    const struct post_shape *shape = &post.vanilla.post.config.shape;
    struct cuzk_error err;

    set->meta = post.meta;
    set->request.kind = &request_post;
    set->request.of.post = post.vanilla;
    set->request.partitions =
        (unsigned)post_partitions(&post.vanilla.post.config, post.vanilla.post.n_sectors);
    set->request.n_inputs = post_n_inputs(shape);
    assert_int_equal(set->request.partitions, post.partitions);
    snprintf(set->folder, sizeof set->folder, "%s", vector_path("filecoin/post/%s", set->name));
    must(post_record(&set->cs, shape, NULL, &err), &err);
}

static bool open_update(struct circuit_set *set)
{
    struct update_set update;
    struct cuzk_error err;

    if (!update_set_load(&update, set->name))
        return false;
    set->meta = update.meta;
    set->request.kind = &request_update;
    set->request.of.update = update.vanilla;
    set->request.partitions = update_partitions(&update.vanilla.update.shape);
    set->request.n_inputs = UPDATE_N_INPUTS;
    snprintf(set->folder, sizeof set->folder, "%s", update.folder);
    must(update_record(&set->cs, &update.vanilla.update.shape, NULL, &err), &err);
    return true;
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

bool circuit_set_open(struct circuit_set *ret, const char *name)
{
    *ret = (struct circuit_set){.name = name};
    if (begins(name, "update"))
        return open_update(ret);
    if (begins(name, "porep"))
        open_porep(ret);
    else
        open_post(ret);
    return true;
}

void circuit_set_close(struct circuit_set *set)
{
    r1cs_done(&set->cs);
    set->request.kind->done(&set->request);
    json_free(set->meta);
}

static void check_deep(const struct circuit_set *set, unsigned k, struct pool *pool)
{
    const struct request *r = &set->request;
    struct cuzk_error err;

    if (r->kind == &request_porep)
        must(vanilla_check_deep(&r->of.c1.vanilla, &r->of.c1.config, k, &err), &err);
    else if (r->kind == &request_update)
        must(update_check_deep(&r->of.update, k, &err), &err);
    else if (k == 0) /* all sectors at once */
        must(post_check_deep(&r->of.post, pool, &err), &err);
}

/* The sets of PoSt keep a file a partition, the others one file. */
static void assert_inputs_file(const struct circuit_set *set, const struct scalar *inputs,
                               unsigned k)
{
    const size_t n = set->request.n_inputs * sizeof *inputs;
    const bool one_each = set->request.kind == &request_post;
    const size_t at = one_each ? 0 : k * n, total = one_each ? n : n * set->request.partitions;
    char path[4200];
    uint8_t *file;
    size_t bytes;

    if (one_each)
        snprintf(path, sizeof path, "%s/inputs-%u.bin", set->folder, k);
    else
        snprintf(path, sizeof path, "%s/inputs.bin", set->folder);
    file = vector_read(path, &bytes);
    assert_int_equal(bytes, total);
    assert_memory_equal(inputs, file + at, n);
    vector_free(file);
}

/* The object with the digests of partition k. */
static const struct json *partition_facts(const struct circuit_set *set, unsigned k)
{
    static const char *const lists[] = {"partition_results", "partition_data"};

    for (int i = 0; i < 2; i++)
        if (json_has(set->meta, lists[i]))
            return json_at(json_get(set->meta, lists[i]), k);
    return json_get(set->meta, "circuit");
}

/* ---- witnesses ------------------------------------------------------------------------------- */

static void assert_rows_hold(const struct circuit_set *set, const struct witness *w,
                             struct pool *pool)
{
    struct r1cs_check check;
    struct cuzk_error err;

    must(r1cs_check(&set->cs, w, pool, &check, &err), &err);
    if (!check.satisfied)
        fail_msg("%s: row %llu is not satisfied", set->name,
                 (unsigned long long)check.first_bad_row);
}

void assert_set_witnesses(const char *name, struct pool *pool)
{
    struct circuit_set set;
    const struct request *r = &set.request;
    struct packed_witness w;
    struct scalar *inputs;
    struct cuzk_error err;

    if (!circuit_set_open(&set, name))
        skip();
    inputs = calloc(r->n_inputs, sizeof *inputs);
    must(packed_witness_new(&w, &set.cs, NULL, &err), &err);
    for (unsigned k = 0; k < r->partitions; k++) {
        check_deep(&set, k, pool);
        packed_witness_clear(&w);
        r->kind->witness(r, &w, &set.cs, k, pool);
        assert_witness_is(&w.values, partition_facts(&set, k));
        r->kind->public_inputs(r, inputs, k);
        assert_inputs_file(&set, inputs, k);
        assert_inputs_are(&w.values, inputs, r->n_inputs);
        assert_rows_hold(&set, &w.values, pool);
    }
    packed_witness_done(&w);
    free(inputs);
    circuit_set_close(&set);
}

/* ---- keys and proofs ------------------------------------------------------------------------- */

static const struct json *params_facts(const struct circuit_set *set)
{
    if (!json_has(set->meta, "parameters"))
        return NULL;
    return json_get(json_get(set->meta, "parameters"), "params");
}

/* Proofs are verified for the public inputs that a verifier derives, not those of the witness. */
static void assert_proofs(const struct circuit_set *set, struct set_key *key,
                          const uint8_t *expected, bool really)
{
    const struct request *r = &set->request;
    struct scalar *inputs = calloc(r->n_inputs, sizeof *inputs);
    struct packed_witness w;
    struct cuzk_error err;

    must(packed_witness_new(&w, &set->cs, NULL, &err), &err);
    for (unsigned k = 0; k < r->partitions; k++, expected += PROOF_BYTES) {
        packed_witness_clear(&w);
        r->kind->witness(r, &w, &set->cs, k, key->pool);
        r->kind->public_inputs(r, inputs, k);
        assert_set_proof(key, &w.values, expected, inputs, r->n_inputs);
        if (really)
            assert_real_proof(key, &w.values, expected, params_facts(set));
    }
    packed_witness_done(&w);
    free(inputs);
}

void assert_set_proofs(const char *name, bool really, struct pool *pool)
{
    struct circuit_set set;
    struct cuzk_error err;
    struct set_key key;
    struct qap qap;
    char path[4200];
    uint8_t *proofs;
    size_t n;

    if (!circuit_set_open(&set, name))
        skip();
    snprintf(path, sizeof path, "%s/proof.bin", set.folder);
    proofs = vector_read(path, &n);
    assert_int_equal(n, PROOF_BYTES * set.request.partitions);
    must(qap_init(&qap, &set.cs, NULL, &err), &err);
    snprintf(path, sizeof path, "%s/vk.bin", set.folder);
    set_key_make(&key, &qap, json_get_text(json_get(set.meta, "trapdoors"), "label"), path, pool);
    assert_proofs(&set, &key, proofs, really);
    set_key_free(&key);
    qap_done(&qap);
    vector_free(proofs);
    circuit_set_close(&set);
}
