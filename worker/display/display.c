/*
 * What dashboards see of one partition: the committed picture of its warm resources, the updates
 * that carry it to the cache, and how far the cache has acknowledged them. PURE: no clock, no I/O.
 * It knows nothing of Redis, only of the words of the contract (states, counts, seats as one
 * character each, revisions).
 *
 * The picture holds committed state only: it is loaded with what the database said, moved by
 * batches that are known to be committed, and redrawn from memory after the catalogue changed.
 * Content is a function of (resource, rev): two pictures of one rev are equal.
 *
 * In the allocator's loop:
 *     after a takeover                display_reset(display, epoch, seq)
 *     for each loaded resource        display_load(display, &loaded, catalogue)
 *     for each committed batch        display_apply(display, batch), then, for each of its
 *                                     resource_changes with `redraw`, display_draw(display, …) of
 * display.h when a resource is evicted      display_forget(display, no) whenever there is time
 * while ((update = display_next(display, now_ms))) if (!cache->put(cache->self, update)) {
 *                                             display_put_back(display, update);
 *                                             break;
 *                                         }
 *     when the cache is done with one display_acknowledge(display, update)
 *     when the cache may have lost    display_suspend(display), and display_resume(display) once
 *     something                       it is known what has to be put again
 */
#include "worker/display/display.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "worker/base/list.h"
#include "worker/base/table.h"
#include "worker/display/display_picture.h"
#include "worker/display/display_render.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/shared_catalogue.h"

/* ==== Display ==== */

enum {
    HELD_BACK_MS = 5,     /* until what the cache had no room for is offered again */
    ACKNOWLEDGED_MS = 20, /* until the cache is asked for what it has acknowledged */
    LIGHT_POOLS = 2048,
    LIGHT_SEATS = 65536 /* a picture with fewer counts once */
};

enum place {
    IDLE = 0, /* nothing to put, or waiting for an acknowledgement */
    RESTING,  /* put a short while ago */
    READY,    /* has changes to be put */
};

struct shown {
    struct table_node node; /* by number */
    int64_t no;
    struct picture picture;
    struct list_node queued; /* in the list of its place */
    enum place place;
    bool awaits_draw;                /* its catalogue changed: the picture is out of date */
    bool forgotten;                  /* removed once its changes are acknowledged */
    bool renewed;                    /* loaded only to be put again */
    uint32_t evicted, renewing;      /* of it in display.evicted_count and .renewed_count */
    struct display_change dirty;     /* listed: has changes that were not put */
    struct display_change under_way; /* listed: was put, and not yet acknowledged */
    struct list_node sent;           /* in display.sent while under way */
    int64_t put_rev;                 /* what the cache was given last; 0: nothing */
    uint64_t put_base;               /* counts only if it is display.base */
    int64_t rests_until_ms;
};

struct display {
    int32_t partition, epoch;
    struct table by_no;
    struct list ready, resting;
    uint32_t resting_dirty;
    struct list sent; /* those under way, in the order in which they were put */
    struct display_changes changes;
    int64_t batch_seq; /* the first seq of the batch applied last */
    bool hastened;     /* nothing rests any more */
    bool suspended;
    uint64_t base; /* grows when the cache may have lost anything: nothing put before counts */
    uint32_t evicted_count, renewed_count;
    struct display_update *held_back;
};

static struct shown *oldest(const struct list *list)
{
    return !list->oldest ? NULL : ENTRY_OF(list->oldest, struct shown, queued);
}

/* ---- the set of pictures ---- */

struct display *display_open(int32_t partition)
{
    struct display *display = memory_calloc(1, sizeof *display);
    display->partition = partition;
    return display;
}

static struct shown *shown_find(const struct display *display, int64_t no)
{
    uint64_t hash = table_hash_number((uint64_t)no);
    for (struct table_node *node = table_find(&display->by_no, hash); node;
         node = table_find_next(node)) {
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        if (shown->no == no)
            return shown;
    }
    return NULL;
}

static struct shown *shown_open(struct display *display, int64_t no)
{
    struct shown *shown = memory_calloc(1, sizeof *shown);
    shown->no = no;
    table_add(&display->by_no, &shown->node, table_hash_number((uint64_t)no));
    return shown;
}

/* How many ordinary ones it takes the memory of. */
static uint32_t weight_of(const struct picture *picture)
{
    return 1 + picture->catalogue->pool_count / LIGHT_POOLS +
           picture->catalogue->seat_count / LIGHT_SEATS;
}

/* Counts it while it is only here to be put. To be called after every change of that. */
static void note_evicted(struct display *display, struct shown *shown)
{
    bool is_evicted =
        shown->forgotten && !shown->renewed && shown->dirty.listed && !shown->under_way.listed;
    uint32_t evicted = is_evicted ? weight_of(&shown->picture) : 0;
    display->evicted_count += evicted - shown->evicted;
    shown->evicted = evicted;
}

