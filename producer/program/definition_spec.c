/*
 * Reads one flag of a define: stalls:price=4500,rows=A:20+B:22 and the like. All that comes out
 * lives in the arena of the source; every function is FATAL with exit code 64 where the text cannot
 * be read.
 */
#include "producer/program/definition_spec.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/definition_rows.h"
#include "producer/codec/message_parse.h"
#include "producer/codec/request_fields.h"
#include "producer/program/flag_values.h"
#include "producer/program/lines.h"

/* ==== Flags ==== */

enum {
    NIGHT_ABSENT = INT32_MIN /* of a room whose pairs are not all read yet */
};

/* One flag being read. */
struct spec {
    const struct flag_source *source;
    const char *rest;  /* what is still to be read */
    char *key, *value; /* the pair read last; `key` NULL: there was none */
};

static enum usher_status bad_spec(const struct flag_source *source, const char *text,
                                  const char *wanted, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is not %s", source->what,
                    text, wanted);
    return USHER_FATAL;
}

/* ---- NAME:KEY=VALUE,... ---- */

static enum usher_status spec_begin(struct spec *spec, const struct flag_source *source,
                                    const char **name, struct usher_error *err)
{
    const char *text = source->text;
    size_t size = strcspn(text, ":");
    if (size == 0 || text[size] == '\0' || text[size + 1] == '\0')
        return bad_spec(source, text, "NAME:KEY=VALUE,...", err);
    *name = usher_arena_text(source->arena, text, size);
    *spec = (struct spec){.source = source, .rest = text + size + 1};
    return USHER_OK;
}

static enum usher_status spec_next(struct spec *spec, struct usher_error *err)
{
    spec->key = NULL;
    if (*spec->rest == '\0')
        return USHER_OK;
    size_t size = strcspn(spec->rest, ",");
    char *pair = usher_arena_text(spec->source->arena, spec->rest, size);
    char *equals = strchr(pair, '=');
    spec->rest += size + (spec->rest[size] == ',');
    if (!equals || equals == pair)
        return bad_spec(spec->source, pair,
                        "KEY=VALUE (decimals have a point, rates are joined by +)", err);
    *equals = '\0';
    spec->key = pair;
    spec->value = equals + 1;
    return USHER_OK;
}

/* ---- keys ---- */

/* Whether a pair gives the field: not the name that the flag begins with, nor what no text gives.
 */
static bool is_key(const struct message_field *field)
{
    bool is_name = field->type == MESSAGE_POOL || field->type == MESSAGE_NAME;
    return !(is_name && field->needed) && field->type != MESSAGE_OBJECT &&
           (!field->of || field->of == &definition_row_table);
}

static enum usher_status unknown_key(const struct spec *spec, const struct message_table *table,
                                     struct usher_error *err)
{
    const char *known = "";
    for (size_t i = 0; i < table->count; i++)
        if (is_key(&table->fields[i]))
            known = usher_arena_format(spec->source->arena, "%s%s%s", known,
                                       *known == '\0' ? "" : ", ", table->fields[i].name);
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: unknown \"%s\", known are %s",
                    spec->source->what, spec->key, known);
    return USHER_FATAL;
}

/* Reads the pair; each key may be given once. */
static enum usher_status read_pair(const struct spec *spec, const struct message_table *table,
                                   uint32_t *given, void *thing, struct usher_error *err)
{
    const struct message_field *field = message_field_of(table, spec->key);
    if (!field || !is_key(field))
        return unknown_key(spec, table, err);
    uint32_t bit = UINT32_C(1) << (field - table->fields);
    if ((*given & bit) != 0) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: duplicate \"%s\"",
                        spec->source->what, spec->key);
        return USHER_FATAL;
    }
    *given |= bit;
    struct flag_source value = *spec->source;
    value.text = spec->value;
    value.separator = '+';
    return flag_field(&value, field, thing, err);
}

/* Reads all pairs that are left into `thing`. */
static enum usher_status spec_pairs(struct spec *spec, const struct message_table *table,
                                    void *thing, struct usher_error *err)
{
    uint32_t given = 0;
    enum usher_status status = spec_next(spec, err);
    while (status == USHER_OK && spec->key) {
        status = read_pair(spec, table, &given, thing, err);
        if (status == USHER_OK)
            status = spec_next(spec, err);
    }
    return status;
}

/* ---- sections, rooms, products ---- */

enum usher_status spec_section(const struct flag_source *source, struct usher_section *section,
                               struct usher_error *err)
{
    struct spec spec;
    *section = (struct usher_section){0};
    enum usher_status status = spec_begin(&spec, source, &section->section, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, &section_table, section, err);
    return status;
}

