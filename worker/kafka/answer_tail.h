/*
 * Reads the seq out of a published answer without decoding it, so that a million answers are
 * scanned in a second. PURE: knows only how the codec ends an answer.
 */
#ifndef USHER_WORKER_KAFKA_ANSWER_TAIL_H
#define USHER_WORKER_KAFKA_ANSWER_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"

/*
 * Whether `value` ends as usher_answer_wrap ends every answer; `*seq` is then its seq. Only the
 * last bytes are looked at, each of which must be where the codec puts it: no text inside the
 * answer can pass for its end.
 */
USHER_MUST_CHECK bool answer_tail_seq(const void *value, size_t size, int64_t *seq);

#endif
