#include "engine/key_prepare.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "engine/key_digest.h"
#include "engine/key_points.h"
#include "engine/open_circuit.h"
#include "engine/open_key.h"
#include "format/bellperson.h"
#include "format/prepared_writer.h"
#include "groth16/folding.h"

struct preparation {
    struct engine *engine;
    const char *from; /* the .params file */
    const struct qap *qap;
    bool fold;
    struct folding folding;
    struct region window; /* of points that come out of it */
    struct proving_key key;
    struct prepared_header header;
    struct prepared_writer writer;
    struct hash *source; /* BLAKE2b of the file, so far */
    size_t hashed;       /* bytes of it */
    key_prepare_progress_fn *progress;
    void *progress_ctx;
};

/* ---- the circuit ----------------------------------------------------------------------------- */

static enum cuzk_status find_circuit(struct circuit_name *ret, const struct key_prepare *prepare,
                                     struct cuzk_error *err)
{
    if (prepare->circuit)
        return circuit_name_parse(ret, prepare->circuit, err);
    if (circuit_name_of_file(ret, key_official_name(prepare->path)))
        return CUZK_OK;
    return error_set(err, CUZK_USAGE,
                     "%s: no official name; --circuit NAME says what it is a key of",
                     prepare->path);
}

/* What the header says about the circuit, and that the key is one of it. */
static enum cuzk_status describe(struct preparation *p, const char *name, struct cuzk_error *err)
{
    const struct qap *qap = p->qap;
    struct prepared_header *h = &p->header;
    struct r1cs_digests digests;

    TRY(proving_key_matches(&p->key, qap, err));
    engine_stage(p->engine, "circuit digests");
    TRY(r1cs_digest(qap->cs, p->engine->pool, 0, NULL, NULL, &digests, err));
    *h = (struct prepared_header){.curve = p->key.vk.curve,
                                  .domain_generator = p->key.domain_generator,
                                  .h_basis = p->fold ? H_COSET_FOLDED : p->key.h_basis,
                                  .lg_domain = qap->lg_domain,
                                  .n_inputs = qap->cs->n_inputs,
                                  .n_aux = qap->cs->n_aux,
                                  .circuit = {.known = true, .structural = digests.structural}};
    snprintf(h->circuit.name, sizeof h->circuit.name, "%.*s", (int)sizeof h->circuit.name - 1,
             name);
    memcpy(h->circuit.coefficient, digests.coefficient, sizeof digests.coefficient);
    h->section[PREPARED_VK].n = vk_bytes(h->curve, h->n_inputs);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        h->section[PREPARED_QUERIES + q].n = key_query_outline(qap, h->h_basis, q).points.n;
    return qap_digest(qap, h->circuit.densities, err);
}

/* Unless there is something to fold the circuit is there for that only: the points have its memory.
 */
static enum cuzk_status describe_by_name(struct preparation *p, struct open_circuit *circuit,
                                         struct circuit_name name, struct cuzk_error *err)
{
    char text[CIRCUIT_TEXT_MAX];
    enum cuzk_status st;

    TRY(circuit_open(circuit, p->engine, name, err));
    circuit_name_print(text, name);
    p->qap = &circuit->qap;
    st = describe(p, text, err);
    if (!p->fold)
        circuit_close(circuit);
    return st;
}

/* ---- the points ------------------------------------------------------------------------------ */

/* The file up to here belongs to the digest. */
static void hash_source(struct preparation *p, size_t end)
{
    hash_update(p->source, p->key.map.data + p->hashed, end - p->hashed);
    p->hashed = end;
}

static void hash_points(struct preparation *p, enum key_query query, size_t end)
{
    const size_t element =
        p->key.vk.curve->fp_bytes * (key_query_group(query) == ELEMENT_G2 ? 4 : 2);
    const uint8_t *data = p->key.query[query].data;

    hash_source(p, (size_t)(data - p->key.map.data) + end * element);
}

