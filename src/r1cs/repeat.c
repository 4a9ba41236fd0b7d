/* Blocks: the first is a segment of its own, the second is compared with it, the others are
 * implied. */
#include "r1cs/bitmap.h"
#include "r1cs/recording.h"

static bool is_outer_variable(const struct recorder *rec, var_t var)
{
    return var & VAR_INPUT ? (var & ~VAR_INPUT) < rec->n_inputs : var < rec->n_aux;
}

void recorder_repeat_begin(struct recorder *rec, const char *name, uint32_t count, uint32_t n_ports,
                           const var_t *imports)
{
    size_t n_imports = (size_t)count * n_ports;

    if (failed(rec))
        return;
    if (rec->repeat.active || n_ports > VAR_PORT_INDEX || rec->n_aux > N_OUTER_AUX_MAX) {
        fail(rec, CUZK_INTERNAL, "repeat of %s: %s", name,
             rec->repeat.active ? "inside another one" : "too many ports or variables before it");
        return;
    }
    for (size_t i = 0; i < n_imports; i++)
        if (!is_outer_variable(rec, imports[i])) {
            fail(rec, CUZK_INTERNAL, "repeat of %s: import %zu is no variable", name, i);
            return;
        }
    rec->repeat = (struct open_repeat){
        .active = true,
        .name = name,
        .scope_depth = rec->scopes.depth,
        .count = count,
        .n_ports = n_ports,
        .import_at = rec->imports.used / sizeof(var_t),
        .row_base = rec->n_rows,
        .aux_base = rec->n_aux,
        .full_base = rec->n_full,
        .input_base = rec->n_inputs,
    };
    if (n_imports)
        append(rec, &rec->imports, imports, n_imports * sizeof(var_t));
}

/* Variables allocated from here on are relative to here. */
static void begin_block(struct recorder *rec, uint32_t block)
{
    rec->repeat.block = block;
    rec->repeat.in_block = true;
    rec->repeat.cursor = 0;
    rec->repeat.mark_at = 0;
    if (rec->repeat.count > 1) {
        rec->relative_aux_from = rec->n_aux;
        rec->relative_input_from = rec->n_inputs;
    }
    scope_push(&rec->scopes, rec->repeat.name, (long)block);
}

static void begin_block_0(struct recorder *rec)
{
    struct open_repeat *repeat = &rec->repeat;

    if (repeat->count > 1) { /* a single block is written flat */
        recording_close_segment(rec);
        recording_open_segment(rec, repeat->count);
        rec->open.n_ports = repeat->n_ports;
        rec->open.import_at = repeat->import_at;
        rec->open.aux_base = repeat->aux_base;
        rec->open.input_base = repeat->input_base;
    } else if (!rec->has_open) {
        recording_open_segment(rec, 1);
    }
    begin_block(rec, 0);
}

/* Block 0 is over: its size is known. If the row looked for is in a later block, its path is taken
 * from block 1, under its own block's number. */
static void begin_block_1(struct recorder *rec)
{
    struct open_repeat *repeat = &rec->repeat;
    uint64_t row = rec->find_row;

    begin_block(rec, 1);
    if (row >= rec->n_rows && row < repeat->row_base + repeat->count * repeat->n_rows) {
        uint64_t at = row - repeat->row_base;

        rec->wanted_row = rec->n_rows + at % repeat->n_rows;
        rec->scopes.depth--;
        scope_push(&rec->scopes, repeat->name, (long)(at / repeat->n_rows));
    }
}

void recorder_mark(struct recorder *rec)
{
    struct open_repeat *repeat = &rec->repeat;
    const struct r1cs_mark mark = {
        .aux = rec->n_aux - repeat->aux_base - repeat->block * repeat->aux_stride,
        .full = rec->n_full - repeat->full_base,
        .input = rec->n_inputs - repeat->input_base - repeat->block * repeat->input_stride,
    };
    struct r1cs_mark *at = &repeat->marks[repeat->mark_at];

    if (failed(rec))
        return;
    if (!repeat->in_block || repeat->mark_at == R1CS_MARKS_MAX) {
        fail(rec, CUZK_INTERNAL, "a mark outside a block, or too many");
        return;
    }
    if (repeat->block == 0) {
        *at = mark;
        repeat->n_marks++;
    } else if (repeat->mark_at >= repeat->n_marks || mark.aux != at->aux ||
               mark.input != at->input) {
        fail(rec, CUZK_INTERNAL, "%s 1 differs from %s 0: mark %" PRIu32, repeat->name,
             repeat->name, repeat->mark_at);
    }
    repeat->mark_at++;
}

