/*
 * `usher-worker partition ACTION`: what became of partitions, and what an operator does to one;
 * pg_partition does the work.
 */
#include "worker/program/command_partition.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/kafka/kafka_options.h"
#include "usher/message.h"
#include "worker/postgres/pg_partition.h"
#include "worker/program/accepting.h"
#include "worker/program/accepting_topic.h"
#include "worker/program/by_hand.h"
#include "worker/program/look.h"
#include "worker/program/passing.h"

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
        .filters = {options_has(&looking->options, "partition")
                        ? usher_arena_format(&looking->arena, "%" PRId32, partition)
                        : NULL},
        .limit = options_integer(&looking->options, "limit"),
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
    const char *action = looking->options.arguments[0];
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
    if (actions[i].needs_partition && !options_has(&looking->options, "partition")) {
        usher_error_set(err, USHER_EXIT_USAGE, "which partition? --partition N is missing");
        return USHER_FATAL;
    }
    enum usher_status status =
        worker_check_flags(&looking->options, &partition_command, actions[i].takes, err);
    int32_t partition = (int32_t)options_integer(&looking->options, "partition");
    return status == USHER_OK ? actions[i].run(looking, partition, err) : status;
}

static enum usher_exit run_partition(int argc, char *const *argv)
{
    return look_run(&partition_command, argc, argv, act);
}

static const struct option_group *const partition_groups[] = {
    &partition_options, &by_hand_options,  &look_limit_options, &output_options,
    &kafka_options,     &postgres_options, &common_options};

const struct worker_command partition_command = {
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
    .run = run_partition,
};
