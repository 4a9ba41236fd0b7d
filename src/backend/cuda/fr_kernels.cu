/* Operations on vectors of scalars: 256 threads a block, no shared memory, memory-bound. */
#include "backend/cuda/curve_unit.cuh"
#include "backend/cuda/fr.cuh"
#include "backend/cuda/launch.h"
#include "backend/cuda/grid.cuh"

/* ---- powers: a thread computes one power by squaring, then strides -------------------------- */

enum { POWER_RUN = 16 };

/* what to write at index i: 0 plain, 1 Montgomery, 2 constant */
template <int FORM>
static __global__ void __launch_bounds__(256)
    powers_kernel(void *out, fr_t first, fr_t base, u64 step, size_t n, size_t threads)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    fr_t b = fr_to_mont(base), x, run;

    if (i >= threads)
        return;
    x = fr_mul_mont(fr_pow_mont(b, i * step), fr_to_mont(first));
    run = fr_pow_mont(b, threads * step);
    for (; i < n; i += threads) {
        if (FORM == 0)
            fr_store((fr_t *)out + i, fr_from_mont(x));
        if (FORM == 1)
            fr_store((fr_t *)out + i, fr_canon(x));
        if (FORM == 2)
            fr_const_store((fr_const *)out + i, fr_const_make(fr_canon(x)));
        x = fr_mul_mont(x, run);
    }
}

template <int FORM>
static cudaError_t powers(void *out, const struct scalar *first, const struct scalar *base,
                          u64 step, size_t n, cudaStream_t stream)
{
    size_t threads = ceil_div(n, POWER_RUN);

    if (n == 0)
        return cudaSuccess;
    powers_kernel<FORM><<<grid_of(threads, 256), 256, 0, stream>>>(out, fr_of(first), fr_of(base),
                                                                   step, n, threads);
    return cudaGetLastError();
}
cudaError_t KERNEL(powers)(void *out, const struct scalar *first, const struct scalar *base,
                           size_t n, cudaStream_t stream)
{
    return powers<0>(out, first, base, 1, n, stream);
}
cudaError_t KERNEL(mont_powers)(void *out, const struct scalar *base, uint64_t step, size_t n,
                                cudaStream_t stream)
{
    struct scalar one = {{1}};

    return powers<1>(out, &one, base, step, n, stream);
}
cudaError_t KERNEL(const_powers)(void *out, const struct scalar *first, const struct scalar *base,
                                 uint64_t step, size_t n, cudaStream_t stream)
{
    return powers<2>(out, first, base, step, n, stream);
}

/* ---- Lagrange polynomials at a point: a thread strides, and inverts once for all its values --- */

enum { LAGRANGE_RUN = 64 };

/* a^(r - 2), Montgomery form; not 0 */
DEVICE fr_t fr_inv_mont(const fr_t &a)
{
    const u32 p[8] = FR_P;
    fr_t r = fr_to_mont(fr_t{{1, 0, 0, 0, 0, 0, 0, 0}});
    u32 e[8];

    e[0] = sub_cc(p[0], 2u);
#pragma unroll
    for (int i = 1; i < 8; i++)
        e[i] = subc_cc(p[i], 0u);
    for (int k = 255; k >= 0; k--) {
        r = fr_mul_mont(r, r);
        if (e[k / 32] >> (k % 32) & 1)
            r = fr_mul_mont(r, a);
    }
    return r;
}
/* The place of a value holds the product of the denominators before it, then the value. */
static __global__ void __launch_bounds__(256)
    lagrange_kernel(fr_t *out, fr_t y, fr_t root, fr_t root_inv, fr_t scale, size_t n,
                    size_t threads)
{
    const size_t begin = (size_t)blockIdx.x * 256 + threadIdx.x;
    size_t i;

    if (begin >= threads)
        return;
    const fr_t one = fr_to_mont(fr_t{{1, 0, 0, 0, 0, 0, 0, 0}});
    const fr_t down = fr_pow_mont(fr_to_mont(root_inv), threads);
    const fr_t up = fr_pow_mont(fr_to_mont(root), threads);
    fr_t at = fr_mul_mont(fr_pow_mont(fr_to_mont(root_inv), begin), fr_to_mont(y)), rest = one;

    for (i = begin; i < n; i += threads) {
        fr_store(out + i, fr_canon(rest));
        rest = fr_mul_mont(rest, fr_sub(at, one));
        at = fr_mul_mont(at, down);
    }
    rest = fr_mul_mont(fr_inv_mont(rest), fr_to_mont(scale));
    while (i > begin) {
        i -= threads;
        at = fr_mul_mont(at, up);
        fr_store(out + i, fr_from_mont(fr_mul_mont(fr_load(out + i), rest)));
        rest = fr_mul_mont(rest, fr_sub(at, one));
    }
}
cudaError_t KERNEL(lagrange)(void *out, const struct lagrange *l, size_t n, cudaStream_t stream)
{
    const size_t threads = ceil_div(n, LAGRANGE_RUN);

    if (n)
        lagrange_kernel<<<grid_of(threads, 256), 256, 0, stream>>>(
            (fr_t *)out, fr_of(&l->y), fr_of(&l->root), fr_of(&l->root_inv), fr_of(&l->scale), n,
            threads);
    return cudaGetLastError();
}

