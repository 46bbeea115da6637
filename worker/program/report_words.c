/*
 * Cells of views in words for people, and for CSV, by the kind of each column; and limits and
 * quotas. Knows neither tables nor how a field is quoted.
 */
#include "worker/program/report_words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/answer_words.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/stored.h"
#include "producer/terminal/chart_draw.h"
#include "producer/terminal/local_time.h"
#include "producer/terminal/money.h"
#include "usher/message.h"

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

/* As RFC 3339 has it: "2026-12-24 19:30:05.123+00" with T, and with Z in place of +00. */
static const char *rfc3339(const char *text, struct usher_arena *arena)
{
    size_t size = text ? strlen(text) : 0;
    if (size < strlen("2026-12-24 19:30:05+00") || strcmp(text + size - 3, "+00") != 0)
        return text;
    char *copy = usher_arena_text(arena, text, size);
    *strchr(copy, ' ') = 'T';
    memcpy(copy + size - 3, "Z", 2);
    return copy;
}

const char *report_instant(const char *text, struct usher_arena *arena)
{
    char local[LOCAL_TIME_SIZE];
    int64_t ms;
    if (!text || !usher_instant_parse(rfc3339(text, arena), &ms))
        return text;
    local_time_stamp(ms, local);
    return usher_arena_text(arena, local, strlen(local));
}

const char *report_money(const char *minor, const char *currency, struct usher_arena *arena)
{
    struct words words;
    if (!minor)
        return NULL;
    begin_words(&words);
    money_print_total(strtoll(minor, NULL, 10), currency, words.out);
    return end_words(&words, arena);
}

enum terminal_colour report_state_colour(const char *state)
{
    static const struct {
        const char *state;
        enum terminal_colour colour;
    } colours[] = {
        {"open", TERMINAL_GOOD},       {"confirmed", TERMINAL_GOOD}, {"owned", TERMINAL_GOOD},
        {"draft", TERMINAL_WARNING},   {"held", TERMINAL_WARNING},   {"waiting", TERMINAL_WARNING},
        {"no worker", TERMINAL_BAD},   {"halted", TERMINAL_BAD},     {"blocked", TERMINAL_STRONG},
        {"closed", TERMINAL_FAINT},    {"released", TERMINAL_FAINT}, {"expired", TERMINAL_FAINT},
        {"cancelled", TERMINAL_FAINT}, {"left", TERMINAL_FAINT},     {"ended", TERMINAL_FAINT},
        {"mixed", TERMINAL_BAD},
    };
    for (size_t i = 0; state && i < sizeof colours / sizeof *colours; i++)
        if (strcmp(colours[i].state, state) == 0)
            return colours[i].colour;
    return TERMINAL_PLAIN;
}

/* The row's value in a column of that name, or NULL. */
static const char *report_value(const struct report_row *row, const char *name)
{
    for (uint32_t i = 0; i < row->listing->column_count; i++)
        if (strcmp(row->listing->columns[i].name, name) == 0)
            return row->values[i];
    return NULL;
}

/* ---- by the kind of the column ---- */

static const char *instant_text(const struct report_row *row, const char *value,
                                struct usher_arena *arena)
{
    (void)row;
    return report_instant(value, arena);
}

static const char *money_text(const struct report_row *row, const char *value,
                              struct usher_arena *arena)
{
    return report_money(value, report_value(row, "currency"), arena);
}

static const char *state_text(const struct report_row *row, const char *state,
                              struct usher_arena *arena)
{
    const char *ended = report_value(row, "ended");
    (void)arena;
    return ended && strcmp(ended, "true") == 0 ? "ended" : state;
}

/* The answer of the row; false: it has none that can be read. */
static bool answer_of(const struct report_row *row, struct usher_arena *arena,
                      struct usher_answer *answer)
{
    struct usher_error err;
    const char *json = report_value(row, "answer");
    usher_answer_init(answer);
    return json && usher_answer_decode(json, strlen(json), arena, answer, &err) == USHER_OK;
}

