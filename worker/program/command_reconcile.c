/*
 * `usher-worker reconcile` and `rebuild-cache`: PostgreSQL against itself and against Redis; and
 * what checks find, a line each.
 */
#include "worker/program/command_reconcile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/json_member.h"
#include "producer/base/plural.h"
#include "producer/kafka/kafka_options.h"
#include "usher/memory.h"
#include "worker/kafka/kafka_base.h"
#include "worker/program/worker_options.h"
#include "worker/reconcile/rebuild.h"
#include "worker/reconcile/reconcile.h"

/* ==== Commands ==== */

enum {
    KAFKA_CLOSE_MS = 5000
};

/* Flags only: nothing is healed by default. */
static const struct option_spec reconcile_specs[] = {
    {.name = "decisions",
     .type = OPTION_INTEGER,
     .fallback = "1000000",
     .value_name = "N",
     .min = 0,
     .max = 1000000000000,
     .help = "compare the last N decisions of each partition with the requests in Kafka; 0: none"},
    {.name = "heal",
     .type = OPTION_BOOL,
     .help = "rewrite wrong keys in Redis; PostgreSQL is never changed"},
    {.name = "json",
     .type = OPTION_BOOL,
     .help = "print JSON: a line for each finding, and the verdict"},
};

static const struct option_group reconcile_options = WORKER_GROUP("Reconcile", reconcile_specs);

/* ---- reconcile, for people ---- */

static void print_finding(void *context, const struct reconcile_finding *finding)
{
    static const char *const words[] = {[RECONCILE_DIFFERENCE] = "",
                                        [RECONCILE_REPAIRED] = "repaired: ",
                                        [RECONCILE_NOTE] = "note: "};
    (void)context;
    printf("%s%s%s", words[finding->kind], finding->resource ? finding->resource : "",
           finding->resource ? ": " : "");
    terminal_write(stdout, finding->text, strlen(finding->text));
    putchar('\n');
}

static int64_t free_units(const struct reconcile_sums *sums)
{
    return sums->total - sums->held - sums->sold - sums->blocked;
}

static void print_verdict(const struct reconcile_verdict *verdict, bool redis)
{
    const struct reconcile_sums *sums = &verdict->sums;
    printf("reconciled %" PRIu64 " resource%s, %" PRId64 " unit%s (%" PRId64 " free, %" PRId64
           " held, %" PRId64 " sold, %" PRId64 " blocked)%s: ",
           verdict->resources, PLURAL(verdict->resources), sums->total, PLURAL(sums->total),
           free_units(sums), sums->held, sums->sold, sums->blocked,
           !redis ? " in PostgreSQL alone" : "");
    if (verdict->differences == 0)
        printf("no differences");
    else
        printf("%" PRIu64 " difference%s", verdict->differences, PLURAL(verdict->differences));
    if (verdict->repaired > 0)
        printf(", %" PRIu64 " repaired", verdict->repaired);
    if (verdict->notes > 0)
        printf(", %" PRIu64 " note%s", verdict->notes, PLURAL(verdict->notes));
    if (verdict->changing > 0)
        printf(", %" PRIu64 " change%s too fast to be compared, and Redis follows",
               verdict->changing, verdict->changing == 1 ? "s" : "");
    printf("\n");
}

/* ---- reconcile, for programs ---- */

static void print_finding_json(void *context, const struct reconcile_finding *finding)
{
    static const char *const names[] = {[RECONCILE_DIFFERENCE] = "difference",
                                        [RECONCILE_REPAIRED] = "repaired",
                                        [RECONCILE_NOTE] = "note"};
    struct usher_buffer json = {0};
    (void)context;
    json_text(&json, "{\"result\":", names[finding->kind]);
    json_text(&json, ",\"resource\":", finding->resource);
    json_text(&json, ",\"text\":", finding->text);
    printf("%.*s}\n", (int)json.size, json.at);
    usher_buffer_deinit(&json);
}

static void print_verdict_json(const struct reconcile_verdict *verdict, bool redis)
{
    const struct reconcile_sums *sums = &verdict->sums;
    printf("{\"result\":\"verdict\",\"resources\":%" PRIu64 ",\"units\":%" PRId64
           ",\"free\":%" PRId64 ",\"held\":%" PRId64 ",\"sold\":%" PRId64 ",\"blocked\":%" PRId64,
           verdict->resources, sums->total, free_units(sums), sums->held, sums->sold,
           sums->blocked);
    printf(",\"differences\":%" PRIu64 ",\"repaired\":%" PRIu64 ",\"notes\":%" PRIu64
           ",\"changing\":%" PRIu64 ",\"redis\":%s}\n",
           verdict->differences, verdict->repaired, verdict->notes, verdict->changing,
           redis ? "true" : "false");
}

/* ---- reconcile ---- */

