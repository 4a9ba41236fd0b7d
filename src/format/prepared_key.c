#include "format/prepared_key.h"

#include "base/hash.h"
#include "base/hex.h"
#include "format/bellperson.h"
#include "msm/group_kernels.h"

#define VERSION 1u
#define TABLE_AT 256u
#define ENTRY_BYTES 80u
#define NAME_BYTES 16u
#define TABLE_END (TABLE_AT + PREPARED_N_SECTIONS * ENTRY_BYTES)
#define SUM_AT (PREPARED_PAGE - PREPARED_DIGEST_BYTES)

bool prepared_key_recognise(const void *data, size_t bytes)
{
    return bytes >= strlen(PREPARED_MAGIC) &&
           memcmp(data, PREPARED_MAGIC, strlen(PREPARED_MAGIC)) == 0;
}

const char *prepared_section_name(unsigned section)
{
    return section == PREPARED_VK ? "vk"
                                  : key_query_name((enum key_query)(section - PREPARED_QUERIES));
}

static uint64_t section_element_bytes(const struct curve *curve, unsigned section)
{
    if (section == PREPARED_VK)
        return 1;
    return key_query_group((enum key_query)(section - PREPARED_QUERIES)) == ELEMENT_G2
               ? curve->g2_bytes
               : curve->g1_bytes;
}

static uint64_t page_up(uint64_t bytes)
{
    return (bytes + PREPARED_PAGE - 1) / PREPARED_PAGE * PREPARED_PAGE;
}

void prepared_lay_out(struct prepared_header *header)
{
    uint64_t at = PREPARED_PAGE;

    for (unsigned i = 0; i < PREPARED_N_SECTIONS; i++) {
        struct prepared_section *section = &header->section[i];

        section->element_bytes = section_element_bytes(header->curve, i);
        section->bytes = section->n * section->element_bytes;
        section->offset = page_up(at);
        at = section->offset + section->bytes;
    }
    header->file_bytes = at;
}

/* ---- the header, written --------------------------------------------------------------------- */

static void put_text(uint8_t *out, const char *text)
{
    memcpy(out, text, strlen(text));
}

static void put_section(uint8_t *out, const struct prepared_section *section, const char *name)
{
    put_text(out, name);
    store_u64_le(out + 16, section->element_bytes);
    store_u64_le(out + 24, section->n);
    store_u64_le(out + 32, section->offset);
    store_u64_le(out + 40, section->bytes);
    memcpy(out + 48, section->checksum, PREPARED_DIGEST_BYTES);
}

void prepared_header_encode(uint8_t page[PREPARED_PAGE], const struct prepared_header *header)
{
    memset(page, 0, PREPARED_PAGE);
    put_text(page, PREPARED_MAGIC);
    store_u32_le(page + 8, VERSION);
    store_u32_le(page + 12, PREPARED_N_SECTIONS);
    store_u64_le(page + 16, header->file_bytes);
    put_text(page + 24, header->curve->name);
    store_u64_le(page + 40, header->domain_generator);
    store_u32_le(page + 48, header->lg_domain);
    store_u32_le(page + 52, (uint32_t)header->h_basis);
    store_u64_le(page + 56, header->n_inputs);
    store_u64_le(page + 64, header->n_aux);
    put_text(page + 72, header->circuit.name);
    store_u64_le(page + 128, header->circuit.structural);
    memcpy(page + 136, header->circuit.coefficient, 32);
    memcpy(page + 168, header->circuit.densities, 32);
    memcpy(page + 200, header->source, PREPARED_SOURCE_BYTES);
    for (unsigned i = 0; i < PREPARED_N_SECTIONS; i++)
        put_section(page + TABLE_AT + i * ENTRY_BYTES, &header->section[i],
                    prepared_section_name(i));
    sha256(page + SUM_AT, page, SUM_AT);
}

/* ---- the header, read ------------------------------------------------------------------------ */

