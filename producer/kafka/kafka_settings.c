/*
 * librdkafka's configurations as tables, one for each purpose. The values are part of the protocol
 * or were measured, as the comments say.
 */
#include "producer/kafka/kafka_settings.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/clock.h"
#include "producer/base/option_value.h"
#include "producer/kafka/kafka_errors.h"

/* A table ends with a NULL name. */
static const struct usher_property everywhere[] = {
    {"client.id", "usher"},
    {"socket.nagle.disable", "true"},
    {"socket.keepalive.enable", "true"},
    {"reconnect.backoff.ms", "50"},
    {"reconnect.backoff.max.ms", "1000"},
    {"log.connection.close", "false"},
    {NULL, NULL},
};

/*
 * With linger.ms=0 each message is a request of its own, up to full load: 10,000 messages a second
 * took 44 ms at the median, and the broker was busy with requests. With 1 it is 4 ms. Few messages
 * wait for the millisecond, too.
 */
static const struct usher_property request_producer[] = {
    {"enable.idempotence", "true"},
    {"acks", "all"},
    {"partitioner", "murmur2_random"},
    {"linger.ms", "1"},
    {"message.max.bytes", "1100000"},
    {"message.timeout.ms", "30000"},
    {NULL, NULL},
};

/*
 * A transaction holds up all who read its partitions: it is short. A connection that is lost is an
 * error here, since what was under way may arrive later.
 */
static const struct usher_property cart_producer[] = {
    {"enable.idempotence", "true"},
    {"acks", "all"},
    {"partitioner", "murmur2_random"},
    {"linger.ms", "0"},
    {"message.max.bytes", "1100000"},
    {"message.timeout.ms", "3000"},
    {"transaction.timeout.ms", "3000"},
    {"log.connection.close", "true"},
    {NULL, NULL},
};

/* A message that timed out locally or was skipped would leave a gap in the seqs. */
static const struct usher_property result_producer[] = {
    {"enable.idempotence", "true"},
    {"enable.gapless.guarantee", "true"},
    {"acks", "all"},
    {"partitioner", "murmur2_random"},
    {"linger.ms", "0"},
    {"message.max.bytes", "1100000"},
    {"message.timeout.ms", "0"},
    {NULL, NULL},
};

/* Not gapless: what cannot be sent here must not stop the rest. */
static const struct usher_property dead_letter_producer[] = {
    {"enable.idempotence", "true"},
    {"acks", "all"},
    {"partitioner", "murmur2_random"},
    {"linger.ms", "0"},
    {"message.max.bytes", "1200000"},
    {"message.timeout.ms", "0"},
    {NULL, NULL},
};

/*
 * Eager assignor: the cooperative one has defects in librdkafka 2.0. Offsets come from PostgreSQL,
 * so a reset would skip or repeat: it must be an error. Prefetch limits count for each partition;
 * once they are reached fetching stops for 100 ms, so they must last longer than that: with 2,000
 * messages a partition delivered 32,000 per second, with 30,000 more than the worker can decide.
 * What is compressed counts only once it is unpacked: so a fetch is bounded for each partition,
 * though a single batch may be larger, and for all that are read from one broker. Partitions that
 * are added to the topic are noticed when its metadata is refreshed, by default after five minutes.
 */
static const struct usher_property group_consumer[] = {
    {"partition.assignment.strategy", "range"},
    {"enable.auto.commit", "false"},
    {"enable.auto.offset.store", "false"},
    {"auto.offset.reset", "error"},
    {"check.crcs", "true"},
    {"fetch.wait.max.ms", "100"},
    {"fetch.message.max.bytes", "1048576"},
    {"fetch.max.bytes", "16777216"},
    {"queued.min.messages", "30000"},
    {"queued.max.messages.kbytes", "16384"},
    {"topic.metadata.refresh.interval.ms", "10000"},
    {"session.timeout.ms", "6000"},
    {"heartbeat.interval.ms", "500"},
    {"message.max.bytes", "1200000"},
    {NULL, NULL},
};

static const struct usher_property reader[] = {
    {"enable.auto.commit", "false"},
    {"enable.auto.offset.store", "false"},
    {"auto.offset.reset", "error"},
    {"check.crcs", "true"},
    {"fetch.wait.max.ms", "100"},
    {"message.max.bytes", "1200000"},
    {NULL, NULL},
};

static const struct usher_property admin[] = {{NULL, NULL}};

