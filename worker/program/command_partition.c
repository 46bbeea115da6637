/*
 * `usher-worker partition ACTION`: what became of partitions, and what an operator does to one.
 * Says what would be lost, asks, and lets the partition go on; pg_partition does the work.
 */
#include "worker/program/command_partition.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/plural.h"
#include "producer/base/utf8.h"
#include "producer/kafka/kafka_options.h"
#include "producer/terminal/terminal.h"
#include "usher/message.h"
#include "worker/kafka/kafka_topics.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_partition.h"

/*
 * ==== Asking the operator ====
 *
 * What the commands that move a partition on by hand share: where it stands, and that somebody
 * agrees. Knows neither what is lost by it nor how the partition is moved.
 */

enum {
    BY_HAND_TIMEOUT_MS = 10000 /* of a request to Kafka */
};

struct by_hand_place {
    int32_t partition;
    int64_t next_offset; /* OFFSET_NONE: it never started */
    int64_t next_seq;
    int64_t published_seq;
    const char *owner; /* whose session is there, if it has not halted; NULL: nobody's */
    bool halted;
};

enum {
    WHY_MAX = 1000 /* bytes: what a list can show */
};

static const struct option_spec by_hand_specs[] = {
    {.name = "to",
     .type = OPTION_INTEGER,
     .value_name = "OFFSET",
     .help = "skip: offset of the first request to be decided again"},
    {.name = "topic",
     .choices = "requests|results|both",
     .help = "accept-topic: which was recreated"},
    {.name = "published",
     .type = OPTION_INTEGER,
     .value_name = "SEQ",
     .help = "accept-topic: publish the answers after this seq again, which some consumer has not "
             "read; default: those that were never published"},
    {.name = "why",
     .value_name = "TEXT",
     .help = "skip, accept-loss, accept-topic: the reason, which is recorded; at most 1,000 bytes"},
    {.name = "yes", .type = OPTION_BOOL, .help = "skip, accept-loss, accept-topic: do not ask"},
};

/* --to, --topic, --published, --why and --yes. */
static const struct option_group by_hand_options = WORKER_GROUP("Moved by hand", by_hand_specs);

enum {
    AT_PARTITION,
    AT_STATE,
    AT_OWNER,
    AT_NEXT_OFFSET,
    AT_NEXT_SEQ,
    AT_PUBLISHED_SEQ,
    AT_COUNT
};

static const char *const columns[AT_COUNT] = {
    [AT_PARTITION] = "partition", [AT_STATE] = "state",
    [AT_OWNER] = "owner",         [AT_NEXT_OFFSET] = "next_offset",
    [AT_NEXT_SEQ] = "next_seq",   [AT_PUBLISHED_SEQ] = "published_seq",
};

/* The columns are never null but for the offset of a partition that never started, and owners. */
static struct by_hand_place read_place(const char *const *row)
{
    return (struct by_hand_place){
        .partition = (int32_t)strtol(row[AT_PARTITION], NULL, 10),
        .next_offset = row[AT_NEXT_OFFSET] ? strtoll(row[AT_NEXT_OFFSET], NULL, 10) : OFFSET_NONE,
        .next_seq = strtoll(row[AT_NEXT_SEQ], NULL, 10),
        .published_seq = strtoll(row[AT_PUBLISHED_SEQ], NULL, 10),
        .owner = strcmp(row[AT_STATE], "owned") == 0 ? row[AT_OWNER] : NULL,
        .halted = strcmp(row[AT_STATE], "halted") == 0,
    };
}

/* Finds where all partitions stand that a worker ever took. They live in looking->arena. */
static enum usher_status by_hand_list(struct looking *looking, struct by_hand_place **places,
                                      uint32_t *count, struct usher_error *err)
{
    struct pg_view_rows rows;
    const struct pg_view_question question = {
        .view = PG_VIEW_PARTITIONS, .columns = columns, .column_count = AT_COUNT};
    enum usher_status status = pg_views_ask(looking->views, &question, &looking->arena, &rows, err);
    if (status != USHER_OK)
        return status;
    *count = rows.count;
    *places = usher_arena_alloc(&looking->arena, (rows.count + 1) * sizeof **places);
    for (uint32_t i = 0; i < rows.count; i++)
        (*places)[i] = read_place(rows.values + (size_t)i * AT_COUNT);
    return USHER_OK;
}

