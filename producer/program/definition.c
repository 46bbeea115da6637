/* Builds the catalogue part of a define from options and files. */
#include "producer/program/definition.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/definition_rows.h"
#include "producer/codec/message_append.h"
#include "producer/codec/message_parse.h"
#include "producer/program/flag_values.h"
#include "producer/program/lines.h"
#include "producer/terminal/terminal.h"

/* ==== Text fields ==== */

/* A plan is a file, and a chart goes with it. */
static bool is_text(const struct message_field *field)
{
    return !field->of && field->type != MESSAGE_DRAWING && strcmp(field->name, "chart") != 0;
}

const struct message_field *definition_text_after(const struct message_field *field)
{
    const struct message_field *end = definition_table.fields + definition_table.count;
    field = field ? field + 1 : definition_table.fields;
    while (field < end && !is_text(field))
        field++;
    return field < end ? field : NULL;
}

const char *definition_column(const struct message_field *field)
{
    return strchr(field->option->flag, '-') ? field->name : field->option->flag;
}

const struct message_field *definition_field(const char *column)
{
    const struct message_field *field = definition_text_after(NULL);
    while (field && strcmp(definition_column(field), column) != 0)
        field = definition_text_after(field);
    return field;
}

/* ==== Halls ==== */

/* The section with that name; NULL. */
static const struct usher_section *chart_file_section(const struct chart_file *chart,
                                                      const char *name)
{
    for (uint32_t i = 0; i < chart->section_count; i++)
        if (strcmp(chart->sections[i].section, name) == 0)
            return &chart->sections[i];
    return NULL;
}

static enum usher_status read_plan(yyjson_val *root, struct usher_arena *arena,
                                   struct chart_file *chart, struct usher_error *err)
{
    struct usher_error reason = {.text = ""};
    chart->plan = message_canonical(arena, root, MESSAGE_DIGITS_DRAWN, &chart->plan_size);
    if (usher_plan_decode(chart->plan, chart->plan_size, arena, &chart->sections,
                          &chart->section_count, &reason) == USHER_OK)
        return USHER_OK;
    return json_file_bad(chart->path, reason.text, err);
}

/* ---- the short form ---- */

/* A seat, and where it is. */
struct named_seat {
    const char *name, *section, *row;
};

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct named_seat *)left)->name,
                  ((const struct named_seat *)right)->name);
}

/* Fills in the names of all seats; returns their count. */
static size_t list_names(const struct chart_file *chart, struct usher_arena *arena,
                         struct named_seat *seats)
{
    size_t count = 0;
    for (uint32_t i = 0; i < chart->section_count; i++) {
        for (uint32_t k = 0; k < chart->sections[i].row_count; k++) {
            const struct usher_row *row = &chart->sections[i].rows[k];
            for (uint32_t seat = 0; seat < row->seats; seat++)
                seats[count++] = (struct named_seat){
                    .name = row->names
                                ? row->names[seat]
                                : usher_arena_format(arena, "%s-%u", row->row, row->first + seat),
                    .section = chart->sections[i].section,
                    .row = row->row};
        }
    }
    return count;
}

/* Requests name seats without their section, so a name is one seat of the resource. */
static enum usher_status check_names(const struct chart_file *chart, struct usher_arena *arena,
                                     struct usher_error *err)
{
    int64_t most = 1;
    for (uint32_t i = 0; i < chart->section_count; i++)
        most += definition_rows_seats(&chart->sections[i]);
    struct named_seat *seats = usher_arena_alloc(arena, (size_t)most * sizeof *seats);
    size_t count = list_names(chart, arena, seats);
    if (count > 0)
        qsort(seats, count, sizeof *seats, compare_names);
    for (size_t i = 1; i < count; i++) {
        const struct named_seat *seat = &seats[i], *other = &seats[i - 1];
        if (strcmp(seat->name, other->name) != 0)
            continue;
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "could not read \"%s\": section \"%s\", row \"%s\", seat \"%s\": also in "
                        "section \"%s\", row \"%s\"",
                        chart->path, seat->section, seat->row, seat->name, other->section,
                        other->row);
        return USHER_FATAL;
    }
    return USHER_OK;
}

