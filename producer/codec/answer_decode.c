/*
 * Reads answers, for clients and tests. Lenient where the contract asks for it: unknown fields,
 * outcomes and reasons are passed over; a known field of another type is not.
 */
#include "usher/message.h"

#include <string.h>

#include "producer/codec/answer_decode_lists.h"
#include "producer/codec/message_fields.h"
#include "producer/codec/message_parse.h"
#include "producer/codec/message_text.h"

#define ANY_INTEGER INT64_MIN, INT64_MAX
#define ANY_SIZE 0, INT64_MAX

struct raw_answer {
    struct usher_answer answer;
    const char *op, *outcome, *reason, *state;
    int64_t partition, offset;
    bool together;
    yyjson_val *ignored, *units, *returned, *items, *pools, *source;
};

#define IN_ANSWER(member) offsetof(struct raw_answer, answer.member)
#define OF_RAW(member) offsetof(struct raw_answer, member)

static const struct message_field answer_fields[] = {
    {"request_id", MESSAGE_TEXT, IN_ANSWER(request_id), ANY_SIZE},
    {"op", MESSAGE_TEXT, OF_RAW(op), ANY_SIZE},
    {"resource", MESSAGE_TEXT, IN_ANSWER(resource), ANY_SIZE},
    {"client", MESSAGE_TEXT, IN_ANSWER(client), ANY_SIZE},
    {"outcome", MESSAGE_TEXT, OF_RAW(outcome), ANY_SIZE},
    {"reason", MESSAGE_TEXT, OF_RAW(reason), ANY_SIZE},
    {"detail", MESSAGE_TEXT, IN_ANSWER(detail), ANY_SIZE},
    {"ignored", MESSAGE_LIST, OF_RAW(ignored), ANY_SIZE},
    {"cause", MESSAGE_TEXT, IN_ANSWER(cause), ANY_SIZE},
    {"booking", MESSAGE_TEXT, IN_ANSWER(booking), ANY_SIZE},
    {"customer", MESSAGE_TEXT, IN_ANSWER(customer), ANY_SIZE},
    {"cart", MESSAGE_TEXT, IN_ANSWER(cart), ANY_SIZE},
    {"payment", MESSAGE_TEXT, IN_ANSWER(payment), ANY_SIZE},
    {"currency", MESSAGE_TEXT, IN_ANSWER(currency), ANY_SIZE},
    {"timezone", MESSAGE_TEXT, IN_ANSWER(timezone), ANY_SIZE},
    {"next", MESSAGE_TEXT, IN_ANSWER(next), ANY_SIZE},
    {"chart", MESSAGE_TEXT, IN_ANSWER(chart), ANY_SIZE},
    {"units", MESSAGE_LIST, OF_RAW(units), ANY_SIZE},
    {"returned", MESSAGE_LIST, OF_RAW(returned), ANY_SIZE},
    {"items", MESSAGE_LIST, OF_RAW(items), ANY_SIZE},
    {"pools", MESSAGE_LIST, OF_RAW(pools), ANY_SIZE},
    {"source", MESSAGE_MAP, OF_RAW(source), 0, 0},
    {"total", MESSAGE_INTEGER, IN_ANSWER(total), ANY_INTEGER},
    {"expires_at", MESSAGE_INSTANT, IN_ANSWER(expires_ms), 0, 0},
    {"decided_at", MESSAGE_INSTANT, IN_ANSWER(decided_ms), 0, 0},
    {"rev", MESSAGE_INTEGER, IN_ANSWER(rev), ANY_INTEGER},
    {"free", MESSAGE_INTEGER, IN_ANSWER(free), ANY_INTEGER},
    {"replayed", MESSAGE_FLAG, IN_ANSWER(replayed), 0, 0},
    {"retryable", MESSAGE_FLAG, IN_ANSWER(retryable), 0, 0},
    {"seq", MESSAGE_INTEGER, IN_ANSWER(seq), ANY_INTEGER},
    {"epoch", MESSAGE_INTEGER, IN_ANSWER(epoch), ANY_INTEGER},
    {"together", MESSAGE_FLAG, OF_RAW(together), 0, 0},
    {"overbooked", MESSAGE_INTEGER, IN_ANSWER(overbooked), ANY_INTEGER},
    {"difference", MESSAGE_INTEGER, IN_ANSWER(difference), ANY_INTEGER},
    {"position", MESSAGE_INTEGER, IN_ANSWER(position), ANY_INTEGER},
    {"state", MESSAGE_TEXT, OF_RAW(state), ANY_SIZE},
    {"opens_at", MESSAGE_INSTANT, IN_ANSWER(opens_ms), 0, 0},
    {"closes_at", MESSAGE_INSTANT, IN_ANSWER(closes_ms), 0, 0},
    {"waiting", MESSAGE_INTEGER, IN_ANSWER(waiting), ANY_INTEGER},
};
static const struct message_table answer_table = MESSAGE_TABLE(answer_fields);

