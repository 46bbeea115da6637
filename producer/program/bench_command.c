/* The command that runs the load generator and prints its figures. */

#include "producer/program/bench_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/kafka/kafka_options.h"
#include "producer/program/load.h"
#include "producer/program/load_file.h"
#include "producer/program/request_items.h"
#include "producer/terminal/terminal.h"

static const struct {
    const char *name;
    double quantile;
} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}};

enum {
    QUANTILE_COUNT = sizeof quantiles / sizeof quantiles[0]
};

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static double per_second(const struct load_result *result, int64_t count)
{
    return result->elapsed_ns == 0 ? 0 : (double)count * 1e9 / (double)result->elapsed_ns;
}

static double cpu_us(const struct load_result *result)
{
    return result->cpu_count == 0 ? 0 : (double)result->cpu_ns / 1e3 / (double)result->cpu_count;
}

static double mean(const struct histogram *latency)
{
    return latency->count == 0 ? 0 : (double)latency->sum / (double)latency->count;
}

/* ---- text ---- */

static void print_counts(const struct load_answers *answers)
{
    for (int i = 0; i < USHER_OUTCOME_COUNT; i++) {
        if (answers->outcomes[i] > 0 && i != USHER_HELD)
            printf("%-10s %10" PRId64 "\n",
                   i == 0 ? "unknown" : usher_outcome_name((enum usher_outcome)i),
                   answers->outcomes[i]);
    }
    for (int i = 0; i < USHER_REASON_COUNT; i++) {
        if (answers->reasons[i] > 0)
            printf("  %-20s %" PRId64 "\n",
                   i == 0 ? "unknown" : usher_reason_name((enum usher_reason)i),
                   answers->reasons[i]);
    }
}

static void print_latency(const char *title, const struct histogram *latency)
{
    printf("%s mean %.3f", title, mean(latency) / 1e6);
    for (size_t i = 0; i < QUANTILE_COUNT; i++)
        printf("  %s %.3f", quantiles[i].name,
               ms(histogram_quantile(latency, quantiles[i].quantile)));
    printf("\n");
}

static void print_text(const struct load_result *result)
{
    const struct load_answers *first = &result->first;
    printf("sent       %10" PRId64 "  in %.3f s\n", result->sent, (double)result->elapsed_ns / 1e9);
    printf("answered   %10" PRId64 "  %.0f requests/s\n", first->count,
           per_second(result, first->count));
    if (result->missing > 0)
        printf("missing    %10" PRId64 "\n", result->missing);
    printf("held       %10" PRId64 "  %.0f bookings/s\n", first->outcomes[USHER_HELD],
           per_second(result, first->outcomes[USHER_HELD]));
    print_counts(first);
    print_counts(&result->then);
    print_latency("latency ms ", &first->latency);
    if (result->then.count > 0) {
        print_latency("then ms    ", &result->then.latency);
        print_latency("together ms", &result->whole);
    }
    printf("load generator: %.2f us of CPU per request, sent at most %.3f ms late\n",
           cpu_us(result), ms(result->late_max_ns));
}

/* ---- JSON ---- */

static void print_json_counts(const struct load_answers *answers)
{
    const char *comma = "";
    printf("\"outcomes\":{");
    for (int i = 1; i < USHER_OUTCOME_COUNT; i++) {
        if (answers->outcomes[i] == 0)
            continue;
        printf("%s\"%s\":%" PRId64, comma, usher_outcome_name((enum usher_outcome)i),
               answers->outcomes[i]);
        comma = ",";
    }
    comma = "";
    printf("},\"reasons\":{");
    for (int i = 1; i < USHER_REASON_COUNT; i++) {
        if (answers->reasons[i] == 0)
            continue;
        printf("%s\"%s\":%" PRId64, comma, usher_reason_name((enum usher_reason)i),
               answers->reasons[i]);
        comma = ",";
    }
    printf("}");
}

static void print_json_latency(const char *name, const struct histogram *latency)
{
    printf(",\"%s\":{\"mean\":%.3f", name, mean(latency) / 1e6);
    for (size_t i = 0; i < QUANTILE_COUNT; i++)
        printf(",\"%s\":%.3f", quantiles[i].name,
               ms(histogram_quantile(latency, quantiles[i].quantile)));
    printf("}");
}

static void print_json(const struct load_result *result)
{
    const struct load_answers *first = &result->first;
    printf("{\"sent\":%" PRId64 ",\"answered\":%" PRId64 ",\"missing\":%" PRId64
           ",\"seconds\":%.6f,\"requests_per_s\":%.1f,\"bookings_per_s\":%.1f,",
           result->sent, first->count, result->missing, (double)result->elapsed_ns / 1e9,
           per_second(result, first->count), per_second(result, first->outcomes[USHER_HELD]));
    print_json_counts(first);
    print_json_latency("latency_ms", &first->latency);
    if (result->then.count > 0) {
        printf(",\"then\":{\"answered\":%" PRId64 ",", result->then.count);
        print_json_counts(&result->then);
        print_json_latency("latency_ms", &result->then.latency);
        print_json_latency("together_ms", &result->whole);
        printf("}");
    }
    printf(",\"late_max_ms\":%.3f,\"cpu_us_per_request\":%.3f}\n", ms(result->late_max_ns),
           cpu_us(result));
}

