/*
 * Tables of fields: each row names a field of a JSON object, its type, its bounds, and where its
 * value goes.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_TABLE_H
#define USHER_PRODUCER_CODEC_MESSAGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

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

#endif
