/* The tables of fields against themselves: what is printed and read by them rests on it. */
#include <string.h>

#include "producer/codec/definition_fields.h"
#include "producer/codec/definition_rows.h"
#include "producer/codec/request_fields.h"
#include "tests/unit/unit.h"

#define ALL_OPS ((1U << USHER_OP_COUNT) - 2) /* but NONE */

static void check_order(const struct message_table *table)
{
    for (size_t i = 1; i < table->count; i++)
        if (table->fields[i].needed && !table->fields[i - 1].needed)
            fail_msg("\"%s\" is needed and does not come first", table->fields[i].name);
}

static void needed_fields_come_first(void **state)
{
    (void)state;
    const struct message_table *const tables[] = {&section_table, &definition_row_table,
                                                  &room_table,    &product_table,
                                                  &limits_table,  &quota_table};
    for (size_t i = 0; i < MESSAGE_COUNT_OF(tables); i++)
        check_order(tables[i]);
}

static uint32_t ops_with_option(const struct message_field *field)
{
    uint32_t ops = 0;
    for (unsigned op = 1; op < USHER_OP_COUNT; op++)
        if (message_field_help(field, (enum usher_op)op))
            ops |= 1U << op;
    return ops;
}

/* What an operation needs can be given on the command line, and nothing that it refuses. */
static void check_options(const struct message_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct message_field *field = &table->fields[i];
        uint32_t ops = ops_with_option(field), seen = 0;
        if (!field->option)
            continue;
        if ((field->needed_by & ALL_OPS & ~ops) != 0)
            fail_msg("\"%s\": no option for an operation that needs it", field->name);
        if (field->only != 0 && (ops & ~field->only) != 0)
            fail_msg("\"%s\": an option for an operation that refuses it", field->name);
        for (size_t k = 0; k < MESSAGE_COUNT_OF(field->option->help); k++) {
            if ((seen & field->option->help[k].ops) != 0)
                fail_msg("\"%s\": two helps for an operation", field->name);
            seen |= field->option->help[k].ops;
        }
        if (strchr(field->option->flag, '_'))
            fail_msg("\"%s\": --%s has an underscore", field->name, field->option->flag);
    }
}

static void options_give_what_operations_take(void **state)
{
    (void)state;
    check_options(&request_table);
    check_options(&item_table);
    check_options(&definition_table);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(needed_fields_come_first),
    cmocka_unit_test(options_give_what_operations_take),
};
UNIT_TESTS(test_codec_fields, tests, NULL, NULL)
