/*
 * Answers: the bytes of each shape as the contract has them, and back again.
 */
#include <string.h>

#include "producer/codec/answer_fields.h"
#include "quotes.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

static const char *const seats[] = {"C-7", "C-8"};
static const char *const places[] = {"Block D, row 1, seat 7", "Block D, row 1, seat 8"};
static const char *const taken_seats[] = {"B-5"};
static const char *const taken_nights[] = {"2026-12-24", "2026-12-25"};
static const int32_t tokens[] = {3, 4};
static const int64_t nights_free[] = {18, 0, USHER_ABSENT};
static const int64_t nights_total[] = {20, 20, USHER_ABSENT};
static const int64_t nights_price[] = {12900, USHER_ABSENT, USHER_ABSENT};

static const struct usher_units all_units[] = {
    {.item = 0,
     .kind = USHER_SEATS,
     .pool = "stalls",
     .price = 4500,
     .quantity = 2,
     .seats = seats,
     .member = USHER_ABSENT},
    {.item = 1,
     .kind = USHER_SECTION,
     .pool = "standing",
     .price = 0,
     .quantity = 3,
     .member = USHER_ABSENT},
    {.item = 2,
     .kind = USHER_ROOM,
     .pool = "double",
     .night = 20811,
     .price = 18900,
     .quantity = 2,
     .tokens = tokens,
     .member = USHER_ABSENT},
    {.item = 3,
     .kind = USHER_PRODUCT,
     .pool = "sku",
     .price = 500,
     .quantity = 1,
     .member = USHER_ABSENT},
};

/* Of an answer that says nothing of these; every shape begins with it. */
#define NOTHING_ELSE                                                               \
    .together = -1, .overbooked = USHER_ABSENT, .difference = USHER_ABSENT,        \
    .position = USHER_ABSENT, .opens_ms = USHER_ABSENT, .closes_ms = USHER_ABSENT, \
    .ends_ms = USHER_ABSENT, .waiting = USHER_ABSENT

static const char *const known_features[] = {"aisle", "accessible"};

static const struct usher_restricted restricted[] = {
    {.rule = USHER_MIN_STAY_ARRIVAL, .date = 20811, .nights = 7},
    {.rule = USHER_CLOSED_TO_ARRIVAL, .date = 20811, .next = 20813},
};

static const struct usher_shortfall shortfalls[] = {
    {.item = 0,
     .asked = 1,
     .reason = USHER_UNIT_TAKEN,
     .free = USHER_ABSENT,
     .taken = taken_seats,
     .taken_count = 1,
     .places = places},
    {.item = 1, .asked = 2, .reason = USHER_NOT_ENOUGH, .free = 1},
    {.item = 2,
     .asked = 4,
     .reason = USHER_NOT_ENOUGH,
     .free = 0,
     .taken = taken_nights,
     .taken_count = 2,
     .rate = "early"},
    {.item = 3,
     .asked = 1,
     .reason = USHER_UNKNOWN_FEATURE,
     .free = USHER_ABSENT,
     .unknown = "ramp",
     .known = known_features,
     .known_count = 2},
    {.item = 4,
     .asked = 1,
     .reason = USHER_RESTRICTED,
     .free = USHER_ABSENT,
     .restricted = &restricted[0]},
};

static const struct usher_rate_left left_at_rates[] = {{"standard", 7}, {"early", 0}};

static const struct usher_pool_status pools[] = {
    {.kind = USHER_SECTION,
     .pool = "stalls",
     .free = 298,
     .held = 4,
     .sold = 60,
     .blocked = 0,
     .total = 362,
     .price = 4500,
     .left = left_at_rates,
     .left_count = 2},
    {.kind = USHER_PRODUCT,
     .pool = "sku",
     .free = 1,
     .held = 0,
     .sold = 2,
     .blocked = 0,
     .total = 3,
     .price = USHER_ABSENT},
    {.kind = USHER_ROOM,
     .pool = "double",
     .from = 20811,
     .night_count = 3,
     .night_free = nights_free,
     .night_total = nights_total,
     .night_price = nights_price},
};

