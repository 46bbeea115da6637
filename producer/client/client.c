/* See client.h: an idempotent producer, and the reader of its answers. */
#include "producer/client/client.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/client/reader.h"
#include "producer/codec/answer_scan.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"
#include "usher/message.h"

/* ==== Sender ==== */

enum {
    OPEN_TIMEOUT_MS = 5000
};

struct sender {
    struct kafka_log log; /* first: the handle's opaque */
    rd_kafka_t *kafka;
    rd_kafka_topic_t *topic;
    int32_t partition_count;
    void *context;
    void (*on_delivery)(void *context, const struct usher_delivery *delivery);
};

/* Without permission to write, for one, an idempotent producer fails as a whole. */
static rd_kafka_resp_err_t cause_of(rd_kafka_t *kafka, rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__FATAL ? rd_kafka_fatal_error(kafka, NULL, 0) : code;
}

static void on_report(rd_kafka_t *kafka, const rd_kafka_message_t *message, void *opaque)
{
    struct sender *sender = opaque;
    struct usher_error err;
    struct usher_delivery delivery = {
        .tag = message->_private,
        .status = USHER_OK,
        .partition = message->partition,
        .offset = message->offset,
    };
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        delivery.status =
            kafka_fail(&err, cause_of(kafka, message->err), "could not publish a request");
        delivery.err = &err;
    }
    if (sender->on_delivery)
        sender->on_delivery(sender->context, &delivery);
}

/* ---- opening ---- */

static enum usher_status make_handle(struct sender *sender, const struct sender_settings *settings,
                                     struct usher_error *err)
{
    char timeout[24];
    enum usher_status status = USHER_OK;
    rd_kafka_conf_t *conf =
        kafka_conf_new(settings->kafka, KAFKA_REQUEST_PRODUCER, &sender->log, err);
    if (!conf)
        return USHER_FATAL;
    rd_kafka_conf_set_dr_msg_cb(conf, on_report);
    if (settings->client_id)
        status = kafka_conf_set(conf, "client.id", settings->client_id, err);
    if (status == USHER_OK && settings->delivery_timeout_ms > 0) {
        snprintf(timeout, sizeof timeout, "%lld", (long long)settings->delivery_timeout_ms);
        status = kafka_conf_set(conf, "message.timeout.ms", timeout, err);
    }
    if (status != USHER_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    sender->kafka = kafka_handle_new(RD_KAFKA_PRODUCER, conf, err);
    return sender->kafka ? USHER_OK : USHER_FATAL;
}

static enum usher_status learn_partitions(struct sender *sender,
                                          const struct usher_topic_names *names,
                                          struct usher_error *err)
{
    int32_t results = 0;
    enum usher_status status = kafka_partition_count(
        sender->kafka, names->requests, OPEN_TIMEOUT_MS, &sender->partition_count, err);
    if (status == USHER_OK)
        status =
            kafka_partition_count(sender->kafka, names->results, OPEN_TIMEOUT_MS, &results, err);
    if (status == USHER_OK && results != sender->partition_count) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not use topic \"%s\": it has %d partition%s, \"%s\" has %d",
                        names->results, results, PLURAL(results), names->requests,
                        sender->partition_count);
        status = USHER_FATAL;
    }
    return status;
}

enum usher_status sender_open(const struct sender_settings *settings, struct sender **sender,
                              struct usher_error *err)
{
    struct usher_topic_names names;
    enum usher_status status = usher_topic_names(settings->kafka->topic_prefix, &names, err);
    *sender = NULL;
    if (status != USHER_OK)
        return status;
    struct sender *opened = memory_calloc(1, sizeof *opened);
    opened->context = settings->context;
    opened->on_delivery = settings->on_delivery;
    status = make_handle(opened, settings, err);
    if (status == USHER_OK)
        status = learn_partitions(opened, &names, err);
    if (status == USHER_OK) {
        opened->topic = rd_kafka_topic_new(opened->kafka, names.requests, NULL);
        if (!opened->topic) {
            (void)kafka_fail(err, rd_kafka_last_error(), "could not use topic \"%s\"",
                             names.requests);
            status = USHER_FATAL;
        }
    }
    if (status == USHER_OK)
        *sender = opened;
    else
        sender_close(opened);
    return status;
}

/* Partitions of the request topic (and of the result topic), when it was opened. */
static int32_t sender_partition_count(const struct sender *sender)
{
    return sender->partition_count;
}

