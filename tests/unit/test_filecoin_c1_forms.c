/* A C1 in every form in which it is handed around, and in every way that it can be wrong. */
#include "support/testing.h"

#include <unistd.h>

#include "filecoin/c1.h"
#include "filecoin/c1_json.h"
#include "filecoin/c1_write.h"
#include "format/json_sax.h"
#include "support/c1_sample.h"
#include "support/json.h"
#include "support/porep_set.h"
#include "support/vectors.h"

static const struct c1_hints no_hints = {.registered_proof = -1};

static enum cuzk_status read_text(const char *text, const struct c1_hints *hints,
                                  uint8_t digest[32], struct cuzk_error *err)
{
    struct c1 c1;

    TRY(c1_read(&c1, text, strlen(text), "c1", hints, NULL, err));
    if (digest)
        c1_digest(digest, &c1.vanilla);
    c1_done(&c1);
    return CUZK_OK;
}

static void assert_refused(const char *text, const char *says)
{
    struct cuzk_error err;

    if (read_text(text, &no_hints, NULL, &err) != CUZK_BAD_INPUT)
        fail_msg("not refused: %s", says);
    if (!strstr(err.message, says))
        fail_msg("\"%s\" does not say \"%s\"", err.message, says);
}

/* A text built by a function that prints. */
struct text {
    char *chars;
    size_t n;
    FILE *out;
};
static FILE *text_begin(struct text *t)
{
    t->out = open_memstream(&t->chars, &t->n);
    assert_non_null(t->out);
    return t->out;
}
static void text_end(struct text *t)
{
    fclose(t->out);
}

/* ---- the reference sets ---------------------------------------------------------------------- */

/* What a caller knows about a set that does not say it itself. */
static struct c1_hints hints_of(const struct porep_set *set)
{
    struct c1_hints hints = {
        .registered_proof = -1,
        .sector_size = json_get_u64(set->meta, "sector_size"),
        .api_version = api_version_name(set->config.version),
        .has_porep_id = true,
    };

    memcpy(hints.porep_id, set->config.porep_id, 32);
    return hints;
}

static void assert_file_holds(const char *path, const struct c1_hints *hints,
                              const struct porep_set *set)
{
    struct cuzk_error err;
    uint8_t expected[32], found[32];
    struct c1 c1;

    c1_digest(expected, &set->vanilla);
    if (c1_read_file(&c1, path, hints, NULL, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    c1_digest(found, &c1.vanilla);
    assert_memory_equal(found, expected, 32);
    assert_memory_equal(&c1.config, &set->config, sizeof c1.config);
    assert_int_equal(c1.name.kind, CIRCUIT_POREP);
    assert_false(c1.has_sector_num);
    c1_done(&c1);
}

/* As the daemon finds a C1: inside the body of a request. */
static void test_a_c1_inside_another_file_is_read(void **state)
{
    static const char *const names[] = {"c1.json", "c1.bin"};
    const char *path = test_scratch_path("body");
    struct porep_set set = porep_set_load("porep-2k");

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const struct c1_hints hints = hints_of(&set);
        struct file_part part = {.path = path, .name = "body", .offset = 4099};
        uint8_t expected[32], found[32];
        struct cuzk_error err;
        struct file_map map;
        struct out_file out;
        struct c1 c1;

        assert_int_equal(file_map(&map, vector_path("filecoin/porep-2k/%s", names[i]), &err),
                         CUZK_OK);
        part.bytes = map.bytes;
        assert_int_equal(out_open(&out, path, &err), CUZK_OK);
        for (unsigned k = 0; k < 4099; k++)
            fputc('x', out.stream);
        assert_int_equal(out_write(&out, map.data, map.bytes, &err), CUZK_OK);
        assert_int_equal(out_write(&out, "{tail", 5, &err), CUZK_OK);
        assert_int_equal(out_commit(&out, &err), CUZK_OK);
        file_unmap(&map);
        if (c1_read_part(&c1, &part, &hints, NULL, &err) != CUZK_OK)
            fail_msg("%s", err.message);
        c1_digest(expected, &set.vanilla);
        c1_digest(found, &c1.vanilla);
        assert_memory_equal(found, expected, 32);
        c1_done(&c1);
        part.bytes -= 3;
        assert_int_equal(c1_read_part(&c1, &part, &hints, NULL, &err), CUZK_BAD_INPUT);
        assert_memory_equal(err.message, "body: ", 6);
    }
    unlink(path);
    porep_set_free(&set);
}

static void test_json_and_bincode_of_a_set_hold_the_same(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) { /* the four of the API */
        struct porep_set set = porep_set_load(porep_sets[i]);
        struct c1_hints hints = hints_of(&set);

        assert_file_holds(vector_path("filecoin/%s/c1.json", set.name), &no_hints, &set);
        assert_file_holds(vector_path("filecoin/%s/c1.json", set.name), &hints, &set);
        hints = (struct c1_hints){.registered_proof = set.config.porep_id[0]};
        assert_file_holds(vector_path("filecoin/%s/c1.bin", set.name), &hints, &set);
        porep_set_free(&set);
    }
    for (unsigned i = 4; i < 7; i++) { /* sizes without a registered proof */
        struct porep_set set = porep_set_load(porep_sets[i]);
        struct c1_hints hints = hints_of(&set);

        assert_file_holds(vector_path("filecoin/%s/c1-native.json", set.name), &hints, &set);
        assert_file_holds(vector_path("filecoin/%s/c1.bin", set.name), &hints, &set);
        porep_set_free(&set);
    }
}

