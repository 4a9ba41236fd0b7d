/* The tables of the journal, in SQLite: what journal.c asks of them and changes in them. In which
 * order, and when payloads come and go, is journal.c's affair.
 *
 * Of journal.h those functions that touch no payload are journal_tables.c's, too. */
#ifndef DAEMON_JOURNAL_TABLES_H
#define DAEMON_JOURNAL_TABLES_H

#include "daemon/journal.h"

struct sqlite3;

struct journal {
    struct sqlite3 *db;
    int lock;
    char folder[1024], spool[1040];
};

/* <folder>/journal.db, made or brought up to date. To be closed also after a failure. */
MUST_CHECK enum cuzk_status tables_open(struct journal *j, struct cuzk_error *err);
void tables_close(struct journal *j); /* also what was never opened */

MUST_CHECK enum cuzk_status tables_begin(struct journal *j, struct cuzk_error *err);
MUST_CHECK enum cuzk_status tables_commit(struct journal *j, struct cuzk_error *err);
void tables_rollback(struct journal *j); /* harmless without a transaction */

/* ---- rows ---- */

/* The row with request_id and identity of `row`, with its proof. */
MUST_CHECK enum cuzk_status tables_find_same(struct journal *j, const struct journal_row *row,
                                             struct journal_row *ret, bool *ret_found,
                                             struct cuzk_error *err);
/* Workers that died of a payload like this row's; 0 without such a row. */
MUST_CHECK enum cuzk_status tables_kills(struct journal *j, const struct journal_row *row,
                                         unsigned *ret, struct cuzk_error *err);
/* Makes the row, at the end of the line: row->seq. */
MUST_CHECK enum cuzk_status tables_insert(struct journal *j, struct journal_row *row,
                                          struct cuzk_error *err);
/* `row` in place of `old`, at the end of the line. */
MUST_CHECK enum cuzk_status tables_replace(struct journal *j, const struct journal_row *old,
                                           struct journal_row *row, struct cuzk_error *err);
/* Rows that were over before `before` go, but for those of payloads that killed workers. */
MUST_CHECK enum cuzk_status tables_purge(struct journal *j, double before, struct cuzk_error *err);
/* Does a row that is not over have this payload? */
MUST_CHECK enum cuzk_status tables_file_is_wanted(struct journal *j, const char *name, bool *ret,
                                                  struct cuzk_error *err);

/* ---- partitions ---- */

/* Which there are, ret[k - first], and their proofs in that order (may be NULL). */
MUST_CHECK enum cuzk_status tables_partitions(struct journal *j, const struct journal_row *row,
                                              bool *ret, uint8_t *proofs, struct cuzk_error *err);
MUST_CHECK enum cuzk_status tables_drop_partitions(struct journal *j, int64_t seq,
                                                   struct cuzk_error *err);

#endif
