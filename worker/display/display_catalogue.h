/*
 * What a resource sells, and for how much, as dashboards read it.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_CATALOGUE_H
#define USHER_WORKER_DISPLAY_DISPLAY_CATALOGUE_H

#include "usher/memory.h"
#include "worker/inventory/shared_catalogue.h"

/* Appends the catalogue as dashboards read it (contract, `usher:{R}:catalogue`). */
void display_catalogue_write(const struct catalogue *catalogue, struct usher_buffer *out);

#endif
