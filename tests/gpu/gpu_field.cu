/* The fields on the device: every product and sum against the portable field, over all pairs of the
 * borders of the lazy ranges and many random ones; then products per second as a share of what the
 * multiplier pipe can do.
 *
 * A share is counted in cycles, so it does not depend on the clock: 4 cycles of the pipe for a wide
 * product (IMAD.WIDE, IMAD.HI), 2 for a 32-bit one (IMAD), per warp and quarter of an SM. */
#include <cstdio>
#include <cstring>
#include <vector>

#include "backend/cuda/curve_unit.cuh"
#include "backend/cuda/fp.cuh"
#include "backend/cuda/fr.cuh"
#include "backend/cuda/grid.cuh"

extern "C" {
#include "field/limbs.h"
#include "field/mont.h"
}
namespace host
{
#define FIELD fp
#define PARAM FP
#include "field/field.inc.h"
#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"
} // namespace host

static void check(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        printf("FATAL line %d: %s\n", line, cudaGetErrorString(e));
        exit(2);
    }
}
#define CHECK(expr) check((expr), __LINE__)

static u64 random_state = 20261130;
static u64 random_word()
{
    u64 z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

template <class T> static T *upload(const std::vector<T> &v)
{
    T *p;

    CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

/* ---- values: N words, borders of multiples of the modulus, single words, random ------------- */

template <class H> static H plus(const H &a, long long k)
{
    H r;
    __int128 c = k;

    for (size_t i = 0; i < sizeof a.l / 8; i++) {
        c += a.l[i];
        r.l[i] = (u64)c;
        c >>= 64;
    }
    return r;
}
template <class H> static H sum(const H &a, const H &b)
{
    H r;
    unsigned __int128 c = 0;

    for (size_t i = 0; i < sizeof a.l / 8; i++) {
        c += (unsigned __int128)a.l[i] + b.l[i];
        r.l[i] = (u64)c;
        c >>= 64;
    }
    return r;
}
template <class H> static bool less(const H &a, const H &b)
{
    return limbs_less(a.l, b.l, sizeof a.l / 8);
}
/* borders below `limit`, which is a multiple of the modulus */
template <class H> static std::vector<H> borders(const H &p, const H &limit)
{
    std::vector<H> v;
    const size_t n = sizeof p.l / 8;

    for (H m = {}; less(m, limit); m = sum(m, p))
        for (int k = -3; k <= 3; k++)
            v.push_back(plus(m, k));
    for (int k = -3; k < 0; k++)
        v.push_back(plus(limit, k));
    for (size_t i = 0; i < n; i++)
        for (u64 word : {(u64)1, ~(u64)0, (u64)0xffffffff, ~(u64)0xffffffff}) {
            H x = {};

            x.l[i] = word;
            v.push_back(x);
        }
    H ones;
    memset(&ones, 0xff, sizeof ones);
    ones.l[n - 1] = limit.l[n - 1] - 1;
    v.push_back(ones);
    std::vector<H> kept;
    for (const H &x : v)
        if (less(x, limit))
            kept.push_back(x);
    return kept;
}
template <class H> static H random_below(const H &limit)
{
    H x;

    do
        for (size_t i = 0; i < sizeof x.l / 8; i++)
            x.l[i] = random_word() % 7 ? random_word() : random_word() % 2 ? ~(u64)0 : 0;
    while (x.l[sizeof x.l / 8 - 1] %= limit.l[sizeof x.l / 8 - 1] + 1, !less(x, limit));
    return x;
}
template <class H>
static void pairs(std::vector<H> &a, std::vector<H> &b, const H &p, const H &limit, size_t n)
{
    std::vector<H> edge = borders(p, limit);

    for (const H &x : edge)
        for (const H &y : edge)
            a.push_back(x), b.push_back(y);
    while (a.size() < n)
        a.push_back(random_below(limit)), b.push_back(random_below(limit));
}

/* ---- Fp ------------------------------------------------------------------------------------- */

enum { FP_RESULTS = 8 };
static __global__ void fp_results(const fp *a, const fp *b, fp *out, u32 n)
{
    const u32 i = blockIdx.x * 64 + threadIdx.x;

    if (i >= n)
        return;
    const fp x = a[i], y = b[i], rx = reduce(x), ry = reduce(y);
    fp *o = out + (size_t)i * FP_RESULTS;

    o[0] = mul(FP_LAZY_FACTORS ? x : rx, ry); /* 4p times 2p */
    o[1] = sqr(rx);
    o[2] = inv(x);
    o[3] = sub(rx, ry);
    o[4] = add(rx, ry);
    o[5] = FP_LAZY_FACTORS ? mul_add_mul(rx, ry, ry, ry) : add(mul(rx, ry), sqr(ry));
    o[6] = neg_if(rx, true);
    o[7] = from_mont(x);
}
static int check_fp()
{
    using host::fp_t;
    fp_t p = {FP_MODULUS}, p2 = sum(p, p), p4 = sum(p2, p2);
    std::vector<fp_t> a, b;

    pairs(a, b, p, p4, 30000);
    const u32 n = (u32)a.size();
    fp_t *da = upload(a), *db = upload(b), *dout;
    std::vector<fp_t> out((size_t)n * FP_RESULTS);
    CHECK(cudaMalloc(&dout, out.size() * sizeof(fp_t)));
    fp_results<<<grid_of(n, 64), 64>>>((fp *)da, (fp *)db, (fp *)dout, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(fp_t), cudaMemcpyDeviceToHost));
    int wrong[FP_RESULTS] = {}, range = 0, total = 0;
    auto residue = [&](fp_t x) {
        while (!less(x, p)) {
            u64 borrow = 0;
            for (int k = 0; k < FP_LIMBS; k++)
                x.l[k] = limb_sub(x.l[k], p.l[k], &borrow);
        }
        return x;
    };
    for (u32 i = 0; i < n; i++) {
        const fp_t x = residue(a[i]), y = residue(b[i]), *o = &out[(size_t)i * FP_RESULTS];
        fp_t e[FP_RESULTS], yy;

        host::fp_mul(&e[0], &x, &y);
        host::fp_sqr(&e[1], &x);
        if (i < 4000 || i % 16 == 0)
            host::fp_inv(&e[2], &x);
        else
            e[2] = residue(o[2]);
        host::fp_sub(&e[3], &x, &y);
        host::fp_add(&e[4], &x, &y);
        host::fp_sqr(&yy, &y);
        host::fp_add(&e[5], &e[0], &yy);
        host::fp_neg(&e[6], &x);
        host::fp_to_plain(&e[7], &x);
        for (int k = 0; k < FP_RESULTS; k++) {
            const fp_t got = residue(o[k]);

            wrong[k] += memcmp(&got, &e[k], sizeof got) != 0;
            range += !less(o[k], p2) && !(k == 6 && memcmp(&o[k], &p2, sizeof p2) == 0);
        }
    }
    printf("Fp, %u pairs: wrong", n);
    for (int k = 0; k < FP_RESULTS; k++)
        printf(" %d", wrong[k]), total += wrong[k];
    printf("; out of range %d\n", range);
    cudaFree(da), cudaFree(db), cudaFree(dout);
    return total + range;
}

/* ---- Fr ------------------------------------------------------------------------------------- */

enum { FR_RESULTS = 7 };
static __global__ void fr_results(const fr_t *a, const fr_t *b, fr_t *out, u32 n)
{
    const u32 i = blockIdx.x * 64 + threadIdx.x;

    if (i >= n)
        return;
    const fr_t x = fr_load(a + i), y = fr_load(b + i);
    const fr_const c = fr_const_make(fr_canon(y)); /* y read as a Montgomery form */
    fr_t *o = out + (size_t)i * FR_RESULTS;

    o[0] = fr_mul_mont(y, x);
    o[1] = fr_mul_const(x, c.w, c.v);
    o[2] = fr_mul_i(x);
    o[3] = fr_sub(x, y);
    o[4] = fr_add(x, y);
    o[5] = fr_add_loose(x, y);
    o[6] = fr_to_mont(x);
}
static int check_fr()
{
    using host::fr_t;
    fr_t p = {FR_MODULUS}, p2 = sum(p, p), i4 = {};
    std::vector<fr_t> a, b;

    pairs(a, b, p, p2, 200000);
    const u32 n = (u32)a.size();
    fr_t *da = upload(a), *db = upload(b), *dout;
    std::vector<fr_t> out((size_t)n * FR_RESULTS);
    CHECK(cudaMalloc(&dout, out.size() * sizeof(fr_t)));
    fr_results<<<grid_of(n, 64), 64>>>((::fr_t *)da, (::fr_t *)db, (::fr_t *)dout, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(fr_t), cudaMemcpyDeviceToHost));
    const u32 plus[8] = FR_HALF_PLUS, minus[8] = FR_HALF_MINUS;
    fr_t w = {}, w_minus = {};

    /* w8 = (w8 + w8^3) / 2 + (w8 - w8^3) / 2 */
    for (int k = 0; k < 8; k++) {
        w.l[k / 2] |= (u64)plus[k] << (32 * (k % 2));
        w_minus.l[k / 2] |= (u64)minus[k] << (32 * (k % 2));
    }
    host::fr_from_plain(&w, &w);
    host::fr_from_plain(&w_minus, &w_minus);
    host::fr_add(&w, &w, &w_minus);
    host::fr_sqr(&i4, &w);
    int wrong[FR_RESULTS] = {}, range = 0, total = 0;
    auto residue = [&](fr_t x) {
        while (!less(x, p)) {
            u64 borrow = 0;
            for (int k = 0; k < FR_LIMBS; k++)
                x.l[k] = limb_sub(x.l[k], p.l[k], &borrow);
        }
        return x;
    };
    for (u32 i = 0; i < n; i++) {
        const fr_t x = residue(a[i]), y = residue(b[i]), *o = &out[(size_t)i * FR_RESULTS];
        fr_t e[FR_RESULTS];

        host::fr_mul(&e[0], &x, &y); /* x y / R, for plain x and y read as Montgomery forms */
        e[1] = e[0];                 /* x (y / R) */
        host::fr_mul(&e[2], &x, &i4);
        host::fr_sub(&e[3], &x, &y);
        host::fr_add(&e[4], &x, &y);
        e[5] = e[4];
        host::fr_from_plain(&e[6], &x);
        for (int k = 0; k < FR_RESULTS; k++) {
            const fr_t got = residue(o[k]);

            wrong[k] += memcmp(&got, &e[k], sizeof got) != 0;
            range += k == 5 ? o[k].l[3] >> 32 > FR_2P_TOP : !less(o[k], p2);
        }
    }
    printf("Fr, %u pairs: wrong", n);
    for (int k = 0; k < FR_RESULTS; k++)
        printf(" %d", wrong[k]), total += wrong[k];
    printf("; out of range %d\n", range);
    cudaFree(da), cudaFree(db), cudaFree(dout);
    return total + range;
}

