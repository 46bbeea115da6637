/*
 * Batches come of the core (core_rig.h), whose database is what is known to be committed. As in the
 * allocator, the fate of what was begun and not ended is told by the next acquire.
 */
#include "record_calls.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "any_row.h"
#include "core_rig.h"
#include "producer/codec/stored.h"
#include "random_requests.h"
#include "worker/inventory/inventory.h"

enum {
    STEPS = 60,
    IN_FLIGHT = 2,
    REQUESTS = 4,  /* in a batch, at most */
    RESOURCES = 4, /* until there are so many, more are defined */
    KEYS = 8,
    LIMIT = 6, /* of lists that have one, at most */
    BEGINNING_MS = 1766275200,
};

static const char *const resources[] = {"r0", "r1", "r2", "r3"};

static const struct random_world world = {
    .below = dice,
    .resources = resources,
    .resource_count = RESOURCES,
    .customers = 2,
    .prefix = "b",
    .size = 1,
    .malformed = 40,
    .calm = true,
    .weights = {[USHER_OP_HOLD] = 30, [USHER_OP_CLOSE] = 16},
};

struct client {
    struct record_port port;
    struct rig rig;
    struct position position;
    uint32_t in_flight, waiting; /* of those in flight, how many wait for the lock */
    bool owns;                   /* as far as it knows */
    bool is_succeeded;           /* what it does not know */
    bool is_lost;                /* its connection, what it does not know either */
};

static const struct record_side *side;
static FILE *out;
static struct client clients[RECORD_CLIENTS];
static struct fake_database committed; /* as far as it is known */
static bool is_locked;
static struct usher_arena arena; /* of a step */

/* ---- text ---- */

static const char *word(const char *text)
{
    return text ? text : "-";
}

static uint32_t sum_of(const void *bytes, size_t size)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; bytes && i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 16777619u;
    return sum;
}

static uint32_t hash_sum(const uint8_t hash[USHER_HASH_SIZE])
{
    return sum_of(hash, USHER_HASH_SIZE);
}

static void write_row(const char *list, enum pg_row_type type, const void *row)
{
    fprintf(out, "  %s%s\n", list, row_text(&arena, type, row));
}

static void write_booking(const char *list, const struct booking_row *row)
{
    write_row(list, PG_ROW_BOOKING, row);
    fprintf(out, "    from %d\n", row->from);
}

static void write_position(const struct position *at)
{
    fprintf(out, "  epoch %d of %d offset %" PRId64 " seq %" PRId64 " now %" PRId64, at->epoch,
            at->partition_count, at->next_offset, at->next_seq, at->now_ms);
    fprintf(out, " published %" PRId64 " %" PRId64 " fingerprint %" PRId64 " %" PRId64,
            at->published_seq, at->published_offset, at->fingerprint_offset, at->fingerprint);
    fprintf(out, " pool %" PRId64 " holds %" PRId64 " parties %" PRId64 "\n", at->last_pool,
            at->holds, at->parties);
}

static void write_call(int client, const char *call, int64_t detail, enum usher_status status)
{
    fprintf(out, "%c %s %" PRId64 ": %s\n", 'a' + client, call, detail, usher_status_name(status));
}

/* ---- what a load returns ---- */

static void write_loaded(const struct loaded_resource *loaded)
{
    write_row("resource", PG_ROW_RESOURCE, &loaded->row);
    fprintf(out, "  asked %u chart %s %08x\n", loaded->asked, word(loaded->chart.name),
            sum_of(loaded->chart.content, loaded->chart.content_size));
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        write_row("pool", PG_ROW_POOL, &loaded->pools[i]);
    for (uint32_t i = 0; i < loaded->unit_count; i++)
        fprintf(out, "  unit %u %d %d\n", loaded->units[i].pool, loaded->units[i].unit,
                loaded->units[i].state);
    for (uint32_t i = 0; i < loaded->waiting_count; i++)
        write_booking("waits", &loaded->waiting[i]);
}

static int compare_units(const void *left, const void *right)
{
    const struct loaded_unit *a = left, *b = right;
    return a->pool != b->pool ? (a->pool > b->pool) - (a->pool < b->pool)
                              : (a->unit > b->unit) - (a->unit < b->unit);
}

static int compare_bookings(const void *left, const void *right)
{
    const struct booking_row *a = left, *b = right;
    return (a->no > b->no) - (a->no < b->no);
}

