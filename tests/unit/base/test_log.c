/* The log: the form of a line, levels, contexts, failures that repeat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yyjson.h>

#include "producer/base/log.h"
#include "producer/terminal/terminal.h"
#include "tests/unit/unit.h"

/* Standard error goes into a file while a test runs. */
struct capture {
    FILE *file;
    int saved;
};

static int setup(void **state)
{
    struct capture *capture = calloc(1, sizeof *capture);
    capture->file = tmpfile();
    capture->saved = dup(STDERR_FILENO);
    log_set_level(LOG_LEVEL_INFO);
    log_set_format(LOG_FORMAT_LOGFMT);
    *state = capture;
    return capture->file != NULL && dup2(fileno(capture->file), STDERR_FILENO) >= 0 ? 0 : -1;
}

static int teardown(void **state)
{
    struct capture *capture = *state;
    dup2(capture->saved, STDERR_FILENO);
    close(capture->saved);
    fclose(capture->file);
    free(capture);
    return 0;
}

/* What was written since the last call: the file is emptied each time. */
static const char *written(struct capture *capture)
{
    static char text[8192];
    rewind(capture->file);
    size_t size = fread(text, 1, sizeof text - 1, capture->file);
    text[size] = '\0';
    assert_int_equal(ftruncate(fileno(capture->file), 0), 0);
    rewind(capture->file);
    return text;
}

/* The line after its timestamp, whose form is checked. */
static const char *after_timestamp(const char *line)
{
    int year, month, day, hour, minute, second, ms, used = 0;
    assert_int_equal(sscanf(line, "ts=%4d-%2d-%2dT%2d:%2d:%2d.%3dZ %n", &year, &month, &day, &hour,
                            &minute, &second, &ms, &used),
                     7);
    assert_int_equal(used, strlen("ts=2026-12-24T19:30:00.000Z "));
    return line + used;
}

static void test_line(void **state)
{
    struct log_context partition = log_context_with(NULL, "partition=%d", 3);
    struct log_context offset = log_context_with(&partition, "offset=%d", 12);
    log_info(&offset, "took over in %d ms", 7);
    assert_string_equal(after_timestamp(written(*state)),
                        "level=info msg=\"took over in 7 ms\" partition=3 offset=12\n");
    log_error(NULL, "could not read \"%s\"\n", "a\\b\x01");
    assert_string_equal(after_timestamp(written(*state)),
                        "level=error msg=\"could not read \\\"a\\\\b\\x01\\\"\\n\"\n");
    log_error(NULL, "no customer a\u202Eb\xc2\x9b"
                    "c\u00E9"); /* marks that reorder or control it */
    assert_string_equal(after_timestamp(written(*state)),
                        "level=error msg=\"no customer a\\xe2\\x80\\xaeb\\xc2\\x9bc\u00E9\"\n");
    struct log_context text = log_context_text(&partition, "reason", "no \"way\"");
    log_warning(&text, "m");
    assert_string_equal(after_timestamp(written(*state)),
                        "level=warning msg=\"m\" partition=3 reason=\"no \\\"way\\\"\"\n");
}

static void test_long_message_is_one_line(void **state)
{
    char message[4096];
    memset(message, '"', sizeof message - 1);
    message[sizeof message - 1] = '\0';
    struct log_context partition = log_context_with(NULL, "partition=3");
    log_info(&partition, "%s", message);
    const char *line = written(*state);
    assert_true(strlen(line) < 1200);
    assert_non_null(strstr(line, "...\" partition=3\n"));
}

/* The line as a reader of JSON has it. */
static yyjson_doc *written_json(struct capture *capture)
{
    const char *line = written(capture);
    size_t size = strlen(line);
    assert_true(size > 0 && line[size - 1] == '\n');
    assert_ptr_equal(strchr(line, '\n'), line + size - 1);
    yyjson_doc *document = yyjson_read(line, size, YYJSON_READ_NOFLAG);
    if (!document)
        fail_msg("no JSON: %s", line);
    return document;
}

static const char *member(yyjson_doc *document, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(document), name));
}

static void test_json_has_the_same_fields(void **state)
{
    log_set_format(LOG_FORMAT_JSON);
    struct log_context log = log_context_with(NULL, "partition=%d epoch=%d op=hold", 3, -1);
    log = log_context_text(&log, "request_id", "no \"way\" \\ \n\x01 \xc3\xa9");
    log_warning(&log, "could not read \"%s\"", "a\b\x01\xff\xe2\x82\xac\xe2\x82");
    yyjson_doc *document = written_json(*state);
    assert_string_equal(member(document, "level"), "warning");
    assert_string_equal(
        member(document, "msg"),
        "could not read \"a\b\x01\xef\xbf\xbd\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\"");
    assert_string_equal(member(document, "request_id"), "no \"way\" \\ \n\x01 \xc3\xa9");
    assert_string_equal(member(document, "op"), "hold");
    assert_int_equal(strlen(member(document, "ts")), strlen("2026-12-24T19:30:00.000Z"));
    yyjson_val *root = yyjson_doc_get_root(document);
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(root, "partition")), 3);
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(root, "epoch")), -1);
    assert_int_equal(yyjson_obj_size(root), 7);
    yyjson_doc_free(document);
}

