/*
 * Bookings, by all ways in which they are looked for.
 */
#include "worker/postgres/pg_load_parts.h"
#include "worker/postgres/pg_read.h"

/* A booking's number is made of the seq of the decision that made it. */
static const struct pg_statement named_statement = {
    "bookings", "select b.*" PG_LOAD_FIRSTS " cross join lateral ("
                "  select " PG_BOOKING_COLUMNS " from usher.booking"
                "  where no = $3::bigint << 48 | d.seq offset 0) as b"};

static const struct pg_statement cart_statement = {
    "carts", "select b.* from unnest($1::text[], $2::text[], $3::text[])"
             "  as k (k_resource, k_customer, k_cart)"
             " cross join lateral ("
             "  select no from usher.resource where partition = $4 and id = k_resource offset 0)"
             "  as r"
             " cross join lateral ("
             "  select " PG_BOOKING_COLUMNS " from usher.booking"
             "  where resource_no = r.no and customer = k_customer and cart = k_cart offset 0)"
             "  as b"
             " order by b.no"};

/* The last column is the unit to go on from; 2147483647: there are no more. */
static const struct pg_statement owner_statement = {
    "owners", "with looked_at as materialized ("
              " select unit, booking from usher.allocation where pool = $1 and unit >= $2"
              " order by unit limit $3)"
              " select b.*, e.unit from ("
              "  select booking, min(unit) as unit from looked_at group by booking) as f"
              " cross join lateral ("
              "  select " PG_BOOKING_COLUMNS " from usher.booking where no = f.booking offset 0)"
              "  as b"
              " cross join ("
              "  select case when count(*) = $3 then max(unit) + 1 else 2147483647 end as unit"
              "  from looked_at) as e"
              " order by f.unit"};

static const struct pg_statement due_statement = {
    "due", "select " PG_BOOKING_COLUMNS " from usher.booking"
           " where partition = $1 and state in ('held', 'blocked', 'waiting')"
           "   and expires_at is not null"
           "   and (expires_at, no) > (coalesce($2::timestamptz, '-infinity'), $3)"
           "   and expires_at <= $4"
           " order by expires_at, no limit $5"};

/* ---- by name ---- */

static bool named_are_wanted(const struct load_request *request)
{
    return request->booking_count > 0;
}

static void fill_named(struct pg_load *load, const struct load_request *request,
                       struct pg_params *params)
{
    pg_load_fill_keys(load, request->bookings, request->booking_count, params);
}

static enum usher_status read_named(PGresult *const *rows, struct usher_arena *arena,
                                    struct load_result *result, struct usher_error *err)
{
    (void)err;
    result->bookings = pg_read_bookings(rows[0], arena, &result->booking_count);
    return USHER_OK;
}

/* ---- by cart ---- */

static bool carts_are_wanted(const struct load_request *request)
{
    return request->cart_count > 0;
}

static void fill_carts(struct pg_load *load, const struct load_request *request,
                       struct pg_params *params)
{
    for (int i = 0; i < 3; i++)
        pg_array_begin(&load->lists[i], PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->cart_count; i++) {
        pg_array_text(&load->lists[0], request->carts[i].resource);
        pg_array_text(&load->lists[1], request->carts[i].customer);
        pg_array_text(&load->lists[2], request->carts[i].cart);
    }
    for (int i = 0; i < 3; i++)
        pg_params_array(params, &load->lists[i]);
    pg_params_int4(params, load->partition);
}

static enum usher_status read_carts(PGresult *const *rows, struct usher_arena *arena,
                                    struct load_result *result, struct usher_error *err)
{
    (void)err;
    result->of_carts = pg_read_bookings(rows[0], arena, &result->of_cart_count);
    return USHER_OK;
}

/* ---- by the units they have ---- */

static bool owners_are_wanted(const struct load_request *request)
{
    return request->owners.pool != 0;
}

static void fill_owners(struct pg_load *load, const struct load_request *request,
                        struct pg_params *params)
{
    (void)load;
    pg_params_int8(params, request->owners.pool);
    pg_params_int4(params, request->owners.unit);
    pg_params_int8(params, request->owners.limit);
}

static enum usher_status read_owners(PGresult *const *rows, struct usher_arena *arena,
                                     struct load_result *result, struct usher_error *err)
{
    (void)err;
    result->owner_count = (uint32_t)PQntuples(rows[0]);
    result->owners = usher_arena_alloc(arena, result->owner_count * sizeof *result->owners);
    result->owners_end = INT32_MAX;
    for (uint32_t i = 0; i < result->owner_count; i++) {
        struct pg_row row = pg_row_of(rows[0], (int)i, arena);

        pg_read_booking(&row, &result->owners[i]);
        result->owners_end = pg_row_int4(&row, INT32_MAX);
    }
    return USHER_OK;
}

/* ---- by the time at which they end ---- */

static bool due_is_wanted(const struct load_request *request)
{
    return request->due;
}

static void fill_due(struct pg_load *load, const struct load_request *request,
                     struct pg_params *params)
{
    pg_params_int4(params, load->partition);
    pg_params_timestamp(params, request->due_after_ms, USHER_ABSENT);
    pg_params_int8(params, request->due_after_no);
    pg_params_timestamp(params, request->due_until_ms, USHER_ABSENT);
    pg_params_int8(params, request->due_limit);
}

static enum usher_status read_due(PGresult *const *rows, struct usher_arena *arena,
                                  struct load_result *result, struct usher_error *err)
{
    (void)err;
    result->due = pg_read_bookings(rows[0], arena, &result->due_count);
    return USHER_OK;
}

#define PART(name, statement, wanted, filler, reader) \
    const struct pg_load_part name = {                \
        .statements = &(statement),                   \
        .count = 1,                                   \
        .is_wanted = (wanted),                        \
        .fill = (filler),                             \
        .read = (reader),                             \
    }

PART(pg_load_bookings, named_statement, named_are_wanted, fill_named, read_named);
PART(pg_load_carts, cart_statement, carts_are_wanted, fill_carts, read_carts);
PART(pg_load_owners, owner_statement, owners_are_wanted, fill_owners, read_owners);
PART(pg_load_due, due_statement, due_is_wanted, fill_due, read_due);
