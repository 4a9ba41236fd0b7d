/* Speed of the CUDA back end's operations, through the waist: medians, warm, everything resident.
 *
 *     gpu_speed [name]...     those whose name contains one of the arguments; all without
 *
 * A time is the host's clock over a few operations in a row, divided by their number. */
#include "gpu/gpu_check.h"

static const struct curve *const curve = &curve_bls12_381;
static struct device *device;
static struct stream *stream;

static void open_device(size_t bytes)
{
    struct device_options options = {.curve = curve, .arena_bytes = bytes};
    struct cuzk_error err = {0};

    gpu_must(backend_cuda.open(&device, &options, &err), &err);
    gpu_must(backend_cuda.stream_new(device, &stream, &err), &err);
}
static void close_device(void)
{
    backend_cuda.stream_free(stream);
    backend_cuda.close(device);
}
static void wait(void)
{
    struct cuzk_error err = {0};

    gpu_must(backend_cuda.wait(stream, &err), &err);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}
/* Milliseconds of one call of f: median of 5 times `row` calls. */
static double median_ms(void (*f)(void *), void *context, int row)
{
    double t[5];

    f(context);
    wait();
    for (int i = 0; i < 5; i++) {
        double start = gpu_seconds();

        for (int k = 0; k < row; k++)
            f(context);
        wait();
        t[i] = (gpu_seconds() - start) * 1e3 / row;
    }
    qsort(t, 5, sizeof *t, compare_doubles);
    return t[2];
}

/* ---- transforms ---- */

struct transform {
    struct domain *domain;
    struct buf *a, *b;
    bool inverse;
    enum h_basis basis;
};
static void run_ntt(void *context)
{
    struct transform *t = context;

    backend_cuda.ntt(stream, t->domain, t->a, t->inverse, !t->inverse);
}
static void run_quotient(void *context)
{
    struct transform *t = context;

    backend_cuda.quotient(stream, t->domain, t->a, t->b, t->basis);
}

static void bench_transforms(void)
{
    printf("%-8s %10s %10s %12s %12s %14s\n", "size", "ntt inv", "ntt coset", "quotient 4",
           "of it, one", "quotient 6 (H)");
    for (unsigned lg_n = 20; lg_n <= 27; lg_n++) {
        const size_t n = (size_t)1 << lg_n;
        const int row = lg_n < 24 ? 20 : 4;
        struct cuzk_error err = {0};
        struct transform t = {0};
        struct scalar first = {{12345, 6789}}, base = {{987654321}};
        double inverse, forward, folded, powers;

        open_device(backend_cuda.domain_bytes(curve, lg_n) +
                    2 * backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, n) +
                    backend_cuda.quotient_bytes(curve, lg_n, H_POWERS));
        gpu_must(backend_cuda.domain_new(device, lg_n, 7, &t.domain, &err), &err);
        gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &t.a, &err), &err);
        gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &t.b, &err), &err);
        backend_cuda.powers(stream, t.a, &first, &base, n);
        backend_cuda.powers(stream, t.b, &base, &first, n);
        t.inverse = true;
        inverse = median_ms(run_ntt, &t, row);
        t.inverse = false;
        forward = median_ms(run_ntt, &t, row);
        t.basis = H_COSET_FOLDED;
        folded = median_ms(run_quotient, &t, row);
        t.basis = H_POWERS;
        powers = median_ms(run_quotient, &t, row);
        printf("2^%-6u %10.3f %10.3f %12.3f %12.3f %14.3f\n", lg_n, inverse, forward, folded,
               folded / 4, powers);
        fflush(stdout);
        backend_cuda.buf_free(t.b);
        backend_cuda.buf_free(t.a);
        backend_cuda.domain_free(t.domain);
        close_device();
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"transforms", bench_transforms}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool wanted = argc < 2;

        for (int k = 1; k < argc; k++)
            wanted |= strstr(parts[i].name, argv[k]) != NULL;
        if (wanted)
            parts[i].run();
    }
    return 0;
}
