/* Dense sectors against upstream's: sealed from the same data with the same facts they have the
 * same bytes, trees, commitments and vanilla proofs. */
#include "support/testing.h"

#include "base/hash.h"
#include "base/reader.h"
#include "filecoin/c1_write.h"
#include "filecoin/fr32.h"
#include "filecoin/sample_porep.h"
#include "filecoin/sample_post.h"
#include "filecoin/sample_update.h"
#include "support/porep_set.h"
#include "support/post_set.h"
#include "support/update_set.h"
#include "support/vectors.h"

enum { NODES_MAX = 1 << SAMPLE_DENSE_LG_NODES_MAX };

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

/* ---- the data that the vectors were made from ------------------------------------------------ */

/* SHA-256(tag, number) for 0, 1, ...: the number as a u64 LE or, in the seal sets, as text. Padded
 * it becomes a node in every 32 bytes. */
static void make_nodes(struct scalar *nodes, size_t n, const char *tag, bool as_text)
{
    static uint8_t data[NODES_MAX * 32], padded[NODES_MAX * 32];
    uint8_t preimage[128];

    for (uint64_t i = 0; i < n; i++) {
        size_t bytes = (size_t)snprintf((char *)preimage, sizeof preimage, "%s", tag);

        if (as_text)
            bytes += (size_t)snprintf((char *)preimage + bytes, sizeof preimage - bytes, "%llu",
                                      (unsigned long long)i);
        else
            store_u64_le(preimage + bytes, i);
        sha256(data + 32 * i, preimage, bytes + (as_text ? 0 : 8));
    }
    fr32_pad(padded, data, n / 4);
    for (size_t i = 0; i < n; i++)
        nodes[i] = scalar_from_bytes(padded + 32 * i);
}

/* Of a set: stream("tag") as it says, or the seal sets' way. */
static void nodes_of(struct scalar *nodes, size_t n, const struct json *object, const char *key,
                     const char *set)
{
    const char *text = json_has(object, key) ? json_get_text(object, key) : NULL;
    char tag[64];

    if (text) {
        assert_int_equal(sscanf(text, "stream(%*[\\\"]%63[^\\\"]", tag), 1); /* escapes are kept */
        make_nodes(nodes, n, tag, false);
    } else {
        snprintf(tag, sizeof tag, "cuzk-test:%s:data:", set);
        make_nodes(nodes, n, tag, true);
    }
}

/* ---- a sector from what a set says about it -------------------------------------------------- */

static struct sample_sector seal(const struct porep_config *config, const struct json *meta,
                                 const char *set)
{
    static struct scalar nodes[NODES_MAX];
    struct sample_facts facts = {
        .dense = true,
        .miner = json_get_u64(meta, "miner"),
        .number = json_get_u64(meta, "sector_id"),
        .data = nodes,
    };
    struct sample_sector sector;
    struct cuzk_error err;

    json_get_hex(meta, "ticket", facts.ticket, 32);
    if (json_has(meta, "seed"))
        json_get_hex(meta, "seed", facts.seed, 32);
    nodes_of(nodes, (size_t)1 << config->shape.tree.lg_nodes, meta, "data", set);
    must(sample_sector_new(&sector, config, &facts, NULL, &err), &err);
    return sector;
}

/* The sectors behind the PoSt and update sets. */
static struct porep_config config_of(const struct json *meta)
{
    const struct sector_size *size = sector_size_of_bytes(json_get_u64(meta, "sector_size"));
    struct porep_config config = {.shape = size->porep, .partitions = size->porep_partitions};

    for (enum api_version v = API_1_0_0; v <= API_1_2_0; v++)
        if (strcmp(json_get_text(meta, "porep_api_version"), api_version_name(v)) == 0)
            config.version = v;
    json_get_hex(meta, "porep_id", config.porep_id, 32);
    return config;
}

static void assert_scalar(struct scalar found, const struct json *meta, const char *key)
{
    uint8_t expected[32], bytes[32];

    json_get_hex(meta, key, expected, 32);
    scalar_to_bytes(bytes, &found);
    assert_memory_equal(bytes, expected, 32);
}

static void assert_commitments(const struct sample_sector *sector, const struct json *meta)
{
    assert_scalar(sector->seal.comm_d, meta, "comm_d");
    assert_scalar(sample_tree_root(&sector->tree_c), meta, "comm_c");
    assert_scalar(sample_tree_root(&sector->tree_r_last), meta, "comm_r_last");
    assert_scalar(sector->seal.comm_r, meta, "comm_r");
}

/* n numbers of a file, from the one of this place on. */
static void assert_file_has(const char *path, size_t at, const struct scalar *values, size_t n)
{
    size_t bytes;
    uint8_t *file = vector_read(path, &bytes);

    assert_true(bytes >= (at + n) * 32);
    for (size_t i = 0; i < n; i++) {
        struct scalar expected = scalar_from_bytes(file + (at + i) * 32);

        if (memcmp(&values[i], &expected, 32) != 0)
            fail_msg("%s: number %zu differs", path, at + i);
    }
    vector_free(file);
}

