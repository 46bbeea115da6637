/*
 * Bookings, by all ways in which they are looked up.
 */
#include "worker/postgres/pg_load_bookings.h"

#include "postgres_sql.h"
#include "worker/postgres/pg_rows.h"

struct booking_row *pg_load_read_bookings(const PGresult *result, struct usher_arena *arena,
                                          uint32_t *count, struct usher_error *err)
{
    struct booking_row *bookings = pg_rows_read_all(result, PG_ROW_BOOKING, arena, count, err);
    for (uint32_t i = 0; bookings && i < *count; i++)
        bookings[i].from = bookings[i].state;
    return bookings;
}

/* ---- by request id ---- */

static bool fill_firsts(struct pg_lookup_lists *lists, const struct load_request *request,
                        uint32_t statement, struct pg_params *params)
{
    (void)statement;
    if (request->id_count > 0)
        pg_lookup_fill_keys(lists, request->ids, request->id_count, params);
    pg_params_int8(params, lists->limits.bytes);
    return request->id_count > 0;
}

static enum usher_status read_firsts(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                     struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->firsts =
        pg_rows_read_all(rows[0], PG_ROW_DECISION, reading->arena, &result->first_count, err);
    result->ids_served = pg_lookup_served(rows[0], reading->request->id_count);
    return result->firsts ? USHER_OK : USHER_HALT;
}

static bool fill_named(struct pg_lookup_lists *lists, const struct load_request *request,
                       uint32_t statement, struct pg_params *params)
{
    (void)statement;
    if (request->booking_count > 0)
        pg_lookup_fill_keys(lists, request->bookings, request->booking_count, params);
    pg_params_int8(params, lists->limits.bytes);
    return request->booking_count > 0;
}

static enum usher_status read_named(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                    struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->bookings = pg_load_read_bookings(rows[0], reading->arena, &result->booking_count, err);
    result->bookings_served = pg_lookup_served(rows[0], reading->request->booking_count);
    return result->bookings ? USHER_OK : USHER_HALT;
}

/* ---- by cart ---- */

static bool fill_carts(struct pg_lookup_lists *lists, const struct load_request *request,
                       uint32_t statement, struct pg_params *params)
{
    (void)statement;
    struct pg_array *resources = &lists->lists[0];
    struct pg_array *customers = &lists->lists[1];
    struct pg_array *carts = &lists->lists[2];
    pg_array_begin(resources, PG_TYPE_TEXT);
    pg_array_begin(customers, PG_TYPE_TEXT);
    pg_array_begin(carts, PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->cart_count; i++) {
        pg_array_text(resources, request->carts[i].resource);
        pg_array_text(customers, request->carts[i].customer);
        pg_array_text(carts, request->carts[i].cart);
    }
    pg_params_array(params, resources);
    pg_params_array(params, customers);
    pg_params_array(params, carts);
    pg_params_int4(params, lists->partition);
    pg_params_int8(params, lists->limits.bytes);
    return request->cart_count > 0;
}

static enum usher_status read_carts(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                    struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->of_carts = pg_load_read_bookings(rows[0], reading->arena, &result->of_cart_count, err);
    result->carts_served = pg_lookup_served(rows[0], reading->request->cart_count);
    return result->of_carts ? USHER_OK : USHER_HALT;
}

/* ---- by their resource ---- */

enum {
    OWNERS = 0, /* the statements */
    OWNERS_END,

    LEAST_PAGE = 16 /* of owners and of what is due: fewer at once would not be quicker */
};

static bool fill_owners(struct pg_lookup_lists *lists, const struct load_request *request,
                        uint32_t statement, struct pg_params *params)
{
    const struct load_owners *owners = &request->owners;
    pg_params_int8(params, owners->resource_no);
    pg_params_uuid(params, owners->after);
    pg_params_int8(params, pg_lookup_halved(owners->limit, request->halvings, LEAST_PAGE));
    if (statement == OWNERS)
        pg_params_int8(params, lists->limits.bytes);
    return owners->resource_no != 0;
}

/* They end where the bookings were cut for their size, else with the last id that was looked at. */
static enum usher_status read_owners(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                     struct usher_error *err)
{
    struct load_result *result = reading->result;
    bool is_cut = pg_lookup_is_cut(rows[OWNERS], 0);
    const PGresult *end = rows[is_cut ? OWNERS : OWNERS_END];
    result->owners = pg_load_read_bookings(rows[OWNERS], reading->arena, &result->owner_count, err);
    result->owners_remain = PQntuples(end) > 0;
    if (result->owners_remain) {
        struct pg_row row = pg_row_of(end, PQntuples(end) - 1, reading->arena);
        row.column = PQfnumber(end, "id_hash");
        pg_row_uuid(&row, result->owners_end);
    }
    return result->owners ? USHER_OK : USHER_HALT;
}

/* ---- by the time at which they expire ---- */

static uint32_t due_limit(const struct load_request *request)
{
    return (uint32_t)pg_lookup_halved(request->due_limit, request->halvings, LEAST_PAGE);
}

static bool fill_due(struct pg_lookup_lists *lists, const struct load_request *request,
                     uint32_t statement, struct pg_params *params)
{
    (void)statement;
    pg_params_int4(params, lists->partition);
    pg_params_timestamp(params, request->due_after_ms, USHER_ABSENT);
    pg_params_int8(params, request->due_after_no);
    pg_params_timestamp(params, request->due_until_ms, USHER_ABSENT);
    pg_params_int8(params, due_limit(request));
    pg_params_int8(params, lists->limits.bytes);
    return request->due;
}

static enum usher_status read_due(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                  struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->due = pg_load_read_bookings(rows[0], reading->arena, &result->due_count, err);
    result->due_remain = pg_lookup_is_cut(rows[0], due_limit(reading->request));
    return result->due ? USHER_OK : USHER_HALT;
}

/* ---- the look-ups ---- */

static const struct pg_statement firsts_statement = {"ids", load_firsts_sql};
static const struct pg_statement named_statement = {"bookings", load_bookings_sql};
static const struct pg_statement carts_statement = {"carts", load_carts_sql};
static const struct pg_statement owners_statements[] = {
    {"owners", load_owners_sql},
    {"owners_end", load_owners_end_sql},
};
static const struct pg_statement due_statement = {"due", load_due_sql};

const struct pg_lookup pg_load_firsts = {&firsts_statement, 1, 0, fill_firsts, read_firsts};
const struct pg_lookup pg_load_bookings = {&named_statement, 1, 0, fill_named, read_named};
const struct pg_lookup pg_load_carts = {&carts_statement, 1, 0, fill_carts, read_carts};
const struct pg_lookup pg_load_owners = {owners_statements, 2, 0, fill_owners, read_owners};
const struct pg_lookup pg_load_due = {&due_statement, 1, 0, fill_due, read_due};
