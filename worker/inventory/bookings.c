/*
 * The bookings in memory: finding them, and the one way in which they change. PURE.
 */
#include "worker/inventory/bookings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/inventory_state.h"
#include "worker/inventory/resource_units.h"
#include "worker/inventory/resources.h"
#include "worker/inventory/tally.h"
#include "worker/inventory/waiting_list.h"

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
        if (booking->resource_no == resource_no && strcmp(booking->request_id, request_id) == 0) {
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
    if (!resource_count_out(resource, content->lines, content->line_count, booking->state))
        return "its units are not taken as its lines say";
    if (tally_count_out(resource, booking))
        return NULL;
    resource_count_in(resource, content->lines, content->line_count, booking->state);
    return "what its customer has was counted without it";
}

static void count_in(struct resource *resource, const struct booking *booking)
{
    const struct content *content = booking->content;
    tally_count_in(resource, booking);
    resource_count_in(resource, content->lines, content->line_count, booking->state);
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
                        (long long)bookings[out]->no, wrong);
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
    return booking->customer && booking->cart;
}

static void enter_cart(struct inventory *inventory, struct booking *booking)
{
    if (is_in_cart(booking))
        table_add(&inventory->bookings_by_cart, &booking->by_cart,
                  cart_hash(booking->resource_no, booking->customer, booking->cart));
}

static void leave_cart(struct inventory *inventory, struct booking *booking)
{
    if (is_in_cart(booking))
        table_remove(&inventory->bookings_by_cart, &booking->by_cart);
}

static int compare_bookings(const void *left, const void *right)
{
    const struct booking *a = *(struct booking *const *)left, *b = *(struct booking *const *)right;
    return (a->no > b->no) - (a->no < b->no);
}

