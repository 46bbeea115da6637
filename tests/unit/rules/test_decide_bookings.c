/*
 * What may become of a booking: extended, transferred, exchanged, confirmed in part, given back
 * with its cart.
 */
#include <stdio.h>

#include "story.h"
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

/* ---- extend ---- */

static void a_hold_is_extended_up_to_a_cap(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ",'ttl_s':100" ITEMS("{'seats':['A-1']}")),
         "'expires_at':'1970-01-01T00:18:20.000Z'"},
        {OP("1", "extend", B("h") ",'ttl_s':600"),
         "'outcome':'extended','booking':'h','customer':'c','total':4500,'currency':'EUR',"
         "'expires_at':'1970-01-01T00:26:40.000Z'"},
        /* never shorter, never longer than a day after it began */
        {OP("2", "extend", B("h") ",'ttl_s':10"), "'expires_at':'1970-01-01T00:26:40.000Z'"},
        {OP("3", "extend", B("h") ",'ttl_s':999999"), "'expires_at':'1970-01-02T00:16:40.000Z'"},
        {STORY_AFTER "86400000", "'outcome':'expired'"},
        {OP("4", "extend", B("h") ",'ttl_s':10"), "'reason':'hold_expired'"},
    };
    assert_true(STORY(steps));
}

/*
 * What the resource sets for a hold it sets for each extension, however it comes about, and for a
 * party that is served; and it may set how long a hold lasts in all.
 */
static void the_house_says_how_long_a_hold_is_extended(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ",'cart':'k','ttl_s':100" ITEMS("{'seats':['A-1']}")),
         "'expires_at':'1970-01-01T00:18:20.000Z'"},
        {ASK("d1", "define", ",'hold_ttl_s':60"), "'defined'"},
        {OP("1", "extend", B("h") ",'ttl_s':999999"), "'expires_at':'1970-01-01T00:18:20.000Z'"},
        {STORY_AFTER "50000", ""},
        {OP("2", "extend", B("h") ",'ttl_s':999999"), "'expires_at':'1970-01-01T00:18:30.000Z'"},
        {STORY_AFTER "10000", ""},
        {OP("3", "hold", ",'cart':'k'" ITEMS("{'seats':['A-2']}")), "'held'"},
        {ASK("p", "probe", B("h")), "'expires_at':'1970-01-01T00:18:40.000Z'"},
        {OP("4", "extend", ",'cart':'k','ttl_s':90"), "'expires_at':'1970-01-01T00:18:40.000Z'"},
        {ASK("d2", "define", ",'limits':{'hold_total_s':100}"), "'defined'"},
        {STORY_AFTER "30000", ""},
        {OP("5", "extend", B("h") ",'ttl_s':60"), "'expires_at':'1970-01-01T00:18:40.000Z'"},
        {OP("6", "extend", B("3") ",'ttl_s':60"), "'expires_at':'1970-01-01T00:19:10.000Z'"},
        {STORY_AFTER "10000", ""},
        {OP("7", "extend", B("3") ",'ttl_s':60"), "'expires_at':'1970-01-01T00:19:20.000Z'"},
        {STORY_AFTER "20000", "'outcome':'expired'"},
        {STORY_AFTER "40000", "'outcome':'expired'"},
        {ASK("d3", "define", ",'limits':{'hold_total_s':10}"), "'defined'"},
        {OP("8", "hold", ITEMS("{'seats':['A-1']}")), "'expires_at':'1970-01-01T00:19:30.000Z'"},
    };
    assert_true(STORY(steps));
}

static void a_party_is_served_for_as_long_as_the_house_says_by_then(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("b", "book", ITEMS("{'product':'mug','quantity':10}")), "'confirmed'"},
        {ASK("w", "hold",
             ",'customer':'w','ttl_s':600,'wait_until':'1970-01-01T12:00:00Z'" ITEMS(
                 "{'product':'mug','quantity':1}")),
         "'waiting'"},
        {ASK("e", "define", ",'hold_ttl_s':60"), "'defined'"},
        {OP("1", "exchange", B("b") ITEMS("{'product':'mug','quantity':8}")), "'exchanged'"},
        {STORY_UNREQUESTED, "'expires_at':'1970-01-01T00:17:40.000Z'"},
    };
    assert_true(STORY(steps));
}

