/*
 * The terms of sale of a resource: limits and quotas, resolved to the pools they name. PURE: it
 * counts, it does not refuse.
 */
#include "worker/inventory/terms.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/codec/stored.h"
#include "worker/base/array.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/sellable.h"
#include "worker/inventory/shared_catalogue.h"

/* ==== Terms ==== */

/* ---- resolving ---- */

static bool resolve_group(struct resource *resource, const char *const *names, uint32_t count,
                          struct pool_group *group)
{
    group->pools = usher_arena_alloc(resource->arena, count * sizeof(struct pool_name *));
    group->pool_count = count;
    for (uint32_t i = 0; i < count; i++) {
        group->pools[i] = resource_name(resource, names[i]);
        if (!group->pools[i])
            return false;
    }
    return true;
}

static bool resolve_limits(struct resource *resource, const struct usher_limits *limits,
                           struct terms *terms)
{
    terms->units_min = limits->units_min;
    terms->units_per_request = limits->units_per_request;
    terms->units_per_customer = limits->units_per_customer;
    terms->holds_per_customer = limits->holds_per_customer;
    terms->hold_total_s = limits->hold_total_s;
    terms->house_hold_total_s = limits->house_hold_total_s;
    terms->limits_customers = terms_limit_customers(limits);
    terms->groups = usher_arena_alloc(resource->arena, limits->group_count * sizeof *terms->groups);
    terms->group_count = limits->group_count;
    bool good = true;
    for (uint32_t i = 0; good && i < limits->group_count; i++) {
        const struct usher_limit_group *group = &limits->groups[i];
        terms->groups[i].limit = group->limit;
        good = resolve_group(resource, group->pools, group->pool_count, &terms->groups[i]);
    }
    return good;
}

static bool resolve_quotas(struct resource *resource, const struct stored_terms *from,
                           struct terms *terms)
{
    struct quotas *quotas = &terms->quotas;
    quotas->at = usher_arena_alloc(resource->arena, from->quota_count * sizeof *quotas->at);
    terms->rates = usher_arena_alloc(resource->arena, from->quota_count * sizeof *terms->rates);
    bool good = true;
    for (uint32_t i = 0; good && i < from->quota_count; i++) {
        const struct usher_quota *quota = &from->quotas[i];
        struct pool_group *group =
            quota->rate ? &terms->rates[terms->rate_count++] : &quotas->at[quotas->count++];
        group->name = quota->quota;
        group->limit = quota->limit_given ? quota->limit : INT64_MAX;
        group->rate = quota->rate;
        group->closes_ms = quota->closes_ms > 0 ? quota->closes_ms : INT64_MAX;
        good = resolve_group(resource, quota->pools, quota->pool_count, group);
    }
    if (good)
        quotas_arrange(quotas, resource->arena);
    return good;
}

bool terms_resolve(struct resource *resource)
{
    const char *json = resource->row.terms;
    struct stored_terms from;
    struct terms terms = {0};
    if (json) {
        struct usher_error err;
        if (stored_terms_decode(json, strlen(json), resource->arena, &from, &err) != USHER_OK ||
            (from.limits && !resolve_limits(resource, from.limits, &terms)) ||
            !resolve_quotas(resource, &from, &terms))
            return false;
    }
    resource->terms = terms;
    sellable_init(resource);
    return true;
}

bool terms_limit_customers(const struct usher_limits *limits)
{
    return limits && (limits->units_per_customer > 0 || limits->holds_per_customer > 0 ||
                      limits->group_count > 0);
}

/* ---- groups and quotas ---- */

bool terms_group_has(const struct pool_group *group, const struct resource *resource, uint32_t pool)
{
    assert(pool < resource->pool_count);
    bool has = false;
    for (uint32_t i = 0; !has && i < group->pool_count; i++)
        has = group->pools[i] == resource->pools[pool].name;
    return has;
}

static int64_t used_of(const struct pool_group *quota, const struct pool *pool)
{
    if (!pool)
        return 0;
    return quota->rate ? rate_uses_of(pool, quota->rate)
                       : (int64_t)pool->taken.held + pool->taken.sold;
}

static int64_t used_on(const struct pool_group *quota, const struct resource *resource,
                       int32_t night)
{
    int64_t used = 0;
    for (uint32_t i = 0; i < quota->pool_count; i++)
        used += used_of(quota, quota->pools[i]->kind == USHER_ROOM
                                   ? resource_night(resource, quota->pools[i], night)
                                   : &resource->pools[quota->pools[i]->pool]);
    return used;
}

