/*
 * The fields of a define and of its parts, one row each: what reads them, writes them, and checks
 * them. As in request_fields.c, new fields stand behind the old ones and are left out where they
 * are absent. Whether the pools that are named exist is not known here.
 */
#include "producer/codec/definition_fields.h"

#include <stdlib.h>
#include <string.h>

#include "producer/codec/definition_rows.h"
#include "producer/codec/message_append.h"
#include "producer/codec/seating_plan.h"

enum {
    CHART_NAME_SIZE = 71,             /* sha256: and 64 digits */
    LIST_MAX = USHER_DEFINE_SIZE_MAX, /* the size of the text is the bound */
    NIGHTS_MAX = 4000000,             /* nights of all rooms[] and restrictions[] of a define */
};

/* ==== Pools ==== */

/* ---- checks ---- */

/* Of every kind. A price is the rate `standard`: a pool is given either (`twice`: both). */
static enum usher_status pool_check(const struct message_reader *reader,
                                    const struct message_place *place, int64_t capacity,
                                    int64_t overbook, bool twice)
{
    int64_t all = capacity + overbook;
    if (all > USHER_CAPACITY_MAX)
        return message_too_many(reader, place, "overbook",
                                (struct message_count){all, "units in all", USHER_CAPACITY_MAX});
    return twice ? message_clash(reader, place, MESSAGE_CONFLICT, "rates", "price") : USHER_OK;
}

static enum usher_status section_check(const struct message_reader *reader,
                                       const struct message_object *object, void *out)
{
    const struct usher_section *section = out;
    enum usher_status status =
        pool_check(reader, object->place, section->capacity, section->overbook,
                   section->price_given && section->rates);
    return status == USHER_OK && section->rows
               ? definition_rows_check(reader, object->place, section)
               : status;
}

static enum usher_status room_check(const struct message_reader *reader,
                                    const struct message_object *object, void *out)
{
    const struct usher_room *room = out;
    int64_t nights = (int64_t)room->to - room->from;
    if (nights <= 0)
        return message_clash(reader, object->place, MESSAGE_NOT_BEFORE, "from", "to");
    if (nights > USHER_POOLS_MAX)
        return message_too_many(reader, object->place, "to",
                                (struct message_count){nights, "nights", USHER_POOLS_MAX});
    return pool_check(reader, object->place, room->capacity, room->overbook,
                      room->price_given && room->rates);
}

