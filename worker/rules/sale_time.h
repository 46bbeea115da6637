/*
 * When a resource sells, by its state, its times, its remaining nights and the ends of its rates.
 * Knows no decision. PURE.
 */
#ifndef USHER_WORKER_RULES_SALE_TIME_H
#define USHER_WORKER_RULES_SALE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"
#include "worker/inventory/resource.h"
#include "worker/model/rows.h"

/* Whether hold and book may take units of that resource at that time; its end is no more in it. */
bool sale_is_on(const struct resource_row *row, int64_t at_ms);

/* Whether the sale begins by itself, later than that. */
bool sale_is_yet_to_open(const struct resource_row *row, int64_t at_ms);

/* Whether its closes_at, or its ends_at, has come. */
bool sale_has_closed(const struct resource_row *row, int64_t at_ms);
bool sale_has_ended(const struct resource_row *row, int64_t at_ms);

/* Whether a night is over where the resource is; false if nobody knows where that is. */
bool sale_night_is_over(const struct resource_row *row, int32_t night, int64_t at_ms);

/* Whether an item, or a request, is for such a night. */
bool sale_item_is_of_past(const struct resource_row *row, const struct usher_item *item,
                          int64_t at_ms);
bool sale_is_of_past(const struct resource_row *row, const struct usher_request *request,
                     int64_t at_ms);

/* The time from which on no rate serves some item of a request; INT64_MAX: none. */
int64_t sale_rates_until_ms(const struct resource *resource, const struct usher_request *request);

/* The time from which on time alone keeps a request from being served; INT64_MAX: none. */
int64_t sale_until_ms(const struct resource *resource, const struct usher_request *request);

/*
 * Whether the same is sold at two times, as far as time decides it: as open, the same nights, at
 * the same rates.
 */
bool sale_is_same(const struct resource *resource, int64_t from_ms, int64_t to_ms);

#endif
