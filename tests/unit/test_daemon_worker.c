/* daemon/worker: what a worker process may see of the machine. */
#include "support/testing.h"

#include "daemon/worker.h"

static void test_a_worker_sees_its_own_card(void **state)
{
    static const struct {
        const char *seen;
        const char *named;
        const char *card;
    } cases[] = {
        {NULL, "0", "0"},
        {NULL, "3", "3"},
        {"2,3", "0", "2"},
        {"2,3", "1", "3"},
        {"2,3", "2", ""},
        {"GPU-5f0c,GPU-77aa,1", "1", "GPU-77aa"},
        {"", "0", ""},
        {"", "1", ""},
        {NULL, "GPU-5f0c", "GPU-5f0c"},
        {"2,3", "GPU-5f0c", "GPU-5f0c"},
    };
    char card[64];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        worker_visible_card(card, sizeof card, cases[i].seen, cases[i].named);
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

static void test_stages_name_their_partition(void **state)
{
    (void)state;
    assert_int_equal(worker_partition_of("partition 0: witness"), 0);
    assert_int_equal(worker_partition_of("partition 11: put witness"), 11);
    assert_int_equal(worker_partition_of("  sum H"), -1);
    assert_int_equal(worker_partition_of("partition x"), -1);
    assert_int_equal(worker_partition_of("partition 65536: witness"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_worker_sees_its_own_card),
        cmocka_unit_test(test_stages_have_accounts),
        cmocka_unit_test(test_stages_name_their_partition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
