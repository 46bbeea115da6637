/* A resync of the cache: how much it reads at once, and what it does when that fails. */
#include <string.h>

#include "naive_display.h"
#include "producer/base/clock.h"
#include "tests/unit/unit.h"
#include "worker/partition/cache_sync.h"

enum {
    SEQ = 100,          /* the last decision */
    HALLS = 60,         /* of a sale after it */
    PAUSE_US = 60000000 /* longer than any pause */
};

/* A record with one hall, and a cache that takes everything. */
struct house {
    struct naive *hall;
    uint32_t pages;        /* of the hall, behind the first one */
    uint32_t fails;        /* so many of the next loads fail */
    uint32_t loads, mores; /* calls */
    uint32_t halvings;     /* of the last load or page */
    bool changes;          /* the hall is another one after its last page, once */
    bool is_slow;          /* the cache takes nothing */
    bool is_silent;        /* the cache acknowledges nothing */
    int64_t shown_seq;     /* as the cache says */
    uint64_t put_nos;      /* a bit for each hall that was put */
    struct record_port record;
    struct cache_port cache;
    struct log_context log;
    struct naive_display *shown;
    struct cache_sync sync;
    struct cache_moment moment;
    struct display_update *put, **put_end; /* in the order of puts */
    uint64_t losses;                       /* of the cache */
    bool is_away;
};

/* ---- the record ---- */

static enum usher_status give(struct house *house, const struct load_request *request,
                              struct load_result *result, struct usher_error *err)
{
    house->halvings = request->halvings;
    result->cursor.claims = house->mores < house->pages;
    if (house->fails == 0)
        return USHER_OK;
    house->fails--;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "the load took too long");
    return USHER_RETRY;
}

/* Those of a sale: hall n was changed by the n-th decision. */
static int64_t rev_of(int64_t no)
{
    return SEQ + (no & 63);
}

static enum usher_status load(void *self, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    struct house *house = self;
    struct loaded_resource *hall = usher_arena_alloc(arena, sizeof *hall);
    *hall = naive_loaded(house->hall, arena);
    hall->row.no = request->resource_nos[0];
    hall->row.rev = hall->row.no == house->hall->no ? hall->row.rev : rev_of(hall->row.no);
    *result = (struct load_result){.resources = hall, .resource_count = 1, .resources_served = 1};
    house->loads++;
    house->mores = 0;
    return give(house, request, result, err);
}

static enum usher_status load_more(void *self, const struct load_request *request,
                                   struct usher_arena *arena, struct load_result *result,
                                   struct usher_error *err)
{
    struct house *house = self;
    (void)arena;
    house->mores++;
    return give(house, request, result, err);
}

static enum usher_status resources(void *self, int64_t after_no, uint32_t limit,
                                   struct resource_rev *revs, uint32_t *count,
                                   struct usher_error *err)
{
    struct house *house = self;
    (void)limit;
    (void)err;
    if (house->changes && house->mores > 0) {
        house->hall->rev++;
        house->changes = false;
    }
    *count = after_no < house->hall->no ? 1 : 0;
    *revs = (struct resource_rev){house->hall->no, house->hall->rev};
    if (house->shown_seq > 0) { /* those of a sale are listed as changed: this is the look at one */
        *count = 1;
        *revs = (struct resource_rev){after_no + 1, rev_of(after_no + 1)};
    }
    return USHER_OK;
}

static enum usher_status changed(void *self, int64_t after_seq, uint32_t limit,
                                 struct resource_rev *revs, uint32_t *count,
                                 struct usher_error *err)
{
    (void)self;
    (void)err;
    *count = 0;
    for (int64_t n = 1; n <= HALLS; n++)
        if (SEQ + n > after_seq && SEQ + n <= after_seq + limit)
            revs[(*count)++] = (struct resource_rev){row_number(NAIVE_PARTITION, n), SEQ + n};
    return USHER_OK;
}

/* ---- the cache ---- */

static bool put(void *self, struct display_update *update)
{
    struct house *house = self;
    if (house->is_slow)
        return false;
    house->put_nos |= UINT64_C(1) << (update->resource_no & 63);
    *house->put_end = update;
    house->put_end = &update->next;
    return true;
}

