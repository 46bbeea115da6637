/*
 * Deletes what is long over, as the owner of the schema: closed resources with all that belongs to
 * them. Knows tables, not who owns a partition: its worker is fenced, and reads again.
 */
#include "worker/postgres/pg_prune.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

/*
 * ==== Archive ====
 *
 * Files of deleted rows: one for each table, in the format of COPY, and one with their checksums,
 * which `sha256sum --check` reads. Knows nothing of what is in them.
 */

enum {
    TABLES_MAX = 10,
    FILE_NAME_SIZE = 64
};

struct archived {
    const char *table;
    FILE *file;
    EVP_MD_CTX *digest;
};

struct pg_archive {
    const char *directory;
    char name[FILE_NAME_SIZE];
    struct archived tables[TABLES_MAX];
    size_t count;
};

/*
 * Begins an archive DIRECTORY/NAME.TABLE; nothing is opened yet. Borrows the directory. Owned:
 * pg_archive_free or pg_archive_abandon.
 */
static struct pg_archive *pg_archive_begin(const char *directory, const char *name)
{
    struct pg_archive *archive = memory_calloc(1, sizeof *archive);
    archive->directory = directory;
    snprintf(archive->name, sizeof archive->name, "%s", name);
    return archive;
}

static void path_of(const struct pg_archive *archive, const char *table, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s.%s", archive->directory, archive->name, table);
}

static enum usher_status refuse(const struct pg_archive *archive, const char *table,
                                struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_CONFIG, "could not write \"%s/%s.%s\": %s", archive->directory,
                    archive->name, table, strerror(errno));
    return USHER_FATAL;
}

/* What it has is of customers: nobody else may read it. NULL: it could not be made, errno says why.
 */
static FILE *create(const char *path)
{
    FILE *file = NULL;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor >= 0 && fchmod(descriptor, S_IRUSR | S_IWUSR) == 0)
        file = fdopen(descriptor, "w");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

static struct archived *table_of(struct pg_archive *archive, const char *table)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < archive->count; i++)
        if (strcmp(archive->tables[i].table, table) == 0)
            return &archive->tables[i];
    assert(archive->count < TABLES_MAX);
    struct archived *added = &archive->tables[archive->count];
    path_of(archive, table, path);
    added->table = table;
    added->file = create(path);
    if (!added->file)
        return NULL;
    added->digest = EVP_MD_CTX_new();
    assert(added->digest && EVP_DigestInit_ex(added->digest, EVP_sha256(), NULL) == 1);
    archive->count++;
    return added;
}

/* Appends to the file of a table (static storage). FATAL (78): it cannot be written. */
static enum usher_status pg_archive_write(struct pg_archive *archive, const char *table,
                                          const char *text, size_t size, struct usher_error *err)
{
    struct archived *file = table_of(archive, table);
    if (!file || fwrite(text, 1, size, file->file) != size)
        return refuse(archive, table, err);
    EVP_DigestUpdate(file->digest, text, size);
    return USHER_OK;
}

static bool to_disk(FILE *file)
{
    return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

/* A line as sha256sum writes it. */
static void write_sum(const struct pg_archive *archive, const struct archived *archived, FILE *sums)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(archived->digest, digest, &size);
    for (unsigned int i = 0; i < size; i++)
        fprintf(sums, "%02x", digest[i]);
    fprintf(sums, "  %s.%s\n", archive->name, archived->table);
}

/* So that the names of the files are on the disk, too. */
static bool directory_to_disk(const char *directory)
{
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool written = descriptor >= 0 && fsync(descriptor) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return written;
}

/*
 * Has all files on the disk, with their checksums in NAME.sha256. FATAL (78): they cannot be
 * written.
 */
