/* daemon/worker: what a worker process may see of the machine. */
#include "support/testing.h"

#include "daemon/worker.h"

static void test_a_worker_sees_its_own_card(void **state)
{
    static const struct {
        const char *seen;
        int ordinal;
        const char *card;
    } cases[] = {
        {NULL, 0, "0"},  {NULL, 3, "3"}, {"2,3", 0, "2"},
        {"2,3", 1, "3"}, {"2,3", 2, ""}, {"GPU-5f0c,GPU-77aa,1", 1, "GPU-77aa"},
        {"", 0, ""},     {"", 1, ""},
    };
    char card[64];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        worker_visible_card(card, sizeof card, cases[i].seen, cases[i].ordinal);
        assert_string_equal(card, cases[i].card);
    }
}

static void test_stages_have_accounts(void **state)
{
    static const struct {
        const char *stage;
        enum worker_account account;
    } cases[] = {
        {"read C1", ACCOUNT_SYNTHESIS},
        {"read proofs", ACCOUNT_SYNTHESIS},
        {"record circuit", ACCOUNT_KEY},
        {"open key", ACCOUNT_KEY},
        {"upload key", ACCOUNT_KEY},
        {"partition 11: witness", ACCOUNT_SYNTHESIS},
        {"partition 11: put witness", ACCOUNT_COMPUTE},
        {"  put witness", ACCOUNT_COMPUTE},
        {"  sum H", ACCOUNT_COMPUTE},
        {"  assemble", ACCOUNT_COMPUTE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(worker_account_of(cases[i].stage), cases[i].account);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_worker_sees_its_own_card),
        cmocka_unit_test(test_stages_have_accounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
