/* Reads the requests between two offsets of a log, and the last answer, for a person. */
#include "worker/kafka/kafka_browse.h"

#include <inttypes.h>
#include <librdkafka/rdkafka.h>

#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/kafka/kafka_record.h"
#include "worker/kafka/kafka_scan.h"
#include "worker/model/rows.h"

enum {
    BROWSE_BATCH = 500
};

struct browsing {
    const struct browse *browse;
    struct browsed *browsed;
    int64_t next_offset; /* to be read next */
};

static void visit(struct browsing *browsing, const rd_kafka_message_t *message)
{
    const struct browsed_record record = {.offset = message->offset,
                                          .key = message->key,
                                          .value = message->payload,
                                          .key_size = message->key_len,
                                          .value_size = message->len};
    browsing->browsed->records++;
    browsing->browse->visit(browsing->browse->self, &record);
}

/* What cannot be read now cannot be read later either, unless Kafka is away. */
static enum usher_status give_up(struct browsing *browsing, rd_kafka_resp_err_t code,
                                 struct usher_error *err)
{
    enum usher_status status =
        kafka_fail(err, code, "could not read offset %" PRId64, browsing->next_offset);
    if (status == USHER_RETRY || status == USHER_FATAL)
        return status;
    browsing->browsed->unreadable_at = browsing->next_offset;
    browsing->browsed->why = *err;
    browsing->next_offset = browsing->browse->to;
    return USHER_OK;
}

static enum usher_status read_message(struct browsing *browsing, const rd_kafka_message_t *message,
                                      struct usher_error *err)
{
    if (browsing->next_offset >= browsing->browse->to)
        return USHER_OK;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        browsing->next_offset = message->offset;
        return USHER_OK;
    }
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return give_up(browsing, message->err, err);
    browsing->next_offset = message->offset + 1;
    if (message->offset < browsing->browse->to && !kafka_is_noop(message))
        visit(browsing, message);
    return USHER_OK;
}

static enum usher_status read_batch(struct browsing *browsing, struct kafka_reading *reading,
                                    int timeout_ms, struct usher_error *err)
{
    rd_kafka_message_t *messages[BROWSE_BATCH];
    enum usher_status status = USHER_OK;
    size_t count = kafka_reader_next(reading, messages, BROWSE_BATCH, timeout_ms);
    for (size_t i = 0; i < count; i++) {
        if (status == USHER_OK)
            status = read_message(browsing, messages[i], err);
        rd_kafka_message_destroy(messages[i]);
    }
    return count > 0 ? status : give_up(browsing, RD_KAFKA_RESP_ERR__TIMED_OUT, err);
}

static enum usher_status read_all(struct browsing *browsing, struct kafka_reader *reader,
                                  struct kafka_place place, struct usher_error *err)
{
    struct kafka_reading reading;
    if (browsing->next_offset >= browsing->browse->to)
        return USHER_OK;
    enum usher_status status =
        kafka_reader_start(reader, place, browsing->next_offset, &reading, err);
    if (status != USHER_OK)
        return status;
    while (status == USHER_OK && browsing->next_offset < browsing->browse->to)
        status = read_batch(browsing, &reading, kafka_reader_timeout_ms(reader), err);
    kafka_reader_stop(&reading);
    return status;
}

enum usher_status kafka_browse(struct kafka_base *base, const struct browse *browse,
                               struct browsed *browsed, struct usher_error *err)
{
    struct kafka_reader *reader = kafka_base_reader(base);
    struct kafka_place place = kafka_reader_requests(reader, browse->partition);
    struct kafka_bounds bounds;
    enum usher_status status =
        kafka_reader_bounds(reader, place, kafka_reader_timeout_ms(reader), &bounds, err);
    if (status != USHER_OK)
        return status;
    *browsed =
        (struct browsed){.start = bounds.start, .end = bounds.end, .unreadable_at = OFFSET_NONE};
    if (browse->to > bounds.end) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "offset %" PRId64 " is behind the end of the log, %" PRId64, browse->to,
                        bounds.end);
        return USHER_FATAL;
    }
    struct browsing browsing = {browse, browsed, browse->from};
    if (browsing.next_offset < bounds.start)
        browsing.next_offset = bounds.start;
    return read_all(&browsing, reader, place, err);
}

enum usher_status kafka_browse_answered(struct kafka_base *base, int32_t partition,
                                        int64_t *highest_seq, struct usher_error *err)
{
    static const struct position beginning = {.published_offset = OFFSET_NONE};
    struct kafka_reader *reader = kafka_base_reader(base);
    struct consumer_position found;
    enum usher_status status =
        kafka_scan(reader, kafka_reader_results(reader, partition), &beginning, &found, err);
    if (status == USHER_OK)
        *highest_seq = found.highest_seq;
    return status;
}
