/*
 * Prints options for people: --help from the table, print-config from what was loaded.
 */
#ifndef USHER_PRODUCER_BASE_OPTIONS_PRINT_H
#define USHER_PRODUCER_BASE_OPTIONS_PRINT_H

#include <stdio.h>

#include "producer/base/option_types.h"

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

#endif
