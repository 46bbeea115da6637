/*
 * A batch that the database refuses: in halves, until the record is alone that is refused, then as
 * a dead letter. HALT where nothing can take its place.
 */
#include "tests/unit/unit.h"
#include "worker/partition/partition_state.h"

enum {
    SEQ = 7,
};

static const struct batch NOTHING;

/* Of so many records, or of one expiry. */
static struct batch batch_of(int64_t offset, uint32_t records)
{
    return (struct batch){
        .expected_next_offset = offset,
        .expected_next_seq = SEQ,
        .decision_count = records > 0 ? records : 1,
        .record_count = records,
        .next_offset = offset + records,
    };
}

/* Ten records at 100 whose commits were not answered twice: they are tried one by one. */
static struct quarantine quarantine_after_silence(void)
{
    struct quarantine quarantine;
    struct batch many = batch_of(100, 10);
    quarantine_init(&quarantine);
    quarantine_unanswered(&quarantine, &many, 150);
    assert_int_equal(quarantine_most(&quarantine, 100), QUARANTINE_NONE);
    quarantine_unanswered(&quarantine, &many, 150);
    assert_int_equal(quarantine_most(&quarantine, 100), 1);
    return quarantine;
}

/* So many records from an offset on are committed; 0: an expiry before it is. */
static void commit_records(struct quarantine *quarantine, int64_t offset, uint32_t records)
{
    static struct decision_row decision = {.source_offset = OFFSET_NONE};
    struct batch batch = batch_of(offset, records);
    batch.decisions = &decision;
    batch.decision_count = 1;
    quarantine_committed(quarantine, &batch);
}

/* A batch of records that was refused: at once it is tried in smaller ones. */
static struct quarantine quarantine_after_refusal(struct batch batch)
{
    struct quarantine quarantine;
    quarantine_init(&quarantine);
    assert_int_equal(quarantine_refused(&quarantine, &batch, true), USHER_REJECT);
    return quarantine;
}

static void what_is_refused_is_tried_in_halves_up_to_its_end(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 10));
    assert_int_equal(quarantine_most(&quarantine, 100), 5);
    assert_int_equal(quarantine_most(&quarantine, 109), 5);
    assert_int_equal(quarantine_most(&quarantine, 110), 16);
    struct batch half = batch_of(100, 5);
    assert_int_equal(quarantine_refused(&quarantine, &half, true), USHER_REJECT);
    assert_int_equal(quarantine_most(&quarantine, 104), 2);
    assert_int_equal(quarantine_most(&quarantine, 105), 16);
}

/* Of what is left, one is refused. */
static void what_is_left_of_it_is_tried_in_halves(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 16));
    commit_records(&quarantine, 100, 8);
    assert_int_equal(quarantine_most(&quarantine, 108), 4);
    commit_records(&quarantine, 108, 4);
    assert_int_equal(quarantine_most(&quarantine, 112), 2);
    commit_records(&quarantine, 112, 2);
    assert_int_equal(quarantine_most(&quarantine, 114), 1);
    commit_records(&quarantine, 114, 2);
    assert_int_equal(quarantine_most(&quarantine, 116), 16);
}

/* Where one was refused, there may be others: few records are tried again for each. */
static void behind_it_batches_grow_with_each_that_is_committed(void **state)
{
    (void)state;
    static const uint32_t most[] = {16, 64, 256, QUARANTINE_NONE, QUARANTINE_NONE};
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 10));
    commit_records(&quarantine, 100, 10);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        assert_int_equal(quarantine_most(&quarantine, 110), most[i]);
        commit_records(&quarantine, 110, 1);
    }
}

/* However many records there are, and wherever among them the one is that is always refused. */
static void a_record_is_found_in_few_steps(void **state)
{
    (void)state;
    for (int64_t bad = 0; bad < 1000; bad++) {
        struct quarantine quarantine;
        int64_t next = 0;
        uint32_t steps = 0, most;
        quarantine_init(&quarantine);
        while (next <= bad) {
            most = quarantine_most(&quarantine, next);
            most = most < 1000 - next ? most : (uint32_t)(1000 - next);
            struct batch batch = batch_of(next, most);
            bool is_bad = next <= bad && bad < next + most && quarantine.dead_letter != bad;
            if (is_bad)
                assert_int_equal(quarantine_refused(&quarantine, &batch, true), USHER_REJECT);
            else
                commit_records(&quarantine, next, most);
            next += is_bad ? 0 : most;
            assert_true(++steps <= 13);
        }
        assert_int_equal(quarantine.dead_letter, bad);
        assert_int_equal(next, bad + 1);
    }
}