/* Units of lines that count against a quota: of room types those of a night. */
static int64_t lines_of(const struct pool_group *quota, const struct resource *resource,
                        int32_t night, const struct line *lines, uint32_t count)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pool_row *pool = &resource->pools[lines[i].pool].row;
        if (terms_group_has(quota, resource, pool->index) &&
            (pool->kind != USHER_ROOM || pool->night == night) &&
            (!quota->rate || rates_same(quota->rate, lines[i].rate)))
            units += lines[i].unit_count;
    }
    return units;
}

/* Returns how much of what a change gave back it has not taken again. */
static int64_t given_back(const struct pool_group *quota, const struct resource *resource,
                          int32_t night, const struct terms_change *change)
{
    int64_t units = -lines_of(quota, resource, night, change->taken, change->taken_count);
    for (uint32_t i = 0; i < change->owner_count; i++) {
        const struct content *had = change->owners[i]->content;
        units += lines_of(quota, resource, night, had->lines, had->line_count);
    }
    return units;
}

/*
 * Returns what a quota leaves on a night, or without one: over all of its pools, of room types
 * those of the night.
 */
static int64_t left_on(const struct pool_group *quota, const struct resource *resource,
                       int32_t night, const struct terms_change *change)
{
    int64_t left = quota->limit - used_on(quota, resource, night);
    int64_t again = change ? given_back(quota, resource, night, change) : 0;
    return again > left ? again : left;
}

static bool has_night(const struct pool_group *quota, const struct resource *resource,
                      int32_t night)
{
    bool has = false;
    for (uint32_t i = 0; !has && i < quota->pool_count; i++)
        has =
            quota->pools[i]->kind == USHER_ROOM && resource_night(resource, quota->pools[i], night);
    return has;
}

/* Units sold without a night count on every night that the quota has. */
static int64_t quota_left(const struct pool_group *quota, const struct resource *resource,
                          const struct pool *pool, const struct terms_change *change)
{
    if (pool->row.kind == USHER_ROOM)
        return left_on(quota, resource, pool->row.night, change);
    const struct quotas *quotas = &resource->terms.quotas;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < quotas->night_count; i++) {
        if (!has_night(quota, resource, quotas->nights[i]))
            continue;
        int64_t left = left_on(quota, resource, quotas->nights[i], change);
        least = left < least ? left : least;
    }
    return least < INT64_MAX ? least : left_on(quota, resource, NIGHT_NONE, change);
}

uint32_t terms_left(const struct resource *resource, const struct pool *pool, uint32_t units,
                    const struct terms_change *change)
{
    assert(pool == &resource->pools[pool->row.index]);
    int64_t available = units;
    for (uint32_t i = 0; i < resource->terms.quotas.count; i++) {
        const struct pool_group *quota = &resource->terms.quotas.at[i];
        if (!terms_group_has(quota, resource, pool->row.index))
            continue;
        int64_t left = quota_left(quota, resource, pool, change);
        available = left < available ? left : available;
    }
    return available > 0 ? (uint32_t)available : 0;
}

/* ---- rates ---- */

/* The quotas of that rate which have the pool, one after the other; NULL: there are no more. */
static const struct pool_group *next_of_rate(const struct resource *resource,
                                             const struct pool *pool, const char *rate,
                                             uint32_t *next)
{
    const struct terms *terms = &resource->terms;
    while (*next < terms->rate_count) {
        const struct pool_group *quota = &terms->rates[(*next)++];
        if (rates_same(quota->rate, rate) && terms_group_has(quota, resource, pool->row.index))
            return quota;
    }
    return NULL;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t terms_used_of_quota(const struct pool_group *quota, const struct resource *resource,
                            const struct pool *pool)
{
    assert(quota->rate);
    return used_on(quota, resource, pool->row.night);
}

static int64_t left_at_rate(const struct pool_group *quota, const struct resource *resource,
                            const struct pool *pool, const struct terms_change *change)
{
    if (quota->limit == INT64_MAX)
        return INT64_MAX;
    return left_on(quota, resource, pool->row.night, change);
}

int64_t terms_left_at_rate(const struct resource *resource, const struct pool *pool,
                           const char *rate, const struct terms_change *change)
{
    int64_t least = INT64_MAX;
    const struct pool_group *quota;
    for (uint32_t i = 0; (quota = next_of_rate(resource, pool, rate, &i));)
        least = lesser(least, left_at_rate(quota, resource, pool, change));
    return least;
}

int64_t terms_limit_of_rate(const struct resource *resource, const struct pool *pool,
                            const char *rate)
{
    int64_t least = INT64_MAX;
    const struct pool_group *quota;
    for (uint32_t i = 0; (quota = next_of_rate(resource, pool, rate, &i));)
        least = lesser(least, quota->limit);
    return least;
}

int64_t terms_end_of_rate(const struct resource *resource, const struct pool *pool,
                          const char *rate)
{
    int64_t first_ms = INT64_MAX;
    const struct pool_group *quota;
    for (uint32_t i = 0; (quota = next_of_rate(resource, pool, rate, &i));)
        first_ms = lesser(first_ms, quota->closes_ms);
    return first_ms;
}

int64_t terms_end_of_rates(const struct resource *resource, const struct pool *pool,
                           const char *rate)
{
    if (resource->terms.rate_count == 0)
        return INT64_MAX;
    const struct usher_rate *offered;
    uint32_t count = rates_offered(pool, rate, &offered);
    int64_t last_ms = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t end_ms = terms_end_of_rate(resource, pool, offered ? offered[i].rate : NULL);
        last_ms = end_ms > last_ms ? end_ms : last_ms;
    }
    return count > 0 ? last_ms : INT64_MAX;
}

