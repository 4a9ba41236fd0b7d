/* daemon/log: one line an event, whatever the values are. */
#include "support/testing.h"

#include <fcntl.h>
#include <unistd.h>

#include "daemon/log.h"

/* What was logged since the last call. */
static const char *logged(int fd)
{
    static char text[1 << 20];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);

    assert_true(n >= 0);
    text[n] = 0;
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return text;
}

static int open_log(void)
{
    int fd = open(CUZK_BINARY_DIR, O_TMPFILE | O_RDWR, 0600);

    assert_true(fd >= 0);
    log_to(fd);
    return fd;
}

static void close_log(int fd)
{
    log_to(STDERR_FILENO);
    close(fd);
}

static void test_a_line_is_logfmt_or_json(void **state)
{
    int fd = open_log();
    const char *line;
    char number[LOG_NUMBER];

    (void)state;
    log_start(LOG_LEVEL_INFO, LOG_FORMAT_TEXT);
    log_info("job accepted", "job", "a~1", "circuit", "porep 2", "none", NULL, "empty", "", "bytes",
             log_number(number, 68), NULL);
    line = logged(fd);
    assert_memory_equal(line, "ts=20", 5);
    assert_string_equal(strstr(line, " level="),
                        " level=info msg=\"job accepted\" job=a~1 circuit=\"porep 2\" bytes=68\n");
    log_start(LOG_LEVEL_INFO, LOG_FORMAT_JSON);
    log_warn("late", "job", "a", NULL);
    line = logged(fd);
    assert_memory_equal(line, "{\"ts\":\"20", 9);
    assert_string_equal(strstr(line, ",\"level\""),
                        ",\"level\":\"warn\",\"msg\":\"late\",\"job\":\"a\"}\n");
    close_log(fd);
}

static void test_levels_below_are_silent(void **state)
{
    int fd = open_log();

    (void)state;
    log_start(LOG_LEVEL_WARN, LOG_FORMAT_TEXT);
    log_info("not told", NULL);
    assert_string_equal(logged(fd), "");
    assert_false(log_wants(LOG_LEVEL_DEBUG));
    assert_true(log_wants(LOG_LEVEL_ERROR));
    close_log(fd);
}

static void test_hostile_values_stay_inside_their_quotes(void **state)
{
    int fd = open_log();
    const char *line;
    char large[20000];

    (void)state;
    log_start(LOG_LEVEL_INFO, LOG_FORMAT_JSON);
    log_info("m", "id", "a\"}\n{\"level\":\"error\x1b[31m\xff", NULL);
    line = logged(fd);
    assert_non_null(
        strstr(line, "\"id\":\"a\\\"}\\u000a{\\\"level\\\":\\\"error\\u001b[31m\\u00ff\"}\n"));
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = "x\n\""[i % 3];
    large[sizeof large - 1] = 0;
    log_info("m", "id", large, "more", large, NULL);
    line = logged(fd);
    assert_true(strlen(line) <= LOG_LINE_MAX);
    assert_string_equal(line + strlen(line) - 3, "\"}\n");
    log_start(LOG_LEVEL_INFO, LOG_FORMAT_TEXT);
    log_info("m", "id", large, NULL);
    line = logged(fd);
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    close_log(fd);
}

static void test_a_flood_is_counted_not_written(void **state)
{
    int fd = open_log();
    const char *text;
    size_t lines = 0;

    (void)state;
    log_start(LOG_LEVEL_INFO, LOG_FORMAT_TEXT);
    for (int i = 0; i < 20 * LOG_LINES_PER_SECOND; i++)
        log_info("again", NULL);
    text = logged(fd);
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        lines++;
    assert_in_range(lines, LOG_LINES_PER_SECOND / 2, 10 * LOG_LINES_PER_SECOND);
    sleep(1);
    log_info("after", NULL);
    text = logged(fd);
    assert_non_null(strstr(text, "level=warn msg=\"lines were left out\" lines="));
    assert_non_null(strstr(text, "msg=after"));
    close_log(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_is_logfmt_or_json),
        cmocka_unit_test(test_levels_below_are_silent),
        cmocka_unit_test(test_hostile_values_stay_inside_their_quotes),
        cmocka_unit_test(test_a_flood_is_counted_not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
