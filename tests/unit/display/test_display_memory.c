/*
 * The display beside the core, as the allocator drives them: what is drawn of batches, and of
 * memory, is what the database says once they are committed.
 */
#include <string.h>

#include "core_rig.h"
#include "naive_display.h"
#include "tests/unit/unit.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/seal.h"

#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"
#define HOLD(id, items) ASK(id, "hold", ",'customer':'c','items':[" items "]")
#define BY_C(id, op, booking) ASK(id, op, ",'customer':'c','booking':'" booking "'")

struct theatre {
    struct rig rig;
    struct display *display;
    struct reader reader;
    int64_t now_ms;
};

static int open_theatre(void **state)
{
    static struct theatre theatre;
    theatre = (struct theatre){.now_ms = 1000};
    rig_open(&theatre.rig, &rig_no_limits);
    theatre.display = display_open(theatre.rig.rules.partition);
    display_reset(theatre.display, theatre.rig.inventory, theatre.rig.rules.epoch, 0);
    display_resume(theatre.display);
    *state = &theatre;
    return 0;
}

static int close_theatre(void **state)
{
    struct theatre *theatre = *state;
    reader_clear(&theatre->reader);
    display_close(theatre->display);
    rig_close(&theatre->rig);
    return 0;
}

/* ---- the two sides ---- */

/* What the allocator does once a batch is sealed, and once the oldest is committed. */
static void seal(struct theatre *theatre)
{
    struct rig *rig = &theatre->rig;
    rig_seal(rig);
    display_seal(theatre->display, &rig->batches[rig->in_flight - 1], theatre->now_ms,
                 DISPLAY_AHEAD_MAX);
}

static void commit(struct theatre *theatre)
{
    display_committed(theatre->display, &theatre->rig.batches[0]);
    rig_commit(&theatre->rig);
}

static void put_all(struct theatre *theatre)
{
    struct display_update *update;
    theatre->now_ms += DISPLAY_INTERVAL_MS;
    while ((update = display_next(theatre->display, theatre->now_ms)) != NULL) {
        display_taken(theatre->display);
        display_update_render(update);
        if (strcmp(update->resource, "r") == 0)
            assert_true(reader_apply(&theatre->reader, update));
        assert_true(display_acknowledge(theatre->display, update));
        display_update_free(update);
    }
}

static void load(struct theatre *theatre, struct usher_arena *arena, struct load_result *result)
{
    static const char *const ids[] = {"r"};
    const struct load_request request = {.resources = ids, .resource_count = 1};
    fake_database_load(theatre->rig.database, &request, arena, result);
    assert_int_equal(result->resource_count, 1);
}

static void assert_as_stored(struct theatre *theatre)
{
    struct usher_arena arena = {0};
    struct load_result result = {0};
    load(theatre, &arena, &result);
    struct display_update *whole = display_whole(&result.resources[0], theatre->rig.rules.partition,
                                                 theatre->rig.rules.epoch, theatre->now_ms);
    reader_assert_equal(&theatre->reader, whole);
    display_update_free(whole);
    usher_arena_deinit(&arena);
}

/* Asks one after another, and looks at what is shown after each. */
static void play(struct theatre *theatre, const struct rig_step *steps, size_t count)
{
    struct rig *rig = &theatre->rig;
    for (size_t i = 0; i < count; i++) {
        const struct usher_answer *answer = rig_answer(rig, rig_decide(rig, steps[i].request));
        assert_string_equal(usher_outcome_name(answer->outcome), steps[i].says);
        seal(theatre);
        commit(theatre);
        put_all(theatre);
        assert_as_stored(theatre);
    }
}

#define PLAY(theatre, steps) play(theatre, steps, sizeof(steps) / sizeof(*(steps)))

static void assert_seats(const struct theatre *theatre, const char *expected)
{
    assert_int_equal(theatre->reader.seat_count, strlen(expected));
    assert_memory_equal(theatre->reader.seats, expected, strlen(expected));
}

static void assert_pool(const struct theatre *theatre, const char *pool, const char *expected)
{
    yyjson_mut_val *value = yyjson_mut_obj_get(theatre->reader.pools, pool);
    assert_string_equal(yyjson_mut_get_str(value), expected);
}

/* ---- what happens in a house ---- */

#define OPENING                                                                                \
    ASK("d", "define",                                                                         \
        ",'state':'open','sections':[{'section':'standing','capacity':5},{'section':'stalls'," \
        "'rows':[{'row':'A','seats':4},{'row':'B','seats':3}]}],'products':[{'product':'mug'," \
        "'capacity':10}],'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-26',"     \
        "'capacity':2}]")

