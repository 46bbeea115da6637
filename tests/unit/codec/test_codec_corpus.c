/*
 * Bytes that nobody should send: the corpus of bad messages, sizes at and over the limits, every
 * truncation of a good message and every change of one byte. Nothing may crash, and what is
 * accepted must survive the round trip.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yyjson.h>

#include "tests/unit/unit.h"
#include "usher/message.h"

static const char *const corpus = "tests/unit/corpus";

static const char good[] =
    "{\"request_id\":\"web-1\",\"op\":\"hold\",\"resource\":\"show:x\",\"client\":\"web\","
    "\"customer\":\"Zo\xc3\xab\",\"items\":[{\"seats\":[\"B-5\",\"B-6\"]},{\"room\":\"double\","
    "\"from\":\"2026-12-24\",\"to\":\"2026-12-27\",\"quantity\":2}],\"ttl_s\":900,"
    "\"deadline\":\"2026-12-24T19:30:00Z\",\"meta\":{\"a\":[1,null,2.5]}}";

static const char good_conditions[] =
    "{\"request_id\":\"a\",\"op\":\"hold\",\"resource\":\"s\",\"customer\":\"c\",\"items\":[{"
    "\"sections\":[\"x\",\"y\"],\"quantity\":2,\"features\":[\"f\"],\"avoid\":[\"g\"]}],"
    "\"shortage\":\"partial\",\"wait_until\":\"2026-12-24T19:30:00Z\"}";

static const char good_terms[] =
    "{\"request_id\":\"a\",\"op\":\"define\",\"resource\":\"s\",\"sections\":[{\"section\":\"x\","
    "\"rates\":{\"a\":1,\"b\":2},\"overbook\":1,\"rows\":[{\"row\":\"A\",\"seats\":2,\"names\":["
    "\"p\","
    "\"q\"],\"ranks\":[1,2],\"x\":[0,1],\"y\":[3,4],\"features\":{\"f\":[1,2]}}]}],\"limits\":{"
    "\"units_min\":1,\"groups\":[{\"pools\":[\"x\"],\"limit\":3}]},\"quotas\":[{\"quota\":\"q\","
    "\"pools\":[\"x\",\"y\"],\"limit\":4}],\"strategy\":\"best\","
    "\"opens_at\":\"2026-12-24T19:30:00Z\"}";

static const char good_plan[] =
    "{\"request_id\":\"a\",\"op\":\"define\",\"resource\":\"s\",\"plan\":{\"categories\":[{"
    "\"name\":"
    "\"a\"},{\"name\":\"b\"}],\"zones\":[{\"name\":\"z\",\"position\":{\"x\":0.1,\"y\":2e3},"
    "\"rows\":[{"
    "\"row_number\":\"1\",\"seats\":[{\"seat_guid\":\"p\",\"category\":\"a\",\"position\":{\"x\":1,"
    "\"y\":2},\"rank\":3,\"features\":[\"f\"]},{\"seat_guid\":\"q\",\"category\":\"b\","
    "\"position\":{"
    "\"x\":1,\"y\":2}}]}]}]}}";

static const char good_define[] =
    "{\"request_id\":\"def\",\"op\":\"define\",\"resource\":\"show:x\",\"currency\":\"GBP\","
    "\"state\":\"open\",\"sections\":[{\"section\":\"a\",\"price\":1,\"rows\":[{\"row\":\"A\","
    "\"seats\":9,\"first\":2}]}],\"rooms\":[{\"room\":\"d\",\"from\":\"2026-01-01\","
    "\"to\":\"2026-01-09\",\"capacity\":3}],\"products\":[{\"product\":\"p\",\"capacity\":4}]}";

/* A copy without a byte behind it, so that the sanitizer sees every read beyond the end. */
static enum usher_status decode_exact(const char *bytes, size_t size, struct usher_arena *arena,
                                      struct usher_request *request, struct usher_error *err)
{
    char *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    enum usher_status status = usher_request_decode(exact, size, arena, request, err);
    free(exact);
    return status;
}

