/* What goes wrong around the jobs, and that the daemon outlives it: calls that fail, memory that is
 * refused, keys that change under the map, cancelling at any moment. */
#include "jobs_daemon.inc.h"

#include "base/clock.h"
#include "support/daemon/faulty_calls.h"

#include <sys/syscall.h>

/* The n-th piece of memory that the daemon asks for is refused, for every n that a job needs: the
 * request is refused, or it ends done. */
static void test_any_refused_memory_fails_a_request_or_nothing(void **state)
{
    unsigned refused = 0, n = 0;
    size_t counted;

    (void)state;
    must_be_served("warm");
    do {
        struct asked a = {.request = winning(""), .body = body};

        a.request.priority = PRIORITY_LOW;
        snprintf(a.request.request_id, sizeof a.request.request_id, "n%u", ++n);
        mem_fail_at(n);
        ask(do_submit, &a);
        must_answer(&a);
        if (a.refusal == REFUSED_NOT)
            must_end_done(a.id);
        else
            refused++;
        counted = mem_fail_at(0);
    } while (counted >= n && n < 200);
    assert_true(n > 10 && n < 200 && refused > 0);
    must_be_served("n1"); /* what was refused is taken when it comes again */
    must_be_served("after");
}

static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* No file may grow beyond so many bytes, as on a disk that is full: the request is refused, or it
 * waits until there is room, and ends done. */
static void test_a_full_disk_fails_a_request_or_delays_it(void **state)
{
    unsigned refused = 0;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    must_be_served("warm");
    for (unsigned i = 0; i < 12; i++) {
        struct asked a = {.request = winning(""), .body = body};
        bool at_once;

        a.request.priority = PRIORITY_LOW;
        snprintf(a.request.request_id, sizeof a.request.request_id, "f%u", i);
        assert_true(loop_call(loop, do_submit, &a));
        usleep(4000 * i);
        limit_files(64 + 1024 * i); /* beyond the body, at some place of the job */
        at_once = wait_answer(&a, 2);
        limit_files(RLIM_INFINITY);
        if (!at_once)
            must_answer(&a);
        if (a.refusal == REFUSED_NOT)
            must_end_done(a.id);
        else
            refused++;
    }
    assert_true(refused > 0);
    must_be_served("after");
}

static void test_a_worker_that_cannot_be_started_is_waited_for(void **state)
{
    struct asked a = {.request = winning("x"), .body = body};
    char path[600];

    (void)state;
    stop();
    snprintf(path, sizeof path, "%s/program", wrongs);
    program = path;
    start();
    ask(do_submit, &a); /* there is no planner either */
    assert_false(wait_answer(&a, 1));
    assert_int_equal(symlink(fast_worker, path), 0);
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_NOT);
    must_end_done(a.id);
    program = fast_worker;
}

/* ---- calls that fail ------------------------------------------------------------------------- */

/* As do_submit, but what fails in it is the jobs' affair: the body goes past the faulty calls. */
static void do_submit_faulty(void *ctx)
{
    struct asked *a = ctx;
    struct submission s = {.request = a->request};
    struct file_map map;
    struct cuzk_error err;

    must(file_map(&map, a->body, &err), &err);
    a->refusal = REFUSED_FAULT;
    if (jobs_spool_open(jobs, &s.fd, &err) != CUZK_OK) {
        file_unmap(&map);
        answered(a);
        return;
    }
    assert_int_equal(syscall(SYS_write, s.fd, map.data, map.bytes), map.bytes);
    s.bytes = map.bytes;
    file_unmap(&map);
    a->call = jobs_submit(jobs, &s, came_submit, a);
    assert_non_null(a->call);
}

/* The n-th call of this kind fails, for every n that a job needs: its request is refused as our
 * fault, or it ends done; and what was refused is taken when it comes again. Returns the calls of a
 * job. */
static unsigned fail_every_call(enum faulty_call kind)
{
    unsigned refused = 0, n = 0;
    size_t counted;

    must_be_served("warm");
    do {
        struct asked a = {.request = winning(""), .body = body};

        a.request.priority = PRIORITY_LOW;
        snprintf(a.request.request_id, sizeof a.request.request_id, "call-%u", ++n);
        call_fail_at(kind, n);
        ask(do_submit_faulty, &a);
        must_answer(&a);
        if (a.refusal == REFUSED_NOT)
            must_end_done(a.id);
        else
            assert_int_equal(a.refusal, REFUSED_FAULT);
        counted = call_fail_at(kind, 0);
        if (a.refusal != REFUSED_NOT) {
            refused++;
            must_be_served(a.request.request_id);
        }
    } while (counted >= n && n < 400);
    assert_true(n < 400);
    printf("%u calls, %u of them refuse the request\n", n - 1, refused);
    stop();
    start();
    must_be_served("after");
    return n - 1;
}

static void test_any_failed_read_fails_a_request_or_delays_it(void **state)
{
    (void)state;
    assert_true(fail_every_call(FAULTY_READ) > 2);
}

static void test_any_failed_write_fails_a_request_or_delays_it(void **state)
{
    (void)state;
    assert_true(fail_every_call(FAULTY_WRITE) > 10);
}

