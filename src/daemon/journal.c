/* The folder, and the order in which payloads and rows are written (the rows themselves:
 * journal_tables.h).
 *
 *     accept   BEGIN ─ payload linked, folder synced ─ row made ─ COMMIT     else ROLLBACK, unlink
 *     finish   BEGIN ─ row is over, partitions go ─ COMMIT ─ unlink          else ROLLBACK
 *     purge    old rows go ─ payloads that no row wants go
 *
 * Cut off anywhere, a row that is not over has its payload; a payload too many is litter. */
#include "daemon/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/hex.h"
#include "base/rng.h"
#include "daemon/journal_tables.h"

void journal_row_done(struct journal_row *row)
{
    mem_free(row->proof);
    row->proof = NULL;
    row->proof_bytes = 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum cuzk_status lock_folder(struct journal *j, struct cuzk_error *err)
{
    char path[1040];

    if (mkdir(j->folder, 0750) != 0 && errno != EEXIST)
        return error_set(err, CUZK_IO, "%s: %s", j->folder, strerror(errno));
    if (mkdir(j->spool, 0750) != 0 && errno != EEXIST)
        return error_set(err, CUZK_IO, "%s: %s", j->spool, strerror(errno));
    snprintf(path, sizeof path, "%s/lock", j->folder);
    j->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    if (j->lock < 0)
        return error_set(err, CUZK_IO, "%s: %s", path, strerror(errno));
    if (flock(j->lock, LOCK_EX | LOCK_NB) != 0)
        return error_set(err, CUZK_IO, "%s: another daemon has this folder (%s)", path,
                         strerror(errno));
    return CUZK_OK;
}

enum cuzk_status journal_open(struct journal **ret, const char *folder, struct cuzk_error *err)
{
    struct journal *j = mem_new(sizeof *j);
    enum cuzk_status st;

    if (!j)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the journal");
    j->lock = -1;
    if (strlen(folder) >= sizeof j->folder) {
        mem_free(j);
        return error_set(err, CUZK_USAGE, "journal.path: longer than %zu", sizeof j->folder - 1);
    }
    snprintf(j->folder, sizeof j->folder, "%s", folder);
    snprintf(j->spool, sizeof j->spool, "%s/spool", folder);
    TRY_GOTO(st, fail, lock_folder(j, err));
    TRY_GOTO(st, fail, tables_open(j, err));
    *ret = j;
    return CUZK_OK;
fail:
    journal_close(j);
    return st;
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    tables_close(journal);
    if (journal->lock >= 0)
        close(journal->lock);
    mem_free(journal);
}

/* ---- payloads -------------------------------------------------------------------------------- */

const char *journal_spool_folder(const struct journal *journal)
{
    return journal->spool;
}

uint64_t journal_spool_bytes(const struct journal *journal)
{
    DIR *folder = opendir(journal->spool);
    const struct dirent *entry;
    uint64_t sum = 0;

    while (folder && (entry = readdir(folder)) != NULL) {
        struct stat st;

        if (entry->d_name[0] != '.' && fstatat(dirfd(folder), entry->d_name, &st, 0) == 0)
            sum += (uint64_t)st.st_size;
    }
    if (folder)
        closedir(folder);
    return sum;
}

enum cuzk_status journal_spool_open(const struct journal *journal, int *ret_fd,
                                    struct cuzk_error *err)
{
    const int fd = open(journal->spool, O_TMPFILE | O_RDWR | O_CLOEXEC, 0640);

    if (fd < 0)
        return error_set(err, CUZK_IO, "%s: %s", journal->spool, strerror(errno));
    *ret_fd = fd;
    return CUZK_OK;
}

static void payload_path(const struct journal *j, const struct journal_row *row, char ret[1120])
{
    snprintf(ret, 1120, "%s/%s", j->spool, row->file);
}

enum cuzk_status journal_payload_open(const struct journal *journal, const struct journal_row *row,
                                      int *ret_fd, struct cuzk_error *err)
{
    char path[1120];
    int fd;

    payload_path(journal, row, path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, errno == ENOENT ? CUZK_BAD_INPUT : CUZK_IO, "%s: %s", path,
                         strerror(errno));
    *ret_fd = fd;
    return CUZK_OK;
}

/* *ret_made is false when it has that name already. */
static enum cuzk_status link_payload(const struct journal *j, const struct journal_row *row, int fd,
                                     bool *ret_made, struct cuzk_error *err)
{
    char from[32], path[1120];
    int folder;
    bool synced;

    payload_path(j, row, path);
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    *ret_made = linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
    if (!*ret_made && errno != EEXIST)
        return error_set(err, CUZK_IO, "%s: %s", path, strerror(errno));
    folder = open(j->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    synced = folder >= 0 && fsync(folder) == 0;
    if (folder >= 0)
        close(folder);
    return synced ? CUZK_OK : error_set(err, CUZK_IO, "%s: %s", j->spool, strerror(errno));
}

static void unlink_payload(const struct journal *j, const struct journal_row *row)
{
    char path[1120];

    payload_path(j, row, path);
    unlink(path);
}

/* ---- accepting ------------------------------------------------------------------------------- */

/* The file is named for the job, not by its id: that is the caller's text. */
static void name_file(struct journal_row *row)
{
    uint8_t digest[32], text[JOB_REQUEST_ID_MAX + JOB_IDENTITY_BYTES];
    const size_t n = strlen(row->request_id);

    memcpy(text, row->request_id, n);
    memcpy(text + n, row->identity, sizeof row->identity);
    sha256(digest, text, n + sizeof row->identity);
    hex_encode(row->file, digest, 32);
}

static void name_job(struct journal_row *row)
{
    char digits[9];

    if (!row->request_id[0]) { /* nobody else's: 128 random bits */
        uint8_t random[16];

        rng_secret(random, sizeof random);
        hex_encode(row->request_id, random, sizeof random);
    }
    hex_encode(digits, row->identity, 4);
    snprintf(row->id, sizeof row->id, "%.*s~%s", (int)JOB_REQUEST_ID_MAX, row->request_id, digits);
    name_file(row);
}

static void start_row(struct journal_row *row)
{
    row->state = JOB_WAITING;
    row->attempts = 0;
    row->started = row->finished = 0;
    row->queue_ms = row->key_ms = row->synthesis_ms = row->compute_ms = 0;
    row->status = CUZK_OK;
    row->error[0] = 0;
    row->proof = NULL;
    row->proof_bytes = 0;
}

static enum cuzk_status accept_in_transaction(struct journal *j, struct journal_row *row, int fd,
                                              unsigned max_kills, enum accept_end *ret,
                                              bool *ret_linked, struct cuzk_error *err)
{
    struct journal_row old = {0};
    bool found;
    unsigned kills;
    enum cuzk_status st;

    *ret_linked = false;
    TRY(tables_find_same(j, row, &old, &found, err));
    if (found && old.state != JOB_FAILED && old.state != JOB_CANCELLED) {
        *row = old;
        *ret = ACCEPT_ATTACHED;
        return CUZK_OK;
    }
    TRY_GOTO(st, out, tables_kills(j, row, &kills, err));
    *ret = kills >= max_kills ? ACCEPT_POISON : ACCEPT_NEW;
    if (*ret == ACCEPT_POISON)
        goto out;
    TRY_GOTO(st, out, link_payload(j, row, fd, ret_linked, err));
    st = found ? tables_replace(j, &old, row, err) : tables_insert(j, row, err);
out:
    journal_row_done(&old);
    return st;
}

enum cuzk_status journal_accept(struct journal *journal, struct journal_row *row, int fd,
                                unsigned max_kills, enum accept_end *ret, struct cuzk_error *err)
{
    bool linked = false;
    enum cuzk_status st;

    start_row(row);
    row->kills = 0;
    name_job(row);
    TRY(tables_begin(journal, err));
    st = accept_in_transaction(journal, row, fd, max_kills, ret, &linked, err);
    if (st == CUZK_OK)
        st = tables_commit(journal, err);
    if (st != CUZK_OK) {
        tables_rollback(journal);
        if (linked)
            unlink_payload(journal, row);
    }
    return st;
}

/* ---- ending ---------------------------------------------------------------------------------- */

static enum cuzk_status assemble(struct journal *j, struct journal_row *row, struct cuzk_error *err)
{
    const size_t n = row->end - row->first;
    bool *there = mem_new(n * sizeof *there);
    enum cuzk_status st = CUZK_OK;

    row->proof = mem_new(n * PARTITION_PROOF_BYTES);
    row->proof_bytes = n * PARTITION_PROOF_BYTES;
    if (!there || !row->proof)
        st = error_set(err, CUZK_NO_MEMORY, "no memory for %zu proofs", n);
    else
        st = tables_partitions(j, row, there, row->proof, err);
    for (size_t i = 0; i < n && st == CUZK_OK; i++)
        if (!there[i])
            st = error_set(err, CUZK_INTERNAL, "%s: partition %zu was never stored", row->id,
                           row->first + i);
    mem_free(there);
    if (st != CUZK_OK)
        journal_row_done(row);
    return st;
}

enum cuzk_status journal_finish(struct journal *journal, struct journal_row *row,
                                struct cuzk_error *err)
{
    enum cuzk_status st;

    if (row->state == JOB_DONE)
        TRY(assemble(journal, row, err));
    TRY_GOTO(st, fail, tables_begin(journal, err));
    TRY_GOTO(st, rollback, journal_update(journal, row, err));
    TRY_GOTO(st, rollback, tables_drop_partitions(journal, row->seq, err));
    TRY_GOTO(st, rollback, tables_commit(journal, err));
    unlink_payload(journal, row);
    return CUZK_OK;
rollback:
    tables_rollback(journal);
fail:
    journal_row_done(row);
    return st;
}

/* ---- purging --------------------------------------------------------------------------------- */

static enum cuzk_status remove_litter(struct journal *j, struct cuzk_error *err)
{
    DIR *folder = opendir(j->spool);
    const struct dirent *entry;
    enum cuzk_status st = CUZK_OK;

    if (!folder)
        return error_set(err, CUZK_IO, "%s: %s", j->spool, strerror(errno));
    while (st == CUZK_OK && (entry = readdir(folder)) != NULL) {
        bool wanted = true;

        if (entry->d_name[0] == '.')
            continue;
        st = tables_file_is_wanted(j, entry->d_name, &wanted, err);
        if (st == CUZK_OK && !wanted)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    return st;
}

enum cuzk_status journal_purge(struct journal *journal, double before, struct cuzk_error *err)
{
    TRY(tables_purge(journal, before, err));
    return remove_litter(journal, err);
}
