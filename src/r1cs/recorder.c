/* What is written, per matrix, is three arrays that only grow (row ends, variables, coefficients);
 * a *segment* is a stretch of each. Rows outside repeats go to a flat segment, opened by the first
 * of them; the block of a repeat is a segment of its own. At any time at most one is open.
 *
 *     flat rows      block 0     block 1 … count - 1     flat rows …
 *     ────────────┬───────────┬───────────────────────┬──────────────
 *      segment 0  │ segment 1 │ block 1 is compared,  │ segment 2
 *                 │           │ the others implied    │
 *
 * In block 1 the same calls go through the same normalisation, but a cursor walks over block 0's
 * rows and aux classes instead of an append. */
#include "r1cs/recorder.h"

#include <inttypes.h>
#include <string.h>

#include "r1cs/bitmap.h"
#include "r1cs/dictionary.h"
#include "r1cs/memory.h"
#include "r1cs/scope.h"
#include "r1cs/terms.h"

#define N_AUX_MAX ((uint64_t)1 << 31)
#define N_INPUTS_MAX ((uint32_t)1 << 29)
#define N_OUTER_AUX_MAX ((uint64_t)1 << 30) /* bit 30 means "relative" in a block */
#define NARROW_COEFS 65536u
#define NO_ROW UINT64_MAX

enum { N_SIDES = 3, PATH_MAX_CHARS = 256 };

/* One of A, B, C. */
struct side {
    struct grow row_end; /* uint32_t, counted from the segment's first term */
    struct grow var;     /* var_t */
    struct grow coef;    /* uint16_t or uint32_t, as the segment says */
};

struct segment {
    uint64_t n_rows;
    bool wide; /* 32-bit coefficient indices */
    struct {
        size_t row_at, term_at, coef_at; /* byte offsets of its parts of the three arrays */
        uint64_t n_terms;
    } side[N_SIDES];
    uint32_t count;
    uint32_t n_ports;
    size_t import_at; /* in elements */
    uint64_t aux_base, aux_stride;
    uint32_t input_base, input_stride;
};

/* The repeat that is being recorded; `rec->open` is its segment from block 0 on. */
struct open_repeat {
    bool active, in_block;
    uint32_t block; /* that is being recorded; 0 before the first recorder_block */
    const char *name;
    size_t scope_depth; /* outside */
    uint32_t count, n_ports;
    size_t import_at;
    uint64_t row_base, aux_base, full_base;
    uint32_t input_base;
    uint64_t aux_stride, full_stride; /* from block 0's end on */
    uint32_t input_stride;
    uint64_t cursor; /* block 1: the row of block 0 that comes next */
    uint64_t n_rows; /* of block 0, once it is over */
};

struct recorder {
    const struct curve *curve;
    struct budget *budget;
    struct cuzk_error err; /* the first failure; err.status stays CUZK_OK until then */
    struct dictionary coefs;

    uint64_t n_rows, n_aux, n_full;
    uint32_t n_inputs;
    /* From here on variables are relative (in a block that is really repeated). */
    uint64_t relative_aux_from;
    uint32_t relative_input_from;

    struct side side[N_SIDES];
    struct grow full_map; /* uint64_t */
    struct grow segments; /* struct segment, closed ones */
    struct grow repeats;  /* struct r1cs_repeat */
    struct grow imports;  /* var_t, of all repeats */
    struct grow scratch;  /* uint64_t, two rows */
    bool has_open;
    struct segment open;
    struct open_repeat repeat;

    struct scope_stack scopes;
    uint64_t wanted_row; /* where to take the path: NO_ROW when not looking */
    uint64_t find_row;   /* what was asked for */
    char found_path[PATH_MAX_CHARS];
};

static bool failed(const struct recorder *rec)
{
    return rec->err.status != CUZK_OK;
}

#define fail(rec, status, ...) ((void)error_set(&(rec)->err, (status), __VA_ARGS__))

/* Room for `bytes` (and one more, so that no room is never NULL) at the end of a grow, not counted
 * as used; NULL, and the recording has failed, if there is none. */