/* Finds where this one stands. FATAL with exit code 65: no worker ever took it. */
static enum usher_status by_hand_find(struct looking *looking, int32_t partition,
                                      struct by_hand_place *place, struct usher_error *err)
{
    struct by_hand_place *places;
    uint32_t count;
    enum usher_status status = by_hand_list(looking, &places, &count, err);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++) {
        if (places[i].partition == partition) {
            *place = places[i];
            return USHER_OK;
        }
    }
    if (status == USHER_OK)
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "no worker ever took partition %" PRId32,
                        partition);
    return status == USHER_OK ? USHER_FATAL : status;
}

/*
 * Reads --why, which lives as long as the options. FATAL with exit code 64: it is missing or empty,
 * too long, or not UTF-8.
 */
static enum usher_status by_hand_why(const struct looking *looking, const char **why,
                                     struct usher_error *err)
{
    const char *text = options_text(looking->options, "why");
    size_t size = text ? strlen(text) : 0;
    *why = text;
    if (size == 0)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "why? --why TEXT is missing: it is recorded for whoever asks later");
    else if (size > WHY_MAX)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not read --why: %zu bytes, and the maximum is %d", size, WHY_MAX);
    else if (!utf8_is_valid(text, size))
        usher_error_set(err, USHER_EXIT_USAGE, "could not read --why: it is not UTF-8");
    else
        return USHER_OK;
    return USHER_FATAL;
}

/* Asks, unless --yes. FATAL with exit code 64: nobody is there, or says no. */
static enum usher_status by_hand_agree(const struct looking *looking, const char *question,
                                       struct usher_error *err)
{
    char said[8] = "";
    if (options_bool(looking->options, "yes"))
        return USHER_OK;
    if (isatty(STDIN_FILENO) != 1) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "nothing was changed: nobody is there to ask; --yes");
        return USHER_FATAL;
    }
    fprintf(stderr, "%s (yes) ", question);
    if (fgets(said, sizeof said, stdin) && strcmp(said, "yes\n") == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "nothing was changed");
    return USHER_FATAL;
}

static void by_hand_say_done(const struct looking *looking, bool was_halted)
{
    fprintf(looking->terminal.out, "done%s\n",
            was_halted ? ": its worker tries again within seconds" : "");
}

/*
 * ==== Skip ====
 *
 * `usher-worker partition skip`: says what would be lost, asks, and passes over it. Knows Kafka
 * and the partition's row, not how the row is moved.
 */

struct passing {
    struct looking *looking;
    int32_t partition;
    struct pg_skip skip;
    const char *owner; /* whose session is there; NULL: nobody's */
    int64_t shown;
    struct usher_arena arena; /* of one request */
    struct progress progress;
    struct browsed browsed;
};

static enum usher_status check_target(const struct passing *passing, struct usher_error *err)
{
    if (passing->skip.to > passing->skip.from)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "partition %" PRId32 " stands at offset %" PRId64
                    " already: what was decided cannot be decided again",
                    passing->partition, passing->skip.from);
    return USHER_FATAL;
}

/* ---- what is lost ---- */

static void show_request(void *self, const struct browsed_record *record)
{
    struct passing *passing = self;
    struct usher_request request = {0};
    FILE *out = passing->looking->terminal.out;
    progress_show(&passing->progress, "read up to offset %" PRId64, record->offset);
    if (passing->shown == options_integer(passing->looking->options, "limit"))
        return;
    progress_clear(&passing->progress);
    usher_arena_reset(&passing->arena);
    passing->shown++;
    fprintf(out, "  %" PRId64 "  ", record->offset);
    if (record->value && usher_request_decode(record->value, record->value_size, &passing->arena,
                                              &request, NULL) == USHER_OK)
        fprintf(out, "%s  %s  %s\n", request.resource, usher_op_name(request.op),
                request.request_id);
    else
        fprintf(out, "cannot be read: it would be answered invalid\n");
}

