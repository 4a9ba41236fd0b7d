#include "engine/sample_job.h"

#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "filecoin/c1_write.h"
#include "filecoin/sample_porep.h"

/* ---- which sector ---------------------------------------------------------------------------- */

/* What the sector is a sector of. */
struct subject {
    const struct sector_size *size;
    const struct seal_proof *proof; /* NULL: the size has none */
    struct porep_config config;
};

static enum cuzk_status find_version(const char *name, enum api_version *ret,
                                     struct cuzk_error *err)
{
    for (enum api_version v = API_1_0_0; v <= API_1_1_0; v++)
        if (strcmp(name, api_version_name(v)) == 0) {
            *ret = v;
            return CUZK_OK;
        }
    return error_set(err, CUZK_USAGE,
                     "API version %s: this version makes samples of 1.0.0 and 1.1.0", name);
}

static const struct seal_proof *find_proof(const struct sector_size *size, enum api_version version)
{
    for (unsigned i = 0; i < N_SEAL_PROOFS; i++) {
        const struct seal_proof *proof = seal_proof_of_number(i);

        if (proof->size == size && proof->version == version &&
            proof->challenges == CHALLENGES_INTERACTIVE)
            return proof;
    }
    return NULL;
}

static enum cuzk_status choose(struct subject *ret, const struct sample_options *options,
                               struct cuzk_error *err)
{
    struct subject s = {.size = options->name.size};
    enum api_version version = API_1_1_0;

    if (options->name.kind != CIRCUIT_POREP || options->dense)
        return error_set(err, CUZK_USAGE, "this version makes sparse PoRep samples only");
    if (options->api_version)
        TRY(find_version(options->api_version, &version, err));
    s.proof = find_proof(s.size, version);
    if (s.proof)
        porep_config_of(&s.config, s.proof);
    else
        s.config = (struct porep_config){.shape = s.size->porep,
                                         .partitions = s.size->porep_partitions,
                                         .version = version,
                                         .challenges = CHALLENGES_INTERACTIVE};
    *ret = s;
    return CUZK_OK;
}

/* ---- what to say about it -------------------------------------------------------------------- */

static void report_scalar(struct report *report, const char *key, const struct scalar *a)
{
    uint8_t bytes[32];
    char text[65];

    scalar_to_bytes(bytes, a);
    hex_encode(text, bytes, 32);
    report_text(report, key, "%s", text);
}

static void report_sample(struct report *report, const struct subject *subject,
                          const struct seal *seal, const char *path, uint64_t seed)
{
    char porep_id[65];

    hex_encode(porep_id, subject->config.porep_id, 32);
    report_text(report, "c1", "%s", path);
    report_text(report, "form", subject->proof ? "JSON of the API" : "native bincode");
    if (subject->proof)
        report_number(report, "registered_proof", subject->proof->number);
    report_text(report, "sector_size", "%s", subject->size->name);
    report_text(report, "api_version", "%s", api_version_name(subject->config.version));
    report_text(report, "porep_id", "%s", porep_id);
    report_number(report, "miner_id", SAMPLE_MINER);
    report_number(report, "sector_num", seed);
    report_scalar(report, "replica_id", &seal->replica_id);
    report_scalar(report, "comm_d", &seal->comm_d);
    report_scalar(report, "comm_r", &seal->comm_r);
}

/* ---- the job --------------------------------------------------------------------------------- */

static enum cuzk_status write_c1(const struct subject *subject, const struct vanilla_porep *vanilla,
                                 const char *path, struct cuzk_error *err)
{
    struct out_file out;

    TRY(out_open(&out, path, err));
    if (subject->proof)
        c1_write_json(out.stream, vanilla, subject->proof);
    else
        c1_write_bincode(out.stream, vanilla);
    return out_commit(&out, err);
}

enum cuzk_status sample_write(struct engine *engine, const struct sample_options *options,
                              const char *path, struct report *report, struct cuzk_error *err)
{
    struct vanilla_porep vanilla;
    struct subject subject;
    enum cuzk_status st;

    TRY(choose(&subject, options, err));
    engine_stage(engine, "make sample");
    TRY(sample_porep(&vanilla, &subject.config, options->seed, &engine->budget, err));
    engine_stage(engine, "write C1");
    st = write_c1(&subject, &vanilla, path, err);
    engine_stage_end(engine);
    if (st == CUZK_OK)
        report_sample(report, &subject, &vanilla.seal, path, options->seed);
    vanilla_porep_done(&vanilla);
    return st;
}
