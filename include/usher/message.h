/*
 * Requests and answers: their fields, limits and names, and the codec between them and JSON, both
 * ways. The codec bounds every number, date, length and count, so a decoded value cannot overflow
 * later. It knows nothing of Kafka or PostgreSQL, has no clock and keeps no state.
 *
 * Zero-initialise a request, and every struct in it, then set the fields that you need. A field at
 * 0, NULL or false is not given. If 0 is a legal value, as of prices and capacities, set its
 * `_given` flag to send 0. Any other value is sent without the flag. The decoder sets the flag if
 * the field was there. usher_answer_init does the same for answers.
 *
 * Text is UTF-8, NUL-terminated, without control characters, quotes or backslashes. Only `detail`,
 * `note` and `meta` may have them, and they are escaped. NULL means absent.
 *
 * Ids (request_id, resource, booking, from_block, from_hold) are 1 to 64 bytes of A-Z a-z 0-9 _ . :
 * - only. Check ids from elsewhere before you publish them. If the request_id cannot be read, the
 * answer `invalid` has none, and only its source finds it: partition and offset of the delivery
 * report. Names (customer, client, cart, pools, seats, rates) are 1 to 64 bytes of text. Names of
 * pools have no slash.
 */
#ifndef USHER_MESSAGE_H
#define USHER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An integer field of an answer that is not there: instants, prices, counts. */
#define USHER_ABSENT INT64_MIN

enum {
    USHER_ID_MAX = 64,             /* bytes of an id, a customer, client, cart */
    USHER_NAME_MAX = 64,           /* bytes of a pool's, row's or seat's name */
    USHER_TEXT_MAX = 256,          /* bytes of a note, a resource's name, venue */
    USHER_DESCRIPTION_MAX = 4096,  /* bytes of a description */
    USHER_PAYMENT_MAX = 128,       /* bytes of a payment reference */
    USHER_META_MAX = 1024,         /* bytes of meta, as written in canonical JSON */
    USHER_ITEMS_MAX = 100,         /* items per request */
    USHER_UNITS_MAX = 4000,        /* units per request, nights counted singly */
    USHER_NIGHTS_MAX = 366,        /* nights per item */
    USHER_TTL_MAX = 31536000,      /* seconds of a hold */
    USHER_CHOICES_MAX = 100,       /* sections[], features[], avoid[] per item, each */
    USHER_MEMBERS_MAX = 10,        /* members[] per item */
    USHER_NEEDS_MAX = 10,          /* members with features per request: each costs a search */
    USHER_RATES_MAX = 100,         /* rates per pool */
    USHER_KNOWN_MAX = 20,          /* suggestions for an unknown name */
    USHER_QUOTAS_MAX = 1000,       /* quotas per resource */
    USHER_GROUPS_MAX = 100,        /* groups of pools with a limit per customer, per resource */
    USHER_POOLS_MAX = 65535,       /* pools per resource */
    USHER_CALENDAR_MAX = 250000,   /* nights per resource, first to last of each room type */
    USHER_CAPACITY_MAX = 10000000, /* units per pool */
    USHER_RESOURCE_UNITS_MAX = 20000000, /* units per resource, nights counted singly */
    USHER_HASH_SIZE = 16,                /* bytes kept of a SHA-256 */
    USHER_REQUEST_SIZE_MAX = 65536,      /* bytes of a request, but define */
    USHER_DEFINE_SIZE_MAX = 1000000,     /* bytes of a define */
    USHER_ANSWER_SIZE_MAX = 524288,      /* no answer is larger */
    USHER_ANSWER_SIZE_SAFE =
        491520,                  /* an answer that could exceed this is refused: limit_exceeded */
    USHER_IGNORED_MAX = 10,      /* unknown fields that are named, of a request */
    USHER_IGNORED_SIZE_MAX = 64, /* bytes of such a name. A longer one is cut */
};
/* Prices are 0 … this. A total of USHER_UNITS_MAX units cannot overflow. */
#define USHER_PRICE_MAX INT64_C(1000000000000)
/*
 * The price of all held and sold units of a resource is at most 2^53 - 1, because up to there the
 * numbers of JavaScript are exact. A request that would exceed it is refused: limit_exceeded.
 */
#define USHER_SUM_MAX INT64_C(9007199254740991)

/* The enumerators of these three are the rows of words.def, in their order. */
enum usher_op {
    USHER_OP_NONE = 0, /* unreadable */
#define USHER_OP_ROW(enumerator, name) enumerator,
#include "usher/words.def"
    USHER_OP_COUNT,
};