static const struct usher_property *const purpose_tables[] = {
    [KAFKA_REQUEST_PRODUCER] = request_producer,
    [KAFKA_CART_PRODUCER] = cart_producer,
    [KAFKA_RESULT_PRODUCER] = result_producer,
    [KAFKA_DEAD_LETTER_PRODUCER] = dead_letter_producer,
    [KAFKA_GROUP_CONSUMER] = group_consumer,
    [KAFKA_READER] = reader,
    [KAFKA_ADMIN] = admin,
};

/* Properties that the protocol depends on, with their aliases in librdkafka. */
static const char *const refused_properties[] = {
    "bootstrap.servers",
    "metadata.broker.list",
    "enable.idempotence",
    "acks",
    "request.required.acks",
    "partitioner",
    "partitioner_cb",
    "enable.gapless.guarantee",
    "message.timeout.ms",
    "delivery.timeout.ms",
    "message.max.bytes",
    "transactional.id",
    "transaction.timeout.ms",
    "delivery.report.only.error",
    "queuing.strategy",
    "group.id",
    "group.instance.id",
    "partition.assignment.strategy",
    "enable.auto.commit",
    "auto.commit.enable",
    "enable.auto.offset.store",
    "auto.offset.reset",
    "enable.partition.eof",
    "isolation.level",
    "log.queue",
};

/* Why a property must stay as it is; NULL: it need not. */
static const char *refusal_of(const char *name)
{
    if (strcmp(name, "check.crcs") == 0)
        return "a damaged request would be decided like a good one";
    for (size_t i = 0; i < sizeof refused_properties / sizeof refused_properties[0]; i++)
        if (strcmp(refused_properties[i], name) == 0)
            return "the protocol depends on it";
    return NULL;
}

static enum usher_status check_not_refused(const char *name, struct usher_error *err)
{
    const char *why = refusal_of(name);
    if (!why)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not set librdkafka property \"%s\": %s", name,
                    why);
    return USHER_FATAL;
}

/* librdkafka takes none for "later", and would look for a broker until it gives up. */
static enum usher_status check_brokers(const struct usher_kafka_settings *settings,
                                       struct usher_error *err)
{
    if (settings->brokers && settings->brokers[0] != '\0')
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not reach Kafka: no brokers given");
    return USHER_FATAL;
}

/* ---- configurations ---- */

/* Of a value that may be secret and that librdkafka cannot read, it may quote a part, last. */
static void cut_secret(char *reason)
{
    const char *secret = option_secret_in(reason);
    if (secret)
        reason[secret - reason + (ptrdiff_t)strcspn(secret, ":")] = '\0';
}

enum usher_status kafka_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value,
                                 struct usher_error *err)
{
    char reason[384];
    if (rd_kafka_conf_set(conf, name, value, reason, sizeof reason) == RD_KAFKA_CONF_OK)
        return USHER_OK;
    cut_secret(reason);
    usher_error_set(err, USHER_EXIT_CONFIG, "could not set librdkafka property \"%s\": %s", name,
                    reason);
    return USHER_FATAL;
}

static enum usher_status set_table(rd_kafka_conf_t *conf, const struct usher_property *table,
                                   struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (; status == USHER_OK && table->name; table++)
        status = kafka_conf_set(conf, table->name, table->value, err);
    return status;
}

static enum usher_status set_users_own(rd_kafka_conf_t *conf,
                                       const struct usher_kafka_settings *settings,
                                       struct usher_error *err)
{
    enum usher_status status = check_brokers(settings, err);
    if (status == USHER_OK)
        status = kafka_conf_set(conf, "bootstrap.servers", settings->brokers, err);
    for (size_t i = 0; status == USHER_OK && i < settings->property_count; i++) {
        const struct usher_property *property = &settings->properties[i];
        status = check_not_refused(property->name, err);
        if (status == USHER_OK)
            status = kafka_conf_set(conf, property->name, property->value, err);
    }
    return status;
}

rd_kafka_conf_t *kafka_conf_new(const struct usher_kafka_settings *settings,
                                enum kafka_purpose purpose, struct kafka_log *log,
                                struct usher_error *err)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    enum usher_status status = set_table(conf, everywhere, err);
    if (status == USHER_OK)
        status = set_table(conf, purpose_tables[purpose], err);
    if (status == USHER_OK)
        status = set_users_own(conf, settings, err);
    if (status != USHER_OK) {
        rd_kafka_conf_destroy(conf);
        return NULL;
    }
    kafka_log_attach(conf, log);
    return conf;
}

rd_kafka_t *kafka_handle_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, struct usher_error *err)
{
    char reason[384];
    rd_kafka_t *kafka = rd_kafka_new(type, conf, reason, sizeof reason);
    if (!kafka) {
        rd_kafka_conf_destroy(conf);
        cut_secret(reason);
        usher_error_set(err, USHER_EXIT_CONFIG, "could not make a Kafka client: %s", reason);
    }
    return kafka;
}

