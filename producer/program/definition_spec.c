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

#include "producer/codec/message_parse.h"
#include "producer/program/flag_values.h"
#include "producer/program/lines.h"

/* ==== Flags ==== */

enum {
    NIGHT_ABSENT = INT32_MIN /* of a room whose pairs are not all read yet */
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One flag being read. */
struct spec {
    const struct spec_source *source;
    const char *rest;  /* what is still to be read */
    char *key, *value; /* the pair read last; `key` NULL: there was none */
};

static enum usher_status bad_spec(const struct spec_source *source, const char *text,
                                  const char *wanted, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is not %s", source->flag,
                    text, wanted);
    return USHER_FATAL;
}

/* ---- NAME:KEY=VALUE,... ---- */

static enum usher_status spec_begin(struct spec *spec, const struct spec_source *source,
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

/* What a key's value is, and where it goes. */
enum spec_type {
    SPEC_TEXT,
    SPEC_NIGHT,
    SPEC_PRICE,
    SPEC_UNITS, /* capacities */
    SPEC_QUOTA, /* a limit, which may be 0 */
    SPEC_LIMIT, /* from 1 */
    SPEC_RATES, /* a list and its count */
    SPEC_POOLS, /* a list and its count; nothing is a list of none */
    SPEC_ROWS,  /* a list and its count */
};

struct spec_key {
    const char *name;
    enum spec_type type;
    size_t offset;
    size_t beside; /* of a list: its count; of a number: the flag that says it is given, or 0 */
};

static enum usher_status unknown_key(const struct spec *spec, const struct spec_key *keys,
                                     size_t count, struct usher_error *err)
{
    char known[200] = "";
    for (size_t i = 0, size = 0; i < count && size < sizeof known; i++)
        size += (size_t)snprintf(known + size, sizeof known - size, "%s%s", i == 0 ? "" : ", ",
                                 keys[i].name);
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: unknown \"%s\", known are %s",
                    spec->source->flag, spec->key, known);
    return USHER_FATAL;
}

/* ---- values ---- */

/* A list of the arena: where its pointer and its count go. */
struct list_target {
    void *pointer;
    uint32_t *count;
};

static void put_list(const struct list_target *target, const void *list, uint32_t count)
{
    memcpy(target->pointer, &list, sizeof list);
    *target->count = count;
}

static enum usher_status read_rates(const struct spec *spec, const struct list_target *target,
                                    struct usher_error *err)
{
    struct flag_rates rates = {.currency = spec->source->currency};
    enum usher_status status =
        flag_rates(spec->source->arena, spec->source->flag, spec->value, '+', &rates, err);
    put_list(target, rates.rates, rates.count);
    return status;
}

static enum usher_status read_pools(const struct spec *spec, const struct list_target *target,
                                    struct usher_error *err)
{
    static const char *const none[1];
    struct flag_names names = {0};
    put_list(target, none, 0);
    if (*spec->value == '\0')
        return USHER_OK;
    enum usher_status status =
        flag_names(spec->source->arena, spec->source->flag, spec->value, '+', &names, err);
    put_list(target, names.names, names.count);
    return status;
}

static enum usher_status read_rows(const struct spec *spec, const struct list_target *target,
                                   struct usher_error *err)
{
    struct flag_rows rows = {0};
    enum usher_status status =
        flag_rows(spec->source->arena, spec->source->flag, spec->value, &rows, err);
    put_list(target, rows.rows, rows.count);
    return status;
}

static bool is_number(enum spec_type type)
{
    return type == SPEC_PRICE || type == SPEC_UNITS || type == SPEC_QUOTA;
}

