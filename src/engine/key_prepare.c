#include "engine/key_prepare.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/hex.h"
#include "engine/key_digest.h"
#include "engine/key_points.h"
#include "engine/open_circuit.h"
#include "engine/open_key.h"
#include "format/bellperson.h"
#include "format/prepared_writer.h"

struct preparation {
    struct engine *engine;
    struct circuit_name name;
    struct proving_key key; /* as it is */
    struct prepared_writer writer;
    struct hash *source; /* BLAKE2b of the file, so far */
    size_t hashed;       /* bytes of it */
};

/* ---- the circuit ----------------------------------------------------------------------------- */

static enum cuzk_status find_circuit(struct preparation *p, const struct key_prepare *prepare,
                                     struct cuzk_error *err)
{
    if (prepare->circuit)
        return circuit_name_parse(&p->name, prepare->circuit, err);
    if (circuit_name_of_file(&p->name, key_official_name(prepare->path)))
        return CUZK_OK;
    return error_set(err, CUZK_USAGE,
                     "%s: no official name; --circuit NAME says what it is a key of",
                     prepare->path);
}

/* What the header says about the circuit, and that the key is one of it. */
static enum cuzk_status describe(struct preparation *p, struct prepared_header *header,
                                 struct cuzk_error *err)
{
    struct open_circuit circuit;
    struct r1cs_digests digests;
    char text[CIRCUIT_TEXT_MAX];
    enum cuzk_status st;

    TRY(circuit_open(&circuit, p->engine, p->name, err));
    TRY_GOTO(st, out, proving_key_matches(&p->key, &circuit.qap, err));
    engine_stage(p->engine, "circuit digests");
    TRY_GOTO(st, out, r1cs_digest(&circuit.cs, p->engine->pool, 0, NULL, NULL, &digests, err));
    header->lg_domain = circuit.qap.lg_domain;
    header->n_inputs = circuit.cs.n_inputs;
    header->n_aux = circuit.cs.n_aux;
    header->circuit.known = true;
    circuit_name_print(text, p->name);
    snprintf(header->circuit.name, sizeof header->circuit.name, "%.*s",
             (int)sizeof header->circuit.name - 1, text);
    header->circuit.structural = digests.structural;
    memcpy(header->circuit.coefficient, digests.coefficient, sizeof digests.coefficient);
    st = qap_digest(&circuit.qap, header->circuit.densities, err);
out:
    circuit_close(&circuit);
    return st;
}

/* ---- the points ------------------------------------------------------------------------------ */

/* The file up to here belongs to the digest. */
static void hash_source(struct preparation *p, size_t end)
{
    hash_update(p->source, p->key.map.data + p->hashed, end - p->hashed);
    p->hashed = end;
}

static enum cuzk_status take_points(void *ctx, enum key_query query, size_t first,
                                    const void *native, size_t n, struct cuzk_error *err)
{
    struct preparation *p = ctx;
    const size_t element =
        p->key.vk.curve->fp_bytes * (key_query_group(query) == ELEMENT_G2 ? 4 : 2);
    const uint8_t *data = p->key.query[query].data;

    hash_source(p, (size_t)(data - p->key.map.data) + (first + n) * element);
    return prepared_writer_points(&p->writer, native, n, err);
}

static enum cuzk_status write_points(struct preparation *p, const char *path,
                                     struct cuzk_error *err)
{
    const struct key_points points = {&p->key, path, true};

    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        TRY(key_points_walk(p->engine, &points, q, take_points, p, err));
    hash_source(p, p->key.map.bytes);
    return CUZK_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static enum cuzk_status output_path(char path[KEY_PATH_MAX], const struct key_prepare *prepare,
                                    struct cuzk_error *err)
{
    const char *name = key_base_name(prepare->path), *dot = strrchr(name, '.');
    const size_t stem = dot ? (size_t)(dot - name) : strlen(name);
    int n;

    if (prepare->folder)
        n = snprintf(path, KEY_PATH_MAX, "%s/%.*s" PREPARED_EXTENSION, prepare->folder, (int)stem,
                     name);
    else
        n = snprintf(path, KEY_PATH_MAX, "%.*s" PREPARED_EXTENSION,
                     (int)((size_t)(name - prepare->path) + stem), prepare->path);
    if (n < 0 || (size_t)n >= KEY_PATH_MAX)
        return error_set(err, CUZK_USAGE, "the name of the prepared key is too long");
    return CUZK_OK;
}

static enum cuzk_status finish(struct preparation *p, const struct key_prepare *prepare,
                               struct report *report, struct cuzk_error *err)
{
    const struct key_digest key = {prepare->path, key_base_name(prepare->path), prepare->digests};
    uint8_t whole[64];

    hash_final(p->source, whole);
    TRY(key_digest_check(&key, whole, report, err));
    prepared_writer_source(&p->writer, whole);
    engine_stage(p->engine, "sync file");
    return prepared_writer_commit(&p->writer, err);
}

static enum cuzk_status prepare_file(struct preparation *p, const struct key_prepare *prepare,
                                     const char *path, struct report *report,
                                     struct cuzk_error *err)
{
    struct prepared_header header = {.curve = p->key.vk.curve,
                                     .domain_generator = p->key.domain_generator,
                                     .h_basis = p->key.h_basis};
    size_t n_points = 0;

    TRY(describe(p, &header, err));
    header.section[PREPARED_VK].n = vk_bytes(header.curve, header.n_inputs);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        header.section[PREPARED_QUERIES + q].n = p->key.query[q].n;
        n_points += p->key.query[q].n;
    }
    if (prepare->folder)
        mkdir(prepare->folder, 0777); /* if it cannot be made, opening the file says why */
    TRY(prepared_writer_open(&p->writer, path, &header, p->key.map.data, p->engine->pool, err));
    TRY(write_points(p, prepare->path, err));
    TRY(finish(p, prepare, report, err));
    report_text(report, "circuit", "%s", header.circuit.name);
    report_number(report, "points_checked", n_points);
    report_text(report, "prepared", "%s", path);
    return CUZK_OK;
}

enum cuzk_status key_prepare(struct engine *engine, const struct key_prepare *prepare,
                             struct report *report, struct cuzk_error *err)
{
    struct preparation p = {.engine = engine};
    char path[KEY_PATH_MAX];
    enum cuzk_status st;

    TRY(find_circuit(&p, prepare, err));
    TRY(output_path(path, prepare, err));
    engine_stage(engine, "open key");
    TRY(params_open(&p.key, prepare->path, &curve_bls12_381, engine->pool, &engine->budget, err));
    p.source = hash_new(HASH_BLAKE2B_512);
    if (p.source)
        st = prepare_file(&p, prepare, path, report, err);
    else
        st = error_set(err, CUZK_NO_MEMORY, "no memory for a digest");
    engine_stage_end(engine);
    hash_free(p.source);
    prepared_writer_abort(&p.writer);
    proving_key_done(&p.key);
    return st;
}