/* ---- partition counts ---- */

/* One try; the error of the topic counts before that of the call. */
static rd_kafka_resp_err_t ask_partition_count(rd_kafka_t *kafka, const char *topic, int timeout_ms,
                                               int32_t *count)
{
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_topic_t *handle = rd_kafka_topic_new(kafka, topic, NULL);
    if (!handle)
        return rd_kafka_last_error();
    rd_kafka_resp_err_t code = rd_kafka_metadata(kafka, 0, handle, &metadata, timeout_ms);
    rd_kafka_topic_destroy(handle);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
        return code;
    if (metadata->topic_cnt != 1)
        code = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    else
        code = metadata->topics[0].err;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        *count = metadata->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(metadata);
    return code;
}

/* Names the address that was tried: it may come from a default, a file or -X. */
static void explain_unreachable(rd_kafka_t *kafka, rd_kafka_resp_err_t code,
                                struct usher_error *err)
{
    char brokers[160] = "";
    size_t size = sizeof brokers;
    enum usher_exit exit_code;
    (void)kafka_status(code, &exit_code);
    rd_kafka_conf_res_t found =
        rd_kafka_conf_get(rd_kafka_conf(kafka), "bootstrap.servers", brokers, &size);
    assert(found == RD_KAFKA_CONF_OK);
    const struct kafka_log *log = rd_kafka_opaque(kafka);
    if (kafka_certificate_refused(log, brokers, err))
        return;
    if (atomic_load(&log->tls_failed))
        usher_error_set(
            err, exit_code,
            "could not reach Kafka: \"%s\": TLS failed, as where a broker does not speak "
            "it or its certificate is not trusted; check USHER_KAFKA_SECURITY and "
            "USHER_KAFKA_CA_FILE",
            brokers);
    else
        usher_error_set(err, exit_code,
                        "could not reach Kafka: \"%s\": %s; check USHER_KAFKA_BROKERS", brokers,
                        rd_kafka_err2str(code));
}

/* One line that says what to do. */
static void explain(rd_kafka_t *kafka, rd_kafka_resp_err_t code, const char *topic,
                    struct usher_error *err)
{
    enum usher_exit exit_code;
    (void)kafka_status(code, &exit_code);
    if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        usher_error_set(err, exit_code,
                        "could not find topic \"%s\": create it with usher-worker topics create, "
                        "or check USHER_TOPIC_PREFIX",
                        topic);
    else if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
             code == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED)
        usher_error_set(err, exit_code, "could not log in to Kafka: %s; %s", rd_kafka_err2str(code),
                        kafka_login_advice(kafka));
    else if (kafka_status(code, NULL) == USHER_RETRY)
        explain_unreachable(kafka, code, err);
    else
        (void)kafka_fail(err, code, "could not ask Kafka about topic \"%s\"", topic);
}

enum usher_status kafka_partition_count(rd_kafka_t *kafka, const char *topic, int timeout_ms,
                                        int32_t *count, struct usher_error *err)
{
    enum {
        TRY_MS = 500
    };
    const struct kafka_log *log = rd_kafka_opaque(kafka);
    int64_t deadline = clock_ms() + timeout_ms;
    rd_kafka_resp_err_t code;
    do {
        code = ask_partition_count(kafka, topic, TRY_MS, count);
        rd_kafka_poll(kafka, 0);
        /* A wrong password looks like a broker that does not respond. */
        if (code != RD_KAFKA_RESP_ERR_NO_ERROR && atomic_load(&log->refusal) != 0)
            code = (rd_kafka_resp_err_t)atomic_load(&log->refusal);
    } while (kafka_status(code, NULL) == USHER_RETRY && clock_ms() < deadline);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        return USHER_OK;
    explain(kafka, code, topic, err);
    return USHER_FATAL;
}

enum usher_status kafka_ask_offset(const struct kafka_question *question, int64_t *offset,
                                   struct usher_error *err)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *asked =
        rd_kafka_topic_partition_list_add(list, question->topic, question->partition);
    asked->offset = *offset;
    rd_kafka_resp_err_t code =
        rd_kafka_offsets_for_times(question->kafka, list, question->timeout_ms);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        code = asked->err;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && asked->offset < 0 && *offset < 0)
        code = RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE;
    *offset = asked->offset;
    rd_kafka_topic_partition_list_destroy(list);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        return USHER_OK;
    return kafka_fail(err, code, "could not ask for the bounds of \"%s\" partition %d",
                      question->topic, (int)question->partition);
}
