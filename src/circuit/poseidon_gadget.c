/* The rows of one hash, worked out once per kind and then repeated with other variables.
 *
 * After each round's matrix the state is a vector of combinations of earlier variables, which an
 * s-box first makes a variable of its own. In the partial rounds only element 0 meets an s-box, and
 * the combinations of the others grow by a term a round. Their coefficients depend on the kind
 * only, so the template below keeps rows over *local* variables: 0 is ONE, 1 .. arity the preimage,
 * then what the hash allocates, in order. */
#include "circuit/poseidon_gadget.h"

#include <assert.h>

#include "circuit/lc.h"
#include "circuit/poseidon_constants.h"
#include "circuit/shape.h"

enum {
    WIDTH = POSEIDON_WIDTH_MAX,
    N_LOCAL = WIDTH + POSEIDON_TRACE_MAX,
    N_TERMS_MAX = 6144,
    /* Terms of a combination: ONE, a full state, and one more for each partial round. */
    N_SLOTS = 1 + WIDTH + POSEIDON_PARTIAL_MAX,
};

struct poseidon_rows {
    unsigned n_rows, n_terms;
    uint16_t end[POSEIDON_TRACE_MAX][3]; /* of the three sides of a row, in terms */
    struct term terms[N_TERMS_MAX];      /* var: local */
};

/* ---- making the template -------------------------------------------------------------------- */

struct builder {
    const struct sink *sink;
    const struct poseidon_constants *k;
    struct poseidon_rows *rows;
    unsigned side;    /* the next side that ends, 0 .. 2 */
    uint32_t n_local; /* local variables so far */
    const fr_t *add;  /* the next constant */
    /* state[i] = sum of coefficient[i][s] * local variable slot[s]; slot 0 is ONE. */
    unsigned n_slots;
    uint32_t slot[N_SLOTS];
    fr_t coefficient[WIDTH][N_SLOTS];
};

static void put(struct builder *b, uint32_t local, uint32_t coefficient)
{
    assert(b->rows->n_terms < N_TERMS_MAX);
    b->rows->terms[b->rows->n_terms++] = term_of(local, coefficient);
}

static void end_side(struct builder *b)
{
    b->rows->end[b->rows->n_rows][b->side++] = (uint16_t)b->rows->n_terms;
    if (b->side == 3) {
        b->side = 0;
        b->rows->n_rows++;
    }
}

/* A side: x, or x + constant. */
static void side_of(struct builder *b, uint32_t local, const fr_t *constant)
{
    put(b, local, COEF_ONE);
    if (constant && !fr_is_zero(constant))
        put(b, 0, coef_of(b->sink, constant));
    end_side(b);
}

/* x, or x + before, to the fifth, plus `after` (NULL: nothing); returns the new variable. */
static uint32_t power_5_rows(struct builder *b, uint32_t x, const fr_t *before, const fr_t *after)
{
    const uint32_t square = b->n_local++, fourth = b->n_local++, result = b->n_local++;
    fr_t minus_after = fr_zero;

    if (after)
        fr_neg(&minus_after, after);
    side_of(b, x, before);
    side_of(b, x, before);
    side_of(b, square, NULL);
    side_of(b, square, NULL);
    side_of(b, square, NULL);
    side_of(b, fourth, NULL);
    side_of(b, x, before);
    side_of(b, fourth, NULL);
    side_of(b, result, &minus_after);
    return result;
}

/* A variable for state[i], with the row state[i] * 1 = v. */
static uint32_t variable_row(struct builder *b, unsigned i)
{
    const uint32_t v = b->n_local++;

    for (unsigned n = 1; n <= b->n_slots; n++) { /* ONE last: ascending, as the recorder likes it */
        const unsigned s = n % b->n_slots;

        if (!fr_is_zero(&b->coefficient[i][s]))
            put(b, b->slot[s], coef_of(b->sink, &b->coefficient[i][s]));
    }
    end_side(b);
    side_of(b, 0, NULL);
    side_of(b, v, NULL);
    return v;
}

/* state[i] becomes the variable in slot s. */
static void set_element(struct builder *b, unsigned i, unsigned s)
{
    memset(b->coefficient[i], 0, sizeof b->coefficient[i]);
    b->coefficient[i][s] = fr_one;
}

static void first_round(struct builder *b)
{
    const unsigned width = b->k->width;
    const fr_t *before = b->k->added, *after = before + width;
    fr_t tag_power, x;

    fr_add(&x, &b->k->tag, &before[0]);
    fr_sqr(&tag_power, &x);
    fr_sqr(&tag_power, &tag_power);
    fr_mul(&tag_power, &tag_power, &x);
    set_element(b, 0, 0);
    fr_add(&b->coefficient[0][0], &tag_power, &after[0]);
    b->n_slots = width;
    for (unsigned i = 1; i < width; i++) {
        b->slot[i] = power_5_rows(b, i, &before[i], &after[i]);
        set_element(b, i, i);
    }
    b->add = after + width;
}

static void full_round(struct builder *b, bool add)
{
    uint32_t result[WIDTH];

    for (unsigned i = 0; i < b->k->width; i++) {
        const uint32_t v = variable_row(b, i);

        result[i] = power_5_rows(b, v, NULL, add ? b->add++ : NULL);
    }
    b->n_slots = 1 + b->k->width;
    for (unsigned i = 0; i < b->k->width; i++) {
        b->slot[1 + i] = result[i];
        set_element(b, i, 1 + i);
    }
}

static void partial_round(struct builder *b)
{
    const uint32_t v = variable_row(b, 0);

    b->slot[b->n_slots] = power_5_rows(b, v, NULL, b->add++);
    set_element(b, 0, b->n_slots++);
}

