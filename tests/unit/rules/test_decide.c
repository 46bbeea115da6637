/*
 * What every request goes through before an operation looks at it, and what a decision's row and
 * dead letter hold.
 */
#include <string.h>

#include "core_places.h"
#include "producer/codec/answer_fields.h"
#include "producer/codec/stored.h"
#include "tests/unit/unit.h"

#define HOLD(id, items) ASK(id, "hold", ",'customer':'c','items':[" items "]")
#define LATE ",'deadline':'1970-01-01T00:00:01Z'"

/* ---- bad records ---- */

struct bad_record {
    const char *key, *value, *request_id, *reason, *result_key;
};

static const struct bad_record bad_records[] = {
    {"r", NULL, NULL, "malformed", "r"},
    {"r", "", NULL, "malformed", "r"},
    {"some key", "no json", NULL, "malformed", "some key"},
    {"r", "[1]", NULL, "malformed", "r"},
    {"r", "{\"request_id\":\"b1\",\"op\":\"dance\",\"resource\":\"r\"}", "b1", "malformed", "r"},
    {"r", "{\"request_id\":\"b\\u0001\",\"op\":\"open\",\"resource\":\"r\"}", NULL, "malformed",
     "r"},
    {"k", "{\"request_id\":\"b2\",\"op\":\"hold\",\"resource\":\"r\"}", "b2", "malformed", "r"},
    {NULL, "{\"request_id\":\"b3\",\"op\":\"open\",\"resource\":\"r\"}", "b3", "malformed", "r"},
    {"", "{\"request_id\":\"b4\",\"op\":\"open\",\"resource\":\"r\"}", "b4", "malformed", "r"},
    {"q", "{\"request_id\":\"b5\",\"op\":\"open\",\"resource\":\"r\"}", "b5", "malformed", "r"},
    {"r2", "{\"request_id\":\"b6\",\"op\":\"open\",\"resource\":\"r\"}", "b6", "malformed", "r"},
};

static void check_bad(struct rig *rig, const struct bad_record *bad, int64_t offset)
{
    const struct log_record record = {.offset = offset,
                                      .appended_ms = rig->now_ms,
                                      .key = bad->key,
                                      .key_size = bad->key ? strlen(bad->key) : 0,
                                      .value = bad->value,
                                      .value_size = bad->value ? strlen(bad->value) : 0};
    const struct decision_row *row = rig_decide_record(rig, &record, false);
    const struct batch *batch = rig_batch(rig);
    assert_int_equal(USHER_INVALID, row->outcome);
    assert_string_equal(bad->reason, usher_reason_name(row->reason));
    assert_int_equal(offset, row->source_offset);
    assert_false(row->first);
    assert_int_equal(0, row->resource_no);
    assert_int_equal(strlen(bad->result_key), row->key_size);
    assert_memory_equal(bad->result_key, row->key, row->key_size);
    if (bad->request_id)
        assert_string_equal(bad->request_id, row->request_id);
    else
        assert_null(row->request_id);
    assert_non_null(strstr(row->body, "\"detail\":"));
    assert_null(strstr(row->body, "\"rev\":"));

    const struct dead_letter_row *letter = &batch->dead_letters[batch->dead_letter_count - 1];
    assert_int_equal(row->seq, letter->seq);
    assert_int_equal(offset, letter->source_offset);
    assert_string_equal(bad->reason, usher_reason_name(letter->reason));
    assert_ptr_equal(bad->value, letter->value);
    assert_int_equal(record.value_size, letter->value_size);
    assert_false(letter->truncated);
}

static void bad_records_are_answered_and_kept(void **state)
{
    struct rig *rig = *state;
    size_t count = sizeof bad_records / sizeof *bad_records;
    for (size_t i = 0; i < count; i++) {
        check_bad(rig, &bad_records[i], 1000 + (int64_t)i);
        assert_int_equal(i + 1, rig_batch(rig)->dead_letter_count);
    }
    rig_seal(rig);
    assert_int_equal(0, rig->batches[0].resource_count);
    assert_int_equal(0, rig->batches[0].resource_mark_count);
    rig_commit(rig);
    assert_true(rig_says(rig, ASK("b5", "probe", ""), "'outcome':'alive'")); /* not used up */
}

static void a_key_of_another_partition_is_sent_back(void **state)
{
    struct rig *rig = *state;
    rig->rules.partition_count = 12;
    rig->rules.partition = 3;
    static const struct rig_step steps[] = {
        {"{'request_id':'w','op':'open','resource':'show:hamlet-2026-12-24'" LATE "}",
         "'outcome':'invalid','reason':'wrong_partition'"},
        {"{'request_id':'w','op':'open','resource':'hotel:milton-keynes'}",
         "'reason':'unknown_resource'"},
    };
    assert_true(RIG_PLAY(rig, steps));
}

static void what_is_set_aside_is_internal_and_does_nothing(void **state)
{
    struct rig *rig = *state;
    static const char hold[] = "{\"request_id\":\"i\",\"op\":\"hold\",\"resource\":\"r\","
                               "\"customer\":\"c\",\"items\":[{\"seats\":[\"B-1\"]}]}";
    const struct log_record record = {.offset = 77,
                                      .appended_ms = rig->now_ms,
                                      .key = "r",
                                      .key_size = 1,
                                      .value = hold,
                                      .value_size = sizeof hold - 1};
    int64_t free = rig_resource(rig, "r")->free;
    const struct decision_row *row = rig_decide_record(rig, &record, true);
    assert_int_equal(USHER_INVALID, row->outcome);
    assert_int_equal(USHER_INTERNAL, row->reason);
    assert_string_equal("i", row->request_id);
    assert_non_null(strstr(row->body, "\"retryable\":true"));
    assert_int_equal(1, rig_batch(rig)->dead_letter_count);
    assert_int_equal(free, rig_resource(rig, "r")->free);
    rig_seal(rig);
    assert_int_equal(0, rig->batches[0].booking_count);
    rig_commit(rig);
    assert_true(rig_says(rig, HOLD("i", "{'seats':['B-1']}"), "'outcome':'held'"));
}

