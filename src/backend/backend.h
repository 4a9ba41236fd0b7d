/* The waist: what a Groth16 prover needs from a machine, and nothing else.
 *
 *     groth16 · format · filecoin · engine        know what a proof is
 *     ───────────────── backend.h ─────────────────
 *     cpu · ifma · cuda                           know how this machine computes
 *
 * Across it scalars are plain and in natural order, points are plain and affine (curve/curve.h), a
 * witness is packed (backend/witness.h), a matrix is recorded (backend/matrix.h). Inside a buffer
 * or a bases handle a back end uses any form and order it likes. Every operation gives the same
 * bytes on every back end, for every number of threads.
 *
 * Order. Operations on one stream happen in the order of the calls; operations on different streams
 * are ordered by mark and wait_on only. Calls may return before the work is done: host memory
 * passed in must stay as it is, and results written to host memory are not there, until `wait`.
 * `wait` reports the first error of the stream since the last wait, with the name of the operation.
 *
 * Memory. open takes the job's whole arena from the budget; buffers, handles and scratch are pieces
 * of it. Each *_bytes function says what the operation beside it takes (scratch only while it
 * runs); a plan adds them up (groth16/plan.h). Frees are in any order; a piece is available again
 * when all younger pieces are gone too.
 *
 * Ownership: handles belong to the caller and end before close. *_free accept NULL.
 *
 * A device object serves one job at a time, from one thread but for witness_put; one that works
 * beside the host takes operations of streams with scratch of their own from a thread each. Long
 * operations look at the cancel flag between steps and then report CUZK_CANCELLED. */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/matrix.h"
#include "backend/witness.h"
#include "base/mem.h"
#include "base/pool.h"
#include "curve/curve.h"
#include "msm/group_kernels.h" /* struct points_view */

struct device;
struct file_fetch; /* base/file_fetch.h */
struct stream;
struct buf;
struct matrix_handle;
struct witness_handle;
struct domain;
struct bases;
struct fixed_base;

/* Told of every operation of a device that works beside the host: which stream (numbered as they
 * were made), and when it ran on the device, in seconds of clock_seconds(). Called by `wait`. */
struct device_timeline {
    void (*f)(void *ctx, unsigned stream, const char *operation, double begin, double end);
    void *ctx;
};

struct device_options {
    const struct curve *curve;
    struct pool *pool;               /* NULL: one thread */
    struct budget *budget;           /* host memory is taken here; NULL: not counted */
    size_t arena_bytes;              /* room for everything below, from the plan */
    int ordinal;                     /* which card; 0 on the CPU */
    const atomic_bool *cancel;       /* NULL: never */
    struct device_timeline timeline; /* f NULL: nobody listens, and nothing is measured */
};

struct device_info {
    char name[128];
    size_t memory_total, memory_free; /* of the device; the host's on the CPU */
};

enum element {
    ELEMENT_SCALAR,
    ELEMENT_G1,
    ELEMENT_G2,
};

/* The basis in which a key holds H; the quotient comes out to match. With the coset bases the
 * points contain 1/Z, so what comes out is the values of a b - c there. */
enum h_basis {
    H_POWERS,       /* coefficients 0 .. n-2: Filecoin, bellman */
    H_ODD_COSET,    /* at the odd powers of the 2n-th root (g^2 * <root> if there is none): iden3 */
    H_COSET,        /* on the coset g * <root>: our prepared keys */
    H_COSET_FOLDED, /* the same for a key whose L holds C: values of a b alone, 4 transforms */
};

/* Of a domain, on a back end that has the choice. */
enum domain_tables {
    TABLES_FAST,
    TABLES_SMALL, /* at most some 0.1 GB, for transforms that take 5 % longer */
};

enum pointwise_op {
    POINTWISE_MUL,   /* out = a b */
    POINTWISE_SUB,   /* out = a - b */
    POINTWISE_AXPY,  /* out = out + factor a */
    POINTWISE_SCALE, /* out = factor a */
};

