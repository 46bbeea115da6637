/*
 * All partitions, whoever owns them: what the database has of each, and how many requests Kafka
 * has behind that; the workers that own them; and records that could not be processed, as the
 * database keeps them, named PARTITION-SEQ.
 */
#include "worker/program/command_status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/json_member.h"
#include "producer/kafka/kafka_options.h"
#include "worker/kafka/kafka_resend.h"
#include "worker/postgres/pg_homes.h"
#include "worker/program/report.h"
#include "worker/redis/redis_store.h"

/* ==== Status ==== */

enum {
    REQUEST_TIMEOUT_MS = 5000
};

enum {
    AT_PARTITION,
    AT_STATE,
    AT_OWNER,
    AT_EPOCH,
    AT_NEXT_OFFSET,
    AT_LAG, /* of Kafka; the view has none */
    AT_LAST_DECIDED,
    AT_HALTED_AT,
    AT_HALTED,
    AT_JSON, /* the whole row */
    AT_COUNT
};

static const struct report_column partition_columns[] = {
    [AT_PARTITION] = {"partition", "partition", REPORT_NUMBER, 0},
    [AT_STATE] = {"state", "state", REPORT_STATE, 0},
    [AT_OWNER] = {"owner", "owner", REPORT_TEXT, 0},
    [AT_EPOCH] = {"epoch", "epoch", REPORT_NUMBER, 3},
    [AT_NEXT_OFFSET] = {"next_offset", "next", REPORT_NUMBER, 2},
    [AT_LAG] = {"lag", "lag", REPORT_NUMBER, 0},
    [AT_LAST_DECIDED] = {"last_decided_at", "decided", REPORT_INSTANT, 1},
    [AT_HALTED_AT] = {"halted_at", NULL, REPORT_INSTANT, 0},
    [AT_HALTED] = {"halted", "halted", REPORT_PROSE, 0},
};

static const struct listing partition_list = {PG_VIEW_PARTITIONS, partition_columns,
                                              REPORT_COUNT(partition_columns), "no partitions"};

/* Ends of the logs of requests; NULL: Kafka does not say. */
struct ends {
    int32_t count;
    int64_t *offsets;
};

