/* Twelve proofs of real sectors (32 GiB, mainnet): they verify, and with one bit changed they do
 * not. The files are fil-blst's test data: everything big-endian, layout in each reader below. */
#include "support/testing.h"

#include "base/hash.h"
#include "base/reader.h"
#include "field/limbs.h"
#include "format/bellperson.h"
#include "groth16/verify.h"
#include "support/pool_fixture.h"
#include "support/vectors.h"

#define CURVE (&curve_bls12_381)
#define N_CHANGES 300

/* A statement, its proof and its key as bytes, so that any bit of them can be changed. */
struct claim {
    const uint8_t *vk, *proof, *inputs;
    size_t vk_bytes, n_inputs;
};

struct claims {
    uint8_t *file;
    struct claim item[10];
    size_t n;
};

static const uint8_t *take(struct reader *r, size_t n)
{
    const uint8_t *bytes;

    assert_int_equal(read_bytes(r, n, &bytes, NULL), CUZK_OK);
    return bytes;
}

/* proof, u64 n, n inputs, vk */
static void read_single(struct claims *claims, struct reader *r)
{
    struct claim *c = &claims->item[0];

    c->proof = take(r, 192);
    c->n_inputs = load_u64_be(take(r, 8));
    c->inputs = take(r, 32 * c->n_inputs);
    c->vk_bytes = vk_bytes(&curve_bls12_381, c->n_inputs + 1);
    c->vk = take(r, c->vk_bytes);
    claims->n = 1;
}

/* u64 count, u64 n, vk, count times (proof, n inputs) */
static void read_batch(struct claims *claims, struct reader *r)
{
    size_t count = load_u64_be(take(r, 8)), n = load_u64_be(take(r, 8));
    const uint8_t *vk = take(r, vk_bytes(&curve_bls12_381, n + 1));

    assert_true(count <= 10);
    for (claims->n = 0; claims->n < count; claims->n++)
        claims->item[claims->n] = (struct claim){.vk = vk,
                                                 .proof = take(r, 192),
                                                 .inputs = take(r, 32 * n),
                                                 .vk_bytes = vk_bytes(&curve_bls12_381, n + 1),
                                                 .n_inputs = n};
}

static bool load_claims(struct claims *claims, const char *file, bool batch)
{
    const char *path = test_data_path(file);
    struct reader r;
    size_t n;

    if (!path)
        return false;
    claims->file = vector_read(path, &n);
    r = reader_over(claims->file, n, file);
    (batch ? read_batch : read_single)(claims, &r);
    assert_int_equal(read_end(&r, NULL), CUZK_OK);
    return true;
}

/* Big-endian in the file, packed little-endian for us. */
static uint64_t *inputs_of(const struct claim *c)
{
    uint64_t *words = malloc(32 * c->n_inputs);

    for (size_t i = 0; i < c->n_inputs; i++)
        for (size_t w = 0; w < 4; w++)
            words[4 * i + w] = load_u64_be(c->inputs + 32 * i + 8 * (3 - w));
    return words;
}

/* From bytes to a verdict, through every check a file passes. */
static enum cuzk_status verdict(const struct claim *c, struct pool *threads)
{
    struct reader r = reader_over(c->vk, c->vk_bytes, "vk");
    struct verifying_key vk = {0};
    struct verifier verifier = {0};
    struct proof proof;
    struct statement statement;
    uint64_t *inputs = inputs_of(c);
    enum cuzk_status st;

    statement = (struct statement){inputs, c->n_inputs};
    TRY_GOTO(st, out, proof_decode(&proof, CURVE, c->proof, 192, "proof", NULL));
    TRY_GOTO(st, out, vk_read(&vk, &r, CURVE, threads, NULL, NULL));
    TRY_GOTO(st, out, read_end(&r, NULL));
    TRY_GOTO(st, out, verifier_init(&verifier, &vk, false, threads, NULL, NULL));
    st = groth16_verify(&verifier, &proof, &statement, NULL);
out:
    verifier_done(&verifier);
    verifying_key_done(&vk);
    free(inputs);
    return st;
}

static const struct {
    const char *file, *vk_digest; /* of BLAKE2b-512, the first 16 bytes, as in parameters.json */
    bool batch;
    size_t n, n_inputs;
} files[] = {
    {"vectors/mainnet-v27/seal32_x10.prf", "7a139d82b8a02e35279d657e197f5c1f", true, 10, 327},
    {"vectors/mainnet-v27/winning32.prf", "2306247a1e616dbe07f01b88196c2044", false, 1, 132},
    {"vectors/mainnet-v27/window.prf", "caf900461e988bbf86dbcaca087b7864", true, 1, 25839},
};

