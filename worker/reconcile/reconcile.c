/*
 * The command `reconcile`: proves that PostgreSQL is consistent in itself, has a decision about
 * each request, and that Redis shows what PostgreSQL has. Knows nothing of running workers, but
 * that they may continue meanwhile: what changed while it was compared is compared again.
 */
#include "worker/reconcile/reconcile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/codec/stored.h"
#include "producer/terminal/terminal.h"
#include "worker/base/array.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"
#include "worker/inventory/terms.h"
#include "worker/postgres/pg_reconcile.h"
#include "worker/reconcile/rebuild.h"
#include "worker/reconcile/undecided.h"
#include "worker/redis/redis_store.h"

/* ==== Reconcile ==== */

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

/* ==== Units ==== */

struct units_proof {
    const struct loaded_resource *loaded;
    const struct reconcile_report *report;
    struct usher_arena arena;
    struct reconcile_sums *pools; /* by pool */
    uint64_t differences;
};

static void units_differ(struct units_proof *units_proof, const char *text)
{
    units_proof->report->line(units_proof->report->context, units_proof->loaded->row.id, text);
    units_proof->differences++;
}

/* ---- units ---- */

static int compare_units(const void *left, const void *right)
{
    const struct loaded_unit *a = left;
    const struct loaded_unit *b = right;
    if (a->pool != b->pool)
        return a->pool < b->pool ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static struct loaded_unit *sorted(struct units_proof *units_proof)
{
    size_t size = units_proof->loaded->unit_count * sizeof(struct loaded_unit);
    struct loaded_unit *units = usher_arena_alloc(&units_proof->arena, size);
    if (size > 0) {
        memcpy(units, units_proof->loaded->units, size);
        qsort(units, units_proof->loaded->unit_count, sizeof *units, compare_units);
    }
    return units;
}

/* A seat's number is its place; any other unit may have any number, even above the capacity. */
static bool is_inside(const struct units_proof *units_proof, const struct loaded_unit *unit)
{
    const struct loaded_resource *loaded = units_proof->loaded;
    if (unit->pool >= loaded->pool_count || unit->unit < 0)
        return false;
    const struct pool_row *pool = &loaded->pools[unit->pool];
    return pool->kind != USHER_SEATS || (uint32_t)unit->unit < pool->capacity;
}

static bool is_counted(const struct units_proof *units_proof, uint32_t pool)
{
    return pool < units_proof->loaded->pool_count &&
           kind_is_counted(units_proof->loaded->pools[pool].kind);
}

static void prove_unit(struct units_proof *units_proof, const struct loaded_unit *unit, bool again)
{
    if (is_counted(units_proof, unit->pool)) {
        units_differ(units_proof,
                     usher_arena_format(&units_proof->arena,
                                        "\"%s\" is counted, but unit %" PRId32 " is allocated",
                                        units_proof->loaded->pools[unit->pool].name, unit->unit));
        return;
    }
    if (!is_inside(units_proof, unit)) {
        units_differ(units_proof, usher_arena_format(&units_proof->arena,
                                                     "unit %" PRId32 " is outside of pool %" PRIu32,
                                                     unit->unit, unit->pool));
        return;
    }
    const char *pool = units_proof->loaded->pools[unit->pool].name;
    struct reconcile_sums *sums = &units_proof->pools[unit->pool];
    bool taken = unit->state == BOOKING_HELD || unit->state == BOOKING_CONFIRMED ||
                 unit->state == BOOKING_BLOCKED;
    if (again) {
        units_differ(units_proof, usher_arena_format(&units_proof->arena,
                                                     "unit %" PRId32 " of \"%s\" is taken twice",
                                                     unit->unit, pool));
    }
    if (!taken) {
        units_differ(units_proof,
                     usher_arena_format(&units_proof->arena,
                                        "unit %" PRId32
                                        " of \"%s\" is taken, but neither held, sold nor blocked",
                                        unit->unit, pool));
    }
    sums->held += unit->state == BOOKING_HELD;
    sums->sold += unit->state == BOOKING_CONFIRMED;
    sums->blocked += unit->state == BOOKING_BLOCKED;
}

static void prove_units(struct units_proof *units_proof)
{
    const struct loaded_unit *units = sorted(units_proof);
    for (uint32_t i = 0; i < units_proof->loaded->unit_count; i++)
        prove_unit(units_proof, &units[i], i > 0 && compare_units(&units[i - 1], &units[i]) == 0);
}

/* ---- pools ---- */

static void prove_capacity(struct units_proof *units_proof, const struct pool_row *pool,
                           const struct reconcile_sums *taken)
{
    if (taken->held + taken->sold + taken->blocked > pool->capacity) {
        units_differ(units_proof,
                     usher_arena_format(&units_proof->arena,
                                        "\"%s\" has %" PRIu32 " unit%s, but %" PRId64
                                        " held, %" PRId64 " sold and %" PRId64 " blocked",
                                        pool->name, pool->capacity, PLURAL(pool->capacity),
                                        taken->held, taken->sold, taken->blocked));
    }
    if (pool->overbook > pool->capacity || (pool->overbook > 0 && pool->kind == USHER_SEATS)) {
        units_differ(
            units_proof,
            usher_arena_format(&units_proof->arena,
                               "\"%s\" is overbooked by %" PRIu32 " of %" PRIu32 " unit%s%s",
                               pool->name, pool->overbook, pool->capacity, PLURAL(pool->capacity),
                               pool->kind == USHER_SEATS ? ", but has seats" : ""));
    }
}

/* The price of a unit if the buyer names no rate. */
static int64_t price_of(const struct usher_rate *rates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rates[i].rate, "standard") == 0)
            return rates[i].price;
    return rates[0].price;
}

