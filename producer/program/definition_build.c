/*
 * Builds a define: out of flags such as stalls:price=4500,rows=A:20+B:22, or out of a file of JSON.
 */
#include "request_build.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "command.h"

enum {
    NIGHT_ABSENT = INT32_MIN /* of a room whose pairs are not all read yet */
};

/* ---- NAME:KEY=VALUE,... ---- */

/* One flag being read. */
struct spec {
    struct usher_arena *arena;
    const char *flag; /* for messages: --section */
    const char *rest; /* what is still to be read */
    char *name;
    char *key, *value; /* the pair read last */
};

static enum usher_status bad_spec(const struct spec *spec, const char *text, const char *wanted,
                                  struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is not %s", spec->flag, text,
                    wanted);
    return USHER_FATAL;
}

static enum usher_status spec_begin(struct spec *spec, const char *text, struct usher_error *err)
{
    size_t size = strcspn(text, ":");
    if (size == 0 || text[size] == '\0' || text[size + 1] == '\0')
        return bad_spec(spec, text, "NAME:KEY=VALUE,...", err);
    spec->name = usher_arena_text(spec->arena, text, size);
    spec->rest = text + size + 1;
    return USHER_OK;
}

/* Reads the next pair; none left: `key` is NULL. */
static enum usher_status spec_next(struct spec *spec, struct usher_error *err)
{
    spec->key = NULL;
    if (*spec->rest == '\0')
        return USHER_OK;
    size_t size = strcspn(spec->rest, ",");
    char *pair = usher_arena_text(spec->arena, spec->rest, size);
    char *equals = strchr(pair, '=');
    spec->rest += size + (spec->rest[size] == ',');
    if (equals == NULL || equals == pair)
        return bad_spec(spec, pair, "KEY=VALUE", err);
    *equals = '\0';
    spec->key = pair;
    spec->value = equals + 1;
    return USHER_OK;
}

static enum usher_status unknown_pair(const struct spec *spec, const char *known,
                                      struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: unknown \"%s\", known are %s",
                    spec->flag, spec->key, known);
    return USHER_FATAL;
}

/* ---- rows: A:20+B:22:5+C-F:18 ---- */

struct rows {
    struct usher_row *at;
    uint32_t count;
};

enum {
    ROWS_MAX = 1000
}; /* a flag; more come by --file */

/* A-F or 1-12 as numbers; false where the label is a row's own. */
static bool row_range(const char *label, int64_t *first, int64_t *last, bool *letters)
{
    struct usher_error ignored;
    char from[8], to[8];
    if (isupper((unsigned char)label[0]) && label[1] == '-' && isupper((unsigned char)label[2]) &&
        label[3] == '\0') {
        *first = (unsigned char)label[0];
        *last = (unsigned char)label[2];
        *letters = true;
        return true;
    }
    *letters = false;
    return sscanf(label, "%7[0-9]-%7[0-9]", from, to) == 2 &&
           strlen(from) + 1 + strlen(to) == strlen(label) &&
           flag_number("", from, ROWS_MAX, first, &ignored) == USHER_OK &&
           flag_number("", to, ROWS_MAX, last, &ignored) == USHER_OK;
}

static enum usher_status add_rows(struct spec *spec, char *text, struct rows *rows,
                                  struct usher_error *err)
{
    int64_t seats = 0, number = 1, first = 0, last = 0;
    bool letters = false;
    char *colon = strchr(text, ':');
    if (colon == NULL)
        return bad_spec(spec, text, "ROW:SEATS or ROW:SEATS:FIRST", err);
    *colon = '\0';
    char *second = strchr(colon + 1, ':');
    if (second != NULL)
        *second = '\0';
    if (flag_number(spec->flag, colon + 1, USHER_CAPACITY_MAX, &seats, err) != USHER_OK ||
        (second != NULL &&
         flag_number(spec->flag, second + 1, USHER_CAPACITY_MAX, &number, err) != USHER_OK))
        return USHER_FATAL;
    struct usher_row row = {.row = text, .seats = (uint32_t)seats, .first = (uint32_t)number};
    bool range = row_range(text, &first, &last, &letters);
    if (range && (first > last || rows->count + (last - first) >= ROWS_MAX))
        return bad_spec(spec, text, "a range of rows", err);
    for (int64_t i = first; range && i <= last; i++) {
        row.row = letters ? usher_arena_format(spec->arena, "%c", (int)i)
                          : usher_arena_format(spec->arena, "%d", (int)i);
        rows->at[rows->count++] = row;
    }
    if (!range && rows->count < ROWS_MAX)
        rows->at[rows->count++] = row;
    return USHER_OK;
}

static enum usher_status read_rows(struct spec *spec, struct usher_section *section,
                                   struct usher_error *err)
{
    struct rows rows = {.at = usher_arena_alloc(spec->arena, ROWS_MAX * sizeof *rows.at)};
    enum usher_status status = USHER_OK;
    for (const char *at = spec->value; status == USHER_OK && *at != '\0';) {
        size_t size = strcspn(at, "+");
        status = add_rows(spec, usher_arena_text(spec->arena, at, size), &rows, err);
        at += size + (at[size] == '+');
    }
    section->rows = rows.at;
    section->row_count = rows.count;
    return status;
}