/* By the library's rules for a define, so that what is read here is what a worker would read. */
static enum usher_status read_sections(yyjson_val *root, struct usher_arena *arena,
                                       struct chart_file *chart, struct usher_error *err)
{
    struct usher_error reason = {.text = ""};
    struct usher_request request;
    const char *text = usher_arena_format(
        arena,
        "{\"request_id\":\"chart\",\"op\":\"define\",\"resource\":\"chart\",\"sections\":%s}",
        message_canonical(arena, yyjson_obj_get(root, "sections"), MESSAGE_DIGITS_DRAWN,
                          &(size_t){0}));
    if (usher_request_decode(text, strlen(text), arena, &request, &reason) != USHER_OK)
        return json_file_bad(chart->path, reason.text, err);
    if (request.definition->fault)
        return json_file_bad(chart->path, request.definition->fault, err);
    chart->sections = request.definition->sections;
    chart->section_count = request.definition->section_count;
    return check_names(chart, arena, err);
}

static enum usher_status read_tree(yyjson_val *root, struct usher_arena *arena,
                                   struct chart_file *chart, struct usher_error *err)
{
    if (yyjson_obj_get(root, "zones"))
        return read_plan(root, arena, chart, err);
    if (yyjson_is_arr(yyjson_obj_get(root, "sections")))
        return read_sections(root, arena, chart, err);
    return json_file_bad(chart->path, "it has neither zones, as a seating plan, nor sections", err);
}

enum usher_status chart_file_read(const char *path, struct usher_arena *arena,
                                  struct chart_file *chart, struct usher_error *err)
{
    struct message_tree tree;
    struct usher_buffer layout = {0};
    *chart = (struct chart_file){.path = path};
    enum usher_status status = json_file_read(path, arena, &tree, err);
    if (status == USHER_OK)
        status = read_tree(tree.root, arena, chart, err);
    message_tree_close(&tree);
    if (status == USHER_OK) {
        usher_chart_encode(chart->sections, chart->section_count, &layout);
        usher_chart_name(layout.at, layout.size, chart->name);
        usher_buffer_deinit(&layout);
    }
    return status;
}

/* ==== Building ==== */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    /* A plan that is larger goes as rows in the short form, which are smaller by far. */
    PLAN_SIZE_MAX = USHER_DEFINE_SIZE_MAX - 100000,
};

/* ---- fields of one text ---- */

static enum usher_status set_fields(struct options *options, struct usher_definition *definition,
                                    struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    const struct message_field *field = definition_text_after(NULL);
    for (; status == USHER_OK && field; field = definition_text_after(field)) {
        const struct flag_source source = {
            .arena = &options->arena,
            .what = usher_arena_format(&options->arena, "--%s", field->option->flag),
            .text = options_text(options, field->option->flag),
        };
        if (source.text)
            status = flag_field(&source, field, definition, err);
    }
    return status;
}

/* ---- sections ---- */

/* The origin of pools that came with the plan; recognised by its address. */
static const char of_plan[] = "--plan";

static struct usher_section *find_section(const struct definition_flags *flags, const char *name)
{
    for (uint32_t i = 0; i < flags->definition.section_count; i++)
        if (strcmp(flags->sections[i].section, name) == 0)
            return &flags->sections[i];
    return NULL;
}

static void add_section(struct definition_flags *flags, const struct usher_section *section,
                        const char *origin)
{
    uint32_t index = flags->definition.section_count++;
    flags->sections[index] = *section;
    flags->section_origins[index] = origin;
}

/* What a flag says of a section that the plan brought, in the short form. */
static void merge_section(struct usher_section *into, const struct usher_section *from)
{
    if (from->price_given || from->rates) {
        into->price = from->price;
        into->price_given = from->price_given;
        into->rates = from->rates;
        into->rate_count = from->rate_count;
    }
    if (from->capacity_given) {
        into->capacity = from->capacity;
        into->capacity_given = true;
    }
    if (from->overbook_given) {
        into->overbook = from->overbook;
        into->overbook_given = true;
    }
    if (from->spare != 0)
        into->spare = from->spare;
    if (from->rows) {
        into->rows = from->rows;
        into->row_count = from->row_count;
    }
}

