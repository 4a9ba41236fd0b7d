/* Every call of CUDA that a proof makes fails once: the proof reports it, nothing is lost, and the
 * next one has the right sums. */
#include "backend/cuda/cuda_device.h"
#include "filecoin/circuit.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "gpu/gpu_machine.h"
#include "gpu/gpu_tests.h"

static struct r1cs cs;
static struct qap qap;
static struct witness witness;
static struct resident_key key;
static struct machine m;

/* Any values of the right classes: nothing is verified. */
static void make_witness(struct region regions[2])
{
    struct scalar *values = map_memory(&regions[0], (cs.n_inputs + cs.n_full) * sizeof *values);

    gpu_random_scalars(values, cs.n_inputs + cs.n_full, 0);
    witness = (struct witness){.n_inputs = cs.n_inputs,
                               .n_aux = cs.n_aux,
                               .n_full = cs.n_full,
                               .fr_bytes = curve->fr_bytes,
                               .full_map = cs.full_map,
                               .full_rank = cs.full_rank,
                               .bits = map_memory(&regions[1], witness_map_words(cs.n_aux) * 8),
                               .inputs = values->w,
                               .full = values[cs.n_inputs].w};
}

static const enum plan_form form = PLAN_OVERLAPPED;
static const struct prove_options *options(void)
{
    static struct prove_options o;

    o = (struct prove_options){.backend = &backend_cuda, .pool = pool};
    return &o;
}

/* An arena with nothing to spare beside the key, so that what is lost shows. */
static void make_key(void)
{
    const struct setup_options setup = {.backend = &backend_cuda,
                                        .pool = pool,
                                        .domain_generator = 7,
                                        .h_basis = H_COSET_FOLDED,
                                        .window = 8192,
                                        .slice = 8192};
    const size_t making = setup_resident_bytes(&qap, &setup);
    struct trapdoor trapdoor;
    struct cuzk_error err = {0};
    struct plan plan;
    size_t proving;

    prover_resident_plan(&plan, &qap, setup.h_basis, form, options());
    proving = resident_key_bytes(&backend_cuda, &qap, setup.h_basis) + plan.arena_bytes;
    machine_open(&m, &backend_cuda, making > proving ? making : proving);
    gpu_must(trapdoor_from_label(&trapdoor, curve, "faults", &err), &err);
    gpu_must(groth16_setup_resident(&qap, &trapdoor, &setup, m.device, m.stream, &key, &err), &err);
}

static enum cuzk_status sums_of_a_proof(struct prove_sums *sums, struct cuzk_error *err)
{
    struct prover *prover;
    enum cuzk_status st;

    memset(sums, 0, sizeof *sums);
    TRY(prover_open_resident(&prover, &key, m.device, form, &qap, options(), err));
    st = prover_put(prover, 0, &witness, err);
    if (st == CUZK_OK)
        st = prover_run(prover, 0, sums, err);
    prover_close(prover);
    return st;
}

/* Call number n fails; true while there are as many. */
static bool fail_once(size_t n, const struct prove_sums *expected, int *wrong)
{
    const cudaError_t error = n % 3 ? cudaErrorLaunchFailure : cudaErrorMemoryAllocation;
    const enum cuzk_status told = n % 3 ? CUZK_DEVICE : CUZK_NO_MEMORY;
    struct cuzk_error err = {0}, after = {0};
    struct prove_sums sums;
    enum cuzk_status st;
    bool was_made;

    (void)cuda_fail_at(n, error);
    st = sums_of_a_proof(&sums, &err);
    was_made = cuda_fail_at(0, cudaSuccess) >= n;
    if (was_made ? st != told || !strstr(err.message, cudaGetErrorString(error)) : st != CUZK_OK) {
        printf("  call %zu: %s (%s)\n", n, cuzk_status_name(st), err.message);
        ++*wrong;
    }
    st = sums_of_a_proof(&sums, &after);
    if (st != CUZK_OK || memcmp(&sums, expected, sizeof sums) != 0) {
        printf("  after call %zu: %s (%s)\n", n, cuzk_status_name(st), after.message);
        ++*wrong;
    }
    return was_made && *wrong < 10;
}

/* The first 60 calls, and then every sixteenth part further. */
static int failed_calls_are_reported_and_leave_nothing(void)
{
    struct circuit_name name = {0};
    struct region regions[2];
    struct cuzk_error err = {0};
    struct prove_sums expected;
    int wrong = 0;

    gpu_must(circuit_name_parse(&name, "winning-2KiB", &err), &err);
    gpu_must(circuit_record(&cs, name, NULL, &err), &err);
    gpu_must(qap_init(&qap, &cs, NULL, &err), &err);
    make_witness(regions);
    make_key();
    gpu_must(sums_of_a_proof(&expected, &err), &err);
    for (size_t n = 1; fail_once(n, &expected, &wrong); n += n < 60 ? 1 : n / 16)
        ;
    resident_key_done(&key);
    machine_close(&m);
    region_unmap(&regions[0]);
    region_unmap(&regions[1]);
    qap_done(&qap);
    r1cs_done(&cs);
    return wrong;
}

/* A device that cannot be opened says why, and takes nothing of the budget with it. */
static int a_device_that_fails_to_open_gives_all_back(void)
{
    struct budget budget;
    struct device_options o = {
        .curve = curve, .pool = pool, .budget = &budget, .arena_bytes = 4096};
    struct cuzk_error err = {0};
    struct device *device;
    int wrong = 0;
    bool open = false;

    budget_init(&budget, 0);
    for (size_t n = 1; !open && n < 100; n++) {
        (void)cuda_fail_at(n, cudaErrorMemoryAllocation);
        open = backend_cuda.open(&device, &o, &err) == CUZK_OK;
        (void)cuda_fail_at(0, cudaSuccess);
        if (open)
            backend_cuda.close(device);
        wrong += atomic_load(&budget.now) != 0;
    }
    return wrong + !open;
}

int gpu_faults(int argc, char **argv)
{
    static const struct gpu_test tests[] = {
        {"a_device_that_fails_to_open_gives_all_back", a_device_that_fails_to_open_gives_all_back,
         false},
        {"failed_calls_are_reported_and_leave_nothing", failed_calls_are_reported_and_leave_nothing,
         true},
    };
    struct cuzk_error err = {0};
    int status;

    gpu_must(pool_new(&pool, 0, &err), &err);
    status = gpu_run(tests, sizeof tests / sizeof *tests, argc, argv);
    pool_free(pool);
    return status;
}
