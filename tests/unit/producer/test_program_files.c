/*
 * usher-producer and the files that it reads: halls, checked, drawn and defined, and CSV files of
 * resources. Runs the program that was built beside this test; no Kafka.
 */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "run_producer.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

#define PLAYHOUSE "deploy/examples/playhouse.json"
#define SHOWS "deploy/examples/shows.csv"

/* A hall in the short form, with a row that begins at 5 and a section without rows. */
#define SHORT                                                                                    \
    "echo "                                                                                      \
    "'{\"sections\":[{\"section\":\"stalls\",\"price\":7,\"rows\":[{\"row\":\"A\",\"seats\":3}," \
    "{\"row\":\"B\",\"seats\":2,\"first\":5,\"features\":{\"aisle\":[2]}}]},"                    \
    "{\"section\":\"floor\",\"capacity\":9}]}'"

static char text[1200000];

static void says(const char *words, int exit_code, const char *message)
{
    int code = run_producer(words, text, sizeof text);
    if (code != exit_code || strstr(text, message) == NULL)
        fail_msg("usher-producer %s: exit code %d, said: %.2000s", words, code, text);
}

/* With what `input` prints as standard input. */
static void fed_says(const char *input, const char *words, int exit_code, const char *message)
{
    int code = run_producer_fed(input, words, text, sizeof text);
    if (code != exit_code || strstr(text, message) == NULL)
        fail_msg("%s | usher-producer %s: exit code %d, said: %.2000s", input, words, code, text);
}

/* What a hall of JSON is told. */
static void check_says(const char *json, int exit_code, const char *message)
{
    char input[4096];
    snprintf(input, sizeof input, "printf '%%s' '%s'", json);
    fed_says(input, "chart check -", exit_code, message);
}

/* ---- chart check ---- */

static void test_check_counts_what_is_in_a_plan(void **state)
{
    (void)state;
    says("chart check " PLAYHOUSE, USHER_EXIT_DONE,
         "premium: 4 rows, 74 seats, 8 aisle\n"
         "stalls: 10 rows, 234 seats, 20 aisle, 2 restricted_view, 2 accessible, 2 companion\n"
         "circle: 5 rows, 96 seats\n"
         "circle side: 10 rows, 50 seats, 12 restricted_view\n"
         "box: 8 rows, 22 seats, 4 restricted_view\n"
         "5 sections, 37 rows, 476 seats\n"
         "chart sha256:");
}

