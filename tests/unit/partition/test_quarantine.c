/*
 * A batch that the database refuses: whole again, then one by one, then as a dead letter. HALT
 * where nothing can take its place.
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
    assert_false(quarantine_isolates(&quarantine, 100));
    quarantine_unanswered(&quarantine, &many, 150);
    assert_true(quarantine_isolates(&quarantine, 100));
    return quarantine;
}

/* A batch that was refused twice: what was taken is tried one by one. */
static struct quarantine quarantine_after_refusals(struct batch batch, int64_t taken_until)
{
    struct quarantine quarantine;
    quarantine_init(&quarantine);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &batch, taken_until, true));
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &batch, taken_until, true));
    return quarantine;
}

static void first_refusal_only_tries_again(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch batch = batch_of(100, 10);
    quarantine_init(&quarantine);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &batch, 150, true));
    assert_false(quarantine_isolates(&quarantine, 100));
}

static void second_refusal_makes_batches_of_one_up_to_what_was_taken(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusals(batch_of(100, 10), 150);
    assert_true(quarantine_isolates(&quarantine, 100));
    assert_true(quarantine_isolates(&quarantine, 149));
    assert_false(quarantine_isolates(&quarantine, 150));
}

static void a_commit_between_refusals_starts_over(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch batch = batch_of(100, 10);
    quarantine_init(&quarantine);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &batch, 150, true));
    quarantine_committed(&quarantine, &NOTHING);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &batch, 150, true));
    assert_false(quarantine_isolates(&quarantine, 100));
}

static void refusals_at_two_offsets_do_not_add_up(void **state)
{
    (void)state;
    struct quarantine quarantine;
    struct batch here = batch_of(100, 10);
    struct batch there = batch_of(110, 10);
    quarantine_init(&quarantine);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &here, 150, true));
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &there, 150, true));
    assert_false(quarantine_isolates(&quarantine, 110));
}

static void a_record_refused_alone_is_a_dead_letter(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusals(batch_of(100, 10), 150);
    struct batch one = batch_of(103, 1);
    assert_int_equal(OFFSET_NONE, quarantine.dead_letter);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &one, 150, true));
    assert_int_equal(103, quarantine.dead_letter);
}

/* Where not even its dead letter is taken, it is not to blame. */
static void a_record_whose_dead_letter_is_refused_is_tried_again_as_it_is(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusals(batch_of(100, 10), 150);
    struct batch one = batch_of(103, 1);
    assert_int_equal(quarantine_refused(&quarantine, &one, 150, true), USHER_RETRY);
    assert_int_equal(quarantine.dead_letter, 103);
    for (; one.now_ms < 600000; one.now_ms += 100000) {
        assert_int_equal(quarantine_refused(&quarantine, &one, 150, true), USHER_RETRY);
        assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
        quarantine_committed(&quarantine, &NOTHING); /* expiries prove nothing */
    }
    /* By now it may be alone with its fault. */
    assert_int_equal(quarantine_refused(&quarantine, &one, 150, true), USHER_RETRY);
    assert_int_equal(quarantine.dead_letter, 103);
    assert_int_equal(quarantine_refused(&quarantine, &one, 150, true), USHER_RETRY);
    assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
    /* Of the next one nothing is known. */
    one = batch_of(104, 1);
    assert_int_equal(quarantine_refused(&quarantine, &one, 150, true), USHER_RETRY);
    assert_int_equal(quarantine.dead_letter, 104);
}

/* However often: it may be that the database is away. */
static void what_is_not_answered_is_tried_alone_and_never_set_aside(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_silence();
    struct batch one = batch_of(100, 1);
    assert_false(quarantine_isolates(&quarantine, 150));
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
    assert_int_equal(quarantine_refused(&quarantine, &one, 150, true), USHER_RETRY);
    assert_int_equal(quarantine.dead_letter, OFFSET_NONE);
    assert_int_equal(quarantine_refused(&quarantine, &one, 150, true), USHER_RETRY);
    assert_int_equal(quarantine.dead_letter, 100);
}

static void an_expiry_refused_alone_halts(void **state)
{
    (void)state;
    struct batch expiries = batch_of(100, 0);
    struct quarantine quarantine = quarantine_after_refusals(expiries, 100);
    assert_true(quarantine_isolates(&quarantine, 100));
    assert_int_equal(USHER_HALT, quarantine_refused(&quarantine, &expiries, 100, true));
}

