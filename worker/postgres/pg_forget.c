/* What names a customer, as statements: see pg_forget.h. */
#include "worker/postgres/pg_forget.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "postgres_sql.h"
#include "worker/postgres/pg_array.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

enum {
    SCAN_TIMEOUT_MS = 3600 * 1000,
    COLLISIONS_MAX = 10,
    PAGE = 10000, /* bookings: all partitions wait for one of these */
};

struct forgetting {
    struct pg_connection connection;
    const char *customer;
    struct usher_arena *arena;
    struct pg_forgotten *forgotten;
    int64_t after;         /* bookings up to this one are done with */
    int64_t listed;        /* the last one of the page, … */
    uint32_t listed_count; /* … and how many */
    uint32_t remembered_count;
    struct pg_array numbers; /* of the page's bookings that are over */
};

/* Runs a statement about the customer, the pseudonym and, if it asks, the bookings; adds its count.
 */
static enum usher_status change(struct forgetting *forgetting, const char *sql,
                                struct pg_array *numbers, int64_t *counted, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_text(&params, forgetting->customer);
    pg_params_text(&params, forgetting->forgotten->pseudonym);
    if (numbers)
        pg_params_array(&params, numbers);
    enum usher_status status =
        pg_connection_query(&forgetting->connection, sql, &params, &result, err);
    if (status != USHER_OK)
        return status;
    struct pg_row row = pg_row_of(result, 0, NULL);
    *counted += pg_row_int8(&row, 0);
    PQclear(result);
    return USHER_OK;
}

static enum usher_status choose_pseudonym(struct forgetting *forgetting, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(
        &forgetting->connection,
        "select 'forgotten-' || left(replace(gen_random_uuid()::text, '-', ''), 16)", NULL, &result,
        err);
    if (status != USHER_OK)
        return status;
    struct pg_row row = pg_row_of(result, 0, forgetting->arena);
    forgetting->forgotten->pseudonym = pg_row_text(&row, NULL);
    PQclear(result);
    return USHER_OK;
}

/* Those of earlier pages stay, but none of a page that was rolled back. */
static void make_room(struct forgetting *forgetting, size_t count)
{
    struct pg_forgotten *forgotten = forgetting->forgotten;
    const struct pg_remembered *old = forgotten->remembered;
    forgetting->remembered_count = forgotten->remembered_count;
    forgotten->remembered = usher_arena_alloc(
        forgetting->arena, (forgotten->remembered_count + count + 1) * sizeof *old);
    if (old)
        memcpy(forgotten->remembered, old, forgotten->remembered_count * sizeof *old);
}

static void sort_out(struct forgetting *forgetting, const PGresult *result)
{
    struct pg_forgotten *forgotten = forgetting->forgotten;
    size_t count = (size_t)PQntuples(result);
    make_room(forgetting, count);
    forgetting->listed_count = (uint32_t)count;
    pg_array_begin(&forgetting->numbers, PG_TYPE_INT8);
    for (size_t i = 0; i < count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, forgetting->arena);
        int64_t no = forgetting->listed = pg_row_int8(&row, 0);
        struct pg_remembered booking = {.resource = pg_row_text(&row, NULL)};
        booking.booking = pg_row_text(&row, NULL);
        booking.state = pg_row_text(&row, NULL);
        if (!pg_row_bool(&row)) {
            forgotten->remembered[forgetting->remembered_count++] = booking;
            continue;
        }
        pg_array_int8(&forgetting->numbers, no);
    }
}

static enum usher_status list(struct forgetting *forgetting, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_text(&params, forgetting->customer);
    pg_params_int8(&params, forgetting->after);
    pg_params_int4(&params, PAGE);
    enum usher_status status =
        pg_connection_query(&forgetting->connection, forget_list_sql, &params, &result, err);
    if (status != USHER_OK)
        return status;
    sort_out(forgetting, result);
    PQclear(result);
    return USHER_OK;
}

/* Under the locks of all partitions' rows, so that no batch comes between the list and the changes.
 */
