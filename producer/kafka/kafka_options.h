/*
 * The options that say how to reach Kafka, shared by every program's table, and the names of the
 * topics. Does not know librdkafka: see kafka_settings.h.
 */
#ifndef USHER_PRODUCER_KAFKA_KAFKA_OPTIONS_H
#define USHER_PRODUCER_KAFKA_KAFKA_OPTIONS_H

#include "producer/base/options.h"
#include "usher/client.h"

/* USHER_KAFKA_BROKERS, _SECURITY, _SASL_MECHANISM, _USERNAME, _PASSWORD, _CA_FILE,
 * _CERTIFICATE_FILE, _KEY_FILE, _KEY_PASSWORD, _PROPERTIES, USHER_TOPIC_PREFIX, and -X
 * (--kafka-property). USHER_KAFKA_GROUP is the worker's own. */
extern const struct option_group kafka_options;

/*
 * Reads the settings from loaded options. What `settings` points to lives in the options' arena,
 * valid until options_deinit. FATAL with exit code 78: a property that is no prop=value, that the
 * protocol depends on or that has an option of its own; a password without a user name, a
 * certificate without a key, or the reverse, or either with a protocol that does not use it; a file
 * that cannot be read; a topic prefix that makes no topic name.
 */
USHER_MUST_CHECK enum usher_status kafka_settings_read(struct options *options,
                                                       struct usher_kafka_settings *settings,
                                                       struct usher_error *err);

#endif