/* Reads the value of the pair into `thing`, as the key says. */
static enum usher_status read_value(const struct spec *spec, const struct spec_key *key,
                                    void *thing, struct usher_error *err)
{
    const char *flag = spec->source->flag;
    void *at = (char *)thing + key->offset;
    void *beside = (char *)thing + key->beside;
    struct list_target list = {at, beside};
    if (is_number(key->type) && key->beside > 0)
        *(bool *)beside = true;
    switch (key->type) {
    case SPEC_NIGHT:
        return flag_night(flag, spec->value, at, err);
    case SPEC_PRICE:
        return flag_price(flag, spec->value, spec->source->currency, at, err);
    case SPEC_UNITS:
        return flag_number(flag, spec->value, USHER_CAPACITY_MAX, at, err);
    case SPEC_QUOTA:
        return flag_number(flag, spec->value, USHER_RESOURCE_UNITS_MAX, at, err);
    case SPEC_LIMIT:
        return flag_count(flag, spec->value, USHER_RESOURCE_UNITS_MAX, at, err);
    case SPEC_RATES:
        return read_rates(spec, &list, err);
    case SPEC_POOLS:
        return read_pools(spec, &list, err);
    case SPEC_ROWS:
        return read_rows(spec, &list, err);
    case SPEC_TEXT:
        memcpy(at, &spec->value, sizeof spec->value);
        break;
    }
    return USHER_OK;
}

/* The place of the pair's key among those known, which may be given once. */
static enum usher_status find_key(const struct spec *spec, const struct spec_key *keys,
                                  size_t count, uint32_t *given, size_t *found,
                                  struct usher_error *err)
{
    size_t i = 0;
    while (i < count && strcmp(keys[i].name, spec->key) != 0)
        i++;
    if (i == count)
        return unknown_key(spec, keys, count, err);
    if ((*given & (UINT32_C(1) << i)) != 0) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: duplicate \"%s\"",
                        spec->source->flag, spec->key);
        return USHER_FATAL;
    }
    *given |= UINT32_C(1) << i;
    *found = i;
    return USHER_OK;
}

/* Reads all pairs that are left into `thing`. */
static enum usher_status spec_pairs(struct spec *spec, const struct spec_key *keys, size_t count,
                                    void *thing, struct usher_error *err)
{
    uint32_t given = 0;
    enum usher_status status = spec_next(spec, err);
    while (status == USHER_OK && spec->key) {
        size_t i = 0;
        status = find_key(spec, keys, count, &given, &i, err);
        if (status == USHER_OK)
            status = read_value(spec, &keys[i], thing, err);
        if (status == USHER_OK)
            status = spec_next(spec, err);
    }
    return status;
}

/* ---- sections, rooms, products ---- */

#define IN_SECTION(member) offsetof(struct usher_section, member)

static const struct spec_key section_keys[] = {
    {"price", SPEC_PRICE, IN_SECTION(price), IN_SECTION(price_given)},
    {"rates", SPEC_RATES, IN_SECTION(rates), IN_SECTION(rate_count)},
    {"capacity", SPEC_UNITS, IN_SECTION(capacity), IN_SECTION(capacity_given)},
    {"overbook", SPEC_UNITS, IN_SECTION(overbook), IN_SECTION(overbook_given)},
    {"rows", SPEC_ROWS, IN_SECTION(rows), IN_SECTION(row_count)},
};

enum usher_status spec_section(const struct spec_source *source, struct usher_section *section,
                               struct usher_error *err)
{
    struct spec spec;
    *section = (struct usher_section){0};
    enum usher_status status = spec_begin(&spec, source, &section->section, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, section_keys, COUNT(section_keys), section, err);
    return status;
}

#define IN_ROOM(member) offsetof(struct usher_room, member)

static const struct spec_key room_keys[] = {
    {"from", SPEC_NIGHT, IN_ROOM(from), 0},
    {"to", SPEC_NIGHT, IN_ROOM(to), 0},
    {"capacity", SPEC_UNITS, IN_ROOM(capacity), IN_ROOM(capacity_given)},
    {"price", SPEC_PRICE, IN_ROOM(price), IN_ROOM(price_given)},
    {"rates", SPEC_RATES, IN_ROOM(rates), IN_ROOM(rate_count)},
    {"overbook", SPEC_UNITS, IN_ROOM(overbook), IN_ROOM(overbook_given)},
};

