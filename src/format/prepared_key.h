/* Prepared keys: our own file of a proving key, made once from somebody else's (`cuzk key
 * prepare`).
 *
 *     page 0      header and table of sections, ended by their SHA-256
 *     page 1 ...  vk     the bytes of the .vk file
 *     ...         h l a b_g1 b_g2     native points: affine, Montgomery form, little-endian words
 *
 * Sections are in this order, each at the next page after the one before; what fills a page up is
 * zero, and the last section ends the file. A section can be used where it lies: on the CPU as a
 * view of the mapped file, on a device after one copy. The layout, all little-endian:
 *
 *      at bytes
 *       0   8   "cuzk key"
 *       8   4   version: 1
 *      12   4   sections: 6
 *      16   8   bytes of the file
 *      24  16   curve, zero padded
 *      40   8   domain generator
 *      48   4   lg of the domain's size
 *      52   4   basis of H (enum h_basis): 0 powers of tau, 1 odd coset, 2 coset, 3 coset with C
 *               in L
 *      56   8   inputs, with ONE
 *      64   8   aux
 *      72  56   circuit ("porep-32GiB"), zero padded; may be empty
 *     128   8   circuit: structural digest (r1cs/r1cs.h)
 *     136  32   circuit: coefficient digest
 *     168  32   circuit: which variables have points (groth16/qap.h, qap_digest)
 *     200  16   the .params file that it was made from: its digest as in parameters.json; or zero
 *     216  40   zero
 *     256  80   for each section: name (16, zero padded), bytes of an element (8), elements (8),
 *               offset (8), bytes (8), checksum (32)
 *     736       zero
 *    4064  32   SHA-256 of bytes [0, 4064)
 *
 * A section's checksum is the SHA-256 of the SHA-256s of its chunks of 256 KiB, so that it can be
 * computed by many threads.
 *
 * Opening checks header and table to the last byte, that what fills pages up is zero, and the whole
 * verifying key with its checksum; the points are not read. They were checked when the file was
 * made, subgroup included, and `cuzk key verify --deep` compares the checksums and checks them
 * again. */
#ifndef FORMAT_PREPARED_KEY_H
#define FORMAT_PREPARED_KEY_H

#include "base/file.h"
#include "base/reader.h"
#include "groth16/key.h"

#define PREPARED_MAGIC "cuzk key"
#define PREPARED_PAGE 4096u
#define PREPARED_CHUNK ((size_t)1 << 18)
#define PREPARED_DIGEST_BYTES 32u
#define PREPARED_SOURCE_BYTES 16u

enum {
    PREPARED_VK = 0,
    PREPARED_QUERIES = 1,
    PREPARED_N_SECTIONS = PREPARED_QUERIES + KEY_N_QUERIES
};

struct prepared_section {
    uint64_t element_bytes, n, offset, bytes;
    uint8_t checksum[PREPARED_DIGEST_BYTES];
};

struct prepared_header {
    const struct curve *curve;
    uint64_t file_bytes;
    uint64_t domain_generator;
    uint32_t lg_domain;
    enum h_basis h_basis;
    uint64_t n_inputs, n_aux;
    struct key_circuit circuit;
    uint8_t source[PREPARED_SOURCE_BYTES];
    struct prepared_section section[PREPARED_N_SECTIONS];
};

/* Does a file with these first bytes claim to be one? */
bool prepared_key_recognise(const void *data, size_t bytes);

/* "vk" "h" "l" "a" "b_g1" "b_g2" */
const char *prepared_section_name(unsigned section);
/* Fills element_bytes, offset and bytes of every section, and file_bytes, from the curve and the
 * numbers of elements. */
void prepared_lay_out(struct prepared_header *header);
/* The first page of a file with this header, and the header that a page says; the reader is at the
 * beginning of a whole file. */
void prepared_header_encode(uint8_t page[PREPARED_PAGE], const struct prepared_header *header);
MUST_CHECK enum cuzk_status prepared_header_read(struct prepared_header *ret, struct reader *r,
                                                 const struct curve *curve, struct cuzk_error *err);

/* Over the bytes of a reader, which must outlive the key: its queries are views of them. header
 * (may be NULL): what the file says about itself. pool may be NULL. */
MUST_CHECK enum cuzk_status prepared_key_read(struct proving_key *ret,
                                              struct prepared_header *header, struct reader *r,
                                              const struct curve *curve, struct pool *pool,
                                              struct budget *budget, struct cuzk_error *err);
/* A whole file, mapped until proving_key_done. */
MUST_CHECK enum cuzk_status prepared_key_open(struct proving_key *ret,
                                              struct prepared_header *header, const char *path,
                                              const struct curve *curve, struct pool *pool,
                                              struct budget *budget, struct cuzk_error *err);

/* ---- checksums ------------------------------------------------------------------------------ */

enum { SECTION_SUM_CHUNKS = 256 };

/* A section's checksum in the making. */
struct section_sum {
    struct hash *whole;
    uint8_t (*digests)[PREPARED_DIGEST_BYTES]; /* SECTION_SUM_CHUNKS of them */
    uint8_t *rest;                             /* n_rest bytes of a chunk that is not whole yet */
    size_t n_rest;
};

MUST_CHECK enum cuzk_status section_sum_new(struct section_sum *sum, struct cuzk_error *err);
/* The next bytes. */
void section_sum_add(struct section_sum *sum, const void *data, size_t bytes, struct pool *pool);
/* Writes the checksum and starts afresh. */
void section_sum_final(struct section_sum *sum, uint8_t out[PREPARED_DIGEST_BYTES]);
void section_sum_free(struct section_sum *sum); /* accepts a zeroed one */

/* CUZK_BAD_INPUT, with both, if it is not the header's. */
MUST_CHECK enum cuzk_status prepared_compare(const struct prepared_header *header, unsigned section,
                                             const uint8_t found[PREPARED_DIGEST_BYTES],
                                             const char *path, struct cuzk_error *err);

#endif