static enum usher_status pg_archive_finish(struct pg_archive *archive, struct usher_error *err)
{
    char path[PATH_MAX];
    path_of(archive, "sha256", path);
    FILE *sums = create(path);
    if (!sums)
        return refuse(archive, "sha256", err);
    bool written = true;
    for (size_t i = 0; i < archive->count; i++) {
        written = to_disk(archive->tables[i].file) && written;
        write_sum(archive, &archive->tables[i], sums);
    }
    written = to_disk(sums) && written;
    written = fclose(sums) == 0 && written;
    written = directory_to_disk(archive->directory) && written;
    return written ? USHER_OK : refuse(archive, "sha256", err);
}

/* Frees it and keeps the files; NULL is legal. */
static void pg_archive_free(struct pg_archive *archive)
{
    if (!archive)
        return;
    for (size_t i = 0; i < archive->count; i++) {
        fclose(archive->tables[i].file);
        EVP_MD_CTX_free(archive->tables[i].digest);
    }
    free(archive);
}

/* Removes the files: what is in them was not deleted. NULL is legal. */
static void pg_archive_abandon(struct pg_archive *archive)
{
    char path[PATH_MAX];
    if (!archive)
        return;
    for (size_t i = 0; i < archive->count; i++) {
        path_of(archive, archive->tables[i].table, path);
        unlink(path);
    }
    path_of(archive, "sha256", path);
    unlink(path);
    pg_archive_free(archive);
}

/* ==== Pruning ==== */

enum {
    DELETE_TIMEOUT_MS = 3600 * 1000,
    NAME_SIZE = 64
};

struct pg_prune {
    struct pg_connection connection;
};

/* What is counted. */
enum counted {
    COUNTS_NOTHING = 0,
    COUNTS_DECISIONS,
    COUNTS_BOOKINGS,
    COUNTS_UNITS,
    COUNTS_DEAD_LETTERS,
    COUNTS
};

/* In this order: bookings are found by the decisions that made them, dead letters by theirs. */
static const struct {
    const char *table;
    const char *sql;
    enum counted counts;
} parts[] = {
    {"dead_letter", prune_dead_letters_sql, COUNTS_DEAD_LETTERS},
    {"cart_decision", prune_cart_decisions_sql, COUNTS_NOTHING},
    {"former_owner", prune_former_owners_sql, COUNTS_NOTHING},
    {"allocation", prune_allocations_sql, COUNTS_UNITS},
    {"decision", prune_changes_sql, COUNTS_DECISIONS},
    {"decision", prune_aside_sql, COUNTS_DECISIONS},
    {"booking", prune_bookings_sql, COUNTS_BOOKINGS},
    {"decision", prune_decisions_sql, COUNTS_DECISIONS},
    {"pool", prune_pools_sql, COUNTS_NOTHING},
    {"quarter", prune_quarters_sql, COUNTS_NOTHING},
    {"resource", prune_resource_sql, COUNTS_NOTHING},
};

enum usher_status pg_prune_open(const struct pg_settings *settings, struct pg_prune **prune,
                                struct usher_error *err)
{
    struct pg_settings patient = *settings;
    struct pg_prune *opened = memory_calloc(1, sizeof *opened);
    patient.statement_timeout_ms = patient.query_timeout_ms = DELETE_TIMEOUT_MS;
    enum usher_status status = pg_session_open_schema(&opened->connection, &patient, err);
    if (status != USHER_OK) {
        pg_prune_close(opened);
        return status;
    }
    opened->connection.purpose = "prune";
    *prune = opened;
    return USHER_OK;
}

void pg_prune_close(struct pg_prune *prune)
{
    if (prune) {
        pg_connection_close(&prune->connection);
        free(prune);
    }
}

/* ---- lists ---- */

enum usher_status pg_prune_list(struct pg_prune *prune, int64_t older_than_s,
                                struct usher_arena *arena, struct pg_prunable **resources,
                                uint32_t *count, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int8(&params, older_than_s);
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_list_sql, &params, &result, err);
    if (status != USHER_OK)
        return status;
    *count = (uint32_t)PQntuples(result);
    *resources = usher_arena_alloc(arena, (*count + 1) * sizeof **resources);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        struct pg_prunable *resource = &(*resources)[i];
        *resource = (struct pg_prunable){.no = pg_row_int8(&row, 0)};
        resource->partition = pg_row_int4(&row, 0);
        resource->id = pg_row_text(&row, NULL);
        resource->ended_ms = pg_row_ms(&row, 0);
        resource->decisions = pg_row_int8(&row, 0);
    }
    PQclear(result);
    return USHER_OK;
}

