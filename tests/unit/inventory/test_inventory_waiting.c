/*
 * The waiting list: in which order parties are tried in a round, against the simplest thing that
 * does the same.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/waiting_list.h"

enum {
    PARTIES = 120,
    CLASSES = 7
};

static uint32_t dice_state;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)dice_state * sides >> 32);
}

static const char *const wants[CLASSES] = {
    "{\"op\":\"hold\",\"items\":[{\"product\":\"mug\",\"quantity\":1}]}",
    "{\"op\":\"hold\",\"items\":[{\"product\":\"mug\",\"quantity\":2}]}",
    "{\"op\":\"hold\",\"items\":[{\"product\":\"mug\",\"quantity\":3}]}",
    "{\"op\":\"hold\",\"items\":[{\"product\":\"mug\",\"quantity\":4}]}",
    "{\"op\":\"hold\",\"items\":[{\"section\":\"pit\",\"quantity\":1}]}",
    "{\"op\":\"hold\",\"items\":[{\"section\":\"pit\",\"quantity\":2}]}",
    "{\"op\":\"hold\",\"items\":[{\"seats\":[\"A-1\",\"A-2\"]}]}",
};

/* What the list must do, party by party. */
struct naive_party {
    struct booking booking;
    uint32_t class;
    bool waits, tried; /* in this round; also where it came after its begin */
};

struct queue {
    struct resource *resource;
    struct naive_party parties[PARTIES];
};

/* A hundred mugs, a hundred places in the pit, two seats. */
static struct resource *place(void)
{
    static const struct usher_row rows[] = {{.row = "A", .seats = 2, .first = 1}};
    const struct resource_row row = {.no = 1, .id = "r"};
    struct resource *resource = resource_create(&row);
    catalogue_set_capacity(catalogue_add(resource, USHER_PRODUCT, "mug", NIGHT_NONE), 100);
    catalogue_set_capacity(catalogue_add(resource, USHER_SECTION, "pit", NIGHT_NONE), 100);
    catalogue_set_rows(resource, catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE), rows,
                       1);
    catalogue_settle(resource);
    return resource;
}

static int open_queue(void **state)
{
    static struct queue queue;
    queue = (struct queue){.resource = place()};
    for (uint32_t i = 0; i < PARTIES; i++)
        queue.parties[i].booking =
            (struct booking){.row.no = i + 1, .row.resource_no = 1, .row.state = BOOKING_WAITING};
    *state = &queue;
    dice_state = 5;
    return 0;
}

static int close_queue(void **state)
{
    struct queue *queue = *state;
    resource_destroy(queue->resource);
    return 0;
}

static void join(struct queue *queue, struct naive_party *party, uint32_t class)
{
    party->class = class;
    party->waits = true;
    party->tried = true;
    party->booking.row.wants = wants[class];
    assert_true(waiting_add(queue->resource, &party->booking));
}

static void leave(struct queue *queue, struct naive_party *party)
{
    waiting_remove(queue->resource, &party->booking);
    party->waits = false;
}

static void begin(struct queue *queue)
{
    waiting_mark_all_classes(queue->resource);
    waiting_begin(queue->resource);
    for (uint32_t i = 0; i < PARTIES; i++)
        queue->parties[i].tried = false;
}

static struct naive_party *naive_next(struct queue *queue)
{
    for (uint32_t i = 0; i < PARTIES; i++)
        if (queue->parties[i].waits && !queue->parties[i].tried)
            return &queue->parties[i];
    return NULL;
}

static void pass_class(struct queue *queue, struct naive_party *party)
{
    waiting_pass_class(queue->resource, &party->booking);
    for (uint32_t i = 0; i < PARTIES; i++)
        if (queue->parties[i].waits && queue->parties[i].class == party->class)
            queue->parties[i].tried = true;
}

static void try_next(struct queue *queue)
{
    struct naive_party *party = naive_next(queue);
    struct booking *next = waiting_next(queue->resource);
    assert_ptr_equal(party ? &party->booking : NULL, next);
    if (!party)
        return;
    if (dice(3) == 0) {
        pass_class(queue, party);
    } else if (dice(2) == 0) {
        waiting_pass_party(queue->resource, &party->booking);
        party->tried = true;
    } else {
        leave(queue, party);
    }
}