static enum usher_status forget_page(struct forgetting *forgetting, struct usher_error *err)
{
    int64_t ignored = 0, answers = 0, bookings = 0;
    const struct {
        const char *sql;
        int64_t *counted;
    } changes[] = {
        {forget_answers_sql, &answers},
        {forget_bookings_sql, &bookings},
        {forget_former_owners_sql, &ignored},
        {forget_fence_sql, &ignored},
    };
    enum usher_status status = pg_connection_script(
        &forgetting->connection,
        "begin; select from usher.partition_state order by partition for update", err);
    if (status == USHER_OK)
        status = list(forgetting, err);
    for (size_t i = 0; status == USHER_OK && i < sizeof changes / sizeof *changes; i++)
        status = change(forgetting, changes[i].sql, &forgetting->numbers, changes[i].counted, err);
    if (status == USHER_OK)
        status = pg_connection_script(&forgetting->connection, "commit", err);
    if (status != USHER_OK)
        return status;
    forgetting->after = forgetting->listed;
    forgetting->forgotten->remembered_count = forgetting->remembered_count;
    forgetting->forgotten->answers += answers;
    forgetting->forgotten->bookings += bookings;
    return USHER_OK;
}

/* Page by page: of a customer who has had millions of them, say who buys at the door. */
static enum usher_status forget_bookings(struct forgetting *forgetting, struct usher_error *err)
{
    enum usher_status status;
    do {
        status = forget_page(forgetting, err);
    } while (status == USHER_OK && forgetting->listed_count == PAGE);
    return status;
}

/* What takes long comes before the locks. */
static enum usher_status forget(struct forgetting *forgetting, struct usher_error *err)
{
    struct pg_forgotten *forgotten = forgetting->forgotten;
    enum usher_status status = change(forgetting, forget_others_sql, NULL, &forgotten->others, err);
    if (status == USHER_OK)
        status = change(forgetting, forget_letters_sql, NULL, &forgotten->dead_letters, err);
    return status == USHER_OK ? forget_bookings(forgetting, err) : status;
}

/*
 * A worker and prune lock rows in another order: of two that wait for each other the server ends
 * one, and while this one waits, workers wait for it. What it had not committed is done again.
 */
static bool has_collided(const struct pg_connection *connection)
{
    return connection->conn && (strcmp(connection->sqlstate, "40P01") == 0 ||
                                strcmp(connection->sqlstate, "55P03") == 0);
}

static enum usher_status forget_beside_others(struct forgetting *forgetting,
                                              struct usher_error *err)
{
    struct pg_connection *connection = &forgetting->connection;
    enum usher_status status = forget(forgetting, err);
    while (status == USHER_RETRY && has_collided(connection)) {
        if (++forgetting->forgotten->collisions >= COLLISIONS_MAX) {
            const struct usher_error last = *err;
            usher_error_set(err, last.exit_code, "%s, %d times: run it again", last.text,
                            COLLISIONS_MAX);
            return status;
        }
        status = pg_connection_script(connection, "rollback", err);
        if (status == USHER_OK)
            status = forget(forgetting, err);
    }
    return status;
}

enum usher_status pg_forget_customer(const struct pg_settings *settings, const char *customer,
                                     struct usher_arena *arena, struct pg_forgotten *forgotten,
                                     struct usher_error *err)
{
    struct forgetting forgetting = {.customer = customer, .arena = arena, .forgotten = forgotten};
    struct pg_settings patient = *settings;
    patient.statement_timeout_ms = patient.query_timeout_ms = SCAN_TIMEOUT_MS;
    *forgotten = (struct pg_forgotten){0};
    enum usher_status status = pg_session_open_schema(&forgetting.connection, &patient, err);
    forgetting.connection.purpose = "forget a customer";
    if (status == USHER_OK)
        status = choose_pseudonym(&forgetting, err);
    if (status == USHER_OK)
        status = forget_beside_others(&forgetting, err);
    pg_connection_close(&forgetting.connection); /* rolls back what failed */
    pg_array_deinit(&forgetting.numbers);
    return status;
}
