/*
 * Work that outlasts a batch: which resources have some, and how the bookings of one that is being
 * cancelled are found, unit by unit. PURE.
 */
#include "worker/inventory/work.h"

#include "worker/base/array.h"
#include "worker/inventory/inventory_state.h"

static struct resource *resource_of(struct list_node *node)
{
    return node ? ENTRY_OF(node, struct resource, work) : NULL;
}

void inventory_note_work(struct inventory *inventory, struct resource *resource)
{
    bool has_work = resource->row.unserved || resource->row.cancelling;
    if (has_work && !resource->has_work)
        list_add(&inventory->work, &resource->work);
    else if (!has_work && resource->has_work)
        list_remove(&inventory->work, &resource->work);
    resource->has_work = has_work;
}

struct resource *inventory_work(const struct inventory *inventory, const struct resource *after)
{
    return resource_of(after ? after->work.newer : inventory->work.oldest);
}

struct resource *inventory_cancelled(const struct inventory *inventory)
{
    struct resource *resource = inventory_work(inventory, NULL);
    while (resource && !resource->row.cancelling)
        resource = inventory_work(inventory, resource);
    return resource;
}

/* ---- whose bookings are cancelled ---- */

/* The first unit >= `from` that a customer has, or count. */
static uint32_t next_owned(const struct units *units, uint32_t from)
{
    uint32_t unit = units_next_taken(units, from, units->count);
    while (unit < units->count && units_state(units, unit) == BOOKING_BLOCKED)
        unit = units_next_taken(units, unit + 1, units->count);
    return unit;
}

static bool find_from(struct resource *resource, uint32_t first_pool, int32_t first_unit)
{
    for (uint32_t i = first_pool; i < resource->pool_count; i++) {
        const struct units *units = &resource->pools[i].units;
        uint32_t from = i == first_pool ? (uint32_t)first_unit : 0;
        if (units->held + units->sold == 0 || from >= units->count)
            continue;
        uint32_t unit = next_owned(units, from);
        if (unit < units->count) {
            resource->cancel_at.pool = i;
            resource->cancel_at.unit = (int32_t)unit;
            return true;
        }
    }
    return false;
}

bool inventory_find_owners(struct resource *resource)
{
    return find_from(resource, resource->cancel_at.pool, resource->cancel_at.unit) ||
           find_from(resource, 0, 0);
}

void inventory_add_owner(struct inventory *inventory, struct booking *booking)
{
    inventory->owners = array_room(inventory->owners, inventory->owner_count,
                                   &inventory->owner_limit, sizeof(struct booking *));
    inventory->owners[inventory->owner_count++] = booking;
}

void inventory_advance_cancel_cursor(struct resource *resource, int32_t end)
{
    resource->cancel_at.pool += end == INT32_MAX;
    resource->cancel_at.unit = end == INT32_MAX ? 0 : end;
}

void inventory_forget_owners(struct inventory *inventory)
{
    inventory->owner_count = inventory->owner_at = 0;
}

struct booking *inventory_next_owner(struct inventory *inventory, const struct resource *resource)
{
    while (inventory->owner_at < inventory->owner_count) {
        struct booking *booking = inventory->owners[inventory->owner_at];
        if (booking->resource_no != resource->row.no)
            return NULL;
        inventory->owner_at++;
        if (booking->state == BOOKING_HELD || booking->state == BOOKING_CONFIRMED)
            return booking;
    }
    return NULL;
}

bool inventory_has_work(const struct inventory *inventory)
{
    return inventory->work.count > 0;
}

bool inventory_work_is_loaded(const struct inventory *inventory)
{
    return inventory->work_loaded;
}
