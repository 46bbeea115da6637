/*
 * The bookings in memory: finding them, and the one way in which they change. Every change is
 * noted, to become part of the net effect of the current batch (seal.h). PURE: no booking rules
 * here.
 */
#include "worker/inventory/bookings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "worker/base/bits.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/sellable.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"

/* ==== Their units ==== */

static int64_t *sum_of(struct resource *resource, enum booking_state state)
{
    return state == BOOKING_HELD      ? &resource->held
           : state == BOOKING_BLOCKED ? &resource->blocked
                                      : &resource->sold;
}

/* Adds units of a pool to those in that state, in the pool and over all; or takes them away. */
static void count_units(struct resource *resource, struct pool *pool, enum booking_state state,
                        int64_t units)
{
    assert(booking_state_owns_units(state));
    *unit_counts_in(&pool->taken, state) += (uint32_t)units;
    *sum_of(resource, state) += units;
}

void resource_take(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state)
{
    struct pool *from = &resource->pools[pool];
    uint32_t free = pool_free(from);
    count_units(resource, from, state, count);
    assert(pool_over(from) <= from->over);
    resource->free -= free - pool_free(from);
    sellable_note(&resource->sellable, pool);
    if (kind_is_counted(from->row.kind))
        return;
    for (uint32_t i = 0; i < count; i++)
        units_take(&from->units, (uint32_t)units[i], state);
    if (from->seat_row_count > 0)
        seats_refresh(from, units, count);
}

void resource_overbook(struct resource *resource, uint32_t pool, uint32_t count)
{
    struct pool *of = &resource->pools[pool];
    assert(of->row.kind != USHER_SEATS && of->row.capacity > 0);
    uint32_t taken = unit_counts_sum(of->taken) + count, capacity = of->row.capacity;
    if (taken > capacity && taken - capacity > of->over)
        of->over = taken - capacity;
    resource->may_be_over = true;
    if (!kind_is_counted(of->row.kind) && taken > of->units.count)
        units_extend(&of->units, bits_words(taken) * BITS_PER_WORD); /* seldom, so whole words */
}

void resource_sell(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count)
{
    struct pool *of = &resource->pools[pool];
    assert(of->taken.held >= count);
    count_units(resource, of, BOOKING_HELD, -(int64_t)count);
    count_units(resource, of, BOOKING_CONFIRMED, count);
    if (kind_is_counted(of->row.kind))
        return;
    for (uint32_t i = 0; i < count; i++)
        units_sell(&of->units, (uint32_t)units[i]);
}

void resource_give(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state)
{
    struct pool *to = &resource->pools[pool];
    assert(*unit_counts_in(&to->taken, state) >= count);
    uint32_t free = pool_free(to);
    count_units(resource, to, state, -(int64_t)count);
    resource->free += pool_free(to) - free;
    sellable_note(&resource->sellable, pool);
    waiting_note_return(resource, pool);
    if (kind_is_counted(to->row.kind))
        return;
    for (uint32_t i = 0; i < count; i++) {
        assert(units_state(&to->units, (uint32_t)units[i]) == state);
        units_give(&to->units, (uint32_t)units[i]);
    }
    if (to->seat_row_count > 0)
        seats_refresh(to, units, count);
}

/* In that state; and seats, and nothing else, have a hash. */
static bool has_numbers(const struct pool *pool, const struct line *line, enum booking_state state)
{
    bool good = line->units && (line->seat_hash != 0) == (pool->row.kind == USHER_SEATS);
    for (uint32_t i = 0; good && i < line->unit_count; i++)
        good = (uint32_t)line->units[i] < pool->units.count &&
               units_state(&pool->units, (uint32_t)line->units[i]) == state;
    return good;
}

static bool may_be_lines(const struct resource *resource, const struct line *lines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].pool >= resource->pool_count ||
            (!lines[i].units && resource->pools[lines[i].pool].row.kind == USHER_ROOM))
            return false;
    return true;
}

static void resource_count_in(struct resource *resource, const struct line *lines, uint32_t count,
                              enum booking_state state);

