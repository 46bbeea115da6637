/*
 * Carts as they are given: what is refused before anything is sent, the requests of their lines,
 * what answers say of them; and the rule by which their confirms are published.
 */
#include <string.h>

#include "producer/client/cart.h"
#include "producer/client/cart_transaction.h"
#include "tests/unit/unit.h"

#define LONG_41 "12345678901234567890123456789012345678901"
#define LONG_65 LONG_41 "123456789012345678901234"

static const char *const seats[] = {"A-1", "A-2"};
static const char *const more_seats[] = {"A-2", "A-3"};
static const struct usher_item floor_item = {.kind = USHER_SECTION, .pool = "floor", .quantity = 2};
static const struct usher_item seat_item = {
    .kind = USHER_SEATS, .seats = seats, .seat_count = 2, .quantity = 2};
static const struct usher_item other_item = {
    .kind = USHER_SEATS, .seats = more_seats, .seat_count = 2, .quantity = 2};
static const struct usher_item zeroed_item;

static const struct usher_cart good = {.id = "basket-7", .customer = "c1", .payment = "p"};
static const struct usher_cart_line good_lines[] = {
    {.resource = "show:a", .items = &floor_item, .item_count = 1, .booking = "b1", .expires_ms = 9},
    {.resource = "show:b", .items = &seat_item, .item_count = 1, .booking = "b2", .expires_ms = 9},
};

/* ---- what is refused ---- */

struct bad_cart {
    enum usher_op op;
    struct usher_cart cart; /* fields that are given replace the good ones */
    struct usher_cart_line second;
    const char *fault;
};

static const struct bad_cart bad_carts[] = {
    {USHER_OP_HOLD, {.id = ""}, {0}, "its id is not"},
    {USHER_OP_HOLD, {.id = "basket 7"}, {0}, "its id is not"},
    {USHER_OP_CONFIRM, {.id = LONG_41}, {0}, "its id is not"},
    {USHER_OP_HOLD, {.customer = ""}, {0}, "line 1 of cart basket-7: customer"},
    {USHER_OP_HOLD, {.customer = LONG_65}, {0}, "line 1 of cart basket-7: customer"},
    {USHER_OP_HOLD, {.ttl_s = -1}, {0}, "line 1 of cart basket-7: ttl_s"},
    {USHER_OP_EXTEND, {0}, {0}, "could not use a cart: it has no ttl_s"},
    {USHER_OP_CONFIRM, {.payment = ""}, {0}, "line 1 of cart basket-7: payment"},
    {USHER_OP_HOLD,
     {0},
     {.items = &floor_item, .item_count = 1},
     "line 2 of cart basket-7: it has no resource"},
    {USHER_OP_HOLD, {0}, {.resource = "show:b"}, "it has no items"},
    {USHER_OP_HOLD, {0}, {.resource = "show:b", .item_count = 1}, "it has no items"},
    {USHER_OP_HOLD, {0}, {.resource = "show:b", .items = &zeroed_item, .item_count = 1}, "line 2"},
    {USHER_OP_HOLD, {0}, {.resource = "", .items = &floor_item, .item_count = 1}, "resource"},
    {USHER_OP_HOLD, {0}, {.resource = LONG_65, .items = &floor_item, .item_count = 1}, "resource"},
    {USHER_OP_EXTEND, {.ttl_s = 9}, {.resource = "show:b"}, "it has no booking"},
    {USHER_OP_EXTEND, {.ttl_s = 9}, {.resource = "show:b", .booking = ""}, "booking"},
    {USHER_OP_RELEASE,
     {0},
     {.resource = "show:a", .booking = "b1"},
     "an earlier line has the same"},
    {USHER_OP_CONFIRM,
     {0},
     {.resource = "show:a", .booking = "b1", .expires_ms = 9},
     "an earlier line has the same"},
    {USHER_OP_CONFIRM, {0}, {.resource = "show:b", .booking = "b2"}, "it has no expires_ms"},
    /* With .c it is no id any more. */
    {USHER_OP_CONFIRM,
     {0},
     {.resource = "show:b", .booking = LONG_41 "1234567890123456789012", .expires_ms = 9},
     "request_id"},
};

static void test_a_cart_is_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_carts / sizeof bad_carts[0]; i++) {
        const struct bad_cart *bad = &bad_carts[i];
        struct usher_arena arena = {0};
        struct usher_cart copy, cart = good;
        struct usher_error err = {.text = ""};
        struct usher_cart_line lines[] = {good_lines[0], good_lines[1]};
        if (bad->cart.id)
            cart.id = bad->cart.id;
        if (bad->cart.customer)
            cart.customer = bad->cart.customer;
        if (bad->cart.payment)
            cart.payment = bad->cart.payment;
        cart.ttl_s = bad->cart.ttl_s;
        cart.lines = lines;
        cart.line_count = 2;
        if (strncmp(bad->fault, "line 1", 6) != 0 && strncmp(bad->fault, "its id", 6) != 0)
            lines[1] = bad->second;
        enum usher_status status = cart_copy(&cart, bad->op, &arena, &copy, &err);
        if (status != USHER_REJECT || !strstr(err.text, bad->fault))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, err.text, bad->fault);
        assert_int_equal(err.exit_code, USHER_EXIT_BAD_INPUT);
        usher_arena_deinit(&arena);
    }
}