static enum cuzk_status error_at(struct reader *r, size_t at, const char *sentence,
                                 struct cuzk_error *err)
{
    r->at = at;
    return reader_error(r, err, "%s", sentence);
}

static enum cuzk_status differs(struct reader *r, size_t at, const char *what, uint64_t expected,
                                uint64_t found, struct cuzk_error *err)
{
    r->at = at;
    return reader_error(r, err, "%s: expected %llu, found %llu", what, (unsigned long long)expected,
                        (unsigned long long)found);
}

/* Is this text ended and padded with zeros, in `room` bytes? */
static bool is_padded(const uint8_t *text, size_t room)
{
    size_t n = 0;

    while (n < room && text[n])
        n++;
    if (n == room)
        return false;
    for (size_t i = n; i < room; i++)
        if (text[i])
            return false;
    return true;
}

static enum cuzk_status expect_zero(struct reader *r, size_t begin, size_t end,
                                    struct cuzk_error *err)
{
    for (size_t i = begin; i < end; i++)
        if (r->data[i])
            return differs(r, i, "padding", 0, r->data[i], err);
    return CUZK_OK;
}

/* Is it a page that we wrote, of this version, and unchanged since? */
static enum cuzk_status check_page(struct reader *r, struct cuzk_error *err)
{
    uint8_t sum[PREPARED_DIGEST_BYTES];
    uint32_t version;

    if (!prepared_key_recognise(r->data, r->bytes))
        return error_at(r, 0, "expected a prepared key (\"" PREPARED_MAGIC "\")", err);
    if (r->bytes < PREPARED_PAGE)
        return differs(r, 0, "bytes of the file, at least", PREPARED_PAGE, r->bytes, err);
    version = load_u32_le(r->data + 8);
    if (version != VERSION)
        return differs(r, 8, "version", VERSION, version, err);
    sha256(sum, r->data, SUM_AT);
    if (memcmp(sum, r->data + SUM_AT, sizeof sum) != 0)
        return error_at(r, SUM_AT,
                        "SHA-256 of the header: expected another than this, so the header "
                        "was changed after it was written",
                        err);
    return CUZK_OK;
}

static enum cuzk_status read_fields(struct prepared_header *h, struct reader *r,
                                    const struct curve *curve, struct cuzk_error *err)
{
    const uint8_t *page = r->data;
    struct scalar root;
    uint32_t basis = load_u32_le(page + 52);

    h->curve = curve;
    h->file_bytes = load_u64_le(page + 16);
    if (h->file_bytes != r->bytes)
        return differs(r, 16, "bytes of the file", h->file_bytes, r->bytes, err);
    if (!is_padded(page + 24, NAME_BYTES) || strcmp((const char *)page + 24, curve->name) != 0) {
        r->at = 24;
        return reader_error(r, err, "curve: expected %s, found %.16s", curve->name,
                            (const char *)page + 24);
    }
    h->domain_generator = load_u64_le(page + 40);
    h->lg_domain = load_u32_le(page + 48);
    if (h->lg_domain > curve->two_adicity ||
        !curve->fr_root(&root, h->domain_generator, h->lg_domain))
        return error_at(r, 40, "the curve has no domain of this generator and size", err);
    if (basis > H_COSET_FOLDED)
        return differs(r, 52, "basis of h, at most", H_COSET_FOLDED, basis, err);
    h->h_basis = (enum h_basis)basis;
    h->n_inputs = load_u64_le(page + 56);
    h->n_aux = load_u64_le(page + 64);
    if (!is_padded(page + 72, KEY_CIRCUIT_NAME_MAX))
        return error_at(r, 72, "circuit: expected a text ended by zeros", err);
    memcpy(h->circuit.name, page + 72, KEY_CIRCUIT_NAME_MAX);
    h->circuit.known = true;
    h->circuit.structural = load_u64_le(page + 128);
    memcpy(h->circuit.coefficient, page + 136, 32);
    memcpy(h->circuit.densities, page + 168, 32);
    memcpy(h->source, page + 200, PREPARED_SOURCE_BYTES);
    return expect_zero(r, 216, TABLE_AT, err);
}

