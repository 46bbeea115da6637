/* Rows of views in words for people: see look_text.h. */
#include "worker/program/look_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/answer_words.h"
#include "producer/terminal/money.h"

const char *look_instant(const char *text, struct usher_arena *arena)
{
    enum {
        TO_THE_MINUTE = 16
    };
    return text && strlen(text) > TO_THE_MINUTE
               ? usher_arena_format(arena, "%.*sZ", TO_THE_MINUTE, text)
               : text;
}

const char *look_money(const char *minor, const char *currency, struct usher_arena *arena)
{
    char *text = NULL;
    size_t size = 0;
    if (!minor)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    assert(out);
    money_print_total(strtoll(minor, NULL, 10), currency, out);
    fclose(out);
    const char *copy = usher_arena_text(arena, text, size);
    free(text);
    return copy;
}

enum terminal_colour look_state_colour(const char *state)
{
    static const struct {
        const char *state;
        enum terminal_colour colour;
    } colours[] = {
        {"open", TERMINAL_GOOD},       {"confirmed", TERMINAL_GOOD}, {"owned", TERMINAL_GOOD},
        {"draft", TERMINAL_WARNING},   {"held", TERMINAL_WARNING},   {"waiting", TERMINAL_WARNING},
        {"no worker", TERMINAL_BAD},   {"halted", TERMINAL_BAD},     {"blocked", TERMINAL_STRONG},
        {"closed", TERMINAL_FAINT},    {"released", TERMINAL_FAINT}, {"expired", TERMINAL_FAINT},
        {"cancelled", TERMINAL_FAINT}, {"left", TERMINAL_FAINT},
    };
    for (size_t i = 0; state && i < sizeof colours / sizeof *colours; i++)
        if (strcmp(colours[i].state, state) == 0)
            return colours[i].colour;
    return TERMINAL_PLAIN;
}

const char *look_value(const struct look_row *row, const char *name)
{
    for (uint32_t i = 0; i < row->look->column_count; i++)
        if (strcmp(row->look->columns[i].name, name) == 0)
            return row->values[i];
    return NULL;
}

/* Copies what was written into the arena, and frees it. */
static const char *take_text(struct usher_buffer *text, struct usher_arena *arena)
{
    const char *copy = usher_arena_text(arena, text->at, text->size);
    usher_buffer_deinit(text);
    return copy;
}

/* ---- by the kind of the column ---- */

static const char *instant_text(const struct look_row *row, const char *value,
                                struct usher_arena *arena)
{
    (void)row;
    return look_instant(value, arena);
}

static const char *money_text(const struct look_row *row, const char *value,
                              struct usher_arena *arena)
{
    return look_money(value, look_value(row, "currency"), arena);
}

static const char *outcome_text(const struct look_row *row, const char *name,
                                struct usher_arena *arena)
{
    const char *replayed = look_value(row, "replayed");
    enum usher_outcome outcome = usher_outcome_named(name);
    if (outcome != USHER_OUTCOME_NONE)
        name = answer_word(usher_op_named(look_value(row, "op")), outcome);
    bool repeated = replayed && strcmp(replayed, "true") == 0;
    return repeated ? usher_arena_format(arena, "%s (repeated)", name) : name;
}

static const char *detail_text(const struct look_row *row, const char *detail,
                               struct usher_arena *arena)
{
    const char *json = look_value(row, "answer");
    struct usher_answer answer;
    struct usher_error err;
    struct usher_buffer text = {0};
    if (!json || usher_answer_decode(json, strlen(json), arena, &answer, &err) != USHER_OK)
        return detail;
    usher_buffer_text(&text, detail ? detail : "");
    if (answer.outcome == USHER_TRANSFERRED && answer.customer) {
        usher_buffer_text(&text, "to ");
        usher_buffer_text(&text, answer.customer);
    }
    for (uint32_t i = 0; i < answer.items_count; i++) {
        usher_buffer_text(&text, text.size > 0 ? "; " : "");
        answer_shortfall_append(&answer.items[i], &text);
    }
    return take_text(&text, arena);
}

const char *look_cell(const struct look_row *row, uint32_t column, struct usher_arena *arena)
{
    static const char *(*const texts[])(const struct look_row *, const char *,
                                        struct usher_arena *) = {
        [LOOK_INSTANT] = instant_text,
        [LOOK_MONEY] = money_text,
        [LOOK_OUTCOME] = outcome_text,
        [LOOK_DETAIL] = detail_text,
    };
    enum look_kind kind = row->look->columns[column].kind;
    const char *value = row->values[column];
    if (kind < LOOK_COUNT(texts) && texts[kind])
        value = texts[kind](row, value, arena);
    return value ? value : "";
}
