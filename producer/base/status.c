/*
 * The text of errors and the names of statuses. Knows nothing of who reports them.
 */
#include "usher/status.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0U) == 0x80U;
}

/* Texts end up in answers, which must be UTF-8: a cut must not leave half a character behind. */
static void trim_half_character(char *text, size_t size)
{
    while (size > 0 && is_continuation(text[size - 1]))
        size--;
    if (size > 0 && ((unsigned char)text[size - 1] & 0x80U) != 0)
        size--;
    text[size] = '\0';
}

void usher_error_set(struct usher_error *err, enum usher_exit exit_code, const char *format, ...)
{
    if (!err)
        return;
    /* The arguments may lie in err->text itself: "could not X: <what err said before>". */
    char text[sizeof err->text];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= sizeof text)
        trim_half_character(text, sizeof text - 1);
    err->exit_code = exit_code;
    memcpy(err->text, text, sizeof text);
}

const char *usher_status_name(enum usher_status status)
{
    static const char *const names[] = {"ok", "retry", "reject", "fenced", "halt", "fatal"};
    static_assert(sizeof names / sizeof names[0] == USHER_FATAL + 1, "a name for each status");

    assert((size_t)status < sizeof names / sizeof names[0]);
    return names[status];
}
