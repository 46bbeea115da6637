/*
 * The scripts that write to Redis: a resource with its lists and its message, and a worker's
 * heartbeat. The guards are in here, so that no writer can go round them. Inside of the redis_
 * files.
 */
#ifndef USHER_WORKER_REDIS_REDIS_SCRIPT_H
#define USHER_WORKER_REDIS_REDIS_SCRIPT_H

#include "worker/display/display_update.h"
#include "worker/model/ports.h"
#include "worker/redis/redis_link.h"
#include "worker/redis/redis_queue.h"

/* What the script says of an update. */
enum redis_write {
    REDIS_WRITTEN = 0,
    REDIS_STALE,          /* Redis has a later one, or it was pruned: nothing was written */
    REDIS_GAP,            /* Redis lacks what the change starts from: nothing was written */
    REDIS_NO_LAYOUT,      /* Redis lacks the layout of a whole update: nothing was written */
    REDIS_REPLACED,       /* of a beat: written, after keys of the wrong type were deleted */
    REDIS_UNKNOWN_SCRIPT, /* load the scripts and send it again */
    REDIS_FAILED          /* an error reply; the connection is to be closed */
};

/* Loads both scripts and keeps their names in the link. RETRY, FATAL. */
USHER_MUST_CHECK enum usher_status redis_script_load(struct redis_link *link,
                                                     struct usher_error *err);

/*
 * Appends the command for an update to the link's pipeline; of a whole update `with_layout`, or
 * without: then Redis must have it. Borrows nothing afterwards.
 */
void redis_script_append(struct redis_link *link, const char *prefix,
                         const struct display_update *update, bool with_layout);

/*
 * Appends the command for a beat of one of `partitions` partitions. Its result is GAP where the
 * position is missing or went back, and REPLACED instead of WRITTEN where the position was not
 * stored because something else had to be put right first.
 */
void redis_beat_append(struct redis_link *link, const char *prefix,
                       const struct redis_worker *worker, int32_t partitions,
                       const struct redis_beat *beat);

/*
 * Claims the position of a partition and returns it as it is stored now: created with seq 0 where
 * there was none, with the epoch raised to `epoch` where an earlier owner left it. So it is seen
 * when Redis is emptied before anything else of the partition was stored, even if a former owner
 * creates the position again. A later owner's is returned as it is. RETRY, FATAL.
 */
USHER_MUST_CHECK enum usher_status redis_position_claim(struct redis_link *link, const char *prefix,
                                                        int32_t partition, int32_t epoch,
                                                        struct redis_position *position,
                                                        struct usher_error *err);

/* Reads one reply of a script; `err` says why it is FAILED, or what was REPLACED. */
enum redis_write redis_script_result(struct redis_link *link, struct usher_error *err);

/*
 * ==== Lists of resources ====
 *
 * The keys that list resources: all of them by start, those of each kind, those in each state. They
 * are passed to the scripts in this order.
 */

enum {
    REDIS_LISTS = 8
};

struct redis_list {
    const char *key;          /* behind the prefix and its colon */
    const char *type;         /* of the key: "zset" only of the first, by start */
    const char *kind, *state; /* what it lists; NULL: any */
};

extern const struct redis_list redis_lists[REDIS_LISTS];

/* Whether a resource belongs into it; the update is whole, and written out. */
bool redis_list_has(const struct redis_list *list, const struct display_update *update);

#endif
