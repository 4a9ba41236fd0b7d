/* engine/report: the same events as text and as JSON. */
#include "support/testing.h"

#include "engine/report.h"

static char *print(const struct report *report, bool json)
{
    static char text[8192];
    FILE *out = fmemopen(text, sizeof text, "w");

    assert_non_null(out);
    assert_int_equal(json ? report_print_json(report, out, NULL)
                          : report_print_text(report, out, NULL),
                     CUZK_OK);
    fclose(out);
    return text;
}

static void fill(struct report *report)
{
    report_init(report);
    report_text(report, "name", "a \"quoted\" %s", "tab\there");
    report_number(report, "rows", 130278541);
    report_object(report, "inner");
    report_bool(report, "dense", true);
    report_end(report);
    report_list(report, "files");
    report_text(report, NULL, "one");
    report_text(report, NULL, "two");
    report_end(report);
    report_real(report, "ratio", 1.5);
}

/* Whatever bytes a text holds, the JSON is UTF-8. */
static void test_report_json_escapes_what_is_no_utf8(void **state)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xff\n\"", "\\u00ff\\u000a\\\""},
        {"\xc3", "\\u00c3"},                       /* cut */
        {"\xc0\xaf", "\\u00c0\\u00af"},            /* too long a form */
        {"\xed\xa0\x80", "\\u00ed\\u00a0\\u0080"}, /* half of a pair */
        {"\xe2\x82z", "\\u00e2\\u0082z"},
        {"\xf4\x90\x80\x80", "\\u00f4\\u0090\\u0080\\u0080"}, /* beyond the last */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct report report;
        char expected[100];
        char *text;

        report_init(&report);
        report_text(&report, "t", "%s", cases[i].text);
        snprintf(expected, sizeof expected, "{\n  \"t\": \"%s\"\n}\n", cases[i].json);
        text = print(&report, true);
        assert_string_equal(text, expected);
        report_done(&report);
    }
}

static void test_report_json_is_exact(void **state)
{
    struct report report;

    (void)state;
    fill(&report);
    assert_string_equal(
        print(&report, true),
        "{\n  \"name\": \"a \\\"quoted\\\" tab\\u0009here\",\n  \"rows\": 130278541,\n"
        "  \"inner\": {\n    \"dense\": true},\n  \"files\": [\n    \"one\",\n"
        "    \"two\"],\n  \"ratio\": 1.5\n}\n");
    report_done(&report);
}

static void test_report_text_groups_digits_and_indents(void **state)
{
    struct report report;

    (void)state;
    fill(&report);
    assert_non_null(strstr(print(&report, false), "rows                     130,278,541\n"));
    assert_non_null(strstr(print(&report, false), "inner:\n  dense"));
    assert_non_null(strstr(print(&report, false), "files:\n  - one\n  - two\nratio"));
    report_done(&report);
}

static void test_report_that_did_not_fit_says_so(void **state)
{
    struct report report;
    struct cuzk_error err;

    (void)state;
    report_init(&report);
    for (int i = 0; i < 400000; i++)
        report_number(&report, "n", 1);
    assert_int_equal(report_print_json(&report, stderr, &err), CUZK_NO_MEMORY);
    report_done(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_json_is_exact),
        cmocka_unit_test(test_report_json_escapes_what_is_no_utf8),
        cmocka_unit_test(test_report_text_groups_digits_and_indents),
        cmocka_unit_test(test_report_that_did_not_fit_says_so),
    };

    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
