/* The inside of the cpu back end: its handles, and what its files share.
 *
 *   cpu_device    the device and the pieces of its arena
 *   cpu_stream    begin and end of an operation, the first error
 *   cpu_buf       buffers
 *   cpu_matrix    matrices; M w and its transpose (spmv.h has the inner loops, one unit a curve)
 *   cpu_transform domains, transforms, the quotient
 *   cpu_pointwise operations element by element
 *   cpu_bases     keys' points and dense sums; cpu_witness_sum: sums over a packed witness
 *   cpu_fixed_base, cpu_group_ntt, cpu_point_spmv: set-up and key transforms
 *
 * Scalars in a buffer are native (Montgomery) or plain, whichever the last operation needed; points
 * are native. A stream does its work inside the call, so mark and wait_on have nothing to order. */
#ifndef BACKEND_CPU_CPU_DEVICE_H
#define BACKEND_CPU_CPU_DEVICE_H

#include "backend/backend.h"
#include "backend/cpu/spmv.h"
#include "ntt/scalar_kernels.h"

/* ---- the device ------------------------------------------------------------------------------ */

struct piece;

struct device {
    const struct curve *curve;
    const struct spmv_kernels *spmv;
    struct pool *pool;
    const atomic_bool *cancel;
    struct arena arena;
    struct piece *newest;
};

/* Pieces of the arena, 64-byte aligned, given back in any order. device_piece(bytes) is what a
 * piece of `bytes` takes from the arena; 0 for 0. device_give accepts NULL. */
size_t device_piece(size_t bytes);
MUST_CHECK enum cuzk_status device_take(struct device *device, size_t bytes, void **ret,
                                        struct cuzk_error *err);
void device_give(struct device *device, void *piece);

/* By the device's flag or by the pool's own. */
static inline bool device_cancelled(const struct device *device)
{
    return (device->cancel && atomic_load_explicit(device->cancel, memory_order_relaxed)) ||
           pool_cancelled(device->pool);
}

/* A handle and n elements behind it are one piece; the elements start at a multiple of 64. */
#define HANDLE_ROOM(type) ((sizeof(type) + 63) / 64 * 64)

static inline const struct group_kernels *group_of(const struct curve *curve, enum element element)
{
    return element == ELEMENT_G2 ? curve->g2 : curve->g1;
}

static inline size_t element_bytes(const struct curve *curve, enum element element)
{
    return element == ELEMENT_SCALAR ? curve->fr_bytes : group_of(curve, element)->point_bytes;
}

enum cuzk_status cpu_open(struct device **ret, const struct device_options *options,
                          struct cuzk_error *err);
void cpu_close(struct device *device);
void cpu_info(const struct device *device, struct device_info *ret);

/* ---- streams --------------------------------------------------------------------------------- */

struct stream {
    struct device *device;
    const char *operation;
    const atomic_bool *pool_cancel; /* the pool's own flag during an operation */
    struct cuzk_error error;        /* the first since the last wait */
};

/* Every operation is   if (!stream_begin(s, "name")) return;  ...  stream_end(s);
 * begin is false after an error or a cancellation; end notices a cancellation during the work. */