static enum usher_status prove(const struct options *options,
                               const struct worker_settings *settings, struct kafka_base *kafka,
                               struct usher_error *err)
{
    bool json = options_bool(options, "json");
    struct reconcile_verdict verdict;
    const struct reconcile_settings reconcile = {
        .postgres = &settings->postgres,
        .redis = &settings->redis,
        .kafka = kafka,
        .decisions = options_integer(options, "decisions"),
        .repair = options_bool(options, "heal"),
        .report = json ? print_finding_json : print_finding,
    };
    enum usher_status status = reconcile_run(&reconcile, &verdict, err);
    if (status != USHER_FATAL)
        (json ? print_verdict_json : print_verdict)(&verdict, settings->redis.uri);
    fflush(stdout);
    return status;
}

static enum usher_status prove_with_kafka(const struct options *options,
                                          const struct worker_settings *settings,
                                          struct usher_error *err)
{
    struct usher_error ignored;
    struct kafka_base *kafka = NULL;
    const struct kafka_base_settings base = {.kafka = &settings->kafka, .committed = true};
    enum usher_status status = USHER_OK;
    if (options_integer(options, "decisions") > 0)
        status = kafka_base_open(&base, &kafka, err);
    if (status == USHER_OK)
        status = prove(options, settings, kafka, err);
    /* A handle that hangs after a broker's restart must not keep the process alive. */
    if (kafka_base_close(kafka, KAFKA_CLOSE_MS, &ignored) != USHER_OK)
        _exit((int)worker_end(status, err));
    return status;
}

static enum usher_exit run_reconcile(const struct program_command *command, struct options *options,
                                     struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    enum usher_status status = worker_settings_read(options, &settings, err);
    if (status == USHER_OK)
        status = prove_with_kafka(options, &settings, err);
    return worker_end(status, err);
}

static const struct option_group *const reconcile_groups[] = {
    &reconcile_options, &kafka_options, &postgres_options, &redis_options, &common_options};

const struct program_command reconcile_command = {
    .name = "reconcile",
    .arguments = "",
    .help = "Verifies that PostgreSQL is consistent, that all requests are decided, and that Redis "
            "agrees with PostgreSQL.",
    .details = "Prints the differences, and ends with exit code 4 where there is one. Workers may "
               "go on meanwhile.\nIt compares the requests that Kafka still has; without Kafka it "
               "says so, and verifies the\nrest.\n",
    .example = "reconcile --heal",
    .table = WORKER_TABLE(reconcile_groups),
    .others = &worker_options,
    .run = run_reconcile,
};

/* ---- rebuild-cache ---- */

static enum usher_status rebuild(const struct worker_settings *settings, struct usher_error *err)
{
    const struct rebuild_settings rebuild = {
        .postgres = &settings->postgres,
        .redis = &settings->redis,
        .out = stdout,
    };
    if (!settings->redis.uri) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not rebuild the cache: USHER_REDIS is empty");
        return USHER_FATAL;
    }
    return rebuild_run(&rebuild, err);
}

static enum usher_exit run_rebuild_cache(const struct program_command *command,
                                         struct options *options, struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    enum usher_status status = worker_settings_read(options, &settings, err);
    if (status == USHER_OK)
        status = rebuild(&settings, err);
    return worker_end(status, err);
}

static const struct option_group *const rebuild_cache_groups[] = {&postgres_options, &redis_options,
                                                                  &common_options};

const struct program_command rebuild_cache_command = {
    .name = "rebuild-cache",
    .arguments = "",
    .help = "Deletes the keys of usher in Redis and writes them again from PostgreSQL.",
    .details =
        "Workers may go on meanwhile; readers see nothing of a resource until it is written.\n",
    .example = "rebuild-cache",
    .table = WORKER_TABLE(rebuild_cache_groups),
    .others = &worker_options,
    .run = run_rebuild_cache,
};

/* ==== Findings ==== */

static const struct {
    const char *word, *name; /* for people; in JSON */
    enum terminal_colour colour;
} levels[] = {
    [FINDING_GOOD] = {"ok", "ok", TERMINAL_GOOD},
    [FINDING_NOTE] = {"note", "note", TERMINAL_WARNING},
    [FINDING_WARNING] = {"warning", "warning", TERMINAL_WARNING},
    [FINDING_WRONG] = {"FAIL", "fail", TERMINAL_BAD},
};

static void print_json(const struct findings_printer *printer, enum finding_level level,
                       const char *text)
{
    struct usher_buffer json = {0};
    json_text(&json, "{\"result\":", levels[level].name);
    json_text(&json, ",\"text\":", text);
    usher_buffer_text(&json, "}\n");
    fwrite(json.at, 1, json.size, printer->terminal.out);
    usher_buffer_deinit(&json);
}

static void print(void *context, enum finding_level level, const char *text)
{
    const struct findings_printer *printer = context;
    if (printer->json) {
        print_json(printer, level, text);
        return;
    }
    terminal_print(&printer->terminal, levels[level].colour, "%s ", levels[level].word);
    terminal_write(printer->terminal.out, text, strlen(text));
    fputc('\n', printer->terminal.out);
}

struct findings_printer findings_printer_of(const struct options *options)
{
    return (struct findings_printer){
        .terminal = terminal_of(stdout, options),
        .json = options_bool(options, "json"),
    };
}

struct findings findings_to(struct findings_printer *printer)
{
    return (struct findings){.context = printer, .report = print};
}