/* ---- transfer ---- */

static void a_booking_gets_another_owner(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ",'cart':'k'" ITEMS("{'seats':['A-1']}")), "'outcome':'held'"},
        {OP("1", "transfer", B("h") ",'to_customer':'d'"),
         "'outcome':'transferred','booking':'h','customer':'d'"},
        {OP("2", "confirm", B("h")), "'reason':'not_owner'"},
        {ASK("3", "confirm", ",'customer':'d'" B("h")), "'outcome':'confirmed'"},
        /* the cart was the old owner's */
        {ASK("4", "cancel", ",'customer':'d','cart':'k'"), "'reason':'unknown_booking'"},
        {ASK("5", "transfer", ",'force':true,'to_customer':'e'" B("h")), "'customer':'e'"},
        {ASK("6", "transfer", ",'customer':'e','to_customer':'e'" B("h")), "'customer':'e'"},
    };
    assert_true(STORY(steps));
}

/* ---- exchange ---- */

/* Its neighbours on both sides are one piece with it: better than another section. */
static void seats_around_one_that_is_kept_are_one_piece(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        PLACE("'sections':[{'section':'stalls','price':4500,'rows':[{'row':'A','seats':3}]},"
              "{'section':'standing','price':1000,'capacity':5}]"),
        {OP("a", "book", ITEMS("{'seats':['A-2']}")), "'total':4500"},
        {OP("1", "exchange", B("a") ITEMS("{'sections':['stalls','standing'],'quantity':3}")),
         "'outcome':'exchanged','booking':'a','customer':'c','units':[{'item':0,'section':"
         "'stalls','seats':['A-2','A-1','A-3'],'price':4500}],'together':true,'total':13500,'"
         "difference':9000"},
    };
    assert_true(STORY(steps));
}

static void seats_are_exchanged_in_a_full_hall(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("a", "book", ITEMS("{'seats':['A-1','A-2','A-3']}")), "'total':13500"},
        {OP("b", "book", ITEMS("{'seats':['A-4']},{'section':'stalls','quantity':4}")),
         "'free':10"},
        /* one seat of a party given back: nothing else is free */
        {OP("1", "exchange", B("a") ITEMS("{'seats':['A-1','A-2']}")),
         "'outcome':'exchanged','booking':'a','customer':'c','units':[{'item':0,'section':"
         "'stalls','seats':['A-1','A-2'],'price':4500}],'returned':[{'item':0,'section':'stalls',"
         "'seats':['A-3'],'price':4500}],'total':9000,'difference':-4500"},
        /* and the other way round, with what is free now */
        {OP("2", "exchange", B("b") ITEMS("{'seats':['A-3','A-4']}")),
         "'total':9000,'difference':-13500"},
        {OP("3", "exchange", B("a") ITEMS("{'seats':['A-1','A-4']}")),
         "'reason':'unit_taken','retryable':true,'booking':'a','customer':'c','items':[{'item':0,"
         "'asked':2,'given':0,'reason':'unit_taken','taken':['A-4']}]"},
        {OP("4", "cancel", B("a")), "'seats':['A-1','A-2']"},
    };
    assert_true(STORY(steps));
}

static void what_is_kept_keeps_its_price(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("a", "hold", ITEMS("{'product':'mug','quantity':2}")), "'total':1600"},
        {ASK("e", "define", ",'products':[{'product':'mug','price':1000}]"), "'defined'"},
        {OP("1", "exchange", B("a") ITEMS("{'product':'mug','quantity':3}")),
         "'units':[{'item':0,'product':'mug','quantity':2,'price':800},{'item':0,'product':'mug',"
         "'quantity':1,'price':1000}],'total':2600,'difference':1000"},
        {OP("2", "exchange", B("a") ITEMS("{'product':'mug','quantity':1}")),
         "'total':800,'difference':-1800"},
        {OP("3", "confirm", B("a")), "'total':800"},
    };
    assert_true(STORY(steps));
}

