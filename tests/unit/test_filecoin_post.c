/* PoSt: the public side, vanilla proofs, and the circuit, against the recorded upstream systems. */
#include "filecoin/circuit.h"
#include "filecoin/post_circuit.h"
#include "support/circuit_set.h"
#include "support/pool_fixture.h"
#include "support/post_set.h"
#include "support/shape_row.h"
#include "support/testing.h"
#include "support/vectors.h"
#include "support/witness_digest.h"

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

static struct r1cs record(const char *name)
{
    struct circuit_name circuit;
    struct cuzk_error err;
    struct r1cs cs;

    must(circuit_name_parse(&circuit, name, &err), &err);
    must(circuit_record(&cs, circuit, NULL, &err), &err);
    return cs;
}

/* ---- the public side ------------------------------------------------------------------------- */

static void test_challenges_of_the_vectors(void **state)
{
    struct json *file = json_read(vector_path("filecoin/vanilla/post_challenges.json"));
    const struct json *values = json_get(file, "values");

    (void)state;
    for (size_t v = 0; v < json_count(values); v++) {
        const struct json *value = json_at(values, v), *leaves = json_get(value, "leaf");
        const struct json *winning = json_get(value, "winning_sector");
        struct post_sector sector = {0};
        struct post post = {.config = {.kind = POST_WINDOW, .version = API_1_2_0},
                            .n_sectors = 1,
                            .sectors = &sector};
        uint8_t prover_id[32];

        post.config.shape.tree.lg_nodes = (unsigned)json_get_u64(value, "log2_nodes");
        json_get_hex(value, "randomness", post.randomness, 32);
        json_get_hex(value, "prover_id", prover_id, 32);
        for (size_t l = 0; l < json_count(leaves); l++) {
            const struct json *leaf = json_at(leaves, l),
                              *index = json_get(leaf, "challenge_index");

            sector.id = json_get_u64(leaf, "sector_id");
            for (size_t j = 0; j < json_count(index); j++)
                assert_int_equal(post_challenge(&post, 0, json_u64(json_at(index, j))),
                                 json_u64(json_at(json_get(leaf, "leaf"), j)));
        }
        for (size_t w = 0; w < json_count(winning); w++)
            assert_int_equal(winning_sector(prover_id, post.randomness,
                                            json_get_u64(json_at(winning, w), "set")),
                             json_u64(json_at(json_get(json_at(winning, w), "chosen"), 0)));
    }
    json_free(file);
}

/* [sector number, challenge of it, number that is hashed], for ten challenges a sector. */
static void test_versions_number_challenges_differently(void **state)
{
    struct json *file = json_read(vector_path("filecoin/vanilla/post_challenges.json"));
    const struct json *versions = json_get(file, "challenge_index_10_per_sector");

    (void)state;
    for (size_t v = 0; v < json_count(versions); v++) {
        const struct json *rows =
            json_get(json_at(versions, v), "sector_index_challenge_index_result");
        struct post_sector sectors[3000] = {{0}};
        struct post a = {.config = post_config_make(POST_WINDOW, sector_size_of_name("32GiB"),
                                                    (enum api_version)v),
                         .n_sectors = 3000,
                         .sectors = sectors};
        struct post b = a;

        assert_string_equal(json_get_text(json_at(versions, v), "api"),
                            api_version_name((enum api_version)v));
        b.config.version = API_1_2_0;
        for (size_t i = 0; i < json_count(rows); i++) {
            size_t sector = json_u64(json_at(json_at(rows, i), 0));

            assert_true(sector < 3000);
            assert_int_equal(post_challenge(&a, sector, json_u64(json_at(json_at(rows, i), 1))),
                             post_challenge(&b, 0, json_u64(json_at(json_at(rows, i), 2))));
        }
    }
    json_free(file);
}

