/* probe: the units that are free, or the bookings that are asked about, as of now. PURE. */
#include "worker/rules/probe.h"

#include <assert.h>
#include <string.h>

#include "worker/inventory/bookings.h"
#include "worker/inventory/resource.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"
#include "worker/rules/known.h"
#include "worker/rules/stay.h"

/*
 * ==== Nights ====
 *
 * The page of a probe, and the room types on it.
 */

enum {
    PROBE_SIZE_MAX = 400000, /* bytes of pools per answer, about */
    PROBE_ROOM_SIZE = 80,    /* bytes of a room type at most, without its name, nights and rates */
    PROBE_RESTRICTED_SIZE = 120 /* bytes of the rule that forbids a stay at most */
};

struct probe_page {
    struct decision *decision;
    struct usher_pool_status *pools;
    uint32_t count, limit;
    size_t size;
    const char *next; /* where the next page begins; not NULL: this one is full */
};

static inline const struct resource *probe_resource(const struct probe_page *page)
{
    return page->decision->resource;
}

static inline struct usher_arena *probe_arena(const struct probe_page *page)
{
    return &page->decision->batch->arena;
}

enum {
    NULL_SIZE = 5,      /* bytes of null, with its comma */
    RATE_NAME_SIZE = 6, /* bytes of a rate without its name and prices */
};

static const struct pool *night_on_sale(const struct probe_page *page, const struct pool_name *name,
                                        int32_t night)
{
    assert(name->kind == USHER_ROOM);
    const struct pool *pool = resource_night(probe_resource(page), name, night);
    return pool && pool->row.capacity > 0 ? pool : NULL;
}

/* Returns the rate at that index of a night on sale. */
static struct usher_rate rate_at(const struct pool *pool, uint32_t index)
{
    assert(index < (pool->rates ? pool->rates->count : 1));
    if (pool->rates)
        return pool->rates->at[index];
    return (struct usher_rate){.rate = STANDARD_RATE, .price = pool->row.price};
}

static uint32_t rate_count(const struct pool *pool)
{
    return pool->rates ? pool->rates->count : 1;
}

/* Returns the price by the rate of that name; USHER_ABSENT: none, or the night is not on sale. */
static int64_t price_by(const struct pool *pool, const char *name)
{
    for (uint32_t i = 0; pool && i < rate_count(pool); i++) {
        struct usher_rate rate = rate_at(pool, i);
        if (strcmp(rate.rate, name) == 0)
            return rate.price;
    }
    return USHER_ABSENT;
}

/* ---- how many nights fit ---- */

/* The nights of a type from `from` on that go on the page. */
struct stay {
    const struct pool_name *name;
    int32_t from;
    uint32_t count;     /* nights so far */
    size_t size;        /* bytes of them, without named rates */
    size_t rates_size;  /* bytes of the named rates */
    bool named;         /* some night has named rates: they are listed */
    size_t over_size;   /* bytes of how many are taken beyond the total */
    bool over;          /* of some night there are: that is listed */
    const char **rates; /* names, in the order of their first night */
    uint32_t rate_count, rate_limit;
};

/* Returns the bytes of a number that is not negative. */
static size_t number_size(int64_t number)
{
    assert(number >= 0);
    size_t size = 1;
    for (; number >= 10; number /= 10)
        size++;
    return size;
}

static size_t value_size(int64_t value)
{
    return value == USHER_ABSENT ? NULL_SIZE : number_size(value) + 1;
}

static bool knows_rate(const struct stay *stay, const char *name)
{
    for (uint32_t i = 0; i < stay->rate_count; i++)
        if (strcmp(stay->rates[i], name) == 0)
            return true;
    return false;
}

/* Adds a rate; the nights so far have no price by it. */
static void add_rate(struct stay *stay, const char *name, struct usher_arena *arena)
{
    if (stay->rate_count == stay->rate_limit) {
        const char **old = stay->rates;
        stay->rate_limit = 2 * stay->rate_limit + 4;
        stay->rates = usher_arena_alloc(arena, stay->rate_limit * sizeof *stay->rates);
        if (stay->rate_count > 0)
            memcpy(stay->rates, old, stay->rate_count * sizeof *old);
    }
    stay->rates[stay->rate_count++] = name;
    stay->rates_size += RATE_NAME_SIZE + strlen(name) + (size_t)stay->count * NULL_SIZE;
}

