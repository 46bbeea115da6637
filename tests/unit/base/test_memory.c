/*
 * The arena, the buffer, and error texts that do not fit.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "usher/memory.h"

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    unsigned char *pieces[200];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 200; i++) {
            size_t size = i * 37;
            pieces[i] = usher_arena_alloc(&arena, size);
            assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
            for (size_t at = 0; at < size; at++)
                assert_int_equal(pieces[i][at], 0);
            memset(pieces[i], (int)i, size);
            (void)usher_arena_text(&arena, "odd", 3);
        }
        for (size_t i = 0; i < 200; i++)
            for (size_t at = 0; at < i * 37; at++)
                assert_int_equal(pieces[i][at], i);
        usher_arena_reset(&arena);
    }
    usher_arena_deinit(&arena);
}

static void a_reset_gives_the_same_memory_again(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    void *first = usher_arena_alloc(&arena, 1000);
    void *second = usher_arena_alloc(&arena, 100000);
    usher_arena_reset(&arena);
    assert_ptr_equal(usher_arena_alloc(&arena, 1000), first);
    assert_ptr_equal(usher_arena_alloc(&arena, 100000), second);
    usher_arena_deinit(&arena);
    assert_null(arena.first);
    assert_string_equal(usher_arena_text(&arena, "again", 5), "again");
    usher_arena_deinit(&arena);
}

/* A batch of large defines must not stay in memory for ever. */
static void a_reset_keeps_at_most_4_mib(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    for (int i = 0; i < 20; i++)
        memset(usher_arena_alloc(&arena, 1000000), 1, 1000000);
    usher_arena_reset(&arena);
    void *kept = arena.first;
    assert_non_null(kept);
    memset(usher_arena_alloc(&arena, 9000000), 1, 9000000);
    usher_arena_reset(&arena);
    assert_ptr_equal(arena.first, kept);
    usher_arena_deinit(&arena);

    memset(usher_arena_alloc(&arena, 9000000), 1, 9000000);
    usher_arena_reset(&arena);
    assert_null(arena.first);
    usher_arena_deinit(&arena);
}

static void text_is_copied_with_its_end(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    assert_string_equal(usher_arena_text(&arena, "hamlet", 3), "ham");
    assert_string_equal(usher_arena_text(&arena, NULL, 0), "");
    assert_string_equal(usher_arena_format(&arena, "%s-%d", "B", 12), "B-12");
    usher_arena_deinit(&arena);
}

/* What is formatted is tried where the block has room; whatever is left of it, all is there. */
static void what_is_formatted_fits_into_any_rest_of_a_block(void **state)
{
    (void)state;
    for (size_t used = 1000; used <= 1040; used++) {
        struct usher_arena arena = {NULL, NULL, 0};
        memset(usher_arena_room(&arena, used), 1, used);
        char *text = usher_arena_format(&arena, "%s", "0123456789");
        char *next = usher_arena_text(&arena, "next", 4);
        assert_string_equal(text, "0123456789");
        assert_string_equal(next, "next");
        usher_arena_deinit(&arena);
    }
}

static void a_buffer_grows_as_it_is_written(void **state)
{
    (void)state;
    struct usher_buffer buffer = {NULL, 0, 0};
    for (int i = 0; i < 10000; i++)
        usher_buffer_text(&buffer, "usher");
    assert_int_equal(buffer.size, 50000);
    for (size_t i = 0; i < buffer.size; i += 5)
        assert_memory_equal(buffer.at + i, "usher", 5);
    usher_buffer_deinit(&buffer);
    assert_null(buffer.at);
}

static void numbers_are_written_in_full(void **state)
{
    (void)state;
    static const struct {
        int64_t number;
        const char *text;
    } rows[] = {
        {0, "0"},
        {7, "7"},
        {-1, "-1"},
        {10, "10"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    struct usher_buffer buffer = {NULL, 0, 0};
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(usher_arena_number(&arena, rows[i].number), rows[i].text);
        buffer.size = 0;
        usher_buffer_number(&buffer, rows[i].number);
        assert_int_equal(buffer.size, strlen(rows[i].text));
        assert_memory_equal(buffer.at, rows[i].text, buffer.size);
    }
    usher_arena_deinit(&arena);
    usher_buffer_deinit(&buffer);
}

static void strings_are_escaped_where_json_asks(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json;
    } rows[] = {
        {NULL, "null"},
        {"", "\"\""},
        {"B-12", "\"B-12\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\n\t\x1f\x7f", "\"\\u000a\\u0009\\u001f\x7f\""},
        {"Zo\xc3\xab", "\"Zo\xc3\xab\""},
    };
    struct usher_buffer buffer = {NULL, 0, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        buffer.size = 0;
        usher_buffer_json_string(&buffer, rows[i].text);
        assert_int_equal(buffer.size, strlen(rows[i].json));
        assert_memory_equal(buffer.at, rows[i].json, buffer.size);
    }
    usher_buffer_deinit(&buffer);
}

/* Texts of errors go into answers: a cut must leave valid UTF-8. */
static void a_cut_error_ends_with_a_whole_character(void **state)
{
    (void)state;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    for (size_t lead = 0; lead < 4; lead++) {
        char text[700];
        memset(text, 'x', lead);
        for (size_t at = lead; at + 4 < sizeof text; at += 4) {
            memcpy(text + at, "\xf0\x9f\x8e\xad", 4);
            text[at + 4] = '\0';
        }
        usher_error_set(&err, USHER_EXIT_BUG, "%s", text);
        size_t size = strlen(err.text);
        assert_in_range(size, sizeof err.text - 8, sizeof err.text - 1);
        assert_int_equal((size - lead) % 4, 0);
        assert_memory_equal(err.text, text, size);
    }
}

static void an_error_may_quote_itself(void **state)
{
    (void)state;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    usher_error_set(&err, USHER_EXIT_DENIED, "no such \"%s\"", "file");
    usher_error_set(&err, USHER_EXIT_CONFIG, "could not start: %s", err.text);
    assert_string_equal(err.text, "could not start: no such \"file\"");
    assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
    usher_error_set(NULL, USHER_EXIT_BUG, "%s", "nobody listens");
    assert_string_equal(usher_status_name(USHER_OK), "ok");
    assert_string_equal(usher_status_name(USHER_FATAL), "fatal");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
    cmocka_unit_test(a_reset_gives_the_same_memory_again),
    cmocka_unit_test(a_reset_keeps_at_most_4_mib),
    cmocka_unit_test(text_is_copied_with_its_end),
    cmocka_unit_test(what_is_formatted_fits_into_any_rest_of_a_block),
    cmocka_unit_test(a_buffer_grows_as_it_is_written),
    cmocka_unit_test(numbers_are_written_in_full),
    cmocka_unit_test(strings_are_escaped_where_json_asks),
    cmocka_unit_test(a_cut_error_ends_with_a_whole_character),
    cmocka_unit_test(an_error_may_quote_itself),
};
UNIT_TESTS(test_memory, tests, NULL, NULL)
