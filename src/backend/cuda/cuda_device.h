/* The objects behind the waist's handles, on the C side of this back end.
 *
 *     backend.h ──► cuda_backend.c   the table
 *                   cuda_device.c    device, arena, streams
 *                   cuda_tiles.c     pinned memory on the way up
 *                   cuda_buf.c       buffers
 *                   cuda_domain.c    tables, transforms, quotient
 *                   cuda_group_ntt.c transforms with points for elements, points times powers
 *                   cuda_point_spmv.c  matrices times points
 *                   cuda_bases.c     points of a key
 *                   cuda_fixed_base.c  multiples of one point
 *                   cuda_msm.c       sums over them; cuda_combine.c their last steps
 *                   cuda_witness.c   packed witnesses
 *                   cuda_matrix.c    recorded matrices
 *     launch.h  ──► *.cu             kernels
 *
 * Memory. open takes one piece of device memory, the arena. Buffers and handles are stacked from
 * its low end (a freed one is available again when all younger ones are gone too); the scratch of
 * the operation that runs is taken from its high end. Scratch belongs to one operation at a time:
 * operations of different streams that need scratch wait for each other on the device, unless a
 * stream was given a piece for its own. A piece is never handed out again before the work that used
 * it is done: a free notes where every stream stands, and the next allocation waits, on the host,
 * for those places.
 *
 * Threads. Beside the job's thread, and the one that puts witnesses, another may use streams of its
 * own that have scratch of their own, for operations that make no handle (groth16/prove.c).
 *
 * Errors. Operations return nothing; the first failure is kept in its stream, later operations of
 * that stream do nothing, and `wait` reports and clears it. */
#ifndef BACKEND_CUDA_CUDA_DEVICE_H
#define BACKEND_CUDA_CUDA_DEVICE_H

#include <string.h>

#include <cuda_runtime_api.h>

#include "backend/backend.h"
#include "backend/cuda/launch.h"

#define CUDA_ALIGN 256u
/* What an allocation of `bytes` takes of the arena. */
static inline size_t cuda_piece(size_t bytes)
{
    return (bytes + CUDA_ALIGN - 1) & ~(size_t)(CUDA_ALIGN - 1);
}

/* The next part of a piece of device memory at `base` (NULL: only to learn the size). */
static inline void *cuda_place(void *base, size_t *used, size_t bytes)
{
    void *at = base ? (uint8_t *)base + *used : NULL;

    *used += cuda_piece(bytes);
    return at;
}

static inline bool cuda_curve_is_bn254(const struct curve *curve)
{
    return strcmp(curve->name, "bn254") == 0;
}
static inline enum cuda_group cuda_group_of(const struct curve *curve, enum element element)
{
    if (cuda_curve_is_bn254(curve))
        return element == ELEMENT_G1 ? CUDA_BN254_G1 : CUDA_BN254_G2;
    return element == ELEMENT_G1 ? CUDA_BLS12_381_G1 : CUDA_BLS12_381_G2;
}

/* Turns a CUDA error into a status with the call's text, and clears it. */
#define CU(expr, err) cuda_check((expr), #expr, (err))
MUST_CHECK enum cuzk_status cuda_check(cudaError_t e, const char *call, struct cuzk_error *err);
/* Fault injection: the n-th call that is checked from now on is made and then said to have failed
 * with `error`; 0: none. Returns how many were checked since the last time. */
size_t cuda_fail_at(size_t n, cudaError_t error);
/* For tests: sums take so many entries together as if there were many more, 0: as many as are good.
 * What was planned before is void. */
void cuda_msm_together(size_t entries);

struct piece {
    struct piece *older;
    size_t at, bytes;
    bool freed;
};

/* A result on its way to the host: lands in pinned memory, is finished by `wait`. */
enum { RESULT_SLOTS = 64, RESULT_SLOT_BYTES = 64 * 1024 };
struct result {
    struct result *next;
    unsigned slot;
    void (*finish)(const struct result *result, const void *landed);
    void *out;
    unsigned n_windows, window_bits, n_wide, row_bits; /* finish's own, */
    size_t n;                                          /* and of another */
};

