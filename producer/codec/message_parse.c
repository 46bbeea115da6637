/* Text to a tree of JSON values, more strictly than JSON demands. Knows no fields. */
#include "producer/codec/message_parse.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/utf8.h"

/* ==== Parsing ==== */

/* How deep objects and arrays may nest. */
enum {
    MESSAGE_DEPTH_MAX = 16
};

enum {
    PAIRS_MAX =
        16, /* objects of up to this many keys are compared pair by pair, larger ones sorted */
    SHOWN_SIZE = 49,
    WHAT_SIZE = 160,
};

struct parse {
    const struct message_reader *reader;
    const char *text; /* the copy in the arena, which the strings point into */
    size_t size;
    bool has_backslashes; /* without one no string can hold a NUL */
};

/* ---- memory ---- */

/* The library allocates one block, and a larger one if that was too small. */
static void *tree_malloc(void *context, size_t size)
{
    struct message_tree *tree = context;
    return size <= sizeof tree->room ? (void *)tree->room
                                     : usher_buffer_reserve(&tree->large, size);
}

static void *tree_realloc(void *context, void *bytes, size_t old_size, size_t size)
{
    struct message_tree *tree = context;
    char *larger = usher_buffer_reserve(&tree->large, size);
    return bytes == tree->room ? memcpy(larger, bytes, old_size) : larger;
}

static void *arena_malloc(void *arena, size_t size)
{
    return usher_arena_room(arena, size);
}

static void *arena_realloc(void *arena, void *bytes, size_t old_size, size_t size)
{
    return memcpy(usher_arena_room(arena, size), bytes, old_size < size ? old_size : size);
}

static void nothing_free(void *context, void *bytes)
{
    (void)context;
    (void)bytes;
}

yyjson_alc message_alc(struct usher_arena *arena)
{
    return (yyjson_alc){arena_malloc, arena_realloc, nothing_free, arena};
}

void message_tree_close(struct message_tree *tree)
{
    usher_buffer_deinit(&tree->large);
}

enum usher_status message_document_open(struct message_document *document,
                                        enum usher_status (*parse)(const struct message_reader *,
                                                                   const void *, size_t,
                                                                   struct message_tree *),
                                        const void *data, size_t size, struct usher_arena *arena)
{
    document->fault = (struct message_fault){0};
    document->reader = (struct message_reader){.arena = arena, .fault = &document->fault};
    return parse(&document->reader, data, size, &document->tree);
}

enum usher_status message_document_close(struct message_document *document,
                                         enum usher_status status, struct usher_error *err)
{
    message_tree_close(&document->tree);
    return message_fault_report(document->reader.arena, &document->fault, status, err);
}

/* ---- what JSON allows and the contract does not ---- */

/* Where a value stands: the field of the object or list at a place. NULL and NULL: the root. */
struct spot {
    const struct message_place *place;
    const char *field;
};

/* As much of a string as a message shows, in ASCII, since a cut may split a character. */
static const char *shown(const char *string, char text[SHOWN_SIZE])
{
    size_t size = 0;
    for (; size < SHOWN_SIZE - 1 && string[size] != '\0'; size++)
        text[size] = (char)(string[size] >= ' ' && string[size] <= '~' ? string[size] : '?');
    text[size] = '\0';
    return text;
}

/* The place in words that a message can have, since any text may be a key. */
static const struct message_place *shown_place(struct usher_arena *arena,
                                               const struct message_place *place)
{
    char text[SHOWN_SIZE];
    if (!place)
        return NULL;
    struct message_place *copy = usher_arena_alloc(arena, sizeof *copy);
    *copy = *place;
    copy->up = shown_place(arena, place->up);
    copy->list = usher_arena_format(arena, "%s", shown(place->list, text));
    return copy;
}

/* Records what is wrong at a byte of the text, in a value. */
static USHER_PRINTF(4, 5) void parse_fail(const struct parse *parse, const struct spot *spot,
                                          size_t at, const char *format, ...)
{
    char what[WHAT_SIZE], field[SHOWN_SIZE];
    struct usher_arena *arena = parse->reader->arena;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    (void)message_not_json(
        parse->reader, shown_place(arena, spot->place),
        spot->field ? usher_arena_format(arena, "%s", shown(spot->field, field)) : NULL, what, at);
}

static bool string_check(const struct parse *parse, const struct spot *spot, yyjson_val *value)
{
    const char *string = yyjson_get_str(value);
    if (!parse->has_backslashes || !memchr(string, '\0', yyjson_get_len(value)))
        return true;
    parse_fail(parse, spot, (size_t)(string - parse->text), "\\u0000 in a string");
    return false;
}

/* Integers have 64 bits and a sign; what is larger still was left as it was written. */
static bool number_check(const struct parse *parse, const struct spot *spot, yyjson_val *value)
{
    char text[SHOWN_SIZE];
    if (yyjson_is_raw(value))
        (void)shown(yyjson_get_raw(value), text);
    else if (yyjson_is_uint(value) && yyjson_get_uint(value) > INT64_MAX)
        (void)snprintf(text, sizeof text, "%" PRIu64, yyjson_get_uint(value));
    else
        return true;
    const char *at = memmem(parse->text, parse->size, text, strlen(text));
    parse_fail(parse, spot, at ? (size_t)(at - parse->text) : 0, "number too large %s", text);
    return false;
}

