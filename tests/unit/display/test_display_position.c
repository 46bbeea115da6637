/* What the cache has acknowledged: the watermark, losses, gaps, and what is put once more. */
#include "naive_display.h"
#include "tests/unit/unit.h"
#include "worker/display/display.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/seal.h"

enum {
    HALLS = 4,
    SEQ = 100 /* decided before the display was reset */
};

struct house {
    struct naive_display *shown;
    struct naive *halls[HALLS];
    int64_t now_ms;
};

static int open_house(void **state)
{
    static struct house house;
    house = (struct house){.shown = naive_display_open_at(SEQ), .now_ms = 1000};
    for (int64_t i = 0; i < HALLS; i++) {
        house.halls[i] = naive_open_hall();
        house.halls[i]->no = i + 1;
        house.halls[i]->rev = i + 1;
        naive_load(house.halls[i], house.shown);
    }
    *state = &house;
    return 0;
}

static int close_house(void **state)
{
    struct house *house = *state;
    naive_display_close(house->shown);
    for (int i = 0; i < HALLS; i++)
        naive_close(house->halls[i]);
    return 0;
}

/* A batch in which a decision changes each of the halls, and one refuses something. */
static void seal(struct house *house, const int *halls, uint32_t count)
{
    struct naive_display *shown = house->shown;
    struct batch *batch = &shown->batch;
    batch_reset(batch);
    batch->number = ++shown->number;
    batch->expected_next_seq = shown->next_seq;
    batch->next_seq = shown->next_seq + count + 1;
    for (uint32_t i = 0; i < count; i++) {
        struct naive *hall = house->halls[halls[i]];
        hall->rev = shown->next_seq + (int64_t)(count - 1 - i); /* in no order */
        inventory_touch_resource(shown->inventory, inventory_peek(shown->inventory, hall->no),
                                 hall->rev);
    }
    shown->next_seq = batch->next_seq;
    inventory_seal(shown->inventory, batch);
    display_seal(shown->display, batch, house->now_ms, DISPLAY_AHEAD_MAX);
}

static void decide(struct house *house, const int *halls, uint32_t count)
{
    seal(house, halls, count);
    naive_commit(house->shown);
}

#define DECIDE(house, ...) \
    decide(house, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static struct display_update *take(struct house *house, int hall)
{
    struct display_update *update = naive_next(house->shown, house->now_ms);
    assert_non_null(update);
    assert_int_equal(update->resource_no, house->halls[hall]->no);
    assert_int_equal(update->rev, house->halls[hall]->rev);
    return update;
}

static void assert_watermark(const struct house *house, int64_t seq)
{
    assert_int_equal(display_watermark(house->shown->display), seq);
}

/* ---- the list ---- */

static void changes_are_acknowledged_in_any_order(void **state)
{
    (void)state;
    struct display_changes changes = {.committed_seq = 10};
    struct display_change change[4] = {0};
    assert_int_equal(changes_watermark(&changes), 10);
    for (int i = 0; i < 3; i++)
        changes_add(&changes, &change[i], 11 + 5 * i);
    changes.committed_seq = 30;
    assert_int_equal(changes_watermark(&changes), 10);
    changes_remove(&changes, &change[1]);
    assert_int_equal(changes_watermark(&changes), 10);
    changes_replace(&changes, &change[0], &change[3]);
    assert_false(change[0].listed);
    assert_int_equal(changes_watermark(&changes), 10);
    changes_remove(&changes, &change[3]);
    assert_int_equal(changes_watermark(&changes), 20);
    changes_remove(&changes, &change[2]);
    assert_int_equal(changes_watermark(&changes), 30);
    changes_add(&changes, &change[0], 40); /* of a batch in flight, behind another one */
    assert_int_equal(changes_watermark(&changes), 30);
}

/* ---- the watermark ---- */

static void it_moves_once_the_cache_acknowledged(void **state)
{
    struct house *house = *state;
    assert_watermark(house, SEQ);
    decide(house, NULL, 0); /* nothing but a refusal */
    assert_watermark(house, SEQ + 1);
    DECIDE(house, 0, 1);
    assert_watermark(house, SEQ + 1);
    struct display_update *first = take(house, 0);
    struct display_update *second = take(house, 1);
    assert_watermark(house, SEQ + 1);
    naive_acknowledge(house->shown, first);
    assert_watermark(house, SEQ + 1);
    naive_acknowledge(house->shown, second);
    assert_watermark(house, SEQ + 4);
    assert_int_equal(display_wait_ms(house->shown->display, house->now_ms), -1);
}

static void what_changes_while_it_is_under_way_is_missing_still(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0); /* 101, 102 */
    struct display_update *first = take(house, 0);
    DECIDE(house, 1); /* 103, 104 */
    DECIDE(house, 0); /* 105, 106 */
    naive_acknowledge(house->shown, first);
    assert_watermark(house, SEQ + 2);
    struct display_update *other = take(house, 1);
    naive_acknowledge(house->shown, other);
    assert_watermark(house, SEQ + 4);
    house->now_ms += DISPLAY_INTERVAL_MS;
    naive_acknowledge(house->shown, take(house, 0));
    assert_watermark(house, SEQ + 6);
}

