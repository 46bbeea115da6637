/*
 * The committed picture of one resource: its pools' counts and a character for each seat, and what
 * of it changed since it was last put. PURE; inside of the display, not for others.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_PICTURE_H
#define USHER_WORKER_DISPLAY_DISPLAY_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "worker/inventory/sellable.h"
#include "worker/inventory/shared_catalogue.h"
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
    struct catalogue *catalogue; /* held */
    int64_t rev;
    int64_t catalogue_rev;               /* as of which the catalogue was put; 0: not yet */
    uint32_t waiting;                    /* parties on its waiting list */
    enum usher_sale_state state;         /* changes without another catalogue */
    int64_t counts[PICTURE_STATE_COUNT]; /* over all pools */
    struct picture_pool *pools;
    char *seats;
    struct sellable sellable; /* of the free units, under the quotas; see picture_offer */

    /* What was changed (touched, even if it is as before) since the last take. */
    uint64_t *seats_changed;       /* a bit a seat */
    uint32_t word_first, word_end; /* the words of it that may have bits */
    uint32_t *pools_changed;       /* indexes, each once */
    uint32_t pools_changed_count;

    void *memory; /* owns pools, seats and what was changed */
};

/*
 * Draws the row and the units of `loaded` with the catalogue of the resource in memory, which is
 * held once more; NULL: with that of `loaded`.
 */
void picture_init(struct picture *picture, const struct loaded_resource *loaded,
                  struct catalogue *catalogue);

void picture_deinit(struct picture *picture);

/* Brings what can be sold up to date with what is free. Before it is copied or shown. */
void picture_offer(struct picture *picture);

/* Returns how many units of a pool, and of all pools together, can be sold. */
uint32_t picture_free(const struct picture *picture, uint32_t pool);
int64_t picture_free_in_all(const struct picture *picture);

/* Copies what it shows, not what was changed, into the arena; the catalogue is borrowed. */
struct picture *picture_copy(const struct picture *picture, struct usher_arena *arena);

/* Moves one numbered unit of it; its `from` must be what the picture shows. */
void picture_move(struct picture *picture, const struct unit_change *change);

/* Sets how many units are taken of a pool that shows no seats. */
void picture_set_counts(struct picture *picture, uint32_t pool, struct unit_counts taken);

/* Forgets what was changed: it was put. */
void picture_settle(struct picture *picture);

#endif
