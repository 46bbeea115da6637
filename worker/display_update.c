/*
 * Turns a picture, or what was changed of it, into an update: the fields and strings for the cache,
 * and the message for those who follow. PURE.
 */
#include "display_picture.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATCHES_MAX = 256, /* beyond these the last patch covers all the rest */
    PATCH_GAP = 8,     /* a patch costs more than so many seats that did not change */
    FIELDS_MAX = 20,
    KEY_SIZE = USHER_NAME_MAX + USHER_NIGHT_SIZE + 2
};

static const int64_t BLOCKED = 0; /* no operation of this version takes units off sale */

/* ---- fields ---- */

struct fields {
    struct usher_arena *arena;
    struct display_field at[FIELDS_MAX];
    uint32_t count;
};

/* An absent value leaves its field out. */
static void add_text(struct fields *fields, const char *name, const char *value)
{
    if (value == NULL)
        return;
    assert(fields->count < FIELDS_MAX);
    fields->at[fields->count++] = (struct display_field){
        .name = name, .value = usher_arena_text(fields->arena, value, strlen(value))};
}

static void add_number(struct fields *fields, const char *name, int64_t value)
{
    assert(fields->count < FIELDS_MAX);
    fields->at[fields->count++] = (struct display_field){
        .name = name, .value = usher_arena_format(fields->arena, "%" PRId64, value)};
}

static void add_instant(struct fields *fields, const char *name, int64_t ms)
{
    if (ms != USHER_ABSENT) {
        char text[USHER_INSTANT_SIZE];
        usher_instant_format(ms, text);
        add_text(fields, name, text);
    }
}

static const char *kind_name(const struct picture *picture)
{
    bool seats = false;
    bool rooms = false;
    bool stock = false;
    for (uint32_t i = 0; i < picture->pool_count; i++) {
        if (picture->pools[i].capacity > 0) {
            seats |=
                picture->pools[i].kind == USHER_SEATS || picture->pools[i].kind == USHER_SECTION;
            rooms |= picture->pools[i].kind == USHER_ROOM;
            stock |= picture->pools[i].kind == USHER_PRODUCT;
        }
    }
    if (seats + rooms + stock != 1)
        return "mixed";
    return seats ? "seats" : rooms ? "rooms" : "stock";
}

static void add_counts(struct fields *fields, const struct picture *picture)
{
    add_number(fields, "free", picture_free(picture));
    add_number(fields, "held", picture->held);
    add_number(fields, "sold", picture->sold);
    add_number(fields, "blocked", BLOCKED);
}

static void add_catalogue(struct fields *fields, const struct picture *picture, int32_t partition)
{
    add_text(fields, "kind", kind_name(picture));
    add_text(fields, "name", picture->name);
    add_text(fields, "state", usher_sale_state_name(picture->state));
    add_number(fields, "total", picture->total);
    add_number(fields, "partition", partition);
    add_text(fields, "chart", picture->chart_name);
    add_text(fields, "currency", picture->currency);
    add_text(fields, "timezone", picture->timezone);
    add_instant(fields, "starts_at", picture->starts_ms);
}

static void set_fields(struct display_update *update, struct fields *fields, int64_t now_ms)
{
    add_number(fields, "epoch", update->epoch);
    add_number(fields, "rev", update->rev);
    add_number(fields, "updated_ms", now_ms);
    struct display_field *copy = usher_arena_alloc(&update->arena, fields->count * sizeof *copy);
    memcpy(copy, fields->at, fields->count * sizeof *copy);
    update->fields = copy;
    update->field_count = fields->count;
}

/* ---- pools ---- */

static struct display_field pool_field(struct usher_arena *arena, const struct picture_pool *pool)
{
    struct display_field field;
    if (pool->kind == USHER_ROOM) {
        char night[USHER_NIGHT_SIZE];
        usher_night_format(pool->night, night);
        field.name = usher_arena_format(arena, "%s/%s", pool->name, night);
    } else {
        field.name = usher_arena_text(arena, pool->name, strlen(pool->name));
    }
    field.value = usher_arena_format(arena, "%" PRId64 "/%" PRId64 "/%" PRId64 "/%" PRId64,
                                     pool->capacity - pool->held - pool->sold - BLOCKED,
                                     pool->capacity, pool->held, pool->sold);
    return field;
}

static void set_all_pools(struct display_update *update, const struct picture *picture)
{
    struct display_field *pools =
        usher_arena_alloc(&update->arena, picture->pool_count * sizeof *pools);
    for (uint32_t i = 0; i < picture->pool_count; i++)
        if (picture->pools[i].capacity > 0)
            pools[update->pool_count++] = pool_field(&update->arena, &picture->pools[i]);
    update->pools = pools;
}

static void set_changed_pools(struct display_update *update, const struct picture *picture)
{
    struct display_field *pools =
        usher_arena_alloc(&update->arena, picture->pools_changed_count * sizeof *pools);
    for (uint32_t i = 0; i < picture->pools_changed_count; i++) {
        const struct picture_pool *pool = &picture->pools[picture->pools_changed[i]];
        pools[update->pool_count++] = pool_field(&update->arena, pool);
    }
    update->pools = pools;
}

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
    return picture->seat_count;
}

