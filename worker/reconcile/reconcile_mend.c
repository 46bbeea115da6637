/*
 * Compares one resource with the database and mends it.
 */
#include "worker/reconcile/reconcile_mend.h"

#include <time.h>

#include "producer/base/log.h"
#include "worker/display/display.h"
#include "worker/observe/metrics.h"

enum {
    BEHIND_MS = 200 /* the cache follows a commit within this time, unless the picture rests */
};

void mend_disconnect(struct mend *mend)
{
    pg_catalog_close(mend->catalog);
    mend->catalog = NULL;
    redis_store_close(mend->store);
    mend->store = NULL;
    usher_arena_deinit(&mend->arena);
}

enum usher_status mend_connect(struct mend *mend, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    if (mend->store == NULL) {
        status = redis_store_open(mend->settings->redis, mend->settings->redis_prefix, true,
                                  &mend->store, err);
    }
    if (status == USHER_OK && mend->catalog == NULL)
        status = pg_catalog_open(mend->settings->postgres, &mend->catalog, err);
    return status;
}

/* Whether Redis has what the picture says, or will have: newer, or merely a little behind. */
static enum usher_status look(struct mend *mend, const struct display_update *expected,
                              bool patient, bool *well, struct usher_error *err)
{
    struct redis_comparison found;
    enum usher_status status =
        redis_store_compare(mend->store, expected, &mend->arena, &found, err);
    bool behind = status == USHER_OK && patient && redis_comparison_is_behind(&found, expected);
    if (behind && redis_comparison_may_rest(&found, expected)) {
        *well = true;
        return USHER_OK;
    }
    if (behind) {
        nanosleep(&(struct timespec){.tv_nsec = BEHIND_MS * 1000000L}, NULL);
        status = redis_store_compare(mend->store, expected, &mend->arena, &found, err);
    }
    *well = status == USHER_OK && (found.equal || found.newer);
    if (status == USHER_OK && !*well && found.present) {
        struct log_context context = log_context_text(NULL, "resource", expected->resource);
        log_debug(&context, "the cache differs: %s", found.text);
    }
    return status;
}

static enum usher_status mend_picture(struct mend *mend, const struct display_update *expected,
                                      bool patient, int64_t *differences, struct usher_error *err)
{
    bool well;
    enum usher_status status = look(mend, expected, patient, &well, err);
    if (status != USHER_OK || well)
        return status;
    bool written;
    status = redis_store_write(mend->store, expected, &written, err);
    if (status == USHER_OK && written) {
        ++*differences;
        if (mend->settings->metrics != NULL)
            metrics_cache_write(mend->settings->metrics, METRICS_CACHE_HEALED);
    }
    return status;
}

enum usher_status mend_one(struct mend *mend, int64_t no, bool patient, int64_t *differences,
                           struct usher_error *err)
{
    struct pg_catalog_picture picture;
    enum usher_status status = pg_catalog_load(mend->catalog, no, &mend->arena, &picture, err);
    if (status == USHER_OK) {
        struct display_update *expected =
            display_whole(&picture.resource, row_partition(no), picture.epoch, picture.now_ms);
        status = mend_picture(mend, expected, patient, differences, err);
        display_update_free(expected);
    }
    usher_arena_reset(&mend->arena);
    return status == USHER_REJECT ? USHER_OK : status;
}
