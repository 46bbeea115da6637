/* Tells text from bytes. */
#include "producer/base/utf8.h"

#include <stdint.h>
#include <string.h>

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

/* The character that the text begins with, and how many bytes it has: 0 if it is none. */
static size_t read_character(const char *text, size_t size, uint32_t *character)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = size > 0 ? character_size(at[0]) : 0;
    if (length == 0 || length > size)
        return 0;
    *character = length == 1 ? at[0] : at[0] & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0U) != 0x80)
            return 0;
        *character = *character << 6 | (at[i] & 0x3FU);
    }
    return is_out_of_range(*character, length) ? 0 : length;
}

size_t utf8_size(const char *text, size_t size)
{
    uint32_t character;
    return read_character(text, size, &character);
}

bool utf8_is_valid(const char *text, size_t size)
{
    while (size > 0) {
        size_t length = utf8_size(text, size);
        if (length == 0)
            return false;
        text += length;
        size -= length;
    }
    return true;
}

/* Those that join letters (U+200C, U+200D) are none, because Persian and emoji need them. */
static const struct {
    uint32_t first, last;
} controls[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200B, 0x200B},
    {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF},
};

size_t utf8_control_size(const char *text, size_t size)
{
    uint32_t character;
    size_t length = read_character(text, size, &character);
    for (size_t i = 0; length > 0 && i < sizeof controls / sizeof *controls; i++)
        if (character >= controls[i].first && character <= controls[i].last)
            return length;
    return 0;
}

size_t utf8_copy(char *out, size_t out_size, const char *text, size_t size)
{
    size_t used = 0;
    while (size > 0) {
        uint32_t character;
        size_t length = *text == '\0' ? 0 : read_character(text, size, &character);
        size_t written = length > 0 ? length : 1;
        if (used + written >= out_size)
            break;
        memcpy(out + used, length > 0 ? text : "?", written);
        used += written;
        text += written;
        size -= written;
    }
    out[used] = '\0';
    return used;
}