int32_t sender_partition_of(const struct sender *sender, const char *resource)
{
    return usher_partition_of(resource, strlen(resource), sender->partition_count);
}

/* ---- sending ---- */

enum usher_status sender_send(struct sender *sender, const struct usher_message *message,
                              struct usher_error *err)
{
    size_t key_size = strlen(message->resource);
    int32_t partition = usher_partition_of(message->resource, key_size, sender->partition_count);
    /* librdkafka only copies the payload (MSG_F_COPY), though its prototype is not const. */
    void *data;
    memcpy(&data, &message->data, sizeof data);
    if (rd_kafka_produce(sender->topic, partition, RD_KAFKA_MSG_F_COPY, data, message->size,
                         message->resource, key_size, message->tag) == 0)
        return USHER_OK;
    return kafka_fail(err, cause_of(sender->kafka, rd_kafka_last_error()),
                      "could not queue a request");
}

enum usher_status sender_poll(struct sender *sender, int timeout_ms, int *served,
                              struct usher_error *err)
{
    char reason[256];
    enum usher_exit exit_code;
    *served = rd_kafka_poll(sender->kafka, timeout_ms);
    int refusal = atomic_load(&sender->log.refusal);
    if (refusal != 0)
        return kafka_fail(err, (rd_kafka_resp_err_t)refusal, "could not log in to Kafka");
    if (rd_kafka_fatal_error(sender->kafka, reason, sizeof reason) == RD_KAFKA_RESP_ERR_NO_ERROR)
        return USHER_OK;
    (void)kafka_status(cause_of(sender->kafka, RD_KAFKA_RESP_ERR__FATAL), &exit_code);
    usher_error_set(err, exit_code == USHER_EXIT_DENIED ? exit_code : USHER_EXIT_UNAVAILABLE,
                    "could not continue publishing: %s", reason);
    return USHER_FATAL;
}

/* Lets the descriptor be readable (reader.h) when there may be deliveries to serve. */
static void sender_descriptor(struct sender *sender, int descriptor)
{
    rd_kafka_queue_t *events = rd_kafka_queue_get_main(sender->kafka);
    descriptor_on(events, descriptor);
    rd_kafka_queue_destroy(events);
}

size_t sender_pending(const struct sender *sender)
{
    int count = rd_kafka_outq_len(sender->kafka);
    return count < 0 ? 0 : (size_t)count;
}

void sender_close(struct sender *sender)
{
    if (!sender)
        return;
    if (sender->topic)
        rd_kafka_topic_destroy(sender->topic);
    if (sender->kafka)
        rd_kafka_destroy(sender->kafka);
    free(sender);
}

/* ==== The client ==== */

enum {
    ANSWER_TIMEOUT_MS = 5000,
    SLICE_MS = 20, /* deliveries and answers come from two handles: neither is waited for longer */
    RECORDS_A_POLL = 4096, /* so that deliveries are served under a flood of others' answers */
};

struct usher_client {
    struct sender *sender;
    struct reader *reader; /* NULL if answers are not read */
    bool *following;       /* by partition: its answers are being read */
    struct pending pending;
    struct usher_arena arena; /* of the message that is being sent */
    int64_t answer_timeout_ms;
    void *context;
    void (*on_delivery)(void *context, const struct usher_delivery *delivery);
    void (*on_reply)(void *context, const struct usher_reply *reply);
    size_t served;  /* callbacks of this poll */
    int descriptor; /* -1: nobody asked for it */
};

/* ---- deliveries ---- */

/* The entry is freed before the callback, which may send the next message. */
static void on_delivered(void *context, const struct usher_delivery *delivery)
{
    struct usher_client *client = context;
    struct pending_entry *entry = delivery->tag;
    struct usher_delivery report = *delivery;
    report.tag = entry->tag;
    entry->undelivered = false;
    if (delivery->status != USHER_OK && entry->waiting)
        pending_settle(&client->pending, entry);
    if (!entry->waiting)
        pending_remove(&client->pending, entry);
    client->served++;
    if (client->on_delivery)
        client->on_delivery(client->context, &report);
}

/* ---- opening ---- */

static enum usher_status open_reader(struct usher_client *client,
                                     const struct usher_client_settings *settings,
                                     struct usher_error *err)
{
    enum usher_status status =
        reader_open(&settings->kafka, settings->client_id, &client->reader, err);
    if (status != USHER_OK)
        return status;
    client->following =
        memory_calloc((size_t)sender_partition_count(client->sender), sizeof *client->following);
    return USHER_OK;
}

