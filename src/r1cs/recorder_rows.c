/* Segments and their rows: normalised and appended, or (in block 1 of a repeat) compared. */
#include "r1cs/recording.h"
#include "r1cs/terms.h"

/* ---- segments -------------------------------------------------------------------------------- */

/* Pads a grow of 16-bit items so that 32-bit ones may follow. */
static void align_coefs(struct recorder *rec, struct grow *coef)
{
    if (coef->used % sizeof(uint32_t))
        append(rec, coef, &(uint16_t){0}, sizeof(uint16_t));
}

void recording_open_segment(struct recorder *rec, uint32_t count)
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

void recording_close_segment(struct recorder *rec)
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
    /* backwards: the target runs ahead of what is still to be read */
    for (size_t i = n; i-- > 0;) {
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

/* ---- rows ------------------------------------------------------------------------------------ */

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
        return false; /* failed */
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

/* Any terms, brought into order in the scratch: *ret_n keys at the address returned, NULL if the
 * recording has failed. */
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

/* ---- rows of block 1 ------------------------------------------------------------------------- */

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
    uint64_t row = rec->repeat.cursor;
    size_t begin = row ? row_end[row - 1] : 0, n = row_end[row] - begin;
    const uint8_t *var, *coef;

    if (n == 0) /* the arrays may not exist */
        return (struct kept_row){0};
    var = side->var.region.base + rec->open.side[s].term_at;
    coef = side->coef.region.base + rec->open.side[s].coef_at;
    return (struct kept_row){
        .n = n,
        .var = (const var_t *)(const void *)var + begin,
        .coef16 = rec->open.wide ? NULL : (const uint16_t *)(const void *)coef + begin,
        .coef32 = rec->open.wide ? (const uint32_t *)(const void *)coef + begin : NULL,
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
        recording_open_segment(rec, 1);
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