enum usher_status pg_prune_shown(struct pg_prune *prune, struct usher_arena *arena,
                                 struct pg_prunable **resources, uint32_t *count,
                                 struct usher_error *err)
{
    PGresult *result;
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_shown_sql, NULL, &result, err);
    if (status != USHER_OK)
        return status;
    *count = (uint32_t)PQntuples(result);
    *resources = usher_arena_alloc(arena, (*count + 1) * sizeof **resources);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        (*resources)[i] = (struct pg_prunable){.no = pg_row_int8(&row, 0)};
        (*resources)[i].id = pg_row_text(&row, NULL);
        (*resources)[i].epoch = pg_row_int4(&row, 0);
    }
    PQclear(result);
    return USHER_OK;
}

enum usher_status pg_prune_hidden(struct pg_prune *prune, int64_t no, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int8(&params, no);
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_hidden_sql, &params, &result, err);
    PQclear(result);
    return status;
}

/* ---- deleting ---- */

struct part_file {
    struct pg_archive *archive;
    const char *table;
};

static enum usher_status write_line(void *context, const char *text, size_t size,
                                    struct usher_error *err)
{
    const struct part_file *file = context;
    return pg_archive_write(file->archive, file->table, text, size, err);
}

/* What is deleted is what is archived: one statement does both. */
static enum usher_status delete_part(struct pg_prune *prune, size_t part,
                                     struct pg_archive *archive, int64_t *rows,
                                     struct usher_error *err)
{
    struct usher_buffer text = {0};
    PGresult *result = NULL;
    enum usher_status status;
    struct part_file file = {archive, parts[part].table};
    usher_buffer_text(&text, archive ? "copy (delete from\n" : "with deleted as (delete from\n");
    usher_buffer_text(&text, parts[part].sql);
    usher_buffer_text(&text, archive ? "\nreturning *) to stdout"
                                     : "\nreturning *) select count(*) from deleted");
    const char zero = '\0';
    usher_buffer_append(&text, &zero, 1);
    if (archive) {
        status = pg_connection_copy(&prune->connection, text.at, &file, write_line, rows, err);
    } else {
        status = pg_connection_query(&prune->connection, text.at, NULL, &result, err);
        if (status == USHER_OK) {
            struct pg_row row = pg_row_of(result, 0, NULL);
            *rows = pg_row_int8(&row, 0);
        }
    }
    PQclear(result);
    usher_buffer_deinit(&text);
    return status;
}

/* A trigger or a rule of somebody else may have kept some. */
static enum usher_status confirm_part(struct pg_prune *prune, size_t part, struct usher_error *err)
{
    struct usher_buffer text = {0};
    PGresult *result;
    usher_buffer_text(&text, "select usher.expect('what deletes left of usher.");
    usher_buffer_text(&text, parts[part].table);
    usher_buffer_text(&text, "', count(*), 0) from\n");
    usher_buffer_text(&text, parts[part].sql);
    const char zero = '\0';
    usher_buffer_append(&text, &zero, 1);
    enum usher_status status = pg_connection_query(&prune->connection, text.at, NULL, &result, err);
    PQclear(result);
    usher_buffer_deinit(&text);
    return status;
}

static enum usher_status begin(struct pg_prune *prune, int64_t older_than_s,
                               struct pg_prunable *resource, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int8(&params, resource->no);
    pg_params_int8(&params, older_than_s);
    pg_params_text(&params, resource->id);
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_begin_sql, &params, &result, err);
    if (status == USHER_OK && PQntuples(result) == 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "resource \"%s\" cannot be pruned now: it changed, or its answers are not "
                        "known to be published",
                        resource->id);
        status = USHER_REJECT;
    }
    PQclear(result);
    return status;
}

