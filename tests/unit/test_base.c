/* base/: memory and its accounting, files, readers, hashes, errors. */
#include "support/testing.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/file_fetch.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/reader.h"

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_error_is_one_printable_line(void **state)
{
    struct cuzk_error err;

    (void)state;
    assert_int_equal(error_set(&err, CUZK_BAD_INPUT, "name %s", "a\nb\x1b"), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "name a?b?");
    error_prefix(&err, CUZK_IO, "file %d", 7);
    assert_string_equal(err.message, "file 7: name a?b?");
    assert_int_equal(err.status, CUZK_IO);
    assert_int_equal(error_set(NULL, CUZK_IO, "nobody listens"), CUZK_IO);
}

static void test_error_longer_than_its_room_is_cut(void **state)
{
    struct cuzk_error err;
    char text[2000];

    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_int_equal(error_set(&err, CUZK_IO, "%s", text), CUZK_IO);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    error_prefix(&err, CUZK_IO, "%s", text);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

/* ---- sizes and durations --------------------------------------------------------------------- */

static void test_quantities_are_read_or_refused(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } sizes[] = {{"0", 0},
                 {"17", 17},
                 {"3KiB", 3072},
                 {"5GiB", 5ul << 30},
                 {"1TiB", 1ul << 40},
                 {"2MB", 2000000},
                 {"16777215TiB", 16777215ul << 40}},
      durations[] = {
          {"250ms", 250}, {"0s", 0}, {"30m", 1800000}, {"2h", 7200000}, {"7d", 604800000}};
    static const char *const bad[] = {
        "",     "GiB",   "-1",   "1.5GiB",      "1 GiB",
        "1gib", "1GiBx", "0x10", "16777216TiB", "99999999999999999999"};
    static const char *const not_durations[] = {"", "5", "5min", "-5s", "300000000000d"};
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_true(quantity_size(sizes[i].text, &value));
        assert_int_equal(value, sizes[i].value);
    }
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        assert_true(quantity_duration(durations[i].text, &value));
        assert_int_equal(value, durations[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(quantity_size(bad[i], &value));
    for (size_t i = 0; i < sizeof not_durations / sizeof not_durations[0]; i++)
        assert_false(quantity_duration(not_durations[i], &value));
}

static void test_quantity_texts_mean_the_same_number(void **state)
{
    static const uint64_t some[] = {0,         1,         999,     1000,      1024,
                                    5ul << 30, 1ul << 40, 3000000, UINT64_MAX};
    char text[QUANTITY_TEXT];
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        quantity_size_text(text, some[i]);
        assert_true(quantity_size(text, &value));
        assert_int_equal(value, some[i]);
        quantity_duration_text(text, some[i]);
        assert_true(quantity_duration(text, &value));
        assert_int_equal(value, some[i]);
    }
    quantity_size_text(text, 5ul << 30);
    assert_string_equal(text, "5GiB");
    quantity_duration_text(text, 604800000);
    assert_string_equal(text, "7d");
    quantity_size_rounded(text, 44777777777);
    assert_string_equal(text, "41.7 GiB");
    quantity_size_rounded(text, 1023);
    assert_string_equal(text, "1.00 KiB");
}

/* ---- memory ---------------------------------------------------------------------------------- */
/* ---- memory ---------------------------------------------------------------------------------- */

static void test_budget_counts_what_is_mapped_and_nothing_else(void **state)
{
    struct budget budget;
    struct region a, b;

    (void)state;
    budget_init(&budget, 1 << 20);
    assert_int_equal(region_map(&a, &budget, MEM_KEY, 5000, NULL), CUZK_OK);
    assert_int_equal(a.bytes, 8192);
    assert_int_equal(region_map(&b, &budget, MEM_WITNESS, 4096, NULL), CUZK_OK);
    assert_int_equal(budget.now, 12288);
    assert_int_equal(budget.class_now[MEM_KEY], 8192);
    region_unmap(&a);
    assert_int_equal(budget.now, 4096);
    region_unmap(&b);
    region_unmap(&b);
    assert_int_equal(budget.now, 0);
    assert_int_equal(budget.peak, 12288);
    assert_int_equal(budget.class_peak[MEM_WITNESS], 4096);
}