/* Adds a night; `pool` NULL: it is not on sale. */
static void add_night(struct stay *stay, const struct pool *pool, int64_t free,
                      struct usher_arena *arena)
{
    assert((free == USHER_ABSENT) == !pool);
    for (uint32_t i = 0; pool && i < rate_count(pool); i++) {
        const char *name = rate_at(pool, i).rate;
        if (!knows_rate(stay, name))
            add_rate(stay, name, arena);
    }
    for (uint32_t i = 0; i < stay->rate_count; i++)
        stay->rates_size += value_size(price_by(pool, stay->rates[i]));
    stay->named |= pool && pool->rates;
    int64_t over = pool ? (int64_t)pool_over(pool) : USHER_ABSENT;
    stay->over_size += value_size(over);
    stay->over |= over > 0;
    stay->size += value_size(free) + value_size(pool ? pool->row.capacity : USHER_ABSENT) +
                  value_size(pool ? pool->row.price : USHER_ABSENT);
    stay->count++;
}

static size_t stay_size(const struct stay *stay)
{
    return PROBE_ROOM_SIZE + strlen(stay->name->text) + stay->size +
           (stay->named ? stay->rates_size : 0) +
           (stay->over ? sizeof ",\"over\":[]" + stay->over_size : 0);
}

static int64_t night_free(const struct probe_page *page, const struct pool *pool)
{
    return pool ? (int64_t)terms_available(probe_resource(page), pool) : USHER_ABSENT;
}

/* Adds nights up to `to`, or to the first that does not fit on the page. */
static void fill_stay(const struct probe_page *page, struct stay *stay, int32_t to)
{
    struct stay fitting = *stay;
    for (int32_t night = stay->from; night < to; night++) {
        const struct pool *pool = night_on_sale(page, stay->name, night);
        add_night(&fitting, pool, night_free(page, pool), probe_arena(page));
        if (page->size + stay_size(&fitting) > PROBE_SIZE_MAX)
            return;
        *stay = fitting;
    }
}

/* ---- what is shown of them ---- */

static void set_nights(const struct probe_page *page, const struct stay *stay,
                       struct usher_pool_status *status)
{
    assert(stay->count > 0);
    size_t size = stay->count * sizeof(int64_t);
    int64_t *free = usher_arena_alloc(probe_arena(page), size);
    int64_t *total = usher_arena_alloc(probe_arena(page), size);
    int64_t *price = usher_arena_alloc(probe_arena(page), size);
    int64_t *over = usher_arena_alloc(probe_arena(page), size);
    for (uint32_t i = 0; i < stay->count; i++) {
        const struct pool *pool = night_on_sale(page, stay->name, stay->from + (int32_t)i);
        free[i] = night_free(page, pool);
        total[i] = pool ? pool->row.capacity : USHER_ABSENT;
        price[i] = pool ? pool->row.price : USHER_ABSENT;
        over[i] = pool ? (int64_t)pool_over(pool) : USHER_ABSENT;
    }
    status->night_free = free;
    status->night_total = total;
    status->night_price = price;
    status->night_over = stay->over ? over : NULL;
    status->night_over_count = stay->over ? stay->count : 0;
}

static void set_rates(const struct probe_page *page, const struct stay *stay,
                      struct usher_pool_status *status)
{
    assert(stay->count > 0);
    if (!stay->named)
        return;
    struct usher_night_rate *rates =
        usher_arena_alloc(probe_arena(page), stay->rate_count * sizeof *rates);
    for (uint32_t i = 0; i < stay->rate_count; i++) {
        int64_t *prices = usher_arena_alloc(probe_arena(page), stay->count * sizeof *prices);
        for (uint32_t j = 0; j < stay->count; j++) {
            const struct pool *pool = night_on_sale(page, stay->name, stay->from + (int32_t)j);
            prices[j] = price_by(pool, stay->rates[i]);
        }
        rates[i] = (struct usher_night_rate){.rate = stay->rates[i], .prices = prices};
    }
    status->night_rates = rates;
    status->night_rate_count = stay->rate_count;
}

static void add_stay(struct probe_page *page, const struct stay *stay)
{
    assert(page->count < page->limit);
    struct usher_pool_status *status = &page->pools[page->count++];
    *status = (struct usher_pool_status){.kind = USHER_ROOM,
                                         .pool = stay->name->text,
                                         .from = stay->from,
                                         .night_count = stay->count};
    set_nights(page, stay, status);
    set_rates(page, stay, status);
    page->size += stay_size(stay);
}

/* ---- rooms ---- */

