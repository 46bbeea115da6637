/*
 * Sends requests and finds their answers: a sender, a reader, and the table of pending requests
 * between them.
 */
#include "usher/client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/client/descriptor.h"
#include "producer/client/pending.h"
#include "producer/client/reader.h"
#include "producer/client/sender.h"
#include "producer/codec/answer_scan.h"
#include "usher/message.h"

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
    if (status != USHER_OK) {
        pending_remove(&client->pending, entry);
    } else if (message->wait) {
        entry->deadline_ms = clock_ms() + client->answer_timeout_ms;
        pending_await(&client->pending, entry, message->request_id, message->resource);
    }
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
    if (entry && !answer_scan_unasked(record->data, record->size))
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
