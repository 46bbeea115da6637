/*
 * Redis one step at a time: opening, writing and clearing; comparing a resource part by part;
 * and whether a Redis can be used.
 */
#include "worker/redis/redis_store.h"
#include "worker/redis/redis_contract.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/plural.h"
#include "redis_lua.h"
#include "worker/display/display_update.h"
#include "worker/redis/redis_link.h"
#include "worker/redis/redis_script.h"

/* ==== Store ==== */

#define LAYOUT "layout:"
#define TAKINGS "takings:"

struct redis_store {
    struct redis_link link;
    const char *prefix;
    struct usher_arena verified; /* the name of the layout that was compared last */
    const char *verified_layout;
};

enum usher_status redis_store_open(const struct redis_settings *settings,
                                   struct redis_store **store, struct usher_error *err)
{
    *store = memory_calloc(1, sizeof **store);
    (*store)->prefix = settings->prefix;
    enum usher_status status = redis_link_open(&(*store)->link, settings, err);
    if (status == USHER_OK)
        status = redis_contract_check(&(*store)->link, (*store)->prefix, err);
    if (status != USHER_OK) {
        redis_store_close(*store);
        *store = NULL;
    }
    return status;
}

enum usher_status redis_store_claim(struct redis_store *store, bool cleared,
                                    struct usher_error *err)
{
    enum usher_status status = cleared ? redis_contract_claim(&store->link, store->prefix, 0, err)
                                       : redis_contract_mark(&store->link, store->prefix, err);
    return status == USHER_OK ? redis_script_load(&store->link, err) : status;
}

void redis_store_close(struct redis_store *store)
{
    if (store) {
        redis_link_close(&store->link);
        usher_arena_deinit(&store->verified);
        free(store);
    }
}

/* Its connection, and the prefix of the keys. */
static struct redis_link *redis_store_link(struct redis_store *store)
{
    return &store->link;
}

static const char *redis_store_prefix(const struct redis_store *store)
{
    return store->prefix;
}

/* Whether that layout was compared last, and was right; and says which one was. NULL: none. */
static bool redis_store_layout_is_verified(const struct redis_store *store, const char *layout)
{
    return store->verified_layout && strcmp(store->verified_layout, layout) == 0;
}

static void redis_store_set_verified_layout(struct redis_store *store, const char *layout)
{
    usher_arena_reset(&store->verified);
    store->verified_layout =
        layout ? usher_arena_text(&store->verified, layout, strlen(layout)) : NULL;
}

/* ---- writing ---- */

static enum redis_write write_update(struct redis_store *store, const struct display_update *update,
                                     bool with_layout, struct usher_error *err)
{
    redis_script_append(&store->link, store->prefix, update, with_layout);
    return redis_script_result(&store->link, err);
}

enum usher_status redis_store_write(struct redis_store *store, const struct display_update *update,
                                    bool with_layout, bool *written, struct usher_error *err)
{
    enum redis_write result = write_update(store, update, with_layout, err);
    if (result == REDIS_UNKNOWN_SCRIPT) {
        enum usher_status status = redis_script_load(&store->link, err);
        if (status != USHER_OK)
            return status;
        result = write_update(store, update, with_layout, err);
    }
    if (result == REDIS_NO_LAYOUT)
        result = write_update(store, update, true, err);
    *written = result == REDIS_WRITTEN;
    return *written || result == REDIS_STALE || result == REDIS_GAP ? USHER_OK : USHER_RETRY;
}

/* ---- all keys ---- */

/* Receives each key that a scan finds; RETRY ends the scan. */
struct key_visitor {
    void *context;
    enum usher_status (*key)(void *context, const char *key, size_t size, struct usher_error *err);
};

/* The pattern of a scan: the prefix with its special characters escaped, then `rest`. */
static const char *pattern_of(const char *prefix, const char *rest, struct usher_arena *arena)
{
    char *pattern = usher_arena_alloc(arena, 2 * strlen(prefix) + strlen(rest) + 1);
    char *to = pattern;
    for (const char *from = prefix; *from != '\0'; from++) {
        if (strchr("*?[]^\\-", *from))
            *to++ = '\\';
        *to++ = *from;
    }
    strcpy(to, rest);
    return pattern;
}

