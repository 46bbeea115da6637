/* A request is put together from an operation, a booking, and what chance gives each field. */
#include "random_requests.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "producer/codec/definition_fields.h"
#include "producer/codec/request_fields.h"

enum {
    SIZE = 4096,      /* bytes of a request */
    ITEMS_SIZE = 256, /* bytes of the items that are remembered of a booking */
    KNOWN = 64,       /* bookings that are remembered, … */
    RECENT = 8,       /* … of which mostly these are asked about */
    REPEATED = 8,     /* requests that are remembered */
    CARTS = 2,        /* of a customer */
    STRAYS = 6,       /* one request in so many is about no booking of its customer, … */
    REUSED = 12,      /* … has the id of an earlier one, … */
    AGAIN = 20,       /* … is an earlier one, … */
    USELESS = 20,     /* … has a field that is of no use to its operation */
    NIGHTS = 9,       /* of 2030-01, on sale */
    BEGUN = 3,        /* request_id, op, resource: the first rows, which every request has */
};

static const char FROM[] = "from_";

/* ==== Chance ==== */

static uint32_t dice_state;

void dice_begin(uint32_t seed)
{
    dice_state = seed;
}

uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)dice_state * sides >> 32);
}

static const struct random_world *world;

static uint32_t below(uint32_t sides)
{
    return world->below(sides);
}

static bool once_in(uint32_t times)
{
    return below(times) == 0;
}

#define ONE_OF(list) ((list)[below(sizeof(list) / sizeof(*(list)))])

/* ==== What is remembered ==== */

struct booking {
    enum usher_op op;
    uint32_t resource, customer, cart, number;
    char items[ITEMS_SIZE]; /* as JSON; empty: they would not fit */
};

static struct booking bookings[KNOWN]; /* the latest */
static uint32_t booking_count;
static struct booking subject, other; /* what a request is about, and what it names beside it */
static struct booking part;           /* what is somebody else's behind it: a part has its id */
static bool of_block;                 /* the subject is a block */
static struct earlier {
    const char *resource; /* NULL: there is none */
    char text[SIZE];
} repeated[REPEATED];
static uint32_t sent;

uint32_t random_weights[USHER_OP_COUNT];
const char *random_resource;

void random_begin(const struct random_world *of)
{
    world = of;
    sent = booking_count = 0;
    memset(repeated, 0, sizeof repeated);
    for (int op = USHER_OP_NONE + 1; op < USHER_OP_COUNT; op++)
        random_weights[op] = of->weights[op] > 0 ? of->weights[op] : RANDOM_WEIGHT;
}

static struct booking anything(void)
{
    uint32_t back = below(KNOWN);
    return (struct booking){.resource = below(world->resource_count),
                            .customer = below(world->customers),
                            .cart = below(CARTS),
                            .number = sent > back ? sent - back : sent};
}

static void remember(const struct booking *booking)
{
    bookings[booking_count++ % KNOWN] = *booking;
}

/* Mostly a booking of late, by the customer that it belongs to. */
static struct booking some_booking(void)
{
    uint32_t among = once_in(8) ? KNOWN : RECENT;
    if (booking_count == 0 || once_in(STRAYS))
        return anything();
    return bookings[(booking_count - 1 - below(booking_count < among ? booking_count : among)) %
                    KNOWN];
}

/* ==== Text ==== */

static char text[SIZE];
static size_t text_size;

/* A single quote becomes a double one. */
__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text + text_size, SIZE - text_size, format, arguments);
    va_end(arguments);
    assert(text_size + (size_t)size < SIZE);
    for (char *at = text + text_size; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    text_size += (size_t)size;
}

/* ==== Values ==== */

/* How often a field is given that need not be; all others once in OFTEN. */
enum {
    OFTEN = 8
};

static const struct {
    const char *name;
    uint32_t once_in;
} shares[] = {
    {"ttl_s", 2},     {"return_at", 2}, {"cancel_bookings", 2}, {"note", 3},     {"state", 3},
    {"cart", 3},      {"items", 3},     {"wait_until", 4},      {"together", 4}, {"rate", 6},
    {"from_hold", 4}, {"features", 20}, {"avoid", 20},          {"only", 20},    {"deadline", 30},
    {"currency", 30}, {"force", 6},     {"overbook", 4},
};

static bool is_chosen(const struct message_field *field)
{
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (strcmp(field->name, shares[i].name) == 0)
            return once_in(shares[i].once_in);
    return once_in(OFTEN);
}

