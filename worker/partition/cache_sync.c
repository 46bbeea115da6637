/* Puts changes into the cache, and resyncs it after a loss. */
#include "worker/partition/cache_sync.h"

#include <assert.h>
#include <inttypes.h>

#include "producer/base/clock.h"
#include "worker/model/rows.h"

enum {
    AHEAD_MAX = 128,       /* resources loaded and not yet acknowledged */
    AHEAD_TIGHT = 8,       /* if memory is tight */
    EVICTED_MAX = 32,      /* then, resources that only wait to be put: more are put again later */
    LOAD_QUICK_US = 2000,  /* quicker than this: twice as many resources next time */
    LOAD_SLOW_US = 5000,   /* slower: half as many */
    PAGE_QUICK_US = 10000, /* quicker than this: bounds twice as large next time */
    PAGE_SLOW_US = 40000,  /* slower: half as large */
    HALVINGS_FIRST = 5,    /* of a load's bounds: so much of a large resource is read quickly */
    HALVINGS_MAX = 10,     /* then the bounds are as small as they become */
    BUSY_FACTOR = 24,      /* during a sale it pauses this many times longer than it works */
    BUSY_PUT_US = 5000,    /* and puts no more than one in this time: a whole one costs as much as
                              ten bookings */
    BUSY_BURST_US = 50000, /* but makes up for this much after a turn that took long */
    BUSY_AHEAD = 4,        /* … so no more of them are drawn ahead */
    RETRY_US = 1000 * 1000 /* after the record failed */
};

void cache_sync_init(struct cache_sync *sync, int32_t partition, const struct record_port *record,
                     const struct cache_port *cache, struct display *display,
                     const struct log_context *log)
{
    sync->partition = partition;
    sync->record = record;
    sync->cache = cache;
    sync->display = display;
    sync->log = log;
}

void cache_sync_deinit(struct cache_sync *sync)
{
    usher_arena_deinit(&sync->arena);
}

void cache_sync_acquired(struct cache_sync *sync, struct inventory *inventory, int32_t epoch,
                         int64_t decided_seq)
{
    sync->floor_seq = cache_sync_position(sync);
    display_reset(sync->display, inventory, epoch, decided_seq);
    sync->epoch = epoch;
    sync->state = CACHE_AWAY;
    sync->again_seq = 0;
    sync->result = (struct load_result){0}; /* its remaining pages were read by a lost connection */
}

void cache_sync_rewound(struct cache_sync *sync, struct inventory *inventory, int64_t decided_seq)
{
    bool was_away = sync->state == CACHE_AWAY;
    cache_sync_acquired(sync, inventory, sync->epoch, decided_seq);
    if (was_away)
        return;
    assert(sync->floor_seq <= decided_seq);
    sync->again_seq = sync->floor_seq < decided_seq ? sync->floor_seq + 1 : 0;
    sync->state = CACHE_FOLLOWING;
    display_resume(sync->display);
}

void cache_sync_sealed(struct cache_sync *sync, const struct batch *batch, int64_t now_ms)
{
    bool is_paced = sync->state == CACHE_RESYNCING;
    display_seal(sync->display, batch, now_ms, is_paced ? BUSY_AHEAD : DISPLAY_AHEAD_MAX);
}

static void check_sync(const struct cache_sync *sync)
{
    assert(sync->page_next <= sync->page_count && sync->again_seq >= 0);
    assert(sync->state == CACHE_RESYNCING || !load_has_more(&sync->result));
}

/* ---- sessions of the cache ---- */

static void lose_session(struct cache_sync *sync, uint64_t session)
{
    sync->floor_seq = cache_sync_position(sync);
    sync->session = session;
    sync->state = CACHE_AWAY;
    sync->result = (struct load_result){0}; /* the memory that it waits for is for others now */
    display_suspend(sync->display);
}

/*
 * Changes behind the position are to be put from the database, by another resync once the one under
 * way is done: the watermark says nothing yet about resources that this one has to put.
 */
static void put_again(struct cache_sync *sync, int64_t position)
{
    if (sync->again_seq == 0 || position < sync->again_seq)
        sync->again_seq = position + 1;
}

static void acknowledge(struct cache_sync *sync, struct display_update *done)
{
    while (done) {
        struct display_update *next = done->next;
        int64_t position = cache_sync_position(sync);
        if (!display_acknowledge(sync->display, done))
            put_again(sync, position);
        display_update_free(done);
        done = next;
    }
}