/* Points that a key holds for one query, and which variables they belong to: first the inputs of
 * input_map in ascending order, then the aux of aux_map in ascending order. A map of NULL means
 * none for inputs and all for aux. For H both counts are 0 and only dense sums are asked for.
 *
 * multiples: a back end may hold up to so many multiples 2^k of every point, which make dense sums
 * over all points faster and take so many times the memory (0 is 1; not for points that are to
 * come).
 *
 * to_come: the points are made on the device and arrive by bases_put; points.data is not looked at,
 * and the handle holds room for points.n of them.
 *
 * fetch: how a back end with memory of its own reads native points of a mapped file; NULL: it takes
 * them from there. */
struct bases_source {
    enum element group;
    bool to_come;
    unsigned multiples;
    struct points_view points;
    const struct file_fetch *fetch;
    size_t n_inputs, n_aux;
    const uint64_t *input_map; /* n_inputs bits */
    const uint64_t *aux_map;   /* n_aux bits */
};

struct backend {
    const char *name; /* "cpu", "ifma", "cuda" */
    /* Has memory of its own, which no budget counts, and works while the host does other things.
     * False: the arena is host memory and operations are done when the call returns. */
    bool beside_host;

    /* NULL if it can be used here, else one sentence why not. */
    const char *(*unavailable)(void);
    /* beside_host: bytes that an arena on that card may take now; else NULL. */
    enum cuzk_status (*memory_free)(int ordinal, size_t *ret, struct cuzk_error *err);
    enum cuzk_status (*open)(struct device **ret, const struct device_options *options,
                             struct cuzk_error *err);
    void (*close)(struct device *device);
    void (*info)(const struct device *device, struct device_info *ret);

    /* ---- order ---- */
    enum cuzk_status (*stream_new)(struct device *device, struct stream **ret,
                                   struct cuzk_error *err);
    void (*stream_free)(struct stream *stream);
    /* Gives the stream `bytes` of the arena for the scratch of its operations, until its end: they
     * no longer wait for the scratch of other streams. Once a stream; what an operation needs must
     * fit. */
    size_t (*stream_scratch_bytes)(size_t bytes);
    enum cuzk_status (*stream_scratch)(struct stream *stream, size_t bytes, struct cuzk_error *err);
    /* The place in `stream` reached so far, for wait_on of another stream: what follows there comes
     * after it, and fails too if `stream` has failed by then. */
    uint64_t (*mark)(struct stream *stream);
    void (*wait_on)(struct stream *stream, struct stream *other, uint64_t mark);
    enum cuzk_status (*wait)(struct stream *stream, struct cuzk_error *err);

    /* ---- buffers: n elements, contents undefined at first ---- */
    size_t (*buf_bytes)(const struct curve *curve, enum element element, size_t n);
    enum cuzk_status (*buf_new)(struct device *device, enum element element, size_t n,
                                struct buf **ret, struct cuzk_error *err);
    void (*buf_free)(struct buf *buf);
    /* Elements [at, at + n) from or to plain host memory. */
    void (*buf_put)(struct stream *stream, struct buf *buf, size_t at, const void *plain, size_t n);
    void (*buf_get)(struct stream *stream, const struct buf *buf, size_t at, void *plain, size_t n);
    void (*buf_zero)(struct stream *stream, struct buf *buf, size_t at, size_t n);
    /* out = the scalars a[i], i in [0, n), for which bit first + i of the host's `map` is set, one
     * after the other. first is a multiple of 64; out is not a. */
    void (*select)(struct stream *stream, struct buf *out, const struct buf *a, const uint64_t *map,
                   size_t first, size_t n);
    size_t (*select_bytes)(const struct curve *curve, size_t n);
    /* *ret = the index of the first zero among the scalars [0, n), or n: there after wait. */
    void (*find_zero)(struct stream *stream, const struct buf *a, size_t n, size_t *ret);
    size_t (*find_zero_bytes)(const struct curve *curve);

