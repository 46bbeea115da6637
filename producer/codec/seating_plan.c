/*
 * Reads a seating plan, then makes sections and rows of its seats, and checks what concerns
 * several of them. Complaints name zone, row and seat, since people draw plans and do not see
 * their JSON.
 */
#include "producer/codec/seating_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/definition_rows.h"
#include "producer/codec/message_fields.h"
#include "producer/codec/message_parse.h"

/*
 * ==== Seats ====
 *
 * The seats of a plan in the order of its zones and rows, and the sections that they make. Does not
 * know JSON.
 */

/* Neighbours in a row of one category: what becomes a row of a section. */
struct plan_run {
    uint32_t category;
    const char *zone, *row; /* `zone` may be NULL, `row` empty */
    uint32_t first, count;  /* of the seats */
};

/* The features of a seat. */
struct plan_features {
    const char *const *names;
    uint32_t count;
};

/* An element for each seat in all of the arrays. */
struct plan_seats {
    const char **names, **numbers; /* without a number for people: its name in both */
    int32_t *x, *y, *ranks;
    struct plan_features *features;
    uint32_t count;
    struct plan_run *runs;
    uint32_t run_count;
};

struct plan_categories {
    const char **names; /* in the order listed */
    uint32_t count;
};

enum {
    PLAN_UNRANKED = INT32_MIN
};

enum {
    PLACE_SIZE = 256,
    UUID_DIGITS = 32
};

/* ---- faults ---- */

static const char *row_place(const struct plan_run *run, char text[PLACE_SIZE])
{
    if (!run->zone)
        (void)snprintf(text, PLACE_SIZE, "row \"%s\"", run->row);
    else
        (void)snprintf(text, PLACE_SIZE, "zone \"%s\", row \"%s\"", run->zone, run->row);
    return text;
}

static enum usher_status row_fail(const struct message_reader *reader, const struct plan_run *run,
                                  uint32_t count, const char *what, uint32_t most)
{
    char place[PLACE_SIZE];
    return message_fail(reader, NULL, NULL, "%s: %u %s exceed the maximum of %u",
                        row_place(run, place), count, what, most);
}

static enum usher_status seat_fail(const struct message_reader *reader, const struct plan_run *run,
                                   const char *seat, const char *what)
{
    char place[PLACE_SIZE];
    return message_fail(reader, NULL, NULL, "%s, seat \"%s\": %s", row_place(run, place), seat,
                        what);
}

/* ---- names ---- */

struct named_seat {
    const char *name;
    uint32_t seat;
};

static int compare_names(const void *left, const void *right)
{
    const struct named_seat *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->seat > b->seat) - (a->seat < b->seat);
}

static const struct plan_run *run_of(const struct plan_seats *seats, uint32_t seat)
{
    const struct plan_run *run = seats->runs;
    while (seat >= run->first + run->count)
        run++;
    return run;
}

static enum usher_status names_check(const struct message_reader *reader,
                                     const struct plan_seats *seats)
{
    struct named_seat *named = usher_arena_alloc(reader->arena, seats->count * sizeof *named);
    for (uint32_t i = 0; i < seats->count; i++)
        named[i] = (struct named_seat){seats->names[i], i};
    qsort(named, seats->count, sizeof *named, compare_names);
    for (uint32_t i = 1; i < seats->count; i++) {
        if (strcmp(named[i - 1].name, named[i].name) != 0)
            continue;
        char place[PLACE_SIZE];
        row_place(run_of(seats, named[i - 1].seat), place);
        return seat_fail(reader, run_of(seats, named[i].seat), named[i].name,
                         usher_arena_format(reader->arena, "also in %s", place));
    }
    return USHER_OK;
}

/* ---- ranks ---- */

/* All seats of a row are ranked, or none: unranked ones could not be compared. */
static enum usher_status ranks_check(const struct message_reader *reader,
                                     const struct plan_seats *seats, const struct plan_run *run,
                                     bool *ranked)
{
    uint32_t count = 0, unranked = run->first;
    for (uint32_t seat = run->first; seat < run->first + run->count; seat++)
        if (seats->ranks[seat] == PLAN_UNRANKED)
            unranked = seat;
        else
            count++;
    *ranked = count > 0;
    if (count == 0 || count == run->count)
        return USHER_OK;
    return seat_fail(reader, run, seats->names[unranked],
                     "no rank, but others in its row have one");
}