static int compare_decisions(const void *left, const void *right)
{
    const struct decision_row *a = left, *b = right;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static void write_bookings(const char *list, const struct booking_row *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        write_booking(list, &rows[i]);
}

/* Several rows of a booking and a pool add up. */
static void write_tallies(const struct load_result *result)
{
    for (uint32_t i = 0, units = 0; i < result->tally_count; i++) {
        const struct load_tally *row = &result->tallies[i], *next = row + 1;
        units += row->units;
        if (i + 1 < result->tally_count && next->booking == row->booking && next->pool == row->pool)
            continue;
        fprintf(out, "  tally %" PRId64 " %s %" PRId64 " held %d %u %u\n", row->resource_no,
                row->customer, row->booking, row->held, row->pool, units);
        units = 0;
    }
}

static void sort(void *rows, uint32_t count, size_t size,
                 int (*compare)(const void *, const void *))
{
    if (count > 0)
        qsort(rows, count, size, compare);
}

/* The order within a list is that of the rows where loads.h promises none. */
static void write_result(struct load_result *result)
{
    for (uint32_t i = 0; i < result->resource_count; i++) {
        struct loaded_resource *loaded = &result->resources[i];
        sort(loaded->units, loaded->unit_count, sizeof *loaded->units, compare_units);
        write_loaded(loaded);
    }
    sort(result->firsts, result->first_count, sizeof *result->firsts, compare_decisions);
    for (uint32_t i = 0; i < result->first_count; i++)
        write_row("first", PG_ROW_DECISION, &result->firsts[i]);
    sort(result->bookings, result->booking_count, sizeof *result->bookings, compare_bookings);
    write_bookings("booking", result->bookings, result->booking_count);
    sort(result->of_carts, result->of_cart_count, sizeof *result->of_carts, compare_bookings);
    write_bookings("of cart", result->of_carts, result->of_cart_count);
    write_bookings("due", result->due, result->due_count);
    write_bookings("owner", result->owners, result->owner_count);
    write_tallies(result);
    for (uint32_t i = 0; i < result->chart_count; i++)
        fprintf(out, "  chart %s\n", result->charts[i].name);
    for (uint32_t i = 0; i < result->unfinished_count; i++)
        fprintf(out, "  unfinished %" PRId64 "\n", result->unfinished[i]);
    fprintf(out, "  served %u %u %u %u %u %u due %d owners %d %08x\n", result->resources_served,
            result->ids_served, result->bookings_served, result->carts_served,
            result->charts_served, result->tallies_served, result->due_remain,
            result->owners_remain, result->owners_remain ? hash_sum(result->owners_end) : 0);
}

/* ---- what it is asked ---- */

static void ask_for_resources(struct load_request *request)
{
    static const char *const ids[] = {"r2", "r0", "nothing", "r3", "r1"};
    int64_t *nos = usher_arena_alloc(&arena, (committed.resource_count + 1) * sizeof *nos);
    for (uint32_t i = 0; i < committed.resource_count; i++)
        nos[i] = committed.resources[i].row.no;
    if (dice(2)) {
        request->resources = ids;
        request->resource_count = dice(6);
    } else {
        request->resource_nos = nos;
        request->resource_no_count = committed.resource_count;
    }
    request->tally_nos = nos;
    request->tally_count = dice(2) ? committed.resource_count : 0;
}

static void ask_for_owners(struct load_request *request)
{
    if (committed.resource_count == 0 || dice(2))
        return;
    request->owners.resource_no = committed.resources[dice(committed.resource_count)].row.no;
    request->owners.after[0] = (uint8_t)(dice(2) ? dice(256) : 0);
    request->owners.limit = 1 + dice(LIMIT);
}

static bool has_key(const struct load_request *request, const uint8_t hash[USHER_HASH_SIZE])
{
    bool has = false;
    for (uint32_t i = 0; !has && i < request->id_count; i++)
        has = memcmp(request->ids[i].id_hash, hash, USHER_HASH_SIZE) == 0;
    return has;
}

/* No key is named twice: who asks never does. */
static void ask_for_ids(struct load_request *request)
{
    struct load_key *keys = usher_arena_alloc(&arena, KEYS * sizeof *keys);
    request->ids = request->bookings = keys;
    for (uint32_t i = dice(KEYS); i > 0 && committed.decision_count > 0; i--) {
        const struct decision_row *row = &committed.decisions[dice(committed.decision_count)];
        if (!row->request_id || !row->resource || has_key(request, row->id_hash))
            continue;
        struct load_key *key = &keys[request->id_count++];
        key->resource = row->resource;
        memcpy(key->id_hash, row->id_hash, sizeof key->id_hash);
    }
    request->booking_count = request->id_count;
}

static void ask_for_names(struct load_request *request)
{
    struct load_cart *cart = usher_arena_alloc(&arena, sizeof *cart);
    const char **charts = usher_arena_alloc(&arena, KEYS * sizeof *charts);
    request->carts = cart;
    request->charts = charts;
    for (uint32_t i = 0; i < committed.booking_count && request->cart_count == 0; i++) {
        const struct booking_row *row = &committed.bookings[dice(committed.booking_count)];
        if (!row->cart || !row->customer)
            continue;
        const char *resource = fake_resource(&committed, row->resource_no)->row.id;
        *cart = (struct load_cart){resource, row->customer, row->cart};
        request->cart_count++;
    }
    for (uint32_t i = 0; i < committed.chart_count && i < KEYS; i++)
        charts[request->chart_count++] = committed.charts[i].name;
}

static void load(int client)
{
    const struct record_port *port = &clients[client].port;
    struct load_request request = {0};
    struct load_result result;
    struct usher_error err;
    ask_for_resources(&request);
    ask_for_ids(&request);
    ask_for_names(&request);
    ask_for_owners(&request);
    request.unfinished_limit = dice(4);
    request.due = dice(2);
    request.due_after_ms = dice(2) ? INT64_MIN : clients[client].rig.now_ms + dice(60000);
    request.due_after_no = INT64_MAX;
    request.due_until_ms = clients[client].rig.now_ms + dice(200000);
    request.due_limit = 1 + dice(LIMIT);
    enum usher_status status = port->load(port->self, &request, &arena, &result, &err);
    write_call(client, "load", request.resource_count, status);
    if (status == USHER_OK)
        write_result(&result);
}

/* ---- pages ---- */

static void read_revs(int client, bool all)
{
    const struct record_port *port = &clients[client].port;
    struct resource_rev revs[LIMIT];
    struct usher_error err;
    uint32_t count = 0, limit = 1 + dice(LIMIT);
    int64_t after = dice(3) ? (int64_t)dice(committed.decision_count + 1) : 0;
    enum usher_status status = all ? port->resources(port->self, after, limit, revs, &count, &err)
                                   : port->changed(port->self, after, limit, revs, &count, &err);
    write_call(client, all ? "resources" : "changed", after, status);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++)
        fprintf(out, "  %" PRId64 " rev %" PRId64 "\n", revs[i].no, revs[i].rev);
}

