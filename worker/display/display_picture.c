/*
 * The committed picture of one resource: its pools' counts and a character for each seat, and what
 * of it changed since it was last put. PURE; inside of the display, not for others.
 */
#include "worker/display/display_picture.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "worker/base/bits.h"
#include "worker/inventory/inventory_load.h"

/* ==== Pictures ==== */

#define PICTURE_CHARACTERS ".hsx"

/* ---- drawing ---- */

/* From the largest alignment to the smallest, so that nothing lies between them. */
static void allocate(struct picture *picture)
{
    size_t pools = picture->catalogue->pool_count;
    size_t words = bits_words(picture->catalogue->seat_count);
    size_t sellable = sellable_size(picture->catalogue->quotas, (uint32_t)pools);
    sellable += -sellable % sizeof(uint64_t);
    size_t size = sellable + words * sizeof *picture->seats_changed +
                  pools * sizeof *picture->pools + pools * sizeof *picture->pools_changed +
                  picture->catalogue->seat_count;
    picture->memory = memory_calloc(1, size + 1);
    sellable_init(&picture->sellable, picture->catalogue->quotas, (uint32_t)pools, picture->memory);
    picture->seats_changed = (uint64_t *)((char *)picture->memory + sellable);
    picture->pools = (struct picture_pool *)(picture->seats_changed + words);
    picture->pools_changed = (uint32_t *)(picture->pools + pools);
    picture->seats = (char *)(picture->pools_changed + pools);
}

static void draw_free(struct picture *picture)
{
    const struct catalogue *catalogue = picture->catalogue;
    for (uint32_t i = 0; i < catalogue->pool_count; i++)
        picture->pools[i].counts[PICTURE_FREE] = (uint32_t)catalogue->pools[i].capacity;
    picture->counts[PICTURE_FREE] = catalogue->total;
    memset(picture->seats, PICTURE_CHARACTERS[PICTURE_FREE], catalogue->seat_count);
}

void picture_init(struct picture *picture, const struct loaded_resource *loaded,
                  struct catalogue *catalogue)
{
    *picture = (struct picture){
        .catalogue = catalogue ? catalogue_hold(catalogue) : restore_catalogue(loaded),
        .rev = loaded->row.rev,
        .waiting = loaded->waiting_count,
        .state = loaded->row.state,
    };
    assert(picture->catalogue);
    allocate(picture);
    draw_free(picture);
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (kind_is_counted(loaded->pools[i].kind))
            picture_set_counts(picture, i, loaded->pools[i].taken);
    for (uint32_t i = 0; i < loaded->unit_count; i++) {
        picture_move(picture, &(struct unit_change){.pool = loaded->units[i].pool,
                                                    .unit = loaded->units[i].unit,
                                                    .to = loaded->units[i].state});
    }
    picture_settle(picture);
}

void picture_deinit(struct picture *picture)
{
    catalogue_release(picture->catalogue);
    free(picture->memory);
    *picture = (struct picture){0};
}

/* ---- what can be sold ---- */

static struct sellable_units units_of(const void *owner, uint32_t pool)
{
    const struct picture *picture = owner;
    const uint32_t *counts = picture->pools[pool].counts;
    return (struct sellable_units){
        .free = counts[PICTURE_FREE],
        .used = (int64_t)counts[PICTURE_HELD] + counts[PICTURE_SOLD],
        .night = picture->catalogue->pools[pool].night,
    };
}

static void mark_changed(void *owner, uint32_t index)
{
    struct picture *picture = owner;
    if (!picture->pools[index].changed) {
        picture->pools[index].changed = true;
        picture->pools_changed[picture->pools_changed_count++] = index;
    }
}

void picture_offer(struct picture *picture)
{
    const struct sellable_source source = {picture, units_of, mark_changed};
    sellable_refresh(&picture->sellable, &source);
}

uint32_t picture_free(const struct picture *picture, uint32_t pool)
{
    return sellable_alone(&picture->sellable, pool, picture->pools[pool].counts[PICTURE_FREE]);
}

int64_t picture_free_in_all(const struct picture *picture)
{
    return picture->counts[PICTURE_FREE] - picture->sellable.kept_back_total;
}

/* ---- copies ---- */

/* What can be sold of each pool, and of all; it is not brought up to date any more. */
static void copy_offer(struct picture *copy, const struct picture *picture,
                       struct usher_arena *arena)
{
    const struct sellable *from = &picture->sellable;
    if (!from->quotas)
        return;
    size_t size = picture->catalogue->pool_count * sizeof *from->alone;
    copy->sellable = (struct sellable){.quotas = from->quotas,
                                       .alone = usher_arena_alloc(arena, size),
                                       .kept_back_total = from->kept_back_total};
    memcpy(copy->sellable.alone, from->alone, size);
}

