#include "engine/sample_job.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hex.h"
#include "filecoin/c1_write.h"
#include "filecoin/sample_porep.h"
#include "filecoin/sample_post.h"
#include "filecoin/sample_update.h"

/* ---- files ----------------------------------------------------------------------------------- */

static enum cuzk_status open_in_folder(struct out_file *out, const char *folder, const char *name,
                                       struct cuzk_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);

    if (n < 0 || (size_t)n >= sizeof path)
        return error_set(err, CUZK_USAGE, "%.60s...: the name is too long", folder);
    return out_open(out, path, err);
}

static enum cuzk_status write_scalars(const char *folder, const char *name,
                                      const struct scalar *values, size_t n, struct cuzk_error *err)
{
    struct out_file out;

    TRY(open_in_folder(&out, folder, name, err));
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[32];

        scalar_to_bytes(bytes, &values[i]);
        fwrite(bytes, 1, sizeof bytes, out.stream);
    }
    return out_commit(&out, err);
}

/* As the network's software keeps them: comm_c, comm_r_last. */
static enum cuzk_status write_p_aux(const char *folder, const char *name, struct scalar comm_c,
                                    struct scalar comm_r_last, struct cuzk_error *err)
{
    const struct scalar pair[2] = {comm_c, comm_r_last};

    return write_scalars(folder, name, pair, 2, err);
}

/* What sealing leaves of a dense sector. */
static enum cuzk_status write_sector_files(const struct sample_sector *sector, const char *folder,
                                           struct cuzk_error *err)
{
    size_t n = sector->n_nodes;

    mkdir(folder, 0777); /* if it cannot be made, opening the files says why */
    TRY(write_scalars(folder, "unsealed.bin", sample_sector_data(sector), n, err));
    TRY(write_scalars(folder, "sealed.bin", sample_sector_replica(sector), n, err));
    return write_p_aux(folder, "p_aux.bin", sample_tree_root(&sector->tree_c),
                       sample_tree_root(&sector->tree_r_last), err);
}

/* A vanilla proof a file. */
typedef void write_one_fn(FILE *out, const void *vanilla, size_t i);

static enum cuzk_status write_vanilla(const char *folder, const void *vanilla, size_t n,
                                      write_one_fn *write_one, const atomic_bool *cancel,
                                      struct cuzk_error *err)
{
    mkdir(folder, 0777); /* if it cannot be made, opening the files says why */
    for (size_t i = 0; i < n; i++) {
        struct out_file out;
        char name[40];

        if (cancel && atomic_load(cancel))
            return error_set(err, CUZK_CANCELLED, "cancelled");
        snprintf(name, sizeof name, "vanilla-%07zu.bin", i);
        TRY(open_in_folder(&out, folder, name, err));
        write_one(out.stream, vanilla, i);
        TRY(out_commit(&out, err));
    }
    return CUZK_OK;
}

/* ---- reports --------------------------------------------------------------------------------- */

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

/* What the sector of a PoRep or of a dense sample is. */
static void report_sector(struct report *report, const struct sample_input *in,
                          const struct sample_sector *sector)
{
    const struct scalar comm_c = sample_tree_root(&sector->tree_c);
    const struct scalar comm_r_last = sample_tree_root(&sector->tree_r_last);

    report_bytes(report, "porep_id", in->sealing.porep_id);
    report_number(report, "miner_id", sector->facts.miner);
    report_number(report, "sector_num", sector->facts.number);
    report_bytes(report, "ticket", sector->seal.ticket);
    report_scalar(report, "replica_id", &sector->seal.replica_id);
    report_scalar(report, "comm_d", &sector->seal.comm_d);
    report_scalar(report, "comm_c", &comm_c);
    report_scalar(report, "comm_r_last", &comm_r_last);
    report_scalar(report, "comm_r", &sector->seal.comm_r);
}

/* ---- porep ----------------------------------------------------------------------------------- */

static enum cuzk_status write_c1(const struct sample_input *in, const struct vanilla_porep *vanilla,
                                 const char *path, struct cuzk_error *err)
{
    struct out_file out;

    TRY(out_open(&out, path, err));
    if (in->proof)
        c1_write_json(out.stream, vanilla, in->proof);
    else
        c1_write_bincode(out.stream, vanilla);
    return out_commit(&out, err);
}