bool resource_count_out(struct resource *resource, const struct line *lines, uint32_t count,
                        enum booking_state state)
{
    if (!may_be_lines(resource, lines, count))
        return false;
    for (uint32_t i = 0; booking_state_owns_units(state) && i < count; i++) {
        struct pool *pool = &resource->pools[lines[i].pool];
        uint32_t *taken = unit_counts_in(&pool->taken, state);
        if (*taken < lines[i].unit_count ||
            line_is_counted(&lines[i]) != kind_is_counted(pool->row.kind) ||
            (!kind_is_counted(pool->row.kind) && !has_numbers(pool, &lines[i], state))) {
            resource_count_in(resource, lines, i, state);
            return false;
        }
        *taken -= lines[i].unit_count;
    }
    return true;
}

static void resource_count_in(struct resource *resource, const struct line *lines, uint32_t count,
                              enum booking_state state)
{
    for (uint32_t i = 0; booking_state_owns_units(state) && i < count; i++)
        *unit_counts_in(&resource->pools[lines[i].pool].taken, state) += lines[i].unit_count;
}

static void check_pool(const struct resource *resource, const struct pool *pool)
{
    assert(pool->row.index == (uint32_t)(pool - resource->pools));
    assert(pool_over(pool) <= pool->over);
    if (kind_is_counted(pool->row.kind))
        assert(pool->units.count == 0);
    else
        assert(units_check(&pool->units, pool->taken, pool_free(pool)));
    assert(pool->row.kind != USHER_SEATS || pool->units.count == pool->row.capacity);
    assert(pool->seat_row_count == 0 || (pool->row.kind == USHER_SEATS && seats_check(pool)));

    const struct pool_name *name = resource_name(resource, pool->row.name);
    assert(name && name == pool->name);
    if (name->kind == USHER_ROOM)
        assert(resource_night(resource, name, pool->row.night) == pool);
    else
        assert(name->pool == pool->row.index);
}

void resource_check(const struct resource *resource)
{
    int64_t total = 0, free = 0, over = 0, held = 0, sold = 0, blocked = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        check_pool(resource, pool);
        total += pool->row.capacity;
        free += pool_free(pool);
        over += pool_over(pool);
        held += pool->taken.held;
        sold += pool->taken.sold;
        blocked += pool->taken.blocked;
    }
    assert(total == resource->total && free == resource->free && held == resource->held);
    assert(sold == resource->sold && blocked == resource->blocked);
    assert(free + held + sold + blocked == total + over);
    assert(rate_uses_fit(resource));
}

/* ---- checks ---- */

/* Whether a check of the resource is about a booking. */
static bool is_checked(const struct resource *resource, const struct booking *booking)
{
    return booking->row.resource_no == resource->row.no &&
           booking_state_owns_units(booking->row.state) &&
           (booking->touched || resource->bookings_complete);
}

static void check_prices(const struct resource *resource, struct booking *const *bookings,
                         uint32_t count)
{
    int64_t takings = 0, promised = 0;
    for (uint32_t i = 0; i < count; i++) {
        takings += bookings[i]->row.state == BOOKING_CONFIRMED ? bookings[i]->row.total : 0;
        promised += bookings[i]->row.state == BOOKING_HELD ? bookings[i]->row.total : 0;
    }
    assert(takings == resource->row.takings && promised == resource->row.promised);
}

/* Asserts that no two of the bookings have the same unit, and counts them out. */
static void check_bookings(struct resource *resource, struct booking *const *bookings,
                           uint32_t count, struct usher_arena *arena)
{
    uint32_t line_count = 0;
    for (uint32_t i = 0; i < count; i++)
        line_count += bookings[i]->content->line_count;
    struct line *lines = usher_arena_alloc(arena, line_count * sizeof *lines);
    line_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct content *content = bookings[i]->content;
        bool out = resource_count_out(resource, content->lines, content->line_count,
                                      bookings[i]->row.state);
        assert(out);
        for (uint32_t j = 0; j < content->line_count; j++)
            if (!kind_is_counted(resource->pools[content->lines[j].pool].row.kind))
                lines[line_count++] = content->lines[j];
    }
    const struct unit_set units = unit_set_of(lines, line_count, arena);
    assert(!unit_set_has_twice(&units));
}