static redisReply *scan(struct redis_store *store, const char *cursor, const char *pattern,
                        struct usher_error *err)
{
    redisReply *reply =
        redis_link_call(&store->link, err, "SCAN %s MATCH %s COUNT 1000", cursor, pattern);
    if (!reply)
        return NULL;
    if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 &&
        reply->element[1]->type == REDIS_REPLY_ARRAY)
        return reply;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not list the keys of Redis: %s",
                    reply->type == REDIS_REPLY_ERROR ? reply->str : "unexpected reply");
    freeReplyObject(reply);
    return NULL;
}

static enum usher_status visit_page(const redisReply *page, const struct key_visitor *visitor,
                                    struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (size_t i = 0; i < page->elements && status == USHER_OK; i++)
        status = visitor->key(visitor->context, page->element[i]->str, page->element[i]->len, err);
    return status;
}

static enum usher_status scan_keys(struct redis_store *store, const char *rest,
                                   const struct key_visitor *visitor, struct usher_error *err)
{
    struct usher_arena arena = {0};
    const char *pattern = pattern_of(store->prefix, rest, &arena);
    const char *cursor = "0";
    enum usher_status status = USHER_OK;
    do {
        redisReply *reply = scan(store, cursor, pattern, err);
        if (!reply) {
            status = USHER_RETRY;
            break;
        }
        cursor = usher_arena_text(&arena, reply->element[0]->str, reply->element[0]->len);
        status = visit_page(reply->element[1], visitor, err);
        freeReplyObject(reply);
    } while (status == USHER_OK && strcmp(cursor, "0") != 0);
    usher_arena_deinit(&arena);
    return status;
}

/* ---- names ---- */

struct name_search {
    struct redis_store *store;
    const struct redis_names *names;
};

/* usher:{R}, usher:{R}:seats and usher:takings:{R} name R. `key` is what follows the brace. */
static void name_of_key(const struct redis_names *names, const char *key, size_t size)
{
    const char *end = memchr(key, '}', size);
    char name[USHER_ID_MAX + 1];
    size_t length = !end ? 0 : (size_t)(end - key);
    if (length > 0 && length <= USHER_ID_MAX) {
        memcpy(name, key, length);
        name[length] = '\0';
        names->name(names->context, name);
    }
}

/* The type that a key of no single resource must have; NULL: it is not one of ours. */
static const char *right_type(const char *key)
{
    static const struct {
        const char *start, *end, *type;
    } keys[] = {
        {"shown:", "", "string"},
        {"worker:", "", "hash"},
        {LAYOUT, ":resources", "set"},
        {LAYOUT, "", "string"},
    };
    for (size_t i = 0; i < REDIS_LISTS; i++)
        if (strcmp(key, redis_lists[i].key) == 0)
            return redis_lists[i].type;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t start = strlen(keys[i].start), end = strlen(keys[i].end), size = strlen(key);
        if (size > start + end && strncmp(key, keys[i].start, start) == 0 &&
            strcmp(key + size - end, keys[i].end) == 0)
            return keys[i].type;
    }
    return strcmp(key, "contract") == 0 ? "string" : NULL;
}

static enum usher_status check_type(const struct name_search *search, const char *key,
                                    const char *right, struct usher_error *err)
{
    redisReply *reply = redis_link_call(&search->store->link, err, "TYPE %s", key);
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    if (reply->type == REDIS_REPLY_ERROR)
        status = redis_reply_status(reply, "read from Redis", err);
    else if (strcmp(reply->str, right) != 0 && strcmp(reply->str, "none") != 0)
        search->names->mistyped(search->names->context, key, reply->str, right);
    freeReplyObject(reply);
    return status;
}

static enum usher_status classify_key(void *context, const char *key, size_t size,
                                      struct usher_error *err)
{
    const struct name_search *search = context;
    size_t start = strlen(search->store->prefix) + 1;
    if (strncmp(key + start, TAKINGS "{", strlen(TAKINGS "{")) == 0)
        start += strlen(TAKINGS);
    if (key[start] == '{') {
        name_of_key(search->names, key + start + 1, size - start - 1);
        return USHER_OK;
    }
    const char *right = right_type(key + start);
    if (!right)
        return USHER_OK;
    if (strcmp(right, "string") == 0 && strncmp(key + start, LAYOUT, strlen(LAYOUT)) == 0)
        search->names->layout(search->names->context, key + start + strlen(LAYOUT));
    return check_type(search, key, right, err);
}

/* A heartbeat of an earlier version has less: NULL. */
static const char *element_text(const redisReply *reply, size_t at, struct usher_arena *arena)
{
    const redisReply *element = at < reply->elements ? reply->element[at] : NULL;
    bool is_text = element && element->type == REDIS_REPLY_STRING;
    return is_text ? usher_arena_text(arena, element->str, element->len) : NULL;
}

