/* The writer of a worker's queue, and what is shown, resource by resource. */
#include "redis.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postgres.h"
#include "producer/base/allocate.h"
#include "producer/base/thread.h"
#include "worker/display/display_update.h"
#include "worker/redis/redis_queue.h"

enum {
    CALL_US = 500,
    SLOW_MS = 3000,
    BACKOFF_MS = 100,
    CLOSE_MS = 1000,
    QUEUE_BYTES = 1 << 20,
};

struct redis redis;

/* ---- what is shown ---- */

struct map {
    struct pair {
        char *name, *value;
    } * pairs;
    uint32_t count;
};

struct shown {
    char *id;
    int64_t rev;
    int32_t epoch;
    char *seats, *catalogue;
    uint32_t seat_count;
    struct map fields, pools;
};

struct redis_state {
    struct redis_position positions[REDIS_PARTITIONS_MAX]; /* epoch 0: none is there */
    struct shown *resources[REDIS_PARTITIONS_MAX];
    uint32_t counts[REDIS_PARTITIONS_MAX];
    struct map marks[REDIS_PARTITIONS_MAX]; /* of what was pruned: the epoch that began with it */
};

static char *copy_text(const char *text, size_t size)
{
    char *copy = memory_alloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static const char *map_get(const struct map *map, const char *name)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (strcmp(map->pairs[i].name, name) == 0)
            return map->pairs[i].value;
    return NULL;
}

static void map_set(struct map *map, const char *name, const char *value)
{
    uint32_t i = 0;
    while (i < map->count && strcmp(map->pairs[i].name, name) != 0)
        i++;
    if (i == map->count) {
        map->pairs = memory_realloc(map->pairs, ++map->count, sizeof *map->pairs);
        map->pairs[i] = (struct pair){.name = copy_text(name, strlen(name))};
    }
    free(map->pairs[i].value);
    map->pairs[i].value = copy_text(value, strlen(value));
}

static void set_all(struct map *map, const struct display_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        map_set(map, fields[i].name, fields[i].value);
}

static struct map map_copy(const struct map *from)
{
    struct map to = {0};
    for (uint32_t i = 0; i < from->count; i++)
        map_set(&to, from->pairs[i].name, from->pairs[i].value);
    return to;
}

static struct redis_state *state_copy(const struct redis_state *from)
{
    struct redis_state *to = memory_calloc(1, sizeof *to);
    *to = *from;
    for (int32_t i = 0; i < REDIS_PARTITIONS_MAX; i++) {
        to->marks[i] = map_copy(&from->marks[i]);
        to->resources[i] = memory_calloc(from->counts[i] + 1, sizeof **to->resources);
        for (uint32_t j = 0; j < from->counts[i]; j++) {
            const struct shown *one = &from->resources[i][j];
            to->resources[i][j] = *one;
            to->resources[i][j].id = copy_text(one->id, strlen(one->id));
            to->resources[i][j].seats = copy_text(one->seats, one->seat_count);
            to->resources[i][j].catalogue = copy_text(one->catalogue, strlen(one->catalogue));
            to->resources[i][j].fields = map_copy(&one->fields);
            to->resources[i][j].pools = map_copy(&one->pools);
        }
    }
    return to;
}

static struct shown *find(int32_t partition, const char *id)
{
    struct redis_state *state = redis.state;
    for (uint32_t i = 0; i < state->counts[partition]; i++)
        if (strcmp(state->resources[partition][i].id, id) == 0)
            return &state->resources[partition][i];
    return NULL;
}

static struct shown *make(int32_t partition, const char *id)
{
    struct redis_state *state = redis.state;
    uint32_t count = ++state->counts[partition];
    state->resources[partition] =
        memory_realloc(state->resources[partition], count, sizeof **state->resources);
    state->resources[partition][count - 1] = (struct shown){.id = copy_text(id, strlen(id))};
    return &state->resources[partition][count - 1];
}

/* Once they are lost, what was pruned may come back: with an earlier state of Redis, or by an
 * earlier owner. */
static struct map lost_marks[REDIS_PARTITIONS_MAX];

static void lose_marks(void)
{
    for (int32_t i = 0; i < REDIS_PARTITIONS_MAX; i++)
        for (uint32_t j = 0; j < redis.state->marks[i].count; j++)
            map_set(&lost_marks[i], redis.state->marks[i].pairs[j].name, "");
    memset(redis.state->marks, 0, sizeof redis.state->marks);
}

void redis_begin(void)
{
    redis = (struct redis){.state = memory_calloc(1, sizeof *redis.state)};
    memset(lost_marks, 0, sizeof lost_marks);
}

void redis_save(void)
{
    redis.saved = state_copy(redis.state);
}