/* What the numbers of elements must be, whatever the circuit. */
static enum cuzk_status check_lengths(const struct prepared_header *h, struct reader *r,
                                      struct cuzk_error *err)
{
    const struct prepared_section *query = h->section + PREPARED_QUERIES;
    const uint64_t n_domain = UINT64_C(1) << h->lg_domain, n_all = h->n_inputs + h->n_aux;
    const struct {
        uint64_t min, max;
    } range[KEY_N_QUERIES] = {
        [QUERY_H] = {n_domain - (h->h_basis == H_POWERS), n_domain - (h->h_basis == H_POWERS)},
        [QUERY_L] = {h->n_aux, h->h_basis == H_COSET_FOLDED ? n_all : h->n_aux},
        [QUERY_A] = {h->n_inputs, n_all},
        [QUERY_B_G1] = {0, n_all},
        [QUERY_B_G2] = {query[QUERY_B_G1].n, query[QUERY_B_G1].n},
    };

    /* before they are added or multiplied */
    if (h->n_inputs == 0 || h->n_inputs > UINT32_MAX || h->n_aux > UINT32_MAX)
        return error_at(r, 56, "expected 1 to 2^32 - 1 inputs and at most as many aux", err);
    for (unsigned q = 0; q < KEY_N_QUERIES; q++) {
        size_t at = TABLE_AT + (PREPARED_QUERIES + q) * ENTRY_BYTES + 24;

        if (query[q].n < range[q].min)
            return differs(r, at, "elements, at least", range[q].min, query[q].n, err);
        if (query[q].n > range[q].max)
            return differs(r, at, "elements, at most", range[q].max, query[q].n, err);
    }
    if (h->section[PREPARED_VK].n > r->bytes)
        return differs(r, TABLE_AT + 24, "elements, at most", r->bytes, h->section[PREPARED_VK].n,
                       err);
    return CUZK_OK;
}

/* The only table that there can be for these numbers. */
static enum cuzk_status check_table(struct prepared_header *h, struct reader *r,
                                    struct cuzk_error *err)
{
    struct prepared_header expected = *h;

    prepared_lay_out(&expected);
    for (unsigned i = 0; i < PREPARED_N_SECTIONS; i++) {
        const struct prepared_section *e = &expected.section[i], *found = &h->section[i];
        size_t at = TABLE_AT + i * ENTRY_BYTES;

        if (!is_padded(r->data + at, NAME_BYTES) ||
            strcmp((const char *)r->data + at, prepared_section_name(i)) != 0) {
            r->at = at;
            return reader_error(r, err, "section: expected %s, found %.16s",
                                prepared_section_name(i), (const char *)r->data + at);
        }
        if (found->element_bytes != e->element_bytes)
            return differs(r, at + 16, "bytes of an element", e->element_bytes,
                           found->element_bytes, err);
        if (found->offset != e->offset)
            return differs(r, at + 32, "offset", e->offset, found->offset, err);
        if (found->bytes != e->bytes)
            return differs(r, at + 40, "bytes", e->bytes, found->bytes, err);
    }
    if (expected.file_bytes != h->file_bytes)
        return differs(r, 16, "bytes of the file", expected.file_bytes, h->file_bytes, err);
    return expect_zero(r, TABLE_END, SUM_AT, err);
}

static enum cuzk_status read_table(struct prepared_header *h, struct reader *r,
                                   struct cuzk_error *err)
{
    uint32_t n = load_u32_le(r->data + 12);

    if (n != PREPARED_N_SECTIONS)
        return differs(r, 12, "sections", PREPARED_N_SECTIONS, n, err);
    for (unsigned i = 0; i < PREPARED_N_SECTIONS; i++) {
        const uint8_t *entry = r->data + TABLE_AT + i * ENTRY_BYTES;
        struct prepared_section *section = &h->section[i];

        section->element_bytes = load_u64_le(entry + 16);
        section->n = load_u64_le(entry + 24);
        section->offset = load_u64_le(entry + 32);
        section->bytes = load_u64_le(entry + 40);
        memcpy(section->checksum, entry + 48, PREPARED_DIGEST_BYTES);
    }
    TRY(check_lengths(h, r, err));
    return check_table(h, r, err);
}

