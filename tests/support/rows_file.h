/* Recorded systems and witnesses of the reference vectors (tests/vectors/filecoin/README.md): the
 * files rows.bin, *.rows.zst, and packed witnesses from values of 32 bytes. What is broken ends the
 * test with a sentence. */
#ifndef SUPPORT_ROWS_FILE_H
#define SUPPORT_ROWS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "r1cs/r1cs.h"
#include "r1cs/recorder.h"

/* A file as it is; the rows' terms in file order, input rows included. */
struct rows_file {
    uint32_t n_rows, n_inputs, n_aux, n_coefs;
    const uint8_t *coefs; /* n_coefs * 32, little-endian */
    const uint8_t *rows;
    uint8_t *bytes; /* the whole file */
    size_t n_bytes;
};
void rows_file_read(struct rows_file *file, const char *path);
void rows_file_free(struct rows_file *file);

/* Records all rows but the input rows, which recorder_finish appends. An aux is a bit if `aux`
 * (32 bytes each, may be NULL) says 0 or 1, else full. */
void rows_file_record(const struct rows_file *file, struct recorder *rec, const uint8_t *aux);

/* Read, record, finish. */
void rows_file_load(struct r1cs *ret, const char *path, const struct curve *curve,
                    const uint8_t *aux);

/* The packed witness of a system: `inputs` without ONE and `aux`, 32 bytes little-endian each. */
void witness_pack(struct witness *ret, const struct r1cs *cs, const uint8_t *inputs,
                  const uint8_t *aux);
void witness_pack_free(struct witness *w);

#endif