/* Within seconds, a minute or an hour, or long ago. */
static void add_instant(int64_t now_ms)
{
    static const uint32_t within_ms[] = {5000, 60000, 3600000};
    char at[USHER_INSTANT_SIZE];
    usher_instant_format(now_ms + 500 + below(ONE_OF(within_ms)), at);
    add("'%s'", once_in(4) ? "2020-01-01T00:00:00Z" : at);
}

/* Seconds, counts, prices: mostly small, and now and then the largest. */
static void add_number(const struct message_field *field)
{
    static const uint32_t sizes[] = {5, 60, 900};
    int64_t number = field->min + below(ONE_OF(sizes));
    add("%lld", (long long)(once_in(20) || number > field->max ? field->max : number));
}

static void add_word(const struct message_words *words)
{
    const char *name = NULL;
    while (!name)
        name = words->names[below(words->count)];
    if (words == &sale_state_words && !once_in(4))
        name = "open";
    add("'%s'", name);
}

/* Of a booking. */
static void add_id(const struct message_field *field)
{
    add("'%s%u'", world->prefix,
        strcmp(field->name, "booking") == 0 ? subject.number : other.number);
}

static void add_name(const struct message_field *field)
{
    if (strcmp(field->name, "customer") == 0)
        add("'c%u'", subject.customer);
    else if (strstr(field->name, "customer"))
        add("'c%u'", part.customer = below(world->customers));
    else if (strcmp(field->name, "cart") == 0)
        add("'k%u'", subject.cart);
    else
        add("'%s %u'", field->name, below(2));
}

#define TYPE(name) (UINT64_C(1) << (unsigned)MESSAGE_##name)
#define TEXTS_OF_PEOPLE (TYPE(LABEL) | TYPE(TEXT))
#define NUMBERS (TYPE(INTEGER) | TYPE(SECONDS) | TYPE(PRICE) | TYPE(COUNT))
#define FLAGS (TYPE(FLAG) | TYPE(WHETHER))
#define PLAIN                                                                                   \
    (TYPE(ID) | TYPE(NAME) | TEXTS_OF_PEOPLE | TYPE(CURRENCY) | TYPE(TIMEZONE) | TYPE(OBJECT) | \
     NUMBERS | TYPE(INSTANT) | TYPE(WORD) | FLAGS)

static bool is_a(const struct message_field *field, uint64_t types)
{
    return (types >> field->type & 1U) != 0;
}

/* Of a field that is PLAIN. */
static void add_value(const struct message_field *field, int64_t now_ms)
{
    add(",'%s':", field->name);
    if (is_a(field, TYPE(ID)))
        add_id(field);
    else if (is_a(field, TYPE(NAME)))
        add_name(field);
    else if (is_a(field, TEXTS_OF_PEOPLE))
        add("'%s of %s%u'", field->name, world->prefix, sent);
    else if (is_a(field, TYPE(CURRENCY)))
        add("'EUR'");
    else if (is_a(field, TYPE(TIMEZONE)))
        add("'Europe/London'");
    else if (is_a(field, TYPE(OBJECT)))
        add("{'%s':%u}", field->name, below(9));
    else if (is_a(field, TYPE(INSTANT)))
        add_instant(now_ms);
    else if (is_a(field, TYPE(WORD)))
        add_word(field->words);
    else if (is_a(field, FLAGS))
        add("%s", once_in(8) ? "false" : "true");
    else
        add_number(field);
}

/* ==== Items ==== */

static void add_seats(void)
{
    static const char rows[] = {'A', 'A', 'A', 'A', 'B', 'B', 'B', 'C'};
    add("['%c-%u'", ONE_OF(rows), 1 + below(6 * world->size));
    if (once_in(2))
        add(",'%c-%u'", ONE_OF(rows), 1 + below(6 * world->size));
    add("]");
}

static const char *some_pool(enum usher_kind kind)
{
    static const char *const sections[] = {"stalls", "stalls", "stalls", "stalls",
                                           "pit",    "pit",    "pit",    "balcony"};
    if (once_in(30))
        return "nowhere";
    return kind == USHER_ROOM ? "double" : kind == USHER_PRODUCT ? "mug" : ONE_OF(sections);
}

static void add_texts(const struct message_field *field)
{
    static const char *const features[] = {"aisle", "aisle", "accessible", "view"};
    if (field->kinds == MESSAGE_KIND(SEATS))
        add_seats();
    else if (field->each == MESSAGE_POOL)
        add("['%s','%s']", some_pool(USHER_SECTION), some_pool(USHER_SECTION));
    else
        add("['%s']", ONE_OF(features));
}

