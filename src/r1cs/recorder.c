#include "r1cs/recorder.h"

#include "r1cs/bitmap.h"
#include "r1cs/recording.h"

/* ---- life ------------------------------------------------------------------------------------ */

void recording_free_parts(struct recorder *rec)
{
    struct grow *grows[] = {&rec->full_map, &rec->segments, &rec->repeats, &rec->imports,
                            &rec->scratch};

    for (size_t i = 0; i < N_SIDES; i++) {
        grow_done(&rec->side[i].row_end);
        grow_done(&rec->side[i].var);
        grow_done(&rec->side[i].coef);
    }
    for (size_t i = 0; i < sizeof grows / sizeof *grows; i++)
        grow_done(grows[i]);
    dictionary_done(&rec->coefs);
}

static void init_parts(struct recorder *rec)
{
    struct grow *grows[] = {&rec->full_map, &rec->segments, &rec->repeats, &rec->imports,
                            &rec->scratch};
    const size_t no_limit = SIZE_MAX / 2; /* limits are counted in elements */

    for (size_t i = 0; i < N_SIDES; i++) {
        grow_init(&rec->side[i].row_end, rec->budget, MEM_SHAPE, no_limit);
        grow_init(&rec->side[i].var, rec->budget, MEM_SHAPE, no_limit);
        grow_init(&rec->side[i].coef, rec->budget, MEM_SHAPE, no_limit);
    }
    for (size_t i = 0; i < sizeof grows / sizeof *grows; i++)
        grow_init(grows[i], rec->budget, MEM_SHAPE, no_limit);
    dictionary_init(&rec->coefs, rec->curve, rec->budget, NULL, 0);
}

/* COEF_ONE, COEF_MINUS_ONE, COEF_ZERO, COEF_TWO, in this order. */
static void add_small_coefs(struct recorder *rec)
{
    const struct scalar zero = {{0}}, one = {{1}}, two = {{2}};
    struct scalar minus_one;

    rec->curve->fr_sub(&minus_one, &zero, &one);
    recorder_coef(rec, &one);
    recorder_coef(rec, &minus_one);
    recorder_coef(rec, &zero);
    recorder_coef(rec, &two);
}

enum cuzk_status recorder_new(struct recorder **ret, const struct curve *curve,
                              struct budget *budget, struct cuzk_error *err)
{
    struct recorder *rec = mem_new(sizeof *rec);

    if (!rec)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a recorder");
    *rec = (struct recorder){
        .curve = curve,
        .budget = budget,
        .n_inputs = 1,
        .relative_aux_from = UINT64_MAX,
        .relative_input_from = UINT32_MAX,
        .wanted_row = NO_ROW,
        .find_row = NO_ROW,
    };
    init_parts(rec);
    add_small_coefs(rec);
    if (failed(rec)) {
        enum cuzk_status st = error_set(err, rec->err.status, "%s", rec->err.message);

        recorder_free(rec);
        return st;
    }
    *ret = rec;
    return CUZK_OK;
}

void recorder_free(struct recorder *rec)
{
    if (rec)
        recording_free_parts(rec);
    mem_free(rec);
}

uint64_t recorder_n_rows(const struct recorder *rec)
{
    return rec->n_rows;
}
uint64_t recorder_n_aux(const struct recorder *rec)
{
    return rec->n_aux;
}
uint32_t recorder_n_inputs(const struct recorder *rec)
{
    return rec->n_inputs;
}

/* ---- coefficients and variables -------------------------------------------------------------- */

uint32_t recorder_coef(struct recorder *rec, const struct scalar *value)
{
    uint32_t index = COEF_ZERO;

    if (!failed(rec) && !rec->curve->fr_is_reduced(value))
        fail(rec, CUZK_BAD_INPUT, "a coefficient is not below the modulus");
    if (failed(rec) || dictionary_add(&rec->coefs, value, &index, &rec->err) != CUZK_OK)
        return COEF_ZERO;
    return index;
}

var_t recorder_input(struct recorder *rec)
{
    if (rec->n_inputs >= N_INPUTS_MAX && !failed(rec))
        fail(rec, CUZK_BAD_INPUT, "more than 2^29 inputs");
    return failed(rec) ? VAR_ONE : VAR_INPUT | rec->n_inputs++;
}

static void compare_class(struct recorder *rec, bool is_full)
{
    const struct open_repeat *repeat = &rec->repeat;
    const uint64_t *map = (const uint64_t *)(const void *)rec->full_map.region.base;
    uint64_t i = rec->n_aux - repeat->aux_base - repeat->aux_stride;

    if (i >= repeat->aux_stride || witness_bit(map, repeat->aux_base + i) != is_full)
        fail(rec, CUZK_INTERNAL,
             "%s 1 differs from %s 0: aux %" PRIu64 " of it is new or of another class",
             repeat->name, repeat->name, i);
}

var_t recorder_aux(struct recorder *rec, bool is_bit)
{
    uint64_t v = rec->n_aux;

    if (failed(rec))
        return 0;
    if (v >= N_AUX_MAX) {
        fail(rec, CUZK_BAD_INPUT, "more than 2^31 auxiliary variables");
        return 0;
    }
    if (rec->repeat.block == 1) {
        compare_class(rec, !is_bit);
    } else {
        if (v % 64 == 0)
            append(rec, &rec->full_map, &(uint64_t){0}, sizeof(uint64_t));
        if (failed(rec))
            return 0;
        if (!is_bit) {
            bitmap_set((uint64_t *)(void *)rec->full_map.region.base, v);
            rec->n_full++;
        }
    }
    rec->n_aux++;
    return (var_t)v;
}

/* ---- names ----------------------------------------------------------------------------------- */

void recorder_scope(struct recorder *rec, const char *name)
{
    scope_push(&rec->scopes, name, SCOPE_NO_INDEX);
}
void recorder_scope_index(struct recorder *rec, const char *name, unsigned index)
{
    scope_push(&rec->scopes, name, (long)index);
}
void recorder_scope_end(struct recorder *rec)
{
    scope_pop(&rec->scopes);
}

void recorder_find_row(struct recorder *rec, uint64_t row)
{
    rec->find_row = row;
    rec->wanted_row = row;
}

const char *recorder_found_path(const struct recorder *rec)
{
    return rec->found_path;
}
