/* Lays the seats of a chart out on lines and columns. PURE. */
#include "producer/terminal/chart_grid.h"

#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS_MAX = 10000, /* more than that is no layout: seats follow each other then */
    GAP_COLUMNS = 2,     /* what is left of columns that no row uses */
};

/* A row of a section, and the line that it became a part of. */
struct part {
    const struct usher_row *row;
    uint32_t section;
    uint32_t first_unit;
    struct grid_line *line;
};

struct layout {
    struct chart_grid *grid;
    struct usher_arena *arena;
    const struct usher_section *sections;
    struct part *parts;
    struct grid_line *lines;
    uint32_t part_count, line_count;
};

/* ---- zones, lines ---- */

static uint32_t zone_of(struct layout *layout, const struct part *part)
{
    struct chart_grid *grid = layout->grid;
    const char *section = layout->sections[part->section].section;
    const char *name = part->row->zone ? part->row->zone : section;
    for (uint32_t i = 0; i < grid->zone_count; i++)
        if (strcmp(grid->zones[i].name, name) == 0)
            return i;
    grid->zones[grid->zone_count].name = name;
    return grid->zone_count++;
}

static void range(const int32_t *values, uint32_t count, int32_t *min, int32_t *max)
{
    *min = *max = values[0];
    for (uint32_t i = 1; i < count; i++) {
        *min = values[i] < *min ? values[i] : *min;
        *max = values[i] > *max ? values[i] : *max;
    }
}

/* What the row would be as a line of its own. */
static struct grid_line line_of(const struct part *part, uint32_t zone)
{
    const struct usher_row *row = part->row;
    struct grid_line line = {.label = row->row, .zone = zone, .seat_room = row->seats};
    line.placed = row->x && row->y && row->seats > 0;
    if (!line.placed)
        return line;
    range(row->x, row->seats, &line.x_min, &line.x_max);
    range(row->y, row->seats, &line.y_min, &line.y_max);
    for (uint32_t i = 0; i < row->seats; i++)
        line.y_sum += row->y[i];
    return line;
}

/* Rows of one name in one zone are one, unless one stands behind the other. */
static bool is_part_of(const struct grid_line *part, const struct grid_line *line)
{
    if (part->zone != line->zone || strcmp(part->label, line->label) != 0)
        return false;
    if (!part->placed || !line->placed)
        return part->placed == line->placed;
    bool beside = part->x_max < line->x_min || part->x_min > line->x_max;
    bool behind = part->y_max < line->y_min || part->y_min > line->y_max;
    return beside || !behind;
}

static void join(struct grid_line *line, const struct grid_line *part)
{
    line->seat_room += part->seat_room;
    if (!line->placed)
        return;
    line->x_min = part->x_min < line->x_min ? part->x_min : line->x_min;
    line->x_max = part->x_max > line->x_max ? part->x_max : line->x_max;
    line->y_min = part->y_min < line->y_min ? part->y_min : line->y_min;
    line->y_max = part->y_max > line->y_max ? part->y_max : line->y_max;
    line->y_sum += part->y_sum;
}

static void add_part(struct layout *layout, struct part *part)
{
    struct grid_line line = line_of(part, zone_of(layout, part));
    uint32_t i = 0;
    while (i < layout->line_count && !is_part_of(&line, &layout->lines[i]))
        i++;
    part->line = &layout->lines[i];
    if (i < layout->line_count) {
        join(part->line, &line);
    } else {
        layout->lines[i] = line;
        layout->line_count++;
    }
}

/* ---- seats ---- */

static uint32_t feature_index(struct chart_grid *grid, const char *name)
{
    uint32_t i = 0;
    while (i < grid->feature_count && strcmp(grid->features[i].name, name) != 0)
        i++;
    if (i == grid->feature_count)
        grid->features[grid->feature_count++].name = name;
    return i;
}

static void mark_features(struct chart_grid *grid, const struct usher_row *row,
                          struct grid_seat *seats)
{
    for (uint32_t i = 0; i < row->feature_count; i++) {
        const struct usher_row_feature *feature = &row->features[i];
        uint32_t index = feature_index(grid, feature->feature);
        grid->features[index].seats += feature->seat_count;
        for (uint32_t k = 0; k < feature->seat_count; k++) {
            struct grid_seat *seat = &seats[feature->seats[k]];
            if (seat->feature == GRID_NO_FEATURE || seat->feature > (int32_t)index)
                seat->feature = (int32_t)index;
        }
    }
}