/* One or the other says of which section it is; what says what it is of must be there. */
static bool is_given(const struct message_field *field, enum usher_kind kind, bool is_choice)
{
    uint32_t kinds = field->kinds;
    if (kinds != 0 && (kinds >> kind & 1U) == 0)
        return false;
    if (kinds == MESSAGE_KIND(SECTION) && field->each == MESSAGE_POOL)
        return is_choice;
    if (field->type == MESSAGE_POOL)
        return !is_choice;
    bool is_needed = field->type == MESSAGE_NIGHT || field->type == MESSAGE_COUNT ||
                     kinds == MESSAGE_KIND(SEATS);
    return is_needed || is_chosen(field);
}

static void add_item_value(const struct message_field *field, enum usher_kind kind, uint32_t *night)
{
    static const char *const rates[] = {"standard", "standard", "standard", "child", "red", "blue"};
    if (is_a(field, PLAIN & ~TYPE(NAME) & ~TYPE(COUNT))) {
        add_value(field, 0);
        return;
    }
    add(",'%s':", field->name);
    if (is_a(field, TYPE(TEXTS)))
        add_texts(field);
    else if (is_a(field, TYPE(NIGHT)))
        add("'2030-01-%02u'", *night);
    else if (is_a(field, TYPE(COUNT)))
        add("%u", 1 + below(kind == USHER_ROOM ? 2 : 4));
    else
        add("'%s'", is_a(field, TYPE(POOL)) ? some_pool(kind) : ONE_OF(rates));
    *night += is_a(field, TYPE(NIGHT)) ? 1 + below(3) : 0;
}

/* A party of several kinds, some of whom need a feature. */
static void add_members(enum usher_kind kind)
{
    static const char *const kinds[] = {"", ",'rate':'standard'", ",'rate':'child'"};
    for (uint32_t i = 1 + below(3); i > 0; i--) {
        add("{'quantity':%u%s", 1 + below(2), ONE_OF(kinds));
        if (kind == USHER_SECTION && once_in(3))
            add(",'features':['%s']", once_in(2) ? "accessible" : "aisle");
        add(i > 1 ? "}," : "}");
    }
}

static void add_item(void)
{
    static const enum usher_kind kinds[] = {USHER_SEATS,   USHER_SEATS,   USHER_ROOM,
                                            USHER_PRODUCT, USHER_SECTION, USHER_SECTION,
                                            USHER_SECTION, USHER_SECTION};
    enum usher_kind kind = ONE_OF(kinds);
    bool is_choice = kind == USHER_SECTION && once_in(6);
    bool is_party = (kind == USHER_SECTION || kind == USHER_PRODUCT) && once_in(6);
    uint32_t night = 1 + below(NIGHTS);
    size_t begin = text_size;
    for (size_t i = 0; i < item_table.count; i++) {
        const struct message_field *field = &item_table.fields[i];
        bool is_of_members = is_party && message_field_of(&member_table, field->name);
        if (!field->of && !is_of_members && is_given(field, kind, is_choice))
            add_item_value(field, kind, &night);
    }
    if (is_party) {
        add(",'members':[");
        add_members(kind);
        add("]");
    }
    text[begin] = '{'; /* in place of the first comma */
    add("}");
}

static void remember_items(size_t begin)
{
    size_t size = text_size - begin;
    subject.items[0] = '\0';
    if (size < sizeof subject.items)
        memcpy(subject.items, text + begin, size + 1);
}

/* One unit of the first item, or its first seat. */
static void add_one_of(const char *items)
{
    static const char quantity[] = "\"quantity\":", seat[] = "\",\"";
    const char *count = strstr(items, quantity), *next = strstr(items, seat);
    if (strncmp(items, "{\"seats\":", strlen("{\"seats\":")) == 0 && next)
        add("%.*s\"]}]", (int)(next - items), items);
    else if (count && !strstr(items, "\"members\":"))
        add("%.*s1}]", (int)(count - items + (long)strlen(quantity)), items);
    else
        add("%s]", items);
}

/* A request about a booking often names what that has or some of it, or what the one beside it has.
 */
