/* What stands in the tables:
 *
 *     jobs        a row a job, as journal.h has it; seq is the order of acceptance
 *     partitions  the verified proofs of jobs that are not over
 *     plans       what a proof takes, by circuit and by what else it depends on
 *
 * `schema` is the oldest version of the tables, `upgrade` brings any version to the newest. */
#include "daemon/journal_tables.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

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

/* ---- SQLite, briefly ------------------------------------------------------------------------- */

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

/* ---- rows as SQLite has them ----------------------------------------------------------------- */

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
        "DELETE FROM plans; ALTER TABLE plans RENAME COLUMN staged TO streamed;"
        "ALTER TABLE plans RENAME COLUMN resident TO staged;"
        "ALTER TABLE plans RENAME COLUMN overlapped TO resident;"
        "ALTER TABLE plans ADD COLUMN overlapped INTEGER NOT NULL DEFAULT 0;",
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
            tables_rollback(j);
    }
    return st;
}

enum cuzk_status tables_open(struct journal *j, struct cuzk_error *err)
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

void tables_close(struct journal *j)
{
    sqlite3_close(j->db);
}

enum cuzk_status tables_begin(struct journal *j, struct cuzk_error *err)
{
    return run(j, "BEGIN IMMEDIATE", err);
}

enum cuzk_status tables_commit(struct journal *j, struct cuzk_error *err)
{
    return run(j, "COMMIT", err);
}

void tables_rollback(struct journal *j)
{
    sqlite3_exec(j->db, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum cuzk_status tables_find_same(struct journal *j, const struct journal_row *row,
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

enum cuzk_status tables_kills(struct journal *j, const struct journal_row *row, unsigned *ret,
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

enum cuzk_status tables_insert(struct journal *j, struct journal_row *row, struct cuzk_error *err)
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
enum cuzk_status tables_replace(struct journal *j, const struct journal_row *old,
                                struct journal_row *row, struct cuzk_error *err)
{
    sqlite3_stmt *s;

    row->kills = old->kills;
    TRY(prepare(j, &s, "DELETE FROM jobs WHERE seq = ?", err));
    sqlite3_bind_int64(s, 1, old->seq);
    TRY(finish_statement(j, s, err));
    return tables_insert(j, row, err);
}

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

enum cuzk_status journal_clear(struct journal *journal, const struct journal_row *row,
                               struct cuzk_error *err)
{
    sqlite3_stmt *s;

    TRY(prepare(journal, &s, "UPDATE jobs SET kills = 0 WHERE identity = ?", err));
    sqlite3_bind_blob(s, 1, row->identity, sizeof row->identity, SQLITE_STATIC);
    return finish_statement(journal, s, err);
}

enum cuzk_status tables_purge(struct journal *j, double before, struct cuzk_error *err)
{
    sqlite3_stmt *s;

    TRY(prepare(j, &s, "DELETE FROM jobs WHERE state >= ? AND finished < ? AND kills = 0", err));
    sqlite3_bind_int(s, 1, JOB_DONE);
    sqlite3_bind_double(s, 2, before);
    return finish_statement(j, s, err);
}

/* ---- partitions ------------------------------------------------------------------------------ */

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

enum cuzk_status tables_partitions(struct journal *j, const struct journal_row *row, bool *ret,
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
    return tables_partitions(journal, row, ret, NULL, err);
}

enum cuzk_status tables_drop_partitions(struct journal *j, int64_t seq, struct cuzk_error *err)
{
    sqlite3_stmt *s;

    TRY(prepare(j, &s, "DELETE FROM partitions WHERE seq = ?", err));
    sqlite3_bind_int64(s, 1, seq);
    return finish_statement(j, s, err);
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

enum cuzk_status tables_file_is_wanted(struct journal *j, const char *name, bool *ret,
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

/* ---- plans ----------------------------------------------------------------------------------- */

/* In the order of the table's columns. */
enum { PLAN_NUMBERS = 14 };

static void plan_numbers(size_t *ret[PLAN_NUMBERS], struct job_plan *plan)
{
    size_t *const all[] = {
        &plan->host.key,          &plan->host.shape,        &plan->host.request,
        &plan->host.witness,      &plan->host.scratch,      &plan->card.host.key,
        &plan->card.host.shape,   &plan->card.host.request, &plan->card.host.witness,
        &plan->card.host.scratch, &plan->card.arena[0],     &plan->card.arena[1],
        &plan->card.arena[2],     &plan->card.arena[3],
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

    TRY(prepare(journal, &s, "INSERT OR REPLACE INTO plans VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
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
