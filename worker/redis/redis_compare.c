/* Compares a resource in Redis with what it should be, part by part, all read in one MULTI. */
#include "worker/redis/redis_compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/plural.h"
#include "worker/display/display.h"
#include "worker/redis/redis_link.h"
#include "worker/redis/redis_script.h"

enum {
    COMPLAINTS = 5, /* as many are written out, the others counted */
    BY_HASH = 0,
    BY_SEATS,
    BY_POOLS,
    BY_CATALOGUE,
    BY_LAYOUT,
    BY_RESOURCES, /* of the layout */
    BY_TAKINGS,
    BY_LISTS, /* where it is listed */
    PARTS = BY_LISTS + REDIS_LISTS
};

/* The differences, as text, in the arena. */
struct complaints {
    struct usher_arena *arena;
    struct usher_buffer text;
    uint32_t count;
};

static void complain(struct complaints *complaints, const char *text)
{
    if (complaints->count < COMPLAINTS) {
        usher_buffer_text(&complaints->text, complaints->count == 0 ? "" : "; ");
        usher_buffer_text(&complaints->text, text);
    }
    complaints->count++;
}

/* ---- fields ---- */

static int compare_fields(const void *left, const void *right)
{
    const struct display_field *a = left;
    const struct display_field *b = right;
    return strcmp(a->name, b->name);
}

static struct display_field *sorted(struct usher_arena *arena, const struct display_field *fields,
                                    uint32_t count)
{
    struct display_field *copy = usher_arena_alloc(arena, count * sizeof *copy);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = fields[i];
    qsort(copy, count, sizeof *copy, compare_fields);
    return copy;
}

/* The reply to HGETALL as fields. Their text lives as long as the reply. */
static struct display_field *fields_of(const redisReply *reply, struct usher_arena *arena,
                                       uint32_t *count)
{
    *count = reply->type == REDIS_REPLY_ARRAY ? (uint32_t)(reply->elements / 2) : 0;
    struct display_field *fields = usher_arena_alloc(arena, *count * sizeof *fields);
    for (uint32_t i = 0; i < *count; i++) {
        fields[i].name = reply->element[2 * i]->str;
        fields[i].value = reply->element[2 * i + 1]->str;
    }
    return fields;
}

/* When it was written, and by whom, is not a matter of content; the epoch is looked at apart. */
static bool is_content(const struct display_field *field)
{
    return strcmp(field->name, "updated_ms") != 0 && strcmp(field->name, "epoch") != 0 &&
           strcmp(field->name, "catalogue_rev") != 0;
}

/* One name of either side; NULL: it is not there. */
static void compare_values(const char *what, const struct display_field *expected,
                           const struct display_field *found, struct complaints *complaints)
{
    const struct display_field *either = !expected ? found : expected;
    if (!either || !is_content(either))
        return;
    if (!expected || !found) {
        complain(complaints, usher_arena_format(complaints->arena, "%s \"%s\" is %s", what,
                                                either->name, !found ? "missing" : "too much"));
    } else if (strcmp(expected->value, found->value) != 0) {
        complain(complaints,
                 usher_arena_format(complaints->arena, "%s \"%s\" is \"%s\", not \"%s\"", what,
                                    expected->name, found->value, expected->value));
    }
}

/* Both sorted by name: a merge. */
static void compare_maps(const char *what, const struct display_field *expected,
                         uint32_t expected_count, const redisReply *reply,
                         struct complaints *complaints)
{
    uint32_t found_count;
    const struct display_field *unsorted = fields_of(reply, complaints->arena, &found_count);
    const struct display_field *left = sorted(complaints->arena, expected, expected_count);
    const struct display_field *right = sorted(complaints->arena, unsorted, found_count);
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < expected_count || j < found_count) {
        int order = i == expected_count ? 1
                    : j == found_count  ? -1
                                        : strcmp(left[i].name, right[j].name);
        compare_values(what, order <= 0 ? &left[i] : NULL, order >= 0 ? &right[j] : NULL,
                       complaints);
        i += order <= 0;
        j += order >= 0;
    }
}

/* ---- strings ---- */

static void compare_seats(const struct display_update *expected, const redisReply *reply,
                          struct complaints *complaints)
{
    size_t size = reply->type == REDIS_REPLY_STRING ? reply->len : 0;
    if (size != expected->seat_count) {
        complain(complaints, usher_arena_format(complaints->arena, "%zu seat%s, not %" PRIu32, size,
                                                PLURAL(size), expected->seat_count));
        return;
    }
    uint32_t count = 0;
    size_t first = 0;
    for (size_t i = size; i-- > 0;) {
        if (reply->str[i] != expected->seats[i]) {
            count++;
            first = i;
        }
    }
    if (count > 0) {
        complain(complaints,
                 usher_arena_format(complaints->arena,
                                    "%" PRIu32 " seat%s, the first at %zu is \"%c\", not "
                                    "\"%c\"",
                                    count, count == 1 ? " differs" : "s differ", first,
                                    reply->str[first], expected->seats[first]));
    }
}

