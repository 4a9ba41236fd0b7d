/* Sums of points: batch additions, and the ends of sums in XYZZ coordinates. */
#include "backend/cuda/curve_unit.cuh"
#include "backend/cuda/batch_add.cuh"
#include "backend/cuda/grid.cuh"
#include "backend/cuda/point_args.cuh"

/* ---- tables --------------------------------------------------------------------------------- */

template <class F>
static __global__ void __launch_bounds__(256) prepare_kernel(uint4 *table, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    uint4 *p = table + i * 2 * units<F>();

    if (i >= n)
        return;
    if (all_words_zero(load_strided<F>(p, 1)) &&
        all_words_zero(load_strided<F>(p + units<F>(), 1))) {
        store(p, infinite<F>());
        store(p + units<F>(), infinite<F>());
    }
}
template <class F> static cudaError_t prepare(void *table, size_t n, cudaStream_t stream)
{
    if (n)
        prepare_kernel<F><<<grid_of(n, 256), 256, 0, stream>>>((uint4 *)table, n);
    return cudaGetLastError();
}
cudaError_t KERNEL(points_prepare)(enum cuda_group group, void *table, size_t n,
                                   cudaStream_t stream)
{
    return BY_GROUP(group, prepare, table, n, stream);
}

/* ---- batch additions ------------------------------------------------------------------------ */

/* Pairs a thread aims at, and the tower's shape: at most TOP elements are inverted one by one,
 * groups are of 16. k = 16 .. 64 are within 2 %, on both curves. */
enum { PAIRS_PER_THREAD = 32, TOP = 16896, MAX_SM = 256 };

/* Threads resident on an SM in pass 2. */
template <class F> static constexpr size_t per_sm_of()
{
    return pass2_block<F>() * pass2_blocks<F>();
}

static size_t threads_for(size_t n_pairs, size_t resident)
{
    size_t waves;

    if (n_pairs < 4 * resident)
        return ceil_div(n_pairs, 4);
    waves = (n_pairs + resident * PAIRS_PER_THREAD / 2) / (resident * PAIRS_PER_THREAD);
    waves = waves ? waves : 1;
    return ceil_div(n_pairs, ceil_div(n_pairs, resident * waves));
}
static size_t tower_width(size_t n)
{
    const size_t groups = ceil_div(n, 16);

    return groups > TOP / 2 ? groups : TOP / 2;
}
size_t KERNEL(batch_add_bytes)(enum cuda_group group, size_t n_pairs)
{
    const size_t per_sm = cuda_is_g1(group) ? per_sm_of<fp>() : per_sm_of<fp2>();
    const size_t few = ceil_div(n_pairs, 4);
    const size_t many = n_pairs / PAIRS_PER_THREAD + MAX_SM * per_sm;
    size_t elements = n_pairs, n = few < many ? few : many; /* no n_sm gives more threads */

    for (elements += n; n > TOP; n = tower_width(n))
        elements += n + tower_width(n);
    return elements * cuda_coordinate_bytes(group);
}

template <class F> static cudaError_t tower(uint4 *a, size_t n, uint4 *scratch, cudaStream_t stream)
{
    if (n <= TOP) {
        invert_each<F><<<grid_of(n, 32), 32, 0, stream>>>(a, (u32)n);
        return cudaGetLastError();
    }
    const size_t width = tower_width(n);
    uint4 *prefix = scratch, *product = prefix + n * units<F>();

    tower_up<F><<<grid_of(width, 128), 128, 0, stream>>>(a, (u32)n, (u32)width, prefix, product);
    cudaError_t e = tower<F>(product, width, product + width * units<F>(), stream);

    if (e != cudaSuccess)
        return e;
    tower_down<F><<<grid_of(width, 128), 128, 0, stream>>>(a, (u32)n, (u32)width, prefix, product);
    return cudaGetLastError();
}

