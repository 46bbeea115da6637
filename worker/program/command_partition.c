/*
 * `usher-worker partition ACTION`: events of partitions, and operators' changes of one. Shows the
 * loss, asks for confirmation, and lets the partition continue; pg_partition and pg_move do the
 * work.
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
#include "usher/message.h"
#include "worker/kafka/kafka_topics.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_move.h"
#include "worker/postgres/pg_partition.h"
#include "worker/reconcile/undecided.h"

/*
 * ==== Asking the operator ====
 *
 * Shared by the commands that change a partition: its recorded position, and the operator's
 * confirmation. Knows neither the loss nor how the partition is changed.
 */

enum {
    OPERATOR_TIMEOUT_MS = 10000, /* of a request to Kafka */
    WHY_MAX = 1000               /* bytes: as much as a list can show */
};

struct partition_position {
    int32_t partition;
    int64_t next_offset; /* OFFSET_NONE: it never started */
    int64_t next_seq;
    int64_t published_seq;
    const char *owner; /* the worker that has a session, if it has not halted; NULL: none */
    bool halted;
};

static const struct option_spec operator_specs[] = {
    {.name = "to",
     .value_name = "OFFSET|SHARD",
     .help =
         "skip: offset of the first request to be decided again; place, move: where it is to live"},
    {.name = "partitions",
     .value_name = "FIRST-LAST",
     .help = "place: partitions that were never started"},
    {.name = "cancel",
     .type = OPTION_BOOL,
     .help = "move: the partition stays where it lives, and the copy is deleted"},
    {.name = "topic",
     .choices = "requests|results|both",
     .help = "accept-topic: the topic that was recreated"},
    {.name = "published",
     .type = OPTION_INTEGER,
     .value_name = "SEQ",
     .help = "accept-topic: publish the answers after this seq again, as the slowest consumer "
             "needs; default: only unpublished ones"},
    {.name = "why",
     .value_name = "TEXT",
     .help = "skip, accept-loss, accept-topic: the reason, which is recorded; at most 1,000 bytes"},
    {.name = "yes",
     .type = OPTION_BOOL,
     .help = "skip, accept-loss, accept-topic: do not ask for confirmation"},
};

/* --to, --partitions, --cancel, --topic, --published, --why and --yes. */
static const struct option_group operator_options =
    WORKER_GROUP("Changing a partition", operator_specs);

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
static struct partition_position read_position(const char *const *row)
{
    return (struct partition_position){
        .partition = (int32_t)strtol(row[AT_PARTITION], NULL, 10),
        .next_offset = row[AT_NEXT_OFFSET] ? strtoll(row[AT_NEXT_OFFSET], NULL, 10) : OFFSET_NONE,
        .next_seq = strtoll(row[AT_NEXT_SEQ], NULL, 10),
        .published_seq = strtoll(row[AT_PUBLISHED_SEQ], NULL, 10),
        .owner = strcmp(row[AT_STATE], "owned") == 0 ? row[AT_OWNER] : NULL,
        .halted = strcmp(row[AT_STATE], "halted") == 0,
    };
}

/* Lists the positions of all partitions that a worker ever acquired. They live in report->arena. */
static enum usher_status list_positions(struct report *report,
                                        struct partition_position **positions, uint32_t *count,
                                        struct usher_error *err)
{
    struct pg_view_rows rows;
    const struct pg_view_question question = {
        .view = PG_VIEW_PARTITIONS, .columns = columns, .column_count = AT_COUNT};
    enum usher_status status = pg_views_ask(report->views, &question, &report->arena, &rows, err);
    if (status != USHER_OK)
        return status;
    *count = rows.count;
    *positions = usher_arena_alloc(&report->arena, (rows.count + 1) * sizeof **positions);
    for (uint32_t i = 0; i < rows.count; i++)
        (*positions)[i] = read_position(rows.values + (size_t)i * AT_COUNT);
    return USHER_OK;
}