static const struct usher_units cart_units[] = {
    {.kind = USHER_SEATS,
     .pool = "stalls",
     .price = 4500,
     .quantity = 2,
     .seats = seats,
     .places = places,
     .together = -1,
     .rate = "adult",
     .booking = "web-2",
     .member = 2},
    {.kind = USHER_ROOM,
     .pool = "double",
     .night = 20811,
     .price = 1,
     .quantity = 2,
     .tokens = tokens,
     .booking = "web-9",
     .member = USHER_ABSENT},
};

static const int64_t nights_over[] = {0, 1, USHER_ABSENT};
static const struct usher_rate rates[] = {{"child", 2500}, {"adult", 4500}};
static const struct usher_rate gold[] = {{"gold", 7}};
static const struct usher_night_rate night_rates[] = {{"adult", nights_price},
                                                      {"saver", nights_free}};

static const struct usher_pool_status rated_pools[] = {
    {.kind = USHER_SECTION,
     .pool = "stalls",
     .free = 298,
     .held = 4,
     .sold = 60,
     .total = 362,
     .price = 2500,
     .overbook = 3,
     .over = 2,
     .rates = rates,
     .rate_count = 2},
    {.kind = USHER_PRODUCT,
     .pool = "sku",
     .free = 1,
     .sold = 2,
     .total = 3,
     .price = 7,
     .rates = gold,
     .rate_count = 1},
    {.kind = USHER_ROOM,
     .pool = "double",
     .from = 20811,
     .night_count = 3,
     .night_free = nights_free,
     .night_total = nights_total,
     .night_price = nights_price,
     .night_over = nights_over,
     .night_over_count = 3,
     .night_rates = night_rates,
     .night_rate_count = 2,
     .restricted = &restricted[1]},
};

#define TIME 1798140600250
#define AT "'decided_at':'2026-12-24T19:30:00.250Z'"

static const struct usher_booking_status bookings[] = {
    {"web-2", "held", "c", "k", NULL, 2, 9000, TIME, USHER_ABSENT},
    {"web-9", "waiting", "c", NULL, NULL, 0, 0, TIME, 17},
    {"desk-1", "blocked", NULL, NULL, NULL, 4, 0, USHER_ABSENT, USHER_ABSENT},
    {"web-3", "confirmed", "c", "k", "pi", 1, 4500, USHER_ABSENT, USHER_ABSENT},
};

struct shape {
    struct usher_answer answer;
    const char *json;
};

