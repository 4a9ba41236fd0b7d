/* What a bucket sum needs before its first addition: digits, sorting, and the lists of pairs of
 * every round. Nothing here knows a curve; all of it is bound by memory. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "backend/cuda/grid.cuh"
#include "backend/cuda/launch.h"
#include "backend/cuda/ptx.cuh"

constexpr int WORDS = 4; /* of a scalar */
constexpr u32 NONE = 0xffffffffu, NEGATIVE = 0x80000000u;

/* ---- digits --------------------------------------------------------------------------------- */

/* Words of s + spread r + an offset of 2^(bits-1) - 1 in every window, below 2^288 with c <= 24, and
 * one of zeros. */
enum { DIGIT_WORDS = 10, DIGIT_BLOCK = 256 };
struct digit_offset {
    u64 w[DIGIT_WORDS / 2];
};

/* Where a window begins. */
__host__ DEVICE u32 bit_of(const struct cuda_digits &d, u32 window)
{
    return window * d.c + (window < d.n_wide ? window : d.n_wide);
}
__host__ DEVICE u32 bits_of(const struct cuda_digits &d, u32 window)
{
    return d.c + (window < d.n_wide);
}

/* With the offset added, window w of the sum is the signed digit plus 2^(bits-1) - 1: digits of any
 * windows come without those below them. */
static struct digit_offset offset_of(const struct cuda_digits *d)
{
    struct digit_offset r = {};

    for (u32 k = 0; k < d->n_windows; k++) {
        const u32 bit = bit_of(*d, k), w = bit / 64, shift = bit % 64;
        const u64 value = ((u64)1 << (bits_of(*d, k) - 1)) - 1;

        r.w[w] |= value << shift;
        if (shift && value >> (64 - shift))
            r.w[w + 1] |= value >> (64 - shift);
    }
    return r;
}

/* Words of a thread lie DIGIT_BLOCK apart. */
static __global__ void __launch_bounds__(DIGIT_BLOCK)
    digits_kernel(const __grid_constant__ struct cuda_digits a,
                  const __grid_constant__ struct digit_offset offset)
{
    __shared__ u32 words[DIGIT_WORDS][DIGIT_BLOCK];
    const u32 i = blockIdx.x * DIGIT_BLOCK + threadIdx.x;
    const u32 half = 1u << (bits_of(a, a.first_set) - 1);
    u64 s[WORDS + 1], carry = 0;

    if (i >= a.n)
        return;
    const u32 from = a.scalar_index ? a.scalar_index[i] : i;
    const u32 base = a.base_index ? a.base_index[i] : a.first_base + i;
    const ulonglong2 *p = (const ulonglong2 *)a.scalars + 2 * (size_t)from;
    const ulonglong2 low = p[0], high = p[1];

    s[0] = low.x, s[1] = low.y, s[2] = high.x, s[3] = high.y;
    /* small values stay small: their upper digits are 0 and cost nothing */
    const u64 multiple = s[2] | s[3] ? i % a.spread : 0;

#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        u64 lo = multiple * a.modulus[k], hi = __umul64hi(multiple, a.modulus[k]);

        lo += carry;
        hi += lo < carry;
        s[k] += lo;
        carry = hi + (s[k] < lo);
    }
    s[WORDS] = carry;
    carry = 0;
