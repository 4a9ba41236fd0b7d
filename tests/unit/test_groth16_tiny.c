/* Byte-exact Groth16: every set of tests/vectors/filecoin/tiny, with one thread and with two. */
#include "support/testing.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/reader.h"
#include "format/bellperson.h"
#include "format/params_writer.h"
#include "groth16/plan.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "groth16/trapdoor_proof.h"
#include "groth16/verify.h"
#include "support/tiny_set.h"
#include "support/vectors.h"
#include "support/waist.h"

#define CURVE (&curve_bls12_381)

enum { N_POOLS = 4 };
static struct pool *pools[N_POOLS]; /* of 1, 2, 3 and 64 threads */

static int make_pools(void **state)
{
    (void)state;
    static const unsigned threads[N_POOLS] = {1, 2, 3, 64};

    for (size_t i = 0; i < N_POOLS; i++)
        assert_int_equal(pool_new(&pools[i], threads[i], NULL), CUZK_OK);
    return 0;
}

static int free_pools(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_POOLS; i++)
        pool_free(pools[i]);
    return 0;
}

static struct prove_options prove_with(struct pool *pool)
{
    return (struct prove_options){.backend = backend_find(waist_backend), .pool = pool};
}

static struct setup_options setup_with(struct pool *pool)
{
    return (struct setup_options){
        .backend = backend_find(waist_backend), .pool = pool, .domain_generator = 7};
}

static void assert_file_equals(const char *path, const struct tiny_set *set, const char *file)
{
    size_t n, n_expected;
    uint8_t *expected = tiny_set_file(set, file, &n_expected);
    uint8_t *found = vector_read(path, &n);

    assert_int_equal(n, n_expected);
    assert_memory_equal(found, expected, n);
    vector_free(found);
    vector_free(expected);
}

static void open_key(struct proving_key *key, const struct tiny_set *set)
{
    struct cuzk_error err;

    assert_ok(params_open(key, vector_path("filecoin/tiny/%s/params.bin", set->name), CURVE, NULL,
                          NULL, &err),
              err);
}

static bool is_satisfied(const struct tiny_set *set)
{
    return json_bool(json_get(json_get(set->meta, "circuit"), "satisfied"));
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void check_key_bytes(const struct tiny_set *set, struct pool *pool)
{
    char params[4096], vk[4096];
    struct setup_options options = setup_with(pool);
    struct params_writer writer;
    struct key_sink sink;
    struct cuzk_error err;

    snprintf(params, sizeof params, "%s", test_scratch_path("tiny.params"));
    snprintf(vk, sizeof vk, "%s", test_scratch_path("tiny.vk"));
    assert_ok(params_writer_open(&writer, CURVE, params, vk, pool, &err), err);
    sink = params_writer_sink(&writer);
    assert_ok(groth16_setup(&set->qap, &set->trapdoor, &options, &sink, &err), err);
    assert_ok(params_writer_commit(&writer, &err), err);
    assert_file_equals(params, set, "params.bin");
    assert_file_equals(vk, set, "vk.bin");
    remove(params);
    remove(vk);
}

static void test_keys_equal_bellpersons(void **state)
{
    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        struct tiny_set set;

        tiny_set_load(&set, tiny_names[i]);
        for (size_t p = 0; p < 2; p++)
            check_key_bytes(&set, pools[p]);
        tiny_set_free(&set);
    }
}

static void test_setup_refuses_unconstrained_variables(void **state)
{
    static const char *const names[] = {"unconstrained", "unconstrained-zero"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct setup_options options = setup_with(pools[0]);
        struct params_writer writer;
        struct tiny_set set;
        struct key_sink sink;
        struct cuzk_error err;
        char path[4096];

        tiny_set_load(&set, names[i]);
        snprintf(path, sizeof path, "%s", test_scratch_path("refused.params"));
        assert_ok(params_writer_open(&writer, CURVE, path, NULL, NULL, &err), err);
        sink = params_writer_sink(&writer);
        assert_int_equal(groth16_setup(&set.qap, &set.trapdoor, &options, &sink, &err),
                         CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "is unconstrained"));
        params_writer_abort(&writer);
        assert_null(fopen(path, "rb"));
        tiny_set_free(&set);
    }
}

/* ---- rows and the quotient ------------------------------------------------------------------ */

struct machine {
    const struct backend *backend;
    struct device *device;
    struct stream *stream;
};

static void machine_open(struct machine *m, struct pool *pool)
{
    struct cuzk_error err;

    m->backend = backend_find(waist_backend);
    assert_ok(m->backend->open(
                  &m->device,
                  &(struct device_options){.curve = CURVE, .pool = pool, .arena_bytes = 64u << 20},
                  &err),
              err);
    assert_ok(m->backend->stream_new(m->device, &m->stream, &err), err);
}

static void machine_close(struct machine *m)
{
    m->backend->stream_free(m->stream);
    m->backend->close(m->device);
}

