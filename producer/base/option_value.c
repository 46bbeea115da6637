/*
 * Values of options as text: reading numbers, durations, sizes and bools, checking bounds, hiding
 * secrets.
 */
#include "producer/base/option_value.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char key_prefix[] = "USHER_";

bool option_has_key(const struct option_spec *spec)
{
    return strncmp(spec->name, key_prefix, sizeof key_prefix - 1) == 0;
}

bool option_has_file_variant(const struct option_spec *spec)
{
    return spec->secrecy == OPTION_SECRET || spec->secrecy == OPTION_URI ||
           spec->secrecy == OPTION_PROPERTIES;
}

void option_flag_name(const struct option_spec *spec, char flag[OPTION_FLAG_SIZE])
{
    const char *name = spec->name + (option_has_key(spec) ? sizeof key_prefix - 1 : 0);
    size_t size = 0;
    for (; size < OPTION_FLAG_SIZE - 1 && name[size] != '\0'; size++)
        flag[size] = name[size] == '_' ? '-' : (char)tolower((unsigned char)name[size]);
    flag[size] = '\0';
}

/* ---- reading ---- */

struct unit {
    const char *suffix;
    int64_t factor;
};

static const struct unit no_units[] = {{"", 1}, {NULL, 0}};

static const struct unit second_units[] = {{"", 1},     {"s", 1},     {"m", 60},
                                           {"h", 3600}, {"d", 86400}, {NULL, 0}};

static const struct unit millisecond_units[] = {
    {"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}, {NULL, 0}};

static const struct unit size_units[] = {{"", 1},         {"K", 1 << 10},  {"M", 1 << 20},
                                         {"G", 1 << 30},  {"KB", 1 << 10}, {"MB", 1 << 20},
                                         {"GB", 1 << 30}, {NULL, 0}};

static const struct unit *units_of(enum option_type type)
{
    switch (type) {
    case OPTION_DURATION:
        return second_units;
    case OPTION_DURATION_MS:
        return millisecond_units;
    case OPTION_SIZE:
        return size_units;
    case OPTION_TEXT:
    case OPTION_BOOL:
    case OPTION_INTEGER:
    case OPTION_LIST:
        break;
    }
    return no_units;
}

/* Reads digits (perhaps after a minus) and one of the units. */
static bool read_number(const char *text, const struct unit *units, int64_t *number)
{
    const char *digits = text + (*text == '-');
    char *end;
    if (!isdigit((unsigned char)*digits))
        return false;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0)
        return false;
    for (; units->suffix; units++)
        if (strcasecmp(end, units->suffix) == 0)
            return !__builtin_mul_overflow((int64_t)value, units->factor, number);
    return false;
}

static bool read_bool(const char *text, int64_t *number)
{
    static const char *const names[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(text, names[i]) == 0) {
            *number = (int64_t)(i % 2);
            return true;
        }
    }
    return false;
}

/* `choices` is a|b|c. */
static bool is_choice(const char *choices, const char *text)
{
    size_t size = strlen(text);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, text, size) == 0 && (at[size] == '|' || at[size] == '\0'))
            return size > 0;
    }
    return false;
}

static const char *wanted(enum option_type type)
{
    switch (type) {
    case OPTION_BOOL:
        return "true or false";
    case OPTION_DURATION:
        return "a duration such as 900, 15m, 2h";
    case OPTION_DURATION_MS:
        return "a duration such as 250ms, 5s, 2m";
    case OPTION_SIZE:
        return "a size such as 65536, 64K, 512MB";
    case OPTION_TEXT:
    case OPTION_INTEGER:
    case OPTION_LIST:
        break;
    }
    return "a whole number";
}

enum {
    NUMBER_SIZE = 32
};

/* As a user would write it: in the largest unit in which it is a whole number. */
static const char *write_number(int64_t number, enum option_type type, char text[NUMBER_SIZE])
{
    const struct unit *largest = NULL;
    for (const struct unit *unit = units_of(type); unit->suffix; unit++)
        if (number % unit->factor == 0 && (!largest || unit->factor >= largest->factor))
            largest = unit;
    assert(largest); /* each table has a unit of 1 */
    snprintf(text, NUMBER_SIZE, "%" PRId64 "%s", number / largest->factor, largest->suffix);
    return text;
}

