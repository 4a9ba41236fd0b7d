/* Groth16 on the toy curves, where everything can be tried: every blinding (r, s), every statement.
 *
 * The circuit: a bit t and x^3 + x + 5 = y with y public. Trapdoors are searched, from a seed that
 * is printed, until no query element vanishes; the discrete logarithms say which proofs contain a
 * point at infinity, and exactly those must be refused. */
#include "support/testing.h"

#include "format/bellperson.h"
#include "format/params_writer.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "groth16/trapdoor_proof.h"
#include "groth16/verify.h"
#include "r1cs/recorder.h"

struct toy {
    const struct curve *curve;
    struct r1cs cs;
    struct qap qap;
    struct trapdoor trapdoor;
    struct proving_key key;
    uint64_t inputs[2], bits[1], full[3]; /* y | t | x, x^2, x^3 */
    struct witness witness;
};

static uint64_t order(const struct curve *curve)
{
    return curve->fr_modulus.w[0];
}

static void record(struct toy *toy)
{
    struct scalar five_value = {{5}};
    struct recorder *rec;
    struct cuzk_error err;
    uint32_t five;
    var_t y, t, x, x2, x3;

    assert_ok(recorder_new(&rec, toy->curve, NULL, &err), err);
    five = recorder_coef(rec, &five_value);
    y = recorder_input(rec);
    t = recorder_aux(rec, true);
    x = recorder_aux(rec, false);
    x2 = recorder_aux(rec, false);
    x3 = recorder_aux(rec, false);
#define TERMS(...) (const struct term[]){__VA_ARGS__}
    recorder_row(rec, TERMS({t, COEF_ONE}), 1, TERMS({VAR_ONE, COEF_ONE}, {t, COEF_MINUS_ONE}), 2,
                 NULL, 0);
    recorder_row(rec, TERMS({x, COEF_ONE}), 1, TERMS({x, COEF_ONE}), 1, TERMS({x2, COEF_ONE}), 1);
    recorder_row(rec, TERMS({x2, COEF_ONE}), 1, TERMS({x, COEF_ONE}), 1, TERMS({x3, COEF_ONE}), 1);
    recorder_row(rec, TERMS({x3, COEF_ONE}, {x, COEF_ONE}, {VAR_ONE, five}), 3,
                 TERMS({VAR_ONE, COEF_ONE}), 1, TERMS({y, COEF_ONE}), 1);
#undef TERMS
    assert_ok(recorder_finish(rec, &toy->cs, &err), err);
    recorder_free(rec);
    assert_ok(qap_init(&toy->qap, &toy->cs, NULL, &err), err);
}

static void assign(struct toy *toy, uint64_t x)
{
    uint64_t r = order(toy->curve);

    toy->full[0] = x % r;
    toy->full[1] = x * x % r;
    toy->full[2] = toy->full[1] * x % r;
    toy->inputs[0] = 1;
    toy->inputs[1] = (toy->full[2] + x + 5) % r;
    toy->bits[0] = 1;
    toy->witness = (struct witness){.n_inputs = 2,
                                    .n_aux = 4,
                                    .n_full = 3,
                                    .fr_bytes = 8,
                                    .inputs = toy->inputs,
                                    .full_map = toy->cs.full_map,
                                    .full_rank = toy->cs.full_rank,
                                    .bits = toy->bits,
                                    .full = toy->full};
}

static void draw_trapdoor(struct trapdoor *t, const struct curve *curve, struct rng *rng)
{
    struct scalar *const parts[] = {&t->alpha, &t->beta, &t->gamma, &t->delta, &t->tau};

    for (size_t i = 0; i < 5; i++)
        *parts[i] = (struct scalar){{1 + rng_below(rng, order(curve) - 1)}};
}

/* A key through its file, from the first trapdoor that leaves no query element at infinity. */
static void make_key(struct toy *toy, struct rng *rng)
{
    struct setup_options options = {.backend = backend_find("cpu"),
                                    .domain_generator = toy->curve->fr_generator.w[0]};
    enum cuzk_status st = CUZK_BAD_INPUT;
    struct cuzk_error err;
    char path[4096];

    snprintf(path, sizeof path, "%s", test_scratch_path("toy.params"));
    for (int tries = 0; st != CUZK_OK; tries++) {
        struct params_writer writer;
        struct key_sink sink;

        assert_true(tries < 1000);
        draw_trapdoor(&toy->trapdoor, toy->curve, rng);
        assert_ok(params_writer_open(&writer, toy->curve, path, NULL, NULL, &err), err);
        sink = params_writer_sink(&writer);
        st = groth16_setup(&toy->qap, &toy->trapdoor, &options, &sink, &err);
        if (st == CUZK_OK)
            assert_ok(params_writer_commit(&writer, &err), err);
        else
            assert_int_equal(st, CUZK_BAD_INPUT);
        params_writer_abort(&writer);
    }
    assert_ok(params_open(&toy->key, path, toy->curve, NULL, NULL, &err), err);
    remove(path);
    print_message("%s: alpha %d beta %d gamma %d delta %d tau %d\n", toy->curve->name,
                  (int)toy->trapdoor.alpha.w[0], (int)toy->trapdoor.beta.w[0],
                  (int)toy->trapdoor.gamma.w[0], (int)toy->trapdoor.delta.w[0],
                  (int)toy->trapdoor.tau.w[0]);
}

