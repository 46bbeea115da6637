/*
 * usher-producer restrictions: rows of channels become defines, and a bad row is told by its line.
 * Runs the program that was built beside this test; no Kafka.
 */
#include <stdio.h>
#include <string.h>

#include "run_producer.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

static char text[300000];

static const struct step {
    const char *rows, *words; /* of the shell: what printf prints, and the flags */
    int exit_code;
    const char *says;
} steps[] = {
    {"arrival,room,rate,days,min,max,min_through,cta,ctd,stop\\n"
     "2030-12-21..2031-04-05,chalet,ski,sat+sun,7,14,3,true,false,1\\n"
     "\\n2031-01-01,chalet,,,,0,,N,Y,\\n",
     "--request-id c --client channel", USHER_EXIT_DONE,
     "{\"request_id\":\"c-1\",\"op\":\"define\",\"resource\":\"hotel:x\",\"client\":\"channel\","
     "\"restrictions\":[{\"room\":\"chalet\",\"from\":\"2030-12-21\",\"to\":\"2031-04-06\","
     "\"days\":"
     "[\"sat\",\"sun\"],\"rate\":\"ski\",\"min_stay_arrival\":7,\"max_stay\":14,"
     "\"min_stay_through\":3,\"closed_to_arrival\":true,\"closed_to_departure\":false,"
     "\"stop_sell\":true},{\"room\":\"chalet\",\"from\":\"2031-01-01\",\"to\":\"2031-01-02\","
     "\"max_stay\":0,\"closed_to_arrival\":false,\"closed_to_departure\":true}]}\n"},
    {"{\"arrival\":\"2031-01-01..2031-01-31\",\"days\":[\"sat\"],\"min\":7,\"rate\":null}\\n"
     "{\"arrival\":\"2031-01-02\",\"stop\":true,\"room\":\"loft\"}\\n",
     "--request-id c --room chalet --rows 1", USHER_EXIT_DONE,
     "{\"request_id\":\"c-1\",\"op\":\"define\",\"resource\":\"hotel:x\",\"restrictions\":[{"
     "\"room\":"
     "\"chalet\",\"from\":\"2031-01-01\",\"to\":\"2031-02-01\",\"days\":[\"sat\"],"
     "\"min_stay_arrival\":7}]}\n"
     "{\"request_id\":\"c-2\",\"op\":\"define\",\"resource\":\"hotel:x\",\"restrictions\":[{"
     "\"room\":"
     "\"loft\",\"from\":\"2031-01-02\",\"to\":\"2031-01-03\",\"stop_sell\":true}]}\n"},
    {"", "", USHER_EXIT_DONE, "0 rows in 0 defines\n"},
    {"arrival,room\\n2031-01-01,a\\n2031-01-02,a\\n2031-13-01,a\\n", "--rows 2 --request-id c",
     USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 4 (arrival): \"2031-13-01\" is not a date such as 2026-12-24"},
    {"arrival,rom\\n", "", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 1: unknown column \"rom\"; did you mean \"room\"?"},
    {"arrival,room\\n2031-01-01\\n", "", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 2: it has more or fewer columns than the first line"},
    {"arrival,room\\n\"2031-01-01,a\\n", "", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 2 column 1: the quote is never closed"},
    {"arrival\\n2031-01-01\\n", "", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 2: it has no room, and there is no --room"},
    {"min\\n3\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 2: it has no arrival"},
    {"arrival,min\\n2031-01-01,367\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 2 (min): \"367\" is not a whole number up to 366"},
    {"arrival,cta\\n2031-01-01,maybe\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 2 (cta): \"maybe\" is not true or false"},
    {"arrival\\n2031-01-09..2031-01-02\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 2: arrival: the first date is after the last"},
    {"arrival,min,min\\n2031-01-01,2,3\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 1: column \"min\" comes twice"},
    {"arrival,days\\n2031-01-01,sat\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 2: days: no date of the range is one of them"},
    {"{\"arrival\":\"2031-01-01\",\"min\":{}}\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 1: a value is neither text, number, truth nor list"},
    {"{\"arrival\":\"2031-01-01\",\"nights\":2}\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 1: unknown column \"nights\""},
    {"{\"arrival\":\"2031-01-01\"\\n", "--room a", USHER_EXIT_BAD_INPUT,
     "\"standard input\" line 1: not JSON"},
};

static void rows_become_defines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char input[1000], words[200];
        snprintf(input, sizeof input, "printf '%s'", steps[i].rows);
        snprintf(words, sizeof words, "restrictions hotel:x %s", steps[i].words);
        int code = run_producer_fed(input, words, text, sizeof text);
        if (code != steps[i].exit_code || !strstr(text, steps[i].says))
            fail_msg("%s: exit code %d, said: %.2000s", steps[i].rows, code, text);
    }
}

/* Files have a first line each; what comes before a bad row is printed. */
static void many_rows_are_many_defines(void **state)
{
    (void)state;
    int code =
        run_producer_fed("seq 1 2500 | awk 'BEGIN {print \"arrival,room,min\"} {print "
                         "\"2031-01-01..2031-03-31,r\" $1 \",\" $1 % 9} END {print \"x,y,z\"}'",
                         "restrictions hotel:x --request-id c", text, sizeof text);
    assert_int_equal(code, USHER_EXIT_BAD_INPUT);
    assert_non_null(strstr(text, "{\"request_id\":\"c-2\""));
    assert_null(strstr(text, "{\"request_id\":\"c-3\""));
    assert_non_null(strstr(text, "\"standard input\" line 2502 (arrival): \"x\""));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_become_defines),
    cmocka_unit_test(many_rows_are_many_defines),
};
UNIT_TESTS(test_restrictions_command, tests, run_producer_setup, NULL)
