/*
 * Text to a tree of JSON values, more strictly than JSON demands, and the paths of those fields
 * that their reader did not know. Knows no fields.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_PARSE_H
#define USHER_PRODUCER_CODEC_MESSAGE_PARSE_H

#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

#include "producer/codec/message_fault.h"
#include "usher/memory.h"
#include "usher/message.h"

/* What a message is while it is read: a tree of values, on the stack where it is small. */
struct message_tree {
    yyjson_val *root;
    struct usher_buffer large; /* in place of the room */
    _Alignas(max_align_t) unsigned char room[4096];
};

/*
 * Parses one JSON object, strictly: UTF-8, no duplicate keys, no NUL, integers of 64 bits, nothing
 * behind it, at most MESSAGE_DEPTH_MAX deep. REJECT: it is none, and the fault says why; what is
 * JSON otherwise has a root all the same. The strings live in the arena, NUL-terminated; the rest
 * goes with the tree. Close it in both cases.
 */
USHER_MUST_CHECK enum usher_status message_parse(const struct message_reader *reader,
                                                 const void *data, size_t size,
                                                 struct message_tree *tree);

/* The same for an array. */
USHER_MUST_CHECK enum usher_status message_parse_array(const struct message_reader *reader,
                                                       const void *data, size_t size,
                                                       struct message_tree *tree);

void message_tree_close(struct message_tree *tree);

/* A document while it is read. */
struct message_document {
    struct message_reader reader;
    struct message_fault fault;
    struct message_tree tree;
};

/*
 * Parses a document by message_parse or message_parse_array, for a reader with that arena. Close it
 * in both cases.
 */
USHER_MUST_CHECK enum usher_status
message_document_open(struct message_document *document,
                      enum usher_status (*parse)(const struct message_reader *, const void *,
                                                 size_t, struct message_tree *),
                      const void *data, size_t size, struct usher_arena *arena);

/* Drops the tree. Sets `err` to the fault where `status` is not OK; returns `status`. */
enum usher_status message_document_close(struct message_document *document,
                                         enum usher_status status, struct usher_error *err);

/*
 * Appends an object of what can be read of text that is no JSON: those of its members that have one
 * of the names (the last is NULL) and a string without escapes, up to the first byte that fits
 * nowhere. A name that comes twice stands there twice.
 */
void message_mend(const void *data, size_t size, const char *const *names,
                  struct usher_buffer *json);

/* For what else the JSON library makes: memory of the arena, never given back one by one. */
yyjson_alc message_alc(struct usher_arena *arena);

/*
 * ==== Unknown fields ====
 *
 * The fields of a message that its reader does not know: accepted, since a later version may know
 * them, and named, since most of them are mistyped. Inside of the codec only.
 */

/* Zero-initialise. The names live in the arena of the reader. */
struct message_ignored {
    const char *names[USHER_IGNORED_MAX];
    uint32_t count;
};

/*
 * Notes the field of that name in the object at `place`, cut to USHER_IGNORED_SIZE_MAX bytes; of
 * more than USHER_IGNORED_MAX the first ones. Nothing where the reader does not ask for them.
 */
void message_ignore(const struct message_reader *reader, const struct message_place *place,
                    const char *name);

#endif
