/*
 * Batches step by step, without a thread: what is decided when, what is committed, and the effects
 * of a commit in their order.
 */
#include <stdio.h>
#include <string.h>

#include "allocator_rig.h"
#include "tests/unit/unit.h"
#include "worker/inventory/inventory_state.h"
#include "worker/partition/commit.h"
#include "worker/partition/fill.h"
#include "worker/partition/partition_state.h"
#include "worker/partition/takeover.h"

#define DEFINE                                                                       \
    "{\"request_id\":\"1\",\"op\":\"define\",\"resource\":\"a\",\"state\":\"open\"," \
    "\"products\":[{\"product\":\"pin\",\"capacity\":5}]}"
#define HOLD                                                                                     \
    "{\"request_id\":\"2\",\"op\":\"hold\",\"resource\":\"a\",\"customer\":\"c\",\"ttl_s\":100," \
    "\"items\":[{\"product\":\"pin\",\"quantity\":1}]}"
#define NONSENSE "?"

enum {
    HOLD_MS = 100000
};

static struct {
    struct partition partition;
    int64_t next; /* offset */
    bool drained, full;
    int64_t hidden_ms, delivered_seq;
    char order[64]; /* what was given to the outbox */
} now;

static bool drained(void *self, int64_t next_offset)
{
    (void)self;
    (void)next_offset;
    return now.drained;
}

static int64_t hidden_ms(void *self, int64_t enough_ms)
{
    (void)self;
    return now.hidden_ms < enough_ms ? now.hidden_ms : enough_ms;
}

static void note(const char *what, int64_t seq)
{
    size_t size = strlen(now.order);
    snprintf(now.order + size, sizeof now.order - size, "%s%d ", what, (int)seq);
}

static enum usher_status publish(void *self, const struct decision_row *row,
                                 struct usher_error *err)
{
    (void)self;
    (void)err;
    note("answer ", row->seq);
    return USHER_OK;
}

static enum usher_status dead_letter(void *self, const struct dead_letter_row *row,
                                     struct usher_error *err)
{
    (void)self;
    (void)err;
    note("letter ", row->seq);
    return USHER_OK;
}

static enum usher_status poll_outbox(void *self, int64_t *published_seq, int64_t *published_offset,
                                     struct usher_error *err)
{
    (void)self;
    (void)err;
    if (published_seq && now.delivered_seq > *published_seq)
        *published_seq = *published_offset = now.delivered_seq;
    return USHER_OK;
}

static bool has_room(void *self)
{
    (void)self;
    return !now.full;
}

static void take_over(void)
{
    struct usher_error err = {0};
    now.partition.stage = STAGE_ACQUIRE;
    assert_int_equal(takeover_acquire(&now.partition, &err), USHER_OK);
    now.partition.stage = STAGE_VERIFY;
    assert_int_equal(takeover_verify(&now.partition, &err), USHER_OK);
    now.partition.stage = STAGE_CATCH_UP;
    assert_int_equal(takeover_catch_up(&now.partition, &err), USHER_OK);
    now.partition.stage = STAGE_ACTIVE;
}

static int setup(void **state)
{
    (void)allocator_rig_setup(state);
    struct allocator_rig *rig = *state;
    struct partition_settings settings = allocator_rig_settings();
    struct partition_ports ports = allocator_rig_ports(rig);
    settings.batches_in_flight = 2;
    settings.hold_ttl_max_s = 1000;
    ports.log.drained = drained;
    ports.log.hidden_ms = hidden_ms;
    ports.outbox.publish = publish;
    ports.outbox.dead_letter = dead_letter;
    ports.outbox.poll = poll_outbox;
    ports.outbox.has_room = has_room;
    rig->ports.taken = rig->ports.records = 0;
    memset(&now, 0, sizeof now);
    now.next = START_OFFSET;
    now.drained = true;
    partition_init(&now.partition, &settings, &ports);
    now.partition.thread = pthread_self();
    take_over();
    return 0;
}

static int teardown(void **state)
{
    now.partition.stage = STAGE_UNASSIGNED;
    partition_forget(&now.partition);
    partition_deinit(&now.partition);
    return allocator_rig_teardown(state);
}

static void fill(void)
{
    struct usher_error err = {0};
    partition_read_clock(&now.partition);
    assert_int_equal(fill_prepare(&now.partition, &err), USHER_OK);
    assert_int_equal(fill_ready(&now.partition, &err), USHER_OK);
}

/* Takes a request that was appended then, and decides it. */
static void decide_at(const char *request, int64_t appended_ms)
{
    assert_true(replay_buffer_room(&now.partition.replay) > 0);
    struct log_record *at = replay_buffer_make_room(&now.partition.replay);
    *at = (struct log_record){.offset = now.next++,
                              .appended_ms = appended_ms,
                              .key = request[0] == '{' ? "a" : NULL,
                              .key_size = request[0] == '{' ? 1 : 0,
                              .value = request,
                              .value_size = strlen(request)};
    replay_buffer_add(&now.partition.replay, 1);
    fill();
}

static void decide_now(const char *request)
{
    decide_at(request, now.partition.turn.now_ms);
}

