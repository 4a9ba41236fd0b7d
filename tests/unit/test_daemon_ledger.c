/* Who may begin next, and how much memory there is. */
#include "daemon/ledger.h"

#include <sys/stat.h>
#include <unistd.h>

#include "daemon/memory_limit.h"
#include "support/machine_root.h"
#include "support/testing.h"

static void test_ledger_serves_the_line_in_its_order(void **state)
{
    const struct ledger l = {.total = 100, .standing = 10};
    struct candidate line[] = {{.need = 40, .has_worker = true}, {.need = 40, .has_worker = true}};

    (void)state;
    assert_int_equal(ledger_choose(&l, line, 2), 0);
    assert_int_equal(ledger_choose(&l, line, 0), 0);
}

static void test_ledger_keeps_for_the_first_what_it_waits_for(void **state)
{
    const struct ledger l = {.total = 100, .held = 40};
    struct candidate line[] = {{.need = 70, .has_worker = true}, {.need = 50, .has_worker = true}};

    (void)state;
    /* 60 are free: the second would fit, and the first would starve behind a stream of such. */
    assert_int_equal(ledger_choose(&l, line, 2), 2);
    assert_int_equal(line[0].why, WAITS_MEMORY);
    assert_int_equal(line[1].why, WAITS_TURN);
}

static void test_ledger_lets_the_second_go_when_there_is_room_for_both(void **state)
{
    const struct ledger l = {.total = 100};
    struct candidate line[] = {{.need = 40, .has_worker = false}, {.need = 60, .has_worker = true}};

    (void)state;
    assert_int_equal(ledger_choose(&l, line, 2), 1);
    assert_int_equal(line[0].why, WAITS_WORKER);
    line[1].need = 61;
    assert_int_equal(ledger_choose(&l, line, 2), 2);
    assert_int_equal(line[1].why, WAITS_TURN);
}

static void test_ledger_reserve_is_for_urgent_jobs(void **state)
{
    const struct ledger l = {.total = 100, .held = 30, .urgent_reserve = 30};
    struct candidate ordinary = {.need = 41, .has_worker = true},
                     urgent = {.need = 70, .has_worker = true, .urgent = true};

    (void)state;
    assert_int_equal(ledger_choose(&l, &ordinary, 1), 1);
    ordinary.need = 40;
    assert_int_equal(ledger_choose(&l, &ordinary, 1), 0);
    assert_int_equal(ledger_choose(&l, &urgent, 1), 0);
    assert_int_equal(ledger_most(&l, false), 70);
    assert_int_equal(ledger_most(&l, true), 100);
}

/* A line of random jobs, served until it is empty, each running for a random time: the first is
 * never overtaken once it waits for memory only, nothing is taken beyond the total, all are served.
 */
static void test_ledger_starves_nobody(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned round = 0; round < 200; round++) {
        enum { N = 40 };
        struct ledger l = {.total = 100, .standing = rng_below(&rng, 10), .urgent_reserve = 0};
        struct candidate line[N];
        uint64_t running[N];
        size_t n = N, n_running = 0, turns = 0;

        for (size_t i = 0; i < N; i++)
            line[i] = (struct candidate){.need = 1 + rng_below(&rng, ledger_most(&l, false)),
                                         .has_worker = true};
        while (n > 0) {
            const size_t i = ledger_choose(&l, line, n);

            assert_true(turns++ < 10000);
            if (i == n) { /* somebody must end first */
                const size_t k = rng_below(&rng, n_running);

                assert_true(n_running > 0);
                l.held -= running[k];
                running[k] = running[--n_running];
                continue;
            }
            assert_int_equal(i, 0); /* all have workers: strictly in order */
            l.held += line[0].need;
            assert_true(l.standing + l.held <= l.total);
            running[n_running++] = line[0].need;
            memmove(line, line + 1, --n * sizeof *line);
        }
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void test_limit_of_v2_is_the_least_of_all_ancestors(void **state)
{
    char from[256];

    (void)state;
    machine_put("proc/meminfo", "MemTotal:       16000000 kB\nMemFree: 1 kB\n");
    machine_put("proc/self/cgroup", "0::/system.slice/cuzk.service\n");
    machine_put("sys/fs/cgroup/system.slice/cuzk.service/memory.max", "max\n");
    machine_put("sys/fs/cgroup/system.slice/cuzk.service/memory.high", "max\n");
    assert_int_equal(memory_limit(machine_root(), from), 16384000000);
    assert_non_null(strstr(from, "proc/meminfo"));
    machine_put("sys/fs/cgroup/system.slice/memory.max", "8000000000\n");
    assert_int_equal(memory_limit(machine_root(), from), 8000000000);
    assert_non_null(strstr(from, "system.slice/memory.max"));
    machine_put("sys/fs/cgroup/system.slice/cuzk.service/memory.high", "7000000000\n");
    assert_int_equal(memory_limit(machine_root(), NULL), 7000000000);
    machine_put("sys/fs/cgroup/memory.max", "5000000000\n"); /* a container's own mount */
    assert_int_equal(memory_limit(machine_root(), NULL), 5000000000);
}

static void test_limit_of_v1_is_the_least_of_all_ancestors(void **state)
{
    (void)state;
    machine_put("proc/meminfo", "MemTotal:       16000000 kB\n");
    machine_put("proc/self/cgroup", "12:cpu,cpuacct:/a\n7:memory:/docker/0123/inner\n0::/\n");
    machine_put("sys/fs/cgroup/memory/docker/0123/inner/memory.limit_in_bytes",
                "9223372036854771712\n");
    assert_int_equal(memory_limit(machine_root(), NULL), 16384000000);
    machine_put("sys/fs/cgroup/memory/docker/0123/memory.limit_in_bytes", "3221225472\n");
    assert_int_equal(memory_limit(machine_root(), NULL), 3221225472);
    machine_put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    assert_int_equal(memory_limit(machine_root(), NULL), 1073741824);
}

static void test_limit_of_nothing_is_unknown(void **state)
{
    (void)state;
    assert_int_equal(memory_limit(machine_root(), NULL), 0);
}

static void test_meter_sees_this_process(void **state)
{
    (void)state;
    assert_true(memory_metered((int)getpid()) > 100000);
    assert_int_equal(memory_metered(0x7ffffff0), 0);
}

int main(void)
{
#define IN_ROOT(f) cmocka_unit_test_setup_teardown(f, machine_root_new, machine_root_remove)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ledger_serves_the_line_in_its_order),
        cmocka_unit_test(test_ledger_keeps_for_the_first_what_it_waits_for),
        cmocka_unit_test(test_ledger_lets_the_second_go_when_there_is_room_for_both),
        cmocka_unit_test(test_ledger_reserve_is_for_urgent_jobs),
        cmocka_unit_test(test_ledger_starves_nobody),
        IN_ROOT(test_limit_of_v2_is_the_least_of_all_ancestors),
        IN_ROOT(test_limit_of_v1_is_the_least_of_all_ancestors),
        IN_ROOT(test_limit_of_nothing_is_unknown),
        cmocka_unit_test(test_meter_sees_this_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
