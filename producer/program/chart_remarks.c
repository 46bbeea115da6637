/*
 * What looks wrong in the hall of a file. usher takes neighbours and front rows from the order of
 * the list alone, so a drawing that says otherwise is worth a remark.
 */
#include "producer/program/chart_remarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/codec/message_parse.h"

enum {
    SEATS_FOR_A_SPACING = 3, /* fewer have no usual distance */
    ROWS_FOR_AN_ORDER = 3,
    FIELDS_MAX = 16, /* unknown ones that are named */
    NAME_SHOWN_MAX = 20,
};

/* A distance this many times the usual one of its row is a gangway. */
static const double gangway = 1.75;

/* The list leads so much farther through the seats or rows than their order in the drawing. */
static const double detour = 1.3;

struct remarks {
    const struct chart_file *chart;
    struct usher_arena *arena;
    void (*remark)(void *context, const char *text);
    void *context;
};

struct spot {
    double x, y;
};

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Along both axes: exact in a straight row, and near enough in a curved one. */
static double distance(struct spot a, struct spot b)
{
    return fabs(a.x - b.x) + fabs(a.y - b.y);
}

static struct spot seat_spot(const struct usher_row *row, uint32_t seat)
{
    return (struct spot){row->x[seat], row->y[seat]};
}

/* "Block D, row 1" */
static const char *row_name(const struct remarks *remarks, const struct usher_row *row)
{
    return row->zone ? usher_arena_format(remarks->arena, "%.64s, row %.64s", row->zone, row->row)
                     : usher_arena_format(remarks->arena, "row %.64s", row->row);
}

/* By its name, unless that is for programs: then by its place in the row. */
static const char *seat_name(const struct remarks *remarks, const struct usher_row *row,
                             uint32_t seat)
{
    if (row->names && strlen(row->names[seat]) <= NAME_SHOWN_MAX)
        return row->names[seat];
    return usher_arena_format(remarks->arena, "no. %u", seat + 1);
}

/* ---- gangways ---- */

/* The usual distance of neighbours; 0: there is none. */
static double spacing(const struct remarks *remarks, const struct usher_row *row)
{
    if (row->seats < SEATS_FOR_A_SPACING)
        return 0;
    uint32_t count = row->seats - 1;
    double *steps = usher_arena_alloc(remarks->arena, count * sizeof *steps);
    for (uint32_t i = 0; i < count; i++)
        steps[i] = distance(seat_spot(row, i), seat_spot(row, i + 1));
    qsort(steps, count, sizeof *steps, compare_numbers);
    return steps[(count - 1) / 2];
}

/* The first seat of two that stand as far apart as across a gangway; the last one: there is none.
 */
static uint32_t find_gangway(const struct usher_row *row, double usual)
{
    uint32_t seat = 0;
    while (seat + 1 < row->seats &&
           distance(seat_spot(row, seat), seat_spot(row, seat + 1)) <= gangway * usual)
        seat++;
    return seat;
}

static void remark_gangways(const struct remarks *remarks, const struct usher_section *section)
{
    const char *first = NULL;
    uint32_t rows = 0;
    for (uint32_t i = 0; i < section->row_count; i++) {
        const struct usher_row *row = &section->rows[i];
        if (!row->x || !row->y)
            continue;
        double usual = spacing(remarks, row);
        uint32_t seat = usual > 0 ? find_gangway(row, usual) : row->seats - 1;
        if (seat + 1 >= row->seats)
            continue;
        if (rows++ == 0)
            first = usher_arena_format(
                remarks->arena, "%s, %s and %s are %.0f apart, others %.0f", row_name(remarks, row),
                seat_name(remarks, row, seat), seat_name(remarks, row, seat + 1),
                distance(seat_spot(row, seat), seat_spot(row, seat + 1)), usual);
    }
    if (rows > 0)
        remarks->remark(
            remarks->context,
            usher_arena_format(remarks->arena,
                               "%s: a gap in %u row%s (%s). usher seats a party across it, unless "
                               "the parts are rows of their own",
                               section->section, rows, PLURAL(rows), first));
}

/* ---- order ---- */

/* A seat or a row, by its place along the longer side of what all take up. */
struct placed {
    double along;
    struct spot spot;
};

static int compare_placed(const void *left, const void *right)
{
    return compare_numbers(&((const struct placed *)left)->along,
                           &((const struct placed *)right)->along);
}

static double path(const struct placed *placed, uint32_t count)
{
    double length = 0;
    for (uint32_t i = 1; i < count; i++)
        length += distance(placed[i - 1].spot, placed[i].spot);
    return length;
}

/* Whether the list goes to and fro. A table, around which seats stand, is in order as well. */
static bool is_out_of_order(struct placed *placed, uint32_t count)
{
    if (count < ROWS_FOR_AN_ORDER)
        return false;
    struct spot low = placed[0].spot, high = low;
    for (uint32_t i = 1; i < count; i++) {
        const struct spot *spot = &placed[i].spot;
        low = (struct spot){spot->x < low.x ? spot->x : low.x, spot->y < low.y ? spot->y : low.y};
        high =
            (struct spot){spot->x > high.x ? spot->x : high.x, spot->y > high.y ? spot->y : high.y};
    }
    bool is_wide = high.x - low.x > high.y - low.y;
    for (uint32_t i = 0; i < count; i++)
        placed[i].along = is_wide ? placed[i].spot.x : placed[i].spot.y;
    double listed = path(placed, count);
    qsort(placed, count, sizeof *placed, compare_placed);
    return listed > detour * path(placed, count);
}