/* Finds the position of one partition. FATAL with exit code 65: no worker ever acquired it. */
static enum usher_status find_position(struct report *report, int32_t partition,
                                       struct partition_position *position, struct usher_error *err)
{
    struct partition_position *positions;
    uint32_t count;
    enum usher_status status = list_positions(report, &positions, &count, err);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++)
        if (positions[i].partition == partition) {
            *position = positions[i];
            return USHER_OK;
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
static enum usher_status read_why(const struct report *report, const char **why,
                                  struct usher_error *err)
{
    const char *text = options_text(report->options, "why");
    size_t size = text ? strlen(text) : 0;
    *why = text;
    if (size == 0)
        usher_error_set(err, USHER_EXIT_USAGE, "--why TEXT is required: the reason is recorded");
    else if (size > WHY_MAX)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not read --why: %zu bytes, and the maximum is %d", size, WHY_MAX);
    else if (!utf8_is_valid(text, size))
        usher_error_set(err, USHER_EXIT_USAGE, "could not read --why: it is not UTF-8");
    else
        return USHER_OK;
    return USHER_FATAL;
}

/* Asks for confirmation, unless --yes. FATAL with exit code 64: not confirmed, or no terminal. */
static enum usher_status confirm_with_operator(const struct report *report, const char *question,
                                               struct usher_error *err)
{
    char said[8] = "";
    if (options_bool(report->options, "yes"))
        return USHER_OK;
    if (isatty(STDIN_FILENO) != 1) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "nothing was changed: standard input is no terminal; --yes confirms");
        return USHER_FATAL;
    }
    fprintf(stderr, "%s (yes) ", question);
    if (fgets(said, sizeof said, stdin) && strcmp(said, "yes\n") == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "nothing was changed");
    return USHER_FATAL;
}

static void report_done(const struct report *report, bool was_halted)
{
    fprintf(report->terminal.out, "done%s\n",
            was_halted ? ": its worker tries again within seconds" : "");
}

/*
 * ==== Skip ====
 *
 * `usher-worker partition skip`: shows the requests that would be lost, asks for confirmation, and
 * skips them. Knows Kafka and the partition's row, not how the row is changed.
 */

struct skip_action {
    struct report *report;
    int32_t partition;
    struct pg_skip skip;
    const char *owner; /* the worker that has a session; NULL: none */
    int64_t shown;
    struct usher_arena arena; /* of one request */
    struct progress progress;
    struct browsed browsed;
};

static enum usher_status check_target(const struct skip_action *action, struct usher_error *err)
{
    if (action->skip.to > action->skip.from)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "partition %" PRId32 " is already at offset %" PRId64
                    ": decided requests cannot be decided again",
                    action->partition, action->skip.from);
    return USHER_FATAL;
}

/* ---- what is lost ---- */

static void show_request(void *self, const struct browsed_record *record)
{
    struct skip_action *action = self;
    struct usher_request request = {0};
    FILE *out = action->report->terminal.out;
    progress_show(&action->progress, "read up to offset %" PRId64, record->offset);
    if (action->shown == options_integer(action->report->options, "limit"))
        return;
    progress_clear(&action->progress);
    usher_arena_reset(&action->arena);
    action->shown++;
    fprintf(out, "  %" PRId64 "  ", record->offset);
    if (record->value && usher_request_decode(record->value, record->value_size, &action->arena,
                                              &request, NULL) == USHER_OK)
        fprintf(out, "%s  %s  %s\n", request.resource, usher_op_name(request.op),
                request.request_id);
    else
        fprintf(out, "unreadable: it would be answered invalid\n");
}

static enum usher_status browse(struct skip_action *action, struct usher_error *err)
{
    const struct browse range = {.partition = action->partition,
                                 .from = action->skip.from,
                                 .to = action->skip.to,
                                 .visit = show_request,
                                 .self = action};
    int32_t count;
    progress_begin(&action->progress);
    enum usher_status status = report_open_kafka(action->report, OPERATOR_TIMEOUT_MS, &count, err);
    if (status == USHER_OK)
        status = kafka_browse(action->report->kafka, &range, &action->browsed, err);
    progress_clear(&action->progress);
    action->skip.records = action->browsed.records;
    return status;
}

static void print_lost(const struct skip_action *action)
{
    FILE *out = action->report->terminal.out;
    const struct browsed *browsed = &action->browsed;
    if (browsed->records > action->shown)
        fprintf(out, "  … and %" PRId64 " more: see --limit\n", browsed->records - action->shown);
    if (action->skip.from < browsed->start)
        fprintf(out, "  Kafka has no records before offset %" PRId64 " any more\n", browsed->start);
    if (browsed->unreadable_at != OFFSET_NONE)
        fprintf(out, "  from offset %" PRId64 " on: %s\n", browsed->unreadable_at,
                browsed->why.text);
    fprintf(out,
            "partition %" PRId32 " continues at offset %" PRId64 ": %" PRId64
            " request%s in Kafka will never be answered\n",
            action->partition, action->skip.to, browsed->records, PLURAL(browsed->records));
    if (action->owner)
        fprintf(out, "worker %s owns it; its uncommitted requests are decided again\n",
                action->owner);
}

/* ---- done ---- */

