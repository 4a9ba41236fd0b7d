/* Operations of the waist on the cpu back end at the size of a real circuit (porep-2KiB): the
 * matrices times a witness, the transposed product of set-up, and the quotient. */
#include "bench.h"

#include "backend/backend.h"
#include "circuit/packed_witness.h"
#include "filecoin/circuit_name.h"
#include "filecoin/porep_circuit.h"

enum {
    WINDOW = 1 << 16, /* aux of one transposed product */
};

struct job {
    const struct backend *be;
    struct device *device;
    struct stream *stream;
    struct r1cs cs;
    struct packed_witness witness;
    size_t n; /* of the domain */
    struct domain *domain;
    struct matrix_handle *a, *b;
    struct witness_handle *w;
    struct buf *x, *y, *part;
    struct cuzk_error err;
};

static void job_circuit(struct job *job)
{
    struct circuit_name name;
    struct vanilla_porep vanilla;

    bench_must(circuit_name_parse(&name, "porep-2KiB", &job->err), &job->err);
    bench_must(porep_record(&job->cs, &name.size->porep, NULL, &job->err), &job->err);
    bench_must(vanilla_porep_new(&vanilla, &name.size->porep, 1, NULL, &job->err), &job->err);
    bench_must(packed_witness_new(&job->witness, &job->cs, NULL, &job->err), &job->err);
    porep_witness(&job->witness, &job->cs, &vanilla, 0, NULL);
    vanilla_porep_done(&vanilla);
}

/* Everything that job_open takes, and the largest scratch. */
static size_t job_bytes(const struct job *job, unsigned lg_n)
{
    const struct backend *be = job->be;
    const struct curve *curve = job->cs.curve;

    return be->domain_bytes(curve, lg_n, TABLES_FAST) + be->matrix_bytes(curve, &job->cs.a) +
           be->matrix_bytes(curve, &job->cs.b) + be->witness_bytes(curve, &job->witness.values) +
           2 * be->buf_bytes(curve, ELEMENT_SCALAR, (size_t)1 << lg_n) +
           be->buf_bytes(curve, ELEMENT_SCALAR, WINDOW) + be->quotient_bytes(curve, lg_n, H_POWERS);
}

static void job_open(struct job *job, struct pool *pool)
{
    const struct backend *be = job->be = backend_find("cpu");
    const struct curve *curve = job->cs.curve;
    const unsigned lg_n = r1cs_lg_domain(&job->cs);
    const struct device_options options = {
        .curve = curve, .pool = pool, .arena_bytes = job_bytes(job, lg_n)};
    struct cuzk_error *err = &job->err;

    job->n = (size_t)1 << lg_n;
    bench_must(be->open(&job->device, &options, err), err);
    bench_must(be->stream_new(job->device, &job->stream, err), err);
    bench_must(be->domain_new(job->device, lg_n, 7, TABLES_FAST, &job->domain, err), err);
    bench_must(be->matrix_new(job->device, &job->cs.a, &job->a, err), err);
    bench_must(be->matrix_new(job->device, &job->cs.b, &job->b, err), err);
    bench_must(be->witness_new(job->device, &job->witness.values, &job->w, err), err);
    be->witness_put(job->stream, job->w, &job->witness.values,
                    witness_whole(job->witness.values.n_aux));
    bench_must(be->buf_new(job->device, ELEMENT_SCALAR, job->n, &job->x, err), err);
    bench_must(be->buf_new(job->device, ELEMENT_SCALAR, job->n, &job->y, err), err);
    bench_must(be->buf_new(job->device, ELEMENT_SCALAR, WINDOW, &job->part, err), err);
    be->buf_zero(job->stream, job->x, 0, job->n);
    be->buf_zero(job->stream, job->y, 0, job->n);
}

static void job_close(struct job *job)
{
    const struct backend *be = job->be;

    bench_must(be->wait(job->stream, &job->err), &job->err);
    be->buf_free(job->part);
    be->buf_free(job->y);
    be->buf_free(job->x);
    be->witness_free(job->w);
    be->matrix_free(job->b);
    be->matrix_free(job->a);
    be->domain_free(job->domain);
    be->stream_free(job->stream);
    be->close(job->device);
}

/* ---- what is measured ------------------------------------------------------------------------ */

static void spmv_a(void *ctx)
{
    struct job *job = ctx;

    job->be->spmv(job->stream, job->x, job->a, job->w, 0, job->cs.a.n_rows);
}

static void spmv_b(void *ctx)
{
    struct job *job = ctx;

    job->be->spmv(job->stream, job->y, job->b, job->w, 0, job->cs.b.n_rows);
}

static void transposed_aux(void *ctx)
{
    struct job *job = ctx;

    job->be->spmv_transposed(job->stream, job->part, job->a, job->x, 0, job->cs.a.n_rows, false,
                             WINDOW, WINDOW);
}

static void transposed_inputs(void *ctx)
{
    struct job *job = ctx;

    job->be->spmv_transposed(job->stream, job->part, job->a, job->x, 0, job->cs.a.n_rows, true, 0,
                             job->cs.n_inputs);
}

static void quotient(void *ctx)
{
    struct job *job = ctx;

    job->be->quotient(job->stream, job->domain, job->x, job->y, H_POWERS);
}

static void measure(struct job *job, const char *what, const char *group, bench_fn *f,
                    unsigned n_threads, int rounds)
{
    char title[64];
    const struct bench bench = {.title = title,
                                .rounds = rounds,
                                .units_per_second = 1e3,
                                .unit = "ms",
                                .ours = f,
                                .ours_ctx = job};

    snprintf(title, sizeof title, "%s BLS12-381 %s porep-2KiB %u", what, group, n_threads);
    bench_run(&bench);
}

int main(void)
{
    static struct job job;
    const unsigned most = bench_smoke() ? 1 : 2;

    job_circuit(&job);
    for (unsigned n_threads = 1; n_threads <= most; n_threads++) {
        struct pool *pool;

        bench_must(pool_new(&pool, n_threads, &job.err), &job.err);
        job_open(&job, pool);
        measure(&job, "spmv", "A", spmv_a, n_threads, 5);
        measure(&job, "spmv", "B", spmv_b, n_threads, 5);
        measure(&job, "spmv-transposed", "A aux 2^16", transposed_aux, n_threads, 5);
        measure(&job, "spmv-transposed", "A inputs", transposed_inputs, n_threads, 5);
        measure(&job, "quotient", "powers", quotient, n_threads, 2);
        job_close(&job);
        pool_free(pool);
    }
    packed_witness_done(&job.witness);
    r1cs_done(&job.cs);
    return 0;
}
