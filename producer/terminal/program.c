/* Finds the command, loads its options, runs it; prints the help and the version. */
#include "producer/terminal/program.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "producer/terminal/terminal.h"

enum {
    GROUPS_MAX = 16 /* of a command, with those of others */
};

/* ---- help ---- */

static int print_help(const struct program *program, FILE *out, int exit_code)
{
    fputs(program->head, out);
    for (size_t i = 0; i < program->command_count; i++) {
        const struct program_command *command = program->commands[i];
        if (program->shows_arguments)
            fprintf(out, "  %-12s %-18s %s\n", command->name, command->arguments, command->help);
        else
            fprintf(out, "  %-15s %s\n", command->name, command->help);
    }
    fputs(program->foot, out);
    return exit_code;
}

static int print_version(const struct program *program)
{
    printf("%s %s, time zones %s\n", program->name, program->version, program->timezones);
    return USHER_EXIT_DONE;
}

/* "show RESOURCE [OPTIONS]" */
static const char *usage_of(const struct program *program, const struct program_command *command,
                            struct usher_arena *arena)
{
    return usher_arena_format(arena, "%s %s%s%s %s", program->name, command->name,
                              *command->arguments != '\0' ? " " : "", command->arguments,
                              program->options);
}

static int print_command_help(const struct program *program, const struct program_command *command)
{
    struct usher_arena arena = {0};
    printf("usage: %s\n\n%s\n", usage_of(program, command, &arena), command->help);
    if (command->details)
        printf("\n%s", command->details);
    printf("\nexample: %s %s\n", program->name, command->example);
    options_print_help(command->table, stdout);
    usher_arena_deinit(&arena);
    return USHER_EXIT_DONE;
}

/* ---- pages ---- */

const char *program_page(const char *pages, size_t *size)
{
    static const char heading[] = "\n### ";
    const char *at = pages ? strstr(pages, heading) : NULL;
    if (!at)
        return NULL;
    at += strlen(heading);
    *size = strcspn(at, "\n");
    return at;
}

static const char *find_page(const struct program *program, const char *name)
{
    size_t size = 0;
    const char *at = program_page(program->pages, &size);
    while (at && (strlen(name) != size || strncmp(at, name, size) != 0))
        at = program_page(at, &size);
    return at;
}

/* Up to the next heading. */
static int print_page(const char *page)
{
    const char *end = strstr(page, "\n##");
    printf("%.*s", (int)(end ? (size_t)(end - page) : strlen(page)), page);
    return USHER_EXIT_DONE;
}

/* ---- one command ---- */

static bool has_group(const struct option_table *table, const struct option_group *group)
{
    for (size_t i = 0; i < table->group_count; i++)
        if (table->groups[i] == group)
            return true;
    return false;
}

enum usher_status program_load(struct options *options, const struct program_command *command,
                               int argc, char *const *argv, struct usher_error *err)
{
    const struct option_group *groups[GROUPS_MAX];
    struct option_table all = {.groups = groups};
    for (size_t i = 0; i < command->table->group_count; i++)
        groups[all.group_count++] = command->table->groups[i];
    for (size_t i = 0; command->others && i < command->others->group_count; i++)
        if (!has_group(command->table, command->others->groups[i]))
            groups[all.group_count++] = command->others->groups[i];
    assert(all.group_count <= GROUPS_MAX);
    enum usher_status status = options_load(options, &all, argc, argv, err);
    if (status == USHER_OK && options->mode == OPTIONS_RUN)
        options_apply_log(options);
    return status;
}

/* By the words of the line of usage. */
static enum usher_status check_arguments(const struct program *program,
                                         const struct program_command *command,
                                         struct options *options, struct usher_error *err)
{
    const char *optional = strchr(command->arguments, '[');
    size_t most = *command->arguments != '\0';
    for (const char *space = strchr(command->arguments, ' '); space; space = strchr(space + 1, ' '))
        most++;
    size_t least = optional ? most - 1 : most;
    if (options->argument_count < least)
        usher_error_set(err, USHER_EXIT_USAGE, "usage: %s",
                        usage_of(program, command, &options->arena));
    else if (options->argument_count > most && !(optional && strstr(optional, "...")))
        usher_error_set(err, USHER_EXIT_USAGE, "unexpected argument \"%s\"",
                        options->arguments[most]);
    else
        return USHER_OK;
    return USHER_FATAL;
}

