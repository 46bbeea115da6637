/*
 * Resources to define, from a CSV file: one per line, with the options as defaults for fields left
 * empty. Does not know Kafka.
 */
#ifndef USHER_PRODUCER_PROGRAM_SHOWS_H
#define USHER_PRODUCER_PROGRAM_SHOWS_H

#include "producer/base/options.h"
#include "producer/program/show_request.h"

/*
 * Reads the flags and the file of --shows ("-" is standard input). All lives in the options' arena.
 * FATAL: exit code 64 where a flag is wrong; 65 where the file or a line of it is, and then every
 * such line was reported on stderr (the first 20).
 */
USHER_MUST_CHECK enum usher_status shows_read(struct options *options, struct shows *shows,
                                              struct usher_error *err);

#endif
