/*
 * Draws a hall in a terminal: zone by zone, one line per row, one character per seat, and a legend.
 * The character says the section of a seat or, where states are given, its state.
 */
#include "producer/terminal/chart_draw.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/plural.h"
#include "producer/terminal/terminal.h"

/*
 * ==== Grid ====
 *
 * Lays the seats of a chart out on lines and columns of characters, zone by zone: what a
 * terminal can show of a hall. PURE: knows nothing of terminals or files.
 */

enum {
    GRID_NO_FEATURE = -1
};

struct grid_seat {
    uint32_t section; /* index */
    uint32_t unit;    /* of the section: its seats are counted row by row */
    int32_t feature;  /* index of the first that it has; GRID_NO_FEATURE */
    uint32_t column;
    uint32_t order; /* in the chart */
    int32_t x;
};

/* A row, or all parts of one that several sections share. */
struct grid_line {
    const char *label;
    struct grid_seat *seats; /* from left to right */
    uint32_t seat_count;
    bool gap; /* an aisle lies between it and the line before */
    /* While it is laid out. */
    bool placed; /* it has x and y */
    uint32_t zone, seat_room;
    int32_t x_min, x_max, y_min, y_max;
    int64_t y_sum;
};

struct grid_zone {
    const char *name;
    struct grid_line **lines; /* from the front to the back */
    uint32_t line_count;
    uint32_t columns;
};

struct grid_feature {
    const char *name;
    uint32_t seats;
};

struct chart_grid {
    struct grid_zone *zones;
    uint32_t zone_count;
    struct grid_feature *features;
    uint32_t feature_count;
};

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

/*
 * Lays out the rows of all sections. Rows without a zone make a zone of each section. Where rows
 * have x and y, seats keep their columns, rows their order, and aisles between them show.
 */
static void chart_grid_make(struct chart_grid *grid, const struct usher_section *sections,
                            uint32_t count, struct usher_arena *arena)
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

/* ==== Drawing ==== */

enum {
    LABEL_MAX = 12, /* columns of a row's label */
    MARGIN = 2,     /* before the label, and behind it */
};

/* Marks of features, colours of sections, in the order in which they come. */
static const char marks[] = "*+&=~%^$@!";

static const int colours[] = {32, 36, 33, 35, 34, 31, 92, 96, 93, 95, 94, 91};

/* The states of seats, as Redis shows them, in the colours that states have elsewhere. */
static const struct {
    char character;
    int colour;
    const char *name;
} states[] = {{'.', 32, "free"}, {'h', 33, "held"}, {'s', 31, "sold"}, {'x', 2, "blocked"}};

enum {
    STATE_COUNT = sizeof states / sizeof *states
};

struct drawing {
    const struct chart_drawing *settings;
    struct chart_grid grid;
    char *letters; /* of each section */
    int label_size;
    uint32_t cell; /* columns of a seat: its letter, and its mark where there is room */
};

/* ---- letters ---- */

static bool take_letter(char letter, bool used[128], char *taken)
{
    if (!isalnum((unsigned char)letter) || used[(unsigned char)letter])
        return false;
    used[(unsigned char)letter] = true;
    *taken = letter;
    return true;
}

