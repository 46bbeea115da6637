/* The net effect of a batch, from what the inventory was made to do. PURE. */
#include "worker/inventory/seal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/booking_lines.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"

/* ==== Sealing ==== */

static const char *copy(struct batch *batch, const char *text)
{
    return text ? usher_arena_text(&batch->arena, text, strlen(text)) : NULL;
}

/* The change of a booking's units since the last seal. */
struct effect {
    const struct booking *booking;
    const struct content *before, *after; /* NULL: it had none, it has none */
    bool same;                            /* all of them stayed */
    struct unit_set had, has;             /* where only some may have */
};

static struct effect effect_on(const struct booking *booking, struct usher_arena *arena)
{
    assert(booking->touched);
    struct effect effect = {.booking = booking};
    if (booking_state_owns_units(booking->row.from))
        effect.before = booking->stored_content;
    if (booking_state_owns_units(booking->row.state))
        effect.after = booking->content;
    if (!effect.before || !effect.after)
        return effect;
    effect.same = content_equal(effect.before, effect.after);
    if (!effect.same) {
        effect.had = unit_set_of(effect.before->lines, effect.before->line_count, arena);
        effect.has = unit_set_of(effect.after->lines, effect.after->line_count, arena);
    }
    return effect;
}

/* Has the pool's row written if it does not say how many units are taken beyond the capacity. */
static void note_over(struct resource *resource, struct pool *pool)
{
    pool->over = pool_over(pool);
    if (pool->over == pool->row.over)
        return;
    pool->row.over = pool->over;
    pool->changed = true;
    resource->over_changed = true;
}

/* Has the pool's counters written, by their net change; with its row, where that is written. */
static void move_pool(struct batch *batch, struct resource *resource, uint32_t index)
{
    struct pool *pool = &resource->pools[index];
    note_over(resource, pool);
    if (pool->moved || pool->changed)
        return;
    pool->moved = true;
    batch->pool_moves[batch->pool_move_count++] =
        (struct pool_move){.no = pool->row.no,
                           .resource_no = resource->row.no,
                           .index = index,
                           .was = pool->row.taken,
                           .taken = pool->taken};
}

static void free_units(struct batch *batch, const struct effect *effect, struct resource *resource,
                       const struct line *line)
{
    if (line_is_counted(line)) {
        move_pool(batch, resource, line->pool);
        return;
    }
    note_over(resource, &resource->pools[line->pool]);
    for (uint32_t i = 0; i < line->unit_count; i++) {
        if (unit_set_has(&effect->has, line->pool, line->units[i]))
            continue;
        batch->freed[batch->freed_count++] = (struct allocation_row){
            resource->pools[line->pool].row.no, line->units[i], effect->booking->row.no};
        resource_note_unit(resource, line->pool, (uint32_t)line->units[i]);
    }
}

static void take_units(struct batch *batch, const struct effect *effect, struct resource *resource,
                       const struct line *line)
{
    if (line_is_counted(line)) {
        move_pool(batch, resource, line->pool);
        return;
    }
    note_over(resource, &resource->pools[line->pool]);
    for (uint32_t i = 0; i < line->unit_count; i++) {
        bool stays = effect->same || unit_set_has(&effect->had, line->pool, line->units[i]);
        if (!stays || effect->booking->row.from != effect->booking->row.state)
            resource_note_unit(resource, line->pool, (uint32_t)line->units[i]);
        if (stays)
            continue;
        batch->taken[batch->taken_count++] = (struct allocation_row){
            resource->pools[line->pool].row.no, line->units[i], effect->booking->row.no};
    }
}

/* The units that a booking no longer has. */
static void seal_freed(struct batch *batch, struct inventory *inventory,
                       const struct booking *booking)
{
    const struct effect effect = effect_on(booking, &inventory->scratch);
    struct resource *resource = inventory_peek(inventory, booking->row.resource_no);
    if (effect.before && !effect.same)
        for (uint32_t i = 0; i < effect.before->line_count; i++)
            free_units(batch, &effect, resource, &effect.before->lines[i]);
    usher_arena_reset(&inventory->scratch);
}

