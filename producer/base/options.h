/*
 * Options of a program. One table names each option with its type, bounds, default and help; its
 * value comes from a flag, else the environment, else a file, else the default. The same table
 * prints --help and print-config. Knows nothing of what an option means.
 */
#ifndef USHER_PRODUCER_BASE_OPTIONS_H
#define USHER_PRODUCER_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "usher/memory.h"
#include "usher/status.h"

enum option_type {
    OPTION_TEXT = 0,    /* any text, or one of `choices` */
    OPTION_BOOL,        /* true, false, yes, no, on, off, 1, 0; the flag alone is true */
    OPTION_INTEGER,     /* decimal */
    OPTION_DURATION,    /* 900, 900s, 15m, 2h, 1d: options_integer() gives seconds */
    OPTION_DURATION_MS, /* the same, and 250ms: options_integer() gives milliseconds */
    OPTION_SIZE,        /* bytes: 1048576, 1024K, 1M, 1G (powers of 1,024) */
    OPTION_LIST,        /* text; the flag may be repeated: see struct options, `given` */
};

/* What print-config may show. Secrets and URIs also have a variant NAME_FILE (flag --name-file),
 * the path of a file that holds the value; one newline at its end is dropped. */
enum option_secrecy {
    OPTION_PUBLIC = 0,
    OPTION_SECRET,   /* shown as **** */
    OPTION_URI,      /* its password shown as ****; also `password=` of a key-value string */
    OPTION_PROPERTY, /* prop=value: the value is shown as **** where prop names a secret */
};

/* One option. Leave out what does not apply. */
struct option_spec {
    /*
     * USHER_HOLD_TTL: key of the environment and the file, its flag is --hold-ttl. Must also be
     * in option_known_keys (known_keys.c). Lower case ("customer"): a flag only, --customer.
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
    bool from_secret_file; /* came by NAME_FILE */
};

/* A flag as it was given. */
struct option_given {
    const struct option_spec *spec;
    const char *text;
};

enum option_wish {
    OPTIONS_RUN = 0,
    OPTIONS_HELP,    /* --help or -h was given: nothing else was read */
    OPTIONS_VERSION, /* --version was given: nothing else was read */
};

/* The result of options_load. Fields are for reading; all text is valid until options_deinit. */
struct options {
    enum option_wish wish;
    struct option_value *values; /* one for each option of the table, in its order */
    size_t value_count;
    struct option_given *given; /* every flag in the order given, for those that may be repeated */
    size_t given_count;
    const char **arguments; /* what is left over: no flag, no flag's value */
    size_t argument_count;
    struct usher_arena arena;
};

/* --config, --log-level, --help, --version: belongs into every table. */
extern const struct option_group common_options;

/*
 * The environment keys of all programs of this project, so that one environment can serve all of
 * them and a misspelt key is still found; with the _FILE variants. NULL ends it.
 */
extern const char *const option_known_keys[];

/*
 * Reads the flags argv[1] … argv[argc-1], environ, and the file named by --config or USHER_CONFIG
 * (lines KEY=VALUE; blank lines and lines that begin with # are skipped; one pair of quotes around
 * a value is dropped). argv[0] is skipped: the program's name, or a command's. Copies all text.
 * Not thread-safe (getopt_long). `options` is overwritten; deinit it whatever comes out.
 * FATAL with exit code 64: a flag or a USHER_* key that nobody knows (the nearest name is
 * suggested), a value that does not parse or lies outside its bounds, an option given with its
 * _FILE variant from the same place, a configuration or secret file that cannot be read. Flags may
 * not be shortened.
 */
USHER_MUST_CHECK enum usher_status options_load(struct options *options,
                                                const struct option_table *table, int argc,
                                                char *const *argv, struct usher_error *err);

/* Frees what options_load made. Legal on a zeroed struct. */
void options_deinit(struct options *options);

/* The value as given, or the default; NULL where absent. `name` as in the table, else a bug. */
const char *options_text(const struct options *options, const char *name);

/* The number in the unit of its type; 0 where absent: ask options_has. */
int64_t options_integer(const struct options *options, const char *name);

/* False where absent. */
bool options_bool(const struct options *options, const char *name);

/* Whether there is a value at all, be it the default. */
bool options_has(const struct options *options, const char *name);

/* Whether a user gave the value: by flag, environment or file. */
bool options_was_given(const struct options *options, const char *name);

/* Prints the groups with their flags, keys, defaults and help. */
void options_print_help(const struct option_table *table, FILE *out);

/*
 * Prints a line KEY=value for each option with a key, with where the value came from (flag,
 * environment, file, default, not set), secrets masked; then every OPTION_PROPERTY given.
 */
void options_print_config(const struct options *options, FILE *out);

#endif
