/* Kafka settings: what is refused, what reaches librdkafka, what its errors mean. No broker. */
#include <stdlib.h>
#include <string.h>

#include "producer/base/options.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_options.h"
#include "producer/kafka/kafka_settings.h"
#include "tests/unit/unit.h"

#include <librdkafka/rdkafka_mock.h>

static const struct option_group *const groups[] = {&kafka_options, &common_options};
static const struct option_table table = {groups, 2};

struct fixture {
    struct options options;
    struct usher_kafka_settings settings;
    struct usher_error err;
    struct kafka_log log;
};

static int setup(void **state)
{
    for (const char *const *key = option_known_keys; *key; key++)
        unsetenv(*key);
    *state = calloc(1, sizeof(struct fixture));
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    options_deinit(&fixture->options);
    free(fixture);
    return 0;
}

static enum usher_status read_settings(struct fixture *fixture, const char *first,
                                       const char *second)
{
    char words[3][128] = {"test"};
    char *argv[] = {words[0], words[1], second ? words[2] : NULL, NULL};
    strncpy(words[1], first, sizeof words[1] - 1);
    strncpy(words[2], second ? second : "", sizeof words[2] - 1);
    options_deinit(&fixture->options);
    assert_int_equal(options_load(&fixture->options, &table, second ? 3 : 2, argv, &fixture->err),
                     USHER_OK);
    return kafka_settings_read(&fixture->options, &fixture->settings, &fixture->err);
}

static rd_kafka_conf_t *make(struct fixture *fixture, enum kafka_purpose purpose)
{
    return kafka_conf_new(&fixture->settings, purpose, &fixture->log, &fixture->err);
}

static void assert_property(rd_kafka_conf_t *conf, const char *name, const char *expected)
{
    char value[256];
    size_t size = sizeof value;
    assert_int_equal(rd_kafka_conf_get(conf, name, value, &size), RD_KAFKA_CONF_OK);
    assert_string_equal(value, expected);
}

static void test_protocol_properties_are_refused(void **state)
{
    static const char *const names[] = {
        "enable.idempotence",       "acks",
        "request.required.acks",    "partitioner",
        "enable.auto.commit",       "enable.auto.offset.store",
        "auto.offset.reset",        "partition.assignment.strategy",
        "enable.gapless.guarantee", "message.timeout.ms",
        "delivery.timeout.ms",      "group.id",
        "isolation.level",          "message.max.bytes",
        "transactional.id",
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char word[128], message[160];
        snprintf(word, sizeof word, "-X%s=1", names[i]);
        snprintf(message, sizeof message,
                 "could not set librdkafka property \"%s\": the protocol depends on it", names[i]);
        assert_int_equal(read_settings(fixture, word, NULL), USHER_OK);
        assert_null(make(fixture, KAFKA_REQUEST_PRODUCER));
        assert_int_equal(fixture->err.exit_code, USHER_EXIT_CONFIG);
        assert_string_equal(fixture->err.text, message);
    }
}

static void test_a_check_that_finds_damage_stays(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_settings(fixture, "-Xcheck.crcs=false", NULL), USHER_OK);
    assert_null(make(fixture, KAFKA_GROUP_CONSUMER));
    assert_int_equal(fixture->err.exit_code, USHER_EXIT_CONFIG);
    assert_string_equal(fixture->err.text,
                        "could not set librdkafka property \"check.crcs\": a damaged request would "
                        "be decided like a good one");
}

static void test_no_error_quotes_a_secret(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_settings(fixture, "-Xssl.key.password:s3cret", NULL), USHER_FATAL);
    assert_null(strstr(fixture->err.text, "s3cret"));
    assert_non_null(strstr(fixture->err.text, "PROP=VALUE"));
    assert_int_equal(read_settings(fixture, "-Xsasl.oauthbearer.conf=s3cret", NULL), USHER_OK);
    assert_null(make(fixture, KAFKA_ADMIN));
    assert_null(strstr(fixture->err.text, "s3cret"));
    assert_non_null(strstr(fixture->err.text, "sasl.oauthbearer.conf"));
}

