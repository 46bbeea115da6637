/*
 * Items picked out of a booking, for a confirm of a part. Changes nothing. PURE.
 */
#ifndef USHER_WORKER_RULES_PICK_H
#define USHER_WORKER_RULES_PICK_H

#include "usher/message.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

struct pick {
    const struct resource *resource;
    struct usher_arena *arena;
    struct line *lines, *rest;
    uint32_t line_count, rest_count;
    struct usher_shortfall *shortfalls; /* items that the booking lacks, or has too few of */
    uint32_t shortfall_count;
};

/*
 * Sorts the units of `content` into those that the items name and the rest. An item that names a
 * rate picks units of that rate only; one that falls short picks none.
 */
void pick_items(struct pick *pick, const struct content *content, const struct usher_item *items,
                uint32_t count);

#endif