/* All of them: how many there are in a page is not promised. */
static void read_decisions(int client)
{
    const struct record_port *port = &clients[client].port;
    struct decision_row *rows;
    struct usher_error err;
    uint32_t count = 1;
    int64_t after = dice(committed.decision_count + 1);
    enum usher_status status = USHER_OK;
    write_call(client, "decisions", after, USHER_OK);
    while (status == USHER_OK && count > 0) {
        status = port->decisions(port->self, after, LIMIT, &arena, &rows, &count, &err);
        for (uint32_t i = 0; status == USHER_OK && i < count; i++)
            write_row("decision", PG_ROW_DECISION, &rows[i]);
        after = status == USHER_OK && count > 0 ? rows[count - 1].seq : after;
    }
    fprintf(out, "  %s\n", usher_status_name(status));
}

static void read_letters(int client)
{
    const struct record_port *port = &clients[client].port;
    struct dead_letter_row *rows;
    struct usher_error err;
    uint32_t count = 1;
    int64_t after = dice(committed.decision_count + 1);
    enum usher_status status = USHER_OK;
    write_call(client, "letters", after, USHER_OK);
    while (status == USHER_OK && count > 0) {
        status = port->dead_letters(port->self, after, LIMIT, &arena, &rows, &count, &err);
        for (uint32_t i = 0; status == USHER_OK && i < count; i++)
            write_row("letter", PG_ROW_DEAD_LETTER, &rows[i]);
        after = status == USHER_OK && count > 0 ? rows[count - 1].seq : after;
    }
    fprintf(out, "  %s\n", usher_status_name(status));
}

/* ---- batches ---- */

static struct batch *newest(struct client *client)
{
    assert(client->rig.in_flight > 0);
    return &client->rig.batches[client->rig.in_flight - 1];
}

