/*
 * Finds the booking that ends next, and keeps the horizon up to which memory knows them all. PURE.
 */
#include "worker/inventory/horizon.h"

#include "worker/inventory/inventory_state.h"

int64_t inventory_next_due_ms(const struct inventory *inventory)
{
    const struct booking *first = due_first(&inventory->due);
    int64_t horizon_ms = inventory->horizon.expires_ms;
    return first && first->expires_ms < horizon_ms ? first->expires_ms : horizon_ms;
}

bool inventory_due(const struct inventory *inventory, int64_t until_ms)
{
    const struct booking *first = due_first(&inventory->due);
    return (first && first->expires_ms <= until_ms) ||
           due_key_less(inventory->horizon, (struct due_key){until_ms, INT64_MAX});
}

struct booking *inventory_first_due(const struct inventory *inventory, int64_t until_ms)
{
    struct booking *first = due_first(&inventory->due);
    if (!first || first->expires_ms > until_ms ||
        due_key_less(inventory->horizon, (struct due_key){first->expires_ms, first->no}))
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