const char *usher_version(void)
{
    return USHER_VERSION;
}

enum usher_status usher_client_open(const struct usher_client_settings *settings,
                                    struct usher_client **client, struct usher_error *err)
{
    struct usher_client *opened = memory_calloc(1, sizeof *opened);
    opened->descriptor = -1;
    struct sender_settings sending = {
        .kafka = &settings->kafka,
        .client_id = settings->client_id,
        .delivery_timeout_ms = settings->delivery_timeout_ms,
        .context = opened,
        .on_delivery = on_delivered,
    };
    opened->answer_timeout_ms =
        settings->answer_timeout_ms > 0 ? settings->answer_timeout_ms : ANSWER_TIMEOUT_MS;
    opened->context = settings->context;
    opened->on_delivery = settings->on_delivery;
    opened->on_reply = settings->on_reply;
    enum usher_status status = sender_open(&sending, &opened->sender, err);
    if (status == USHER_OK && settings->on_reply)
        status = open_reader(opened, settings, err);
    if (status != USHER_OK) {
        usher_client_close(opened);
        opened = NULL;
    }
    *client = opened;
    return status;
}

/* ---- sending ---- */

/* Starts reading at the end of the log before the request is sent: its answer comes later. */
static enum usher_status follow(struct usher_client *client, int32_t partition,
                                struct usher_error *err)
{
    int64_t first, end;
    if (client->following[partition])
        return USHER_OK;
    enum usher_status status = reader_range(client->reader, partition, &first, &end, err);
    if (status == USHER_OK)
        status = reader_start(client->reader, partition, end, err);
    client->following[partition] = status == USHER_OK;
    return status;
}

enum usher_status client_follow(struct usher_client *client, const char *resource,
                                struct usher_error *err)
{
    return follow(client, sender_partition_of(client->sender, resource), err);
}

static void await_answer(struct usher_client *client, struct pending_entry *entry,
                         const char *request_id, const char *resource)
{
    entry->deadline_ms = clock_ms() + client->answer_timeout_ms;
    pending_await(&client->pending, entry, request_id, resource);
}

void client_await(struct usher_client *client, const char *resource, const char *request_id,
                  void *tag)
{
    struct pending_entry *entry = pending_add(&client->pending);
    entry->tag = tag;
    await_answer(client, entry, request_id, resource);
}

/*
 * What would be answered as `invalid` is not sent: where usher cannot read the id of a request, its
 * answer has none, and could not be told from no answer.
 */
static enum usher_status check_message(struct usher_client *client,
                                       const struct usher_message *message, struct usher_error *err)
{
    struct usher_request request;
    struct usher_error fault;
    const char *wrong = NULL;
    usher_arena_reset(&client->arena);
    if (usher_request_decode(message->data, message->size, &client->arena, &request, &fault) !=
        USHER_OK)
        wrong = fault.text;
    else if (!message->resource || strcmp(message->resource, request.resource) != 0)
        wrong = "its resource is not that of its data";
    else if (!message->request_id || strcmp(message->request_id, request.request_id) != 0)
        wrong = "its request id is not that of its data";
    else if (message->wait && !client->reader)
        wrong = "it waits for an answer, but no on_reply was set";
    if (!wrong)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not send a request: %s", wrong);
    return USHER_REJECT;
}

enum usher_status usher_client_send(struct usher_client *client,
                                    const struct usher_message *message, struct usher_error *err)
{
    enum usher_status status = check_message(client, message, err);
    if (status == USHER_OK && message->wait)
        status = follow(client, sender_partition_of(client->sender, message->resource), err);
    if (status != USHER_OK)
        return status;
    struct pending_entry *entry = pending_add(&client->pending);
    struct usher_message sent = *message;
    sent.tag = entry;
    entry->tag = message->tag;
    entry->undelivered = true;
    status = sender_send(client->sender, &sent, err);
    if (status != USHER_OK)
        pending_remove(&client->pending, entry);
    else if (message->wait)
        await_answer(client, entry, message->request_id, message->resource);
    return status;
}

/* ---- answers ---- */

/* Ends the wait of an entry and calls back; `reply` has the rest. */
static void settle(struct usher_client *client, struct pending_entry *entry,
                   struct usher_reply *reply)
{
    const struct pending_entry asked = *entry; /* the callback may send the next message */
    reply->tag = asked.tag;
    reply->key = asked.resource;
    reply->key_size = asked.resource_size;
    reply->request_id = asked.id;
    reply->request_id_size = asked.id_size;
    pending_settle(&client->pending, entry);
    if (!entry->undelivered)
        pending_remove(&client->pending, entry);
    client->served++;
    client->on_reply(client->context, reply);
}