/* ---- rates ---------------------------------------------------------------------------------- */

enum op { FP_MUL, FP_SQR, FP_INV, FP_BATCH_ADD, FR_CONST, FR_I, FR_MONT };

template <enum op OP>
static __global__ void __launch_bounds__(128)
    rate_kernel(uint4 *data, long long *cycles, int repeats, fr_const c)
{
    const u32 t = blockIdx.x * 128 + threadIdx.x;
    fp x, y, i;
    fr_t s, k;

    for (int w = 0; w < FP_WORDS; w++)
        x.v[w] = data[t].x + w, y.v[w] = data[t].y ^ w;
    x.v[FP_WORDS - 1] &= 0x0fffffff, y.v[FP_WORDS - 1] &= 0x0fffffff;
    for (int w = 0; w < 8; w++)
        s.l[w] = x.v[w], k.l[w] = y.v[w];
    i = y;
    __syncthreads();
    const long long start = clock64();
    for (int r = 0; r < repeats; r++) {
        if (OP == FP_MUL)
            x = mul(x, y);
        if (OP == FP_SQR)
            x = sqr(x);
        if (OP == FP_INV)
            x = inv(x);
        if (OP == FP_BATCH_ADD) { /* the arithmetic of one batch-affine addition */
            fp d = sub_factor(x, y), v = mul(d, i), l, x3;

            i = mul(d, v);
            l = mul(sub_factor(y, x), i);
            x3 = sub(sqr(l), add(x, y));
            y = sub(mul(sub_factor(x, x3), l), y);
            i = mul(i, v);
            x = x3;
        }
        if (OP == FR_CONST)
            s = fr_mul_const(s, c.w, c.v);
        if (OP == FR_I)
            s = fr_mul_i(s);
        if (OP == FR_MONT)
            s = fr_mul_mont(k, s);
    }
    const long long elapsed = clock64() - start;
    for (int w = 0; w < 8; w++)
        x.v[w] ^= s.l[w] ^ i.v[w] ^ y.v[w];
    data[t].z = x.v[0] ^ x.v[1] ^ x.v[2] ^ x.v[3] ^ x.v[4] ^ x.v[5] ^ x.v[6] ^ x.v[7];
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = elapsed;
}