struct device {
    const struct curve *curve;
    const struct cuda_kernels *kernels; /* the curve's */
    struct pool *pool;
    struct budget *budget;
    const atomic_bool *cancel;
    int ordinal;
    unsigned n_sm;

    uint8_t *arena;
    size_t arena_bytes, low; /* low: bytes taken from the low end */
    struct piece *youngest;
    size_t scratch_bytes; /* of the last operation that took scratch */
    struct stream *scratch_user;
    cudaEvent_t scratch_done;
    bool scratch_busy; /* scratch_done was recorded and not waited for by the host */

    uint8_t *tiles; /* cuda_tiles.c; NULL: not made yet */
    cudaEvent_t tile_sent[2];

    struct stream *streams;
    unsigned n_streams; /* made so far */
    uint8_t *pinned;    /* RESULT_SLOTS slots */
    _Atomic uint64_t slots_busy;

    struct device_timeline timeline;
    cudaEvent_t origin; /* of the times of events; the host's clock stood at origin_seconds */
    double origin_seconds;
};

/* An operation whose time is taken; those beyond STREAM_TIMED between two waits are not. */
enum { STREAM_TIMED = 64 };
struct timed {
    const char *operation;
    cudaEvent_t begin, end;
};

enum { STREAM_MARKS = 64 };
struct stream {
    struct device *device;
    struct stream *next;
    cudaStream_t cuda;
    cudaEvent_t marks[STREAM_MARKS];
    uint64_t n_marks;
    cudaEvent_t freed; /* where the stream stood when something was last freed */
    bool freed_pending;
    struct piece *scratch; /* its own; NULL: the device's */
    cudaStream_t side;     /* makes lists for sums (cuda_msm.c) ahead of `cuda` */
    cudaEvent_t lists_made[2], lists_free[2];
    struct cuzk_error failure; /* status CUZK_OK: none */
    const char *last;          /* the operation begun last */
    unsigned number;
    unsigned n_timed;    /* since the last wait */
    struct timed *timed; /* STREAM_TIMED; NULL: nobody listens */
    struct result *results, **results_end;
};

/* ---- arena ---- */
MUST_CHECK enum cuzk_status cuda_take(struct device *device, size_t bytes, struct piece **ret,
                                      struct cuzk_error *err);
void cuda_give(struct device *device, struct piece *piece); /* accepts NULL */
static inline void *cuda_at(const struct device *device, const struct piece *piece)
{
    return device->arena + piece->at;
}
/* Scratch for the operation that `stream` is about to enqueue; valid until cuda_scratch_end. */
MUST_CHECK enum cuzk_status cuda_scratch_begin(struct stream *stream, size_t bytes, void **ret,
                                               struct cuzk_error *err);
void cuda_scratch_end(struct stream *stream);

/* ---- tiles ---- */
#define CUDA_TILE_BYTES ((size_t)16 << 20)
/* device->tiles, two of them, from the budget's pinned bytes: once, and there until the device's
 * end. */
MUST_CHECK enum cuzk_status cuda_tiles_make(struct device *device, struct cuzk_error *err);
void cuda_tiles_free(struct device *device);
/* Host memory to the device through the tiles; with `fetch`, bytes of a mapped file that are read and
 * not touched. Returns when all of `from` has been read, while the last two tiles may still travel.
 */
MUST_CHECK enum cuzk_status cuda_upload(struct device *device, void *to, const void *from,
                                        size_t bytes, const struct file_fetch *fetch,
                                        cudaStream_t stream, struct cuzk_error *err);

/* ---- operations ---- */
/* False when the stream has failed or the job is cancelled: then nothing is to be done. */
bool cuda_op_begin(struct stream *stream, const char *name);
/* Keeps a failure for `wait`; err is &stream->failure or holds the sentence. */
void cuda_op_end(struct stream *stream, enum cuzk_status status, const struct cuzk_error *err);
/* A slot of pinned memory for `bytes` that come from `from` (device); finish is called by wait. */
MUST_CHECK enum cuzk_status cuda_result(struct stream *stream, const void *from, size_t bytes,
                                        const struct result *how, struct cuzk_error *err);

