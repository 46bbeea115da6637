/*
 * Rows of results as the structs of rows.h. Each list of columns belongs to the reader beside it.
 */
#ifndef USHER_WORKER_POSTGRES_PG_READ_H
#define USHER_WORKER_POSTGRES_PG_READ_H

#include "worker/model/rows.h"
#include "worker/postgres/pg_value.h"

#define PG_RESOURCE_COLUMNS                                                            \
    "no, id, state, name, venue, description, timezone, currency, starts_at, ends_at," \
    " hold_ttl_s, rev, chart, opens_at, closes_at, strategy, terms, cancelling, unserved"
#define PG_POOL_COLUMNS                                                            \
    "no, resource_no, index, kind, name, night, title, capacity, price, overbook," \
    " rates, properties"
#define PG_BOOKING_COLUMNS                                                                 \
    "no, resource_no, state, request_id, client, customer, cart, payment, note, meta, op," \
    " created_at, expires_at, ttl_s::bigint, total, wants, lines"
#define PG_DECISION_COLUMNS                                                                 \
    "seq, epoch, codec, source_offset, resource_no, booking_no, key, request_id, resource," \
    " client, op, outcome, reason, id_hash, content_hash, first, replayed, traceparent,"    \
    " cloud_events, decided_at, appended_at, body, booking_nos"
#define PG_DEAD_LETTER_COLUMNS "seq, source_offset, truncated, reason, key, value"

void pg_read_resource(struct pg_row *row, struct resource_row *resource);
void pg_read_pool(struct pg_row *row, struct pool_row *pool);

void pg_read_booking(struct pg_row *row, struct booking_row *booking);

/* All rows of a result, in the arena. */
struct booking_row *pg_read_bookings(const PGresult *result, struct usher_arena *arena,
                                     uint32_t *count);

/* The same; HALT where a name (an op, an outcome, a reason) is not known to this program. */
enum usher_status pg_read_decisions(const PGresult *result, struct usher_arena *arena,
                                    struct decision_row **rows, uint32_t *count,
                                    struct usher_error *err);
enum usher_status pg_read_dead_letters(const PGresult *result, struct usher_arena *arena,
                                       struct dead_letter_row **rows, uint32_t *count,
                                       struct usher_error *err);

#endif
