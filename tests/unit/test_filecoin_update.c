/* SnapDeals: the public side, vanilla proofs, and the circuit, against the recorded upstream
 * systems. */
#include "filecoin/circuit.h"
#include "filecoin/seal.h"
#include "filecoin/update_circuit.h"
#include "support/circuit_set.h"
#include "support/pool_fixture.h"
#include "support/shape_row.h"
#include "support/testing.h"
#include "support/update_set.h"
#include "support/vectors.h"

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

/* Oct tree of sizes that only tests have too: 1 KiB and 8 KiB are 8-4-0. */
static struct update_shape shape_of(unsigned lg_nodes)
{
    struct tree_shape tree = {
        .lg_nodes = lg_nodes, .base_levels = (lg_nodes - 2) / 3, .base_bits = 3, .sub_bits = 2};
    struct update_shape shape;

    for (unsigned i = 0; i < N_SECTOR_SIZES; i++)
        if (sector_sizes[i].porep.tree.lg_nodes == lg_nodes)
            tree = sector_sizes[i].porep.tree;
    assert_true(update_shape_of(&shape, &tree));
    return shape;
}

/* ---- the public side ------------------------------------------------------------------------- */

static struct scalar get_scalar(const struct json *value)
{
    uint8_t bytes[32];

    json_hex(value, bytes, 32);
    return scalar_from_bytes(bytes);
}

static void assert_scalar(const struct scalar *found, const struct json *expected)
{
    const struct scalar e = get_scalar(expected);

    assert_memory_equal(found, &e, sizeof e);
}

/* [high, rho] pairs: rho of the first node with these top bits. */
static void assert_rho(const struct update *update, const struct json *pairs)
{
    const struct scalar phi = update_phi(update);
    const unsigned bits = update->shape.top_bits[update_h_choice(&update->shape)];

    for (size_t i = 0; i < json_count(pairs); i++) {
        uint64_t high = json_u64(json_at(json_at(pairs, i), 0));
        struct scalar rho;

        if (high >> bits)
            continue; /* no node has them */
        rho = update_rho(update, &phi, high << (update->shape.tree.lg_nodes - bits));
        assert_scalar(&rho, json_at(json_at(pairs, i), 1));
    }
}

static void test_formulas_of_the_vectors(void **state)
{
    struct json *list = json_read(vector_path("filecoin/vanilla/update.json"));

    (void)state;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *row = json_at(list, i), *partitions = json_get(row, "challenges");
        struct update update = {.shape = shape_of((unsigned)json_get_u64(row, "log2_nodes")),
                                .comm_r_old = get_scalar(json_get(row, "comm_r_old")),
                                .comm_d_new = get_scalar(json_get(row, "comm_d_new")),
                                .comm_r_new = get_scalar(json_get(row, "comm_r_new"))};
        const struct scalar phi = update_phi(&update);

        assert_scalar(&phi, json_get(row, "phi"));
        assert_rho(&update, json_get(row, "rho"));
        assert_int_equal(update.shape.top_bits[update_h_choice(&update.shape)],
                         json_get_u64(row, "h"));
        assert_int_equal(update_partitions(&update.shape), json_get_u64(row, "partitions"));
        for (unsigned h = 0; h < UPDATE_H_CHOICES; h++)
            assert_int_equal(update.shape.top_bits[h], json_u64(json_at(json_get(row, "hs"), h)));
        for (unsigned k = 0; k < json_count(partitions); k++) {
            const struct json *expected = json_at(partitions, k);
            uint64_t nodes[UPDATE_CHALLENGES_MAX];

            update_challenges(nodes, &update, k);
            assert_int_equal(json_count(expected), update.shape.challenges);
            for (unsigned c = 0; c < update.shape.challenges; c++)
                assert_int_equal(nodes[c], json_u64(json_at(expected, c)));
            assert_int_equal(update_k_and_h_select(&update.shape, k),
                             json_u64(json_at(json_get(row, "k_and_h_select"), k)));
        }
    }
    json_free(list);
}