static void test_settings_that_contradict(void **state)
{
    static const struct {
        const char *first, *second, *message;
    } rows[] = {
        {"-Xbootstrap.servers=x", NULL,
         "could not set bootstrap.servers by -X: use USHER_KAFKA_BROKERS"},
        {"-Xsasl.password=x", NULL, "could not set sasl.password by -X: use USHER_KAFKA_PASSWORD"},
        {"--kafka-username=u", NULL, "could not log in to Kafka: USHER_KAFKA_PASSWORD is not set"},
        {"--kafka-username=u", "--kafka-password=p",
         "could not log in to Kafka: USHER_KAFKA_USERNAME is set but USHER_KAFKA_SECURITY is "
         "\"plaintext\"; set it to sasl_ssl or sasl_plaintext"},
        {"--kafka-security=sasl_ssl", NULL,
         "could not log in to Kafka: USHER_KAFKA_SECURITY is \"sasl_ssl\", which takes "
         "USHER_KAFKA_USERNAME and USHER_KAFKA_PASSWORD: they are not set"},
        {"--kafka-security=sasl_plaintext", "--kafka-sasl-mechanism=PLAIN",
         "could not log in to Kafka: USHER_KAFKA_SECURITY is \"sasl_plaintext\", which takes "
         "USHER_KAFKA_USERNAME and USHER_KAFKA_PASSWORD: they are not set"},
        {"--kafka-certificate-file=/dev/null", NULL,
         "could not log in to Kafka: USHER_KAFKA_KEY_FILE is not set"},
        {"--kafka-key-file=/dev/null", NULL,
         "could not log in to Kafka: USHER_KAFKA_CERTIFICATE_FILE is not set"},
        {"--kafka-certificate-file=/dev/null", "--kafka-key-file=/dev/null",
         "could not log in to Kafka: USHER_KAFKA_CERTIFICATE_FILE is set but USHER_KAFKA_SECURITY "
         "is \"plaintext\"; set it to ssl or sasl_ssl"},
        {"--kafka-ca-file=/nowhere/ca.pem", NULL,
         "could not read the file of USHER_KAFKA_CA_FILE, \"/nowhere/ca.pem\": No such file or "
         "directory"},
        {"-Xssl.crl.location=/nowhere/crl.pem", NULL,
         "could not read the file of ssl.crl.location, \"/nowhere/crl.pem\": No such file or "
         "directory"},
        {"-Xssl.key.location=/dev/null", NULL,
         "could not set ssl.key.location by -X: use USHER_KAFKA_KEY_FILE"},
        {"--kafka-properties=linger.ms=5;sasl.username=u", NULL,
         "could not set sasl.username by USHER_KAFKA_PROPERTIES: use USHER_KAFKA_USERNAME"},
        {"--kafka-properties=debug=all;linger.ms", NULL,
         "could not read USHER_KAFKA_PROPERTIES \"linger.ms\": it is not PROP=VALUE"},
        {"--topic-prefix=a b", NULL,
         "could not use topic prefix \"a b\": expected 1 to 233 of A-Z a-z 0-9 . _ -"},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(read_settings(fixture, rows[i].first, rows[i].second), USHER_FATAL);
        assert_int_equal(fixture->err.exit_code, USHER_EXIT_CONFIG);
        assert_string_equal(fixture->err.text, rows[i].message);
    }
}

static void test_a_flag_that_is_no_property(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_settings(fixture, "-Xlinger.ms", NULL), USHER_FATAL);
    assert_int_equal(fixture->err.exit_code, USHER_EXIT_USAGE);
    assert_string_equal(fixture->err.text, "could not read -X \"linger.ms\": it is not PROP=VALUE");
}

/* Those of the environment reach librdkafka under the same guard, and -X wins over them. */
static void test_properties_of_the_environment(void **state)
{
    struct fixture *fixture = *state;
    setenv("USHER_KAFKA_PROPERTIES", "client.rack=a\n# a note\n linger.ms=7; client.rack=b ;", 1);
    assert_int_equal(read_settings(fixture, "-Xlinger.ms=3", NULL), USHER_OK);
    rd_kafka_conf_t *conf = make(fixture, KAFKA_REQUEST_PRODUCER);
    assert_non_null(conf);
    assert_property(conf, "linger.ms", "3");
    assert_property(conf, "client.rack", "b");
    rd_kafka_conf_destroy(conf);
    setenv("USHER_KAFKA_PROPERTIES", "acks=1", 1);
    assert_int_equal(read_settings(fixture, "-Xlinger.ms=3", NULL), USHER_OK);
    assert_null(make(fixture, KAFKA_REQUEST_PRODUCER));
    assert_non_null(strstr(fixture->err.text, "\"acks\": the protocol depends on it"));
}

static void test_a_client_certificate(void **state)
{
    struct fixture *fixture = *state;
    setenv("USHER_KAFKA_CERTIFICATE_FILE", "/dev/null", 1);
    setenv("USHER_KAFKA_KEY_FILE", "/dev/zero", 1);
    setenv("USHER_KAFKA_KEY_PASSWORD", "s3cret", 1);
    assert_int_equal(read_settings(fixture, "--kafka-security=ssl", NULL), USHER_OK);
    rd_kafka_conf_t *conf = make(fixture, KAFKA_READER);
    assert_non_null(conf);
    assert_property(conf, "ssl.certificate.location", "/dev/null");
    assert_property(conf, "ssl.key.location", "/dev/zero");
    assert_property(conf, "ssl.key.password", "s3cret");
    rd_kafka_conf_destroy(conf);
}