static void test_a_cart_has_1_to_100_lines_about_different_seats(void **state)
{
    struct usher_arena arena = {0};
    struct usher_cart copy, cart = {0};
    struct usher_error err;
    struct usher_cart_line lines[USHER_CART_LINES_MAX + 1];
    (void)state;
    assert_int_equal(cart_copy(&cart, USHER_OP_HOLD, &arena, &copy, &err), USHER_REJECT);
    cart = good;
    assert_int_equal(cart_copy(&cart, USHER_OP_HOLD, &arena, &copy, &err), USHER_REJECT);
    assert_non_null(strstr(err.text, "it has no line"));
    for (size_t i = 0; i <= USHER_CART_LINES_MAX; i++)
        lines[i] = good_lines[0];
    cart.lines = lines;
    cart.line_count = USHER_CART_LINES_MAX + 1;
    assert_int_equal(cart_copy(&cart, USHER_OP_HOLD, &arena, &copy, &err), USHER_REJECT);
    assert_non_null(strstr(err.text, "more than 100 lines"));
    cart.line_count = USHER_CART_LINES_MAX;
    assert_int_equal(cart_copy(&cart, USHER_OP_HOLD, &arena, &copy, &err), USHER_OK);
    lines[2] = good_lines[1];
    lines[4] = good_lines[1];
    lines[4].items = &other_item;
    assert_int_equal(cart_copy(&cart, USHER_OP_HOLD, &arena, &copy, &err), USHER_REJECT);
    assert_non_null(strstr(err.text, "line 5 of cart basket-7: an earlier line has the same"));
    usher_arena_deinit(&arena);
}

/* ---- requests ---- */

static void test_ids_are_those_of_the_cart(void **state)
{
    struct usher_arena arena = {0};
    struct usher_cart copy, cart = good;
    struct usher_error err;
    struct usher_cart_line lines[] = {good_lines[0], good_lines[1]};
    (void)state;
    cart.lines = lines;
    cart.line_count = 2;
    assert_int_equal(cart_copy(&cart, USHER_OP_CONFIRM, &arena, &copy, &err), USHER_OK);
    memset(lines, 0, sizeof lines); /* all of it was copied */
    struct usher_request request = cart_request(&copy, 1, USHER_OP_CONFIRM, 1, "x", &arena);
    assert_string_equal(request.request_id, "b2.c");
    assert_string_equal(request.booking, "b2");
    assert_string_equal(request.payment, "p");
    assert_null(request.cart);
    request = cart_request(&copy, 1, USHER_OP_HOLD, 1, "x", &arena);
    assert_string_equal(request.request_id, "basket-7.h2");
    assert_string_equal(request.cart, "basket-7");
    assert_null(request.payment);
    request = cart_request(&copy, 1, USHER_OP_HOLD, 3, "x", &arena);
    assert_string_equal(request.request_id, "basket-7.h2-3");
    request = cart_request(&copy, 1, USHER_OP_RELEASE, 3, "x", &arena);
    assert_string_equal(request.request_id, "basket-7.x");
    usher_arena_deinit(&arena);
}

/* ---- states ---- */

static void test_what_answers_say_of_a_cart(void **state)
{
    const struct usher_answer held = {.outcome = USHER_HELD},
                              extended = {.outcome = USHER_EXTENDED},
                              sold = {.outcome = USHER_CONFIRMED},
                              before = {.outcome = USHER_REFUSED,
                                        .reason = USHER_ALREADY_CONFIRMED},
                              gone = {.outcome = USHER_RELEASED},
                              over = {.outcome = USHER_REFUSED, .reason = USHER_HOLD_EXPIRED},
                              taken = {.outcome = USHER_REFUSED, .reason = USHER_UNIT_TAKEN};
    const struct {
        const struct usher_answer *answers[2];
        enum usher_cart_state state;
        const char *name;
    } cases[] = {
        {{&held, &extended}, USHER_CART_HELD, "held"},
        {{&sold, &before}, USHER_CART_SOLD, "sold"},
        {{&gone, &over}, USHER_CART_GONE, "gone"},
        {{&held, &taken}, USHER_CART_REFUSED, "refused"},
        {{&held, &over}, USHER_CART_REFUSED, "refused"},
        {{&sold, &gone}, USHER_CART_MIXED, "mixed"},
        {{&held, &before}, USHER_CART_MIXED, "mixed"},
        {{&sold, NULL}, USHER_CART_UNKNOWN, "unknown"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(cart_state(cases[i].answers, 2), cases[i].state);
        assert_string_equal(usher_cart_state_name(cases[i].state), cases[i].name);
    }
    assert_string_equal(usher_cart_state_name(USHER_CART_ABORTED), "aborted");
    assert_null(usher_cart_state_name((enum usher_cart_state)99));
}

/* ---- the rule ---- */

static void test_a_confirm_is_in_time_by_the_margin(void **state)
{
    (void)state;
    const int64_t expires_ms = 1000000;
    struct cart_confirm confirm = {.expires_ms = expires_ms,
                                   .appended_ms = expires_ms - USHER_CART_MARGIN_MS};
    assert_true(cart_in_time(&confirm));
    confirm.appended_ms++;
    assert_false(cart_in_time(&confirm));
    confirm.appended_ms = 0; /* not recorded */
    assert_false(cart_in_time(&confirm));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cart_is_refused_by_name),
    cmocka_unit_test(test_a_cart_has_1_to_100_lines_about_different_seats),
    cmocka_unit_test(test_ids_are_those_of_the_cart),
    cmocka_unit_test(test_what_answers_say_of_a_cart),
    cmocka_unit_test(test_a_confirm_is_in_time_by_the_margin),
};
UNIT_TESTS(test_cart, tests, NULL, NULL)