static enum usher_status browse(struct passing *passing, struct usher_error *err)
{
    const struct browse range = {.partition = passing->partition,
                                 .from = passing->skip.from,
                                 .to = passing->skip.to,
                                 .visit = show_request,
                                 .self = passing};
    int32_t count;
    progress_begin(&passing->progress);
    enum usher_status status = look_open_kafka(passing->looking, BY_HAND_TIMEOUT_MS, &count, err);
    if (status == USHER_OK)
        status = kafka_browse(passing->looking->kafka, &range, &passing->browsed, err);
    progress_clear(&passing->progress);
    passing->skip.records = passing->browsed.records;
    return status;
}

static void say_what_is_lost(const struct passing *passing)
{
    FILE *out = passing->looking->terminal.out;
    const struct browsed *browsed = &passing->browsed;
    if (browsed->records > passing->shown)
        fprintf(out, "  … and %" PRId64 " more: see --limit\n", browsed->records - passing->shown);
    if (passing->skip.from < browsed->start)
        fprintf(out, "  before offset %" PRId64 " Kafka has nothing any more\n", browsed->start);
    if (browsed->unreadable_at != OFFSET_NONE)
        fprintf(out, "  from offset %" PRId64 " on: %s\n", browsed->unreadable_at,
                browsed->why.text);
    fprintf(out,
            "partition %" PRId32 " goes on at offset %" PRId64 ": %" PRId64
            " request%s that Kafka has will never be answered\n",
            passing->partition, passing->skip.to, browsed->records, PLURAL(browsed->records));
    if (passing->owner)
        fprintf(out, "worker %s owns it, and what it has not committed is decided again\n",
                passing->owner);
}

/* ---- done ---- */

static enum usher_status pass(struct passing *passing, struct usher_error *err)
{
    bool was_halted;
    struct by_hand_place place;
    enum usher_status status = by_hand_find(passing->looking, passing->partition, &place, err);
    if (status != USHER_OK)
        return status;
    passing->skip.from = place.next_offset;
    passing->owner = place.owner;
    status = check_target(passing, err);
    if (status == USHER_OK)
        status = browse(passing, err);
    if (status != USHER_OK)
        return status;
    say_what_is_lost(passing);
    status = by_hand_agree(passing->looking, "Pass over them?", err);
    if (status == USHER_OK)
        status = pg_partition_skip(&passing->looking->settings.postgres, passing->partition,
                                   &passing->skip, &was_halted, err);
    if (status == USHER_OK)
        by_hand_say_done(passing->looking, was_halted);
    return status;
}

/*
 * Passes over the requests of a partition before --to. FATAL: 64 something is missing, or nobody is
 * there to say yes; 65 the offset is none that can be passed to, or the partition moved meanwhile;
 * 77 not the owner of the schema. RETRY: a dependency is away (69).
 */
static enum usher_status passing_run(struct looking *looking, int32_t partition,
                                     struct usher_error *err)
{
    struct passing passing = {.looking = looking, .partition = partition};
    passing.skip.to = options_integer(looking->options, "to");
    if (!options_has(looking->options, "to")) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "where does the partition go on? --to OFFSET is missing");
        return USHER_FATAL;
    }
    enum usher_status status = by_hand_why(looking, &passing.skip.why, err);
    if (status == USHER_OK)
        status = pass(&passing, err);
    usher_arena_deinit(&passing.arena);
    return status;
}

/*
 * ==== Accept-loss ====
 *
 * `usher-worker partition accept-loss`: says which decisions the database lost, asks, and lets
 * the partition go on behind them. Knows the result log and the partition's row, not how the row
 * is moved.
 */

