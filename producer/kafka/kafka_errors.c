/*
 * Translates errors of librdkafka and the broker. Includes rdkafka.h: for the files that speak to
 * Kafka only.
 */
#include "producer/kafka/kafka_errors.h"

#include <openssl/x509_vfy.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/certificate.h"

/* ==== Errors ==== */

struct meaning {
    rd_kafka_resp_err_t code;
    enum usher_status status;
    enum usher_exit exit_code;
};

static const struct meaning meanings[] = {
    {RD_KAFKA_RESP_ERR_NO_ERROR, USHER_OK, USHER_EXIT_DONE},

    {RD_KAFKA_RESP_ERR__TRANSPORT, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__RESOLVE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__SSL, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__TIMED_OUT, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__QUEUE_FULL, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__WAIT_COORD, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__WAIT_CACHE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__IN_PROGRESS, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__PURGE_QUEUE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    /* The broker's own "unexpected error": it knows no better, and the next try may succeed. */
    {RD_KAFKA_RESP_ERR_UNKNOWN, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_NOT_CONTROLLER, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED, USHER_RETRY, USHER_EXIT_UNAVAILABLE},

    {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, USHER_REJECT, USHER_EXIT_BAD_INPUT},
    {RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE, USHER_REJECT, USHER_EXIT_BAD_INPUT},
    {RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, USHER_REJECT, USHER_EXIT_BAD_INPUT},
    {RD_KAFKA_RESP_ERR_INVALID_RECORD, USHER_REJECT, USHER_EXIT_BAD_INPUT},

    {RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR__FENCED, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, USHER_FENCED, USHER_EXIT_UNAVAILABLE},

    {RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, USHER_HALT, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, USHER_HALT, USHER_EXIT_CONFIG},

    {RD_KAFKA_RESP_ERR__AUTHENTICATION, USHER_FATAL, USHER_EXIT_DENIED},
    {RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, USHER_FATAL, USHER_EXIT_DENIED},
    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, USHER_FATAL, USHER_EXIT_DENIED},
    {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, USHER_FATAL, USHER_EXIT_DENIED},
    {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, USHER_FATAL, USHER_EXIT_DENIED},
    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, USHER_FATAL, USHER_EXIT_DENIED},

    {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, USHER_FATAL, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING, USHER_FATAL, USHER_EXIT_UNAVAILABLE},

    {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, USHER_FATAL, USHER_EXIT_UNAVAILABLE},
    /* A broker that has just started does not know all partitions of its topics yet. */
    {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, USHER_FATAL, USHER_EXIT_UNAVAILABLE},

    {RD_KAFKA_RESP_ERR__INVALID_ARG, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_INVALID_CONFIG, USHER_FATAL, USHER_EXIT_CONFIG},
    {RD_KAFKA_RESP_ERR_POLICY_VIOLATION, USHER_FATAL, USHER_EXIT_CONFIG},
};

enum usher_status kafka_status(rd_kafka_resp_err_t code, enum usher_exit *exit_code)
{
    struct meaning meaning = {code, USHER_FATAL, USHER_EXIT_BUG};
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (meanings[i].code == code)
            meaning = meanings[i];
    if (exit_code)
        *exit_code = meaning.exit_code;
    return meaning.status;
}

enum usher_status kafka_fail(struct usher_error *err, rd_kafka_resp_err_t code, const char *format,
                             ...)
{
    char what[256];
    enum usher_exit exit_code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    enum usher_status status = kafka_status(code, &exit_code);
    usher_error_set(err, exit_code, "%s: %s", what, rd_kafka_err2str(code));
    return status;
}

/* ==== Librdkafka's log ==== */

/* ---- callbacks ---- */

/*
 * A connection that is refused is an error (3) to librdkafka, which tries again by itself: an error
 * of ours is for a person, and what follows from it is said by whoever cannot go on.
 */
static enum log_level level_of(int syslog_level, const char *facility)
{
    /* A producer's id is asked for again while a coordinator is elected; init_transactions fails
     * if the time ends first. */
    if (strcmp(facility, "GETPID") == 0)
        return LOG_LEVEL_DEBUG;
    if (syslog_level < 3)
        return LOG_LEVEL_ERROR;
    if (syslog_level <= 4)
        return LOG_LEVEL_WARNING;
    return syslog_level == 7 ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO;
}