/* Rows of a matrix for the set's witness: a buffer of the domain's size, zero padded. */
static struct buf *rows_of(struct machine *m, const struct tiny_set *set,
                           const struct matrix *matrix, const struct witness_handle *w)
{
    struct matrix_handle *handle;
    struct cuzk_error err;
    struct buf *rows;

    assert_ok(m->backend->buf_new(m->device, ELEMENT_SCALAR, set->qap.n_domain, &rows, &err), err);
    assert_ok(m->backend->matrix_new(m->device, matrix, &handle, &err), err);
    m->backend->buf_zero(m->stream, rows, 0, set->qap.n_domain);
    m->backend->spmv(m->stream, rows, handle, w, 0, matrix->n_rows);
    assert_ok(m->backend->wait(m->stream, &err), err);
    m->backend->matrix_free(handle);
    return rows;
}

static void assert_sha256(struct machine *m, const struct tiny_set *set, const struct buf *buf,
                          size_t n, const char *key)
{
    uint8_t *plain = malloc(n * 32 + 1), found[32], expected[32];
    struct cuzk_error err;

    m->backend->buf_get(m->stream, buf, 0, plain, n);
    assert_ok(m->backend->wait(m->stream, &err), err);
    sha256(found, plain, n * 32);
    json_get_hex(json_get(set->meta, "polynomials"), key, expected, 32);
    assert_memory_equal(found, expected, 32);
    free(plain);
}

/* h from the rows of all three matrices, in two columns: as the streamed form makes it. */
static void check_h_of_two_columns(struct machine *m, const struct tiny_set *set,
                                   const struct domain *domain, const struct witness_handle *w)
{
    struct buf *a = rows_of(m, set, &set->cs.a, w), *b = rows_of(m, set, &set->cs.b, w);
    struct buf *c;

    m->backend->quotient_ab(m->stream, domain, a, b, H_POWERS);
    m->backend->buf_free(b);
    c = rows_of(m, set, &set->cs.c, w);
    m->backend->quotient_c(m->stream, domain, a, c, H_POWERS);
    assert_sha256(m, set, c, set->qap.n_domain - 1, "h_sha256");
    m->backend->buf_free(c);
    m->backend->buf_free(a);
}

static void check_polynomials(const struct tiny_set *set, struct pool *pool)
{
    size_t n_rows = set->cs.a.n_rows;
    struct witness_handle *w;
    struct domain *domain;
    struct cuzk_error err;
    struct buf *a, *b, *c;
    struct machine m;

    machine_open(&m, pool);
    assert_ok(m.backend->witness_new(m.device, &set->witness, &w, &err), err);
    m.backend->witness_put(m.stream, w, &set->witness, witness_whole(set->witness.n_aux));
    a = rows_of(&m, set, &set->cs.a, w);
    b = rows_of(&m, set, &set->cs.b, w);
    c = rows_of(&m, set, &set->cs.c, w);
    assert_sha256(&m, set, a, n_rows, "a_sha256");
    assert_sha256(&m, set, b, n_rows, "b_sha256");
    assert_sha256(&m, set, c, n_rows, "c_sha256");

    assert_ok(m.backend->domain_new(m.device, set->qap.lg_domain, 7, TABLES_FAST, &domain, &err),
              err);
    m.backend->quotient(m.stream, domain, a, b, H_POWERS);
    if (is_satisfied(set)) {
        assert_sha256(&m, set, a, set->qap.n_domain - 1, "h_sha256");
        check_h_of_two_columns(&m, set, domain, w);
    }
    m.backend->domain_free(domain);
    m.backend->buf_free(c);
    m.backend->buf_free(b);
    m.backend->buf_free(a);
    m.backend->witness_free(w);
    machine_close(&m);
}

static void test_rows_and_quotient_equal_bellpersons(void **state)
{
    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        struct tiny_set set;

        tiny_set_load(&set, tiny_names[i]);
        for (size_t p = 0; p < 2; p++)
            check_polynomials(&set, pools[p]);
        tiny_set_free(&set);
    }
}

/* ---- keys on a device ----------------------------------------------------------------------- */

static void assert_proof_equals(const struct proof *proof, const struct tiny_set *set,
                                const char *file);

/* Two proofs by one prover over a key that is on the device, in the slots that there are. */
static void prove_resident(struct machine *m, const struct tiny_set *set,
                           const struct resident_key *key, enum plan_form form,
                           const struct prove_options *options)
{
    const struct blinding none = {{{0}}, {{0}}}, *const blindings[] = {&none, &set->blinding};
    static const char *const files[] = {"proof-r0s0.bin", "proof.bin"};
    const struct statement statement = {set->inputs, set->n_inputs};
    struct prover *prover;
    struct cuzk_error err;

    assert_ok(prover_open_resident(&prover, key, m->device, form, &set->qap, options, &err), err);
    assert_int_equal(prover_slots(prover), form == PLAN_STAGED || options->lone ? 1 : 2);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned slot = i % prover_slots(prover);
        struct prove_sums sums;
        struct proof proof;

        assert_ok(prover_put(prover, slot, &set->witness, &err), err);
        assert_ok(prover_run(prover, slot, &sums, &err), err);
        assert_ok(prover_finish(prover, &sums, blindings[i], &statement, &proof, &err), err);
        assert_proof_equals(&proof, set, files[i]);
    }
    prover_close(prover);
}