/* Eleven layers, a shape of no sector size. */
static void test_json_of_the_eleven_layer_set_holds_the_same(void **state)
{
    struct porep_set set = porep_set_load("porep11-16k");
    size_t n;
    uint8_t *json = vector_read(vector_path("filecoin/porep11-16k/c1-native.json.zst"), &n);
    struct memory_source source = memory_source_over(json, n);
    void *room = malloc(SAX_ROOM_BYTES);
    uint8_t expected[32], found[32];
    struct vanilla_porep v;
    struct cuzk_error err;

    (void)state;
    if (c1_json_read(&v, &source.base, &set.config.shape, set.config.partitions, NULL, room, NULL,
                     &err) != CUZK_OK)
        fail_msg("%s", err.message);
    c1_digest(expected, &set.vanilla);
    c1_digest(found, &v);
    assert_memory_equal(found, expected, 32);
    vanilla_porep_done(&v);
    vector_free(json);
    porep_set_free(&set);
    free(room);
}

/* The C1 of a set, written again: labels and encodings, which are not kept, included. */
static void test_c1s_are_written_as_upstream_writes_them(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 7; i++) {
        struct porep_set set = porep_set_load(porep_sets[i]);
        const struct seal_proof *proof =
            i < 4 ? seal_proof_of_number(set.config.porep_id[0]) : NULL;
        const char *json_name = proof ? "c1.json" : "c1-native.json";
        struct text json, binary;
        uint8_t *expected;
        size_t n;

        c1_write_json(text_begin(&json), &set.vanilla, proof);
        text_end(&json);
        expected = vector_read(vector_path("filecoin/%s/%s", set.name, json_name), &n);
        assert_int_equal(json.n, n);
        assert_memory_equal(json.chars, expected, n);
        vector_free(expected);
        c1_write_bincode(text_begin(&binary), &set.vanilla);
        text_end(&binary);
        expected = vector_read(vector_path("filecoin/%s/c1.bin", set.name), &n);
        assert_int_equal(binary.n, n);
        assert_memory_equal(binary.chars, expected, n);
        vector_free(expected);
        free(json.chars);
        free(binary.chars);
        porep_set_free(&set);
    }
}

/* ---- random ones of every shape, in every form ----------------------------------------------- */