static void check_owners(struct inventory *inventory, struct resource *resource)
{
    struct booking **bookings =
        usher_arena_alloc(&inventory->scratch, inventory->bookings.count * sizeof *bookings);
    uint32_t count = 0;
    for (struct list_node *node = inventory->bookings.oldest; node; node = node->newer)
        if (is_checked(resource, ENTRY_OF(node, struct booking, use)))
            bookings[count++] = ENTRY_OF(node, struct booking, use);
    check_bookings(resource, bookings, count, &inventory->scratch);
    if (resource->bookings_complete)
        check_prices(resource, bookings, count);
    for (uint32_t i = 0; resource->bookings_complete && i < resource->pool_count; i++)
        assert(unit_counts_sum(resource->pools[i].taken) == 0);
    for (uint32_t i = 0; i < count; i++)
        resource_count_in(resource, bookings[i]->content->lines, bookings[i]->content->line_count,
                          bookings[i]->row.state);
    usher_arena_reset(&inventory->scratch);
}

void inventory_check(struct inventory *inventory)
{
    for (struct list_node *node = inventory->touched_resources.oldest; node; node = node->newer) {
        struct resource *resource = ENTRY_OF(node, struct resource, touch);
        resource_check(resource);
        check_owners(inventory, resource);
    }
}

/* ==== Bookings ==== */

static uint64_t id_hash_of(int64_t resource_no, const char *request_id)
{
    return table_hash_text(request_id, (uint64_t)resource_no);
}

struct booking *inventory_booking(struct inventory *inventory, int64_t resource_no,
                                  const char *request_id)
{
    struct table_node *node =
        table_find(&inventory->bookings_by_id, id_hash_of(resource_no, request_id));
    for (; node; node = table_find_next(node)) {
        struct booking *booking = ENTRY_OF(node, struct booking, by_id);
        if (booking->row.resource_no == resource_no &&
            strcmp(booking->row.request_id, request_id) == 0) {
            if (!booking->waits_in)
                list_renew(&inventory->bookings, &booking->use);
            return booking;
        }
    }
    return NULL;
}

/* Returns what is wrong; NULL: nothing, and it is counted out. */
static const char *count_out(struct resource *resource, const struct booking *booking)
{
    const struct content *content = booking->content;
    if (!resource_count_out(resource, content->lines, content->line_count, booking->row.state))
        return "its units are not taken as its lines say";
    if (tally_count_out(resource, booking))
        return NULL;
    resource_count_in(resource, content->lines, content->line_count, booking->row.state);
    return "what its customer has was counted without it";
}

static void count_in(struct resource *resource, const struct booking *booking)
{
    const struct content *content = booking->content;
    tally_count_in(resource, booking);
    resource_count_in(resource, content->lines, content->line_count, booking->row.state);
}

bool inventory_trusts(struct inventory *inventory, struct resource *resource,
                      struct booking *const *bookings, uint32_t count)
{
    const char *wrong = NULL;
    uint32_t out = 0;
    while (!wrong && out < count) {
        wrong = count_out(resource, bookings[out]);
        out += !wrong;
    }
    if (wrong && inventory->fault.text[0] == '\0')
        usher_error_set(&inventory->fault, USHER_EXIT_BUG,
                        "could not change booking %lld: %s: the database has something that this "
                        "program did not write",
                        (long long)bookings[out]->row.no, wrong);
    while (out-- > 0)
        count_in(resource, bookings[out]);
    return !wrong;
}

/* ---- carts ---- */

static uint64_t cart_hash(int64_t resource_no, const char *customer, const char *cart)
{
    return table_hash_text(cart, table_hash_text(customer, (uint64_t)resource_no));
}

