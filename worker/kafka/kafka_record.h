/*
 * A message of the request log as a log_record. For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_RECORD_H
#define USHER_WORKER_KAFKA_KAFKA_RECORD_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

#include "worker/model/batch.h"

/* What makes a record without a key and a value a no-op record: see kafka_producer.h. */
#define KAFKA_NOOP_HEADER "usher-noop"

/* Whether the message is one, of whatever worker: no request, but what usher itself appended. */
bool kafka_is_noop(const rd_kafka_message_t *message);

/* Returns the record, without its time; it borrows the message, which becomes its handle. */
struct log_record kafka_record(rd_kafka_message_t *message);

#endif
