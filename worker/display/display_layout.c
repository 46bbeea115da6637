/* The layout of a resource's seats as dashboards read it: which index is which seat. */
#include "worker/display/display_layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/json_member.h"

/* ==== Layout ==== */

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

static void append_texts(struct usher_buffer *out, const char *const *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        json_text(out, i == 0 ? "[" : ",", texts[i]);
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
        append_texts(out, row->names, row->seats);
    else
        append_numbered(out, row);
    if (row->numbers) {
        usher_buffer_text(out, ",\"numbers\":");
        append_texts(out, row->numbers, row->seats);
    }
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

/* ==== Catalogue ==== */

struct json {
    const struct catalogue *catalogue;
    struct usher_buffer *out;
    struct usher_arena arena;                   /* of rates and lists on the way */
    const struct usher_rate *prices_at, *price; /* a list, and of the rate being written in it */
};

static void append(struct json *json, const char *text)
{
    usher_buffer_text(json->out, text);
}

/* ---- rates ---- */

struct price_list {
    const struct usher_rate *at;
    uint32_t count;
};

/* Named ones as listed; a pool that has but a price has it as `standard`. */
static struct price_list rates_of(struct json *json, const struct catalogue_pool *pool)
{
    if (!pool->rates) {
        struct usher_rate *standard = usher_arena_alloc(&json->arena, sizeof *standard);
        *standard = (struct usher_rate){.rate = STANDARD_RATE, .price = pool->price};
        return (struct price_list){.at = standard, .count = 1};
    }
    return (struct price_list){.at = pool->rates, .count = pool->rate_count};
}

static void append_rates(struct json *json, const struct catalogue_pool *pool)
{
    struct price_list rates = rates_of(json, pool);
    append(json, ",\"rates\":{");
    for (uint32_t i = 0; i < rates.count; i++) {
        json_text(json->out, i == 0 ? "" : ",", rates.at[i].rate);
        json_number(json->out, ":", rates.at[i].price);
    }
    append(json, "}");
}

/* A section or a product. */
static void append_pool(struct json *json, const char *word, const struct catalogue_pool *pool)
{
    json_text(json->out, word, pool->name);
    if (pool->title)
        json_text(json->out, ",\"name\":", pool->title);
    if (pool->first_seat != CATALOGUE_NO_SEATS)
        json_number(json->out, ",\"at\":", pool->first_seat);
    json_number(json->out, ",\"capacity\":", pool->capacity);
    if (pool->overbook > 0)
        json_number(json->out, ",\"overbook\":", pool->overbook);
    append_rates(json, pool);
    if (pool->properties) {
        append(json, ",\"properties\":");
        append(json, pool->properties);
    }
    append(json, "}");
}

/* ---- sections and products ---- */

/* Sections with seats in the order of the seats, then the others in that of their definition. */
static int compare_sections(const void *left, const void *right)
{
    const struct catalogue_pool *a = *(const struct catalogue_pool *const *)left;
    const struct catalogue_pool *b = *(const struct catalogue_pool *const *)right;
    bool a_seats = a->first_seat != CATALOGUE_NO_SEATS,
         b_seats = b->first_seat != CATALOGUE_NO_SEATS;
    if (a_seats != b_seats)
        return a_seats ? -1 : 1;
    if (a_seats)
        return (a->first_seat > b->first_seat) - (a->first_seat < b->first_seat);
    return (a > b) - (a < b);
}

/* Returns those on sale of the two kinds. */
static const struct catalogue_pool **pools_of(struct json *json, enum usher_kind kind,
                                              enum usher_kind other, uint32_t *count)
{
    const struct catalogue *catalogue = json->catalogue;
    const struct catalogue_pool **pools =
        usher_arena_alloc(&json->arena, catalogue->pool_count * sizeof *pools);
    *count = 0;
    for (uint32_t i = 0; i < catalogue->pool_count; i++) {
        const struct catalogue_pool *pool = &catalogue->pools[i];
        if (pool->capacity > 0 && (pool->kind == kind || pool->kind == other))
            pools[(*count)++] = pool;
    }
    return pools;
}

static void append_sections(struct json *json)
{
    uint32_t count;
    const struct catalogue_pool **sections = pools_of(json, USHER_SEATS, USHER_SECTION, &count);
    qsort(sections, count, sizeof *sections, compare_sections);
    for (uint32_t i = 0; i < count; i++)
        append_pool(json, i == 0 ? "{\"section\":" : ",{\"section\":", sections[i]);
}

static void append_products(struct json *json)
{
    uint32_t count;
    const struct catalogue_pool **products = pools_of(json, USHER_PRODUCT, USHER_PRODUCT, &count);
    for (uint32_t i = 0; i < count; i++)
        append_pool(json, i == 0 ? "{\"product\":" : ",{\"product\":", products[i]);
}

/* ---- rooms ---- */

/* The nights of one type on sale, in order. */
struct nights {
    const struct catalogue_pool *const *at;
    struct price_list *rates; /* of each */
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

/* What is said of one night of them. */
typedef void (*night_value)(struct json *json, const struct nights *nights, uint32_t index,
                            const char *rate);

static void append_capacity(struct json *json, const struct nights *nights, uint32_t index,
                            const char *rate)
{
    (void)rate;
    json_number(json->out, "", nights->at[index]->capacity);
}

static void append_overbook(struct json *json, const struct nights *nights, uint32_t index,
                            const char *rate)
{
    (void)rate;
    json_number(json->out, "", nights->at[index]->overbook);
}

static const struct usher_rate *find_rate(const struct price_list *rates, const char *name)
{
    for (uint32_t i = 0; i < rates->count; i++)
        if (strcmp(rates->at[i].rate, name) == 0)
            return &rates->at[i];
    return NULL;
}

/* By the rate of that name, or null. */
static void append_price(struct json *json, const struct nights *nights, uint32_t index,
                         const char *rate)
{
    const struct price_list *rates = &nights->rates[index];
    if (index == 0 || rates->at != json->prices_at) {
        json->prices_at = rates->at;
        json->price = find_rate(rates, rate);
    }
    if (json->price)
        json_number(json->out, "", json->price->price);
    else
        append(json, "null");
}

/* A value for each night from the first to the last, null where there is none. */
static void append_nights(struct json *json, const struct nights *nights, night_value value,
                          const char *rate)
{
    int32_t night = nights->at[0]->night;
    append(json, "[");
    for (uint32_t i = 0; i < nights->count; i++, night++) {
        for (; night < nights->at[i]->night; night++)
            append(json, "null,");
        value(json, nights, i, rate);
        append(json, i + 1 < nights->count ? "," : "]");
    }
}

static bool any_overbook(const struct nights *nights)
{
    for (uint32_t i = 0; i < nights->count; i++)
        if (nights->at[i]->overbook > 0)
            return true;
    return false;
}

static void append_date(struct json *json, const char *name, int32_t day)
{
    char text[USHER_NIGHT_SIZE];
    usher_night_format(day, text);
    json_text(json->out, name, text);
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

/* Whether a night has other rates than the one before: mostly they have the same. */
static bool is_other(const struct nights *nights, uint32_t index)
{
    return index == 0 || nights->rates[index].at != nights->rates[index - 1].at;
}

static void append_night_rates(struct json *json, const struct nights *nights)
{
    struct names names = {0};
    for (uint32_t i = 0; i < nights->count; i++)
        for (uint32_t j = 0; j < nights->rates[i].count && is_other(nights, i); j++)
            note_name(&names, nights->rates[i].at[j].rate);
    append(json, ",\"rates\":{");
    for (uint32_t i = 0; i < names.count; i++) {
        json_text(json->out, i == 0 ? "" : ",", names.at[i]);
        append(json, ":");
        append_nights(json, nights, append_price, names.at[i]);
    }
    append(json, "}");
    free(names.at);
}

/* Runs of nights with the same stay restrictions, which are one text. */
static void append_restrictions(struct json *json, const struct nights *nights)
{
    uint32_t runs = 0;
    for (uint32_t first = 0, next; first < nights->count; first = next) {
        const struct catalogue_pool *from = nights->at[first];
        for (next = first + 1; next < nights->count &&
                               nights->at[next]->restrictions == from->restrictions &&
                               nights->at[next]->night == nights->at[next - 1]->night + 1;)
            next++;
        if (!from->restrictions)
            continue;
        append(json, runs++ == 0 ? ",\"restrictions\":[" : ",");
        append_date(json, "{\"from\":", from->night);
        append_date(json, ",\"to\":", nights->at[next - 1]->night + 1);
        append(json, ",\"rules\":");
        append(json, from->restrictions);
        append(json, "}");
    }
    append(json, runs > 0 ? "]" : "");
}

static void append_room(struct json *json, const struct catalogue_pool *const *at, uint32_t count)
{
    const struct nights nights = {
        .at = at,
        .count = count,
        .rates = usher_arena_alloc(&json->arena, count * sizeof *nights.rates),
    };
    for (uint32_t i = 0; i < count; i++)
        nights.rates[i] = rates_of(json, at[i]);
    json_text(json->out, "{\"room\":", at[0]->name);
    append_date(json, ",\"from\":", at[0]->night);
    append_date(json, ",\"to\":", at[count - 1]->night + 1);
    append(json, ",\"capacity\":");
    append_nights(json, &nights, append_capacity, NULL);
    if (any_overbook(&nights)) {
        append(json, ",\"overbook\":");
        append_nights(json, &nights, append_overbook, NULL);
    }
    append_night_rates(json, &nights);
    append_restrictions(json, &nights);
    append(json, "}");
}

static void append_rooms(struct json *json)
{
    uint32_t count;
    const struct catalogue_pool **nights = pools_of(json, USHER_ROOM, USHER_ROOM, &count);
    qsort(nights, count, sizeof *nights, compare_nights);
    for (uint32_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && strcmp(nights[first]->name, nights[next]->name) == 0;)
            next++;
        append(json, first == 0 ? "" : ",");
        append_room(json, nights + first, next - first);
    }
}

void display_catalogue_write(const struct catalogue *catalogue, struct usher_buffer *out)
{
    struct json json = {.catalogue = catalogue, .out = out};
    append(&json, "{\"sections\":[");
    append_sections(&json);
    append(&json, "],\"rooms\":[");
    append_rooms(&json);
    append(&json, "],\"products\":[");
    append_products(&json);
    append(&json, "]}");
    usher_arena_deinit(&json.arena);
}
