/* Recording every kind of circuit, and making witnesses for it: 2 KiB, and (not in a smoke run)
 * 32 GiB; or the circuits that are named.
 *
 * Peer: rust-fil-proofs takes 25 to 36 s of one core and 15.5 GiB for a 32 GiB PoRep partition as
 * published, on other machines; other circuits in proportion to their variables, at 25 s. Core
 * seconds are compared, and bytes: ours are the shape, the vanilla proofs and the witness, which is
 * all that a partition has before the prover takes over. The vanilla proofs are blank: the time
 * does not depend on values. */
#include "bench.h"

#include "engine/request.h"
#include "filecoin/circuit.h"

/* A request whose proofs are all zeros. */
static enum cuzk_status blank_request(struct request *r, struct circuit_name name,
                                      struct budget *budget, struct cuzk_error *err)
{
    const bool winning = name.kind == CIRCUIT_WINNING;
    const uint8_t randomness[32] = {0};
    struct update update = {0};
    struct post_config post;

    *r = (struct request){.name = name};
    switch (name.kind) {
    case CIRCUIT_POREP:
        r->kind = &request_porep;
        return vanilla_porep_new(&r->of.c1.vanilla, &name.size->porep, 1, budget, err);
    case CIRCUIT_WINNING:
    case CIRCUIT_WINDOW:
        r->kind = &request_post;
        post = post_config_make(winning ? POST_WINNING : POST_WINDOW, name.size, API_1_2_0);
        return vanilla_post_new(&r->of.post, &post, randomness, winning ? 1 : post.shape.slots,
                                budget, err);
    case CIRCUIT_UPDATE: break;
    }
    r->kind = &request_update;
    if (!update_shape_of(&update.shape, &name.size->porep.tree))
        return error_set(err, CUZK_USAGE, "no such update");
    return vanilla_update_new(&r->of.update, &update, budget, err);
}

static void bench_witness(const char *name, const struct r1cs *cs, const struct request *request,
                          unsigned n_threads, struct budget *budget)
{
    const double share = (double)cs->n_aux / 130169893.0, gib = (double)(1 << 30);
    struct cuzk_error err;
    struct packed_witness w;
    struct pool *pool;
    double best = 0, best_cpu = 0;

    bench_must(pool_new(&pool, n_threads, &err), &err);
    bench_must(packed_witness_new(&w, cs, budget, &err), &err);
    for (int i = 0; i < 3; i++) {
        double begin = clock_seconds(), begin_cpu = clock_cpu_seconds(), seconds, cpu;

        packed_witness_clear(&w);
        request->kind->witness(request, &w, cs, 0, pool);
        seconds = clock_seconds() - begin;
        cpu = clock_cpu_seconds() - begin_cpu;
        best = i == 0 || seconds < best ? seconds : best;
        best_cpu = i == 0 || cpu < best_cpu ? cpu : best_cpu;
    }
    printf("witness bls12_381 %s %llu aux %u ours %.0f ms (%.2f core-s, %.2f ns an aux) published "
           "%.2f core-s %.2fx\n",
           name, (unsigned long long)cs->n_aux, pool_size(pool), 1e3 * best, best_cpu,
           1e9 * best_cpu / (double)cs->n_aux, 25.0 * share, 25.0 * share / best_cpu);
    printf("memory bls12_381 %s %llu aux %u ours %.3f GiB (shape %.3f, proofs %.3f, witness %.3f) "
           "published %.3f GiB %.2fx\n",
           name, (unsigned long long)cs->n_aux, pool_size(pool), (double)budget->now / gib,
           (double)budget->class_now[MEM_SHAPE] / gib, (double)budget->class_now[MEM_REQUEST] / gib,
           (double)budget->class_now[MEM_WITNESS] / gib, 15.5 * share,
           15.5 * share / ((double)budget->now / gib));
    packed_witness_done(&w);
    pool_free(pool);
}

static void bench_circuit(const char *name)
{
    struct cuzk_error err;
    struct circuit_name circuit;
    struct request request;
    struct budget budget;
    struct r1cs cs;
    double begin;

    bench_must(circuit_name_parse(&circuit, name, &err), &err);
    budget_init(&budget, 0);
    begin = clock_seconds();
    bench_must(circuit_record(&cs, circuit, &budget, &err), &err);
    printf("record bls12_381 %s %llu rows 1 ours %.0f ms, %.0f MB kept, %.0f MB at most\n", name,
           (unsigned long long)cs.n_constraints, 1e3 * (clock_seconds() - begin),
           (double)budget.now / 1e6, (double)budget.peak / 1e6);
    bench_must(blank_request(&request, circuit, &budget, &err), &err);
    bench_witness(name, &cs, &request, 1, &budget);
    bench_witness(name, &cs, &request, 0, &budget);
    request_done(&request);
    r1cs_done(&cs);
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"porep", "winning", "window", "update"};
    char name[32];

    for (int i = 1; i < argc; i++)
        bench_circuit(argv[i]);
    for (int i = 0; i < 4 && argc == 1; i++) {
        snprintf(name, sizeof name, "%s-2KiB", kinds[i]);
        bench_circuit(name);
        snprintf(name, sizeof name, "%s-32GiB", kinds[i]);
        if (!bench_smoke())
            bench_circuit(name);
    }
    return 0;
}
