/* See random_requests.h. */
#include "random_requests.h"

#include <string.h>

static uint32_t dice_state;
static uint32_t booking_count; /* asked for so far */

uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)dice_state * sides >> 32);
}

void random_begin(uint32_t seed)
{
    dice_state = seed;
    booking_count = 0;
}

/* ---- what is in them ---- */

enum {
    RESOURCES = 4,
    CUSTOMERS = 2
};

static const char *const items[] = {
    "{'seats':['A-%1$u','B-%2$u']}",
    "{'seats':['C-%1$u']},{'section':'pit','quantity':%2$u}",
    "{'section':'stalls','quantity':%1$u}",
    "{'section':'stalls','quantity':%1$u,'together':true}",
    "{'room':'double','from':'2026-12-2%1$u','to':'2026-12-29','quantity':%2$u}",
    "{'product':'mug','quantity':%1$u},{'product':'mug','quantity':%2$u}",
    "{'section':'pit','quantity':%1$u,'rate':'standard'}",
    "{'product':'mug','quantity':%1$u,'rate':'red'}",
    "{'sections':['balcony','stalls'],'quantity':%1$u}",
};

/* Pools come, go, grow and shrink. */
static const char house[] =
    "'state':'open','sections':[{'section':'stalls','price':%1$u,'rows':[{'row':'A','seats':6},"
    "{'row':'B','seats':5},{'row':'A','seats':3,'first':10}]},{'section':'pit','capacity':9}],"
    "'rooms':[{'room':'double','from':'2026-12-20','to':'2026-12-29','capacity':3,'price':%2$u}],"
    "'products':[{'product':'mug','capacity':7,'price':%2$u}]";
static const char other_rows[] =
    "'state':'open','sections':[{'section':'stalls','rows':[{'row':'B','seats':6},{'row':'A',"
    "'seats':4}]},{'section':'pit','capacity':8}]";

static const char *const defines[] = {
    house,
    other_rows,
    "'sections':[{'section':'pit','capacity':1%1$u,'price':%2$u}],'hold_ttl_s':%1$u0",
    "'sections':[{'section':'balcony','rows':[{'row':'C','seats':%1$u}]}]",
    "'rooms':[{'room':'double','from':'2026-12-2%1$u','to':'2026-12-29','capacity':%2$u}]",
    "'products':[{'product':'mug','capacity':%1$u}],'name':'name %2$u'",
    "'sections':[{'section':'stalls','capacity':%1$u}]",
    "'products':[{'product':'mug','overbook':%2$u,'rates':{'red':%1$u,'standard':%2$u}}]",
    "'sections':[{'section':'pit','overbook':%1$u}],'strategy':'random'",
    "'rooms':[{'room':'double','from':'2026-12-2%1$u','to':'2026-12-29','rates':{'red':%2$u}}]",
    "'sections':[{'section':'pit','rates':{'red':%2$u,'standard':%1$u}}]",
    "'rooms':[{'room':'double','from':'2026-12-22','to':'2026-12-29','price':%1$u}]",
    "'quotas':[{'quota':'q','pools':['pit','mug'],'limit':1%1$u}],'strategy':'first'",
    "'quotas':[{'quota':'q','pools':[]},{'quota':'n','pools':['double'],'limit':%1$u}]",
    "'limits':{'units_min':%1$u},'strategy':'best'",
    "'limits':{'hold_total_s':%1$u%2$u},'hold_ttl_s':%2$u",
};

/* Customers are to be counted then: see random_upheaval. */
static const char *const some_limits[] = {
    "'limits':{'units_per_customer':1%1$u,'holds_per_customer':%2$u}",
    "'limits':{'units_per_request':%1$u,'groups':[{'pools':['pit','double'],'limit':%2$u}]}",
    "'limits':{}",
};

/* What follows the envelope: two numbers thrown for whatever wants some. */
static const char *fill_in(struct usher_arena *arena, const char *const *texts, size_t count)
{
    const char *format = texts[dice((uint32_t)count)];
    uint32_t first = 1 + dice(6), second = 1 + dice(4);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return usher_arena_format(arena, format, first, second);
#pragma GCC diagnostic pop
}

#define FILL(arena, texts) fill_in(arena, texts, sizeof(texts) / sizeof(*(texts)))

/* Who changes one mostly means one of the latest. */
static uint32_t some_booking(void)
{
    uint32_t back = dice(8) ? dice(12) : dice(200);
    return booking_count > back ? booking_count - back : 0;
}