/* Whether it goes once it was put. */
static void set_forgotten(struct display *display, struct shown *shown, bool forgotten)
{
    shown->forgotten = forgotten;
    note_evicted(display, shown);
}

/* Whether it was loaded only to be put once more: then it is counted. */
static void set_renewed(struct display *display, struct shown *shown, bool renewed)
{
    uint32_t renewing = renewed ? weight_of(&shown->picture) : 0;
    display->renewed_count += renewing - shown->renewing;
    shown->renewing = renewing;
    shown->renewed = renewed;
    note_evicted(display, shown);
}

static void keep(struct display *display, struct shown *shown)
{
    set_forgotten(display, shown, false);
    set_renewed(display, shown, false);
}

static void shown_close(struct display *display, struct shown *shown)
{
    keep(display, shown);
    table_remove(&display->by_no, &shown->node);
    picture_deinit(&shown->picture);
    free(shown);
}

void display_reset(struct display *display, int32_t epoch, int64_t seq)
{
    struct table_node *node = table_each(&display->by_no, NULL);
    while (node) {
        struct table_node *next = table_each(&display->by_no, node);
        shown_close(display, ENTRY_OF(node, struct shown, node));
        node = next;
    }
    display_update_free(display->held_back);
    display->held_back = NULL;
    display->ready = display->resting = display->sent = (struct list){0};
    display->changes = (struct display_changes){.applied_seq = seq};
    display->batch_seq = seq;
    display->resting_dirty = 0;
    display->hastened = false;
    display->suspended = true;
    display->epoch = epoch;
}

void display_close(struct display *display)
{
    if (display) {
        display_reset(display, 0, 0);
        table_deinit(&display->by_no);
        free(display);
    }
}

/* ---- places ---- */

/* The place of one that is not resting: it is put, or waits, or is closed. */
static void place(struct display *display, struct shown *shown)
{
    if (shown->place != IDLE || shown->under_way.listed)
        return;
    if (shown->dirty.listed) {
        shown->place = READY;
        list_add(&display->ready, &shown->queued);
    } else if (shown->forgotten) {
        shown_close(display, shown);
    }
}

static void leave_place(struct display *display, struct shown *shown)
{
    if (shown->place == RESTING && shown->dirty.listed)
        display->resting_dirty--;
    if (shown->place != IDLE)
        list_remove(shown->place == READY ? &display->ready : &display->resting, &shown->queued);
    shown->place = IDLE;
}

static void mark_dirty(struct display *display, struct shown *shown, int64_t seq)
{
    if (shown->dirty.listed)
        return;
    changes_add(&display->changes, &shown->dirty, seq);
    assert(shown->dirty.listed); /* so that it is kept */
    note_evicted(display, shown);
    if (shown->place == RESTING)
        display->resting_dirty++;
    place(display, shown);
}

/* ---- what changes ---- */

void display_load(struct display *display, const struct loaded_resource *loaded,
                  struct catalogue *catalogue)
{
    struct shown *shown = shown_find(display, loaded->row.no);
    if (!shown) {
        shown = shown_open(display, loaded->row.no);
        picture_init(&shown->picture, loaded, catalogue);
        return;
    }
    if (shown->forgotten && shown->picture.rev != loaded->row.rev)
        (void)display_drawn(display, loaded, catalogue); /* somebody else changed its rows */
    else
        keep(display, shown);
}

struct picture *display_drawn(struct display *display, const struct loaded_resource *loaded,
                              struct catalogue *catalogue)
{
    struct shown *shown = shown_find(display, loaded->row.no);
    if (!shown)
        shown = shown_open(display, loaded->row.no);
    else
        picture_deinit(&shown->picture);
    picture_init(&shown->picture, loaded, catalogue);
    shown->put_rev = 0;
    shown->awaits_draw = false;
    keep(display, shown);
    mark_dirty(display, shown, display->batch_seq);
    return &shown->picture;
}

static void await_draws(struct display *display, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->resource_change_count; i++) {
        if (batch->resource_changes[i].redraw) {
            struct shown *shown = shown_find(display, batch->resource_changes[i].resource_no);
            if (shown)
                shown->awaits_draw = true;
        }
    }
}

/* Skips units of a resource that will be redrawn: its picture may have another shape. */
static void move_units(struct display *display, const struct batch *batch)
{
    struct shown *shown = NULL;
    int64_t no = 0;
    for (uint32_t i = 0; i < batch->unit_change_count; i++) {
        const struct unit_change *change = &batch->unit_changes[i];
        if (i == 0 || change->resource_no != no) {
            no = change->resource_no;
            shown = shown_find(display, no);
        }
        if (shown && !shown->awaits_draw)
            picture_move(&shown->picture, change);
    }
}

