/*
 * The part of a resource that no booking changes, shared by reference count: the resource has it,
 * and so has whoever shows it, also on another thread and after the resource is gone. Immutable
 * once published; a define publishes another one, with its clone. PURE.
 */
#include "worker/inventory/shared_catalogue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/codec/stored.h"

/* ---- lists of rates ---- */

enum {
    BOOK_SPARE = 65536 /* bytes that may lie idle in any book */
};

/*
 * Lists are only added: readers on other threads hold the book by a catalogue, and read its lists
 * while others are added. What is no longer used goes when a clone begins another book.
 */
struct rates_book {
    _Atomic uint32_t holders;
    struct usher_arena arena;
    struct table lists;
    size_t size, begun; /* bytes of its lists, about: now, and those it was begun with */
};

/* ---- books ---- */

static struct rates_book *book_open(void)
{
    struct rates_book *book = memory_calloc(1, sizeof *book);
    atomic_init(&book->holders, 1);
    return book;
}

/* The last catalogue that holds it frees it. NULL is legal. Any thread. */
static void rates_release(struct rates_book *book)
{
    if (!book || atomic_fetch_sub_explicit(&book->holders, 1, memory_order_acq_rel) != 1)
        return;
    table_deinit(&book->lists);
    usher_arena_deinit(&book->arena);
    free(book);
}

static struct rates_book *book_of(struct resource *resource)
{
    struct catalogue *catalogue = resource->catalogue;
    if (!catalogue->rates)
        catalogue->rates = book_open();
    return catalogue->rates;
}

/* Lists of rates and of restrictions never have the same text: "[[" begins one, "[{" the other. */
static struct listed *find(const struct rates_book *book, const char *json, uint64_t hash)
{
    struct table_node *node = table_find(&book->lists, hash);
    for (; node; node = table_find_next(node)) {
        struct listed *list = ENTRY_OF(node, struct listed, by_json);
        if (strcmp(list->json, json) == 0)
            return list;
    }
    return NULL;
}

/* Makes a list that can be found; `size` is about that of what it lists. */
static void add_list(struct rates_book *book, struct listed *list, const char *json, size_t size)
{
    size_t length = strlen(json);
    list->json = usher_arena_text(&book->arena, json, length);
    table_add(&book->lists, &list->by_json, table_hash_text(json, 0));
    book->size += 2 * length + size; /* names are in the JSON, too */
}

/* Adds a list whose rates are in the arena of the book. */
static struct rates *add(struct rates_book *book, const char *json, const struct usher_rate *at,
                         uint32_t count)
{
    assert(count > 0);
    struct rates *rates = usher_arena_alloc(&book->arena, sizeof *rates);
    *rates = (struct rates){.at = at, .count = count};
    const struct usher_rate *standard = rates_find(rates, STANDARD_RATE);
    rates->standard = standard ? standard : &at[0];
    add_list(book, &rates->list, json, sizeof *rates + count * sizeof *at);
    return rates;
}

static const struct usher_rate *copy(struct rates_book *book, const struct usher_rate *rates,
                                     uint32_t count)
{
    struct usher_rate *copies = usher_arena_alloc(&book->arena, count * sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = rates[i].rate;
        copies[i].rate = usher_arena_text(&book->arena, name, strlen(name));
        copies[i].price = rates[i].price;
    }
    return copies;
}

struct rates *rates_list(struct resource *resource, const struct usher_rate *rates, uint32_t count)
{
    assert(count > 0);
    struct rates_book *book = book_of(resource);
    struct usher_buffer json = {0};
    stored_rates_encode(rates, count, &json);
    usher_buffer_append(&json, "", 1);
    struct rates *list = (struct rates *)find(book, json.at, table_hash_text(json.at, 0));
    if (!list)
        list = add(book, json.at, copy(book, rates, count), count);
    usher_buffer_deinit(&json);
    return list;
}

struct rates *rates_read(struct resource *resource, const char *json)
{
    struct rates_book *book = book_of(resource);
    struct rates *list = (struct rates *)find(book, json, table_hash_text(json, 0));
    const struct usher_rate *rates;
    uint32_t count;
    struct usher_error err;
    if (!list &&
        stored_rates_decode(json, strlen(json), &book->arena, &rates, &count, &err) == USHER_OK &&
        count > 0)
        list = add(book, json, rates, count);
    book->begun = book->size;
    return list;
}

