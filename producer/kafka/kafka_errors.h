/*
 * What librdkafka reports: its errors and those of the broker as statuses, and its own log, with
 * the reason why it reaches no broker. Includes rdkafka.h: for the files that speak to Kafka
 * only.
 */
#ifndef USHER_PRODUCER_KAFKA_KAFKA_ERRORS_H
#define USHER_PRODUCER_KAFKA_KAFKA_ERRORS_H

#include <librdkafka/rdkafka.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "producer/base/log.h"
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

/*
 * ==== Librdkafka's log ====
 *
 * What librdkafka reports by itself: lines for the log, and why it reaches no broker. Includes
 * rdkafka.h: for the files that speak to Kafka only.
 */

/*
 * The log context of librdkafka's own messages, and its last authentication failure. The opaque of
 * a handle made from kafka_conf_new points to one, so a caller that needs an opaque of its own
 * makes this its first member. Zero-initialise, set `context`.
 */
struct kafka_log {
    struct log_context context;
    struct log_limit limit;
    _Atomic int refusal;     /* rd_kafka_resp_err_t of the last authentication failure; 0: none */
    _Atomic uint32_t errors; /* reported by the error callback so far, of any kind */
    atomic_bool tls_failed;  /* a connection ended where TLS begins */
    atomic_bool certificate_denied;  /* the broker refused ours, or demanded one */
    _Atomic int certificate_problem; /* X509_V_ERR_… of the broker's that was refused; 0: none */
};

/* What to check where the broker refuses us: the certificate, or user and password. */
const char *kafka_login_advice(rd_kafka_t *kafka);

/* Sets "could not connect to Kafka at …" where a certificate was refused; false: none was. */
bool kafka_certificate_refused(const struct kafka_log *log, const char *brokers,
                               struct usher_error *err);

/*
 * Has the handles of a configuration, whose properties are all set, report to `log` (borrowed), by
 * their opaque, the callbacks of the log and of errors, and that of certificates.
 */
void kafka_log_attach(rd_kafka_conf_t *conf, struct kafka_log *log);

#endif