static void move_pools(struct display *display, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->pool_move_count; i++) {
        const struct pool_move *move = &batch->pool_moves[i];
        struct shown *shown = shown_find(display, move->resource_no);
        if (shown && !shown->awaits_draw)
            picture_set_counts(&shown->picture, move->index, move->taken);
    }
}

/* Within a batch the revs are in no order: all its changes count from its first seq on. */
void display_apply(struct display *display, const struct batch *batch)
{
    display->batch_seq = batch->expected_next_seq;
    display->changes.applied_seq = batch->next_seq - 1;
    await_draws(display, batch);
    move_units(display, batch);
    move_pools(display, batch);
    for (uint32_t i = 0; i < batch->resource_change_count; i++) {
        const struct resource_change *change = &batch->resource_changes[i];
        if (!change->redraw) {
            struct shown *shown = shown_find(display, change->resource_no);
            assert(shown && change->rev > shown->picture.rev);
            shown->picture.rev = change->rev;
            shown->picture.waiting = change->waiting;
            mark_dirty(display, shown, display->batch_seq);
        }
    }
}

/* Takes back what is listed of it; only while nothing is under way. */
static void drop(struct display *display, struct shown *shown)
{
    leave_place(display, shown);
    if (shown->dirty.listed)
        changes_remove(&display->changes, &shown->dirty);
    shown_close(display, shown);
}

void display_forget(struct display *display, int64_t resource_no)
{
    struct shown *shown = shown_find(display, resource_no);
    if (!shown)
        return;
    set_forgotten(display, shown, true);
    if (display->suspended)
        drop(display, shown);
    else
        place(display, shown);
}

/* ---- what is put ---- */

static bool rests(const struct display *display, const struct shown *shown, int64_t now_ms)
{
    return !display->hastened && shown->rests_until_ms > now_ms;
}

static int64_t rest_ms(const struct display *display)
{
    int64_t ms = (display->ready.count + display->resting.count) / DISPLAY_PUTS_PER_MS;
    return ms < DISPLAY_INTERVAL_MS       ? DISPLAY_INTERVAL_MS
           : ms > DISPLAY_INTERVAL_MAX_MS ? DISPLAY_INTERVAL_MAX_MS
                                          : ms;
}

static void wake(struct display *display, int64_t now_ms)
{
    struct shown *shown;
    while ((shown = oldest(&display->resting)) && !rests(display, shown, now_ms)) {
        leave_place(display, shown);
        place(display, shown);
    }
}

static struct display_update *put(struct display *display, struct shown *shown, int64_t now_ms)
{
    assert(!shown->awaits_draw);
    bool whole = shown->put_rev == 0 || shown->put_base != display->base;
    if (whole)
        shown->picture.catalogue_rev = shown->picture.rev;
    struct display_update *update =
        whole ? update_whole(&shown->picture, display->partition, display->epoch, now_ms)
              : update_change(&shown->picture, display->partition, display->epoch, shown->put_rev,
                              now_ms);
    picture_settle(&shown->picture);
    shown->put_rev = shown->picture.rev;
    shown->put_base = display->base;
    changes_replace(&display->changes, &shown->dirty, &shown->under_way);
    note_evicted(display, shown);
    list_add(&display->sent, &shown->sent);
    shown->rests_until_ms = now_ms + rest_ms(display);
    shown->place = RESTING;
    list_add(&display->resting, &shown->queued);
    return update;
}

struct display_update *display_next(struct display *display, int64_t now_ms)
{
    if (display->suspended)
        return NULL;
    wake(display, now_ms);
    if (display->held_back) {
        struct display_update *update = display->held_back;
        display->held_back = NULL;
        return update;
    }
    struct shown *shown = oldest(&display->ready);
    if (!shown)
        return NULL;
    leave_place(display, shown);
    return put(display, shown, now_ms);
}

void display_put_back(struct display *display, struct display_update *update)
{
    assert(!display->held_back);
    display->held_back = update;
}

/* ---- what becomes of it ---- */

/* It was not put after all, and is put whole: its change is as old as it was before. */
static void take_back(struct display *display, struct shown *shown)
{
    bool was_dirty = shown->dirty.listed;
    if (was_dirty)
        changes_remove(&display->changes, &shown->dirty);
    changes_replace(&display->changes, &shown->under_way, &shown->dirty);
    note_evicted(display, shown);
    if (shown->place == RESTING && !was_dirty)
        display->resting_dirty++;
    shown->put_rev = 0;
}

