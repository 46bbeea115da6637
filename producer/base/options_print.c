/* Prints options for people: --help from the table, print-config from what was loaded. */
#include "producer/base/options_print.h"

#include <string.h>

#include "producer/base/digest.h"
#include "producer/base/json_member.h"
#include "producer/base/option_value.h"

enum {
    HELP_COLUMN = 34,
    HELP_WIDTH = 100
};

static const char *value_name(const struct option_spec *spec)
{
    if (spec->value_name)
        return spec->value_name;
    switch (spec->type) {
    case OPTION_INTEGER:
        return "N";
    case OPTION_DURATION:
    case OPTION_DURATION_MS:
        return "TIME";
    case OPTION_SIZE:
        return "SIZE";
    case OPTION_TEXT:
    case OPTION_BOOL:
    case OPTION_LIST:
        break;
    }
    return spec->choices ? spec->choices : "TEXT";
}

/* "  -X, --kafka-property PROP=VALUE" and blanks up to the column of the help. */
static void print_flag(const struct option_spec *spec, FILE *out)
{
    char flag[OPTION_FLAG_SIZE];
    int width =
        spec->short_flag != 0 ? fprintf(out, "  -%c, ", spec->short_flag) : fprintf(out, "      ");
    option_flag_name(spec, flag);
    width += fprintf(out, "--%s", flag);
    if (spec->implied)
        width += fprintf(out, "[=%s]", value_name(spec));
    else if (spec->type != OPTION_BOOL)
        width += fprintf(out, " %s", value_name(spec));
    if (width >= HELP_COLUMN)
        width = fprintf(out, "\n") - 1;
    fprintf(out, "%*s", HELP_COLUMN - width, "");
}

/* Text broken between words; continues at the column of the help. */
static void print_wrapped(const char *text, FILE *out)
{
    size_t column = HELP_COLUMN;
    while (*text != '\0') {
        size_t size = strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + size > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, size, out);
        column += size;
        text += size + (text[size] == ' ');
    }
    fputc('\n', out);
}

static void print_option(const struct option_spec *spec, struct usher_arena *arena, FILE *out)
{
    const char *text = spec->help;
    if (spec->fallback && spec->type != OPTION_BOOL)
        text = usher_arena_format(arena, "%s (default: %s)", text, spec->fallback);
    if (option_has_key(spec))
        text = usher_arena_format(arena, "%s [%s%s]", text, spec->name,
                                  option_has_file_variant(spec) ? ", or _FILE" : "");
    print_flag(spec, out);
    print_wrapped(text, out);
}

void options_print_help(const struct option_table *table, FILE *out)
{
    struct usher_arena arena = {0};
    for (size_t g = 0; g < table->group_count; g++) {
        fprintf(out, "\n%s:\n", table->groups[g]->title);
        for (size_t i = 0; i < table->groups[g]->count; i++)
            print_option(&table->groups[g]->specs[i], &arena, out);
    }
    usher_arena_deinit(&arena);
}

static const char *const sources[] = {
    [OPTION_ABSENT] = "not set",          [OPTION_DEFAULT] = "default", [OPTION_FILE] = "file",
    [OPTION_ENVIRONMENT] = "environment", [OPTION_FLAG] = "flag",
};

static void print_value(const struct option_value *value, struct usher_arena *arena, FILE *out)
{
    const char *text = value->text ? option_masked(value->spec, value->text, arena) : "";
    fprintf(out, "%s=%s  # %s%s\n", value->spec->name, text, sources[value->source],
            value->secret_file ? ", by its _FILE" : "");
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* The values that count, a line each. */
static const char *join_values(const struct options *options, const char *const *except,
                               struct usher_arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < options->value_count; i++) {
        const struct option_value *value = &options->values[i];
        const char *name = value->spec->name;
        if (option_has_key(value->spec) && value->text && !is_among(except, name))
            text = usher_arena_format(arena, "%s%s=%s\n", text, name,
                                      option_masked(value->spec, value->text, arena));
    }
    for (size_t i = 0; i < options->given_count; i++)
        if (options->given[i].spec->secrecy == OPTION_PROPERTY)
            text = usher_arena_format(
                arena, "%s%s\n", text,
                option_masked(options->given[i].spec, options->given[i].text, arena));
    return text;
}

void options_digest(const struct options *options, const char *const *except,
                    char text[OPTIONS_DIGEST_SIZE])
{
    struct usher_arena arena = {0};
    unsigned char digest[DIGEST_SIZE];
    const char *values = join_values(options, except, &arena);
    digest_sha256(&(struct digest_part){values, strlen(values)}, 1, digest);
    for (size_t i = 0; 2 * i + 1 < OPTIONS_DIGEST_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    usher_arena_deinit(&arena);
}

void options_print_config(const struct options *options, FILE *out)
{
    struct usher_arena arena = {0};
    for (size_t i = 0; i < options->value_count; i++)
        if (option_has_key(options->values[i].spec))
            print_value(&options->values[i], &arena, out);
    for (size_t i = 0; i < options->given_count; i++) {
        const struct option_given *given = &options->given[i];
        if (given->spec->secrecy == OPTION_PROPERTY)
            fprintf(out, "-%c %s  # flag\n", given->spec->short_flag,
                    option_masked(given->spec, given->text, &arena));
    }
    usher_arena_deinit(&arena);
}

static void append_value(const struct option_value *value, struct usher_arena *arena,
                         struct usher_buffer *json)
{
    const char *text = value->text ? option_masked(value->spec, value->text, arena) : NULL;
    json_text(json, json->size > 1 ? ",{\"key\":" : "{\"key\":", value->spec->name);
    json_text(json, ",\"value\":", text);
    json_text(json, ",\"source\":", sources[value->source]);
    usher_buffer_text(json, value->secret_file ? ",\"secret_file\":true}" : "}");
}

void options_print_config_json(const struct options *options, FILE *out)
{
    struct usher_arena arena = {0};
    struct usher_buffer json = {0};
    usher_buffer_text(&json, "[");
    for (size_t i = 0; i < options->value_count; i++)
        if (option_has_key(options->values[i].spec))
            append_value(&options->values[i], &arena, &json);
    for (size_t i = 0; i < options->given_count; i++) {
        const struct option_given *given = &options->given[i];
        if (given->spec->secrecy != OPTION_PROPERTY)
            continue;
        json_text(&json, ",{\"property\":", option_masked(given->spec, given->text, &arena));
        usher_buffer_text(&json, ",\"source\":\"flag\"}");
    }
    fprintf(out, "%.*s]\n", (int)json.size, json.at);
    usher_buffer_deinit(&json);
    usher_arena_deinit(&arena);
}
