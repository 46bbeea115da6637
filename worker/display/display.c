/*
 * Which resource is drawn when, what waits for a commit or for the cache, and what the cache has
 * acknowledged.
 */
#include "worker/display/display.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "worker/base/table.h"
#include "worker/inventory/inventory_state.h"

enum {
    HELD_BACK_MS = 5,     /* until what the cache had no room for is offered again */
    ACKNOWLEDGED_MS = 20, /* until the cache is asked for what it has acknowledged */
    LIGHT_POOLS = 2048,
    LIGHT_SEATS = 65536 /* a resource with fewer counts once */
};

/* Where a resource is on its way to the cache; it is in the list of its place. */
enum place {
    IDLE = 0,  /* in no list: nothing is to be put */
    READY,     /* has changes to be put … */
    UNSETTLED, /* … of which the last one is not known to be committed */
    DRAWN,     /* under way: waits for its batch's commit, in the order of these … */
    WAITING,   /* … for the cache to take it … */
    SENT,      /* … and for its acknowledgement, in the order in which it was taken */
    THROTTLED, /* was put a short while ago */
    PLACES
};

/* One resource of which something was put, or is to be. */
struct shown {
    struct table_node node; /* by number */
    int64_t no;
    enum place place;
    struct list_node placed;
    struct display_change dirty; /* listed: has changes that were not drawn, or only in `last` */
    struct display_change under_way; /* listed: was drawn, and not yet acknowledged */
    struct display_update *update;   /* that, until the cache has taken it; NULL */
    struct display_update *last;     /* of an evicted one: drawn when it went, and next to be put */
    uint64_t batch;                  /* whose commit `update` waits for */
    int64_t catalogue_rev;           /* as of which the catalogue was put */
    int64_t throttled_until_ms;
    bool whole;             /* nothing that was put counts: the next update is whole */
    bool evicted;           /* goes once its changes are acknowledged */
    bool renewed;           /* was loaded only to be put again */
    uint32_t weight;        /* of an evicted one: how many ordinary ones have its memory */
    uint32_t waits, renews; /* of it in display.evicted_count and .renewed_count */
};

struct display {
    int32_t partition, epoch;
    uint64_t ownership; /* unique in this process; epochs go back if PostgreSQL is restored */
    struct inventory *inventory;
    struct table by_no;
    struct list places[PLACES];
    uint32_t throttled_dirty;
    struct shown *offered; /* of those waiting the one that the cache is offered; NULL */
    bool ready_is_next;
    size_t ahead_bytes; /* of those drawn and waiting */
    struct display_changes changes;
    int64_t sealed_seq;
    bool flushing; /* nothing rests any more */
    bool suspended;
    bool held_back;
    uint32_t evicted_count, renewed_count;
};

static _Atomic uint64_t ownerships; /* of this process so far */

/* ==== The resources that are shown ==== */

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
    shown->whole = true;
    table_add(&display->by_no, &shown->node, table_hash_number((uint64_t)no));
    return shown;
}

static uint32_t weight_of(const struct catalogue *catalogue)
{
    return 1 + catalogue->pool_count / LIGHT_POOLS + catalogue->seat_count / LIGHT_SEATS;
}

/* Counts it while it was loaded to be put, or is only here to be. To be called after every change
 * of that. */
static void weigh(struct display *display, struct shown *shown)
{
    bool waits = shown->evicted && !shown->renewed && (shown->update || shown->last);
    uint32_t weighs = waits ? shown->weight : 0, renews = shown->renewed ? shown->weight : 0;
    display->evicted_count += weighs - shown->waits;
    display->renewed_count += renews - shown->renews;
    shown->waits = weighs;
    shown->renews = renews;
}

static void free_last(struct shown *shown)
{
    display_update_free(shown->last);
    shown->last = NULL;
}

/* It is in memory again, and changed there: that is drawn in place of what was drawn before. */
static void come_back(struct display *display, struct shown *shown)
{
    free_last(shown);
    shown->evicted = shown->renewed = false;
    shown->whole = true;
    weigh(display, shown);
}

/* ---- their places ---- */

static struct shown *oldest(const struct display *display, enum place place)
{
    struct list_node *node = display->places[place].oldest;
    return node ? ENTRY_OF(node, struct shown, placed) : NULL;
}

