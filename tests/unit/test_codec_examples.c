/*
 * The published examples are what the codec reads and writes.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "usher/message.h"

static const char *const examples = "schema/messages/examples";

static char bytes[65536];

static size_t example_read(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", examples, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    assert_int_equal(fclose(file), 0);
    assert_in_range(size, 2, sizeof(bytes) - 1);
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
    usher_request_content_hash(&request, left);
    usher_request_content_hash(&again, right);
    assert_memory_equal(left, right, sizeof(left));
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
    usher_answer_body_encode(&answer, &body);
    usher_answer_wrap(&answer, body.at, body.size, &out);
    json_t *wanted = json_loadb(bytes, size, 0, NULL);
    json_t *got = json_loadb(out.at, out.size, JSON_REJECT_DUPLICATES, NULL);
    if (wanted == NULL || got == NULL || !json_equal(wanted, got))
        fail_msg("%s became %.*s", name, (int)out.size, out.at);
    json_decref(wanted);
    json_decref(got);
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
    assert_true(check_all(".request.json", check_request) >= 40);
}

static void each_answer_is_read_and_written(void **state)
{
    (void)state;
    assert_true(check_all(".answer.json", check_answer) >= 44);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_is_read),
        cmocka_unit_test(each_answer_is_read_and_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