/* A second one would be acknowledged for the first. */
static void a_resource_has_one_update_under_way(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0);
    struct display_update *first = take(house, 0);
    DECIDE(house, 0);
    house->now_ms += 10 * DISPLAY_INTERVAL_MS;
    assert_null(display_next(house->shown->display, house->now_ms));
    int64_t wait_ms = display_wait_ms(house->shown->display, house->now_ms);
    assert_in_range(wait_ms, 1, DISPLAY_INTERVAL_MS);
    naive_acknowledge(house->shown, first);
    assert_int_equal(display_wait_ms(house->shown->display, house->now_ms), 0);
    naive_acknowledge(house->shown, take(house, 0));
    assert_watermark(house, SEQ + 4);
}

/* ---- losses ---- */

static void what_was_under_way_is_as_old_as_before_after_a_loss(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0); /* 101, 102 */
    naive_acknowledge(house->shown, take(house, 0));
    DECIDE(house, 1); /* 103, 104 */
    DECIDE(house, 2); /* 105, 106 */
    struct display_update *lost = take(house, 1);
    DECIDE(house, 1); /* 107, 108 */
    display_suspend(house->shown->display);
    display_update_free(lost);
    assert_null(display_next(house->shown->display, house->now_ms + 1000));
    assert_int_equal(display_wait_ms(house->shown->display, house->now_ms), -1);
    display_resume(house->shown->display);
    assert_watermark(house, SEQ + 2);
    house->now_ms += DISPLAY_INTERVAL_MS;
    struct display_update *third = take(house, 2);
    struct display_update *second = take(house, 1);
    assert_int_equal(second->from, 0);
    assert_int_equal(third->from, 0);
    naive_acknowledge(house->shown, third);
    assert_watermark(house, SEQ + 2);
    naive_acknowledge(house->shown, second);
    assert_watermark(house, SEQ + 8);
}

static void what_the_cache_lacks_is_put_whole(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0); /* 101, 102 */
    naive_acknowledge(house->shown, take(house, 0));
    DECIDE(house, 0); /* 103, 104 */
    house->now_ms += DISPLAY_INTERVAL_MS;
    struct display_update *change = take(house, 0);
    assert_int_equal(change->from, SEQ + 1);
    change->gap = true;
    naive_acknowledge(house->shown, change);
    assert_watermark(house, SEQ + 2);
    house->now_ms += DISPLAY_INTERVAL_MS;
    struct display_update *whole = take(house, 0);
    assert_int_equal(whole->from, 0);
    naive_acknowledge(house->shown, whole);
    assert_watermark(house, SEQ + 4);
}