static void test_registered_proofs_are_five_sizes(void **state)
{
    (void)state;
    assert_string_equal(update_proof_size(0)->name, "2KiB");
    assert_string_equal(update_proof_size(3)->name, "32GiB");
    assert_string_equal(update_proof_size(4)->name, "64GiB");
    assert_null(update_proof_size(5));
}

/* ---- the circuit ----------------------------------------------------------------------------- */

static void assert_size_is_as_recorded(const char *name, unsigned lg_nodes)
{
    const struct update_shape shape = shape_of(lg_nodes);
    struct shape_row expected = shape_row_read(name);
    struct cuzk_error err;
    struct r1cs cs;

    must(update_record(&cs, &shape, NULL, &err), &err);
    assert_r1cs_is(&cs, &expected, vector_path("filecoin/shapes/%s.tsv", name), pool);
    r1cs_done(&cs);
}

static void test_small_circuits_are_the_recorded_systems(void **state)
{
    (void)state;
    assert_size_is_as_recorded("update-1k", 5);
    assert_size_is_as_recorded("update-2k", 6);
    assert_size_is_as_recorded("update-4k", 7);
    assert_size_is_as_recorded("update-8k", 8);
}

static void test_circuits_of_two_partitions_are_the_recorded_systems(void **state)
{
    (void)state;
    assert_size_is_as_recorded("update-16k", 9);
    assert_size_is_as_recorded("update-32k", 10);
}

static void test_middle_circuits_are_the_recorded_systems(void **state)
{
    (void)state;
    assert_size_is_as_recorded("update-8m", 18);
    assert_size_is_as_recorded("update-16m", 19);
}

static void test_network_circuits_are_the_recorded_systems(void **state)
{
    (void)state;
    if (!test_long()) {
        print_message("SKIP: 512 MiB, 32 GiB, 64 GiB digests take minutes; set CUZK_LONG=1\n");
        skip();
    }
    assert_size_is_as_recorded("update-512m", 24);
    assert_size_is_as_recorded("update-32g", 30);
    assert_size_is_as_recorded("update-64g", 31);
}

static void test_network_circuits_have_the_published_counts(void **state)
{
    static const char *const names[] = {"update-512m", "update-32g", "update-64g"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct shape_row expected = shape_row_read(names[i]);
        struct circuit_name circuit;
        struct cuzk_error err;
        struct budget budget;
        struct r1cs cs;

        budget_init(&budget, (size_t)512 << 20);
        must(circuit_name_parse(&circuit, names[i], &err), &err);
        must(circuit_record(&cs, circuit, &budget, &err), &err);
        assert_int_equal(cs.n_constraints, expected.constraints);
        assert_int_equal(cs.n_inputs, expected.inputs);
        assert_int_equal(cs.n_aux, expected.aux);
        assert_true(cs.n_full * 50 < cs.n_aux); /* bits are what it is made of */
        print_message("%s: recorded in %.1f MiB\n", names[i], (double)budget.peak / (1 << 20));
        r1cs_done(&cs);
    }
}

static void test_rows_are_named_by_challenge(void **state)
{
    const struct update_shape shape = shape_of(6);
    struct cuzk_error err;
    char path[128];

    (void)state;
    must(update_row_path(path, sizeof path, &shape, 1705038, NULL, &err), &err);
    assert_ptr_equal(strstr(path, "challenge 9/data_new/inclusion"), path);
}

/* ---- witnesses ------------------------------------------------------------------------------- */

static void test_inputs_and_witness_of_update_2k_are_upstreams(void **state)
{
    (void)state;
    assert_set_witnesses("update-2k", pool);
}

static void test_inputs_and_witness_of_update_4k_are_upstreams(void **state)
{
    (void)state;
    assert_set_witnesses("update-4k", pool);
}

