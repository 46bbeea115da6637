/*
 * The heap of holds by time of expiry. PURE.
 */
#include "worker/inventory/due.h"

#include <assert.h>
#include <stdlib.h>

#include "worker/base/array.h"

void due_deinit(struct due *due)
{
    free(due->heap);
    *due = (struct due){NULL, 0, 0};
}

static void put(struct due *due, uint32_t at, struct due_entry entry)
{
    due->heap[at] = entry;
    entry.booking->due_index = at;
}

/* Moves `entry` from the free place `at` towards the front, to where it belongs. */
static void rise(struct due *due, uint32_t at, struct due_entry entry)
{
    while (at > 0 && due_key_less(entry.key, due->heap[(at - 1) / 2].key)) {
        put(due, at, due->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(due, at, entry);
}

/* Moves `entry` from the free place `at` towards the back, to where it belongs. */
static void sink(struct due *due, uint32_t at, struct due_entry entry)
{
    for (uint32_t child; (child = 2 * at + 1) < due->count; at = child) {
        if (child + 1 < due->count && due_key_less(due->heap[child + 1].key, due->heap[child].key))
            child++;
        if (!due_key_less(due->heap[child].key, entry.key))
            break;
        put(due, at, due->heap[child]);
    }
    put(due, at, entry);
}

void due_add(struct due *due, struct booking *booking)
{
    assert(booking->due_index == DUE_NONE);
    due->heap = array_room(due->heap, due->count, &due->limit, sizeof *due->heap);
    struct due_entry entry = {{booking->expires_ms, booking->no}, booking};
    rise(due, due->count++, entry);
}

void due_remove(struct due *due, struct booking *booking)
{
    uint32_t at = booking->due_index;
    if (at == DUE_NONE)
        return;
    booking->due_index = DUE_NONE;
    struct due_entry last = due->heap[--due->count];
    if (at == due->count)
        return;
    if (at > 0 && due_key_less(last.key, due->heap[(at - 1) / 2].key))
        rise(due, at, last);
    else
        sink(due, at, last);
}

struct booking *due_first(const struct due *due)
{
    return due->count > 0 ? due->heap[0].booking : NULL;
}

/*
 * Nodes are numbered from 1 here: n has the children 2n and 2n + 1. Returns the node that follows
 * all descendants of n.
 */
static uint32_t node_beside(uint32_t node)
{
    while (node % 2 == 1)
        node /= 2;
    return node == 0 ? 0 : node + 1;
}

/* Nodes in pre-order, without the descendants of one that expires later: they do, too. */
struct booking *due_each(const struct due *due, int64_t until_ms, uint32_t *at)
{
    uint32_t node = *at == 0 ? 1 : 2 * *at;
    while (node != 0 && (node > due->count || due->heap[node - 1].key.expires_ms > until_ms))
        node = node_beside(node);
    *at = node;
    return node == 0 ? NULL : due->heap[node - 1].booking;
}
