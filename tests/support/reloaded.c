/* See reloaded.h. */
#include "reloaded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "producer/codec/stored.h"
#include "same_rows.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"

bool reloaded_can_be(const struct inventory *kept)
{
    bool can = kept->touched_resources.count + kept->touched_bookings.count == 0;
    for (struct table_node *node = table_each(&kept->resources_by_no, NULL); node;
         node = table_each(&kept->resources_by_no, node)) {
        const struct resource *resource = ENTRY_OF(node, struct resource, by_no);
        can = can && inventory_is_settled(kept, resource);
    }
    for (struct table_node *node = table_each(&kept->bookings_by_id, NULL); node;
         node = table_each(&kept->bookings_by_id, node)) {
        const struct booking *booking = ENTRY_OF(node, struct booking, by_id);
        can = can && booking->batch <= kept->committed;
    }
    for (struct table_node *node = table_each(&kept->ids_by_hash, NULL); node;
         node = table_each(&kept->ids_by_hash, node)) {
        const struct known_id *id = ENTRY_OF(node, struct known_id, by_id);
        can = can && id->batch <= kept->committed;
    }
    return can;
}

/* ---- loading it again ---- */

static const char *resource_id(const struct fake_database *database, int64_t no)
{
    const struct fake_resource *resource = fake_resource(database, no);
    assert_non_null(resource);
    return resource->row.id;
}

static void ask_for_resources(const struct inventory *kept, struct usher_arena *arena,
                              struct load_request *request)
{
    uint32_t count = kept->resources.count;
    const char **ids = usher_arena_alloc(arena, count * sizeof *ids);
    int64_t *tallies = usher_arena_alloc(arena, count * sizeof *tallies);
    for (struct table_node *node = table_each(&kept->resources_by_no, NULL); node;
         node = table_each(&kept->resources_by_no, node)) {
        const struct resource *resource = ENTRY_OF(node, struct resource, by_no);
        ids[request->resource_count++] = resource->row.id;
        if (resource->tallies.kept)
            tallies[request->tally_count++] = resource->row.no;
    }
    request->resources = ids;
    request->tally_nos = tallies;
}

static void ask_for_ids(const struct inventory *kept, const struct fake_database *database,
                        struct usher_arena *arena, struct load_request *request)
{
    struct load_key *bookings =
        usher_arena_alloc(arena, kept->bookings_by_id.count * sizeof *bookings);
    struct load_key *ids = usher_arena_alloc(arena, kept->ids.count * sizeof *ids);
    for (struct table_node *node = table_each(&kept->bookings_by_id, NULL); node;
         node = table_each(&kept->bookings_by_id, node)) {
        const struct booking *booking = ENTRY_OF(node, struct booking, by_id);
        struct load_key *key = &bookings[request->booking_count++];
        key->resource = resource_id(database, booking->row.resource_no);
        request_id_hash(booking->row.request_id, key->id_hash);
    }
    for (struct table_node *node = table_each(&kept->ids_by_hash, NULL); node;
         node = table_each(&kept->ids_by_hash, node)) {
        const struct known_id *id = ENTRY_OF(node, struct known_id, by_id);
        struct load_key *key = &ids[request->id_count++];
        key->resource = resource_id(database, id->resource_no);
        memcpy(key->id_hash, id->id_hash, sizeof key->id_hash);
    }
    request->bookings = bookings;
    request->ids = ids;
}

/* An inventory of the same rows. Its answers are borrowed from the arena. */
static struct inventory *load_again(const struct inventory *kept, struct fake_database *database,
                                    struct usher_arena *arena)
{
    static const struct inventory_limits none = {UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX,
                                                 UINT64_MAX};
    struct inventory *loaded = inventory_create(kept->partition, &none, database->last_pool);
    struct load_request request = {0};
    struct load_result result;
    struct usher_error err;
    uint64_t leaves = database->leaves;
    uint32_t loads = database->loads;
    ask_for_resources(kept, arena, &request);
    ask_for_ids(kept, database, arena, &request);
    database->leaves = 0;
    fake_database_load(database, &request, arena, &result);
    database->leaves = leaves;
    database->loads = loads;
    assert_int_equal(USHER_OK, inventory_load(loaded, &request, &result, &err));
    return loaded;
}

/* ---- one resource ---- */