/* Under the same epoch too: PostgreSQL may have been restored, and the epochs with it. */
static void what_an_earlier_owner_put_is_not_acknowledged(void **state)
{
    struct house *house = *state;
    naive_restart(house->shown);
    naive_load(house->halls[0], house->shown);
    DECIDE(house, 0);
    struct display_update *old = take(house, 0);
    naive_restart(house->shown);
    naive_load(house->halls[0], house->shown);
    DECIDE(house, 0);
    naive_acknowledge(house->shown, old);
    assert_watermark(house, SEQ + 2);
    naive_acknowledge(house->shown, take(house, 0));
    assert_watermark(house, SEQ + 4);
}

/* ---- evictions ---- */

static void an_evicted_resource_goes_once_it_was_acknowledged(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0);
    struct display_update *update = take(house, 0);
    naive_evict(house->halls[0], house->shown);
    assert_true(display_renew(house->shown->display, house->halls[0]->no));
    naive_acknowledge(house->shown, update);
    assert_watermark(house, SEQ + 2);
    assert_false(display_renew(house->shown->display, house->halls[0]->no));
}

/* Nothing is kept for a cache that is away: whoever resumes it looks at the database. */
static void an_evicted_resource_goes_at_once_while_the_cache_is_away(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0, 1);
    struct display_update *lost = take(house, 0);
    display_suspend(house->shown->display);
    display_update_free(lost);
    DECIDE(house, 2);
    for (int i = 0; i < 3; i++) {
        naive_evict(house->halls[i], house->shown);
        assert_false(display_renew(house->shown->display, house->halls[i]->no));
    }
    display_resume(house->shown->display);
    assert_null(display_next(house->shown->display, house->now_ms));
}

/* ---- once more ---- */

static void what_is_known_is_put_once_more_from_memory(void **state)
{
    struct house *house = *state;
    display_suspend(house->shown->display);
    display_resume(house->shown->display);
    assert_true(display_renew(house->shown->display, house->halls[3]->no));
    assert_true(display_renew(house->shown->display, house->halls[3]->no));
    assert_int_equal(display_renewed_count(house->shown->display), 0);
    assert_watermark(house, SEQ - 1);
    struct display_update *update = take(house, 3);
    assert_int_equal(update->from, 0);
    naive_acknowledge(house->shown, update);
    assert_watermark(house, SEQ);
    assert_true(display_renew(house->shown->display, house->halls[3]->no)); /* it was put since */
    assert_null(display_next(house->shown->display, house->now_ms + 1000));
}

static void what_is_not_known_goes_after_it_was_put(void **state)
{
    struct house *house = *state;
    struct usher_arena arena = {0};
    struct naive *hall = house->halls[2];
    struct loaded_resource loaded = naive_loaded(hall, &arena);
    naive_evict(hall, house->shown);
    assert_false(display_renew(house->shown->display, hall->no));
    assert_true(display_renew_loaded(house->shown->display, &loaded));
    assert_int_equal(display_renewed_count(house->shown->display), 1);
    assert_watermark(house, SEQ - 1);
    naive_acknowledge(house->shown, take(house, 2));
    assert_watermark(house, SEQ);
    assert_int_equal(display_renewed_count(house->shown->display), 0);
    assert_false(display_renew(house->shown->display, hall->no));
    usher_arena_deinit(&arena);
}

static void what_was_loaded_to_be_put_may_be_loaded_for_more(void **state)
{
    struct house *house = *state;
    struct usher_arena arena = {0};
    struct naive *hall = house->halls[2];
    struct loaded_resource loaded = naive_loaded(hall, &arena);
    naive_evict(hall, house->shown);
    assert_true(display_renew_loaded(house->shown->display, &loaded));
    naive_load(hall, house->shown);
    DECIDE(house, 2);
    assert_int_equal(display_renewed_count(house->shown->display), 0);
    naive_acknowledge(house->shown, take(house, 2)); /* as it is by now */
    assert_watermark(house, SEQ + 2);
    assert_null(display_next(house->shown->display, house->now_ms + 1000));
    usher_arena_deinit(&arena);
}

