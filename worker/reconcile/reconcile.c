/*
 * The command `reconcile`: proves that PostgreSQL is consistent in itself, has a decision about
 * each request, and that Redis shows what PostgreSQL has. Knows nothing of running workers, but
 * that they may continue meanwhile: what changed while it was compared is compared again.
 */
#include "worker/reconcile/reconcile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/terminal/terminal.h"
#include "worker/base/array.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"
#include "worker/postgres/pg_reconcile.h"
#include "worker/reconcile/rebuild.h"
#include "worker/reconcile/reconcile_terms.h"
#include "worker/reconcile/undecided.h"
#include "worker/redis/redis_compare.h"
#include "worker/redis/redis_store.h"

enum {
    ROUND_WAIT_MS = 250,
    ROUNDS = 8, /* looks at a resource that differs, where nothing excuses it */
    /* A snapshot that was put a short while ago may rest before the next is put. */
    REST_MS = DISPLAY_INTERVAL_MAX_MS + 2000
};

/* A resource that differs from Redis so far, as the database had it at the first look. */
struct mismatch {
    int64_t no;
    int32_t epoch;
    int64_t rev;
};

struct reconcile {
    const struct reconcile_settings *settings;
    struct pg_catalog *catalog;
    struct redis_store *store; /* NULL: PostgreSQL only */
    struct usher_arena arena;  /* of one resource */
    struct reconcile_verdict verdict;

    struct progress progress;
    int64_t throttled_until_ms; /* until then a throttled update is waited for */
    struct mismatch *mismatches;
    uint32_t mismatch_count, mismatch_capacity;
    struct extra_keys extra_keys;
};

/* ---- findings ---- */

static void report_finding(struct reconcile *reconcile, enum reconcile_kind kind,
                           const char *resource, const char *text)
{
    const struct reconcile_finding finding = {.kind = kind, .resource = resource, .text = text};
    progress_clear(&reconcile->progress);
    reconcile->settings->report(reconcile->settings->context, &finding);
}

static void report_difference(void *context, const char *resource, const char *text)
{
    report_finding(context, RECONCILE_DIFFERENCE, resource, text);
}

static void report_note(void *context, const char *resource, const char *text)
{
    struct reconcile *reconcile = context;
    report_finding(reconcile, RECONCILE_NOTE, resource, text);
    reconcile->verdict.notes++;
}

static void report_line(void *context, const char *text)
{
    report_finding(context, RECONCILE_DIFFERENCE, NULL, text);
}

static void report_note_line(void *context, const char *text)
{
    report_note(context, NULL, text);
}

/* Reports and counts a difference, unless it was repaired. */
static void settled(struct reconcile *reconcile, bool repaired, const char *resource,
                    const char *text)
{
    report_finding(reconcile, repaired ? RECONCILE_REPAIRED : RECONCILE_DIFFERENCE, resource, text);
    reconcile->verdict.repaired += repaired;
    reconcile->verdict.differences += !repaired;
}

/* ---- one resource ---- */

/* Writes what Redis should show, where it has nothing later; `*equal`: it shows it now. */
static enum usher_status repair(struct reconcile *reconcile, const struct display_update *expected,
                                bool *equal, struct usher_error *err)
{
    struct redis_comparison found = {0};
    bool written;
    enum usher_status status = redis_store_write(reconcile->store, expected, true, &written, err);
    if (status == USHER_OK && written) {
        status = redis_compare(reconcile->store, expected, &reconcile->arena, &found, err);
        *equal = status == USHER_OK && (found.equal || found.newer);
    }
    return status;
}

/* What differs after all: repaired, or a difference. */
static enum usher_status settle(struct reconcile *reconcile, const struct display_update *expected,
                                const char *text, struct usher_error *err)
{
    bool repaired = false;
    enum usher_status status = USHER_OK;
    if (reconcile->settings->repair)
        status = repair(reconcile, expected, &repaired, err);
    if (status != USHER_OK)
        return status;
    settled(reconcile, repaired, expected->resource, text);
    return USHER_OK;
}

static void add_mismatch(struct reconcile *reconcile, const struct mismatch *mismatch)
{
    reconcile->mismatches =
        array_room(reconcile->mismatches, reconcile->mismatch_count, &reconcile->mismatch_capacity,
                   sizeof *reconcile->mismatches);
    reconcile->mismatches[reconcile->mismatch_count++] = *mismatch;
}

