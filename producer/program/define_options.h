/*
 * The options of define.
 */
#ifndef USHER_PRODUCER_PROGRAM_DEFINE_OPTIONS_H
#define USHER_PRODUCER_PROGRAM_DEFINE_OPTIONS_H

#include "producer/base/option_types.h"

extern const struct option_table define_table;

#endif
