/*
 * All partitions, whoever owns them: what the database has of each, and how many requests Kafka has
 * behind that.
 */
#include "worker/program/command_status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/kafka/kafka_options.h"
#include "producer/terminal/text_table.h"
#include "worker/program/look.h"

enum {
    REQUEST_TIMEOUT_MS = 5000
};

enum {
    AT_PARTITION,
    AT_STATE,
    AT_OWNER,
    AT_EPOCH,
    AT_NEXT_OFFSET,
    AT_NEXT_SEQ,
    AT_LAST_DECIDED,
    AT_HALTED_AT,
    AT_HALTED,
    AT_JSON, /* the whole row */
    AT_COUNT
};

static const char *const columns[AT_COUNT] = {
    [AT_PARTITION] = "partition",
    [AT_STATE] = "state",
    [AT_OWNER] = "owner",
    [AT_EPOCH] = "epoch",
    [AT_NEXT_OFFSET] = "next_offset",
    [AT_NEXT_SEQ] = "next_seq",
    [AT_LAST_DECIDED] = "last_decided_at",
    [AT_HALTED_AT] = "halted_at",
    [AT_HALTED] = "halted",
    [AT_JSON] = "json",
};

/* Ends of the logs of requests; NULL: Kafka does not say. */
struct ends {
    int32_t count;
    int64_t *offsets;
};

static enum usher_status ask_kafka(struct looking *looking, struct ends *ends,
                                   struct usher_error *err)
{
    enum usher_status status = look_open_kafka(looking, REQUEST_TIMEOUT_MS, &ends->count, err);
    if (status == USHER_OK) {
        ends->offsets =
            usher_arena_alloc(&looking->arena, (size_t)ends->count * sizeof *ends->offsets);
        status = kafka_base_ends(looking->kafka, ends->count, ends->offsets, err);
    }
    if (status != USHER_OK)
        ends->offsets = NULL;
    return status;
}

/* Requests that wait, as text; NULL: not known. */
static const char *lag_of(const struct ends *ends, int32_t partition, const char *next_offset,
                          struct usher_arena *arena)
{
    if (!ends->offsets || partition >= ends->count)
        return NULL;
    int64_t next = next_offset ? strtoll(next_offset, NULL, 10) : 0;
    int64_t lag = ends->offsets[partition] - next;
    return usher_arena_format(arena, "%" PRId64, lag > 0 ? lag : 0);
}

/* ---- for people ---- */

static void add_row(struct looking *looking, struct text_table *table, const char *const *row,
                    const char *lag)
{
    const char *decided = look_instant(row[AT_LAST_DECIDED], &looking->arena);
    text_table_add(table, TERMINAL_PLAIN, "%s", row[AT_PARTITION]);
    text_table_add(table, look_state_colour(row[AT_STATE]), "%s", row[AT_STATE]);
    text_table_add(table, TERMINAL_PLAIN, "%s", row[AT_OWNER] ? row[AT_OWNER] : "");
    text_table_add(table, TERMINAL_PLAIN, "%s", row[AT_EPOCH] ? row[AT_EPOCH] : "");
    text_table_add(table, TERMINAL_PLAIN, "%s", row[AT_NEXT_OFFSET] ? row[AT_NEXT_OFFSET] : "");
    text_table_add(table, TERMINAL_PLAIN, "%s", lag ? lag : "?");
    text_table_add(table, TERMINAL_PLAIN, "%s", decided ? decided : "");
    text_table_add(table, TERMINAL_PLAIN, "%s", row[AT_HALTED] ? row[AT_HALTED] : "");
}

/* The row of a partition; those of the topic that no worker has ever taken are in none. */
static const char *const *row_of(struct looking *looking, const struct pg_view_rows *rows,
                                 uint32_t *at, int32_t partition)
{
    const char *const *row = &rows->values[(size_t)*at * AT_COUNT];
    if (*at < rows->count && strtol(row[AT_PARTITION], NULL, 10) <= partition) {
        (*at)++;
        return row;
    }
    const char **never = usher_arena_alloc(&looking->arena, AT_COUNT * sizeof *never);
    never[AT_STATE] = "no worker";
    never[AT_PARTITION] = usher_arena_format(&looking->arena, "%" PRId32, partition);
    never[AT_JSON] = usher_arena_format(
        &looking->arena, "{\"partition\":%" PRId32 ",\"state\":\"no worker\"}", partition);
    return never;
}

static void print_table(struct looking *looking, const struct pg_view_rows *rows,
                        const struct ends *ends)
{
    static const struct text_column titles[] = {
        {"partition", TEXT_RIGHT}, {"state", TEXT_LEFT},  {"owner", TEXT_LEFT},
        {"epoch", TEXT_RIGHT},     {"next", TEXT_RIGHT},  {"lag", TEXT_RIGHT},
        {"decided", TEXT_LEFT},    {"halted", TEXT_LEFT},
    };
    struct text_table table;
    uint32_t at = 0;
    text_table_init(&table, titles, sizeof titles / sizeof *titles);
    for (int32_t i = 0; at < rows->count || i < ends->count; i++) {
        const char *const *row = row_of(looking, rows, &at, i);
        add_row(looking, &table, row, lag_of(ends, i, row[AT_NEXT_OFFSET], &looking->arena));
    }
    text_table_print(&table, &looking->terminal, 0);
    text_table_deinit(&table);
}

/* ---- for programs ---- */

/* The lag goes into the object of the row, which ends with a brace. */
static void print_json(struct looking *looking, const struct pg_view_rows *rows,
                       const struct ends *ends)
{
    uint32_t at = 0;
    for (int32_t i = 0; at < rows->count || i < ends->count; i++) {
        const char *const *row = row_of(looking, rows, &at, i);
        const char *lag = lag_of(ends, i, row[AT_NEXT_OFFSET], &looking->arena);
        fprintf(looking->terminal.out, "%.*s,\"lag\":%s}\n", (int)strlen(row[AT_JSON]) - 1,
                row[AT_JSON], lag ? lag : "null");
    }
}

/* ---- both ---- */

static enum usher_status show_status(struct looking *looking, struct usher_error *err)
{
    struct ends ends = {0};
    struct pg_view_rows rows;
    const struct pg_view_question question = {
        .view = PG_VIEW_PARTITIONS, .columns = columns, .column_count = AT_COUNT};
    enum usher_status status = pg_views_ask(looking->views, &question, &looking->arena, &rows, err);
    if (status != USHER_OK)
        return status;
    status = ask_kafka(looking, &ends, err);
    if (looking->json)
        print_json(looking, &rows, &ends);
    else
        print_table(looking, &rows, &ends);
    return status; /* without Kafka the rest was shown all the same */
}

static enum usher_exit run_status(int argc, char *const *argv)
{
    return look_run(&status_command, argc, argv, show_status);
}

static const struct option_group *const status_groups[] = {&output_options, &kafka_options,
                                                           &postgres_options, &common_options};

const struct worker_command status_command = {
    .name = "status",
    .arguments = "",
    .help = "Shows all partitions: who owns them, where they stand, and why one is halted.",
    .details =
        "Over all workers, from the database and Kafka: lag is how many requests wait. A worker "
        "that has lost\nits connection owns nothing meanwhile. The role usher_reader suffices.\n",
    .example = "status",
    .table = WORKER_TABLE(status_groups),
    .run = run_status,
};
