/*
 * Every rule that makes a request malformed, a row each, with what the complaint must say.
 */
#include <string.h>

#include "quotes.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

#define ID63 "123456789012345678901234567890123456789012345678901234567890123"
#define ID64 ID63 "4"
#define HEAD "{'request_id':'r','resource':'s','customer':'c','op':"
#define HOUSE "{'request_id':'r','resource':'s','op':"
#define HOLD(rest) HEAD "'hold','items':[{'section':'a','quantity':1}]," rest "}"
#define ITEM(item) HEAD "'hold','items':[{'product':'p','quantity':1}," item "]}"
#define NEED "{'quantity':1,'features':['x']}"
#define FIVE_NEEDS NEED "," NEED "," NEED "," NEED "," NEED
#define DEFINE(rest) HEAD "'define'," rest "}"
#define SECTION(rest) DEFINE("'sections':[{'section':'a'},{'section':'b'," rest "}]")
#define ROW(rest) SECTION("'rows':[{'row':'A','seats':1}," rest "]")
#define LIMITS(rest) DEFINE("'limits':{" rest "}")
#define QUOTA(rest) DEFINE("'quotas':[{" rest "}]")
#define PLAN                                                                                      \
    "{'categories':[{'name':'a'}],'zones':[{'rows':[{'row_number':'1','seats':[{'seat_guid':'x'," \
    "'category':'a','position':{'x':0,'y':0}}]}]}]}"
#define ROOM(rest) DEFINE("'rooms':[{'room':'double'," rest "}]")

struct row {
    const char *json, *complaint;
};

