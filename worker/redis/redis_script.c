/*
 * The scripts that write to Redis: a resource with its message, and a worker's heartbeat. The
 * guards are in here, so that no writer can go round them. Inside of the redis_ files.
 */
#include "worker/redis/redis_script.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis_lua.h"
#include "worker/display/display_update.h"
#include "worker/redis/redis_contract.h"

/* ==== Lists of resources ==== */

const struct redis_list redis_lists[REDIS_LISTS] = {
    {"resources", "zset", NULL, NULL},
    {"resources:kind:seats", "set", "seats", NULL},
    {"resources:kind:standing", "set", "standing", NULL},
    {"resources:kind:rooms", "set", "rooms", NULL},
    {"resources:kind:stock", "set", "stock", NULL},
    {"resources:kind:mixed", "set", "mixed", NULL},
    {"resources:state:open", "set", NULL, "open"},
    {"resources:state:closed", "set", NULL, "closed"},
};

bool redis_list_has(const struct redis_list *list, const struct display_update *update)
{
    return update->listed && (!list->kind || strcmp(list->kind, update->kind) == 0) &&
           (!list->state || strcmp(list->state, update->state) == 0);
}

/* ==== Scripts ==== */

enum {
    BEAT_LIFE_MS = 15000
};

/* How many arguments the commands have at most; of the first, beside what was changed. */
enum {
    WRITE_ARGUMENTS = 31 + REDIS_LISTS,
    BEAT_ARGUMENTS = 33 + REDIS_LISTS
};

/* ---- commands of many arguments ---- */

struct command {
    struct usher_arena arena; /* of everything but texts that are at hand */
    const char **arguments;
    size_t *sizes;
    size_t count, capacity;
};

static struct command command_of(size_t capacity)
{
    struct command command = {.capacity = capacity};
    command.arguments = usher_arena_room(&command.arena, capacity * sizeof *command.arguments);
    command.sizes = usher_arena_room(&command.arena, capacity * sizeof *command.sizes);
    return command;
}

static void add(struct command *command, const char *text, size_t size)
{
    assert(command->count < command->capacity);
    command->arguments[command->count] = text;
    command->sizes[command->count++] = size;
}

static void add_text(struct command *command, const char *text)
{
    add(command, text, strlen(text));
}

static void add_number(struct command *command, int64_t number)
{
    add_text(command, usher_arena_number(&command->arena, number));
}

static void add_key(struct command *command, const char *prefix, const char *resource,
                    const char *part)
{
    size_t size = strlen(prefix) + strlen(resource) + strlen(part) + sizeof ":{}" - 1;
    char *key = usher_arena_room(&command->arena, size + 1);
    stpcpy(stpcpy(stpcpy(stpcpy(stpcpy(key, prefix), ":{"), resource), "}"), part);
    add(command, key, size);
}

/* A key of no single resource: the prefix and what follows its colon. */
static void add_shared_key(struct command *command, const char *prefix, const char *rest)
{
    add_text(command, usher_arena_format(&command->arena, "%s:%s", prefix, rest));
}

static void add_list_keys(struct command *command, const char *prefix)
{
    for (size_t i = 0; i < REDIS_LISTS; i++)
        add_shared_key(command, prefix, redis_lists[i].key);
}

static void add_fields(struct command *command, const struct display_field *fields, uint32_t count)
{
    add_number(command, 2 * (int64_t)count);
    for (uint32_t i = 0; i < count; i++) {
        add_text(command, fields[i].name);
        add_text(command, fields[i].value);
    }
}

static void add_patches(struct command *command, const struct display_patch *patches,
                        uint32_t count)
{
    add_number(command, 2 * (int64_t)count);
    for (uint32_t i = 0; i < count; i++) {
        add_number(command, patches[i].at);
        add(command, patches[i].text, patches[i].size);
    }
}

static void append(struct redis_link *link, struct command *command)
{
    int appended = redisAppendCommandArgv(link->context, (int)command->count, command->arguments,
                                          command->sizes);
    assert(appended == REDIS_OK); /* fails only without memory */
    usher_arena_deinit(&command->arena);
}

/* ---- a resource ---- */

