/*
 * Reads and writes JSON objects by tables of fields, and text by the type that a field has. Knows
 * JSON, not what the fields mean. Inside of the codec; usher-producer makes its options of the
 * same tables.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_FIELDS_H
#define USHER_PRODUCER_CODEC_MESSAGE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "producer/codec/message_append.h"
#include "producer/codec/message_fault.h"
#include "producer/codec/message_names.h"
#include "usher/message.h"

/*
 * ==== Tables of fields ====
 *
 * Each row is all that there is to say of a field: how it is read and written, which operations
 * need or refuse it, and the option of the command line that gives it. A table is in the canonical
 * order, in which fields are written and hashed; they are read in any.
 */

enum message_type {
    MESSAGE_ID,       /* const char *: 1 … max of A-Za-z0-9_.:- */
    MESSAGE_NAME,     /* const char *: 1 … max bytes, no control character or mark of direction
                         (utf8.h), quote, backslash */
    MESSAGE_POOL,     /* const char *: a name without a slash */
    MESSAGE_ROW,      /* const char *: as a name, but may be empty */
    MESSAGE_LABEL,    /* const char *: min … max bytes, as a name, but with marks of direction */
    MESSAGE_TEXT,     /* const char *: any text of 0 … max bytes */
    MESSAGE_CURRENCY, /* const char *: a code of ISO 4217 */
    MESSAGE_TIMEZONE, /* const char *: a name of the IANA database */
    MESSAGE_OBJECT,   /* const char *: an object, kept as canonical JSON of at most max bytes */
    MESSAGE_DRAWING,  /* const char *: an object of any size, its reals as exact as a drawing */
    MESSAGE_PART,     /* const void *: an object, by the table `of` */
    MESSAGE_LIST,     /* yyjson_val *, borrowed: an array of at most max values; only read */
    MESSAGE_MAP,      /* yyjson_val *, borrowed: an object; only read */
    MESSAGE_INTEGER,  /* int64_t: min … max */
    MESSAGE_SECONDS,  /* int64_t: an integer; on the command line a time, as 15m */
    MESSAGE_PRICE,    /* int64_t: an integer; on the command line an amount, as 45.00 */
    MESSAGE_INSTANT,  /* int64_t: milliseconds since 1970, at least min */
    MESSAGE_COUNT,    /* uint32_t: min … max */
    MESSAGE_WORD,     /* an enum: one of `words` */
    MESSAGE_NIGHT,    /* int32_t: days since 1970 */
    MESSAGE_FLAG,     /* bool */
    MESSAGE_WHETHER,  /* int8_t: 1 is true. Of 0 and -1 one is `absent`, the other is false */
    MESSAGE_TEXTS,    /* const char *const *: min … max strings of the type `each` */
    MESSAGE_RATES,    /* const struct usher_rate *: an object of names with prices, 1 … max */
    MESSAGE_PARTS,    /* const void *: an array of min … max objects, by the table `of` */
    MESSAGE_OWN,      /* as its functions, `own`, read and write it */
};

/* Sets of operations and of kinds of items. */
#define MESSAGE_OP(name) (1U << (unsigned)USHER_OP_##name)
#define MESSAGE_KIND(name) (1U << (unsigned)USHER_##name)
#define MESSAGE_ANY UINT32_MAX

/* Beside the kinds of a field: the field is written whatever its value is. */
#define MESSAGE_ALWAYS 128U

struct message_field;
struct message_object;
struct message_table;

/* How a value is read and written that has a shape of its own. */
struct message_own {
    bool is_object; /* in JSON. Else an array of at most `max` values */
    /* NULL: the value is passed over, or the check of the table reads the value. */
    enum usher_status (*read)(const struct message_reader *reader,
                              const struct message_place *place, const struct message_field *field,
                              yyjson_val *value, void *out);
    void (*append)(struct usher_buffer *out, const struct message_field *field, const void *object);
};

/* The option that gives a field: its flag, what its value is called, and its help by operation. */
struct message_option {
    const char *flag;    /* without dashes */
    const char *value;   /* NULL: by type */
    const char *heading; /* NULL: that of the operation */
    struct message_help {
        uint32_t ops; /* whose commands have the option; an operation stands in one row at most */
        const char *text;
    } help[5];
};

