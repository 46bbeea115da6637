/*
 * Writes a manual page in mdoc(7). Lines are short and a sentence begins one, as `mandoc -Tlint`
 * asks for.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "deploy/manual/manual.h"
#include "producer/base/option_value.h"

enum {
    LINE_SIZE = 78
};

/* ---- text ---- */

/* One word as mdoc takes it for text. */
static size_t print_word(const char *word, size_t size, bool first, FILE *out)
{
    size_t printed = 0;
    if (first && (*word == '.' || *word == '\''))
        printed += (size_t)fprintf(out, "\\&");
    for (size_t i = 0; i < size; i++)
        if (word[i] == '\\')
            printed += (size_t)fprintf(out, "\\e");
        else if (word[i] == '-')
            printed += (size_t)fprintf(out, "\\-");
        else
            printed += fputc(word[i], out) != EOF;
    return printed;
}

static bool ends_sentence(const char *word, size_t size)
{
    if (size > 1 && word[size - 1] == ')')
        size--;
    return size > 1 && strchr(".!?", word[size - 1]);
}

/* Words in lines that are short; a sentence begins a line. Line breaks are blanks. */
static void print_text(const char *text, FILE *out)
{
    size_t column = 0;
    text += strspn(text, " \n");
    while (*text != '\0') {
        size_t size = strcspn(text, " \n");
        if (column > 0 && column + size >= LINE_SIZE) {
            fputc('\n', out);
            column = 0;
        }
        if (column > 0)
            column += fputc(' ', out) != EOF;
        column += print_word(text, size, column == 0, out);
        if (ends_sentence(text, size)) {
            fputc('\n', out);
            column = 0;
        }
        text += size;
        text += strspn(text, " \n");
    }
    if (column > 0)
        fputc('\n', out);
}

/* Arguments of a macro, in quotes: blanks do not part them, and no word is a macro. */
static void print_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        print_word(text, 1, false, out);
    }
    fputc('"', out);
}

/* Paragraphs as they are: an empty line parts them. */
static void print_details(const char *details, FILE *out)
{
    while (*details != '\0') {
        const char *end = strstr(details, "\n\n");
        char paragraph[4096];
        size_t size = end ? (size_t)(end - details) : strlen(details);
        if (size >= sizeof paragraph)
            size = sizeof paragraph - 1;
        memcpy(paragraph, details, size);
        paragraph[size] = '\0';
        fprintf(out, ".Pp\n");
        print_text(paragraph, out);
        details += end ? size + 2 : strlen(details);
    }
}

/* ---- options ---- */

const char *manual_value_name(const struct option_spec *spec)
{
    if (spec->type == OPTION_BOOL)
        return NULL;
    return spec->value_name                                                    ? spec->value_name
           : spec->type == OPTION_INTEGER                                      ? "N"
           : spec->type == OPTION_DURATION || spec->type == OPTION_DURATION_MS ? "TIME"
           : spec->type == OPTION_SIZE                                         ? "SIZE"
           : spec->choices                                                     ? spec->choices
                                                                               : "TEXT";
}

/* Whether a sentence begins, and not a value, as in stalls:price=4500. */
static bool begins_with_word(const char *text)
{
    size_t size = 0;
    while (isalpha((unsigned char)text[size]))
        size++;
    return size > 0 && strchr(" ,:;-", text[size]) && (text[size] != ':' || text[size + 1] == ' ');
}

static void print_option(const struct option_spec *spec, FILE *out)
{
    char flag[OPTION_FLAG_SIZE];
    const char *value = manual_value_name(spec);
    option_flag_name(spec, flag);
    fprintf(out, ".It");
    if (spec->short_flag != 0)
        fprintf(out, " Fl %c ,", spec->short_flag);
    fprintf(out, " Fl Fl %s", flag);
    if (value) {
        fprintf(out, spec->implied ? " Ns Op = Ns Ar " : " Ar ");
        print_quoted(value, out);
    }
    fputc('\n', out);
    char text[1024];
    snprintf(text, sizeof text, "%s.", spec->help);
    if (begins_with_word(text))
        text[0] = (char)toupper((unsigned char)text[0]);
    print_text(text, out);
    if (spec->fallback && *spec->fallback != '\0' && spec->type != OPTION_BOOL) {
        snprintf(text, sizeof text, "Default: %s", spec->fallback);
        print_text(text, out);
    }
    if (option_has_key(spec))
        fprintf(out, "Key:\n.Ev %s%s\n", spec->name,
                option_has_file_variant(spec) ? " ,\nor with\n.Ev _FILE" : "");
}

static void print_group(const struct option_group *group, FILE *out)
{
    fprintf(out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < group->count; i++)
        print_option(&group->specs[i], out);
    fprintf(out, ".El\n");
}