/* Where it belongs: its score in the list by start, and whether it is in each of the others. */
static void add_lists(struct command *command, const struct display_update *update)
{
    char *has = usher_arena_alloc(&command->arena, REDIS_LISTS);
    for (size_t i = 1; i < REDIS_LISTS; i++)
        has[i - 1] = redis_list_has(&redis_lists[i], update) ? '1' : '0';
    if (redis_list_has(&redis_lists[0], update))
        add_number(command, update->starts_ms);
    else
        add_text(command, "");
    add_text(command, has);
}

static void add_layout(struct command *command, const struct display_update *update)
{
    struct usher_buffer text = {0};
    display_update_render_layout(update, &text);
    add(command, usher_arena_text(&command->arena, text.at, text.size), text.size);
    usher_buffer_deinit(&text);
}

/* What only a whole update has. */
static void add_whole(struct command *command, const struct display_update *update,
                      bool with_layout)
{
    add(command, update->catalogue_json, update->catalogue_json_size);
    add_lists(command, update);
    if (with_layout && update->layout[0] != '\0')
        add_layout(command, update);
    else
        add_text(command, "");
}

void redis_script_append(struct redis_link *link, const char *prefix,
                         const struct display_update *update, bool with_layout)
{
    bool whole = update->from == 0;
    struct command command = command_of(
        WRITE_ARGUMENTS + 2 * (update->field_count + update->patch_count + update->pool_count));
    add_text(&command, "EVALSHA");
    add_text(&command, link->write_sha);
    add_number(&command, whole ? 7 + REDIS_LISTS : 6);
    add_key(&command, prefix, update->resource, "");
    add_key(&command, prefix, update->resource, ":seats");
    add_key(&command, prefix, update->resource, ":pools");
    add_key(&command, prefix, update->resource, ":catalogue");
    add_text(&command, usher_arena_format(&command.arena, "%s:layout:%s", prefix, update->layout));
    add_text(&command,
             usher_arena_format(&command.arena, "%s:takings:{%s}", prefix, update->resource));
    if (whole) {
        add_text(&command,
                 usher_arena_format(&command.arena, "%s:pruned:{%s}", prefix, update->resource));
        add_list_keys(&command, prefix);
    }
    add_number(&command, update->epoch);
    add_number(&command, update->rev);
    add_number(&command, update->from);
    add_key(&command, prefix, update->resource, ":changes");
    add(&command, update->message, update->message_size);
    add_shared_key(&command, prefix, "changes");
    add(&command, update->overview, update->overview_size);
    add_text(&command, update->resource);
    add_number(&command, update->seat_count);
    add_number(&command, update->pool_total);
    add_text(&command, update->layout);
    add_number(&command, update->takings);
    add_fields(&command, update->fields, update->field_count);
    const struct display_patch all = {.size = update->seat_count, .text = update->seats};
    if (whole)
        add_patches(&command, &all, update->seats ? 1 : 0);
    else
        add_patches(&command, update->patches, update->patch_count);
    add_fields(&command, update->pools, update->pool_count);
    if (whole)
        add_whole(&command, update, with_layout);
    append(link, &command);
}

/* ---- a sign of life ---- */

static const char *position_key(struct usher_arena *arena, const char *prefix, int32_t partition)
{
    return usher_arena_format(arena, "%s:shown:%" PRId32, prefix, partition);
}