static int run_command(const struct program *program, const struct program_command *command,
                       int argc, char **argv)
{
    struct options options;
    struct usher_error err = {.text = ""};
    int exit_code = USHER_EXIT_DONE;
    enum usher_status status = program_load(&options, command, argc, argv, &err);
    options.version = program->version;
    if (status == USHER_OK && options.mode == OPTIONS_RUN)
        status = check_arguments(program, command, &options, &err);
    if (status != USHER_OK)
        exit_code = (int)err.exit_code;
    else if (options.mode == OPTIONS_HELP)
        exit_code = print_command_help(program, command);
    else if (options.mode == OPTIONS_VERSION)
        exit_code = print_version(program);
    else
        exit_code = (int)command->run(command, &options, &err);
    if (exit_code != USHER_EXIT_DONE && err.text[0] != '\0')
        terminal_end_program(program->name, err.text);
    options_deinit(&options);
    return exit_code;
}

/* ---- all commands ---- */

static const struct program_command *find_command(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->command_count; i++)
        if (strcmp(program->commands[i]->name, name) == 0)
            return program->commands[i];
    return NULL;
}

/* The command of another program; NULL: there is none of this name. */
static const char *find_other(const struct program *program, const char *name)
{
    const struct program_other *at = program->others;
    while (at && at->name && strcmp(at->name, name) != 0)
        at++;
    return at ? at->meant : NULL;
}

/* There is `help` on pages, too. */
static int report_unknown(const struct program *program, const char *name, bool help)
{
    struct nearest nearest = {.name = name};
    struct usher_arena arena = {0};
    size_t size = 0;
    const char *page = help ? program_page(program->pages, &size) : NULL;
    const char *other = find_other(program, name);
    for (; page; page = program_page(page, &size))
        nearest_offer(&nearest, usher_arena_text(&arena, page, size));
    for (size_t i = 0; i < program->command_count; i++)
        nearest_offer(&nearest, program->commands[i]->name);
    nearest_offer(&nearest, "version");
    nearest_offer(&nearest, "help");
    fprintf(stderr, "%s: %s \"%s\"; ", program->name, help ? "no help on" : "unknown command",
            name);
    if (other)
        fprintf(stderr, "did you mean %s?\n", other);
    else if (nearest.best)
        fprintf(stderr, "did you mean \"%s\"?\n", nearest.best);
    else
        fprintf(stderr, "see %s help\n", program->name);
    usher_arena_deinit(&arena);
    return USHER_EXIT_USAGE;
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool is_version(const char *word)
{
    return strcmp(word, "version") == 0 || strcmp(word, "--version") == 0 ||
           strcmp(word, "-V") == 0;
}

static int help(const struct program *program, const char *name)
{
    if (!name || is_help(name) || is_version(name))
        return print_help(program, stdout, USHER_EXIT_DONE);
    const struct program_command *command = find_command(program, name);
    const char *page = find_page(program, name);
    return command ? print_command_help(program, command)
           : page  ? print_page(page)
                   : report_unknown(program, name, true);
}

static int dispatch(const struct program *program, int argc, char **argv)
{
    if (argc < 2)
        return print_help(program, stderr, USHER_EXIT_USAGE);
    if (is_help(argv[1]))
        return help(program, argc > 2 ? argv[2] : NULL);
    if (is_version(argv[1]))
        return print_version(program);
    const struct program_command *command = find_command(program, argv[1]);
    return command ? run_command(program, command, argc - 1, argv + 1)
                   : report_unknown(program, argv[1], false);
}

void program_print_config(const struct options *options)
{
    if (options_bool(options, "json"))
        options_print_config_json(options, stdout);
    else
        options_print_config(options, stdout);
}

int program_run(const struct program *program, int argc, char **argv)
{
    int exit_code = dispatch(program, argc, argv);
    /* Data that could not be written is lost, whatever the command thought. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && exit_code == USHER_EXIT_DONE) {
        fprintf(stderr, "%s: could not write the output\n", program->name);
        exit_code = USHER_EXIT_OUTPUT;
    }
    return exit_code;
}
