/* A record of the request log decoded into a request, and the checks that need only that. PURE. */
#ifndef USHER_WORKER_RULES_INPUT_H
#define USHER_WORKER_RULES_INPUT_H

#include <stdint.h>

#include "usher/message.h"
#include "worker/model/batch.h"
#include "worker/rules/decision.h"

/* One record, decoded. Valid as long as the record and the arena it was decoded into. */
struct input {
    const struct log_record *record;
    struct usher_request request; /* of an invalid one: what could be read, else NULL */
    enum usher_reason invalid;    /* MALFORMED, WRONG_PARTITION, INTERNAL; NONE: to be decided */
    const char *detail;           /* of invalid, for people */
    uint8_t id_hash[USHER_HASH_SIZE];
    uint8_t content_hash[USHER_HASH_SIZE];
};

/*
 * The log's time at a record, that of its append: everything that falls due before it comes before
 * the record. The clock of a broker that is more than a minute ahead of the batch is ignored.
 * Nothing but what is stored with the decision goes into it, so that it can be found again; a retry
 * has a later `now`, and still no later time than that of the append. 0: the append time is not
 * known, and advances no clock.
 */
int64_t input_log_ms(const struct log_record *record, const struct batch *batch);

/*
 * The time by which a request is judged, whenever it is decided: that of its append; where that is
 * not known, the batch's `now`.
 */
int64_t input_at_ms(const struct log_record *record, const struct batch *batch);

/*
 * Decodes a record and makes the checks that need nothing else: malformed (also no key, or a key
 * that is not the resource) and wrong_partition. Borrows `record`; `input` points into `arena` and
 * into the record.
 */
void input_decode(struct input *input, const struct log_record *record, const struct rules *rules,
                  struct usher_arena *arena);

/*
 * Marks a record that the database rejects whenever it is decided: it is answered `invalid` with
 * `internal`, dead-lettered, and has no other effect.
 */
void input_dead_letter(struct input *input);

#endif