void redis_beat_append(struct redis_link *link, const char *prefix,
                       const struct redis_worker *worker, int32_t partitions,
                       const struct redis_beat *beat)
{
    struct command command = command_of(BEAT_ARGUMENTS);
    add_text(&command, "EVALSHA");
    add_text(&command, link->beat_sha);
    add_number(&command, 3 + REDIS_LISTS);
    add_text(&command, usher_arena_format(&command.arena, "%s:worker:%" PRId32, prefix,
                                          beat->beat.partition));
    add_shared_key(&command, prefix, "contract");
    add_text(&command, position_key(&command.arena, prefix, beat->beat.partition));
    add_list_keys(&command, prefix);
    add_number(&command, beat->beat.epoch);
    add_number(&command, BEAT_LIFE_MS);
    add_number(&command, beat->known.epoch);
    add_number(&command, beat->known.seq);
    if (beat->stores_position)
        add_number(&command, beat->beat.shown_seq);
    else
        add_text(&command, "");
    add_number(&command, partitions);
    add_text(&command, REDIS_CONTRACT);
    add_text(&command, "worker");
    add_text(&command, worker->name);
    add_text(&command, "version");
    add_text(&command, worker->version);
    add_text(&command, "host");
    add_text(&command, worker->host);
    add_text(&command, "http");
    add_text(&command, worker->http);
    add_text(&command, "uptime_s");
    add_number(&command, worker->uptime_s);
    add_text(&command, "partitions");
    add_number(&command, partitions);
    add_text(&command, "epoch");
    add_number(&command, beat->beat.epoch);
    add_text(&command, "offset");
    add_number(&command, beat->beat.next_offset);
    add_text(&command, "lag");
    add_number(&command, beat->beat.lag);
    add_text(&command, "last_decided_ms");
    add_number(&command, beat->beat.last_decided_ms);
    append(link, &command);
}

/* ---- scripts and replies ---- */

static enum usher_status load(struct redis_link *link, const char *text, char sha[REDIS_SHA_SIZE],
                              struct usher_error *err)
{
    redisReply *reply = redis_link_call(link, err, "SCRIPT LOAD %s", text);
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    if (reply->type == REDIS_REPLY_STRING && reply->len == REDIS_SHA_SIZE - 1) {
        memcpy(sha, reply->str, REDIS_SHA_SIZE);
    } else if (reply->type == REDIS_REPLY_ERROR) {
        status = redis_reply_status(reply, "load a script into Redis", err);
    } else {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not load a script into Redis");
        status = USHER_RETRY;
    }
    freeReplyObject(reply);
    return status;
}

enum usher_status redis_script_load(struct redis_link *link, struct usher_error *err)
{
    enum usher_status status = load(link, write_resource_lua, link->write_sha, err);
    if (status == USHER_OK)
        status = load(link, write_beat_lua, link->beat_sha, err);
    return status;
}

enum redis_write redis_script_result(struct redis_link *link, struct usher_error *err)
{
    redisReply *reply = redis_link_reply(link, err);
    if (!reply)
        return REDIS_FAILED;
    enum redis_write result = REDIS_FAILED;
    if (reply->type == REDIS_REPLY_INTEGER && reply->integer >= REDIS_WRITTEN &&
        reply->integer <= REDIS_NO_LAYOUT) {
        result = (enum redis_write)reply->integer;
    } else if (reply->type == REDIS_REPLY_STRING) {
        result = REDIS_REPLACED;
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "deleted keys of the wrong type from Redis: %s", reply->str);
    } else if (reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "NOSCRIPT", 8) == 0) {
        result = REDIS_UNKNOWN_SCRIPT;
    } else {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not write to Redis: %s",
                        reply->type == REDIS_REPLY_ERROR ? reply->str : "unexpected reply");
    }
    freeReplyObject(reply);
    return result;
}

/* ---- the position ---- */

/* Reads "epoch/seq". False: it is no such text. */
static bool read_text(const char *text, struct redis_position *position)
{
    int end = 0;
    return sscanf(text, "%" SCNd32 "/%" SCNd64 "%n", &position->epoch, &position->seq, &end) == 2 &&
           text[end] == '\0' && position->seq >= 0;
}

enum usher_status redis_position_claim(struct redis_link *link, const char *prefix,
                                       int32_t partition, int32_t epoch,
                                       struct redis_position *position, struct usher_error *err)
{
    struct usher_arena arena = {0};
    redisReply *reply = redis_link_call(link, err, "EVAL %s 1 %s %d", claim_position_lua,
                                        position_key(&arena, prefix, partition), (int)epoch);
    usher_arena_deinit(&arena);
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    if (reply->type == REDIS_REPLY_ERROR) {
        status = redis_reply_status(reply, "claim the position in Redis", err);
    } else if (reply->type != REDIS_REPLY_STRING || !read_text(reply->str, position)) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not claim the position in Redis: unexpected reply");
        status = USHER_RETRY;
    }
    freeReplyObject(reply);
    return status;
}
