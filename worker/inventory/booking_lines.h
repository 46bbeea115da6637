/*
 * The lines of a booking as the database keeps them: [[item, pool index, price, units], …]. The
 * units are an array of their numbers, or their quantity where the pool is counted. A fifth element
 * is the hash of the seats, if the units are seats. A sixth is the name of the rate, if it has one:
 * then the hash is present even if it is 0. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_BOOKING_LINES_H
#define USHER_WORKER_INVENTORY_BOOKING_LINES_H

#include <stddef.h>

#include "usher/memory.h"
#include "worker/inventory/booking.h"

/* Appends the lines as JSON. */
void lines_write(const struct content *content, struct usher_buffer *out);

/* Reads what lines_write wrote. Returns owned; free() it. NULL: it is something else. */
struct content *lines_read(const char *json, size_t size);

#endif