static void test_budget_refuses_with_the_numbers(void **state)
{
    struct budget budget;
    struct region a;
    struct cuzk_error err;

    (void)state;
    budget_init(&budget, 8192);
    assert_int_equal(region_map(&a, &budget, MEM_SCRATCH, 8193, &err), CUZK_NO_MEMORY);
    assert_non_null(strstr(err.message, "12288"));
    assert_non_null(strstr(err.message, "8192"));
    assert_int_equal(budget.now, 0);
    assert_int_equal(region_map(&a, &budget, MEM_SCRATCH, SIZE_MAX - 5, &err), CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
}

static void test_failed_map_gives_its_reservation_back(void **state)
{
    struct budget budget;
    struct region a;

    (void)state;
    budget_init(&budget, 0);
    mem_fail_at(1);
    assert_int_equal(region_map(&a, &budget, MEM_KEY, 100, NULL), CUZK_NO_MEMORY);
    assert_int_equal(budget.now, 0);
    assert_int_equal(region_map(&a, &budget, MEM_KEY, 100, NULL), CUZK_OK);
    region_unmap(&a);
}

static void test_arena_pieces_are_aligned_and_end_together(void **state)
{
    struct budget budget;
    struct arena arena;
    void *p, *q;
    size_t mark;

    (void)state;
    budget_init(&budget, 0);
    assert_int_equal(arena_init(&arena, &budget, MEM_SCRATCH, 4096, NULL), CUZK_OK);
    assert_int_equal(arena_take(&arena, 1, &p, NULL), CUZK_OK);
    mark = arena_mark(&arena);
    assert_int_equal(mark, 64);
    assert_int_equal(arena_take(&arena, 4096 - 64, &q, NULL), CUZK_OK);
    assert_int_equal((uintptr_t)q % 64, 0);
    assert_int_equal(arena_take(&arena, 1, &p, NULL), CUZK_NO_MEMORY);
    assert_int_equal(arena_take(&arena, SIZE_MAX, &p, NULL), CUZK_NO_MEMORY);
    arena_rewind(&arena, mark);
    assert_int_equal(arena_take(&arena, 100, &p, NULL), CUZK_OK);
    assert_ptr_equal(p, q);
    assert_int_equal(arena.peak, 4096);
    arena_done(&arena);
    assert_int_equal(budget.now, 0);
}

static void test_grow_keeps_contents_counts_and_stops_at_its_maximum(void **state)
{
    struct budget budget;
    struct grow grow;
    void *at;

    (void)state;
    budget_init(&budget, 0);
    grow_init(&grow, &budget, MEM_SHAPE, 1 << 20);
    for (uint32_t i = 0; i < (1 << 20) / 4; i++) {
        assert_int_equal(grow_take(&grow, 4, &at, NULL), CUZK_OK);
        memcpy(at, &i, 4);
        if (i % 1000 == 0)
            assert_int_equal(budget.now, grow.region.bytes);
    }
    assert_int_equal(grow_take(&grow, 1, &at, NULL), CUZK_NO_MEMORY);
    for (uint32_t i = 0; i < (1 << 20) / 4; i++)
        assert_memory_equal(grow.region.base + 4 * i, &i, 4);
    grow.used = 5000;
    grow_trim(&grow);
    assert_int_equal(budget.now, 8192);
    grow_done(&grow);
    assert_int_equal(budget.now, 0);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void test_out_file_appears_whole_or_not_at_all(void **state)
{
    const char *path = test_scratch_path("out");
    struct out_file out;
    struct file_map map;

    (void)state;
    unlink(path);
    assert_int_equal(out_open(&out, path, NULL), CUZK_OK);
    assert_int_equal(out_write(&out, "half", 4, NULL), CUZK_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    out_abort(&out);
    assert_int_not_equal(access(path, F_OK), 0);

    assert_int_equal(out_open(&out, path, NULL), CUZK_OK);
    assert_int_equal(out_write(&out, "whole", 5, NULL), CUZK_OK);
    assert_int_equal(out_commit(&out, NULL), CUZK_OK);
    assert_int_equal(file_map(&map, path, NULL), CUZK_OK);
    assert_int_equal(map.bytes, 5);
    assert_memory_equal(map.data, "whole", 5);
    file_unmap(&map);
    unlink(path);
}

static void test_out_file_written_behind_is_the_same_file(void **state)
{
    enum { N = 40000, STEP = 999 };
    const char *path = test_scratch_path("behind");
    static uint8_t bytes[N];
    struct out_file out;
    struct file_map map;
    struct cuzk_error err;

    (void)state;
    for (size_t i = 0; i < N; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    assert_int_equal(out_open(&out, path, NULL), CUZK_OK);
    for (size_t at = 0; at < N; at += STEP) {
        assert_int_equal(out_write(&out, bytes + at, N - at < STEP ? N - at : STEP, NULL), CUZK_OK);
        if (at % 3 != 1)
            assert_int_equal(out_write_behind(&out, &err), CUZK_OK);
        assert_true(out.ended <= out.begun && out.begun <= at + STEP);
    }
    assert_int_equal(out_write_behind(&out, &err), CUZK_OK);
    assert_int_equal(out.begun, N);
    assert_int_equal(out_commit(&out, NULL), CUZK_OK);
    assert_int_equal(file_map(&map, path, NULL), CUZK_OK);
    assert_int_equal(map.bytes, N);
    assert_memory_equal(map.data, bytes, N);
    file_unmap(&map);
    unlink(path);
}

static void test_file_part_is_the_bytes_it_names(void **state)
{
    const char *path = test_scratch_path("part");
    uint8_t bytes[9000];
    struct out_file out;
    struct file_map map;
    struct region region;
    struct budget budget;
    struct cuzk_error err;
    size_t n;

    (void)state;
    budget_init(&budget, 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    assert_int_equal(out_open(&out, path, NULL), CUZK_OK);
    assert_int_equal(out_write(&out, bytes, sizeof bytes, NULL), CUZK_OK);
    assert_int_equal(out_commit(&out, NULL), CUZK_OK);
    for (size_t offset = 0; offset <= sizeof bytes; offset += 1000) {
        struct file_part part = {.path = path, .name = "body", .offset = offset, .bytes = 700};

        if (offset + part.bytes > sizeof bytes)
            part.bytes = FILE_TO_END;
        assert_int_equal(file_map_part(&map, &part, NULL), CUZK_OK);
        assert_int_equal(map.bytes, part.bytes == 700 ? 700 : sizeof bytes - offset);
        assert_memory_equal(map.data, bytes + offset, map.bytes);
        assert_int_equal(file_read(&region, &n, &part, &budget, MEM_REQUEST, NULL), CUZK_OK);
        assert_int_equal(n, map.bytes);
        assert_memory_equal(region.base, bytes + offset, n);
        region_unmap(&region);
        file_unmap(&map);
        part.bytes = sizeof bytes - offset + 1;
        assert_int_equal(file_map_part(&map, &part, &err), CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "body: "));
        assert_int_equal(file_read(&region, &n, &part, &budget, MEM_REQUEST, &err), CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "body: "));
        assert_int_equal(atomic_load(&budget.now), 0);
    }
    unlink(path);
}

/* A file of the kernel says that it has a page, and ends before that: as one that is cut short. */
static void test_file_read_outlives_a_file_that_is_cut_short(void **state)
{
    const struct file_part part = file_whole("/sys/kernel/mm/transparent_hugepage/enabled");
    struct region region;
    struct cuzk_error err;
    size_t n;

    (void)state;
    if (access(part.path, R_OK) != 0)
        skip();
    assert_int_equal(file_read(&region, &n, &part, NULL, MEM_REQUEST, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "bytes at offset 0, the file ends after "));
}

/* The bytes of a map from a page on, in pieces, and those that begin within a page. */
static void check_fetched(const struct file_map *map, const uint8_t *bytes, uint8_t *to)
{
    struct cuzk_error err;

    for (size_t at = 0, n = 1; at + n <= map->bytes; at += 5 * FETCH_PAGE, n = 3 * n + 17) {
        assert_int_equal(file_fetch_lead(map->fetch, map->data + at), 0);
        assert_int_equal(file_fetch_lead(map->fetch, map->data + at + 99), 99);
        assert_int_equal(file_fetch_read(map->fetch, to, map->data + at, n, &err), CUZK_OK);
        assert_memory_equal(to, bytes + at, n);
    }
    assert_int_equal(file_fetch_read(map->fetch, to, map->data, map->bytes, &err), CUZK_OK);
    assert_memory_equal(to, bytes, map->bytes);
    assert_int_equal(
        file_fetch_read(map->fetch, to, map->data + FETCH_PAGE, map->bytes - FETCH_PAGE + 1, &err),
        CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "at offset 4096, the file ends after "));
}

/* From the cache, past it, and partly; and not at all where the file was cut short. */
static void test_fetched_bytes_are_those_of_the_file(void **state)
{
    enum { N = 300000 };
    const char *path = test_scratch_path("fetched");
    uint8_t *bytes = malloc(N), *to = aligned_alloc(FETCH_PAGE, (N / FETCH_PAGE + 2) * FETCH_PAGE);
    struct out_file out;
    struct file_map map;
    struct cuzk_error err;
    int fd;

    (void)state;
    assert_true(bytes && to);
    for (size_t i = 0; i < N; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    assert_int_equal(out_open(&out, path, NULL), CUZK_OK);
    assert_int_equal(out_write(&out, bytes, N, NULL), CUZK_OK);
    assert_int_equal(out_commit(&out, NULL), CUZK_OK);
    assert_int_equal(file_map_fetched(&map, path, &err), CUZK_OK);
    check_fetched(&map, bytes, to);

    fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    check_fetched(&map, bytes, to);
    assert_int_equal(pread(fd, to, 9 * FETCH_PAGE, 7 * FETCH_PAGE), 9 * FETCH_PAGE);
    check_fetched(&map, bytes, to);

    assert_int_equal(ftruncate(fd, 200000), 0);
    assert_int_equal(file_fetch_read(map.fetch, to, map.data, N, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "expected 300000 bytes at offset 0, the file ends after "
                                        "200000"));
    close(fd);
    file_unmap(&map);
    unlink(path);
    free(to);
    free(bytes);
}

static void test_file_map_names_what_it_cannot_open(void **state)
{
    struct file_map map;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(file_map(&map, "/nonexistent/file", &err), CUZK_IO);
    assert_non_null(strstr(err.message, "/nonexistent/file"));
    assert_int_equal(file_map(&map, "/", &err), CUZK_BAD_INPUT);
    assert_int_equal(file_map(&map, "/dev/zero", &err), CUZK_BAD_INPUT);
    file_unmap(&map);
}

static void test_reader_refuses_to_run_over(void **state)
{
    const uint8_t data[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct reader r = reader_over(data, sizeof data, "some.file");
    struct cuzk_error err;
    uint64_t v;
    uint32_t w;

    (void)state;
    r.section = "lengths";
    assert_int_equal(read_u64_le(&r, &v, &err), CUZK_OK);
    assert_true(v == 0x0807060504030201);
    assert_int_equal(read_end(&r, &err), CUZK_BAD_INPUT);
    assert_int_equal(read_u64_le(&r, &v, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "some.file: lengths: offset 8: expected 8 bytes, found 4");
    assert_int_equal(read_u32_be(&r, &w, &err), CUZK_OK);
    assert_int_equal(w, 0x09000000);
    assert_int_equal(read_end(&r, &err), CUZK_OK);
}

/* ---- hashes, hex, numbers -------------------------------------------------------------------- */

static void check_hash(enum hash_kind kind, const char *expected)
{
    struct hash *h = hash_new(kind);
    uint8_t out[64], peek[64];
    char text[129];

    hash_update(h, "a", 1);
    hash_peek(h, peek);
    hash_update(h, "bc", 2);
    hash_final(h, out);
    hex_encode(text, out, strlen(expected) / 2);
    assert_string_equal(text, expected);
    hash_update(h, "a", 1);
    hash_final(h, out);
    assert_memory_equal(out, peek, strlen(expected) / 2);
    hash_free(h);
}

static void test_hashes_match_their_standards(void **state)
{
    uint8_t out[64], key[64], nonce[12] = {0, 0, 0, 9, 0, 0, 0, 0x4a};
    char text[129];

    (void)state;
    /* FIPS 180-4, RFC 7693 appendices A and B */
    check_hash(HASH_SHA256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_hash(HASH_BLAKE2B_512,
               "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
               "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    check_hash(HASH_BLAKE2S_256,
               "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
    /* BLAKE2b known answer test: key 00..3f, empty input */
    for (int i = 0; i < 64; i++)
        key[i] = (uint8_t)i;
    blake2b_keyed(out, 64, key, 64, "", 0);
    hex_encode(text, out, 64);
    assert_string_equal(text, "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
                              "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568");
    /* RFC 8439, 2.3.2 */
    for (int i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    chacha20_stream(out, 64, key, nonce, 1);
    hex_encode(text, out, 16);
    assert_string_equal(text, "10f1e7e4d13b5915500fdd1fa32071c4");
}

static void test_hex_takes_exactly_its_length(void **state)
{
    uint8_t b[2];

    (void)state;
    assert_true(hex_decode(b, 2, "0xBeeF"));
    assert_int_equal(b[0], 0xbe);
    assert_int_equal(b[1], 0xef);
    assert_false(hex_decode(b, 2, "bee"));
    assert_false(hex_decode(b, 2, "beeef"));
    assert_false(hex_decode(b, 2, "beeg"));
    assert_false(hex_decode(b, 2, ""));
}

static void test_rng_is_repeatable_and_bounded(void **state)
{
    struct rng a, b;

    (void)state;
    rng_seed(&a, test_seed());
    rng_seed(&b, test_seed());
    for (int i = 0; i < 1000; i++) {
        assert_true(rng_u64(&a) == rng_u64(&b));
        assert_true(rng_below(&a, 7) < 7);
        rng_below(&b, 7);
    }
}

static void test_memory_figures_are_alive(void **state)
{
    struct region r;
    size_t before = memory_anonymous();

    (void)state;
    assert_int_equal(region_map(&r, NULL, MEM_SCRATCH, 32 << 20, NULL), CUZK_OK);
    memset(r.base, 1, r.bytes);
    assert_true(memory_anonymous() >= before + (24 << 20));
    assert_true(memory_peak() >= memory_anonymous());
    region_unmap(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_is_one_printable_line),
        cmocka_unit_test(test_error_longer_than_its_room_is_cut),
        cmocka_unit_test(test_quantities_are_read_or_refused),
        cmocka_unit_test(test_quantity_texts_mean_the_same_number),
        cmocka_unit_test(test_budget_counts_what_is_mapped_and_nothing_else),
        cmocka_unit_test(test_budget_refuses_with_the_numbers),
        cmocka_unit_test(test_failed_map_gives_its_reservation_back),
        cmocka_unit_test(test_arena_pieces_are_aligned_and_end_together),
        cmocka_unit_test(test_grow_keeps_contents_counts_and_stops_at_its_maximum),
        cmocka_unit_test(test_out_file_appears_whole_or_not_at_all),
        cmocka_unit_test(test_out_file_written_behind_is_the_same_file),
        cmocka_unit_test(test_file_part_is_the_bytes_it_names),
        cmocka_unit_test(test_file_read_outlives_a_file_that_is_cut_short),
        cmocka_unit_test(test_fetched_bytes_are_those_of_the_file),
        cmocka_unit_test(test_file_map_names_what_it_cannot_open),
        cmocka_unit_test(test_reader_refuses_to_run_over),
        cmocka_unit_test(test_hashes_match_their_standards),
        cmocka_unit_test(test_hex_takes_exactly_its_length),
        cmocka_unit_test(test_rng_is_repeatable_and_bounded),
        cmocka_unit_test(test_memory_figures_are_alive),
    };

    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
