#include "engine/request.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"

static const struct {
    const char *word, *read, *check;
    const struct request_kind *kind;
} kinds[] = {
    [CIRCUIT_POREP] = {"porep", "read C1", "check C1", &request_porep},
    [CIRCUIT_WINNING] = {"winning", "read proofs", "check proofs", &request_post},
    [CIRCUIT_WINDOW] = {"window", "read proofs", "check proofs", &request_post},
    [CIRCUIT_UPDATE] = {"update", "read proofs", "check proofs", &request_update},
};

const char *request_kind_word(enum circuit_kind kind)
{
    return kinds[kind].word;
}

size_t request_bytes(struct circuit_name name)
{
    return kinds[name.kind].kind->bytes(name);
}

/* The registered proof and the size that is given must agree. */
static enum cuzk_status check_size(const struct request *r, const struct c1_hints *hints,
                                   struct cuzk_error *err)
{
    if (hints->sector_size && hints->sector_size != r->name.size->bytes)
        return error_set(err, CUZK_BAD_INPUT,
                         "sector size: expected %" PRIu64 ", found %" PRIu64
                         " (registered proof %d)",
                         hints->sector_size, r->name.size->bytes, hints->registered_proof);
    return CUZK_OK;
}

static enum cuzk_status choose_partitions(struct request *r, int partition, struct cuzk_error *err)
{
    r->first = 0;
    r->end = r->partitions;
    if (partition == ALL_PARTITIONS)
        return CUZK_OK;
    if ((unsigned)partition >= r->partitions)
        return error_set(err, CUZK_USAGE, "%s%sno partition %d: there are %u",
                         r->label ? r->label : "", r->label ? ": " : "", partition, r->partitions);
    r->first = (unsigned)partition;
    r->end = r->first + 1;
    return CUZK_OK;
}

enum cuzk_status request_read(struct request *ret, const struct request_input *input,
                              struct engine *engine, struct cuzk_error *err)
{
    struct request r = {.kind = kinds[input->kind].kind};
    enum cuzk_status st;

    engine_stage(engine, "%s", kinds[input->kind].read);
    TRY_GOTO(st, fail, r.kind->read(&r, input, engine, err));
    TRY_GOTO(st, fail, check_size(&r, &input->hints, err));
    TRY_GOTO(st, fail, choose_partitions(&r, input->partition, err));
    *ret = r;
    return CUZK_OK;
fail:
    r.kind->done(&r);
    return st;
}

enum cuzk_status request_read_vanilla(const struct request_input *input, size_t first,
                                      vanilla_read_fn *read, void *vanilla, struct cuzk_error *err)
{
    for (size_t i = 0; i < input->n_vanilla; i++) {
        struct file_map map;
        struct reader r;
        enum cuzk_status st;

        TRY(file_map_part(&map, &input->vanilla[i], err));
        r = reader_over(map.data, map.bytes, map.path);
        st = read(vanilla, first + i, &r, err);
        file_unmap(&map);
        TRY(st);
    }
    return CUZK_OK;
}

void request_done(struct request *r)
{
    if (r->kind)
        r->kind->done(r);
    memset(r, 0, sizeof *r);
}

static enum cuzk_status check(const struct request *r, struct engine *engine, bool deep,
                              struct cuzk_error *err)
{
    enum cuzk_status st;

    engine_stage(engine, "%s", kinds[r->name.kind].check);
    st = (deep ? r->kind->check_deep : r->kind->check)(r, engine, err);
    if (st != CUZK_OK && r->label)
        error_prefix(err, st, "%s", r->label);
    return st;
}

enum cuzk_status request_check(const struct request *r, struct engine *engine,
                               struct cuzk_error *err)
{
    return check(r, engine, false, err);
}

enum cuzk_status request_check_deep(const struct request *r, struct engine *engine,
                                    struct cuzk_error *err)
{
    return check(r, engine, true, err);
}
