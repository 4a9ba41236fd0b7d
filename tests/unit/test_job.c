/* Kinds, priorities and states of jobs; their requests. */
#include "engine/job.h"
#include "support/testing.h"

static void test_job_kinds_have_their_priorities(void **state)
{
    (void)state;
    assert_int_equal(job_priority_of(PRIORITY_NONE, JOB_WINNING), PRIORITY_CRITICAL);
    assert_int_equal(job_priority_of(PRIORITY_NONE, JOB_WINDOW), PRIORITY_HIGH);
    assert_int_equal(job_priority_of(PRIORITY_NONE, JOB_POREP), PRIORITY_NORMAL);
    assert_int_equal(job_priority_of(PRIORITY_LOW, JOB_WINNING), PRIORITY_LOW);
    assert_int_equal(job_priority_of(99, JOB_WINNING), PRIORITY_NORMAL);
    assert_string_equal(job_kind_name((enum job_kind)77), "unspecified");
}

static void test_job_states_have_no_other_arrows(void **state)
{
    /* the drawing at the top of job.c */
    static const char *const arrows[] = {"waiting running",   "waiting failed",    "waiting cancelled",
                                         "running waiting",   "running done",      "running failed",
                                         "running cancelled", "failed waiting",    "cancelled waiting"};
    size_t n = 0;

    (void)state;
    for (unsigned from = 0; from < JOB_N_STATES; from++)
        for (unsigned to = 0; to < JOB_N_STATES; to++) {
            char text[64];
            bool drawn = false;

            snprintf(text, sizeof text, "%s %s", job_state_name(from), job_state_name(to));
            for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
                drawn |= strcmp(text, arrows[i]) == 0;
            assert_int_equal(job_state_may_become(from, to), drawn);
            n += drawn;
        }
    assert_int_equal(n, sizeof arrows / sizeof *arrows);
}

static void test_job_request_takes_ranges_up_to_the_limit(void **state)
{
    struct job_request request = {0};
    struct cuzk_error err;

    (void)state;
    for (size_t i = 0; i < JOB_RANGES_MAX; i++)
        assert_int_equal(
            job_request_add_range(&request, (struct job_range){.offset = i, .bytes = 2 * i}, &err),
            CUZK_OK);
    assert_int_equal(job_request_add_range(&request, (struct job_range){0}, &err), CUZK_BAD_INPUT);
    assert_int_equal(job_request_n_ranges(&request), JOB_RANGES_MAX);
    for (size_t i = 0; i < JOB_RANGES_MAX; i++)
        assert_int_equal(job_request_ranges(&request)[i].bytes, 2 * i);
    job_request_done(&request);
    assert_int_equal(job_request_n_ranges(&request), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_kinds_have_their_priorities),
        cmocka_unit_test(test_job_states_have_no_other_arrows),
        cmocka_unit_test(test_job_request_takes_ranges_up_to_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