/* Numbers that retired may be known in one and not in the other. */
static enum booking_state state_of(const struct pool *pool, uint32_t unit)
{
    return unit < pool->units.count ? units_state(&pool->units, unit) : BOOKING_NONE;
}

static bool is_free(const struct pool *pool, uint32_t unit)
{
    return unit < pool->units.count && units_is_free(&pool->units, unit);
}

static void compare_pools(const struct pool *kept, const struct pool *loaded)
{
    same_row(PG_ROW_POOL, &kept->row, &loaded->row);
    assert_memory_equal(&kept->taken, &loaded->taken, sizeof kept->taken);
    assert_int_equal(kept->rates ? kept->rates->count : 0,
                     loaded->rates ? loaded->rates->count : 0);
    assert_int_equal(!kept->rate_uses, !loaded->rate_uses);
    for (uint32_t i = 0; kept->rate_uses && i < kept->rate_uses->count; i++)
        assert_int_equal(kept->rate_uses->at[i].units,
                         rate_uses_of(loaded, kept->rate_uses->at[i].rate));
    assert_int_equal(kept->seat_row_count, loaded->seat_row_count);
    if (kept->seat_row_count > 0)
        assert_int_equal(kept->first_seat, loaded->first_seat);
    for (uint32_t unit = 0; unit < kept->units.count || unit < loaded->units.count; unit++) {
        assert_int_equal(state_of(kept, unit), state_of(loaded, unit));
        assert_int_equal(is_free(kept, unit), is_free(loaded, unit));
    }
}

static void compare_terms(struct resource *kept, struct resource *loaded)
{
    assert_int_equal(kept->terms.units_min, loaded->terms.units_min);
    assert_int_equal(kept->terms.units_per_request, loaded->terms.units_per_request);
    assert_int_equal(kept->terms.units_per_customer, loaded->terms.units_per_customer);
    assert_int_equal(kept->terms.holds_per_customer, loaded->terms.holds_per_customer);
    assert_int_equal(kept->terms.hold_total_s, loaded->terms.hold_total_s);
    assert_int_equal(kept->terms.house_hold_total_s, loaded->terms.house_hold_total_s);
    assert_int_equal(kept->terms.limits_customers, loaded->terms.limits_customers);
    assert_int_equal(kept->terms.group_count, loaded->terms.group_count);
    assert_int_equal(kept->terms.quotas.count, loaded->terms.quotas.count);
    assert_int_equal(kept->terms.rate_count, loaded->terms.rate_count);
    assert_int_equal(terms_available_in_all(kept), terms_available_in_all(loaded));
    for (uint32_t i = 0; i < kept->pool_count; i++)
        assert_int_equal(terms_available(kept, &kept->pools[i]),
                         terms_available(loaded, &loaded->pools[i]));
}

static uint32_t units_of(const struct tally *tally, uint32_t pool)
{
    uint32_t units = 0;
    for (uint32_t i = 0; tally && i < tally->pool_count; i++)
        units += tally->pools[i].pool == pool ? tally->pools[i].units : 0;
    return units;
}

/* A customer who has nothing may have no tally. */
static void compare_tallies(const struct resource *a, const struct resource *b)
{
    assert_int_equal(a->tallies.kept, b->tallies.kept);
    for (struct table_node *node = table_each(&a->tallies.by_customer, NULL); node;
         node = table_each(&a->tallies.by_customer, node)) {
        const struct tally *tally = ENTRY_OF(node, struct tally, by_customer);
        const struct tally *other = tally_find(b, tally->customer);
        assert_int_equal(tally->units, other ? other->units : 0);
        assert_int_equal(tally->holds, other ? other->holds : 0);
        for (uint32_t i = 0; i < a->pool_count; i++)
            assert_int_equal(units_of(tally, i), units_of(other, i));
    }
}

static void compare_classes(const struct waiting_class *kept, const struct waiting_class *loaded)
{
    assert_string_equal(kept->wants, loaded->wants);
    assert_int_equal(kept->unknown, loaded->unknown);
    assert_int_equal(kept->parties.count, loaded->parties.count);
    assert_int_equal(kept->need_count, loaded->need_count);
    for (uint32_t i = 0; i < kept->need_count; i++) {
        assert_int_equal(kept->needs[i].pool, loaded->needs[i].pool);
        assert_int_equal(kept->needs[i].unit, loaded->needs[i].unit);
        assert_int_equal(kept->needs[i].quantity, loaded->needs[i].quantity);
    }
}

