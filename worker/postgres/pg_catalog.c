/*
 * Reads resources one by one, each in its own snapshot. Knows nothing of caches.
 */
#include "worker/postgres/pg_catalog.h"

#include <stdlib.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/postgres/pg_load.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

struct pg_catalog {
    struct pg_settings settings;
    struct pg_connection connection;
    struct pg_load load;
};

/* Connects, if an error has closed the connection. */
static enum usher_status ensure_open(struct pg_catalog *catalog, struct usher_error *err)
{
    if (catalog->connection.conn)
        return USHER_OK;
    enum usher_status status =
        pg_session_open_schema(&catalog->connection, &catalog->settings, err);
    if (status == USHER_OK)
        status = pg_load_open(&catalog->load, &catalog->connection, 0, err);
    if (status != USHER_OK)
        pg_connection_close(&catalog->connection);
    return status;
}

enum usher_status pg_catalog_open(const struct pg_settings *settings, struct pg_catalog **catalog,
                                  struct usher_error *err)
{
    *catalog = memory_calloc(1, sizeof **catalog);
    (*catalog)->settings = *settings;
    enum usher_status status = ensure_open(*catalog, err);
    if (status != USHER_OK) {
        pg_catalog_close(*catalog);
        *catalog = NULL;
    }
    return status;
}

void pg_catalog_close(struct pg_catalog *catalog)
{
    if (catalog) {
        pg_connection_close(&catalog->connection);
        pg_load_deinit(&catalog->load);
        free(catalog);
    }
}

static void read_page(const PGresult *result, struct usher_arena *arena,
                      struct pg_catalog_page *page)
{
    page->count = (uint32_t)PQntuples(result);
    for (uint32_t i = 0; i < page->count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);

        page->entries[i].partition = pg_row_int4(&row, 0);
        page->entries[i].no = pg_row_int8(&row, 0);
        page->entries[i].id = pg_row_text(&row, NULL);
    }
}

enum usher_status pg_catalog_next(struct pg_catalog *catalog, int64_t after_no,
                                  struct usher_arena *arena, struct pg_catalog_page *page,
                                  struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    enum usher_status status = ensure_open(catalog, err);
    page->count = 0;
    pg_params_int8(&params, after_no);
    pg_params_int8(&params, PG_CATALOG_PAGE);
    if (status == USHER_OK)
        status = pg_connection_query(&catalog->connection, catalog_page_sql, &params, &result, err);
    if (status == USHER_OK)
        read_page(result, arena, page);
    else
        pg_connection_close(&catalog->connection);
    PQclear(result);
    return status;
}

enum usher_status pg_catalog_pruned(struct pg_catalog *catalog, struct usher_arena *arena,
                                    const char ***ids, uint32_t *count, struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status = ensure_open(catalog, err);
    if (status == USHER_OK)
        status = pg_connection_query(&catalog->connection, catalog_pruned_sql, NULL, &result, err);
    if (status != USHER_OK) {
        pg_connection_close(&catalog->connection);
        return status;
    }
    *count = (uint32_t)PQntuples(result);
    *ids = usher_arena_alloc(arena, (*count + 1) * sizeof **ids);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        (*ids)[i] = pg_row_text(&row, NULL);
    }
    PQclear(result);
    return USHER_OK;
}

/* Needs a transaction: the resource and the epoch must be of one snapshot. */
static enum usher_status load(struct pg_catalog *catalog, int64_t no, struct usher_arena *arena,
                              struct pg_catalog_picture *picture, struct usher_error *err)
{
    const struct load_request request = {.resource_nos = &no, .resource_no_count = 1};
    struct load_result result;
    pg_load_set_partition(&catalog->load, row_partition(no));
    enum usher_status status = pg_load_whole(&catalog->load, &request, arena, &result, err);
    if (status == USHER_OK)
        status = pg_load_epoch(&catalog->load, &picture->epoch, &picture->now_ms, err);
    if (status == USHER_OK && result.resource_count == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not load resource number %lld: unknown",
                        (long long)no);
        return USHER_REJECT;
    }
    if (status == USHER_OK)
        picture->resource = result.resources[0];
    return status;
}

enum usher_status pg_catalog_load(struct pg_catalog *catalog, int64_t no, struct usher_arena *arena,
                                  struct pg_catalog_picture *picture, struct usher_error *err)
{
    enum usher_status status = ensure_open(catalog, err);
    if (status == USHER_OK) {
        status = pg_connection_script(&catalog->connection,
                                      "begin isolation level repeatable read read only", err);
    }
    if (status == USHER_OK)
        status = load(catalog, no, arena, picture, err);
    if (status != USHER_OK && status != USHER_REJECT) {
        pg_connection_close(&catalog->connection);
        return status;
    }
    enum usher_status ended = pg_connection_script(&catalog->connection, "commit", NULL);
    if (ended != USHER_OK)
        pg_connection_close(&catalog->connection); /* what was read stays read */
    return status;
}

enum usher_status pg_catalog_tallies(struct pg_catalog *catalog, int64_t no,
                                     struct usher_arena *arena, struct load_result *result,
                                     struct usher_error *err)
{
    const struct load_request request = {.tally_nos = &no, .tally_count = 1};
    enum usher_status status = ensure_open(catalog, err);
    if (status == USHER_OK)
        status = pg_load_whole(&catalog->load, &request, arena, result, err);
    if (status != USHER_OK)
        pg_connection_close(&catalog->connection);
    return status;
}
