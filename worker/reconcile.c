/*
 * The command `reconcile`: first what the database can prove by itself, then each resource, then
 * what Redis has too much. Resources that differ from Redis are looked at again, all in rounds.
 */
#include "reconcile.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "display.h"
#include "pg_catalog.h"
#include "reconcile_terms.h"
#include "redis_store.h"

enum {
    ROUNDS = 8, /* looks at a resource that differs */
    ROUND_WAIT_MS = 250
};

struct reconcile {
    const struct reconcile_settings *settings;
    struct pg_catalog *catalog;
    struct redis_store *store; /* NULL: PostgreSQL only */
    struct usher_arena arena;  /* of one resource */
    struct usher_arena kept;   /* of all below */
    uint64_t differences, repaired, notes, resources;
    struct reconcile_sums sums;

    int64_t *doubtful; /* numbers of those that differ from Redis so far */
    size_t doubtful_count, doubtful_capacity;
    const char **found; /* ids that Redis had when it all began */
    size_t found_count, found_capacity;
};

/* ---- lines ---- */

static void print_resource_line(void *context, const char *resource, const char *text)
{
    struct reconcile *reconcile = context;
    fprintf(reconcile->settings->out, "%s: %s\n", resource, text);
}

static void print_note(void *context, const char *resource, const char *text)
{
    struct reconcile *reconcile = context;
    fprintf(reconcile->settings->out, "note: %s: %s\n", resource, text);
    reconcile->notes++;
}

static void print_line(void *context, const char *text)
{
    struct reconcile *reconcile = context;
    fprintf(reconcile->settings->out, "%s\n", text);
}

static void print_verdict(const struct reconcile *reconcile)
{
    const struct reconcile_sums *sums = &reconcile->sums;
    FILE *out = reconcile->settings->out;
    fprintf(out,
            "reconciled %" PRIu64 " resources, %" PRId64 " units (%" PRId64 " free, %" PRId64
            " held, %" PRId64 " sold, %" PRId64 " blocked)%s: ",
            reconcile->resources, sums->total,
            sums->total - sums->held - sums->sold - sums->blocked, sums->held, sums->sold,
            sums->blocked, reconcile->store == NULL ? " in PostgreSQL alone" : "");
    if (reconcile->differences == 0)
        fprintf(out, "no differences");
    else
        fprintf(out, "%" PRIu64 " differences", reconcile->differences);
    if (reconcile->repaired > 0)
        fprintf(out, ", %" PRIu64 " repaired", reconcile->repaired);
    if (reconcile->notes > 0)
        fprintf(out, ", %" PRIu64 " notes", reconcile->notes);
    fprintf(out, "\n");
    fflush(out);
}

/* ---- one resource ---- */