static void a_commit_between_two_silences_starts_over(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch many = batch_of(100, 10);
    quarantine_init(&quarantine);
    quarantine_unanswered(&quarantine, &many, 150);
    commit_records(&quarantine, 100, 0);
    quarantine_unanswered(&quarantine, &many, 150);
    assert_int_equal(quarantine_most(&quarantine, 100), QUARANTINE_NONE);
}

static void refusals_at_two_offsets_do_not_add_up(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 1));
    struct batch there = batch_of(110, 1);
    assert_int_equal(quarantine_refused(&quarantine, &there, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
}

static void a_record_refused_alone_is_a_dead_letter(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 10));
    struct batch one = batch_of(103, 1);
    assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, 103);
}

/* It was alone in its batch from the beginning: once is no proof. */
static void a_record_that_is_alone_is_tried_twice(void **state)
{
    (void)state;
    struct batch one = batch_of(100, 1);
    struct quarantine quarantine = quarantine_after_refusal(one);
    assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
    assert_int_equal(quarantine_most(&quarantine, 100), 1);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, 100);
}

/* Where not even its dead letter is taken, it is not to blame. */
static void a_record_whose_dead_letter_is_refused_is_tried_again_as_it_is(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 10));
    struct batch one = batch_of(103, 1);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, 103);
    for (; one.now_ms < 600000; one.now_ms += 100000) {
        assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_RETRY);
        assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
        quarantine_committed(&quarantine, &NOTHING); /* expiries prove nothing */
    }
    /* By now it may be alone with its fault. */
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, 103);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_RETRY);
    assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
    /* Of the next one nothing is known. */
    one = batch_of(104, 1);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, 104);
}

/* However often: it may be that the database is away. */
static void what_is_not_answered_is_tried_alone_and_never_set_aside(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_silence();
    struct batch one = batch_of(100, 1);
    assert_int_equal(quarantine_most(&quarantine, 149), 1);
    assert_int_equal(quarantine_most(&quarantine, 150), 16);
    for (int i = 0; i < 100; i++)
        quarantine_unanswered(&quarantine, &one, 150);
    assert_int_equal(OFFSET_NONE, quarantine.dead_letter);
}

/* A database that was too slow to answer may refuse one request for the same reason: once is no
 * proof. */
static void what_is_refused_once_after_silence_is_tried_again(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_silence();
    struct batch one = batch_of(100, 1);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, 100);
    assert_int_equal(quarantine_most(&quarantine, 149), 1);
}

/* What is not answered even in smaller batches is tried alone. */
static void silence_after_a_refusal_makes_batches_of_one(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 10));
    struct batch half = batch_of(100, 5);
    quarantine_unanswered(&quarantine, &half, 150);
    assert_int_equal(quarantine_most(&quarantine, 100), 5);
    quarantine_unanswered(&quarantine, &half, 150);
    assert_int_equal(quarantine_most(&quarantine, 149), 1);
}

/* Each time after a pause: to halt is for a person. */
static void an_expiry_refused_alone_halts(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch many = batch_of(100, 0), one = batch_of(100, 0);
    many.decision_count = 4;
    quarantine_init(&quarantine);
    assert_int_equal(quarantine_refused(&quarantine, &many, true), USHER_RETRY);
    assert_int_equal(quarantine_most(&quarantine, 100), 2);
    many.decision_count = 2;
    assert_int_equal(quarantine_refused(&quarantine, &many, true), USHER_RETRY);
    assert_int_equal(quarantine_most(&quarantine, 100), 1);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_HALT);
}

static void an_expiry_that_is_alone_is_tried_twice(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch one = batch_of(100, 0);
    quarantine_init(&quarantine);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_RETRY);
    assert_int_equal(quarantine_most(&quarantine, 100), 1);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_HALT);
}