static enum usher_status check_dates(const struct flag_source *source, const char *room,
                                     int32_t from, int32_t to, struct usher_error *err)
{
    if (from < to && from != NIGHT_ABSENT)
        return USHER_OK;
    if (from == NIGHT_ABSENT || to == NIGHT_ABSENT)
        usher_error_set(err, USHER_EXIT_USAGE, "%s %s: %s=DATE is missing", source->what, room,
                        from == NIGHT_ABSENT ? "from" : "to");
    else
        usher_error_set(err, USHER_EXIT_USAGE, "%s %s: from= must be before to=", source->what,
                        room);
    return USHER_FATAL;
}

enum usher_status spec_room(const struct flag_source *source, struct usher_room *room,
                            struct usher_error *err)
{
    struct spec spec;
    *room = (struct usher_room){.from = NIGHT_ABSENT, .to = NIGHT_ABSENT};
    enum usher_status status = spec_begin(&spec, source, &room->room, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, &room_table, room, err);
    return status == USHER_OK ? check_dates(source, room->room, room->from, room->to, err) : status;
}

enum usher_status spec_restriction(const struct flag_source *source,
                                   struct usher_restriction *restriction, struct usher_error *err)
{
    struct spec spec;
    *restriction = (struct usher_restriction){.from = NIGHT_ABSENT, .to = NIGHT_ABSENT};
    enum usher_status status = spec_begin(&spec, source, &restriction->room, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, &restriction_table, restriction, err);
    return status == USHER_OK
               ? check_dates(source, restriction->room, restriction->from, restriction->to, err)
               : status;
}

enum usher_status spec_product(const struct flag_source *source, struct usher_product *product,
                               struct usher_error *err)
{
    struct spec spec;
    *product = (struct usher_product){0};
    enum usher_status status = spec_begin(&spec, source, &product->product, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, &product_table, product, err);
    return status;
}

/* ---- quotas and limits ---- */

enum usher_status spec_quota(const struct flag_source *source, struct usher_quota *quota,
                             struct usher_error *err)
{
    struct spec spec;
    *quota = (struct usher_quota){0};
    enum usher_status status = spec_begin(&spec, source, &quota->quota, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, &quota_table, quota, err);
    if (status != USHER_OK || quota->pools)
        return status;
    /* In a request, an empty list removes a quota: forgetting the pools must not do that. */
    usher_error_set(err, USHER_EXIT_USAGE, "%s %s: pools=POOL+POOL is missing", source->what,
                    quota->quota);
    return USHER_FATAL;
}

enum usher_status spec_limits(const struct flag_source *source, struct usher_limits *limits,
                              struct usher_error *err)
{
    struct spec spec = {.source = source, .rest = source->text};
    if (strcmp(source->text, "none") == 0)
        return USHER_OK;
    return spec_pairs(&spec, &limits_table, limits, err);
}

enum usher_status spec_limit_group(const struct flag_source *source,
                                   struct usher_limit_group *group, struct usher_error *err)
{
    struct flag_names pools = {0};
    const char *equals = strrchr(source->text, '=');
    if (!equals)
        return bad_spec(source, source->text, "POOL+POOL=N", err);
    const char *names =
        usher_arena_text(source->arena, source->text, (size_t)(equals - source->text));
    enum usher_status status =
        flag_number(source->what, equals + 1, USHER_RESOURCE_UNITS_MAX, &group->limit, err);
    if (status == USHER_OK)
        status = flag_names(source->arena, source->what, names, '+', &pools, err);
    group->pools = pools.names;
    group->pool_count = pools.count;
    return status;
}

/* ---- rates ---- */

enum usher_status spec_rates_value(const struct flag_source *source, struct spec_rates *rates,
                                   struct usher_error *err)
{
    struct flag_rates list = {.currency = source->currency};
    rates->price_given = isdigit((unsigned char)*source->text) && !strchr(source->text, ':');
    if (rates->price_given)
        return flag_price(source->what, source->text, source->currency, &rates->price, err);
    enum usher_status status =
        flag_rates(source->arena, source->what, source->text, ',', &list, err);
    rates->rates = list.rates;
    rates->rate_count = list.count;
    return status;
}

enum usher_status spec_rates(const struct flag_source *source, struct spec_rates *rates,
                             struct usher_error *err)
{
    const char *equals = strchr(source->text, '=');
    if (!equals || equals == source->text)
        return bad_spec(source, source->text, "SECTION=RATE:PRICE,... or SECTION=PRICE", err);
    *rates = (struct spec_rates){
        .pool = usher_arena_text(source->arena, source->text, (size_t)(equals - source->text))};
    struct flag_source value = *source;
    value.text = equals + 1;
    return spec_rates_value(&value, rates, err);
}

/* ==== Files ==== */