#pragma unroll
    for (int k = 0; k <= WORDS; k++) {
        const u64 sum = s[k] + offset.w[k];
        const u64 out = sum < s[k];

        s[k] = sum + carry;
        carry = out | (s[k] < carry);
        words[2 * k][threadIdx.x] = (u32)s[k];
        words[2 * k + 1][threadIdx.x] = (u32)(s[k] >> 32);
    }
    const u32 *const mine = &words[0][threadIdx.x];

    for (u32 copy = 0; copy < a.multiples; copy++) {
        const u32 multiple_of_base = base + (a.first_multiple + copy) * a.stride;
        u32 window = (a.first_multiple + copy) * a.n_sets + a.first_set;
        size_t at = (size_t)copy * a.n + i;

        for (u32 set = 0; set < a.sets; set++, window++, at += (size_t)a.multiples * a.n) {
            const u32 bit = bit_of(a, window);
            int d = 0;

            if (window < a.n_windows) {
                const u32 *const word = mine + (bit >> 5) * DIGIT_BLOCK;

                d = (int)(__funnelshift_r(word[0], word[DIGIT_BLOCK], bit & 31) & (2 * half - 1)) -
                    (int)(half - 1);
            }
            const u32 size = (u32)(d < 0 ? -d : d);

            a.keys[at] = d ? set * half + size - 1 : a.sets * half;
            a.refs[at] = multiple_of_base | (d < 0 ? NEGATIVE : 0);
        }
    }
}
cudaError_t cuda_digits(const struct cuda_digits *digits, cudaStream_t stream)
{
    if (digits->n)
        digits_kernel<<<grid_of(digits->n, DIGIT_BLOCK), DIGIT_BLOCK, 0, stream>>>(
            *digits, offset_of(digits));
    return cudaGetLastError();
}

/* ---- sorting -------------------------------------------------------------------------------- */

/* CUB tells its need only where a device is; these bounds are checked where it is used. A tile of
 * the sort (several thousand keys) needs 1 KiB of look-back, one of the scan (about 2000 items) 16
 * bytes. */
size_t cuda_sort_bytes(size_t n)
{
    return n / 4 + ((size_t)4 << 20);
}
size_t cuda_scan_bytes(size_t n)
{
    return n / 32 + ((size_t)1 << 20);
}

cudaError_t cuda_sort(uint32_t *keys[2], uint32_t *refs[2], size_t n, unsigned bits, int *which,
                      void *scratch, cudaStream_t stream)
{
    cub::DoubleBuffer<u32> k(keys[0], keys[1]), v(refs[0], refs[1]);
    size_t bytes = 0;
    cudaError_t e =
        cub::DeviceRadixSort::SortPairs(nullptr, bytes, k, v, (int64_t)n, 0, (int)bits, stream);

    if (e == cudaSuccess && bytes > cuda_sort_bytes(n))
        return cudaErrorMemoryAllocation;
    if (e == cudaSuccess)
        e = cub::DeviceRadixSort::SortPairs(scratch, bytes, k, v, (int64_t)n, 0, (int)bits, stream);
    *which = k.Current() == keys[1];
    return e == cudaSuccess && v.Current() != refs[*which] ? cudaErrorUnknown : e;
}
cudaError_t cuda_exclusive_sum(uint32_t *out, const uint32_t *in, size_t n, void *scratch,
                               cudaStream_t stream)
{
    size_t bytes = 0;
    cudaError_t e = cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, (int64_t)n, stream);

    if (e == cudaSuccess && bytes > cuda_scan_bytes(n))
        return cudaErrorMemoryAllocation;
    return e == cudaSuccess
               ? cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, (int64_t)n, stream)
               : e;
}

/* ---- plans ---------------------------------------------------------------------------------- */

/* start[b] = first entry whose key is b or more, for b in [0, n_buckets]; a thread looks at
 * STARTS_KEYS neighbouring entries. */
enum { STARTS_KEYS = 4 };
static __global__ void __launch_bounds__(256)
    starts_kernel(const u32 *keys, size_t n, u32 n_buckets, u32 *start)
{
    const size_t first = ((size_t)blockIdx.x * 256 + threadIdx.x) * STARTS_KEYS;
    u32 key[STARTS_KEYS];

    if (first > n)
        return;
    if (first + STARTS_KEYS <= n) {
        const uint4 k = *(const uint4 *)(keys + first);

        key[0] = k.x, key[1] = k.y, key[2] = k.z, key[3] = k.w;
    } else {
#pragma unroll
        for (u32 k = 0; k < STARTS_KEYS; k++)
            key[k] = first + k < n ? keys[first + k] : n_buckets;
    }
    u32 b = first ? keys[first - 1] + 1 : 0;

#pragma unroll
    for (u32 k = 0; k < STARTS_KEYS; k++) {
        const u32 here = key[k] < n_buckets ? key[k] : n_buckets;

        for (; b <= here; b++)
            start[b] = (u32)(first + k);
    }
}
/* counts, nothing left over, and how many pairs each round will have: a block adds them up for
 * BEGIN_BUCKETS buckets, because additions to one place in memory wait for each other */
