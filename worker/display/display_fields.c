/*
 * What an update says of a resource in pairs of a name and a value: the fields of its hash, and the
 * counts of its pools. PURE.
 */
#include "worker/display/display_fields.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "worker/display/display_layout.h"

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

/* A hall may have places to stand beside its seats; one that has nothing else is no hall. */
const char *update_kind(const struct catalogue *catalogue)
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

void update_set_fields(struct display_update *update, const struct picture *picture)
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

void update_set_all_pools(struct display_update *update, const struct picture *picture)
{
    const struct catalogue *catalogue = picture->catalogue;
    struct display_field *pools =
        usher_arena_alloc(&update->arena, catalogue->shown_count * sizeof *pools);
    for (uint32_t i = 0; i < catalogue->pool_count; i++)
        if (catalogue->pools[i].capacity > 0)
            pools[update->pool_count++] = pool_field(&update->arena, picture, i);
    update->pools = pools;
}

void update_set_changed_pools(struct display_update *update, const struct picture *picture)
{
    struct display_field *pools =
        usher_arena_alloc(&update->arena, picture->pools_changed_count * sizeof *pools);
    for (uint32_t i = 0; i < picture->pools_changed_count; i++)
        pools[update->pool_count++] =
            pool_field(&update->arena, picture, picture->pools_changed[i]);
    update->pools = pools;
}