void redis_lose(void)
{
    lose_marks();
    redis.losses++;
    redis.restarts += sim_once_in(2);
    if (redis.saved && sim_once_in(2)) {
        redis.restarts++;
        redis.state = state_copy(redis.saved);
    } else {
        redis.state = memory_calloc(1, sizeof *redis.state);
    }
}

/* ---- the scripts ---- */

static bool is_pruned(const struct display_update *update)
{
    const char *mark = map_get(&redis.state->marks[update->partition], update->resource);
    return mark && strtol(mark, NULL, 10) > update->epoch;
}

/* write_resource.lua */
static void write_resource(struct display_update *update)
{
    struct shown *old = find(update->partition, update->resource);
    bool is_later = (old && (old->epoch > update->epoch ||
                             (old->epoch == update->epoch && old->rev > update->rev))) ||
                    (update->from == 0 && is_pruned(update));
    bool fits = old && old->epoch == update->epoch && old->rev >= update->from &&
                old->seat_count == update->seat_count && old->pools.count == update->pool_total;
    redis.stale += is_later;
    update->gap = !is_later && update->from > 0 && !fits;
    redis.gaps += update->gap;
    if (is_later || update->gap)
        return;
    struct shown *one = old ? old : make(update->partition, update->resource);
    if (update->from == 0) {
        *one = (struct shown){.id = one->id,
                              .catalogue =
                                  copy_text(update->catalogue_json, update->catalogue_json_size),
                              .seats = copy_text(update->seats ? update->seats : "",
                                                 update->seats ? update->seat_count : 0),
                              .seat_count = update->seats ? update->seat_count : 0};
    }
    one->epoch = update->epoch;
    one->rev = update->rev;
    set_all(&one->fields, update->fields, update->field_count);
    set_all(&one->pools, update->pools, update->pool_count);
    for (uint32_t i = 0; i < update->patch_count; i++)
        memcpy(one->seats + update->patches[i].at, update->patches[i].text,
               update->patches[i].size);
    redis.writes++;
}

/* claim_position.lua */
static struct redis_position claim_position(int32_t partition, int32_t epoch)
{
    struct redis_position *stored = &redis.state->positions[partition];
    if (stored->epoch < epoch)
        stored->epoch = epoch;
    return *stored;
}

/* write_beat.lua: false, Redis has lost what it had acknowledged; `*stored`: the position is. */
static bool write_position(const struct redis_beat *beat, bool *is_stored)
{
    struct redis_position *stored = &redis.state->positions[beat->beat.partition];
    *is_stored = false;
    if (stored->epoch > beat->beat.epoch || !beat->stores_position)
        return true;
    if (stored->epoch == 0 || stored->epoch < beat->known.epoch ||
        (stored->epoch == beat->known.epoch && stored->seq < beat->known.seq))
        return false;
    *stored = (struct redis_position){beat->beat.epoch, beat->beat.shown_seq};
    *is_stored = true;
    return true;
}

static void mark(int32_t partition, const char *id, int32_t epoch)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%" PRId32, epoch);
    map_set(&redis.state->marks[partition], id, text);
}

/* clear_key.lua, and with an epoch forget_resource.lua: what was written since then stays */
static void delete_resource(int32_t partition, const char *id, int32_t epoch)
{
    struct redis_state *state = redis.state;
    struct shown *one = find(partition, id);
    for (int32_t i = 0; epoch == 0 && i < REDIS_PARTITIONS_MAX; i++)
        state->positions[i] = (struct redis_position){0};
    if (one && epoch > 0 && one->epoch >= epoch)
        return;
    if (epoch > 0)
        mark(partition, id, epoch);
    if (one)
        *one = state->resources[partition][--state->counts[partition]];
}

/* ---- rebuild-cache ---- */

/* What was there when it began, and is still. */
static void clear_partition(int32_t partition)
{
    uint32_t count = redis.state->counts[partition];
    const char **ids = memory_calloc(count + 1, sizeof *ids);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = redis.state->resources[partition][i].id;
    for (uint32_t i = 0; i < count; i++) {
        sim_sleep(sim_below(CALL_US));
        delete_resource(partition, ids[i], 0);
    }
    free(ids);
}

/* As the database has a resource now. */
static struct display_update *whole_of(int32_t partition, uint32_t at)
{
    struct usher_arena arena = {0};
    struct load_result result;
    struct postgres_partition *stored = &postgres.partitions[partition];
    const struct load_request request = {.resource_nos = &stored->tables.resources[at].row.no,
                                         .resource_no_count = 1};
    fake_database_load(&stored->tables, &request, &arena, &result);
    struct display_update *update =
        display_whole(&result.resources[0], partition, stored->row.epoch, 0);
    assert(update);
    usher_arena_deinit(&arena);
    return update;
}