static const char *const days_of_week[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

uint32_t restriction_days(const struct usher_restriction *restriction)
{
    uint32_t days = 0;
    for (uint32_t i = 0; i < restriction->day_count; i++)
        for (uint32_t day = 0; day < MESSAGE_COUNT_OF(days_of_week); day++)
            if (strcmp(restriction->days[i], days_of_week[day]) == 0)
                days |= 1U << day;
    return restriction->days ? days : ~0U;
}

bool restriction_has(uint32_t days, int32_t date)
{
    return (days >> (date + 3) % 7 & 1U) != 0; /* 1970-01-01 was a Thursday */
}

/* Days that no date of the range falls on are a mistake, as is an unknown day. */
static enum usher_status days_check(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct usher_restriction *restriction)
{
    for (uint32_t i = 0; i < restriction->day_count; i++) {
        const struct usher_restriction one = {.days = &restriction->days[i], .day_count = 1};
        if (restriction_days(&one) == 0)
            return message_fail(reader, place, "days",
                                "\"%s\" is none of mon, tue, wed, thu, fri, "
                                "sat, sun",
                                restriction->days[i]);
    }
    uint32_t days = restriction_days(restriction);
    for (int32_t date = restriction->from; date < restriction->to; date++)
        if (restriction_has(days, date))
            return USHER_OK;
    return message_fail(reader, place, "days", "no date of the range is one of them");
}

static enum usher_status restriction_check(const struct message_reader *reader,
                                           const struct message_object *object, void *out)
{
    const struct usher_restriction *restriction = out;
    int64_t dates = (int64_t)restriction->to - restriction->from;
    if (dates <= 0)
        return message_clash(reader, object->place, MESSAGE_NOT_BEFORE, "from", "to");
    if (dates > USHER_POOLS_MAX)
        return message_too_many(reader, object->place, "to",
                                (struct message_count){dates, "dates", USHER_POOLS_MAX});
    return days_check(reader, object->place, restriction);
}

static enum usher_status product_check(const struct message_reader *reader,
                                       const struct message_object *object, void *out)
{
    const struct usher_product *product = out;
    return pool_check(reader, object->place, product->capacity, product->overbook,
                      product->price_given && product->rates);
}

/* ---- tables ---- */

#define IN_SECTION(member) offsetof(struct usher_section, member)
#define IN_ROOM(member) offsetof(struct usher_room, member)
#define IN_PRODUCT(member) offsetof(struct usher_product, member)
#define IN_RESTRICTION(member) offsetof(struct usher_restriction, member)

/* A row of restriction_fields: those before it say of which dates the rules are. */
enum {
    AT_RULES = 4
};

/* clang-format off */
static const struct message_field section_fields[] = {
    {"section", MESSAGE_POOL, IN_SECTION(section), .max = USHER_NAME_MAX, .needed = true},
    {"price", MESSAGE_PRICE, IN_SECTION(price), IN_SECTION(price_given), .max = USHER_PRICE_MAX},
    {"capacity", MESSAGE_INTEGER, IN_SECTION(capacity), IN_SECTION(capacity_given),
     .max = USHER_CAPACITY_MAX},
    {"rows", MESSAGE_PARTS, IN_SECTION(rows), IN_SECTION(row_count), .min = 1, .max = LIST_MAX,
     .of = &definition_row_table},
    {"rates", MESSAGE_RATES, IN_SECTION(rates), IN_SECTION(rate_count), .min = 1,
     .max = USHER_RATES_MAX},
    {"overbook", MESSAGE_INTEGER, IN_SECTION(overbook), IN_SECTION(overbook_given),
     .max = USHER_CAPACITY_MAX},
    {"spare", MESSAGE_WHETHER, IN_SECTION(spare), .absent = 0},
};

static const struct message_field room_fields[] = {
    {"room", MESSAGE_POOL, IN_ROOM(room), .max = USHER_NAME_MAX, .needed = true},
    {"from", MESSAGE_NIGHT, IN_ROOM(from), IN_ROOM(to), .needed = true},
    {"to", MESSAGE_NIGHT, IN_ROOM(to), IN_ROOM(to), .needed = true},
    {"capacity", MESSAGE_INTEGER, IN_ROOM(capacity), IN_ROOM(capacity_given),
     .max = USHER_CAPACITY_MAX},
    {"price", MESSAGE_PRICE, IN_ROOM(price), IN_ROOM(price_given), .max = USHER_PRICE_MAX},
    {"rates", MESSAGE_RATES, IN_ROOM(rates), IN_ROOM(rate_count), .min = 1, .max = USHER_RATES_MAX},
    {"overbook", MESSAGE_INTEGER, IN_ROOM(overbook), IN_ROOM(overbook_given),
     .max = USHER_CAPACITY_MAX},
};

static const struct message_field restriction_fields[] = {
    {"room", MESSAGE_POOL, IN_RESTRICTION(room), .max = USHER_NAME_MAX, .needed = true},
    {"from", MESSAGE_NIGHT, IN_RESTRICTION(from), IN_RESTRICTION(to), .needed = true},
    {"to", MESSAGE_NIGHT, IN_RESTRICTION(to), IN_RESTRICTION(to), .needed = true},
    {"days", MESSAGE_TEXTS, IN_RESTRICTION(days), IN_RESTRICTION(day_count), .min = 1, .max = 7,
     .each = MESSAGE_NAME},
    [AT_RULES] = {"rate", MESSAGE_NAME, IN_RESTRICTION(rate), .max = USHER_NAME_MAX},
    {"min_stay_arrival", MESSAGE_INTEGER, IN_RESTRICTION(min_stay_arrival),
     IN_RESTRICTION(min_stay_arrival_given), .max = USHER_NIGHTS_MAX},
    {"max_stay", MESSAGE_INTEGER, IN_RESTRICTION(max_stay), IN_RESTRICTION(max_stay_given),
     .max = USHER_NIGHTS_MAX},
    {"min_stay_through", MESSAGE_INTEGER, IN_RESTRICTION(min_stay_through),
     IN_RESTRICTION(min_stay_through_given), .max = USHER_NIGHTS_MAX},
    {"closed_to_arrival", MESSAGE_WHETHER, IN_RESTRICTION(closed_to_arrival), .absent = 0},
    {"closed_to_departure", MESSAGE_WHETHER, IN_RESTRICTION(closed_to_departure), .absent = 0},
    {"stop_sell", MESSAGE_WHETHER, IN_RESTRICTION(stop_sell), .absent = 0},
};

static const struct message_field product_fields[] = {
    {"product", MESSAGE_POOL, IN_PRODUCT(product), .max = USHER_NAME_MAX, .needed = true},
    {"name", MESSAGE_LABEL, IN_PRODUCT(name), .max = USHER_TEXT_MAX},
    {"capacity", MESSAGE_INTEGER, IN_PRODUCT(capacity), IN_PRODUCT(capacity_given),
     .max = USHER_CAPACITY_MAX},
    {"price", MESSAGE_PRICE, IN_PRODUCT(price), IN_PRODUCT(price_given), .max = USHER_PRICE_MAX},
    {"rates", MESSAGE_RATES, IN_PRODUCT(rates), IN_PRODUCT(rate_count), .min = 1,
     .max = USHER_RATES_MAX},
    {"overbook", MESSAGE_INTEGER, IN_PRODUCT(overbook), IN_PRODUCT(overbook_given),
     .max = USHER_CAPACITY_MAX},
    {"properties", MESSAGE_OBJECT, IN_PRODUCT(properties), .max = USHER_META_MAX},
};
/* clang-format on */

const struct message_table section_table = {
    .fields = section_fields,
    .count = MESSAGE_COUNT_OF(section_fields),
    .size = sizeof(struct usher_section),
    .check = section_check,
};

const struct message_table room_table = {
    .fields = room_fields,
    .count = MESSAGE_COUNT_OF(room_fields),
    .size = sizeof(struct usher_room),
    .check = room_check,
};

/* The rows from `rate` on. */
const struct message_table restriction_rules_table = {
    .fields = &restriction_fields[AT_RULES],
    .count = MESSAGE_COUNT_OF(restriction_fields) - AT_RULES,
    .size = sizeof(struct usher_restriction),
};

const struct message_table restriction_table = {
    .fields = restriction_fields,
    .count = MESSAGE_COUNT_OF(restriction_fields),
    .size = sizeof(struct usher_restriction),
    .check = restriction_check,
};

const struct message_table product_table = {
    .fields = product_fields,
    .count = MESSAGE_COUNT_OF(product_fields),
    .size = sizeof(struct usher_product),
    .check = product_check,
};

/* ==== Terms ==== */

/* ---- checks ---- */

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char *definition_find_duplicate(struct usher_arena *arena, const char *const *names,
                                      size_t count)
{
    if (count < 2)
        return NULL;
    const char **sorted = usher_arena_alloc(arena, count * sizeof *sorted);
    memcpy(sorted, names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return sorted[i];
    return NULL;
}

/* A pool that was named twice would be counted twice. */
static enum usher_status pools_check(const struct message_reader *reader,
                                     const struct message_place *place, const char *const *pools,
                                     uint32_t count)
{
    const char *twice = definition_find_duplicate(reader->arena, pools, count);
    return twice ? message_duplicate(reader, place, "pools", "pool", twice) : USHER_OK;
}

static enum usher_status group_check(const struct message_reader *reader,
                                     const struct message_object *object, void *out)
{
    const struct usher_limit_group *group = out;
    return pools_check(reader, object->place, group->pools, group->pool_count);
}

static enum usher_status limits_check(const struct message_reader *reader,
                                      const struct message_object *object, void *out)
{
    const struct usher_limits *limits = out;
    bool one = limits->units_per_request > 0 && limits->units_per_request < limits->units_min;
    bool all = limits->units_per_customer > 0 && limits->units_per_customer < limits->units_min;
    if (!one && !all)
        return USHER_OK;
    return message_fail(reader, object->place, one ? "units_per_request" : "units_per_customer",
                        "%lld is below units_min, %lld",
                        (long long)(one ? limits->units_per_request : limits->units_per_customer),
                        (long long)limits->units_min);
}

static enum usher_status quota_check(const struct message_reader *reader,
                                     const struct message_object *object, void *out)
{
    const struct usher_quota *quota = out;
    return pools_check(reader, object->place, quota->pools, quota->pool_count);
}

/* ---- tables ---- */

#define IN_GROUP(member) offsetof(struct usher_limit_group, member)
#define IN_LIMITS(member) offsetof(struct usher_limits, member)
#define IN_QUOTA(member) offsetof(struct usher_quota, member)

/* clang-format off */
static const struct message_field group_fields[] = {
    {"pools", MESSAGE_TEXTS, IN_GROUP(pools), IN_GROUP(pool_count), .min = 1,
     .max = USHER_POOLS_MAX, .each = MESSAGE_POOL, .needed = true},
    {"limit", MESSAGE_INTEGER, IN_GROUP(limit), .max = USHER_RESOURCE_UNITS_MAX, .needed = true},
};

static const struct message_table group_table = {
    .fields = group_fields,
    .count = MESSAGE_COUNT_OF(group_fields),
    .size = sizeof(struct usher_limit_group),
    .check = group_check,
};

static const struct message_field limits_fields[] = {
    {"units_min", MESSAGE_INTEGER, IN_LIMITS(units_min), .min = 1, .max = USHER_UNITS_MAX},
    {"units_per_request", MESSAGE_INTEGER, IN_LIMITS(units_per_request), .min = 1,
     .max = USHER_RESOURCE_UNITS_MAX},
    {"units_per_customer", MESSAGE_INTEGER, IN_LIMITS(units_per_customer), .min = 1,
     .max = USHER_RESOURCE_UNITS_MAX},
    {"holds_per_customer", MESSAGE_INTEGER, IN_LIMITS(holds_per_customer), .min = 1,
     .max = USHER_RESOURCE_UNITS_MAX},
    {"hold_total_s", MESSAGE_INTEGER, IN_LIMITS(hold_total_s), .min = 1, .max = USHER_TTL_MAX},
    {"house_hold_total_s", MESSAGE_INTEGER, IN_LIMITS(house_hold_total_s), .min = 1,
     .max = USHER_TTL_MAX},
    {"groups", MESSAGE_PARTS, IN_LIMITS(groups), IN_LIMITS(group_count), .max = USHER_GROUPS_MAX,
     .of = &group_table},
};

static const struct message_field quota_fields[] = {
    {"quota", MESSAGE_NAME, IN_QUOTA(quota), .max = USHER_NAME_MAX, .needed = true},
    {"pools", MESSAGE_TEXTS, IN_QUOTA(pools), IN_QUOTA(pool_count), .max = USHER_POOLS_MAX,
     .each = MESSAGE_POOL, .needed = true},
    {"limit", MESSAGE_INTEGER, IN_QUOTA(limit), IN_QUOTA(limit_given),
     .max = USHER_RESOURCE_UNITS_MAX},
    {"rate", MESSAGE_NAME, IN_QUOTA(rate), .max = USHER_NAME_MAX},
    {"closes_at", MESSAGE_INSTANT, IN_QUOTA(closes_ms), .min = 1},
};
/* clang-format on */

const struct message_table limits_table = {
    .fields = limits_fields,
    .count = MESSAGE_COUNT_OF(limits_fields),
    .size = sizeof(struct usher_limits),
    .check = limits_check,
};

const struct message_table quota_table = {
    .fields = quota_fields,
    .count = MESSAGE_COUNT_OF(quota_fields),
    .size = sizeof(struct usher_quota),
    .check = quota_check,
};

enum usher_status definition_check_quotas(const struct message_reader *reader,
                                          const struct usher_quota *quotas, uint32_t count)
{
    const char **names = usher_arena_alloc(reader->arena, count * sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = quotas[i].quota;
    const char *twice = definition_find_duplicate(reader->arena, names, count);
    return twice ? message_duplicate(reader, NULL, "quotas", "quota", twice) : USHER_OK;
}

/* ==== Definitions ==== */

#define IN_DEFINITION(member) offsetof(struct usher_definition, member)

/* The flag of the option, the heading it stands under, what its value is called, and its help. */
#define OPTION(flag_, heading_, value_, help_)                                                   \
    .option = &(const struct message_option)                                                     \
    {                                                                                            \
        .flag = (flag_), .heading = (heading_), .value = (value_), .help = { {DEFINE, (help_)} } \
    }

#define DEFINE MESSAGE_OP(DEFINE)

static const char of_resource[] = "Resource", what_is_sold[] = "What is sold", of_terms[] = "Terms";

/* clang-format off */
static const struct message_field definition_fields[] = {
    {"name", MESSAGE_LABEL, IN_DEFINITION(name), .max = USHER_TEXT_MAX,
     OPTION("name", of_resource, "TEXT", "of the resource, for people")},
    {"venue", MESSAGE_LABEL, IN_DEFINITION(venue), .max = USHER_TEXT_MAX,
     OPTION("venue", of_resource, "TEXT", "where")},
    {"description", MESSAGE_LABEL, IN_DEFINITION(description), .max = USHER_DESCRIPTION_MAX,
     OPTION("description", of_resource, "TEXT", "what")},
    {"timezone", MESSAGE_TIMEZONE, IN_DEFINITION(timezone), .max = USHER_NAME_MAX,
     OPTION("timezone", of_resource, "NAME", "as Europe/London")},
    {"currency", MESSAGE_CURRENCY, IN_DEFINITION(currency), .max = 3,
     OPTION("currency", of_resource, "CODE",
            "ISO 4217, as GBP; with one, now or from before, a price is 45.00, else 4500 (minor "
            "units)")},
    {"state", MESSAGE_WORD, IN_DEFINITION(state), .words = &sale_state_words,
     OPTION("state", of_resource, NULL,
            "whether it is on sale: a new resource is draft, not yet, unless this says open")},
    {"starts_at", MESSAGE_INSTANT, IN_DEFINITION(starts_ms), .min = 1,
     OPTION("starts-at", of_resource, "INSTANT", "as 2026-12-24T19:30:00Z, or +2h")},
    {"ends_at", MESSAGE_INSTANT, IN_DEFINITION(ends_ms), .min = 1,
     OPTION("ends-at", of_resource, "INSTANT", "as 2026-12-24T22:00:00Z")},
    {"hold_ttl_s", MESSAGE_SECONDS, IN_DEFINITION(hold_ttl_s), .min = 1, .max = USHER_TTL_MAX,
     OPTION("ttl", of_resource, NULL,
            "how long its holds last, and are extended at a time at most, as 15m")},
    {"sections", MESSAGE_PARTS, IN_DEFINITION(sections), IN_DEFINITION(section_count),
     .max = LIST_MAX, .of = &section_table,
     OPTION("section", what_is_sold, "SPEC",
            "stalls:price=45.00,rows=A:20+B:22 (row:seats, or row:seats:first number; C-F:18 is "
            "four rows, AA-CC:18 is three), or "
            "standing:rates=adult:20.00+child:10.00,capacity=300,overbook=10; spare=false: accessible "
            "seats are chosen like any others")},
    {"rooms", MESSAGE_PARTS, IN_DEFINITION(rooms), IN_DEFINITION(room_count), .max = LIST_MAX,
     .of = &room_table,
     OPTION("room", what_is_sold, "SPEC",
            "double:from=2026-01-01,to=2027-01-01,capacity=20,overbook=1,price=129.00 (or "
            "rates=); later ones override the nights that they cover")},
    {"products", MESSAGE_PARTS, IN_DEFINITION(products), IN_DEFINITION(product_count),
     .max = LIST_MAX, .of = &product_table,
     OPTION("product", what_is_sold, "SPEC",
            "programme:capacity=500,price=8.00,name=Programme (or rates=, overbook=)")},
    {"opens_at", MESSAGE_INSTANT, IN_DEFINITION(opens_ms), .min = 1,
     OPTION("opens-at", of_resource, "INSTANT", "while open, sell from then on")},
    {"closes_at", MESSAGE_INSTANT, IN_DEFINITION(closes_ms), .min = 1,
     OPTION("closes-at", of_resource, "INSTANT", "and until then")},
    {"strategy", MESSAGE_WORD, IN_DEFINITION(strategy), .words = &strategy_words,
     OPTION("strategy", of_resource, NULL,
            "seats for a quantity: the best (the default), the first of the chart, any")},
    {"limits", MESSAGE_PART, IN_DEFINITION(limits), .of = &limits_table,
     OPTION("limits", of_terms, "SPEC",
            "units_min=1,units_per_request=8,units_per_customer=10,holds_per_customer=2,hold_total_s=1800,house_hold_total_s=2592000, or none; replaces all earlier limits")},
    {"quotas", MESSAGE_PARTS, IN_DEFINITION(quotas), IN_DEFINITION(quota_count),
     .max = USHER_QUOTAS_MAX, .of = &quota_table,
     OPTION("quota", of_terms, "SPEC",
            "how many units of several pools may be sold: fire:pools=stalls+standing,limit=800; "
            "with rate=, how many at this rate, and until when: birds:pools=stalls,rate=early,"
            "limit=100,closes_at=2026-10-01T00:00:00Z; fire:pools= removes it")},
    {"plan", MESSAGE_DRAWING, IN_DEFINITION(plan),
     OPTION("plan", what_is_sold, "FILE",
            "rows of a hall: a pretix seating plan, whose categories become sections, or JSON "
            "{\"sections\":[{\"section\":...,\"rows\":[...]}]}; see chart check")},
    {"chart", MESSAGE_TEXT, IN_DEFINITION(chart), .max = CHART_NAME_SIZE,
     OPTION("chart", what_is_sold, "NAME",
            "rows of a hall that was defined before, by its sha256:... as chart check says it")},
    {"restrictions", MESSAGE_PARTS, IN_DEFINITION(restrictions), IN_DEFINITION(restriction_count),
     .max = LIST_MAX, .of = &restriction_table,
     OPTION("restriction", of_terms, "SPEC",
            "rules for stays in a room type by date: double:from=2026-12-19,to=2027-04-04,days=sat+sun,"
            "rate=ski,min_stay_arrival=7 (or max_stay=, min_stay_through=, closed_to_arrival=true, "
            "closed_to_departure=true, stop_sell=true); 0 or false removes a rule")},
};
/* clang-format on */

const struct message_table definition_table = {
    .fields = definition_fields,
    .count = MESSAGE_COUNT_OF(definition_fields),
    .size = sizeof(struct usher_definition),
};

/* ---- checks ---- */

static enum usher_status instants_check(const struct message_reader *reader,
                                        const struct usher_definition *definition)
{
    if (definition->opens_ms != 0 && definition->closes_ms != 0 &&
        definition->opens_ms >= definition->closes_ms)
        return message_clash(reader, NULL, MESSAGE_NOT_BEFORE, "opens_at", "closes_at");
    if (definition->starts_ms != 0 && definition->ends_ms != 0 &&
        definition->starts_ms > definition->ends_ms)
        return message_clash(reader, NULL, MESSAGE_NOT_BEFORE, "starts_at", "ends_at");
    return USHER_OK;
}

/* A plan that breaks a rule of charts is a request that can be read, and is refused for it. */
static void plan_read(const struct message_reader *reader, yyjson_val *plan,
                      struct usher_definition *definition)
{
    struct message_fault fault = {0};
    const struct message_reader of_plan = {.arena = reader->arena, .fault = &fault};
    if (plan_decode(&of_plan, plan, &definition->plan_sections, &definition->plan_section_count) ==
        USHER_OK)
        return;
    definition->plan_sections = NULL;
    definition->plan_section_count = 0;
    definition->fault = message_fault_text(reader->arena, &fault);
}

static bool is_chart_name(const char *text)
{
    return strncmp(text, "sha256:", 7) == 0 && strlen(text) == CHART_NAME_SIZE &&
           strspn(text + 7, "0123456789abcdef") == CHART_NAME_SIZE - 7;
}

static enum usher_status layout_check(const struct message_reader *reader,
                                      const struct usher_definition *definition)
{
    if (definition->chart && definition->plan)
        return message_clash(reader, NULL, MESSAGE_CONFLICT, "chart", "plan");
    if (!definition->chart || is_chart_name(definition->chart))
        return USHER_OK;
    return message_fail(reader, NULL, "chart", "\"%s\" is not sha256: and 64 hexadecimal digits",
                        definition->chart);
}

static enum usher_status totals_check(const struct message_reader *reader,
                                      const struct usher_definition *definition)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < definition->section_count; i++)
        seats += definition_rows_seats(&definition->sections[i]);
    for (uint32_t i = 0; i < definition->plan_section_count; i++)
        seats += definition_rows_seats(&definition->plan_sections[i]);
    if (seats > DEFINITION_SEATS_MAX) {
        return message_too_many(reader, NULL, "sections",
                                (struct message_count){seats, "seats", DEFINITION_SEATS_MAX});
    }
    int64_t nights = 0;
    for (uint32_t i = 0; i < definition->room_count; i++)
        nights += definition->rooms[i].to - definition->rooms[i].from;
    for (uint32_t i = 0; i < definition->restriction_count; i++)
        nights += definition->restrictions[i].to - definition->restrictions[i].from;
    if (nights > NIGHTS_MAX) {
        return message_too_many(reader, NULL, "rooms",
                                (struct message_count){nights, "nights", NIGHTS_MAX});
    }
    return USHER_OK;
}

struct named_pool {
    const char *name;
    enum usher_kind kind;
    bool of_plan;
};

static int compare_pools(const void *left, const void *right)
{
    const struct named_pool *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (int)a->of_plan - (int)b->of_plan;
}

/*
 * One name is one pool, whatever its kind. Only a room type may come again, for other nights, and a
 * section of the plan, with its price.
 */
static bool may_both(const struct named_pool *one, const struct named_pool *other)
{
    return strcmp(one->name, other->name) != 0 ||
           (one->kind == other->kind &&
            (one->kind == USHER_ROOM || one->of_plan != other->of_plan));
}

static size_t pools_list(const struct usher_definition *definition, struct named_pool *pools)
{
    size_t count = 0;
    for (uint32_t i = 0; i < definition->section_count; i++)
        pools[count++] = (struct named_pool){definition->sections[i].section, USHER_SECTION, false};
    for (uint32_t i = 0; i < definition->plan_section_count; i++) {
        pools[count++] =
            (struct named_pool){definition->plan_sections[i].section, USHER_SECTION, true};
    }
    for (uint32_t i = 0; i < definition->room_count; i++)
        pools[count++] = (struct named_pool){definition->rooms[i].room, USHER_ROOM, false};
    for (uint32_t i = 0; i < definition->product_count; i++)
        pools[count++] = (struct named_pool){definition->products[i].product, USHER_PRODUCT, false};
    return count;
}

static enum usher_status names_check(const struct message_reader *reader,
                                     const struct usher_definition *definition)
{
    size_t most = (size_t)definition->section_count + definition->plan_section_count +
                  definition->room_count + definition->product_count;
    struct named_pool *pools = usher_arena_alloc(reader->arena, most * sizeof *pools);
    size_t count = pools_list(definition, pools);
    qsort(pools, count, sizeof *pools, compare_pools);
    for (size_t i = 1; i < count; i++)
        if (!may_both(&pools[i - 1], &pools[i]))
            return message_duplicate(reader, NULL, NULL, "pool", pools[i].name);
    return USHER_OK;
}

enum usher_status definition_read(const struct message_reader *reader, yyjson_val *object,
                                  struct usher_definition *definition)
{
    enum usher_status status =
        message_read_fields(reader, NULL, object, &definition_table, definition);
    if (status == USHER_OK)
        status = definition_check_quotas(reader, definition->quotas, definition->quota_count);
    if (status == USHER_OK)
        status = instants_check(reader, definition);
    if (status == USHER_OK)
        status = layout_check(reader, definition);
    if (status == USHER_OK && definition->plan)
        plan_read(reader, yyjson_obj_get(object, "plan"), definition);
    if (status == USHER_OK)
        status = totals_check(reader, definition);
    return status == USHER_OK ? names_check(reader, definition) : status;
}