static int compare_keys(const void *left, const void *right)
{
    yyjson_val *a = *(yyjson_val *const *)left, *b = *(yyjson_val *const *)right;
    size_t a_size = yyjson_get_len(a), b_size = yyjson_get_len(b);
    if (a_size != b_size)
        return a_size < b_size ? -1 : 1;
    return memcmp(yyjson_get_str(a), yyjson_get_str(b), a_size);
}

/* Returns a duplicate key; NULL: there is none. */
static yyjson_val *find_duplicate_key(struct usher_arena *arena, yyjson_val *object)
{
    yyjson_val *few[PAIRS_MAX], **keys = few;
    size_t at, count = yyjson_obj_size(object);
    bool is_sorted = count > PAIRS_MAX;
    if (is_sorted)
        keys = usher_arena_room(arena, count * sizeof *keys);
    yyjson_val *key, *value;
    yyjson_obj_foreach(object, at, count, key, value) {
        keys[at] = key;
        for (size_t other = 0; !is_sorted && other < at; other++)
            if (compare_keys(&keys[other], &key) == 0)
                return key;
    }
    if (is_sorted)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (at = 1; is_sorted && at < count; at++)
        if (compare_keys(&keys[at - 1], &keys[at]) == 0)
            return keys[at];
    return NULL;
}

static bool keys_check(const struct parse *parse, const struct spot *spot, yyjson_val *object)
{
    char text[SHOWN_SIZE];
    yyjson_val *twice = find_duplicate_key(parse->reader->arena, object);
    if (!twice)
        return true;
    parse_fail(parse, spot, (size_t)(yyjson_get_str(twice) - parse->text),
               "duplicate object key \"%s\"", shown(yyjson_get_str(twice), text));
    return false;
}

static bool tree_check(const struct parse *parse, const struct spot *spot, yyjson_val *value,
                       int depth)
{
    size_t at, count;
    yyjson_val *key, *inner;
    if (yyjson_is_str(value))
        return string_check(parse, spot, value);
    if (!yyjson_is_ctn(value))
        return number_check(parse, spot, value);
    if (depth == MESSAGE_DEPTH_MAX) {
        (void)message_fail(parse->reader, shown_place(parse->reader->arena, spot->place), NULL,
                           "nested deeper than %d", MESSAGE_DEPTH_MAX);
        return false;
    }
    yyjson_arr_foreach(value, at, count, inner) {
        const struct message_place element = {spot->place, spot->field ? spot->field : "",
                                              (uint32_t)at};
        if (!tree_check(parse, &(struct spot){&element, NULL}, inner, depth + 1))
            return false;
    }
    /* A field that is an object is a place for its own fields. */
    const struct message_place own = {spot->place, spot->field, MESSAGE_NO_INDEX};
    const struct message_place *place = spot->field ? &own : spot->place;
    yyjson_obj_foreach(value, at, count, key, inner)
        if (!string_check(parse, spot, key) ||
            !tree_check(parse, &(struct spot){place, yyjson_get_str(key)}, inner, depth + 1))
            return false;
    return yyjson_is_arr(value) || keys_check(parse, spot, value);
}

/* ---- all of it ---- */

/* The library needs zeros after the text, and writes into it: strings are unescaped in place. */
static char *text_copy(struct usher_arena *arena, const void *data, size_t size)
{
    char *text = usher_arena_room(arena, size + YYJSON_PADDING_SIZE);
    memcpy(text, data, size);
    memset(text + size, 0, YYJSON_PADDING_SIZE);
    return text;
}

/* Whether it is JSON as the contract has it. There may be a root, though it is not. */
static bool tree_read(const struct message_reader *reader, const void *data, size_t size,
                      struct message_tree *tree)
{
    static const struct spot root = {NULL, NULL};
    const yyjson_alc memory = {tree_malloc, tree_realloc, nothing_free, tree};
    char *text = text_copy(reader->arena, data, size);
    const struct parse parse = {reader, text, size, memchr(data, '\\', size)};
    yyjson_read_err fault;
    yyjson_doc *document = yyjson_read_opts(
        text, size, YYJSON_READ_INSITU | YYJSON_READ_BIGNUM_AS_RAW, &memory, &fault);
    if (!document) {
        parse_fail(&parse, &root, fault.pos, "%s", fault.msg);
        return false;
    }
    tree->root = yyjson_doc_get_root(document);
    return tree_check(&parse, &root, tree->root, 0);
}

