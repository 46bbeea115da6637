/*
 * The pictures of one partition, and which of them is to be put next. A picture rests for a while
 * after it was put, so that a hot resource is put once for many batches. All rest about equally
 * long, so two queues keep the order without any search; where many change at once, all rest longer
 * (a put costs as much as a booking), and one whose time is up waits for those that rest before it.
 */
#include "worker/display/display.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/base/list.h"
#include "worker/base/table.h"
#include "worker/display/display_picture.h"

enum {
    HELD_BACK_MS = 5 /* until what the cache had no room for is offered again */
};

enum place {
    IDLE = 0, /* nothing to put, and put long enough ago */
    RESTING,  /* put a short while ago */
    READY,    /* has changes to be put */
};

struct shown {
    struct table_node node; /* by number */
    int64_t no;
    struct picture picture;
    struct list_node queued; /* in the list of its place */
    enum place place;
    bool dirty;        /* has changes that were not put */
    bool awaits_draw;  /* its catalogue changed: the picture is no longer true */
    bool forgotten;    /* goes once its changes are put */
    int64_t put_rev;   /* what the cache was given last; 0: nothing */
    uint64_t put_base; /* counts only if it is display.base */
    int64_t rests_until_ms;
};

struct display {
    int32_t partition, epoch;
    struct table by_no;
    struct list ready, resting;
    uint32_t resting_dirty;
    bool hastened;       /* nothing rests any more */
    uint64_t generation; /* the cache's, as last heard */
    uint64_t base;       /* grows with it: what was put before is not built upon */
    struct display_update *held_back;
};

static struct shown *oldest(const struct list *list)
{
    return list->oldest == NULL ? NULL : ENTRY_OF(list->oldest, struct shown, queued);
}

/* ---- the set of pictures ---- */

struct display *display_open(int32_t partition)
{
    struct display *display = calloc(1, sizeof *display);
    assert(display != NULL);
    display->partition = partition;
    return display;
}

static struct shown *shown_find(const struct display *display, int64_t no)
{
    uint64_t hash = table_hash_number((uint64_t)no);
    for (struct table_node *node = table_find(&display->by_no, hash); node != NULL;
         node = table_find_next(node)) {
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        if (shown->no == no)
            return shown;
    }
    return NULL;
}

static struct shown *shown_open(struct display *display, int64_t no)
{
    struct shown *shown = calloc(1, sizeof *shown);
    assert(shown != NULL);
    shown->no = no;
    table_add(&display->by_no, &shown->node, table_hash_number((uint64_t)no));
    return shown;
}

static void shown_close(struct display *display, struct shown *shown)
{
    table_remove(&display->by_no, &shown->node);
    picture_deinit(&shown->picture);
    free(shown);
}

void display_reset(struct display *display, int32_t epoch)
{
    struct table_node *node = table_each(&display->by_no, NULL);
    while (node != NULL) {
        struct table_node *next = table_each(&display->by_no, node);
        shown_close(display, ENTRY_OF(node, struct shown, node));
        node = next;
    }
    display_update_free(display->held_back);
    display->held_back = NULL;
    display->ready = display->resting = (struct list){0};
    display->resting_dirty = 0;
    display->hastened = false;
    display->epoch = epoch;
}

void display_close(struct display *display)
{
    if (display != NULL) {
        display_reset(display, 0);
        table_deinit(&display->by_no);
        free(display);
    }
}

/* ---- what changes ---- */

static void mark_dirty(struct display *display, struct shown *shown)
{
    if (shown->dirty)
        return;
    shown->dirty = true;
    if (shown->place == RESTING) {
        display->resting_dirty++;
    } else if (shown->place == IDLE) {
        shown->place = READY;
        list_add(&display->ready, &shown->queued);
    }
}

void display_load(struct display *display, const struct loaded_resource *loaded)
{
    struct shown *shown = shown_find(display, loaded->row.no);
    if (shown == NULL) {
        shown = shown_open(display, loaded->row.no);
        picture_init(&shown->picture, loaded);
        return;
    }
    assert(!shown->forgotten || shown->picture.rev == loaded->row.rev);
    shown->forgotten = false;
}

