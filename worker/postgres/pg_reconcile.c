/*
 * One statement per rule that must hold, which selects the rows that break it as lines of text
 * for people, all in one snapshot; and resources one by one, each in a snapshot of its own.
 */
#include "worker/postgres/pg_reconcile.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_load.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

/* ==== Checks in SQL ==== */

enum {
    LINES_MAX = 100,                    /* per check */
    SCAN_TIMEOUT_MS = 24 * 3600 * 1000, /* whole tables are scanned, and nothing waits for it */
};

/* ==== Snapshots ==== */

/* Makes sure that there is a session of one of several databases. */
typedef enum usher_status open_one(void *context, uint32_t place, struct pg_connection **connection,
                                   struct usher_error *err);

/*
 * Begins a snapshot in each, which together have each partition exactly once: a move that ends
 * between two of them is waited for. On anything but OK they are to be closed. Statuses of
 * pg_homes_check.
 */
static enum usher_status begin_all(void *context, uint32_t count, open_one *open, const char *begin,
                                   struct usher_error *err)
{
    for (int turn = 0;; turn++) {
        struct usher_arena arena = {0};
        struct pg_homes homes = {0};
        enum usher_status status = USHER_OK;
        int32_t home = 0;
        for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
            struct pg_connection *connection;
            PGresult *result = NULL;
            status = open(context, i, &connection, err);
            if (status == USHER_OK && turn > 0)
                status = pg_connection_script(connection, "rollback", err);
            if (status == USHER_OK)
                status = pg_connection_script(connection, begin, err);
            if (status == USHER_OK)
                status = pg_connection_query(connection, homes_sql, NULL, &result, err);
            if (status == USHER_OK)
                pg_homes_add(&homes, (int32_t)i, PQgetvalue(result, 0, 0), &arena);
            PQclear(result);
        }
        if (status == USHER_OK)
            status = pg_homes_judge(&homes, 0, &home, &arena, err);
        usher_arena_deinit(&arena);
        if (!pg_homes_look_again(home, turn))
            return status;
    }
}

/* Sessions that are not used otherwise. */
struct snapshots {
    const struct pg_settings *settings;
    struct pg_connection *connections;
    uint32_t count;
};

static enum usher_status open_patient(void *context, uint32_t place,
                                      struct pg_connection **connection, struct usher_error *err)
{
    const struct snapshots *snapshots = context;
    struct pg_settings patient = pg_session_one(snapshots->settings, place);
    *connection = &snapshots->connections[place];
    if ((*connection)->conn)
        return USHER_OK;
    patient.statement_timeout_ms = SCAN_TIMEOUT_MS;
    patient.query_timeout_ms = SCAN_TIMEOUT_MS;
    enum usher_status status = pg_session_open_schema(*connection, &patient, err);
    return status == USHER_OK ? pg_connection_script(*connection, reconcile_session_sql, err)
                              : status;
}

static void snapshots_close(struct snapshots *snapshots)
{
    for (uint32_t i = 0; i < snapshots->count; i++)
        pg_connection_close(&snapshots->connections[i]);
    free(snapshots->connections);
    *snapshots = (struct snapshots){0};
}

static enum usher_status snapshots_open(const struct pg_settings *settings,
                                        struct snapshots *snapshots, struct usher_error *err)
{
    snapshots->settings = settings;
    snapshots->count = pg_session_databases(settings);
    snapshots->connections = memory_calloc(snapshots->count, sizeof *snapshots->connections);
    enum usher_status status =
        begin_all(snapshots, snapshots->count, open_patient, reconcile_begin_sql, err);
    if (status != USHER_OK)
        snapshots_close(snapshots);
    return status;
}

/* ==== Checks ==== */

/* Each selects a partition, or null, and a line of text. */
static const char *const checks[] = {
    reconcile_allocation_has_booking_sql,
    reconcile_lines_are_allocations_sql,
    reconcile_pool_counters_sql,
    reconcile_units_by_rate_sql,
    reconcile_totals_sql,
    reconcile_seats_within_capacity_sql,
    reconcile_pools_within_capacity_sql,
    reconcile_bookings_have_decision_sql,
    reconcile_bookings_follow_decisions_sql,
    reconcile_owners_sql,
    reconcile_decisions_name_bookings_sql,
    reconcile_cart_decisions_sql,
    reconcile_sold_sql,
    reconcile_quarters_sql,
    reconcile_waiting_sql,
    reconcile_carts_sql,
    reconcile_cancelling_sql,
    reconcile_seqs_dense_sql,
    reconcile_seqs_end_sql,
    reconcile_open_sql,
    reconcile_dead_letters_sql,
};

