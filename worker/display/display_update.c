/*
 * Draws updates from resources, and writes them out.
 */
#include "worker/display/display_update.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/json_member.h"
#include "worker/base/bits.h"
#include "worker/display/display_layout.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/sellable.h"
#include "worker/inventory/terms.h"

/* ==== Drawing ==== */

enum {
    PATCHES_MAX = 256,   /* beyond these each pool has one more, which covers all the rest of it */
    PATCH_GAP = 8,       /* a patch costs more than this many unchanged seats */
    POOL_SIZE = 200,     /* of a pool, as it is drawn and written out, about */
    MESSAGES_SIZE = 1000 /* of both messages without pools and seats, and the fields, about */
};

/* ---- seats ---- */

static const char characters[BOOKING_STATE_COUNT] = {
    [BOOKING_NONE] = '.',
#define USHER_STATE_ROW(enumerator, name, owns_units, seat) [enumerator] = (seat),
#include "usher/words.def"
};

static void snapshot_seats(struct display_update *update, const struct resource *resource)
{
    if (update->seat_count == 0)
        return;
    char *seats = usher_arena_room(&update->arena, update->seat_count);
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        int32_t at = update->catalogue->pools[i].first_seat;
        if (at != CATALOGUE_NO_SEATS)
            units_write(&pool->units, 0, pool->units.count, characters, seats + at);
    }
    update->seats = seats;
}

/* Finds the next seats of a pool that changed, from one on; `rest`: all of them. False: none did.
 */
static bool next_patch(const struct pool *pool, uint32_t from, bool rest,
                       struct display_patch *patch)
{
    uint32_t count = pool->units.count;
    uint32_t seat = pool->noted_seats ? bits_next(pool->noted_seats, from, count) : count;
    if (seat == count)
        return false;
    *patch = (struct display_patch){.at = seat};
    do {
        patch->size = seat + 1 - patch->at;
        seat = bits_next(pool->noted_seats, seat + 1, count);
    } while (seat < count && (rest || seat - (patch->at + patch->size) <= PATCH_GAP));
    return true;
}

/* Where a patch goes and what it says; by now it is where it is in its pool. */
static void fill_patch(struct display_update *update, const struct pool *pool,
                       struct display_patch *patch)
{
    char *text = usher_arena_room(&update->arena, patch->size);
    units_write(&pool->units, patch->at, patch->at + patch->size, characters, text);
    patch->text = text;
    patch->at += (uint32_t)update->catalogue->pools[pool->row.index].first_seat;
    update->size += 2 * (size_t)patch->size;
}

/* Returns how many there are; sets them where there is an array for them. */
static uint32_t find_patches(struct display_update *update, const struct resource *resource,
                             struct display_patch *patches)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < resource->noted_count; i++) {
        const struct pool *pool = &resource->pools[resource->noted[i]];
        struct display_patch patch = {0};
        for (uint32_t from = 0; next_patch(pool, from, count + 1 >= PATCHES_MAX, &patch); count++) {
            from = patch.at + patch.size;
            if (!patches)
                continue;
            fill_patch(update, pool, &patch);
            patches[count] = patch;
        }
    }
    return count;
}

static void snapshot_patches(struct display_update *update, const struct resource *resource)
{
    uint32_t count = find_patches(update, resource, NULL);
    struct display_patch *patches = usher_arena_alloc(&update->arena, count * sizeof *patches);
    update->patch_count = find_patches(update, resource, patches);
    update->patches = patches;
}

/* ---- pools ---- */

static struct display_pool snapshot_pool(const struct resource *resource, uint32_t index)
{
    const struct pool *pool = &resource->pools[index];
    return (struct display_pool){
        .index = index,
        .free = sellable_alone(&resource->sellable, index, pool_free(pool)),
        .taken = pool->taken,
    };
}

static void snapshot_all_pools(struct display_snapshot *snapshot, const struct resource *resource)
{
    for (uint32_t i = 0; i < resource->pool_count; i++)
        if (resource->pools[i].row.capacity > 0)
            snapshot->pools[snapshot->pool_count++] = snapshot_pool(resource, i);
}

static void snapshot_noted_pools(struct display_snapshot *snapshot, const struct resource *resource)
{
    for (uint32_t i = 0; i < resource->noted_count; i++)
        snapshot->pools[snapshot->pool_count++] = snapshot_pool(resource, resource->noted[i]);
}