static const struct row rows[] = {
    /* The message as a whole. */
    {"", "empty value instead of a JSON object"},
    {"[]", "an array instead of a JSON object"},
    {"'hold'", "a single value instead of a JSON object"},
    {"{'request_id':'r','op':'hold'", "not JSON: unexpected end of data (byte 29)"},
    {"{'request_id':'r'} x", "not JSON: unexpected content after document (byte 19)"},
    {"{'request_id':'r','request_id':'r'}", "not JSON: duplicate object key"},
    {HOLD("'meta':{'a':1,'a':2}"), "meta: duplicate object key \"a\""},
    {HOLD("'other':[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]"),
     "other[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: nested deeper than 16"},
    {HOLD("'other':99999999999999999999"), "other: number too large 99999999999999999999"},
    {HOLD("'other':NaN"), "not JSON: "},
    {HOLD("'other':01"), "not JSON: "},
    {HOLD("'client':'a\\u0000b'"), "client: \\u0000 in a string"},
    {HOLD("'client':'\xff'"), "not JSON: invalid UTF-8 encoding in string"},
    {HOLD("'client':'\\ud800'"), "not JSON: "},

    /* request_id, resource, client, customer. */
    {"{'op':'probe','resource':'s'}", "request_id: missing, required by op \"probe\""},
    {"{'op':'probe','resource':'s','request_id':null}", "request_id: missing"},
    {"{'op':'probe','resource':'s','request_id':''}", "request_id: empty"},
    {"{'op':'probe','resource':'s','request_id':7}", "request_id: 7 is not a string"},
    {"{'op':'probe','resource':'s','request_id':'a b'}",
     "request_id: \"a b\" has characters other than A-Za-z0-9_.:-"},
    {"{'op':'probe','resource':'s','request_id':'" ID64 "5'}",
     "request_id: 65 bytes exceed the maximum of 64"},
    {"{'op':'probe','request_id':'r'}", "resource: missing"},
    {"{'op':'probe','request_id':'r','resource':'a/b'}", "resource: \"a/b\" has characters"},
    {HOLD("'client':'a\\nb'"), "client: \"a\nb\" has a control character"},
    {HOLD("'client':'a\\u0085b'"), "has a control character, quote or backslash"},
    {HOLD("'client':'a\\'b'"), "has a control character, quote or backslash"},
    {HOLD("'client':'a\\\\b'"), "has a control character, quote or backslash"},
    {HOLD("'client':'\\u007f'"), "has a control character, quote or backslash"},
    {"{'op':'hold','request_id':'r','resource':'s','items':[{'section':'a','quantity':1}]}",
     "customer: missing, required by op \"hold\""},
    {"{'op':'hold','request_id':'r','resource':'s','force':true,"
     "'items':[{'section':'a','quantity':1}]}",
     "customer: missing"},

    /* op. */
    {"{'request_id':'r','resource':'s'}", "op: missing"},
    {HEAD "5}", "op: 5 is not a string"},
    {HEAD "'Hold'}", "op: \"Hold\" is none of define, open, close, hold, book"},
    {HEAD "'swap'}", "hold, book, confirm, release"},

    /* What each op needs. */
    {HEAD "'hold'}", "items: missing, required by op \"hold\""},
    {HEAD "'book','items':[]}", "items: empty, required by op \"book\""},
    {HEAD "'confirm'}", "booking: missing, required by op \"confirm\""},
    {HEAD "'release'}", "booking: missing"},
    {HEAD "'cancel','force':true}", "booking: missing"},
    {"{'op':'confirm','request_id':'r','resource':'s','booking':'b','force':true}",
     "customer: missing, required by op \"confirm\""},
    {"{'op':'cancel','request_id':'r','resource':'s','booking':'b','force':false}",
     "customer: missing, required by op \"cancel\""},
    {HEAD "'confirm','cart':'k','items':[{'seats':['A-1']}]}",
     "items: only allowed with a \"booking\""},
    {HOUSE "'confirm','cart':'k'}", "customer: missing, required by op \"confirm\""},
    {HOUSE "'release','cart':'k','force':true}", "customer: missing, required by \"cart\""},
    {HOUSE "'cancel','cart':'k','force':true}", "customer: missing, required by \"cart\""},
    {HOUSE "'probe','cart':'k'}", "customer: missing, required by \"cart\""},
    {HEAD "'probe','cart':'k','items':[{'section':'s'}]}", "items"},
    {HOUSE "'probe','booking':'b','items':[{'section':'s'}]}", "items"},
    {HOUSE "'extend','cart':'k','ttl_s':60}", "customer: missing, required by op \"extend\""},
    {HEAD "'release','booking':'b','items':[{'seats':['A-1']}]}",
     "items: not allowed with op \"release\""},
    {HEAD "'extend','booking':'b','ttl_s':1,'items':[{'seats':['A-1']}]}",
     "items: not allowed with op \"extend\""},
    {HEAD "'open','items':[{'seats':['A-1']}]}", "items: not allowed with op \"open\""},
    {HEAD "'extend','ttl_s':60}", "booking: missing, required by op \"extend\" unless a \"cart\""},
    {HEAD "'extend','booking':'b'}", "ttl_s: missing, required by op \"extend\""},
    {HOUSE "'extend','booking':'b','ttl_s':60,'force':true}",
     "customer: missing, required by op \"extend\""},
    {HEAD "'exchange','items':[{'seats':['A-1']}]}",
     "booking: missing, required by op \"exchange\""},
    {HEAD "'exchange','cart':'k','items':[{'seats':['A-1']}]}", "booking: missing"},
    {HEAD "'exchange','booking':'b'}", "items: missing, required by op \"exchange\""},
    {HOUSE "'exchange','booking':'b','items':[{'seats':['A-1']}]}", "customer: missing"},
    {HEAD "'transfer','to_customer':'d'}", "booking: missing, required by op \"transfer\""},
    {HEAD "'transfer','booking':'b'}", "to_customer: missing, required by op \"transfer\""},
    {HOUSE "'transfer','booking':'b','to_customer':'d'}", "customer: missing"},
    {HEAD "'leave','cart':'k'}", "booking: missing, required by op \"leave\""},
    {HOUSE "'leave','booking':'b','force':true}", "customer: missing, required by op \"leave\""},
    {HOUSE "'block','items':[]}", "items: empty, required by op \"block\""},
    {HOUSE "'unblock'}", "booking: missing, required by op \"unblock\""},

    /* Other fields of the envelope. */
    {HOLD("'booking':'a b'"), "booking: \"a b\" has characters"},
    {HOLD("'cart':''"), "cart: empty"},
    {HOLD("'payment':[]"), "payment: an array is not a string"},
    {HOLD("'payment':'" ID64 ID64 "1'"), "payment: 129 bytes exceed the maximum of 128"},
    {HOLD("'note':'" ID64 ID64 ID64 ID64 "1'"), "note: 257 bytes exceed the maximum of 256"},
    {HOLD("'ttl_s':0"), "ttl_s: 0 is below 1"},
    {HOLD("'ttl_s':31536001"), "ttl_s: 31536001 is above 31536000"},
    {HOLD("'ttl_s':1.5"), "ttl_s: 1.5 is not an integer"},
    {HOLD("'ttl_s':900.0"), "ttl_s: 900.0 is not an integer"},
    {HOLD("'ttl_s':true"), "ttl_s: true is not an integer"},
    {HOLD("'ttl_s':'900'"), "ttl_s: \"900\" is not an integer"},
    {HOLD("'deadline':'2026-12-24T19:30:00+01:00'"), "deadline: \"2026-12-24T19:30:00+01:00\" is"},
    {HOLD("'deadline':1766000000000"), "deadline: 1766000000000 is not an instant in UTC"},
    {HOLD("'force':1"), "force: 1 is not true or false"},
    {HOLD("'meta':'x'"), "meta: \"x\" is not an object"},
    {HOLD("'meta':{'a':'" ID64 ID64 ID64 ID64 ID64 ID64 ID64 ID64 ID64 ID64 ID64 ID64 ID64 ID64 ID64
              ID64 "'}"),
     "meta: 1032 bytes exceed the maximum of 1024"},

    /* Conditions that only some ops carry out. */
    {HOLD("'shortage':'most'"), "shortage: \"most\" is not all or partial"},
    {HOLD("'shortage':1"), "shortage: 1 is not a string"},
    {HEAD "'confirm','booking':'b','shortage':'partial'}",
     "shortage: not allowed with op \"confirm\""},
    {HEAD "'exchange','booking':'b','items':[{'seats':['A-1']}],'shortage':'partial'}",
     "shortage: not allowed with op \"exchange\""},
    {HOLD("'wait_until':'later'"), "wait_until: \"later\" is not an instant in UTC"},
    {HEAD "'book','items':[{'seats':['A-1']}],'wait_until':'2026-12-24T19:30:00Z'}",
     "wait_until: not allowed with op \"book\""},
    {HOLD("'wait_until':'2026-12-24T19:30:00Z','from_block':'b'"),
     "wait_until: cannot be combined with \"from_block\""},
    {HOLD("'return_at':'2026-12-24T19:30:00Z'"), "return_at: not allowed with op \"hold\""},
    {HOUSE "'block','items':[{'seats':['A-1']}],'return_at':7}",
     "return_at: 7 is not an instant in UTC"},
    {HOLD("'from_block':'a b'"), "from_block: \"a b\" has characters"},
    {HOUSE "'block','items':[{'seats':['A-1']}],'from_block':'b'}",
     "from_block: not allowed with op \"block\""},
    {HOLD("'from_hold':'h'"), "from_hold: not allowed with op \"hold\""},
    {HEAD "'exchange','booking':'b','from_hold':'b','items':[{'seats':['A-1']}]}",
     "from_hold: is the booking itself"},
    {HOLD("'overbook':true"), "overbook: only allowed with \"force\""},
    {HOLD("'overbook':true,'force':false"), "overbook: only allowed with \"force\""},
    {HEAD "'define','overbook':true}", "overbook: only allowed with \"force\""},
    {HEAD "'release','booking':'b','force':true,'overbook':true}",
     "overbook: not allowed with op \"release\""},
    {HOLD("'to_customer':'d'"), "to_customer: not allowed with op \"hold\""},
    {HEAD "'transfer','booking':'b','to_customer':'a\\nb'}", "to_customer: \"a\nb\" has a control"},
    {HEAD "'open','cancel_bookings':true}", "cancel_bookings: not allowed with op \"open\""},
    {HEAD "'close','cancel_bookings':1}", "cancel_bookings: 1 is not true or false"},
    {HEAD "'open','only':'existing'}", "only: not allowed with op \"open\""},
    {HEAD "'define','only':'old'}", "only: \"old\" is not new or existing"},

    /* Items. */
    {HEAD "'hold','items':{}}", "items: an object is not an array"},
    {ITEM("7"), "items[1]: 7 is not an object"},
    {ITEM("{}"), "items[1]: has no seats, section, room or product"},
    {ITEM("{'seats':['A-1'],'section':'a'}"), "items[1]: has both \"seats\" and \"section\""},
    {ITEM("{'section':'a','product':'b','quantity':1}"), "items[1]: has both \"section\" and"},
    {ITEM("{'section':'a'}"), "items[1].quantity: missing"},
    {ITEM("{'section':'a','quantity':0}"), "items[1].quantity: 0 is below 1"},
    {ITEM("{'section':'a','quantity':-1}"), "items[1].quantity: -1 is below 1"},
    {ITEM("{'section':'a','quantity':4001}"), "items[1].quantity: 4001 is above 4000"},
    {ITEM("{'section':'a','quantity':4000}"), "items: 4001 units exceed the maximum of 4000"},
    {ITEM("{'section':'a/b','quantity':1}"), "items[1].section: \"a/b\" has a slash"},
    {ITEM("{'section':'','quantity':1}"), "items[1].section: empty"},
    {ITEM("{'section':'a','quantity':1,'together':'yes'}"), "items[1].together: \"yes\" is not"},
    {ITEM("{'section':'a','quantity':1,'from':'2026-01-01'}"),
     "items[1].from: only allowed with a room"},
    {ITEM("{'product':'a','quantity':1,'to':'2026-01-01'}"),
     "items[1].to: only allowed with a room"},
    {ITEM("{'seats':[]}"), "items[1].seats: empty"},
    {ITEM("{'seats':['A-1',2]}"), "items[1].seats: 2 is not a string"},
    {ITEM("{'seats':['" ID64 "5']}"), "items[1].seats: 65 bytes exceed the maximum of 64"},
    {ITEM("{'seats':['A-1','A-2','A-1']}"), "items: duplicate seat \"A-1\""},
    {ITEM("{'seats':['A-1']},{'seats':['A-1']}"), "items: duplicate seat \"A-1\""},
    {ITEM("{'seats':['A-1'],'quantity':2}"),
     "items[1].quantity: 2 is not the number of seats named, 1"},
    {ITEM("{'seats':['A-1'],'from':'2026-01-01'}"), "items[1].from: only allowed with a room"},
    {ITEM("{'room':'d','quantity':1,'from':'2026-01-01'}"), "items[1].to: missing"},
    {ITEM("{'room':'d','quantity':1,'to':'2026-01-01'}"), "items[1].from: missing"},
    {ITEM("{'room':'d','quantity':1,'from':'2026-01-01','to':'2026-01-01'}"),
     "items[1].from: must be before \"to\""},
    {ITEM("{'room':'d','quantity':1,'from':'2026-02-29','to':'2026-03-01'}"),
     "items[1].from: \"2026-02-29\" is not a date such as 2026-12-24"},
    {ITEM("{'room':'d','quantity':1,'from':'2026-01-01','to':'2027-01-03'}"),
     "items[1].to: 367 nights exceed the maximum of 366"},
    {ITEM("{'room':'d','quantity':11,'from':'2026-01-01','to':'2027-01-01'}"),
     "items: 4016 units exceed the maximum of 4000"},
    {ITEM("{'section':'a','quantity':1,'rate':7}"), "items[1].rate: 7 is not a string"},
    {ITEM("{'section':'a','sections':['b'],'quantity':1}"),
     "items[1]: has both \"section\" and \"sections\""},
    {ITEM("{'sections':['b'],'seats':['A-1']}"), "items[1]: has both \"seats\" and \"sections\""},
    {ITEM("{'sections':[],'quantity':1}"), "items[1]: has no seats, section, room or product"},
    {ITEM("{'sections':['a/b'],'quantity':1}"), "items[1].sections: \"a/b\" has a slash"},
    {ITEM("{'sections':'a','quantity':1}"), "items[1].sections: \"a\" is not an array"},
    {ITEM("{'sections':['a']}"), "items[1].quantity: missing"},
    {ITEM("{'section':'a','quantity':1,'features':['']}"), "items[1].features: empty"},
    {ITEM("{'section':'a','quantity':1,'features':'aisle'}"), "items[1].features: \"aisle\" is"},
    {ITEM("{'section':'a','quantity':1,'avoid':[7]}"), "items[1].avoid: 7 is not a string"},
    {ITEM("{'seats':['A-1'],'features':['aisle']}"),
     "items[1].features: only allowed with a quantity of a section"},
    {ITEM("{'product':'a','quantity':1,'avoid':['pillar']}"),
     "items[1].avoid: only allowed with a quantity of"},
    {ITEM("{'room':'a','from':'2026-01-01','to':'2026-01-02','quantity':1,'features':['sea']}"),
     "items[1].features: only allowed with a quantity of a section"},
    {ITEM("{'section':'a','members':[]}"), "items[1].members: "},
    {ITEM("{'section':'a','members':{}}"), "items[1].members: "},
    {ITEM("{'section':'a','members':[{'rate':'x'}]}"), "items[1].members[0].quantity: missing"},
    {ITEM("{'section':'a','members':[{'quantity':1},{'quantity':0}]}"),
     "items[1].members[1].quantity: 0 is below 1"},
    {ITEM("{'section':'a','members':[{'quantity':1,'features':['']}]}"),
     "items[1].members[0].features: empty"},
    {ITEM("{'section':'a','rate':'x','members':[{'quantity':1}]}"),
     "items[1].rate: cannot be combined with \"members\""},
    {ITEM("{'section':'a','features':['x'],'members':[{'quantity':1}]}"),
     "items[1].features: cannot be combined with \"members\""},
    {ITEM("{'section':'a','quantity':3,'members':[{'quantity':1},{'quantity':1}]}"),
     "items[1].quantity: 3 is not the sum of the members, 2"},
    {ITEM("{'section':'a','members':[{'quantity':4000},{'quantity':1}]}"),
     "items[1].members: 4001 units exceed the maximum of 4000"},
    {ITEM("{'section':'a','members':[" FIVE_NEEDS "," FIVE_NEEDS "]},"
          "{'section':'b','members':[{'quantity':1,'features':['x']},{'quantity':1}]}"),
     "items: 11 members with features exceed the maximum of 10"},
    {ITEM("{'product':'a','members':[{'quantity':1,'features':['x']}]}"),
     "items[1].members[0].features: only allowed with a quantity of a section"},
    {ITEM("{'seats':['A-1'],'members':[{'quantity':1}]}"),
     "items[1].members: only allowed with a quantity of a section or product"},
    {ITEM("{'room':'a','from':'2026-01-01','to':'2026-01-02','members':[{'quantity':1}]}"),
     "items[1].members: only allowed with a quantity of a section or product"},
    {HEAD "'confirm','booking':'b','items':[{'section':'a','members':[{'quantity':1}]}]}",
     "items[0].members: not allowed: a confirm selects"},
    {HEAD "'confirm','booking':'b','items':[{'sections':['a'],'quantity':1}]}",
     "items[0].sections: not allowed: a confirm selects units of its booking"},
    {HEAD "'confirm','booking':'b','items':[{'section':'a','quantity':1,'features':['x']}]}",
     "items[0].features: not allowed: a confirm selects"},
    {HEAD "'confirm','booking':'b','items':[{'section':'a','quantity':1,'avoid':['x']}]}",
     "items[0].avoid: not allowed: a confirm selects"},
    {HEAD "'transfer','booking':'b','to_customer':'d','items':[{'sections':['a'],'quantity':1}]}",
     "items[0].sections: not allowed: a transfer selects units of its booking"},
    {HEAD "'transfer','booking':'b','to_customer':'d','items':[{'section':'a'}]}",
     "items[0].quantity: missing"},
    {HEAD "'probe','items':[{'sections':['a']}]}", "items[0].sections: a probe names a section"},
    {HEAD "'probe','items':[{'section':'a','features':['x']}]}",
     "items[0].features: a probe names"},
    {HEAD "'probe','items':[{'seats':['A-1']}]}",
     "items[0].seats: a probe names a section, room or product"},
    {HEAD "'probe','items':[{'room':'d'}]}", "items[0].from: missing"},

    /* Definitions. */
    {DEFINE("'name':'" ID64 ID64 ID64 ID64 "1'"), "name: 257 bytes exceed the maximum of 256"},
    {DEFINE("'venue':7"), "venue: 7 is not a string"},
    {DEFINE("'description':'a\\tb'"), "description: \"a\tb\" has a control character"},
    {DEFINE("'currency':'gbp'"), "currency: \"gbp\" is not a currency of ISO 4217"},
    {DEFINE("'currency':'GB'"), "currency: \"GB\" is not a currency of ISO 4217"},
    {DEFINE("'currency':'POUNDS'"), "currency: \"POUNDS\" is not a currency of ISO 4217"},
    {DEFINE("'currency':'XYZ'"), "currency: \"XYZ\" is not a currency of ISO 4217"},
    {DEFINE("'timezone':'Europe/Londn'"), "timezone: \"Europe/Londn\" is not the name of"},
    {DEFINE("'timezone':'Europe London'"), "timezone: \"Europe London\" is not the name of"},
    {DEFINE("'timezone':'_UTC'"), "timezone: \"_UTC\" is not the name of a time zone"},
    {DEFINE("'timezone':'../etc'"), "timezone: \"../etc\" is not the name of a time zone"},
    {DEFINE("'state':'on'"), "state: \"on\" is not draft, open or closed"},
    {DEFINE("'starts_at':'tomorrow'"), "starts_at: \"tomorrow\" is not an instant in UTC"},
    {DEFINE("'ends_at':'1969-12-31T23:59:59Z'"), "ends_at: \"1969-12-31T23:59:59Z\" is not"},
    {DEFINE("'hold_ttl_s':0"), "hold_ttl_s: 0 is below 1"},
    {DEFINE("'opens_at':'soon'"), "opens_at: \"soon\" is not an instant in UTC"},
    {DEFINE("'closes_at':1"), "closes_at: 1 is not an instant in UTC"},
    {DEFINE("'opens_at':'2026-01-01T00:00:00Z','closes_at':'2026-01-01T00:00:00Z'"),
     "opens_at: must be before \"closes_at\""},
    {DEFINE("'starts_at':'2026-01-01T00:00:01Z','ends_at':'2026-01-01T00:00:00Z'"),
     "starts_at: must be before \"ends_at\""},
    {DEFINE("'strategy':'worst'"), "strategy: \"worst\" is not best, first or random"},
    {DEFINE("'strategy':''"), "strategy: \"\" is not best, first or random"},
    {DEFINE("'plan':[]"), "plan: an array is not an object"},
    {DEFINE("'plan':'x'"), "plan: \"x\" is not an object"},
    {DEFINE("'chart':'x'"), "chart: \"x\" is not sha256: and 64 hexadecimal digits"},
    {DEFINE("'chart':'sha256:" ID64 "1'"), "chart: 72 bytes exceed the maximum of 71"},
    {DEFINE("'chart':'sha256:" ID63 "g'"), "g\" is not sha256: and 64 hexadecimal digits"},
    {DEFINE("'chart':'sha256:" ID63 "A'"), "A\" is not sha256: and 64 hexadecimal digits"},
    {DEFINE("'chart':'sha256:" ID64 "','plan':{}"), "chart: cannot be combined with \"plan\""},
    {DEFINE("'products':[{'product':'a'}],'plan':" PLAN), "duplicate pool \"a\""},
    {DEFINE("'rooms':[{'room':'a','from':'2026-01-01','to':'2026-01-02'}],'plan':" PLAN),
     "duplicate pool \"a\""},
    {DEFINE("'sections':[{'section':'a'},{'section':'a'}],'plan':" PLAN), "duplicate pool \"a\""},
    {DEFINE("'sections':[{'price':1}]"), "sections[0].section: missing"},
    {SECTION("'price':-1"), "sections[1].price: -1 is below 0"},
    {SECTION("'price':1000000000001"), "sections[1].price: 1000000000001 is above"},
    {SECTION("'capacity':10000001"), "sections[1].capacity: 10000001 is above 10000000"},
    {SECTION("'rates':{}"), "sections[1].rates: empty"},
    {SECTION("'rates':[['adult',4500]]"), "sections[1].rates: an array is not an object"},
    {SECTION("'rates':{'adult':4500},'price':1"),
     "sections[1].rates: cannot be combined with \"price\""},
    {SECTION("'rates':{'adult':-1}"), "sections[1].rates.adult: -1 is not in 0 … 1000000000000"},
    {SECTION("'rates':{'adult':1000000000001}"), "sections[1].rates.adult: 1000000000001 is not"},
    {SECTION("'rates':{'adult':45.5}"), "sections[1].rates.adult: 45.5 is not an integer"},
    {SECTION("'rates':{'adult':null}"), "sections[1].rates.adult: null is not an integer"},
    {SECTION("'rates':{'':1}"), "sections[1].rates: an empty name"},
    {SECTION("'rates':{'a\\nb':1}"), "sections[1].rates: \"a\nb\" has a control character"},
    {SECTION("'rates':{'" ID64 "1':1}"),
     "sections[1].rates: a name of 65 bytes exceeds the maximum of 64"},
    {SECTION("'overbook':-1"), "sections[1].overbook: -1 is below 0"},
    {SECTION("'overbook':1,'capacity':10000000"),
     "sections[1].overbook: 10000001 units in all exceed the maximum of 10000000"},
    {SECTION("'rows':[]"), "sections[1].rows: empty"},
    {SECTION("'rows':[{'row':'A','seats':3}],'capacity':4"),
     "sections[1].capacity: 4 is not the 3 seats of the rows"},
    {ROW("{'seats':1}"), "sections[1].rows[1].row: missing"},
    {ROW("{'row':'B'}"), "sections[1].rows[1].seats: missing"},
    {ROW("{'row':'B','seats':0}"), "sections[1].rows[1].seats: 0 is below 1"},
    {ROW("{'row':'B','seats':10001}"), "sections[1].rows[1].seats: 10001 is above 10000"},
    {ROW("{'row':'B','seats':1,'first':-1}"), "sections[1].rows[1].first: -1 is below 0"},
    {ROW("{'row':'B','seats':1,'first':1000001}"), "first: 1000001 is above 1000000"},
    {ROW("{'row':'" ID64 "','seats':1}"), "gives names of more than 64 bytes"},
    {ROW("{'row':'','seats':1}"), "sections[1].rows[1].row: empty"},
    {ROW("{'row':'B','seats':1,'zone':''}"), "sections[1].rows[1].zone: empty"},
    {ROW("{'row':'B','seats':2,'names':['x']}"), "rows[1].names: 1, where the row has 2 seats"},
    {ROW("{'row':'B','seats':1,'names':['']}"), "sections[1].rows[1].names: empty"},
    {ROW("{'row':'B','seats':1,'names':['" ID64 "1']}"),
     "names: 65 bytes exceed the maximum of 64"},
    {ROW("{'row':'B','seats':2,'numbers':['1']}"), "rows[1].numbers: 1, where the row has 2 seats"},
    {ROW("{'row':'B','seats':1,'numbers':['']}"), "sections[1].rows[1].numbers: empty"},
    {ROW("{'row':'B','seats':2,'ranks':[1,2,3]}"), "rows[1].ranks: 3, where the row has 2 seats"},
    {ROW("{'row':'B','seats':1,'ranks':[-1]}"), "rows[1].ranks: -1 is not in 0 … 1000000"},
    {ROW("{'row':'B','seats':1,'ranks':[1.5]}"), "rows[1].ranks: 1.5 is not an integer"},
    {ROW("{'row':'B','seats':1,'x':[1]}"), "rows[1].y: missing"},
    {ROW("{'row':'B','seats':1,'y':[1]}"), "rows[1].x: missing"},
    {ROW("{'row':'B','seats':1,'x':[1],'y':[]}"), "rows[1].y: 0, where the row has 1 seat"},
    {ROW("{'row':'B','seats':1,'x':[10000001],'y':[1]}"),
     "rows[1].x: 10000001 is not in -10000000"},
    {ROW("{'row':'B','seats':1,'features':['aisle']}"), "rows[1].features: an array is not"},
    {ROW("{'row':'B','seats':1,'features':{'aisle':[]}}"), "features.aisle: lists no seats"},
    {ROW("{'row':'B','seats':1,'features':{'aisle':1}}"), "features.aisle: lists no seats"},
    {ROW("{'row':'B','seats':1,'features':{'aisle':[0]}}"), "features.aisle: 0 is not the place"},
    {ROW("{'row':'B','seats':1,'features':{'aisle':[2]}}"), "features.aisle: 2 is not the place"},
    {ROW("{'row':'B','seats':2,'features':{'aisle':[2,2]}}"), "features.aisle: lists seat 2 twice"},
    {ROW("{'row':'B','seats':1,'features':{'':[1]}}"), "rows[1].features: an empty name"},
    {LIMITS("'units_min':0"), "limits.units_min: 0 is below 1"},
    {LIMITS("'units_min':4001"), "limits.units_min: 4001 is above 4000"},
    {LIMITS("'units_per_request':'4'"), "limits.units_per_request: \"4\" is not an integer"},
    {LIMITS("'units_min':3,'units_per_request':2"),
     "limits.units_per_request: 2 is below units_min, 3"},
    {LIMITS("'units_min':3,'units_per_customer':2"),
     "limits.units_per_customer: 2 is below units_min, 3"},
    {LIMITS("'units_per_customer':20000001"), "limits.units_per_customer: 20000001 is above"},
    {LIMITS("'holds_per_customer':0"), "limits.holds_per_customer: 0 is below 1"},
    {LIMITS("'hold_total_s':0"), "limits.hold_total_s: 0 is below 1"},
    {LIMITS("'hold_total_s':31536001"), "limits.hold_total_s: 31536001 is above 31536000"},
    {LIMITS("'hold_total_s':'30m'"), "limits.hold_total_s: \"30m\" is not an integer"},
    {LIMITS("'house_hold_total_s':0"), "limits.house_hold_total_s: 0 is below 1"},
    {LIMITS("'house_hold_total_s':31536001"),
     "limits.house_hold_total_s: 31536001 is above 31536000"},
    {LIMITS("'groups':{}"), "limits.groups: an object is not an array"},
    {LIMITS("'groups':[1]"), "limits.groups[0]: 1 is not an object"},
    {LIMITS("'groups':[{'limit':1}]"), "limits.groups[0].pools: missing"},
    {LIMITS("'groups':[{'pools':[],'limit':1}]"), "limits.groups[0].pools: empty"},
    {LIMITS("'groups':[{'pools':['a']}]"), "limits.groups[0].limit: missing"},
    {LIMITS("'groups':[{'pools':['a'],'limit':-1}]"), "limits.groups[0].limit: -1 is below 0"},
    {LIMITS("'groups':[{'pools':['a','b','a'],'limit':1}]"),
     "limits.groups[0].pools: duplicate pool \"a\""},
    {DEFINE("'limits':[]"), "limits: an array is not an object"},
    {QUOTA("'pools':['a'],'limit':1"), "quotas[0].quota: missing"},
    {QUOTA("'quota':'q','limit':1"), "quotas[0].pools: missing"},
    {QUOTA("'quota':'q','pools':['a/b'],'limit':1"), "quotas[0].pools: \"a/b\" has a slash"},
    {QUOTA("'quota':'q','pools':['a','a'],'limit':1"), "quotas[0].pools: duplicate pool \"a\""},
    {QUOTA("'quota':'q','pools':['a'],'limit':-1"), "quotas[0].limit: -1 is below 0"},
    {QUOTA("'quota':'q','pools':[]},{'quota':'q','pools':['a']"), "quotas: duplicate quota \"q\""},
    {QUOTA("'quota':'q','pools':['a'],'limit':1,'rate':''"), "quotas[0].rate: empty"},
    {QUOTA("'quota':'q','pools':['a'],'rate':'r','closes_at':'soon'"),
     "quotas[0].closes_at: \"soon\" is not an instant in UTC such as 2026-12-24T19:30:00.000Z"},
    {DEFINE("'quotas':{}"), "quotas: an object is not an array"},
    {DEFINE("'sections':[{'section':'a'},{'section':'a'}]"), "duplicate pool \"a\""},
    {DEFINE("'sections':[{'section':'a'}],'products':[{'product':'a'}]"), "duplicate pool \"a\""},
    {DEFINE("'sections':[{'section':'a'}],"
            "'rooms':[{'room':'a','from':'2026-01-01','to':'2026-01-02'}]"),
     "duplicate pool \"a\""},
    {ROOM("'to':'2026-01-01'"), "rooms[0].from: missing"},
    {ROOM("'from':'2026-01-01'"), "rooms[0].to: missing"},
    {ROOM("'from':'2026-01-02','to':'2026-01-01'"), "rooms[0].from: must be before \"to\""},
    {ROOM("'from':'1970-01-01','to':'9999-12-31'"), "nights exceed the maximum of 65535"},
    {ROOM("'from':'2026-01-01','to':'2026-01-02','rates':{'a':1},'price':1"),
     "rooms[0].rates: cannot be combined with \"price\""},
    {ROOM("'from':'2026-01-01','to':'2026-01-02','rates':{'a':'1'}"),
     "rooms[0].rates.a: \"1\" is not an integer"},
    {ROOM("'from':'2026-01-01','to':'2026-01-02','overbook':1.5"), "rooms[0].overbook: 1.5 is not"},
    {ROOM("'from':'2026-01-01','to':'2026-01-02','capacity':null,'price':1.0"),
     "rooms[0].price: 1.0 is not an integer"},
    {DEFINE("'rooms':[{'from':'2026-01-01','to':'2026-01-02'}]"), "rooms[0].room: missing"},
    {DEFINE("'products':[{'name':'x'}]"), "products[0].product: missing"},
    {DEFINE("'products':[{'product':'x','properties':'L'}]"),
     "products[0].properties: \"L\" is not an object"},
    {DEFINE("'products':[{'product':'x','rates':{'a':1},'price':2}]"),
     "products[0].rates: cannot be combined with \"price\""},
#define RULES(rest) DEFINE("'restrictions':[{'room':'double'," rest "}]")
#define YEAR "'from':'2027-01-01','to':'2028-01-01'"
    {RULES("'from':'2027-01-01'"), "restrictions[0].to: missing"},
    {DEFINE("'restrictions':[{" YEAR "}]"), "restrictions[0].room: missing"},
    {RULES("'from':'2027-01-02','to':'2027-01-02'"), "restrictions[0].from: must be before \"to\""},
    {RULES("'from':'1971-01-01','to':'2171-01-01'"),
     "restrictions[0].to: 73049 dates exceed the maximum of 65535"},
    {RULES(YEAR ",'days':[]"), "restrictions[0].days: empty"},
    {RULES(YEAR ",'days':['sat','holiday']"),
     "restrictions[0].days: \"holiday\" is none of mon, tue, wed, thu, fri, sat, sun"},
    {RULES("'from':'2027-01-03','to':'2027-01-09','days':['sat']"),
     "restrictions[0].days: no date of the range is one of them"},
    {RULES(YEAR ",'min_stay_arrival':367"), "restrictions[0].min_stay_arrival: 367 is above 366"},
    {RULES(YEAR ",'max_stay':-1"), "restrictions[0].max_stay: -1 is below 0"},
    {RULES(YEAR ",'stop_sell':1"), "restrictions[0].stop_sell: 1 is not true or false"},
    {DEFINE("'products':[{'product':'x','overbook':'1'}]"), "products[0].overbook: \"1\" is not"},
};