/* A child's seat that is kept is not sold to an adult because nobody said so again. */
static void what_is_kept_keeps_its_rate_unless_another_is_named(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        PLACE("'sections':[{'section':'stalls','rates':{'adult':45,'child':25},'rows':[{'row':'A',"
              "'seats':5}]},{'section':'yard','capacity':9,'rates':{'adult':20,'child':10}}]"),
        {OP("a", "book",
            ITEMS(
                "{'seats':['A-1'],'rate':'child'},{'seats':['A-2']},"
                "{'section':'yard','quantity':2,'rate':'child'},{'section':'yard','quantity':1}")),
         "'total':110"},
        {OP("1", "exchange",
            B("a") ITEMS("{'seats':['A-1','A-2','A-3']},{'section':'yard','quantity':4}")),
         "'units':[{'item':0,'section':'stalls','seats':['A-1'],'price':25,'rate':'child'},"
         "{'item':0,'section':'stalls','seats':['A-2','A-3'],'price':45,'rate':'adult'},"
         "{'item':1,'section':'yard','quantity':1,'price':20,'rate':'adult'},"
         "{'item':1,'section':'yard','quantity':2,'price':10,'rate':'child'},"
         "{'item':1,'section':'yard','quantity':1,'price':20,'rate':'adult'}],'total':175,"
         "'difference':65"},
        {OP("2", "exchange", B("a") ITEMS("{'seats':['A-1','A-2'],'rate':'adult'}")),
         "'units':[{'item':0,'section':'stalls','seats':['A-1','A-2'],'price':45,'rate':'adult'}]"},
    };
    assert_true(STORY(steps));
}

static void a_party_stays_where_it_sits(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("a", "book", ITEMS("{'seats':['B-3','B-4']}")), "'confirmed'"},
        {OP("1", "exchange", B("a") ITEMS("{'section':'stalls','quantity':1}")), "'seats':['B-3']"},
        {OP("2", "exchange", B("a") ITEMS("{'section':'stalls','quantity':3}")),
         "'seats':['B-3','A-1','A-2'],'price':4500}],'together':false"},
        /* together: chosen again, its own seats among the free ones */
        {OP("3", "exchange", B("a") ITEMS("{'section':'stalls','quantity':4,'together':true}")),
         "'seats':['A-1','A-2','A-3','A-4'],'price':4500}],'returned':[{'item':0,'section':"
         "'stalls','seats':['B-3'],'price':4500}],'together':true"},
    };
    assert_true(STORY(steps));
}

static void a_guest_leaves_early(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        PLACE("'rooms':[{'room':'double','from':'2026-12-20','to':'2026-12-28','capacity':1,"
              "'price':100}]"),
        {OP("s", "book",
            ITEMS("{'room':'double','from':'2026-12-23','to':'2026-12-27','quantity':1}")),
         "'total':400"},
        {OP("1", "exchange",
            B("s") ITEMS("{'room':'double','from':'2026-12-23','to':'2026-12-25','quantity':1}")),
         "'returned':[{'item':0,'room':'double','night':'2026-12-25','tokens':[0],'price':100},"
         "{'item':0,'room':'double','night':'2026-12-26','tokens':[0],'price':100}],'total':200,"
         "'difference':-200"},
        {OP("t", "book",
            ITEMS("{'room':'double','from':'2026-12-25','to':'2026-12-27','quantity':1}")),
         "'confirmed'"},
        {OP("2", "exchange",
            B("s") ITEMS("{'room':'double','from':'2026-12-23','to':'2026-12-26','quantity':1}")),
         "'reason':'not_enough','retryable':true,'booking':'s','customer':'c','items':[{'item':0,"
         "'asked':1,'given':0,'reason':'not_enough','free':0,'taken':['2026-12-25']}]"},
    };
    assert_true(STORY(steps));
}

/* ---- a part ---- */

static void a_part_is_confirmed_and_the_rest_returns(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ITEMS("{'seats':['A-1','A-2']},{'product':'mug','quantity':3}")),
         "'total':11400"},
        {OP("1", "confirm", B("h") ITEMS("{'seats':['A-3']},{'product':'mug','quantity':4}")),
         "'reason':'not_in_booking','retryable':false,'booking':'h','customer':'c','items':"
         "[{'item':0,'asked':1,'given':0,'reason':'not_in_booking','taken':['A-3']},{'item':1,"
         "'asked':4,'given':0,'reason':'not_in_booking'}]"},
        {OP("2", "confirm", B("h") ITEMS("{'product':'mug','quantity':1},{'seats':['A-2']}")),
         "'outcome':'confirmed','booking':'h','customer':'c','units':[{'item':0,'product':'mug',"
         "'quantity':1,'price':800},{'item':1,'section':'stalls','seats':['A-2'],'price':4500}],"
         "'returned':[{'item':0,'section':'stalls','seats':['A-1'],'price':4500},{'item':1,"
         "'product':'mug','quantity':2,'price':800}],'total':5300"},
        {OP("3", "book", ITEMS("{'seats':['A-1']},{'product':'mug','quantity':9}")), "'confirmed'"},
        {OP("4", "cancel", B("h")), "'total':5300"},
    };
    assert_true(STORY(steps));
}