/* A position beyond the last decision is from before the database was restored: it is no use. */
static void begin_resync(struct cache_sync *sync, int64_t stored_seq,
                         const struct cache_moment *moment)
{
    assert(sync->state != CACHE_RESYNCING && !load_has_more(&sync->result));
    bool usable = stored_seq > 0 && stored_seq <= moment->decided_seq;
    sync->floor_seq = usable ? stored_seq : 0;
    sync->full = !usable || moment->decided_seq - stored_seq > CACHE_SYNC_PARTIAL_MAX;
    sync->after = sync->full ? row_number(sync->partition, 0) : stored_seq;
    sync->target_seq = moment->decided_seq;
    sync->listed = !sync->full && stored_seq == moment->decided_seq;
    sync->until_seq = -1;
    sync->again_seq = 0;
    sync->page_count = sync->page_next = 0;
    sync->list_count = CACHE_SYNC_PAGE;
    sync->load_count = 1;
    sync->halvings = HALVINGS_FIRST;
    sync->result = (struct load_result){0};
    sync->next_us = sync->next_put_us = 0;
    sync->began_us = moment->monotonic_us;
    sync->loaded_count = 0;
    sync->state = CACHE_RESYNCING;
    display_resume(sync->display);
    if (stored_seq > moment->decided_seq)
        log_warning(sync->log,
                    "Redis is ahead of PostgreSQL, at seq %" PRId64 " instead of %" PRId64
                    ", as after PostgreSQL was restored: run usher-worker rebuild-cache",
                    stored_seq, moment->decided_seq);
    else if (sync->full && moment->decided_seq > 0)
        log_info(sync->log, "writing all resources to the cache, which was at seq %" PRId64,
                 stored_seq);
}

/* ---- resync ---- */

/* Reads the next page of resources that the cache may lack. */
static enum usher_status list(struct cache_sync *sync, struct usher_error *err)
{
    const struct record_port *record = sync->record;
    assert(!sync->listed && sync->page_next == sync->page_count);
    assert(sync->full || sync->after < sync->target_seq);
    int64_t left = sync->target_seq - sync->after;
    uint32_t most = sync->list_count;
    uint32_t limit = !sync->full && left < most ? (uint32_t)left : most;
    sync->page_next = sync->page_count = 0;
    enum usher_status status = sync->full ? record->resources(record->self, sync->after, limit,
                                                              sync->page, &sync->page_count, err)
                                          : record->changed(record->self, sync->after, limit,
                                                            sync->page, &sync->page_count, err);
    if (status != USHER_OK)
        return status;
    sync->list_count = most < CACHE_SYNC_PAGE / 2 ? 2 * most : CACHE_SYNC_PAGE;
    if (sync->full) {
        sync->listed = sync->page_count < limit;
        sync->after = sync->page_count > 0 ? sync->page[sync->page_count - 1].no : sync->after;
    } else {
        sync->after += limit;
        assert(sync->after <= sync->target_seq);
        sync->listed = sync->after == sync->target_seq;
    }
    return USHER_OK;
}

/*
 * Takes those of the page that the display does not know, and notes their places in the page. It
 * puts the others from memory.
 */
static uint32_t take_unknown(struct cache_sync *sync)
{
    uint32_t count = 0;
    assert(sync->load_count <= CACHE_SYNC_LOAD_MAX);
    while (sync->page_next < sync->page_count && count < sync->load_count) {
        const struct resource_rev *resource = &sync->page[sync->page_next++];
        if (resource->rev > sync->floor_seq && !display_renew(sync->display, resource->no)) {
            sync->places[count] = sync->page_next - 1;
            sync->nos[count++] = resource->no;
        }
    }
    return count;
}

static enum usher_status begin_load(struct cache_sync *sync, struct usher_error *err)
{
    assert(!load_has_more(&sync->result));
    sync->loads_from = sync->page_next;
    sync->request = (struct load_request){.resource_nos = sync->nos,
                                          .resource_no_count = take_unknown(sync),
                                          .halvings = sync->halvings};
    if (sync->request.resource_no_count == 0)
        return USHER_OK;
    usher_arena_reset(&sync->arena);
    return sync->record->load(sync->record->self, &sync->request, &sync->arena, &sync->result, err);
}

/*
 * Reads another page. Between two of them it may have been decided about the resource: then its
 * pages do not fit together, unless the display has it from memory.
 */
