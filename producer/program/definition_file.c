/* Reads a define as JSON out of a file. */
#include "definition_file.h"

#include <string.h>

#include "json_file.h"

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

static enum usher_status complete(const struct options *options, json_t *root,
                                  const char *request_id, struct usher_error *err)
{
    const char *path = options_text(options, "file");
    const json_t *op = json_object_get(root, "op"), *resource = json_object_get(root, "resource");
    const char *argument = options->argument_count > 0 ? options->arguments[0] : NULL;
    if (op != NULL && (!json_is_string(op) || strcmp(json_string_value(op), "define") != 0))
        return bad_file(path, "its op is not define", err);
    if (resource != NULL && argument != NULL &&
        (!json_is_string(resource) || strcmp(json_string_value(resource), argument) != 0))
        return bad_file(path, "its resource is another one", err);
    if (resource == NULL && argument == NULL)
        return bad_file(path, "it names no resource, and none was given", err);
    if (options_has(options, "request-id") || json_object_get(root, "request_id") == NULL)
        json_object_set_new(root, "request_id", json_string(request_id));
    if (resource == NULL)
        json_object_set_new(root, "resource", json_string(argument));
    json_object_set_new(root, "op", json_string("define"));
    return USHER_OK;
}

enum usher_status definition_from_file(struct options *options, const char *request_id,
                                       struct usher_buffer *out, struct usher_error *err)
{
    enum usher_status status = check_no_other_flags(options, err);
    if (status != USHER_OK)
        return status;
    json_t *root = json_file_read(options_text(options, "file"), err);
    if (root == NULL)
        return USHER_FATAL;
    status = complete(options, root, request_id, err);
    if (status == USHER_OK) {
        size_t size = json_dumpb(root, NULL, 0, JSON_COMPACT);
        out->size += json_dumpb(root, usher_buffer_reserve(out, size), size, JSON_COMPACT);
    }
    json_decref(root);
    return status;
}
