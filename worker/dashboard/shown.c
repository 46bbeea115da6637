/* One resource that somebody looks at: its picture and the log of its messages. */
#include "worker/dashboard/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/json_member.h"
#include "yyjson.h"

enum {
    POOL_SIZE = 96,
    JSON_MAX = 16 << 20,     /* of a catalogue or layout */
    WHOLE_AFTER = 64 * 1024, /* bytes of messages, at least, before all is said again */
    WHOLE_SHARE = 4          /* and at least so many times the bytes that this takes */
};

struct shown_pool {
    const char *name;
    char value[POOL_SIZE];
};

struct shown *shown_new(const char *id)
{
    struct shown *shown = memory_calloc(1, sizeof *shown);
    size_t size = strlen(id) + 1;
    shown->id = memory_alloc(size);
    memcpy(shown->id, id, size);
    shown->unread = true;
    return shown;
}

static void forget_oldest(struct shown *shown)
{
    struct log_entry *entry = ENTRY_OF(list_take(&shown->log), struct log_entry, node);
    shown->log_size -= sizeof *entry + entry->size;
    free(entry);
}

void shown_free(struct shown *shown)
{
    while (shown->log.count > 0)
        forget_oldest(shown);
    facts_deinit(&shown->facts);
    usher_arena_deinit(&shown->arena);
    free(shown->id);
    free(shown);
}

size_t shown_size(const struct shown *shown)
{
    return sizeof *shown + shown->log_size + shown->layout_size + shown->seat_count +
           shown->facts.text_size + shown->pool_count * sizeof *shown->pools;
}

/* ==== Log ==== */

static const struct log_entry *entry_of(const struct list_node *node)
{
    return node ? (const struct log_entry *)(const void *)((const char *)node -
                                                           offsetof(struct log_entry, node))
                : NULL;
}

static void log_add(struct shown *shown, const char *text, size_t size, bool whole, int64_t now_ms)
{
    struct log_entry *entry = memory_alloc(sizeof *entry + size);
    entry->number = shown->next_number++;
    entry->at_ms = now_ms;
    entry->epoch = shown->facts.numbers[FACT_EPOCH];
    entry->rev = shown->facts.numbers[FACT_REV];
    entry->whole = whole;
    entry->size = size;
    memcpy(entry->text, text, size);
    list_add(&shown->log, &entry->node);
    shown->log_size += sizeof *entry + size;
    shown->since_whole = whole ? 0 : shown->since_whole + size;
    if (whole)
        shown->whole_size = size;
}

static void write_pools(const struct shown *shown, struct usher_buffer *out)
{
    for (size_t i = 0; i < shown->pool_count; i++) {
        if (i > 0)
            usher_buffer_text(out, ",");
        usher_buffer_json_string(out, shown->pools[i].name);
        json_text(out, ":", shown->pools[i].value);
    }
}

bool shown_forget(struct shown *shown, int64_t before_ms)
{
    uint32_t older = 1;
    const struct log_entry *next = entry_of(shown->log.oldest ? shown->log.oldest->newer : NULL);
    for (; next && !next->whole; older++)
        next = entry_of(next->node.newer);
    if (!next || (before_ms != 0 && next->at_ms >= before_ms))
        return false;
    for (; older > 0; older--)
        forget_oldest(shown);
    return true;
}

/* Logs a message that says all, as a worker would publish it. */
static void log_whole(struct shown *shown, int64_t now_ms)
{
    struct usher_buffer out = {0};
    const int64_t *numbers = shown->facts.numbers;
    json_number(&out, "{\"epoch\":", numbers[FACT_EPOCH]);
    json_number(&out, ",\"rev\":", numbers[FACT_REV]);
    json_number(&out, ",\"from\":0,\"catalogue_rev\":", numbers[FACT_CATALOGUE_REV]);
    json_text(&out, ",\"state\":", shown->facts.state);
    json_number(&out, ",\"free\":", numbers[FACT_FREE]);
    json_number(&out, ",\"held\":", numbers[FACT_HELD]);
    json_number(&out, ",\"sold\":", numbers[FACT_SOLD]);
    json_number(&out, ",\"blocked\":", numbers[FACT_BLOCKED]);
    json_number(&out, ",\"waiting\":", numbers[FACT_WAITING]);
    json_text(&out, ",\"seats\":[[0,", shown->seats);
    usher_buffer_text(&out, "]],\"pools\":{");
    write_pools(shown, &out);
    usher_buffer_text(&out, "}}");
    log_add(shown, out.at, out.size, true, now_ms);
    usher_buffer_deinit(&out);
    while (shown->log_size > SHOWN_LOG_MAX && shown_forget(shown, 0))
        ;
}