static struct display_update *expected_of(const struct pg_catalog_snapshot *snapshot)
{
    return display_whole(&snapshot->resource, row_partition(snapshot->resource.row.no),
                         snapshot->epoch, snapshot->now_ms);
}

/* What PostgreSQL has of a resource, against itself. */
static enum usher_status prove_resource(struct reconcile *reconcile,
                                        const struct loaded_resource *resource,
                                        uint64_t *differences, struct usher_error *err)
{
    const struct reconcile_report report = {
        .context = reconcile, .line = report_difference, .note = report_note};
    struct load_result customers = {0};
    enum usher_status status = USHER_OK;
    if (reconcile_limits_customers(resource)) {
        status = pg_catalog_tallies(reconcile->catalog, resource->row.no, &reconcile->arena,
                                    &customers, err);
    }
    *differences = reconcile_units(resource, &reconcile->verdict.sums, &report);
    if (status == USHER_OK) {
        *differences +=
            reconcile_terms(resource, customers.tallies, customers.tally_count, &report);
    }
    reconcile->verdict.differences += *differences;
    return status;
}

/* Rows written by something else, which the proofs do not see. */
static void report_contradiction(struct reconcile *reconcile,
                                 const struct pg_catalog_snapshot *snapshot)
{
    report_difference(reconcile, snapshot->resource.row.id,
                      "its rows contradict each other, so that nothing of it can be shown");
    reconcile->verdict.differences++;
}

/* A difference that remains may only be a delay. */
static enum usher_status compare_first(struct reconcile *reconcile,
                                       const struct pg_catalog_snapshot *snapshot,
                                       struct usher_error *err)
{
    struct display_update *expected = expected_of(snapshot);
    struct redis_comparison found;
    if (!expected) {
        report_contradiction(reconcile, snapshot);
        return USHER_OK;
    }
    enum usher_status status =
        redis_compare(reconcile->store, expected, &reconcile->arena, &found, err);
    if (status == USHER_OK && !found.equal) {
        const struct mismatch mismatch = {
            .no = snapshot->resource.row.no, .epoch = expected->epoch, .rev = expected->rev};
        add_mismatch(reconcile, &mismatch);
    }
    display_update_free(expected);
    return status;
}

/* The first look at a resource; one that disappeared meanwhile does not matter. */
static enum usher_status check_resource(struct reconcile *reconcile, int64_t no,
                                        struct usher_error *err)
{
    struct pg_catalog_snapshot snapshot;
    uint64_t differences;
    usher_arena_reset(&reconcile->arena);
    enum usher_status status =
        pg_catalog_load(reconcile->catalog, no, &reconcile->arena, &snapshot, err);
    if (status != USHER_OK)
        return status == USHER_REJECT ? USHER_OK : status;
    reconcile->verdict.resources++;
    status = prove_resource(reconcile, &snapshot.resource, &differences, err);
    if (status != USHER_OK || differences > 0 || !reconcile->store)
        return status;
    return compare_first(reconcile, &snapshot, err);
}

/* ---- later looks at one that differed ---- */

static bool is_later(int32_t epoch, int64_t rev, int32_t than_epoch, int64_t than_rev)
{
    return epoch > than_epoch || (epoch == than_epoch && rev > than_rev);
}

/*
 * It keeps selling, so its rows and its snapshot are never read at one moment; but Redis has moved
 * past the revision of the first look. An epoch further ahead than a takeover in between is not one
 * that anybody had.
 */
static bool is_followed(const struct mismatch *mismatch, const struct display_update *expected,
                        const struct redis_comparison *found)
{
    return found->present && found->rev != expected->rev && found->epoch <= expected->epoch + 1 &&
           is_later(expected->epoch, expected->rev, mismatch->epoch, mismatch->rev) &&
           is_later(found->epoch, found->rev, mismatch->epoch, mismatch->rev);
}

