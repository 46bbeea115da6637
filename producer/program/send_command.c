/*
 * The command that publishes JSON lines and prints their answers as they come. Reading and
 * answering take turns, so that it can also serve a program that writes a request only after it
 * has read the answer to the one before.
 */

#include "producer/program/send_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/codec/answer_scan.h"
#include "producer/kafka/kafka_options.h"
#include "producer/program/answer_text.h"
#include "producer/program/lines.h"
#include "producer/program/request_build.h"
#include "producer/terminal/terminal.h"

enum {
    TURN_MS = 2,   /* for answers, while requests may come in */
    IDLE_MS = 100, /* for requests, while no answer can come in */
    LINES_A_TURN = 256,
    NAMED_MAX = 10, /* ids of requests without an answer */
};

struct stream {
    const struct options *options;
    struct terminal terminal;
    struct usher_client *client;
    struct usher_arena arena; /* of one line */
    size_t in_flight_max;
    int64_t sent, delivered, failed, answered, refused, invalid, unanswered, bad_lines;
    char named[NAMED_MAX][USHER_ID_MAX + 1]; /* the first that are unanswered */
    bool has_warned, has_explained;
    struct progress progress;
    struct usher_error delivery_err; /* of the first that failed */
};

static void on_delivery(void *context, const struct usher_delivery *delivery)
{
    struct stream *stream = context;
    stream->delivered += delivery->status == USHER_OK;
    if (delivery->status != USHER_OK && stream->failed++ == 0)
        stream->delivery_err = *delivery->err;
}

/* People read answers as those of other commands, programs read JSON lines. */
static void print_answer(struct stream *stream, const struct usher_reply *reply)
{
    struct usher_arena arena = {0};
    struct usher_answer answer;
    struct usher_error err;
    if (stream->terminal.is_terminal)
        progress_clear(&stream->progress);
    bool json = !stream->terminal.is_terminal || options_bool(stream->options, "json");
    if (!json && usher_answer_decode(reply->data, reply->size, &arena, &answer, &err) == USHER_OK)
        answer_print(&answer, &stream->terminal);
    else
        printf("%.*s\n", (int)reply->size, reply->data);
    usher_arena_deinit(&arena);
}

static void on_reply(void *context, const struct usher_reply *reply)
{
    struct stream *stream = context;
    if (reply->status != USHER_OK) {
        if (stream->unanswered < NAMED_MAX)
            snprintf(stream->named[stream->unanswered], sizeof stream->named[0], "%.*s",
                     (int)reply->request_id_size, reply->request_id);
        stream->unanswered++;
        return;
    }
    enum usher_outcome outcome = answer_scan_outcome(reply->data, reply->size);
    stream->answered++;
    stream->refused += outcome == USHER_REFUSED;
    stream->invalid += outcome == USHER_INVALID;
    print_answer(stream, reply);
}

/* ---- progress ---- */

/* For people only: it may serve a program for days. */
static void show_progress(struct stream *stream)
{
    if (stream->progress.is_terminal)
        progress_show(&stream->progress,
                      "%" PRId64 " sent, %" PRId64 " delivered, %" PRId64 " answered ",
                      stream->sent, stream->delivered, stream->answered);
}

/* Without answers to print, a count is all that there is to see. */
static void end_progress(struct stream *stream)
{
    progress_clear(&stream->progress);
    if (!options_has(stream->options, "wait"))
        fprintf(stderr, "%" PRId64 " request%s sent, %" PRId64 " delivered\n", stream->sent,
                PLURAL(stream->sent), stream->delivered);
    else if (stream->sent == 0 && stream->bad_lines == 0)
        fprintf(stderr, "0 requests\n");
    else if (stream->progress.is_terminal)
        fprintf(stderr, "%" PRId64 " sent, %" PRId64 " delivered, %" PRId64 " answered\n",
                stream->sent, stream->delivered, stream->answered);
}

/* ---- sending ---- */

/* A line is part of a document that somebody printed over several lines. Told once. */
static bool is_fragment(const char *line, size_t size)
{
    size_t begin = 0;
    while (begin < size && (line[begin] == ' ' || line[begin] == '\t'))
        begin++;
    while (size > begin && (line[size - 1] == ' ' || line[size - 1] == '\t'))
        size--;
    return size == begin || line[begin] != '{' || line[size - 1] != '}';
}

static void complain(struct stream *stream, const struct lines *lines, bool fragment,
                     const char *reason)
{
    const char *advice = "; one request is one line, as jq -c prints it";
    bool explains = fragment && !stream->has_explained;
    progress_clear(&stream->progress);
    terminal_complain("usher-producer", "%s line %ld: %s%s", lines->name, lines->number, reason,
                      explains ? advice : "");
    stream->has_explained = stream->has_explained || explains;
    stream->bad_lines++;
}

/* With answers, it is in these. Once: where one line has such a field, most have it. */
static void warn_of_ignored(struct stream *stream, const struct lines *lines,
                            const struct usher_request *request)
{
    struct usher_error ignored;
    if (request->ignored_count == 0 || stream->has_warned || options_has(stream->options, "wait") ||
        request_check_strictly(request, &ignored) == USHER_OK)
        return;
    stream->has_warned = true;
    progress_clear(&stream->progress);
    terminal_complain("usher-producer",
                      "%s line %ld: %s, which usher ignores; --strict does not send such lines",
                      lines->name, lines->number, ignored.text);
}

/* A full queue empties as deliveries are served. */
static enum usher_status publish(struct stream *stream, const struct usher_message *message,
                                 struct usher_error *err)
{
    enum usher_status status;
    while ((status = usher_client_send(stream->client, message, err)) == USHER_RETRY) {
        enum usher_status polled = usher_client_poll(stream->client, TURN_MS, err);
        if (polled != USHER_OK)
            return polled;
    }
    stream->sent += status == USHER_OK;
    return status;
}

