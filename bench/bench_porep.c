/* Recording a PoRep circuit, and making witnesses for it: 2 KiB, and (not in a smoke run) 32 GiB.
 *
 * Peer: rust-fil-proofs takes 25 to 36 s of one core for a 32 GiB partition as published, on other
 * machines; 2 KiB in proportion. The vanilla proofs are blank: the time does not depend on values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "filecoin/circuit_name.h"
#include "filecoin/porep_circuit.h"

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK) {
        fprintf(stderr, "%s\n", err->message);
        exit(1);
    }
}

static void bench_witness(const char *name, const struct r1cs *cs,
                          const struct vanilla_porep *vanilla, unsigned n_threads)
{
    struct cuzk_error err;
    struct packed_witness w;
    struct pool *pool;
    double best = 0;

    must(pool_new(&pool, n_threads, &err), &err);
    must(packed_witness_new(&w, cs, NULL, &err), &err);
    for (int i = 0; i < 3; i++) {
        double begin = clock_seconds(), seconds;

        packed_witness_clear(&w);
        porep_witness(&w, cs, vanilla, 0, pool);
        seconds = clock_seconds() - begin;
        best = i == 0 || seconds < best ? seconds : best;
    }
    printf("witness bls12_381 %s %llu aux %u ours %.0f ms (%.2f ns an aux, %.0f MB) published "
           "%.0f ms %.2fx\n",
           name, (unsigned long long)cs->n_aux, pool_size(pool), 1e3 * best,
           1e9 * best / (double)cs->n_aux, (double)w.memory.bytes / 1e6,
           25e3 * (double)cs->n_aux / 130169893.0, 25.0 * (double)cs->n_aux / 130169893.0 / best);
    packed_witness_done(&w);
    pool_free(pool);
}

static void bench_circuit(const char *name)
{
    struct cuzk_error err;
    struct circuit_name circuit;
    struct vanilla_porep vanilla;
    struct budget budget;
    struct r1cs cs;
    double begin;

    must(circuit_name_parse(&circuit, name, &err), &err);
    budget_init(&budget, 0);
    begin = clock_seconds();
    must(porep_record(&cs, &circuit.size->porep, &budget, &err), &err);
    printf("record bls12_381 %s %llu rows 1 ours %.0f ms, %.0f MB kept, %.0f MB at most\n", name,
           (unsigned long long)cs.n_constraints, 1e3 * (clock_seconds() - begin),
           (double)budget.now / 1e6, (double)budget.peak / 1e6);
    must(vanilla_porep_new(&vanilla, &circuit.size->porep, 1, NULL, &err), &err);
    bench_witness(name, &cs, &vanilla, 1);
    bench_witness(name, &cs, &vanilla, 0);
    vanilla_porep_done(&vanilla);
    r1cs_done(&cs);
}

int main(void)
{
    const char *smoke = getenv("CUZK_BENCH_SMOKE");

    bench_circuit("porep-2KiB");
    if (!smoke || strcmp(smoke, "1") != 0)
        bench_circuit("porep-32GiB");
    return 0;
}