    /* ---- the witness and the matrices ---- */
    /* Room for one witness at a time of this shape; of the shape the values are not looked at. The
     * class maps behind `shape` and the memory behind `matrix` must outlive the handle. */
    size_t (*witness_bytes)(const struct curve *curve, const struct witness *shape);
    enum cuzk_status (*witness_new)(struct device *device, const struct witness *shape,
                                    struct witness_handle **ret, struct cuzk_error *err);
    /* Puts the values of a part of a witness of that shape in place of those that were there. They
     * must stay as they are until the wait after the last operation that uses them (beside_host:
     * until the wait after this one). It takes no memory, so a thread of its own may call it, with
     * a stream of its own. */
    void (*witness_put)(struct stream *stream, struct witness_handle *handle,
                        const struct witness *witness, struct witness_part part);
    void (*witness_free)(struct witness_handle *witness);

    size_t (*matrix_bytes)(const struct curve *curve, const struct matrix *matrix);
    enum cuzk_status (*matrix_new)(struct device *device, const struct matrix *matrix,
                                   struct matrix_handle **ret, struct cuzk_error *err);
    void (*matrix_free)(struct matrix_handle *matrix);
    /* out[i] = row (first_row + i) of M times the witness, i in [0, n_rows). */
    void (*spmv)(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
                 const struct witness_handle *witness, uint64_t first_row, size_t n_rows);
    /* For variables [first, first + n) of `inputs` or of aux: out[i] += sum over r in [0, n_rows)
     * of M[first_row + r][variable] * rows[r]. */
    void (*spmv_transposed)(struct stream *stream, struct buf *out,
                            const struct matrix_handle *matrix, const struct buf *rows,
                            uint64_t first_row, size_t n_rows, bool inputs, uint64_t first,
                            size_t n);
    size_t (*spmv_transposed_bytes)(const struct curve *curve, const struct matrix *matrix,
                                    bool inputs, size_t n, unsigned n_threads);

    /* ---- transforms ---- */
    /* The subgroup of order 2^lg_n generated from the domain generator g, with coset shift g. */
    size_t (*domain_bytes)(const struct curve *curve, unsigned lg_n, enum domain_tables tables);
    enum cuzk_status (*domain_new)(struct device *device, unsigned lg_n, uint64_t g,
                                   enum domain_tables tables, struct domain **ret,
                                   struct cuzk_error *err);
    void (*domain_free)(struct domain *domain);
    /* In place on elements [0, 2^lg_n), natural order in and out. */
    void (*ntt)(struct stream *stream, const struct domain *domain, struct buf *a, bool inverse,
                bool coset);
    size_t (*ntt_bytes)(const struct curve *curve, unsigned lg_n);
    /* Element by element over [0, n); out may be a or b, and b is NULL where the formula has none.
     */
    void (*pointwise)(struct stream *stream, enum pointwise_op op, struct buf *out,
                      const struct buf *a, const struct buf *b, const struct scalar *factor,
                      size_t n);
    /* out[i] = first * base^i, i in [0, n) */
    void (*powers)(struct stream *stream, struct buf *out, const struct scalar *first,
                   const struct scalar *base, size_t n);
    /* out[i] = factor * L_(first + i)(x), i in [0, n): Lagrange polynomials of the subgroup that
     * domain_new(lg_n, g) has, in which x must not lie. */
    void (*lagrange)(struct stream *stream, struct buf *out, unsigned lg_n, uint64_t g,
                     const struct scalar *factor, const struct scalar *x, uint64_t first, size_t n);
    /* a, b: values of the rows, zero padded to the domain. Leaves h = (a b - c) / Z with c = a∘b on
     * the domain, in the basis asked for, in `a`. H_POWERS: n - 1 coefficients and then a zero.
     * b is destroyed. At most 6 transforms. */
    void (*quotient)(struct stream *stream, const struct domain *domain, struct buf *a,
                     struct buf *b, enum h_basis basis);
    size_t (*quotient_bytes)(const struct curve *curve, unsigned lg_n, enum h_basis basis);
    /* The same in two operations that take no scratch, for a prover without room for a third
     * vector. The first leaves in `a` what the second wants, in a form and an order of the back
     * end's own; b is destroyed, and free to hold c. With H_COSET_FOLDED it leaves h there, as
     * `quotient` does, and there is no second. */
    void (*quotient_ab)(struct stream *stream, const struct domain *domain, struct buf *a,
                        struct buf *b, enum h_basis basis);
    /* c: values of the rows of C, zero padded to the domain. Leaves h in `c`: that of `quotient` if
     * c = a∘b, as it is for a witness that satisfies the system. `a` is destroyed. */
    void (*quotient_c)(struct stream *stream, const struct domain *domain, struct buf *a,
                       struct buf *c, enum h_basis basis);

