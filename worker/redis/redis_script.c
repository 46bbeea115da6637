/*
 * The scripts that write to Redis, and the commands that run them.
 */
#include "worker/redis/redis_script.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * KEYS: hash, seats, pools, chart. ARGV: epoch, rev, from, channel, message, seats and pools of the
 * resource, then three groups, each its count and then so many values: fields (name, value …),
 * patches of the seats (at, text …), pools (name, value …); then, of a whole picture, the chart.
 *
 * A change applies to any picture of its epoch whose rev lies in [from, rev], because its values
 * are absolute; the lengths tell whether all parts of that picture are there. HSET takes at most
 * 500 pairs at once: Lua's stack is small.
 */
static const char write_script[] =
    "local epoch, rev, from = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])\n"
    "local old = redis.pcall('HMGET', KEYS[1], 'epoch', 'rev')\n"
    "local old_epoch, old_rev = tonumber(old[1]), tonumber(old[2])\n"
    "if old_epoch and old_rev and\n"
    "    (old_epoch > epoch or (old_epoch == epoch and old_rev > rev)) then\n"
    "  return 1\n"
    "end\n"
    "local function complete(command, key, size)\n"
    "  return redis.pcall(command, key) == tonumber(size)\n"
    "end\n"
    "if from == 0 then\n"
    "  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])\n"
    "elseif old_epoch ~= epoch or not old_rev or old_rev < from\n"
    "    or not complete('STRLEN', KEYS[2], ARGV[6])\n"
    "    or not complete('HLEN', KEYS[3], ARGV[7]) then\n"
    "  return 2\n"
    "end\n"
    "local at = 8\n"
    "local function set_fields(key)\n"
    "  local last = at + tonumber(ARGV[at])\n"
    "  for i = at + 1, last, 1000 do\n"
    "    redis.call('HSET', key, unpack(ARGV, i, math.min(i + 999, last)))\n"
    "  end\n"
    "  at = last + 1\n"
    "end\n"
    "set_fields(KEYS[1])\n"
    "local last = at + tonumber(ARGV[at])\n"
    "for i = at + 1, last, 2 do\n"
    "  redis.call('SETRANGE', KEYS[2], ARGV[i], ARGV[i + 1])\n"
    "end\n"
    "at = last + 1\n"
    "set_fields(KEYS[3])\n"
    "if from == 0 then\n"
    "  redis.call('SET', KEYS[4], ARGV[at])\n"
    "end\n"
    "redis.call('PUBLISH', ARGV[4], ARGV[5])\n"
    "return 0\n";

/*
 * KEYS: the worker's hash, the contract's version. ARGV: epoch, milliseconds to live, then name,
 * value … Tells, as a gap, that there was no earlier sign of life.
 */
static const char beat_script[] = "redis.call('SET', KEYS[2], '1', 'NX')\n"
                                  "local old = tonumber((redis.call('HGET', KEYS[1], 'epoch')))\n"
                                  "if old and old > tonumber(ARGV[1]) then\n"
                                  "  return 1\n"
                                  "end\n"
                                  "redis.call('HSET', KEYS[1], unpack(ARGV, 3))\n"
                                  "redis.call('PEXPIRE', KEYS[1], ARGV[2])\n"
                                  "return old and 0 or 2\n";

enum {
    BEAT_LIFE_MS = 15000
};