/* ---- features ---- */

struct feature_place {
    const char *feature;
    uint32_t place;
};

static int compare_features(const void *left, const void *right)
{
    const struct feature_place *a = left, *b = right;
    int order = strcmp(a->feature, b->feature);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static uint32_t features_gather(const struct plan_seats *seats, const struct plan_run *run,
                                struct feature_place *found)
{
    uint32_t count = 0;
    for (uint32_t place = 0; place < run->count; place++) {
        const struct plan_features *features = &seats->features[run->first + place];
        for (uint32_t i = 0; i < features->count; i++)
            found[count++] = (struct feature_place){features->names[i], place};
    }
    qsort(found, count, sizeof *found, compare_features);
    return count;
}

/* The features of a row with their places, each place once. `found` is sorted. */
static void features_group(const struct feature_place *found, uint32_t count,
                           struct usher_arena *arena, struct usher_row *row)
{
    struct usher_row_feature *features = usher_arena_alloc(arena, count * sizeof *features);
    uint32_t *places = usher_arena_alloc(arena, count * sizeof *places);
    uint32_t written = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = i == 0 || strcmp(found[i - 1].feature, found[i].feature) != 0;
        if (!is_new && found[i - 1].place == found[i].place)
            continue;
        if (is_new) {
            features[row->feature_count++] =
                (struct usher_row_feature){found[i].feature, places + written, 0};
        }
        places[written++] = found[i].place;
        features[row->feature_count - 1].seat_count++;
    }
    row->features = features;
}

static enum usher_status features_make(const struct message_reader *reader,
                                       const struct plan_seats *seats, const struct plan_run *run,
                                       struct usher_row *row)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < run->count; i++)
        most += seats->features[run->first + i].count;
    if (most == 0)
        return USHER_OK;
    struct feature_place *found = usher_arena_alloc(reader->arena, most * sizeof *found);
    features_group(found, features_gather(seats, run, found), reader->arena, row);
    if (row->feature_count <= DEFINITION_FEATURES_MAX)
        return USHER_OK;
    return row_fail(reader, run, row->feature_count, "features", DEFINITION_FEATURES_MAX);
}

/* ---- numbers ---- */

/* Whether it is 32 hexadecimal digits, dashes aside. */
static bool is_uuid(const char *name)
{
    size_t dashes = 0, digits = strspn(name, "0123456789abcdefABCDEF-");
    for (size_t i = 0; i < digits; i++)
        dashes += name[i] == '-';
    return name[digits] == '\0' && digits - dashes == UUID_DIGITS;
}

/* The numbers of the row's seats, or NULL: they are called by their names. */
static const char *const *numbers_make(const struct plan_seats *seats, const struct plan_run *run)
{
    for (uint32_t seat = run->first; seat < run->first + run->count; seat++)
        if (seats->numbers[seat] != seats->names[seat])
            return seats->numbers + run->first;
    return NULL;
}

/* ---- rows and sections ---- */

static enum usher_status row_make(const struct message_reader *reader,
                                  const struct plan_seats *seats, const struct plan_run *run,
                                  struct usher_row *row)
{
    if (run->count > DEFINITION_ROW_SEATS_MAX)
        return row_fail(reader, run, run->count, "seats", DEFINITION_ROW_SEATS_MAX);
    bool ranked = false;
    enum usher_status status = ranks_check(reader, seats, run, &ranked);
    if (status != USHER_OK)
        return status;
    row->row = run->row;
    row->seats = run->count;
    row->first = 1;
    row->zone = run->zone;
    row->names = seats->names + run->first;
    row->numbers = numbers_make(seats, run);
    row->ranks = ranked ? seats->ranks + run->first : NULL;
    row->x = seats->x + run->first;
    row->y = seats->y + run->first;
    return features_make(reader, seats, run, row);
}

/* The rows of each category side by side in one array; `next` has where the next one of each goes.
 */
static struct usher_row *rows_lay_out(const struct plan_seats *seats, uint32_t category_count,
                                      struct usher_arena *arena, uint32_t *next)
{
    for (uint32_t i = 0; i < seats->run_count; i++)
        next[seats->runs[i].category]++;
    uint32_t start = 0;
    for (uint32_t i = 0; i < category_count; i++) {
        uint32_t count = next[i];
        next[i] = start;
        start += count;
    }
    return usher_arena_alloc(arena, seats->run_count * sizeof(struct usher_row));
}

