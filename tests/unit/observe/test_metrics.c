/* The metrics: names of the contract, sums over partitions, histograms, what is left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/log.h"
#include "tests/unit/unit.h"
#include "worker/observe/metrics_render.h"

static char *text_of(struct metrics_registry *registry)
{
    struct usher_buffer out = {0};
    metrics_render(registry, &out);
    char *text = strndup(out.at, out.size);
    usher_buffer_deinit(&out);
    return text;
}

/* Whether the text has exactly this line. */
static bool has_line(const char *text, const char *line)
{
    size_t size = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if ((at == text || at[-1] == '\n') && at[size] == '\n')
            return true;
    return false;
}

static void assert_lines(struct metrics_registry *registry, const char *const *lines, size_t count)
{
    char *text = text_of(registry);
    for (size_t i = 0; i < count; i++)
        if (!has_line(text, lines[i]))
            fail_msg("no line \"%s\" in\n%s", lines[i], text);
    free(text);
}

#define ASSERT_LINES(registry, ...)                                  \
    do {                                                             \
        static const char *const lines[] = {__VA_ARGS__};            \
        assert_lines(registry, lines, sizeof lines / sizeof *lines); \
    } while (0)

static void counters_are_summed_over_partitions(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    struct metrics *two = metrics_of(registry, 2);
    struct metrics *zero = metrics_of(registry, 0);
    assert_ptr_equal(metrics_of(registry, 2), two);
    metrics_decision(two, USHER_OP_HOLD, USHER_HELD, USHER_REASON_NONE);
    metrics_decision(zero, USHER_OP_HOLD, USHER_HELD, USHER_REASON_NONE);
    metrics_decision(zero, USHER_OP_HOLD, USHER_REFUSED, USHER_UNIT_TAKEN);
    metrics_decision(zero, USHER_OP_NONE, USHER_INVALID, USHER_MALFORMED);
    metrics_repeat(two, USHER_OP_HOLD);
    metrics_unrequested(zero, USHER_EXPIRED);
    metrics_unrequested(two, USHER_EXPIRED);
    metrics_unrequested(two, USHER_HELD);
    metrics_add(&zero->usher_dead_letters_total[USHER_MALFORMED], 1);
    metrics_add(&zero->usher_request_bytes_total, 300);
    metrics_add(&two->usher_request_bytes_total, 1000);
    metrics_add(&two->usher_unreadable_requests_total, 3);
    metrics_add(&zero->usher_offsets_unchecked_total, 7);
    metrics_add(&two->usher_offsets_unchecked_total, 2);
    metrics_add(&two->usher_offsets_unexplained_total, 4);
    metrics_add(&two->usher_offsets_unexplained_total, 1);
    metrics_add(&two->usher_results_published_total, 40);
    metrics_add(&two->usher_results_published_total, 2);
    metrics_add(&zero->usher_results_published_total, 1);
    metrics_set(&two->usher_outbox_pending_results, 3);
    metrics_set(&two->usher_outbox_pending_results, 1);
    metrics_set(&zero->usher_outbox_pending_results, 4);
    ASSERT_LINES(registry, "usher_requests_total{op=\"hold\",outcome=\"held\"} 2",
                 "usher_requests_total{op=\"hold\",outcome=\"refused\"} 1",
                 "usher_requests_total{op=\"hold\",outcome=\"repeated\"} 1",
                 "usher_requests_total{op=\"none\",outcome=\"invalid\"} 1",
                 "usher_unrequested_total{outcome=\"expired\"} 2",
                 "usher_unrequested_total{outcome=\"held\"} 1",
                 "usher_unrequested_total{outcome=\"cancelled\"} 0",
                 "usher_refusals_total{reason=\"unit_taken\"} 1",
                 "usher_refusals_total{reason=\"malformed\"} 1",
                 "usher_dead_letters_total{reason=\"malformed\"} 1",
                 "usher_dead_letters_total{reason=\"internal\"} 0",
                 "usher_request_bytes_total 1300", "usher_unreadable_requests_total 3",
                 "usher_offsets_unexplained_total{partition=\"0\"} 0",
                 "usher_offsets_unexplained_total{partition=\"2\"} 5",
                 "usher_offsets_unchecked_total 9", "usher_holds_expired_total 2",
                 "usher_results_published_total 43", "usher_outbox_pending_results 5");
    metrics_close(registry);
}