static enum usher_status ask_kafka(struct report *report, struct ends *ends,
                                   struct usher_error *err)
{
    enum usher_status status = report_open_kafka(report, REQUEST_TIMEOUT_MS, &ends->count, err);
    if (status == USHER_OK) {
        ends->offsets =
            usher_arena_alloc(&report->arena, (size_t)ends->count * sizeof *ends->offsets);
        status = kafka_base_ends(report->kafka, ends->count, ends->offsets, err);
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

/* What is known of a partition that is in no row: no worker has ever taken it, if it lives here. */
static const char *state_of(const struct report *report, int32_t partition, const char **shard)
{
    switch (pg_views_home(report->views, partition, shard)) {
    case PG_HOME_NOT_NAMED:
        return "elsewhere";
    case PG_HOME_UNDERWAY:
        return "moving";
    case PG_HOME_UNKNOWN:
    case PG_HOME_LEFT:
    case PG_HOME_SEVERAL:
        return "unknown";
    default:
        return "no worker";
    }
}

/* The row of a partition; those of the topic that no worker has ever taken are in none. */
static const char *const *row_of(struct report *report, const struct pg_view_rows *rows,
                                 uint32_t *at, int32_t partition)
{
    const char *const *row = &rows->values[(size_t)*at * AT_COUNT];
    if (*at < rows->count && strtol(row[AT_PARTITION], NULL, 10) <= partition) {
        (*at)++;
        return row;
    }
    const char **never = usher_arena_alloc(&report->arena, AT_COUNT * sizeof *never);
    const char *shard;
    never[AT_STATE] = state_of(report, partition, &shard);
    never[AT_PARTITION] = usher_arena_format(&report->arena, "%" PRId32, partition);
    never[AT_HALTED] =
        shard ? usher_arena_format(&report->arena, "it lives in shard %s", shard) : NULL;
    never[AT_JSON] = usher_arena_format(
        &report->arena, "{\"partition\":%" PRId32 ",\"state\":\"%s\"%s%s%s}", partition,
        never[AT_STATE], shard ? ",\"shard\":\"" : "", shard ? shard : "", shard ? "\"" : "");
    return never;
}

/* Of JSON the lag goes into the object of the row, which ends with a brace. */
static void add_partition(struct report *report, const char *const *row, const char *lag,
                          struct pg_view_rows *shown, const char **values)
{
    const char **at = &values[(size_t)shown->count++ * shown->column_count];
    if (report->json) {
        *at = usher_arena_format(&report->arena, "%.*s,\"lag\":%s}", (int)strlen(row[AT_JSON]) - 1,
                                 row[AT_JSON], lag ? lag : "null");
        return;
    }
    memcpy(at, row, shown->column_count * sizeof *at);
    at[AT_LAG] = lag || report->csv ? lag : "?";
}

static void print_partitions(struct report *report, const struct pg_view_rows *rows,
                             const struct ends *ends)
{
    struct pg_view_rows shown = {.column_count =
                                     report->json ? 1 : REPORT_COUNT(partition_columns)};
    const int32_t recorded = pg_views_partitions(report->views);
    const int32_t last = recorded > ends->count ? recorded : ends->count;
    size_t most = (size_t)rows->count + (size_t)last;
    const char **values =
        usher_arena_alloc(&report->arena, (most * shown.column_count + 1) * sizeof *values);
    uint32_t at = 0;
    for (int32_t i = 0; at < rows->count || i < last; i++) {
        const char *const *row = row_of(report, rows, &at, i);
        const char *lag = lag_of(ends, i, row[AT_NEXT_OFFSET], &report->arena);
        add_partition(report, row, lag, &shown, values);
    }
    shown.values = values;
    report_print(report, &partition_list, &shown, 0);
}

/* All that the database has; rows of AT_COUNT columns. */
static enum usher_status ask_partitions(struct report *report, struct pg_view_rows *rows,
                                        struct usher_error *err)
{
    const char *names[AT_COUNT] = {[AT_JSON] = "json"};
    const struct pg_view_question question = {
        .view = PG_VIEW_PARTITIONS, .columns = names, .column_count = AT_COUNT};
    for (uint32_t i = 0; i < partition_list.column_count; i++)
        names[i] = partition_columns[i].name;
    return pg_views_ask(report->views, &question, &report->arena, rows, err);
}

static enum usher_status show_status(struct report *report, struct usher_error *err)
{
    struct ends ends = {0};
    struct pg_view_rows rows;
    enum usher_status status = ask_partitions(report, &rows, err);
    if (status != USHER_OK)
        return status;
    status = ask_kafka(report, &ends, err);
    print_partitions(report, &rows, &ends);
    return status; /* without Kafka the rest was shown all the same */
}

static enum usher_exit run_status(const struct program_command *command, struct options *options,
                                  struct usher_error *err)
{
    (void)command;
    return report_run(options, show_status, err);
}

static const struct option_group *const status_groups[] = {
    &output_options, &report_options, &kafka_options, &postgres_options, &common_options};

const struct program_command status_command = {
    .name = "status",
    .arguments = "",
    .help = "Shows all partitions: their owners and positions, and why one is halted.",
    .details = "Over all workers, from the database and Kafka: lag is the number of requests that "
               "wait. A\n"
               "worker that has lost its connection owns nothing meanwhile. The role usher_reader "
               "suffices.\n",
    .example = "status",
    .table = WORKER_TABLE(status_groups),
    .others = &worker_options,
    .run = run_status,
};

/* ==== Workers ==== */

/* A worker that owns partitions. */
struct owner {
    const char *name, *partitions; /* "0,1,2" */
    struct redis_worker heartbeat; /* without a name: there is none */
};

struct owners {
    struct owner *at; /* in the order of their first partitions */
    uint32_t count;
};

static struct owner *owner_of(struct owners *owners, const char *const *row,
                              struct usher_arena *arena)
{
    struct owner *owner = owners->at;
    while (owner < owners->at + owners->count && strcmp(owner->name, row[AT_OWNER]) != 0)
        owner++;
    if (owner == owners->at + owners->count) {
        owners->count++;
        *owner = (struct owner){.name = row[AT_OWNER], .partitions = row[AT_PARTITION]};
    } else {
        owner->partitions =
            usher_arena_format(arena, "%s,%s", owner->partitions, row[AT_PARTITION]);
    }
    return owner;
}

/* A partition that was just taken over may still have the heartbeat of its former owner. */
static enum usher_status read_heartbeat(struct redis_store *store, const char *partition,
                                        struct owner *owner, struct usher_arena *arena,
                                        struct usher_error *err)
{
    struct redis_worker heartbeat;
    enum usher_status status =
        redis_store_worker(store, (int32_t)strtol(partition, NULL, 10), arena, &heartbeat, err);
    if (status == USHER_OK && heartbeat.name && strcmp(heartbeat.name, owner->name) == 0)
        owner->heartbeat = heartbeat;
    return status;
}

/* All owners, with as many heartbeats as Redis has. */
static enum usher_status find_owners(struct report *report, const struct pg_view_rows *rows,
                                     struct owners *owners, struct usher_error *err)
{
    struct redis_store *store = NULL;
    enum usher_status status = USHER_OK;
    owners->at = usher_arena_alloc(&report->arena, rows->count * sizeof *owners->at);
    if (report->settings.redis.uri)
        status = redis_store_open(&report->settings.redis, &store, err);
    for (uint32_t i = 0; i < rows->count; i++) {
        const char *const *row = &rows->values[(size_t)i * AT_COUNT];
        if (strcmp(row[AT_STATE], "owned") != 0)
            continue;
        struct owner *owner = owner_of(owners, row, &report->arena);
        if (store && status == USHER_OK && !owner->heartbeat.name)
            status = read_heartbeat(store, row[AT_PARTITION], owner, &report->arena, err);
    }
    redis_store_close(store);
    return status;
}

/* "3d 4h", "4h 12m" */
static const char *uptime_text(int64_t seconds, struct usher_arena *arena)
{
    int64_t minutes = seconds / 60;
    int64_t hours = minutes / 60;
    return hours < 24
               ? usher_arena_format(arena, "%" PRId64 "h %" PRId64 "m", hours, minutes % 60)
               : usher_arena_format(arena, "%" PRId64 "d %" PRId64 "h", hours / 24, hours % 24);
}

static const struct report_column worker_columns[] = {
    {"worker", "worker", REPORT_TEXT, 0}, {"host", "host", REPORT_TEXT, 1},
    {"http", "http", REPORT_TEXT, 2},     {"version", "version", REPORT_TEXT, 0},
    {"uptime_s", "up", REPORT_TEXT, 0},   {"partitions", "partitions", REPORT_TEXT, 0},
};

static const struct listing worker_list = {PG_VIEW_PARTITIONS, worker_columns,
                                           REPORT_COUNT(worker_columns), "no workers"};

static void print_workers(struct report *report, const struct owners *owners)
{
    struct pg_view_rows shown = {.column_count = REPORT_COUNT(worker_columns)};
    const char **values = usher_arena_alloc(
        &report->arena, (owners->count * (size_t)shown.column_count + 1) * sizeof *values);
    for (const struct owner *owner = owners->at; owner < owners->at + owners->count; owner++) {
        const struct redis_worker *heartbeat = &owner->heartbeat;
        const char *up = report->csv
                             ? usher_arena_format(&report->arena, "%" PRId64, heartbeat->uptime_s)
                             : uptime_text(heartbeat->uptime_s, &report->arena);
        const char *const cells[] = {owner->name,
                                     heartbeat->host,
                                     heartbeat->http,
                                     heartbeat->version,
                                     heartbeat->version ? up : NULL,
                                     owner->partitions};
        const char **row = &values[(size_t)shown.count++ * shown.column_count];
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
            row[i] = cells[i] || report->csv ? cells[i] : "?";
    }
    shown.values = values;
    report_print(report, &worker_list, &shown, 0);
}

static void print_workers_json(struct report *report, const struct owners *owners)
{
    for (const struct owner *owner = owners->at; owner < owners->at + owners->count; owner++) {
        const struct redis_worker *heartbeat = &owner->heartbeat;
        struct usher_buffer line = {0};
        json_text(&line, "{\"worker\":", owner->name);
        json_text(&line, ",\"host\":", heartbeat->host);
        json_text(&line, ",\"http\":", heartbeat->http);
        json_text(&line, ",\"version\":", heartbeat->version);
        if (heartbeat->version)
            json_number(&line, ",\"uptime_s\":", heartbeat->uptime_s);
        fprintf(report->terminal.out, "%.*s,\"partitions\":[%s]}\n", (int)line.size, line.at,
                owner->partitions);
        usher_buffer_deinit(&line);
    }
}

static enum usher_status show_workers(struct report *report, struct usher_error *err)
{
    struct pg_view_rows rows;
    struct owners owners = {0};
    enum usher_status status = ask_partitions(report, &rows, err);
    if (status != USHER_OK)
        return status;
    status = find_owners(report, &rows, &owners, err);
    if (report->json)
        print_workers_json(report, &owners);
    else
        print_workers(report, &owners);
    return status; /* without Redis the rest was shown all the same */
}

static enum usher_exit run_workers(const struct program_command *command, struct options *options,
                                   struct usher_error *err)
{
    (void)command;
    return report_run(options, show_workers, err);
}

static const struct option_group *const workers_groups[] = {
    &output_options, &report_options, &postgres_options, &redis_options, &common_options};

const struct program_command workers_command = {
    .name = "workers",
    .arguments = "",
    .help = "Shows the workers that own partitions: where they run, version, uptime.",
    .details = "From the database; host, HTTP address, version and uptime from their heartbeats in "
               "Redis. A worker that stands by is not\nshown. The role usher_reader suffices.\n",
    .example = "workers",
    .table = WORKER_TABLE(workers_groups),
    .others = &worker_options,
    .run = run_workers,
};

/* ==== Dead-letters ==== */

enum {
    SEND_TIMEOUT_MS = 10000
};

static const struct option_spec letter_specs[] = {
    {.name = "resource", .value_name = "ID", .help = "only those that name this resource"},
    {.name = "reason",
     .choices = "malformed|wrong_partition|internal",
     .help = "only those with this reason"},
};

static const struct option_group letter_options = WORKER_GROUP("Which", letter_specs);

/* ---- list ---- */

static const struct report_column letter_columns[] = {
    {"id", "id", REPORT_TEXT, 0},
    {"decided_at", "at", REPORT_INSTANT, 0},
    {"reason", "reason", REPORT_TEXT, 0},
    {"resource", "resource", REPORT_TEXT, 1},
    {"request_id", "request", REPORT_TEXT, 2},
    {"client", "client", REPORT_TEXT, 3},
    {"size", "bytes", REPORT_NUMBER, 4},
    {"detail", "detail", REPORT_PROSE, 0},
};

static const struct listing letter_list = {PG_VIEW_DEAD_LETTERS, letter_columns,
                                           REPORT_COUNT(letter_columns), "no dead letters"};

static enum usher_status list_letters(struct report *report, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {options_text(report->options, "resource"),
                    options_text(report->options, "reason")},
        .limit = options_integer(report->options, "limit"),
    };
    if (report->options->argument_count > 1) {
        usher_error_set(err, USHER_EXIT_USAGE, "list takes no ID: use dead-letters show %s",
                        report->options->arguments[1]);
        return USHER_FATAL;
    }
    return report_list(report, &letter_list, &question, err);
}

/* ---- one of them ---- */

enum {
    LETTER_ID,
    LETTER_OFFSET,
    LETTER_AT,
    LETTER_REASON,
    LETTER_DETAIL,
    LETTER_TRUNCATED,
    LETTER_KEY,
    LETTER_VALUE,
    LETTER_COUNT
};

static const char *const letter_names[LETTER_COUNT] = {
    [LETTER_ID] = "id",         [LETTER_OFFSET] = "source_offset", [LETTER_AT] = "decided_at",
    [LETTER_REASON] = "reason", [LETTER_DETAIL] = "detail",        [LETTER_TRUNCATED] = "truncated",
    [LETTER_KEY] = "key_hex",   [LETTER_VALUE] = "value_hex",
};

/* PARTITION-SEQ, both of digits. */
static bool is_id(const char *id)
{
    size_t partition = strspn(id, "0123456789");
    size_t seq = id[partition] == '-' ? strspn(&id[partition + 1], "0123456789") : 0;
    return partition > 0 && partition < 6 && seq > 0 && seq < 19 && id[partition + 1 + seq] == '\0';
}

/* Reads one by its id; for JSON the whole row. */
static enum usher_status read_letter(struct report *report, const char *id, bool json,
                                     struct pg_view_rows *rows, struct usher_error *err)
{
    const struct pg_view_question question = {.view = PG_VIEW_DEAD_LETTERS,
                                              .filters = {NULL, NULL, id},
                                              .columns = letter_names,
                                              .column_count = json ? 0 : LETTER_COUNT};
    if (!is_id(id)) {
        usher_error_set(err, USHER_EXIT_USAGE, "\"%s\" is no dead letter: PARTITION-SEQ, as 3-17",
                        id);
        return USHER_FATAL;
    }
    enum usher_status status = pg_views_ask(report->views, &question, &report->arena, rows, err);
    if (status == USHER_OK && rows->count == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "there is no dead letter %s", id);
        status = USHER_FATAL;
    }
    return status;
}