static void test_the_twelve_proofs_verify(void **state)
{
    size_t verified = 0;

    (void)state;
    for (size_t f = 0; f < 3; f++) {
        struct claims claims;

        if (!load_claims(&claims, files[f].file, files[f].batch))
            skip();
        assert_int_equal(claims.n, files[f].n);
        assert_int_equal(claims.item[0].n_inputs, files[f].n_inputs);
        for (size_t i = 0; i < claims.n; i++, verified++)
            assert_int_equal(verdict(&claims.item[i], pool), CUZK_OK);
        free(claims.file);
    }
    assert_int_equal(verified, 12);
}

static void test_their_keys_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t f = 0; f < 3; f++) {
        struct hash *hash = hash_new(HASH_BLAKE2B_512);
        struct claims claims;
        uint8_t digest[64];
        char text[33];

        if (!load_claims(&claims, files[f].file, files[f].batch)) {
            hash_free(hash);
            skip();
        }
        hash_update(hash, claims.item[0].vk, claims.item[0].vk_bytes);
        hash_final(hash, digest);
        hash_free(hash);
        for (int i = 0; i < 16; i++)
            snprintf(text + 2 * i, 3, "%02x", digest[i]);
        assert_string_equal(text, files[f].vk_digest);
        free(claims.file);
    }
}

/* ---- batches -------------------------------------------------------------------------------- */

struct ten {
    struct claims claims;
    struct verifying_key vk;
    struct verifier verifier;
    struct proof proofs[10];
    struct statement statements[10];
};

static bool load_ten(struct ten *ten)
{
    struct reader r;

    if (!load_claims(&ten->claims, files[0].file, true))
        return false;
    r = reader_over(ten->claims.item[0].vk, ten->claims.item[0].vk_bytes, "vk");
    assert_int_equal(vk_read(&ten->vk, &r, CURVE, pool, NULL, NULL), CUZK_OK);
    assert_int_equal(verifier_init(&ten->verifier, &ten->vk, true, pool, NULL, NULL), CUZK_OK);
    for (size_t i = 0; i < 10; i++) {
        const struct claim *c = &ten->claims.item[i];

        assert_int_equal(proof_decode(&ten->proofs[i], CURVE, c->proof, 192, "proof", NULL),
                         CUZK_OK);
        ten->statements[i] = (struct statement){inputs_of(c), c->n_inputs};
    }
    return true;
}

static void free_ten(struct ten *ten)
{
    for (size_t i = 0; i < 10; i++)
        free((void *)(uintptr_t)ten->statements[i].inputs);
    verifier_done(&ten->verifier);
    verifying_key_done(&ten->vk);
    free(ten->claims.file);
}

static enum cuzk_status verify_ten(struct ten *ten, size_t *bad, struct cuzk_error *err)
{
    return groth16_verify_batch(&ten->verifier, ten->proofs, ten->statements, 10, bad, NULL, err);
}

static void test_a_batch_names_its_bad_proof(void **state)
{
    struct cuzk_error err;
    struct ten ten;
    size_t bad = 77;

    (void)state;
    if (!load_ten(&ten))
        skip();
    assert_int_equal(verify_ten(&ten, &bad, &err), CUZK_OK);
    assert_int_equal(bad, 77);
    for (size_t i = 0; i < 10; i++) {
        struct g1_point kept = ten.proofs[i].c;

        ten.proofs[i].c = ten.proofs[(i + 1) % 10].c;
        assert_int_equal(verify_ten(&ten, &bad, &err), CUZK_INVALID);
        assert_int_equal(bad, i);
        ten.proofs[i].c = kept;
    }
    free_ten(&ten);
}

static void test_a_batch_names_the_first_of_several(void **state)
{
    struct proof swap;
    struct cuzk_error err;
    struct ten ten;
    size_t bad;

    (void)state;
    if (!load_ten(&ten))
        skip();
    /* two proofs that belong to each other's statements */
    swap = ten.proofs[3];
    ten.proofs[3] = ten.proofs[8];
    ten.proofs[8] = swap;
    assert_int_equal(verify_ten(&ten, &bad, &err), CUZK_INVALID);
    assert_int_equal(bad, 3);
    assert_string_equal(err.message, "proof 3 of 10 is not valid");
    free_ten(&ten);
}