/* Only holds are counted as expired: parties leave, and blocks are released. None of it is a
 * request. */
static void only_holds_expire(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    struct metrics *one = metrics_of(registry, 1);
    metrics_unrequested(one, USHER_EXPIRED);
    metrics_unrequested(one, USHER_LEFT);
    metrics_unrequested(one, USHER_RELEASED);
    metrics_unrequested(one, USHER_HELD);
    ASSERT_LINES(registry, "usher_holds_expired_total 1",
                 "usher_unrequested_total{outcome=\"expired\"} 1",
                 "usher_unrequested_total{outcome=\"left\"} 1",
                 "usher_unrequested_total{outcome=\"released\"} 1",
                 "usher_unrequested_total{outcome=\"held\"} 1");
    char *text = text_of(registry);
    assert_null(strstr(text, "usher_requests_total{"));
    free(text);
    metrics_close(registry);
}

/* Each pair and each reason is counted separately, also the first and the last. */
static void every_operation_outcome_and_reason_has_its_line(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    struct metrics *one = metrics_of(registry, 1);
    for (int op = USHER_OP_NONE; op < USHER_OP_COUNT; op++)
        for (int outcome = 1; outcome < USHER_OUTCOME_COUNT; outcome++)
            metrics_decision(one, (enum usher_op)op, (enum usher_outcome)outcome,
                             USHER_REASON_NONE);
    for (int reason = 1; reason < USHER_REASON_COUNT; reason++)
        metrics_decision(one, USHER_OP_UNBLOCK, USHER_REFUSED, (enum usher_reason)reason);
    char *text = text_of(registry);
    char line[100];
    for (int op = USHER_OP_NONE; op < USHER_OP_COUNT; op++) {
        for (int outcome = 1; outcome < USHER_OUTCOME_COUNT; outcome++) {
            bool all = op == USHER_OP_UNBLOCK && outcome == USHER_REFUSED;
            const char *name = usher_op_name((enum usher_op)op);
            snprintf(line, sizeof line, "usher_requests_total{op=\"%s\",outcome=\"%s\"} %d",
                     !name ? "none" : name, usher_outcome_name((enum usher_outcome)outcome),
                     all ? USHER_REASON_COUNT : 1);
            assert_true(has_line(text, line));
        }
    }
    for (int reason = 1; reason < USHER_REASON_COUNT; reason++) {
        snprintf(line, sizeof line, "usher_refusals_total{reason=\"%s\"} 1",
                 usher_reason_name((enum usher_reason)reason));
        assert_true(has_line(text, line));
    }
    free(text);
    metrics_close(registry);
}

static void a_histogram_is_cumulative(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    struct metrics *zero = metrics_of(registry, 0);
    struct metrics *one = metrics_of(registry, 1);
    metrics_observe(&zero->usher_request_latency_seconds, 0);
    metrics_observe(&zero->usher_request_latency_seconds, 1);
    metrics_observe(&one->usher_request_latency_seconds, 2);
    metrics_observe(&one->usher_request_latency_seconds, 99000);
    metrics_observe(&one->usher_request_wait_seconds, 3);
    metrics_observe(&one->usher_batch_requests, 7);
    metrics_observe(&one->usher_batch_load_seconds, 0);
    metrics_observe(&one->usher_batch_commit_seconds, 1500);
    metrics_observe(&one->usher_recovery_seconds, 60000);
    ASSERT_LINES(
        registry, "# TYPE usher_request_latency_seconds histogram",
        "usher_request_latency_seconds_bucket{le=\"0.001\"} 2",
        "usher_request_latency_seconds_bucket{le=\"0.002\"} 3",
        "usher_request_latency_seconds_bucket{le=\"30\"} 3",
        "usher_request_latency_seconds_bucket{le=\"+Inf\"} 4",
        "usher_request_latency_seconds_count 4", "usher_request_latency_seconds_sum 99.003",
        "usher_request_wait_seconds_bucket{le=\"0.004\"} 1",
        "usher_batch_load_seconds_bucket{le=\"0.0001\"} 1",
        "usher_batch_requests_bucket{le=\"5\"} 0", "usher_batch_requests_bucket{le=\"10\"} 1",
        "usher_batch_requests_sum 7", "usher_batch_commit_seconds_bucket{le=\"0.002\"} 1",
        "usher_recovery_seconds_bucket{le=\"0.1\"} 1");
    metrics_close(registry);
}