static void write_partition(int32_t partition)
{
    const struct fake_database *tables = &postgres.partitions[partition].tables;
    for (uint32_t i = 0; i < tables->resource_count; i++) {
        struct display_update *update = whole_of(partition, i);
        display_update_render(update);
        write_resource(update);
        display_update_free(update);
        sim_sleep(sim_below(CALL_US));
    }
}

void redis_rebuild(void)
{
    redis.rebuilds++;
    memset(redis.state->positions, 0, sizeof redis.state->positions);
    lose_marks();
    for (int32_t i = 0; i < postgres.partition_count; i++)
        clear_partition(i);
    for (int32_t i = 0; i < postgres.partition_count; i++)
        write_partition(i);
}

/* ---- prune ---- */

static bool is_here(const void *unused)
{
    (void)unused;
    return sim_now_us >= redis.away_until_us;
}

void redis_forget(int32_t partition, const char *id, int32_t epoch)
{
    (void)sim_await(is_here, NULL, SIM_NEVER);
    sim_sleep(sim_below(CALL_US));
    delete_resource(partition, id, epoch);
}

/* ---- a writer ---- */

struct redis_client {
    struct redis_queue queue;
    uint64_t connection; /* as of that restart */
    void *thread;
};

/* One way of a call, there or back. */
static bool passes(const struct redis_client *client, const char *call, int64_t detail)
{
    sim_boundary(call, detail);
    sim_sleep(sim_below(CALL_US));
    if (sim_once_in(redis.slow))
        sim_sleep(sim_below(SLOW_MS) * SIM_MS);
    return sim_now_us >= redis.away_until_us && client->connection == redis.restarts &&
           !sim_once_in(redis.loses);
}

static bool read_positions(struct redis_client *client)
{
    int32_t epoch;
    for (int32_t i; (i = redis_queue_take_unread(&client->queue, &epoch)) >= 0;) {
        if (!passes(client, "claim", epoch))
            return false;
        struct redis_position position = claim_position(i, epoch);
        if (!passes(client, "claimed", position.seq))
            return false;
        redis_queue_set_position(&client->queue, i, epoch, &position);
    }
    return true;
}

static bool write_queue(struct redis_client *client)
{
    struct display_update *updates[REDIS_PIPELINE];
    uint32_t count = redis_queue_take(&client->queue, updates), done = 0;
    bool passing = true;
    for (; passing && done < count; done++) {
        display_update_render(updates[done]);
        passing = passes(client, "put", updates[done]->rev);
        struct sim_machine *mine = sim_enter(sim_machines);
        if (passing)
            write_resource(updates[done]);
        (void)sim_enter(mine);
    }
    if (count == 0 || (passing && passes(client, "written", count))) {
        redis_queue_give_back(&client->queue, updates, count);
        return true;
    }
    for (uint32_t i = 0; i < count; i++)
        display_update_free(updates[i]);
    return false;
}

static bool write_beats(struct redis_client *client)
{
    struct redis_beat beat;
    while (redis_queue_take_beat(&client->queue, &beat)) {
        bool is_stored;
        if (!passes(client, "beat", beat.beat.shown_seq))
            return false;
        bool has_all = write_position(&beat, &is_stored);
        if (!passes(client, "beaten", is_stored))
            return false;
        if (!has_all)
            (void)redis_queue_renew_session(&client->queue, true);
        else if (is_stored)
            redis_queue_note_position(&client->queue, &beat);
    }
    return true;
}

static void *serve(void *argument)
{
    struct redis_client *client = argument;
    while (redis_queue_wait(&client->queue)) {
        if (!redis_queue_is_connected(&client->queue)) {
            redis_queue_pause(&client->queue, BACKOFF_MS);
            client->connection = redis.restarts;
            if (passes(client, "connect", 0))
                redis_queue_set_connected(&client->queue);
        } else if (!read_positions(client) || !write_queue(client) || !write_beats(client)) {
            (void)redis_queue_renew_session(&client->queue, false);
        }
    }
    if (redis_queue_is_connected(&client->queue))
        (void)write_beats(client);
    return NULL;
}

/* ---- the port ---- */

static bool put(void *self, struct display_update *update)
{
    return redis_queue_put(self, update);
}

static void poll_queue(void *self, int32_t partition, int32_t epoch, struct cache_news *news)
{
    redis_queue_poll(self, partition, epoch, news);
}

static void beat(void *self, const struct cache_beat *beat_of)
{
    redis_queue_beat(self, beat_of);
}

