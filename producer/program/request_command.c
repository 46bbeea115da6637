/* The commands that build one request from options, send it, and print its answer. */
#include "producer/program/request_command.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/codec/definition_fields.h"
#include "producer/codec/request_fields.h"
#include "producer/kafka/kafka_options.h"
#include "producer/program/answer_text.h"
#include "producer/program/request_build.h"
#include "producer/program/sell_command.h"

/* What came back. */
struct result {
    struct options *options;
    const struct usher_request *request;
    struct terminal terminal;
    enum usher_exit exit_code;
    struct usher_error err; /* where exit_code is not 0 */
};

/* The exit code that an answer stands for. */
static enum usher_exit exit_of_outcome(enum usher_outcome outcome)
{
    if (outcome == USHER_INVALID)
        return USHER_EXIT_BAD_INPUT;
    return outcome == USHER_REFUSED ? USHER_EXIT_REFUSED : USHER_EXIT_DONE;
}

static void fail(struct result *result, const struct usher_error *err)
{
    result->exit_code = err->exit_code;
    result->err = *err;
}

static void print_delivery(const struct result *result, const struct usher_delivery *delivery)
{
    const char *id = result->request->request_id;
    if (options_bool(result->options, "json"))
        printf("{\"request_id\":\"%s\",\"partition\":%d,\"offset\":%" PRId64 "}\n", id,
               delivery->partition, delivery->offset);
    else
        printf("published %s: partition %d, offset %" PRId64 "\n", id, delivery->partition,
               delivery->offset);
}

static void on_delivery(void *context, const struct usher_delivery *delivery)
{
    struct result *result = context;
    if (delivery->status != USHER_OK)
        fail(result, delivery->err);
    else if (options_bool(result->options, "no-wait"))
        print_delivery(result, delivery);
}

/* As a shell takes it for one word. */
static void print_word(const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-/@+";
    if (strspn(word, plain) == strlen(word) && *word != '\0') {
        printf("%s", word);
        return;
    }
    putchar('\'');
    for (; *word != '\0'; word++)
        printf(*word == '\'' ? "'\\''" : "%c", *word);
    putchar('\'');
}

/* What a person who holds units does next; a program knows. */
static void print_next(const struct usher_answer *answer)
{
    printf("  next: confirm %s --customer ", answer->resource);
    print_word(answer->customer);
    printf(" --booking ");
    print_word(answer->booking);
    printf("\n");
}

/* "24h", "90m", "45s" */
static void print_duration(int64_t seconds)
{
    if (seconds % 3600 == 0)
        printf("%" PRId64 "h", seconds / 3600);
    else if (seconds % 60 == 0)
        printf("%" PRId64 "m", seconds / 60);
    else
        printf("%" PRId64 "s", seconds);
}

static void print_shortened(const struct usher_request *request, const struct usher_answer *answer)
{
    bool is_hold = answer->outcome == USHER_HELD || answer->outcome == USHER_EXTENDED;
    if (!is_hold || answer->expires_ms == USHER_ABSENT)
        return;
    int64_t ttl_s = (answer->expires_ms - answer->decided_ms) / 1000;
    if (ttl_s >= request->ttl_s)
        return;
    printf("  shortened to ");
    print_duration(ttl_s);
    printf(", the maximum\n");
}

/* Whether it was asked for nights that a known room type does not have. */
static bool lacks_nights(const struct usher_answer *answer)
{
    bool found = false;
    for (uint32_t i = 0; i < answer->items_count && !found; i++)
        found = answer->items[i].reason == USHER_UNKNOWN_POOL && answer->items[i].taken_count > 0;
    return found && answer->resource;
}

static void print_for_people(const struct result *result, const struct usher_answer *answer)
{
    answer_print(answer, &result->terminal);
    print_shortened(result->request, answer);
    if (answer->reason == USHER_UNKNOWN_RESOURCE)
        printf("  usher-worker resources lists those there are\n");
    if (lacks_nights(answer))
        printf("  usher-worker show %s has its nights\n", answer->resource);
    if (result->terminal.is_terminal && answer->outcome == USHER_HELD && answer->resource &&
        answer->customer && answer->booking)
        print_next(answer);
}

static void print_answer(struct result *result, const struct usher_reply *reply)
{
    struct usher_arena arena = {0};
    struct usher_answer answer;
    struct usher_error err = {.text = ""};
    if (usher_answer_decode(reply->data, reply->size, &arena, &answer, &err) != USHER_OK) {
        fail(result, &err);
    } else {
        result->exit_code = exit_of_outcome(answer.outcome);
        result->err.text[0] = '\0'; /* a refusal is printed as an answer */
        if (options_bool(result->options, "json"))
            printf("%.*s\n", (int)reply->size, reply->data);
        else
            print_for_people(result, &answer);
    }
    usher_arena_deinit(&arena);
}

static void on_reply(void *context, const struct usher_reply *reply)
{
    struct result *result = context;
    if (reply->status == USHER_OK) {
        print_answer(result, reply);
        return;
    }
    usher_error_set(&result->err, USHER_EXIT_NO_ANSWER,
                    "no answer within %" PRId64 " ms; the request may still be decided: ask again "
                    "with %s",
                    options_integer(result->options, "wait"),
                    request_again(result->options, result->request));
    result->exit_code = USHER_EXIT_NO_ANSWER;
}

