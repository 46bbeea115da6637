/*
 * The few fields that decide whether an answer is worth parsing, read without parsing it. Inside of
 * the codec and the client only.
 */
#ifndef USHER_PRODUCER_CODEC_ANSWER_SCAN_H
#define USHER_PRODUCER_CODEC_ANSWER_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/message.h"

/* The request id, inside `data`. False where it is null, or this is no answer. */
bool answer_scan_id(const char *data, size_t size, const char **id, size_t *id_size);

/* The seq. False where there is none. */
bool answer_scan_seq(const char *data, size_t size, int64_t *seq);

/* Whether it is unrequested: such an answer carries the id of the request that created the booking,
 * and must not be taken for the answer to that request. */
bool answer_scan_unrequested(const char *data, size_t size);

/* The outcome, and the reason with a refusal; NONE where there is none or it is not known. */
enum usher_outcome answer_scan_outcome(const char *data, size_t size);

enum usher_reason answer_scan_reason(const char *data, size_t size);

#endif
