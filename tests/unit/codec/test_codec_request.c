/*
 * Requests there and back, field by field, and what a waiting party wants of them.
 */
#include <stdio.h>
#include <string.h>

#include "decoded.h"
#include "producer/codec/stored.h"
#include "quotes.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

static struct usher_arena arena;

static struct usher_request decoded(const char *text)
{
    return request_decoded(&arena, text);
}

static int arena_close(void **state)
{
    (void)state;
    usher_arena_deinit(&arena);
    return 0;
}

/* ---- there and back ---- */

/* In the form that the encoder gives: decoded and encoded again, each is itself. */
static const char *const canonical[] = {
    "{'request_id':'a','op':'hold','resource':'s','client':'web','customer':'c','items':"
    "[{'seats':['B-5','B-6'],'rate':'child'},{'section':'stalls','quantity':4,'together':true},"
    "{'room':'double','from':'2026-12-24','to':'2026-12-27','quantity':2},"
    "{'product':'sku','quantity':3}],'ttl_s':900,'deadline':'2026-12-24T19:30:00.250Z',"
    "'cart':'basket "
    "1','payment':'pi_3Q','note':'a\\u000ab\\\\c','meta':{'a':[1,{'b':null}],'z':'x'}}",
    "{'request_id':'a','op':'book','resource':'s','customer':'Zo\xc3\xab','items':"
    "[{'section':'St\xc3\xbc"
    "ble \xe2\x82\xac \xf0\x9f\x8e\xad','quantity':1}]}",
    "{'request_id':'a','op':'confirm','resource':'s','customer':'c','booking':'b','payment':'p'}",
    "{'request_id':'a','op':'release','resource':'s','booking':'b','force':true,'note':''}",
    "{'request_id':'a','op':'cancel','resource':'s','customer':'c','booking':'b'}",
    "{'request_id':'a','op':'probe','resource':'s'}",
    "{'request_id':'a','op':'probe','resource':'s','items':[{'section':'x','quantity':1},"
    "{'room':'y','from':'2026-01-01','to':'2026-02-01','quantity':1}]}",
    "{'request_id':'a','op':'open','resource':'s'}",
    "{'request_id':'a','op':'close','resource':'s','note':'flood'}",
    "{'request_id':'a','op':'define','resource':'s'}",
    "{'request_id':'a','op':'define','resource':'s','name':'Hamlet','venue':'','description':'d',"
    "'timezone':'America/Argentina/Buenos_Aires','currency':'GBP','state':'draft',"
    "'starts_at':'2026-12-24T19:30:00.000Z','ends_at':'2026-12-24T22:30:00.000Z','hold_ttl_s':600,"
    "'sections':[{'section':'stalls','price':4500,'rows':[{'row':'A','seats':20},"
    "{'row':'B','seats':22,'first':0}]},{'section':'standing','capacity':300},"
    "{'section':'boxes','price':0,'capacity':2,'rows':[{'row':'Box 1','seats':2,'first':101}]}],"
    "'rooms':[{'room':'double','from':'2026-01-01','to':'2028-01-01','capacity':20,'price':12900},"
    "{'room':'double','from':'2026-12-24','to':'2026-12-27'}],"
    "'products':[{'product':'sku','name':'Programme','capacity':0,'price':500},"
    "{'product':'sku2'}]}",
    "{'request_id':'a','op':'hold','resource':'s','customer':'c','items':"
    "[{'sections':['stalls','circle'],'quantity':2,'together':true,'rate':'child',"
    "'features':['aisle','front'],'avoid':['pillar']},"
    "{'section':'circle','quantity':1,'avoid':['pillar']}],'shortage':'partial',"
    "'wait_until':'2026-12-24T19:30:00.000Z'}",
    "{'request_id':'a','op':'book','resource':'s','customer':'c','items':"
    "[{'seats':['A-1']}],'shortage':'partial','from_block':'b'}",
    "{'request_id':'a','op':'confirm','resource':'s','customer':'c','booking':'b','items':"
    "[{'seats':['A-1']},{'section':'stalls','quantity':1,'rate':'child'}]}",
    "{'request_id':'a','op':'confirm','resource':'s','customer':'c','cart':'k'}",
    "{'request_id':'a','op':'release','resource':'s','customer':'c','cart':'k','force':true}",
    "{'request_id':'a','op':'cancel','resource':'s','customer':'c','cart':'k'}",
    "{'request_id':'a','op':'extend','resource':'s','customer':'c','ttl_s':600,'cart':'k'}",
    "{'request_id':'a','op':'extend','resource':'s','customer':'c','booking':'b','ttl_s':600}",
    "{'request_id':'a','op':'exchange','resource':'s','customer':'c','booking':'b','items':"
    "[{'product':'sku','quantity':1}]}",
    "{'request_id':'a','op':'exchange','resource':'s','booking':'b','items':"
    "[{'product':'sku','quantity':1}],'force':true}",
    "{'request_id':'a','op':'transfer','resource':'s','customer':'c','booking':'b',"
    "'to_customer':'d'}",
    "{'request_id':'a','op':'transfer','resource':'s','booking':'b','force':true,"
    "'to_customer':'d'}",
    "{'request_id':'a','op':'leave','resource':'s','customer':'c','booking':'b'}",
    "{'request_id':'a','op':'block','resource':'s','items':[{'section':'x','quantity':2}],"
    "'note':'press','shortage':'partial','return_at':'2026-12-24T19:30:00.000Z'}",
    "{'request_id':'a','op':'unblock','resource':'s','booking':'b'}",
    "{'request_id':'a','op':'close','resource':'s','note':'flood','cancel_bookings':true}",
    "{'request_id':'a','op':'define','resource':'s','sections':[{'section':'stalls','rows':"
    "[{'row':'A','seats':2,'first':7,'zone':'left','names':['x','y'],'ranks':[2,1],'x':[-1,0],"
    "'y':[5,5],'features':{'aisle':[1,2],'front':[2]}},{'row':'','seats':1,'names':['z']}],"
    "'rates':{'child':2500,'adult':4500},'overbook':0,'spare':false}],"
    "'rooms':[{'room':'d','from':'2026-01-01','to':'2026-01-02','capacity':3,"
    "'rates':{'standard':1},'overbook':2}],"
    "'products':[{'product':'p','rates':{'a':0},'overbook':1,'properties':{'a':1,'size':'L'}}],"
    "'opens_at':'2026-01-01T09:00:00.000Z','closes_at':'2026-12-24T19:30:00.000Z',"
    "'strategy':'random','limits':{'units_min':1,'units_per_request':8,'units_per_customer':10,"
    "'holds_per_customer':2,'hold_total_s':1800,'house_hold_total_s':2592000,"
    "'groups':[{'pools':['stalls','p'],'limit':4}]},"
    "'quotas':[{'quota':'q','pools':['stalls'],'limit':100},{'quota':'old','pools':[]}],"
    "'chart':'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}",
    "{'request_id':'a','op':'define','resource':'s','limits':{},'plan':"
    "{'categories':[{'name':'x'}],'zones':[{'name':'z','position':{'x':0.5,'y':1},'rows':"
    "[{'row_number':'A','seats':[{'category':'x','position':{'x':0.1,'y':0},'seat_guid':'g'}]}]}]}"
    "}",
    "{'request_id':'a','op':'define','resource':'s','limits':{'groups':[{'pools':['p'],'limit':0}]}"
    "}",
    "{'request_id':'a','op':'define','resource':'s','only':'existing','name':'n'}",
    "{'request_id':'a','op':'exchange','resource':'s','customer':'c','booking':'b','items':"
    "[{'product':'sku','quantity':1}],'from_hold':'h'}",
    "{'request_id':'a','op':'hold','resource':'s','customer':'c','items':"
    "[{'section':'stalls','quantity':4,'together':true,'avoid':['pillar'],'members':"
    "[{'quantity':2,'rate':'adult'},{'quantity':1,'rate':'child'},"
    "{'quantity':1,'rate':'adult','features':['accessible','aisle']}]},"
    "{'product':'sku','quantity':1,'members':[{'quantity':1}]}]}",
    "{'request_id':'a','op':'book','resource':'s','customer':'c','items':"
    "[{'product':'sku','quantity':1}],'force':true,'overbook':true}",
    "{'request_id':'a','op':'define','resource':'s','force':true,'overbook':true,'name':'n'}",
};
enum {
    DOMAIN_HOLD = 11, /* of the list above */
    DOMAIN_BLOCK = 24,
    DOMAIN_DEFINE = 27,
    PLAN_DEFINE = 28,
};

