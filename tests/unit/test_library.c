/* The public C functions, as another program uses them. */
#include "support/testing.h"

#include "cuzk/cuzk.h"

enum cuzk_status public_header_from_cxx(void); /* support/public_header.cc */

/* x^3 + x + 5 = y with y public and a bit t. */
struct cubic {
    struct cuzk_context *ctx;
    struct cuzk_circuit *circuit;
    uint8_t y[CUZK_VALUE_BYTES];
    uint8_t aux[4 * CUZK_VALUE_BYTES]; /* t, x, x^2, x^3 */
};

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

static struct cuzk_term term(cuzk_variable variable, uint8_t coefficient)
{
    struct cuzk_term t = {.variable = variable};

    t.coefficient[0] = coefficient;
    return t;
}

static void cubic_open(struct cubic *c, const char *curve, const struct cuzk_options *options)
{
    struct cuzk_error err;
    cuzk_variable y, t, x, x2, x3;

    memset(c, 0, sizeof *c);
    must(cuzk_context_new(&c->ctx, options, &err), &err);
    must(cuzk_circuit_new(c->ctx, &c->circuit, curve, &err), &err);
    y = cuzk_circuit_input(c->circuit);
    t = cuzk_circuit_aux(c->circuit, 1);
    x = cuzk_circuit_aux(c->circuit, 0);
    x2 = cuzk_circuit_aux(c->circuit, 0);
    x3 = cuzk_circuit_aux(c->circuit, 0);
#define ROW(...) (const struct cuzk_term[]){__VA_ARGS__}
    cuzk_circuit_row(c->circuit, ROW(term(t, 1)), 1, ROW(term(t, 1)), 1, ROW(term(t, 1)), 1);
    cuzk_circuit_row(c->circuit, ROW(term(x, 1)), 1, ROW(term(x, 1)), 1, ROW(term(x2, 1)), 1);
    cuzk_circuit_row(c->circuit, ROW(term(x2, 1)), 1, ROW(term(x, 1)), 1, ROW(term(x3, 1)), 1);
    cuzk_circuit_row(c->circuit, ROW(term(x3, 1), term(x, 1), term(CUZK_ONE, 5)), 3,
                     ROW(term(CUZK_ONE, 1)), 1, ROW(term(y, 1)), 1);
#undef ROW
    must(cuzk_circuit_finish(c->circuit, &err), &err);
    c->aux[0] = 1;
    c->aux[32] = 3;
    c->aux[64] = 9;
    c->aux[96] = 27;
    c->y[0] = 35;
}

static void cubic_close(struct cubic *c)
{
    cuzk_circuit_free(c->circuit);
    assert_int_equal(cuzk_memory_now(c->ctx), 0);
    cuzk_context_free(c->ctx);
}

struct keys {
    char params[4096], vk_path[4096];
    struct cuzk_key *key;
    struct cuzk_verifying_key *vk;
};

static void keys_make(struct keys *keys, struct cubic *c, const char *curve)
{
    struct cuzk_error err;

    snprintf(keys->params, sizeof keys->params, "%s", test_scratch_path("library.params"));
    snprintf(keys->vk_path, sizeof keys->vk_path, "%s", test_scratch_path("library.vk"));
    must(cuzk_setup_insecure(c->ctx, c->circuit, "library", keys->params, keys->vk_path, &err),
         &err);
    must(cuzk_key_open(c->ctx, &keys->key, keys->params, curve, &err), &err);
    must(cuzk_verifying_key_open(c->ctx, &keys->vk, keys->vk_path, curve, &err), &err);
    assert_int_equal(cuzk_verifying_key_inputs(keys->vk), 1);
}

static void keys_drop(struct keys *keys)
{
    cuzk_key_free(keys->key);
    cuzk_verifying_key_free(keys->vk);
    remove(keys->params);
    remove(keys->vk_path);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_a_circuit_is_proven_and_verified_on_both_curves(void **state)
{
    static const char *const curves[] = {"bls12_381", "bn254"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const size_t n = cuzk_proof_bytes(curves[i]);
        uint8_t proofs[2 * CUZK_PROOF_BYTES_MAX], inputs[2 * CUZK_VALUE_BYTES];
        struct cuzk_error err;
        struct cubic c;
        struct keys keys;
        size_t bad = 99;

        cubic_open(&c, curves[i], NULL);
        keys_make(&keys, &c, curves[i]);
        must(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proofs, &err), &err);
        must(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proofs + n, &err), &err);
        assert_memory_not_equal(proofs, proofs + n, n);
        must(cuzk_verify(c.ctx, keys.vk, proofs, n, c.y, 1, &err), &err);
        memcpy(inputs, c.y, 32);
        memcpy(inputs + 32, c.y, 32);
        must(cuzk_verify_batch(c.ctx, keys.vk, 2, proofs, inputs, 1, &bad, &err), &err);

        inputs[32] ^= 1;
        assert_int_equal(cuzk_verify(c.ctx, keys.vk, proofs, n, inputs + 32, 1, &err),
                         CUZK_INVALID);
        assert_int_equal(cuzk_verify_batch(c.ctx, keys.vk, 2, proofs, inputs, 1, &bad, &err),
                         CUZK_INVALID);
        assert_int_equal(bad, 1);
        assert_string_equal(err.message, "proof 1 of 2 is not valid");
        assert_int_equal(cuzk_verify(c.ctx, keys.vk, proofs, n - 1, c.y, 1, &err), CUZK_BAD_INPUT);
        keys_drop(&keys);
        cubic_close(&c);
    }
}

