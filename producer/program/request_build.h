/*
 * Builds requests from options: fields, items, and the checks that a worker would accept and
 * heed all of them. Names the option that a fault came from. Does not know Kafka.
 */
#ifndef USHER_PRODUCER_PROGRAM_REQUEST_BUILD_H
#define USHER_PRODUCER_PROGRAM_REQUEST_BUILD_H

#include "producer/base/options.h"
#include "producer/codec/message_fault.h"
#include "producer/program/definition.h"
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

/*
 * ==== Items ====
 *
 * Reads the items of a request from options, in the order in which they were given.
 */

/*
 * Of the options given from the index `from` on, before `to`: --section, --sections, --room,
 * --product and --seats begin an item, the others belong to the one begun last. They live in the
 * options' arena. FATAL with exit code 64: a flag without its item, a number or date that cannot be
 * read, a room without dates.
 */
USHER_MUST_CHECK enum usher_status request_items(struct options *options, size_t from, size_t to,
                                                 const struct usher_item **items, uint32_t *count,
                                                 struct usher_error *err);

/*
 * ==== What a worker would ignore ====
 *
 * What a worker accepts of a request, and a careful sender does not mean.
 */

/*
 * REJECT with exit code 65: a decoded request has unknown fields, which `err` names, or a plan that
 * breaks a rule of charts.
 */
USHER_MUST_CHECK enum usher_status request_check_strictly(const struct usher_request *request,
                                                          struct usher_error *err);

/*
 * ==== Faults by option ====
 *
 * Names the option that a fault of a request came from: people who typed options do not know the
 * fields that these became.
 */

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