static void prove_rates(struct units_proof *units_proof, const struct pool_row *pool)
{
    const struct usher_rate *rates;
    uint32_t count;
    struct usher_error err;
    if (!pool->rates)
        return;
    if (stored_rates_decode(pool->rates, strlen(pool->rates), &units_proof->arena, &rates, &count,
                            &err) != USHER_OK ||
        count == 0) {
        units_differ(units_proof, usher_arena_format(&units_proof->arena,
                                                     "the rates of \"%s\" cannot be read: %s",
                                                     pool->name, pool->rates));
    } else if (price_of(rates, count) != pool->price) {
        units_differ(units_proof,
                     usher_arena_format(&units_proof->arena,
                                        "\"%s\" costs %" PRId64 ", but by its rates %" PRId64,
                                        pool->name, pool->price, price_of(rates, count)));
    }
}

static void prove_pools(struct units_proof *units_proof, struct reconcile_sums *sums)
{
    for (uint32_t i = 0; i < units_proof->loaded->pool_count; i++) {
        const struct pool_row *pool = &units_proof->loaded->pools[i];
        struct reconcile_sums *taken = &units_proof->pools[i];
        taken->held += pool->taken.held;
        taken->sold += pool->taken.sold;
        taken->blocked += pool->taken.blocked;
        prove_capacity(units_proof, pool, taken);
        prove_rates(units_proof, pool);
        sums->total += pool->capacity;
        sums->held += taken->held;
        sums->sold += taken->sold;
        sums->blocked += taken->blocked;
    }
}

/* ---- the chart ---- */

static int64_t seats_of_pool(const struct loaded_resource *loaded, const char *section)
{
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (loaded->pools[i].kind == USHER_SEATS && strcmp(loaded->pools[i].name, section) == 0)
            return loaded->pools[i].capacity;
    return 0;
}

static void prove_section(struct units_proof *units_proof, const struct usher_section *section)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        seats += section->rows[i].seats;
    int64_t capacity = seats_of_pool(units_proof->loaded, section->section);
    if (seats != capacity) {
        units_differ(units_proof, usher_arena_format(&units_proof->arena,
                                                     "\"%s\" has %" PRId64
                                                     " seat%s in the chart, but %" PRId64 " unit%s",
                                                     section->section, seats, PLURAL(seats),
                                                     capacity, PLURAL(capacity)));
    }
}