static uint32_t find_patches(const struct picture *picture,
                             struct display_patch patches[PATCHES_MAX])
{
    uint32_t count = 0;
    if (picture->word_end == 0)
        return 0;
    uint32_t seat = next_changed(picture, picture->word_first * 64);
    while (seat < picture->seat_count) {
        struct display_patch *last = count > 0 ? &patches[count - 1] : NULL;
        if (last != NULL && (count == PATCHES_MAX || seat - (last->at + last->size) <= PATCH_GAP))
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

static void append_named(struct usher_buffer *out, const char *name, int64_t value)
{
    usher_buffer_text(out, name);
    usher_buffer_number(out, value);
}

static void append_head(struct usher_buffer *out, const struct display_update *update,
                        const struct picture *picture)
{
    append_named(out, "{\"epoch\":", update->epoch);
    append_named(out, ",\"rev\":", update->rev);
    append_named(out, ",\"from\":", update->from);
    usher_buffer_text(out, ",\"state\":");
    usher_buffer_json_string(out, usher_sale_state_name(picture->state));
    append_named(out, ",\"free\":", picture_free(picture));
    append_named(out, ",\"held\":", picture->held);
    append_named(out, ",\"sold\":", picture->sold);
    append_named(out, ",\"blocked\":", BLOCKED);
}

static void append_patches(struct usher_buffer *out, const struct display_update *update)
{
    for (uint32_t i = 0; i < update->patch_count; i++) {
        const struct display_patch *patch = &update->patches[i];
        append_named(out, i == 0 ? ",\"seats\":[[" : ",[", patch->at);
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
        usher_buffer_text(out, i == 0 ? ",\"pools\":{" : ",");
        usher_buffer_json_string(out, update->pools[i].name);
        usher_buffer_text(out, ":");
        usher_buffer_json_string(out, update->pools[i].value);
    }
    if (update->pool_count > 0)
        usher_buffer_text(out, "}");
}

/* After a whole picture the chart may be another one, too: the reader reads all of it again. */
static void set_message(struct display_update *update, const struct picture *picture)
{
    struct usher_buffer out = {0};
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

/* ---- updates ---- */

static struct display_update *update_open(const struct picture *picture, int32_t partition,
                                          int32_t epoch, int64_t from)
{
    struct display_update *update = calloc(1, sizeof *update);
    assert(update != NULL);
    update->partition = partition;
    update->epoch = epoch;
    update->rev = picture->rev;
    update->from = from;
    update->resource_no = picture->no;
    update->resource = usher_arena_text(&update->arena, picture->id, strlen(picture->id));
    update->listed = picture->state != USHER_DRAFT;
    update->seat_count = picture->seat_count;
    for (uint32_t i = 0; i < picture->pool_count; i++)
        update->pool_total += picture->pools[i].capacity > 0;
    return update;
}

static void measure(struct display_update *update)
{
    update->size = sizeof *update + update->chart_size + update->message_size;
    update->size += update->seats == NULL ? 0 : update->seat_count;
    for (uint32_t i = 0; i < update->pool_count; i++)
        update->size += strlen(update->pools[i].name) + strlen(update->pools[i].value);
    for (uint32_t i = 0; i < update->patch_count; i++)
        update->size += update->patches[i].size;
}

static void set_chart(struct display_update *update, const struct picture *picture)
{
    struct usher_buffer chart = {0};
    display_chart_write(picture, &chart);
    update->chart = usher_arena_text(&update->arena, chart.at, chart.size);
    update->chart_size = chart.size;
    usher_buffer_deinit(&chart);
}

struct display_update *update_whole(const struct picture *picture, int32_t partition, int32_t epoch,
                                    int64_t now_ms)
{
    struct display_update *update = update_open(picture, partition, epoch, 0);
    struct fields fields = {.arena = &update->arena};
    add_catalogue(&fields, picture, partition);
    add_counts(&fields, picture);
    set_fields(update, &fields, now_ms);
    set_all_pools(update, picture);
    if (picture->seat_count > 0)
        update->seats = usher_arena_text(&update->arena, picture->seats, picture->seat_count);
    set_chart(update, picture);
    set_message(update, picture);
    measure(update);
    return update;
}

struct display_update *update_change(const struct picture *picture, int32_t partition,
                                     int32_t epoch, int64_t from, int64_t now_ms)
{
    assert(from > 0 && from <= picture->rev);
    struct display_update *update = update_open(picture, partition, epoch, from);
    struct fields fields = {.arena = &update->arena};
    add_counts(&fields, picture);
    set_fields(update, &fields, now_ms);
    set_changed_pools(update, picture);
    set_patches(update, picture);
    set_message(update, picture);
    measure(update);
    return update;
}

struct display_update *display_whole(const struct loaded_resource *loaded, int32_t partition,
                                     int32_t epoch, int64_t now_ms)
{
    struct picture picture;
    picture_init(&picture, loaded);
    struct display_update *update = update_whole(&picture, partition, epoch, now_ms);
    picture_deinit(&picture);
    return update;
}

void display_update_free(struct display_update *update)
{
    if (update != NULL) {
        usher_arena_deinit(&update->arena);
        free(update);
    }
}
