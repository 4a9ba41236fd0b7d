#include "engine/inspect.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/reader.h"
#include "engine/file_digest.h"
#include "engine/key_folder.h"
#include "engine/proof_job.h"
#include "filecoin/c1.h"
#include "format/bellperson.h"
#include "format/prepared_key.h"

/* A verifying key starts every key file of bellperson's: points, then the number of inputs. */
static size_t vk_count_at(void)
{
    return vk_bytes(&curve_bls12_381, 0) - 4;
}

enum file_kind { KIND_UNKNOWN, KIND_VK, KIND_PARAMS, KIND_PREPARED, KIND_PROOF, KIND_JSON };

static bool walks_like_params(const struct file_map *map, uint32_t n_ic)
{
    struct reader r = reader_over(map->data, map->bytes, map->path);
    static const size_t point_bytes[KEY_N_QUERIES] = {96, 96, 96, 96, 192};
    const uint8_t *skipped;
    uint32_t n;

    if (read_bytes(&r, vk_bytes(&curve_bls12_381, n_ic), &skipped, NULL) != CUZK_OK)
        return false;
    for (int q = 0; q < KEY_N_QUERIES; q++)
        if (read_u32_be(&r, &n, NULL) != CUZK_OK ||
            read_bytes(&r, n * point_bytes[q], &skipped, NULL) != CUZK_OK)
            return false;
    return read_end(&r, NULL) == CUZK_OK;
}

static enum file_kind recognise(const struct file_map *map)
{
    uint32_t n_ic;
    size_t at = 0;

    if (prepared_key_recognise(map->data, map->bytes))
        return KIND_PREPARED;
    while (at < map->bytes && strchr(" \t\r\n", map->data[at]) && map->data[at])
        at++;
    if (at < map->bytes && map->data[at] == '{')
        return KIND_JSON;
    if (map->bytes && map->bytes % PARTITION_PROOF_BYTES == 0 &&
        map->bytes <= 4096 * PARTITION_PROOF_BYTES && (map->data[0] & 0x80))
        return KIND_PROOF; /* the first point is compressed */
    if (map->bytes < vk_bytes(&curve_bls12_381, 0))
        return KIND_UNKNOWN;
    n_ic = load_u32_be(map->data + vk_count_at());
    if (map->bytes == vk_bytes(&curve_bls12_381, n_ic))
        return KIND_VK;
    return walks_like_params(map, n_ic) ? KIND_PARAMS : KIND_UNKNOWN;
}

/* ---- digests --------------------------------------------------------------------------------- */

static enum cuzk_status report_digests(struct engine *engine, const struct file_map *map,
                                       struct report *report, struct cuzk_error *err)
{
    struct file_digest digest;
    char hex[65];

    engine_stage(engine, "digests");
    TRY(file_digest(engine, map, &digest, err));
    hex_encode(hex, digest.sha256, 32);
    report_text(report, "sha256", "%s", hex);
    hex_encode(hex, digest.blake2b, 16);
    report_text(report, "parameters_json_digest", "%s", hex);
    return CUZK_OK;
}

/* ---- each kind ------------------------------------------------------------------------------- */

static void report_key_warnings(struct report *report, const char *path)
{
    if (key_is_dev(path))
        report_text(report, "warning", "development key: its trapdoor is known");
}

static enum cuzk_status report_vk(struct engine *engine, const struct file_map *map,
                                  struct report *report, struct cuzk_error *err)
{
    struct verifying_key vk;

    TRY(vk_open(&vk, map->path, &curve_bls12_381, engine->pool, &engine->budget, err));
    report_text(report, "what", "bellperson verifying key, BLS12-381");
    report_number(report, "inputs_with_one", vk.n_inputs);
    report_key_warnings(report, map->path);
    verifying_key_done(&vk);
    return CUZK_OK;
}

static void report_counts(struct report *report, const struct proving_key *key)
{
    report_number(report, "inputs_with_one", key->vk.n_inputs);
    for (int q = 0; q < KEY_N_QUERIES; q++)
        report_number(report, key_query_name((enum key_query)q), key->query[q].n);
}

static enum cuzk_status report_params(struct engine *engine, const struct file_map *map,
                                      struct report *report, struct cuzk_error *err)
{
    struct proving_key key;

    TRY(params_open(&key, map->path, &curve_bls12_381, engine->pool, &engine->budget, err));
    report_text(report, "what", "bellperson parameters, BLS12-381");
    report_counts(report, &key);
    report_key_warnings(report, map->path);
    proving_key_done(&key);
    return CUZK_OK;
}

