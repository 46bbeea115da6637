/* Turns a picture, or what was changed of it, into an update. */
#include "worker/display/display_render.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/json_member.h"
#include "worker/display/display_layout.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/shared_catalogue.h"

/*
 * ==== Fields ====
 *
 * The fields of an update: the hash, and the pools.
 */

enum {
    FIELDS_MAX = 24
};

/* ---- fields ---- */

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

static void add_catalogue(struct fields *fields, const struct picture *picture, int32_t partition)
{
    const struct catalogue *catalogue = picture->catalogue;
    add_text(fields, "kind", update_kind(catalogue));
    add_text(fields, "name", catalogue->name);
    add_text(fields, "venue", catalogue->venue);
    add_text(fields, "state", usher_sale_state_name(picture->state));
    add_number(fields, "total", catalogue->total);
    add_number(fields, "partition", partition);
    add_number(fields, "overbook", catalogue->overbook);
    add_text(fields, "layout", display_layout_name(catalogue));
    add_text(fields, "currency", catalogue->currency);
    add_text(fields, "timezone", catalogue->timezone);
    add_instant(fields, "starts_at", catalogue->starts_ms);
    add_instant(fields, "ends_at", catalogue->ends_ms);
    add_instant(fields, "opens_at", catalogue->opens_ms);
    add_instant(fields, "closes_at", catalogue->closes_ms);
}