static enum usher_status skip_requests(struct skip_action *action, struct usher_error *err)
{
    bool was_halted;
    struct partition_position position;
    enum usher_status status = find_position(action->report, action->partition, &position, err);
    if (status != USHER_OK)
        return status;
    action->skip.from = position.next_offset;
    action->owner = position.owner;
    status = check_target(action, err);
    if (status == USHER_OK)
        status = browse(action, err);
    if (status != USHER_OK)
        return status;
    print_lost(action);
    status = confirm_with_operator(action->report, "Skip them?", err);
    if (status == USHER_OK)
        status = pg_partition_skip(&action->report->settings.postgres, action->partition,
                                   &action->skip, &was_halted, err);
    if (status == USHER_OK)
        report_done(action->report, was_halted);
    return status;
}

/*
 * Skips the requests of a partition before --to. FATAL: 64 an option is missing, or not confirmed;
 * 65 the partition cannot skip to that offset, or it moved meanwhile; 77 not the owner of the
 * schema. RETRY: a dependency is away (69).
 */
static enum usher_status partition_skip(struct report *report, int32_t partition,
                                        struct usher_error *err)
{
    static const struct option_spec offset = {.type = OPTION_INTEGER};
    struct option_value to = {.spec = &offset};
    struct skip_action action = {.report = report, .partition = partition};
    if (!options_has(report->options, "to")) {
        usher_error_set(err, USHER_EXIT_USAGE, "--to OFFSET is required");
        return USHER_FATAL;
    }
    enum usher_status status =
        option_value_set(&to, options_text(report->options, "to"), OPTION_FLAG, "--to", err);
    action.skip.to = to.number;
    if (status == USHER_OK)
        status = read_why(report, &action.skip.why, err);
    if (status == USHER_OK)
        status = skip_requests(&action, err);
    usher_arena_deinit(&action.arena);
    return status;
}

/*
 * ==== Accept-loss ====
 *
 * `usher-worker partition accept-loss`: shows the decisions that the database lost, asks for
 * confirmation, and lets the partition continue after them. Knows the result log and the
 * partition's row, not how the row is changed.
 */

/*
 * Finds the partition and its last answered seq. Its row is read again after the answers, which are
 * published once committed: so a running partition does not seem to have lost some.
 */
static enum usher_status find_loss(struct report *report, int32_t partition,
                                   struct partition_position *position, struct pg_loss *loss,
                                   struct usher_error *err)
{
    int32_t count;
    enum usher_status status = find_position(report, partition, position, err);
    if (status == USHER_OK)
        status = report_open_kafka(report, OPERATOR_TIMEOUT_MS, &count, err);
    if (status == USHER_OK)
        status = kafka_browse_answered(report->kafka, partition, &loss->highest_seq, err);
    if (status == USHER_OK)
        status = find_position(report, partition, position, err);
    loss->next_seq = position->next_seq;
    return status;
}

/* ---- decisions that were answered ---- */

static void print_owner(FILE *out, const struct partition_position *position)
{
    if (position->owner)
        fprintf(out, "worker %s owns it\n", position->owner);
}

static void print_loss(const struct report *report, int32_t partition,
                       const struct partition_position *position, const struct pg_loss *loss)
{
    FILE *out = report->terminal.out;
    fprintf(out,
            "partition %" PRId32 ": the database lost the decisions from seq %" PRId64
            " to %" PRId64 ", whose answers customers have\n",
            partition, loss->next_seq, loss->highest_seq);
    fprintf(out,
            "it continues with seq %" PRId64 " at offset %" PRId64
            ": requests from there on are decided and answered again\n",
            loss->highest_seq + 1,
            position->next_offset == OFFSET_NONE ? 0 : position->next_offset);
    print_owner(out, position);
}

static enum usher_status accept_loss(struct report *report, int32_t partition,
                                     const struct partition_position *position,
                                     const struct pg_loss *loss, bool *was_halted,
                                     struct usher_error *err)
{
    print_loss(report, partition, position, loss);
    enum usher_status status = confirm_with_operator(report, "Continue after them?", err);
    return status == USHER_OK ? pg_partition_accept_loss(&report->settings.postgres, partition,
                                                         loss, was_halted, err)
                              : status;
}

/* ---- decisions that were not published ---- */

static enum usher_status refuse(int32_t partition, const struct pg_loss *loss,
                                struct usher_error *err)
{
    usher_error_set(
        err, USHER_EXIT_BAD_INPUT,
        "the result log of partition %" PRId32 " ends at seq %" PRId64 ", before %" PRId64
        ", the next one, and no unpublished decision is missing: the database lost nothing",
        partition, loss->highest_seq, loss->next_seq);
    return USHER_FATAL;
}