static void take_record(struct usher_client *client, struct usher_reply *record)
{
    const char *id;
    size_t id_size;
    if (!answer_scan_seq(record->data, record->size, &record->seq) ||
        !answer_scan_id(record->data, record->size, &id, &id_size))
        return;
    struct pending_entry *entry =
        pending_find(&client->pending, id, id_size, record->key, record->key_size);
    if (entry && !answer_scan_unrequested(record->data, record->size))
        settle(client, entry, record);
}

/* For an event loop all is read: what stays in a queue would keep it from waking the loop again. */
static bool reads_on(const struct usher_client *client)
{
    return client->reader && (client->pending.waiting_count > 0 || client->descriptor >= 0);
}

static enum usher_status take_records(struct usher_client *client, int timeout_ms,
                                      struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (int i = 0; i < RECORDS_A_POLL && status == USHER_OK && reads_on(client); i++) {
        struct usher_reply record;
        status = reader_next(client->reader, i == 0 ? timeout_ms : 0, &record, err);
        if (status == USHER_OK)
            take_record(client, &record);
    }
    if (status == USHER_OK)
        descriptor_set(client->descriptor);
    return status == USHER_RETRY ? USHER_OK : status == USHER_HALT ? USHER_FATAL : status;
}

static void time_out(struct usher_client *client)
{
    struct pending_entry *entry = client->pending.oldest;
    int64_t now = entry ? clock_ms() : 0;
    for (; entry && entry->deadline_ms <= now; entry = client->pending.oldest) {
        struct usher_reply reply = {.status = USHER_RETRY};
        settle(client, entry, &reply);
    }
}

/* ---- polling ---- */

static enum usher_status poll_once(struct usher_client *client, int timeout_ms,
                                   struct usher_error *err)
{
    int served;
    bool answers = reads_on(client);
    enum usher_status status = sender_poll(client->sender, answers ? 0 : timeout_ms, &served, err);
    if (status == USHER_OK && reads_on(client))
        status = take_records(client, client->served > 0 ? 0 : timeout_ms, err);
    time_out(client);
    return status;
}

enum usher_status usher_client_poll(struct usher_client *client, int timeout_ms,
                                    struct usher_error *err)
{
    int64_t deadline = clock_ms() + timeout_ms;
    int64_t left = timeout_ms;
    enum usher_status status;
    client->served = 0;
    descriptor_clear(client->descriptor);
    do {
        status = poll_once(client, (int)(left > SLICE_MS ? SLICE_MS : left), err);
        left = deadline - clock_ms();
    } while (status == USHER_OK && client->served == 0 && left > 0);
    return status;
}

int usher_client_descriptor(struct usher_client *client)
{
    if (client->descriptor >= 0)
        return client->descriptor;
    client->descriptor = descriptor_new();
    sender_descriptor(client->sender, client->descriptor);
    if (client->reader)
        reader_descriptor(client->reader, client->descriptor);
    return client->descriptor;
}

int32_t usher_client_partition_of(const struct usher_client *client, const char *resource)
{
    return sender_partition_of(client->sender, resource);
}

size_t usher_client_pending(const struct usher_client *client)
{
    return client->pending.count;
}

enum usher_status usher_client_flush(struct usher_client *client, int timeout_ms,
                                     struct usher_error *err)
{
    int64_t deadline = clock_ms() + timeout_ms;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && client->pending.count > 0) {
        int64_t left = deadline - clock_ms();
        if (left <= 0) {
            usher_error_set(err, USHER_EXIT_NO_ANSWER,
                            "%zu request%s still without delivery report or answer",
                            client->pending.count, client->pending.count == 1 ? " is" : "s are");
            return USHER_RETRY;
        }
        status = usher_client_poll(client, (int)left, err);
    }
    return status;
}

void usher_client_close(struct usher_client *client)
{
    if (!client)
        return;
    sender_close(client->sender);
    reader_close(client->reader);
    pending_deinit(&client->pending);
    usher_arena_deinit(&client->arena);
    if (client->descriptor >= 0)
        close(client->descriptor);
    free(client->following);
    free(client);
}

/* ==== Messages in flight ==== */

