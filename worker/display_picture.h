/*
 * The committed picture of one resource: its pools' counts and a character for each seat, and what
 * of it changed since it was last put. PURE; inside of the display, not for others.
 */
#ifndef USHER_WORKER_DISPLAY_PICTURE_H
#define USHER_WORKER_DISPLAY_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "display.h"
#include "rows.h"

enum {
    PICTURE_NO_SEATS = -1
};

struct picture_pool {
    const char *name, *title;
    enum usher_kind kind;
    int32_t night;
    int64_t price;
    int64_t capacity, held, sold;
    int64_t first_seat; /* in the seats string; PICTURE_NO_SEATS */
    bool changed;
};

struct picture {
    int64_t no;
    const char *id, *name, *timezone, *currency, *chart_name;
    enum usher_sale_state state;
    int64_t starts_ms; /* USHER_ABSENT */
    const char *chart; /* canonical JSON; NULL: no seats */
    size_t chart_size;
    struct picture_pool *pools;
    uint32_t pool_count;
    char *seats;
    uint32_t seat_count;
    int64_t total, held, sold;
    int64_t rev;

    /* What was changed (touched, even if it is as before) since the last take. */
    uint64_t *seats_changed;       /* a bit a seat */
    uint32_t word_first, word_end; /* the words of it that may have bits */
    uint32_t *pools_changed;       /* indexes, each once */
    uint32_t pools_changed_count;

    void *memory; /* owns all text, pools and seats */
};

/* Draws what the database or memory holds. Copies everything. */
void picture_init(struct picture *picture, const struct loaded_resource *loaded);

void picture_deinit(struct picture *picture);

/* Moves one unit of it; its `from` must be what the picture shows. */
void picture_move(struct picture *picture, const struct unit_change *change);

/* Forgets what was changed: it was put. */
void picture_settle(struct picture *picture);

static inline int64_t picture_free(const struct picture *picture)
{
    return picture->total - picture->held - picture->sold;
}

/* An update with all of it, or with what was changed since `from`. Owned by the caller. */
struct display_update *update_whole(const struct picture *picture, int32_t partition, int32_t epoch,
                                    int64_t now_ms);
struct display_update *update_change(const struct picture *picture, int32_t partition,
                                     int32_t epoch, int64_t from, int64_t now_ms);

/* Appends the chart as dashboards read it (contract, `usher:{R}:chart`). */
void display_chart_write(const struct picture *picture, struct usher_buffer *out);

/* Draws a resource anew that will be put whole: display_draw, from whatever it was copied to. */
void display_drawn(struct display *display, const struct loaded_resource *loaded);

#endif
