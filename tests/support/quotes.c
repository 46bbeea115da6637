/*
 * JSON in tests, readable: written with single quotes.
 */
#include "quotes.h"

#include <string.h>

char *quotes_double(struct usher_arena *arena, const char *text)
{
    char *copy = usher_arena_text(arena, text, strlen(text));
    for (char *at = copy; *at != '\0'; at++)
        if (*at == '\'')
            *at = '"';
    return copy;
}
