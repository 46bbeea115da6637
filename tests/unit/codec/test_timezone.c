/*
 * Which date it is in a time zone, and which zones and currencies there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/currency.h"
#include "producer/codec/timezone.h"
#include "tests/unit/unit.h"
#include "usher/message.h"
#include "worker/program/system_timezones.h"

static const struct {
    const char *zone, *instant, *date;
} dates[] = {
    {"UTC", "2026-06-30T23:59:59.999Z", "2026-06-30"},
    {"UTC", "2026-07-01T00:00:00Z", "2026-07-01"},
    /* summer time is from the last Sunday of March to that of October */
    {"Europe/London", "2027-03-27T23:59:59Z", "2027-03-27"},
    {"Europe/London", "2027-03-28T22:59:59Z", "2027-03-28"},
    {"Europe/London", "2027-03-28T23:00:00Z", "2027-03-29"},
    {"Europe/London", "2026-10-24T23:00:00Z", "2026-10-25"},
    {"Europe/London", "2026-10-25T23:00:00Z", "2026-10-25"},
    {"GB", "2026-10-26T00:00:00Z", "2026-10-26"},
    /* where winter is what differs from the rule */
    {"Europe/Dublin", "2026-07-01T23:30:00Z", "2026-07-02"},
    {"Europe/Dublin", "2026-12-01T23:30:00Z", "2026-12-01"},
    {"America/New_York", "2026-11-01T03:59:59Z", "2026-10-31"},
    {"America/New_York", "2026-11-02T04:30:00Z", "2026-11-01"},
    {"America/New_York", "2026-07-02T04:00:00Z", "2026-07-02"},
    /* summer over the end of the year */
    {"Australia/Sydney", "2027-01-01T12:59:59Z", "2027-01-01"},
    {"Australia/Sydney", "2027-01-01T13:00:00Z", "2027-01-02"},
    {"Australia/Sydney", "2026-07-01T13:59:59Z", "2026-07-01"},
    {"Australia/Lord_Howe", "2026-07-01T13:29:59Z", "2026-07-01"},
    {"Australia/Lord_Howe", "2026-12-01T13:00:00Z", "2026-12-02"},
    {"Asia/Kolkata", "2026-01-01T18:30:00Z", "2026-01-02"},
    {"Pacific/Kiritimati", "2026-12-31T10:00:00Z", "2027-01-01"},
    {"Pacific/Pago_Pago", "2027-01-01T10:59:59Z", "2026-12-31"},
    {"Etc/GMT+12", "2027-01-01T11:59:59Z", "2026-12-31"},
    /* clocks went back for Ramadan there, … */
    {"Africa/Casablanca", "2026-01-25T23:30:00Z", "2026-01-26"},
    {"Africa/Casablanca", "2026-02-25T23:30:00Z", "2026-02-25"},
    {"Africa/Casablanca", "2026-04-25T23:30:00Z", "2026-04-26"},
    {"Africa/Casablanca", "2027-04-25T23:30:00Z", "2027-04-25"}, /* … and stay since */
    /* whose rules change at a date */
    {"America/Vancouver", "2026-03-08T07:30:00Z", "2026-03-07"},
    {"America/Vancouver", "2027-01-08T07:30:00Z", "2027-01-08"},
    {"America/Havana", "2027-01-08T04:30:00Z", "2027-01-08"},
    {"America/Havana", "2028-01-08T04:30:00Z", "2028-01-07"},
    {"Cuba", "2028-06-08T04:30:00Z", "2028-06-08"},
    {"Nowhere/City", "2027-01-01T11:59:59Z", "2026-12-31"},
    {"Nowhere/City", "2027-01-01T12:00:00Z", "2027-01-01"},
};

static void a_night_is_of_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        int64_t ms;
        char date[USHER_NIGHT_SIZE];
        assert_true(usher_instant_parse(dates[i].instant, &ms));
        usher_night_format(timezone_date(dates[i].zone, ms), date);
        assert_string_equal(dates[i].date, date);
    }
}

