/* Sample sectors of every size satisfy what real ones do: the sizes for which no recorded sector
 * exists, with their deeper trees, eleven layers and ten partitions of eighteen challenges. */
#include "support/testing.h"

#include "filecoin/porep_circuit.h"
#include "filecoin/post_circuit.h"
#include "filecoin/sample_porep.h"
#include "filecoin/sample_post.h"
#include "filecoin/sample_update.h"
#include "filecoin/update_circuit.h"
#include "filecoin/vanilla_check.h"
#include "support/pool_fixture.h"

static struct porep_config config_of(const struct sector_size *size, enum api_version version)
{
    return (struct porep_config){.shape = size->porep,
                                 .partitions = size->porep_partitions,
                                 .version = version,
                                 .porep_id = {5}};
}

static struct vanilla_porep sample(const struct porep_config *config, uint64_t seed)
{
    const struct sample_facts facts = sample_facts_of(seed);
    struct sample_sector sector;
    struct vanilla_porep v = {0};
    struct cuzk_error err;

    if (sample_sector_new(&sector, config, &facts, NULL, &err) != CUZK_OK ||
        sample_porep(&v, &sector, NULL, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    sample_sector_done(&sector);
    return v;
}

static void test_vanilla_proofs_of_all_sizes_pass_the_deep_check(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_SECTOR_SIZES; i++) {
        struct porep_config config = config_of(&sector_sizes[i], i % 2 ? API_1_1_0 : API_1_0_0);
        struct vanilla_porep v = sample(&config, i);
        struct cuzk_error err;

        for (unsigned k = 0; k < config.partitions; k++)
            if (vanilla_check_deep(&v, &config, k, &err) != CUZK_OK)
                fail_msg("%s: %s", sector_sizes[i].name, err.message);
        vanilla_porep_done(&v);
    }
}

static void test_post_proofs_of_all_sizes_pass_the_deep_check(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * N_SECTOR_SIZES; i++) {
        const struct post_config config =
            post_config_make(i % 2 ? POST_WINNING : POST_WINDOW, &sector_sizes[i / 2],
                             i % 4 ? API_1_0_0 : API_1_2_0);
        const struct sample_facts facts = sample_facts_of(i);
        const uint8_t randomness[32] = {(uint8_t)i};
        struct vanilla_post v;
        struct cuzk_error err;

        if (sample_post(&v, &config, i % 2 ? 1 : 3, randomness, &facts, pool, NULL, &err) !=
                CUZK_OK ||
            post_check_deep(&v, pool, &err) != CUZK_OK)
            fail_msg("%s: %s", sector_sizes[i / 2].name, err.message);
        vanilla_post_done(&v);
    }
}

/* One thread and many, some sectors and more. */
static void test_sectors_do_not_depend_on_threads_or_their_number(void **state)
{
    const struct post_config config =
        post_config_make(POST_WINDOW, sector_size_of_name("16MiB"), API_1_2_0);
    const struct sample_facts facts = sample_facts_of(5);
    const uint8_t randomness[32] = {7};
    const size_t needed = vanilla_post_bytes(&config, 2) + sample_post_bytes(&config, 1);
    struct vanilla_post one, many;
    struct cuzk_error err;
    struct budget budget;

    (void)state;
    budget_init(&budget, needed);
    assert_int_equal(sample_post(&one, &config, 2, randomness, &facts, NULL, &budget, &err),
                     CUZK_OK);
    assert_int_equal(budget.peak, needed);
    assert_int_equal(sample_post(&many, &config, 9, randomness, &facts, pool, NULL, &err), CUZK_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(one.post.sectors[i].id, 5 + i);
        assert_memory_equal(&one.post.sectors[i], &many.post.sectors[i],
                            sizeof one.post.sectors[i]);
        assert_memory_equal(one.sectors[i].paths[3].siblings, many.sectors[i].paths[3].siblings,
                            tree_siblings(&config.shape.tree) * sizeof(struct scalar));
    }
    vanilla_post_done(&one);
    vanilla_post_done(&many);
    assert_int_equal(budget.now, 0);
}

/* False for the size that has no updates. */
static bool sample_of_update(struct vanilla_update *ret, const struct sector_size *size,
                             uint64_t seed)
{
    struct update_shape shape;
    struct cuzk_error err;
    struct rng rng;

    if (!update_shape_of(&shape, &size->porep.tree))
        return false;
    rng_seed(&rng, seed);
    if (sample_update(ret, &shape, &rng, NULL, &err) != CUZK_OK)
        fail_msg("%s: %s", size->name, err.message);
    return true;
}

