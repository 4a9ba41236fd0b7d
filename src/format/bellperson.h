/* bellperson's files, read: verifying keys (.vk), parameters (.params), proofs (and proofs written;
 * keys are written by format/params_writer.h).
 *
 *     .vk       alpha_g1 beta_g1 beta_g2 gamma_g2 delta_g1 delta_g2 | u32 count | ic ...
 *     .params   .vk | u32 count | h .. | u32 | l .. | u32 | a .. | u32 | b_g1 .. | u32 | b_g2 ..
 *     proof     A B C, compressed
 *
 * Counts are big-endian, points in the curve's uncompressed encoding (curve.h), nothing is padded.
 * A .params file is mapped and its queries are views of the map: 47 GB are opened in the time that
 * the verifying key needs. Checked at opening: every length against the file, the lengths against
 * each other, the whole verifying key (canonical, on the curve, in the subgroup, not infinity). The
 * points of the queries are checked where they are decoded. */
#ifndef FORMAT_BELLPERSON_H
#define FORMAT_BELLPERSON_H

#include "base/file.h"
#include "base/reader.h"
#include "groth16/key.h"
#include "groth16/proof.h"

/* ---- verifying keys ------------------------------------------------------------------------- */

/* Bytes of a .vk, and of what a .params begins with: 868 + 96 n on BLS12-381. */
static inline size_t vk_bytes(const struct curve *curve, size_t n_inputs)
{
    return curve->fp_bytes * (3 * 2 + 3 * 4 + 2 * n_inputs) + 4;
}

/* Reads one from the reader's place; whatever follows is left. pool may be NULL. */
MUST_CHECK enum cuzk_status vk_read(struct verifying_key *ret, struct reader *r,
                                    const struct curve *curve, struct pool *pool,
                                    struct budget *budget, struct cuzk_error *err);
/* A whole file. */
MUST_CHECK enum cuzk_status vk_open(struct verifying_key *ret, const char *path,
                                    const struct curve *curve, struct pool *pool,
                                    struct budget *budget, struct cuzk_error *err);

/* ---- parameters ----------------------------------------------------------------------------- */

/* Reads to the end of the reader, whose bytes must outlive the key: its queries are views of them.
 * H is in the powers of tau over the domain of bellman's generator on this curve
 * (curve->fr_generator). */
MUST_CHECK enum cuzk_status params_read(struct proving_key *ret, struct reader *r,
                                        const struct curve *curve, struct pool *pool,
                                        struct budget *budget, struct cuzk_error *err);
/* A whole file, mapped until proving_key_done. */
MUST_CHECK enum cuzk_status params_open(struct proving_key *ret, const char *path,
                                        const struct curve *curve, struct pool *pool,
                                        struct budget *budget, struct cuzk_error *err);

/* ---- proofs --------------------------------------------------------------------------------- */

/* 192 on BLS12-381. */
static inline size_t proof_bytes(const struct curve *curve)
{
    return 4 * curve->fp_bytes;
}
void proof_encode(uint8_t *out, const struct curve *curve, const struct proof *proof);
/* `name` stands for the bytes in messages. Exactly proof_bytes; each point canonical, on the curve,
 * in the subgroup, not infinity. */
MUST_CHECK enum cuzk_status proof_decode(struct proof *ret, const struct curve *curve,
                                         const void *bytes, size_t n, const char *name,
                                         struct cuzk_error *err);
/* The same for n proofs, one behind the other, many points at once. *ret_bad: the first that is not
 * good, if there is one, of which *err tells; may be NULL. ret then holds anything. A cancelled pool
 * gives CUZK_CANCELLED. */
MUST_CHECK enum cuzk_status proofs_decode(struct proof *ret, const struct curve *curve,
                                          const void *bytes, size_t n, const char *name,
                                          size_t *ret_bad, struct pool *pool,
                                          struct cuzk_error *err);

#endif