/* A lone proof does without a second witness. */
static bool takes_less_alone(const struct tiny_set *set, enum h_basis basis, enum plan_form form,
                             const struct prove_options *prove, const struct plan *plan)
{
    const struct witness shape = {.n_inputs = set->cs.n_inputs,
                                  .n_aux = set->cs.n_aux,
                                  .n_full = set->cs.n_full,
                                  .fr_bytes = CURVE->fr_bytes};
    struct prove_options lone = *prove;
    struct plan less;

    lone.lone = true;
    prover_resident_plan(&less, &set->qap, basis, form, &lone);
    return less.arena_bytes + prove->backend->witness_bytes(CURVE, &shape) == plan->arena_bytes;
}

/* Arena for the set-up of a resident key, then for a prover of any form over it. */
static size_t resident_arena(const struct tiny_set *set, const struct setup_options *setup,
                             const struct prove_options *prove)
{
    const size_t key = resident_key_bytes(setup->backend, &set->qap, setup->h_basis);
    size_t most = setup_resident_bytes(&set->qap, setup);

    for (enum plan_form form = PLAN_STAGED; form <= PLAN_OVERLAPPED; form++) {
        struct plan plan;

        prover_resident_plan(&plan, &set->qap, setup->h_basis, form, prove);
        assert_true(form == PLAN_STAGED ||
                    takes_less_alone(set, setup->h_basis, form, prove, &plan));
        most = key + plan.arena_bytes > most ? key + plan.arena_bytes : most;
    }
    return most;
}

static void check_resident(const struct tiny_set *set, enum h_basis basis, struct pool *pool)
{
    const struct prove_options prove = prove_with(pool);
    struct prove_options lone = prove;
    struct setup_options options = setup_with(pool);
    struct resident_key key;
    struct cuzk_error err;
    struct machine m;

    options.h_basis = basis;
    options.window = 64;
    options.slice = 50;
    m.backend = options.backend;
    assert_ok(m.backend->open(
                  &m.device,
                  &(struct device_options){.curve = CURVE,
                                           .pool = pool,
                                           .arena_bytes = resident_arena(set, &options, &prove)},
                  &err),
              err);
    assert_ok(m.backend->stream_new(m.device, &m.stream, &err), err);
    assert_ok(
        groth16_setup_resident(&set->qap, &set->trapdoor, &options, m.device, m.stream, &key, &err),
        err);
    for (enum plan_form form = PLAN_STAGED; form <= PLAN_OVERLAPPED; form++)
        prove_resident(&m, set, &key, form, &prove);
    lone.lone = true;
    prove_resident(&m, set, &key, PLAN_OVERLAPPED, &lone);
    resident_key_done(&key);
    machine_close(&m);
}

/* A set-up is seconds of tables for a few points: one basis a set, and all of them somewhere. */
static void test_resident_keys_of_every_basis_give_bellpersons_proofs(void **state)
{
    static const enum h_basis bases[] = {H_COSET_FOLDED, H_POWERS, H_COSET_FOLDED, H_ODD_COSET,
                                         H_COSET};
    size_t n = 0, with_inputs = 0; /* in a folded L */

    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        struct tiny_set set;

        tiny_set_load(&set, tiny_names[i]);
        if (is_satisfied(&set)) {
            check_resident(&set, bases[n % 5], pools[n % 2]);
            with_inputs += bases[n % 5] == H_COSET_FOLDED && set.qap.n_c_inputs > 0;
            n++;
        }
        tiny_set_free(&set);
    }
    assert_true(n >= 5 && with_inputs > 0);
}

/* ---- proofs --------------------------------------------------------------------------------- */

static void assert_proof_equals(const struct proof *proof, const struct tiny_set *set,
                                const char *file)
{
    uint8_t found[192];
    size_t n;
    uint8_t *expected = tiny_set_file(set, file, &n);

    assert_int_equal(n, sizeof found);
    proof_encode(found, CURVE, proof);
    assert_memory_equal(found, expected, n);
    vector_free(expected);
}

static void check_proofs(const struct tiny_set *set, struct pool *pool)
{
    const struct blinding none = {{{0}}, {{0}}};
    struct prove_options options = prove_with(pool);
    struct proving_key key;
    struct cuzk_error err;
    struct proof proof;

    open_key(&key, set);
    assert_ok(groth16_prove(&key, &set->qap, &set->witness, &set->blinding, &options, &proof, &err),
              err);
    assert_proof_equals(&proof, set, "proof.bin");
    assert_ok(groth16_prove(&key, &set->qap, &set->witness, &none, &options, &proof, &err), err);
    assert_proof_equals(&proof, set, "proof-r0s0.bin");
    assert_ok(trapdoor_prove(&set->qap, &set->trapdoor, 7, &set->witness, &set->blinding, &options,
                             &proof, &err),
              err);
    assert_proof_equals(&proof, set, "proof.bin");
    proving_key_done(&key);
}

static void test_proofs_equal_bellpersons(void **state)
{
    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        struct tiny_set set;

        tiny_set_load(&set, tiny_names[i]);
        if (is_satisfied(&set)) {
            for (size_t p = 0; p < N_POOLS; p++)
                check_proofs(&set, pools[p]);
        }
        tiny_set_free(&set);
    }
}

static void test_classes_of_the_witness_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        struct tiny_set set;

        tiny_set_load_full(&set, tiny_names[i]);
        assert_int_equal(set.cs.n_full, set.cs.n_aux);
        if (is_satisfied(&set))
            check_proofs(&set, pools[1]);
        tiny_set_free(&set);
    }
}