/* The units that a booking has now and did not have before, or had in another state. */
static void seal_taken(struct batch *batch, struct inventory *inventory,
                       const struct booking *booking)
{
    const struct effect effect = effect_on(booking, &inventory->scratch);
    struct resource *resource = inventory_peek(inventory, booking->row.resource_no);
    bool stays = effect.same && booking->row.from == booking->row.state; /* extended, say */
    if (effect.after && !stays)
        for (uint32_t i = 0; i < effect.after->line_count; i++)
            take_units(batch, &effect, resource, &effect.after->lines[i]);
    usher_arena_reset(&inventory->scratch);
}

/* What was sold and taken back within one batch was never sold: no row of it was. */
static void settle_sale(struct booking *booking)
{
    if (booking->row.from != BOOKING_CONFIRMED && booking->row.state != BOOKING_CONFIRMED)
        booking->row.sold_ms = USHER_ABSENT;
}

static void seal_booking_row(struct batch *batch, const struct booking *booking)
{
    assert(booking->touched && booking->content);
    struct booking_row row = booking->row;
    booking_move_texts(&row, usher_arena_room(&batch->arena, booking_texts_size(&row)));
    batch->text.size = 0;
    lines_write(booking->content, &batch->text);
    row.lines = usher_arena_text(&batch->arena, batch->text.at, batch->text.size);
    row.lines_size = batch->text.size;
    if (booking->row.from == BOOKING_NONE)
        batch->bookings[batch->booking_count++] = row;
    else
        batch->bookings_changed[batch->bookings_changed_count++] = row;
}

/* From now on the booking as it is counts as stored. */
static void settle_booking(struct batch *batch, struct booking *booking)
{
    assert(booking->touched);
    if (booking->stored_content != booking->content) {
        free(booking->stored_content);
        booking->stored_content = booking->content;
    }
    booking->row.from = booking->row.state;
    booking->touched = booking->is_part = booking->was_sold = false;
    booking->batch = batch->number;
}

static struct booking *touched_booking(struct list_node *node)
{
    return ENTRY_OF(node, struct booking, touch);
}

static void reserve_lists(struct batch *batch, const struct inventory *inventory)
{
    const struct list *touched = &inventory->touched_bookings;
    size_t before = 0, after = 0, lines = 0;
    for (struct list_node *node = touched->oldest; node; node = node->newer) {
        const struct booking *booking = touched_booking(node);
        bool had = booking_state_owns_units(booking->row.from);
        bool has = booking_state_owns_units(booking->row.state);
        before += had ? booking->stored_content->number_count : 0;
        after += has ? booking->content->number_count : 0;
        lines += had ? booking->stored_content->line_count : 0;
        lines += has ? booking->content->line_count : 0;
    }
    struct usher_arena *arena = &batch->arena;
    batch->freed = usher_arena_alloc(arena, before * sizeof *batch->freed);
    batch->taken = usher_arena_alloc(arena, after * sizeof *batch->taken);
    batch->pool_moves = usher_arena_alloc(arena, lines * sizeof *batch->pool_moves);
    batch->bookings = usher_arena_alloc(arena, touched->count * sizeof *batch->bookings);
    batch->bookings_changed =
        usher_arena_alloc(arena, touched->count * sizeof *batch->bookings_changed);
}

/* From now on the counters as they are count as stored. Without a change there is nothing to do. */
static void settle_moves(struct batch *batch, struct inventory *inventory)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->pool_move_count; i++) {
        const struct pool_move move = batch->pool_moves[i];
        struct resource *resource = inventory_peek(inventory, move.resource_no);
        struct pool *pool = &resource->pools[move.index];
        assert(pool->moved);
        pool->moved = false;
        pool->row.taken = pool->taken;
        if (memcmp(&move.was, &move.taken, sizeof move.was) == 0)
            continue;
        resource_note(resource, move.index);
        batch->pool_moves[count++] = move;
    }
    batch->pool_move_count = count;
}

/* ---- sums of quarters of an hour ---- */

enum {
    QUARTER_KEYS_MAX = 100 /* rates and clients of a resource, by outcome, in a batch */
};