/* ---- sections, rooms, products ---- */

static bool key_is(const struct spec *spec, const char *key)
{
    return strcmp(spec->key, key) == 0;
}

static enum usher_status read_price(const struct spec *spec, int64_t *price,
                                    struct usher_error *err)
{
    return flag_number(spec->flag, spec->value, USHER_PRICE_MAX, price, err);
}

static enum usher_status read_capacity(const struct spec *spec, int64_t *capacity,
                                       struct usher_error *err)
{
    return flag_number(spec->flag, spec->value, USHER_CAPACITY_MAX, capacity, err);
}

static enum usher_status read_section(struct spec *spec, struct usher_section *section,
                                      struct usher_error *err)
{
    enum usher_status status = spec_next(spec, err);
    *section = (struct usher_section){
        .section = spec->name,
        .price = USHER_ABSENT,
        .capacity = USHER_ABSENT,
        .overbook = USHER_ABSENT,
    };
    while (status == USHER_OK && spec->key != NULL) {
        if (key_is(spec, "price"))
            status = read_price(spec, &section->price, err);
        else if (key_is(spec, "capacity"))
            status = read_capacity(spec, &section->capacity, err);
        else if (key_is(spec, "rows"))
            status = read_rows(spec, section, err);
        else
            status = unknown_pair(spec, "price, capacity, rows", err);
        if (status == USHER_OK)
            status = spec_next(spec, err);
    }
    return status;
}

static enum usher_status check_nights(const struct spec *spec, const struct usher_room *room,
                                      struct usher_error *err)
{
    if (room->from < room->to && room->from != NIGHT_ABSENT)
        return USHER_OK;
    if (room->from == NIGHT_ABSENT || room->to == NIGHT_ABSENT)
        usher_error_set(err, USHER_EXIT_USAGE, "%s %s: %s=DATE is missing", spec->flag, room->room,
                        room->from == NIGHT_ABSENT ? "from" : "to");
    else
        usher_error_set(err, USHER_EXIT_USAGE, "%s %s: from= is not before to=", spec->flag,
                        room->room);
    return USHER_FATAL;
}

static enum usher_status read_room(struct spec *spec, struct usher_room *room,
                                   struct usher_error *err)
{
    enum usher_status status = spec_next(spec, err);
    *room = (struct usher_room){
        .room = spec->name,
        .from = NIGHT_ABSENT,
        .to = NIGHT_ABSENT,
        .capacity = USHER_ABSENT,
        .price = USHER_ABSENT,
        .overbook = USHER_ABSENT,
    };
    while (status == USHER_OK && spec->key != NULL) {
        if (key_is(spec, "price"))
            status = read_price(spec, &room->price, err);
        else if (key_is(spec, "capacity"))
            status = read_capacity(spec, &room->capacity, err);
        else if (key_is(spec, "from"))
            status = flag_night(spec->flag, spec->value, &room->from, err);
        else if (key_is(spec, "to"))
            status = flag_night(spec->flag, spec->value, &room->to, err);
        else
            status = unknown_pair(spec, "from, to, capacity, price", err);
        if (status == USHER_OK)
            status = spec_next(spec, err);
    }
    return status == USHER_OK ? check_nights(spec, room, err) : status;
}

static enum usher_status read_product(struct spec *spec, struct usher_product *product,
                                      struct usher_error *err)
{
    enum usher_status status = spec_next(spec, err);
    *product = (struct usher_product){
        .product = spec->name,
        .capacity = USHER_ABSENT,
        .price = USHER_ABSENT,
        .overbook = USHER_ABSENT,
    };
    while (status == USHER_OK && spec->key != NULL) {
        if (key_is(spec, "price"))
            status = read_price(spec, &product->price, err);
        else if (key_is(spec, "capacity"))
            status = read_capacity(spec, &product->capacity, err);
        else if (key_is(spec, "name"))
            product->name = spec->value;
        else
            status = unknown_pair(spec, "capacity, price, name", err);
        if (status == USHER_OK)
            status = spec_next(spec, err);
    }
    return status;
}

/* The lists that the flags fill, each as long as all flags together. */
struct lists {
    struct usher_section *sections;
    struct usher_room *rooms;
    struct usher_product *products;
};

static enum usher_status read_flag(struct options *options, const struct option_given *given,
                                   struct usher_definition *definition, const struct lists *lists,
                                   struct usher_error *err)
{
    const char *name = given->spec->name;
    struct spec spec = {.arena = &options->arena,
                        .flag = usher_arena_format(&options->arena, "--%s", name)};
    bool section = strcmp(name, "section") == 0, room = strcmp(name, "room") == 0;
    if (!section && !room && strcmp(name, "product") != 0)
        return USHER_OK;
    enum usher_status status = spec_begin(&spec, given->text, err);
    if (status != USHER_OK)
        return status;
    if (section)
        return read_section(&spec, &lists->sections[definition->section_count++], err);
    if (room)
        return read_room(&spec, &lists->rooms[definition->room_count++], err);
    return read_product(&spec, &lists->products[definition->product_count++], err);
}