static bool equals(const redisReply *reply, const char *text, size_t size)
{
    return reply->type == REDIS_REPLY_STRING && reply->len == size &&
           memcmp(reply->str, text, size) == 0;
}

static void compare_text(const char *what, const char *text, size_t size, const redisReply *reply,
                         struct complaints *complaints)
{
    if (!equals(reply, text, size)) {
        complain(complaints,
                 usher_arena_format(complaints->arena, "the %s %s", what,
                                    reply->type == REDIS_REPLY_NIL ? "is missing" : "differs"));
    }
}

/*
 * Its layout, which many resources may have: its text is asked for and compared where it is not the
 * one that was compared before (else its length is asked for).
 */
static void compare_layout(struct redis_store *store, const struct display_update *expected,
                           redisReply *const *parts, struct complaints *complaints)
{
    const redisReply *layout = parts[BY_LAYOUT];
    uint32_t before = complaints->count;
    if (expected->layout[0] == '\0')
        return;
    if (layout->type == REDIS_REPLY_INTEGER) {
        if (layout->integer == 0)
            complain(complaints, "the layout is missing");
    } else {
        struct usher_buffer text = {0};
        display_update_render_layout(expected, &text);
        compare_text("layout", text.at, text.size, layout, complaints);
        usher_buffer_deinit(&text);
    }
    redis_store_set_verified_layout(store, complaints->count == before ? expected->layout : NULL);
    if (parts[BY_RESOURCES]->integer != 1)
        complain(complaints, "not in the set of its layout's resources");
}

/* ---- lists ---- */

/* A list of another type is a difference by itself. */
static void compare_lists(const char *prefix, const struct display_update *expected,
                          redisReply *const *replies, struct complaints *complaints)
{
    for (size_t i = 0; i < REDIS_LISTS; i++) {
        bool has = replies[i]->type == REDIS_REPLY_STRING || replies[i]->integer == 1;
        bool must = redis_list_has(&redis_lists[i], expected);
        if (!redis_reply_is_wrong_type(replies[i]) && has != must) {
            complain(complaints,
                     usher_arena_format(complaints->arena, "%s in %s:%s", has ? "wrongly" : "not",
                                        prefix, redis_lists[i].key));
        } else if (replies[i]->type == REDIS_REPLY_STRING &&
                   strtoll(replies[i]->str, NULL, 10) != expected->starts_ms) {
            complain(complaints,
                     usher_arena_format(complaints->arena, "its score in %s:%s is %s, not %" PRId64,
                                        prefix, redis_lists[i].key, replies[i]->str,
                                        expected->starts_ms));
        }
    }
}

/* ---- all of it ---- */

static int64_t number_of(const redisReply *hash, const char *name)
{
    for (size_t i = 0; hash->type == REDIS_REPLY_ARRAY && i + 1 < hash->elements; i += 2)
        if (strcmp(hash->element[i]->str, name) == 0)
            return strtoll(hash->element[i + 1]->str, NULL, 10);
    return 0;
}

/* Reports the parts of the wrong type; false: none. The content of the others does not matter then.
 */
