/* What an update says: messages, the fields of the hash, the counts of pools. */
#include <string.h>

#include "naive_display.h"
#include "tests/unit/unit.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"

static void a_message_is_as_the_contract_has_it(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    struct display_update *update = naive_next(shown, 1000);
    assert_string_equal(
        update->message,
        "{\"epoch\":7,\"rev\":11,\"from\":0,\"catalogue_rev\":11,\"state\":\"open\",\"free\":536,"
        "\"held\":1,\"sold\":0,\"blocked\":0,\"waiting\":0,\"reload\":true}");
    naive_acknowledge(shown, update);
    naive_hold(shown, hall, 3, 11, 2);
    update = naive_next(shown, 1050);
    assert_string_equal(
        update->message,
        "{\"epoch\":7,\"rev\":12,\"from\":11,\"catalogue_rev\":11,\"state\":\"open\",\"free\":534,"
        "\"held\":3,\"sold\":0,\"blocked\":0,\"waiting\":0,\"seats\":[[11,\"hh\"]],"
        "\"pools\":{\"stalls\":\"141/144/3/0/0\"}}");
    assert_int_equal(update->message_size, strlen(update->message));
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

/* Units off sale are x among the seats; of a pool they are what is left of its total. */
static void blocked_units_are_shown(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    naive_acknowledge(shown, naive_next(shown, 1000));
    struct changes changes = {0};
    changes_move(&changes, hall, 3, 2, BOOKING_BLOCKED);
    changes_move(&changes, hall, 3, 3, BOOKING_BLOCKED);
    changes_move(&changes, hall, 0, 7, BOOKING_BLOCKED);
    hall->rev++;
    changes_end(&changes, hall, false);
    changes_apply(&changes, shown);
    struct display_update *update = naive_next(shown, 1050);
    assert_string_equal(
        update->message,
        "{\"epoch\":7,\"rev\":12,\"from\":11,\"catalogue_rev\":11,\"state\":\"open\",\"free\":533,"
        "\"held\":1,\"sold\":0,\"blocked\":3,\"waiting\":0,\"seats\":[[2,\"xx\"]],"
        "\"pools\":{\"stalls\":\"141/144/1/0/2\",\"standing\":\"299/300/0/0/1\"}}");
    assert_string_equal(update_field(update, "blocked"), "3");
    assert_string_equal(update_field(update, "free"), "533");
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

/* A sale in one pool takes from all that share its quota; what they show is put, too. */
static void what_quotas_leave_is_shown(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->terms =
        "{\"quotas\":[{\"quota\":\"fire\",\"pools\":[\"standing\",\"stalls\"],\"limit\":200}]}";
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 4, 0, 1);
    struct display_update *update = naive_next(shown, 1000);
    assert_string_equal(update_field(update, "free"), "292"); /* 200, 73 and 19 */
    naive_acknowledge(shown, update);
    naive_hold(shown, hall, 0, 0, 90);
    update = naive_next(shown, 1050);
    assert_string_equal(
        update->message,
        "{\"epoch\":7,\"rev\":12,\"from\":11,\"catalogue_rev\":11,\"state\":\"open\",\"free\":202,"
        "\"held\":91,\"sold\":0,\"blocked\":0,\"waiting\":0,"
        "\"pools\":{\"standing\":\"110/300/90/0/0\",\"stalls\":\"110/144/0/0/0\"}}");
    naive_acknowledge(shown, update);
    naive_hold(shown, hall, 0, 90, 1);
    update = naive_next(shown, 1100);
    struct usher_arena arena = {0};
    const struct loaded_resource loaded = naive_loaded(hall, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    assert_string_equal(update_field(update, "free"), update_field(whole, "free"));
    for (uint32_t i = 0; i < update->pool_count; i++)
        assert_string_equal(update->pools[i].value, update_pool(whole, update->pools[i].name));
    display_update_free(whole);
    display_update_free(update);
    usher_arena_deinit(&arena);
    naive_display_close(shown);
    naive_close(hall);
}

/* Sold out of a block: what was x is s, what was left of it is free again. */
static void blocked_units_go_back_on_sale(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->units[3][2] = hall->units[3][3] = hall->units[3][4] = BOOKING_BLOCKED;
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    naive_acknowledge(shown, naive_next(shown, 1000));
    struct changes changes = {0};
    changes_move(&changes, hall, 3, 4, BOOKING_NONE);
    changes_move(&changes, hall, 3, 2, BOOKING_CONFIRMED);
    changes_move(&changes, hall, 3, 3, BOOKING_HELD);
    hall->rev++;
    changes_end(&changes, hall, false);
    changes_apply(&changes, shown);
    struct display_update *update = naive_next(shown, 1050);
    assert_non_null(strstr(update->message, "\"blocked\":0,\"waiting\":0,\"seats\":[[2,\"sh.\"]],"
                                            "\"pools\":{\"stalls\":\"141/144/2/1/0\"}}"));
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

/* The capacity of a pool without rows went down, and the units taken kept their numbers. */
static void numbers_above_the_capacity_count(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->units[0][350] = BOOKING_CONFIRMED;
    hall->units[0][300] = BOOKING_HELD;
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 4, 0, 1);
    struct display_update *update = naive_next(shown, 1000);
    assert_string_equal(update_pool(update, "standing"), "298/300/1/1/0");
    naive_acknowledge(shown, update);
    struct changes changes = {0};
    changes_move(&changes, hall, 0, 350, BOOKING_NONE);
    hall->rev++;
    changes_end(&changes, hall, false);
    changes_apply(&changes, shown);
    update = naive_next(shown, 1050);
    assert_string_equal(update_pool(update, "standing"), "299/300/1/0/0");
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

/* Every field is there, of every resource: what is not known is empty. */
static void the_hash_always_has_the_same_fields(void **state)
{
    (void)state;
    static const char *const empty[] = {"venue", "timezone", "ends_at", "layout", "starts_at"};
    struct naive *hall = naive_open_hall(), *hotel = naive_open_hotel();
    hall->venue = "Globe";
    hall->ends_ms = 1000;
    hall->pools[0].overbook = 30;
    hall->pools[4].overbook = 2;
    struct usher_arena arena = {0};
    struct loaded_resource of_hall = naive_loaded(hall, &arena);
    struct loaded_resource of_hotel = naive_loaded(hotel, &arena);
    struct display_update *show = display_whole(&of_hall, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    struct display_update *rooms = display_whole(&of_hotel, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    assert_int_equal(show->field_count, 23);
    assert_int_equal(rooms->field_count, 23);
    for (uint32_t i = 0; i < 23; i++)
        assert_non_null(update_field(rooms, show->fields[i].name));
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        assert_string_equal(update_field(rooms, empty[i]), "");
    assert_string_equal(update_field(show, "venue"), "Globe");
    assert_string_equal(update_field(show, "ends_at"), "1970-01-01T00:00:01.000Z");
    assert_string_equal(update_field(show, "overbook"), "32");
    assert_string_equal(update_field(show, "layout"), "00");
    assert_string_equal(update_field(rooms, "kind"), "rooms");
    display_update_free(show);
    display_update_free(rooms);
    usher_arena_deinit(&arena);
    naive_close(hall);
    naive_close(hotel);
}

/* What kind a resource is of a pool of each of these kinds. */
static const char *kind_of(const enum usher_kind *kinds, uint32_t count)
{
    static const struct usher_row row = {.row = "A", .seats = 1, .first = 1};
    static const struct usher_section section = {.section = "p0", .rows = &row, .row_count = 1};
    static const char *const names[] = {"p0", "p1"};
    struct naive *naive = naive_open("r", 1);
    for (uint32_t i = 0; i < count; i++) {
        naive_add_pool(naive, kinds[i], names[i], 1);
        naive->pools[i].night = kinds[i] == USHER_ROOM ? 20000 : NIGHT_NONE;
        if (kinds[i] == USHER_SEATS) {
            usher_chart_encode(&section, 1, &naive->chart);
            naive->chart_name = "sha256:00";
        }
    }
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(naive, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    const char *kind = whole->kind; /* static */
    display_update_free(whole);
    usher_arena_deinit(&arena);
    naive_close(naive);
    return kind;
}

static void a_kind_says_what_there_is_to_draw(void **state)
{
    (void)state;
    static const struct {
        enum usher_kind kinds[2];
        uint32_t count;
        const char *kind;
    } cases[] = {
        {{USHER_SEATS}, 1, "seats"},
        {{USHER_SEATS, USHER_SECTION}, 2, "seats"},
        {{USHER_SECTION}, 1, "standing"},
        {{USHER_ROOM}, 1, "rooms"},
        {{USHER_PRODUCT, USHER_PRODUCT}, 2, "stock"},
        {{USHER_SEATS, USHER_PRODUCT}, 2, "mixed"},
        {{USHER_SECTION, USHER_ROOM}, 2, "mixed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(kind_of(cases[i].kinds, cases[i].count), cases[i].kind);
}

/* A party that joins the waiting list, or leaves it, takes no unit and is shown all the same. */
static void waiting_parties_are_shown(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->waiting_count = 1;
    struct naive_display *shown = naive_display_with(hall);
    hall->waiting_count = 3;
    naive_hold(shown, hall, 3, 0, 0);
    struct display_update *update = naive_next(shown, 1000);
    assert_string_equal(update_field(update, "waiting"), "3");
    assert_non_null(strstr(update->message, ",\"waiting\":3"));
    naive_acknowledge(shown, update);
    hall->waiting_count = 0;
    naive_hold(shown, hall, 3, 0, 0);
    update = naive_next(shown, 2000);
    assert_string_equal(update_field(update, "waiting"), "0");
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

/* Those who follow all resources are told of each in few words. */
static void an_overview_is_as_the_contract_has_it(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    struct display_update *update = naive_next(shown, 1000);
    assert_string_equal(
        update->overview,
        "{\"resource\":\"show:hamlet\",\"epoch\":7,\"rev\":11,\"from\":0,\"catalogue_rev\":11,"
        "\"state\":\"open\",\"free\":536,\"held\":1,\"sold\":0,\"blocked\":0,\"waiting\":0,"
        "\"reload\":true}");
    naive_acknowledge(shown, update);
    naive_hold(shown, hall, 3, 11, 2);
    update = naive_next(shown, 1050);
    assert_string_equal(
        update->overview,
        "{\"resource\":\"show:hamlet\",\"epoch\":7,\"rev\":12,\"from\":11,\"catalogue_rev\":11,"
        "\"state\":\"open\",\"free\":534,\"held\":3,\"sold\":0,\"blocked\":0,\"waiting\":0}");
    assert_int_equal(update->overview_size, strlen(update->overview));
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_message_is_as_the_contract_has_it),
    cmocka_unit_test(blocked_units_are_shown),
    cmocka_unit_test(what_quotas_leave_is_shown),
    cmocka_unit_test(blocked_units_go_back_on_sale),
    cmocka_unit_test(numbers_above_the_capacity_count),
    cmocka_unit_test(the_hash_always_has_the_same_fields),
    cmocka_unit_test(a_kind_says_what_there_is_to_draw),
    cmocka_unit_test(waiting_parties_are_shown),
    cmocka_unit_test(an_overview_is_as_the_contract_has_it),
};
UNIT_TESTS(test_display_words, tests, NULL, NULL)
