/* The command that follows answers: what is past in the order of time, then as they come. */

#include "producer/program/watch_command.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "producer/base/plural.h"
#include "producer/kafka/kafka_options.h"
#include "producer/program/answer_text.h"
#include "producer/program/watch_filter.h"
#include "producer/program/watch_merge.h"
#include "producer/program/watch_positions.h"
#include "producer/terminal/progress.h"
#include "producer/terminal/terminal.h"

enum {
    WAIT_MS = 200
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

struct watching {
    struct options *options;
    struct usher_watch *watch;
    struct watch_filter filter;
    struct watch_merge merge;
    struct terminal terminal;
    struct progress progress;
    struct usher_arena arena; /* of one answer */
    struct watch_kept **tail; /* a ring of the last ones, until the past is over; NULL: none */
    int64_t tail_room, tail_count;
    int64_t read, left; /* answers that came; that may still be printed */
};

/* ---- printing ---- */

/* The answer as it is in the log, and where: what --after needs, of unrequested ones, too. */
static void print_json(const struct usher_reply *reply)
{
    bool is_object = reply->size > 2 && reply->data[reply->size - 1] == '}';
    if (is_object)
        printf("%.*s,\"record\":{\"partition\":%" PRId32 ",\"offset\":%" PRId64 "}}\n",
               (int)reply->size - 1, reply->data, reply->partition, reply->offset);
    else
        printf("%.*s\n", (int)reply->size, reply->data);
}

static void print(struct watching *watching, const struct usher_reply *reply)
{
    struct usher_answer answer;
    struct usher_error err = {.text = ""};
    if (watching->left == 0)
        return;
    watching->left--;
    progress_clear(&watching->progress);
    usher_arena_reset(&watching->arena);
    if (options_bool(watching->options, "json"))
        print_json(reply);
    else if (usher_answer_decode(reply->data, reply->size, &watching->arena, &answer, &err) ==
             USHER_OK)
        answer_print_event(&answer, &watching->terminal);
    else
        terminal_complain("usher-producer", "%s", err.text);
}

/* Prints an answer, or keeps it while only the last ones are wanted. Takes `kept`. */
static void pass_on(struct watching *watching, struct watch_kept *kept)
{
    if (!watching->tail) {
        const struct usher_reply reply = {.data = kept->data,
                                          .size = kept->size,
                                          .partition = kept->partition,
                                          .offset = kept->offset};
        print(watching, &reply);
        free(kept);
        return;
    }
    struct watch_kept **place = &watching->tail[watching->tail_count % watching->tail_room];
    free(*place);
    *place = kept;
    watching->tail_count++;
}

/* The past is over: from now on all are printed. */
static void end_tail(struct watching *watching)
{
    struct watch_kept **tail = watching->tail;
    if (!tail)
        return;
    watching->tail = NULL;
    for (int64_t i = 0; i < watching->tail_room; i++) {
        struct watch_kept **place = &tail[(watching->tail_count + i) % watching->tail_room];
        if (*place)
            pass_on(watching, *place);
    }
    free(tail);
}

/* ---- following ---- */

/* An answer that cannot be read has no time: it is shown at once. */
static void take(struct watching *watching, const struct usher_reply *reply)
{
    struct usher_answer answer;
    struct usher_error err;
    watching->read++;
    usher_arena_reset(&watching->arena);
    if (usher_answer_decode(reply->data, reply->size, &watching->arena, &answer, &err) !=
        USHER_OK) {
        print(watching, reply);
        return;
    }
    watch_merge_saw(&watching->merge, reply->partition, answer.decided_ms);
    if (watch_filter_takes(&watching->filter, &answer))
        watch_merge_add(&watching->merge, reply, answer.decided_ms);
}

static void pass_on_all(struct watching *watching)
{
    struct watch_kept *kept;
    while ((kept = watch_merge_take(&watching->merge, watching->watch)))
        pass_on(watching, kept);
    if (usher_watch_caught_up(watching->watch))
        end_tail(watching);
}

static bool is_over(const struct watching *watching)
{
    return watching->left == 0 || stop != 0 || ferror(stdout) ||
           (options_bool(watching->options, "until-end") && usher_watch_caught_up(watching->watch));
}

/* What is to be printed until the end is there: it comes soon, or Kafka is away. */
static enum usher_status check_silence(const struct watching *watching, struct usher_error *err)
{
    int64_t wait_ms = options_integer(watching->options, "wait");
    if (!options_bool(watching->options, "until-end") ||
        usher_watch_silence_ms(watching->watch) < wait_ms)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "could not read to the end: %" PRId64 " answer%s came, then none for %" PRId64
                    " ms; is Kafka away?",
                    watching->read, PLURAL(watching->read), wait_ms);
    return USHER_FATAL;
}

