/* Many affine additions at once: one inversion for all.
 *
 * A batch is M pairs of points; thread t of T owns pairs t, t + T, t + 2T, ..
 *
 *   pass 1   d = x2 - x1; stores the product of the thread's earlier d's, and the product of all
 *   tower    inverts the T products: groups of 16 by prefix products, again and again, then at most
 *            TOP inversions (group_kernels.cu), and back
 *   pass 2   the same pairs backwards: 1/d from the running inverse, slope, sum; stored at slot i
 *
 * 5 products and a square an addition. Pairs that are not two different finite points are found in
 * both passes by the same test on the same data, and re-classified: doubled, cancelled, copied;
 * their d is never 0, so a batch is never spoilt.
 *
 * Measured on one H200 (specs in docs/measurements/cuda.md): the first pass over scattered operands
 * is bound by the rate of scattered accesses, everything else by the multiplier. Operands of pass 2
 * come by cp.async.ca (the two halves of a 32-byte sector meet in the first cache) one pair ahead,
 * in a private column of shared memory; scattered ones of pass 1 by cp.async.cg, three of four
 * lanes (six of eight for fp2) copying one x. */
#pragma once
#include "backend/cuda/point.cuh"

/* Operands of pair i: references from a list, or points
 *     a = first + (i >> lg_half << (lg_half + 1)) + (i & (2^lg_half - 1)),  b = a + 2^lg_half. */
struct operands {
    points p;
    const uint2 *pairs;
    u32 first, lg_half;
};
struct batch {
    operands in;
    u32 n_pairs, n_threads;
    uint4 *prefix, *product; /* planes; product becomes its inverse between the passes */
    u32 out;                 /* index of the first result */
};

DEVICE uint2 pair_at(const operands &in, u32 i)
{
    if (in.pairs)
        return __ldg(in.pairs + i);
    const u32 a = in.first + (i >> in.lg_half << (in.lg_half + 1)) + (i & ((1u << in.lg_half) - 1));

    return make_uint2(a, a + (1u << in.lg_half));
}

/* ---- special pairs -------------------------------------------------------------------------- */

enum pair_kind { PAIR_ADD, PAIR_DOUBLE, PAIR_CANCEL, PAIR_FIRST, PAIR_SECOND };

/* What a pair really is, and its denominator. */
template <class F>
static __device__ __noinline__ enum pair_kind classify(const points &p, uint2 r, F *d)
{
    const F x1 = load<F>(x_of<F>(p, r.x)), x2 = load<F>(x_of<F>(p, r.y));

    *d = one<F>();
    if (is_infinite(x1))
        return PAIR_SECOND; /* also when both are */
    if (is_infinite(x2))
        return PAIR_FIRST;
    const F dx = sub_factor(x2, x1);

    if (!is_zero(dx)) {
        *d = dx;
        return PAIR_ADD;
    }
    const F y1 = neg_if(load<F>(y_of<F>(p, r.x)), r.x & REF_NEGATIVE);
    const F y2 = neg_if(load<F>(y_of<F>(p, r.y)), r.y & REF_NEGATIVE);

    if (!is_zero(sub_factor(y2, y1)) || is_zero(y1)) /* y = 0: its own opposite */
        return PAIR_CANCEL;
    *d = add(reduce(y1), reduce(y1));
    return PAIR_DOUBLE;
}
/* The denominator; true when the pair is special. */
template <class F> DEVICE bool denominator(const points &p, uint2 r, const F &x1, const F &x2, F &d)
{
    d = sub_factor(x2, x1);
    if (is_infinite(x1) || is_infinite(x2) || is_zero(d)) {
        F special;

        classify(p, r, &special);
        d = special;
        return true;
    }
    return false;
}

/* ---- asynchronous copies -------------------------------------------------------------------- */

DEVICE u32 shared_address(const uint4 *s)
{
    return (u32)__cvta_generic_to_shared(s);
}
DEVICE void copy_ca(uint4 *s, const uint4 *g)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(s)), "l"(g)
                 : "memory");
}
DEVICE void copy_cg(uint4 *s, const uint4 *g)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(s)), "l"(g)
                 : "memory");
}
DEVICE void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> DEVICE void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* ---- pass 1 --------------------------------------------------------------------------------- */

/* Operands side by side: every round but the first. */
template <class F>
static __global__ void __launch_bounds__(128) pass1_near(const __grid_constant__ batch w)
{
    const u32 T = w.n_threads, M = w.n_pairs, t = blockIdx.x * 128 + threadIdx.x;
    uint4 *prefix = w.prefix + t;
    F running, d;

    if (t >= T)
        return;
    for (u64 i = t; i < M; i += T) {
        const uint2 r = pair_at(w.in, (u32)i);
        const F x1 = load<F>(x_of<F>(w.in.p, r.x)), x2 = load<F>(x_of<F>(w.in.p, r.y));

        if (i == t) {
            denominator(w.in.p, r, x1, x2, running);
            running = reduce(running);
            continue;
        }
        store_plane(prefix, 0, T, running);
        prefix += (size_t)units<F>() * T;
        denominator(w.in.p, r, x1, x2, d);
        running = mul(d, running);
    }
    store_plane(w.product, t, T, running);
}

