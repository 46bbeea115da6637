/* When a resource sells: see sale_time.h. PURE. */
#include "worker/rules/sale_time.h"

#include "producer/codec/timezone.h"

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

/* At closes_at nothing ends: the house may sell on. */
int64_t sale_until_ms(const struct resource_row *row, const struct usher_request *request)
{
    int64_t until_ms = row->ends_ms != USHER_ABSENT ? row->ends_ms : INT64_MAX;
    for (uint32_t i = 0; row->timezone && i < request->item_count; i++) {
        if (request->items[i].kind != USHER_ROOM)
            continue;
        int64_t over_ms = timezone_midnight(row->timezone, request->items[i].from + 1);
        until_ms = over_ms < until_ms ? over_ms : until_ms;
    }
    return until_ms;
}

bool sale_is_same(const struct resource_row *row, int64_t from_ms, int64_t to_ms)
{
    return sale_is_on(row, from_ms) == sale_is_on(row, to_ms) &&
           (!row->timezone ||
            timezone_date(row->timezone, from_ms) == timezone_date(row->timezone, to_ms));
}
