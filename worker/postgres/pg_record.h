/*
 * The record port on PostgreSQL: for one partition, a connection for commits and one for reads,
 * both opened again at each acquire. Acquires the partition, loads, and writes batches in one
 * pipeline each. A worker writes to the database only through it.
 */
#ifndef USHER_WORKER_POSTGRES_PG_RECORD_H
#define USHER_WORKER_POSTGRES_PG_RECORD_H

#include <stdint.h>

#include "worker/model/ports.h"
#include "worker/postgres/pg_settings.h"

struct pg_positions;

struct pg_record_options {
    struct pg_settings connection;
    int32_t partition;
    int32_t partition_count; /* of the topic: recorded at the first start ever, compared after */
    const struct pg_positions *positions; /* say where it lives; NULL: there is one database */
    /* Zero: the defaults; tests have smaller ones. */
    struct pg_load_limits loads;
    int parameter_max; /* bytes of one parameter of a commit */
};

/*
 * Makes the port; nothing is connected before the first `acquire`. Borrows the strings of
 * `options` until it is closed. Belongs to one thread at a time; at most PG_COMMIT_DEPTH batches
 * may be begun and not ended.
 *
 * `acquire` looks for the partition in all databases, where it was last seen first. RETRY where it
 * lives in none of them, or in several. It is FATAL with exit code 78 where the recorded partition
 * count is another, where the schema is missing or not this program's, or where there is a pooler
 * in between; 77 where the database denies access. commit_end gives HALT where a row was not as the
 * batch expected it: a bug or a foreign hand, nothing was written.
 *
 * `descriptor` is readable also when more of a batch can be sent: call commit_end then, with a
 * timeout of 0, until it is not done.
 */
struct record_port *pg_record_open(const struct pg_record_options *options);

/* Drops both connections, and with them what was begun and not committed. NULL is legal. */
void pg_record_close(struct record_port *record);

#endif