uint32_t terms_available(const struct resource *resource, const struct pool *pool)
{
    return terms_left(resource, pool, pool_free(pool), NULL);
}

int64_t terms_available_in_all(struct resource *resource)
{
    sellable_refresh(resource);
    return resource->free - resource->sellable.kept_back_total;
}

/* ==== Tallies ==== */

bool tallies_are_known(const struct resource *resource)
{
    return resource->tallies.kept || resource->bookings_complete;
}

bool tallies_are_missing(const struct resource *resource)
{
    return resource->terms.limits_customers && !tallies_are_known(resource);
}

void tallies_begin(struct resource *resource)
{
    assert(!resource->tallies.kept);
    resource->tallies.kept = true;
}

static void free_hold(struct tally_hold *hold)
{
    free(hold->request_id);
    free(hold->content);
}

static void free_tally(struct tally *tally)
{
    for (uint32_t i = 0; i < tally->open_count; i++)
        free_hold(&tally->open[i]);
    free(tally->open);
    free(tally->pools);
    free(tally->customer);
    free(tally);
}

void tallies_deinit(struct tallies *tallies)
{
    struct table_node *node = table_each(&tallies->by_customer, NULL);
    while (node) {
        struct table_node *next = table_each(&tallies->by_customer, node);
        free_tally(ENTRY_OF(node, struct tally, by_customer));
        node = next;
    }
    table_deinit(&tallies->by_customer);
    tallies->kept = false;
}

static struct tally *find(const struct resource *resource, const char *customer)
{
    const struct table *table = &resource->tallies.by_customer;
    struct table_node *node = table_find(table, table_hash_text(customer, 0));
    for (; node; node = table_find_next(node)) {
        struct tally *tally = ENTRY_OF(node, struct tally, by_customer);
        if (strcmp(tally->customer, customer) == 0)
            return tally;
    }
    return NULL;
}

const struct tally *tally_find(const struct resource *resource, const char *customer)
{
    assert(resource->tallies.kept || !resource->terms.limits_customers);
    return find(resource, customer);
}

int64_t tally_of_group(const struct tally *tally, const struct pool_group *group,
                       const struct resource *resource)
{
    int64_t units = 0;
    for (uint32_t i = 0; tally && i < tally->pool_count; i++)
        if (terms_group_has(group, resource, tally->pools[i].pool))
            units += tally->pools[i].units;
    return units;
}

/* ---- counting ---- */

static struct tally *find_or_add(struct resource *resource, const char *customer)
{
    struct tally *tally = find(resource, customer);
    if (tally)
        return tally;
    size_t size = strlen(customer) + 1;
    tally = memory_calloc(1, sizeof *tally);
    tally->customer = memory_alloc(size);
    memcpy(tally->customer, customer, size);
    table_add(&resource->tallies.by_customer, &tally->by_customer, table_hash_text(customer, 0));
    return tally;
}

static struct tally_pool *pool_of(struct tally *tally, uint32_t pool)
{
    for (uint32_t i = 0; i < tally->pool_count; i++)
        if (tally->pools[i].pool == pool)
            return &tally->pools[i];
    tally->pools =
        array_room(tally->pools, tally->pool_count, &tally->pool_limit, sizeof *tally->pools);
    struct tally_pool *added = &tally->pools[tally->pool_count++];
    *added = (struct tally_pool){.pool = pool};
    return added;
}

static void add_units(struct tally *tally, uint32_t pool, uint32_t units)
{
    pool_of(tally, pool)->units += units;
    tally->units += units;
}