static void a_partition_that_left_shows_only_that(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    struct metrics *five = metrics_of(registry, 5);
    metrics_assigned(five, true);
    metrics_set(&five->usher_partition_epoch, 3);
    metrics_set(&five->usher_partition_committed_offset, 1200);
    metrics_set(&five->usher_partition_lag_messages, 17);
    metrics_set(&five->usher_partition_oldest_pending_timestamp_seconds.ms, 1766275200250);
    metrics_set(&five->usher_partition_retries, 4);
    metrics_set(&five->usher_partition_open_transaction_seconds.ms, 12500);
    metrics_set(&five->usher_partition_append_ahead_seconds.ms, -1250);
    metrics_set(&five->usher_partition_clock_ahead_seconds.ms, 86400250);
    metrics_add(&five->usher_partition_acquisitions_total, 1);
    metrics_add(&five->usher_partition_acquisitions_total, 1);
    metrics_set(&five->usher_holds_open, 7);
    metrics_set(&five->usher_parties_waiting, INT64_MIN / 2);
    metrics_set(&registry->usher_partitions, 12);
    metrics_set(&registry->usher_carts_mixed, 2);
    metrics_shard(registry, 5, "north");
    metrics_shard(registry, 6, "south"); /* whoever has it */
    ASSERT_LINES(registry, "usher_carts_mixed 2",
                 "usher_partition_shard{partition=\"5\",shard=\"north\"} 1");
    ASSERT_LINES(registry, "usher_partition_open_transaction_seconds{partition=\"5\"} 12.500",
                 "usher_partition_append_ahead_seconds{partition=\"5\"} -1.250",
                 "usher_partition_clock_ahead_seconds{partition=\"5\"} 86400.250");
    ASSERT_LINES(registry, "usher_partition_assigned{partition=\"5\"} 1",
                 "usher_partition_epoch{partition=\"5\"} 3",
                 "usher_partition_committed_offset{partition=\"5\"} 1200",
                 "usher_partition_retries{partition=\"5\"} 4",
                 "usher_holds_open{partition=\"5\"} 7", "usher_partitions 12",
                 "usher_partition_lag_messages{partition=\"5\"} 17");
    ASSERT_LINES(
        registry,
        "usher_partition_oldest_pending_timestamp_seconds{partition=\"5\"} 1766275200.250");
    char *assigned = text_of(registry);
    assert_null(strstr(assigned, "usher_parties_waiting{")); /* unknown */
    free(assigned);
    metrics_assigned(five, false);
    ASSERT_LINES(registry, "usher_partition_assigned{partition=\"5\"} 0",
                 "usher_partition_acquisitions_total{partition=\"5\"} 2");
    char *text = text_of(registry);
    assert_null(strstr(text, "usher_partition_epoch{"));
    assert_null(strstr(text, "usher_holds_open{"));
    assert_null(strstr(text, "usher_units{"));
    free(text);
    metrics_close(registry);
}