/* Compares it again in a round, and settles what differs when the round says so. */
static enum usher_status compare_again(struct reconcile *reconcile, const struct mismatch *mismatch,
                                       const struct display_update *expected, int round,
                                       bool *settled, struct usher_error *err)
{
    struct redis_comparison found;
    enum usher_status status =
        redis_compare(reconcile->store, expected, &reconcile->arena, &found, err);
    *settled = status == USHER_OK && found.equal;
    if (status != USHER_OK || found.equal || round < ROUNDS)
        return status;
    bool followed = is_followed(mismatch, expected, &found);
    bool resting = redis_comparison_is_behind(&found, expected) &&
                   redis_comparison_may_be_throttled(&found, expected);
    if (!followed && resting && clock_ms() < reconcile->throttled_until_ms)
        return USHER_OK;
    *settled = true;
    reconcile->verdict.changing += followed;
    return followed ? USHER_OK : settle(reconcile, expected, found.text, err);
}

/* One that went away meanwhile is settled. */
static enum usher_status recheck_mismatch(struct reconcile *reconcile,
                                          const struct mismatch *mismatch, int round, bool *settled,
                                          struct usher_error *err)
{
    struct pg_catalog_snapshot snapshot;
    usher_arena_reset(&reconcile->arena);
    enum usher_status status =
        pg_catalog_load(reconcile->catalog, mismatch->no, &reconcile->arena, &snapshot, err);
    *settled = status == USHER_REJECT;
    if (status != USHER_OK)
        return status == USHER_REJECT ? USHER_OK : status;
    struct display_update *expected = expected_of(&snapshot);
    *settled = !expected;
    if (!expected) {
        report_contradiction(reconcile, &snapshot);
        return USHER_OK;
    }
    status = compare_again(reconcile, mismatch, expected, round, settled, err);
    display_update_free(expected);
    return status;
}

/* ---- all of them ---- */

static enum usher_status check_all_resources(struct reconcile *reconcile, struct usher_error *err)
{
    int64_t after_no = 0;
    struct pg_catalog_page page;
    enum usher_status status;
    do {
        struct usher_arena ids = {0};
        status = pg_catalog_next(reconcile->catalog, after_no, &ids, &page, err);
        for (uint32_t i = 0; i < page.count && status == USHER_OK; i++) {
            after_no = page.entries[i].no;
            status = check_resource(reconcile, after_no, err);
            progress_show(&reconcile->progress, "%" PRIu64 " resource%s compared",
                          reconcile->verdict.resources, PLURAL(reconcile->verdict.resources));
        }
        usher_arena_deinit(&ids);
    } while (status == USHER_OK && page.count > 0);
    return status;
}

static enum usher_status recheck_round(struct reconcile *reconcile, int round,
                                       struct usher_error *err)
{
    uint32_t kept = 0;
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < reconcile->mismatch_count && status == USHER_OK; i++) {
        bool settled;
        status = recheck_mismatch(reconcile, &reconcile->mismatches[i], round, &settled, err);
        if (!settled)
            reconcile->mismatches[kept++] = reconcile->mismatches[i];
    }
    reconcile->mismatch_count = kept;
    return status;
}

static enum usher_status recheck_mismatches(struct reconcile *reconcile, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    reconcile->throttled_until_ms = clock_ms() + REST_MS;
    for (int round = 1; reconcile->mismatch_count > 0 && status == USHER_OK; round++) {
        nanosleep(&(struct timespec){.tv_nsec = ROUND_WAIT_MS * 1000000L}, NULL);
        status = recheck_round(reconcile, round, err);
    }
    return status;
}

/* ---- the command ---- */

static void report_extra_keys(struct reconcile *reconcile)
{
    for (size_t i = 0; i < reconcile->extra_keys.count; i++) {
        settled(reconcile, false, reconcile->extra_keys.ids[i],
                "in Redis, but not in PostgreSQL: `rebuild-cache` removes it");
    }
}

/* Keys of the wrong type; a worker or the comparison writes again what belongs there. */
static enum usher_status settle_mistyped(struct reconcile *reconcile, struct usher_error *err)
{
    const struct extra_keys *found = &reconcile->extra_keys;
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < found->mistyped_count && status == USHER_OK; i++) {
        const struct mistyped_key *key = &found->mistyped[i];
        bool repairs = reconcile->settings->repair;
        if (repairs)
            status = redis_store_delete(reconcile->store, key->key, err);
        usher_arena_reset(&reconcile->arena);
        settled(reconcile, repairs, NULL,
                usher_arena_format(&reconcile->arena, "key %s in Redis is a %s, not a %s", key->key,
                                   key->type, key->right));
    }
    return status;
}

