/*
 * The rows of a section from JSON and to JSON, and what rows may be at all. Inside of the codec
 * only.
 */
#ifndef USHER_PRODUCER_CODEC_DEFINITION_ROWS_H
#define USHER_PRODUCER_CODEC_DEFINITION_ROWS_H

#include "producer/codec/message_fields.h"
#include "usher/message.h"

enum {
    DEFINITION_ROW_SEATS_MAX = 10000,
    DEFINITION_RANK_MAX = 1000000,
    DEFINITION_POSITION_MAX = 10000000, /* units of the plan, either way */
    DEFINITION_FEATURES_MAX = 100,      /* different ones a row */
    DEFINITION_SEATS_MAX = 4000000,     /* a define: a row of 10,000 in short form is a few bytes */
};

/*
 * The fields of a struct usher_row. They are read and written by hand, since each of its lists has
 * a value per seat.
 */
extern const struct message_table definition_row_table;

/* REJECT where the rows have more seats than a section may, or another number than its capacity. */
USHER_MUST_CHECK enum usher_status definition_rows_check(const struct message_reader *reader,
                                                         const struct message_place *place,
                                                         const struct usher_section *section);

/* The number of a row's first seat. */
uint32_t definition_row_first(const struct usher_row *row);

/* Appends what a row has besides its name and numbers, each field with a comma before it. */
void definition_encode_seats(const struct usher_row *row, struct usher_buffer *out);

/* The seats of a section's rows. */
int64_t definition_rows_seats(const struct usher_section *section);

#endif
