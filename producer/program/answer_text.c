/* Prints an answer for people, in a few lines. The wire format is for programs: --json. */
#include "producer/program/answer_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/clock.h"
#include "producer/codec/answer_words.h"
#include "producer/terminal/chart_draw.h"
#include "producer/terminal/local_time.h"
#include "producer/terminal/money.h"
#include "producer/terminal/text_table.h"

/*
 * ==== Pools ====
 *
 * Prints what a probe found: pools as a table, rooms as a calendar.
 */

enum {
    INDENT = 2,
    PRICES_SIZE = 4096, /* more rates than that end in dots */
    NIGHTS_MAX = 31,    /* of a calendar's block: a month */
    NIGHT_COLUMNS = 5,  /* of a night beside its neighbour */
};

/* ---- prices ---- */

/* "45.00", or "adult 45.00, child 25.00". Grows as rates are added. */
struct prices {
    char text[PRICES_SIZE];
    size_t size;
};

static void add_price(struct prices *prices, const char *rate, int64_t price, const char *currency)
{
    char text[PRICES_SIZE];
    if (price == USHER_ABSENT)
        return;
    FILE *out = fmemopen(text, sizeof text, "w");
    if (!out)
        return;
    fprintf(out, "%s%s%s", prices->size > 0 ? ", " : "", rate ? rate : "", rate ? " " : "");
    money_print(price, currency, out);
    fclose(out);
    size_t size = strlen(text);
    if (size >= sizeof prices->text - prices->size)
        return;
    memcpy(prices->text + prices->size, text, size + 1);
    prices->size += size;
}

static void pool_prices(const struct usher_pool_status *pool, const char *currency,
                        struct prices *prices)
{
    *prices = (struct prices){.size = 0};
    for (uint32_t i = 0; i < pool->rate_count; i++)
        add_price(prices, pool->rates[i].rate, pool->rates[i].price, currency);
    if (pool->rate_count == 0)
        add_price(prices, NULL, pool->price, currency);
}

static void night_prices(const struct usher_pool_status *pool, uint32_t night, const char *currency,
                         struct prices *prices)
{
    *prices = (struct prices){.size = 0};
    for (uint32_t i = 0; i < pool->night_rate_count; i++)
        add_price(prices, pool->night_rates[i].rate, pool->night_rates[i].prices[night], currency);
    if (pool->night_rate_count == 0)
        add_price(prices, NULL, pool->night_price[night], currency);
}

/* ---- sections and products ---- */

static enum terminal_colour colour_of_free(int64_t free)
{
    return free > 0 ? TERMINAL_GOOD : TERMINAL_BAD;
}

/* A count that is seldom there shows where it is. */
static void add_count(struct text_table *table, int64_t count)
{
    if (count > 0)
        text_table_add(table, TERMINAL_PLAIN, "%" PRId64, count);
    else
        text_table_add(table, TERMINAL_FAINT, "-");
}

static void print_pools(const struct usher_answer *answer, const struct terminal *terminal)
{
    static const struct text_column columns[] = {
        {.title = "pool"},
        {.title = "free", .align = TEXT_RIGHT},
        {.title = "total", .align = TEXT_RIGHT},
        {.title = "held", .align = TEXT_RIGHT},
        {.title = "sold", .align = TEXT_RIGHT},
        {.title = "blocked", .align = TEXT_RIGHT},
        {.title = "overbooked", .align = TEXT_RIGHT},
        {.title = "price"},
    };
    struct text_table table;
    struct prices prices;
    text_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < answer->pools_count; i++) {
        const struct usher_pool_status *pool = &answer->pools[i];
        if (pool->kind == USHER_ROOM)
            continue;
        pool_prices(pool, answer->currency, &prices);
        text_table_add(&table, TERMINAL_PLAIN, "%s", pool->pool);
        text_table_add(&table, colour_of_free(pool->free), "%" PRId64, pool->free);
        text_table_add(&table, TERMINAL_PLAIN, "%" PRId64, pool->total);
        add_count(&table, pool->held);
        add_count(&table, pool->sold);
        add_count(&table, pool->blocked);
        add_count(&table, pool->overbook);
        text_table_add(&table, TERMINAL_PLAIN, "%s", prices.text);
    }
    if (table.cell_count > 0)
        text_table_print(&table, terminal, INDENT);
    text_table_deinit(&table);
}

/* ---- rooms: what is free, a line a type, a column a night ---- */

/* The nights [from, to) of a block. */
struct block {
    int32_t from, to;
};

static bool has_night(const struct usher_pool_status *pool, int32_t night)
{
    return pool->kind == USHER_ROOM && night >= pool->from &&
           night < pool->from + (int32_t)pool->night_count &&
           pool->night_total[night - pool->from] != USHER_ABSENT;
}

