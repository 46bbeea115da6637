/*
 * The load generator of the bench and the tests: `load FILE` sends the requests of FILE in turn,
 * with new ids and customers, at a fixed rate or as fast as they are answered, and prints the
 * figures as JSON. Of libusher and nothing of the worker: a service like any other.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "load_requests.h"
#include "load_run.h"
#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/kafka/kafka_options.h"

/* ==== Options ==== */

static const struct option_spec load_specs[] = {
    {.name = "then",
     .choices = "confirm|release",
     .help = "what to do with each hold once it is answered (default: nothing)"},
    {.name = "rate",
     .type = OPTION_INTEGER,
     .fallback = "1000",
     .min = 0,
     .max = 1000000,
     .help = "requests per second, sent on schedule whatever is answered; 0: full load"},
    {.name = "in-flight",
     .type = OPTION_INTEGER,
     .fallback = "5000",
     .min = 1,
     .max = 100000,
     .help = "at full load: requests under way"},
    {.name = "count",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 100000000,
     .help = "requests to measure"},
    {.name = "seconds",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 3600,
     .help = "instead of --count: how long to measure (default: 10)"},
    {.name = "warmup",
     .type = OPTION_DURATION_MS,
     .fallback = "1s",
     .min = 0,
     .max = 600000,
     .help = "load before the measurement"},
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .fallback = "10s",
     .min = 1,
     .max = 600000,
     .help = "for the last answers"},
    {.name = "answers", .value_name = "FILE", .help = "keep all answers here, as JSON lines"},
};

static const struct option_group load_options = {"Load", load_specs,
                                                 sizeof load_specs / sizeof *load_specs};

static const struct option_group *const groups[] = {&load_options, &kafka_options, &common_options};

static const struct option_table table = {groups, sizeof groups / sizeof *groups};

static enum usher_status misuse(const char *text, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "%s", text);
    return USHER_FATAL;
}

static enum usher_status read_settings(struct options *options, struct load_settings *settings,
                                       struct usher_error *err)
{
    const char *then = options_text(options, "then");
    if (options->argument_count != 1)
        return misuse("usage: load FILE [FLAGS]", err);
    if (options_has(options, "count") && options_has(options, "seconds"))
        return misuse("give either --count or --seconds", err);
    if (then)
        settings->then = usher_op_named(then);
    enum usher_status status = kafka_settings_read(options, &settings->kafka, err);
    return status == USHER_OK
               ? load_requests_read(options->arguments[0], &options->arena, &settings->requests,
                                    &settings->request_count, err)
               : status;
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

/* ==== Figures ==== */

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

static void print_counts(const struct load_answers *answers)
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

/* Times in ms since the epoch, as those of Kafka and PostgreSQL. */
static void print_slowest(const struct load_result *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t epoch_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - clock_ns();
    printf(",\"slowest\":[");
    for (int i = 0; i < result->slow_count; i++) {
        const struct load_slow *slow = &result->slowest[i];
        printf("%s{\"partition\":%" PRId32 ",\"seq\":%" PRId64
               ",\"sent\":%.3f,\"published\":%" PRId64 ",\"answered\":%.3f}",
               i > 0 ? "," : "", slow->partition, slow->seq, ms(epoch_ns + slow->begun_ns),
               slow->published_ms, ms(epoch_ns + slow->answered_ns));
    }
    printf("]");
}

static void print_result(const struct load_result *result)
{
    const struct load_answers *first = &result->first;
    printf("{\"sent\":%" PRId64 ",\"answered\":%" PRId64 ",\"missing\":%" PRId64
           ",\"seconds\":%.6f,\"requests_per_s\":%.1f,\"bookings_per_s\":%.1f,",
           result->sent, first->count, result->missing, (double)result->elapsed_ns / 1e9,
           per_second(result, first->count), per_second(result, first->outcomes[USHER_HELD]));
    print_counts(first);
    histogram_print_ms(&first->latency, "latency_ms");
    print_slowest(result);
    if (result->then.count > 0) {
        printf(",\"then\":{\"answered\":%" PRId64 ",", result->then.count);
        print_counts(&result->then);
        histogram_print_ms(&result->then.latency, "latency_ms");
        histogram_print_ms(&result->whole, "together_ms");
        printf("}");
    }
    printf(",\"late_max_ms\":%.3f,\"cpu_us_per_request\":%.3f}\n", ms(result->late_max_ns),
           cpu_us(result));
}

/* ==== Main ==== */

/* Figures of refusals alone look much like those of bookings. */
static void warn_of_nothing(const struct load_result *result)
{
    int64_t refused = result->first.outcomes[USHER_REFUSED];
    if (refused > 0 && refused == result->first.count)
        fprintf(stderr, "load: every request of the measurement was refused; sold out during the "
                        "warm-up? (--warmup)\n");
}

static enum usher_exit verdict(const struct load_result *result, struct usher_error *err)
{
    if (result->missing == 0)
        return USHER_EXIT_DONE;
    usher_error_set(err, USHER_EXIT_NO_ANSWER, "%" PRId64 " request%s had no answer in time",
                    result->missing, PLURAL(result->missing));
    return USHER_EXIT_NO_ANSWER;
}

static enum usher_exit measure(struct options *options, struct usher_error *err)
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
    enum usher_status status = read_settings(options, &settings, err);
    if (status == USHER_OK)
        status = open_answers(options, &settings.answers, err);
    if (status == USHER_OK)
        status = load_run(&settings, &result, err);
    if (settings.answers && fclose(settings.answers) != 0 && status == USHER_OK) {
        usher_error_set(err, USHER_EXIT_OUTPUT, "could not write the answers: %s", strerror(errno));
        status = USHER_FATAL;
    }
    if (status != USHER_OK)
        return err->exit_code;
    print_result(&result);
    warn_of_nothing(&result);
    return verdict(&result, err);
}

int main(int argc, char **argv)
{
    struct options options;
    struct usher_error err = {.text = ""};
    enum usher_exit exit_code = USHER_EXIT_DONE;
    if (options_load(&options, &table, argc, argv, &err) != USHER_OK) {
        exit_code = err.exit_code;
    } else if (options.mode != OPTIONS_RUN) {
        printf(
            "usage: load FILE [FLAGS]\n\n"
            "Sends the holds and books of FILE, JSON lines, in turn, and times their answers.\n");
        options_print_help(&table, stdout);
    } else {
        options_apply_log(&options);
        exit_code = measure(&options, &err);
    }
    if (exit_code != USHER_EXIT_DONE)
        fprintf(stderr, "load: %s\n", err.text);
    options_deinit(&options);
    return (int)exit_code;
}
