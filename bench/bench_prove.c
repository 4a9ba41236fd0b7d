/* The whole job on the smallest real circuit: the key of the 2 KiB PoRep and a proof under it, with
 * all processors. Peers' figures are published ones (bellperson 0.27.0 on two cores, the same key
 * and the same proof bytes), not of this run: ratios to them are marked "published".
 *
 * "longest grain" lines: the longest time, in processor time, that a thread computed in a loop without
 * asking whether it may go on (base/pool.h), for each stage. `bench_prove proof` takes the key that is
 * there. The smoke run records the circuit and reads the C1; it makes no key. */
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "engine/open_circuit.h"
#include "engine/circuit_job.h"
#include "engine/proof_job.h"

#define C1_PATH CUZK_SOURCE_DIR "/tests/vectors/filecoin/porep-2k/c1.json"
#define KEY_FOLDER CUZK_BINARY_DIR "/demo"

/* ---- anonymous memory, sampled --------------------------------------------------------------- */

struct sampler {
    pthread_t thread;
    atomic_bool stop;
    size_t peak;
};

static void *sample(void *arg)
{
    struct sampler *s = arg;

    while (!atomic_load(&s->stop)) {
        size_t now = memory_anonymous();

        if (now > s->peak)
            s->peak = now;
        usleep(10000);
    }
    return NULL;
}

static void sampler_start(struct sampler *s)
{
    s->peak = 0;
    atomic_store(&s->stop, false);
    pthread_create(&s->thread, NULL, sample, s);
}

static size_t sampler_stop(struct sampler *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
    return s->peak;
}

/* ---- grains ---------------------------------------------------------------------------------- */

/* The longest of a stage, when it has ended. */
static void print_grain(void *ctx, const struct stage *stage)
{
    const struct engine *engine = ctx;
    const double longest = pool_longest_grain(engine->pool);

    if (stage->end > 0 && longest > 0)
        printf("longest grain of %s: %.2f ms\n", stage->name, longest * 1e3);
}

/* ---- the two jobs ---------------------------------------------------------------------------- */

static struct circuit_name porep_2k(void)
{
    struct circuit_name name;
    struct cuzk_error err;

    bench_must(circuit_name_parse(&name, "porep-2KiB", &err), &err);
    return name;
}

static void print_line(const char *what, double wall, double cpu, size_t counted, size_t sampled,
                       const char *published)
{
    printf("%s ours %.2f s wall %.2f s cpu, %.0f MiB counted, %.0f MiB anonymous; %s\n", what, wall,
           cpu, (double)counted / (1 << 20), (double)sampled / (1 << 20), published);
}

static size_t highest(const struct engine *engine)
{
    size_t most = 0;

    for (size_t i = 0; i < engine->n_stages; i++)
        if (engine->stages[i].bytes > most)
            most = engine->stages[i].bytes;
    return most;
}

static void bench_key(struct engine *engine)
{
    struct sampler sampler;
    struct report report;
    struct cuzk_error err;
    double wall = clock_seconds(), cpu = clock_cpu_seconds();

    report_init(&report);
    sampler_start(&sampler);
    bench_must(circuit_setup(engine, porep_2k(), "porep-2k", KEY_FOLDER, &report, &err), &err);
    print_line("setup porep-2KiB", clock_seconds() - wall, clock_cpu_seconds() - cpu,
               highest(engine), sampler_stop(&sampler),
               "bellperson 575 s wall 1139 s cpu 5164 MB (published)");
    report_done(&report);
}

static void bench_proof(struct engine *engine)
{
    const struct request_input input = {
        .c1 = file_whole(C1_PATH), .hints = {.registered_proof = -1}, .partition = ALL_PARTITIONS};
    const struct job_key key = {.folder = KEY_FOLDER, .choice = KEY_ALLOW_DEV};
    struct sampler sampler;
    struct job_proof proof;
    struct cuzk_error err;
    double wall = clock_seconds(), cpu = clock_cpu_seconds();

    sampler_start(&sampler);
    bench_must(job_prove(engine, &input, &key, &proof, &err), &err);
    print_line("prove porep-2KiB", clock_seconds() - wall, clock_cpu_seconds() - cpu,
               highest(engine), sampler_stop(&sampler),
               "bellperson 45.8 s wall 88.9 s cpu 1667 MB (published)");
    engine_print_stages(engine, stdout);
    job_proof_done(&proof);
}

static void smoke(struct engine *engine)
{
    struct open_circuit circuit;
    struct cuzk_error err;

    bench_must(circuit_open(&circuit, engine, porep_2k(), &err), &err);
    printf("record porep-2KiB %.3f s\n", engine->stages[0].end - engine->stages[0].begin);
    circuit_close(&circuit);
}

int main(int argc, char **argv)
{
    static struct engine engine; /* the stage table makes it large */
    const struct engine_options options = {.stage = print_grain, .stage_ctx = &engine};
    struct cuzk_error err;

    bench_must(engine_open(&engine, &options, &err), &err);
    if (bench_smoke()) {
        smoke(&engine);
    } else {
        if (argc < 2 || strcmp(argv[1], "proof") != 0)
            bench_key(&engine);
        engine_stages_clear(&engine);
        bench_proof(&engine);
    }
    engine_close(&engine);
    return 0;
}
