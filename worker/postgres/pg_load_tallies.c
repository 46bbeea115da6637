/*
 * What customers have of resources, page by page.
 */
#include "worker/postgres/pg_load_tallies.h"

#include <stdlib.h>
#include <string.h>

#include "postgres_sql.h"
#include "worker/inventory/booking_lines.h"
#include "worker/postgres/pg_rows.h"

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

/* Adds a tally for each line of a booking. False: its lines cannot be read. */
static bool add_lines(const struct pg_lookup_reading *reading, const struct load_tally *booking,
                      const PGresult *rows, int row, int column)
{
    struct load_result *result = reading->result;
    struct content *content =
        lines_read(PQgetvalue(rows, row, column), (size_t)PQgetlength(rows, row, column));
    uint32_t count = content ? content->line_count : 0;
    result->tallies = pg_lookup_extend(reading->arena, result->tallies, result->tally_count, count,
                                       &result->rest.tally_room, sizeof *result->tallies);
    for (uint32_t i = 0; i < count; i++) {
        struct load_tally tally = *booking;
        tally.pool = content->lines[i].pool;
        tally.units = content->lines[i].unit_count;
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
                                     .held = pg_row_bool(&row)};
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
    result->rest.tallies = remains;
    if (remains)
        memcpy(result->rest.tallies_after, end->id_hash, sizeof end->id_hash);
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

enum usher_status pg_load_tallies_page(const struct pg_lookup_reading *reading,
                                       struct usher_error *err)
{
    PGresult *rows;
    struct page_end end = {0};
    struct pg_params params = {0};
    struct load_result *result = reading->result;
    fill_page(reading->lists, reading->request->tally_nos, 1, result->rest.tallies_after, &params);
    enum usher_status status = pg_lookup_ask(reading, tallies_statement.name, &params, &rows, err);
    if (status == USHER_OK)
        status = add_page(reading, rows, &end, err);
    if (status == USHER_OK)
        end_page(result, &end, end.full);
    PQclear(rows);
    return status;
}

const struct pg_lookup pg_load_tallies = {&tallies_statement, 1, 0, fill_tallies, read_tallies};