static void a_part_is_confirmed_late(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ",'ttl_s':1" ITEMS("{'seats':['A-1','A-2']}")), "'held'"},
        {STORY_AFTER "1000", "'outcome':'expired'"},
        {OP("o", "book", ITEMS("{'seats':['A-1']}")), "'confirmed'"},
        {OP("1", "confirm", B("h")), "'reason':'hold_expired'"},
        {OP("2", "confirm", B("h") ITEMS("{'seats':['A-2']}")), "'total':4500"},
    };
    assert_true(STORY(steps));
}

/* Rows that came or went elsewhere do not matter; rows in the place of others do. */
static void a_late_confirm_knows_its_seats_by_name(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ",'ttl_s':1" ITEMS("{'seats':['B-1','B-2']}")), "'held'"},
        {STORY_AFTER "1000", "'outcome':'expired'"},
        {ASK("e", "define",
             ",'sections':[{'section':'stalls','rows':[{'row':'A','seats':4},{'row':'B','seats':3},"
             "{'row':'C','seats':9}]}]"),
         "'defined'"},
        {OP("1", "confirm", B("h") ITEMS("{'seats':['B-2']}")), "'confirmed'"},
        {OP("g", "hold", ",'ttl_s':1" ITEMS("{'seats':['B-1']}")), "'held'"},
        {STORY_AFTER "1000", "'outcome':'expired'"},
        {OP("x", "cancel", B("h")), "'cancelled'"},
        {ASK("f", "define",
             ",'sections':[{'section':'stalls','rows':[{'row':'A','seats':3},{'row':'B','seats':9}"
             "]}]"),
         "'defined'"},
        {OP("2", "confirm", B("g")), "'reason':'hold_expired'"},
    };
    assert_true(STORY(steps));
}

/* Where all seats exist the answer says how many are free; else which do not. */
static void a_late_confirm_tells_quotas_from_seats(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {ASK("q", "define", ",'quotas':[{'quota':'q','pools':['stalls'],'limit':2}]"), "'defined'"},
        {OP("h", "hold", ",'ttl_s':1" ITEMS("{'seats':['A-1','A-2']}")), "'held'"},
        {STORY_AFTER "1000", "'outcome':'expired'"},
        {OP("o", "book", ITEMS("{'seats':['B-1']}")), "'confirmed'"},
        {OP("1", "confirm", B("h")),
         "'items':[{'item':0,'asked':2,'given':0,'reason':'not_enough','free':1}]"},
        {OP("p", "book", ITEMS("{'seats':['A-2']}")), "'confirmed'"},
        {OP("2", "confirm", B("h")),
         "'items':[{'item':0,'asked':2,'given':0,'reason':'unit_taken','taken':['A-2']}]"},
        {OP("x", "cancel", B("p")), "'cancelled'"},
        {OP("3", "confirm", B("h") ITEMS("{'seats':['A-2']}")), "'outcome':'confirmed'"},
    };
    assert_true(STORY(steps));
}

#define NAME64 "a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h"
#define YEAR(rooms) \
    "{'room':'" NAME64 "','from':'2026-01-01','to':'2027-01-02','quantity':" rooms "}"
#define FIVE_YEARS(rooms) \
    YEAR(rooms) "," YEAR(rooms) "," YEAR(rooms) "," YEAR(rooms) "," YEAR(rooms)