static void test_random_proofs_differ_and_verify(void **state)
{
    struct prove_options options = prove_with(pools[1]);
    struct statement statement;
    struct proof first, second, forged;
    struct proving_key key;
    struct verifier verifier;
    struct tiny_set set;
    struct cuzk_error err;

    (void)state;
    tiny_set_load(&set, "three");
    open_key(&key, &set);
    statement = (struct statement){set.inputs, set.n_inputs};
    assert_ok(groth16_prove(&key, &set.qap, &set.witness, NULL, &options, &first, &err), err);
    assert_ok(groth16_prove(&key, &set.qap, &set.witness, NULL, &options, &second, &err), err);
    assert_memory_not_equal(&first, &second, sizeof first);
    for (int tables = 0; tables < 2; tables++) {
        assert_ok(verifier_init(&verifier, &key.vk, tables, pools[tables], NULL, &err), err);
        assert_ok(groth16_verify(&verifier, &first, &statement, &err), err);
        assert_ok(groth16_verify(&verifier, &second, &statement, &err), err);
        forged = second;
        forged.c = first.c;
        assert_int_equal(groth16_verify(&verifier, &forged, &statement, &err), CUZK_INVALID);
        verifier_done(&verifier);
    }
    proving_key_done(&key);
    tiny_set_free(&set);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void test_an_unsatisfied_circuit_gives_no_proof(void **state)
{
    struct prove_options options = prove_with(pools[1]);
    struct proof proof, untouched;
    struct proving_key key;
    struct tiny_set set;
    struct cuzk_error err;

    (void)state;
    memset(&proof, 0xa5, sizeof proof);
    untouched = proof;
    tiny_set_load(&set, "unsatisfied");
    open_key(&key, &set);
    assert_int_equal(
        groth16_prove(&key, &set.qap, &set.witness, &set.blinding, &options, &proof, &err),
        CUZK_INVALID);
    assert_non_null(strstr(err.message, "does not satisfy"));
    assert_memory_equal(&proof, &untouched, sizeof proof);
    proving_key_done(&key);
    tiny_set_free(&set);
}

static void test_a_key_of_another_circuit_is_refused(void **state)
{
    struct prove_options options = prove_with(pools[1]);
    struct tiny_set set, other;
    struct proving_key key;
    struct cuzk_error err;
    struct proof proof;

    (void)state;
    tiny_set_load(&set, "three");
    tiny_set_load(&other, "pow2-plus");
    open_key(&key, &other);
    assert_int_equal(groth16_prove(&key, &set.qap, &set.witness, NULL, &options, &proof, &err),
                     CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "params.bin: a key of another circuit: "));
    proving_key_done(&key);
    tiny_set_free(&other);

    /* the same numbers, other points: found by the verification */
    tiny_set_load(&other, "three-big");
    open_key(&key, &set);
    assert_ok(groth16_prove(&key, &other.qap, &other.witness, NULL, &options, &proof, &err), err);
    key.vk.alpha_g1 = key.vk.beta_g1;
    assert_int_equal(groth16_prove(&key, &set.qap, &set.witness, NULL, &options, &proof, &err),
                     CUZK_INVALID);
    key.vk.delta_g1 = (struct g1_point){{0}};
    assert_int_equal(groth16_prove(&key, &set.qap, &set.witness, NULL, &options, &proof, &err),
                     CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "delta is infinity"));
    proving_key_done(&key);
    tiny_set_free(&other);
    tiny_set_free(&set);
}

/* Of a lone proof, or of one among several if options->lone is not set. */
static struct plan plan_in(enum plan_form form, const struct prove_options *options,
                           const struct proving_key *key, const struct tiny_set *set)
{
    struct plan plan;

    plan_prove(&plan, &(struct plan_input){.backend = options->backend,
                                           .key = key,
                                           .qap = &set->qap,
                                           .n_threads = pool_size(options->pool),
                                           .form = form,
                                           .lone = options->lone});
    return plan;
}

/* What device_memory says: what a device of its own has (small_device). */
static size_t device_has;

/* A key of the set with a point off the curve in each query in turn, the second or the last: the
 * message begins with the query and `begins`, and says `says`. A device has room for a slice of a
 * query. */
static void check_broken_points(const char *name, const struct prove_options *options, bool last,
                                const char *begins, const char *says)
{
    struct tiny_set set;
    size_t n;
    uint8_t *bytes;

    tiny_set_load(&set, name);
    bytes = tiny_set_file(&set, "params.bin", &n);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        struct reader r = reader_over(bytes, n, name);
        struct proving_key key;
        struct cuzk_error err;
        struct proof proof;
        char expected[64];
        uint8_t *point;

        assert_ok(params_read(&key, &r, CURVE, NULL, NULL, &err), err);
        device_has = plan_in(PLAN_STREAMED, options, &key, &set).arena_bytes;
        point = bytes + ((const uint8_t *)key.query[q].data - bytes) +
                (last ? key.query[q].n - 1 : 1) * (q == QUERY_B_G2 ? 192 : 96);
        point[60] ^= 1;
        snprintf(expected, sizeof expected, "key: %s: %s", key_query_name(q), begins);
        assert_int_equal(groth16_prove(&key, &set.qap, &set.witness, NULL, options, &proof, &err),
                         CUZK_BAD_INPUT);
        assert_ptr_equal(strstr(err.message, expected), err.message);
        assert_non_null(strstr(err.message, says));
        point[60] ^= 1;
        proving_key_done(&key);
    }
    vector_free(bytes);
    tiny_set_free(&set);
}