/* Finds the row; NULL: there is none. Counts those of the resource. */
static struct quarter_row *find_quarter(const struct batch *batch, const struct quarter_row *key,
                                        uint32_t *of_resource)
{
    *of_resource = 0;
    for (uint32_t i = batch->quarter_count; i-- > 0;) {
        struct quarter_row *row = &batch->quarters[i];
        if (row->resource_no != key->resource_no)
            continue;
        if (row->outcome == key->outcome && strcmp(row->rate, key->rate) == 0 &&
            strcmp(row->client, key->client) == 0)
            return row;
        ++*of_resource;
    }
    return NULL;
}

/* Adds to the row of that key; beyond the maximum to that of no rate and no client. */
static void add_quarter(struct batch *batch, struct quarter_row add)
{
    uint32_t of_resource;
    struct quarter_row *row = find_quarter(batch, &add, &of_resource);
    if (!row && of_resource >= QUARTER_KEYS_MAX) {
        add.rate = add.client = "";
        row = find_quarter(batch, &add, &of_resource);
    }
    if (!row) {
        row = &batch->quarters[batch->quarter_count++];
        *row = add;
        row->began_ms = batch->now_ms - batch->now_ms % QUARTER_MS;
        row->rate = copy(batch, add.rate);
        row->client = copy(batch, add.client);
        return;
    }
    row->bookings += add.bookings;
    row->units += add.units;
    row->amount += add.amount;
}

static void add_lines(struct batch *batch, const struct booking *booking, const char *outcome,
                      const struct content *content, int sign)
{
    bool counts = strcmp(outcome, "exchanged") != 0 || (sign > 0 && !booking->is_part);
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        add_quarter(batch,
                    (struct quarter_row){.resource_no = booking->row.resource_no,
                                         .outcome = outcome,
                                         .rate = line->rate ? line->rate : "",
                                         .client = booking->row.client ? booking->row.client : "",
                                         .bookings = counts && i == 0,
                                         .units = sign * (int64_t)line->unit_count,
                                         .amount = sign * line->price * (int64_t)line->unit_count});
    }
}

static bool was_sold(const struct booking *booking)
{
    return booking->row.from == BOOKING_CONFIRMED || booking->was_sold;
}

/*
 * What a booking sold, or took back, since the last seal. What a part was made of, the booking that
 * was split has no more: the two together exchanged nothing.
 */
static void seal_sale(struct batch *batch, const struct booking *booking)
{
    bool had = was_sold(booking);
    bool has = booking->row.state == BOOKING_CONFIRMED;
    if (booking->was_sold)
        add_lines(batch, booking, "exchanged", booking->stored_content, 1);
    if (had && has && content_equal(booking->stored_content, booking->content))
        return;
    const char *outcome = !had ? "sold" : !has ? "cancelled" : "exchanged";
    if (had)
        add_lines(batch, booking, outcome, booking->stored_content, -1);
    if (has)
        add_lines(batch, booking, outcome, booking->content, 1);
}

static bool is_refused(const struct decision_row *decision)
{
    return !decision->replayed &&
           (decision->outcome == USHER_REFUSED || decision->outcome == USHER_INVALID);
}

static void seal_refusals(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *decision = &batch->decisions[i];
        if (!is_refused(decision))
            continue;
        int64_t no = decision->resource_no;
        add_quarter(batch, (struct quarter_row){.resource_no =
                                                    no > 0 ? no : row_number(batch->partition, 0),
                                                .outcome = "refused",
                                                .rate = usher_reason_name(decision->reason),
                                                .client = decision->client ? decision->client : "",
                                                .bookings = 1});
    }
}

/* Makes room for a row of each line and of each refusal. */
static void reserve_quarters(struct batch *batch, const struct inventory *inventory)
{
    size_t rows = 0;
    for (struct list_node *node = inventory->touched_bookings.oldest; node; node = node->newer) {
        const struct booking *booking = touched_booking(node);
        rows += was_sold(booking) ? booking->stored_content->line_count : 0;
        rows += booking->was_sold ? booking->stored_content->line_count : 0;
        rows += booking->row.state == BOOKING_CONFIRMED ? booking->content->line_count : 0;
    }
    for (uint32_t i = 0; i < batch->decision_count; i++)
        rows += is_refused(&batch->decisions[i]);
    batch->quarters = usher_arena_alloc(&batch->arena, rows * sizeof *batch->quarters);
    batch->quarter_count = 0;
}

