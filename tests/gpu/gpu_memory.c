/* Every handle and every operation of the CUDA back end takes what its *_bytes function says: it
 * runs in an arena with exactly so much left, and reports that memory is short in one with a
 * granule less. */
#include "gpu/gpu_tests.h"
#include "backend/cuda/cuda_device.h"
#include "gpu/gpu_machine.h"
#include "support/random_system.h"

enum { N = 5000, AUX = 512, LG_N = 12, ARENA = 1 << 30 };

static struct machine m;
static struct r1cs cs;
static struct witness witness;
/* what operations work on */
static struct buf *scalars, *more_scalars, *points, *more_points;
static struct domain *domain;
static struct bases *bases;
static struct fixed_base *fixed;
static struct matrix_handle *matrix;
static struct witness_handle *witness_handle;
static struct bases_source source; /* of one point a variable */
static struct g1_point sum;
static const uint64_t *map;

/* ---- the measure ----------------------------------------------------------------------------- */

/* Runs `op` with `left` bytes left in the arena; what it or the wait after it reports. */
static enum cuzk_status run_with(size_t left, enum cuzk_status (*op)(struct cuzk_error *err))
{
    const size_t free_bytes = m.device->arena_bytes - m.device->low;
    struct buf *filler = NULL;
    struct cuzk_error err = {0};
    enum cuzk_status st;

    gpu_must(m.b->buf_new(m.device, ELEMENT_SCALAR, (free_bytes - left) / 32, &filler, &err), &err);
    st = op(&err);
    if (st == CUZK_OK)
        st = m.b->wait(m.stream, &err);
    m.b->buf_free(filler);
    return st;
}

static int takes(const char *name, size_t bytes, enum cuzk_status (*op)(struct cuzk_error *err))
{
    const enum cuzk_status enough = run_with(bytes, op);
    const enum cuzk_status short_of_it = bytes ? run_with(bytes - CUDA_ALIGN, op) : CUZK_NO_MEMORY;
    const bool wrong = enough != CUZK_OK || short_of_it != CUZK_NO_MEMORY;

    if (wrong)
        printf("  %s, %zu bytes: %s with them, %s with less\n", name, bytes,
               cuzk_status_name(enough), cuzk_status_name(short_of_it));
    return wrong;
}

/* ---- handles --------------------------------------------------------------------------------- */

#define HANDLE(name, type, call, end)                                                              \
    static enum cuzk_status name(struct cuzk_error *err)                                           \
    {                                                                                              \
        struct type *handle = NULL;                                                                \
        enum cuzk_status st = m.b->call;                                                           \
                                                                                                   \
        m.b->end(handle);                                                                          \
        return st;                                                                                 \
    }
HANDLE(new_buf, buf, buf_new(m.device, ELEMENT_G2, N, &handle, err), buf_free)
HANDLE(new_domain, domain, domain_new(m.device, LG_N, 7, TABLES_FAST, &handle, err), domain_free)
HANDLE(new_bases, bases, bases_new(m.device, &source, &handle, err), bases_free)
HANDLE(new_fixed, fixed_base,
       fixed_base_new(m.device, ELEMENT_G1, &curve->g1_generator, &handle, err), fixed_base_free)
HANDLE(new_matrix, matrix_handle, matrix_new(m.device, &cs.a, &handle, err), matrix_free)

static int handles_take_what_they_say(void)
{
    const struct backend *b = m.b;
    int wrong = takes("buf", b->buf_bytes(curve, ELEMENT_G2, N), new_buf) +
                takes("domain", b->domain_bytes(curve, LG_N, TABLES_FAST), new_domain) +
                takes("bases", b->bases_bytes(curve, &source), new_bases) +
                takes("fixed base", b->fixed_base_bytes(curve, ELEMENT_G1), new_fixed) +
                takes("matrix", b->matrix_bytes(curve, &cs.a), new_matrix);

    source.multiples = 5;
    wrong += takes("bases with multiples", b->bases_bytes(curve, &source), new_bases);
    source.multiples = 0;
    return wrong;
}

/* ---- operations ------------------------------------------------------------------------------ */

#define OPERATION(name, call)                                                                      \
    static enum cuzk_status name(struct cuzk_error *err)                                           \
    {                                                                                              \
        (void)err;                                                                                 \
        m.b->call;                                                                                 \
        return CUZK_OK;                                                                            \
    }
OPERATION(run_ntt, ntt(m.stream, domain, scalars, true, true))
OPERATION(run_quotient, quotient(m.stream, domain, scalars, more_scalars, H_POWERS))
OPERATION(run_quotient_ab, quotient_ab(m.stream, domain, scalars, more_scalars, H_POWERS))
OPERATION(run_quotient_c, quotient_c(m.stream, domain, scalars, more_scalars, H_POWERS))
OPERATION(run_msm, msm_g1(m.stream, bases, scalars, 0, source.points.n, &sum))
OPERATION(run_msm_witness,
          msm_witness_g1(m.stream, bases, &witness_handle, 1, witness_whole(cs.n_aux), &sum))
OPERATION(run_transposed,
          spmv_transposed(m.stream, more_scalars, matrix, scalars, 0, N, false, 0, AUX))
OPERATION(run_select, select(m.stream, more_scalars, scalars, map, 0, AUX))
static size_t zero;
OPERATION(run_find_zero, find_zero(m.stream, scalars, N, &zero))
OPERATION(run_multiples, fixed_base_mul(m.stream, fixed, points, scalars, 0, N))
OPERATION(run_group_ntt, group_ntt(m.stream, domain, points, true, true))
OPERATION(run_point_spmv, point_spmv(m.stream, more_points, matrix, points, false, 0, AUX))