/* Says why a stay of these nights would be refused, if a rule forbids it: about the item's own. */
static void set_restricted(struct probe_page *page, const struct pool_name *name,
                           const struct usher_item *item)
{
    struct usher_restricted restricted;
    if (page->next || page->count == 0 ||
        !stay_is_restricted(probe_resource(page), name, item, &restricted))
        return;
    page->size += PROBE_RESTRICTED_SIZE;
    page->pools[page->count - 1].restricted = memcpy(
        usher_arena_alloc(probe_arena(page), sizeof restricted), &restricted, sizeof restricted);
}

/* Adds the nights [from, to) of a room type, as many as fit. */
static void probe_add_room(struct probe_page *page, const struct pool_name *name, int32_t from,
                           int32_t to)
{
    if (page->next || from >= to)
        return;
    struct stay stay = {.name = name, .from = from};
    fill_stay(page, &stay, to);
    int32_t end = from + (int32_t)stay.count;
    assert(end <= to);
    if (end < to) {
        page->next = usher_arena_format(probe_arena(page), "%s/%s", name->text,
                                        answer_night(end, probe_arena(page)));
    }
    if (stay.count > 0)
        add_stay(page, &stay);
}

/* Adds all nights of it, from the first to the last one on sale. */
static void probe_add_all_nights(struct probe_page *page, const struct pool_name *name)
{
    int32_t from = name->first_night;
    int32_t to = name->first_night + (int32_t)name->night_count;
    while (from < to && !night_on_sale(page, name, from))
        from++;
    while (from < to && !night_on_sale(page, name, to - 1))
        to--;
    probe_add_room(page, name, from, to);
}

/*
 * ==== Bookings ====
 *
 * One by its id, or those of a customer's cart. There is no asking for all of a customer: an index
 * of bookings by customer would cost every hold.
 */

/* Parties of the waiting list that one answer counts: a probe is not to hold up the others. */
#define PARTIES_COUNTED_MAX 10000

static struct usher_booking_status status_of(const struct decision *decision,
                                             const struct booking *booking)
{
    const struct booking_row *row = &booking->row;
    bool ends_by_time = row->state == BOOKING_HELD || row->state == BOOKING_WAITING ||
                        row->state == BOOKING_BLOCKED;
    return (struct usher_booking_status){
        .booking = decision_text(decision, row->request_id),
        .state = booking_state_name(row->state),
        .customer = decision_text(decision, row->customer),
        .cart = decision_text(decision, row->cart),
        .payment = decision_text(decision, row->payment),
        .units = booking->content ? booking->content->unit_count : 0,
        .total = row->total,
        .expires_ms = ends_by_time ? row->expires_ms : USHER_ABSENT,
        .position = USHER_ABSENT,
    };
}

static void list_bookings(struct decision *decision, struct booking *const *bookings,
                          uint32_t count)
{
    assert(count > 0);
    uint32_t left = PARTIES_COUNTED_MAX;
    struct usher_booking_status *all =
        usher_arena_alloc(decision_arena(decision), count * sizeof *all);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = status_of(decision, bookings[i]);
        if (!bookings[i]->waits_in || left == 0)
            continue;
        uint32_t position = waiting_position(bookings[i], left);
        if (position > 0)
            all[i].position = position;
        left -= position > 0 ? position : left;
    }
    decision->answer.bookings = all;
    decision->answer.bookings_count = count;
    decision_fits(decision);
}

static bool is_owner(const struct usher_request *request, const struct booking *booking)
{
    assert(request->booking);
    return !request->customer ||
           (booking->row.customer && strcmp(request->customer, booking->row.customer) == 0);
}

static void probe_booking(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    struct booking *booking =
        inventory_booking(decision->inventory, decision->resource->row.no, request->booking);
    if (!booking || !inventory_trusts(decision->inventory, decision->resource, &booking, 1))
        decision_refuse(decision, USHER_UNKNOWN_BOOKING, NULL);
    else if (!is_owner(request, booking))
        decision_refuse(decision, USHER_NOT_OWNER, NULL);
    else
        list_bookings(decision, &booking, 1);
}

static void probe_cart(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    struct booking **bookings;
    uint32_t count =
        inventory_cart(decision->inventory, decision->resource->row.no, request->customer,
                       request->cart, decision_arena(decision), &bookings);
    if (count == 0 || !inventory_trusts(decision->inventory, decision->resource, bookings, count))
        decision_refuse(decision, USHER_UNKNOWN_BOOKING, "the cart has no bookings here");
    else
        list_bookings(decision, bookings, count);
}

