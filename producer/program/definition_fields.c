/* The fields of a define that are one text each. */
#include "producer/program/definition_fields.h"

#include <string.h>

#include "producer/base/option_value.h"
#include "producer/program/flag_values.h"

enum {
    TTL_MAX_S = 31536000,
    FIELD_COUNT = 12,
};

enum field_type {
    FIELD_TEXT,
    FIELD_INSTANT,
    FIELD_DURATION,
    FIELD_STATE,
    FIELD_STRATEGY,
};

#define IN_DEFINITION(member) offsetof(struct usher_definition, member)

static const struct {
    enum field_type type;
    size_t offset;
} fields[FIELD_COUNT] = {
    {FIELD_TEXT, IN_DEFINITION(name)},           {FIELD_TEXT, IN_DEFINITION(venue)},
    {FIELD_TEXT, IN_DEFINITION(description)},    {FIELD_TEXT, IN_DEFINITION(timezone)},
    {FIELD_TEXT, IN_DEFINITION(currency)},       {FIELD_INSTANT, IN_DEFINITION(starts_ms)},
    {FIELD_INSTANT, IN_DEFINITION(ends_ms)},     {FIELD_INSTANT, IN_DEFINITION(opens_ms)},
    {FIELD_INSTANT, IN_DEFINITION(closes_ms)},   {FIELD_STATE, IN_DEFINITION(state)},
    {FIELD_DURATION, IN_DEFINITION(hold_ttl_s)}, {FIELD_STRATEGY, IN_DEFINITION(strategy)},
};

const char *const definition_field_names[FIELD_COUNT + 1] = {
    "name",    "venue",    "description", "timezone", "currency", "starts_at",
    "ends_at", "opens_at", "closes_at",   "state",    "ttl",      "strategy"};

static size_t find_field(const char *name)
{
    size_t i = 0;
    while (strcmp(definition_field_names[i], name) != 0)
        i++;
    return i;
}

bool definition_is_instant(const char *field)
{
    return fields[find_field(field)].type == FIELD_INSTANT;
}

static enum usher_status bad_choice(const char *what, const char *text, const char *choices,
                                    struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is none of %s", what, text,
                    choices);
    return USHER_FATAL;
}

static enum usher_status set_duration(const char *what, const char *text, int64_t *seconds,
                                      struct usher_error *err)
{
    static const struct option_spec spec = {
        .name = "ttl", .type = OPTION_DURATION, .min = 1, .max = TTL_MAX_S};
    struct option_value value = {.spec = &spec};
    enum usher_status status = option_value_set(&value, text, OPTION_FLAG, what, err);
    *seconds = value.number;
    return status;
}

enum usher_status definition_set(struct usher_definition *definition, const char *field,
                                 const char *what, const char *text, struct usher_error *err)
{
    size_t i = find_field(field);
    void *at = (char *)definition + fields[i].offset;
    switch (fields[i].type) {
    case FIELD_TEXT:
        memcpy(at, &text, sizeof text);
        return USHER_OK;
    case FIELD_INSTANT:
        return flag_instant(what, text, at, err);
    case FIELD_DURATION:
        return set_duration(what, text, at, err);
    case FIELD_STATE:
        definition->state = usher_sale_state_named(text);
        if (definition->state == USHER_STATE_ABSENT)
            return bad_choice(what, text, "draft|open|closed", err);
        return USHER_OK;
    case FIELD_STRATEGY:
        break;
    }
    definition->strategy = usher_strategy_named(text);
    if (definition->strategy == USHER_STRATEGY_ABSENT)
        return bad_choice(what, text, "best|first|random", err);
    return USHER_OK;
}
