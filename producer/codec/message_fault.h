/*
 * What is wrong with a message, as data: where, which field, what kind of fault, which value. The
 * text for people is rendered from it in one place, so that a program can name the option that a
 * field came from without reading prose.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_FAULT_H
#define USHER_PRODUCER_CODEC_MESSAGE_FAULT_H

#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

#include "usher/memory.h"
#include "usher/status.h"

/* Where an object stands: list[index] of the object `up`; NULL is the message itself. */
struct message_place {
    const struct message_place *up;
    const char *list; /* empty: `up` is a list */
    uint32_t index;   /* MESSAGE_NO_INDEX: a field that is an object, not one of a list */
};
#define MESSAGE_NO_INDEX UINT32_MAX

enum message_fault_kind {
    MESSAGE_OTHER = 0,     /* `value` is the whole text */
    MESSAGE_NOT_JSON,      /* `value` says what, of the text; at byte `offset` */
    MESSAGE_MISSING,       /* required by `op`, where it is given */
    MESSAGE_EMPTY,         /* required by `op`, where it is given */
    MESSAGE_WRONG_VALUE,   /* `value` and what it is not */
    MESSAGE_BELOW_MINIMUM, /* `value` and `limit` */
    MESSAGE_ABOVE_MAXIMUM, /* `value` and `limit` */
    MESSAGE_TOO_MANY,      /* `value` such as "367 nights", and `limit` */
    MESSAGE_DUPLICATE,     /* `value` such as: seat "A-1" */
    MESSAGE_NOT_BEFORE,    /* the field `other` */
    MESSAGE_CONFLICT,      /* with the field `other` */
    MESSAGE_NOT_ALLOWED,   /* with `op` */
};

struct message_fault {
    enum message_fault_kind kind;
    const struct message_place *place; /* NULL: the message itself */
    const char *field;                 /* of the object at `place`; NULL: the object itself */
    const char *value;                 /* as people are shown it */
    const char *other, *op;
    int64_t limit;
    size_t offset; /* byte of the text; SIZE_MAX: unknown */
};

struct message_ignored;
struct message_table;

struct message_reader {
    struct usher_arena *arena;        /* what is read, and the fault, live there */
    struct message_fault *fault;      /* NULL: not recorded */
    struct message_ignored *ignored;  /* names of unknown fields; NULL: not recorded */
    const struct message_table *also; /* fields that the message itself has, too; NULL: none */
};

/* Each records a fault and returns REJECT. `field` NULL: the place itself. */

/* A fault of no common kind, in words. */
enum usher_status message_fail(const struct message_reader *reader,
                               const struct message_place *place, const char *field,
                               const char *format, ...) USHER_PRINTF(4, 5);

/* The value and what it is not: `what` is "is not an integer". */
enum usher_status message_wrong(const struct message_reader *reader,
                                const struct message_place *place, const char *field,
                                yyjson_val *value, const char *what);

/* The text itself: what is wrong with it at byte `offset`; where nothing else is known, "not JSON".
 */
enum usher_status message_not_json(const struct message_reader *reader,
                                   const struct message_place *place, const char *field,
                                   const char *what, size_t offset);

enum usher_status message_missing(const struct message_reader *reader,
                                  const struct message_place *place, const char *field);

enum usher_status message_empty(const struct message_reader *reader,
                                const struct message_place *place, const char *field);

/* MISSING, EMPTY or NOT_ALLOWED of the message itself, on account of its op. */
enum usher_status message_op_fault(const struct message_reader *reader,
                                   enum message_fault_kind kind, const char *field, const char *op);

/* `number` is below `min` or above `max`. */
enum usher_status message_out_of_range(const struct message_reader *reader,
                                       const struct message_place *place, const char *field,
                                       int64_t number, int64_t limit);

struct message_count {
    int64_t count;
    const char *of_what; /* "nights" */
    int64_t max;
};

enum usher_status message_too_many(const struct message_reader *reader,
                                   const struct message_place *place, const char *field,
                                   struct message_count count);

/* `what` "seat" and `name` A-1: duplicate seat "A-1". */
enum usher_status message_duplicate(const struct message_reader *reader,
                                    const struct message_place *place, const char *field,
                                    const char *what, const char *name);

/* NOT_BEFORE or CONFLICT: the field does not go with `other` of the same object. */
enum usher_status message_clash(const struct message_reader *reader,
                                const struct message_place *place, enum message_fault_kind kind,
                                const char *field, const char *other);

/* Where the fault is, below `top` (NULL: in the message): "rows[0].seats"; empty: there itself. */
const char *message_fault_path(struct usher_arena *arena, const struct message_fault *fault,
                               const struct message_place *top);

/* What is wrong there. `other`: what to call the other field; NULL: its name, in quotes. */
const char *message_fault_reason(struct usher_arena *arena, const struct message_fault *fault,
                                 const char *other);

/* Path and reason: "sections[1].price: -1 is below 0". */
const char *message_fault_text(struct usher_arena *arena, const struct message_fault *fault);

/* Sets `err` to that text where `status` is not OK; returns `status`. */
enum usher_status message_fault_report(struct usher_arena *arena, const struct message_fault *fault,
                                       enum usher_status status, struct usher_error *err);

#endif
