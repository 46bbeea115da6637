/*
 * `usher-worker partition ACTION`: events of partitions, and operators' changes of one. Changes
 * that lose something are in partition_loss and partition_topic; pg_partition and pg_move do the
 * work.
 */
#include "worker/program/command_partition.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/kafka/kafka_options.h"
#include "usher/message.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_move.h"
#include "worker/postgres/pg_partition.h"
#include "worker/program/partition_loss.h"
#include "worker/program/partition_operator.h"
#include "worker/program/partition_topic.h"

/* ---- moving ---- */

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
    enum usher_status status = operator_find_position(report, partition, &position, err);
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
    enum usher_status status = operator_find_position(report, partition, &position, err);
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