enum {
    BLOCK_ENTRIES = 256,
    BUCKETS_AT_FIRST = 1024
};

/* Entries never move, since librdkafka holds pointers to them: blocks are added, not grown. */
struct pending_block {
    struct pending_block *next;
    struct pending_entry entries[BLOCK_ENTRIES];
};

static void add_block(struct pending *pending)
{
    struct pending_block *block = memory_calloc(1, sizeof *block);
    block->next = pending->blocks;
    pending->blocks = block;
    for (size_t i = BLOCK_ENTRIES; i-- > 0;) {
        block->entries[i].next = pending->free;
        pending->free = &block->entries[i];
    }
}

struct pending_entry *pending_add(struct pending *pending)
{
    if (!pending->free)
        add_block(pending);
    struct pending_entry *entry = pending->free;
    pending->free = entry->next;
    *entry = (struct pending_entry){0};
    pending->count++;
    return entry;
}

/* ---- buckets ---- */

/* FNV-1a: ids differ in their last characters, which it spreads over all bits. */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static struct pending_entry **bucket_of(const struct pending *pending, const char *id,
                                        size_t id_size)
{
    uint64_t hash = hash_bytes(UINT64_C(14695981039346656037), id, id_size);
    hash ^= hash >> 32;
    return &pending->buckets[hash & (pending->bucket_count - 1)];
}

static void append(struct pending_entry **bucket, struct pending_entry *entry)
{
    while (*bucket)
        bucket = &(*bucket)->next;
    entry->next = NULL;
    *bucket = entry;
}

/* Rehashes all waiting entries in order of age, so that the oldest of equal ones stays first. */
static void grow_buckets(struct pending *pending)
{
    free(pending->buckets);
    pending->bucket_count =
        pending->bucket_count == 0 ? BUCKETS_AT_FIRST : pending->bucket_count * 4;
    pending->buckets = memory_calloc(pending->bucket_count, sizeof(struct pending_entry *));
    for (struct pending_entry *entry = pending->oldest; entry; entry = entry->newer)
        append(bucket_of(pending, entry->id, entry->id_size), entry);
}

/* ---- waiting ---- */

void pending_await(struct pending *pending, struct pending_entry *entry, const char *id,
                   const char *resource)
{
    size_t id_size = strlen(id), resource_size = strlen(resource);
    assert(!entry->waiting && id_size <= sizeof entry->id &&
           resource_size <= sizeof entry->resource);
    if (pending->waiting_count >= pending->bucket_count)
        grow_buckets(pending);
    memcpy(entry->id, id, id_size);
    memcpy(entry->resource, resource, resource_size);
    entry->id_size = (uint8_t)id_size;
    entry->resource_size = (uint8_t)resource_size;
    entry->waiting = true;
    entry->older = pending->newest;
    entry->newer = NULL;
    if (!pending->newest)
        pending->oldest = entry;
    else
        pending->newest->newer = entry;
    pending->newest = entry;
    pending->waiting_count++;
    append(bucket_of(pending, id, id_size), entry);
}

struct pending_entry *pending_find(const struct pending *pending, const char *id, size_t id_size,
                                   const char *resource, size_t resource_size)
{
    struct pending_entry *entry =
        pending->bucket_count == 0 ? NULL : *bucket_of(pending, id, id_size);
    for (; entry; entry = entry->next)
        if (entry->id_size == id_size && entry->resource_size == resource_size &&
            memcmp(entry->id, id, id_size) == 0 &&
            memcmp(entry->resource, resource, resource_size) == 0)
            return entry;
    return NULL;
}

void pending_settle(struct pending *pending, struct pending_entry *entry)
{
    assert(entry->waiting);
    struct pending_entry **at = bucket_of(pending, entry->id, entry->id_size);
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    if (!entry->older)
        pending->oldest = entry->newer;
    else
        entry->older->newer = entry->newer;
    if (!entry->newer)
        pending->newest = entry->older;
    else
        entry->newer->older = entry->older;
    entry->waiting = false;
    pending->waiting_count--;
}

void pending_remove(struct pending *pending, struct pending_entry *entry)
{
    assert(!entry->waiting);
    entry->next = pending->free;
    pending->free = entry;
    pending->count--;
}

void pending_deinit(struct pending *pending)
{
    while (pending->blocks) {
        struct pending_block *block = pending->blocks;
        pending->blocks = block->next;
        free(block);
    }
    free(pending->buckets);
    *pending = (struct pending){0};
}