static void report_porep(struct report *report, const struct sample_input *in,
                         const struct sample_sector *sector, const char *path)
{
    report_text(report, "c1", "%s", path);
    report_text(report, "form", in->proof ? "JSON of the API" : "native bincode");
    if (in->proof)
        report_number(report, "registered_proof", in->proof->number);
    report_text(report, "sector_size", "%s", in->options->name.size->name);
    report_text(report, "api_version", "%s", api_version_name(in->sealing.version));
    report_sector(report, in, sector);
}

static enum cuzk_status write_porep(struct engine *engine, const struct sample_input *in,
                                    const char *path, struct report *report, struct cuzk_error *err)
{
    const char *files = in->options->sector_files;
    struct vanilla_porep vanilla = {0};
    struct sample_sector sector;
    enum cuzk_status st;

    engine_stage(engine, "make sample");
    TRY(sample_sector_new(&sector, &in->sealing, &in->facts, &engine->budget, err));
    TRY_GOTO(st, out, sample_porep(&vanilla, &sector, &engine->budget, err));
    engine_stage(engine, "write C1");
    TRY_GOTO(st, out, write_c1(in, &vanilla, path, err));
    if (files)
        TRY_GOTO(st, out, write_sector_files(&sector, files, err));
    report_porep(report, in, &sector, path);
out:
    vanilla_porep_done(&vanilla);
    sample_sector_done(&sector);
    return st;
}

/* ---- proofs of spacetime --------------------------------------------------------------------- */

static enum cuzk_status seal_sectors(struct vanilla_post *vanilla, const struct sample_input *in,
                                     struct budget *budget, struct cuzk_error *err)
{
    for (size_t i = 0; i < vanilla->post.n_sectors; i++) {
        const struct sample_facts facts = sample_input_facts(in, i);
        struct sample_sector sector;

        TRY(sample_sector_new(&sector, &in->sealing, &facts, budget, err));
        sample_post_sector(vanilla, i, &sector);
        sample_sector_done(&sector);
    }
    return CUZK_OK;
}

static enum cuzk_status make_post(struct vanilla_post *ret, const struct sample_input *in,
                                  const struct post_config *config, size_t n, struct engine *engine,
                                  struct cuzk_error *err)
{
    struct vanilla_post v;
    enum cuzk_status st;

    if (!in->options->dense)
        return sample_post(ret, config, n, in->randomness, &in->facts, engine->pool,
                           &engine->budget, err);
    TRY(vanilla_post_new(&v, config, in->randomness, n, &engine->budget, err));
    st = seal_sectors(&v, in, &engine->budget, err);
    if (st == CUZK_OK)
        *ret = v;
    else
        vanilla_post_done(&v);
    return st;
}

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

static void write_post_proof(FILE *out, const void *vanilla, size_t i)
{
    vanilla_post_write(out, vanilla, i);
}

static enum cuzk_status write_post(struct engine *engine, const struct sample_input *in,
                                   const char *folder, struct report *report,
                                   struct cuzk_error *err)
{
    struct vanilla_post vanilla;
    struct post_config config;
    enum cuzk_status st;
    size_t n;

    TRY(sample_input_post(&config, &n, in->options, err));
    engine_stage(engine, "make sample");
    TRY(make_post(&vanilla, in, &config, n, engine, err));
    engine_stage(engine, "write vanilla proofs");
    st = write_vanilla(folder, &vanilla, n, write_post_proof, engine->cancel, err);
    if (st == CUZK_OK)
        report_post(report, in->options, &vanilla.post, folder);
    vanilla_post_done(&vanilla);
    return st;
}

/* ---- updates --------------------------------------------------------------------------------- */

static void report_update(struct report *report, const struct sample_options *options,
                          const struct vanilla_update *vanilla, const char *folder)
{
    report_text(report, "vanilla", "%s/vanilla-*.bin", folder);
    for (unsigned i = 0; i < N_UPDATE_PROOFS; i++)
        if (update_proof_size(i) == options->name.size)
            report_number(report, "registered_proof", i);
    report_text(report, "sector_size", "%s", options->name.size->name);
    report_number(report, "partitions", update_partitions(&vanilla->update.shape));
    report_scalar(report, "comm_r_old", &vanilla->update.comm_r_old);
    report_scalar(report, "comm_d_new", &vanilla->update.comm_d_new);
    report_scalar(report, "comm_r_new", &vanilla->update.comm_r_new);
}

static void write_update_proof(FILE *out, const void *vanilla, size_t i)
{
    vanilla_update_write(out, vanilla, (unsigned)i);
}

/* The replica is encoded in place of the data, of which nothing more is needed. */
static enum cuzk_status write_update_files(const struct vanilla_update *vanilla,
                                           const struct sample_update_source *source,
                                           struct scalar *data, size_t n, const char *folder,
                                           struct cuzk_error *err)
{
    const struct scalar phi = update_phi(&vanilla->update);

