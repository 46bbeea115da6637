/*
 * Goes through the records of a batch and collects what is neither in memory nor known not to
 * exist. PURE.
 */
#include "worker/rules/prefetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/stored.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/work.h"

/* The lists being collected, as large as they can become. */
struct collection {
    struct inventory *inventory;
    const char **resources;
    uint32_t resource_count;
    struct load_key *ids;
    uint32_t id_count;
    struct load_key *bookings;
    uint32_t booking_count;
    struct load_cart *carts;
    uint32_t cart_count;
    const char **charts;
    uint32_t chart_count;
    int64_t *tallies;
    uint32_t tally_count;
};

static struct load_key key_of(const char *resource, const uint8_t id_hash[USHER_HASH_SIZE])
{
    struct load_key key = {.resource = resource};
    memcpy(key.id_hash, id_hash, sizeof key.id_hash);
    return key;
}

/* ---- what one record needs ---- */

static void collect_booking(struct collection *collection, const struct resource *resource,
                            const struct usher_request *request, const char *booking)
{
    if (!booking ||
        (resource && inventory_booking(collection->inventory, resource->row.no, booking)))
        return;
    uint8_t id_hash[USHER_HASH_SIZE];
    request_id_hash(booking, id_hash);
    if (resource && resource->ids_complete &&
        !inventory_id(collection->inventory, resource->row.no, id_hash))
        return; /* no such request was ever answered */
    collection->bookings[collection->booking_count++] = key_of(request->resource, id_hash);
}

/* The resource that an input is about; NULL: none that is in memory. */
static struct resource *resource_of(struct inventory *inventory, const struct input *input)
{
    return input->invalid == USHER_REASON_NONE
               ? inventory_resource(inventory, input->request.resource)
               : NULL;
}

/* Whether the customers of the resource will have to be counted once the input is decided. */
static bool will_limit(const struct input *input)
{
    const struct usher_definition *definition =
        input->invalid == USHER_REASON_NONE ? input->request.definition : NULL;
    return definition && terms_limit_customers(definition->limits);
}

/* Whether counting them needs the database. */
static bool lacks_tallies(const struct resource *resource)
{
    return resource && !tallies_are_known(resource);
}

static void collect(struct collection *collection, const struct input *input)
{
    if (input->invalid != USHER_REASON_NONE)
        return;
    struct inventory *inventory = collection->inventory;
    const struct usher_request *request = &input->request;
    const struct resource *resource = inventory_resource(inventory, request->resource);
    if (!resource)
        collection->resources[collection->resource_count++] = request->resource;

    /* The request id, unless it is known to be new; the first answer, if it may be repeated. */
    const struct known_id *id =
        resource ? inventory_id(inventory, resource->row.no, input->id_hash) : NULL;
    bool is_new = !id && resource && resource->ids_complete;
    bool repeats = id && memcmp(id->content_hash, input->content_hash, USHER_HASH_SIZE) == 0;
    if (id ? repeats && inventory_lacks_first(inventory, id) : !is_new)
        collection->ids[collection->id_count++] = key_of(request->resource, input->id_hash);

    collect_booking(collection, resource, request, request->booking);
    collect_booking(collection, resource, request,
                    request->from_block ? request->from_block : request->from_hold);

    /* The cart, also of a request that only adds to it: that restarts its holds. */
    if (request->cart && request->customer && !(resource && resource->bookings_complete)) {
        collection->carts[collection->cart_count++] =
            (struct load_cart){request->resource, request->customer, request->cart};
    }
    const char *chart = request->definition ? request->definition->chart : NULL;
    if (chart && !inventory_chart(inventory, chart))
        collection->charts[collection->chart_count++] = chart;
    if (will_limit(input) && lacks_tallies(resource))
        collection->tallies[collection->tally_count++] = resource->row.no;
}

/* ---- each thing once ---- */

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int compare_keys(const void *left, const void *right)
{
    const struct load_key *a = left, *b = right;
    int order = memcmp(a->id_hash, b->id_hash, USHER_HASH_SIZE);
    return order != 0 ? order : strcmp(a->resource, b->resource);
}

