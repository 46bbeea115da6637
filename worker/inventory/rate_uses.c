/* Units held and sold at each rate: see rate_uses.h. PURE. */
#include "worker/inventory/rate_uses.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/stored.h"
#include "worker/inventory/shared_catalogue.h"

/* ==== Counting ==== */

static struct rate_use *find(const struct rate_uses *uses, const char *rate)
{
    for (uint32_t i = 0; i < uses->count; i++)
        if (rates_same(uses->at[i].rate, rate))
            return &uses->at[i];
    return NULL;
}

static struct rate_use *add(struct resource *resource, struct rate_uses *uses, const char *rate)
{
    if (uses->count == uses->limit) {
        const struct rate_use *old = uses->at;
        uses->limit = 2 * uses->limit + 4;
        uses->at = usher_arena_alloc(resource->arena, uses->limit * sizeof *uses->at);
        if (uses->count > 0)
            memcpy(uses->at, old, uses->count * sizeof *old);
    }
    struct rate_use *use = &uses->at[uses->count++];
    use->rate = resource_text(resource, rate ? rate : STANDARD_RATE);
    return use;
}

void rate_uses_begin(struct resource *resource, struct pool *pool)
{
    assert(!pool->rate_uses);
    pool->rate_uses = usher_arena_alloc(resource->arena, sizeof *pool->rate_uses);
    resource->rate_uses_changed = true;
}

void rate_uses_add(struct resource *resource, const struct line *line, int64_t units)
{
    struct rate_uses *uses = resource->pools[line->pool].rate_uses;
    if (!uses || units == 0)
        return;
    struct rate_use *use = find(uses, line->rate);
    if (!use)
        use = add(resource, uses, line->rate);
    assert(units >= 0 || use->units >= -units);
    use->units += (uint32_t)units;
    resource->rate_uses_changed = true;
}

void rate_uses_add_lines(struct resource *resource, const struct line *lines, uint32_t count,
                         int sign)
{
    for (uint32_t i = 0; i < count; i++)
        rate_uses_add(resource, &lines[i], sign * (int64_t)lines[i].unit_count);
}

uint32_t rate_uses_of(const struct pool *pool, const char *rate)
{
    const struct rate_use *use = pool->rate_uses ? find(pool->rate_uses, rate) : NULL;
    return use ? use->units : 0;
}

void rate_uses_copy(struct resource *clone, struct pool *pool, const struct rate_uses *from)
{
    pool->rate_uses = NULL;
    if (!from)
        return;
    pool->rate_uses = usher_arena_alloc(clone->arena, sizeof *pool->rate_uses);
    for (uint32_t i = 0; i < from->count; i++)
        if (from->at[i].units > 0)
            add(clone, pool->rate_uses, from->at[i].rate)->units = from->at[i].units;
}

/* ==== Stored ==== */

static void write_pool(const struct pool *pool, struct usher_buffer *out)
{
    const char *before = "";
    usher_buffer_text(out, out->size == 0 ? "{\"" : ",\"");
    usher_buffer_number(out, pool->row.index);
    usher_buffer_text(out, "\":{");
    for (uint32_t i = 0; i < pool->rate_uses->count; i++) {
        const struct rate_use *use = &pool->rate_uses->at[i];
        if (use->units == 0)
            continue;
        usher_buffer_text(out, before);
        usher_buffer_json_string(out, use->rate);
        usher_buffer_text(out, ":");
        usher_buffer_number(out, use->units);
        before = ",";
    }
    usher_buffer_text(out, "}");
}

void rate_uses_write(const struct resource *resource, struct usher_buffer *out)
{
    assert(out->size == 0);
    for (uint32_t i = 0; i < resource->pool_count; i++)
        if (resource->pools[i].rate_uses)
            write_pool(&resource->pools[i], out);
    if (out->size > 0)
        usher_buffer_text(out, "}");
}

/* Returns the pool of that index as text, or NULL: there is no such one, or it was met before. */
static struct pool *pool_at(struct resource *resource, const char *text)
{
    uint32_t index = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || index > resource->pool_count)
            return NULL;
        index = 10 * index + (uint32_t)(*at - '0');
    }
    bool good = *text != '\0' && index < resource->pool_count;
    return good && !resource->pools[index].rate_uses ? &resource->pools[index] : NULL;
}

static bool read_use(struct resource *resource, const struct stored_use *use, struct pool **pool)
{
    if (!use->rate) {
        *pool = pool_at(resource, use->pool);
        if (*pool)
            rate_uses_begin(resource, *pool);
        return *pool;
    }
    if (!*pool || use->units < 0 || use->units > USHER_CAPACITY_MAX)
        return false;
    add(resource, (*pool)->rate_uses, use->rate)->units = (uint32_t)use->units;
    return true;
}

bool rate_uses_read(struct resource *resource, const char *json)
{
    struct usher_arena arena = {0};
    struct usher_error err;
    const struct stored_use *uses;
    uint32_t count = 0;
    struct pool *pool = NULL;
    bool good =
        !json || stored_uses_decode(json, strlen(json), &arena, &uses, &count, &err) == USHER_OK;
    for (uint32_t i = 0; good && i < count; i++)
        good = read_use(resource, &uses[i], &pool);
    usher_arena_deinit(&arena);
    resource->rate_uses_changed = false;
    return good;
}

bool rate_uses_fit(const struct resource *resource)
{
    bool fit = true;
    for (uint32_t i = 0; fit && i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        int64_t units = 0;
        for (uint32_t j = 0; pool->rate_uses && j < pool->rate_uses->count; j++)
            units += pool->rate_uses->at[j].units;
        fit = !pool->rate_uses || units == (int64_t)pool->taken.held + pool->taken.sold;
    }
    return fit;
}