static enum usher_status delete_resource(struct pg_prune *prune, int64_t older_than_s,
                                         struct pg_archive *archive, struct pg_prunable *resource,
                                         struct usher_error *err)
{
    int64_t counts[COUNTS] = {0};
    enum usher_status status = begin(prune, older_than_s, resource, err);
    for (size_t i = 0; status == USHER_OK && i < sizeof parts / sizeof *parts; i++) {
        int64_t rows = 0;
        status = delete_part(prune, i, archive, &rows, err);
        if (status == USHER_OK)
            status = confirm_part(prune, i, err);
        counts[parts[i].counts] += rows;
    }
    resource->decisions = counts[COUNTS_DECISIONS];
    resource->bookings = counts[COUNTS_BOOKINGS];
    resource->units = counts[COUNTS_UNITS];
    resource->dead_letters = counts[COUNTS_DEAD_LETTERS];
    return status;
}

/* Under the lock of the partition's row, which is why it comes last. */
static enum usher_status end(struct pg_prune *prune, const struct pg_prunable *resource,
                             struct usher_error *err)
{
    struct pg_params params = {0}, locked = {0};
    PGresult *result;
    pg_params_int4(&locked, resource->partition);
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_lock_sql, &locked, &result, err);
    PQclear(result);
    if (status != USHER_OK)
        return status;
    pg_params_int8(&params, resource->no);
    pg_params_int4(&params, resource->partition);
    pg_params_text(&params, resource->id);
    pg_params_timestamp(&params, resource->ended_ms, -1);
    pg_params_int8(&params, resource->decisions);
    pg_params_int8(&params, resource->bookings);
    pg_params_int8(&params, resource->dead_letters);
    status = pg_connection_query(&prune->connection, prune_end_sql, &params, &result, err);
    PQclear(result);
    return status == USHER_FENCED ? USHER_REJECT : status; /* US002 */
}

enum usher_status pg_prune_resources(struct pg_prune *prune, int64_t older_than_s,
                                     const char *directory, struct pg_prunable *resources,
                                     uint32_t count, struct usher_error *err)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%" PRId32 "-%" PRId64, resources[0].partition,
             resources[0].no & ((INT64_C(1) << 48) - 1));
    struct pg_archive *archive = directory ? pg_archive_begin(directory, name) : NULL;
    enum usher_status status = pg_connection_script(&prune->connection, "begin", err);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++)
        status = delete_resource(prune, older_than_s, archive, &resources[i], err);
    if (status == USHER_OK && archive)
        status = pg_archive_finish(archive, err);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++)
        status = end(prune, &resources[i], err);
    if (status == USHER_OK) {
        /* Without an answer it may have been committed all the same: then the files are all there
         * is. */
        pg_archive_free(archive);
        return pg_connection_commit(&prune->connection, err);
    }
    pg_archive_abandon(archive);
    if (prune->connection.conn &&
        pg_connection_script(&prune->connection, "rollback", NULL) != USHER_OK)
        pg_connection_close(&prune->connection);
    return status;
}

/* ==== Forgetting a customer ==== */

enum {
    SCAN_TIMEOUT_MS = 3600 * 1000,
    COLLISIONS_MAX = 10,
    PAGE = 10000, /* bookings: all partitions wait for one of these */
};

struct forgetting {
    struct pg_connection connection;
    const char *customer;
    struct usher_arena *arena;
    struct pg_forgotten *forgotten;
    int64_t after;         /* bookings up to this one are done with */
    int64_t listed;        /* the last one of the page, … */
    uint32_t listed_count; /* … and how many */
    uint32_t remembered_count;
    struct pg_array numbers; /* of the page's bookings that are over */
};

/* Runs a statement about the customer, the pseudonym and, if it asks, the bookings; adds its count.
 */
