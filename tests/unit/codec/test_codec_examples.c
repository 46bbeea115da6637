/*
 * The published examples are what the codec reads and writes.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include <yyjson.h>

#include "producer/codec/answer_fields.h"
#include "producer/codec/stored.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

static const char *const examples = "schema/messages/examples";

static char bytes[65536];

static size_t example_read(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", examples, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    assert_int_equal(fclose(file), 0);
    assert_in_range(size, 2, sizeof bytes - 1);
    return size;
}

static void check_request(const char *name, size_t size)
{
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_request request;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    if (usher_request_decode(bytes, size, &arena, &request, &err) != USHER_OK)
        fail_msg("%s: %s", name, err.text);
    struct usher_request again;
    struct usher_buffer out = {NULL, 0, 0};
    uint8_t left[USHER_HASH_SIZE];
    uint8_t right[USHER_HASH_SIZE];
    usher_request_encode(&request, &out);
    assert_int_equal(usher_request_decode(out.at, out.size, &arena, &again, &err), USHER_OK);
    request_content_hash(&request, left);
    request_content_hash(&again, right);
    assert_memory_equal(left, right, sizeof left);
    usher_buffer_deinit(&out);
    usher_arena_deinit(&arena);
}

/* Nothing is lost and nothing added: the same JSON comes back. */
static void check_answer(const char *name, size_t size)
{
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_answer answer;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    if (usher_answer_decode(bytes, size, &arena, &answer, &err) != USHER_OK)
        fail_msg("%s: %s", name, err.text);
    struct usher_buffer body = {NULL, 0, 0};
    struct usher_buffer out = {NULL, 0, 0};
    answer_body_encode(&answer, &body);
    answer_wrap(&answer, body.at, body.size, &out);
    yyjson_doc *wanted = yyjson_read(bytes, size, YYJSON_READ_NOFLAG);
    yyjson_doc *got = yyjson_read(out.at, out.size, YYJSON_READ_NOFLAG);
    if (!yyjson_equals(yyjson_doc_get_root(wanted), yyjson_doc_get_root(got)))
        fail_msg("%s became %.*s", name, (int)out.size, out.at);
    yyjson_doc_free(wanted);
    yyjson_doc_free(got);
    usher_buffer_deinit(&body);
    usher_buffer_deinit(&out);
    usher_arena_deinit(&arena);
}

static int check_all(const char *suffix, void (*check)(const char *name, size_t size))
{
    int count = 0;
    DIR *directory = opendir(examples);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strstr(entry->d_name, suffix) != NULL) {
            check(entry->d_name, example_read(entry->d_name));
            count++;
        }
    }
    assert_int_equal(closedir(directory), 0);
    return count;
}

static void each_request_is_read(void **state)
{
    (void)state;
    assert_true(check_all(".request.json", check_request) >= 75);
}

static void each_answer_is_read_and_written(void **state)
{
    (void)state;
    assert_true(check_all(".answer.json", check_answer) >= 85);
}

/* ---- plans ---- */

static struct usher_arena arena;

static struct usher_request request_of(const char *name)
{
    struct usher_request request;
    size_t size = example_read(name);
    assert_int_equal(usher_request_decode(bytes, size, &arena, &request, NULL), USHER_OK);
    return request;
}

static struct usher_answer answer_of(const char *name)
{
    struct usher_answer answer;
    size_t size = example_read(name);
    assert_int_equal(usher_answer_decode(bytes, size, &arena, &answer, NULL), USHER_OK);
    return answer;
}

/* The name that is answered is that of the layout which the plan draws. */
static void a_plan_is_answered_with_its_chart(void **state)
{
    (void)state;
    const struct usher_definition *definition = request_of("define-plan.request.json").definition;
    struct usher_buffer chart = {NULL, 0, 0};
    char name[72];
    usher_chart_encode(definition->plan_sections, definition->plan_section_count, &chart);
    usher_chart_name(chart.at, chart.size, name);
    assert_string_equal(answer_of("define-plan.answer.json").chart, name);
    assert_string_equal(request_of("define-chart.request.json").definition->chart, name);
    usher_buffer_deinit(&chart);
    usher_arena_deinit(&arena);
}

static void a_bad_plan_is_answered_with_its_fault(void **state)
{
    (void)state;
    struct usher_request request = request_of("define-bad-plan.request.json");
    assert_non_null(request.definition->fault);
    assert_string_equal(answer_of("define-bad-plan.answer.json").detail, request.definition->fault);
    usher_arena_deinit(&arena);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_request_is_read),
    cmocka_unit_test(each_answer_is_read_and_written),
    cmocka_unit_test(a_plan_is_answered_with_its_chart),
    cmocka_unit_test(a_bad_plan_is_answered_with_its_fault),
};
UNIT_TESTS(test_codec_examples, tests, NULL, NULL)
