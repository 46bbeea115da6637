/*
 * For tests of the display: resources as the database would have them, kept the simplest way, the
 * same ones in a real inventory, and a reader that applies updates as the contract says.
 */
#ifndef USHER_TESTS_NAIVE_DISPLAY_H
#define USHER_TESTS_NAIVE_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include <yyjson.h>

#include "worker/display/display.h"

enum {
    NAIVE_PARTITION = 3,
    NAIVE_EPOCH = 7,
    NAIVE_POOLS_MAX = 64,
    NAIVE_UNITS_MAX = 700,
    NAIVE_RESOURCES_MAX = 2,
    NAIVE_CHANGES_MAX = 400
};

/* ---- what the database would say ---- */

struct naive {
    const char *id;
    int64_t no, rev;
    enum usher_sale_state state;
    struct pool_row pools[NAIVE_POOLS_MAX];
    uint32_t pool_count;
    int64_t seats_at[NAIVE_POOLS_MAX]; /* in the seats string; -1: it has no seats */
    int64_t starts_ms, ends_ms, opens_ms, closes_ms;
    struct booking_row parties[4]; /* on its waiting list: the first waiting_count */
    uint32_t waiting_count;
    const char *venue;
    const char *chart_name;
    const char *terms; /* JSON; NULL */
    struct usher_buffer chart;
    enum booking_state units[NAIVE_POOLS_MAX][NAIVE_UNITS_MAX];
};

/* On sale, without pools; its number and its rev are `no`. */
struct naive *naive_open(const char *id, int64_t no);

/* A hall of two sections with rows, one without, one removed, and a product; its pools do not
 * stand in the order of its chart. A hotel of two room types with a night off sale. */
struct naive *naive_open_hall(void);
struct naive *naive_open_hotel(void);
void naive_close(struct naive *naive);

void naive_add_pool(struct naive *naive, enum usher_kind kind, const char *name, uint32_t capacity);

/* As the database would load it. Lives in the arena. */
struct loaded_resource naive_loaded(struct naive *naive, struct usher_arena *arena);

/* ---- in memory, and shown ---- */

/* A display of NAIVE_PARTITION in NAIVE_EPOCH, whose cache takes updates, and the inventory that it
 * draws from. */
struct naive_display {
    struct display *display;
    struct inventory *inventory;
    struct batch batch;
    uint64_t number;  /* of the last batch */
    int64_t next_seq; /* of the next decision */
    int64_t now_ms;   /* of the next batch; set by naive_next, too */
};

/* Decided up to `seq`. */
struct naive_display *naive_display_open_at(int64_t seq);
struct naive_display *naive_display_open(void);

/* The same, which has that resource in memory. */
struct naive_display *naive_display_with(struct naive *naive);

void naive_display_close(struct naive_display *shown);

/* Another owner, of the next epoch, with empty memory. */
void naive_restart(struct naive_display *shown);

/* Loads it into memory, unless it is there. */
void naive_load(struct naive *naive, struct naive_display *shown);

/* Evicts it from memory. */
void naive_evict(struct naive *naive, struct naive_display *shown);

/* ---- batches ---- */

struct changes {
    struct unit_move {
        const struct naive *naive;
        uint32_t pool;
        int32_t unit;
        enum booking_state from, to;
    } units[NAIVE_CHANGES_MAX];
    uint32_t unit_count;
    struct {
        struct naive *naive;
        bool redefined;
    } resources[NAIVE_RESOURCES_MAX];
    uint32_t resource_count;
};

/* Units of a pool that are not free. */
uint32_t naive_taken(const struct naive *naive, uint32_t pool);

/* Moves a unit, and notes that for a batch; not where the pool has no unit left for it. */
void changes_move(struct changes *changes, struct naive *naive, uint32_t pool, uint32_t unit,
                  enum booking_state to);

/* Ends what the batch does to a resource: it has the rev that it has now. */
void changes_end(struct changes *changes, struct naive *naive, bool redefined);

/* Does all that in memory, and seals it; the last one that was sealed is committed. */
void changes_seal(const struct changes *changes, struct naive_display *shown);
void naive_commit(struct naive_display *shown);

/* Both. */
void changes_apply(const struct changes *changes, struct naive_display *shown);

/* A batch of one resource: units of a pool from `first` on are held, or none at all. */
void naive_hold(struct naive_display *shown, struct naive *naive, uint32_t pool, uint32_t first,
                uint32_t count);

/* The next update, which the cache takes and writes out; NULL: none is due. */
struct display_update *naive_next(struct naive_display *shown, int64_t now_ms);

/* A field of the hash, or the counts of a pool, as the update has it; NULL: it has none. */
const char *update_field(const struct display_update *update, const char *name);
const char *update_pool(const struct display_update *update, const char *name);

/* The cache has written an update: acknowledges and frees it. */
void naive_acknowledge(struct naive_display *shown, struct display_update *update);

/* ---- a reader ---- */

struct reader {
    int32_t epoch; /* 0: knows nothing */
    int64_t rev;
    yyjson_mut_doc *document; /* that has the two objects */
    yyjson_mut_val *fields, *pools;
    char seats[NAIVE_UNITS_MAX];
    uint32_t seat_count;
    char *catalogue, *layout;
    uint32_t wholes, changes;
};

/* What the script in Redis does. False: a gap. */
bool reader_apply(struct reader *reader, const struct display_update *update);

/* Forgets all but how many updates there were. */
void reader_clear(struct reader *reader);

/* Fails the test unless the reader has exactly what a whole update has. */
void reader_assert_equal(struct reader *reader, const struct display_update *whole);

/* Fails the test unless the reader has exactly what one drawn anew would have, and that is
 * what was counted the simplest way. */
void reader_assert_shows(struct reader *reader, struct naive *naive);

#endif