    /* ---- sums over a key's points ---- */
    /* Memory behind `source` must outlive the handle. */
    size_t (*bases_bytes)(const struct curve *curve, const struct bases_source *source);
    enum cuzk_status (*bases_new)(struct device *device, const struct bases_source *source,
                                  struct bases **ret, struct cuzk_error *err);
    void (*bases_free)(struct bases *bases);
    /* Points [0, n) of `points` become bases [at, at + n) of a handle whose points are to come. */
    void (*bases_put)(struct stream *stream, struct bases *bases, size_t at,
                      const struct buf *points, size_t n);
    /* *out = sum of scalars[at + i] * base i over i in [0, n): plain, on the host, after wait. */
    void (*msm_g1)(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                   size_t at, size_t n, struct g1_point *out);
    void (*msm_g2)(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                   size_t at, size_t n, struct g2_point *out);
    size_t (*msm_bytes)(const struct curve *curve, enum element group, size_t n,
                        unsigned n_threads);
    /* out[j] = sum over a part's variables of value in witnesses[j] * base, for those that have a
     * base: several witnesses share one pass over the bases. */
    void (*msm_witness_g1)(struct stream *stream, const struct bases *bases,
                           struct witness_handle *const *witnesses, size_t n_witnesses,
                           struct witness_part part, struct g1_point *out);
    void (*msm_witness_g2)(struct stream *stream, const struct bases *bases,
                           struct witness_handle *const *witnesses, size_t n_witnesses,
                           struct witness_part part, struct g2_point *out);
    size_t (*msm_witness_bytes)(const struct curve *curve, const struct bases_source *source,
                                size_t n_full, unsigned n_threads);

    /* ---- set-up and key transforms; these, spmv_transposed, lagrange, select, find_zero and
     * bases_put are NULL in a back end that only proves ---- */
    size_t (*fixed_base_bytes)(const struct curve *curve, enum element group);
    /* base: struct g1_point or g2_point */
    enum cuzk_status (*fixed_base_new)(struct device *device, enum element group, const void *base,
                                       struct fixed_base **ret, struct cuzk_error *err);
    void (*fixed_base_free)(struct fixed_base *fixed);
    /* out[i] = scalars[at + i] * base, i in [0, n); out holds points of the base's group. */
    void (*fixed_base_mul)(struct stream *stream, const struct fixed_base *fixed, struct buf *out,
                           const struct buf *scalars, size_t at, size_t n);
    size_t (*fixed_base_mul_bytes)(const struct curve *curve, enum element group, size_t n,
                                   unsigned n_threads);
    /* ntt with points for elements: the key transforms of H. */
    void (*group_ntt)(struct stream *stream, const struct domain *domain, struct buf *points,
                      bool inverse, bool coset);
    size_t (*group_ntt_bytes)(const struct curve *curve, enum element group, unsigned lg_n,
                              unsigned n_threads);
    /* points[i] = first * base^i * points[i], i in [0, n) */
    void (*scale_points)(struct stream *stream, struct buf *points, const struct scalar *first,
                         const struct scalar *base, size_t n);
    size_t (*scale_points_bytes)(const struct curve *curve, enum element group, size_t n,
                                 unsigned n_threads);
    /* out[j] = sum over rows of M[row][variable first + j] * points[row], of `inputs` or of aux, j
     * in [0, n). */
    void (*point_spmv)(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
                       const struct buf *points, bool inputs, uint64_t first, size_t n);
    size_t (*point_spmv_bytes)(const struct curve *curve, const struct matrix *matrix,
                               enum element group, size_t n, unsigned n_threads);
};

/* By name; NULL if this build has none of that name. "auto": the best one available. */
const struct backend *backend_find(const char *name);
/* The best one that needs no card, or the one of those that $CUZK_BACKEND names. */
const struct backend *backend_host(void);
/* All of them, ended by NULL: for `cuzk info`. */
const struct backend *const *backend_list(void);

#endif
