/*
 * A client of usher for services in C and C++. It publishes requests to Kafka, reports their
 * delivery, and finds their answers or follows all answers. It knows the topics and the first bytes
 * of an answer. usher/message.h describes the rest.
 *
 * A struct usher_client or usher_watch belongs to one thread at a time. Nothing happens between
 * calls except in librdkafka's own threads. Callbacks come only out of usher_client_poll and
 * usher_client_flush, on the thread that called them.
 */
#ifndef USHER_CLIENT_H
#define USHER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, as 0.1.0. Static storage. */
const char *usher_version(void);

/* ---- where Kafka is ---- */

/* A property of librdkafka, by the names of its CONFIGURATION.md. */
struct usher_property {
    const char *name;
    const char *value;
};

/*
 * How to reach Kafka. `properties` may hold any property except those on which the protocol depends
 * (acks, partitioner, enable.idempotence, ...). Those are refused by name, with exit code 78.
 * Security settings belong here: security.protocol, sasl.mechanism, sasl.username, sasl.password,
 * ssl.ca.location.
 */
struct usher_kafka_settings {
    const char *brokers;      /* host:port,..., needed */
    const char *topic_prefix; /* NULL: "booking" */
    const struct usher_property *properties;
    size_t property_count;
};

enum {
    USHER_TOPIC_NAME_SIZE = 250
}; /* Kafka's limit of 249 characters, and a NUL */

struct usher_topic_names {
    char requests[USHER_TOPIC_NAME_SIZE];     /* <prefix>.requests.v1 */
    char results[USHER_TOPIC_NAME_SIZE];      /* <prefix>.results.v1 */
    char dead_letters[USHER_TOPIC_NAME_SIZE]; /* <prefix>.requests.dlq.v1 */
};

/*
 * The names of the topics with that prefix (NULL: "booking"). FATAL with exit code 78 if Kafka
 * would not accept them: other characters than A-Z a-z 0-9 . _ -, or too long.
 */
USHER_MUST_CHECK enum usher_status
usher_topic_names(const char *prefix, struct usher_topic_names *names, struct usher_error *err);

/* ---- sending requests, waiting for answers ---- */

struct usher_client;

/* A request to publish. usher_client_send copies all of it. */
struct usher_message {
    const char *resource;   /* the key, as in the data */
    const char *request_id; /* as in the data */
    const void *data;       /* the request as JSON: usher_request_encode */
    size_t size;
    void *tag; /* handed back with the delivery and the answer, may be NULL */
    bool wait; /* look for the answer: needs on_reply */
};

/* The delivery report of a message. Valid during the callback. */
struct usher_delivery {
    void *tag;
    enum usher_status status; /* OK: acknowledged by Kafka. Others: not written, or perhaps not */
    int32_t partition;
    int64_t offset;
    const struct usher_error *err; /* if not OK */
};

/* An answer, or its absence. Valid during the callback, or until the next call. */
struct usher_reply {
    void *tag; /* of the message, NULL in a watch */
    enum usher_status
        status;       /* OK. RETRY: no answer in time, it may still come. HALT: of a watch */
    const char *data; /* JSON, not NUL-terminated: usher_answer_decode */
    size_t size;
    const char *key; /* the resource, not NUL-terminated */
    size_t key_size;
    const char *request_id; /* of the message, not NUL-terminated, NULL in a watch */
    size_t request_id_size;
    int32_t partition;
    int64_t offset;
    int64_t seq;         /* of the answer in its partition: 1, 2, 3, … */
    int64_t missing;     /* with HALT: the number of missing answers */
    int64_t appended_ms; /* since the epoch, by Kafka's clock. 0: its topic has no times */
};

/* Zero-initialise, then set. */
struct usher_client_settings {
    struct usher_kafka_settings kafka;
    const char *client_id;       /* name in the broker's logs and quotas. NULL: "usher" */
    int64_t delivery_timeout_ms; /* until Kafka acknowledges a message. 0: 30 s */
    int64_t answer_timeout_ms;   /* from the send to the answer. 0: 5 s */
    void *context;               /* first argument of the callbacks */
    void (*on_delivery)(void *context, const struct usher_delivery *delivery); /* may be NULL */
    void (*on_reply)(void *context, const struct usher_reply *reply);          /* may be NULL */
};

/*
 * Connects, and reads the partition counts of both topics. Of the settings only `context` and the
 * callbacks are kept. If on_reply is set, answers are read. Close it with usher_client_close.
 * FATAL: exit code 69 if Kafka cannot be reached or a topic is missing, 77 if access is denied.
 * Exit code 78 if no brokers are given, a property is wrong, or the partition counts of the topics
 * differ.
 */
USHER_MUST_CHECK enum usher_status usher_client_open(const struct usher_client_settings *settings,
                                                     struct usher_client **client,
                                                     struct usher_error *err);