/* Layouts that resources are said to have that have another one. */
static enum usher_status settle_layouts(struct reconcile *reconcile, struct usher_error *err)
{
    const struct extra_keys *found = &reconcile->extra_keys;
    bool repairs = reconcile->settings->repair;
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < found->layout_count && status == USHER_OK; i++) {
        const char *layout = found->layouts[i];
        uint32_t foreign_members = 0;
        status = redis_store_check_layout(reconcile->store, layout, repairs, &foreign_members, err);
        if (foreign_members == 0)
            continue;
        usher_arena_reset(&reconcile->arena);
        settled(reconcile, repairs, NULL,
                usher_arena_format(&reconcile->arena,
                                   "layout %s in Redis lists %" PRIu32
                                   " resource%s that %s another one",
                                   layout, foreign_members, PLURAL(foreign_members),
                                   foreign_members == 1 ? "has" : "have"));
    }
    return status;
}

static enum usher_status find_extra_keys(struct reconcile *reconcile, struct usher_error *err)
{
    enum usher_status status = extra_keys_find(&reconcile->extra_keys, reconcile->store, err);
    if (status == USHER_OK)
        status = settle_mistyped(reconcile, err);
    return status == USHER_OK ? settle_layouts(reconcile, err) : status;
}

static enum usher_status find_undecided(struct reconcile *reconcile,
                                        const struct pg_differences *lines, struct usher_error *err)
{
    const struct undecided_settings settings = {
        .postgres = reconcile->settings->postgres,
        .kafka = reconcile->settings->kafka,
        .decisions = reconcile->settings->decisions,
        .progress = &reconcile->progress,
        .lines = lines,
    };
    uint64_t count = 0;
    enum usher_status status = undecided_find(&settings, &count, err);
    reconcile->verdict.differences += count;
    return status;
}

static enum usher_status prove(struct reconcile *reconcile, struct usher_error *err)
{
    const struct pg_differences lines = {
        .context = reconcile, .line = report_line, .note = report_note_line};
    uint64_t count = 0;
    progress_begin(&reconcile->progress);
    enum usher_status status = pg_reconcile(reconcile->settings->postgres, &lines, &count, err);
    reconcile->verdict.differences += count;
    if (status == USHER_OK && reconcile->settings->kafka)
        status = find_undecided(reconcile, &lines, err);
    if (status == USHER_OK && reconcile->store)
        status = find_extra_keys(reconcile, err);
    if (status == USHER_OK)
        status = check_all_resources(reconcile, err);
    progress_clear(&reconcile->progress);
    if (status == USHER_OK)
        status = recheck_mismatches(reconcile, err);
    if (status == USHER_OK)
        status = extra_keys_remove_known(&reconcile->extra_keys, reconcile->catalog, err);
    if (status == USHER_OK)
        report_extra_keys(reconcile);
    return status;
}

static enum usher_status open_both(struct reconcile *reconcile, struct usher_error *err)
{
    const struct reconcile_settings *settings = reconcile->settings;
    enum usher_status status = pg_catalog_open(settings->postgres, &reconcile->catalog, err);
    if (status == USHER_OK && settings->redis->uri)
        status = redis_store_open(settings->redis, &reconcile->store, err);
    if (status == USHER_OK && settings->redis->uri && settings->repair)
        status = redis_store_claim(reconcile->store, false, err);
    return status;
}

enum usher_status reconcile_run(const struct reconcile_settings *settings,
                                struct reconcile_verdict *verdict, struct usher_error *err)
{
    struct reconcile reconcile = {.settings = settings};
    enum usher_status status = open_both(&reconcile, err);
    if (status == USHER_OK)
        status = prove(&reconcile, err);
    *verdict = reconcile.verdict;
    if (status != USHER_OK) {
        status = USHER_FATAL;
    } else if (verdict->differences > 0) {
        usher_error_set(err, USHER_EXIT_DIFFERENCE, "%" PRIu64 " difference%s",
                        verdict->differences, PLURAL(verdict->differences));
        status = USHER_REJECT;
    }
    pg_catalog_close(reconcile.catalog);
    redis_store_close(reconcile.store);
    usher_arena_deinit(&reconcile.arena);
    extra_keys_deinit(&reconcile.extra_keys);
    free(reconcile.mismatches);
    return status;
}
