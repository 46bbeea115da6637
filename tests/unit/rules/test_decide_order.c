/*
 * The order of all reasons: of two that hold, the earlier one is answered.
 */
#include "core_places.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"

#define HOLD(id, items) ASK(id, "hold", ",'customer':'c','items':[" items "]")
#define LATE ",'deadline':'1970-01-01T00:00:01Z'"

/* Each request has (at least) the two reasons of its comment; the earlier one is answered. */
static const struct rig_step both[] = {
    /* id_reused, too_late */
    {HOLD("held", "{'seats':['A-4']}"
                  "]" LATE ",'x':[1"),
     "'reason':'id_reused'"},
    /* id_reused, unknown_booking */
    {ASK("held", "release", ",'customer':'c','booking':'none'"), "'reason':'id_reused'"},
    /* id_reused, unit_taken */
    {HOLD("back", "{'seats':['A-1']}"), "'reason':'id_reused'"},
    /* too_late, unknown_resource */
    {"{'request_id':'p1','op':'open','resource':'none'" LATE "}", "'reason':'too_late'"},
    /* too_late, bad_chart */
    {ASK("p2", "define", LATE ",'products':[{'product':'stalls','capacity':1}]"),
     "'reason':'too_late'"},
    /* too_late, in_use */
    {ASK("p3", "define", LATE ",'sections':[{'section':'stalls','capacity':0}]"),
     "'reason':'too_late'"},
    /* too_late, unknown_booking */
    {ASK("p4", "confirm", ",'customer':'c','booking':'none'" LATE), "'reason':'too_late'"},
    /* too_late, unit_taken */
    {ASK("p5", "hold", ",'customer':'c','items':[{'seats':['A-1']}]" LATE), "'reason':'too_late'"},
    /* unknown_resource, unknown_booking */
    {"{'request_id':'p6','op':'release','resource':'none','customer':'c','booking':'b'}",
     "'reason':'unknown_resource'"},
    /* unknown_resource, unknown_pool */
    {"{'request_id':'p7','op':'hold','resource':'none','customer':'c','items':[{'product':'x',"
     "'quantity':1}]}",
     "'reason':'unknown_resource'"},
    /* unknown_resource, unknown_pool, of a probe */
    {"{'request_id':'p8','op':'probe','resource':'none','items':[{'product':'x','quantity':1}]}",
     "'reason':'unknown_resource'"},
    /* too_late, unknown_resource; too_late, already_exists */
    {"{'request_id':'e1','op':'define','resource':'none','only':'existing'" LATE "}",
     "'reason':'too_late'"},
    {ASK("e2", "define", ",'only':'new'" LATE), "'reason':'too_late'"},
    /* unknown_resource, bad_chart */
    {"{'request_id':'e3','op':'define','resource':'none','only':'existing',"
     "'products':[{'product':'x','price':1}]}",
     "'reason':'unknown_resource'"},
    /* already_exists, bad_chart */
    {ASK("e4", "define", ",'only':'new','products':[{'product':'standing','capacity':1}]"),
     "'reason':'already_exists'"},
    /* bad_chart, in_use */
    {ASK("p9", "define",
         ",'sections':[{'section':'stalls','capacity':0}],"
         "'products':[{'product':'standing','capacity':1}]"),
     "'reason':'bad_chart'"},
    /* bad_chart, limit_exceeded */
    {ASK("p10", "define",
         ",'rooms':[{'room':'double','from':'1970-01-01','to':'2149-06-01','capacity':1},"
         "{'room':'twin','from':'1970-01-01','to':'2149-06-01','capacity':1},"
         "{'room':'stalls','from':'2026-01-01','to':'2026-01-02','capacity':1}]"),
     "'reason':'bad_chart'"},
    /* in_use, limit_exceeded */
    {ASK("p11", "define",
         ",'rooms':[{'room':'double','from':'1970-01-01','to':'2149-06-01','capacity':1},"
         "{'room':'twin','from':'1970-01-01','to':'2149-06-01','capacity':1}],"
         "'sections':[{'section':'stalls','capacity':9}]"),
     "'reason':'in_use'"},
    /* unknown_booking, not_owner */
    {ASK("p12", "confirm", ",'customer':'other','booking':'none'"), "'reason':'unknown_booking'"},
    /* not_owner, each of the reasons of state */
    {ASK("p13", "confirm", ",'customer':'other','booking':'sold'"), "'reason':'not_owner'"},
    {ASK("p14", "release", ",'customer':'other','booking':'back'"), "'reason':'not_owner'"},
    {ASK("p15", "confirm", ",'customer':'other','booking':'gone'"), "'reason':'not_owner'"},
    {ASK("p16", "cancel", ",'customer':'other','booking':'held'"), "'reason':'not_owner'"},
    /* unknown_pool, unknown_seat */
    {HOLD("p17", "{'seats':['Z-1']},{'product':'x','quantity':1}"), "'reason':'unknown_pool'"},
    /* unknown_pool, unknown_rate, in one item and in two */
    {HOLD("p18", "{'section':'x','quantity':1,'rate':'child'}"), "'reason':'unknown_pool'"},
    {HOLD("p19", "{'section':'standing','quantity':1,'rate':'child'},{'room':'x','from':"
                 "'2026-01-01','to':'2026-01-02','quantity':1}"),
     "'reason':'unknown_pool'"},
    /* unknown_pool, unit_taken; unknown_pool, not_enough */
    {HOLD("p20", "{'seats':['A-1']},{'product':'x','quantity':1}"), "'reason':'unknown_pool'"},
    {HOLD("p21", "{'section':'standing','quantity':6},{'product':'x','quantity':1}"),
     "'reason':'unknown_pool'"},
    /* unknown_seat, unknown_rate, in one item and in two */
    {HOLD("p22", "{'seats':['Z-1'],'rate':'child'}"), "'reason':'unknown_seat'"},
    {HOLD("p23", "{'seats':['B-1'],'rate':'child'},{'seats':['Z-1']}"), "'reason':'unknown_seat'"},
    /* unknown_seat, unit_taken, in one item and in two */
    {HOLD("p24", "{'seats':['A-1','Z-1']}"), "'reason':'unknown_seat'"},
    {HOLD("p25", "{'seats':['A-1']},{'seats':['Z-1']}"), "'reason':'unknown_seat'"},
    /* unknown_seat, not_enough */
    {HOLD("p26", "{'section':'standing','quantity':6},{'seats':['Z-1']}"),
     "'reason':'unknown_seat'"},
    /* unknown_rate, unit_taken, in one item and in two */
    {HOLD("p27", "{'seats':['A-1'],'rate':'child'}"), "'reason':'unknown_rate'"},
    {HOLD("p28", "{'seats':['A-1']},{'seats':['B-1'],'rate':'child'}"), "'reason':'unknown_rate'"},
    /* unknown_rate, not_enough; unknown_rate, not_together */
    {HOLD("p29", "{'section':'standing','quantity':6,'rate':'child'}"), "'reason':'unknown_rate'"},
    {HOLD("p30", "{'section':'stalls','quantity':4,'together':true,'rate':'child'}"),
     "'reason':'unknown_rate'"},
    /* unknown_rate, restricted; restricted, unit_taken; restricted, not_enough */
    {ASK("lodge", "define",
         ",'rooms':[{'room':'lodge','from':'2027-01-01','to':'2027-01-05','capacity':1}],"
         "'restrictions':[{'room':'lodge','from':'2027-01-01','to':'2027-01-05','max_stay':1}]"),
     "'outcome':'defined'"},
#define LODGE(rest) "{'room':'lodge','from':'2027-01-01','to':'2027-01-03'" rest "}"
    {HOLD("p35", LODGE(",'quantity':1,'rate':'child'")), "'reason':'unknown_rate'"},
    {HOLD("p36", LODGE(",'quantity':1") ",{'seats':['A-1']}"), "'reason':'restricted'"},
    {HOLD("p37", LODGE(",'quantity':2")), "'reason':'restricted'"},
    /* unit_taken, not_enough; unit_taken, not_together */
    {HOLD("p31", "{'section':'standing','quantity':6},{'seats':['A-1']}"), "'reason':'unit_taken'"},
    {HOLD("p32", "{'section':'stalls','quantity':4,'together':true},{'seats':['A-1']}"),
     "'reason':'unit_taken'"},
    /* not_enough, not_together, in one item and in two */
    {HOLD("p33", "{'section':'stalls','quantity':6,'together':true}"), "'reason':'not_enough'"},
    {HOLD("p34", "{'section':'stalls','quantity':4,'together':true},"
                 "{'section':'standing','quantity':6}"),
     "'reason':'not_enough'"},
};

static void of_two_reasons_the_earlier_is_answered(void **state)
{
    struct rig *rig = *state;
    assert_true(RIG_PLAY(rig, both));
    fake_database_check(rig->database);
    resource_check(rig_resource(rig, "r"));
}

#define HALL_TEST(test) cmocka_unit_test_setup_teardown(test, open_hall, close_hall)
static const struct CMUnitTest tests[] = {
    HALL_TEST(of_two_reasons_the_earlier_is_answered),
};
UNIT_TESTS(test_decide_order, tests, NULL, NULL)
