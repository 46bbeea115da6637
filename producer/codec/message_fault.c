/*
 * Records what is wrong with a message, and renders it for people who see neither this code nor
 * their message: every text names the field and the value.
 */
#include "producer/codec/message_fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "producer/codec/message_append.h"

enum {
    VALUE_SHOWN = 48,
    TEXT_SIZE = 512,
};

/* ---- recording ---- */

/* The place outlives the reader's stack. */
static const struct message_place *copy_place(struct usher_arena *arena,
                                              const struct message_place *place)
{
    if (!place)
        return NULL;
    struct message_place *copy = usher_arena_alloc(arena, sizeof *copy);
    *copy = *place;
    copy->up = copy_place(arena, place->up);
    return copy;
}

static enum usher_status record(const struct message_reader *reader,
                                const struct message_place *place, struct message_fault fault)
{
    if (!reader->fault)
        return USHER_REJECT;
    if (fault.kind != MESSAGE_NOT_JSON)
        fault.offset = SIZE_MAX;
    fault.place = copy_place(reader->arena, place);
    *reader->fault = fault;
    return USHER_REJECT;
}

enum usher_status message_fail(const struct message_reader *reader,
                               const struct message_place *place, const char *field,
                               const char *format, ...)
{
    if (!reader->fault)
        return USHER_REJECT;
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *value = usher_arena_text(reader->arena, text, strlen(text));
    return record(reader, place,
                  (struct message_fault){.kind = MESSAGE_OTHER, .field = field, .value = value});
}

/* A value as people are shown it; long strings are cut between characters. */
static const char *value_format(struct usher_arena *arena, yyjson_val *value)
{
    if (yyjson_is_ctn(value))
        return yyjson_is_arr(value) ? "an array" : "an object";
    if (!yyjson_is_str(value))
        return message_canonical(arena, value, MESSAGE_DIGITS_SHOWN, &(size_t){0});
    const char *string = yyjson_get_str(value);
    size_t size = yyjson_get_len(value);
    if (size <= VALUE_SHOWN)
        return usher_arena_format(arena, "\"%s\"", string);
    size = VALUE_SHOWN;
    while (((unsigned char)string[size] & 0xC0U) == 0x80U)
        size--;
    return usher_arena_format(arena, "\"%.*s…\"", (int)size, string);
}

enum usher_status message_wrong(const struct message_reader *reader,
                                const struct message_place *place, const char *field,
                                yyjson_val *value, const char *what)
{
    if (!reader->fault)
        return USHER_REJECT;
    const char *shown =
        usher_arena_format(reader->arena, "%s %s", value_format(reader->arena, value), what);
    return record(
        reader, place,
        (struct message_fault){.kind = MESSAGE_WRONG_VALUE, .field = field, .value = shown});
}

enum usher_status message_not_json(const struct message_reader *reader,
                                   const struct message_place *place, const char *field,
                                   const char *what, size_t offset)
{
    const char *value = usher_arena_text(reader->arena, what, strlen(what));
    return record(reader, place,
                  (struct message_fault){
                      .kind = MESSAGE_NOT_JSON, .field = field, .value = value, .offset = offset});
}

enum usher_status message_missing(const struct message_reader *reader,
                                  const struct message_place *place, const char *field)
{
    return record(reader, place, (struct message_fault){.kind = MESSAGE_MISSING, .field = field});
}

enum usher_status message_empty(const struct message_reader *reader,
                                const struct message_place *place, const char *field)
{
    return record(reader, place, (struct message_fault){.kind = MESSAGE_EMPTY, .field = field});
}

enum usher_status message_op_fault(const struct message_reader *reader,
                                   enum message_fault_kind kind, const char *field, const char *op)
{
    return record(reader, NULL, (struct message_fault){.kind = kind, .field = field, .op = op});
}

enum usher_status message_out_of_range(const struct message_reader *reader,
                                       const struct message_place *place, const char *field,
                                       int64_t number, int64_t limit)
{
    return record(reader, place,
                  (struct message_fault){.kind = number < limit ? MESSAGE_BELOW_MINIMUM
                                                                : MESSAGE_ABOVE_MAXIMUM,
                                         .field = field,
                                         .value = usher_arena_number(reader->arena, number),
                                         .limit = limit});
}

