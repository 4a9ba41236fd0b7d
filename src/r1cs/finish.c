/* The end of a recording: input rows, then everything that was written becomes a struct r1cs. */
#include "r1cs/memory.h"
#include "r1cs/recording.h"

/* [in_i] * {} = {} for every input: one row, n_inputs times. */
static void append_input_rows(struct recorder *rec)
{
    const struct term term = {VAR_INPUT, COEF_ONE};

    recording_close_segment(rec);
    recording_open_segment(rec, rec->n_inputs);
    rec->open.input_base = 0;
    rec->open.input_stride = 1;
    if (rec->n_inputs > 1)
        rec->relative_input_from = 0;
    recorder_row(rec, &term, 1, NULL, 0, NULL, 0);
    rec->relative_input_from = UINT32_MAX;
    rec->n_rows += rec->n_inputs - 1;
    recording_close_segment(rec);
}

/* A place in an array that may be empty. */
static const void *place(const void *array, size_t offset)
{
    return array ? (const uint8_t *)array + offset : NULL;
}

/* The arrays of one side, handed over. */
struct arrays {
    const void *row_end, *var, *coef;
    const var_t *imports;
};

/* The segments of one side with their final addresses, in `out`. */
static void place_segments(const struct recorder *rec, size_t s, const struct arrays *arrays,
                           struct matrix_segment *out)
{
    const struct segment *segments =
        (const struct segment *)(const void *)rec->segments.region.base;
    size_t n = rec->segments.used / sizeof *segments;

    for (size_t i = 0; i < n; i++) {
        const struct segment *seg = &segments[i];
        const void *coef = place(arrays->coef, seg->side[s].coef_at);

        out[i] = (struct matrix_segment){
            .n_rows = seg->n_rows,
            .n_terms = seg->side[s].n_terms,
            .row_end = place(arrays->row_end, seg->side[s].row_at),
            .var = place(arrays->var, seg->side[s].term_at),
            .coef16 = seg->wide ? NULL : coef,
            .coef32 = seg->wide ? coef : NULL,
            .count = seg->count,
            .n_ports = seg->n_ports,
            .aux_base = seg->aux_base,
            .aux_stride = seg->aux_stride,
            .input_base = seg->input_base,
            .input_stride = seg->input_stride,
            .imports = place(arrays->imports, seg->import_at * sizeof(var_t)),
        };
    }
}

/* Room for the segments of three matrices and the ranks. */
static enum cuzk_status map_tables(struct recorder *rec, struct region *segments,
                                   struct region *ranks, struct cuzk_error *err)
{
    size_t n = rec->segments.used / sizeof(struct segment);

    TRY(region_map(segments, rec->budget, MEM_SHAPE, N_SIDES * n * sizeof(struct matrix_segment),
                   err));
    return region_map(ranks, rec->budget, MEM_SHAPE,
                      witness_rank_entries(rec->n_aux) * sizeof(uint32_t), err);
}

/* Everything has its room: moves it over. Cannot fail. */
static void hand_over(struct recorder *rec, struct r1cs_memory *memory, struct region segments,
                      struct region ranks, struct r1cs *ret)
{
    struct matrix *const matrices[N_SIDES] = {&ret->a, &ret->b, &ret->c};
    size_t n_segments = rec->segments.used / sizeof(struct segment);
    size_t n_coefs = rec->coefs.n, n_repeats = rec->repeats.used / sizeof(struct r1cs_repeat);
    const var_t *imports = r1cs_memory_adopt(memory, &rec->imports);
    const uint64_t *coefs = r1cs_memory_adopt(memory, &rec->coefs.values);

    memory->regions[memory->n++] = segments;
    memory->regions[memory->n++] = ranks;
    for (size_t s = 0; s < N_SIDES; s++) {
        struct matrix_segment *out =
            (struct matrix_segment *)(void *)segments.base + s * n_segments;
        const struct arrays arrays = {
            .row_end = r1cs_memory_adopt(memory, &rec->side[s].row_end),
            .var = r1cs_memory_adopt(memory, &rec->side[s].var),
            .coef = r1cs_memory_adopt(memory, &rec->side[s].coef),
            .imports = imports,
        };

        place_segments(rec, s, &arrays, out);
        *matrices[s] = (struct matrix){
            .n_rows = rec->n_rows,
            .n_inputs = rec->n_inputs,
            .n_aux = rec->n_aux,
            .n_segments = n_segments,
            .segments = out,
            .n_coefs = n_coefs,
            .coefs = coefs,
        };
    }
    ret->curve = rec->curve;
    ret->n_constraints = rec->n_rows - rec->n_inputs;
    ret->n_aux = rec->n_aux;
    ret->n_inputs = rec->n_inputs;
    ret->full_map = r1cs_memory_adopt(memory, &rec->full_map);
    ret->full_rank = (uint32_t *)(void *)ranks.base;
    ret->n_full = witness_rank_fill((uint32_t *)(void *)ranks.base, ret->full_map, rec->n_aux);
    ret->n_repeats = n_repeats;
    ret->repeats = r1cs_memory_adopt(memory, &rec->repeats);
    ret->budget = rec->budget;
    ret->memory = memory;
}

enum cuzk_status recorder_finish(struct recorder *rec, struct r1cs *ret, struct cuzk_error *err)
{
    struct region segments = {0}, ranks = {0};
    struct r1cs_memory *memory = NULL;
    enum cuzk_status st;

    if (rec->repeat.active && !failed(rec))
        fail(rec, CUZK_INTERNAL, "repeat of %s: not ended", rec->repeat.name);
    if (!failed(rec))
        append_input_rows(rec);
    if (failed(rec))
        return error_set(err, rec->err.status, "%s", rec->err.message);

    TRY_GOTO(st, out, map_tables(rec, &segments, &ranks, err));
    memory = mem_new(sizeof *memory);
    if (!memory) {
        st = error_set(err, CUZK_NO_MEMORY, "no memory for a constraint system");
        goto out;
    }
    *ret = (struct r1cs){0};
    hand_over(rec, memory, segments, ranks, ret);
    recording_free_parts(rec);
    return CUZK_OK;
out:
    region_unmap(&segments);
    region_unmap(&ranks);
    return st;
}
