/* The membership in the consumer group: see kafka_group.h. All of it runs on the polling thread. */
#include "worker/kafka/kafka_group.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"
#include "worker/kafka/kafka_disposal.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/kafka/kafka_source.h"

enum {
    SESSION_TIMEOUT_MS = 6000,
    HEARTBEAT_MS = 500,
    REBALANCE_TIMEOUT_MS = 20000,
    QUEUE_BYTES = 16384 * 1024, /* as in kafka_settings.c */
    ASK_INTERVAL_MS = 1000,
    ASK_TIMEOUT_MS = 200, /* partitions are not assigned meanwhile */
};

/* The opaque of the consumer. It outlives the group: destroying a handle may take long. */
struct kafka_membership {
    struct kafka_log log;
    struct kafka_group *group; /* NULL: left, callbacks do nothing */
};

struct kafka_group {
    struct kafka_base *base;
    struct kafka_gaps *gaps;
    struct group_handler handler;
    int32_t partition_count;

    rd_kafka_t *consumer; /* NULL: left */
    rd_kafka_queue_t *queue;
    struct kafka_membership *membership;

    bool assigned, rejoining; /* the latter: for a source that is lost */
    struct kafka_source **sources;
    uint32_t source_count;

    struct log_limit unreachable;
    bool all_down; /* no broker has answered since librdkafka said so, once for an outage */
    int64_t asked_ms;
    enum usher_status failed; /* in a callback, returned by the next poll */
    struct usher_error error;
};

/* ---- assignment ---- */

static void record_failure(struct kafka_group *group, enum usher_status status,
                           const struct usher_error *error)
{
    if (group->failed == USHER_FATAL)
        return;
    group->failed = status;
    group->error = *error;
}

/* Keys were hashed to the recorded partitions: one that was added later must get none of them. */
static void drop_unknown_partitions(struct kafka_group *group,
                                    rd_kafka_topic_partition_list_t *list)
{
    for (int i = list->cnt - 1; i >= 0; i--) {
        int32_t partition = list->elems[i].partition;
        if (partition < group->partition_count)
            continue;
        log_error(&group->membership->log.context,
                  "partition %" PRId32 " is not consumed: topic \"%s\" had %" PRId32
                  " partitions at setup, and keys are hashed with that count: `usher-worker topics "
                  "check --partitions %" PRId32 "` says what to do",
                  partition, list->elems[i].topic, group->partition_count, group->partition_count);
        rd_kafka_topic_partition_list_del_by_idx(list, i);
    }
}

static void open_sources(struct kafka_group *group, rd_kafka_topic_partition_list_t *list)
{
    group->sources = memory_calloc((size_t)list->cnt + 1, sizeof(struct kafka_source *));
    group->source_count = (uint32_t)list->cnt;
    for (int i = 0; i < list->cnt; i++) {
        int32_t partition = list->elems[i].partition;
        int64_t start = group->handler.start_offset(group->handler.self, partition);
        list->elems[i].offset = start == OFFSET_NONE ? RD_KAFKA_OFFSET_BEGINNING : start;
        group->sources[i] =
            kafka_source_open(group->base, group->gaps, group->consumer, partition, start);
    }
}

static void close_sources(struct kafka_group *group)
{
    for (uint32_t i = 0; i < group->source_count; i++)
        kafka_source_close(group->sources[i]);
    free(group->sources);
    group->sources = NULL;
    group->source_count = 0;
}

static void report_assigned(struct kafka_group *group, const rd_kafka_topic_partition_list_t *list)
{
    struct assigned_partition *partitions =
        memory_calloc((size_t)list->cnt + 1, sizeof(struct assigned_partition));
    for (int i = 0; i < list->cnt; i++) {
        partitions[i].partition = list->elems[i].partition;
        partitions[i].log = kafka_source_port(group->sources[i]);
    }
    group->handler.assigned(group->handler.self, partitions, (uint32_t)list->cnt);
    free(partitions);
}

static void assign(struct kafka_group *group, rd_kafka_topic_partition_list_t *list)
{
    assert(!group->assigned);
    drop_unknown_partitions(group, list);
    open_sources(group, list);
    rd_kafka_resp_err_t code = rd_kafka_assign(group->consumer, list);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        struct usher_error error;
        (void)kafka_fail(&error, code, "could not assign %d partitions", list->cnt);
        record_failure(group, USHER_FATAL, &error);
        close_sources(group);
        return;
    }
    group->assigned = true;
    group->rejoining = false;
    report_assigned(group, list);
}

static void revoke(struct kafka_group *group, bool lost)
{
    if (group->assigned) {
        group->assigned = false;
        group->handler.revoked(group->handler.self, lost);
        for (uint32_t i = 0; i < group->source_count && !lost; i++)
            kafka_source_flush(group->sources[i]);
    }
    rd_kafka_assign(group->consumer, NULL);
    close_sources(group);
}