static void test_a_broken_point_of_a_query_is_named(void **state)
{
    struct prove_options options = prove_with(pools[1]);

    (void)state;
    options.lone = true;
    check_broken_points("three", &options, false, "", ": point 1: not on the curve");
}

static void cancel_at_quotient(void *ctx, enum prove_stage stage)
{
    if (stage == PROVE_QUOTIENT)
        atomic_store((atomic_bool *)ctx, true);
}

static void test_the_cancel_flag_ends_a_proof(void **state)
{
    struct prove_options options = prove_with(pools[1]);
    atomic_bool cancel = true;
    struct proving_key key;
    struct tiny_set set;
    struct cuzk_error err;
    struct proof proof;

    (void)state;
    tiny_set_load(&set, "mimc322");
    open_key(&key, &set);
    options.cancel = &cancel;
    assert_int_equal(groth16_prove(&key, &set.qap, &set.witness, NULL, &options, &proof, &err),
                     CUZK_CANCELLED);
    atomic_store(&cancel, false);
    options.progress = cancel_at_quotient;
    options.progress_ctx = &cancel;
    assert_int_equal(groth16_prove(&key, &set.qap, &set.witness, NULL, &options, &proof, &err),
                     CUZK_CANCELLED);
    proving_key_done(&key);
    tiny_set_free(&set);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void test_the_plan_is_what_a_proof_takes(void **state)
{
    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            struct prove_options options = prove_with(pools[threads - 1]);
            struct budget budget;
            struct proving_key key, outline;
            struct tiny_set set;
            struct cuzk_error err;
            struct proof proof;
            struct plan plan, outlined;

            tiny_set_load(&set, tiny_names[i]);
            open_key(&key, &set);
            plan_prove(&plan, &(struct plan_input){.backend = options.backend,
                                                   .key = &key,
                                                   .qap = &set.qap,
                                                   .n_threads = threads,
                                                   .form = PLAN_STAGED});
            proving_key_outline(&outline, &set.qap, H_POWERS, 7);
            plan_prove(&outlined, &(struct plan_input){.backend = options.backend,
                                                       .key = &outline,
                                                       .qap = &set.qap,
                                                       .n_threads = threads,
                                                       .form = PLAN_STAGED});
            assert_memory_equal(&plan, &outlined, sizeof plan);

            budget_init(&budget, plan.peak_bytes);
            options.budget = &budget;
            assert_int_equal(
                groth16_prove(&key, &set.qap, &set.witness, &set.blinding, &options, &proof, &err),
                is_satisfied(&set) ? CUZK_OK : CUZK_INVALID);
            assert_int_equal(budget.peak, plan.peak_bytes);
            assert_int_equal(budget.class_peak[MEM_SCRATCH], plan.scratch_bytes);
            assert_int_equal(budget.now, 0);

            budget_init(&budget, plan.peak_bytes - 1);
            assert_int_equal(
                groth16_prove(&key, &set.qap, &set.witness, &set.blinding, &options, &proof, &err),
                CUZK_NO_MEMORY);
            proving_key_done(&key);
            tiny_set_free(&set);
        }
    }
}

