/*
 * The worker's HTTP server: GET and HEAD of /livez, /readyz, /metrics, /status on a thread of its
 * own. It reads snapshots through callbacks and knows nothing of groups, allocators or metrics.
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

struct http_server;

/* One partition as /status shows it. */
struct http_partition {
    int32_t partition, epoch;
    const char *state; /* its name; static storage */
    int64_t next_offset, next_seq, published_seq, lag, clock_ahead_ms;
    int64_t retries; /* failures in a row */
    char error[256]; /* the last one; empty: none */
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
    uint32_t (*partitions)(void *self, struct http_partition *partitions, uint32_t max);
};

/*
 * Starts to serve on `listen`: host:port, [v6]:port or :port (all addresses); port 0 picks a free
 * one. Logs the address. Copies `source`; `worker` is the name shown in /status, copied.
 * FATAL: 78 if `listen` cannot be read, 69 if the address is in use or not of this machine. Closed
 * with http_close.
 */
USHER_MUST_CHECK enum usher_status http_open(const char *listen, const char *worker,
                                             const struct http_source *source,
                                             struct http_server **server, struct usher_error *err);

/* Returns the port that it listens on. */
uint16_t http_port(const struct http_server *server);

/* Stops serving and waits for its thread. NULL is legal. */
void http_close(struct http_server *server);

#endif
