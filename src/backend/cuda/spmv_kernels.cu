/* Recorded matrix times packed witness, and its transpose times a vector.
 *
 * Rows come in two kinds. A short row belongs to a thread, which keeps it for several copies of a
 * repeat, so that its terms are read once; nearly all its terms are a small coefficient times a
 * bit, which are added up as 64-bit integers, and field arithmetic is done only where a full value
 * or a large coefficient appears. A long row, of more than CUDA_SHORT_TERMS terms, belongs to a
 * warp. */
#include "backend/cuda/curve_unit.cuh"
#include "backend/matrix.h"
#include "backend/cuda/fr.cuh"
#include "backend/cuda/grid.cuh"
#include "backend/cuda/launch.h"

/* ---- the witness ---------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(256)
    record_kernel(uint4 *records, const u32 *full_map, const u32 *bits, const u32 *rank, size_t n)
{
    const size_t w = (size_t)blockIdx.x * 256 + threadIdx.x; /* 32 variables */
    u32 before;

    if (w >= n)
        return;
    before = rank[w / 16];
    for (size_t k = w / 16 * 16; k < w; k++)
        before += (u32)__popc(full_map[k]);
    records[w] = make_uint4(full_map[w], bits[w], before, 0);
}
cudaError_t KERNEL(witness_records)(void *records, const uint64_t *full_map, const uint64_t *bits,
                                    const uint32_t *full_rank, size_t n_words, cudaStream_t stream)
{
    if (n_words)
        record_kernel<<<grid_of(2 * n_words, 256), 256, 0, stream>>>(
            (uint4 *)records, (const u32 *)full_map, (const u32 *)bits, full_rank, 2 * n_words);
    return cudaGetLastError();
}

/* ---- the dictionary ------------------------------------------------------------------------- */

/* Montgomery form, and the coefficient as a small integer, 0 if it is not one. */
static __global__ void __launch_bounds__(256)
    dictionary_kernel(const fr_t *plain, fr_t *mont, long long *small, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;

    if (i >= n)
        return;
    const fr_t c = fr_load(plain + i), minus = fr_canon(fr_sub(fr_zero(), c));
    u32 high = 0, minus_high = 0;

    for (int k = 1; k < 8; k++)
        high |= c.l[k], minus_high |= minus.l[k];
    fr_store(mont + i, fr_canon(fr_to_mont(c)));
    small[i] = high == 0 ? (long long)c.l[0] : minus_high == 0 ? -(long long)minus.l[0] : 0;
}
cudaError_t KERNEL(dictionary)(const void *plain, void *mont, int64_t *small, size_t n,
                               cudaStream_t stream)
{
    if (n)
        dictionary_kernel<<<grid_of(n, 256), 256, 0, stream>>>((const fr_t *)plain, (fr_t *)mont,
                                                               (long long *)small, n);
    return cudaGetLastError();
}

/* ---- terms ---------------------------------------------------------------------------------- */

/* matrix_resolve of backend/matrix.h, for copy k */
DEVICE u32 resolve(const struct cuda_segment &s, u32 k, u32 var)
{
    if (s.count == 1 || (var & VAR_RELATIVE) == 0)
        return var;
    if ((var & VAR_INPUT) == 0)
        return s.aux_base + k * s.aux_stride + (var & ~VAR_RELATIVE);
    if ((var & VAR_PORT) == VAR_PORT)
        return s.imports[(size_t)k * s.n_ports + (var & VAR_PORT_INDEX)];
    return VAR_INPUT | (s.input_base + k * s.input_stride + (var & VAR_PORT_INDEX));
}
/* The variable's value: a bit, or (true) full, then *index is its place among the values. */
DEVICE bool is_full(const struct cuda_segment &s, u32 var, u32 *index, bool *bit)
{
    if (var == VAR_ONE) {
        *bit = true;
        return false;
    }
    if (var & VAR_INPUT) {
        *index = var & ~VAR_INPUT;
        return true;
    }
    const uint4 r = __ldg((const uint4 *)s.records + (var >> 5));
    const u32 at = var & 31;

    *index = s.n_inputs + r.z + (u32)__popc(r.x & ((1u << at) - 1));
    *bit = r.y >> at & 1;
    return r.x >> at & 1;
}
DEVICE u32 coefficient(const struct cuda_segment &s, u32 term)
{
    return s.coef16 ? s.coef16[term] : s.coef32[term];
}

