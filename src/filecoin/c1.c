#include "filecoin/c1.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "filecoin/c1_bincode.h"
#include "filecoin/c1_json.h"
#include "filecoin/c1_wrapper.h"
#include "format/json_sax.h"

enum { HEAD_BYTES = 256 };

enum c1_form { FORM_JSON, FORM_WRAPPER, FORM_BINCODE };

/* bincode begins with the number of partitions as a u64: seven zeros that no JSON has. */
static enum c1_form recognise(const uint8_t *head, size_t n)
{
    static const uint8_t zeros[7] = {0};

    if (n >= 8 && memcmp(head + 1, zeros, 7) == 0)
        return FORM_BINCODE;
    return c1_wrapper_is(head, n) ? FORM_WRAPPER : FORM_JSON;
}

/* ---- what it is a proof of ------------------------------------------------------------------- */

/* A seal proof is known; the other hints must agree with it. */
static enum cuzk_status config_of_proof(struct c1 *c, const struct seal_proof *proof,
                                        const struct c1_hints *hints, struct cuzk_error *err)
{
    const char *version = api_version_name(proof->version);

    porep_config_of(&c->config, proof);
    c->name = (struct circuit_name){CIRCUIT_POREP, proof->size};
    if (hints->registered_proof >= 0 && (unsigned)hints->registered_proof != proof->number)
        return error_set(err, CUZK_BAD_INPUT, "registered_proof: expected number %d, found %u (%s)",
                         hints->registered_proof, proof->number, proof->name);
    if (hints->sector_size && hints->sector_size != proof->size->bytes)
        return error_set(err, CUZK_BAD_INPUT,
                         "sector size: expected %" PRIu64 ", found %" PRIu64 " (%s)",
                         hints->sector_size, proof->size->bytes, proof->name);
    if (hints->api_version && strcmp(hints->api_version, version) != 0)
        return error_set(err, CUZK_BAD_INPUT, "API version: expected %s, found %s (%s)",
                         hints->api_version, version, proof->name);
    if (hints->has_porep_id && memcmp(hints->porep_id, c->config.porep_id, 32) != 0)
        return error_set(err, CUZK_BAD_INPUT, "porep_id: not that of %s", proof->name);
    return CUZK_OK;
}

enum cuzk_status c1_hints_size(const struct sector_size **ret, const struct c1_hints *hints,
                               struct cuzk_error *err)
{
    *ret = sector_size_of_bytes(hints->sector_size);
    if (!*ret)
        return error_set(err, CUZK_USAGE, "no sectors of %" PRIu64 " bytes", hints->sector_size);
    return CUZK_OK;
}

/* The file says nothing, nor is a registered proof given: some sizes have none. */
static enum cuzk_status config_of_size(struct c1 *c, const struct c1_hints *hints,
                                       struct cuzk_error *err)
{
    const struct sector_size *size;

    if (!hints->sector_size || !hints->api_version || !hints->has_porep_id)
        return error_set(err, CUZK_USAGE,
                         "a native C1 does not say what it is a proof of: --registered-proof is "
                         "needed, or --sector-size, --api-version and --porep-id");
    TRY(c1_hints_size(&size, hints, err));
    c->name = (struct circuit_name){CIRCUIT_POREP, size};
    c->config = (struct porep_config){
        .shape = size->porep,
        .partitions = size->porep_partitions,
        .challenges = CHALLENGES_INTERACTIVE,
    };
    memcpy(c->config.porep_id, hints->porep_id, 32);
    return api_version_of_name(&c->config.version, hints->api_version, err);
}

/* proof: what the file says; NULL in the native forms. */
static enum cuzk_status configure(struct c1 *c, const struct seal_proof *proof,
                                  const struct c1_hints *hints, struct cuzk_error *err)
{
    if (!proof && hints->registered_proof >= 0) {
        proof = seal_proof_of_number((uint64_t)hints->registered_proof);
        if (!proof)
            return error_set(err, CUZK_USAGE, "no registered proof %d: there are 0 to %u",
                             hints->registered_proof, N_SEAL_PROOFS - 1);
    }
    return proof ? config_of_proof(c, proof, hints, err) : config_of_size(c, hints, err);
}

/* ---- the forms in JSON ----------------------------------------------------------------------- */

/* Where the bytes come from, so that they can be read twice: first up to the name of the proof,
 * which tells how much room the rest needs. */
struct origin {
    const char *name;
    const uint8_t *data; /* NULL: the file */
    size_t bytes;
    FILE *file;
    const struct file_part *part; /* of the file */
    struct memory_source memory;
    struct file_source stream;
};

static enum cuzk_status origin_rewind(struct origin *o, struct byte_source **ret,
                                      struct cuzk_error *err)
{
    if (o->file) {
        if (fseeko(o->file, (off_t)o->part->offset, SEEK_SET) != 0)
            return error_set(err, CUZK_IO, "%s", strerror(errno));
        o->stream = file_source_over(o->file, o->name, o->part->bytes);
        *ret = &o->stream.base;
    } else {
        o->memory = memory_source_over(o->data, o->bytes);
        *ret = &o->memory.base;
    }
    return CUZK_OK;
}

struct json_task {
    struct c1 *c;
    const struct seal_proof *proof;
    void *room;
    struct budget *budget;
};

