/* What programs print for people: colours, tables, seats, progress. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/options.h"
#include "producer/terminal/chart_draw.h"
#include "producer/terminal/local_time.h"
#include "producer/terminal/money.h"
#include "producer/terminal/terminal.h"
#include "producer/terminal/text_table.h"
#include "tests/unit/unit.h"

/* A stream whose text is read after `finish`. */
static char *text;
static size_t size;

static FILE *begin(void)
{
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    return out;
}

static void finish_says(FILE *out, const char *expected)
{
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static const struct text_column columns[] = {
    {.title = "section"}, {.title = "free", .align = TEXT_RIGHT}, {.title = "price"}};

static void test_columns_line_up(void **state)
{
    struct text_table table;
    struct terminal terminal = {.out = begin()};
    (void)state;
    text_table_init(&table, columns, 3);
    text_table_add(&table, TERMINAL_PLAIN, "%s", "stalls");
    text_table_add(&table, TERMINAL_GOOD, "%d", 5);
    text_table_add(&table, TERMINAL_PLAIN, "45.00");
    text_table_add(&table, TERMINAL_PLAIN, "Öst");
    text_table_add(&table, TERMINAL_BAD, "1000");
    text_table_end_row(&table);
    text_table_print(&table, &terminal, 2);
    text_table_deinit(&table);
    finish_says(terminal.out, "  section  free  price\n"
                              "  stalls      5  45.00\n"
                              "  Öst      1000\n");
}

/* What others wrote must not be obeyed by a terminal: of ESC, and of CSI as one character. */
static void test_control_characters_are_shown(void **state)
{
    static const char evil[] = "a\033[2Jb\a\n\xc2\x9b"
                               "31mc\x7f";
    struct text_table table;
    struct terminal terminal = {.out = begin()};
    (void)state;
    terminal_write(terminal.out, evil, sizeof evil - 1);
    finish_says(terminal.out, "a?[2Jb???31mc?");
    /* Right-to-left override, isolate and its end, line separator, zero width; a joiner stays. */
    static const char hidden[] = "a\u202Eb\u2066c\u2069\u2028\u200B\u061C\uFEFF\u200Dö\xe2\x80";
    terminal.out = begin();
    terminal_write(terminal.out, hidden, sizeof hidden - 1);
    finish_says(terminal.out, "a?b?c?????\u200Dö\xe2\x80");
    terminal.out = begin();
    text_table_init(&table, columns, 3);
    text_table_add(&table, TERMINAL_PLAIN, "%s", evil);
    text_table_end_row(&table);
    text_table_print(&table, &terminal, 0);
    text_table_deinit(&table);
    finish_says(terminal.out, "section         free  price\na?[2Jb???31mc?\n");
}

static void test_colours_take_no_room(void **state)
{
    struct text_table table;
    static const struct text_column untitled[2];
    struct terminal terminal = {.out = begin(), .colour = true};
    (void)state;
    text_table_init(&table, untitled, 2);
    text_table_add(&table, TERMINAL_GOOD, "ok");
    text_table_add(&table, TERMINAL_PLAIN, "Kafka");
    text_table_add(&table, TERMINAL_BAD, "FAIL");
    text_table_add(&table, TERMINAL_PLAIN, "Redis");
    text_table_print(&table, &terminal, 0);
    text_table_deinit(&table);
    finish_says(terminal.out, "\033[32mok\033[0m    Kafka\n"
                              "\033[31mFAIL\033[0m  Redis\n");
}

static void print_fitted(int width, bool is_terminal, const char *expected)
{
    static const struct text_column narrow[] = {
        {.title = "id"},
        {.title = "seq", .align = TEXT_RIGHT, .drop = 2},
        {.title = "epoch", .align = TEXT_RIGHT, .drop = 3},
        {.title = "note", .cut = true},
        {.title = "at", .drop = 1},
    };
    struct text_table table;
    struct terminal terminal = {.out = begin(), .is_terminal = is_terminal, .width = width};
    text_table_init(&table, narrow, 5);
    text_table_add(&table, TERMINAL_PLAIN, "0102bf70");
    text_table_add(&table, TERMINAL_PLAIN, "4711");
    text_table_add(&table, TERMINAL_PLAIN, "12");
    text_table_add(&table, TERMINAL_PLAIN, "für die Presse, Öffnung um acht");
    text_table_add(&table, TERMINAL_PLAIN, "08:03");
    text_table_print(&table, &terminal, 2);
    text_table_deinit(&table);
    finish_says(terminal.out, expected);
}

/* Texts give first, then columns by their order; what must stay may be too wide all the same. */
static void test_tables_fit_the_terminal(void **state)
{
    static const char whole[] = "  id         seq  epoch  note                             at\n"
                                "  0102bf70  4711     12  für die Presse, Öffnung um acht  08:03\n";
    (void)state;
    print_fitted(63, true, whole);
    print_fitted(20, false, whole);
    print_fitted(62, true,
                 "  id         seq  epoch  note                            at\n"
                 "  0102bf70  4711     12  für die Presse, Öffnung um ac…  08:03\n");
    print_fitted(44, true,
                 "  id         seq  epoch  note          at\n"
                 "  0102bf70  4711     12  für die Pre…  08:03\n");
    print_fitted(43, true,
                 "  id         seq  note                at\n"
                 "  0102bf70  4711  für die Presse, Ö…  08:03\n"
                 "  not shown: epoch\n");
    print_fitted(10, true,
                 "  id        note\n"
                 "  0102bf70  für die Pre…\n"
                 "  not shown: seq, epoch, at\n");
}

static void test_who_gets_colours(void **state)
{
    static const struct option_group *const groups[] = {&output_options, &common_options};
    static const struct option_table table = {groups, 2};
    static const struct {
        const char *flag;
        bool colour;
    } cases[] = {{"--color=always", true}, {"--color=never", false}, {"--color=auto", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct options options;
        struct usher_error err;
        char program[] = "test", flag[32];
        char *const argv[] = {program, flag, NULL};
        snprintf(flag, sizeof flag, "%s", cases[i].flag);
        FILE *file = tmpfile();
        assert_non_null(file);
        assert_int_equal(options_load(&options, &table, 2, argv, &err), USHER_OK);
        struct terminal terminal = terminal_of(file, &options);
        assert_int_equal(terminal.colour, cases[i].colour);
        assert_false(terminal.is_terminal);
        assert_int_equal(terminal.width, 80);
        options_deinit(&options);
        fclose(file);
    }
}

/* ---- seats ---- */

static void test_neighbours_are_a_range(void **state)
{
    static const struct {
        const char *seats[6];
        const char *text;
    } cases[] = {
        {{"A-3", "A-4", "A-5", "A-6"}, "A-3..A-6"},
        {{"A-5", "A-6"}, "A-5 A-6"},
        {{"A-9", "A-10", "A-11", "B-12"}, "A-9..A-11 B-12"},
        {{"A-08", "A-09", "A-10"}, "A-08..A-10"},
        {{"A-8", "A-09", "A-10"}, "A-8 A-09 A-10"},
        {{"Box 1-1", "Box 1-2", "Box 1-3", "Box 2-1"}, "Box 1-1..Box 1-3 Box 2-1"},
        {{"3", "4", "5"}, "3 4 5"},
        {{"B-1", "B-2", "A-10", "A-9", "A-2"}, "A-2 A-9 A-10 B-1 B-2"},
        {{"A-3", "A-2", "A-1"}, "A-1..A-3"},
        {{"x", "A-07", "A-7", "A"}, "A A-07 A-7 x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *out = begin();
        uint32_t count = 0;
        while (count < 6 && cases[i].seats[count])
            count++;
        seat_ranges_print(cases[i].seats, NULL, count, out);
        finish_says(out, cases[i].text);
    }
}

static void test_places_of_seats(void **state)
{
    static const char *const seats[] = {"u1", "u2", "u3", "u4", "u5"};
    static const char *const places[] = {"Block D, row 10, seat 8", "Block D, row 2, seat 8",
                                         "Loge", "Block D, row 2, seat 7", "Loge"};
    (void)state;
    FILE *out = begin();
    seat_ranges_print(seats, places, 5, out);
    finish_says(out, "Block D, row 2, seat 7, 8; Block D, row 10, seat 8; Loge; Loge");
}

static void test_amounts_of_any_size(void **state)
{
    (void)state;
    FILE *out = begin();
    money_print(INT64_MIN, "EUR", out);
    finish_says(out, "-92233720368547758.08");
    out = begin();
    money_print(-5, "EUR", out);
    finish_says(out, "-0.05");
}

static void test_ranges_that_are_none(void **state)
{
    static const char *const none[] = {"A-3", "A-3..B-6", "A-6..A-3", "A..C",
                                       "..",  "A-3..A-x", "A-..A-3",  "A-1..A-9999999999"};
    struct seat_range range;
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(seat_range_read(none[i], &range));
    assert_true(seat_range_read("A-3..A-3", &range));
    assert_int_equal(range.last - range.first, 0);
}

/* ---- times ---- */

static void test_times_of_a_place(void **state)
{
    enum {
        HALF_PAST_SIX_PM = 19 * 3600000 - 1800000
    };
    char said[LOCAL_TIME_SIZE] = "";
    const int64_t day_ms = INT64_C(20811) * 86400000; /* 2026-12-24 */
    (void)state;
    assert_false(local_time_format(day_ms, "Europe/Paris", said));
    local_time_init();
    assert_true(local_time_format(day_ms + HALF_PAST_SIX_PM, "Europe/Paris", said));
    assert_string_equal(said, "2026-12-24 19:30 CET");
    assert_true(local_time_format(day_ms + HALF_PAST_SIX_PM, "Asia/Tokyo", said));
    assert_string_equal(said, "2026-12-25 03:30 JST");
    assert_true(local_time_format(day_ms - INT64_C(180) * 86400000, "Europe/Paris", said));
    assert_string_equal(said, "2026-06-27 02:00 CEST");
    assert_false(local_time_format(day_ms, "Europe/Pariss", said));
    assert_false(local_time_format(day_ms, "../../../etc/passwd", said));
}

static void test_times_by_the_clocks_that_are_chosen(void **state)
{
    static const struct {
        const char *zone, *winter, *summer;
    } cases[] = {
        {"UTC", "2026-12-24 19:30:05Z", "2026-06-24 19:30:05Z"},
        {"Europe/London", "2026-12-24 19:30:05Z", "2026-06-24 20:30:05+01"},
        {"America/New_York", "2026-12-24 14:30:05-05", "2026-06-24 15:30:05-04"},
        {"Asia/Kolkata", "2026-12-25 01:00:05+05:30", "2026-06-25 01:00:05+05:30"},
        {"America/St_Johns", "2026-12-24 16:00:05-03:30", "2026-06-24 17:00:05-02:30"},
    };
    const int64_t at_ms = (INT64_C(20811) * 86400 + 19 * 3600 + 1805) * 1000 + 999;
    char said[LOCAL_TIME_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(local_time_choose(cases[i].zone));
        local_time_stamp(at_ms, said);
        assert_string_equal(said, cases[i].winter);
        local_time_stamp(at_ms - INT64_C(183) * 86400000, said);
        assert_string_equal(said, cases[i].summer);
    }
    assert_false(local_time_choose("Europe/Pariss"));
    setenv("TZ", "Asia/Tokyo", 1);
    assert_true(local_time_choose(NULL));
    local_time_stamp(at_ms, said);
    assert_string_equal(said, "2026-12-25 04:30:05+09");
    assert_true(local_time_format(at_ms, "Europe/Paris", said));
    local_time_stamp(at_ms, said);
    assert_string_equal(said, "2026-12-25 04:30:05+09");
}

/* ---- progress ---- */

static void test_progress_waits_for_its_time(void **state)
{
    struct progress progress;
    char said[200] = "";
    FILE *file = tmpfile();
    int descriptor = dup(STDERR_FILENO);
    (void)state;
    assert_non_null(file);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    progress_begin(&progress);
    progress_show(&progress, "too early");
    progress.next_ms = 0;
    progress_show(&progress, "%d of %d", 3, 7);
    progress_show(&progress, "too early again");
    progress_clear(&progress);
    assert_true(dup2(descriptor, STDERR_FILENO) >= 0);
    close(descriptor);
    rewind(file);
    assert_int_equal(fread(said, 1, sizeof said - 1, file), strlen("3 of 7\n"));
    assert_string_equal(said, "3 of 7\n");
    fclose(file);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_columns_line_up),
    cmocka_unit_test(test_control_characters_are_shown),
    cmocka_unit_test(test_colours_take_no_room),
    cmocka_unit_test(test_tables_fit_the_terminal),
    cmocka_unit_test(test_who_gets_colours),
    cmocka_unit_test(test_neighbours_are_a_range),
    cmocka_unit_test(test_places_of_seats),
    cmocka_unit_test(test_ranges_that_are_none),
    cmocka_unit_test(test_amounts_of_any_size),
    cmocka_unit_test(test_times_of_a_place),
    cmocka_unit_test(test_times_by_the_clocks_that_are_chosen),
    cmocka_unit_test(test_progress_waits_for_its_time),
};
UNIT_TESTS(test_terminal, tests, NULL, NULL)
