/*
 * Fuzzes what is read from PostgreSQL: the rows of a house with bookings, some columns of which a
 * foreign hand has changed. They are refused, or what is decided from them contradicts nothing.
 *
 * An input is a list of changes: which table, row and column, how many bytes, and those bytes.
 */
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "core_rig.h"
#include "producer/base/allocate.h"
#include "producer/codec/stored.h"
#include "worker/display/display_update.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/seal.h"
#include "worker/postgres/pg_rows.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    CHANGES_MAX = 8,
    VALUE_NULL = 255
};

/* ---- the house ---- */

static struct rig rig;

static const char *const story[] = {
    "{'op':'define','state':'open','sections':[{'section':'stalls','rates':{'adult':5,'child':2},"
    "'rows':[{'row':'A','seats':5},{'row':'B','seats':2,'names':['x','y']}]},{'section':'pit','"
    "price':3,"
    "'capacity':9}],'rooms':[{'room':'double','from':'2030-01-01','to':'2030-01-04','capacity':2,"
    "'price':9}],'products':[{'product':'mug','capacity':7,'price':1}],"
    "'limits':{'units_per_customer':30},'quotas':[{'quota':'q','pools':['pit','mug'],'limit':12}]}",
    "{'op':'hold','customer':'a','cart':'c','items':[{'seats':['A-1','A-2']},{'section':'pit','"
    "quantity':2}]}",
    "{'op':'book','customer':'a','items':[{'room':'double','from':'2030-01-01','to':'2030-01-03','"
    "quantity':1}]}",
    "{'op':'block','items':[{'seats':['x']},{'product':'mug','quantity':2}]}",
    "{'op':'hold','customer':'b','items':[{'section':'pit','quantity':3}],'ttl_s':60}",
    "{'op':'hold','customer':'b','items':[{'product':'mug','quantity':6}],'wait_until':'2030-01-"
    "01T00:00:00Z'}",
    "{'op':'hold','customer':'f','items':[{'seats':['A-5','y']},{'section':'pit','quantity':2}]}",
};

static const char confirm_of_a_part[] =
    "{'op':'confirm','customer':'f','booking':'r6',"
    "'items':[{'section':'stalls','quantity':1},{'section':'pit','quantity':1}]}";

static const char *const orders[] = {
    "{'op':'confirm','customer':'a','cart':'c'}",
    "{'op':'cancel','customer':'a','booking':'r2'}",
    "{'op':'hold','customer':'d','from_block':'r3','items':[{'product':'mug','quantity':1}]}",
    "{'op':'unblock','booking':'r3'}",
    "{'op':'exchange','customer':'a','booking':'r1','from_hold':'r2','items':[{'seats':['A-1']}]}",
    "{'op':'exchange','customer':'b','booking':'r4','items':[{'section':'pit','quantity':1}]}",
    "{'op':'release','customer':'b','booking':'r4'}",
    "{'op':'leave','customer':'b','booking':'r5'}",
    confirm_of_a_part,
    "{'op':'book','customer':'e','items':[{'section':'stalls','quantity':2,'together':true}]}",
    "{'op':'probe'}",
};