static void what_is_kept_and_evicted_is_shown(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    struct metrics *one = metrics_of(registry, 1);
    metrics_assigned(one, true);
    metrics_keep(one, &(struct metrics_kept){
                          .resources = 3,
                          .bookings = 40,
                          .ids = 500,
                          .units = 6000,
                          .bytes = 70000,
                          .by_state = {[METRICS_UNITS_FREE] = 5, [METRICS_UNITS_BLOCKED] = 8}});
    metrics_add(&one->usher_memory_evicted_total[METRICS_IDS], 8);
    metrics_add(&metrics_of(registry, 2)->usher_memory_evicted_total[METRICS_IDS], 1);
    metrics_set(&registry->usher_memory_max_bytes, 1000);
    metrics_set(&registry->usher_memory_free_bytes, -200);
    metrics_set(&registry->usher_memory_tight, true);
    ASSERT_LINES(
        registry, "usher_units{partition=\"1\",state=\"free\"} 5",
        "usher_units{partition=\"1\",state=\"sold\"} 0",
        "usher_units{partition=\"1\",state=\"blocked\"} 8",
        "usher_memory_resources{partition=\"1\"} 3", "usher_memory_bookings{partition=\"1\"} 40",
        "usher_memory_request_ids{partition=\"1\"} 500", "usher_memory_units{partition=\"1\"} 6000",
        "usher_memory_kept_bytes{partition=\"1\"} 70000",
        "usher_memory_evicted_total{kind=\"request_ids\"} 9",
        "usher_memory_evicted_total{kind=\"bookings\"} 0", "usher_memory_max_bytes 1000",
        "usher_memory_free_bytes -200", "usher_memory_tight 1");
    metrics_close(registry);
}

static void the_process_shows_itself(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    char *text = text_of(registry);
    assert_null(strstr(text, "usher_dependency_up{"));
    const char *start = strstr(text, "\nprocess_start_time_seconds ");
    assert_non_null(start);
    double started = strtod(start + 28, NULL);
    assert_true(started > 1.6e9);
    /* Two clocks read one after the other differ a little at each scrape: this is none of them. */
    assert_true(fabs(started * 100 - round(started * 100)) < 0.01);
    const char *memory = strstr(text, "\nprocess_resident_memory_bytes ");
    assert_non_null(memory);
    assert_true(strtod(memory + 31, NULL) > 100000);
    assert_non_null(strstr(text, "\nprocess_virtual_memory_bytes "));
    free(text);
    metrics_dependency(registry, METRICS_REDIS, false);
    metrics_dependency(registry, METRICS_KAFKA, true);
    metrics_cache_write(registry, METRICS_CACHE_GAP);
    metrics_add(&metrics_of(registry, 1)->usher_fenced_total, 1);
    metrics_add(&metrics_of(registry, 2)->usher_fenced_total, 1);
    ASSERT_LINES(registry, "usher_dependency_up{dependency=\"redis\"} 0",
                 "usher_dependency_up{dependency=\"kafka\"} 1",
                 "usher_cache_writes_total{result=\"gap\"} 1",
                 "usher_cache_writes_total{result=\"written\"} 0", "usher_fenced_total 2");
    metrics_dependency(registry, METRICS_REDIS, true);
    metrics_dependency(registry, METRICS_REDIS, true);
    log_set_level(LOG_LEVEL_ERROR);
    log_debug(NULL, "is not written");
    ASSERT_LINES(registry, "usher_dependency_reconnects_total{dependency=\"redis\"} 1",
                 "usher_dependency_reconnects_total{dependency=\"kafka\"} 0",
                 "usher_log_lines_total{level=\"debug\"} 0",
                 "usher_log_lines_total{level=\"error\"} 0");
    ASSERT_LINES(registry, "usher_build_info{version=\"" USHER_VERSION "\"} 1");
    metrics_close(registry);
}

/* Whoever reads a name knows how to ask for it: counters, and no others, end in _total. */
static void every_metric_is_named_after_its_kind(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    char *text = text_of(registry);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "# TYPE ")); at++, count++) {
        char name[128];
        char kind[16];
        char head[128 + sizeof "# TYPE  "];
        assert_int_equal(sscanf(at, "# TYPE %127s %15s", name, kind), 2);
        size_t size = strlen(name);
        bool is_total = size > 6 && strcmp(name + size - 6, "_total") == 0;
        if (is_total != (strcmp(kind, "counter") == 0))
            fail_msg("%s is a %s", name, kind);
        snprintf(head, sizeof head, "# TYPE %s ", name);
        if (strstr(at + 1, head))
            fail_msg("%s is there twice", name);
    }
    assert_true(count > 50);
    free(text);
    metrics_close(registry);
}

