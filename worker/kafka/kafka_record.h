/*
 * A message of the request log as a log_record. For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_RECORD_H
#define USHER_WORKER_KAFKA_KAFKA_RECORD_H

#include <librdkafka/rdkafka.h>

#include "worker/model/batch.h"

/* Returns the record, without its time; it borrows the message, which becomes its handle. */
struct log_record kafka_record(rd_kafka_message_t *message);

#endif