static enum cuzk_status find_proof(void *ctx, struct byte_source *source, struct cuzk_error *err)
{
    struct json_task *task = ctx;

    return c1_json_find_proof(source, task->room, &task->proof, err);
}

static enum cuzk_status read_proofs(void *ctx, struct byte_source *source, struct cuzk_error *err)
{
    struct json_task *task = ctx;
    const struct porep_config *config = &task->c->config;

    return c1_json_read(&task->c->vanilla, source, &config->shape, config->partitions, task->proof,
                        task->room, task->budget, err);
}

static enum cuzk_status check_wrapper(struct c1 *c, const struct c1_wrapper *wrapper,
                                      struct cuzk_error *err)
{
    c->has_sector_num = true;
    c->sector_num = wrapper->sector_num;
    if (wrapper->sector_size != c->name.size->bytes)
        return error_set(err, CUZK_BAD_INPUT,
                         "SectorSize: expected %" PRIu64 " as in Phase1Out, found %" PRIu64,
                         c->name.size->bytes, wrapper->sector_size);
    return CUZK_OK;
}

static enum cuzk_status read_json(struct c1 *c, struct origin *o, bool wrapped,
                                  const struct c1_hints *hints, struct json_task *task,
                                  struct cuzk_error *err)
{
    struct c1_wrapper wrapper;
    struct byte_source *source;

    TRY(origin_rewind(o, &source, err));
    TRY(wrapped ? c1_wrapper_read(source, NULL, find_proof, task, err)
                : find_proof(task, source, err));
    TRY(configure(c, task->proof, hints, err));
    TRY(origin_rewind(o, &source, err));
    if (!wrapped)
        return read_proofs(task, source, err);
    TRY(c1_wrapper_read(source, &wrapper, read_proofs, task, err));
    return check_wrapper(c, &wrapper, err);
}

static enum cuzk_status read_json_in_room(struct c1 *c, struct origin *o, bool wrapped,
                                          const struct c1_hints *hints, struct budget *budget,
                                          struct cuzk_error *err)
{
    struct json_task task = {.c = c, .budget = budget};
    struct region room;
    enum cuzk_status st;

    TRY(region_map(&room, budget, MEM_REQUEST, SAX_ROOM_BYTES, err));
    task.room = room.base;
    st = read_json(c, o, wrapped, hints, &task, err);
    region_unmap(&room);
    return st;
}

/* ---- any form -------------------------------------------------------------------------------- */

static enum cuzk_status read_bincode(struct c1 *c, struct origin *o, const struct c1_hints *hints,
                                     struct budget *budget, struct cuzk_error *err)
{
    struct file_map map = {0};
    struct reader r;
    enum cuzk_status st;

    TRY(configure(c, NULL, hints, err));
    if (o->file)
        TRY(file_map_part(&map, o->part, err));
    r = o->file ? reader_over(map.data, map.bytes, "bincode")
                : reader_over(o->data, o->bytes, "bincode");
    st = c1_bincode_read(&c->vanilla, &r, &c->config.shape, c->config.partitions, budget, err);
    file_unmap(&map);
    return st;
}

static enum cuzk_status read_origin(struct c1 *ret, struct origin *o, const struct c1_hints *hints,
                                    struct budget *budget, struct cuzk_error *err)
{
    uint8_t head[HEAD_BYTES];
    struct byte_source *source;
    struct c1 c = {0};
    enum cuzk_status st;
    enum c1_form form;
    size_t n;

    TRY_GOTO(st, out, origin_rewind(o, &source, err));
    TRY_GOTO(st, out, source->read(source, head, sizeof head, &n, err));
    form = recognise(head, n);
    TRY_GOTO(st, out,
             form == FORM_BINCODE
                 ? read_bincode(&c, o, hints, budget, err)
                 : read_json_in_room(&c, o, form == FORM_WRAPPER, hints, budget, err));
    TRY_GOTO(st, out, seal_check(&c.vanilla.seal, err));
    *ret = c;
    return CUZK_OK;
out:
    c1_done(&c);
    return error_prefix(err, st, "%s", o->name);
}

enum cuzk_status c1_read_part(struct c1 *ret, const struct file_part *part,
                              const struct c1_hints *hints, struct budget *budget,
                              struct cuzk_error *err)
{
    struct origin o = {
        .name = file_part_name(part), .file = fopen(part->path, "rbe"), .part = part};
    enum cuzk_status st;

    if (!o.file)
        return error_set(err, CUZK_IO, "%s: %s", o.name, strerror(errno));
    st = read_origin(ret, &o, hints, budget, err);
    fclose(o.file);
    return st;
}

enum cuzk_status c1_read_file(struct c1 *ret, const char *path, const struct c1_hints *hints,
                              struct budget *budget, struct cuzk_error *err)
{
    const struct file_part whole = file_whole(path);

    return c1_read_part(ret, &whole, hints, budget, err);
}

enum cuzk_status c1_read(struct c1 *ret, const void *bytes, size_t n, const char *name,
                         const struct c1_hints *hints, struct budget *budget,
                         struct cuzk_error *err)
{
    struct origin o = {.name = name, .data = bytes, .bytes = n};

    return read_origin(ret, &o, hints, budget, err);
}

void c1_done(struct c1 *c1)
{
    vanilla_porep_done(&c1->vanilla);
    *c1 = (struct c1){0};
}
