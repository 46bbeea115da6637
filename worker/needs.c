/*
 * Goes through the records of a batch and asks for what is neither in memory nor known not to be.
 * PURE.
 */
#include "needs.h"

#include <stdlib.h>
#include <string.h>

#include "inventory_state.h"

/* The lists being gathered, as large as they can become. */
struct gathering {
    struct inventory *inventory;
    const char **resources;
    uint32_t resource_count;
    struct load_key *ids;
    uint32_t id_count;
    struct load_key *bookings;
    uint32_t booking_count;
};

static struct load_key key_of(const char *resource, const uint8_t id_hash[USHER_HASH_SIZE])
{
    struct load_key key = {.resource = resource};
    memcpy(key.id_hash, id_hash, sizeof(key.id_hash));
    return key;
}

/* Its body is needed where it may be the answer again, and is in the database only. */
static bool lacks_first(const struct inventory *inventory, const struct known_id *id,
                        const struct input *input)
{
    return !id->first && id->batch <= inventory->committed &&
           memcmp(id->content_hash, input->content_hash, USHER_HASH_SIZE) == 0;
}

static void gather_id(struct gathering *gathering, const struct resource *resource,
                      const struct input *input)
{
    const struct known_id *id =
        resource ? inventory_id(gathering->inventory, resource->row.no, input->id_hash) : NULL;
    bool is_new = !id && resource && resource->ids_complete;
    if (id ? lacks_first(gathering->inventory, id, input) : !is_new)
        gathering->ids[gathering->id_count++] = key_of(input->request.resource, input->id_hash);
}

static void gather_booking(struct gathering *gathering, const struct resource *resource,
                           const struct usher_request *request)
{
    if (resource && inventory_booking(gathering->inventory, resource->row.no, request->booking))
        return;
    uint8_t id_hash[USHER_HASH_SIZE];
    usher_id_hash(request->booking, id_hash);
    if (resource && resource->ids_complete &&
        !inventory_id(gathering->inventory, resource->row.no, id_hash))
        return; /* no such request was ever answered */
    gathering->bookings[gathering->booking_count++] = key_of(request->resource, id_hash);
}

static void gather(struct gathering *gathering, const struct input *input)
{
    if (input->invalid != USHER_REASON_NONE)
        return;
    const struct usher_request *request = &input->request;
    const struct resource *resource = inventory_resource(gathering->inventory, request->resource);
    if (!resource)
        gathering->resources[gathering->resource_count++] = request->resource;
    gather_id(gathering, resource, input);
    if (request->booking)
        gather_booking(gathering, resource, request);
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

static int compare_numbers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Sorts and leaves one of equals; returns how many are left. */
static uint32_t keep_distinct(void *array, uint32_t count, size_t size,
                              int (*compare)(const void *, const void *))
{
    if (count == 0)
        return 0;
    qsort(array, count, size, compare);
    char *at = array;
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++)
        if (compare(at + (kept - 1) * size, at + i * size) != 0)
            memmove(at + kept++ * size, at + i * size, size);
    return kept;
}

/* ---- the questions ---- */

static void ask_due(const struct inventory *inventory, int64_t until_ms,
                    struct load_request *request)
{
    if (!due_key_less(inventory->horizon, (struct due_key){until_ms, INT64_MAX}))
        return;
    request->due = true;
    request->due_after_ms = inventory->horizon.expires_ms;
    request->due_after_no = inventory->horizon.no;
    request->due_until_ms = until_ms + NEEDS_DUE_AHEAD_MS;
    request->due_limit = NEEDS_DUE_LIMIT;
}

bool needs_gather(struct inventory *inventory, const struct input *inputs, uint32_t input_count,
                  int64_t until_ms, struct usher_arena *arena, struct load_request *request)
{
    struct gathering gathering = {
        .inventory = inventory,
        .resources = usher_arena_alloc(arena, input_count * sizeof(const char *)),
        .ids = usher_arena_alloc(arena, input_count * sizeof(struct load_key)),
        .bookings = usher_arena_alloc(arena, input_count * sizeof(struct load_key)),
    };
    for (uint32_t i = 0; i < input_count; i++)
        gather(&gathering, &inputs[i]);
    *request = (struct load_request){
        .resources = gathering.resources,
        .resource_count = keep_distinct(gathering.resources, gathering.resource_count,
                                        sizeof(const char *), compare_texts),
        .ids = gathering.ids,
        .id_count =
            keep_distinct(gathering.ids, gathering.id_count, sizeof(struct load_key), compare_keys),
        .bookings = gathering.bookings,
        .booking_count = keep_distinct(gathering.bookings, gathering.booking_count,
                                       sizeof(struct load_key), compare_keys),
    };
    ask_due(inventory, until_ms, request);
    return request->due || request->resource_count + request->id_count + request->booking_count > 0;
}

bool needs_resources(struct inventory *inventory, int64_t until_ms, struct usher_arena *arena,
                     struct load_request *request)
{
    uint32_t count = 0, at = 0;
    int64_t *numbers = NULL;
    for (struct booking *due; (due = due_each(&inventory->due, until_ms, &at));) {
        if (inventory_resource_numbered(inventory, due->resource_no))
            continue;
        if (!numbers)
            numbers = usher_arena_alloc(arena, inventory->due.count * sizeof(*numbers));
        numbers[count++] = due->resource_no;
    }
    *request = (struct load_request){
        .resource_nos = numbers,
        .resource_no_count = keep_distinct(numbers, count, sizeof(*numbers), compare_numbers),
    };
    return count > 0;
}