static enum usher_status change(struct forgetting *forgetting, const char *sql,
                                struct pg_array *numbers, int64_t *counted, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_text(&params, forgetting->customer);
    pg_params_text(&params, forgetting->forgotten->pseudonym);
    if (numbers)
        pg_params_array(&params, numbers);
    enum usher_status status =
        pg_connection_query(&forgetting->connection, sql, &params, &result, err);
    if (status != USHER_OK)
        return status;
    struct pg_row row = pg_row_of(result, 0, NULL);
    *counted += pg_row_int8(&row, 0);
    PQclear(result);
    return USHER_OK;
}

static enum usher_status choose_pseudonym(struct forgetting *forgetting, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(
        &forgetting->connection,
        "select 'forgotten-' || left(replace(gen_random_uuid()::text, '-', ''), 16)", NULL, &result,
        err);
    if (status != USHER_OK)
        return status;
    struct pg_row row = pg_row_of(result, 0, forgetting->arena);
    forgetting->forgotten->pseudonym = pg_row_text(&row, NULL);
    PQclear(result);
    return USHER_OK;
}

/* Those of earlier pages stay, but none of a page that was rolled back. */
static void make_room(struct forgetting *forgetting, size_t count)
{
    struct pg_forgotten *forgotten = forgetting->forgotten;
    const struct pg_remembered *old = forgotten->remembered;
    forgetting->remembered_count = forgotten->remembered_count;
    forgotten->remembered = usher_arena_alloc(
        forgetting->arena, (forgotten->remembered_count + count + 1) * sizeof *old);
    if (old)
        memcpy(forgotten->remembered, old, forgotten->remembered_count * sizeof *old);
}

static void sort_out(struct forgetting *forgetting, const PGresult *result)
{
    struct pg_forgotten *forgotten = forgetting->forgotten;
    size_t count = (size_t)PQntuples(result);
    make_room(forgetting, count);
    forgetting->listed_count = (uint32_t)count;
    pg_array_begin(&forgetting->numbers, PG_TYPE_INT8);
    for (size_t i = 0; i < count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, forgetting->arena);
        int64_t no = forgetting->listed = pg_row_int8(&row, 0);
        struct pg_remembered booking = {.resource = pg_row_text(&row, NULL)};
        booking.booking = pg_row_text(&row, NULL);
        booking.state = pg_row_text(&row, NULL);
        if (!pg_row_bool(&row)) {
            forgotten->remembered[forgetting->remembered_count++] = booking;
            continue;
        }
        pg_array_int8(&forgetting->numbers, PG_TYPE_INT8, no);
    }
}

static enum usher_status list(struct forgetting *forgetting, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_text(&params, forgetting->customer);
    pg_params_int8(&params, forgetting->after);
    pg_params_int4(&params, PAGE);
    enum usher_status status =
        pg_connection_query(&forgetting->connection, forget_list_sql, &params, &result, err);
    if (status != USHER_OK)
        return status;
    sort_out(forgetting, result);
    PQclear(result);
    return USHER_OK;
}

/* What is being moved may have been copied as it was. Rows that were left behind stay as they are.
 */
#define STAY                                                    \
    "select usher.stays(partition) from usher.partition_state " \
    "where destination is not null or shard is not distinct from (select name from usher.shard)"

/* Under the locks of all partitions' rows, so that no batch comes between the list and the changes.
 */
static enum usher_status forget_page(struct forgetting *forgetting, struct usher_error *err)
{
    int64_t ignored = 0, answers = 0, bookings = 0;
    const struct {
        const char *sql;
        int64_t *counted;
    } changes[] = {
        {forget_answers_sql, &answers},
        {forget_bookings_sql, &bookings},
        {forget_former_owners_sql, &ignored},
        {forget_fence_sql, &ignored},
    };
    enum usher_status status = pg_connection_script(
        &forgetting->connection,
        "begin; " STAY "; select from usher.partition_state order by partition for update", err);
    if (status == USHER_OK)
        status = list(forgetting, err);
    for (size_t i = 0; status == USHER_OK && i < sizeof changes / sizeof *changes; i++)
        status = change(forgetting, changes[i].sql, &forgetting->numbers, changes[i].counted, err);
    if (status == USHER_OK)
        status = pg_connection_commit(&forgetting->connection, err);
    if (status != USHER_OK)
        return status;
    forgetting->after = forgetting->listed;
    forgetting->forgotten->remembered_count = forgetting->remembered_count;
    forgetting->forgotten->answers += answers;
    forgetting->forgotten->bookings += bookings;
    return USHER_OK;
}