static void each_rule_is_answered(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct usher_request request;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        usher_arena_reset(&arena);
        const char *json = quotes_double(&arena, rows[i].json);
        enum usher_status status = usher_request_decode(json, strlen(json), &arena, &request, &err);
        if (status != USHER_REJECT || strstr(err.text, rows[i].complaint) == NULL) {
            print_error("%s\n  wanted: %s\n  got: %s \"%s\"\n", json, rows[i].complaint,
                        usher_status_name(status), err.text);
            fail();
        }
        assert_int_equal(err.exit_code, USHER_EXIT_BAD_INPUT);
    }
    usher_arena_deinit(&arena);
}

/* In each field that names something, and in none of those that only people read. */
static void what_is_not_seen_is_in_no_name(void **state)
{
    (void)state;
    static const char *const hidden[] = {"\\u202e", "\\u202A", "\\u2066", "\\u2069",
                                         "\\u200e", "\\u200F", "\\u061c", "\\u2028",
                                         "\\u2029", "\\u200b", "\\u2060", "\\ufeff"};
    static const char *const joiners[] = {"\\u200c", "\\u200d", "\\u2027", "\\u202f", "\\u061d"};
    static const char *const names[] = {
        HOLD("'client':'a%sb'"),
        HOLD("'cart':'a%sb'"),
        "{'request_id':'r','resource':'s','op':'hold','customer':'a%sb','items':[{'seats':['A']}]}",
        HEAD "'transfer','booking':'b','to_customer':'a%sb'}",
        ITEM("{'seats':['A%s-1']}"),
        ITEM("{'section':'a%sb','quantity':1}"),
        ITEM("{'section':'a','quantity':1,'rate':'a%sb'}"),
        ITEM("{'sections':['a%sb'],'quantity':1}"),
        ITEM("{'section':'a','quantity':1,'features':['a%sb']}"),
        ITEM("{'room':'a%sb','quantity':1,'from':'2026-01-01','to':'2026-01-02'}"),
        ITEM("{'product':'a%sb','quantity':1}"),
        DEFINE("'sections':[{'section':'a%sb'}]"),
        DEFINE("'rooms':[{'room':'a%sb','from':'2026-01-01','to':'2026-01-02'}]"),
        DEFINE("'products':[{'product':'a%sb'}]"),
        SECTION("'rates':{'a%sb':1}"),
        SECTION("'rows':[{'row':'a%sb','seats':1}]"),
        SECTION("'rows':[{'row':'A','seats':1,'zone':'a%sb'}]"),
        SECTION("'rows':[{'row':'A','seats':1,'names':['a%sb']}]"),
        QUOTA("'quota':'a%sb','pools':['a'],'limit':1"),
        QUOTA("'quota':'a','pools':['a%sb'],'limit':1"),
    };
    static const char *const texts[] = {
        HOLD("'note':'a%sb'"),
        HOLD("'meta':{'a%sb':'a\\u202eb'}"),
        HEAD "'book','items':[{'seats':['A']}],'payment':'a%sb'}",
        DEFINE("'name':'a%sb','venue':'a\\u202eb','description':'a\\u202eb'"),
        DEFINE("'products':[{'product':'a','name':'a%sb'}]"),
    };
    const size_t name_count = sizeof names / sizeof names[0];
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < name_count + sizeof texts / sizeof texts[0]; i++) {
        const char *format = i < name_count ? names[i] : texts[i - name_count];
        for (size_t j = 0; j < 17; j++) {
            struct usher_request request;
            struct usher_error err = {USHER_EXIT_DONE, ""};
            const char *mark = j < 12 ? hidden[j] : joiners[j - 12];
            const char *at = strstr(format, "%");
            const char *json =
                quotes_double(&arena, usher_arena_format(&arena, "%.*s%s%s", (int)(at - format),
                                                         format, mark, strchr(at, 's') + 1));
            bool wrong = i < name_count && j < 12;
            enum usher_status status =
                usher_request_decode(json, strlen(json), &arena, &request, &err);
            if (status != (wrong ? USHER_REJECT : USHER_OK) ||
                (wrong && !strstr(err.text, "has an invisible character, as a mark of direction")))
                fail_msg("%s\n  got: %s", json, err.text);
        }
    }
    usher_arena_deinit(&arena);
}