static inline void *reserve(struct recorder *rec, struct grow *grow, size_t bytes)
{
    void *room;

    if (bytes < grow->region.bytes - grow->used)
        return grow->region.base + grow->used;
    if (grow_take(grow, bytes + 1, &room, &rec->err) != CUZK_OK)
        return NULL;
    grow->used -= bytes + 1;
    return room;
}

static void append(struct recorder *rec, struct grow *grow, const void *item, size_t bytes)
{
    void *room = reserve(rec, grow, bytes);

    if (room) {
        memcpy(room, item, bytes);
        grow->used += bytes;
    }
}

/* ---- life -------------------------------------------------------------------------------------
 */

static void free_parts(struct recorder *rec)
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
        free_parts(rec);
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

/* ---- coefficients and variables ---------------------------------------------------------------
 */

uint32_t recorder_coef(struct recorder *rec, const struct scalar *value)
{
    uint32_t index = COEF_ZERO;

    if (!failed(rec) && !rec->curve->fr_is_reduced(value))
        fail(rec, CUZK_BAD_INPUT, "a coefficient is not below the modulus");
    if (failed(rec) || dictionary_add(&rec->coefs, value, &index, &rec->err) != CUZK_OK)
        return COEF_ZERO;
    return index;
}

struct scalar recorder_coef_value(const struct recorder *rec, uint32_t coef)
{
    return dictionary_value(&rec->coefs, coef);
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

/* ---- segments ---------------------------------------------------------------------------------
 */

/* Pads a grow of 16-bit items so that 32-bit ones may follow. */
static void align_coefs(struct recorder *rec, struct grow *coef)
{
    if (coef->used % sizeof(uint32_t))
        append(rec, coef, &(uint16_t){0}, sizeof(uint16_t));
}

static void open_segment(struct recorder *rec, uint32_t count)
{
    rec->open = (struct segment){.count = count, .wide = rec->coefs.n > NARROW_COEFS};
    for (size_t i = 0; i < N_SIDES; i++) {
        align_coefs(rec, &rec->side[i].coef);
        rec->open.side[i].row_at = rec->side[i].row_end.used;
        rec->open.side[i].term_at = rec->side[i].var.used;
        rec->open.side[i].coef_at = rec->side[i].coef.used;
    }
    rec->has_open = true;
}

static void close_segment(struct recorder *rec)
{
    if (rec->has_open && rec->open.n_rows > 0)
        append(rec, &rec->segments, &rec->open, sizeof rec->open);
    rec->has_open = false;
}

static void widen_side(struct recorder *rec, size_t s)
{
    struct grow *coef = &rec->side[s].coef;
    size_t at = rec->open.side[s].coef_at, n = (coef->used - at) / sizeof(uint16_t);
    uint16_t *narrow;
    uint32_t *wide;

    if (!reserve(rec, coef, n * sizeof(uint16_t)))
        return;
    narrow = (uint16_t *)(void *)(coef->region.base + at);
    wide = (uint32_t *)(void *)(coef->region.base + at);
    for (size_t i = n;
         i-- > 0;) { /* backwards: the target runs ahead of what is still to be read */
        uint16_t index = narrow[i];

        memcpy(&wide[i], &(uint32_t){index}, sizeof *wide);
    }
    coef->used += n * sizeof(uint16_t);
}

/* The dictionary has outgrown 16 bits: so does the open segment. */
static void widen_if_needed(struct recorder *rec)
{
    if (rec->open.wide || rec->coefs.n <= NARROW_COEFS)
        return;
    for (size_t i = 0; i < N_SIDES && !failed(rec); i++)
        widen_side(rec, i);
    rec->open.wide = true;
}

/* ---- rows -------------------------------------------------------------------------------------
 */

/* The variable as the open segment writes it; false if there is no such variable. */
static inline bool written_var(const struct recorder *rec, var_t var, var_t *ret)
{
    uint32_t index = var & ~VAR_INPUT;

    if (!(var & VAR_INPUT)) {
        *ret = index < rec->relative_aux_from
                   ? var
                   : VAR_RELATIVE | (uint32_t)(index - rec->relative_aux_from);
        return index < rec->n_aux;
    }
    if ((var & VAR_PORT) != VAR_PORT) {
        *ret = index < rec->relative_input_from
                   ? var
                   : VAR_RELATIVE_INPUT | (index - rec->relative_input_from);
        return index < rec->n_inputs;
    }
    index = var & VAR_PORT_INDEX;
    if (!rec->repeat.in_block || index >= rec->repeat.n_ports)
        return false;
    *ret = rec->open.count > 1 ? var
                               : ((const var_t *)(const void *)
                                      rec->imports.region.base)[rec->repeat.import_at + index];
    return true;
}

/* Terms that are already as they should be: written straight to the end of the arrays. False, and
 * nothing has been written, if they are not. */
static bool append_sorted(struct recorder *rec, size_t s, const struct term *terms, size_t n)
{
    struct side *side = &rec->side[s];
    size_t width = rec->open.wide ? sizeof(uint32_t) : sizeof(uint16_t);
    var_t *var = reserve(rec, &side->var, n * sizeof *var);
    void *coef = reserve(rec, &side->coef, n * width);
    uint64_t least = 0; /* of the next variable */

    if (!var || !coef)
        return false;
    for (size_t i = 0; i < n; i++) {
        var_t v;

        if (!written_var(rec, terms[i].var, &v) || v < least || terms[i].coef == COEF_ZERO ||
            terms[i].coef >= rec->coefs.n)
            return false;
        least = (uint64_t)v + 1;
        var[i] = v;
        if (rec->open.wide)
            ((uint32_t *)coef)[i] = terms[i].coef;
        else
            ((uint16_t *)coef)[i] = (uint16_t)terms[i].coef;
    }
    side->var.used += n * sizeof *var;
    side->coef.used += n * width;
    return true;
}

/* Any terms, brought into order in the scratch: *ret_n keys at the address returned (NULL: failed).
 */
static const uint64_t *normalise(struct recorder *rec, const struct term *terms, size_t n,
                                 size_t *ret_n)
{
    uint64_t *keys = reserve(rec, &rec->scratch, 2 * n * sizeof *keys);

    if (!keys)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        var_t v;

        if (!written_var(rec, terms[i].var, &v) || terms[i].coef >= rec->coefs.n) {
            fail(rec, CUZK_INTERNAL, "row %" PRIu64 ": no such variable or coefficient (%#x, %u)",
                 rec->n_rows, (unsigned)terms[i].var, (unsigned)terms[i].coef);
            return NULL;
        }
        keys[i] = term_key(v, terms[i].coef);
    }
    terms_sort(keys, n, keys + n);
    if (terms_merge(keys, n, &rec->coefs, rec->curve, ret_n, &rec->err) != CUZK_OK)
        return NULL;
    return keys;
}

