/*
 * Finds the last offset of a batch that librdkafka cannot unpack, by halves, and makes its records.
 * Knows nothing of the port. For the Kafka adapters only: includes rdkafka.h.
 */
#include "worker/kafka/kafka_unreadable.h"

#include "producer/base/clock.h"
#include "worker/kafka/kafka_base.h"

void kafka_unreadable_begin(struct kafka_unreadable *batch, int64_t base, int64_t next, int64_t end)
{
    *batch = (struct kafka_unreadable){
        .reader = batch->reader,
        .place = batch->place,
        .wake = batch->wake,
        .state = KAFKA_UNREADABLE_OPEN,
        .base = base,
        .next = next,
        .inside = base > next ? base : next,
        .outside = end,
        .step = 1,
    };
}

/* ---- reading ---- */

/* The first is reported to be inside; that is tried once more before anything is made of it. */
static int64_t offset_to_ask(const struct kafka_unreadable *batch)
{
    int64_t half = (batch->outside - batch->inside) / 2;
    if (!batch->confirmed)
        return batch->inside;
    return batch->inside + (batch->step < half ? batch->step : half);
}

static void start(struct kafka_unreadable *batch)
{
    batch->asked = offset_to_ask(batch);
    batch->asked_ms = clock_ms();
    batch->is_reading = kafka_reader_start(batch->reader, batch->place, batch->asked,
                                           &batch->reading, NULL) == USHER_OK;
    if (batch->is_reading)
        kafka_wake_on(batch->reading.queue, batch->wake);
    /* Earlier records did not set the eventfd. */
    if (batch->is_reading && rd_kafka_queue_length(batch->reading.queue) > 0)
        kafka_wake_set(batch->wake);
}

void kafka_unreadable_stop(struct kafka_unreadable *batch)
{
    if (batch->is_reading)
        kafka_reader_stop(&batch->reading);
    batch->is_reading = false;
}

/* Any other error says nothing about the offset: Kafka may just be away. */
static bool is_conclusive(const rd_kafka_message_t *message)
{
    static const rd_kafka_resp_err_t conclusive[] = {
        RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR__PARTITION_EOF,
        RD_KAFKA_RESP_ERR__BAD_COMPRESSION, RD_KAFKA_RESP_ERR__BAD_MSG,
        RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET};
    for (size_t i = 0; i < sizeof conclusive / sizeof *conclusive; i++)
        if (message->err == conclusive[i])
            return true;
    return false;
}

static void learn(struct kafka_unreadable *batch, const rd_kafka_message_t *message)
{
    bool fails =
        message->err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION && message->offset == batch->base;
    if (!is_conclusive(message))
        return;
    if (!batch->confirmed && !fails) {
        batch->state = KAFKA_UNREADABLE_NONE;
        return;
    }
    *(fails ? &batch->inside : &batch->outside) = batch->asked;
    if (batch->confirmed)
        batch->step *= 2;
    batch->confirmed = true;
    if (batch->outside - batch->inside <= 1)
        batch->state = KAFKA_UNREADABLE_ENDS;
}

static void poll_reading(struct kafka_unreadable *batch)
{
    rd_kafka_message_t *message;
    if (batch->is_reading && kafka_reader_next(&batch->reading, &message, 1, 0) == 1) {
        learn(batch, message);
        rd_kafka_message_destroy(message);
        kafka_unreadable_stop(batch);
    } else if (clock_ms() - batch->asked_ms > kafka_reader_timeout_ms(batch->reader)) {
        kafka_unreadable_stop(batch);
    }
    if (batch->state == KAFKA_UNREADABLE_OPEN && !batch->is_reading)
        start(batch);
}

/* ---- taking ---- */

uint32_t kafka_unreadable_take(struct kafka_unreadable *batch, struct log_record *records,
                               uint32_t max)
{
    uint32_t taken = 0;
    if (batch->state == KAFKA_UNREADABLE_OPEN)
        poll_reading(batch);
    if (batch->state == KAFKA_UNREADABLE_ENDS && batch->next < batch->base)
        batch->next = batch->base;
    while (batch->state == KAFKA_UNREADABLE_ENDS && taken < max) {
        records[taken++] = (struct log_record){.offset = batch->next++, .unreadable = true};
        if (batch->next > batch->inside)
            batch->state = KAFKA_UNREADABLE_NONE;
    }
    return taken;
}
