/* The parts of the JSON Schemas that rows say: the fields of an object, words, who needs a field.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/contract/contract.h"
#include "producer/codec/request_fields.h"

/* ---- one field ---- */

struct text {
    const char *table, *field, *shape, *text;
};

static const struct text texts[] = {
#define FIELD(table, name, shape, text) {#table, (name), (shape), (text)},
#include "deploy/contract/fields.def"
};

static const struct text *text_of(const struct contract_table *table, const char *field)
{
    static const struct text none = {NULL, NULL, "", ""};
    for (size_t i = 0; i < MESSAGE_COUNT_OF(texts); i++)
        if (strcmp(texts[i].table, table->texts) == 0 && strcmp(texts[i].field, field) == 0)
            return &texts[i];
    return &none;
}

static void put_ref(struct usher_buffer *out, const char *name, bool is_described)
{
    contract_put(out,
                 is_described ? "\"allOf\": [{\"$ref\": \"#/definitions/%s\"}]"
                              : "\"$ref\": \"#/definitions/%s\"",
                 name);
}

/* The definition that a type is; NULL: it is written out. */
static const char *definition_of(const struct message_field *field)
{
    static const char *const names[] = {
        [MESSAGE_ID] = "id",
        [MESSAGE_NAME] = "name",
        [MESSAGE_POOL] = "pool",
        [MESSAGE_ROW] = "row_name",
        [MESSAGE_PRICE] = "price",
        [MESSAGE_INSTANT] = "instant",
        [MESSAGE_CURRENCY] = "currency",
        [MESSAGE_NIGHT] = "night",
        [MESSAGE_RATES] = "rates",
        [MESSAGE_OWN] = NULL,
    };
    return field->type == MESSAGE_PART ? contract_table_name(field->of) : names[field->type];
}

/* A reader of answers takes any size: its rows have no lower bounds. */
static void put_integer(struct usher_buffer *out, const struct message_field *field,
                        bool is_lenient)
{
    contract_put(out, "\"type\": \"integer\"");
    if (!is_lenient)
        contract_put(out, ", \"minimum\": %" PRId64, field->min);
    if (field->max < USHER_SUM_MAX)
        contract_put(out, ", \"maximum\": %" PRId64, field->max);
}

/* A list that the size of a message bounds has no bound of its own. */
static void put_list(struct usher_buffer *out, const struct message_field *field, const char *of,
                     bool is_lenient)
{
    contract_put(out, "\"type\": \"array\"");
    if (field->min > 0)
        contract_put(out, ", \"minItems\": %" PRId64, field->min);
    if (!is_lenient && field->max < USHER_DEFINE_SIZE_MAX)
        contract_put(out, ", \"maxItems\": %" PRId64, field->max);
    if (of)
        contract_put(out, ", \"items\": {\"$ref\": \"#/definitions/%s\"}", of);
}

static void put_string(struct usher_buffer *out, const struct message_field *field, bool is_lenient)
{
    contract_put(out, "\"type\": \"string\"");
    if (field->min > 0)
        contract_put(out, ", \"minLength\": %" PRId64, field->min);
    if (!is_lenient)
        contract_put(out, ", \"maxLength\": %" PRId64, field->max);
    if (field->type == MESSAGE_LABEL)
        contract_put(out, ", \"allOf\": [{\"$ref\": \"#/definitions/label\"}]");
}

/* What the row says of a value. */
static void put_type(struct usher_buffer *out, const struct message_field *field, bool is_lenient,
                     bool is_described)
{
    if (definition_of(field)) {
        put_ref(out, definition_of(field), is_described);
        return;
    }
    switch ((int)field->type) {
    case MESSAGE_INTEGER:
    case MESSAGE_SECONDS:
    case MESSAGE_COUNT:
        put_integer(out, field, is_lenient);
        break;
    case MESSAGE_WORD:
        contract_put(out, "\"enum\": ");
        contract_put_words(out, field->words);
        break;
    case MESSAGE_FLAG:
    case MESSAGE_WHETHER:
        contract_put(out, "\"type\": \"boolean\"");
        break;
    case MESSAGE_TEXTS: {
        const struct message_field each = {.type = (enum message_type)field->each};
        put_list(out, field, definition_of(&each), is_lenient);
        break;
    }
    case MESSAGE_PARTS:
        put_list(out, field, contract_table_name(field->of), is_lenient);
        break;
    case MESSAGE_OBJECT:
    case MESSAGE_MAP:
        contract_put(out, "\"type\": \"object\"");
        break;
    default:
        put_string(out, field, is_lenient);
    }
}

/* Keywords of JSON Schema that are written in single quotes. */
static void put_quoted(struct usher_buffer *out, const char *shape)
{
    for (; *shape; shape++)
        contract_put(out, "%c", *shape == '\'' ? '"' : *shape);
}

/* Whether the shape stands in place of what the row says. */
static bool says_all(const char *shape)
{
    static const char *const first[] = {"'type'", "'anyOf'", "'const'", "'enum'"};
    for (size_t i = 0; i < MESSAGE_COUNT_OF(first); i++)
        if (strncmp(shape, first[i], strlen(first[i])) == 0)
            return true;
    return false;
}