/* gate: the least share in per cent, 0 for none. False if it is missed. */
template <enum op OP>
static bool rate(const char *name, double pipe_cycles, double gate, int repeats)
{
    cudaDeviceProp card;
    cudaEvent_t begin, end;
    double speed = 0, used = 0;
    int warps = 0, resident = 0;
    fr_const c;

    CHECK(cudaGetDeviceProperties(&card, 0));
    for (int k = 0; k < 8; k++)
        c.w[k] = (u32)random_word() >> 2, c.v[k] = (u32)random_word();
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, rate_kernel<OP>, 128, 0));
    for (int blocks_per_sm : {2, 4, 8}) {
        if (blocks_per_sm > resident)
            break;
        const u32 blocks = (u32)card.multiProcessorCount * blocks_per_sm;
        std::vector<uint4> init((size_t)blocks * 128);
        std::vector<long long> cycles(blocks);

        for (uint4 &x : init)
            x = make_uint4((u32)random_word(), (u32)random_word(), 0, 0);
        uint4 *data = upload(init);
        long long *dcycles = upload(cycles);
        for (int k = 0; k < 3; k++) {
            float ms;
            long long most = 0;

            CHECK(cudaEventRecord(begin));
            rate_kernel<OP><<<blocks, 128>>>(data, dcycles, repeats, c);
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            CHECK(cudaMemcpy(cycles.data(), dcycles, blocks * 8, cudaMemcpyDeviceToHost));
            for (long long x : cycles)
                most = x > most ? x : most;
            const double per_op = (double)most / repeats / blocks_per_sm; /* a warp a quarter */

            if (used == 0 || per_op < used) {
                used = per_op, warps = 4 * blocks_per_sm;
                speed = (double)blocks * 128 * repeats / ms / 1e6;
            }
        }
        cudaFree(data), cudaFree(dcycles);
    }
    const double share = 100 * pipe_cycles / used;

    printf("%-34s %8.2f G/s %9.1f cycles, %2d warps an SM", name, speed, used, warps);
    if (pipe_cycles > 0)
        printf("; pipe %5.0f: %5.1f %%", pipe_cycles, share);
    printf("%s\n", gate == 0 ? "" : share >= gate ? "  gate kept" : "  GATE MISSED");
    cudaEventDestroy(begin), cudaEventDestroy(end);
    return share >= gate;
}