static void assert_form_holds(const struct text *t, const struct c1_hints *hints,
                              const struct vanilla_porep *v)
{
    uint8_t expected[32], found[32];
    struct cuzk_error err;
    struct c1 c1;

    if (c1_read(&c1, t->chars, t->n, "c1", hints, NULL, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    c1_digest(expected, v);
    c1_digest(found, &c1.vanilla);
    assert_memory_equal(found, expected, 32);
    c1_done(&c1);
}

static void test_every_form_of_a_random_c1_is_read_back(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned i = 0; i < N_SECTOR_SIZES; i++) {
        const struct sector_size *size = &sector_sizes[i];
        const struct seal_proof *proof = NULL;
        struct c1_hints hints = {-1, size->bytes, "1.1.0", true, {5}};
        struct vanilla_porep v;
        struct text json, native, binary, wrapper;

        if (size->porep.layers > 2 && !test_long())
            continue;                     /* 51 MB each */
        for (unsigned k = 5; k < 10; k++) /* version 1.1.0 */
            if (seal_proof_of_number(k)->size == size)
                proof = seal_proof_of_number(k);
        hints.porep_id[0] = proof ? (uint8_t)proof->number : 5;
        c1_sample(&v, &size->porep, size->porep_partitions, &rng);
        c1_write_json(text_begin(&native), &v, NULL);
        text_end(&native);
        c1_write_bincode(text_begin(&binary), &v);
        text_end(&binary);
        assert_form_holds(&native, &hints, &v);
        assert_form_holds(&binary, &hints, &v);
        if (proof) {
            c1_write_json(text_begin(&json), &v, proof);
            text_end(&json);
            c1_write_wrapper(text_begin(&wrapper), json.chars, json.n, 7, size->bytes);
            text_end(&wrapper);
            assert_form_holds(&json, &no_hints, &v);
            assert_form_holds(&wrapper, &no_hints, &v);
            free(json.chars);
            free(wrapper.chars);
        }
        free(native.chars);
        free(binary.chars);
        vanilla_porep_done(&v);
    }
}

static void test_fields_in_any_order_with_any_blanks_are_the_same_c1(void **state)
{
    struct json *root = json_read(vector_path("filecoin/porep-2k/c1.json"));
    struct porep_set set = porep_set_load("porep-2k");
    uint8_t expected[32], found[32];
    struct cuzk_error err;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    c1_digest(expected, &set.vanilla);
    for (unsigned i = 0; i < 20; i++) {
        const struct json_style style = {.shuffle = &rng};
        char *text = json_print(root, &style);

        if (read_text(text, &no_hints, found, &err) != CUZK_OK)
            fail_msg("%s", err.message);
        assert_memory_equal(found, expected, 32);
        free(text);
    }
    porep_set_free(&set);
    json_free(root);
}

/* ---- the wrapper ----------------------------------------------------------------------------- */

static char *wrap(const char *format, const char *base64)
{
    struct text t;

    text_begin(&t);
    fprintf(t.out, format, base64);
    text_end(&t);
    return t.chars;
}

/* The base64 of the C1 of porep-2k. */
static char *inner_base64(void)
{
    size_t n;
    uint8_t *json = vector_read(vector_path("filecoin/porep-2k/c1.json"), &n);
    struct text t;
    char *begin, *end;

    c1_write_wrapper(text_begin(&t), (const char *)json, n, 1, 2048);
    text_end(&t);
    begin = strstr(t.chars, "Phase1Out\":\"") + strlen("Phase1Out\":\"");
    end = strchr(begin, '"');
    memmove(t.chars, begin, (size_t)(end - begin));
    t.chars[end - begin] = '\0';
    vector_free(json);
    return t.chars;
}

static void test_the_wrapper_is_read_in_any_order_and_tells_the_sector(void **state)
{
    static const char *const formats[] = {
        "{\"SectorNum\":77,\"Phase1Out\":\"%s\",\"SectorSize\":2048}",
        " \n{ \"SectorSize\" : 2048 , \"SectorNum\":77,\t\"Phase1Out\" : \"%s\" }\r\n",
        "{\"Phase1Out\":\"%s\",\"SectorSize\":2048,\"SectorNum\":77}",
    };
    struct porep_set set = porep_set_load("porep-2k");
    uint8_t expected[32], found[32];
    char *base64 = inner_base64();

    (void)state;
    c1_digest(expected, &set.vanilla);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text = wrap(formats[i], base64);
        struct cuzk_error err;
        struct c1 c1;

        if (c1_read(&c1, text, strlen(text), "c1", &no_hints, NULL, &err) != CUZK_OK)
            fail_msg("%s", err.message);
        c1_digest(found, &c1.vanilla);
        assert_memory_equal(found, expected, 32);
        assert_true(c1.has_sector_num);
        assert_int_equal(c1.sector_num, 77);
        c1_done(&c1);
        free(text);
    }
    free(base64);
    porep_set_free(&set);
}

static void test_escaped_slashes_in_base64_are_slashes(void **state)
{
    char *base64 = inner_base64(), *escaped = calloc(2, strlen(base64) + 1), *to = escaped;
    char *text;

    (void)state;
    for (const char *from = base64; *from; from++) {
        if (*from == '/')
            *to++ = '\\';
        *to++ = *from;
    }
    text = wrap("{\"SectorNum\":77,\"Phase1Out\":\"%s\",\"SectorSize\":2048}", escaped);
    assert_int_equal(read_text(text, &no_hints, NULL, NULL), CUZK_OK);
    free(text);
    free(escaped);
    free(base64);
}

