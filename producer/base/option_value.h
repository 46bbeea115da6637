/*
 * Values of options as text: reading numbers, durations, sizes and bools, checking bounds, hiding
 * secrets.
 */
#ifndef USHER_PRODUCER_BASE_OPTION_VALUE_H
#define USHER_PRODUCER_BASE_OPTION_VALUE_H

#include "producer/base/option_types.h"
#include "usher/status.h"

enum {
    OPTION_FLAG_SIZE = 80
};

/* Writes the flag of an option, without dashes: USHER_HOLD_TTL gives hold-ttl. */
void option_flag_name(const struct option_spec *spec, char flag[OPTION_FLAG_SIZE]);

/* Whether the option has a key in the environment and the file. */
bool option_has_key(const struct option_spec *spec);

/* Whether there is a _FILE variant. */
bool option_has_file_variant(const struct option_spec *spec);

/*
 * Sets `value` to `text` (borrowed), checked against the type, bounds and choices of its spec.
 * FATAL with exit code 64 "could not read <origin>: ...".
 */
USHER_MUST_CHECK enum usher_status option_value_set(struct option_value *value, const char *text,
                                                    enum option_source source, const char *origin,
                                                    struct usher_error *err);

/*
 * Where a text names a property of librdkafka that may hold a secret: what follows the name must
 * not be shown. NULL: nowhere.
 */
const char *option_secret_in(const char *text);

/*
 * Takes the next property of a list, whose properties stand on lines of their own or behind each
 * other with semicolons between them; what is blank or begins with # is skipped. Returns where it
 * begins and sets its `size`, without blanks around it; moves `*list` on. NULL: there are no more.
 */
const char *option_next_property(const char **list, size_t *size);

/* Returns the value with what is secret in it as ****, in the arena. */
const char *option_masked(const struct option_spec *spec, const char *text,
                          struct usher_arena *arena);

#endif
