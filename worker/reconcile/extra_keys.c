/*
 * What Redis has too much: all ids that it has, less those that PostgreSQL knows; and keys of the
 * wrong type.
 */
#include "worker/reconcile/extra_keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "worker/base/array.h"

static const char *copy(struct extra_keys *extra_keys, const char *text)
{
    return usher_arena_text(&extra_keys->arena, text, strlen(text));
}

static void keep(void *context, const char *resource)
{
    struct extra_keys *extra_keys = context;
    extra_keys->ids = array_room(extra_keys->ids, extra_keys->count, &extra_keys->capacity,
                                 sizeof *extra_keys->ids);
    extra_keys->ids[extra_keys->count++] = copy(extra_keys, resource);
}

static void keep_mistyped(void *context, const char *key, const char *type, const char *right)
{
    struct extra_keys *extra_keys = context;
    extra_keys->mistyped = array_room(extra_keys->mistyped, extra_keys->mistyped_count,
                                      &extra_keys->mistyped_capacity, sizeof *extra_keys->mistyped);
    extra_keys->mistyped[extra_keys->mistyped_count++] = (struct mistyped_key){
        copy(extra_keys, key), copy(extra_keys, type), copy(extra_keys, right)};
}

static void keep_layout(void *context, const char *layout)
{
    struct extra_keys *extra_keys = context;
    extra_keys->layouts = array_room(extra_keys->layouts, extra_keys->layout_count,
                                     &extra_keys->layout_capacity, sizeof *extra_keys->layouts);
    extra_keys->layouts[extra_keys->layout_count++] = copy(extra_keys, layout);
}

static int compare_ids(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

enum usher_status extra_keys_find(struct extra_keys *extra_keys, struct redis_store *store,
                                  struct usher_error *err)
{
    const struct redis_names names = {
        .context = extra_keys, .name = keep, .mistyped = keep_mistyped, .layout = keep_layout};
    enum usher_status status = redis_store_names(store, &names, err);
    if (status != USHER_OK || extra_keys->count == 0)
        return status;
    qsort(extra_keys->ids, extra_keys->count, sizeof *extra_keys->ids, compare_ids);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < extra_keys->count; i++)
        if (strcmp(extra_keys->ids[i], extra_keys->ids[kept - 1]) != 0)
            extra_keys->ids[kept++] = extra_keys->ids[i];
    extra_keys->count = kept;
    return USHER_OK;
}

static void mark_known(const struct extra_keys *extra_keys, const char *id, bool *known)
{
    const char **at =
        bsearch(&id, extra_keys->ids, extra_keys->count, sizeof *extra_keys->ids, compare_ids);
    if (at)
        known[at - extra_keys->ids] = true;
}

static void drop_known(struct extra_keys *extra_keys, const bool *known)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < extra_keys->count; i++)
        if (!known[i])
            extra_keys->ids[kept++] = extra_keys->ids[i];
    extra_keys->count = kept;
}

static enum usher_status mark_resources(const struct extra_keys *extra_keys,
                                        struct pg_catalog *catalog, bool *known,
                                        struct usher_error *err)
{
    int64_t after_no = 0;
    struct pg_catalog_page page;
    enum usher_status status;
    do {
        struct usher_arena ids = {0};
        status = pg_catalog_next(catalog, after_no, &ids, &page, err);
        for (uint32_t i = 0; status == USHER_OK && i < page.count; i++) {
            mark_known(extra_keys, page.entries[i].id, known);
            after_no = page.entries[i].no;
        }
        usher_arena_deinit(&ids);
    } while (status == USHER_OK && page.count > 0);
    return status;
}

static enum usher_status mark_pruned(struct extra_keys *extra_keys, struct pg_catalog *catalog,
                                     bool *known, struct usher_error *err)
{
    const char **ids;
    uint32_t count = 0;
    enum usher_status status = pg_catalog_pruned(catalog, &extra_keys->arena, &ids, &count, err);
    for (uint32_t i = 0; i < count; i++)
        mark_known(extra_keys, ids[i], known);
    return status;
}

/* A resource that is pruned meanwhile is in the second list, if it was not in the first. */
enum usher_status extra_keys_remove_known(struct extra_keys *extra_keys, struct pg_catalog *catalog,
                                          struct usher_error *err)
{
    if (extra_keys->count == 0)
        return USHER_OK;
    bool *known = usher_arena_alloc(&extra_keys->arena, extra_keys->count * sizeof *known);
    enum usher_status status = mark_resources(extra_keys, catalog, known, err);
    if (status == USHER_OK)
        status = mark_pruned(extra_keys, catalog, known, err);
    if (status == USHER_OK)
        drop_known(extra_keys, known);
    return status;
}

void extra_keys_deinit(struct extra_keys *extra_keys)
{
    free(extra_keys->ids);
    free(extra_keys->mistyped);
    free(extra_keys->layouts);
    usher_arena_deinit(&extra_keys->arena);
    *extra_keys = (struct extra_keys){0};
}