static void add_items(bool makes)
{
    static const uint32_t counts[] = {1, 1, 1, 1, 2, 3};
    const char *had = *other.items == '\0' || once_in(2) ? subject.items : other.items;
    size_t begin = text_size;
    add(",'items':[");
    if (!makes && *had != '\0' && once_in(3)) {
        add("%s]", had);
        return;
    }
    if (!makes && *had != '\0' && once_in(2)) {
        add_one_of(had);
        return;
    }
    for (uint32_t i = ONE_OF(counts); i > 0; i--) {
        add_item();
        if (i > 1)
            add(",");
    }
    if (makes)
        remember_items(begin + strlen(",'items':["));
    add("]");
}

/* ==== Definitions ==== */

#define NO_RESTRICTIONS                                                                            \
    (",'restrictions':[{'room':'double','from':'2030-01-01','to':'2030-01-12','min_stay_arrival':" \
     "0,"                                                                                          \
     "'max_stay':0,'min_stay_through':0,'closed_to_arrival':false,'closed_to_departure':false,"    \
     "'stop_sell':false}]")

/* Pools come, go, grow and shrink. Two numbers are thrown for each. */
static const char *const changes[] = {
    ",'sections':[{'section':'stalls','rows':[{'row':'B','seats':6},{'row':'A','seats':4}]}]",
    ",'sections':[{'section':'pit','capacity':%1$u}]",
    ",'sections':[{'section':'pit','capacity':1%1$u,'price':%2$u}]",
    ",'sections':[{'section':'balcony','rows':[{'row':'C','seats':%1$u}]}]",
    ",'rooms':[{'room':'double','from':'2030-01-0%1$u','to':'2030-01-12','capacity':%2$u}]",
    ",'products':[{'product':'mug','capacity':%1$u}]",
    ",'sections':[{'section':'stalls','capacity':%1$u}]",
    ",'products':[{'product':'mug','overbook':%2$u,'rates':{'red':%1$u,'standard':%2$u}}]",
    ",'sections':[{'section':'pit','overbook':%1$u}]",
    ",'sections':[{'section':'stalls','spare':false}]",
    ",'sections':[{'section':'stalls','spare':true,'price':%1$u}]",
    ",'rooms':[{'room':'double','from':'2030-01-0%1$u','to':'2030-01-12','rates':{'red':%2$u}}]",
    ",'sections':[{'section':'pit','rates':{'red':%2$u,'standard':%1$u}}]",
    ",'rooms':[{'room':'double','from':'2030-01-03','to':'2030-01-12','price':%1$u}]",
    ",'restrictions':[{'room':'double','from':'2030-01-0%1$u','to':'2030-01-12','max_stay':%2$u}]",
    (",'restrictions':[{'room':'double','from':'2030-01-0%1$u','to':'2030-01-12','rate':'standard',"
     "'min_stay_arrival':%2$u,'closed_to_departure':false}]"),
    (",'restrictions':[{'room':'double','from':'2030-01-0%1$u','to':'2030-01-12','rate':'red',"
     "'min_stay_through':%2$u}]"),
    (",'restrictions':[{'room':'double','from':'2030-01-01','to':'2030-01-12','days':['sat','tue'],"
     "'closed_to_arrival':true},{'room':'double','from':'2030-01-0%1$u','to':'2030-01-08',"
     "'closed_to_departure':true}]"),
    ",'restrictions':[{'room':'double','from':'2030-01-0%1$u','to':'2030-01-07','stop_sell':true}]",
    NO_RESTRICTIONS,
    NO_RESTRICTIONS,
    ",'quotas':[{'quota':'q','pools':['pit','mug'],'limit':1%1$u}]",
    ",'quotas':[{'quota':'q','pools':[]},{'quota':'n','pools':['double'],'limit':%1$u}]",
    ",'limits':{'units_min':%1$u}",
    ",'limits':{'hold_total_s':%1$u%2$u}",
    ",'limits':{'hold_total_s':%1$u,'house_hold_total_s':%2$u000}",
    ",'limits':{}",
    "",
};

/* Customers are counted from then on. */
static const char *const counted[] = {
    ",'limits':{'units_per_customer':1%1$u,'holds_per_customer':%2$u}",
    ",'limits':{'units_per_customer':%1$u}",
    ",'limits':{'units_per_request':%1$u,'groups':[{'pools':['pit','double'],'limit':%2$u}]}",
};

static void fill_in(const char *format)
{
    uint32_t first = 1 + below(6), second = 1 + below(4);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    add(format, first, second);
#pragma GCC diagnostic pop
}

