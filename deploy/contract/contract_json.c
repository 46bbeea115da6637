/*
 * contract.json: all rows as they are, for the programs that are not in C. Each row has a line, and
 * leaves out what is 0, false or nothing.
 */
#include <inttypes.h>

#include "deploy/contract/contract.h"
#include "worker/rules/operations.h"

/* ---- words ---- */

static void put_refused(struct usher_buffer *out, const struct operation *operation)
{
    const char *between = "";
    contract_put(out, ", \"refused\": {");
    for (unsigned state = 1; state < BOOKING_STATE_COUNT; state++) {
        if (operation->refused[state] == USHER_REASON_NONE)
            continue;
        contract_put(out, "%s\"%s\": \"%s\"", between, booking_state_name(state),
                     usher_reason_name(operation->refused[state]));
        between = ", ";
    }
    contract_put(out, "}");
}

static void put_operation(struct usher_buffer *out, enum usher_op op)
{
    static const char *const owners[] = {[OWNER_CUSTOMER] = "customer",
                                         [OWNER_OR_HOUSE] = "customer or house",
                                         [OWNER_HOUSE] = "house"};
    const struct operation *operation = &operations[op];
    contract_put(out, "    \"%s\": {\"outcome\": \"%s\"", usher_op_name(op),
                 usher_outcome_name(operation->result.outcome));
    if (operation->result.to != BOOKING_NONE)
        contract_put(out, ", \"to\": \"%s\"", booking_state_name(operation->result.to));
    if (operation->takes)
        contract_put(out, ", \"takes\": true");
    /* What has been released refuses all operations on bookings, and there are no others. */
    if (operation->refused[BOOKING_RELEASED] != USHER_REASON_NONE) {
        contract_put(out, ", \"owner\": \"%s\"", owners[operation->owner]);
        put_refused(out, operation);
    }
    contract_put(out, "}%s\n", op + 1 == USHER_OP_COUNT ? "" : ",");
}

static const char *const truth[] = {"false", "true"};

static void put_outcomes(struct usher_buffer *out)
{
    const char *between = "";
#define USHER_OUTCOME_ROW(enumerator, name, gives_room)                                        \
    contract_put(out, "%s    \"%s\": {\"gives_room\": %s}", between, name, truth[gives_room]); \
    between = ",\n";
#include "usher/words.def"
}

static void put_reasons(struct usher_buffer *out)
{
    static const char *const retryables[] = {"never", "often", "always"};
    const char *between = "";
#define USHER_REASON_ROW(enumerator, name, retryable, waitable)                                 \
    contract_put(out, "%s    \"%s\": {\"retryable\": \"%s\", \"waitable\": %s}", between, name, \
                 retryables[retryable], truth[waitable]);                                       \
    between = ",\n";
#include "usher/words.def"
}

static void put_states(struct usher_buffer *out)
{
    static const char seats[BOOKING_STATE_COUNT] = {
#define USHER_STATE_ROW(enumerator, name, owns_units, seat) [enumerator] = (seat),
#include "usher/words.def"
    };
    const char *between = "";
#define USHER_STATE_ROW(enumerator, name, owns_units, seat)                                   \
    contract_put(out, "%s    \"%s\": {\"owns_units\": %s", between, name, truth[owns_units]); \
    contract_put(out, seats[enumerator] ? ", \"seat\": \"%c\"}" : "}", seats[enumerator]);    \
    between = ",\n";
#include "usher/words.def"
}

/* ---- fields ---- */

static const char *const types[] = {
    [MESSAGE_ID] = "id",
    [MESSAGE_NAME] = "name",
    [MESSAGE_POOL] = "pool",
    [MESSAGE_ROW] = "row",
    [MESSAGE_LABEL] = "label",
    [MESSAGE_TEXT] = "text",
    [MESSAGE_CURRENCY] = "currency",
    [MESSAGE_TIMEZONE] = "timezone",
    [MESSAGE_OBJECT] = "object",
    [MESSAGE_DRAWING] = "drawing",
    [MESSAGE_PART] = "part",
    [MESSAGE_LIST] = "list",
    [MESSAGE_MAP] = "map",
    [MESSAGE_INTEGER] = "integer",
    [MESSAGE_SECONDS] = "integer",
    [MESSAGE_PRICE] = "price",
    [MESSAGE_INSTANT] = "instant",
    [MESSAGE_COUNT] = "integer",
    [MESSAGE_WORD] = "word",
    [MESSAGE_NIGHT] = "night",
    [MESSAGE_FLAG] = "flag",
    [MESSAGE_WHETHER] = "flag",
    [MESSAGE_TEXTS] = "texts",
    [MESSAGE_RATES] = "rates",
    [MESSAGE_PARTS] = "parts",
    [MESSAGE_OWN] = "own",
};

