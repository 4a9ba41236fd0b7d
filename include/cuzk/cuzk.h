/* libcuzk: Groth16 proofs, exactly, fast, inside a memory budget.
 *
 *     struct cuzk_context *ctx;
 *     cuzk_context_new(&ctx, &(struct cuzk_options){.memory = 4ull << 30}, &err);
 *     cuzk_key_open(ctx, &key, "circuit.params", "bls12_381", &err);
 *     cuzk_circuit_new(ctx, &circuit, "bls12_381", &err);        ... variables and rows ...
 *     cuzk_circuit_finish(circuit, &err);
 *     cuzk_prove(ctx, key, circuit, inputs, aux, proof, &err);
 *
 * Values are 32 bytes, little-endian, below the order of the curve's group. Curves are "bls12_381"
 * (keys as bellperson writes them, .params and .vk; proofs of 192 bytes) and "bn254".
 *
 * Calls return a status and write results on success only; err (may be NULL) gets one line for a human
 * (cuzk/status.h). Objects are opaque, belong to the caller, and end before their context. There is no
 * global state: contexts are independent. One context serves one call at a time; cuzk_cancel alone may
 * be called meanwhile, from another thread or a signal handler. */
#ifndef CUZK_CUZK_H
#define CUZK_CUZK_H

#include <stddef.h>
#include <stdint.h>

#include "cuzk/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_VALUE_BYTES 32u
#define CUZK_PROOF_BYTES_MAX 192u

/* "0.1.0" */
CUZK_API const char *cuzk_version(void);

/* ---- contexts: threads, memory, a back end ------------------------------------------------------ */

struct cuzk_context;

/* Called from the caller's own thread as stages of a proof begin ("put witness", "quotient", ...; "done"
 * at the end) or a key's queries advance. `done` of `total` is the place in the whole. */
typedef void cuzk_progress_fn(void *user, const char *stage, uint64_t done, uint64_t total);

/* Zero is a good value for every member. */
struct cuzk_options {
    uint64_t memory;            /* bytes that all objects and calls may take; 0: no limit */
    unsigned threads;           /* 0: the processors that mask and CPU quota allow */
    const char *backend;        /* "cpu", "ifma"; NULL: $CUZK_BACKEND, or "auto", the best here */
    cuzk_progress_fn *progress; /* may be NULL */
    void *progress_user;
};

CUZK_API enum cuzk_status cuzk_context_new(struct cuzk_context **ret,
                                           const struct cuzk_options *options,
                                           struct cuzk_error *err);
CUZK_API void cuzk_context_free(struct cuzk_context *ctx); /* accepts NULL */

/* Calls in progress and to come return CUZK_CANCELLED, until cuzk_resume. */
CUZK_API void cuzk_cancel(struct cuzk_context *ctx);
CUZK_API void cuzk_resume(struct cuzk_context *ctx);

/* Bytes taken now, and at the highest since the context was made. Mapped key files do not count. */
CUZK_API uint64_t cuzk_memory_now(const struct cuzk_context *ctx);
CUZK_API uint64_t cuzk_memory_peak(const struct cuzk_context *ctx);

/* ---- circuits: rows <a, w> * <b, w> = <c, w> ----------------------------------------------------- */

struct cuzk_circuit;

/* A variable: public inputs and auxiliary ones are numbered apart, in the order of their making.
 * CUZK_ONE is the constant 1, the input that is always there. */
typedef uint32_t cuzk_variable;
#define CUZK_ONE 0x80000000u

struct cuzk_term {
    cuzk_variable variable;
    uint8_t coefficient[CUZK_VALUE_BYTES];
};

CUZK_API enum cuzk_status cuzk_circuit_new(struct cuzk_context *ctx, struct cuzk_circuit **ret,
                                           const char *curve, struct cuzk_error *err);
CUZK_API void cuzk_circuit_free(struct cuzk_circuit *circuit); /* accepts NULL */

CUZK_API cuzk_variable cuzk_circuit_input(struct cuzk_circuit *circuit);
/* is_bit != 0 promises that the value is always 0 or 1: it then takes one bit, and next to no time. The
 * circuit must enforce it by itself. */