enum cuzk_status prepared_header_read(struct prepared_header *ret, struct reader *r,
                                      const struct curve *curve, struct cuzk_error *err)
{
    struct prepared_header header = {0};

    r->section = "header";
    TRY(check_page(r, err));
    TRY(read_fields(&header, r, curve, err));
    TRY(read_table(&header, r, err));
    *ret = header;
    return CUZK_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static enum cuzk_status check_gaps(const struct prepared_header *h, struct reader *r,
                                   struct cuzk_error *err)
{
    for (unsigned i = 0; i + 1 < PREPARED_N_SECTIONS; i++) {
        r->section = prepared_section_name(i);
        TRY(expect_zero(r, h->section[i].offset + h->section[i].bytes, h->section[i + 1].offset,
                        err));
    }
    return CUZK_OK;
}

static enum cuzk_status read_vk(struct verifying_key *ret, const struct prepared_header *h,
                                const struct reader *r, struct pool *pool, struct budget *budget,
                                struct cuzk_error *err)
{
    const struct prepared_section *section = &h->section[PREPARED_VK];
    /* ends with the section, and its offsets are those of the file */
    struct reader vk = {.data = r->data,
                        .bytes = section->offset + section->bytes,
                        .at = section->offset,
                        .name = r->name};
    uint8_t sum[PREPARED_DIGEST_BYTES];
    struct section_sum vk_sum;
    enum cuzk_status st;

    TRY(section_sum_new(&vk_sum, err));
    section_sum_add(&vk_sum, r->data + section->offset, section->bytes, pool);
    section_sum_final(&vk_sum, sum);
    section_sum_free(&vk_sum);
    TRY(prepared_compare(h, PREPARED_VK, sum, r->name, err));
    TRY(vk_read(ret, &vk, h->curve, pool, budget, err));
    st = read_end(&vk, err);
    if (st == CUZK_OK && ret->n_inputs != h->n_inputs)
        st = differs(&vk, vk.at, "inputs, as in the header", h->n_inputs, ret->n_inputs, err);
    if (st != CUZK_OK)
        verifying_key_done(ret);
    return st;
}

enum cuzk_status prepared_key_read(struct proving_key *ret, struct prepared_header *header,
                                   struct reader *r, const struct curve *curve, struct pool *pool,
                                   struct budget *budget, struct cuzk_error *err)
{
    struct prepared_header h;
    struct proving_key key = {0};

    TRY(prepared_header_read(&h, r, curve, err));
    TRY(check_gaps(&h, r, err));
    TRY(read_vk(&key.vk, &h, r, pool, budget, err));
    key.h_basis = h.h_basis;
    key.domain_generator = h.domain_generator;
    key.circuit = h.circuit;
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        const struct prepared_section *section = &h.section[PREPARED_QUERIES + q];

        key.query[q] = (struct points_view){POINTS_NATIVE, r->data + section->offset, section->n};
    }
    *ret = key;
    if (header)
        *header = h;
    return CUZK_OK;
}

enum cuzk_status prepared_key_open(struct proving_key *ret, struct prepared_header *header,
                                   const char *path, const struct curve *curve, struct pool *pool,
                                   struct budget *budget, struct cuzk_error *err)
{
    enum cuzk_status st;
    struct file_map map;
    struct reader r;

    TRY(file_map_fetched(&map, path, err));
    r = reader_over(map.data, map.bytes, path);
    st = prepared_key_read(ret, header, &r, curve, pool, budget, err);
    if (st == CUZK_OK)
        ret->map = map;
    else
        file_unmap(&map);
    return st;
}

/* ---- checksums ------------------------------------------------------------------------------- */

