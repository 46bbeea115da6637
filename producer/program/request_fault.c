/* Names the option that a fault of a request came from. */
#include "producer/program/request_fault.h"

#include <stdio.h>
#include <string.h>

#include "producer/program/request_items.h"

enum {
    BLAME_SIZE = 200
};

/* ---- places ---- */

/* The object of the message itself in which the fault is; NULL: it is in none. */
static const struct message_place *top_of(const struct message_fault *fault)
{
    const struct message_place *place = fault->place;
    while (place && place->up)
        place = place->up;
    return place;
}

/* The place next below `up` on the way to the fault; NULL: the fault is of `up` itself. */
static const struct message_place *below(const struct message_fault *fault,
                                         const struct message_place *up)
{
    const struct message_place *place = fault->place;
    if (place == up)
        return NULL;
    while (place->up != up)
        place = place->up;
    return place;
}

const char *request_fault_field(const struct message_fault *fault)
{
    const struct message_place *top = top_of(fault);
    return top ? top->list : fault->field;
}

/* ---- options ---- */

/* The name of the option of a field: "starts-at" of starts_at. */
static void option_of_field(const char *field, char name[64])
{
    static const char *const others[][2] = {
        {"ttl_s", "ttl"}, {"hold_ttl_s", "ttl"}, {"to_customer", "to"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i][0], field) == 0)
            field = others[i][1];
    snprintf(name, 64, "%s", field);
    for (char *at = name; *at != '\0'; at++)
        if (*at == '_')
            *at = '-';
}

static bool has_option(const struct options *options, const char *name)
{
    for (size_t i = 0; i < options->value_count; i++)
        if (strcmp(options->values[i].spec->name, name) == 0)
            return true;
    return false;
}

/* What a fault is of: an option, and the path below it that has no option of its own. */
struct blame {
    char option[BLAME_SIZE];
    const char *path; /* empty: the option itself */
};

static bool blame_field(const struct request_origin *origin, const char *field, struct blame *blame)
{
    char name[64];
    option_of_field(field, name);
    if (!has_option(origin->options, name))
        return false;
    snprintf(blame->option, BLAME_SIZE, "--%s", name);
    return true;
}

/* The options that began items, each once. */
static bool blame_all_items(const struct usher_request *request, struct blame *blame)
{
    size_t size = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const char *name = request_item_flag(&request->items[i]);
        bool known = false;
        for (uint32_t k = 0; k < i && !known; k++)
            known = request_item_flag(&request->items[k]) == name;
        if (!known && size < BLAME_SIZE)
            size += (size_t)snprintf(blame->option + size, BLAME_SIZE - size, "%s%s",
                                     size == 0 ? "" : ", ", name);
    }
    return size > 0;
}

/* A field of an item has its own option, as --rate; else it is the option that began the item. */
static bool blame_item(const struct request_origin *origin, const struct message_fault *fault,
                       const struct message_place *item, struct blame *blame)
{
    const struct message_place *inner = below(fault, item);
    const char *field = inner ? inner->list : fault->field;
    if (item->index >= origin->request->item_count)
        return false;
    if (field && has_option(origin->options, field))
        snprintf(blame->option, BLAME_SIZE, "--%s", field);
    else
        snprintf(blame->option, BLAME_SIZE, "%s",
                 request_item_flag(&origin->request->items[item->index]));
    return true;
}

/* A pool or a quota as it was given, "--section stalls"; false where it came from a file. */
static bool blame_definition(const struct request_origin *origin, const struct message_fault *fault,
                             const struct message_place *top, struct blame *blame)
{
    const struct definition_flags *flags = origin->definition;
    const struct usher_definition *definition = &flags->definition;
    const struct {
        const char *field;
        const char *const *origins;
        uint32_t count;
    } lists[] = {
        {"sections", flags->section_origins, definition->section_count},
        {"rooms", flags->room_origins, definition->room_count},
        {"products", flags->product_origins, definition->product_count},
        {"quotas", flags->quota_origins, definition->quota_count},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(lists[i].field, top->list) != 0 || top->index >= lists[i].count)
            continue;
        snprintf(blame->option, BLAME_SIZE, "%s", lists[i].origins[top->index]);
        blame->path = message_fault_path(&origin->options->arena, fault, top);
        return true;
    }
    return false;
}

/* Limits are given by two options: those of a group by --limit-group. */
static void blame_limits(const struct request_origin *origin, const struct message_fault *fault,
                         const struct message_place *limits, struct blame *blame)
{
    const struct message_place *group = below(fault, limits);
    bool is_group = group ? strcmp(group->list, "groups") == 0
                          : fault->field && strcmp(fault->field, "groups") == 0;
    snprintf(blame->option, BLAME_SIZE, "%s", is_group ? "--limit-group" : "--limits");
    if (group || !is_group)
        blame->path = message_fault_path(&origin->options->arena, fault, group ? group : limits);
}

static bool find_blame(const struct request_origin *origin, const struct message_fault *fault,
                       struct blame *blame)
{
    const struct message_place *top = top_of(fault);
    const char *field = request_fault_field(fault);
    if (!field)
        return false;
    if (strcmp(field, "resource") == 0)
        return snprintf(blame->option, BLAME_SIZE, "RESOURCE") > 0;
    if (strcmp(field, "items") == 0)
        return top ? blame_item(origin, fault, top, blame)
                   : blame_all_items(origin->request, blame);
    if (top && strcmp(field, "limits") == 0) {
        blame_limits(origin, fault, top, blame);
        return true;
    }
    if (top && origin->definition && blame_definition(origin, fault, top, blame))
        return true;
    if (top)
        blame->path = message_fault_path(&origin->options->arena, fault, top);
    return blame_field(origin, field, blame);
}

/* Another field of the message itself is named by its option, too; NULL: by its name. */
static const char *other_option(const struct request_origin *origin,
                                const struct message_fault *fault, char text[BLAME_SIZE])
{
    char name[64];
    if (!fault->other)
        return NULL;
    option_of_field(fault->other, name);
    if (!has_option(origin->options, name))
        return NULL;
    snprintf(text, BLAME_SIZE, "--%s", name);
    return text;
}

void request_fault_report(const struct request_origin *origin, const struct message_fault *fault,
                          struct usher_error *err)
{
    struct usher_arena *arena = &origin->options->arena;
    struct blame blame = {.path = ""};
    char other[BLAME_SIZE];
    if (!find_blame(origin, fault, &blame)) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not build the request: %s",
                        message_fault_text(arena, fault));
        return;
    }
    usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: %s%s%s", blame.option, blame.path,
                    *blame.path == '\0' ? "" : ": ",
                    message_fault_reason(arena, fault, other_option(origin, fault, other)));
}
