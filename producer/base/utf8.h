/* Tells text from bytes. */
#ifndef USHER_PRODUCER_BASE_UTF8_H
#define USHER_PRODUCER_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes the character has that the text begins with; 0: it is none. */
size_t utf8_size(const char *text, size_t size);

/* Whether the bytes are UTF-8 as JSON has it: the shortest form, no surrogates. */
bool utf8_is_valid(const char *text, size_t size);

/*
 * How many bytes the character has that the text begins with, if a terminal might obey it, or if it
 * makes a text read otherwise than it is: a control, a bidirectional one too, a separator of lines,
 * a mark without width. 0: it is another character. `size` is at least 1.
 */
size_t utf8_control_size(const char *text, size_t size);

/*
 * Copies whole characters, as many as fit before a NUL, with `?` in the place of each byte that is
 * not of one, and of NUL. Returns their size.
 */
size_t utf8_copy(char *out, size_t out_size, const char *text, size_t size);

#endif