/* What asks for nothing is no reason to refuse. */
static void nothing_asked_is_nothing_refused(void **state)
{
    (void)state;
    static const char *const accepted[] = {
        HOLD("'wait_until':null,'cancel_bookings':false,'shortage':'all','unknown':{'a':[1.5]}"),
        HEAD "'close','cancel_bookings':false}",
        HEAD "'probe','items':[]}",
        HEAD "'confirm','booking':'b','items':[]}",
        DEFINE("'limits':{},'quotas':[],'plan':null,'overbook':false,'chart':null"),
        LIMITS("'groups':[],'units_min':null"),
        SECTION("'rates':null,'rows':[{'row':'A','seats':3}],'capacity':0"),
        ITEM("{'section':'a','sections':[],'features':[],'avoid':[],'quantity':1}"),
        HEAD "'confirm','booking':'b','items':[{'section':'a','features':[],'quantity':1}]}",
        HEAD "'probe','items':[{'section':'a','sections':[]}]}",
        HEAD "'book','shortage':'all','wait_until':null,'items':[{'seats':['A-1']}]}",
        SECTION("'rows':[{'row':'A','seats':3}],'capacity':3"),
        ITEM("{'seats':['A-1'],'quantity':1}"),
        "{'op':'release','request_id':'r','resource':'s','booking':'b','force':true}",
        HOUSE "'release','booking':'b','cart':'k','force':true}",
        HEAD "'confirm','booking':'b','cart':'k','items':[{'seats':['A-1']}]}",
        HOUSE "'probe','booking':'b','cart':'k'}",
        HEAD "'probe','cart':'k'}",
        DEFINE("'sections':[{'section':'a','price':1}],'plan':" PLAN),
    };
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        struct usher_request request;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(&arena, accepted[i]);
        if (usher_request_decode(json, strlen(json), &arena, &request, &err) != USHER_OK) {
            print_error("%s\n  refused: %s\n", json, err.text);
            fail();
        }
    }
    usher_arena_deinit(&arena);
}

