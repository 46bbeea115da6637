/* The parts of pages that rows say: tables of Markdown, and words for the pages of the dashboard.
 */
#include <string.h>

#include "deploy/contract/contract.h"
#include "producer/codec/request_fields.h"
#include "worker/model/rows.h"

/* Each word of words.def needs its row of texts. */
enum {
#define STATE(enumerator, staff, units) TEXT_OF_##enumerator,
#include "deploy/contract/texts.def"
    STATE_TEXTS
};
enum {
#define OUTCOME(enumerator, staff) TEXT_OF_##enumerator,
#include "deploy/contract/texts.def"
    OUTCOME_TEXTS
};
enum {
#define REASON(enumerator, meaning, shop) TEXT_OF_##enumerator,
#include "deploy/contract/texts.def"
    REASON_TEXTS
};
_Static_assert(STATE_TEXTS == BOOKING_STATE_COUNT - 1, "texts.def lacks a STATE");
_Static_assert(OUTCOME_TEXTS == USHER_OUTCOME_COUNT - 1, "texts.def lacks an OUTCOME");
_Static_assert(REASON_TEXTS == USHER_REASON_COUNT - 1, "texts.def lacks a REASON");

/* ---- reasons ---- */

void contract_reasons(struct usher_buffer *out)
{
    static const struct {
        const char *meaning, *shop;
    } texts[USHER_REASON_COUNT] = {
#define REASON(enumerator, meaning, shop) [enumerator] = {(meaning), (shop)},
#include "deploy/contract/texts.def"
    };
    static const char *const retryables[] = {"no", "often", "yes"};
    contract_put(out, "\n| reason | it means | retryable | the shop says |\n"
                      "| --- | --- | --- | --- |\n");
#define USHER_REASON_ROW(enumerator, name, retryable, waitable)                     \
    contract_put(out, "| `%s` | %s | %s | %s |\n", name, texts[enumerator].meaning, \
                 retryables[retryable], texts[enumerator].shop);
#include "usher/words.def"
    contract_put(out, "\n");
}

/* ---- fields ---- */

/* 31536000 as 31,536,000. */
static void put_number(struct usher_buffer *out, int64_t number)
{
    if (number >= 1000) {
        put_number(out, number / 1000);
        contract_put(out, ",%03d", (int)(number % 1000));
    } else {
        contract_put(out, "%d", (int)number);
    }
}

static void put_range(struct usher_buffer *out, const struct message_field *field, const char *of)
{
    put_number(out, field->min);
    contract_put(out, " to ");
    put_number(out, field->max);
    contract_put(out, "%s", of);
}

static void put_words(struct usher_buffer *out, const struct message_words *words)
{
    const char *between = "";
    if (words == &op_words) {
        contract_put(out, "the operation");
        return;
    }
    for (unsigned i = 0; i < words->count; i++) {
        if (!words->names[i])
            continue;
        contract_put(out, "%s`%s`", between, words->names[i]);
        between = ", ";
    }
}

static void put_value(struct usher_buffer *out, const struct message_field *field)
{
    static const char *const names[] = {
        [MESSAGE_ID] = "an id",
        [MESSAGE_NAME] = "a name",
        [MESSAGE_POOL] = "a name",
        [MESSAGE_INSTANT] = "an instant",
        [MESSAGE_FLAG] = "true or false",
        [MESSAGE_NIGHT] = "a date",
        [MESSAGE_OWN] = NULL,
    };
    switch ((int)field->type) {
    case MESSAGE_LABEL:
    case MESSAGE_TEXT:
        put_range(out, field, " bytes");
        break;
    case MESSAGE_OBJECT:
        contract_put(out, "an object of ");
        put_range(out, field, " bytes");
        break;
    case MESSAGE_SECONDS:
    case MESSAGE_COUNT:
        put_range(out, field, field->type == MESSAGE_SECONDS ? " seconds" : "");
        break;
    case MESSAGE_WORD:
        put_words(out, field->words);
        break;
    case MESSAGE_TEXTS:
    case MESSAGE_PARTS:
        put_range(out, field, field->type == MESSAGE_TEXTS ? " names" : " objects");
        break;
    default:
        contract_put(out, "%s", names[field->type]);
    }
}

static void put_ops(struct usher_buffer *out, uint32_t ops)
{
    const char *between = "";
    if (ops == MESSAGE_ANY) {
        contract_put(out, "all");
        return;
    }
    for (unsigned op = 1; op < USHER_OP_COUNT; op++) {
        if ((ops >> op & 1U) == 0)
            continue;
        contract_put(out, "%s`%s`", between, usher_op_name((enum usher_op)op));
        between = ", ";
    }
}

/* As struct message_field has it: a cart in place of a booking, force in place of a customer. */
static void put_needed(struct usher_buffer *out, const struct message_field *field)
{
    uint32_t plain = field->needed_by & ~field->or_else;
    put_ops(out,
            field->words == &op_words || field->needed_by == MESSAGE_ANY ? MESSAGE_ANY : plain);
    if (field->or_else == 0)
        return;
    contract_put(out, "; this or %s: ",
                 strcmp(field->name, "booking") == 0 ? "a `cart` with its `customer`" : "`force`");
    put_ops(out, field->or_else);
}

void contract_table_of_fields(struct usher_buffer *out, const char *name)
{
    const struct message_table *table = contract_table_named(name)->table;
    contract_put(out, "\n| field | value | needed by | only with |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < table->count; i++) {
        const struct message_field *field = &table->fields[i];
        contract_put(out, "| `%s` | ", field->name);
        put_value(out, field);
        contract_put(out, " | ");
        put_needed(out, field);
        contract_put(out, " | ");
        put_ops(out, field->only);
        contract_put(out, " |\n");
    }
    contract_put(out, "\n");
}

/* ---- the dashboard ---- */

struct said {
    const char *name, *words;
};

/* Members of an object of JavaScript, in a line. */
static void put_said(struct usher_buffer *out, const struct said *said, size_t count)
{
    const char *between = "  ";
    for (size_t i = 0; i < count; i++) {
        if (!said[i].words)
            continue;
        contract_put(out, "%s%s: '%s'", between, said[i].name, said[i].words);
        between = ", ";
    }
    contract_put(out, ",\n");
}

void contract_staff_states(struct usher_buffer *out)
{
    const struct said said[] = {
#define STATE(enumerator, staff, units) {booking_state_name(enumerator), (staff)},
#include "deploy/contract/texts.def"
    };
    put_said(out, said, MESSAGE_COUNT_OF(said));
}

void contract_staff_units(struct usher_buffer *out)
{
    const struct said said[] = {
#define STATE(enumerator, staff, units) {booking_state_name(enumerator), (units)},
#include "deploy/contract/texts.def"
    };
    put_said(out, said, MESSAGE_COUNT_OF(said));
}

void contract_staff_outcomes(struct usher_buffer *out)
{
    const struct said said[] = {
#define OUTCOME(enumerator, staff) {usher_outcome_name(enumerator), (staff)},
#include "deploy/contract/texts.def"
    };
    put_said(out, said, MESSAGE_COUNT_OF(said));
}
