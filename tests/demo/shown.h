/*
 * What Redis shows of a resource, as a dashboard would read it. Never asks PostgreSQL.
 */
#ifndef SHOWN_H
#define SHOWN_H

#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"

struct shown;

struct shown_counts {
    int64_t free, held, sold, total, rev;
};

/* One pool: "stalls", or "A/2016-08-13". */
struct shown_pools {
    void *context;
    void (*pool)(void *context, const char *name, int64_t free, int64_t total);
};

/* Connects to redis://host:port. FATAL, here and below, where Redis is away. */
USHER_MUST_CHECK enum usher_status shown_open(const char *uri, struct shown **shown,
                                              struct usher_error *err);

USHER_MUST_CHECK enum usher_status shown_counts(struct shown *shown, const char *resource,
                                                struct shown_counts *counts,
                                                struct usher_error *err);

/* Waits until Redis shows that revision, which follows the answers a little later. */
USHER_MUST_CHECK enum usher_status shown_await(struct shown *shown, const char *resource,
                                               int64_t rev, struct shown_counts *counts,
                                               struct usher_error *err);

/* Puts the seats (. h s x, in their order) or the layout of its seats (JSON) into the buffer, with
 * a NUL. */
USHER_MUST_CHECK enum usher_status shown_seats(struct shown *shown, const char *resource,
                                               struct usher_buffer *seats, struct usher_error *err);
USHER_MUST_CHECK enum usher_status shown_layout(struct shown *shown, const char *resource,
                                                struct usher_buffer *layout,
                                                struct usher_error *err);

USHER_MUST_CHECK enum usher_status shown_each_pool(struct shown *shown, const char *resource,
                                                   const struct shown_pools *pools,
                                                   struct usher_error *err);

/* NULL is legal. */
void shown_close(struct shown *shown);

#endif