/* Nothing but expiries may come for hours: what happened before is no proof any more. */
static void an_expiry_that_is_refused_after_others_were_committed_is_tried_again(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch expiries = batch_of(100, 0);
    quarantine_init(&quarantine);
    assert_int_equal(quarantine_refused(&quarantine, &expiries, true), USHER_RETRY);
    quarantine_committed(&quarantine, &NOTHING);
    assert_int_equal(quarantine_refused(&quarantine, &expiries, true), USHER_RETRY);
    assert_int_equal(quarantine_refused(&quarantine, &expiries, true), USHER_HALT);
}

/* The first was committed after all, and nobody was told: the next one is refused only once. */
static void an_expiry_behind_the_refused_one_is_tried_again(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch expiries = batch_of(100, 0);
    quarantine_init(&quarantine);
    assert_int_equal(quarantine_refused(&quarantine, &expiries, true), USHER_RETRY);
    expiries.expected_next_seq++;
    assert_int_equal(quarantine_refused(&quarantine, &expiries, true), USHER_RETRY);
    assert_int_equal(quarantine_refused(&quarantine, &expiries, true), USHER_HALT);
}

/* Expiries that are due meanwhile must not keep it from being set aside. */
static void a_record_is_set_aside_though_expiries_are_committed_between(void **state)
{
    (void)state;
    struct batch one = batch_of(100, 1);
    struct quarantine quarantine = quarantine_after_refusal(one);
    commit_records(&quarantine, 100, 0);
    assert_int_equal(quarantine_refused(&quarantine, &one, true), USHER_REJECT);
    assert_int_equal(quarantine.dead_letter, 100);
}

/* One record of an operation, which is refused alone until it is set aside, or is not. */
static bool sets_aside_at(struct quarantine *quarantine, int64_t now_ms, int64_t offset,
                          enum usher_op op, bool by_data)
{
    struct decision_row decision = {.op = op, .source_offset = offset, .outcome = USHER_HELD};
    struct batch one = batch_of(offset, 1);
    one.decisions = &decision;
    one.decision_count = 1;
    one.now_ms = now_ms;
    for (int i = 0; i < 5; i++) {
        enum usher_status status = quarantine_refused(quarantine, &one, by_data);
        assert_true(status == USHER_REJECT || status == USHER_RETRY);
        if (quarantine->dead_letter == offset)
            return true;
    }
    /* Nothing can be tried at once that was not. */
    assert_int_equal(quarantine_refused(quarantine, &one, by_data), USHER_RETRY);
    return false;
}

static bool sets_aside(struct quarantine *quarantine, int64_t offset, enum usher_op op,
                       bool by_data)
{
    return sets_aside_at(quarantine, 1000, offset, op, by_data);
}

static void commit_one(struct quarantine *quarantine, const struct decision_row *decision)
{
    struct decision_row copy = *decision;
    const struct batch batch = {.decisions = &copy, .decision_count = 1};
    quarantine_committed(quarantine, &batch);
}

/* How many records of an operation are set aside from an offset on, of at most a hundred. */
static int set_aside(struct quarantine *quarantine, int64_t from, enum usher_op op, bool by_data)
{
    int count = 0;
    while (count < 100 && sets_aside(quarantine, from + count, op, by_data))
        count++;
    return count;
}

static void records_are_set_aside_without_end_only_for_their_data(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 900));
    assert_int_equal(set_aside(&quarantine, 100, USHER_OP_HOLD, true), 100);
    assert_int_equal(set_aside(&quarantine, 300, USHER_OP_HOLD, false), 10);
    /* Others may be taken all the same. */
    assert_int_equal(set_aside(&quarantine, 400, USHER_OP_CONFIRM, false), 10);
    assert_true(sets_aside(&quarantine, 500, USHER_OP_HOLD, true));
    /* Nothing waits for ever: after ten minutes some more are. */
    assert_false(sets_aside_at(&quarantine, 1000 + 599999, 501, USHER_OP_HOLD, false));
    assert_true(sets_aside_at(&quarantine, 1000 + 600000, 501, USHER_OP_HOLD, false));
}