struct redis_client *redis_open(int32_t partition_count)
{
    struct redis_client *client = memory_calloc(1, sizeof *client);
    redis_queue_init(&client->queue, partition_count, QUEUE_BYTES);
    client->thread = sim_spawn(sim_machine(), serve, client);
    return client;
}

struct cache_port redis_port(struct redis_client *client)
{
    return (struct cache_port){
        .self = &client->queue, .put = put, .poll = poll_queue, .beat = beat};
}

void redis_close(struct redis_client *client)
{
    redis_queue_stop(&client->queue, CLOSE_MS);
    if (!sim_join(client->thread, sim_now_us + 2 * CLOSE_MS * SIM_MS))
        return;
    redis_queue_deinit(&client->queue);
    free(client);
}

/* ---- the verdict ---- */

int64_t redis_position(int32_t partition)
{
    return redis.state->positions[partition].seq;
}

static char what[256];

__attribute__((format(printf, 1, 2))) static const char *say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return what;
}

/* It tells when it was put, by whom, and since when the catalogue is there. */
static bool is_of_its_writing(const char *field)
{
    return strcmp(field, "updated_ms") == 0 || strcmp(field, "epoch") == 0 ||
           strcmp(field, "catalogue_rev") == 0;
}

static const char *map_differs(const struct map *map, const struct display_field *fields,
                               uint32_t count, const char *id)
{
    if (map->count != count)
        return say("%s has %u fields, not %u", id, map->count, count);
    for (uint32_t i = 0; i < count; i++) {
        const char *value = map_get(map, fields[i].name);
        bool varies = is_of_its_writing(fields[i].name);
        if (!value || (!varies && strcmp(value, fields[i].value) != 0))
            return say("%s: %s is %s, not %s", id, fields[i].name, value ? value : "missing",
                       fields[i].value);
    }
    return NULL;
}

static const char *resource_differs(int32_t partition, const struct display_update *expected)
{
    const struct shown *one = find(partition, expected->resource);
    uint32_t seats = expected->seats ? expected->seat_count : 0;
    if (!one)
        return say("%s is missing", expected->resource);
    if (one->seat_count != seats || (seats > 0 && memcmp(one->seats, expected->seats, seats) != 0))
        return say("%s: its seats are %s, not %.*s", expected->resource, one->seats, (int)seats,
                   seats > 0 ? expected->seats : "");
    if (strlen(one->catalogue) != expected->catalogue_json_size ||
        memcmp(one->catalogue, expected->catalogue_json, expected->catalogue_json_size) != 0)
        return say("%s: its catalogue is %s", expected->resource, one->catalogue);
    const char *differs =
        map_differs(&one->fields, expected->fields, expected->field_count, expected->resource);
    return differs ? differs
                   : map_differs(&one->pools, expected->pools, expected->pool_count,
                                 expected->resource);
}

/* Once its mark was lost, what was pruned may come back, and stays until rebuild-cache. */
static const char *shows_other(int32_t partition)
{
    const struct fake_database *tables = &postgres.partitions[partition].tables;
    for (uint32_t i = 0; i < redis.state->counts[partition]; i++) {
        const struct shown *one = &redis.state->resources[partition][i];
        bool is_known = map_get(&lost_marks[partition], one->id);
        for (uint32_t j = 0; !is_known && j < tables->resource_count; j++)
            is_known = strcmp(tables->resources[j].row.id, one->id) == 0;
        if (!is_known)
            return say("%s is shown, which is no more", one->id);
    }
    return NULL;
}

const char *redis_differs(int32_t partition)
{
    const char *differs = NULL;
    const struct fake_database *tables = &postgres.partitions[partition].tables;
    for (uint32_t i = 0; !differs && i < tables->resource_count; i++) {
        struct display_update *expected = whole_of(partition, i);
        differs = resource_differs(partition, expected);
        display_update_free(expected);
    }
    return differs ? differs : shows_other(partition);
}

const char *redis_is_ahead(int32_t partition)
{
    const struct fake_database *tables = &postgres.partitions[partition].tables;
    int64_t position = redis_position(partition);
    int64_t decided = postgres.partitions[partition].row.next_seq - 1;
    for (uint32_t i = 0; i < redis.state->counts[partition]; i++)
        if (redis.state->resources[partition][i].rev > decided)
            return say("shows seq %lld, which is not decided",
                       (long long)redis.state->resources[partition][i].rev);
    for (uint32_t i = 0; i < tables->resource_count; i++) {
        const struct resource_row *row = &tables->resources[i].row;
        const struct shown *one = find(partition, row->id);
        if (row->rev <= position && (!one || one->rev < row->rev))
            return say("says that it has seq %lld, but %s of seq %lld is not there",
                       (long long)position, row->id, (long long)row->rev);
    }
    return NULL;
}
