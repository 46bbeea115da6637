/*
 * Look-ups by key, all in one round trip, and what is read on its own.
 */
#include "worker/postgres/pg_load.h"

#include <assert.h>

#include "postgres_sql.h"
#include "worker/postgres/pg_load_bookings.h"
#include "worker/postgres/pg_load_lists.h"
#include "worker/postgres/pg_load_resources.h"
#include "worker/postgres/pg_load_tallies.h"
#include "worker/postgres/pg_value.h"

/* In the order in which they are sent and read. */
static const struct pg_lookup *const lookups[] = {
    &pg_load_resources, &pg_load_firsts,  &pg_load_bookings, &pg_load_carts,      &pg_load_charts,
    &pg_load_due,       &pg_load_tallies, &pg_load_owners,   &pg_load_unfinished,
};

static const struct pg_statement page_statements[] = {
    [PG_LOAD_DECISIONS] = {"decisions", load_decisions_sql},
    [PG_LOAD_DEAD_LETTERS] = {"dead_letters", load_dead_letters_sql},
    [PG_LOAD_CHANGED] = {"changed_revs", load_changed_revs_sql},
    [PG_LOAD_RESOURCES] = {"resource_revs", load_resource_revs_sql},
};

enum {
    LOOKUP_COUNT = sizeof lookups / sizeof *lookups,
    LOOKUP_STATEMENTS_MAX = 16, /* statements of all look-ups, and the guard */
};

/* Far below the time that a statement may take, and what a connection passes on in it. */
static const struct pg_load_limits limits_default = {
    .rows = 32768, .units = 1 << 20, .bytes = 8 << 20};

/* Below these, another halving would not help: it is not the size that takes the time. */
static const struct pg_load_limits limits_least = {.rows = 64, .units = 1024, .bytes = 1 << 20};

enum usher_status pg_load_open(struct pg_load *load, struct pg_connection *connection,
                               int32_t partition, struct usher_error *err)
{
    struct pg_statement statements[LOOKUP_STATEMENTS_MAX + PG_LOAD_PAGES + 1];
    uint32_t count = 0;
    load->connection = connection;
    load->lists.partition = partition;
    if (load->limits.rows == 0)
        load->limits = limits_default;
    for (uint32_t i = 0; i < LOOKUP_COUNT; i++)
        for (uint32_t j = 0; j < lookups[i]->count + lookups[i]->page_count; j++)
            statements[count++] = lookups[i]->statements[j];
    assert(count <= LOOKUP_STATEMENTS_MAX);
    for (uint32_t i = 0; i < PG_LOAD_PAGES; i++)
        statements[count++] = page_statements[i];
    statements[count++] = pg_lookup_epoch;
    return pg_connection_prepare(connection, statements, count, err);
}

void pg_load_deinit(struct pg_load *load)
{
    pg_lookup_deinit(&load->lists);
}

void pg_load_set_partition(struct pg_load *load, int32_t partition)
{
    load->lists.partition = partition;
}

void pg_load_set_epoch(struct pg_load *load, int32_t epoch)
{
    load->lists.epoch = epoch;
}

static bool is_open(const struct pg_load *load, struct usher_error *err)
{
    if (!load->connection->conn)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not load: not connected");
    return load->connection->conn;
}

/* ---- look-ups ---- */

static void set_limits(struct pg_load *load, uint32_t halvings)
{
    const struct pg_load_limits *limits = &load->limits;
    load->lists.limits = (struct pg_load_limits){
        .rows = (uint32_t)pg_lookup_halved(limits->rows, halvings, limits_least.rows),
        .units = (uint32_t)pg_lookup_halved(limits->units, halvings, limits_least.units),
        .bytes = pg_lookup_halved(limits->bytes, halvings, limits_least.bytes),
    };
}

