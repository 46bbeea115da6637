/*
 * Options of a program. One table names each option with its type, bounds, default and help; its
 * value comes from a flag, else the environment, else a file, else the default. The same table
 * prints --help and print-config. Does not know what an option means.
 */
#include "producer/base/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/digest.h"
#include "producer/base/json_member.h"
#include "producer/base/log.h"
#include "producer/base/nearest.h"

/* ==== Printing ==== */

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
    if (spec->fallback && *spec->fallback != '\0' && spec->type != OPTION_BOOL)
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

/* ==== Secret files ==== */

enum {
    SECRET_FILE_SIZE_MAX = 65536
};

/*
 * The line of a control character that no setting has, counted from 1; 0: there is none. A NUL,
 * say, would end the value, and the rest of it would be missing without a word.
 */
static int control_line(const char *text, size_t size)
{
    int line = 1;
    for (size_t i = 0; i < size; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next < ' ' && next != '\t' && next != '\r' && next != '\n') || next == 0x7F)
            return line;
        line += next == '\n' ? 1 : 0;
    }
    return 0;
}

/* Reads all of the file, without its last line end. NULL: it could not, errno says why. */
static char *file_read(const char *path, struct usher_arena *arena, size_t *size)
{
    char *text = usher_arena_alloc(arena, SECRET_FILE_SIZE_MAX + 2);
    FILE *file = fopen(path, "re");
    *size = file ? fread(text, 1, SECRET_FILE_SIZE_MAX + 1, file) : 0;
    bool failed = !file || ferror(file);
    int why = errno;
    if (file)
        fclose(file);
    errno = why;
    if (failed)
        return NULL;
    if (*size > 0 && text[*size - 1] == '\n')
        --*size;
    if (*size > 0 && text[*size - 1] == '\r')
        --*size;
    text[*size] = '\0';
    return text;
}

/* The text of the file, in the arena. NULL: it could not be read, or is no setting, see `why`. */
static const char *secret_file_read(const char *path, struct usher_arena *arena, const char **why)
{
    size_t size;
    const char *text = file_read(path, arena, &size);
    int line = text ? control_line(text, size) : 0;
    if (!text)
        *why = strerror(errno);
    else if (size > SECRET_FILE_SIZE_MAX)
        *why = usher_arena_format(arena, "it has more than %d bytes", SECRET_FILE_SIZE_MAX);
    else if (line > 0)
        *why = usher_arena_format(arena, "line %d has a control character", line);
    else
        return text;
    return NULL;
}

const char *secret_now(const char *text, const char *path, struct usher_arena *arena)
{
    const char *why;
    const char *fresh = path ? secret_file_read(path, arena, &why) : NULL;
    return fresh && fresh[0] ? fresh : text;
}

void secret_name_file(const char *key, const char *path, struct usher_error *err)
{
    size_t size = strlen(key);
    const char *at = path && err ? strstr(err->text, key) : NULL;
    while (at && at[size] == '_') /* another key: USHER_REDIS_CA_FILE */
        at = strstr(at + size, key);
    if (at)
        usher_error_set(err, err->exit_code, "%.*s_FILE%s", (int)(at + size - err->text), err->text,
                        at + size);
}

/*
 * ==== Precedence ====
 *
 * Takes values as they are found in flags, the environment or a file, in order of precedence.
 */

/* A value as found somewhere. */
struct option_found {
    struct option_value *value;
    const char *text;
    enum option_source source;
    const char *origin; /* for messages: the flag, or the key and its place */
    bool is_path;       /* found under the _FILE variant */
};

/* The value of the option named by the first `size` bytes of `name`; NULL: there is none. */
static struct option_value *option_find(const struct options *options, const char *name,
                                        size_t size)
{
    for (size_t i = 0; i < options->value_count; i++) {
        const char *candidate = options->values[i].spec->name;
        if (strncmp(candidate, name, size) == 0 && candidate[size] == '\0')
            return &options->values[i];
    }
    return NULL;
}

/* An empty file is one that was not filled: only a list of properties may be empty. */
static enum usher_status read_secret(struct options *options, const struct option_found *found,
                                     const char *path, const char **secret, struct usher_error *err)
{
    const char *why = "it is empty";
    *secret = secret_file_read(path, &options->arena, &why);
    bool may_be_empty = found->value->spec->secrecy == OPTION_PROPERTIES;
    if (*secret && (may_be_empty || **secret != '\0'))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "could not read %s: \"%s\": %s", found->origin, path,
                    why);
    return USHER_FATAL;
}

