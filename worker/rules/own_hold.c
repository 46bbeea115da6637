/* Names the customer's own hold that stops a request: see own_hold.h. PURE. */
#include "worker/rules/own_hold.h"

#include <assert.h>
#include <string.h>

#include "worker/inventory/names.h"
#include "worker/inventory/terms.h"

/* ---- what a line has ---- */

static bool has_seat(const struct resource *resource, const struct line *line, const char *name)
{
    uint32_t pool, unit;
    if (resource->pools[line->pool].row.kind != USHER_SEATS || !line->units ||
        !names_find_seat(resource, name, &pool, &unit) || pool != line->pool)
        return false;
    bool has = false;
    for (uint32_t i = 0; !has && i < line->unit_count; i++)
        has = line->units[i] == (int32_t)unit;
    return has;
}

static bool is_of_seats(const struct resource *resource, const struct line *line,
                        const char *const *seats, uint32_t count)
{
    uint32_t pool, unit;
    bool is = false;
    for (uint32_t i = 0; !is && i < count; i++)
        is = names_find_seat(resource, seats[i], &pool, &unit) && pool == line->pool;
    return is;
}

static bool is_on_night(const struct pool_row *pool, const struct usher_shortfall *shortfall)
{
    bool is = false;
    char night[USHER_NIGHT_SIZE];
    usher_night_format(pool->night, night);
    for (uint32_t i = 0; !is && i < shortfall->taken_count; i++)
        is = strcmp(shortfall->taken[i], night) == 0;
    return is;
}

/* Whether a line has units of what an item did not get. */
static bool stops_item(const struct decision *decision, const struct line *line,
                       const struct usher_shortfall *shortfall)
{
    const struct resource *resource = decision->resource;
    const struct usher_item *item = &decision->request->items[shortfall->item];
    const struct pool_row *pool = &resource->pools[line->pool].row;
    bool has = false;
    for (uint32_t i = 0; shortfall->reason == USHER_UNIT_TAKEN && i < shortfall->taken_count; i++)
        has = has || has_seat(resource, line, shortfall->taken[i]);
    if (shortfall->reason == USHER_UNIT_TAKEN)
        return has;
    if (item->kind == USHER_SEATS) /* a quota leaves too few of their section */
        return is_of_seats(resource, line, item->seats, item->seat_count);
    has = item->pool && strcmp(item->pool, pool->name) == 0;
    for (uint32_t i = 0; i < item->section_count; i++)
        has = has || strcmp(item->sections[i], pool->name) == 0;
    return has && (pool->kind != USHER_ROOM || is_on_night(pool, shortfall));
}

/* ---- the newest hold ---- */

/* Whether the request changes it: an exchange has its units. */
static bool is_changed(const struct usher_request *request, const struct tally_hold *hold)
{
    return (request->booking && strcmp(request->booking, hold->request_id) == 0) ||
           (request->from_hold && strcmp(request->from_hold, hold->request_id) == 0);
}

/* By a limit it is stopped by any hold that has units of the group; NULL: by any. */
static bool stops(const struct decision *decision, const struct tally_hold *hold,
                  const struct pool_group *group)
{
    const struct usher_answer *answer = &decision->answer;
    const bool by_limit = answer->reason == USHER_LIMIT_EXCEEDED;
    bool does = by_limit && !group;
    for (uint32_t i = 0; !does && i < hold->content->line_count; i++) {
        const struct line *line = &hold->content->lines[i];
        does = by_limit && terms_group_has(group, decision->resource, line->pool);
        for (uint32_t j = 0; !does && j < answer->items_count; j++)
            does = stops_item(decision, line, &answer->items[j]);
    }
    return does;
}

static void name_newest(struct decision *decision, const struct pool_group *group)
{
    const char *customer = decision->request->customer;
    if (!customer || !decision->resource->terms.limits_customers)
        return;
    const struct tally *tally = tally_find(decision->resource, customer);
    const struct tally_hold *newest = NULL;
    for (uint32_t i = 0; tally && i < tally->open_count; i++) {
        const struct tally_hold *hold = &tally->open[i];
        if ((!newest || hold->no > newest->no) && !is_changed(decision->request, hold) &&
            stops(decision, hold, group))
            newest = hold;
    }
    if (newest)
        decision->answer.own_hold = decision_text(decision, newest->request_id);
}

void own_hold_name(struct decision *decision)
{
    enum usher_reason reason = decision->answer.reason;
    if (reason == USHER_UNIT_TAKEN || reason == USHER_NOT_ENOUGH || reason == USHER_NOT_TOGETHER)
        name_newest(decision, NULL);
}

void own_hold_name_limit(struct decision *decision, const struct pool_group *group)
{
    assert(decision->answer.reason == USHER_LIMIT_EXCEEDED);
    name_newest(decision, group);
}
