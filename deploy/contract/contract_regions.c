/*
 * Files of which parts are printed. A part begins behind a line with a mark, such as
 * "$comment": "contract: fields item" in JSON, <!-- contract: reasons --> in a page, or a comment
 * of JavaScript. It ends before a line with the mark "contract: end". In JSON it ends with the
 * bracket that closes the printed member, as deep as the mark stands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/contract/contract.h"

struct line {
    const char *at;
    size_t size; /* with its end */
    int indent;
};

/* The next line behind `at`; of size 0: there is none. */
static struct line line_at(const char *at)
{
    const char *end = strchr(at, '\n');
    return (struct line){at, end ? (size_t)(end - at) + 1 : strlen(at), (int)strspn(at, " ")};
}

/* Copies what the mark in the line says into `name`. False: it has none. */
static bool find_mark(const struct line *line, char name[64])
{
    static const char *const marks[] = {
        "\"$comment\": \"contract: ", "<!-- contract: ", "// contract: "};
    const char *at = line->at + line->indent;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t size = strlen(marks[i]);
        if (strncmp(at, marks[i], size) != 0)
            continue;
        int length = (int)strspn(at + size, "abcdefghijklmnopqrstuvwxyz_ ");
        snprintf(name, 64, "%.*s", length - (at[size + (size_t)length - 1] == ' '), at + size);
        return true;
    }
    return false;
}

static bool is_json(const struct line *mark)
{
    return strncmp(mark->at + mark->indent, "\"$comment\"", 10) == 0;
}

/* Whether a printed member of JSON ends with that line. */
static bool closes(const struct line *line, const struct line *mark)
{
    return line->indent == mark->indent && strchr("}]", line->at[line->indent]);
}

static void fail(const char *name, const char *what)
{
    fprintf(stderr, "contract: the part \"%s\" %s\n", name, what);
    abort();
}

static void print_enum(struct usher_buffer *out, const char *name, int indent)
{
    contract_put(out, "%*s\"enum\": [\n%*s", indent, "", indent + 2, "");
    contract_put_words_named(out, name);
    contract_put(out, "\n%*s]", indent, "");
}

static void print_part(struct usher_buffer *out, const char *name, int indent)
{
    static const struct {
        const char *name;
        void (*print)(struct usher_buffer *out);
    } parts[] = {{"reasons", contract_reasons},
                 {"staff states", contract_staff_states},
                 {"staff units", contract_staff_units},
                 {"staff outcomes", contract_staff_outcomes}};
    size_t part = 0;
    while (part < sizeof parts / sizeof parts[0] && strcmp(parts[part].name, name) != 0)
        part++;
    if (part < sizeof parts / sizeof parts[0])
        parts[part].print(out);
    else if (strncmp(name, "fields ", 7) == 0)
        contract_fields(out, name + 7, indent);
    else if (strncmp(name, "table ", 6) == 0)
        contract_table_of_fields(out, name + 6);
    else if (strncmp(name, "words ", 6) == 0)
        print_enum(out, name + 6, indent);
    else if (strcmp(name, "rules") == 0)
        contract_rules(out, indent);
    else
        fail(name, "is unknown");
}

/* Prints the part of that name and returns the first line behind the old one. */
static const char *renew_part(struct usher_buffer *out, const struct line *mark, const char *name)
{
    char other[64];
    print_part(out, name, mark->indent);
    struct line line = line_at(mark->at + mark->size);
    if (!is_json(mark)) {
        while (line.size > 0 && !find_mark(&line, other))
            line = line_at(line.at + line.size);
        if (line.size == 0)
            fail(name, "does not end");
        return line.at;
    }
    while (line.size > 0 && !closes(&line, mark))
        line = line_at(line.at + line.size);
    if (line.size == 0)
        fail(name, "does not end");
    contract_put(out, line.size > 1 && line.at[line.size - 2] == ',' ? ",\n" : "\n");
    return line.at + line.size;
}

void contract_renew(struct usher_buffer *out, const char *text)
{
    char name[64];
    for (struct line line = line_at(text); line.size > 0; line = line_at(text)) {
        usher_buffer_append(out, line.at, line.size);
        text = line.at + line.size;
        if (find_mark(&line, name) && strcmp(name, "end") != 0)
            text = renew_part(out, &line, name);
    }
}
