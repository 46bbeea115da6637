/*
 * Loads options: flags, environment, file, defaults, in order of precedence. Every source is read
 * and checked even if one of higher precedence wins, so that a wrong key is found at once.
 */
#include "producer/base/options.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/known_keys.h"
#include "producer/base/log.h"
#include "producer/base/nearest.h"
#include "producer/base/option_flags.h"
#include "producer/base/option_take.h"
#include "producer/base/option_value.h"

static const struct option_spec common_specs[] = {
    {.name = "USHER_CONFIG",
     .value_name = "FILE",
     .help = "file with lines KEY=VALUE; flags and environment win over it"},
    {.name = "USHER_LOG_LEVEL",
     .fallback = "info",
     .choices = LOG_LEVEL_NAMES,
     .help = "what to log on standard error; debug: what became of each request"},
    {.name = "USHER_LOG_FORMAT",
     .fallback = "logfmt",
     .choices = LOG_FORMAT_NAMES,
     .help = "lines of key=value, or of JSON"},
    {.name = "help", .short_flag = 'h', .type = OPTION_BOOL, .help = "print this help"},
    {.name = "version", .short_flag = 'V', .type = OPTION_BOOL, .help = "print the version"},
};

const struct option_group common_options = {
    .title = "Common",
    .specs = common_specs,
    .count = sizeof common_specs / sizeof common_specs[0],
};

/* ---- names ---- */

static bool is_known_key(const char *key)
{
    for (const char *const *known = option_known_keys; *known; known++)
        if (strcmp(*known, key) == 0)
            return true;
    return false;
}

/* KEY without a _FILE at its end, as a size; 0 where there is none. */
static size_t size_before_file(const char *key)
{
    size_t size = strlen(key);
    return size > 5 && strcmp(key + size - 5, "_FILE") == 0 ? size - 5 : 0;
}

/* The common prefix must not count as similarity. */
static enum usher_status unknown_key(const char *key, const char *where, struct usher_error *err)
{
    size_t common = strncmp(key, "USHER_", 6) == 0 ? 6 : 0;
    struct nearest nearest = {.name = key + common};
    for (const char *const *known = option_known_keys; *known; known++)
        nearest_offer(&nearest, *known + common);
    if (nearest.best)
        usher_error_set(err, USHER_EXIT_USAGE, "unknown key \"%s\" in %s; did you mean \"%s\"?",
                        key, where, nearest.best - common);
    else
        usher_error_set(err, USHER_EXIT_USAGE, "unknown key \"%s\" in %s", key, where);
    return USHER_FATAL;
}

/* ---- keys ---- */

/* KEY=VALUE out of the environment or a file: `place` says which, in `source` and `origin`. */
static enum usher_status set_key(struct options *options, const char *key, const char *text,
                                 const struct option_found *place, struct usher_error *err)
{
    char origin[OPTION_FLAG_SIZE + 300];
    size_t base = size_before_file(key);
    struct option_found found = {.text = text, .source = place->source, .origin = origin};
    snprintf(origin, sizeof origin, "%s in %s", key, place->origin);
    found.value = option_find(options, key, strlen(key));
    if (!found.value && base > 0) {
        found.value = option_find(options, key, base);
        found.is_path = found.value && option_has_file_variant(found.value->spec);
    }
    if (found.value && (found.is_path || strcmp(found.value->spec->name, key) == 0))
        return option_take(options, &found, err);
    return is_known_key(key) ? USHER_OK : unknown_key(key, place->origin, err);
}

/* ---- the environment ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

/*
 * Kubernetes tells every pod of every service of its namespace in the environment: a service named
 * "usher-metrics" becomes USHER_METRICS_SERVICE_HOST, …_SERVICE_PORT, …_PORT=tcp://10.0.0.1:80 and
 * …_PORT_80_TCP_ADDR. They were not written by anybody, so they are not errors.
 */
static bool is_service_link(const char *key, const char *value)
{
    return ends_with(key, "_SERVICE_HOST") || strstr(key, "_SERVICE_PORT") ||
           strstr(key, "_PORT_") || (ends_with(key, "_PORT") && strstr(value, "://"));
}

static enum usher_status load_environment(struct options *options, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (char **entry = environ; status == USHER_OK && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        if (strncmp(*entry, "USHER_", 6) != 0 || !equals)
            continue;
        const char *key = usher_arena_text(&options->arena, *entry, (size_t)(equals - *entry));
        if (is_service_link(key, equals + 1))
            continue;
        static const struct option_found place = {.source = OPTION_ENVIRONMENT,
                                                  .origin = "the environment"};
        status = set_key(options, key, equals + 1, &place, err);
    }
    return status;
}

/* ---- the file ---- */

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1]))
        size--;
    text[size] = '\0';
    return text;
}

static char *unquote(char *text)
{
    size_t size = strlen(text);
    if (size < 2 || (text[0] != '"' && text[0] != '\'') || text[size - 1] != text[0])
        return text;
    text[size - 1] = '\0';
    return text + 1;
}

/* The keys of a file so far: of two lines with one key, neither is what somebody meant. */
struct seen {
    const char *key;
    int line;
    struct seen *next;
};

/* The file being read. */
struct reading {
    const char *where; /* "usher.conf" line 3 */
    int line;
    struct seen *seen;
};

