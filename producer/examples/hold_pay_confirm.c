/*
 * Holds two units of a section, takes the money, confirms: hold_pay_confirm BROKERS RESOURCE
 * SECTION
 *
 * A request that has no answer in time may still be decided. It is sent again with the same request
 * id: the first answer is repeated, nothing is taken twice. Nothing is given back before there is
 * an answer. Ends with 3 where it was refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <usher/client.h>
#include <usher/message.h>

enum {
    ATTEMPTS = 3
};

/* One request that is waited for. */
struct call {
    struct usher_arena arena; /* the answer lives in it */
    struct usher_answer answer;
    bool answered;
};

static void on_reply(void *context, const struct usher_reply *reply)
{
    struct call *call = reply->tag;
    struct usher_error err;
    (void)context;
    call->answered =
        reply->status == USHER_OK && usher_answer_decode(reply->data, reply->size, &call->arena,
                                                         &call->answer, &err) == USHER_OK;
}

/* Sends the request until it is answered. */
static enum usher_status ask(struct usher_client *client, const struct usher_request *request,
                             struct call *call, struct usher_error *err)
{
    struct usher_buffer json = {0};
    enum usher_status status = USHER_OK;
    usher_request_encode(request, &json);
    call->answered = false;
    usher_arena_reset(&call->arena);
    for (int i = 0; i < ATTEMPTS && status == USHER_OK && !call->answered; i++) {
        const struct usher_message message = {
            .resource = request->resource,
            .request_id = request->request_id,
            .data = json.at,
            .size = json.size,
            .tag = call,
            .wait = true,
        };
        status = usher_client_send(client, &message, err);
        while (status == USHER_OK && usher_client_pending(client) > 0)
            status = usher_client_poll(client, 1000, err);
    }
    usher_buffer_deinit(&json);
    if (status == USHER_OK && !call->answered) {
        usher_error_set(err, USHER_EXIT_NO_ANSWER, "no answer to %s", request->request_id);
        status = USHER_RETRY;
    }
    return status;
}

/* Your business: true once the money is there. */
static bool pay(const struct usher_answer *hold)
{
    printf("paying %lld minor units of %s\n", (long long)hold->total,
           hold->currency ? hold->currency : "its currency");
    return true;
}

/* Your business, too: what was paid for a hold goes back to who paid it. */
static void give_back(const struct usher_answer *refusal)
{
    printf("giving the money back: the confirm was %s\n", usher_outcome_name(refusal->outcome));
}

/* Prints what became of it. REJECT: it was not sold. */
static enum usher_status tell(const struct usher_answer *answer, struct usher_error *err)
{
    const char *reason = usher_reason_name(answer->reason);
    printf("%s%s%s\n", usher_outcome_name(answer->outcome), reason ? ": " : "",
           reason ? reason : "");
    if (answer->outcome != USHER_REFUSED && answer->outcome != USHER_INVALID)
        return USHER_OK;
    usher_error_set(err,
                    answer->outcome == USHER_REFUSED ? USHER_EXIT_REFUSED : USHER_EXIT_BAD_INPUT,
                    "%s", answer->detail ? answer->detail : "nothing was sold");
    return USHER_REJECT;
}

static enum usher_status sell(struct usher_client *client, const char *resource,
                              const char *section, struct usher_error *err)
{
    struct call call = {0};
    char hold_id[64], next_id[80];
    /* Of your own making, and stored with the order before it is sent. */
    snprintf(hold_id, sizeof hold_id, "order-%ld", (long)getpid());
    snprintf(next_id, sizeof next_id, "%s-paid", hold_id);
    /* What is not set is not asked for. */
    const struct usher_item items[] = {
        {.kind = USHER_SECTION, .pool = section, .quantity = 2, .together = true}};
    const struct usher_request hold = {
        .request_id = hold_id,
        .op = USHER_OP_HOLD,
        .resource = resource,
        .client = "example",
        .customer = "c1",
        .items = items,
        .item_count = 1,
        .ttl_s = 600,
    };
    enum usher_status status = ask(client, &hold, &call, err);
    if (status == USHER_OK && call.answer.outcome == USHER_HELD) {
        const bool is_paid = pay(&call.answer);
        const struct usher_request confirm = {
            .request_id = next_id,
            .op = is_paid ? USHER_OP_CONFIRM : USHER_OP_RELEASE,
            .resource = resource,
            .client = "example",
            .customer = "c1",
            .booking = hold_id, /* the id of a booking is that of its hold */
        };
        status = ask(client, &confirm, &call, err);
        if (status == USHER_OK && is_paid && call.answer.outcome != USHER_CONFIRMED)
            give_back(&call.answer);
    }
    if (status == USHER_OK)
        status = tell(&call.answer, err);
    usher_arena_deinit(&call.arena);
    return status;
}

int main(int argc, char **argv)
{
    struct usher_error err = {.text = ""};
    struct usher_client *client = NULL;
    if (argc != 4) {
        fprintf(stderr, "usage: hold_pay_confirm BROKERS RESOURCE SECTION\n");
        return USHER_EXIT_USAGE;
    }
    const struct usher_client_settings settings = {
        .kafka = {.brokers = argv[1], .topic_prefix = getenv("USHER_TOPIC_PREFIX")},
        .client_id = "example",
        .on_reply = on_reply,
    };
    enum usher_status status = usher_client_open(&settings, &client, &err);
    if (status == USHER_OK)
        status = sell(client, argv[2], argv[3], &err);
    usher_client_close(client);
    if (status == USHER_OK)
        return 0;
    fprintf(stderr, "hold_pay_confirm: %s\n", err.text);
    return (int)err.exit_code;
}
