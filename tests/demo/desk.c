/* A client of libusher, an encoder and a decoder. */
#include "desk.h"

#include <stdbool.h>
#include <stdlib.h>

#include "clock_us.h"
#include "usher/client.h"

enum {
    ANSWER_TIMEOUT_MS = 15000, /* generous: a demo that runs beside other work must not give up */
};

struct desk {
    struct usher_client *client;
    struct usher_arena arena;   /* of one answer */
    struct usher_arena parcels; /* of all of them */
    struct usher_buffer buffer; /* of one request */
    size_t waiting;             /* errands that are not done */
    size_t lost;                /* those that ended without an answer */
};

/*
 * A message in flight. It outlives its errand: the word of Kafka may come after the answer, so
 * none is given back before the desk closes.
 */
struct parcel {
    struct errand *errand;
    bool done;
};

static void finish(struct desk *desk, struct parcel *parcel, const struct usher_answer *answer)
{
    struct errand *errand = parcel->errand;
    parcel->done = true;
    desk->waiting--;
    if (answer == NULL)
        desk->lost++;
    else
        account_add(errand->account, answer, clock_us() - errand->sent_us);
    errand->done(errand, answer);
}

static void on_delivery(void *context, const struct usher_delivery *delivery)
{
    struct parcel *parcel = delivery->tag;
    if (delivery->status != USHER_OK && !parcel->done)
        finish(context, parcel, NULL);
}

static void on_reply(void *context, const struct usher_reply *reply)
{
    struct desk *desk = context;
    struct usher_answer answer;
    usher_arena_reset(&desk->arena);
    bool answered =
        reply->status == USHER_OK &&
        usher_answer_decode(reply->data, reply->size, &desk->arena, &answer, NULL) == USHER_OK;
    finish(desk, reply->tag, answered ? &answer : NULL);
}

struct usher_request desk_request(enum usher_op op, const char *resource)
{
    return (struct usher_request){
        .op = op,
        .resource = resource,
        .client = "demo",
    };
}

enum usher_status desk_open(const char *brokers, struct desk **desk, struct usher_error *err)
{
    struct desk *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        abort();
    /* A broker that has just been started makes its first callers wait: no news. */
    static const struct usher_property quiet = {"log_level", "3"};
    const struct usher_client_settings settings = {
        .kafka = {.brokers = brokers, .properties = &quiet, .property_count = 1},
        .client_id = "demo",
        .answer_timeout_ms = ANSWER_TIMEOUT_MS,
        .context = opened,
        .on_delivery = on_delivery,
        .on_reply = on_reply,
    };
    enum usher_status status = usher_client_open(&settings, &opened->client, err);
    if (status != USHER_OK) {
        desk_close(opened);
        opened = NULL;
    }
    *desk = opened;
    return status;
}

enum usher_status desk_ask(struct desk *desk, const struct usher_request *request,
                           struct errand *errand, struct usher_error *err)
{
    desk->buffer.size = 0;
    usher_request_encode(request, &desk->buffer);
    struct parcel *parcel = usher_arena_alloc(&desk->parcels, sizeof *parcel);
    const struct usher_message message = {
        .resource = request->resource,
        .request_id = request->request_id,
        .data = desk->buffer.at,
        .size = desk->buffer.size,
        .tag = parcel,
        .wait = true,
    };
    parcel->errand = errand;
    errand->sent_us = clock_us();
    enum usher_status status = usher_client_send(desk->client, &message, err);
    if (status == USHER_OK) {
        errand->account->asked++;
        desk->waiting++;
    }
    /* RETRY: more than 100,000 messages are queued, far more than the demo has in flight. */
    return status == USHER_OK ? USHER_OK : USHER_FATAL;
}

enum usher_status desk_poll(struct desk *desk, int timeout_ms, struct usher_error *err)
{
    enum usher_status status = usher_client_poll(desk->client, timeout_ms, err);
    if (status != USHER_OK || desk->lost == 0)
        return status;
    usher_error_set(err, USHER_EXIT_NO_ANSWER,
                    "%zu requests had no answer within %d s: see the worker's log", desk->lost,
                    ANSWER_TIMEOUT_MS / 1000);
    return USHER_FATAL;
}

size_t desk_pending(const struct desk *desk)
{
    return desk->waiting;
}

enum usher_status desk_ask_and_wait(struct desk *desk, const struct usher_request *request,
                                    struct errand *errand, struct usher_error *err)
{
    enum usher_status status = desk_ask(desk, request, errand, err);
    while (status == USHER_OK && desk->waiting > 0)
        status = desk_poll(desk, 100, err);
    return status;
}

void desk_close(struct desk *desk)
{
    if (desk == NULL)
        return;
    usher_client_close(desk->client);
    usher_arena_deinit(&desk->arena);
    usher_arena_deinit(&desk->parcels);
    usher_buffer_deinit(&desk->buffer);
    free(desk);
}