/* Called from librdkafka's threads. */
static void on_log(const rd_kafka_t *kafka, int level, const char *facility, const char *text)
{
    struct kafka_log *log = kafka ? rd_kafka_opaque(kafka) : NULL;
    enum log_level ours = level_of(level, facility);
    /* The same -X serve producers and consumers: a property that one of them ignores is no warning.
     */
    if (!log || strcmp(facility, "CONFWARN") == 0)
        return;
    /* It would quote the command, which may hold a password. */
    if (strcmp(facility, "SASLREFRESH") == 0 && ours != LOG_LEVEL_INFO)
        text = "could not refresh the Kerberos ticket: see sasl.kerberos.kinit.cmd";
    log_failure(&log->limit, &log->context, ours, "kafka client: %s", text);
}

/* The alerts of TLS about our certificate: "alert bad certificate", "alert unknown ca". */
static bool denies_certificate(const char *reason)
{
    const char *alert = reason ? strstr(reason, " alert ") : NULL;
    return alert && (strstr(alert, "certificate") || strstr(alert, "unknown ca"));
}

/* An authentication failure is reported only here: librdkafka retries forever. */
static void on_error(rd_kafka_t *kafka, int code, const char *reason, void *opaque)
{
    struct kafka_log *log = opaque;
    (void)kafka;
    atomic_fetch_add(&log->errors, 1);
    if (denies_certificate(reason)) {
        atomic_store(&log->certificate_denied, true);
        code = RD_KAFKA_RESP_ERR__AUTHENTICATION;
    }
    if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
        code == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED)
        atomic_store(&log->refusal, code);
    if (code == RD_KAFKA_RESP_ERR__SSL)
        atomic_store(&log->tls_failed, true);
}

/*
 * librdkafka calls it with what OpenSSL found, for each certificate of the chain; a good one has no
 * error. It decides nothing that OpenSSL has not: librdkafka would say of each error the same.
 */

/* NOLINTNEXTLINE(readability-function-size): librdkafka's signature */
static int on_certificate(rd_kafka_t *kafka, const char *broker, int32_t broker_id, int *problem,
                          int depth, const char *certificate, size_t size, char *reason,
                          size_t reason_size, void *opaque)
{
    struct kafka_log *log = opaque;
    (void)kafka;
    (void)broker;
    (void)broker_id;
    (void)depth;
    (void)certificate;
    (void)size;
    if (*problem == X509_V_OK)
        return 1;
    atomic_store(&log->certificate_problem, *problem);
    snprintf(reason, reason_size, "%s", X509_verify_cert_error_string(*problem));
    return 0;
}

const char *kafka_login_advice(rd_kafka_t *kafka)
{
    enum {
        SCRAM_MENDED = 0x020601ff
    };
    const struct kafka_log *log = rd_kafka_opaque(kafka);
    char mechanism[32] = "";
    size_t size = sizeof mechanism;
    if (atomic_load(&log->certificate_denied))
        return "check USHER_KAFKA_CERTIFICATE_FILE, which the broker wants and does not accept";
    (void)rd_kafka_conf_get(rd_kafka_conf(kafka), "sasl.mechanisms", mechanism, &size);
    if (strncmp(mechanism, "SCRAM-", strlen("SCRAM-")) == 0 && rd_kafka_version() < SCRAM_MENDED)
        return "check USHER_KAFKA_USERNAME, USHER_KAFKA_PASSWORD (or _FILE) and "
               "USHER_KAFKA_SASL_MECHANISM; with Kafka 4, SCRAM needs a librdkafka of 2.6.1 or "
               "later";
    return "check USHER_KAFKA_USERNAME, USHER_KAFKA_PASSWORD (or _FILE), "
           "USHER_KAFKA_SASL_MECHANISM and USHER_KAFKA_SECURITY";
}

bool kafka_certificate_refused(const struct kafka_log *log, const char *brokers,
                               struct usher_error *err)
{
    char server[192];
    int problem = atomic_load(&log->certificate_problem);
    if (problem == X509_V_OK)
        return false;
    snprintf(server, sizeof server, "Kafka at \"%s\"", brokers);
    certificate_refuse(err, problem, server, "USHER_KAFKA_CA_FILE");
    return true;
}

/* ---- attaching ---- */

/* Where they are verified at all; a librdkafka without TLS says so when it is asked for it. */
static void watch_certificates(rd_kafka_conf_t *conf)
{
    char verified[8] = "";
    size_t size = sizeof verified;
    (void)rd_kafka_conf_get(conf, "enable.ssl.certificate.verification", verified, &size);
    if (strcmp(verified, "true") == 0)
        (void)rd_kafka_conf_set_ssl_cert_verify_cb(conf, on_certificate);
}

void kafka_log_attach(rd_kafka_conf_t *conf, struct kafka_log *log)
{
    rd_kafka_conf_set_opaque(conf, log);
    rd_kafka_conf_set_log_cb(conf, on_log);
    rd_kafka_conf_set_error_cb(conf, on_error);
    watch_certificates(conf);
}