static void test_updates_of_all_sizes_pass_the_deep_check(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_SECTOR_SIZES; i++) {
        struct vanilla_update v;
        struct cuzk_error err;

        if (!sample_of_update(&v, &sector_sizes[i], i))
            continue;
        for (unsigned k = 0; k < update_partitions(&v.update.shape); k++)
            if (update_check_deep(&v, k, &err) != CUZK_OK)
                fail_msg("%s: %s", sector_sizes[i].name, err.message);
        vanilla_update_done(&v);
    }
}

static void test_a_sector_takes_the_memory_that_it_says(void **state)
{
    const struct porep_config config = config_of(sector_size_of_name("64GiB"), API_1_1_0);
    const struct sample_facts facts = sample_facts_of(3);
    const size_t needed = sample_sector_bytes(&config, false);
    struct sample_sector sector;
    struct cuzk_error err;
    struct budget budget;

    (void)state;
    budget_init(&budget, needed);
    assert_int_equal(sample_sector_new(&sector, &config, &facts, &budget, &err), CUZK_OK);
    assert_int_equal(budget.peak, needed);
    sample_sector_done(&sector);
    assert_int_equal(budget.now, 0);
    budget_init(&budget, needed - 1);
    assert_int_equal(sample_sector_new(&sector, &config, &facts, &budget, &err), CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
}

static void test_an_update_takes_the_memory_that_it_says(void **state)
{
    struct rng rng;
    struct update_shape shape;
    struct vanilla_update v;
    struct cuzk_error err;
    struct budget budget;
    size_t needed;

    (void)state;
    assert_true(update_shape_of(&shape, &sector_size_of_name("64GiB")->porep.tree));
    rng_seed(&rng, 1);
    needed = vanilla_update_bytes(&shape) + sample_update_bytes(&shape);
    budget_init(&budget, needed);
    assert_int_equal(sample_update(&v, &shape, &rng, &budget, &err), CUZK_OK);
    assert_int_equal(budget.peak, needed);
    vanilla_update_done(&v);
    assert_int_equal(budget.now, 0);
    budget_init(&budget, needed - 1);
    assert_int_equal(sample_update(&v, &shape, &rng, &budget, &err), CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
}

static void assert_satisfied(const struct sector_size *size, unsigned partition)
{
    struct porep_config config = config_of(size, API_1_1_0);
    const struct graph graph =
        graph_make(config.shape.tree.lg_nodes, config.version, config.porep_id);
    struct scalar inputs[3 + POREP_CHALLENGE_INPUTS * 18];
    struct packed_witness w;
    struct r1cs_check check;
    struct vanilla_porep v = sample(&config, 1);
    struct cuzk_error err;
    struct r1cs cs;

    assert_int_equal(porep_record(&cs, &config.shape, NULL, &err), CUZK_OK);
    assert_int_equal(packed_witness_new(&w, &cs, NULL, &err), CUZK_OK);
    porep_witness(&w, &cs, &v, partition, pool);
    porep_public_inputs(inputs, &config, &graph, &v.seal, partition);
    assert_memory_equal(w.values.inputs + 4, inputs,
                        porep_n_inputs(&config.shape) * sizeof(inputs[0]));
    assert_int_equal(r1cs_check(&cs, &w.values, pool, &check, &err), CUZK_OK);
    if (!check.satisfied)
        fail_msg("%s: row %llu", size->name, (unsigned long long)check.first_bad_row);
    packed_witness_done(&w);
    r1cs_done(&cs);
    vanilla_porep_done(&v);
}

static void assert_update_satisfied(const struct sector_size *size, unsigned partition)
{
    struct packed_witness w;
    struct r1cs_check check;
    struct vanilla_update v;
    struct cuzk_error err;
    struct r1cs cs;

    if (!sample_of_update(&v, size, 2))
        return;
    assert_int_equal(update_record(&cs, &v.update.shape, NULL, &err), CUZK_OK);
    assert_int_equal(packed_witness_new(&w, &cs, NULL, &err), CUZK_OK);
    update_witness(&w, &cs, &v, partition, pool);
    assert_int_equal(r1cs_check(&cs, &w.values, pool, &check, &err), CUZK_OK);
    if (!check.satisfied)
        fail_msg("%s: row %llu", size->name, (unsigned long long)check.first_bad_row);
    packed_witness_done(&w);
    r1cs_done(&cs);
    vanilla_update_done(&v);
}

static void test_witnesses_of_small_and_middle_sizes_satisfy_every_row(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        assert_satisfied(&sector_sizes[i], 0);
}

static void test_updates_of_small_and_middle_sizes_satisfy_every_row(void **state)
{
    (void)state;
    assert_update_satisfied(sector_size_of_name("16KiB"), 1);
    assert_update_satisfied(sector_size_of_name("16MiB"), 3);
}

/* What a witness was up to where it was said to be made. */
struct made {
    const struct witness *witness;
    unsigned n;
    size_t n_aux[8];
    uint64_t digest[8];
};

/* Of the values of aux before n_aux, but for those of an unfinished rank step. */
static uint64_t digest_before(const struct witness *w, size_t n_aux)
{
    const size_t whole = n_aux - n_aux % WITNESS_RANK_STEP;
    const size_t words = witness_full_before(w, whole) * w->fr_bytes / 8;
    uint64_t digest = 1;

    for (size_t i = 0; i < whole / 64; i++)
        digest = (digest ^ w->bits[i]) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < words; i++)
        digest = (digest ^ w->full[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return digest;
}

static void note_made(void *ctx, size_t n_aux)
{
    struct made *made = ctx;

    assert_true(made->n < 8);
    made->n_aux[made->n] = n_aux;
    made->digest[made->n++] = digest_before(made->witness, n_aux);
}

/* More slots than any small circuit has. */
static void test_a_long_witness_tells_what_is_made(void **state)
{
    struct post_config config =
        post_config_make(POST_WINDOW, sector_size_of_name("2KiB"), API_1_2_0);
    const struct sample_facts facts = sample_facts_of(2);
    const uint8_t randomness[32] = {9};
    struct packed_witness w;
    struct vanilla_post v;
    struct made made = {.witness = &w.values};
    struct cuzk_error err;
    struct r1cs cs;
    size_t before = 0;

    (void)state;
    config.shape.slots = 500;
    assert_int_equal(sample_post(&v, &config, 20, randomness, &facts, pool, NULL, &err), CUZK_OK);
    assert_int_equal(post_record(&cs, &config.shape, NULL, &err), CUZK_OK);
    assert_int_equal(packed_witness_new(&w, &cs, NULL, &err), CUZK_OK);
    w.made.f = note_made;
    w.made.ctx = &made;
    post_witness(&w, &cs, &v, 0, pool);
    assert_true(made.n >= 2);
    for (unsigned i = 0; i < made.n; i++) {
        assert_true(made.n_aux[i] > before && made.n_aux[i] < cs.n_aux);
        assert_int_equal(digest_before(&w.values, made.n_aux[i]), made.digest[i]);
        before = made.n_aux[i];
    }
    packed_witness_done(&w);
    r1cs_done(&cs);
    vanilla_post_done(&v);
}

static void test_witnesses_of_network_sizes_satisfy_every_row(void **state)
{
    (void)state;
    if (!test_long()) {
        print_message("SKIP: 32 and 64 GiB take a minute; set CUZK_LONG=1\n");
        skip();
    }
    assert_satisfied(sector_size_of_name("32GiB"), 9);
    assert_satisfied(sector_size_of_name("64GiB"), 3);
    assert_update_satisfied(sector_size_of_name("32GiB"), 15);
    assert_update_satisfied(sector_size_of_name("64GiB"), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vanilla_proofs_of_all_sizes_pass_the_deep_check),
        cmocka_unit_test(test_post_proofs_of_all_sizes_pass_the_deep_check),
        cmocka_unit_test(test_sectors_do_not_depend_on_threads_or_their_number),
        cmocka_unit_test(test_updates_of_all_sizes_pass_the_deep_check),
        cmocka_unit_test(test_a_sector_takes_the_memory_that_it_says),
        cmocka_unit_test(test_an_update_takes_the_memory_that_it_says),
        cmocka_unit_test(test_witnesses_of_small_and_middle_sizes_satisfy_every_row),
        cmocka_unit_test(test_updates_of_small_and_middle_sizes_satisfy_every_row),
        cmocka_unit_test(test_a_long_witness_tells_what_is_made),
        cmocka_unit_test(test_witnesses_of_network_sizes_satisfy_every_row),
    };

    return cmocka_run_group_tests_name("filecoin sample", tests, make_pool, free_pool);
}