/* However many there are, and however long the cache is away, they cost no memory meanwhile. */
static void what_was_evicted_goes_with_the_session(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0, 1, 2);
    display_update_free(take(house, 0));
    naive_evict(house->halls[0], house->shown);
    naive_evict(house->halls[1], house->shown);
    display_suspend(house->shown->display);
    assert_false(display_renew(house->shown->display, house->halls[0]->no));
    assert_false(display_renew(house->shown->display, house->halls[1]->no));
    display_resume(house->shown->display);
    display_update_free(take(house, 2));
    assert_null(display_next(house->shown->display, house->now_ms));
}

/* Redis lacks what a change starts from, and memory has the hall no more: the database does. */
static void what_the_cache_lacks_of_an_evicted_resource_is_read(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0); /* 101, 102 */
    naive_acknowledge(house->shown, take(house, 0));
    DECIDE(house, 0); /* 103, 104 */
    house->now_ms += DISPLAY_INTERVAL_MS;
    struct display_update *change = take(house, 0);
    DECIDE(house, 0); /* 105, 106 */
    naive_evict(house->halls[0], house->shown);
    change->gap = true;
    assert_watermark(house, SEQ + 2);
    assert_false(display_acknowledge(house->shown->display, change));
    display_update_free(change);
    assert_false(display_renew(house->shown->display, house->halls[0]->no));
    house->now_ms += DISPLAY_INTERVAL_MS;
    assert_null(display_next(house->shown->display, house->now_ms));
}

/* ---- batches in flight ---- */

