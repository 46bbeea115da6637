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