static void test_a_wrong_wrapper_is_refused_by_name(void **state)
{
    static const struct {
        const char *format, *says;
    } cases[] = {
        {"{\"SectorNum\":1,\"Phase1Out\":\"%s\",\"SectorSize\":4096}", "SectorSize: expected 2048"},
        {"{\"SectorNum\":1,\"Phase1Out\":\"%s\"}", "field SectorSize is missing"},
        {"{\"SectorSize\":2048,\"Phase1Out\":\"%s\"}", "field SectorNum is missing"},
        {"{\"SectorNum\":1,\"SectorNum\":1,\"Phase1Out\":\"%s\",\"SectorSize\":2048}", "twice"},
        {"{\"SectorNum\":-1,\"Phase1Out\":\"%s\",\"SectorSize\":2048}", "expected an integer"},
        {"{\"SectorNum\":1.5,\"Phase1Out\":\"%s\",\"SectorSize\":2048}", "expected an integer"},
        {"{\"SectorNum\":01,\"Phase1Out\":\"%s\",\"SectorSize\":2048}", "expected an integer"},
        {"{\"SectorNum\":99999999999999999999,\"Phase1Out\":\"%s\",\"SectorSize\":2048}", "below"},
        {"{\"SectorNum\":\"1\",\"Phase1Out\":\"%s\",\"SectorSize\":2048}", "expected an integer"},
        {"{\"SectorNum\":1,\"Phase1Out\":[\"%s\"],\"SectorSize\":2048}", "expected '\"'"},
        {"{\"SectorNum\":1,\"Phase1Out\":\"%s=\",\"SectorSize\":2048}", "base64"},
        {"{\"SectorNum\":1,\"Phase1Out\":\"*%s\",\"SectorSize\":2048}", "base64"},
        {"{\"SectorNum\":1,\"Phase1Out\":\"\\n%s\",\"SectorSize\":2048}", "base64"},
        {"{\"SectorNum\":1,\"Phase1Out\":\"\",\"SectorSize\":2048,\"Phase1Out\":\"%s\"}",
         "not JSON"},
        {"{\"SectorNum\":1,\"Phase1Out\":\"%s\",\"SectorSize\":2048,}", "expected '\"'"},
        {"{\"SectorNum\":1,\"Phase1Out\":\"%s\",\"SectorSize\":2048}}", "expected the end"},
        {"{\"SectorNum\":1,\"Phase1Out\":\"%s\",\"Sector\":2048}", "unknown field \"Sector\""},
        {"{\"SectorNum\":1,\"Phase1Out\":\"%s\" \"SectorSize\":2048}", "expected ',' or '}'"},
    };
    char *base64 = inner_base64();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = wrap(cases[i].format, base64);

        assert_refused(text, cases[i].says);
        free(text);
    }
    free(base64);
}

static void test_a_wrapper_cut_anywhere_is_refused(void **state)
{
    char *base64 = inner_base64();
    char *text = wrap("{\"SectorNum\":77,\"Phase1Out\":\"%s\",\"SectorSize\":2048}", base64);

    (void)state;
    for (size_t n = 0, all = strlen(text) - 1; n <= all; n += n < 300 || n + 300 > all ? 1 : 97) {
        struct cuzk_error err;
        struct c1 c1;

        assert_int_equal(c1_read(&c1, text, n, "c1", &no_hints, NULL, &err), CUZK_BAD_INPUT);
    }
    free(text);
    free(base64);
}

/* ---- hostile JSON ---------------------------------------------------------------------------- */

/* May a value be changed so and the C1 still be good? */
static bool is_harmless(const char *key, enum json_change change)
{
    return key && strcmp(key, "_h") == 0 && change == JSON_DROP;
}

static void assert_change_refused(const struct json *root, size_t at, enum json_change change)
{
    const struct json_style style = {.change_at = at, .change = change};
    const char *key = json_key_of(root, at);
    char *text;
    struct cuzk_error err;

    if (is_harmless(key, change) || (at == 0 && change < JSON_OTHER_KIND))
        return;
    text = json_print(root, &style);
    if (read_text(text, &no_hints, NULL, &err) == CUZK_OK)
        fail_msg("value %zu (%s) with change %d is accepted", at, key ? key : "", (int)change);
    assert_int_equal(err.status, CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "c1: "));
    free(text);
}