const struct log_entry *shown_entry(const struct shown *shown, uint64_t number)
{
    const struct log_entry *entry = entry_of(shown->log.newest);
    while (entry && entry->number > number)
        entry = entry_of(entry->node.older);
    return entry && entry->number == number ? entry : NULL;
}

const struct log_entry *shown_entry_at(const struct shown *shown, int64_t epoch, int64_t rev)
{
    const struct log_entry *entry = entry_of(shown->log.newest);
    while (entry && (entry->epoch != epoch || entry->rev != rev))
        entry = entry_of(entry->node.older);
    return entry;
}

/* ==== Picture ==== */

static char *copy(struct usher_arena *arena, const char *text)
{
    return usher_arena_text(arena, text, strlen(text));
}

static int64_t member(yyjson_val *object, const char *name)
{
    return yyjson_get_sint(yyjson_obj_get(object, name));
}

/* An object as JSON has it, of a size that a reader can be sent. Freed by the caller. */
static yyjson_doc *read_object(const char *json)
{
    size_t size = json ? strlen(json) : 0;
    yyjson_doc *document = size > 0 && size <= JSON_MAX ? yyjson_read(json, size, 0) : NULL;
    if (yyjson_is_obj(yyjson_doc_get_root(document)))
        return document;
    yyjson_doc_free(document);
    return NULL;
}

/* Counts with slashes between them; what else there is says nothing. */
static void set_pool(struct shown_pool *pool, const char *counts)
{
    size_t size = strlen(counts);
    bool good = size < POOL_SIZE && strspn(counts, "-0123456789/") == size;
    snprintf(pool->value, POOL_SIZE, "%s", good ? counts : "0/0/0/0/0");
}

/* As many seats as the layout has; a state that the contract does not know is none. */
static void load_seats(struct shown *shown, const struct redis_picture *picture, yyjson_val *layout)
{
    yyjson_val *seats = yyjson_obj_get(layout, "seats");
    size_t count = yyjson_is_uint(seats) ? yyjson_get_uint(seats) : picture->seat_count;
    shown->seat_count = count < picture->seat_count ? count : picture->seat_count;
    shown->seats =
        usher_arena_text(&shown->arena, picture->seats ? picture->seats : "", shown->seat_count);
    for (size_t i = 0; i < shown->seat_count; i++)
        if (!memchr(".hsx", shown->seats[i], 4))
            shown->seats[i] = '.';
}

/* A catalogue as the contract has it; NULL: it is none. Freed by the caller. */
static yyjson_doc *read_catalogue(const char *json)
{
    static const char *const lists[] = {"sections", "rooms", "products"};
    yyjson_doc *document = read_object(json);
    bool good = document;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        good = good && yyjson_is_arr(yyjson_obj_get(yyjson_doc_get_root(document), lists[i]));
    if (good)
        return document;
    yyjson_doc_free(document);
    return NULL;
}

static void load_json(struct shown *shown, const struct redis_picture *picture, const char *json)
{
    yyjson_doc *catalogue = read_catalogue(picture->catalogue), *layout = read_object(json);
    shown->catalogue = catalogue ? copy(&shown->arena, picture->catalogue)
                                 : "{\"sections\":[],\"rooms\":[],\"products\":[]}";
    shown->layout = layout ? copy(&shown->arena, json) : NULL;
    if (!layout)
        shown->facts.texts[FACT_LAYOUT] = "";
    shown->layout_size = strlen(shown->catalogue) + (layout ? strlen(json) : 0);
    load_seats(shown, picture, yyjson_doc_get_root(layout));
    yyjson_doc_free(catalogue);
    yyjson_doc_free(layout);
}

void shown_load(struct shown *shown, const struct redis_picture *picture, const char *layout,
                int64_t now_ms)
{
    usher_arena_reset(&shown->arena);
    facts_read(&shown->facts, &picture->hash);
    load_json(shown, picture, layout);
    shown->pool_count = picture->pools.count;
    shown->pools = usher_arena_alloc(&shown->arena, (shown->pool_count + 1) * sizeof *shown->pools);
    for (size_t i = 0; i < shown->pool_count; i++) {
        shown->pools[i].name = copy(&shown->arena, picture->pools.fields[i].name);
        set_pool(&shown->pools[i], picture->pools.fields[i].value);
    }
    shown->loaded = true;
    log_whole(shown, now_ms);
}