/* Leaves out rows that add nothing. */
static void settle_quarters(struct batch *batch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->quarter_count; i++) {
        const struct quarter_row row = batch->quarters[i];
        if (row.bookings != 0 || row.units != 0 || row.amount != 0)
            batch->quarters[count++] = row;
    }
    batch->quarter_count = count;
}

static void seal_bookings(struct batch *batch, struct inventory *inventory)
{
    struct list *touched = &inventory->touched_bookings;
    reserve_lists(batch, inventory);
    reserve_quarters(batch, inventory);
    for (struct list_node *node = touched->oldest; node; node = node->newer)
        seal_freed(batch, inventory, touched_booking(node));
    for (struct list_node *node = touched->oldest; node; node = node->newer) {
        seal_taken(batch, inventory, touched_booking(node));
        settle_sale(touched_booking(node));
        seal_booking_row(batch, touched_booking(node));
        seal_sale(batch, touched_booking(node));
    }
    seal_refusals(batch);
    settle_quarters(batch);
    assert(batch->booking_count + batch->bookings_changed_count == touched->count);
    settle_moves(batch, inventory);
    for (struct list_node *node; (node = list_take(touched));)
        settle_booking(batch, touched_booking(node));
}

/* ---- resources ---- */

/* A list is copied once for all pools that have it. Returns its place, from 1; 0: there is none. */
static uint32_t seal_list(struct batch *batch, struct listed *list, const char **json)
{
    if (list && list->batch != batch->number) {
        list->batch = batch->number;
        batch->lists[batch->list_count++] = copy(batch, list->json);
        list->place = batch->list_count;
    }
    *json = list ? batch->lists[list->place - 1] : NULL;
    return list ? list->place : 0;
}

static void seal_pools(struct batch *batch, struct resource *resource)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        if (!pool->changed)
            continue;
        if (!resource->redefined)
            resource_note(resource, i);
        struct pool_row *row = &batch->pools[batch->pool_count++];
        *row = pool->row;
        row->name = copy(batch, row->name);
        row->title = copy(batch, row->title);
        row->rates_place = seal_list(batch, pool->rates ? &pool->rates->list : NULL, &row->rates);
        row->restrictions_place = seal_list(
            batch, pool->restrictions ? &pool->restrictions->list : NULL, &row->restrictions);
        row->properties = copy(batch, row->properties);
        row->was = pool->row.taken;
        row->taken = kind_is_counted(row->kind) ? pool->taken : (struct unit_counts){0};
        pool->row.taken = row->taken;
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

/* Returns the units at each rate; NULL: no pool counts them. */
static const char *copy_by_rate(struct batch *batch, const struct resource *resource)
{
    batch->text.size = 0;
    rate_uses_write(resource, &batch->text);
    return batch->text.size > 0 ? usher_arena_text(&batch->arena, batch->text.at, batch->text.size)
                                : NULL;
}

static void seal_resource_row(struct batch *batch, const struct resource *resource)
{
    struct resource_row *row = &batch->resources[batch->resource_count++];
    *row = resource->row;
    row->id = copy(batch, row->id);
    row->name = copy(batch, row->name);
    row->venue = copy(batch, row->venue);
    row->description = copy(batch, row->description);
    row->timezone = copy(batch, row->timezone);
    row->currency = copy(batch, row->currency);
    row->terms = copy(batch, row->terms);
    row->cancelling = copy(batch, row->cancelling);
    row->chart = copy(batch, row->chart);
    row->by_rate = copy_by_rate(batch, resource);
}

static void seal_resource_mark(struct batch *batch, const struct resource *resource)
{
    const struct resource_row *row = &resource->row;
    batch->resource_marks[batch->resource_mark_count++] = (struct resource_mark){
        .no = row->no,
        .rev = row->rev,
        .cancelling = copy(batch, row->cancelling),
        .unserved = row->unserved,
        .takings = row->takings,
        .promised = row->promised,
        .by_rate = resource->rate_uses_changed ? copy_by_rate(batch, resource) : NULL};
}