static bool is_utf8(const char *text)
{
    struct usher_buffer json = {NULL, 0, 0};
    usher_buffer_json_string(&json, text);
    yyjson_doc *document = yyjson_read(json.at, json.size, YYJSON_READ_NOFLAG);
    bool is_good = document != NULL;
    yyjson_doc_free(document);
    usher_buffer_deinit(&json);
    return is_good;
}

static void assert_complaint(const char *name, enum usher_status status,
                             const struct usher_error *err)
{
    if (status != USHER_REJECT || err->text[0] == '\0' || !is_utf8(err->text))
        fail_msg("%s: %s \"%s\"", name, usher_status_name(status), err->text);
}

static char *file_read(const char *name, size_t *size)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", corpus, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(65536);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 65536, file);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void each_file_of_the_corpus_is_refused(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    DIR *directory = opendir(corpus);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strstr(entry->d_name, ".json") == NULL)
            continue;
        size_t size = 0;
        char *bytes = file_read(entry->d_name, &size);
        struct usher_request request;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        assert_complaint(entry->d_name, decode_exact(bytes, size, &arena, &request, &err), &err);
        struct usher_answer answer;
        err.text[0] = '\0';
        assert_complaint(entry->d_name, usher_answer_decode(bytes, size, &arena, &answer, &err),
                         &err);
        free(bytes);
        usher_arena_reset(&arena);
        count++;
    }
    assert_int_equal(closedir(directory), 0);
    assert_true(count >= 40);
    usher_arena_deinit(&arena);
}

/* What was accepted must be encodable, and decode to the same bytes again. */
static void assert_round_trip(const struct usher_request *request)
{
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_buffer once = {NULL, 0, 0};
    struct usher_buffer twice = {NULL, 0, 0};
    struct usher_request again;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    usher_request_encode(request, &once);
    if (usher_request_decode(once.at, once.size, &arena, &again, &err) != USHER_OK)
        fail_msg("%.*s: %s", (int)once.size, once.at, err.text);
    usher_request_encode(&again, &twice);
    assert_int_equal(once.size, twice.size);
    assert_memory_equal(once.at, twice.at, once.size);
    usher_buffer_deinit(&once);
    usher_buffer_deinit(&twice);
    usher_arena_deinit(&arena);
}

static void each_truncation_is_refused(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t size = 0; size < sizeof good - 1; size++) {
        struct usher_request request;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        assert_complaint("truncated", decode_exact(good, size, &arena, &request, &err), &err);
        usher_arena_reset(&arena);
    }
    usher_arena_deinit(&arena);
}

static int change_each_byte(const char *message, size_t size)
{
    static const char bytes[] = {'\0', '"', '\\', '{',        ']',        ',',
                                 '0',  '9', '-',  '/',        'x',        ' ',
                                 '.',  'e', 't',  (char)0x80, (char)0xc3, (char)0xff};
    struct usher_arena arena = {NULL, NULL, 0};
    int accepted = 0;
    char *copy = malloc(size);
    assert_non_null(copy);
    for (size_t at = 0; at < size; at++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            struct usher_request request;
            struct usher_error err = {USHER_EXIT_DONE, ""};
            memcpy(copy, message, size);
            copy[at] = bytes[i];
            enum usher_status status = decode_exact(copy, size, &arena, &request, &err);
            if (status == USHER_OK) {
                assert_round_trip(&request);
                accepted++;
            } else {
                assert_complaint("changed", status, &err);
            }
            usher_arena_reset(&arena);
        }
    }
    free(copy);
    usher_arena_deinit(&arena);
    return accepted;
}

static void each_changed_byte_is_refused_or_survives(void **state)
{
    (void)state;
    assert_true(change_each_byte(good, sizeof good - 1) > 100);
    assert_true(change_each_byte(good_define, sizeof good_define - 1) > 100);
    assert_true(change_each_byte(good_conditions, sizeof good_conditions - 1) > 100);
    assert_true(change_each_byte(good_terms, sizeof good_terms - 1) > 100);
    assert_true(change_each_byte(good_plan, sizeof good_plan - 1) > 100);
}