/*
 * Finds the partition and how far it was answered. It is looked up behind the answers: they leave
 * when they are committed, so that one that goes on meanwhile does not look like one that lost
 * some.
 */
static enum usher_status find_loss(struct looking *looking, int32_t partition,
                                   struct by_hand_place *place, struct pg_loss *loss,
                                   struct usher_error *err)
{
    int32_t count;
    enum usher_status status = by_hand_find(looking, partition, place, err);
    if (status == USHER_OK)
        status = look_open_kafka(looking, BY_HAND_TIMEOUT_MS, &count, err);
    if (status == USHER_OK)
        status = kafka_browse_answered(looking->kafka, partition, &loss->highest_seq, err);
    if (status == USHER_OK)
        status = by_hand_find(looking, partition, place, err);
    loss->next_seq = place->next_seq;
    return status;
}

/* ---- decisions that were answered ---- */

static void say_owner(FILE *out, const struct by_hand_place *place)
{
    if (place->owner)
        fprintf(out, "worker %s owns it\n", place->owner);
}

static void say_loss(const struct looking *looking, int32_t partition,
                     const struct by_hand_place *place, const struct pg_loss *loss)
{
    FILE *out = looking->terminal.out;
    fprintf(out,
            "partition %" PRId32 ": the database lost the decisions from seq %" PRId64
            " to %" PRId64 ", whose answers customers have\n",
            partition, loss->next_seq, loss->highest_seq);
    fprintf(out,
            "it goes on with seq %" PRId64 " at offset %" PRId64
            ": requests from there on are decided again, and answered again\n",
            loss->highest_seq + 1, place->next_offset == OFFSET_NONE ? 0 : place->next_offset);
    say_owner(out, place);
}

static enum usher_status accept_loss(struct looking *looking, int32_t partition,
                                     const struct by_hand_place *place, const struct pg_loss *loss,
                                     bool *was_halted, struct usher_error *err)
{
    say_loss(looking, partition, place, loss);
    enum usher_status status = by_hand_agree(looking, "Go on after them?", err);
    return status == USHER_OK ? pg_partition_accept_loss(&looking->settings.postgres, partition,
                                                         loss, was_halted, err)
                              : status;
}

/* ---- decisions that were not published ---- */

static enum usher_status refuse(int32_t partition, const struct pg_loss *loss,
                                struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "the result log of partition %" PRId32 " ends at seq %" PRId64
                    ", before %" PRId64
                    ", which is next, and the decisions behind those that are published are "
                    "there: the database lost nothing",
                    partition, loss->highest_seq, loss->next_seq);
    return USHER_FATAL;
}

static void say_gap(const struct looking *looking, int32_t partition,
                    const struct by_hand_place *place, const struct pg_gap *gap)
{
    FILE *out = looking->terminal.out;
    fprintf(out,
            "partition %" PRId32 ": the database lost %" PRId64 " decision%s of the seqs %" PRId64
            " to %" PRId64 " before %s published\n",
            partition, gap->count, PLURAL(gap->count), gap->first_seq, gap->last_seq,
            gap->count == 1 ? "it was" : "they were");
    fprintf(out, "in the place of each an answer is published that is `invalid` (`internal`), and "
                 "of no request: whoever waits for its answer never gets it\n");
    say_owner(out, place);
}

static enum usher_status accept_gap(struct looking *looking, int32_t partition,
                                    const struct by_hand_place *place, const struct pg_loss *loss,
                                    bool *was_halted, struct usher_error *err)
{
    const struct pg_settings *settings = &looking->settings.postgres;
    struct pg_gap gap = {.next_seq = loss->next_seq, .why = loss->why};
    enum usher_status status = pg_partition_find_gap(settings, partition, &gap, err);
    if (status == USHER_OK && gap.count == 0)
        return refuse(partition, loss, err);
    if (status != USHER_OK)
        return status;
    say_gap(looking, partition, place, &gap);
    status = by_hand_agree(looking, "Publish these instead?", err);
    return status == USHER_OK ? pg_partition_accept_gap(settings, partition, &gap, was_halted, err)
                              : status;
}

