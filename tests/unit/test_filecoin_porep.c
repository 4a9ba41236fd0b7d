/* The PoRep circuit, recorded and given values, against the recorded upstream systems. */
#include "filecoin/circuit_name.h"
#include "filecoin/porep_circuit.h"
#include "support/circuit_set.h"
#include "support/pool_fixture.h"
#include "support/porep_set.h"
#include "support/shape_row.h"
#include "support/testing.h"
#include "support/vectors.h"

static struct r1cs record(const struct porep_shape *shape)
{
    struct r1cs cs;
    struct cuzk_error err = {CUZK_OK, ""};

    if (porep_record(&cs, shape, NULL, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return cs;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void assert_size_is_as_recorded(const char *name)
{
    struct shape_row expected = shape_row_read(name);
    struct circuit_name circuit;
    struct r1cs cs;

    assert_int_equal(circuit_name_parse(&circuit, name, NULL), CUZK_OK);
    cs = record(&circuit.size->porep);
    assert_r1cs_is(&cs, &expected, vector_path("filecoin/shapes/%s.tsv", name), pool);
    r1cs_done(&cs);
}

static void test_small_sizes_are_the_recorded_systems(void **state)
{
    (void)state;
    assert_size_is_as_recorded("porep-2k");
    assert_size_is_as_recorded("porep-4k");
    assert_size_is_as_recorded("porep-16k");
    assert_size_is_as_recorded("porep-32k");
}

static void test_middle_sizes_are_the_recorded_systems(void **state)
{
    (void)state;
    assert_size_is_as_recorded("porep-8m");
    assert_size_is_as_recorded("porep-16m");
    assert_size_is_as_recorded("porep-512m");
    assert_size_is_as_recorded("porep-1g");
}

static void test_network_sizes_are_the_recorded_systems(void **state)
{
    (void)state;
    if (!test_long()) {
        print_message("SKIP: 32 GiB and 64 GiB digests take minutes; set CUZK_LONG=1\n");
        skip();
    }
    assert_size_is_as_recorded("porep-32g");
    assert_size_is_as_recorded("porep-64g");
}

static void test_the_eleven_layer_shape_is_the_recorded_system(void **state)
{
    struct porep_set set = porep_set_load("porep11-16k");
    struct shape_row expected = shape_row_of_json("porep11-16k", json_get(set.meta, "circuit"));
    struct r1cs cs = record(&set.config.shape);

    (void)state;
    assert_r1cs_is(&cs, &expected, vector_path("filecoin/porep11-16k/checkpoints.tsv"), pool);
    r1cs_done(&cs);
    porep_set_free(&set);
}

/* The circuits of upstream's own tests: one challenge, two layers, other trees. */
static void test_upstreams_test_shapes_have_the_published_digests(void **state)
{
    static const struct {
        struct tree_shape tree;
        uint64_t constraints, structural;
    } shapes[] = {
        {{.lg_nodes = 3, .base_levels = 3, .base_bits = 1}, 1206212, 0xa531419ee8a46fd5},
        {{.lg_nodes = 3, .base_levels = 1, .base_bits = 3}, 1199620, 0x52dc5540ffca9173},
        {{.lg_nodes = 5, .base_levels = 1, .base_bits = 3, .sub_bits = 2},
         1296576,
         0x738669845ea804a2},
        {{.lg_nodes = 6, .base_levels = 1, .base_bits = 3, .sub_bits = 2, .top_bits = 1},
         1346982,
         0x4a71753d706775c6},
    };

    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct porep_shape shape = {.tree = shapes[i].tree, .layers = 2, .challenges = 1};
        struct r1cs cs = record(&shape);
        struct r1cs_digests digests;
        struct cuzk_error err;

        assert_int_equal(cs.n_constraints, shapes[i].constraints);
        assert_int_equal(cs.n_inputs, 22);
        assert_int_equal(r1cs_digest(&cs, pool, 0, NULL, NULL, &digests, &err), CUZK_OK);
        assert_int_equal(digests.structural, shapes[i].structural);
        r1cs_done(&cs);
    }
}

/* docs/filecoin.md, 4.6: counts of circuits whose whole digest takes minutes. */
static void test_network_sizes_have_the_published_counts(void **state)
{
    static const char *const names[] = {"porep-32g", "porep-64g"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct shape_row expected = shape_row_read(names[i]);
        struct circuit_name circuit;
        struct r1cs cs;

        assert_int_equal(circuit_name_parse(&circuit, names[i], NULL), CUZK_OK);
        cs = record(&circuit.size->porep);
        assert_int_equal(cs.n_constraints, expected.constraints);
        assert_int_equal(cs.n_inputs, expected.inputs);
        assert_int_equal(cs.n_aux, expected.aux);
        assert_int_equal(r1cs_lg_domain(&cs), 27);
        assert_true(cs.n_full * 50 < cs.n_aux); /* bits are what it is made of */
        r1cs_done(&cs);
    }
}

/* ---- witnesses ------------------------------------------------------------------------------- */

static void test_witnesses_of_the_interactive_2k_sets_are_upstreams(void **state)
{
    (void)state;
    assert_set_witnesses("porep-2k", pool);
    assert_set_witnesses("porep-2k-v1", pool);
}

static void test_witness_of_the_synthetic_set_is_upstreams(void **state)
{
    (void)state;
    assert_set_witnesses("porep-2k-synth", pool);
}

static void test_thirteen_witnesses_of_the_non_interactive_set_are_upstreams(void **state)
{
    (void)state;
    assert_set_witnesses("porep-2k-ni", pool);
}

static void test_witnesses_of_the_other_tree_shapes_are_upstreams(void **state)
{
    (void)state;
    assert_set_witnesses("porep-4k", pool);
    assert_set_witnesses("porep-16k", pool);
    assert_set_witnesses("porep-32k", pool);
}

static void test_both_witnesses_of_eleven_layers_are_upstreams(void **state)
{
    (void)state;
    assert_set_witnesses("porep11-16k", pool);
}

static void test_every_number_of_threads_gives_the_same_witness(void **state)
{
    struct porep_set set = porep_set_load("porep-2k");
    struct r1cs cs = record(&set.config.shape);
    struct packed_witness first, w;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(packed_witness_new(&first, &cs, NULL, &err), CUZK_OK);
    assert_int_equal(packed_witness_new(&w, &cs, NULL, &err), CUZK_OK);
    assert_int_equal(first.memory.bytes, packed_witness_bytes(&cs));
    porep_witness(&first, &cs, &set.vanilla, 0, NULL);
    for (unsigned n = 2; n <= 4; n++) {
        struct pool *threads;

        assert_int_equal(pool_new(&threads, n, &err), CUZK_OK);
        packed_witness_clear(&w);
        porep_witness(&w, &cs, &set.vanilla, 0, threads);
        assert_memory_equal(w.memory.base, first.memory.base, w.memory.bytes);
        pool_free(threads);
    }
    packed_witness_done(&first);
    packed_witness_done(&w);
    r1cs_done(&cs);
    porep_set_free(&set);
}

/* A wrong sibling of a parent's path: the row that notices is that path's last, in challenge 1. */
static void test_a_wrong_sibling_is_found_by_row_and_name(void **state)
{
    struct porep_set set = porep_set_load("porep-2k");
    struct r1cs cs = record(&set.config.shape);
    struct packed_witness w;
    struct r1cs_check check;
    struct cuzk_error err;
    char path[256];

    (void)state;
    set.vanilla.challenges[1].parents[3].path.siblings[5].w[0] ^= 1;
    assert_int_equal(packed_witness_new(&w, &cs, NULL, &err), CUZK_OK);
    porep_witness(&w, &cs, &set.vanilla, 0, pool);
    assert_int_equal(r1cs_check(&cs, &w.values, pool, &check, &err), CUZK_OK);
    assert_false(check.satisfied);
    assert_int_equal(
        porep_row_path(path, sizeof(path), &set.config.shape, check.first_bad_row, NULL, &err),
        CUZK_OK);
    print_message("row %llu: %s\n", (unsigned long long)check.first_bad_row, path);
    assert_non_null(strstr(path, "challenge 1/"));
    assert_non_null(strstr(path, "parent 3"));
    packed_witness_done(&w);
    r1cs_done(&cs);
    porep_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_sizes_are_the_recorded_systems),
        cmocka_unit_test(test_middle_sizes_are_the_recorded_systems),
        cmocka_unit_test(test_network_sizes_are_the_recorded_systems),
        cmocka_unit_test(test_the_eleven_layer_shape_is_the_recorded_system),
        cmocka_unit_test(test_upstreams_test_shapes_have_the_published_digests),
        cmocka_unit_test(test_network_sizes_have_the_published_counts),
        cmocka_unit_test(test_witnesses_of_the_interactive_2k_sets_are_upstreams),
        cmocka_unit_test(test_witness_of_the_synthetic_set_is_upstreams),
        cmocka_unit_test(test_thirteen_witnesses_of_the_non_interactive_set_are_upstreams),
        cmocka_unit_test(test_witnesses_of_the_other_tree_shapes_are_upstreams),
        cmocka_unit_test(test_both_witnesses_of_eleven_layers_are_upstreams),
        cmocka_unit_test(test_every_number_of_threads_gives_the_same_witness),
        cmocka_unit_test(test_a_wrong_sibling_is_found_by_row_and_name),
    };

    return cmocka_run_group_tests_name("filecoin porep", tests, make_pool, free_pool);
}