static void print_gap(const struct report *report, int32_t partition,
                      const struct partition_position *position, const struct pg_gap *gap)
{
    FILE *out = report->terminal.out;
    fprintf(out,
            "partition %" PRId32 ": the database lost %" PRId64 " decision%s of the seqs %" PRId64
            " to %" PRId64 " before %s published\n",
            partition, gap->count, PLURAL(gap->count), gap->first_seq, gap->last_seq,
            gap->count == 1 ? "it was" : "they were");
    fprintf(out, "each is replaced by an unrequested answer, `invalid` (`internal`): clients that "
                 "wait for the original answer never get it\n");
    print_owner(out, position);
}

static enum usher_status accept_gap(struct report *report, int32_t partition,
                                    const struct partition_position *position,
                                    const struct pg_loss *loss, bool *was_halted,
                                    struct usher_error *err)
{
    const struct pg_settings *settings = &report->settings.postgres;
    struct pg_gap gap = {.next_seq = loss->next_seq, .why = loss->why};
    enum usher_status status = pg_partition_find_gap(settings, partition, &gap, err);
    if (status == USHER_OK && gap.count == 0)
        return refuse(partition, loss, err);
    if (status != USHER_OK)
        return status;
    print_gap(report, partition, position, &gap);
    status = confirm_with_operator(report, "Publish these instead?", err);
    return status == USHER_OK ? pg_partition_accept_gap(settings, partition, &gap, was_halted, err)
                              : status;
}

/*
 * Lets the partition continue after the last seq that was answered; or, if the lost decisions were
 * not published yet, with answers in their place that say so. FATAL: 64 --why is missing, or not
 * confirmed; 65 the database has lost nothing, or the partition moved meanwhile; 77 not the owner
 * of the schema. RETRY: a dependency is away (69).
 */
static enum usher_status partition_accept_loss(struct report *report, int32_t partition,
                                               struct usher_error *err)
{
    struct partition_position position = {0};
    struct pg_loss loss = {0};
    bool was_halted;
    enum usher_status status = read_why(report, &loss.why, err);
    if (status == USHER_OK)
        status = find_loss(report, partition, &position, &loss, err);
    if (status != USHER_OK)
        return status;
    bool answered = loss.highest_seq >= loss.next_seq;
    status = answered ? accept_loss(report, partition, &position, &loss, &was_halted, err)
                      : accept_gap(report, partition, &position, &loss, &was_halted, err);
    if (status == USHER_OK)
        report_done(report, was_halted);
    return status;
}

/*
 * ==== Accept-topic ====
 *
 * `usher-worker partition accept-topic`: shows the effect of recreated topics on the partitions,
 * asks for confirmation, and has them continue with these. Knows the partitions' rows and the ends
 * of the logs, not how a row is changed.
 */

struct topic_action {
    struct report *report;
    struct pg_new_topics topics; /* but for the position, which each partition has */
    struct partition_position *positions;
    uint32_t count;
    bool any_halted;    /* of all partitions */
    int32_t partitions; /* of the topics */
    int64_t *ends;      /* of the requests, by partition */
};

static bool has_requests(const struct topic_action *action)
{
    return strcmp(action->topics.topics, "results") != 0;
}

static bool has_results(const struct topic_action *action)
{
    return strcmp(action->topics.topics, "requests") != 0;
}

/* ---- what was asked for ---- */

static enum usher_status read_options(struct topic_action *action, struct usher_error *err)
{
    const struct options *options = action->report->options;
    action->topics.topics = options_text(options, "topic");
    action->topics.published_seq =
        options_has(options, "published") ? options_integer(options, "published") : PG_SEQ_NONE;
    if (!action->topics.topics)
        usher_error_set(err, USHER_EXIT_USAGE, "--topic requests, results or both is required");
    else if (action->topics.published_seq != PG_SEQ_NONE && !has_results(action))
        usher_error_set(err, USHER_EXIT_USAGE, "--published needs --topic results or both");
    else
        return read_why(action->report, &action->topics.why, err);
    return USHER_FATAL;
}

/* All partitions that a worker ever took, or the one. */
static enum usher_status find_positions(struct topic_action *action, int32_t partition,
                                        struct usher_error *err)
{
    struct report *report = action->report;
    enum usher_status status = list_positions(report, &action->positions, &action->count, err);
    for (uint32_t i = 0; status == USHER_OK && i < action->count; i++)
        action->any_halted |= action->positions[i].halted;
    if (status != USHER_OK || !options_has(report->options, "partition"))
        return status;
    action->positions = usher_arena_alloc(&report->arena, sizeof *action->positions);
    action->count = 1;
    return find_position(report, partition, action->positions, err);
}

