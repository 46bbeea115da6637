/*
 * Takeovers step by step, without a thread: what is read from the ports, and what becomes of the
 * partition.
 */
#include <string.h>

#include "allocator_rig.h"
#include "producer/base/clock.h"
#include "tests/unit/unit.h"
#include "worker/partition/partition_state.h"
#include "worker/partition/takeover.h"

enum {
    FINGERPRINT = 4711
};

/* Beside the ports of an allocator's rig: what a takeover reads, and what came of it. */
static struct {
    struct partition partition;
    struct position found; /* what the database has; the epoch is one more than is expected */
    int32_t expected_epoch;
    bool compacts, gone;
    int64_t log_start, log_end, fingerprint, read_until, sought;
    int64_t deletes;               /* the log's start, from when that record is read */
    int64_t last_seq, highest_seq; /* of the result log */
    int64_t skipped;               /* the seq of a decision that is missing */
    int64_t published[8], letters[8];
    int published_count, letter_count;
} now;

static enum usher_status acquire(void *self, int32_t expected_epoch, struct position *position,
                                 struct usher_error *err)
{
    (void)self;
    (void)err;
    now.expected_epoch = expected_epoch;
    *position = now.found;
    position->epoch = expected_epoch + 1;
    return USHER_OK;
}

static enum usher_status bounds(void *self, int64_t *start, int64_t *end, struct usher_error *err)
{
    (void)self;
    (void)err;
    *start = now.log_start;
    *end = now.log_end;
    return USHER_OK;
}

static enum usher_status check_policy(void *self, struct usher_error *err)
{
    (void)self;
    if (!now.compacts)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "the topic is compacted");
    return USHER_HALT;
}

static enum usher_status read_fingerprint(void *self, int64_t offset, int64_t *fingerprint,
                                          struct usher_error *err)
{
    (void)self;
    (void)err;
    assert_int_equal(offset, now.found.fingerprint_offset);
    *fingerprint = now.fingerprint;
    now.log_start = now.deletes > 0 ? now.deletes : now.log_start;
    return now.gone || offset < now.log_start ? USHER_REJECT : USHER_OK;
}

static int64_t position_of_log(void *self)
{
    (void)self;
    return now.read_until;
}

static enum usher_status seek(void *self, int64_t offset, struct usher_error *err)
{
    (void)self;
    (void)err;
    now.sought = now.read_until = offset;
    return USHER_OK;
}