#define IDENTITY_REST "'request_id':'r','op':'hold','resource':'s',"
#define IDENTITY "{" IDENTITY_REST

struct salvaged {
    const char *json, *request_id;
    enum usher_op op;
    const char *resource, *client;
};

static void assert_text_equal(const char *got, const char *wanted)
{
    if (got == NULL || wanted == NULL)
        assert_ptr_equal(got, wanted);
    else
        assert_string_equal(got, wanted);
}

/* Beyond the maximum nothing is read, but what comes before it. */
static void what_is_too_large_is_echoed(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_request request;
    static char large[2 * USHER_DEFINE_SIZE_MAX];
    for (int behind = 0; behind < 2; behind++) {
        memset(large, ' ', sizeof large);
        const char *head = quotes_double(&arena, IDENTITY "'client':'web'}");
        memcpy(large + (behind ? USHER_DEFINE_SIZE_MAX - 52 : 0), head, strlen(head));
        large[0] = '{';
        if (behind) {
            memcpy(large + 1, "\"x\":1,", 6);
            large[USHER_DEFINE_SIZE_MAX - 52] = ' ';
        }
        assert_int_equal(usher_request_decode(large, sizeof large, &arena, &request, NULL),
                         USHER_REJECT);
        assert_text_equal(request.request_id, "r");
        assert_text_equal(request.resource, "s");
        assert_text_equal(request.client, behind ? NULL : "web");
    }
    usher_arena_deinit(&arena);
}