/* Of each night one room is sold and one returns: twice what the answer to the hold was. */
static void a_part_too_large_to_answer_is_refused(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        PLACE("'rooms':[{'room':'" NAME64 "','from':'2026-01-01','to':'2027-01-02','capacity':10,"
              "'rates':{'" NAME64 "':1000000000000}}]"),
        {OP("h", "hold", ITEMS(FIVE_YEARS("2"))), "'outcome':'held'"},
        {OP("1", "confirm", B("h") ITEMS(FIVE_YEARS("1"))), "'reason':'limit_exceeded'"},
        {OP("2", "confirm", B("h") ITEMS(YEAR("2"))), "'outcome':'confirmed'"},
    };
    assert_true(STORY(steps));
}

/* ---- carts ---- */

static void a_cart_is_checked_out_at_once(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h1", "hold", ",'cart':'k'" ITEMS("{'seats':['A-1']}")), "'cart':'k'"},
        {OP("h2", "hold", ",'cart':'k'" ITEMS("{'product':'mug','quantity':2}")), "'held'"},
        {OP("h3", "hold", ",'cart':'other'" ITEMS("{'seats':['A-4']}")), "'held'"},
        {ASK("x", "confirm", ",'customer':'d','cart':'k'"), "'reason':'unknown_booking'"},
        {OP("1", "confirm", ",'cart':'k','payment':'p'"),
         "'outcome':'confirmed','customer':'c','cart':'k','payment':'p','units':[{'item':0,"
         "'section':'stalls','seats':['A-1'],'price':4500,'booking':'h1'},{'item':0,'product':"
         "'mug','quantity':2,'price':800,'booking':'h2'}],'total':6100,'currency':'EUR'"},
        {OP("2", "confirm", ",'cart':'k'"), "'reason':'unknown_booking'"},
        {OP("3", "release", ",'cart':'k'"), "'reason':'unknown_booking'"},
        {OP("4", "cancel", ",'cart':'k'"),
         "'outcome':'cancelled','customer':'c','cart':'k','returned':[{'item':0,'section':"
         "'stalls','seats':['A-1'],'price':4500,'booking':'h1'}"},
        {OP("5", "release", B("h3")), "'free':18"},
    };
    assert_true(STORY(steps));
}

static void every_use_of_a_cart_keeps_its_holds(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h1", "hold", ",'cart':'k','ttl_s':60" ITEMS("{'seats':['A-1']}")), "'held'"},
        {STORY_AFTER "50000", ""},
        {OP("h2", "hold", ",'cart':'k','ttl_s':100" ITEMS("{'seats':['A-2']}")), "'held'"},
        {STORY_AFTER "50000", ""}, /* the first one lasts, by its own time */
        {OP("1", "release", B("h2") ",'cart':'k'"), "'released'"},
        {STORY_AFTER "50000", ""},
        {OP("2", "extend", ",'cart':'k','ttl_s':20"), "'expires_at':'1970-01-01T00:20:10.000Z'"},
        /* a refusal is no use */
        {OP("3", "hold", ",'cart':'k'" ITEMS("{'seats':['A-1']}")), "'refused'"},
        {STORY_AFTER "60000", "'outcome':'expired'"},
    };
    assert_true(STORY(steps));
}

static void a_late_cart_is_confirmed_whole_or_not(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("old", "hold", ",'cart':'k','ttl_s':1" ITEMS("{'seats':['B-1']}")), "'held'"},
        {STORY_AFTER "1000", "'outcome':'expired'"},
        {STORY_AFTER "1000", ""},
        {OP("h1", "hold", ",'cart':'k','ttl_s':1" ITEMS("{'seats':['A-1']}")), "'held'"},
        {OP("h2", "hold", ",'cart':'k','ttl_s':5" ITEMS("{'seats':['A-2']}")), "'held'"},
        {STORY_AFTER "1000", "'booking':'h1'"},
        {OP("o", "book", ITEMS("{'seats':['A-1']}")), "'confirmed'"},
        {OP("1", "confirm", ",'cart':'k'"), "'reason':'hold_expired'"},
        {OP("2", "cancel", B("o")), "'cancelled'"},
        /* what ended before this cart began is a thing of the past */
        {OP("3", "confirm", ",'cart':'k'"), "'total':9000"},
    };
    assert_true(STORY(steps));
}