enum usher_outcome {
    USHER_OUTCOME_NONE = 0, /* unknown to this version */
#define USHER_OUTCOME_ROW(enumerator, name, gives_room) enumerator,
#include "usher/words.def"
    USHER_OUTCOME_COUNT,
};

enum usher_reason {
    USHER_REASON_NONE = 0,
#define USHER_REASON_ROW(enumerator, name, retryable, waitable) enumerator,
#include "usher/words.def"
    USHER_REASON_COUNT,
};

enum usher_sale_state {
    USHER_STATE_ABSENT = 0,
    USHER_DRAFT,
    USHER_OPEN,
    USHER_CLOSED,
};

/* Which units of a pool with rows are chosen when the request names no seats. */
enum usher_strategy {
    USHER_STRATEGY_ABSENT = 0,
    USHER_BEST,   /* by rank, else rows front to back and middle outward: the default */
    USHER_FIRST,  /* the first in chart order */
    USHER_RANDOM, /* anywhere, replayable: the decision's seq is the seed */
};

/* The rule when only part of a request is available. */
enum usher_shortage {
    USHER_SHORTAGE_ALL = 0, /* all or nothing */
    USHER_SHORTAGE_PARTIAL, /* as many as possible */
};

/* The resources that a define is for. Others are refused. */
enum usher_only {
    USHER_ONLY_ABSENT = 0, /* any: it is created if there is none */
    USHER_ONLY_NEW,
    USHER_ONLY_EXISTING,
};

/* The effect of a define. */
enum usher_change {
    USHER_CHANGE_ABSENT = 0, /* also of answers recorded before there was this field */
    USHER_CREATED,
    USHER_CHANGED,
    USHER_SAME, /* nothing of the resource differs, and its rev stays */
};

/*
 * The rules that a restriction can have, in order of precedence. The date of a rule is a night of
 * the stay, unless the rule says otherwise here.
 */
enum usher_stay_rule {
    USHER_STAY_RULE_NONE = 0,
    USHER_STOP_SELL,
    USHER_CLOSED_TO_ARRIVAL,   /* date: the day of arrival */
    USHER_CLOSED_TO_DEPARTURE, /* date: the day of departure */
    USHER_MIN_STAY_ARRIVAL,    /* date: the day of arrival */
    USHER_MAX_STAY,            /* date: the day of arrival */
    USHER_MIN_STAY_THROUGH,
};

/* The kind of an item or a pool. SEATS is a kind of items only: the seats name the sections. */
enum usher_kind {
    USHER_SEATS = 0,
    USHER_SECTION,
    USHER_ROOM,
    USHER_PRODUCT,
};

/*
 * Names as in the contract ("hold", "held", "unit_taken", "open"). Static storage. NULL for NONE
 * and for an unknown number.
 */
const char *usher_op_name(enum usher_op op);
const char *usher_outcome_name(enum usher_outcome outcome);
const char *usher_reason_name(enum usher_reason reason);
const char *usher_sale_state_name(enum usher_sale_state state);
const char *usher_strategy_name(enum usher_strategy strategy);
const char *usher_change_name(enum usher_change change);
const char *usher_stay_rule_name(enum usher_stay_rule rule);

/* The value with that name, or NONE (ABSENT for a sale state, a strategy, a change). `name` may be
 * NULL. */
enum usher_op usher_op_named(const char *name);
enum usher_outcome usher_outcome_named(const char *name);
enum usher_reason usher_reason_named(const char *name);
enum usher_sale_state usher_sale_state_named(const char *name);
enum usher_strategy usher_strategy_named(const char *name);
enum usher_change usher_change_named(const char *name);

/* Whether a new request id may succeed after this reason, as far as the reason shows. */
bool usher_reason_retryable(enum usher_reason reason);

/* ---- requests ---- */

/* The people of a party who have the same rate and need the same features. */
struct usher_member {
    uint32_t quantity;
    const char *rate;            /* NULL: as in an item */
    const char *const *features; /* of SECTION: every seat must have them all */
    uint32_t feature_count;
};

