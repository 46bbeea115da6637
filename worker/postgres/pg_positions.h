/*
 * Where each partition stands, read without a lock: the lower bounds that the main thread hands
 * to Kafka at an assignment, and which halts are over. A position only grows, so an old one is
 * merely a little low.
 */
#ifndef USHER_WORKER_POSTGRES_PG_POSITIONS_H
#define USHER_WORKER_POSTGRES_PG_POSITIONS_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_settings.h"

struct pg_positions;

/* Connects at the first read. Borrows the settings' strings. Belongs to one thread at a time. */
struct pg_positions *pg_positions_open(const struct pg_settings *settings);

/*
 * Sets known[0 … partition_count - 1]. What it cannot read it leaves as it was. RETRY: the database
 * is away (exit code 69), the next call connects again. FATAL: access denied (77), schema wrong or
 * another partition count recorded (78).
 */
USHER_MUST_CHECK enum usher_status pg_positions_read(struct pg_positions *positions,
                                                     int32_t partition_count,
                                                     struct known_position *known,
                                                     struct usher_error *err);

/* NULL is legal. */
void pg_positions_close(struct pg_positions *positions);

#endif