static void what_is_encoded_decodes_to_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof canonical / sizeof canonical[0]; i++) {
        struct usher_request request = decoded(canonical[i]);
        struct usher_buffer out = {NULL, 0, 0};
        usher_request_encode(&request, &out);
        usher_buffer_append(&out, "", 1);
        assert_string_equal(out.at, quotes_double(&arena, canonical[i]));
        usher_buffer_deinit(&out);
    }
}

/* What a program can put into a request, and JSON or the contract cannot have. */
static void what_is_no_request_does_not_decode(void **state)
{
    static const struct usher_item items[] = {
        {.kind = USHER_SECTION, .pool = "s", .quantity = 1},
        {.kind = USHER_ROOM, .pool = "s", .quantity = 1, .from = -1, .to = INT32_MAX},
    };
    static const struct usher_definition draft = {.state = (enum usher_sale_state)77};
    static const struct {
        struct usher_request request;
        const char *reason;
    } rows[] = {
        {{.op = (enum usher_op)77}, "op: 77 is not a string"},
        {{.op = USHER_OP_NONE}, "op: missing"},
        {{.op = USHER_OP_HOLD, .items = items, .item_count = 1, .customer = "caf\xe9"}, "UTF-8"},
        {{.op = USHER_OP_HOLD, .items = items, .item_count = 1, .customer = "c", .meta = "{broken"},
         "not JSON"},
        {{.op = USHER_OP_HOLD, .items = items, .item_count = 2, .customer = "c"},
         "items[1].from: -1 is not a date"},
        {{.op = USHER_OP_PROBE, .deadline_ms = INT64_MAX}, "deadline: 9223372036854775807 is not"},
        {{.op = USHER_OP_PROBE, .deadline_ms = -1}, "deadline: -1 is not an instant"},
        {{.op = USHER_OP_DEFINE, .definition = &draft}, "state: 77 is not"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct usher_request request = rows[i].request, again;
        struct usher_buffer out = {0};
        struct usher_error err = {.text = ""};
        request.request_id = "a";
        request.resource = "x";
        usher_request_encode(&request, &out);
        assert_int_equal(usher_request_decode(out.at, out.size, &arena, &again, &err),
                         USHER_REJECT);
        if (strstr(err.text, rows[i].reason) == NULL)
            fail_msg("%s: not %s", err.text, rows[i].reason);
        usher_buffer_deinit(&out);
    }
}

/* Round trips alone would not see two fields that change places both ways. */
static void each_field_of_a_hold_has_its_place(void **state)
{
    (void)state;
    struct usher_request request = decoded(canonical[0]);
    assert_string_equal(request.request_id, "a");
    assert_int_equal(request.op, USHER_OP_HOLD);
    assert_string_equal(request.resource, "s");
    assert_string_equal(request.client, "web");
    assert_string_equal(request.customer, "c");
    assert_null(request.booking);
    assert_string_equal(request.cart, "basket 1");
    assert_string_equal(request.payment, "pi_3Q");
    assert_string_equal(request.note, "a\nb\\c");
    assert_string_equal(request.meta, "{\"a\":[1,{\"b\":null}],\"z\":\"x\"}");
    assert_int_equal(request.ttl_s, 900);
    assert_int_equal(request.deadline_ms, INT64_C(1798140600250));
    assert_false(request.force);
    assert_null(request.definition);
    assert_int_equal(request.item_count, 4);

    const struct usher_item *items = request.items;
    assert_int_equal(items[0].kind, USHER_SEATS);
    assert_int_equal(items[0].seat_count, 2);
    assert_int_equal(items[0].quantity, 2);
    assert_string_equal(items[0].seats[1], "B-6");
    assert_string_equal(items[0].rate, "child");
    assert_int_equal(items[1].kind, USHER_SECTION);
    assert_string_equal(items[1].pool, "stalls");
    assert_int_equal(items[1].quantity, 4);
    assert_true(items[1].together);
    assert_int_equal(items[2].kind, USHER_ROOM);
    assert_string_equal(items[2].pool, "double");
    assert_int_equal(items[2].from, 20811);
    assert_int_equal(items[2].to, 20814);
    assert_int_equal(items[3].kind, USHER_PRODUCT);
    assert_int_equal(items[3].quantity, 3);
    assert_false(items[3].together);
}

static void each_field_of_a_definition_has_its_place(void **state)
{
    (void)state;
    const struct usher_definition *definition = decoded(canonical[10]).definition;
    assert_non_null(definition);
    assert_string_equal(definition->name, "Hamlet");
    assert_string_equal(definition->venue, "");
    assert_string_equal(definition->description, "d");
    assert_string_equal(definition->currency, "GBP");
    assert_int_equal(definition->state, USHER_DRAFT);
    assert_int_equal(definition->starts_ms, INT64_C(1798140600000));
    assert_int_equal(definition->ends_ms, INT64_C(1798151400000));
    assert_int_equal(definition->hold_ttl_s, 600);
    assert_int_equal(definition->section_count, 3);
    assert_string_equal(definition->sections[0].section, "stalls");
    assert_int_equal(definition->sections[0].price, 4500);
    assert_false(definition->sections[0].capacity_given);
    assert_int_equal(definition->sections[0].row_count, 2);
    assert_string_equal(definition->sections[0].rows[1].row, "B");
    assert_int_equal(definition->sections[0].rows[1].seats, 22);
    assert_true(definition->sections[0].rows[1].first_given);
    assert_int_equal(definition->sections[0].rows[1].first, 0);
    assert_int_equal(definition->sections[0].rows[0].first, 1);
    assert_null(definition->sections[1].rows);
    assert_int_equal(definition->sections[1].capacity, 300);
    assert_false(definition->sections[1].price_given);
    assert_int_equal(definition->room_count, 2);
    assert_int_equal(definition->rooms[0].capacity, 20);
    assert_int_equal(definition->rooms[0].price, 12900);
    assert_int_equal(definition->rooms[1].from, 20811);
    assert_false(definition->rooms[1].price_given);
    assert_int_equal(definition->product_count, 2);
    assert_string_equal(definition->products[0].name, "Programme");
    assert_true(definition->products[0].capacity_given);
    assert_int_equal(definition->products[0].capacity, 0);
    assert_int_equal(definition->products[0].price, 500);
    assert_false(definition->products[1].capacity_given);
}

static void each_condition_has_its_place(void **state)
{
    (void)state;
    struct usher_request request = decoded(canonical[DOMAIN_HOLD]);
    assert_int_equal(request.shortage, USHER_SHORTAGE_PARTIAL);
    assert_int_equal(request.wait_until_ms, INT64_C(1798140600000));
    const struct usher_item *item = &request.items[0];
    assert_int_equal(item->kind, USHER_SECTION);
    assert_null(item->pool);
    assert_int_equal(item->section_count, 2);
    assert_string_equal(item->sections[1], "circle");
    assert_int_equal(item->quantity, 2);
    assert_true(item->together);
    assert_int_equal(item->feature_count, 2);
    assert_string_equal(item->features[1], "front");
    assert_int_equal(item->avoid_count, 1);
    assert_string_equal(item->avoid[0], "pillar");
    assert_string_equal(request.items[1].pool, "circle");
    assert_int_equal(request.items[1].section_count, 0);
    assert_int_equal(request.items[1].feature_count, 0);
    assert_string_equal(decoded(canonical[DOMAIN_HOLD + 1]).from_block, "b");
    assert_int_equal(decoded(canonical[DOMAIN_HOLD + 2]).item_count, 2);
    assert_string_equal(decoded(canonical[DOMAIN_BLOCK - 3]).to_customer, "d");
    request = decoded(canonical[DOMAIN_BLOCK]);
    assert_int_equal(request.op, USHER_OP_BLOCK);
    assert_int_equal(request.return_at_ms, INT64_C(1798140600000));
    assert_int_equal(request.shortage, USHER_SHORTAGE_PARTIAL);
    assert_true(decoded(canonical[DOMAIN_BLOCK + 2]).cancel_bookings);
}

static void each_seat_of_a_row_has_its_place(void **state)
{
    (void)state;
    const struct usher_definition *definition = decoded(canonical[DOMAIN_DEFINE]).definition;
    const struct usher_row *row = definition->sections[0].rows;
    assert_string_equal(row->zone, "left");
    assert_string_equal(row->names[1], "y");
    assert_int_equal(row->ranks[0], 2);
    assert_int_equal(row->x[0], -1);
    assert_int_equal(row->y[1], 5);
    assert_int_equal(row->feature_count, 2);
    assert_string_equal(row->features[0].feature, "aisle");
    assert_int_equal(row->features[0].seat_count, 2);
    assert_int_equal(row->features[0].seats[1], 1);
    assert_string_equal(row->features[1].feature, "front");
    assert_int_equal(row->features[1].seats[0], 1);
    assert_null(row[1].zone);
    assert_null(row[1].ranks);
    assert_null(row[1].x);
    assert_int_equal(row[1].feature_count, 0);
}

static void each_term_has_its_place(void **state)
{
    (void)state;
    const struct usher_definition *definition = decoded(canonical[DOMAIN_DEFINE]).definition;
    assert_int_equal(definition->sections[0].rate_count, 2);
    assert_string_equal(definition->sections[0].rates[0].rate, "child");
    assert_int_equal(definition->sections[0].rates[1].price, 4500);
    assert_false(definition->sections[0].price_given);
    assert_true(definition->sections[0].overbook_given);
    assert_int_equal(definition->sections[0].overbook, 0);
    assert_int_equal(definition->rooms[0].overbook, 2);
    assert_int_equal(definition->rooms[0].rates[0].price, 1);
    assert_int_equal(definition->products[0].overbook, 1);
    assert_int_equal(definition->products[0].rate_count, 1);
    assert_string_equal(definition->products[0].properties, "{\"a\":1,\"size\":\"L\"}");
    assert_int_equal(definition->opens_ms, INT64_C(1767258000000));
    assert_int_equal(definition->closes_ms, INT64_C(1798140600000));
    assert_int_equal(definition->strategy, USHER_RANDOM);
    assert_int_equal(definition->limits->units_min, 1);
    assert_int_equal(definition->limits->units_per_request, 8);
    assert_int_equal(definition->limits->units_per_customer, 10);
    assert_int_equal(definition->limits->holds_per_customer, 2);
    assert_int_equal(definition->limits->hold_total_s, 1800);
    assert_int_equal(definition->limits->house_hold_total_s, 2592000);
    assert_int_equal(definition->limits->group_count, 1);
    assert_string_equal(definition->limits->groups[0].pools[1], "p");
    assert_int_equal(definition->limits->groups[0].limit, 4);
    assert_int_equal(definition->quota_count, 2);
    assert_string_equal(definition->quotas[0].quota, "q");
    assert_int_equal(definition->quotas[0].limit, 100);
    assert_int_equal(definition->quotas[1].pool_count, 0);
    assert_false(definition->quotas[1].limit_given);
    assert_memory_equal(definition->chart, "sha256:0123", 11);
    assert_null(definition->plan);
}

static void a_plan_is_kept_and_read(void **state)
{
    (void)state;
    const struct usher_definition *definition = decoded(canonical[PLAN_DEFINE]).definition;
    assert_null(definition->fault);
    assert_int_equal(definition->plan_section_count, 1);
    assert_string_equal(definition->plan_sections[0].section, "x");
    assert_string_equal(definition->plan_sections[0].rows[0].names[0], "g");
    assert_int_equal(definition->limits->units_min, 0);
    assert_int_equal(definition->limits->group_count, 0);

    /* One that breaks a rule is a request all the same: it is for the core to refuse it. */
    definition =
        decoded("{'request_id':'a','op':'define','resource':'s','plan':{'zones':[]}}").definition;
    assert_string_equal(definition->plan, "{\"zones\":[]}");
    assert_string_equal(definition->fault, "plan: categories: missing, or not a list");
    assert_null(definition->plan_sections);
    assert_int_equal(definition->plan_section_count, 0);
}

static void what_is_not_given_is_absent(void **state)
{
    (void)state;
    struct usher_request request = decoded("{'request_id':'a','op':'define','resource':'s'}");
    assert_int_equal(request.ttl_s, 0);
    assert_int_equal(request.deadline_ms, 0);
    assert_int_equal(request.definition->starts_ms, 0);
    assert_int_equal(request.definition->ends_ms, 0);
    assert_int_equal(request.definition->hold_ttl_s, 0);
    assert_int_equal(request.wait_until_ms, 0);
    assert_int_equal(request.return_at_ms, 0);
    assert_int_equal(request.definition->opens_ms, 0);
    assert_int_equal(request.definition->closes_ms, 0);
    assert_int_equal(request.definition->strategy, USHER_STRATEGY_ABSENT);
    assert_null(request.definition->limits);
    assert_null(request.definition->plan);
    assert_null(request.definition->fault);
    request = decoded("{'request_id':'a','op':'define','resource':'s','sections':[{'section':'x'}],"
                      "'rooms':[{'room':'d','from':'2026-01-01','to':'2026-01-02'}],"
                      "'products':[{'product':'p'}]}");
    assert_false(request.definition->sections[0].overbook_given);
    assert_false(request.definition->rooms[0].overbook_given);
    assert_false(request.definition->products[0].overbook_given);
    assert_null(request.definition->sections[0].rates);
    assert_int_equal(request.definition->state, USHER_STATE_ABSENT);
    assert_null(request.definition->name);
}

/* ---- what a waiting party wants ---- */

static void wants_are_what_is_asked_again(void **state)
{
    (void)state;
#define REST ",'resource':'s','customer':'c','items':[{'section':'a','quantity':2}]"
    static const char *const cases[][2] = {
        {"{'request_id':'a','op':'hold'" REST "}",
         "{'op':'hold','items':[{'section':'a','quantity':2}]}"},
        {"{'request_id':'b','op':'hold','client':'web','cart':'k','payment':'p','shortage':"
         "'partial','ttl_s':60,'wait_until':'2030-01-01T00:00:00Z','meta':{},'note':'n'" REST "}",
         "{'op':'hold','items':[{'section':'a','quantity':2}],'ttl_s':60,'shortage':'partial',"
         "'wait_until':'2030-01-01T00:00:00.000Z'}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct usher_request request = decoded(cases[i][0]), wants;
        struct usher_buffer out = {NULL, 0, 0}, again = {NULL, 0, 0};
        wants_encode(&request, &out);
        assert_int_equal(wants_decode(out.at, out.size, &arena, &wants, NULL), USHER_OK);
        assert_int_equal(wants.op, USHER_OP_HOLD);
        assert_int_equal(wants.item_count, 1);
        assert_int_equal(wants.ttl_s, request.ttl_s);
        assert_int_equal(wants.shortage, request.shortage);
        assert_int_equal(wants.wait_until_ms, request.wait_until_ms);
        assert_int_equal(wants.deadline_ms, 0);
        assert_null(wants.customer);
        wants_encode(&wants, &again);
        usher_buffer_append(&out, "", 1);
        usher_buffer_append(&again, "", 1);
        assert_string_equal(out.at, quotes_double(&arena, cases[i][1]));
        assert_string_equal(again.at, out.at);
        usher_buffer_deinit(&out);
        usher_buffer_deinit(&again);
    }
}

/* Parties that want the same share all of it but how long they wait. */
static void how_long_a_party_waits_comes_last(void **state)
{
    (void)state;
    static const struct {
        const char *wants;
        size_t shared;
        int64_t until_ms;
    } cases[] = {
        {"{'op':'hold','wait_until':'2030-01-01T00:00:00.000Z'}", 12, INT64_C(1893456000000)},
        {"{'op':'hold'}", 13, INT64_MAX},
        {"{'op':'hold','rate':'wait_until:2030-01-01T00:00:00.000Z'}", 58, INT64_MAX},
        {"", 0, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *wants = quotes_double(&arena, cases[i].wants);
        assert_int_equal(cases[i].shared, wants_shared_size(wants));
        assert_int_equal(cases[i].until_ms, wants_until_ms(wants));
    }
}

static void what_are_no_wants_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[]", "an array instead of a JSON object"},
        {"{'items':[{'section':'a','quantity':2}]}", "op: not hold"},
        {"{'op':'book','items':[{'section':'a','quantity':2}]}", "op: not hold"},
        {"{'op':'hold'}", "items: missing"},
        {"{'op':'hold','items':[]}", "items: empty"},
        {"{'op':'hold','items':[{}]}", "items[0]: has no seats"},
        {"{'op':'hold','items':[{'section':'a','quantity':2}],'shortage':'most'}",
         "shortage: \"most\" is not all or partial"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct usher_request wants;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(&arena, cases[i][0]);
        assert_int_equal(wants_decode(json, strlen(json), &arena, &wants, &err), USHER_REJECT);
        if (strstr(err.text, cases[i][1]) == NULL)
            fail_msg("%s: %s", json, err.text);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_encoded_decodes_to_the_same),
    cmocka_unit_test(what_is_no_request_does_not_decode),
    cmocka_unit_test(each_field_of_a_hold_has_its_place),
    cmocka_unit_test(each_field_of_a_definition_has_its_place),
    cmocka_unit_test(each_condition_has_its_place),
    cmocka_unit_test(each_seat_of_a_row_has_its_place),
    cmocka_unit_test(each_term_has_its_place),
    cmocka_unit_test(a_plan_is_kept_and_read),
    cmocka_unit_test(what_is_not_given_is_absent),
    cmocka_unit_test(wants_are_what_is_asked_again),
    cmocka_unit_test(how_long_a_party_waits_comes_last),
    cmocka_unit_test(what_are_no_wants_is_rejected),
};
UNIT_TESTS(test_codec_request, tests, NULL, arena_close)