/* A letter of its name that no other section has, else any that is free. */
static char letter_of(const char *name, bool used[128])
{
    static const char others[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char letter = '#';
    for (const char *at = name; *at != '\0'; at++)
        if ((unsigned char)*at < 128 && take_letter((char)toupper(*at), used, &letter))
            return letter;
    for (const char *at = others; *at != '\0'; at++)
        if (take_letter(*at, used, &letter))
            return letter;
    return letter;
}

static void choose_letters(struct drawing *drawing, struct usher_arena *arena)
{
    bool used[128] = {false};
    const struct chart_drawing *settings = drawing->settings;
    drawing->letters = usher_arena_alloc(arena, settings->section_count + 1);
    for (uint32_t i = 0; i < settings->section_count; i++)
        drawing->letters[i] = letter_of(settings->sections[i].section, used);
}

static char mark_of(int32_t feature)
{
    return feature == GRID_NO_FEATURE ? ' ' : marks[(size_t)feature % (sizeof marks - 1)];
}

/* ---- text ---- */

/* Right-aligned; what is too long loses its end. */
static void print_label(const struct drawing *drawing, const char *label)
{
    FILE *out = drawing->settings->out;
    int width = terminal_columns(label), left = drawing->label_size;
    fprintf(out, "%*s", MARGIN + (width < left ? left - width : 0), "");
    for (; *label != '\0'; label++) {
        left -= ((unsigned char)*label & 0xC0U) != 0x80U;
        if (left >= 0)
            fputc(*label, out);
    }
    fprintf(out, "%*s", MARGIN, "");
}

static void begin_colour(const struct drawing *drawing, int colour)
{
    if (drawing->settings->colour)
        fprintf(drawing->settings->out, "\033[%dm", colour);
}

static int section_colour(uint32_t section)
{
    return colours[section % (sizeof colours / sizeof colours[0])];
}

/* The index of a seat's state; what nobody knows is taken for free. */
static size_t state_of(const struct drawing *drawing, const struct grid_seat *seat)
{
    char character = drawing->settings->states[seat->section][seat->unit];
    size_t i = 0;
    while (i < STATE_COUNT && states[i].character != character)
        i++;
    return i < STATE_COUNT ? i : 0;
}

static void end_colour(const struct drawing *drawing)
{
    if (drawing->settings->colour)
        fputs("\033[0m", drawing->settings->out);
}

/* ---- zones ---- */

/* Returns the columns that it took. */
static uint32_t print_seat(const struct drawing *drawing, const struct grid_seat *seat)
{
    FILE *out = drawing->settings->out;
    char letter = drawing->letters[seat->section], mark = mark_of(seat->feature);
    int colour = section_colour(seat->section);
    if (drawing->settings->states) {
        letter = states[state_of(drawing, seat)].character;
        colour = states[state_of(drawing, seat)].colour;
        mark = drawing->cell > 1 ? mark : ' '; /* the state is never hidden */
    }
    bool marked = mark != ' ', both = marked && drawing->cell > 1;
    begin_colour(drawing, colour);
    fputc(marked && !both ? mark : letter, out);
    if (both)
        fputc(mark, out);
    end_colour(drawing);
    return both ? 2 : 1;
}

/* The columns [from, to) of a line. */
static void print_line(const struct drawing *drawing, const struct grid_line *line, uint32_t from,
                       uint32_t to)
{
    FILE *out = drawing->settings->out;
    uint32_t at = from * drawing->cell;
    if (line->gap)
        fputc('\n', out);
    print_label(drawing, line->label);
    for (uint32_t i = 0; i < line->seat_count; i++) {
        const struct grid_seat *seat = &line->seats[i];
        if (seat->column < from || seat->column >= to)
            continue;
        fprintf(out, "%*s", (int)(seat->column * drawing->cell - at), "");
        at = seat->column * drawing->cell + print_seat(drawing, seat);
    }
    fputc('\n', out);
}

static void print_zone(struct drawing *drawing, const struct grid_zone *zone)
{
    FILE *out = drawing->settings->out;
    drawing->label_size = 1;
    for (uint32_t i = 0; i < zone->line_count; i++) {
        int width = terminal_columns(zone->lines[i]->label);
        drawing->label_size = width > drawing->label_size ? width : drawing->label_size;
    }
    if (drawing->label_size > LABEL_MAX)
        drawing->label_size = LABEL_MAX;
    int left = drawing->settings->width - drawing->label_size - 2 * MARGIN;
    uint32_t room = left > 0 ? (uint32_t)left : 1;
    drawing->cell = zone->columns * 2 <= room ? 2 : 1;
    uint32_t parts = (zone->columns + room - 1) / room;
    for (uint32_t part = 0; part < parts || part == 0; part++) {
        fprintf(out, "%s", zone->name);
        if (parts > 1)
            fprintf(out, ", part %u of %u", part + 1, parts);
        fprintf(out, "\n");
        for (uint32_t i = 0; i < zone->line_count; i++)
            print_line(drawing, zone->lines[i], part * room, (part + 1) * room);
        fprintf(out, "\n");
    }
}

/* ---- the legend ---- */

static int64_t seats_of(const struct usher_section *section)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        seats += section->rows[i].seats;
    return seats;
}

static void print_sections(const struct drawing *drawing)
{
    const struct chart_drawing *settings = drawing->settings;
    for (uint32_t i = 0; i < settings->section_count; i++) {
        const struct usher_section *section = &settings->sections[i];
        int64_t seats = seats_of(section);
        if (section->row_count == 0) {
            fprintf(settings->out, "  %s, no rows\n", section->section);
            continue;
        }
        fprintf(settings->out, "  ");
        begin_colour(drawing, section_colour(i));
        fputc(drawing->letters[i], settings->out);
        end_colour(drawing);
        fprintf(settings->out, " %s, %lld seat%s\n", section->section, (long long)seats,
                PLURAL(seats));
    }
}

static void print_states(const struct drawing *drawing)
{
    FILE *out = drawing->settings->out;
    for (size_t i = 0; i < STATE_COUNT; i++) {
        fprintf(out, i == 0 ? "  " : "   ");
        begin_colour(drawing, states[i].colour);
        fputc(states[i].character, out);
        end_colour(drawing);
        fprintf(out, " %s", states[i].name);
    }
    fputc('\n', out);
}

static void print_features(const struct drawing *drawing)
{
    for (uint32_t i = 0; i < drawing->grid.feature_count; i++) {
        const struct grid_feature *feature = &drawing->grid.features[i];
        fprintf(drawing->settings->out, "  %c %s, %u seat%s\n", mark_of((int32_t)i), feature->name,
                feature->seats, PLURAL(feature->seats));
    }
}