static const char *some_request(int64_t now_ms)
{
    return committed.resource_count < dice(RESOURCES) ? random_request_of(USHER_OP_DEFINE, now_ms)
                                                      : random_request(now_ms);
}

static void decide_some(struct client *client)
{
    struct rig *rig = &client->rig;
    uint32_t in_flight = rig->in_flight;
    for (uint32_t i = 1 + dice(REQUESTS); i > 0; i--) {
        const struct log_record broken = {.offset = rig->next_offset,
                                          .appended_ms = rig->now_ms,
                                          .key = "r0",
                                          .key_size = 2,
                                          .value = "{",
                                          .value_size = 1};
        if (dice(20) == 0) {
            rig->next_offset++;
            (void)rig_decide_record(rig, &broken, false);
        } else {
            (void)rig_decide(rig, some_request(rig->now_ms));
        }
    }
    rig_seal(rig);
    assert(rig->in_flight == in_flight + 1); /* nothing was sealed before */
}

/* The rest of what the allocator writes into a batch; then the position is behind it. */
static void chain(struct client *client, struct batch *batch)
{
    struct position *at = &client->position;
    batch->expected_next_offset = at->next_offset;
    batch->expected_next_seq = at->next_seq;
    batch->fingerprint_offset = batch->next_offset - 1;
    batch->fingerprint = dice(1000);
    if (dice(2) && at->next_seq > 1) {
        at->published_seq = dice((uint32_t)at->next_seq);
        at->published_offset = at->published_seq + dice(3);
    }
    batch->published_seq = at->published_seq;
    batch->published_offset = at->published_offset;
    batch->holds = batch->parties = COUNT_UNKNOWN;
    at->next_offset = batch->next_offset;
    at->next_seq = batch->next_seq;
}

static void give_up(struct client *client)
{
    client->owns = false;
    client->in_flight = client->waiting = 0;
}

static void begin(int at)
{
    struct client *client = &clients[at];
    struct usher_error err;
    client->rig.now_ms += dice(20000);
    decide_some(client);
    struct batch *batch = newest(client);
    batch->next_offset = client->rig.next_offset;
    chain(client, batch);
    side->begins(at);
    enum usher_status status = client->port.commit_begin(client->port.self, batch, &err);
    write_call(at, "begin", batch->next_seq, status);
    if (status != USHER_OK) {
        give_up(client);
        return;
    }
    client->in_flight++;
    client->waiting += is_locked ? 1 : 0;
    side->begun(at);
}

/* A batch without decisions, which the guard may refuse: who begins it may own nothing. */
static void begin_wrongly(int at)
{
    struct client *client = &clients[at];
    struct position position = client->position;
    struct usher_error err;
    struct batch batch = {.epoch = position.epoch - (dice(3) ? 0 : 1),
                          .now_ms = client->rig.now_ms - 1000,
                          .next_offset = position.next_offset + 1,
                          .next_seq = position.next_seq};
    position.next_offset -= dice(3) ? 0 : 1;
    chain(client, &batch);
    client->position = position;
    batch.expected_next_offset = position.next_offset;
    batch.expected_next_seq -= dice(3) ? 0 : 1;
    batch.next_seq = batch.expected_next_seq;
    side->begins(at);
    enum usher_status status = client->port.commit_begin(client->port.self, &batch, &err);
    write_call(at, "begin without decisions", batch.next_offset, status);
    if (status == USHER_OK) {
        bool done = false;
        side->begun(at);
        while (status == USHER_OK && !done)
            status = client->port.commit_end(client->port.self, 0, &done, &err);
        write_call(at, "end", batch.next_offset, status);
    }
    give_up(client); /* a new owner is told where it stands */
}

static void end(int at)
{
    struct client *client = &clients[at];
    struct usher_error err;
    bool done = false, answers = client->in_flight > client->waiting || client->is_lost;
    enum usher_status status = USHER_OK;
    do
        status = client->port.commit_end(client->port.self, 0, &done, &err);
    while (status == USHER_OK && !done && answers);
    write_call(at, done ? "end, done" : "end", client->in_flight, status);
    if (status != USHER_OK)
        give_up(client);
    if (!done)
        return;
    client->in_flight--;
    if (client->rig.in_flight > 0)
        rig_commit(&client->rig);
}

/* ---- who has the partition ---- */

