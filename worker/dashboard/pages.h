/*
 * The dashboard's HTTP server: its pages, the JSON and the server-sent events that they are made
 * of, and /livez, /readyz, /metrics. GET and HEAD only.
 *
 * The process must ignore SIGPIPE, and block its signals before it opens the server.
 */
#ifndef USHER_WORKER_DASHBOARD_PAGES_H
#define USHER_WORKER_DASHBOARD_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/observe/service_manager.h"
#include "worker/postgres/pg_settings.h"
#include "worker/redis/redis_settings.h"

struct pages;

/* Borrowed until pages_close. */
struct pages_settings {
    const char *listen; /* host:port, [v6]:port or :port (all addresses); port 0 picks a free one */
    struct redis_settings redis;
    int64_t memory_max;          /* bytes, for resources that are looked at and their history */
    uint32_t streams_max;        /* browsers that are kept up to date at once */
    bool is_public;              /* nothing about partitions and workers */
    const char *token;           /* to be sent with every request, not empty; NULL: none */
    struct pg_settings postgres; /* of the staff pages */
    bool has_staff;              /* with a token, and not public */
    const char *hosts;           /* names of the dashboard, by which it answers without a token */
    const char *customer_link;   /* of staff pages, with {customer} in it; "": none */
    const char *frame_ancestors; /* who may show a page within its own, as in the CSP */
    const char *assets;          /* a folder to read the pages from; NULL: the program's own */
};

/*
 * Starts to follow Redis and to serve, and logs the address. FATAL: 78 if an address cannot be
 * read, 69 if it is in use or not of this machine.
 */
USHER_MUST_CHECK enum usher_status pages_open(const struct pages_settings *settings,
                                              struct pages **pages, struct usher_error *err);

/* How it is: alive as long as it follows Redis, ready once it has read what Redis shows. */
struct service_health pages_health(const struct pages *pages);

/* Ends all streams and stops. NULL is legal. */
void pages_close(struct pages *pages);

#endif
