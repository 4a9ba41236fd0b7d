#include "engine/key_check.h"

#include <stdio.h>
#include <string.h>

#include "engine/key_digest.h"
#include "engine/key_folder.h"
#include "engine/key_points.h"
#include "engine/open_circuit.h"
#include "engine/open_key.h"
#include "format/bellperson.h"
#include "format/prepared_key.h"

/* ---- bellperson's files ---------------------------------------------------------------------- */

static enum cuzk_status check_params(struct engine *engine, const struct key_check *check,
                                     struct report *report, struct cuzk_error *err)
{
    struct proving_key key;
    const struct key_points points = {&key, check->path, check->deep};
    enum cuzk_status st = CUZK_OK;
    uint64_t n_points = 0;

    engine_stage(engine, "verifying key");
    TRY(params_open(&key, check->path, &curve_bls12_381, engine->pool, &engine->budget, err));
    for (int q = 0; st == CUZK_OK && q < KEY_N_QUERIES; q++) {
        st = key_points_walk(engine, &points, (enum key_query)q, NULL, NULL, err);
        n_points += key.query[q].n;
    }
    if (st == CUZK_OK) {
        report_number(report, "points_checked", n_points);
        report_bool(report, "subgroup_checked", check->deep);
    }
    proving_key_done(&key);
    return st;
}

static enum cuzk_status check_vk(struct engine *engine, const struct key_check *check,
                                 struct report *report, struct cuzk_error *err)
{
    struct verifying_key vk;

    engine_stage(engine, "verifying key");
    TRY(vk_open(&vk, check->path, &curve_bls12_381, engine->pool, &engine->budget, err));
    report_number(report, "points_checked", vk.n_inputs + 6);
    report_bool(report, "subgroup_checked", true);
    verifying_key_done(&vk);
    return CUZK_OK;
}

/* ---- prepared keys --------------------------------------------------------------------------- */

struct prepared_check {
    struct engine *engine;
    struct proving_key key;
    struct prepared_header header;
    struct section_sum sum; /* of the query in work */
};

static enum cuzk_status sum_points(void *ctx, enum key_query query, size_t first, void *native,
                                   size_t n, struct cuzk_error *err)
{
    struct prepared_check *p = ctx;
    const uint64_t element = p->header.section[PREPARED_QUERIES + query].element_bytes;

    (void)first;
    (void)err;
    section_sum_add(&p->sum, native, n * element, p->engine->pool);
    return CUZK_OK;
}

static enum cuzk_status check_sections(struct prepared_check *p, const char *path,
                                       uint64_t *n_points, struct cuzk_error *err)
{
    const struct key_points points = {&p->key, path, true};

    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        uint8_t sum[PREPARED_DIGEST_BYTES];

        TRY(key_points_walk(p->engine, &points, q, sum_points, p, err));
        section_sum_final(&p->sum, sum);
        TRY(prepared_compare(&p->header, PREPARED_QUERIES + q, sum, path, err));
        *n_points += p->key.query[q].n;
    }
    return CUZK_OK;
}

/* The circuit of that name has the digests that the header says. */
static enum cuzk_status check_circuit(struct prepared_check *p, const char *path,
                                      struct cuzk_error *err)
{
    const struct key_circuit *said = &p->header.circuit;
    struct open_circuit circuit = {0};
    struct circuit_name name;
    struct r1cs_digests digests;
    enum cuzk_status st;

    if (circuit_name_parse(&name, said->name, err) != CUZK_OK)
        return error_prefix(err, CUZK_BAD_INPUT, "%s: header", path);
    TRY(circuit_open(&circuit, p->engine, name, err));
    engine_stage(p->engine, "circuit digests");
    TRY_GOTO(st, out, proving_key_matches(&p->key, &circuit.qap, err));
    TRY_GOTO(st, out, r1cs_digest(&circuit.cs, p->engine->pool, 0, NULL, NULL, &digests, err));
    if (digests.structural != said->structural ||
        memcmp(digests.coefficient, said->coefficient, sizeof said->coefficient) != 0)
        st = error_set(err, CUZK_INVALID, "%s: header: the digests are not those of circuit %s",
                       path, said->name);
out:
    circuit_close(&circuit);
    return st;
}

static enum cuzk_status check_prepared_deep(struct prepared_check *p, const struct key_check *check,
                                            uint64_t *n_points, struct cuzk_error *err)
{
    enum cuzk_status st;

    TRY(check_circuit(p, check->path, err));
    TRY(section_sum_new(&p->sum, err));
    st = check_sections(p, check->path, n_points, err);
    section_sum_free(&p->sum);
    return st;
}

/* What the .params that it was made from hashes to, against parameters.json. */
static enum cuzk_status check_source(const struct prepared_check *p, const struct key_check *check,
                                     struct report *report, struct cuzk_error *err)
{
    const char *base = key_base_name(check->path), *dot = strrchr(base, '.');
    char name[KEY_PATH_MAX];
    const struct key_digest key = {check->path, name, check->digests};

    snprintf(name, sizeof name, "%.*s" PARAMS_EXTENSION,
             (int)(dot ? (size_t)(dot - base) : strlen(base)), base);
    return key_digest_check(&key, p->header.source, report, err);
}

static enum cuzk_status check_prepared(struct engine *engine, const struct key_check *check,
                                       struct report *report, struct cuzk_error *err)
{
    struct prepared_check p = {.engine = engine};
    enum cuzk_status st = CUZK_OK;
    uint64_t n_points = 0;

    engine_stage(engine, "header, verifying key");
    TRY(prepared_key_open(&p.key, &p.header, check->path, &curve_bls12_381, engine->pool,
                          &engine->budget, err));
    if (check->deep)
        st = check_prepared_deep(&p, check, &n_points, err);
    if (st == CUZK_OK) {
        report_text(report, "circuit", "%s", p.header.circuit.name);
        report_number(report, "points_checked", n_points);
        report_bool(report, "subgroup_checked", check->deep);
        report_bool(report, "checksums_checked", check->deep);
        st = check_source(&p, check, report, err);
    }
    proving_key_done(&p.key);
    return st;
}

/* ---- any of them ----------------------------------------------------------------------------- */

/* A .vk is told by its name: it has no mark. */
static enum cuzk_status check_file(struct engine *engine, const struct key_check *check,
                                   struct report *report, struct cuzk_error *err)
{
    const struct key_digest digest = {check->path, key_base_name(check->path), check->digests};
    const char *dot = strrchr(check->path, '.');
    struct file_map map;
    bool is_prepared;

    TRY(file_map(&map, check->path, err));
    is_prepared = key_is_prepared(&map);
    file_unmap(&map);
    if (is_prepared)
        return check_prepared(engine, check, report, err);
    TRY(dot && strcmp(dot, ".vk") == 0 ? check_vk(engine, check, report, err)
                                       : check_params(engine, check, report, err));
    return key_digest_check_file(engine, &digest, report, err);
}

enum cuzk_status key_check(struct engine *engine, const struct key_check *check,
                           struct report *report, struct cuzk_error *err)
{
    enum cuzk_status st;

    report_text(report, "file", "%s", check->path);
    st = check_file(engine, check, report, err);
    engine_stage_end(engine);
    if (st == CUZK_OK && key_is_dev(check->path))
        report_text(report, "warning", "development key: its trapdoor is known");
    return st;
}