static enum usher_status read_instant(const struct options *options, const char *name, int64_t *ms,
                                      struct usher_error *err)
{
    const char *text = options_text(options, name);
    *ms = USHER_ABSENT;
    if (text == NULL || usher_instant_parse(text, ms))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read --%s: \"%s\" is not an instant such as 2026-12-24T19:30:00Z",
                    name, text);
    return USHER_FATAL;
}

enum usher_status definition_build(struct options *options, struct usher_definition *definition,
                                   struct usher_error *err)
{
    size_t most = options->given_count + 1;
    struct lists lists = {
        .sections = usher_arena_alloc(&options->arena, most * sizeof *lists.sections),
        .rooms = usher_arena_alloc(&options->arena, most * sizeof *lists.rooms),
        .products = usher_arena_alloc(&options->arena, most * sizeof *lists.products),
    };
    *definition = (struct usher_definition){
        .name = options_text(options, "name"),
        .venue = options_text(options, "venue"),
        .description = options_text(options, "description"),
        .timezone = options_text(options, "timezone"),
        .currency = options_text(options, "currency"),
        .state = usher_sale_state_named(options_text(options, "state")),
        .hold_ttl_s = options_has(options, "ttl") ? options_integer(options, "ttl") : USHER_ABSENT,
        .opens_ms = USHER_ABSENT,
        .closes_ms = USHER_ABSENT,
        .sections = lists.sections,
        .rooms = lists.rooms,
        .products = lists.products,
    };
    enum usher_status status = read_instant(options, "starts-at", &definition->starts_ms, err);
    if (status == USHER_OK)
        status = read_instant(options, "ends-at", &definition->ends_ms, err);
    for (size_t i = 0; status == USHER_OK && i < options->given_count; i++)
        status = read_flag(options, &options->given[i], definition, &lists, err);
    return status;
}

/* ---- files ---- */

/* Flags that a file takes the place of. */
static enum usher_status check_no_other_flags(const struct options *options,
                                              struct usher_error *err)
{
    static const char *const others[] = {"section",     "room",     "product",  "name",
                                         "venue",       "timezone", "currency", "starts-at",
                                         "description", "ends-at",  "state",    "ttl"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (options_has(options, others[i])) {
            usher_error_set(err, USHER_EXIT_USAGE, "could not use --%s: --file says it all",
                            others[i]);
            return USHER_FATAL;
        }
    }
    return USHER_OK;
}

static enum usher_status bad_file(const char *path, const char *reason, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\": %s", path, reason);
    return USHER_FATAL;
}

static enum usher_status complete(const struct options *options, json_t *root,
                                  const char *request_id, struct usher_error *err)
{
    const char *path = options_text(options, "file");
    const json_t *op = json_object_get(root, "op"), *resource = json_object_get(root, "resource");
    const char *argument = options->argument_count > 0 ? options->arguments[0] : NULL;
    if (!json_is_object(root))
        return bad_file(path, "it is not a JSON object", err);
    if (op != NULL && (!json_is_string(op) || strcmp(json_string_value(op), "define") != 0))
        return bad_file(path, "its op is not define", err);
    if (resource != NULL && argument != NULL &&
        (!json_is_string(resource) || strcmp(json_string_value(resource), argument) != 0))
        return bad_file(path, "its resource is another one", err);
    if (resource == NULL && argument == NULL)
        return bad_file(path, "it names no resource, and none was given", err);
    if (options_has(options, "request-id") || json_object_get(root, "request_id") == NULL)
        json_object_set_new(root, "request_id", json_string(request_id));
    if (resource == NULL)
        json_object_set_new(root, "resource", json_string(argument));
    json_object_set_new(root, "op", json_string("define"));
    return USHER_OK;
}

enum usher_status definition_from_file(struct options *options, const char *request_id,
                                       struct usher_buffer *out, struct usher_error *err)
{
    const char *path = options_text(options, "file");
    json_error_t reason;
    enum usher_status status = check_no_other_flags(options, err);
    if (status != USHER_OK)
        return status;
    json_t *root = strcmp(path, "-") == 0 ? json_loadf(stdin, JSON_REJECT_DUPLICATES, &reason)
                                          : json_load_file(path, JSON_REJECT_DUPLICATES, &reason);
    if (root == NULL && json_error_code(&reason) == json_error_cannot_open_file)
        return bad_file(path, strerror(errno), err);
    if (root == NULL) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\" line %d: %s", path,
                        reason.line, reason.text);
        return USHER_FATAL;
    }
    status = complete(options, root, request_id, err);
    if (status == USHER_OK) {
        size_t size = json_dumpb(root, NULL, 0, JSON_COMPACT);
        out->size += json_dumpb(root, usher_buffer_reserve(out, size), size, JSON_COMPACT);
    }
    json_decref(root);
    return status;
}