/* All that a house may have, and how it sells. */
static void add_house(void)
{
    uint32_t size = world->size, rows = 6 * size - below(2);
    add(",'state':'open','strategy':'%s'",
        strategy_words.names[1 + subject.resource % (strategy_words.count - 1)]);
    add(",'sections':[{'section':'stalls','rates':{'standard':%u,'child':%u},'rows':[{'row':'A','"
        "seats':%u,'features':{'aisle':[1,%u],'accessible':[1,2]}},{'row':'B','seats':%u},{'row':'"
        "A','seats':%u,'"
        "first':%u}]}",
        10 + below(3), 1 + below(6), rows, rows, 5 * size, 3 * size, 10 * size);
    add(",{'section':'pit','capacity':%u,'price':10}]", (5 + below(5)) * size);
    bool steps = subject.resource % 2 == 1;
    add(",'rooms':[{'room':'double','from':'2030-01-01','to':'2030-01-12','capacity':%u,%s:%u}]",
        2 + below(3), steps ? "'rates':{'red':1,'blue':2},'overbook'" : "'price'", 1 + below(4));
    add(",'products':[{'product':'mug','capacity':%u,%s}]", (3 + below(6)) * size,
        steps ? "'rates':{'red':4,'blue':5}" : "'price':5");
    if (!steps)
        return;
    add(",'quotas':[{'quota':'red','rate':'red','pools':['mug'],'limit':%u},{'quota':'night','rate'"
        ":'"
        "red','pools':['double'],'limit':%u},{'quota':'child','rate':'child','pools':['stalls','"
        "pit'],"
        "'limit':%u}]",
        (1 + below(4)) * size, 1 + below(2), (2 + below(5)) * size);
}

/* Rates that end, some of them by time. */
static void add_quota(int64_t now_ms)
{
    static const char *const quotas[] = {
        ",'quotas':[{'quota':'red','rate':'red','pools':['mug'],'limit':%1$u%2$u",
        ",'quotas':[{'quota':'red','rate':'red','pools':['mug','pit'],'limit':1%1$u",
        ",'quotas':[{'quota':'child','rate':'child','pools':['stalls'],'limit':%1$u",
        ",'quotas':[{'quota':'night','pools':['double'],'limit':%1$u",
        ",'quotas':[{'quota':'blue','rate':'blue','pools':['mug'],'limit':%1$u",
        ",'quotas':[{'quota':'child','pools':[]},{'quota':'red','pools':['mug']",
    };
    fill_in(ONE_OF(quotas));
    if (world->ends && once_in(3)) {
        add(",'closes_at':");
        add_instant(now_ms);
    }
    add("}]");
}

/* All that a change of what is sold does not say. */
static void add_terms(int64_t now_ms)
{
    uint64_t types = PLAIN & ~(world->ends ? 0 : TYPE(INSTANT));
    for (size_t i = 0; i < definition_table.count; i++) {
        const struct message_field *field = &definition_table.fields[i];
        if (is_a(field, types) && strcmp(field->name, "chart") != 0 && is_chosen(field))
            add_value(field, now_ms);
    }
}

static void add_definition(int64_t now_ms)
{
    if (sent < world->resource_count || once_in(3)) {
        add_house();
        if (!world->calm && once_in(6))
            fill_in(ONE_OF(counted));
        return;
    }
    if (once_in(5))
        add_quota(now_ms);
    else
        fill_in(!world->calm && once_in(4) ? ONE_OF(counted) : ONE_OF(changes));
    add_terms(now_ms);
}

/* ==== Requests ==== */

static bool is_of(uint32_t ops, enum usher_op op)
{
    return (ops >> op & 1U) != 0;
}

static const struct message_field *field_named(const char *name)
{
    const struct message_field *field = message_field_of(&request_table, name);
    assert(field);
    return field;
}

/* Whether an operation makes a booking: it needs items, and no booking. */
static bool is_making(enum usher_op op)
{
    return is_of(field_named("items")->needed_by, op) &&
           !is_of(field_named("booking")->needed_by, op);
}

/* Whether a field is of use to an operation, so that a command has an option or an item for it. */
static bool is_of_use(const struct message_field *field, enum usher_op op)
{
    return is_of(field->needed_by | field->only, op) || message_field_help(field, op);
}

/* What the house needs to act on a block: nobody is its customer. */
static bool is_houses(const struct message_field *field, const char *name)
{
    return of_block && strcmp(field->name, name) == 0;
}

static bool is_asked(const struct message_field *field, enum usher_op op)
{
    if (is_houses(field, "force"))
        return true;
    if (world->calm && strcmp(field->name, "cancel_bookings") == 0)
        return false;
    if (is_of(field->needed_by, op))
        return !is_of(field->or_else, op) || (!is_houses(field, "customer") && !once_in(2));
    return is_of_use(field, op) ? is_chosen(field)
                                : once_in(USELESS * (uint32_t)request_table.count);
}

