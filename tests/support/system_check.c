#include "support/system_check.h"

#include "support/testing.h"

static uint64_t count_bits(const uint64_t *map, size_t n)
{
    uint64_t count = 0;

    for (size_t i = 0; i < witness_map_words(n); i++)
        count += (uint64_t)__builtin_popcountll(map[i]);
    return count;
}

static void check_density(const struct r1cs *cs, const struct matrix *m, const struct json *circuit,
                          const char *side)
{
    uint64_t *inputs = calloc(witness_map_words(cs->n_inputs), 8);
    uint64_t *aux = calloc(witness_map_words(cs->n_aux) + 1, 8), nnz;
    char key[16];

    assert_int_equal(r1cs_density(cs, m, inputs, aux, &nnz, NULL), CUZK_OK);
    snprintf(key, sizeof key, "%s_aux", side);
    assert_int_equal(count_bits(aux, cs->n_aux), json_get_u64(circuit, key));
    snprintf(key, sizeof key, "nnz_%s", side);
    assert_int_equal(nnz, json_get_u64(circuit, key));
    if (*side == 'b')
        assert_int_equal(count_bits(inputs, cs->n_inputs), json_get_u64(circuit, "b_inputs"));
    free(inputs);
    free(aux);
}

static void check_digests(const struct r1cs *cs, const struct json *circuit)
{
    struct r1cs_digests digests;
    uint8_t coefficient[32];
    char structural[17];

    assert_int_equal(r1cs_digest(cs, NULL, 0, NULL, NULL, &digests, NULL), CUZK_OK);
    json_get_hex(circuit, "coefficient_sha256", coefficient, 32);
    assert_memory_equal(digests.coefficient, coefficient, 32);
    snprintf(structural, sizeof structural, "%016llx", (unsigned long long)digests.structural);
    assert_string_equal(structural, json_get_text(circuit, "structural_digest"));
    assert_int_equal(digests.nnz[0], json_get_u64(circuit, "nnz_a"));
    assert_int_equal(digests.nnz[1], json_get_u64(circuit, "nnz_b"));
    assert_int_equal(digests.nnz[2], json_get_u64(circuit, "nnz_c"));
}

void system_check(const struct r1cs *cs, const struct json *circuit)
{
    assert_int_equal(cs->n_constraints, json_get_u64(circuit, "constraints"));
    assert_int_equal(cs->n_inputs, json_get_u64(circuit, "inputs_with_one"));
    assert_int_equal(cs->n_aux, json_get_u64(circuit, "aux"));
    assert_int_equal(cs->a.n_rows, json_get_u64(circuit, "rows_with_input_rows"));
    assert_int_equal(r1cs_lg_domain(cs), json_get_u64(circuit, "domain_log2"));
    check_density(cs, &cs->a, circuit, "a");
    check_density(cs, &cs->b, circuit, "b");
    check_density(cs, &cs->c, circuit, "c");
    check_digests(cs, circuit);
}
