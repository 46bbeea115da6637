/*
 * The tables of fields against the contract: request.schema.json has the same fields, types, bounds
 * and words, and asks the same of each operation. answer.schema.json has the same fields and words,
 * and requires what is always written. And the tables against themselves.
 */
#include <stdio.h>
#include <string.h>

#include <yyjson.h>

#include "producer/codec/answer_fields.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/definition_rows.h"
#include "producer/codec/request_fields.h"
#include "tests/unit/unit.h"

#define ALL_OPS ((1U << USHER_OP_COUNT) - 2) /* but NONE */
#define ALL_KINDS ((1U << (USHER_PRODUCT + 1U)) - 1)

static yyjson_doc *schema;

static int schema_close(void **state)
{
    (void)state;
    yyjson_doc_free(schema);
    return 0;
}

static int schema_read(const char *file)
{
    schema = yyjson_read_file(file, 0, NULL, NULL);
    return schema ? 0 : -1;
}

static int schema_open(void **state)
{
    (void)state;
    return schema_read("schema/messages/request.schema.json");
}

static int answer_schema_open(void **state)
{
    yyjson_doc *requests = schema;
    *state = requests;
    return schema_read("schema/messages/answer.schema.json");
}

static int answer_schema_close(void **state)
{
    yyjson_doc_free(schema);
    schema = *state;
    return 0;
}

/* ---- reading the schema ---- */

static yyjson_val *definition(const char *name)
{
    yyjson_val *found =
        yyjson_obj_get(yyjson_obj_get(yyjson_doc_get_root(schema), "definitions"), name);
    assert_non_null(found);
    return found;
}

/* What a property is in the end, behind `$ref` and `allOf`. */
static yyjson_val *resolved(yyjson_val *property)
{
    yyjson_val *all = yyjson_obj_get(property, "allOf");
    yyjson_val *ref = yyjson_obj_get(property, "$ref");
    if (all && !ref)
        ref = yyjson_obj_get(yyjson_arr_get_first(all), "$ref");
    return ref ? resolved(definition(strrchr(yyjson_get_str(ref), '/') + 1)) : property;
}

/* A keyword of the property itself, else of what it stands for. */
static yyjson_val *keyword(yyjson_val *property, const char *name)
{
    yyjson_val *own = yyjson_obj_get(property, name);
    return own ? own : yyjson_obj_get(resolved(property), name);
}

static bool is_type(yyjson_val *property, const char *type)
{
    return yyjson_equals_str(keyword(property, "type"), type);
}

static bool is_definition(yyjson_val *property, const char *name)
{
    return resolved(property) == resolved(definition(name));
}

/* Whether the keyword is `wanted`; where there is none, `otherwise` counts. */
static bool is_bound(yyjson_val *property, const char *name, int64_t wanted, int64_t otherwise)
{
    yyjson_val *value = keyword(property, name);
    return (value ? yyjson_get_sint(value) : otherwise) == wanted;
}

static bool lists(yyjson_val *array, const char *text)
{
    size_t at, count;
    yyjson_val *value;
    yyjson_arr_foreach(array, at, count, value)
        if (yyjson_equals_str(value, text))
            return true;
    return false;
}

/* ---- one field ---- */

static bool is_text(yyjson_val *property, enum message_type type, int64_t min, int64_t max)
{
    switch ((int)type) {
    case MESSAGE_ID:
        return is_definition(property, "id") && max == USHER_ID_MAX;
    case MESSAGE_POOL:
        return is_definition(property, "pool") && max == USHER_NAME_MAX;
    case MESSAGE_CURRENCY:
        return is_definition(property, "currency");
    case MESSAGE_NAME: /* of 64 bytes, or the same pattern with another bound */
        return yyjson_equals(keyword(property, "pattern"),
                             keyword(definition("name"), "pattern")) &&
               is_bound(property, "minLength", 1, 0) && is_bound(property, "maxLength", max, -1);
    case MESSAGE_ROW:
        return yyjson_equals(keyword(property, "pattern"),
                             keyword(definition("name"), "pattern")) &&
               is_bound(property, "minLength", 0, 0) && is_bound(property, "maxLength", max, -1);
    case MESSAGE_LABEL:
        return is_definition(property, "label") && is_bound(property, "minLength", min, 0) &&
               is_bound(property, "maxLength", max, -1);
    case MESSAGE_TIMEZONE:
        return is_type(property, "string") && is_bound(property, "maxLength", max, -1);
    default: /* TEXT; a pattern may say how long it is */
        return is_type(property, "string") &&
               (keyword(property, "pattern") || is_bound(property, "maxLength", max, -1));
    }
}