static void poll(void *self, int32_t partition, int32_t epoch, struct cache_news *news)
{
    struct house *house = self;
    (void)partition;
    (void)epoch;
    *news = (struct cache_news){
        .session = 1 + house->losses, .ready = !house->is_away, .shown_seq = house->shown_seq};
    if (house->shown_seq == 0 || house->is_silent)
        return; /* the tests look at what was put */
    news->done = house->put;
    house->put = NULL;
    house->put_end = &house->put;
}

/* ---- tests ---- */

static int open_house(void **state)
{
    static struct house house;
    house = (struct house){
        .record = {.self = &house,
                   .load = load,
                   .load_more = load_more,
                   .changed = changed,
                   .resources = resources},
        .cache = {.self = &house, .put = put, .poll = poll},
        .moment = {.now_ms = 1000, .decided_seq = SEQ, .may_load = true},
    };
    house.put_end = &house.put;
    house.hall = naive_open_hall();
    house.hall->no = row_number(NAIVE_PARTITION, 1);
    house.hall->rev = 1;
    house.shown = naive_display_open_at(SEQ);
    cache_sync_init(&house.sync, NAIVE_PARTITION, &house.record, &house.cache, house.shown->display,
                    &house.log);
    cache_sync_acquired(&house.sync, house.shown->inventory, NAIVE_EPOCH, SEQ);
    *state = &house;
    return 0;
}

static int close_house(void **state)
{
    struct house *house = *state;
    for (struct display_update *update; (update = house->put);) {
        house->put = update->next;
        display_update_free(update);
    }
    cache_sync_deinit(&house->sync);
    naive_display_close(house->shown);
    naive_close(house->hall);
    return 0;
}

/* One turn, after any pause. */
static void turn(struct house *house)
{
    uint32_t before = house->loads + house->mores;
    house->moment.monotonic_us = clock_us() + PAUSE_US;
    cache_sync_turn(&house->sync, &house->moment);
    assert_true(house->loads + house->mores <= before + 1);
}

/* Turns until the hall is put, and returns how often. */
static uint32_t turn_until_put(struct house *house)
{
    uint32_t turns = 0;
    while (!house->put) {
        turn(house);
        assert_true(turns++ < 100);
    }
    return turns;
}

/* Decisions are made by the same thread: it is theirs again after each page. */
static void a_large_resource_is_read_one_page_a_turn(void **state)
{
    struct house *house = *state;
    house->pages = 20;
    assert_true(turn_until_put(house) > 20);
    assert_int_equal(house->loads, 1);
    assert_int_equal(house->mores, 20);
    assert_int_equal(house->put->resource_no, house->hall->no);
}

static void a_load_that_fails_gets_smaller(void **state)
{
    struct house *house = *state;
    house->pages = 3;
    house->fails = 1;
    turn(house); /* lists */
    turn(house);
    uint32_t halvings = house->halvings;
    assert_int_equal(house->loads, 1);
    house->fails = 1;
    turn(house);
    assert_int_equal(house->loads, 2);
    assert_true(house->halvings > halvings);
    (void)turn_until_put(house);
}

static void a_resource_that_changed_between_two_pages_is_read_again(void **state)
{
    struct house *house = *state;
    house->pages = 3;
    house->changes = true;
    (void)turn_until_put(house);
    assert_int_equal(house->loads, 2);
    assert_int_equal(house->put->rev, house->hall->rev);
}

/* What a resync reads reserves memory: others would wait for it until the cache is back. */
/* Of a database that was restored to before: nothing that it says is of any use. */
static void a_position_ahead_of_the_database_is_none(void **state)
{
    struct house *house = *state;
    house->shown_seq = SEQ + 1;
    turn(house);
    assert_true(house->sync.full);
    assert_int_equal(cache_sync_position(&house->sync), 0);
}

static void a_heartbeat_names_a_session_only_while_there_is_one(void **state)
{
    struct house *house = *state;
    struct cache_beat beat = {.session = 99};
    house->is_away = true;
    turn(house);
    cache_sync_set_beat(&house->sync, &beat);
    assert_int_equal(beat.session, 0);
    house->is_away = false;
    turn(house);
    cache_sync_set_beat(&house->sync, &beat);
    assert_int_equal(beat.session, 1);
}