/* Neither wins over the other: of the two, one is a mistake. `origin` begins with one's name. */
static enum usher_status given_twice(const struct option_found *found, struct usher_error *err)
{
    const char *where = found->origin + strcspn(found->origin, " ");
    int size = (int)(where - found->origin);
    const char *suffix = found->source == OPTION_FLAG ? "-file" : "_FILE";
    if (found->is_path)
        size -= (int)strlen(suffix);
    usher_error_set(err, USHER_EXIT_USAGE,
                    "%.*s and %.*s%s are both given%s: remove one of the two", size, found->origin,
                    size, found->origin, suffix, where);
    return USHER_FATAL;
}

/*
 * Checks what was found and keeps a copy of it, unless a stronger source has set the value before.
 * FATAL with exit code 64, or 78: a file that cannot be read, or is empty.
 */
static enum usher_status option_take(struct options *options, const struct option_found *found,
                                     struct usher_error *err)
{
    struct option_value fresh = {.spec = found->value->spec};
    const char *given = usher_arena_text(&options->arena, found->text, strlen(found->text));
    const char *text = given;
    enum usher_status status = USHER_OK;
    if (found->value->source == found->source && !found->value->secret_file == found->is_path)
        return given_twice(found, err);
    if (found->is_path)
        status = read_secret(options, found, given, &text, err);
    if (status == USHER_OK)
        status = option_value_set(&fresh, text, found->source, found->origin, err);
    if (status == USHER_OK && found->source >= found->value->source) {
        fresh.secret_file = found->is_path ? given : NULL;
        *found->value = fresh;
    }
    return status;
}

/*
 * ==== Flags ====
 *
 * Loads options from flags.
 */

enum {
    FLAG_CODE_FIRST = 256
};

/* What getopt_long works with: a long flag for each option, and one for each _FILE variant. */
struct flags {
    struct option *long_flags;
    size_t count;
    char short_flags[64];
};

static void add_long_flag(struct options *options, struct flags *flags, size_t index, bool file)
{
    const struct option_spec *spec = options->values[index].spec;
    char name[OPTION_FLAG_SIZE];
    bool optional = !file && (spec->type == OPTION_BOOL || spec->implied);
    option_flag_name(spec, name);
    flags->long_flags[flags->count++] = (struct option){
        .name = usher_arena_format(&options->arena, "%s%s", name, file ? "-file" : ""),
        .has_arg = optional ? optional_argument : required_argument,
        .val = FLAG_CODE_FIRST + (int)index * 2 + file,
    };
}

static void make_flags(struct options *options, struct flags *flags)
{
    /* Leading '-': no reordering, words come back as code 1. ':': a missing value is reported as
     * such. */
    size_t size = (size_t)snprintf(flags->short_flags, sizeof flags->short_flags, "-:");
    flags->long_flags =
        usher_arena_alloc(&options->arena, (2 * options->value_count + 1) * sizeof(struct option));
    for (size_t i = 0; i < options->value_count; i++) {
        const struct option_spec *spec = options->values[i].spec;
        add_long_flag(options, flags, i, false);
        if (option_has_file_variant(spec))
            add_long_flag(options, flags, i, true);
        if (spec->short_flag == 0)
            continue;
        assert(size + 3 < sizeof flags->short_flags);
        flags->short_flags[size++] = spec->short_flag;
        if (spec->type != OPTION_BOOL)
            flags->short_flags[size++] = ':';
        flags->short_flags[size] = '\0';
    }
}

static size_t find_short(const struct options *options, int letter)
{
    size_t index = 0;
    while (options->values[index].spec->short_flag != letter)
        index++;
    return index;
}

static enum usher_status unknown_flag(const struct flags *flags, const char *word,
                                      struct usher_error *err)
{
    int size = (int)strcspn(word, "=");
    char name[OPTION_FLAG_SIZE];
    snprintf(name, sizeof name, "%.*s", size > 2 ? size - 2 : 0, word + 2);
    struct nearest nearest = {.name = name};
    for (size_t i = 0; word[1] == '-' && i < flags->count; i++)
        nearest_offer(&nearest, flags->long_flags[i].name);
    if (nearest.best)
        usher_error_set(err, USHER_EXIT_USAGE, "unknown flag \"%.*s\"; did you mean \"--%s\"?",
                        size, word, nearest.best);
    else
        usher_error_set(err, USHER_EXIT_USAGE, "unknown flag \"%.*s\"", size, word);
    return USHER_FATAL;
}

/* getopt_long accepts abbreviations, which a flag added later could make ambiguous. */
static bool is_cut_short(const struct flags *flags, const char *word)
{
    if (strncmp(word, "--", 2) != 0 || word[2] == '\0')
        return false;
    size_t size = strcspn(word + 2, "=");
    for (size_t i = 0; i < flags->count; i++) {
        const char *name = flags->long_flags[i].name;
        if (strncmp(name, word + 2, size) == 0 && name[size] == '\0')
            return false;
    }
    return true;
}

/*
 * Of two values neither is what somebody meant, unless they add up. A bool may be of what stands
 * before it. Directly and as a file is another fault.
 */
