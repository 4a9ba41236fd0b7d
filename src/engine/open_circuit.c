#include "engine/open_circuit.h"

#include <inttypes.h>
#include <string.h>

#include "base/hex.h"
#include "filecoin/circuit.h"
#include "format/bellperson.h"

static enum cuzk_status check_cancelled(const struct engine *engine, struct cuzk_error *err)
{
    return pool_cancelled(engine->pool) ? error_set(err, CUZK_CANCELLED, "cancelled") : CUZK_OK;
}

enum cuzk_status circuit_open(struct open_circuit *circuit, struct engine *engine,
                              struct circuit_name name, struct cuzk_error *err)
{
    enum cuzk_status st;

    memset(circuit, 0, sizeof *circuit);
    circuit->name = name;
    engine_stage(engine, "record circuit");
    st = circuit_record(&circuit->cs, name, &engine->budget, err);
    if (st == CUZK_OK)
        st = check_cancelled(engine, err);
    if (st == CUZK_OK)
        st = qap_init(&circuit->qap, &circuit->cs, &engine->budget, err);
    if (st == CUZK_OK)
        st = check_cancelled(engine, err);
    engine_stage_end(engine);
    if (st != CUZK_OK)
        circuit_close(circuit);
    return st;
}

void circuit_close(struct open_circuit *circuit)
{
    qap_done(&circuit->qap);
    r1cs_done(&circuit->cs);
}

/* ---- the report ------------------------------------------------------------------------------ */

uint64_t circuit_vk_bytes(const struct open_circuit *circuit)
{
    return vk_bytes(circuit->cs.curve, circuit->cs.n_inputs);
}

uint64_t circuit_params_bytes(const struct open_circuit *circuit)
{
    const struct qap *qap = &circuit->qap;
    uint64_t n_b = qap->n_b_inputs + qap->n_b_aux;

    return circuit_vk_bytes(circuit) + 5 * 4 +
           96 * ((uint64_t)qap->n_domain - 1 + qap->cs->n_aux + qap->cs->n_inputs + qap->n_a_aux) +
           (96 + 192) * n_b;
}

static void report_names(struct report *report, struct circuit_name name)
{
    static const char *const extensions[] = {".params", ".vk"};
    char text[CIRCUIT_TEXT_MAX];

    circuit_name_print(text, name);
    report_text(report, "circuit", "%s", text);
    circuit_identifier(text, name);
    report_text(report, "identifier", "%s", text);
    report_list(report, "files");
    for (size_t i = 0; i < 2; i++) {
        circuit_file_name(text, name, extensions[i]);
        report_text(report, NULL, "%s", text);
    }
    report_end(report);
}

static enum cuzk_status report_nonzeros(const struct r1cs *cs, struct report *report,
                                        struct cuzk_error *err)
{
    const struct matrix *const matrices[3] = {&cs->a, &cs->b, &cs->c};
    static const char *const keys[3] = {"nonzeros_a", "nonzeros_b", "nonzeros_c"};

    for (size_t i = 0; i < 3; i++) {
        uint64_t nnz;

        TRY(r1cs_density(cs, matrices[i], NULL, NULL, &nnz, err));
        report_number(report, keys[i], nnz);
    }
    return CUZK_OK;
}

static enum cuzk_status report_digests(const struct open_circuit *circuit, struct engine *engine,
                                       struct report *report, struct cuzk_error *err)
{
    struct r1cs_digests digests;
    char hex[65];
    enum cuzk_status st;

    engine_stage(engine, "digests");
    st = r1cs_digest(&circuit->cs, engine->pool, 0, NULL, NULL, &digests, err);
    engine_stage_end(engine);
    TRY(st);
    report_text(report, "structural_digest", "%016" PRIx64, digests.structural);
    hex_encode(hex, digests.coefficient, 32);
    report_text(report, "coefficient_sha256", "%s", hex);
    return CUZK_OK;
}

enum cuzk_status circuit_report(const struct open_circuit *circuit, struct engine *engine,
                                bool digest, struct report *report, struct cuzk_error *err)
{
    const struct r1cs *cs = &circuit->cs;
    const struct qap *qap = &circuit->qap;

    report_names(report, circuit->name);
    report_number(report, "constraints", cs->n_constraints);
    report_number(report, "rows_with_input_rows", cs->a.n_rows);
    report_number(report, "inputs_with_one", cs->n_inputs);
    report_number(report, "aux", cs->n_aux);
    report_number(report, "aux_full_values", cs->n_full);
    report_number(report, "a_aux", qap->n_a_aux);
    report_number(report, "b_inputs", qap->n_b_inputs);
    report_number(report, "b_aux", qap->n_b_aux);
    TRY(report_nonzeros(cs, report, err));
    report_number(report, "domain_log2", qap->lg_domain);
    report_number(report, "params_bytes", circuit_params_bytes(circuit));
    report_number(report, "vk_bytes", circuit_vk_bytes(circuit));
    return digest ? report_digests(circuit, engine, report, err) : CUZK_OK;
}
