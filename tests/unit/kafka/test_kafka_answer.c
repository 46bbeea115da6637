/* Answers and dead letters as records: equal rows, equal bytes; headers in their order. */
#include <stdio.h>
#include <string.h>

#include "producer/codec/answer_fields.h"
#include "tests/unit/unit.h"
#include "worker/kafka/kafka_outbox.h"

static const struct usher_topic_names topics = {"booking.requests.v1", "booking.results.v1",
                                                "booking.requests.dlq.v1"};

static const char body[] = "\"outcome\":\"held\",\"booking\":\"web-1\"";

static struct decision_row row_of(int64_t seq)
{
    return (struct decision_row){.seq = seq,
                                 .epoch = 7,
                                 .codec = USHER_CODEC_VERSION,
                                 .source_offset = 88240,
                                 .key = "show:x",
                                 .key_size = 6,
                                 .request_id = "web-1",
                                 .resource = "show:x",
                                 .op = USHER_OP_HOLD,
                                 .outcome = USHER_HELD,
                                 .decided_ms = INT64_C(1766000000123),
                                 .body = body,
                                 .body_size = sizeof body - 1};
}

/* Returns all headers as name=value lines; takes them. */
static const char *text_of(rd_kafka_headers_t *headers)
{
    static char text[1024];
    const char *name;
    const void *value;
    size_t size, used = 0;
    text[0] = '\0';
    for (size_t i = 0; headers && !rd_kafka_header_get_all(headers, i, &name, &value, &size); i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s=%.*s\n", name, (int)size,
                                 (const char *)value);
    if (headers)
        rd_kafka_headers_destroy(headers);
    return text;
}

static void assert_value(const struct decision_row *row, const char *expected)
{
    struct usher_buffer out = {0};
    assert_int_equal(kafka_answer_value(row, 4, &out, NULL), USHER_OK);
    assert_int_equal(out.size, strlen(expected));
    assert_memory_equal(out.at, expected, out.size);
    usher_buffer_deinit(&out);
}

static void test_value(void **state)
{
    struct decision_row row = row_of(12);
    (void)state;
    assert_value(&row, "{\"request_id\":\"web-1\",\"op\":\"hold\",\"resource\":\"show:x\","
                       "\"outcome\":\"held\",\"booking\":\"web-1\",\"seq\":12,\"epoch\":7,"
                       "\"source\":{\"partition\":4,\"offset\":88240}}");
    row.source_offset = OFFSET_NONE;
    assert_value(&row, "{\"request_id\":\"web-1\",\"op\":\"hold\",\"resource\":\"show:x\","
                       "\"outcome\":\"held\",\"booking\":\"web-1\",\"seq\":12,\"epoch\":7}");
}

/* A row of a newer program is not published: the bytes might differ from those of that program. */
static void test_unknown_codec_halts(void **state)
{
    struct decision_row row = row_of(12);
    struct usher_buffer out = {0};
    struct usher_error err;
    (void)state;
    row.codec = USHER_CODEC_VERSION + 1;
    assert_int_equal(kafka_answer_value(&row, 4, &out, &err), USHER_HALT);
    assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
    assert_non_null(strstr(err.text, "seq 12"));
    usher_buffer_deinit(&out);
}

static void test_headers_of_an_answer(void **state)
{
    struct decision_row row = row_of(12);
    (void)state;
    assert_null(kafka_answer_headers(&row, 4, &topics));
    row.client = "web";
    assert_string_equal(text_of(kafka_answer_headers(&row, 4, &topics)), "client=web\n");
    row.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    row.cloud_events = true;
    assert_string_equal(text_of(kafka_answer_headers(&row, 4, &topics)),
                        "traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n"
                        "client=web\n"
                        "ce_specversion=1.0\n"
                        "ce_id=4-12\n"
                        "ce_source=/usher/booking.results.v1\n"
                        "ce_type=usher.held\n"
                        "ce_time=2025-12-17T19:33:20.123Z\n"
                        "content-type=application/json\n");
}

static void test_headers_of_a_dead_letter(void **state)
{
    struct dead_letter_row row = {
        .seq = 3,
        .source_offset = 5,
        .value = "x",
        .value_size = 1,
        .reason = USHER_MALFORMED,
        .request_id = "r-1",
        .detail = "items: missing",
        .decided_ms = INT64_C(1766000000123),
    };
    const char whole[] = "dlq-reason=malformed\ndlq-detail=items: missing\ndlq-request-id=r-1\n"
                         "dlq-time=2025-12-17T19:33:20.123Z\ndlq-topic=booking.requests.v1\n"
                         "dlq-partition=4\ndlq-offset=5\n"
                         "__connect.errors.exception.message=items: missing\n";
    const char cut[] = "dlq-reason=malformed\ndlq-time=2025-12-17T19:33:20.123Z\n"
                       "dlq-topic=booking.requests.v1\ndlq-partition=4\ndlq-offset=5\n"
                       "dlq-truncated=true\n";
    (void)state;
    assert_string_equal(text_of(kafka_dead_letter_headers(&row, 4, &topics)), whole);
    row.value_size = KAFKA_DEAD_LETTER_MAX;
    row.key_size = RECORD_KEY_MAX;
    assert_string_equal(text_of(kafka_dead_letter_headers(&row, 4, &topics)), whole);
    row.value_size = KAFKA_DEAD_LETTER_MAX + 1;
    row.request_id = row.detail = NULL;
    assert_string_equal(text_of(kafka_dead_letter_headers(&row, 4, &topics)), cut);
    row.value_size = 1;
    row.key_size = RECORD_KEY_MAX + 1;
    assert_string_equal(text_of(kafka_dead_letter_headers(&row, 4, &topics)), cut);
    row.key_size = 0;
    row.truncated = true;
    assert_string_equal(text_of(kafka_dead_letter_headers(&row, 4, &topics)), cut);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_value),
    cmocka_unit_test(test_unknown_codec_halts),
    cmocka_unit_test(test_headers_of_an_answer),
    cmocka_unit_test(test_headers_of_a_dead_letter),
};
UNIT_TESTS(test_kafka_answer, tests, NULL, NULL)
