/*
 * Steps of the loop that decide, and so fill the open batch. Each does as much as there is room
 * for, and returns the status of its load. Knows nothing of how a batch is committed.
 */
#ifndef USHER_WORKER_PARTITION_FILL_H
#define USHER_WORKER_PARTITION_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"

struct partition;

/*
 * Comes before the other steps of a turn: looks how many decisions a batch may have, and reserves
 * the memory that the next record waits for.
 */
enum usher_status fill_prepare(struct partition *partition, struct usher_error *err);

/* Decides the records that were taken, and notes whether the open batch takes more of them. */
enum usher_status fill_ready(struct partition *partition, struct usher_error *err);

/*
 * Serves waiting lists and cancels bookings of cancelled resources: a limited number per batch,
 * after the requests.
 */
enum usher_status fill_work(struct partition *partition, struct usher_error *err);

/*
 * Ends holds by the clock, as the log's time would: if the log was drained for a while, no request
 * is left that could still confirm.
 */
enum usher_status fill_idle(struct partition *partition, struct usher_error *err);

/*
 * Moves the position to the log's end, with a batch without decisions, if only such as the ends of
 * transactions lie between: else retention would seem to have deleted requests there. Only on a
 * quiet partition, or one that is left. The batch also records how far answers are published, as
 * the next one would.
 */
enum usher_status fill_pass(struct partition *partition, struct usher_error *err);

/* Whether there is anything to pass, or to record, now. */
bool fill_may_pass(const struct partition *partition);

#endif