/* ---- both ---- */

/*
 * Lets the partition go on behind the last seq that was answered; or, where what it lost was not
 * published yet, with answers in its place that say so. FATAL: 64 --why is missing, or
 * nobody is there to say yes; 65 the database has lost nothing, or the partition moved meanwhile;
 * 77 not the owner of the schema. RETRY: a dependency is away (69).
 */
static enum usher_status accepting_run(struct looking *looking, int32_t partition,
                                       struct usher_error *err)
{
    struct by_hand_place place = {0};
    struct pg_loss loss = {0};
    bool was_halted;
    enum usher_status status = by_hand_why(looking, &loss.why, err);
    if (status == USHER_OK)
        status = find_loss(looking, partition, &place, &loss, err);
    if (status != USHER_OK)
        return status;
    bool answered = loss.highest_seq >= loss.next_seq;
    status = answered ? accept_loss(looking, partition, &place, &loss, &was_halted, err)
                      : accept_gap(looking, partition, &place, &loss, &was_halted, err);
    if (status == USHER_OK)
        by_hand_say_done(looking, was_halted);
    return status;
}

/*
 * ==== Accept-topic ====
 *
 * `usher-worker partition accept_topic-topic`: says what topics that were recreated mean for the
 * partitions, asks, and has them go on with these. Knows the partitions' rows and how far the
 * logs go, not how a row is changed.
 */

struct accepting {
    struct looking *looking;
    struct pg_new_topics topics; /* but for the position, which each partition has */
    struct by_hand_place *places;
    uint32_t count;
    bool any_halted;    /* of all partitions */
    int32_t partitions; /* of the topics */
    int64_t *ends;      /* of the requests, by partition */
};

static bool has_requests(const struct accepting *accepting)
{
    return strcmp(accepting->topics.topics, "results") != 0;
}

static bool has_results(const struct accepting *accepting)
{
    return strcmp(accepting->topics.topics, "requests") != 0;
}

/* ---- what was asked for ---- */

static enum usher_status read_options(struct accepting *accepting, struct usher_error *err)
{
    const struct options *options = accepting->looking->options;
    accepting->topics.topics = options_text(options, "topic");
    accepting->topics.published_seq =
        options_has(options, "published") ? options_integer(options, "published") : PG_SEQ_NONE;
    if (!accepting->topics.topics)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "which topic was recreated? --topic requests, results or both is missing");
    else if (accepting->topics.published_seq != PG_SEQ_NONE && !has_results(accepting))
        usher_error_set(err, USHER_EXIT_USAGE,
                        "--published is about answers: use it with --topic results or both");
    else
        return by_hand_why(accepting->looking, &accepting->topics.why, err);
    return USHER_FATAL;
}

/* All partitions that a worker ever took, or the one. */
static enum usher_status find_places(struct accepting *accepting, int32_t partition,
                                     struct usher_error *err)
{
    struct looking *looking = accepting->looking;
    enum usher_status status = by_hand_list(looking, &accepting->places, &accepting->count, err);
    for (uint32_t i = 0; status == USHER_OK && i < accepting->count; i++)
        accepting->any_halted |= accepting->places[i].halted;
    if (status != USHER_OK || !options_has(looking->options, "partition"))
        return status;
    accepting->places = usher_arena_alloc(&looking->arena, sizeof *accepting->places);
    accepting->count = 1;
    return by_hand_find(looking, partition, accepting->places, err);
}

static enum usher_status find_ends(struct accepting *accepting, struct usher_error *err)
{
    struct looking *looking = accepting->looking;
    enum usher_status status =
        look_open_kafka(looking, BY_HAND_TIMEOUT_MS, &accepting->partitions, err);
    if (status != USHER_OK)
        return status;
    accepting->ends =
        usher_arena_alloc(&looking->arena, (size_t)accepting->partitions * sizeof *accepting->ends);
    return kafka_base_ends(looking->kafka, accepting->partitions, accepting->ends, err);
}

