/*
 * Text to a JSON object or array, strictly. Everything that a JSON library lets through and the
 * contract does not is caught here; fields are not looked at.
 */
#include "message_fields.h"

/*
 * Counts brackets outside of strings. Up to the first syntax error this agrees with the parser, so
 * the parser never recurses deeper than this allows.
 */
static bool is_too_deep(const char *text, size_t size)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        char byte = text[i];
        if (in_string && byte == '\\')
            i++;
        else if (byte == '"')
            in_string = !in_string;
        else if (!in_string && (byte == '{' || byte == '['))
            depth++;
        else if (!in_string && (byte == '}' || byte == ']') && depth > 0)
            depth--;
        if (depth > MESSAGE_DEPTH_MAX)
            return true;
    }
    return false;
}

/* The parser quotes what it stumbled over, and may cut it within a character. */
static const char *ascii_only(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if (((unsigned char)*at & 0x80U) != 0)
            *at = '?';
    return text;
}

static json_t *parse(const void *data, size_t size, json_type wanted, struct usher_error *err)
{
    const char *name = wanted == JSON_OBJECT ? "object" : "array";
    if (size == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "empty value instead of a JSON %s", name);
        return NULL;
    }
    if (is_too_deep(data, size)) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "nested deeper than %d", MESSAGE_DEPTH_MAX);
        return NULL;
    }
    json_error_t fault;
    json_t *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &fault);
    if (root == NULL) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "not JSON: %s (byte %d)", ascii_only(fault.text),
                        fault.position);
        return NULL;
    }
    if (json_typeof(root) != wanted) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s instead of a JSON %s",
                        json_is_array(root) ? "an array" : "an object", name);
        json_decref(root);
        return NULL;
    }
    return root;
}

json_t *message_parse(const void *data, size_t size, struct usher_error *err)
{
    return parse(data, size, JSON_OBJECT, err);
}

json_t *message_parse_array(const void *data, size_t size, struct usher_error *err)
{
    return parse(data, size, JSON_ARRAY, err);
}