/* Returns the first booking of the cart from a node on, or NULL. */
static struct booking *next_of_cart(struct table_node *node, int64_t resource_no,
                                    const char *customer, const char *cart)
{
    for (; node; node = table_find_next(node)) {
        struct booking *booking = ENTRY_OF(node, struct booking, by_cart);
        if (booking->resource_no == resource_no && strcmp(booking->customer, customer) == 0 &&
            strcmp(booking->cart, cart) == 0)
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
    return booking->expires_ms != USHER_ABSENT &&
           (booking->state == BOOKING_HELD || booking->state == BOOKING_BLOCKED ||
            booking->state == BOOKING_WAITING);
}

struct booking *inventory_keep_booking(struct inventory *inventory, const struct booking_row *row,
                                       struct content *content)
{
    struct booking *booking = slab_alloc(&inventory->booking_slab);
    *booking = (struct booking){
        .no = row->no,
        .resource_no = row->resource_no,
        .state = row->state,
        .op = row->op,
        .created_ms = row->created_ms,
        .expires_ms = row->expires_ms,
        .ttl_s = row->ttl_s,
        .total = row->total,
        .content = content,
        .stored_state = row->state,
        .stored_content = content,
        .due_index = DUE_NONE,
    };
    booking_set_texts(booking, row);
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
    waiting_remove(resource, booking);
    inventory->waiting--;
    list_add(&inventory->bookings, &booking->use);
}

bool inventory_join(struct inventory *inventory, struct booking *booking)
{
    struct resource *resource = inventory_peek(inventory, booking->resource_no);
    if (!resource || booking->state != BOOKING_WAITING || booking->waits_in)
        return true;
    return join(inventory, resource, booking);
}

void inventory_evict_booking(struct inventory *inventory, struct booking *booking)
{
    struct resource *resource = inventory_peek(inventory, booking->resource_no);
    assert(!booking->touched);
    if (resource)
        resource->bookings_complete = false;
    if (booking->waits_in)
        leave(inventory, resource, booking);
    if (booking->due_index != DUE_NONE) {
        /* From now on those that end from this one on may be in the database only. */
        struct due_key before = {booking->expires_ms, booking->no - 1};
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

struct booking *inventory_add_booking(struct inventory *inventory, const struct booking_row *row,
                                      struct content *content)
{
    assert(row->state == BOOKING_NONE);
    return inventory_keep_booking(inventory, row, content);
}

struct booking_change booking_change_of(const struct booking *booking, enum booking_state state)
{
    return (struct booking_change){
        .state = state,
        .customer = booking->customer,
        .cart = booking->cart,
        .payment = booking->payment,
        .wants = booking->wants,
        .created_ms = booking->created_ms,
        .expires_ms = booking->expires_ms,
        .total = booking->total,
    };
}

enum {
    NUMBER_BYTES = 2 * sizeof(struct allocation_row) + 8, /* with what is shown, and its text */
    LINE_BYTES = sizeof(struct pool_move) + 64
};

/* Its units may be written as freed or as taken; they are shown, and named in its row. */
static void note_unsealed(struct inventory *inventory, const struct content *content)
{
    inventory->unsealed.rows += content->line_count + content->number_count;
    inventory->unsealed.bytes +=
        (uint64_t)content->line_count * LINE_BYTES + (uint64_t)content->number_count * NUMBER_BYTES;
}

/* The texts of a new one came with its request, which is counted. */
static size_t stored_texts(const struct booking *booking)
{
    if (booking->stored_state == BOOKING_NONE)
        return 0;
    return (booking->note ? strlen(booking->note) : 0) +
           (booking->meta ? strlen(booking->meta) : 0) +
           (booking->wants ? strlen(booking->wants) : 0);
}

static void touch(struct inventory *inventory, struct booking *booking)
{
    if (!booking->touched) {
        booking->touched = true;
        list_add(&inventory->touched_bookings, &booking->touch);
        inventory->unsealed.rows++;
        inventory->unsealed.bytes += sizeof(struct booking_row) + stored_texts(booking);
        note_unsealed(inventory, booking->content);
    }
}

static void set_texts(struct booking *booking, const struct booking_change *change)
{
    if (change->customer == booking->customer && change->cart == booking->cart &&
        change->payment == booking->payment && change->wants == booking->wants)
        return;
    struct booking_row row = booking_row_of(booking);
    row.customer = change->customer;
    row.cart = change->cart;
    row.payment = change->payment;
    row.wants = change->wants;
    booking_set_texts(booking, &row);
}

static void apply(struct booking *booking, const struct booking_change *change)
{
    if (change->content && change->content != booking->content) {
        if (booking->content != booking->stored_content)
            free(booking->content);
        booking->content = change->content;
    }
    set_texts(booking, change);
    booking->state = change->state;
    booking->created_ms = change->created_ms;
    booking->expires_ms = change->expires_ms;
    booking->total = change->total;
}

void inventory_change_booking(struct inventory *inventory, struct resource *resource,
                              struct booking *booking, const struct booking_change *change)
{
    assert(resource->row.no == booking->resource_no);
    assert(booking_state_may_become(booking->state, change->state));
    touch(inventory, booking);
    if (change->content && change->content != booking->content)
        note_unsealed(inventory, change->content);
    tally_remove(resource, booking);
    due_remove(&inventory->due, booking);
    leave_cart(inventory, booking);
    if (booking->waits_in)
        leave(inventory, resource, booking);
    apply(booking, change);
    tally_add(resource, booking);
    enter_cart(inventory, booking);
    if (ends(booking))
        due_add(&inventory->due, booking);
    if (booking->state != BOOKING_WAITING) {
        list_renew(&inventory->bookings, &booking->use);
    } else {
        bool joined = join(inventory, resource, booking);
        assert(joined);
    }
}

void inventory_count_customers(struct inventory *inventory, struct resource *resource)
{
    assert(resource->bookings_complete);
    tallies_begin(resource);
    for (struct list_node *node = inventory->bookings.oldest; node; node = node->newer) {
        struct booking *booking = ENTRY_OF(node, struct booking, use);
        if (booking->resource_no == resource->row.no)
            tally_add(resource, booking);
    }
}