bool definition_is_of_plan(const struct definition_flags *flags,
                           const struct usher_section *section)
{
    return flags->section_origins[section - flags->sections] == of_plan;
}

static enum usher_status read_section(struct definition_flags *flags,
                                      const struct flag_source *source, struct usher_error *err)
{
    struct usher_section section;
    enum usher_status status = spec_section(source, &section, err);
    if (status != USHER_OK)
        return status;
    struct usher_section *known = find_section(flags, section.section);
    if (known && definition_is_of_plan(flags, known))
        merge_section(known, &section);
    else
        add_section(flags, &section,
                    usher_arena_format(source->arena, "--section %s", section.section));
    return USHER_OK;
}

/* ---- --rates ---- */

static enum usher_status unknown_section(const struct definition_flags *flags, const char *name,
                                         const char *what, struct usher_error *err)
{
    struct nearest nearest = {.name = name};
    for (uint32_t i = 0; i < flags->chart->section_count; i++)
        nearest_offer(&nearest, flags->chart->sections[i].section);
    usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: the plan has no section \"%s\"%s%s%s",
                    what, name, nearest.best ? "; did you mean \"" : "",
                    nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
    return USHER_FATAL;
}

static enum usher_status check_pool(const struct definition_flags *flags, const char *name,
                                    const char *what, struct usher_error *err)
{
    const struct usher_definition *definition = &flags->definition;
    for (uint32_t i = 0; i < definition->room_count; i++) {
        if (strcmp(definition->rooms[i].room, name) != 0)
            continue;
        usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: rooms have theirs in --room",
                        what);
        return USHER_FATAL;
    }
    if (!flags->chart || chart_file_section(flags->chart, name) || find_section(flags, name))
        return USHER_OK;
    return unknown_section(flags, name, what, err);
}

/* Of a product that the flags name, too. */
static bool set_product_rates(const struct definition_flags *flags, const struct spec_rates *rates)
{
    struct usher_product *products = flags->products;
    for (uint32_t i = 0; i < flags->definition.product_count; i++) {
        if (strcmp(products[i].product, rates->pool) != 0)
            continue;
        products[i].price = rates->price;
        products[i].price_given = rates->price_given;
        products[i].rates = rates->rates;
        products[i].rate_count = rates->rate_count;
        return true;
    }
    return false;
}

enum usher_status definition_set_rates(struct definition_flags *flags,
                                       const struct spec_rates *rates, const char *what,
                                       struct usher_error *err)
{
    if (set_product_rates(flags, rates))
        return USHER_OK;
    struct usher_section *section = find_section(flags, rates->pool);
    enum usher_status status = check_pool(flags, rates->pool, what, err);
    if (status != USHER_OK)
        return status;
    if (!section) {
        add_section(flags, &(struct usher_section){.section = rates->pool}, what);
        section = find_section(flags, rates->pool);
    }
    section->price = rates->price;
    section->price_given = rates->price_given;
    section->rates = rates->rates;
    section->rate_count = rates->rate_count;
    return USHER_OK;
}

/* ---- flags that may be repeated ---- */

/* The lists that the flags fill, each as long as all flags together. */
struct lists {
    struct options *options;
    struct definition_flags *flags;
    struct usher_room *rooms;
    struct usher_product *products;
    struct usher_quota *quotas;
    struct usher_restriction *restrictions;
    struct usher_limit_group *groups;
};

static enum usher_status read_rates(const struct lists *lists, const struct flag_source *source,
                                    struct usher_error *err)
{
    struct spec_rates rates;
    enum usher_status status = spec_rates(source, &rates, err);
    if (status != USHER_OK)
        return status;
    return definition_set_rates(lists->flags, &rates,
                                usher_arena_format(source->arena, "--rates %s", rates.pool), err);
}

static enum usher_status read_limits(const struct lists *lists, const struct flag_source *source,
                                     struct usher_error *err)
{
    struct usher_limits *limits = &lists->flags->limits;
    lists->flags->definition.limits = limits;
    if (strcmp(source->what, "--limits") == 0)
        return spec_limits(source, limits, err);
    return spec_limit_group(source, &lists->groups[limits->group_count++], err);
}

