/*
 * The rows of the database as plain structs: the language between the core, which decides, and
 * the record, which writes and reads. PURE: no I/O, no SQL, no library types.
 *
 * Numbers of resources and bookings are `partition << 48 | seq` of the decision that created them;
 * numbers of pools are `partition << 48 | n`, n counted per partition. No database sequence is
 * involved, so replaying the requests gives the same rows.
 */
#ifndef USHER_WORKER_MODEL_ROWS_H
#define USHER_WORKER_MODEL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/message.h"

#define NIGHT_NONE INT32_MIN
#define OFFSET_NONE INT64_C(-1)

/* Not counted. Whatever is counted on from here stays negative. */
#define COUNT_UNKNOWN (INT64_MIN / 2)

/*
 * A record's key can unpack to megabytes. So much of it is stored, and published, so that it fits
 * into a message with the largest answer. No resource's name is that long.
 */
#define RECORD_KEY_MAX 65536

static inline int64_t row_number(int32_t partition, int64_t n)
{
    return (int64_t)partition << 48 | n;
}

static inline int32_t row_partition(int64_t no)
{
    return (int32_t)(no >> 48);
}

/* The rows of words.def. Stored as its name. */
enum booking_state {
    BOOKING_NONE = 0, /* not stored yet */
#define USHER_STATE_ROW(enumerator, name, owns_units, seat) enumerator,
#include "usher/words.def"
    BOOKING_STATE_COUNT,
};

/* Returns the name; NULL of NONE, and of what is none of them. */
static inline const char *booking_state_name(enum booking_state state)
{
    static const char *const names[BOOKING_STATE_COUNT] = {
#define USHER_STATE_ROW(enumerator, name, owns_units, seat) [enumerator] = (name),
#include "usher/words.def"
    };
    return state < BOOKING_STATE_COUNT ? names[state] : NULL;
}

/* Where a partition stands: one row of partition_state. */
struct position {
    int32_t epoch;
    int32_t partition_count;    /* the recorded one: keys are hashed with it */
    int64_t next_offset;        /* OFFSET_NONE: never started, the log's start */
    int64_t next_seq;           /* from 1 */
    int64_t now_ms;             /* the last batch's `now`; 0: none */
    int64_t published_seq;      /* all up to here are in the result log */
    int64_t published_offset;   /* offset of that seq in the result log; OFFSET_NONE */
    int64_t fingerprint_offset; /* the last consumed record; OFFSET_NONE */
    int64_t fingerprint;        /* hash of its key and value */
    int64_t clock_offset_ms;    /* the database's clock minus CLOCK_MONOTONIC, never more */
    int64_t last_pool;          /* highest n of a pool number in this partition, 0: none */
    int64_t holds, parties;     /* open, and waiting; COUNT_UNKNOWN */
};

struct resource_row {
    int64_t no;
    const char *id;
    enum usher_sale_state state;
    const char *name, *venue, *description, *timezone, *currency;
    int64_t starts_ms, ends_ms;   /* USHER_ABSENT */
    int64_t hold_ttl_s;           /* USHER_ABSENT */
    int64_t opens_ms, closes_ms;  /* USHER_ABSENT */
    enum usher_strategy strategy; /* ABSENT: best */
    const char *terms;            /* JSON (stored_terms_encode): limits and quotas; NULL: none */
    /* Work that outlasts a batch; a new owner resumes it. */
    const char *cancelling; /* all of its bookings are being cancelled: why; "": unsaid; NULL: no */
    bool unserved;          /* a party on its waiting list may fit now */
    int64_t takings;        /* price of all that is sold, in minor units of the currency */
    int64_t promised;       /* price of all that is held */
    const char *by_rate;    /* JSON (rate_uses.h): units at each rate; NULL: not counted, or in the
                               pools of a resource in memory */
    int64_t rev;
    const char *chart; /* name of its chart ("sha256:…"); NULL without seats */
    bool is_new;       /* insert, else update */
};

/* The columns of a resource that selling changes; the rest of its row stays as it is. */
struct resource_mark {
    int64_t no;
    int64_t rev;
    const char *cancelling;
    bool unserved;
    int64_t takings, promised;
    const char *by_rate; /* NULL: as it was */
};

enum {
    QUARTER_MS = 900000 /* a quarter of an hour: all time zones are ahead of UTC by a multiple */
};

/*
 * What a batch adds to the sums of a resource that are kept for each quarter of an hour. A booking
 * counts once, with the first of its rates; one that changed counts by its net effect.
 */
struct quarter_row {
    int64_t resource_no;
    int64_t began_ms;
    const char *outcome;       /* sold, cancelled, exchanged; refused, whose rate is the reason */
    const char *rate, *client; /* never NULL; "": none, or one of too many */
    int64_t bookings, units, amount;
};

/* Units of a pool that are taken, by the state of their bookings. */
struct unit_counts {
    uint32_t held, sold, blocked;
};

static inline uint32_t unit_counts_sum(struct unit_counts counts)
{
    return counts.held + counts.sold + counts.blocked;
}

/* Returns the count of units in that state: HELD, CONFIRMED or BLOCKED. */
static inline uint32_t *unit_counts_in(struct unit_counts *counts, enum booking_state state)
{
    return state == BOOKING_HELD      ? &counts->held
           : state == BOOKING_BLOCKED ? &counts->blocked
                                      : &counts->sold;
}

/*
 * Whether the units of a pool of that kind are interchangeable: nobody asks which one, so they have
 * no numbers and are only counted.
 */
static inline bool kind_is_counted(enum usher_kind kind)
{
    return kind == USHER_SECTION || kind == USHER_PRODUCT;
}