/* As much may be idle as is used: so that to begin another costs less than what made it idle. */
bool rates_share(struct resource *clone, const struct resource *resource)
{
    struct rates_book *book = resource->catalogue->rates;
    if (book && book->size > 2 * book->begun + BOOK_SPARE)
        return false;
    if (book)
        atomic_fetch_add_explicit(&book->holders, 1, memory_order_relaxed);
    clone->catalogue->rates = book;
    return true;
}

struct rates *rates_kept(struct resource *clone, struct rates *rates)
{
    if (!rates)
        return NULL;
    struct rates_book *book = book_of(clone);
    struct rates *list = (struct rates *)find(book, rates->list.json, rates->list.by_json.hash);
    if (!list) {
        list = add(book, rates->list.json, copy(book, rates->at, rates->count), rates->count);
        book->begun = book->size;
    }
    return list;
}

/* ---- restrictions ---- */

/* Adds a list whose rules are in the arena of the book. */
static struct restrictions *add_restrictions(struct rates_book *book, const char *json,
                                             const struct usher_restriction *at, uint32_t count)
{
    assert(count > 0);
    struct restrictions *restrictions = usher_arena_alloc(&book->arena, sizeof *restrictions);
    *restrictions = (struct restrictions){.at = at, .count = count};
    add_list(book, &restrictions->list, json, sizeof *restrictions + count * sizeof *at);
    return restrictions;
}

/* Finds or adds the list of a JSON text; NULL: it cannot be read. */
static struct restrictions *read_restrictions(struct resource *resource, const char *json)
{
    struct rates_book *book = book_of(resource);
    struct restrictions *list = (struct restrictions *)find(book, json, table_hash_text(json, 0));
    const struct usher_restriction *at;
    uint32_t count;
    struct usher_error err;
    if (list ||
        stored_restrictions_decode(json, strlen(json), &book->arena, &at, &count, &err) != USHER_OK)
        return list;
    return count > 0 ? add_restrictions(book, json, at, count) : NULL;
}

struct restrictions *restrictions_list(struct resource *resource,
                                       const struct usher_restriction *at, uint32_t count)
{
    if (count == 0)
        return NULL;
    struct usher_buffer json = {0};
    stored_restrictions_encode(at, count, &json);
    usher_buffer_append(&json, "", 1);
    struct restrictions *list = read_restrictions(resource, json.at);
    assert(list); /* what was written is read, so that its texts are those of the book */
    usher_buffer_deinit(&json);
    return list;
}

struct restrictions *restrictions_read(struct resource *resource, const char *json)
{
    struct restrictions *list = read_restrictions(resource, json);
    struct rates_book *book = book_of(resource);
    book->begun = book->size;
    return list;
}

struct restrictions *restrictions_kept(struct resource *clone, struct restrictions *restrictions)
{
    return restrictions ? restrictions_read(clone, restrictions->list.json) : NULL;
}

void restrictions_set(struct pool *pool, struct restrictions *restrictions)
{
    pool->restrictions = restrictions;
    pool->row.restrictions = restrictions ? restrictions->list.json : NULL;
    if (restrictions)
        pool->name->restricted = true;
}

/* ---- the rates of a pool ---- */

void rates_set(struct pool *pool, struct rates *rates)
{
    pool->rates = rates;
    pool->row.rates = rates ? rates->list.json : NULL;
}

const struct usher_rate *rates_find(const struct rates *rates, const char *name)
{
    for (uint32_t i = 0; i < rates->count; i++)
        if (strcmp(rates->at[i].rate, name) == 0)
            return &rates->at[i];
    return NULL;
}

bool rates_same(const char *one, const char *other)
{
    return strcmp(one ? one : STANDARD_RATE, other ? other : STANDARD_RATE) == 0;
}