enum cuzk_status section_sum_new(struct section_sum *sum, struct cuzk_error *err)
{
    *sum = (struct section_sum){.whole = hash_new(HASH_SHA256),
                                .digests = mem_new(SECTION_SUM_CHUNKS * PREPARED_DIGEST_BYTES),
                                .rest = mem_new(PREPARED_CHUNK)};
    if (sum->whole && sum->digests && sum->rest)
        return CUZK_OK;
    section_sum_free(sum);
    return error_set(err, CUZK_NO_MEMORY, "no memory for a checksum");
}

struct chunks {
    const uint8_t *data;
    size_t bytes;
    uint8_t (*digests)[PREPARED_DIGEST_BYTES];
};

static void hash_chunk(void *ctx, size_t i, unsigned worker)
{
    const struct chunks *chunks = ctx;
    size_t begin = i * PREPARED_CHUNK, left = chunks->bytes - begin;

    (void)worker;
    sha256(chunks->digests[i], chunks->data + begin, left < PREPARED_CHUNK ? left : PREPARED_CHUNK);
}

/* At most SECTION_SUM_CHUNKS chunks, all but the section's last whole. */
static void add_chunks(struct section_sum *sum, const uint8_t *data, size_t bytes,
                       struct pool *pool)
{
    struct chunks chunks = {data, bytes, sum->digests};
    const size_t n = (bytes + PREPARED_CHUNK - 1) / PREPARED_CHUNK;

    pool_run(pool, n, hash_chunk, &chunks);
    hash_update(sum->whole, sum->digests, n * PREPARED_DIGEST_BYTES);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many of the bytes went to the chunk that is not whole. */
static size_t fill_rest(struct section_sum *sum, const uint8_t *data, size_t bytes)
{
    const size_t n = smaller(bytes, PREPARED_CHUNK - sum->n_rest);

    memcpy(sum->rest + sum->n_rest, data, n);
    sum->n_rest += n;
    if (sum->n_rest == PREPARED_CHUNK) {
        add_chunks(sum, sum->rest, PREPARED_CHUNK, NULL);
        sum->n_rest = 0;
    }
    return n;
}

void section_sum_add(struct section_sum *sum, const void *data, size_t bytes, struct pool *pool)
{
    const uint8_t *at = data;

    while (bytes > 0) {
        size_t n = smaller(bytes / PREPARED_CHUNK, SECTION_SUM_CHUNKS) * PREPARED_CHUNK;

        if (sum->n_rest || n == 0)
            n = fill_rest(sum, at, bytes);
        else
            add_chunks(sum, at, n, pool);
        at += n;
        bytes -= n;
    }
}

void section_sum_final(struct section_sum *sum, uint8_t out[PREPARED_DIGEST_BYTES])
{
    if (sum->n_rest)
        add_chunks(sum, sum->rest, sum->n_rest, NULL);
    sum->n_rest = 0;
    hash_final(sum->whole, out);
}

void section_sum_free(struct section_sum *sum)
{
    hash_free(sum->whole);
    mem_free(sum->digests);
    mem_free(sum->rest);
    *sum = (struct section_sum){0};
}

enum cuzk_status prepared_compare(const struct prepared_header *header, unsigned section,
                                  const uint8_t found[PREPARED_DIGEST_BYTES], const char *path,
                                  struct cuzk_error *err)
{
    char expected_hex[2 * PREPARED_DIGEST_BYTES + 1], found_hex[2 * PREPARED_DIGEST_BYTES + 1];

    if (memcmp(header->section[section].checksum, found, PREPARED_DIGEST_BYTES) == 0)
        return CUZK_OK;
    hex_encode(expected_hex, header->section[section].checksum, PREPARED_DIGEST_BYTES);
    hex_encode(found_hex, found, PREPARED_DIGEST_BYTES);
    return error_set(err, CUZK_BAD_INPUT, "%s: %s: offset %llu: checksum: expected %s, found %s",
                     path, prepared_section_name(section),
                     (unsigned long long)header->section[section].offset, expected_hex, found_hex);
}
