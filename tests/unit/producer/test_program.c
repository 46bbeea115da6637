/*
 * usher-producer from outside: exit codes, suggestions, and the requests that flags build. Runs the
 * program that was built beside this test; no Kafka. Files are tried by test_program_files.c.
 */
#include <stdbool.h>

#include <stdio.h>
#include <string.h>

#include "run_producer.h"
#include "tests/unit/unit.h"
#include "usher/message.h"
#include "usher/status.h"

static const struct {
    const char *words;
    int exit_code;
    const char *message;
} messages[] = {
    {"", USHER_EXIT_USAGE, "usage: usher-producer COMMAND"},
    {"-V", USHER_EXIT_DONE, "usher-producer " USHER_VERSION},
    {"probe -V", USHER_EXIT_DONE, "usher-producer " USHER_VERSION},
    {"hodl", USHER_EXIT_USAGE, "unknown command \"hodl\"; did you mean \"hold\"?"},
    {"help hodl", USHER_EXIT_USAGE, "did you mean \"hold\"?"},
    {"help", USHER_EXIT_DONE, "usage: usher-producer COMMAND"},
    {"version", USHER_EXIT_DONE, "usher-producer " USHER_VERSION},
    {"hold", USHER_EXIT_USAGE, "no resource was given"},
    {"probe", USHER_EXIT_USAGE, "usage: usher-producer probe RESOURCE [FLAGS]"},
    {"probe a --customer c", USHER_EXIT_USAGE, "--customer needs --booking or --cart; "},
    {"hold a b", USHER_EXIT_USAGE, "unexpected argument \"b\""},
    {"hold a --custmer c", USHER_EXIT_USAGE, "did you mean \"--customer\"?"},
    {"transfer a --to-customer c", USHER_EXIT_USAGE, "did you mean \"--to\"?"},
    {"hold a --section s", USHER_EXIT_USAGE, "usher-producer: --customer is required"},
    {"hold a --customer c", USHER_EXIT_USAGE,
     "usher-producer: name what to hold: --seats, --section, --room or --product"},
    {"hold a --customer --json --seats B-1", USHER_EXIT_USAGE, "--customer needs a value"},
    {"open a --wait", USHER_EXIT_USAGE, "--wait needs a value"},
    {"open a --wait soon", USHER_EXIT_USAGE, "could not read --wait: \"soon\" is not a duration"},
    {"open a --no-wait --wait 1s", USHER_EXIT_USAGE, "give either --wait or --no-wait"},
    {"define --shows x --no-wait", USHER_EXIT_USAGE,
     "could not use --no-wait: --shows waits for the answers"},
    {"send --wait 1s", USHER_EXIT_USAGE, "say --wait=1s"},
    {"cancel a --customer c", USHER_EXIT_USAGE, "usher-producer: --booking or --cart is required"},
    {"exchange a --customer c --seats A-1", USHER_EXIT_USAGE,
     "usher-producer: --booking is required"},
    {"exchange a --customer c --booking b", USHER_EXIT_USAGE,
     "usher-producer: name all units that the booking is to have: --seats, "},
    {"extend a --customer c --cart k", USHER_EXIT_USAGE, "usher-producer: --ttl is required"},
    {"transfer a --customer c --booking b", USHER_EXIT_USAGE, "usher-producer: --to is required"},
    {"leave a --booking b", USHER_EXIT_USAGE, "usher-producer: --customer is required"},
    {"block a", USHER_EXIT_USAGE, "usher-producer: name what to block: --seats, "},
    {"unblock a", USHER_EXIT_USAGE, "usher-producer: --booking is required"},
    {"cancel a --booking b", USHER_EXIT_USAGE, "usher-producer: --customer is required"},
    {"hold a --customer c --room double", USHER_EXIT_USAGE, "--from: missing"},
    {"probe a --room double --from 2026-01-02", USHER_EXIT_USAGE, "--to: missing"},
    {"hold a --customer c --room double --from 2026-01-02 --to 2026-01-02", USHER_EXIT_USAGE,
     "--from: must be before --to"},
    {"hold a --customer c --quantity 2", USHER_EXIT_USAGE,
     "could not use --quantity: no --section, --room or --product comes before it"},
    {"hold a --customer c --seats A-1 --quantity 2", USHER_EXIT_USAGE,
     "could not use --quantity: the item before has none"},
    {"hold a --customer c --product p --from 2026-01-01", USHER_EXIT_USAGE,
     "could not use --from: the item before has none"},
    {"hold a --customer c --room r --from 2026-02-30", USHER_EXIT_USAGE,
     "\"2026-02-30\" is not a date"},
    {"hold a --customer c --section s --deadline soon", USHER_EXIT_USAGE,
     "could not read --deadline: \"soon\" is neither an instant such as 2026-12-24T19:30:00Z "
     "nor a time from now such as 5s"},
    {"hold a --customer c --section s --wait-until 2h", USHER_EXIT_USAGE,
     "could not read --wait-until: \"2h\" is neither an instant such as 2026-12-24T19:30:00Z "
     "nor a time from now such as +2h"},
    {"hold a --customer c --section s --wait-until +9999999999999d", USHER_EXIT_USAGE,
     "could not read --wait-until: \"+9999999999999d\""},
    {"hold a --customer c --section s --wait-until 2026-12-24T19:30:00+24:00", USHER_EXIT_USAGE,
     "could not read --wait-until: "},
    {"hold a --customer c --section s --together=maybe", USHER_EXIT_USAGE,
     "could not read --together: \"maybe\" is not true or false"},
    {"hold a --customer c --features x", USHER_EXIT_USAGE,
     "could not use --features: no --section, --room or --product comes before it"},
    {"hold a --customer c --seats A-1 --avoid x", USHER_EXIT_USAGE,
     "could not use --avoid: only allowed with a quantity of a section"},
    {"hold a --customer c --section s --party adult", USHER_EXIT_USAGE,
     "could not read --party: \"adult\" is not RATE:N@FEATURE, as adult:2 or adult:1@accessible"},
    {"hold a --customer c --section s --party :2", USHER_EXIT_USAGE,
     "could not read --party: \":2\" is not RATE:N@FEATURE"},
    {"hold a --customer c --section s --party adult:0", USHER_EXIT_USAGE,
     "could not use --party: 0 is below 1"},
    {"hold a --customer c --section s --party adult:1@", USHER_EXIT_USAGE,
     "could not read --party: a name in \"\" is empty"},
    {"hold a --customer c --section s --party a:3000+b:1001", USHER_EXIT_USAGE,
     "could not use --party: 4001 units exceed the maximum of 4000"},
    {"hold a --customer c --section s --party a:1 --rate a", USHER_EXIT_USAGE,
     "could not use --rate: cannot be combined with"},
    {"hold a --customer c --section s --party a:1 --quantity 2", USHER_EXIT_USAGE,
     "could not use --quantity: 2 is not the sum of the members, 1"},
    {"hold a --customer c --seats A-1 --party a:1", USHER_EXIT_USAGE, "could not use --party: "},
    {"hold a --customer c --party a:1", USHER_EXIT_USAGE,
     "could not use --party: no --section, --room or --product comes before it"},
    {"hold a --customer c --seats A-1,,A-2", USHER_EXIT_USAGE,
     "could not read --seats: a name in \"A-1,,A-2\" is empty"},
    {"hold a --customer c --seats A-1..A-4001", USHER_EXIT_USAGE,
     "could not use --seats: more than 4000 seats"},
    {"hold a --customer c --section s --shortage some", USHER_EXIT_USAGE,
     "could not read --shortage: \"some\" is none of all|partial"},
    {"chart look x", USHER_EXIT_USAGE, "unknown \"chart look\"; there are check and draw"},
    {"chart chek x", USHER_EXIT_USAGE, "did you mean \"chart check\"?"},
    {"chart check", USHER_EXIT_USAGE, "usage: usher-producer chart check|draw FILE [FLAGS]"},
    {"hold a --customer c --section s -X foo", USHER_EXIT_USAGE,
     "could not read -X \"foo\": it is not PROP=VALUE"},
    {"hold a --customer c --section s -Xacks=1", USHER_EXIT_CONFIG,
     "could not set librdkafka property \"acks\": the protocol depends on it"},
    {"define a --section stalls", USHER_EXIT_USAGE, "\"stalls\" is not NAME:KEY=VALUE,..."},
    {"define a --section stalls:rows=A", USHER_EXIT_USAGE, "ROW:SEATS"},
    {"define a --section stalls:prize=1", USHER_EXIT_USAGE,
     "unknown \"prize\", known are price, capacity, rows, rates, overbook"},
    {"define a --section stalls:price=-1", USHER_EXIT_USAGE, "\"-1\" is not a whole number"},
    {"define a --room double:capacity=3", USHER_EXIT_USAGE, "--room double: from=DATE is missing"},
    {"define a --room double:to=2026-01-01,from=2026-01-01,capacity=3", USHER_EXIT_USAGE,
     "--room double: from= must be before to="},
    {"define a --restriction chalet:min_stay_arrival=7", USHER_EXIT_USAGE,
     "--restriction chalet: from=DATE is missing"},
    {"define a --restriction chalet:from=2031-01-01,to=2031-02-01,stop_sell=1", USHER_EXIT_USAGE,
     "could not read --restriction: \"1\" is not true or false"},
    {"define a --dry-run --restriction chalet:from=2031-01-01,to=2031-02-01,days=sat+fun",
     USHER_EXIT_USAGE,
     "could not use --restriction chalet: days: \"fun\" is none of mon, tue, wed, thu, fri, sat, "
     "sun"},
    {"define a --quota fire:limit=1", USHER_EXIT_USAGE, "--quota fire: pools=POOL+POOL is missing"},
    {"define a --limits units=1", USHER_EXIT_USAGE,
     "could not read --limits: unknown \"units\", known are units_min, units_per_request, "
     "units_per_customer, holds_per_customer, hold_total_s, house_hold_total_s"},
    {"define a --limit-group x", USHER_EXIT_USAGE, "\"x\" is not POOL+POOL=N"},
    {"define a --rates stalls", USHER_EXIT_USAGE, "\"stalls\" is not SECTION=RATE:PRICE,..."},
    {"define a --rates stalls=adult", USHER_EXIT_USAGE,
     "\"adult\" is not RATE:PRICE, as adult:4500"},
    {"define a --room double:from=2026-01-01,to=2026-02-01 --rates double=1", USHER_EXIT_USAGE,
     "could not use --rates double: rooms have theirs in --room"},
    {"define a --plan x --chart y", USHER_EXIT_USAGE, "give either --plan or --chart"},
    {"define a --file /nonexistent", USHER_EXIT_BAD_INPUT,
     "could not read \"/nonexistent\": No such file or directory"},
    {"define a --file /dev/null", USHER_EXIT_BAD_INPUT, "/dev/null"},
    {"define a --only-new --only-existing", USHER_EXIT_USAGE,
     "give either --only-new or --only-existing"},
    {"define --shows x --only-new --only-existing", USHER_EXIT_USAGE,
     "give either --only-new or --only-existing"},
    {"define a --file /dev/null --name x", USHER_EXIT_USAGE, "--file holds the whole definition"},
    {"show show:x", USHER_EXIT_USAGE, "unknown command \"show\"; did you mean usher-worker show?"},
    {"watch --op hodl", USHER_EXIT_USAGE, "could not read --op: \"hodl\" is none of define|"},
    {"watch --since soon", USHER_EXIT_USAGE,
     "could not read --since: \"soon\" is neither an instant such as 2026-12-24T19:30:00Z nor how "
     "long ago, such as 1h"},
    {"watch --after 1", USHER_EXIT_USAGE, "could not read --after: \"1\" is not PARTITION:SEQ"},
    {"watch --after 1:2:x", USHER_EXIT_USAGE, "\"1:2:x\" is not PARTITION:SEQ or"},
};