static void on_rebalance(rd_kafka_t *consumer, rd_kafka_resp_err_t event,
                         rd_kafka_topic_partition_list_t *list, void *opaque)
{
    struct kafka_group *group = ((struct kafka_membership *)opaque)->group;
    if (!group)
        rd_kafka_assign(consumer, NULL);
    else if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS)
        assign(group, list);
    else
        revoke(group, rd_kafka_assignment_lost(consumer) != 0);
}

/* ---- errors ---- */

static void handle_error(struct kafka_group *group, rd_kafka_resp_err_t code, const char *reason)
{
    struct usher_error error;
    enum usher_exit exit_code;
    enum usher_status status = kafka_status(code, &exit_code);
    usher_error_set(&error, exit_code, "could not take part in the consumer group: %s (%s)", reason,
                    rd_kafka_err2name(code));
    if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
        group->all_down = true;
    /* librdkafka rejoins after a lost membership, and revokes all partitions first. */
    if (status == USHER_RETRY || status == USHER_FENCED) {
        log_failure(&group->unreachable, &group->membership->log.context, LOG_LEVEL_WARNING, "%s",
                    error.text);
        status = USHER_RETRY;
    }
    if (status != USHER_OK)
        record_failure(group, status == USHER_RETRY ? USHER_RETRY : USHER_FATAL, &error);
}

static void on_error(rd_kafka_t *consumer, int code, const char *reason, void *opaque)
{
    struct kafka_group *group = ((struct kafka_membership *)opaque)->group;
    char text[384];
    if (!group)
        return;
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        struct usher_error error;
        rd_kafka_fatal_error(consumer, text, sizeof text);
        usher_error_set(&error, USHER_EXIT_BUG, "the consumer failed fatally: %s", text);
        record_failure(group, USHER_FATAL, &error);
        return;
    }
    handle_error(group, (rd_kafka_resp_err_t)code, reason);
}

/* ---- opening ---- */

static enum usher_status set_number(rd_kafka_conf_t *conf, const char *name, int64_t number,
                                    struct usher_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    return kafka_conf_set(conf, name, text, err);
}

static enum usher_status configure(rd_kafka_conf_t *conf,
                                   const struct kafka_group_settings *settings,
                                   struct usher_error *err)
{
    int session_ms =
        settings->session_timeout_ms > 0 ? settings->session_timeout_ms : SESSION_TIMEOUT_MS;
    int heartbeat_ms = settings->heartbeat_ms > 0 ? settings->heartbeat_ms : HEARTBEAT_MS;
    int rebalance_ms =
        settings->rebalance_timeout_ms > 0 ? settings->rebalance_timeout_ms : REBALANCE_TIMEOUT_MS;
    enum usher_status status = kafka_conf_set(conf, "group.id", settings->group_id, err);
    if (status == USHER_OK)
        status = set_number(conf, "session.timeout.ms", session_ms, err);
    if (status == USHER_OK)
        status = set_number(conf, "heartbeat.interval.ms", heartbeat_ms, err);
    if (status == USHER_OK) /* by default five minutes, in which nothing is assigned to anyone */
        status = set_number(conf, "max.poll.interval.ms",
                            rebalance_ms > session_ms ? rebalance_ms : session_ms, err);
    if (status == USHER_OK && settings->queue_bytes > 0 && settings->queue_bytes < QUEUE_BYTES)
        status =
            set_number(conf, "queued.max.messages.kbytes", settings->queue_bytes / 1024 + 1, err);
    if (status == USHER_OK)
        status = kafka_conf_set(conf, "enable.partition.eof", "true", err);
    rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
    rd_kafka_conf_set_error_cb(conf, on_error);
    return status;
}

static enum usher_status subscribe(struct kafka_group *group, struct usher_error *err)
{
    const char *topic = kafka_base_topics(group->base)->requests;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, RD_KAFKA_PARTITION_UA);
    rd_kafka_resp_err_t code = rd_kafka_subscribe(group->consumer, list);
    rd_kafka_topic_partition_list_destroy(list);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        return USHER_OK;
    return kafka_fail(err, code, "could not subscribe to \"%s\"", topic);
}

/* What was opened before a failure is closed by release. */
static enum usher_status join(struct kafka_group *group,
                              const struct kafka_group_settings *settings, struct usher_error *err)
{
    rd_kafka_conf_t *conf = kafka_conf_new(kafka_base_settings(group->base), KAFKA_GROUP_CONSUMER,
                                           &group->membership->log, err);
    if (!conf)
        return USHER_FATAL;
    if (configure(conf, settings, err) != USHER_OK) {
        rd_kafka_conf_destroy(conf);
        return USHER_FATAL;
    }
    group->consumer = kafka_handle_new(RD_KAFKA_CONSUMER, conf, err);
    if (!group->consumer)
        return USHER_FATAL;
    rd_kafka_poll_set_consumer(group->consumer);
    group->queue = rd_kafka_queue_get_consumer(group->consumer);
    return subscribe(group, err);
}

