/*
 * Writes completions: commands, the actions and flags of each, values where they are few, and files
 * where they are meant.
 */
#include <stdbool.h>
#include <string.h>

#include "deploy/manual/manual.h"
#include "producer/base/option_value.h"

static bool is_file(const struct option_spec *spec)
{
    return spec->value_name && strcmp(spec->value_name, "FILE") == 0;
}

/* ---- arguments: as in the line of usage, "list|show|resend [ID...]", "check|draw FILE" ---- */

/* The size of the first argument where it is one of several words; 0: it is not. */
static size_t actions_size(const struct program_command *command)
{
    size_t size = strcspn(command->arguments, " ");
    return memchr(command->arguments, '|', size) ? size : 0;
}

/* These words, with a blank between two. */
static void print_actions(const struct program_command *command, FILE *out)
{
    size_t size = actions_size(command);
    for (size_t i = 0; i < size; i++)
        fputc(command->arguments[i] == '|' ? ' ' : command->arguments[i], out);
}

static bool takes_files(const struct program_command *command)
{
    return strstr(command->arguments, "FILE");
}

/* A blank and the name of each page of help. */
static void print_pages(const struct manual_program *program, FILE *out)
{
    size_t size = 0;
    for (const char *page = program_page(program->pages, &size); page;
         page = program_page(page, &size))
        fprintf(out, " %.*s", (int)size, page);
}

/* Something of each option of a command. */
static void each_option(const struct program_command *command,
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
    const struct program_command *command = context;
    if (spec->type == OPTION_BOOL || spec->implied)
        return;
    fprintf(out, "        %s/--%s) ", command->name, flag);
    if (spec->choices) {
        fprintf(out, "mapfile -t COMPREPLY < <(compgen -W '");
        print_escaped(spec->choices, "", '|', ' ', out);
        fprintf(out, "' -- \"$word\") ;;\n");
    } else if (is_file(spec)) {
        fprintf(out, "_usher_files \"$word\" ;;\n");
    } else {
        fprintf(out, "COMPREPLY=() ;;\n");
    }
}

/* What a command has: flags, and what may be an argument of it. */
static void bash_command(const struct program_command *command, FILE *out)
{
    fprintf(out, "        %s)\n            flags='", command->name);
    each_option(command, bash_flag, NULL, out);
    fprintf(out, "'\n");
    if (actions_size(command) > 0) {
        fprintf(out, "            actions='");
        print_actions(command, out);
        fprintf(out, "'\n");
    }
    fprintf(out, "%s            ;;\n", takes_files(command) ? "            files=yes\n" : "");
}

/* Actions are offered until one of them stands there. */
static const char bash_argument[] =
    "        *)\n"
    "            if [ \"${word#-}\" != \"$word\" ]; then\n"
    "                mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
    "            elif [ -n \"$actions\" ] &&\n"
    "                ! [[ \" ${COMP_WORDS[*]:2:COMP_CWORD-2} \" =~ \" \"(${actions// /|})\" \" ]]; "
    "then\n"
    "                mapfile -t COMPREPLY < <(compgen -W \"$actions\" -- \"$word\")\n"
    "            elif [ -n \"$files\" ]; then\n"
    "                _usher_files \"$word\"\n"
    "            else\n"
    "                COMPREPLY=()\n"
    "            fi ;;\n"
    "    esac\n"
    "}\n";

