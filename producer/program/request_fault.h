/*
 * Names the option that a fault of a request came from: people who typed options do not know the
 * fields that these became.
 */
#ifndef USHER_PRODUCER_PROGRAM_REQUEST_FAULT_H
#define USHER_PRODUCER_PROGRAM_REQUEST_FAULT_H

#include "producer/base/options.h"
#include "producer/codec/message_fault.h"
#include "producer/program/definition_build.h"
#include "usher/message.h"

/* What a request was built from. */
struct request_origin {
    struct options *options;
    const struct usher_request *request;       /* as it was encoded */
    const struct definition_flags *definition; /* of a define */
};

/*
 * Sets `err`, exit code 64, to the fault with the option that its field came from; to the fault as
 * the library reports it where no option gave the field.
 */
void request_fault_report(const struct request_origin *origin, const struct message_fault *fault,
                          struct usher_error *err);

/* The field of the message itself that the fault is about, or is below of; NULL: none. */
const char *request_fault_field(const struct message_fault *fault);

#endif