static void what_bookings_change_is_shown(void **state)
{
    struct theatre *theatre = *state;
    static const struct rig_step begun[] = {
        {OPENING, "defined"},
        {HOLD("h", "{'seats':['A-1','A-2']},{'section':'standing','quantity':2}"), "held"},
        {ASK("b", "book",
             ",'customer':'c','items':[{'product':'mug','quantity':4},{'room':'double','from':"
             "'2026-12-24','to':'2026-12-26','quantity':1},{'seats':['B-3']}]"),
         "confirmed"},
        {ASK("x", "block",
             ",'items':[{'seats':['A-4','B-1']},{'section':'standing','quantity':1},{'room':"
             "'double','from':'2026-12-25','to':'2026-12-26','quantity':1}]"),
         "blocked"},
    };
    PLAY(theatre, begun);
    assert_seats(theatre, "hh.xx.s");
    assert_pool(theatre, "standing", "2/5/2/0/1");
    assert_pool(theatre, "double/2026-12-25", "0/2/0/1/1");
    static const struct rig_step changed[] = {
        {ASK("o", "book", ",'customer':'c','from_block':'x','items':[{'seats':['A-4']}]"),
         "confirmed"},
        {ASK("e", "exchange",
             ",'customer':'c','booking':'h','items':[{'seats':['A-2','A-3']},{'product':'mug',"
             "'quantity':1}]"),
         "exchanged"},
        {ASK("u", "unblock", ",'booking':'x'"), "released"},
    };
    PLAY(theatre, changed);
    assert_seats(theatre, ".hhs..s");
    assert_pool(theatre, "standing", "5/5/0/0/0");
    assert_pool(theatre, "mug", "5/10/1/4/0");
    static const struct rig_step ended[] = {
        {BY_C("r", "release", "h"), "released"},
        {BY_C("c", "cancel", "b"), "cancelled"},
    };
    PLAY(theatre, ended);
    assert_seats(theatre, "...s...");
    assert_int_equal(theatre->reader.wholes, 1);
}

/* New rows behind, other prices and times, closed: each is drawn anew from memory. */
static void a_new_catalogue_is_taken_from_memory(void **state)
{
    struct theatre *theatre = *state;
    static const struct rig_step steps[] = {
        {OPENING, "defined"},
        {HOLD("h", "{'seats':['A-1','B-2']},{'product':'mug','quantity':3}"), "held"},
        {ASK("b", "book", ",'customer':'c','items':[{'section':'standing','quantity':1}]"),
         "confirmed"},
        {ASK("x", "block", ",'items':[{'seats':['A-4']},{'section':'standing','quantity':2}]"),
         "blocked"},
        {ASK("d2", "define",
             ",'opens_at':'1970-01-01T00:00:01Z','closes_at':'2100-01-01T00:00:00Z','sections':["
             "{'section':'stalls','rates':{'full':4500,'child':2000},'rows':[{'row':'A','seats':4},"
             "{'row':'B','seats':3},{'row':'C','seats':2,'x':[1,2],'y':[0,0],'zone':'back',"
             "'names':['C-left','C-right'],'features':{'aisle':[1,2]}}]},{'section':'balcony',"
             "'rows':[{'row':'D','seats':2}]}]"),
         "defined"},
        {HOLD("h2", "{'seats':['C-left','D-2']}"), "held"},
        {ASK("d3", "define",
             ",'products':[{'product':'mug','capacity':0},{'product':'cap','capacity':2,"
             "'properties':{'size':'L'}}]"),
         "refused"},
        {BY_C("r", "release", "h"), "released"},
        {ASK("d4", "define",
             ",'products':[{'product':'mug','capacity':0},{'product':'cap','capacity':2,"
             "'properties':{'size':'L'}}]"),
         "defined"},
        {ASK("c", "close", ""), "defined"},
    };
    PLAY(theatre, steps);
    assert_seats(theatre, "...x...h..h");
    assert_pool(theatre, "standing", "2/5/0/1/2");
    assert_null(yyjson_mut_obj_get(theatre->reader.pools, "mug"));
    assert_non_null(strstr(theatre->reader.layout, "\"labels\":[\"C-left\",\"C-right\"]"));
    assert_non_null(strstr(theatre->reader.catalogue, "\"properties\":{\"size\":\"L\"}"));
}

/* Less capacity than the number of a unit that is taken: it counts, and another is free after it.
 */
