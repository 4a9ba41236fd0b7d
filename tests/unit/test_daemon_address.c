/* daemon/address: what a listener's address may look like. */
#include "support/testing.h"

#include "daemon/address.h"

static void test_addresses_round_trip(void **state)
{
    static const struct {
        const char *text;
        bool is_local;
    } cases[] = {
        {"unix:///run/curio/cuzk.sock", true},
        {"127.0.0.1:9820", true},
        {"127.9.9.9:1", true},
        {"localhost:9820", true},
        {"[::1]:9820", true},
        {"[::]:9820", false},
        {"0.0.0.0:0", false},
        {":65535", false},
        {"10.1.2.3:9820", false},
        {"prover.example:9820", false},
    };
    struct address address;
    char text[ADDRESS_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(address_parse(&address, cases[i].text, NULL), CUZK_OK);
        address_text(text, &address);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(address_is_local(&address), cases[i].is_local);
    }
    assert_int_equal(address_parse(&address, "http://127.0.0.1:9820", NULL), CUZK_OK);
    address_text(text, &address);
    assert_string_equal(text, "127.0.0.1:9820");
}

static void test_what_is_no_address_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "9820",
        "host",
        "host:",
        "host:65536",
        "host:-1",
        "host:98x",
        "::1:9820",
        "unix://",
        "unix://relative",
        "host:123456",
        "a/b:1",
        "http://host",
        "[::1]9820",
        "unix:///a/path/that/is/longer/than/the/hundred/and/seven/bytes/that/the/kernel/keeps/for/"
        "the/"
        "name/of/a/unix/socket/however/deep/its/folder/is",
    };
    struct address address;
    struct cuzk_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(address_parse(&address, bad[i], &err), CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "'"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses_round_trip),
        cmocka_unit_test(test_what_is_no_address_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
