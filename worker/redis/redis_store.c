/* Redis one step at a time: opening, writing and clearing. */
#include "worker/redis/redis_store.h"
#include "worker/redis/redis_contract.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "redis_lua.h"
#include "worker/display/display_update.h"
#include "worker/redis/redis_link.h"
#include "worker/redis/redis_script.h"

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

struct redis_link *redis_store_link(struct redis_store *store)
{
    return &store->link;
}

const char *redis_store_prefix(const struct redis_store *store)
{
    return store->prefix;
}

bool redis_store_layout_is_verified(const struct redis_store *store, const char *layout)
{
    return store->verified_layout && strcmp(store->verified_layout, layout) == 0;
}

void redis_store_set_verified_layout(struct redis_store *store, const char *layout)
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
