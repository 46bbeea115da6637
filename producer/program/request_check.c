/* Refuses what a worker would ignore. */
#include "producer/program/request_check.h"

#include <stdio.h>
#include <string.h>

#include "producer/base/plural.h"

enum usher_status request_check_strictly(const struct usher_request *request,
                                         struct usher_error *err)
{
    if (request->definition && request->definition->fault) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s", request->definition->fault);
        return USHER_REJECT;
    }
    if (request->ignored_count == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "unknown field%s", PLURAL(request->ignored_count));
    for (uint32_t i = 0; i < request->ignored_count; i++) {
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, "%s \"%s\"", i == 0 ? "" : ",",
                 request->ignored[i]);
    }
    return USHER_REJECT;
}