static const struct message_field source_fields[] = {
    {"partition", MESSAGE_INTEGER, OF_RAW(partition), 0, INT32_MAX},
    {"offset", MESSAGE_INTEGER, OF_RAW(offset), 0, INT64_MAX},
};
static const struct message_table source_table = MESSAGE_TABLE(source_fields);

static enum usher_status lists_read(const struct message_reader *reader,
                                    const struct raw_answer *raw, struct usher_answer *answer)
{
    static const struct message_field ignored = {"ignored", MESSAGE_TEXT, 0, ANY_SIZE};
    enum usher_status status = USHER_OK;
    if (raw->ignored) {
        answer->ignored_count = (uint32_t)yyjson_arr_size(raw->ignored);
        status = message_read_texts(reader, NULL, &ignored, raw->ignored, &answer->ignored);
    }
    if (status == USHER_OK && raw->units) {
        status =
            answer_decode_units(reader, "units", raw->units, &answer->units, &answer->units_count);
    }
    if (status == USHER_OK && raw->returned) {
        status = answer_decode_units(reader, "returned", raw->returned, &answer->returned,
                                     &answer->returned_count);
    }
    if (status == USHER_OK && raw->items)
        status = answer_decode_items(reader, raw->items, answer);
    if (status == USHER_OK && raw->pools)
        status = answer_decode_pools(reader, raw->pools, answer);
    return status;
}

static enum usher_status source_read(const struct message_reader *reader, struct raw_answer *raw)
{
    if (!raw->source)
        return USHER_OK;
    enum usher_status status = message_read_fields(reader, NULL, raw->source, &source_table, raw);
    raw->answer.source_partition = (int32_t)raw->partition;
    raw->answer.source_offset = raw->offset;
    return status;
}

static enum usher_status answer_read(const struct message_reader *reader, yyjson_val *root,
                                     struct usher_answer *answer)
{
    struct raw_answer raw;
    memset(&raw, 0, sizeof raw);
    usher_answer_init(&raw.answer);
    raw.offset = USHER_ABSENT;
    enum usher_status status = message_read_fields(reader, NULL, root, &answer_table, &raw);
    if (status == USHER_OK && !raw.outcome)
        status = message_missing(reader, NULL, "outcome");
    if (status == USHER_OK)
        status = source_read(reader, &raw);
    if (status != USHER_OK)
        return status;
    *answer = raw.answer;
    answer->op = usher_op_named(raw.op);
    answer->outcome = usher_outcome_named(raw.outcome);
    answer->reason = usher_reason_named(raw.reason);
    answer->state = usher_sale_state_named(raw.state);
    if (yyjson_is_bool(yyjson_obj_get(root, "together")))
        answer->together = (int8_t)raw.together;
    return lists_read(reader, &raw, answer);
}

enum usher_status usher_answer_decode(const void *data, size_t size, struct usher_arena *arena,
                                      struct usher_answer *answer, struct usher_error *err)
{
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = arena, .fault = &fault};
    usher_answer_init(answer);
    struct message_tree tree;
    enum usher_status status = message_parse(&reader, data, size, &tree);
    if (status == USHER_OK)
        status = answer_read(&reader, tree.root, answer);
    message_tree_close(&tree);
    return message_fault_report(arena, &fault, status, err);
}
