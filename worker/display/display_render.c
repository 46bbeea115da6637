/*
 * Turns a picture, or what was changed of it, into an update: the strings for the cache, and the
 * message for those who follow. A whole one is only copied at first, and written out later. PURE.
 */
#include "worker/display/display_render.h"

#include <assert.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/json_member.h"
#include "worker/display/display_catalogue.h"
#include "worker/display/display_fields.h"
#include "worker/display/display_layout.h"
#include "worker/inventory/restore.h"
#include "worker/inventory/shared_catalogue.h"

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