/* It does not refuse everything. */
static void one_like_them_that_is_committed_lets_more_be_set_aside(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusal(batch_of(100, 900));
    assert_int_equal(set_aside(&quarantine, 100, USHER_OP_HOLD, false), 10);
    const struct decision_row others[] = {
        {.op = USHER_OP_HOLD, .source_offset = 1, .outcome = USHER_REFUSED},
        {.op = USHER_OP_HOLD, .source_offset = 1, .outcome = USHER_INVALID},
        {.op = USHER_OP_HOLD, .source_offset = 1, .outcome = USHER_HELD, .replayed = true},
        {.op = USHER_OP_HOLD, .source_offset = OFFSET_NONE, .outcome = USHER_EXPIRED},
        {.op = USHER_OP_BOOK, .source_offset = 1, .outcome = USHER_CONFIRMED},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        commit_one(&quarantine, &others[i]);
    assert_false(sets_aside(&quarantine, 200, USHER_OP_HOLD, false));
    const struct decision_row held = {
        .op = USHER_OP_HOLD, .source_offset = 1, .outcome = USHER_HELD};
    commit_one(&quarantine, &held);
    assert_int_equal(set_aside(&quarantine, 200, USHER_OP_HOLD, false), 10);
}

/* It only records positions, which can wait for the next one. */
static void a_batch_without_a_decision_is_tried_for_ever(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch batch = {.expected_next_offset = 100, .next_offset = 100};
    quarantine_init(&quarantine);
    for (int i = 0; i < 5; i++)
        assert_int_equal(quarantine_refused(&quarantine, &batch, false), USHER_RETRY);
    assert_int_equal(quarantine_most(&quarantine, 100), QUARANTINE_NONE);
}

/* What was refused before had no decision: one refusal of an expiry is no proof. */
static void a_batch_without_a_decision_does_not_count_against_an_expiry(void **state)
{
    (void)state;
    struct quarantine quarantine;
    const struct batch positions = {
        .expected_next_offset = 100, .next_offset = 100, .expected_next_seq = SEQ};
    struct batch expiries = batch_of(100, 0);
    quarantine_init(&quarantine);
    assert_int_equal(quarantine_refused(&quarantine, &positions, true), USHER_RETRY);
    assert_int_equal(quarantine_refused(&quarantine, &expiries, true), USHER_RETRY);
    assert_int_equal(quarantine_refused(&quarantine, &expiries, true), USHER_HALT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_refused_is_tried_in_halves_up_to_its_end),
    cmocka_unit_test(what_is_left_of_it_is_tried_in_halves),
    cmocka_unit_test(behind_it_batches_grow_with_each_that_is_committed),
    cmocka_unit_test(a_record_is_found_in_few_steps),
    cmocka_unit_test(a_commit_between_two_silences_starts_over),
    cmocka_unit_test(refusals_at_two_offsets_do_not_add_up),
    cmocka_unit_test(a_record_refused_alone_is_a_dead_letter),
    cmocka_unit_test(a_record_that_is_alone_is_tried_twice),
    cmocka_unit_test(a_record_whose_dead_letter_is_refused_is_tried_again_as_it_is),
    cmocka_unit_test(what_is_not_answered_is_tried_alone_and_never_set_aside),
    cmocka_unit_test(what_is_refused_once_after_silence_is_tried_again),
    cmocka_unit_test(silence_after_a_refusal_makes_batches_of_one),
    cmocka_unit_test(an_expiry_refused_alone_halts),
    cmocka_unit_test(an_expiry_that_is_alone_is_tried_twice),
    cmocka_unit_test(an_expiry_that_is_refused_after_others_were_committed_is_tried_again),
    cmocka_unit_test(an_expiry_behind_the_refused_one_is_tried_again),
    cmocka_unit_test(a_record_is_set_aside_though_expiries_are_committed_between),
    cmocka_unit_test(records_are_set_aside_without_end_only_for_their_data),
    cmocka_unit_test(one_like_them_that_is_committed_lets_more_be_set_aside),
    cmocka_unit_test(a_batch_without_a_decision_is_tried_for_ever),
    cmocka_unit_test(a_batch_without_a_decision_does_not_count_against_an_expiry),
};
UNIT_TESTS(test_quarantine, tests, NULL, NULL)