static enum usher_status check_new(struct options *options, struct reading *reading,
                                   const char *key, struct usher_error *err)
{
    for (const struct seen *at = reading->seen; at; at = at->next) {
        if (strcmp(at->key, key) != 0)
            continue;
        usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: %s is on line %d already",
                        reading->where, key, at->line);
        return USHER_FATAL;
    }
    struct seen *added = usher_arena_alloc(&options->arena, sizeof *added);
    *added = (struct seen){
        .key = usher_arena_text(&options->arena, key, strlen(key)),
        .line = reading->line,
        .next = reading->seen,
    };
    reading->seen = added;
    return USHER_OK;
}

static enum usher_status load_line(struct options *options, char *line, struct reading *reading,
                                   struct usher_error *err)
{
    char *key = trim(line);
    char *equals = strchr(key, '=');
    if (*key == '\0' || *key == '#')
        return USHER_OK;
    if (!equals) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: it is not KEY=VALUE",
                        reading->where);
        return USHER_FATAL;
    }
    *equals = '\0';
    struct option_found place = {.source = OPTION_FILE, .origin = reading->where};
    key = trim(key);
    enum usher_status status = check_new(options, reading, key, err);
    return status == USHER_OK ? set_key(options, key, unquote(trim(equals + 1)), &place, err)
                              : status;
}

static enum usher_status file_failed(const char *path, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_CONFIG, "could not read configuration \"%s\": %s", path,
                    strerror(errno));
    return USHER_FATAL;
}

static enum usher_status load_lines(struct options *options, const char *path, FILE *file,
                                    struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    char *line = NULL;
    size_t room = 0;
    struct reading reading = {0};
    while (status == USHER_OK && getline(&line, &room, file) >= 0) {
        reading.line++;
        reading.where = usher_arena_format(&options->arena, "\"%s\" line %d", path, reading.line);
        status = load_line(options, line, &reading, err);
    }
    free(line);
    /* For example a directory: nothing was read, and only defaults would apply. */
    return status == USHER_OK && ferror(file) ? file_failed(path, err) : status;
}

static enum usher_status load_file(struct options *options, struct usher_error *err)
{
    const char *path = options_text(options, "USHER_CONFIG");
    if (!path)
        return USHER_OK;
    FILE *file = fopen(path, "re");
    if (!file)
        return file_failed(path, err);
    enum usher_status status = load_lines(options, path, file, err);
    fclose(file);
    return status;
}

/* ---- all together ---- */

/* A wrong table is a bug: a duplicate name, or a key that other programs do not know. */
static void load_default(struct options *options, const struct option_spec *spec)
{
    assert(!option_find(options, spec->name, strlen(spec->name)));
    assert(!option_has_key(spec) || is_known_key(spec->name));
    assert(!option_has_file_variant(spec) ||
           is_known_key(usher_arena_format(&options->arena, "%s_FILE", spec->name)));
    struct option_value *value = &options->values[options->value_count++];
    value->spec = spec;
    if (!spec->fallback)
        return;
    enum usher_status status =
        option_value_set(value, spec->fallback, OPTION_DEFAULT, "a default", NULL);
    assert(status == USHER_OK);
}

static void load_defaults(struct options *options, const struct option_table *table)
{
    size_t count = 0;
    for (size_t g = 0; g < table->group_count; g++)
        count += table->groups[g]->count;
    options->values = usher_arena_alloc(&options->arena, count * sizeof *options->values);
    for (size_t g = 0; g < table->group_count; g++)
        for (size_t i = 0; i < table->groups[g]->count; i++)
            load_default(options, &table->groups[g]->specs[i]);
}

enum usher_status options_load(struct options *options, const struct option_table *table, int argc,
                               char *const *argv, struct usher_error *err)
{
    *options = (struct options){.mode = OPTIONS_RUN};
    load_defaults(options, table);
    enum usher_status status = option_load_flags(options, argc, argv, err);
    if (status != USHER_OK || options->mode != OPTIONS_RUN)
        return status;
    status = load_environment(options, err);
    return status == USHER_OK ? load_file(options, err) : status;
}

void options_apply_log(const struct options *options)
{
    log_set_level(log_level_named(options_text(options, "USHER_LOG_LEVEL")));
    log_set_format(log_format_named(options_text(options, "USHER_LOG_FORMAT")));
}

void options_deinit(struct options *options)
{
    usher_arena_deinit(&options->arena);
    *options = (struct options){0};
}

/* ---- getters ---- */

static const struct option_value *value_named(const struct options *options, const char *name)
{
    const struct option_value *value = option_find(options, name, strlen(name));
    assert(value);
    return value;
}

const char *options_text(const struct options *options, const char *name)
{
    return value_named(options, name)->text;
}

int64_t options_integer(const struct options *options, const char *name)
{
    return value_named(options, name)->number;
}

bool options_bool(const struct options *options, const char *name)
{
    return value_named(options, name)->number != 0;
}

bool options_has(const struct options *options, const char *name)
{
    return value_named(options, name)->source != OPTION_ABSENT;
}

const char *options_secret_file(const struct options *options, const char *name)
{
    return value_named(options, name)->secret_file;
}

bool options_was_given(const struct options *options, const char *name)
{
    return value_named(options, name)->source > OPTION_DEFAULT;
}

const char *options_text_if_any(const struct options *options, const char *name)
{
    const struct option_value *value = option_find(options, name, strlen(name));
    return value ? value->text : NULL;
}
