/* Keys, whatever file they came from.
 *
 *     alpha beta gamma delta   the verifying key's points, and one `ic` point a public input:
 *     ic[i]                    (beta u_i + alpha v_i + w_i)(tau) / gamma
 *     h[i]                     tau^i Z(tau) / delta, i in [0, n - 1)
 *     l[j]                     (beta u_j + alpha v_j + w_j)(tau) / delta: every aux
 *     a                        u(tau): every input, then the aux of qap.a_aux
 *     b_g1, b_g2               v(tau): the inputs of qap.b_inputs, then the aux of qap.b_aux
 *
 * That is H in powers of tau. In the other bases (backend.h, enum h_basis), with s the coset's
 * shift, z = s^n - 1 and M_i the Lagrange polynomials of the coset s * <root>,
 *
 *     h[i]                     M_i(tau) Z(tau) / (z delta), i in [0, n)
 *
 * and with C folded into L, because sum_i c(s root^i) M_i(tau) = c(tau) is linear in the witness,
 *
 *     l                        - w(tau) Z(tau) / (z delta): the inputs of qap.c_inputs, then
 *     l[j]                     the l[j] above minus the same: every aux
 *
 * (of a key that was folded without its trapdoor: folding.h).
 *
 * A proving key is a set of views; the points stay where they are (a mapped file, usually) and are
 * decoded by the back end tile by tile. */
#ifndef GROTH16_KEY_H
#define GROTH16_KEY_H

#include <string.h>

#include "backend/backend.h"
#include "base/file.h"
#include "base/mem.h"
#include "curve/curve.h"
#include "groth16/qap.h"

struct verifying_key {
    const struct curve *curve;
    struct g1_point alpha_g1, beta_g1, delta_g1;
    struct g2_point beta_g2, gamma_g2, delta_g2;
    size_t n_inputs;  /* public inputs and ONE */
    struct region ic; /* n_inputs plain points, packed (curve->g1_bytes); MEM_KEY */
};

/* Room for n_inputs ic points, to be filled by the caller. */
MUST_CHECK enum cuzk_status verifying_key_init(struct verifying_key *vk, const struct curve *curve,
                                               size_t n_inputs, struct budget *budget,
                                               struct cuzk_error *err);
void verifying_key_done(struct verifying_key *vk); /* accepts a zeroed one */

static inline void verifying_key_set_ic(struct verifying_key *vk, size_t i,
                                        const struct g1_point *point)
{
    memcpy(vk->ic.base + i * vk->curve->g1_bytes, point, vk->curve->g1_bytes);
}

static inline void verifying_key_get_ic(const struct verifying_key *vk, size_t i,
                                        struct g1_point *ret)
{
    *ret = (struct g1_point){{0}};
    memcpy(ret, vk->ic.base + i * vk->curve->g1_bytes, vk->curve->g1_bytes);
}

/* The queries of a key in the order of bellperson's files. */
enum key_query {
    QUERY_H,
    QUERY_L,
    QUERY_A,
    QUERY_B_G1,
    QUERY_B_G2,
    KEY_N_QUERIES,
};
const char *key_query_name(enum key_query query); /* "h" "l" "a" "b_g1" "b_g2" */
static inline enum element key_query_group(enum key_query query)
{
    return query == QUERY_B_G2 ? ELEMENT_G2 : ELEMENT_G1;
}
/* A query of a key of this circuit and basis as the waist wants it, but for the points, of which
 * there is only the number. */
struct bases_source key_query_outline(const struct qap *qap, enum h_basis basis,
                                      enum key_query query);

/* "powers of tau", ...: for people */
const char *h_basis_name(enum h_basis basis);

/* The circuit that a key is of, where its file says that. */
#define KEY_CIRCUIT_NAME_MAX 56u
struct key_circuit {
    bool known;
    char name[KEY_CIRCUIT_NAME_MAX]; /* "porep-32GiB" */
    uint64_t structural;             /* digests of its rows: r1cs/r1cs.h */
    uint8_t coefficient[32];
    uint8_t densities[32]; /* qap_digest */
};

struct proving_key {
    struct verifying_key vk;
    struct key_circuit circuit;
    enum h_basis h_basis;
    uint64_t domain_generator; /* 7: bellman and Filecoin; 5: the iden3 tools */
    struct points_view query[KEY_N_QUERIES];
    struct file_map map; /* what the views point into; zeroed when they point elsewhere */
};

void proving_key_done(struct proving_key *key); /* accepts a zeroed one */

/* Does the key belong to the circuit, as far as numbers tell, and the digest of its densities where
 * the file has it? One sentence if not: the first symptom of a wrong key. */
MUST_CHECK enum cuzk_status proving_key_matches(const struct proving_key *key,
                                                const struct qap *qap, struct cuzk_error *err);

/* A query as the waist wants it: its points with the maps of the circuit. */
struct bases_source proving_key_bases(const struct proving_key *key, const struct qap *qap,
                                      enum key_query query);

#endif
