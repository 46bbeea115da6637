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

const struct contract_table *contract_tables(void)
{
    static struct contract_table tables[16];
    if (!tables[0].name) {
        const struct contract_table all[] = {
            {"request", &request_table},
            {"item", &item_table},
            {"definition", &definition_table},
            {"section", &section_table},
            {"row", &definition_row_table},
            {"room", &room_table},
            {"product", &product_table},
            {"limits", &limits_table},
            {"group", inside(&limits_table, "groups")},
            {"quota", &quota_table},
            {"answer", &answer_table},
            {"source", inside(&answer_table, "source")},
            {"units", inside(&answer_table, "units")},
            {"shortfall", inside(&answer_table, "items")},
            {"booking", inside(&answer_table, "bookings")},
        };
        memcpy(tables, all, sizeof all);
    }
    return tables;
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

void contract_put_ops(struct usher_buffer *out, uint32_t ops)
{
    const char *between = "";
    contract_put(out, "[");
    for (unsigned op = 1; op < USHER_OP_COUNT; op++) {
        if ((ops >> op & 1U) == 0)
            continue;
        contract_put(out, "%s\"%s\"", between, usher_op_name((enum usher_op)op));
        between = ", ";
    }
    contract_put(out, "]");
}

void contract_put_words(struct usher_buffer *out, const struct message_words *words)
{
    const char *between = "";
    contract_put(out, "[");
    for (unsigned i = 0; i < words->count; i++) {
        if (!words->names[i])
            continue;
        contract_put(out, "%s\"%s\"", between, words->names[i]);
        between = ", ";
    }
    contract_put(out, "]");
}