enum { BEGIN_BUCKETS = 1024 };
static __global__ void __launch_bounds__(256)
    begin_kernel(const u32 *start, u32 n_buckets, u32 *count, u32 *left, u64 *totals)
{
    __shared__ u32 sums[CUDA_ROUNDS];

    if (threadIdx.x < CUDA_ROUNDS)
        sums[threadIdx.x] = 0;
    __syncthreads();
    for (u32 k = 0; k < BEGIN_BUCKETS; k += 256) {
        const u32 b = blockIdx.x * BEGIN_BUCKETS + k + threadIdx.x;
        u32 n = b < n_buckets ? start[b + 1] - start[b] : 0;
        bool odd = false;

        if (b < n_buckets)
            count[b] = n, left[b] = NONE;
        for (int round = 0; round < CUDA_ROUNDS; round++) {
            u32 pairs = n / 2;

            if (n & 1) {
                pairs += odd;
                odd = !odd;
            }
            n = pairs;
            const u32 sum = __reduce_add_sync(~0u, pairs);

            if (sum == 0)
                break;
            if ((threadIdx.x & 31) == 0)
                atomicAdd(sums + round, sum);
        }
    }
    __syncthreads();
    if (threadIdx.x < CUDA_ROUNDS && sums[threadIdx.x])
        atomicAdd((unsigned long long *)totals + threadIdx.x,
                  (unsigned long long)sums[threadIdx.x]);
}
cudaError_t cuda_plan_begin(const struct cuda_plan *plan, const uint32_t *keys, size_t n,
                            cudaStream_t stream)
{
    cudaError_t e = cudaMemsetAsync(plan->totals, 0, CUDA_ROUNDS * sizeof *plan->totals, stream);

    if (e != cudaSuccess)
        return e;
    starts_kernel<<<grid_of(n / STARTS_KEYS + 1, 256), 256, 0, stream>>>(keys, n, plan->n_buckets,
                                                                         plan->start);
    begin_kernel<<<grid_of(plan->n_buckets, BEGIN_BUCKETS), 256, 0, stream>>>(
        plan->start, plan->n_buckets, plan->count, plan->left, plan->totals);
    return cudaGetLastError();
}

static __global__ void __launch_bounds__(256)
    count_kernel(const u32 *count, const u32 *left, u32 n_buckets, u32 *n_pairs, u32 *long_list)
{
    const u32 b = blockIdx.x * 256 + threadIdx.x;

    if (b == 0)
        long_list[0] = 0;
    if (b < n_buckets)
        n_pairs[b] = count[b] / 2 + ((count[b] & 1) && left[b] != NONE);
}

/* Pair i of a bucket with first operand `start`, `half` whole pairs and a leftover. */
DEVICE uint2 bucket_pair(const u32 *refs, u32 start, u32 half, u32 left, u32 i)
{
    const u32 a = start + 2 * i, b = i < half ? a + 1 : NONE;

    if (refs)
        return make_uint2(refs[a], refs[b]); /* the first round has no leftovers */
    return make_uint2(a, b == NONE ? left : b);
}
/* Buckets with more pairs than this are left to long_kernel: a warp here serves 32 buckets. */
enum { LONG = 1024 };

/* A warp writes the pairs of 32 neighbouring buckets as one coalesced run, finding the bucket of a
 * pair by a search over the lanes; then the buckets' new state. */
