/*
 * The chart as dashboards read it.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_CHART_H
#define USHER_WORKER_DISPLAY_DISPLAY_CHART_H

#include "usher/memory.h"
#include "worker/inventory/shared_catalogue.h"

/* Appends the chart as dashboards read it (contract, `usher:{R}:chart`). */
void display_chart_write(const struct catalogue *catalogue, struct usher_buffer *out);

#endif
