/*
 * One option: the row of a table that describes it, its value once it is loaded, and values as
 * text, such as numbers, durations, sizes and secrets. Knows no flags, environment or files.
 */
#ifndef USHER_PRODUCER_BASE_OPTION_VALUE_H
#define USHER_PRODUCER_BASE_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"

/*
 * ==== What an option is ====
 *
 * What an option is: the row of a table, its value once it is loaded, and all options of a program.
 */

enum option_type {
    OPTION_TEXT = 0,    /* any text, or one of `choices` */
    OPTION_BOOL,        /* true, false, yes, no, on, off, 1, 0; the flag alone is true */
    OPTION_INTEGER,     /* decimal */
    OPTION_DURATION,    /* 900, 900s, 15m, 2h, 1d: options_integer() gives seconds */
    OPTION_DURATION_MS, /* the same, and 250ms: options_integer() gives milliseconds */
    OPTION_SIZE,        /* bytes: 1048576, 1024K, 1M, 2GB (powers of 1,024) */
    OPTION_LIST,        /* text; the flag may be repeated: see struct options, `given` */
};

/*
 * What print-config may show. Secrets, URIs and lists of properties also have a variant NAME_FILE
 * (flag --name-file), the path of a file that holds the value; one newline at its end is dropped.
 */
enum option_secrecy {
    OPTION_PUBLIC = 0,
    OPTION_SECRET,     /* shown as **** */
    OPTION_URI,        /* its password shown as ****; also `password=` of a key-value string */
    OPTION_PROPERTY,   /* prop=value: the value is shown as **** where prop names a secret */
    OPTION_PROPERTIES, /* several of them: see option_next_property */
};

/* One option. Leave out what does not apply. */
struct option_spec {
    /*
     * USHER_HOLD_TTL: key of the environment and the file, its flag is --hold-ttl. Must also be
     * in options.c. Lower case ("customer"): a flag only, --customer.
     */
    const char *name;
    char short_flag; /* also -X; 0: none */
    enum option_type type;
    enum option_secrecy secrecy;
    const char *fallback; /* the default as a user would write it; NULL: absent */
    const char *implied;  /* what the flag alone means (--wait is --wait=5s); NULL: needs a value */
    const char *choices;  /* of TEXT: "error|warning|info|debug"; NULL: anything */
    const char *value_name; /* in the help: HOST:PORT; NULL: by type */
    int64_t min, max;       /* of numbers, in the unit of options_integer(); both 0: 0 or more */
    const char *help;       /* a sentence, without full stop */
};

/* Options that belong together; `title` heads them in the help. */
struct option_group {
    const char *title;
    const struct option_spec *specs;
    size_t count;
};

/* All options of a program (or of one of its commands): groups, each perhaps shared. */
struct option_table {
    const struct option_group *const *groups;
    size_t group_count;
};

enum option_source {
    OPTION_ABSENT,
    OPTION_DEFAULT,
    OPTION_FILE,
    OPTION_ENVIRONMENT,
    OPTION_FLAG
};

struct option_value {
    const struct option_spec *spec;
    const char *text; /* NULL: absent */
    int64_t number;   /* of all types but TEXT and LIST; a bool is 0 or 1 */
    enum option_source source;
    const char *secret_file; /* the file of NAME_FILE that it came from; NULL: none */
};

/* A flag as it was given. */
struct option_given {
    const struct option_spec *spec;
    const char *text;
};

enum option_mode {
    OPTIONS_RUN = 0,
    OPTIONS_HELP,    /* --help or -h was given: nothing else was read */
    OPTIONS_VERSION, /* --version was given: nothing else was read */
};

/* The result of options_load. Fields are for reading; all text is valid until options_deinit. */
struct options {
    enum option_mode mode;
    const char *version; /* of the program that runs with them; NULL: nobody asks */
    int argc;            /* what was read, to be read again */
    char *const *argv;
    struct option_value *values; /* one for each option of the table, in its order */
    size_t value_count;
    struct option_given *given; /* every flag in the order given, for those that may be repeated */
    size_t given_count;
    const char **arguments; /* what is left over: no flag, no flag's value */
    size_t argument_count;
    struct usher_arena arena;
};

/* ==== Values ==== */

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

/*
 * Takes the next of several URIs of PostgreSQL, which have white space between them. Any other
 * text, such as `host=h dbname=d`, is one. Returns where it begins and sets its `size`, without
 * white space around it; moves `*list` on. NULL: there are no more.
 */
const char *option_next_uri(const char **list, size_t *size);

/* Returns the value with what is secret in it as ****, in the arena. */
const char *option_masked(const struct option_spec *spec, const char *text,
                          struct usher_arena *arena);

#endif