uint32_t rates_offered(const struct pool *pool, const char *rate, const struct usher_rate **first)
{
    *first = NULL;
    if (!pool->rates)
        return !rate || strcmp(rate, STANDARD_RATE) == 0;
    *first = rates_find(pool->rates, rate ? rate : STANDARD_RATE);
    if (*first || rate)
        return *first ? 1 : 0;
    *first = pool->rates->at;
    return pool->rates->count;
}

bool rates_price(const struct pool *pool, const char *rate, int64_t *price, const char **named)
{
    *named = NULL;
    *price = pool->row.price;
    if (!pool->rates)
        return !rate || strcmp(rate, STANDARD_RATE) == 0;
    const struct usher_rate *found = rate ? rates_find(pool->rates, rate) : pool->rates->standard;
    if (!found)
        return false;
    *named = found->rate;
    *price = found->price;
    return true;
}

/* ---- catalogues ---- */

struct catalogue *catalogue_open(void)
{
    struct usher_arena arena = {0};
    struct catalogue *catalogue = usher_arena_alloc(&arena, sizeof *catalogue);
    catalogue->arena = arena;
    atomic_init(&catalogue->holders, 1);
    return catalogue;
}

static void publish_pool(struct catalogue *catalogue, const struct pool *pool)
{
    assert(pool->row.index < catalogue->pool_count);
    const struct pool_row *row = &pool->row;
    bool has_seats = pool->seat_row_count > 0;
    catalogue->pools[row->index] = (struct catalogue_pool){
        .name = row->name,
        .title = row->title,
        .kind = row->kind,
        .night = row->night,
        .capacity = row->capacity,
        .price = row->price,
        .overbook = row->overbook,
        .rates = pool->rates ? pool->rates->at : NULL,
        .rate_count = pool->rates ? pool->rates->count : 0,
        .restrictions = row->restrictions,
        .first_seat = has_seats ? (int32_t)pool->first_seat : CATALOGUE_NO_SEATS,
        .properties = row->properties,
    };
    catalogue->seat_count += has_seats ? row->capacity : 0;
    catalogue->total += row->capacity;
    catalogue->overbook += row->overbook;
    catalogue->shown_count += row->capacity > 0;
}

void catalogue_publish(struct resource *resource)
{
    struct catalogue *catalogue = resource->catalogue;
    const struct resource_row *row = &resource->row;
    assert(atomic_load(&catalogue->holders) == 1);
    catalogue->no = row->no;
    catalogue->id = row->id;
    catalogue->name = row->name;
    catalogue->venue = row->venue;
    catalogue->timezone = row->timezone;
    catalogue->currency = row->currency;
    catalogue->chart_name = row->chart;
    catalogue->starts_ms = row->starts_ms;
    catalogue->ends_ms = row->ends_ms;
    catalogue->opens_ms = row->opens_ms;
    catalogue->closes_ms = row->closes_ms;
    catalogue->chart = resource->chart.content;
    catalogue->chart_size = resource->chart.content_size;
    catalogue->pools =
        usher_arena_alloc(resource->arena, resource->pool_count * sizeof *catalogue->pools);
    catalogue->pool_count = resource->pool_count;
    catalogue->shown_count = catalogue->seat_count = 0;
    catalogue->total = catalogue->overbook = 0;
    struct quotas *quotas = usher_arena_alloc(resource->arena, sizeof *quotas);
    *quotas = resource->terms.quotas;
    catalogue->quotas = quotas;
    for (uint32_t i = 0; i < resource->pool_count; i++)
        publish_pool(catalogue, &resource->pools[i]);
}

struct catalogue *catalogue_hold(struct catalogue *catalogue)
{
    assert(atomic_load_explicit(&catalogue->holders, memory_order_relaxed) > 0);
    atomic_fetch_add_explicit(&catalogue->holders, 1, memory_order_relaxed);
    return catalogue;
}

/* It lies in its own arena, so that this is taken out of it first. */
void catalogue_release(struct catalogue *catalogue)
{
    if (catalogue && atomic_fetch_sub_explicit(&catalogue->holders, 1, memory_order_acq_rel) == 1) {
        struct usher_arena arena = catalogue->arena;
        rates_release(catalogue->rates);
        usher_arena_deinit(&arena);
    }
}