/* --room, --product, --quota, --restriction */
static enum usher_status read_pool(const struct lists *lists, const struct flag_source *source,
                                   struct usher_error *err)
{
    struct definition_flags *flags = lists->flags;
    struct usher_definition *definition = &flags->definition;
    const char **origin;
    const char *name;
    enum usher_status status;
    if (strcmp(source->what, "--room") == 0) {
        struct usher_room *room = &lists->rooms[definition->room_count];
        origin = &flags->room_origins[definition->room_count++];
        status = spec_room(source, room, err);
        name = room->room;
    } else if (strcmp(source->what, "--product") == 0) {
        struct usher_product *product = &lists->products[definition->product_count];
        origin = &flags->product_origins[definition->product_count++];
        status = spec_product(source, product, err);
        name = product->product;
    } else if (strcmp(source->what, "--restriction") == 0) {
        struct usher_restriction *restriction = &lists->restrictions[definition->restriction_count];
        origin = &flags->restriction_origins[definition->restriction_count++];
        status = spec_restriction(source, restriction, err);
        name = restriction->room;
    } else {
        struct usher_quota *quota = &lists->quotas[definition->quota_count];
        origin = &flags->quota_origins[definition->quota_count++];
        status = spec_quota(source, quota, err);
        name = quota->quota;
    }
    if (status == USHER_OK)
        *origin = usher_arena_format(source->arena, "%s %s", source->what, name);
    return status;
}

/* Rates may be given before the section that they are of, and are read after it. */
static enum usher_status read_given(const struct lists *lists, bool rates, struct usher_error *err)
{
    static const char *const pools[] = {"room", "product", "quota", "restriction"};
    static const char *const limits[] = {"limits", "limit-group"};
    enum usher_status status = USHER_OK;
    for (size_t i = 0; status == USHER_OK && i < lists->options->given_count; i++) {
        const struct option_given *given = &lists->options->given[i];
        const char *name = given->spec->name;
        struct flag_source source = {
            .arena = &lists->options->arena,
            .what = usher_arena_format(&lists->options->arena, "--%s", name),
            .text = given->text,
            .currency = lists->flags->definition.currency,
        };
        if (strcmp(name, "rates") == 0 && rates)
            status = read_rates(lists, &source, err);
        if (strcmp(name, "section") == 0 && !rates)
            status = read_section(lists->flags, &source, err);
        for (size_t k = 0; k < COUNT(pools) && !rates; k++)
            if (strcmp(name, pools[k]) == 0)
                status = read_pool(lists, &source, err);
        for (size_t k = 0; k < COUNT(limits) && !rates; k++)
            if (strcmp(name, limits[k]) == 0)
                status = read_limits(lists, &source, err);
    }
    return status;
}

/* ---- --plan and --chart ---- */

static enum usher_status read_chart(struct options *options, struct definition_flags *flags,
                                    struct chart_file *chart, struct usher_error *err)
{
    const char *path = options_text(options, "plan");
    flags->definition.chart = options_text(options, "chart");
    if (!path)
        return USHER_OK;
    if (flags->definition.chart) {
        usher_error_set(err, USHER_EXIT_USAGE, "give either --plan or --chart");
        return USHER_FATAL;
    }
    flags->chart = chart;
    return chart_file_read(path, &options->arena, chart, err);
}

static void add_chart(struct definition_flags *flags)
{
    const struct chart_file *chart = flags->chart;
    if (!chart)
        return;
    if (chart->plan && chart->plan_size <= PLAN_SIZE_MAX) {
        flags->definition.plan = chart->plan;
        return;
    }
    for (uint32_t i = 0; i < chart->section_count; i++)
        add_section(flags, &chart->sections[i], of_plan);
}

/* ---- what would be sold for nothing ---- */

static void warn_unpriced(const char *kind, const char *name, const char *hint)
{
    terminal_complain("usher-producer",
                      "warning: no price was given for %s \"%s\": an existing one keeps its price, "
                      "a new one costs 0 (%s)",
                      kind, name, hint);
}

static bool section_is_priced(const struct usher_section *section)
{
    return section->price_given || section->rates;
}

