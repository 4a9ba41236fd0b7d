#include "filecoin/vanilla_post.h"

#include <string.h>

#include "filecoin/bincode.h"
#include "filecoin/serde.h"

/* The three pieces of the memory, one after another. */
struct layout {
    size_t sectors, proofs, paths, siblings; /* bytes */
};

/* Of a path of 32 GiB sectors: 1.9 KB. No product overflows: n_sectors is checked before. */
static struct layout layout_of(const struct post_config *config, size_t n)
{
    size_t paths = n * post_sector_challenges(config);

    return (struct layout){
        .sectors = n * sizeof(struct post_sector),
        .proofs = n * sizeof(struct vanilla_sector),
        .paths = paths * sizeof(struct merkle_path),
        .siblings = paths * tree_siblings(&config->shape.tree) * sizeof(struct scalar),
    };
}

size_t vanilla_post_bytes(const struct post_config *config, size_t n_sectors)
{
    const struct layout l = layout_of(config, n_sectors);

    return region_bytes(arena_piece(l.sectors) + arena_piece(l.proofs) + arena_piece(l.paths) +
                        arena_piece(l.siblings));
}

static enum cuzk_status check_count(const struct post_config *config, size_t n,
                                    struct cuzk_error *err)
{
    if (n == 0)
        return error_set(err, CUZK_BAD_INPUT, "no vanilla proofs: expected at least one sector");
    if (config->kind == POST_WINNING && n > 1)
        return error_set(err, CUZK_BAD_INPUT,
                         "%zu vanilla proofs: expected one, WinningPoSt proves a single sector", n);
    if (n > POST_SECTORS_MAX)
        return error_set(err, CUZK_BAD_INPUT, "%zu vanilla proofs: expected at most %u", n,
                         POST_SECTORS_MAX);
    return CUZK_OK;
}

static enum cuzk_status take_pieces(struct vanilla_post *v, struct cuzk_error *err)
{
    const struct post_config *config = &v->post.config;
    const struct layout l = layout_of(config, v->post.n_sectors);
    unsigned n_paths = post_sector_challenges(config);
    unsigned n_siblings = tree_siblings(&config->shape.tree);
    void *sectors, *proofs, *paths, *siblings;
    struct merkle_path *path;
    struct scalar *next;

    TRY(arena_take(&v->memory, l.sectors, &sectors, err));
    TRY(arena_take(&v->memory, l.proofs, &proofs, err));
    TRY(arena_take(&v->memory, l.paths, &paths, err));
    TRY(arena_take(&v->memory, l.siblings, &siblings, err));
    v->post.sectors = sectors;
    v->sectors = proofs;
    path = paths;
    next = siblings;
    for (size_t i = 0; i < v->post.n_sectors; i++) {
        v->sectors[i].paths = path;
        for (unsigned j = 0; j < n_paths; j++, path++, next += n_siblings)
            path->siblings = next;
    }
    return CUZK_OK;
}

enum cuzk_status vanilla_post_new(struct vanilla_post *ret, const struct post_config *config,
                                  const uint8_t randomness[32], size_t n_sectors,
                                  struct budget *budget, struct cuzk_error *err)
{
    struct vanilla_post v = {.post = {.config = *config, .n_sectors = n_sectors}};
    enum cuzk_status st;

    TRY(check_count(config, n_sectors, err));
    memcpy(v.post.randomness, randomness, 32);
    TRY(arena_init(&v.memory, budget, MEM_REQUEST, vanilla_post_bytes(config, n_sectors), err));
    TRY_GOTO(st, fail, take_pieces(&v, err));
    *ret = v;
    return CUZK_OK;
fail:
    arena_done(&v.memory);
    return st;
}

void vanilla_post_done(struct vanilla_post *vanilla)
{
    arena_done(&vanilla->memory);
    memset(vanilla, 0, sizeof(*vanilla));
}

/* ---- reading --------------------------------------------------------------------------------- */

enum cuzk_status vanilla_post_read(struct vanilla_post *vanilla, size_t i, struct reader *r,
                                   struct cuzk_error *err)
{
    const struct post_config *config = &vanilla->post.config;
    struct post_sector *sector = &vanilla->post.sectors[i];
    struct vanilla_sector *proof = &vanilla->sectors[i];
    unsigned n = post_sector_challenges(config);

    r->section = "sector_id";
    TRY(read_u64_le(r, &sector->id, err));
    r->section = "comm_r";
    TRY(bincode_scalar(r, &sector->comm_r, err));
    r->section = "vanilla_proof";
    TRY(bincode_length(r, 1, "sectors", err));
    r->section = "inclusion_proofs";
    TRY(bincode_length(r, n, "inclusion_proofs", err));
    for (unsigned j = 0; j < n; j++)
        TRY(bincode_merkle(r, &proof->paths[j], &config->shape.tree, err));
    r->section = "comm_c";
    TRY(bincode_scalar(r, &proof->comm_c, err));
    r->section = "comm_r_last";
    TRY(bincode_scalar(r, &proof->comm_r_last, err));
    r->section = "end";
    return read_end(r, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

void vanilla_post_write(FILE *out, const struct vanilla_post *vanilla, size_t i)
{
    const struct post_config *config = &vanilla->post.config;
    const struct vanilla_sector *proof = &vanilla->sectors[i];
    unsigned n = post_sector_challenges(config);
    struct serde_writer w = {.out = out, .first = true};

    serde_number(&w, vanilla->post.sectors[i].id, 8);
    serde_scalar(&w, &vanilla->post.sectors[i].comm_r);
    serde_list(&w, 1);
    serde_list(&w, n);
    for (unsigned j = 0; j < n; j++)
        serde_merkle_proof(&w, &proof->paths[j], &config->shape.tree);
    serde_scalar(&w, &proof->comm_c);
    serde_scalar(&w, &proof->comm_r_last);
}
