/* Draws a hall in a terminal. */
#include "producer/terminal/chart_draw.h"

#include <ctype.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/terminal/chart_grid.h"
#include "producer/terminal/terminal.h"

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
