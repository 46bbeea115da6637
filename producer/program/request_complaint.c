/* Tells what the library complains of by the flags that it came from, not by fields. */
#include "producer/program/request_complaint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/program/command.h"
#include "producer/program/request_items.h"

enum {
    FLAG_SIZE = 200
};

void complaint_read(struct complaint *complaint, const char *text)
{
    size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
    const char *why = strstr(text, ": ");
    *complaint = (struct complaint){.why = text};
    if (name == 0 || name >= sizeof complaint->field || !why || !strchr("[.:", text[name]))
        return;
    snprintf(complaint->field, sizeof complaint->field, "%.*s", (int)name, text);
    complaint->why = why + 2;
    const char *rest = text + name;
    if (*rest == '[') {
        complaint->has_index = true;
        complaint->index = (uint32_t)strtoul(rest + 1, NULL, 10);
        rest += strcspn(rest, "]") + 1;
    }
    rest += *rest == '.';
    if (rest < why)
        snprintf(complaint->rest, sizeof complaint->rest, "%.*s", (int)(why - rest), rest);
}

void complaint_flag_name(const char *field, char flag[64])
{
    static const char *const others[][2] = {
        {"ttl_s", "ttl"}, {"hold_ttl_s", "ttl"}, {"to_customer", "to"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i][0], field) == 0)
            field = others[i][1];
    snprintf(flag, 64, "%s", field);
    for (char *at = flag; *at != '\0'; at++)
        if (*at == '_')
            *at = '-';
}

static bool has_flag(const struct options *options, const char *flag)
{
    for (size_t i = 0; i < options->value_count; i++)
        if (strcmp(options->values[i].spec->name, flag) == 0)
            return true;
    return false;
}

/* ---- items ---- */

/* The flags that began items, each once. */
static void items_flags(const struct usher_request *request, char flag[FLAG_SIZE])
{
    size_t size = 0;
    flag[0] = '\0';
    for (uint32_t i = 0; i < request->item_count; i++) {
        const char *name = request_item_flag(&request->items[i]);
        bool known = false;
        for (uint32_t k = 0; k < i && !known; k++)
            known = request_item_flag(&request->items[k]) == name;
        if (!known && size < FLAG_SIZE)
            size += (size_t)snprintf(flag + size, FLAG_SIZE - size, "%s%s", size == 0 ? "" : ", ",
                                     name);
    }
}

/* Of items[i].rate it is --rate; of items[i] alone, or its name, what began the item. */
static bool item_flag(const struct request_origin *origin, const struct complaint *complaint,
                      char flag[FLAG_SIZE])
{
    const struct usher_request *request = origin->request;
    size_t size = strcspn(complaint->rest, "[.");
    char part[64];
    snprintf(part, sizeof part, "%.*s", (int)size, complaint->rest);
    if (complaint->index >= request->item_count)
        return false;
    if (*part != '\0' && has_flag(origin->options, part))
        snprintf(flag, FLAG_SIZE, "--%s", part);
    else
        snprintf(flag, FLAG_SIZE, "%s", request_item_flag(&request->items[complaint->index]));
    return true;
}

/* ---- definitions ---- */

/* As it was given, "--section stalls". False where it is of a file. */
static bool definition_flag(const struct definition_flags *flags, const struct complaint *complaint,
                            char flag[FLAG_SIZE])
{
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
        if (strcmp(lists[i].field, complaint->field) != 0 || !complaint->has_index ||
            complaint->index >= lists[i].count)
            continue;
        snprintf(flag, FLAG_SIZE, "%s", lists[i].origins[complaint->index]);
        return true;
    }
    return false;
}

/* Limits are two flags: those of groups[i] were given by --limit-group. */
static bool limits_flag(struct complaint *complaint, char flag[FLAG_SIZE])
{
    static const char groups[] = "groups";
    if (strcmp(complaint->field, "limits") != 0)
        return false;
    bool group = strncmp(complaint->rest, groups, strlen(groups)) == 0;
    snprintf(flag, FLAG_SIZE, "%s", group ? "--limit-group" : "--limits");
    if (!group)
        return true;
    const char *dot = strchr(complaint->rest, '.');
    const char *below = dot ? dot + 1 : "";
    memmove(complaint->rest, below, strlen(below) + 1);
    return true;
}

/* ---- all ---- */

static bool flag_of(const struct request_origin *origin, struct complaint *complaint,
                    char flag[FLAG_SIZE])
{
    char name[64];
    if (complaint->field[0] == '\0')
        return false;
    if (strcmp(complaint->field, "resource") == 0)
        return snprintf(flag, FLAG_SIZE, "RESOURCE") > 0;
    if (strcmp(complaint->field, "items") == 0 && complaint->has_index)
        return item_flag(origin, complaint, flag);
    if (strcmp(complaint->field, "items") == 0) {
        items_flags(origin->request, flag);
        return flag[0] != '\0';
    }
    if (limits_flag(complaint, flag) ||
        (origin->definition && definition_flag(origin->definition, complaint, flag)))
        return true;
    complaint_flag_name(complaint->field, name);
    if (!has_flag(origin->options, name))
        return false;
    snprintf(flag, FLAG_SIZE, "--%s", name);
    return true;
}

/* A field at the end, as in `not before "closes_at"`, is named by its flag, too. */
static void name_other_flag(const struct request_origin *origin, const char *why, char text[256])
{
    char field[64], flag[64];
    size_t size = strlen(why);
    const char *quote = size < 2 || why[size - 1] != '"' ? NULL : memrchr(why, '"', size - 1);
    snprintf(text, 256, "%s", why);
    if (!quote || quote == why)
        return;
    snprintf(field, sizeof field, "%.*s", (int)(why + size - 2 - quote), quote + 1);
    complaint_flag_name(field, flag);
    if (has_flag(origin->options, flag))
        snprintf(text, 256, "%.*s--%s", (int)(quote - why), why, flag);
}

void request_complain(const struct request_origin *origin, const char *text,
                      struct usher_error *err)
{
    struct complaint complaint;
    char flag[FLAG_SIZE], why[256];
    complaint_read(&complaint, text);
    if (!flag_of(origin, &complaint, flag)) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not build the request: %s", text);
        return;
    }
    /* What stands below an item has a flag of its own; what stands below a section has not. */
    bool below = complaint.rest[0] != '\0' && strcmp(complaint.field, "items") != 0;
    name_other_flag(origin, complaint.why, why);
    usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: %s%s%s", flag,
                    below ? complaint.rest : "", below ? ": " : "", why);
}
