/* Points times scalars of their own, in XYZZ coordinates: what transforms over points
 * and products of matrices with points are made of.
 *
 * A scalar is split by the curve's endomorphism, k = k1 + k2 lambda (params/<curve>.h; points must
 * be of order r, as a key's are), and both halves are taken four bits at a time as digits from -8
 * to 7: those of |k| + 0x88..8, less 8 each. 128 doublings and 66 additions a multiple. */
#include "backend/cuda/curve_unit.cuh"
#include "backend/cuda/grid.cuh"
#include "backend/cuda/point_args.cuh"

enum { DIGITS = GLV_BITS / 4 + 1, MULTIPLES = 8 };
static_assert(64 * GLV_WORDS > 4 * DIGITS, "room for the digits' offset");

template <class F> DEVICE uint4 *place(uint4 *points, size_t i)
{
    return points + i * 4 * units<F>();
}

template <class F> DEVICE void negate(xyzz<F> &p)
{
    F zero;

    set_zero(zero);
    p.Y = sub(zero, p.Y);
}

/* ---- the endomorphism ----------------------------------------------------------------------- */

FP_CONSTANT(fp_beta_g1, G1_BETA)
__host__ __device__ constexpr u32 fp_beta_g2(int i) /* lies in Fp */
{
    constexpr struct {
        struct {
            u64 l[FP_LIMBS];
        } c[2];
    } t = {{G2_BETA}};
    return (u32)(t.c[0].l[i / 2] >> (32 * (i % 2)));
}
DEVICE fp times_beta(const fp &x)
{
    fp beta;

#pragma unroll
    FP_EACH(i) beta.v[i] = fp_beta_g1(i);
    return mul(x, beta);
}
DEVICE fp2 times_beta(const fp2 &x)
{
    fp beta;

#pragma unroll
    FP_EACH(i) beta.v[i] = fp_beta_g2(i);
    return fp2{mul(x.c0, beta), mul(x.c1, beta)};
}

/* out += a b mod 2^(64 n) */
template <int n, int m> DEVICE void add_product(u64 *out, const u64 *a, const u64 *b)
{
#pragma unroll
    for (int i = 0; i < m; i++) {
        u64 carry = 0;

#pragma unroll
        for (int j = 0; i + j < n; j++) {
            const u64 low = (j < GLV_WORDS ? a[i] * b[j] : 0) + carry;

            carry = (j < GLV_WORDS ? __umul64hi(a[i], b[j]) : 0) + (low < carry);
            out[i + j] += low;
            carry += out[i + j] < low;
        }
    }
}
/* Digits of the two halves of a scalar, and their signs. */
struct halves {
    u64 digits[2][GLV_WORDS];
    bool negative[2];
};
DEVICE halves split(const u64 *k)
{
    constexpr u64 quotient[2][GLV_WORDS] = {GLV_QUOTIENT_1, GLV_QUOTIENT_2};
    constexpr u64 step[2][2][GLV_WORDS] = {{GLV_STEP_1}, {GLV_STEP_2}};
    u64 part[2][GLV_WORDS] = {{0}};
    halves h;

#pragma unroll
    for (int j = 0; j < GLV_WORDS; j++)
        part[0][j] = k[j];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        u64 c[FR_LIMBS + GLV_WORDS] = {0};

        add_product<FR_LIMBS + GLV_WORDS, FR_LIMBS>(c, k, quotient[i]);
#pragma unroll
        for (int j = 0; j < 2; j++)
            add_product<GLV_WORDS, GLV_WORDS>(part[j], c + FR_LIMBS, step[i][j]);
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
        u64 carry;

        h.negative[j] = part[j][GLV_WORDS - 1] >> 63;
        carry = h.negative[j];
#pragma unroll
        for (int w = 0; w < GLV_WORDS; w++) {
            const u64 x = (h.negative[j] ? ~part[j][w] : part[j][w]) + carry;
            const u64 offset = 64 * w + 64 <= 4 * DIGITS
                                   ? 0x8888888888888888u
                                   : 0x8888888888888888u & (((u64)1 << (4 * DIGITS - 64 * w)) - 1);

            carry = x < carry;
            h.digits[j][w] = x + offset;
            carry += h.digits[j][w] < offset;
        }
    }
    return h;
}

