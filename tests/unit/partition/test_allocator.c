/*
 * An allocator on ports that fail as they are told: what it says of itself while nothing succeeds.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "allocator_rig.h"
#include "producer/base/clock.h"
#include "tests/unit/unit.h"

static void assert_retrying(struct allocator_rig *rig, const char *said)
{
    struct partition_view view = allocator_rig_await(rig, STAGE_RETRYING, 4);
    assert_true(view.retries >= 3);
    assert_string_equal(view.error.text, said);
    assert_int_equal(view.next_offset, START_OFFSET);
    assert_true(atomic_load(&rig->metrics->usher_partition_retries) >= 3);
    /* Never active in between, however long it goes on. */
    while (rig->ports.acquired < 6) {
        allocator_snapshot(rig->allocator, &view);
        assert_int_not_equal(view.stage, STAGE_ACTIVE);
        assert_string_equal(view.state, "retrying");
        usleep(1000);
    }
}

static void assert_active(struct allocator_rig *rig, int acquired)
{
    struct partition_view view = allocator_rig_await(rig, STAGE_ACTIVE, acquired);
    assert_int_equal(view.retries, 0);
    assert_string_equal(view.error.text, "");
    assert_int_equal(atomic_load(&rig->metrics->usher_partition_retries), 0);
}