static enum usher_status find_ends(struct topic_action *action, struct usher_error *err)
{
    struct report *report = action->report;
    enum usher_status status =
        report_open_kafka(report, OPERATOR_TIMEOUT_MS, &action->partitions, err);
    if (status != USHER_OK)
        return status;
    action->ends =
        usher_arena_alloc(&report->arena, (size_t)action->partitions * sizeof *action->ends);
    return kafka_base_ends(report->kafka, action->partitions, action->ends, err);
}

/* ---- whether it can be done ---- */

/*
 * A connected worker could still publish an old answer. With a new topic of requests it does no
 * harm, since it is fenced; but if no partition has halted, there may be no new topic.
 */
static enum usher_status check_unattended(const struct topic_action *action,
                                          const struct partition_position *position,
                                          struct usher_error *err)
{
    if (!position->owner || (action->any_halted && !has_results(action)))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "worker %s has a session for partition %" PRId32
                    " and has not halted: stop it first",
                    position->owner, position->partition);
    return USHER_FATAL;
}

/* A consumer takes an answer after one with a higher seq for a repeat. */
static enum usher_status check_answers(const struct topic_action *action,
                                       const struct partition_position *position,
                                       struct usher_error *err)
{
    int64_t highest = 0;
    int64_t published = action->topics.published_seq;
    enum usher_status status =
        kafka_browse_answered(action->report->kafka, position->partition, &highest, err);
    if (status != USHER_OK)
        return status;
    if (highest >= position->next_seq)
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "the result log of partition %" PRId32 " holds seq %" PRId64
                        ", but %" PRId64
                        " is next: the database lost commits; see partition accept-loss",
                        position->partition, highest, position->next_seq);
    else if (published != PG_SEQ_NONE && highest > published)
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "the result log of partition %" PRId32 " holds seq %" PRId64
                        " already: consumers would take answers with a lower seq for repeats",
                        position->partition, highest);
    else
        return USHER_OK;
    return USHER_FATAL;
}

static enum usher_status check(const struct topic_action *action,
                               const struct partition_position *position, struct usher_error *err)
{
    enum usher_status status = check_unattended(action, position, err);
    if (status != USHER_OK)
        return status;
    if (position->partition < action->partitions)
        return has_results(action) ? check_answers(action, position, err) : USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "the new topics have no partition %" PRId32
                    ": their number of partitions must be as before",
                    position->partition);
    return USHER_FATAL;
}

/*
 * FATAL with exit code 65: it is no new topic of requests, and some would be decided once more. A
 * new one has others, or a partition halts of which nothing can be compared.
 */
static enum usher_status check_new(const struct topic_action *action, struct usher_error *err)
{
    bool is_known = false;
    for (uint32_t i = 0; has_requests(action) && i < action->count; i++) {
        const struct partition_position *position = &action->positions[i];
        enum topic_is is = TOPIC_UNCERTAIN;
        enum usher_status status =
            undecided_recognize(&action->report->settings.postgres, action->report->kafka,
                                position->partition, &is, err);
        if (status != USHER_OK || is == TOPIC_OTHER || (is == TOPIC_UNCERTAIN && position->halted))
            return status;
        is_known = is_known || is == TOPIC_KNOWN;
    }
    if (is_known)
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "nothing was changed: the topic of requests is the one that this database "
                        "knows; `usher-worker partition resume` lets a halted partition continue");
    return is_known ? USHER_FATAL : USHER_OK;
}

/* ---- done ---- */

static void print_changes(const struct topic_action *action,
                          const struct partition_position *position)
{
    FILE *out = action->report->terminal.out;
    int64_t published = action->topics.published_seq;
    fprintf(out, "partition %" PRId32 ":", position->partition);
    if (has_requests(action))
        fprintf(out,
                " offset %" PRId64
                " is next in the old topic of requests, the rest of which is lost; it continues at "
                "the start of the new one, which ends at offset %" PRId64,
                position->next_offset == OFFSET_NONE ? 0 : position->next_offset,
                action->ends[position->partition]);
    if (has_results(action))
        fprintf(out,
                "%s answers after seq %" PRId64 ", up to %" PRId64
                ", are published to the new topic of results",
                has_requests(action) ? ";" : "",
                published != PG_SEQ_NONE && published < position->published_seq
                    ? published
                    : position->published_seq,
                position->next_seq - 1);
    fputc('\n', out);
}