/* Likewise, of what is to be known, and no difference. */
static const char *const notes[] = {reconcile_losses_sql, reconcile_pruned_sql};

/* What one statement found. */
typedef void report_line(void *context, const char *text);

static void report(const PGresult *result, void *context, report_line *visit, uint64_t *count)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, NULL);
        row.column = 1;
        *count += i == 0 ? (uint64_t)pg_row_int8(&row, 0) : 0;
        visit(context, PQgetvalue(result, i, 0));
    }
}

static enum usher_status run(struct pg_connection *connection, const char *check, void *context,
                             report_line *visit, uint64_t *count, struct usher_error *err)
{
    struct usher_arena arena = {0};
    const char *sql = usher_arena_format(
        &arena,
        "select line, count(*) over () from (%s) as d (partition, line) where (partition in "
        "(select partition from usher.partition_state where shard is distinct from (select name "
        "from usher.shard))) is not true limit %d",
        check, LINES_MAX);
    PGresult *result;
    enum usher_status status = pg_connection_query(connection, sql, NULL, &result, err);
    if (status == USHER_OK)
        report(result, context, visit, count);
    PQclear(result);
    usher_arena_deinit(&arena);
    return status;
}

/* Of the partitions that live in one of the databases. */
static enum usher_status check_one(struct pg_connection *connection,
                                   const struct pg_differences *differences, uint64_t *count,
                                   struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    uint64_t noted = 0;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == USHER_OK; i++)
        status = run(connection, checks[i], differences->context, differences->line, count, err);
    for (size_t i = 0; i < sizeof notes / sizeof *notes && status == USHER_OK; i++)
        status = run(connection, notes[i], differences->context, differences->note, &noted, err);
    return status;
}

enum usher_status pg_reconcile(const struct pg_settings *settings,
                               const struct pg_differences *differences, uint64_t *count,
                               struct usher_error *err)
{
    struct snapshots snapshots = {0};
    *count = 0;
    enum usher_status status = snapshots_open(settings, &snapshots, err);
    for (uint32_t i = 0; i < snapshots.count && status == USHER_OK; i++)
        status = check_one(&snapshots.connections[i], differences, count, err);
    snapshots_close(&snapshots);
    return status;
}

/* ==== All resources ==== */

enum {
    TURN_MS = 100, /* until a partition on its way is looked for again */
    TURNS_MAX = 100,
};

#define BEGIN "begin isolation level repeatable read read only"

/* One of the databases. */
struct place {
    struct pg_settings settings;
    struct pg_connection connection;
    struct pg_load load;
};

struct pg_catalog {
    struct place *places;
    uint32_t count;
    uint32_t at; /* where the last resource was */
};

/* Connects, if an error has closed the connection. */
static enum usher_status ensure_open(struct place *place, struct usher_error *err)
{
    if (place->connection.conn)
        return USHER_OK;
    enum usher_status status = pg_session_open_schema(&place->connection, &place->settings, err);
    if (status == USHER_OK)
        status = pg_load_open(&place->load, &place->connection, 0, err);
    if (status != USHER_OK)
        pg_connection_close(&place->connection);
    return status;
}

/* Asks one of them; on anything but OK its connection is closed, and the result is NULL. */
static enum usher_status ask(struct place *place, const char *sql, const struct pg_params *params,
                             PGresult **result, struct usher_error *err)
{
    *result = NULL;
    enum usher_status status = ensure_open(place, err);
    if (status == USHER_OK)
        status = pg_connection_query(&place->connection, sql, params, result, err);
    if (status != USHER_OK)
        pg_connection_close(&place->connection);
    return status;
}

enum usher_status pg_catalog_open(const struct pg_settings *settings, struct pg_catalog **catalog,
                                  struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    enum usher_status status = pg_homes_check(settings, 0, err);
    *catalog = memory_calloc(1, sizeof **catalog);
    (*catalog)->count = count;
    (*catalog)->places = memory_calloc(count, sizeof *(*catalog)->places);
    for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
        struct place *place = &(*catalog)->places[i];
        place->settings = pg_session_one(settings, i);
        status = ensure_open(place, err);
    }
    if (status != USHER_OK) {
        pg_catalog_close(*catalog);
        *catalog = NULL;
    }
    return status;
}

