/* One statement per question, around which goes the choice of columns: see pg_views.h. */
#include "worker/postgres/pg_views.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

enum {
    ANSWER_TIMEOUT_MS = 3600 * 1000, /* the server's limit, which the role has, ends it first */
    ARRIVAL_MS = 2000,               /* for an answer to arrive once its statement has ended */
    AWAY_MS = 5000,                  /* until a database that was away is tried again */
    KEYS_MAX = 5,
    REPEATS_MAX = 5, /* of a question, because a partition moved while it was asked */
};

/* By what the rows of several databases are put in order, as their statement puts those of one. */
struct key {
    const char *sql;
    enum {
        UP = 1, /* numbers */
        DOWN,
        BY_TEXT
    } order;
};

#define INSTANT(column) "(extract(epoch from q." column ") * 1000000)::bigint"

/*
 * What is selected, with how many filters. Behind the last filter comes the limit. Without keys: of
 * one resource, and so of one database; or of carts, which may lie in several.
 */
static const struct {
    const char *sql;
    int filters;
    struct key keys[KEYS_MAX + 1];
} views[] = {
    [PG_VIEW_RESOURCES] = {view_resources_sql,
                           6,
                           {{"q.over::integer", UP},
                            {"case $6::text when 'sold' then q.sold when 'waiting' then q.waiting "
                             "when 'free' then q.total - q.held - q.sold - q.blocked end",
                             DOWN},
                            {"case $6::text when 'resource' then q.resource when 'name' then "
                             "q.name end",
                             BY_TEXT},
                            {INSTANT("starts_at"), UP},
                            {"q.resource", BY_TEXT}}},
    [PG_VIEW_NAMES] = {view_names_sql,
                       1,
                       {{"(q.resource = $1)::integer", DOWN}, {"q.resource", BY_TEXT}}},
    [PG_VIEW_RESOURCE] = {view_resource_sql, 3, {{0}}},
    [PG_VIEW_NIGHTS] = {view_nights_sql, 3, {{0}}},
    [PG_VIEW_POOLS] = {view_pools_sql, 3, {{0}}},
    [PG_VIEW_HALL] = {view_hall_sql, 1, {{0}}},
    [PG_VIEW_SEATS] = {view_seats_sql, 1, {{0}}},
    [PG_VIEW_BOOKINGS] = {view_bookings_sql,
                          7,
                          {{INSTANT("created_at"), DOWN}, {"q.booking_number", DOWN}}},
    [PG_VIEW_OPEN_HOLDS] = {view_open_holds_sql,
                            0,
                            {{INSTANT("ends_at"), UP}, {"q.booking_number", UP}}},
    [PG_VIEW_CART] = {view_cart_sql, 2, {{0}}},
    [PG_VIEW_CARTS] = {view_carts_sql, 3, {{0}}},
    [PG_VIEW_MIXED_CARTS] = {view_mixed_carts_sql, 0, {{0}}},
    [PG_VIEW_HISTORY] = {view_history_sql,
                         6,
                         {{INSTANT("decided_at"), DOWN}, {"q.partition", UP}, {"q.seq", DOWN}}},
    [PG_VIEW_TAKINGS] = {view_takings_sql,
                         1,
                         {{"q.today", DOWN}, {"q.last_hour", DOWN}, {"q.resource", BY_TEXT}}},
    [PG_VIEW_REFUSALS] = {view_refusals_sql,
                          0,
                          {{"q.requests", DOWN}, {"q.resource", BY_TEXT}, {"q.reason", BY_TEXT}}},
    [PG_VIEW_CURVE] = {view_curve_sql, 1, {{0}}},
    [PG_VIEW_DOOR] = {view_door_sql, 2, {{0}}},
    [PG_VIEW_WAITING] = {view_waiting_sql, 2, {{"q.resource", BY_TEXT}, {"q.position", UP}}},
    [PG_VIEW_PARTITIONS] = {view_partitions_sql, 0, {{"q.partition", UP}}},
    [PG_VIEW_DEAD_LETTERS] = {view_dead_letters_sql,
                              3,
                              {{INSTANT("decided_at"), DOWN},
                               {"q.partition", UP},
                               {"q.seq", DOWN}}},
    [PG_VIEW_EVENTS] = {view_partition_events_sql,
                        1,
                        {{INSTANT("happened_at"), DOWN}, {"q.partition", UP}}},
};

