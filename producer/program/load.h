/*
 * The open-loop load generator: requests are sent at their scheduled times, whatever comes back,
 * and a latency counts from the scheduled time, so that a stall, of usher or of the generator
 * itself, is not hidden by the requests that it kept from being sent. Does not know options.
 */
#ifndef USHER_PRODUCER_PROGRAM_LOAD_H
#define USHER_PRODUCER_PROGRAM_LOAD_H

#include "producer/program/load_settings.h"

/* Runs to the end. Statuses as usher_client_open; `result` is large: not on the stack. */
USHER_MUST_CHECK enum usher_status load_run(const struct load_settings *settings,
                                            struct load_result *result, struct usher_error *err);

#endif
