/*
 * A client and a watch in an event loop, here poll(2): event_loop BROKERS RESOURCE
 *
 * Asks what is free, and prints the answers of the resource as they come, its own and those of
 * others, until its own has come both ways. No call waits but poll.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <usher/client.h>
#include <usher/message.h>

enum {
    TURN_MS = 1000, /* answers that do not come in time are noticed by polling */
    TURNS_MAX = 60,
};

struct loop {
    struct usher_client *client;
    struct usher_watch *watch;
    char id[64];
    bool answered, timed_out, seen;
};

static void on_reply(void *context, const struct usher_reply *reply)
{
    struct loop *loop = context;
    loop->answered = reply->status == USHER_OK;
    loop->timed_out = reply->status == USHER_RETRY;
}

static enum usher_status ask(struct loop *loop, const char *resource, struct usher_error *err)
{
    struct usher_buffer json = {0};
    snprintf(loop->id, sizeof loop->id, "probe-%ld", (long)getpid());
    const struct usher_request request = {
        .request_id = loop->id, .op = USHER_OP_PROBE, .resource = resource};
    usher_request_encode(&request, &json);
    const struct usher_message message = {
        .resource = resource,
        .request_id = loop->id,
        .data = json.at,
        .size = json.size,
        .wait = true,
    };
    enum usher_status status = usher_client_send(loop->client, &message, err);
    usher_buffer_deinit(&json);
    return status;
}

static void show(struct loop *loop, const struct usher_reply *reply)
{
    struct usher_arena arena = {0};
    struct usher_answer answer;
    struct usher_error err;
    if (usher_answer_decode(reply->data, reply->size, &arena, &answer, &err) == USHER_OK) {
        const char *outcome = usher_outcome_name(answer.outcome);
        printf("seq %lld: %s\n", (long long)reply->seq, outcome ? outcome : "an answer");
        loop->seen = loop->seen || (answer.request_id && strcmp(answer.request_id, loop->id) == 0);
    }
    usher_arena_deinit(&arena);
}

/* All that is there: only then may the descriptor be waited for again. */
static enum usher_status read_answers(struct loop *loop, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    while (status == USHER_OK) {
        struct usher_reply reply;
        status = usher_watch_next(loop->watch, 0, &reply, err);
        if (status == USHER_OK)
            show(loop, &reply);
    }
    return status == USHER_RETRY ? USHER_OK : status;
}

static enum usher_status run(struct loop *loop, struct usher_error *err)
{
    struct pollfd descriptors[] = {
        {.fd = usher_client_descriptor(loop->client), .events = POLLIN},
        {.fd = usher_watch_descriptor(loop->watch), .events = POLLIN},
    };
    enum usher_status status = USHER_OK;
    for (int turn = 0; turn < TURNS_MAX && status == USHER_OK; turn++) {
        poll(descriptors, 2, TURN_MS);
        status = usher_client_poll(loop->client, 0, err);
        if (status == USHER_OK && (descriptors[1].revents & POLLIN) != 0)
            status = read_answers(loop, err);
        if (status == USHER_OK && ((loop->answered && loop->seen) || loop->timed_out))
            break;
    }
    if (status == USHER_OK && !(loop->answered && loop->seen)) {
        usher_error_set(err, USHER_EXIT_NO_ANSWER, "no answer to %s", loop->id);
        status = USHER_RETRY;
    }
    return status;
}

int main(int argc, char **argv)
{
    struct usher_error err = {.text = ""};
    struct loop loop = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: event_loop BROKERS RESOURCE\n");
        return USHER_EXIT_USAGE;
    }
    const struct usher_kafka_settings kafka = {.brokers = argv[1],
                                               .topic_prefix = getenv("USHER_TOPIC_PREFIX")};
    const struct usher_watch_settings watching = {.kafka = kafka, .resource = argv[2]};
    const struct usher_client_settings asking = {
        .kafka = kafka, .context = &loop, .on_reply = on_reply};
    enum usher_status status = usher_watch_open(&watching, &loop.watch, &err);
    if (status == USHER_OK)
        status = usher_client_open(&asking, &loop.client, &err);
    if (status == USHER_OK)
        status = ask(&loop, argv[2], &err);
    if (status == USHER_OK)
        status = run(&loop, &err);
    usher_client_close(loop.client);
    usher_watch_close(loop.watch);
    if (status == USHER_OK)
        return 0;
    fprintf(stderr, "event_loop: %s\n", err.text);
    return (int)err.exit_code;
}