static void compare_waiting(struct resource *kept, struct resource *loaded)
{
    struct list_node *other = loaded->waiting.parties.oldest;
    assert_int_equal(kept->waiting.count, loaded->waiting.count);
    assert_int_equal(kept->waiting.classes.count, loaded->waiting.classes.count);
    for (struct list_node *node = kept->waiting.parties.oldest; node; node = node->newer) {
        assert_non_null(other);
        struct booking *a = ENTRY_OF(node, struct booking, use);
        struct booking *b = ENTRY_OF(other, struct booking, use);
        assert_int_equal(a->row.no, b->row.no);
        compare_classes(a->waits_in, b->waits_in);
        other = other->newer;
    }
    assert_null(other);
}

/* That a waiting list was gone through is written with the next change of its resource. */
static void compare_rows(const struct resource *kept, const struct resource *loaded)
{
    struct resource_row row = kept->row;
    assert_true(loaded->row.unserved || !row.unserved);
    assert_true(loaded->has_work || !kept->has_work);
    row.unserved = loaded->row.unserved;
    same_row(PG_ROW_RESOURCE, &row, &loaded->row);
    assert_int_equal(kept->chart.content_size, loaded->chart.content_size);
    assert_memory_equal(kept->chart.content ? kept->chart.content : "",
                        loaded->chart.content ? loaded->chart.content : "",
                        kept->chart.content_size);
}

static void compare_resources(struct resource *kept, struct resource *loaded)
{
    assert_non_null(loaded);
    resource_check(kept);
    resource_check(loaded);
    compare_rows(kept, loaded);
    assert_int_equal(kept->total, loaded->total);
    assert_int_equal(kept->free, loaded->free);
    assert_int_equal(kept->held, loaded->held);
    assert_int_equal(kept->sold, loaded->sold);
    assert_int_equal(kept->blocked, loaded->blocked);
    assert_int_equal(kept->name_count, loaded->name_count);
    assert_int_equal(kept->pool_count, loaded->pool_count);
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        compare_pools(&kept->pools[i], &loaded->pools[i]);
    compare_terms(kept, loaded);
    compare_tallies(kept, loaded);
    compare_tallies(loaded, kept);
    compare_waiting(kept, loaded);
}

/* ---- bookings and request ids ---- */

static void compare_bookings(const struct inventory *kept, const struct booking *a,
                             const struct booking *b)
{
    assert_non_null(b);
    same_booking(&a->row, &b->row);
    assert_true(content_equal(a->content, b->content));
    assert_ptr_equal(a->content, a->stored_content);
    assert_int_equal(a->due_index == DUE_NONE, b->due_index == DUE_NONE);
    assert_int_equal(!a->waits_in, !b->waits_in);
    if (a->due_index != DUE_NONE)
        assert_ptr_equal(a, kept->due.heap[a->due_index].booking);
}

static void compare_carts(struct inventory *kept, struct inventory *loaded,
                          const struct booking *of, struct usher_arena *arena)
{
    struct booking **a, **b;
    const struct booking_row *row = &of->row;
    if (!row->cart || !row->customer)
        return;
    uint32_t count = inventory_cart(kept, row->resource_no, row->customer, row->cart, arena, &a);
    assert_int_equal(count,
                     inventory_cart(loaded, row->resource_no, row->customer, row->cart, arena, &b));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(a[i]->row.no, b[i]->row.no);
}

static void check_due(const struct due *due)
{
    for (uint32_t i = 0; i < due->count; i++) {
        const struct due_entry *entry = &due->heap[i];
        assert_int_equal(entry->key.expires_ms, entry->booking->row.expires_ms);
        assert_int_equal(entry->key.no, entry->booking->row.no);
        if (i > 0)
            assert_false(due_key_less(entry->key, due->heap[(i - 1) / 2].key));
    }
}

static void compare_ids(const struct known_id *kept, const struct known_id *loaded)
{
    assert_non_null(loaded);
    assert_int_equal(kept->seq, loaded->seq);
    assert_memory_equal(kept->content_hash, loaded->content_hash, USHER_HASH_SIZE);
}

/* ---- that it has all ---- */