/* Every value before the second challenge's data that is not a byte, and random bytes. */
static void test_every_changed_value_is_refused(void **state)
{
    struct json *root = json_read(vector_path("filecoin/porep-2k/c1.json"));
    size_t n = json_n_values(root);
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (enum json_change change = JSON_DROP; change <= JSON_FRACTION; change++) {
        for (size_t at = 0; at < n; at += at < 200 ? 1 : 1 + rng_below(&rng, 1500))
            assert_change_refused(root, at, change);
        for (size_t at = n - 50; at < n; at++)
            assert_change_refused(root, at, change);
    }
    json_free(root);
}

/* Fields only, up to the first column: they hold every kind of field of a proof with a top level.
 */
static void test_every_changed_field_of_a_top_proof_is_refused(void **state)
{
    struct porep_set set = porep_set_load("porep-32k");
    struct json *root = json_read(vector_path("filecoin/porep-32k/c1-native.json"));
    struct c1_hints hints = hints_of(&set);

    (void)state;
    for (size_t at = 0; at < 1500; at++) {
        const char *key = json_key_of(root, at);

        for (enum json_change change = JSON_DROP; key && change <= JSON_FRACTION; change++) {
            const struct json_style style = {.change_at = at, .change = change};
            char *text = json_print(root, &style);

            if (!is_harmless(key, change))
                assert_int_equal(read_text(text, &hints, NULL, NULL), CUZK_BAD_INPUT);
            free(text);
        }
    }
    json_free(root);
    porep_set_free(&set);
}

/* Replaces the value of the first field of this name by another text. */
static char *with_field(const char *json, const char *field, const char *value)
{
    char needle[64];
    const char *begin, *end;
    unsigned depth = 0;
    struct text t;

    snprintf(needle, sizeof needle, "\"%s\":", field);
    begin = strstr(json, needle);
    assert_non_null(begin);
    begin += strlen(needle);
    for (end = begin; depth || (*end != ',' && *end != '}' && *end != ']'); end++) {
        depth += *end == '[' || *end == '{';
        depth -= *end == ']' || *end == '}';
    }
    text_begin(&t);
    fprintf(t.out, "%.*s%s%s", (int)(begin - json), json, value, end);
    text_end(&t);
    return t.chars;
}

#define ZEROS "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"
/* The modulus itself. */
#define MODULUS                                                                                    \
    "[1,0,0,0,255,255,255,255,254,91,254,255,2,164,189,83,5,216,161,9,8,216,57,51,72,125,157,41,"  \
    "83,167,237,115]"