/* Of one row of four seats, and of one zone of four rows of a seat, at these places. */
static const char *row_at(const char *fields, int a, int b, int c, int d)
{
    static char json[2048];
    int size = snprintf(json, sizeof json,
                        "{\"categories\":[{\"name\":\"a\"}],\"zones\":[{\"rows\":[{"
                        "\"row_number\":\"1\",\"seats\":[");
    const int x[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        size += snprintf(
            json + size, sizeof json - (size_t)size,
            "%s{\"seat_guid\":\"s%d\",\"category\":\"a\",\"position\":{\"x\":%d,\"y\":0}%s}",
            i > 0 ? "," : "", i, x[i], fields);
    snprintf(json + size, sizeof json - (size_t)size, "]}]}]}");
    return json;
}

static const char *rows_at(int a, int b, int c, int d)
{
    static char json[2048];
    int size =
        snprintf(json, sizeof json, "{\"categories\":[{\"name\":\"a\"}],\"zones\":[{\"rows\":[");
    const int y[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        size += snprintf(
            json + size, sizeof json - (size_t)size,
            "%s{\"row_number\":\"%d\",\"seats\":[{\"seat_guid\":\"s%d\",\"category\":\"a\","
            "\"position\":{\"x\":0,\"y\":%d}}]}",
            i > 0 ? "," : "", i + 1, i, y[i]);
    snprintf(json + size, sizeof json - (size_t)size, "]}]}");
    return json;
}

static void check_is_silent(const char *json)
{
    check_says(json, USHER_EXIT_DONE, "chart sha256:");
    if (strstr(text, "warning"))
        fail_msg("%s: %s", json, text);
}

static void test_check_points_at_what_looks_wrong(void **state)
{
    (void)state;
    check_is_silent(row_at("", 0, 20, 40, 60));
    check_is_silent(row_at("", 60, 40, 20, 0));
    check_is_silent(row_at("", 0, 20, 50, 70)); /* a pillar */
    check_is_silent(row_at(",\"uuid\":\"u\",\"seat_number\":\"1\",\"rank\":1", 0, 20, 40, 60));
    check_says(
        row_at("", 0, 20, 80, 100), USHER_EXIT_DONE,
        "warning: a: a gap in 1 row (row 1, s1 and s2 are 60 apart, others 20). usher seats a "
        "party across it, unless the parts are rows of their own\n");
    check_says(row_at("", 0, 40, 20, 60), USHER_EXIT_DONE,
               "warning: row 1: its seats are not listed in the order in which they stand");
    check_says(row_at(",\"wheelchair\":true", 0, 20, 40, 60), USHER_EXIT_DONE,
               "warning: seats have \"wheelchair\", which usher ignores");
    check_says(row_at(",\"a\\u001b\":1,\"b\":2", 0, 20, 40, 60), USHER_EXIT_DONE,
               "warning: seats have \"a?\", which usher ignores; what a seat has is in its "
               "\"features\"\nwarning: seats have \"b\"");
    check_is_silent(rows_at(0, 30, 60, 90));
    check_is_silent(rows_at(90, 60, 30, 0)); /* from back to front */
    check_says(
        rows_at(60, 0, 30, 90), USHER_EXIT_DONE,
        "warning: a: from row 1 on the rows are not listed in the order in which they stand");
}

static void test_check_knows_the_short_form(void **state)
{
    static const char layout[] =
        "{\"sections\":[{\"section\":\"s\",\"rows\":[{\"row\":\"A\",\"seats\":3}]}]}";
    const struct usher_section *sections;
    uint32_t count;
    struct usher_arena arena = {0};
    struct usher_buffer json = {0};
    char name[72];
    (void)state;
    fed_says(SHORT, "chart check -", USHER_EXIT_DONE,
             "stalls: 2 rows, 5 seats, 1 aisle\nfloor: no rows\n2 sections, 2 rows, 5 seats\n");
    fed_says(SHORT, "chart check --json -", USHER_EXIT_DONE,
             "\"sections\":[{\"section\":\"stalls\",\"rows\":2,\"seats\":5},"
             "{\"section\":\"floor\",\"rows\":0,\"seats\":0}],\"warnings\":[]}\n");
    assert_int_equal(usher_chart_decode(layout, sizeof layout - 1, &arena, &sections, &count, NULL),
                     USHER_OK);
    usher_chart_encode(sections, count, &json);
    usher_chart_name(json.at, json.size, name);
    check_says(layout, USHER_EXIT_DONE, name);
    usher_buffer_deinit(&json);
    usher_arena_deinit(&arena);
}

static void test_check_names_zone_row_and_seat(void **state)
{
    (void)state;
    fed_says("sed 's/\"Box3-1\"/\"Box3-2\"/' " PLAYHOUSE, "chart check -", USHER_EXIT_BAD_INPUT,
             "could not read \"-\": zone \"Boxes left\", row \"Box 3\", seat \"Box3-2\"");
    fed_says("sed '0,/\"category\": \"box\"/s//\"category\": \"bx\"/' " PLAYHOUSE, "chart check -",
             USHER_EXIT_BAD_INPUT, "seat \"Box1-1\": unknown category \"bx\"");
    check_says("{\"sections\":[{\"section\":\"a\",\"rows\":[{\"row\":\"A\",\"seats\":20}]},"
               "{\"section\":\"b\",\"rows\":[{\"row\":\"A\",\"seats\":1,\"first\":3}]}]}",
               USHER_EXIT_BAD_INPUT,
               "section \"b\", row \"A\", seat \"A-3\": also in section \"a\", row \"A\"");
    check_says("{\"sections\":[{\"section\":\"a\",\"rows\":[{\"row\":\"A\",\"seats\":0}]}]}",
               USHER_EXIT_BAD_INPUT,
               "could not read \"-\": sections[0].rows[0].seats: 0 is below 1");
    check_says("{}", USHER_EXIT_BAD_INPUT, "it has neither zones, as a seating plan, nor sections");
    check_says("[]", USHER_EXIT_BAD_INPUT,
               "could not read \"-\": an array instead of a JSON object");
    check_says("{\"zones\":[],\n\"zones\":[]}", USHER_EXIT_BAD_INPUT,
               "could not read \"-\" line 2: not JSON: duplicate object key \"zones\" ");
    says("chart check /nonexistent", USHER_EXIT_BAD_INPUT,
         "could not read \"/nonexistent\": No such file or directory");
}

/* ---- chart draw ---- */

static void test_a_drawing(void **state)
{
    static const char expected[] = "stalls\n"
                                   "  A  S S S\n"
                                   "  B  S S*\n"
                                   "\n"
                                   "  S stalls, 5 seats\n"
                                   "  floor, no rows\n"
                                   "  * aisle, 1 seat\n";
    (void)state;
    fed_says(SHORT, "chart draw --color=never -", USHER_EXIT_DONE, "stalls");
    assert_string_equal(text, expected);
}

/* Seats at their x, in rows by their y: two sections in one row, an aisle beside and one behind. */
static void test_a_drawing_by_places(void **state)
{
    static const char hall[] =
        "{\"sections\":[{\"section\":\"back\",\"rows\":["
        "{\"row\":\"C\",\"seats\":2,\"zone\":\"hall\",\"x\":[0,10],\"y\":[100,100]}]},"
        "{\"section\":\"cheap\",\"rows\":["
        "{\"row\":\"B\",\"seats\":1,\"zone\":\"hall\",\"names\":[\"x\"],\"x\":[60],\"y\":[12]}]},"
        "{\"section\":\"best\",\"rows\":["
        "{\"row\":\"B\",\"seats\":2,\"zone\":\"hall\",\"x\":[0,10],\"y\":[10,11]},"
        "{\"row\":\"A\",\"seats\":3,\"zone\":\"hall\",\"x\":[20,10,0],\"y\":[0,0,0]}]}]}";
    static const char expected[] = "hall\n"
                                   "  A  E E E\n"
                                   "  B  E E       C\n"
                                   "\n"
                                   "  C  B B\n"
                                   "\n"
                                   "  B back, 2 seats\n"
                                   "  C cheap, 1 seat\n"
                                   "  E best, 5 seats\n";
    char input[2000];
    (void)state;
    snprintf(input, sizeof input, "echo '%s'", hall);
    fed_says(input, "chart draw -", USHER_EXIT_DONE, "hall");
    assert_string_equal(text, expected);
}

static size_t longest_line(const char *at)
{
    size_t longest = 0;
    while (*at != '\0') {
        size_t size = strcspn(at, "\n");
        longest = size > longest ? size : longest;
        at += size + (at[size] == '\n');
    }
    return longest;
}

static void test_a_drawing_keeps_to_its_width(void **state)
{
    (void)state;
    says("chart draw " PLAYHOUSE, USHER_EXIT_DONE, "  Box 8  B B B\n");
    assert_true(longest_line(text) <= 80);
    says("chart draw --width 40 " PLAYHOUSE, USHER_EXIT_DONE, "  A       PPPPPPP* *PPPPPPP\n");
    assert_true(longest_line(text) <= 40);
    fed_says("echo '{\"sections\":[{\"section\":\"s\",\"rows\":[{\"row\":\"A\",\"seats\":50}]}]}'",
             "chart draw --width 40 -", USHER_EXIT_DONE, "s, part 1 of 2\n");
    assert_true(longest_line(text) <= 40);
    assert_non_null(strstr(text, "\n\ns, part 2 of 2\n  A  SSSSSSSSSSSSSSS\n"));
}

/* ---- define --plan ---- */

/* The first line of what was printed, as JSON. */
static yyjson_doc *request_of(const char *input, const char *words)
{
    assert_int_equal(run_producer_fed(input, words, text, sizeof text), USHER_EXIT_DONE);
    yyjson_doc *request =
        yyjson_read_opts(text, strlen(text), YYJSON_READ_STOP_WHEN_DONE, NULL, NULL);
    assert_non_null(request);
    return request;
}

static void test_define_with_a_plan(void **state)
{
    (void)state;
    yyjson_doc *request = request_of(":", "define show:x --plan " PLAYHOUSE " --rates premium=9000 "
                                          "--rates stalls=adult:4500,child:2500 --rates circle=1 "
                                          "--rates 'circle side=2' --rates box=3 --dry-run");
    yyjson_val *root = yyjson_doc_get_root(request);
    yyjson_doc *plan = yyjson_read_file(PLAYHOUSE, YYJSON_READ_NOFLAG, NULL, NULL);
    static const char sections[] =
        "[{\"section\":\"premium\",\"price\":9000},{\"section\":"
        "\"stalls\",\"rates\":{\"adult\":4500,\"child\":2500}},{\"section\":"
        "\"circle\",\"price\":1},{\"section\":\"circle side\",\"price\":2},"
        "{\"section\":\"box\",\"price\":3}]";
    yyjson_doc *priced = yyjson_read(sections, strlen(sections), YYJSON_READ_NOFLAG);
    assert_true(yyjson_equals(yyjson_obj_get(root, "plan"), yyjson_doc_get_root(plan)));
    assert_true(yyjson_equals(yyjson_obj_get(root, "sections"), yyjson_doc_get_root(priced)));
    yyjson_doc_free(request);
    yyjson_doc_free(plan);
    yyjson_doc_free(priced);
}

static void test_define_with_the_short_form(void **state)
{
    (void)state;
    fed_says(
        SHORT,
        "define show:x --request-id r --dry-run --rates stalls=adult:4 --section "
        "floor:price=1,overbook=1 --plan -",
        USHER_EXIT_DONE,
        "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"sections\":["
        "{\"section\":\"stalls\",\"rows\":[{\"row\":\"A\",\"seats\":3},{\"row\":\"B\",\"seats\":2,"
        "\"first\":5,\"features\":{\"aisle\":[2]}}],\"rates\":{\"adult\":4}},"
        "{\"section\":\"floor\",\"price\":1,\"capacity\":9,\"overbook\":1}]}\n");
    assert_null(strstr(text, "warning"));
}

static void test_define_is_careful_about_prices(void **state)
{
    (void)state;
    says(
        "define show:x --plan " PLAYHOUSE " --rates stals=1", USHER_EXIT_USAGE,
        "could not use --rates stals: the plan has no section \"stals\"; did you mean \"stalls\"?");
    fed_says(SHORT, "define show:x --dry-run --plan -", USHER_EXIT_DONE,
             "warning: no price was given for section \"floor\": an existing one keeps its price, "
             "a new one costs 0 (--rates floor=PRICE)\n");
    assert_null(strstr(text, "section \"stalls\":"));
    fed_says(
        ":", "define show:x --dry-run --section s:capacity=5 --product p:capacity=1,price=0",
        USHER_EXIT_DONE,
        "warning: no price was given for section \"s\": an existing one keeps its price, a new "
        "one costs 0 (price= or rates=)\n");
    assert_null(strstr(text, "\"p\":"));
}

static void test_what_is_over_is_said_to_be(void **state)
{
    static const struct {
        const char *flags, *warning;
    } cases[] = {
        {"--ends-at 2020-01-01T21:00:00Z", "warning: it has ended: nothing is sold"},
        {"--starts-at 2020-01-01T19:00:00Z", "warning: it has started, which stops no sale: "},
        {"--starts-at 2020-01-01T19:00:00Z --ends-at +1h", NULL},
        {"--starts-at +1h", NULL},
        {"--ends-at 2020-01-01T21:00:00Z --state closed", NULL},
        {"--room d:from=2020-01-01,to=2020-01-05,capacity=1,price=1", "without a --timezone they "},
        {"--timezone Asia/Tokyo --room d:from=2020-01-01,to=2020-01-05,capacity=1,price=1",
         "warning: all nights are over: none is sold"},
        {"--room d:from=2020-01-01,to=2100-01-05,capacity=1,price=1", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[400];
        snprintf(words, sizeof words, "define show:x --dry-run %s", cases[i].flags);
        says(words, USHER_EXIT_DONE, cases[i].warning ? cases[i].warning : "{");
        if (!cases[i].warning)
            assert_null(strstr(text, "warning"));
    }
    fed_says("echo '{\"ends_at\":\"2020-01-01T21:00:00Z\"}'",
             "define show:x --dry-run --file /dev/stdin", USHER_EXIT_DONE, "it has ended");
}

/* Places with 15 digits in 9,000 seats: the plan is larger than a request, its rows are not. */
static void test_a_plan_that_is_too_large_goes_as_rows(void **state)
{
    static const char make[] =
        "python3 -c 'import json; print(json.dumps({\"categories\":[{\"name\":\"s\"}],\"zones\":"
        "[{\"name\":\"z\",\"position\":{\"x\":0,\"y\":0},\"rows\":[{\"row_number\":str(r),"
        "\"seats\":"
        "[{\"seat_guid\":f\"{r}-{i}\",\"seat_number\":str(i),\"uuid\":\"0\"*36,\"position\":"
        "{\"x\":i*10+0.123456789012,\"y\":r*10+0.123456789012},\"category\":\"s\"} "
        "for i in range(90)]} for r in range(100)]}]}))'";
    (void)state;
    yyjson_doc *request = request_of(make, "define show:x --plan - --rates s=1 --dry-run");
    yyjson_val *root = yyjson_doc_get_root(request);
    yyjson_val *section = yyjson_arr_get(yyjson_obj_get(root, "sections"), 0);
    assert_null(yyjson_obj_get(root, "plan"));
    assert_int_equal(yyjson_arr_size(yyjson_obj_get(section, "rows")), 100);
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(section, "price")), 1);
    yyjson_doc_free(request);
}

/* ---- define --shows ---- */

/* Runs define on lines of CSV. */
static void shows_say(const char *csv, const char *flags, int exit_code, const char *message)
{
    char input[4096], words[1000];
    snprintf(input, sizeof input, "printf '%s'", csv);
    snprintf(words, sizeof words, "define --shows - %s --dry-run", flags);
    fed_says(input, words, exit_code, message);
}

static void test_lines_win_over_flags(void **state)
{
    (void)state;
    shows_say("resource,name,starts_at,ttl,state\\r\\nshow:a,\"Hamlet, Prince\",,,\\r\\n\\r\\n"
              "show:b,,2026-12-24T19:30:00+01:00,10m,open",
              "--name N --state draft --request-id r --client c", USHER_EXIT_DONE, "");
    assert_string_equal(
        text, "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:a\",\"client\":\"c\","
              "\"name\":\"Hamlet, Prince\",\"state\":\"draft\"}\n"
              "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:b\",\"client\":\"c\","
              "\"name\":\"N\",\"state\":\"open\",\"starts_at\":\"2026-12-24T18:30:00.000Z\","
              "\"hold_ttl_s\":600}\n");
}

static void test_lines_have_prices(void **state)
{
    (void)state;
    shows_say("\\357\\273\\277resource,rates:a,rates:p\\nx,\"adult:2,child:1\",5\\ny,,",
              "--rates a=7 --product p:price=8 --request-id r", USHER_EXIT_DONE, "");
    assert_string_equal(text,
                        "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"x\",\"sections\":"
                        "[{\"section\":\"a\",\"rates\":{\"adult\":2,\"child\":1}}],\"products\":"
                        "[{\"product\":\"p\",\"price\":5}]}\n"
                        "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"y\",\"sections\":"
                        "[{\"section\":\"a\",\"price\":7}],\"products\":"
                        "[{\"product\":\"p\",\"price\":8}]}\n");
}

/* The rows of a plan are named, not sent with each. */
static void test_lines_name_the_chart(void **state)
{
    char name[100] = "", *at;
    (void)state;
    says("chart check " PLAYHOUSE, USHER_EXIT_DONE, "chart sha256:");
    at = strstr(text, "sha256:");
    assert_int_equal(sscanf(at, "%99[a-f0-9sh:]", name), 1);
    shows_say("resource\\nshow:a\\nshow:b", "--request-id r --plan " PLAYHOUSE " --rates stalls=3",
              USHER_EXIT_DONE, name);
    assert_non_null(strstr(text, "\"sections\":[{\"section\":\"stalls\",\"price\":3}]"));
    assert_null(strstr(text, "zones"));
    says("define --shows " SHOWS " --plan " PLAYHOUSE " --currency GBP --dry-run", USHER_EXIT_DONE,
         "\"resource\":\"show:hamlet-2030-12-24\"");
    assert_null(strstr(text, "warning"));
}

static void test_each_bad_line_is_told_and_nothing_is_sent(void **state)
{
    static const char lines[] =
        "resource,name,starts_at,ttl,timezone\\n"
        "show:a,x,soon,,\\nshow b,,,,\\n,x,,,\\nshow:c,,,5y,\\nshow:d,,,,here now\\n"
        "show:e,x\\n\"show:f\"x,,,,\\nshow:g,a\"b,,,\\nshow:h,\\377,,,\\nshow:i,,,,\\n"
        "show:i,\"two\\nlines\",,,\\nshow:a,\"x";
    static const char *const messages[] = {
        " line 2 column 3 (starts_at): \"soon\" is neither an instant ",
        " line 3 column 1 (resource): \"show b\" has characters other than ",
        " line 4 column 1 (resource): empty\n",
        " line 5 column 4 (ttl): \"5y\" is not a duration ",
        " line 6 column 5 (timezone): \"here now\" is not the name of a time zone",
        " line 7: 2 columns, where the first line names 5\n",
        " line 8 column 1: text stands behind the quote that ends the field\n",
        " line 9 column 2: a quote inside a field that does not begin with one\n",
        " line 10 column 2: it is not text in UTF-8\n",
        " line 12 column 2 (name): \"two?lines\" has a control character",
        " line 14 column 2: the quote is never closed\n",
        "11 lines of \"-\" are bad; nothing was sent\n",
    };
    (void)state;
    shows_say(lines, "", USHER_EXIT_BAD_INPUT, "");
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++)
        if (strstr(text, messages[i]) == NULL)
            fail_msg("no \"%s\" in: %s", messages[i], text);
    shows_say("resource,name,opens_at\\na,+1d,+1d", "", USHER_EXIT_BAD_INPUT,
              " line 2 column 3 (opens_at): \"+1d\" counts from now, and a file may be read again");
    shows_say("resource\\na\\nb\\na", "", USHER_EXIT_BAD_INPUT,
              " line 4: \"a\" is on line 2 already\n");
}