static const char *outcome_text(const struct report_row *row, const char *name,
                                struct usher_arena *arena)
{
    const char *replayed = report_value(row, "replayed");
    enum usher_outcome outcome = usher_outcome_named(name);
    struct usher_answer answer;
    enum usher_change change = outcome == USHER_DEFINED && answer_of(row, arena, &answer)
                                   ? answer.change
                                   : USHER_CHANGE_ABSENT;
    if (outcome != USHER_OUTCOME_NONE)
        name = answer_word(usher_op_named(report_value(row, "op")), outcome, change);
    bool repeated = replayed && strcmp(replayed, "true") == 0;
    return repeated ? usher_arena_format(arena, "%s (repeated)", name) : name;
}

static const char *detail_text(const struct report_row *row, const char *detail,
                               struct usher_arena *arena)
{
    struct usher_answer answer;
    struct usher_buffer text = {0};
    if (!answer_of(row, arena, &answer))
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
    if (answer.own_hold) {
        usher_buffer_text(&text, text.size > 0 ? "; own hold " : "own hold ");
        usher_buffer_text(&text, answer.own_hold);
    }
    const char *copy = usher_arena_text(arena, text.at, text.size);
    usher_buffer_deinit(&text);
    return copy;
}

/* "adult 45.00, child 25.00" */
static const char *rates_text(const struct report_row *row, const char *json,
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
        money_print(rates[i].price, report_value(row, "currency"), words.out);
    }
    return end_words(&words, arena);
}

static void print_rules(const struct usher_restriction *rules, FILE *out)
{
    const char *between = "";
    if (rules->rate)
        fprintf(out, "%s: ", rules->rate);
    for (size_t i = 1; i < restriction_rules_table.count; i++) {
        const struct message_field *field = &restriction_rules_table.fields[i];
        if (!message_field_is_given(field, rules))
            continue;
        fprintf(out, "%s%s", between, field->name);
        if (field->type == MESSAGE_INTEGER)
            fprintf(out, " %" PRId64, MESSAGE_VALUE(int64_t, rules, field->offset));
        between = ", ";
    }
}

const char *report_restrictions(const char *json, struct usher_arena *arena)
{
    const struct usher_restriction *rules;
    uint32_t count;
    struct usher_error err;
    if (stored_restrictions_decode(json, strlen(json), arena, &rules, &count, &err) != USHER_OK)
        return json;
    struct words words;
    begin_words(&words);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? "; " : "", words.out);
        print_rules(&rules[i], words.out);
    }
    return end_words(&words, arena);
}

static void print_names(const char *between, const char *const *names, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i > 0 ? between : "", names[i]);
}

/* ": 2 adult, 1 adult with accessible" */
static void print_members(const struct usher_item *item, FILE *out)
{
    for (uint32_t i = 0; i < item->member_count; i++) {
        const struct usher_member *member = &item->members[i];
        fprintf(out, "%s%u", i > 0 ? ", " : ": ", member->quantity);
        fprintf(out, "%s%s", member->rate ? " " : "", member->rate ? member->rate : "");
        fprintf(out, "%s", member->feature_count > 0 ? " with " : "");
        print_names(" and ", member->features, member->feature_count, out);
    }
}

/* "stalls or circle 2, adult, together" */
static void print_item(const struct usher_item *item, const char *const *places, FILE *out)
{
    char from[USHER_NIGHT_SIZE], to[USHER_NIGHT_SIZE];
    if (item->kind == USHER_SEATS)
        seat_ranges_print(item->seats, places, item->seat_count, out);
    else if (item->section_count > 0)
        print_names(" or ", item->sections, item->section_count, out);
    else
        fprintf(out, "%s", item->pool);
    if (item->kind != USHER_SEATS)
        fprintf(out, " %u", item->quantity);
    print_members(item, out);
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

/* `places` of the seats of each item, for people; NULL: there are none. */
static const char *write_items(const struct usher_item *items, const char *const *const *places,
                               uint32_t count, struct usher_arena *arena)
{
    struct words words;
    begin_words(&words);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(words.out, "%s", i > 0 ? "; " : "");
        print_item(&items[i], places ? places[i] : NULL, words.out);
    }
    return end_words(&words, arena);
}

