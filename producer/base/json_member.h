/*
 * Members of JSON objects, appended to a buffer. The name comes with all that stands before its
 * value, such as ,"free":
 */
#ifndef USHER_PRODUCER_BASE_JSON_MEMBER_H
#define USHER_PRODUCER_BASE_JSON_MEMBER_H

#include <stdint.h>

#include "usher/memory.h"

/* A string; NULL becomes null. */
void json_text(struct usher_buffer *out, const char *name, const char *value);

void json_number(struct usher_buffer *out, const char *name, int64_t value);

#endif