struct message_field {
    const char *name;
    enum message_type type;
    uint16_t offset; /* of the value in the structure */
    /*
     * Of TEXTS, RATES, PARTS, OWN: of their count. Of a number: of the bool that says that it is
     * given as 0. Of a NIGHT: of the one that the stay ends on, which is 0 where there is none.
     * Else 0.
     */
    uint16_t beside;
    int64_t min, max;
    int64_t absent; /* the value of a number, an instant or a WHETHER that is not given */
    const struct message_words *words;
    const struct message_table *of;
    const struct message_own *own;
    const struct message_option *option; /* NULL: no option gives it */
    uint32_t needed_by;                  /* the operations that need it … */
    uint32_t or_else; /* … and those of them content with a cart for the booking, with force for
                         the customer */
    uint32_t only;    /* those that carry it out: all others refuse it; 0: none refuses it */
    uint8_t kinds;    /* the kinds of objects that have it (message_table); 0: all */
    uint8_t each;     /* of TEXTS: the message_type of one */
    bool needed;      /* the object is nothing without it, and it is written even if it is 0 or
                         lists nothing; such rows come first */
    bool loose;       /* an unknown word is none. A number or a truth of another type is skipped */
    bool parallel;    /* of TEXTS: one for each value of the list that shares their count. They are
                         skipped if there are more or fewer, and given if they are not NULL */
};

struct message_table {
    const struct message_field *fields;
    size_t count;
    size_t size; /* of the structure */
    /* The kinds that an object is of, as the rows have them. NULL: there are none. */
    uint32_t (*kinds)(const void *object);
    /*
     * An answer, or an object in one. Its lists wait until all other fields are read. The check
     * then reads those that the object should have (message_read_lists). Without a check all lists
     * are read.
     */
    bool lenient;
    uint16_t named_by; /* the offset of a text. An element of a list without this text is of a kind
                          that is not known here, and is left out. 0: no element is left out */
    /* What the fields alone do not say, once they are read; NULL: nothing. */
    enum usher_status (*check)(const struct message_reader *reader,
                               const struct message_object *object, void *out);
    /* Where it is not read or written by the fields; NULL: it is. */
    enum usher_status (*read)(const struct message_reader *reader,
                              const struct message_place *place, yyjson_val *object, void *out);
    void (*append)(struct usher_buffer *out, const void *object);
};

/* An object that is read. */
struct message_object {
    const struct message_place *place;
    yyjson_val *value;
    const struct message_table *table;
    uint64_t given;      /* a bit per row of the table whose field was there */
    uint64_t waiting;    /* those of them that are read behind the others */
    yyjson_val **values; /* by row, of the fields that were there */
};

/* The value of the field in that row; NULL: it was not there. */
static inline yyjson_val *message_value(const struct message_object *object, int row)
{
    return (object->given >> row & 1U) != 0 ? object->values[row] : NULL;
}

/* Of a row that the compiler knows, only the code remains that the row needs. */
#define MESSAGE_INLINE static inline __attribute__((always_inline))

#define MESSAGE_COUNT_OF(fields) (sizeof(fields) / sizeof((fields)[0]))

/* A table of fields, and no more. */
#define MESSAGE_TABLE(fields_)                                  \
    {                                                           \
        .fields = (fields_), .count = MESSAGE_COUNT_OF(fields_) \
    }

/* The field of that name; NULL: the table has none. */
const struct message_field *message_field_of(const struct message_table *table, const char *name);

/* The help of its option with an operation; NULL: the command has no such option. */
const char *message_field_help(const struct message_field *field, enum usher_op op);

/* ==== Reading ==== */

/*
 * Fills `out` with the fields of the object that the table knows. Unknown fields are noted, where
 * the reader asks for them, and passed over, as nulls are: `out` comes with its defaults. REJECT
 * where a value has another type or is out of bounds.
 */
USHER_MUST_CHECK enum usher_status
message_read_fields(const struct message_reader *reader, const struct message_place *place,
                    yyjson_val *object, const struct message_table *table, void *out);