static void test_partitions_cut_the_list_and_repeat_its_last_sector(void **state)
{
    const struct sector_size *size = sector_size_of_name("32GiB");
    const struct post_config window = post_config_make(POST_WINDOW, size, API_1_2_0);
    const struct post_config winning = post_config_make(POST_WINNING, size, API_1_2_0);

    const struct post list = {.config = window, .n_sectors = 2350};
    const struct post one = {.config = winning, .n_sectors = 1};

    (void)state;
    assert_int_equal(post_partitions(&window, 0), 1);
    assert_int_equal(post_partitions(&window, 1), 1);
    assert_int_equal(post_partitions(&window, 2349), 1);
    assert_int_equal(post_partitions(&window, 2350), 2);
    assert_int_equal(post_partitions(&winning, 1), 1);
    assert_int_equal(post_slot(&list, 0, 2348).sector, 2348);
    assert_int_equal(post_slot(&list, 1, 0).sector, 2349);
    assert_int_equal(post_slot(&list, 1, 1).sector, 2349);
    assert_int_equal(post_slot(&list, 1, 1).first_challenge, 0);
    assert_int_equal(post_slot(&one, 0, 65).sector, 0);
    assert_int_equal(post_slot(&one, 0, 65).first_challenge, 65);
    assert_int_equal(winning.version, API_1_0_0);
}

static void test_registered_proofs_have_the_numbers_of_the_api(void **state)
{
    (void)state;
    for (int i = 0; i < N_POST_SETS; i++) {
        struct json *meta = json_read(vector_path("filecoin/post/%s/meta.json", post_sets[i]));
        const struct post_proof *proof =
            json_has(meta, "registered_proof")
                ? post_proof_of_name(json_get_text(meta, "registered_proof"))
                : NULL;

        if (proof) {
            assert_int_equal(proof->number, json_get_u64(meta, "registered_proof_number"));
            assert_ptr_equal(proof, post_proof_of_number(proof->number));
            assert_int_equal(proof->size->bytes, json_get_u64(meta, "sector_size"));
        }
        json_free(meta);
    }
    assert_string_equal(post_proof_of_number(3)->name, "StackedDrgWinning32GiBV1");
    assert_string_equal(post_proof_of_number(13)->name, "StackedDrgWindow32GiBV1_2");
    assert_null(post_proof_of_number(15));
}

/* ---- the circuit ----------------------------------------------------------------------------- */

static void assert_size_is_as_recorded(const char *name)
{
    struct shape_row expected = shape_row_read(name);
    struct r1cs cs = record(name);

    assert_r1cs_is(&cs, &expected, vector_path("filecoin/shapes/%s.tsv", name), pool);
    r1cs_done(&cs);
}

static void test_winning_circuits_are_the_recorded_systems(void **state)
{
    static const char *const sizes[] = {"2k",  "4k",   "16k", "32k", "8m",
                                        "16m", "512m", "1g",  "32g", "64g"};
    char name[32];

    (void)state;
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "winning-%s", sizes[i]);
        assert_size_is_as_recorded(name);
    }
}

static void test_small_window_circuits_are_the_recorded_systems(void **state)
{
    static const char *const sizes[] = {"2k", "4k", "16k", "32k", "8m", "16m", "512m", "1g"};
    char name[32];

    (void)state;
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "window-%s", sizes[i]);
        assert_size_is_as_recorded(name);
    }
}

static void test_network_window_circuits_are_the_recorded_systems(void **state)
{
    (void)state;
    if (!test_long()) {
        print_message("SKIP: 32 GiB and 64 GiB digests take minutes; set CUZK_LONG=1\n");
        skip();
    }
    assert_size_is_as_recorded("window-32g");
    assert_size_is_as_recorded("window-64g");
}

/* docs/filecoin.md, 5.4: counts of circuits whose whole digest takes minutes, and what the repeat
 * is for: 862 M terms of A are recorded in half a gibibyte. */