static unsigned char digit(char hex)
{
    return (unsigned char)(hex <= '9' ? hex - '0' : hex - 'a' + 10);
}

/* The bytes that hexadecimal digits stand for; NULL where there are none. In the arena. */
static char *bytes_of(const char *hex, size_t *size, struct usher_arena *arena)
{
    *size = hex ? strlen(hex) / 2 : 0;
    if (!hex)
        return NULL;
    char *bytes = usher_arena_alloc(arena, *size + 1);
    for (size_t i = 0; i < *size; i++)
        bytes[i] = (char)(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
    bytes[*size] = '\0';
    return bytes;
}

/* With "?" in place of control characters, as all that others wrote; --json has every byte. */
static void print_bytes(const struct report *report, const char *title, const char *hex,
                        struct usher_arena *arena)
{
    size_t size;
    FILE *out = report->terminal.out;
    const char *bytes = bytes_of(hex, &size, arena);
    fprintf(out, "  %-10s ", title);
    if (bytes)
        terminal_write(out, bytes, size);
    fprintf(out, "%s\n", bytes ? "" : "not known");
}

static void print_letter(struct report *report, const char *const *letter)
{
    FILE *out = report->terminal.out;
    terminal_print(&report->terminal, TERMINAL_STRONG, "%s", letter[LETTER_ID]);
    fprintf(out, "\n  %-10s %s\n", "at", report_instant(letter[LETTER_AT], &report->arena));
    fprintf(out, "  %-10s %s\n", "offset", letter[LETTER_OFFSET]);
    fprintf(out, "  %-10s %s%s", "reason", letter[LETTER_REASON],
            letter[LETTER_DETAIL] ? ": " : "");
    if (letter[LETTER_DETAIL])
        terminal_write(out, letter[LETTER_DETAIL], strlen(letter[LETTER_DETAIL]));
    fprintf(out, "\n");
    print_bytes(report, "key", letter[LETTER_KEY], &report->arena);
    print_bytes(report, "value", letter[LETTER_VALUE], &report->arena);
    if (strcmp(letter[LETTER_TRUNCATED], "true") == 0)
        fprintf(out, "  cut: the record was too large to be kept whole\n");
}

static enum usher_status show_letters(struct report *report, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (size_t i = 1; status == USHER_OK && i < report->options->argument_count; i++) {
        struct pg_view_rows rows;
        status = read_letter(report, report->options->arguments[i], report->json, &rows, err);
        if (status == USHER_OK && report->json)
            fprintf(report->terminal.out, "%s\n", rows.values[0]);
        else if (status == USHER_OK)
            print_letter(report, rows.values);
    }
    return status;
}

/* ---- sent again ---- */

struct letter {
    const char *id;
    bool malformed;
};

/* Statuses of read_letter; that this one cannot be sent is its own result, and no failure. */
static enum usher_status read_resent(struct report *report, struct letter *letter,
                                     struct kafka_resent *record, struct usher_error *err)
{
    struct pg_view_rows rows;
    enum usher_status status = read_letter(report, letter->id, false, &rows, err);
    if (status != USHER_OK && err->exit_code == USHER_EXIT_BAD_INPUT) {
        record->error = *err;
        record->done = true;
        return USHER_OK;
    }
    if (status != USHER_OK)
        return status;
    const char *const *values = rows.values;
    record->key = bytes_of(values[LETTER_KEY], &record->key_size, &report->arena);
    record->value = bytes_of(values[LETTER_VALUE], &record->value_size, &report->arena);
    letter->malformed = strcmp(values[LETTER_REASON], "malformed") == 0;
    bool has_all = record->key && record->value;
    record->done = !has_all || strcmp(values[LETTER_TRUNCATED], "true") == 0;
    if (record->done)
        usher_error_set(&record->error, USHER_EXIT_BAD_INPUT,
                        "it has %s, so the request cannot be sent again",
                        has_all ? "been cut" : "no key or no value");
    return USHER_OK;
}

static void print_result(const struct report *report, const struct letter *letter,
                         const char *error)
{
    FILE *out = report->terminal.out;
    if (report->json) {
        struct usher_buffer line = {0};
        json_text(&line, "{\"id\":", letter->id);
        usher_buffer_text(&line, error ? ",\"sent\":false" : ",\"sent\":true");
        json_text(&line, ",\"error\":", error);
        fprintf(out, "%.*s}\n", (int)line.size, line.at);
        usher_buffer_deinit(&line);
    } else if (error) {
        fprintf(out, "%s not sent: %s\n", letter->id, error);
    } else {
        fprintf(out, "%s sent again%s\n", letter->id,
                letter->malformed ? ", but it is malformed: only another version of usher would "
                                    "answer it differently; its sender can send a corrected one"
                                  : "");
    }
}

/* Says what became of each; FATAL if any was not sent. */
static enum usher_status print_results(const struct report *report, const struct letter *letters,
                                       const struct kafka_resent *records, uint32_t count,
                                       struct usher_error *err)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *error = records[i].error.text[0] != '\0' ? records[i].error.text : NULL;
        print_result(report, &letters[i], error);
        failed += error ? 1 : 0;
    }
    if (failed == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not send %u of %u again", failed, count);
    return USHER_FATAL;
}