static void test_unknown_property(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_settings(fixture, "-Xno.such.thing=1", NULL), USHER_OK);
    assert_null(make(fixture, KAFKA_READER));
    assert_int_equal(fixture->err.exit_code, USHER_EXIT_CONFIG);
    assert_non_null(strstr(fixture->err.text, "\"no.such.thing\""));
}

static void test_every_purpose_makes_a_handle(void **state)
{
    static const struct {
        enum kafka_purpose purpose;
        rd_kafka_type_t type;
    } rows[] = {
        {KAFKA_REQUEST_PRODUCER, RD_KAFKA_PRODUCER},
        {KAFKA_RESULT_PRODUCER, RD_KAFKA_PRODUCER},
        {KAFKA_DEAD_LETTER_PRODUCER, RD_KAFKA_PRODUCER},
        {KAFKA_GROUP_CONSUMER, RD_KAFKA_CONSUMER},
        {KAFKA_READER, RD_KAFKA_CONSUMER},
        {KAFKA_ADMIN, RD_KAFKA_PRODUCER},
    };
    struct fixture *fixture = *state;
    assert_int_equal(read_settings(fixture, "-Xlinger.ms=3", "--kafka-brokers=127.0.0.1:1"),
                     USHER_OK);
    log_set_level(LOG_LEVEL_ERROR);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rd_kafka_conf_t *conf = make(fixture, rows[i].purpose);
        assert_non_null(conf);
        assert_property(conf, "linger.ms", "3");
        assert_property(conf, "bootstrap.servers", "127.0.0.1:1");
        if (rows[i].purpose == KAFKA_GROUP_CONSUMER)
            assert_int_equal(kafka_conf_set(conf, "group.id", "g", NULL), USHER_OK);
        /* The first failed connection must not be in the test's output. */
        fixture->log.limit.quiet_until_ms = INT64_MAX;
        rd_kafka_t *kafka = kafka_handle_new(rows[i].type, conf, &fixture->err);
        assert_non_null(kafka);
        rd_kafka_destroy(kafka);
    }
}

static void test_what_the_protocol_needs_is_set(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_settings(fixture, "--kafka-brokers=127.0.0.1:1", NULL), USHER_OK);
    rd_kafka_conf_t *conf = make(fixture, KAFKA_RESULT_PRODUCER);
    assert_non_null(conf);
    assert_property(conf, "enable.idempotence", "true");
    assert_property(conf, "enable.gapless.guarantee", "true");
    rd_kafka_conf_destroy(conf);
    conf = make(fixture, KAFKA_DEAD_LETTER_PRODUCER);
    assert_non_null(conf);
    assert_property(conf, "enable.gapless.guarantee", "false");
    rd_kafka_conf_destroy(conf);
    conf = make(fixture, KAFKA_GROUP_CONSUMER);
    assert_non_null(conf);
    assert_property(conf, "enable.auto.commit", "false");
    assert_property(conf, "enable.auto.offset.store", "false");
    assert_property(conf, "partition.assignment.strategy", "range");
    assert_property(conf, "fetch.message.max.bytes", "1048576");
    assert_property(conf, "fetch.max.bytes", "16777216");
    rd_kafka_conf_destroy(conf);
}

static void test_no_broker_is_told_in_time(void **state)
{
    struct fixture *fixture = *state;
    int32_t count;
    assert_int_equal(read_settings(fixture, "--kafka-brokers=127.0.0.1:1", NULL), USHER_OK);
    fixture->log.limit.quiet_until_ms = INT64_MAX;
    rd_kafka_t *kafka =
        kafka_handle_new(RD_KAFKA_PRODUCER, make(fixture, KAFKA_ADMIN), &fixture->err);
    assert_non_null(kafka);
    assert_int_equal(kafka_partition_count(kafka, "t", 200, &count, &fixture->err), USHER_FATAL);
    assert_int_equal(fixture->err.exit_code, USHER_EXIT_UNAVAILABLE);
    assert_non_null(strstr(fixture->err.text, "could not reach Kafka: \"127.0.0.1:1\": "));
    assert_non_null(strstr(fixture->err.text, "check USHER_KAFKA_BROKERS"));
    rd_kafka_destroy(kafka);
}