static bool is_word(yyjson_val *property, const struct message_words *words)
{
    yyjson_val *names = keyword(property, "enum");
    size_t count = 0;
    for (unsigned i = 0; i < words->count; i++) {
        if (!words->names[i])
            continue;
        count++;
        if (!lists(names, words->names[i]))
            return false;
    }
    return count == yyjson_arr_size(names);
}

/* Lists that the size of a message bounds have no bound of their own. */
static bool is_list(yyjson_val *property, const struct message_field *field)
{
    return is_type(property, "array") && is_bound(property, "minItems", field->min, 0) &&
           is_bound(property, "maxItems", field->max, USHER_DEFINE_SIZE_MAX);
}

static bool is_same(yyjson_val *property, const struct message_field *field)
{
    switch (field->type) {
    case MESSAGE_INTEGER:
    case MESSAGE_SECONDS:
    case MESSAGE_PRICE:
    case MESSAGE_COUNT:
        return is_type(property, "integer") && is_bound(property, "minimum", field->min, -1) &&
               is_bound(property, "maximum", field->max, -1);
    case MESSAGE_FLAG:
        return is_type(property, "boolean");
    case MESSAGE_INSTANT:
        return is_definition(property, "instant");
    case MESSAGE_NIGHT:
        return is_definition(property, "night");
    case MESSAGE_WORD:
        return is_word(property, field->words);
    case MESSAGE_RATES:
        return is_definition(property, "rates") &&
               is_bound(property, "minProperties", field->min, 0) &&
               is_bound(property, "maxProperties", field->max, -1);
    case MESSAGE_TEXTS:
        return is_list(property, field) &&
               is_text(keyword(property, "items"), (enum message_type)field->each, 0,
                       USHER_NAME_MAX);
    case MESSAGE_PARTS:
        return is_list(property, field);
    case MESSAGE_LIST: /* a value per seat: there are none of nothing */
        return is_type(property, "array");
    case MESSAGE_OBJECT:
    case MESSAGE_DRAWING:
    case MESSAGE_PART:
    case MESSAGE_MAP:
        return is_type(property, "object");
    case MESSAGE_WHETHER:
    case MESSAGE_OWN: /* of answers */
        return false;
    case MESSAGE_ID:
    case MESSAGE_NAME:
    case MESSAGE_POOL:
    case MESSAGE_ROW:
    case MESSAGE_LABEL:
    case MESSAGE_TEXT:
    case MESSAGE_CURRENCY:
    case MESSAGE_TIMEZONE:
        break;
    }
    return is_text(property, field->type, field->min, field->max);
}

/* ---- all fields ---- */

static void compare(const struct message_table *table, yyjson_val *object, const char *what)
{
    yyjson_val *properties = yyjson_obj_get(object, "properties");
    yyjson_val *required = yyjson_obj_get(object, "required");
    for (size_t i = 0; i < table->count; i++) {
        const struct message_field *field = &table->fields[i];
        yyjson_val *property = yyjson_obj_get(properties, field->name);
        if (!property)
            fail_msg("%s: the schema has no \"%s\"", what, field->name);
        if (field->needed && i > 0 && !table->fields[i - 1].needed)
            fail_msg("%s: \"%s\" is needed and does not come first", what, field->name);
        if (!is_same(property, field))
            fail_msg("%s: \"%s\" is another one in the schema", what, field->name);
        if (table != &request_table && field->needed != lists(required, field->name))
            fail_msg("%s: only one of table and schema needs \"%s\"", what, field->name);
        if (field->of)
            compare(field->of,
                    resolved(field->type == MESSAGE_PARTS ? keyword(property, "items") : property),
                    field->name);
    }
    size_t at, count;
    yyjson_val *name, *property;
    yyjson_obj_foreach(properties, at, count, name, property)
        if (!message_field_of(table, yyjson_get_str(name)))
            fail_msg("%s: the table has no \"%s\"", what, yyjson_get_str(name));
}

static void each_field_is_that_of_the_schema(void **state)
{
    (void)state;
    compare(&request_table, yyjson_doc_get_root(schema), "request");
    compare(&definition_table, definition("definition"), "definition");
}

/* ---- answers ---- */