static void remove_units(struct tally *tally, uint32_t pool, uint32_t units)
{
    struct tally_pool *from = pool_of(tally, pool);
    assert(from->units >= units);
    from->units -= units;
    tally->units -= units;
    if (from->units == 0)
        *from = tally->pools[--tally->pool_count];
}

static void open_hold(struct tally *tally, int64_t no, const char *request_id,
                      const struct line *lines, uint32_t line_count)
{
    size_t size = strlen(request_id) + 1;
    tally->open =
        array_room(tally->open, tally->open_count, &tally->open_limit, sizeof *tally->open);
    struct tally_hold *hold = &tally->open[tally->open_count++];
    hold->no = no;
    hold->request_id = memory_alloc(size);
    memcpy(hold->request_id, request_id, size);
    hold->content = content_create(lines, line_count);
    tally->holds++;
}

static uint32_t find_hold(const struct tally *tally, int64_t no)
{
    uint32_t at = 0;
    while (at < tally->open_count && tally->open[at].no != no)
        at++;
    return at;
}

static bool has_hold(const struct tally *tally, int64_t no)
{
    return find_hold(tally, no) < tally->open_count;
}

static void close_hold(struct tally *tally, int64_t no)
{
    uint32_t at = find_hold(tally, no);
    assert(at < tally->open_count);
    free_hold(&tally->open[at]);
    tally->open[at] = tally->open[--tally->open_count];
    tally->holds--;
}

/* Whose units count: not those of the house, nor what only waits. */
static bool counts(const struct resource *resource, const struct booking *booking)
{
    return resource->tallies.kept && booking->row.customer &&
           (booking->row.state == BOOKING_HELD || booking->row.state == BOOKING_CONFIRMED);
}

void tally_add(struct resource *resource, const struct booking *booking)
{
    if (!counts(resource, booking))
        return;
    struct tally *tally = find_or_add(resource, booking->row.customer);
    if (booking->row.state == BOOKING_HELD)
        open_hold(tally, booking->row.no, booking->row.request_id, booking->content->lines,
                  booking->content->line_count);
    for (uint32_t i = 0; i < booking->content->line_count; i++) {
        const struct line *line = &booking->content->lines[i];
        add_units(tally, line->pool, line->unit_count);
    }
}

void tally_remove(struct resource *resource, const struct booking *booking)
{
    if (!counts(resource, booking))
        return;
    struct tally *tally = find(resource, booking->row.customer);
    assert(tally);
    if (booking->row.state == BOOKING_HELD)
        close_hold(tally, booking->row.no);
    for (uint32_t i = 0; i < booking->content->line_count; i++) {
        const struct line *line = &booking->content->lines[i];
        remove_units(tally, line->pool, line->unit_count);
    }
    if (tally->holds == 0 && tally->units == 0) {
        table_remove(&resource->tallies.by_customer, &tally->by_customer);
        free_tally(tally);
    }
}

static void count_lines_in(struct tally *tally, const struct line *lines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pool_of(tally, lines[i].pool)->units += lines[i].unit_count;
}

bool tally_count_out(struct resource *resource, const struct booking *booking)
{
    if (!counts(resource, booking))
        return true;
    struct tally *tally = find(resource, booking->row.customer);
    if (!tally || (booking->row.state == BOOKING_HELD && !has_hold(tally, booking->row.no)))
        return false;
    const struct line *lines = booking->content->lines;
    for (uint32_t i = 0; i < booking->content->line_count; i++) {
        struct tally_pool *pool = pool_of(tally, lines[i].pool);
        if (pool->units < lines[i].unit_count) {
            count_lines_in(tally, lines, i);
            return false;
        }
        pool->units -= lines[i].unit_count;
    }
    tally->holds -= booking->row.state == BOOKING_HELD;
    return true;
}

void tally_count_in(struct resource *resource, const struct booking *booking)
{
    if (!counts(resource, booking))
        return;
    struct tally *tally = find(resource, booking->row.customer);
    assert(tally);
    count_lines_in(tally, booking->content->lines, booking->content->line_count);
    tally->holds += booking->row.state == BOOKING_HELD;
}

void tally_load(struct resource *resource, const char *customer, uint32_t pool, uint32_t units)
{
    assert(resource->tallies.kept);
    add_units(find_or_add(resource, customer), pool, units);
}

void tally_load_hold(struct resource *resource, const char *customer, int64_t no,
                     const char *request_id, const struct line *lines, uint32_t line_count)
{
    assert(resource->tallies.kept);
    open_hold(find_or_add(resource, customer), no, request_id, lines, line_count);
}