/* ---- whether it can be done ---- */

/*
 * Whoever is connected could still publish an answer of before. With a new topic of requests it can
 * do no harm, for it is fenced; but where no partition found out, there may be no new topic.
 */
static enum usher_status check_unattended(const struct accepting *accepting,
                                          const struct by_hand_place *place,
                                          struct usher_error *err)
{
    if (!place->owner || (accepting->any_halted && !has_results(accepting)))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "worker %s has a session for partition %" PRId32
                    " and has not halted: stop it first",
                    place->owner, place->partition);
    return USHER_FATAL;
}

/* A consumer takes what comes behind a higher seq for a repeat. */
static enum usher_status check_answers(const struct accepting *accepting,
                                       const struct by_hand_place *place, struct usher_error *err)
{
    int64_t highest = 0;
    int64_t published = accepting->topics.published_seq;
    enum usher_status status =
        kafka_browse_answered(accepting->looking->kafka, place->partition, &highest, err);
    if (status != USHER_OK)
        return status;
    if (highest >= place->next_seq)
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "the result log of partition %" PRId32 " holds seq %" PRId64
                        ", but %" PRId64 " is next: the database lost commits; see partition "
                        "accept_topic-loss",
                        place->partition, highest, place->next_seq);
    else if (published != PG_SEQ_NONE && highest > published)
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "the result log of partition %" PRId32 " holds seq %" PRId64
                        " already: what follows with a lower seq would be taken for a repeat",
                        place->partition, highest);
    else
        return USHER_OK;
    return USHER_FATAL;
}

static enum usher_status check(const struct accepting *accepting, const struct by_hand_place *place,
                               struct usher_error *err)
{
    enum usher_status status = check_unattended(accepting, place, err);
    if (status == USHER_OK && place->partition >= accepting->partitions) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "the new topics have no partition %" PRId32
                        ": their number of partitions must be as before",
                        place->partition);
        return USHER_FATAL;
    }
    return status == USHER_OK && has_results(accepting) ? check_answers(accepting, place, err)
                                                        : status;
}

/* ---- done ---- */

static void say_what_changes(const struct accepting *accepting, const struct by_hand_place *place)
{
    FILE *out = accepting->looking->terminal.out;
    int64_t published = accepting->topics.published_seq;
    fprintf(out, "partition %" PRId32 ":", place->partition);
    if (has_requests(accepting))
        fprintf(out,
                " offset %" PRId64 " is next in the topic of requests that was, whatever follows "
                "there is lost; it goes on at the start of the new one, which ends at offset "
                "%" PRId64,
                place->next_offset == OFFSET_NONE ? 0 : place->next_offset,
                accepting->ends[place->partition]);
    if (has_results(accepting))
        fprintf(out,
                "%s answers behind seq %" PRId64 " of %" PRId64
                " are published to the new topic of results",
                has_requests(accepting) ? ";" : "",
                published != PG_SEQ_NONE && published < place->published_seq ? published
                                                                             : place->published_seq,
                place->next_seq - 1);
    fputc('\n', out);
}

static enum usher_status accept_topic(struct accepting *accepting,
                                      const struct by_hand_place *place, bool *was_halted,
                                      struct usher_error *err)
{
    bool halted = false;
    accepting->topics.next_offset = place->next_offset;
    accepting->topics.next_seq = place->next_seq;
    enum usher_status status = pg_partition_accept_topic(
        &accepting->looking->settings.postgres, place->partition, &accepting->topics, &halted, err);
    *was_halted |= halted || place->owner;
    return status;
}

/*
 * Has a partition (without --partition: each of them) begin the topics of --topic at their start.
 * FATAL: 64 something is missing, or nobody is there to say yes; 65 a worker that has not halted is
 * connected (but with a new topic of requests because of which another partition halted), the
 * topics do not fit what is recorded, or the partition moved meanwhile; 77 not the owner of the
 * schema. RETRY: a dependency is away (69).
 */