/* What a number alone was taken for. */
static const char *meaning_alone(enum option_type type, const char *text)
{
    if (text[strspn(text, "0123456789")] != '\0')
        return NULL;
    return type == OPTION_DURATION || type == OPTION_DURATION_MS ? "seconds"
           : type == OPTION_SIZE                                 ? "bytes"
                                                                 : NULL;
}

static enum usher_status check_bounds(const struct option_spec *spec, const char *text,
                                      int64_t number, const char *origin, struct usher_error *err)
{
    char min[NUMBER_SIZE];
    char max[NUMBER_SIZE];
    bool bounded = spec->min != 0 || spec->max != 0;
    const char *alone = meaning_alone(spec->type, text);
    if (number >= spec->min && (!bounded || number <= spec->max))
        return USHER_OK;
    if (bounded)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not read %s: \"%s\" is not within %s and %s%s%s%s%s", origin, text,
                        write_number(spec->min, spec->type, min),
                        write_number(spec->max, spec->type, max), alone ? "; " : "",
                        alone ? text : "", alone ? " means " : "", alone ? alone : "");
    else
        usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is negative", origin,
                        text);
    return USHER_FATAL;
}

static enum usher_status check_text(const struct option_spec *spec, const char *text,
                                    const char *origin, struct usher_error *err)
{
    if (!spec->choices || is_choice(spec->choices, text))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is none of %s", origin, text,
                    spec->choices);
    return USHER_FATAL;
}

enum usher_status option_value_set(struct option_value *value, const char *text,
                                   enum option_source source, const char *origin,
                                   struct usher_error *err)
{
    const struct option_spec *spec = value->spec;
    int64_t number = 0;
    enum usher_status status;
    if (spec->type == OPTION_TEXT || spec->type == OPTION_LIST) {
        status = check_text(spec, text, origin, err);
    } else if (spec->type == OPTION_BOOL ? read_bool(text, &number)
                                         : read_number(text, units_of(spec->type), &number)) {
        status = check_bounds(spec, text, number, origin, err);
    } else {
        usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is not %s", origin, text,
                        wanted(spec->type));
        status = USHER_FATAL;
    }
    if (status != USHER_OK)
        return status;
    value->text = text;
    value->number = number;
    value->source = source;
    value->secret_file = NULL;
    return USHER_OK;
}

/* ---- hiding ---- */

static const char mask[] = "****";

