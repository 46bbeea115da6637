/*
 * Members of JSON objects. The name comes with all that stands before its value, such as ,"free":
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_TEXT_H
#define USHER_WORKER_DISPLAY_DISPLAY_TEXT_H

#include <stdint.h>

#include "usher/memory.h"

static inline void text_string(struct usher_buffer *out, const char *name, const char *value)
{
    usher_buffer_text(out, name);
    usher_buffer_json_string(out, value);
}

static inline void text_number(struct usher_buffer *out, const char *name, int64_t value)
{
    usher_buffer_text(out, name);
    usher_buffer_number(out, value);
}

#endif