/*
 * Has a partition (without --partition: each of them) begin the topics of --topic at their start.
 * FATAL: 64 an option is missing, or not confirmed; 65 a worker that has not halted is connected
 * (but with a new topic of requests because of which another partition halted), the topics do not
 * fit what is recorded, that of requests is no new one, or the partition moved meanwhile; 77 not
 * the owner of the schema. RETRY: a dependency is away (69).
 */
static enum usher_status partition_accept_topic(struct report *report, int32_t partition,
                                                struct usher_error *err)
{
    struct topic_action action = {.report = report};
    bool was_halted = false;
    enum usher_status status = read_options(&action, err);
    if (status == USHER_OK)
        status = find_positions(&action, partition, err);
    if (status == USHER_OK)
        status = find_ends(&action, err);
    for (uint32_t i = 0; status == USHER_OK && i < action.count; i++)
        status = check(&action, &action.positions[i], err);
    if (status == USHER_OK)
        status = check_new(&action, err);
    for (uint32_t i = 0; status == USHER_OK && i < action.count; i++)
        print_changes(&action, &action.positions[i]);
    if (status == USHER_OK)
        status = confirm_with_operator(report, "Continue with the new topics?", err);
    for (uint32_t i = 0; status == USHER_OK && i < action.count; i++) {
        const struct partition_position *position = &action.positions[i];
        bool halted = false;
        action.topics.next_offset = position->next_offset;
        action.topics.next_seq = position->next_seq;
        status = pg_partition_accept_topic(&report->settings.postgres, position->partition,
                                           &action.topics, &halted, err);
        was_halted |= halted || position->owner;
    }
    if (status == USHER_OK)
        report_done(report, was_halted);
    return status;
}

/* ==== Moving ==== */

static void show_move(void *self, const struct pg_move_progress *at)
{
    struct progress *progress = self;
    switch (at->step) {
    case PG_MOVE_COPIES:
        progress_show(progress, "%" PRId64 " of %" PRId64 " decisions copied", at->done, at->total);
        break;
    case PG_MOVE_COMPARES:
        progress_show(progress, "%" PRId64 " decisions compared, with all that they made",
                      at->done);
        break;
    case PG_MOVE_DELETES:
        progress_show(progress, "%" PRId64 " rows deleted", at->done);
        break;
    }
}

/* Behind the progress, which is drawn again. */
static void warn_of_move(void *self, const char *text)
{
    progress_clear(self);
    fprintf(stderr, "usher-worker: warning: %s\n", text);
}

static void print_moved(const struct report *report, int32_t partition, const char *to,
                        const struct pg_moved *moved)
{
    FILE *out = report->terminal.out;
    if (moved->was_there)
        fprintf(out, "partition %" PRId32 ": it lives in shard %s: nothing to do\n", partition, to);
    else
        fprintf(out,
                "partition %" PRId32 ": it lives in shard %s; %" PRId64 " row%s copied; it stood "
                "still for %" PRId64 " ms, for the last %" PRId64 " decision%s\n",
                partition, to, moved->rows, PLURAL(moved->rows), moved->stopped_ms,
                moved->decisions, PLURAL(moved->decisions));
}

/*
 * Moves the partition to the shard of --to, or with --cancel does not. Statuses as of pg_move.
 */
static enum usher_status partition_move(struct report *report, int32_t partition,
                                        struct usher_error *err)
{
    const struct pg_settings *settings = &report->settings.postgres;
    struct progress progress;
    struct pg_moved moved = {0};
    int64_t rows = 0;
    const struct pg_move_observer observer = {&progress, show_move, warn_of_move};
    const char *to = options_text(report->options, "to");
    bool cancels = options_bool(report->options, "cancel");
    if (!to) {
        usher_error_set(err, USHER_EXIT_USAGE, "--to SHARD is required");
        return USHER_FATAL;
    }
    enum usher_status status = worker_check_shard("--to", to, err);
    progress_begin(&progress);
    if (status == USHER_OK)
        status = cancels ? pg_move_cancel(settings, partition, to, &observer, &rows, err)
                         : pg_move(settings, partition, to, &observer, &moved, err);
    progress_clear(&progress);
    if (status == USHER_OK && cancels)
        fprintf(report->terminal.out,
                "partition %" PRId32 ": it stays where it lives; %" PRId64
                " row%s deleted in shard %s\n",
                partition, rows, PLURAL(rows), to);
    else if (status == USHER_OK)
        print_moved(report, partition, to, &moved);
    return status;
}