static const struct shape shapes[] = {
    {{NOTHING_ELSE,
      .request_id = "web-2",
      .op = USHER_OP_HOLD,
      .resource = "show:x",
      .client = "web",
      .seq = 88,
      .epoch = 7,
      .source_partition = 4,
      .source_offset = 88240,
      .outcome = USHER_HELD,
      .customer = "c",
      .cart = "k",
      .booking = "web-2",
      .units = all_units,
      .units_count = 4,
      .total = 47300,
      .currency = "GBP",
      .expires_ms = TIME,
      .decided_ms = TIME,
      .rev = 87,
      .free = 41},
     "{'request_id':'web-2','op':'hold','resource':'show:x','client':'web','outcome':'held',"
     "'booking':'web-2','customer':'c','cart':'k','units':["
     "{'item':0,'section':'stalls','seats':['C-7','C-8'],'price':4500},"
     "{'item':1,'section':'standing','quantity':3,'price':0},"
     "{'item':2,'room':'double','night':'2026-12-24','tokens':[3,4],'price':18900},"
     "{'item':3,'product':'sku','quantity':1,'price':500}],'total':47300,'currency':'GBP',"
     "'expires_at':'2026-12-24T19:30:00.250Z'," AT ",'rev':87,'free':41,'seq':88,'epoch':7,"
     "'source':{'partition':4,'offset':88240}}"},
    {{NOTHING_ELSE, .request_id = "web-3", .op = USHER_OP_BOOK, .resource = "show:x", .seq = 1,
      .epoch = 1, .source_offset = 0, .outcome = USHER_REFUSED, .reason = USHER_UNIT_TAKEN,
      .retryable = true, .customer = "c", .items = shortfalls, .items_count = 5,
      .total = USHER_ABSENT, .expires_ms = USHER_ABSENT, .decided_ms = TIME, .rev = 12, .free = 0,
      .replayed = true},
     "{'request_id':'web-3','op':'book','resource':'show:x','outcome':'refused',"
     "'reason':'unit_taken','retryable':true,'customer':'c','items':["
     "{'item':0,'asked':1,'given':0,'reason':'unit_taken','taken':['B-5'],'places':['Block D, row "
     "1, seat 7']},"
     "{'item':1,'asked':2,'given':0,'reason':'not_enough','free':1},"
     "{'item':2,'asked':4,'given':0,'reason':'not_enough','free':0,"
     "'taken':['2026-12-24','2026-12-25'],'rate':'early'},"
     "{'item':3,'asked':1,'given':0,'reason':'unknown_feature','unknown':'ramp',"
     "'known':['aisle','accessible']},"
     "{'item':4,'asked':1,'given':0,'reason':'restricted','restricted':{'rule':'min_stay_arrival',"
     "'date':'2026-12-24','nights':7}}]," AT ",'rev':12,'free':0,'replayed':true,"
     "'seq':1,'epoch':1,'source':{'partition':0,'offset':0}}"},
    {{NOTHING_ELSE, .op = USHER_OP_NONE, .resource = "show:x", .seq = 2, .epoch = 1,
      .source_partition = 11, .source_offset = 5, .outcome = USHER_INVALID,
      .reason = USHER_MALFORMED, .detail = "op: \"x\\y\" is\nnot known", .total = USHER_ABSENT,
      .expires_ms = USHER_ABSENT, .decided_ms = TIME, .rev = USHER_ABSENT, .free = USHER_ABSENT},
     "{'request_id':null,'resource':'show:x','outcome':'invalid','reason':'malformed',"
     "'retryable':false,'detail':'op: \\'x\\\\y\\' is\\u000anot known'," AT ",'seq':2,'epoch':1,"
     "'source':{'partition':11,'offset':5}}"},
    {{NOTHING_ELSE, .request_id = "web-2", .op = USHER_OP_HOLD, .resource = "show:x",
      .client = "web", .seq = 99, .epoch = 8, .source_offset = USHER_ABSENT,
      .outcome = USHER_EXPIRED, .cause = "expiry", .customer = "c", .booking = "web-2",
      .returned = all_units, .returned_count = 1, .total = USHER_ABSENT, .expires_ms = USHER_ABSENT,
      .decided_ms = TIME, .rev = 99, .free = 43},
     "{'request_id':'web-2','op':'hold','resource':'show:x','client':'web','outcome':'expired',"
     "'unasked':true,'cause':'expiry','booking':'web-2','customer':'c','returned':["
     "{'item':0,'section':'stalls','seats':['C-7','C-8'],'price':4500}]," AT
     ",'rev':99,'free':43,'seq':99,'epoch':8}"},
    {{NOTHING_ELSE, .request_id = "p", .op = USHER_OP_PROBE, .resource = "show:x", .seq = 3,
      .epoch = 1, .source_offset = 6, .outcome = USHER_ALIVE, .pools = pools, .pools_count = 3,
      .currency = "GBP", .next = "double/2026-12-27", .total = USHER_ABSENT,
      .expires_ms = USHER_ABSENT, .decided_ms = TIME, .rev = 1, .free = 299},
     "{'request_id':'p','op':'probe','resource':'show:x','outcome':'alive','currency':'GBP',"
     "'pools':[{'section':'stalls','free':298,'held':4,'sold':60,'blocked':0,'total':362,"
     "'rates':{'standard':4500},'left_at_rates':{'standard':7,'early':0}},"
     "{'product':'sku','free':1,'held':0,'sold':2,'blocked':0,'total':3},"
     "{'room':'double','from':'2026-12-24','free':[18,0,null],'total':[20,20,null],"
     "'price':[12900,null,null]}],'next':'double/2026-12-27'," AT ",'rev':1,'free':299,'seq':3,"
     "'epoch':1,'source':{'partition':0,'offset':6}}"},
    {{NOTHING_ELSE, .request_id = "d", .op = USHER_OP_DEFINE, .resource = "show:x", .seq = 4,
      .epoch = 1, .source_offset = 7, .outcome = USHER_DEFINED, .change = USHER_SAME,
      .chart = "sha256:ab", .total = USHER_ABSENT, .expires_ms = USHER_ABSENT, .decided_ms = 0,
      .rev = 4, .free = 14600, .payment = "pi"},
     "{'request_id':'d','op':'define','resource':'show:x','outcome':'defined','change':'same',"
     "'payment':'pi',"
     "'chart':'sha256:ab','decided_at':'1970-01-01T00:00:00.000Z','rev':4,'free':14600,'seq':4,"
     "'epoch':1,'source':{'partition':0,'offset':7}}"},
    {{.request_id = "web-4",
      .op = USHER_OP_EXCHANGE,
      .resource = "show:x",
      .seq = 5,
      .epoch = 1,
      .source_offset = 8,
      .outcome = USHER_EXCHANGED,
      .customer = "c",
      .booking = "web-2",
      .units = cart_units,
      .units_count = 2,
      .returned = all_units,
      .returned_count = 1,
      .items = shortfalls,
      .items_count = 1,
      .own_hold = "web-3",
      .together = 1,
      .overbooked = 2,
      .total = 47300,
      .difference = -1500,
      .currency = "GBP",
      .expires_ms = TIME,
      .position = 17,
      .opens_ms = USHER_ABSENT,
      .closes_ms = USHER_ABSENT,
      .ends_ms = USHER_ABSENT,
      .waiting = USHER_ABSENT,
      .decided_ms = TIME,
      .rev = 5,
      .free = 40},
     "{'request_id':'web-4','op':'exchange','resource':'show:x','outcome':'exchanged',"
     "'booking':'web-2','customer':'c','units':["
     "{'item':0,'section':'stalls','seats':['C-7','C-8'],'places':['Block D, row 1, seat 7',"
     "'Block D, row 1, seat 8'],'price':4500,'rate':'adult',"
     "'booking':'web-2','together':false,'member':2},"
     "{'item':0,'room':'double','night':'2026-12-24','tokens':[3,4],'price':1,'booking':'web-9'}],"
     "'returned':[{'item':0,'section':'stalls','seats':['C-7','C-8'],'price':4500}],"
     "'items':[{'item':0,'asked':1,'given':0,'reason':'unit_taken','taken':['B-5'],'places':['"
     "Block D, row 1, seat 7']}],"
     "'own_hold':'web-3','together':true,'overbooked':2,'total':47300,'difference':-1500,'currency'"
     ":'GBP',"
     "'expires_at':'2026-12-24T19:30:00.250Z','position':17," AT ",'rev':5,'free':40,'seq':5,"
     "'epoch':1,'source':{'partition':0,'offset':8}}"},
    {{.request_id = "p",
      .op = USHER_OP_PROBE,
      .resource = "show:x",
      .seq = 6,
      .epoch = 1,
      .source_offset = 9,
      .outcome = USHER_ALIVE,
      .together = 0,
      .overbooked = USHER_ABSENT,
      .total = USHER_ABSENT,
      .difference = USHER_ABSENT,
      .expires_ms = USHER_ABSENT,
      .position = USHER_ABSENT,
      .pools = rated_pools,
      .pools_count = 3,
      .next = "x",
      .state = USHER_OPEN,
      .opens_ms = 0,
      .closes_ms = TIME,
      .ends_ms = TIME + 1000,
      .timezone = "Europe/Paris",
      .waiting = 0,
      .decided_ms = TIME,
      .rev = 5,
      .free = 40},
     "{'request_id':'p','op':'probe','resource':'show:x','outcome':'alive','together':false,"
     "'pools':[{'section':'stalls','free':298,'held':4,'sold':60,'blocked':0,'total':362,"
     "'overbook':3,'over':2,'rates':{'child':2500,'adult':4500}},"
     "{'product':'sku','free':1,'held':0,'sold':2,'blocked':0,'total':3,'rates':{'gold':7}},"
     "{'room':'double','from':'2026-12-24','free':[18,0,null],'total':[20,20,null],"
     "'price':[12900,null,null],'over':[0,1,null],'rates':{'adult':[12900,null,null],'saver':[18,0,"
     "null]},'restricted':{'rule':"
     "'closed_to_arrival','date':'2026-12-24','next':'2026-12-26'}}],"
     "'next':'x','state':'open','opens_at':'1970-01-01T00:00:00.000Z',"
     "'closes_at':'2026-12-24T19:30:00.250Z','ends_at':'2026-12-24T19:30:01.250Z',"
     "'timezone':'Europe/Paris','waiting':0," AT ",'rev':5,'free':40,'seq':6,"
     "'epoch':1,'source':{'partition':0,'offset':9}}"},
    {{NOTHING_ELSE, .request_id = "q", .op = USHER_OP_PROBE, .resource = "show:x", .seq = 3,
      .epoch = 1, .source_offset = 6, .outcome = USHER_ALIVE, .bookings = bookings,
      .bookings_count = 4, .total = USHER_ABSENT, .expires_ms = USHER_ABSENT, .decided_ms = TIME,
      .rev = 1, .free = 299},
     "{'request_id':'q','op':'probe','resource':'show:x','outcome':'alive','bookings':["
     "{'booking':'web-2','state':'held','customer':'c','cart':'k','units':2,'total':9000,"
     "'expires_at':'2026-12-24T19:30:00.250Z'},"
     "{'booking':'web-9','state':'waiting','customer':'c','units':0,'total':0,"
     "'expires_at':'2026-12-24T19:30:00.250Z','position':17},"
     "{'booking':'desk-1','state':'blocked','units':4,'total':0},"
     "{'booking':'web-3','state':'confirmed','customer':'c','cart':'k','payment':'pi','units':1,"
     "'total':4500}]," AT ",'rev':1,'free':299,'seq':3,"
     "'epoch':1,'source':{'partition':0,'offset':6}}"},
};
enum {
    SHAPE_COUNT = sizeof shapes / sizeof shapes[0],
};