/* {"not":{}}, {"maxItems":0}, or the value that a field has where it is not given. */
static bool is_refusal(yyjson_val *property)
{
    yyjson_val *absent = yyjson_obj_get(property, "const");
    return yyjson_obj_get(property, "not") || yyjson_equals_str(absent, "all") ||
           yyjson_is_false(absent) ||
           (yyjson_obj_get(property, "maxItems") &&
            yyjson_get_int(yyjson_obj_get(property, "maxItems")) == 0);
}

/* Whether all that the schema has are words of the field; it may have fewer. */
static bool has_words(yyjson_val *property, const struct message_words *words)
{
    yyjson_val *names = keyword(property, "enum"), *name;
    size_t at, count;
    unsigned value;
    yyjson_arr_foreach(names, at, count, name)
        if (!message_word_named(words, yyjson_get_str(name), &value))
            return false;
    return names;
}

/* As a reader of answers takes them, which is lenient. */
static bool is_answered(yyjson_val *property, const struct message_field *field)
{
    yyjson_val *any = yyjson_obj_get(property, "anyOf"); /* null as well */
    switch ((int)field->type) {
    case MESSAGE_TEXT:
        return is_type(any ? yyjson_arr_get_first(any) : property, "string") ||
               keyword(property, "enum");
    case MESSAGE_WORD:
        return field->words == &reason_words ? has_words(property, field->words)
                                             : is_word(property, field->words);
    case MESSAGE_FLAG:
    case MESSAGE_WHETHER:
        return is_type(property, "boolean") || yyjson_is_true(keyword(property, "const"));
    case MESSAGE_INTEGER:
        return is_type(property, "integer");
    case MESSAGE_COUNT:
        return is_type(property, "integer") &&
               is_bound(property, "maximum", field->max, field->max);
    case MESSAGE_TEXTS:
        return is_type(property, "array") && is_type(keyword(property, "items"), "string");
    case MESSAGE_PARTS:
        return is_type(property, "array");
    case MESSAGE_OWN:
        return is_type(property, field->own->is_object ? "object" : "array") ||
               yyjson_is_true(keyword(property, "const"));
    default:
        return is_same(property, field);
    }
}

/* The row of that name for objects of the kind; NULL: they have none. */
static const struct message_field *row_of(const struct message_table *table, const char *name,
                                          uint32_t kind)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct message_field *field = &table->fields[i];
        if (strcmp(field->name, name) == 0 &&
            ((field->kinds & ALL_KINDS) == 0 || (field->kinds & kind) != 0))
            return field;
    }
    return NULL;
}

/* One of the kinds of objects that the table has, or where they are alike ALL_KINDS. */
static void compare_answered(const struct message_table *table, yyjson_val *object, uint32_t kind,
                             const char *what)
{
    yyjson_val *properties = yyjson_obj_get(object, "properties"), *name, *property;
    size_t at, count;
    yyjson_obj_foreach(properties, at, count, name, property) {
        const struct message_field *field = row_of(table, yyjson_get_str(name), kind);
        if (!field && !is_refusal(property))
            fail_msg("%s: the table has no \"%s\"", what, yyjson_get_str(name));
        if (field && !is_refusal(property) && !is_answered(property, field))
            fail_msg("%s: \"%s\" is another one in the schema", what, field->name);
    }
    for (size_t i = 0; i < table->count; i++) {
        const struct message_field *field = &table->fields[i];
        if (row_of(table, field->name, kind) && !yyjson_obj_get(properties, field->name))
            fail_msg("%s: the schema has no \"%s\"", what, field->name);
        if (field->kinds == MESSAGE_ALWAYS &&
            !lists(yyjson_obj_get(object, "required"), field->name))
            fail_msg("%s: the schema does not require \"%s\"", what, field->name);
    }
}

static yyjson_val *answered(const char *list)
{
    yyjson_val *properties = yyjson_obj_get(yyjson_doc_get_root(schema), "properties");
    return resolved(keyword(yyjson_obj_get(properties, list), "items"));
}

