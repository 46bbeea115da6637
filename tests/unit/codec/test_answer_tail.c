/* The seq at the end of an answer: found in all that the codec writes, and in nothing else. */
#include <string.h>

#include "producer/codec/answer_fields.h"
#include "tests/unit/unit.h"
#include "usher/message.h"
#include "worker/kafka/answer_tail.h"

/* The seq read from an answer made by the codec; -1: none. */
static int64_t seq_of(int64_t seq, int64_t epoch, int64_t offset, const char *body)
{
    struct usher_answer answer;
    struct usher_buffer out = {0};
    usher_answer_init(&answer);
    answer.request_id = "web-1";
    answer.op = USHER_OP_HOLD;
    answer.resource = "show:hamlet";
    answer.client = "web";
    answer.seq = seq;
    answer.epoch = epoch;
    answer.source_partition = 11;
    answer.source_offset = offset;
    answer_wrap(&answer, body, strlen(body), &out);
    int64_t found = -1;
    if (!answer_tail_seq(out.at, out.size, &found))
        found = -1;
    usher_buffer_deinit(&out);
    return found;
}

static void test_what_the_codec_writes(void **state)
{
    const int64_t seqs[] = {1, 9, 10, 4711, INT32_MAX, INT64_MAX - 1, INT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof seqs / sizeof *seqs; i++) {
        assert_true(seq_of(seqs[i], 1, 0, "\"outcome\":\"held\"") == seqs[i]);
        assert_true(seq_of(seqs[i], INT32_MAX, INT64_MAX, "\"outcome\":\"held\"") == seqs[i]);
        assert_true(seq_of(seqs[i], 7, USHER_ABSENT, "\"outcome\":\"expired\"") == seqs[i]);
    }
}

/* Text of customers may look like anything; inside a string every quote is escaped. */
static void test_text_cannot_pass_for_the_end(void **state)
{
    (void)state;
    assert_true(seq_of(5, 1, USHER_ABSENT,
                       "\"outcome\":\"refused\",\"detail\":\",\\\"seq\\\":99,\\\"epoch\\\":1}\"") ==
                5);
    assert_true(seq_of(5, 1, 3, "\"outcome\":\"held\",\"meta\":{\"seq\":99,\"epoch\":1}") == 5);
}

static bool is_answer(const char *text)
{
    int64_t seq;
    return answer_tail_seq(text, strlen(text), &seq);
}

static void test_what_is_no_answer(void **state)
{
    int64_t seq;
    (void)state;
    assert_false(answer_tail_seq(NULL, 0, &seq));
    assert_false(is_answer(""));
    assert_false(is_answer("junk"));
    assert_false(is_answer("{}"));
    assert_false(is_answer("}}"));
    assert_false(is_answer("5}"));
    assert_false(is_answer("{\"seq\":5}"));
    assert_false(is_answer("{\"seq\":5,\"epoch\":1}")); /* nothing before: not usher's */
    assert_false(is_answer("{\"a\":1,\"seq\":,\"epoch\":1}"));
    assert_false(is_answer("{\"a\":1,\"seq\":5,\"epoch\":}"));
    assert_false(is_answer("{\"a\":1,\"seq\":-5,\"epoch\":1}"));
    assert_false(is_answer("{\"a\":1,\"seq\":9223372036854775808,\"epoch\":1}"));
    assert_false(is_answer("{\"a\":1,\"seq\":10000000000000000000,\"epoch\":1}"));
    assert_false(is_answer("{\"a\":1,\"seq\":5,\"epoch\":1,\"source\":{\"partition\":4}}"));
    assert_false(is_answer("{\"a\":1,\"seq\":5,\"epoch\":1} "));
    assert_true(is_answer("{\"a\":1,\"seq\":5,\"epoch\":1}"));
    assert_true(
        is_answer("{\"a\":1,\"seq\":5,\"epoch\":1,\"source\":{\"partition\":4,\"offset\":9}}"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_the_codec_writes),
    cmocka_unit_test(test_text_cannot_pass_for_the_end),
    cmocka_unit_test(test_what_is_no_answer),
};
UNIT_TESTS(test_answer_tail, tests, NULL, NULL)
