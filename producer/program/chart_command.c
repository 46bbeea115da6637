/* The command that checks or draws the rows of a hall in a file. */

#include "producer/program/chart_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/json_member.h"
#include "producer/base/nearest.h"
#include "producer/base/plural.h"
#include "producer/codec/definition_rows.h"
#include "producer/program/chart_remarks.h"
#include "producer/program/definition.h"
#include "producer/terminal/chart_draw.h"
#include "producer/terminal/terminal.h"

static void print_features(const struct usher_section *section)
{
    /* A section has few features, and each row names them again. */
    enum {
        NAMES_MAX = 16
    };
    const char *names[NAMES_MAX];
    int64_t seats[NAMES_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < section->row_count; i++) {
        const struct usher_row *row = &section->rows[i];
        for (uint32_t k = 0; k < row->feature_count; k++) {
            size_t at = 0;
            while (at < count && strcmp(names[at], row->features[k].feature) != 0)
                at++;
            if (at == NAMES_MAX)
                continue;
            if (at == count) {
                names[count] = row->features[k].feature;
                seats[count++] = 0;
            }
            seats[at] += row->features[k].seat_count;
        }
    }
    for (size_t i = 0; i < count; i++)
        printf(", %" PRId64 " %s", seats[i], names[i]);
}

static void print_remark(void *context, const char *text)
{
    fputs("warning: ", context);
    terminal_write(context, text, strlen(text));
    fputc('\n', context);
}

static void print_check(const struct chart_file *chart, struct usher_arena *arena)
{
    int64_t all = 0, rows = 0;
    for (uint32_t i = 0; i < chart->section_count; i++) {
        const struct usher_section *section = &chart->sections[i];
        int64_t seats = definition_rows_seats(section);
        all += seats;
        rows += section->row_count;
        if (section->row_count == 0) {
            printf("%s: no rows\n", section->section);
            continue;
        }
        printf("%s: %u row%s, %" PRId64 " seat%s", section->section, section->row_count,
               PLURAL(section->row_count), seats, PLURAL(seats));
        print_features(section);
        printf("\n");
    }
    printf("%u section%s, %" PRId64 " row%s, %" PRId64 " seat%s\nchart %s\n", chart->section_count,
           PLURAL(chart->section_count), rows, PLURAL(rows), all, PLURAL(all), chart->name);
    chart_remarks(chart, arena, print_remark, stdout);
}

static void append_remark(void *context, const char *text)
{
    struct usher_buffer *json = context;
    bool is_first = json->at[json->size - 1] == '[';
    json_text(json, is_first ? "" : ",", text);
}

static void print_check_json(const struct chart_file *chart, struct usher_arena *arena)
{
    struct usher_buffer json = {0};
    json_text(&json, "{\"chart\":", chart->name);
    usher_buffer_text(&json, ",\"sections\":[");
    for (uint32_t i = 0; i < chart->section_count; i++) {
        const struct usher_section *section = &chart->sections[i];
        json_text(&json, i > 0 ? ",{\"section\":" : "{\"section\":", section->section);
        json_number(&json, ",\"rows\":", section->row_count);
        json_number(&json, ",\"seats\":", definition_rows_seats(section));
        usher_buffer_text(&json, "}");
    }
    usher_buffer_text(&json, "],\"warnings\":[");
    chart_remarks(chart, arena, append_remark, &json);
    usher_buffer_text(&json, "]}");
    printf("%.*s\n", (int)json.size, json.at);
    usher_buffer_deinit(&json);
}

static void draw(const struct options *options, const struct chart_file *chart)
{
    struct terminal terminal = terminal_of(stdout, options);
    struct chart_drawing drawing = {
        .sections = chart->sections,
        .section_count = chart->section_count,
        .width =
            options_has(options, "width") ? (int)options_integer(options, "width") : terminal.width,
        .colour = terminal.colour,
        .out = stdout,
    };
    chart_draw(&drawing);
}

static enum usher_exit unknown_action(const char *action, struct usher_error *err)
{
    struct nearest nearest = {.name = action};
    nearest_offer(&nearest, "check");
    nearest_offer(&nearest, "draw");
    if (nearest.best)
        usher_error_set(err, USHER_EXIT_USAGE, "unknown \"chart %s\"; did you mean \"chart %s\"?",
                        action, nearest.best);
    else
        usher_error_set(err, USHER_EXIT_USAGE, "unknown \"chart %s\"; there are check and draw",
                        action);
    return USHER_EXIT_USAGE;
}

enum usher_exit chart_command(const struct program_command *command, struct options *options,
                              struct usher_error *err)
{
    const char *action = options->arguments[0];
    struct chart_file chart;
    bool check = strcmp(action, "check") == 0;
    (void)command;
    if (!check && strcmp(action, "draw") != 0)
        return unknown_action(action, err);
    if (chart_file_read(options->arguments[1], &options->arena, &chart, err) != USHER_OK)
        return err->exit_code;
    if (check && options_bool(options, "json"))
        print_check_json(&chart, &options->arena);
    else if (check)
        print_check(&chart, &options->arena);
    else
        draw(options, &chart);
    return USHER_EXIT_DONE;
}