static uint32_t decided(void)
{
    const struct batch *open = now.partition.pipeline.open;
    return open ? open->decision_count : 0;
}

static void begin(void)
{
    struct usher_error err = {0};
    assert_int_equal(commit_begin(&now.partition, &err), USHER_OK);
}

static void finish(void)
{
    struct usher_error err = {0};
    assert_int_equal(commit_finish(&now.partition, &err), USHER_OK);
}

static void commit(void)
{
    begin();
    finish();
}

/* A hold is there that ends in 100 seconds; then the clock goes on. Returns when it ends. */
static int64_t hold_and_wait(int64_t ms)
{
    decide_now(DEFINE);
    decide_now(HOLD);
    assert_int_equal(decided(), 2);
    int64_t ends_ms = now.partition.position.now_ms + HOLD_MS;
    commit();
    now.partition.clock_offset_ms += ms;
    return ends_ms;
}

/* ---- what is decided ---- */

static void a_record_of_before_its_end_ends_no_hold(void **state)
{
    (void)state;
    int64_t ends_ms = hold_and_wait(2 * HOLD_MS);
    decide_at(NONSENSE, ends_ms - 1);
    assert_int_equal(decided(), 1);
    decide_at(NONSENSE, ends_ms + 1);
    assert_int_equal(decided(), 3);
}

static void a_clock_far_ahead_ends_no_hold(void **state)
{
    (void)state;
    int64_t ends_ms = hold_and_wait(0);
    decide_at(NONSENSE, ends_ms + 1);
    assert_int_equal(decided(), 1);
}

static void expire_idle(uint32_t expired)
{
    struct usher_error err = {0};
    partition_read_clock(&now.partition);
    now.partition.idle_since_ms = now.partition.turn.ms - 10000;
    assert_int_equal(fill_idle(&now.partition, &err), USHER_OK);
    assert_int_equal(decided(), expired);
}

static void the_clock_ends_holds_only_where_no_confirm_can_be_left(void **state)
{
    (void)state;
    (void)hold_and_wait(2 * HOLD_MS);
    now.drained = false;
    expire_idle(0);
    now.drained = true;
    now.hidden_ms = -1; /* it has yet to be found out */
    expire_idle(0);
    now.hidden_ms = 0;
    expire_idle(1);
}

static void nothing_is_decided_while_answers_have_no_room(void **state)
{
    (void)state;
    now.full = true;
    decide_now(NONSENSE);
    assert_int_equal(decided(), 0);
    assert_true(now.partition.turn.full);
}

/* ---- what is committed ---- */

static void a_batch_ends_behind_all_of_its_decisions(void **state)
{
    struct allocator_rig *rig = *state;
    int64_t ends_ms = hold_and_wait(2 * HOLD_MS);
    decide_at(NONSENSE, ends_ms + 1);
    commit();
    assert_int_equal(rig->ports.next_seq, 5);
    assert_int_equal(rig->ports.next_offset, START_OFFSET + 3);
    assert_int_equal(now.partition.committed.next_offset, START_OFFSET + 3);
}

static void each_batch_names_the_last_record(void **state)
{
    struct allocator_rig *rig = *state;
    decide_now(DEFINE);
    begin();
    const struct batch *batch = rig->ports.committing[0];
    assert_int_equal(batch->fingerprint_offset, START_OFFSET);
    assert_int_not_equal(batch->fingerprint, 0);
    assert_int_equal(now.partition.position.fingerprint_offset, START_OFFSET);
    assert_int_equal(now.partition.position.fingerprint, batch->fingerprint);
    finish();
}

/* Each costs the database a transaction. */
static void a_second_batch_waits_until_it_is_as_large(void **state)
{
    struct allocator_rig *rig = *state;
    decide_now(NONSENSE);
    decide_now(NONSENSE);
    begin();
    decide_now(NONSENSE);
    begin();
    assert_int_equal(rig->ports.begun, 1);
    decide_now(NONSENSE);
    begin();
    assert_int_equal(rig->ports.begun, 2);
    decide_now(NONSENSE);
    decide_now(NONSENSE);
    decide_now(NONSENSE);
    decide_now(NONSENSE);
    begin();
    assert_int_equal(rig->ports.begun, 2); /* no more may be */
    finish();
}

static void a_commit_without_an_answer_twice_is_tried_one_by_one(void **state)
{
    struct allocator_rig *rig = *state;
    struct usher_error err = {0};
    rig->ports.commit_fails = true;
    decide_now(NONSENSE);
    decide_now(NONSENSE);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(quarantine_most(&now.partition.quarantine, START_OFFSET), QUARANTINE_NONE);
        begin();
        assert_int_equal(commit_finish(&now.partition, &err), USHER_RETRY);
        take_over();
        fill();
    }
    assert_int_equal(quarantine_most(&now.partition.quarantine, START_OFFSET), 1);
    assert_int_equal(decided(), 1);
    begin();
    fill();
    assert_int_equal(decided(), 0); /* beside it none, either */
    rig->ports.commit_fails = false;
    finish();
    fill();
    assert_int_equal(decided(), 1);
}

