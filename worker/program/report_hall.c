/* The hall of a resource, as the view has it, and its seats by the names that are printed. */
#include "worker/program/report_hall.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum usher_status report_hall_read(struct report *report, const char *resource,
                                   struct report_hall *hall, struct usher_error *err)
{
    static const char *const layout[] = {"layout"};
    const struct pg_view_question question = {
        .view = PG_VIEW_HALL, .filters = {resource}, .columns = layout, .column_count = 1};
    struct pg_view_rows rows;
    *hall = (struct report_hall){.sections = NULL};
    enum usher_status status = pg_views_ask(report->views, &question, &report->arena, &rows, err);
    if (status != USHER_OK || rows.count == 0)
        return status;
    return usher_chart_decode(rows.values[0], rows.sizes[0], &report->arena, &hall->sections,
                              &hall->section_count, err);
}

static bool is_called(const struct usher_row *row, uint32_t at, const char *seat)
{
    char name[2 * USHER_NAME_MAX];
    if (row->names)
        return strcmp(row->names[at], seat) == 0;
    snprintf(name, sizeof name, "%s-%" PRIu32, row->row, row->first + at);
    return strcmp(name, seat) == 0;
}

bool report_hall_find(const struct report_hall *hall, const char *seat, const char **section,
                      uint32_t *unit)
{
    for (uint32_t i = 0; i < hall->section_count; i++) {
        *section = hall->sections[i].section;
        *unit = 0;
        for (uint32_t k = 0; k < hall->sections[i].row_count; k++) {
            const struct usher_row *row = &hall->sections[i].rows[k];
            for (uint32_t at = 0; at < row->seats; at++, (*unit)++)
                if (is_called(row, at, seat))
                    return true;
        }
    }
    return false;
}
