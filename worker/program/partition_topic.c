/*
 * `usher-worker partition accept-topic`: shows the effect of recreated topics on the partitions,
 * asks for confirmation, and has them continue with these. Knows the partitions' rows and the ends
 * of the logs, not how a row is changed.
 */
#include "worker/program/partition_topic.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "worker/kafka/kafka_browse.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_partition.h"
#include "worker/program/partition_operator.h"
#include "worker/reconcile/undecided.h"

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
        return operator_read_why(action->report, &action->topics.why, err);
    return USHER_FATAL;
}

/* All partitions that a worker ever took, or the one. */
static enum usher_status find_positions(struct topic_action *action, int32_t partition,
                                        struct usher_error *err)
{
    struct report *report = action->report;
    enum usher_status status =
        operator_list_positions(report, &action->positions, &action->count, err);
    for (uint32_t i = 0; status == USHER_OK && i < action->count; i++)
        action->any_halted |= action->positions[i].halted;
    if (status != USHER_OK || !options_has(report->options, "partition"))
        return status;
    action->positions = usher_arena_alloc(&report->arena, sizeof *action->positions);
    action->count = 1;
    return operator_find_position(report, partition, action->positions, err);
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

enum usher_status partition_accept_topic(struct report *report, int32_t partition,
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
        status = operator_confirm(report, "Continue with the new topics?", err);
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
        operator_report_done(report, was_halted);
    return status;
}