static void test_bad_values_are_named(void **state)
{
    uint8_t proof[CUZK_PROOF_BYTES_MAX];
    struct cuzk_error err;
    struct cubic c;
    struct keys keys;

    (void)state;
    cubic_open(&c, "bls12_381", NULL);
    keys_make(&keys, &c, "bls12_381");
    c.aux[0] = 2;
    assert_int_equal(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proof, &err),
                     CUZK_BAD_INPUT);
    assert_string_equal(err.message, "aux 0 was promised to be a bit");
    c.aux[0] = 1;
    c.aux[32] = 4;
    assert_int_equal(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proof, &err), CUZK_INVALID);
    memset(c.aux + 64, 0xff, 32);
    assert_int_equal(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proof, &err),
                     CUZK_BAD_INPUT);
    assert_string_equal(err.message, "aux 2 is not below the order of the group");
    memset(c.y, 0xff, 32);
    assert_int_equal(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proof, &err),
                     CUZK_BAD_INPUT);
    assert_string_equal(err.message, "public input 0 is not below the order of the group");
    keys_drop(&keys);
    cubic_close(&c);
}

static void count_stages(void *user, const char *stage, uint64_t done, uint64_t total)
{
    assert_non_null(stage);
    assert_true(done <= total);
    ++*(unsigned *)user;
}

static void test_progress_is_told_and_memory_is_capped(void **state)
{
    unsigned stages = 0;
    const struct cuzk_options options = {
        .threads = 1, .progress = count_stages, .progress_user = &stages};
    uint8_t proof[CUZK_PROOF_BYTES_MAX];
    struct cuzk_options small = {.memory = 1 << 20, .threads = 1};
    struct cuzk_error err;
    struct cubic c, capped;
    struct cuzk_key *key;
    struct keys keys;

    (void)state;
    cubic_open(&c, "bls12_381", &options);
    keys_make(&keys, &c, "bls12_381");
    stages = 0;
    must(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proof, &err), &err);
    assert_int_equal(stages, 11);
    assert_true(cuzk_memory_peak(c.ctx) > small.memory);

    cubic_open(&capped, "bls12_381", &small);
    must(cuzk_key_open(capped.ctx, &key, keys.params, "bls12_381", &err), &err);
    assert_int_equal(cuzk_prove(capped.ctx, key, capped.circuit, c.y, c.aux, proof, &err),
                     CUZK_NO_MEMORY);
    assert_true(cuzk_memory_peak(capped.ctx) <= small.memory);
    cuzk_key_free(key);
    cubic_close(&capped);
    keys_drop(&keys);
    cubic_close(&c);
}

static void test_a_cancelled_context_works_again_after_resume(void **state)
{
    uint8_t proof[CUZK_PROOF_BYTES_MAX];
    struct cuzk_error err;
    struct cubic c;
    struct keys keys;

    (void)state;
    cubic_open(&c, "bls12_381", NULL);
    keys_make(&keys, &c, "bls12_381");
    cuzk_cancel(c.ctx);
    assert_int_equal(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proof, &err),
                     CUZK_CANCELLED);
    cuzk_resume(c.ctx);
    must(cuzk_prove(c.ctx, keys.key, c.circuit, c.y, c.aux, proof, &err), &err);
    keys_drop(&keys);
    cubic_close(&c);
}

/* Bytes of a file, for free(); NULL if there is none. */
static uint8_t *file_bytes(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;

    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*n + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *n, file), *n);
    fclose(file);
    return bytes;
}