/* ---- sizes ---- */

static void pad_to(struct usher_buffer *out, const char *message, size_t size)
{
    usher_buffer_text(out, message);
    memset(usher_buffer_reserve(out, size - out->size), ' ', size - out->size);
    out->size = size;
}

static void assert_size(const char *message, size_t size, const char *complaint)
{
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_buffer padded = {NULL, 0, 0};
    struct usher_request request;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    pad_to(&padded, message, size);
    enum usher_status status = usher_request_decode(padded.at, padded.size, &arena, &request, &err);
    if (complaint == NULL) {
        assert_int_equal(status, USHER_OK);
    } else {
        assert_int_equal(status, USHER_REJECT);
        assert_non_null(strstr(err.text, complaint));
    }
    usher_buffer_deinit(&padded);
    usher_arena_deinit(&arena);
}

static void sizes_end_at_their_limits(void **state)
{
    (void)state;
    assert_size(good, USHER_REQUEST_SIZE_MAX, NULL);
    assert_size(good, USHER_REQUEST_SIZE_MAX + 1, "65537 bytes exceed the maximum of 65536");
    assert_size(good_define, USHER_REQUEST_SIZE_MAX + 1, NULL);
    assert_size(good_define, USHER_DEFINE_SIZE_MAX, NULL);
    assert_size(good_define, USHER_DEFINE_SIZE_MAX + 1,
                "1000001 bytes exceed the maximum of 1000000");
    assert_size(good, 20000000, "20000000 bytes exceed the maximum of 1000000");
}

/* Too large for its op, but readable: the answer can still say whose it was. */
static void a_large_request_is_still_recognised(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_buffer padded = {NULL, 0, 0};
    struct usher_request request;
    pad_to(&padded, good, 100000);
    assert_int_equal(usher_request_decode(padded.at, padded.size, &arena, &request, NULL),
                     USHER_REJECT);
    assert_string_equal(request.request_id, "web-1");
    assert_int_equal(request.op, USHER_OP_HOLD);
    usher_buffer_deinit(&padded);
    usher_arena_deinit(&arena);
}

/* `count` times `entry`, in which %d is the number of the entry, between `head` and `tail`. */
static void assert_repeated(const char *head, const char *entry, int count, const char *tail,
                            const char *complaint)
{
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_buffer text = {NULL, 0, 0};
    struct usher_request request;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    usher_buffer_text(&text, head);
    for (int i = 0; i < count; i++) {
        const char *mark = strchr(entry, '#');
        usher_buffer_text(&text, i > 0 ? "," : "");
        usher_buffer_append(&text, entry, (size_t)(mark - entry));
        usher_buffer_number(&text, i);
        usher_buffer_text(&text, mark + 1);
    }
    usher_buffer_text(&text, tail);
    enum usher_status status = usher_request_decode(text.at, text.size, &arena, &request, &err);
    if (complaint == NULL && status == USHER_OK) {
        assert_round_trip(&request);
    } else if (complaint == NULL || strstr(err.text, complaint) == NULL) {
        fail_msg("%.100s…: wanted \"%s\", got \"%s\"", text.at, complaint ? complaint : "ok",
                 err.text);
    }
    usher_buffer_deinit(&text);
    usher_arena_deinit(&arena);
}

#define HEAD(op) "{\"request_id\":\"r\",\"resource\":\"s\",\"customer\":\"c\",\"op\":\"" op "\","
#define ROWS HEAD("define") "\"sections\":[{\"section\":\"a\",\"rows\":["

