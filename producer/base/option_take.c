/* Takes values as they are found; those of NAME_FILE are read from that file. */
#include "producer/base/option_take.h"

#include <errno.h>
#include <string.h>

#include "producer/base/option_value.h"
#include "producer/base/secret_file.h"

struct option_value *option_find(const struct options *options, const char *name, size_t size)
{
    for (size_t i = 0; i < options->value_count; i++) {
        const char *candidate = options->values[i].spec->name;
        if (strncmp(candidate, name, size) == 0 && candidate[size] == '\0')
            return &options->values[i];
    }
    return NULL;
}

/* An empty file is one that was not filled: only a list of properties may be empty. */
static enum usher_status read_secret(struct options *options, const struct option_found *found,
                                     const char *path, const char **secret, struct usher_error *err)
{
    *secret = secret_file_read(path, &options->arena);
    bool may_be_empty = found->value->spec->secrecy == OPTION_PROPERTIES;
    if (*secret && (may_be_empty || **secret != '\0'))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not read %s: \"%s\": %s", found->origin, path,
                    *secret ? "it is empty" : strerror(errno));
    return USHER_FATAL;
}

/* Neither wins over the other: of the two, one is a mistake. `origin` begins with one's name. */
static enum usher_status given_twice(const struct option_found *found, struct usher_error *err)
{
    const char *where = found->origin + strcspn(found->origin, " ");
    int size = (int)(where - found->origin);
    const char *suffix = found->source == OPTION_FLAG ? "-file" : "_FILE";
    if (found->is_path)
        size -= (int)strlen(suffix);
    usher_error_set(err, USHER_EXIT_USAGE,
                    "%.*s and %.*s%s are both given%s: remove one of the two", size, found->origin,
                    size, found->origin, suffix, where);
    return USHER_FATAL;
}

enum usher_status option_take(struct options *options, const struct option_found *found,
                              struct usher_error *err)
{
    struct option_value fresh = {.spec = found->value->spec};
    const char *given = usher_arena_text(&options->arena, found->text, strlen(found->text));
    const char *text = given;
    enum usher_status status = USHER_OK;
    if (found->value->source == found->source && !found->value->secret_file == found->is_path)
        return given_twice(found, err);
    if (found->is_path)
        status = read_secret(options, found, given, &text, err);
    if (status == USHER_OK)
        status = option_value_set(&fresh, text, found->source, found->origin, err);
    if (status == USHER_OK && found->source >= found->value->source) {
        fresh.secret_file = found->is_path ? given : NULL;
        *found->value = fresh;
    }
    return status;
}