static void test_network_window_circuits_are_small_and_have_the_published_counts(void **state)
{
    static const char *const names[] = {"window-32g", "window-64g"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct shape_row expected = shape_row_read(names[i]);
        struct circuit_name circuit;
        struct cuzk_error err;
        struct budget budget;
        struct r1cs cs;
        uint64_t nnz;

        budget_init(&budget, (size_t)512 << 20);
        must(circuit_name_parse(&circuit, names[i], &err), &err);
        must(circuit_record(&cs, circuit, &budget, &err), &err);
        assert_int_equal(cs.n_constraints, expected.constraints);
        assert_int_equal(cs.n_inputs, expected.inputs);
        assert_int_equal(cs.n_aux, expected.aux);
        assert_int_equal(r1cs_lg_domain(&cs), 27);
        for (int m = 0; m < 3; m++) {
            const struct matrix *matrix = m == 0 ? &cs.a : m == 1 ? &cs.b : &cs.c;

            nnz = 0;
            for (size_t s = 0; s < matrix->n_segments; s++)
                nnz += matrix->segments[s].n_terms * matrix->segments[s].count;
            assert_int_equal(nnz, expected.nnz[m]);
        }
        print_message("%s: recorded in %.1f MiB\n", names[i], (double)budget.peak / (1 << 20));
        r1cs_done(&cs);
    }
}

/* The circuits of upstream's own tests: docs/filecoin.md, 5.4. */
static void test_upstreams_test_shapes_have_the_published_digests(void **state)
{
    static const struct {
        struct post_shape shape;
        uint64_t constraints, inputs, structural;
    } shapes[] = {
        {{{.lg_nodes = 6, .base_levels = 2, .base_bits = 3}, 3, 5}, 16869, 19, 0xdd72456619307cdc},
        {{{.lg_nodes = 8, .base_levels = 2, .base_bits = 3, .sub_bits = 2}, 3, 5},
         22674,
         19,
         0x27cd403b21d826c6},
        {{{.lg_nodes = 9, .base_levels = 2, .base_bits = 3, .sub_bits = 2, .top_bits = 1}, 3, 5},
         27384,
         19,
         0x13357d4cd30ae0aa},
        {{{.lg_nodes = 6, .base_levels = 2, .base_bits = 3}, 2, 5}, 11246, 13, 0x0caf0b17a21dd270},
        {{{.lg_nodes = 30, .base_levels = 10, .base_bits = 3}, 5, 10},
         266665,
         56,
         0xb0ce957911744a46},
    };

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct r1cs_digests digests;
        struct cuzk_error err;
        struct r1cs cs;

        must(post_record(&cs, &shapes[i].shape, NULL, &err), &err);
        assert_int_equal(cs.n_constraints, shapes[i].constraints);
        assert_int_equal(cs.n_inputs, shapes[i].inputs);
        must(r1cs_digest(&cs, pool, 0, NULL, NULL, &digests, &err), &err);
        assert_int_equal(digests.structural, shapes[i].structural);
        r1cs_done(&cs);
    }
}

static void test_rows_are_named_by_slot_and_challenge(void **state)
{
    const struct post_config config =
        post_config_make(POST_WINDOW, sector_size_of_name("2KiB"), API_1_2_0);
    struct cuzk_error err;
    char path[128];

    (void)state;
    must(post_row_path(path, sizeof path, &config.shape, 10933 + 313 + 1062, NULL, &err), &err);
    assert_non_null(strstr(path, "slot 1/challenge 1/inclusion/"));
}

/* ---- witnesses ------------------------------------------------------------------------------- */

static void test_inputs_and_witnesses_of_the_winning_sets_are_upstreams(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_set_witnesses(post_sets[i], pool);
}

static void test_inputs_and_witnesses_of_the_window_sets_are_upstreams(void **state)
{
    (void)state;
    for (int i = 3; i < N_POST_SETS; i++)
        assert_set_witnesses(post_sets[i], pool);
}

/* The last partition made from its own sector alone, in a version that numbers challenges over the
 * whole list. */
static void test_a_partition_alone_is_the_same(void **state)
{
    struct post_set set = post_set_load("window-2k-3s-v1_0");
    struct vanilla_post *v = &set.vanilla;
    struct scalar inputs[22];
    struct packed_witness w;
    struct cuzk_error err;
    struct r1cs cs = record("window-2k");

    (void)state;
    v->post.n_before = 2;
    v->post.n_sectors = 1;
    v->post.sectors += 2;
    v->sectors += 2;
    must(post_check_deep(v, pool, &err), &err);
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    post_witness(&w, &cs, v, 1, pool);
    assert_witness_is(&w.values, json_at(json_get(set.meta, "partition_data"), 1));
    post_public_inputs(inputs, &v->post, 1);
    assert_inputs_are(&w.values, inputs, 22);
    packed_witness_done(&w);
    r1cs_done(&cs);
    post_set_free(&set);
}