static void move(struct display *display, struct shown *shown, enum place place)
{
    if (shown->place == THROTTLED && shown->dirty.listed)
        display->throttled_dirty--;
    if (shown->place != IDLE)
        list_remove(&display->places[shown->place], &shown->placed);
    if (place != IDLE)
        list_add(&display->places[place], &shown->placed);
    if (place == THROTTLED && shown->dirty.listed)
        display->throttled_dirty++;
    shown->place = place;
}

static void shown_close(struct display *display, struct shown *shown)
{
    assert(!shown->dirty.listed && !shown->under_way.listed && shown->place == IDLE);
    come_back(display, shown);
    table_remove(&display->by_no, &shown->node);
    free(shown);
}

/* Neither is anything of it under way nor does it rest: it is put, or waits, or is closed. */
static void settle(struct display *display, struct shown *shown)
{
    assert(!shown->under_way.listed);
    move(display, shown, shown->dirty.listed ? READY : IDLE);
    if (shown->place == IDLE && shown->evicted)
        shown_close(display, shown);
}

static void mark_dirty(struct display *display, struct shown *shown, int64_t seq)
{
    if (shown->dirty.listed)
        return;
    changes_add(&display->changes, &shown->dirty, seq);
    if (shown->place == THROTTLED)
        display->throttled_dirty++;
    if (shown->place == IDLE)
        settle(display, shown);
}

/* ---- their updates ---- */

static struct display_update *take_snapshot(struct display *display, struct shown *shown,
                                            struct resource *resource)
{
    int64_t from = shown->whole ? 0 : resource->snapshot_rev;
    if (from == 0)
        shown->catalogue_rev = resource->row.rev;
    shown->whole = false;
    return display_update_snapshot(resource, display->partition, display->epoch, from,
                                   shown->catalogue_rev);
}

static int64_t throttle_ms(const struct display *display)
{
    uint32_t count = 0;
    for (enum place place = READY; place < PLACES; place++)
        count += display->places[place].count;
    int64_t ms = count / DISPLAY_PUTS_PER_MS;
    return ms < DISPLAY_INTERVAL_MS       ? DISPLAY_INTERVAL_MS
           : ms > DISPLAY_INTERVAL_MAX_MS ? DISPLAY_INTERVAL_MAX_MS
                                          : ms;
}

/* What was drawn of it is under way from now on: DRAWN or WAITING. */
static void dispatch(struct display *display, struct shown *shown, struct display_update *update,
                     enum place place)
{
    shown->update = update;
    display->ahead_bytes += update->size;
    changes_replace(&display->changes, &shown->dirty, &shown->under_way);
    weigh(display, shown);
    move(display, shown, place);
}

/* Its update is no longer the display's, or is freed next; NULL: it was not any more. */
static struct display_update *give_update(struct display *display, struct shown *shown)
{
    struct display_update *update = shown->update;
    if (display->offered == shown)
        display->offered = NULL;
    display->ahead_bytes -= update ? update->size : 0;
    shown->update = NULL;
    weigh(display, shown);
    return update;
}

/* What was under way was not put after all, and it is put whole: its change is as old as it was. */
static void take_back(struct display *display, struct shown *shown)
{
    display_update_free(give_update(display, shown));
    if (shown->dirty.listed)
        changes_remove(&display->changes, &shown->dirty);
    changes_replace(&display->changes, &shown->under_way, &shown->dirty);
    shown->whole = true;
}

/* Forgets it, and that it changed. */
static void drop(struct display *display, struct shown *shown)
{
    display_update_free(give_update(display, shown));
    move(display, shown, IDLE);
    if (shown->under_way.listed)
        changes_remove(&display->changes, &shown->under_way);
    if (shown->dirty.listed)
        changes_remove(&display->changes, &shown->dirty);
    shown_close(display, shown);
}

void display_reset(struct display *display, struct inventory *inventory, int32_t epoch, int64_t seq)
{
    for (struct table_node *node = table_each(&display->by_no, NULL), *next; node; node = next) {
        next = table_each(&display->by_no, node);
        drop(display, ENTRY_OF(node, struct shown, node));
    }
    assert(display->changes.list.count == 0 && display->ahead_bytes == 0);
    assert(display->evicted_count == 0 && display->renewed_count == 0);
    display->changes.committed_seq = display->sealed_seq = seq;
    display->flushing = display->held_back = false;
    display->suspended = true;
    display->inventory = inventory;
    display->epoch = epoch;
    display->ownership = ++ownerships;
}