/* A form that nobody chose: the program ends, rather than that a plan means another. */
static void test_a_plan_of_no_form_is_none(void **state)
{
    int status = 0;
    pid_t child;

    (void)state;
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct prove_options options = prove_with(NULL);
        const struct rlimit no_core = {0, 0};
        struct proving_key key;
        struct tiny_set set;

        if (setrlimit(RLIMIT_CORE, &no_core) != 0 || !freopen("/dev/null", "w", stderr))
            _exit(1);
        tiny_set_load(&set, "three");
        proving_key_outline(&key, &set.qap, H_POWERS, 7);
        (void)plan_in((enum plan_form)0, &options, &key, &set);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* A device of its own, which is the back end in disguise, whose points take memory as on a card. */
enum { SCALARS_OF_A_POINT = 128 };
static const struct backend *behind;
static const struct device *opened; /* the last one */
static size_t n_bases;
static struct buf *room_of_points; /* beside the bases that there are, of one query at a time */

static enum cuzk_status open_and_keep(struct device **ret, const struct device_options *options,
                                      struct cuzk_error *err)
{
    enum cuzk_status st = behind->open(ret, options, err);

    opened = st == CUZK_OK ? *ret : NULL;
    return st;
}
/* Of what the plan said, nothing was too much. */
static size_t most_taken;

static void close_and_measure(struct device *device)
{
    if (device)
        most_taken = device->arena.peak;
    behind->close(device);
}

static enum cuzk_status device_memory(int ordinal, size_t *ret, struct cuzk_error *err)
{
    (void)ordinal;
    (void)err;
    *ret = device_has;
    return CUZK_OK;
}
static size_t bases_that_take_memory(const struct curve *curve, const struct bases_source *source)
{
    return behind->bases_bytes(curve, source) +
           behind->buf_bytes(curve, ELEMENT_SCALAR, source->points.n * SCALARS_OF_A_POINT);
}
static void free_with_room(struct bases *bases)
{
    behind->bases_free(bases);
    behind->buf_free(room_of_points);
    room_of_points = NULL;
}
static enum cuzk_status bases_are_counted(struct device *device, const struct bases_source *source,
                                          struct bases **ret, struct cuzk_error *err)
{
    n_bases++;
    TRY(behind->buf_new(device, ELEMENT_SCALAR, source->points.n * SCALARS_OF_A_POINT,
                        &room_of_points, err));
    return behind->bases_new(device, source, ret, err);
}
static struct backend small_device(void)
{
    struct backend backend;

    behind = backend_find(waist_backend);
    backend = *behind;
    backend.beside_host = true;
    backend.memory_free = device_memory;
    backend.open = open_and_keep;
    backend.close = close_and_measure;
    backend.bases_bytes = bases_that_take_memory;
    backend.bases_new = bases_are_counted;
    backend.bases_free = free_with_room;
    return backend;
}

/* On a device that has room for a query's points, and on one that has it for a slice of them.
 * False: a slice is no smaller. */
static bool check_slices(const struct tiny_set *set, struct pool *pool)
{
    const struct backend backend = small_device();
    struct prove_options options = prove_with(pool);
    struct proving_key key;
    struct cuzk_error err;
    struct budget budget;
    struct proof proof;
    struct plan plan;
    size_t staged;

    options.backend = &backend;
    options.budget = &budget;
    options.lone = true;
    open_key(&key, set);
    staged = plan_in(PLAN_STAGED, &options, &key, set).arena_bytes;
    plan = plan_in(PLAN_STREAMED, &options, &key, set);
    for (unsigned i = 0; i < 2; i++) {
        const size_t has = i == 0 ? plan.arena_bytes : staged;
        const bool streamed = has < staged;

        device_has = has;
        n_bases = 0;
        budget_init(&budget, SIZE_MAX);
        assert_ok(
            groth16_prove(&key, &set->qap, &set->witness, &set->blinding, &options, &proof, &err),
            err);
        assert_proof_equals(&proof, set, "proof.bin");
        assert_int_equal(n_bases > KEY_N_QUERIES, streamed);
        assert_int_equal(most_taken, has);
        assert_int_equal(budget.now, 0);
    }
    device_has = plan.arena_bytes - 1;
    assert_int_equal(
        groth16_prove(&key, &set->qap, &set->witness, &set->blinding, &options, &proof, &err),
        CUZK_NO_MEMORY);
    assert_non_null(strstr(err.message, "bytes of the device's memory"));
    proving_key_done(&key);
    return plan.arena_bytes < staged;
}

static void test_a_device_too_small_for_a_query_takes_it_in_slices(void **state)
{
    unsigned n = 0;

    (void)state;
    for (size_t i = 0; tiny_names[i]; i++) {
        struct tiny_set set;

        tiny_set_load(&set, tiny_names[i]);
        if (is_satisfied(&set))
            n += check_slices(&set, pools[i % N_POOLS]);
        tiny_set_free(&set);
    }
    assert_true(n > 0);
}

static void test_a_broken_point_of_a_slice_is_named(void **state)
{
    const struct backend backend = small_device();
    struct prove_options options = prove_with(pools[1]);

    (void)state;
    options.backend = &backend;
    options.lone = true;
    check_broken_points("mimc322", &options, true, "points from number ", ": not on the curve");
}

/* ---- batches -------------------------------------------------------------------------------- */

/* A streamed prover on a device that has room for its plan, and witnesses for all of its slots. */
struct batch {
    struct backend backend;
    struct prove_options options;
    struct tiny_set set;
    struct proving_key key;
    struct plan plan;
    struct prover *prover;
    struct witness w[PLAN_WITNESSES_MAX];
    size_t at_rest; /* bytes of the arena while nothing is proven */
};

/* Even ones are the set's; of the others the first full value is the slot's number: they satisfy
 * nothing, and are as good for sums. */
static void make_batch_witnesses(struct batch *b)
{
    const size_t value = CURVE->fr_bytes / 8, n = b->set.witness.n_full * value;

    for (unsigned i = 0; i < PLAN_WITNESSES_MAX; i++) {
        uint64_t *full = malloc(n * 8);

        assert_non_null(full);
        memcpy(full, b->set.witness.full, n * 8);
        if (i % 2) {
            memset(full, 0, value * 8);
            full[0] = i;
        }
        b->w[i] = b->set.witness;
        b->w[i].full = full;
    }
}

static void batch_open(struct batch *b, const char *name, struct pool *pool)
{
    struct cuzk_error err;

    *b = (struct batch){.backend = small_device(), .options = prove_with(pool)};
    b->options.backend = &b->backend;
    tiny_set_load(&b->set, name);
    open_key(&b->key, &b->set);
    b->plan = plan_in(PLAN_STREAMED, &b->options, &b->key, &b->set);
    assert_true(b->plan.n_witnesses > 1);
    assert_true(b->plan.arena_bytes <
                plan_in(PLAN_STAGED, &b->options, &b->key, &b->set).arena_bytes);
    device_has = b->plan.arena_bytes - 1;
    assert_int_equal(prover_open(&b->prover, &b->key, &b->set.qap, &b->options, &err),
                     CUZK_NO_MEMORY);
    assert_non_null(strstr(err.message, "bytes of the device's memory"));
    device_has = b->plan.arena_bytes;
    assert_ok(prover_open(&b->prover, &b->key, &b->set.qap, &b->options, &err), err);
    assert_true(prover_takes_batches(b->prover));
    assert_int_equal(prover_slots(b->prover), b->plan.n_witnesses);
    b->at_rest = opened->arena.used;
    make_batch_witnesses(b);
}

/* One slot more where there is room for its witness, and none for less. */
enum { LARGE_WITNESS = 1 << 20 };
static size_t large_witness(const struct curve *curve, const struct witness *shape)
{
    (void)curve;
    (void)shape;
    return LARGE_WITNESS;
}

static void test_a_batch_fills_the_room_that_there_is(void **state)
{
    struct backend backend = small_device();
    struct proving_key key;
    struct tiny_set set;
    struct plan least, plan;

    (void)state;
    backend.witness_bytes = large_witness;
    tiny_set_load(&set, "mimc322");
    open_key(&key, &set);
    struct plan_input in = {
        .backend = &backend, .key = &key, .qap = &set.qap, .n_threads = 2, .form = PLAN_STREAMED};

    plan_prove(&least, &in);
    for (unsigned more = 0; more < 3; more++) {
        in.room = least.arena_bytes + more * LARGE_WITNESS;
        plan_prove(&plan, &in);
        assert_int_equal(plan.n_witnesses, least.n_witnesses + more);
        assert_int_equal(plan.arena_bytes, in.room);
        in.room += LARGE_WITNESS - 1;
        plan_prove(&plan, &in);
        assert_int_equal(plan.n_witnesses, least.n_witnesses + more);
    }
    in.room = SIZE_MAX;
    plan_prove(&plan, &in);
    assert_int_equal(plan.n_witnesses, PLAN_WITNESSES_MAX);
    proving_key_done(&key);
    tiny_set_free(&set);
}

static void batch_close(struct batch *b)
{
    assert_int_equal(opened->arena.used, b->at_rest);
    prover_close(b->prover);
    assert_int_equal(most_taken, b->plan.arena_bytes);
    for (unsigned i = 0; i < PLAN_WITNESSES_MAX; i++)
        free((void *)b->w[i].full);
    proving_key_done(&b->key);
    tiny_set_free(&b->set);
}

static struct prove_sums sums_of_one(struct batch *b, unsigned i)
{
    struct prove_sums sums;
    struct cuzk_error err;

    assert_ok(prover_put(b->prover, 0, &b->w[i], &err), err);
    assert_ok(prover_run(b->prover, 0, &sums, &err), err);
    return sums;
}

static void check_proof_of(struct batch *b, unsigned i, const struct prove_sums *sums)
{
    const struct blinding none = {{{0}}, {{0}}};
    const struct statement statement = {b->set.inputs, b->set.n_inputs};
    const bool blinded = i % 4 == 0;
    struct cuzk_error err;
    struct proof proof;

    if (i % 2) {
        assert_int_equal(prover_finish(b->prover, sums, &none, &statement, &proof, &err),
                         CUZK_INVALID);
        return;
    }
    assert_ok(prover_finish(b->prover, sums, blinded ? &b->set.blinding : &none, &statement, &proof,
                            &err),
              err);
    assert_proof_equals(&proof, &b->set, blinded ? "proof.bin" : "proof-r0s0.bin");
}

/* Slices read of H, for each proof, and of the other queries, for all. */
struct slices_read {
    size_t h, others;
};

static struct slices_read prove_batch(struct batch *b, unsigned n)
{
    struct prove_sums sums[PLAN_WITNESSES_MAX];
    struct slices_read read = {0};
    struct cuzk_error err;

    memset(sums, 0, sizeof sums);
    for (unsigned i = 0; i < n; i++) {
        n_bases = 0;
        assert_ok(prover_put(b->prover, i, &b->w[i], &err), err);
        assert_ok(prover_run_chain(b->prover, i, &sums[i], &err), err);
        assert_true(i == 0 || n_bases == read.h);
        read.h = n_bases;
    }
    n_bases = 0;
    assert_ok(prover_run_classes(b->prover, n, sums, &err), err);
    read.others = n_bases;
    for (unsigned i = 0; i < n; i++) {
        const struct prove_sums alone = sums_of_one(b, i);

        assert_memory_equal(&sums[i], &alone, sizeof alone);
        check_proof_of(b, i, &sums[i]);
    }
    return read;
}

static void test_a_batch_reads_the_key_once_but_for_h(void **state)
{
    (void)state;
    for (size_t p = 0; p < N_POOLS; p++) {
        struct slices_read one, all;
        struct batch b;

        batch_open(&b, "mimc322", pools[p]);
        one = prove_batch(&b, 1);
        all = prove_batch(&b, b.plan.n_witnesses);
        assert_true(one.h > 1 && one.others > KEY_N_QUERIES);
        assert_memory_equal(&one, &all, sizeof one);
        batch_close(&b);
    }
}

/* What fails in a batch leaves nothing behind, and the next one is proven. */
static void test_a_batch_that_fails_leaves_nothing(void **state)
{
    struct prove_sums sums[2];
    struct cuzk_error err;
    struct batch b;

    (void)state;
    batch_open(&b, "mimc322", pools[1]);
    assert_ok(prover_put(b.prover, 0, &b.w[0], &err), err);
    assert_ok(prover_run_chain(b.prover, 0, &sums[0], &err), err);
    prover_put_begin(b.prover, 1);
    prover_put_fail(b.prover, 1);
    assert_int_equal(prover_run_chain(b.prover, 1, &sums[1], &err), CUZK_CANCELLED);
    assert_int_equal(opened->arena.used, b.at_rest);
    (void)prove_batch(&b, 2);
    batch_close(&b);
}

/* The plan of a key that does not exist yet is that of the key. */
static void test_a_batch_is_planned_without_the_key(void **state)
{
    struct proving_key outline;
    struct plan plan;
    struct batch b;

    (void)state;
    batch_open(&b, "mimc322", pools[1]);
    proving_key_outline(&outline, &b.set.qap, H_POWERS, 7);
    plan = plan_in(PLAN_STREAMED, &b.options, &outline, &b.set);
    assert_memory_equal(&plan, &b.plan, sizeof plan);
    (void)prove_batch(&b, 1);
    batch_close(&b);
}

static void test_every_failed_allocation_is_reported_and_leaks_nothing(void **state)
{
    struct prove_options options = prove_with(pools[1]);
    struct setup_options setup = setup_with(pools[1]);
    enum cuzk_status st = CUZK_NO_MEMORY;
    struct budget budget;
    struct tiny_set set;
    struct cuzk_error err;
    char path[4096];
    size_t n;

    (void)state;
    snprintf(path, sizeof path, "%s", test_scratch_path("failing.params"));
    tiny_set_load(&set, "input-in-b");
    budget_init(&budget, 0);
    options.budget = setup.budget = &budget;
    for (n = 1; st != CUZK_OK; n++) {
        struct params_writer writer = {0};
        struct proving_key key = {0};
        struct key_sink sink;
        struct proof proof;

        assert_true(n < 1000);
        mem_fail_at(n);
        st = params_writer_open(&writer, CURVE, path, NULL, NULL, &err);
        sink = params_writer_sink(&writer);
        if (st == CUZK_OK)
            st = groth16_setup(&set.qap, &set.trapdoor, &setup, &sink, &err);
        if (st == CUZK_OK)
            st = params_writer_commit(&writer, &err);
        params_writer_abort(&writer);
        if (st == CUZK_OK)
            st = params_open(&key, path, CURVE, pools[1], &budget, &err);
        if (st == CUZK_OK)
            st = groth16_prove(&key, &set.qap, &set.witness, NULL, &options, &proof, &err);
        proving_key_done(&key);
        mem_fail_at(0);
        assert_true(st == CUZK_OK || st == CUZK_NO_MEMORY);
        assert_int_equal(budget.now, 0);
        remove(path);
    }
    print_message("%zu allocations failed in turn\n", n - 2);
    tiny_set_free(&set);
}

static int run(const char *backend)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_equal_bellpersons),
        cmocka_unit_test(test_setup_refuses_unconstrained_variables),
        cmocka_unit_test(test_rows_and_quotient_equal_bellpersons),
        cmocka_unit_test(test_resident_keys_of_every_basis_give_bellpersons_proofs),
        cmocka_unit_test(test_proofs_equal_bellpersons),
        cmocka_unit_test(test_classes_of_the_witness_change_nothing),
        cmocka_unit_test(test_random_proofs_differ_and_verify),
        cmocka_unit_test(test_an_unsatisfied_circuit_gives_no_proof),
        cmocka_unit_test(test_a_key_of_another_circuit_is_refused),
        cmocka_unit_test(test_a_broken_point_of_a_query_is_named),
        cmocka_unit_test(test_the_cancel_flag_ends_a_proof),
        cmocka_unit_test(test_the_plan_is_what_a_proof_takes),
        cmocka_unit_test(test_a_plan_of_no_form_is_none),
        cmocka_unit_test(test_a_device_too_small_for_a_query_takes_it_in_slices),
        cmocka_unit_test(test_a_broken_point_of_a_slice_is_named),
        cmocka_unit_test(test_a_batch_fills_the_room_that_there_is),
        cmocka_unit_test(test_a_batch_reads_the_key_once_but_for_h),
        cmocka_unit_test(test_a_batch_that_fails_leaves_nothing),
        cmocka_unit_test(test_a_batch_is_planned_without_the_key),
        cmocka_unit_test(test_every_failed_allocation_is_reported_and_leaks_nothing),
    };
    /* What depends on the kernels; the rest is the same code above the waist. */
    const struct CMUnitTest kernel_tests[] = {
        cmocka_unit_test(test_keys_equal_bellpersons),
        cmocka_unit_test(test_proofs_equal_bellpersons),
        cmocka_unit_test(test_a_broken_point_of_a_query_is_named),
        cmocka_unit_test(test_the_plan_is_what_a_proof_takes),
    };

    if (strcmp(backend, "cpu") != 0)
        return cmocka_run_group_tests_name("groth16 tiny, ifma", kernel_tests, make_pools,
                                           free_pools);
    return cmocka_run_group_tests_name("groth16 tiny", tests, make_pools, free_pools);
}

int main(void)
{
    return waist_run_group(run);
}
