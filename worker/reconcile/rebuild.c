/*
 * The command `rebuild-cache`: reads every resource, and only if all could be read deletes what
 * Redis has and rewrites it, resource by resource.
 */
#include "worker/reconcile/rebuild.h"

#include <inttypes.h>

#include "producer/base/log.h"
#include "producer/base/plural.h"
#include "producer/terminal/progress.h"
#include "worker/display/display.h"
#include "worker/display/display_render.h"
#include "worker/postgres/pg_catalog.h"
#include "worker/redis/redis_store.h"

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
    struct pg_catalog_picture picture;
    usher_arena_reset(&rebuild->arena);
    enum usher_status status =
        pg_catalog_load(rebuild->catalog, no, &rebuild->arena, &picture, err);
    return status == USHER_REJECT ? USHER_OK : status;
}

/* A worker that wrote something newer meanwhile was right; a resource that is gone is no more. */
static enum usher_status rebuild_one(struct rebuild *rebuild, int64_t no, struct usher_error *err)
{
    struct pg_catalog_picture picture;
    usher_arena_reset(&rebuild->arena);
    enum usher_status status =
        pg_catalog_load(rebuild->catalog, no, &rebuild->arena, &picture, err);
    if (status != USHER_OK)
        return status == USHER_REJECT ? USHER_OK : status;
    struct display_update *update =
        display_whole(&picture.resource, row_partition(no), picture.epoch, picture.now_ms);
    bool written;
    if (!update) {
        log_error(NULL,
                  "resource \"%s\" is not written: its rows contradict each other, `reconcile` "
                  "says which",
                  picture.resource.row.id);
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
    enum usher_status status = each(rebuild, read_one, err);
    if (status == USHER_OK)
        status = redis_store_clear(rebuild->store, &rebuild->deleted, err);
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
