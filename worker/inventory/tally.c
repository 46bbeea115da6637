/*
 * One tally per customer, as long as the customer has something. PURE.
 */
#include "worker/inventory/tally.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "worker/base/array.h"
#include "worker/inventory/terms.h"

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

static void free_tally(struct tally *tally)
{
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

/* Whose units count: not those of the house, nor what only waits. */
static bool counts(const struct resource *resource, const struct booking *booking)
{
    return resource->tallies.kept && booking->customer &&
           (booking->state == BOOKING_HELD || booking->state == BOOKING_CONFIRMED);
}

void tally_add(struct resource *resource, const struct booking *booking)
{
    if (!counts(resource, booking))
        return;
    struct tally *tally = find_or_add(resource, booking->customer);
    tally->holds += booking->state == BOOKING_HELD;
    for (uint32_t i = 0; i < booking->content->line_count; i++) {
        const struct line *line = &booking->content->lines[i];
        add_units(tally, line->pool, line->unit_count);
    }
}

void tally_remove(struct resource *resource, const struct booking *booking)
{
    if (!counts(resource, booking))
        return;
    struct tally *tally = find(resource, booking->customer);
    assert(tally);
    tally->holds -= booking->state == BOOKING_HELD;
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
    struct tally *tally = find(resource, booking->customer);
    if (!tally || (booking->state == BOOKING_HELD && tally->holds == 0))
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
    tally->holds -= booking->state == BOOKING_HELD;
    return true;
}

void tally_count_in(struct resource *resource, const struct booking *booking)
{
    if (!counts(resource, booking))
        return;
    struct tally *tally = find(resource, booking->customer);
    count_lines_in(tally, booking->content->lines, booking->content->line_count);
    tally->holds += booking->state == BOOKING_HELD;
}

void tally_load(struct resource *resource, const char *customer, uint32_t pool, uint32_t units,
                uint32_t holds)
{
    struct tally *tally = find_or_add(resource, customer);
    add_units(tally, pool, units);
    tally->holds += holds;
}
