#include "engine/sample_job.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hex.h"
#include "filecoin/c1_write.h"
#include "filecoin/sample_porep.h"
#include "filecoin/sample_post.h"

/* The version of that name, one of two; without a name the second. */
static enum cuzk_status choose_version(const char *name, enum api_version older,
                                       enum api_version newer, enum api_version *ret,
                                       struct cuzk_error *err)
{
    *ret = newer;
    if (!name || strcmp(name, api_version_name(newer)) == 0)
        return CUZK_OK;
    *ret = older;
    if (strcmp(name, api_version_name(older)) == 0)
        return CUZK_OK;
    return error_set(err, CUZK_USAGE, "API version %s: samples of this circuit are of %s or %s",
                     name, api_version_name(older), api_version_name(newer));
}

static void report_bytes(struct report *report, const char *key, const uint8_t bytes[32])
{
    char text[65];

    hex_encode(text, bytes, 32);
    report_text(report, key, "%s", text);
}

static void report_scalar(struct report *report, const char *key, const struct scalar *a)
{
    uint8_t bytes[32];

    scalar_to_bytes(bytes, a);
    report_bytes(report, key, bytes);
}

/* ---- porep ----------------------------------------------------------------------------------- */

/* What the sector is a sector of. */
struct subject {
    const struct sector_size *size;
    const struct seal_proof *proof; /* NULL: the size has none */
    struct porep_config config;
};

static const struct seal_proof *find_seal_proof(const struct sector_size *size,
                                                enum api_version version)
{
    for (unsigned i = 0; i < N_SEAL_PROOFS; i++) {
        const struct seal_proof *proof = seal_proof_of_number(i);

        if (proof->size == size && proof->version == version &&
            proof->challenges == CHALLENGES_INTERACTIVE)
            return proof;
    }
    return NULL;
}

static struct subject subject_of(const struct sector_size *size, enum api_version version)
{
    struct subject s = {.size = size, .proof = find_seal_proof(size, version)};

    if (s.proof)
        porep_config_of(&s.config, s.proof);
    else
        s.config = (struct porep_config){.shape = size->porep,
                                         .partitions = size->porep_partitions,
                                         .version = version,
                                         .challenges = CHALLENGES_INTERACTIVE};
    return s;
}

static void report_porep(struct report *report, const struct subject *subject,
                         const struct seal *seal, const char *path, uint64_t seed)
{
    report_text(report, "c1", "%s", path);
    report_text(report, "form", subject->proof ? "JSON of the API" : "native bincode");
    if (subject->proof)
        report_number(report, "registered_proof", subject->proof->number);
    report_text(report, "sector_size", "%s", subject->size->name);
    report_text(report, "api_version", "%s", api_version_name(subject->config.version));
    report_bytes(report, "porep_id", subject->config.porep_id);
    report_number(report, "miner_id", SAMPLE_MINER);
    report_number(report, "sector_num", seed);
    report_scalar(report, "replica_id", &seal->replica_id);
    report_scalar(report, "comm_d", &seal->comm_d);
    report_scalar(report, "comm_r", &seal->comm_r);
}

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

static enum cuzk_status write_porep(struct engine *engine, const struct sample_options *options,
                                    const char *path, struct report *report, struct cuzk_error *err)
{
    struct vanilla_porep vanilla;
    enum api_version version;
    struct subject subject;
    enum cuzk_status st;

    if (options->sectors)
        return error_set(err, CUZK_USAGE, "--sectors is of window samples: a C1 is of one sector");
    TRY(choose_version(options->api_version, API_1_0_0, API_1_1_0, &version, err));
    subject = subject_of(options->name.size, version);
    engine_stage(engine, "make sample");
    TRY(sample_porep(&vanilla, &subject.config, options->seed, &engine->budget, err));
    engine_stage(engine, "write C1");
    st = write_c1(&subject, &vanilla, path, err);
    engine_stage_end(engine);
    if (st == CUZK_OK)
        report_porep(report, &subject, &vanilla.seal, path, options->seed);
    vanilla_porep_done(&vanilla);
    return st;
}

