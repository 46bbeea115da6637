/*
 * The hotel of the demo: real bookings and cancellations from a file, as one stream of steps, and
 * a plain calculation of the expected outcomes. Knows nothing of Kafka.
 */
#ifndef HOTEL_H
#define HOTEL_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"

enum {
    HOTEL_TYPES = 26, /* room types are letters */
    HOTEL_ID_SIZE = 24,
};

struct hotel_stay {
    char id[HOTEL_ID_SIZE];
    int32_t type;                          /* 0: A */
    int32_t booked_on, arrival, departure; /* days since 1970-01-01; departure excluded */
    int32_t cancelled_on;                  /* INT32_MAX: never */
    bool granted;                          /* by the calculation */
};

struct hotel_step {
    int32_t day;
    uint32_t stay;
    bool cancels;
};

struct hotel {
    struct hotel_stay *stays;
    uint32_t stay_count;
    struct hotel_step *steps; /* by day; cancellations of a day after its bookings */
    uint32_t step_count;
    int32_t first_night, night_count;
    int32_t capacity[HOTEL_TYPES]; /* 0: no such type */
    int64_t room_nights;           /* capacity over all nights */
    int32_t *taken;                /* by the calculation: [type * night_count + night] */
};

/*
 * Reads the file and calculates. Capacity of a type, which the file does not tell: 80 % of its
 * busiest night as it really was, rounded up. FATAL with exit code 65 where the file cannot be
 * read.
 */
USHER_MUST_CHECK enum usher_status hotel_open(const char *path, struct hotel *hotel,
                                              struct usher_error *err);

/* What must come of a step: confirmed or cancelled, or the reason why not. */
enum usher_reason hotel_expected(const struct hotel *hotel, const struct hotel_step *step);

/* Types of rooms times nights. */
int64_t hotel_pool_count(const struct hotel *hotel);

/* Room nights that the calculation has taken at the end. */
int64_t hotel_taken(const struct hotel *hotel);

void hotel_close(struct hotel *hotel);

#endif