static void append_normalised(struct recorder *rec, size_t s, const struct term *terms, size_t n)
{
    struct side *side = &rec->side[s];
    const uint64_t *keys = normalise(rec, terms, n, &n);
    size_t width;
    var_t *var;
    void *coef;

    if (!keys)
        return;
    widen_if_needed(rec); /* a sum may be a new coefficient */
    width = rec->open.wide ? sizeof(uint32_t) : sizeof(uint16_t);
    var = reserve(rec, &side->var, n * sizeof *var);
    coef = reserve(rec, &side->coef, n * width);
    if (!var || !coef)
        return;
    for (size_t i = 0; i < n; i++) {
        var[i] = term_var(keys[i]);
        if (rec->open.wide)
            ((uint32_t *)coef)[i] = term_coef(keys[i]);
        else
            ((uint16_t *)coef)[i] = (uint16_t)term_coef(keys[i]);
    }
    side->var.used += n * sizeof *var;
    side->coef.used += n * width;
}

static void append_side(struct recorder *rec, size_t s, const struct term *terms, size_t n)
{
    struct side *side = &rec->side[s];
    size_t n_terms;
    uint32_t *end = reserve(rec, &side->row_end, sizeof *end);

    if (!end)
        return;
    if (!append_sorted(rec, s, terms, n) && !failed(rec))
        append_normalised(rec, s, terms, n);
    n_terms = (side->var.used - rec->open.side[s].term_at) / sizeof(var_t);
    if (n_terms > UINT32_MAX && !failed(rec))
        fail(rec, CUZK_BAD_INPUT, "more than 2^32 - 1 terms in one part of the system");
    if (failed(rec))
        return;
    *end = (uint32_t)n_terms;
    side->row_end.used += sizeof *end;
    rec->open.side[s].n_terms = n_terms;
}