static enum usher_status scan(void *self, const struct position *position, int64_t *last_seq,
                              int64_t *last_offset, int64_t *highest_seq, struct usher_error *err)
{
    (void)self;
    (void)position;
    (void)err;
    *last_seq = now.last_seq;
    *last_offset = OFFSET_NONE;
    *highest_seq = now.highest_seq;
    return USHER_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status decisions(void *self, int64_t after_seq, uint32_t limit,
                                   struct usher_arena *arena, struct decision_row **rows,
                                   uint32_t *count, struct usher_error *err)
{
    (void)self;
    (void)err;
    *rows = usher_arena_alloc(arena, limit * sizeof **rows);
    *count = 0;
    while (++after_seq < now.found.next_seq)
        if (after_seq != now.skipped)
            (*rows)[(*count)++] = (struct decision_row){.seq = after_seq};
    return USHER_OK;
}

/* Each decision has one. */
/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status dead_letters(void *self, int64_t after_seq, uint32_t limit,
                                      struct usher_arena *arena, struct dead_letter_row **rows,
                                      uint32_t *count, struct usher_error *err)
{
    (void)self;
    (void)err;
    *rows = usher_arena_alloc(arena, limit * sizeof **rows);
    *count = 0;
    while (++after_seq < now.found.next_seq)
        (*rows)[(*count)++] = (struct dead_letter_row){.seq = after_seq};
    return USHER_OK;
}

static enum usher_status publish(void *self, const struct decision_row *row,
                                 struct usher_error *err)
{
    (void)self;
    (void)err;
    now.published[now.published_count++] = row->seq;
    return USHER_OK;
}

static enum usher_status dead_letter(void *self, const struct dead_letter_row *row,
                                     struct usher_error *err)
{
    (void)self;
    (void)err;
    now.letters[now.letter_count++] = row->seq;
    return USHER_OK;
}

static int setup(void **state)
{
    (void)allocator_rig_setup(state);
    struct allocator_rig *rig = *state;
    const struct partition_settings settings = allocator_rig_settings();
    struct partition_ports ports = allocator_rig_ports(rig);
    ports.record.acquire = acquire;
    ports.record.decisions = decisions;
    ports.record.dead_letters = dead_letters;
    ports.log.check_policy = check_policy;
    ports.log.bounds = bounds;
    ports.log.read_fingerprint = read_fingerprint;
    ports.log.position = position_of_log;
    ports.log.seek = seek;
    ports.outbox.scan = scan;
    ports.outbox.publish = publish;
    ports.outbox.dead_letter = dead_letter;
    memset(&now, 0, sizeof now);
    now.found = (struct position){.partition_count = 1,
                                  .next_offset = 20,
                                  .next_seq = 6,
                                  .published_seq = 3,
                                  .published_offset = 30,
                                  .fingerprint_offset = 19,
                                  .fingerprint = FINGERPRINT,
                                  .clock_offset_ms = 1766275200000 - clock_ms()};
    now.log_end = now.read_until = 20;
    now.fingerprint = FINGERPRINT;
    now.last_seq = now.highest_seq = 3;
    now.sought = OFFSET_NONE;
    partition_init(&now.partition, &settings, &ports);
    now.partition.thread = pthread_self();
    return 0;
}

static int teardown(void **state)
{
    now.partition.stage = STAGE_UNASSIGNED;
    partition_forget(&now.partition);
    partition_deinit(&now.partition);
    return allocator_rig_teardown(state);
}

static enum usher_status run(enum partition_stage stage, struct usher_error *err)
{
    now.partition.stage = stage;
    return stage == STAGE_ACQUIRE  ? takeover_acquire(&now.partition, err)
           : stage == STAGE_VERIFY ? takeover_verify(&now.partition, err)
                                   : takeover_catch_up(&now.partition, err);
}

static void pass(enum partition_stage stage)
{
    struct usher_error err = {0};
    assert_int_equal(run(stage, &err), USHER_OK);
}

static void halt(enum partition_stage stage, const char *why)
{
    struct usher_error err = {0};
    assert_int_equal(run(stage, &err), USHER_HALT);
    assert_non_null(strstr(err.text, why));
}

static void take_over(void)
{
    pass(STAGE_ACQUIRE);
    pass(STAGE_VERIFY);
    pass(STAGE_CATCH_UP);
}

static void assert_seqs(const int64_t *seqs, int count, int64_t from, int64_t to)
{
    assert_int_equal(count, to - from + 1);
    for (int i = 0; i < count; i++)
        assert_int_equal(seqs[i], from + i);
}

/* ---- acquire ---- */

static void only_a_first_acquire_takes_it_from_whoever_has_it(void **state)
{
    (void)state;
    take_over();
    assert_int_equal(now.expected_epoch, 0);
    take_over();
    assert_int_equal(now.expected_epoch, 1);
    assert_int_equal(now.partition.position.epoch, 2);
}

static void what_it_knew_to_be_committed_must_be_there(void **state)
{
    (void)state;
    take_over();
    now.found.next_offset = 19;
    halt(STAGE_ACQUIRE, "lost commits");
}

static void what_it_has_published_must_be_there(void **state)
{
    (void)state;
    take_over();
    now.found.next_seq = 5;
    halt(STAGE_ACQUIRE, "lost commits");
}

static void a_good_producer_knows_best_how_far_answers_are_published(void **state)
{
    (void)state;
    take_over();
    now.partition.position.published_seq = 5;
    now.partition.position.published_offset = 32;
    pass(STAGE_ACQUIRE);
    assert_int_equal(now.partition.position.published_seq, 5);
    assert_int_equal(now.partition.position.published_offset, 32);
    now.partition.outbox_open = false;
    pass(STAGE_ACQUIRE);
    assert_int_equal(now.partition.position.published_seq, 3);
    assert_int_equal(now.partition.position.published_offset, 30);
}

static void the_log_is_sought_back_only(void **state)
{
    (void)state;
    pass(STAGE_ACQUIRE);
    assert_int_equal(now.sought, OFFSET_NONE);
    now.read_until = 18;
    pass(STAGE_ACQUIRE);
    assert_int_equal(now.sought, OFFSET_NONE);
    now.read_until = 25;
    pass(STAGE_ACQUIRE);
    assert_int_equal(now.sought, 20);
}

/* Taken, and then committed after all by the batch whose outcome was unknown. */
static void records_that_were_committed_are_released_and_the_others_are_decided_again(void **state)
{
    struct allocator_rig *rig = *state;
    struct replay_buffer *replay = &now.partition.replay;
    take_over();
    assert_true(replay_buffer_room(replay) >= 3);
    struct log_record *at = replay_buffer_make_room(replay);
    for (int i = 0; i < 3; i++)
        at[i] = (struct log_record){.offset = 20 + i};
    replay_buffer_add(replay, 3);
    replay_buffer_mark_decided(replay, 2);
    now.found.next_offset = 21;
    now.read_until = 23;
    pass(STAGE_ACQUIRE);
    assert_int_equal(rig->ports.released, 1);
    assert_int_equal(replay_buffer_undecided(replay, &at), 2);
    assert_int_equal(at->offset, 21);
    assert_int_equal(now.sought, OFFSET_NONE);
}

/* ---- verify ---- */

static void the_log_must_reach_from_its_start_to_where_it_is_decided(void **state)
{
    (void)state;
    pass(STAGE_ACQUIRE);
    now.log_end = 19;
    halt(STAGE_VERIFY, "the topic was recreated or lost records");
    now.log_end = 30;
    now.log_start = 21;
    halt(STAGE_VERIFY, "requests were deleted before they were decided");
    now.log_start = 20;
    pass(STAGE_VERIFY);
}

static void the_last_decided_record_must_be_the_same(void **state)
{
    (void)state;
    pass(STAGE_ACQUIRE);
    now.fingerprint = FINGERPRINT + 1;
    halt(STAGE_VERIFY, "is not the one that was consumed");
    now.fingerprint = FINGERPRINT;
    pass(STAGE_VERIFY);
}

/* What compaction takes away is not the next offset alone, so this is looked at first. */
static void a_topic_that_is_compacted_is_not_taken(void **state)
{
    (void)state;
    pass(STAGE_ACQUIRE);
    now.compacts = true;
    now.log_start = 21;
    halt(STAGE_VERIFY, "the topic is compacted");
    now.log_start = 0;
    now.compacts = false;
    now.gone = true;
    halt(STAGE_VERIFY, "is gone, though the log begins at 0: the topic was compacted or recreated");
    now.gone = false;
    pass(STAGE_VERIFY);
}

static void the_last_decided_record_may_be_deleted_at_any_moment(void **state)
{
    (void)state;
    pass(STAGE_ACQUIRE);
    now.deletes = 20;
    pass(STAGE_VERIFY);
    assert_int_equal(now.log_start, 20);
}

static void the_last_decided_record_must_not_be_deleted_with_others(void **state)
{
    (void)state;
    pass(STAGE_ACQUIRE);
    now.log_end = 30;
    now.deletes = 21;
    halt(STAGE_VERIFY, "requests were deleted before they were decided");
}

static void the_result_log_must_not_know_more_than_the_database(void **state)
{
    (void)state;
    pass(STAGE_ACQUIRE);
    now.highest_seq = 6;
    halt(STAGE_VERIFY, "the database lost commits");
    now.highest_seq = 5;
    pass(STAGE_VERIFY);
}

/* ---- catch up ---- */

/* Behind a gap in the log a consumer hears nothing, whatever comes. */
static void answers_are_published_from_where_a_consumer_stands(void **state)
{
    (void)state;
    now.last_seq = 3;
    now.highest_seq = 5;
    take_over();
    assert_seqs(now.published, now.published_count, 4, 5);
}

static void dead_letters_are_sent_from_the_published_position_on(void **state)
{
    (void)state;
    now.last_seq = now.highest_seq = 4; /* of 4 the answer is out, and perhaps no more */
    take_over();
    assert_seqs(now.letters, now.letter_count, 4, 5);
    assert_seqs(now.published, now.published_count, 5, 5);
    now.letter_count = now.published_count = 0;
    now.found.next_seq = 8;
    take_over(); /* by the same producer: what is committed since */
    assert_seqs(now.letters, now.letter_count, 6, 7);
    assert_seqs(now.published, now.published_count, 6, 7);
}

static void nothing_is_published_behind_a_decision_that_is_missing(void **state)
{
    (void)state;
    pass(STAGE_ACQUIRE);
    pass(STAGE_VERIFY);
    now.skipped = 4;
    halt(STAGE_CATCH_UP, "the decision after seq 3 is missing");
    assert_int_equal(now.published_count, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
static const struct CMUnitTest tests[] = {
    TEST(only_a_first_acquire_takes_it_from_whoever_has_it),
    TEST(what_it_knew_to_be_committed_must_be_there),
    TEST(what_it_has_published_must_be_there),
    TEST(a_good_producer_knows_best_how_far_answers_are_published),
    TEST(the_log_is_sought_back_only),
    TEST(records_that_were_committed_are_released_and_the_others_are_decided_again),
    TEST(the_log_must_reach_from_its_start_to_where_it_is_decided),
    TEST(the_last_decided_record_must_be_the_same),
    TEST(a_topic_that_is_compacted_is_not_taken),
    TEST(the_last_decided_record_may_be_deleted_at_any_moment),
    TEST(the_last_decided_record_must_not_be_deleted_with_others),
    TEST(the_result_log_must_not_know_more_than_the_database),
    TEST(answers_are_published_from_where_a_consumer_stands),
    TEST(dead_letters_are_sent_from_the_published_position_on),
    TEST(nothing_is_published_behind_a_decision_that_is_missing),
};
UNIT_TESTS(test_takeover, tests, NULL, NULL)
