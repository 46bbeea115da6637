/*
 * An allocator on ports that fail as they are told: what it says of itself while nothing succeeds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "worker/observe/metrics.h"
#include "worker/partition/allocator.h"
#include "worker/partition/memory_budget.h"

enum {
    PATIENCE_MS = 60000,
    START_OFFSET = 17
};

/* Written by the test, read by the allocator's thread. */
struct ports {
    _Atomic bool load_fails, commit_fails, outbox_fails;
    _Atomic int records; /* that wait in the log; none can be read as a request */
    _Atomic int acquired, commits, loads, turns;
    _Atomic int pending; /* answers that Kafka has not taken */
    bool sells_later;    /* there is a resource whose waiting list is served once it opens */
    _Atomic int pages_asked, pages_given; /* of a load that is larger than its bounds */
    bool load_is_endless;
    int64_t next_offset, next_seq, taken;
    const struct batch *committing;
    int idle; /* a descriptor that never becomes readable */
};

static enum usher_status fail_with(struct usher_error *err, const char *text)
{
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "%s", text);
    return USHER_RETRY;
}

/* ---- the log ---- */

static uint32_t take(void *self, struct log_record *records, uint32_t max)
{
    struct ports *ports = self;
    if (max == 0 || ports->taken == ports->records)
        return 0;
    *records = (struct log_record){
        .offset = START_OFFSET + ports->taken++, .appended_ms = 1, .value = "?", .value_size = 1};
    return 1;
}

static void release(void *self, struct log_record *records, uint32_t count)
{
    (void)self;
    (void)records;
    (void)count;
}

static int descriptor(void *self)
{
    return ((struct ports *)self)->idle;
}

static enum usher_status bounds(void *self, int64_t *start, int64_t *end, struct usher_error *err)
{
    (void)err;
    *start = 0;
    *end = START_OFFSET + ((struct ports *)self)->records;
    return USHER_OK;
}

static bool drained(void *self, int64_t next_offset)
{
    return next_offset == START_OFFSET + ((struct ports *)self)->records;
}

static int64_t read_up_to(void *self, int64_t next_offset)
{
    (void)self;
    return next_offset;
}

static enum usher_status health(void *self, struct usher_error *err)
{
    (void)self;
    (void)err;
    return USHER_OK;
}

static int64_t lag(void *self, int64_t next_offset)
{
    return START_OFFSET + ((struct ports *)self)->records - next_offset;
}

static void acknowledge(void *self, int64_t next_offset)
{
    (void)self;
    (void)next_offset;
}

/* ---- the record ---- */

static enum usher_status acquire(void *self, int32_t expected_epoch, struct position *position,
                                 struct usher_error *err)
{
    struct ports *ports = self;
    (void)err;
    *position = (struct position){
        .partition_count = 1,
        .epoch = expected_epoch + 1,
        .next_offset = ports->next_offset,
        .next_seq = ports->next_seq,
        .published_seq = ports->next_seq - 1,
        .published_offset = OFFSET_NONE,
        .fingerprint_offset = OFFSET_NONE,
        .clock_ms = 1766275200000,
    };
    ports->acquired++;
    return USHER_OK;
}

static enum usher_status check_epoch(void *self, int32_t epoch, struct usher_error *err)
{
    (void)self;
    (void)epoch;
    (void)err;
    return USHER_OK;
}

static void load_sold_later(const struct load_request *request, struct usher_arena *arena,
                            struct load_result *result)
{
    static const struct loaded_resource later = {.row = {.no = 1,
                                                         .id = "show",
                                                         .state = USHER_OPEN,
                                                         .opens_ms = INT64_MAX,
                                                         .closes_ms = USHER_ABSENT,
                                                         .unserved = true}};
    result->unfinished = usher_arena_alloc(arena, sizeof *result->unfinished);
    *result->unfinished = later.row.no;
    result->unfinished_count = request->unfinished_limit > 0 ? 1 : 0;
    result->resources = usher_arena_alloc(arena, sizeof later);
    *result->resources = later;
    result->resource_count = result->resources_served = request->resource_no_count;
}