static enum usher_status accepting_topic_run(struct looking *looking, int32_t partition,
                                             struct usher_error *err)
{
    struct accepting accepting = {.looking = looking};
    bool was_halted = false;
    enum usher_status status = read_options(&accepting, err);
    if (status == USHER_OK)
        status = find_places(&accepting, partition, err);
    if (status == USHER_OK)
        status = find_ends(&accepting, err);
    for (uint32_t i = 0; status == USHER_OK && i < accepting.count; i++)
        status = check(&accepting, &accepting.places[i], err);
    for (uint32_t i = 0; status == USHER_OK && i < accepting.count; i++)
        say_what_changes(&accepting, &accepting.places[i]);
    if (status == USHER_OK)
        status = by_hand_agree(looking, "Go on with the new topics?", err);
    for (uint32_t i = 0; status == USHER_OK && i < accepting.count; i++)
        status = accept_topic(&accepting, &accepting.places[i], &was_halted, err);
    if (status == USHER_OK)
        by_hand_say_done(looking, was_halted);
    return status;
}

/* ==== Partition ==== */

static const struct option_spec partition_specs[] = {
    {.name = "partition",
     .type = OPTION_INTEGER,
     .min = 0,
     .max = 99999,
     .help = "number of the partition"},
};

static const struct option_group partition_options = WORKER_GROUP("Partition", partition_specs);

/* ---- list ---- */

static const struct look_column event_columns[] = {
    {"happened_at", "at", LOOK_INSTANT}, {"partition", "partition", LOOK_NUMBER},
    {"event", "event", LOOK_STATE},      {"from_offset", "offset", LOOK_NUMBER},
    {"to_offset", "to", LOOK_NUMBER},    {"by_whom", "by", LOOK_TEXT},
    {"reason", "why", LOOK_TEXT},
};

static const struct look event_list = {PG_VIEW_EVENTS, event_columns, LOOK_COUNT(event_columns),
                                       "no partition ever halted, and nothing was done to one"};

static enum usher_status list_events(struct looking *looking, int32_t partition,
                                     struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {options_has(looking->options, "partition")
                        ? usher_arena_format(&looking->arena, "%" PRId32, partition)
                        : NULL},
        .limit = options_integer(looking->options, "limit"),
    };
    return look_list(looking, &event_list, &question, err);
}

/* ---- one of them ---- */

static void print_reset(int32_t partition, const struct pg_clock_reset *reset, FILE *out)
{
    char was[USHER_INSTANT_SIZE];
    char became[USHER_INSTANT_SIZE];
    char last_end[USHER_INSTANT_SIZE];
    usher_instant_format(reset->was_ms, was);
    usher_instant_format(reset->became_ms, became);
    usher_instant_format(reset->last_end_ms, last_end);
    fprintf(out, "partition %" PRId32 ": ", partition);
    if (reset->was_ms == 0)
        fprintf(out, "it has decided nothing yet: nothing to do\n");
    else if (reset->was_ms == reset->became_ms)
        fprintf(out, "its time is %s, not ahead of the database's clock: nothing to do\n", was);
    else
        fprintf(out, "its time was set back from %s to %s\n", was, became);
    if (reset->ends_late > 0) {
        fprintf(out,
                "holds, waiting parties and blocks that were made under the wrong clock and keep "
                "their ends: %" PRId64 ", the last one %s\n",
                reset->ends_late, last_end);
    }
}

static enum usher_status reset_clock(struct looking *looking, int32_t partition,
                                     struct usher_error *err)
{
    struct pg_clock_reset reset;
    struct by_hand_place place;
    enum usher_status status = by_hand_find(looking, partition, &place, err);
    if (status == USHER_OK)
        status = pg_partition_reset_clock(&looking->settings.postgres, partition, &reset, err);
    if (status == USHER_OK)
        print_reset(partition, &reset, looking->terminal.out);
    return status;
}