/* Every name has one HELP and one TYPE, and every line belongs to the name before it. */
static void the_text_is_well_formed(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    metrics_assigned(metrics_of(registry, 1), true);
    metrics_decision(metrics_of(registry, 1), USHER_OP_BOOK, USHER_CONFIRMED, USHER_REASON_NONE);
    char *text = text_of(registry);
    char *rest = NULL;
    char name[128] = "";
    unsigned heads = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "# HELP ", 7) == 0) {
            assert_int_equal(sscanf(line + 7, "%127s", name), 1);
            heads++;
        } else if (strncmp(line, "# TYPE ", 7) == 0) {
            assert_memory_equal(line + 7, name, strlen(name));
        } else {
            assert_memory_equal(line, name, strlen(name));
            assert_non_null(strchr(line, ' '));
        }
    }
    assert_true(heads > 25);
    free(text);
    metrics_close(registry);
}

static void assert_refused(struct metrics_registry *registry, int32_t partition, const char *json)
{
    struct usher_buffer out = {0};
    metrics_render_refused(registry, partition, &out);
    assert_int_equal(out.size, strlen(json));
    assert_memory_equal(out.at, json, out.size);
    usher_buffer_deinit(&out);
}

static void what_was_refused_last_comes_first(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    struct metrics *part = metrics_of(registry, 1);
    assert_refused(registry, 1, "[]");
    metrics_refuse(part, "show", USHER_NOT_ENOUGH, 0);
    metrics_refuse(part, "hall", USHER_NOT_ENOUGH, 1000);
    metrics_refuse(part, "show", USHER_UNIT_TAKEN, 2000);
    metrics_refuse(part, "show", USHER_NOT_ENOUGH, 3000);
    assert_refused(
        registry, 1,
        "[{\"resource\":\"show\",\"reason\":\"not_enough\",\"requests\":2,"
        "\"since\":\"1970-01-01T00:00:00.000Z\",\"last_at\":\"1970-01-01T00:00:03.000Z\"},"
        "{\"resource\":\"show\",\"reason\":\"unit_taken\",\"requests\":1,"
        "\"since\":\"1970-01-01T00:00:02.000Z\",\"last_at\":\"1970-01-01T00:00:02.000Z\"},"
        "{\"resource\":\"hall\",\"reason\":\"not_enough\",\"requests\":1,"
        "\"since\":\"1970-01-01T00:00:01.000Z\",\"last_at\":\"1970-01-01T00:00:01.000Z\"}]");
    assert_refused(registry, 2, "[]");
    metrics_close(registry);
}

static void the_refusals_of_longest_ago_are_given_up(void **state)
{
    (void)state;
    struct metrics_registry *registry = metrics_open(USHER_VERSION);
    struct metrics *part = metrics_of(registry, 1);
    for (int i = 0; i < METRICS_REFUSED_ROWS + 1; i++) {
        char show[24];
        snprintf(show, sizeof show, "show-%d", i);
        metrics_refuse(part, show, USHER_NOT_ENOUGH, i);
        metrics_refuse(part, "show-0", USHER_NOT_ENOUGH, i);
    }
    const struct metrics_refused *refused = &part->refused;
    assert_int_equal(refused->count, METRICS_REFUSED_ROWS);
    assert_string_equal(refused->rows[0].resource, "show-0");
    assert_int_equal(refused->rows[0].requests, METRICS_REFUSED_ROWS + 2);
    assert_string_equal(refused->rows[METRICS_REFUSED_ROWS - 1].resource, "show-2");
    metrics_refuse(part, "show-1", USHER_NOT_ENOUGH, 100);
    assert_int_equal(refused->rows[0].requests, 1);
    metrics_close(registry);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(counters_are_summed_over_partitions),
    cmocka_unit_test(only_holds_expire),
    cmocka_unit_test(every_operation_outcome_and_reason_has_its_line),
    cmocka_unit_test(a_histogram_is_cumulative),
    cmocka_unit_test(a_partition_that_left_shows_only_that),
    cmocka_unit_test(what_is_kept_and_evicted_is_shown),
    cmocka_unit_test(the_process_shows_itself),
    cmocka_unit_test(every_metric_is_named_after_its_kind),
    cmocka_unit_test(the_text_is_well_formed),
    cmocka_unit_test(what_was_refused_last_comes_first),
    cmocka_unit_test(the_refusals_of_longest_ago_are_given_up),
};
UNIT_TESTS(test_metrics, tests, NULL, NULL)
