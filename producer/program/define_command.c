/*
 * The command that defines resources: one by request_command, or those of a CSV file, many at once.
 * A partition must know a chart before resources of it can name it: the first of a partition brings
 * the rows, whether it knows them or not; the others wait for that and name the chart.
 */

#include "producer/program/define_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/codec/answer_words.h"
#include "producer/kafka/kafka_options.h"
#include "producer/program/answer_text.h"
#include "producer/program/request_command.h"
#include "producer/program/shows.h"
#include "producer/terminal/terminal.h"

enum {
    WAIT_MS = 60000,
    IN_FLIGHT_MAX = 256,
    POLL_MS = 100,
};

/* The resources of one partition that are still to be sent. */
struct lane {
    struct show **queue;
    size_t first, end; /* of what is in the queue */
    bool knows;        /* the chart; also where there is none to know */
    bool learning;     /* the rows are on their way: nothing else is sent meanwhile */
};

struct run {
    struct options *options;
    struct terminal terminal;
    struct shows shows;
    struct usher_client *client;
    struct lane *lanes;
    size_t lane_count;
    struct usher_arena arena; /* of one answer */
    struct usher_buffer json; /* of one request */
    struct progress progress;
    int64_t begun_ms;
    int64_t defined, repeated, refused, invalid, unanswered, failed;
    int64_t changes[USHER_SAME + 1]; /* of those defined; ABSENT: by a worker that does not say */
    bool stopped;                    /* nothing more is sent */
    struct usher_error stopped_err;
};

/* ---- progress ---- */

static void show_progress(struct run *run)
{
    progress_show(&run->progress, "%" PRId64 " of %zu defined, %" PRId64 " refused ", run->defined,
                  run->shows.count, run->refused + run->invalid);
}

/* Returns what stands before the next count. */
static const char *show_count(int64_t count, const char *word, const char *before)
{
    if (count == 0)
        return before;
    fprintf(stderr, "%s%" PRId64 " %s", before, count, word);
    return ", ";
}

/* " (12 created, 3 unchanged, 9 repeated)" */
static void show_changes(const struct run *run)
{
    const char *before = " (";
    for (enum usher_change change = USHER_CREATED; change <= USHER_SAME; change++) {
        before = show_count(run->changes[change],
                            answer_word(USHER_OP_DEFINE, USHER_DEFINED, change), before);
    }
    before = show_count(run->repeated, "repeated", before);
    fprintf(stderr, "%s", *before == ',' ? ")" : "");
}

static void show_summary(struct run *run)
{
    int64_t decided = run->defined + run->refused + run->invalid;
    progress_clear(&run->progress);
    fprintf(stderr, "%" PRId64 " of %zu resource%s defined", run->defined, run->shows.count,
            PLURAL(run->shows.count));
    show_changes(run);
    fprintf(stderr, ", %" PRId64 " refused", run->refused + run->invalid);
    if (decided < (int64_t)run->shows.count)
        fprintf(stderr, ", %" PRId64 " without an answer", (int64_t)run->shows.count - decided);
    fprintf(stderr, " in %.1f s; request id %s\n", (double)(clock_ms() - run->begun_ms) / 1000,
            run->shows.request_id);
}

/* ---- answers ---- */

static void stop(struct run *run, const struct usher_error *err)
{
    if (!run->stopped)
        run->stopped_err = *err;
    run->stopped = true;
}

/*
 * Whether its partition knows the chart now. Not after a refusal, and not where the resource had
 * more rows than those of the plan, so that its chart is another one: then the next brings them.
 */
static void learn(const struct run *run, struct lane *lane, const struct usher_answer *answer)
{
    lane->learning = false;
    if (!lane->knows)
        lane->knows = answer->outcome == USHER_DEFINED && answer->chart &&
                      strcmp(answer->chart, run->shows.chart->name) == 0;
}

static void count(struct run *run, const struct usher_answer *answer,
                  const struct usher_reply *reply)
{
    run->defined += answer->outcome == USHER_DEFINED;
    run->repeated += answer->outcome == USHER_DEFINED && answer->replayed;
    run->changes[answer->change] += answer->outcome == USHER_DEFINED && !answer->replayed;
    run->invalid += answer->outcome == USHER_INVALID;
    run->refused += answer->outcome != USHER_DEFINED && answer->outcome != USHER_INVALID;
    bool json = options_bool(run->options, "json");
    if (json || answer->outcome != USHER_DEFINED)
        progress_clear(&run->progress);
    if (json)
        printf("%.*s\n", (int)reply->size, reply->data);
    else if (answer->outcome != USHER_DEFINED)
        answer_print(answer, &run->terminal);
}

static void on_answer(struct run *run, const struct show *show, const struct usher_reply *reply)
{
    struct lane *lane = &run->lanes[usher_client_partition_of(run->client, show->resource)];
    struct usher_answer answer;
    struct usher_error err = {.text = ""};
    usher_arena_reset(&run->arena);
    if (usher_answer_decode(reply->data, reply->size, &run->arena, &answer, &err) != USHER_OK) {
        stop(run, &err);
        return;
    }
    if (run->shows.chart)
        learn(run, lane, &answer);
    count(run, &answer, reply);
}

static void on_reply(void *context, const struct usher_reply *reply)
{
    struct run *run = context;
    struct usher_error err;
    if (reply->status == USHER_OK) {
        on_answer(run, reply->tag, reply);
        return;
    }
    run->unanswered++;
    const struct usher_request flags = {.request_id = run->shows.request_id,
                                        .definition = run->shows.flags};
    usher_error_set(&err, USHER_EXIT_NO_ANSWER, "no answer in time; to go on, run it again with %s",
                    request_again(run->options, &flags));
    stop(run, &err);
}