void manual_bash(const struct manual_program *program, FILE *out)
{
    const char *name = program->name + strlen("usher-");
    fprintf(out,
            "# Completion of %s for bash.\n"
            "_usher_files() {\n"
            "    compopt -o filenames\n"
            "    mapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
            "}\n"
            "_usher_%s() {\n",
            program->name, name);
    fprintf(out,
            "    local word=$2 before=$3 command=${COMP_WORDS[1]} flags='' actions='' files=''\n"
            "    local topics='help version");
    for (size_t i = 0; i < program->command_count; i++)
        fprintf(out, " %s", program->commands[i]->name);
    fprintf(out, "'\n    [ \"$COMP_CWORD\" -eq 1 ] || topics+='");
    print_pages(program, out);
    fprintf(out, "'\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ] || [ \"$COMP_CWORD/$command\" = 2/help ]; then\n"
                 "        mapfile -t COMPREPLY < <(compgen -W \"$topics\" -- \"$word\")\n"
                 "        return\n    fi\n    case $command in\n");
    for (size_t i = 0; i < program->command_count; i++)
        bash_command(program->commands[i], out);
    fprintf(out, "    esac\n    case $command/$before in\n");
    for (size_t i = 0; i < program->command_count; i++)
        each_option(program->commands[i], bash_value, program->commands[i], out);
    fprintf(out, "%scomplete -F _usher_%s %s\n", bash_argument, name, program->name);
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

/* What may stand there that is no option; where it is of the user's own, nothing is offered. */
static void zsh_arguments(const struct program_command *command, FILE *out)
{
    const char *rest = command->arguments + actions_size(command);
    if (actions_size(command) > 0) {
        fprintf(out, "                '1:action:(");
        print_actions(command, out);
        fprintf(out, ")' \\\n");
    }
    if (takes_files(command))
        fprintf(out, "                '*:file:_files' \\\n");
    else if (*rest != '\0')
        fprintf(out, "                '*:%s: ' \\\n", rest + strspn(rest, " "));
}

void manual_zsh(const struct manual_program *program, FILE *out)
{
    fprintf(out, "#compdef %s\n# Completion of %s for zsh.\n", program->name, program->name);
    fprintf(out, "local -a commands=(\n    'help:Prints a command'\\''s options.'\n"
                 "    'version:Prints the version.'\n");
    for (size_t i = 0; i < program->command_count; i++) {
        fprintf(out, "    '%s:", program->commands[i]->name);
        print_in_quotes(program->commands[i]->help, "", out);
        fprintf(out, "'\n");
    }
    fprintf(out, ")\nlocal -a pages=(");
    print_pages(program, out);
    fprintf(out, " )\n_arguments -C '1: :->command' '*:: :->rest'\ncase $state in\n"
                 "    command) _describe command commands ;;\n    rest)\n"
                 "        case $words[1] in\n"
                 "            help) _describe command commands; compadd -a pages ;;\n");
    for (size_t i = 0; i < program->command_count; i++) {
        fprintf(out, "            %s) _arguments \\\n", program->commands[i]->name);
        each_option(program->commands[i], zsh_option, NULL, out);
        zsh_arguments(program->commands[i], out);
        fprintf(out, "                ;;\n");
    }
    fprintf(out, "        esac ;;\nesac\n");
}

/* ---- fish ---- */

struct fish_context {
    const char *program, *command;
};

/* "worker" of "usher-worker": its function says whether the command is one of these. */
static const char *fish_name(const char *program)
{
    return program + strlen("usher-");
}

static void fish_option(const struct option_spec *spec, const char *flag, const void *context,
                        FILE *out)
{
    const struct fish_context *of = context;
    fprintf(out, "complete -c %s -n '__usher_%s_is %s' -l %s", of->program, fish_name(of->program),
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

/* fish offers files wherever nothing says -f. */
static void fish_arguments(const struct manual_program *program,
                           const struct program_command *command, FILE *out)
{
    const char *name = fish_name(program->name);
    if (actions_size(command) > 0) {
        fprintf(out, "complete -c %s -f -n '__usher_%s_is %s; and not __fish_seen_subcommand_from ",
                program->name, name, command->name);
        print_actions(command, out);
        fprintf(out, "' -a '");
        print_actions(command, out);
        fprintf(out, "'\n");
    }
    if (!takes_files(command))
        fprintf(out, "complete -c %s -f -n '__usher_%s_is %s'\n", program->name, name,
                command->name);
}

/* The name of a command, as the first word and behind `help`. */
static void fish_command(const struct manual_program *program,
                         const struct program_command *command, FILE *out)
{
    fprintf(out, "complete -c %s -f -n '__fish_use_subcommand; or __usher_%s_is help' -a %s -d '",
            program->name, fish_name(program->name), command->name);
    print_escaped(command->help, "'\\", '\0', '\0', out);
    fprintf(out, "'\n");
}

void manual_fish(const struct manual_program *program, FILE *out)
{
    fprintf(out,
            "# Completion of %s for fish.\n"
            "function __usher_%s_is\n"
            "    set -l words (commandline -opc)\n"
            "    test (count $words) -gt 1; and contains -- $words[2] $argv\n"
            "end\n"
            "complete -c %s -f -n __fish_use_subcommand -a 'help version'\n"
            "complete -c %s -f -n '__usher_%s_is help version'\n",
            program->name, fish_name(program->name), program->name, program->name,
            fish_name(program->name));
    fprintf(out, "complete -c %s -f -n '__usher_%s_is help' -a '", program->name,
            fish_name(program->name));
    print_pages(program, out);
    fprintf(out, "'\n");
    for (size_t i = 0; i < program->command_count; i++) {
        const struct program_command *command = program->commands[i];
        struct fish_context of = {.program = program->name, .command = command->name};
        fish_command(program, command, out);
        fish_arguments(program, command, out);
        each_option(command, fish_option, &of, out);
    }
}
