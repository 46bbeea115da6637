/*
 * One resource that somebody looks at: its picture as of the last message, and the log of its
 * messages, out of which browsers are kept up to date and the past is shown again. Knows neither
 * Redis nor HTTP.
 */
#ifndef USHER_WORKER_DASHBOARD_SHOWN_H
#define USHER_WORKER_DASHBOARD_SHOWN_H

#include "producer/base/list.h"
#include "worker/base/table.h"
#include "worker/dashboard/facts.h"

/*
 * Of the log of a resource, in bytes: a browser reads all of it at once. It is exceeded until the
 * next message that says all.
 */
enum {
    SHOWN_LOG_MAX = 8 << 20
};

/* A message, as browsers get it; every so often one that says all (from 0). */
struct log_entry {
    struct list_node node;
    uint64_t number; /* dense */
    int64_t at_ms;   /* since 1970 */
    int64_t epoch, rev;
    bool whole;
    size_t size;
    char text[];
};

struct shown {
    struct table_node node; /* by id; of the board, as the next five */
    bool listening, unread, loaded;
    uint32_t viewers;
    int64_t retry_at_ms; /* CLOCK_MONOTONIC; not to be read before */
    int64_t looked_ms;   /* CLOCK_MONOTONIC; when somebody looked last */
    char *id;
    /* The picture. */
    struct facts facts;
    struct usher_arena arena; /* of what follows */
    char *seats;
    size_t seat_count, pool_count;
    struct shown_pool *pools;
    const char *catalogue, *layout; /* JSON */
    size_t layout_size;
    /* The log. */
    struct list log;
    uint64_t next_number;
    size_t log_size, whole_size, since_whole;
};

/* Makes an empty one. Freed with shown_free. */
struct shown *shown_new(const char *id);
void shown_free(struct shown *shown);

/* Takes what was read, with the JSON of the layout (NULL: none), and logs it. Copies. */
void shown_load(struct shown *shown, const struct redis_picture *picture, const char *layout,
                int64_t now_ms);

/* Takes a message, and logs it if it applies. */
enum change_effect shown_take(struct shown *shown, const char *text, size_t size, int64_t now_ms);

/* How many bytes it has in memory. */
size_t shown_size(const struct shown *shown);

/*
 * Forgets the log's oldest part: up to the next message that says all. False: that would be all of
 * it. With `before_ms` only if all of that part is older.
 */
bool shown_forget(struct shown *shown, int64_t before_ms);

/* Appends the picture, or the log, as a JSON object. */
void shown_write(const struct shown *shown, struct usher_buffer *out);
void shown_write_log(const struct shown *shown, struct usher_buffer *out);

/* The logged message of that number, or with that position, the latest; NULL: there is none. */
const struct log_entry *shown_entry(const struct shown *shown, uint64_t number);
const struct log_entry *shown_entry_at(const struct shown *shown, int64_t epoch, int64_t rev);

/* Reads a message but its seats and pools; `resource`, if asked for, is copied: at most `size`. */
bool change_read(const char *text, size_t size, struct change *change, char *resource,
                 size_t resource_size);

#endif