/* Flags that a file takes the place of. */
static enum usher_status check_no_other_flags(const struct options *options,
                                              struct usher_error *err)
{
    static const char *const others[] = {"rates", "limit-group", "shows"};
    size_t count = definition_table.count + sizeof others / sizeof others[0];
    for (size_t i = 0; i < count; i++) {
        const char *flag = i < definition_table.count ? definition_table.fields[i].option->flag
                                                      : others[i - definition_table.count];
        if (!options_has(options, flag))
            continue;
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use --%s: --file holds the whole definition", flag);
        return USHER_FATAL;
    }
    return USHER_OK;
}

/* Whether the object says what is for sale. */
static bool has_definition(yyjson_val *root)
{
    size_t at, count;
    yyjson_val *key, *value;
    yyjson_obj_foreach(root, at, count, key, value)
        if (message_field_of(&definition_table, yyjson_get_str(key)))
            return true;
    return false;
}

/* Not sent: where all of its fields are mistyped, it would define an empty resource. */
static enum usher_status no_fields(const char *path, yyjson_val *root, struct usher_error *err)
{
    size_t at, count;
    yyjson_val *key, *value;
    struct nearest nearest = {.name = NULL};
    yyjson_obj_foreach(root, at, count, key, value)
        if (!nearest.name && !message_field_of(&request_table, yyjson_get_str(key)))
            nearest.name = yyjson_get_str(key);
    if (!nearest.name)
        return json_file_bad(path, "it defines nothing", err);
    for (size_t i = 0; i < definition_table.count; i++)
        nearest_offer(&nearest, definition_table.fields[i].name);
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "could not read \"%s\": it defines nothing: unknown field \"%s\"%s%s%s", path,
                    nearest.name, nearest.best ? "; did you mean \"" : "",
                    nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
    return USHER_FATAL;
}

/* A flag with the value that a field of the file has, or the field is not there. */
static bool agrees(yyjson_val *value, const char *text)
{
    return !value || !text || yyjson_equals_str(value, text);
}

static enum usher_status check_fields(const struct options *options, yyjson_val *root,
                                      struct usher_error *err)
{
    const char *path = options_text(options, "file");
    yyjson_val *resource = yyjson_obj_get(root, "resource");
    const char *argument = options->argument_count > 0 ? options->arguments[0] : NULL;
    if (!agrees(yyjson_obj_get(root, "op"), "define"))
        return json_file_bad(path, "its op is not define", err);
    if (!agrees(resource, argument))
        return json_file_bad(path, "its resource is another one", err);
    if (!resource && !argument)
        return json_file_bad(path, "it has no resource, and none was given", err);
    return USHER_OK;
}

/* Gives a field its value: in its place, or behind the others. */
static void put(yyjson_mut_doc *document, yyjson_mut_val *object, const char *name,
                const char *text)
{
    yyjson_mut_val *key = yyjson_mut_str(document, name), *value = yyjson_mut_str(document, text);
    bool is_good =
        yyjson_mut_obj_replace(object, key, value) || yyjson_mut_obj_add(object, key, value);
    assert(is_good);
}

bool definition_file_complete(yyjson_val *root, const struct usher_request *request,
                              struct usher_arena *arena, struct usher_buffer *out)
{
    if (!has_definition(root))
        return false;
    const yyjson_alc memory = message_alc(arena);
    yyjson_mut_doc *document = yyjson_mut_doc_new(&memory);
    yyjson_mut_val *object = yyjson_val_mut_copy(document, root);
    if (request->request_id)
        put(document, object, "request_id", request->request_id);
    if (request->resource)
        put(document, object, "resource", request->resource);
    if (request->only != USHER_ONLY_ABSENT)
        put(document, object, "only", only_words.names[request->only]);
    put(document, object, "op", "define");
    size_t size = 0;
    const char *text = yyjson_mut_val_write_opts(object, YYJSON_WRITE_NOFLAG, &memory, &size, NULL);
    assert(text);
    usher_buffer_append(out, text, size);
    return true;
}

enum usher_status definition_from_file(struct options *options, const struct usher_request *request,
                                       struct usher_buffer *out, struct usher_error *err)
{
    struct usher_request missing = *request;
    enum usher_status status = check_no_other_flags(options, err);
    if (status != USHER_OK)
        return status;
    struct message_tree tree;
    status = json_file_read(options_text(options, "file"), &options->arena, &tree, err);
    if (status == USHER_OK)
        status = check_fields(options, tree.root, err);
    if (status == USHER_OK) {
        if (!options_has(options, "request-id") && yyjson_obj_get(tree.root, "request_id"))
            missing.request_id = NULL;
        if (!definition_file_complete(tree.root, &missing, &options->arena, out))
            status = no_fields(options_text(options, "file"), tree.root, err);
    }
    message_tree_close(&tree);
    return status;
}