/* With an id and a resource, in the arena. */
static const char *request_of(struct usher_arena *arena, char prefix, size_t number,
                              const char *order)
{
    return usher_arena_format(arena, "{'request_id':'%c%zu','resource':'hall',%s", prefix, number,
                              order + 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    rig_open(&rig, &rig_no_limits);
    for (size_t i = 0; i < sizeof story / sizeof *story; i++) {
        const struct usher_answer *answer = rig_ask(&rig, request_of(&rig.arena, 'r', i, story[i]));
        if (answer->outcome == USHER_REFUSED || answer->outcome == USHER_INVALID) {
            fprintf(stderr, "%s: %s %s\n", story[i], usher_reason_name(answer->reason),
                    answer->detail ? answer->detail : "");
            abort();
        }
    }
    return 0;
}

/* ---- changes ---- */

struct change {
    uint8_t table, row, column, size;
    const uint8_t *bytes;
};

struct changes {
    struct change at[CHANGES_MAX];
    uint32_t count;
};

static struct changes read_changes(const uint8_t *data, size_t size)
{
    struct changes changes = {.count = 0};
    while (size >= 4 && changes.count < CHANGES_MAX) {
        struct change change = {data[0], data[1], data[2], data[3], data + 4};
        size_t bytes = change.size == VALUE_NULL ? 0 : change.size;
        bytes = bytes < size - 4 ? bytes : size - 4;
        change.size = change.size == VALUE_NULL ? VALUE_NULL : (uint8_t)bytes;
        changes.at[changes.count++] = change;
        data += 4 + bytes;
        size -= 4 + bytes;
    }
    return changes;
}

/* ---- rows, as PostgreSQL sends them ---- */

/* One row of an array of them has what a result has: its columns, each behind its type and size. */
static void set_row(PGresult *result, int row, const struct usher_buffer *bytes)
{
    const char *at = bytes->at + 20 + 8; /* of the array, and of the row */
    for (int column = 0; column < PQnfields(result); column++) {
        uint32_t wire;
        memcpy(&wire, at + 4, sizeof wire);
        int size = (int)__builtin_bswap32(wire);
        at += 8;
        char *value = memory_alloc((size_t)(size < 0 ? 0 : size) + 1);
        memcpy(value, at, (size_t)(size < 0 ? 0 : size));
        PQsetvalue(result, row, column, size < 0 ? NULL : value, size);
        free(value);
        at += size < 0 ? 0 : size;
    }
}

static bool is_text(enum pg_column_kind kind)
{
    return kind == PG_COLUMN_TEXT || kind == PG_COLUMN_SIZED_TEXT || kind == PG_COLUMN_NAME;
}

static void apply(PGresult *result, const struct pg_row_columns *columns,
                  const struct change *change)
{
    char value[256];
    int row = change->row % PQntuples(result);
    int column = change->column % PQnfields(result);
    if (change->size == VALUE_NULL) {
        PQsetvalue(result, row, column, NULL, -1);
        return;
    }
    memcpy(value, change->bytes, change->size);
    for (uint8_t i = 0; is_text(columns->columns[column].kind) && i < change->size; i++)
        if (value[i] == '\0' || value[i] < 0) /* in the database's encoding */
            value[i] = '?';
    PQsetvalue(result, row, column, value, change->size);
}

/* Sends the rows through a result, with the changes of that table. NULL: they are refused. */
static void *through(enum pg_row_type type, const void *rows, uint32_t *count,
                     const struct changes *changes, struct usher_arena *arena)
{
    PGresAttDesc descriptions[PG_COLUMNS_MAX] = {0};
    const struct pg_row_columns *columns = &pg_row_columns[type];
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    struct pg_row_types types = {0};
    types.counts[type] = columns->count;
    for (uint32_t i = 0; i < columns->count; i++) {
        types.columns[type][i] = &columns->columns[i];
        descriptions[i].name = (char *)(uintptr_t)columns->columns[i].name;
        descriptions[i].format = 1;
    }
    PQsetResultAttrs(result, (int)columns->count, descriptions);
    struct pg_array array = {0};
    for (uint32_t i = 0; i < *count; i++) {
        pg_rows_begin(&array, &types, type);
        pg_rows_add(&array, &types, type, (const char *)rows + i * columns->size, 0);
        pg_array_finish(&array);
        set_row(result, (int)i, &array.bytes);
    }
    pg_array_deinit(&array);
    for (uint32_t i = 0; i<changes->count && * count> 0; i++)
        if (changes->at[i].table % (PG_ROW_TYPE_COUNT + 1) == (uint8_t)type)
            apply(result, columns, &changes->at[i]);
    struct usher_error err;
    void *read = pg_rows_read_all(result, type, arena, count, &err);
    PQclear(result);
    return read;
}

static int compare_units(const void *left, const void *right)
{
    const struct loaded_unit *a = left, *b = right;
    if (a->pool != b->pool)
        return a->pool < b->pool ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static void change_units(struct loaded_resource *resource, const struct changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->at[i];
        if (change->table % (PG_ROW_TYPE_COUNT + 1) != PG_ROW_TYPE_COUNT || change->size < 6 ||
            change->size == VALUE_NULL || resource->unit_count == 0)
            continue;
        struct loaded_unit *unit = &resource->units[change->row % resource->unit_count];
        memcpy(&unit->unit, change->bytes, sizeof unit->unit);
        unit->pool = change->bytes[4];
        unit->state = change->bytes[5] % BOOKING_STATE_COUNT;
    }
    qsort(resource->units, resource->unit_count, sizeof *resource->units, compare_units);
}

/* False: some of it is refused. */
static bool change_all(struct load_result *result, const struct changes *changes,
                       struct usher_arena *arena)
{
    uint32_t one = 1;
    for (uint32_t i = 0; i < result->resource_count; i++) {
        struct loaded_resource *resource = &result->resources[i];
        struct resource_row *row = through(PG_ROW_RESOURCE, &resource->row, &one, changes, arena);
        struct chart_row *chart = through(PG_ROW_CHART, &resource->chart, &one, changes, arena);
        resource->pools =
            through(PG_ROW_POOL, resource->pools, &resource->pool_count, changes, arena);
        resource->waiting =
            through(PG_ROW_BOOKING, resource->waiting, &resource->waiting_count, changes, arena);
        if (!row || !chart || !resource->pools || !resource->waiting || row->rev >= rig.next_seq)
            return false;
        resource->row = *row;
        resource->chart = *chart;
        resource->chart.name = row->chart;
        change_units(resource, changes);
    }
    result->bookings =
        through(PG_ROW_BOOKING, result->bookings, &result->booking_count, changes, arena);
    result->due = through(PG_ROW_BOOKING, result->due, &result->due_count, changes, arena);
    result->firsts = through(PG_ROW_DECISION, result->firsts, &result->first_count, changes, arena);
    return result->bookings && result->due && result->firsts;
}

/* ---- what is decided from it ---- */

static void show(const struct loaded_resource *loaded)
{
    display_update_free(display_whole(loaded, 0, 1, 0));
}

static void decide_all(struct inventory *inventory, struct batch *batch)
{
    const struct batches_in_flight none = {NULL, 0};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char key[] = "hall";
        struct input input;
        struct usher_arena *arena = &batch->arena;
        char *json = usher_arena_format(arena, "%s", request_of(arena, 'o', i, orders[i]));
        for (char *at = json; *at != '\0'; at++)
            *at = *at == '\'' ? '"' : *at;
        const struct log_record record = {.offset = (int64_t)(100 + i),
                                          .appended_ms = batch->now_ms,
                                          .key = key,
                                          .key_size = 4,
                                          .value = json,
                                          .value_size = strlen(json)};
        input_decode(&input, &record, &rig.rules, arena);
        if (background_serve_first(inventory, &rig.rules, &input, 10, batch))
            decide(inventory, &rig.rules, &input, &none, batch);
        batch->record_count++;
    }
    expiry_run(inventory, &rig.rules, batch->now_ms + INT64_C(3600000), 10, batch);
    background_run(inventory, &rig.rules, batch->now_ms, 10, batch);
}