enum usher_status redis_store_worker(struct redis_store *store, int32_t partition,
                                     struct usher_arena *arena, struct redis_worker *worker,
                                     struct usher_error *err)
{
    *worker = (struct redis_worker){0};
    redisReply *reply =
        redis_link_call(&store->link, err, "HMGET %s:worker:%d worker version host http uptime_s",
                        store->prefix, (int)partition);
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    if (reply->type == REDIS_REPLY_ERROR)
        status = redis_reply_status(reply, "read a heartbeat from Redis", err);
    if (reply->type == REDIS_REPLY_ARRAY) {
        const char *uptime = element_text(reply, 4, arena);
        *worker = (struct redis_worker){
            .name = element_text(reply, 0, arena),
            .version = element_text(reply, 1, arena),
            .host = element_text(reply, 2, arena),
            .http = element_text(reply, 3, arena),
            .uptime_s = uptime ? strtoll(uptime, NULL, 10) : 0,
        };
    }
    freeReplyObject(reply);
    return status;
}

static enum usher_status names_in(struct redis_store *store, const struct redis_list *list,
                                  const struct redis_names *names, struct usher_error *err)
{
    bool sorted = strcmp(list->type, "zset") == 0;
    redisReply *reply =
        redis_link_call(&store->link, err, sorted ? "ZRANGE %s:%s 0 -1" : "SMEMBERS %s:%s",
                        store->prefix, list->key);
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    /* One of the wrong type is seen among the keys. */
    if (reply->type == REDIS_REPLY_ERROR && !redis_reply_is_wrong_type(reply))
        status = redis_reply_status(reply, "read the lists of resources from Redis", err);
    for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++)
        names->name(names->context, reply->element[i]->str);
    freeReplyObject(reply);
    return status;
}

enum usher_status redis_store_names(struct redis_store *store, const struct redis_names *names,
                                    struct usher_error *err)
{
    struct name_search search = {.store = store, .names = names};
    const struct key_visitor visitor = {.context = &search, .key = classify_key};
    enum usher_status status = USHER_OK;
    for (size_t i = 0; i < REDIS_LISTS && status == USHER_OK; i++)
        status = names_in(store, &redis_lists[i], names, err);
    return status == USHER_OK ? scan_keys(store, ":*", &visitor, err) : status;
}

/* ---- layouts ---- */

enum usher_status redis_store_check_layout(struct redis_store *store, const char *layout,
                                           bool repair, uint32_t *foreign_members,
                                           struct usher_error *err)
{
    const char *prefix = store->prefix;
    redisReply *reply = redis_link_call(
        &store->link, err, "EVAL %s 2 %s:" LAYOUT "%s %s:" LAYOUT "%s:resources %s %s: %d",
        check_layout_lua, prefix, layout, prefix, layout, layout, prefix, (int)repair);
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    if (reply->type == REDIS_REPLY_ERROR)
        status = redis_reply_status(reply, "look at a layout in Redis", err);
    *foreign_members = (uint32_t)reply->integer;
    freeReplyObject(reply);
    return status;
}

/* ---- clearing ---- */

enum {
    MARK_S = 7 * 24 * 3600 /* longer than an earlier owner has something left to write */
};

struct deletion {
    struct redis_store *store;
    int32_t mark_s;     /* for how long the mark of a pruned resource stays; 0: there is none */
    int32_t partitions; /* whose positions go with each key, where all are cleared; 0 */
    uint64_t count;
};

static enum usher_status count_deleted(struct deletion *deletion, redisReply *reply,
                                       struct usher_error *err)
{
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    if (reply->type == REDIS_REPLY_ERROR)
        status = redis_reply_status(reply, "delete from Redis", err);
    else
        deletion->count += (uint64_t)reply->integer;
    freeReplyObject(reply);
    return status;
}

enum usher_status redis_store_delete(struct redis_store *store, const char *key,
                                     struct usher_error *err)
{
    struct deletion deletion = {.store = store};
    return count_deleted(&deletion, redis_link_call(&store->link, err, "UNLINK %s", key), err);
}