static bool is_given_twice(const struct option_value *value, bool is_path)
{
    return value->source == OPTION_FLAG && !value->secret_file != is_path &&
           value->spec->type != OPTION_LIST && value->spec->type != OPTION_BOOL;
}

/* Takes one flag with its value: `code` as getopt_long returned it. */
static enum usher_status take_flag(struct options *options, int code, const char *word,
                                   struct usher_error *err)
{
    size_t index =
        code >= FLAG_CODE_FIRST ? (size_t)(code - FLAG_CODE_FIRST) / 2 : find_short(options, code);
    struct option_value *value = &options->values[index];
    const struct option_spec *spec = value->spec;
    bool is_path = code >= FLAG_CODE_FIRST && (code - FLAG_CODE_FIRST) % 2 == 1;
    const char *text = optarg ? optarg : spec->implied ? spec->implied : "true";
    char origin[OPTION_FLAG_SIZE];
    snprintf(origin, sizeof origin, "%.*s", (int)strcspn(word, "="), word);
    if (is_given_twice(value, is_path)) {
        usher_error_set(err, USHER_EXIT_USAGE, "%s is given twice", origin);
        return USHER_FATAL;
    }
    struct option_found found = {
        .value = value, .text = text, .source = OPTION_FLAG, .origin = origin, .is_path = is_path};
    enum usher_status status = option_take(options, &found, err);
    if (status == USHER_OK)
        options->given[options->given_count++] =
            (struct option_given){.spec = spec, .text = value->text};
    if (status == USHER_OK && value->number != 0 && strcmp(spec->name, "help") == 0)
        options->mode = OPTIONS_HELP;
    if (status == USHER_OK && value->number != 0 && strcmp(spec->name, "version") == 0)
        options->mode = OPTIONS_VERSION;
    return status;
}

/* getopt_long would take the next flag for the value of this one; `--flag=--value` means it. */
static bool lacks_value(int code, char *const *argv)
{
    if (code == ':')
        return true;
    return code != 1 && code != '?' && optarg && optarg == argv[optind - 1] &&
           strncmp(optarg, "--", 2) == 0;
}

/*
 * The word behind a flag with an optional value is an argument, yet whoever writes `--wait 1s`
 * means the value. `./1s` is a file.
 */
static bool lacks_equals(const struct options *options, int code, const char *next)
{
    if (code < FLAG_CODE_FIRST || optarg || !next)
        return false;
    const struct option_spec *spec = options->values[(code - FLAG_CODE_FIRST) / 2].spec;
    struct option_value value = {.spec = spec};
    return spec->implied && option_value_set(&value, next, OPTION_FLAG, "", NULL) == USHER_OK;
}

/* An empty one is a variable of the shell that was not set. */
static enum usher_status take_argument(struct options *options, const char *word,
                                       struct usher_error *err)
{
    if (*word == '\0') {
        usher_error_set(err, USHER_EXIT_USAGE, "an argument is empty");
        return USHER_FATAL;
    }
    options->arguments[options->argument_count++] =
        usher_arena_text(&options->arena, word, strlen(word));
    return USHER_OK;
}

static enum usher_status take_code(struct options *options, const struct flags *flags, int code,
                                   const char *word, struct usher_error *err)
{
    if (code == 1)
        return take_argument(options, optarg, err);
    return code == '?' ? unknown_flag(flags, word, err) : take_flag(options, code, word, err);
}

/* At least as many as there are flags, also where several letters follow one dash. */
static size_t count_letters(int argc, char *const *argv)
{
    size_t count = 1;
    for (int i = 1; i < argc; i++)
        count += strlen(argv[i]);
    return count;
}

/* The flags' part of options_load; stops at --help and --version. */
static enum usher_status option_load_flags(struct options *options, int argc, char *const *argv,
                                           struct usher_error *err)
{
    struct flags flags = {0};
    enum usher_status status = USHER_OK;
    make_flags(options, &flags);
    options->given =
        usher_arena_alloc(&options->arena, count_letters(argc, argv) * sizeof *options->given);
    options->arguments = usher_arena_alloc(&options->arena, (size_t)argc * sizeof(char *));
    optind = 0; /* forget the state of an earlier load (GNU) */
    opterr = 0;
    int next = 1;
    while (status == USHER_OK && options->mode == OPTIONS_RUN && next < argc) {
        const char *word = argv[next];
        if (is_cut_short(&flags, word))
            return unknown_flag(&flags, word, err);
        int code = getopt_long(argc, argv, flags.short_flags, flags.long_flags, NULL);
        if (code == -1)
            break;
        next = optind;
        if (lacks_value(code, argv)) {
            usher_error_set(err, USHER_EXIT_USAGE, "%s needs a value", word);
            return USHER_FATAL;
        }
        if (lacks_equals(options, code, argv[next])) {
            usher_error_set(err, USHER_EXIT_USAGE,
                            "%s takes its value by an equals sign: say %s=%s", word, word,
                            argv[next]);
            return USHER_FATAL;
        }
        status = take_code(options, &flags, code, word, err);
    }
    /* Without any argument getopt was never called, and optind is still 0. */
    int rest = optind > 0 ? optind : 1;
    for (int i = rest; status == USHER_OK && options->mode == OPTIONS_RUN && i < argc; i++)
        status = take_argument(options, argv[i], err);
    return status;
}