void pg_catalog_close(struct pg_catalog *catalog)
{
    for (uint32_t i = 0; catalog && i < catalog->count; i++) {
        pg_connection_close(&catalog->places[i].connection);
        pg_load_deinit(&catalog->places[i].load);
    }
    if (catalog)
        free(catalog->places);
    free(catalog);
}

/* Puts an entry in its place by its number; the last one falls out of a page that is full. */
static void add_entry(struct pg_catalog_page *page, const struct pg_catalog_entry *entry)
{
    uint32_t at = page->count;
    while (at > 0 && page->entries[at - 1].no > entry->no)
        at--;
    if (at == PG_CATALOG_PAGE)
        return;
    page->count += page->count < PG_CATALOG_PAGE;
    memmove(&page->entries[at + 1], &page->entries[at],
            (page->count - 1 - at) * sizeof *page->entries);
    page->entries[at] = *entry;
}

static enum usher_status open_of_catalog(void *context, uint32_t place,
                                         struct pg_connection **connection, struct usher_error *err)
{
    const struct pg_catalog *catalog = context;
    *connection = &catalog->places[place].connection;
    return ensure_open(&catalog->places[place], err);
}

/* Asks all of them, as of snapshots that have each partition once. `read` is given each answer. */
static enum usher_status ask_all(struct pg_catalog *catalog, const char *sql,
                                 const struct pg_params *params, void *context,
                                 void (*read)(void *context, const PGresult *result),
                                 struct usher_error *err)
{
    enum usher_status status = begin_all(catalog, catalog->count, open_of_catalog, BEGIN, err);
    for (uint32_t i = 0; i < catalog->count && status == USHER_OK; i++) {
        PGresult *result = NULL;
        struct pg_connection *connection = &catalog->places[i].connection;
        status = pg_connection_query(connection, sql, params, &result, err);
        if (status == USHER_OK)
            read(context, result);
        PQclear(result);
        if (status == USHER_OK)
            status = pg_connection_script(connection, "commit", err);
    }
    for (uint32_t i = 0; i < catalog->count && status != USHER_OK; i++)
        pg_connection_close(&catalog->places[i].connection);
    return status;
}

struct listed_page {
    struct pg_catalog_page *page;
    struct usher_arena *arena;
};

static void read_page(void *context, const PGresult *result)
{
    const struct listed_page *listed = context;
    for (int i = 0; i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, listed->arena);
        struct pg_catalog_entry entry;

        entry.partition = pg_row_int4(&row, 0);
        entry.no = pg_row_int8(&row, 0);
        entry.id = pg_row_text(&row, NULL);
        add_entry(listed->page, &entry);
    }
}

enum usher_status pg_catalog_next(struct pg_catalog *catalog, int64_t after_no,
                                  struct usher_arena *arena, struct pg_catalog_page *page,
                                  struct usher_error *err)
{
    struct pg_params params = {0};
    struct listed_page listed = {page, arena};
    page->count = 0;
    pg_params_int8(&params, after_no);
    pg_params_int8(&params, PG_CATALOG_PAGE);
    enum usher_status status = ask_all(catalog, catalog_page_sql, &params, &listed, read_page, err);
    if (status != USHER_OK)
        page->count = 0;
    return status;
}

enum usher_status pg_catalog_partitions(struct pg_catalog *catalog, int32_t *partition_count,
                                        struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    *partition_count = 0;
    for (uint32_t i = 0; i < catalog->count && status == USHER_OK; i++) {
        PGresult *result;
        status = ask(&catalog->places[i], catalog_partitions_sql, NULL, &result, err);
        if (status != USHER_OK)
            break;
        struct pg_row row = pg_row_of(result, 0, NULL);
        int32_t count = pg_row_int4(&row, 0);
        *partition_count = count > *partition_count ? count : *partition_count;
        PQclear(result);
    }
    return status;
}

struct listed_ids {
    const char **ids;
    uint32_t count;
    struct usher_arena *arena;
};