/* Deletes what moved partitions have left behind. Statuses as of pg_move_forget. */
static enum usher_status partition_forget_moved(struct report *report, int32_t partition,
                                                struct usher_error *err)
{
    struct progress progress;
    const struct pg_move_observer observer = {&progress, show_move, warn_of_move};
    uint32_t partitions = 0;
    int64_t rows = 0;
    (void)partition;
    progress_begin(&progress);
    enum usher_status status =
        pg_move_forget(&report->settings.postgres, &observer, &partitions, &rows, err);
    progress_clear(&progress);
    if (status == USHER_OK)
        fprintf(report->terminal.out,
                "%" PRId64 " row%s deleted of %" PRIu32 " partition%s that live%s elsewhere\n",
                rows, PLURAL(rows), partitions, PLURAL(partitions), partitions == 1 ? "s" : "");
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

static const struct report_column event_columns[] = {
    {"happened_at", "at", REPORT_INSTANT, 0}, {"partition", "partition", REPORT_NUMBER, 0},
    {"event", "event", REPORT_STATE, 0},      {"from_offset", "offset", REPORT_NUMBER, 3},
    {"to_offset", "to", REPORT_NUMBER, 2},    {"by_whom", "by", REPORT_TEXT, 1},
    {"reason", "why", REPORT_PROSE, 0},
};

static const struct listing event_list = {PG_VIEW_EVENTS, event_columns,
                                          REPORT_COUNT(event_columns), "no events"};

static void say_state(void *self, const char *text)
{
    const struct report *report = self;
    report_remark(report, "%s", text);
}

static enum usher_status list_events(struct report *report, int32_t partition,
                                     struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {options_has(report->options, "partition")
                        ? usher_arena_format(&report->arena, "%" PRId32, partition)
                        : NULL},
        .limit = options_integer(report->options, "limit"),
    };
    enum usher_status status = report_list(report, &event_list, &question, err);
    return status == USHER_OK ? pg_homes_states(&report->settings.postgres, say_state, report, err)
                              : status;
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
    if (reset->ends_late > 0)
        fprintf(out,
                "holds, waiting parties and blocks that were made under the wrong clock and keep "
                "their ends: %" PRId64 ", the last one %s\n",
                reset->ends_late, last_end);
}

static enum usher_status reset_clock(struct report *report, int32_t partition,
                                     struct usher_error *err)
{
    struct pg_clock_reset reset;
    struct partition_position position;
    enum usher_status status = find_position(report, partition, &position, err);
    if (status == USHER_OK)
        status = pg_partition_reset_clock(&report->settings.postgres, partition, &reset, err);
    if (status == USHER_OK)
        print_reset(partition, &reset, report->terminal.out);
    return status;
}

static enum usher_status resume(struct report *report, int32_t partition, struct usher_error *err)
{
    bool was_halted = false;
    struct partition_position position;
    enum usher_status status = find_position(report, partition, &position, err);
    if (status == USHER_OK)
        status = pg_partition_resume(&report->settings.postgres, partition, &was_halted, err);
    if (status == USHER_OK)
        fprintf(report->terminal.out, "partition %" PRId32 ": %s\n", partition,
                was_halted ? "its worker tries again within seconds"
                           : "it is not halted: nothing to do");
    return status;
}

/* ---- several ---- */

/* "3" or "0-15". False: it is neither. */
static bool read_range(const char *text, int32_t *first, int32_t *last)
{
    int size = 0;
    if (sscanf(text, "%5" SCNd32 "%n-%5" SCNd32 "%n", first, &size, last, &size) < 2)
        *last = *first;
    return size > 0 && text[size] == '\0' && *first >= 0 && *first <= *last;
}

static enum usher_status place(struct report *report, int32_t partition, struct usher_error *err)
{
    const char *range = options_text(report->options, "partitions");
    struct pg_placing placing = {.shard = options_text(report->options, "to")};
    (void)partition;
    if (!range || !placing.shard || !read_range(range, &placing.first, &placing.last)) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "--partitions FIRST-LAST and --to SHARD are required");
        return USHER_FATAL;
    }
    enum usher_status status = worker_check_shard("--to", placing.shard, err);
    if (status == USHER_OK)
        status = report_open_kafka(report, OPERATOR_TIMEOUT_MS, &placing.partition_count, err);
    if (status == USHER_OK && placing.last >= placing.partition_count) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "the topic has the partitions 0 to %" PRId32,
                        placing.partition_count - 1);
        return USHER_FATAL;
    }
    if (status == USHER_OK)
        status = pg_partition_place(&report->settings.postgres, &placing, err);
    if (status == USHER_OK)
        fprintf(report->terminal.out,
                "%" PRIu32 " partition%s placed in shard %s; %" PRId32 " lived there already\n",
                placing.placed, PLURAL(placing.placed), placing.shard,
                placing.last - placing.first + 1 - (int32_t)placing.placed);
    return status;
}