static void compare(struct queue *queue)
{
    struct naive_party *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < PARTIES; i++) {
        first = first || !queue->parties[i].waits ? first : &queue->parties[i];
        count += queue->parties[i].waits;
    }
    assert_int_equal(count, queue->resource->waiting.count);
    assert_ptr_equal(first ? &first->booking : NULL, waiting_oldest(queue->resource));
}

/* ---- tests ---- */

static void parties_are_tried_once_a_round_the_oldest_first(void **state)
{
    struct queue *queue = *state;
    for (uint32_t step = 0; step < 40000; step++) {
        struct naive_party *party = &queue->parties[dice(PARTIES)];
        if (dice(60) == 0)
            begin(queue);
        else if (dice(2))
            try_next(queue);
        else if (party->waits)
            leave(queue, party); /* by itself, or its time is over */
        else if (!naive_next(queue))
            join(queue, party, dice(CLASSES)); /* loaded: numbers in any order, no round */
        compare(queue);
    }
}

/* Those that join have the highest numbers; the round does not reach them. */
static void who_joins_in_a_round_is_not_tried_in_it(void **state)
{
    struct queue *queue = *state;
    for (uint32_t i = 0; i < 10; i++)
        join(queue, &queue->parties[i], i % 3);
    begin(queue);
    for (uint32_t i = 10; i < 60; i++) {
        join(queue, &queue->parties[i], dice(CLASSES));
        try_next(queue);
    }
    while (naive_next(queue))
        try_next(queue);
    try_next(queue);
    begin(queue);
    while (naive_next(queue))
        try_next(queue);
    compare(queue);
}

/* A class that is new in a round, or whose parties were all tried, stays out of it. */
static void a_class_may_end_and_come_back(void **state)
{
    struct queue *queue = *state;
    join(queue, &queue->parties[0], 1);
    join(queue, &queue->parties[1], 2);
    begin(queue);
    leave(queue, &queue->parties[0]);
    join(queue, &queue->parties[2], 1);
    join(queue, &queue->parties[3], 3);
    assert_ptr_equal(&queue->parties[1].booking, waiting_next(queue->resource));
    leave(queue, &queue->parties[1]);
    assert_null(waiting_next(queue->resource));
    begin(queue);
    assert_ptr_equal(&queue->parties[2].booking, waiting_next(queue->resource));
}

/* What came back concerns those who want it, if there is enough of all that they want. */
static void a_return_concerns_those_who_want_it(void **state)
{
    static const int32_t all[] = {0, 1};
    struct queue *queue = *state;
    struct resource *resource = queue->resource;
    resource_take(resource, 0, NULL, 100, BOOKING_CONFIRMED);
    resource_take(resource, 2, all, 2, BOOKING_HELD);
    join(queue, &queue->parties[0], 2); /* three mugs */
    join(queue, &queue->parties[1], 0); /* a mug */
    join(queue, &queue->parties[2], 6); /* both seats */
    join(queue, &queue->parties[3], 4); /* the pit, where there is room: nothing came back */

    resource_give(resource, 0, NULL, 2, BOOKING_CONFIRMED);
    waiting_begin(resource);
    assert_ptr_equal(&queue->parties[1].booking, waiting_next(resource));
    waiting_pass_class(resource, &queue->parties[1].booking);
    assert_null(waiting_next(resource));

    /* the round before is over: mugs are not asked for again */
    resource_give(resource, 2, all, 1, BOOKING_HELD);
    waiting_begin(resource);
    assert_null(waiting_next(resource));
    resource_give(resource, 2, all + 1, 1, BOOKING_HELD);
    waiting_begin(resource);
    assert_ptr_equal(&queue->parties[2].booking, waiting_next(resource));
    waiting_pass_class(resource, &queue->parties[2].booking);
    assert_null(waiting_next(resource));

    /* two returns before a round are both looked at, by age */
    resource_give(resource, 0, NULL, 1, BOOKING_CONFIRMED);
    resource_take(resource, 1, NULL, 1, BOOKING_HELD);
    resource_give(resource, 1, NULL, 1, BOOKING_HELD);
    waiting_begin(resource);
    assert_ptr_equal(&queue->parties[0].booking, waiting_next(resource));
    waiting_pass_class(resource, &queue->parties[0].booking);
    assert_ptr_equal(&queue->parties[1].booking, waiting_next(resource));
    waiting_pass_class(resource, &queue->parties[1].booking);
    assert_ptr_equal(&queue->parties[3].booking, waiting_next(resource));
}