static struct spot middle(const struct usher_row *row)
{
    struct spot sum = {0, 0};
    for (uint32_t i = 0; i < row->seats; i++)
        sum = (struct spot){sum.x + row->x[i], sum.y + row->y[i]};
    return (struct spot){sum.x / row->seats, sum.y / row->seats};
}

static void remark_seats(const struct remarks *remarks, const struct usher_row *row)
{
    struct placed *placed = usher_arena_alloc(remarks->arena, row->seats * sizeof *placed);
    for (uint32_t i = 0; i < row->seats; i++)
        placed[i].spot = seat_spot(row, i);
    if (is_out_of_order(placed, row->seats))
        remarks->remark(remarks->context,
                        usher_arena_format(remarks->arena,
                                           "%s: its seats are not listed in the order in which "
                                           "they stand. usher takes neighbours from the list",
                                           row_name(remarks, row)));
}

static bool same_zone(const struct usher_row *a, const struct usher_row *b)
{
    return a->zone == b->zone || (a->zone && b->zone && strcmp(a->zone, b->zone) == 0);
}

/*
 * Places the rows of a zone that follow each other in the section; parts of one row are one.
 * Returns how many of the section's rows those are, at least one.
 */
static uint32_t place_rows(const struct usher_section *section, uint32_t first,
                           struct placed *placed, uint32_t *count)
{
    uint32_t taken = 0;
    *count = 0;
    for (; first + taken < section->row_count; taken++) {
        const struct usher_row *row = &section->rows[first + taken];
        if (!row->x || !row->y || !same_zone(&section->rows[first], row))
            break;
        struct spot spot = middle(row);
        if (taken > 0 && strcmp(row->row, section->rows[first + taken - 1].row) == 0) {
            struct spot *other = &placed[*count - 1].spot;
            *other = (struct spot){(other->x + spot.x) / 2, (other->y + spot.y) / 2};
        } else {
            placed[(*count)++].spot = spot;
        }
    }
    return taken > 0 ? taken : 1;
}

static void remark_rows(const struct remarks *remarks, const struct usher_section *section)
{
    struct placed *placed =
        usher_arena_alloc(remarks->arena, (section->row_count + 1) * sizeof *placed);
    const struct usher_row *first = NULL;
    uint32_t at = 0, taken, count;
    for (; at < section->row_count; at += taken) {
        taken = place_rows(section, at, placed, &count);
        if (is_out_of_order(placed, count) && !first)
            first = &section->rows[at];
    }
    if (first)
        remarks->remark(
            remarks->context,
            usher_arena_format(remarks->arena,
                               "%s: from %s on the rows are not listed in the order in which they "
                               "stand. usher fills the rows that are listed first",
                               section->section, row_name(remarks, first)));
}

/* ---- fields ---- */

static bool is_known(const char *field, const char *const *known)
{
    while (*known && strcmp(*known, field) != 0)
        known++;
    return *known;
}

static void remark_fields(const struct remarks *remarks, yyjson_val *plan)
{
    static const char *const known[] = {"seat_guid", "seat_number", "position", "category",
                                        "rank",      "features",    "uuid",     NULL};
    const char *named[FIELDS_MAX + 1] = {NULL};
    size_t count = 0, zone_at, zone_max, row_at, row_max, seat_at, seat_max, at, max;
    yyjson_val *zone, *row, *seat, *key, *value;
    yyjson_arr_foreach(yyjson_obj_get(plan, "zones"), zone_at, zone_max, zone)
        yyjson_arr_foreach(yyjson_obj_get(zone, "rows"), row_at, row_max, row)
            yyjson_arr_foreach(yyjson_obj_get(row, "seats"), seat_at, seat_max, seat)
                yyjson_obj_foreach(seat, at, max, key, value) {
                    const char *field = yyjson_get_str(key);
                    if (count == FIELDS_MAX || is_known(field, known) || is_known(field, named))
                        continue;
                    named[count++] = field;
                    remarks->remark(
                        remarks->context,
                        usher_arena_format(remarks->arena,
                                           "seats have \"%.64s\", which usher ignores; what a "
                                           "seat has is in its \"features\"",
                                           field));
                }
}

void chart_remarks(const struct chart_file *chart, struct usher_arena *arena,
                   void (*remark)(void *context, const char *text), void *context)
{
    const struct remarks remarks = {chart, arena, remark, context};
    for (uint32_t i = 0; i < chart->section_count; i++) {
        const struct usher_section *section = &chart->sections[i];
        remark_gangways(&remarks, section);
        for (uint32_t row = 0; row < section->row_count; row++)
            if (section->rows[row].x && section->rows[row].y)
                remark_seats(&remarks, &section->rows[row]);
        remark_rows(&remarks, section);
    }
    struct message_tree tree;
    const struct message_reader reader = {.arena = arena};
    if (!chart->plan || message_parse(&reader, chart->plan, chart->plan_size, &tree) != USHER_OK)
        return;
    remark_fields(&remarks, tree.root);
    message_tree_close(&tree);
}
