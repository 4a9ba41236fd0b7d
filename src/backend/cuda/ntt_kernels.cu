/* One pass of a transform: a DFT of n = 2^3 .. 2^9 points over one digit of the index.
 *
 * A thread holds 8 elements; n / 8 threads make a column, and a block of 128 threads works on
 * several columns. Radix-8 steps in registers alternate with products by inner twiddles and
 * exchanges through shared memory; a last step of radix 8, 4 or 2 finishes. The code is rolled (one
 * DFT in a loop over the steps): an unrolled pass is 4 % faster but 106 KB of instructions.
 *
 * Shared memory holds a column's element i at slot i + i / (n/8), in two planes of 16-byte halves;
 * every step reads and writes the thread's own 8 slots, so one barrier a step is enough.
 *
 *   step 0    slots t + m (n/8 + 1)                          8-point DFT, product by w^(b t)
 *   step 1    (b, a) = (t / (n/64), t % (n/64)):
 *             slots b (n/8 + 1) + a + m n/64                 8-point DFT, product by w^(8 a m)
 *   last      sub-transform u = digits (b0, b1) of the output index: slots of (b0, b1, m)
 *
 * A direction, or another domain generator, changes nothing but where outputs are found (dft.cuh).
 */
#include "backend/cuda/curve_unit.cuh"
#include "backend/cuda/dft.cuh"
#include "backend/cuda/grid.cuh"
#include "backend/cuda/launch.h"
#include "backend/cuda/ntt_split.cuh"

/* ---- shared memory -------------------------------------------------------------------------- */

/* A block's columns fit in PLANE slots: 2 of 520, 4 of 264, 8 of 136, 16 of 72, 16 of 40, 32 of 24.
 */
enum { BLOCK = 128, MAX_COLUMNS = 32, PLANE = 1152 };

DEVICE fr_t slot_get(const uint4 *p)
{
    uint4 a = p[0], b = p[PLANE];

    return fr_t{{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}
DEVICE void slot_put(uint4 *p, const fr_t &r)
{
    p[0] = make_uint4(r.l[0], r.l[1], r.l[2], r.l[3]);
    p[PLANE] = make_uint4(r.l[4], r.l[5], r.l[6], r.l[7]);
}
DEVICE void copy_async(uint4 *shared, const uint4 *global)
{
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(shared)),
        "l"(global));
}
DEVICE void copy_wait()
{
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
}

/* p[m stride] *= tab[m step] for m in [1, 8); the next operands are fetched before each product */
DEVICE void twiddle_slots(uint4 *p, u32 stride, const fr_const *tab, u32 step)
{
    fr_const c;
    fr_t y = slot_get(p + stride);

    fr_const_load(c, tab + step);
#pragma unroll
    for (int m = 1; m < 8; m++) {
        fr_const c_next = c;
        fr_t y_next = y;

        if (m < 7) {
            y_next = slot_get(p + (m + 1) * stride);
            fr_const_load(c_next, tab + (m + 1) * step);
        }
        slot_put(p + m * stride, fr_mul_const(y, c.w, c.v));
        y = y_next;
        c = c_next;
    }
}

/* ---- the pass ------------------------------------------------------------------------------- */

enum after { AFTER_NOTHING, AFTER_TABLE, AFTER_SPLIT, AFTER_OTHER };

struct pass_shape {
    const fr_t *from;
    fr_t *to;
    u32 n_columns; /* of the whole vector */
    u32 lg_points, lg_stride;
    u32 lg_columns;     /* of a block */
    u32 twiddled_steps; /* 8-point steps that are followed by inner twiddles */
    u32 root_power;
    u32 mask;
    bool canonical;
    const fr_const *inner;
    const void *table; /* fr_const; AFTER_OTHER: fr_t of the other vector */
    ntt_split split;   /* AFTER_SPLIT */
};