static bool complain_of_types(redisReply *const *parts, struct complaints *complaints)
{
    static const char *const texts[] = {
        [BY_HASH] = "the key of its fields has the wrong type",
        [BY_SEATS] = "the key of its seats has the wrong type",
        [BY_POOLS] = "the key of its pools has the wrong type",
        [BY_CATALOGUE] = "the key of its catalogue has the wrong type",
        [BY_LAYOUT] = "the key of its layout has the wrong type",
        [BY_RESOURCES] = "the key of its layout's resources has the wrong type",
        [BY_TAKINGS] = "the key of its takings has the wrong type",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (redis_reply_is_wrong_type(parts[i]))
            complain(complaints, texts[i]);
    return complaints->count > 0;
}

static void compare_all(struct redis_store *store, const struct display_update *expected,
                        redisReply *const *parts, struct usher_arena *arena,
                        struct redis_comparison *comparison)
{
    struct complaints complaints = {.arena = arena};
    const char *prefix = redis_store_prefix(store);
    if (complain_of_types(parts, &complaints)) {
        /* It is written as a whole. */
    } else if (!comparison->present) {
        complain(&complaints, usher_arena_format(arena, "there is no key %s:{%s} in Redis", prefix,
                                                 expected->resource));
    } else {
        compare_maps("field", expected->fields, expected->field_count, parts[BY_HASH], &complaints);
        compare_seats(expected, parts[BY_SEATS], &complaints);
        compare_maps("pool", expected->pools, expected->pool_count, parts[BY_POOLS], &complaints);
        compare_text("catalogue", expected->catalogue_json, expected->catalogue_json_size,
                     parts[BY_CATALOGUE], &complaints);
        compare_layout(store, expected, parts, &complaints);
        const char *takings = usher_arena_number(arena, expected->takings);
        compare_text("takings", takings, strlen(takings), parts[BY_TAKINGS], &complaints);
    }
    if (comparison->epoch > expected->epoch) {
        complain(&complaints,
                 usher_arena_format(arena, "epoch %" PRId32 " in Redis is above %" PRId32,
                                    comparison->epoch, expected->epoch));
    }
    compare_lists(prefix, expected, parts + BY_LISTS, &complaints);
    comparison->equal = complaints.count == 0;
    if (complaints.count > COMPLAINTS) {
        usher_buffer_text(&complaints.text, "; and more: ");
        usher_buffer_number(&complaints.text, complaints.count - COMPLAINTS);
    }
    comparison->text = usher_arena_format(arena, "%.*s", (int)complaints.text.size,
                                          complaints.count == 0 ? "" : complaints.text.at);
    usher_buffer_deinit(&complaints.text);
}

/* Sends one MULTI; returns the reply to its EXEC, or NULL. */
static redisReply *read_parts(struct redis_store *store, const struct display_update *expected,
                              struct usher_error *err)
{
    const char *resource = expected->resource, *layout = expected->layout;
    const char *of_layout = redis_store_layout_is_verified(store, layout) ? "STRLEN" : "GET";
    struct redis_link *link = redis_store_link(store);
    const char *prefix = redis_store_prefix(store);
    redisContext *context = link->context;
    redisAppendCommand(context, "MULTI");
    redisAppendCommand(context, "HGETALL %s:{%s}", prefix, resource);
    redisAppendCommand(context, "GET %s:{%s}:seats", prefix, resource);
    redisAppendCommand(context, "HGETALL %s:{%s}:pools", prefix, resource);
    redisAppendCommand(context, "GET %s:{%s}:catalogue", prefix, resource);
    redisAppendCommand(context, "%s %s:layout:%s", of_layout, prefix, layout);
    redisAppendCommand(context, "SISMEMBER %s:layout:%s:resources %s", prefix, layout, resource);
    redisAppendCommand(context, "GET %s:takings:{%s}", prefix, resource);
    for (size_t i = 0; i < REDIS_LISTS; i++) {
        bool sorted = strcmp(redis_lists[i].type, "zset") == 0;
        redisAppendCommand(context, sorted ? "ZSCORE %s:%s %s" : "SISMEMBER %s:%s %s", prefix,
                           redis_lists[i].key, resource);
    }
    redisAppendCommand(context, "EXEC");
    for (int i = 0; i < PARTS + 1; i++) {
        redisReply *queued = redis_link_reply(link, err);
        if (!queued)
            return NULL;
        freeReplyObject(queued);
    }
    redisReply *reply = redis_link_reply(link, err);
    if (reply && (reply->type != REDIS_REPLY_ARRAY || reply->elements != PARTS)) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not read from Redis: %s",
                        reply->type == REDIS_REPLY_ERROR ? reply->str : "unexpected reply");
        freeReplyObject(reply);
        return NULL;
    }
    return reply;
}

enum usher_status redis_compare(struct redis_store *store, const struct display_update *expected,
                                struct usher_arena *arena, struct redis_comparison *comparison,
                                struct usher_error *err)
{
    redisReply *reply = read_parts(store, expected, err);
    if (!reply)
        return USHER_RETRY;
    const redisReply *hash = reply->element[BY_HASH];
    *comparison = (struct redis_comparison){
        .present = hash->type == REDIS_REPLY_ARRAY && hash->elements > 0,
        .epoch = (int32_t)number_of(hash, "epoch"),
        .rev = number_of(hash, "rev"),
        .updated_ms = number_of(hash, "updated_ms"),
    };
    comparison->newer = comparison->epoch > expected->epoch ||
                        (comparison->epoch == expected->epoch && comparison->rev > expected->rev);
    compare_all(store, expected, reply->element, arena, comparison);
    freeReplyObject(reply);
    return USHER_OK;
}

bool redis_comparison_is_behind(const struct redis_comparison *comparison,
                                const struct display_update *expected)
{
    return comparison->present && comparison->epoch == expected->epoch &&
           comparison->rev < expected->rev;
}

bool redis_comparison_may_be_throttled(const struct redis_comparison *comparison,
                                       const struct display_update *expected)
{
    return llabs(expected->shown_ms - comparison->updated_ms) < DISPLAY_INTERVAL_MAX_MS;
}
