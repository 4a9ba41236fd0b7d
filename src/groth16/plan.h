/* The memory of a proof, before it is made.
 *
 * A prover works in one arena, with *parts* that live for some stages and the scratch of the
 * operation that runs:
 *
 *     stage            makes                ends
 *     put witness      the witness's room
 *     rows of A, B     a column, a matrix   the matrix
 *     quotient         the domain           the domain, the column of B
 *     sum H            the bases of H       the bases, the column of A
 *     sum L .. B2      the query's bases    the bases; after the last the witness's room
 *
 * That is the *staged* form. A *streamed* prover needs less: it makes the bases of a query a slice
 * at a time (groth16/query_slices.h), and adds up the slices' sums; and the quotient has no third
 * column for scratch: the product of A's and B's leaves one of theirs free, which the rows of the
 * matrix C take (backend.h, quotient_ab). Most of its time goes into reading the key. So it has
 * room for the witnesses of several proofs, a *batch*, and a slice of L, A, B1 or B2 serves all of
 * them; H is read for each. That room is there from its opening to its end.
 *
 * A *resident* prover makes all parts once and keeps them from proof to proof, with room for a
 * second witness, unless there will be one proof only; an *overlapped* one has besides scratch for
 * two streams, so that the sums over the witness run beside the quotient and H.
 *
 * A plan is a pure function of the circuit's shape, the key's form, the back end, the form and the
 * number of threads. The prover opens its device with plan.arena_bytes, and that is neither a byte
 * too much nor too little (a test opens it with one piece less). */
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
const char *prove_stage_name(enum prove_stage stage); /* "put witness", "rows of A", ... */

/* Parts of the arena, in the order in which a stage makes them. */
enum prove_part {
    PART_WITNESS,
    PART_COLUMN_A, /* values of the rows; becomes h */
    PART_COLUMN_B,
    PART_MATRIX_A,
    PART_MATRIX_B,
    PART_MATRIX_C, /* where plan_has_matrix_c */
    PART_DOMAIN,
    PART_BASES, /* and the query's number */
    PROVE_N_PARTS = PART_BASES + KEY_N_QUERIES,
};

/* The more memory, the faster. None is 0: a plan that was not told its form is nobody's. */
enum plan_form { PLAN_STREAMED = 1, PLAN_STAGED, PLAN_RESIDENT, PLAN_OVERLAPPED };

/* Parts come and go with every proof, a stage at a time. */
static inline bool plan_is_staged(enum plan_form form)
{
    return form <= PLAN_STAGED;
}

static inline enum domain_tables plan_tables(enum plan_form form)
{
    return form == PLAN_STREAMED ? TABLES_SMALL : TABLES_FAST;
}

/* Are there rows of C? In the streamed form, unless the key's L holds C. */
static inline bool plan_has_matrix_c(enum plan_form form, enum h_basis basis)
{
    return form == PLAN_STREAMED && basis != H_COSET_FOLDED;
}

/* Witnesses for which a prover has room: one, if it is staged or the proof is a lone one; those of
 * a batch, if it is streamed: as many as take together at most a sixteenth of what it takes with
 * one, and more where there is room for them; else two, the next being put while one is proven. */
enum { PLAN_BATCH_SHARE = 16, PLAN_WITNESSES_MAX = 16 };

struct plan_stage {
    size_t held;    /* arena bytes that live longer than the stage */
    size_t scratch; /* arena bytes that end with it */
};

struct plan {
    struct plan_stage stage[PROVE_N_STAGES];
    unsigned n_witnesses;
    size_t arena_bytes;
    size_t chain_scratch, class_scratch; /* of the two streams: PLAN_OVERLAPPED */
    size_t scratch_bytes; /* taken as MEM_SCRATCH: the arena in whole pages, unless the back end has
                             memory of its own, and a slice's map: PLAN_STREAMED */
    size_t verifier_bytes; /* taken as MEM_KEY beside it */
    size_t peak_bytes;     /* the sum of the two */
};

/* What a plan depends on. The views of `key` need lengths and form only, no data; of the witness
 * only the numbers matter. */
struct plan_input {
    const struct backend *backend;
    const struct proving_key *key;
    const struct qap *qap;
    unsigned n_threads;
    enum plan_form form;
    bool key_is_there; /* the bases are on the device already, and not counted */
    bool lone;         /* one proof only */
    size_t room;       /* of the device, that a batch may fill; 0: not known */
};

void plan_prove(struct plan *ret, const struct plan_input *in);

/* The fastest form whose arena takes at most `available` bytes (in->form is not looked at);
 * PLAN_STREAMED if none does. Always PLAN_STAGED on a back end that works in the host's memory,
 * where keeping parts gains nothing and points stay where they are. */
enum plan_form plan_choose(const struct plan_input *in, size_t available);

/* Parts that a prover has from its opening to its end: bit p stands for part p. */
unsigned plan_parts_kept(enum plan_form form);
/* And those that a stage makes and ends. Bases of the streamed form are in neither. */
unsigned plan_parts_made(enum plan_form form, enum prove_stage stage);
unsigned plan_parts_ended(enum plan_form form, enum prove_stage stage);

/* The numbers of a key that does not exist yet: lengths from the circuit, no points. For plans. */
void proving_key_outline(struct proving_key *ret, const struct qap *qap, enum h_basis basis,
                         uint64_t domain_generator);

#endif
