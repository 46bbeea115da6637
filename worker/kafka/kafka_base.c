/*
 * What all Kafka adapters of a process share: the settings, the names of the topics, one reader
 * that is a member of no group, and the disposal of handles. Opened by the program and passed to
 * the adapters; knows nothing of what they do with it.
 */
#include "worker/kafka/kafka_base.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/plural.h"
#include "usher/memory.h"
#include "worker/kafka/kafka_disposal.h"
#include "worker/kafka/kafka_reader.h"

/* ==== What is shared ==== */

enum {
    REQUEST_TIMEOUT_MS = 10000
};

struct kafka_base {
    struct usher_arena arena;
    struct usher_kafka_settings settings;
    struct usher_topic_names topics;
    struct kafka_reader *reader;
    struct kafka_disposal *disposal;
};

static const char *copy_text(struct kafka_base *base, const char *text)
{
    return text ? usher_arena_text(&base->arena, text, strlen(text)) : NULL;
}

static void copy_settings(struct kafka_base *base, const struct usher_kafka_settings *from)
{
    struct usher_property *properties =
        usher_arena_alloc(&base->arena, (from->property_count + 1) * sizeof *properties);
    for (size_t i = 0; i < from->property_count; i++) {
        properties[i].name = copy_text(base, from->properties[i].name);
        properties[i].value = copy_text(base, from->properties[i].value);
    }
    base->settings = (struct usher_kafka_settings){
        .brokers = copy_text(base, from->brokers),
        .topic_prefix = copy_text(base, from->topic_prefix),
        .properties = properties,
        .property_count = from->property_count,
    };
}

static void free_base(struct kafka_base *base)
{
    kafka_disposal_free(base->disposal);
    usher_arena_deinit(&base->arena);
    free(base);
}

enum usher_status kafka_base_open(const struct kafka_base_settings *settings,
                                  struct kafka_base **base, struct usher_error *err)
{
    struct kafka_base *opened = memory_calloc(1, sizeof *opened);
    copy_settings(opened, settings->kafka);
    opened->disposal = kafka_disposal_new();
    int timeout_ms =
        settings->request_timeout_ms > 0 ? settings->request_timeout_ms : REQUEST_TIMEOUT_MS;
    enum usher_status status =
        usher_topic_names(opened->settings.topic_prefix, &opened->topics, err);
    if (status == USHER_OK)
        status = kafka_reader_open(&opened->settings, &opened->topics, timeout_ms,
                                   settings->committed, &opened->reader, err);
    *base = opened;
    if (status != USHER_OK) {
        free_base(opened);
        *base = NULL;
    }
    return status;
}

/* All three topics: without one, a worker would stop at its first answer or dead letter. */
enum usher_status kafka_base_partitions(struct kafka_base *base, int32_t *count,
                                        struct usher_error *err)
{
    const struct usher_topic_names *topics = &base->topics;
    int32_t results = 0;
    enum usher_status status =
        kafka_reader_partitions(base->reader, topics->dead_letters, count, err);
    if (status == USHER_OK)
        status = kafka_reader_partitions(base->reader, topics->results, &results, err);
    if (status == USHER_OK)
        status = kafka_reader_partitions(base->reader, topics->requests, count, err);
    if (status != USHER_OK || results == *count)
        return status;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "topic \"%s\" has %" PRId32 " partition%s, \"%s\" has %" PRId32
                    ": they must be equal, and as they were at setup: `usher-worker topics check "
                    "--partitions N` with that count says what to do",
                    topics->requests, *count, PLURAL(*count), topics->results, results);
    return USHER_FATAL;
}

enum usher_status kafka_base_ends(struct kafka_base *base, int32_t count, int64_t *ends,
                                  struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (int32_t i = 0; status == USHER_OK && i < count; i++)
        status = kafka_reader_end(base->reader, kafka_reader_requests(base->reader, i),
                                  kafka_reader_timeout_ms(base->reader), &ends[i], err);
    return status;
}

const struct usher_topic_names *kafka_base_topics(const struct kafka_base *base)
{
    return &base->topics;
}

const struct usher_kafka_settings *kafka_base_settings(const struct kafka_base *base)
{
    return &base->settings;
}

struct kafka_reader *kafka_base_reader(const struct kafka_base *base)
{
    return base->reader;
}

struct kafka_disposal *kafka_base_disposal(const struct kafka_base *base)
{
    return base->disposal;
}

enum usher_status kafka_base_close(struct kafka_base *base, int timeout_ms, struct usher_error *err)
{
    if (!base)
        return USHER_OK;
    kafka_reader_close(base->reader, base->disposal);
    if (!kafka_disposal_wait(base->disposal, timeout_ms)) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not close every Kafka handle within %d ms", timeout_ms);
        return USHER_RETRY;
    }
    free_base(base);
    return USHER_OK;
}

/* ==== Descriptors ==== */

static const uint64_t increment = 1;

int kafka_wake_new(void)
{
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    assert(fd >= 0);
    return fd;
}

void kafka_wake_set(int fd)
{
    ssize_t size = write(fd, &increment, sizeof increment);
    assert(size == (ssize_t)sizeof increment || errno == EAGAIN || errno == EINTR);
}

void kafka_wake_on(rd_kafka_queue_t *queue, int fd)
{
    rd_kafka_queue_io_event_enable(queue, fd, &increment, sizeof increment);
}
