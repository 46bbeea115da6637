/*
 * probe: what is free now, pool by pool, a page at a time. PURE.
 */
#include <string.h>

#include "decide_parts.h"

enum {
    PAGE_SIZE_MAX = 400000, /* bytes of pools, about: no answer may grow beyond all bounds */
    COUNTED_SIZE = 220,     /* of a section or product at most, without its name */
    ROOM_SIZE = 80,         /* of a room type at most, without its name and nights */
    PAGE_POOLS_MAX = PAGE_SIZE_MAX / ROOM_SIZE,
};

/* The page being filled. */
struct page {
    struct decision *decision;
    struct usher_pool_status *pools;
    uint32_t count;
    size_t size;
    const char *next; /* not NULL: it is full */
};

static const struct resource *resource_of(const struct page *page)
{
    return page->decision->resource;
}

static struct usher_arena *arena_of(const struct page *page)
{
    return &page->decision->batch->arena;
}

/* Adds a section or a product. */
static void add_counted(struct page *page, const struct pool *pool)
{
    const struct units *units = &pool->units;
    size_t size = COUNTED_SIZE + strlen(pool->row.name);
    if (page->next || pool->row.capacity == 0)
        return;
    if (page->size + size > PAGE_SIZE_MAX) {
        page->next = pool->row.name;
        return;
    }
    page->size += size;
    page->pools[page->count++] = (struct usher_pool_status){
        .kind = pool->row.kind == USHER_PRODUCT ? USHER_PRODUCT : USHER_SECTION,
        .pool = pool->row.name,
        .free = units->free,
        .held = units->held,
        .sold = units->sold,
        .blocked = units->blocked,
        .total = units->count,
        .price = pool->row.price,
    };
}

/* ---- rooms ---- */

static const struct pool *night_on_sale(const struct page *page, const struct pool_name *name,
                                        int32_t night)
{
    const struct pool *pool = resource_night(resource_of(page), name, night);
    return pool && pool->row.capacity > 0 ? pool : NULL;
}

static size_t number_size(int64_t number)
{
    size_t size = 1;
    for (; number >= 10; number /= 10)
        size++;
    return size;
}

/* Bytes of one night's three values, with their commas. */
static size_t night_size(const struct pool *pool)
{
    if (!pool)
        return 3 * sizeof("null");
    return number_size(pool->units.free) + number_size(pool->units.count) +
           number_size(pool->row.price) + 3;
}

/* The first night from `from` on that does not fit on the page, or `to`. */
static int32_t fitting_end(struct page *page, const struct pool_name *name, int32_t from,
                           int32_t to)
{
    size_t size = page->size + ROOM_SIZE + strlen(name->text);
    int32_t night = from;
    while (night < to) {
        size += night_size(night_on_sale(page, name, night));
        if (size > PAGE_SIZE_MAX)
            break;
        page->size = size;
        night++;
    }
    return night;
}

static void fill_nights(const struct page *page, const struct pool_name *name,
                        struct usher_pool_status *status)
{
    size_t size = status->night_count * sizeof(int64_t);
    int64_t *free = usher_arena_alloc(arena_of(page), size);
    int64_t *total = usher_arena_alloc(arena_of(page), size);
    int64_t *price = usher_arena_alloc(arena_of(page), size);
    for (uint32_t i = 0; i < status->night_count; i++) {
        const struct pool *pool = night_on_sale(page, name, status->from + (int32_t)i);
        free[i] = pool ? pool->units.free : USHER_ABSENT;
        total[i] = pool ? pool->units.count : USHER_ABSENT;
        price[i] = pool ? pool->row.price : USHER_ABSENT;
    }
    status->night_free = free;
    status->night_total = total;
    status->night_price = price;
}