static void test_inputs_must_be_canonical_and_as_many_as_the_key_says(void **state)
{
    struct cuzk_error err;
    uint64_t *inputs, carry = 0;
    struct ten ten;
    size_t bad;

    (void)state;
    if (!load_ten(&ten))
        skip();
    /* x + r stands for the same field element */
    inputs = (uint64_t *)(uintptr_t)ten.statements[4].inputs + 4 * 7;
    for (size_t w = 0; w < 4; w++)
        inputs[w] = limb_add(inputs[w], CURVE->fr_modulus.w[w], &carry);
    assert_int_equal(groth16_verify(&ten.verifier, &ten.proofs[4], &ten.statements[4], &err),
                     CUZK_BAD_INPUT);
    assert_string_equal(err.message, "public input 7 is not below the order of the group");
    assert_int_equal(verify_ten(&ten, &bad, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message,
                        "proof 4 of 10: public input 7 is not below the order of the group");
    ten.statements[2].n--;
    assert_int_equal(verify_ten(&ten, &bad, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "proof 2 of 10: 326 public inputs, the key is for 327");
    ten.statements[2].n++;
    free_ten(&ten);
}

/* ---- one bit changed ------------------------------------------------------------------------ */

/* A claim with its parts copied, so that they can be changed. */
struct copy {
    struct claim claim;
    uint8_t *bytes; /* vk, proof, inputs */
    size_t n;
};

static void copy_claim(struct copy *copy, const struct claim *c)
{
    copy->n = c->vk_bytes + 192 + 32 * c->n_inputs;
    copy->bytes = malloc(copy->n);
    memcpy(copy->bytes, c->vk, c->vk_bytes);
    memcpy(copy->bytes + c->vk_bytes, c->proof, 192);
    memcpy(copy->bytes + c->vk_bytes + 192, c->inputs, 32 * c->n_inputs);
    copy->claim = *c;
    copy->claim.vk = copy->bytes;
    copy->claim.proof = copy->bytes + c->vk_bytes;
    copy->claim.inputs = copy->bytes + c->vk_bytes + 192;
}

/* Every field of a copy: [begin, end) byte ranges. */
struct field {
    const char *name;
    size_t begin, end;
};

static size_t list_fields(struct field *fields, const struct claim *c)
{
    const size_t proof = c->vk_bytes, inputs = proof + 192;
    const struct field all[] = {
        {"alpha_g1", 0, 96},
        {"beta_g1", 96, 192},
        {"beta_g2", 192, 384},
        {"gamma_g2", 384, 576},
        {"delta_g1", 576, 672},
        {"delta_g2", 672, 864},
        {"ic count", 864, 868},
        {"first ic", 868, 964},
        {"last ic", proof - 96, proof},
        {"some ic", 868, proof},
        {"A", proof, proof + 48},
        {"B", proof + 48, proof + 144},
        {"C", proof + 144, proof + 192},
        {"first input", inputs, inputs + 32},
        {"last input", inputs + 32 * (c->n_inputs - 1), inputs + 32 * c->n_inputs},
        {"some input", inputs, inputs + 32 * c->n_inputs},
    };

    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof all[0];
}

/* Bits are counted as they are read: 0 is the first byte's highest, 2 the sign of a compressed
 * point. beta_g1 and delta_g1 take no part in the equation: what keeps them honest is the decoding.
 * A bit of x or y makes another point only with probability 2^-380. */
static void change_and_verify(struct copy *copy, const struct field *field, size_t bit)
{
    uint8_t *byte = copy->bytes + field->begin + bit / 8, mask = (uint8_t)(0x80u >> bit % 8);
    enum cuzk_status st;

    *byte ^= mask;
    st = verdict(&copy->claim, pool);
    if (st == CUZK_OK)
        fail_msg("%s: bit %zu changed and the proof still verifies", field->name, bit);
    assert_true(st == CUZK_INVALID || st == CUZK_BAD_INPUT);
    *byte ^= mask;
}

static void test_no_changed_bit_goes_unnoticed(void **state)
{
    struct claims seal, winning;
    struct copy copies[2];
    struct field fields[16];
    struct rng rng;
    size_t changes = 0;

    (void)state;
    if (!load_claims(&seal, files[0].file, true) || !load_claims(&winning, files[1].file, false))
        skip();
    copy_claim(&copies[0], &winning.item[0]);
    copy_claim(&copies[1], &seal.item[9]);
    rng_seed(&rng, test_seed());
    while (changes < N_CHANGES) {
        struct copy *copy = &copies[changes / 16 % 2];
        size_t n_fields = list_fields(fields, &copy->claim);

        for (size_t f = 0; f < n_fields; f++, changes++) {
            size_t n_bits = 8 * (fields[f].end - fields[f].begin), round = changes / 32;
            const size_t fixed[] = {0, n_bits - 1, 2};

            change_and_verify(copy, &fields[f],
                              round < 3 ? fixed[round] : (size_t)rng_below(&rng, n_bits));
        }
    }
    print_message("%zu changes of one bit, none went through\n", changes);
    assert_int_equal(verdict(&copies[0].claim, pool), CUZK_OK);
    assert_int_equal(verdict(&copies[1].claim, pool), CUZK_OK);
    free(copies[0].bytes);
    free(copies[1].bytes);
    free(seal.file);
    free(winning.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_twelve_proofs_verify),
        cmocka_unit_test(test_their_keys_are_the_published_ones),
        cmocka_unit_test(test_a_batch_names_its_bad_proof),
        cmocka_unit_test(test_a_batch_names_the_first_of_several),
        cmocka_unit_test(test_inputs_must_be_canonical_and_as_many_as_the_key_says),
        cmocka_unit_test(test_no_changed_bit_goes_unnoticed),
    };

    return cmocka_run_group_tests_name("mainnet", tests, make_pool, free_pool);
}
