/* Vanilla proofs of PoSt and of updates, in bincode, as sectors of 2, 4, 16 and 32 KiB (the four
 * forms of Merkle proofs); what is read goes through all checks. */
#include "circuit/poseidon.h"
#include "filecoin/vanilla_post.h"
#include "filecoin/vanilla_update.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Any answer but a fault of our own. */
static void expect_an_answer(enum cuzk_status st)
{
    if (st == CUZK_INTERNAL)
        __builtin_trap();
}

static void read_post(enum post_kind kind, const struct sector_size *size, const uint8_t *data,
                      size_t n)
{
    const struct post_config config = post_config_make(kind, size, API_1_2_0);
    const uint8_t randomness[32] = {0};
    struct reader r = reader_over(data, n, "proof");
    struct vanilla_post v;
    struct cuzk_error err;

    if (vanilla_post_new(&v, &config, randomness, 1, NULL, &err) != CUZK_OK)
        __builtin_trap();
    if (vanilla_post_read(&v, 0, &r, &err) == CUZK_OK) {
        if (r.at != n)
            __builtin_trap();
        expect_an_answer(post_check_deep(&v, NULL, &err));
    }
    vanilla_post_done(&v);
}

static struct scalar comm_r(const struct scalar *comm_c, const struct scalar *root)
{
    const struct scalar children[2] = {*comm_c, *root};
    struct scalar hash;

    poseidon_hash_plain(POSEIDON_2, &hash, children, 1);
    return hash;
}

/* Commitments are those that the proof leads to, so that the checks go deep. */
static void read_update(const struct sector_size *size, const uint8_t *data, size_t n)
{
    struct reader r = reader_over(data, n, "proof");
    struct update update = {0};
    struct vanilla_update v;
    struct cuzk_error err;

    if (!update_shape_of(&update.shape, &size->porep.tree) ||
        vanilla_update_new(&v, &update, NULL, &err) != CUZK_OK)
        __builtin_trap();
    if (vanilla_update_read(&v, 0, &r, &err) == CUZK_OK) {
        const struct update_challenge *first = v.partitions[0].challenges;

        if (r.at != n)
            __builtin_trap();
        v.update.comm_r_old = comm_r(&v.partitions[0].comm_c, &first->replica_old.root);
        v.update.comm_d_new = first->data_new.root;
        v.update.comm_r_new = comm_r(&v.partitions[0].comm_c, &first->replica_new.root);
        expect_an_answer(update_check_deep(&v, 0, &err));
    }
    vanilla_update_done(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    for (unsigned i = 0; i < 4; i++) {
        read_post(POST_WINNING, &sector_sizes[i], data, n);
        read_post(POST_WINDOW, &sector_sizes[i], data, n);
        read_update(&sector_sizes[i], data, n);
    }
    return 0;
}