static enum usher_status resume(struct looking *looking, int32_t partition, struct usher_error *err)
{
    bool was_halted = false;
    struct by_hand_place place;
    enum usher_status status = by_hand_find(looking, partition, &place, err);
    if (status == USHER_OK)
        status = pg_partition_resume(&looking->settings.postgres, partition, &was_halted, err);
    if (status == USHER_OK)
        fprintf(looking->terminal.out, "partition %" PRId32 ": %s\n", partition,
                was_halted ? "its worker tries again within seconds"
                           : "it is not halted: nothing to do");
    return status;
}

/* ---- all ---- */

static const struct {
    const char *name;
    enum usher_status (*run)(struct looking *, int32_t partition, struct usher_error *);
    bool needs_partition;
    const char *takes; /* flags */
} actions[] = {
    {"list", list_events, false, "partition limit json"},
    {"skip", passing_run, true, "partition to why yes limit"},
    {"accept-loss", accepting_run, true, "partition why yes"},
    {"accept-topic", accepting_topic_run, false, "partition topic published why yes"},
    {"resume", resume, true, "partition"},
    {"reset-clock", reset_clock, true, "partition"},
};

static enum usher_status act(struct looking *looking, struct usher_error *err)
{
    const char *action = looking->options->arguments[0];
    size_t i = 0;
    while (i < LOOK_COUNT(actions) && strcmp(actions[i].name, action) != 0)
        i++;
    if (i == LOOK_COUNT(actions)) {
        usher_error_set(
            err, USHER_EXIT_USAGE,
            "unknown action \"%s\": use partition list, skip, accept-loss, accept-topic, resume or "
            "reset-clock",
            action);
        return USHER_FATAL;
    }
    if (actions[i].needs_partition && !options_has(looking->options, "partition")) {
        usher_error_set(err, USHER_EXIT_USAGE, "which partition? --partition N is missing");
        return USHER_FATAL;
    }
    enum usher_status status =
        worker_check_flags(looking->options, &partition_command, actions[i].takes, err);
    int32_t partition = (int32_t)options_integer(looking->options, "partition");
    return status == USHER_OK ? actions[i].run(looking, partition, err) : status;
}

static enum usher_exit run_partition(const struct program_command *command, struct options *options,
                                     struct usher_error *err)
{
    (void)command;
    return look_run(options, act, err);
}

static const struct option_group *const partition_groups[] = {
    &partition_options, &by_hand_options,  &look_limit_options, &output_options,
    &kafka_options,     &postgres_options, &common_options};

const struct program_command partition_command = {
    .name = "partition",
    .arguments = "list|skip|accept-loss|accept-topic|resume|reset-clock",
    .help = "Shows when partitions halted, and changes the state of one by hand.",
    .details =
        "list shows the halts of all partitions, which requests were skipped, and when a clock\n"
        "was set back, the latest first; the role usher_reader suffices. The others need\n"
        "usher_owner; each begins the next epoch of the partition, so that no worker can commit\n"
        "over it, and needs no restart:\n"
        "skip passes over the requests before an offset, which are never decided: it shows\n"
        "them, asks for confirmation, and records who, when, from where, to where and why;\n"
        "accept-loss lets a partition go on whose database lost commits: after the last seq\n"
        "that was answered, so that requests are decided again; or that lost decisions before\n"
        "they were published: an answer that says so is published in the place of each. It\n"
        "shows what is lost, asks for confirmation, and records it;\n"
        "accept-topic lets a partition (or all of them) go on with topics that were recreated,\n"
        "from their start: it refuses while a worker that has not halted is connected (with a\n"
        "new topic of requests only if no partition halted), shows what changes, asks for\n"
        "confirmation, and records it;\n"
        "resume lets a halted partition try again, once the cause is gone: its worker gives all\n"
        "of its partitions back for a moment, as when a worker is added;\n"
        "reset-clock sets the time of a partition back to that of the database after a clock\n"
        "was ahead.\n",
    .example = "partition skip --partition 3 --to 88240 --why \"retention\"",
    .table = WORKER_TABLE(partition_groups),
    .others = &worker_options,
    .run = run_partition,
};