/*
 * Queues one message for the partition of its resource (murmur2). Before the first message with
 * `wait` to a partition, it asks for the end of its result partition and reads on from there: a
 * round trip, up to 5 s. Each OK is followed by exactly one on_delivery and, with `wait`, one
 * on_reply. If the delivery failed there is no reply.
 *
 * RETRY: the queue is full. Poll, then send again. REJECT: usher_request_decode does not read it
 * (no JSON, not UTF-8, too large, no such op, ...), or resource and id are not those of the
 * message. To repeat it would not help, and nothing is published. FATAL: the producer or the
 * connection cannot continue.
 */
USHER_MUST_CHECK enum usher_status usher_client_send(struct usher_client *client,
                                                     const struct usher_message *message,
                                                     struct usher_error *err);

/*
 * Serves callbacks. Returns after at least one, or after timeout_ms (0: at once). FATAL: access is
 * denied, the producer's sequence is broken, or a topic is missing.
 */
USHER_MUST_CHECK enum usher_status usher_client_poll(struct usher_client *client, int timeout_ms,
                                                     struct usher_error *err);

/*
 * A descriptor for an event loop. Once it is readable, call usher_client_poll with 0. Also call
 * that once a second, because polling notices answers that do not come in time. The descriptor
 * belongs to the client, and the first call makes it.
 */
int usher_client_descriptor(struct usher_client *client);

/* The partition that a resource's requests go to, and its answers come from. */
int32_t usher_client_partition_of(const struct usher_client *client, const char *resource);

/* Messages whose delivery report or answer is still outstanding. */
size_t usher_client_pending(const struct usher_client *client);

/* Polls until nothing is pending. RETRY: timeout_ms elapsed first. */
USHER_MUST_CHECK enum usher_status usher_client_flush(struct usher_client *client, int timeout_ms,
                                                      struct usher_error *err);

/*
 * Closes. Pending messages are dropped without a callback, and librdkafka may log them as still in
 * the queue. An answer can overtake the delivery report of its request, so call usher_client_flush
 * first, even if all answers are there. NULL is legal.
 */
void usher_client_close(struct usher_client *client);

/* ---- following answers ---- */

struct usher_watch;

/*
 * How far one partition was followed: `partition`, `seq` and `offset` of the last reply that took
 * effect. Store them in the same transaction as the effect. A `seq` of 0 means none.
 */
struct usher_position {
    int32_t partition;
    int64_t seq, offset;
};

/* Zero-initialise, then set. */
struct usher_watch_settings {
    struct usher_kafka_settings kafka;
    const char *client_id;
    const char *resource; /* only this one's answers. NULL: all */
    /* The start, by the first of these that is set. If none is, new answers only. */
    int64_t since_ms;    /* the first record from that time on, ms since 1970 */
    bool from_beginning; /* the oldest answer kept */
    int64_t last;        /* so many records before the end of each partition */
    /* Before all of them: these partitions continue after the last answer that took effect. */
    const struct usher_position *positions;
    size_t position_count;
};

/*
 * Starts to follow the result topic. Returns when every partition's start is known. Of the settings
 * nothing is kept. Close it with usher_watch_close. Statuses as usher_client_open. REJECT: a
 * position names a partition that does not exist, or is beyond the end of its log, for example
 * after the topic was recreated.
 */
USHER_MUST_CHECK enum usher_status usher_watch_open(const struct usher_watch_settings *settings,
                                                    struct usher_watch **watch,
                                                    struct usher_error *err);

/*
 * The next answer, each once and in order of its partition. The seqs of a partition are accepted
 * only in steps of one, and other records are skipped. `reply` is valid until the next call.
 *
 * RETRY: none within timeout_ms. HALT: retention has deleted answers of reply->partition before
 * they were read, reply->missing of them (at most so many if the log is empty). It is reported
 * once, then the watch continues with the oldest answer that is kept. The view usher.history has
 * the missing ones. FATAL as usher_client_poll. FATAL with exit code 65 if neither the last answer
 * nor the next one is in the log behind a position, or if a seq was too high. Then the topic was
 * recreated or compacted, or the position belongs to another log.
 */
USHER_MUST_CHECK enum usher_status usher_watch_next(struct usher_watch *watch, int timeout_ms,
                                                    struct usher_reply *reply,
                                                    struct usher_error *err);

/*
 * A descriptor for an event loop. Once it is readable, call usher_watch_next with 0 until it
 * returns RETRY. The descriptor belongs to the watch, and the first call makes it.
 */
int usher_watch_descriptor(struct usher_watch *watch);

/* Whether all records that were in the log when the watch was opened have been returned. */
bool usher_watch_caught_up(const struct usher_watch *watch);

/* The same for one partition. A partition that is not followed has caught up. */
bool usher_watch_caught_up_with(const struct usher_watch *watch, int32_t partition);

/*
 * Milliseconds since the last record of any resource, or at first since the watch was opened.
 * Before it has caught up, a long time means that Kafka is away.
 */
int64_t usher_watch_silence_ms(const struct usher_watch *watch);

/* Partitions of the result topic, 0 … this - 1. */
int32_t usher_watch_partitions(const struct usher_watch *watch);

/* NULL is legal. */
void usher_watch_close(struct usher_watch *watch);

#ifdef __cplusplus
}
#endif
#endif
