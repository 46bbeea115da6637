/* Tells text from bytes. */
#ifndef USHER_PRODUCER_BASE_UTF8_H
#define USHER_PRODUCER_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes are UTF-8 as JSON has it: the shortest form, no surrogates. */
bool utf8_is_valid(const char *text, size_t size);

#endif
