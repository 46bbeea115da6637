/* Rows of views in words for people: see look_text.h. */
#include "worker/program/look_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/answer_words.h"
#include "producer/codec/request_wants.h"
#include "producer/codec/stored_terms.h"
#include "producer/terminal/money.h"
#include "producer/terminal/seat_ranges.h"

/* A text that is being written. */
struct words {
    FILE *out;
    char *text;
    size_t size;
};

static void begin_words(struct words *words)
{
    words->out = open_memstream(&words->text, &words->size);
    assert(words->out);
}

static const char *end_words(const struct words *words, struct usher_arena *arena)
{
    fclose(words->out);
    const char *copy = usher_arena_text(arena, words->text, words->size);
    free(words->text);
    return copy;
}

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
    struct words words;
    if (!minor)
        return NULL;
    begin_words(&words);
    money_print_total(strtoll(minor, NULL, 10), currency, words.out);
    return end_words(&words, arena);
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
    const char *copy = usher_arena_text(arena, text.at, text.size);
    usher_buffer_deinit(&text);
    return copy;
}

/* "adult 45.00, child 25.00" */
static const char *rates_text(const struct look_row *row, const char *json,
                              struct usher_arena *arena)
{
    const struct usher_rate *rates;
    uint32_t count;
    struct usher_error err;
    if (!json || stored_rates_decode(json, strlen(json), arena, &rates, &count, &err) != USHER_OK)
        return json;
    struct words words;
    begin_words(&words);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(words.out, "%s%s ", i > 0 ? ", " : "", rates[i].rate);
        money_print(rates[i].price, look_value(row, "currency"), words.out);
    }
    return end_words(&words, arena);
}

static void print_names(const char *between, const char *const *names, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i > 0 ? between : "", names[i]);
}

/* "stalls or circle 2, adult, together" */
static void print_item(const struct usher_item *item, FILE *out)
{
    char from[USHER_NIGHT_SIZE], to[USHER_NIGHT_SIZE];
    if (item->kind == USHER_SEATS)
        seat_ranges_print(item->seats, item->seat_count, out);
    else if (item->section_count > 0)
        print_names(" or ", item->sections, item->section_count, out);
    else
        fprintf(out, "%s", item->pool);
    if (item->kind != USHER_SEATS)
        fprintf(out, " %u", item->quantity);
    if (item->kind == USHER_ROOM) {
        usher_night_format(item->from, from);
        usher_night_format(item->to, to);
        fprintf(out, " from %s to %s", from, to);
    }
    if (item->rate)
        fprintf(out, ", %s", item->rate);
    fprintf(out, "%s", item->together ? ", together" : "");
    fprintf(out, "%s", item->feature_count > 0 ? ", with " : "");
    print_names(" and ", item->features, item->feature_count, out);
    fprintf(out, "%s", item->avoid_count > 0 ? ", without " : "");
    print_names(" and ", item->avoid, item->avoid_count, out);
}

static const char *items_text(const struct look_row *row, const char *json,
                              struct usher_arena *arena)
{
    (void)row;
    struct usher_request wants;
    struct usher_error err;
    const char *hold =
        usher_arena_format(arena, "{\"op\":\"hold\",\"items\":%s}", json ? json : "[]");
    if (!json || wants_decode(hold, strlen(hold), arena, &wants, &err) != USHER_OK)
        return json;
    struct words words;
    begin_words(&words);
    for (uint32_t i = 0; i < wants.item_count; i++) {
        fprintf(words.out, "%s", i > 0 ? "; " : "");
        print_item(&wants.items[i], words.out);
    }
    return end_words(&words, arena);
}

const char *look_cell(const struct look_row *row, uint32_t column, struct usher_arena *arena)
{
    static const char *(*const texts[])(const struct look_row *, const char *,
                                        struct usher_arena *) = {
        [LOOK_INSTANT] = instant_text, [LOOK_MONEY] = money_text, [LOOK_OUTCOME] = outcome_text,
        [LOOK_DETAIL] = detail_text,   [LOOK_RATES] = rates_text, [LOOK_ITEMS] = items_text,
    };
    enum look_kind kind = row->look->columns[column].kind;
    const char *value = row->values[column];
    if (kind < LOOK_COUNT(texts) && texts[kind])
        value = texts[kind](row, value, arena);
    return value ? value : "";
}