/* `size` bytes of the id are meant; counts the deleted keys. */
static enum usher_status forget(struct deletion *deletion, const char *resource, size_t size,
                                int32_t epoch, struct usher_error *err)
{
    struct redis_store *store = deletion->store;
    const char *prefix = store->prefix;
    return count_deleted(deletion,
                         redis_link_call(&store->link, err, "EVAL %s 1 %s:{%b} %s: %b %d %d %d",
                                         forget_resource_lua, prefix, resource, size, prefix,
                                         resource, size, (int)epoch, (int)deletion->partitions,
                                         (int)deletion->mark_s),
                         err);
}

enum usher_status redis_store_forget(struct redis_store *store, const char *resource, int32_t epoch,
                                     struct usher_error *err)
{
    struct deletion deletion = {.store = store, .mark_s = MARK_S};
    return forget(&deletion, resource, strlen(resource), epoch, err);
}

/*
 * The hash of a resource says in whose layout's set it is. A worker may have written both since the
 * sets were deleted, and whoever writes the resource next must not find the hash gone and the
 * resource still in the set of a layout that it may have no more: so both go in one step.
 */
static enum usher_status clear_key(void *context, const char *key, size_t size,
                                   struct usher_error *err)
{
    struct deletion *deletion = context;
    size_t prefix_size = strlen(deletion->store->prefix);
    if (key[prefix_size + 1] == '{' && key[size - 1] == '}')
        return forget(deletion, key + prefix_size + 2, size - prefix_size - 3, INT32_MAX, err);
    struct redis_store *store = deletion->store;
    return count_deleted(deletion,
                         redis_link_call(&store->link, err, "EVAL %s 1 %b %s:shown: %d",
                                         clear_key_lua, key, size, store->prefix,
                                         (int)deletion->partitions),
                         err);
}

enum usher_status redis_store_clear(struct redis_store *store, int32_t partition_count,
                                    uint64_t *deleted, struct usher_error *err)
{
    static const char *const patterns[] = {":shown:*",   ":resources*", ":layout:*",
                                           ":takings:*", ":pruned:*",   ":{*"};
    struct deletion deletion = {.store = store, .partitions = partition_count};
    const struct key_visitor visitor = {.context = &deletion, .key = clear_key};
    enum usher_status status = USHER_OK;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && status == USHER_OK; i++)
        status = scan_keys(store, patterns[i], &visitor, err);
    *deleted = deletion.count;
    return status;
}

/* ==== Comparing ==== */

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
    redisAppendCommand(context, "GET %s:" TAKINGS "{%s}", prefix, resource);
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

/* ==== Checking a Redis ==== */

/* The value of a field of INFO, up to the end of its line; "": there is none. */
static const char *info_value(const char *info, const char *field)
{
    const char *at = strstr(info, field);
    return at ? at + strlen(field) : "";
}

/* Evicted keys look like resources that are unknown, until their next change. */
static bool may_evict(const char *info)
{
    static const char *const keeps = "noeviction";
    long long limit = strtoll(info_value(info, "\nmaxmemory:"), NULL, 10);
    const char *policy = info_value(info, "\nmaxmemory_policy:");
    return limit > 0 && strncmp(policy, keeps, strlen(keeps)) != 0;
}

/* A Redis that does not say (a hosted one may forbid INFO) is not reported. */
static enum usher_status read_eviction(struct redis_link *link, bool *evicts,
                                       struct usher_error *err)
{
    redisReply *reply = redis_link_call(link, err, "INFO memory");
    if (!reply)
        return USHER_RETRY;
    *evicts = reply->type == REDIS_REPLY_STRING && may_evict(reply->str);
    freeReplyObject(reply);
    return USHER_OK;
}

/* A script that is given a key may run only where that key may be written, whatever it does. */
static enum usher_status check_rights(struct redis_link *link, const char *prefix,
                                      struct usher_error *err)
{
    redisReply *reply = redis_link_call(link, err, "EVAL %s 1 %s:contract", "return 0", prefix);
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = reply->type == REDIS_REPLY_ERROR
                                   ? redis_reply_status(reply, "write to Redis", err)
                                   : USHER_OK;
    freeReplyObject(reply);
    return status;
}

enum usher_status redis_check(const struct redis_settings *settings, bool *evicts,
                              struct usher_error *err)
{
    struct redis_link link;
    *evicts = false;
    enum usher_status status = redis_link_open(&link, settings, err);
    if (status == USHER_OK)
        status = redis_contract_check(&link, settings->prefix, err);
    if (status == USHER_OK)
        status = check_rights(&link, settings->prefix, err);
    if (status == USHER_OK)
        status = read_eviction(&link, evicts, err);
    redis_link_close(&link);
    return status;
}