struct picture *display_drawn(struct display *display, const struct loaded_resource *loaded)
{
    struct shown *shown = shown_find(display, loaded->row.no);
    if (shown == NULL)
        shown = shown_open(display, loaded->row.no);
    else
        picture_deinit(&shown->picture);
    picture_init(&shown->picture, loaded);
    shown->put_rev = 0;
    shown->awaits_draw = false;
    shown->forgotten = false;
    mark_dirty(display, shown);
    return &shown->picture;
}

static void await_draws(struct display *display, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->resource_change_count; i++) {
        if (batch->resource_changes[i].redraw) {
            struct shown *shown = shown_find(display, batch->resource_changes[i].resource_no);
            if (shown != NULL)
                shown->awaits_draw = true;
        }
    }
}

/* Units of a resource that is drawn anew are left out: its picture may have another shape. */
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
        if (shown != NULL && !shown->awaits_draw)
            picture_move(&shown->picture, change);
    }
}

void display_apply(struct display *display, const struct batch *batch)
{
    await_draws(display, batch);
    move_units(display, batch);
    for (uint32_t i = 0; i < batch->resource_change_count; i++) {
        const struct resource_change *change = &batch->resource_changes[i];
        if (!change->redraw) {
            struct shown *shown = shown_find(display, change->resource_no);
            assert(shown != NULL && change->rev > shown->picture.rev);
            shown->picture.rev = change->rev;
            mark_dirty(display, shown);
        }
    }
}

void display_forget(struct display *display, int64_t resource_no)
{
    struct shown *shown = shown_find(display, resource_no);
    if (shown == NULL)
        return;
    if (shown->place == IDLE)
        shown_close(display, shown);
    else
        shown->forgotten = true;
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

/* Those that have rested become ready, if they changed meanwhile. */
static void wake(struct display *display, int64_t now_ms)
{
    struct shown *shown;
    while ((shown = oldest(&display->resting)) != NULL && !rests(display, shown, now_ms)) {
        list_remove(&display->resting, &shown->queued);
        shown->place = IDLE;
        if (shown->dirty) {
            display->resting_dirty--;
            shown->place = READY;
            list_add(&display->ready, &shown->queued);
        } else if (shown->forgotten) {
            shown_close(display, shown);
        }
    }
}

static struct display_update *put(struct display *display, struct shown *shown, int64_t now_ms)
{
    assert(!shown->awaits_draw && shown->dirty);
    bool whole = shown->put_rev == 0 || shown->put_base != display->base;
    struct display_update *update =
        whole ? update_whole(&shown->picture, display->partition, display->epoch, now_ms)
              : update_change(&shown->picture, display->partition, display->epoch, shown->put_rev,
                              now_ms);
    picture_settle(&shown->picture);
    shown->dirty = false;
    shown->put_rev = shown->picture.rev;
    shown->put_base = display->base;
    if (shown->forgotten) {
        shown_close(display, shown);
        return update;
    }
    shown->rests_until_ms = now_ms + rest_ms(display);
    shown->place = RESTING;
    list_add(&display->resting, &shown->queued);
    return update;
}

struct display_update *display_next(struct display *display, uint64_t generation, int64_t now_ms)
{
    if (generation != display->generation) {
        display->generation = generation;
        display->base++;
    }
    wake(display, now_ms);
    if (display->held_back != NULL) {
        struct display_update *update = display->held_back;
        display->held_back = NULL;
        return update;
    }
    struct shown *shown = oldest(&display->ready);
    if (shown == NULL)
        return NULL;
    list_remove(&display->ready, &shown->queued);
    return put(display, shown, now_ms);
}

void display_put_back(struct display *display, struct display_update *update)
{
    assert(display->held_back == NULL);
    display->held_back = update;
}

void display_hasten(struct display *display)
{
    display->hastened = true;
}

int64_t display_wait_ms(const struct display *display, int64_t now_ms)
{
    if (display->held_back != NULL)
        return HELD_BACK_MS;
    if (display->ready.count > 0)
        return 0;
    if (display->resting_dirty == 0)
        return -1;
    if (display->hastened)
        return 0;
    int64_t wait = oldest(&display->resting)->rests_until_ms - now_ms;
    return wait > 0 ? wait : 0;
}
