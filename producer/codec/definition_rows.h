/*
 * The rows of a section from JSON, and what rows may be at all. Inside of the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_DEFINITION_ROWS_H
#define USHER_PRODUCER_CODEC_DEFINITION_ROWS_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

enum {
    DEFINITION_ROW_SEATS_MAX = 10000,
    DEFINITION_RANK_MAX = 1000000,
    DEFINITION_POSITION_MAX = 10000000, /* units of the plan, either way */
    DEFINITION_FEATURES_MAX = 100,      /* different ones a row */
    DEFINITION_SEATS_MAX = 4000000,     /* a define: a row of 10,000 in short form is a few bytes */
};

/* Reads rows[] of the section at `place` into the arena. */
USHER_MUST_CHECK enum usher_status definition_rows_decode(const struct message_reader *reader,
                                                          const struct message_place *place,
                                                          yyjson_val *list,
                                                          struct usher_section *section);

/* The seats of a section's rows. */
int64_t definition_rows_seats(const struct usher_section *section);

#endif