static void add_seats(struct layout *layout, const struct part *part)
{
    struct grid_line *line = part->line;
    const struct usher_row *row = part->row;
    if (!line->seats)
        line->seats = usher_arena_alloc(layout->arena, line->seat_room * sizeof *line->seats);
    struct grid_seat *seats = &line->seats[line->seat_count];
    for (uint32_t i = 0; i < row->seats; i++) {
        seats[i] = (struct grid_seat){
            .section = part->section,
            .unit = part->first_unit + i,
            .feature = GRID_NO_FEATURE,
            .column = line->seat_count + i,
            .order = line->seat_count + i,
            .x = line->placed ? row->x[i] : 0,
        };
    }
    line->seat_count += row->seats;
    mark_features(layout->grid, row, seats);
}

/* ---- columns ---- */

static int compare_seats(const void *left, const void *right)
{
    const struct grid_seat *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static int compare_numbers(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The lower of two: a wide aisle is not the usual distance. */
static int64_t median(int64_t *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, compare_numbers);
    return values[(count - 1) / 2];
}

/* How far neighbours are from each other; 0: the zone has no places. */
static int64_t seat_pitch(struct layout *layout, const struct grid_zone *zone)
{
    size_t count = 0, gaps = 0;
    for (uint32_t i = 0; i < zone->line_count; i++)
        count += zone->lines[i]->seat_count;
    int64_t *list = usher_arena_alloc(layout->arena, (count + 1) * sizeof *list);
    for (uint32_t i = 0; i < zone->line_count; i++) {
        const struct grid_line *line = zone->lines[i];
        for (uint32_t k = 1; line->placed && k < line->seat_count; k++)
            if (line->seats[k].x > line->seats[k - 1].x)
                list[gaps++] = (int64_t)line->seats[k].x - line->seats[k - 1].x;
    }
    return median(list, gaps);
}

/* Each seat at its x, or beside its neighbour where that place is taken. */
static void place_line(struct grid_line *line, int64_t x_min, int64_t pitch)
{
    int64_t next = 0;
    for (uint32_t i = 0; i < line->seat_count; i++) {
        int64_t column = (line->seats[i].x - x_min + pitch / 2) / pitch;
        column = column < next ? next : column;
        line->seats[i].column = (uint32_t)column;
        next = column + 1;
    }
}

/* Columns that no row uses are narrowed: an aisle stays, a wide one does not push seats away. */
static void narrow(struct layout *layout, struct grid_zone *zone)
{
    bool *used = usher_arena_alloc(layout->arena, zone->columns);
    uint32_t *becomes = usher_arena_alloc(layout->arena, zone->columns * sizeof *becomes);
    uint32_t next = 0, empty = 0;
    for (uint32_t i = 0; i < zone->line_count; i++)
        for (uint32_t k = 0; k < zone->lines[i]->seat_count; k++)
            used[zone->lines[i]->seats[k].column] = true;
    for (uint32_t i = 0; i < zone->columns; i++) {
        empty = used[i] ? 0 : empty + 1;
        becomes[i] = next;
        next += empty <= GAP_COLUMNS;
    }
    for (uint32_t i = 0; i < zone->line_count; i++)
        for (uint32_t k = 0; k < zone->lines[i]->seat_count; k++)
            zone->lines[i]->seats[k].column = becomes[zone->lines[i]->seats[k].column];
    zone->columns = next;
}

static void count_columns(struct grid_zone *zone)
{
    zone->columns = 0;
    for (uint32_t i = 0; i < zone->line_count; i++) {
        const struct grid_line *line = zone->lines[i];
        uint32_t last = line->seat_count == 0 ? 0 : line->seats[line->seat_count - 1].column;
        zone->columns = last + 1 > zone->columns ? last + 1 : zone->columns;
    }
}

static void place_columns(struct layout *layout, struct grid_zone *zone)
{
    int64_t x_min = INT64_MAX, x_max = INT64_MIN;
    for (uint32_t i = 0; i < zone->line_count; i++) {
        struct grid_line *line = zone->lines[i];
        if (!line->placed)
            continue;
        qsort(line->seats, line->seat_count, sizeof *line->seats, compare_seats);
        for (uint32_t k = 0; k < line->seat_count; k++)
            line->seats[k].column = k;
        x_min = line->x_min < x_min ? line->x_min : x_min;
        x_max = line->x_max > x_max ? line->x_max : x_max;
    }
    int64_t pitch = seat_pitch(layout, zone);
    if (pitch > 0 && (x_max - x_min) / pitch < COLUMNS_MAX)
        for (uint32_t i = 0; i < zone->line_count; i++)
            if (zone->lines[i]->placed)
                place_line(zone->lines[i], x_min, pitch);
    count_columns(zone);
    narrow(layout, zone);
}

/* ---- the order of lines ---- */

static double line_y(const struct grid_line *line)
{
    return line->seat_count == 0 ? 0 : (double)line->y_sum / line->seat_count;
}

static int compare_lines(const void *left, const void *right)
{
    const struct grid_line *const *a = left, *const *b = right;
    double y_a = line_y(*a), y_b = line_y(*b);
    if (y_a < y_b || y_a > y_b)
        return y_a < y_b ? -1 : 1;
    return *a < *b ? -1 : 1;
}

/* By y, where all have one; a distance well above the usual one is an aisle. */
static void order_lines(struct layout *layout, struct grid_zone *zone)
{
    int64_t *gaps = usher_arena_alloc(layout->arena, (zone->line_count + 1) * sizeof *gaps);
    for (uint32_t i = 0; i < zone->line_count; i++)
        if (!zone->lines[i]->placed)
            return;
    qsort(zone->lines, zone->line_count, sizeof(struct grid_line *), compare_lines);
    for (uint32_t i = 1; i < zone->line_count; i++)
        gaps[i - 1] = (int64_t)(line_y(zone->lines[i]) - line_y(zone->lines[i - 1]));
    int64_t usual = zone->line_count < 2 ? 0 : median(gaps, zone->line_count - 1);
    for (uint32_t i = 1; i < zone->line_count; i++) {
        double gap = line_y(zone->lines[i]) - line_y(zone->lines[i - 1]);
        zone->lines[i]->gap = usual > 0 && gap > 1.6 * (double)usual;
    }
}

/* ---- all ---- */

static void make_zones(struct layout *layout)
{
    struct chart_grid *grid = layout->grid;
    for (uint32_t i = 0; i < layout->line_count; i++)
        grid->zones[layout->lines[i].zone].line_count++;
    for (uint32_t i = 0; i < grid->zone_count; i++) {
        grid->zones[i].lines = usher_arena_alloc(layout->arena, grid->zones[i].line_count *
                                                                    sizeof(struct grid_line *));
        grid->zones[i].line_count = 0;
    }
    for (uint32_t i = 0; i < layout->line_count; i++) {
        struct grid_zone *zone = &grid->zones[layout->lines[i].zone];
        zone->lines[zone->line_count++] = &layout->lines[i];
    }
    for (uint32_t i = 0; i < grid->zone_count; i++) {
        order_lines(layout, &grid->zones[i]);
        place_columns(layout, &grid->zones[i]);
    }
}

/* Makes the rows of a section parts, and counts them. */
static void add_parts(const struct layout *layout, uint32_t section, struct part *parts,
                      uint32_t *count)
{
    uint32_t unit = 0;
    const struct usher_section *from = &layout->sections[section];
    for (uint32_t i = 0; i < from->row_count; i++) {
        parts[i] = (struct part){.row = &from->rows[i], .section = section, .first_unit = unit};
        unit += from->rows[i].seats;
    }
    *count += from->row_count;
}

void chart_grid_make(struct chart_grid *grid, const struct usher_section *sections, uint32_t count,
                     struct usher_arena *arena)
{
    struct layout layout = {.grid = grid, .arena = arena, .sections = sections};
    uint32_t rows = 0, features = 0, next = 0;
    for (uint32_t i = 0; i < count; i++) {
        rows += sections[i].row_count;
        for (uint32_t k = 0; k < sections[i].row_count; k++)
            features += sections[i].rows[k].feature_count;
    }
    *grid = (struct chart_grid){
        .zones = usher_arena_alloc(arena, (rows + 1) * sizeof *grid->zones),
        .features = usher_arena_alloc(arena, (features + 1) * sizeof *grid->features),
    };
    layout.parts = usher_arena_alloc(arena, (rows + 1) * sizeof *layout.parts);
    layout.lines = usher_arena_alloc(arena, (rows + 1) * sizeof *layout.lines);
    layout.part_count = rows;
    for (uint32_t i = 0; i < count; i++)
        add_parts(&layout, i, &layout.parts[next], &next);
    for (uint32_t i = 0; i < rows; i++)
        add_part(&layout, &layout.parts[i]);
    for (uint32_t i = 0; i < rows; i++)
        add_seats(&layout, &layout.parts[i]);
    make_zones(&layout);
}
