/*
 * Requests of tests of the codec, decoded.
 */
#include "decoded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "quotes.h"

struct usher_request request_decoded(struct usher_arena *arena, const char *text)
{
    struct usher_request request;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    const char *json = quotes_double(arena, text);
    if (usher_request_decode(json, strlen(json), arena, &request, &err) != USHER_OK) {
        print_error("%s\n  refused: %s\n", json, err.text);
        fail();
    }
    return request;
}