static void decide_from(const struct load_request *request, const struct load_result *result,
                        struct batch *batch)
{
    struct usher_error err = {0};
    struct inventory *inventory = inventory_create(0, &rig_no_limits, rig.database->last_pool);
    inventory_pin_begin(inventory);
    if (inventory_load(inventory, request, result, &err) == USHER_OK) {
        decide_all(inventory, batch);
        if (inventory_fault(inventory, &err) == USHER_OK) {
            for (uint32_t i = 0; i < result->resource_count; i++)
                resource_check(inventory_peek(inventory, result->resources[i].row.no));
            inventory_seal(inventory, batch);
        }
    }
    if (err.exit_code != USHER_EXIT_DONE && err.text[0] == '\0')
        abort();
    inventory_destroy(inventory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const hall[] = {"hall"};
    struct load_key bookings[sizeof story / sizeof *story];
    struct batch batch;
    struct load_result result;
    const struct changes changes = read_changes(data, size);
    batch_init(&batch, RIG_RECORDS, RIG_UNREQUESTED);
    batch.number = 1;
    batch.epoch = rig.rules.epoch;
    batch.now_ms = rig.now_ms;
    batch.expected_next_seq = batch.next_seq = rig.next_seq;
    for (size_t i = 0; i < sizeof story / sizeof *story; i++) {
        char id[8];
        snprintf(id, sizeof id, "r%zu", i);
        bookings[i].resource = "hall";
        request_id_hash(id, bookings[i].id_hash);
    }
    const int64_t no = rig_resource(&rig, "hall")->row.no;
    const struct load_request request = {.resources = hall,
                                         .resource_count = 1,
                                         .bookings = bookings,
                                         .booking_count = sizeof story / sizeof *story,
                                         .ids = bookings,
                                         .id_count = sizeof story / sizeof *story,
                                         .tally_nos = &no,
                                         .tally_count = 1,
                                         .due = true,
                                         .due_after_ms = INT64_MIN,
                                         .due_until_ms = INT64_MAX,
                                         .due_limit = 100};
    fake_database_load(rig.database, &request, &batch.arena, &result);
    if (change_all(&result, &changes, &batch.arena)) {
        show(&result.resources[0]);
        decide_from(&request, &result, &batch);
    }
    batch_deinit(&batch);
    return 0;
}
