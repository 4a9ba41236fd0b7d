/* How many threads are right, by the mask and by the control groups. */
#include "support/testing.h"

#include "base/processors.h"
#include "support/machine_root.h"
#include "support/processor_mask.h"

static struct processors count(void)
{
    struct processors p;

    processors_count(&p, machine_root());
    assert_true(p.mask >= 1 && p.online >= p.mask);
    return p;
}

/* What a quota of that many processors, rounded up, leaves of those that we may run on. */
static unsigned at_most(unsigned quota)
{
    const unsigned mask = count().mask;

    return quota < mask ? quota : mask;
}

static void test_threads_without_groups_are_those_of_the_mask(void **state)
{
    (void)state;
    assert_int_equal(count().threads, count().mask);
    assert_true(count().quota == 0);
    machine_put("proc/self/cgroup", "0::/\n4:cpu,cpuacct:/\n");
    assert_int_equal(count().threads, count().mask);
}

static void test_quota_of_v2_is_the_least_of_all_ancestors(void **state)
{
    (void)state;
    machine_put("proc/self/cgroup", "0::/system.slice/cuzk.service\n");
    machine_put("sys/fs/cgroup/system.slice/cuzk.service/cpu.max", "max 100000\n");
    assert_true(count().quota == 0);
    machine_put("sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
    assert_true(count().quota == 1.5);
    assert_non_null(strstr(count().quota_from, "system.slice/cpu.max"));
    assert_int_equal(count().threads, at_most(2));
    machine_put("sys/fs/cgroup/system.slice/cuzk.service/cpu.max", "200000 100000\n");
    assert_true(count().quota == 1.5);
    machine_put("sys/fs/cgroup/cpu.max", "10000 20000\n"); /* a container's own mount */
    assert_true(count().quota == 0.5);
    assert_int_equal(count().threads, 1);
}

static void test_quota_of_v1_is_the_least_of_all_ancestors(void **state)
{
    (void)state;
    machine_put("proc/self/cgroup", "12:cpuset:/a\n4:cpu,cpuacct:/docker/0123\n0::/\n");
    machine_put("sys/fs/cgroup/cpuset/a/cpu.cfs_quota_us", "10000\n"); /* is not looked at */
    machine_put("sys/fs/cgroup/cpu,cpuacct/docker/0123/cpu.cfs_quota_us", "-1\n");
    machine_put("sys/fs/cgroup/cpu,cpuacct/docker/0123/cpu.cfs_period_us", "100000\n");
    assert_true(count().quota == 0);
    machine_put("sys/fs/cgroup/cpu,cpuacct/docker/0123/cpu.cfs_quota_us", "110000\n");
    assert_true(count().quota == 1.1);
    assert_int_equal(count().threads, at_most(2));
    machine_put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
    assert_true(count().quota == 1.1); /* no period */
    machine_put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "50000\n");
    assert_true(count().quota == 1);
    assert_int_equal(count().threads, 1);
}

static void test_quotas_that_say_nothing_set_none(void **state)
{
    static const char *const texts[] = {"",           "\n",          "max\n",     "50000\n",
                                        "0 100000\n", "-5 100000\n", "50000 0\n", "fifty 100000\n"};

    (void)state;
    machine_put("proc/self/cgroup", "nonsense\n0::/a\n");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        machine_put("sys/fs/cgroup/a/cpu.max", texts[i]);
        assert_true(count().quota == 0);
        assert_int_equal(count().threads, count().mask);
    }
}

static void test_threads_are_those_of_a_mask_of_one(void **state)
{
    cpu_set_t before;

    (void)state;
    mask_to_one(&before);
    assert_int_equal(count().mask, 1);
    assert_int_equal(count().threads, 1);
    mask_restore(&before);
    assert_int_equal(count().mask, CPU_COUNT(&before));
}

int main(void)
{
#define IN_ROOT(f) cmocka_unit_test_setup_teardown(f, machine_root_new, machine_root_remove)
    const struct CMUnitTest tests[] = {
        IN_ROOT(test_threads_without_groups_are_those_of_the_mask),
        IN_ROOT(test_quota_of_v2_is_the_least_of_all_ancestors),
        IN_ROOT(test_quota_of_v1_is_the_least_of_all_ancestors),
        IN_ROOT(test_quotas_that_say_nothing_set_none),
        IN_ROOT(test_threads_are_those_of_a_mask_of_one),
    };

    return cmocka_run_group_tests_name("processors", tests, NULL, NULL);
}
