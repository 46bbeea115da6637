/*
 * Reads JSON objects by tables of fields. Knows JSON, not what the fields mean.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_FIELDS_H
#define USHER_PRODUCER_CODEC_MESSAGE_FIELDS_H

#include <stdbool.h>

#include "producer/codec/message_fault.h"
#include "producer/codec/message_table.h"

/* Whether the table knows a field of that name. */
bool message_table_has(const struct message_table *table, const char *name);

/*
 * Fills `out` with the fields of `object` that the table knows. Unknown fields are noted, where the
 * reader asks for them, and passed over, as nulls are: `out` comes with its defaults. REJECT where
 * a value has another type or is out of bounds.
 */
USHER_MUST_CHECK enum usher_status
message_read_fields(const struct message_reader *reader, const struct message_place *place,
                    yyjson_val *object, const struct message_table *table, void *out);

/* What a list holds: its name, the size of an element, and how one is read into zeroed memory. */
struct message_list {
    const char *name;
    size_t element_size;
    enum usher_status (*read)(const struct message_reader *reader,
                              const struct message_place *place, yyjson_val *object, void *element);
};

/* Reads a list of objects into a new array in the arena; `*count` elements. */
USHER_MUST_CHECK enum usher_status message_read_list(const struct message_reader *reader,
                                                     const struct message_place *up,
                                                     const struct message_list *list,
                                                     yyjson_val *values, void **elements);

#endif