static int operations_take_what_they_say(void)
{
    const struct backend *b = m.b;

    return takes("ntt", b->ntt_bytes(curve, LG_N), run_ntt) +
           takes("quotient", b->quotient_bytes(curve, LG_N, H_POWERS), run_quotient) +
           takes("quotient_ab", 0, run_quotient_ab) + takes("quotient_c", 0, run_quotient_c) +
           takes("msm", b->msm_bytes(curve, ELEMENT_G1, source.points.n, 1), run_msm) +
           takes("msm_witness", b->msm_witness_bytes(curve, &source, witness.n_full, 1),
                 run_msm_witness) +
           takes("spmv_transposed", b->spmv_transposed_bytes(curve, &cs.a, false, AUX, 1),
                 run_transposed) +
           takes("select", b->select_bytes(curve, AUX), run_select) +
           takes("find_zero", b->find_zero_bytes(curve), run_find_zero) +
           takes("fixed_base_mul", b->fixed_base_mul_bytes(curve, ELEMENT_G1, N, 1),
                 run_multiples) +
           takes("group_ntt", b->group_ntt_bytes(curve, ELEMENT_G1, LG_N, 1), run_group_ntt) +
           takes("point_spmv", b->point_spmv_bytes(curve, &cs.a, ELEMENT_G1, AUX, 1),
                 run_point_spmv);
}

/* ---- the stage ------------------------------------------------------------------------------- */

/* A system of more than N rows and AUX aux, and the witness of nothing but zeros. */
static void make_system(struct region regions[3])
{
    const struct random_system system = {
        .seed = 77, .n_repeats = 3, .count = 40, .n_ports = 3, .rows = 60, .terms = 4};
    struct cuzk_error err = {0};
    struct scalar *values;

    gpu_must(random_system_load(&system, &cs, curve, NULL, false, &err), &err);
    values = map_memory(&regions[0], (cs.n_inputs + cs.n_full + 1) * sizeof *values);
    values[0] = (struct scalar){{1}};
    witness = (struct witness){.n_inputs = cs.n_inputs,
                               .n_aux = cs.n_aux,
                               .n_full = cs.n_full,
                               .fr_bytes = 32,
                               .full_map = cs.full_map,
                               .full_rank = cs.full_rank,
                               .bits = map_memory(&regions[1], witness_map_words(cs.n_aux) * 8),
                               .inputs = values->w,
                               .full = values[cs.n_inputs].w};
    map = witness.bits;
    source = (struct bases_source){
        .group = ELEMENT_G1,
        .n_inputs = cs.n_inputs,
        .n_aux = cs.n_aux,
        .points = {POINTS_NATIVE, map_memory(&regions[2], cs.n_aux * curve->g1_bytes), cs.n_aux}};
}

static void make_stage(void)
{
    const size_t n = cs.a.n_rows > 1 << LG_N ? cs.a.n_rows : 1 << LG_N;
    struct cuzk_error err = {0};

    machine_open(&m, &backend_cuda, ARENA);
    scalars = buf_of(&m, ELEMENT_SCALAR, n, NULL);
    more_scalars = buf_of(&m, ELEMENT_SCALAR, n, NULL);
    points = buf_of(&m, ELEMENT_G1, n, NULL);
    more_points = buf_of(&m, ELEMENT_G1, n, NULL);
    m.b->buf_zero(m.stream, scalars, 0, n);
    m.b->buf_zero(m.stream, more_scalars, 0, n);
    m.b->buf_zero(m.stream, points, 0, n);
    gpu_must(m.b->domain_new(m.device, LG_N, 7, TABLES_FAST, &domain, &err), &err);
    gpu_must(m.b->bases_new(m.device, &source, &bases, &err), &err);
    gpu_must(m.b->fixed_base_new(m.device, ELEMENT_G1, &curve->g1_generator, &fixed, &err), &err);
    gpu_must(m.b->matrix_new(m.device, &cs.a, &matrix, &err), &err);
    gpu_must(m.b->witness_new(m.device, &witness, &witness_handle, &err), &err);
    m.b->witness_put(m.stream, witness_handle, &witness, witness_whole(cs.n_aux));
    machine_wait(&m);
}

static void strike_stage(void)
{
    m.b->witness_free(witness_handle);
    m.b->matrix_free(matrix);
    m.b->fixed_base_free(fixed);
    m.b->bases_free(bases);
    m.b->domain_free(domain);
    m.b->buf_free(more_points);
    m.b->buf_free(points);
    m.b->buf_free(more_scalars);
    m.b->buf_free(scalars);
    machine_close(&m);
}

/* With a stage of the present curve. */
static int on_stage(int (*test)(void))
{
    struct region regions[3];
    int wrong;

    make_system(regions);
    make_stage();
    wrong = test();
    strike_stage();
    for (int i = 0; i < 3; i++)
        region_unmap(&regions[i]);
    r1cs_done(&cs);
    return wrong;
}
static int handles(void)
{
    return on_stage(handles_take_what_they_say);
}
static int operations(void)
{
    return on_stage(operations_take_what_they_say);
}

int gpu_memory(int argc, char **argv)
{
    static const struct gpu_test tests[] = {
        {"handles_take_what_they_say", handles, false},
        {"operations_take_what_they_say", operations, false},
    };
    struct cuzk_error err = {0};
    int status;

    gpu_must(pool_new(&pool, 0, &err), &err);
    status = gpu_run(tests, sizeof tests / sizeof *tests, argc, argv);
    pool_free(pool);
    return status;
}