/* What else a hold, a book or a block may say; the time is up to two minutes from now. */
static const char *extras(struct usher_arena *arena, const char *op, int64_t now_ms)
{
    char until[USHER_INSTANT_SIZE];
    usher_instant_format(now_ms + 1000 + dice(120000), until);
    bool is_block = strcmp(op, "block") == 0;
    switch (dice(6)) {
    case 0:
        return ",'shortage':'partial'";
    case 1:
        return is_block ? usher_arena_format(arena, ",'return_at':'%s'", until)
                        : usher_arena_format(arena, ",'cart':'k%u'", dice(2));
    case 2:
        return is_block ? "" : usher_arena_format(arena, ",'from_block':'b%u'", some_booking());
    case 3:
    case 4:
        return strcmp(op, "hold") == 0 ? usher_arena_format(arena, ",'wait_until':'%s'", until)
                                       : "";
    default:
        return "";
    }
}

/* Each booking has a resource and a customer of its own, which most requests know. */
static uint32_t resource_of(uint32_t booking)
{
    return (dice(12) ? booking : dice(100)) % RESOURCES;
}

static uint32_t customer_of(uint32_t booking)
{
    return (dice(12) ? booking / RESOURCES : dice(100)) % CUSTOMERS;
}

static const char *a_hold(struct usher_arena *arena, const char *op, int64_t now_ms)
{
    uint32_t booking = dice(15) ? ++booking_count : some_booking();
    const char *customer = strcmp(op, "block") == 0
                               ? "'note':'n'"
                               : usher_arena_format(arena, "'customer':'c%u','ttl_s':%u",
                                                    customer_of(booking), 1 + dice(90));
    return usher_arena_format(arena,
                              "{'request_id':'b%u','op':'%s','resource':'r%u','client':'web',%s,"
                              "'items':[%s]%s}",
                              booking, op, resource_of(booking), customer, FILL(arena, items),
                              extras(arena, op, now_ms));
}

/* What an operation on a booking says beside the booking. */
static const char *details(struct usher_arena *arena, const char *op)
{
    if (strcmp(op, "exchange") == 0 || (strcmp(op, "confirm") == 0 && dice(4) == 0))
        return usher_arena_format(arena, ",'items':[%s]", FILL(arena, items));
    if (strcmp(op, "extend") == 0)
        return usher_arena_format(arena, ",'ttl_s':%u", 1 + dice(200));
    if (strcmp(op, "transfer") == 0)
        return usher_arena_format(arena, ",'to_customer':'c%u'", dice(CUSTOMERS));
    return dice(4) == 0 ? usher_arena_format(arena, ",'cart':'k%u'", dice(2)) : "";
}

static const char *a_change(struct usher_arena *arena, const char *op)
{
    uint32_t booking = some_booking();
    return usher_arena_format(arena,
                              "{'request_id':'%s-%u-%u','op':'%s','resource':'r%u','customer':"
                              "'c%u','booking':'b%u'%s}",
                              op, booking, dice(3), op, resource_of(booking), customer_of(booking),
                              booking, details(arena, op));
}

static const char *a_cart(struct usher_arena *arena)
{
    static const char *const ops[] = {"confirm", "release", "cancel", "extend"};
    const char *op = ops[dice(4)];
    return usher_arena_format(arena,
                              "{'request_id':'%s-c%u','op':'%s','resource':'r%u','customer':'c%u',"
                              "'cart':'k%u'%s}",
                              op, dice(200), op, dice(RESOURCES), dice(CUSTOMERS), dice(2),
                              strcmp(op, "extend") == 0 ? ",'ttl_s':100" : "");
}

const char *random_define(struct usher_arena *arena)
{
    return usher_arena_format(arena, "{'request_id':'d%u','op':'define','resource':'r%u',%s}",
                              dice(1000), dice(RESOURCES), FILL(arena, defines));
}

const char *random_request(struct usher_arena *arena, int64_t now_ms)
{
    static const char *const changes[] = {"confirm",  "confirm",  "release", "cancel", "exchange",
                                          "exchange", "transfer", "extend",  "leave",  "unblock"};
    switch (dice(14)) {
    case 0:
        return random_define(arena);
    case 1:
        return usher_arena_format(arena, "{'request_id':'p%u','op':'probe','resource':'r%u'}",
                                  dice(20), dice(RESOURCES));
    case 2:
        return usher_arena_format(arena, "{'request_id':'o%u','op':'%s','resource':'r%u'}",
                                  dice(100), dice(20) ? "open" : "close", dice(RESOURCES));
    case 3:
        return a_hold(arena, dice(3) ? "book" : "block", now_ms);
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
        return a_hold(arena, "hold", now_ms);
    case 9:
        return a_cart(arena);
    default:
        return a_change(arena, changes[dice(10)]);
    }
}

const char *random_upheaval(struct usher_arena *arena)
{
    if (dice(2))
        return usher_arena_format(
            arena, "{'request_id':'l%u','op':'define','resource':'r%u','state':'open',%s}",
            dice(1000), dice(RESOURCES), FILL(arena, some_limits));
    return usher_arena_format(
        arena, "{'request_id':'x%u','op':'close','resource':'r%u','cancel_bookings':true}",
        dice(1000), dice(RESOURCES));
}