static void test_inputs_and_both_witnesses_of_update_32k_are_upstreams(void **state)
{
    (void)state;
    assert_set_witnesses("update-32k", pool);
}

static void test_every_number_of_threads_gives_the_same_witness(void **state)
{
    struct update_set set;
    struct packed_witness first, w;
    struct cuzk_error err;
    struct r1cs cs;

    (void)state;
    assert_true(update_set_load(&set, "update-2k"));
    must(update_record(&cs, &set.vanilla.update.shape, NULL, &err), &err);
    must(packed_witness_new(&first, &cs, NULL, &err), &err);
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    update_witness(&first, &cs, &set.vanilla, 0, NULL);
    for (unsigned n = 2; n <= 4; n++) {
        struct pool *threads;

        must(pool_new(&threads, n, &err), &err);
        packed_witness_clear(&w);
        update_witness(&w, &cs, &set.vanilla, 0, threads);
        assert_memory_equal(w.memory.base, first.memory.base, w.memory.bytes);
        pool_free(threads);
    }
    packed_witness_done(&first);
    packed_witness_done(&w);
    r1cs_done(&cs);
    update_set_free(&set);
}

/* ---- what is wrong is refused, and is not satisfied ------------------------------------------ */

static void assert_refused(const struct vanilla_update *v, const char *sentence)
{
    struct cuzk_error err;

    assert_int_equal(update_check_deep(v, 0, &err), CUZK_BAD_INPUT);
    if (!strstr(err.message, sentence))
        fail_msg("\"%s\" does not say \"%s\"", err.message, sentence);
}

/* Changes a number, expects the sentence, changes it back. */
static void assert_change_refused(const struct vanilla_update *v, struct scalar *number,
                                  const char *sentence)
{
    number->w[0] ^= 1;
    assert_refused(v, sentence);
    number->w[0] ^= 1;
}

static void test_wrong_vanilla_proofs_are_refused_with_their_place(void **state)
{
    struct update_set set;
    struct vanilla_update *v = &set.vanilla;
    struct update_partition *p;
    struct update_challenge *c;
    struct cuzk_error err;

    (void)state;
    assert_true(update_set_load(&set, "update-2k"));
    p = v->partitions;
    c = &p->challenges[4];
    assert_change_refused(v, &p->comm_c, "comm_r_old is not the hash");
    assert_change_refused(v, &v->update.comm_r_old, "comm_r_old is not the hash");
    assert_change_refused(v, &v->update.comm_r_new, "comm_r_new is not the hash");
    assert_change_refused(v, &v->update.comm_d_new, "proof_d_new: the root is not comm_d_new");
    assert_change_refused(v, &c->replica_old.root, "challenge 4: proof_r_old: the root is not");
    assert_change_refused(v, &c->replica_old.siblings[3],
                          "challenge 4: proof_r_old: the path does not lead");
    assert_change_refused(v, &c->replica_new.leaf,
                          "challenge 4: proof_r_new: the path does not lead");
    assert_change_refused(v, &c->data_new.siblings[5],
                          "challenge 4: proof_d_new: the path does not lead");
    assert_change_refused(v, &p->apex[c->data_new.index >> 3], "through apex leaf");
    c->replica_new.index ^= 1;
    assert_refused(v, "challenge 4: proof_r_new: the path leads to node");
    c->replica_new.index ^= 1;
    must(update_check_deep(v, 0, &err), &err);
    update_set_free(&set);
}

static void test_an_unchallenged_apex_leaf_must_lead_to_comm_d_new(void **state)
{
    struct update_set set;
    struct update_partition *p;
    bool met[8] = {false};

    (void)state;
    assert_true(update_set_load(&set, "update-2k"));
    p = set.vanilla.partitions;
    for (unsigned i = 0; i < set.vanilla.update.shape.challenges; i++)
        met[p->challenges[i].data_new.index >> 3] = true;
    for (unsigned i = 0; i < 8; i++)
        assert_change_refused(&set.vanilla, &p->apex[i],
                              met[i] ? "through apex leaf"
                                     : "the apex leafs do not lead to comm_d_new");
    update_set_free(&set);
}