/* On days before which clocks change, too, and of a place that is nowhere. */
static void a_date_begins_at_midnight(void **state)
{
    (void)state;
    static const char *const zones[] = {"UTC",
                                        "Europe/London",
                                        "America/New_York",
                                        "Australia/Lord_Howe",
                                        "Pacific/Kiritimati",
                                        "America/Havana",
                                        "Africa/Cairo",
                                        "America/Santiago",
                                        "America/Nuuk",
                                        "Etc/GMT+12",
                                        "Africa/Casablanca",
                                        "Nowhere/City"};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        for (int32_t date = 20454; date < 20454 + 1000; date++) { /* from 2026 on */
            int64_t ms = timezone_midnight(zones[i], date);
            assert_int_equal(date, timezone_date(zones[i], ms));
            assert_int_equal(date - 1, timezone_date(zones[i], ms - 1));
        }
}

static void zones_have_their_names(void **state)
{
    (void)state;
    static const char *const known[] = {
        "Europe/London", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "EST5EDT", "Zulu"};
    static const char *const unknown[] = {
        "",       "Europe",         "London",  "europe/london",     "UT",        "Europe/Londn",
        "../etc", "Europe/London ", "GMT UTC", "America/Argentina", "localtime", "Factory"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(timezone_is_known(known[i]));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(timezone_is_known(unknown[i]));
}

static int32_t today(void)
{
    return (int32_t)(time(NULL) / 86400);
}

/* A newer system may know better, an older one cannot: the table is to be made of its release. */
static void no_zone_differs_from_the_system(void **state)
{
    (void)state;
    char release[TIMEZONES_RELEASE_SIZE], zone[TIMEZONE_NAME_SIZE] = "none";
    if (!system_timezones_release("/usr/share/zoneinfo", release) ||
        strcmp(release, timezone_release) < 0)
        skip();
    if (system_timezones_compare("/usr/share/zoneinfo", today(), zone) > 0)
        fail_msg("%s is otherwise in release %s: see tests/data/timezones.py", zone, release);
}

static void a_zone_that_differs_is_found(void **state)
{
    (void)state;
    char folder[] = "/tmp/timezones-XXXXXX", path[100], zone[TIMEZONE_NAME_SIZE] = "";
    char release[TIMEZONES_RELEASE_SIZE];
    assert_non_null(mkdtemp(folder));
    assert_false(system_timezones_release(folder, release));
    assert_int_equal(0, system_timezones_compare(folder, today(), zone));
    snprintf(path, sizeof path, "%s/GB", folder);
    assert_int_equal(0, symlink("/usr/share/zoneinfo/Europe/London", path));
    setenv("TZ", "Asia/Tokyo", 1);
    assert_int_equal(0, system_timezones_compare(folder, today(), zone));
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, symlink("/usr/share/zoneinfo/Europe/Lisbon", path)); /* the same hours */
    assert_int_equal(0, system_timezones_compare(folder, today(), zone));
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, symlink("/usr/share/zoneinfo/Europe/Berlin", path));
    assert_int_equal(1, system_timezones_compare(folder, today(), zone));
    assert_string_equal("GB", zone);
    assert_string_equal("Asia/Tokyo", getenv("TZ"));
    assert_int_equal(0, unlink(path));
    snprintf(path, sizeof path, "%s/tzdata.zi", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# version 2099a\n");
    fclose(file);
    assert_true(system_timezones_release(folder, release));
    assert_string_equal("2099a", release);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
}

static void currencies_have_their_exponents(void **state)
{
    (void)state;
    static const struct {
        const char *currency;
        int exponent;
    } cases[] = {{"GBP", 2},  {"AED", 2}, {"ZWG", 2}, {"JPY", 0},   {"BIF", 0},
                 {"KWD", 3},  {"TND", 3}, {"CLF", 4}, {"UYW", 4},   {"XYZ", -1},
                 {"gbp", -1}, {"GB", -1}, {"", -1},   {"GBPX", -1}, {"BPC", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cases[i].exponent, currency_exponent(cases[i].currency));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_night_is_of_the_place),
    cmocka_unit_test(a_date_begins_at_midnight),
    cmocka_unit_test(zones_have_their_names),
    cmocka_unit_test(no_zone_differs_from_the_system),
    cmocka_unit_test(a_zone_that_differs_is_found),
    cmocka_unit_test(currencies_have_their_exponents),
};
UNIT_TESTS(test_timezone, tests, NULL, NULL)