template <class F>
struct gather_block { /* a warp's: x1 of 32 lanes, x2 of 32 lanes, two pairs deep */
    enum { DEPTH = 2, WARPS = 4 };
    uint4 x[DEPTH][64 * units<F>()];
};
template <class F> DEVICE void gather(uint4 *s, u32 lane, const points &p, uint2 r)
{
    constexpr u32 U = units<F>(), LANES = U <= 2 ? 2 : U <= 4 ? 4 : 8, OWNERS = 32 / LANES;
    const u32 c = lane % LANES;

#pragma unroll
    for (u32 k = 0; k < 2 * LANES; k++) {
        const u32 owner = k % LANES * OWNERS + lane / LANES;
        const u32 ref = __shfl_sync(~0u, k < LANES ? r.x : r.y, owner);
        const uint4 *g = x_of<F>(p, ref) + c;

        if (c < U)
            copy_cg(s + (k / LANES * 32 + owner) * U + c, g);
    }
}
/* Operands scattered over the table. Lanes may have one pair less than their warp: all run to its
 * maximum. */
template <class F>
static __global__ void __launch_bounds__(128) pass1_gather(const __grid_constant__ batch w)
{
    constexpr u32 U = units<F>(), DEPTH = gather_block<F>::DEPTH;
    __shared__ gather_block<F> blocks[4];
    gather_block<F> &sh = blocks[threadIdx.x >> 5];
    const u32 T = w.n_threads, t = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
    const uint2 nothing = make_uint2(0, 0);

    if (t - lane >= T)
        return;
    const u32 n = t < T ? (w.n_pairs - 1 - t) / T + 1 : 0, n_max = __shfl_sync(~0u, n, 0);

#pragma unroll
    for (u32 k = 0; k < DEPTH; k++) {
        if (k < n_max)
            gather<F>(sh.x[k], lane, w.in.p, k < n ? pair_at(w.in, t + k * T) : nothing);
        copies_commit();
    }
    uint2 next = DEPTH < n ? pair_at(w.in, t + DEPTH * T) : nothing;
    uint4 *prefix = w.prefix + t;
    F running = one<F>(), d;

    for (u32 j = 0; j < n_max; j++) {
        uint4 *s = sh.x[j % DEPTH];

        copies_wait<DEPTH - 1>();
        __syncwarp();
        const F x1 = load_strided<F>(s + lane * U, 1);
        const F x2 = load_strided<F>(s + (32 + lane) * U, 1);

        __syncwarp();
        if (j + DEPTH < n_max) {
            gather<F>(s, lane, w.in.p, next);
            next = j + DEPTH + 1 < n ? pair_at(w.in, t + (j + DEPTH + 1) * T) : nothing;
        }
        copies_commit();
        if (j >= n)
            continue;
        d = sub_factor(x2, x1);
        if (is_infinite(x1) || is_infinite(x2) || is_zero(d)) {
            F special;

            classify(w.in.p, pair_at(w.in, t + j * T), &special);
            d = special;
        }
        if (j == 0)
            running = reduce(d);
        else {
            store_plane(prefix, 0, T, running);
            prefix += (size_t)U * T;
            running = mul(d, running);
        }
    }
    if (t < T)
        store_plane(w.product, t, T, running);
}

/* ---- pass 2 --------------------------------------------------------------------------------- */

/* Threads a block, and blocks an SM: as many as registers allow without much spilling, and shared
 * memory with room left for the first cache. Units of an element: 2, 4 (BN254), 3, 6 (BLS12-381).
 * In G1 of BN254 four to five blocks are equal: pass 2 is at 90 % of the multiplier's issue slots.
 */