static void test_meaning_of_errors(void **state)
{
    static const struct {
        rd_kafka_resp_err_t code;
        enum usher_status status;
        enum usher_exit exit_code;
    } rows[] = {
        {RD_KAFKA_RESP_ERR_NO_ERROR, USHER_OK, USHER_EXIT_DONE},
        {RD_KAFKA_RESP_ERR_UNKNOWN, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
        {RD_KAFKA_RESP_ERR__TRANSPORT, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
        {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, USHER_REJECT, USHER_EXIT_BAD_INPUT},
        {RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
        {RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, USHER_HALT, USHER_EXIT_CONFIG},
        {RD_KAFKA_RESP_ERR__AUTHENTICATION, USHER_FATAL, USHER_EXIT_DENIED},
        {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, USHER_FATAL, USHER_EXIT_UNAVAILABLE},
        {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
        {RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, USHER_FATAL, USHER_EXIT_CONFIG},
        {RD_KAFKA_RESP_ERR__FATAL, USHER_FATAL, USHER_EXIT_BUG},
        {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, USHER_FATAL, USHER_EXIT_UNAVAILABLE},
        {RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS, USHER_FATAL, USHER_EXIT_BUG},
    };
    struct usher_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum usher_exit exit_code = USHER_EXIT_USAGE;
        assert_int_equal(kafka_status(rows[i].code, &exit_code), rows[i].status);
        assert_int_equal(exit_code, rows[i].exit_code);
    }
    assert_int_equal(kafka_fail(&err, RD_KAFKA_RESP_ERR__TRANSPORT, "could not x %d", 1),
                     USHER_RETRY);
    assert_string_equal(err.text, "could not x 1: Local: Broker transport failure");
}

static void test_topic_names(void **state)
{
    struct usher_topic_names names;
    struct usher_error err;
    char longest[235];
    (void)state;
    assert_int_equal(usher_topic_names(NULL, &names, &err), USHER_OK);
    assert_string_equal(names.requests, "booking.requests.v1");
    assert_string_equal(names.results, "booking.results.v1");
    assert_string_equal(names.dead_letters, "booking.requests.dlq.v1");
    memset(longest, 'x', sizeof longest - 1);
    longest[234] = '\0';
    assert_int_equal(usher_topic_names(longest, &names, &err), USHER_FATAL);
    longest[233] = '\0';
    assert_int_equal(usher_topic_names(longest, &names, &err), USHER_OK);
    assert_int_equal(strlen(names.dead_letters), 249);
    assert_int_equal(usher_topic_names("", &names, &err), USHER_FATAL);
}

/* The broker is librdkafka's own, within the client. */
static void test_what_the_client_tries_again_is_no_warning(void **state)
{
    enum {
        INIT_PRODUCER_ID = 22
    };
    struct fixture *fixture = *state;
    char why[256];
    assert_int_equal(read_settings(fixture, "-Xlinger.ms=3", NULL), USHER_OK);
    rd_kafka_conf_t *conf = make(fixture, KAFKA_CART_PRODUCER);
    assert_non_null(conf);
    assert_int_equal(rd_kafka_conf_set(conf, "transactional.id", "t", why, sizeof why), 0);
    assert_int_equal(rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", why, sizeof why), 0);
    rd_kafka_t *kafka = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    assert_non_null(kafka);
    rd_kafka_mock_push_request_errors(rd_kafka_handle_mock_cluster(kafka), INIT_PRODUCER_ID, 1,
                                      RD_KAFKA_RESP_ERR_NOT_COORDINATOR);
    fixture->log.limit = (struct log_limit){0};
    uint64_t before = log_lines(LOG_LEVEL_ERROR) + log_lines(LOG_LEVEL_WARNING);
    assert_null(rd_kafka_init_transactions(kafka, 10000));
    assert_int_equal(log_lines(LOG_LEVEL_ERROR) + log_lines(LOG_LEVEL_WARNING), before);
    rd_kafka_destroy(kafka);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_protocol_properties_are_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(test_a_check_that_finds_damage_stays, setup, teardown),
    cmocka_unit_test_setup_teardown(test_no_error_quotes_a_secret, setup, teardown),
    cmocka_unit_test_setup_teardown(test_settings_that_contradict, setup, teardown),
    cmocka_unit_test_setup_teardown(test_a_flag_that_is_no_property, setup, teardown),
    cmocka_unit_test_setup_teardown(test_properties_of_the_environment, setup, teardown),
    cmocka_unit_test_setup_teardown(test_a_client_certificate, setup, teardown),
    cmocka_unit_test_setup_teardown(test_unknown_property, setup, teardown),
    cmocka_unit_test_setup_teardown(test_every_purpose_makes_a_handle, setup, teardown),
    cmocka_unit_test_setup_teardown(test_what_the_protocol_needs_is_set, setup, teardown),
    cmocka_unit_test_setup_teardown(test_no_broker_is_told_in_time, setup, teardown),
    cmocka_unit_test_setup_teardown(test_what_the_client_tries_again_is_no_warning, setup,
                                    teardown),
    cmocka_unit_test(test_meaning_of_errors),
    cmocka_unit_test(test_topic_names),
};
UNIT_TESTS(test_kafka_settings, tests, NULL, NULL)