/* ---- proofs of spacetime --------------------------------------------------------------------- */

static void report_post(struct report *report, const struct sample_options *options,
                        const struct post *post, const char *folder)
{
    report_text(report, "vanilla", "%s/vanilla-*.bin", folder);
    for (unsigned i = 0; i < N_POST_PROOFS; i++) {
        const struct post_proof *proof = post_proof_of_number(i);

        if (proof->size == options->name.size && proof->kind == post->config.kind &&
            proof->version == post->config.version)
            report_number(report, "registered_proof", proof->number);
    }
    report_text(report, "sector_size", "%s", options->name.size->name);
    report_text(report, "api_version", "%s", api_version_name(post->config.version));
    report_number(report, "sectors", post->n_sectors);
    report_number(report, "first_sector_num", post->sectors[0].id);
    report_bytes(report, "randomness", post->randomness);
}

static enum cuzk_status write_vanilla(const struct vanilla_post *vanilla, size_t i,
                                      const char *folder, struct cuzk_error *err)
{
    char path[4096];
    struct out_file out;
    int n = snprintf(path, sizeof path, "%s/vanilla-%07zu.bin", folder, i);

    if (n < 0 || (size_t)n >= sizeof path)
        return error_set(err, CUZK_USAGE, "%.60s...: the name is too long", folder);
    TRY(out_open(&out, path, err));
    vanilla_post_write(out.stream, vanilla, i);
    return out_commit(&out, err);
}

static enum cuzk_status write_folder(const struct vanilla_post *vanilla, const char *folder,
                                     const atomic_bool *cancel, struct cuzk_error *err)
{
    mkdir(folder, 0777); /* if it cannot be made, opening the files says why */
    for (size_t i = 0; i < vanilla->post.n_sectors; i++) {
        if (cancel && atomic_load(cancel))
            return error_set(err, CUZK_CANCELLED, "cancelled");
        TRY(write_vanilla(vanilla, i, folder, err));
    }
    return CUZK_OK;
}

static enum cuzk_status choose_post(struct post_config *config, size_t *n,
                                    const struct sample_options *options, struct cuzk_error *err)
{
    enum post_kind kind = options->name.kind == CIRCUIT_WINNING ? POST_WINNING : POST_WINDOW;
    enum api_version version;

    TRY(choose_version(options->api_version, API_1_0_0,
                       kind == POST_WINNING ? API_1_0_0 : API_1_2_0, &version, err));
    *config = post_config_make(kind, options->name.size, version);
    *n = options->sectors ? options->sectors : kind == POST_WINNING ? 1 : config->shape.slots;
    return CUZK_OK;
}

static enum cuzk_status write_post(struct engine *engine, const struct sample_options *options,
                                   const char *folder, struct report *report,
                                   struct cuzk_error *err)
{
    struct vanilla_post vanilla;
    struct post_config config;
    enum cuzk_status st;
    size_t n;

    TRY(choose_post(&config, &n, options, err));
    engine_stage(engine, "make sample");
    TRY(sample_post(&vanilla, &config, n, options->seed, &engine->budget, err));
    engine_stage(engine, "write vanilla proofs");
    st = write_folder(&vanilla, folder, engine->cancel, err);
    engine_stage_end(engine);
    if (st == CUZK_OK)
        report_post(report, options, &vanilla.post, folder);
    vanilla_post_done(&vanilla);
    return st;
}

/* ---- the job --------------------------------------------------------------------------------- */

enum cuzk_status sample_write(struct engine *engine, const struct sample_options *options,
                              const char *path, struct report *report, struct cuzk_error *err)
{
    if (options->dense)
        return error_set(err, CUZK_USAGE, "this version makes sparse samples only");
    switch (options->name.kind) {
    case CIRCUIT_POREP: return write_porep(engine, options, path, report, err);
    case CIRCUIT_WINNING:
    case CIRCUIT_WINDOW: return write_post(engine, options, path, report, err);
    case CIRCUIT_UPDATE: break;
    }
    return error_set(err, CUZK_USAGE, "this version makes no update samples");
}
