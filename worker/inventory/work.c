/*
 * Work that outlasts a batch: waiting lists to be served, bookings of a resource to be
 * cancelled. PURE.
 */
#include "worker/inventory/work.h"

#include <assert.h>
#include <string.h>

#include "worker/base/array.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/waiting_list.h"

/* ==== Unfinished work ==== */

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
    assert(!after || after->has_work);
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

void inventory_add_owner(struct inventory *inventory, struct booking *booking)
{
    inventory->owners = array_room(inventory->owners, inventory->owner_count,
                                   &inventory->owner_limit, sizeof(struct booking *));
    inventory->owners[inventory->owner_count++] = booking;
}

void inventory_set_cancel_cursor(struct resource *resource, const uint8_t *id_hash)
{
    if (id_hash)
        memcpy(resource->cancel_cursor, id_hash, sizeof resource->cancel_cursor);
    else
        memset(resource->cancel_cursor, 0, sizeof resource->cancel_cursor);
}

bool inventory_owners_remain(const struct inventory *inventory)
{
    static const uint8_t beginning[USHER_HASH_SIZE];
    const struct resource *resource = inventory_cancelled(inventory);
    return resource && memcmp(resource->cancel_cursor, beginning, sizeof beginning) != 0;
}

void inventory_forget_owners(struct inventory *inventory)
{
    struct resource *resource = inventory_cancelled(inventory);
    if (resource && inventory->owner_at < inventory->owner_count &&
        inventory->owners[inventory->owner_at]->row.resource_no == resource->row.no)
        inventory_set_cancel_cursor(resource, inventory->owners_after);
    inventory->owner_count = inventory->owner_at = 0;
}

struct booking *inventory_next_owner(struct inventory *inventory, const struct resource *resource)
{
    assert(inventory->owner_at <= inventory->owner_count);
    while (inventory->owner_at < inventory->owner_count) {
        struct booking *booking = inventory->owners[inventory->owner_at];
        if (booking->row.resource_no != resource->row.no)
            return NULL;
        inventory->owner_at++;
        if (booking->row.state == BOOKING_HELD || booking->row.state == BOOKING_CONFIRMED)
            return booking;
    }
    return NULL;
}

/* ---- what an earlier owner left ---- */

int64_t inventory_unfinished_after(const struct inventory *inventory)
{
    bool is_next = inventory->unfinished_count == 0 && !inventory->unfinished_listed;
    return is_next ? inventory->unfinished_after : INT64_MAX;
}

void inventory_list_unfinished(struct inventory *inventory, const int64_t *nos, uint32_t count,
                               bool is_last)
{
    inventory->unfinished_listed = is_last;
    for (uint32_t i = 0; i < count; i++) {
        inventory->unfinished =
            array_room(inventory->unfinished, inventory->unfinished_count,
                       &inventory->unfinished_limit, sizeof *inventory->unfinished);
        inventory->unfinished[inventory->unfinished_count++] = nos[i];
        inventory->unfinished_after = nos[i];
    }
    inventory_note_unfinished(inventory);
}

const int64_t *inventory_unfinished(const struct inventory *inventory, uint32_t *count)
{
    *count = inventory->unfinished_count;
    return inventory->unfinished;
}

void inventory_note_unfinished(struct inventory *inventory)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < inventory->unfinished_count; i++)
        if (!inventory_peek(inventory, inventory->unfinished[i]))
            inventory->unfinished[kept++] = inventory->unfinished[i];
    inventory->unfinished_count = kept;
}

bool inventory_has_work(const struct inventory *inventory)
{
    bool remains = inventory->unfinished_after != 0 && !inventory->unfinished_listed;
    return inventory->work.count > 0 || inventory->unfinished_count > 0 || remains;
}

/* ==== Giving work ==== */

void wake_waiting(struct inventory *inventory, struct resource *resource, int64_t at_ms)
{
    assert(at_ms > 0);
    if (resource->waiting.count == 0)
        return;
    resource->row.unserved = true;
    resource->waiting.woken_ms = at_ms;
    waiting_begin(resource);
    inventory_note_work(inventory, resource);
}

void wake_waiting_all(struct inventory *inventory, struct resource *resource, int64_t at_ms)
{
    if (resource->waiting.count > 0)
        waiting_mark_all_classes(resource);
    wake_waiting(inventory, resource, at_ms);
}

void wake_served(struct inventory *inventory, struct resource *resource)
{
    assert(resource->row.unserved);
    resource->row.unserved = false;
    inventory_note_work(inventory, resource);
}

void wake_cancelling(struct inventory *inventory, struct resource *resource, const char *why)
{
    assert(why);
    resource->row.cancelling = resource_text(resource, why);
    memset(resource->cancel_cursor, 0, sizeof resource->cancel_cursor);
    inventory_note_work(inventory, resource);
}

void wake_cancelled(struct inventory *inventory, struct resource *resource)
{
    assert(!wake_cancelling_remains(resource));
    resource->row.cancelling = NULL;
    inventory_note_work(inventory, resource);
}

bool wake_cancelling_remains(const struct resource *resource)
{
    return resource->held + resource->sold > 0 || resource->waiting.count > 0;
}

/* ==== Horizon ==== */

int64_t inventory_next_due_ms(const struct inventory *inventory)
{
    const struct booking *first = due_first(&inventory->due);
    int64_t horizon_ms = inventory->horizon.expires_ms;
    return first && first->row.expires_ms < horizon_ms ? first->row.expires_ms : horizon_ms;
}

bool inventory_due(const struct inventory *inventory, int64_t until_ms)
{
    const struct booking *first = due_first(&inventory->due);
    return (first && first->row.expires_ms <= until_ms) ||
           due_key_less(inventory->horizon, (struct due_key){until_ms, INT64_MAX});
}

struct booking *inventory_first_due(const struct inventory *inventory, int64_t until_ms)
{
    struct booking *first = due_first(&inventory->due);
    if (!first || first->row.expires_ms > until_ms ||
        due_key_less(inventory->horizon, (struct due_key){first->row.expires_ms, first->row.no}))
        return NULL;
    return first;
}

struct due_key inventory_horizon(const struct inventory *inventory)
{
    return inventory->horizon;
}

struct booking *inventory_each_due(const struct inventory *inventory, int64_t until_ms,
                                   uint32_t *at)
{
    return due_each(&inventory->due, until_ms, at);
}
