/*
 * Translates errors of librdkafka and the broker. Includes rdkafka.h: for the files that speak to
 * Kafka only.
 */
#ifndef USHER_PRODUCER_KAFKA_KAFKA_ERRORS_H
#define USHER_PRODUCER_KAFKA_KAFKA_ERRORS_H

#include <librdkafka/rdkafka.h>

#include "usher/status.h"

/*
 * How to react to an error of librdkafka or the broker, with the exit code of a program that it
 * ends (`exit_code` may be NULL): RETRY (69) for brokers that are down, timeouts and moving
 * leaders; REJECT (65) for a message that no broker accepts; FENCED for a lost assignment or
 * producer epoch; HALT (78) for an offset outside the log; FATAL for access denied (77), a missing
 * topic (69), wrong settings (78), and all unknown errors (70).
 */
enum usher_status kafka_status(rd_kafka_resp_err_t code, enum usher_exit *exit_code);

/* Returns kafka_status(code) with the text "<format>: <librdkafka's text>" and its exit code. */
enum usher_status kafka_fail(struct usher_error *err, rd_kafka_resp_err_t code, const char *format,
                             ...) USHER_PRINTF(3, 4);

#endif
