/*
 * The four ports of an allocator, each as simple as it can be.
 */
#include "allocator_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "producer/base/clock.h"

static enum usher_status fail_with(struct usher_error *err, const char *text)
{
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "%s", text);
    return USHER_RETRY;
}

/* ---- the log ---- */

static uint32_t take(void *self, struct log_record *records, uint32_t max)
{
    struct ports *ports = self;
    int64_t now_ms = clock_ms();
    for (; ports->stuck; usleep(1000))
        ports->is_stuck = true;
    if (max == 0 || ports->taken == ports->records)
        return 0;
    if (ports->taken < ports->gap)
        ports->taken = ports->gap;
    if (ports->given > 0 && now_ms - ports->taken_ms < ports->least_pause_ms)
        ports->least_pause_ms = now_ms - ports->taken_ms;
    ports->taken_ms = now_ms;
    ports->given++;
    static const char name[] = "\"resource\":\"";
    const char *value = ports->requests ? ports->requests[ports->taken] : "?";
    const char *key = ports->requests ? strstr(value, name) + strlen(name) : NULL;
    *records = (struct log_record){.offset = START_OFFSET + ports->taken++,
                                   .appended_ms = 1,
                                   .key = key,
                                   .key_size = key ? 1 : 0,
                                   .value = value,
                                   .value_size = strlen(value)};
    return 1;
}

static void release(void *self, struct log_record *records, uint32_t count)
{
    struct ports *ports = self;
    (void)records;
    ports->releases++;
    usleep((useconds_t)ports->release_ms * 1000);
    ports->released += (int)count;
}

static int64_t position(void *self)
{
    return START_OFFSET + ((struct ports *)self)->taken;
}

