/* The PoRep circuit of 2 KiB sectors through the real set-up and the real prover: the key file has
 * the digest that bellperson's has, the proof is bellperson's bytes, and both stay in the memory
 * that was planned. The key takes 1.1 GB of disk in the build folder while the test runs. */
#include "support/testing.h"

#include "base/clock.h"
#include "base/hash.h"
#include "filecoin/porep_circuit.h"
#include "format/bellperson.h"
#include "format/params_writer.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "support/porep_set.h"
#include "support/vectors.h"
#include "support/waist.h"

#define MB ((size_t)1000000)

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

static struct porep_set set;
static struct r1cs cs;
static struct qap qap;
static struct pool *pool;
static char params_path[4096];

static int record(void **state)
{
    struct cuzk_error err;

    (void)state;
    set = porep_set_load("porep-2k");
    snprintf(params_path, sizeof params_path, "%s", test_scratch_path("porep-2k.params"));
    must(pool_new(&pool, 0, &err), &err);
    must(porep_record(&cs, &set.config.shape, NULL, &err), &err);
    must(qap_init(&qap, &cs, NULL, &err), &err);
    return 0;
}

static int release(void **state)
{
    (void)state;
    remove(params_path);
    qap_done(&qap);
    r1cs_done(&cs);
    pool_free(pool);
    porep_set_free(&set);
    return 0;
}

static const char *label(void)
{
    return json_get_text(json_get(set.meta, "trapdoors"), "label");
}

static void assert_digest(const char *path)
{
    const struct json *expected = json_get(set.meta, "params");
    struct hash *hash = hash_new(HASH_SHA256);
    uint8_t digest[32], wanted[32];
    struct cuzk_error err;
    struct file_map map;

    must(file_map(&map, path, &err), &err);
    assert_int_equal(map.bytes, json_get_u64(expected, "bytes"));
    hash_update(hash, map.data, map.bytes);
    hash_final(hash, digest);
    hash_free(hash);
    file_unmap(&map);
    json_get_hex(expected, "sha256", wanted, sizeof wanted);
    assert_memory_equal(digest, wanted, sizeof digest);
}

static void test_the_key_is_bellpersons_and_fits_its_plan(void **state)
{
    struct budget budget;
    const struct setup_options options = {
        .backend = backend_find("auto"), .pool = pool, .budget = &budget, .domain_generator = 7};
    const double begin = clock_seconds(), cpu = clock_cpu_seconds();
    struct params_writer writer;
    struct trapdoor trapdoor;
    struct key_sink sink;
    struct cuzk_error err;

    (void)state;
    budget_init(&budget, setup_bytes(&qap, &options) + MB / 10); /* and 40 ic points */
    must(trapdoor_from_label(&trapdoor, cs.curve, label(), &err), &err);
    must(params_writer_open(&writer, cs.curve, params_path, NULL, NULL, &err), &err);
    sink = params_writer_sink(&writer);
    must(groth16_setup(&qap, &trapdoor, &options, &sink, &err), &err);
    must(params_writer_commit(&writer, &err), &err);
    print_message("key: %.1f s, %.1f CPU seconds, %.0f MB\n", clock_seconds() - begin,
                  clock_cpu_seconds() - cpu, (double)budget.peak / 1e6);
    assert_int_equal(budget.class_peak[MEM_SCRATCH], setup_bytes(&qap, &options));
    assert_int_equal(budget.now, 0);
    assert_true(budget.peak <= 1000 * MB);
    assert_digest(params_path);
}

static int prove_with(const char *backend)
{
    struct budget budget;
    const struct prove_options options = {
        .backend = backend_find(backend), .pool = pool, .budget = &budget};
    struct packed_witness w;
    struct proving_key key;
    struct blinding blinding;
    struct cuzk_error err;
    struct proof proof;
    struct plan plan;
    uint8_t found[192], *expected;
    double begin, cpu;
    size_t n;

    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    porep_witness(&w, &cs, &set.vanilla, 0, pool);
    must(params_open(&key, params_path, cs.curve, pool, NULL, &err), &err);
    must(blinding_from_label(&blinding, cs.curve, label(), &err), &err);
    plan_prove(&plan, &(struct plan_input){.backend = options.backend,
                                           .key = &key,
                                           .qap = &qap,
                                           .n_threads = pool_size(pool),
                                           .form = PLAN_STAGED});
    budget_init(&budget, plan.peak_bytes);
    begin = clock_seconds();
    cpu = clock_cpu_seconds();
    must(groth16_prove(&key, &qap, &w.values, &blinding, &options, &proof, &err), &err);
    print_message("proof, %s: %.1f s, %.1f CPU seconds, %.0f MB\n", backend,
                  clock_seconds() - begin, clock_cpu_seconds() - cpu, (double)budget.peak / 1e6);
    assert_int_equal(budget.peak, plan.peak_bytes);
    assert_true(budget.peak <= 700 * MB);

    proof_encode(found, cs.curve, &proof);
    expected = vector_read(vector_path("filecoin/porep-2k/proof.bin"), &n);
    assert_int_equal(n, sizeof found);
    assert_memory_equal(found, expected, n);
    vector_free(expected);
    proving_key_done(&key);
    packed_witness_done(&w);
    return 0;
}

static void test_the_proof_is_bellpersons_and_fits_its_plan(void **state)
{
    (void)state;
    assert_int_equal(waist_run_group(prove_with), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_key_is_bellpersons_and_fits_its_plan),
        cmocka_unit_test(test_the_proof_is_bellpersons_and_fits_its_plan),
    };

    return cmocka_run_group_tests_name("groth16 porep", tests, record, release);
}