void chart_draw(const struct chart_drawing *settings)
{
    struct usher_arena arena = {0};
    struct drawing drawing = {.settings = settings};
    chart_grid_make(&drawing.grid, settings->sections, settings->section_count, &arena);
    choose_letters(&drawing, &arena);
    for (uint32_t i = 0; i < drawing.grid.zone_count; i++)
        print_zone(&drawing, &drawing.grid.zones[i]);
    if (settings->states)
        print_states(&drawing);
    else
        print_sections(&drawing);
    if (!settings->states || drawing.cell > 1)
        print_features(&drawing);
    usher_arena_deinit(&arena);
}

/* ==== Ranges of seats ==== */

enum {
    RANGE_SEATS_MIN = 3, /* "A-5 A-6" is as short as a range */
    DIGITS_MAX = 9,
};

/* The label in the first `size` bytes as a range of one seat. */
static bool read_label(const char *text, size_t size, struct seat_range *range)
{
    char number[DIGITS_MAX + 1] = "";
    size_t row = size;
    while (row > 0 && isdigit((unsigned char)text[row - 1]))
        row--;
    if (row == 0 || text[row - 1] != '-' || row == size || size - row > DIGITS_MAX ||
        size >= SEAT_LABEL_SIZE)
        return false;
    memcpy(number, text + row, size - row);
    *range = (struct seat_range){.row = text, .row_size = (int)row};
    range->first = range->last = (uint32_t)strtoul(number, NULL, 10);
    range->digits = text[row] == '0' ? (int)(size - row) : 1;
    return true;
}

static bool same_row(const struct seat_range *a, const struct seat_range *b)
{
    return a->row_size == b->row_size && memcmp(a->row, b->row, (size_t)a->row_size) == 0;
}

bool seat_range_read(const char *text, struct seat_range *range)
{
    struct seat_range last;
    const char *dots = strstr(text, "..");
    if (!dots || !read_label(text, (size_t)(dots - text), range) ||
        !read_label(dots + 2, strlen(dots + 2), &last) || !same_row(range, &last))
        return false;
    range->last = last.first;
    return range->first <= range->last;
}

void seat_range_label(const struct seat_range *range, uint32_t number, char label[SEAT_LABEL_SIZE])
{
    snprintf(label, SEAT_LABEL_SIZE, "%.*s%0*u", range->row_size, range->row, range->digits,
             number);
}

/* How many of the seats are neighbours from the first one on. */
static uint32_t count_neighbours(const char *const *seats, uint32_t count)
{
    struct seat_range range;
    char label[SEAT_LABEL_SIZE];
    uint32_t same = 1;
    if (!read_label(seats[0], strlen(seats[0]), &range))
        return 1;
    for (; same < count; same++) {
        seat_range_label(&range, range.first + same, label);
        if (strcmp(label, seats[same]) != 0)
            break;
    }
    return same;
}

/* How much of a place comes before the number of its seat. */
static size_t before_number(const char *place)
{
    static const char word[] = "seat ";
    size_t size = 0;
    for (const char *at = place; (at = strstr(at, word)); at++)
        size = (size_t)(at - place) + sizeof word - 1;
    return size;
}

/* Compares the numbers that both begin with, and moves behind them. */
static int compare_digits(const char **a, const char **b)
{
    static const char digits[] = "0123456789";
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t a_size = strspn(*a, digits), b_size = strspn(*b, digits);
    int order = a_size != b_size ? (a_size > b_size) - (a_size < b_size) : memcmp(*a, *b, a_size);
    *a += a_size;
    *b += b_size;
    return order;
}

/* As people count: A-2 comes before A-10. */
static int compare_names(const void *left, const void *right)
{
    const char *a = *(const char *const *)left, *b = *(const char *const *)right;
    int order = 0;
    while (order == 0 && *a && *b)
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b))
            order = compare_digits(&a, &b);
        else
            order = (unsigned char)*a++ - (unsigned char)*b++;
    order = order != 0 ? order : (unsigned char)*a - (unsigned char)*b;
    return order != 0 ? order : strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Seats of one row after each other, their numbers only. */
static void print_places(const char *const *places, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t size = before_number(places[i]);
        bool goes_on = i > 0 && size > 0 && before_number(places[i - 1]) == size &&
                       memcmp(places[i - 1], places[i], size) == 0;
        fprintf(out, "%s%s", i == 0 ? "" : goes_on ? ", " : "; ", places[i] + (goes_on ? size : 0));
    }
}

static void print_ranges(const char *const *seats, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t same = count_neighbours(seats + i, count - i);
        fprintf(out, "%s%s", i == 0 ? "" : " ", seats[i]);
        if (same >= RANGE_SEATS_MIN)
            fprintf(out, "..%s", seats[i + same - 1]);
        i += same >= RANGE_SEATS_MIN ? same : 1;
    }
}

void seat_ranges_print(const char *const *seats, const char *const *places, uint32_t count,
                       FILE *out)
{
    const char **names = memory_calloc(count + 1, sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = places ? places[i] : seats[i];
    qsort(names, count, sizeof *names, compare_names);
    if (places)
        print_places(names, count, out);
    else
        print_ranges(names, count, out);
    free(names);
}
