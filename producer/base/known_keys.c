/*
 * The environment keys that the programs share: one environment serves all of them, so a key of
 * one must not be unknown to another. Knows only the names: each program's table says the rest.
 */
#include "producer/base/known_keys.h"

#include <stddef.h>

const char *const option_known_keys[] = {
    "USHER_CONFIG",
    "USHER_LOG_LEVEL",
    "USHER_LOG_FORMAT",

    "USHER_KAFKA_BROKERS",
    "USHER_KAFKA_GROUP",
    "USHER_KAFKA_SECURITY",
    "USHER_KAFKA_SASL_MECHANISM",
    "USHER_KAFKA_USERNAME",
    "USHER_KAFKA_PASSWORD",
    "USHER_KAFKA_PASSWORD_FILE",
    "USHER_KAFKA_CA_FILE",
    "USHER_KAFKA_CERTIFICATE_FILE",
    "USHER_KAFKA_KEY_FILE",
    "USHER_KAFKA_KEY_PASSWORD",
    "USHER_KAFKA_KEY_PASSWORD_FILE",
    "USHER_KAFKA_PROPERTIES",
    "USHER_KAFKA_PROPERTIES_FILE",
    "USHER_TOPIC_PREFIX",

    "USHER_POSTGRES",
    "USHER_POSTGRES_FILE",
    "USHER_STATEMENT_TIMEOUT",
    "USHER_REDIS",
    "USHER_REDIS_FILE",
    "USHER_REDIS_CA_FILE",
    "USHER_REDIS_CERTIFICATE_FILE",
    "USHER_REDIS_KEY_FILE",
    "USHER_REDIS_PREFIX",
    "USHER_HTTP_LISTEN",

    "USHER_HOLD_TTL",
    "USHER_HOLD_TTL_MAX",
    "USHER_BATCH_LIMIT",
    "USHER_BATCHES_IN_FLIGHT",
    "USHER_BOOKINGS_IN_MEMORY",
    "USHER_RESOURCES_IN_MEMORY",
    "USHER_UNITS_IN_MEMORY",
    "USHER_IDS_IN_MEMORY",
    "USHER_MEMORY_MAX",
    "USHER_DRAIN_TIMEOUT",
    "USHER_KAFKA_SESSION_TIMEOUT",
    "USHER_KAFKA_HEARTBEAT",
    "USHER_WORKER_NAME",
    NULL,
};
