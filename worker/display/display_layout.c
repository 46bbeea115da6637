/*
 * Writes the layout of a resource's seats for dashboards: what its chart says of them, in the order
 * of the chart. Resources with one chart have one layout, so what a resource sells its seats for is
 * not in it. PURE.
 */
#include "worker/display/display_layout.h"

#include <assert.h>
#include <string.h>

#include "producer/base/json_member.h"

enum {
    NUMBER_SIZE = 10 /* of a seat's number at most */
};

static char *write_number(char *to, uint32_t number)
{
    char digits[NUMBER_SIZE];
    uint32_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

/* By hand, since labels are nearly all of a layout: "A-1","A-2", … */
static void append_numbered(struct usher_buffer *out, const struct usher_row *row)
{
    size_t size = strlen(row->row);
    char *start = usher_buffer_reserve(out, row->seats * (size + NUMBER_SIZE + 4));
    char *to = start;
    for (uint32_t i = 0; i < row->seats; i++) {
        *to++ = ',';
        *to++ = '"';
        memcpy(to, row->row, size);
        to += size;
        *to++ = '-';
        to = write_number(to, row->first + i);
        *to++ = '"';
    }
    start[0] = '[';
    out->size += (size_t)(to - start);
    usher_buffer_text(out, "]");
}

static void append_names(struct usher_buffer *out, const struct usher_row *row)
{
    for (uint32_t i = 0; i < row->seats; i++)
        json_text(out, i == 0 ? "[" : ",", row->names[i]);
    usher_buffer_text(out, "]");
}

static void append_places(struct usher_buffer *out, const char *name, const int32_t *places,
                          uint32_t count)
{
    if (!places)
        return;
    usher_buffer_text(out, name);
    for (uint32_t i = 0; i < count; i++)
        json_number(out, i == 0 ? "[" : ",", places[i]);
    usher_buffer_text(out, "]");
}

/* Seats by their place in the row, counted from 1, as a define has them. */
static void append_feature(struct usher_buffer *out, const struct usher_row_feature *feature)
{
    json_text(out, "", feature->feature);
    usher_buffer_text(out, ":");
    for (uint32_t i = 0; i < feature->seat_count; i++)
        json_number(out, i == 0 ? "[" : ",", (int64_t)feature->seats[i] + 1);
    usher_buffer_text(out, feature->seat_count == 0 ? "[]" : "]");
}

static void append_row(struct usher_buffer *out, const struct usher_row *row, int64_t at)
{
    json_text(out, "{\"row\":", row->row);
    if (row->zone)
        json_text(out, ",\"zone\":", row->zone);
    json_number(out, ",\"at\":", at);
    usher_buffer_text(out, ",\"labels\":");
    if (row->names)
        append_names(out, row);
    else
        append_numbered(out, row);
    append_places(out, ",\"x\":", row->x, row->seats);
    append_places(out, ",\"y\":", row->y, row->seats);
    for (uint32_t i = 0; i < row->feature_count; i++) {
        usher_buffer_text(out, i == 0 ? ",\"features\":{" : ",");
        append_feature(out, &row->features[i]);
    }
    usher_buffer_text(out, row->feature_count > 0 ? "}}" : "}");
}

static void append_section(struct usher_buffer *out, const struct usher_section *section,
                           uint32_t *seat)
{
    json_text(out, "{\"section\":", section->section);
    usher_buffer_text(out, ",\"rows\":[");
    for (uint32_t i = 0; i < section->row_count; i++) {
        usher_buffer_text(out, i == 0 ? "" : ",");
        append_row(out, &section->rows[i], *seat);
        *seat += section->rows[i].seats;
    }
    usher_buffer_text(out, "]}");
}

const char *display_layout_name(const struct catalogue *catalogue)
{
    static const char kind[] = "sha256:";
    if (catalogue->seat_count == 0)
        return "";
    assert(strncmp(catalogue->chart_name, kind, sizeof kind - 1) == 0);
    return catalogue->chart_name + sizeof kind - 1;
}

void display_layout_write(const struct catalogue *catalogue, struct usher_buffer *out)
{
    struct usher_arena arena = {0};
    const struct usher_section *sections;
    uint32_t count, seat = 0;
    enum usher_status status = usher_chart_decode(catalogue->chart, catalogue->chart_size, &arena,
                                                  &sections, &count, NULL);
    assert(status == USHER_OK);
    json_number(out, "{\"seats\":", catalogue->seat_count);
    usher_buffer_text(out, ",\"sections\":[");
    for (uint32_t i = 0; i < count; i++) {
        usher_buffer_text(out, i == 0 ? "" : ",");
        append_section(out, &sections[i], &seat);
    }
    usher_buffer_text(out, "]}");
    assert(seat == catalogue->seat_count);
    usher_arena_deinit(&arena);
}
