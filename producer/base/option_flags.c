/* Loads options from flags, by getopt_long, in the order given. */
#include "producer/base/option_flags.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "producer/base/option_take.h"
#include "producer/base/option_value.h"

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

enum usher_status option_load_flags(struct options *options, int argc, char *const *argv,
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