/* All are read before any is sent. */
static enum usher_status resend_letters(struct report *report, struct usher_error *err)
{
    uint32_t count = (uint32_t)report->options->argument_count - 1;
    struct letter *letters = usher_arena_alloc(&report->arena, count * sizeof *letters);
    struct kafka_resent *records = usher_arena_alloc(&report->arena, count * sizeof *records);
    int32_t partitions;
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < count; i++) {
        letters[i] = (struct letter){.id = report->options->arguments[i + 1]};
        records[i] = (struct kafka_resent){0};
        status = read_resent(report, &letters[i], &records[i], err);
    }
    if (status == USHER_OK)
        status = report_open_kafka(report, SEND_TIMEOUT_MS, &partitions, err);
    if (status != USHER_OK)
        return status;
    enum usher_status sent = kafka_resend(report->kafka, records, count, SEND_TIMEOUT_MS, err);
    if (sent == USHER_FATAL)
        return sent;
    struct usher_error ignored;
    status = print_results(report, letters, records, count, sent == USHER_OK ? err : &ignored);
    return sent == USHER_OK ? status : sent;
}

/* ---- all ---- */

static const struct {
    const char *name;
    enum usher_status (*run)(struct report *, struct usher_error *);
    bool needs_id;
    const char *takes; /* flags */
} actions[] = {
    {"list", list_letters, false, "resource reason limit" REPORT_FLAGS},
    {"show", show_letters, true, "json time-zone utc"},
    {"resend", resend_letters, true, "json"},
};

