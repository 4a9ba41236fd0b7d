/* Memory that is not there: every allocation of recording, reading and witness making fails once.
 */
#include "support/testing.h"

#include "filecoin/c1_bincode.h"
#include "filecoin/circuit.h"
#include "filecoin/porep_circuit.h"
#include "filecoin/post_circuit.h"
#include "filecoin/sample_porep.h"
#include "filecoin/sample_update.h"
#include "filecoin/update_circuit.h"
#include "support/post_set.h"
#include "support/vectors.h"

/* The smallest PoRep circuit: one challenge in a tree of eight leaves. */
static const struct porep_shape tiny = {
    .tree = {.lg_nodes = 3, .base_levels = 1, .base_bits = 3}, .layers = 2, .challenges = 1};

/* Two slots in the same tree; and the smallest update, 1 KiB. */
static const struct post_shape tiny_post = {
    .tree = {.lg_nodes = 3, .base_levels = 1, .base_bits = 3}, .slots = 2, .challenges = 1};
static const struct tree_shape tiny_update_tree = {
    .lg_nodes = 5, .base_levels = 1, .base_bits = 3, .sub_bits = 2};

static enum cuzk_status record_porep(struct r1cs *cs, struct budget *budget, struct cuzk_error *err)
{
    return porep_record(cs, &tiny, budget, err);
}

static enum cuzk_status record_post(struct r1cs *cs, struct budget *budget, struct cuzk_error *err)
{
    return post_record(cs, &tiny_post, budget, err);
}

static enum cuzk_status record_update(struct r1cs *cs, struct budget *budget,
                                      struct cuzk_error *err)
{
    struct update_shape shape;

    assert_true(update_shape_of(&shape, &tiny_update_tree));
    return update_record(cs, &shape, budget, err);
}

typedef enum cuzk_status record_fn(struct r1cs *cs, struct budget *budget, struct cuzk_error *err);
static record_fn *const circuits[] = {record_porep, record_post, record_update};
enum { N_CIRCUITS = 3 };

static void assert_survives(record_fn *record)
{
    struct budget budget;
    size_t n = 0;

    budget_init(&budget, 0);
    for (bool done = false; !done;) {
        struct cuzk_error err = {CUZK_OK, ""};
        struct r1cs cs;
        enum cuzk_status st;

        mem_fail_at(++n);
        st = record(&cs, &budget, &err);
        mem_fail_at(0);
        if (st == CUZK_OK) {
            r1cs_done(&cs);
            done = true;
        } else {
            assert_int_equal(st, CUZK_NO_MEMORY);
            assert_true(err.message[0] != 0);
        }
        assert_int_equal(budget.now, 0);
    }
    assert_true(n > 5);
}

static void test_recording_survives_every_failed_allocation(void **state)
{
    (void)state;
    for (int i = 0; i < N_CIRCUITS; i++)
        assert_survives(circuits[i]);
}

static void assert_stays_within(record_fn *record)
{
    struct budget budget;
    struct cuzk_error err;
    struct r1cs cs;
    size_t peak;

    budget_init(&budget, 0);
    assert_int_equal(record(&cs, &budget, &err), CUZK_OK);
    r1cs_done(&cs);
    peak = budget.peak;
    for (size_t part = 1; part <= 8; part++) {
        enum cuzk_status st;

        budget_init(&budget, peak * part / 8);
        st = record(&cs, &budget, &err);
        if (st == CUZK_OK)
            r1cs_done(&cs);
        else
            assert_int_equal(st, CUZK_NO_MEMORY);
        assert_true(st == CUZK_OK || part < 8);
        assert_true(budget.peak <= budget.limit);
        assert_int_equal(budget.now, 0);
    }
}

static void test_recording_stays_within_its_budget_or_says_no(void **state)
{
    (void)state;
    for (int i = 0; i < N_CIRCUITS; i++)
        assert_stays_within(circuits[i]);
}

/* Whatever fails, nothing is kept, and the answer is one of memory. */
static void test_checking_post_proofs_survives_every_failed_allocation(void **state)
{
    struct post_set set = post_set_load("window-2k-3s-v1_2");
    enum cuzk_status st = CUZK_NO_MEMORY;
    struct budget budget;
    struct cuzk_error err;

    (void)state;
    budget_init(&budget, 0);
    for (size_t n = 1; st != CUZK_OK; n++) {
        struct vanilla_post v;

        mem_fail_at(n);
        st = vanilla_post_new(&v, &set.vanilla.post.config, set.vanilla.post.randomness, 3, &budget,
                              &err);
        if (st == CUZK_OK) {
            memcpy(v.post.sectors, set.vanilla.post.sectors, 3 * sizeof *v.post.sectors);
            memcpy(v.sectors, set.vanilla.sectors, 3 * sizeof *v.sectors); /* paths are the set's */
            st = post_check_deep(&v, NULL, &err);
            vanilla_post_done(&v);
        }
        mem_fail_at(0);
        assert_true(st == CUZK_OK || st == CUZK_NO_MEMORY);
        assert_int_equal(budget.now, 0);
    }
    post_set_free(&set);
}