/*
 * Makes a section of each category that has seats. REJECT where seats do not go together: the fault
 * names zone, row and seat.
 */
static enum usher_status plan_sections(const struct plan_seats *seats,
                                       const struct plan_categories *categories,
                                       const struct message_reader *reader,
                                       const struct usher_section **sections, uint32_t *count)
{
    struct usher_arena *arena = reader->arena;
    enum usher_status status = names_check(reader, seats);
    uint32_t *next = usher_arena_alloc(arena, categories->count * sizeof *next);
    struct usher_row *rows = rows_lay_out(seats, categories->count, arena, next);
    for (uint32_t i = 0; status == USHER_OK && i < seats->run_count; i++) {
        const struct plan_run *run = &seats->runs[i];
        status = row_make(reader, seats, run, &rows[next[run->category]++]);
    }
    if (status != USHER_OK)
        return status;
    struct usher_section *made = usher_arena_alloc(arena, categories->count * sizeof *made);
    uint32_t start = 0;
    for (uint32_t i = 0; i < categories->count; i++) {
        if (next[i] > start) {
            made[(*count)++] = (struct usher_section){
                .section = categories->names[i],
                .rows = rows + start,
                .row_count = next[i] - start,
            };
        }
        start = next[i];
    }
    *sections = made;
    return USHER_OK;
}

/* ==== Decoding ==== */

enum {
    WHERE_SIZE = 256,
    LIST_MAX = USHER_DEFINE_SIZE_MAX, /* the size of the text is the bound */
};

/* A zone, row or seat that is being read. */
struct spot {
    const char *name; /* NULL or empty: counted from 1 instead */
    size_t index;
};

enum {
    IN_ZONE = 1,
    IN_ROW,
    IN_SEAT,
};

struct category {
    const char *name;
    uint32_t index; /* in the order listed */
};

struct reading {
    struct message_reader reader;
    struct spot spots[IN_SEAT]; /* zone, row, seat */
    int depth;                  /* how many of them are entered */
    struct plan_categories categories;
    struct category *by_name; /* sorted */
    struct plan_seats seats;
};

/* ---- faults ---- */

static void where_format(const struct reading *reading, char text[WHERE_SIZE])
{
    static const char *const words[IN_SEAT] = {"zone", ", row", ", seat"};
    size_t used = 0;
    for (int i = 0; i < reading->depth && i < IN_SEAT; i++) {
        const struct spot *spot = &reading->spots[i];
        bool is_named = spot->name && spot->name[0] != '\0';
        int size =
            is_named
                ? snprintf(text + used, WHERE_SIZE - used, "%s \"%.64s\"", words[i], spot->name)
                : snprintf(text + used, WHERE_SIZE - used, "%s %zu", words[i], spot->index + 1);
        used += (size_t)size;
    }
}

/* Records a fault of the element that is being read. */
static enum usher_status plan_fail(const struct reading *reading, const char *what)
{
    char where[WHERE_SIZE] = "plan";
    where_format(reading, where);
    return message_fail(&reading->reader, NULL, NULL, "%s: %s", where, what);
}

static enum usher_status fields_read(const struct reading *reading, yyjson_val *object,
                                     const struct message_table *table, void *out)
{
    struct message_fault fault = {0};
    const struct message_reader inner = {.arena = reading->reader.arena, .fault = &fault};
    if (!yyjson_is_obj(object))
        return plan_fail(reading, "not an object");
    return message_read_fields(&inner, NULL, object, table, out) == USHER_OK
               ? USHER_OK
               : plan_fail(reading, message_fault_text(inner.arena, &fault));
}

static void enter(struct reading *reading, int depth, size_t index)
{
    reading->depth = depth;
    reading->spots[depth - 1] = (struct spot){NULL, index};
}

/* ---- positions ---- */

struct point {
    double x, y;
};

/* Adds a position to the one that it is relative to. NULL: none. */
static enum usher_status point_move(const struct reading *reading, yyjson_val *position,
                                    struct point *point)
{
    if (!position)
        return USHER_OK;
    yyjson_val *x = yyjson_obj_get(position, "x"), *y = yyjson_obj_get(position, "y");
    if (!yyjson_is_num(x) || !yyjson_is_num(y))
        return plan_fail(reading, "position: x and y are not numbers");
    point->x += yyjson_get_num(x);
    point->y += yyjson_get_num(y);
    return USHER_OK;
}

