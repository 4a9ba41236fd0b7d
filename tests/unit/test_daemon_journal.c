/* The journal: identity, attempts, checkpoints, and that what it has said survives a kill. */
#include "daemon/journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/testing.h"

static char folder[512];

static void ok(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s", err->message);
}

static void remove_folder(void)
{
    char command[600];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static int fresh_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_scratch_path("journal"));
    remove_folder();
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    remove_folder();
    return 0;
}

static struct journal *open_journal(void)
{
    struct journal *journal;
    struct cuzk_error err;

    ok(journal_open(&journal, folder, &err), &err);
    return journal;
}

static struct journal_row request(const char *id, uint8_t payload)
{
    struct journal_row row = {.kind = JOB_POREP,
                              .circuit = "porep-2KiB",
                              .priority = PRIORITY_NORMAL,
                              .first = 0,
                              .end = 3,
                              .submitted = 1000};

    snprintf(row.request_id, sizeof row.request_id, "%s", id);
    memset(row.identity, payload, sizeof row.identity);
    return row;
}

static enum accept_end accept_row(struct journal *journal, struct journal_row *row)
{
    struct cuzk_error err;
    enum accept_end end;
    int fd;

    ok(journal_spool_open(journal, &fd, &err), &err);
    assert_int_equal(write(fd, "payload", 7), 7);
    ok(journal_accept(journal, row, fd, 3, &end, &err), &err);
    close(fd);
    return end;
}

