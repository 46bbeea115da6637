/*
 * Lists what is free now, pool by pool, page by page. Free is what can still be sold: a quota may
 * leave fewer than the free units. PURE.
 */
#include "worker/rules/probe.h"

#include <string.h>

#include "worker/inventory/resource.h"
#include "worker/inventory/terms.h"
#include "worker/rules/known.h"
#include "worker/rules/probe_nights.h"

enum {
    COUNTED_SIZE =
        220,        /* bytes of a section or product at most, without its name and named rates */
    RATE_SIZE = 20, /* bytes of a named rate at most, without its name */
    PAGE_POOLS_MAX = PROBE_SIZE_MAX / PROBE_ROOM_SIZE
};

static size_t counted_size(const struct pool *pool)
{
    size_t size = COUNTED_SIZE + strlen(pool->row.name);
    for (uint32_t i = 0; pool->rates && i < pool->rates->count; i++)
        size += RATE_SIZE + strlen(pool->rates->at[i].rate);
    return size;
}

/* Adds a section or a product. */
static void add_counted(struct probe_page *page, const struct pool *pool)
{
    if (page->next || pool->row.capacity == 0)
        return;
    size_t size = counted_size(pool);
    if (page->size + size > PROBE_SIZE_MAX) {
        page->next = pool->row.name;
        return;
    }
    page->size += size;
    page->pools[page->count++] = (struct usher_pool_status){
        .kind = pool->row.kind == USHER_PRODUCT ? USHER_PRODUCT : USHER_SECTION,
        .pool = pool->row.name,
        .free = terms_available(probe_resource(page), pool),
        .held = pool->taken.held,
        .sold = pool->taken.sold,
        .blocked = pool->taken.blocked,
        .total = pool->row.capacity,
        .overbook = pool->row.overbook,
        .price = pool->row.price,
        .rates = pool->rates ? pool->rates->at : NULL,
        .rate_count = pool->rates ? pool->rates->count : 0,
    };
}

/* ---- what is listed ---- */

static void list_kind(struct probe_page *page, enum usher_kind kind)
{
    const struct resource *resource = probe_resource(page);
    for (uint32_t i = 0; i < resource->name_count; i++) {
        const struct pool_name *name = resource->names[i];
        if (name->kind == kind && kind == USHER_ROOM)
            probe_add_all_nights(page, name);
        else if (name->kind == kind)
            add_counted(page, &resource->pools[name->pool]);
    }
}

static void list_all(struct probe_page *page)
{
    uint32_t count = probe_resource(page)->name_count;
    count = count < PAGE_POOLS_MAX ? count : PAGE_POOLS_MAX;
    page->pools = usher_arena_alloc(probe_arena(page), count * sizeof *page->pools);
    list_kind(page, USHER_SECTION);
    list_kind(page, USHER_PRODUCT);
    list_kind(page, USHER_ROOM);
}

/* Lists the pools that the request names. False: refused, some are not on sale. */
static bool list_items(struct probe_page *page)
{
    const struct usher_request *request = page->decision->request;
    const struct resource *resource = probe_resource(page);
    uint32_t unknown_count = 0;
    struct usher_shortfall *unknown =
        usher_arena_alloc(probe_arena(page), request->item_count * sizeof *unknown);
    page->pools = usher_arena_alloc(probe_arena(page), request->item_count * sizeof *page->pools);
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct usher_item *item = &request->items[i];
        const struct pool_name *name = resource_name(resource, item->pool);
        if (!name || name->kind != item->kind || !known_is_on_sale(resource, name)) {
            unknown[unknown_count] = (struct usher_shortfall){.item = i,
                                                              .asked = item->quantity,
                                                              .reason = USHER_UNKNOWN_POOL,
                                                              .free = USHER_ABSENT};
            known_set_pools(&unknown[unknown_count++], resource, item->kind, item->pool,
                            probe_arena(page));
        } else if (name->kind == USHER_ROOM) {
            probe_add_room(page, name, item->from, item->to);
        } else {
            add_counted(page, &resource->pools[name->pool]);
        }
    }
    if (unknown_count > 0)
        decision_refuse_items(page->decision, USHER_UNKNOWN_POOL, unknown, unknown_count);
    return unknown_count == 0;
}

void probe_decide(struct decision *decision)
{
    struct probe_page page = {.decision = decision};
    const struct resource *resource = decision->resource;
    struct usher_answer *answer = &decision->answer;
    answer->outcome = USHER_ALIVE;
    if (decision->request->item_count == 0)
        list_all(&page);
    else if (!list_items(&page))
        return;
    answer->currency = resource->row.currency;
    answer->state = resource->row.state;
    answer->opens_ms = resource->row.opens_ms;
    answer->closes_ms = resource->row.closes_ms;
    answer->timezone = resource->row.timezone;
    answer->waiting = resource->waiting.count;
    answer->pools = page.pools;
    answer->pools_count = page.count;
    answer->next = page.next;
}
