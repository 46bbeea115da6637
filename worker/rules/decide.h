/*
 * The booking rules: a record, what is known, and the time it is now → one decision. PURE: no
 * clock, no I/O. The rest of decide*.c are its parts, one noun each.
 *
 * Checks are made in one fixed order, that of enum usher_reason, and the first that fails is the
 * answer; nothing is changed before the last of them has passed.
 */
#ifndef USHER_WORKER_RULES_DECIDE_H
#define USHER_WORKER_RULES_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"
#include "worker/inventory/inventory.h"
#include "worker/model/batch.h"

/* What the rules take from configuration and ownership. */
struct rules {
    int64_t hold_ttl_s;     /* of a hold that does not say, in a resource that does not say */
    int64_t hold_ttl_max_s; /* no hold is longer */
    int32_t partition;
    int32_t partition_count; /* the recorded one: keys are hashed with it */
    int32_t epoch;
};

/* One record, decoded. Valid as long as the record and the arena it was decoded into. */
struct input {
    const struct log_record *record;
    struct usher_request request; /* where invalid: as far as it could be read, else NULL */
    enum usher_reason invalid;    /* MALFORMED, WRONG_PARTITION, INTERNAL; NONE: to be decided */
    const char *detail;           /* of invalid, for people */
    uint8_t id_hash[USHER_HASH_SIZE];
    uint8_t content_hash[USHER_HASH_SIZE];
};

/*
 * Decodes a record and makes the checks that need nothing but the record: malformed (also no key,
 * or a key that is not the resource) and wrong_partition. Borrows `record`; `input` points into
 * `arena` and into the record.
 */
void input_decode(struct input *input, const struct log_record *record, const struct rules *rules,
                  struct usher_arena *arena);

/*
 * Makes it one that is answered `invalid`, `internal`, dead-lettered, and has no other effect: a
 * record that the database rejects whenever it is decided.
 */
void input_set_aside(struct input *input);

/* Batches that were decided before the one at hand and not yet reset, in any order. */
struct batches_in_flight {
    const struct batch *const *at;
    uint32_t count;
};

/*
 * Decides one record: appends exactly one decision to `batch`, complete with its body, a dead
 * letter where it is invalid, and changes the inventory. `batch->now_ms` is now.
 *
 * Before: what needs_gather asked for was loaded since the last inventory_seal; no hold is due at the
 * log's time (inventory_due); a batch that was in flight at needs_gather is in `in_flight`, also if
 * it was committed since. `batch` has room for one more decision.
 */
void decide(struct inventory *inventory, const struct rules *rules, const struct input *input,
            const struct batches_in_flight *in_flight, struct batch *batch);

/*
 * Serves the waiting list of the resource that the record is about, if parties on it may fit and
 * the record could take their units: at most `max` unasked decisions. False: there is more to
 * serve; the record is to be decided in a later batch.
 */
bool decide_serve_first(struct inventory *inventory, const struct rules *rules,
                        const struct input *input, uint32_t max, struct batch *batch);

/*
 * Goes on with work that outlasts a batch, after the requests: serves waiting lists and cancels the
 * bookings of resources that are being cancelled, at most `max` unasked decisions. Returns how
 * many. inventory_has_work says whether more remains.
 */
uint32_t decide_work(struct inventory *inventory, const struct rules *rules, uint32_t max,
                     struct batch *batch);

/*
 * Expires holds with expires_at <= until_ms in the order of (expires_at, booking), at most `max`,
 * each an unasked decision; blocks return and waiting parties leave in the same way. Returns how
 * many. It stops before a hold whose resource is not in memory: see needs_resources; inventory_due
 * says whether more remain.
 */
uint32_t decide_expiries(struct inventory *inventory, const struct rules *rules, int64_t until_ms,
                         uint32_t max, struct batch *batch);

#endif