static void test_exit_codes_and_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        char text[16384];
        int exit_code = run_producer(messages[i].words, text, sizeof text);
        if (exit_code != messages[i].exit_code || strstr(text, messages[i].message) == NULL)
            fail_msg("usher-producer %s: exit code %d, said: %s", messages[i].words, exit_code,
                     text);
    }
}

/* What the library finds wrong with a field is told of the flag that it came from. */
static const struct {
    const char *words, *message;
} complaints[] = {
    {"hold 'show x' --customer c --section s",
     "could not use RESOURCE: \"show x\" has characters other than A-Za-z0-9_.:-"},
    {"hold a --request-id 'r r' --customer c --section s", "could not use --request-id: \"r r\""},
    {"hold a --customer 'c\"' --section s", "could not use --customer: \"c\"\" has a control"},
    {"hold a --customer c --section s --meta '{bad'", "could not use --meta: not JSON: "},
    {"hold a --customer c --section s --meta '{bad'", " (byte 1)\n"},
    {"hold a --customer c --section s --meta '[1]'",
     "could not use --meta: an array is not an object"},
    {"hold a --customer c --section s --quantity 0", "could not use --quantity: 0 is below 1"},
    {"hold a --customer c --section s --product 'x/y'",
     "could not use --product: \"x/y\" has a slash"},
    {"hold a --customer c --sections s,t/u", "could not use --sections: \"t/u\" has a slash"},
    {"hold a --customer c --section s --quantity 3000 --product p --quantity 3000",
     "could not use --section, --product: 6000 units exceed the maximum of 4000"},
    {"hold a --customer c --seats A-1 --seats A-1",
     "could not use --seats: duplicate seat \"A-1\""},
    {"hold a --customer c --section s --wait-until +2h --from-block b",
     "could not use --wait-until: cannot be combined with --from-block"},
    {"confirm a --customer c --cart k --seats A-1", "could not use --seats: only allowed with a"},
    {"transfer a --customer c --booking b --to 'd\"'", "could not use --to: \"d\"\" has"},
    {"define a --currency EUR --section s:price=30,capacity=1",
     "could not read --section: \"30\" may be 30.00 EUR, or minor units: write 2 decimals"},
    {"define a --timezone 'here now'", "could not use --timezone: \"here now\" is not the name"},
    {"define a --opens-at 2026-01-01T00:00:00Z --closes-at 2026-01-01T00:00:00Z",
     "could not use --opens-at: must be before --closes-at"},
    {"define a --section s:capacity=1 --section t:rows=A:0",
     "could not read --section: \"A\" is not a row: it has no seats"},
    {"define a --limits units_per_customer=0", "could not use --limits: 0 is below 1"},
    {"hold a --customer c --section s --deadline 1970-01-01T00:00:00Z",
     "could not read --deadline: \"1970-01-01T00:00:00Z\" is neither"},
    {"define a --section s:price=1,rates=adult:1",
     "could not use --section s: rates: cannot be combined with \"price\""},
    {"define a --rates s/t=1", "could not use --rates s/t: section: \"s/t\" has a slash"},
    {"define a --limits units_min=5,units_per_request=2",
     "could not use --limits: units_per_request: 2 is below units_min, 5"},
    {"define a --chart abc", "could not use --chart: \"abc\" is not sha256:"},
    {"define a --section s:capacity=1 --product s:capacity=1",
     "could not build the request: duplicate pool \"s\""},
    {"hold a --customer \"$(printf '\\377')\" --section s",
     "could not read --customer: it is not UTF-8"},
};