/* Whatever is in a line, and however much of it: what reads it gets JSON. */
static void test_any_json_line_is_whole(void **state)
{
    static const char *const pieces[] = {"\x01", "\xff", "\"", "\\", "a", "\xe2\x82\xac"};
    log_set_format(LOG_FORMAT_JSON);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char text[3000] = "";
        for (size_t size = 0; size + 4 < sizeof text; size += strlen(pieces[i]))
            strcpy(text + size, pieces[i]);
        struct log_context log = log_context_with(NULL, "partition=3");
        log = log_context_text(&log, "request_id", text + 3000 - 68);
        log = log_context_text(&log, "resource", text + 3000 - 68);
        log_info(&log, "%s", text);
        yyjson_doc *document = written_json(*state);
        assert_non_null(strstr(member(document, "msg"), "..."));
        assert_non_null(member(document, "request_id"));
        yyjson_doc_free(document);
    }
}

static void test_lines_are_counted(void **state)
{
    (void)state;
    uint64_t infos = log_lines(LOG_LEVEL_INFO), debugs = log_lines(LOG_LEVEL_DEBUG);
    log_info(NULL, "one");
    log_info(NULL, "two");
    log_debug(NULL, "not written");
    assert_int_equal(log_lines(LOG_LEVEL_INFO), infos + 2);
    assert_int_equal(log_lines(LOG_LEVEL_DEBUG), debugs);
}

/* People read a plain line; what reads JSON gets nothing else. */
static void test_last_words(void **state)
{
    terminal_end_program("usher-worker", "could not \"x\"");
    assert_string_equal(written(*state), "usher-worker: could not \"x\"\n");
    log_set_format(LOG_FORMAT_JSON);
    terminal_end_program("usher-worker", "could not \"x\"");
    yyjson_doc *document = written_json(*state);
    assert_string_equal(member(document, "level"), "error");
    assert_string_equal(member(document, "msg"), "could not \"x\"");
    yyjson_doc_free(document);
}

static void test_fields_that_do_not_fit_are_left_out(void **state)
{
    (void)state;
    struct log_context context = log_context_with(NULL, "a=1");
    context = log_context_with(&context, "%0600d", 1);
    assert_string_equal(context.fields, " a=1");
    context = log_context_with(&context, "b=2");
    assert_string_equal(context.fields, " a=1 b=2");
}

static void test_level(void **state)
{
    log_debug(NULL, "quiet");
    log_set_level(log_level_named("error"));
    log_warning(NULL, "quiet");
    assert_false(log_enabled(LOG_LEVEL_WARNING));
    log_set_level(log_level_named("debug"));
    log_debug(NULL, "loud");
    assert_string_equal(after_timestamp(written(*state)), "level=debug msg=\"loud\"\n");
    assert_int_equal(log_level_named("nonsense"), LOG_LEVEL_INFO);
}

static void test_repeated_failure_and_recovery(void **state)
{
    struct log_limit limit = {0};
    log_recovery(&limit, NULL, "redis is back");
    log_failure(&limit, NULL, LOG_LEVEL_DEBUG, "not written, and silences nothing");
    for (int i = 0; i < 5; i++)
        log_failure(&limit, NULL, LOG_LEVEL_ERROR, "could not write: %d", i);
    assert_string_equal(after_timestamp(written(*state)),
                        "level=error msg=\"could not write: 0\"\n");
    atomic_store(&limit.quiet_until_ms, 1); /* the second is over */
    log_failure(&limit, NULL, LOG_LEVEL_ERROR, "could not write: %d", 5);
    assert_string_equal(after_timestamp(written(*state)),
                        "level=error msg=\"could not write: 5\" suppressed=4\n");
    for (int i = 0; i < 3; i++)
        log_recovery(&limit, NULL, "redis is back");
    assert_string_equal(after_timestamp(written(*state)), "level=info msg=\"redis is back\"\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_line, setup, teardown),
    cmocka_unit_test_setup_teardown(test_long_message_is_one_line, setup, teardown),
    cmocka_unit_test_setup_teardown(test_json_has_the_same_fields, setup, teardown),
    cmocka_unit_test_setup_teardown(test_any_json_line_is_whole, setup, teardown),
    cmocka_unit_test_setup_teardown(test_lines_are_counted, setup, teardown),
    cmocka_unit_test_setup_teardown(test_last_words, setup, teardown),
    cmocka_unit_test(test_fields_that_do_not_fit_are_left_out),
    cmocka_unit_test_setup_teardown(test_level, setup, teardown),
    cmocka_unit_test_setup_teardown(test_repeated_failure_and_recovery, setup, teardown),
};
UNIT_TESTS(test_log, tests, NULL, NULL)