static void nothing_is_half_read_while_the_cache_is_away(void **state)
{
    struct house *house = *state;
    house->pages = 3;
    while (!cache_sync_is_loading(&house->sync))
        turn(house);
    house->losses = 1;
    house->is_away = true;
    turn(house);
    assert_false(cache_sync_is_loading(&house->sync));
    house->is_away = false;
    (void)turn_until_put(house);
    assert_int_equal(house->loads, 2);
}

/* Nor while it is there and takes nothing: what is begun is read to its end, but nothing more. */
static void nothing_is_half_read_while_the_cache_is_slow(void **state)
{
    struct house *house = *state;
    house->shown_seq = SEQ;
    house->is_slow = true;
    house->pages = 1;
    house->hall->no = row_number(NAIVE_PARTITION, HALLS + 1);
    house->moment.decided_seq = SEQ + HALLS;
    cache_sync_acquired(&house->sync, house->shown->inventory, 1, SEQ + HALLS);
    for (int turns = 0; display_renewed_count(house->shown->display) < HALLS / 2 ||
                        !cache_sync_is_loading(&house->sync);
         turns++) {
        assert_true(turns < 1000);
        turn(house);
    }
    house->moment.tight = true;
    turn(house);
    assert_false(cache_sync_is_loading(&house->sync));
    uint32_t loads = house->loads;
    turn(house);
    assert_int_equal(house->loads, loads);
}

/* The same while the partition is taken over again, which may take as long. */
static void nothing_is_half_read_behind_a_takeover(void **state)
{
    struct house *house = *state;
    house->pages = 3;
    while (!cache_sync_is_loading(&house->sync))
        turn(house);
    cache_sync_acquired(&house->sync, house->shown->inventory, NAIVE_EPOCH, SEQ);
    assert_false(cache_sync_is_loading(&house->sync));
    (void)turn_until_put(house);
    assert_int_equal(house->loads, 2);
}

/* Halls that a sale changed and that were evicted then. */
static void sell_and_evict(struct house *house)
{
    for (int64_t n = 1; n <= HALLS; n++) {
        struct changes none = {0};
        house->hall->no = row_number(NAIVE_PARTITION, n);
        house->hall->rev = SEQ + n - 1;
        naive_load(house->hall, house->shown);
        house->hall->rev = SEQ + n;
        changes_end(&none, house->hall, false);
        changes_apply(&none, house->shown);
        naive_evict(house->hall, house->shown);
    }
    house->hall->no = row_number(NAIVE_PARTITION, 1);
    house->moment.decided_seq = house->shown->next_seq - 1;
}

static void what_waits_for_a_slow_cache_is_dropped_where_memory_is_tight(void **state)
{
    struct house *house = *state;
    house->shown_seq = SEQ;
    house->is_slow = true;
    turn(house);
    sell_and_evict(house);
    turn(house);
    assert_true(display_evicted_count(house->shown->display) >= HALLS - 1);
    house->moment.tight = true;
    turn(house);
    assert_true(display_evicted_count(house->shown->display) <= 1); /* the one that is under way */
    assert_int_equal(cache_sync_position(&house->sync), SEQ);
    house->is_slow = false;
    for (int turns = 0; cache_sync_position(&house->sync) < house->moment.decided_seq; turns++) {
        assert_true(turns < 1000);
        house->moment.now_ms += 1000;
        turn(house);
        assert_true(display_renewed_count(house->shown->display) <= 16);
    }
    for (int64_t n = 1; n <= HALLS; n++)
        assert_true(house->put_nos >> n & 1);
}

/* What the cache has been given goes by itself: a resync for it would be in vain. */
static void updates_in_flight_are_not_put_again_where_memory_is_tight(void **state)
{
    struct house *house = *state;
    house->shown_seq = SEQ;
    turn(house);
    turn(house);
    assert_int_equal(house->sync.state, CACHE_FOLLOWING);
    sell_and_evict(house);
    house->is_silent = true;
    turn(house);
    for (int64_t n = 1; n <= HALLS; n++)
        assert_true(house->put_nos >> n & 1);
    house->moment.tight = true;
    turn(house);
    assert_int_equal(display_evicted_count(house->shown->display), 0);
    assert_int_equal(house->sync.state, CACHE_FOLLOWING);
}