static struct shown *take_sent(struct display *display)
{
    struct list_node *node = list_take(&display->sent);
    return !node ? NULL : ENTRY_OF(node, struct shown, sent);
}

void display_acknowledge(struct display *display, const struct display_update *update)
{
    if (update->epoch != display->epoch)
        return;
    struct shown *shown = take_sent(display);
    assert(shown && shown->no == update->resource_no);
    if (update->gap)
        take_back(display, shown);
    else
        changes_remove(&display->changes, &shown->under_way);
    note_evicted(display, shown);
    if (shown->forgotten && !shown->dirty.listed)
        leave_place(display, shown); /* it need not rest */
    place(display, shown);
}

void display_drop_evicted(struct display *display)
{
    struct table_node *node = table_each(&display->by_no, NULL);
    while (node) {
        struct table_node *next = table_each(&display->by_no, node);
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        if (shown->forgotten && !shown->under_way.listed && (display->suspended || !shown->renewed))
            drop(display, shown);
        node = next;
    }
}

void display_suspend(struct display *display)
{
    struct shown *shown;
    display_update_free(display->held_back);
    display->held_back = NULL;
    display->base++;
    display->suspended = true;
    while ((shown = take_sent(display))) {
        take_back(display, shown);
        place(display, shown);
    }
    display_drop_evicted(display);
}

void display_resume(struct display *display)
{
    display->suspended = false;
}

/* ---- what is put once more ---- */

/* It was put in this session of the cache, or will be. */
static bool is_renewed(const struct display *display, const struct shown *shown)
{
    return shown->dirty.listed || (shown->put_rev != 0 && shown->put_base == display->base);
}

bool display_renew(struct display *display, int64_t resource_no)
{
    struct shown *shown = shown_find(display, resource_no);
    if (shown && !is_renewed(display, shown))
        mark_dirty(display, shown, display->changes.applied_seq);
    return shown;
}

/* A batch that is being committed may have loaded it meanwhile. */
bool display_renew_loaded(struct display *display, const struct loaded_resource *loaded)
{
    if (display_renew(display, loaded->row.no))
        return true;
    struct catalogue *catalogue = restore_catalogue(loaded);
    if (!catalogue)
        return false;
    display_load(display, loaded, catalogue);
    catalogue_release(catalogue);
    struct shown *shown = shown_find(display, loaded->row.no);
    set_forgotten(display, shown, true);
    set_renewed(display, shown, true);
    mark_dirty(display, shown, display->changes.applied_seq);
    return true;
}

uint32_t display_evicted_count(const struct display *display)
{
    return display->evicted_count;
}

uint32_t display_renewed_count(const struct display *display)
{
    return display->renewed_count;
}

int64_t display_watermark(const struct display *display)
{
    return changes_watermark(&display->changes);
}

/* ---- when ---- */

void display_hasten(struct display *display)
{
    display->hastened = true;
}

/* The earlier of two waits; -1: for nothing. */
static int64_t earlier(int64_t wait_ms, int64_t other_ms)
{
    return wait_ms < 0 || other_ms < wait_ms ? other_ms : wait_ms;
}

int64_t display_wait_ms(const struct display *display, int64_t now_ms)
{
    int64_t wait_ms = -1;
    if (display->suspended)
        return -1;
    if (display->held_back)
        return HELD_BACK_MS;
    if (display->ready.count > 0 || (display->resting_dirty > 0 && display->hastened))
        return 0;
    if (display->sent.count > 0)
        wait_ms = ACKNOWLEDGED_MS;
    if (display->resting_dirty > 0) {
        int64_t rest = oldest(&display->resting)->rests_until_ms - now_ms;
        wait_ms = earlier(wait_ms, rest > 0 ? rest : 0);
    }
    return wait_ms;
}

/* ==== Drawing ==== */

/* Seats one by one; of other units only how many are in each state is shown. */
static void draw_units(struct picture *picture, uint32_t index, const struct pool *pool)
{
    const struct units *units = &pool->units;
    if (pool->seat_row_count == 0) {
        picture_set_counts(picture, index, pool->taken);
        return;
    }
    uint32_t unit = units_next_taken(units, 0, units->count);
    while (unit < units->count) {
        picture_move(picture, &(struct unit_change){.pool = index,
                                                    .unit = (int32_t)unit,
                                                    .to = units_state(units, unit)});
        unit = units_next_taken(units, unit + 1, units->count);
    }
}

void display_draw(struct display *display, const struct resource *resource)
{
    const struct loaded_resource loaded = {.row = resource->row,
                                           .waiting_count = resource->waiting.count};
    struct picture *picture = display_drawn(display, &loaded, resource->catalogue);
    for (uint32_t i = 0; i < resource->pool_count; i++)
        draw_units(picture, i, &resource->pools[i]);
}