struct usher_item {
    enum usher_kind kind;
    const char *pool;            /* section, room type or product. NULL for seats and sections[] */
    const char *const *sections; /* of SECTION, in place of `pool`: the acceptable ones in order */
    uint32_t section_count;
    const char *const *seats; /* of SEATS: their names */
    uint32_t seat_count;
    uint32_t quantity;           /* units, of SEATS seat_count */
    int32_t from, to;            /* of ROOM: nights [from, to) in days since 1970-01-01 */
    bool together;               /* refuse rather than split */
    const char *rate;            /* NULL: `standard`, else the first on sale with room for all */
    const char *const *features; /* of SECTION: every seat must have them all … */
    uint32_t feature_count;
    const char *const *avoid; /* … and none of these */
    uint32_t avoid_count;
    /* Of SECTION and PRODUCT, in place of `rate` and `features`. `quantity` is their sum. */
    const struct usher_member *members;
    uint32_t member_count;
};

/* Seats of a row that have a feature, such as accessible, aisle, restricted_view. */
struct usher_row_feature {
    const char *feature;
    const uint32_t *seats; /* by place in the row, from 0, rising */
    uint32_t seat_count;
};

struct usher_row {
    const char *row; /* may be empty if `names` are given */
    uint32_t seats;
    uint32_t first;             /* number of the first seat, 1 if not given */
    bool first_given;           /* it is 0 */
    const char *zone;           /* of a plan: the place of the row, or NULL */
    const char *const *names;   /* of each seat, or NULL: row-number */
    const char *const *numbers; /* of each seat, for people. NULL: names are for people, too */
    const int32_t *ranks;       /* of each seat, lower is better. NULL: none are ranked */
    const int32_t *x, *y;       /* of each seat, in units of the plan, rounded. NULL: unknown */
    const struct usher_row_feature *features;
    uint32_t feature_count;
};

/* A named price of a pool. */
struct usher_rate {
    const char *rate;
    int64_t price; /* minor units */
};

/*
 * A limit on the held and sold units of several pools. Of room types it is for each night. With a
 * rate the limit counts only units at that rate, and the rate can end at a time.
 */
struct usher_quota {
    const char *quota;
    const char *const *pools; /* sections, room types, products. An empty list removes the quota */
    uint32_t pool_count;
    int64_t limit;     /* units */
    bool limit_given;  /* else as it was */
    const char *rate;  /* NULL: as it was, at first units of all rates */
    int64_t closes_ms; /* the end of the rate. 0: as it was, at first none */
};

/* A limit per customer on the units of a group of pools together. */
struct usher_limit_group {
    const char *const *pools;
    uint32_t pool_count;
    int64_t limit;
};

/* Limits per request, customer and hold. 0: none. Rooms count once per night. */
struct usher_limits {
    int64_t units_min, units_per_request;
    int64_t units_per_customer, holds_per_customer;
    int64_t hold_total_s;       /* that a hold lasts in all, however often it is extended */
    int64_t house_hold_total_s; /* the same of requests with `force`, whatever else bounds holds */
    const struct usher_limit_group *groups;
    uint32_t group_count;
};

/* Of pools: a field not given stays as it was. */
struct usher_section {
    const char *section;
    int64_t price;    /* minor units */
    int64_t capacity; /* 0 and given: the section is removed */
    int64_t overbook; /* units beyond the capacity */
    bool price_given, capacity_given, overbook_given;
    const struct usher_row *rows; /* in place of `capacity` */
    uint32_t row_count;
    const struct usher_rate *rates; /* in place of `price` */
    uint32_t rate_count;
    /* Whether items that do not ask for the feature USHER_SPARED get seats with this feature last.
       1: yes, as in a new section. -1: no. 0: as it was. */
    int8_t spare;
};

#define USHER_SPARED "accessible"

struct usher_room {
    const char *room;
    int32_t from, to; /* nights [from, to) in days since 1970-01-01 */
    int64_t price, capacity, overbook;
    bool price_given, capacity_given, overbook_given;
    const struct usher_rate *rates; /* in place of `price` */
    uint32_t rate_count;
};

/*
 * Rules for stays in a room type on dates, at one rate or at all. 0 nights or -1 removes a rule. A
 * rule not given stays as it was.
 */
struct usher_restriction {
    const char *room;
    int32_t from, to;        /* dates [from, to) in days since 1970-01-01 */
    const char *const *days; /* of the week, as mon: only these dates. NULL: all */
    uint32_t day_count;
    const char *rate;                                     /* NULL: at all rates */
    int64_t min_stay_arrival, max_stay, min_stay_through; /* nights */
    bool min_stay_arrival_given, max_stay_given, min_stay_through_given;
    int8_t closed_to_arrival, closed_to_departure, stop_sell; /* 1: closed, -1: not, 0: not given */
};