void display_close(struct display *display)
{
    if (display) {
        display_reset(display, NULL, 0, 0);
        table_deinit(&display->by_no);
        free(display);
    }
}

/* ==== Batches ==== */

static void wake(struct display *display, int64_t now_ms)
{
    struct shown *shown;
    while ((shown = oldest(display, THROTTLED)) &&
           (display->flushing || shown->throttled_until_ms <= now_ms))
        settle(display, shown);
}

static struct shown *change(struct display *display, int64_t no, int64_t seq)
{
    struct shown *shown = shown_find(display, no);
    if (!shown)
        shown = shown_open(display, no);
    if (shown->evicted)
        come_back(display, shown);
    mark_dirty(display, shown, seq);
    return shown;
}

/* Draws it where it neither rests nor has an update under way: else it is drawn later. */
static void snapshot_sealed(struct display *display, int64_t no, const struct batch *batch)
{
    struct shown *shown = shown_find(display, no);
    if (shown->place != READY && shown->place != UNSETTLED)
        return;
    shown->batch = batch->number;
    dispatch(display, shown, take_snapshot(display, shown, inventory_peek(display->inventory, no)),
             DRAWN);
}

static bool may_snapshot(const struct display *display, uint32_t ahead)
{
    return !display->suspended &&
           display->places[DRAWN].count + display->places[WAITING].count < ahead &&
           display->ahead_bytes < DISPLAY_AHEAD_BYTES_MAX;
}

/* Within a batch the revs are in no order: all its changes count from its first seq on. */
void display_seal(struct display *display, const struct batch *batch, int64_t now_ms,
                  uint32_t ahead)
{
    int64_t seq = batch->expected_next_seq;
    assert(seq > display->sealed_seq);
    display->sealed_seq = batch->next_seq - 1;
    wake(display, now_ms);
    for (uint32_t i = 0; i < batch->resource_count; i++)
        change(display, batch->resources[i].no, seq)->whole = true;
    for (uint32_t i = 0; i < batch->resource_mark_count; i++)
        (void)change(display, batch->resource_marks[i].no, seq);
    for (uint32_t i = 0; i < batch->resource_count && may_snapshot(display, ahead); i++)
        snapshot_sealed(display, batch->resources[i].no, batch);
    for (uint32_t i = 0; i < batch->resource_mark_count && may_snapshot(display, ahead); i++)
        snapshot_sealed(display, batch->resource_marks[i].no, batch);
}

void display_committed(struct display *display, const struct batch *batch)
{
    struct shown *shown;
    assert(batch->next_seq > display->changes.committed_seq);
    display->changes.committed_seq = batch->next_seq - 1;
    while ((shown = oldest(display, DRAWN)) && shown->batch <= batch->number)
        move(display, shown, WAITING);
    while ((shown = oldest(display, UNSETTLED)))
        move(display, shown, READY);
}

/* ==== Evictions ==== */

void display_evict(struct display *display, struct resource *resource)
{
    struct shown *shown = shown_find(display, resource->row.no);
    if (!shown || shown->evicted)
        return; /* what was drawn of it before is as it is still */
    if (display->suspended) {
        drop(display, shown);
        return;
    }
    shown->evicted = true;
    shown->weight = weight_of(resource->catalogue);
    if (shown->dirty.listed)
        shown->last = take_snapshot(display, shown, resource);
    weigh(display, shown);
    if (shown->place == IDLE)
        settle(display, shown);
}

uint32_t display_evicted_count(const struct display *display)
{
    return display->evicted_count;
}

void display_drop_evicted(struct display *display)
{
    for (struct table_node *node = table_each(&display->by_no, NULL), *next; node; node = next) {
        next = table_each(&display->by_no, node);
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        if (shown->evicted && !shown->renewed && shown->place != SENT)
            drop(display, shown);
    }
}

/* ==== What is put ==== */

/* NULL: what memory has of it is not known to be committed. */
static struct display_update *snapshot_settled(struct display *display, struct shown *shown)
{
    struct display_update *update = shown->last;
    shown->last = NULL;
    if (update)
        return update;
    struct resource *resource = inventory_peek(display->inventory, shown->no);
    assert(resource && !shown->evicted);
    return inventory_is_settled(display->inventory, resource)
               ? take_snapshot(display, shown, resource)
               : NULL;
}

