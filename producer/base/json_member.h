/*
 * Members of JSON objects, appended to a buffer. The name comes with all that stands before its
 * value, such as ,"free":
 */
#ifndef USHER_PRODUCER_BASE_JSON_MEMBER_H
#define USHER_PRODUCER_BASE_JSON_MEMBER_H

#include <stdint.h>

#include "usher/memory.h"

/* A string; NULL becomes null. */
static inline void json_text(struct usher_buffer *out, const char *name, const char *value)
{
    usher_buffer_text(out, name);
    usher_buffer_json_string(out, value);
}

static inline void json_number(struct usher_buffer *out, const char *name, int64_t value)
{
    usher_buffer_text(out, name);
    usher_buffer_number(out, value);
}

#endif