template <class F> __host__ __device__ constexpr int pass2_block()
{
    return units<F>() > 3 ? 64 : 128;
}
template <class F> __host__ __device__ constexpr int pass2_blocks()
{
    return units<F>() == 2 ? 5 : units<F>() == 4 ? 6 : 4;
}
/* x1 x2 y1 y2 and the prefix, a column a thread */
template <class F> struct pass2_shared {
    uint4 column[5 * units<F>()][pass2_block<F>()];
};
template <class F>
DEVICE void fetch(pass2_shared<F> &s, const points &p, uint2 r, const uint4 *prefix, u32 T)
{
    constexpr int U = units<F>();
    const u32 tid = threadIdx.x;
    const uint4 *g[4] = {x_of<F>(p, r.x), x_of<F>(p, r.y), y_of<F>(p, r.x), y_of<F>(p, r.y)};

#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
        for (int i = 0; i < U; i++)
            copy_ca(&s.column[U * k + i][tid], g[k] + i);
    if (prefix)
#pragma unroll
        for (int i = 0; i < U; i++)
            copy_cg(&s.column[4 * U + i][tid], prefix + (size_t)i * T);
    copies_commit();
}
template <class F>
static __global__ void __launch_bounds__(pass2_block<F>(), pass2_blocks<F>())
    pass2(const __grid_constant__ batch w)
{
    constexpr int U = units<F>(), B = pass2_block<F>();
    __shared__ pass2_shared<F> sh;
    const u32 T = w.n_threads, t = blockIdx.x * B + threadIdx.x;

    if (t >= T)
        return;
    const uint4 *const column = &sh.column[0][threadIdx.x];
    F inverse = load_plane<F>(w.product, t, T);
    int j = (int)((w.n_pairs - 1 - t) / T);
    u32 i = t + (u32)j * T;
    uint2 r = pair_at(w.in, i), next = r;
    const uint4 *prefix = w.prefix + (ptrdiff_t)(j - 1) * U * T + t;

    fetch(sh, w.in.p, r, j > 0 ? prefix : 0, T);
    for (; j >= 0; j--, i -= T) {
        if (j > 0)
            next = pair_at(w.in, i - T);
        copies_wait<0>();
        const F x1 = load_strided<F>(column, B), x2 = load_strided<F>(column + U * B, B);
        F d, v = inverse;
        const bool special = denominator(w.in.p, r, x1, x2, d);

        if (j > 0) {
            v = mul(load_strided<F>(column + 4 * U * B, B), inverse);
            inverse = mul(d, inverse);
        }
        const F y1 = neg_if(load_strided<F>(column + 2 * U * B, B), r.x & REF_NEGATIVE);
        const F y2 = neg_if(load_strided<F>(column + 3 * U * B, B), r.y & REF_NEGATIVE);
        F n = sub_factor(y2, y1);

        prefix -= (ptrdiff_t)U * T;
        if (j > 0)
            fetch(sh, w.in.p, next, j > 1 ? prefix : 0, T);
        enum pair_kind kind = PAIR_ADD;

        if (special) {
            F unused;

            kind = classify(w.in.p, r, &unused);
            if (kind == PAIR_DOUBLE) {
                n = sqr(x1);
                n = add(add(n, n), n);
            }
        }
        const F slope = mul(n, v);
        F x3 = sub(sqr(slope), add(x1, x2));
        F y3 = sub(mul(sub_factor(x1, x3), slope), y1);

        if (special && kind >= PAIR_CANCEL) {
            const u32 kept = kind == PAIR_FIRST ? r.x : r.y;

            if (kind == PAIR_CANCEL)
                x3 = y3 = infinite<F>();
            else {
                x3 = load<F>(x_of<F>(w.in.p, kept));
                y3 = load<F>(y_of<F>(w.in.p, kept));
                if (!is_infinite(x3))
                    y3 = reduce(neg_if(y3, kept & REF_NEGATIVE));
            }
        }
        store(w.in.p.x + (size_t)(w.out + i) * U, x3);
        store(w.in.p.y + (size_t)(w.out + i) * U, y3);
        r = next;
    }
}

/* ---- the tower: in[n] (planes) -> inverses, in place ----------------------------------------

 * Few threads, so what the next step needs is asked for before this one's products. */

template <class F>
static __global__ void __launch_bounds__(128)
    tower_up(const uint4 *in, u32 n, u32 T, uint4 *prefix, uint4 *out)
{
    const u32 t = blockIdx.x * 128 + threadIdx.x;

    if (t >= T)
        return;
    F running = load_plane<F>(in, t, n), next = running;
    u32 i = t + T;

    if (i < n)
        next = load_plane<F>(in, i, n);
    for (u32 j = 1; i < n; j++) {
        const F d = next;

        i += T;
        if (i < n)
            next = load_plane<F>(in, i, n);
        store_plane(prefix, (size_t)(j - 1) * units<F>() * T + t, T, running);
        running = mul(running, d);
    }
    store_plane(out, t, T, running);
}
template <class F>
static __global__ void __launch_bounds__(128)
    tower_down(uint4 *in, u32 n, u32 T, const uint4 *prefix, const uint4 *inverses)
{
    const u32 t = blockIdx.x * 128 + threadIdx.x;

    if (t >= T)
        return;
    F inverse = load_plane<F>(inverses, t, T), d = inverse, before = inverse;
    u32 j = (n - 1 - t) / T, i = t + j * T;

    if (j > 0) {
        d = load_plane<F>(in, i, n);
        before = load_plane<F>(prefix, (size_t)(j - 1) * units<F>() * T + t, T);
    }
    for (; j > 0; j--, i -= T) {
        const F factor = d, product = before;

        if (j > 1) {
            d = load_plane<F>(in, i - T, n);
            before = load_plane<F>(prefix, (size_t)(j - 2) * units<F>() * T + t, T);
        }
        store_plane(in, i, n, mul(product, inverse));
        inverse = mul(inverse, factor);
    }
    store_plane(in, t, n, inverse);
}
template <class F> static __global__ void __launch_bounds__(32) invert_each(uint4 *a, u32 n)
{
    const u32 t = blockIdx.x * 32 + threadIdx.x;

    if (t < n)
        store_plane(a, t, n, inv(load_plane<F>(a, t, n)));
}