static unsigned files_in_spool(void)
{
    char path[600];
    const struct dirent *entry;
    unsigned n = 0;
    DIR *dir;

    snprintf(path, sizeof path, "%s/spool", folder);
    dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void finish(struct journal *journal, struct journal_row *row, enum job_state state)
{
    struct cuzk_error err;

    row->state = state;
    row->finished = 2000;
    ok(journal_finish(journal, row, &err), &err);
}

static void test_a_job_is_its_request_id_and_its_payload(void **state)
{
    struct journal *journal = open_journal();
    struct journal_row a = request("porep-1000-1", 1), same = a, other = request("porep-1000-1", 2),
                       nameless = request("", 1), found;
    struct cuzk_error err;
    bool is_there;

    (void)state;
    assert_int_equal(accept_row(journal, &a), ACCEPT_NEW);
    assert_string_equal(a.id, "porep-1000-1~01010101");
    assert_int_equal(accept_row(journal, &same), ACCEPT_ATTACHED);
    assert_int_equal(same.seq, a.seq);
    assert_int_equal(files_in_spool(), 1);
    assert_int_equal(accept_row(journal, &other), ACCEPT_NEW);
    assert_int_equal(accept_row(journal, &nameless), ACCEPT_NEW);
    assert_int_equal(strlen(nameless.request_id), 32);
    assert_int_equal(files_in_spool(), 3);

    /* a bare request id is its newest job */
    ok(journal_find(journal, "porep-1000-1", &found, &is_there, &err), &err);
    assert_true(is_there && found.seq == other.seq);
    ok(journal_find(journal, a.id, &found, &is_there, &err), &err);
    assert_true(is_there && found.seq == a.seq);
    ok(journal_find(journal, "porep-1000-2", &found, &is_there, &err), &err);
    assert_false(is_there);
    journal_close(journal);
}

static void test_over_jobs_answer_and_failed_ones_begin_again(void **state)
{
    struct journal *journal = open_journal();
    struct journal_row row = request("snap-1000-7", 9), again;
    uint8_t proof[3][PARTITION_PROOF_BYTES];
    struct cuzk_error err;
    int64_t seq;

    (void)state;
    assert_int_equal(accept_row(journal, &row), ACCEPT_NEW);
    seq = row.seq;
    row.state = JOB_RUNNING;
    row.attempts = 2;
    ok(journal_update(journal, &row, &err), &err);
    row.status = CUZK_DEVICE;
    snprintf(row.error, sizeof row.error, "the worker died of signal 9 (Killed)");
    finish(journal, &row, JOB_FAILED);
    assert_int_equal(files_in_spool(), 0);

    again = request("snap-1000-7", 9);
    assert_int_equal(accept_row(journal, &again), ACCEPT_NEW);
    assert_true(again.seq > seq); /* the end of the line */
    assert_int_equal(again.attempts, 0);
    assert_int_equal(files_in_spool(), 1);
    for (unsigned k = 0; k < 3; k++) {
        memset(proof[k], (int)k + 1, sizeof proof[k]);
        ok(journal_partition(journal, again.seq, k, proof[k], &err), &err);
    }
    finish(journal, &again, JOB_DONE);
    journal_row_done(&again);
    journal_close(journal);

    journal = open_journal();
    row = request("snap-1000-7", 9);
    assert_int_equal(accept_row(journal, &row), ACCEPT_ATTACHED);
    assert_int_equal(row.state, JOB_DONE);
    assert_int_equal(row.proof_bytes, sizeof proof);
    assert_memory_equal(row.proof, proof, sizeof proof);
    assert_int_equal(files_in_spool(), 0);
    journal_row_done(&row);
    journal_close(journal);
}

static void test_a_job_is_not_done_before_all_partitions_are_stored(void **state)
{
    struct journal *journal = open_journal();
    struct journal_row row = request("x", 1);
    uint8_t proof[PARTITION_PROOF_BYTES] = {1};
    struct cuzk_error err;
    bool there[3];

    (void)state;
    accept_row(journal, &row);
    ok(journal_partition(journal, row.seq, 0, proof, &err), &err);
    ok(journal_partition(journal, row.seq, 2, proof, &err), &err);
    ok(journal_partitions(journal, &row, there, &err), &err);
    assert_true(there[0] && !there[1] && there[2]);
    row.state = JOB_DONE;
    assert_int_equal(journal_finish(journal, &row, &err), CUZK_INTERNAL);
    assert_non_null(strstr(err.message, "partition 1"));
    assert_int_equal(files_in_spool(), 1);
    journal_close(journal);
}

static void test_a_payload_that_kills_workers_is_refused_until_cleared(void **state)
{
    struct journal *journal = open_journal();
    struct journal_row row = request("bad", 66), again = row, other = request("worse", 66);
    struct cuzk_error err;

    (void)state;
    accept_row(journal, &row);
    row.kills = 3;
    finish(journal, &row, JOB_FAILED);
    assert_int_equal(accept_row(journal, &again), ACCEPT_POISON);
    assert_int_equal(accept_row(journal, &other), ACCEPT_POISON); /* the payload, not the name */
    assert_int_equal(files_in_spool(), 0);
    ok(journal_purge(journal, 1e12, &err), &err); /* poison is not forgotten by the clock */
    assert_int_equal(accept_row(journal, &again), ACCEPT_POISON);
    ok(journal_clear(journal, &row, &err), &err);
    assert_int_equal(accept_row(journal, &again), ACCEPT_NEW);
    journal_close(journal);
}

/* A journal as the version before deadlines left it. */
static void test_an_older_journal_is_taken_up(void **state)
{
    struct journal *journal = open_journal();
    struct journal_row row = request("old", 1), found;
    struct cuzk_error err;
    char path[600];
    bool is_there;
    sqlite3 *db;

    (void)state;
    row.deadline = 1500;
    accept_row(journal, &row);
    ok(journal_find(journal, "old", &found, &is_there, &err), &err);
    assert_true(is_there && found.deadline == 1500);
    journal_close(journal);
    snprintf(path, sizeof path, "%s/journal.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "ALTER TABLE jobs DROP COLUMN deadline; PRAGMA user_version = 0;",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    journal = open_journal();
    ok(journal_find(journal, "old", &found, &is_there, &err), &err);
    assert_true(is_there && found.deadline == 0);
    assert_int_equal(found.submitted, 1000);
    journal_close(journal);

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 99;", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(journal_open(&journal, folder, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "schema 99 is of a newer version"));
}

static void count_row(void *ctx, const struct journal_row *row)
{
    (void)row;
    ++*(unsigned *)ctx;
}

static void test_purge_forgets_old_rows_and_litter(void **state)
{
    struct journal *journal = open_journal();
    struct journal_row live = request("live", 1), old = request("old", 2);
    struct cuzk_error err;
    char path[600];
    unsigned n = 0;
    int fd;

    (void)state;
    accept_row(journal, &live);
    accept_row(journal, &old);
    finish(journal, &old, JOB_CANCELLED);
    snprintf(path, sizeof path, "%s/spool/litter", folder);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    ok(journal_purge(journal, 2000, &err), &err);
    ok(journal_each(journal, true, 10, count_row, &n, &err), &err);
    assert_int_equal(n, 1);
    assert_int_equal(files_in_spool(), 1);
    ok(journal_purge(journal, 2001, &err), &err);
    n = 0;
    ok(journal_each(journal, true, 10, count_row, &n, &err), &err);
    assert_int_equal(n, 0);
    ok(journal_each(journal, false, 0, count_row, &n, &err), &err);
    assert_int_equal(n, 1);
    journal_close(journal);
}

static void test_a_folder_belongs_to_one_daemon(void **state)
{
    struct journal *journal = open_journal(), *second;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(journal_open(&second, folder, &err), CUZK_IO);
    assert_non_null(strstr(err.message, "another daemon"));
    journal_close(journal);
}

/* The child tells the parent each promise that the journal has given it, until it is killed. */
static void child_accepts(int pipe_end)
{
    struct journal *journal = open_journal();

    for (unsigned i = 0;; i++) {
        struct journal_row row = request("", (uint8_t)i);
        uint8_t proof[PARTITION_PROOF_BYTES];
        struct cuzk_error err;

        row.end = 1;
        accept_row(journal, &row);
        memset(proof, (int)i, sizeof proof);
        ok(journal_partition(journal, row.seq, 0, proof, &err), &err);
        if (i % 2)
            finish(journal, &row, JOB_DONE);
        if (write(pipe_end, &row, sizeof row) != (ssize_t)sizeof row)
            _exit(1);
        journal_row_done(&row);
    }
}

static void test_what_was_promised_survives_a_kill(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 4; round++) {
        struct journal_row row, found;
        struct journal *journal;
        struct cuzk_error err;
        unsigned promised = 0;
        int ends[2];
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        child = fork();
        if (child == 0)
            child_accepts(ends[1]);
        close(ends[1]);
        poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 20000);
        usleep(20000 + 13000 * round);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        journal = open_journal();
        while (read(ends[0], &row, sizeof row) == (ssize_t)sizeof row) {
            bool is_there, done = false;
            int fd;

            promised++;
            ok(journal_find(journal, row.id, &found, &is_there, &err), &err);
            assert_true(is_there);
            assert_int_equal(found.state, row.state);
            if (row.state == JOB_DONE) {
                assert_int_equal(found.proof_bytes, PARTITION_PROOF_BYTES);
                journal_row_done(&found);
                continue;
            }
            ok(journal_partitions(journal, &found, &done, &err), &err);
            assert_true(done);
            ok(journal_payload_open(journal, &found, &fd, &err), &err);
            close(fd);
        }
        assert_true(promised > 0);
        close(ends[0]);
        journal_close(journal);
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh_folder, drop_folder)
    const struct CMUnitTest tests[] = {
        CASE(test_a_job_is_its_request_id_and_its_payload),
        CASE(test_over_jobs_answer_and_failed_ones_begin_again),
        CASE(test_a_job_is_not_done_before_all_partitions_are_stored),
        CASE(test_a_payload_that_kills_workers_is_refused_until_cleared),
        CASE(test_an_older_journal_is_taken_up),
        CASE(test_purge_forgets_old_rows_and_litter),
        CASE(test_a_folder_belongs_to_one_daemon),
        CASE(test_what_was_promised_survives_a_kill),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
