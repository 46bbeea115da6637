/*
 * Writes the chart of a resource for dashboards: the sections with their rows and seats, the rooms
 * by night, the products, and what they cost. What changes with every booking is not in it. PURE.
 */
#include "worker/display/display_chart.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "worker/inventory/rates.h"

enum {
    NUMBER_SIZE = 10 /* of a seat's number at most */
};

struct chart {
    const struct catalogue *catalogue;
    struct usher_buffer *out;
    struct usher_arena arena; /* what the chart is decoded into */
};

static void append(struct chart *chart, const char *text)
{
    usher_buffer_text(chart->out, text);
}

static void append_string(struct chart *chart, const char *name, const char *value)
{
    append(chart, name);
    usher_buffer_json_string(chart->out, value);
}

static void append_number(struct chart *chart, const char *name, int64_t value)
{
    append(chart, name);
    usher_buffer_number(chart->out, value);
}

/* ---- rates ---- */

struct rates {
    const struct usher_rate *at;
    uint32_t count;
};

/* Named ones as listed; a pool that has but a price has it as `standard`. */
static struct rates rates_of(struct chart *chart, const struct catalogue_pool *pool)
{
    if (!pool->rates) {
        struct usher_rate *standard = usher_arena_alloc(&chart->arena, sizeof *standard);
        *standard = (struct usher_rate){.rate = STANDARD_RATE, .price = pool->price};
        return (struct rates){.at = standard, .count = 1};
    }
    return (struct rates){.at = pool->rates, .count = pool->rate_count};
}

static void append_rates(struct chart *chart, const struct catalogue_pool *pool)
{
    struct rates rates = rates_of(chart, pool);
    append(chart, ",\"rates\":{");
    for (uint32_t i = 0; i < rates.count; i++) {
        append_string(chart, i == 0 ? "" : ",", rates.at[i].rate);
        append_number(chart, ":", rates.at[i].price);
    }
    append(chart, "}");
}

/* Of a section or a product, without the brace at its end. */
static void append_pool(struct chart *chart, const char *word, const struct catalogue_pool *pool)
{
    append_string(chart, word, pool->name);
    if (pool->title)
        append_string(chart, ",\"name\":", pool->title);
    append_number(chart, ",\"capacity\":", pool->capacity);
    append_rates(chart, pool);
    if (pool->properties) {
        append(chart, ",\"properties\":");
        append(chart, pool->properties);
    }
}

/* ---- rows ---- */

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

/* By hand, since labels are nearly all of a chart: "A-1","A-2", … */
static void append_numbered(struct chart *chart, const struct usher_row *row)
{
    size_t size = strlen(row->row);
    char *start = usher_buffer_reserve(chart->out, row->seats * (size + NUMBER_SIZE + 4));
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
    chart->out->size += (size_t)(to - start);
    append(chart, "]");
}

static void append_names(struct chart *chart, const struct usher_row *row)
{
    for (uint32_t i = 0; i < row->seats; i++)
        append_string(chart, i == 0 ? "[" : ",", row->names[i]);
    append(chart, "]");
}

static void append_places(struct chart *chart, const char *name, const int32_t *places,
                          uint32_t count)
{
    if (!places)
        return;
    append(chart, name);
    for (uint32_t i = 0; i < count; i++)
        append_number(chart, i == 0 ? "[" : ",", places[i]);
    append(chart, "]");
}

/* Seats by their place in the row, counted from 1, as a define has them. */
static void append_feature(struct chart *chart, const struct usher_row_feature *feature)
{
    append_string(chart, "", feature->feature);
    append(chart, ":");
    for (uint32_t i = 0; i < feature->seat_count; i++)
        append_number(chart, i == 0 ? "[" : ",", (int64_t)feature->seats[i] + 1);
    append(chart, feature->seat_count == 0 ? "[]" : "]");
}

