/*
 * Instants and nights: known dates, what is no date, and every day there and back.
 */
#include <time.h>

#include "tests/unit/unit.h"
#include "usher/message.h"

static void nights_are_read_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t day; /* -1: none */
    } rows[] = {
        {"1970-01-01", 0},     {"1970-12-31", 364},     {"2000-02-29", 11016},
        {"2026-12-24", 20811}, {"9999-12-31", 2932896}, {"1969-12-31", -1},
        {"2026-02-29", -1},    {"2100-02-29", -1},      {"2026-04-31", -1},
        {"2026-00-10", -1},    {"2026-13-01", -1},      {"2026-01-00", -1},
        {"2026-01-32", -1},    {"2026-1-01", -1},       {"2026/01/01", -1},
        {"2026-01-01 ", -1},   {"2026-01-01T", -1},     {"", -1},
        {"2026", -1},          {"10000-01-01", -1},     {"+026-01-01", -1},
        {"2026-01-0\xc3", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t day = -1;
        bool is_read = usher_night_parse(rows[i].text, &day);
        if (is_read != (rows[i].day >= 0) || (is_read && day != rows[i].day))
            fail_msg("\"%s\" gave %d, %d", rows[i].text, is_read, day);
    }
}

/* Against the calendar of the C library. */
static void every_night_comes_back(void **state)
{
    (void)state;
    for (int32_t day = 0; day <= 2932896; day += day < 40000 ? 1 : 17) {
        time_t seconds = (time_t)day * 86400;
        struct tm date;
        char wanted[USHER_NIGHT_SIZE];
        char text[USHER_NIGHT_SIZE];
        int32_t back = -1;
        assert_non_null(gmtime_r(&seconds, &date));
        assert_int_equal(strftime(wanted, sizeof wanted, "%Y-%m-%d", &date), 10);
        usher_night_format(day, text);
        assert_string_equal(text, wanted);
        assert_true(usher_night_parse(text, &back));
        assert_int_equal(back, day);
    }
}

static void instants_are_read_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms; /* -1: none */
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-12-24T19:30:00.000Z", INT64_C(1798140600000)},
        {"2026-12-24T19:30:00.25Z", INT64_C(1798140600250)},
        {"2026-12-24T19:30:00.2509999999999999999999Z", INT64_C(1798140600250)},
        {"9999-12-31T23:59:59.999Z", INT64_C(253402300799999)},
        {"2026-12-24T19:30:00", -1},
        {"2026-12-24T19:30:00.Z", -1},
        {"2026-12-24T19:30:00.1", -1},
        {"2026-12-24T19:30:00+00:00", -1},
        {"2026-12-24t19:30:00z", -1},
        {"2026-12-24 19:30:00Z", -1},
        {"2026-12-24T24:00:00Z", -1},
        {"2026-12-24T19:60:00Z", -1},
        {"2026-12-24T19:30:60Z", -1},
        {"2026-12-24T19:30Z", -1},
        {"2026-12-24T-1:30:00Z", -1},
        {"2026-12-24T19:30:00ZZ", -1},
        {"2026-02-30T19:30:00Z", -1},
        {"2026-12-24", -1},
        {"2026-12-24T", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t ms = -1;
        bool is_read = usher_instant_parse(rows[i].text, &ms);
        if (is_read != (rows[i].ms >= 0) || (is_read && ms != rows[i].ms))
            fail_msg("\"%s\" gave %d, %lld", rows[i].text, is_read, (long long)ms);
    }
}

static void instants_come_back(void **state)
{
    (void)state;
    static const int64_t instants[] = {0, 1, 999, INT64_C(1798140600250), INT64_C(253402300799999)};
    for (size_t i = 0; i < sizeof instants / sizeof instants[0]; i++) {
        char text[USHER_INSTANT_SIZE];
        int64_t back = -1;
        usher_instant_format(instants[i], text);
        assert_true(usher_instant_parse(text, &back));
        assert_true(back == instants[i]);
    }
    char text[USHER_INSTANT_SIZE];
    usher_instant_format(INT64_C(1798140607089), text);
    assert_string_equal(text, "2026-12-24T19:30:07.089Z");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nights_are_read_or_refused),
    cmocka_unit_test(every_night_comes_back),
    cmocka_unit_test(instants_are_read_or_refused),
    cmocka_unit_test(instants_come_back),
};
UNIT_TESTS(test_time, tests, NULL, NULL)