/* An `invalid` answer still says whose it is, where that can be read. */
static void what_can_be_read_is_echoed(void **state)
{
    (void)state;
    static const struct salvaged cases[] = {
        {"{'request_id':'r','op':'hold','resource':'s','client':'web','customer':7}", "r",
         USHER_OP_HOLD, "s", "web"},
        {"{'client':7,'customer':'c','resource':'s','op':'hold','request_id':'r'}", "r",
         USHER_OP_HOLD, "s", NULL},
        {"{'request_id':'a b','op':'extend','resource':'s'}", NULL, USHER_OP_EXTEND, "s", NULL},
        {"{'request_id':'r','op':'swap','resource':'s'}", "r", USHER_OP_NONE, "s", NULL},
        /* What is JSON otherwise. */
        {IDENTITY "'client':'caf\\u00e9','items':[{'quantity':9223372036854775808}]}", "r",
         USHER_OP_HOLD, "s", "caf\xc3\xa9"},
        {IDENTITY "'client':'web','x':-1e400}", "r", USHER_OP_HOLD, "s", "web"},
        {"{'n':{'a':1,'a':2}," IDENTITY_REST "'client':'a\\u0000b'}", "r", USHER_OP_HOLD, "s",
         NULL},
        {IDENTITY "'x':[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]],'client':'web'}", "r", USHER_OP_HOLD,
         "s", "web"},
        {IDENTITY "'request_id':'other'}", NULL, USHER_OP_HOLD, "s", NULL},
        {IDENTITY "'request_id':7}", NULL, USHER_OP_HOLD, "s", NULL},
        /* What is not: up to the first byte that fits nowhere, and without escapes. */
        {"{'request_id':'r'", "r", USHER_OP_NONE, NULL, NULL},
        {IDENTITY "'client':'web'} x", "r", USHER_OP_HOLD, "s", "web"},
        {"{'customer':'caf\xe9'," IDENTITY_REST "'client':'web'}", "r", USHER_OP_HOLD, "s", "web"},
        {"{'note':'\\ud83c, \\'{[','x':NaN,'y':[1,{'request_id':'z'}],'w':+1," IDENTITY_REST "}",
         "r", USHER_OP_HOLD, "s", NULL},
        {IDENTITY "'client':'\xff'}", "r", USHER_OP_HOLD, "s", NULL},
        {IDENTITY "'client':'caf\\u00e9','x':NaN}", "r", USHER_OP_HOLD, "s", NULL},
        {" {\t'request_id' : 'r' ,'op':'hold' 'resource':'s'", "r", USHER_OP_HOLD, NULL, NULL},
        {IDENTITY "'request_id':'other',}", NULL, USHER_OP_HOLD, "s", NULL},
        {IDENTITY "'client':'we", "r", USHER_OP_HOLD, "s", NULL},
        {"{'request_id':'a b','op':'hold','resource':'s',}", NULL, USHER_OP_HOLD, "s", NULL},
        {"{'request_id':'r\\", NULL, USHER_OP_NONE, NULL, NULL},
        {"{'request_id':", NULL, USHER_OP_NONE, NULL, NULL},
        {"['request_id','r'", NULL, USHER_OP_NONE, NULL, NULL},
        {"'request_id':'r'}", NULL, USHER_OP_NONE, NULL, NULL},
        {"{}}", NULL, USHER_OP_NONE, NULL, NULL},
        {"{}", NULL, USHER_OP_NONE, NULL, NULL},
    };
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct usher_request request;
        const char *json = quotes_double(&arena, cases[i].json);
        assert_int_equal(usher_request_decode(json, strlen(json), &arena, &request, NULL),
                         USHER_REJECT);
        assert_text_equal(request.request_id, cases[i].request_id);
        assert_int_equal(request.op, cases[i].op);
        assert_text_equal(request.resource, cases[i].resource);
        assert_text_equal(request.client, cases[i].client);
    }
    usher_arena_deinit(&arena);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_rule_is_answered),
    cmocka_unit_test(what_is_not_seen_is_in_no_name),
    cmocka_unit_test(nothing_asked_is_nothing_refused),
    cmocka_unit_test(what_can_be_read_is_echoed),
    cmocka_unit_test(what_is_too_large_is_echoed),
};
UNIT_TESTS(test_codec_malformed, tests, NULL, NULL)