static void append_row(struct chart *chart, const struct usher_row *row, int64_t at)
{
    append_string(chart, "{\"row\":", row->row);
    if (row->zone)
        append_string(chart, ",\"zone\":", row->zone);
    append_number(chart, ",\"at\":", at);
    append(chart, ",\"labels\":");
    if (row->names)
        append_names(chart, row);
    else
        append_numbered(chart, row);
    append_places(chart, ",\"x\":", row->x, row->seats);
    append_places(chart, ",\"y\":", row->y, row->seats);
    for (uint32_t i = 0; i < row->feature_count; i++) {
        append(chart, i == 0 ? ",\"features\":{" : ",");
        append_feature(chart, &row->features[i]);
    }
    append(chart, row->feature_count > 0 ? "}}" : "}");
}

/* ---- sections ---- */

static void append_seated(struct chart *chart, const struct usher_section *section,
                          const struct catalogue_pool *pool)
{
    append_pool(chart, "{\"section\":", pool);
    append(chart, ",\"rows\":[");
    int64_t at = pool->first_seat;
    for (uint32_t i = 0; i < section->row_count; i++) {
        append(chart, i == 0 ? "" : ",");
        append_row(chart, &section->rows[i], at);
        at += section->rows[i].seats;
    }
    assert(at == pool->first_seat + pool->capacity);
    append(chart, "]}");
}

static const struct catalogue_pool *pool_at_seat(const struct catalogue *catalogue, int64_t seat,
                                                 const char *name)
{
    for (uint32_t i = 0; i < catalogue->pool_count; i++) {
        const struct catalogue_pool *pool = &catalogue->pools[i];
        if (pool->first_seat == seat && strcmp(pool->name, name) == 0)
            return pool;
    }
    return NULL;
}

/* Returns whether there were any. */
static bool append_chart_sections(struct chart *chart)
{
    const struct catalogue *catalogue = chart->catalogue;
    const struct usher_section *sections;
    uint32_t count;
    if (!catalogue->chart)
        return false;
    enum usher_status status = usher_chart_decode(catalogue->chart, catalogue->chart_size,
                                                  &chart->arena, &sections, &count, NULL);
    assert(status == USHER_OK);
    int64_t seat = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct catalogue_pool *pool = pool_at_seat(catalogue, seat, sections[i].section);
        assert(pool);
        append(chart, i == 0 ? "" : ",");
        append_seated(chart, &sections[i], pool);
        seat += pool->capacity;
    }
    return count > 0;
}

/* Sections without rows, or products. */
static void append_counted(struct chart *chart, enum usher_kind kind, const char *word, bool some)
{
    for (uint32_t i = 0; i < chart->catalogue->pool_count; i++) {
        const struct catalogue_pool *pool = &chart->catalogue->pools[i];
        if (pool->kind == kind && pool->capacity > 0) {
            append(chart, some ? "," : "");
            append_pool(chart, word, pool);
            append(chart, "}");
            some = true;
        }
    }
}

/* ---- rooms ---- */

/* The nights of one type on sale, in order. */
struct nights {
    const struct catalogue_pool *const *at;
    struct rates *rates; /* of each */
    uint32_t count;
};

/* The nights of one type together, in order; the types by name. */
static int compare_nights(const void *left, const void *right)
{
    const struct catalogue_pool *a = *(const struct catalogue_pool *const *)left;
    const struct catalogue_pool *b = *(const struct catalogue_pool *const *)right;
    int names = strcmp(a->name, b->name);
    if (names != 0)
        return names;
    return (a->night > b->night) - (a->night < b->night);
}

/* Prices are those of the rate of that name, or null; without a name they are the capacities. */
static void append_value(struct chart *chart, const struct nights *nights, uint32_t index,
                         const char *rate)
{
    if (!rate) {
        usher_buffer_number(chart->out, nights->at[index]->capacity);
        return;
    }
    const struct rates *rates = &nights->rates[index];
    for (uint32_t i = 0; i < rates->count; i++) {
        if (strcmp(rates->at[i].rate, rate) == 0) {
            usher_buffer_number(chart->out, rates->at[i].price);
            return;
        }
    }
    append(chart, "null");
}

