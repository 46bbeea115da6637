/*
 * Options of a program. One table names each option with its type, bounds, default and help; its
 * value comes from a flag, else the environment, else a file, else the default. The same table
 * prints --help and print-config. Knows the keys that the programs share, and how a secret is
 * read from its file; not what an option means.
 */
#ifndef USHER_PRODUCER_BASE_OPTIONS_H
#define USHER_PRODUCER_BASE_OPTIONS_H

#include <stdio.h>

#include "producer/base/option_value.h"
#include "usher/memory.h"
#include "usher/status.h"

/* --config, --log-level, --log-format, --help, --version: belongs in every table. */
extern const struct option_group common_options;

/*
 * Reads the flags argv[1] … argv[argc-1] (argv[argc] is NULL, as main's is), environ, and the file
 * named by --config or USHER_CONFIG (lines KEY=VALUE; blank lines and lines that begin with # are
 * skipped; one pair of quotes around a value is dropped). argv[0] is skipped: the program's name,
 * or a command's. Copies all text.
 * Not thread-safe (getopt_long). `options` is overwritten; deinit it whatever comes out.
 * FATAL with exit code 64: an unknown flag or USHER_* key (the nearest name is
 * suggested), a value that does not parse or lies outside its bounds, an option given with its
 * _FILE variant from the same place, a flag with a value that is no list given twice, an empty
 * argument; 78: a configuration or secret file that cannot be read, a secret file that is empty.
 * Flags may not be shortened.
 */
USHER_MUST_CHECK enum usher_status options_load(struct options *options,
                                                const struct option_table *table, int argc,
                                                char *const *argv, struct usher_error *err);

/* Has the log follow the options --log-level and --log-format. */
void options_apply_log(const struct options *options);

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

/* The value as given, or the default; NULL where absent, or where the table has no such option. */
const char *options_text_if_any(const struct options *options, const char *name);

/* The file that the value was read from, by NAME_FILE, to be read again; NULL: none. */
const char *options_secret_file(const struct options *options, const char *name);

/* Whether a user gave the value: by flag, environment or file. */
bool options_was_given(const struct options *options, const char *name);

/* Gives a text to an option that is absent, as if it were its default. */
void options_set_text(struct options *options, const char *name, const char *text);

/*
 * ==== Printing ====
 *
 * Prints options for people: --help from the table, print-config from what was loaded.
 */

/* Prints the groups with their flags, keys, defaults and help. */
void options_print_help(const struct option_table *table, FILE *out);

/*
 * Prints a line KEY=value for each option with a key, with where the value came from (flag,
 * environment, file, default, not set), secrets masked; then every OPTION_PROPERTY given.
 */
void options_print_config(const struct options *options, FILE *out);

/* The same as a JSON array of {"key","value","source"}; a value that is absent is null. */
void options_print_config_json(const struct options *options, FILE *out);

enum {
    OPTIONS_DIGEST_SIZE = 17
};

/*
 * Writes 16 hexadecimal digits by which configurations are compared: of the values as print-config
 * shows them, without where they come from and without the keys in `except`, a list that ends with
 * NULL. Secrets do not go into it.
 */
void options_digest(const struct options *options, const char *const *except,
                    char text[OPTIONS_DIGEST_SIZE]);

/*
 * ==== Secret files ====
 *
 * Files that hold one secret: what the NAME_FILE of an option names. They are read again where a
 * connection is made again, so that a password can be changed without a restart.
 */

/*
 * As it is in its file now; `text` where there is no file (NULL), it cannot be read, or there is
 * nothing in it, as while it is rewritten.
 */
const char *secret_now(const char *text, const char *path, struct usher_arena *arena);

/* Has an error that names the key of a secret say KEY_FILE, where it came from a file (`path`). */
void secret_name_file(const char *key, const char *path, struct usher_error *err);

/*
 * ==== Known keys ====
 *
 * The environment keys of all programs of the project.
 */

/*
 * All keys, with their _FILE variants, so that one environment can serve all programs and a
 * misspelt key is still found. NULL ends the list.
 */
extern const char *const option_known_keys[];

#endif