/* A booking of the subject's resource, made by that operation and, if it has one, its customer. */
static struct booking beside_subject(enum usher_op op)
{
    bool has_customer = is_of(field_named("customer")->needed_by, op);
    for (uint32_t i = 0; i < KNOWN && i < booking_count; i++) {
        const struct booking *found = &bookings[(booking_count - 1 - i) % KNOWN];
        if (found->op == op && found->resource == subject.resource &&
            found->number != subject.number &&
            (!has_customer || found->customer == subject.customer) && !once_in(3))
            return *found;
    }
    return anything();
}

/* The operation by which a booking is made that a field beside `booking` names: `from_block`. */
static enum usher_op made_by(enum usher_op op)
{
    for (size_t i = 0; i < request_table.count; i++) {
        const struct message_field *field = &request_table.fields[i];
        if (field->type == MESSAGE_ID && is_of(field->only, op) &&
            strncmp(field->name, FROM, strlen(FROM)) == 0)
            return usher_op_named(field->name + strlen(FROM));
    }
    return USHER_OP_NONE;
}

static void begin(enum usher_op op, uint32_t id)
{
    text_size = 0;
    random_resource = world->resources[subject.resource];
    add("{'request_id':'%s%u','op':'%s','resource':'%s'", world->prefix, id, usher_op_name(op),
        random_resource);
}

static void add_fields(enum usher_op op, uint32_t id, int64_t now_ms)
{
    for (size_t i = BEGUN; i < request_table.count; i++) {
        const struct message_field *field = &request_table.fields[i];
        if (!is_asked(field, op))
            continue;
        if (is_a(field, PLAIN))
            add_value(field, now_ms);
        else if (field->of == &item_table) {
            add_items(is_making(op));
            part.number = id;
        }
    }
}

static void put_together(enum usher_op op, int64_t now_ms)
{
    bool is_first = sent < world->resource_count;
    uint32_t id = !is_first && once_in(REUSED) ? anything().number : sent;
    subject = is_of_use(field_named("booking"), op) ? some_booking() : anything();
    if (is_first)
        subject.resource = sent;
    if (is_making(op))
        subject.number = id;
    of_block = subject.op == USHER_OP_BLOCK && !is_making(op);
    part = subject;
    subject.op = op;
    other = beside_subject(made_by(op));
    begin(op, id);
    if (!is_first)
        add_fields(op, id, now_ms);
    if (op == USHER_OP_DEFINE)
        add_definition(now_ms);
    add("}");
}

static bool is_refused(void)
{
    struct usher_arena arena = {0};
    struct usher_request request;
    enum usher_status status = usher_request_decode(text, text_size, &arena, &request, NULL);
    usher_arena_deinit(&arena);
    return status != USHER_OK;
}

const char *random_request_of(enum usher_op op, int64_t now_ms)
{
    do
        put_together(op, now_ms);
    while (is_refused() && (world->malformed == 0 || !once_in(world->malformed)));
    if (is_making(op))
        remember(&subject);
    if (op == USHER_OP_TRANSFER)
        remember(&part);
    struct earlier *place = &repeated[sent++ % REPEATED];
    place->resource = random_resource;
    memcpy(place->text, text, text_size + 1);
    return text;
}

static enum usher_op some_op(void)
{
    uint32_t sum = 0;
    int op = USHER_OP_NONE + 1;
    for (int i = op; i < USHER_OP_COUNT; i++)
        sum += random_weights[i];
    for (uint32_t at = below(sum); at >= random_weights[op]; op++)
        at -= random_weights[op];
    return (enum usher_op)op;
}

const char *random_request(int64_t now_ms)
{
    const struct earlier *again = &repeated[below(REPEATED)];
    if (sent < world->resource_count)
        return random_request_of(USHER_OP_DEFINE, now_ms);
    if (!again->resource || !once_in(AGAIN))
        return random_request_of(some_op(), now_ms);
    random_resource = again->resource;
    return again->text;
}

const char *random_upheaval(void)
{
    bool is_define = once_in(2);
    subject = anything();
    begin(is_define ? USHER_OP_DEFINE : USHER_OP_CLOSE, sent++);
    if (is_define)
        fill_in(ONE_OF(counted));
    add(is_define ? ",'state':'open'}" : ",'cancel_bookings':true}");
    return text;
}
