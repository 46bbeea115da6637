/*
 * The worker's HTTP server: GET and HEAD of /, /livez, /readyz, /metrics, /status on a thread of
 * its own. It reads snapshots through callbacks and knows nothing of groups, allocators or metrics.
 *
 * The process must ignore SIGPIPE, and block its signals before it opens the server.
 */
#ifndef USHER_WORKER_OBSERVE_HTTP_H
#define USHER_WORKER_OBSERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/model/ports.h"

struct http_server;

/*
 * ==== What is shown ====
 *
 * The content of the HTTP server, as callbacks that the caller provides.
 */

/* What the worker depends on. */
struct http_dependency {
    const char *name, *state; /* "up", "down", "unseen", "none"; static storage */
    bool counts;              /* the worker is not ready without it */
};

/* Callbacks that provide the bodies. Called on the server's thread: they must not wait. */
struct http_source {
    void *self;
    /* Whether the loop makes progress; if not, fills `why`. */
    bool (*alive)(void *self, char *why, size_t size);
    /* Whether this worker can process requests (contract: /readyz); if not, fills `why`. */
    bool (*ready)(void *self, char *why, size_t size);
    /* Appends the metrics as Prometheus text. */
    void (*metrics)(void *self, struct usher_buffer *out);
    /* Fills at most `max` partitions; returns how many there are. */
    uint32_t (*partitions)(void *self, struct partition_view *partitions, uint32_t max);
    /* Appends a JSON array: the requests to a partition that were refused of late. */
    void (*refused)(void *self, int32_t partition, struct usher_buffer *out);
    /* The same as `partitions`, of dependencies. */
    uint32_t (*dependencies)(void *self, struct http_dependency *dependencies, uint32_t max);
};

/* ==== Server ==== */

struct http_settings {
    const char *listen; /* host:port, [v6]:port or :port (all addresses); port 0 picks a free one */
    const char *worker, *version; /* as they are shown */
    const char *configuration;    /* a digest of the options */
    struct http_source source;
};

/* Whether http_open could read `listen`. FATAL: 78. */
USHER_MUST_CHECK enum usher_status http_check(const char *listen, struct usher_error *err);

/*
 * Starts to serve, and logs the address. Copies the settings. FATAL: 78 if `listen` cannot be read,
 * 69 if the address is in use or not of this machine. Closed with http_close.
 */
USHER_MUST_CHECK enum usher_status http_open(const struct http_settings *settings,
                                             struct http_server **server, struct usher_error *err);

/* Returns the number of the port that it listens on. */
uint16_t http_number(const struct http_server *server);

/* Stops serving and waits for its thread. NULL is legal. */
void http_close(struct http_server *server);

#endif
