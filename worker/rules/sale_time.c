/* When a resource sells: see sale_time.h. PURE. */
#include "worker/rules/sale_time.h"

#include "producer/codec/timezone.h"
#include "worker/inventory/names.h"
#include "worker/inventory/terms.h"

static const int64_t MS_A_DAY = INT64_C(86400000);

bool sale_has_ended(const struct resource_row *row, int64_t at_ms)
{
    return row->ends_ms != USHER_ABSENT && at_ms >= row->ends_ms;
}

bool sale_has_closed(const struct resource_row *row, int64_t at_ms)
{
    return row->closes_ms != USHER_ABSENT && at_ms >= row->closes_ms;
}

bool sale_is_yet_to_open(const struct resource_row *row, int64_t at_ms)
{
    return row->state == USHER_OPEN && row->opens_ms != USHER_ABSENT && at_ms < row->opens_ms;
}

bool sale_is_on(const struct resource_row *row, int64_t at_ms)
{
    return row->state == USHER_OPEN && !sale_is_yet_to_open(row, at_ms) &&
           !sale_has_closed(row, at_ms) && !sale_has_ended(row, at_ms);
}

/* ---- nights ---- */

/* Nowhere is it later than tomorrow's date in UTC: most nights need no look at the time zone. */
bool sale_night_is_over(const struct resource_row *row, int32_t night, int64_t at_ms)
{
    return row->timezone && night <= at_ms / MS_A_DAY &&
           night < timezone_date(row->timezone, at_ms);
}

bool sale_item_is_of_past(const struct resource_row *row, const struct usher_item *item,
                          int64_t at_ms)
{
    return item->kind == USHER_ROOM && sale_night_is_over(row, item->from, at_ms);
}

bool sale_is_of_past(const struct resource_row *row, const struct usher_request *request,
                     int64_t at_ms)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < request->item_count; i++)
        found = sale_item_is_of_past(row, &request->items[i], at_ms);
    return found;
}

/* ---- rates ---- */

static int64_t earlier(int64_t a_ms, int64_t b_ms)
{
    return a_ms < b_ms ? a_ms : b_ms;
}

/* Of members each needs its rate, so that the first one counts. */
static int64_t rates_of_pool(const struct resource *resource, const struct pool *pool,
                             const struct usher_item *item)
{
    int64_t first_ms = INT64_MAX;
    for (uint32_t i = 0; i < item->member_count; i++)
        first_ms = earlier(first_ms, terms_end_of_rates(resource, pool, item->members[i].rate));
    return item->member_count > 0 ? first_ms : terms_end_of_rates(resource, pool, item->rate);
}

/* Of several sections any will do, so that the last one counts. */
static int64_t rates_of_sections(const struct resource *resource, const struct usher_item *item)
{
    uint32_t count = item->section_count > 0 ? item->section_count : 1;
    const char *const *names = item->section_count > 0 ? item->sections : &item->pool;
    int64_t last_ms = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pool_name *name = resource_name(resource, names[i]);
        int64_t end_ms = name && name->kind != USHER_ROOM
                             ? rates_of_pool(resource, &resource->pools[name->pool], item)
                             : INT64_MAX;
        last_ms = end_ms > last_ms ? end_ms : last_ms;
    }
    return last_ms;
}

static int64_t rates_of_nights(const struct resource *resource, const struct usher_item *item)
{
    const struct pool_name *name = resource_name(resource, item->pool);
    int64_t first_ms = INT64_MAX;
    for (int32_t night = item->from; name && name->kind == USHER_ROOM && night < item->to;
         night++) {
        const struct pool *pool = resource_night(resource, name, night);
        if (pool)
            first_ms = earlier(first_ms, terms_end_of_rates(resource, pool, item->rate));
    }
    return first_ms;
}

/* Returns from when on no rate serves the item. What is unknown does not end. */
static int64_t item_rates_until_ms(const struct resource *resource, const struct usher_item *item)
{
    int64_t first_ms = INT64_MAX;
    if (resource->terms.rate_count == 0)
        return INT64_MAX;
    if (item->kind == USHER_ROOM)
        return rates_of_nights(resource, item);
    if (item->kind != USHER_SEATS)
        return rates_of_sections(resource, item);
    for (uint32_t i = 0, pool, unit; i < item->seat_count; i++)
        if (names_find_seat(resource, item->seats[i], &pool, &unit))
            first_ms =
                earlier(first_ms, terms_end_of_rates(resource, &resource->pools[pool], item->rate));
    return first_ms;
}

int64_t sale_rates_until_ms(const struct resource *resource, const struct usher_request *request)
{
    int64_t until_ms = INT64_MAX;
    for (uint32_t i = 0; resource->terms.rate_count > 0 && i < request->item_count; i++)
        until_ms = earlier(until_ms, item_rates_until_ms(resource, &request->items[i]));
    return until_ms;
}

/* At closes_at nothing ends: the house may sell on. At that of a rate the rate does. */
int64_t sale_until_ms(const struct resource *resource, const struct usher_request *request)
{
    const struct resource_row *row = &resource->row;
    int64_t until_ms = row->ends_ms != USHER_ABSENT ? row->ends_ms : INT64_MAX;
    for (uint32_t i = 0; row->timezone && i < request->item_count; i++) {
        if (request->items[i].kind == USHER_ROOM)
            until_ms =
                earlier(until_ms, timezone_midnight(row->timezone, request->items[i].from + 1));
    }
    return earlier(until_ms, sale_rates_until_ms(resource, request));
}

bool sale_is_same(const struct resource *resource, int64_t from_ms, int64_t to_ms)
{
    const struct resource_row *row = &resource->row;
    bool same = sale_is_on(row, from_ms) == sale_is_on(row, to_ms) &&
                (!row->timezone ||
                 timezone_date(row->timezone, from_ms) == timezone_date(row->timezone, to_ms));
    for (uint32_t i = 0; same && i < resource->terms.rate_count; i++) {
        int64_t closes_ms = resource->terms.rates[i].closes_ms;
        same = (from_ms < closes_ms) == (to_ms < closes_ms);
    }
    return same;
}