static void counts_end_at_their_limits(void **state)
{
    (void)state;
    const char *item = "{\"product\":\"p#\",\"quantity\":40}";
    assert_repeated(HEAD("hold") "\"items\":[", item, 100, "]}", NULL);
    assert_repeated(HEAD("hold") "\"items\":[", item, 101, "]}",
                    "items: 101 values exceed the maximum of 100");

    const char *seats = HEAD("hold") "\"items\":[{\"seats\":[";
    assert_repeated(seats, "\"A-#\"", 4000, "]}]}", NULL);
    assert_repeated(seats, "\"A-#\"", 4001, "]}]}",
                    "items[0].seats: 4001 values exceed the maximum of 4000");
    assert_repeated(seats, "\"A-#\"", 3999, ",\"A-0\"]}]}", "duplicate seat \"A-0\"");

    const char *choice = "\"s#\"";
    assert_repeated(HEAD("hold") "\"items\":[{\"quantity\":1,\"sections\":[", choice, 100, "]}]}",
                    NULL);
    assert_repeated(HEAD("hold") "\"items\":[{\"quantity\":1,\"sections\":[", choice, 101, "]}]}",
                    "items[0].sections: 101 values exceed the maximum of 100");
    assert_repeated(HEAD("hold") "\"items\":[{\"quantity\":1,\"section\":\"a\",\"avoid\":[", choice,
                    101, "]}]}", "items[0].avoid: 101 values exceed the maximum of 100");

    const char *rate = "\"r#\":1";
    assert_repeated(HEAD("define") "\"products\":[{\"product\":\"p\",\"rates\":{", rate, 100,
                    "}}]}", NULL);
    assert_repeated(HEAD("define") "\"products\":[{\"product\":\"p\",\"rates\":{", rate, 101,
                    "}}]}", "products[0].rates: 101 values exceed the maximum of 100");

    const char *quota = "{\"quota\":\"q#\",\"pools\":[\"p\"],\"limit\":1}";
    assert_repeated(HEAD("define") "\"quotas\":[", quota, 1000, "]}", NULL);
    assert_repeated(HEAD("define") "\"quotas\":[", quota, 1001, "]}",
                    "quotas: 1001 values exceed the maximum of 1000");

    const char *group = "{\"pools\":[\"p#\"],\"limit\":1}";
    assert_repeated(HEAD("define") "\"limits\":{\"groups\":[", group, 100, "]}}", NULL);
    assert_repeated(HEAD("define") "\"limits\":{\"groups\":[", group, 101, "]}}",
                    "limits.groups: 101 values exceed the maximum of 100");

    const char *feature = "\"f#\":[1]";
    assert_repeated(ROWS "{\"row\":\"A\",\"seats\":1,\"features\":{", feature, 100, "}}]}]}", NULL);
    assert_repeated(ROWS "{\"row\":\"A\",\"seats\":1,\"features\":{", feature, 101, "}}]}]}",
                    "features: 101 values exceed the maximum of 100");

    const char *row = "{\"row\":\"#\",\"seats\":10000}";
    assert_repeated(ROWS, row, 400, "]}]}", NULL);
    assert_repeated(ROWS, row, 401, "]}]}",
                    "sections: 4010000 seats exceed the maximum of 4000000");
    assert_repeated(ROWS, row, 1001, "]}]}", "rows: 10010000 seats exceed the maximum of 10000000");

    const char *room = "{\"room\":\"d#\",\"from\":\"2026-01-01\",\"to\":\"2136-01-01\"}";
    assert_repeated(HEAD("define") "\"rooms\":[", room, 99, "]}", NULL);
    assert_repeated(HEAD("define") "\"rooms\":[", room, 100, "]}",
                    "nights exceed the maximum of 4000000");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_file_of_the_corpus_is_refused),
    cmocka_unit_test(each_truncation_is_refused),
    cmocka_unit_test(each_changed_byte_is_refused_or_survives),
    cmocka_unit_test(sizes_end_at_their_limits),
    cmocka_unit_test(a_large_request_is_still_recognised),
    cmocka_unit_test(counts_end_at_their_limits),
};
UNIT_TESTS(test_codec_corpus, tests, NULL, NULL)