static void less_capacity_than_numbers_taken(void **state)
{
    struct theatre *theatre = *state;
    static const struct rig_step shrunk[] = {
        {OPENING, "defined"},
        {HOLD("low", "{'section':'standing','quantity':3}"), "held"},
        {HOLD("high", "{'section':'standing','quantity':2}"), "held"},
        {BY_C("r", "release", "low"), "released"},
        {ASK("d2", "define", ",'sections':[{'section':'standing','capacity':2}]"), "defined"},
    };
    PLAY(theatre, shrunk);
    assert_pool(theatre, "standing", "0/2/2/0/0");
    static const struct rig_step given_back[] = {
        {BY_C("r2", "release", "high"), "released"},
        {HOLD("again", "{'section':'standing','quantity':1}"), "held"},
    };
    PLAY(theatre, given_back);
    assert_pool(theatre, "standing", "1/2/1/0/0");
}

/* A new owner loads what the database has, and goes on from there. */
static void a_new_owner_goes_on(void **state)
{
    struct theatre *theatre = *state;
    static const struct rig_step before[] = {
        {OPENING, "defined"},
        {HOLD("h", "{'seats':['A-1']},{'section':'standing','quantity':5}"), "held"},
        {ASK("x", "block", ",'items':[{'seats':['A-3']}]"), "blocked"},
    };
    PLAY(theatre, before);
    rig_restart(&theatre->rig);
    display_reset(theatre->display, theatre->rig.inventory, theatre->rig.rules.epoch,
                  theatre->rig.next_seq - 1);
    display_resume(theatre->display);
    static const struct rig_step after[] = {
        {BY_C("k", "confirm", "h"), "confirmed"},
        {ASK("u", "unblock", ",'booking':'x'"), "released"},
    };
    PLAY(theatre, after);
    assert_seats(theatre, "s......");
    assert_pool(theatre, "standing", "0/5/0/5/0");
    assert_int_equal(theatre->reader.epoch, 2);
}

/* Decides and commits it; its update is not yet taken. */
static void decide_unseen(struct theatre *theatre, const char *request)
{
    struct rig *rig = &theatre->rig;
    const struct usher_answer *answer = rig_answer(rig, rig_decide(rig, request));
    assert_int_equal(answer->outcome, USHER_DEFINED);
    seal(theatre);
    commit(theatre);
}

/* Memory goes on while batches are in flight; what is put is as they left it, one by one. */
static void what_was_sealed_is_put_once_it_is_committed(void **state)
{
    struct theatre *theatre = *state;
    static const struct rig_step opened[] = {{OPENING, "defined"}};
    PLAY(theatre, opened);
    theatre->now_ms += DISPLAY_INTERVAL_MS;
    (void)rig_decide(&theatre->rig, HOLD("h", "{'seats':['A-1']}"));
    seal(theatre);
    (void)rig_decide(&theatre->rig, HOLD("i", "{'seats':['A-2']}"));
    seal(theatre);
    (void)rig_decide(&theatre->rig, HOLD("j", "{'seats':['A-3']}"));
    put_all(theatre);
    assert_seats(theatre, ".......");
    commit(theatre);
    put_all(theatre);
    assert_as_stored(theatre);
    assert_seats(theatre, "h......");
    commit(theatre);
    put_all(theatre);
    assert_seats(theatre, "h......"); /* memory is ahead of what was committed */
    seal(theatre);
    put_all(theatre);
    assert_seats(theatre, "h......");
    commit(theatre);
    put_all(theatre);
    assert_as_stored(theatre);
    assert_seats(theatre, "hhh....");
    assert_int_equal(theatre->reader.wholes, 1);
}

/* A define, and what was decided after it: each batch shows what it left. */
static void a_define_in_flight_is_shown_as_it_was_sealed(void **state)
{
    struct theatre *theatre = *state;
    (void)rig_decide(&theatre->rig, OPENING);
    seal(theatre);
    (void)rig_decide(&theatre->rig, HOLD("h", "{'seats':['A-1']}"));
    seal(theatre);
    commit(theatre);
    put_all(theatre);
    assert_as_stored(theatre);
    assert_seats(theatre, ".......");
    commit(theatre);
    put_all(theatre);
    assert_as_stored(theatre);
    assert_seats(theatre, "h......");
}

/* Of two batches in flight the first is committed: nothing of the second is shown. */
static void what_is_in_flight_is_not_put(void **state)
{
    struct theatre *theatre = *state;
    (void)rig_decide(&theatre->rig, OPENING);
    seal(theatre);
    (void)rig_decide(&theatre->rig,
                     "{'request_id':'e','op':'define','resource':'q','state':'open'}");
    seal(theatre);
    assert_null(display_next(theatre->display, theatre->now_ms));
    commit(theatre);
    assert_string_equal(display_next(theatre->display, theatre->now_ms)->resource, "r");
    display_flush(theatre->display);
    put_all(theatre);
    assert_int_equal(display_wait_ms(theatre->display, theatre->now_ms), -1);
    commit(theatre);
    assert_string_equal(display_next(theatre->display, theatre->now_ms)->resource, "q");
}