static enum usher_status seek(void *self, int64_t offset, struct usher_error *err)
{
    struct ports *ports = self;
    ports->seeks++;
    if (ports->seek_fails)
        return fail_with(err, "the log cannot be moved");
    ports->taken = (int)(offset - START_OFFSET);
    return USHER_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status check_policy(void *self, struct usher_error *err)
{
    (void)self;
    (void)err;
    return USHER_OK;
}

static enum usher_status first_record(void *self, int64_t from, int64_t until, int64_t *first,
                                      struct usher_error *err)
{
    const struct ports *ports = self;
    (void)err;
    *first = ports->skipped >= from && ports->skipped < until ? ports->skipped : until;
    return USHER_OK;
}

static int descriptor(void *self)
{
    return ((struct ports *)self)->idle;
}

static enum usher_status bounds(void *self, int64_t *start, int64_t *end, struct usher_error *err)
{
    (void)err;
    *start = 0;
    *end = START_OFFSET + ((struct ports *)self)->records;
    return USHER_OK;
}

static bool drained(void *self, int64_t next_offset)
{
    return next_offset == START_OFFSET + ((struct ports *)self)->records;
}

static int64_t hidden_ms(void *self, int64_t enough_ms)
{
    (void)self;
    (void)enough_ms;
    return 0;
}

static int64_t read_up_to(void *self, int64_t next_offset)
{
    int64_t end = ((struct ports *)self)->empty_until;
    return next_offset > end ? next_offset : end;
}

static enum usher_status health(void *self, struct usher_error *err)
{
    (void)self;
    (void)err;
    return USHER_OK;
}

static int64_t lag(void *self, int64_t next_offset, int64_t *open_transaction_ms)
{
    *open_transaction_ms = 0;
    return START_OFFSET + ((struct ports *)self)->records - next_offset;
}

static struct log_gaps gaps(void *self)
{
    (void)self;
    return (struct log_gaps){0};
}

static void acknowledge(void *self, int64_t next_offset)
{
    ((struct ports *)self)->acknowledged = next_offset;
}

/* ---- the record ---- */

static enum usher_status acquire(void *self, int32_t expected_epoch, struct position *position,
                                 struct usher_error *err)
{
    struct ports *ports = self;
    (void)err;
    ports->ended = ports->begun;
    *position = (struct position){
        .partition_count = 1,
        .epoch = expected_epoch + 1,
        .next_offset = ports->next_offset,
        .next_seq = ports->next_seq,
        .published_seq = ports->next_seq - 1 - ports->unpublished,
        .published_offset = OFFSET_NONE,
        .fingerprint_offset = OFFSET_NONE,
        .clock_offset_ms = 1766275200000 - clock_ms(),
    };
    ports->acquired++;
    return USHER_OK;
}

/* It is the only database. */
static bool is_elsewhere(void *self)
{
    (void)self;
    return false;
}

static enum usher_status check_epoch(void *self, int32_t epoch, struct usher_error *err)
{
    if (((const struct ports *)self)->successor == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "partition 0 is in epoch %d, not %d", epoch + 1,
                    epoch);
    return USHER_FENCED;
}

static enum usher_status note_halt(void *self, int32_t epoch, int64_t next_offset,
                                   const char *reason, struct usher_error *err)
{
    struct ports *ports = self;
    enum usher_status status = check_epoch(self, epoch, err);
    if (status != USHER_OK)
        return status;
    ports->halted_epoch = epoch;
    ports->halted_offset = next_offset;
    snprintf(ports->halted, sizeof ports->halted, "%s", reason);
    return USHER_OK;
}

static void load_sold_later(const struct load_request *request, struct usher_arena *arena,
                            struct load_result *result)
{
    static const struct loaded_resource later = {.row = {.no = 1,
                                                         .id = "show",
                                                         .state = USHER_OPEN,
                                                         .opens_ms = INT64_MAX,
                                                         .closes_ms = USHER_ABSENT,
                                                         .unserved = true}};
    result->unfinished = usher_arena_alloc(arena, sizeof *result->unfinished);
    *result->unfinished = later.row.no;
    result->unfinished_count = request->unfinished_limit > 0 ? 1 : 0;
    result->resources = usher_arena_alloc(arena, sizeof later);
    *result->resources = later;
    result->resource_count = result->resources_served = request->resource_no_count;
}

static enum usher_status load(void *self, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    struct ports *ports = self;
    *result = (struct load_result){
        .cursor.claims = ports->load_is_endless,
        .resources_served = request->resource_count + request->resource_no_count,
        .ids_served = request->id_count,
    };
    ports->loads++;
    if (ports->sells_later)
        load_sold_later(request, arena, result);
    return ports->load_fails ? fail_with(err, "the load took too long") : USHER_OK;
}

/* A page comes when the test gives it; there is always another one. */
static enum usher_status load_more(void *self, const struct load_request *request,
                                   struct usher_arena *arena, struct load_result *result,
                                   struct usher_error *err)
{
    struct ports *ports = self;
    int64_t pause_ms = clock_ms() - ports->page_ended_ms;
    int page = ++ports->pages_asked;
    (void)request;
    (void)arena;
    (void)result;
    (void)err;
    if (page > 1 && pause_ms < ports->least_page_pause_ms)
        ports->least_page_pause_ms = pause_ms;
    while (ports->pages_given < page)
        usleep(1000);
    usleep((useconds_t)ports->page_ms * 1000);
    ports->page_ended_ms = clock_ms();
    return USHER_OK;
}

/* The one resource that there is. */
static enum usher_status resources(void *self, int64_t after_no, uint32_t limit,
                                   struct resource_rev *page, uint32_t *count,
                                   struct usher_error *err)
{
    (void)self;
    (void)err;
    *count = after_no < 1 && limit > 0 ? 1 : 0;
    *page = (struct resource_rev){.no = 1, .rev = 1};
    return USHER_OK;
}

static enum usher_status commit_begin(void *self, const struct batch *batch,
                                      struct usher_error *err)
{
    struct ports *ports = self;
    (void)err;
    ports->committing[ports->begun++ % 4] = batch;
    return USHER_OK;
}

static bool has_define(const struct batch *batch)
{
    bool has = false;
    for (uint32_t i = 0; i < batch->decision_count; i++)
        has = has || batch->decisions[i].outcome == USHER_DEFINED;
    return has;
}

static enum usher_status rewind_refused(void *self, struct usher_error *err)
{
    struct ports *ports = self;
    ports->rewinds++;
    if (ports->rewind_fails)
        return fail_with(err, "the connection was lost");
    ports->ended = ports->begun;
    return USHER_OK;
}

static enum usher_status commit_end(void *self, int timeout_ms, bool *done, struct usher_error *err)
{
    struct ports *ports = self;
    (void)timeout_ms;
    *done = false;
    bool waits = ports->waits_from > 0 && ports->commits + 1 >= ports->waits_from;
    if (ports->ended == ports->begun || waits)
        return USHER_OK;
    if (ports->commit_halts) {
        usher_error_set(err, USHER_EXIT_CONFIG, "the resource is damaged");
        return USHER_HALT;
    }
    if (ports->commit_fails)
        return fail_with(err, "the commit took too long");
    if (ports->refuses_defines && has_define(ports->committing[ports->ended % 4])) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "the data was refused");
        return USHER_REJECT;
    }
    if (atomic_exchange(&ports->commit_fenced, false)) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "the partition is in another epoch");
        return USHER_FENCED;
    }
    *done = true;
    const struct batch *batch = ports->committing[ports->ended++ % 4];
    ports->next_seq = batch->next_seq;
    ports->next_offset = batch->next_offset;
    ports->commits++;
    return USHER_OK;
}