/* What was begun is committed now, or never will be. */
static void succeed(struct client *client, const struct position *position)
{
    while (client->rig.in_flight > 0 && client->rig.batches[0].next_seq <= position->next_seq)
        rig_commit(&client->rig);
    rig_restart(&client->rig);
    client->is_succeeded = true;
}

static void begin_owning(struct client *client, const struct position *position)
{
    struct rig *rig = &client->rig;
    client->position = *position;
    rig_restart(rig);
    assert(rig->next_seq == position->next_seq);
    rig->rules.epoch = position->epoch;
    rig->next_offset = position->next_offset == OFFSET_NONE ? 0 : position->next_offset;
    rig->now_ms = position->now_ms > rig->now_ms ? position->now_ms : rig->now_ms;
    client->owns = true;
    client->is_succeeded = false;
}

static void acquire(int at)
{
    struct client *client = &clients[at];
    struct position position = {0};
    struct usher_error err;
    int32_t expected = dice(2) ? 0 : client->position.epoch - (dice(3) ? 0 : 1);
    expected = expected < 0 ? 0 : expected;
    enum usher_status status = client->port.acquire(client->port.self, expected, &position, &err);
    write_call(at, "acquire", expected, status);
    client->is_lost = false;
    give_up(client);
    if (status != USHER_OK)
        return;
    write_position(&position);
    side->acquired(at);
    for (int i = 0; i < RECORD_CLIENTS; i++)
        succeed(&clients[i], &position);
    begin_owning(client, &position);
}

static void check_epoch(int at)
{
    struct usher_error err;
    int32_t epoch = clients[at].position.epoch - (dice(3) ? 0 : 1);
    write_call(at, "check", epoch,
               clients[at].port.check_epoch(clients[at].port.self, epoch, &err));
}

static void cut(int at)
{
    fprintf(out, "%c cut\n", 'a' + at);
    side->close(at);
    clients[at].port = side->open(at);
    give_up(&clients[at]);
}

static void terminate(int at)
{
    fprintf(out, "%c terminated\n", 'a' + at);
    side->terminate(at);
    clients[at].is_lost = true;
}

static void lock(void)
{
    is_locked = clients[0].position.epoch + clients[1].position.epoch > 0; /* there is a row */
    if (!is_locked)
        return;
    fprintf(out, "locked\n");
    side->lock(true);
}

static void unlock(void)
{
    fprintf(out, "unlocked\n");
    is_locked = false;
    side->lock(false);
    for (int i = 0; i < RECORD_CLIENTS; i++)
        if (clients[i].rig.in_flight > 0) {
            side->committed(newest(&clients[i]));
            clients[i].waiting = 0;
        }
}

/* ---- an operator ---- */

/* Whether it is known where the partition stands: it is this client's, and nothing is under way. */
static bool is_settled(const struct client *client)
{
    bool settled = client->owns && !client->is_succeeded && !client->is_lost;
    for (int i = 0; i < RECORD_CLIENTS; i++)
        settled = settled && clients[i].rig.in_flight == 0;
    return settled;
}

static bool accept_loss(int64_t next_seq)
{
    int64_t highest_seq = next_seq + dice(3);
    bool changed = side->accept_loss(next_seq, highest_seq);
    if (changed)
        fake_database_lose(&committed, highest_seq);
    return changed;
}

/* All that can be, and no other. */
static bool prune(int64_t published_seq)
{
    uint32_t pruned = 0;
    for (uint32_t i = committed.resource_count; i-- > 0;) {
        int64_t no = committed.resources[i].row.no;
        bool can_be = side->prune(no);
        fprintf(out, "prune %" PRId64 ": %d\n", no, can_be);
        pruned += fake_database_prune(&committed, no, published_seq) && can_be;
    }
    return pruned > 0;
}

/* In the end, when all is published. */
static void prune_at_rest(int at)
{
    struct client *client = &clients[at];
    struct batch batch = {.epoch = client->position.epoch, .now_ms = client->rig.now_ms};
    struct usher_error err;
    bool done = false;
    batch.next_offset = client->rig.next_offset + 1;
    batch.next_seq = client->position.next_seq;
    chain(client, &batch);
    batch.published_seq = batch.published_offset = batch.next_seq - 1;
    side->begins(at);
    enum usher_status status = client->port.commit_begin(client->port.self, &batch, &err);
    side->begun(at);
    while (status == USHER_OK && !done)
        status = client->port.commit_end(client->port.self, 0, &done, &err);
    write_call(at, "all is published", batch.published_seq, status);
    (void)prune(batch.published_seq);
    acquire(at);
}

