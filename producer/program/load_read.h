/*
 * The reading thread of the load generator.
 */
#ifndef USHER_PRODUCER_PROGRAM_LOAD_READ_H
#define USHER_PRODUCER_PROGRAM_LOAD_READ_H

#include "producer/program/load_state.h"

/*
 * Runs until all is sent and answered, or no answer has come for too long after the last request.
 */
USHER_MUST_CHECK enum usher_status load_read(struct load *load, struct usher_error *err);

#endif