/* ==== Probe ==== */

enum {
    COUNTED_SIZE =
        220,        /* bytes of a section or product at most, without its name and named rates */
    RATE_SIZE = 20, /* bytes of a named rate at most, without its name */
    PAGE_POOLS_MAX = PROBE_SIZE_MAX / PROBE_ROOM_SIZE
};

static size_t counted_size(const struct pool *pool, bool has_left)
{
    size_t size = COUNTED_SIZE + strlen(pool->row.name);
    for (uint32_t i = 0; pool->rates && i < pool->rates->count; i++)
        size += (has_left ? 2 : 1) * (RATE_SIZE + strlen(pool->rates->at[i].rate));
    return size;
}

/* Sets what is left at the rates that a quota limits or ends. */
static void set_left(const struct probe_page *page, const struct pool *pool,
                     struct usher_pool_status *status)
{
    const struct resource *resource = probe_resource(page);
    if (resource->terms.rate_count == 0)
        return;
    struct usher_rate_left *left =
        usher_arena_alloc(probe_arena(page), rate_count(pool) * sizeof *left);
    status->left = left;
    for (uint32_t i = 0; i < rate_count(pool); i++) {
        const char *rate = rate_at(pool, i).rate;
        bool ended = page->decision->at_ms >= terms_end_of_rate(resource, pool, rate);
        int64_t units = ended ? 0 : terms_left_at_rate(resource, pool, rate, NULL);
        if (units < INT64_MAX)
            left[status->left_count++] = (struct usher_rate_left){rate, units > 0 ? units : 0};
    }
}

/* Adds a section or a product. */
static void add_counted(struct probe_page *page, const struct pool *pool)
{
    assert(pool->row.kind != USHER_ROOM);
    if (page->next || pool->row.capacity == 0)
        return;
    size_t size = counted_size(pool, probe_resource(page)->terms.rate_count > 0);
    if (page->size + size > PROBE_SIZE_MAX) {
        page->next = pool->row.name;
        return;
    }
    assert(page->count < page->limit);
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
        .over = pool_over(pool),
        .price = pool->row.price,
        .rates = pool->rates ? pool->rates->at : NULL,
        .rate_count = pool->rates ? pool->rates->count : 0,
    };
    set_left(page, pool, &page->pools[page->count - 1]);
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
    page->limit = count;
    list_kind(page, USHER_SECTION);
    list_kind(page, USHER_PRODUCT);
    list_kind(page, USHER_ROOM);
}

/* Lists the pools that the request names. False: refused, some are not on sale. */
static bool list_items(struct probe_page *page)
{
    assert(page->decision->request->item_count > 0);
    const struct usher_request *request = page->decision->request;
    const struct resource *resource = probe_resource(page);
    uint32_t unknown_count = 0;
    struct usher_shortfall *unknown =
        usher_arena_alloc(probe_arena(page), request->item_count * sizeof *unknown);
    page->pools = usher_arena_alloc(probe_arena(page), request->item_count * sizeof *page->pools);
    page->limit = request->item_count;
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
            set_restricted(page, name, item);
        } else {
            add_counted(page, &resource->pools[name->pool]);
        }
    }
    if (unknown_count > 0)
        decision_refuse_items(page->decision, USHER_UNKNOWN_POOL, unknown, unknown_count);
    return unknown_count == 0;
}

static void set_sale(struct decision *decision)
{
    const struct resource *resource = decision->resource;
    struct usher_answer *answer = &decision->answer;
    answer->outcome = USHER_ALIVE;
    answer->currency = resource->row.currency;
    answer->state = resource->row.state;
    answer->opens_ms = resource->row.opens_ms;
    answer->closes_ms = resource->row.closes_ms;
    answer->ends_ms = resource->row.ends_ms;
    answer->timezone = resource->row.timezone;
    answer->waiting = resource->waiting.count;
}

static void probe_pools(struct decision *decision)
{
    struct probe_page page = {.decision = decision};
    if (decision->request->item_count == 0)
        list_all(&page);
    else if (!list_items(&page))
        return;
    decision->answer.pools = page.pools;
    decision->answer.pools_count = page.count;
    decision->answer.next = page.next;
}

void probe_decide(struct decision *decision)
{
    assert(decision->resource);
    set_sale(decision);
    if (decision->request->booking)
        probe_booking(decision);
    else if (decision->request->cart)
        probe_cart(decision);
    else
        probe_pools(decision);
}
