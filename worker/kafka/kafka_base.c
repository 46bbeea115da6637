/*
 * What the Kafka adapters share: see kafka_base.h and kafka_handles.h. The reader uses librdkafka's
 * simple consumer, which reads each partition by itself and needs no group: one warm connection
 * serves every takeover.
 */
#include "worker/kafka/kafka_base.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "usher/memory.h"
#include "worker/kafka/kafka_handles.h"

enum {
    REQUEST_TIMEOUT_MS = 10000
};

struct kafka_base {
    struct usher_arena arena;
    struct usher_kafka_settings settings;
    struct usher_topic_names topics;
    int request_timeout_ms;

    struct kafka_log log;
    rd_kafka_t *reader;
    rd_kafka_topic_t *requests, *results;

    pthread_mutex_t lock; /* for the two below */
    pthread_cond_t settled;
    uint32_t discarding; /* handles that are being destroyed */
};

/* ---- descriptors to wait on ---- */

static const uint64_t wake_count = 1;

int kafka_wake_new(void)
{
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    assert(fd >= 0);
    return fd;
}

void kafka_wake_clear(int fd)
{
    uint64_t count;
    ssize_t size = read(fd, &count, sizeof(count));
    assert(size == (ssize_t)sizeof(count) || errno == EAGAIN || errno == EINTR);
}

void kafka_wake_set(int fd)
{
    ssize_t size = write(fd, &wake_count, sizeof(wake_count));
    assert(size == (ssize_t)sizeof(wake_count) || errno == EAGAIN || errno == EINTR);
}

void kafka_wake_on(rd_kafka_queue_t *queue, int fd)
{
    rd_kafka_queue_io_event_enable(queue, fd, &wake_count, sizeof(wake_count));
}

/* ---- opening ---- */

static const char *copy_text(struct kafka_base *base, const char *text)
{
    return text == NULL ? NULL : usher_arena_text(&base->arena, text, strlen(text));
}

