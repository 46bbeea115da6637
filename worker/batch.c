/*
 * The arrays of one batch, and the sealing: what the inventory was made to do becomes the rows that
 * are written. PURE.
 */
#include "batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inventory_state.h"
#include "lines.h"

enum {
    DEAD_LETTER_SIZE_MAX = 1000000 /* bytes kept of a value */
};

void batch_init(struct batch *batch, uint32_t record_limit, uint32_t expiry_limit)
{
    *batch =
        (struct batch){.record_limit = record_limit, .decision_limit = record_limit + expiry_limit};
    batch->decisions = calloc(batch->decision_limit, sizeof(*batch->decisions));
    batch->dead_letters = calloc(record_limit, sizeof(*batch->dead_letters));
    assert(batch->decisions && batch->dead_letters);
}

void batch_deinit(struct batch *batch)
{
    free(batch->decisions);
    free(batch->dead_letters);
    usher_buffer_deinit(&batch->text);
    usher_arena_deinit(&batch->arena);
    *batch = (struct batch){0};
}

void batch_reset(struct batch *batch)
{
    usher_arena_reset(&batch->arena);
    *batch = (struct batch){
        .arena = batch->arena,
        .text = batch->text,
        .record_limit = batch->record_limit,
        .decisions = batch->decisions,
        .decision_limit = batch->decision_limit,
        .dead_letters = batch->dead_letters,
    };
}

struct decision_row *batch_decision_add(struct batch *batch)
{
    assert(batch->decision_count < batch->decision_limit);
    struct decision_row *row = &batch->decisions[batch->decision_count];
    *row = (struct decision_row){.seq = batch->expected_next_seq + batch->decision_count};
    batch->decision_count++;
    return row;
}

const struct decision_row *batch_decision(const struct batch *batch, int64_t seq)
{
    int64_t index = seq - batch->expected_next_seq;
    return index >= 0 && index < batch->decision_count ? &batch->decisions[index] : NULL;
}

void batch_dead_letter_add(struct batch *batch, const struct decision_row *decision,
                           const struct log_record *record)
{
    assert(batch->dead_letter_count < batch->record_limit);
    bool truncated = record->value_size > DEAD_LETTER_SIZE_MAX;
    batch->dead_letters[batch->dead_letter_count++] = (struct dead_letter_row){
        .seq = decision->seq,
        .source_offset = record->offset,
        .key = record->key,
        .key_size = record->key_size,
        .value = record->value,
        .value_size = truncated ? DEAD_LETTER_SIZE_MAX : record->value_size,
        .truncated = truncated,
        .reason = decision->reason,
    };
}

/* ---- sealing ---- */

static const char *copy(struct batch *batch, const char *text)
{
    return text ? usher_arena_text(&batch->arena, text, strlen(text)) : NULL;
}

/* What became of a booking's units since the last seal. */
struct effect {
    bool frees, takes;
    bool changes; /* they stay its own, in another state */
};

static struct effect effect_on(const struct booking *booking)
{
    bool had = booking_state_possesses(booking->stored_state);
    bool has = booking_state_possesses(booking->state);
    bool keeps = had && has && content_equal(booking->stored_content, booking->content);
    return (struct effect){
        .frees = had && !keeps,
        .takes = has && !keeps,
        .changes = keeps && booking->stored_state != booking->state,
    };
}

static void add_units(struct batch *batch, const struct booking *booking,
                      const struct resource *resource, const struct line *line)
{
    for (uint32_t i = 0; i < line->unit_count; i++) {
        batch->taken[batch->taken_count++] = (struct allocation_row){
            resource->pools[line->pool].row.no, line->units[i], booking->no};
    }
}

static void free_units(struct batch *batch, const struct booking *booking,
                       const struct resource *resource, const struct line *line)
{
    for (uint32_t i = 0; i < line->unit_count; i++) {
        batch->freed[batch->freed_count++] = (struct allocation_row){
            resource->pools[line->pool].row.no, line->units[i], booking->no};
    }
}

static void show_units_change(struct batch *batch, const struct booking *booking,
                              const struct line *line, enum booking_state from,
                              enum booking_state to)
{
    for (uint32_t i = 0; i < line->unit_count; i++) {
        batch->unit_changes[batch->unit_change_count++] =
            (struct unit_change){booking->resource_no, line->pool, line->units[i], from, to};
    }
}

/* The units that a booking no longer has. */
static void seal_freed(struct batch *batch, struct inventory *inventory, struct booking *booking)
{
    const struct content *content = booking->stored_content;
    if (!effect_on(booking).frees)
        return;
    struct resource *resource = inventory_resource_numbered(inventory, booking->resource_no);
    for (uint32_t i = 0; i < content->line_count; i++) {
        free_units(batch, booking, resource, &content->lines[i]);
        show_units_change(batch, booking, &content->lines[i], booking->stored_state, BOOKING_NONE);
    }
}

/* The units that a booking has now and did not have before, or had in another state. */
static void seal_taken(struct batch *batch, struct inventory *inventory, struct booking *booking)
{
    const struct effect effect = effect_on(booking);
    const struct content *content = booking->content;
    if (!effect.takes && !effect.changes)
        return;
    struct resource *resource = inventory_resource_numbered(inventory, booking->resource_no);
    for (uint32_t i = 0; i < content->line_count; i++) {
        if (effect.takes)
            add_units(batch, booking, resource, &content->lines[i]);
        show_units_change(batch, booking, &content->lines[i],
                          effect.takes ? BOOKING_NONE : booking->stored_state, booking->state);
    }
}