static enum usher_status check_nights(const struct spec_source *source,
                                      const struct usher_room *room, struct usher_error *err)
{
    if (room->from < room->to && room->from != NIGHT_ABSENT)
        return USHER_OK;
    if (room->from == NIGHT_ABSENT || room->to == NIGHT_ABSENT)
        usher_error_set(err, USHER_EXIT_USAGE, "%s %s: %s=DATE is missing", source->flag,
                        room->room, room->from == NIGHT_ABSENT ? "from" : "to");
    else
        usher_error_set(err, USHER_EXIT_USAGE, "%s %s: from= must be before to=", source->flag,
                        room->room);
    return USHER_FATAL;
}

enum usher_status spec_room(const struct spec_source *source, struct usher_room *room,
                            struct usher_error *err)
{
    struct spec spec;
    *room = (struct usher_room){.from = NIGHT_ABSENT, .to = NIGHT_ABSENT};
    enum usher_status status = spec_begin(&spec, source, &room->room, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, room_keys, COUNT(room_keys), room, err);
    return status == USHER_OK ? check_nights(source, room, err) : status;
}

#define IN_PRODUCT(member) offsetof(struct usher_product, member)

static const struct spec_key product_keys[] = {
    {"capacity", SPEC_UNITS, IN_PRODUCT(capacity), IN_PRODUCT(capacity_given)},
    {"price", SPEC_PRICE, IN_PRODUCT(price), IN_PRODUCT(price_given)},
    {"rates", SPEC_RATES, IN_PRODUCT(rates), IN_PRODUCT(rate_count)},
    {"overbook", SPEC_UNITS, IN_PRODUCT(overbook), IN_PRODUCT(overbook_given)},
    {"name", SPEC_TEXT, IN_PRODUCT(name), 0},
};

enum usher_status spec_product(const struct spec_source *source, struct usher_product *product,
                               struct usher_error *err)
{
    struct spec spec;
    *product = (struct usher_product){0};
    enum usher_status status = spec_begin(&spec, source, &product->product, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, product_keys, COUNT(product_keys), product, err);
    return status;
}

/* ---- quotas and limits ---- */

static const struct spec_key quota_keys[] = {
    {"pools", SPEC_POOLS, offsetof(struct usher_quota, pools),
     offsetof(struct usher_quota, pool_count)},
    {"limit", SPEC_QUOTA, offsetof(struct usher_quota, limit),
     offsetof(struct usher_quota, limit_given)},
};

enum usher_status spec_quota(const struct spec_source *source, struct usher_quota *quota,
                             struct usher_error *err)
{
    struct spec spec;
    *quota = (struct usher_quota){0};
    enum usher_status status = spec_begin(&spec, source, &quota->quota, err);
    if (status == USHER_OK)
        status = spec_pairs(&spec, quota_keys, COUNT(quota_keys), quota, err);
    if (status != USHER_OK || quota->pools)
        return status;
    /* In a request, an empty list removes a quota: forgetting the pools must not do that. */
    usher_error_set(err, USHER_EXIT_USAGE, "%s %s: pools=POOL+POOL is missing", source->flag,
                    quota->quota);
    return USHER_FATAL;
}

#define IN_LIMITS(member) offsetof(struct usher_limits, member)

static const struct spec_key limit_keys[] = {
    {"units_min", SPEC_LIMIT, IN_LIMITS(units_min), 0},
    {"units_per_request", SPEC_LIMIT, IN_LIMITS(units_per_request), 0},
    {"units_per_customer", SPEC_LIMIT, IN_LIMITS(units_per_customer), 0},
    {"holds_per_customer", SPEC_LIMIT, IN_LIMITS(holds_per_customer), 0},
};

enum usher_status spec_limits(const struct spec_source *source, struct usher_limits *limits,
                              struct usher_error *err)
{
    struct spec spec = {.source = source, .rest = source->text};
    if (strcmp(source->text, "none") == 0)
        return USHER_OK;
    return spec_pairs(&spec, limit_keys, COUNT(limit_keys), limits, err);
}