static void test_a_file_that_cannot_be_used(void **state)
{
    (void)state;
    shows_say("resource;name\\nx;y", "", USHER_EXIT_BAD_INPUT,
              " line 1: its columns are separated by semicolons, not by commas");
    shows_say("resource,nmae\\nx,y", "", USHER_EXIT_BAD_INPUT,
              " line 1 column 2: unknown \"nmae\"; did you mean \"name\"?");
    shows_say("resource,resource", "", USHER_EXIT_BAD_INPUT,
              " line 1 column 2: duplicate \"resource\"");
    shows_say("name\\nx", "", USHER_EXIT_BAD_INPUT, "has no column \"resource\"");
    shows_say("resource\\n", "", USHER_EXIT_BAD_INPUT, "it has no line after the first");
    shows_say("", "", USHER_EXIT_BAD_INPUT, "it is empty");
    shows_say("resource,rates:stals\\nx,1", "--plan " PLAYHOUSE, USHER_EXIT_BAD_INPUT,
              " line 2 column 2 (rates:stals): the plan has no section \"stals\"; did you mean "
              "\"stalls\"?");
    says("define --shows /nonexistent", USHER_EXIT_BAD_INPUT,
         "could not read \"/nonexistent\": No such file or directory");
}

static void test_flags_that_do_not_go_with_shows(void **state)
{
    (void)state;
    shows_say("resource\\nx", "show:y", USHER_EXIT_USAGE,
              "could not use \"show:y\": --shows names the resources");
    shows_say("resource\\nx", "--file y", USHER_EXIT_USAGE, "give either --shows or --file");
    shows_say("resource\\nx", "--timezone 'a b'", USHER_EXIT_USAGE,
              "could not use --timezone: \"a b\"");
    shows_say("resource\\nx", "--section s:rows=A:1 --plan " PLAYHOUSE, USHER_EXIT_USAGE,
              "could not use --section s: with --shows all rows come from --plan");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_check_counts_what_is_in_a_plan),
    cmocka_unit_test(test_check_points_at_what_looks_wrong),
    cmocka_unit_test(test_check_knows_the_short_form),
    cmocka_unit_test(test_check_names_zone_row_and_seat),
    cmocka_unit_test(test_a_drawing),
    cmocka_unit_test(test_a_drawing_by_places),
    cmocka_unit_test(test_a_drawing_keeps_to_its_width),
    cmocka_unit_test(test_define_with_a_plan),
    cmocka_unit_test(test_define_with_the_short_form),
    cmocka_unit_test(test_define_is_careful_about_prices),
    cmocka_unit_test(test_what_is_over_is_said_to_be),
    cmocka_unit_test(test_a_plan_that_is_too_large_goes_as_rows),
    cmocka_unit_test(test_lines_win_over_flags),
    cmocka_unit_test(test_lines_have_prices),
    cmocka_unit_test(test_lines_name_the_chart),
    cmocka_unit_test(test_each_bad_line_is_told_and_nothing_is_sent),
    cmocka_unit_test(test_a_file_that_cannot_be_used),
    cmocka_unit_test(test_flags_that_do_not_go_with_shows),
};
UNIT_TESTS(test_program_files, tests, run_producer_setup, NULL)