/* The decisions that changed them are older than those that a resync waits for. */
static void what_a_resync_was_to_put_is_not_lost_where_memory_is_tight(void **state)
{
    struct house *house = *state;
    house->shown_seq = SEQ;
    house->is_slow = true;
    house->moment.decided_seq = SEQ + HALLS;
    cache_sync_acquired(&house->sync, house->shown->inventory, 1, SEQ + HALLS);
    for (int64_t n = 1; n <= HALLS; n++) {
        house->hall->no = row_number(NAIVE_PARTITION, n);
        house->hall->rev = SEQ + n;
        naive_load(house->hall, house->shown);
    }
    turn(house);
    turn(house);
    for (int64_t n = 1; n <= HALLS; n++) {
        house->hall->no = row_number(NAIVE_PARTITION, n);
        naive_evict(house->hall, house->shown);
    }
    house->moment.tight = true;
    turn(house);
    assert_true(display_evicted_count(house->shown->display) <= 1);
    house->is_slow = false;
    for (int turns = 0; cache_sync_position(&house->sync) < house->moment.decided_seq; turns++) {
        assert_true(turns < 1000);
        house->moment.now_ms += 1000;
        turn(house);
    }
    for (int64_t n = 1; n <= HALLS; n++)
        assert_true(house->put_nos >> n & 1);
}

static void turn_until_all_is_shown(struct house *house)
{
    for (int turns = 0; cache_sync_position(&house->sync) < house->moment.decided_seq; turns++) {
        assert_true(turns < 1000);
        house->moment.now_ms += 1000;
        turn(house);
    }
}

/* And no more than that: the session goes on. */
static void behind_a_rewind_what_was_not_acknowledged_is_put_again(void **state)
{
    struct house *house = *state;
    house->shown_seq = SEQ;
    turn(house);
    turn(house);
    house->is_slow = true;
    sell_and_evict(house);
    turn(house);
    cache_sync_rewound(&house->sync, house->shown->inventory, house->moment.decided_seq);
    assert_int_equal(cache_sync_position(&house->sync), SEQ);
    house->is_slow = false;
    turn_until_all_is_shown(house);
    for (int64_t n = 1; n <= HALLS; n++)
        assert_true(house->put_nos >> n & 1);
    uint32_t loads = house->loads;
    cache_sync_rewound(&house->sync, house->shown->inventory, house->moment.decided_seq);
    assert_int_equal(cache_sync_position(&house->sync), house->moment.decided_seq);
    turn(house);
    turn(house);
    assert_int_equal(house->loads, loads);
    assert_int_equal(house->sync.state, CACHE_FOLLOWING);
}

static void behind_a_rewind_a_cache_that_is_away_stays_away(void **state)
{
    struct house *house = *state;
    house->is_away = true;
    turn(house);
    cache_sync_rewound(&house->sync, house->shown->inventory, SEQ);
    turn(house);
    assert_int_equal(house->sync.state, CACHE_AWAY);
}

#define WITH_HOUSE(test) cmocka_unit_test_setup_teardown(test, open_house, close_house)
static const struct CMUnitTest tests[] = {
    WITH_HOUSE(a_large_resource_is_read_one_page_a_turn),
    WITH_HOUSE(a_load_that_fails_gets_smaller),
    WITH_HOUSE(what_waits_for_a_slow_cache_is_dropped_where_memory_is_tight),
    WITH_HOUSE(updates_in_flight_are_not_put_again_where_memory_is_tight),
    WITH_HOUSE(what_a_resync_was_to_put_is_not_lost_where_memory_is_tight),
    WITH_HOUSE(a_resource_that_changed_between_two_pages_is_read_again),
    WITH_HOUSE(a_position_ahead_of_the_database_is_none),
    WITH_HOUSE(a_heartbeat_names_a_session_only_while_there_is_one),
    WITH_HOUSE(nothing_is_half_read_while_the_cache_is_away),
    WITH_HOUSE(nothing_is_half_read_while_the_cache_is_slow),
    WITH_HOUSE(nothing_is_half_read_behind_a_takeover),
    WITH_HOUSE(behind_a_rewind_what_was_not_acknowledged_is_put_again),
    WITH_HOUSE(behind_a_rewind_a_cache_that_is_away_stays_away),
};
UNIT_TESTS(test_cache_sync, tests, NULL, NULL)
