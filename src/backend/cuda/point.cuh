/* Points on the device, for a field F = fp (G1) or fp2 (G2) of the unit's curve y^2 = x^3 + b.
 *
 * affine    x and y apart or side by side; infinity: every word of x (and y) is all ones, which no
 *           stored value is. Tables hold values below p, temporaries below 2p.
 * xyzz      (X / ZZ, Y / ZZZ) with ZZ^3 = ZZZ^2; infinity: every word of ZZ is 0.
 *
 * A reference is 32 bits: an index, and a sign in the top bit. Indices below n_table name table
 * points (x and y side by side: one gather reads both), the others temporaries (an array of x and
 * one of y: the first pass of an addition reads x only). */
#pragma once
#include "backend/cuda/fp2.cuh"

constexpr u32 REF_NEGATIVE = 0x80000000u, REF_NONE = 0xffffffffu, INFINITE_WORD = 0xffffffffu;

/* ---- memory --------------------------------------------------------------------------------- */

/* 16-byte units of an element */
template <class F> __host__ __device__ constexpr int units()
{
    return sizeof(F) / 16;
}
template <class F> DEVICE F load_strided(const uint4 *p, size_t step)
{
    F r;
    u32 *w = (u32 *)&r;

#pragma unroll
    for (int i = 0; i < units<F>(); i++) {
        uint4 t = p[i * step];

        w[4 * i] = t.x, w[4 * i + 1] = t.y, w[4 * i + 2] = t.z, w[4 * i + 3] = t.w;
    }
    return r;
}
template <class F> DEVICE void store_strided(uint4 *p, size_t step, const F &a)
{
    const u32 *w = (const u32 *)&a;

#pragma unroll
    for (int i = 0; i < units<F>(); i++)
        p[i * step] = make_uint4(w[4 * i], w[4 * i + 1], w[4 * i + 2], w[4 * i + 3]);
}
/* side by side */
template <class F> DEVICE F load(const uint4 *p)
{
    F r;
    u32 *w = (u32 *)&r;

#pragma unroll
    for (int i = 0; i < units<F>(); i++) {
        uint4 t = __ldg(p + i);

        w[4 * i] = t.x, w[4 * i + 1] = t.y, w[4 * i + 2] = t.z, w[4 * i + 3] = t.w;
    }
    return r;
}
template <class F> DEVICE void store(uint4 *p, const F &a)
{
    store_strided(p, 1, a);
}
/* element i of n in planes of 16-byte units: coalesced over neighbouring i */
template <class F> DEVICE F load_plane(const uint4 *p, size_t i, size_t n)
{
    return load_strided<F>(p + i, n);
}
template <class F> DEVICE void store_plane(uint4 *p, size_t i, size_t n, const F &a)
{
    store_strided(p + i, n, a);
}

/* ---- affine --------------------------------------------------------------------------------- */

DEVICE bool is_infinite(const fp &x)
{
    return x.v[FP_WORDS - 1] == INFINITE_WORD;
}
DEVICE bool is_infinite(const fp2 &x)
{
    return is_infinite(x.c1);
}
template <class F> DEVICE F infinite()
{
    F r;

#pragma unroll
    for (int i = 0; i < 4 * units<F>(); i++)
        ((u32 *)&r)[i] = INFINITE_WORD;
    return r;
}
DEVICE void set_one(fp &a)
{
    a = fp_one();
}
DEVICE void set_one(fp2 &a)
{
    a.c0 = fp_one();
    a.c1 = fp_zero();
}
DEVICE void set_zero(fp &a)
{
    a = fp_zero();
}
DEVICE void set_zero(fp2 &a)
{
    a.c0 = a.c1 = fp_zero();
}
template <class F> DEVICE F one()
{
    F r;

    set_one(r);
    return r;
}