static void on_delivery(void *context, const struct usher_delivery *delivery)
{
    struct run *run = context;
    if (delivery->status == USHER_OK)
        return;
    run->failed++;
    stop(run, delivery->err);
}

/* ---- requests ---- */

static void fill_lanes(struct run *run)
{
    struct usher_arena *arena = &run->options->arena;
    size_t *counts;
    for (size_t i = 0; i < run->shows.count; i++) {
        size_t lane = (size_t)usher_client_partition_of(run->client, run->shows.at[i].resource);
        run->lane_count = lane >= run->lane_count ? lane + 1 : run->lane_count;
    }
    run->lanes = usher_arena_alloc(arena, run->lane_count * sizeof *run->lanes);
    counts = usher_arena_alloc(arena, run->lane_count * sizeof *counts);
    for (size_t i = 0; i < run->shows.count; i++)
        counts[usher_client_partition_of(run->client, run->shows.at[i].resource)]++;
    for (size_t i = 0; i < run->lane_count; i++) {
        run->lanes[i].queue = usher_arena_alloc(arena, (counts[i] + 1) * sizeof(struct show *));
        run->lanes[i].knows = !run->shows.chart;
    }
    for (size_t i = 0; i < run->shows.count; i++) {
        struct show *show = &run->shows.at[i];
        struct lane *lane = &run->lanes[usher_client_partition_of(run->client, show->resource)];
        lane->queue[lane->end++] = show;
    }
}

/* RETRY: the queue of the client is full. */
static enum usher_status send_show(struct run *run, struct show *show, bool bring,
                                   struct usher_error *err)
{
    run->json.size = 0;
    show_encode(&run->shows, show, bring, &run->json);
    struct usher_message message = {
        .resource = show->resource,
        .request_id = run->shows.request_id,
        .data = run->json.at,
        .size = run->json.size,
        .tag = show,
        .wait = true,
    };
    return usher_client_send(run->client, &message, err);
}

static enum usher_status send_lane(struct run *run, struct lane *lane, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && lane->first < lane->end && !lane->learning && !run->stopped &&
           usher_client_pending(run->client) < IN_FLIGHT_MAX) {
        status = send_show(run, lane->queue[lane->first], !lane->knows, err);
        if (status == USHER_OK) {
            lane->first++;
            lane->learning = !lane->knows;
        }
    }
    return status == USHER_RETRY ? USHER_OK : status;
}

static bool has_work(const struct run *run)
{
    bool left = usher_client_pending(run->client) > 0;
    for (size_t i = 0; i < run->lane_count && !left && !run->stopped; i++)
        left = run->lanes[i].first < run->lanes[i].end;
    return left;
}

static enum usher_status send_all(struct run *run, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    fill_lanes(run);
    while (status == USHER_OK && has_work(run)) {
        for (size_t i = 0; status == USHER_OK && i < run->lane_count; i++)
            status = send_lane(run, &run->lanes[i], err);
        if (status == USHER_OK)
            status = usher_client_poll(run->client, POLL_MS, err);
        fflush(stdout);
        show_progress(run);
    }
    return status;
}

/* ---- the command ---- */

static enum usher_exit verdict(const struct run *run, struct usher_error *err)
{
    if (run->stopped) {
        *err = run->stopped_err;
        return err->exit_code;
    }
    err->text[0] = '\0'; /* refusals were printed as answers */
    if (run->invalid > 0)
        return USHER_EXIT_BAD_INPUT;
    return run->refused > 0 ? USHER_EXIT_REFUSED : USHER_EXIT_DONE;
}

static void print_requests(struct run *run)
{
    for (size_t i = 0; i < run->shows.count; i++) {
        run->json.size = 0;
        show_encode(&run->shows, &run->shows.at[i], false, &run->json);
        printf("%.*s\n", (int)run->json.size, run->json.at);
    }
}

static enum usher_exit publish(struct run *run, struct usher_error *err)
{
    struct options *options = run->options;
    struct usher_client_settings settings = {
        .client_id = "usher-producer",
        .answer_timeout_ms =
            options_was_given(options, "wait") ? options_integer(options, "wait") : WAIT_MS,
        .context = run,
        .on_delivery = on_delivery,
        .on_reply = on_reply,
    };
    enum usher_status status = kafka_settings_read(options, &settings.kafka, err);
    if (status == USHER_OK)
        status = usher_client_open(&settings, &run->client, err);
    if (status == USHER_OK) {
        run->begun_ms = clock_ms();
        progress_begin(&run->progress);
        status = send_all(run, err);
        show_summary(run);
    }
    usher_client_close(run->client);
    return status == USHER_OK ? verdict(run, err) : err->exit_code;
}

enum usher_exit define_command(const struct program_command *command, struct options *options,
                               struct usher_error *err)
{
    if (!options_has(options, "shows"))
        return request_command(command, options, err);
    struct run run = {.options = options, .terminal = terminal_of(stdout, options)};
    enum usher_exit exit_code = USHER_EXIT_DONE;
    if (shows_read(options, &run.shows, err) != USHER_OK)
        exit_code = err->exit_code;
    else if (options_bool(options, "dry-run"))
        print_requests(&run);
    else
        exit_code = publish(&run, err);
    usher_arena_deinit(&run.arena);
    usher_buffer_deinit(&run.json);
    return exit_code;
}