/* All that its table says of an object: its fields, those that it needs, and its check. */
USHER_MUST_CHECK enum usher_status
message_read_object(const struct message_reader *reader, const struct message_place *place,
                    yyjson_val *object, const struct message_table *table, void *out);

/* Reads the lists that wait: those of these kinds, and those that all kinds have. */
USHER_MUST_CHECK enum usher_status message_read_lists(const struct message_reader *reader,
                                                      const struct message_object *object,
                                                      uint32_t kinds, void *out);

/* A value of the structure; `at` is aligned for it. */
#define MESSAGE_VALUE(type_, object, at) \
    (*(type_ const *)(const void *)((const char *)(object) + (at)))

/* Whether the structure has a value of that field. */
MESSAGE_INLINE bool message_field_is_given(const struct message_field *field, const void *object)
{
    if (field->type <= MESSAGE_INSTANT) { /* of 64 bits: a pointer or a number */
        int64_t value;
        memcpy(&value, (const char *)object + field->offset, sizeof value);
        return value != field->absent ||
               (field->type > MESSAGE_MAP &&
                (field->needed ||
                 (field->beside > 0 && MESSAGE_VALUE(bool, object, field->beside))));
    }
    if (field->type <= MESSAGE_WORD)
        return MESSAGE_VALUE(uint32_t, object, field->offset) != 0;
    if (field->type == MESSAGE_NIGHT)
        return MESSAGE_VALUE(int32_t, object, field->beside) != 0;
    if (field->type <= MESSAGE_WHETHER)
        return MESSAGE_VALUE(int8_t, object, field->offset) != field->absent;
    /* One that is needed and lists nothing is a list all the same. */
    if (field->needed || field->parallel)
        return MESSAGE_VALUE(const void *, object, field->offset);
    return MESSAGE_VALUE(uint32_t, object, field->beside) > 0;
}

/* Sets a field of zeroed memory absent. */
static inline void message_set_absent(const struct message_field *field, void *out)
{
    char *target = (char *)out + field->offset;
    if (field->type == MESSAGE_WHETHER)
        *target = (char)field->absent;
    else if (field->absent != 0)
        memcpy(target, &field->absent, sizeof field->absent);
}

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

/* Reads the price of a rate; `rates` is where it stands. */
USHER_MUST_CHECK enum usher_status message_read_price(const struct message_reader *reader,
                                                      const struct message_place *rates,
                                                      const char *rate, yyjson_val *value,
                                                      int64_t *price);

/* REJECT where a pool has no rates, or too many. */
USHER_MUST_CHECK enum usher_status message_check_rate_count(const struct message_reader *reader,
                                                            const struct message_place *place,
                                                            size_t count);

/* The name of a rate, as a field of the object `rates`. */
extern const struct message_field message_rate_name;

/* ==== Writing ==== */

/* The value of a field, whether it is given or not. */
void message_append_value(struct usher_buffer *out, const struct message_field *field,
                          const void *object);

/* Appends a field, unless it is absent or of other kinds than the object. */
MESSAGE_INLINE void message_append_field(struct usher_buffer *out,
                                         const struct message_field *field, uint32_t kinds,
                                         const void *object)
{
    uint32_t of = field->kinds & ~MESSAGE_ALWAYS;
    if ((of != 0 && (of & kinds) == 0) ||
        ((field->kinds & MESSAGE_ALWAYS) == 0 && !message_field_is_given(field, object)))
        return;
    size_t size = strlen(field->name);
    if (field->type <= MESSAGE_TIMEZONE) {
        message_append_key_text(out, field->name, size,
                                MESSAGE_VALUE(const char *, object, field->offset));
    } else if (field->type == MESSAGE_INTEGER) {
        message_append_key_number(out, field->name, size,
                                  MESSAGE_VALUE(int64_t, object, field->offset));
    } else {
        message_append_key(out, field->name, size);
        message_append_value(out, field, object);
    }
}

/*
 * Appends the fields of the table, in its order, absent ones and those of other kinds not at all.
 * What is no value of its type (an instant after the year 9999, an enum without a word) is written
 * as a number: a decoder refuses it.
 */
void message_append_fields(struct usher_buffer *out, const struct message_table *table,
                           const void *object);

#endif
