/*
 * Charts: canonical text, back again, and the name that follows from it.
 */
#include <string.h>

#include "quotes.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

static const struct usher_row stalls[] = {
    {.row = "A", .seats = 20},
    {.row = "B", .seats = 22, .first = 5},
};
static const struct usher_row boxes[] = {{.row = "Box 1", .seats = 2, .first_given = true}};
static const struct usher_section sections[] = {
    {.section = "stalls", .price = 4500, .capacity = 42, .rows = stalls, .row_count = 2},
    {.section = "standing", .price = 2000, .capacity = 300},
    {.section = "boxes", .rows = boxes, .row_count = 1},
};

static const char *const canonical =
    "{'sections':[{'section':'stalls','rows':[{'row':'A','seats':20,'first':1},"
    "{'row':'B','seats':22,'first':5}]},"
    "{'section':'boxes','rows':[{'row':'Box 1','seats':2,'first':0}]}]}";

static void only_rows_make_a_chart(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_buffer out = {NULL, 0, 0};
    usher_chart_encode(sections, 3, &out);
    usher_buffer_append(&out, "", 1);
    assert_string_equal(out.at, quotes_double(&arena, canonical));

    const struct usher_section *back = NULL;
    uint32_t count = 0;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    assert_int_equal(usher_chart_decode(out.at, out.size - 1, &arena, &back, &count, &err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(back[0].section, "stalls");
    assert_int_equal(back[0].row_count, 2);
    assert_int_equal(back[0].rows[1].first, 5);
    assert_int_equal(back[0].rows[1].seats, 22);
    assert_string_equal(back[1].rows[0].row, "Box 1");
    assert_false(back[0].price_given);

    struct usher_buffer again = {NULL, 0, 0};
    usher_chart_encode(back, count, &again);
    assert_int_equal(again.size, out.size - 1);
    assert_memory_equal(again.at, out.at, again.size);
    usher_buffer_deinit(&again);
    usher_buffer_deinit(&out);
    usher_arena_deinit(&arena);
}

/* What a row has besides its numbers stands behind them: charts of plain rows keep their names. */
static void seats_with_names_and_places_come_back(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    const char *json = quotes_double(
        &arena,
        "{'sections':[{'section':'stalls','rows':[{'row':'A','seats':3,'first':1,"
        "'zone':'left','names':['g1','g2','Zo\xc3\xab'],'numbers':['1','2','2a'],'ranks':[0,2,"
        "1000000],"
        "'x':[-10000000,0,10000000],'y':[1,2,3],"
        "'features':{'accessible':[1,3],'aisle':[3]}},"
        "{'row':'','seats':1,'first':1,'names':['g4']},"
        "{'row':'B','seats':2,'first':7,'ranks':[5,6]},{'row':'C','seats':2,'first':1}]}]}");
    const struct usher_section *back = NULL;
    uint32_t count = 0;
    struct usher_buffer out = {NULL, 0, 0};
    assert_int_equal(usher_chart_decode(json, strlen(json), &arena, &back, &count, NULL), 0);
    const struct usher_row *row = back[0].rows;
    assert_string_equal(row[0].zone, "left");
    assert_string_equal(row[0].names[1], "g2");
    assert_string_equal(row[0].numbers[2], "2a");
    assert_null(row[1].numbers);
    assert_int_equal(row[0].ranks[2], 1000000);
    assert_int_equal(row[0].x[0], -10000000);
    assert_int_equal(row[0].y[2], 3);
    assert_int_equal(row[0].feature_count, 2);
    assert_int_equal(row[0].features[0].seats[1], 2);
    assert_string_equal(row[1].row, "");
    assert_null(row[3].names);
    usher_chart_encode(back, count, &out);
    usher_buffer_append(&out, "", 1);
    assert_string_equal(out.at, json);
    usher_buffer_deinit(&out);
    usher_arena_deinit(&arena);
}

static void no_rows_are_an_empty_chart(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_buffer out = {NULL, 0, 0};
    const struct usher_section *back = NULL;
    uint32_t count = 7;
    usher_chart_encode(sections + 1, 1, &out);
    assert_int_equal(out.size, strlen("{\"sections\":[]}"));
    assert_int_equal(usher_chart_decode(out.at, out.size, &arena, &back, &count, NULL), 0);
    assert_int_equal(count, 0);
    usher_buffer_deinit(&out);
    usher_arena_deinit(&arena);
}

static void what_is_no_chart_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "empty value"},
        {"{}", "sections: missing"},
        {"{'sections':{}}", "sections: an object is not an array"},
        {"{'sections':[{'rows':[{'row':'A','seats':1}]}]}", "sections[0].section: missing"},
        {"{'sections':[{'section':'a'}]}", "sections: \"a\" has no rows"},
        {"{'sections':[{'section':'a','rows':[{'row':'A'}]}]}", "sections[0].rows[0].seats"},
        {"{'sections':[{'section':'a','rows':[{'row':'','seats':1}]}]}",
         "sections[0].rows[0].row: empty"},
        {"{'sections':[{'section':'a','rows':[{'row':'A','seats':1,'features':{'x':[2]}}]}]}",
         "sections[0].rows[0].features.x: 2 is not the place of a seat, counted from 1"},
    };
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct usher_section *back = NULL;
        uint32_t count = 0;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(&arena, cases[i][0]);
        assert_int_equal(usher_chart_decode(json, strlen(json), &arena, &back, &count, &err),
                         USHER_REJECT);
        if (strstr(err.text, cases[i][1]) == NULL)
            fail_msg("%s: %s", json, err.text);
    }
    usher_arena_deinit(&arena);
}

/* Worked out with sha256sum. */
static void a_chart_is_named_by_its_text(void **state)
{
    (void)state;
    char name[72];
    usher_chart_name("{\"sections\":[]}", 15, name);
    assert_string_equal(name,
                        "sha256:777b5863d801327b008f5610aa3eb3a4fb47554f056e0961b393075db17a4274");
    usher_chart_name("", 0, name);
    assert_string_equal(name,
                        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(only_rows_make_a_chart),
    cmocka_unit_test(seats_with_names_and_places_come_back),
    cmocka_unit_test(no_rows_are_an_empty_chart),
    cmocka_unit_test(what_is_no_chart_is_rejected),
    cmocka_unit_test(a_chart_is_named_by_its_text),
};
UNIT_TESTS(test_codec_chart, tests, NULL, NULL)
