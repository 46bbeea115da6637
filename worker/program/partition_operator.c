/*
 * What the commands share that change a partition: its recorded position, and the operator's
 * confirmation. Knows neither the loss nor how the partition is changed.
 */
#include "worker/program/partition_operator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/utf8.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_views.h"

enum {
    WHY_MAX = 1000 /* bytes: as much as a list can show */
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

const struct option_group operator_options = WORKER_GROUP("Changing a partition", operator_specs);

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

enum usher_status operator_list_positions(struct report *report,
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

enum usher_status operator_find_position(struct report *report, int32_t partition,
                                         struct partition_position *position,
                                         struct usher_error *err)
{
    struct partition_position *positions;
    uint32_t count;
    enum usher_status status = operator_list_positions(report, &positions, &count, err);
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

enum usher_status operator_read_why(const struct report *report, const char **why,
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

enum usher_status operator_confirm(const struct report *report, const char *question,
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

void operator_report_done(const struct report *report, bool was_halted)
{
    fprintf(report->terminal.out, "done%s\n",
            was_halted ? ": its worker tries again within seconds" : "");
}
