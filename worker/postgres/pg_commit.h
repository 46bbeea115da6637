/*
 * Batches on their way into the database: written in one pipeline each, several at a time.
 */
#ifndef USHER_WORKER_POSTGRES_PG_COMMIT_H
#define USHER_WORKER_POSTGRES_PG_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/model/batch.h"
#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_rows.h"
#include "worker/postgres/pg_value.h"

enum {
    PG_COMMIT_DEPTH = 8 /* batches begun and not ended */
};

/* Zero-initialise. */
struct pg_commit {
    struct pg_connection *connection; /* borrowed */
    struct pg_row_types types;
    struct pg_array rows; /* of the statement being queued; libpq copies it */
    struct pg_array more_rows;
    struct pg_array rates, restrictions; /* places of those of the pools among them … */
    struct usher_buffer lists;           /* … in this list */
    int64_t begun_ms[PG_COMMIT_DEPTH];   /* a ring: when each batch begun was */
    uint32_t first, count;
    bool is_refused; /* the oldest was; the others are still under way */
};

/*
 * Readies a connection just opened: statements and types; nothing is begun. From then on it is
 * in pipeline mode and belongs to the commits alone.
 */
USHER_MUST_CHECK enum usher_status
pg_commit_open(struct pg_commit *commit, struct pg_connection *connection, struct usher_error *err);

/*
 * As commit_begin and commit_end of the record port; the connection is closed when they fail, but
 * where the server has refused a batch, and may be asked to go on.
 */
USHER_MUST_CHECK enum usher_status
pg_commit_begin(struct pg_commit *commit, const struct batch *batch, struct usher_error *err);

/* Whether a result of the oldest batch was read already: the socket shows nothing of it. */
bool pg_commit_has_result(const struct pg_commit *commit);

USHER_MUST_CHECK enum usher_status pg_commit_end(struct pg_commit *commit, int timeout_ms,
                                                 bool *done, struct usher_error *err);

/* As rewind of the record port: goes on behind the batch that was refused. */
USHER_MUST_CHECK enum usher_status pg_commit_rewind(struct pg_commit *commit,
                                                    struct usher_error *err);

/* Frees its memory. */
void pg_commit_deinit(struct pg_commit *commit);

#endif