/* What `write` writes are the bytes of the file. */
typedef void write_fn(FILE *out, const void *what, size_t i);

static void assert_writes(write_fn *write, const void *what, size_t i, const char *path)
{
    char *bytes;
    size_t n, n_expected;
    uint8_t *expected = vector_read(path, &n_expected);
    FILE *out = open_memstream(&bytes, &n);

    assert_non_null(out);
    write(out, what, i);
    fclose(out);
    if (n != n_expected || memcmp(bytes, expected, n) != 0)
        fail_msg("%s: other bytes (%zu, expected %zu)", path, n, n_expected);
    free(bytes);
    vector_free(expected);
}

/* ---- seals ----------------------------------------------------------------------------------- */

static void write_c1(FILE *out, const void *vanilla, size_t i)
{
    (void)i;
    c1_write_bincode(out, vanilla);
}

static void write_api_json(FILE *out, const void *vanilla, size_t i)
{
    c1_write_json(out, vanilla, seal_proof_of_number(i));
}

static void test_seals_are_upstreams(void **state)
{
    (void)state;
    for (int i = 0; i < N_POREP_SETS; i++) {
        struct porep_set set = porep_set_load(porep_sets[i]);
        struct sample_sector sector = seal(&set.config, set.meta, set.name);
        const struct seal_proof *proof =
            seal_proof_of_name(json_get_text(set.meta, "registered_proof"));
        const struct scalar p_aux[2] = {sample_tree_root(&sector.tree_c),
                                        sample_tree_root(&sector.tree_r_last)};
        struct vanilla_porep v;
        struct cuzk_error err;

        assert_commitments(&sector, set.meta);
        assert_file_has(vector_path("filecoin/%s/p_aux.bin", set.name), 0, p_aux, 2);
        must(sample_porep(&v, &sector, NULL, &err), &err);
        assert_writes(write_c1, &v, 0, vector_path("filecoin/%s/c1.bin", set.name));
        if (proof)
            assert_writes(write_api_json, &v, proof->number,
                          vector_path("filecoin/%s/c1.json", set.name));
        vanilla_porep_done(&v);
        sample_sector_done(&sector);
        porep_set_free(&set);
    }
}

static void test_unsealed_and_sealed_bytes_are_upstreams(void **state)
{
    struct porep_set set = porep_set_load("porep-2k");
    struct sample_sector sector = seal(&set.config, set.meta, set.name);

    (void)state;
    assert_file_has(vector_path("filecoin/porep-2k/unsealed.bin"), 0, sample_sector_data(&sector),
                    64);
    assert_file_has(vector_path("filecoin/porep-2k/sealed.bin"), 0, sample_sector_replica(&sector),
                    64);
    sample_sector_done(&sector);
    porep_set_free(&set);
}

/* A store is all levels of a tree, one after another. */
static void assert_store(const char *path, const struct sample_tree *tree)
{
    size_t at = 0;

    for (unsigned k = 0; k <= tree_levels(&tree->shape); k++) {
        assert_file_has(path, at, tree->level[k].value, tree->level[k].n);
        at += tree->level[k].n;
    }
}

static void assert_cache(const char *name)
{
    struct json *meta = json_read(vector_path("filecoin/vanilla/%s/meta.json", name));
    const struct porep_config config = config_of(meta);
    struct sample_sector sector = seal(&config, meta, name);
    const struct scalar root = sample_tree_root(&sector.tree_r_last);

    assert_commitments(&sector, meta);
    for (unsigned layer = 1; layer <= 2; layer++)
        for (size_t node = 0; node < 64; node++)
            assert_file_has(vector_path("filecoin/vanilla/%s/sc-02-data-layer-%u.dat", name, layer),
                            node, sample_sector_column(&sector, node) + layer - 1, 1);
    assert_store(vector_path("filecoin/vanilla/%s/sc-02-data-tree-d.dat", name), &sector.tree_d);
    assert_store(vector_path("filecoin/vanilla/%s/sc-02-data-tree-c.dat", name), &sector.tree_c);
    assert_file_has(vector_path("filecoin/vanilla/%s/sc-02-data-tree-r-last.dat", name), 0, &root,
                    1);
    assert_file_has(vector_path("filecoin/vanilla/%s/staged.bin", name), 0,
                    sample_sector_data(&sector), 64);
    assert_file_has(vector_path("filecoin/vanilla/%s/sealed.bin", name), 0,
                    sample_sector_replica(&sector), 64);
    sample_sector_done(&sector);
    json_free(meta);
}

static void test_layers_trees_and_bytes_are_upstreams(void **state)
{
    (void)state;
    assert_cache("sector-2k-v1_0");
    assert_cache("sector-2k-v1_1");
}

/* ---- proofs of spacetime, updates ------------------------------------------------------------ */

static void write_post_proof(FILE *out, const void *vanilla, size_t i)
{
    vanilla_post_write(out, vanilla, i);
}