static void test_complaints_name_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof complaints / sizeof complaints[0]; i++) {
        char text[4096];
        int exit_code = run_producer(complaints[i].words, text, sizeof text);
        if (exit_code != USHER_EXIT_USAGE || strstr(text, complaints[i].message) == NULL)
            fail_msg("usher-producer %s: exit code %d, said: %s", complaints[i].words, exit_code,
                     text);
    }
}

static const struct {
    const char *words, *json;
} requests[] = {
    {"hold show:x --customer c1 --seats B-5,B-6 --ttl 15m",
     "{\"request_id\":\"r\",\"op\":\"hold\",\"resource\":\"show:x\",\"customer\":\"c1\","
     "\"items\":[{\"seats\":[\"B-5\",\"B-6\"]}],\"ttl_s\":900}"},
    {"hold show:x --customer c1 --seats B-5..B-7,C-09..C-10,D..E",
     "{\"request_id\":\"r\",\"op\":\"hold\",\"resource\":\"show:x\",\"customer\":\"c1\","
     "\"items\":[{\"seats\":[\"B-5\",\"B-6\",\"B-7\",\"C-09\",\"C-10\",\"D..E\"]}]}"},
    {"book show:x --customer c1 --section stalls --quantity 2 --together --room double "
     "--from 2026-12-24 --to 2026-12-27 --product sku --quantity 3 --payment pi",
     "{\"request_id\":\"r\",\"op\":\"book\",\"resource\":\"show:x\",\"customer\":\"c1\","
     "\"items\":[{\"section\":\"stalls\",\"quantity\":2,\"together\":true},{\"room\":"
     "\"double\",\"from\":\"2026-12-24\",\"to\":\"2026-12-27\",\"quantity\":1},{\"product\":"
     "\"sku\",\"quantity\":3}],\"payment\":\"pi\"}"},
    {"confirm show:x --booking b --customer c --deadline 2026-12-24T19:30:00Z",
     "{\"request_id\":\"r\",\"op\":\"confirm\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"booking\":\"b\",\"deadline\":\"2026-12-24T19:30:00.000Z\"}"},
    {"cancel show:x --booking b --force",
     "{\"request_id\":\"r\",\"op\":\"cancel\",\"resource\":\"show:x\",\"booking\":\"b\","
     "\"force\":true}"},
    {"hold show:x --customer c --sections stalls,circle --quantity 2 --together "
     "--features accessible,aisle --avoid restricted_view --rate adult --shortage partial "
     "--wait-until 2026-12-24T19:30:00+01:00",
     "{\"request_id\":\"r\",\"op\":\"hold\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"items\":[{\"sections\":[\"stalls\",\"circle\"],\"quantity\":2,\"together\":true,"
     "\"rate\":\"adult\",\"features\":[\"accessible\",\"aisle\"],\"avoid\":"
     "[\"restricted_view\"]}],\"shortage\":\"partial\",\"wait_until\":"
     "\"2026-12-24T18:30:00.000Z\"}"},
    {"hold show:x --customer c --section stalls --together "
     "--party adult:2+child:1+adult:1@accessible,aisle --product sku --party 2",
     "{\"request_id\":\"r\",\"op\":\"hold\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"items\":[{\"section\":\"stalls\",\"together\":true,\"members\":["
     "{\"quantity\":2,\"rate\":\"adult\"},{\"quantity\":1,\"rate\":\"child\"},"
     "{\"quantity\":1,\"rate\":\"adult\",\"features\":[\"accessible\",\"aisle\"]}]},"
     "{\"product\":\"sku\",\"members\":[{\"quantity\":2}]}]}"},
    {"define show:x --section stalls:price=10,rows=A:2,spare=false",
     "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"sections\":["
     "{\"section\":\"stalls\",\"price\":10,\"rows\":[{\"row\":\"A\",\"seats\":2}],\"spare\":false}]"
     "}"},
    {"book show:x --customer c --section s --from-block b1",
     "{\"request_id\":\"r\",\"op\":\"book\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"items\":[{\"section\":\"s\",\"quantity\":1}],\"from_block\":\"b1\"}"},
    {"hold show:x --customer c --section s --note vip",
     "{\"request_id\":\"r\",\"op\":\"hold\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"items\":[{\"section\":\"s\",\"quantity\":1}],\"note\":\"vip\"}"},
    {"confirm show:x --booking b --customer c --seats A-1 --section s --quantity 2 --rate "
     "adult",
     "{\"request_id\":\"r\",\"op\":\"confirm\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"booking\":\"b\",\"items\":[{\"seats\":[\"A-1\"]},{\"section\":\"s\",\"quantity\":2,"
     "\"rate\":\"adult\"}]}"},
    {"release show:x --cart k --customer c",
     "{\"request_id\":\"r\",\"op\":\"release\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"cart\":\"k\"}"},
    {"extend show:x --cart k --customer c --ttl 10m",
     "{\"request_id\":\"r\",\"op\":\"extend\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"ttl_s\":600,\"cart\":\"k\"}"},
    {"exchange show:x --booking b --customer c --from-hold h --seats A-1",
     "{\"request_id\":\"r\",\"op\":\"exchange\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"booking\":\"b\",\"items\":[{\"seats\":[\"A-1\"]}],\"from_hold\":\"h\"}"},
    {"book show:x --customer c --product mug --force --overbook",
     "{\"request_id\":\"r\",\"op\":\"book\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"items\":[{\"product\":\"mug\",\"quantity\":1}],\"force\":true,\"overbook\":true}"},
    {"define show:x --venue v --force --overbook",
     "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"force\":true,"
     "\"overbook\":true,\"venue\":\"v\"}"},
    {"exchange show:x --booking b --force --seats A-1,A-2",
     "{\"request_id\":\"r\",\"op\":\"exchange\",\"resource\":\"show:x\",\"booking\":\"b\","
     "\"items\":[{\"seats\":[\"A-1\",\"A-2\"]}],\"force\":true}"},
    {"transfer show:x --booking b --customer c --to d",
     "{\"request_id\":\"r\",\"op\":\"transfer\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"booking\":\"b\",\"to_customer\":\"d\"}"},
    {"leave show:x --booking b --customer c",
     "{\"request_id\":\"r\",\"op\":\"leave\",\"resource\":\"show:x\",\"customer\":\"c\","
     "\"booking\":\"b\"}"},
    {"block show:x --seats A-1 --note press --return-at 2026-12-24T19:30:00Z",
     "{\"request_id\":\"r\",\"op\":\"block\",\"resource\":\"show:x\",\"items\":[{\"seats\":"
     "[\"A-1\"]}],\"note\":\"press\",\"return_at\":\"2026-12-24T19:30:00.000Z\"}"},
    {"unblock show:x --booking b",
     "{\"request_id\":\"r\",\"op\":\"unblock\",\"resource\":\"show:x\",\"booking\":\"b\"}"},
    {"close show:x --cancel-bookings --note off",
     "{\"request_id\":\"r\",\"op\":\"close\",\"resource\":\"show:x\",\"note\":\"off\","
     "\"cancel_bookings\":true}"},
    {"close show:x", "{\"request_id\":\"r\",\"op\":\"close\",\"resource\":\"show:x\"}"},
    {"define show:x --only-new --name X",
     "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"only\":\"new\","
     "\"name\":\"X\"}"},
    {"define show:x --section stalls:price=4500,rows=A:20+C-D:22:5+9-10:3+EE-FF:4 "
     "--section standing:capacity=300,price=1 --state open",
     "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"state\":\"open\","
     "\"sections\":[{\"section\":\"stalls\",\"price\":4500,\"rows\":[{\"row\":\"A\",\"seats\":"
     "20},{\"row\":\"C\",\"seats\":22,\"first\":5},{\"row\":\"D\",\"seats\":22,\"first\":5},"
     "{\"row\":\"9\",\"seats\":3},{\"row\":\"10\",\"seats\":3},{\"row\":\"EE\",\"seats\":4},"
     "{\"row\":\"FF\",\"seats\":4}]},{\"section\":\"standing\","
     "\"price\":1,\"capacity\":300}]}"},
    {"define hotel:x --room double:from=2100-01-01,to=2100-02-01,capacity=20,price=129.00 "
     "--product fuel:capacity=5,price=8.00,name=Programme --currency GBP",
     "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"hotel:x\",\"currency\":\"GBP\","
     "\"rooms\":[{\"room\":\"double\",\"from\":\"2100-01-01\",\"to\":\"2100-02-01\","
     "\"capacity\":20,\"price\":12900}],\"products\":[{\"product\":\"fuel\",\"name\":"
     "\"Programme\",\"capacity\":5,\"price\":800}]}"},
    {"define show:x --rates b=adult:4500,child:2500 --rates c=300 --rates p=9 --product "
     "p:capacity=1 "
     "--section a:rates=adult:100+child:50,capacity=10,overbook=2",
     "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"sections\":[{"
     "\"section\":"
     "\"a\",\"capacity\":10,\"rates\":{\"adult\":100,\"child\":50},\"overbook\":2},{"
     "\"section\":"
     "\"b\",\"rates\":{\"adult\":4500,\"child\":2500}},{\"section\":\"c\",\"price\":300}],"
     "\"products\":[{\"product\":\"p\",\"capacity\":1,\"price\":9}]}"},
    {"define show:x --opens-at 2026-12-01T10:00:00Z --closes-at 2026-12-24T19:30:00+01:00 "
     "--strategy random --limits units_min=1,units_per_request=8 --limits "
     "holds_per_customer=2,hold_total_s=1800,house_hold_total_s=2592000 "
     "--limit-group a+b=4 --quota fire:pools=a+b,limit=800 --quota old:pools=",
     "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"opens_at\":"
     "\"2026-12-01T10:00:00.000Z\",\"closes_at\":\"2026-12-24T18:30:00.000Z\",\"strategy\":"
     "\"random\",\"limits\":{\"units_min\":1,\"units_per_request\":8,\"holds_per_customer\":2,"
     "\"hold_total_s\":1800,\"house_hold_total_s\":2592000,"
     "\"groups\":[{\"pools\":[\"a\",\"b\"],\"limit\":4}]},\"quotas\":[{\"quota\":\"fire\","
     "\"pools\":[\"a\",\"b\"],\"limit\":800},{\"quota\":\"old\",\"pools\":[]}]}"},
    {"define show:x --limits none",
     "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"limits\":{}}"},
};

