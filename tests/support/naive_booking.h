/*
 * A booking as the walk over the inventory knows it: what it has of pools of which one has numbers,
 * a night's rooms, and the others are counted.
 */
#ifndef NAIVE_BOOKING_H
#define NAIVE_BOOKING_H

#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

enum {
    NAIVE_ROOM = 1,  /* the index of the pool with numbers */
    NAIVE_LINES = 2, /* a booking at most */
    NAIVE_UNITS = 3  /* a line at most */
};

struct naive_line {
    uint32_t pool, unit_count;
    const char *rate;
    int32_t units[NAIVE_UNITS];
};

struct naive_booking {
    int64_t no;
    uint32_t resource;
    enum booking_state state;
    const char *customer, *cart, *wants;
    int64_t expires_ms;
    struct naive_line lines[NAIVE_LINES];
    uint32_t line_count;
    char id[16];
};

/* Whether units are taken for it. */
bool naive_possesses(const struct naive_booking *booking);

/* How many units its lines have. */
uint32_t naive_unit_count(const struct naive_booking *booking);

/* Its lines as the inventory keeps them; the caller owns them. */
struct content *naive_content(const struct naive_booking *booking);

/* Gives back, or takes, the units that it possesses. */
void naive_give(struct resource *resource, const struct naive_booking *booking);
void naive_take(struct resource *resource, const struct naive_booking *booking);

/* Fails the test where the booking is another one. */
void naive_compare(const struct naive_booking *naive, const struct booking *booking);

#endif