static const char *items_text(const struct report_row *row, const char *json,
                              struct usher_arena *arena)
{
    (void)row;
    struct usher_request wants;
    struct usher_error err;
    const char *hold =
        usher_arena_format(arena, "{\"op\":\"hold\",\"items\":%s}", json ? json : "[]");
    if (!json || wants_decode(hold, strlen(hold), arena, &wants, &err) != USHER_OK)
        return json;
    return write_items(wants.items, NULL, wants.item_count, arena);
}

/* The night after those of the item, of which it has as many rooms, at the same rate. */
static bool goes_on(const struct usher_item *item, const struct usher_units *units)
{
    const bool same_rate = item->rate && units->rate ? strcmp(item->rate, units->rate) == 0
                                                     : !item->rate && !units->rate;
    return item->kind == USHER_ROOM && units->kind == USHER_ROOM && item->to == units->night &&
           item->quantity == units->quantity && strcmp(item->pool, units->pool) == 0 && same_rate;
}

/* As items that would ask for them: nights in a row as one stay. */
static const char *units_text(const struct report_row *row, const char *json,
                              struct usher_arena *arena)
{
    (void)row;
    struct usher_answer booked;
    struct usher_error err;
    const char *held =
        usher_arena_format(arena, "{\"outcome\":\"held\",\"units\":%s}", json ? json : "[]");
    usher_answer_init(&booked);
    if (!json || usher_answer_decode(held, strlen(held), arena, &booked, &err) != USHER_OK)
        return json;
    struct usher_item *items = usher_arena_alloc(arena, (booked.units_count + 1) * sizeof *items);
    const char *const **places =
        usher_arena_alloc(arena, (booked.units_count + 1) * sizeof *places);
    uint32_t count = 0;
    for (uint32_t i = 0; i < booked.units_count; i++) {
        const struct usher_units *units = &booked.units[i];
        if (count > 0 && goes_on(&items[count - 1], units)) {
            items[count - 1].to++;
            continue;
        }
        places[count] = units->places;
        items[count++] = (struct usher_item){.kind = units->kind,
                                             .pool = units->pool,
                                             .quantity = units->quantity,
                                             .seats = units->seats,
                                             .seat_count = units->quantity,
                                             .from = units->night,
                                             .to = units->night + 1,
                                             .rate = units->rate};
    }
    return write_items(items, places, count, arena);
}

/* "EUR 90.00, GBP 45.00", of {"EUR":9000,"GBP":4500} */
static const char *totals_text(const struct report_row *row, const char *json,
                               struct usher_arena *arena)
{
    char *end = NULL;
    const char *between = "";
    struct words words;
    (void)row;
    begin_words(&words);
    for (const char *at = json; at && (at = strchr(at, '"')); at = end) {
        size_t size = strcspn(at + 1, "\"");
        const char *currency = size > 0 ? usher_arena_text(arena, at + 1, size) : NULL;
        const char *amount = at + size + 2;
        fputs(between, words.out);
        money_print_total(strtoll(amount + strcspn(amount, "-0123456789"), &end, 10), currency,
                          words.out);
        between = ", ";
    }
    return end_words(&words, arena);
}

const char *report_cell(const struct report_row *row, uint32_t column, struct usher_arena *arena)
{
    static const char *(*const texts[])(const struct report_row *, const char *,
                                        struct usher_arena *) = {
        [REPORT_INSTANT] = instant_text, [REPORT_MONEY] = money_text,
        [REPORT_OUTCOME] = outcome_text, [REPORT_DETAIL] = detail_text,
        [REPORT_RATES] = rates_text,     [REPORT_ITEMS] = items_text,
        [REPORT_UNITS] = units_text,     [REPORT_STATE] = state_text,
        [REPORT_TOTALS] = totals_text,
    };
    enum report_kind kind = row->listing->columns[column].kind;
    const char *value = row->values[column];
    if (kind < REPORT_COUNT(texts) && texts[kind])
        value = texts[kind](row, value, arena);
    return value ? value : "";
}