static void test_requests_out_of_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        char words[1000], text[4096], expected[4096];
        snprintf(words, sizeof words, "%s --request-id r --dry-run", requests[i].words);
        snprintf(expected, sizeof expected, "%s\n", requests[i].json);
        assert_int_equal(run_producer(words, text, sizeof text), USHER_EXIT_DONE);
        assert_string_equal(text, expected);
    }
}

static void test_request_ids_are_new_uuids(void **state)
{
    char first[512], second[512];
    (void)state;
    assert_int_equal(run_producer("open a --dry-run", first, sizeof first), USHER_EXIT_DONE);
    assert_int_equal(run_producer("open a --dry-run", second, sizeof second), USHER_EXIT_DONE);
    assert_string_not_equal(first, second);
    assert_int_equal(first[strlen("{\"request_id\":\"") + 14], '4');
}

static void test_define_from_a_file(void **state)
{
    char text[1024];
    (void)state;
    assert_int_equal(
        run_producer("define show:y --request-id r --dry-run --file - <<'END'\n"
                     "\uFEFF{\"name\":\"X\",\"sections\":[{\"section\":\"s\",\"capacity\":3}]}\n"
                     "END\n",
                     text, sizeof text),
        USHER_EXIT_DONE);
    assert_string_equal(text, "{\"name\":\"X\",\"sections\":[{\"section\":\"s\",\"capacity\":3}],"
                              "\"request_id\":\"r\",\"resource\":\"show:y\",\"op\":\"define\"}\n");
    assert_int_equal(run_producer("define --only-existing --dry-run --file - <<'END'\n"
                                  "{\"resource\":\"show:y\",\"request_id\":\"q\",\"name\":\"X\"}\n"
                                  "END\n",
                                  text, sizeof text),
                     USHER_EXIT_DONE);
    assert_string_equal(text, "{\"resource\":\"show:y\",\"request_id\":\"q\",\"name\":\"X\","
                              "\"only\":\"existing\",\"op\":\"define\"}\n");
}