/* True: it is such an object, with a state that the contract knows. */
static bool read_members(yyjson_val *root, struct change *change)
{
    const char *state = yyjson_get_str(yyjson_obj_get(root, "state"));
    *change = (struct change){
        .epoch = member(root, "epoch"),
        .rev = member(root, "rev"),
        .from = member(root, "from"),
        .catalogue_rev = member(root, "catalogue_rev"),
        .reload = yyjson_get_bool(yyjson_obj_get(root, "reload")),
        .free = member(root, "free"),
        .held = member(root, "held"),
        .sold = member(root, "sold"),
        .blocked = member(root, "blocked"),
        .waiting = member(root, "waiting"),
    };
    snprintf(change->state, sizeof change->state, "%s", state ? state : "");
    return yyjson_is_obj(root) && change->epoch != 0 && facts_know_state(change->state);
}

bool change_read(const char *text, size_t size, struct change *change, char *resource,
                 size_t resource_size)
{
    yyjson_doc *document = yyjson_read(text, size, 0);
    yyjson_val *root = yyjson_doc_get_root(document);
    bool read = document && read_members(root, change);
    const char *name = read ? yyjson_get_str(yyjson_obj_get(root, "resource")) : NULL;
    snprintf(resource, resource_size, "%s", name ? name : "");
    yyjson_doc_free(document);
    return read;
}

static void apply_seats(struct shown *shown, yyjson_val *seats)
{
    size_t index, count;
    yyjson_val *run;
    yyjson_arr_foreach(seats, index, count, run) {
        int64_t at = yyjson_get_sint(yyjson_arr_get(run, 0));
        const char *states = yyjson_get_str(yyjson_arr_get(run, 1));
        size_t size = yyjson_get_len(yyjson_arr_get(run, 1));
        if (states && at >= 0 && (size_t)at + size <= shown->seat_count)
            memcpy(shown->seats + at, states, size);
    }
}

static void apply_pools(struct shown *shown, yyjson_val *pools)
{
    size_t index, count;
    yyjson_val *name, *value;
    yyjson_obj_foreach(pools, index, count, name, value) {
        for (size_t i = 0; i < shown->pool_count; i++)
            if (yyjson_is_str(value) && strcmp(shown->pools[i].name, yyjson_get_str(name)) == 0)
                set_pool(&shown->pools[i], yyjson_get_str(value));
    }
}

enum change_effect shown_take(struct shown *shown, const char *text, size_t size, int64_t now_ms)
{
    struct change change;
    yyjson_doc *document = yyjson_read(text, size, 0);
    yyjson_val *root = yyjson_doc_get_root(document);
    enum change_effect effect = CHANGE_OLD;
    if (document && read_members(root, &change) && !memchr(text, '\n', size))
        effect = change_effect(&change, &shown->facts);
    if (effect == CHANGE_APPLIES) {
        facts_apply(&shown->facts, &change, now_ms);
        apply_seats(shown, yyjson_obj_get(root, "seats"));
        apply_pools(shown, yyjson_obj_get(root, "pools"));
        log_add(shown, text, size, false, now_ms);
        if (shown->since_whole > WHOLE_AFTER &&
            shown->since_whole > WHOLE_SHARE * shown->whole_size)
            log_whole(shown, now_ms);
    }
    yyjson_doc_free(document);
    return effect;
}

/* ==== JSON ==== */

void shown_write(const struct shown *shown, struct usher_buffer *out)
{
    const struct log_entry *oldest = entry_of(shown->log.oldest);
    json_text(out, "{\"resource\":", shown->id);
    usher_buffer_text(out, ",");
    facts_write(&shown->facts, out);
    json_number(out, ",\"history_from_ms\":", oldest ? oldest->at_ms : 0);
    json_text(out, ",\"seats\":", shown->seats);
    usher_buffer_text(out, ",\"pools\":{");
    write_pools(shown, out);
    usher_buffer_text(out, "},\"catalogue\":");
    usher_buffer_text(out, shown->catalogue);
    usher_buffer_text(out, "}\n");
}

void shown_write_log(const struct shown *shown, struct usher_buffer *out)
{
    json_text(out, "{\"resource\":", shown->id);
    usher_buffer_text(out, ",\"changes\":[");
    for (const struct list_node *node = shown->log.oldest; node; node = node->newer) {
        const struct log_entry *entry = entry_of(node);
        usher_buffer_text(out, node == shown->log.oldest ? "[" : ",[");
        usher_buffer_number(out, entry->at_ms);
        usher_buffer_text(out, ",");
        usher_buffer_append(out, entry->text, entry->size);
        usher_buffer_text(out, "]");
    }
    usher_buffer_text(out, "]}\n");
}