/* The nights that any type has. False: there is none. */
static bool find_nights(const struct usher_answer *answer, struct block *nights)
{
    *nights = (struct block){.from = INT32_MAX, .to = INT32_MIN};
    for (uint32_t i = 0; i < answer->pools_count; i++) {
        const struct usher_pool_status *pool = &answer->pools[i];
        for (int32_t n = pool->from; n < pool->from + (int32_t)pool->night_count; n++) {
            if (!has_night(pool, n))
                continue;
            nights->from = n < nights->from ? n : nights->from;
            nights->to = n + 1 > nights->to ? n + 1 : nights->to;
        }
    }
    return nights->from < nights->to;
}

/* Where the block that begins there ends: with its month, or where the line is full. */
static int32_t end_of_block(int32_t from, int32_t to, int32_t room)
{
    char first[USHER_NIGHT_SIZE], text[USHER_NIGHT_SIZE];
    int32_t end = from + 1;
    usher_night_format(from, first);
    for (; end < to && end - from < room; end++) {
        usher_night_format(end, text);
        if (memcmp(first, text, strlen("2026-12")) != 0)
            break;
    }
    return end;
}

static void add_type(struct text_table *table, const struct usher_pool_status *pool,
                     const struct block *block)
{
    text_table_add(table, TERMINAL_PLAIN, "%s", pool->pool);
    for (int32_t night = block->from; night < block->to; night++) {
        if (!has_night(pool, night)) {
            text_table_add(table, TERMINAL_FAINT, "-");
            continue;
        }
        int64_t free = pool->night_free[night - pool->from];
        text_table_add(table, colour_of_free(free), "%" PRId64, free);
    }
}

static void print_block(const struct usher_answer *answer, const struct terminal *terminal,
                        const struct block *block)
{
    char month[USHER_NIGHT_SIZE], days[NIGHTS_MAX][USHER_NIGHT_SIZE];
    struct text_column columns[NIGHTS_MAX + 1] = {{.title = month}};
    struct text_table table;
    size_t count = (size_t)(block->to - block->from);
    usher_night_format(block->from, month);
    month[strlen("2026-12")] = '\0';
    for (size_t i = 0; i < count; i++) {
        usher_night_format(block->from + (int32_t)i, days[i]);
        columns[i + 1] =
            (struct text_column){.title = days[i] + strlen("2026-12-"), .align = TEXT_RIGHT};
    }
    text_table_init(&table, columns, count + 1);
    for (uint32_t i = 0; i < answer->pools_count; i++)
        if (answer->pools[i].kind == USHER_ROOM)
            add_type(&table, &answer->pools[i], block);
    text_table_print(&table, terminal, INDENT);
    text_table_deinit(&table);
}

static void print_calendar(const struct usher_answer *answer, const struct terminal *terminal,
                           const struct block *nights)
{
    int label = (int)strlen("2026-12");
    for (uint32_t i = 0; i < answer->pools_count; i++) {
        int columns = terminal_columns(answer->pools[i].pool);
        if (answer->pools[i].kind == USHER_ROOM && columns > label)
            label = columns;
    }
    int room = (terminal->width - INDENT - label) / NIGHT_COLUMNS;
    room = room < 1 ? 1 : room > NIGHTS_MAX ? NIGHTS_MAX : room;
    for (struct block block = *nights; block.from < nights->to; block.from = block.to) {
        block.to = end_of_block(block.from, nights->to, room);
        print_block(answer, terminal, &block);
    }
}

/* ---- rooms: how many there are and what they cost, a line for nights that are alike ---- */

static void add_stretch(struct text_table *table, const struct usher_pool_status *pool,
                        const struct block *block, const struct prices *prices)
{
    char first[USHER_NIGHT_SIZE], last[USHER_NIGHT_SIZE];
    usher_night_format(block->from, first);
    usher_night_format(block->to - 1, last);
    text_table_add(table, TERMINAL_PLAIN, "%s", pool->pool);
    if (block->to - block->from > 1)
        text_table_add(table, TERMINAL_PLAIN, "%s..%s", first, last);
    else
        text_table_add(table, TERMINAL_PLAIN, "%s", first);
    text_table_add(table, TERMINAL_PLAIN, "%" PRId64, pool->night_total[block->from - pool->from]);
    text_table_add(table, TERMINAL_PLAIN, "%s", prices->text);
}

static bool is_alike(const struct usher_pool_status *pool, int32_t night, int64_t total,
                     const struct prices *prices, const char *currency)
{
    struct prices here;
    if (!has_night(pool, night) || pool->night_total[night - pool->from] != total)
        return false;
    night_prices(pool, (uint32_t)(night - pool->from), currency, &here);
    return strcmp(here.text, prices->text) == 0;
}