static enum usher_status load_more(struct cache_sync *sync, bool *fits, struct usher_error *err)
{
    struct resource_rev now = {0};
    uint32_t count = 0;
    const struct record_port *record = sync->record;
    sync->request.halvings = sync->halvings;
    enum usher_status status =
        record->load_more(record->self, &sync->request, &sync->arena, &sync->result, err);
    if (status != USHER_OK || load_has_more(&sync->result))
        return status;
    const struct resource_row *row = &sync->result.resources[0].row;
    status = record->resources(record->self, row->no - 1, 1, &now, &count, err);
    *fits = now.no == row->no && now.rev == row->rev;
    return status;
}

static void take_in(struct cache_sync *sync)
{
    const struct load_result *result = &sync->result;
    for (uint32_t i = 0; i < result->resource_count; i++)
        if (!display_renew_loaded(sync->display, &result->resources[i]))
            log_error(sync->log,
                      "could not show resource \"%s\": its pools, counters, chart and allocations "
                      "do not fit together",
                      result->resources[i].row.id);
    sync->loaded_count += result->resource_count;
    assert(sync->loads_from <= sync->page_next);
    if (result->resources_served < sync->request.resource_no_count)
        sync->page_next = sync->places[result->resources_served]; /* from there on again */
}

static enum usher_status load(struct cache_sync *sync, struct usher_error *err)
{
    bool fits = true;
    enum usher_status status =
        load_has_more(&sync->result) ? load_more(sync, &fits, err) : begin_load(sync, err);
    if (status == USHER_OK && load_has_more(&sync->result))
        return USHER_OK;
    if (status == USHER_OK && fits)
        take_in(sync);
    else
        sync->page_next = sync->loads_from; /* try those again */
    sync->result = (struct load_result){0};
    return status;
}

static void adapt(struct cache_sync *sync, int64_t took_us)
{
    if (took_us < LOAD_QUICK_US && sync->load_count < CACHE_SYNC_LOAD_MAX)
        sync->load_count *= 2;
    else if (took_us > LOAD_SLOW_US && sync->load_count > 1)
        sync->load_count /= 2;
    if (took_us < PAGE_QUICK_US && sync->halvings > 0)
        sync->halvings--;
    else if (took_us > PAGE_SLOW_US && sync->halvings < HALVINGS_MAX)
        sync->halvings++;
    assert(sync->load_count >= 1 && sync->load_count <= CACHE_SYNC_LOAD_MAX);
    assert(sync->list_count >= 1 && sync->list_count <= CACHE_SYNC_PAGE);
    assert(sync->halvings <= HALVINGS_MAX);
}

/* Whether there is something to load. Else, if there is more, it is yet to be listed. */
static bool has_listed(const struct cache_sync *sync)
{
    return load_has_more(&sync->result) || sync->page_next < sync->page_count;
}

static bool has_more(const struct cache_sync *sync)
{
    return !sync->listed || has_listed(sync);
}

static bool has_room(const struct cache_sync *sync, const struct cache_moment *moment)
{
    return display_renewed_count(sync->display) < (moment->tight ? AHEAD_TIGHT : AHEAD_MAX);
}

/*
 * Whether there is something to read: another page of the load under way, or a resource that there
 * is room for. The load has its memory, and is not to keep it for as long as the cache takes
 * nothing.
 */
static bool may_read(const struct cache_sync *sync, const struct cache_moment *moment)
{
    return has_more(sync) && moment->may_load &&
           (load_has_more(&sync->result) || has_room(sync, moment));
}

/* Moves the moment on by as long as it takes, for decisions wait meanwhile. */
static void resync_some(struct cache_sync *sync, struct cache_moment *moment)
{
    struct usher_error err = {0};
    int64_t began_us = clock_us();
    enum usher_status status = has_listed(sync) ? load(sync, &err) : list(sync, &err);
    int64_t took_us = clock_us() - began_us;
    moment->monotonic_us = began_us + took_us;
    if (status != USHER_OK) {
        log_failure(&sync->failure_log, sync->log, LOG_LEVEL_WARNING,
                    "could not read resources for the cache: %s", err.text);
        sync->list_count = sync->list_count > 1 ? sync->list_count / 2 : 1;
        sync->load_count = 1;
        sync->halvings = HALVINGS_MAX;
        sync->next_us = moment->monotonic_us + RETRY_US;
        return;
    }
    adapt(sync, took_us);
    sync->next_us = moment->monotonic_us + took_us * (moment->busy ? BUSY_FACTOR : 1);
}