static int compare_carts(const void *left, const void *right)
{
    const struct load_cart *a = left, *b = right;
    int order = strcmp(a->resource, b->resource);
    order = order != 0 ? order : strcmp(a->customer, b->customer);
    return order != 0 ? order : strcmp(a->cart, b->cart);
}

static int compare_numbers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* A list whose members are compared by their places in it. */
struct places {
    const char *array;
    size_t size;
    int (*compare)(const void *, const void *);
};

/* Equal ones in the order of their places. */
static int compare_places(const void *left, const void *right, void *context)
{
    const struct places *of = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = of->compare(of->array + a * of->size, of->array + b * of->size);
    return order != 0 ? order : (a > b) - (a < b);
}

/*
 * Removes all but the first of equal members and returns how many are left, in the order in which
 * they are needed: what a load leaves for the next one is then needed last.
 */
static uint32_t keep_distinct(void *array, uint32_t count, size_t size,
                              int (*compare)(const void *, const void *), struct usher_arena *arena)
{
    if (count < 2)
        return count;
    struct places of = {array, size, compare};
    uint32_t *places = usher_arena_alloc(arena, count * sizeof *places);
    bool *again = usher_arena_alloc(arena, count * sizeof *again);
    for (uint32_t i = 0; i < count; i++)
        places[i] = i;
    qsort_r(places, count, sizeof *places, compare_places, &of);
    for (uint32_t i = 1; i < count; i++)
        again[places[i]] =
            compare(of.array + places[i - 1] * size, of.array + places[i] * size) == 0;
    char *at = array;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!again[i])
            memmove(at + kept++ * size, at + i * size, size);
    assert(kept > 0 && kept <= count);
    return kept;
}

/* ---- the questions ---- */

static void ask_due(const struct inventory *inventory, int64_t until_ms,
                    struct load_request *request)
{
    const struct due_key horizon = inventory_horizon(inventory);
    if (!due_key_less(horizon, (struct due_key){until_ms, INT64_MAX}))
        return;
    request->due = true;
    request->due_after_ms = horizon.expires_ms;
    request->due_after_no = horizon.no;
    request->due_until_ms = until_ms + PREFETCH_DUE_AHEAD_MS;
    request->due_limit = PREFETCH_DUE_LIMIT;
}

/* Asks for the next bookings of the resource that is being cancelled. */
static void ask_owners(const struct inventory *inventory, struct load_request *request)
{
    const struct resource *resource = inventory_cancelled(inventory);
    if (!resource || resource->held + resource->sold == 0)
        return;
    request->owners.resource_no = resource->row.no;
    request->owners.limit = PREFETCH_OWNERS_LIMIT;
    memcpy(request->owners.after, resource->cancel_cursor, sizeof request->owners.after);
}

static void collection_init(struct collection *collection, struct inventory *inventory,
                            uint32_t input_count, struct usher_arena *arena)
{
    *collection = (struct collection){
        .inventory = inventory,
        .resources = usher_arena_alloc(arena, input_count * sizeof(const char *)),
        .ids = usher_arena_alloc(arena, input_count * sizeof(struct load_key)),
        .bookings = usher_arena_alloc(arena, 2 * input_count * sizeof(struct load_key)),
        .carts = usher_arena_alloc(arena, input_count * sizeof(struct load_cart)),
        .charts = usher_arena_alloc(arena, input_count * sizeof(const char *)),
        .tallies = usher_arena_alloc(arena, input_count * sizeof(int64_t)),
    };
}

static void set_request(struct collection *g, struct usher_arena *arena,
                        struct load_request *request)
{
#define DISTINCT(list, count, compare) keep_distinct(list, count, sizeof *(list), compare, arena)
    *request = (struct load_request){
        .resources = g->resources,
        .resource_count = DISTINCT(g->resources, g->resource_count, compare_texts),
        .ids = g->ids,
        .id_count = DISTINCT(g->ids, g->id_count, compare_keys),
        .bookings = g->bookings,
        .booking_count = DISTINCT(g->bookings, g->booking_count, compare_keys),
        .carts = g->carts,
        .cart_count = DISTINCT(g->carts, g->cart_count, compare_carts),
        .charts = g->charts,
        .chart_count = DISTINCT(g->charts, g->chart_count, compare_texts),
        .tally_nos = g->tallies,
        .tally_count = DISTINCT(g->tallies, g->tally_count, compare_numbers),
    };
#undef DISTINCT
}