bool stream_begin(struct stream *stream, const char *operation);
void stream_end(struct stream *stream);
bool stream_is_ok(const struct stream *stream);
/* Keeps the first error of the stream, under the operation's name. */
void stream_fail(struct stream *stream, enum cuzk_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Scratch of the operation: NULL, and the stream has failed, if it does not fit. Ends with
 * device_give. */
void *stream_scratch(struct stream *stream, size_t bytes);

enum cuzk_status cpu_stream_new(struct device *device, struct stream **ret, struct cuzk_error *err);
void cpu_stream_free(struct stream *stream);
size_t cpu_stream_scratch_bytes(size_t bytes);
enum cuzk_status cpu_stream_scratch(struct stream *stream, size_t bytes, struct cuzk_error *err);
uint64_t cpu_mark(struct stream *stream);
void cpu_wait_on(struct stream *stream, struct stream *other, uint64_t mark);
enum cuzk_status cpu_wait(struct stream *stream, struct cuzk_error *err);

/* ---- buffers --------------------------------------------------------------------------------- */

struct buf {
    struct device *device;
    enum element element;
    bool is_plain; /* scalars only */
    size_t n;
    uint8_t *data;
};

static inline void *buf_at(const struct buf *buf, size_t i)
{
    return buf->data + i * element_bytes(buf->device->curve, buf->element);
}

/* The form an operation needs; converts if necessary. The value of a buffer is the same in both, so
 * these may be asked of a const one. */
void buf_make_native(const struct buf *buf);
void buf_make_plain(const struct buf *buf);
/* Before the first n elements are overwritten in native form. */
void buf_will_write(struct buf *buf, size_t n);

size_t cpu_buf_bytes(const struct curve *curve, enum element element, size_t n);
enum cuzk_status cpu_buf_new(struct device *device, enum element element, size_t n,
                             struct buf **ret, struct cuzk_error *err);
void cpu_buf_free(struct buf *buf);
void cpu_buf_put(struct stream *stream, struct buf *buf, size_t at, const void *plain, size_t n);
void cpu_buf_get(struct stream *stream, const struct buf *buf, size_t at, void *plain, size_t n);
void cpu_buf_zero(struct stream *stream, struct buf *buf, size_t at, size_t n);
void cpu_select(struct stream *stream, struct buf *out, const struct buf *a, const uint64_t *map,
                size_t first, size_t n);
size_t cpu_select_bytes(const struct curve *curve, size_t n);
void cpu_find_zero(struct stream *stream, const struct buf *a, size_t n, size_t *ret);
size_t cpu_find_zero_bytes(const struct curve *curve);

/* ---- witness and matrices -------------------------------------------------------------------- */

struct witness_handle {
    struct device *device;
    struct witness witness; /* a view of the caller's memory */
};

struct matrix_handle {
    struct device *device;
    const struct matrix *matrix;
    struct spmv_matrix prepared;
};

size_t cpu_witness_bytes(const struct curve *curve, const struct witness *shape);
enum cuzk_status cpu_witness_new(struct device *device, const struct witness *shape,
                                 struct witness_handle **ret, struct cuzk_error *err);
void cpu_witness_put(struct stream *stream, struct witness_handle *handle,
                     const struct witness *witness, struct witness_part part);
void cpu_witness_free(struct witness_handle *witness);
size_t cpu_matrix_bytes(const struct curve *curve, const struct matrix *matrix);
enum cuzk_status cpu_matrix_new(struct device *device, const struct matrix *matrix,
                                struct matrix_handle **ret, struct cuzk_error *err);
void cpu_matrix_free(struct matrix_handle *matrix);
void cpu_spmv(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
              const struct witness_handle *witness, uint64_t first_row, size_t n_rows);
void cpu_spmv_transposed(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
                         const struct buf *rows, uint64_t first_row, size_t n_rows, bool inputs,
                         uint64_t first, size_t n);
size_t cpu_spmv_transposed_bytes(const struct curve *curve, const struct matrix *matrix,
                                 bool inputs, size_t n, unsigned n_threads);

/* ---- transforms ------------------------------------------------------------------------------ */

struct domain {
    struct device *device;
    unsigned lg_n;
    uint64_t g;
    struct scalar root, n_inv;
    void *table;
};

size_t cpu_domain_bytes(const struct curve *curve, unsigned lg_n, enum domain_tables tables);
enum cuzk_status cpu_domain_new(struct device *device, unsigned lg_n, uint64_t g,
                                enum domain_tables tables, struct domain **ret,
                                struct cuzk_error *err);
void cpu_domain_free(struct domain *domain);
void cpu_ntt(struct stream *stream, const struct domain *domain, struct buf *a, bool inverse,
             bool coset);
size_t cpu_ntt_bytes(const struct curve *curve, unsigned lg_n);
void cpu_quotient(struct stream *stream, const struct domain *domain, struct buf *a, struct buf *b,
                  enum h_basis basis);
size_t cpu_quotient_bytes(const struct curve *curve, unsigned lg_n, enum h_basis basis);
void cpu_quotient_ab(struct stream *stream, const struct domain *domain, struct buf *a,
                     struct buf *b, enum h_basis basis);
void cpu_quotient_c(struct stream *stream, const struct domain *domain, struct buf *a,
                    struct buf *c, enum h_basis basis);

/* out[i] = x[i] y[i] and out[i] += factor x[i], native, on the pool. */
void pointwise_mul(const struct device *device, void *out, const void *x, const void *y, size_t n);
void pointwise_axpy(const struct device *device, void *out, const struct scalar *factor,
                    const void *x, size_t n);
void pointwise_sub(const struct device *device, void *out, const void *x, const void *y, size_t n);
void cpu_pointwise(struct stream *stream, enum pointwise_op op, struct buf *out,
                   const struct buf *a, const struct buf *b, const struct scalar *factor, size_t n);
void cpu_powers(struct stream *stream, struct buf *out, const struct scalar *first,
                const struct scalar *base, size_t n);
void cpu_lagrange(struct stream *stream, struct buf *out, unsigned lg_n, uint64_t g,
                  const struct scalar *factor, const struct scalar *x, uint64_t first, size_t n);

/* ---- sums over points ------------------------------------------------------------------------ */

struct bases {
    struct device *device;
    struct bases_source source;
    size_t n_input_points;
    uint32_t *aux_rank; /* ones of aux_map before each 512th aux; NULL if there is no map */
    uint8_t *points;    /* native, what source.points views if they came by bases_put, else NULL */
};

size_t cpu_bases_bytes(const struct curve *curve, const struct bases_source *source);
enum cuzk_status cpu_bases_new(struct device *device, const struct bases_source *source,
                               struct bases **ret, struct cuzk_error *err);
void cpu_bases_free(struct bases *bases);
void cpu_bases_put(struct stream *stream, struct bases *bases, size_t at, const struct buf *points,
                   size_t n);
/* Ones of a map of n bits. */
size_t map_count(const uint64_t *map, size_t n);

void cpu_msm_g1(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                size_t at, size_t n, struct g1_point *out);
void cpu_msm_g2(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                size_t at, size_t n, struct g2_point *out);
size_t cpu_msm_bytes(const struct curve *curve, enum element group, size_t n, unsigned n_threads);
void cpu_msm_witness_g1(struct stream *stream, const struct bases *bases,
                        struct witness_handle *const *witnesses, size_t n_witnesses,
                        struct witness_part part, struct g1_point *out);
void cpu_msm_witness_g2(struct stream *stream, const struct bases *bases,
                        struct witness_handle *const *witnesses, size_t n_witnesses,
                        struct witness_part part, struct g2_point *out);
size_t cpu_msm_witness_bytes(const struct curve *curve, const struct bases_source *source,
                             size_t n_full, unsigned n_threads);

/* ---- set-up and key transforms --------------------------------------------------------------- */

struct fixed_base {
    struct device *device;
    enum element group;
    void *table;
};

size_t cpu_fixed_base_bytes(const struct curve *curve, enum element group);
enum cuzk_status cpu_fixed_base_new(struct device *device, enum element group, const void *base,
                                    struct fixed_base **ret, struct cuzk_error *err);
void cpu_fixed_base_free(struct fixed_base *fixed);
void cpu_fixed_base_mul(struct stream *stream, const struct fixed_base *fixed, struct buf *out,
                        const struct buf *scalars, size_t at, size_t n);
size_t cpu_fixed_base_mul_bytes(const struct curve *curve, enum element group, size_t n,
                                unsigned n_threads);
void cpu_group_ntt(struct stream *stream, const struct domain *domain, struct buf *points,
                   bool inverse, bool coset);
size_t cpu_group_ntt_bytes(const struct curve *curve, enum element group, unsigned lg_n,
                           unsigned n_threads);
void cpu_scale_points(struct stream *stream, struct buf *points, const struct scalar *first,
                      const struct scalar *base, size_t n);
size_t cpu_scale_points_bytes(const struct curve *curve, enum element group, size_t n,
                              unsigned n_threads);
void cpu_point_spmv(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
                    const struct buf *points, bool inputs, uint64_t first, size_t n);
size_t cpu_point_spmv_bytes(const struct curve *curve, const struct matrix *matrix,
                            enum element group, size_t n, unsigned n_threads);

#endif