static void seal_resource(struct batch *batch, struct inventory *inventory,
                          struct resource *resource)
{
    assert(resource->touched);
    if (!resource->redefined) {
        seal_resource_mark(batch, resource);
    } else {
        seal_resource_row(batch, resource);
        seal_chart(batch, resource);
        if (!resource->terms.limits_customers)
            tallies_deinit(&resource->tallies); /* no longer needed */
    }
    if (resource->redefined || resource->over_changed)
        seal_pools(batch, resource);
    resource->row.is_new = false;
    resource->redefined = false;
    resource->over_changed = false;
    resource->touched = false;
    resource->rate_uses_changed = false;
    resource->unsealed = (struct unsealed){0};
    resource->batch = batch->number;
    inventory_count_units(inventory, resource);
}

/* Counts the pools whose rows are to be written; a new capacity may change how many are over. */
static size_t count_changed(struct resource *resource)
{
    size_t changed = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        note_over(resource, &resource->pools[i]);
        changed += resource->pools[i].changed;
    }
    return changed;
}

static void seal_resources(struct batch *batch, struct inventory *inventory)
{
    struct list *touched = &inventory->touched_resources;
    size_t pools = 0;
    for (struct list_node *node = touched->oldest; node; node = node->newer) {
        struct resource *resource = ENTRY_OF(node, struct resource, touch);
        pools += resource->redefined || resource->over_changed ? count_changed(resource) : 0;
    }
    struct usher_arena *arena = &batch->arena;
    batch->resources = usher_arena_alloc(arena, touched->count * sizeof *batch->resources);
    batch->resource_marks =
        usher_arena_alloc(arena, touched->count * sizeof *batch->resource_marks);
    batch->charts = usher_arena_alloc(arena, touched->count * sizeof *batch->charts);
    batch->pools = usher_arena_alloc(arena, pools * sizeof *batch->pools);
    batch->lists = usher_arena_alloc(arena, 2 * pools * sizeof *batch->lists);
    for (struct list_node *node; (node = list_take(touched));)
        seal_resource(batch, inventory, ENTRY_OF(node, struct resource, touch));
}

void inventory_seal(struct inventory *inventory, struct batch *batch)
{
    assert(batch->number > inventory->committed);
    seal_bookings(batch, inventory);
    seal_resources(batch, inventory);
    assert(inventory->touched_bookings.count + inventory->touched_resources.count == 0);
    inventory_seal_charts(inventory, batch->number);
    inventory->unsealed = (struct unsealed){0};
    inventory_trim(inventory);
}

/* ==== Eviction ==== */

static bool may_go(const struct inventory *inventory, uint64_t batch)
{
    return batch <= inventory->committed;
}

static void trim_ids(struct inventory *inventory)
{
    while (inventory->ids.count > inventory->limits.ids) {
        struct known_id *id = ENTRY_OF(inventory->ids.oldest, struct known_id, age);
        if (!may_go(inventory, id->batch))
            break;
        struct resource *resource = inventory_peek(inventory, id->resource_no);
        if (resource)
            resource->ids_complete = false;
        list_remove(&inventory->ids, &id->age);
        table_remove(&inventory->ids_by_hash, &id->by_id);
        slab_free(&inventory->id_slab, id);
    }
}

static void trim_bookings(struct inventory *inventory)
{
    while (inventory->bookings.count > inventory->limits.bookings) {
        struct booking *booking = ENTRY_OF(inventory->bookings.oldest, struct booking, use);
        if (!may_go(inventory, booking->batch))
            break;
        inventory_evict_booking(inventory, booking);
    }
}

/* Its parties changed with it, so that they are committed if it is. */
static void evict_party(struct booking *booking, void *self)
{
    struct inventory *inventory = self;
    assert(may_go(inventory, booking->batch));
    inventory_evict_booking(inventory, booking);
}

