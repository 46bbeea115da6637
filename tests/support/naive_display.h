/*
 * For tests of the display: resources as the database would have them, kept the simplest way, and
 * a reader that applies updates as the contract says.
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
 * stand in the order of its chart. A hotel of two room types with a night off sale, whose rooms
 * have numbers above the capacity. */
struct naive *naive_open_hall(void);
struct naive *naive_open_hotel(void);
void naive_close(struct naive *naive);

void naive_add_pool(struct naive *naive, enum usher_kind kind, const char *name, uint32_t capacity);

/* As the database would load it. Lives in the arena. */
struct loaded_resource naive_loaded(struct naive *naive, struct usher_arena *arena);

/* Gives it to the display as just loaded. */
void naive_load(struct naive *naive, struct display *display);

/* ---- batches ---- */

struct changes {
    struct unit_change units[NAIVE_CHANGES_MAX];
    uint32_t unit_count;
    struct pool_move moves[NAIVE_RESOURCES_MAX * NAIVE_POOLS_MAX];
    uint32_t move_count;
    struct resource_change resources[NAIVE_RESOURCES_MAX];
    uint32_t resource_count;
};

/* Units of a pool that are not free. */
uint32_t naive_taken(const struct naive *naive, uint32_t pool);

/* Moves a unit, and notes that for a batch; not where the pool has no unit left for it. */
void changes_move(struct changes *changes, struct naive *naive, uint32_t pool, uint32_t unit,
                  enum booking_state to);

/* Ends what the batch does to a resource: it has the rev that it has now. */
void changes_end(struct changes *changes, const struct naive *naive, bool redraw);

/* Applies them as a committed batch. */
void changes_apply(const struct changes *changes, struct display *display);

/* A display of NAIVE_PARTITION in NAIVE_EPOCH, whose cache takes updates. */
struct display *naive_display_open(void);

/* The same, which has that resource loaded. */
struct display *naive_display_with(struct naive *naive);

/* A batch of one resource: units of a pool from `first` on are held, or none at all. */
void naive_hold(struct display *display, struct naive *naive, uint32_t pool, uint32_t first,
                uint32_t count);

/* The next update, drawn, as the cache has it when it sends it; NULL: none is due. */
struct display_update *naive_next(struct display *display, int64_t now_ms);

/* A field of the hash, or the counts of a pool, as the update has it; NULL: it has none. */
const char *update_field(const struct display_update *update, const char *name);
const char *update_pool(const struct display_update *update, const char *name);

/* The cache has written an update: acknowledges and frees it. */
void naive_acknowledge(struct display *display, struct display_update *update);

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

/* Fails the test unless the reader has exactly what a whole picture has. */
void reader_assert_equal(struct reader *reader, const struct display_update *whole);

/* Fails the test unless the reader has exactly what a picture drawn anew would have, and that is
 * what was counted the simplest way. */
void reader_assert_shows(struct reader *reader, struct naive *naive);

#endif