/* The processor's worker, the urgent one, the planner; and those that come after a death. */
static void test_any_failed_start_of_a_process_is_made_up_for(void **state)
{
    size_t counted;
    unsigned n = 0;

    (void)state;
    do {
        stop();
        remove_tree(folder);
        call_fail_at(FAULTY_SPAWN, ++n);
        start();
        must_be_served("job");
        do_wrong("die");
        must_be_served("dies");
        counted = call_fail_at(FAULTY_SPAWN, 0);
    } while (counted >= n && n < 20);
    assert_in_range(n, 5, 10);
}

/* ---- memory that a worker is refused --------------------------------------------------------- */

static void refuse_memory_at(unsigned n)
{
    char fresh[600], path[600];
    FILE *f;

    snprintf(fresh, sizeof fresh, "%s/refuse.new", wrongs);
    snprintf(path, sizeof path, "%s/refuse", wrongs);
    f = fopen(fresh, "w");
    assert_non_null(f);
    fprintf(f, "%u", n);
    fclose(f);
    assert_int_equal(rename(fresh, path), 0);
}

static struct asked prove_once(const char *id)
{
    struct asked a = submit(id, PRIORITY_LOW);

    if (a.refusal != REFUSED_NOT)
        fail_msg("refused: %s", a.sentence);
    return await_end_of(a.id);
}

static void evict_all(void)
{
    struct asked evict = {.id = "winning-2KiB"};

    ask(do_evict, &evict);
    must_answer(&evict);
    assert_int_equal(evict.status, CUZK_OK);
}

/* Every job is refused its n-th piece, counted from the end of the one before; the retry has it. */
static void refuse_every_piece(bool cold)
{
    struct asked a;
    unsigned n = 0;
    char id[32];

    refuse_memory_at(1);
    a = prove_once("warm");
    must_be_done(&a);
    do {
        if (cold)
            evict_all();
        refuse_memory_at(++n + 1); /* for the next, once this one has ended well */
        snprintf(id, sizeof id, "piece-%u", n);
        a = prove_once(id);
        must_be_done(&a);
        assert_in_range(a.attempts, 1, 2);
    } while (a.attempts == 2 && n < 200);
    assert_in_range(n, cold ? 10 : 4, 199);
    assert_int_equal(status_now().retries, n - 1);
    assert_int_equal(status_now().worker_deaths, 0);
    printf("%u pieces\n", n - 1);
}

static void test_any_refused_memory_of_a_worker_is_made_up_for(void **state)
{
    (void)state;
    refuse_every_piece(false);
}

static void test_any_refused_memory_of_a_worker_without_the_key_is_made_up_for(void **state)
{
    (void)state;
    refuse_every_piece(true);
}

/* ---- keys that change ------------------------------------------------------------------------ */

static const char real_worker[] = CUZK_BINARY_DIR "/cuzk";
static char own_keys[600], params_path[1200], vk_path[1200];

static void find_key_file(char ret[1200], const char *extension)
{
    DIR *d = opendir(own_keys);
    const struct dirent *entry;

    assert_non_null(d);
    ret[0] = 0;
    while ((entry = readdir(d)) != NULL)
        if (strstr(entry->d_name, extension))
            snprintf(ret, 1200, "%s/%s", own_keys, entry->d_name);
    closedir(d);
    assert_true(ret[0] != 0);
}

/* The real prover, over a copy of the keys. */
static int begin_with_own_keys(void **state)
{
    char command[1300];

    begin_case(state);
    stop();
    snprintf(own_keys, sizeof own_keys, "%s-own", keys);
    remove_tree(own_keys);
    snprintf(command, sizeof command, "cp -r '%s' '%s'", keys, own_keys);
    assert_int_equal(system(command), 0);
    find_key_file(params_path, ".params");
    find_key_file(vk_path, ".vk");
    snprintf(config.srs.param_cache, sizeof config.srs.param_cache, "%s", own_keys);
    program = real_worker;
    start();
    return 0;
}

static int end_with_own_keys(void **state)
{
    program = fast_worker;
    remove_tree(own_keys);
    return end_case(state);
}

static off_t size_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* The whole file again, in place: for those who have it open, too. */
static void restore(const char *path)
{
    char command[4000];

    snprintf(command, sizeof command, "cat '%s'/'%s' > '%s'", keys, strrchr(path, '/') + 1, path);
    assert_int_equal(system(command), 0);
}

static void must_fail(const char *id, const char *why)
{
    const struct asked a = prove_once(id);

    if (a.state != JOB_FAILED || !strstr(a.sentence, why))
        fail_msg("%s, expected failed and \"%s\": %s", job_state_name(a.state), why, a.sentence);
}

static void test_a_key_that_is_cut_short_under_its_map_fails_the_job_by_name(void **state)
{
    (void)state;
    must_be_served("before");
    assert_int_equal(truncate(params_path, size_of(params_path) / 2), 0);
    must_fail("cut", strrchr(params_path, '/'));
    assert_int_equal(status_now().worker_deaths, 1); /* of the map; not the daemon's */
    assert_int_equal(status_now().retries, 1);
    restore(params_path);
    must_be_served("cut");
}