static void read_ids(void *context, const PGresult *result)
{
    struct listed_ids *listed = context;
    const uint32_t more = (uint32_t)PQntuples(result);
    const char **all = usher_arena_alloc(listed->arena, (listed->count + more + 1) * sizeof *all);
    if (listed->count > 0)
        memcpy(all, listed->ids, listed->count * sizeof *all);
    for (uint32_t i = 0; i < more; i++) {
        struct pg_row row = pg_row_of(result, (int)i, listed->arena);
        all[listed->count++] = pg_row_text(&row, NULL);
    }
    listed->ids = all;
}

enum usher_status pg_catalog_pruned(struct pg_catalog *catalog, struct usher_arena *arena,
                                    const char ***ids, uint32_t *count, struct usher_error *err)
{
    struct listed_ids listed = {.arena = arena};
    enum usher_status status = ask_all(catalog, catalog_pruned_sql, NULL, &listed, read_ids, err);
    *ids = listed.ids;
    *count = status == USHER_OK ? listed.count : 0;
    return status;
}

/* Needs a transaction: the resource and the epoch must be of one snapshot. */
static enum usher_status load(struct place *place, int64_t no, struct usher_arena *arena,
                              struct pg_catalog_snapshot *snapshot, struct usher_error *err)
{
    const struct load_request request = {.resource_nos = &no, .resource_no_count = 1};
    struct load_result result;
    pg_load_set_partition(&place->load, row_partition(no));
    enum usher_status status = pg_load_whole(&place->load, &request, arena, &result, err);
    if (status == USHER_OK)
        status = pg_load_epoch(&place->load, &snapshot->epoch, &snapshot->now_ms, err);
    if (status == USHER_OK && result.resource_count == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not load resource number %lld: unknown",
                        (long long)no);
        return USHER_REJECT;
    }
    if (status == USHER_OK)
        snapshot->resource = result.resources[0];
    return status;
}

/* In its transaction. */
static enum usher_status lives_here(struct place *place, int32_t partition, bool *lives,
                                    struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int4(&params, partition);
    enum usher_status status =
        pg_connection_query(&place->connection, catalog_home_sql, &params, &result, err);
    *lives = status == USHER_OK && PQntuples(result) > 0;
    PQclear(result);
    return status;
}

/* Whether its partition lives there, and then the resource. */
static enum usher_status load_of(struct place *place, int64_t no, bool *lives,
                                 struct usher_arena *arena, struct pg_catalog_snapshot *snapshot,
                                 struct usher_error *err)
{
    enum usher_status status = ensure_open(place, err);
    if (status == USHER_OK)
        status = pg_connection_script(&place->connection, BEGIN, err);
    if (status == USHER_OK)
        status = lives_here(place, row_partition(no), lives, err);
    if (status == USHER_OK && *lives)
        status = load(place, no, arena, snapshot, err);
    if (status != USHER_OK && status != USHER_REJECT) {
        pg_connection_close(&place->connection);
        return status;
    }
    enum usher_status ended = pg_connection_script(&place->connection, "commit", NULL);
    if (ended != USHER_OK)
        pg_connection_close(&place->connection); /* what was read stays read */
    return status;
}

/* A partition that is on its way lives nowhere, for a moment. */
enum usher_status pg_catalog_load(struct pg_catalog *catalog, int64_t no, struct usher_arena *arena,
                                  struct pg_catalog_snapshot *snapshot, struct usher_error *err)
{
    for (uint32_t turn = 0; turn < TURNS_MAX * catalog->count; turn++) {
        bool lives = false;
        enum usher_status status =
            load_of(&catalog->places[catalog->at], no, &lives, arena, snapshot, err);
        if (status != USHER_OK || lives)
            return status;
        catalog->at = (catalog->at + 1) % catalog->count;
        if (turn % catalog->count == catalog->count - 1)
            nanosleep(&(struct timespec){.tv_nsec = TURN_MS * 1000000L}, NULL);
    }
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "partition %d lives in no database: see `usher-worker partition list`",
                    (int)row_partition(no));
    return USHER_RETRY;
}

enum usher_status pg_catalog_tallies(struct pg_catalog *catalog, int64_t no,
                                     struct usher_arena *arena, struct load_result *result,
                                     struct usher_error *err)
{
    const struct load_request request = {.tally_nos = &no, .tally_count = 1};
    struct place *place = &catalog->places[catalog->at];
    enum usher_status status = ensure_open(place, err);
    if (status == USHER_OK)
        status = pg_load_whole(&place->load, &request, arena, result, err);
    if (status != USHER_OK)
        pg_connection_close(&place->connection);
    return status;
}