/* Brings what can be sold up to date first: that may note further pools. */
static void snapshot_counts(struct display_update *update, struct resource *resource,
                            int64_t catalogue_rev)
{
    struct display_snapshot *snapshot = usher_arena_alloc(&update->arena, sizeof *snapshot);
    *snapshot = (struct display_snapshot){
        .catalogue_rev = catalogue_rev,
        .state = resource->row.state,
        .waiting = resource->waiting.count,
        .free = terms_available_in_all(resource),
        .held = resource->held,
        .sold = resource->sold,
        .blocked = resource->blocked,
    };
    uint32_t count = update->from == 0 ? update->pool_total : resource->noted_count;
    snapshot->pools = usher_arena_room(&update->arena, count * sizeof *snapshot->pools);
    if (update->from == 0)
        snapshot_all_pools(snapshot, resource);
    else
        snapshot_noted_pools(snapshot, resource);
    assert(snapshot->pool_count == count);
    update->snapshot = snapshot;
    update->size += (size_t)count * POOL_SIZE;
}

/* ---- updates ---- */

static struct display_update *update_open(const struct resource *resource)
{
    struct catalogue *catalogue = catalogue_hold(resource->catalogue);
    struct display_update *update = memory_calloc(1, sizeof *update);
    update->rev = resource->row.rev;
    update->resource_no = catalogue->no;
    update->catalogue = catalogue;
    update->resource = catalogue->id;
    update->layout = display_layout_name(catalogue);
    update->seat_count = catalogue->seat_count;
    update->pool_total = catalogue->shown_count;
    update->takings = resource->row.takings;
    update->size = sizeof *update + MESSAGES_SIZE;
    return update;
}

struct display_update *display_update_snapshot(struct resource *resource, int32_t partition,
                                               int32_t epoch, int64_t from, int64_t catalogue_rev)
{
    assert(from == 0 || (from == resource->snapshot_rev && from <= resource->row.rev));
    struct display_update *update = update_open(resource);
    update->partition = partition;
    update->epoch = epoch;
    update->from = from;
    snapshot_counts(update, resource, catalogue_rev);
    if (from == 0)
        snapshot_seats(update, resource);
    else
        snapshot_patches(update, resource);
    update->size += update->seats ? update->seat_count : 0;
    resource_note_snapshot(resource);
    return update;
}

void display_update_free(struct display_update *update)
{
    if (update) {
        catalogue_release(update->catalogue);
        usher_arena_deinit(&update->arena);
        free(update);
    }
}

/* ==== Fields ==== */

enum {
    FIELDS_MAX = 24
};

struct fields {
    struct usher_arena *arena;
    struct display_field at[FIELDS_MAX];
    uint32_t count;
};

/* The value is borrowed; where it is absent the field is empty. */
static void add_text(struct fields *fields, const char *name, const char *value)
{
    assert(fields->count < FIELDS_MAX);
    fields->at[fields->count++] = (struct display_field){.name = name, .value = value ? value : ""};
}

static void add_number(struct fields *fields, const char *name, int64_t value)
{
    add_text(fields, name, usher_arena_number(fields->arena, value));
}

static void add_instant(struct fields *fields, const char *name, int64_t ms)
{
    char text[USHER_INSTANT_SIZE] = "";
    if (ms != USHER_ABSENT)
        usher_instant_format(ms, text);
    add_text(fields, name, usher_arena_text(fields->arena, text, strlen(text)));
}

/*
 * What kind of resource it is: seats, standing, rooms, stock, mixed.
 * A hall may have places to stand beside its seats; one that has nothing else is no hall.
 */
static const char *update_kind(const struct catalogue *catalogue)
{
    bool has[USHER_PRODUCT + 1] = {0};
    for (uint32_t i = 0; i < catalogue->pool_count; i++)
        if (catalogue->pools[i].capacity > 0)
            has[catalogue->pools[i].kind] = true;
    bool places = has[USHER_SEATS] || has[USHER_SECTION];
    if (places + has[USHER_ROOM] + has[USHER_PRODUCT] != 1)
        return "mixed";
    return has[USHER_SEATS] ? "seats" : places ? "standing" : has[USHER_ROOM] ? "rooms" : "stock";
}

