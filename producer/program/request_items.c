/* Reads the items of a request from options: named seats, sections, rooms, products. */
#include "producer/program/request_items.h"

#include <string.h>

#include "producer/base/option_value.h"
#include "producer/program/flag_values.h"
#include "producer/terminal/seat_ranges.h"

enum {
    NIGHT_ABSENT = INT32_MIN /* of an item whose flags are not all read yet */
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The flags that begin an item. */
static const struct start {
    const char *flag; /* without dashes */
    enum usher_kind kind;
    bool names_list;
} starts[] = {{"section", USHER_SECTION, false},
              {"sections", USHER_SECTION, true},
              {"room", USHER_ROOM, false},
              {"product", USHER_PRODUCT, false},
              {"seats", USHER_SEATS, true}};

const char *request_item_flag(const struct usher_item *item)
{
    switch (item->kind) {
    case USHER_SEATS:
        return "--seats";
    case USHER_ROOM:
        return "--room";
    case USHER_PRODUCT:
        return "--product";
    case USHER_SECTION:
        break;
    }
    return item->section_count > 0 ? "--sections" : "--section";
}

/* One flag of the command line, and where its values are kept. */
struct reading {
    struct usher_arena *arena;
    const struct option_given *given;
    const char *what; /* "--rate" */
};

static enum usher_status read_names(const struct reading *reading, struct flag_names *names,
                                    struct usher_error *err)
{
    return flag_names(reading->arena, reading->what, reading->given->text, ',', names, err);
}

/* "A-3..A-6" as the seats that it means. FATAL: more than a request may have. */
static enum usher_status expand_seats(const struct reading *reading, struct flag_names *names,
                                      struct usher_error *err)
{
    const char **seats =
        usher_arena_alloc(reading->arena, (USHER_UNITS_MAX + 1) * sizeof(const char *));
    uint32_t count = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        struct seat_range range;
        bool is_range = seat_range_read(names->names[i], &range);
        uint32_t more = is_range ? range.last - range.first + 1 : 1;
        if (more > USHER_UNITS_MAX - count) {
            usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: more than %d seats",
                            reading->what, USHER_UNITS_MAX);
            return USHER_FATAL;
        }
        for (uint32_t k = 0; k < more; k++) {
            char label[SEAT_LABEL_SIZE];
            if (is_range)
                seat_range_label(&range, range.first + k, label);
            seats[count++] =
                is_range ? usher_arena_text(reading->arena, label, strlen(label)) : names->names[i];
        }
    }
    *names = (struct flag_names){.names = seats, .count = count};
    return USHER_OK;
}

static enum usher_status begin_item(const struct reading *reading, const struct start *start,
                                    struct usher_item *item, struct usher_error *err)
{
    struct flag_names names = {0};
    enum usher_status status = USHER_OK;
    *item = (struct usher_item){.kind = start->kind, .quantity = 1};
    if (start->kind == USHER_ROOM)
        item->from = item->to = NIGHT_ABSENT;
    if (start->names_list)
        status = read_names(reading, &names, err);
    else
        item->pool = reading->given->text;
    if (start->kind == USHER_SEATS && status == USHER_OK)
        status = expand_seats(reading, &names, err);
    if (start->kind == USHER_SEATS) {
        item->seats = names.names;
        item->seat_count = item->quantity = names.count;
    } else {
        item->sections = names.names;
        item->section_count = names.count;
    }
    return status;
}

/* ---- what belongs to an item ---- */

static enum usher_status add_quantity(const struct reading *reading, struct usher_item *item,
                                      struct usher_error *err)
{
    int64_t number = 0;
    enum usher_status status =
        flag_count(reading->what, reading->given->text, USHER_UNITS_MAX, &number, err);
    item->quantity = (uint32_t)number;
    return status;
}

static enum usher_status add_from(const struct reading *reading, struct usher_item *item,
                                  struct usher_error *err)
{
    return flag_night(reading->what, reading->given->text, &item->from, err);
}

static enum usher_status add_to(const struct reading *reading, struct usher_item *item,
                                struct usher_error *err)
{
    return flag_night(reading->what, reading->given->text, &item->to, err);
}

static enum usher_status add_together(const struct reading *reading, struct usher_item *item,
                                      struct usher_error *err)
{
    struct option_value value = {.spec = reading->given->spec};
    enum usher_status status =
        option_value_set(&value, reading->given->text, OPTION_FLAG, reading->what, err);
    item->together = value.number != 0;
    return status;
}

