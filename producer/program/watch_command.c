/* The command that follows answers as they come. */

#include "producer/program/watch_command.h"

#include <signal.h>
#include <stdio.h>

#include "producer/kafka/kafka_options.h"
#include "producer/program/answer_text.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

static void print_reply(const struct usher_reply *reply, bool json)
{
    struct usher_arena arena = {0};
    struct usher_answer answer;
    struct usher_error err = {.text = ""};
    if (json)
        printf("%.*s\n", (int)reply->size, reply->data);
    else if (usher_answer_decode(reply->data, reply->size, &arena, &answer, &err) == USHER_OK)
        answer_print(&answer, stdout);
    else
        fprintf(stderr, "usher-producer: partition %d, offset %lld: %s\n", reply->partition,
                (long long)reply->offset, err.text);
    usher_arena_deinit(&arena);
}

static enum usher_status follow(struct usher_watch *watch, const struct options *options,
                                struct usher_error *err)
{
    int64_t count = options_has(options, "count") ? options_integer(options, "count") : INT64_MAX;
    bool until_end = options_bool(options, "until-end");
    enum usher_status status = USHER_OK;
    while (count > 0 && stop == 0 && !(until_end && usher_watch_caught_up(watch))) {
        struct usher_reply reply;
        status = usher_watch_next(watch, 0, &reply, err);
        if (status == USHER_RETRY) {
            /* Nothing is left to print: what was printed must be seen before waiting. */
            fflush(stdout);
            status = usher_watch_next(watch, 200, &reply, err);
        }
        if (status == USHER_OK) {
            print_reply(&reply, options_bool(options, "json"));
            count--;
        } else if (status != USHER_RETRY) {
            return status;
        }
        if (ferror(stdout))
            break;
    }
    return USHER_OK;
}

enum usher_exit watch_command(const struct command *command, struct options *options,
                              struct usher_error *err)
{
    struct usher_watch *watch = NULL;
    struct usher_watch_settings settings = {
        .client_id = "usher-producer",
        .resource = options->argument_count > 0 ? options->arguments[0] : NULL,
        .from_beginning = options_bool(options, "from-beginning"),
    };
    struct sigaction action = {.sa_handler = on_signal};
    (void)command;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    enum usher_status status = kafka_settings_read(options, &settings.kafka, err);
    if (status == USHER_OK)
        status = usher_watch_open(&settings, &watch, err);
    if (status == USHER_OK)
        status = follow(watch, options, err);
    usher_watch_close(watch);
    return status == USHER_OK ? USHER_EXIT_DONE : err->exit_code;
}