/* ==== Loading ==== */

static const struct option_spec common_specs[] = {
    {.name = "USHER_CONFIG",
     .value_name = "FILE",
     .help = "file with lines KEY=VALUE; flags and environment win over it"},
    {.name = "USHER_LOG_LEVEL",
     .fallback = "info",
     .choices = LOG_LEVEL_NAMES,
     .help = "level of the log on standard error; debug: also the outcome of each request"},
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

static enum usher_status has_control(const struct reading *reading, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: it has a control character",
                    reading->where);
    return USHER_FATAL;
}

static enum usher_status load_lines(struct options *options, const char *path, FILE *file,
                                    struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    char *line = NULL;
    size_t room = 0;
    struct reading reading = {0};
    ssize_t size;
    while (status == USHER_OK && (size = getline(&line, &room, file)) >= 0) {
        reading.line++;
        reading.where = usher_arena_format(&options->arena, "\"%s\" line %d", path, reading.line);
        status = control_line(line, (size_t)size) == 0 ? load_line(options, line, &reading, err)
                                                       : has_control(&reading, err);
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
    *options = (struct options){.mode = OPTIONS_RUN, .argc = argc, .argv = argv};
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

void options_set_text(struct options *options, const char *name, const char *text)
{
    struct option_value *value = option_find(options, name, strlen(name));
    assert(value && value->source == OPTION_ABSENT);
    value->text = usher_arena_text(&options->arena, text, strlen(text));
    value->source = OPTION_DEFAULT;
}

/* ==== Known keys ==== */

const char *const option_known_keys[] = {
    "USHER_CONFIG",
    "USHER_LOG_LEVEL",
    "USHER_LOG_FORMAT",

    "USHER_KAFKA_BROKERS",
    "USHER_KAFKA_GROUP",
    "USHER_KAFKA_SECURITY",
    "USHER_KAFKA_SASL_MECHANISM",
    "USHER_KAFKA_USERNAME",
    "USHER_KAFKA_PASSWORD",
    "USHER_KAFKA_PASSWORD_FILE",
    "USHER_KAFKA_CA_FILE",
    "USHER_KAFKA_CERTIFICATE_FILE",
    "USHER_KAFKA_KEY_FILE",
    "USHER_KAFKA_KEY_PASSWORD",
    "USHER_KAFKA_KEY_PASSWORD_FILE",
    "USHER_KAFKA_PROPERTIES",
    "USHER_KAFKA_PROPERTIES_FILE",
    "USHER_TOPIC_PREFIX",

    "USHER_POSTGRES",
    "USHER_POSTGRES_FILE",
    "USHER_STATEMENT_TIMEOUT",
    "USHER_REDIS",
    "USHER_REDIS_FILE",
    "USHER_REDIS_CA_FILE",
    "USHER_REDIS_CERTIFICATE_FILE",
    "USHER_REDIS_KEY_FILE",
    "USHER_REDIS_PREFIX",
    "USHER_DASHBOARD_BROWSERS",
    "USHER_DASHBOARD_CUSTOMER_LINK",
    "USHER_DASHBOARD_FRAME_ANCESTORS",
    "USHER_DASHBOARD_HOSTS",
    "USHER_DASHBOARD_LISTEN",
    "USHER_DASHBOARD_MEMORY",
    "USHER_DASHBOARD_PUBLIC",
    "USHER_DASHBOARD_STAFF",
    "USHER_DASHBOARD_TOKEN",
    "USHER_DASHBOARD_TOKEN_FILE",
    "USHER_HTTP_LISTEN",

    "USHER_HOLD_TTL",
    "USHER_HOLD_TTL_MAX",
    "USHER_HOUSE_HOLD_TTL_MAX",
    "USHER_BATCH_LIMIT",
    "USHER_BATCHES_IN_FLIGHT",
    "USHER_BOOKINGS_IN_MEMORY",
    "USHER_RESOURCES_IN_MEMORY",
    "USHER_UNITS_IN_MEMORY",
    "USHER_IDS_IN_MEMORY",
    "USHER_MEMORY_MAX",
    "USHER_DRAIN_TIMEOUT",
    "USHER_KAFKA_SESSION_TIMEOUT",
    "USHER_KAFKA_HEARTBEAT",
    "USHER_WORKER_NAME",
    NULL,
};