static enum usher_status point_round(const struct reading *reading, const struct point *point,
                                     int32_t *x, int32_t *y)
{
    if (fabs(point->x) >= DEFINITION_POSITION_MAX || fabs(point->y) >= DEFINITION_POSITION_MAX)
        return plan_fail(reading, "position: out of range");
    *x = (int32_t)floor(point->x + 0.5);
    *y = (int32_t)floor(point->y + 0.5);
    return USHER_OK;
}

/* ---- categories ---- */

static const struct message_field category_fields[] = {
    {"name", MESSAGE_POOL, offsetof(struct category, name), .max = USHER_NAME_MAX},
};

static const struct message_table category_table = MESSAGE_TABLE(category_fields);

static int compare_categories(const void *left, const void *right)
{
    return strcmp(((const struct category *)left)->name, ((const struct category *)right)->name);
}

static enum usher_status categories_sort(struct reading *reading)
{
    struct category *sorted = reading->by_name;
    qsort(sorted, reading->categories.count, sizeof *sorted, compare_categories);
    for (uint32_t i = 1; i < reading->categories.count; i++)
        if (compare_categories(&sorted[i - 1], &sorted[i]) == 0)
            return plan_fail(reading,
                             usher_arena_format(reading->reader.arena, "duplicate category \"%s\"",
                                                sorted[i].name));
    return USHER_OK;
}

static enum usher_status categories_read(struct reading *reading, yyjson_val *list)
{
    if (!yyjson_is_arr(list))
        return plan_fail(reading, "categories: missing, or not a list");
    if (yyjson_arr_size(list) > USHER_POOLS_MAX)
        return plan_fail(reading, "categories: more than a resource may have pools");
    struct usher_arena *arena = reading->reader.arena;
    size_t at, count = yyjson_arr_size(list);
    yyjson_val *object;
    reading->categories.names = usher_arena_alloc(arena, count * sizeof(const char *));
    reading->by_name = usher_arena_alloc(arena, count * sizeof *reading->by_name);
    yyjson_arr_foreach(list, at, count, object) {
        struct category *category = &reading->by_name[at];
        enum usher_status status = fields_read(reading, object, &category_table, category);
        if (status != USHER_OK)
            return status;
        if (!category->name)
            return plan_fail(reading, "a category has no name");
        category->index = (uint32_t)at;
        reading->categories.names[at] = category->name;
    }
    reading->categories.count = (uint32_t)count;
    return count > 0 ? categories_sort(reading) : USHER_OK;
}

static const struct category *category_named(const struct reading *reading, const char *name)
{
    const struct category wanted = {name, 0};
    return bsearch(&wanted, reading->by_name, reading->categories.count, sizeof wanted,
                   compare_categories);
}

/* ---- seats ---- */

struct raw_seat {
    const char *name, *number, *category;
    yyjson_val *position, *features;
    int64_t rank;
};

static const struct message_field seat_fields[] = {
    {"seat_guid", MESSAGE_NAME, offsetof(struct raw_seat, name), .max = USHER_NAME_MAX},
    {"seat_number", MESSAGE_ROW, offsetof(struct raw_seat, number), .max = USHER_NAME_MAX},
    {"position", MESSAGE_MAP, offsetof(struct raw_seat, position), .max = 0},
    {"category", MESSAGE_TEXT, offsetof(struct raw_seat, category), .max = LIST_MAX},
    {"rank", MESSAGE_INTEGER, offsetof(struct raw_seat, rank), .max = DEFINITION_RANK_MAX},
    {"features", MESSAGE_LIST, offsetof(struct raw_seat, features), .max = DEFINITION_FEATURES_MAX},
};

static const struct message_table seat_table = MESSAGE_TABLE(seat_fields);

static const struct message_field feature_field = {"features", MESSAGE_NAME, 0,
                                                   .max = USHER_NAME_MAX};