static void answer_encode(const struct usher_answer *answer, struct usher_buffer *out)
{
    struct usher_buffer body = {NULL, 0, 0};
    answer_body_encode(answer, &body);
    answer_wrap(answer, body.at, body.size, out);
    usher_buffer_append(out, "", 1);
    usher_buffer_deinit(&body);
}

static void each_shape_is_as_the_contract_has_it(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        struct usher_buffer out = {NULL, 0, 0};
        answer_encode(&shapes[i].answer, &out);
        assert_string_equal(out.at, quotes_double(&arena, shapes[i].json));
        usher_buffer_deinit(&out);
    }
    usher_arena_deinit(&arena);
}

static void what_is_decoded_encodes_to_the_same(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const char *json = quotes_double(&arena, shapes[i].json);
        struct usher_answer answer;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        if (usher_answer_decode(json, strlen(json), &arena, &answer, &err) != USHER_OK)
            fail_msg("%s: %s", json, err.text);
        struct usher_buffer out = {NULL, 0, 0};
        answer_encode(&answer, &out);
        assert_string_equal(out.at, json);
        usher_buffer_deinit(&out);
    }
    usher_arena_deinit(&arena);
}

/* Decoded by name into the right places; the other direction is the table above. */
static void each_field_has_its_place(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    const char *json = quotes_double(&arena, shapes[0].json);
    struct usher_answer answer;
    assert_int_equal(usher_answer_decode(json, strlen(json), &arena, &answer, NULL), USHER_OK);
    assert_int_equal(answer.outcome, USHER_HELD);
    assert_int_equal(answer.reason, USHER_REASON_NONE);
    assert_string_equal(answer.booking, "web-2");
    assert_int_equal(answer.seq, 88);
    assert_int_equal(answer.epoch, 7);
    assert_int_equal(answer.rev, 87);
    assert_int_equal(answer.free, 41);
    assert_int_equal(answer.source_partition, 4);
    assert_int_equal(answer.source_offset, 88240);
    assert_int_equal(answer.units_count, 4);
    assert_int_equal(answer.units[0].quantity, 2);
    assert_int_equal(answer.units[2].tokens[1], 4);
    assert_int_equal(answer.units[2].night, 20811);
    assert_true(answer.expires_ms == TIME);
    assert_null(answer.cause);

    json = quotes_double(&arena, shapes[4].json);
    assert_int_equal(usher_answer_decode(json, strlen(json), &arena, &answer, NULL), USHER_OK);
    assert_int_equal(answer.pools_count, 3);
    assert_int_equal(answer.pools[0].held, 4);
    assert_int_equal(answer.pools[0].sold, 60);
    assert_int_equal(answer.pools[0].price, 4500);
    assert_true(answer.pools[2].night_free[2] == USHER_ABSENT);
    assert_int_equal(answer.pools[2].night_price[0], 12900);
    assert_int_equal(answer.together, -1);
    assert_true(answer.position == USHER_ABSENT);
    assert_int_equal(answer.pools[0].rate_count, 0);

    json = quotes_double(&arena, shapes[6].json);
    assert_int_equal(usher_answer_decode(json, strlen(json), &arena, &answer, NULL), USHER_OK);
    assert_int_equal(answer.op, USHER_OP_EXCHANGE);
    assert_int_equal(answer.outcome, USHER_EXCHANGED);
    assert_string_equal(answer.units[0].rate, "adult");
    assert_string_equal(answer.units[1].booking, "web-9");
    assert_null(answer.units[1].rate);
    assert_int_equal(answer.together, 1);
    assert_int_equal(answer.overbooked, 2);
    assert_int_equal(answer.difference, -1500);
    assert_int_equal(answer.position, 17);
    assert_int_equal(answer.state, USHER_STATE_ABSENT);

    json = quotes_double(&arena, shapes[7].json);
    assert_int_equal(usher_answer_decode(json, strlen(json), &arena, &answer, NULL), USHER_OK);
    assert_int_equal(answer.together, 0);
    assert_int_equal(answer.state, USHER_OPEN);
    assert_int_equal(answer.opens_ms, 0);
    assert_true(answer.closes_ms == TIME);
    assert_true(answer.ends_ms == TIME + 1000);
    assert_int_equal(answer.waiting, 0);
    assert_int_equal(answer.pools[0].overbook, 3);
    assert_int_equal(answer.pools[0].price, 2500);
    assert_string_equal(answer.pools[0].rates[1].rate, "adult");
    assert_int_equal(answer.pools[1].price, 7);
    assert_int_equal(answer.pools[2].night_rate_count, 2);
    assert_string_equal(answer.pools[2].night_rates[1].rate, "saver");
    assert_int_equal(answer.pools[2].night_rates[1].prices[0], 18);
    assert_int_equal(answer.pools[2].restricted->rule, USHER_CLOSED_TO_ARRIVAL);
    assert_int_equal(answer.pools[2].restricted->next, 20813);
    usher_arena_deinit(&arena);
}