static void check_has_all_bookings(struct inventory *loaded, const struct inventory *kept,
                                   const struct fake_database *database)
{
    for (uint32_t i = 0; i < database->booking_count; i++) {
        const struct booking_row *row = &database->bookings[i];
        const struct resource *resource = inventory_peek(kept, row->resource_no);
        bool ends = (row->state == BOOKING_HELD || row->state == BOOKING_BLOCKED ||
                     row->state == BOOKING_WAITING) &&
                    row->expires_ms != USHER_ABSENT;
        bool comes_due =
            ends && !due_key_less(kept->horizon, (struct due_key){row->expires_ms, row->no});
        bool waits = resource && row->state == BOOKING_WAITING;
        if (comes_due || waits || (resource && resource->bookings_complete))
            assert_non_null(inventory_booking(loaded, row->resource_no, row->request_id));
    }
}

static void check_has_all_ids(const struct inventory *kept, const struct fake_database *database)
{
    for (uint32_t i = 0; i < database->decision_count; i++) {
        const struct decision_row *row = &database->decisions[i];
        const struct resource *resource =
            row->first ? inventory_peek(kept, row->resource_no) : NULL;
        if (resource && resource->ids_complete)
            assert_non_null(inventory_id(kept, row->resource_no, row->id_hash));
    }
}

static bool is_listed(const struct inventory *kept, int64_t no)
{
    bool listed = !kept->unfinished_listed && no > kept->unfinished_after;
    for (uint32_t i = 0; i < kept->unfinished_count; i++)
        listed = listed || kept->unfinished[i] == no;
    return listed;
}

/* Work that outlasts a batch is in memory, or will be. */
static void check_has_all_work(const struct inventory *kept, const struct fake_database *database)
{
    for (uint32_t i = 0; i < database->resource_count; i++) {
        const struct resource_row *row = &database->resources[i].row;
        if (row->cancelling && !inventory_peek(kept, row->no))
            assert_true(is_listed(kept, row->no));
    }
}

/* ---- all of it ---- */

static void compare_counts(const struct inventory *kept, const struct inventory *loaded)
{
    assert_int_equal(kept->resources_by_id.count, kept->resources.count);
    assert_int_equal(kept->resources_by_no.count, kept->resources.count);
    assert_int_equal(kept->bookings_by_id.count, kept->bookings.count + kept->waiting);
    assert_int_equal(kept->ids_by_hash.count, kept->ids.count);
    assert_int_equal(kept->resources.count, loaded->resources.count);
    assert_int_equal(kept->bookings.count, loaded->bookings.count);
    assert_int_equal(kept->waiting, loaded->waiting);
    assert_int_equal(kept->ids.count, loaded->ids.count);
    assert_int_equal(kept->bookings_by_cart.count, loaded->bookings_by_cart.count);
    assert_int_equal(kept->due.count, loaded->due.count);
    assert_int_equal(kept->pools, loaded->pools);
    assert_memory_equal(&kept->sums, &loaded->sums, sizeof kept->sums);
}

void reloaded_check(struct inventory *kept, struct fake_database *database)
{
    struct usher_arena arena = {0};
    struct inventory *loaded = load_again(kept, database, &arena);
    compare_counts(kept, loaded);
    check_due(&kept->due);
    for (struct table_node *node = table_each(&kept->resources_by_no, NULL); node;
         node = table_each(&kept->resources_by_no, node)) {
        const struct resource *resource = ENTRY_OF(node, struct resource, by_no);
        compare_resources(inventory_peek(kept, resource->row.no),
                          inventory_resource(loaded, resource->row.id));
    }
    for (struct table_node *node = table_each(&kept->bookings_by_id, NULL); node;
         node = table_each(&kept->bookings_by_id, node)) {
        const struct booking *booking = ENTRY_OF(node, struct booking, by_id);
        compare_bookings(
            kept, booking,
            inventory_booking(loaded, booking->row.resource_no, booking->row.request_id));
        compare_carts(kept, loaded, booking, &arena);
    }
    for (struct table_node *node = table_each(&kept->ids_by_hash, NULL); node;
         node = table_each(&kept->ids_by_hash, node)) {
        const struct known_id *id = ENTRY_OF(node, struct known_id, by_id);
        compare_ids(id, inventory_id(loaded, id->resource_no, id->id_hash));
    }
    check_has_all_bookings(loaded, kept, database);
    check_has_all_ids(kept, database);
    check_has_all_work(kept, database);
    inventory_destroy(loaded);
    usher_arena_deinit(&arena);
}