enum usher_status spec_limit_group(const struct spec_source *source,
                                   struct usher_limit_group *group, struct usher_error *err)
{
    struct flag_names pools = {0};
    const char *equals = strrchr(source->text, '=');
    if (!equals)
        return bad_spec(source, source->text, "POOL+POOL=N", err);
    const char *names =
        usher_arena_text(source->arena, source->text, (size_t)(equals - source->text));
    enum usher_status status =
        flag_number(source->flag, equals + 1, USHER_RESOURCE_UNITS_MAX, &group->limit, err);
    if (status == USHER_OK)
        status = flag_names(source->arena, source->flag, names, '+', &pools, err);
    group->pools = pools.names;
    group->pool_count = pools.count;
    return status;
}

/* ---- rates ---- */

enum usher_status spec_rates_value(const struct spec_source *source, struct spec_rates *rates,
                                   struct usher_error *err)
{
    struct flag_rates list = {.currency = source->currency};
    rates->price_given = isdigit((unsigned char)*source->text) && !strchr(source->text, ':');
    if (rates->price_given)
        return flag_price(source->flag, source->text, source->currency, &rates->price, err);
    enum usher_status status =
        flag_rates(source->arena, source->flag, source->text, ',', &list, err);
    rates->rates = list.rates;
    rates->rate_count = list.count;
    return status;
}

enum usher_status spec_rates(const struct spec_source *source, struct spec_rates *rates,
                             struct usher_error *err)
{
    const char *equals = strchr(source->text, '=');
    if (!equals || equals == source->text)
        return bad_spec(source, source->text, "SECTION=RATE:PRICE,... or SECTION=PRICE", err);
    *rates = (struct spec_rates){
        .pool = usher_arena_text(source->arena, source->text, (size_t)(equals - source->text))};
    struct spec_source value = *source;
    value.text = equals + 1;
    return spec_rates_value(&value, rates, err);
}

/* ==== Files ==== */

/* Flags that a file takes the place of. */
static enum usher_status check_no_other_flags(const struct options *options,
                                              struct usher_error *err)
{
    static const char *const others[] = {
        "section",     "room",      "product", "rates",    "quota",     "limits",
        "limit-group", "plan",      "chart",   "name",     "venue",     "timezone",
        "currency",    "starts-at", "ends-at", "opens-at", "closes-at", "description",
        "state",       "strategy",  "ttl",     "shows"};
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
    json_file_bad(path, reason, err);
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
        return bad_file(path, "its op is not define", err);
    if (!agrees(resource, argument))
        return bad_file(path, "its resource is another one", err);
    if (!resource && !argument)
        return bad_file(path, "it has no resource, and none was given", err);
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

void definition_file_complete(yyjson_val *root, const char *request_id, const char *resource,
                              struct usher_arena *arena, struct usher_buffer *out)
{
    const yyjson_alc memory = message_alc(arena);
    yyjson_mut_doc *document = yyjson_mut_doc_new(&memory);
    yyjson_mut_val *object = yyjson_val_mut_copy(document, root);
    if (request_id)
        put(document, object, "request_id", request_id);
    if (resource)
        put(document, object, "resource", resource);
    put(document, object, "op", "define");
    size_t size = 0;
    const char *text = yyjson_mut_val_write_opts(object, YYJSON_WRITE_NOFLAG, &memory, &size, NULL);
    assert(text);
    usher_buffer_append(out, text, size);
}

enum usher_status definition_from_file(struct options *options, const char *request_id,
                                       struct usher_buffer *out, struct usher_error *err)
{
    enum usher_status status = check_no_other_flags(options, err);
    if (status != USHER_OK)
        return status;
    struct message_tree tree;
    status = json_file_read(options_text(options, "file"), &options->arena, &tree, err);
    if (status == USHER_OK)
        status = check_fields(options, tree.root, err);
    if (status == USHER_OK)
        definition_file_complete(
            tree.root,
            options_has(options, "request-id") || !yyjson_obj_get(tree.root, "request_id")
                ? request_id
                : NULL,
            yyjson_obj_get(tree.root, "resource") ? NULL : options->arguments[0], &options->arena,
            out);
    message_tree_close(&tree);
    return status;
}