/* As the operator saw it, or a step before. */
static bool move_on(const struct position *stands)
{
    int64_t seq = stands->next_seq - (dice(4) ? 0 : 1);
    int64_t offset = stands->next_offset - (dice(4) ? 0 : 1);
    switch (dice(6)) {
    case 0:
        return accept_loss(seq);
    case 1:
        return side->skip_requests(offset, stands->next_offset + 1 + dice(5));
    case 2:
        return side->accept_topic(stands->next_offset, stands->next_seq);
    case 3:
        return side->resume();
    default:
        return prune(stands->published_seq);
    }
}

static void operate(int at)
{
    struct client *client = &clients[at];
    struct usher_error err;
    if (dice(2))
        write_call(at, "halt", client->position.epoch,
                   client->port.note_halt(client->port.self, client->position.epoch,
                                          client->position.next_offset, "why", &err));
    bool changed = move_on(&client->position);
    fprintf(out, "an operator: %s\n", changed ? "changed" : "unchanged");
    for (int i = 0; i < RECORD_CLIENTS && changed; i++)
        clients[i].is_succeeded = true;
}

/* ---- a sequence ---- */

/* Behind a lock there are only calls that need not wait for it, and batches. */
static void step_locked(int at)
{
    struct client *client = &clients[at];
    bool may_begin =
        client->owns && !client->is_lost && !client->is_succeeded && client->in_flight < IN_FLIGHT;
    switch (dice(8)) {
    case 0:
    case 1:
        if (may_begin)
            begin(at);
        break;
    case 2:
        load(at);
        break;
    case 3:
        end(at);
        break;
    case 4:
        cut(at);
        break;
    default:
        unlock();
        break;
    }
}

static void read_something(int at)
{
    switch (dice(6)) {
    case 0:
        read_revs(at, true);
        break;
    case 1:
        read_revs(at, false);
        break;
    case 2:
        read_decisions(at);
        break;
    case 3:
        read_letters(at);
        break;
    default:
        load(at);
        break;
    }
}

static void step_unlocked(int at)
{
    struct client *client = &clients[at];
    switch (dice(13)) {
    case 0:
        acquire(at);
        break;
    case 1:
        cut(at);
        break;
    case 2:
        if (client->in_flight == 0 && client->owns && !client->is_lost)
            terminate(at);
        break;
    case 3:
        if (client->position.epoch > 0 && client->in_flight == 0 && !client->is_lost)
            begin_wrongly(at);
        break;
    case 4:
        lock();
        break;
    case 5:
        check_epoch(at);
        break;
    case 6:
    case 7:
        read_something(at);
        break;
    case 8:
        if (is_settled(client))
            operate(at);
        break;
    default:
        if (!client->owns)
            acquire(at);
        else if (client->in_flight == IN_FLIGHT || client->is_lost || dice(3) == 0)
            end(at);
        else if (!client->is_succeeded)
            begin(at);
        break;
    }
}

void record_calls(const struct record_side *of, uint32_t seed, FILE *to)
{
    side = of;
    out = to;
    is_locked = false;
    committed = (struct fake_database){0};
    dice_begin(seed);
    random_begin(&world);
    for (int i = 0; i < RECORD_CLIENTS; i++) {
        clients[i] = (struct client){.port = side->open(i)};
        rig_open(&clients[i].rig, &rig_no_limits);
        clients[i].rig.database = &committed;
        clients[i].rig.now_ms = INT64_C(1000) * BEGINNING_MS;
    }
    fprintf(out, "seed %u\n", seed);
    for (int i = 0; i < STEPS; i++) {
        int at = (int)dice(RECORD_CLIENTS + 1) % RECORD_CLIENTS;
        usher_arena_reset(&arena);
        if (is_locked)
            step_locked(at);
        else
            step_unlocked(at);
    }
    if (is_locked)
        unlock();
    do
        acquire(0);
    while (!clients[0].owns);
    prune_at_rest(0);
    read_decisions(0);
    read_letters(0);
    load(0);
    for (int i = 0; i < RECORD_CLIENTS; i++) {
        side->close(i);
        rig_close(&clients[i].rig);
    }
    fake_database_close(&committed);
    usher_arena_deinit(&arena);
}