static bool is_in_cart(const struct booking *booking)
{
    return booking->row.customer && booking->row.cart;
}

static void enter_cart(struct inventory *inventory, struct booking *booking)
{
    if (is_in_cart(booking))
        table_add(&inventory->bookings_by_cart, &booking->by_cart,
                  cart_hash(booking->row.resource_no, booking->row.customer, booking->row.cart));
}

static void leave_cart(struct inventory *inventory, struct booking *booking)
{
    if (is_in_cart(booking))
        table_remove(&inventory->bookings_by_cart, &booking->by_cart);
}

static int compare_bookings(const void *left, const void *right)
{
    const struct booking *a = *(struct booking *const *)left, *b = *(struct booking *const *)right;
    return (a->row.no > b->row.no) - (a->row.no < b->row.no);
}

/* Returns the first booking of the cart from a node on, or NULL. */
static struct booking *next_of_cart(struct table_node *node, int64_t resource_no,
                                    const char *customer, const char *cart)
{
    for (; node; node = table_find_next(node)) {
        struct booking *booking = ENTRY_OF(node, struct booking, by_cart);
        if (booking->row.resource_no == resource_no &&
            strcmp(booking->row.customer, customer) == 0 && strcmp(booking->row.cart, cart) == 0)
            return booking;
    }
    return NULL;
}

uint32_t inventory_cart_size(struct inventory *inventory, int64_t resource_no, const char *customer,
                             const char *cart)
{
    uint32_t count = 0;
    struct table_node *node =
        table_find(&inventory->bookings_by_cart, cart_hash(resource_no, customer, cart));
    for (struct booking *booking; (booking = next_of_cart(node, resource_no, customer, cart));
         node = table_find_next(&booking->by_cart))
        count++;
    return count;
}

uint32_t inventory_cart(struct inventory *inventory, int64_t resource_no, const char *customer,
                        const char *cart, struct usher_arena *arena, struct booking ***bookings)
{
    assert(customer && cart);
    uint32_t limit = inventory_cart_size(inventory, resource_no, customer, cart), count = 0;
    *bookings = usher_arena_alloc(arena, limit * sizeof(struct booking *));
    struct table_node *node =
        table_find(&inventory->bookings_by_cart, cart_hash(resource_no, customer, cart));
    for (struct booking *booking; (booking = next_of_cart(node, resource_no, customer, cart));
         node = table_find_next(&booking->by_cart))
        (*bookings)[count++] = booking;
    if (count > 0)
        qsort(*bookings, count, sizeof(struct booking *), compare_bookings);
    return count;
}

/* ---- into memory and out of it ---- */

/* Whether a booking in that state ends when its time is up. */
static bool ends(const struct booking *booking)
{
    return booking->row.expires_ms != USHER_ABSENT &&
           (booking->row.state == BOOKING_HELD || booking->row.state == BOOKING_BLOCKED ||
            booking->row.state == BOOKING_WAITING);
}

/* Whether a row has the texts that the booking has, as far as they may change. */
static bool same_texts(const struct booking *booking, const struct booking_row *row)
{
    const struct booking_row *had = &booking->row;
    return booking->texts && had->customer == row->customer && had->cart == row->cart &&
           had->payment == row->payment && had->wants == row->wants;
}

/* Sets the row, but for its lines, with copies of the texts, which may be those that it has. */
static void set_row(struct booking *booking, const struct booking_row *row)
{
    assert(row->request_id);
    bool same = same_texts(booking, row);
    booking->row = *row;
    booking->row.lines = NULL;
    booking->row.lines_size = 0;
    if (same)
        return;
    char *old = booking->texts;
    booking->texts = memory_alloc(booking_texts_size(row));
    booking_move_texts(&booking->row, booking->texts);
    free(old); /* last: the row may refer to it */
}

