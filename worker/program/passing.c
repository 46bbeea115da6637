/* What lies between a partition's position and an offset, for a person to decide: see passing.h. */
#include "worker/program/passing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/terminal/progress.h"
#include "usher/message.h"
#include "worker/kafka/kafka_browse.h"
#include "worker/postgres/pg_partition.h"

enum {
    REQUEST_TIMEOUT_MS = 10000
};

static const struct option_spec passing_specs[] = {
    {.name = "to",
     .type = OPTION_INTEGER,
     .value_name = "OFFSET",
     .help = "skip: offset of the first request to be decided again"},
    {.name = "why", .value_name = "TEXT", .help = "skip: the reason, which is written down"},
    {.name = "yes", .type = OPTION_BOOL, .help = "skip: do not ask"},
};

const struct option_group passing_options = WORKER_GROUP("Skip", passing_specs);

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

/* ---- where the partition stands ---- */

enum {
    AT_PARTITION,
    AT_STATE,
    AT_OWNER,
    AT_NEXT_OFFSET,
    AT_COUNT
};

static const char *const columns[AT_COUNT] = {
    [AT_PARTITION] = "partition",
    [AT_STATE] = "state",
    [AT_OWNER] = "owner",
    [AT_NEXT_OFFSET] = "next_offset",
};

static enum usher_status find(struct passing *passing, struct usher_error *err)
{
    struct pg_view_rows rows;
    struct looking *looking = passing->looking;
    const struct pg_view_question question = {
        .view = PG_VIEW_PARTITIONS, .columns = columns, .column_count = AT_COUNT};
    enum usher_status status = pg_views_ask(looking->views, &question, &looking->arena, &rows, err);
    for (uint32_t i = 0; status == USHER_OK && i < rows.count; i++) {
        const char *const *row = rows.values + (size_t)i * AT_COUNT;
        if (strtol(row[AT_PARTITION], NULL, 10) != passing->partition)
            continue;
        passing->skip.from =
            row[AT_NEXT_OFFSET] ? strtoll(row[AT_NEXT_OFFSET], NULL, 10) : OFFSET_NONE;
        passing->owner = strcmp(row[AT_STATE], "owned") == 0 ? row[AT_OWNER] : NULL;
        return USHER_OK;
    }
    if (status == USHER_OK)
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "no worker ever took partition %" PRId32,
                        passing->partition);
    return status == USHER_OK ? USHER_FATAL : status;
}

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
    if (passing->shown == options_integer(&passing->looking->options, "limit"))
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
    enum usher_status status = look_open_kafka(passing->looking, REQUEST_TIMEOUT_MS, &count, err);
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
            " requests that Kafka has get no answer, ever\n",
            passing->partition, passing->skip.to, browsed->records);
    if (passing->owner)
        fprintf(out, "worker %s owns it, and what it has not committed is decided again\n",
                passing->owner);
}

/* ---- asked and done ---- */

static enum usher_status confirm(const struct passing *passing, struct usher_error *err)
{
    char said[8] = "";
    if (options_bool(&passing->looking->options, "yes"))
        return USHER_OK;
    if (isatty(STDIN_FILENO) != 1) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "nothing was changed: nobody is there to ask; --yes");
        return USHER_FATAL;
    }
    fprintf(stderr, "Pass over them? (yes) ");
    if (fgets(said, sizeof said, stdin) && strcmp(said, "yes\n") == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "nothing was changed");
    return USHER_FATAL;
}

static enum usher_status pass(struct passing *passing, struct usher_error *err)
{
    bool was_halted;
    enum usher_status status = find(passing, err);
    if (status == USHER_OK)
        status = check_target(passing, err);
    if (status == USHER_OK)
        status = browse(passing, err);
    if (status != USHER_OK)
        return status;
    say_what_is_lost(passing);
    status = confirm(passing, err);
    if (status == USHER_OK)
        status = pg_partition_skip(&passing->looking->settings.postgres, passing->partition,
                                   &passing->skip, &was_halted, err);
    if (status == USHER_OK)
        fprintf(passing->looking->terminal.out, "done%s\n",
                was_halted ? ": its worker tries again within seconds" : "");
    return status;
}

enum usher_status passing_run(struct looking *looking, int32_t partition, struct usher_error *err)
{
    struct passing passing = {.looking = looking, .partition = partition};
    passing.skip.to = options_integer(&looking->options, "to");
    passing.skip.why = options_text(&looking->options, "why");
    if (!options_has(&looking->options, "to") || !passing.skip.why || !passing.skip.why[0]) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "where does the partition go on, and why? --to OFFSET or --why TEXT is "
                        "missing");
        return USHER_FATAL;
    }
    enum usher_status status = pass(&passing, err);
    usher_arena_deinit(&passing.arena);
    return status;
}
