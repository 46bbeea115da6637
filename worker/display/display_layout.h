/*
 * What dashboards read of a resource that bookings do not change: its layout, which index is
 * which seat, and its catalogue, what it sells and for how much. PURE.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_LAYOUT_H
#define USHER_WORKER_DISPLAY_DISPLAY_LAYOUT_H

#include "usher/memory.h"
#include "worker/inventory/shared_catalogue.h"

/* The name of its layout: 64 hexadecimal digits; "": it has no seats. Owned by the catalogue. */
const char *display_layout_name(const struct catalogue *catalogue);

/*
 * Appends the layout as dashboards read it (contract, `usher:layout:<sha256>`): a function of the
 * chart alone. The catalogue must have one.
 */
void display_layout_write(const struct catalogue *catalogue, struct usher_buffer *out);

/*
 * ==== Catalogue ====
 *
 * What a resource sells, and for how much, as dashboards read it.
 */

/* Appends the catalogue as dashboards read it (contract, `usher:{R}:catalogue`). */
void display_catalogue_write(const struct catalogue *catalogue, struct usher_buffer *out);

#endif