/* Three batches, of which the first is refused that is in flight. */
static void refuse_one_of_three(struct allocator_rig *rig)
{
    struct usher_error err = {0};
    decide_now(DEFINE);
    begin();
    decide_now(NONSENSE);
    begin();
    assert_int_equal(rig->ports.begun - rig->ports.commits, 2);
    decide_now(NONSENSE);
    rig->ports.refuses_defines = true;
    assert_int_equal(commit_finish(&now.partition, &err), USHER_REJECT);
    assert_int_equal(takeover_rewind(&now.partition, &err), USHER_OK);
    assert_int_equal(rig->ports.rewinds, 1);
}

static void after_a_refusal_it_stands_where_the_last_commit_left_it(void **state)
{
    struct allocator_rig *rig = *state;
    const struct position *position = &now.partition.position;
    decide_now("!");
    commit();
    const struct position before = *position;
    refuse_one_of_three(rig);
    assert_int_equal(rig->ports.acquired, 1);
    assert_int_equal(position->epoch, before.epoch);
    assert_int_equal(position->next_offset, START_OFFSET + 1);
    assert_int_equal(position->next_seq, 2);
    assert_int_equal(position->fingerprint_offset, START_OFFSET);
    assert_int_equal(position->fingerprint, before.fingerprint);
    assert_int_equal(position->holds, before.holds);
    assert_true(position->now_ms >= before.now_ms);
    assert_null(inventory_resource(now.partition.inventory, "a"));
}

static void after_a_refusal_all_of_it_is_decided_again(void **state)
{
    struct allocator_rig *rig = *state;
    decide_now(NONSENSE);
    commit();
    refuse_one_of_three(rig);
    rig->ports.refuses_defines = false;
    fill();
    assert_int_equal(decided(), 3);
    commit();
    assert_int_equal(rig->ports.next_seq, 5);
    assert_int_equal(rig->ports.next_offset, START_OFFSET + 4);
    assert_non_null(inventory_resource(now.partition.inventory, "a"));
    assert_int_equal(rig->ports.released, 4);
}

/* ---- the effects of a commit ---- */

static void dead_letters_go_before_answers_once_it_is_committed(void **state)
{
    struct allocator_rig *rig = *state;
    decide_now(NONSENSE);
    decide_now(NONSENSE);
    begin();
    assert_string_equal(now.order, "");
    finish();
    assert_string_equal(now.order, "letter 1 letter 2 answer 1 answer 2 ");
    assert_int_equal(rig->ports.released, 2);
}

static void offsets_are_acknowledged_once_the_answers_are_delivered(void **state)
{
    struct allocator_rig *rig = *state;
    struct usher_error err = {0};
    decide_now(NONSENSE);
    commit();
    assert_int_equal(rig->ports.acknowledged, START_OFFSET);
    now.delivered_seq = 1;
    assert_int_equal(commit_report(&now.partition, &err), USHER_OK);
    assert_int_equal(rig->ports.acknowledged, START_OFFSET + 1);
}

static void the_published_position_goes_along_with_the_next_batch(void **state)
{
    struct allocator_rig *rig = *state;
    struct usher_error err = {0};
    decide_now(NONSENSE);
    begin();
    assert_int_equal(rig->ports.committing[0]->published_seq, 0);
    finish();
    now.delivered_seq = 1;
    assert_int_equal(commit_report(&now.partition, &err), USHER_OK);
    decide_now(NONSENSE);
    begin();
    assert_int_equal(rig->ports.committing[1]->published_seq, 1);
    assert_int_equal(rig->ports.committing[1]->published_offset, 1);
    finish();
    assert_int_equal(now.partition.recorded_seq, 1);
    assert_false(partition_leaves_unrecorded(&now.partition));
    now.delivered_seq = 2;
    assert_int_equal(commit_report(&now.partition, &err), USHER_OK);
    assert_false(partition_leaves_unrecorded(&now.partition)); /* it goes along with the next one */
    now.partition.stopping = true;
    assert_true(partition_leaves_unrecorded(&now.partition));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
static const struct CMUnitTest tests[] = {
    TEST(a_record_of_before_its_end_ends_no_hold),
    TEST(a_clock_far_ahead_ends_no_hold),
    TEST(the_clock_ends_holds_only_where_no_confirm_can_be_left),
    TEST(nothing_is_decided_while_answers_have_no_room),
    TEST(a_batch_ends_behind_all_of_its_decisions),
    TEST(each_batch_names_the_last_record),
    TEST(a_second_batch_waits_until_it_is_as_large),
    TEST(a_commit_without_an_answer_twice_is_tried_one_by_one),
    TEST(after_a_refusal_it_stands_where_the_last_commit_left_it),
    TEST(after_a_refusal_all_of_it_is_decided_again),
    TEST(dead_letters_go_before_answers_once_it_is_committed),
    TEST(offsets_are_acknowledged_once_the_answers_are_delivered),
    TEST(the_published_position_goes_along_with_the_next_batch),
};
UNIT_TESTS(test_batches, tests, NULL, NULL)