/* Fields, outcomes, reasons and kinds may be added: an old client goes on. */
static void the_unknown_is_accepted(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    const char *json = quotes_double(
        &arena, "{'request_id':'a','op':'swap','outcome':'swapped','reason':'tired',"
                "'humour':1,'state':'dusk','units':[{'item':0,'slot':'x','hours':[1]},"
                "{'item':0,'product':'p','quantity':1,'price':1,'colour':'red'}],"
                "'pools':[{'slot':'x','free':1}],'retryable':true,'together':false}");
    struct usher_answer answer;
    assert_int_equal(usher_answer_decode(json, strlen(json), &arena, &answer, NULL), USHER_OK);
    assert_int_equal(answer.op, USHER_OP_NONE);
    assert_int_equal(answer.outcome, USHER_OUTCOME_NONE);
    assert_int_equal(answer.reason, USHER_REASON_NONE);
    assert_int_equal(answer.state, USHER_STATE_ABSENT);
    assert_int_equal(answer.units_count, 1);
    assert_string_equal(answer.units[0].pool, "p");
    assert_int_equal(answer.pools_count, 0);
    usher_arena_deinit(&arena);
}

static void what_is_no_answer_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "empty value"},
        {"[]", "an array instead"},
        {"{'request_id':'a'}", "outcome: missing"},
        {"{'outcome':7}", "outcome: 7 is not a string"},
        {"{'outcome':'held','seq':'1'}", "seq: \"1\" is not an integer"},
        {"{'outcome':'held','expires_at':'soon'}", "expires_at: \"soon\" is not an instant in UTC"},
        {"{'outcome':'held','units':[7]}", "units[0]: 7 is not an object"},
        {"{'outcome':'held','units':[{'item':0,'section':'a','seats':[1]}]}",
         "units[0].seats: 1 is not a string"},
        {"{'outcome':'held','units':[{'item':0,'room':'a','night':'2026-01-01','tokens':[-1]}]}",
         "units[0].tokens: not an array of tokens"},
        {"{'outcome':'held','source':{'partition':-1}}", "partition: -1 is below 0"},
        {"{'outcome':'alive','pools':[{'room':'a','free':[1],'total':[1],'price':[1]}]}",
         "pools[0].from: missing"},
        {"{'outcome':'alive','pools':[{'room':'a','from':'2026-01-01','free':[1],'total':[]}]}",
         "pools[0]: per-night arrays have different lengths"},
        {"{'outcome':'alive','pools':[{'room':'a','from':'2026-01-01','free':['x']}]}",
         "pools[0]: a per-night value is not an integer"},
        {"{'outcome':'alive','pools':[{'room':'a','from':'2026-01-01','free':[1],'total':[1],"
         "'price':[1],'rates':{'adult':[1,2]}}]}",
         "pools[0]: per-night arrays have different lengths"},
        {"{'outcome':'alive','pools':[{'section':'a','rates':{'adult':'1'}}]}",
         "pools[0].rates: \"1\" is not an integer"},
        {"{'outcome':'held','together':1}", "together: 1 is not true or false"},
        {"{'outcome':'waiting','position':'1'}", "position: \"1\" is not an integer"},
    };
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct usher_answer answer;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(&arena, cases[i][0]);
        enum usher_status status = usher_answer_decode(json, strlen(json), &arena, &answer, &err);
        if (status != USHER_REJECT || strstr(err.text, cases[i][1]) == NULL) {
            print_error("%s\n  wanted: %s\n  got: %s\n", json, cases[i][1], err.text);
            fail();
        }
    }
    usher_arena_deinit(&arena);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_shape_is_as_the_contract_has_it),
    cmocka_unit_test(what_is_decoded_encodes_to_the_same),
    cmocka_unit_test(each_field_has_its_place),
    cmocka_unit_test(the_unknown_is_accepted),
    cmocka_unit_test(what_is_no_answer_is_rejected),
};
UNIT_TESTS(test_codec_answer, tests, NULL, NULL)