static void prove_chart(struct units_proof *units_proof)
{
    const struct chart_row *chart = &units_proof->loaded->chart;
    const struct usher_section *sections;
    uint32_t count;
    struct usher_error err;
    if (!chart->content)
        return;
    if (usher_chart_decode(chart->content, chart->content_size, &units_proof->arena, &sections,
                           &count, &err) != USHER_OK) {
        units_differ(units_proof, usher_arena_format(&units_proof->arena,
                                                     "its chart cannot be read: %s", err.text));
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        prove_section(units_proof, &sections[i]);
}

/* ---- the waiting list ---- */

static bool can_be_read(struct units_proof *units_proof, const char *wants)
{
    struct usher_request request;
    struct usher_error err;
    return wants &&
           wants_decode(wants, strlen(wants), &units_proof->arena, &request, &err) == USHER_OK;
}

static void prove_waiting(struct units_proof *units_proof)
{
    const struct loaded_resource *loaded = units_proof->loaded;
    for (uint32_t i = 0; i < loaded->waiting_count; i++) {
        const struct booking_row *party = &loaded->waiting[i];
        if (!can_be_read(units_proof, party->wants)) {
            units_differ(units_proof,
                         usher_arena_format(&units_proof->arena,
                                            "the wanted items of booking \"%s\" cannot be read",
                                            party->request_id));
        }
        if (party->state != BOOKING_WAITING || (i > 0 && party->no <= loaded->waiting[i - 1].no)) {
            units_differ(units_proof, usher_arena_format(&units_proof->arena,
                                                         "booking \"%s\" has no place in the list",
                                                         party->request_id));
        }
    }
}

uint64_t reconcile_units(const struct loaded_resource *loaded, struct reconcile_sums *sums,
                         const struct reconcile_report *report)
{
    struct units_proof units_proof = {.loaded = loaded, .report = report};
    struct reconcile_sums own = {0};
    units_proof.pools =
        usher_arena_alloc(&units_proof.arena, loaded->pool_count * sizeof *units_proof.pools);
    prove_units(&units_proof);
    prove_pools(&units_proof, &own);
    prove_chart(&units_proof);
    prove_waiting(&units_proof);
    if (units_proof.differences == 0) {
        sums->total += own.total;
        sums->held += own.held;
        sums->sold += own.sold;
        sums->blocked += own.blocked;
    }
    usher_arena_deinit(&units_proof.arena);
    return units_proof.differences;
}

/* ==== Terms ==== */

struct terms_proof {
    const struct loaded_resource *loaded;
    const struct reconcile_report *report;
    struct usher_arena arena;
    struct stored_terms terms;
    int64_t *used; /* units held or sold, by pool */
    uint64_t differences;
};

static void terms_differ(struct terms_proof *terms_proof, const char *text)
{
    terms_proof->report->line(terms_proof->report->context, terms_proof->loaded->row.id, text);
    terms_proof->differences++;
}

static void note(const struct terms_proof *terms_proof, const char *text)
{
    terms_proof->report->note(terms_proof->report->context, terms_proof->loaded->row.id, text);
}

/* ---- names ---- */

static bool is_named(const char *const *names, uint32_t count, const char *pool)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], pool) == 0)
            return true;
    return false;
}

static void prove_names(struct terms_proof *terms_proof, const char *const *names, uint32_t count)
{
    const struct loaded_resource *loaded = terms_proof->loaded;
    for (uint32_t i = 0; i < count; i++) {
        bool known = false;
        for (uint32_t pool = 0; pool < loaded->pool_count && !known; pool++)
            known = strcmp(loaded->pools[pool].name, names[i]) == 0;
        if (!known) {
            terms_differ(terms_proof, usher_arena_format(
                                          &terms_proof->arena,
                                          "its terms name \"%s\", which never existed", names[i]));
        }
    }
}

/* ---- quotas ---- */

/* Units of the quota on a night, or of what has no nights. */
static int64_t used_on(const struct terms_proof *terms_proof, const struct usher_quota *quota,
                       int32_t night)
{
    const struct loaded_resource *loaded = terms_proof->loaded;
    int64_t used = 0;
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (loaded->pools[i].night == night &&
            is_named(quota->pools, quota->pool_count, loaded->pools[i].name))
            used += terms_proof->used[i];
    return used;
}

/* The night that uses most of it; NIGHT_NONE where it has none. */
static int32_t fullest_night(const struct terms_proof *terms_proof, const struct usher_quota *quota)
{
    const struct loaded_resource *loaded = terms_proof->loaded;
    int32_t fullest = NIGHT_NONE;
    int64_t most = -1;
    for (uint32_t i = 0; i < loaded->pool_count; i++) {
        const struct pool_row *pool = &loaded->pools[i];
        if (pool->night == NIGHT_NONE || !is_named(quota->pools, quota->pool_count, pool->name))
            continue;
        int64_t used = used_on(terms_proof, quota, pool->night);
        fullest = used > most ? pool->night : fullest;
        most = used > most ? used : most;
    }
    return fullest;
}

static void note_quota(struct terms_proof *terms_proof, const struct usher_quota *quota)
{
    int32_t night = fullest_night(terms_proof, quota);
    int64_t used = used_on(terms_proof, quota, NIGHT_NONE);
    char on[4 + USHER_NIGHT_SIZE] = "";
    if (night != NIGHT_NONE) {
        used += used_on(terms_proof, quota, night);
        memcpy(on, " on ", 4);
        usher_night_format(night, on + 4);
    }
    if (used > quota->limit) {
        note(terms_proof, usher_arena_format(
                              &terms_proof->arena,
                              "quota \"%s\" allows %" PRId64 " unit%s, %" PRId64 " held or sold%s",
                              quota->quota, quota->limit, PLURAL(quota->limit), used, on));
    }
}

