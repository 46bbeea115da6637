/* A resource that a dashboard follows: how much of its past is kept. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/dashboard/shown.h"

enum {
    SEATS = 20000
};

static char seats[SEATS + 1];
static const struct redis_field fields[] = {
    {"state", "open"}, {"epoch", "1"}, {"rev", "1"}, {"catalogue_rev", "1"}};

static struct shown *new_hall(void)
{
    const struct redis_picture picture = {
        .hash = {.fields = fields, .count = sizeof fields / sizeof *fields},
        .seats = seats,
        .seat_count = SEATS,
    };
    struct shown *hall = shown_new("hall");
    memset(seats, '.', SEATS);
    shown_load(hall, &picture, NULL, 1);
    return hall;
}

/* A seat is sold by each. */
static void take(struct shown *hall, int64_t rev)
{
    char text[256];
    int size = snprintf(text, sizeof text,
                        "{\"epoch\":1,\"rev\":%lld,\"from\":%lld,\"catalogue_rev\":1,"
                        "\"state\":\"open\",\"free\":0,\"held\":0,\"sold\":0,\"blocked\":0,"
                        "\"waiting\":0,\"seats\":[[%lld,\"s\"]]}",
                        (long long)rev, (long long)rev - 1, (long long)(rev % SEATS));
    assert_int_equal(shown_take(hall, text, (size_t)size, rev), CHANGE_APPLIES);
}

static const struct log_entry *oldest(const struct shown *hall)
{
    return ENTRY_OF(hall->log.oldest, struct log_entry, node);
}

/* The oldest goes, and what stays begins with a message that says all. */
static void test_the_past_is_bounded(void **state)
{
    int64_t rev = 1;
    size_t largest = 0;
    struct shown *hall = new_hall();
    (void)state;
    while (hall->log_size < SHOWN_LOG_MAX / 2)
        take(hall, ++rev);
    assert_int_equal(oldest(hall)->number, 0);
    for (int64_t last = 8 * rev; rev < last;) {
        take(hall, ++rev);
        largest = hall->log_size > largest ? hall->log_size : largest;
        assert_true(oldest(hall)->whole);
    }
    assert_in_range(largest, SHOWN_LOG_MAX, SHOWN_LOG_MAX + SHOWN_LOG_MAX / 8);
    assert_in_range(oldest(hall)->rev, rev / 2, rev);
    assert_ptr_equal(shown_entry(hall, oldest(hall)->number), oldest(hall));
    assert_null(shown_entry(hall, 0));
    assert_non_null(shown_entry_at(hall, 1, rev));
    assert_int_equal(strspn(hall->seats, "s"), SEATS);
    shown_free(hall);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_past_is_bounded),
};
UNIT_TESTS(test_shown, tests, NULL, NULL)
