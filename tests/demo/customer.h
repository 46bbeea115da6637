/*
 * One customer of the rush: what they want, and what they do about each answer. Seeded, so every
 * run has the same ones; knows neither Kafka nor time, only pauses.
 */
#ifndef CUSTOMER_H
#define CUSTOMER_H

#include <stdbool.h>
#include <stdint.h>

#include "dice.h"
#include "usher/message.h"

enum customer_state {
    CUSTOMER_WANTS, /* seats */
    CUSTOMER_HOLDS, /* them, and is about to pay or to let go */
    CUSTOMER_HAPPY, /* has tickets */
    CUSTOMER_GONE,  /* without */
};

enum {
    CUSTOMER_PARTY_MAX = 4
};

struct customer {
    enum customer_state state;
    uint32_t number;
    uint32_t party;   /* seats they came for: 2 … 4 */
    uint32_t wanted;  /* seats they ask for now */
    uint32_t section; /* of hall_sections */
    uint32_t tries, tries_max;
    bool named;    /* asks for seats by name */
    bool together; /* would rather have none than split */
    bool modest;   /* takes fewer seats than came for, if that is what there is */
    bool doubtful; /* will release its hold */
    bool released; /* has */
    struct dice dice;
};

/* A request with the text that it points to; must not move. */
struct customer_request {
    struct usher_request request;
    struct usher_item item;
    const char *seats[CUSTOMER_PARTY_MAX];
    char seat_names[CUSTOMER_PARTY_MAX][USHER_NAME_MAX + 1];
    char customer[16], booking[32], request_id[48];
};

void customer_init(struct customer *customer, uint32_t number, uint64_t seed);

/* Whether the next request asks for seats. */
bool customer_wants(const struct customer *customer);

/* Writes the next request: a hold, a confirm or a release. */
void customer_request(struct customer *customer, struct customer_request *asked);

/*
 * Takes an answer to it, or NULL where none came. Returns the microseconds from the request to the
 * next one, or -1 where there is none.
 */
int64_t customer_hears(struct customer *customer, const struct usher_answer *answer);

#endif
