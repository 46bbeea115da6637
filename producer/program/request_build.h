/* Builds requests from options. Does not know Kafka. */
#ifndef USHER_PRODUCER_PROGRAM_REQUEST_BUILD_H
#define USHER_PRODUCER_PROGRAM_REQUEST_BUILD_H

#include "producer/base/options.h"
#include "usher/message.h"

enum {
    REQUEST_ID_SIZE = 40
};

/* Writes a random UUID (version 4) and a NUL. */
void request_id_random(char id[REQUEST_ID_SIZE]);

/*
 * Builds the request of a command and appends its JSON to `out`, checked by decoding it again. All
 * that `request` points to lives in the options' arena. FATAL with exit code 64, or 65 where a
 * file is wrong.
 */
USHER_MUST_CHECK enum usher_status request_build(struct options *options, enum usher_op op,
                                                 struct usher_request *request,
                                                 struct usher_buffer *out, struct usher_error *err);

/* FATAL with exit code 64 where a flag or an argument is not UTF-8. */
USHER_MUST_CHECK enum usher_status request_check_text(const struct options *options,
                                                      struct usher_error *err);

#endif
