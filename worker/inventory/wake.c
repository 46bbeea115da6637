/*
 * Notes unfinished work in the row of its resource. PURE.
 */
#include "worker/inventory/wake.h"

#include <assert.h>
#include <string.h>

#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"

void wake_waiting(struct inventory *inventory, struct resource *resource)
{
    if (resource->waiting.count == 0)
        return;
    resource->row.unserved = true;
    waiting_begin(resource);
    inventory_note_work(inventory, resource);
}

void wake_waiting_all(struct inventory *inventory, struct resource *resource)
{
    if (resource->waiting.count > 0)
        waiting_mark_all_classes(resource);
    wake_waiting(inventory, resource);
}

void wake_served(struct inventory *inventory, struct resource *resource)
{
    resource->row.unserved = false;
    inventory_note_work(inventory, resource);
}

void wake_cancelling(struct inventory *inventory, struct resource *resource, const char *why)
{
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