static __global__ void __launch_bounds__(256)
    emit_kernel(const __grid_constant__ struct cuda_plan plan, const u32 *refs, uint2 *pairs,
                u32 slot0)
{
    const u32 b = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31;
    const bool in = b < plan.n_buckets;
    const u32 n = in ? plan.count[b] : 0, start = in ? plan.start[b] : 0, half = n / 2;
    const u32 left = in ? plan.left[b] : NONE, place = in ? plan.place[b] : 0;
    const u32 all = half + ((n & 1) && left != NONE), here = all > LONG ? 0 : all;
    u32 end = here;

#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const u32 below = __shfl_up_sync(~0u, end, d);

        end += (int)lane >= d ? below : 0;
    }
    const u32 total = __shfl_sync(~0u, end, 31), begin = end - here;

    for (u32 q = lane; q < ((total + 31) & ~31u); q += 32) {
        u32 k = 0;

#pragma unroll
        for (int d = 16; d; d >>= 1) {
            const u32 other = __shfl_sync(~0u, begin, k + d);

            k += other <= q ? d : 0;
        }
        const u32 i = q - __shfl_sync(~0u, begin, k), to = __shfl_sync(~0u, place, k);
        const u32 s = __shfl_sync(~0u, start, k), h = __shfl_sync(~0u, half, k);
        const u32 l = __shfl_sync(~0u, left, k);

        if (q < total)
            pairs[to + i] = bucket_pair(refs, s, h, l, i);
    }
    if (!in)
        return;
    if (all > LONG) {
        plan.long_list[1 + atomicAdd(plan.long_list, 1)] = b;
        return; /* its state changes after its pairs are written */
    }
    if (n & 1)
        plan.left[b] = refs ? refs[start + n - 1] : left != NONE ? NONE : start + n - 1;
    plan.start[b] = slot0 + place;
    plan.count[b] = all;
}
/* The pairs of long buckets, in chunks shared out over the grid. */
static __global__ void __launch_bounds__(256)
    long_kernel(const __grid_constant__ struct cuda_plan plan, const u32 *refs, uint2 *pairs)
{
    enum { CHUNK = 8192 };
    const u32 n_long = plan.long_list[0];

    for (u32 k = 0; k < n_long; k++) {
        const u32 b = plan.long_list[1 + k], n = plan.count[b], half = n / 2;
        const u32 start = plan.start[b], left = plan.left[b], place = plan.place[b];
        const u32 all = half + ((n & 1) && left != NONE);

        for (u32 c = (blockIdx.x + gridDim.x - k % gridDim.x) % gridDim.x; (u64)c * CHUNK < all;
             c += gridDim.x)
            for (u32 i = c * CHUNK + threadIdx.x; i < all && i < (c + 1) * CHUNK; i += 256)
                pairs[place + i] = bucket_pair(refs, start, half, left, i);
    }
}
static __global__ void __launch_bounds__(256)
    long_state_kernel(const __grid_constant__ struct cuda_plan plan, const u32 *refs, u32 slot0)
{
    const u32 n_long = plan.long_list[0];

    for (u32 k = blockIdx.x * 256 + threadIdx.x; k < n_long; k += gridDim.x * 256) {
        const u32 b = plan.long_list[1 + k], n = plan.count[b], start = plan.start[b];
        const u32 left = plan.left[b];

        plan.count[b] = n / 2 + ((n & 1) && left != NONE);
        if (n & 1)
            plan.left[b] = refs ? refs[start + n - 1] : left != NONE ? NONE : start + n - 1;
        plan.start[b] = slot0 + plan.place[b];
    }
}
cudaError_t cuda_plan_round(const struct cuda_plan *plan, const uint32_t *refs, uint32_t *pairs,
                            uint32_t slot0, unsigned n_sm, cudaStream_t stream)
{
    const unsigned grid = grid_of(plan->n_buckets, 256);
    cudaError_t e;

    count_kernel<<<grid, 256, 0, stream>>>(plan->count, plan->left, plan->n_buckets, plan->n_pairs,
                                           plan->long_list);
    e = cuda_exclusive_sum(plan->place, plan->n_pairs, plan->n_buckets, plan->scratch, stream);
    if (e != cudaSuccess)
        return e;
    emit_kernel<<<grid, 256, 0, stream>>>(*plan, refs, (uint2 *)pairs, slot0);
    long_kernel<<<4 * n_sm, 256, 0, stream>>>(*plan, refs, (uint2 *)pairs);
    long_state_kernel<<<n_sm, 256, 0, stream>>>(*plan, refs, slot0);
    return cudaGetLastError();
}

/* ---- packed witnesses ----------------------------------------------------------------------- */

