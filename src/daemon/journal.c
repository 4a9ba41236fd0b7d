#include "daemon/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/hex.h"
#include "base/rng.h"

struct journal {
    sqlite3 *db;
    int lock;
    char folder[1024], spool[1040];
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS jobs("
    " seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, request_id TEXT NOT NULL,"
    " identity BLOB NOT NULL, file TEXT NOT NULL, kind INTEGER NOT NULL, circuit TEXT NOT NULL,"
    " priority INTEGER NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL,"
    " kills INTEGER NOT NULL, first INTEGER NOT NULL, end INTEGER NOT NULL,"
    " submitted REAL NOT NULL, started REAL NOT NULL, finished REAL NOT NULL,"
    " queue_ms INTEGER NOT NULL, key_ms INTEGER NOT NULL, synthesis_ms INTEGER NOT NULL,"
    " compute_ms INTEGER NOT NULL, status INTEGER NOT NULL, error TEXT NOT NULL, proof BLOB,"
    " UNIQUE(request_id, identity));"
    "CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs(state, finished);"
    "CREATE INDEX IF NOT EXISTS jobs_by_identity ON jobs(identity);"
    "CREATE TABLE IF NOT EXISTS partitions("
    " seq INTEGER NOT NULL REFERENCES jobs(seq) ON DELETE CASCADE, k INTEGER NOT NULL,"
    " proof BLOB NOT NULL, PRIMARY KEY(seq, k)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS plans("
    " circuit TEXT NOT NULL, depends TEXT NOT NULL, key INTEGER NOT NULL, shape INTEGER NOT NULL,"
    " request INTEGER NOT NULL, witness INTEGER NOT NULL, scratch INTEGER NOT NULL,"
    " PRIMARY KEY(circuit, depends)) WITHOUT ROWID;";

#define COLUMNS                                                                                    \
    "seq, id, request_id, identity, file, kind, circuit, priority, state, attempts, kills, first," \
    " end, submitted, started, finished, queue_ms, key_ms, synthesis_ms, compute_ms, status,"      \
    " error, proof, deadline"

void journal_row_done(struct journal_row *row)
{
    mem_free(row->proof);
    row->proof = NULL;
    row->proof_bytes = 0;
}

/* ---- SQLite, briefly --------------------------------------------------------------------------
 */

static enum cuzk_status db_error(const struct journal *j, struct cuzk_error *err)
{
    return error_set(err, CUZK_IO, "%s/journal.db: %s", j->folder, sqlite3_errmsg(j->db));
}

static enum cuzk_status run(struct journal *j, const char *sql, struct cuzk_error *err)
{
    return sqlite3_exec(j->db, sql, NULL, NULL, NULL) == SQLITE_OK ? CUZK_OK : db_error(j, err);
}

static enum cuzk_status prepare(struct journal *j, sqlite3_stmt **ret, const char *sql,
                                struct cuzk_error *err)
{
    return sqlite3_prepare_v2(j->db, sql, -1, ret, NULL) == SQLITE_OK ? CUZK_OK : db_error(j, err);
}

/* Runs a statement that returns no rows, and ends it. */
static enum cuzk_status finish_statement(struct journal *j, sqlite3_stmt *s, struct cuzk_error *err)
{
    const int end = sqlite3_step(s);
    const enum cuzk_status st = end == SQLITE_DONE ? CUZK_OK : db_error(j, err);

    sqlite3_finalize(s);
    return st;
}

/* The next row of a statement: *ret_row false at the end. */
static enum cuzk_status step(struct journal *j, sqlite3_stmt *s, bool *ret_row,
                             struct cuzk_error *err)
{
    const int end = sqlite3_step(s);

    *ret_row = end == SQLITE_ROW;
    return end == SQLITE_ROW || end == SQLITE_DONE ? CUZK_OK : db_error(j, err);
}

static void bind_text(sqlite3_stmt *s, int i, const char *text)
{
    sqlite3_bind_text(s, i, text, -1, SQLITE_STATIC);
}

static void bind_row(sqlite3_stmt *s, const struct journal_row *r)
{
    int i = 1;

    bind_text(s, i++, r->id);
    bind_text(s, i++, r->request_id);
    sqlite3_bind_blob(s, i++, r->identity, sizeof r->identity, SQLITE_STATIC);
    bind_text(s, i++, r->file);
    sqlite3_bind_int(s, i++, (int)r->kind);
    bind_text(s, i++, r->circuit);
    sqlite3_bind_int(s, i++, (int)r->priority);
    sqlite3_bind_int(s, i++, (int)r->state);
    sqlite3_bind_int(s, i++, (int)r->attempts);
    sqlite3_bind_int(s, i++, (int)r->kills);
    sqlite3_bind_int(s, i++, (int)r->first);
    sqlite3_bind_int(s, i++, (int)r->end);
    sqlite3_bind_double(s, i++, r->submitted);
    sqlite3_bind_double(s, i++, r->started);
    sqlite3_bind_double(s, i++, r->finished);
    sqlite3_bind_int64(s, i++, (sqlite3_int64)r->queue_ms);
    sqlite3_bind_int64(s, i++, (sqlite3_int64)r->key_ms);
    sqlite3_bind_int64(s, i++, (sqlite3_int64)r->synthesis_ms);
    sqlite3_bind_int64(s, i++, (sqlite3_int64)r->compute_ms);
    sqlite3_bind_int(s, i++, (int)r->status);
    bind_text(s, i++, r->error);
    if (r->proof)
        sqlite3_bind_blob64(s, i, r->proof, r->proof_bytes, SQLITE_STATIC);
    sqlite3_bind_double(s, ++i, r->deadline);
}

static void column_text(sqlite3_stmt *s, int i, char *ret, size_t room)
{
    const unsigned char *text = sqlite3_column_text(s, i);

    snprintf(ret, room, "%s", text ? (const char *)text : "");
}

static enum cuzk_status column_proof(sqlite3_stmt *s, int i, struct journal_row *r,
                                     struct cuzk_error *err)
{
    const void *bytes = sqlite3_column_blob(s, i);
    const size_t n = (size_t)sqlite3_column_bytes(s, i);

    if (n == 0)
        return CUZK_OK;
    r->proof = mem_new(n);
    if (!r->proof)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the proof of %s", r->id);
    memcpy(r->proof, bytes, n);
    r->proof_bytes = n;
    return CUZK_OK;
}

enum { PROOF_COLUMN = 22 };

/* Everything but the proof. */
static void read_row(sqlite3_stmt *s, struct journal_row *r)
{
    int i = 0;

    *r = (struct journal_row){0};
    r->seq = sqlite3_column_int64(s, i++);
    column_text(s, i++, r->id, sizeof r->id);
    column_text(s, i++, r->request_id, sizeof r->request_id);
    if (sqlite3_column_bytes(s, i) == (int)sizeof r->identity)
        memcpy(r->identity, sqlite3_column_blob(s, i), sizeof r->identity);
    i++;
    column_text(s, i++, r->file, sizeof r->file);
    r->kind = (enum job_kind)sqlite3_column_int(s, i++);
    column_text(s, i++, r->circuit, sizeof r->circuit);
    r->priority = (enum job_priority)sqlite3_column_int(s, i++);
    r->state = (enum job_state)sqlite3_column_int(s, i++);
    r->attempts = (unsigned)sqlite3_column_int(s, i++);
    r->kills = (unsigned)sqlite3_column_int(s, i++);
    r->first = (unsigned)sqlite3_column_int(s, i++);
    r->end = (unsigned)sqlite3_column_int(s, i++);
    r->submitted = sqlite3_column_double(s, i++);
    r->started = sqlite3_column_double(s, i++);
    r->finished = sqlite3_column_double(s, i++);
    r->queue_ms = (uint64_t)sqlite3_column_int64(s, i++);
    r->key_ms = (uint64_t)sqlite3_column_int64(s, i++);
    r->synthesis_ms = (uint64_t)sqlite3_column_int64(s, i++);
    r->compute_ms = (uint64_t)sqlite3_column_int64(s, i++);
    r->status = (enum cuzk_status)sqlite3_column_int(s, i++);
    column_text(s, i, r->error, sizeof r->error);
    r->deadline = sqlite3_column_double(s, PROOF_COLUMN + 1);
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

/* What older versions have left is brought up to date, one step a version of the schema. */
static enum cuzk_status upgrade(struct journal *j, struct cuzk_error *err)
{
    static const char *const steps[] = {
        "ALTER TABLE jobs ADD COLUMN deadline REAL NOT NULL DEFAULT 0;",
        /* Plans can be made again. */
        "DROP TABLE plans; CREATE TABLE plans("
        " circuit TEXT NOT NULL, depends TEXT NOT NULL, key INTEGER NOT NULL,"
        " shape INTEGER NOT NULL, request INTEGER NOT NULL, witness INTEGER NOT NULL,"
        " scratch INTEGER NOT NULL, card_key INTEGER NOT NULL, card_shape INTEGER NOT NULL,"
        " card_request INTEGER NOT NULL, card_witness INTEGER NOT NULL,"
        " card_scratch INTEGER NOT NULL, staged INTEGER NOT NULL, resident INTEGER NOT NULL,"
        " overlapped INTEGER NOT NULL, PRIMARY KEY(circuit, depends)) WITHOUT ROWID;",
    };
    enum { N_STEPS = sizeof steps / sizeof steps[0] };
    char sql[1024];
    sqlite3_stmt *s;
    bool found;
    int version = 0;
    enum cuzk_status st;

    TRY(prepare(j, &s, "PRAGMA user_version", err));
    st = step(j, s, &found, err);
    if (st == CUZK_OK && found)
        version = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    if (st == CUZK_OK && (version < 0 || version > N_STEPS))
        return error_set(err, CUZK_BAD_INPUT,
                         "%s/journal.db: schema %d is of a newer version; expected at most %d",
                         j->folder, version, (int)N_STEPS);
    for (; st == CUZK_OK && version < N_STEPS; version++) {
        snprintf(sql, sizeof sql, "BEGIN IMMEDIATE; %s PRAGMA user_version = %d; COMMIT",
                 steps[version], version + 1);
        st = run(j, sql, err);
        if (st != CUZK_OK)
            sqlite3_exec(j->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return st;
}

static enum cuzk_status open_database(struct journal *j, struct cuzk_error *err)
{
    char path[1040];

    snprintf(path, sizeof path, "%s/journal.db", j->folder);
    if (sqlite3_open_v2(path, &j->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        if (j->db)
            return db_error(j, err);
        return error_set(err, CUZK_NO_MEMORY, "%s: no memory for SQLite", path);
    }
    sqlite3_busy_timeout(j->db, 5000);
    TRY(run(j, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
            err));
    TRY(run(j, schema, err));
    return upgrade(j, err);
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
    TRY_GOTO(st, fail, open_database(j, err));
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
    sqlite3_close(journal->db);
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

static enum cuzk_status find_same(struct journal *j, const struct journal_row *row,
                                  struct journal_row *ret, bool *ret_found, struct cuzk_error *err)
{
    sqlite3_stmt *s;
    enum cuzk_status st;

    TRY(prepare(j, &s, "SELECT " COLUMNS " FROM jobs WHERE request_id = ? AND identity = ?", err));
    bind_text(s, 1, row->request_id);
    sqlite3_bind_blob(s, 2, row->identity, sizeof row->identity, SQLITE_STATIC);
    st = step(j, s, ret_found, err);
    if (st == CUZK_OK && *ret_found) {
        read_row(s, ret);
        st = column_proof(s, PROOF_COLUMN, ret, err);
    }
    sqlite3_finalize(s);
    return st;
}

static enum cuzk_status kills_of(struct journal *j, const struct journal_row *row, unsigned *ret,
                                 struct cuzk_error *err)
{
    sqlite3_stmt *s;
    bool found;
    enum cuzk_status st;

    TRY(prepare(j, &s, "SELECT coalesce(max(kills), 0) FROM jobs WHERE identity = ?", err));
    sqlite3_bind_blob(s, 1, row->identity, sizeof row->identity, SQLITE_STATIC);
    st = step(j, s, &found, err);
    if (st == CUZK_OK)
        *ret = found ? (unsigned)sqlite3_column_int(s, 0) : 0;
    sqlite3_finalize(s);
    return st;
}

static enum cuzk_status insert_row(struct journal *j, struct journal_row *row,
                                   struct cuzk_error *err)
{
    sqlite3_stmt *s;

    TRY(prepare(j, &s,
                "INSERT INTO jobs(id, request_id, identity, file, kind, circuit, priority, state,"
                " attempts, kills, first, end, submitted, started, finished, queue_ms, key_ms,"
                " synthesis_ms, compute_ms, status, error, proof, deadline)"
                " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                err));
    bind_row(s, row);
    TRY(finish_statement(j, s, err));
    row->seq = sqlite3_last_insert_rowid(j->db);
    return CUZK_OK;
}

/* A new attempt at a job that failed or was cancelled goes to the end of the line: it gets a new
 * number. */
static enum cuzk_status replace_row(struct journal *j, const struct journal_row *old,
                                    struct journal_row *row, struct cuzk_error *err)
{
    sqlite3_stmt *s;

    row->kills = old->kills;
    TRY(prepare(j, &s, "DELETE FROM jobs WHERE seq = ?", err));
    sqlite3_bind_int64(s, 1, old->seq);
    TRY(finish_statement(j, s, err));
    return insert_row(j, row, err);
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
    TRY(find_same(j, row, &old, &found, err));
    if (found && old.state != JOB_FAILED && old.state != JOB_CANCELLED) {
        *row = old;
        *ret = ACCEPT_ATTACHED;
        return CUZK_OK;
    }
    TRY_GOTO(st, out, kills_of(j, row, &kills, err));
    *ret = kills >= max_kills ? ACCEPT_POISON : ACCEPT_NEW;
    if (*ret == ACCEPT_POISON)
        goto out;
    TRY_GOTO(st, out, link_payload(j, row, fd, ret_linked, err));
    st = found ? replace_row(j, &old, row, err) : insert_row(j, row, err);
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
    TRY(run(journal, "BEGIN IMMEDIATE", err));
    st = accept_in_transaction(journal, row, fd, max_kills, ret, &linked, err);
    if (st == CUZK_OK)
        st = run(journal, "COMMIT", err);
    if (st != CUZK_OK) {
        sqlite3_exec(journal->db, "ROLLBACK", NULL, NULL, NULL);
        if (linked)
            unlink_payload(journal, row);
    }
    return st;
}

/* ---- changes --------------------------------------------------------------------------------- */

enum cuzk_status journal_update(struct journal *journal, const struct journal_row *row,
                                struct cuzk_error *err)
{
    sqlite3_stmt *s;

    TRY(prepare(journal, &s,
                "UPDATE jobs SET id=?, request_id=?, identity=?, file=?, kind=?, circuit=?,"
                " priority=?, state=?, attempts=?, kills=?, first=?, end=?, submitted=?,"
                " started=?, finished=?, queue_ms=?, key_ms=?, synthesis_ms=?, compute_ms=?,"
                " status=?, error=?, proof=?, deadline=? WHERE seq=?24",
                err));
    bind_row(s, row);
    sqlite3_bind_int64(s, 24, row->seq);
    return finish_statement(journal, s, err);
}

enum cuzk_status journal_partition(struct journal *journal, int64_t seq, unsigned k,
                                   const uint8_t proof[PARTITION_PROOF_BYTES],
                                   struct cuzk_error *err)
{
    sqlite3_stmt *s;

    TRY(prepare(journal, &s, "INSERT OR REPLACE INTO partitions(seq, k, proof) VALUES(?,?,?)",
                err));
    sqlite3_bind_int64(s, 1, seq);
    sqlite3_bind_int(s, 2, (int)k);
    sqlite3_bind_blob(s, 3, proof, PARTITION_PROOF_BYTES, SQLITE_STATIC);
    return finish_statement(journal, s, err);
}

/* proofs NULL: only which there are. */
static enum cuzk_status read_partitions(struct journal *j, const struct journal_row *row, bool *ret,
                                        uint8_t *proofs, struct cuzk_error *err)
{
    const unsigned n = row->end - row->first;
    sqlite3_stmt *s;
    bool found = true;
    enum cuzk_status st = CUZK_OK;

    memset(ret, 0, n * sizeof *ret);
    TRY(prepare(j, &s, "SELECT k, proof FROM partitions WHERE seq = ?", err));
    sqlite3_bind_int64(s, 1, row->seq);
    while (st == CUZK_OK && found) {
        unsigned i;

        st = step(j, s, &found, err);
        if (st != CUZK_OK || !found)
            break;
        i = (unsigned)sqlite3_column_int(s, 0) - row->first;
        if (i >= n || sqlite3_column_bytes(s, 1) != PARTITION_PROOF_BYTES)
            continue; /* of another range, never asked for again */
        ret[i] = true;
        if (proofs)
            memcpy(proofs + (size_t)i * PARTITION_PROOF_BYTES, sqlite3_column_blob(s, 1),
                   PARTITION_PROOF_BYTES);
    }
    sqlite3_finalize(s);
    return st;
}

enum cuzk_status journal_partitions(struct journal *journal, const struct journal_row *row,
                                    bool *ret, struct cuzk_error *err)
{
    return read_partitions(journal, row, ret, NULL, err);
}

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
        st = read_partitions(j, row, there, row->proof, err);
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
    sqlite3_stmt *s;
    enum cuzk_status st;

    if (row->state == JOB_DONE)
        TRY(assemble(journal, row, err));
    TRY_GOTO(st, fail, run(journal, "BEGIN IMMEDIATE", err));
    TRY_GOTO(st, rollback, journal_update(journal, row, err));
    TRY_GOTO(st, rollback, prepare(journal, &s, "DELETE FROM partitions WHERE seq = ?", err));
    sqlite3_bind_int64(s, 1, row->seq);
    TRY_GOTO(st, rollback, finish_statement(journal, s, err));
    TRY_GOTO(st, rollback, run(journal, "COMMIT", err));
    unlink_payload(journal, row);
    return CUZK_OK;
rollback:
    sqlite3_exec(journal->db, "ROLLBACK", NULL, NULL, NULL);
fail:
    journal_row_done(row);
    return st;
}

enum cuzk_status journal_clear(struct journal *journal, const struct journal_row *row,
                               struct cuzk_error *err)
{
    sqlite3_stmt *s;

    TRY(prepare(journal, &s, "UPDATE jobs SET kills = 0 WHERE identity = ?", err));
    sqlite3_bind_blob(s, 1, row->identity, sizeof row->identity, SQLITE_STATIC);
    return finish_statement(journal, s, err);
}

/* ---- questions ------------------------------------------------------------------------------- */

enum cuzk_status journal_find(struct journal *journal, const char *id, struct journal_row *ret,
                              bool *ret_found, struct cuzk_error *err)
{
    sqlite3_stmt *s;
    enum cuzk_status st;

    TRY(prepare(journal, &s,
                "SELECT " COLUMNS " FROM jobs WHERE id = ?1 OR request_id = ?1"
                " ORDER BY id = ?1 DESC, seq DESC LIMIT 1",
                err));
    bind_text(s, 1, id);
    st = step(journal, s, ret_found, err);
    if (st == CUZK_OK && *ret_found) {
        read_row(s, ret);
        st = column_proof(s, PROOF_COLUMN, ret, err);
    }
    sqlite3_finalize(s);
    return st;
}

enum cuzk_status journal_each(struct journal *journal, bool over, unsigned limit, journal_row_fn *f,
                              void *ctx, struct cuzk_error *err)
{
    sqlite3_stmt *s;
    bool found = true;
    enum cuzk_status st = CUZK_OK;

    TRY(prepare(journal, &s,
                over ? "SELECT " COLUMNS " FROM jobs WHERE state >= ?1"
                       " ORDER BY finished DESC, seq DESC LIMIT ?2"
                     : "SELECT " COLUMNS " FROM jobs WHERE state < ?1 ORDER BY seq LIMIT ?2",
                err));
    sqlite3_bind_int(s, 1, JOB_DONE);
    sqlite3_bind_int64(s, 2, over ? (sqlite3_int64)limit : -1);
    while (st == CUZK_OK && found) {
        struct journal_row row;

        st = step(journal, s, &found, err);
        if (st != CUZK_OK || !found)
            break;
        read_row(s, &row);
        f(ctx, &row);
    }
    sqlite3_finalize(s);
    return st;
}

/* ---- purging --------------------------------------------------------------------------------- */

static enum cuzk_status file_is_wanted(struct journal *j, const char *name, bool *ret,
                                       struct cuzk_error *err)
{
    sqlite3_stmt *s;
    enum cuzk_status st;

    TRY(prepare(j, &s, "SELECT 1 FROM jobs WHERE file = ? AND state < ?", err));
    bind_text(s, 1, name);
    sqlite3_bind_int(s, 2, JOB_DONE);
    st = step(j, s, ret, err);
    sqlite3_finalize(s);
    return st;
}

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
        st = file_is_wanted(j, entry->d_name, &wanted, err);
        if (st == CUZK_OK && !wanted)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    return st;
}

enum cuzk_status journal_purge(struct journal *journal, double before, struct cuzk_error *err)
{
    sqlite3_stmt *s;

    TRY(prepare(journal, &s, "DELETE FROM jobs WHERE state >= ? AND finished < ? AND kills = 0",
                err));
    sqlite3_bind_int(s, 1, JOB_DONE);
    sqlite3_bind_double(s, 2, before);
    TRY(finish_statement(journal, s, err));
    return remove_litter(journal, err);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* In the order of the table's columns. */
enum { PLAN_NUMBERS = 13 };

static void plan_numbers(size_t *ret[PLAN_NUMBERS], struct job_plan *plan)
{
    size_t *const all[] = {
        &plan->host.key,          &plan->host.shape,        &plan->host.request,
        &plan->host.witness,      &plan->host.scratch,      &plan->card.host.key,
        &plan->card.host.shape,   &plan->card.host.request, &plan->card.host.witness,
        &plan->card.host.scratch, &plan->card.arena[0],     &plan->card.arena[1],
        &plan->card.arena[2],
    };

    _Static_assert(sizeof all / sizeof all[0] == PLAN_NUMBERS, "one a column");
    memcpy(ret, all, sizeof all);
}

enum cuzk_status journal_plan_put(struct journal *journal, const char *circuit, const char *depends,
                                  const struct job_plan *plan, struct cuzk_error *err)
{
    struct job_plan copy = *plan;
    size_t *number[PLAN_NUMBERS];
    sqlite3_stmt *s;

    TRY(prepare(journal, &s, "INSERT OR REPLACE INTO plans VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                err));
    bind_text(s, 1, circuit);
    bind_text(s, 2, depends);
    plan_numbers(number, &copy);
    for (int i = 0; i < PLAN_NUMBERS; i++)
        sqlite3_bind_int64(s, 3 + i, (sqlite3_int64)*number[i]);
    return finish_statement(journal, s, err);
}

enum cuzk_status journal_plans(struct journal *journal, const char *depends, journal_plan_fn *f,
                               void *ctx, struct cuzk_error *err)
{
    sqlite3_stmt *s;
    bool found = true;
    enum cuzk_status st = CUZK_OK;

    TRY(prepare(journal, &s, "SELECT * FROM plans WHERE depends = ?", err));
    bind_text(s, 1, depends);
    while (st == CUZK_OK && found) {
        struct job_plan plan;
        size_t *number[PLAN_NUMBERS];
        char circuit[JOURNAL_CIRCUIT];

        st = step(journal, s, &found, err);
        if (st != CUZK_OK || !found)
            break;
        column_text(s, 0, circuit, sizeof circuit);
        plan_numbers(number, &plan);
        for (int i = 0; i < PLAN_NUMBERS; i++)
            *number[i] = (size_t)sqlite3_column_int64(s, 2 + i);
        f(ctx, circuit, &plan);
    }
    sqlite3_finalize(s);
    return st;
}