/* ==== Decided offsets ==== */

enum {
    PAGE = 20000 /* seqs */
};

struct pg_decided {
    struct snapshots snapshots;
};

enum usher_status pg_decided_open(const struct pg_settings *settings, struct pg_decided **decided,
                                  struct usher_error *err)
{
    *decided = memory_calloc(1, sizeof **decided);
    enum usher_status status = snapshots_open(settings, &(*decided)->snapshots, err);
    if (status != USHER_OK) {
        pg_decided_close(*decided);
        *decided = NULL;
    }
    return status;
}

void pg_decided_close(struct pg_decided *decided)
{
    if (decided)
        snapshots_close(&decided->snapshots);
    free(decided);
}

static struct pg_decided_partition read_partition(const PGresult *result, int i, uint32_t place)
{
    struct pg_row row = pg_row_of(result, i, NULL);
    struct pg_decided_partition partition = {.place = place};
    partition.partition = pg_row_int4(&row, 0);
    partition.topic_epoch = pg_row_int4(&row, 0);
    partition.next_offset = pg_row_int8(&row, 0);
    partition.next_seq = pg_row_int8(&row, 0);
    partition.seq = pg_row_int8(&row, 0);
    partition.from_start = pg_row_bool(&row);
    return partition;
}

static int compare_partitions(const void *left, const void *right)
{
    const struct pg_decided_partition *a = left, *b = right;
    return (a->partition > b->partition) - (a->partition < b->partition);
}

enum usher_status pg_decided_partitions(struct pg_decided *decided, int64_t limit,
                                        struct usher_arena *arena,
                                        struct pg_decided_partition **partitions, uint32_t *count,
                                        struct usher_error *err)
{
    struct pg_params params = {0};
    *partitions = NULL;
    *count = 0;
    pg_params_int8(&params, limit);
    for (uint32_t place = 0; place < decided->snapshots.count; place++) {
        PGresult *result;
        enum usher_status status = pg_connection_query(
            &decided->snapshots.connections[place], decided_partitions_sql, &params, &result, err);
        if (status != USHER_OK)
            return status;
        uint32_t more = (uint32_t)PQntuples(result);
        struct pg_decided_partition *all =
            usher_arena_alloc(arena, (*count + more + 1) * sizeof *all);
        if (*count > 0)
            memcpy(all, *partitions, *count * sizeof *all);
        for (uint32_t i = 0; i < more; i++)
            all[(*count)++] = read_partition(result, (int)i, place);
        *partitions = all;
        PQclear(result);
    }
    if (*count > 0)
        qsort(*partitions, *count, sizeof **partitions, compare_partitions);
    return USHER_OK;
}

static enum usher_status read_ranges(struct pg_decided *decided,
                                     struct pg_decided_partition *partition, PGresult **result,
                                     struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition->partition);
    pg_params_int4(&params, partition->topic_epoch);
    pg_params_int8(&params, partition->seq);
    partition->seq += PAGE;
    pg_params_int8(&params, partition->seq);
    return pg_connection_query(&decided->snapshots.connections[partition->place],
                               decided_ranges_sql, &params, result, err);
}

enum usher_status pg_decided_next(struct pg_decided *decided,
                                  struct pg_decided_partition *partition, struct usher_arena *arena,
                                  struct pg_decided_range **ranges, uint32_t *count,
                                  struct usher_error *err)
{
    *count = 0;
    /* Whoever skipped last was before the decision that is next. */
    while (*count == 0 && partition->seq <= partition->next_seq) {
        PGresult *result;
        enum usher_status status = read_ranges(decided, partition, &result, err);
        if (status != USHER_OK)
            return status;
        *count = (uint32_t)PQntuples(result);
        *ranges = usher_arena_alloc(arena, *count * sizeof **ranges);
        for (uint32_t i = 0; i < *count; i++) {
            struct pg_row row = pg_row_of(result, (int)i, NULL);
            (*ranges)[i].from = pg_row_int8(&row, 0);
            (*ranges)[i].to = pg_row_int8(&row, 0);
        }
        PQclear(result);
    }
    return USHER_OK;
}
