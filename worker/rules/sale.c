/*
 * Checks the state and the times of a sale. Which date it is at the place is computed from a table
 * that the program brings along: the same everywhere, and in every replay. PURE.
 */
#include "worker/rules/sale.h"

#include "producer/codec/timezone.h"
#include "worker/rules/answer_units.h"

static const int64_t MS_A_DAY = INT64_C(86400000);

static bool is_within_times(const struct resource_row *row, int64_t now_ms)
{
    return (row->opens_ms == USHER_ABSENT || now_ms >= row->opens_ms) &&
           (row->closes_ms == USHER_ABSENT || now_ms < row->closes_ms);
}

static bool is_over(const struct resource_row *row, int64_t now_ms)
{
    return row->ends_ms != USHER_ABSENT && now_ms >= row->ends_ms;
}

bool sale_is_on(const struct resource_row *row, int64_t now_ms)
{
    return row->state == USHER_OPEN && is_within_times(row, now_ms) && !is_over(row, now_ms);
}

/* ---- nights ---- */

/* Nowhere is it later than tomorrow's date in UTC: most nights need no look at the time zone. */
static bool night_is_over(const struct resource_row *row, int32_t night, int64_t now_ms)
{
    return row->timezone && night <= now_ms / MS_A_DAY &&
           night < timezone_date(row->timezone, now_ms);
}

static bool item_is_of_past(const struct resource_row *row, const struct usher_item *item,
                            int64_t now_ms)
{
    return item->kind == USHER_ROOM && night_is_over(row, item->from, now_ms);
}

bool sale_is_of_past(const struct resource_row *row, const struct usher_request *request,
                     int64_t now_ms)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < request->item_count; i++)
        found = item_is_of_past(row, &request->items[i], now_ms);
    return found;
}

static void refuse_item(const struct decision *decision, uint32_t index,
                        struct usher_shortfall *shortfall)
{
    const struct resource_row *row = &decision->resource->row;
    const struct usher_item *item = &decision->request->items[index];
    const char **nights = usher_arena_alloc(decision_arena(decision),
                                            (size_t)(item->to - item->from) * sizeof *nights);
    *shortfall = (struct usher_shortfall){.item = index,
                                          .asked = item->quantity,
                                          .reason = USHER_NOT_ON_SALE,
                                          .free = USHER_ABSENT,
                                          .taken = nights};
    for (int32_t night = item->from;
         night < item->to && night_is_over(row, night, decision->batch->now_ms); night++)
        nights[shortfall->taken_count++] = answer_night(night, decision_arena(decision));
}

/* Names the nights that are over, item by item. */
static void refuse_nights(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    const struct resource_row *row = &decision->resource->row;
    struct usher_arena *arena = decision_arena(decision);
    int32_t today = timezone_date(row->timezone, decision->batch->now_ms);
    struct usher_shortfall *items = usher_arena_alloc(arena, request->item_count * sizeof *items);
    uint32_t count = 0;
    for (uint32_t i = 0; i < request->item_count; i++)
        if (item_is_of_past(row, &request->items[i], decision->batch->now_ms))
            refuse_item(decision, i, &items[count++]);
    decision_refuse_items(decision, USHER_NOT_ON_SALE, items, count);
    decision->answer.detail = usher_arena_format(arena, "it is %s in %s, earlier nights are over",
                                                 answer_night(today, arena), row->timezone);
}

/* ---- why not ---- */

static const char *at(const struct decision *decision, const char *what, int64_t ms)
{
    char instant[USHER_INSTANT_SIZE];
    usher_instant_format(ms, instant);
    return usher_arena_format(decision_arena(decision), "%s %s", what, instant);
}

/* Returns why nothing is sold, whoever asks; NULL: something is. */
static const char *closed_detail(const struct decision *decision)
{
    const struct resource_row *row = &decision->resource->row;
    int64_t now_ms = decision->batch->now_ms;
    if (row->state == USHER_DRAFT)
        return SALE_DRAFT_DETAIL;
    if (row->state == USHER_CLOSED)
        return "closed";
    if (is_within_times(row, now_ms))
        return NULL;
    return row->opens_ms != USHER_ABSENT && now_ms < row->opens_ms
               ? at(decision, "on sale from", row->opens_ms)
               : at(decision, "on sale until", row->closes_ms);
}

static void set_sale(struct decision *decision)
{
    const struct resource_row *row = &decision->resource->row;
    decision->answer.state = row->state;
    decision->answer.opens_ms = row->opens_ms;
    decision->answer.closes_ms = row->closes_ms;
}

bool sale_refuse(struct decision *decision)
{
    const struct resource_row *row = &decision->resource->row;
    const struct usher_request *request = decision->request;
    int64_t now_ms = decision->batch->now_ms;
    const char *detail = closed_detail(decision);
    bool over = !detail && !request->force && is_over(row, now_ms);
    if (detail || over) {
        decision_refuse(decision, USHER_NOT_ON_SALE,
                        over ? at(decision, "it ended at", row->ends_ms) : detail);
    } else if (!request->force && sale_is_of_past(row, request, now_ms)) {
        refuse_nights(decision);
        over = true;
    } else {
        return false;
    }
    if (over)
        decision->answer.retryable = false;
    set_sale(decision);
    return true;
}