/* ---- all ---- */

static const struct {
    const char *name;
    enum usher_status (*run)(struct report *, int32_t partition, struct usher_error *);
    bool needs_partition;
    const char *takes; /* flags */
} actions[] = {
    {"list", list_events, false, "partition limit" REPORT_FLAGS},
    {"skip", partition_skip, true, "partition to why yes limit"},
    {"accept-loss", partition_accept_loss, true, "partition why yes"},
    {"accept-topic", partition_accept_topic, false, "partition topic published why yes"},
    {"resume", resume, true, "partition"},
    {"reset-clock", reset_clock, true, "partition"},
    {"place", place, false, "partitions to"},
    {"move", partition_move, true, "partition to cancel"},
    {"forget-moved", partition_forget_moved, false, ""},
};

static enum usher_status act(struct report *report, struct usher_error *err)
{
    const char *action = report->options->arguments[0];
    size_t i = 0;
    while (i < REPORT_COUNT(actions) && strcmp(actions[i].name, action) != 0)
        i++;
    if (i == REPORT_COUNT(actions)) {
        usher_error_set(err, USHER_EXIT_USAGE, "unknown action \"%s\": use partition %s", action,
                        partition_command.arguments);
        return USHER_FATAL;
    }
    if (actions[i].needs_partition && !options_has(report->options, "partition")) {
        usher_error_set(err, USHER_EXIT_USAGE, "--partition N is required");
        return USHER_FATAL;
    }
    enum usher_status status =
        worker_check_flags(report->options, &partition_command, actions[i].takes, err);
    int32_t partition = (int32_t)options_integer(report->options, "partition");
    return status == USHER_OK ? actions[i].run(report, partition, err) : status;
}

static enum usher_exit run_partition(const struct program_command *command, struct options *options,
                                     struct usher_error *err)
{
    (void)command;
    return report_run(options, act, err);
}

static const struct option_group *const partition_groups[] = {
    &partition_options, &operator_options, &report_limit_options, &output_options,
    &report_options,    &kafka_options,    &postgres_options,     &common_options};

const struct program_command partition_command = {
    .name = "partition",
    .arguments = "list|skip|accept-loss|accept-topic|resume|reset-clock|place|move|forget-moved",
    .help = "Shows when partitions halted, and changes the state of one.",
    .details =
        "list shows the halts of all partitions, which requests were skipped, when a clock was\n"
        "set back, and what was moved, the latest first, and which are being moved; the role\n"
        "usher_reader suffices. The others need usher_owner; each begins the next epoch of the\n"
        "partition, so that no worker can commit over it, and needs no restart:\n"
        "skip passes over the requests before an offset, which are never decided: it shows\n"
        "them, asks for confirmation, and records who, when, from where, to where and why;\n"
        "accept-loss lets a partition continue whose database lost commits: after the last seq\n"
        "that was answered, so that requests are decided again; or whose database lost decisions\n"
        "before they were published: each is replaced by an answer that says so. It shows the\n"
        "loss, asks for confirmation, and records it;\n"
        "accept-topic lets a partition (or all of them) continue with recreated topics, from\n"
        "their start: it refuses while a worker that has not halted is connected (with a new\n"
        "topic of requests only if no partition halted), and if the topic of requests is the one\n"
        "that was decided; it shows what changes, asks for confirmation, and records it;\n"
        "resume lets a halted partition try again, once the cause is gone: its worker gives all\n"
        "of its partitions back for a moment, as when a worker is added;\n"
        "reset-clock sets the time of a partition back to that of the database after a clock\n"
        "was ahead;\n"
        "place says in which of the databases of USHER_POSTGRES partitions are to live, before\n"
        "their first start;\n"
        "move copies a partition to another of the databases of USHER_POSTGRES while it sells,\n"
        "and stops it for the last rows: safe to interrupt at any moment, and to run again; it\n"
        "does not begin while prune, forget-customer or migrate up is under way (exit code 69);\n"
        "--cancel has it stay. forget-moved deletes the rows that moved partitions left behind,\n"
        "unless their new home has less.\n",
    .example = "partition skip --partition 3 --to 88240 --why \"retention\"",
    .table = WORKER_TABLE(partition_groups),
    .others = &worker_options,
    .run = run_partition,
};