/* ---- for CSV ---- */

/* "45.00": a number, without its currency, which has a column of its own. */
static const char *amount_text(const struct report_row *row, const char *minor,
                               struct usher_arena *arena)
{
    struct words words;
    if (!minor)
        return NULL;
    begin_words(&words);
    money_print(strtoll(minor, NULL, 10), report_value(row, "currency"), words.out);
    return end_words(&words, arena);
}

const char *report_csv_value(const struct report_row *row, uint32_t column, bool *is_text,
                             struct usher_arena *arena)
{
    const char *value = row->values[column];
    enum report_kind kind = row->listing->columns[column].kind;
    *is_text = kind != REPORT_NUMBER && kind != REPORT_MONEY && kind != REPORT_INSTANT;
    if (kind == REPORT_INSTANT)
        return rfc3339(value, arena);
    if (kind == REPORT_MONEY)
        return amount_text(row, value, arena);
    if (kind == REPORT_STATE || kind == REPORT_OUTCOME || (!value && kind != REPORT_DETAIL))
        return value;
    return report_cell(row, column, arena);
}

/* ---- limits and quotas ---- */

/* "  at most 8 per customer"; 0: there is no such limit. */
static void print_limit(const char *before, int64_t limit, const char *after, FILE *out)
{
    if (limit > 0)
        fprintf(out, "  %s %" PRId64 " %s\n", before, limit, after);
}

/* "at most 20 of stalls, circle"; USHER_ABSENT: no limit */
static void print_pools(const char *const *pools, uint32_t count, int64_t limit, FILE *out)
{
    if (limit == USHER_ABSENT)
        fprintf(out, "all of");
    else
        fprintf(out, "at most %" PRId64 " of", limit);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s %s", i > 0 ? "," : "", pools[i]);
}

static void print_limits(const struct usher_limits *limits, FILE *out)
{
    print_limit("at least", limits->units_min, "per request", out);
    print_limit("at most", limits->units_per_request, "per request", out);
    print_limit("at most", limits->units_per_customer, "per customer", out);
    print_limit("at most", limits->holds_per_customer, "holds per customer", out);
    print_limit("at most", limits->hold_total_s, "s per hold in all", out);
    print_limit("at most", limits->house_hold_total_s, "s per hold of the house in all", out);
    for (uint32_t i = 0; i < limits->group_count; i++) {
        const struct usher_limit_group *group = &limits->groups[i];
        fprintf(out, "  ");
        print_pools(group->pools, group->pool_count, group->limit, out);
        fprintf(out, " per customer\n");
    }
}

/* "quota birds: at most 100 of stalls, at rate early until 2031-02-01 00:00:00Z" */
static void print_quota(const struct usher_quota *quota, FILE *out)
{
    char local[LOCAL_TIME_SIZE];
    fprintf(out, "  quota %s: ", quota->quota);
    print_pools(quota->pools, quota->pool_count, quota->limit_given ? quota->limit : USHER_ABSENT,
                out);
    if (quota->rate)
        fprintf(out, ", at rate %s", quota->rate);
    if (quota->closes_ms > 0) {
        local_time_stamp(quota->closes_ms, local);
        fprintf(out, " until %s", local);
    }
    fprintf(out, "\n");
}

void report_terms_print(const char *json, FILE *out)
{
    struct usher_arena arena = {0};
    struct stored_terms terms;
    struct usher_error err;
    if (json && stored_terms_decode(json, strlen(json), &arena, &terms, &err) == USHER_OK) {
        if (terms.limits)
            print_limits(terms.limits, out);
        for (uint32_t i = 0; i < terms.quota_count; i++)
            print_quota(&terms.quotas[i], out);
    } else if (json) {
        fprintf(out, "  terms %s\n", json);
    }
    usher_arena_deinit(&arena);
}
