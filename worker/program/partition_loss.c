/*
 * `usher-worker partition skip` and `accept-loss`: show the requests or decisions that are lost,
 * ask for confirmation, and let the partition continue behind them. Know Kafka and the partition's
 * row, not how the row is changed.
 */
#include "worker/program/partition_loss.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "producer/base/plural.h"
#include "usher/message.h"
#include "worker/kafka/kafka_browse.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_partition.h"
#include "worker/program/partition_operator.h"

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

/* ---- requests that are skipped ---- */

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

static enum usher_status skip_requests(struct skip_action *action, struct usher_error *err)
{
    bool was_halted;
    struct partition_position position;
    enum usher_status status =
        operator_find_position(action->report, action->partition, &position, err);
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
    status = operator_confirm(action->report, "Skip them?", err);
    if (status == USHER_OK)
        status = pg_partition_skip(&action->report->settings.postgres, action->partition,
                                   &action->skip, &was_halted, err);
    if (status == USHER_OK)
        operator_report_done(action->report, was_halted);
    return status;
}

enum usher_status partition_skip(struct report *report, int32_t partition, struct usher_error *err)
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
        status = operator_read_why(report, &action.skip.why, err);
    if (status == USHER_OK)
        status = skip_requests(&action, err);
    usher_arena_deinit(&action.arena);
    return status;
}

/* ---- decisions that were lost ---- */

/*
 * Finds the partition and its last answered seq. Its row is read again after the answers, which are
 * published once committed: so a running partition does not seem to have lost some.
 */
static enum usher_status find_loss(struct report *report, int32_t partition,
                                   struct partition_position *position, struct pg_loss *loss,
                                   struct usher_error *err)
{
    int32_t count;
    enum usher_status status = operator_find_position(report, partition, position, err);
    if (status == USHER_OK)
        status = report_open_kafka(report, OPERATOR_TIMEOUT_MS, &count, err);
    if (status == USHER_OK)
        status = kafka_browse_answered(report->kafka, partition, &loss->highest_seq, err);
    if (status == USHER_OK)
        status = operator_find_position(report, partition, position, err);
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
    enum usher_status status = operator_confirm(report, "Continue after them?", err);
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
    status = operator_confirm(report, "Publish these instead?", err);
    return status == USHER_OK ? pg_partition_accept_gap(settings, partition, &gap, was_halted, err)
                              : status;
}

enum usher_status partition_accept_loss(struct report *report, int32_t partition,
                                        struct usher_error *err)
{
    struct partition_position position = {0};
    struct pg_loss loss = {0};
    bool was_halted;
    enum usher_status status = operator_read_why(report, &loss.why, err);
    if (status == USHER_OK)
        status = find_loss(report, partition, &position, &loss, err);
    if (status != USHER_OK)
        return status;
    bool answered = loss.highest_seq >= loss.next_seq;
    status = answered ? accept_loss(report, partition, &position, &loss, &was_halted, err)
                      : accept_gap(report, partition, &position, &loss, &was_halted, err);
    if (status == USHER_OK)
        operator_report_done(report, was_halted);
    return status;
}
