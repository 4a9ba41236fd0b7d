/* The text forms of gRPC: timeouts and sentences. */
#include "support/testing.h"

#include "daemon/grpc.h"

static void test_timeouts_are_read(void **state)
{
    static const struct {
        const char *text;
        uint64_t nanoseconds;
    } cases[] = {
        {"1n", 1},
        {"20u", 20000},
        {"1800000m", UINT64_C(1800000000000)},
        {"0S", 0},
        {"30M", UINT64_C(1800000000000)},
        {"99999999S", UINT64_C(99999999000000000)},
        {"1H", UINT64_C(3600000000000)},
        {"99999999H", GRPC_NO_TIMEOUT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t nanoseconds;

        assert_true(grpc_timeout_parse(&nanoseconds, cases[i].text));
        assert_int_equal(nanoseconds, cases[i].nanoseconds);
    }
}

static void test_what_is_no_timeout_is_refused(void **state)
{
    static const char *const texts[] = {"",  "5",   "m",   "5 m", "-5m",        "5x",
                                        "s", "1mS", "1m ", "+1m", "123456789m", "0x5m"};
    uint64_t nanoseconds;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(grpc_timeout_parse(&nanoseconds, texts[i]));
}

static void test_a_written_timeout_is_never_shorter(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (int i = 0; i < 10000; i++) {
        uint64_t wanted = rng_u64(&rng) >> (i % 64), got;
        char text[GRPC_TIMEOUT_TEXT];

        grpc_timeout_write(text, wanted);
        assert_true(grpc_timeout_parse(&got, text));
        assert_true(got >= wanted);
        assert_true(got == GRPC_NO_TIMEOUT || got - wanted <= wanted / 1000 + 1);
    }
}

static void test_sentences_come_back_and_are_cut_between_characters(void **state)
{
    char all[256], text[800], back[256];

    (void)state;
    for (int i = 0; i < 255; i++)
        all[i] = (char)(i + 1);
    all[255] = 0;
    for (size_t size = 1; size <= sizeof text; size++) {
        size_t n = grpc_message_encode(text, size, all);

        assert_true(n < size);
        assert_int_equal(strlen(text), n);
        for (size_t i = 0; i < n; i++)
            assert_in_range((unsigned char)text[i], 0x20, 0x7e);
        grpc_message_decode(back, sizeof back, text, n);
        assert_memory_equal(back, all, strlen(back));
        assert_true(size < sizeof text || strlen(back) == 255);
    }
    grpc_message_decode(back, sizeof back, "50%, %zz%2", 10);
    assert_string_equal(back, "50%, %zz%2");
    grpc_message_decode(back, 3, "abcdef", 6);
    assert_string_equal(back, "ab");
}

static void test_codes_have_their_names(void **state)
{
    (void)state;
    assert_string_equal(grpc_code_name(GRPC_OK), "OK");
    assert_string_equal(grpc_code_name(GRPC_UNAUTHENTICATED), "UNAUTHENTICATED");
    assert_string_equal(grpc_code_name(17), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timeouts_are_read),
        cmocka_unit_test(test_what_is_no_timeout_is_refused),
        cmocka_unit_test(test_a_written_timeout_is_never_shorter),
        cmocka_unit_test(test_sentences_come_back_and_are_cut_between_characters),
        cmocka_unit_test(test_codes_have_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