/* Page by page: of a customer who has had millions of them, say who buys at the door. */
static enum usher_status forget_bookings(struct forgetting *forgetting, struct usher_error *err)
{
    enum usher_status status;
    do {
        status = forget_page(forgetting, err);
    } while (status == USHER_OK && forgetting->listed_count == PAGE);
    return status;
}

/* What takes long, and needs no lock of a partition. */
static enum usher_status forget_others(struct forgetting *forgetting, struct usher_error *err)
{
    int64_t others = 0, letters = 0;
    enum usher_status status = pg_connection_script(&forgetting->connection, "begin; " STAY, err);
    if (status == USHER_OK)
        status = change(forgetting, forget_others_sql, NULL, &others, err);
    if (status == USHER_OK)
        status = change(forgetting, forget_letters_sql, NULL, &letters, err);
    if (status == USHER_OK)
        status = pg_connection_commit(&forgetting->connection, err);
    if (status == USHER_OK) {
        forgetting->forgotten->others += others;
        forgetting->forgotten->dead_letters += letters;
    }
    return status;
}

static enum usher_status forget(struct forgetting *forgetting, struct usher_error *err)
{
    enum usher_status status = forget_others(forgetting, err);
    return status == USHER_OK ? forget_bookings(forgetting, err) : status;
}

/*
 * A worker and prune lock rows in another order: of two that wait for each other the server ends
 * one, and while this one waits, workers wait for it. What it had not committed is done again.
 */
static bool has_collided(const struct pg_connection *connection)
{
    return connection->conn && (strcmp(connection->sqlstate, "40P01") == 0 ||
                                strcmp(connection->sqlstate, "55P03") == 0);
}

static enum usher_status forget_beside_others(struct forgetting *forgetting,
                                              struct usher_error *err)
{
    struct pg_connection *connection = &forgetting->connection;
    enum usher_status status = forget(forgetting, err);
    while (status == USHER_RETRY && has_collided(connection)) {
        if (++forgetting->forgotten->collisions >= COLLISIONS_MAX) {
            const struct usher_error last = *err;
            usher_error_set(err, last.exit_code, "%s, %d times: run it again", last.text,
                            COLLISIONS_MAX);
            return status;
        }
        status = pg_connection_script(connection, "rollback", err);
        if (status == USHER_OK)
            status = forget(forgetting, err);
    }
    return status;
}

enum usher_status pg_forget_customer(const struct pg_settings *settings, const char *customer,
                                     struct usher_arena *arena, struct pg_forgotten *forgotten,
                                     struct usher_error *err)
{
    struct forgetting forgetting = {.customer = customer, .arena = arena, .forgotten = forgotten};
    struct pg_settings patient = *settings;
    patient.statement_timeout_ms = patient.query_timeout_ms = SCAN_TIMEOUT_MS;
    *forgotten = (struct pg_forgotten){.pseudonym = forgotten->pseudonym};
    enum usher_status status = pg_session_open_schema(&forgetting.connection, &patient, err);
    forgetting.connection.purpose = "forget a customer";
    if (status == USHER_OK && !forgotten->pseudonym)
        status = choose_pseudonym(&forgetting, err);
    if (status == USHER_OK)
        status = forget_beside_others(&forgetting, err);
    pg_connection_close(&forgetting.connection); /* rolls back what failed */
    pg_array_deinit(&forgetting.numbers);
    return status;
}