/* A removed pool keeps its row, with capacity 0: history and old bookings refer to it. Such rows
 * do not count among the pools that a resource may have (worker/inventory/catalogue.h). */
struct pool_row {
    int64_t no;
    int64_t resource_no;
    const char *name;
    const char *title;        /* a product's name for people; NULL */
    int64_t price;            /* of a unit by the rate `standard`, else the first listed */
    const char *rates;        /* JSON (stored_rates_encode); NULL: `price` is the only one */
    const char *properties;   /* of a product: a JSON object; NULL */
    const char *restrictions; /* of ROOM: JSON (stored_restrictions_encode); NULL: none */
    uint32_t index;           /* in its resource, from 0, dense, for ever: bookings refer to it */
    enum usher_kind kind;     /* SEATS: with rows; SECTION: by capacity; ROOM; PRODUCT */
    int32_t night;            /* of ROOM, else NIGHT_NONE */
    uint32_t capacity;        /* units in all, with `overbook`: of rooms the highest numbers */
    uint32_t overbook;        /* units beyond the rooms or pieces there are */
    uint32_t over;            /* units that are taken beyond the capacity, by the house's word */
    uint32_t rates_place;     /* of a batch: of `rates` among its lists, from 1; 0: NULL */
    uint32_t restrictions_place; /* as rates_place */
    struct unit_counts taken;    /* of a counted pool; of others 0: their allocations tell */
    struct unit_counts was;      /* of a change: the expected value in the row */
    bool spares;                 /* seats with USHER_SPARED are taken last by who needs none */
    bool is_new;
};

/* What selling changes of a counted pool. */
struct pool_move {
    int64_t no;
    int64_t resource_no;
    uint32_t index;
    struct unit_counts was, taken; /* expected in the row, and set */
};

struct chart_row {
    const char *name;
    const char *content;
    size_t content_size;
};

/* `lines` is JSON (booking_lines.h): the units taken, kept after they were returned. */
struct booking_row {
    int64_t no;
    int64_t resource_no;
    enum booking_state state;
    enum booking_state from; /* of a change: the state that the row must be in; NONE: not stored */
    const char *request_id, *client, *customer, *cart, *payment, *note, *meta;
    enum usher_op op; /* that created it */
    int64_t created_ms;
    int64_t expires_ms; /* end of a hold, of waiting, or of a block; USHER_ABSENT: never */
    int64_t ttl_s;      /* its hold time, when it began and when its cart is used; USHER_ABSENT */
    int64_t total;
    const char *wants; /* JSON of what a waiting party requested: a hold with items; NULL */
    const char *lines;
    size_t lines_size;
    int64_t sold_ms; /* when it was sold; USHER_ABSENT: it was not */
};

struct allocation_row {
    int64_t pool;
    int32_t unit;
    int64_t booking;
};

/*
 * One decision: the answer, the history and the outbox at once. Encoding its answer reads nothing
 * else: `body` is the answer's body as first written, the other columns are its envelope.
 */
struct decision_row {
    int64_t seq;
    int32_t epoch;
    int16_t codec;              /* USHER_CODEC_VERSION when it was written */
    int64_t source_offset;      /* OFFSET_NONE: unrequested */
    int64_t resource_no;        /* 0: no such resource */
    int64_t booking_no;         /* 0: none; the booking it made or changed, for history */
    const int64_t *booking_nos; /* all of them, where there are several: of a cart, an exchange with
                                   a hold, or a transfer of a part; else NULL */
    uint32_t booking_no_count;
    const void *key; /* of the result record: the resource, or the key as received */
    size_t key_size;
    const char *request_id; /* NULL: unreadable */
    const char *resource;   /* NULL: unreadable */
    const char *client;
    enum usher_op op; /* NONE: unreadable */
    enum usher_outcome outcome;
    enum usher_reason reason; /* NONE: neither refused nor invalid */
    uint8_t id_hash[USHER_HASH_SIZE];
    uint8_t content_hash[USHER_HASH_SIZE];
    bool first; /* the first answer to its request id: unique, repeats repeat it */
    bool replayed;
    const char *traceparent; /* echoed as a header; NULL */
    bool cloud_events;       /* the request came with CloudEvents headers: so does the answer */
    int64_t decided_ms;
    int64_t appended_ms; /* USHER_ABSENT: unrequested */
    const char *body;
    size_t body_size;
};

struct dead_letter_row {
    int64_t seq;
    int64_t source_offset;
    const void *key;
    size_t key_size;
    const void *value;
    size_t value_size;
    bool truncated;           /* the value was longer than 1,000,000 bytes */
    enum usher_reason reason; /* MALFORMED, WRONG_PARTITION, INTERNAL */
    /* As its decision has them, which is stored beside it. */
    const char *request_id; /* NULL: unreadable */
    const char *detail;     /* the fault, for people */
    int64_t decided_ms;
};

/* The position of a partition, as read by a non-owner. */
struct known_position {
    int64_t next_offset; /* OFFSET_NONE: it never started */
    int32_t ended;       /* the last epoch that a person ended; 0: none */
};

/* A resource with all that the core needs to decide about it. */
struct loaded_resource {
    uint32_t asked; /* its place in the list of the request */
    struct resource_row row;
    struct chart_row chart; /* content NULL without seats */
    struct pool_row *pools; /* ordered by index, dense */
    uint32_t pool_count;
    struct loaded_unit {
        uint32_t pool; /* index */
        int32_t unit;
        enum booking_state state; /* HELD, CONFIRMED or BLOCKED */
    } * units; /* allocated ones only, of pools that are not counted; by pool and unit */
    uint32_t unit_count;
    struct booking_row *waiting; /* its waiting list, by number */
    uint32_t waiting_count;
};

#endif