static void test_a_changed_leaf_leaves_its_row_unsatisfied(void **state)
{
    struct update_set set;
    const struct update_shape *shape = &set.vanilla.update.shape;
    struct r1cs_check check;
    struct packed_witness w;
    struct cuzk_error err;
    struct r1cs cs;
    char path[128];

    (void)state;
    assert_true(update_set_load(&set, "update-2k"));
    must(update_record(&cs, shape, NULL, &err), &err);
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    set.vanilla.partitions[0].challenges[7].data_new.leaf.w[0] ^= 1;
    update_witness(&w, &cs, &set.vanilla, 0, pool);
    must(r1cs_check(&cs, &w.values, pool, &check, &err), &err);
    assert_false(check.satisfied);
    must(update_row_path(path, sizeof path, shape, check.first_bad_row, NULL, &err), &err);
    assert_ptr_equal(strstr(path, "challenge 7/replica_new/inclusion"), path);
    packed_witness_done(&w);
    r1cs_done(&cs);
    update_set_free(&set);
}

static void test_broken_files_are_refused_with_their_offset(void **state)
{
    struct update_set set;
    struct cuzk_error err;
    struct reader r;
    size_t bytes;
    uint8_t *file;

    (void)state;
    assert_true(update_set_load(&set, "update-2k"));
    file = update_set_file(&set, "vanilla-0.bin", &bytes);
    for (size_t n = 0; n < bytes; n += 1 + n % 7) {
        r = reader_over(file, n, "proof");
        assert_int_equal(vanilla_update_read(&set.vanilla, 0, &r, &err), CUZK_BAD_INPUT);
    }
    file[32] ^= 1; /* number of apex leafs */
    r = reader_over(file, bytes, "proof");
    assert_int_equal(vanilla_update_read(&set.vanilla, 0, &r, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message,
                        "proof: apex_leafs: offset 40: apex_leafs: expected 8 entries, found 9");
    vector_free(file);
    update_set_free(&set);
}

/* Numbers, places and commitments hang together: whatever is changed is seen when the file is read,
 * or by the check before any work. */
static void test_every_changed_byte_is_refused(void **state)
{
    struct update_set set;
    struct cuzk_error err;
    struct reader r;
    size_t bytes;
    uint8_t *file;

    (void)state;
    assert_true(update_set_load(&set, "update-2k"));
    file = update_set_file(&set, "vanilla-0.bin", &bytes);
    for (size_t at = 0; at < bytes; at += 29) {
        const uint8_t flip = (uint8_t)(1u << at % 8);
        enum cuzk_status st;

        file[at] ^= flip;
        r = reader_over(file, bytes, "proof");
        st = vanilla_update_read(&set.vanilla, 0, &r, &err);
        if (st == CUZK_OK)
            st = update_check_deep(&set.vanilla, 0, &err);
        if (st != CUZK_BAD_INPUT)
            fail_msg("byte %zu of %zu: not refused", at, bytes);
        file[at] ^= flip;
    }
    r = reader_over(file, bytes, "proof");
    must(vanilla_update_read(&set.vanilla, 0, &r, &err), &err);
    must(update_check_deep(&set.vanilla, 0, &err), &err);
    vector_free(file);
    update_set_free(&set);
}

static void test_a_challenge_out_of_range_is_refused_with_its_offset(void **state)
{
    /* comm_c, apex leafs, number of challenges; then of the first path: kind, root, leaf, levels,
     * and of its first level the number of siblings and these */
    const size_t index = 32 + 8 + 8 * 32 + 8 + 4 + 32 + 32 + 8 + 8 + 7 * 32;
    struct update_set set;
    struct cuzk_error err;
    struct reader r;
    size_t bytes;
    uint8_t *file;

    (void)state;
    assert_true(update_set_load(&set, "update-2k"));
    file = update_set_file(&set, "vanilla-0.bin", &bytes);
    file[index] = 9;
    r = reader_over(file, bytes, "proof");
    assert_int_equal(vanilla_update_read(&set.vanilla, 0, &r, &err), CUZK_BAD_INPUT);
    if (!strstr(err.message, "proof_r_old: ") ||
        !strstr(err.message, "expected at most 7, found 9"))
        fail_msg("%s", err.message);
    vector_free(file);
    update_set_free(&set);
}

static void test_a_partition_of_another_size_is_refused(void **state)
{
    struct update_set set, larger;
    struct cuzk_error err;
    struct reader r;
    size_t bytes;
    uint8_t *file;

    (void)state;
    assert_true(update_set_load(&set, "update-2k"));
    assert_true(update_set_load(&larger, "update-4k"));
    file = update_set_file(&larger, "vanilla-0.bin", &bytes);
    r = reader_over(file, bytes, "larger");
    assert_int_equal(vanilla_update_read(&set.vanilla, 0, &r, &err), CUZK_BAD_INPUT);
    assert_int_equal(strncmp(err.message, "larger: ", 8), 0);
    vector_free(file);
    update_set_free(&larger);
    update_set_free(&set);
}

static void test_proofs_take_the_memory_they_say_or_nothing(void **state)
{
    const struct update update = {.shape = shape_of(30)};
    const size_t bytes = vanilla_update_bytes(&update.shape);
    struct vanilla_update v;
    struct budget budget;
    struct cuzk_error err;

    (void)state;
    budget_init(&budget, bytes - 1);
    assert_int_equal(vanilla_update_new(&v, &update, &budget, &err), CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
    budget_init(&budget, bytes);
    must(vanilla_update_new(&v, &update, &budget, &err), &err);
    assert_int_equal(budget.class_now[MEM_REQUEST], bytes);
    vanilla_update_done(&v);
    assert_int_equal(budget.now, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas_of_the_vectors),
        cmocka_unit_test(test_registered_proofs_are_five_sizes),
        cmocka_unit_test(test_small_circuits_are_the_recorded_systems),
        cmocka_unit_test(test_circuits_of_two_partitions_are_the_recorded_systems),
        cmocka_unit_test(test_middle_circuits_are_the_recorded_systems),
        cmocka_unit_test(test_network_circuits_are_the_recorded_systems),
        cmocka_unit_test(test_network_circuits_have_the_published_counts),
        cmocka_unit_test(test_rows_are_named_by_challenge),
        cmocka_unit_test(test_inputs_and_witness_of_update_2k_are_upstreams),
        cmocka_unit_test(test_inputs_and_witness_of_update_4k_are_upstreams),
        cmocka_unit_test(test_inputs_and_both_witnesses_of_update_32k_are_upstreams),
        cmocka_unit_test(test_every_number_of_threads_gives_the_same_witness),
        cmocka_unit_test(test_wrong_vanilla_proofs_are_refused_with_their_place),
        cmocka_unit_test(test_an_unchallenged_apex_leaf_must_lead_to_comm_d_new),
        cmocka_unit_test(test_a_changed_leaf_leaves_its_row_unsatisfied),
        cmocka_unit_test(test_broken_files_are_refused_with_their_offset),
        cmocka_unit_test(test_every_changed_byte_is_refused),
        cmocka_unit_test(test_a_challenge_out_of_range_is_refused_with_its_offset),
        cmocka_unit_test(test_a_partition_of_another_size_is_refused),
        cmocka_unit_test(test_proofs_take_the_memory_they_say_or_nothing),
    };

    return cmocka_run_group_tests_name("filecoin update", tests, make_pool, free_pool);
}
