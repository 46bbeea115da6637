/*
 * The command that follows answers: what is past in the order of time, then as they come. Which
 * answers it shows, in which order, and behind which position it goes on.
 */
#include "producer/program/watch_command.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/plural.h"
#include "producer/kafka/kafka_options.h"
#include "producer/program/answer_text.h"
#include "producer/program/flag_values.h"
#include "producer/terminal/terminal.h"

/*
 * ==== Filter ====
 *
 * Which answers a watch shows.
 */

struct watch_filter {
    const char *customer, *booking; /* NULL: any */
    enum usher_op op;               /* NONE: any */
    enum usher_outcome outcome;     /* NONE: any */
    int64_t since_ms;               /* decided then or later; 0: any time */
};

/* Reads the flags; their text is borrowed from the options. FATAL with exit code 64. */
static enum usher_status watch_filter_read(const struct options *options,
                                           struct watch_filter *filter, struct usher_error *err)
{
    const char *since = options_text(options, "since");
    *filter = (struct watch_filter){
        .customer = options_text(options, "customer"),
        .booking = options_text(options, "booking"),
        .op = usher_op_named(options_text(options, "op")),
        .outcome = usher_outcome_named(options_text(options, "outcome")),
    };
    return since ? flag_past("--since", since, &filter->since_ms, err) : USHER_OK;
}

