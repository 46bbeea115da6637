/* The tables of fields by name, and the lists that more than one printer needs. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/contract/contract.h"
#include "producer/codec/answer_fields.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/definition_rows.h"
#include "producer/codec/request_fields.h"

/* The table of the objects in that field. */
static const struct message_table *inside(const struct message_table *table, const char *field)
{
    return message_field_of(table, field)->of;
}

/* The kinds of pools by their units. A section or a product is of further kinds by itself. */
#define OF_UNITS \
    (MESSAGE_KIND(SEATS) | MESSAGE_KIND(SECTION) | MESSAGE_KIND(ROOM) | MESSAGE_KIND(PRODUCT))

const struct contract_table *contract_tables(void)
{
    static struct contract_table tables[24];
    if (!tables[0].name) {
        const struct message_table *pools = inside(&answer_table, "pools");
        const struct contract_table all[] = {
            {"request", &request_table, NULL, 0},
            {"item", &item_table, NULL, 0},
            {"member", &member_table, NULL, 0},
            {"definition", &definition_table, NULL, 0},
            {"section", &section_table, NULL, 0},
            {"row", &definition_row_table, NULL, 0},
            {"room", &room_table, NULL, 0},
            {"product", &product_table, NULL, 0},
            {"limits", &limits_table, NULL, 0},
            {"group", inside(&limits_table, "groups"), NULL, 0},
            {"quota", &quota_table, NULL, 0},
            {"restriction", &restriction_table, NULL, 0},
            {"answer", &answer_table, NULL, 0},
            {"source", inside(&answer_table, "source"), NULL, 0},
            {"units", inside(&answer_table, "units"), NULL, 0},
            {"shortfall", inside(&answer_table, "items"), NULL, 0},
            {"restricted", inside(inside(&answer_table, "items"), "restricted"), NULL, 0},
            {"booking_status", inside(&answer_table, "bookings"), NULL, 0},
            {"section_status", pools, "pool", ~OF_UNITS | MESSAGE_KIND(SECTION)},
            {"product_status", pools, "pool", ~OF_UNITS | MESSAGE_KIND(PRODUCT)},
            {"room_status", pools, "nights", MESSAGE_KIND(ROOM)},
        };
        memcpy(tables, all, sizeof all);
        for (size_t i = 0; i < MESSAGE_COUNT_OF(all); i++)
            tables[i].texts = all[i].texts ? all[i].texts : all[i].name;
    }
    return tables;
}

bool contract_table_has(const struct contract_table *table, const struct message_field *field)
{
    uint32_t kinds = field->kinds & ~MESSAGE_ALWAYS;
    return table->kinds == 0 || kinds == 0 || (kinds & table->kinds) != 0;
}

const struct contract_table *contract_table_named(const char *name)
{
    for (const struct contract_table *table = contract_tables(); table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    fprintf(stderr, "contract: there is no table \"%s\"\n", name);
    abort();
}

const char *contract_table_name(const struct message_table *table)
{
    const struct contract_table *one = contract_tables();
    while (one->name && one->table != table)
        one++;
    return one->name;
}

void contract_put(struct usher_buffer *out, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    vsnprintf(usher_buffer_reserve(out, (size_t)size + 1), (size_t)size + 1, format, again);
    out->size += (size_t)size;
    va_end(again);
    va_end(arguments);
}