static enum usher_status act(struct report *report, struct usher_error *err)
{
    const char *name = report->options->arguments[0];
    size_t i = 0;
    while (i < REPORT_COUNT(actions) && strcmp(actions[i].name, name) != 0)
        i++;
    if (i == REPORT_COUNT(actions)) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "unknown action \"%s\": use dead-letters list, show or resend", name);
        return USHER_FATAL;
    }
    if (actions[i].needs_id && report->options->argument_count == 1) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "an ID is required: dead-letters %s ID; see dead-letters list", name);
        return USHER_FATAL;
    }
    enum usher_status status =
        worker_check_flags(report->options, &dead_letters_command, actions[i].takes, err);
    return status == USHER_OK ? actions[i].run(report, err) : status;
}

static enum usher_exit run_dead_letters(const struct program_command *command,
                                        struct options *options, struct usher_error *err)
{
    (void)command;
    return report_run(options, act, err);
}

static const struct option_group *const dead_letters_groups[] = {
    &letter_options, &report_limit_options, &output_options, &report_options,
    &kafka_options,  &postgres_options,     &common_options};

const struct program_command dead_letters_command = {
    .name = "dead-letters",
    .arguments = "list|show|resend [ID...]",
    .help = "Shows records that could not be processed, and sends them again.",
    .details =
        "list has the latest first, show prints some of them, resend sends them to the topic of "
        "requests\nwith key and value as received, without headers, once the cause is fixed: a "
        "request that was\n"
        "decided since has no effect.\n"
        "resend reports each record, and continues after one that cannot be sent (exit 65).\nThe "
        "role usher_reader suffices.\n",
    .example = "dead-letters show 3-17",
    .table = WORKER_TABLE(dead_letters_groups),
    .others = &worker_options,
    .run = run_dead_letters,
};
