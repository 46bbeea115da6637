/* All reads of a partition: missing rows, and decisions still to be published. */
#include "worker/postgres/pg_load.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "postgres_sql.h"
#include "worker/inventory/booking_lines.h"
#include "worker/postgres/pg_load_resources.h"
#include "worker/postgres/pg_rows.h"
#include "worker/postgres/pg_value.h"

/*
 * ==== Tallies ====
 *
 * The look-up of what customers have of resources.
 */

static const struct pg_statement tallies_statement = {"tallies", load_tallies_sql};

static void fill_page(struct pg_lookup_lists *lists, const int64_t *nos, uint32_t count,
                      const uint8_t after[USHER_HASH_SIZE], struct pg_params *params)
{
    pg_lookup_fill_numbers(&lists->lists[0], nos, count, params);
    pg_params_uuid(params, after);
    pg_params_int8(params, lists->limits.rows);
}

static bool fill_tallies(struct pg_lookup_lists *lists, const struct load_request *request,
                         uint32_t statement, struct pg_params *params)
{
    static const uint8_t beginning[USHER_HASH_SIZE];
    (void)statement;
    fill_page(lists, request->tally_nos, request->tally_count, beginning, params);
    return request->tally_count > 0;
}

/* Where a page ended: `full` if it looked at as many request ids as it may. */
struct page_end {
    bool full;
    int64_t resource_no;
    uint8_t id_hash[USHER_HASH_SIZE];
};

static const int32_t *copy_numbers(struct usher_arena *arena, const struct line *line)
{
    if (!line->units)
        return NULL;
    int32_t *numbers = usher_arena_alloc(arena, line->unit_count * sizeof *numbers);
    memcpy(numbers, line->units, line->unit_count * sizeof *numbers);
    return numbers;
}

/* Adds a tally for each line of a booking. False: its lines cannot be read. */
static bool add_lines(const struct pg_lookup_reading *reading, const struct load_tally *booking,
                      const PGresult *rows, int row, int column)
{
    struct load_result *result = reading->result;
    struct content *content =
        lines_read(PQgetvalue(rows, row, column), (size_t)PQgetlength(rows, row, column));
    uint32_t count = content ? content->line_count : 0;
    result->tallies = pg_lookup_extend(reading->arena, result->tallies, result->tally_count, count,
                                       &result->cursor.tally_room, sizeof *result->tallies);
    for (uint32_t i = 0; i < count; i++) {
        struct load_tally tally = *booking;
        const struct line *line = &content->lines[i];
        tally.pool = line->pool;
        tally.units = line->unit_count;
        tally.numbers = booking->held ? copy_numbers(reading->arena, line) : NULL;
        result->tallies[result->tally_count++] = tally;
    }
    free(content);
    return content;
}

static enum usher_status unreadable(int64_t no, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BUG, "could not load booking %lld: its lines cannot be read",
                    (long long)no);
    return USHER_HALT;
}

/* Adds the rows of a page; the one without a customer is its end. */
static enum usher_status add_page(const struct pg_lookup_reading *reading, const PGresult *rows,
                                  struct page_end *end, struct usher_error *err)
{
    *end = (struct page_end){0};
    for (int i = 0; i < PQntuples(rows); i++) {
        struct pg_row row = pg_row_of(rows, i, reading->arena);
        struct load_tally booking = {.resource_no = pg_row_int8(&row, 0),
                                     .customer = pg_row_text(&row, NULL),
                                     .booking = pg_row_int8(&row, 0),
                                     .held = pg_row_bool(&row),
                                     .request_id = pg_row_text(&row, NULL)};
        int lines = row.column++;
        if (booking.customer && !add_lines(reading, &booking, rows, i, lines))
            return unreadable(booking.booking, err);
        if (!booking.customer) {
            end->full = (uint32_t)pg_row_int4(&row, 0) == reading->lists->limits.rows;
            end->resource_no = booking.resource_no;
            pg_row_uuid(&row, end->id_hash);
        }
    }
    return USHER_OK;
}

/* Leaves the resource that the page broke off in for another load. */
static void drop_last(struct load_result *result, int64_t resource_no)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->tally_count; i++)
        if (result->tallies[i].resource_no != resource_no)
            result->tallies[kept++] = result->tallies[i];
    result->tally_count = kept;
}

static uint32_t place_of(const struct load_request *request, int64_t resource_no)
{
    uint32_t place = 0;
    while (request->tally_nos[place] != resource_no)
        place++;
    return place;
}

static int compare_tallies(const void *left, const void *right)
{
    const struct load_tally *a = left, *b = right;
    if (a->resource_no != b->resource_no)
        return a->resource_no < b->resource_no ? -1 : 1;
    int order = strcmp(a->customer, b->customer);
    if (order != 0 || a->booking != b->booking)
        return order != 0 ? order : (a->booking > b->booking) - (a->booking < b->booking);
    return (a->pool > b->pool) - (a->pool < b->pool);
}

/* Either there is another page of the first resource, or what was read is all, and is sorted. */
static void end_page(struct load_result *result, const struct page_end *end, bool remains)
{
    result->cursor.tallies = remains;
    if (remains)
        memcpy(result->cursor.tallies_after, end->id_hash, sizeof end->id_hash);
    else if (result->tally_count > 0)
        qsort(result->tallies, result->tally_count, sizeof *result->tallies, compare_tallies);
}

static enum usher_status read_tallies(const struct pg_lookup_reading *reading,
                                      PGresult *const *rows, struct usher_error *err)
{
    struct page_end end;
    struct load_result *result = reading->result;
    enum usher_status status = add_page(reading, rows[0], &end, err);
    uint32_t broken = end.full ? place_of(reading->request, end.resource_no) : 0;
    result->tallies_served = reading->request->tally_count;
    if (end.full && broken > 0)
        drop_last(result, end.resource_no);
    if (end.full)
        result->tallies_served = broken > 0 ? broken : 1;
    end_page(result, &end, end.full && broken == 0);
    return status;
}

/*
 * Reads another page of the first resource whose customers are counted, where result->cursor says
 * that there is one.
 */
static enum usher_status pg_load_tallies_page(const struct pg_lookup_reading *reading,
                                              struct usher_error *err)
{
    PGresult *rows;
    struct page_end end = {0};
    struct pg_params params = {0};
    struct load_result *result = reading->result;
    fill_page(reading->lists, reading->request->tally_nos, 1, result->cursor.tallies_after,
              &params);
    enum usher_status status = pg_lookup_ask(reading, tallies_statement.name, &params, &rows, err);
    if (status == USHER_OK)
        status = add_page(reading, rows, &end, err);
    if (status == USHER_OK)
        end_page(result, &end, end.full);
    PQclear(rows);
    return status;
}

static const struct pg_lookup pg_load_tallies = {&tallies_statement, 1, 0, fill_tallies,
                                                 read_tallies};

/* ==== Loads ==== */

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
        .rows = (uint32_t)pg_lookup_shrunk(limits->rows, halvings, limits_least.rows),
        .units = (uint32_t)pg_lookup_shrunk(limits->units, halvings, limits_least.units),
        .bytes = pg_lookup_shrunk(limits->bytes, halvings, limits_least.bytes),
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
    return result->cursor.tallies ? pg_load_tallies_page(&reading, err)
                                  : pg_load_resource_page(&reading, err);
}

enum usher_status pg_load_whole(struct pg_load *load, const struct load_request *request,
                                struct usher_arena *arena, struct load_result *result,
                                struct usher_error *err)
{
    enum usher_status status = pg_load_run(load, request, arena, result, err);
    while (status == USHER_OK && load_has_more(result))
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