/* Nothing but expiries may come for hours: what happened before is no proof any more. */
static void an_expiry_that_is_refused_after_others_were_committed_is_tried_again(void **state)
{
    (void)state;
    struct batch expiries = batch_of(100, 0);
    struct quarantine quarantine = quarantine_after_refusals(expiries, 100);
    quarantine_committed(&quarantine, &NOTHING);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &expiries, 100, true));
    quarantine_committed(&quarantine, &NOTHING);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &expiries, 100, true));
    assert_int_equal(USHER_HALT, quarantine_refused(&quarantine, &expiries, 100, true));
}

/* The first was committed after all, and nobody was told: the next one is refused only once. */
static void an_expiry_behind_the_refused_one_is_tried_again(void **state)
{
    (void)state;
    struct batch expiries = batch_of(100, 0);
    struct quarantine quarantine = quarantine_after_refusals(expiries, 100);
    expiries.expected_next_seq++;
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &expiries, 100, true));
    assert_int_equal(USHER_HALT, quarantine_refused(&quarantine, &expiries, 100, true));
}

/* Expiries that are due meanwhile must not keep it from being set aside. */
static void a_record_is_set_aside_though_expiries_are_committed_between(void **state)
{
    (void)state;
    struct quarantine quarantine = quarantine_after_refusals(batch_of(100, 10), 150);
    struct batch one = batch_of(100, 1);
    quarantine_committed(&quarantine, &NOTHING);
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &one, 150, true));
    assert_int_equal(100, quarantine.dead_letter);
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
        assert_int_equal(quarantine_refused(quarantine, &one, 1000, by_data), USHER_RETRY);
        if (quarantine->dead_letter == offset)
            return true;
    }
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
    struct quarantine quarantine = quarantine_after_refusals(batch_of(100, 10), 1000);
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
    struct quarantine quarantine = quarantine_after_refusals(batch_of(100, 10), 1000);
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
    struct batch batch = {.expected_next_offset = 100, .next_offset = 100};
    struct quarantine quarantine = quarantine_after_refusals(batch, 100);
    for (int i = 0; i < 5; i++)
        assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &batch, 100, false));
}

/* What was refused before had no decision: one refusal of an expiry is no proof. */
static void a_batch_without_a_decision_does_not_count_against_an_expiry(void **state)
{
    (void)state;
    const struct batch positions = {
        .expected_next_offset = 100, .next_offset = 100, .expected_next_seq = SEQ};
    struct batch expiries = batch_of(100, 0);
    struct quarantine quarantine = quarantine_after_refusals(positions, 100);
    assert_true(quarantine_isolates(&quarantine, 100));
    assert_int_equal(USHER_RETRY, quarantine_refused(&quarantine, &expiries, 100, true));
    assert_int_equal(USHER_HALT, quarantine_refused(&quarantine, &expiries, 100, true));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(first_refusal_only_tries_again),
    cmocka_unit_test(second_refusal_makes_batches_of_one_up_to_what_was_taken),
    cmocka_unit_test(a_commit_between_refusals_starts_over),
    cmocka_unit_test(refusals_at_two_offsets_do_not_add_up),
    cmocka_unit_test(a_record_refused_alone_is_a_dead_letter),
    cmocka_unit_test(a_record_whose_dead_letter_is_refused_is_tried_again_as_it_is),
    cmocka_unit_test(what_is_not_answered_is_tried_alone_and_never_set_aside),
    cmocka_unit_test(what_is_refused_once_after_silence_is_tried_again),
    cmocka_unit_test(an_expiry_refused_alone_halts),
    cmocka_unit_test(a_batch_without_a_decision_is_tried_for_ever),
    cmocka_unit_test(a_batch_without_a_decision_does_not_count_against_an_expiry),
    cmocka_unit_test(an_expiry_that_is_refused_after_others_were_committed_is_tried_again),
    cmocka_unit_test(an_expiry_behind_the_refused_one_is_tried_again),
    cmocka_unit_test(a_record_is_set_aside_though_expiries_are_committed_between),
    cmocka_unit_test(records_are_set_aside_without_end_only_for_their_data),
    cmocka_unit_test(one_like_them_that_is_committed_lets_more_be_set_aside),
};
UNIT_TESTS(test_quarantine, tests, NULL, NULL)
