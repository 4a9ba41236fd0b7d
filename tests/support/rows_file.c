#include "support/rows_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "support/vectors.h"

enum { VALUE_BYTES = 32 };

__attribute__((noreturn)) static void give_up(const char *what)
{
    fprintf(stderr, "rows file: %s\n", what);
    abort();
}

static void *room(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);

    if (!memory)
        give_up("out of memory");
    return memory;
}

static struct scalar load_scalar(const uint8_t *bytes)
{
    struct scalar value;

    for (size_t i = 0; i < 4; i++)
        value.w[i] = load_u64_le(bytes + 8 * i);
    return value;
}

void rows_file_read(struct rows_file *file, const char *path)
{
    *file = (struct rows_file){0};
    file->bytes = vector_read(path, &file->n_bytes);
    if (file->n_bytes < 24 || memcmp(file->bytes, "R1CS0001", 8) != 0)
        give_up("no such magic");
    file->n_rows = load_u32_le(file->bytes + 8);
    file->n_inputs = load_u32_le(file->bytes + 12);
    file->n_aux = load_u32_le(file->bytes + 16);
    file->n_coefs = load_u32_le(file->bytes + 20);
    file->coefs = file->bytes + 24;
    file->rows = file->coefs + (size_t)file->n_coefs * VALUE_BYTES;
}

void rows_file_free(struct rows_file *file)
{
    vector_free(file->bytes);
    *file = (struct rows_file){0};
}

static bool is_bit(const uint8_t *value)
{
    struct scalar v = load_scalar(value);

    return v.w[0] <= 1 && (v.w[1] | v.w[2] | v.w[3]) == 0;
}

static void allocate(const struct rows_file *file, struct recorder *rec, const uint8_t *aux)
{
    for (uint32_t i = 1; i < file->n_inputs; i++)
        recorder_input(rec);
    for (uint32_t i = 0; i < file->n_aux; i++)
        recorder_aux(rec, aux && is_bit(aux + (size_t)i * VALUE_BYTES));
}

/* The terms of one side at *at, into an array that grows. */
struct terms {
    struct term *items;
    size_t n, room;
};

static const uint8_t *read_terms(const uint8_t *at, const uint32_t *index_of, struct terms *terms)
{
    terms->n = load_u32_le(at);
    if (terms->n > terms->room) {
        free(terms->items);
        terms->items = room(terms->n, sizeof *terms->items);
        terms->room = terms->n;
    }
    at += 4;
    for (size_t i = 0; i < terms->n; i++, at += 8)
        terms->items[i] = (struct term){load_u32_le(at), index_of[load_u32_le(at + 4)]};
    return at;
}

void rows_file_record(const struct rows_file *file, struct recorder *rec, const uint8_t *aux)
{
    uint32_t *index_of = room(file->n_coefs, sizeof *index_of);
    struct terms sides[3] = {{0}};
    const uint8_t *at = file->rows;

    allocate(file, rec, aux);
    for (uint32_t i = 0; i < file->n_coefs; i++) {
        struct scalar value = load_scalar(file->coefs + (size_t)i * VALUE_BYTES);

        index_of[i] = recorder_coef(rec, &value);
    }
    for (uint32_t row = 0; row < file->n_rows - file->n_inputs; row++) {
        for (size_t s = 0; s < 3; s++)
            at = read_terms(at, index_of, &sides[s]);
        recorder_row(rec, sides[0].items, sides[0].n, sides[1].items, sides[1].n, sides[2].items,
                     sides[2].n);
    }
    for (size_t s = 0; s < 3; s++)
        free(sides[s].items);
    free(index_of);
}

void rows_file_load(struct r1cs *ret, const char *path, const struct curve *curve,
                    const uint8_t *aux)
{
    struct rows_file file;
    struct recorder *rec;
    struct cuzk_error err;

    rows_file_read(&file, path);
    if (recorder_new(&rec, curve, NULL, &err) != CUZK_OK)
        give_up(err.message);
    rows_file_record(&file, rec, aux);
    if (recorder_finish(rec, ret, &err) != CUZK_OK)
        give_up(err.message);
    recorder_free(rec);
    rows_file_free(&file);
}

void witness_pack(struct witness *ret, const struct r1cs *cs, const uint8_t *inputs,
                  const uint8_t *aux)
{
    size_t fr_bytes = cs->curve->fr_bytes, words = fr_bytes / 8;
    uint64_t *in = room(cs->n_inputs, fr_bytes), *full = room(cs->n_full, fr_bytes);
    uint64_t *bits = room(witness_map_words(cs->n_aux), sizeof *bits);
    size_t rank = 0;

    in[0] = 1;
    for (size_t i = 1; i < cs->n_inputs; i++)
        memcpy(in + i * words, inputs + (i - 1) * VALUE_BYTES, fr_bytes);
    for (size_t v = 0; v < cs->n_aux; v++) {
        const uint8_t *value = aux + v * VALUE_BYTES;

        if (witness_bit(cs->full_map, v))
            memcpy(full + rank++ * words, value, fr_bytes);
        else if (is_bit(value))
            bits[v / 64] |= (uint64_t)(value[0] & 1) << (v % 64);
        else
            give_up("a value of class bit is neither 0 nor 1");
    }
    *ret = (struct witness){
        .n_inputs = cs->n_inputs,
        .n_aux = cs->n_aux,
        .n_full = cs->n_full,
        .fr_bytes = fr_bytes,
        .inputs = in,
        .full_map = cs->full_map,
        .full_rank = cs->full_rank,
        .bits = bits,
        .full = full,
    };
}

/* The arrays behind a packed witness are const to everybody else. */
static void free_const(const void *memory)
{
    free((void *)(uintptr_t)memory);
}

void witness_pack_free(struct witness *w)
{
    free_const(w->inputs);
    free_const(w->bits);
    free_const(w->full);
    *w = (struct witness){0};
}
