/* The options that say how to reach Kafka, and the names of the topics. */
#include "producer/kafka/kafka_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    {.name = "USHER_KAFKA_CERTIFICATE_FILE",
     .value_name = "FILE",
     .help = "client certificate to log in with, and the certificates that signed it, in PEM"},
    {.name = "USHER_KAFKA_KEY_FILE", .value_name = "FILE", .help = "its private key, in PEM"},
    {.name = "USHER_KAFKA_KEY_PASSWORD",
     .secrecy = OPTION_SECRET,
     .value_name = "TEXT",
     .help = "password of the private key"},
    {.name = "USHER_TOPIC_PREFIX",
     .fallback = "booking",
     .value_name = "NAME",
     .help = "topics are NAME.requests.v1, NAME.results.v1 and NAME.requests.dlq.v1"},
    {.name = "USHER_KAFKA_PROPERTIES",
     .secrecy = OPTION_PROPERTIES,
     .value_name = "PROP=VALUE;...",
     .help =
         "properties of librdkafka, as by -X, on lines or with semicolons between them; -X wins "
         "over them"},
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
static const struct own_option {
    const char *property, *key;
    enum own_use {
        OWN_ALWAYS = 0,
        OWN_SASL,    /* only where SASL is used: it may have a default */
        OWN_FILE,    /* the path of a file to be read */
        OWN_REFUSED, /* another name of a property, or one that is set elsewhere */
    } use;
} own_options[] = {
    {"bootstrap.servers", "USHER_KAFKA_BROKERS", OWN_REFUSED},
    {"metadata.broker.list", "USHER_KAFKA_BROKERS", OWN_REFUSED},
    {"security.protocol", "USHER_KAFKA_SECURITY", OWN_ALWAYS},
    {"sasl.mechanism", "USHER_KAFKA_SASL_MECHANISM", OWN_SASL},
    {"sasl.mechanisms", "USHER_KAFKA_SASL_MECHANISM", OWN_REFUSED},
    {"sasl.username", "USHER_KAFKA_USERNAME", OWN_SASL},
    {"sasl.password", "USHER_KAFKA_PASSWORD", OWN_SASL},
    {"ssl.ca.location", "USHER_KAFKA_CA_FILE", OWN_FILE},
    {"ssl.certificate.location", "USHER_KAFKA_CERTIFICATE_FILE", OWN_FILE},
    {"ssl.key.location", "USHER_KAFKA_KEY_FILE", OWN_FILE},
    {"ssl.key.password", "USHER_KAFKA_KEY_PASSWORD", OWN_ALWAYS},
};

enum {
    OWN_COUNT = sizeof own_options / sizeof own_options[0]
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

/* ---- files ---- */

/* librdkafka says neither which of them it could not read nor why, and only if it needs it. */
static enum usher_status check_readable(const char *name, const char *path, struct usher_error *err)
{
    if (!path || access(path, R_OK) == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not read the file of %s, \"%s\": %s", name, path,
                    strerror(errno));
    return USHER_FATAL;
}

static bool is_path(const char *property)
{
    static const char end[] = ".location";
    size_t size = strlen(property);
    return size >= sizeof end && strcmp(property + size - (sizeof end - 1), end) == 0;
}

/* ---- properties as given ---- */

static enum usher_status refuse_own(const char *origin, const char *name, struct usher_error *err)
{
    for (size_t i = 0; i < OWN_COUNT; i++) {
        if (strcmp(own_options[i].property, name) != 0)
            continue;
        usher_error_set(err, USHER_EXIT_CONFIG, "could not set %s by %s: use %s", name, origin,
                        own_options[i].key);
        return USHER_FATAL;
    }
    return USHER_OK;
}

/* `origin` is the option that has it. */
static enum usher_status add_given(struct options *options, const char *origin, const char *text,
                                   struct property_list *list, struct usher_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        bool shown = !option_secret_in(text);
        /* A flag is a fault of the command line, a key one of the configuration. */
        usher_error_set(err, *origin == '-' ? USHER_EXIT_USAGE : USHER_EXIT_CONFIG,
                        "could not read %s%s%s%s: it is not PROP=VALUE", origin, shown ? " \"" : "",
                        shown ? text : "", shown ? "\"" : "");
        return USHER_FATAL;
    }
    const char *name = usher_arena_text(&options->arena, text, (size_t)(equals - text));
    enum usher_status status = refuse_own(origin, name, err);
    if (status == USHER_OK && is_path(name))
        status = check_readable(name, equals + 1, err);
    if (status == USHER_OK)
        add_property(list, name, equals + 1);
    return status;
}

