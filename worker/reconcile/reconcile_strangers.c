/*
 * What Redis has too much: all ids that it has, less those that PostgreSQL has.
 */
#include "worker/reconcile/reconcile_strangers.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void keep(void *context, const char *resource)
{
    struct strangers *strangers = context;
    if (strangers->count == strangers->capacity) {
        strangers->capacity = 2 * strangers->capacity + 64;
        strangers->ids = realloc(strangers->ids, strangers->capacity * sizeof *strangers->ids);
        assert(strangers->ids != NULL);
    }
    strangers->ids[strangers->count++] =
        usher_arena_text(&strangers->arena, resource, strlen(resource));
}

static int compare_ids(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

enum usher_status strangers_find(struct strangers *strangers, struct redis_store *store,
                                 struct usher_error *err)
{
    const struct redis_names names = {.context = strangers, .name = keep};
    enum usher_status status = redis_store_names(store, &names, err);
    if (status != USHER_OK || strangers->count == 0)
        return status;
    qsort(strangers->ids, strangers->count, sizeof *strangers->ids, compare_ids);
    size_t kept = 1;
    for (size_t i = 1; i < strangers->count; i++)
        if (strcmp(strangers->ids[i], strangers->ids[kept - 1]) != 0)
            strangers->ids[kept++] = strangers->ids[i];
    strangers->count = kept;
    return USHER_OK;
}

/* Marks those of one page. */
static void mark_known(const struct strangers *strangers, const struct pg_catalog_page *page,
                       bool *known)
{
    for (uint32_t i = 0; i < page->count; i++) {
        const char **at = bsearch(&page->entries[i].id, strangers->ids, strangers->count,
                                  sizeof *strangers->ids, compare_ids);
        if (at != NULL)
            known[at - strangers->ids] = true;
    }
}

static void drop_known(struct strangers *strangers, const bool *known)
{
    size_t kept = 0;
    for (size_t i = 0; i < strangers->count; i++)
        if (!known[i])
            strangers->ids[kept++] = strangers->ids[i];
    strangers->count = kept;
}

enum usher_status strangers_strike(struct strangers *strangers, struct pg_catalog *catalog,
                                   struct usher_error *err)
{
    if (strangers->count == 0)
        return USHER_OK;
    bool *known = usher_arena_alloc(&strangers->arena, strangers->count * sizeof *known);
    int64_t after_no = 0;
    struct pg_catalog_page page;
    enum usher_status status;
    do {
        struct usher_arena ids = {0};
        status = pg_catalog_next(catalog, after_no, &ids, &page, err);
        if (status == USHER_OK && page.count > 0) {
            mark_known(strangers, &page, known);
            after_no = page.entries[page.count - 1].no;
        }
        usher_arena_deinit(&ids);
    } while (status == USHER_OK && page.count > 0);
    if (status == USHER_OK)
        drop_known(strangers, known);
    return status;
}

void strangers_deinit(struct strangers *strangers)
{
    free(strangers->ids);
    usher_arena_deinit(&strangers->arena);
    *strangers = (struct strangers){0};
}