/* A value for each night from the first to the last, null where there is none. */
static void append_nights(struct chart *chart, const struct nights *nights, const char *rate)
{
    int32_t night = nights->at[0]->night;
    for (uint32_t i = 0; i < nights->count; i++, night++) {
        for (; night < nights->at[i]->night; night++)
            append(chart, "null,");
        append_value(chart, nights, i, rate);
        append(chart, i + 1 < nights->count ? "," : "]");
    }
}

static void append_date(struct chart *chart, const char *name, int32_t day)
{
    char text[USHER_NIGHT_SIZE];
    usher_night_format(day, text);
    append_string(chart, name, text);
}

/* Names of the rates of all nights, in the order in which they come first. */
struct names {
    const char **at;
    uint32_t count, limit;
};

static void note_name(struct names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->at[i], name) == 0)
            return;
    if (names->count == names->limit) {
        names->limit = 2 * names->limit + 8;
        names->at = memory_realloc(names->at, names->limit, sizeof *names->at);
    }
    names->at[names->count++] = name;
}

static void append_night_rates(struct chart *chart, const struct nights *nights)
{
    struct names names = {0};
    for (uint32_t i = 0; i < nights->count; i++)
        for (uint32_t j = 0; j < nights->rates[i].count; j++)
            note_name(&names, nights->rates[i].at[j].rate);
    append(chart, ",\"rates\":{");
    for (uint32_t i = 0; i < names.count; i++) {
        append_string(chart, i == 0 ? "" : ",", names.at[i]);
        append(chart, ":[");
        append_nights(chart, nights, names.at[i]);
    }
    append(chart, "}");
    free(names.at);
}

static void append_room(struct chart *chart, const struct catalogue_pool *const *at, uint32_t count)
{
    const struct nights nights = {
        .at = at,
        .count = count,
        .rates = usher_arena_alloc(&chart->arena, count * sizeof *nights.rates),
    };
    for (uint32_t i = 0; i < count; i++)
        nights.rates[i] = rates_of(chart, at[i]);
    append_string(chart, "{\"room\":", at[0]->name);
    append_date(chart, ",\"from\":", at[0]->night);
    append_date(chart, ",\"to\":", at[count - 1]->night + 1);
    append(chart, ",\"capacity\":[");
    append_nights(chart, &nights, NULL);
    append_night_rates(chart, &nights);
    append(chart, "}");
}

static void append_rooms(struct chart *chart)
{
    const struct catalogue *catalogue = chart->catalogue;
    const struct catalogue_pool **nights =
        usher_arena_alloc(&chart->arena, catalogue->pool_count * sizeof *nights);
    uint32_t count = 0;
    for (uint32_t i = 0; i < catalogue->pool_count; i++)
        if (catalogue->pools[i].kind == USHER_ROOM && catalogue->pools[i].capacity > 0)
            nights[count++] = &catalogue->pools[i];
    qsort(nights, count, sizeof *nights, compare_nights);
    for (uint32_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && strcmp(nights[first]->name, nights[next]->name) == 0;)
            next++;
        append(chart, first == 0 ? "" : ",");
        append_room(chart, nights + first, next - first);
    }
}

void display_chart_write(const struct catalogue *catalogue, struct usher_buffer *out)
{
    struct chart chart = {.catalogue = catalogue, .out = out};
    append(&chart, "{\"sections\":[");
    bool some = append_chart_sections(&chart);
    append_counted(&chart, USHER_SECTION, "{\"section\":", some);
    append(&chart, "],\"rooms\":[");
    append_rooms(&chart);
    append(&chart, "],\"products\":[");
    append_counted(&chart, USHER_PRODUCT, "{\"product\":", false);
    append(&chart, "]}");
    usher_arena_deinit(&chart.arena);
}