static void a_late_cart_that_is_refused_keeps_nothing(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h1", "hold", ",'cart':'k','ttl_s':1" ITEMS("{'seats':['A-1']}")), "'held'"},
        {OP("h2", "hold", ",'cart':'k','ttl_s':2" ITEMS("{'seats':['A-2']}")), "'held'"},
        {STORY_AFTER "1000", "'booking':'h1'"},
        {STORY_AFTER "1000", "'booking':'h2'"},
        {OP("o", "book", ITEMS("{'seats':['A-2']}")), "'confirmed'"},
        {OP("1", "confirm", ",'cart':'k'"), "'reason':'hold_expired'"},
        {OP("p", "book", ITEMS("{'seats':['A-1']}")), "'confirmed'"},
    };
    assert_true(STORY(steps));
}

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

/* ---- the note ---- */

/* A repeat has it, too, and another note is another request. */
static void whoever_ends_a_booking_may_say_why(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ",'note':'by the door'" ITEMS("{'seats':['A-1']}")), "'held','booking'"},
        {OP("s", "book", ",'cart':'k'" ITEMS("{'seats':['A-2']}")), "'confirmed'"},
        {OP("t", "book", ",'cart':'k'" ITEMS("{'seats':['A-3']}")), "'confirmed'"},
        {ASK("b", "block", ITEMS("{'seats':['B-1']}")), "'blocked'"},
        {OP("w", "hold", ",'wait_until':'2030-01-01T00:00:00Z'" ITEMS("{'seats':['B-1']}")),
         "'waiting'"},
        {OP("1", "cancel", ",'note':'ill'" B("h")), "'reason':'not_confirmed','retryable':false,"
                                                    "'booking':'h'"},
        {OP("2", "release", ",'note':'no \\'show\\''" B("h")),
         "'outcome':'released','detail':'no \\'show\\'','booking':'h','customer':'c','returned':"},
        {OP("2", "release", ",'note':'no \\'show\\''" B("h")),
         "'outcome':'released','detail':'no \\'show\\'','booking':'h'"},
        {OP("2", "release", ",'note':'late'" B("h")), "'reason':'id_reused'"},
        {OP("3", "cancel", ",'cart':'k','note':'ill'"),
         "'outcome':'cancelled','detail':'ill','customer':'c','cart':'k','returned':"},
        {OP("4", "leave", ",'note':'went home'" B("w")),
         "'outcome':'left','detail':'went home','booking':'w'"},
        {ASK("5", "unblock", ",'note':'repaired'" B("b")),
         "'outcome':'released','detail':'repaired','booking':'b'"},
        {OP("x", "book", ITEMS("{'seats':['A-1']}")), "'confirmed'"},
        {OP("6", "cancel", ",'note':''" B("x")), "'outcome':'cancelled','booking':'x'"},
    };
    assert_true(STORY(steps));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_hold_is_extended_up_to_a_cap),
    cmocka_unit_test(the_house_says_how_long_a_hold_is_extended),
    cmocka_unit_test(a_party_is_served_for_as_long_as_the_house_says_by_then),
    cmocka_unit_test(a_booking_gets_another_owner),
    cmocka_unit_test(seats_around_one_that_is_kept_are_one_piece),
    cmocka_unit_test(seats_are_exchanged_in_a_full_hall),
    cmocka_unit_test(what_is_kept_keeps_its_price),
    cmocka_unit_test(what_is_kept_keeps_its_rate_unless_another_is_named),
    cmocka_unit_test(a_party_stays_where_it_sits),
    cmocka_unit_test(a_guest_leaves_early),
    cmocka_unit_test(a_part_is_confirmed_and_the_rest_returns),
    cmocka_unit_test(a_part_is_confirmed_late),
    cmocka_unit_test(a_late_confirm_knows_its_seats_by_name),
    cmocka_unit_test(a_late_confirm_tells_quotas_from_seats),
    cmocka_unit_test(a_part_too_large_to_answer_is_refused),
    cmocka_unit_test(a_cart_is_checked_out_at_once),
    cmocka_unit_test(every_use_of_a_cart_keeps_its_holds),
    cmocka_unit_test(a_late_cart_is_confirmed_whole_or_not),
    cmocka_unit_test(a_late_cart_that_is_refused_keeps_nothing),
    cmocka_unit_test(a_cart_has_an_end),
    cmocka_unit_test(a_cart_of_very_many_units_is_not_done_with_at_once),
    cmocka_unit_test(whoever_ends_a_booking_may_say_why),
};
UNIT_TESTS(test_decide_bookings, tests, NULL, NULL)
