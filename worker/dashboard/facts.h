/* The hash of a resource in Redis, as a struct: what every list and page of it shows. */
#ifndef USHER_WORKER_DASHBOARD_FACTS_H
#define USHER_WORKER_DASHBOARD_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "worker/redis/redis_follow.h"

enum fact_text {
    FACT_KIND = 0,
    FACT_NAME,
    FACT_VENUE,
    FACT_CURRENCY,
    FACT_TIMEZONE,
    FACT_STARTS_AT,
    FACT_ENDS_AT,
    FACT_OPENS_AT,
    FACT_CLOSES_AT,
    FACT_LAYOUT,
    FACT_TEXTS
};

enum fact_number {
    FACT_TOTAL = 0,
    FACT_FREE,
    FACT_HELD,
    FACT_SOLD,
    FACT_BLOCKED,
    FACT_WAITING,
    FACT_OVERBOOK,
    FACT_EPOCH,
    FACT_REV,
    FACT_CATALOGUE_REV,
    FACT_PARTITION,
    FACT_UPDATED_MS,
    FACT_NUMBERS
};

/* Zero-initialised: nothing is known. */
struct facts {
    char state[16];
    const char *texts[FACT_TEXTS]; /* in `text` */
    int64_t numbers[FACT_NUMBERS];
    char *text;
    size_t text_size;
};

/* Whether the contract knows such a state. */
bool facts_know_state(const char *state);

/* Replaces them by those of a hash that has fields: each as long as the contract allows at most. */
void facts_read(struct facts *facts, const struct redis_hash *hash);

/* Frees their text. */
void facts_deinit(struct facts *facts);

/* Appends them as members of a JSON object, without braces. */
void facts_write(const struct facts *facts, struct usher_buffer *out);

/* A message of a channel (schema/messages/changes.schema.json), without its seats and pools. */
struct change {
    int64_t epoch, rev, from, catalogue_rev;
    bool reload;
    char state[16];
    int64_t free, held, sold, blocked, waiting;
};

/* How a message stands to what is known. */
enum change_effect {
    CHANGE_OLD,      /* to be ignored */
    CHANGE_APPLIES,  /* to be applied */
    CHANGE_READ_ANEW /* the keys are to be read again */
};

enum change_effect change_effect(const struct change *change, const struct facts *facts);

/* Takes the position, the state and the counts of a message that applies, and came at that time. */
void facts_apply(struct facts *facts, const struct change *change, int64_t now_ms);

#endif