static int64_t wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Writes what Redis should show, where it has nothing later; `*equal`: it shows it now. */
static enum usher_status repair(struct reconcile *reconcile, const struct display_update *expected,
                                bool *equal, struct usher_error *err)
{
    struct redis_comparison found = {0};
    bool written;
    enum usher_status status = redis_store_write(reconcile->store, expected, &written, err);
    if (status == USHER_OK && written) {
        status = redis_store_compare(reconcile->store, expected, &reconcile->arena, &found, err);
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
    if (repaired)
        fprintf(reconcile->settings->out, "repaired: ");
    print_resource_line(reconcile, expected->resource, text);
    reconcile->repaired += repaired;
    reconcile->differences += !repaired;
    return USHER_OK;
}

/* Compares one resource with Redis. `final`: what differs now is settled. */
static enum usher_status compare(struct reconcile *reconcile,
                                 const struct pg_catalog_picture *picture, bool final, bool *equal,
                                 struct usher_error *err)
{
    int64_t no = picture->resource.row.no;
    struct display_update *expected =
        display_whole(&picture->resource, (int32_t)(no >> 48), picture->epoch, wall_ms());
    struct redis_comparison found;
    enum usher_status status =
        redis_store_compare(reconcile->store, expected, &reconcile->arena, &found, err);
    *equal = status == USHER_OK && found.equal;
    if (status == USHER_OK && !found.equal && final)
        status = settle(reconcile, expected, found.text, err);
    display_update_free(expected);
    return status;
}

static void keep_doubtful(struct reconcile *reconcile, int64_t no)
{
    if (reconcile->doubtful_count == reconcile->doubtful_capacity) {
        reconcile->doubtful_capacity = 2 * reconcile->doubtful_capacity + 16;
        reconcile->doubtful = realloc(reconcile->doubtful,
                                      reconcile->doubtful_capacity * sizeof *reconcile->doubtful);
        assert(reconcile->doubtful != NULL);
    }
    reconcile->doubtful[reconcile->doubtful_count++] = no;
}

/* What PostgreSQL has of a resource, against itself. */
static enum usher_status prove_resource(struct reconcile *reconcile,
                                        const struct loaded_resource *resource,
                                        uint64_t *differences, struct usher_error *err)
{
    const struct reconcile_report report = {
        .context = reconcile, .line = print_resource_line, .note = print_note};
    struct load_result customers = {0};
    enum usher_status status = USHER_OK;
    if (reconcile_limits_customers(resource)) {
        status = pg_catalog_tallies(reconcile->catalog, resource->row.no, &reconcile->arena,
                                    &customers, err);
    }
    *differences = reconcile_units(resource, &reconcile->sums, &report);
    if (status == USHER_OK) {
        *differences +=
            reconcile_terms(resource, customers.tallies, customers.tally_count, &report);
    }
    reconcile->differences += *differences;
    return status;
}

/* The first look at a resource; one that went away meanwhile is nobody's concern. */
static enum usher_status look(struct reconcile *reconcile, int64_t no, struct usher_error *err)
{
    struct pg_catalog_picture picture;
    uint64_t differences;
    usher_arena_reset(&reconcile->arena);
    enum usher_status status =
        pg_catalog_load(reconcile->catalog, no, &reconcile->arena, &picture, err);
    if (status != USHER_OK)
        return status == USHER_REJECT ? USHER_OK : status;
    reconcile->resources++;
    status = prove_resource(reconcile, &picture.resource, &differences, err);
    if (status != USHER_OK || differences > 0 || reconcile->store == NULL)
        return status;
    bool equal;
    status = compare(reconcile, &picture, false, &equal, err);
    if (status == USHER_OK && !equal)
        keep_doubtful(reconcile, no);
    return status;
}

/* A later look at one that differed. */
static enum usher_status look_again(struct reconcile *reconcile, int64_t no, bool final,
                                    bool *equal, struct usher_error *err)
{
    struct pg_catalog_picture picture;
    usher_arena_reset(&reconcile->arena);
    enum usher_status status =
        pg_catalog_load(reconcile->catalog, no, &reconcile->arena, &picture, err);
    *equal = status == USHER_REJECT;
    if (status != USHER_OK)
        return status == USHER_REJECT ? USHER_OK : status;
    return compare(reconcile, &picture, final, equal, err);
}

/* ---- all of them ---- */

static enum usher_status look_at_all(struct reconcile *reconcile, struct usher_error *err)
{
    int64_t after_no = 0;
    struct pg_catalog_page page;
    enum usher_status status;
    do {
        struct usher_arena ids = {0};
        status = pg_catalog_next(reconcile->catalog, after_no, &ids, &page, err);
        for (uint32_t i = 0; i < page.count && status == USHER_OK; i++) {
            after_no = page.entries[i].no;
            status = look(reconcile, after_no, err);
        }
        usher_arena_deinit(&ids);
    } while (status == USHER_OK && page.count > 0);
    return status;
}

static enum usher_status round_of_doubt(struct reconcile *reconcile, bool final,
                                        struct usher_error *err)
{
    size_t kept = 0;
    enum usher_status status = USHER_OK;
    for (size_t i = 0; i < reconcile->doubtful_count && status == USHER_OK; i++) {
        bool equal;
        status = look_again(reconcile, reconcile->doubtful[i], final, &equal, err);
        if (!equal)
            reconcile->doubtful[kept++] = reconcile->doubtful[i];
    }
    reconcile->doubtful_count = kept;
    return status;
}

static enum usher_status settle_doubts(struct reconcile *reconcile, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (int i = 1; i <= ROUNDS && reconcile->doubtful_count > 0 && status == USHER_OK; i++) {
        nanosleep(&(struct timespec){.tv_nsec = ROUND_WAIT_MS * 1000000L}, NULL);
        status = round_of_doubt(reconcile, i == ROUNDS, err);
    }
    return status;
}

/* ---- what Redis has too much ---- */

static void keep_found(void *context, const char *resource)
{
    struct reconcile *reconcile = context;
    if (reconcile->found_count == reconcile->found_capacity) {
        reconcile->found_capacity = 2 * reconcile->found_capacity + 64;
        reconcile->found =
            realloc(reconcile->found, reconcile->found_capacity * sizeof *reconcile->found);
        assert(reconcile->found != NULL);
    }
    reconcile->found[reconcile->found_count++] =
        usher_arena_text(&reconcile->kept, resource, strlen(resource));
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Ids in Redis, sorted, each once: read before those of PostgreSQL, which always has them first. */
static enum usher_status find_names(struct reconcile *reconcile, struct usher_error *err)
{
    const struct redis_names names = {.context = reconcile, .name = keep_found};
    enum usher_status status = redis_store_names(reconcile->store, &names, err);
    if (status != USHER_OK || reconcile->found_count == 0)
        return status;
    qsort(reconcile->found, reconcile->found_count, sizeof(*reconcile->found), compare_names);
    size_t kept = 1;
    for (size_t i = 1; i < reconcile->found_count; i++)
        if (strcmp(reconcile->found[i], reconcile->found[kept - 1]) != 0)
            reconcile->found[kept++] = reconcile->found[i];
    reconcile->found_count = kept;
    return status;
}

/* Strikes out the ids that PostgreSQL has. */
static enum usher_status strike_known(struct reconcile *reconcile, bool *known,
                                      struct usher_error *err)
{
    int64_t after_no = 0;
    struct pg_catalog_page page;
    enum usher_status status;
    do {
        struct usher_arena ids = {0};
        status = pg_catalog_next(reconcile->catalog, after_no, &ids, &page, err);
        for (uint32_t i = 0; i < page.count; i++) {
            const char **at = bsearch(&page.entries[i].id, reconcile->found, reconcile->found_count,
                                      sizeof(*reconcile->found), compare_names);
            if (at != NULL)
                known[at - reconcile->found] = true;
            after_no = page.entries[i].no;
        }
        usher_arena_deinit(&ids);
    } while (status == USHER_OK && page.count > 0);
    return status;
}

static enum usher_status find_strangers(struct reconcile *reconcile, struct usher_error *err)
{
    if (reconcile->found_count == 0)
        return USHER_OK;
    bool *known = usher_arena_alloc(&reconcile->kept, reconcile->found_count * sizeof *known);
    enum usher_status status = strike_known(reconcile, known, err);
    for (size_t i = 0; i < reconcile->found_count && status == USHER_OK; i++) {
        if (!known[i]) {
            print_resource_line(reconcile, reconcile->found[i],
                                "in Redis, but not in PostgreSQL: `rebuild-cache` removes it");
            reconcile->differences++;
        }
    }
    return status;
}

/* ---- the command ---- */

static enum usher_status prove(struct reconcile *reconcile, struct usher_error *err)
{
    const struct pg_catalog_differences lines = {.context = reconcile, .line = print_line};
    uint64_t count = 0;
    enum usher_status status = pg_catalog_reconcile(reconcile->catalog, &lines, &count, err);
    reconcile->differences += count;
    if (status == USHER_OK && reconcile->store != NULL)
        status = find_names(reconcile, err);
    if (status == USHER_OK)
        status = look_at_all(reconcile, err);
    if (status == USHER_OK)
        status = settle_doubts(reconcile, err);
    return status == USHER_OK ? find_strangers(reconcile, err) : status;
}

static enum usher_status open_both(struct reconcile *reconcile, struct usher_error *err)
{
    const struct reconcile_settings *settings = reconcile->settings;
    enum usher_status status = pg_catalog_open(settings->postgres, &reconcile->catalog, err);
    if (status == USHER_OK && settings->redis != NULL) {
        status = redis_store_open(settings->redis, settings->redis_prefix, settings->repair,
                                  &reconcile->store, err);
    }
    return status;
}

enum usher_status reconcile_run(const struct reconcile_settings *settings, struct usher_error *err)
{
    struct reconcile reconcile = {.settings = settings};
    enum usher_status status = open_both(&reconcile, err);
    if (status == USHER_OK)
        status = prove(&reconcile, err);
    if (status == USHER_OK) {
        print_verdict(&reconcile);
        if (reconcile.differences > 0) {
            usher_error_set(err, USHER_EXIT_DIFFERENCE, "%" PRIu64 " differences",
                            reconcile.differences);
            status = USHER_REJECT;
        }
    } else {
        status = USHER_FATAL;
    }
    pg_catalog_close(reconcile.catalog);
    redis_store_close(reconcile.store);
    usher_arena_deinit(&reconcile.arena);
    usher_arena_deinit(&reconcile.kept);
    free(reconcile.doubtful);
    free(reconcile.found);
    return status;
}