static enum usher_status features_read(const struct reading *reading, yyjson_val *list,
                                       struct plan_features *features)
{
    struct message_fault fault = {0};
    const struct message_reader inner = {.arena = reading->reader.arena, .fault = &fault};
    features->count = (uint32_t)yyjson_arr_size(list);
    if (features->count == 0)
        return USHER_OK;
    return message_read_texts(&inner, NULL, &feature_field, list, &features->names) == USHER_OK
               ? USHER_OK
               : plan_fail(reading, message_fault_text(inner.arena, &fault));
}

static enum usher_status seat_category(const struct reading *reading, const struct raw_seat *raw,
                                       uint32_t *index)
{
    const char *name = raw->category ? raw->category : "";
    const struct category *category = category_named(reading, name);
    if (!category) {
        return plan_fail(
            reading, usher_arena_format(reading->reader.arena, "unknown category \"%.64s\"", name));
    }
    *index = category->index;
    return USHER_OK;
}

/* Appends the seat that was read to the run of the seat before it, or to a new one. */
static void seat_append(struct plan_seats *seats, const struct plan_run *place, uint32_t category)
{
    bool is_first_of_row = seats->count == place->first;
    if (is_first_of_row || seats->runs[seats->run_count - 1].category != category) {
        seats->runs[seats->run_count++] =
            (struct plan_run){category, place->zone, place->row, seats->count, 0};
    }
    seats->runs[seats->run_count - 1].count++;
    seats->count++;
}

static enum usher_status seat_read(struct reading *reading, yyjson_val *object,
                                   const struct plan_run *place, struct point point)
{
    struct raw_seat raw = {.rank = PLAN_UNRANKED};
    struct plan_seats *seats = &reading->seats;
    uint32_t category = 0, at = seats->count;
    enum usher_status status = fields_read(reading, object, &seat_table, &raw);
    if (status != USHER_OK)
        return status;
    if (!raw.name)
        return plan_fail(reading, "seat_guid: missing");
    reading->spots[IN_SEAT - 1].name = raw.name;
    if (!raw.position)
        return plan_fail(reading, "position: missing");
    status = seat_category(reading, &raw, &category);
    if (status == USHER_OK)
        status = point_move(reading, raw.position, &point);
    if (status == USHER_OK)
        status = point_round(reading, &point, &seats->x[at], &seats->y[at]);
    if (status == USHER_OK)
        status = features_read(reading, raw.features, &seats->features[at]);
    if (status != USHER_OK)
        return status;
    seats->names[at] = raw.name;
    bool has_number = raw.number && raw.number[0] != '\0' && is_uuid(raw.name);
    seats->numbers[at] = has_number ? raw.number : raw.name;
    seats->ranks[at] = (int32_t)raw.rank;
    seat_append(seats, place, category);
    return USHER_OK;
}

/* ---- rows and zones ---- */

struct raw_row {
    const char *row;
    yyjson_val *seats, *position;
};

static const struct message_field row_fields[] = {
    {"row_number", MESSAGE_ROW, offsetof(struct raw_row, row), .max = USHER_NAME_MAX},
    {"seats", MESSAGE_LIST, offsetof(struct raw_row, seats), .max = LIST_MAX},
    {"position", MESSAGE_MAP, offsetof(struct raw_row, position), .max = 0},
};

static const struct message_table row_table = MESSAGE_TABLE(row_fields);

static enum usher_status row_read(struct reading *reading, yyjson_val *object, const char *zone,
                                  struct point point)
{
    struct raw_row raw = {NULL, NULL, NULL};
    enum usher_status status = fields_read(reading, object, &row_table, &raw);
    if (status != USHER_OK)
        return status;
    if (!raw.row)
        return plan_fail(reading, "row_number: missing");
    reading->spots[IN_ROW - 1].name = raw.row;
    if (!raw.seats)
        return plan_fail(reading, "seats: missing");
    status = point_move(reading, raw.position, &point);
    const struct plan_run place = {0, zone, raw.row, reading->seats.count, 0};
    size_t at, count;
    yyjson_val *seat;
    yyjson_arr_foreach(raw.seats, at, count, seat) {
        if (status != USHER_OK)
            return status;
        enter(reading, IN_SEAT, at);
        status = seat_read(reading, seat, &place, point);
    }
    return status;
}

struct raw_zone {
    const char *name, *id;
    yyjson_val *rows, *position;
};