static void put_property(struct usher_buffer *out, const struct contract_table *table,
                         const struct message_field *field)
{
    const struct text *text = text_of(table, field->name);
    const char *shape = text->shape;
    bool is_described = *text->text, is_whole = says_all(shape);
    contract_put(out, "\"%s\": {", field->name);
    if (is_described) {
        contract_put(out, "\"description\": ");
        usher_buffer_json_string(out, text->text);
        contract_put(out, ", ");
    }
    if (*shape == '#') {
        put_ref(out, shape + 1, is_described);
    } else if (*shape == '@') {
        contract_put(out, "\"enum\": [");
        contract_put_words_named(out, shape + 1);
        contract_put(out, "]");
    } else {
        if (!is_whole)
            put_type(out, field, table->table->lenient, is_described);
        contract_put(out, !is_whole && *shape ? ", " : "");
        put_quoted(out, shape);
    }
    contract_put(out, "}");
}

/* ---- all fields ---- */

static void put_required(struct usher_buffer *out, const struct contract_table *table, int indent)
{
    const char *between = "";
    for (size_t i = 0; i < table->table->count; i++) {
        const struct message_field *field = &table->table->fields[i];
        /* Without the operation nothing is known of what else is needed. */
        if (!field->needed && field->needed_by != MESSAGE_ANY && field->words != &op_words)
            continue;
        if (!*between)
            contract_put(out, "%*s\"required\": [", indent, "");
        contract_put(out, "%s\"%s\"", between, field->name);
        between = ", ";
    }
    contract_put(out, *between ? "],\n" : "");
}

void contract_fields(struct usher_buffer *out, const char *name, int indent)
{
    const struct contract_table *table = contract_table_named(name);
    const char *between = "\n";
    if (!table->table->lenient && table->table != contract_table_named("source")->table)
        put_required(out, table, indent);
    contract_put(out, "%*s\"properties\": {", indent, "");
    for (size_t i = 0; i < table->table->count; i++) {
        if (!contract_table_has(table, &table->table->fields[i]))
            continue;
        contract_put(out, "%s%*s", between, indent + 2, "");
        put_property(out, table, &table->table->fields[i]);
        between = ",\n";
    }
    contract_put(out, "\n%*s}", indent, "");
}

/* ---- who needs a field ---- */

struct rules {
    struct usher_buffer *out;
    int indent;
    const char *between;
};

static void put_rule(struct rules *rules, uint32_t ops, const char *branch)
{
    contract_put(rules->out, "%s%*s{\"if\": {\"properties\": {\"op\": {\"enum\": ", rules->between,
                 rules->indent, "");
    contract_put_ops(rules->out, ops);
    contract_put(rules->out, "}}, \"required\": [\"op\"]}, \"%s\": ", branch);
    rules->between = ",\n";
}

/* As struct message_field has it: a cart in place of a booking, force in place of a customer. */
static const char *stand_in_of(const char *field)
{
    return strcmp(field, "booking") == 0
               ? "{\"required\": [\"cart\", \"customer\"]}"
               : "{\"required\": [\"force\"], \"properties\": {\"force\": {\"const\": true}}}";
}

/* The value that a field has if it is not given, else that there is none. */
static const char *absent_of(const struct message_field *field)
{
    return field->type == MESSAGE_FLAG       ? "{\"const\": false}"
           : field->words == &shortage_words ? "{\"const\": \"all\"}"
           : field->type == MESSAGE_PARTS    ? "{\"maxItems\": 0}"
                                             : "{\"not\": {}}";
}

static void put_rules_of(struct rules *rules, const struct message_field *field)
{
    uint32_t plain = field->needed_by == MESSAGE_ANY ? 0 : field->needed_by & ~field->or_else;
    if (plain != 0) {
        put_rule(rules, plain, "then");
        contract_put(rules->out, "{\"required\": [\"%s\"]", field->name);
        if (field->type == MESSAGE_PARTS)
            contract_put(rules->out, ", \"properties\": {\"%s\": {\"minItems\": 1}}", field->name);
        contract_put(rules->out, "}}");
    }
    if (field->or_else != 0) {
        put_rule(rules, field->or_else, "then");
        contract_put(rules->out, "{\"anyOf\": [{\"required\": [\"%s\"]}, %s]}}", field->name,
                     stand_in_of(field->name));
    }
    if (field->only != 0) {
        put_rule(rules, field->only, "else");
        contract_put(rules->out, "{\"properties\": {\"%s\": %s}}}", field->name, absent_of(field));
    }
}

void contract_rules(struct usher_buffer *out, int indent)
{
    struct rules rules = {out, indent + 2, "\n"};
    contract_put(out, "%*s\"allOf\": [", indent, "");
    for (size_t i = 0; i < request_table.count; i++)
        put_rules_of(&rules, &request_table.fields[i]);
    contract_put(out, "\n%*s]", indent, "");
}
