/* Pools for people: see pool_table.h. */
#include "producer/terminal/pool_table.h"

#include <inttypes.h>
#include <string.h>

#include "producer/terminal/money.h"
#include "producer/terminal/text_table.h"

enum {
    INDENT = 2,
    PRICES_SIZE = 4096, /* more rates than that end in dots */
    NIGHTS_MAX = 31,    /* of a calendar's block: a month */
    NIGHT_COLUMNS = 5,  /* of a night beside its neighbour */
};

/* ---- prices ---- */

/* "45.00", or "early 20.00 (2 left), normal 30.00". Grows as rates are added. */
struct prices {
    char text[PRICES_SIZE];
    size_t size;
};

/* `left`: units at that rate, or ABSENT. */
static void add_price(struct prices *prices, const char *rate, int64_t price, int64_t left,
                      const char *currency)
{
    char text[PRICES_SIZE];
    if (price == USHER_ABSENT)
        return;
    FILE *out = fmemopen(text, sizeof text, "w");
    if (!out)
        return;
    fprintf(out, "%s%s%s", prices->size > 0 ? ", " : "", rate ? rate : "", rate ? " " : "");
    money_print(price, currency, out);
    if (left != USHER_ABSENT)
        fprintf(out, " (%" PRId64 " left)", left);
    fclose(out);
    size_t size = strlen(text);
    if (size >= sizeof prices->text - prices->size)
        return;
    memcpy(prices->text + prices->size, text, size + 1);
    prices->size += size;
}

static int64_t left_at(const struct usher_pool_status *pool, const char *rate)
{
    uint32_t i = 0;
    while (i < pool->left_count && strcmp(pool->left[i].rate, rate) != 0)
        i++;
    return i < pool->left_count ? pool->left[i].units : USHER_ABSENT;
}

static void pool_prices(const struct usher_pool_status *pool, const char *currency,
                        struct prices *prices)
{
    *prices = (struct prices){.size = 0};
    for (uint32_t i = 0; i < pool->rate_count; i++)
        add_price(prices, pool->rates[i].rate, pool->rates[i].price,
                  left_at(pool, pool->rates[i].rate), currency);
    if (pool->rate_count == 0)
        add_price(prices, NULL, pool->price, left_at(pool, "standard"), currency);
}

static void night_prices(const struct usher_pool_status *pool, uint32_t night, const char *currency,
                         struct prices *prices)
{
    *prices = (struct prices){.size = 0};
    for (uint32_t i = 0; i < pool->night_rate_count; i++)
        add_price(prices, pool->night_rates[i].rate, pool->night_rates[i].prices[night],
                  USHER_ABSENT, currency);
    if (pool->night_rate_count == 0)
        add_price(prices, NULL, pool->night_price[night], USHER_ABSENT, currency);
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

static void print_counted(const struct pool_list *list, const struct terminal *terminal)
{
    static const struct text_column columns[] = {
        {.title = "pool"},
        {.title = "free", .align = TEXT_RIGHT},
        {.title = "total", .align = TEXT_RIGHT},
        {.title = "held", .align = TEXT_RIGHT},
        {.title = "sold", .align = TEXT_RIGHT},
        {.title = "blocked", .align = TEXT_RIGHT, .drop = 1},
        {.title = "overbooked", .align = TEXT_RIGHT, .drop = 2},
        {.title = "price"},
    };
    struct text_table table;
    struct prices prices;
    text_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct usher_pool_status *pool = &list->pools[i];
        if (pool->kind == USHER_ROOM)
            continue;
        pool_prices(pool, list->currency, &prices);
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
static bool find_nights(const struct pool_list *list, struct block *nights)
{
    *nights = (struct block){.from = INT32_MAX, .to = INT32_MIN};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct usher_pool_status *pool = &list->pools[i];
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

static void print_block(const struct pool_list *list, const struct terminal *terminal,
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
    for (uint32_t i = 0; i < list->count; i++)
        if (list->pools[i].kind == USHER_ROOM)
            add_type(&table, &list->pools[i], block);
    text_table_print(&table, terminal, INDENT);
    text_table_deinit(&table);
}

static void print_calendar(const struct pool_list *list, const struct terminal *terminal,
                           const struct block *nights)
{
    int label = (int)strlen("2026-12");
    for (uint32_t i = 0; i < list->count; i++) {
        int columns = terminal_columns(list->pools[i].pool);
        if (list->pools[i].kind == USHER_ROOM && columns > label)
            label = columns;
    }
    int room = (terminal->width - INDENT - label) / NIGHT_COLUMNS;
    room = room < 1 ? 1 : room > NIGHTS_MAX ? NIGHTS_MAX : room;
    for (struct block block = *nights; block.from < nights->to; block.from = block.to) {
        block.to = end_of_block(block.from, nights->to, room);
        print_block(list, terminal, &block);
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

static void print_stretches(const struct pool_list *list, const struct terminal *terminal)
{
    static const struct text_column columns[] = {{.title = "room"},
                                                 {.title = "nights"},
                                                 {.title = "total", .align = TEXT_RIGHT},
                                                 {.title = "price"}};
    struct text_table table;
    text_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->pools[i].kind == USHER_ROOM)
            add_stretches(&table, &list->pools[i], list->currency);
    text_table_print(&table, terminal, INDENT);
    text_table_deinit(&table);
}

/* ---- more than there is ---- */

static void print_over(const struct pool_list *list, FILE *out)
{
    char night[USHER_NIGHT_SIZE];
    for (uint32_t i = 0; i < list->count; i++) {
        const struct usher_pool_status *pool = &list->pools[i];
        if (pool->over > 0)
            fprintf(out, "  %s: %" PRId64 " over\n", pool->pool, pool->over);
        for (uint32_t n = 0; n < pool->night_over_count; n++) {
            if (pool->night_over[n] == USHER_ABSENT || pool->night_over[n] == 0)
                continue;
            usher_night_format(pool->from + (int32_t)n, night);
            fprintf(out, "  %s %s: %" PRId64 " over\n", pool->pool, night, pool->night_over[n]);
        }
    }
}

/* ---- all ---- */

void pool_table_print(const struct pool_list *list, const struct terminal *terminal)
{
    struct block nights;
    print_counted(list, terminal);
    if (find_nights(list, &nights)) {
        print_calendar(list, terminal, &nights);
        print_stretches(list, terminal);
    }
    print_over(list, terminal->out);
}
