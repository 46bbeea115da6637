/* One statement per question, around which goes the choice of columns: see pg_views.h. */
#include "worker/postgres/pg_views.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

enum {
    ANSWER_TIMEOUT_MS = 3600 * 1000, /* the server's limit, which the role has, ends it first */
    ARRIVAL_MS = 2000,               /* for an answer to arrive once its statement has ended */
};

/* What is selected, with how many filters. Behind the last filter comes the limit. */
static const struct {
    const char *sql;
    int filters;
} views[] = {
    [PG_VIEW_RESOURCES] = {view_resources_sql, 6},
    [PG_VIEW_NAMES] = {view_names_sql, 1},
    [PG_VIEW_RESOURCE] = {view_resource_sql, 3},
    [PG_VIEW_NIGHTS] = {view_nights_sql, 3},
    [PG_VIEW_POOLS] = {view_pools_sql, 3},
    [PG_VIEW_HALL] = {view_hall_sql, 1},
    [PG_VIEW_SEATS] = {view_seats_sql, 1},
    [PG_VIEW_BOOKINGS] = {view_bookings_sql, 7},
    [PG_VIEW_CART] = {view_cart_sql, 2},
    [PG_VIEW_CARTS] = {view_carts_sql, 3},
    [PG_VIEW_MIXED_CARTS] = {view_mixed_carts_sql, 0},
    [PG_VIEW_HISTORY] = {view_history_sql, 6},
    [PG_VIEW_TAKINGS] = {view_takings_sql, 1},
    [PG_VIEW_DOOR] = {view_door_sql, 2},
    [PG_VIEW_WAITING] = {view_waiting_sql, 2},
    [PG_VIEW_PARTITIONS] = {view_partitions_sql, 0},
    [PG_VIEW_DEAD_LETTERS] = {view_dead_letters_sql, 3},
    [PG_VIEW_EVENTS] = {view_partition_events_sql, 1},
};

struct pg_views {
    struct pg_connection connection;
};

enum usher_status pg_views_open(const struct pg_settings *settings, struct pg_views **opened,
                                struct usher_error *err)
{
    struct pg_settings patient = *settings;
    patient.query_timeout_ms = ANSWER_TIMEOUT_MS;
    struct pg_views *view = memory_calloc(1, sizeof *view);
    enum usher_status status = pg_session_open_schema(&view->connection, &patient, err);
    if (status == USHER_OK) /* what the session of a worker needs is not for reports */
        status = pg_connection_script(&view->connection, view_session_sql, err);
    if (status != USHER_OK) {
        pg_views_close(view);
        return status;
    }
    view->connection.purpose = "read the views";
    *opened = view;
    return USHER_OK;
}

enum usher_status pg_views_limit(struct pg_views *limited, int timeout_ms, struct usher_error *err)
{
    char sql[64];
    snprintf(sql, sizeof sql, "set statement_timeout = %d", timeout_ms);
    limited->connection.query_timeout_ms = timeout_ms + ARRIVAL_MS;
    return pg_connection_script(&limited->connection, sql, err);
}

static const char *statement(const struct pg_view_question *question, struct usher_arena *arena)
{
    struct usher_buffer text = {0};
    usher_buffer_text(&text, "select ");
    for (uint32_t i = 0; i < question->column_count; i++) {
        usher_buffer_text(&text, i > 0 ? ", q." : "q.");
        usher_buffer_text(&text, question->columns[i]);
        usher_buffer_text(&text, "::text");
    }
    if (question->column_count == 0) /* on one line: json_agg breaks lines between its members */
        usher_buffer_text(&text, "replace(row_to_json(q)::text, chr(10), '')");
    usher_buffer_text(&text, " from (");
    usher_buffer_text(&text, views[question->view].sql);
    usher_buffer_text(&text, ") as q");
    const char *copy = usher_arena_text(arena, text.at, text.size);
    usher_buffer_deinit(&text);
    return copy;
}

static void read_rows(const PGresult *result, struct usher_arena *arena, struct pg_view_rows *rows)
{
    rows->count = (uint32_t)PQntuples(result);
    rows->column_count = (uint32_t)PQnfields(result);
    size_t cells = (size_t)rows->count * rows->column_count;
    const char **values = usher_arena_alloc(arena, (cells + 1) * sizeof *values);
    rows->sizes = usher_arena_alloc(arena, (cells + 1) * sizeof *rows->sizes);
    for (uint32_t i = 0; i < rows->count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        for (uint32_t k = 0; k < rows->column_count; k++) {
            size_t at = (size_t)i * rows->column_count + k;
            values[at] = pg_row_text(&row, &rows->sizes[at]);
        }
    }
    rows->values = values;
}

enum usher_status pg_views_ask(struct pg_views *asked, const struct pg_view_question *question,
                               struct usher_arena *arena, struct pg_view_rows *rows,
                               struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    for (int i = 0; i < views[question->view].filters; i++)
        pg_params_text(&params, question->filters[i]);
    pg_params_int8_or_null(&params, question->limit, 0);
    enum usher_status status =
        pg_connection_query(&asked->connection, statement(question, arena), &params, &result, err);
    if (status == USHER_OK)
        read_rows(result, arena, rows);
    PQclear(result);
    return status;
}

void pg_views_close(struct pg_views *closed)
{
    if (closed) {
        pg_connection_close(&closed->connection);
        free(closed);
    }
}