static void test_values_out_of_range_are_refused_by_path(void **state)
{
    static const struct {
        const char *field, *value, *says;
    } cases[] = {
        {"comm_r", ZEROS, "comm_r: expected anything but zeros"},
        {"comm_d", ZEROS, "comm_d: expected anything but zeros"},
        {"seed", ZEROS, "seed: expected anything but zeros"},
        {"comm_r", MODULUS, ": comm_r: expected a number below the field's modulus"},
        {"comm_d", MODULUS, ": comm_d: expected a number below"},
        {"replica_id", MODULUS, ": replica_id: expected a number below"},
        {"root", MODULUS,
         ": vanilla_proofs.StackedDrg2KiBV1[0][0].comm_d_proofs.data.Single.root: "},
        {"leaf", MODULUS, "comm_d_proofs.data.Single.leaf: expected a number below"},
        {"hashes", "[" MODULUS "]", "data.Single.path.path[0].hashes[0]: expected a number below"},
        {"hashes", "[]", "data.Single.path.path[0].hashes: expected 1 entries, found 0"},
        {"hashes", "[" ZEROS "," ZEROS "]", "path[0].hashes: expected 1 entries, found more"},
        {"hashes", "[[1,2,3]]", "path[0].hashes[0]: expected 32 bytes, found fewer"},
        {"hashes", "[[256]]", "path[0].hashes[0]: expected a byte, found 256"},
        {"hashes", "[[-1]]", "path[0].hashes[0]: expected a byte, found a number that is no"},
        {"ticket", "[1.0]", "ticket: expected a byte, found a number that is no"},
        {"ticket", "\"abc\"", "ticket: expected an array, found a string"},
        {"index", "2", "path[0].index: expected at most 1, found 2"},
        {"index", "18446744073709551616", "path[0].index: expected an integer, found a number"},
        {"index", "\"1\"", "path[0].index: expected an integer, found a string"},
        {"rows", "[" ZEROS "]", "c_x.column.rows: expected 2 entries, found 1"},
        {"_h", "0", "c_x.column._h: expected null, found an integer"},
        {"layer_index", "2", "labeling_proofs[0].layer_index: expected exactly 1, found 2"},
        {"node", "62", "labeling_proofs[1].node: expected 62 as in the other labels, found"},
        {"drg_parents", "[]", "drg_parents: expected 6 entries, found 0"},
        {"exp_parents", "{}", "exp_parents: expected an array, found an object"},
        {"StackedDrg2KiBV1", "[]", "StackedDrg2KiBV1: expected 1 entries, found 0"},
        {"StackedDrg2KiBV1", "[[]]", "StackedDrg2KiBV1[0]: expected 2 entries, found 0"},
        {"data", "{}", "comm_d_proofs.data: expected a variant, found none"},
        {"data", "{\"Sub\":1}", "comm_d_proofs.data: unknown field \"Sub\""},
        {"registered_proof", "\"StackedDrg2KiBV1_9\"", "registered_proof: expected the name"},
        {"registered_proof", "\"StackedDrg8MiBV1_1\"", "expected StackedDrg8MiBV1, the variant of"},
        {"registered_proof", "5", "registered_proof: expected the name of a seal proof, found an"},
        {"vanilla_proofs", "{\"StackedDrg8MiBV1\":[]}", "expected StackedDrg2KiBV1, the variant"},
        {"vanilla_proofs", "{}", "vanilla_proofs: expected a variant, found none"},
        {"vanilla_proofs", "[]", "vanilla_proofs: expected an object, found an array"},
    };
    size_t n;
    char *json = (char *)vector_read(vector_path("filecoin/porep-2k/c1.json"), &n);

    (void)state;
    json = realloc(json, n + 1);
    json[n] = '\0';
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = with_field(json, cases[i].field, cases[i].value);

        assert_refused(text, cases[i].says);
        free(text);
    }
    free(json);
}

static void test_a_json_c1_cut_anywhere_or_too_long_is_refused(void **state)
{
    size_t n;
    char *json = (char *)vector_read(vector_path("filecoin/porep-2k/c1.json"), &n);
    struct cuzk_error err;
    struct c1 c1;

    (void)state;
    for (size_t cut = 0; cut < n; cut += cut < 400 || cut + 400 > n ? 1 : 97) {
        enum cuzk_status st = c1_read(&c1, json, cut, "c1", &no_hints, NULL, &err);

        assert_int_equal(st, CUZK_BAD_INPUT);
    }
    json = realloc(json, n + 2);
    json[n] = ' ';
    json[n + 1] = 'x';
    assert_int_equal(c1_read(&c1, json, n + 1, "c1", &no_hints, NULL, &err), CUZK_OK);
    c1_done(&c1);
    assert_int_equal(c1_read(&c1, json, n + 2, "c1", &no_hints, NULL, &err), CUZK_BAD_INPUT);
    json[n] = '\0';
    assert_int_equal(c1_read(&c1, json, n + 2, "c1", &no_hints, NULL, &err), CUZK_BAD_INPUT);
    free(json);
}

static void test_endless_strings_blanks_and_nesting_are_refused(void **state)
{
    static const char *const begins[] = {"{\"registered_proof\":\"", "{ ",
                                         "{\"registered_proof\":", "{\"a\":"};
    static const char fill[] = {'a', ' ', '[', '1'};
    enum { BYTES = 4 << 20 };
    char *text = malloc(BYTES + 1);

    (void)state;
    for (size_t i = 0; i < sizeof fill; i++) {
        memset(text, fill[i], BYTES);
        memcpy(text, begins[i], strlen(begins[i]));
        text[BYTES] = '\0';
        assert_int_equal(read_text(text, &no_hints, NULL, NULL), CUZK_BAD_INPUT);
    }
    free(text);
}

/* ---- hints ----------------------------------------------------------------------------------- */