/* ---- buffers ---- */
/* Scalars are plain, points native. */
struct buf {
    struct device *device;
    struct piece *piece;
    enum element element;
    size_t n;
};
size_t cuda_element_bytes(const struct curve *curve, enum element element);
static inline void *buf_data(const struct buf *buf)
{
    return cuda_at(buf->device, buf->piece);
}
static inline void *buf_at(const struct buf *buf, size_t i)
{
    return (uint8_t *)buf_data(buf) + i * cuda_element_bytes(buf->device->curve, buf->element);
}

/* ---- the table's functions, by file ---- */
const char *cuda_unavailable(void);
enum cuzk_status cuda_memory_free(int ordinal, size_t *ret, struct cuzk_error *err);
enum cuzk_status cuda_open(struct device **ret, const struct device_options *options,
                           struct cuzk_error *err);
void cuda_close(struct device *device);
void cuda_info(const struct device *device, struct device_info *ret);
enum cuzk_status cuda_stream_new(struct device *device, struct stream **ret,
                                 struct cuzk_error *err);
void cuda_stream_free(struct stream *stream);
enum cuzk_status cuda_stream_scratch(struct stream *stream, size_t bytes, struct cuzk_error *err);
uint64_t cuda_mark(struct stream *stream);
void cuda_wait_on(struct stream *stream, struct stream *other, uint64_t mark);
enum cuzk_status cuda_wait(struct stream *stream, struct cuzk_error *err);
size_t cuda_buf_bytes(const struct curve *curve, enum element element, size_t n);
enum cuzk_status cuda_buf_new(struct device *device, enum element element, size_t n,
                              struct buf **ret, struct cuzk_error *err);
void cuda_buf_free(struct buf *buf);
void cuda_buf_put(struct stream *stream, struct buf *buf, size_t at, const void *plain, size_t n);
void cuda_buf_get(struct stream *stream, const struct buf *buf, size_t at, void *plain, size_t n);
void cuda_buf_zero(struct stream *stream, struct buf *buf, size_t at, size_t n);
void cuda_select_op(struct stream *stream, struct buf *out, const struct buf *a,
                    const uint64_t *map, size_t first, size_t n);
size_t cuda_select_bytes(const struct curve *curve, size_t n);
void cuda_find_zero(struct stream *stream, const struct buf *a, size_t n, size_t *ret);
size_t cuda_find_zero_bytes(const struct curve *curve);

size_t cuda_domain_bytes(const struct curve *curve, unsigned lg_n, enum domain_tables tables);
enum cuzk_status cuda_domain_new(struct device *device, unsigned lg_n, uint64_t g,
                                 enum domain_tables tables, struct domain **ret,
                                 struct cuzk_error *err);
void cuda_domain_free(struct domain *domain);
void cuda_ntt(struct stream *stream, const struct domain *domain, struct buf *a, bool inverse,
              bool coset);
size_t cuda_ntt_bytes(const struct curve *curve, unsigned lg_n);
void cuda_pointwise(struct stream *stream, enum pointwise_op op, struct buf *out,
                    const struct buf *a, const struct buf *b, const struct scalar *factor,
                    size_t n);
void cuda_powers_op(struct stream *stream, struct buf *out, const struct scalar *first,
                    const struct scalar *base, size_t n);
void cuda_lagrange_op(struct stream *stream, struct buf *out, unsigned lg_n, uint64_t g,
                      const struct scalar *factor, const struct scalar *x, uint64_t first,
                      size_t n);
void cuda_quotient(struct stream *stream, const struct domain *domain, struct buf *a, struct buf *b,
                   enum h_basis basis);
size_t cuda_quotient_bytes(const struct curve *curve, unsigned lg_n, enum h_basis basis);
void cuda_quotient_ab(struct stream *stream, const struct domain *domain, struct buf *a,
                      struct buf *b, enum h_basis basis);