static void seal_booking_row(struct batch *batch, const struct booking *booking)
{
    struct booking_row row = booking_row_of(booking);
    row.from = booking->stored_state;
    row.request_id = copy(batch, row.request_id);
    row.client = copy(batch, row.client);
    row.customer = copy(batch, row.customer);
    row.cart = copy(batch, row.cart);
    row.payment = copy(batch, row.payment);
    row.note = copy(batch, row.note);
    row.meta = copy(batch, row.meta);

    batch->text.size = 0;
    lines_write(booking->content, &batch->text);
    row.lines = usher_arena_text(&batch->arena, batch->text.at, batch->text.size);
    row.lines_size = batch->text.size;
    if (booking->stored_state == BOOKING_NONE)
        batch->bookings[batch->booking_count++] = row;
    else
        batch->bookings_changed[batch->bookings_changed_count++] = row;
}

/* From now on the booking as it is counts as stored. */
static void settle_booking(struct batch *batch, struct booking *booking)
{
    if (booking->stored_content != booking->content) {
        free(booking->stored_content);
        booking->stored_content = booking->content;
    }
    booking->stored_state = booking->state;
    booking->touched = false;
    booking->batch = batch->number;
}

static struct booking *touched_booking(struct list_node *node)
{
    return ENTRY_OF(node, struct booking, touch);
}

static void make_room(struct batch *batch, const struct inventory *inventory)
{
    const struct list *touched = &inventory->touched_bookings;
    size_t freed = 0, taken = 0, changed = 0;
    for (struct list_node *node = touched->oldest; node; node = node->newer) {
        const struct booking *booking = touched_booking(node);
        const struct effect effect = effect_on(booking);
        freed += effect.frees ? booking->stored_content->unit_count : 0;
        taken += effect.takes ? booking->content->unit_count : 0;
        changed += effect.changes ? booking->content->unit_count : 0;
    }
    struct usher_arena *arena = &batch->arena;
    batch->freed = usher_arena_alloc(arena, freed * sizeof(*batch->freed));
    batch->taken = usher_arena_alloc(arena, taken * sizeof(*batch->taken));
    batch->unit_changes =
        usher_arena_alloc(arena, (freed + taken + changed) * sizeof(*batch->unit_changes));
    batch->bookings = usher_arena_alloc(arena, touched->count * sizeof(*batch->bookings));
    batch->bookings_changed =
        usher_arena_alloc(arena, touched->count * sizeof(*batch->bookings_changed));
}

static void seal_bookings(struct batch *batch, struct inventory *inventory)
{
    struct list *touched = &inventory->touched_bookings;
    make_room(batch, inventory);
    for (struct list_node *node = touched->oldest; node; node = node->newer)
        seal_freed(batch, inventory, touched_booking(node));
    for (struct list_node *node = touched->oldest; node; node = node->newer) {
        seal_taken(batch, inventory, touched_booking(node));
        seal_booking_row(batch, touched_booking(node));
    }
    for (struct list_node *node; (node = list_take(touched));)
        settle_booking(batch, touched_booking(node));
}

/* ---- resources ---- */

static void seal_pools(struct batch *batch, struct resource *resource)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        if (!pool->changed)
            continue;
        struct pool_row *row = &batch->pools[batch->pool_count++];
        *row = pool->row;
        row->name = copy(batch, row->name);
        row->title = copy(batch, row->title);
        pool->changed = false;
        pool->row.is_new = false;
    }
}

static void seal_chart(struct batch *batch, struct resource *resource)
{
    if (resource->chart_changed) {
        struct chart_row *row = &batch->charts[batch->chart_count++];
        *row = resource->chart;
        row->name = copy(batch, row->name);
        row->content = usher_arena_text(&batch->arena, row->content, row->content_size);
        resource->chart_changed = false;
    }
}

static void seal_resource(struct batch *batch, struct resource *resource)
{
    struct resource_row *row = &batch->resources[batch->resource_count++];
    *row = resource->row;
    row->id = copy(batch, row->id);
    row->name = copy(batch, row->name);
    row->venue = copy(batch, row->venue);
    row->description = copy(batch, row->description);
    row->timezone = copy(batch, row->timezone);
    row->currency = copy(batch, row->currency);
    row->chart = copy(batch, row->chart);
    batch->resource_changes[batch->resource_change_count++] =
        (struct resource_change){row->no, row->rev, resource->redraw};
    if (resource->redraw) {
        seal_chart(batch, resource);
        seal_pools(batch, resource);
        batch->redraws = true;
    }
    resource->row.is_new = false;
    resource->redraw = false;
    resource->touched = false;
    resource->batch = batch->number;
}

static void seal_resources(struct batch *batch, struct inventory *inventory)
{
    struct list *touched = &inventory->touched_resources;
    size_t pools = 0;
    for (struct list_node *node = touched->oldest; node; node = node->newer) {
        const struct resource *resource = ENTRY_OF(node, struct resource, touch);
        pools += resource->redraw ? resource->pool_count : 0;
    }
    struct usher_arena *arena = &batch->arena;
    batch->resources = usher_arena_alloc(arena, touched->count * sizeof(*batch->resources));
    batch->resource_changes =
        usher_arena_alloc(arena, touched->count * sizeof(*batch->resource_changes));
    batch->charts = usher_arena_alloc(arena, touched->count * sizeof(*batch->charts));
    batch->pools = usher_arena_alloc(arena, pools * sizeof(*batch->pools));
    for (struct list_node *node; (node = list_take(touched));)
        seal_resource(batch, ENTRY_OF(node, struct resource, touch));
}

void batch_seal(struct batch *batch, struct inventory *inventory)
{
    assert(batch->number > inventory->committed);
    seal_bookings(batch, inventory);
    seal_resources(batch, inventory);
    inventory_trim(inventory);
}