/* Word w of 64 variables: those with a base whose bit is set, and those with a base that are full.
 */
DEVICE void select_word(const struct cuda_select &s, size_t w, u64 &bit, u64 &full)
{
    const u64 map = s.map ? s.map[w] : ~(u64)0, is_full = s.full_map[w];

    bit = map & ~is_full & s.bits[w];
    full = map & is_full;
}
static __global__ void __launch_bounds__(256)
    select_count(const __grid_constant__ struct cuda_select s)
{
    const size_t n_words = (s.n + 63) / 64, w = (size_t)blockIdx.x * 256 + threadIdx.x;
    u64 bit = 0, full = 0;

    if (w > n_words)
        return;
    if (w < n_words)
        select_word(s, w, bit, full);
    s.counts[w] = (u32)__popcll(bit);
    s.counts[n_words + 1 + w] = (u32)__popcll(full);
}
/* ones of a map before variable 64 w, from the counts before each 512 */
DEVICE u32 rank_at(const u64 *map, const u32 *rank, size_t w)
{
    u32 r = rank[w / 8];

    for (size_t k = w / 8 * 8; k < w; k++)
        r += (u32)__popcll(map[k]);
    return r;
}
static __global__ void __launch_bounds__(256)
    select_emit(const __grid_constant__ struct cuda_select s)
{
    const size_t n_words = (s.n + 63) / 64, w = (size_t)blockIdx.x * 256 + threadIdx.x;
    u64 bit, full;

    if (w == n_words) {
        const u32 n_bit = s.counts[n_words];

        s.totals[0] = n_bit;
        s.totals[1] = s.counts[2 * n_words + 1] - n_bit;
    }
    if (w >= n_words)
        return;
    select_word(s, w, bit, full);
    const u64 map = s.map ? s.map[w] : ~(u64)0;
    const u32 base = s.first_base + (s.map ? rank_at(s.map, s.map_rank, w) : (u32)(64 * w));
    const u32 full_place = s.first_full + (full ? rank_at(s.full_map, s.full_rank, w) : 0);
    u32 to = s.counts[w];

    for (; bit; bit &= bit - 1) {
        const u64 below = (bit & (0 - bit)) - 1;

        s.bit_base[to++] = base + (u32)__popcll(map & below);
    }
    to = s.counts[n_words + 1 + w] - s.counts[n_words];
    for (; full; full &= full - 1) {
        const u64 below = (full & (0 - full)) - 1;

        s.full_base[to] = base + (u32)__popcll(map & below);
        s.full_scalar[to++] = full_place + (u32)__popcll(s.full_map[w] & below);
    }
}
cudaError_t cuda_select(const struct cuda_select *select, cudaStream_t stream)
{
    const size_t n_words = (select->n + 63) / 64;
    cudaError_t e;

    select_count<<<grid_of(n_words + 1, 256), 256, 0, stream>>>(*select);
    e = cuda_exclusive_sum(select->counts, select->counts, 2 * (n_words + 1), select->scratch,
                           stream);
    if (e != cudaSuccess)
        return e;
    select_emit<<<grid_of(n_words + 1, 256), 256, 0, stream>>>(*select);
    return cudaGetLastError();
}

/* a[i] = value + i * step */
static __global__ void __launch_bounds__(256)
    fill_kernel(u32 *a, u32 value, u32 step, size_t begin, size_t end)
{
    const size_t i = begin + (size_t)blockIdx.x * 256 + threadIdx.x;

    if (i < end)
        a[i] = value + (u32)i * step;
}
cudaError_t cuda_fill(uint32_t *a, uint32_t value, size_t begin, size_t end, cudaStream_t stream)
{
    if (end > begin)
        fill_kernel<<<grid_of(end - begin, 256), 256, 0, stream>>>(a, value, 0, begin, end);
    return cudaGetLastError();
}
cudaError_t cuda_count_up(uint32_t *a, size_t n, cudaStream_t stream)
{
    if (n)
        fill_kernel<<<grid_of(n, 256), 256, 0, stream>>>(a, 0, 1, 0, n);
    return cudaGetLastError();
}
