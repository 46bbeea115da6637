/*
 * The hall of the demo: its sections, rows and prices, and the request that puts it on sale.
 */
#ifndef HALL_H
#define HALL_H

#include "desk.h"

extern const char hall_resource[];
extern const struct usher_section hall_sections[];
extern const uint32_t hall_section_count;

uint32_t hall_seat_count(void);

/* Defines the hall and opens the sale. FATAL where the answers say otherwise. */
USHER_MUST_CHECK enum usher_status hall_put_on_sale(struct desk *desk, struct account *account,
                                                    struct usher_error *err);

#endif