/* A takeover is called by its stage as long as nothing fails. */
static void what_fails_is_retrying_until_it_is_active(void **state)
{
    static const struct {
        enum partition_stage stage;
        const char *name, *after_failures;
    } rows[] = {
        {STAGE_ACQUIRE, "acquire", "retrying"},   {STAGE_VERIFY, "verify", "retrying"},
        {STAGE_CATCH_UP, "catch-up", "retrying"}, {STAGE_RETRYING, "retrying", "retrying"},
        {STAGE_ACTIVE, "active", "active"},       {STAGE_DRAIN, "drain", "drain"},
        {STAGE_HALTED, "halted", "halted"},       {STAGE_FENCED, "fenced", "fenced"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct partition_view view = {.stage = rows[i].stage};
        assert_string_equal(allocator_state_name(&view), rows[i].name);
        view.retries = 5;
        assert_string_equal(allocator_state_name(&view), rows[i].after_failures);
    }
}

static void a_load_that_fails_each_time_is_no_activity(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.load_fails = true;
    rig->ports.records = 1;
    allocator_rig_start(rig);
    assert_retrying(rig, "the load took too long");
    rig->ports.load_fails = false;
    assert_active(rig, 6);
    assert_int_equal(rig->ports.commits, 1);
}

static void a_commit_that_fails_each_time_is_no_activity(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.commit_fails = true;
    rig->ports.records = 1;
    allocator_rig_start(rig);
    assert_retrying(rig, "the commit took too long");
    rig->ports.commit_fails = false;
    assert_active(rig, 6);
    assert_int_equal(rig->ports.commits, 1);
}

/* What is due is read from time to time, requests or not: that fails, too. */
static void a_quiet_partition_that_cannot_be_read_is_not_active(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.load_fails = true;
    allocator_rig_start(rig);
    allocator_rig_await(rig, STAGE_RETRYING, 2);
    rig->ports.load_fails = false;
    assert_active(rig, 2);
}

static void answers_recorded_earlier_are_published(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.next_seq = 5;
    rig->ports.unpublished = 2;
    allocator_rig_start(rig);
    assert_active(rig, 1);
    assert_int_equal(rig->ports.published, 4);
}

/* It stood still between its takeover and the first answer, and another one went on. */
static void answers_of_a_successor_are_not_published(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.next_seq = 5;
    rig->ports.unpublished = 2;
    rig->ports.successor = 3;
    allocator_rig_start(rig);
    struct partition_view view = allocator_rig_await(rig, STAGE_FENCED, 1);
    assert_string_equal(view.error.text, "partition 0 is in epoch 2, not 1");
    assert_int_equal(rig->ports.published, 4);
}

static void a_quiet_partition_is_active_at_once_and_again_after_a_failure(void **state)
{
    struct allocator_rig *rig = *state;
    allocator_rig_start(rig);
    assert_active(rig, 1);
    assert_int_equal(rig->ports.acknowledged, START_OFFSET); /* the owner before may not have */
    rig->ports.outbox_fails = true;
    assert_active(rig, 2);
    assert_int_equal(rig->ports.commits, 0);
    assert_int_equal(rig->ports.acquired, 2);
}

static void await_count(const _Atomic int *count, int least)
{
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (*count < least) {
        assert_true(clock_ms() < until_ms);
        usleep(1000);
    }
}

static void await_committed(struct allocator_rig *rig, int64_t next_offset)
{
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (rig->ports.next_offset < next_offset) {
        assert_true(clock_ms() < until_ms);
        usleep(1000);
    }
    assert_int_equal(rig->ports.next_offset, next_offset);
}

/* The guard refuses a batch, too, behind one that got lost. */
static void whoever_is_refused_asks_for_the_epoch_before_it_ends(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.commit_fenced = true;
    rig->ports.records = 1;
    allocator_rig_start(rig);
    assert_active(rig, 2);
    assert_int_equal(rig->ports.commits, 1);
}

static void what_looks_like_damage_after_a_takeover_halts_nothing(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.commit_halts = true;
    rig->ports.successor = 1;
    rig->ports.records = 1;
    allocator_rig_start(rig);
    await_count(&rig->ports.acquired, 3); /* to be told that it has another owner */
    assert_int_equal(rig->ports.halted_epoch, 0);
}

/* Waits until that was counted so often, and for some turns of the loop after that. */
static void await_turns_after(struct allocator_rig *rig, const _Atomic int *count, int least)
{
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    for (int turns = INT_MAX; rig->ports.turns < turns; usleep(1000)) {
        assert_true(clock_ms() < until_ms);
        if (turns == INT_MAX && *count >= least)
            turns = rig->ports.turns + 4;
    }
}

static void it_is_not_left_before_its_answers_are_out(void **state)
{
    struct allocator_rig *rig = *state;
    struct partition_view view;
    allocator_rig_start(rig);
    assert_active(rig, 1);
    rig->ports.pending = 1;
    allocator_stop(rig->allocator, PATIENCE_MS);
    await_turns_after(rig, &rig->ports.turns, 10);
    allocator_snapshot(rig->allocator, &view);
    assert_int_equal(view.stage, STAGE_DRAIN);
    rig->ports.pending = 0;
    allocator_rig_await(rig, STAGE_UNASSIGNED, 1);
}

/* They stay in memory until their batch is committed. */
static void no_more_is_taken_than_there_is_memory_for(void **state)
{
    enum {
        RECORDS = 20,
        RECORD_BYTES = 8 << 20
    };
    static char large[RECORD_BYTES] = "\"resource\":\"a";
    static const char *requests[RECORDS];
    struct allocator_rig *rig = *state;
    memset(large + strlen(large), ' ', sizeof large - strlen(large) - 1);
    for (int i = 0; i < RECORDS; i++)
        requests[i] = large;
    rig->ports.requests = requests;
    rig->ports.waits_from = 1;
    rig->ports.records = RECORDS;
    allocator_rig_start(rig);
    await_count(&rig->ports.taken, 8);
    await_turns_after(rig, &rig->ports.turns, 10);
    assert_in_range(rig->ports.taken, 8, 9);
    rig->ports.waits_from = 0;
    await_committed(rig, START_OFFSET + RECORDS);
}

/* Answers that Kafka does not take are something left to do. */
static void a_partition_without_requests_is_not_active_before_its_answers_are_out(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.pending = 1;
    rig->ports.outbox_fails = true;
    allocator_rig_start(rig);
    allocator_rig_await(rig, STAGE_RETRYING, 2);
    await_turns_after(rig, &rig->ports.loads, 1);
    allocator_rig_await(rig, STAGE_RETRYING, 2);
    assert_true(atomic_load(&rig->metrics->usher_partition_retries) > 0);
    assert_int_equal(1, atomic_load(&rig->metrics->usher_outbox_pending_results));
    rig->ports.pending = 0;
    assert_active(rig, 2);
}

/* Its parties are served at a time of its own. */
static void a_waiting_list_that_opens_later_leaves_nothing_to_do(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.sells_later = true;
    rig->ports.outbox_fails = true;
    allocator_rig_start(rig);
    assert_active(rig, 2);
}

/* The others may sell with it, however long it takes until a person comes. */
static void a_halted_partition_gives_its_memory_back(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.sells_later = true;
    allocator_rig_start(rig);
    await_turns_after(rig, &rig->ports.loads, 1);
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (atomic_load(&rig->metrics->usher_memory_resources) == 0) {
        assert_true(clock_ms() < until_ms);
        usleep(1000);
    }
    rig->ports.commit_halts = true;
    rig->ports.records = 1;
    allocator_rig_await(rig, STAGE_HALTED, 1);
    /* It was written down, too. */
    assert_int_equal(rig->ports.halted_epoch, 1);
    assert_in_range(rig->ports.halted_offset, START_OFFSET, START_OFFSET + 1);
    assert_string_equal(rig->ports.halted, "the resource is damaged");
    while (rig->ports.released < 1 || atomic_load(&rig->metrics->usher_memory_resources) > 0) {
        assert_true(clock_ms() < until_ms);
        usleep(1000);
    }
}

/* It pauses for what is under way to end, and no longer. */
static void with_hardly_any_memory_it_takes_one_after_another(void **state)
{
    struct allocator_rig *rig = *state;
    memory_budget_close(rig->budget);
    rig->budget = memory_budget_open(1 << 20, 1, rig->registry);
    while (!memory_budget_is_slow(rig->budget))
        usleep(1000);
    rig->ports.records = 10;
    allocator_rig_start(rig);
    await_count(&rig->ports.taken, rig->ports.records);
    assert_in_range(rig->ports.least_pause_ms, 100, 180);
}

/* A start is only a lower bound: where positions could not be read for long, much lies below it. */
static void nothing_pauses_for_a_record_that_was_decided(void **state)
{
    struct allocator_rig *rig = *state;
    memory_budget_close(rig->budget);
    rig->budget = memory_budget_open(1 << 20, 1, rig->registry);
    while (!memory_budget_is_slow(rig->budget))
        usleep(1000);
    rig->ports.taken = rig->ports.gap = -START_OFFSET;
    rig->ports.records = 1;
    allocator_rig_start(rig);
    await_count(&rig->ports.taken, rig->ports.records);
    assert_in_range(rig->ports.least_pause_ms, 0, 99);
    assert_int_equal(rig->ports.given, START_OFFSET + 1);
    await_committed(rig, START_OFFSET + 1);
}

/* A resource may take minutes: the watchdog must see it move, and a stop must not wait for it. */
static void each_page_of_a_load_moves_the_watchdog_and_a_stop_ends_it(void **state)
{
    struct allocator_rig *rig = *state;
    struct partition_view before, after;
    rig->ports.load_is_endless = true;
    rig->ports.records = 1;
    allocator_rig_start(rig);
    await_count(&rig->ports.pages_asked, 1);
    allocator_snapshot(rig->allocator, &before);
    usleep(5000);
    rig->ports.pages_given = 1;
    await_count(&rig->ports.pages_asked, 2);
    allocator_snapshot(rig->allocator, &after);
    assert_true(after.progress_ms > before.progress_ms);
    allocator_stop(rig->allocator, PATIENCE_MS);
    rig->ports.pages_given = 2;
    after = allocator_rig_await(rig, STAGE_UNASSIGNED, 1);
    assert_int_equal(after.retries, 0);
    assert_string_equal(after.error.text, "");
    assert_int_equal(rig->ports.pages_asked, 2);
    assert_int_equal(rig->ports.commits, 0);
}

/* Nobody waits for it in vain, and the process need not end for it. */
static void freeing_much_memory_is_not_being_stuck(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.load_is_endless = true;
    rig->ports.records = 1;
    rig->ports.release_ms = 300;
    allocator_rig_start(rig);
    await_count(&rig->ports.pages_asked, 1);
    allocator_stop(rig->allocator, -PATIENCE_MS); /* its time is over */
    rig->ports.pages_given = 1;
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (rig->ports.releases == 0) {
        assert_true(clock_ms() < until_ms);
        usleep(1000);
    }
    assert_true(allocator_join(rig->allocator));
    assert_int_equal(rig->ports.released, 1);
    rig->allocator = NULL;
}

/* The database was restored since its next offset was read: whose requests are to be decided? */
static void a_log_that_stands_too_far_is_sought_back(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.records = 5;
    rig->ports.taken = 3;
    allocator_rig_start(rig);
    await_committed(rig, START_OFFSET + 5);
    assert_int_equal(rig->ports.seeks, 1);
    assert_int_equal(rig->ports.next_seq, 1 + 5); /* each is decided */
}

static void a_log_that_cannot_be_sought_back_is_not_read(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.records = 5;
    rig->ports.taken = 3;
    rig->ports.seek_fails = true;
    allocator_rig_start(rig);
    await_count(&rig->ports.seeks, 3);
    assert_int_equal(rig->ports.taken, 3);
    rig->ports.seek_fails = false;
    await_committed(rig, START_OFFSET + 5);
    assert_int_equal(rig->ports.next_seq, 1 + 5);
}

/* What was taken is kept, and the log is read on behind it. */
static void after_a_failure_the_log_stays_where_it_is(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.records = 5;
    rig->ports.commit_fails = true;
    allocator_rig_start(rig);
    allocator_rig_await(rig, STAGE_RETRYING, 3);
    rig->ports.commit_fails = false;
    await_committed(rig, START_OFFSET + 5);
    assert_int_equal(rig->ports.seeks, 0);
    assert_int_equal(rig->ports.next_seq, 1 + 5);
}

/* The ends of transactions, say. */
static void offsets_without_a_record_are_passed_over(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.records = 5;
    rig->ports.gap = 2;
    allocator_rig_start(rig);
    await_committed(rig, START_OFFSET + 5);
    assert_int_equal(rig->ports.next_seq, 1 + 3);
}

/* A define, and then something about another resource, in batches of their own, none of which is
 * committed. */
static void begin_two(struct allocator_rig *rig, const char *const *requests)
{
    struct partition_settings settings = allocator_rig_settings();
    const struct partition_ports ports = allocator_rig_ports(rig);
    settings.batches_in_flight = 2;
    rig->ports.requests = requests;
    rig->ports.waits_from = 1;
    rig->allocator = allocator_start(&settings, &ports);
    for (int count = 1; count <= 2; count++) {
        int64_t until_ms = clock_ms() + PATIENCE_MS;
        rig->ports.records = count;
        while (rig->ports.begun < count) {
            assert_true(clock_ms() < until_ms);
            usleep(1000);
        }
    }
    assert_int_equal(rig->ports.commits, 0);
}

#define HOLD_B                                                                     \
    "{\"request_id\":\"2\",\"op\":\"hold\",\"resource\":\"b\",\"customer\":\"c\"," \
    "\"items\":[{\"product\":\"mug\",\"quantity\":1}]}"

/* What readers are shown is no reason to wait: each batch brings what they are shown of it. */
static void decisions_go_on_while_a_define_is_being_committed(void **state)
{
    static const char *const requests[] = {
        "{\"request_id\":\"1\",\"op\":\"define\",\"resource\":\"a\",\"state\":\"open\"}", HOLD_B};
    struct allocator_rig *rig = *state;
    begin_two(rig, requests);
    rig->ports.waits_from = 0;
    await_committed(rig, START_OFFSET + 2);
    assert_int_equal(rig->ports.commits, 2);
}

/* One of two requests is a define, each of which is refused. */
static void set_a_define_aside(struct allocator_rig *rig)
{
    static const char *const requests[] = {
        "{\"request_id\":\"1\",\"op\":\"define\",\"resource\":\"a\",\"state\":\"open\"}", HOLD_B};
    rig->ports.requests = requests;
    rig->ports.records = 2;
    rig->ports.refuses_defines = true;
    allocator_rig_start(rig);
    await_committed(rig, START_OFFSET + 2);
    assert_int_equal(rig->ports.letters, 1);
}

static void a_request_that_is_refused_is_set_aside_without_a_takeover(void **state)
{
    struct allocator_rig *rig = *state;
    set_a_define_aside(rig);
    assert_true(rig->ports.rewinds >= 2);
    assert_active(rig, 1);
    assert_int_equal(rig->ports.acquired, 1);
}

static void where_a_refusal_is_not_certain_it_is_taken_over(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.rewind_fails = true;
    set_a_define_aside(rig);
    assert_int_equal(rig->ports.acquired, 1 + rig->ports.rewinds);
}

/* Else a partition that goes on selling would keep others from defining for as long. */
static void the_memory_for_a_define_is_returned_while_others_are_committed(void **state)
{
    static const char *const requests[] = {
        "{\"request_id\":\"1\",\"op\":\"define\",\"resource\":\"a\",\"rooms\":[{\"room\":"
        "\"double\","
        "\"from\":\"2027-01-01\",\"to\":\"2042-01-01\",\"capacity\":9}]}",
        HOLD_B};
    struct allocator_rig *rig = *state;
    memory_budget_close(rig->budget);
    rig->budget = memory_budget_open(INT64_C(1) << 40, 2, rig->registry);
    begin_two(rig, requests);
    const int64_t all = INT64_C(1) << 41; /* only where nobody has any */
    assert_false(memory_budget_reserve(rig->budget, 1, MEMORY_FOR_BATCH, all));
    rig->ports.waits_from = 2;
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (!memory_budget_reserve(rig->budget, 1, MEMORY_FOR_BATCH, all)) {
        assert_true(clock_ms() < until_ms);
        usleep(1000);
    }
    assert_int_equal(rig->ports.commits, 1);
    memory_budget_release(rig->budget, 1, MEMORY_FOR_BATCH);
    rig->ports.waits_from = 0;
    await_committed(rig, START_OFFSET + 2);
}

/* It would make way for the sale many times longer than it takes: for the memory, others wait. */
static void a_resync_is_quick_where_others_wait_for_its_memory(void **state)
{
    struct allocator_rig *rig = *state;
    memory_budget_close(rig->budget);
    rig->budget = memory_budget_open(1 << 20, 2, rig->registry);
    while (!memory_budget_is_slow(rig->budget))
        usleep(1000);
    rig->ports.waits_from = 1; /* a commit is under way: it sells */
    rig->ports.records = 1;
    rig->ports.page_ms = 20;
    rig->ports.pages_given = INT_MAX;
    allocator_rig_start(rig);
    await_count(&rig->ports.begun, 1);
    rig->ports.load_is_endless = true;
    rig->ports.shows = true;
    await_count(&rig->ports.pages_asked, 3);
    const int64_t usual_ms = 24 * rig->ports.page_ms;
    assert_true(rig->ports.least_page_pause_ms >= usual_ms);
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (rig->ports.least_page_pause_ms >= usual_ms) {
        assert_true(clock_ms() < until_ms);
        assert_false(memory_budget_reserve(rig->budget, 1, MEMORY_FOR_BATCH, 1 << 20));
        usleep(1000);
    }
    memory_budget_release(rig->budget, 1, MEMORY_FOR_BATCH);
}

/* Kafka may be away for minutes. */
static void waiting_for_a_stuck_call_leaves_the_processor_to_others(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.records = 1;
    rig->ports.stuck = true;
    allocator_rig_start(rig);
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (!rig->ports.is_stuck) {
        assert_true(clock_ms() < until_ms);
        usleep(1000);
    }
    allocator_stop(rig->allocator, -PATIENCE_MS); /* its time is over */
    int64_t from_ms = clock_ms();
    assert_false(allocator_join(rig->allocator));
    assert_true(clock_ms() - from_ms >= 500);
    rig->ports.stuck = false;
}

static void assert_halted(struct allocator_rig *rig, const char *said)
{
    struct partition_view view = allocator_rig_await(rig, STAGE_HALTED, 1);
    assert_string_equal(view.error.text, said);
    assert_int_equal(rig->ports.commits, 0);
    allocator_stop(rig->allocator, 0);
    assert_true(allocator_join(rig->allocator));
    rig->allocator = NULL;
    assert_int_equal(rig->ports.released, rig->ports.given);
}

static void a_record_that_is_passed_over_halts(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.records = 5;
    rig->ports.gap = 2;
    rig->ports.skipped = START_OFFSET + 1;
    allocator_rig_start(rig);
    assert_halted(rig, "the request at offset 18 was passed over: the log was read from offset 19 "
                       "on, but is decided only up to 17");
}

/* Where there seems to be nothing but offsets without a record. */
static void a_record_before_the_end_of_a_quiet_log_halts(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.empty_until = START_OFFSET + 4;
    rig->ports.skipped = START_OFFSET;
    allocator_rig_start(rig);
    assert_halted(rig, "the request at offset 17 was passed over: the log was read from offset 21 "
                       "on, but is decided only up to 17");
}

/*
 * After a load that failed, the records taken are decided in portions, and the next one is taken
 * while the last of them are in a batch that is still open.
 */
static void what_was_decided_in_portions_is_not_passed_over(void **state)
{
    struct allocator_rig *rig = *state;
    rig->ports.records = 2;
    rig->ports.load_fails = true;
    rig->ports.waits_from = 1;
    rig->ports.skipped = START_OFFSET + 1;
    allocator_rig_start(rig);
    allocator_rig_await(rig, STAGE_RETRYING, 3);
    rig->ports.load_fails = false;
    await_turns_after(rig, &rig->ports.begun, 1);
    assert_int_equal(rig->ports.begun, 1);
    rig->ports.records = 3;
    await_count(&rig->ports.given, 3);
    rig->ports.waits_from = 0;
    await_committed(rig, START_OFFSET + 3);
    assert_int_equal(rig->ports.next_seq, 1 + 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_fails_is_retrying_until_it_is_active),
    cmocka_unit_test_setup_teardown(a_load_that_fails_each_time_is_no_activity, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_commit_that_fails_each_time_is_no_activity,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_quiet_partition_that_cannot_be_read_is_not_active,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_quiet_partition_is_active_at_once_and_again_after_a_failure,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(
        a_partition_without_requests_is_not_active_before_its_answers_are_out, allocator_rig_setup,
        allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_waiting_list_that_opens_later_leaves_nothing_to_do,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(it_is_not_left_before_its_answers_are_out, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(no_more_is_taken_than_there_is_memory_for, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(whoever_is_refused_asks_for_the_epoch_before_it_ends,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(what_looks_like_damage_after_a_takeover_halts_nothing,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(answers_recorded_earlier_are_published, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(answers_of_a_successor_are_not_published, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_halted_partition_gives_its_memory_back, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(nothing_pauses_for_a_record_that_was_decided,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(with_hardly_any_memory_it_takes_one_after_another,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(each_page_of_a_load_moves_the_watchdog_and_a_stop_ends_it,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(waiting_for_a_stuck_call_leaves_the_processor_to_others,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(freeing_much_memory_is_not_being_stuck, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_log_that_stands_too_far_is_sought_back, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_log_that_cannot_be_sought_back_is_not_read,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(after_a_failure_the_log_stays_where_it_is, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(offsets_without_a_record_are_passed_over, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(decisions_go_on_while_a_define_is_being_committed,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(the_memory_for_a_define_is_returned_while_others_are_committed,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_request_that_is_refused_is_set_aside_without_a_takeover,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(where_a_refusal_is_not_certain_it_is_taken_over,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_resync_is_quick_where_others_wait_for_its_memory,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_record_that_is_passed_over_halts, allocator_rig_setup,
                                    allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(what_was_decided_in_portions_is_not_passed_over,
                                    allocator_rig_setup, allocator_rig_teardown),
    cmocka_unit_test_setup_teardown(a_record_before_the_end_of_a_quiet_log_halts,
                                    allocator_rig_setup, allocator_rig_teardown),
};
UNIT_TESTS(test_allocator, tests, NULL, NULL)