/* Those of the list first: librdkafka takes the last one of a name. */
static enum usher_status add_all_given(struct options *options, struct property_list *list,
                                       struct usher_error *err)
{
    static const char key[] = "USHER_KAFKA_PROPERTIES";
    const char *rest = options_text(options, key);
    enum usher_status status = USHER_OK;
    size_t size;
    for (const char *at; status == USHER_OK && rest && (at = option_next_property(&rest, &size));)
        status = add_given(options, key, usher_arena_text(&options->arena, at, size), list, err);
    for (size_t i = 0; status == USHER_OK && i < options->given_count; i++)
        if (options->given[i].spec->secrecy == OPTION_PROPERTY)
            status = add_given(options, "-X", options->given[i].text, list, err);
    return status;
}

static size_t count_given(const struct options *options)
{
    size_t count = options->given_count;
    const char *rest = options_text(options, "USHER_KAFKA_PROPERTIES");
    size_t size;
    while (rest && option_next_property(&rest, &size))
        count++;
    return count;
}

/* ---- logging in ---- */

/* Two options of which neither is of use without the other, where either is given. */
static enum usher_status check_pair(const struct options *options, const char *one,
                                    const char *other, struct usher_error *err)
{
    const char *first = options_text(options, one);
    if (!first == !options_text(options, other))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not log in to Kafka: %s is not set",
                    first ? other : one);
    return USHER_FATAL;
}

/* An option that is given and means nothing with the protocol: the login would not be as meant. */
static enum usher_status check_used(const struct options *options, const char *name, bool used,
                                    const char *instead, struct usher_error *err)
{
    if (used || !options_text(options, name))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "could not log in to Kafka: %s is set but USHER_KAFKA_SECURITY is \"%s\"; set "
                    "it to %s",
                    name, options_text(options, "USHER_KAFKA_SECURITY"), instead);
    return USHER_FATAL;
}

static bool uses_sasl(const struct options *options)
{
    return strncmp(options_text(options, "USHER_KAFKA_SECURITY"), "sasl_", 5) == 0;
}

/* The other mechanisms log in by a ticket or a token. */
static enum usher_status check_user(const struct options *options, struct usher_error *err)
{
    const char *mechanism = options_text(options, "USHER_KAFKA_SASL_MECHANISM");
    bool by_password = strcmp(mechanism, "PLAIN") == 0 || strncmp(mechanism, "SCRAM-", 6) == 0;
    const char *user = options_text(options, "USHER_KAFKA_USERNAME");
    if (!uses_sasl(options) || !by_password || (user && *user != '\0'))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "could not log in to Kafka: USHER_KAFKA_SECURITY is \"%s\", which takes "
                    "USHER_KAFKA_USERNAME and USHER_KAFKA_PASSWORD: they are not set",
                    options_text(options, "USHER_KAFKA_SECURITY"));
    return USHER_FATAL;
}

static enum usher_status check_login(const struct options *options, struct usher_error *err)
{
    const char *protocol = options_text(options, "USHER_KAFKA_SECURITY");
    bool ssl = strcmp(protocol, "ssl") == 0 || strcmp(protocol, "sasl_ssl") == 0;
    enum usher_status status =
        check_pair(options, "USHER_KAFKA_USERNAME", "USHER_KAFKA_PASSWORD", err);
    if (status == USHER_OK)
        status = check_pair(options, "USHER_KAFKA_CERTIFICATE_FILE", "USHER_KAFKA_KEY_FILE", err);
    if (status == USHER_OK)
        status = check_user(options, err);
    if (status == USHER_OK)
        status = check_used(options, "USHER_KAFKA_USERNAME", uses_sasl(options),
                            "sasl_ssl or sasl_plaintext", err);
    if (status == USHER_OK)
        status = check_used(options, "USHER_KAFKA_CERTIFICATE_FILE", ssl, "ssl or sasl_ssl", err);
    return status;
}

static enum usher_status add_security(const struct options *options, struct property_list *list,
                                      struct usher_error *err)
{
    enum usher_status status = check_login(options, err);
    bool sasl = uses_sasl(options);
    for (size_t i = 0; status == USHER_OK && i < OWN_COUNT; i++) {
        const struct own_option *own = &own_options[i];
        if (own->use == OWN_REFUSED || (own->use == OWN_SASL && !sasl))
            continue;
        const char *value = options_text(options, own->key);
        if (own->use == OWN_FILE)
            status = check_readable(own->key, value, err);
        add_property(list, own->property, value);
    }
    return status;
}

/* ---- all together ---- */

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
    list.at =
        usher_arena_alloc(&options->arena, (count_given(options) + OWN_COUNT) * sizeof *list.at);
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
    if (status == USHER_OK)
        status = add_all_given(options, &list, err);
    settings->property_count = list.count;
    return status;
}