/* It would define an empty resource. */
static void test_a_file_without_a_field_of_a_define(void **state)
{
    static const char *const files[][2] = {
        {"echo '{\"nmae\":\"x\"}'", "unknown field \"nmae\"; did you mean \"name\"?"},
        {"echo '{\"resource\":\"show:y\",\"colour\":\"red\",\"nmae\":\"x\"}'",
         "it defines nothing: unknown field \"colour\""},
        {"echo '{}'", "could not read \"-\": it defines nothing"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char text[1024];
        int exit_code =
            run_producer_fed(files[i][0], "define show:y --dry-run --file -", text, sizeof text);
        if (exit_code != USHER_EXIT_BAD_INPUT || !strstr(text, files[i][1]))
            fail_msg("%s: exit code %d, said: %s", files[i][0], exit_code, text);
    }
}

static const struct {
    const char *input;
    int exit_code;
    const char *said[2];
} validated[] = {
    {"true", USHER_EXIT_DONE, {"0 requests, 0 wrong", ""}},
    {"echo '{\"request_id\":\"a\",\"op\":\"probe\",\"resource\":\"s\"}'",
     USHER_EXIT_DONE,
     {"1 request, 0 wrong", ""}},
    {"(echo '{\"request_id\":\"a\",\"op\":\"probe\",\"resource\":\"s\",\"ttl\":1,\"x\":2}';"
     "echo; echo '{\"op\":\"hold\"}')",
     USHER_EXIT_BAD_INPUT,
     {"standard input line 1: unknown fields \"ttl\", \"x\"\n",
      "standard input line 3: request_id: missing, required by op \"hold\"\n"}},
    {"printf '{\"request_id\":\"a\",\"op\":\"probe\",\"resource\":\"s\",\"\\\\u001b[31m\":1}'",
     USHER_EXIT_BAD_INPUT,
     {"unknown field \"?[31m\"\n", "1 request, 1 wrong"}},
    {"(echo '{\"name\":\"x\",'; echo '\"sections\":[{\"section\":\"s\",\"prize\":1}]}')",
     USHER_EXIT_BAD_INPUT,
     {"standard input: unknown field \"sections[0].prize\"", "1 request, 1 wrong"}},
    {"(echo '{\"name\":\"x\",'; echo '\"sections\":}')",
     USHER_EXIT_BAD_INPUT,
     {"standard input line 2: not JSON", "1 request, 1 wrong"}},
    {"(echo '{\"request_id\":\"a\",\"op\":'; echo; echo "
     "'{\"request_id\":\"b\",\"op\":\"probe\",\"resource\":\"s\"}')",
     USHER_EXIT_BAD_INPUT,
     {"standard input line 1: not JSON", "2 requests, 1 wrong"}},
    {"echo '{\"request_id\":\"a\",\"resource\":\"s\",\"customer\":\"c\",\"items\":[]}'",
     USHER_EXIT_BAD_INPUT,
     {"standard input: op: missing", "1 request, 1 wrong"}},
    {"echo '{\"plan\":{\"zones\":[]}}'",
     USHER_EXIT_BAD_INPUT,
     {"plan: categories: missing", "1 request, 1 wrong"}},
};

static void test_validate_names_line_and_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof validated / sizeof validated[0]; i++) {
        char text[4096];
        int exit_code = run_producer_fed(validated[i].input, "validate", text, sizeof text);
        if (exit_code != validated[i].exit_code || !strstr(text, validated[i].said[0]) ||
            !strstr(text, validated[i].said[1]))
            fail_msg("%s: exit code %d, said: %s", validated[i].input, exit_code, text);
    }
}