/* One of the databases. */
struct place {
    struct pg_settings settings;
    struct pg_connection connection;
    enum usher_status status; /* OK: its rows are here */
    struct usher_error err;
    int64_t again_ms;         /* CLOCK_MONOTONIC, when it is tried again */
    const char *homes;        /* its answer about where partitions live */
    struct pg_view_rows rows; /* with their keys behind the columns */
    uint32_t taken;           /* of these */
};

struct pg_views {
    struct place *places;
    uint32_t count;
    int timeout_ms; /* of a question; 0: the role's */
    /* Where partitions live, unless a database is away, where others may. */
    struct pg_homes homes;
    struct usher_arena homes_arena;
    enum usher_status status; /* OK: each in exactly one, but for what the question is not about */
    struct usher_error err;
};

/* ==== Databases ==== */

static enum usher_status limit(const struct pg_views *limited, struct place *place,
                               struct usher_error *err)
{
    char sql[64];
    snprintf(sql, sizeof sql, "set statement_timeout = %d", limited->timeout_ms);
    place->connection.query_timeout_ms = limited->timeout_ms + ARRIVAL_MS;
    return pg_connection_script(&place->connection, sql, err);
}

static enum usher_status open_place(const struct pg_views *view, struct place *place,
                                    struct usher_error *err)
{
    enum usher_status status = pg_session_open_schema(&place->connection, &place->settings, err);
    if (status == USHER_OK) /* what the session of a worker needs is not for reports */
        status = pg_connection_script(&place->connection, view_session_sql, err);
    if (status == USHER_OK && view->timeout_ms > 0)
        status = limit(view, place, err);
    place->connection.purpose = "read the views";
    if (status != USHER_OK)
        pg_connection_close(&place->connection);
    return status;
}

/* Of several databases, one that is away is left out. */
static void leave_out(struct place *place, enum usher_status status, const struct usher_error *err)
{
    pg_connection_close(&place->connection);
    place->status = status;
    place->err = *err;
    place->again_ms = clock_ms() + AWAY_MS;
}

enum usher_status pg_views_open(const struct pg_settings *settings, struct pg_views **opened,
                                struct usher_error *err)
{
    struct pg_views *view = memory_calloc(1, sizeof *view);
    uint32_t open = 0;
    view->count = pg_session_databases(settings);
    view->places = memory_calloc(view->count, sizeof *view->places);
    for (uint32_t i = 0; i < view->count; i++) {
        struct place *place = &view->places[i];
        struct usher_error failed;
        place->settings = pg_session_one(settings, i);
        place->settings.query_timeout_ms = ANSWER_TIMEOUT_MS;
        enum usher_status status = open_place(view, place, &failed);
        if (status != USHER_OK && failed.exit_code == USHER_EXIT_USAGE) {
            *err = failed;
            pg_views_close(view);
            return status;
        }
        if (status != USHER_OK)
            leave_out(place, status, &failed);
        open += status == USHER_OK;
    }
    if (open == 0) {
        enum usher_status status = view->places[0].status;
        *err = view->places[0].err;
        pg_views_close(view);
        return status;
    }
    *opened = view;
    return USHER_OK;
}

enum usher_status pg_views_limit(struct pg_views *limited, int timeout_ms, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    limited->timeout_ms = timeout_ms;
    for (uint32_t i = 0; i < limited->count && status == USHER_OK; i++)
        if (limited->places[i].connection.conn)
            status = limit(limited, &limited->places[i], err);
    return status;
}

enum usher_status pg_views_missing(const struct pg_views *asked, struct usher_error *err)
{
    struct usher_arena arena = {0};
    enum usher_status status = USHER_OK;
    const char *text = "";
    enum usher_exit code = USHER_EXIT_UNAVAILABLE;
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct place *place = &asked->places[i];
        if (place->status == USHER_OK)
            continue;
        code = status == USHER_OK ? place->err.exit_code : code;
        status = status == USHER_OK ? place->status : status;
        text = usher_arena_format(&arena, "%s%s%s (%s)", text, *text != '\0' ? "; " : "",
                                  pg_session_where(&place->settings, &arena), place->err.text);
    }
    if (status != USHER_OK) {
        usher_error_set(err, code, "without the rows of the database at %s", text);
    } else if (asked->status != USHER_OK) {
        *err = asked->err;
        status = asked->status;
    }
    usher_arena_deinit(&arena);
    return status;
}