/* RADIX: of the last step. Registers are capped at 128 so that four blocks fit an SM. */
template <int RADIX, enum after AFTER>
static __global__ void __launch_bounds__(BLOCK, 4) pass_kernel(const __grid_constant__ pass_shape s)
{
    __shared__ uint4 shared[2 * PLANE];
    const u32 lg_q = s.lg_points - 3, n = 1u << s.lg_points, q = 1u << lg_q;
    const bool side_by_side = s.lg_stride == 0;
    /* thread t of column c: lanes run along the elements that lie together in memory */
    const u32 t = side_by_side ? threadIdx.x & (q - 1) : threadIdx.x >> s.lg_columns;
    const u32 c = side_by_side ? threadIdx.x >> lg_q : threadIdx.x & ((1u << s.lg_columns) - 1);
    const u32 column = (blockIdx.x << s.lg_columns) + c;
    const bool active = column < s.n_columns;
    const u32 unit = side_by_side ? 1 : 1u << s.lg_columns;
    const u32 step = q << s.lg_stride;
    const u32 pos = ((column >> s.lg_stride) << (s.lg_stride + s.lg_points)) +
                    (column & ((1u << s.lg_stride) - 1)) + (t << s.lg_stride);
    uint4 *const own = shared + (side_by_side ? c * (n + 8) : c);
    fr_t x[8];

    if (active) {
#pragma unroll
        for (u32 m = 0; m < 8; m++) {
            const uint4 *g = (const uint4 *)(s.from + pos + m * step);
            uint4 *p = own + (t + m * (q + 1)) * unit;

            copy_async(p, g);
            copy_async(p + PLANE, g + 1);
        }
    }
    copy_wait();

#pragma unroll 1
    for (u32 k = 0; k < s.twiddled_steps; k++) {
        const u32 lg_r = k == 0 ? lg_q : lg_q - 3; /* n / 8, then n / 64 */
        const u32 a = t & ((1u << lg_r) - 1), b = t >> lg_r;
        const u32 stride = (k == 0 ? q + 1 : 1u << lg_r) * unit;
        uint4 *const p = own + (b * (q + 1) + a) * unit;

        if (active) {
#pragma unroll
            for (u32 m = 0; m < 8; m++)
                x[m] = slot_get(p + m * stride);
            dft8(x);
#pragma unroll
            for (u32 m = 0; m < 8; m++)
                slot_put(p + (m * s.root_power & 7) * stride, x[m]);
            twiddle_slots(p, stride, s.inner + (k == 0 ? 0 : n) + a, 1u << lg_r);
        }
        __syncthreads();
    }
    if (!active)
        return;

    /* The last step: 8 / RADIX sub-transforms u of RADIX points. Output m of sub-transform u is
     * element u + 8^steps m of the result, so this thread ends with elements t + j n/8, j = E m +
     * e. */
    constexpr u32 E = 8 / RADIX;
    const u32 base = s.twiddled_steps == 0 ? 0 : (t & 7) * (q + 1) + (t >> 3) * (q >> 3);
    const u32 stride_e = (s.twiddled_steps == 2 ? RADIX : q + 1) * RADIX * unit;
    const u32 stride_m = (s.twiddled_steps == 0 ? q + 1 : 1) * unit;
    uint4 *const p = own + base * unit;

#pragma unroll
    for (u32 j = 0; j < 8; j++)
        x[j] = slot_get(p + j % E * stride_e + j / E * stride_m);
    if (RADIX == 8)
        dft8(x);
    if (RADIX == 4)
        dft4(x[0], x[2], x[4], x[6]), dft4(x[1], x[3], x[5], x[7]);
    if (RADIX == 2)
        dft2(x[0], x[4]), dft2(x[1], x[5]), dft2(x[2], x[6]), dft2(x[3], x[7]);

    if (AFTER == AFTER_NOTHING) {
#pragma unroll
        for (u32 j = 0; j < 8; j++) {
            u32 m = j / E * s.root_power & (RADIX - 1);

            fr_store(s.to + pos + (E * m + j % E) * step, fr_canon(x[j]));
        }
    }
    /* through the thread's own slots once more, so that only one product is in registers */
    if (AFTER != AFTER_NOTHING) {
#pragma unroll
        for (u32 j = 0; j < 8; j++)
            slot_put(p + j % E * stride_e + (j / E * s.root_power & (RADIX - 1)) * stride_m, x[j]);
    }
    if (AFTER == AFTER_TABLE) {
        const fr_const *const table = (const fr_const *)s.table;
        fr_t y = slot_get(p);
        fr_const c;

        fr_const_load(c, table + (pos & s.mask));
#pragma unroll
        for (u32 j = 0; j < 8; j++) { /* the next operands are fetched before each product */
            fr_t y_next = y;
            fr_const c_next = c;

            if (j < 7) {
                y_next = slot_get(p + (j + 1) % E * stride_e + (j + 1) / E * stride_m);
                fr_const_load(c_next, table + ((pos + (j + 1) * step) & s.mask));
            }
            y = fr_mul_const(y, c.w, c.v);
            fr_store(s.to + pos + j * step, s.canonical ? fr_canon(y) : y);
            y = y_next;
            c = c_next;
        }
    }
    if (AFTER == AFTER_SPLIT || AFTER == AFTER_OTHER) {
#pragma unroll 1
        for (u32 j = 0; j < 8; j++) {
            const u32 at = pos + j * step;
            fr_t y = slot_get(p + j % E * stride_e + j / E * stride_m);

            if (AFTER == AFTER_SPLIT)
                y = ntt_split_mul(y, s.split, at);
            else
                y = fr_mul_mont(y, fr_load((const fr_t *)s.table + at));
            fr_store(s.to + at, s.canonical ? fr_canon(y) : y);
        }
    }
}

