/*
 * Reads JSON objects by tables of fields, and text by the type that a field has. Knows JSON, not
 * what the fields mean.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_FIELDS_H
#define USHER_PRODUCER_CODEC_MESSAGE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producer/codec/message_fault.h"

/*
 * ==== Tables of fields ====
 *
 * Tables of fields: each row names a field of a JSON object, its type, its bounds, and where its
 * value goes.
 */

enum message_type {
    MESSAGE_ID,       /* const char *: 1 … max of A-Za-z0-9_.:- */
    MESSAGE_NAME,     /* const char *: 1 … max bytes, no control character, quote, backslash */
    MESSAGE_POOL,     /* const char *: a name without a slash */
    MESSAGE_LABEL,    /* const char *: as a name, but may be empty */
    MESSAGE_TEXT,     /* const char *: any text of 0 … max bytes */
    MESSAGE_CURRENCY, /* const char *: a code of ISO 4217 */
    MESSAGE_TIMEZONE, /* const char *: a name of the IANA database */
    MESSAGE_OBJECT,   /* const char *: an object, kept as canonical JSON of at most max bytes */
    MESSAGE_INTEGER,  /* int64_t: min … max */
    MESSAGE_FLAG,     /* bool */
    MESSAGE_INSTANT,  /* int64_t: milliseconds since 1970, at least min */
    MESSAGE_NIGHT,    /* int64_t: days since 1970 */
    MESSAGE_LIST,     /* yyjson_val *, borrowed: an array of at most max values */
    MESSAGE_MAP,      /* yyjson_val *, borrowed: an object */
};

struct message_field {
    const char *name;
    enum message_type type;
    size_t offset; /* of the value in the structure that is filled */
    int64_t min, max;
};

struct message_table {
    const struct message_field *fields;
    size_t count;
};

#define MESSAGE_TABLE(fields)                          \
    {                                                  \
        (fields), sizeof(fields) / sizeof((fields)[0]) \
    }

/* ==== Objects ==== */

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

/*
 * ==== Text ====
 *
 * Reads strings out of JSON by the type of text that a field is.
 */

/* Reads one string of a list of strings (type ID, NAME, …) into `text`. `place` is the string's. */
USHER_MUST_CHECK enum usher_status message_read_text(const struct message_reader *reader,
                                                     const struct message_place *place,
                                                     const struct message_field *field,
                                                     yyjson_val *value, const char **text);

/* The same of the key of an object, whose keys are names; `field` is the object's. */
USHER_MUST_CHECK enum usher_status message_read_key(const struct message_reader *reader,
                                                    const struct message_place *place,
                                                    const struct message_field *field,
                                                    yyjson_val *key, const char **text);

/* Reads a list of strings, each as above, into a new array in the arena. */
USHER_MUST_CHECK enum usher_status message_read_texts(const struct message_reader *reader,
                                                      const struct message_place *place,
                                                      const struct message_field *field,
                                                      yyjson_val *list, const char *const **texts);

#endif