static void each_field_of_an_answer_is_that_of_the_schema(void **state)
{
    (void)state;
    yyjson_val *root = yyjson_doc_get_root(schema);
    compare_answered(&answer_table, root, ALL_KINDS, "answer");
    compare_answered(message_field_of(&answer_table, "source")->of,
                     yyjson_obj_get(yyjson_obj_get(root, "properties"), "source"), ALL_KINDS,
                     "source");
    static const char *const one_kind[] = {"units", "returned", "items", "bookings"};
    for (size_t i = 0; i < MESSAGE_COUNT_OF(one_kind); i++)
        compare_answered(message_field_of(&answer_table, one_kind[i])->of, answered(one_kind[i]),
                         ALL_KINDS, one_kind[i]);

    static const uint32_t kinds[] = {MESSAGE_KIND(SECTION), MESSAGE_KIND(PRODUCT),
                                     MESSAGE_KIND(ROOM)};
    yyjson_val *shapes = yyjson_obj_get(answered("pools"), "oneOf");
    assert_int_equal(yyjson_arr_size(shapes), MESSAGE_COUNT_OF(kinds));
    for (size_t i = 0; i < MESSAGE_COUNT_OF(kinds); i++)
        compare_answered(message_field_of(&answer_table, "pools")->of, yyjson_arr_get(shapes, i),
                         kinds[i], "pools");
}

/* ---- what an operation asks for ---- */

/* What the schema says of a field, by operation. */
struct asked {
    uint32_t needed_by, or_else, refused_by;
};

/* The operations that a rule is for: {"properties":{"op":{"enum":[…]}}}. */
static uint32_t ops_of(yyjson_val *rule)
{
    yyjson_val *op = yyjson_obj_get(yyjson_obj_get(yyjson_obj_get(rule, "if"), "properties"), "op");
    yyjson_val *name = yyjson_obj_get(op, "const");
    uint32_t ops = name ? 1U << usher_op_named(yyjson_get_str(name)) : 0;
    size_t at, count;
    yyjson_arr_foreach(yyjson_obj_get(op, "enum"), at, count, name)
        ops |= 1U << usher_op_named(yyjson_get_str(name));
    return ops;
}

/* A branch of a rule, for these operations. */
static void add_branch(struct asked *asked, const char *field, yyjson_val *branch, uint32_t ops)
{
    yyjson_val *any = yyjson_obj_get(branch, "anyOf");
    yyjson_val *other = yyjson_obj_get(yyjson_arr_get(any, 1), "required");
    if (lists(yyjson_obj_get(branch, "required"), field))
        asked->needed_by |= ops;
    if (other && lists(yyjson_obj_get(yyjson_arr_get_first(any), "required"), field)) {
        asked->needed_by |= ops;
        asked->or_else |= ops;
    }
    if (is_refusal(yyjson_obj_get(yyjson_obj_get(branch, "properties"), field)))
        asked->refused_by |= ops;
}

static struct asked asked_of(const char *field)
{
    yyjson_val *root = yyjson_doc_get_root(schema), *rule;
    struct asked asked = {.needed_by =
                              lists(yyjson_obj_get(root, "required"), field) ? ALL_OPS : 0};
    size_t at, count;
    yyjson_arr_foreach(yyjson_obj_get(root, "allOf"), at, count, rule) {
        uint32_t ops = ops_of(rule);
        add_branch(&asked, field, yyjson_obj_get(rule, "then"), ops);
        add_branch(&asked, field, yyjson_obj_get(rule, "else"), ALL_OPS & ~ops);
    }
    return asked;
}

static void each_operation_asks_what_the_schema_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < request_table.count; i++) {
        const struct message_field *field = &request_table.fields[i];
        struct asked asked = asked_of(field->name);
        uint32_t refused_by = field->only != 0 ? ALL_OPS & ~field->only : 0;
        if (strcmp(field->name, "op") == 0) /* without it nothing is known */
            continue;
        if ((field->needed_by & ALL_OPS) != asked.needed_by)
            fail_msg("\"%s\": needed by %x, in the schema by %x", field->name, field->needed_by,
                     asked.needed_by);
        if (field->or_else != asked.or_else)
            fail_msg("\"%s\": may have another in its place with %x, in the schema with %x",
                     field->name, field->or_else, asked.or_else);
        if (refused_by != asked.refused_by)
            fail_msg("\"%s\": refused by %x, in the schema by %x", field->name, refused_by,
                     asked.refused_by);
    }
}

/* ---- the tables themselves ---- */

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
    cmocka_unit_test(each_field_is_that_of_the_schema),
    cmocka_unit_test_setup_teardown(each_field_of_an_answer_is_that_of_the_schema,
                                    answer_schema_open, answer_schema_close),
    cmocka_unit_test(each_operation_asks_what_the_schema_says),
    cmocka_unit_test(options_give_what_operations_take),
};
UNIT_TESTS(test_codec_fields, tests, schema_open, schema_close)