struct usher_product {
    const char *product;
    const char *name;
    int64_t price, capacity, overbook;
    bool price_given, capacity_given, overbook_given;
    const struct usher_rate *rates; /* in place of `price` */
    uint32_t rate_count;
    const char *properties; /* a JSON object in canonical form */
};

/* The catalogue part of a define. A field not given stays as it was. */
struct usher_definition {
    const char *name, *venue, *description, *timezone, *currency;
    int64_t starts_ms, ends_ms; /* milliseconds since 1970, as all instants are */
    enum usher_sale_state state;
    int64_t hold_ttl_s;
    int64_t opens_ms, closes_ms; /* hold and book are decided within [opens, closes) only */
    enum usher_strategy strategy;
    const struct usher_limits *limits; /* replace those that were */
    const struct usher_quota *quotas;  /* by name */
    uint32_t quota_count;
    const char *plan;                          /* a pretix seating plan, as canonical JSON */
    const struct usher_section *plan_sections; /* its categories with their rows */
    uint32_t plan_section_count;
    const char *chart; /* the name of a known layout, in place of plan and rows */
    const char *fault; /* of a decoded one: why its plan is refused as bad_chart, or NULL */
    const struct usher_section *sections;
    uint32_t section_count;
    const struct usher_room *rooms;
    uint32_t room_count;
    const struct usher_product *products;
    uint32_t product_count;
    const struct usher_restriction *restrictions; /* later ones override what they cover */
    uint32_t restriction_count;
};

struct usher_request {
    const char *request_id; /* an id, as resource, booking and from_block: see above */
    enum usher_op op;
    const char *resource;
    const char *client, *customer, *booking, *cart, *payment, *note;
    const char *from_block;  /* of hold and book: the block that the units leave, for good */
    const char *to_customer; /* of transfer */
    const char *from_hold;   /* of exchange: the hold that the new units come from, and that ends */
    const char *meta;        /* a JSON object in canonical form */
    const struct usher_item *items;
    uint32_t item_count;
    int64_t ttl_s;       /* seconds of a hold, 1 … USHER_TTL_MAX */
    int64_t deadline_ms; /* milliseconds since 1970 */
    enum usher_shortage shortage;
    int64_t wait_until_ms; /* of a hold: joins the waiting list */
    int64_t return_at_ms;  /* of a block: unsold units return by themselves */
    bool force;
    bool overbook;                             /* with force: beyond what is left */
    bool cancel_bookings;                      /* of close */
    enum usher_only only;                      /* of define */
    const struct usher_definition *definition; /* of a define, else NULL */
    /* Of a decoded one: its unknown fields, as ttl or items[0].togehter, not encoded. */
    const char *const *ignored;
    uint32_t ignored_count;
};

/*
 * Decodes one request into `arena`. Unknown fields are ignored and named. A condition that the op
 * does not support (wait_until of a book) is refused, because to ignore it could sell unwanted
 * units. REJECT: malformed, and `err` says what and where. Then request_id, op, resource and client
 * are set as far as they could be read (for the `invalid` answer), and all other fields are
 * undefined.
 */
USHER_MUST_CHECK enum usher_status usher_request_decode(const void *data, size_t size,
                                                        struct usher_arena *arena,
                                                        struct usher_request *request,
                                                        struct usher_error *err);

/*
 * Appends the request as one line of JSON (no newline), with the given fields only. A request that
 * was decoded decodes to the same again. An invalid one (an unknown op, text that is not UTF-8, an
 * instant after the year 9999) is written unchanged, so it does not decode and usher_client_send
 * rejects it.
 */
void usher_request_encode(const struct usher_request *request, struct usher_buffer *out);

/* ---- charts ---- */

/*
 * Appends the canonical JSON of a layout, {"sections":[{"section":…,"rows":[{"row":…,"seats":…,
 * "first":…}]}]}. It has only sections with rows, in the given order, and zone, names, numbers,
 * ranks, x, y and features of a row if the row has them. Its SHA-256 names the chart.
 */
void usher_chart_encode(const struct usher_section *sections, uint32_t count,
                        struct usher_buffer *out);

/* Reads it back into the arena. REJECT if it is malformed. */
USHER_MUST_CHECK enum usher_status usher_chart_decode(const char *json, size_t size,
                                                      struct usher_arena *arena,
                                                      const struct usher_section **sections,
                                                      uint32_t *count, struct usher_error *err);

