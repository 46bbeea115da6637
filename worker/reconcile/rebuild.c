/*
 * The command `rebuild-cache`: deletes the keys under the prefix in Redis and rewrites them from
 * PostgreSQL. For a database that was restored to an earlier state, whose revisions are lower than
 * those in Redis. Workers may continue meanwhile.
 */
#include "worker/reconcile/rebuild.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/log.h"
#include "producer/base/plural.h"
#include "producer/terminal/terminal.h"
#include "worker/base/array.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"

/* ==== Rebuild-cache ==== */

struct rebuild {
    struct pg_catalog *catalog;
    struct redis_store *store;
    struct usher_arena arena; /* of one resource */
    uint64_t deleted, resources;
    struct progress progress;
};

/* Reads what would be written; one that is gone is no more. */
static enum usher_status read_one(struct rebuild *rebuild, int64_t no, struct usher_error *err)
{
    struct pg_catalog_snapshot snapshot;
    usher_arena_reset(&rebuild->arena);
    enum usher_status status =
        pg_catalog_load(rebuild->catalog, no, &rebuild->arena, &snapshot, err);
    return status == USHER_REJECT ? USHER_OK : status;
}

/* A worker that wrote something newer meanwhile was right; a resource that is gone is no more. */
static enum usher_status rebuild_one(struct rebuild *rebuild, int64_t no, struct usher_error *err)
{
    struct pg_catalog_snapshot snapshot;
    usher_arena_reset(&rebuild->arena);
    enum usher_status status =
        pg_catalog_load(rebuild->catalog, no, &rebuild->arena, &snapshot, err);
    if (status != USHER_OK)
        return status == USHER_REJECT ? USHER_OK : status;
    struct display_update *update =
        display_whole(&snapshot.resource, row_partition(no), snapshot.epoch, snapshot.now_ms);
    bool written;
    if (!update) {
        log_error(NULL,
                  "resource \"%s\" is not written: its rows contradict each other, `reconcile` "
                  "says which",
                  snapshot.resource.row.id);
        return USHER_OK;
    }
    status = redis_store_write(rebuild->store, update, false, &written, err);
    display_update_free(update);
    rebuild->resources += status == USHER_OK;
    progress_show(&rebuild->progress, "%" PRIu64 " resource%s written", rebuild->resources,
                  PLURAL(rebuild->resources));
    return status;
}

/* Visits every resource, page by page. */
static enum usher_status each(struct rebuild *rebuild,
                              enum usher_status (*visit)(struct rebuild *, int64_t,
                                                         struct usher_error *),
                              struct usher_error *err)
{
    int64_t after_no = 0;
    struct pg_catalog_page page;
    enum usher_status status = USHER_OK;
    do {
        struct usher_arena ids = {0};
        page.count = 0;
        if (status == USHER_OK)
            status = pg_catalog_next(rebuild->catalog, after_no, &ids, &page, err);
        for (uint32_t i = 0; i < page.count && status == USHER_OK; i++) {
            after_no = page.entries[i].no;
            status = visit(rebuild, after_no, err);
        }
        usher_arena_deinit(&ids);
    } while (status == USHER_OK && page.count > 0);
    return status;
}

/* What readers are shown stays as it is where PostgreSQL cannot say what it should be. */
static enum usher_status rebuild_all(struct rebuild *rebuild, struct usher_error *err)
{
    int32_t partition_count = 0;
    enum usher_status status = each(rebuild, read_one, err);
    if (status == USHER_OK)
        status = pg_catalog_partitions(rebuild->catalog, &partition_count, err);
    if (status == USHER_OK)
        status = redis_store_clear(rebuild->store, partition_count, &rebuild->deleted, err);
    if (status == USHER_OK)
        status = redis_store_claim(rebuild->store, true, err);
    if (status == USHER_OK)
        status = each(rebuild, rebuild_one, err);
    return status;
}

enum usher_status rebuild_run(const struct rebuild_settings *settings, struct usher_error *err)
{
    struct rebuild rebuild = {0};
    progress_begin(&rebuild.progress);
    enum usher_status status = pg_catalog_open(settings->postgres, &rebuild.catalog, err);
    if (status == USHER_OK)
        status = redis_store_open(settings->redis, &rebuild.store, err);
    if (status == USHER_OK)
        status = rebuild_all(&rebuild, err);
    progress_clear(&rebuild.progress);
    if (status == USHER_OK) {
        fprintf(settings->out,
                "rebuilt %" PRIu64 " resource%s in Redis, after deleting %" PRIu64 " key%s\n",
                rebuild.resources, PLURAL(rebuild.resources), rebuild.deleted,
                PLURAL(rebuild.deleted));
        fflush(settings->out);
    }
    pg_catalog_close(rebuild.catalog);
    redis_store_close(rebuild.store);
    usher_arena_deinit(&rebuild.arena);
    return status == USHER_OK ? USHER_OK : USHER_FATAL;
}

/* ==== Extra keys ==== */

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