struct booking *inventory_keep_booking(struct inventory *inventory, const struct booking_row *row,
                                       struct content *content)
{
    assert(content && row->state != BOOKING_NONE);
    struct booking *booking = slab_alloc(&inventory->booking_slab);
    *booking =
        (struct booking){.content = content, .stored_content = content, .due_index = DUE_NONE};
    set_row(booking, row);
    booking->row.from = row->state;
    table_add(&inventory->bookings_by_id, &booking->by_id,
              id_hash_of(row->resource_no, row->request_id));
    list_add(&inventory->bookings, &booking->use);
    enter_cart(inventory, booking);
    if (ends(booking))
        due_add(&inventory->due, booking);
    return booking;
}

static bool join(struct inventory *inventory, struct resource *resource, struct booking *booking)
{
    list_remove(&inventory->bookings, &booking->use);
    if (!waiting_add(resource, booking)) {
        list_add(&inventory->bookings, &booking->use);
        return false;
    }
    inventory->waiting++;
    return true;
}

static void leave(struct inventory *inventory, struct resource *resource, struct booking *booking)
{
    assert(booking->waits_in && inventory->waiting > 0);
    waiting_remove(resource, booking);
    inventory->waiting--;
    list_add(&inventory->bookings, &booking->use);
}

bool inventory_join(struct inventory *inventory, struct booking *booking)
{
    struct resource *resource = inventory_peek(inventory, booking->row.resource_no);
    if (!resource || booking->row.state != BOOKING_WAITING || booking->waits_in)
        return true;
    return join(inventory, resource, booking);
}

void inventory_evict_booking(struct inventory *inventory, struct booking *booking)
{
    struct resource *resource = inventory_peek(inventory, booking->row.resource_no);
    assert(!booking->touched);
    if (resource)
        resource->bookings_complete = false;
    if (booking->waits_in)
        leave(inventory, resource, booking);
    if (booking->due_index != DUE_NONE) {
        /* From now on those that end from this one on may be in the database only. */
        struct due_key before = {booking->row.expires_ms, booking->row.no - 1};
        if (due_key_less(before, inventory->horizon))
            inventory->horizon = before;
        due_remove(&inventory->due, booking);
    }
    leave_cart(inventory, booking);
    list_remove(&inventory->bookings, &booking->use);
    table_remove(&inventory->bookings_by_id, &booking->by_id);
    booking_deinit(booking);
    slab_free(&inventory->booking_slab, booking);
}

/* ---- changing ---- */

struct booking_change booking_change_of(const struct booking *booking, enum booking_state state)
{
    struct booking_change change = {.row = booking->row};
    change.row.state = state;
    return change;
}

enum {
    NUMBER_BYTES = 2 * sizeof(struct allocation_row) + 8, /* with what is shown, and its text */
    LINE_BYTES = sizeof(struct pool_move) + 64
};

/* The rows of pools may be written of which more or fewer are over. */
static void note_over(struct inventory *inventory, const struct resource *resource,
                      const struct content *content)
{
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct pool *pool = &resource->pools[content->lines[i].pool];
        if (pool->over == 0)
            continue;
        inventory->unsealed.rows++;
        inventory->unsealed.bytes += inventory_pool_bytes(&pool->row);
    }
}

/* Its units may be written as freed or as taken; they are shown, and named in its row. */
static void note_unsealed(struct inventory *inventory, const struct resource *resource,
                          const struct content *content)
{
    inventory->unsealed.rows += content->line_count + content->number_count;
    inventory->unsealed.bytes +=
        (uint64_t)content->line_count * LINE_BYTES + (uint64_t)content->number_count * NUMBER_BYTES;
    if (resource->may_be_over)
        note_over(inventory, resource, content);
}

/* The texts of a new one came with its request, which is counted, or are those of another. */
static size_t stored_texts(const struct booking *booking)
{
    if (booking->row.from == BOOKING_NONE && booking->row.op != USHER_OP_TRANSFER)
        return 0;
    return (booking->row.note ? strlen(booking->row.note) : 0) +
           (booking->row.meta ? strlen(booking->row.meta) : 0) +
           (booking->row.wants ? strlen(booking->row.wants) : 0);
}