/* Unchanged, but its parties have left memory; their count remains. */
static void evict_resource(struct inventory *inventory, struct resource *resource)
{
    assert(!resource->touched && may_go(inventory, resource->batch));
    uint32_t waiting = resource->waiting.count;
    waiting_each(resource, evict_party, inventory);
    resource->waiting.count = waiting;
    list_remove(&inventory->resources, &resource->use);
    table_remove(&inventory->resources_by_id, &resource->by_id);
    table_remove(&inventory->resources_by_no, &resource->by_no);
    inventory_drop_units(inventory, resource);
    list_add(&inventory->evicted, &resource->use);
}

static bool has_many(const struct inventory *inventory)
{
    return inventory->resources.count > inventory->limits.resources ||
           inventory->units > inventory->limits.units || inventory->pools > inventory->limits.pools;
}

/*
 * The one used last stays, however large: it would only be loaded again for the next batch. So do
 * those with unfinished work: it would be forgotten.
 */
static void trim_resources(struct inventory *inventory)
{
    struct list_node *node = inventory->resources.oldest;
    for (struct list_node *newer; node && node->newer && has_many(inventory); node = newer) {
        struct resource *resource = ENTRY_OF(node, struct resource, use);
        newer = node->newer;
        if (!may_go(inventory, resource->batch))
            break;
        assert(inventory_is_settled(inventory, resource));
        if (!resource->has_work)
            evict_resource(inventory, resource);
    }
}

void inventory_trim(struct inventory *inventory)
{
    assert(inventory->touched_bookings.count + inventory->touched_resources.count == 0);
    inventory_forget_loaded(inventory);
    trim_ids(inventory);
    trim_bookings(inventory);
    trim_resources(inventory);
    inventory_trim_charts(inventory);
}

void inventory_limit(struct inventory *inventory, const struct inventory_limits *limits)
{
    inventory->limits = *limits;
}

void inventory_return_memory(struct inventory *inventory)
{
    slab_shrink(&inventory->booking_slab);
    slab_shrink(&inventory->id_slab);
}

struct resource *inventory_take_evicted(struct inventory *inventory)
{
    struct list_node *node = list_take(&inventory->evicted);
    return node ? ENTRY_OF(node, struct resource, use) : NULL;
}

/* ---- room for what was loaded ---- */

/* What loaded resources bring. */
struct room {
    uint64_t units, pools;
};

/* Adds the units with a number and the pools of the resource, unless it is in memory: then its rows
 * are dropped. */
static void add_loaded(struct room *room, const struct inventory *inventory,
                       const struct loaded_resource *loaded)
{
    if (inventory_peek(inventory, loaded->row.no))
        return;
    room->pools += loaded->pool_count;
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (!kind_is_counted(loaded->pools[i].kind))
            room->units += loaded->pools[i].capacity;
}

/* Neither changed by a batch that may fail, nor used by the one being filled, nor at work. */
static bool is_cold(const struct inventory *inventory, const struct resource *resource)
{
    return inventory_is_settled(inventory, resource) && !resource->has_work &&
           resource->needed < inventory->needs;
}

static bool has_room(const struct inventory *inventory, const struct room *room)
{
    return inventory->units + room->units <= inventory->limits.units &&
           inventory->pools + room->pools <= inventory->limits.pools;
}

/* Evicts what is cold, the least recently used first, until there is room for that much. */
static bool evict_for(struct inventory *inventory, const struct room *room)
{
    struct list_node *node = inventory->resources.oldest;
    for (struct list_node *newer; node && !has_room(inventory, room); node = newer) {
        struct resource *resource = ENTRY_OF(node, struct resource, use);
        newer = node->newer;
        if (is_cold(inventory, resource))
            evict_resource(inventory, resource);
    }
    return has_room(inventory, room);
}

void inventory_make_room(struct inventory *inventory, struct load_result *result)
{
    struct room room = {0};
    for (uint32_t i = 0; i < result->resource_count; i++) {
        add_loaded(&room, inventory, &result->resources[i]);
        if (!evict_for(inventory, &room) && i > 0) {
            result->resources_served = result->resources[i].asked;
            result->resource_count = i;
        }
    }
}
