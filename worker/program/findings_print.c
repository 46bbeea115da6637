/* Prints what checks find: see findings_print.h. */
#include "worker/program/findings_print.h"

#include <string.h>

#include "producer/base/json_member.h"
#include "usher/memory.h"

static const struct {
    const char *word, *name; /* for people; in JSON */
    enum terminal_colour colour;
} levels[] = {
    [FINDING_GOOD] = {"ok", "ok", TERMINAL_GOOD},
    [FINDING_NOTE] = {"note", "note", TERMINAL_WARNING},
    [FINDING_WARNING] = {"warning", "warning", TERMINAL_WARNING},
    [FINDING_WRONG] = {"FAIL", "fail", TERMINAL_BAD},
};

static void print_json(const struct findings_printer *printer, enum finding_level level,
                       const char *text)
{
    struct usher_buffer json = {0};
    json_text(&json, "{\"result\":", levels[level].name);
    json_text(&json, ",\"text\":", text);
    usher_buffer_text(&json, "}\n");
    fwrite(json.at, 1, json.size, printer->terminal.out);
    usher_buffer_deinit(&json);
}

static void print(void *context, enum finding_level level, const char *text)
{
    const struct findings_printer *printer = context;
    if (printer->json) {
        print_json(printer, level, text);
        return;
    }
    terminal_print(&printer->terminal, levels[level].colour, "%s ", levels[level].word);
    terminal_write(printer->terminal.out, text, strlen(text));
    fputc('\n', printer->terminal.out);
}

struct findings_printer findings_printer_of(const struct options *options)
{
    return (struct findings_printer){
        .terminal = terminal_of(stdout, options),
        .json = options_bool(options, "json"),
    };
}

struct findings findings_to(struct findings_printer *printer)
{
    return (struct findings){.context = printer, .tell = print};
}