    TRY(write_scalars(folder, "data-new.bin", data, n, err));
    for (size_t i = 0; i < n; i++)
        data[i] = update_encode(&vanilla->update, &phi, i, &source->old[i], &data[i]);
    TRY(write_scalars(folder, "replica-new.bin", data, n, err));
    return write_p_aux(folder, "p_aux-new.bin", source->comm_c,
                       vanilla->partitions->challenges->replica_new.root, err);
}

/* New data in a sector that is sealed for real. */
static enum cuzk_status update_sector(struct vanilla_update *ret, const struct update_shape *shape,
                                      const struct sample_input *in,
                                      const struct sample_sector *sector, struct scalar *data,
                                      struct budget *budget, struct cuzk_error *err)
{
    const struct sample_update_source source = {.comm_c = sample_tree_root(&sector->tree_c),
                                                .old = sample_sector_replica(sector),
                                                .data = data};
    const char *files = in->options->sector_files;
    size_t n = sector->n_nodes;
    struct rng rng = sector->facts.rng;
    enum cuzk_status st;

    for (size_t i = 0; i < n; i++)
        data[i] = in->new_data ? in->new_data[i] : sample_scalar(&rng);
    TRY(sample_update_of(ret, shape, &source, budget, err));
    if (!files)
        return CUZK_OK;
    TRY_GOTO(st, fail, write_sector_files(sector, files, err));
    TRY_GOTO(st, fail, write_update_files(ret, &source, data, n, files, err));
    return CUZK_OK;
fail:
    vanilla_update_done(ret);
    return st;
}

static enum cuzk_status make_dense_update(struct vanilla_update *ret,
                                          const struct update_shape *shape,
                                          const struct sample_input *in, struct budget *budget,
                                          struct cuzk_error *err)
{
    struct sample_sector sector = {0};
    struct region data;
    enum cuzk_status st;

    TRY(region_map(&data, budget, MEM_SCRATCH, in->options->name.size->bytes, err));
    TRY_GOTO(st, out, sample_sector_new(&sector, &in->sealing, &in->facts, budget, err));
    st = update_sector(ret, shape, in, &sector, (struct scalar *)(void *)data.base, budget, err);
out:
    sample_sector_done(&sector);
    region_unmap(&data);
    return st;
}

static enum cuzk_status make_update(struct vanilla_update *ret, const struct update_shape *shape,
                                    const struct sample_input *in, struct budget *budget,
                                    struct cuzk_error *err)
{
    struct rng rng = in->facts.rng;

    return in->options->dense ? make_dense_update(ret, shape, in, budget, err)
                              : sample_update(ret, shape, &rng, budget, err);
}

static enum cuzk_status write_update(struct engine *engine, const struct sample_input *in,
                                     const char *folder, struct report *report,
                                     struct cuzk_error *err)
{
    struct vanilla_update vanilla;
    struct update_shape shape;
    enum cuzk_status st;

    if (!update_shape_of(&shape, &in->options->name.size->porep.tree))
        return error_set(err, CUZK_USAGE, "there are no updates of %s sectors",
                         in->options->name.size->name);
    engine_stage(engine, "make sample");
    TRY(make_update(&vanilla, &shape, in, &engine->budget, err));
    engine_stage(engine, "write vanilla proofs");
    st = write_vanilla(folder, &vanilla, update_partitions(&shape), write_update_proof,
                       engine->cancel, err);
    if (st == CUZK_OK)
        report_update(report, in->options, &vanilla, folder);
    vanilla_update_done(&vanilla);
    return st;
}

/* ---- the job --------------------------------------------------------------------------------- */

enum cuzk_status sample_write(struct engine *engine, const struct sample_options *options,
                              const char *path, struct report *report, struct cuzk_error *err)
{
    static enum cuzk_status (*const write[])(struct engine *, const struct sample_input *,
                                             const char *, struct report *, struct cuzk_error *) = {
        [CIRCUIT_POREP] = write_porep,
        [CIRCUIT_WINNING] = write_post,
        [CIRCUIT_WINDOW] = write_post,
        [CIRCUIT_UPDATE] = write_update,
    };
    struct sample_input in;
    enum cuzk_status st;

    TRY(sample_input_open(&in, options, &engine->budget, err));
    st = write[options->name.kind](engine, &in, path, report, err);
    engine_stage_end(engine);
    sample_input_close(&in);
    return st;
}