/* Parts of an update: the hash, by its `from`, and what is to be put of the pools. */
static void update_set_fields(struct display_update *update, const struct picture *picture)
{
    struct fields fields = {.arena = &update->arena};
    if (update->from == 0)
        add_catalogue(&fields, picture, update->partition);
    add_number(&fields, "free", picture_free_in_all(picture));
    add_number(&fields, "held", picture->counts[PICTURE_HELD]);
    add_number(&fields, "sold", picture->counts[PICTURE_SOLD]);
    add_number(&fields, "blocked", picture->counts[PICTURE_BLOCKED]);
    add_number(&fields, "waiting", picture->waiting);
    add_number(&fields, "epoch", update->epoch);
    add_number(&fields, "rev", update->rev);
    add_number(&fields, "catalogue_rev", picture->catalogue_rev);
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
static struct display_field pool_field(struct usher_arena *arena, const struct picture *picture,
                                       uint32_t index)
{
    const uint32_t *counts = picture->pools[index].counts;
    const struct catalogue_pool *pool = &picture->catalogue->pools[index];
    return (struct display_field){
        .name = pool_key(arena, pool),
        .value =
            usher_arena_format(arena, "%" PRIu32 "/%" PRId64 "/%" PRIu32 "/%" PRIu32 "/%" PRIu32,
                               picture_free(picture, index), pool->capacity, counts[PICTURE_HELD],
                               counts[PICTURE_SOLD], counts[PICTURE_BLOCKED])};
}

static void update_set_all_pools(struct display_update *update, const struct picture *picture)
{
    const struct catalogue *catalogue = picture->catalogue;
    struct display_field *pools =
        usher_arena_alloc(&update->arena, catalogue->shown_count * sizeof *pools);
    for (uint32_t i = 0; i < catalogue->pool_count; i++)
        if (catalogue->pools[i].capacity > 0)
            pools[update->pool_count++] = pool_field(&update->arena, picture, i);
    update->pools = pools;
}

static void update_set_changed_pools(struct display_update *update, const struct picture *picture)
{
    struct display_field *pools =
        usher_arena_alloc(&update->arena, picture->pools_changed_count * sizeof *pools);
    for (uint32_t i = 0; i < picture->pools_changed_count; i++)
        pools[update->pool_count++] =
            pool_field(&update->arena, picture, picture->pools_changed[i]);
    update->pools = pools;
}

/* ==== Rendering ==== */

enum {
    DISPLAY_MESSAGE_SIZE_MAX = 16384 /* a longer message says "reload" instead (contract) */
};

enum {
    PATCHES_MAX = 256, /* beyond these the last patch covers all the rest */
    PATCH_GAP = 8,     /* a patch costs more than this many unchanged seats */
    POOL_SIZE = 200    /* of a pool, as it was copied or written out, about */
};

/* ---- seats ---- */

/* The first changed seat from `at` on, or seat_count. */
static uint32_t next_changed(const struct picture *picture, uint32_t at)
{
    uint32_t bit = at % 64;
    for (uint32_t word = at / 64; word < picture->word_end; word++) {
        uint64_t bits = picture->seats_changed[word] >> bit << bit;
        if (bits != 0)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
        bit = 0;
    }
    return picture->catalogue->seat_count;
}

static uint32_t find_patches(const struct picture *picture,
                             struct display_patch patches[PATCHES_MAX])
{
    uint32_t count = 0;
    if (picture->word_end == 0)
        return 0;
    uint32_t seat = next_changed(picture, picture->word_first * 64);
    while (seat < picture->catalogue->seat_count) {
        struct display_patch *last = count > 0 ? &patches[count - 1] : NULL;
        if (last && (count == PATCHES_MAX || seat - (last->at + last->size) <= PATCH_GAP))
            last->size = seat + 1 - last->at;
        else
            patches[count++] = (struct display_patch){.at = seat, .size = 1};
        seat = next_changed(picture, seat + 1);
    }
    return count;
}

static void set_patches(struct display_update *update, const struct picture *picture)
{
    struct display_patch found[PATCHES_MAX];
    uint32_t count = find_patches(picture, found);
    struct display_patch *patches = usher_arena_alloc(&update->arena, count * sizeof *patches);
    for (uint32_t i = 0; i < count; i++) {
        patches[i] = found[i];
        patches[i].text =
            usher_arena_text(&update->arena, picture->seats + found[i].at, found[i].size);
    }
    update->patches = patches;
    update->patch_count = count;
}

/* ---- the message ---- */

/* What both channels say, without the brace before it. */
static void append_head(struct usher_buffer *out, const struct display_update *update,
                        const struct picture *picture)
{
    json_number(out, "\"epoch\":", update->epoch);
    json_number(out, ",\"rev\":", update->rev);
    json_number(out, ",\"from\":", update->from);
    json_number(out, ",\"catalogue_rev\":", picture->catalogue_rev);
    json_text(out, ",\"state\":", usher_sale_state_name(picture->state));
    json_number(out, ",\"free\":", picture_free_in_all(picture));
    json_number(out, ",\"held\":", picture->counts[PICTURE_HELD]);
    json_number(out, ",\"sold\":", picture->counts[PICTURE_SOLD]);
    json_number(out, ",\"blocked\":", picture->counts[PICTURE_BLOCKED]);
    json_number(out, ",\"waiting\":", picture->waiting);
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

/* After a whole picture everything may be another, the layout too: the reader reads all again. */
static void set_message(struct display_update *update, const struct picture *picture)
{
    struct usher_buffer out = {0};
    usher_buffer_text(&out, "{");
    append_head(&out, update, picture);
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

static void set_overview(struct display_update *update, const struct picture *picture)
{
    struct usher_buffer out = {0};
    json_text(&out, "{\"resource\":", update->resource);
    usher_buffer_text(&out, ",");
    append_head(&out, update, picture);
    usher_buffer_text(&out, update->from == 0 ? ",\"reload\":true}" : "}");
    update->overview = usher_arena_text(&update->arena, out.at, out.size);
    update->overview_size = out.size;
    usher_buffer_deinit(&out);
}

static void set_messages(struct display_update *update, const struct picture *picture)
{
    set_message(update, picture);
    set_overview(update, picture);
}

/* ---- updates ---- */

static struct display_update *update_open(const struct picture *picture, int32_t partition,
                                          int32_t epoch, int64_t now_ms)
{
    struct catalogue *catalogue = catalogue_hold(picture->catalogue);
    struct display_update *update = memory_calloc(1, sizeof *update);
    update->partition = partition;
    update->epoch = epoch;
    update->rev = picture->rev;
    update->shown_ms = now_ms;
    update->resource_no = catalogue->no;
    update->catalogue = catalogue;
    update->resource = catalogue->id;
    update->layout = display_layout_name(catalogue);
    update->seat_count = catalogue->seat_count;
    update->pool_total = catalogue->shown_count;
    update->size = sizeof *update;
    return update;
}

struct display_update *update_whole(struct picture *picture, int32_t partition, int32_t epoch,
                                    int64_t now_ms)
{
    picture_offer(picture);
    struct display_update *update = update_open(picture, partition, epoch, now_ms);
    update->undrawn = picture_copy(picture, &update->arena);
    update->size += (size_t)update->pool_total * POOL_SIZE + update->seat_count;
    return update;
}

static void set_catalogue(struct display_update *update)
{
    struct usher_buffer json = {0};
    display_catalogue_write(update->catalogue, &json);
    update->catalogue_json = usher_arena_text(&update->arena, json.at, json.size);
    update->catalogue_json_size = json.size;
    usher_buffer_deinit(&json);
}

static void set_listing(struct display_update *update, const struct picture *picture)
{
    int64_t starts_ms = update->catalogue->starts_ms;
    update->listed = picture->state != USHER_DRAFT;
    update->kind = update_kind(update->catalogue);
    update->state = usher_sale_state_name(picture->state);
    update->starts_ms = starts_ms == USHER_ABSENT ? 0 : starts_ms;
}

void display_update_draw(struct display_update *update)
{
    struct picture *picture = update->undrawn;
    if (!picture)
        return;
    update_set_fields(update, picture);
    update_set_all_pools(update, picture);
    update->seats = update->seat_count > 0 ? picture->seats : NULL;
    set_catalogue(update);
    set_listing(update, picture);
    set_messages(update, picture);
    update->undrawn = NULL;
}

void display_update_draw_layout(const struct display_update *update, struct usher_buffer *out)
{
    display_layout_write(update->catalogue, out);
}

static void measure(struct display_update *update)
{
    update->size += update->message_size + update->overview_size;
    for (uint32_t i = 0; i < update->pool_count; i++)
        update->size += strlen(update->pools[i].name) + strlen(update->pools[i].value);
    for (uint32_t i = 0; i < update->patch_count; i++)
        update->size += update->patches[i].size;
}

struct display_update *update_change(struct picture *picture, int32_t partition, int32_t epoch,
                                     int64_t from, int64_t now_ms)
{
    assert(from > 0 && from <= picture->rev);
    picture_offer(picture);
    struct display_update *update = update_open(picture, partition, epoch, now_ms);
    update->from = from;
    update_set_fields(update, picture);
    update_set_changed_pools(update, picture);
    set_patches(update, picture);
    set_messages(update, picture);
    measure(update);
    return update;
}

struct display_update *display_whole(const struct loaded_resource *loaded, int32_t partition,
                                     int32_t epoch, int64_t now_ms)
{
    struct picture picture;
    struct catalogue *catalogue = restore_catalogue(loaded);
    if (!catalogue)
        return NULL;
    picture_init(&picture, loaded, catalogue);
    catalogue_release(catalogue);
    picture.catalogue_rev = picture.rev;
    struct display_update *update = update_whole(&picture, partition, epoch, now_ms);
    picture_deinit(&picture);
    display_update_draw(update);
    return update;
}