static const struct message_field zone_fields[] = {
    {"name", MESSAGE_ROW, offsetof(struct raw_zone, name), .max = USHER_NAME_MAX},
    {"zone_id", MESSAGE_ROW, offsetof(struct raw_zone, id), .max = USHER_NAME_MAX},
    {"rows", MESSAGE_LIST, offsetof(struct raw_zone, rows), .max = LIST_MAX},
    {"position", MESSAGE_MAP, offsetof(struct raw_zone, position), .max = 0},
};

static const struct message_table zone_table = MESSAGE_TABLE(zone_fields);

/* Zones may be without a name; NULL then. */
static const char *zone_name(const struct raw_zone *raw)
{
    if (raw->name && raw->name[0] != '\0')
        return raw->name;
    return raw->id && raw->id[0] != '\0' ? raw->id : NULL;
}

static enum usher_status zone_read(struct reading *reading, yyjson_val *object)
{
    struct raw_zone raw = {NULL, NULL, NULL, NULL};
    struct point point = {0, 0};
    enum usher_status status = fields_read(reading, object, &zone_table, &raw);
    if (status != USHER_OK)
        return status;
    reading->spots[IN_ZONE - 1].name = zone_name(&raw);
    if (!raw.rows)
        return plan_fail(reading, "rows: missing");
    status = point_move(reading, raw.position, &point);
    size_t at, count;
    yyjson_val *row;
    yyjson_arr_foreach(raw.rows, at, count, row) {
        if (status != USHER_OK)
            return status;
        enter(reading, IN_ROW, at);
        status = row_read(reading, row, zone_name(&raw), point);
    }
    return status;
}

static enum usher_status zones_read(struct reading *reading, yyjson_val *zones)
{
    size_t at, count;
    yyjson_val *zone;
    yyjson_arr_foreach(zones, at, count, zone) {
        enter(reading, IN_ZONE, at);
        enum usher_status status = zone_read(reading, zone);
        if (status != USHER_OK)
            return status;
    }
    return USHER_OK;
}

/* ---- all of it ---- */

/* Upper bound of the number of seats; what is not a list has none. */
static size_t seats_count(yyjson_val *zones)
{
    size_t zone_at, zone_count, row_at, row_count, seats = 0;
    yyjson_val *zone, *row;
    yyjson_arr_foreach(zones, zone_at, zone_count, zone)
        yyjson_arr_foreach(yyjson_obj_get(zone, "rows"), row_at, row_count, row)
            seats += yyjson_arr_size(yyjson_obj_get(row, "seats"));
    return seats;
}

static enum usher_status seats_make_room(struct reading *reading, yyjson_val *zones)
{
    struct plan_seats *seats = &reading->seats;
    struct usher_arena *arena = reading->reader.arena;
    size_t count = seats_count(zones);
    if (count == 0 || count > DEFINITION_SEATS_MAX)
        return plan_fail(reading, count == 0 ? "no seats" : "too many seats");
    seats->names = usher_arena_alloc(arena, count * sizeof *seats->names);
    seats->numbers = usher_arena_alloc(arena, count * sizeof *seats->numbers);
    seats->x = usher_arena_alloc(arena, count * sizeof *seats->x);
    seats->y = usher_arena_alloc(arena, count * sizeof *seats->y);
    seats->ranks = usher_arena_alloc(arena, count * sizeof *seats->ranks);
    seats->features = usher_arena_alloc(arena, count * sizeof *seats->features);
    seats->runs = usher_arena_alloc(arena, count * sizeof *seats->runs);
    return USHER_OK;
}

enum usher_status plan_decode(const struct message_reader *reader, yyjson_val *plan,
                              const struct usher_section **sections, uint32_t *count)
{
    struct reading reading;
    memset(&reading, 0, sizeof reading);
    reading.reader = *reader;
    yyjson_val *zones = yyjson_obj_get(plan, "zones");
    enum usher_status status = categories_read(&reading, yyjson_obj_get(plan, "categories"));
    if (status == USHER_OK && !yyjson_is_arr(zones))
        status = plan_fail(&reading, "zones: missing");
    if (status == USHER_OK)
        status = seats_make_room(&reading, zones);
    if (status == USHER_OK)
        status = zones_read(&reading, zones);
    if (status == USHER_OK)
        status = plan_sections(&reading.seats, &reading.categories, reader, sections, count);
    return status;
}