static void test_a_key_that_is_overwritten_under_its_map_makes_no_proof(void **state)
{
    static const uint8_t other[4096] = {1, 2, 3};
    const off_t size = size_of(params_path);
    int fd;

    (void)state;
    must_be_served("before");
    fd = open(params_path, O_WRONLY);
    assert_true(fd >= 0);
    for (off_t at = size / 2; at < size; at += (off_t)sizeof other)
        assert_int_equal(pwrite(fd, other, sizeof other, at), sizeof other);
    assert_int_equal(ftruncate(fd, size), 0);
    close(fd);
    must_fail("overwritten", "");
    assert_int_equal(status_now().kind[JOB_WINNING].done, 1);
    restore(params_path);
    evict_all();
    must_be_served("overwritten");
}

static void test_a_key_that_is_replaced_by_name_counts_from_the_next_load(void **state)
{
    char command[5000];

    (void)state;
    must_be_served("before");
    snprintf(command, sizeof command, "head -c 1000 '%s' > '%s.new' && mv '%s.new' '%s'",
             params_path, params_path, params_path, params_path);
    assert_int_equal(system(command), 0);
    must_be_served("loaded already");
    evict_all();
    must_fail("loaded anew", strrchr(params_path, '/'));
    assert_int_equal(status_now().worker_deaths, 0);
    restore(params_path);
    must_be_served("loaded anew");
}

static void test_a_verifying_key_that_is_cut_short_fails_the_job_by_name(void **state)
{
    (void)state;
    assert_int_equal(truncate(vk_path, size_of(vk_path) / 2), 0);
    must_fail("cut", strrchr(vk_path, '/'));
    restore(vk_path);
    must_be_served("cut");
}

/* ---- cancelling ------------------------------------------------------------------------------ */

/* While it waits, begins, computes, is verified, is stored, is over: it ends once, as cancelled or
 * as done, and the journal says the same. */
static void test_cancelling_at_any_moment_ends_the_job_once(void **state)
{
    unsigned cancelled = 0, took_us;
    enum job_state states[40];
    double begin;

    (void)state;
    must_be_served("warm");
    begin = clock_seconds();
    must_be_served("alone");
    took_us = (unsigned)((clock_seconds() - begin) * 1e6);
    for (unsigned i = 0; i < 40; i++) {
        struct asked a, cancel = {0}, end;
        char id[16];

        snprintf(id, sizeof id, "c%u", i);
        a = submit(id, PRIORITY_LOW);
        assert_int_equal(a.refusal, REFUSED_NOT);
        usleep(took_us / 20 * i); /* up to twice as long as it takes */
        snprintf(cancel.id, sizeof cancel.id, "%s", a.id);
        ask(do_cancel, &cancel);
        must_answer(&cancel);
        assert_true(cancel.cancel != CANCEL_UNKNOWN);
        end = await_end_of(a.id);
        assert_true(end.state == JOB_CANCELLED || end.state == JOB_DONE);
        if (cancel.cancel == CANCEL_WAS_WAITING)
            assert_int_equal(end.state, JOB_CANCELLED);
        cancelled += end.state == JOB_CANCELLED;
        states[i] = end.state;
    }
    printf("%u of 40 cancelled\n", cancelled);
    assert_in_range(cancelled, 1, 39);
    assert_int_equal(status_now().kind[JOB_WINNING].cancelled, cancelled);
    assert_int_equal(status_now().worker_deaths, 0);
    stop();
    start();
    for (unsigned i = 0; i < 40; i++) {
        char id[16];

        snprintf(id, sizeof id, "c%u", i);
        assert_int_equal(await_end_of(id).state, states[i]);
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, begin_case, end_case)
#define KEY_CASE(f) cmocka_unit_test_setup_teardown(f, begin_with_own_keys, end_with_own_keys)
    const struct CMUnitTest tests[] = {
        CASE(test_any_refused_memory_fails_a_request_or_nothing),
        CASE(test_a_full_disk_fails_a_request_or_delays_it),
        CASE(test_a_worker_that_cannot_be_started_is_waited_for),
        CASE(test_any_failed_read_fails_a_request_or_delays_it),
        CASE(test_any_failed_write_fails_a_request_or_delays_it),
        CASE(test_any_failed_start_of_a_process_is_made_up_for),
        CASE(test_any_refused_memory_of_a_worker_is_made_up_for),
        CASE(test_any_refused_memory_of_a_worker_without_the_key_is_made_up_for),
        CASE(test_cancelling_at_any_moment_ends_the_job_once),
        KEY_CASE(test_a_key_that_is_cut_short_under_its_map_fails_the_job_by_name),
        KEY_CASE(test_a_key_that_is_overwritten_under_its_map_makes_no_proof),
        KEY_CASE(test_a_key_that_is_replaced_by_name_counts_from_the_next_load),
        KEY_CASE(test_a_verifying_key_that_is_cut_short_fails_the_job_by_name),
    };

    cmocka_set_test_filter(getenv("CUZK_TEST_FILTER"));
    return cmocka_run_group_tests(tests, make_keys, drop_keys);
}