enum usher_status message_too_many(const struct message_reader *reader,
                                   const struct message_place *place, const char *field,
                                   struct message_count count)
{
    return record(
        reader, place,
        (struct message_fault){.kind = MESSAGE_TOO_MANY,
                               .field = field,
                               .value = usher_arena_format(reader->arena, "%" PRId64 " %s",
                                                           count.count, count.of_what),
                               .limit = count.max});
}

enum usher_status message_duplicate(const struct message_reader *reader,
                                    const struct message_place *place, const char *field,
                                    const char *what, const char *name)
{
    return record(reader, place,
                  (struct message_fault){
                      .kind = MESSAGE_DUPLICATE,
                      .field = field,
                      .value = usher_arena_format(reader->arena, "%s \"%s\"", what, name)});
}

enum usher_status message_clash(const struct message_reader *reader,
                                const struct message_place *place, enum message_fault_kind kind,
                                const char *field, const char *other)
{
    return record(reader, place,
                  (struct message_fault){.kind = kind, .field = field, .other = other});
}

/* ---- rendering ---- */

static const char *place_format(struct usher_arena *arena, const struct message_place *place,
                                const struct message_place *top)
{
    if (place == top)
        return "";
    const char *up = place_format(arena, place->up, top);
    const char *dot = *up == '\0' || *place->list == '\0' ? "" : ".";
    if (place->index == MESSAGE_NO_INDEX)
        return usher_arena_format(arena, "%s%s%s", up, dot, place->list);
    return usher_arena_format(arena, "%s%s%s[%" PRIu32 "]", up, dot, place->list, place->index);
}

const char *message_fault_path(struct usher_arena *arena, const struct message_fault *fault,
                               const struct message_place *top)
{
    const char *place = place_format(arena, fault->place, top);
    if (!fault->field)
        return place;
    return *place == '\0' ? fault->field : usher_arena_format(arena, "%s.%s", place, fault->field);
}

const char *message_fault_reason(struct usher_arena *arena, const struct message_fault *fault,
                                 const char *other)
{
    const char *value = fault->value;
    if (!other && fault->other)
        other = usher_arena_format(arena, "\"%s\"", fault->other);
    switch (fault->kind) {
    case MESSAGE_NOT_JSON:
        return usher_arena_format(arena, "%s%s (byte %zu)",
                                  fault->place || fault->field ? "" : "not JSON: ", value,
                                  fault->offset);
    case MESSAGE_MISSING:
    case MESSAGE_EMPTY:
        value = fault->kind == MESSAGE_MISSING ? "missing" : "empty";
        return fault->op ? usher_arena_format(arena, "%s, required by op \"%s\"", value, fault->op)
                         : value;
    case MESSAGE_BELOW_MINIMUM:
        return usher_arena_format(arena, "%s is below %" PRId64, value, fault->limit);
    case MESSAGE_ABOVE_MAXIMUM:
        return usher_arena_format(arena, "%s is above %" PRId64, value, fault->limit);
    case MESSAGE_TOO_MANY:
        return usher_arena_format(arena, "%s exceed the maximum of %" PRId64, value, fault->limit);
    case MESSAGE_DUPLICATE:
        return usher_arena_format(arena, "duplicate %s", value);
    case MESSAGE_NOT_BEFORE:
        return usher_arena_format(arena, "must be before %s", other);
    case MESSAGE_CONFLICT:
        return usher_arena_format(arena, "cannot be combined with %s", other);
    case MESSAGE_NOT_ALLOWED:
        return usher_arena_format(arena, "not allowed with op \"%s\"", fault->op);
    case MESSAGE_OTHER:
    case MESSAGE_WRONG_VALUE:
        break;
    }
    return value;
}

const char *message_fault_text(struct usher_arena *arena, const struct message_fault *fault)
{
    const char *path = message_fault_path(arena, fault, NULL);
    const char *reason = message_fault_reason(arena, fault, NULL);
    return *path == '\0' ? reason : usher_arena_format(arena, "%s: %s", path, reason);
}

enum usher_status message_fault_report(struct usher_arena *arena, const struct message_fault *fault,
                                       enum usher_status status, struct usher_error *err)
{
    if (status != USHER_OK)
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s", message_fault_text(arena, fault));
    return status;
}
