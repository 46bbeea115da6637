/* Reads a hall from a file: a pretix seating plan, or sections with rows. */
#include "producer/program/chart_file.h"

#include <stdlib.h>
#include <string.h>

#include "producer/codec/message_canonical.h"
#include "producer/codec/message_parse.h"
#include "producer/program/json_file.h"

static enum usher_status fail(const char *path, const char *reason, struct usher_error *err)
{
    json_file_bad(path, reason, err);
    return USHER_FATAL;
}

const struct usher_section *chart_file_section(const struct chart_file *chart, const char *name)
{
    for (uint32_t i = 0; i < chart->section_count; i++)
        if (strcmp(chart->sections[i].section, name) == 0)
            return &chart->sections[i];
    return NULL;
}

int64_t chart_section_seats(const struct usher_section *section)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        seats += section->rows[i].seats;
    return seats;
}

static enum usher_status read_plan(yyjson_val *root, struct usher_arena *arena,
                                   struct chart_file *chart, struct usher_error *err)
{
    struct usher_error reason = {.text = ""};
    chart->plan = message_canonical(arena, root, MESSAGE_DIGITS_DRAWN, &chart->plan_size);
    if (usher_plan_decode(chart->plan, chart->plan_size, arena, &chart->sections,
                          &chart->section_count, &reason) == USHER_OK)
        return USHER_OK;
    return fail(chart->path, reason.text, err);
}

/* ---- the short form ---- */

/* A seat, and where it is. */
struct named_seat {
    const char *name, *section, *row;
};

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct named_seat *)left)->name,
                  ((const struct named_seat *)right)->name);
}

/* Fills in the names of all seats; returns their count. */
static size_t list_names(const struct chart_file *chart, struct usher_arena *arena,
                         struct named_seat *seats)
{
    size_t count = 0;
    for (uint32_t i = 0; i < chart->section_count; i++) {
        for (uint32_t k = 0; k < chart->sections[i].row_count; k++) {
            const struct usher_row *row = &chart->sections[i].rows[k];
            for (uint32_t seat = 0; seat < row->seats; seat++)
                seats[count++] = (struct named_seat){
                    .name = row->names
                                ? row->names[seat]
                                : usher_arena_format(arena, "%s-%u", row->row, row->first + seat),
                    .section = chart->sections[i].section,
                    .row = row->row};
        }
    }
    return count;
}

/* Requests name seats without their section, so a name is one seat of the resource. */
static enum usher_status check_names(const struct chart_file *chart, struct usher_arena *arena,
                                     struct usher_error *err)
{
    int64_t most = 1;
    for (uint32_t i = 0; i < chart->section_count; i++)
        most += chart_section_seats(&chart->sections[i]);
    struct named_seat *seats = usher_arena_alloc(arena, (size_t)most * sizeof *seats);
    size_t count = list_names(chart, arena, seats);
    if (count > 0)
        qsort(seats, count, sizeof *seats, compare_names);
    for (size_t i = 1; i < count; i++) {
        const struct named_seat *seat = &seats[i], *other = &seats[i - 1];
        if (strcmp(seat->name, other->name) != 0)
            continue;
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "could not read \"%s\": section \"%s\", row \"%s\", seat \"%s\": also in "
                        "section \"%s\", row \"%s\"",
                        chart->path, seat->section, seat->row, seat->name, other->section,
                        other->row);
        return USHER_FATAL;
    }
    return USHER_OK;
}

/* By the library's rules for a define, so that what is read here is what a worker would read. */
static enum usher_status read_sections(yyjson_val *root, struct usher_arena *arena,
                                       struct chart_file *chart, struct usher_error *err)
{
    struct usher_error reason = {.text = ""};
    struct usher_request request;
    const char *text = usher_arena_format(
        arena,
        "{\"request_id\":\"chart\",\"op\":\"define\",\"resource\":\"chart\",\"sections\":%s}",
        message_canonical(arena, yyjson_obj_get(root, "sections"), MESSAGE_DIGITS_DRAWN,
                          &(size_t){0}));
    if (usher_request_decode(text, strlen(text), arena, &request, &reason) != USHER_OK)
        return fail(chart->path, reason.text, err);
    if (request.definition->fault)
        return fail(chart->path, request.definition->fault, err);
    chart->sections = request.definition->sections;
    chart->section_count = request.definition->section_count;
    return check_names(chart, arena, err);
}

static enum usher_status read_tree(yyjson_val *root, struct usher_arena *arena,
                                   struct chart_file *chart, struct usher_error *err)
{
    if (yyjson_obj_get(root, "zones"))
        return read_plan(root, arena, chart, err);
    if (yyjson_is_arr(yyjson_obj_get(root, "sections")))
        return read_sections(root, arena, chart, err);
    return fail(chart->path, "it has neither zones, as a seating plan, nor sections", err);
}

enum usher_status chart_file_read(const char *path, struct usher_arena *arena,
                                  struct chart_file *chart, struct usher_error *err)
{
    struct message_tree tree;
    struct usher_buffer layout = {0};
    *chart = (struct chart_file){.path = path};
    enum usher_status status = json_file_read(path, arena, &tree, err);
    if (status == USHER_OK)
        status = read_tree(tree.root, arena, chart, err);
    message_tree_close(&tree);
    if (status == USHER_OK) {
        usher_chart_encode(chart->sections, chart->section_count, &layout);
        usher_chart_name(layout.at, layout.size, chart->name);
        usher_buffer_deinit(&layout);
    }
    return status;
}