int main()
{
    bool good = true;
    int wrong = check_fp() + check_fr();

    printf("%s\n", CUDA_IS_BN254 ? "BN254" : "BLS12-381");

    /* n^2 wide products, n (n - 1) of the reduction, and n low and n high ones of its quotients; of
     * a square n (n + 1) / 2 */
    const double n = FP_WORDS, reduction = 4 * n * (n - 1) + 6 * n;
    const bool bn254 = CUDA_IS_BN254;
    const double product = 4 * n * n + reduction;
    const double square = bn254 ? 2 * n * (n + 1) + reduction : 918; /* as compiled */

    good &= rate<FP_MUL>("Fp, product", product, bn254 ? 0 : 95, 4000);
    good &= rate<FP_SQR>("Fp, square", square, 0, 4000);
    good &= rate<FP_INV>("Fp, inversion", 0, 0, 4);
    good &= rate<FP_BATCH_ADD>("batch-affine addition, registers", 5 * product + square, 0, 400);
    good &= rate<FR_CONST>("Fr, constant with quotient", bn254 ? 428 : 372, bn254 ? 0 : 92, 4000);
    good &= rate<FR_I>("Fr, fourth root", bn254 ? 428 : 270, 0, 4000);
    good &= rate<FR_MONT>("Fr, Montgomery", bn254 ? 528 : 448, 0, 4000);
    printf("field: %d wrong, gates %s\n", wrong, good ? "kept" : "missed");
    return wrong == 0 && good ? 0 : 1;
}