/* Connects, sends, and waits for all that comes back. */
static enum usher_status exchange(struct options *options, struct usher_client_settings *settings,
                                  const struct usher_message *message, struct usher_error *err)
{
    struct usher_client *client = NULL;
    settings->client_id = "usher-producer";
    settings->answer_timeout_ms = options_integer(options, "wait");
    enum usher_status status = kafka_settings_read(options, &settings->kafka, err);
    if (status == USHER_OK)
        status = usher_client_open(settings, &client, err);
    if (status == USHER_OK)
        status = usher_client_send(client, message, err);
    while (status == USHER_OK && usher_client_pending(client) > 0)
        status = usher_client_poll(client, 1000, err);
    usher_client_close(client);
    return status;
}

static enum usher_exit send_request(struct options *options, const struct usher_request *request,
                                    const struct usher_buffer *json, struct usher_error *err)
{
    struct result result = {
        .options = options, .request = request, .terminal = terminal_of(stdout, options)};
    bool wait = !options_bool(options, "no-wait");
    struct usher_client_settings settings = {
        .context = &result,
        .on_delivery = on_delivery,
        .on_reply = wait ? on_reply : NULL,
    };
    const struct usher_message message = {
        .resource = request->resource,
        .request_id = request->request_id,
        .data = json->at,
        .size = json->size,
        .wait = wait,
    };
    if (exchange(options, &settings, &message, err) != USHER_OK)
        return err->exit_code;
    *err = result.err;
    return result.exit_code;
}

/* ==== The currency of a define's prices ==== */

/* A point between two digits. */
static bool has_decimals(const char *text)
{
    const char *point = strchr(text, '.');
    while (point &&
           !(point > text && isdigit((unsigned char)point[-1]) && isdigit((unsigned char)point[1])))
        point = strchr(point + 1, '.');
    return point;
}

/* Whether flags have such a price, or what looks like one, and no currency. */
static bool lacks_currency(const struct options *options)
{
    static const char *const priced[] = {"section", "room", "product", "rates"};
    bool has = false;
    if (options_has(options, "currency") || options_has(options, "file"))
        return false;
    for (size_t i = 0; !has && i < options->given_count; i++)
        for (size_t k = 0; !has && k < sizeof priced / sizeof priced[0]; k++)
            has = strcmp(options->given[i].spec->name, priced[k]) == 0 &&
                  has_decimals(options->given[i].text);
    return has;
}

static void on_probed(void *context, const struct usher_reply *reply)
{
    struct options *options = context;
    struct usher_answer answer;
    struct usher_error err;
    if (reply->status == USHER_OK &&
        usher_answer_decode(reply->data, reply->size, &options->arena, &answer, &err) == USHER_OK &&
        answer.currency)
        options_set_text(options, "currency", answer.currency);
}

/*
 * Asks for the currency that the resource has. Where there is none, or no answer, the price is
 * refused as it would be without.
 */
static void learn_currency(struct options *options)
{
    char id[REQUEST_ID_SIZE];
    struct usher_buffer json = {0};
    struct usher_error err;
    request_id_random(id);
    const struct usher_request probe = {
        .request_id = id, .op = USHER_OP_PROBE, .resource = options->arguments[0]};
    usher_request_encode(&probe, &json);
    struct usher_client_settings settings = {.context = options, .on_reply = on_probed};
    const struct usher_message message = {.resource = probe.resource,
                                          .request_id = id,
                                          .data = json.at,
                                          .size = json.size,
                                          .wait = true};
    (void)exchange(options, &settings, &message, &err);
    usher_buffer_deinit(&json);
}

/* ==== The command ==== */

static enum usher_status check_wait(const struct options *options, struct usher_error *err)
{
    if (!options_bool(options, "no-wait") || !options_was_given(options, "wait"))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "give either --wait or --no-wait");
    return USHER_FATAL;
}

enum usher_exit request_command(const struct program_command *command, struct options *options,
                                struct usher_error *err)
{
    struct usher_buffer json = {0};
    struct usher_request request;
    enum usher_exit exit_code = USHER_EXIT_DONE;
    if (options_text_if_any(options, "line"))
        return sell_command(command, options, err);
    if (strcmp(command->name, "define") == 0 && options->argument_count > 0 &&
        !options_bool(options, "dry-run") && lacks_currency(options))
        learn_currency(options);
    if (check_wait(options, err) != USHER_OK ||
        request_build(options, usher_op_named(command->name), &request, &json, err) != USHER_OK)
        exit_code = err->exit_code;
    else if (options_bool(options, "dry-run"))
        printf("%.*s\n", (int)json.size, json.at);
    else
        exit_code = send_request(options, &request, &json, err);
    usher_buffer_deinit(&json);
    return exit_code;
}

/* ==== Repeating a request ==== */

/* Adds the instants of a table that were given as times from now on. */
static const char *add_instants(struct options *options, const struct message_table *table,
                                const void *object, const char *again)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct message_field *field = &table->fields[i];
        const char *flag = field->type == MESSAGE_INSTANT ? field->option->flag : NULL;
        const char *given = flag ? options_text_if_any(options, flag) : NULL;
        char instant[USHER_INSTANT_SIZE];
        int64_t ms;
        /* A deadline is no part of what is asked: the next one is counted again. */
        if (!given || *given != '+' || strcmp(flag, "deadline") == 0)
            continue;
        memcpy(&ms, (const char *)object + field->offset, sizeof ms);
        usher_instant_format(ms, instant);
        again = usher_arena_format(&options->arena, "%s --%s %s", again, flag, instant);
    }
    return again;
}

const char *request_again(struct options *options, const struct usher_request *request)
{
    const char *again = usher_arena_format(&options->arena, "--request-id %s", request->request_id);
    again = add_instants(options, &request_table, request, again);
    return request->definition
               ? add_instants(options, &definition_table, request->definition, again)
               : again;
}