static void test_every_number_of_threads_gives_the_same_witness(void **state)
{
    struct post_set set = post_set_load("winning-32k");
    struct packed_witness first, w;
    struct cuzk_error err;
    struct r1cs cs = record("winning-32k");

    (void)state;
    must(packed_witness_new(&first, &cs, NULL, &err), &err);
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    post_witness(&first, &cs, &set.vanilla, 0, NULL);
    for (unsigned n = 2; n <= 4; n++) {
        struct pool *threads;

        must(pool_new(&threads, n, &err), &err);
        packed_witness_clear(&w);
        post_witness(&w, &cs, &set.vanilla, 0, threads);
        assert_memory_equal(w.memory.base, first.memory.base, w.memory.bytes);
        pool_free(threads);
    }
    packed_witness_done(&first);
    packed_witness_done(&w);
    r1cs_done(&cs);
    post_set_free(&set);
}

/* ---- what is wrong is refused, and is not satisfied ------------------------------------------ */

static void assert_refused(const struct vanilla_post *v, const char *sentence)
{
    struct cuzk_error err;

    assert_int_equal(post_check_deep(v, pool, &err), CUZK_BAD_INPUT);
    if (!strstr(err.message, sentence))
        fail_msg("\"%s\" does not say \"%s\"", err.message, sentence);
}

static void test_wrong_vanilla_proofs_are_refused_with_their_place(void **state)
{
    struct post_set set = post_set_load("window-2k-3s-v1_2");
    struct vanilla_post *v = &set.vanilla;
    struct vanilla_sector *second = &v->sectors[1];

    (void)state;
    second->paths[3].siblings[5].w[1] ^= 1;
    assert_refused(v, "proof 1 (sector 300): challenge 3: the path does not lead to its root");
    second->paths[3].siblings[5].w[1] ^= 1;
    second->paths[9].leaf.w[0] ^= 1;
    assert_refused(v, "challenge 9: the path does not lead to its root");
    second->paths[9].leaf.w[0] ^= 1;
    second->paths[0].index ^= 1;
    assert_refused(v, "challenge 0: the path leads to node");
    second->paths[0].index ^= 1;
    second->paths[2].root.w[0] ^= 1;
    assert_refused(v, "challenge 2: the root is not comm_r_last");
    second->paths[2].root.w[0] ^= 1;
    second->comm_c.w[0] ^= 1;
    assert_refused(v, "proof 1 (sector 300): comm_r is not the hash");
    second->comm_c.w[0] ^= 1;
    v->post.randomness[0] ^= 1;
    assert_refused(v, "from the randomness");
    v->post.randomness[0] ^= 1;
    v->post.randomness[31] |= 0x80;
    assert_refused(v, "randomness is not below");
    v->post.randomness[31] &= 0x3f;
    v->post.sectors[2].id = 5;
    assert_refused(v, "proof 2 (sector 5): the same sector as proof 0");
    post_set_free(&set);
}

static void test_numbers_of_sectors_are_checked_first(void **state)
{
    const struct sector_size *size = sector_size_of_name("2KiB");
    const struct post_config window = post_config_make(POST_WINDOW, size, API_1_2_0);
    const struct post_config winning = post_config_make(POST_WINNING, size, API_1_0_0);
    const uint8_t randomness[32] = {0};
    struct vanilla_post v;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(vanilla_post_new(&v, &window, randomness, 0, NULL, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "sector"));
    assert_int_equal(vanilla_post_new(&v, &winning, randomness, 0, NULL, &err), CUZK_BAD_INPUT);
    assert_int_equal(vanilla_post_new(&v, &winning, randomness, 2, NULL, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "single sector"));
    assert_int_equal(
        vanilla_post_new(&v, &window, randomness, (size_t)POST_SECTORS_MAX + 1, NULL, &err),
        CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "at most"));
    assert_int_equal(vanilla_post_new(&v, &window, randomness, SIZE_MAX, NULL, &err),
                     CUZK_BAD_INPUT);
}