const char *pg_views_homeless(const struct pg_views *asked)
{
    return asked->status != USHER_OK ? asked->err.text : NULL;
}

int32_t pg_views_home(const struct pg_views *asked, int32_t partition, const char **shard)
{
    const struct pg_homes *homes = &asked->homes;
    const bool is_known = partition < homes->count;
    *shard = is_known ? homes->shards[partition] : NULL;
    if (!is_known)
        return pg_homes_is_only(homes) ? 0 : PG_HOME_UNKNOWN;
    return homes->of[partition];
}

int32_t pg_views_partitions(const struct pg_views *asked)
{
    return asked->homes.count;
}

void pg_views_close(struct pg_views *closed)
{
    for (uint32_t i = 0; closed && i < closed->count; i++)
        pg_connection_close(&closed->places[i].connection);
    if (closed) {
        usher_arena_deinit(&closed->homes_arena);
        free(closed->places);
    }
    free(closed);
}

/* ==== One database ==== */

/* The whole row on one line: json_agg breaks lines between its members. */
static const char *json_of(enum pg_view view)
{
    bool ends_in_key = /* which is no column for people */
        view == PG_VIEW_RESOURCES || view == PG_VIEW_BOOKINGS || view == PG_VIEW_OPEN_HOLDS;
    return ends_in_key ? "replace(regexp_replace(row_to_json(q)::text, "
                         "',\"(over|booking_number)\":\\w+}$', "
                         "'}'), chr(10), '')"
                       : "replace(row_to_json(q)::text, chr(10), '')";
}

