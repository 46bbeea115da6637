/*
 * The committed picture of one resource: its pools' counts and a character for each seat, and what
 * of it changed since it was last put. PURE; inside of the display, not for others.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_PICTURE_H
#define USHER_WORKER_DISPLAY_DISPLAY_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/display/display.h"
#include "worker/display/display_sheet.h"
#include "worker/model/batch.h"
#include "worker/model/rows.h"

/* What a unit is shown as; its character is that of PICTURE_CHARACTERS. */
enum picture_state {
    PICTURE_FREE = 0,
    PICTURE_HELD,
    PICTURE_SOLD,
    PICTURE_BLOCKED,
    PICTURE_STATE_COUNT
};

#define PICTURE_CHARACTERS ".hsx"

struct picture_pool {
    uint32_t counts[PICTURE_STATE_COUNT]; /* of units, by what they are shown as */
    bool changed;
};

struct picture {
    struct sheet *sheet;
    int64_t rev;
    int64_t counts[PICTURE_STATE_COUNT]; /* over all pools */
    struct picture_pool *pools;
    char *seats;

    /* What was changed (touched, even if it is as before) since the last take. */
    uint64_t *seats_changed;       /* a bit a seat */
    uint32_t word_first, word_end; /* the words of it that may have bits */
    uint32_t *pools_changed;       /* indexes, each once */
    uint32_t pools_changed_count;

    void *memory; /* owns pools, seats and what was changed */
};

/* Draws what the database or memory holds. Copies everything. */
void picture_init(struct picture *picture, const struct loaded_resource *loaded);

void picture_deinit(struct picture *picture);

/* Copies what it shows, not what was changed, into the arena; the sheet is held once more. */
struct picture *picture_copy(const struct picture *picture, struct usher_arena *arena);

/* Moves one unit of it; its `from` must be what the picture shows. */
void picture_move(struct picture *picture, const struct unit_change *change);

/* So many free units of a pool without rows are in that state. */
void picture_put_units(struct picture *picture, uint32_t pool, uint32_t units,
                       enum booking_state state);

/* Forgets what was changed: it was put. */
void picture_settle(struct picture *picture);

/* An update with all of it, or with what was changed since `from`. Owned by the caller. */
struct display_update *update_whole(const struct picture *picture, int32_t partition, int32_t epoch,
                                    int64_t now_ms);
struct display_update *update_change(const struct picture *picture, int32_t partition,
                                     int32_t epoch, int64_t from, int64_t now_ms);

/* Parts of an update: the hash, by its `from`, and what is to be put of the pools. */
void update_set_fields(struct display_update *update, const struct picture *picture);
void update_set_all_pools(struct display_update *update, const struct picture *picture);
void update_set_changed_pools(struct display_update *update, const struct picture *picture);

/* Appends the chart as dashboards read it (contract, `usher:{R}:chart`). */
void display_chart_write(const struct sheet *sheet, struct usher_buffer *out);

/*
 * Draws a resource anew that will be put whole: display_draw, from whatever it was copied to.
 * Returns the picture, to which more units may be put before anything else is done.
 */
struct picture *display_drawn(struct display *display, const struct loaded_resource *loaded);

#endif
