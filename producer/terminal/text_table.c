/* A table of text with aligned columns: see text_table.h. */
#include "producer/terminal/text_table.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

enum {
    CELLS_FIRST = 64,
    GAP = 2,      /* blanks between columns */
    CUT_MIN = 12, /* columns that are left of a text, with the mark */
    DROPPED = -1, /* in place of a width */
};

void text_table_init(struct text_table *table, const struct text_column *columns, size_t count)
{
    *table = (struct text_table){.columns = columns, .column_count = count};
}

static void append(struct text_table *table, struct text_cell cell)
{
    if (table->cell_count == table->cell_room) {
        table->cell_room = table->cell_room > 0 ? 2 * table->cell_room : CELLS_FIRST;
        table->cells = memory_realloc(table->cells, table->cell_room, sizeof *table->cells);
    }
    table->cells[table->cell_count++] = cell;
}

void text_table_add(struct text_table *table, enum terminal_colour colour, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = usher_arena_room(&table->arena, (size_t)size + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    append(table, (struct text_cell){.text = text, .colour = colour});
}

void text_table_end_row(struct text_table *table)
{
    while (table->cell_count % table->column_count != 0)
        append(table, (struct text_cell){.text = ""});
}

static bool has_titles(const struct text_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].title)
            return true;
    return false;
}

static int width_of(const struct text_table *table, size_t column)
{
    const char *title = table->columns[column].title;
    int width = title ? terminal_columns(title) : 0;
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        int columns = terminal_columns(table->cells[i].text);
        width = columns > width ? columns : width;
    }
    return width;
}

/* ---- fitting a terminal ---- */

static const char cut_mark[] = "…";

/* The width of all, each text cut to so much at most where it may be. */
static int total_width(const struct text_table *table, const int *widths, int cut)
{
    int total = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        bool is_cut = table->columns[i].cut && widths[i] > cut;
        total += widths[i] == DROPPED ? 0 : (is_cut ? cut : widths[i]) + GAP;
    }
    return total - GAP;
}

/* The column that goes first; the count of columns: none may. */
static size_t find_droppable(const struct text_table *table, const int *widths)
{
    size_t found = table->column_count;
    uint8_t most = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        if (widths[i] != DROPPED && table->columns[i].drop > most) {
            most = table->columns[i].drop;
            found = i;
        }
    }
    return found;
}

/* Of texts that may be cut, the longest give first. */
static void fit(const struct text_table *table, int *widths, int room)
{
    size_t drop;
    while (total_width(table, widths, CUT_MIN) > room &&
           (drop = find_droppable(table, widths)) < table->column_count)
        widths[drop] = DROPPED;
    int cut = total_width(table, widths, INT_MAX);
    while (cut > CUT_MIN && total_width(table, widths, cut) > room)
        cut--;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].cut && widths[i] > cut)
            widths[i] = cut;
}

/* The bytes of the first characters. */
static size_t prefix_size(const char *text, int columns)
{
    const char *at = text;
    for (; *at != '\0'; at++)
        if (((unsigned char)*at & 0xC0U) != 0x80U && columns-- == 0)
            break;
    return (size_t)(at - text);
}

static void print_dropped(const struct text_table *table, const struct terminal *terminal,
                          const int *widths, int indent)
{
    const char *before = "not shown: ";
    for (size_t i = 0; i < table->column_count; i++) {
        if (widths[i] != DROPPED)
            continue;
        fprintf(terminal->out, "%*s", *before == ',' ? 0 : indent, "");
        terminal_print(terminal, TERMINAL_FAINT, "%s%s", before, table->columns[i].title);
        before = ", ";
    }
    fprintf(terminal->out, "%s", *before == ',' ? "\n" : "");
}

/* ---- printing ---- */

/* Blanks are owed until something follows them, so that none is left at the end of a line. */
static void print_cell(const struct terminal *terminal, const struct text_cell *cell,
                       enum text_align align, int width, int *owed)
{
    int columns = terminal_columns(cell->text);
    int blanks = columns > width ? 0 : width - columns;
    int before = align == TEXT_RIGHT ? blanks : 0;
    size_t size = columns > width ? prefix_size(cell->text, width - 1) : strlen(cell->text);
    if (cell->text[0] == '\0') {
        *owed += width + GAP;
        return;
    }
    fprintf(terminal->out, "%*s", *owed + before, "");
    terminal_begin(terminal, cell->colour);
    terminal_write(terminal->out, cell->text, size);
    fprintf(terminal->out, "%s", columns > width ? cut_mark : "");
    terminal_end(terminal, cell->colour);
    *owed = blanks - before + GAP;
}

static void print_row(const struct text_table *table, const struct terminal *terminal,
                      const struct text_cell *cells, const int *widths, int indent)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (widths[i] != DROPPED)
            print_cell(terminal, &cells[i], table->columns[i].align, widths[i], &indent);
    fputc('\n', terminal->out);
}

void text_table_print(struct text_table *table, const struct terminal *terminal, int indent)
{
    text_table_end_row(table);
    int *widths = usher_arena_alloc(&table->arena, table->column_count * sizeof *widths);
    struct text_cell *titles =
        usher_arena_alloc(&table->arena, table->column_count * sizeof *titles);
    for (size_t i = 0; i < table->column_count; i++) {
        const char *title = table->columns[i].title;
        widths[i] = width_of(table, i);
        titles[i] = (struct text_cell){.text = title ? title : "", .colour = TERMINAL_FAINT};
    }
    if (terminal->is_terminal)
        fit(table, widths, terminal->width - indent);
    if (has_titles(table))
        print_row(table, terminal, titles, widths, indent);
    for (size_t i = 0; i < table->cell_count; i += table->column_count)
        print_row(table, terminal, &table->cells[i], widths, indent);
    print_dropped(table, terminal, widths, indent);
}

void text_table_deinit(struct text_table *table)
{
    free(table->cells);
    usher_arena_deinit(&table->arena);
    *table = (struct text_table){0};
}