static enum usher_status add_rate(const struct reading *reading, struct usher_item *item,
                                  struct usher_error *err)
{
    (void)err;
    item->rate = reading->given->text;
    return USHER_OK;
}

static enum usher_status add_features(const struct reading *reading, struct usher_item *item,
                                      struct usher_error *err)
{
    struct flag_names names = {0};
    enum usher_status status = read_names(reading, &names, err);
    item->features = names.names;
    item->feature_count = names.count;
    return status;
}

static enum usher_status add_avoid(const struct reading *reading, struct usher_item *item,
                                   struct usher_error *err)
{
    struct flag_names names = {0};
    enum usher_status status = read_names(reading, &names, err);
    item->avoid = names.names;
    item->avoid_count = names.count;
    return status;
}

#define OF(kind) (1U << (kind))

/* The flags that belong to the item before them, and the kinds of items that have them. */
static const struct part {
    const char *flag;
    unsigned kinds;
    enum usher_status (*add)(const struct reading *reading, struct usher_item *item,
                             struct usher_error *err);
} parts[] = {
    {"quantity", OF(USHER_SECTION) | OF(USHER_ROOM) | OF(USHER_PRODUCT), add_quantity},
    {"from", OF(USHER_ROOM), add_from},
    {"to", OF(USHER_ROOM), add_to},
    {"rate", OF(USHER_SEATS) | OF(USHER_SECTION) | OF(USHER_ROOM) | OF(USHER_PRODUCT), add_rate},
    {"together", OF(USHER_SECTION), add_together},
    {"features", OF(USHER_SECTION), add_features},
    {"avoid", OF(USHER_SECTION), add_avoid},
};

static enum usher_status add_part(const struct reading *reading, const struct part *part,
                                  struct usher_item *item, struct usher_error *err)
{
    if (!item)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use %s: no --section, --room or --product comes before it",
                        reading->what);
    else if ((part->kinds & OF(item->kind)) == 0)
        usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: the item before has none",
                        reading->what);
    else
        return part->add(reading, item, err);
    return USHER_FATAL;
}

/* ---- all items ---- */

static enum usher_status check_nights(const struct usher_item *items, uint32_t count,
                                      struct usher_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct usher_item *item = &items[i];
        if (item->kind != USHER_ROOM)
            continue;
        if (item->from == NIGHT_ABSENT || item->to == NIGHT_ABSENT) {
            usher_error_set(err, USHER_EXIT_USAGE, "%s: missing, required by room \"%s\"",
                            item->from == NIGHT_ABSENT ? "--from" : "--to", item->pool);
            return USHER_FATAL;
        }
        if (item->from >= item->to) {
            usher_error_set(err, USHER_EXIT_USAGE, "--from: must be before --to of room \"%s\"",
                            item->pool);
            return USHER_FATAL;
        }
    }
    return USHER_OK;
}

/* Reads one flag, whatever it is. */
static enum usher_status read_given(const struct reading *reading, struct usher_item *list,
                                    uint32_t *count, struct usher_error *err)
{
    const char *flag = reading->given->spec->name;
    /* Flags of items may be repeated; bench has another --rate. */
    if (reading->given->spec->type != OPTION_LIST && reading->given->spec->type != OPTION_BOOL)
        return USHER_OK;
    for (size_t i = 0; i < COUNT(starts); i++)
        if (strcmp(starts[i].flag, flag) == 0)
            return begin_item(reading, &starts[i], &list[(*count)++], err);
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strcmp(parts[i].flag, flag) == 0)
            return add_part(reading, &parts[i], *count == 0 ? NULL : &list[*count - 1], err);
    return USHER_OK;
}

enum usher_status request_items(struct options *options, const struct usher_item **items,
                                uint32_t *count, struct usher_error *err)
{
    struct usher_item *list =
        usher_arena_alloc(&options->arena, (options->given_count + 1) * sizeof *list);
    enum usher_status status = USHER_OK;
    *items = list;
    *count = 0;
    for (size_t i = 0; status == USHER_OK && i < options->given_count; i++) {
        struct reading reading = {
            .arena = &options->arena,
            .given = &options->given[i],
            .what = usher_arena_format(&options->arena, "--%s", options->given[i].spec->name),
        };
        status = read_given(&reading, list, count, err);
    }
    return status == USHER_OK ? check_nights(list, *count, err) : status;
}