static enum cuzk_status write_window(struct preparation *p, enum key_query query, size_t done,
                                     const void *native, size_t n, struct cuzk_error *err)
{
    TRY(prepared_writer_points(&p->writer, native, n, err));
    if (p->progress)
        p->progress(p->progress_ctx, query, done, p->key.query[query].n);
    return CUZK_OK;
}

static enum cuzk_status take_points(void *ctx, enum key_query query, size_t first, void *native,
                                    size_t n, struct cuzk_error *err)
{
    struct preparation *p = ctx;

    hash_points(p, query, first + n);
    if (p->fold && query == QUERY_L)
        TRY(folding_add_l(&p->folding, first, native, n, err));
    return write_window(p, query, first + n, native, n, err);
}

/* ---- folded ---------------------------------------------------------------------------------- */

static enum cuzk_status take_h(void *ctx, enum key_query query, size_t first, void *native,
                               size_t n, struct cuzk_error *err)
{
    struct preparation *p = ctx;

    hash_points(p, query, first + n);
    return folding_put_h(&p->folding, first, native, n, err);
}

static enum cuzk_status take_h_again(void *ctx, enum key_query query, size_t first, void *native,
                                     size_t n, struct cuzk_error *err)
{
    struct preparation *p = ctx;

    (void)query;
    return folding_put_h(&p->folding, first, native, n, err);
}

/* Points of a window on the way from the device to the file. */
enum { WINDOW = 1 << 16 };

static enum cuzk_status open_folding(struct preparation *p, struct cuzk_error *err)
{
    const struct folding_options options = {.backend = p->engine->backend,
                                            .pool = p->engine->pool,
                                            .budget = &p->engine->budget,
                                            .domain_generator = p->key.domain_generator,
                                            .cancel = p->engine->cancel};
    const size_t n = p->qap->n_c_inputs > WINDOW ? p->qap->n_c_inputs : WINDOW;
    const size_t arena = folding_arena_bytes(p->qap, &options);
    size_t room = arena;

    if (options.backend->beside_host)
        TRY(engine_device_room(p->engine, &room, err));
    if (arena > room)
        return error_set(err, CUZK_NO_MEMORY,
                         "to fold takes %zu bytes of the device's memory, %zu may be taken", arena,
                         room);
    TRY(region_map(&p->window, &p->engine->budget, MEM_SCRATCH, n * p->qap->cs->curve->g1_bytes,
                   err));
    return folding_open(&p->folding, p->qap, &options, err);
}

static enum cuzk_status write_new_h(struct preparation *p, struct cuzk_error *err)
{
    const size_t n_all = p->qap->n_domain;

    for (size_t first = 0; first < n_all; first += WINDOW) {
        const size_t n = n_all - first < WINDOW ? n_all - first : WINDOW;

        TRY(folding_get_h(&p->folding, first, p->window.base, n, err));
        TRY(prepared_writer_points(&p->writer, p->window.base, n, err));
        engine_progress(p->engine, first + n, n_all);
    }
    return CUZK_OK;
}

/* The new h into the file; and all that the new l will take from the old one's. */
static enum cuzk_status fold_h(struct preparation *p, const struct key_points *points,
                               struct cuzk_error *err)
{
    struct key_points again = *points;

    again.subgroup = false; /* they are known */
    TRY(open_folding(p, err));
    TRY(key_points_walk(p->engine, points, QUERY_H, take_h, p, err));
    engine_stage(p->engine, "h on the coset");
    TRY(folding_make_h(&p->folding, err));
    engine_stage(p->engine, "write h");
    TRY(write_new_h(p, err));
    TRY(key_points_walk(p->engine, &again, QUERY_H, take_h_again, p, err));
    engine_stage(p->engine, "points of the rows of C");
    TRY(folding_make_c(&p->folding, err));
    TRY(folding_get_inputs(&p->folding, p->window.base, err));
    return prepared_writer_points(&p->writer, p->window.base, p->qap->n_c_inputs, err);
}