/* p = k p */
template <class F> static __device__ __noinline__ void multiply(xyzz<F> &p, const uint4 *scalar)
{
    const ulonglong2 low = ((const ulonglong2 *)scalar)[0], high = ((const ulonglong2 *)scalar)[1];
    const u64 k[FR_LIMBS] = {low.x, low.y, high.x, high.y};
    const halves h = split(k);
    xyzz<F> multiples[MULTIPLES], sum = xyzz_infinity<F>();

    multiples[0] = p;
    for (int i = 1; i < MULTIPLES; i++) {
        multiples[i] = multiples[i - 1];
        xyzz_add(multiples[i], p);
    }
    for (int at = DIGITS - 1; at >= 0; at--) {
        for (int i = 0; i < 4; i++)
            xyzz_double(sum);
        for (int j = 0; j < 2; j++) {
            const int d = (int)(h.digits[j][at / 16] >> (4 * (at % 16)) & 15) - 8;

            if (d == 0)
                continue;
            xyzz<F> term = multiples[(d < 0 ? -d : d) - 1];

            if (j == 1)
                term.X = times_beta(term.X);
            if ((d < 0) != h.negative[j])
                negate(term);
            xyzz_add(sum, term);
        }
    }
    p = sum;
}

/* ---- into and out of XYZZ ------------------------------------------------------------------- */

template <class F>
static __global__ void __launch_bounds__(128)
    load_kernel(uint4 *out, const uint4 *points, const u32 *index, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 128 + threadIdx.x;

    if (i >= n)
        return;
    const uint4 *from = points + (index ? index[i] : i) * 2 * units<F>();
    const F x = load<F>(from), y = load<F>(from + units<F>());
    xyzz<F> p = xyzz_infinity<F>();

    if (!is_infinite(x) && (!all_words_zero(x) || !all_words_zero(y)))
        p = xyzz<F>{x, y, one<F>(), one<F>()};
    xyzz_store(place<F>(out, i), p);
}
template <class F>
static cudaError_t load_all(void *out, const void *points, const uint32_t *index, size_t n,
                            cudaStream_t stream)
{
    if (n)
        load_kernel<F>
            <<<grid_of(n, 128), 128, 0, stream>>>((uint4 *)out, (const uint4 *)points, index, n);
    return cudaGetLastError();
}
cudaError_t KERNEL(xyzz_load)(enum cuda_group group, void *out, const void *points,
                              const uint32_t *index, size_t n, cudaStream_t stream)
{
    return BY_GROUP(group, load_all, out, points, index, n, stream);
}

/* What becomes of XYZZ points: x and y of point i at i step, in 16-byte units, of two arrays. */
struct affine_shape {
    const void *xyzz;
    void *x, *y;
    size_t n;
    u32 step, lg_reversed;
    bool slots;
};
/* A thread inverts the ZZZ of a run of points together. */
enum { RUN = 8 };
template <class F>
static __global__ void __launch_bounds__(64) affine_kernel(const __grid_constant__ affine_shape a)
{
    const size_t first = ((size_t)blockIdx.x * 64 + threadIdx.x) * RUN;
    const uint4 *points = (const uint4 *)a.xyzz;
    F before[RUN], running = one<F>(), inverse, outside;

    if (first >= a.n)
        return;
    const int n = a.n - first < RUN ? (int)(a.n - first) : RUN;

    for (int k = 0; k < n; k++) {
        const F zzz = load<F>(points + ((first + k) * 4 + 3) * units<F>());

        before[k] = running;
        if (!all_words_zero(zzz))
            running = mul(running, zzz);
    }
    inverse = inv(running);
    set_zero(outside);
    if (a.slots)
        outside = infinite<F>();
    for (int k = n - 1; k >= 0; k--) {
        const size_t i = first + k;
        const xyzz<F> p = xyzz_load<F>(points + i * 4 * units<F>());
        const size_t to =
            a.lg_reversed ? __brevll((unsigned long long)i) >> (64 - a.lg_reversed) : i;
        F x = outside, y = outside;

        if (!all_words_zero(p.ZZZ)) {
            const F zzz = mul(inverse, before[k]), z = mul(p.ZZ, zzz);

            inverse = mul(inverse, p.ZZZ);
            x = canon(mul(p.X, sqr(z)));
            y = canon(mul(p.Y, zzz));
        }
        store((uint4 *)a.x + to * a.step, x);
        store((uint4 *)a.y + to * a.step, y);
    }
}
template <class F> static cudaError_t affine(const affine_shape *a, cudaStream_t stream)
{
    if (a->n)
        affine_kernel<F><<<grid_of(ceil_div(a->n, RUN), 64), 64, 0, stream>>>(*a);
    return cudaGetLastError();
}
cudaError_t KERNEL(xyzz_affine)(enum cuda_group group, void *points, const void *xyzz, size_t n,
                                unsigned lg_reversed, cudaStream_t stream)
{
    const affine_shape a = {xyzz,
                            points,
                            (uint8_t *)points + cuda_coordinate_bytes(group),
                            n,
                            (uint32_t)(2 * cuda_coordinate_bytes(group) / sizeof(uint4)),
                            lg_reversed,
                            false};

    return BY_GROUP(group, affine, &a, stream);
}
cudaError_t KERNEL(xyzz_slots)(enum cuda_group group, void *x, void *y, const void *xyzz, size_t n,
                               cudaStream_t stream)
{
    const affine_shape a = {
        xyzz, x, y, n, (uint32_t)(cuda_coordinate_bytes(group) / sizeof(uint4)), 0, true};

    return BY_GROUP(group, affine, &a, stream);
}