/* It rests, and goes with its waiting list: what is put is what was in memory. */
static void what_is_evicted_is_put_as_it_was(void **state)
{
    struct theatre *theatre = *state;
    struct rig *rig = &theatre->rig;
    static const struct rig_step opened[] = {{OPENING, "defined"}};
    PLAY(theatre, opened);
    (void)rig_decide(rig, HOLD("h", "{'section':'standing','quantity':5},{'seats':['A-1']}"));
    (void)rig_decide(rig, ASK("w", "hold",
                              ",'customer':'d','wait_until':'2030-01-01T00:00:00Z',"
                              "'items':[{'section':'standing','quantity':1}]"));
    seal(theatre);
    commit(theatre);
    rig->inventory->limits.resources = 1;
    (void)rig_decide(rig, "{'request_id':'s','op':'define','resource':'s'}");
    seal(theatre);
    struct resource *resource = inventory_take_evicted(rig->inventory);
    assert_string_equal(resource->row.id, "r");
    display_evict(theatre->display, resource);
    resource_destroy(resource);
    commit(theatre);
    assert_seats(theatre, ".......");
    put_all(theatre);
    assert_as_stored(theatre);
    assert_seats(theatre, "h......");
    assert_string_equal(yyjson_mut_get_str(yyjson_mut_obj_get(theatre->reader.fields, "waiting")),
                        "1");
    assert_int_equal(theatre->reader.wholes, 1);
}

/* The database took nothing of it: neither did Redis, and it is decided once more. */
static void a_batch_that_failed_is_never_put(void **state)
{
    struct theatre *theatre = *state;
    static const struct rig_step opened[] = {{OPENING, "defined"}};
    PLAY(theatre, opened);
    theatre->now_ms += DISPLAY_INTERVAL_MS;
    (void)rig_decide(&theatre->rig, HOLD("h", "{'seats':['A-1','A-2']}"));
    seal(theatre);
    rig_restart(&theatre->rig);
    display_reset(theatre->display, theatre->rig.inventory, theatre->rig.rules.epoch,
                  theatre->rig.next_seq - 1);
    display_resume(theatre->display);
    put_all(theatre);
    assert_seats(theatre, ".......");
    static const struct rig_step again[] = {{HOLD("h2", "{'seats':['A-2','A-3']}"), "held"}};
    PLAY(theatre, again);
    assert_seats(theatre, ".hh....");
}

/* What is not yet written out is what it was, also after another catalogue came, and it opened. */
static void a_define_does_not_change_what_was_put(void **state)
{
    struct theatre *theatre = *state;
    decide_unseen(theatre, OPENING);
    struct usher_arena arena = {0};
    struct load_result result = {0};
    load(theatre, &arena, &result);
    struct display_update *expected =
        display_whole(&result.resources[0], theatre->rig.rules.partition, theatre->rig.rules.epoch,
                      theatre->now_ms);
    struct display_update *update = display_next(theatre->display, theatre->now_ms);
    assert_non_null(update->snapshot);
    display_taken(theatre->display);
    decide_unseen(theatre, ASK("d2", "define",
                               ",'state':'closed','name':'Another','sections':[{'section':"
                               "'standing','capacity':9,'price':700}]"));
    display_update_render(update);
    assert_string_equal(update->catalogue_json, expected->catalogue_json);
    assert_string_equal(update->message, expected->message);
    assert_int_equal(update->field_count, expected->field_count);
    for (uint32_t i = 0; i < update->field_count; i++)
        assert_string_equal(update->fields[i].value, expected->fields[i].value);
    display_update_free(update);
    display_update_free(expected);
    usher_arena_deinit(&arena);
}

#define THEATRE_TEST(test) cmocka_unit_test_setup_teardown(test, open_theatre, close_theatre)
static const struct CMUnitTest tests[] = {
    THEATRE_TEST(what_bookings_change_is_shown),
    THEATRE_TEST(a_new_catalogue_is_taken_from_memory),
    THEATRE_TEST(less_capacity_than_numbers_taken),
    THEATRE_TEST(a_new_owner_goes_on),
    THEATRE_TEST(what_was_sealed_is_put_once_it_is_committed),
    THEATRE_TEST(a_define_in_flight_is_shown_as_it_was_sealed),
    THEATRE_TEST(what_is_in_flight_is_not_put),
    THEATRE_TEST(what_is_evicted_is_put_as_it_was),
    THEATRE_TEST(a_batch_that_failed_is_never_put),
    THEATRE_TEST(a_define_does_not_change_what_was_put),
};
UNIT_TESTS(test_display_memory, tests, NULL, NULL)
