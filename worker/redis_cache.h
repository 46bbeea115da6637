/*
 * The cache port on Redis: one writer thread and one healer thread for the whole worker process,
 * shared by all partitions. Best effort and off the decision path: no call here waits for Redis,
 * and what Redis lost is written again, by the displays or from PostgreSQL. It never reads Redis
 * to decide anything.
 *
 * Writing: a bounded queue, sent in pipelines. One script writes a resource and publishes its
 * message, only when (epoch, rev) is equal or higher. After any error the connection is discarded
 * and made anew with back-off; meanwhile updates are dropped, and the generation has grown, so
 * that what comes after is whole.
 *
 * Healing: partitions that gave a beat within the last 10 s are compared with PostgreSQL one
 * resource at a time, at once after a take-over or a new connection to Redis, then slowly over and
 * over (sweep); what differs is written under the current epoch, by the same script.
 *
 * The process must ignore SIGPIPE, and block its signals before it opens the cache.
 */
#ifndef USHER_WORKER_REDIS_CACHE_H
#define USHER_WORKER_REDIS_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "ports.h"
#include "usher/status.h"

struct metrics_registry;
struct pg_settings;
struct redis_cache;

/* Zero-initialise, then set. Text is borrowed as long as the cache is open. */
struct redis_cache_settings {
    const char *uri;    /* redis://[user:password@]host[:port][/db], unix://path; NULL: no cache */
    const char *prefix; /* of the keys; NULL: "usher" */
    const struct pg_settings *postgres; /* for healing; borrowed; NULL: nothing is healed */
    const char *worker; /* this worker's name, shown in usher:worker:<p>; NULL: "usher-worker" */
    int64_t sweep_interval_ms;        /* from one comparison of a partition to the next; 0: 60 s */
    struct metrics_registry *metrics; /* NULL: none are kept */
};

/*
 * Whether `uri` is one that redis_cache_open would take. FATAL, exit code 78, with what to do:
 * rediss:// (this build has no TLS for Redis, and plain text instead would be worse), an unknown
 * scheme, a bad port or database. The password never appears in the text.
 */
USHER_MUST_CHECK enum usher_status redis_uri_check(const char *uri, struct usher_error *err);

/*
 * Tries a connection: PING and the contract's version, within 2 s. For `check`. RETRY (69), or
 * FATAL: 77 access denied, 78 as redis_uri_check.
 */
USHER_MUST_CHECK enum usher_status redis_cache_check(const struct redis_cache_settings *settings,
                                                     struct usher_error *err);

/*
 * Starts the threads and returns at once, whether Redis answers or not; fills `port`. With
 * settings->uri NULL the port drops everything. FATAL as redis_uri_check. Closed with
 * redis_cache_close.
 */
USHER_MUST_CHECK enum usher_status redis_cache_open(const struct redis_cache_settings *settings,
                                                    struct redis_cache **cache,
                                                    struct cache_port *port,
                                                    struct usher_error *err);

/*
 * Sends what is queued, but not for longer than `timeout_ms`, stops the threads and frees all. No
 * allocator may use the port any more. NULL is legal.
 */
void redis_cache_close(struct redis_cache *cache, int timeout_ms);

/*
 * The port: `put` never waits and returns false only while Redis takes updates but the queue is
 * full. `beat` keeps the latest of each partition and sends it at most once a second: call it at
 * least every 3 s while the partition is held, and not any more once it is lost.
 */

#endif