template <int RADIX>
static cudaError_t launch_pass(const struct pass_shape &s, enum after after, unsigned grid,
                               unsigned block, cudaStream_t stream)
{
    if (after == AFTER_NOTHING)
        pass_kernel<RADIX, AFTER_NOTHING><<<grid, block, 0, stream>>>(s);
    else if (after == AFTER_TABLE)
        pass_kernel<RADIX, AFTER_TABLE><<<grid, block, 0, stream>>>(s);
    else if (after == AFTER_SPLIT)
        pass_kernel<RADIX, AFTER_SPLIT><<<grid, block, 0, stream>>>(s);
    else
        pass_kernel<RADIX, AFTER_OTHER><<<grid, block, 0, stream>>>(s);
    return cudaGetLastError();
}

cudaError_t KERNEL(ntt_pass)(const struct ntt_pass *pass, cudaStream_t stream)
{
    if (pass->lg_points == 9 && pass->lg_n - 9 >= 2 && pass->lg_stride != 1)
        return KERNEL(ntt_pass_512)(pass, stream);
    const unsigned lg_threads = pass->lg_points - 3;
    unsigned lg_columns = 7 - lg_threads;
    const enum after after = pass->other        ? AFTER_OTHER
                             : pass->table_high ? AFTER_SPLIT
                             : pass->table      ? AFTER_TABLE
                                                : AFTER_NOTHING;
    struct pass_shape s = {};

    while ((1u << lg_columns) > MAX_COLUMNS || ((8u << lg_threads) + 8) << lg_columns > PLANE)
        lg_columns--;
    s.from = (const fr_t *)pass->from;
    s.to = (fr_t *)pass->to;
    s.n_columns = 1u << (pass->lg_n - pass->lg_points);
    s.lg_points = pass->lg_points;
    s.lg_stride = pass->lg_stride;
    s.lg_columns = lg_columns;
    s.twiddled_steps = pass->lg_points % 3 ? pass->lg_points / 3 : pass->lg_points / 3 - 1;
    s.root_power = pass->root_power;
    s.mask = (u32)pass->mask;
    s.canonical = pass->canonical;
    s.inner = (const fr_const *)pass->inner;
    s.table = pass->other ? pass->other : pass->table;
    s.split = ntt_split_of(pass);
    const unsigned grid = grid_of(s.n_columns, 1u << lg_columns),
                   block = 1u << (lg_threads + lg_columns);
    if (pass->lg_points % 3 == 0)
        return launch_pass<8>(s, after, grid, block, stream);
    if (pass->lg_points % 3 == 2)
        return launch_pass<4>(s, after, grid, block, stream);
    return launch_pass<2>(s, after, grid, block, stream);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* x^e from its powers, low 14 bits and the rest apart; canonical Montgomery form */
DEVICE fr_t power_at(const fr_t *low, const fr_t *high, u32 e)
{
    return fr_canon(fr_mul_mont(fr_load(low + (e & 16383)), fr_load(high + (e >> 14))));
}
template <bool MONT>
static __global__ void __launch_bounds__(256)
    twiddle_kernel(void *table, u32 lg_rows, u32 lg_cols, const fr_t *w_low, const fr_t *w_high,
                   const fr_t *g_low, const fr_t *g_high)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    const u32 row = (u32)(i >> lg_cols), col = (u32)i & ((1u << lg_cols) - 1);
    fr_t m;

    if (i >> (lg_rows + lg_cols))
        return;
    m = power_at(w_low, w_high, row * col);
    if (g_low)
        m = fr_canon(fr_mul_mont(m, power_at(g_low, g_high, row)));
    if (MONT)
        fr_store((fr_t *)table + i, m);
    else
        fr_const_store((fr_const *)table + i, fr_const_make(m));
}
cudaError_t KERNEL(twiddle_table)(void *table, bool mont, unsigned lg_rows, unsigned lg_cols,
                                  const void *w_low, const void *w_high, const void *g_low,
                                  const void *g_high, cudaStream_t stream)
{
    const unsigned grid = grid_of((size_t)1 << (lg_rows + lg_cols), 256);

    (mont ? twiddle_kernel<true> : twiddle_kernel<false>)<<<grid, 256, 0, stream>>>(
        table, lg_rows, lg_cols, (const fr_t *)w_low, (const fr_t *)w_high, (const fr_t *)g_low,
        (const fr_t *)g_high);
    return cudaGetLastError();
}

