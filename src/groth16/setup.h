/* Making a key from a trapdoor.
 *
 * Either it streams out through a sink, in the order of bellperson's files (the verifying key, then
 * the queries h, l, a, b_g1, b_g2) and is never held; or it stays on the device as prepared points.
 * The generators are the curve's standard ones.
 *
 * Memory does not grow with the circuit, generic ones too:
 *
 *     a part      Lagrange values of so many rows     32 bytes a row        128 MiB
 *     3 windows   sums for so many variables          32 bytes a variable   192 MiB
 *     a slice     points on their way out             384 bytes a point      24 MiB
 *     a table     multiples of a generator            of G1 26 MiB, of G2    52 MiB
 *     scratch     of the multiplications              1.2 MiB a thread
 *                 sums for inputs                     32 bytes an input and thread, 2 MiB at most
 *
 * (figures of BLS12-381 on the portable back end, with the sizes that setup_options has when they
 * are 0; groth16/at_tau.h has how sums over all rows come out of one part at a time). Beside this
 * there are the circuit's recording, a bit a part, window and matrix (row_parts.h), and the ic
 * points. A device of its own memory holds all rows at once, unless told otherwise. */
#ifndef GROTH16_SETUP_H
#define GROTH16_SETUP_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "groth16/key.h"
#include "groth16/qap.h"
#include "groth16/resident.h"
#include "groth16/trapdoor.h"

/* Where a key goes. Called in order, from the caller's thread: verifying_key once, then for every
 * query `query` with its length and `points`, whose memory is the callee's to change, until the
 * length is reached. query == NULL: nothing but the verifying key is made. */
struct key_sink {
    void *ctx;
    enum cuzk_status (*verifying_key)(void *ctx, const struct verifying_key *vk,
                                      struct cuzk_error *err);
    enum cuzk_status (*query)(void *ctx, enum key_query query, size_t n, struct cuzk_error *err);
    enum cuzk_status (*points)(void *ctx, enum key_query query, void *plain, size_t n,
                               struct cuzk_error *err);
};

typedef void setup_progress_fn(void *ctx, enum key_query query, size_t done, size_t total);

struct setup_options {
    const struct backend *backend;
    struct pool *pool;
    struct budget *budget; /* may be NULL */
    int ordinal;
    uint64_t domain_generator;
    enum h_basis h_basis;
    size_t part;   /* rows whose values are there at once; 0: 2^22, or all on a device beside the
                      host */
    size_t window; /* variables evaluated at once, a multiple of 64; 0: 2^21 */
    size_t slice;  /* points made at once; 0: 2^16 */
    const atomic_bool *cancel;
    setup_progress_fn *progress;
    void *progress_ctx;
};

/* Bytes of MEM_SCRATCH that groth16_setup takes at most (the ic points come on top, as MEM_KEY). */
size_t setup_bytes(const struct qap *qap, const struct setup_options *options);

/* Refuses, as the generator does, a system with an aux variable that no row constrains; and a
 * trapdoor that makes another query element vanish, which leaves no key of the circuit's shape. */
MUST_CHECK enum cuzk_status groth16_setup(const struct qap *qap, const struct trapdoor *trapdoor,
                                          const struct setup_options *options,
                                          const struct key_sink *sink, struct cuzk_error *err);

/* The same with every query left on a device that the caller has opened: options->pool, ordinal and
 * cancel are the device's own. Arena bytes while it runs, the key included (beside the arena,
 * row_parts_bytes): */
size_t setup_resident_bytes(const struct qap *qap, const struct setup_options *options);
MUST_CHECK enum cuzk_status
groth16_setup_resident(const struct qap *qap, const struct trapdoor *trapdoor,
                       const struct setup_options *options, struct device *device,
                       struct stream *stream, struct resident_key *ret, struct cuzk_error *err);

#endif