static void end_block_0(struct recorder *rec)
{
    struct open_repeat *repeat = &rec->repeat;
    uint64_t copies = repeat->count;

    repeat->n_rows = rec->n_rows - repeat->row_base;
    repeat->aux_stride = rec->n_aux - repeat->aux_base;
    repeat->full_stride = rec->n_full - repeat->full_base;
    repeat->input_stride = rec->n_inputs - repeat->input_base;
    if (copies > 1 && (repeat->aux_stride > N_OUTER_AUX_MAX ||
                       repeat->aux_stride * copies > N_AUX_MAX - repeat->aux_base ||
                       repeat->input_stride * copies > N_INPUTS_MAX - repeat->input_base))
        fail(rec, CUZK_BAD_INPUT, "repeat of %s: too many variables", repeat->name);
}

/* The classes of blocks 1 … count - 1 are those of block 0. */
static void repeat_classes(struct recorder *rec)
{
    const struct open_repeat *repeat = &rec->repeat;
    size_t n_aux = repeat->aux_base + repeat->count * repeat->aux_stride;
    size_t more = witness_map_words(n_aux) * sizeof(uint64_t) - rec->full_map.used;
    void *room = reserve(rec, &rec->full_map, more);

    if (!room)
        return;
    memset(room, 0, more);
    rec->full_map.used += more;
    for (uint64_t k = 1; k < repeat->count; k++)
        bitmap_or_run((uint64_t *)(void *)rec->full_map.region.base,
                      repeat->aux_base + k * repeat->aux_stride, repeat->aux_base,
                      repeat->aux_stride);
}

static void end_block_1(struct recorder *rec)
{
    const struct open_repeat *repeat = &rec->repeat;

    if (repeat->cursor != repeat->n_rows ||
        rec->n_aux != repeat->aux_base + 2 * repeat->aux_stride ||
        rec->n_inputs != repeat->input_base + 2 * repeat->input_stride ||
        repeat->mark_at != repeat->n_marks)
        fail(rec, CUZK_INTERNAL, "%s 1 has fewer rows, variables or marks than %s 0", repeat->name,
             repeat->name);
}

static void end_repeat(struct recorder *rec)
{
    struct open_repeat *repeat = &rec->repeat;
    struct r1cs_repeat range = {
        .count = repeat->count,
        .aux_base = repeat->aux_base,
        .aux_stride = repeat->aux_stride,
        .full_base = repeat->full_base,
        .full_stride = repeat->full_stride,
        .input_base = repeat->input_base,
        .input_stride = repeat->input_stride,
        .n_marks = repeat->n_marks,
    };

    memcpy(range.marks, repeat->marks, sizeof range.marks);
    append(rec, &rec->repeats, &range, sizeof range);
    if (repeat->count > 1) {
        rec->open.aux_stride = repeat->aux_stride;
        rec->open.input_stride = repeat->input_stride;
        recording_close_segment(rec);
        repeat_classes(rec);
        rec->n_rows = repeat->row_base + repeat->count * repeat->n_rows;
        rec->n_aux = repeat->aux_base + repeat->count * repeat->aux_stride;
        rec->n_full = repeat->full_base + repeat->count * repeat->full_stride;
        rec->n_inputs = repeat->input_base + repeat->count * repeat->input_stride;
    }
    rec->relative_aux_from = UINT64_MAX;
    rec->relative_input_from = UINT32_MAX;
    rec->wanted_row = rec->find_row;
    *repeat = (struct open_repeat){0};
}

bool recorder_block(struct recorder *rec)
{
    struct open_repeat *repeat = &rec->repeat;
    bool more;

    if (failed(rec))
        return false;
    rec->scopes.depth = repeat->scope_depth;
    if (!repeat->in_block) {
        more = repeat->count > 0;
        if (more)
            begin_block_0(rec);
    } else if (repeat->block == 0) {
        end_block_0(rec);
        more = !failed(rec) && repeat->count > 1;
        if (more)
            begin_block_1(rec);
    } else {
        end_block_1(rec);
        more = false;
    }
    if (!more && !failed(rec))
        end_repeat(rec);
    return more && !failed(rec);
}