static enum usher_status parse(const struct message_reader *reader, const void *data, size_t size,
                               yyjson_type wanted, struct message_tree *tree)
{
    tree->large = (struct usher_buffer){NULL, 0, 0};
    tree->root = NULL;
    if (size > 0 && !tree_read(reader, data, size, tree))
        return USHER_REJECT;
    if (yyjson_get_type(tree->root) == wanted)
        return USHER_OK;
    return message_fail(reader, NULL, NULL, "%s instead of a JSON %s",
                        size == 0                   ? "empty value"
                        : yyjson_is_arr(tree->root) ? "an array"
                        : yyjson_is_obj(tree->root) ? "an object"
                                                    : "a single value",
                        wanted == YYJSON_TYPE_OBJ ? "object" : "array");
}

enum usher_status message_parse(const struct message_reader *reader, const void *data, size_t size,
                                struct message_tree *tree)
{
    return parse(reader, data, size, YYJSON_TYPE_OBJ, tree);
}

enum usher_status message_parse_array(const struct message_reader *reader, const void *data,
                                      size_t size, struct message_tree *tree)
{
    return parse(reader, data, size, YYJSON_TYPE_ARR, tree);
}

/* ==== Broken text ==== */

/* The text not looked at yet. */
struct rest {
    const char *at, *end;
};

static void pass_blanks(struct rest *rest)
{
    while (rest->at < rest->end && *rest->at != '\0' && strchr(" \t\r\n", *rest->at))
        rest->at++;
}

static bool pass_character(struct rest *rest, char wanted)
{
    pass_blanks(rest);
    bool is_there = rest->at < rest->end && *rest->at == wanted;
    rest->at += is_there ? 1 : 0;
    return is_there;
}

/* A string with its quotes; false: there is none, or it does not end. */
static bool pass_string(struct rest *rest)
{
    if (!pass_character(rest, '"'))
        return false;
    while (rest->at < rest->end && *rest->at != '"')
        rest->at += *rest->at == '\\' && rest->at + 1 < rest->end ? 2 : 1;
    if (rest->at == rest->end)
        return false;
    rest->at++;
    return true;
}

/* Anything: up to the comma or bracket behind it. False: it does not end. */
static bool pass_value(struct rest *rest)
{
    size_t depth = 0;
    while (rest->at < rest->end) {
        char next = *rest->at;
        if (depth == 0 && (next == ',' || next == '}' || next == ']'))
            return true;
        if (next == '"') {
            if (!pass_string(rest))
                return false;
            continue;
        }
        depth += next == '{' || next == '[' ? 1 : 0;
        depth -= depth > 0 && (next == '}' || next == ']') ? 1 : 0;
        rest->at++;
    }
    return false;
}

/* Whether a string, in its quotes, is what it says: it has no escapes, and is text. */
static bool is_literal(const char *string, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)string[i] < ' ' || string[i] == '\\')
            return false;
    return utf8_is_valid(string, size);
}

static bool is_wanted(const char *string, size_t size, const char *const *names)
{
    while (*names && (strlen(*names) != size - 2 || memcmp(*names, string + 1, size - 2) != 0))
        names++;
    return *names;
}

/* Copies the member if it is wanted. False: it is none, or it is the last one. */
static bool take_member(struct rest *rest, const char *const *names, struct usher_buffer *json)
{
    pass_blanks(rest);
    const char *key = rest->at;
    if (!pass_string(rest))
        return false;
    size_t key_size = (size_t)(rest->at - key);
    if (!pass_character(rest, ':'))
        return false;
    pass_blanks(rest);
    const char *value = rest->at;
    bool is_string = pass_string(rest);
    size_t value_size = (size_t)(rest->at - value);
    if (is_string && is_wanted(key, key_size, names) && is_literal(value, value_size)) {
        usher_buffer_append(json, json->size == 1 ? "" : ",", json->size == 1 ? 0 : 1);
        usher_buffer_append(json, key, key_size);
        usher_buffer_append(json, ":", 1);
        usher_buffer_append(json, value, value_size);
    }
    return (is_string || pass_value(rest)) && pass_character(rest, ',');
}

void message_mend(const void *data, size_t size, const char *const *names,
                  struct usher_buffer *json)
{
    struct rest rest = {data, (const char *)data + size};
    usher_buffer_append(json, "{", 1);
    if (pass_character(&rest, '{'))
        while (take_member(&rest, names, json))
            continue;
    usher_buffer_append(json, "}", 1);
}

/* ==== Unknown fields ==== */

/* Cuts between characters. */
static const char *cut(struct usher_arena *arena, const char *path)
{
    size_t size = strlen(path);
    if (size <= USHER_IGNORED_SIZE_MAX)
        return usher_arena_text(arena, path, size);
    size = USHER_IGNORED_SIZE_MAX;
    while (((unsigned char)path[size] & 0xC0U) == 0x80U)
        size--;
    return usher_arena_text(arena, path, size);
}

void message_ignore(const struct message_reader *reader, const struct message_place *place,
                    const char *name)
{
    struct message_ignored *ignored = reader->ignored;
    if (!ignored || ignored->count == USHER_IGNORED_MAX)
        return;
    const struct message_fault at = {.place = place, .field = name};
    ignored->names[ignored->count++] =
        cut(reader->arena, message_fault_path(reader->arena, &at, NULL));
}
