/* Streaming base64 and JSON: known answers, bytes that come in any portions, text that is wrong. */
#include "support/testing.h"

#include "format/base64.h"
#include "format/json_schema.h"

/* A source that gives what it has in random portions. */
struct drip {
    struct byte_source base;
    const char *text;
    size_t n, at;
    struct rng *rng;
};

static enum cuzk_status drip_read(struct byte_source *source, uint8_t *to, size_t room,
                                  size_t *ret_n, struct cuzk_error *err)
{
    struct drip *d = (struct drip *)source;
    size_t left = d->n - d->at, n = left ? 1 + rng_below(d->rng, left < 9 ? left : 9) : 0;

    (void)err;
    n = n < room ? n : room;
    memcpy(to, d->text + d->at, n);
    d->at += n;
    *ret_n = n;
    return CUZK_OK;
}

static struct drip drip_over(const char *text, size_t n, struct rng *rng)
{
    return (struct drip){{drip_read}, text, n, 0, rng};
}

/* ---- base64 ---------------------------------------------------------------------------------- */

static void test_base64_known_answers(void **state)
{
    static const char *const pairs[][2] = {
        /* RFC 4648, section 10 */
        {"", ""},
        {"Zg==", "f"},
        {"Zm8=", "fo"},
        {"Zm9v", "foo"},
        {"Zm9vYg==", "foob"},
        {"Zm9vYmE=", "fooba"},
        {"Zm9vYmFy", "foobar"},
        {"+/+/", "\xfb\xff\xbf"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *text = pairs[i][0];
        struct base64 b = {0};
        uint8_t out[16];
        size_t n;

        assert_int_equal(base64_decode(&b, (const uint8_t *)text, strlen(text), out, &n),
                         strlen(text));
        assert_true(base64_is_complete(&b));
        assert_int_equal(n, strlen(pairs[i][1]));
        assert_memory_equal(out, pairs[i][1], n);
    }
}

/* Where decoding stops, and whether the text could end there. */
static void test_base64_stops_at_the_first_character_that_cannot_be_there(void **state)
{
    static const struct {
        const char *text;
        size_t took;
        bool complete;
    } cases[] = {
        {"=", 0, true},      {"Z", 1, false},       {"Z===", 1, false}, {"Zg=", 3, false},
        {"Zg=g", 3, false},  {"Zg==Zg==", 4, true}, {"Zh==", 3, false}, {"Zm9=", 3, false},
        {"Zm 9v", 2, false}, {"Zm9v\n", 4, true},   {"Zm9v-", 4, true}, {"Zm9v_", 4, true},
        {"Zm9v=", 4, true},  {"\xc3\xa9", 0, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base64 b = {0};
        uint8_t out[16];
        size_t n;

        assert_int_equal(
            base64_decode(&b, (const uint8_t *)cases[i].text, strlen(cases[i].text), out, &n),
            cases[i].took);
        assert_int_equal(base64_is_complete(&b), cases[i].complete);
    }
}

static size_t encode(char *text, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at = 0;

    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (i + 2 < n ? bytes[i + 2] : 0);

        text[at++] = digits[group >> 18];
        text[at++] = digits[group >> 12 & 63];
        text[at++] = i + 1 < n ? digits[group >> 6 & 63] : '=';
        text[at++] = i + 2 < n ? digits[group & 63] : '=';
    }
    return at;
}

static void test_base64_in_a_string_is_decoded_in_any_portions(void **state)
{
    enum { MAX = 3000 };
    static struct byte_cursor cursor;
    uint8_t bytes[MAX], found[MAX + 64];
    char text[2 * MAX];
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned i = 0; i < 200; i++) {
        size_t n = rng_below(&rng, MAX), length, got, all = 0;
        struct base64_source source;
        struct drip drip;

        rng_bytes(&rng, bytes, n);
        length = encode(text, bytes, n);
        text[length++] = '"';
        text[length++] = '!';
        drip = drip_over(text, length, &rng);
        byte_cursor_init(&cursor, &drip.base);
        source = base64_source_over(&cursor);
        do {
            assert_int_equal(source.base.read(&source.base, found + all,
                                              8 + rng_below(&rng, sizeof found - all - 8), &got,
                                              NULL),
                             CUZK_OK);
            all += got;
        } while (got);
        assert_int_equal(all, n);
        assert_memory_equal(found, bytes, n);
        assert_int_equal(byte_cursor_offset(&cursor), length - 1); /* behind the quote */
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Events as text: "{k(a)[1 s(b)]}". */
struct trace {
    char text[512];
    size_t n;
};

static enum cuzk_status trace_event(void *ctx, const struct sax_event *event,
                                    struct cuzk_error *err)
{
    struct trace *t = ctx;
    char *at = t->text + t->n;
    size_t room = sizeof t->text - t->n;

    (void)err;
    switch (event->kind) {
    case SAX_NULL: t->n += (size_t)snprintf(at, room, "null "); break;
    case SAX_FALSE: t->n += (size_t)snprintf(at, room, "false "); break;
    case SAX_TRUE: t->n += (size_t)snprintf(at, room, "true "); break;
    case SAX_UINT:
        t->n += (size_t)snprintf(at, room, "%llu ", (unsigned long long)event->number);
        break;
    case SAX_NUMBER: t->n += (size_t)snprintf(at, room, "number "); break;
    case SAX_STRING: t->n += (size_t)snprintf(at, room, "s(%s)", event->text); break;
    case SAX_KEY: t->n += (size_t)snprintf(at, room, "k(%s)", event->text); break;
    case SAX_OBJECT_BEGIN: t->n += (size_t)snprintf(at, room, "{"); break;
    case SAX_OBJECT_END: t->n += (size_t)snprintf(at, room, "}"); break;
    case SAX_ARRAY_BEGIN: t->n += (size_t)snprintf(at, room, "["); break;
    case SAX_ARRAY_END: t->n += (size_t)snprintf(at, room, "]"); break;
    }
    return CUZK_OK;
}

static uint64_t room[SAX_ROOM_BYTES / 8];

static void test_json_events_come_in_reading_order(void **state)
{
    static const char text[] =
        " {\"a\" : [1, 0,18446744073709551615, 18446744073709551616,-1,-0,1.0,1e3,null,true,false],"
        "\r\n\t\"b\\\"\\u00e9\":\"\\/\\n\", \"\":{} , \"c\":[[]] } ";
    static const char events[] =
        "{k(a)[1 0 18446744073709551615 number number number number number null true false ]"
        "k(b\"\xc3\xa9)s(/\n)k(){}k(c)[[]]}";
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned i = 0; i < 50; i++) {
        struct drip drip = drip_over(text, strlen(text), &rng);
        struct trace trace = {.n = 0};

        assert_int_equal(json_sax(&drip.base, 3, room, trace_event, &trace, NULL), CUZK_OK);
        assert_string_equal(trace.text, events);
    }
}

static void test_text_that_is_no_json_is_refused_with_its_offset(void **state)
{
    static const char *const cases[] = {
        "",          " ",
        "{",         "[1,]",
        "[1 2]",     "{\"a\"}",
        "{\"a\":}",  "{a:1}",
        "[01]",      "[1.]",
        "[.5]",      "[+1]",
        "[1e]",      "nul",
        "[tru]",     "\"abc",
        "\"\\x\"",   "\"\\u12\"",
        "\"\x01\"",  "\"\xff\"",
        "\"\xc3\"",  "\"\xed\xa0\x80\"",
        "[1]]",      "{} {}",
        "[NaN]",     "[Infinity]",
        "// a\n1",   "[1]/**/",
        "'a'",       "\"\\ud800\"",
        "[[[[1]]]]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_source source = memory_source_over(cases[i], strlen(cases[i]));
        struct trace trace = {.n = 0};
        struct cuzk_error err;

        if (json_sax(&source.base, 3, room, trace_event, &trace, &err) != CUZK_BAD_INPUT)
            fail_msg("accepted: %s", cases[i]);
        assert_memory_equal(err.message, "offset ", 7);
    }
}

static enum cuzk_status stop_at_key(void *ctx, const struct sax_event *event,
                                    struct cuzk_error *err)
{
    (void)ctx;
    return event->kind == SAX_KEY ? error_set(err, CUZK_CANCELLED, "enough") : CUZK_OK;
}

static void test_a_handler_that_fails_ends_the_parse(void **state)
{
    static const char text[] = "{\"a\": not read any more";
    struct memory_source source = memory_source_over(text, strlen(text));
    struct cuzk_error err;

    (void)state;
    assert_int_equal(json_sax(&source.base, 3, room, stop_at_key, NULL, &err), CUZK_CANCELLED);
    assert_string_equal(err.message, "enough");
}

static void test_the_longest_string_fits_and_a_longer_one_does_not(void **state)
{
    char *text = malloc(2 * SAX_TOKEN_MAX);

    (void)state;
    memset(text, 'a', 2 * SAX_TOKEN_MAX);
    text[0] = '"';
    for (size_t n = SAX_TOKEN_MAX - 70000; n < 2 * SAX_TOKEN_MAX; n += 60000) {
        struct memory_source source = memory_source_over(text, n);
        enum cuzk_status st;

        text[n - 1] = '"';
        st = json_sax(&source.base, 1, room, stop_at_key, NULL, NULL);
        if (n <= SAX_TOKEN_MAX)
            assert_int_equal(st, CUZK_OK);
        if (n > SAX_TOKEN_MAX + SAX_BUFFER_BYTES)
            assert_int_equal(st, CUZK_BAD_INPUT);
        text[n - 1] = 'a';
    }
    free(text);
}

/* ---- schemas --------------------------------------------------------------------------------- */

static const struct schema word = {.kind = SCHEMA_TEXT};
static const struct schema count = {.kind = SCHEMA_UINT};
static const struct schema counts = {.kind = SCHEMA_LIST, .element = &count, .element_item = 3};
static const struct schema_field fields[] = {
    {"word", &word, 1, false},
    {"counts", &counts, 2, false},
    {"extra", &count, 4, true},
};
static const struct schema root = {.kind = SCHEMA_OBJECT, .n_fields = 3, .fields = fields};

static enum cuzk_status set_length(void *ctx, struct schema_place *place, struct cuzk_error *err)
{
    (void)ctx;
    (void)err;
    place->length = 2;
    return CUZK_OK;
}

static enum cuzk_status add_up(void *ctx, int item, const struct schema_value *value,
                               struct cuzk_error *err)
{
    uint64_t *sum = ctx;

    if (item == 1 && value->n != 1)
        return error_set(err, CUZK_BAD_INPUT, "expected one letter");
    *sum += (uint64_t)item * 1000 + value->number;
    return CUZK_OK;
}

static void test_a_schema_takes_its_form_and_nothing_else(void **state)
{
    static const struct {
        const char *text, *says; /* says NULL: accepted */
    } cases[] = {
        {"{\"word\":\"a\",\"counts\":[1,2]}", NULL},
        {"{\"counts\":[1,2],\"word\":\"a\"}", NULL},
        {"{\"word\":\"ab\",\"counts\":[1,2]}", "offset 12: word: expected one letter"},
        {"{\"word\":\"a\"}", "offset 11: field counts is missing"},
        {"{\"word\":\"a\",\"counts\":[1]}", "counts: expected 2 entries, found 1"},
        {"{\"word\":\"a\",\"counts\":[1,2,3]}", "counts: expected 2 entries, found more"},
        {"{\"word\":\"a\",\"counts\":[1,[]]}", "counts[1]: expected an integer, found an array"},
        {"{\"word\":\"a\",\"word\":\"a\"}", "field word stands there twice"},
        {"{\"wor\":\"a\"}", "unknown field \"wor\""},
        {"{\"word\\u0000\":\"a\"}", "unknown field \"word"},
        {"[]", "offset 0: expected an object, found an array"},
        {"7", "expected an object, found an integer"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_source source = memory_source_over(cases[i].text, strlen(cases[i].text));
        uint64_t sum = 0;
        const struct schema_handler handler = {&sum, set_length, add_up};
        struct cuzk_error err;
        enum cuzk_status st = json_schema_read(&source.base, &root, &handler, room, &err);

        assert_int_equal(st, cases[i].says ? CUZK_BAD_INPUT : CUZK_OK);
        if (!cases[i].says)
            assert_int_equal(sum, 1000 + 3000 + 1 + 3000 + 2);
        else if (!strstr(err.message, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.message, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64_known_answers),
        cmocka_unit_test(test_base64_stops_at_the_first_character_that_cannot_be_there),
        cmocka_unit_test(test_base64_in_a_string_is_decoded_in_any_portions),
        cmocka_unit_test(test_json_events_come_in_reading_order),
        cmocka_unit_test(test_text_that_is_no_json_is_refused_with_its_offset),
        cmocka_unit_test(test_a_handler_that_fails_ends_the_parse),
        cmocka_unit_test(test_the_longest_string_fits_and_a_longer_one_does_not),
        cmocka_unit_test(test_a_schema_takes_its_form_and_nothing_else),
    };

    return cmocka_run_group_tests_name("format_streams", tests, NULL, NULL);
}