static void check_help(const char *command)
{
    char words[64], usage[64], example[64], text[16384];
    snprintf(words, sizeof words, "%s --help", command);
    snprintf(usage, sizeof usage, "usage: usher-producer %s ", command);
    snprintf(example, sizeof example, "\n\nexample: usher-producer %s ", command);
    bool offline = strcmp(command, "chart") == 0 || strcmp(command, "validate") == 0;
    if (run_producer(words, text, sizeof text) != USHER_EXIT_DONE ||
        strncmp(text, usage, strlen(usage)) != 0 || !strstr(text, example) ||
        (strstr(text, "--kafka-brokers") != NULL) == offline)
        fail_msg("%s --help says: %s", command, text);
}

static void test_every_command_has_help(void **state)
{
    static const char *const others[] = {"send", "chart", "watch", "validate"};
    (void)state;
    for (unsigned op = 1; op < USHER_OP_COUNT; op++) /* each has a command */
        check_help(usher_op_name((enum usher_op)op));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        check_help(others[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exit_codes_and_messages),
    cmocka_unit_test(test_complaints_name_flags),
    cmocka_unit_test(test_requests_out_of_flags),
    cmocka_unit_test(test_request_ids_are_new_uuids),
    cmocka_unit_test(test_define_from_a_file),
    cmocka_unit_test(test_a_file_without_a_field_of_a_define),
    cmocka_unit_test(test_validate_names_line_and_field),
    cmocka_unit_test(test_every_command_has_help),
};
UNIT_TESTS(test_program, tests, run_producer_setup, NULL)
