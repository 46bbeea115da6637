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

#endif