template <class F>
static cudaError_t batch_add(const struct cuda_batch *b, unsigned n_sm, cudaStream_t stream)
{
    const size_t resident = n_sm * per_sm_of<F>();
    const size_t threads = threads_for(b->n_pairs, resident);
    batch w;

    if (b->n_pairs == 0)
        return cudaSuccess;
    w.in = operands{points_of<F>(b->points), (const uint2 *)b->pairs, b->first, b->lg_half};
    w.n_pairs = b->n_pairs;
    w.n_threads = (u32)threads;
    w.prefix = (uint4 *)b->scratch;
    w.product = w.prefix + (size_t)b->n_pairs * units<F>();
    w.out = b->out;
    if (b->far)
        pass1_gather<F><<<grid_of(threads, 128), 128, 0, stream>>>(w);
    else
        pass1_near<F><<<grid_of(threads, 128), 128, 0, stream>>>(w);
    cudaError_t e = tower<F>(w.product, threads, w.product + threads * units<F>(), stream);

    if (e != cudaSuccess)
        return e;
    pass2<F><<<grid_of(threads, pass2_block<F>()), pass2_block<F>(), 0, stream>>>(w);
    return cudaGetLastError();
}
cudaError_t KERNEL(batch_add)(enum cuda_group group, const struct cuda_batch *batch, unsigned n_sm,
                              cudaStream_t stream)
{
    return BY_GROUP(group, batch_add, batch, n_sm, stream);
}

/* ---- collecting buckets --------------------------------------------------------------------- */

/* At the end every bucket has one point (a slot or a leftover) or none. */
template <class F>
static __global__ void __launch_bounds__(128)
    collect_kernel(points p, u32 n, const u32 *start, const u32 *count, const u32 *left, u32 out)
{
    const u32 b = blockIdx.x * 128 + threadIdx.x;
    F x = infinite<F>(), y = x;

    if (b >= n)
        return;
    const u32 ref = count[b] ? start[b] : left[b];

    if (ref != REF_NONE) {
        x = load<F>(x_of<F>(p, ref));
        y = load<F>(y_of<F>(p, ref));
        if (!is_infinite(x))
            y = reduce(neg_if(y, ref & REF_NEGATIVE));
    }
    store(p.x + (size_t)(out + b) * units<F>(), x);
    store(p.y + (size_t)(out + b) * units<F>(), y);
}
template <class F>
static cudaError_t collect(const struct cuda_plan *plan, const struct cuda_points *p, uint32_t out,
                           cudaStream_t stream)
{
    collect_kernel<F><<<grid_of(plan->n_buckets, 128), 128, 0, stream>>>(
        points_of<F>(*p), plan->n_buckets, plan->start, plan->count, plan->left, out);
    return cudaGetLastError();
}
cudaError_t KERNEL(plan_collect)(enum cuda_group group, const struct cuda_plan *plan,
                                 const struct cuda_points *points, uint32_t out,
                                 cudaStream_t stream)
{
    return BY_GROUP(group, collect, plan, points, out, stream);
}

/* ---- sums in XYZZ --------------------------------------------------------------------------- */

/* A warp adds one group: each lane every 32nd member, then a tree over the lanes. */
template <class F>
static __global__ void __launch_bounds__(64)
    group_sum_kernel(points p, const __grid_constant__ struct cuda_group_sum s, uint4 *out)
{
    __shared__ xyzz<F> shared[2][16];
    const u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, g = blockIdx.x * 2 + warp;
    const u32 from = s.first + (g >> s.lg_run) * s.jump + (g & ((1u << s.lg_run) - 1)) * s.step;
    xyzz<F> sum = xyzz_infinity<F>();

    if (g < s.n_groups)
        for (u32 m = lane; m < s.size; m += 32) {
            const u32 slot = from + m * s.stride;

            if (slot >= s.end)
                break;
            const F x = load<F>(x_of<F>(p, slot));

            if (!is_infinite(x))
                xyzz_add_affine(sum, x, load<F>(y_of<F>(p, slot)));
        }
    for (u32 h = 16; h; h >>= 1) {
        if (lane >= h && lane < 2 * h)
            shared[warp][lane - h] = sum;
        __syncwarp();
        if (lane < h)
            xyzz_add(sum, shared[warp][lane]);
        __syncwarp();
    }
    if (g < s.n_groups && lane == 0) {
        const u32 to = (g >> s.lg_run) * s.out_jump + (g & ((1u << s.lg_run) - 1));

        xyzz_store(out + (size_t)to * 4 * units<F>(), sum);
    }
}
template <class F> static cudaError_t group_sum(const struct cuda_group_sum *s, cudaStream_t stream)
{
    group_sum_kernel<F>
        <<<grid_of(s->n_groups, 2), 64, 0, stream>>>(points_of<F>(s->points), *s, (uint4 *)s->xyzz);
    return cudaGetLastError();
}
cudaError_t KERNEL(group_sum)(enum cuda_group group, const struct cuda_group_sum *sum,
                              cudaStream_t stream)
{
    return BY_GROUP(group, group_sum, sum, stream);
}