static enum usher_status send_line(struct stream *stream, const struct lines *lines,
                                   const char *line, size_t size, struct usher_error *err)
{
    struct usher_request request;
    if (size == 0)
        return USHER_OK;
    usher_arena_reset(&stream->arena);
    enum usher_status status = usher_request_decode(line, size, &stream->arena, &request, err);
    if (status == USHER_OK && options_bool(stream->options, "strict"))
        status = request_check_strictly(&request, err);
    if (status == USHER_OK) {
        struct usher_message message = {
            .resource = request.resource,
            .request_id = request.request_id,
            .data = line,
            .size = size,
            .wait = options_has(stream->options, "wait"),
        };
        status = publish(stream, &message, err);
        if (status == USHER_OK)
            warn_of_ignored(stream, lines, &request);
    }
    if (status != USHER_REJECT)
        return status;
    complain(stream, lines, is_fragment(line, size), err->text);
    return USHER_OK;
}

/* Sends what can be read, up to the limit of requests under way. HALT: all is read. */
static enum usher_status send_some(struct stream *stream, struct lines *lines,
                                   struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (int i = 0; status == USHER_OK && i < LINES_A_TURN; i++) {
        const char *line;
        size_t size;
        size_t pending = usher_client_pending(stream->client);
        if (pending >= stream->in_flight_max)
            break;
        status = lines_next(lines, pending == 0 ? IDLE_MS : 0, &line, &size, err);
        if (status == USHER_OK)
            status = send_line(stream, lines, line, size, err);
    }
    return status == USHER_RETRY ? USHER_OK : status;
}

/* What was read is sent and answered to the end, also where a later file cannot be read. */
static enum usher_status run(struct stream *stream, struct lines *lines, struct usher_error *err)
{
    struct usher_error reading_err;
    enum usher_status reading = USHER_OK, status = USHER_OK;
    while (status == USHER_OK &&
           (reading == USHER_OK || usher_client_pending(stream->client) > 0)) {
        if (reading == USHER_OK)
            reading = send_some(stream, lines, &reading_err);
        if (usher_client_pending(stream->client) > 0)
            status = usher_client_poll(stream->client, TURN_MS, err);
        fflush(stdout);
        show_progress(stream);
    }
    if (status != USHER_OK || reading == USHER_HALT)
        return status;
    *err = reading_err;
    return reading;
}

/* Names as many as an error has room for. */
static enum usher_exit verdict_unanswered(const struct stream *stream, struct usher_error *err)
{
    enum {
        MORE_SIZE = 40
    };
    usher_error_set(err, USHER_EXIT_NO_ANSWER,
                    "%" PRId64 " request%s had no answer in time and may still be decided; send "
                    "%s again, with the same id%s:",
                    stream->unanswered, PLURAL(stream->unanswered),
                    stream->unanswered == 1 ? "it" : "them", PLURAL(stream->unanswered));
    size_t used = strlen(err->text);
    int64_t named = 0;
    for (; named < stream->unanswered && named < NAMED_MAX &&
           used + strlen(stream->named[named]) + MORE_SIZE < sizeof err->text;
         named++)
        used += (size_t)snprintf(err->text + used, sizeof err->text - used, "%s %s",
                                 named == 0 ? "" : ",", stream->named[named]);
    if (named < stream->unanswered)
        snprintf(err->text + used, sizeof err->text - used, " and %" PRId64 " more",
                 stream->unanswered - named);
    return USHER_EXIT_NO_ANSWER;
}

/* The exit code of the worst that happened. */
static enum usher_exit verdict(const struct stream *stream, struct usher_error *err)
{
    if (stream->failed > 0) {
        *err = stream->delivery_err;
        return err->exit_code;
    }
    if (stream->bad_lines > 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%" PRId64 " line%s not sent", stream->bad_lines,
                        stream->bad_lines == 1 ? " was" : "s were");
        return USHER_EXIT_BAD_INPUT;
    }
    if (stream->unanswered > 0)
        return verdict_unanswered(stream, err);
    err->text[0] = '\0'; /* refusals were printed as answers */
    if (stream->invalid > 0)
        return USHER_EXIT_BAD_INPUT;
    return stream->refused > 0 ? USHER_EXIT_REFUSED : USHER_EXIT_DONE;
}

enum usher_exit send_command(const struct program_command *command, struct options *options,
                             struct usher_error *err)
{
    bool wait = options_has(options, "wait");
    struct stream stream = {
        .options = options,
        .terminal = terminal_of(stdout, options),
        .in_flight_max = (size_t)options_integer(options, "in-flight"),
    };
    struct lines lines = {.paths = options->arguments, .path_count = options->argument_count};
    struct usher_client_settings settings = {
        .client_id = "usher-producer",
        .answer_timeout_ms = wait ? options_integer(options, "wait") : 0,
        .context = &stream,
        .on_delivery = on_delivery,
        .on_reply = wait ? on_reply : NULL,
    };
    (void)command;
    progress_begin(&stream.progress);
    enum usher_status status = kafka_settings_read(options, &settings.kafka, err);
    if (status == USHER_OK)
        status = usher_client_open(&settings, &stream.client, err);
    if (status == USHER_OK) {
        status = run(&stream, &lines, err);
        end_progress(&stream);
    }
    usher_client_close(stream.client);
    lines_deinit(&lines);
    usher_arena_deinit(&stream.arena);
    return status == USHER_OK ? verdict(&stream, err) : err->exit_code;
}
