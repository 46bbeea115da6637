/* The options that say how to reach Kafka, and the names of the topics. */
#include "producer/kafka/kafka_options.h"

#include <stdio.h>
#include <string.h>

#include "producer/base/option_value.h"

static const struct option_spec kafka_specs[] = {
    {.name = "USHER_KAFKA_BROKERS",
     .fallback = "localhost:9092",
     .value_name = "HOST:PORT,...",
     .help = "bootstrap servers"},
    {.name = "USHER_KAFKA_SECURITY",
     .fallback = "plaintext",
     .choices = "plaintext|ssl|sasl_plaintext|sasl_ssl",
     .value_name = "PROTOCOL",
     .help = "plaintext, ssl, sasl_plaintext or sasl_ssl"},
    {.name = "USHER_KAFKA_SASL_MECHANISM",
     .fallback = "SCRAM-SHA-512",
     .choices = "PLAIN|SCRAM-SHA-256|SCRAM-SHA-512|GSSAPI|OAUTHBEARER",
     .value_name = "NAME",
     .help = "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, GSSAPI or OAUTHBEARER"},
    {.name = "USHER_KAFKA_USERNAME", .value_name = "NAME", .help = "SASL user name"},
    {.name = "USHER_KAFKA_PASSWORD",
     .secrecy = OPTION_SECRET,
     .value_name = "TEXT",
     .help = "SASL password"},
    {.name = "USHER_KAFKA_CA_FILE",
     .value_name = "FILE",
     .help = "CA certificates to verify the brokers with; default: the system's"},
    {.name = "USHER_TOPIC_PREFIX",
     .fallback = "booking",
     .value_name = "NAME",
     .help = "topics are NAME.requests.v1, NAME.results.v1 and NAME.requests.dlq.v1"},
    {.name = "kafka-property",
     .short_flag = 'X',
     .type = OPTION_LIST,
     .secrecy = OPTION_PROPERTY,
     .value_name = "PROP=VALUE",
     .help = "any property of librdkafka that the protocol does not depend on; may be repeated"},
};

const struct option_group kafka_options = {
    .title = "Kafka",
    .specs = kafka_specs,
    .count = sizeof kafka_specs / sizeof kafka_specs[0],
};

/* ---- topics ---- */

static const char topic_characters[] = "abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

enum usher_status usher_topic_names(const char *prefix, struct usher_topic_names *names,
                                    struct usher_error *err)
{
    static const char longest_suffix[] = ".requests.dlq.v1";
    if (!prefix)
        prefix = "booking";
    size_t size = strlen(prefix);
    if (size == 0 || strspn(prefix, topic_characters) != size ||
        size + sizeof longest_suffix > USHER_TOPIC_NAME_SIZE) {
        usher_error_set(
            err, USHER_EXIT_CONFIG,
            "could not use topic prefix \"%.64s\": expected 1 to %zu of A-Z a-z 0-9 . _ -", prefix,
            USHER_TOPIC_NAME_SIZE - sizeof longest_suffix);
        return USHER_FATAL;
    }
    snprintf(names->requests, sizeof names->requests, "%s.requests.v1", prefix);
    snprintf(names->results, sizeof names->results, "%s.results.v1", prefix);
    snprintf(names->dead_letters, sizeof names->dead_letters, "%s.requests.dlq.v1", prefix);
    return USHER_OK;
}

/* ---- settings ---- */

/* Properties that have an option of their own: with both, one would silently win. */
static const struct usher_property own_options[] = {
    {"bootstrap.servers", "--kafka-brokers"},      {"metadata.broker.list", "--kafka-brokers"},
    {"security.protocol", "--kafka-security"},     {"sasl.mechanism", "--kafka-sasl-mechanism"},
    {"sasl.mechanisms", "--kafka-sasl-mechanism"}, {"sasl.username", "--kafka-username"},
    {"sasl.password", "--kafka-password"},         {"ssl.ca.location", "--kafka-ca-file"},
};

struct property_list {
    struct usher_property *at;
    size_t count;
};

static void add_property(struct property_list *list, const char *name, const char *value)
{
    if (value)
        list->at[list->count++] = (struct usher_property){name, value};
}

static enum usher_status add_given(struct options *options, const char *text,
                                   struct property_list *list, struct usher_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        bool shown = !option_secret_in(text);
        usher_error_set(err, USHER_EXIT_CONFIG, "could not read -X%s%s%s: it is not PROP=VALUE",
                        shown ? " \"" : "", shown ? text : "", shown ? "\"" : "");
        return USHER_FATAL;
    }
    const char *name = usher_arena_text(&options->arena, text, (size_t)(equals - text));
    for (size_t i = 0; i < sizeof own_options / sizeof own_options[0]; i++) {
        if (strcmp(own_options[i].name, name) == 0) {
            usher_error_set(err, USHER_EXIT_CONFIG, "could not set -X %s: use %s", name,
                            own_options[i].value);
            return USHER_FATAL;
        }
    }
    add_property(list, name, equals + 1);
    return USHER_OK;
}

static enum usher_status add_security(const struct options *options, struct property_list *list,
                                      struct usher_error *err)
{
    const char *protocol = options_text(options, "USHER_KAFKA_SECURITY");
    const char *user = options_text(options, "USHER_KAFKA_USERNAME");
    const char *password = options_text(options, "USHER_KAFKA_PASSWORD");
    bool sasl = strncmp(protocol, "sasl_", 5) == 0;
    if ((!user) != (!password)) {
        usher_error_set(err, USHER_EXIT_CONFIG, "could not log in to Kafka: %s is not set",
                        user ? "USHER_KAFKA_PASSWORD" : "USHER_KAFKA_USERNAME");
        return USHER_FATAL;
    }
    if (user && !sasl) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not log in to Kafka: USHER_KAFKA_SECURITY is \"%s\"; set it to "
                        "sasl_ssl or sasl_plaintext",
                        protocol);
        return USHER_FATAL;
    }
    add_property(list, "security.protocol", protocol);
    if (sasl) {
        add_property(list, "sasl.mechanism", options_text(options, "USHER_KAFKA_SASL_MECHANISM"));
        add_property(list, "sasl.username", user);
        add_property(list, "sasl.password", password);
    }
    add_property(list, "ssl.ca.location", options_text(options, "USHER_KAFKA_CA_FILE"));
    return USHER_OK;
}

static enum usher_status check_brokers(const char *brokers, struct usher_error *err)
{
    if (*brokers != '\0')
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not use USHER_KAFKA_BROKERS: it is empty");
    return USHER_FATAL;
}

enum usher_status kafka_settings_read(struct options *options,
                                      struct usher_kafka_settings *settings,
                                      struct usher_error *err)
{
    struct usher_topic_names names;
    struct property_list list = {0};
    list.at = usher_arena_alloc(&options->arena, (options->given_count + 8) * sizeof *list.at);
    *settings = (struct usher_kafka_settings){
        .brokers = options_text(options, "USHER_KAFKA_BROKERS"),
        .topic_prefix = options_text(options, "USHER_TOPIC_PREFIX"),
        .properties = list.at,
    };
    enum usher_status status = check_brokers(settings->brokers, err);
    if (status == USHER_OK)
        status = usher_topic_names(settings->topic_prefix, &names, err);
    if (status == USHER_OK)
        status = add_security(options, &list, err);
    for (size_t i = 0; status == USHER_OK && i < options->given_count; i++)
        if (options->given[i].spec->secrecy == OPTION_PROPERTY)
            status = add_given(options, options->given[i].text, &list, err);
    settings->property_count = list.count;
    return status;
}