static void touch(struct inventory *inventory, const struct resource *resource,
                  struct booking *booking)
{
    assert(booking->content && booking->stored_content);
    if (!booking->touched) {
        booking->touched = true;
        list_add(&inventory->touched_bookings, &booking->touch);
        inventory->unsealed.rows++;
        inventory->unsealed.bytes += sizeof(struct booking_row) + stored_texts(booking);
        note_unsealed(inventory, resource, booking->content);
    }
}

/*
 * Neither sum overflows: whoever adds to them asks inventory_has_room_for first, and what is held
 * is sold for no more.
 */
static void count_price(struct resource *resource, const struct booking_row *row, int64_t total)
{
    if (row->state == BOOKING_CONFIRMED)
        resource->row.takings += total;
    else if (row->state == BOOKING_HELD)
        resource->row.promised += total;
}

bool inventory_has_room_for(const struct resource *resource, int64_t total)
{
    const struct resource_row *row = &resource->row;
    return total <= 0 || (row->takings <= USHER_SUM_MAX && row->promised <= USHER_SUM_MAX &&
                          total <= USHER_SUM_MAX - row->takings - row->promised);
}

struct booking *inventory_add_booking(struct inventory *inventory, struct resource *resource,
                                      const struct booking_row *row, struct content *content)
{
    assert(resource->row.no == row->resource_no);
    assert(booking_state_may_become(BOOKING_NONE, row->state));
    struct booking *booking = inventory_keep_booking(inventory, row, content);
    booking->row.from = BOOKING_NONE;
    touch(inventory, resource, booking);
    tally_add(resource, booking);
    count_price(resource, row, row->total);
    if (row->state == BOOKING_WAITING) {
        bool joined = join(inventory, resource, booking);
        assert(joined);
    }
    return booking;
}

/* ---- the units of a change ---- */

/* Gives back the units of a counted pool that `before` has more of. */
static void give_counted(struct resource *resource, const struct content *before,
                         const struct content *after, uint32_t pool, enum booking_state state)
{
    uint32_t had = lines_units_of(before->lines, before->line_count, pool);
    uint32_t has = lines_units_of(after->lines, after->line_count, pool);
    assert(had >= has);
    if (had > has)
        resource_give(resource, pool, NULL, had - has, state);
}

/* Gives back the units of a line that are not among those. */
static void give_others(struct resource *resource, const struct line *line,
                        const struct unit_set *has, enum booking_state state,
                        struct usher_arena *arena)
{
    assert(line->units);
    int32_t *units = usher_arena_alloc(arena, line->unit_count * sizeof *units);
    uint32_t count = 0;
    for (uint32_t i = 0; i < line->unit_count; i++)
        if (!unit_set_has(has, line->pool, line->units[i]))
            units[count++] = line->units[i];
    if (count > 0)
        resource_give(resource, line->pool, units, count, state);
}

/* Gives back what is not in `after`, which is a part of what the booking has. */
static void give_rest(struct inventory *inventory, struct resource *resource,
                      const struct booking *booking, const struct content *after)
{
    struct usher_arena *arena = &inventory->scratch;
    const struct content *before = booking->content;
    const struct unit_set has = unit_set_of(after->lines, after->line_count, arena);
    for (uint32_t i = 0; i < before->line_count; i++) {
        const struct line *line = &before->lines[i];
        if (!kind_is_counted(resource->pools[line->pool].row.kind))
            give_others(resource, line, &has, booking->row.state, arena);
        else if (lines_units_of(before->lines, i, line->pool) == 0) /* the first of its pool */
            give_counted(resource, before, after, line->pool, booking->row.state);
    }
    usher_arena_reset(arena);
}

static void give_all(struct resource *resource, const struct booking *booking)
{
    for (uint32_t i = 0; i < booking->content->line_count; i++) {
        const struct line *line = &booking->content->lines[i];
        resource_give(resource, line->pool, line->units, line->unit_count, booking->row.state);
    }
}

static void sell_all(struct resource *resource, const struct content *content)
{
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        resource_sell(resource, line->pool, line->units, line->unit_count);
    }
}