static void test_proofs_of_spacetime_are_upstreams(void **state)
{
    (void)state;
    for (int s = 0; s < N_POST_SETS; s++) {
        struct post_set set = post_set_load(post_sets[s]);
        const struct json *sectors = json_get(set.meta, "sectors");
        struct vanilla_post v;
        struct cuzk_error err;

        must(vanilla_post_new(&v, &set.vanilla.post.config, set.vanilla.post.randomness,
                              json_count(sectors), NULL, &err),
             &err);
        for (size_t i = 0; i < json_count(sectors); i++) {
            const struct porep_config config = config_of(json_at(sectors, i));
            struct sample_sector sector = seal(&config, json_at(sectors, i), set.name);

            assert_commitments(&sector, json_at(sectors, i));
            sample_post_sector(&v, i, &sector);
            assert_writes(write_post_proof, &v, i,
                          vector_path("filecoin/post/%s/vanilla-%zu.bin", set.name, i));
            sample_sector_done(&sector);
        }
        vanilla_post_done(&v);
        post_set_free(&set);
    }
}

static void write_update_proof(FILE *out, const void *vanilla, size_t i)
{
    vanilla_update_write(out, vanilla, (unsigned)i);
}

static const char *file_of(const struct update_set *set, const char *name)
{
    static char path[4200];

    snprintf(path, sizeof path, "%s/%s", set->folder, name);
    return path;
}

/* The old replica, the new data, and what the new replica is by the encoding. */
static void assert_replicas(const struct update_set *set, const struct update *update,
                            const struct scalar *old, const struct scalar *data, size_t n)
{
    const struct scalar phi = update_phi(update);

    assert_file_has(file_of(set, "replica-old.bin"), 0, old, n);
    assert_file_has(file_of(set, "data-new.bin"), 0, data, n);
    for (size_t i = 0; i < n; i++) {
        const struct scalar new = update_encode(update, &phi, i, &old[i], &data[i]);

        assert_file_has(file_of(set, "replica-new.bin"), i, &new, 1);
    }
}

static void assert_update(const char *name)
{
    static struct scalar data[NODES_MAX];
    struct sample_update_source source = {.data = data};
    const struct update_shape *shape;
    struct sample_sector sector;
    struct porep_config config;
    struct vanilla_update v;
    struct update_set set;
    struct cuzk_error err;
    char file[32];

    if (!update_set_load(&set, name))
        skip();
    shape = &set.vanilla.update.shape;
    config = config_of(json_get(set.meta, "sector"));
    sector = seal(&config, json_get(set.meta, "sector"), name);
    assert_commitments(&sector, json_get(set.meta, "sector"));
    nodes_of(data, sector.n_nodes, set.meta, "data_new", name);
    source.comm_c = sample_tree_root(&sector.tree_c);
    source.old = sample_sector_replica(&sector);
    must(sample_update_of(&v, shape, &source, NULL, &err), &err);
    assert_replicas(&set, &v.update, source.old, data, sector.n_nodes);
    assert_scalar(v.update.comm_r_old, set.meta, "comm_r_old");
    assert_scalar(v.update.comm_d_new, set.meta, "comm_d_new");
    assert_scalar(v.update.comm_r_new, set.meta, "comm_r_new");
    for (unsigned k = 0; k < update_partitions(shape); k++) {
        snprintf(file, sizeof file, "vanilla-%u.bin", k);
        assert_writes(write_update_proof, &v, k, file_of(&set, file));
    }
    vanilla_update_done(&v);
    sample_sector_done(&sector);
    update_set_free(&set);
}

static void test_the_2k_update_is_upstreams(void **state)
{
    (void)state;
    assert_update("update-2k");
}

static void test_the_4k_update_is_upstreams(void **state)
{
    (void)state;
    assert_update("update-4k");
}

static void test_the_32k_update_is_upstreams(void **state)
{
    (void)state;
    assert_update("update-32k");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void test_a_dense_sector_takes_the_memory_that_it_says(void **state)
{
    const struct porep_config config = {.shape = sector_size_of_name("32KiB")->porep,
                                        .partitions = 1};
    const size_t needed = sample_sector_bytes(&config, true);
    struct sample_facts facts = sample_facts_of(1);
    struct sample_sector sector;
    struct budget budget;
    struct cuzk_error err;

    (void)state;
    facts.dense = true;
    budget_init(&budget, needed);
    must(sample_sector_new(&sector, &config, &facts, &budget, &err), &err);
    assert_int_equal(budget.peak, needed);
    sample_sector_done(&sector);
    assert_int_equal(budget.now, 0);
    budget_init(&budget, needed - 1);
    assert_int_equal(sample_sector_new(&sector, &config, &facts, &budget, &err), CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seals_are_upstreams),
        cmocka_unit_test(test_unsealed_and_sealed_bytes_are_upstreams),
        cmocka_unit_test(test_layers_trees_and_bytes_are_upstreams),
        cmocka_unit_test(test_proofs_of_spacetime_are_upstreams),
        cmocka_unit_test(test_the_2k_update_is_upstreams),
        cmocka_unit_test(test_the_4k_update_is_upstreams),
        cmocka_unit_test(test_the_32k_update_is_upstreams),
        cmocka_unit_test(test_a_dense_sector_takes_the_memory_that_it_says),
    };

    return cmocka_run_group_tests_name("filecoin dense", tests, NULL, NULL);
}