static void mix_rows(struct builder *b, const struct poseidon_matrix *m)
{
    fr_t next[WIDTH][N_SLOTS];

    memset(next, 0, sizeof next);
    for (unsigned j = 0; j < b->k->width; j++)
        for (unsigned i = 0; i < b->k->width; i++)
            for (unsigned s = 0; s < b->n_slots; s++) {
                fr_t product;

                if (fr_is_zero(&b->coefficient[i][s]))
                    continue;
                fr_mul(&product, &b->coefficient[i][s], &m->at[i][j]);
                fr_add(&next[j][s], &next[j][s], &product);
            }
    memcpy(b->coefficient, next, sizeof next);
}

static void mix_sparse_rows(struct builder *b, const struct poseidon_sparse *m)
{
    for (unsigned s = 0; s < b->n_slots; s++) {
        const fr_t old_first = b->coefficient[0][s];
        fr_t first, product;

        fr_mul(&first, &old_first, &m->column[0]);
        for (unsigned i = 1; i < b->k->width; i++) {
            fr_mul(&product, &b->coefficient[i][s], &m->column[i]);
            fr_add(&first, &first, &product);
            fr_mul(&product, &old_first, &m->row[i]);
            fr_add(&b->coefficient[i][s], &b->coefficient[i][s], &product);
        }
        b->coefficient[0][s] = first;
    }
}

static void make_rows(const struct sink *sink, enum poseidon_kind kind, struct poseidon_rows *rows)
{
    const struct poseidon_constants *k = poseidon_constants(kind);
    struct builder b = {.sink = sink, .k = k, .rows = rows, .n_local = k->width};

    first_round(&b);
    mix_rows(&b, &k->mds);
    for (unsigned round = 1; round < POSEIDON_FULL_ROUNDS / 2; round++) {
        full_round(&b, true);
        mix_rows(&b, round == POSEIDON_PRE_SPARSE ? &k->pre_sparse : &k->mds);
    }
    for (unsigned round = 0; round < k->partial; round++) {
        partial_round(&b);
        mix_sparse_rows(&b, &k->sparse[round]);
    }
    for (unsigned round = 1; round <= POSEIDON_FULL_ROUNDS / 2; round++) {
        full_round(&b, round < POSEIDON_FULL_ROUNDS / 2);
        mix_rows(&b, &k->mds);
    }
    variable_row(&b, 1);
}

/* NULL when there is no memory; the sink remembers it. */
static const struct poseidon_rows *rows_of(struct sink *sink, enum poseidon_kind kind)
{
    struct shape *shape = sink->shape;

    if (!shape->poseidon[kind]) {
        shape->poseidon[kind] = mem_new(sizeof(struct poseidon_rows));
        if (!shape->poseidon[kind]) {
            shape->status = CUZK_NO_MEMORY;
            return NULL;
        }
        make_rows(sink, kind, shape->poseidon[kind]);
    }
    return shape->poseidon[kind];
}

/* ---- using it ------------------------------------------------------------------------------- */

/* The rows over the caller's variables; returns the result. */
static var_t repeat_rows(struct sink *sink, enum poseidon_kind kind, const num_t *preimage)
{
    const struct poseidon_rows *rows = rows_of(sink, kind);
    const unsigned arity = poseidon_arity(kind), n_aux = poseidon_trace_n(kind);
    var_t var[N_LOCAL];
    unsigned begin = 0;

    var[0] = VAR_ONE;
    for (unsigned i = 0; i < arity; i++)
        var[1 + i] = preimage[i].var;
    for (unsigned i = 0; i < n_aux; i++)
        var[1 + arity + i] = sink_shape_aux(sink, false);
    for (unsigned row = 0; rows && row < rows->n_rows; row++) {
        const uint16_t *end = rows->end[row];
        struct term terms[3 * N_SLOTS];

        for (unsigned i = begin; i < end[2]; i++)
            terms[i - begin] = term_of(var[rows->terms[i].var], rows->terms[i].coef);
        recorder_row(sink->shape->rec, terms, end[0] - begin, terms + (end[0] - begin),
                     (size_t)(end[1] - end[0]), terms + (end[1] - begin),
                     (size_t)(end[2] - end[1]));
        begin = end[2];
    }
    return var[arity + n_aux];
}

/* Values of n sinks, made together. */
static void trace_values(struct sink *sinks, unsigned n, enum poseidon_kind kind,
                         const num_t *preimage, num_t *result)
{
    const unsigned arity = poseidon_arity(kind), n_aux = poseidon_trace_n(kind);
    fr_t elements[SINKS_MAX * WIDTH], hashes[SINKS_MAX];
    void *traces[SINKS_MAX];

    assert(n <= SINKS_MAX);
    for (unsigned i = 0; i < n * arity; i++)
        elements[i] = preimage[i].value;
    for (unsigned i = 0; i < n; i++)
        traces[i] = sink_full_run(&sinks[i], n_aux);
    poseidon_trace(kind, hashes, traces, elements, n);
    for (unsigned i = 0; i < n; i++)
        result[i] = (num_t){.value = hashes[i]};
}

void poseidon_gadgets(struct sink *sinks, unsigned n, enum poseidon_kind kind,
                      const num_t *preimage, num_t *result)
{
    if (!sink_is_shape(sinks)) {
        trace_values(sinks, n, kind, preimage, result);
        return;
    }
    assert(n == 1);
    sink_shape_scope(sinks, "poseidon");
    *result = (num_t){.var = repeat_rows(sinks, kind, preimage)};
    sink_shape_scope_end(sinks);
}

num_t poseidon_gadget(struct sink *sink, enum poseidon_kind kind, const num_t *preimage)
{
    num_t result;

    poseidon_gadgets(sink, 1, kind, preimage, &result);
    return result;
}
