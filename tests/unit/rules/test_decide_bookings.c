/* Carts that are as large as they may be. */
#include <stdio.h>

#include "core_places.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"
#include "worker/rules/change.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define PLACE(more)                                                                         \
    {                                                                                       \
        ASK("d", "define", ",'state':'open','currency':'EUR'," more), "'outcome':'defined'" \
    }

#define HALL_AND_MUGS                                                                   \
    PLACE("'sections':[{'section':'stalls','price':4500,'rows':[{'row':'A','seats':4}," \
          "{'row':'B','seats':4}]}],'products':[{'product':'mug','capacity':10,'price':800}]")

/* Whatever became of its bookings: each request that names it goes through all of them. */
static void a_cart_has_an_end(void **state)
{
    (void)state;
    static char ids[CART_BOOKINGS_MAX][8];
    struct rig rig;
    rig_open(&rig, &rig_no_limits);
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ",'cart':'k'" ITEMS("{'seats':['A-1']}")), "'outcome':'held'"},
    };
    assert_true(RIG_PLAY(&rig, steps));
    for (uint32_t i = 1; i < CART_BOOKINGS_MAX; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "r%u", i);
        const struct booking_row row = {.no = row_number(0, 1000 + i),
                                        .resource_no = rig_resource(&rig, "r")->row.no,
                                        .state = BOOKING_RELEASED,
                                        .op = USHER_OP_HOLD,
                                        .request_id = ids[i],
                                        .customer = "c",
                                        .cart = "k",
                                        .expires_ms = USHER_ABSENT,
                                        .ttl_s = 60};
        inventory_keep_booking(rig.inventory, &row, content_create(NULL, 0));
    }
    static const struct rig_step full[] = {
        {OP("1", "hold", ",'cart':'k'" ITEMS("{'seats':['A-2']}")), "'reason':'limit_exceeded'"},
        {OP("2", "book", ",'cart':'k'" ITEMS("{'seats':['A-2']}")), "'reason':'limit_exceeded'"},
        {OP("3", "hold", ",'cart':'l'" ITEMS("{'seats':['A-2']}")), "'outcome':'held'"},
        {OP("4", "confirm", ",'cart':'k'"), "'outcome':'confirmed'"},
    };
    assert_true(RIG_PLAY(&rig, full));
    rig_close(&rig);
}

/* So many would be written at once. One by one they can be done with, all the same. */
static void a_cart_of_very_many_units_is_not_done_with_at_once(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, &rig_no_limits);
    static const struct rig_step hall[] = {
        PLACE("'sections':[{'section':'floor','price':1,'capacity':200000}]"),
        {OP("one", "hold", ",'cart':'k'" ITEMS("{'section':'floor','quantity':1}")), "'held'"},
    };
    assert_true(RIG_PLAY(&rig, hall));
    for (uint32_t i = 0; i < CART_UNITS_MAX / USHER_UNITS_MAX; i++) {
        char request[200];
        (void)snprintf(
            request, sizeof request,
            OP("many%u", "hold", ",'cart':'k'" ITEMS("{'section':'floor','quantity':%d}")), i,
            USHER_UNITS_MAX);
        const struct rig_step step[] = {{request, "'held'"}};
        assert_true(RIG_PLAY(&rig, step));
    }
    static const struct rig_step large[] = {
        {OP("1", "confirm", ",'cart':'k'"), "'reason':'limit_exceeded'"},
        {OP("2", "release", ",'cart':'k'"), "more than 100,000 units"},
        {OP("3", "confirm", B("one")), "'confirmed'"},
        {OP("4", "confirm", ",'cart':'k'"), "'total':100000"},
        {OP("5", "cancel", ",'cart':'k'"), "'reason':'limit_exceeded'"},
        {OP("6", "cancel", B("one")), "'cancelled'"},
        {OP("7", "cancel", ",'cart':'k'"), "'cancelled'"},
    };
    assert_true(RIG_PLAY(&rig, large));
    rig_close(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_cart_has_an_end),
    cmocka_unit_test(a_cart_of_very_many_units_is_not_done_with_at_once),
};
UNIT_TESTS(test_decide_bookings, tests, NULL, NULL)