static bool is_same(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

/* Answers to a cart have several bookings; that of a hold is the id of its request. */
static bool is_about(const struct usher_answer *answer, const char *booking)
{
    bool about = is_same(answer->booking, booking) || is_same(answer->request_id, booking);
    for (uint32_t i = 0; i < answer->units_count && !about; i++)
        about = is_same(answer->units[i].booking, booking);
    for (uint32_t i = 0; i < answer->returned_count && !about; i++)
        about = is_same(answer->returned[i].booking, booking);
    return about;
}

static bool watch_filter_takes(const struct watch_filter *filter, const struct usher_answer *answer)
{
    return answer->decided_ms >= filter->since_ms &&
           (!filter->customer || is_same(answer->customer, filter->customer)) &&
           (!filter->booking || is_about(answer, filter->booking)) &&
           (filter->op == USHER_OP_NONE || answer->op == filter->op) &&
           (filter->outcome == USHER_OUTCOME_NONE || answer->outcome == filter->outcome);
}

/* Whether it takes all answers from the time on. */
static bool watch_filter_is_empty(const struct watch_filter *filter)
{
    return !filter->customer && !filter->booking && filter->op == USHER_OP_NONE &&
           filter->outcome == USHER_OUTCOME_NONE;
}

/*
 * ==== Order of time ====
 *
 * Puts the answers of several partitions into the order of time. What is past waits until no
 * partition can have an earlier answer; what comes in later is passed on as it comes.
 */

/* An answer that is kept. Freed by whoever took it. */
struct watch_kept {
    struct watch_kept *next; /* of its partition */
    int64_t decided_ms, offset;
    int32_t partition;
    size_t size;
    char data[]; /* JSON, not NUL-terminated */
};

/* The answers of one partition in their order, and the time up to which it was read. */
struct watch_lane {
    struct watch_kept *first, *last;
    int64_t seen_ms;
};

struct watch_merge {
    struct watch_lane *lanes;
    int32_t lane_count;
    size_t bytes; /* kept */
};

enum {
    BYTES_MAX = 67108864 /* kept while a partition that cannot be read holds up the others */
};

/* For so many partitions; ended with watch_merge_deinit. */
static void watch_merge_init(struct watch_merge *merge, int32_t partitions)
{
    *merge = (struct watch_merge){
        .lanes = memory_calloc((size_t)partitions, sizeof *merge->lanes),
        .lane_count = partitions,
    };
}

/* Its partition was read up to that time. To be said of every answer, before it is added. */
static void watch_merge_saw(struct watch_merge *merge, int32_t partition, int64_t decided_ms)
{
    merge->lanes[partition].seen_ms = decided_ms;
}

/* Keeps a copy of an answer. */
static void watch_merge_add(struct watch_merge *merge, const struct usher_reply *reply,
                            int64_t decided_ms)
{
    struct watch_lane *lane = &merge->lanes[reply->partition];
    struct watch_kept *kept = memory_alloc(sizeof *kept + reply->size);
    *kept = (struct watch_kept){.decided_ms = decided_ms,
                                .offset = reply->offset,
                                .partition = reply->partition,
                                .size = reply->size};
    memcpy(kept->data, reply->data, reply->size);
    if (lane->last)
        lane->last->next = kept;
    else
        lane->first = kept;
    lane->last = kept;
    merge->bytes += kept->size;
}

/* The partition whose first answer is the earliest of all; NULL: nothing is kept. */
static struct watch_lane *find_earliest(const struct watch_merge *merge)
{
    struct watch_lane *earliest = NULL;
    for (int32_t i = 0; i < merge->lane_count; i++) {
        struct watch_lane *lane = &merge->lanes[i];
        if (lane->first && (!earliest || lane->first->decided_ms < earliest->first->decided_ms))
            earliest = lane;
    }
    return earliest;
}

/* Whether a partition that nothing is kept of may still have an earlier answer. */
static bool may_be_earlier(const struct watch_merge *merge, const struct usher_watch *watch,
                           int64_t decided_ms)
{
    for (int32_t i = 0; i < merge->lane_count; i++) {
        const struct watch_lane *lane = &merge->lanes[i];
        if (!lane->first && lane->seen_ms < decided_ms && !usher_watch_caught_up_with(watch, i))
            return true;
    }
    return false;
}

/*
 * Takes the earliest answer. NULL: there is none, or a partition of the watch that is still in the
 * past may have an earlier one. Where very much is kept, the earliest one goes all the same.
 */
static struct watch_kept *watch_merge_take(struct watch_merge *merge,
                                           const struct usher_watch *watch)
{
    struct watch_lane *lane = find_earliest(merge);
    if (!lane ||
        (merge->bytes <= BYTES_MAX && may_be_earlier(merge, watch, lane->first->decided_ms)))
        return NULL;
    struct watch_kept *kept = lane->first;
    lane->first = kept->next;
    if (!lane->first)
        lane->last = NULL;
    merge->bytes -= kept->size;
    return kept;
}

static void watch_merge_deinit(struct watch_merge *merge)
{
    for (int32_t i = 0; i < merge->lane_count; i++) {
        while (merge->lanes[i].first) {
            struct watch_kept *kept = merge->lanes[i].first;
            merge->lanes[i].first = kept->next;
            free(kept);
        }
    }
    free(merge->lanes);
    *merge = (struct watch_merge){0};
}

/*
 * ==== Positions ====
 *
 * Where a watch is to go on: watch --after PARTITION:SEQ:OFFSET.
 */

static enum usher_status read_one(const char *text, struct usher_position *position,
                                  struct usher_error *err)
{
    int size = 0;
    *position = (struct usher_position){.partition = -1};
    int read = sscanf(text, "%9" SCNd32 ":%18" SCNd64 "%n:%18" SCNd64 "%n", &position->partition,
                      &position->seq, &size, &position->offset, &size);
    if (read >= 2 && text[size] == '\0' && position->partition >= 0 && position->seq > 0 &&
        position->offset >= 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read --after: \"%s\" is not PARTITION:SEQ or PARTITION:SEQ:OFFSET",
                    text);
    return USHER_FATAL;
}

/*
 * Sets the positions, in the arena of the options. FATAL with exit code 64: one cannot be read.
 */
static enum usher_status watch_positions_read(struct options *options,
                                              struct usher_watch_settings *settings,
                                              struct usher_error *err)
{
    struct usher_position *positions =
        usher_arena_alloc(&options->arena, (options->given_count + 1) * sizeof *positions);
    enum usher_status status = USHER_OK;
    settings->positions = positions;
    for (size_t i = 0; status == USHER_OK && i < options->given_count; i++)
        if (strcmp(options->given[i].spec->name, "after") == 0)
            status = read_one(options->given[i].text, &positions[settings->position_count++], err);
    return status;
}

/* ==== Command ==== */

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

static void print_missing(const struct watching *watching)
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

enum usher_exit watch_command(const struct program_command *command, struct options *options,
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
        print_missing(&watching);
    close_watch(&watching);
    return status == USHER_OK ? USHER_EXIT_DONE : err->exit_code;
}