CUZK_API cuzk_variable cuzk_circuit_aux(struct cuzk_circuit *circuit, int is_bit);
/* Terms of one variable are added up; arrays may be NULL when their number is 0. Errors (memory, a
 * coefficient or a variable out of range) are remembered for cuzk_circuit_finish. */
CUZK_API void cuzk_circuit_row(struct cuzk_circuit *circuit, const struct cuzk_term *a, size_t n_a,
                               const struct cuzk_term *b, size_t n_b, const struct cuzk_term *c,
                               size_t n_c);
/* No variable or row can be added afterwards. */
CUZK_API enum cuzk_status cuzk_circuit_finish(struct cuzk_circuit *circuit, struct cuzk_error *err);

/* ---- keys --------------------------------------------------------------------------------------- */

struct cuzk_key;           /* a proving key: a mapped .params, or what `cuzk key prepare` made of it */
struct cuzk_verifying_key; /* a .vk file */

CUZK_API enum cuzk_status cuzk_key_open(struct cuzk_context *ctx, struct cuzk_key **ret,
                                        const char *path, const char *curve,
                                        struct cuzk_error *err);
CUZK_API void cuzk_key_free(struct cuzk_key *key); /* accepts NULL */

CUZK_API enum cuzk_status cuzk_verifying_key_open(struct cuzk_context *ctx,
                                                  struct cuzk_verifying_key **ret,
                                                  const char *path, const char *curve,
                                                  struct cuzk_error *err);
CUZK_API void cuzk_verifying_key_free(struct cuzk_verifying_key *vk); /* accepts NULL */
/* Public inputs that its proofs are about. */
CUZK_API size_t cuzk_verifying_key_inputs(const struct cuzk_verifying_key *vk);

/* A key whose secret follows from `label`: for development and tests, worthless for anything else.
 * Writes params_path and, if not NULL, vk_path. */
CUZK_API enum cuzk_status cuzk_setup_insecure(struct cuzk_context *ctx,
                                              const struct cuzk_circuit *circuit,
                                              const char *label, const char *params_path,
                                              const char *vk_path, struct cuzk_error *err);

/* What `cuzk key prepare` does, for a key of any circuit: params_path in the form that proofs start from
 * at once, in prepared_path, for cuzk_key_open. Every point is checked, its subgroup too. CUZK_BAD_INPUT:
 * a key of another circuit, or a point that is none; CUZK_INVALID: one outside the subgroup. */
CUZK_API enum cuzk_status cuzk_key_prepare(struct cuzk_context *ctx,
                                           const struct cuzk_circuit *circuit,
                                           const char *params_path, const char *prepared_path,
                                           struct cuzk_error *err);

/* ---- proofs ------------------------------------------------------------------------------------- */

/* Bytes of a proof over a curve (192, 128); 0 for an unknown name. */
CUZK_API size_t cuzk_proof_bytes(const char *curve);

/* Proves that `inputs` (without ONE) and `aux` satisfy the circuit; the proof is written only after it
 * has been verified. CUZK_INVALID: they do not. */
CUZK_API enum cuzk_status cuzk_prove(struct cuzk_context *ctx, const struct cuzk_key *key,
                                     const struct cuzk_circuit *circuit, const uint8_t *inputs,
                                     const uint8_t *aux, uint8_t *proof, struct cuzk_error *err);

/* CUZK_OK: valid. CUZK_INVALID: not. CUZK_BAD_INPUT: bytes that are no proof, inputs that are not
 * canonical or too few or too many. */
CUZK_API enum cuzk_status cuzk_verify(struct cuzk_context *ctx,
                                      struct cuzk_verifying_key *vk, const uint8_t *proof,
                                      size_t proof_bytes, const uint8_t *inputs, size_t n_inputs,
                                      struct cuzk_error *err);
/* The same for n proofs, one after the other, and their n * n_inputs inputs, in a fraction of the time.
 * *ret_bad (may be NULL): the first that is not valid. */
CUZK_API enum cuzk_status cuzk_verify_batch(struct cuzk_context *ctx,
                                            struct cuzk_verifying_key *vk, size_t n,
                                            const uint8_t *proofs, const uint8_t *inputs,
                                            size_t n_inputs, size_t *ret_bad,
                                            struct cuzk_error *err);

#ifdef __cplusplus
}
#endif
#endif