static void copy_settings(struct kafka_base *base, const struct usher_kafka_settings *from)
{
    struct usher_property *properties =
        usher_arena_alloc(&base->arena, (from->property_count + 1) * sizeof(*properties));
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

/* Short waits of fetches: a scan must not wait behind another partition's empty fetch. */
static enum usher_status open_reader(struct kafka_base *base, struct usher_error *err)
{
    rd_kafka_conf_t *conf = kafka_conf_new(&base->settings, KAFKA_READER, &base->log, err);
    if (conf == NULL)
        return USHER_FATAL;
    enum usher_status status = kafka_conf_set(conf, "enable.partition.eof", "true", err);
    if (status == USHER_OK)
        status = kafka_conf_set(conf, "fetch.wait.max.ms", "10", err);
    if (status != USHER_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    base->reader = kafka_handle_new(RD_KAFKA_CONSUMER, conf, err);
    if (base->reader == NULL)
        return USHER_FATAL;
    base->requests = rd_kafka_topic_new(base->reader, base->topics.requests, NULL);
    base->results = rd_kafka_topic_new(base->reader, base->topics.results, NULL);
    assert(base->requests != NULL && base->results != NULL);
    return USHER_OK;
}

static void free_base(struct kafka_base *base)
{
    pthread_cond_destroy(&base->settled);
    pthread_mutex_destroy(&base->lock);
    usher_arena_deinit(&base->arena);
    free(base);
}

static struct kafka_base *new_base(const struct kafka_base_settings *settings)
{
    struct kafka_base *base = calloc(1, sizeof(*base));
    assert(base != NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&base->settled, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&base->lock, NULL);
    copy_settings(base, settings->kafka);
    base->request_timeout_ms =
        settings->request_timeout_ms > 0 ? settings->request_timeout_ms : REQUEST_TIMEOUT_MS;
    base->log.context = log_context_with(NULL, "kafka=reader");
    return base;
}

enum usher_status kafka_base_open(const struct kafka_base_settings *settings,
                                  struct kafka_base **base, struct usher_error *err)
{
    *base = new_base(settings);
    enum usher_status status =
        usher_topic_names((*base)->settings.topic_prefix, &(*base)->topics, err);
    if (status == USHER_OK)
        status = open_reader(*base, err);
    if (status != USHER_OK) {
        free_base(*base);
        *base = NULL;
    }
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

struct kafka_place kafka_base_requests(const struct kafka_base *base, int32_t partition)
{
    return (struct kafka_place){base->requests, partition};
}

struct kafka_place kafka_base_results(const struct kafka_base *base, int32_t partition)
{
    return (struct kafka_place){base->results, partition};
}

/* All three, since a worker without one of them would stop at the first answer or dead letter. */
enum usher_status kafka_base_partitions(struct kafka_base *base, int32_t *count,
                                        struct usher_error *err)
{
    const struct usher_topic_names *topics = &base->topics;
    const char *const names[] = {topics->dead_letters, topics->results, topics->requests};
    int32_t results = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        enum usher_status status =
            kafka_partition_count(base->reader, names[i], base->request_timeout_ms, count, err);
        if (status != USHER_OK)
            return status;
        if (names[i] == topics->results)
            results = *count;
    }
    if (results == *count)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "topic \"%s\" has %" PRId32 " partitions, \"%s\" has %" PRId32
                    ": they must be equal, see `usher-worker topics check`",
                    topics->requests, *count, topics->results, results);
    return USHER_FATAL;
}

int kafka_base_timeout_ms(const struct kafka_base *base)
{
    return base->request_timeout_ms;
}

/* ---- reading ---- */

static enum usher_status ask_offset(struct kafka_base *base, struct kafka_place place,
                                    int64_t *offset, int timeout_ms, struct usher_error *err)
{
    const struct kafka_question question = {
        .kafka = base->reader,
        .topic = rd_kafka_topic_name(place.topic),
        .partition = place.partition,
        .timeout_ms = timeout_ms,
    };
    rd_kafka_poll(base->reader, 0); /* nobody else looks into the reader's own queue */
    return kafka_ask_offset(&question, offset, err);
}

enum usher_status kafka_base_end(struct kafka_base *base, struct kafka_place place, int timeout_ms,
                                 int64_t *end, struct usher_error *err)
{
    *end = RD_KAFKA_OFFSET_END;
    return ask_offset(base, place, end, timeout_ms, err);
}

enum usher_status kafka_base_bounds(struct kafka_base *base, struct kafka_place place,
                                    struct kafka_bounds *bounds, struct usher_error *err)
{
    bounds->start = RD_KAFKA_OFFSET_BEGINNING;
    enum usher_status status =
        ask_offset(base, place, &bounds->start, base->request_timeout_ms, err);
    if (status == USHER_OK)
        status = kafka_base_end(base, place, base->request_timeout_ms, &bounds->end, err);
    return status;
}

enum usher_status kafka_reading_begin(struct kafka_base *base, struct kafka_place place,
                                      int64_t offset, struct kafka_reading *reading,
                                      struct usher_error *err)
{
    *reading = (struct kafka_reading){place, rd_kafka_queue_new(base->reader)};
    if (rd_kafka_consume_start_queue(place.topic, place.partition, offset, reading->queue) == 0)
        return USHER_OK;
    rd_kafka_queue_destroy(reading->queue);
    return kafka_fail(err, rd_kafka_last_error(), "could not read \"%s\" partition %d",
                      rd_kafka_topic_name(place.topic), (int)place.partition);
}

size_t kafka_reading_next(struct kafka_reading *reading, rd_kafka_message_t **messages, size_t max,
                          int timeout_ms)
{
    /* A batch call with a timeout waits until it is full, so the first one is awaited alone. */
    ssize_t count = rd_kafka_consume_batch_queue(reading->queue, 0, messages, max);
    if (count <= 0)
        count = rd_kafka_consume_batch_queue(reading->queue, timeout_ms, messages, 1);
    return count > 0 ? (size_t)count : 0;
}

void kafka_reading_end(struct kafka_reading *reading)
{
    rd_kafka_consume_stop(reading->place.topic, reading->place.partition);
    rd_kafka_queue_destroy(reading->queue);
}

/* ---- closing ---- */

struct discard {
    struct kafka_base *base;
    rd_kafka_t *handle;
    void *owner;
};

/* librdkafka may hang here for ever after a broker's restart; nobody else waits for it. */
static void *destroy_handle(void *argument)
{
    struct discard discard = *(struct discard *)argument;
    free(argument);
    rd_kafka_destroy(discard.handle);
    free(discard.owner);
    pthread_mutex_lock(&discard.base->lock);
    discard.base->discarding--;
    pthread_cond_broadcast(&discard.base->settled);
    pthread_mutex_unlock(&discard.base->lock);
    return NULL;
}

void kafka_base_discard(struct kafka_base *base, rd_kafka_t *handle, void *owner)
{
    if (handle == NULL)
        return;
    struct discard *discard = malloc(sizeof(*discard));
    assert(discard != NULL);
    *discard = (struct discard){base, handle, owner};
    pthread_mutex_lock(&base->lock);
    base->discarding++;
    pthread_mutex_unlock(&base->lock);
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, destroy_handle, discard);
    if (failed)
        destroy_handle(discard);
    else
        pthread_detach(thread);
}

bool kafka_base_settle(struct kafka_base *base, int timeout_ms)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += timeout_ms / 1000;
    deadline.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_nsec -= 1000000000;
        deadline.tv_sec++;
    }
    pthread_mutex_lock(&base->lock);
    int failed = 0;
    while (base->discarding > 0 && failed == 0)
        failed = pthread_cond_timedwait(&base->settled, &base->lock, &deadline);
    bool settled = base->discarding == 0;
    pthread_mutex_unlock(&base->lock);
    return settled;
}

enum usher_status kafka_base_close(struct kafka_base *base, int timeout_ms, struct usher_error *err)
{
    if (base == NULL)
        return USHER_OK;
    rd_kafka_topic_destroy(base->requests);
    rd_kafka_topic_destroy(base->results);
    kafka_base_discard(base, base->reader, NULL);
    if (!kafka_base_settle(base, timeout_ms)) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not close every Kafka handle within %d ms", timeout_ms);
        return USHER_RETRY;
    }
    free_base(base);
    return USHER_OK;
}