/* In how many commands the group is. */
static size_t count_uses(const struct manual_program *program, const struct option_group *group)
{
    size_t uses = 0;
    for (size_t i = 0; i < program->command_count; i++)
        for (size_t k = 0; k < program->commands[i]->table->group_count; k++)
            uses += program->commands[i]->table->groups[k] == group;
    return uses;
}

/* ---- sections ---- */

/* The groups that it has in common with other commands. */
static void name_shared(const struct manual_program *program, const struct program_command *command,
                        FILE *out)
{
    size_t count = 0;
    for (size_t i = 0; i < command->table->group_count; i++) {
        const struct option_group *group = command->table->groups[i];
        if (count_uses(program, group) > 1)
            fprintf(out, "%s\n.Dq %s", count++ == 0 ? ".Pp\nAlso the options under" : " ,",
                    group->title);
    }
    fprintf(out, count > 0 ? " .\n" : "");
}

static void print_command(const struct manual_program *program,
                          const struct program_command *command, FILE *out)
{
    fprintf(out, ".Ss %s\n.Bd -ragged -compact\n.Nm\n.Cm %s\n", command->name, command->name);
    if (*command->arguments != '\0') {
        fprintf(out, ".Ar ");
        print_quoted(command->arguments, out);
        fputc('\n', out);
    }
    fprintf(out, ".Op Ar OPTIONS\n.Ed\n.Pp\n");
    print_text(command->help, out);
    if (command->details)
        print_details(command->details, out);
    for (size_t i = 0; i < command->table->group_count; i++)
        if (count_uses(program, command->table->groups[i]) == 1)
            print_group(command->table->groups[i], out);
    name_shared(program, command, out);
}

/* Each group that several commands have, once. */
static void print_shared(const struct manual_program *program, FILE *out)
{
    const struct option_group *shown[64];
    size_t count = 0;
    fprintf(out, ".Sh OPTIONS\n");
    for (size_t i = 0; i < program->command_count; i++) {
        for (size_t k = 0; k < program->commands[i]->table->group_count; k++) {
            const struct option_group *group = program->commands[i]->table->groups[k];
            bool again = count_uses(program, group) < 2;
            for (size_t n = 0; n < count && !again; n++)
                again = shown[n] == group;
            if (again || count == sizeof shown / sizeof shown[0])
                continue;
            shown[count++] = group;
            fprintf(out, ".Ss %s\n", group->title);
            print_group(group, out);
        }
    }
}

static void print_head(const struct manual_program *program, const char *date, FILE *out)
{
    fprintf(out, ".Dd %s\n.Dt ", date);
    for (const char *at = program->name; *at != '\0'; at++)
        fputc(toupper((unsigned char)*at), out);
    fprintf(out, " %s\n.Os\n.Sh NAME\n.Nm %s\n.Nd %s\n", program->section, program->name,
            program->purpose);
    fprintf(out,
            ".Sh SYNOPSIS\n.Nm\n.Ar COMMAND\n.Op Ar ARGUMENTS\n.Op Ar OPTIONS\n.Nm\n"
            ".Cm help\n.Op Ar COMMAND%s\n.Nm\n.Cm version\n",
            program->pages ? " | ALERT" : "");
    fprintf(out, ".Sh DESCRIPTION\n");
    print_text(program->description, out);
}

static void print_settings(FILE *out)
{
    fprintf(out, ".Sh ENVIRONMENT\n");
    print_text(
        "An option with a key may be set by a flag, by an environment variable of that name, "
        "or by a line KEY=VALUE of the file that --config or USHER_CONFIG names, in this "
        "order of precedence. A key with _FILE at its end names a file that holds the "
        "value. Unknown keys are errors.",
        out);
    fprintf(out, ".Pp\n.Ev NO_COLOR\n");
    print_text("turns colours off, unless --color=always is given.", out);
}

static void print_exits(const struct manual_program *program, FILE *out)
{
    fprintf(out, ".Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n");
    for (const struct manual_exit *exit = program->exits; exit->meaning; exit++)
        fprintf(out, ".It %d\n%s\n", exit->code, exit->meaning);
    fprintf(out, ".El\n");
}

static void print_examples(const struct manual_program *program, FILE *out)
{
    fprintf(out, ".Sh EXAMPLES\n.Bd -literal\n");
    for (size_t i = 0; i < program->command_count; i++) {
        fprintf(out, "%s ", program->name);
        print_word(program->commands[i]->example, strlen(program->commands[i]->example), false,
                   out);
        fputc('\n', out);
    }
    fprintf(out, ".Ed\n");
}

void manual_page(const struct manual_program *program, const char *date, FILE *out)
{
    print_head(program, date, out);
    fprintf(out, ".Sh COMMANDS\n");
    for (size_t i = 0; i < program->command_count; i++)
        print_command(program, program->commands[i], out);
    print_shared(program, out);
    print_settings(out);
    print_exits(program, out);
    print_examples(program, out);
    fprintf(out, ".Sh SEE ALSO\n.Xr %s ,\n.Xr %s\n", program->others[0], program->others[1]);
}