static enum usher_status load(void *self, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    struct ports *ports = self;
    *result = (struct load_result){.rest.claims = ports->load_is_endless};
    ports->loads++;
    if (ports->sells_later)
        load_sold_later(request, arena, result);
    return ports->load_fails ? fail_with(err, "the load took too long") : USHER_OK;
}

/* A page comes when the test gives it; there is always another one. */
static enum usher_status load_more(void *self, const struct load_request *request,
                                   struct usher_arena *arena, struct load_result *result,
                                   struct usher_error *err)
{
    struct ports *ports = self;
    int page = ++ports->pages_asked;
    (void)request;
    (void)arena;
    (void)result;
    (void)err;
    while (ports->pages_given < page)
        usleep(1000);
    return USHER_OK;
}

static enum usher_status commit_begin(void *self, const struct batch *batch,
                                      struct usher_error *err)
{
    struct ports *ports = self;
    (void)err;
    ports->committing = batch;
    return USHER_OK;
}

static enum usher_status commit_end(void *self, int timeout_ms, bool *done, struct usher_error *err)
{
    struct ports *ports = self;
    (void)timeout_ms;
    if (ports->commit_fails)
        return fail_with(err, "the commit took too long");
    *done = true;
    ports->next_offset = ports->committing->next_offset;
    ports->next_seq = ports->committing->next_seq;
    ports->commits++;
    return USHER_OK;
}

/* ---- the outbox and the cache ---- */

static enum usher_status open_outbox(void *self, struct usher_error *err)
{
    (void)self;
    (void)err;
    return USHER_OK;
}

