/*
 * Holds whose time has come: decisions that nobody asked for. PURE.
 */
#include <string.h>

#include "decide_parts.h"

static void set_envelope(struct decision_row *row, const struct booking *booking,
                         const struct resource *resource, const struct decision *decision)
{
    struct usher_arena *arena = &decision->batch->arena;
    row->epoch = decision->rules->epoch;
    row->source_offset = OFFSET_NONE;
    row->appended_ms = USHER_ABSENT;
    row->resource = usher_arena_text(arena, resource->row.id, strlen(resource->row.id));
    row->key = row->resource;
    row->key_size = strlen(row->resource);
    row->request_id = usher_arena_text(arena, booking->request_id, strlen(booking->request_id));
    row->op = usher_op_name(booking->op);
    if (booking->client)
        row->client = usher_arena_text(arena, booking->client, strlen(booking->client));
}

static void expire(struct inventory *inventory, const struct rules *rules, struct booking *booking,
                   struct resource *resource, struct batch *batch)
{
    struct decision decision = {.inventory = inventory,
                                .rules = rules,
                                .batch = batch,
                                .row = batch_decision_add(batch),
                                .resource = resource};
    usher_answer_init(&decision.answer);
    set_envelope(decision.row, booking, resource, &decision);
    decision.answer.cause = "expiry";
    decision_return(&decision, booking, BOOKING_EXPIRED, USHER_EXPIRED);
    decision_end(&decision);
}

uint32_t decide_expiries(struct inventory *inventory, const struct rules *rules, int64_t until_ms,
                         uint32_t max, struct batch *batch)
{
    uint32_t count = 0;
    while (count < max) {
        struct booking *booking = inventory_first_due(inventory, until_ms);
        struct resource *resource =
            booking ? inventory_resource_numbered(inventory, booking->resource_no) : NULL;
        if (!resource)
            break;
        expire(inventory, rules, booking, resource, batch);
        count++;
    }
    return count;
}