static void what_a_class_wants_is_decoded_once(void **state)
{
    struct queue *queue = *state;
    join(queue, &queue->parties[0], 6);
    join(queue, &queue->parties[1], 6);
    const struct waiting_class *class = queue->parties[0].booking.waits_in;
    assert_ptr_equal(class, queue->parties[1].booking.waits_in);
    assert_int_equal(2, class->parties.count);
    assert_int_equal(USHER_OP_HOLD, class->request.op);
    assert_int_equal(1, class->request.item_count);
    assert_int_equal(2, class->request.items[0].seat_count);
    assert_string_equal("A-2", class->request.items[0].seats[1]);
}

/* However long they wait. */
static void who_wants_the_same_is_of_one_class(void **state)
{
    struct queue *queue = *state;
#define SEAT_UNTIL(seat, until) \
    "{\"op\":\"hold\",\"items\":[{\"seats\":[\"" seat "\"]}],\"wait_until\":\"" until "\"}"
    static const char *const same[] = {SEAT_UNTIL("A-1", "2030-01-01T00:00:00.000Z"),
                                       SEAT_UNTIL("A-1", "2031-01-01T00:00:00.000Z"),
                                       SEAT_UNTIL("A-2", "2030-01-01T00:00:00.000Z")};
    for (uint32_t i = 0; i < 3; i++) {
        queue->parties[i].booking.row.wants = same[i];
        assert_true(waiting_add(queue->resource, &queue->parties[i].booking));
    }
    assert_int_equal(2, queue->resource->waiting.classes.count);
    assert_ptr_equal(queue->parties[0].booking.waits_in, queue->parties[1].booking.waits_in);
}

static void what_cannot_be_read_does_not_wait(void **state)
{
    struct queue *queue = *state;
    static const char *const bad[] = {NULL, "", "[]",
                                      "{\"op\":\"hold\",\"items\":[{\"seats\":7}]}"};
    struct booking *booking = &queue->parties[0].booking;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        booking->row.wants = bad[i];
        assert_false(waiting_add(queue->resource, booking));
        assert_null(booking->waits_in);
        assert_int_equal(0, queue->resource->waiting.count);
        assert_int_equal(0, queue->resource->waiting.classes.count);
    }
}

static void remove_it(struct booking *booking, void *self)
{
    struct queue *queue = self;
    leave(queue, &queue->parties[booking->row.no - 1]);
}

static void all_of_them_may_go_while_they_are_visited(void **state)
{
    struct queue *queue = *state;
    for (uint32_t i = 0; i < PARTIES; i++)
        join(queue, &queue->parties[i], dice(CLASSES));
    begin(queue);
    waiting_each(queue->resource, remove_it, queue);
    compare(queue);
    assert_int_equal(0, queue->resource->waiting.classes.count);
    assert_null(waiting_next(queue->resource));
}

#define QUEUE_TEST(test) cmocka_unit_test_setup_teardown(test, open_queue, close_queue)
static const struct CMUnitTest tests[] = {
    QUEUE_TEST(parties_are_tried_once_a_round_the_oldest_first),
    QUEUE_TEST(who_joins_in_a_round_is_not_tried_in_it),
    QUEUE_TEST(a_class_may_end_and_come_back),
    QUEUE_TEST(a_return_concerns_those_who_want_it),
    QUEUE_TEST(what_a_class_wants_is_decoded_once),
    QUEUE_TEST(who_wants_the_same_is_of_one_class),
    QUEUE_TEST(what_cannot_be_read_does_not_wait),
    QUEUE_TEST(all_of_them_may_go_while_they_are_visited),
};
UNIT_TESTS(test_inventory_waiting, tests, NULL, NULL)