/* Asks for what an earlier owner left unfinished. */
static void ask_unfinished(const struct inventory *inventory, struct load_request *request)
{
    int64_t after_no = inventory_unfinished_after(inventory);
    if (after_no == INT64_MAX)
        return;
    request->unfinished_after_no = after_no;
    request->unfinished_limit = PREFETCH_UNFINISHED_LIMIT;
}

bool prefetch_collect(struct inventory *inventory, const struct input *inputs, uint32_t input_count,
                      int64_t until_ms, struct usher_arena *arena, struct load_request *request)
{
    struct collection collection;
    inventory_pin_begin(inventory);
    collection_init(&collection, inventory, input_count, arena);
    for (uint32_t i = 0; i < input_count; i++)
        collect(&collection, &inputs[i]);
    assert(collection.resource_count <= input_count && collection.id_count <= input_count &&
           collection.booking_count <= 2 * input_count && collection.cart_count <= input_count);
    set_request(&collection, arena, request);
    ask_unfinished(inventory, request);
    ask_due(inventory, until_ms, request);
    ask_owners(inventory, request);
    return request->due || request->unfinished_limit > 0 || request->owners.resource_no != 0 ||
           request->resource_count + request->id_count + request->booking_count +
                   request->cart_count + request->chart_count + request->tally_count >
               0;
}

bool prefetch_needs_idle(struct inventory *inventory, const struct input *inputs,
                         uint32_t input_count)
{
    bool needs = false;
    for (uint32_t i = 0; !needs && i < input_count; i++)
        needs = will_limit(&inputs[i]) && lacks_tallies(resource_of(inventory, &inputs[i]));
    return needs;
}

/* ---- what a load left ---- */

#define LEFT(list, served, count, compare, key) \
    is_left(list, served, count, sizeof *(list), compare, key)

static bool is_left(const void *list, uint32_t served, uint32_t count, size_t size,
                    int (*compare)(const void *, const void *), const void *key)
{
    bool found = false;
    for (uint32_t i = served; !found && i < count; i++)
        found = compare((const char *)list + i * size, key) == 0;
    return found;
}

/* Whether one of the things that an input still lacks is one that the load left. */
static bool lacks_left(const struct collection *lacks, const struct load_request *asked,
                       const struct load_result *got)
{
    bool left = false;
    for (uint32_t i = 0; i < lacks->resource_count; i++)
        left |= LEFT(asked->resources, got->resources_served, asked->resource_count, compare_texts,
                     &lacks->resources[i]);
    for (uint32_t i = 0; i < lacks->id_count; i++)
        left |= LEFT(asked->ids, got->ids_served, asked->id_count, compare_keys, &lacks->ids[i]);
    for (uint32_t i = 0; i < lacks->booking_count; i++)
        left |= LEFT(asked->bookings, got->bookings_served, asked->booking_count, compare_keys,
                     &lacks->bookings[i]);
    for (uint32_t i = 0; i < lacks->cart_count; i++)
        left |= LEFT(asked->carts, got->carts_served, asked->cart_count, compare_carts,
                     &lacks->carts[i]);
    for (uint32_t i = 0; i < lacks->chart_count; i++)
        left |= LEFT(asked->charts, got->charts_served, asked->chart_count, compare_texts,
                     &lacks->charts[i]);
    return left;
}

static bool has_all(const struct load_request *asked, const struct load_result *got)
{
    return got->resources_served == asked->resource_count + asked->resource_no_count &&
           got->ids_served == asked->id_count && got->bookings_served == asked->booking_count &&
           got->carts_served == asked->cart_count && got->charts_served == asked->chart_count &&
           got->tallies_served == asked->tally_count;
}