/* A URI in which a user alone is no password. */
static bool is_postgres(const char *text)
{
    static const char *const schemes[] = {"postgresql://", "postgres://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

static const char *mask_range(const char *text, const char *from, const char *to,
                              struct usher_arena *arena)
{
    return usher_arena_format(arena, "%.*s%s%s", (int)(from - text), text, mask, to);
}

/* Without an @ that ends it: what follows the first colon and is no port. */
static const char *mask_port(const char *text, const char *authority, struct usher_arena *arena)
{
    size_t host_size = strcspn(authority, ":/?");
    const char *port = authority + host_size + 1;
    if (*authority == '[' || authority[host_size] != ':')
        return text;
    const char *end = port + strspn(port, "0123456789");
    return *end == '\0' || strchr(",/?", *end) ? text : mask_range(text, port, "", arena);
}

/*
 * scheme://user:PASSWORD@host: up to the last @, since an unescaped one may be in the password.
 * A user alone is shown where that is usual; elsewhere it may be a password, as for Redis.
 */
static const char *mask_userinfo(const char *text, struct usher_arena *arena)
{
    const char *authority = strstr(text, "://");
    const char *at = strrchr(text, '@');
    if (!authority)
        return text;
    authority += 3;
    if (!at || at < authority)
        return mask_port(text, authority, arena);
    const char *colon = memchr(authority, ':', (size_t)(at - authority));
    if (colon)
        return mask_range(text, colon + 1, at, arena);
    return is_postgres(text) ? text : mask_range(text, authority, at, arena);
}

/* The end of a value in a query (up to &) or a key-value string (quoted, or up to white space). */
static const char *value_end(const char *value)
{
    if (*value != '\'')
        return value + strcspn(value, "& \t\n");
    for (value++; *value != '\0' && *value != '\''; value++)
        if (*value == '\\' && value[1] != '\0')
            value++;
    return value + (*value == '\'');
}

static const char *mask_password_fields(const char *text, struct usher_arena *arena)
{
    const char *at = text;
    while ((at = strcasestr(at, "password"))) {
        at += strlen("password");
        const char *value = at + strspn(at, " \t");
        if (*value != '=')
            continue;
        value += 1 + strspn(value + 1, " \t");
        size_t offset = (size_t)(value - text);
        text = mask_range(text, value, value_end(value), arena);
        at = text + offset;
    }
    return text;
}

static const char *mask_uri(const char *text, struct usher_arena *arena)
{
    return mask_password_fields(mask_userinfo(text, arena), arena);
}

const char *option_secret_in(const char *text)
{
    /* All of sasl.*: commands, tokens and their configurations may hold one. */
    static const char *const parts[] = {"sasl.", "ssl.key", "password", "secret", "token", "pem"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *at = strstr(text, parts[i]);
        first = at && (!first || at < first) ? at : first;
    }
    return first;
}

static const char *mask_property(const char *text, struct usher_arena *arena)
{
    const char *equals = strchr(text, '=');
    const char *secret = option_secret_in(text);
    if (!equals || !secret || secret > equals)
        return mask_uri(text, arena);
    return mask_range(text, equals + 1, "", arena);
}

const char *option_next_property(const char **list, size_t *size)
{
    while (**list != '\0') {
        const char *begin = *list + strspn(*list, " \t\r");
        const char *end = begin + strcspn(begin, "\n;");
        *list = end + (*end != '\0');
        while (end > begin && strchr(" \t\r", end[-1]))
            end--;
        *size = (size_t)(end - begin);
        if (*size > 0 && *begin != '#')
            return begin;
    }
    return NULL;
}

const char *option_next_uri(const char **list, size_t *size)
{
    static const char blank[] = " \t\r\n";
    const char *begin = *list + strspn(*list, blank);
    const char *end = begin + strcspn(begin, blank);
    const char *next = end + strspn(end, blank);
    while (*next != '\0' && !is_postgres(next)) {
        end = next + strcspn(next, blank);
        next = end + strspn(end, blank);
    }
    *list = next;
    *size = (size_t)(end - begin);
    return *size > 0 ? begin : NULL;
}

/* On one line, as print-config has one for each option. */
static const char *mask_uris(const char *list, struct usher_arena *arena)
{
    size_t size;
    const char *masked = "";
    for (const char *at; (at = option_next_uri(&list, &size));) {
        const char *one = mask_uri(usher_arena_text(arena, at, size), arena);
        masked = usher_arena_format(arena, "%s%s%s", masked, *masked == '\0' ? "" : " ", one);
    }
    return masked;
}

static const char *mask_properties(const char *list, struct usher_arena *arena)
{
    size_t size;
    const char *masked = "";
    for (const char *at; (at = option_next_property(&list, &size));) {
        const char *one = mask_property(usher_arena_text(arena, at, size), arena);
        masked = usher_arena_format(arena, "%s%s%s", masked, *masked == '\0' ? "" : ";", one);
    }
    return masked;
}

const char *option_masked(const struct option_spec *spec, const char *text,
                          struct usher_arena *arena)
{
    switch (spec->secrecy) {
    case OPTION_SECRET:
        return mask;
    case OPTION_URI:
        return mask_uris(text, arena);
    case OPTION_PUBLIC:
        break;
    case OPTION_PROPERTY:
        return mask_property(text, arena);
    case OPTION_PROPERTIES:
        return mask_properties(text, arena);
    }
    return mask_uri(text, arena);
}