/* ---- order ---------------------------------------------------------------------------------- */

/* where the passes leave element k */
DEVICE u32 digit_position(u32 k, const struct ntt_digits &d, u32 lg_n)
{
    u32 position = 0, left = lg_n;

#pragma unroll
    for (u32 i = 0; i < NTT_MAX_DIGITS; i++)
        if (i < d.n) {
            left -= d.lg[i];
            position += (k & ((1u << d.lg[i]) - 1)) << left;
            k >>= d.lg[i];
        }
    return position;
}
static __global__ void __launch_bounds__(256) permute_kernel(const __grid_constant__ ntt_permute p)
{
    const u32 k = blockIdx.x * 256 + threadIdx.x;
    u32 position, from, to;
    fr_t x;

    if (k >> p.lg_n)
        return;
    position = digit_position(k, p.digits, p.lg_n);
    from = p.order == NTT_TO_DIGITS ? k : position;
    to = p.order == NTT_TO_NATURAL ? k : position;
    x = fr_load((const fr_t *)p.in + from);
    if (p.low) {
        const u32 e = k & (u32)p.mask;

        x = fr_mul_table(x, (const fr_const *)p.low + (e & 16383));
        x = fr_mul_table(x, (const fr_const *)p.high + (e >> 14));
    }
    if (p.last_digit)
        x = fr_mul_table(x, (const fr_const *)p.last_digit +
                                (k >> (p.lg_n - p.digits.lg[p.digits.n - 1])));
    if (p.minus)
        x = fr_sub(x, fr_load((const fr_t *)p.minus + from));
    fr_store((fr_t *)p.out + to, fr_canon(x));
}
cudaError_t KERNEL(ntt_permute)(const struct ntt_permute *permute, cudaStream_t stream)
{
    permute_kernel<<<grid_of((size_t)1 << permute->lg_n, 256), 256, 0, stream>>>(*permute);
    return cudaGetLastError();
}

/* ---- below 8 points ------------------------------------------------------------------------- */

struct tiny {
    fr_t w, pre, first, post; /* plain */
};
static __global__ void tiny_kernel(fr_t *data, u32 n, const __grid_constant__ tiny s)
{
    const fr_t w = fr_to_mont(s.w), pre = fr_to_mont(s.pre), post = fr_to_mont(s.post);
    fr_t in[4], factor = fr_pow_mont(pre, 0);

    for (u32 k = 0; k < n; k++) {
        in[k] = fr_mul_mont(fr_load(data + k), factor);
        factor = fr_mul_mont(factor, pre);
    }
    factor = fr_to_mont(s.first);
    for (u32 j = 0; j < n; j++) {
        fr_t sum = fr_zero();

        for (u32 k = 0; k < n; k++)
            sum = fr_add(sum, fr_mul_mont(in[k], fr_pow_mont(w, j * k)));
        fr_store(data + j, fr_canon(fr_mul_mont(sum, factor)));
        factor = fr_mul_mont(factor, post);
    }
}
cudaError_t KERNEL(ntt_tiny)(void *data, unsigned lg_n, const struct scalar *w,
                             const struct scalar *pre, const struct scalar *first,
                             const struct scalar *post, cudaStream_t stream)
{
    struct tiny s = {fr_of(w), fr_of(pre), fr_of(first), fr_of(post)};

    tiny_kernel<<<1, 1, 0, stream>>>((fr_t *)data, 1u << lg_n, s);
    return cudaGetLastError();
}