/* A sum of terms: a field element (below 2r) and an integer beside it. */
struct partial {
    fr_t sum;
    long long small;
    bool any; /* is `sum` more than 0? */
};
DEVICE void add_term(const struct cuda_segment &s, partial &p, u32 var, u32 coef)
{
    u32 index = 0;
    bool bit = false;
    const long long small = s.small[coef];

    if (is_full(s, var, &index, &bit)) {
        fr_t v = fr_load((const fr_t *)s.values + index);

        if (small == -1)
            v = fr_sub(fr_zero(), v);
        else if (small != 1)
            v = fr_mul_mont(fr_load((const fr_t *)s.mont + coef), v);
        p.sum = p.any ? fr_add(p.sum, v) : v;
        p.any = true;
    } else if (bit) {
        p.small += small;
        if (small == 0) {
            const fr_t c = fr_load((const fr_t *)s.plain + coef);

            p.sum = p.any ? fr_add(p.sum, c) : c;
            p.any = true;
        }
    }
}
DEVICE fr_t finish(const partial &p)
{
    const u64 size = (u64)(p.small < 0 ? -p.small : p.small);
    const fr_t x = {{(u32)size, (u32)(size >> 32), 0, 0, 0, 0, 0, 0}};

    if (!p.any && p.small >= 0)
        return x;
    return fr_canon(p.small < 0 ? fr_sub(p.any ? p.sum : fr_zero(), x) : fr_add(p.sum, x));
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Row r of copies [first, first + n): of a short row. */
DEVICE void short_row(const struct cuda_segment &s, u32 r, u32 first, u32 n)
{
    const u32 begin = r ? s.row_end[r - 1] : 0, n_terms = s.row_end[r] - begin;
    u32 var[2] = {0, 0}, coef[2] = {0, 0};

    if (n_terms > CUDA_SHORT_TERMS)
        return;
#pragma unroll
    for (u32 t = 0; t < 2; t++)
        if (t < n_terms)
            var[t] = s.var[begin + t], coef[t] = coefficient(s, begin + t);
    for (u32 k = first; k < first + n; k++) {
        const u64 row = s.first_row + (u64)k * s.n_rows + r;
        partial p = {fr_zero(), 0, false};

        if (row < s.from || row >= s.to)
            continue;
#pragma unroll
        for (u32 t = 0; t < 2; t++)
            if (t < n_terms)
                add_term(s, p, resolve(s, k, var[t]), coef[t]);
        for (u32 t = 2; t < n_terms; t++)
            add_term(s, p, resolve(s, k, s.var[begin + t]), coefficient(s, begin + t));
        fr_store((fr_t *)s.out + (row - s.from), finish(p));
    }
}
/* copies: of a block in its second dimension; 0: threads run over rows and copies alike */
static __global__ void __launch_bounds__(256)
    short_kernel(const __grid_constant__ struct cuda_segment s, u32 copies)
{
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;

    if (copies == 0) {
        if (i < (u64)s.n_rows * s.count)
            short_row(s, (u32)(i % s.n_rows), (u32)(i / s.n_rows), 1);
        return;
    }
    const u32 first = blockIdx.y * copies;

    if (i < s.n_rows)
        short_row(s, (u32)i, first, min(copies, s.count - first));
}
static __global__ void __launch_bounds__(256)
    long_kernel(const __grid_constant__ struct cuda_segment s)
{
    const u64 warp = ((u64)blockIdx.x * 256 + threadIdx.x) >> 5;
    const u32 lane = threadIdx.x & 31, k = (u32)(warp / s.n_long);
    partial p = {fr_zero(), 0, true};

    if (k >= s.count)
        return;
    const u32 r = s.long_rows[warp % s.n_long];
    const u64 row = s.first_row + (u64)k * s.n_rows + r;

    if (row < s.from || row >= s.to)
        return;
    for (u32 t = (r ? s.row_end[r - 1] : 0) + lane; t < s.row_end[r]; t += 32)
        add_term(s, p, resolve(s, k, s.var[t]), coefficient(s, t));
    p.sum = finish(p);
    for (int d = 16; d; d >>= 1) {
        fr_t other;

        for (int w = 0; w < 8; w++)
            other.l[w] = __shfl_down_sync(~0u, p.sum.l[w], d);
        p.sum = fr_add(p.sum, other);
    }
    if (lane == 0)
        fr_store((fr_t *)s.out + (row - s.from), fr_canon(p.sum));
}

cudaError_t KERNEL(spmv_segment)(const struct cuda_segment *s, cudaStream_t stream)
{
    enum { COPIES = 8 };
    const size_t all = (size_t)s->n_rows * s->count;

    if (all == 0)
        return cudaSuccess;
    if (s->n_rows < 65536 || s->count == 1)
        short_kernel<<<grid_of(all, 256), 256, 0, stream>>>(*s, 0);
    else
        short_kernel<<<dim3(grid_of(s->n_rows, 256), grid_of(s->count, COPIES)), 256, 0, stream>>>(
            *s, COPIES);
    if (s->n_long)
        long_kernel<<<grid_of((size_t)s->n_long * s->count * 32, 256), 256, 0, stream>>>(*s);
    return cudaGetLastError();
}

/* ---- transposed ----------------------------------------------------------------------------- */

/* Every term adds its row's value, times a coefficient, to its variable's counters: eight 64-bit
 * sums of 32-bit words, which cannot overflow before 2^32 terms and whose order does not matter.
 * Neighbouring rows mostly name neighbouring variables, so that the atomic additions of a warp fall
 * side by side. ONE, which half of all rows name, is summed up by each warp for itself. */

/* Is the variable among the wanted ones? *index: its place. */
template <bool INPUTS> DEVICE bool is_wanted(const struct cuda_transposed &t, u32 var, u64 *index)
{
    if (((var & VAR_INPUT) != 0) != INPUTS)
        return false;
    *index = (var & ~VAR_INPUT) - t.first;
    return *index < t.n;
}
struct one_sum {
    u64 w[8];
};
/* The row in work, whose value is read when the first term wants it. */
struct row_value {
    u64 row;
    bool known;
    fr_t v;
};
DEVICE fr_t times_coefficient(const struct cuda_segment &s, u32 coef, const fr_t &v)
{
    const long long small = s.small[coef];

    return small == 1    ? v
           : small == -1 ? fr_sub(fr_zero(), v)
                         : fr_mul_mont(fr_load((const fr_t *)s.mont + coef), v);
}
/* Term (var, coef) of the row. */
template <bool INPUTS>
DEVICE void scatter(const struct cuda_segment &s, const struct cuda_transposed &t, row_value &row,
                    u32 var, u32 coef, one_sum &one)
{
    u64 index;

    if (!is_wanted<INPUTS>(t, var, &index))
        return;
    if (!row.known)
        row.v = fr_load((const fr_t *)t.rows + (row.row - s.from));
    row.known = true;
    const fr_t v = times_coefficient(s, coef, row.v);

    if (INPUTS && var == VAR_ONE) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            one.w[k] += v.l[k];
        return;
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (v.l[k])
            atomicAdd((unsigned long long *)t.counters + k * t.n + index, v.l[k]);
}
/* All lanes of a warp. ONE is variable 0. */
DEVICE void add_one(const struct cuda_transposed &t, one_sum one)
{
#pragma unroll
    for (int k = 0; k < 8; k++) {
        for (int d = 16; d; d >>= 1)
            one.w[k] += __shfl_down_sync(~0u, one.w[k], d);
        if ((threadIdx.x & 31) == 0 && one.w[k])
            atomicAdd((unsigned long long *)t.counters + k * t.n, one.w[k]);
    }
}

/* Row r, a short one, of copies [first, first + n). */
template <bool INPUTS>
DEVICE void scatter_row(const struct cuda_segment &s, const struct cuda_transposed &t, u32 r,
                        u32 first, u32 n, one_sum &one)
{
    const u32 begin = r ? s.row_end[r - 1] : 0, n_terms = s.row_end[r] - begin;

    if (n_terms > CUDA_SHORT_TERMS)
        return;
    for (u32 k = first; k < first + n; k++) {
        row_value row = {s.first_row + (u64)k * s.n_rows + r, false};

        if (row.row < s.from || row.row >= s.to)
            continue;
        for (u32 i = begin; i < begin + n_terms; i++)
            scatter<INPUTS>(s, t, row, resolve(s, k, s.var[i]), coefficient(s, i), one);
    }
}
/* copies: as in short_kernel */
template <bool INPUTS>
static __global__ void __launch_bounds__(256)
    scatter_short(const __grid_constant__ struct cuda_segment s,
                  const __grid_constant__ struct cuda_transposed t, u32 copies)
{
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    const u32 first = blockIdx.y * copies;
    one_sum one = {{0}};

    if (copies == 0 && i < (u64)s.n_rows * s.count)
        scatter_row<INPUTS>(s, t, (u32)(i % s.n_rows), (u32)(i / s.n_rows), 1, one);
    if (copies != 0 && i < s.n_rows)
        scatter_row<INPUTS>(s, t, (u32)i, first, min(copies, s.count - first), one);
    if (INPUTS && t.first == 0)
        add_one(t, one);
}
/* A warp a row. */
template <bool INPUTS>
static __global__ void __launch_bounds__(256)
    scatter_long(const __grid_constant__ struct cuda_segment s,
                 const __grid_constant__ struct cuda_transposed t)
{
    const u64 warp = ((u64)blockIdx.x * 256 + threadIdx.x) >> 5;
    const u32 lane = threadIdx.x & 31, k = (u32)(warp / s.n_long);
    one_sum one = {{0}};

    if (k >= s.count)
        return;
    const u32 r = s.long_rows[warp % s.n_long];
    row_value row = {s.first_row + (u64)k * s.n_rows + r, false};

    if (row.row < s.from || row.row >= s.to)
        return;
    for (u32 i = (r ? s.row_end[r - 1] : 0) + lane; i < s.row_end[r]; i += 32)
        scatter<INPUTS>(s, t, row, resolve(s, k, s.var[i]), coefficient(s, i), one);
    if (INPUTS && t.first == 0)
        add_one(t, one);
}
template <bool INPUTS>
static cudaError_t transpose(const struct cuda_segment &s, const struct cuda_transposed &t,
                             cudaStream_t stream)
{
    enum { COPIES = 8 };
    const size_t all = (size_t)s.n_rows * s.count;

    if (s.n_rows < 65536 || s.count == 1)
        scatter_short<INPUTS><<<grid_of(all, 256), 256, 0, stream>>>(s, t, 0);
    else
        scatter_short<INPUTS>
            <<<dim3(grid_of(s.n_rows, 256), grid_of(s.count, COPIES)), 256, 0, stream>>>(s, t,
                                                                                         COPIES);
    if (s.n_long)
        scatter_long<INPUTS>
            <<<grid_of((size_t)s.n_long * s.count * 32, 256), 256, 0, stream>>>(s, t);
    return cudaGetLastError();
}
cudaError_t KERNEL(transpose_segment)(const struct cuda_segment *s, const struct cuda_transposed *t,
                                      cudaStream_t stream)
{
    if ((size_t)s->n_rows * s->count == 0 || t->n == 0)
        return cudaSuccess;
    return t->inputs ? transpose<true>(*s, *t, stream) : transpose<false>(*s, *t, stream);
}

/* sum of counters[k] 2^(32 k) mod r; with h the carry out of the eighth word, h 2^256 = h in
 * Montgomery form */
static __global__ void __launch_bounds__(256)
    counted_kernel(fr_t *out, const u64 *counters, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    u64 carry = 0;
    fr_t low, high = fr_zero();

    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        carry += counters[k * n + i];
        low.l[k] = (u32)carry;
        carry >>= 32;
    }
    high.l[0] = (u32)carry;
    high.l[1] = (u32)(carry >> 32);
    /* 2^256 is above 2r: a product by one makes it a stored value */
    const fr_t one = {FR_MONT_ONE};

    low = fr_mul_mont(one, low);
    fr_store(out + i, fr_canon(fr_add(fr_add(low, fr_to_mont(high)), fr_load(out + i))));
}
cudaError_t KERNEL(add_counted)(void *out, const uint64_t *counters, size_t n, cudaStream_t stream)
{
    if (n)
        counted_kernel<<<grid_of(n, 256), 256, 0, stream>>>((fr_t *)out, counters, n);
    return cudaGetLastError();
}