/* Every prefix of a file, every file with a changed length or tag, a file of another shape. */
static void test_broken_files_are_refused_with_their_offset(void **state)
{
    struct post_set set = post_set_load("window-2k-1s-v1_2");
    size_t bytes, other_bytes;
    uint8_t *file = vector_read(vector_path("filecoin/post/%s/vanilla-0.bin", set.name), &bytes);
    uint8_t *other =
        vector_read(vector_path("filecoin/post/winning-2k/vanilla-0.bin"), &other_bytes);
    static const size_t words[] = {40, 48, 56, 124, 132, 364}; /* lengths, tag, index */
    struct cuzk_error err;
    struct reader r;

    (void)state;
    for (size_t n = 0; n < bytes; n++) {
        r = reader_over(file, n, "proof");
        assert_int_equal(vanilla_post_read(&set.vanilla, 0, &r, &err), CUZK_BAD_INPUT);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        file[words[i]] ^= 0x20;
        r = reader_over(file, bytes, "proof");
        assert_int_equal(vanilla_post_read(&set.vanilla, 0, &r, &err), CUZK_BAD_INPUT);
        file[words[i]] ^= 0x20;
    }
    memset(file + 8, 0xff, 32); /* comm_r */
    r = reader_over(file, bytes, "proof");
    assert_int_equal(vanilla_post_read(&set.vanilla, 0, &r, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message,
                        "proof: comm_r: offset 40: expected a number below the field's modulus");
    r = reader_over(other, other_bytes, "winning");
    assert_int_equal(vanilla_post_read(&set.vanilla, 0, &r, &err), CUZK_BAD_INPUT);
    assert_string_equal(
        err.message,
        "winning: inclusion_proofs: offset 56: inclusion_proofs: expected 10 entries, found 66");
    vector_free(file);
    vector_free(other);
    post_set_free(&set);
}

/* Whatever is changed is seen when the file is read, or by the check before any work. */
static void test_every_changed_byte_is_refused(void **state)
{
    struct post_set set = post_set_load("window-2k-1s-v1_2");
    size_t bytes;
    uint8_t *file = vector_read(vector_path("filecoin/post/%s/vanilla-0.bin", set.name), &bytes);
    struct cuzk_error err;
    struct reader r;

    (void)state;
    for (size_t at = 0; at < bytes; at += 13) {
        const uint8_t flip = (uint8_t)(1u << at % 8);
        enum cuzk_status st;

        file[at] ^= flip;
        r = reader_over(file, bytes, "proof");
        st = vanilla_post_read(&set.vanilla, 0, &r, &err);
        if (st == CUZK_OK)
            st = post_check_deep(&set.vanilla, pool, &err);
        if (st != CUZK_BAD_INPUT)
            fail_msg("byte %zu of %zu: not refused", at, bytes);
        file[at] ^= flip;
    }
    r = reader_over(file, bytes, "proof");
    must(vanilla_post_read(&set.vanilla, 0, &r, &err), &err);
    must(post_check_deep(&set.vanilla, pool, &err), &err);
    vector_free(file);
    post_set_free(&set);
}

static void test_proofs_take_the_memory_they_say_or_nothing(void **state)
{
    const struct post_config config =
        post_config_make(POST_WINDOW, sector_size_of_name("32GiB"), API_1_2_0);
    const size_t bytes = vanilla_post_bytes(&config, 2349);
    const uint8_t randomness[32] = {0};
    struct vanilla_post v;
    struct budget budget;
    struct cuzk_error err;

    (void)state;
    budget_init(&budget, bytes - 1);
    assert_int_equal(vanilla_post_new(&v, &config, randomness, 2349, &budget, &err),
                     CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
    budget_init(&budget, bytes);
    must(vanilla_post_new(&v, &config, randomness, 2349, &budget, &err), &err);
    assert_int_equal(budget.class_now[MEM_REQUEST], bytes);
    assert_true(bytes < 2349 * 26000);
    vanilla_post_done(&v);
    assert_int_equal(budget.now, 0);
}

static void test_a_changed_leaf_leaves_its_row_unsatisfied(void **state)
{
    struct post_set set = post_set_load("window-2k-3s-v1_2");
    const struct post_shape *shape = &set.vanilla.post.config.shape;
    struct r1cs_check check;
    struct packed_witness w;
    struct cuzk_error err;
    struct r1cs cs = record("window-2k");
    char path[128];

    (void)state;
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    post_witness(&w, &cs, &set.vanilla, 0, pool);
    must(r1cs_check(&cs, &w.values, pool, &check, &err), &err);
    assert_true(check.satisfied);
    set.vanilla.sectors[1].paths[4].leaf.w[0] ^= 1;
    packed_witness_clear(&w);
    post_witness(&w, &cs, &set.vanilla, 0, pool);
    must(r1cs_check(&cs, &w.values, pool, &check, &err), &err);
    assert_false(check.satisfied);
    must(post_row_path(path, sizeof path, shape, check.first_bad_row, NULL, &err), &err);
    assert_non_null(strstr(path, "slot 1/challenge 4/inclusion"));
    packed_witness_done(&w);
    r1cs_done(&cs);
    post_set_free(&set);
}

/* A proof of the network, 32 GiB: parses, and its roots recompute. */
static void test_the_file_of_curios_tests_is_a_correct_proof(void **state)
{
    const char *path = test_data_path("vectors/curio/post.vproof");
    const struct post_config config =
        post_config_make(POST_WINDOW, sector_size_of_name("32GiB"), API_1_2_0);
    const uint8_t randomness[32] = {0};
    struct vanilla_post v;
    struct cuzk_error err;
    struct reader r;
    size_t bytes;
    uint8_t *file;

    (void)state;
    if (!path)
        skip();
    file = vector_read(path, &bytes);
    r = reader_over(file, bytes, path);
    must(vanilla_post_new(&v, &config, randomness, 1, NULL, &err), &err);
    must(vanilla_post_read(&v, 0, &r, &err), &err);
    assert_int_equal(v.post.sectors[0].id, 1);
    must(post_check_deep(&v, pool, &err), &err);
    vanilla_post_done(&v);
    vector_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_challenges_of_the_vectors),
        cmocka_unit_test(test_versions_number_challenges_differently),
        cmocka_unit_test(test_partitions_cut_the_list_and_repeat_its_last_sector),
        cmocka_unit_test(test_registered_proofs_have_the_numbers_of_the_api),
        cmocka_unit_test(test_winning_circuits_are_the_recorded_systems),
        cmocka_unit_test(test_small_window_circuits_are_the_recorded_systems),
        cmocka_unit_test(test_network_window_circuits_are_the_recorded_systems),
        cmocka_unit_test(test_network_window_circuits_are_small_and_have_the_published_counts),
        cmocka_unit_test(test_upstreams_test_shapes_have_the_published_digests),
        cmocka_unit_test(test_rows_are_named_by_slot_and_challenge),
        cmocka_unit_test(test_inputs_and_witnesses_of_the_winning_sets_are_upstreams),
        cmocka_unit_test(test_inputs_and_witnesses_of_the_window_sets_are_upstreams),
        cmocka_unit_test(test_a_partition_alone_is_the_same),
        cmocka_unit_test(test_every_number_of_threads_gives_the_same_witness),
        cmocka_unit_test(test_wrong_vanilla_proofs_are_refused_with_their_place),
        cmocka_unit_test(test_numbers_of_sectors_are_checked_first),
        cmocka_unit_test(test_broken_files_are_refused_with_their_offset),
        cmocka_unit_test(test_every_changed_byte_is_refused),
        cmocka_unit_test(test_proofs_take_the_memory_they_say_or_nothing),
        cmocka_unit_test(test_a_changed_leaf_leaves_its_row_unsatisfied),
        cmocka_unit_test(test_the_file_of_curios_tests_is_a_correct_proof),
    };

    return cmocka_run_group_tests_name("filecoin post", tests, make_pool, free_pool);
}