static void toy_init(struct toy *toy, const struct curve *curve)
{
    struct rng rng;

    *toy = (struct toy){.curve = curve};
    rng_seed(&rng, test_seed());
    record(toy);
    make_key(toy, &rng);
    assign(toy, rng_below(&rng, order(curve)));
}

static void toy_done(struct toy *toy)
{
    proving_key_done(&toy->key);
    qap_done(&toy->qap);
    r1cs_done(&toy->cs);
}

/* ---- every blinding ------------------------------------------------------------------------- */

static bool check_blinding(const struct toy *toy, uint64_t r, uint64_t s)
{
    const struct blinding blinding = {{{r}}, {{s}}};
    const struct prove_options options = {.backend = backend_find("cpu")};
    uint64_t g = toy->curve->fr_generator.w[0];
    struct proof expected, found;
    struct cuzk_error err;
    enum cuzk_status st;

    assert_ok(trapdoor_prove(&toy->qap, &toy->trapdoor, g, &toy->witness, &blinding, &options,
                             &expected, &err),
              err);
    st = groth16_prove(&toy->key, &toy->qap, &toy->witness, &blinding, &options, &found, &err);
    if (proof_has_infinity(toy->curve, &expected)) {
        assert_int_equal(st, CUZK_INVALID);
        assert_non_null(strstr(err.message, "point at infinity"));
        return false;
    }
    assert_ok(st, err);
    assert_memory_equal(&found.a, &expected.a, toy->curve->g1_bytes);
    assert_memory_equal(&found.b, &expected.b, toy->curve->g2_bytes);
    assert_memory_equal(&found.c, &expected.c, toy->curve->g1_bytes);
    return true;
}

static void every_blinding(const struct curve *curve, uint64_t step)
{
    uint64_t n = order(curve), made = 0, refused = 0;
    struct toy toy;

    toy_init(&toy, curve);
    for (uint64_t r = 0; r < n; r++)
        for (uint64_t s = r % step; s < n; s += step)
            if (check_blinding(&toy, r, s))
                made++;
            else
                refused++;
    print_message("%s: %d proofs verified, %d with a point at infinity refused\n", curve->name,
                  (int)made, (int)refused);
    if (step == 1) {
        assert_int_equal(made + refused, n * n);
        /* A vanishes for one r, B for one s */
        assert_true(refused >= 2 * n - 1);
    }
    toy_done(&toy);
}

static void test_every_blinding_on_toy_bn(void **state)
{
    (void)state;
    every_blinding(&curve_toy_bn, 1);
}

/* 58,081 blindings: every eighth, and all of them with CUZK_LONG=1. */
static void test_every_blinding_on_toy_bls12(void **state)
{
    (void)state;
    every_blinding(&curve_toy_bls12, test_long() ? 1 : 8);
}

/* ---- every statement and witness ------------------------------------------------------------ */

static void every_statement(const struct curve *curve)
{
    const struct prove_options options = {.backend = backend_find("cpu")};
    struct verifier verifier[2];
    struct cuzk_error err;
    struct toy toy;

    toy_init(&toy, curve);
    for (int tables = 0; tables < 2; tables++)
        assert_ok(verifier_init(&verifier[tables], &toy.key.vk, tables, NULL, NULL, &err), err);
    for (uint64_t x = 0; x < order(curve); x++) {
        struct proof proof;
        enum cuzk_status st;

        assign(&toy, x);
        do
            st = groth16_prove(&toy.key, &toy.qap, &toy.witness, NULL, &options, &proof, &err);
        while (st == CUZK_INVALID && strstr(err.message, "point at infinity"));
        assert_ok(st, err);
        for (uint64_t y = 0; y < order(curve); y++) {
            struct statement statement = {&y, 1};

            for (int tables = 0; tables < 2; tables++)
                assert_int_equal(groth16_verify(&verifier[tables], &proof, &statement, &err),
                                 y == toy.inputs[1] ? CUZK_OK : CUZK_INVALID);
        }
    }
    verifier_done(&verifier[0]);
    verifier_done(&verifier[1]);
    toy_done(&toy);
}

static void test_every_witness_proves_its_own_statement_only(void **state)
{
    (void)state;
    every_statement(&curve_toy_bn);
    every_statement(&curve_toy_bls12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_blinding_on_toy_bn),
        cmocka_unit_test(test_every_blinding_on_toy_bls12),
        cmocka_unit_test(test_every_witness_proves_its_own_statement_only),
    };

    return cmocka_run_group_tests_name("groth16 toy", tests, NULL, NULL);
}