static void add_stretches(struct text_table *table, const struct usher_pool_status *pool,
                          const char *currency)
{
    int32_t end = pool->from + (int32_t)pool->night_count;
    for (struct block block = {.from = pool->from}; block.from < end; block.from = block.to) {
        struct prices prices;
        block.to = block.from + 1;
        if (!has_night(pool, block.from))
            continue;
        uint32_t night = (uint32_t)(block.from - pool->from);
        night_prices(pool, night, currency, &prices);
        while (block.to < end &&
               is_alike(pool, block.to, pool->night_total[night], &prices, currency))
            block.to++;
        add_stretch(table, pool, &block, &prices);
    }
}

static void print_stretches(const struct usher_answer *answer, const struct terminal *terminal)
{
    static const struct text_column columns[] = {{.title = "room"},
                                                 {.title = "nights"},
                                                 {.title = "total", .align = TEXT_RIGHT},
                                                 {.title = "price"}};
    struct text_table table;
    text_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < answer->pools_count; i++)
        if (answer->pools[i].kind == USHER_ROOM)
            add_stretches(&table, &answer->pools[i], answer->currency);
    text_table_print(&table, terminal, INDENT);
    text_table_deinit(&table);
}

/* Prints the pools of an answer; nothing where it has none. */
static void probe_print(const struct usher_answer *answer, const struct terminal *terminal)
{
    struct block nights;
    print_pools(answer, terminal);
    if (find_nights(answer, &nights)) {
        print_calendar(answer, terminal, &nights);
        print_stretches(answer, terminal);
    }
    if (answer->next)
        fprintf(terminal->out, "  more from %s\n", answer->next);
}

/* ==== Answers ==== */

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

/* A block of the house costs nothing. */
static bool is_sale(const struct usher_answer *answer)
{
    return answer->op != USHER_OP_BLOCK && answer->op != USHER_OP_UNBLOCK;
}

static void print_units(const struct usher_answer *answer, const char *title,
                        const struct usher_units *units, uint32_t count, FILE *out)
{
    const char *currency = answer->currency;
    bool priced = is_sale(answer);
    char night[USHER_NIGHT_SIZE];
    for (uint32_t i = 0; i < count; i++) {
        const struct usher_units *u = &units[i];
        fprintf(out, "  %s", title);
        if (u->booking)
            fprintf(out, "%s: ", u->booking);
        fprintf(out, "%s", or_dash(u->pool));
        if (u->kind == USHER_ROOM) {
            usher_night_format(u->night, night);
            fprintf(out, " %s", night);
        }
        if (u->kind == USHER_SEATS) {
            fputc(' ', out);
            seat_ranges_print(u->seats, u->quantity, out);
        } else {
            fprintf(out, " x %u", u->quantity);
        }
        if (u->rate)
            fprintf(out, ", %s", u->rate);
        if (priced) {
            fprintf(out, ", ");
            money_print(u->price, currency, out);
            fprintf(out, " each");
        }
        fprintf(out, "\n");
    }
}

static void print_shortfalls(const struct usher_answer *answer, FILE *out)
{
    struct usher_buffer line = {0};
    for (uint32_t i = 0; i < answer->items_count; i++) {
        line.size = 0;
        answer_shortfall_append(&answer->items[i], &line);
        fprintf(out, "  %.*s\n", (int)line.size, line.at);
    }
    usher_buffer_deinit(&line);
}

/* ---- what a probe shows ---- */

/* In UTC, and by the clocks of the place where they are known. */
static void print_instant(const char *title, int64_t ms, const char *zone, FILE *out)
{
    char instant[USHER_INSTANT_SIZE], local[LOCAL_TIME_SIZE];
    if (ms == USHER_ABSENT)
        return;
    usher_instant_format(ms, instant);
    fprintf(out, "%s %s", title, instant);
    if (zone && local_time_format(ms, zone, local))
        fprintf(out, " (%s)", local);
}

static void print_sale(const struct usher_answer *answer, FILE *out)
{
    if (answer->state == USHER_STATE_ABSENT || answer->detail)
        return; /* the detail says it */
    fprintf(out, "  %s", usher_sale_state_name(answer->state));
    print_instant(", on sale from", answer->opens_ms, answer->timezone, out);
    print_instant(answer->opens_ms == USHER_ABSENT ? ", on sale until" : " until",
                  answer->closes_ms, answer->timezone, out);
    if (answer->waiting != USHER_ABSENT && answer->waiting > 0)
        fprintf(out, ", %" PRId64 " waiting", answer->waiting);
    fprintf(out, "\n");
}

