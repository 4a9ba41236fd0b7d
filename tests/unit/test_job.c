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
    static const char *const arrows[] = {
        "waiting running",   "waiting failed", "waiting cancelled",
        "running waiting",   "running done",   "running failed",
        "running cancelled", "failed waiting", "cancelled waiting"};
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

static void test_job_turns_go_by_priority_then_deadline_then_age(void **state)
{
    const struct job_turn turns[] = {
        {PRIORITY_CRITICAL, 100, 0, 9},
        {PRIORITY_NORMAL, 100, 10, 8}, /* passed when it came */
        {PRIORITY_NORMAL, 100, 110, 7},
        {PRIORITY_NORMAL, 50, 0, 1},
        {PRIORITY_NORMAL, 50, 50 + JOB_PATIENCE, 2},
        {PRIORITY_NORMAL, 51, 0, 6},
        {PRIORITY_NORMAL, 40, 1e10, 0},
        {PRIORITY_LOW, 0, 1, 3},
    };
    const size_t n = sizeof turns / sizeof *turns;

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            assert_int_equal(job_goes_before(&turns[i], &turns[k]), i < k);
}

/* Jobs with deadlines come for ever, each served at once: one without waits no longer than its
 * patience. */
static void test_job_without_deadline_does_not_starve(void **state)
{
    const struct job_turn patient = {PRIORITY_NORMAL, 0, 0, 0};
    double now = 0;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (int64_t i = 1; now <= JOB_PATIENCE; i++, now += 1) {
        const struct job_turn hasty = {PRIORITY_NORMAL, now, now + 1 + (double)rng_below(&rng, 60),
                                       i};

        assert_int_equal(job_goes_before(&hasty, &patient), hasty.deadline < JOB_PATIENCE);
    }
    assert_true(job_goes_before(&patient, &(struct job_turn){PRIORITY_NORMAL, now, now + 1, 9999}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_kinds_have_their_priorities),
        cmocka_unit_test(test_job_states_have_no_other_arrows),
        cmocka_unit_test(test_job_request_takes_ranges_up_to_the_limit),
        cmocka_unit_test(test_job_turns_go_by_priority_then_deadline_then_age),
        cmocka_unit_test(test_job_without_deadline_does_not_starve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