uint32_t prefetch_covered(struct inventory *inventory, const struct input *inputs,
                          uint32_t input_count, const struct load_request *asked,
                          const struct load_result *got, struct usher_arena *arena)
{
    uint32_t covered = 0;
    if (has_all(asked, got))
        return input_count;
    for (bool left = false; !left && covered < input_count; covered += !left) {
        struct collection lacks;
        collection_init(&lacks, inventory, 1, arena);
        collect(&lacks, &inputs[covered]);
        left = lacks_left(&lacks, asked, got);
    }
    assert(covered > 0 || input_count == 0); /* a load serves the first */
    return covered;
}

/* ---- the second round ---- */

/* A growing list of resource numbers. */
struct numbers {
    struct usher_arena *arena;
    int64_t *at;
    uint32_t count, limit;
};

static void add_number(struct numbers *numbers, int64_t no)
{
    if (numbers->count == numbers->limit) {
        numbers->limit = 2 * numbers->limit + 16;
        int64_t *at = usher_arena_alloc(numbers->arena, numbers->limit * sizeof *at);
        if (numbers->count > 0)
            memcpy(at, numbers->at, numbers->count * sizeof *at);
        numbers->at = at;
    }
    numbers->at[numbers->count++] = no;
}

static void add_if_uncounted(struct numbers *numbers, const struct resource *resource)
{
    if (tallies_are_missing(resource))
        add_number(numbers, resource->row.no);
}

/*
 * Adds the resources of what is due: those not in memory, and those whose customers are not
 * counted. That of what is due first comes first.
 */
static void collect_due(struct inventory *inventory, int64_t until_ms, struct numbers *missing,
                        struct numbers *uncounted)
{
    uint32_t at = 0;
    for (struct booking *due; (due = inventory_each_due(inventory, until_ms, &at));) {
        const struct resource *resource =
            inventory_resource_numbered(inventory, due->row.resource_no);
        if (resource)
            add_if_uncounted(uncounted, resource);
        else
            add_number(missing, due->row.resource_no);
    }
}

static void collect_unfinished(const struct inventory *inventory, struct numbers *missing)
{
    uint32_t count;
    const int64_t *nos = inventory_unfinished(inventory, &count);
    for (uint32_t i = 0; i < count; i++)
        add_number(missing, nos[i]);
}

/* Whether the customers of its resource must be counted before it is decided. */
static bool is_uncounted(struct inventory *inventory, const struct input *input)
{
    const struct resource *resource = resource_of(inventory, input);
    return resource &&
           (tallies_are_missing(resource) || (will_limit(input) && lacks_tallies(resource)));
}

bool prefetch_collect_more(struct inventory *inventory, const struct input *inputs,
                           uint32_t input_count, int64_t until_ms, struct usher_arena *arena,
                           struct load_request *request)
{
    struct numbers missing = {.arena = arena}, uncounted = {.arena = arena};
    collect_due(inventory, until_ms, &missing, &uncounted);
    collect_unfinished(inventory, &missing);
    for (uint32_t i = 0; i < input_count; i++)
        if (is_uncounted(inventory, &inputs[i]))
            add_number(&uncounted, resource_of(inventory, &inputs[i])->row.no);
    for (struct resource *resource = NULL; (resource = inventory_work(inventory, resource));)
        add_if_uncounted(&uncounted, resource);
    *request = (struct load_request){
        .resource_nos = missing.at,
        .resource_no_count =
            keep_distinct(missing.at, missing.count, sizeof(int64_t), compare_numbers, arena),
        .tally_nos = uncounted.at,
        .tally_count =
            keep_distinct(uncounted.at, uncounted.count, sizeof(int64_t), compare_numbers, arena),
    };
    return missing.count + uncounted.count > 0;
}

bool prefetch_only_counts(struct load_request *request)
{
    request->resource_no_count = 0;
    return request->tally_count > 0;
}

uint32_t prefetch_counted(struct inventory *inventory, const struct input *inputs,
                          uint32_t input_count)
{
    uint32_t counted = 0;
    while (counted < input_count && !is_uncounted(inventory, &inputs[counted]))
        counted++;
    return counted;
}
