/* Tells text from bytes. */
#include "producer/base/utf8.h"

#include <stdint.h>

/* The bytes of the character that begins with `first`; 0: none does. */
static size_t character_size(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* Larger ones than Unicode has, surrogates, and what fits into fewer bytes. */
static bool is_out_of_range(uint32_t character, size_t size)
{
    return (size == 3 && character < 0x800) || (size == 4 && character < 0x10000) ||
           character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF);
}

bool utf8_is_valid(const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    while (at < end) {
        size_t length = character_size(*at);
        if (length == 0 || length > (size_t)(end - at))
            return false;
        uint32_t character = length == 1 ? *at : *at & (0x7FU >> length);
        for (size_t i = 1; i < length; i++) {
            if ((at[i] & 0xC0U) != 0x80)
                return false;
            character = character << 6 | (at[i] & 0x3FU);
        }
        if (is_out_of_range(character, length))
            return false;
        at += length;
    }
    return true;
}