/* Adds the nights [from, to) of a room type, as many as fit. */
static void add_room(struct page *page, const struct pool_name *name, int32_t from, int32_t to)
{
    if (page->next || from >= to)
        return;
    int32_t end = fitting_end(page, name, from, to);
    if (end < to) {
        page->next = usher_arena_format(arena_of(page), "%s/%s", name->text,
                                        show_night(end, arena_of(page)));
    }
    if (end > from) {
        struct usher_pool_status *status = &page->pools[page->count++];
        *status = (struct usher_pool_status){.kind = USHER_ROOM,
                                             .pool = name->text,
                                             .from = from,
                                             .night_count = (uint32_t)(end - from)};
        fill_nights(page, name, status);
    }
}

/* All nights of a room type, from the first to the last one on sale. */
static void add_all_nights(struct page *page, const struct pool_name *name)
{
    int32_t from = name->first_night;
    int32_t to = name->first_night + (int32_t)name->night_count;
    while (from < to && !night_on_sale(page, name, from))
        from++;
    while (from < to && !night_on_sale(page, name, to - 1))
        to--;
    add_room(page, name, from, to);
}

/* ---- what is listed ---- */

static void list_kind(struct page *page, enum usher_kind kind)
{
    const struct resource *resource = resource_of(page);
    for (uint32_t i = 0; i < resource->name_count; i++) {
        const struct pool_name *name = resource->names[i];
        if (name->kind == kind && kind == USHER_ROOM)
            add_all_nights(page, name);
        else if (name->kind == kind)
            add_counted(page, &resource->pools[name->pool]);
    }
}

/* Whether any night of the room type, or the section or product, is on sale. */
static bool is_on_sale(const struct page *page, const struct pool_name *name)
{
    if (name->kind != USHER_ROOM)
        return resource_of(page)->pools[name->pool].row.capacity > 0;
    bool found = false;
    for (uint32_t i = 0; !found && i < name->night_count; i++)
        found = night_on_sale(page, name, name->first_night + (int32_t)i) != NULL;
    return found;
}

static void list_items(struct page *page, struct usher_shortfall *unknown, uint32_t *unknown_count)
{
    const struct usher_request *request = page->decision->request;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct usher_item *item = &request->items[i];
        const struct pool_name *name = resource_name(resource_of(page), item->pool);
        if (!name || name->kind != item->kind || !is_on_sale(page, name)) {
            unknown[(*unknown_count)++] = (struct usher_shortfall){.item = i,
                                                                   .asked = item->quantity,
                                                                   .reason = USHER_UNKNOWN_POOL,
                                                                   .free = USHER_ABSENT};
        } else if (name->kind == USHER_ROOM) {
            add_room(page, name, item->from, item->to);
        } else {
            add_counted(page, &resource_of(page)->pools[name->pool]);
        }
    }
}

static void probe_items(struct page *page)
{
    struct decision *decision = page->decision;
    uint32_t item_count = decision->request->item_count;
    uint32_t unknown_count = 0;
    struct usher_shortfall *unknown =
        usher_arena_alloc(arena_of(page), item_count * sizeof(*unknown));
    page->pools = usher_arena_alloc(arena_of(page), item_count * sizeof(*page->pools));
    list_items(page, unknown, &unknown_count);
    if (unknown_count > 0) {
        decision_refuse(decision, USHER_UNKNOWN_POOL, NULL);
        decision->answer.items = unknown;
        decision->answer.items_count = unknown_count;
    }
}

void decide_probe(struct decision *decision)
{
    struct page page = {.decision = decision};
    decision->answer.outcome = USHER_ALIVE;
    if (decision->request->item_count > 0) {
        probe_items(&page);
    } else {
        uint32_t count = decision->resource->name_count;
        count = count < PAGE_POOLS_MAX ? count : PAGE_POOLS_MAX;
        page.pools = usher_arena_alloc(arena_of(&page), count * sizeof(*page.pools));
        list_kind(&page, USHER_SECTION);
        list_kind(&page, USHER_PRODUCT);
        list_kind(&page, USHER_ROOM);
    }
    if (decision->answer.outcome == USHER_ALIVE) {
        decision->answer.pools = page.pools;
        decision->answer.pools_count = page.count;
        decision->answer.next = page.next;
    }
}