#define SEAL(house, ...) \
    seal(house, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static void nothing_is_put_before_it_is_committed(void **state)
{
    struct house *house = *state;
    SEAL(house, 0, 1);
    assert_null(display_next(house->shown->display, house->now_ms));
    assert_int_equal(display_wait_ms(house->shown->display, house->now_ms), -1);
    assert_watermark(house, SEQ);
    naive_commit(house->shown);
    naive_acknowledge(house->shown, take(house, 0));
    naive_acknowledge(house->shown, take(house, 1));
    assert_watermark(house, SEQ + 3);
}

/* What was drawn for one batch rests when the next is sealed, and is drawn once that is committed.
 */
static void throttled_changes_are_taken_once_committed(void **state)
{
    struct house *house = *state;
    DECIDE(house, 0);
    naive_acknowledge(house->shown, take(house, 0));
    SEAL(house, 0);
    house->now_ms += DISPLAY_INTERVAL_MS;
    assert_null(display_next(house->shown->display, house->now_ms)); /* memory is ahead */
    assert_int_equal(display_wait_ms(house->shown->display, house->now_ms), -1);
    naive_commit(house->shown);
    assert_int_equal(display_wait_ms(house->shown->display, house->now_ms), 0);
    naive_acknowledge(house->shown, take(house, 0));
    assert_watermark(house, SEQ + 4);
}

/* A resource that every batch changes is never settled: only seals can draw it. */
static void what_changes_all_the_time_is_put_all_the_same(void **state)
{
    struct house *house = *state;
    int64_t shown_rev = 0;
    for (int i = 0; i < 20; i++) {
        struct display_update *update;
        SEAL(house, 0);
        naive_commit(house->shown);
        inventory_touch_resource(house->shown->inventory,
                                 inventory_peek(house->shown->inventory, house->halls[0]->no),
                                 house->shown->next_seq); /* the next one has begun */
        house->halls[0]->rev = house->shown->next_seq++;
        while ((update = naive_next(house->shown, house->now_ms))) {
            assert_true(update->rev > shown_rev);
            shown_rev = update->rev;
            naive_acknowledge(house->shown, update);
        }
        house->now_ms += DISPLAY_INTERVAL_MS;
    }
    assert_true(shown_rev > SEQ + 30);
}

/* A slow cache, and more changes than it takes: what a resync has read comes in between. */
static void what_changes_all_the_time_does_not_hold_up_the_others(void **state)
{
    struct house *house = *state;
    int64_t put = 0;
    DECIDE(house, 0, 1, 2);
    assert_true(display_renew(house->shown->display, house->halls[3]->no));
    for (int i = 0; i < 10 && put != house->halls[3]->no; i++) {
        struct display_update *update = naive_next(house->shown, house->now_ms);
        put = update->resource_no;
        naive_acknowledge(house->shown, update);
        house->now_ms += DISPLAY_INTERVAL_MS;
        DECIDE(house, 0, 1, 2);
    }
    assert_int_equal(put, house->halls[3]->no);
}

/* Where the cache takes nothing, or nothing is committed, memory is not filled with drawings. */
static void snapshots_ahead_are_bounded(void **state)
{
    struct house *house = *state;
    struct display *display = house->shown->display;
    const struct batch *batch = &house->shown->batch;
    SEAL(house, 3); /* makes the batch */
    naive_commit(house->shown);
    naive_acknowledge(house->shown, take(house, 3));
    struct resource_mark marks[] = {{.no = house->halls[0]->no}, {.no = house->halls[1]->no}};
    const struct batch both = {.number = batch->number + 1,
                               .expected_next_seq = batch->next_seq,
                               .next_seq = batch->next_seq + 2,
                               .resource_marks = marks,
                               .resource_mark_count = 2};
    display_seal(display, &both, house->now_ms, 1);
    inventory_peek(house->shown->inventory, house->halls[1]->no)->batch = both.number;
    assert_null(display_next(display, house->now_ms));
    inventory_committed(house->shown->inventory, both.number);
    display_committed(display, &both);
    naive_acknowledge(house->shown, take(house, 1));
    naive_acknowledge(house->shown, take(house, 0));
    assert_watermark(house, both.next_seq - 1);
}

#define HOUSE_TEST(test) cmocka_unit_test_setup_teardown(test, open_house, close_house)
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(changes_are_acknowledged_in_any_order),
    HOUSE_TEST(it_moves_once_the_cache_acknowledged),
    HOUSE_TEST(what_changes_while_it_is_under_way_is_missing_still),
    HOUSE_TEST(a_resource_has_one_update_under_way),
    HOUSE_TEST(what_was_under_way_is_as_old_as_before_after_a_loss),
    HOUSE_TEST(what_the_cache_lacks_is_put_whole),
    HOUSE_TEST(what_an_earlier_owner_put_is_not_acknowledged),
    HOUSE_TEST(an_evicted_resource_goes_once_it_was_acknowledged),
    HOUSE_TEST(an_evicted_resource_goes_at_once_while_the_cache_is_away),
    HOUSE_TEST(what_is_known_is_put_once_more_from_memory),
    HOUSE_TEST(what_is_not_known_goes_after_it_was_put),
    HOUSE_TEST(what_was_loaded_to_be_put_may_be_loaded_for_more),
    HOUSE_TEST(what_was_evicted_goes_with_the_session),
    HOUSE_TEST(what_the_cache_lacks_of_an_evicted_resource_is_read),
    HOUSE_TEST(nothing_is_put_before_it_is_committed),
    HOUSE_TEST(throttled_changes_are_taken_once_committed),
    HOUSE_TEST(what_changes_all_the_time_is_put_all_the_same),
    HOUSE_TEST(what_changes_all_the_time_does_not_hold_up_the_others),
    HOUSE_TEST(snapshots_ahead_are_bounded),
};
UNIT_TESTS(test_display_position, tests, NULL, NULL)
