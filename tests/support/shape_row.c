#include "support/shape_row.h"

#include <inttypes.h>

#include "base/hex.h"
#include "support/testing.h"
#include "support/vectors.h"

/* ---- reading --------------------------------------------------------------------------------- */

static bool parse_line(const char *line, struct shape_row *row)
{
    char coefficient[65];
    int n = sscanf(line,
                   "%31[^\t] %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNx64 " %64s",
                   row->name, &row->constraints, &row->inputs, &row->aux, &row->a_aux, &row->b_aux,
                   &row->b_inputs, &row->nnz[0], &row->nnz[1], &row->nnz[2], &row->structural,
                   coefficient);

    return n == 12 && hex_decode(row->coefficient, 32, coefficient);
}

struct shape_row shape_row_read(const char *name)
{
    FILE *file = fopen(vector_path("filecoin/shapes.tsv"), "r");
    struct shape_row row;
    char line[1024];

    while (file && fgets(line, sizeof(line), file))
        if (parse_line(line, &row) && strcmp(row.name, name) == 0) {
            fclose(file);
            return row;
        }
    fprintf(stderr, "shapes.tsv: no line %s\n", name);
    abort();
}

struct shape_row shape_row_of_json(const char *name, const struct json *circuit)
{
    struct shape_row row = {
        .constraints = json_get_u64(circuit, "constraints"),
        .inputs = json_get_u64(circuit, "inputs_with_one"),
        .aux = json_get_u64(circuit, "aux"),
        .a_aux = json_get_u64(circuit, "a_aux"),
        .b_aux = json_get_u64(circuit, "b_aux"),
        .b_inputs = json_get_u64(circuit, "b_inputs"),
        .nnz = {json_get_u64(circuit, "nnz_a"), json_get_u64(circuit, "nnz_b"),
                json_get_u64(circuit, "nnz_c")},
        .structural = strtoull(json_get_text(circuit, "structural_digest"), NULL, 16),
    };

    snprintf(row.name, sizeof(row.name), "%s", name);
    json_get_hex(circuit, "coefficient_sha256", row.coefficient, 32);
    return row;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

struct checkpoint {
    uint64_t rows, structural;
    char prefix[17];
};

struct checkpoints {
    struct checkpoint at[300];
    size_t n, seen;
    char wrong[160]; /* the first difference */
};

static void checkpoints_read(struct checkpoints *c, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];

    memset(c, 0, sizeof(*c));
    while (file && fgets(line, sizeof(line), file) && c->n < 300) {
        struct checkpoint *p = &c->at[c->n];

        c->n +=
            sscanf(line, "%" SCNu64 " %" SCNx64 " %16s", &p->rows, &p->structural, p->prefix) == 3;
    }
    if (!file || c->n == 0) {
        fprintf(stderr, "%s: no checkpoints\n", path);
        abort();
    }
    fclose(file);
}

static void compare(void *ctx, uint64_t rows, uint64_t structural, const uint8_t prefix[8])
{
    struct checkpoints *c = ctx;
    char hex[17];

    hex_encode(hex, prefix, 8);
    for (size_t i = 0; i < c->n; i++) {
        const struct checkpoint *p = &c->at[i];

        if (p->rows != rows)
            continue;
        c->seen++;
        if (!c->wrong[0] && (p->structural != structural || strcmp(p->prefix, hex) != 0))
            snprintf(c->wrong, sizeof(c->wrong),
                     "after row %" PRIu64 ": structure %016" PRIx64 " (expected %016" PRIx64
                     "), coefficients %s (%s)",
                     rows, structural, p->structural, hex, p->prefix);
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

static uint64_t count_ones(const uint64_t *map, uint64_t n)
{
    uint64_t ones = 0;

    for (size_t i = 0; i < witness_map_words(n); i++)
        ones += (uint64_t)__builtin_popcountll(map[i]);
    return ones;
}

static void assert_density(const struct r1cs *cs, const struct matrix *m, uint64_t n_inputs,
                           uint64_t n_aux, uint64_t nnz)
{
    uint64_t *inputs = calloc(witness_map_words(cs->n_inputs), 8);
    uint64_t *aux = calloc(witness_map_words(cs->n_aux) + 1, 8);
    struct cuzk_error err;
    uint64_t found;

    assert_true(inputs && aux);
    assert_int_equal(r1cs_density(cs, m, inputs, aux, &found, &err), CUZK_OK);
    assert_int_equal(count_ones(inputs, cs->n_inputs), n_inputs);
    assert_int_equal(count_ones(aux, cs->n_aux), n_aux);
    assert_int_equal(found, nnz);
    free(inputs);
    free(aux);
}

void assert_r1cs_is(const struct r1cs *cs, const struct shape_row *expected,
                    const char *checkpoints, struct pool *pool)
{
    static struct checkpoints list;
    struct r1cs_digests digests;
    struct cuzk_error err;

    assert_int_equal(cs->n_constraints, expected->constraints);
    assert_int_equal(cs->n_inputs, expected->inputs);
    assert_int_equal(cs->n_aux, expected->aux);
    assert_density(cs, &cs->a, expected->inputs, expected->a_aux, expected->nnz[0]);
    assert_density(cs, &cs->b, expected->b_inputs, expected->b_aux, expected->nnz[1]);
    memset(&list, 0, sizeof(list));
    if (checkpoints)
        checkpoints_read(&list, checkpoints);
    assert_int_equal(
        r1cs_digest(cs, pool, list.at[0].rows, checkpoints ? compare : NULL, &list, &digests, &err),
        CUZK_OK);
    if (list.wrong[0])
        fail_msg("%s: %s", expected->name, list.wrong);
    assert_int_equal(list.seen, list.n);
    for (int i = 0; i < 3; i++)
        assert_int_equal(digests.nnz[i], expected->nnz[i]);
    assert_int_equal(digests.structural, expected->structural);
    assert_memory_equal(digests.coefficient, expected->coefficient, 32);
}

void assert_r1cs_is_listed(const struct r1cs *cs, const struct json *circuit)
{
    const struct shape_row row = shape_row_of_json("", circuit);
    uint64_t *aux = calloc(witness_map_words(cs->n_aux) + 1, 8);

    assert_r1cs_is(cs, &row, NULL, NULL);
    assert_int_equal(cs->a.n_rows, json_get_u64(circuit, "rows_with_input_rows"));
    assert_int_equal(r1cs_lg_domain(cs), json_get_u64(circuit, "domain_log2"));
    assert_int_equal(r1cs_density(cs, &cs->c, NULL, aux, NULL, NULL), CUZK_OK);
    assert_int_equal(count_ones(aux, cs->n_aux), json_get_u64(circuit, "c_aux"));
    free(aux);
}