static void add_catalogue(struct fields *fields, const struct display_update *update)
{
    const struct catalogue *catalogue = update->catalogue;
    add_text(fields, "kind", update_kind(catalogue));
    add_text(fields, "name", catalogue->name);
    add_text(fields, "venue", catalogue->venue);
    add_text(fields, "state", usher_sale_state_name(update->snapshot->state));
    add_number(fields, "total", catalogue->total);
    add_number(fields, "partition", update->partition);
    add_number(fields, "overbook", catalogue->overbook);
    add_text(fields, "layout", display_layout_name(catalogue));
    add_text(fields, "currency", catalogue->currency);
    add_text(fields, "timezone", catalogue->timezone);
    add_instant(fields, "starts_at", catalogue->starts_ms);
    add_instant(fields, "ends_at", catalogue->ends_ms);
    add_instant(fields, "opens_at", catalogue->opens_ms);
    add_instant(fields, "closes_at", catalogue->closes_ms);
}

/* The hash, by `from`. */
static void set_fields(struct display_update *update)
{
    const struct display_snapshot *snapshot = update->snapshot;
    struct fields fields = {.arena = &update->arena};
    if (update->from == 0)
        add_catalogue(&fields, update);
    add_number(&fields, "free", snapshot->free);
    add_number(&fields, "held", snapshot->held);
    add_number(&fields, "sold", snapshot->sold);
    add_number(&fields, "blocked", snapshot->blocked);
    add_number(&fields, "waiting", snapshot->waiting);
    add_number(&fields, "epoch", update->epoch);
    add_number(&fields, "rev", update->rev);
    add_number(&fields, "catalogue_rev", snapshot->catalogue_rev);
    add_number(&fields, "updated_ms", update->shown_ms);
    struct display_field *copy = usher_arena_alloc(&update->arena, fields.count * sizeof *copy);
    memcpy(copy, fields.at, fields.count * sizeof *copy);
    update->fields = copy;
    update->field_count = fields.count;
}

/* ---- pools ---- */

static const char *pool_key(struct usher_arena *arena, const struct catalogue_pool *pool)
{
    if (pool->kind != USHER_ROOM)
        return usher_arena_text(arena, pool->name, strlen(pool->name));
    char night[USHER_NIGHT_SIZE];
    usher_night_format(pool->night, night);
    return usher_arena_format(arena, "%s/%s", pool->name, night);
}

/* free/total/held/sold/blocked, where free is what can be sold. */
static struct display_field pool_field(struct usher_arena *arena, const struct catalogue_pool *pool,
                                       const struct display_pool *drawn)
{
    return (struct display_field){
        .name = pool_key(arena, pool),
        .value = usher_arena_format(
            arena, "%" PRIu32 "/%" PRId64 "/%" PRIu32 "/%" PRIu32 "/%" PRIu32, drawn->free,
            pool->capacity, drawn->taken.held, drawn->taken.sold, drawn->taken.blocked)};
}

static void set_pools(struct display_update *update)
{
    const struct display_snapshot *snapshot = update->snapshot;
    struct display_field *pools =
        usher_arena_alloc(&update->arena, snapshot->pool_count * sizeof *pools);
    for (uint32_t i = 0; i < snapshot->pool_count; i++) {
        const struct display_pool *drawn = &snapshot->pools[i];
        pools[i] = pool_field(&update->arena, &update->catalogue->pools[drawn->index], drawn);
    }
    update->pools = pools;
    update->pool_count = snapshot->pool_count;
}

/* ==== Rendering ==== */

enum {
    DISPLAY_MESSAGE_SIZE_MAX = 16384 /* a longer message says "reload" instead (contract) */
};

/* ---- the message ---- */

/* What both channels say, without the brace before it. */
static void append_head(struct usher_buffer *out, const struct display_update *update)
{
    const struct display_snapshot *snapshot = update->snapshot;
    json_number(out, "\"epoch\":", update->epoch);
    json_number(out, ",\"rev\":", update->rev);
    json_number(out, ",\"from\":", update->from);
    json_number(out, ",\"catalogue_rev\":", snapshot->catalogue_rev);
    json_text(out, ",\"state\":", usher_sale_state_name(snapshot->state));
    json_number(out, ",\"free\":", snapshot->free);
    json_number(out, ",\"held\":", snapshot->held);
    json_number(out, ",\"sold\":", snapshot->sold);
    json_number(out, ",\"blocked\":", snapshot->blocked);
    json_number(out, ",\"waiting\":", snapshot->waiting);
}