struct points {
    const uint4 *table;
    uint4 *x, *y; /* of the temporary with index 0, that is, n_table elements before the arrays */
    u32 n_table;
};
/* select and multiply-add, no branch: lanes of a warp differ */
template <class F>
DEVICE const uint4 *address(const uint4 *table, const uint4 *temporary, u32 n_table, u32 ref)
{
    const u32 i = ref & ~REF_NEGATIVE;
    const bool in_table = i < n_table;
    const u64 base = in_table ? (u64)table : (u64)temporary;

    return (const uint4 *)(base + (u64)i * (in_table ? 32u * units<F>() : 16u * units<F>()));
}
template <class F> DEVICE const uint4 *x_of(const points &p, u32 ref)
{
    return address<F>(p.table, p.x, p.n_table, ref);
}
template <class F> DEVICE const uint4 *y_of(const points &p, u32 ref)
{
    return address<F>(p.table + units<F>(), p.y, p.n_table, ref);
}

/* ---- xyzz (Explicit-Formulas Database, xyzz-3, a = 0) --------------------------------------- */

template <class F> struct xyzz {
    F X, Y, ZZ, ZZZ;
};

template <class F> DEVICE xyzz<F> xyzz_infinity()
{
    xyzz<F> r;

#pragma unroll
    for (int i = 0; i < 16 * units<F>(); i++)
        ((u32 *)&r)[i] = 0;
    return r;
}
template <class F> static __device__ __noinline__ void xyzz_double(xyzz<F> &p)
{
    if (all_words_zero(p.ZZ))
        return;
    F u = add(p.Y, p.Y), v = sqr(u), w = mul(u, v), s = mul(p.X, v), m = sqr(p.X), x;

    m = add(add(m, m), m);
    x = sub(sqr(m), add(s, s));
    p.Y = sub(mul(m, sub(s, x)), mul(w, p.Y));
    p.X = x;
    p.ZZ = mul(v, p.ZZ);
    p.ZZZ = mul(w, p.ZZZ);
}
/* p += q */
template <class F> static __device__ __noinline__ void xyzz_add(xyzz<F> &p, const xyzz<F> &q)
{
    if (all_words_zero(q.ZZ))
        return;
    if (all_words_zero(p.ZZ)) {
        p = q;
        return;
    }
    F u1 = mul(p.X, q.ZZ), s1 = mul(p.Y, q.ZZZ);
    F d = sub(mul(q.X, p.ZZ), u1), r = sub(mul(q.Y, p.ZZZ), s1);

    if (is_zero(d)) {
        if (is_zero(r))
            xyzz_double(p);
        else
            p = xyzz_infinity<F>();
        return;
    }
    F dd = sqr(d), ddd = mul(d, dd), v = mul(u1, dd);
    F x = sub(sqr(r), reduce(add(ddd, add(v, v))));

    p.Y = sub(mul(r, sub(v, x)), mul(s1, ddd));
    p.X = x;
    p.ZZ = mul(mul(p.ZZ, q.ZZ), dd);
    p.ZZZ = mul(mul(p.ZZZ, q.ZZZ), ddd);
}
/* p += (x, y), affine, not infinite, y at most 2p; as a full addition where denominators are one */
template <class F> DEVICE void xyzz_add_affine(xyzz<F> &p, const F &x, const F &y)
{
    if (all_words_zero(p.ZZ)) {
        p.X = x;
        p.Y = reduce(y);
        p.ZZ = p.ZZZ = one<F>();
        return;
    }
    F d = sub(mul(x, p.ZZ), p.X), r = sub(mul(y, p.ZZZ), p.Y);

    if (is_zero(d)) {
        if (is_zero(r))
            xyzz_double(p);
        else
            p = xyzz_infinity<F>();
        return;
    }
    F dd = sqr(d), ddd = mul(d, dd), v = mul(p.X, dd);
    F X = sub(sqr(r), reduce(add(ddd, add(v, v))));

    p.Y = sub(mul(r, sub(v, X)), mul(p.Y, ddd));
    p.X = X;
    p.ZZ = mul(p.ZZ, dd);
    p.ZZZ = mul(p.ZZZ, ddd);
}
template <class F> DEVICE xyzz<F> xyzz_load(const uint4 *p)
{
    constexpr int U = units<F>();

    return xyzz<F>{load<F>(p), load<F>(p + U), load<F>(p + 2 * U), load<F>(p + 3 * U)};
}
template <class F> DEVICE void xyzz_store(uint4 *p, const xyzz<F> &a)
{
    constexpr int U = units<F>();

    store(p, a.X), store(p + U, a.Y), store(p + 2 * U, a.ZZ), store(p + 3 * U, a.ZZZ);
}
