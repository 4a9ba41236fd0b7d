/* Recording and digesting at the size of a 32 GiB PoRep: a compression of SHA-256 (26,352 rows,
 * from the gadget vectors) 275 times in a block, 18 blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/reader.h"
#include "r1cs/r1cs.h"
#include "r1cs/recorder.h"
#include "support/rows_file.h"
#include "support/vectors.h"

struct gadget {
    uint32_t n_rows, n_aux;
    uint32_t *end[3];
    struct term *terms[3];
    size_t n_terms;
};

/* The rows of the file with this recorder's coefficient indices. */
static void unpack(struct gadget *g, const struct rows_file *file, struct recorder *rec)
{
    const uint8_t *at = file->rows;
    uint32_t filled[3] = {0};

    *g = (struct gadget){.n_rows = file->n_rows - file->n_inputs, .n_aux = file->n_aux};
    for (unsigned s = 0; s < 3; s++) {
        g->end[s] = calloc(g->n_rows, sizeof(uint32_t));
        g->terms[s] = calloc(file->n_bytes / 8, sizeof(struct term));
    }
    for (uint32_t row = 0; row < g->n_rows; row++)
        for (unsigned s = 0; s < 3; s++) {
            uint32_t n = load_u32_le(at);

            at += 4;
            for (uint32_t i = 0; i < n; i++, at += 8) {
                struct scalar value = {{0}};

                memcpy(value.w, file->coefs + (size_t)load_u32_le(at + 4) * 32, 32);
                g->terms[s][filled[s]++] =
                    (struct term){load_u32_le(at), recorder_coef(rec, &value)};
            }
            g->end[s][row] = filled[s];
            g->n_terms += n;
        }
}

/* Variables of the gadget are numbered from `base` on; inputs first in its rows, so never sorted.
 */
static void record(struct recorder *rec, const struct gadget *g, var_t base)
{
    static struct term shifted[3][4096];

    for (uint32_t row = 0; row < g->n_rows; row++) {
        size_t n[3];

        for (unsigned s = 0; s < 3; s++) {
            uint32_t begin = row ? g->end[s][row - 1] : 0;

            n[s] = g->end[s][row] - begin;
            for (size_t i = 0; i < n[s]; i++) {
                shifted[s][i] = g->terms[s][begin + i];
                if (!(shifted[s][i].var & VAR_INPUT))
                    shifted[s][i].var += base;
            }
        }
        recorder_row(rec, shifted[0], n[0], shifted[1], n[1], shifted[2], n[2]);
    }
}

int main(void)
{
    const char *smoke = getenv("CUZK_BENCH_SMOKE");
    const bool short_run = smoke && *smoke == '1';
    const unsigned gadgets = short_run ? 2 : 275, copies = 18;
    struct r1cs_digests digests;
    struct rows_file file;
    struct recorder *rec;
    struct budget budget;
    struct gadget gadget;
    struct pool *pool;
    struct r1cs cs;
    double start, seconds;

    budget_init(&budget, 0);
    rows_file_read(&file, vector_path("filecoin/gadgets/sha256-block.rows.zst"));
    if (recorder_new(&rec, &curve_bls12_381, &budget, NULL) || pool_new(&pool, 2, NULL))
        return 1;
    unpack(&gadget, &file, rec);

    start = clock_cpu_seconds();
    recorder_repeat_begin(rec, "challenge", copies, 0, NULL);
    while (recorder_block(rec))
        for (unsigned i = 0; i < gadgets; i++) {
            var_t base = (var_t)recorder_n_aux(rec);

            for (uint32_t v = 0; v < gadget.n_aux; v++)
                recorder_aux(rec, true);
            record(rec, &gadget, base);
        }
    if (recorder_finish(rec, &cs, NULL) != CUZK_OK)
        return 1;
    seconds = clock_cpu_seconds() - start;
    printf("r1cs-record %zu terms 1 thread ours %.0f CPU-ms %.1f ns/term and pass, kept %zu MiB, "
           "peak %zu MiB\n",
           gadget.n_terms * gadgets, seconds * 1e3,
           seconds * 1e9 / (2.0 * (double)(gadget.n_terms * gadgets)), budget.now >> 20,
           budget.peak >> 20);

    start = clock_seconds();
    if (r1cs_digest(&cs, pool, 0, NULL, NULL, &digests, NULL) != CUZK_OK)
        return 1;
    seconds = clock_seconds() - start;
    printf("r1cs-digest %llu terms 2 threads ours %.0f ms %.1f ns/term\n",
           (unsigned long long)(digests.nnz[0] + digests.nnz[1] + digests.nnz[2]), seconds * 1e3,
           seconds * 1e9 / (double)(digests.nnz[0] + digests.nnz[1] + digests.nnz[2]));
    start = clock_seconds();
    if (r1cs_density(&cs, &cs.a, NULL, NULL, NULL, NULL) != CUZK_OK)
        return 1;
    printf("r1cs-density A 1 thread ours %.0f ms\n", (clock_seconds() - start) * 1e3);
    r1cs_done(&cs);
    recorder_free(rec);
    rows_file_free(&file);
    pool_free(pool);
    return 0;
}