/* Writes "sha256:" and 64 hexadecimal digits and a NUL. */
void usher_chart_name(const char *json, size_t size, char name[72]);

/*
 * Converts a pretix seating plan into sections, one for each category that has seats, with their
 * rows. Neighbours in a row of one category stay neighbours. A row with several categories becomes
 * several of the same name. The name of a row may be empty, because its seats have names of their
 * own. If these are UUIDs, the numbers of the seats are kept for people. REJECT if it breaks a rule
 * of charts: `err` names zone, row and seat.
 */
USHER_MUST_CHECK enum usher_status usher_plan_decode(const char *json, size_t size,
                                                     struct usher_arena *arena,
                                                     const struct usher_section **sections,
                                                     uint32_t *count, struct usher_error *err);

/* ---- answers ---- */

/* Units of one item, pool and price. */
struct usher_units {
    uint32_t item;
    enum usher_kind kind; /* SEATS: section with seats[]. SECTION: with quantity, ROOM, PRODUCT */
    const char *pool;
    int32_t night;             /* rooms */
    int64_t price;             /* per unit */
    uint32_t quantity;         /* always the number of units */
    const char *const *seats;  /* SEATS */
    const char *const *places; /* of these for people, "Block D, row 1, seat 7". NULL: as seats */
    const int32_t *tokens;     /* rooms */
    const char *rate;          /* NULL: the pool has but one price */
    const char *booking;       /* in answers to a cart, else NULL */
    int8_t together;           /* of several items one whose seats were chosen: 1 in one piece,
                                  -1 not, 0 it is not said */
    int64_t member;            /* of an item with members: its index in them, or USHER_ABSENT */
};

/* The rule that forbids a stay, and what this rule alone would allow. */
struct usher_restricted {
    enum usher_stay_rule rule;
    int32_t date;    /* of the rule */
    uint32_t nights; /* minimum, or of MAX_STAY maximum. 0: the rule is about dates */
    int32_t next;    /* the next night that the rule does not close. 0: none is known */
};

/* An item that could not be served in full, and the reason. */
struct usher_shortfall {
    uint32_t item;
    uint32_t asked, given;
    enum usher_reason reason;
    int64_t free;     /* units free in the line's pool (rooms: on the tightest night), or ABSENT */
    const char *rate; /* of not_enough: at which `free` are left. NULL: `free` is not of a rate */
    const char *const *taken; /* seats, or nights as 2026-12-24 */
    uint32_t taken_count;
    const char *const *places; /* of these seats for people, as in units. NULL: as taken */
    const char *unknown; /* of unknown_pool, unknown_rate, unknown_feature: the name, or NULL */
    const char *const *known; /* known names instead, at most USHER_KNOWN_MAX */
    uint32_t known_count;
    const struct usher_restricted *restricted; /* of restricted, else NULL */
};

/* Prices of a room type by one rate, one per night. */
struct usher_night_rate {
    const char *rate;
    const int64_t *prices; /* USHER_ABSENT: the night has no such rate */
};

/* Units of a pool that are left at a rate. */
struct usher_rate_left {
    const char *rate;
    int64_t units;
};

/*
 * The availability of a pool, as answered to probe. A room type has a value per night from `from`.
 */
struct usher_pool_status {
    enum usher_kind kind; /* SECTION, PRODUCT, ROOM */
    const char *pool;
    int64_t free, held, sold, blocked, total, price; /* SECTION, PRODUCT */
    int32_t from;                                    /* rooms */
    uint32_t night_count;
    const int64_t *night_free, *night_total, *night_price; /* USHER_ABSENT: no such night */
    int64_t overbook;                                      /* of total. SECTION, PRODUCT */
    int64_t over;              /* units that are taken beyond the total. SECTION, PRODUCT */
    const int64_t *night_over; /* of rooms, one per night. NULL: none are over */
    uint32_t night_over_count;
    /* Named prices of SECTION and PRODUCT. NULL: `price` only. */
    const struct usher_rate *rates;
    uint32_t rate_count;
    /* Named prices of rooms. NULL: `night_price` only. */
    const struct usher_night_rate *night_rates;
    uint32_t night_rate_count;
    /* What quotas of rates leave, of those that they limit or end. SECTION, PRODUCT */
    const struct usher_rate_left *left;
    uint32_t left_count;
    /* Why a stay of these nights is restricted. NULL: it is not. */
    const struct usher_restricted *restricted;
};