/* Sends what is requested, and says in `sent` what that is. False: the connection is lost. */
static bool send_lookups(struct pg_load *load, const struct load_request *request,
                         bool sent[LOOKUP_COUNT])
{
    bool alive = PQenterPipelineMode(load->connection->conn) == 1;
    for (uint32_t i = 0; i < LOOKUP_COUNT && alive; i++) {
        sent[i] = true;
        for (uint32_t j = 0; sent[i] && alive && j < lookups[i]->count; j++) {
            struct pg_params params = {0};
            sent[i] = lookups[i]->fill(&load->lists, request, j, &params);
            alive = !sent[i] ||
                    pg_connection_send(load->connection, lookups[i]->statements[j].name, &params);
        }
    }
    return alive;
}

static uint32_t count_results(const bool sent[LOOKUP_COUNT])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LOOKUP_COUNT; i++)
        count += sent[i] ? lookups[i]->count : 0;
    return count;
}

static enum usher_status read_lookups(const struct pg_lookup_reading *reading,
                                      const bool sent[LOOKUP_COUNT], PGresult *const *rows,
                                      struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < LOOKUP_COUNT && status == USHER_OK; i++) {
        if (sent[i]) {
            status = lookups[i]->read(reading, rows, err);
            rows += lookups[i]->count;
        }
    }
    return status;
}

enum usher_status pg_load_run(struct pg_load *load, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    PGresult *rows[LOOKUP_STATEMENTS_MAX];
    bool sent[LOOKUP_COUNT];
    *result = (struct load_result){0};
    if (!is_open(load, err))
        return USHER_RETRY;
    set_limits(load, request->halvings);
    if (!send_lookups(load, request, sent))
        return pg_connection_lost(load->connection, "load", err);
    uint32_t count = count_results(sent);
    enum usher_status status = pg_lookup_finish(load->connection, &load->lists, rows, count, err);
    if (status != USHER_OK)
        return status;
    const struct pg_lookup_reading reading = {load->connection, &load->lists, request, arena,
                                              result};
    status = read_lookups(&reading, sent, rows, err);
    for (uint32_t i = 0; i < count; i++)
        PQclear(rows[i]);
    return status;
}

enum usher_status pg_load_more(struct pg_load *load, const struct load_request *request,
                               struct usher_arena *arena, struct load_result *result,
                               struct usher_error *err)
{
    const struct pg_lookup_reading reading = {load->connection, &load->lists, request, arena,
                                              result};
    if (!is_open(load, err))
        return USHER_RETRY;
    set_limits(load, request->halvings);
    return result->rest.tallies ? pg_load_tallies_page(&reading, err)
                                : pg_load_resource_page(&reading, err);
}

enum usher_status pg_load_whole(struct pg_load *load, const struct load_request *request,
                                struct usher_arena *arena, struct load_result *result,
                                struct usher_error *err)
{
    enum usher_status status = pg_load_run(load, request, arena, result, err);
    while (status == USHER_OK && load_remains(result))
        status = pg_load_more(load, request, arena, result, err);
    return status;
}

/* ---- one statement on its own ---- */

static enum usher_status ask(struct pg_load *load, const char *statement,
                             const struct pg_params *params, PGresult **rows,
                             struct usher_error *err)
{
    *rows = NULL;
    return is_open(load, err) ? pg_connection_ask(load->connection, statement, params, rows, err)
                              : USHER_RETRY;
}

enum usher_status pg_load_page(struct pg_load *load, enum pg_load_pages which, int64_t after,
                               uint32_t limit, PGresult **rows, struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, load->lists.partition);
    pg_params_int8(&params, after);
    pg_params_int8(&params, limit);
    return ask(load, page_statements[which].name, &params, rows, err);
}

enum usher_status pg_load_epoch(struct pg_load *load, int32_t *epoch, int64_t *now_ms,
                                struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, load->lists.partition);

    PGresult *rows;
    enum usher_status status = ask(load, pg_lookup_epoch.name, &params, &rows, err);
    if (status != USHER_OK)
        return status;
    struct pg_row row = pg_row_of(rows, 0, NULL);
    *epoch = pg_row_int4(&row, 0);
    *now_ms = pg_row_int8(&row, 0);
    PQclear(rows);
    return USHER_OK;
}
