/* How to repeat a request that was not answered: see request_again.h. */
#include "producer/program/request_again.h"

#include <string.h>

#define IN_REQUEST(member) offsetof(struct usher_request, member)
#define IN_DEFINITION(member) offsetof(struct usher_definition, member)

static const struct {
    const char *flag;
    size_t offset; /* of an int64_t */
    bool of_definition;
} instants[] = {
    {"wait-until", IN_REQUEST(wait_until_ms), false},
    {"return-at", IN_REQUEST(return_at_ms), false},
    {"starts-at", IN_DEFINITION(starts_ms), true},
    {"ends-at", IN_DEFINITION(ends_ms), true},
    {"opens-at", IN_DEFINITION(opens_ms), true},
    {"closes-at", IN_DEFINITION(closes_ms), true},
};

const char *request_again(struct options *options, const struct usher_request *request)
{
    const char *again = usher_arena_format(&options->arena, "--request-id %s", request->request_id);
    for (size_t i = 0; i < sizeof instants / sizeof *instants; i++) {
        const char *given = options_text_if_any(options, instants[i].flag);
        const void *of = instants[i].of_definition ? (const void *)request->definition : request;
        char instant[USHER_INSTANT_SIZE];
        int64_t ms;
        if (!given || *given != '+')
            continue;
        memcpy(&ms, (const char *)of + instants[i].offset, sizeof ms);
        usher_instant_format(ms, instant);
        again = usher_arena_format(&options->arena, "%s --%s %s", again, instants[i].flag, instant);
    }
    return again;
}