/* Blocks have no rates. */
static void count_rates(struct resource *resource, enum booking_state state,
                        const struct content *content, int sign)
{
    if (state == BOOKING_HELD || state == BOOKING_CONFIRMED)
        rate_uses_add_lines(resource, content->lines, content->line_count, sign);
}

/* Moves the units from what the booking has to what it is changed to. */
static void move_units(struct inventory *inventory, struct resource *resource,
                       const struct booking *booking, const struct booking_change *change)
{
    enum booking_state from = booking->row.state, to = change->row.state;
    bool had = booking_state_owns_units(from), has = booking_state_owns_units(to);
    const struct content *after = change->content ? change->content : booking->content;
    assert(had || !has); /* what it takes is planned */
    int64_t taken = resource->held + resource->sold + resource->blocked;
    count_rates(resource, from, booking->content, -1);
    count_rates(resource, to, after, 1);
    if (had && has && from != to)
        sell_all(resource, after);
    if (had && !has)
        give_all(resource, booking);
    else if (had && after != booking->content)
        give_rest(inventory, resource, booking, after);
    taken -= resource->held + resource->sold + resource->blocked;
    assert(!had ||
           taken == (int64_t)booking->content->unit_count - (has ? (int64_t)after->unit_count : 0));
}

static void set_content(struct booking *booking, struct content *content)
{
    assert(booking->content);
    if (!content || content == booking->content)
        return;
    if (booking->content != booking->stored_content)
        free(booking->content);
    booking->content = content;
}

void inventory_change_booking(struct inventory *inventory, struct resource *resource,
                              struct booking *booking, const struct booking_change *change)
{
    assert(resource->row.no == booking->row.resource_no);
    assert(change->row.no == booking->row.no && change->row.from == booking->row.from);
    assert(change->row.request_id == booking->row.request_id);
    assert(booking_state_may_become(booking->row.state, change->row.state));
    touch(inventory, resource, booking);
    if (change->content && change->content != booking->content)
        note_unsealed(inventory, resource, change->content);
    if (!change->planned)
        move_units(inventory, resource, booking, change);
    tally_remove(resource, booking);
    due_remove(&inventory->due, booking);
    leave_cart(inventory, booking);
    bool waits_on = booking->waits_in && change->row.state == BOOKING_WAITING;
    if (booking->waits_in && !waits_on)
        leave(inventory, resource, booking);
    count_price(resource, &booking->row, -booking->row.total);
    count_price(resource, &change->row, change->row.total);
    set_content(booking, change->content);
    set_row(booking, &change->row);
    tally_add(resource, booking);
    enter_cart(inventory, booking);
    if (ends(booking))
        due_add(&inventory->due, booking);
    if (!waits_on)
        list_renew(&inventory->bookings, &booking->use);
}

struct booking *inventory_split_booking(struct inventory *inventory, struct resource *resource,
                                        struct booking *booking, const struct booking_row *row,
                                        struct content *part, struct content *rest)
{
    assert(row->state == booking->row.state);
    assert(part->unit_count + rest->unit_count == booking->content->unit_count);
    struct booking *made = inventory_add_booking(inventory, resource, row, part);
    struct booking_change change = booking_change_of(booking, booking->row.state);
    change.content = rest;
    change.planned = true; /* the units are the other's now */
    change.row.total -= row->total;
    inventory_change_booking(inventory, resource, booking, &change);
    made->is_part = booking->is_part = true;
    made->was_sold = booking->was_sold || booking->row.from == BOOKING_CONFIRMED;
    return made;
}

void inventory_count_customers(struct inventory *inventory, struct resource *resource)
{
    assert(resource->terms.limits_customers);
    assert(resource->bookings_complete);
    tallies_begin(resource);
    for (struct list_node *node = inventory->bookings.oldest; node; node = node->newer) {
        struct booking *booking = ENTRY_OF(node, struct booking, use);
        if (booking->row.resource_no == resource->row.no)
            tally_add(resource, booking);
    }
}