static void prove_quotas(struct terms_proof *terms_proof)
{
    for (uint32_t i = 0; i < terms_proof->terms.quota_count; i++) {
        const struct usher_quota *quota = &terms_proof->terms.quotas[i];
        prove_names(terms_proof, quota->pools, quota->pool_count);
        note_quota(terms_proof, quota);
    }
}

/* ---- limits ---- */

/*
 * What one customer has: a stretch of the tallies. They may be read a little later than the rest,
 * and know pools that it does not.
 */
struct customer {
    const struct load_tally *tallies;
    uint32_t count;
};

static int64_t units_of(const struct terms_proof *terms_proof, const struct customer *customer,
                        const struct usher_limit_group *group)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < customer->count; i++) {
        const struct load_tally *tally = &customer->tallies[i];
        bool known = tally->pool < terms_proof->loaded->pool_count;
        if (known && (!group || is_named(group->pools, group->pool_count,
                                         terms_proof->loaded->pools[tally->pool].name)))
            units += tally->units;
    }
    return units;
}

static int64_t holds_of(const struct customer *customer)
{
    int64_t holds = 0;
    for (uint32_t i = 0; i < customer->count; i++) {
        const struct load_tally *tally = &customer->tallies[i];
        holds += tally->held && (i == 0 || tally[-1].booking != tally->booking);
    }
    return holds;
}

static void note_above(struct terms_proof *terms_proof, const char *what, int64_t has,
                       int64_t limit)
{
    if (has > limit) {
        note(terms_proof, usher_arena_format(&terms_proof->arena,
                                             "a customer has %" PRId64 " %s, the limit is %" PRId64,
                                             has, what, limit));
    }
}

static void note_customer(struct terms_proof *terms_proof, const struct customer *customer)
{
    const struct usher_limits *limits = terms_proof->terms.limits;
    if (limits->units_per_customer > 0)
        note_above(terms_proof, "units", units_of(terms_proof, customer, NULL),
                   limits->units_per_customer);
    if (limits->holds_per_customer > 0)
        note_above(terms_proof, "holds", holds_of(customer), limits->holds_per_customer);
    for (uint32_t i = 0; i < limits->group_count; i++) {
        note_above(terms_proof, "units of a group",
                   units_of(terms_proof, customer, &limits->groups[i]), limits->groups[i].limit);
    }
}

static void prove_limits(struct terms_proof *terms_proof, const struct load_tally *tallies,
                         uint32_t count)
{
    const struct usher_limits *limits = terms_proof->terms.limits;
    for (uint32_t i = 0; limits && i < limits->group_count; i++)
        prove_names(terms_proof, limits->groups[i].pools, limits->groups[i].pool_count);
    for (uint32_t at = 0; limits && at < count;) {
        struct customer customer = {.tallies = &tallies[at]};
        while (at < count && strcmp(tallies[at].customer, customer.tallies->customer) == 0) {
            customer.count++;
            at++;
        }
        note_customer(terms_proof, &customer);
    }
}

/* ---- both ---- */

static bool read_terms(struct terms_proof *terms_proof)
{
    const char *json = terms_proof->loaded->row.terms;
    struct usher_error err;
    return !json || stored_terms_decode(json, strlen(json), &terms_proof->arena,
                                        &terms_proof->terms, &err) == USHER_OK;
}

static void count_used(struct terms_proof *terms_proof)
{
    const struct loaded_resource *loaded = terms_proof->loaded;
    terms_proof->used =
        usher_arena_alloc(&terms_proof->arena, loaded->pool_count * sizeof *terms_proof->used);
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        terms_proof->used[i] = loaded->pools[i].taken.held + loaded->pools[i].taken.sold;
    for (uint32_t i = 0; i < loaded->unit_count; i++)
        if (loaded->units[i].pool < loaded->pool_count && loaded->units[i].state != BOOKING_BLOCKED)
            terms_proof->used[loaded->units[i].pool]++;
}

bool reconcile_limits_customers(const struct loaded_resource *loaded)
{
    struct terms_proof terms_proof = {.loaded = loaded};
    bool read = read_terms(&terms_proof);
    bool limited = read && terms_limit_customers(terms_proof.terms.limits);
    usher_arena_deinit(&terms_proof.arena);
    return limited;
}

uint64_t reconcile_terms(const struct loaded_resource *loaded, const struct load_tally *tallies,
                         uint32_t tally_count, const struct reconcile_report *report)
{
    struct terms_proof terms_proof = {.loaded = loaded, .report = report};
    if (read_terms(&terms_proof)) {
        count_used(&terms_proof);
        prove_quotas(&terms_proof);
        prove_limits(&terms_proof, tallies, tally_count);
    } else {
        terms_differ(&terms_proof, "its terms cannot be read");
    }
    usher_arena_deinit(&terms_proof.arena);
    return terms_proof.differences;
}