/* Whether it says what there is, and so may be new. */
static bool section_is_filled(const struct usher_section *section)
{
    return section->row_count > 0 || section->capacity > 0;
}

static void warn_of_plan(const struct definition_flags *flags)
{
    for (uint32_t i = 0; flags->chart && i < flags->chart->section_count; i++) {
        const char *name = flags->chart->sections[i].section;
        const struct usher_section *section = find_section(flags, name);
        char hint[USHER_NAME_MAX + 32];
        if (section && (section_is_priced(section) || !definition_is_of_plan(flags, section)))
            continue;
        snprintf(hint, sizeof hint, "--rates %s=PRICE", name);
        warn_unpriced("section", name, hint);
    }
}

void definition_warn_unpriced(const struct definition_flags *flags)
{
    const struct usher_definition *definition = &flags->definition;
    warn_of_plan(flags);
    for (uint32_t i = 0; i < definition->section_count; i++) {
        const struct usher_section *at = &definition->sections[i];
        if (section_is_filled(at) && !section_is_priced(at) && !definition_is_of_plan(flags, at))
            warn_unpriced("section", at->section, "price= or rates=");
    }
    for (uint32_t i = 0; i < definition->room_count; i++) {
        const struct usher_room *at = &definition->rooms[i];
        if (at->capacity > 0 && !at->price_given && !at->rates)
            warn_unpriced("room", at->room, "price= or rates=");
    }
    for (uint32_t i = 0; i < definition->product_count; i++) {
        const struct usher_product *at = &definition->products[i];
        if (at->capacity > 0 && !at->price_given && !at->rates)
            warn_unpriced("product", at->product, "price= or rates=");
    }
}

/* ---- all ---- */

static void make_room(struct options *options, struct definition_flags *flags, struct lists *lists)
{
    struct usher_arena *arena = &options->arena;
    size_t most = options->given_count + 1;
    size_t sections = most + (flags->chart ? flags->chart->section_count : 0);
    *lists = (struct lists){
        .options = options,
        .flags = flags,
        .rooms = usher_arena_alloc(arena, most * sizeof *lists->rooms),
        .products = usher_arena_alloc(arena, most * sizeof *lists->products),
        .quotas = usher_arena_alloc(arena, most * sizeof *lists->quotas),
        .restrictions = usher_arena_alloc(arena, most * sizeof *lists->restrictions),
        .groups = usher_arena_alloc(arena, most * sizeof *lists->groups),
    };
    flags->sections = usher_arena_alloc(arena, sections * sizeof *flags->sections);
    flags->products = lists->products;
    flags->section_origins = usher_arena_alloc(arena, sections * sizeof(char *));
    flags->room_origins = usher_arena_alloc(arena, most * sizeof(char *));
    flags->product_origins = usher_arena_alloc(arena, most * sizeof(char *));
    flags->quota_origins = usher_arena_alloc(arena, most * sizeof(char *));
    flags->restriction_origins = usher_arena_alloc(arena, most * sizeof(char *));
    flags->definition.sections = flags->sections;
    flags->definition.rooms = lists->rooms;
    flags->definition.products = lists->products;
    flags->definition.quotas = lists->quotas;
    flags->definition.restrictions = lists->restrictions;
    flags->limits.groups = lists->groups;
}

enum usher_status definition_build(struct options *options, struct definition_flags *flags,
                                   struct usher_error *err)
{
    struct chart_file *chart = usher_arena_alloc(&options->arena, sizeof *chart);
    struct lists lists;
    memset(flags, 0, sizeof *flags);
    enum usher_status status = set_fields(options, &flags->definition, err);
    if (status == USHER_OK)
        status = read_chart(options, flags, chart, err);
    if (status != USHER_OK)
        return status;
    make_room(options, flags, &lists);
    add_chart(flags);
    status = read_given(&lists, false, err);
    if (status == USHER_OK)
        status = read_given(&lists, true, err);
    return status;
}

enum usher_status definition_check_chart(const struct usher_definition *definition,
                                         struct usher_error *err)
{
    if (!definition->fault)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not use the rows: %s", definition->fault);
    return USHER_FATAL;
}