static enum cuzk_status report_prepared(struct engine *engine, const struct file_map *map,
                                        struct report *report, struct cuzk_error *err)
{
    struct prepared_header header;
    struct proving_key key;
    char hex[65];

    TRY(prepared_key_open(&key, &header, map->path, &curve_bls12_381, engine->pool, &engine->budget,
                          err));
    report_text(report, "what", "prepared key, BLS12-381");
    report_text(report, "circuit", "%s", header.circuit.name);
    report_text(report, "structural_digest", "%016" PRIx64, header.circuit.structural);
    hex_encode(hex, header.circuit.coefficient, 32);
    report_text(report, "coefficient_sha256", "%s", hex);
    hex_encode(hex, header.source, PREPARED_SOURCE_BYTES);
    report_text(report, "made_from_digest", "%s", hex);
    report_text(report, "h_basis", "%s", h_basis_name(header.h_basis));
    report_counts(report, &key);
    report_key_warnings(report, map->path);
    proving_key_done(&key);
    return CUZK_OK;
}

static enum cuzk_status report_proof(const struct file_map *map, struct report *report,
                                     struct cuzk_error *err)
{
    for (size_t at = 0; at < map->bytes; at += PARTITION_PROOF_BYTES) {
        struct proof proof;

        TRY(proof_decode(&proof, &curve_bls12_381, map->data + at, PARTITION_PROOF_BYTES, map->path,
                         err));
    }
    report_text(report, "what", "Groth16 proof, BLS12-381");
    report_number(report, "partitions", map->bytes / PARTITION_PROOF_BYTES);
    return CUZK_OK;
}

static enum cuzk_status report_c1(struct engine *engine, const struct file_map *map,
                                  struct report *report, struct cuzk_error *err)
{
    const struct c1_hints no_hints = {.registered_proof = -1};
    struct c1 c1;
    char text[CIRCUIT_TEXT_MAX];
    const struct scalar *named[3];
    static const char *const names[3] = {"replica_id", "comm_d", "comm_r"};

    TRY(c1_read_file(&c1, map->path, &no_hints, &engine->budget, err));
    circuit_name_print(text, c1.name);
    report_text(report, "what", "PoRep C1 output (SealCommitPhase1Output)");
    report_text(report, "circuit", "%s", text);
    report_text(report, "api_version", "%s", api_version_name(c1.config.version));
    report_number(report, "partitions", c1.config.partitions);
    report_number(report, "challenges", c1.config.partitions * c1.config.shape.challenges);
    if (c1.has_sector_num)
        report_number(report, "sector_num", c1.sector_num);
    named[0] = &c1.vanilla.seal.replica_id;
    named[1] = &c1.vanilla.seal.comm_d;
    named[2] = &c1.vanilla.seal.comm_r;
    for (int i = 0; i < 3; i++) {
        uint8_t bytes[32];

        scalar_to_bytes(bytes, named[i]);
        hex_encode(text, bytes, 32);
        report_text(report, names[i], "%s", text);
    }
    c1_done(&c1);
    return CUZK_OK;
}

static enum cuzk_status report_kind(struct engine *engine, const struct file_map *map,
                                    struct report *report, struct cuzk_error *err)
{
    switch (recognise(map)) {
    case KIND_VK: return report_vk(engine, map, report, err);
    case KIND_PARAMS: return report_params(engine, map, report, err);
    case KIND_PREPARED: return report_prepared(engine, map, report, err);
    case KIND_PROOF: return report_proof(map, report, err);
    case KIND_JSON: return report_c1(engine, map, report, err);
    case KIND_UNKNOWN: break;
    }
    return error_set(
        err, CUZK_BAD_INPUT,
        "%s: neither parameters, prepared key, verifying key, proof nor C1 JSON (%zu bytes)",
        map->path, map->bytes);
}

enum cuzk_status inspect_file(struct engine *engine, const char *path, struct report *report,
                              struct cuzk_error *err)
{
    struct file_map map;
    enum cuzk_status st;

    TRY(file_map(&map, path, err));
    report_text(report, "file", "%s", path);
    report_number(report, "bytes", map.bytes);
    engine_stage(engine, "read");
    st = report_kind(engine, &map, report, err);
    if (st == CUZK_OK)
        st = report_digests(engine, &map, report, err);
    engine_stage_end(engine);
    file_unmap(&map);
    return st;
}
