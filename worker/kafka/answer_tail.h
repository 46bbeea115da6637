/*
 * Reads the seq of a published answer without decoding it, at a million answers per second. PURE:
 * knows only how the codec ends an answer.
 */
#ifndef USHER_WORKER_KAFKA_ANSWER_TAIL_H
#define USHER_WORKER_KAFKA_ANSWER_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"

/*
 * Returns whether `value` ends as answer_wrap ends every answer, and sets `*seq`. Reads the
 * last bytes only, each of which must be where the codec puts it: no text inside an answer can be
 * mistaken for its end.
 */
USHER_MUST_CHECK bool answer_tail_seq(const void *value, size_t size, int64_t *seq);

#endif
