/* Points between their forms, and what many multiples of one base need beside
 * additions.
 *
 * A scalar is 16 signed digits of 16 bits; the table holds j 2^(16 w) base for j in [1, 2^15], so a
 * multiple is a sum of 16 table points, added pairwise in four rounds (batch_add.cuh). */
#include "backend/cuda/curve_unit.cuh"
#include "backend/cuda/grid.cuh"
#include "backend/cuda/point_args.cuh"

enum { BITS = CUDA_FIXED_BITS, WINDOWS = CUDA_FIXED_WINDOWS, HALF = 1 << (BITS - 1) };

/* ---- forms ---------------------------------------------------------------------------------- */

DEVICE fp to_native(const fp &a)
{
    return canon(to_mont(a));
}
DEVICE fp2 to_native(const fp2 &a)
{
    return fp2{to_native(a.c0), to_native(a.c1)};
}
DEVICE fp to_plain(const fp &a)
{
    return from_mont(a);
}
DEVICE fp2 to_plain(const fp2 &a)
{
    return fp2{to_plain(a.c0), to_plain(a.c1)};
}
/* Coordinate by coordinate: infinity is all zeros in both forms. */
template <class F>
static __global__ void __launch_bounds__(128) convert_kernel(uint4 *a, size_t n, bool plain)
{
    const size_t i = (size_t)blockIdx.x * 128 + threadIdx.x;
    uint4 *at = a + i * units<F>();

    if (i >= n)
        return;
    const F x = load_strided<F>(at, 1);

    store(at, plain ? to_plain(x) : to_native(x));
}
template <class F>
static cudaError_t convert(void *points, size_t n, bool plain, cudaStream_t stream)
{
    if (n)
        convert_kernel<F><<<grid_of(2 * n, 128), 128, 0, stream>>>((uint4 *)points, 2 * n, plain);
    return cudaGetLastError();
}
cudaError_t KERNEL(points_to_plain)(enum cuda_group group, void *points, size_t n,
                                    cudaStream_t stream)
{
    return BY_GROUP(group, convert, points, n, true, stream);
}
cudaError_t KERNEL(points_from_plain)(enum cuda_group group, void *points, size_t n,
                                      cudaStream_t stream)
{
    return BY_GROUP(group, convert, points, n, false, stream);
}

/* the opposite of points_prepare */
template <class F>
static __global__ void __launch_bounds__(128) native_kernel(uint4 *table, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 128 + threadIdx.x;
    uint4 *p = table + i * 2 * units<F>();
    F zero;

    if (i >= n || !is_infinite(load_strided<F>(p, 1)))
        return;
    set_zero(zero);
    store(p, zero);
    store(p + units<F>(), zero);
}
template <class F> static cudaError_t native(void *table, size_t n, cudaStream_t stream)
{
    if (n)
        native_kernel<F><<<grid_of(n, 128), 128, 0, stream>>>((uint4 *)table, n);
    return cudaGetLastError();
}
cudaError_t KERNEL(points_native)(enum cuda_group group, void *table, size_t n, cudaStream_t stream)
{
    return BY_GROUP(group, native, table, n, stream);
}

/* ---- taking points out of the slots --------------------------------------------------------- */

/* Where the doubling of fixed_pairs leaves j 2^(16 w) base: rows of `known` points each. */
DEVICE u32 table_slot(u32 w, u32 j)
{
    if (j == 1)
        return w;
    const u32 known = 1u << (31 - __clz((int)(j - 1)));

    return WINDOWS * known + w * known + (j - 1 - known);
}
/* out[i] = slot first + i, or, in_windows, multiple i mod 2^15 + 1 of window i / 2^15 */
template <class F>
static __global__ void __launch_bounds__(128)
    take_kernel(uint4 *out, points p, u32 first, bool in_windows, u32 n)
{
    const u32 i = blockIdx.x * 128 + threadIdx.x;

    if (i >= n)
        return;
    const u32 slot = in_windows ? table_slot(i / HALF, i % HALF + 1) : first + i;
    const F x = load<F>(x_of<F>(p, slot)), y = load<F>(y_of<F>(p, slot));
    uint4 *to = out + (size_t)i * 2 * units<F>();
    F zero;

    set_zero(zero);
    store(to, is_infinite(x) ? zero : canon(x));
    store(to + units<F>(), is_infinite(x) ? zero : canon(y));
}
template <class F>
static cudaError_t take(void *out, const struct cuda_points *p, uint32_t first, bool in_windows,
                        size_t n, cudaStream_t stream)
{
    if (n)
        take_kernel<F><<<grid_of(n, 128), 128, 0, stream>>>((uint4 *)out, points_of<F>(*p), first,
                                                            in_windows, (u32)n);
    return cudaGetLastError();
}
cudaError_t KERNEL(points_take)(enum cuda_group group, void *out, const struct cuda_points *points,
                                uint32_t first, size_t n, cudaStream_t stream)
{
    return BY_GROUP(group, take, out, points, first, false, n, stream);
}
cudaError_t KERNEL(fixed_table)(enum cuda_group group, void *table,
                                const struct cuda_points *points, cudaStream_t stream)
{
    return BY_GROUP(group, take, table, points, 0, true, WINDOWS * HALF, stream);
}

/* ---- references ----------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(256) pairs_kernel(uint2 *pairs, u32 known)
{
    const u32 i = blockIdx.x * 256 + threadIdx.x;

    if (i < WINDOWS * known)
        pairs[i] = make_uint2(table_slot(i / known, i % known + 1), table_slot(i / known, known));
}
cudaError_t KERNEL(fixed_pairs)(uint32_t *pairs, uint32_t known, cudaStream_t stream)
{
    pairs_kernel<<<grid_of(WINDOWS * known, 256), 256, 0, stream>>>((uint2 *)pairs, known);
    return cudaGetLastError();
}

/* A thread cuts one scalar (below 2^255, so that the last digit keeps its sign to itself). */
static __global__ void __launch_bounds__(128)
    refs_kernel(uint4 *refs, const uint4 *scalars, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 128 + threadIdx.x;
    u32 borrowed = 0;

    if (i >= n)
        return;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const uint4 s = scalars[2 * i + half];
        const u32 words[4] = {s.x, s.y, s.z, s.w};
        u32 r[8];

#pragma unroll
        for (int k = 0; k < 8; k++) {
            const u32 w = 8 * half + k;
            u32 d = (words[k / 2] >> (16 * (k % 2)) & 0xffff) + borrowed;
            const bool negative = d > HALF;

            borrowed = negative;
            d = negative ? (1u << BITS) - d : d;
            r[k] = d ? (w * HALF + d - 1) | (negative ? REF_NEGATIVE : 0) : WINDOWS * HALF;
        }
        refs[4 * i + 2 * half] = make_uint4(r[0], r[1], r[2], r[3]);
        refs[4 * i + 2 * half + 1] = make_uint4(r[4], r[5], r[6], r[7]);
    }
}
cudaError_t KERNEL(fixed_refs)(uint32_t *refs, const void *scalars, size_t n, cudaStream_t stream)
{
    if (n)
        refs_kernel<<<grid_of(n, 128), 128, 0, stream>>>((uint4 *)refs, (const uint4 *)scalars, n);
    return cudaGetLastError();
}
