/*
 * Prints the hotel's fullest nights as Redis shows them.
 */
#ifndef NIGHTS_H
#define NIGHTS_H

#include "hotel.h"
#include "replay.h"
#include "screen.h"
#include "shown.h"

/*
 * Reads all room nights from Redis, prints the fullest, and counts those whose free rooms are not
 * what the calculation says. FATAL where Redis is away.
 */
USHER_MUST_CHECK enum usher_status nights_print(const struct screen *screen, struct shown *shown,
                                                const struct hotel *hotel,
                                                const struct replay_report *report,
                                                int64_t *differing, struct usher_error *err);

#endif