static void a_long_dead_letter_is_cut(void **state)
{
    struct rig *rig = *state;
    static char value[1000001];
    memset(value, 'x', sizeof value);
    for (uint32_t i = 0; i < 2; i++) {
        const struct log_record record = {
            .key = "r", .key_size = 1, .value = value, .value_size = 1000000 + i};
        (void)rig_decide_record(rig, &record, false);
        const struct dead_letter_row *letter = &rig_batch(rig)->dead_letters[i];
        assert_int_equal(1000000, letter->value_size);
        assert_int_equal(i == 1, letter->truncated);
    }
}

/* ---- the row ---- */

static void a_row_holds_all_of_its_answer(void **state)
{
    struct rig *rig = *state;
    static const char open[] = "{\"request_id\":\"o\",\"op\":\"open\",\"resource\":\"r\","
                               "\"client\":\"web\"}";
    const struct log_record record = {.offset = 4711,
                                      .appended_ms = rig->now_ms - 5,
                                      .key = "r",
                                      .key_size = 1,
                                      .value = open,
                                      .value_size = sizeof open - 1,
                                      .traceparent = "00-aa-bb-01 and more",
                                      .traceparent_size = 11,
                                      .cloud_events = true};
    rig->rules.epoch = 9;
    const struct decision_row *row = rig_decide_record(rig, &record, false);
    uint8_t id_hash[USHER_HASH_SIZE];
    request_id_hash("o", id_hash);
    assert_int_equal(rig->next_seq, row->seq);
    assert_int_equal(9, row->epoch);
    assert_int_equal(USHER_CODEC_VERSION, row->codec);
    assert_int_equal(4711, row->source_offset);
    assert_int_equal(rig_resource(rig, "r")->row.no, row->resource_no);
    assert_int_equal(0, row->booking_no);
    assert_string_equal("web", row->client);
    assert_int_equal(USHER_OP_OPEN, row->op);
    assert_int_equal(USHER_DEFINED, row->outcome);
    assert_int_equal(USHER_REASON_NONE, row->reason);
    assert_memory_equal(id_hash, row->id_hash, sizeof id_hash);
    assert_true(row->first);
    assert_false(row->replayed);
    assert_string_equal("00-aa-bb-01", row->traceparent);
    assert_true(row->cloud_events);
    assert_int_equal(rig->now_ms, row->decided_ms);
    assert_int_equal(rig->now_ms - 5, row->appended_ms);
}

/* ---- repeats ---- */

static void a_repeat_gets_the_first_answer(void **state)
{
    struct rig *rig = *state;
    static const char hold[] = HOLD("rep", "{'seats':['B-1']}");
    const struct decision_row first = *rig_decide(rig, hold);
    rig->now_ms += 1;

    /* In the open batch, in flight, in the database; the last time after memory was lost. */
    for (uint32_t i = 0; i < 4; i++) {
        const struct decision_row *again = rig_decide(rig, hold);
        assert_true(again->replayed);
        assert_false(again->first);
        assert_int_equal(first.body_size, again->body_size);
        assert_int_equal(USHER_HELD, again->outcome);
        assert_int_equal(first.resource_no, again->resource_no);
        assert_int_equal(0, again->booking_no);
        assert_true(again->seq > first.seq);
        rig_seal(rig);
        if (i > 0)
            rig_commit(rig);
        if (i == 2) {
            rig_commit(rig);
            rig_restart(rig);
        }
    }
    assert_int_equal(4, rig->database->decision_count - first.seq);
    for (uint32_t i = 0; i < 4; i++) {
        const struct decision_row *row = &rig->database->decisions[first.seq + i];
        assert_string_equal(rig->database->decisions[first.seq - 1].body, row->body);
    }
}

/* A request's time is up when the batch is decided later, not when it is decided then. */
static void a_deadline_is_the_last_good_millisecond(void **state)
{
    struct rig *rig = *state;
    rig->now_ms = 2000;
    static const struct rig_step steps[] = {
        {ASK("e1", "probe", ",'deadline':'1970-01-01T00:00:02.000Z'"), "'outcome':'alive'"},
        {ASK("e2", "probe", ",'deadline':'1970-01-01T00:00:01.999Z'"),
         "'reason':'too_late','retryable':true"},
    };
    assert_true(RIG_PLAY(rig, steps));
}

#define HALL_TEST(test) cmocka_unit_test_setup_teardown(test, open_hall, close_hall)
static const struct CMUnitTest tests[] = {
    HALL_TEST(bad_records_are_answered_and_kept),
    HALL_TEST(a_key_of_another_partition_is_sent_back),
    HALL_TEST(what_is_set_aside_is_internal_and_does_nothing),
    HALL_TEST(a_long_dead_letter_is_cut),
    HALL_TEST(a_row_holds_all_of_its_answer),
    HALL_TEST(a_repeat_gets_the_first_answer),
    HALL_TEST(a_deadline_is_the_last_good_millisecond),
};
UNIT_TESTS(test_decide, tests, NULL, NULL)
