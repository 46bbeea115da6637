/*
 * Reads JSON objects by tables of fields: each row names a field, its type, its bounds, and where
 * its value goes. Inside of the codec only; knows JSON, not what the fields mean.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_FIELDS_H
#define USHER_PRODUCER_CODEC_MESSAGE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

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

/* Where an object stands: list[index] of the object `up`; NULL is the message itself. */
struct message_place {
    const struct message_place *up;
    const char *list;
    uint32_t index; /* MESSAGE_NO_INDEX: a field that is an object, not one of a list */
};
#define MESSAGE_NO_INDEX UINT32_MAX

struct message_reader {
    struct usher_arena *arena; /* what is read lives there */
    struct usher_error *err;
};

/* What a message is while it is read: a tree of values, on the stack where it is small. */
struct message_tree {
    yyjson_val *root;
    struct usher_buffer large; /* in place of the room */
    _Alignas(max_align_t) unsigned char room[4096];
};

/*
 * Parses one JSON object, strictly: UTF-8, no duplicate keys, no NUL, integers of 64 bits, nothing
 * behind it, at most MESSAGE_DEPTH_MAX deep. REJECT: it is none, and `err` says why. The strings
 * live in the arena, NUL-terminated; the rest goes with the tree. Close it in both cases.
 */
USHER_MUST_CHECK enum usher_status message_parse(const struct message_reader *reader,
                                                 const void *data, size_t size,
                                                 struct message_tree *tree);

/* The same for an array. */
USHER_MUST_CHECK enum usher_status message_parse_array(const struct message_reader *reader,
                                                       const void *data, size_t size,
                                                       struct message_tree *tree);

/* As message_parse; `*fault_at`: the byte that it complains of, SIZE_MAX where it is none. */
USHER_MUST_CHECK enum usher_status message_parse_file(const struct message_reader *reader,
                                                      const void *data, size_t size,
                                                      struct message_tree *tree, size_t *fault_at);

void message_tree_close(struct message_tree *tree);

/* For what else the JSON library makes: memory of the arena, never given back one by one. */
yyjson_alc message_alc(struct usher_arena *arena);

/* How many digits a real keeps. */
enum {
    MESSAGE_DIGITS_ALL = 17,
    MESSAGE_DIGITS_DRAWN = 15, /* more than a drawing has; 17 make 0.1 0.10000000000000001 */
    MESSAGE_DIGITS_SHOWN = 6,
};

/*
 * Canonical JSON: sorted keys, no white space, so that equal values are equal text. Ends with a NUL
 * that is not counted in `*size`.
 */
const char *message_canonical(struct usher_arena *arena, yyjson_val *value, int digits,
                              size_t *size);

/* Sets `err` to "<place>.<field>: …" and returns REJECT. `field` NULL: the place itself. */
enum usher_status message_fail(const struct message_reader *reader,
                               const struct message_place *place, const char *field,
                               const char *format, ...) USHER_PRINTF(4, 5);

/* The same, with the value before the complaint: "0.5 is not an integer". */
enum usher_status message_wrong(const struct message_reader *reader,
                                const struct message_place *place, const char *field,
                                yyjson_val *value, const char *what);

/*
 * Fills `out` with the fields of `object` that the table knows. Unknown fields and nulls are
 * passed over: `out` comes with its defaults. REJECT where a value has another type or is out of
 * bounds.
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