/* Changes made while the pages were listed may have been missed: it waits for those, too. */
static void resync(struct cache_sync *sync, struct cache_moment *moment)
{
    assert(sync->state == CACHE_RESYNCING);
    if (may_read(sync, moment) && moment->monotonic_us >= sync->next_us)
        resync_some(sync, moment);
    if (has_more(sync))
        return;
    if (sync->until_seq < 0)
        sync->until_seq = moment->decided_seq;
    if (display_watermark(sync->display) < sync->until_seq)
        return;
    sync->state = CACHE_FOLLOWING;
    log_recovery(&sync->failure_log, sync->log, "the record can be read again");
    if (sync->full || sync->loaded_count > 0)
        log_info(sync->log,
                 "the cache is in sync: %" PRIu64 " resources were read for it in %" PRId64 " ms",
                 sync->loaded_count, (moment->monotonic_us - sync->began_us) / 1000);
}

/* ---- a turn ---- */

/* While it resyncs during a sale, the sale comes first. */
static bool is_paced(const struct cache_sync *sync, const struct cache_moment *moment)
{
    return sync->state == CACHE_RESYNCING && moment->busy;
}

static int64_t put_wait_us(const struct cache_sync *sync, const struct cache_moment *moment)
{
    int64_t wait_us = sync->next_put_us - moment->monotonic_us;
    return is_paced(sync, moment) && wait_us > 0 ? wait_us : 0;
}

/* After a turn that took long, some puts follow each other without a pause. */
static void note_put(struct cache_sync *sync, const struct cache_moment *moment)
{
    int64_t earliest_us = moment->monotonic_us - BUSY_BURST_US;
    if (!is_paced(sync, moment) || sync->next_put_us < earliest_us)
        sync->next_put_us = earliest_us;
    sync->next_put_us += BUSY_PUT_US;
}

static void put_due(struct cache_sync *sync, const struct cache_moment *moment)
{
    struct display_update *update;
    while (put_wait_us(sync, moment) == 0 &&
           (update = display_next(sync->display, moment->now_ms))) {
        assert(sync->state != CACHE_AWAY && update->epoch == sync->epoch);
        update->session = sync->session;
        note_put(sync, moment);
        if (!sync->cache->put(sync->cache->self, update)) {
            display_held_back(sync->display);
            return;
        }
        display_taken(sync->display);
    }
}

void cache_sync_turn(struct cache_sync *sync, struct cache_moment *moment)
{
    struct cache_news news;
    sync->cache->poll(sync->cache->self, sync->partition, sync->epoch, &news);
    if (news.session != sync->session)
        lose_session(sync, news.session);
    acknowledge(sync, news.done);
    if (sync->state == CACHE_AWAY && news.ready)
        begin_resync(sync, news.shown_seq, moment);
    if (moment->tight && display_evicted_count(sync->display) > EVICTED_MAX) {
        put_again(sync, cache_sync_position(sync));
        display_drop_evicted(sync->display);
    }
    if (sync->state == CACHE_FOLLOWING && sync->again_seq != 0)
        begin_resync(sync, sync->again_seq - 1, moment);
    if (sync->state == CACHE_RESYNCING)
        resync(sync, moment);
    put_due(sync, moment);
    check_sync(sync);
}

bool cache_sync_is_loading(const struct cache_sync *sync)
{
    return load_has_more(&sync->result);
}

int64_t cache_sync_wait_ms(const struct cache_sync *sync, const struct cache_moment *moment)
{
    int64_t wait_ms = display_wait_ms(sync->display, moment->now_ms);
    int64_t put_ms = (put_wait_us(sync, moment) + 999) / 1000;
    if (wait_ms >= 0 && wait_ms < put_ms)
        wait_ms = put_ms;
    if (sync->state != CACHE_RESYNCING || !may_read(sync, moment))
        return wait_ms;
    int64_t next_ms = (sync->next_us - moment->monotonic_us + 999) / 1000;
    next_ms = next_ms > 0 ? next_ms : 0;
    return wait_ms < 0 || next_ms < wait_ms ? next_ms : wait_ms;
}

/* ---- the position ---- */

int64_t cache_sync_position(const struct cache_sync *sync)
{
    if (sync->state != CACHE_FOLLOWING)
        return sync->floor_seq;
    int64_t watermark = display_watermark(sync->display);
    return sync->again_seq != 0 && sync->again_seq <= watermark ? sync->again_seq - 1 : watermark;
}

int64_t cache_sync_lag(const struct cache_sync *sync, int64_t decided_seq)
{
    return sync->session == 0 ? 0 : decided_seq - cache_sync_position(sync);
}

void cache_sync_set_beat(const struct cache_sync *sync, struct cache_beat *beat)
{
    beat->session = sync->state == CACHE_AWAY ? 0 : sync->session;
    beat->shown_seq = cache_sync_position(sync);
}