/* ---- the outbox and the cache ---- */

static enum usher_status open_outbox(void *self, struct usher_error *err)
{
    (void)self;
    (void)err;
    return USHER_OK;
}

static enum usher_status scan(void *self, const struct position *position, int64_t *last_seq,
                              int64_t *last_offset, int64_t *highest_seq, struct usher_error *err)
{
    (void)self;
    (void)err;
    *last_seq = *highest_seq = position->published_seq;
    *last_offset = OFFSET_NONE;
    return USHER_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status decisions(void *self, int64_t after_seq, uint32_t limit,
                                   struct usher_arena *arena, struct decision_row **rows,
                                   uint32_t *count, struct usher_error *err)
{
    const struct ports *ports = self;
    (void)err;
    *rows = usher_arena_alloc(arena, limit * sizeof **rows);
    *count = 0;
    while (*count < limit && after_seq < ports->next_seq - 1 + ports->successor)
        (*rows)[(*count)++] = (struct decision_row){.seq = ++after_seq};
    return USHER_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status dead_letters(void *self, int64_t after_seq, uint32_t limit,
                                      struct usher_arena *arena, struct dead_letter_row **rows,
                                      uint32_t *count, struct usher_error *err)
{
    (void)self;
    (void)after_seq;
    (void)limit;
    (void)arena;
    (void)rows;
    (void)err;
    *count = 0;
    return USHER_OK;
}

static enum usher_status publish(void *self, const struct decision_row *row,
                                 struct usher_error *err)
{
    (void)err;
    ((struct ports *)self)->published = row->seq;
    return USHER_OK;
}

static enum usher_status dead_letter(void *self, const struct dead_letter_row *row,
                                     struct usher_error *err)
{
    (void)row;
    (void)err;
    ((struct ports *)self)->letters++;
    return USHER_OK;
}

/* Fails once each time it is told to. */
static enum usher_status poll_outbox(void *self, int64_t *published_seq, int64_t *published_offset,
                                     struct usher_error *err)
{
    (void)published_seq;
    (void)published_offset;
    ((struct ports *)self)->turns++;
    if (atomic_exchange(&((struct ports *)self)->outbox_fails, false))
        return fail_with(err, "the producer failed");
    return USHER_OK;
}

static uint32_t pending(void *self)
{
    return (uint32_t)((struct ports *)self)->pending;
}

static bool has_room(void *self)
{
    (void)self;
    return true;
}

static bool put(void *self, struct display_update *update)
{
    (void)self;
    (void)update;
    return false;
}

static void poll_cache(void *self, int32_t partition, int32_t epoch, struct cache_news *news)
{
    bool shows = ((const struct ports *)self)->shows;
    (void)partition;
    (void)epoch;
    *news = (struct cache_news){.session = shows ? 1 : 0, .ready = shows};
}

static void beat(void *self, const struct cache_beat *cache_beat)
{
    (void)self;
    (void)cache_beat;
}

/* ---- one of them ---- */

int allocator_rig_setup(void **state)
{
    static struct allocator_rig rig;
    rig = (struct allocator_rig){.ports = {.next_offset = START_OFFSET,
                                           .next_seq = 1,
                                           .least_pause_ms = INT64_MAX,
                                           .least_page_pause_ms = INT64_MAX,
                                           .idle = eventfd(0, EFD_NONBLOCK)}};
    rig.registry = metrics_open(USHER_VERSION);
    rig.metrics = metrics_of(rig.registry, 0);
    rig.budget = memory_budget_open(INT64_C(1) << 40, 1, rig.registry);
    *state = &rig;
    return 0;
}

struct partition_settings allocator_rig_settings(void)
{
    return (struct partition_settings){
        .batch_limit = 10,
        .batches_in_flight = 1,
        .hold_ttl_s = 60,
        .hold_ttl_max_s = 60,
        .house_hold_ttl_max_s = 60,
        .limits = {.bookings = 100, .resources = 100, .units = 100, .ids = 100, .pools = 100},
        .drain_timeout_ms = 100,
    };
}

struct partition_ports allocator_rig_ports(struct allocator_rig *rig)
{
    struct ports *self = &rig->ports;
    return (struct partition_ports){
        .log = {.self = self,
                .take = take,
                .release = release,
                .position = position,
                .seek = seek,
                .descriptor = descriptor,
                .check_policy = check_policy,
                .bounds = bounds,
                .drained = drained,
                .hidden_ms = hidden_ms,
                .health = health,
                .first_record = first_record,
                .read_up_to = read_up_to,
                .lag = lag,
                .gaps = gaps,
                .acknowledge = acknowledge},
        .record = {.self = self,
                   .acquire = acquire,
                   .is_elsewhere = is_elsewhere,
                   .check_epoch = check_epoch,
                   .note_halt = note_halt,
                   .load = load,
                   .load_more = load_more,
                   .resources = resources,
                   .commit_begin = commit_begin,
                   .commit_end = commit_end,
                   .rewind = rewind_refused,
                   .descriptor = descriptor,
                   .decisions = decisions,
                   .dead_letters = dead_letters},
        .outbox = {.self = self,
                   .open = open_outbox,
                   .scan = scan,
                   .publish = publish,
                   .dead_letter = dead_letter,
                   .poll = poll_outbox,
                   .descriptor = descriptor,
                   .pending = pending,
                   .has_room = has_room},
        .cache = {.self = self, .put = put, .poll = poll_cache, .beat = beat},
        .metrics = rig->metrics,
        .budget = rig->budget,
    };
}

void allocator_rig_start(struct allocator_rig *rig)
{
    const struct partition_settings settings = allocator_rig_settings();
    const struct partition_ports ports = allocator_rig_ports(rig);
    rig->allocator = allocator_start(&settings, &ports);
}

int allocator_rig_teardown(void **state)
{
    struct allocator_rig *rig = *state;
    if (rig->allocator) {
        allocator_stop(rig->allocator, 0);
        assert_true(allocator_join(rig->allocator));
    }
    memory_budget_close(rig->budget);
    metrics_close(rig->registry);
    close(rig->ports.idle);
    return 0;
}

struct partition_view allocator_rig_await(struct allocator_rig *rig, enum partition_stage stage,
                                          int acquired)
{
    struct partition_view view;
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    do {
        usleep(1000);
        allocator_snapshot(rig->allocator, &view);
        assert_true(clock_ms() < until_ms);
    } while (view.stage != stage || rig->ports.acquired < acquired);
    return view;
}
