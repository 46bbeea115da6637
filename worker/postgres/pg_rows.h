/*
 * The rows of a batch as arrays of the composite types that the schema has for them.
 */
#ifndef USHER_WORKER_POSTGRES_PG_ROWS_H
#define USHER_WORKER_POSTGRES_PG_ROWS_H

#include "worker/model/batch.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_connection.h"

/* Oids of the schema's types: each database has others. */
struct pg_row_types {
    uint32_t allocation, booking, booking_change, chart, resource, resource_mark, pool, decision,
        dead_letter, cart_decision;
};

/* Asks the server for them. FATAL (78) where the schema is missing. */
USHER_MUST_CHECK enum usher_status pg_row_types_read(struct pg_connection *connection,
                                                     struct pg_row_types *types,
                                                     struct usher_error *err);

/* Each empties the array and fills it with the rows. */
void pg_rows_allocations(struct pg_array *array, const struct pg_row_types *types,
                         const struct allocation_row *rows, uint32_t count);
void pg_rows_booking_changes(struct pg_array *array, const struct pg_row_types *types,
                             const struct booking_row *rows, uint32_t count);
void pg_rows_resource_marks(struct pg_array *array, const struct pg_row_types *types,
                            const struct resource_mark *marks, uint32_t count);
void pg_rows_charts(struct pg_array *array, const struct pg_row_types *types,
                    const struct chart_row *rows, uint32_t count);
void pg_rows_dead_letters(struct pg_array *array, const struct pg_row_types *types,
                          const struct dead_letter_row *rows, uint32_t count);

/* The batch's new bookings, or its decisions, as rows of its partition. */
void pg_rows_bookings(struct pg_array *array, const struct pg_row_types *types,
                      const struct batch *batch);
void pg_rows_decisions(struct pg_array *array, const struct pg_row_types *types,
                       const struct batch *batch);

/* A row for each booking of the decisions that changed several. */
void pg_rows_cart_decisions(struct pg_array *array, const struct pg_row_types *types,
                            const struct decision_row *rows, uint32_t count);

/* One row; the array was begun by pg_array_begin with the type of resources, or of pools. */
void pg_rows_add_resource(struct pg_array *array, const struct resource_row *row);
void pg_rows_add_pool(struct pg_array *array, const struct pool_row *row);

/* By the names that the tables have; of a text that is none of them the value is undefined. */
enum booking_state pg_booking_state_named(const char *name);
enum usher_kind pg_kind_named(const char *name);

#endif