/* ---- terms for products with points --------------------------------------------------------- */

/* A thread a row and copy. */
static __global__ void __launch_bounds__(256)
    point_terms_kernel(const __grid_constant__ struct cuda_segment s,
                       const __grid_constant__ struct cuda_point_terms t)
{
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    const u32 n_rows = t.to_row - t.from_row;
    const u32 r = t.from_row + (u32)(i % n_rows), k = t.from_copy + (u32)(i / n_rows);

    if (k >= t.to_copy)
        return;
    const u32 row = (u32)(s.first_row + (u64)k * s.n_rows + r);

    for (u32 term = r ? s.row_end[r - 1] : 0; term < s.row_end[r]; term++) {
        const u32 var = resolve(s, k, s.var[term]), coef = coefficient(s, term);
        const long long small = s.small[coef];
        const u64 key = (u64)var - t.first;

        if (key >= t.n)
            continue;
        const u32 at = atomicAdd(t.counts, 1);

        t.keys[at] = (u32)key;
        if (small == 1 || small == -1) {
            t.refs[at] = row | (small < 0 ? 0x80000000u : 0);
            continue;
        }
        const u32 other = atomicAdd(t.counts + 1, 1);

        t.refs[at] = t.first_other + other;
        t.other_rows[other] = row;
        t.other_coefs[other] = coef;
    }
}
cudaError_t KERNEL(point_terms)(const struct cuda_segment *s, const struct cuda_point_terms *t,
                                cudaStream_t stream)
{
    const size_t all = (size_t)(t->to_row - t->from_row) * (t->to_copy - t->from_copy);

    if (all)
        point_terms_kernel<<<grid_of(all, 256), 256, 0, stream>>>(*s, *t);
    return cudaGetLastError();
}
static __global__ void __launch_bounds__(256)
    gather_kernel(fr_t *out, const fr_t *dictionary, const u32 *index, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;

    if (i < n)
        fr_store(out + i, fr_load(dictionary + index[i]));
}
cudaError_t KERNEL(gather_scalars)(void *out, const void *dictionary, const uint32_t *index,
                                   size_t n, cudaStream_t stream)
{
    if (n)
        gather_kernel<<<grid_of(n, 256), 256, 0, stream>>>((fr_t *)out, (const fr_t *)dictionary,
                                                           index, n);
    return cudaGetLastError();
}
