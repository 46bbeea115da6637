/*
 * Members of JSON objects. PURE: it appends to a buffer, and knows no messages.
 */
#include "producer/base/json_member.h"

void json_text(struct usher_buffer *out, const char *name, const char *value)
{
    usher_buffer_text(out, name);
    usher_buffer_json_string(out, value);
}

void json_number(struct usher_buffer *out, const char *name, int64_t value)
{
    usher_buffer_text(out, name);
    usher_buffer_number(out, value);
}
