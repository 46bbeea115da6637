/*
 * Reads JSON objects by tables of fields: each row names a field, its type, its bounds, and where
 * its value goes. Inside of the codec only; knows JSON, not what the fields mean.
 */
#ifndef MESSAGE_FIELDS_H
#define MESSAGE_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"

/* How deep objects and arrays may nest. */
enum {
    MESSAGE_DEPTH_MAX = 16
};

enum message_type {
    MESSAGE_ID,       /* const char *: 1 … max of A-Za-z0-9_.:- */
    MESSAGE_NAME,     /* const char *: 1 … max bytes, no control character, quote, backslash */
    MESSAGE_POOL,     /* const char *: a name without a slash */
    MESSAGE_LABEL,    /* const char *: as a name, but may be empty */
    MESSAGE_TEXT,     /* const char *: any text of 0 … max bytes */
    MESSAGE_CURRENCY, /* const char *: three capital letters */
    MESSAGE_TIMEZONE, /* const char *: looks like Europe/London */
    MESSAGE_OBJECT,   /* const char *: an object, kept as canonical JSON of at most max bytes */
    MESSAGE_INTEGER,  /* int64_t: min … max */
    MESSAGE_FLAG,     /* bool */
    MESSAGE_INSTANT,  /* int64_t: milliseconds since 1970 */
    MESSAGE_NIGHT,    /* int64_t: days since 1970 */
    MESSAGE_LIST,     /* json_t *, borrowed: an array of at most max values */
    MESSAGE_MAP,      /* json_t *, borrowed: an object */
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

/* Where an object stands: list[index] of the object `up`; NULL is the message itself. */
struct message_place {
    const struct message_place *up;
    const char *list;
    uint32_t index; /* MESSAGE_NO_INDEX: a field that is an object, not one of a list */
};
#define MESSAGE_NO_INDEX UINT32_MAX

struct message_reader {
    struct usher_arena *arena; /* values are copied there */
    struct usher_error *err;
};

/*
 * Parses one JSON object, strictly: UTF-8, no duplicate keys, no NUL, nothing behind it, at most
 * MESSAGE_DEPTH_MAX deep. Returns it owned (json_decref), or NULL, and `err` says why.
 */
json_t *message_parse(const void *data, size_t size, struct usher_error *err);

/* The same for an array. */
json_t *message_parse_array(const void *data, size_t size, struct usher_error *err);

/* Sets `err` to "<place>.<field>: …" and returns REJECT. `field` NULL: the place itself. */
enum usher_status message_fail(const struct message_reader *reader,
                               const struct message_place *place, const char *field,
                               const char *format, ...) USHER_PRINTF(4, 5);

/* The same, with the value before the complaint: "0.5 is not an integer". */
enum usher_status message_wrong(const struct message_reader *reader,
                                const struct message_place *place, const char *field, json_t *value,
                                const char *what);

/*
 * Fills `out` with the fields of `object` that the table knows. Unknown fields and nulls are
 * passed over: `out` comes with its defaults. REJECT where a value has another type or is out of
 * bounds.
 */
USHER_MUST_CHECK enum usher_status
message_read_fields(const struct message_reader *reader, const struct message_place *place,
                    json_t *object, const struct message_table *table, void *out);

/* What a list holds: its name, the size of an element, and how one is read into zeroed memory. */
struct message_list {
    const char *name;
    size_t element_size;
    enum usher_status (*read)(const struct message_reader *reader,
                              const struct message_place *place, json_t *object, void *element);
};

/* Reads a list of objects into a new array in the arena; `*count` elements. */
USHER_MUST_CHECK enum usher_status message_read_list(const struct message_reader *reader,
                                                     const struct message_place *up,
                                                     const struct message_list *list,
                                                     json_t *values, void **elements);

/* Reads one string of a list of strings (type ID, NAME, …) into `text`. `place` is the string's. */
USHER_MUST_CHECK enum usher_status message_read_text(const struct message_reader *reader,
                                                     const struct message_place *place,
                                                     const struct message_field *field,
                                                     json_t *value, const char **text);

/* The same of the key of an object, whose keys are names; `field` is the object's. */
USHER_MUST_CHECK enum usher_status message_read_key(const struct message_reader *reader,
                                                    const struct message_place *place,
                                                    const struct message_field *field,
                                                    const char *key, const char **text);

/* Reads a list of strings, each as above, into a new array in the arena. */
USHER_MUST_CHECK enum usher_status message_read_texts(const struct message_reader *reader,
                                                      const struct message_place *place,
                                                      const struct message_field *field,
                                                      json_t *list, const char *const **texts);

#endif