/* How many arguments the commands have at most; of the first, beside what was changed. */
enum {
    WRITE_ARGUMENTS = 20,
    LISTING_ARGUMENTS = 3,
    BEAT_ARGUMENTS = 17
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

/* ---- the commands ---- */

void redis_script_append(struct redis_link *link, const char *prefix,
                         const struct display_update *update)
{
    struct command command = command_of(
        WRITE_ARGUMENTS + 2 * (update->field_count + update->patch_count + update->pool_count));
    add_text(&command, "EVALSHA");
    add_text(&command, link->write_sha);
    add_text(&command, "4");
    add_key(&command, prefix, update->resource, "");
    add_key(&command, prefix, update->resource, ":seats");
    add_key(&command, prefix, update->resource, ":pools");
    add_key(&command, prefix, update->resource, ":chart");
    add_number(&command, update->epoch);
    add_number(&command, update->rev);
    add_number(&command, update->from);
    add_key(&command, prefix, update->resource, ":changes");
    add(&command, update->message, update->message_size);
    add_number(&command, update->seat_count);
    add_number(&command, update->pool_total);
    add_fields(&command, update->fields, update->field_count);
    const struct display_patch all = {.size = update->seat_count, .text = update->seats};
    if (update->from == 0)
        add_patches(&command, &all, update->seats != NULL);
    else
        add_patches(&command, update->patches, update->patch_count);
    add_fields(&command, update->pools, update->pool_count);
    if (update->from == 0)
        add(&command, update->chart, update->chart_size);
    append(link, &command);
}

void redis_listing_append(struct redis_link *link, const char *prefix,
                          const struct display_update *update)
{
    struct command command = command_of(LISTING_ARGUMENTS);
    add_text(&command, update->listed ? "SADD" : "SREM");
    add_text(&command, usher_arena_format(&command.arena, "%s:resources", prefix));
    add_text(&command, update->resource);
    append(link, &command);
}

void redis_beat_append(struct redis_link *link, const char *prefix, const char *worker,
                       const struct cache_beat *beat)
{
    struct command command = command_of(BEAT_ARGUMENTS);
    add_text(&command, "EVALSHA");
    add_text(&command, link->beat_sha);
    add_text(&command, "2");
    add_text(&command,
             usher_arena_format(&command.arena, "%s:worker:%" PRId32, prefix, beat->partition));
    add_text(&command, usher_arena_format(&command.arena, "%s:contract", prefix));
    add_number(&command, beat->epoch);
    add_number(&command, BEAT_LIFE_MS);
    add_text(&command, "worker");
    add_text(&command, worker);
    add_text(&command, "epoch");
    add_number(&command, beat->epoch);
    add_text(&command, "offset");
    add_number(&command, beat->next_offset);
    add_text(&command, "lag");
    add_number(&command, beat->lag);
    add_text(&command, "last_decided_ms");
    add_number(&command, beat->last_decided_ms);
    append(link, &command);
}

/* ---- scripts and replies ---- */

static enum usher_status load(struct redis_link *link, const char *text, char sha[REDIS_SHA_SIZE],
                              struct usher_error *err)
{
    redisReply *reply = redis_link_call(link, err, "SCRIPT LOAD %s", text);
    if (reply == NULL)
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
    enum usher_status status = load(link, write_script, link->write_sha, err);
    if (status == USHER_OK)
        status = load(link, beat_script, link->beat_sha, err);
    return status;
}

enum redis_write redis_script_result(struct redis_link *link, struct usher_error *err)
{
    redisReply *reply = redis_link_reply(link, err);
    if (reply == NULL)
        return REDIS_FAILED;
    enum redis_write result = REDIS_FAILED;
    if (reply->type == REDIS_REPLY_INTEGER && reply->integer >= REDIS_WRITTEN &&
        reply->integer <= REDIS_GAP) {
        result = (enum redis_write)reply->integer;
    } else if (reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "NOSCRIPT", 8) == 0) {
        result = REDIS_UNKNOWN_SCRIPT;
    } else {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not write to Redis: %s",
                        reply->type == REDIS_REPLY_ERROR ? reply->str : "unexpected reply");
    }
    freeReplyObject(reply);
    return result;
}

enum usher_status redis_listing_result(struct redis_link *link, struct usher_error *err)
{
    redisReply *reply = redis_link_reply(link, err);
    if (reply == NULL)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    if (reply->type == REDIS_REPLY_ERROR) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not write to Redis: %s", reply->str);
        status = USHER_RETRY;
    }
    freeReplyObject(reply);
    return status;
}