enum usher_status kafka_group_open(struct kafka_base *base,
                                   const struct kafka_group_settings *settings,
                                   const struct group_handler *handler, struct kafka_group **group,
                                   struct usher_error *err)
{
    struct kafka_group *opened = memory_calloc(1, sizeof *opened);
    assert(settings->partition_count > 0);
    opened->membership = memory_calloc(1, sizeof *opened->membership);
    opened->base = base;
    opened->handler = *handler;
    opened->partition_count = settings->partition_count;
    opened->gaps = kafka_gaps_new(base, settings->partition_count);
    opened->membership->group = opened;
    opened->membership->log.context = log_context_text(NULL, "group", settings->group_id);
    enum usher_status status = join(opened, settings, err);
    if (status == USHER_OK) {
        *group = opened;
        return USHER_OK;
    }
    kafka_group_close(opened);
    *group = NULL;
    return status;
}

/* ---- the port ---- */

/* Nothing tells that brokers are back, and a quiet partition hears nothing of them: ask. */
static void ask_brokers(struct kafka_group *group)
{
    const struct rd_kafka_metadata *metadata;
    if (!group->all_down || clock_ms() - group->asked_ms < ASK_INTERVAL_MS)
        return;
    group->all_down = rd_kafka_metadata(group->consumer, 0, NULL, &metadata, ASK_TIMEOUT_MS) !=
                      RD_KAFKA_RESP_ERR_NO_ERROR;
    if (!group->all_down)
        rd_kafka_metadata_destroy(metadata);
    group->asked_ms = clock_ms();
}

/* To subscribe again revokes what is assigned, like any rebalance: through the callbacks of a poll.
 */
static enum usher_status group_rejoin(void *self, struct usher_error *err)
{
    return subscribe(self, err);
}

/* All partitions are assigned again, for one alone cannot be. */
static void rejoin_for_lost(struct kafka_group *group)
{
    bool lost = false;
    for (uint32_t i = 0; i < group->source_count && !group->rejoining; i++)
        lost = lost || kafka_source_is_lost(group->sources[i]);
    if (!lost)
        return;
    log_warning(&group->membership->log.context,
                "a partition is not read any more: joining the group again");
    group->rejoining = group_rejoin(group, NULL) == USHER_OK;
}

static enum usher_status group_poll(void *self, int timeout_ms, struct usher_error *err)
{
    struct kafka_group *group = self;
    assert(group->consumer);
    rd_kafka_message_t *message = rd_kafka_consumer_poll(group->consumer, timeout_ms);
    if (message) {
        /* Records arrive on the queues of the partitions: only errors arrive here. */
        assert(message->err != RD_KAFKA_RESP_ERR_NO_ERROR);
        handle_error(group, message->err, rd_kafka_message_errstr(message));
        rd_kafka_message_destroy(message);
    }
    ask_brokers(group);
    rejoin_for_lost(group);
    enum usher_status status = group->failed;
    if (status == USHER_OK && group->all_down)
        status = USHER_RETRY;
    if (status != USHER_OK)
        usher_error_set(err, group->error.exit_code, "%s", group->error.text);
    if (status == USHER_RETRY)
        group->failed = USHER_OK;
    return status;
}

static void group_wake(void *self)
{
    rd_kafka_queue_yield(((struct kafka_group *)self)->queue);
}

/* Destroys the consumer in the background, by which it leaves the group. */
static void release(struct kafka_group *group)
{
    group->membership->group = NULL;
    if (group->queue)
        rd_kafka_queue_destroy(group->queue);
    if (group->consumer)
        kafka_disposal_add(kafka_base_disposal(group->base), group->consumer, group->membership);
    else
        free(group->membership);
    group->queue = NULL;
    group->consumer = NULL;
    group->membership = NULL;
}

static enum usher_status group_leave(void *self, int timeout_ms, struct usher_error *err)
{
    struct kafka_group *group = self;
    if (!group->consumer)
        return USHER_OK;
    revoke(group, rd_kafka_assignment_lost(group->consumer) != 0);
    release(group);
    if (kafka_disposal_wait(kafka_base_disposal(group->base), timeout_ms))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not leave the consumer group within %d ms",
                    timeout_ms);
    return USHER_RETRY;
}

struct group_port kafka_group_port(struct kafka_group *group)
{
    return (struct group_port){
        .self = group,
        .poll = group_poll,
        .rejoin = group_rejoin,
        .wake = group_wake,
        .leave = group_leave,
    };
}

void kafka_group_close(struct kafka_group *group)
{
    if (!group)
        return;
    assert(!group->assigned);
    if (group->membership)
        release(group);
    kafka_gaps_free(group->gaps);
    free(group);
}