/* ---- the command ---- */

static enum usher_status misuse(const char *text, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "%s", text);
    return USHER_FATAL;
}

/* The same items for each resource. */
static const struct usher_request *
make_requests(struct options *options, const struct usher_item *items, uint32_t item_count)
{
    struct usher_request *requests =
        usher_arena_alloc(&options->arena, options->argument_count * sizeof *requests);
    for (size_t i = 0; i < options->argument_count; i++)
        requests[i] = (struct usher_request){
            .op = USHER_OP_HOLD,
            .resource = options->arguments[i],
            .items = items,
            .item_count = item_count,
        };
    return requests;
}

static enum usher_status read_requests(struct options *options, struct load_settings *settings,
                                       struct usher_error *err)
{
    const char *path = options_text(options, "requests");
    const struct usher_item *items;
    uint32_t item_count;
    enum usher_status status = request_items(options, &items, &item_count, err);
    if (status != USHER_OK)
        return status;
    if (path && (options->argument_count > 0 || item_count > 0))
        return misuse("--requests cannot be combined with RESOURCE or items", err);
    if (path)
        return load_file_read(path, &options->arena, &settings->requests, &settings->request_count,
                              err);
    if (options->argument_count == 0)
        return misuse("give a RESOURCE or --requests", err);
    if (item_count == 0)
        return misuse("give an item, such as --section NAME", err);
    settings->requests = make_requests(options, items, item_count);
    settings->request_count = options->argument_count;
    return USHER_OK;
}

static enum usher_status read_settings(struct options *options, struct load_settings *settings,
                                       struct usher_error *err)
{
    const char *then = options_text(options, "then");
    enum usher_status status = kafka_settings_read(options, &settings->kafka, err);
    if (status == USHER_OK)
        status = read_requests(options, settings, err);
    if (status == USHER_OK && options_has(options, "count") && options_has(options, "seconds"))
        status = misuse("give either --count or --seconds", err);
    if (then)
        settings->then = usher_op_named(then);
    return status;
}

/*
 * As many upstream services would send: at once under light load, gathered for a moment under heavy
 * load, so that the generator leaves the processors to what it measures. -X linger.ms= wins.
 */
static void add_linger(struct options *options, struct load_settings *settings)
{
    struct usher_kafka_settings *kafka = &settings->kafka;
    struct usher_property *properties =
        usher_arena_alloc(&options->arena, (kafka->property_count + 1) * sizeof *properties);
    bool light = settings->rate > 0 && settings->rate <= 2000;
    properties[0].name = "linger.ms";
    properties[0].value = light ? "0" : settings->rate > 0 ? "3" : "5";
    for (size_t i = 0; i < kafka->property_count; i++)
        properties[i + 1] = kafka->properties[i];
    kafka->properties = properties;
    kafka->property_count++;
}

static enum usher_status open_answers(const struct options *options, FILE **answers,
                                      struct usher_error *err)
{
    const char *path = options_text(options, "answers");
    *answers = path ? fopen(path, "we") : NULL;
    if (!path || *answers)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "could not write \"%s\": %s", path, strerror(errno));
    return USHER_FATAL;
}

/* Figures of refusals alone look much like those of bookings. */
static void warn_of_nothing(const struct load_result *result)
{
    int64_t refused = result->first.outcomes[USHER_REFUSED];
    if (refused > 0 && refused == result->first.count)
        terminal_complain("usher-producer", "warning: every request of the measurement was "
                                            "refused; sold out during the warm-up? (--warmup)");
}

static enum usher_exit verdict(const struct load_result *result, struct usher_error *err)
{
    if (result->missing == 0)
        return USHER_EXIT_DONE;
    usher_error_set(err, USHER_EXIT_NO_ANSWER, "%" PRId64 " request%s had no answer in time",
                    result->missing, PLURAL(result->missing));
    return USHER_EXIT_NO_ANSWER;
}

enum usher_exit bench_command(const struct command *command, struct options *options,
                              struct usher_error *err)
{
    static struct load_result result;
    struct load_settings settings = {
        .rate = options_integer(options, "rate"),
        .in_flight_max = options_integer(options, "in-flight"),
        .count = options_integer(options, "count"),
        .duration_ms =
            1000 * (options_has(options, "seconds") ? options_integer(options, "seconds") : 10),
        .warmup_ms = options_integer(options, "warmup"),
        .wait_ms = options_integer(options, "wait"),
    };
    (void)command;
    enum usher_status status = read_settings(options, &settings, err);
    if (status == USHER_OK)
        status = open_answers(options, &settings.answers, err);
    add_linger(options, &settings);
    if (status == USHER_OK)
        status = load_run(&settings, &result, err);
    if (settings.answers && fclose(settings.answers) != 0 && status == USHER_OK) {
        usher_error_set(err, USHER_EXIT_OUTPUT, "could not write the answers: %s", strerror(errno));
        status = USHER_FATAL;
    }
    if (status != USHER_OK)
        return err->exit_code;
    if (options_bool(options, "json"))
        print_json(&result);
    else
        print_text(&result);
    warn_of_nothing(&result);
    return verdict(&result, err);
}