void cuda_quotient_c(struct stream *stream, const struct domain *domain, struct buf *a,
                     struct buf *c, enum h_basis basis);

size_t cuda_bases_bytes(const struct curve *curve, const struct bases_source *source);
enum cuzk_status cuda_bases_new(struct device *device, const struct bases_source *source,
                                struct bases **ret, struct cuzk_error *err);
void cuda_bases_free(struct bases *bases);
void cuda_bases_put(struct stream *stream, struct bases *bases, size_t at, const struct buf *points,
                    size_t n);
void cuda_msm_g1(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                 size_t at, size_t n, struct g1_point *out);
void cuda_msm_g2(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                 size_t at, size_t n, struct g2_point *out);
size_t cuda_msm_bytes(const struct curve *curve, enum element group, size_t n, unsigned n_threads);
void cuda_msm_witness_g1(struct stream *stream, const struct bases *bases,
                         struct witness_handle *const *witnesses, size_t n_witnesses,
                         struct witness_part part, struct g1_point *out);
void cuda_msm_witness_g2(struct stream *stream, const struct bases *bases,
                         struct witness_handle *const *witnesses, size_t n_witnesses,
                         struct witness_part part, struct g2_point *out);
size_t cuda_msm_witness_bytes(const struct curve *curve, const struct bases_source *source,
                              size_t n_full, unsigned n_threads);

size_t cuda_witness_bytes(const struct curve *curve, const struct witness *shape);
enum cuzk_status cuda_witness_new(struct device *device, const struct witness *shape,
                                  struct witness_handle **ret, struct cuzk_error *err);
void cuda_witness_put(struct stream *stream, struct witness_handle *handle,
                      const struct witness *witness, struct witness_part part);
void cuda_witness_free(struct witness_handle *witness);
size_t cuda_matrix_bytes(const struct curve *curve, const struct matrix *matrix);
enum cuzk_status cuda_matrix_new(struct device *device, const struct matrix *matrix,
                                 struct matrix_handle **ret, struct cuzk_error *err);
void cuda_matrix_free(struct matrix_handle *matrix);
void cuda_spmv(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
               const struct witness_handle *witness, uint64_t first_row, size_t n_rows);
void cuda_spmv_transposed(struct stream *stream, struct buf *out,
                          const struct matrix_handle *matrix, const struct buf *rows,
                          uint64_t first_row, size_t n_rows, bool inputs, uint64_t first, size_t n);
size_t cuda_spmv_transposed_bytes(const struct curve *curve, const struct matrix *matrix,
                                  bool inputs, size_t n, unsigned n_threads);

size_t cuda_fixed_base_bytes(const struct curve *curve, enum element group);
enum cuzk_status cuda_fixed_base_new(struct device *device, enum element group, const void *base,
                                     struct fixed_base **ret, struct cuzk_error *err);
void cuda_fixed_base_free(struct fixed_base *fixed);
void cuda_fixed_base_mul(struct stream *stream, const struct fixed_base *fixed, struct buf *out,
                         const struct buf *scalars, size_t at, size_t n);
size_t cuda_fixed_base_mul_bytes(const struct curve *curve, enum element group, size_t n,
                                 unsigned n_threads);
void cuda_group_ntt(struct stream *stream, const struct domain *domain, struct buf *points,
                    bool inverse, bool coset);
size_t cuda_group_ntt_bytes(const struct curve *curve, enum element group, unsigned lg_n,
                            unsigned n_threads);
void cuda_scale_points(struct stream *stream, struct buf *points, const struct scalar *first,
                       const struct scalar *base, size_t n);
size_t cuda_scale_points_bytes(const struct curve *curve, enum element group, size_t n,
                               unsigned n_threads);
void cuda_point_spmv(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
                     const struct buf *points, bool inputs, uint64_t first, size_t n);
size_t cuda_point_spmv_bytes(const struct curve *curve, const struct matrix *matrix,
                             enum element group, size_t n, unsigned n_threads);

#endif