/* ---- rows of block 1 --------------------------------------------------------------------------
 */

/* The row of block 0 under the cursor. */
struct kept_row {
    size_t n;
    const var_t *var;
    const uint16_t *coef16; /* one of the two is NULL */
    const uint32_t *coef32;
};

static struct kept_row kept_row(const struct recorder *rec, size_t s)
{
    const struct side *side = &rec->side[s];
    const uint32_t *row_end =
        (const uint32_t *)(const void *)(side->row_end.region.base + rec->open.side[s].row_at);
    const void *coef = side->coef.region.base + rec->open.side[s].coef_at;
    size_t begin = rec->repeat.cursor ? row_end[rec->repeat.cursor - 1] : 0;

    return (struct kept_row){
        .n = row_end[rec->repeat.cursor] - begin,
        .var = (const var_t *)(const void *)(side->var.region.base + rec->open.side[s].term_at) +
               begin,
        .coef16 = rec->open.wide ? NULL : (const uint16_t *)coef + begin,
        .coef32 = rec->open.wide ? (const uint32_t *)coef + begin : NULL,
    };
}

static inline uint32_t kept_coef(const struct kept_row *row, size_t i)
{
    return row->coef16 ? row->coef16[i] : row->coef32[i];
}

static bool same_as_given(const struct recorder *rec, const struct kept_row *kept,
                          const struct term *terms, size_t n)
{
    bool same = n == kept->n;

    for (size_t i = 0; same && i < n; i++) {
        var_t v;

        same = written_var(rec, terms[i].var, &v) && v == kept->var[i] &&
               terms[i].coef == kept_coef(kept, i);
    }
    return same;
}

static bool same_normalised(struct recorder *rec, size_t s, const struct term *terms, size_t n)
{
    const uint64_t *keys = normalise(rec, terms, n, &n);
    struct kept_row kept;
    bool same;

    if (!keys)
        return false;
    widen_if_needed(rec);
    if (failed(rec))
        return false;
    kept = kept_row(rec, s); /* again: widening moves it */
    same = n == kept.n;
    for (size_t i = 0; same && i < n; i++)
        same = keys[i] == term_key(kept.var[i], kept_coef(&kept, i));
    return same;
}

static void fail_block_differs(struct recorder *rec, const char *what)
{
    char path[PATH_MAX_CHARS];

    scope_path(&rec->scopes, path, sizeof path);
    fail(rec, CUZK_INTERNAL,
         "%s 1 differs from %s 0 in %s of its row %" PRIu64 " (row %" PRIu64 ", %s)",
         rec->repeat.name, rec->repeat.name, what, rec->repeat.cursor, rec->n_rows, path);
}

static void compare_side(struct recorder *rec, size_t s, const struct term *terms, size_t n)
{
    struct kept_row kept = kept_row(rec, s);

    if (!same_as_given(rec, &kept, terms, n) && !same_normalised(rec, s, terms, n) && !failed(rec))
        fail_block_differs(rec, s == 0 ? "A" : s == 1 ? "B" : "C");
}