/* The present state of a booking, as answered to probe. */
struct usher_booking_status {
    const char *booking;
    const char *state; /* held, confirmed, blocked, waiting, released, expired, cancelled or left */
    const char *customer, *cart, *payment; /* NULL: none */
    int64_t units;                         /* it has, or had until it ended */
    int64_t total;                         /* minor units */
    int64_t expires_ms; /* the end of its hold, wait or block. USHER_ABSENT: it ends by no time */
    int64_t position;   /* on the waiting list, 1 is next. USHER_ABSENT: it does not wait, or is
                           farther back than is counted */
};

struct usher_answer {
    /* The envelope: written around the body, different in a repeat. */
    const char *request_id;
    enum usher_op op;
    const char *resource;
    const char *client;
    bool replayed;
    int64_t seq, epoch;
    int32_t source_partition;
    int64_t source_offset; /* USHER_ABSENT: unrequested, no source */

    /* The body: decided once, the same in every repeat. */
    enum usher_outcome outcome;
    enum usher_change change; /* of a define */
    enum usher_reason reason;
    bool retryable;     /* of REFUSED and INVALID: a new request id may succeed */
    const char *detail; /* why: of a refusal, the note of the request that ended a booking, or of
                           a waiting party that left */
    const char *const *ignored; /* unknown fields of the request, which were skipped */
    uint32_t ignored_count;
    const char *cause; /* not NULL: unrequested */
    const char *customer, *cart, *payment, *booking;
    const char *own_hold; /* of a refusal: an open hold of the same customer that stopped it */
    const struct usher_units *units, *returned;
    uint32_t units_count, returned_count;
    const struct usher_shortfall *items;
    uint32_t items_count;
    int8_t together;    /* of chosen seats: 1 each item in one piece, 0 not, -1 none */
    int64_t overbooked; /* units beyond the rooms or seats there are. USHER_ABSENT: none */
    int64_t total;      /* USHER_ABSENT */
    int64_t difference; /* of an exchange: new total - old total, or USHER_ABSENT */
    int64_t position;   /* of who joins the waiting list, 1 is next, or USHER_ABSENT */
    const char *currency;
    int64_t expires_ms; /* USHER_ABSENT */
    const struct usher_pool_status *pools;
    uint32_t pools_count;
    const struct usher_booking_status *bookings; /* of a probe about bookings, in place of pools */
    uint32_t bookings_count;
    const char *next;
    enum usher_sale_state state;          /* of a probe: of the sale, or ABSENT */
    int64_t opens_ms, closes_ms, ends_ms; /* of a probe, or USHER_ABSENT */
    const char *timezone; /* of a probe: of the resource, as Europe/Paris, or NULL */
    int64_t waiting;      /* of a probe: parties on the waiting list, or USHER_ABSENT */
    const char *chart;
    int64_t decided_ms;
    int64_t rev, free; /* USHER_ABSENT if no resource is known */
};

/* Sets every field to absent. */
void usher_answer_init(struct usher_answer *answer);

/*
 * Decodes an answer into the arena. Unknown fields are ignored, and unknown names become NONE.
 * REJECT: not JSON, or without an outcome.
 */
USHER_MUST_CHECK enum usher_status usher_answer_decode(const void *data, size_t size,
                                                       struct usher_arena *arena,
                                                       struct usher_answer *answer,
                                                       struct usher_error *err);

/* ---- instants, nights, partitions ---- */

enum {
    USHER_INSTANT_SIZE = 32,
    USHER_NIGHT_SIZE = 16
};

/* Writes 2026-12-24T19:30:00.000Z and a NUL, for the years 1970 … 9999. */
void usher_instant_format(int64_t ms, char text[USHER_INSTANT_SIZE]);

/* Reads RFC 3339 with Z and any fraction (cut to milliseconds). False if it is malformed. */
USHER_MUST_CHECK bool usher_instant_parse(const char *text, int64_t *ms);

/* Writes 2026-12-24 and a NUL. */
void usher_night_format(int32_t day, char text[USHER_NIGHT_SIZE]);

/* Reads a date 1970-01-01 … 9999-12-31. False if it is malformed. */
USHER_MUST_CHECK bool usher_night_parse(const char *text, int32_t *day);

/* The partition of a key: murmur2, as Java's default partitioner. */
int32_t usher_partition_of(const void *key, size_t key_size, int32_t partition_count);

#ifdef __cplusplus
}
#endif
#endif