static const char *statement(const struct pg_view_question *question, const char *sql,
                             const struct key *keys, struct usher_arena *arena)
{
    struct usher_buffer text = {0};
    usher_buffer_text(&text, "select ");
    for (uint32_t i = 0; i < question->column_count; i++) {
        usher_buffer_text(&text, i > 0 ? ", q." : "q.");
        usher_buffer_text(&text, question->columns[i]);
        usher_buffer_text(&text, "::text");
    }
    if (question->column_count == 0)
        usher_buffer_text(&text, json_of(question->view));
    for (; keys && keys->sql; keys++) {
        usher_buffer_text(&text, ", (");
        usher_buffer_text(&text, keys->sql);
        usher_buffer_text(&text, ")::text");
    }
    usher_buffer_text(&text, " from (");
    usher_buffer_text(&text, sql);
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

static enum usher_status ask_place(struct place *place, const char *sql,
                                   const struct pg_params *params, struct usher_arena *arena,
                                   struct pg_view_rows *rows, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(&place->connection, sql, params, &result, err);
    if (status == USHER_OK)
        read_rows(result, arena, rows);
    PQclear(result);
    return status;
}

static void add_filters(struct pg_params *params, const struct pg_view_question *question)
{
    *params = (struct pg_params){0};
    for (int i = 0; i < views[question->view].filters; i++)
        pg_params_text(params, question->filters[i]);
    pg_params_int8_or_null(params, question->limit, 0);
}

/* ==== Several databases ==== */

/*
 * Asks each that is not away. A connection that has been idle may be gone: then a new one is tried,
 * and so it is after a while where there was none. FATAL: the question is wrong.
 */
static enum usher_status ask_each(struct pg_views *asked, const char *sql,
                                  const struct pg_params *params, struct usher_arena *arena,
                                  struct usher_error *err)
{
    uint32_t count = 0;
    for (struct place *place = asked->places; place < asked->places + asked->count; place++) {
        bool was_open = place->connection.conn;
        place->rows = (struct pg_view_rows){0};
        place->taken = 0;
        if (!was_open && clock_ms() < place->again_ms)
            continue;
        enum usher_status status = was_open ? USHER_OK : open_place(asked, place, err);
        if (status == USHER_OK)
            status = ask_place(place, sql, params, arena, &place->rows, err);
        if (status == USHER_RETRY && was_open && !place->connection.conn) {
            status = open_place(asked, place, err);
            if (status == USHER_OK)
                status = ask_place(place, sql, params, arena, &place->rows, err);
        }
        if (status == USHER_FATAL && err->exit_code == USHER_EXIT_USAGE)
            return status;
        if (status != USHER_OK)
            leave_out(place, status, err);
        else
            place->status = USHER_OK;
        count += status == USHER_OK;
    }
    if (count > 0)
        return USHER_OK;
    *err = asked->places[0].err;
    return asked->places[0].status;
}

/* NULL comes last. */
static int compare(const struct key *keys, const char *const *a, const char *const *b)
{
    int order = 0;
    for (uint32_t i = 0; order == 0 && keys[i].sql; i++) {
        if (!a[i] || !b[i]) {
            order = !a[i] - !b[i];
        } else if (keys[i].order == BY_TEXT) {
            order = strcmp(a[i], b[i]);
        } else {
            int64_t left = strtoll(a[i], NULL, 10), right = strtoll(b[i], NULL, 10);
            order = (left > right) - (left < right);
            order = keys[i].order == UP ? order : -order;
        }
    }
    return order;
}

static const char *const *next_of(const struct place *place)
{
    return &place->rows.values[(size_t)place->taken * place->rows.column_count];
}

/* The one whose next row comes first; NULL: there is none. */
static struct place *first_place(const struct pg_views *asked, const struct key *keys,
                                 uint32_t columns)
{
    struct place *first = NULL;
    for (struct place *place = asked->places; place < asked->places + asked->count; place++)
        if (place->taken < place->rows.count &&
            (!first || compare(keys, next_of(place) + columns, next_of(first) + columns) < 0))
            first = place;
    return first;
}

static void merge(struct pg_views *asked, const struct pg_view_question *question,
                  const struct key *keys, struct usher_arena *arena, struct pg_view_rows *rows)
{
    size_t most = 0;
    struct place *first;
    *rows = (struct pg_view_rows){.column_count =
                                      question->column_count > 0 ? question->column_count : 1};
    for (uint32_t i = 0; i < asked->count; i++)
        most += asked->places[i].rows.count;
    const size_t cells = most * rows->column_count + 1;
    const char **values = usher_arena_alloc(arena, cells * sizeof *values);
    rows->sizes = usher_arena_alloc(arena, cells * sizeof *rows->sizes);
    while ((question->limit == 0 || rows->count < question->limit) &&
           (first = first_place(asked, keys, rows->column_count))) {
        const size_t to = (size_t)rows->count++ * rows->column_count;
        const size_t from = (size_t)first->taken * first->rows.column_count;
        memcpy(&values[to], next_of(first), rows->column_count * sizeof *values);
        memcpy(&rows->sizes[to], &first->rows.sizes[from],
               rows->column_count * sizeof *rows->sizes);
        first->taken++;
    }
    rows->values = values;
}

/* ---- where partitions live ---- */

/* Reads it into `homes` of each. */
static enum usher_status read_homes(struct pg_views *asked, struct usher_arena *arena,
                                    struct usher_error *err)
{
    const struct pg_params none = {0};
    enum usher_status status = ask_each(asked, homes_sql, &none, arena, err);
    for (uint32_t i = 0; status == USHER_OK && i < asked->count; i++) {
        struct place *place = &asked->places[i];
        place->homes = place->rows.count > 0 ? place->rows.values[0] : "";
    }
    return status;
}

/*
 * Notes whether all live in one of them; what is wrong is returned. Where a database is away, one
 * that is in no other may be there.
 */
static int32_t look_over(struct pg_views *asked)
{
    struct usher_error err;
    int32_t home = 0;
    bool is_away = false;
    usher_arena_reset(&asked->homes_arena);
    asked->homes = (struct pg_homes){0};
    asked->status = USHER_OK;
    for (uint32_t i = 0; i < asked->count; i++) {
        if (asked->places[i].status == USHER_OK)
            pg_homes_add(&asked->homes, (int32_t)i, asked->places[i].homes, &asked->homes_arena);
        is_away = is_away || asked->places[i].status != USHER_OK;
    }
    enum usher_status status = pg_homes_judge(&asked->homes, 0, &home, &asked->homes_arena, &err);
    if (is_away && home != PG_HOME_SEVERAL)
        return 0;
    asked->status = status;
    asked->err = err;
    return home;
}

/*
 * Waits for the end of a move: it is no longer than a moment, unless the move was interrupted.
 * FATAL: a partition lives in several, and its rows would be shown twice.
 */
static enum usher_status await_homes(struct pg_views *asked, bool patient,
                                     struct usher_arena *arena, struct usher_error *err)
{
    patient = patient && asked->status == USHER_OK;
    for (int turn = 0;; turn++) {
        enum usher_status status = read_homes(asked, arena, err);
        const int32_t home = status == USHER_OK ? look_over(asked) : 0;
        if ((patient || home == PG_HOME_SEVERAL) && pg_homes_look_again(home, turn))
            continue;
        if (home == PG_HOME_SEVERAL) {
            *err = asked->err;
            return asked->status;
        }
        return status;
    }
}

static const char *all_homes(const struct pg_views *asked, struct usher_arena *arena)
{
    const char *text = "";
    for (uint32_t i = 0; i < asked->count; i++)
        text = usher_arena_format(arena, "%s %s", text, asked->places[i].homes);
    return text;
}

/* ---- carts, which lie in several ---- */

/* The one column of all rows as a JSON array. */
static const char *array_of(const struct pg_views *asked, struct usher_arena *arena)
{
    struct usher_buffer text = {0};
    usher_buffer_text(&text, "[");
    for (uint32_t i = 0; i < asked->count; i++)
        for (uint32_t k = 0; k < asked->places[i].rows.count; k++) {
            usher_buffer_text(&text, text.size > 1 ? "," : "");
            usher_buffer_text(&text, asked->places[i].rows.values[k]);
        }
    usher_buffer_text(&text, "]");
    const char *copy = usher_arena_text(arena, text.at, text.size);
    usher_buffer_deinit(&text);
    return copy;
}

/* Of carts that were sold of late, those that were not sold as a whole. */
static enum usher_status ask_unsold(struct pg_views *asked, struct usher_arena *arena,
                                    const struct pg_view_question *named, const char **names,
                                    struct usher_error *err)
{
    struct pg_params params = {0};
    enum usher_status status = ask_each(
        asked, statement(named, view_sold_cart_names_sql, NULL, arena), &params, arena, err);
    if (status != USHER_OK)
        return status;
    pg_params_text(&params, array_of(asked, arena));
    status = ask_each(asked, statement(named, view_unsold_cart_names_sql, NULL, arena), &params,
                      arena, err);
    if (status == USHER_OK)
        *names = array_of(asked, arena);
    return status;
}

/* Which carts were changed of late; `*names` is NULL where all are asked for. */
static enum usher_status ask_names(struct pg_views *asked, const struct pg_view_question *question,
                                   struct usher_arena *arena, const char **names,
                                   struct usher_error *err)
{
    static const char *const name[] = {"name"};
    const struct pg_view_question named = {.columns = name, .column_count = 1};
    struct pg_params params = {0};
    *names = NULL;
    if (question->view == PG_VIEW_MIXED_CARTS)
        return ask_unsold(asked, arena, &named, names, err);
    if (question->view == PG_VIEW_CART || !question->filters[2])
        return USHER_OK;
    pg_params_text(&params, question->filters[2]);
    enum usher_status status =
        ask_each(asked, statement(&named, view_cart_names_sql, NULL, arena), &params, arena, err);
    if (status == USHER_OK)
        *names = array_of(asked, arena);
    return status;
}

/* Puts them together of their bookings, in the first database that is there. */
static enum usher_status put_together(struct pg_views *asked,
                                      const struct pg_view_question *question, const char *bookings,
                                      struct usher_arena *arena, struct pg_view_rows *rows,
                                      struct usher_error *err)
{
    const bool is_mixed = question->view == PG_VIEW_MIXED_CARTS;
    const char *columns =
        question->view == PG_VIEW_CART ? "cart, customer, state, bookings, units, totals, "
                                         "created_at, modified_at, sold_at, lines"
        : is_mixed
            ? "count(*) as carts"
            : "cart, customer, state, bookings, units, totals, created_at, modified_at, sold_at";
    const char *sql =
        usher_arena_format(arena, "select %s from (%s) as c", columns, view_carts_of_sql);
    struct place *place = asked->places;
    struct pg_params params = {0};
    while (place->status != USHER_OK)
        place++;
    pg_params_text(&params, bookings);
    pg_params_text(&params, is_mixed                          ? "mixed"
                            : question->view == PG_VIEW_CARTS ? question->filters[1]
                                                              : NULL);
    pg_params_int8_or_null(&params, is_mixed ? 0 : question->limit, 0);
    return ask_place(place, statement(question, sql, NULL, arena), &params, arena, rows, err);
}

static enum usher_status ask_carts(struct pg_views *asked, const struct pg_view_question *question,
                                   struct usher_arena *arena, struct pg_view_rows *rows,
                                   struct usher_error *err)
{
    const struct pg_view_question whole = {.view = question->view};
    const bool is_one = question->view == PG_VIEW_CART;
    const char *names;
    struct pg_params params = {0};
    enum usher_status status = ask_names(asked, question, arena, &names, err);
    if (status != USHER_OK)
        return status;
    pg_params_text(&params, is_one ? question->filters[0] : NULL);
    pg_params_text(&params, question->filters[is_one ? 1 : 0]);
    pg_params_text(&params, names);
    status = ask_each(asked, statement(&whole, view_cart_bookings_sql, NULL, arena), &params, arena,
                      err);
    return status == USHER_OK
               ? put_together(asked, question, array_of(asked, arena), arena, rows, err)
               : status;
}

/* ---- any question ---- */

static enum usher_status ask_once(struct pg_views *asked, const struct pg_view_question *question,
                                  struct usher_arena *arena, struct pg_view_rows *rows,
                                  struct usher_error *err)
{
    const struct key *keys = views[question->view].keys;
    struct pg_params params;
    if (asked->count > 1 && (question->view == PG_VIEW_CART || question->view == PG_VIEW_CARTS ||
                             question->view == PG_VIEW_MIXED_CARTS))
        return ask_carts(asked, question, arena, rows, err);
    add_filters(&params, question);
    if (asked->count == 1)
        return ask_place(asked->places, statement(question, views[question->view].sql, NULL, arena),
                         &params, arena, rows, err);
    enum usher_status status = ask_each(
        asked, statement(question, views[question->view].sql, keys, arena), &params, arena, err);
    if (status == USHER_OK)
        merge(asked, question, keys, arena, rows);
    return status;
}

/* A partition that stands still is nothing that is not known of it. */
static void forgive(struct pg_views *asked)
{
    const struct pg_homes *homes = &asked->homes;
    bool all = asked->status == USHER_RETRY;
    for (int32_t i = 0; all && i < homes->count; i++)
        all = homes->of[i] >= 0 || homes->of[i] == PG_HOME_UNDERWAY;
    if (all)
        asked->status = USHER_OK;
}

/*
 * Asked again if a partition moved meanwhile: its rows may be there twice, or not at all. Out of a
 * database without a name none moves.
 */
enum usher_status pg_views_ask(struct pg_views *asked, const struct pg_view_question *question,
                               struct usher_arena *arena, struct pg_view_rows *rows,
                               struct usher_error *err)
{
    const bool has_rows = question->view != PG_VIEW_PARTITIONS && question->view != PG_VIEW_EVENTS;
    for (int repeat = 0;; repeat++) {
        enum usher_status status = await_homes(asked, has_rows, arena, err);
        const char *before = status == USHER_OK ? all_homes(asked, arena) : NULL;
        const bool moves = status == USHER_OK && !pg_homes_is_only(&asked->homes);
        if (status == USHER_OK)
            status = ask_once(asked, question, arena, rows, err);
        if (status == USHER_OK && moves)
            status = read_homes(asked, arena, err);
        if (!has_rows)
            forgive(asked);
        if (status != USHER_OK || !moves || repeat == REPEATS_MAX ||
            strcmp(before, all_homes(asked, arena)) == 0)
            return status;
    }
}
