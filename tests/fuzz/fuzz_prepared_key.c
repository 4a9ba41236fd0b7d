/* The bytes as a prepared key: as they are, and with the SHA-256 of the header put right, so that
 * what is behind it is reached. What is read must be inside the bytes, and a header that was read
 * must be written back as it was. */
#include <stdlib.h>

#include "base/hash.h"
#include "format/prepared_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_views(const struct proving_key *key, const uint8_t *data, size_t n)
{
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        const uint8_t *begin = key->query[q].data;
        size_t bytes = key->query[q].n * (key_query_group(q) == ELEMENT_G2 ? 192 : 96);

        if (begin < data || begin + bytes > data + n)
            __builtin_trap();
    }
}

static void read_key(const uint8_t *data, size_t n)
{
    struct reader r = reader_over(data, n, "key"), again = r;
    struct prepared_header header;
    struct proving_key key;
    struct cuzk_error err;
    uint8_t page[PREPARED_PAGE];

    if (prepared_header_read(&header, &r, &curve_bls12_381, &err) == CUZK_OK) {
        prepared_header_encode(page, &header);
        if (memcmp(page, data, sizeof page) != 0)
            __builtin_trap();
    }
    if (prepared_key_read(&key, NULL, &again, &curve_bls12_381, NULL, NULL, &err) != CUZK_OK)
        return;
    check_views(&key, data, n);
    proving_key_done(&key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint8_t *copy;

    read_key(data, n);
    if (n < PREPARED_PAGE)
        return 0;
    copy = malloc(n);
    if (!copy)
        return 0;
    memcpy(copy, data, n);
    sha256(copy + PREPARED_PAGE - PREPARED_DIGEST_BYTES, copy,
           PREPARED_PAGE - PREPARED_DIGEST_BYTES);
    read_key(copy, n);
    free(copy);
    return 0;
}
