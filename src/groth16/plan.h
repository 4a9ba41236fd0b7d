/* The memory of a proof, before it is made.
 *
 * A plan is a pure function of the circuit's shape, the key's form, the back end and the number of
 * threads. It walks the stages of groth16_prove and adds up the bytes that each holds in the job's
 * arena; the prover opens its device with plan.arena_bytes, and that is neither a byte too much nor
 * too little (a test opens it with one piece less). Nothing else is taken from the budget. */
#ifndef GROTH16_PLAN_H
#define GROTH16_PLAN_H

#include "groth16/key.h"
#include "groth16/qap.h"

/* Stages of a proof, in order. */
enum prove_stage {
    PROVE_WITNESS, /* the witness goes to the device */
    PROVE_ROWS_A,  /* a = A w */
    PROVE_ROWS_B,  /* b = B w */
    PROVE_QUOTIENT,
    PROVE_SUM_H,
    PROVE_SUM_L,
    PROVE_SUM_A,
    PROVE_SUM_B_G1,
    PROVE_SUM_B_G2,
    PROVE_ASSEMBLE, /* r, s, the proof, its verification */
    PROVE_N_STAGES,
};
const char *prove_stage_name(enum prove_stage stage); /* "witness", "rows of A", ... */

struct plan_stage {
    size_t held;    /* arena bytes that live longer than the stage */
    size_t scratch; /* arena bytes that end with it */
};

struct plan {
    struct plan_stage stage[PROVE_N_STAGES];
    size_t arena_bytes;   /* the largest held + scratch */
    size_t scratch_bytes; /* that in whole pages: what is taken as MEM_SCRATCH */
    size_t
        verifier_bytes; /* taken as MEM_KEY after the arena is gone, while the proof is verified */
    size_t peak_bytes;  /* the larger of the two */
};

/* What a plan depends on. The views of `key` need lengths and form only, no data; of the witness
 * only the numbers matter. */
struct plan_input {
    const struct backend *backend;
    const struct proving_key *key;
    const struct qap *qap;
    unsigned n_threads;
};

void plan_prove(struct plan *ret, const struct plan_input *in);

/* The numbers of a key that does not exist yet: lengths from the circuit, no points. For plans. */
void proving_key_outline(struct proving_key *ret, const struct qap *qap, uint64_t domain_generator);

#endif