/* ---- pointwise ------------------------------------------------------------------------------ */

/* MONT: leaves a b / 2^256 */
template <bool MONT>
static __global__ void __launch_bounds__(256)
    mul_kernel(fr_t *out, const fr_t *a, const fr_t *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;

    if (i >= n)
        return;
    fr_t x = fr_load(a + i);

    fr_store(out + i, fr_canon(fr_mul_mont(MONT ? x : fr_to_mont(x), fr_load(b + i))));
}
static __global__ void __launch_bounds__(256)
    sub_kernel(fr_t *out, const fr_t *a, const fr_t *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;

    if (i < n)
        fr_store(out + i, fr_canon(fr_sub(fr_load(a + i), fr_load(b + i))));
}
template <bool ADD>
static __global__ void __launch_bounds__(256)
    scale_kernel(fr_t *out, const fr_t *a, fr_t factor, size_t n)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;

    if (i >= n)
        return;
    fr_t x = fr_mul_mont(fr_load(a + i), fr_to_mont(factor));

    if (ADD)
        x = fr_add(x, fr_load(out + i));
    fr_store(out + i, fr_canon(x));
}

cudaError_t KERNEL(mul)(void *out, const void *a, const void *b, size_t n, cudaStream_t stream)
{
    if (n)
        mul_kernel<false>
            <<<grid_of(n, 256), 256, 0, stream>>>((fr_t *)out, (const fr_t *)a, (const fr_t *)b, n);
    return cudaGetLastError();
}
cudaError_t KERNEL(mul_mont)(void *out, const void *a, const void *b, size_t n, cudaStream_t stream)
{
    if (n)
        mul_kernel<true>
            <<<grid_of(n, 256), 256, 0, stream>>>((fr_t *)out, (const fr_t *)a, (const fr_t *)b, n);
    return cudaGetLastError();
}
cudaError_t KERNEL(sub)(void *out, const void *a, const void *b, size_t n, cudaStream_t stream)
{
    if (n)
        sub_kernel<<<grid_of(n, 256), 256, 0, stream>>>((fr_t *)out, (const fr_t *)a,
                                                        (const fr_t *)b, n);
    return cudaGetLastError();
}
cudaError_t KERNEL(scale)(void *out, const void *a, const struct scalar *factor, bool add, size_t n,
                          cudaStream_t stream)
{
    if (n && add)
        scale_kernel<true>
            <<<grid_of(n, 256), 256, 0, stream>>>((fr_t *)out, (const fr_t *)a, fr_of(factor), n);
    else if (n)
        scale_kernel<false>
            <<<grid_of(n, 256), 256, 0, stream>>>((fr_t *)out, (const fr_t *)a, fr_of(factor), n);
    return cudaGetLastError();
}

/* ---- some of a vector's elements ------------------------------------------------------------ */

static __global__ void __launch_bounds__(256) ones_kernel(u32 *counts, const u64 *map, size_t n)
{
    const size_t w = (size_t)blockIdx.x * 256 + threadIdx.x, n_words = n / 64;

    if (w < n_words)
        counts[w] = (u32)__popcll(map[w]);
    else if (w == n_words)
        counts[w] = n % 64 ? (u32)__popcll(map[w] << (64 - n % 64)) : 0;
}
cudaError_t KERNEL(count_ones)(uint32_t *counts, const uint64_t *map, size_t n, cudaStream_t stream)
{
    ones_kernel<<<grid_of(n / 64 + 1, 256), 256, 0, stream>>>(counts, map, n);
    return cudaGetLastError();
}
static __global__ void __launch_bounds__(256)
    select_kernel(fr_t *out, const fr_t *a, const u64 *map, const u32 *offsets, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;

    if (i >= n)
        return;
    const u64 word = map[i / 64], bit = (u64)1 << (i % 64);

    if (word & bit)
        fr_store(out + offsets[i / 64] + (u32)__popcll(word & (bit - 1)), fr_load(a + i));
}
cudaError_t KERNEL(select_scalars)(void *out, const void *a, const uint64_t *map,
                                   const uint32_t *offsets, size_t n, cudaStream_t stream)
{
    if (n)
        select_kernel<<<grid_of(n, 256), 256, 0, stream>>>((fr_t *)out, (const fr_t *)a, map,
                                                           offsets, n);
    return cudaGetLastError();
}
static __global__ void __launch_bounds__(256)
    zero_kernel(unsigned long long *first, const fr_t *a, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    u32 any = 0;

    if (i >= n)
        return;
    const fr_t x = fr_load(a + i);

    for (int k = 0; k < 8; k++)
        any |= x.l[k];
    if (any == 0)
        atomicMin(first, (unsigned long long)i);
}
cudaError_t KERNEL(first_zero)(uint64_t *first, const void *a, size_t n, cudaStream_t stream)
{
    if (n)
        zero_kernel<<<grid_of(n, 256), 256, 0, stream>>>((unsigned long long *)first,
                                                         (const fr_t *)a, n);
    return cudaGetLastError();
}