static void append_patches(struct usher_buffer *out, const struct display_update *update)
{
    for (uint32_t i = 0; i < update->patch_count; i++) {
        const struct display_patch *patch = &update->patches[i];
        json_number(out, i == 0 ? ",\"seats\":[[" : ",[", patch->at);
        usher_buffer_text(out, ",\"");
        usher_buffer_append(out, patch->text, patch->size);
        usher_buffer_text(out, "\"]");
    }
    if (update->patch_count > 0)
        usher_buffer_text(out, "]");
}

static void append_pools(struct usher_buffer *out, const struct display_update *update)
{
    for (uint32_t i = 0; i < update->pool_count; i++) {
        json_text(out, i == 0 ? ",\"pools\":{" : ",", update->pools[i].name);
        json_text(out, ":", update->pools[i].value);
    }
    if (update->pool_count > 0)
        usher_buffer_text(out, "}");
}

/* After a whole one everything may be another, the layout too: the reader reads all again. */
static void set_message(struct display_update *update)
{
    struct usher_buffer out = {0};
    usher_buffer_text(&out, "{");
    append_head(&out, update);
    size_t head_size = out.size;
    if (update->from != 0) {
        append_patches(&out, update);
        append_pools(&out, update);
    }
    if (update->from == 0 || out.size + 1 > DISPLAY_MESSAGE_SIZE_MAX) {
        out.size = head_size;
        usher_buffer_text(&out, ",\"reload\":true");
    }
    usher_buffer_text(&out, "}");
    update->message = usher_arena_text(&update->arena, out.at, out.size);
    update->message_size = out.size;
    usher_buffer_deinit(&out);
}

static void set_overview(struct display_update *update)
{
    struct usher_buffer out = {0};
    json_text(&out, "{\"resource\":", update->resource);
    usher_buffer_text(&out, ",");
    append_head(&out, update);
    usher_buffer_text(&out, update->from == 0 ? ",\"reload\":true}" : "}");
    update->overview = usher_arena_text(&update->arena, out.at, out.size);
    update->overview_size = out.size;
    usher_buffer_deinit(&out);
}

/* ---- updates ---- */

static void set_catalogue(struct display_update *update)
{
    struct usher_buffer json = {0};
    display_catalogue_write(update->catalogue, &json);
    update->catalogue_json = usher_arena_text(&update->arena, json.at, json.size);
    update->catalogue_json_size = json.size;
    usher_buffer_deinit(&json);
}

static void set_listing(struct display_update *update)
{
    int64_t starts_ms = update->catalogue->starts_ms;
    update->listed = update->snapshot->state != USHER_DRAFT;
    update->kind = update_kind(update->catalogue);
    update->state = usher_sale_state_name(update->snapshot->state);
    update->starts_ms = starts_ms == USHER_ABSENT ? 0 : starts_ms;
}

void display_update_render(struct display_update *update)
{
    if (!update->snapshot)
        return;
    set_fields(update);
    set_pools(update);
    set_message(update);
    set_overview(update);
    if (update->from == 0) {
        set_catalogue(update);
        set_listing(update);
    }
    update->snapshot = NULL;
}

void display_update_render_layout(const struct display_update *update, struct usher_buffer *out)
{
    display_layout_write(update->catalogue, out);
}

/* ==== Of the database ==== */

struct display_update *display_update_snapshot_loaded(const struct loaded_resource *loaded,
                                                      int32_t partition, int32_t epoch)
{
    struct usher_arena scratch = {0};
    struct resource *resource = restore_resource(loaded, &scratch);
    struct display_update *update = NULL;
    if (resource) {
        resource->waiting.count = loaded->waiting_count;
        update = display_update_snapshot(resource, partition, epoch, 0, loaded->row.rev);
    }
    resource_destroy(resource);
    usher_arena_deinit(&scratch);
    return update;
}

struct display_update *display_whole(const struct loaded_resource *loaded, int32_t partition,
                                     int32_t epoch, int64_t now_ms)
{
    struct display_update *update = display_update_snapshot_loaded(loaded, partition, epoch);
    if (!update)
        return NULL;
    update->shown_ms = now_ms;
    display_update_render(update);
    return update;
}
