/* Every form of a plan, each in exactly the memory of a card that it says, gives bellperson's proof;
 * a byte less than the smallest is refused. Partitions that are proven in a batch have the proofs
 * that they have one by one.
 *
 *     gpu_tests forms KEYS C1 PROOF
 *
 * KEYS: the folder of the development key of porep-2KiB, made from the label porep-2k; one of
 * update-32KiB is added. */
#include "engine/circuit_job.h"
#include "engine/open_circuit.h"
#include "engine/proof_job.h"
#include "engine/sample_request.h"
#include "gpu/gpu_check.h"
#include "gpu/gpu_tests.h"
#include "groth16/plan.h"
#include "groth16/prove.h"

static const char *keys, *c1_path, *proof_path;
static struct engine engine;
/* bytes of a prover that stays for the next proof, in each form */
static size_t arena[PLAN_OVERLAPPED + 1];

static void plan_forms(const char *circuit_name)
{
    struct circuit_name name = {0};
    struct open_circuit circuit;
    struct proving_key outline;
    struct cuzk_error err = {0};
    struct plan_input in = {.backend = engine.backend,
                            .key = &outline,
                            .qap = &circuit.qap,
                            .n_threads = pool_size(engine.pool)};

    gpu_must(circuit_name_parse(&name, circuit_name, &err), &err);
    gpu_must(circuit_open(&circuit, &engine, name, &err), &err);
    proving_key_outline(&outline, &circuit.qap, H_POWERS, curve->fr_generator.w[0]);
    for (in.form = PLAN_STREAMED; in.form <= PLAN_OVERLAPPED; in.form++) {
        struct plan plan;

        plan_prove(&plan, &in);
        arena[in.form] = plan.arena_bytes;
    }
    circuit_close(&circuit);
}

static enum cuzk_status prove_in(size_t device_memory, struct job_proof *proof,
                                 struct cuzk_error *err)
{
    const struct job_key key = {.folder = keys, .choice = KEY_ONLY_DEV, .seed_label = "porep-2k"};
    const struct request_input input = {.kind = CIRCUIT_POREP,
                                        .partition = ALL_PARTITIONS,
                                        .hints = {.registered_proof = -1},
                                        .c1 = file_whole(c1_path)};

    engine.device_memory = device_memory;
    return job_prove(&engine, &input, &key, proof, err);
}

static int is_expected(const char *form, enum cuzk_status st, const struct job_proof *proof,
                       const struct file_map *expected, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        printf("  %s: %s\n", form, err->message);
    else if (proof->n_bytes != expected->bytes ||
             memcmp(proof->bytes, expected->data, expected->bytes) != 0)
        printf("  %s: other bytes\n", form);
    else
        return 0;
    return 1;
}

static int each_form_gives_bellpersons_proof_in_its_memory(void)
{
    static const char *const words[] = {[PLAN_STREAMED] = "streamed",
                                        [PLAN_STAGED] = "staged",
                                        [PLAN_RESIDENT] = "resident",
                                        [PLAN_OVERLAPPED] = "overlapped"};
    struct file_map expected;
    struct cuzk_error err = {0};
    int wrong = 0;

    plan_forms("porep-2KiB");
    gpu_must(file_map(&expected, proof_path, &err), &err);
    for (int form = PLAN_OVERLAPPED; form >= PLAN_STREAMED; form--) {
        struct job_proof proof = {0};
        const double begin = gpu_seconds();
        const enum cuzk_status st = prove_in(arena[form], &proof, &err);

        wrong += is_expected(words[form], st, &proof, &expected, &err);
        /* else the proof was not made in the form that it is said to be */
        wrong += form > PLAN_STREAMED && arena[form - 1] >= arena[form];
        printf("  %-10s %11zu bytes, %.2f s\n", words[form], arena[form], gpu_seconds() - begin);
        job_proof_done(&proof);
    }
    file_unmap(&expected);
    return wrong;
}