static enum usher_status follow(struct watching *watching, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    pass_on_all(watching);
    while (!is_over(watching)) {
        struct usher_reply reply;
        status = usher_watch_next(watching->watch, 0, &reply, err);
        if (status == USHER_RETRY) {
            /* Nothing is left to print: what was printed must be seen before waiting. */
            fflush(stdout);
            status = usher_watch_next(watching->watch, WAIT_MS, &reply, err);
        }
        if (status == USHER_OK)
            take(watching, &reply);
        else if (status == USHER_RETRY)
            status = check_silence(watching, err);
        if (status != USHER_OK)
            return status;
        pass_on_all(watching);
        if (!usher_watch_caught_up(watching->watch))
            progress_show(&watching->progress, "%" PRId64 " answer%s read ", watching->read,
                          PLURAL(watching->read));
    }
    return USHER_OK;
}

/* ---- the command ---- */

static void say_what_was_missed(const struct watching *watching)
{
    const struct options *options = watching->options;
    bool printed = options_has(options, "count")
                       ? watching->left < options_integer(options, "count")
                       : watching->left < INT64_MAX;
    if (printed || !options_bool(options, "until-end") || stop != 0)
        return;
    fprintf(stderr, "no answers");
    if (options->argument_count > 0)
        fprintf(stderr, " of \"%s\"", options->arguments[0]);
    fprintf(stderr, "%s\n", watching->read > 0 ? " that were asked for" : "");
}

static bool wants_all(const struct options *options)
{
    return options_bool(options, "from-beginning") ||
           (options_bool(options, "until-end") && !options_has(options, "since") &&
            !options_has(options, "tail"));
}

/* The last ones of each partition suffice, where none of them may be filtered out. */
static void set_start(struct watching *watching, struct usher_watch_settings *settings)
{
    bool tail = options_has(watching->options, "tail");
    settings->since_ms = watching->filter.since_ms;
    settings->from_beginning = wants_all(watching->options);
    if (!tail || settings->since_ms > 0 || settings->from_beginning)
        return;
    if (watch_filter_is_empty(&watching->filter) && !settings->resource)
        settings->last = watching->tail_room;
    else
        settings->from_beginning = true;
}

static enum usher_status open_watch(struct watching *watching, struct usher_error *err)
{
    struct options *options = watching->options;
    struct usher_watch_settings settings = {
        .client_id = "usher-producer",
        .resource = options->argument_count > 0 ? options->arguments[0] : NULL,
    };
    enum usher_status status = watch_filter_read(options, &watching->filter, err);
    if (status == USHER_OK)
        status = kafka_settings_read(options, &settings.kafka, err);
    if (status == USHER_OK)
        status = watch_positions_read(options, &settings, err);
    if (status != USHER_OK)
        return status;
    set_start(watching, &settings);
    status = usher_watch_open(&settings, &watching->watch, err);
    if (status == USHER_OK)
        watch_merge_init(&watching->merge, usher_watch_partitions(watching->watch));
    return status;
}

static void close_watch(struct watching *watching)
{
    if (watching->watch) {
        end_tail(watching);
        progress_clear(&watching->progress);
        watch_merge_deinit(&watching->merge);
    }
    free(watching->tail);
    usher_watch_close(watching->watch);
    usher_arena_deinit(&watching->arena);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

enum usher_exit watch_command(const struct command *command, struct options *options,
                              struct usher_error *err)
{
    struct watching watching = {
        .options = options,
        .terminal = terminal_of(stdout, options),
        .left = options_has(options, "count") ? options_integer(options, "count") : INT64_MAX,
        .tail_room = options_integer(options, "tail"),
    };
    (void)command;
    catch_signals();
    progress_begin(&watching.progress);
    if (options_has(options, "tail"))
        watching.tail = memory_calloc((size_t)watching.tail_room, sizeof(struct watch_kept *));
    enum usher_status status = open_watch(&watching, err);
    if (status == USHER_OK)
        status = follow(&watching, err);
    if (status == USHER_OK)
        say_what_was_missed(&watching);
    close_watch(&watching);
    return status == USHER_OK ? USHER_EXIT_DONE : err->exit_code;
}