static void spoil_last_byte(const char *from, const char *to)
{
    size_t n;
    uint8_t *bytes = file_bytes(from, &n);
    FILE *file = fopen(to, "wb");

    assert_non_null(bytes);
    assert_non_null(file);
    bytes[n - 1] ^= 1;
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

/* y = x^2: another circuit than the cubic. */
static struct cuzk_circuit *square(struct cuzk_context *ctx, const char *curve)
{
    struct cuzk_circuit *circuit;
    struct cuzk_error err;

    must(cuzk_circuit_new(ctx, &circuit, curve, &err), &err);
    const struct cuzk_term y = term(cuzk_circuit_input(circuit), 1);
    const struct cuzk_term x = term(cuzk_circuit_aux(circuit, 0), 1);

    cuzk_circuit_row(circuit, &x, 1, &x, 1, &y, 1);
    must(cuzk_circuit_finish(circuit, &err), &err);
    return circuit;
}

static void test_a_prepared_key_proves_on_both_curves(void **state)
{
    static const char *const curves[] = {"bls12_381", "bn254"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        unsigned queries = 0;
        const struct cuzk_options options = {.progress = count_stages, .progress_user = &queries};
        char path[4096], spoilt[4096];
        uint8_t proof[CUZK_PROOF_BYTES_MAX];
        struct cuzk_circuit *other;
        struct cuzk_error err;
        struct cuzk_key *key;
        struct keys keys;
        uint64_t peak;
        struct cubic c;
        size_t n;

        snprintf(path, sizeof path, "%s", test_scratch_path("library.cuzk"));
        snprintf(spoilt, sizeof spoilt, "%s", test_scratch_path("library-spoilt.params"));
        cubic_open(&c, curves[i], &options);
        keys_make(&keys, &c, curves[i]);
        queries = 0;
        peak = cuzk_memory_peak(c.ctx);
        must(cuzk_key_prepare(c.ctx, c.circuit, keys.params, path, &err), &err);
        assert_int_equal(queries, 5);
        assert_true(cuzk_memory_peak(c.ctx) >= peak);
        must(cuzk_key_open(c.ctx, &key, path, curves[i], &err), &err);
        must(cuzk_prove(c.ctx, key, c.circuit, c.y, c.aux, proof, &err), &err);
        must(cuzk_verify(c.ctx, keys.vk, proof, cuzk_proof_bytes(curves[i]), c.y, 1, &err), &err);
        cuzk_key_free(key);
        remove(path);

        other = square(c.ctx, curves[i]);
        assert_int_equal(cuzk_key_prepare(c.ctx, other, keys.params, path, &err), CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "a key of another circuit"));
        cuzk_circuit_free(other);
        spoil_last_byte(keys.params, spoilt);
        assert_int_equal(cuzk_key_prepare(c.ctx, c.circuit, spoilt, path, &err), CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "b_g2: point"));
        remove(spoilt);
        cuzk_cancel(c.ctx);
        assert_int_equal(cuzk_key_prepare(c.ctx, c.circuit, keys.params, path, &err),
                         CUZK_CANCELLED);
        assert_null(file_bytes(path, &n)); /* none of the three left one */
        keys_drop(&keys);
        cubic_close(&c);
    }
}

static void test_wrong_use_is_answered(void **state)
{
    struct cuzk_options options = {.backend = "abacus"};
    struct cuzk_context *ctx;
    struct cuzk_circuit *circuit;
    struct cuzk_error err;
    struct cuzk_term term_;

    (void)state;
    assert_int_equal(cuzk_context_new(&ctx, &options, &err), CUZK_USAGE);
    options.backend = NULL;
    must(cuzk_context_new(&ctx, &options, &err), &err);
    assert_int_equal(cuzk_circuit_new(ctx, &circuit, "toy_bn", &err), CUZK_USAGE);
    must(cuzk_circuit_new(ctx, &circuit, "bls12_381", &err), &err);
    assert_int_equal(cuzk_setup_insecure(ctx, circuit, "x", "x.params", NULL, &err), CUZK_USAGE);
    assert_int_equal(cuzk_key_prepare(ctx, circuit, "x.params", "x.cuzk", &err), CUZK_USAGE);
    term_ = term(CUZK_ONE, 1);
    memset(term_.coefficient, 0xff, sizeof term_.coefficient);
    cuzk_circuit_row(circuit, &term_, 1, NULL, 0, NULL, 0);
    assert_int_equal(cuzk_circuit_finish(circuit, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "a coefficient is not below the order of the group");
    cuzk_circuit_free(circuit);
    cuzk_context_free(ctx);
    assert_int_equal(cuzk_proof_bytes("toy_bn"), 0);
    assert_string_equal(cuzk_version(), "0.1.0");
}

static void test_the_header_is_cxx_too(void **state)
{
    (void)state;
    assert_int_equal(public_header_from_cxx(), CUZK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_circuit_is_proven_and_verified_on_both_curves),
        cmocka_unit_test(test_bad_values_are_named),
        cmocka_unit_test(test_progress_is_told_and_memory_is_capped),
        cmocka_unit_test(test_a_cancelled_context_works_again_after_resume),
        cmocka_unit_test(test_a_prepared_key_proves_on_both_curves),
        cmocka_unit_test(test_wrong_use_is_answered),
        cmocka_unit_test(test_the_header_is_cxx_too),
    };

    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
