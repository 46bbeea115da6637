/* Writes completions: commands, the flags of each, and values where they are few or files. */
#include <stdbool.h>
#include <string.h>

#include "deploy/manual/manual.h"
#include "producer/base/option_value.h"

static bool is_file(const struct option_spec *spec)
{
    return spec->value_name && strcmp(spec->value_name, "FILE") == 0;
}

/* Something of each option of a command. */
static void each_option(const struct manual_command *command,
                        void (*print)(const struct option_spec *spec, const char *flag,
                                      const void *context, FILE *out),
                        const void *context, FILE *out)
{
    for (size_t g = 0; g < command->table->group_count; g++) {
        const struct option_group *group = command->table->groups[g];
        for (size_t i = 0; i < group->count; i++) {
            char flag[OPTION_FLAG_SIZE];
            option_flag_name(&group->specs[i], flag);
            print(&group->specs[i], flag, context, out);
        }
    }
}

/* Text with a character instead of another, and a backslash before some. */
static void print_escaped(const char *text, const char *escaped, char from, char to, FILE *out)
{
    for (; *text != '\0'; text++) {
        char c = *text == from ? to : *text;
        if (strchr(escaped, c))
            fputc('\\', out);
        fputc(c, out);
    }
}

/* In single quotes nothing means anything but they themselves. */
static void print_in_quotes(const char *text, const char *escaped, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr(escaped, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* ---- bash ---- */

static void bash_flag(const struct option_spec *spec, const char *flag, const void *context,
                      FILE *out)
{
    (void)spec;
    (void)context;
    fprintf(out, " --%s", flag);
}

/* What may stand behind a flag. */
static void bash_value(const struct option_spec *spec, const char *flag, const void *context,
                       FILE *out)
{
    const struct manual_command *command = context;
    if (spec->type == OPTION_BOOL || spec->implied)
        return;
    fprintf(out, "        %s/--%s) ", command->name, flag);
    if (spec->choices) {
        fprintf(out, "mapfile -t COMPREPLY < <(compgen -W '");
        print_escaped(spec->choices, "", '|', ' ', out);
        fprintf(out, "' -- \"$word\") ;;\n");
    } else if (is_file(spec)) {
        fprintf(out, "mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n");
    } else {
        fprintf(out, "COMPREPLY=() ;;\n");
    }
}

void manual_bash(const struct manual_program *program, FILE *out)
{
    fprintf(out, "# Completion of %s for bash.\n_usher_%s() {\n", program->name,
            program->name + strlen("usher-"));
    fprintf(out, "    local word=$2 before=$3 command=${COMP_WORDS[1]} flags=\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ] || [ \"$command\" = help ]; then\n"
                 "        mapfile -t COMPREPLY < <(compgen -W 'help version");
    for (size_t i = 0; i < program->command_count; i++)
        fprintf(out, " %s", program->commands[i].name);
    fprintf(out, "' -- \"$word\")\n        return\n    fi\n    case $command in\n");
    for (size_t i = 0; i < program->command_count; i++) {
        fprintf(out, "        %s) flags='", program->commands[i].name);
        each_option(&program->commands[i], bash_flag, NULL, out);
        fprintf(out, "' ;;\n");
    }
    fprintf(out, "    esac\n    case $command/$before in\n");
    for (size_t i = 0; i < program->command_count; i++)
        each_option(&program->commands[i], bash_value, &program->commands[i], out);
    fprintf(out, "        *)\n            if [ \"${word#-}\" != \"$word\" ]; then\n"
                 "                mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
                 "            else\n"
                 "                mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                 "            fi ;;\n    esac\n}\n");
    fprintf(out, "complete -o filenames -F _usher_%s %s\n", program->name + strlen("usher-"),
            program->name);
}

/* ---- zsh ---- */

static void zsh_option(const struct option_spec *spec, const char *flag, const void *context,
                       FILE *out)
{
    const char *value = manual_value_name(spec);
    (void)context;
    fprintf(out, "                '%s--%s%s[", spec->type == OPTION_LIST ? "*" : "", flag,
            !value          ? ""
            : spec->implied ? "=-"
                            : "=");
    print_in_quotes(spec->help, "[]:", out);
    fputc(']', out);
    if (value) {
        fprintf(out, "%s:", spec->implied ? ":" : "");
        print_in_quotes(spec->choices ? flag : value, "[]:", out);
        fputc(':', out);
        if (spec->choices) {
            fputc('(', out);
            print_escaped(spec->choices, "", '|', ' ', out);
            fputc(')', out);
        } else if (is_file(spec)) {
            fprintf(out, "_files");
        }
    }
    fprintf(out, "' \\\n");
}

void manual_zsh(const struct manual_program *program, FILE *out)
{
    fprintf(out, "#compdef %s\n# Completion of %s for zsh.\n", program->name, program->name);
    fprintf(out, "local -a commands=(\n    'help:Prints a command'\\''s options.'\n"
                 "    'version:Prints the version.'\n");
    for (size_t i = 0; i < program->command_count; i++) {
        fprintf(out, "    '%s:", program->commands[i].name);
        print_in_quotes(program->commands[i].help, "", out);
        fprintf(out, "'\n");
    }
    fprintf(out, ")\n_arguments -C '1: :->command' '*:: :->rest'\ncase $state in\n"
                 "    command) _describe command commands ;;\n    rest)\n"
                 "        case $words[1] in\n            help) _describe command commands ;;\n");
    for (size_t i = 0; i < program->command_count; i++) {
        fprintf(out, "            %s) _arguments \\\n", program->commands[i].name);
        each_option(&program->commands[i], zsh_option, NULL, out);
        fprintf(out, "                '*: :_files' ;;\n");
    }
    fprintf(out, "        esac ;;\nesac\n");
}

/* ---- fish ---- */

struct fish_context {
    const char *program, *command;
};

static void fish_option(const struct option_spec *spec, const char *flag, const void *context,
                        FILE *out)
{
    const struct fish_context *of = context;
    fprintf(out, "complete -c %s -n '__fish_seen_subcommand_from %s' -l %s", of->program,
            of->command, flag);
    if (spec->short_flag != 0)
        fprintf(out, " -s %c", spec->short_flag);
    if (spec->choices) {
        fprintf(out, " -x -a '");
        print_escaped(spec->choices, "", '|', ' ', out);
        fputc('\'', out);
    } else if (is_file(spec)) {
        fprintf(out, " -r -F");
    } else if (spec->type != OPTION_BOOL && !spec->implied) {
        fprintf(out, " -x");
    }
    fprintf(out, " -d '");
    print_escaped(spec->help, "'\\", '\0', '\0', out);
    fprintf(out, "'\n");
}

void manual_fish(const struct manual_program *program, FILE *out)
{
    fprintf(out, "# Completion of %s for fish.\n", program->name);
    fprintf(out, "complete -c %s -f -n __fish_use_subcommand -a 'help version'\n", program->name);
    for (size_t i = 0; i < program->command_count; i++) {
        const struct manual_command *command = &program->commands[i];
        struct fish_context of = {.program = program->name, .command = command->name};
        fprintf(out, "complete -c %s -f -n __fish_use_subcommand -a %s -d '", program->name,
                command->name);
        print_escaped(command->help, "'\\", '\0', '\0', out);
        fprintf(out, "'\n");
        each_option(command, fish_option, &of, out);
    }
}
