/* What programs print for people: colours that are asked for, tables that line up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "producer/base/options.h"
#include "producer/terminal/terminal.h"
#include "producer/terminal/text_table.h"

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

static void test_who_gets_colours(void **state)
{
    static const struct option_group *const groups[] = {&colour_options, &common_options};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_line_up),
        cmocka_unit_test(test_colours_take_no_room),
        cmocka_unit_test(test_who_gets_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