static void close_folding(struct preparation *p)
{
    folding_close(&p->folding);
    region_unmap(&p->window);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static enum cuzk_status write_queries(struct preparation *p, struct cuzk_error *err)
{
    const struct key_points points = {&p->key, p->from, true};

    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        if (p->fold && q == QUERY_H)
            TRY(fold_h(p, &points, err));
        else
            TRY(key_points_walk(p->engine, &points, q, take_points, p, err));
        if (q == QUERY_L)
            close_folding(p); /* what it takes is free for the rest */
    }
    return CUZK_OK;
}

/* Everything but the end of the writing; digest: of the source. */
static enum cuzk_status write_points(struct preparation *p, const char *to, uint8_t digest[64],
                                     struct cuzk_error *err)
{
    p->source = hash_new(HASH_BLAKE2B_512);
    if (!p->source)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a digest");
    TRY(prepared_writer_open(&p->writer, to, &p->header, p->key.map.data, p->engine->pool, err));
    TRY(write_queries(p, err));
    hash_source(p, p->key.map.bytes);
    hash_final(p->source, digest);
    prepared_writer_source(&p->writer, digest);
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

static enum cuzk_status open_source(struct preparation *p, const struct curve *curve,
                                    struct cuzk_error *err)
{
    engine_stage(p->engine, "open key");
    return params_open(&p->key, p->from, curve, p->engine->pool, &p->engine->budget, err);
}

static enum cuzk_status commit(struct preparation *p, struct cuzk_error *err)
{
    engine_stage(p->engine, "sync file");
    return prepared_writer_commit(&p->writer, err);
}

static void preparation_end(struct preparation *p)
{
    engine_stage_end(p->engine);
    close_folding(p);
    hash_free(p->source);
    prepared_writer_abort(&p->writer);
    proving_key_done(&p->key);
}

static void report_prepared(const struct preparation *p, const char *path, struct report *report)
{
    size_t n_points = 0;

    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        n_points += p->key.query[q].n;
    report_text(report, "circuit", "%s", p->header.circuit.name);
    report_number(report, "points_checked", n_points);
    report_text(report, "h_basis", "%s", h_basis_name(p->header.h_basis));
    report_text(report, "prepared", "%s", path);
}

enum cuzk_status key_prepare(struct engine *engine, const struct key_prepare *prepare,
                             struct report *report, struct cuzk_error *err)
{
    const struct key_digest digest = {prepare->path, key_base_name(prepare->path),
                                      prepare->digests};
    struct preparation p = {.engine = engine, .from = prepare->path, .fold = prepare->fold};
    struct open_circuit circuit = {0};
    struct circuit_name name;
    char path[KEY_PATH_MAX];
    uint8_t whole[64];
    enum cuzk_status st;

    TRY(find_circuit(&name, prepare, err));
    TRY(output_path(path, prepare, err));
    TRY_GOTO(st, out, open_source(&p, &curve_bls12_381, err));
    TRY_GOTO(st, out, describe_by_name(&p, &circuit, name, err));
    if (prepare->folder)
        mkdir(prepare->folder, 0777); /* if it cannot be made, opening the file says why */
    TRY_GOTO(st, out, write_points(&p, path, whole, err));
    TRY_GOTO(st, out, key_digest_check(&digest, whole, report, err));
    TRY_GOTO(st, out, commit(&p, err));
    report_prepared(&p, path, report);
out:
    preparation_end(&p);
    circuit_close(&circuit);
    return st;
}

enum cuzk_status key_prepare_of(struct engine *engine, const struct qap *qap, const char *from,
                                const char *to, bool fold, key_prepare_progress_fn *progress,
                                void *progress_ctx, struct cuzk_error *err)
{
    struct preparation p = {.engine = engine,
                            .from = from,
                            .qap = qap,
                            .fold = fold,
                            .progress = progress,
                            .progress_ctx = progress_ctx};
    uint8_t whole[64];
    enum cuzk_status st;

    TRY_GOTO(st, out, open_source(&p, qap->cs->curve, err));
    TRY_GOTO(st, out, describe(&p, "", err));
    TRY_GOTO(st, out, write_points(&p, to, whole, err));
    st = commit(&p, err);
out:
    preparation_end(&p);
    return st;
}
