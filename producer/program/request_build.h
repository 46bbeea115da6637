/* Builds requests out of flags. Knows nothing of Kafka. */
#ifndef USHER_PRODUCER_REQUEST_BUILD_H
#define USHER_PRODUCER_REQUEST_BUILD_H

#include "options.h"
#include "usher/message.h"

/*
 * Reads the items out of the flags, in their order: --section, --room, --product and --seats begin
 * one, the others belong to the last begun. They live in the options' arena. FATAL with exit code
 * 64: a flag without its item, a number or date that cannot be read, a room without dates.
 */
USHER_MUST_CHECK enum usher_status request_items(struct options *options,
                                                 const struct usher_item **items, uint32_t *count,
                                                 struct usher_error *err);

/*
 * Builds the request of a command and appends its JSON to `out`, checked by decoding it again. All
 * that `request` points to lives in the options' arena. FATAL with exit code 64, or 65 where a
 * file is wrong.
 */
USHER_MUST_CHECK enum usher_status request_build(struct options *options, enum usher_op op,
                                                 struct usher_request *request,
                                                 struct usher_buffer *out, struct usher_error *err);

/* The catalogue part, out of --section, --room, --product and the rest (definition_build.c). */
USHER_MUST_CHECK enum usher_status definition_build(struct options *options,
                                                    struct usher_definition *definition,
                                                    struct usher_error *err);

/*
 * Reads a define from the file of --file and appends it with request id, op and resource put in
 * where they are missing. FATAL with exit code 65.
 */
USHER_MUST_CHECK enum usher_status definition_from_file(struct options *options,
                                                        const char *request_id,
                                                        struct usher_buffer *out,
                                                        struct usher_error *err);

/* Reads a whole number 0 … max, or complains about `what`. FATAL with exit code 64. */
USHER_MUST_CHECK enum usher_status flag_number(const char *what, const char *text, int64_t max,
                                               int64_t *number, struct usher_error *err);

/* Reads a night, or complains about `what`. FATAL with exit code 64. */
USHER_MUST_CHECK enum usher_status flag_night(const char *what, const char *text, int32_t *night,
                                              struct usher_error *err);

#endif