/* Bounds that are none are left out, as those of readers that take any size. */
static void put_bounds(struct usher_buffer *out, const struct message_field *field)
{
    if (field->min != 0 && field->min != INT64_MIN)
        contract_put(out, ", \"min\": %" PRId64, field->min);
    if (field->max != 0 && field->max < USHER_SUM_MAX)
        contract_put(out, ", \"max\": %" PRId64, field->max);
}

static void put_kinds(struct usher_buffer *out, uint32_t kinds)
{
    static const char *const names[] = {[USHER_SEATS] = "seats",
                                        [USHER_SECTION] = "section",
                                        [USHER_ROOM] = "room",
                                        [USHER_PRODUCT] = "product"};
    const char *between = "";
    contract_put(out, ", \"kinds\": [");
    for (size_t kind = 0; kind < MESSAGE_COUNT_OF(names); kind++) {
        if ((kinds >> kind & 1U) == 0 || !names[kind])
            continue;
        contract_put(out, "%s\"%s\"", between, names[kind]);
        between = ", ";
    }
    contract_put(out, "]");
}

static void put_ops(struct usher_buffer *out, const char *name, uint32_t ops)
{
    if (ops == 0)
        return;
    contract_put(out, ", \"%s\": ", name);
    contract_put_ops(out, ops);
}

static void put_field(struct usher_buffer *out, const struct message_table *table,
                      const struct message_field *field)
{
    contract_put(out, "      \"%s\": {\"type\": \"%s\"", field->name, types[field->type]);
    put_bounds(out, field);
    if (field->type == MESSAGE_TEXTS)
        contract_put(out, ", \"each\": \"%s\"", types[field->each]);
    if (field->of && contract_table_name(field->of))
        contract_put(out, ", \"of\": \"%s\"", contract_table_name(field->of));
    if (field->words) {
        contract_put(out, ", \"words\": ");
        contract_put_words(out, field->words);
    }
    if (field->needed)
        contract_put(out, ", \"needed\": true");
    if ((field->kinds & ~MESSAGE_ALWAYS) != 0 && !table->lenient)
        put_kinds(out, field->kinds);
    put_ops(out, "needed_by", field->needed_by);
    put_ops(out, "or_else", field->or_else);
    put_ops(out, "only", field->only);
    contract_put(out, "}");
}

static void put_table(struct usher_buffer *out, const struct contract_table *table)
{
    contract_put(out, "    \"%s\": {\n", table->name);
    const char *between = "";
    for (size_t i = 0; i < table->table->count; i++) {
        if (!contract_table_has(table, &table->table->fields[i]))
            continue;
        contract_put(out, "%s", between);
        put_field(out, table->table, &table->table->fields[i]);
        between = ",\n";
    }
    contract_put(out, "\n    }%s\n", table[1].name ? "," : "");
}

/* ---- all ---- */

void contract_json(struct usher_buffer *out)
{
    contract_put(out,
                 "{\n  \"about\": \"The rows of usher's contract, printed by make contract.\",\n"
                 "  \"operations\": {\n");
    for (unsigned op = 1; op < USHER_OP_COUNT; op++)
        put_operation(out, (enum usher_op)op);
    contract_put(out, "  },\n  \"outcomes\": {\n");
    put_outcomes(out);
    contract_put(out, "\n  },\n  \"reasons\": {\n");
    put_reasons(out);
    contract_put(out, "\n  },\n  \"states\": {\n");
    put_states(out);
    contract_put(out, "\n  },\n  \"tables\": {\n");
    for (const struct contract_table *table = contract_tables(); table->name; table++)
        put_table(out, table);
    contract_put(out, "  }\n}\n");
}