/* ---- what became of a booking ---- */

static void print_booking(const struct usher_answer *answer, FILE *out)
{
    if (answer->reason != USHER_REASON_NONE)
        return;
    if (answer->booking)
        fprintf(out, "  booking %s\n", answer->booking);
    if (answer->outcome == USHER_TRANSFERRED && answer->customer)
        fprintf(out, "  now booked by %s\n", answer->customer);
    if (answer->position != USHER_ABSENT)
        fprintf(out, "  position %" PRId64 " on the waiting list, 1 is next\n", answer->position);
}

static uint64_t count_units(const struct usher_answer *answer)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < answer->units_count; i++)
        count += answer->units[i].quantity;
    return count;
}

/* A repeated answer says what was so once. */
static bool has_ended(const struct usher_answer *answer)
{
    return answer->replayed && answer->expires_ms <= clock_wall_ms();
}

static void print_total(const struct usher_answer *answer, FILE *out)
{
    if (answer->together >= 0 && count_units(answer) > 1)
        fprintf(out, "  %s\n", answer->together ? "together" : "not together");
    if (answer->overbooked != USHER_ABSENT && answer->overbooked > 0)
        fprintf(out, "  %" PRId64 " overbooked\n", answer->overbooked);
    if (answer->total != USHER_ABSENT && is_sale(answer)) {
        fprintf(out, "  total ");
        money_print_total(answer->total, answer->currency, out);
        if (answer->difference != USHER_ABSENT) {
            fprintf(out, ", difference %s", answer->difference > 0 ? "+" : "");
            money_print(answer->difference, answer->currency, out);
        }
        fprintf(out, "\n");
    }
    if (answer->expires_ms != USHER_ABSENT) {
        print_instant("  until", answer->expires_ms, answer->timezone, out);
        fprintf(out, "%s\n", has_ended(answer) ? ", ended" : "");
    }
    if (answer->chart)
        fprintf(out, "  chart %s\n", answer->chart);
}

static enum terminal_colour colour_of(enum usher_outcome outcome)
{
    if (outcome == USHER_REFUSED || outcome == USHER_INVALID)
        return TERMINAL_BAD;
    return outcome == USHER_WAITING || outcome == USHER_EXPIRED ? TERMINAL_WARNING : TERMINAL_GOOD;
}

static void print_headline(const struct usher_answer *answer, const struct terminal *terminal,
                           bool event)
{
    FILE *out = terminal->out;
    terminal_print(terminal, colour_of(answer->outcome), "%s",
                   answer_word(answer->op, answer->outcome));
    fprintf(out, " %s %s", or_dash(answer->request_id), or_dash(answer->resource));
    if (event && answer->customer)
        fprintf(out, ", customer %s", answer->customer);
    if (answer->reason != USHER_REASON_NONE)
        fprintf(out, ": %s%s", usher_reason_name(answer->reason),
                answer->retryable ? ", a new request may succeed" : "");
    if (answer->cause)
        fprintf(out, " (%s)", answer->cause);
    if (answer->replayed)
        fprintf(out, " (repeated)");
    if (answer->free != USHER_ABSENT)
        fprintf(out, ", %" PRId64 " free", answer->free);
    fprintf(out, "\n");
}

static void print_details(const struct usher_answer *answer, const struct terminal *terminal)
{
    FILE *out = terminal->out;
    if (answer->detail) {
        fprintf(out, "  ");
        terminal_write(out, answer->detail, strlen(answer->detail));
        fprintf(out, "\n");
    }
    for (uint32_t i = 0; i < answer->ignored_count; i++) {
        fprintf(out, "  ignored \"");
        terminal_write(out, answer->ignored[i], strlen(answer->ignored[i]));
        fprintf(out, "\", which usher does not know\n");
    }
    print_booking(answer, out);
    print_units(answer, "", answer->units, answer->units_count, out);
    print_units(answer, "back: ", answer->returned, answer->returned_count, out);
    print_shortfalls(answer, out);
    print_sale(answer, out);
    probe_print(answer, terminal);
    print_total(answer, out);
}

void answer_print(const struct usher_answer *answer, const struct terminal *terminal)
{
    print_headline(answer, terminal, false);
    print_details(answer, terminal);
}

void answer_print_event(const struct usher_answer *answer, const struct terminal *terminal)
{
    char instant[USHER_INSTANT_SIZE];
    usher_instant_format(answer->decided_ms, instant);
    terminal_print(terminal, TERMINAL_FAINT, "%s ", instant);
    print_headline(answer, terminal, true);
    print_details(answer, terminal);
}
