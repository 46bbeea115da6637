/*
 * What the HTTP server shows, as callbacks that somebody else fills in.
 */
#ifndef USHER_WORKER_OBSERVE_HTTP_SOURCE_H
#define USHER_WORKER_OBSERVE_HTTP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"

/* One partition as /status shows it. */
struct http_partition {
    int32_t partition, epoch;
    const char *state; /* its name; static storage */
    int64_t next_offset, next_seq, published_seq, lag, clock_ahead_ms;
    int64_t retries; /* failures in a row */
    char error[256]; /* the last one; empty: none */
};

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
    uint32_t (*partitions)(void *self, struct http_partition *partitions, uint32_t max);
    /* The same of dependencies. */
    uint32_t (*dependencies)(void *self, struct http_dependency *dependencies, uint32_t max);
};

#endif