void recorder_row(struct recorder *rec, const struct term *a, size_t n_a, const struct term *b,
                  size_t n_b, const struct term *c, size_t n_c)
{
    const struct term *terms[N_SIDES] = {a, b, c};
    const size_t n[N_SIDES] = {n_a, n_b, n_c};
    const bool compare = rec->repeat.block == 1;

    if (failed(rec))
        return;
    if (rec->n_rows == rec->wanted_row)
        scope_path(&rec->scopes, rec->found_path, sizeof rec->found_path);
    if (!rec->has_open)
        open_segment(rec, 1);
    widen_if_needed(rec);
    if (compare && rec->repeat.cursor == rec->repeat.n_rows)
        fail_block_differs(rec, "the existence");
    for (size_t s = 0; s < N_SIDES && !failed(rec); s++) {
        if (compare)
            compare_side(rec, s, terms[s], n[s]);
        else
            append_side(rec, s, terms[s], n[s]);
    }
    if (failed(rec))
        return;
    if (compare)
        rec->repeat.cursor++;
    else
        rec->open.n_rows++;
    rec->n_rows++;
}

/* ---- repeats ----------------------------------------------------------------------------------
 */

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
        close_segment(rec);
        open_segment(rec, repeat->count);
        rec->open.n_ports = repeat->n_ports;
        rec->open.import_at = repeat->import_at;
        rec->open.aux_base = repeat->aux_base;
        rec->open.input_base = repeat->input_base;
    } else if (!rec->has_open) {
        open_segment(rec, 1);
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
        rec->n_inputs != repeat->input_base + 2 * repeat->input_stride)
        fail(rec, CUZK_INTERNAL, "%s 1 has fewer rows or variables than %s 0", repeat->name,
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
    };

    append(rec, &rec->repeats, &range, sizeof range);
    if (repeat->count > 1) {
        rec->open.aux_stride = repeat->aux_stride;
        rec->open.input_stride = repeat->input_stride;
        close_segment(rec);
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

/* ---- names ------------------------------------------------------------------------------------
 */

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

/* ---- the end ----------------------------------------------------------------------------------
 */

/* [in_i] * {} = {} for every input: one row, n_inputs times. */
static void append_input_rows(struct recorder *rec)
{
    const struct term term = {VAR_INPUT, COEF_ONE};

    close_segment(rec);
    open_segment(rec, rec->n_inputs);
    rec->open.input_base = 0;
    rec->open.input_stride = 1;
    if (rec->n_inputs > 1)
        rec->relative_input_from = 0;
    recorder_row(rec, &term, 1, NULL, 0, NULL, 0);
    rec->relative_input_from = UINT32_MAX;
    rec->n_rows += rec->n_inputs - 1;
    close_segment(rec);
}

/* Fixed-up segments of one side, in `out`. */
static void place_segments(const struct recorder *rec, size_t s, const uint8_t *row_end,
                           const uint8_t *var, const uint8_t *coef, const var_t *imports,
                           struct matrix_segment *out)
{
    const struct segment *segments =
        (const struct segment *)(const void *)rec->segments.region.base;
    size_t n = rec->segments.used / sizeof *segments;

    for (size_t i = 0; i < n; i++) {
        const struct segment *seg = &segments[i];
        const void *coefs = coef + seg->side[s].coef_at;

        out[i] = (struct matrix_segment){
            .n_rows = seg->n_rows,
            .n_terms = seg->side[s].n_terms,
            .row_end = (const uint32_t *)(const void *)(row_end + seg->side[s].row_at),
            .var = (const var_t *)(const void *)(var + seg->side[s].term_at),
            .coef16 = seg->wide ? NULL : (const uint16_t *)coefs,
            .coef32 = seg->wide ? (const uint32_t *)coefs : NULL,
            .count = seg->count,
            .n_ports = seg->n_ports,
            .aux_base = seg->aux_base,
            .aux_stride = seg->aux_stride,
            .input_base = seg->input_base,
            .input_stride = seg->input_stride,
            .imports = imports ? imports + seg->import_at : NULL,
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
        const uint8_t *row_end = r1cs_memory_adopt(memory, &rec->side[s].row_end);
        const uint8_t *var = r1cs_memory_adopt(memory, &rec->side[s].var);
        const uint8_t *coef = r1cs_memory_adopt(memory, &rec->side[s].coef);

        place_segments(rec, s, row_end, var, coef, imports, out);
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
    free_parts(rec);
    return CUZK_OK;
out:
    region_unmap(&segments);
    region_unmap(&ranks);
    return st;
}
