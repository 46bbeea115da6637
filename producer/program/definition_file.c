/* Reads a define as JSON from a file. */
#include "producer/program/definition_file.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/message_parse.h"
#include "producer/program/json_file.h"

/* Flags that a file takes the place of. */
static enum usher_status check_no_other_flags(const struct options *options,
                                              struct usher_error *err)
{
    static const char *const others[] = {
        "section",     "room",      "product", "rates",    "quota",     "limits",
        "limit-group", "plan",      "chart",   "name",     "venue",     "timezone",
        "currency",    "starts-at", "ends-at", "opens-at", "closes-at", "description",
        "state",       "strategy",  "ttl",     "shows"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (options_has(options, others[i])) {
            usher_error_set(err, USHER_EXIT_USAGE, "could not use --%s: --file says it all",
                            others[i]);
            return USHER_FATAL;
        }
    }
    return USHER_OK;
}

static enum usher_status bad_file(const char *path, const char *reason, struct usher_error *err)
{
    json_file_bad(path, reason, err);
    return USHER_FATAL;
}

/* A flag with the value that a field of the file has, or the field is not there. */
static bool agrees(yyjson_val *value, const char *text)
{
    return !value || !text || yyjson_equals_str(value, text);
}

static enum usher_status check_fields(const struct options *options, yyjson_val *root,
                                      struct usher_error *err)
{
    const char *path = options_text(options, "file");
    yyjson_val *resource = yyjson_obj_get(root, "resource");
    const char *argument = options->argument_count > 0 ? options->arguments[0] : NULL;
    if (!agrees(yyjson_obj_get(root, "op"), "define"))
        return bad_file(path, "its op is not define", err);
    if (!agrees(resource, argument))
        return bad_file(path, "its resource is another one", err);
    if (!resource && !argument)
        return bad_file(path, "it has no resource, and none was given", err);
    return USHER_OK;
}

/* Gives a field its value: in its place, or behind the others. */
static void put(yyjson_mut_doc *document, yyjson_mut_val *object, const char *name,
                const char *text)
{
    yyjson_mut_val *key = yyjson_mut_str(document, name), *value = yyjson_mut_str(document, text);
    bool is_good =
        yyjson_mut_obj_replace(object, key, value) || yyjson_mut_obj_add(object, key, value);
    assert(is_good);
}

void definition_file_complete(yyjson_val *root, const char *request_id, const char *resource,
                              struct usher_arena *arena, struct usher_buffer *out)
{
    const yyjson_alc memory = message_alc(arena);
    yyjson_mut_doc *document = yyjson_mut_doc_new(&memory);
    yyjson_mut_val *object = yyjson_val_mut_copy(document, root);
    if (request_id)
        put(document, object, "request_id", request_id);
    if (resource)
        put(document, object, "resource", resource);
    put(document, object, "op", "define");
    size_t size = 0;
    const char *text = yyjson_mut_val_write_opts(object, YYJSON_WRITE_NOFLAG, &memory, &size, NULL);
    assert(text);
    usher_buffer_append(out, text, size);
}

enum usher_status definition_from_file(struct options *options, const char *request_id,
                                       struct usher_buffer *out, struct usher_error *err)
{
    enum usher_status status = check_no_other_flags(options, err);
    if (status != USHER_OK)
        return status;
    struct message_tree tree;
    status = json_file_read(options_text(options, "file"), &options->arena, &tree, err);
    if (status == USHER_OK)
        status = check_fields(options, tree.root, err);
    if (status == USHER_OK)
        definition_file_complete(
            tree.root,
            options_has(options, "request-id") || !yyjson_obj_get(tree.root, "request_id")
                ? request_id
                : NULL,
            yyjson_obj_get(tree.root, "resource") ? NULL : options->arguments[0], &options->arena,
            out);
    message_tree_close(&tree);
    return status;
}
