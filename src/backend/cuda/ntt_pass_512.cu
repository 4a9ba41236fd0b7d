/* The pass over 512 points, unrolled: what every size from 2^13 on spends most of its time in.
 *
 * As ntt_kernels.cu, but products are made from registers on their way to shared memory, and a
 * block takes 4 neighbouring columns (128-byte segments) of strided elements in 256 threads, two
 * blocks an SM, or 2 rows of neighbouring ones in 128 threads, four an SM. Shared memory: two
 * planes of 16-byte halves, element i of a column at i ^ (i / 64): no bank conflicts in any of the
 * three patterns. */
#include "backend/cuda/curve_unit.cuh"
#include "backend/cuda/dft.cuh"
#include "backend/cuda/grid.cuh"
#include "backend/cuda/launch.h"
#include "backend/cuda/ntt_split.cuh"

enum after { AFTER_NOTHING, AFTER_TABLE, AFTER_SPLIT, AFTER_OTHER };

struct pass_512 {
    const fr_t *from;
    fr_t *to;
    u32 lg_stride, root_power, mask;
    bool canonical;
    const fr_const *inner;
    const void *table; /* fr_const; AFTER_OTHER: fr_t of the other vector */
    ntt_split split;   /* AFTER_SPLIT */
};

template <int COLUMNS, bool ROWS> struct tile {
    uint4 *plane;
    u32 column;

    __device__ __forceinline__ u32 at(u32 i) const
    {
        i ^= i >> 6;
        return ROWS ? column * 512 + i : i * COLUMNS + column;
    }
    __device__ __forceinline__ void put(u32 i, const fr_t &r) const
    {
        uint4 *p = plane + at(i);

        p[0] = make_uint4(r.l[0], r.l[1], r.l[2], r.l[3]);
        p[COLUMNS * 512] = make_uint4(r.l[4], r.l[5], r.l[6], r.l[7]);
    }
    __device__ __forceinline__ fr_t get(u32 i) const
    {
        const uint4 *p = plane + at(i);
        const uint4 a = p[0], b = p[COLUMNS * 512];

        return fr_t{{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
    }
};

template <int COLUMNS, bool ROWS, enum after AFTER>
static __global__ void __launch_bounds__(64 * COLUMNS, 8 / COLUMNS)
    pass_512_kernel(const __grid_constant__ pass_512 s)
{
    extern __shared__ uint4 shared[];
    const u32 t = ROWS ? threadIdx.x % 64 : threadIdx.x / COLUMNS;
    const u32 c = ROWS ? threadIdx.x / 64 : threadIdx.x % COLUMNS;
    const u32 column = blockIdx.x * COLUMNS + c, step = ROWS ? 64 : 64u << s.lg_stride;
    const u32 pos = ROWS ? (column << 9) + t
                         : ((column >> s.lg_stride) << (s.lg_stride + 9)) +
                               (column & ((1u << s.lg_stride) - 1)) + (t << s.lg_stride);
    const tile<COLUMNS, ROWS> tile = {shared, c};
    fr_t x[8];

#pragma unroll
    for (u32 m = 0; m < 8; m++)
        x[m] = fr_load(s.from + pos + m * step);
    dft8(x);
    tile.put(t, x[0]);
#pragma unroll
    for (u32 m = 1; m < 8; m++) {
        const u32 b = m * s.root_power & 7;

        tile.put(b * 64 + t, fr_mul_table(x[m], s.inner + b * 64 + t));
    }
    __syncthreads();
    const u32 high = t / 8 * 64, low = t % 8;

#pragma unroll
    for (u32 m = 0; m < 8; m++)
        x[m] = tile.get(high + m * 8 + low);
    dft8(x);
    tile.put(high + low, x[0]);
#pragma unroll
    for (u32 m = 1; m < 8; m++) {
        const u32 b = m * s.root_power & 7;

        tile.put(high + b * 8 + low, fr_mul_table(x[m], s.inner + 512 + b * 8 + low));
    }
    __syncthreads();
#pragma unroll
    for (u32 m = 0; m < 8; m++)
        x[m] = tile.get(low * 64 + high / 8 + m);
    dft8(x);
#pragma unroll
    for (u32 m = 0; m < 8; m++) {
        const u32 at = pos + (m * s.root_power & 7) * step;
        fr_t y = x[m];

        if (AFTER == AFTER_TABLE)
            y = fr_mul_table(y, (const fr_const *)s.table + (at & s.mask));
        if (AFTER == AFTER_SPLIT)
            y = ntt_split_mul(y, s.split, at);
        if (AFTER == AFTER_OTHER)
            y = fr_mul_mont(y, fr_load((const fr_t *)s.table + at));
        fr_store(s.to + at, AFTER == AFTER_NOTHING || s.canonical ? fr_canon(y) : y);
    }
}

template <int COLUMNS, bool ROWS, enum after AFTER>
static cudaError_t launch(const struct pass_512 &s, unsigned lg_n, cudaStream_t stream)
{
    enum { BYTES = COLUMNS * 512 * 32 };
    cudaError_t e = cudaFuncSetAttribute(pass_512_kernel<COLUMNS, ROWS, AFTER>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);

    if (e != cudaSuccess)
        return e;
    pass_512_kernel<COLUMNS, ROWS, AFTER>
        <<<(1u << (lg_n - 9)) / COLUMNS, 64 * COLUMNS, BYTES, stream>>>(s);
    return cudaGetLastError();
}
template <int COLUMNS, bool ROWS>
static cudaError_t launch_after(const struct pass_512 &s, const struct ntt_pass *pass,
                                cudaStream_t stream)
{
    if (pass->other)
        return launch<COLUMNS, ROWS, AFTER_OTHER>(s, pass->lg_n, stream);
    if (pass->table_high)
        return launch<COLUMNS, ROWS, AFTER_SPLIT>(s, pass->lg_n, stream);
    if (pass->table)
        return launch<COLUMNS, ROWS, AFTER_TABLE>(s, pass->lg_n, stream);
    return launch<COLUMNS, ROWS, AFTER_NOTHING>(s, pass->lg_n, stream);
}

cudaError_t KERNEL(ntt_pass_512)(const struct ntt_pass *pass, cudaStream_t stream)
{
    const struct pass_512 s = {
        (const fr_t *)pass->from,
        (fr_t *)pass->to,
        pass->lg_stride,
        pass->root_power,
        (u32)pass->mask,
        pass->canonical,
        (const fr_const *)pass->inner,
        pass->other ? pass->other : pass->table,
        ntt_split_of(pass),
    };

    return pass->lg_stride ? launch_after<4, false>(s, pass, stream)
                           : launch_after<2, true>(s, pass, stream);
}