static void test_hints_that_disagree_or_do_not_suffice_are_refused(void **state)
{
    const struct {
        const char *file;
        struct c1_hints hints;
        enum cuzk_status status;
        const char *says;
    } cases[] = {
        {"c1.json", {0, 0, NULL, false, {0}}, CUZK_BAD_INPUT, "expected number 0, found 5"},
        {"c1.json", {-1, 4096, NULL, false, {0}}, CUZK_BAD_INPUT, "expected 4096, found 2048"},
        {"c1.json", {-1, 0, "1.0.0", false, {0}}, CUZK_BAD_INPUT, "expected 1.0.0, found 1.1.0"},
        {"c1.json", {-1, 0, NULL, true, {7}}, CUZK_BAD_INPUT, "porep_id: not that of"},
        {"c1.bin", {-1, 0, NULL, false, {0}}, CUZK_USAGE, "--registered-proof is needed"},
        {"c1.bin", {-1, 2048, "1.1.0", false, {0}}, CUZK_USAGE, "--porep-id"},
        {"c1.bin", {-1, 2047, "1.1.0", true, {5}}, CUZK_USAGE, "no sectors of 2047 bytes"},
        {"c1.bin", {-1, 2048, "2.0", true, {5}}, CUZK_USAGE, "no API version 2.0"},
        {"c1.bin", {20, 0, NULL, false, {0}}, CUZK_USAGE, "no registered proof 20"},
        {"c1.bin", {-1, 4096, "1.1.0", true, {5}}, CUZK_BAD_INPUT, "expected"},
        {"none", {-1, 0, NULL, false, {0}}, CUZK_IO, "No such file"},
        {"", {-1, 0, NULL, false, {0}}, CUZK_IO, "directory"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cuzk_error err;
        struct c1 c1;

        assert_int_equal(c1_read_file(&c1, vector_path("filecoin/porep-2k/%s", cases[i].file),
                                      &cases[i].hints, NULL, &err),
                         cases[i].status);
        if (!strstr(err.message, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.message, cases[i].says);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void test_any_failed_allocation_of_a_read_leaves_nothing_behind(void **state)
{
    const struct c1_hints native = {.registered_proof = 5};
    struct budget budget;
    struct cuzk_error err;
    struct c1 c1;

    (void)state;
    budget_init(&budget, 0);
    for (unsigned form = 0; form < 2; form++) {
        size_t n = 1;

        for (bool failed = true; failed; n++) {
            mem_fail_at(n);
            failed =
                c1_read_file(&c1, vector_path("filecoin/porep-2k/c1.%s", form ? "bin" : "json"),
                             form ? &native : &no_hints, &budget, &err) != CUZK_OK;
            if (failed)
                assert_int_equal(err.status, CUZK_NO_MEMORY);
            else
                c1_done(&c1);
            assert_int_equal(budget.now, 0);
        }
        mem_fail_at(0);
        assert_true(n > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_c1_inside_another_file_is_read),
        cmocka_unit_test(test_json_and_bincode_of_a_set_hold_the_same),
        cmocka_unit_test(test_c1s_are_written_as_upstream_writes_them),
        cmocka_unit_test(test_json_of_the_eleven_layer_set_holds_the_same),
        cmocka_unit_test(test_every_form_of_a_random_c1_is_read_back),
        cmocka_unit_test(test_fields_in_any_order_with_any_blanks_are_the_same_c1),
        cmocka_unit_test(test_the_wrapper_is_read_in_any_order_and_tells_the_sector),
        cmocka_unit_test(test_escaped_slashes_in_base64_are_slashes),
        cmocka_unit_test(test_a_wrong_wrapper_is_refused_by_name),
        cmocka_unit_test(test_a_wrapper_cut_anywhere_is_refused),
        cmocka_unit_test(test_every_changed_value_is_refused),
        cmocka_unit_test(test_every_changed_field_of_a_top_proof_is_refused),
        cmocka_unit_test(test_values_out_of_range_are_refused_by_path),
        cmocka_unit_test(test_a_json_c1_cut_anywhere_or_too_long_is_refused),
        cmocka_unit_test(test_endless_strings_blanks_and_nesting_are_refused),
        cmocka_unit_test(test_hints_that_disagree_or_do_not_suffice_are_refused),
        cmocka_unit_test(test_any_failed_allocation_of_a_read_leaves_nothing_behind),
    };

    return cmocka_run_group_tests_name("filecoin_c1_forms", tests, NULL, NULL);
}
