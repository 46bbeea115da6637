/* Seating plans as pretix has them, into sections and rows. For the codec only. */
#ifndef USHER_PRODUCER_CODEC_SEATING_PLAN_H
#define USHER_PRODUCER_CODEC_SEATING_PLAN_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* As usher_plan_decode, of JSON that is parsed already. */
USHER_MUST_CHECK enum usher_status plan_decode(const struct message_reader *reader,
                                               yyjson_val *plan,
                                               const struct usher_section **sections,
                                               uint32_t *count);

/*
 * ==== Seats ====
 *
 * The seats of a plan in the order of its zones and rows, and the sections that they make. For
 * the codec only; does not know JSON.
 */

/* Neighbours in a row of one category: what becomes a row of a section. */
struct plan_run {
    uint32_t category;
    const char *zone, *row; /* `zone` may be NULL, `row` empty */
    uint32_t first, count;  /* of the seats */
};

/* The features of a seat. */
struct plan_features {
    const char *const *names;
    uint32_t count;
};

/* An element for each seat in all of the arrays. */
struct plan_seats {
    const char **names;
    int32_t *x, *y, *ranks;
    struct plan_features *features;
    uint32_t count;
    struct plan_run *runs;
    uint32_t run_count;
};

struct plan_categories {
    const char **names; /* in the order listed */
    uint32_t count;
};

/*
 * Makes a section of each category that has seats. REJECT where seats do not go together: the fault
 * names zone, row and seat.
 */
USHER_MUST_CHECK enum usher_status plan_sections(const struct plan_seats *seats,
                                                 const struct plan_categories *categories,
                                                 const struct message_reader *reader,
                                                 const struct usher_section **sections,
                                                 uint32_t *count);

#endif