/* Draws the one that is ready longest; NULL: none can be. */
static struct shown *snapshot_ready(struct display *display)
{
    struct shown *shown;
    while ((shown = oldest(display, READY))) {
        struct display_update *update = snapshot_settled(display, shown);
        if (update) {
            dispatch(display, shown, update, WAITING);
            return shown;
        }
        move(display, shown, UNSETTLED);
    }
    return NULL;
}

/* In turn one that was drawn ahead and one that is ready: of neither there may be no end. */
static struct shown *choose(struct display *display)
{
    struct shown *shown = NULL;
    if (display->ready_is_next || display->places[WAITING].count == 0)
        shown = snapshot_ready(display);
    display->ready_is_next = !shown;
    return shown ? shown : oldest(display, WAITING);
}

struct display_update *display_next(struct display *display, int64_t now_ms)
{
    if (display->suspended)
        return NULL;
    wake(display, now_ms);
    if (!display->offered)
        display->offered = choose(display);
    struct shown *shown = display->offered;
    if (!shown)
        return NULL;
    shown->update->ownership = display->ownership;
    shown->update->shown_ms = now_ms;
    shown->throttled_until_ms = now_ms + throttle_ms(display);
    return shown->update;
}

void display_taken(struct display *display)
{
    struct shown *shown = display->offered;
    assert(shown && shown->place == WAITING);
    (void)give_update(display, shown);
    move(display, shown, SENT);
    display->held_back = false;
}

void display_held_back(struct display *display)
{
    display->held_back = true;
}

/* ---- what becomes of it ---- */

bool display_acknowledge(struct display *display, const struct display_update *update)
{
    if (update->ownership != display->ownership)
        return true;
    struct shown *shown = oldest(display, SENT);
    assert(shown && shown->no == update->resource_no);
    if (update->gap && shown->evicted) {
        drop(display, shown);
        return false;
    }
    if (update->gap)
        take_back(display, shown);
    else
        changes_remove(&display->changes, &shown->under_way);
    if (shown->evicted && !shown->dirty.listed)
        settle(display, shown); /* it need not rest */
    else
        move(display, shown, THROTTLED);
    return true;
}

void display_suspend(struct display *display)
{
    display->held_back = false;
    display->suspended = true;
    for (struct table_node *node = table_each(&display->by_no, NULL), *next; node; node = next) {
        next = table_each(&display->by_no, node);
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        shown->whole = true;
        if (shown->evicted) {
            drop(display, shown);
        } else if (shown->under_way.listed) {
            take_back(display, shown);
            move(display, shown, THROTTLED);
        }
    }
}

void display_resume(struct display *display)
{
    display->suspended = false;
}

/* ---- what is put once more ---- */

/* One that was evicted is under way, or will be. */
bool display_renew(struct display *display, int64_t resource_no)
{
    struct shown *shown = shown_find(display, resource_no);
    if (shown && shown->evicted)
        return true;
    if (!inventory_peek(display->inventory, resource_no)) {
        assert(!shown);
        return false;
    }
    if (!shown)
        shown = shown_open(display, resource_no);
    if (shown->whole) /* it was not put in this session of the cache */
        mark_dirty(display, shown, display->sealed_seq);
    return true;
}

/* A batch that is being committed may have loaded it meanwhile. */
bool display_renew_loaded(struct display *display, const struct loaded_resource *loaded)
{
    if (display_renew(display, loaded->row.no))
        return true;
    struct display_update *update =
        display_update_snapshot_loaded(loaded, display->partition, display->epoch);
    if (!update)
        return false;
    struct shown *shown = shown_open(display, loaded->row.no);
    shown->evicted = shown->renewed = true;
    shown->weight = weight_of(update->catalogue);
    shown->last = update;
    weigh(display, shown);
    mark_dirty(display, shown, display->sealed_seq);
    return true;
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

void display_flush(struct display *display)
{
    display->flushing = true;
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
    if (display->held_back && display->places[WAITING].count > 0)
        return HELD_BACK_MS;
    if (display->places[WAITING].count > 0 || display->places[READY].count > 0 ||
        (display->throttled_dirty > 0 && display->flushing))
        return 0;
    if (display->places[SENT].count > 0)
        wait_ms = ACKNOWLEDGED_MS;
    if (display->throttled_dirty > 0) {
        int64_t rest = oldest(display, THROTTLED)->throttled_until_ms - now_ms;
        wait_ms = earlier(wait_ms, rest > 0 ? rest : 0);
    }
    return wait_ms;
}
