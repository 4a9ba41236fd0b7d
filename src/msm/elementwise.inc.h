/* Sums and multiples of arrays, element by element: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; msm/adder.inc.h comes before.
 * Names defined: entries of struct group_kernels: g1_bulk_add_bytes, g1_bulk_add, g1_bulk_mul_each.
 */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define G_T G(t)
#define G_AFFINE_T G(affine_t)

struct G(add) {
    const G_AFFINE_T *a, *b;
    G_AFFINE_T *out;
    struct G(adder) * adders; /* one a worker */
    struct pool *pool;
};

static size_t G(bulk_add_bytes)(size_t n, unsigned n_threads)
{
    (void)n;
    return n_threads * sizeof(struct G(adder));
}

static void G(add_range)(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct G(add) *add = ctx;
    struct G(adder) *adder = &add->adders[worker];

    G(adder_init)(adder, add->pool);
    for (size_t i = begin; i < end; i++)
        G(adder_push)(adder, G(ref)(&add->a[i], false), G(ref)(&add->b[i], false), &add->out[i]);
    G(adder_flush)(adder);
}

static void G(bulk_add)(void *out, const void *a, const void *b, size_t n, void *scratch,
                        struct pool *pool)
{
    struct G(add) add = {.a = a, .b = b, .out = out, .adders = scratch, .pool = pool};

    pool_for(pool, n, 8 * ADDER_PAIRS, G(add_range), &add);
}

struct G(mul_each) {
    const G_AFFINE_T *points;
    const uint64_t *scalars;
    G_AFFINE_T *out;
    struct pool *pool;
};

enum { G(MUL_EACH_BATCH) = 64 };

static void G(mul_each_range)(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct G(mul_each) *mul = ctx;
    G_T product[G(MUL_EACH_BATCH)];
    B(t) scratch[2 * G(MUL_EACH_BATCH)];

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        G_T point;

        pool_may_go_on(mul->pool);
        G(from_affine)(&point, &mul->points[i]);
        G(mul_plain)(&product[i - begin], &point, &mul->scalars[i * FR_LIMBS], FR_LIMBS);
    }
    G(to_affine_batch)(&mul->out[begin], product, end - begin, scratch);
}

static void G(bulk_mul_each)(void *out, const void *points, const uint64_t *scalars, size_t n,
                             struct pool *pool)
{
    struct G(mul_each) mul = {.points = points, .scalars = scalars, .out = out, .pool = pool};

    pool_for(pool, n, G(MUL_EACH_BATCH), G(mul_each_range), &mul);
}

#undef G
#undef B
#undef G_T
#undef G_AFFINE_T