static void test_reading_a_c1_takes_what_it_says_or_nothing(void **state)
{
    struct porep_config config;
    size_t n, bytes;
    uint8_t *c1 = vector_read(vector_path("filecoin/porep-2k/c1.bin"), &n);
    struct budget budget;
    struct cuzk_error err;

    (void)state;
    porep_config_of(&config, seal_proof_of_number(5));
    bytes = vanilla_porep_bytes(&config.shape, config.partitions);
    for (int short_of = 0; short_of < 2; short_of++) {
        struct reader r = reader_over(c1, n, "c1");
        struct vanilla_porep v;
        enum cuzk_status st;

        budget_init(&budget, bytes - (size_t)short_of);
        st = c1_bincode_read(&v, &r, &config.shape, config.partitions, &budget, &err);
        assert_int_equal(st, short_of ? CUZK_NO_MEMORY : CUZK_OK);
        assert_int_equal(budget.now, short_of ? 0 : bytes);
        assert_int_equal(budget.class_now[MEM_REQUEST], budget.now);
        if (st == CUZK_OK)
            vanilla_porep_done(&v);
        assert_int_equal(budget.now, 0);
    }
    vector_free(c1);
}

static void test_a_broken_c1_gives_its_memory_back(void **state)
{
    struct porep_config config;
    size_t n;
    uint8_t *c1 = vector_read(vector_path("filecoin/porep-2k/c1.bin"), &n);
    struct reader r = reader_over(c1, n - 1, "c1");
    struct vanilla_porep v;
    struct budget budget;
    struct cuzk_error err;

    (void)state;
    porep_config_of(&config, seal_proof_of_number(5));
    budget_init(&budget, 0);
    assert_int_equal(c1_bincode_read(&v, &r, &config.shape, config.partitions, &budget, &err),
                     CUZK_BAD_INPUT);
    assert_true(budget.peak > 0);
    assert_int_equal(budget.now, 0);
    vector_free(c1);
}

static void test_a_packed_witness_takes_what_it_says_or_nothing(void **state)
{
    struct cuzk_error err;
    struct packed_witness w;
    struct budget budget;
    struct r1cs cs;
    size_t bytes;

    (void)state;
    assert_int_equal(porep_record(&cs, &tiny, NULL, &err), CUZK_OK);
    bytes = packed_witness_bytes(&cs);
    budget_init(&budget, bytes - 1);
    assert_int_equal(packed_witness_new(&w, &cs, &budget, &err), CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
    budget_init(&budget, bytes);
    assert_int_equal(packed_witness_new(&w, &cs, &budget, &err), CUZK_OK);
    assert_int_equal(budget.class_now[MEM_WITNESS], bytes);
    packed_witness_done(&w);
    assert_int_equal(budget.now, 0);
    packed_witness_done(&w);
    r1cs_done(&cs);
}

static void test_a_circuit_that_does_not_exist_is_refused_by_name(void **state)
{
    struct circuit_name name;
    struct cuzk_error err;
    struct r1cs cs;

    (void)state;
    assert_int_equal(circuit_name_parse(&name, "update-1GiB", &err), CUZK_OK);
    assert_int_equal(circuit_record(&cs, name, NULL, &err), CUZK_USAGE);
    assert_ptr_equal(strstr(err.message, "update-1GiB"), err.message);
}

/* A dense sector, its proofs, and an update of it. */
static enum cuzk_status make_samples(struct budget *budget, struct cuzk_error *err)
{
    const struct porep_config config = {.shape = sector_size_of_name("2KiB")->porep,
                                        .partitions = 1};
    struct sample_facts facts = sample_facts_of(1);
    struct vanilla_update update = {0};
    struct vanilla_porep porep = {0};
    struct sample_sector sector = {0};
    struct update_shape shape;
    enum cuzk_status st;

    facts.dense = true;
    assert_true(update_shape_of(&shape, &config.shape.tree));
    TRY_GOTO(st, out, sample_sector_new(&sector, &config, &facts, budget, err));
    TRY_GOTO(st, out, sample_porep(&porep, &sector, budget, err));
    TRY_GOTO(st, out, sample_update(&update, &shape, &facts.rng, budget, err));
out:
    sample_sector_done(&sector);
    vanilla_porep_done(&porep);
    vanilla_update_done(&update);
    return st;
}

static void test_samples_survive_every_failed_allocation(void **state)
{
    enum cuzk_status st = CUZK_NO_MEMORY;
    struct budget budget;
    size_t n = 0;

    (void)state;
    budget_init(&budget, 0);
    while (st != CUZK_OK) {
        struct cuzk_error err = {CUZK_OK, ""};

        mem_fail_at(++n);
        st = make_samples(&budget, &err);
        mem_fail_at(0);
        assert_true(st == CUZK_OK || (st == CUZK_NO_MEMORY && err.message[0]));
        assert_int_equal(budget.now, 0);
    }
    assert_int_equal(n, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recording_survives_every_failed_allocation),
        cmocka_unit_test(test_recording_stays_within_its_budget_or_says_no),
        cmocka_unit_test(test_checking_post_proofs_survives_every_failed_allocation),
        cmocka_unit_test(test_reading_a_c1_takes_what_it_says_or_nothing),
        cmocka_unit_test(test_a_broken_c1_gives_its_memory_back),
        cmocka_unit_test(test_a_packed_witness_takes_what_it_says_or_nothing),
        cmocka_unit_test(test_samples_survive_every_failed_allocation),
        cmocka_unit_test(test_a_circuit_that_does_not_exist_is_refused_by_name),
    };

    return cmocka_run_group_tests_name("filecoin faults", tests, NULL, NULL);
}
