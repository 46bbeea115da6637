/* Reads a JSON object out of a file. */
#include "json_file.h"

#include <errno.h>
#include <string.h>

void json_file_bad(const char *path, const char *reason, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\": %s", path, reason);
}

json_t *json_file_read(const char *path, struct usher_error *err)
{
    json_error_t reason;
    json_t *root = strcmp(path, "-") == 0 ? json_loadf(stdin, JSON_REJECT_DUPLICATES, &reason)
                                          : json_load_file(path, JSON_REJECT_DUPLICATES, &reason);
    if (root == NULL && json_error_code(&reason) == json_error_cannot_open_file) {
        json_file_bad(path, strerror(errno), err);
    } else if (root == NULL) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\" line %d: %s", path,
                        reason.line, reason.text);
    } else if (!json_is_object(root)) {
        json_file_bad(path, "it is not a JSON object", err);
        json_decref(root);
        root = NULL;
    }
    return root;
}