/* Block (x, y): the sum over the block's points of list y, weight times point, to
 * out[y gridDim.x + x]. Lists below `n_first` have first.n points of weight i + first.shift, the
 * others those of `second`; weight 1 throughout when not `weighted`. Canonical when `last`. */
enum { WEIGHTED_BLOCK = 64 };
struct list_shape {
    u32 n, shift;
};
template <class F>
static __global__ void __launch_bounds__(WEIGHTED_BLOCK)
    weighted_kernel(const uint4 *in, u32 stride, u32 n_first, list_shape first, list_shape second,
                    bool weighted, bool last, uint4 *out)
{
    __shared__ xyzz<F> shared[WEIGHTED_BLOCK / 2];
    const u32 t = threadIdx.x, i = blockIdx.x * WEIGHTED_BLOCK + t;
    const list_shape list = blockIdx.y < n_first ? first : second;
    xyzz<F> sum = xyzz_infinity<F>();

    if (i < list.n) {
        const xyzz<F> p = xyzz_load<F>(in + ((size_t)blockIdx.y * stride + i) * 4 * units<F>());
        const u32 weight = weighted ? i + list.shift : 1;

        for (int b = 31 - __clz((int)weight); b >= 0; b--) {
            xyzz_double(sum);
            if (weight >> b & 1)
                xyzz_add(sum, p);
        }
    }
    for (u32 h = WEIGHTED_BLOCK / 2; h; h >>= 1) {
        if (t >= h && t < 2 * h)
            shared[t - h] = sum;
        __syncthreads();
        if (t < h)
            xyzz_add(sum, shared[t]);
        __syncthreads();
    }
    if (t == 0) {
        if (last)
            sum = xyzz<F>{canon(sum.X), canon(sum.Y), canon(sum.ZZ), canon(sum.ZZZ)};
        xyzz_store(out + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * 4 * units<F>(), sum);
    }
}
size_t KERNEL(weighted_bytes)(enum cuda_group group, size_t n, size_t n_lists)
{
    size_t points = 0;

    while (n > WEIGHTED_BLOCK) {
        n = ceil_div(n, WEIGHTED_BLOCK);
        points += n * n_lists;
    }
    return points * 4 * cuda_coordinate_bytes(group);
}
template <class F>
static cudaError_t weighted_sum(const struct cuda_weighted *w, cudaStream_t stream)
{
    const uint4 *from = (const uint4 *)w->in;
    uint4 *room = (uint4 *)w->scratch;
    u32 n = w->stride;
    list_shape first = {w->n_rows, 0}, second = {w->n_columns, 1};
    bool weighted = w->weighted;

    for (;;) {
        const u32 blocks = grid_of(n, WEIGHTED_BLOCK);
        uint4 *to = blocks == 1 ? (uint4 *)w->out : room;

        weighted_kernel<F><<<dim3(blocks, w->n_lists), WEIGHTED_BLOCK, 0, stream>>>(
            from, n, w->n_row_lists, first, second, weighted, blocks == 1, to);
        if (blocks == 1)
            return cudaGetLastError();
        from = room;
        room += (size_t)blocks * w->n_lists * 4 * units<F>();
        n = first.n = second.n = blocks;
        weighted = false;
    }
}
cudaError_t KERNEL(weighted_sums)(enum cuda_group group, const struct cuda_weighted *weighted,
                                  cudaStream_t stream)
{
    return BY_GROUP(group, weighted_sum, weighted, stream);
}