/* ---- multiples ------------------------------------------------------------------------------ */

template <class F>
static __global__ void __launch_bounds__(128) double_kernel(uint4 *points, size_t n, unsigned times)
{
    const size_t i = (size_t)blockIdx.x * 128 + threadIdx.x;

    if (i >= n)
        return;
    xyzz<F> p = xyzz_load<F>(place<F>(points, i));

    for (unsigned k = 0; k < times; k++)
        xyzz_double(p);
    xyzz_store(place<F>(points, i), p);
}
template <class F>
static cudaError_t double_all(void *points, size_t n, unsigned times, cudaStream_t stream)
{
    if (n)
        double_kernel<F><<<grid_of(n, 128), 128, 0, stream>>>((uint4 *)points, n, times);
    return cudaGetLastError();
}
cudaError_t KERNEL(xyzz_double)(enum cuda_group group, void *points, size_t n, unsigned times,
                                cudaStream_t stream)
{
    return BY_GROUP(group, double_all, points, n, times, stream);
}

template <class F>
static __global__ void __launch_bounds__(128)
    scale_kernel(uint4 *points, const uint4 *scalars, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 128 + threadIdx.x;

    if (i >= n)
        return;
    xyzz<F> p = xyzz_load<F>(place<F>(points, i));

    multiply(p, scalars + 2 * i);
    xyzz_store(place<F>(points, i), p);
}
template <class F>
static cudaError_t scale(void *points, const void *scalars, size_t n, cudaStream_t stream)
{
    if (n)
        scale_kernel<F>
            <<<grid_of(n, 128), 128, 0, stream>>>((uint4 *)points, (const uint4 *)scalars, n);
    return cudaGetLastError();
}
cudaError_t KERNEL(xyzz_scale)(enum cuda_group group, void *points, const void *scalars, size_t n,
                               cudaStream_t stream)
{
    return BY_GROUP(group, scale, points, scalars, n, stream);
}

/* (a, b) -> (a + b, w^(j stride) (a - b)) for the place j in a block of 2^(lg_half + 1) */
template <class F>
static __global__ void __launch_bounds__(128)
    butterfly_kernel(uint4 *points, unsigned lg_n, unsigned lg_half, const uint4 *powers)
{
    const size_t i = (size_t)blockIdx.x * 128 + threadIdx.x, half = (size_t)1 << lg_half;
    const size_t j = i & (half - 1), at = ((i >> lg_half) << (lg_half + 1)) + j;

    if (i >= (size_t)1 << (lg_n - 1))
        return;
    uint4 *upper = place<F>(points, at), *lower = place<F>(points, at + half);
    const xyzz<F> a = xyzz_load<F>(upper);
    xyzz<F> b = xyzz_load<F>(lower), sum = a;

    xyzz_add(sum, b);
    negate(b);
    xyzz_add(b, a);
    if (j)
        multiply(b, powers + 2 * (j << (lg_n - 1 - lg_half)));
    xyzz_store(upper, sum);
    xyzz_store(lower, b);
}
template <class F>
static cudaError_t butterflies(void *points, unsigned lg_n, unsigned lg_half, const void *powers,
                               cudaStream_t stream)
{
    butterfly_kernel<F><<<grid_of((size_t)1 << (lg_n - 1), 128), 128, 0, stream>>>(
        (uint4 *)points, lg_n, lg_half, (const uint4 *)powers);
    return cudaGetLastError();
}
cudaError_t KERNEL(xyzz_butterflies)(enum cuda_group group, void *points, unsigned lg_n,
                                     unsigned lg_half, const void *powers, cudaStream_t stream)
{
    return BY_GROUP(group, butterflies, points, lg_n, lg_half, powers, stream);
}