struct picture *picture_copy(const struct picture *picture, struct usher_arena *arena)
{
    uint32_t pool_count = picture->catalogue->pool_count;
    struct picture *copy = usher_arena_alloc(arena, sizeof *copy);
    *copy = (struct picture){
        .catalogue = picture->catalogue,
        .rev = picture->rev,
        .catalogue_rev = picture->catalogue_rev,
        .waiting = picture->waiting,
        .state = picture->state,
        .pools = usher_arena_alloc(arena, pool_count * sizeof *copy->pools),
        .seats = usher_arena_text(arena, picture->seats, picture->catalogue->seat_count),
    };
    memcpy(copy->counts, picture->counts, sizeof copy->counts);
    copy_offer(copy, picture, arena);
    if (pool_count > 0)
        memcpy(copy->pools, picture->pools, pool_count * sizeof *copy->pools);
    return copy;
}

/* ---- moving ---- */

static enum picture_state shown_as(enum booking_state state)
{
    return state == BOOKING_HELD        ? PICTURE_HELD
           : state == BOOKING_CONFIRMED ? PICTURE_SOLD
           : state == BOOKING_BLOCKED   ? PICTURE_BLOCKED
                                        : PICTURE_FREE;
}

static void touch_seat(struct picture *picture, uint32_t seat)
{
    uint32_t word = seat / BITS_PER_WORD;
    bits_set(picture->seats_changed, seat);
    if (picture->word_first > word)
        picture->word_first = word;
    if (picture->word_end <= word)
        picture->word_end = word + 1;
}

static void touch_pool(struct picture *picture, uint32_t index)
{
    sellable_note(&picture->sellable, index);
    mark_changed(picture, index);
}

static void move_seat(struct picture *picture, uint32_t seat, enum picture_state from,
                      enum picture_state to)
{
    assert(picture->seats[seat] == PICTURE_CHARACTERS[from]);
    picture->seats[seat] = PICTURE_CHARACTERS[to];
    touch_seat(picture, seat);
}

static void move_count(struct picture *picture, uint32_t index, enum picture_state from,
                       enum picture_state to)
{
    struct picture_pool *pool = &picture->pools[index];
    assert(pool->counts[from] > 0);
    pool->counts[from]--;
    pool->counts[to]++;
    picture->counts[from]--;
    picture->counts[to]++;
    touch_pool(picture, index);
}

/* The number of a room says nothing: it may be above the capacity, after that went down. */
void picture_move(struct picture *picture, const struct unit_change *change)
{
    assert(change->pool < picture->catalogue->pool_count && change->unit >= 0);
    const struct catalogue_pool *pool = &picture->catalogue->pools[change->pool];
    enum picture_state from = shown_as(change->from);
    enum picture_state to = shown_as(change->to);
    if (pool->first_seat != CATALOGUE_NO_SEATS) {
        assert(change->unit < pool->capacity);
        move_seat(picture, (uint32_t)(pool->first_seat + change->unit), from, to);
    }
    move_count(picture, change->pool, from, to);
}

void picture_set_counts(struct picture *picture, uint32_t pool, struct unit_counts taken)
{
    assert(pool < picture->catalogue->pool_count);
    const struct catalogue_pool *of = &picture->catalogue->pools[pool];
    assert(of->first_seat == CATALOGUE_NO_SEATS && unit_counts_sum(taken) <= of->capacity);
    const uint32_t counts[PICTURE_STATE_COUNT] = {
        [PICTURE_FREE] = (uint32_t)of->capacity - unit_counts_sum(taken),
        [PICTURE_HELD] = taken.held,
        [PICTURE_SOLD] = taken.sold,
        [PICTURE_BLOCKED] = taken.blocked,
    };
    for (int state = 0; state < PICTURE_STATE_COUNT; state++) {
        uint32_t *shown = &picture->pools[pool].counts[state];
        picture->counts[state] += (int64_t)counts[state] - *shown;
        *shown = counts[state];
    }
    touch_pool(picture, pool);
}

void picture_settle(struct picture *picture)
{
    for (uint32_t i = picture->word_first; i < picture->word_end; i++)
        picture->seats_changed[i] = 0;
    picture->word_first = UINT32_MAX;
    picture->word_end = 0;
    for (uint32_t i = 0; i < picture->pools_changed_count; i++)
        picture->pools[picture->pools_changed[i]].changed = false;
    picture->pools_changed_count = 0;
}

/* ==== Updates ==== */

void display_update_free(struct display_update *update)
{
    if (update) {
        catalogue_release(update->catalogue);
        usher_arena_deinit(&update->arena);
        free(update);
    }
}