static enum usher_status scan(void *self, const struct position *position, int64_t *last_seq,
                              int64_t *last_offset, int64_t *highest_seq, struct usher_error *err)
{
    (void)self;
    (void)err;
    *last_seq = *highest_seq = position->published_seq;
    *last_offset = OFFSET_NONE;
    return USHER_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status dead_letters(void *self, int64_t after_seq, uint32_t limit,
                                      struct usher_arena *arena, struct dead_letter_row **rows,
                                      uint32_t *count, struct usher_error *err)
{
    (void)self;
    (void)after_seq;
    (void)limit;
    (void)arena;
    (void)rows;
    (void)err;
    *count = 0;
    return USHER_OK;
}

static enum usher_status publish(void *self, const struct decision_row *row,
                                 struct usher_error *err)
{
    (void)self;
    (void)row;
    (void)err;
    return USHER_OK;
}

static enum usher_status dead_letter(void *self, const struct dead_letter_row *row,
                                     struct usher_error *err)
{
    (void)self;
    (void)row;
    (void)err;
    return USHER_OK;
}

/* Fails once each time it is told to. */
static enum usher_status poll_outbox(void *self, int64_t *published_seq, int64_t *published_offset,
                                     struct usher_error *err)
{
    (void)published_seq;
    (void)published_offset;
    ((struct ports *)self)->turns++;
    if (atomic_exchange(&((struct ports *)self)->outbox_fails, false))
        return fail_with(err, "the producer failed");
    return USHER_OK;
}

static uint32_t pending(void *self)
{
    return (uint32_t)((struct ports *)self)->pending;
}

static bool has_room(void *self)
{
    (void)self;
    return true;
}

static bool put(void *self, struct display_update *update)
{
    (void)self;
    (void)update;
    return false;
}

static void poll_cache(void *self, int32_t partition, int32_t epoch, struct cache_news *news)
{
    (void)self;
    (void)partition;
    (void)epoch;
    *news = (struct cache_news){0};
}

static void beat(void *self, const struct cache_beat *cache_beat)
{
    (void)self;
    (void)cache_beat;
}

/* ---- one of them ---- */

struct rig {
    struct ports ports;
    struct metrics_registry *registry;
    struct metrics *metrics;
    struct memory_budget *budget;
    struct allocator *allocator;
};

static int setup(void **state)
{
    static struct rig rig;
    rig = (struct rig){
        .ports = {.next_offset = START_OFFSET, .next_seq = 1, .idle = eventfd(0, EFD_NONBLOCK)}};
    rig.registry = metrics_open();
    rig.metrics = metrics_of(rig.registry, 0);
    rig.budget = memory_budget_open(INT64_C(1) << 40, 1, rig.registry);
    *state = &rig;
    return 0;
}

static void start(struct rig *rig)
{
    struct ports *self = &rig->ports;
    const struct partition_settings settings = {
        .batch_limit = 10,
        .batches_in_flight = 1,
        .hold_ttl_s = 60,
        .hold_ttl_max_s = 60,
        .limits = {.bookings = 100, .resources = 100, .units = 100, .ids = 100},
        .drain_timeout_ms = 100,
    };
    const struct partition_ports ports = {
        .log = {.self = self,
                .take = take,
                .release = release,
                .descriptor = descriptor,
                .bounds = bounds,
                .drained = drained,
                .health = health,
                .read_up_to = read_up_to,
                .lag = lag,
                .acknowledge = acknowledge},
        .record = {.self = self,
                   .acquire = acquire,
                   .check_epoch = check_epoch,
                   .load = load,
                   .load_more = load_more,
                   .commit_begin = commit_begin,
                   .commit_end = commit_end,
                   .descriptor = descriptor,
                   .dead_letters = dead_letters},
        .outbox = {.self = self,
                   .open = open_outbox,
                   .scan = scan,
                   .publish = publish,
                   .dead_letter = dead_letter,
                   .poll = poll_outbox,
                   .descriptor = descriptor,
                   .pending = pending,
                   .has_room = has_room},
        .cache = {.self = self, .put = put, .poll = poll_cache, .beat = beat},
        .metrics = rig->metrics,
        .budget = rig->budget,
    };
    rig->allocator = allocator_start(&settings, &ports);
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    allocator_stop(rig->allocator, 0);
    assert_true(allocator_join(rig->allocator));
    memory_budget_close(rig->budget);
    metrics_close(rig->registry);
    close(rig->ports.idle);
    return 0;
}

/* Waits until it has been acquired that often and is in that stage; returns what it says then. */
static struct partition_view await_view(struct rig *rig, enum partition_stage stage, int acquired)
{
    struct partition_view view;
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    do {
        usleep(1000);
        allocator_look(rig->allocator, &view);
        assert_true(clock_ms() < until_ms);
    } while (view.stage != stage || rig->ports.acquired < acquired);
    return view;
}

/* ---- tests ---- */

static void assert_retrying(struct rig *rig, const char *said)
{
    struct partition_view view = await_view(rig, STAGE_RETRYING, 4);
    assert_true(view.retries >= 3);
    assert_string_equal(view.error.text, said);
    assert_int_equal(view.next_offset, START_OFFSET);
    assert_true(atomic_load(&rig->metrics->retries) >= 3);
    /* Never active in between, however long it goes on. */
    while (rig->ports.acquired < 6) {
        allocator_look(rig->allocator, &view);
        assert_int_not_equal(view.stage, STAGE_ACTIVE);
        usleep(1000);
    }
}

static void assert_active(struct rig *rig, int acquired)
{
    struct partition_view view = await_view(rig, STAGE_ACTIVE, acquired);
    assert_int_equal(view.retries, 0);
    assert_string_equal(view.error.text, "");
    assert_int_equal(atomic_load(&rig->metrics->retries), 0);
}

static void a_load_that_fails_each_time_is_no_activity(void **state)
{
    struct rig *rig = *state;
    rig->ports.load_fails = true;
    rig->ports.records = 1;
    start(rig);
    assert_retrying(rig, "the load took too long");
    rig->ports.load_fails = false;
    assert_active(rig, 6);
    assert_int_equal(rig->ports.commits, 1);
}

static void a_commit_that_fails_each_time_is_no_activity(void **state)
{
    struct rig *rig = *state;
    rig->ports.commit_fails = true;
    rig->ports.records = 1;
    start(rig);
    assert_retrying(rig, "the commit took too long");
    rig->ports.commit_fails = false;
    assert_active(rig, 6);
    assert_int_equal(rig->ports.commits, 1);
}

/* What is due is read from time to time, requests or not: that fails, too. */
static void a_quiet_partition_that_cannot_be_read_is_not_active(void **state)
{
    struct rig *rig = *state;
    rig->ports.load_fails = true;
    start(rig);
    await_view(rig, STAGE_RETRYING, 2);
    rig->ports.load_fails = false;
    assert_active(rig, 2);
}

static void a_quiet_partition_is_active_at_once_and_again_after_a_failure(void **state)
{
    struct rig *rig = *state;
    start(rig);
    assert_active(rig, 1);
    rig->ports.outbox_fails = true;
    assert_active(rig, 2);
    assert_int_equal(rig->ports.commits, 0);
    assert_int_equal(rig->ports.acquired, 2);
}

/* Waits until the database was read that often, and for some turns of the loop after that. */
static void await_loads(struct rig *rig, int loads)
{
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    for (int turns = INT_MAX; rig->ports.turns < turns; usleep(1000)) {
        assert_true(clock_ms() < until_ms);
        if (turns == INT_MAX && rig->ports.loads >= loads)
            turns = rig->ports.turns + 4;
    }
}

/* Answers that Kafka does not take are something left to do. */
static void a_partition_without_requests_is_not_active_before_its_answers_are_out(void **state)
{
    struct rig *rig = *state;
    rig->ports.pending = 1;
    rig->ports.outbox_fails = true;
    start(rig);
    await_view(rig, STAGE_RETRYING, 2);
    await_loads(rig, 1);
    await_view(rig, STAGE_RETRYING, 2);
    assert_true(atomic_load(&rig->metrics->retries) > 0);
    rig->ports.pending = 0;
    assert_active(rig, 2);
}

/* Its parties are served at a time of its own. */
static void a_waiting_list_that_opens_later_leaves_nothing_to_do(void **state)
{
    struct rig *rig = *state;
    rig->ports.sells_later = true;
    rig->ports.outbox_fails = true;
    start(rig);
    assert_active(rig, 2);
}

static void await_page(struct rig *rig, int page)
{
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    while (rig->ports.pages_asked < page) {
        assert_true(clock_ms() < until_ms);
        usleep(1000);
    }
}

/* A resource may take minutes: the watchdog must see it move, and a stop must not wait for it. */
static void each_page_of_a_load_moves_the_watchdog_and_a_stop_ends_it(void **state)
{
    struct rig *rig = *state;
    struct partition_view before, after;
    rig->ports.load_is_endless = true;
    rig->ports.records = 1;
    start(rig);
    await_page(rig, 1);
    allocator_look(rig->allocator, &before);
    usleep(5000);
    rig->ports.pages_given = 1;
    await_page(rig, 2);
    allocator_look(rig->allocator, &after);
    assert_true(after.moved_ms > before.moved_ms);
    allocator_stop(rig->allocator, PATIENCE_MS);
    rig->ports.pages_given = 2;
    after = await_view(rig, STAGE_UNASSIGNED, 1);
    assert_int_equal(after.retries, 0);
    assert_string_equal(after.error.text, "");
    assert_int_equal(rig->ports.pages_asked, 2);
    assert_int_equal(rig->ports.commits, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_load_that_fails_each_time_is_no_activity, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_commit_that_fails_each_time_is_no_activity, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_quiet_partition_that_cannot_be_read_is_not_active, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            a_quiet_partition_is_active_at_once_and_again_after_a_failure, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_partition_without_requests_is_not_active_before_its_answers_are_out, setup, teardown),
        cmocka_unit_test_setup_teardown(a_waiting_list_that_opens_later_leaves_nothing_to_do, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(each_page_of_a_load_moves_the_watchdog_and_a_stop_ends_it,
                                        setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