static int a_byte_less_than_the_smallest_is_refused_with_both_numbers(void)
{
    struct job_proof proof = {0};
    struct cuzk_error err = {0};
    char expected[160];
    enum cuzk_status st;

    plan_forms("porep-2KiB");
    st = prove_in(arena[PLAN_STREAMED] - 1, &proof, &err);
    job_proof_done(&proof);
    snprintf(expected, sizeof expected,
             "a proof takes %zu bytes of the device's memory, %zu may be taken",
             arena[PLAN_STREAMED], arena[PLAN_STREAMED] - 1);
    if (st == CUZK_NO_MEMORY && strstr(err.message, expected))
        return 0;
    printf("  %s: %s\n", cuzk_status_name(st), err.message);
    return 1;
}

/* ---- batches ---- */

enum { N_PARTITIONS = 2 }; /* of the smallest update that has more than one */
struct proofs {
    uint8_t bytes[N_PARTITIONS][PARTITION_PROOF_BYTES];
};

static enum cuzk_status keep_proof(void *ctx, unsigned k,
                                   const uint8_t proof[PARTITION_PROOF_BYTES],
                                   struct cuzk_error *err)
{
    struct proofs *proofs = ctx;

    (void)err;
    memcpy(proofs->bytes[k], proof, PARTITION_PROOF_BYTES);
    return CUZK_OK;
}

/* *slots: of a prover that takes batches, else 0. */
static void prove_partitions(const struct request *request, size_t device_memory,
                             struct proofs *ret, unsigned *slots)
{
    const struct job_key key = {.folder = keys, .choice = KEY_ONLY_DEV, .seed_label = "forms"};
    const struct job_sink sink = {.f = keep_proof, .ctx = ret};
    struct job_resident resident;
    struct cuzk_error err = {0};

    engine.device_memory = device_memory;
    gpu_must(job_resident_open(&resident, &engine, request->name, &key, &err), &err);
    *slots = prover_takes_batches(resident.prover) ? prover_slots(resident.prover) : 0;
    gpu_must(job_prove_request(&engine, request, &resident, &sink, &err), &err);
    job_resident_close(&resident);
}

static int partitions_of_a_batch_have_the_proofs_of_single_ones(void)
{
    struct circuit_name name = {0};
    struct proofs batches = {0}, single = {0};
    struct cuzk_error err = {0};
    struct request request;
    struct report report;
    unsigned in_batches, one_by_one;

    plan_forms("update-32KiB");
    gpu_must(circuit_name_parse(&name, "update-32KiB", &err), &err);
    report_init(&report);
    gpu_must(circuit_setup(&engine, name, "forms", keys, &report, &err), &err);
    report_done(&report);
    gpu_must(request_sample(&request, name, 1, N_PARTITIONS, &engine, &err), &err);
    prove_partitions(&request, arena[PLAN_STREAMED], &batches, &in_batches);
    prove_partitions(&request, arena[PLAN_OVERLAPPED], &single, &one_by_one);
    request_done(&request);
    printf("  %zu bytes, batches of %u\n", arena[PLAN_STREAMED], in_batches);
    return (in_batches < 2) + (one_by_one != 0) + (memcmp(&batches, &single, sizeof single) != 0);
}

int gpu_forms(int argc, char **argv)
{
    static const struct gpu_test tests[] = {
        {"each_form_gives_bellpersons_proof_in_its_memory",
         each_form_gives_bellpersons_proof_in_its_memory, true},
        {"a_byte_less_than_the_smallest_is_refused_with_both_numbers",
         a_byte_less_than_the_smallest_is_refused_with_both_numbers, true},
        {"partitions_of_a_batch_have_the_proofs_of_single_ones",
         partitions_of_a_batch_have_the_proofs_of_single_ones, true},
    };
    struct cuzk_error err = {0};
    int status;

    if (argc < 4) {
        fprintf(stderr, "gpu_tests forms KEYS C1 PROOF\n");
        return 2;
    }
    keys = argv[1];
    c1_path = argv[2];
    proof_path = argv[3];
    gpu_must(engine_open(&engine, &(struct engine_options){.backend = "cuda"}, &err), &err);
    status = gpu_run(tests, sizeof tests / sizeof *tests, argc - 3, argv + 3);
    engine_close(&engine);
    return status;
}
