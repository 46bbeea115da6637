/*
 * Requests of all kinds, at random, as the rows of the codec's tables have them: an operation, and
 * each of its fields by the field's type. So a new operation or field needs no line here. What is
 * sold, and how often a field is given, stands in random_requests.c.
 */
#ifndef TESTS_RANDOM_REQUESTS_H
#define TESTS_RANDOM_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"

/* What the requests of a user are about. */
struct random_world {
    uint32_t (*below)(uint32_t sides); /* chance: 0 to sides - 1 */
    const char *const *resources;
    uint32_t resource_count, customers;
    const char *prefix;              /* of the ids of requests */
    uint32_t size;                   /* how many times as large as the smallest a house is */
    uint32_t malformed;              /* of so many that the codec refuses, one is asked; 0: none */
    bool ends;                       /* defines say when a show begins and ends */
    bool calm;                       /* nothing is asked that random_upheaval asks */
    uint8_t weights[USHER_OP_COUNT]; /* 0: RANDOM_WEIGHT */
};

enum {
    RANDOM_WEIGHT = 3
};

/* How often an operation comes, for the caller to change; 0: never. */
extern uint32_t random_weights[USHER_OP_COUNT];

/* The resource of the latest request. */
extern const char *random_resource;

/* Begins with no bookings. The first requests define the resources. The world is borrowed. */
void random_begin(const struct random_world *world);

/* The next request, in JSON. Its times are near `now_ms`, or in 2020. Valid until the next call. */
const char *random_request(int64_t now_ms);

/* The same of one operation. */
const char *random_request_of(enum usher_op op, int64_t now_ms);

/*
 * One that is better decided while nothing is in flight: customers are counted from then on, or all
 * bookings are cancelled.
 */
const char *random_upheaval(void);

/* ---- the chance of those who have no other ---- */

void dice_begin(uint32_t seed);

/* 0 to sides - 1. The same seed gives the same throws. */
uint32_t dice(uint32_t sides);

#endif
