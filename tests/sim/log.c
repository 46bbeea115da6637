/* Logs, and the request log as its port shows it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kafka.h"
#include "producer/base/allocate.h"
#include "seams.h"
#include "worker/base/fingerprint.h"

struct kafka kafka;

void kafka_begin(int32_t partition_count)
{
    assert(partition_count <= KAFKA_PARTITIONS_MAX);
    kafka = (struct kafka){
        .partition_count = partition_count,
        .clock_ms = INT64_C(1766275200000) + sim_below(1000),
        .replicated = sim_once_in(2),
    };
}

int64_t kafka_ms(void)
{
    int64_t ahead_ms = sim_now_us < kafka.ahead_until_us ? kafka.ahead_ms : 0;
    return sim_now_us / 1000 + kafka.clock_ms + ahead_ms;
}

bool kafka_is_away(void)
{
    return sim_now_us < kafka.away_until_us;
}

static void *copy(const void *from, size_t size)
{
    return from ? memcpy(memory_alloc(size), from, size) : NULL;
}

static const struct kafka_record NEW = {.key = "new", .key_size = 3};

int64_t kafka_append(struct topic_log *log, const struct kafka_record *record)
{
    if (log->end + 1 == log->differs) {
        log->differs = 0;
        (void)kafka_append(log, &NEW);
    }
    struct sim_machine *mine = sim_enter(sim_machines);
    if (log->end == log->limit) {
        log->limit = 2 * log->limit + 64;
        log->records = memory_realloc(log->records, (size_t)log->limit, sizeof *log->records);
    }
    struct kafka_record *appended = &log->records[log->end];
    *appended = *record;
    appended->key = copy(record->key, record->key_size);
    appended->value = copy(record->value, record->value_size);
    appended->appended_ms = kafka_ms();
    log->highest_seq = record->seq > log->highest_seq ? record->seq : log->highest_seq;
    (void)sim_enter(mine);
    return log->end++;
}

/* Nothing behind an open transaction is shown, nor what replicas hold back. */
void kafka_settle(struct topic_log *log)
{
    if (sim_now_us < kafka.held_until_us)
        return;
    while (log->stable < log->end && log->records[log->stable].kind != KAFKA_PENDING)
        log->stable++;
}

void kafka_retain(struct topic_log *log, int64_t until, int64_t before_ms)
{
    while (log->start < until && log->records[log->start].appended_ms < before_ms) {
        log->start++;
        kafka.deleted++;
    }
}

void kafka_recreate(struct topic_log *log, int64_t offset)
{
    uint32_t count = sim_below((uint32_t)log->end + 8);
    log->start = log->end = log->stable = 0;
    for (uint32_t i = 0; i < count; i++)
        (void)kafka_append(log, &NEW);
    log->differs = offset + 1;
    kafka_settle(log);
}

/* ---- the request log ---- */

enum {
    CONTACT_MS = 500,
    CALL_MS = 20,
    SLOW_FETCH_MS = 1000,
};

struct source {
    struct topic_log *log;
    int64_t position;
    int64_t fetched;       /* what lies below can be taken without asking, … */
    int64_t fetch_us;      /* … and more of it from then on */
    int64_t eof;           /* everything below was taken */
    int64_t known_end;     /* of the log, … */
    int64_t contact_us;    /* … as of then */
    int64_t noop, noop_us; /* the last record of no effect, and when it was appended; -1 */
    int descriptor;
};

static bool has_records(const void *self)
{
    const struct source *source = self;
    int64_t next = source->position == OFFSET_NONE ? 0 : source->position;
    bool fetches = !kafka_is_away() && sim_now_us >= source->fetch_us;
    return next < (fetches ? source->log->stable : source->fetched);
}

static void learn_end(struct source *source)
{
    source->known_end = source->log->end;
    if (sim_now_us < kafka.held_until_us) /* the high watermark */
        source->known_end = source->log->stable;
    source->contact_us = sim_now_us;
}

static void fetch(struct source *source)
{
    if (kafka_is_away() || sim_now_us < source->fetch_us)
        return;
    kafka_settle(source->log);
    source->fetched = source->log->stable;
    source->fetch_us = sim_now_us + (sim_once_in(8) ? sim_below(SLOW_FETCH_MS) * SIM_MS : 0);
    learn_end(source);
}

static uint32_t take_some(struct source *source, struct log_record *records, uint32_t max)
{
    uint32_t count = 0;
    uint32_t most = sim_once_in(2) ? max : 1 + sim_below(max);
    if (source->position < source->log->start)
        source->position = source->log->start;
    while (count < most && source->position < source->fetched) {
        const struct kafka_record *from = &source->log->records[source->position];
        if (from->kind == KAFKA_RECORD)
            records[count++] = (struct log_record){
                .offset = source->position,
                .appended_ms = from->appended_ms,
                .key = from->key,
                .key_size = from->key_size,
                .value = from->value,
                .value_size = from->value_size,
            };
        source->position++;
    }
    sim_boundary("take", source->position);
    return count;
}

static uint32_t take(void *self, struct log_record *records, uint32_t max)
{
    struct source *source = self;
    if (sim_once_in(10))
        return 0;
    fetch(source);
    uint32_t count = take_some(source, records, max);
    if (source->position == source->fetched)
        source->eof = source->position;
    return count;
}

static void release(void *self, struct log_record *records, uint32_t count)
{
    (void)self;
    (void)records;
    (void)count;
}

static int64_t position(void *self)
{
    return ((const struct source *)self)->position;
}

static enum usher_status away(struct usher_error *err)
{
    if (err)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "Kafka is away");
    return USHER_RETRY;
}

static enum usher_status call(const char *name, int64_t detail, struct usher_error *err)
{
    sim_boundary(name, detail);
    sim_sleep(sim_below(CALL_MS) * SIM_MS);
    return kafka_is_away() || sim_once_in(kafka.loses) ? away(err) : USHER_OK;
}

static enum usher_status seek(void *self, int64_t offset, struct usher_error *err)
{
    struct source *source = self;
    sim_boundary("seek", offset);
    if (sim_once_in(kafka.loses))
        return away(err);
    source->position = offset;
    source->eof = 0;
    return USHER_OK;
}

static int descriptor(void *self)
{
    return ((const struct source *)self)->descriptor;
}

static enum usher_status check_policy(void *self, struct usher_error *err)
{
    (void)self;
    (void)err;
    return USHER_OK;
}

static enum usher_status bounds(void *self, int64_t *start, int64_t *end, struct usher_error *err)
{
    const struct source *source = self;
    enum usher_status status = call("bounds", 0, err);
    *start = source->log->start;
    *end = source->log->end;
    return status;
}

/* An end other than where the log was taken up to says nothing: it may be that of another log. */
static bool drained(void *self, int64_t next_offset)
{
    struct source *source = self;
    int64_t read = next_offset > source->eof ? next_offset : source->eof;
    if (kafka_is_away() || read != source->known_end)
        return false;
    if (sim_now_us - source->contact_us < CONTACT_MS * SIM_MS)
        return true;
    if (call("end", next_offset, NULL) != USHER_OK)
        return false;
    learn_end(source);
    return read == source->known_end;
}

static int64_t hidden_ms(void *self, int64_t enough_ms)
{
    struct source *source = self;
    if (!kafka.replicated)
        return 0;
    kafka_settle(source->log);
    int64_t ago_ms = (sim_now_us - source->noop_us) / 1000;
    if (source->noop >= 0 && source->eof > source->noop && ago_ms <= enough_ms)
        return ago_ms;
    bool waits = source->noop >= source->eof;
    if (!waits && !kafka_is_away()) {
        source->noop = kafka_append(source->log, &(struct kafka_record){.kind = KAFKA_NOTHING});
        source->noop_us = sim_now_us;
    }
    return -1;
}

static enum usher_status health(void *self, struct usher_error *err)
{
    (void)self;
    (void)err;
    return USHER_OK;
}

static enum usher_status read_fingerprint(void *self, int64_t offset, int64_t *fingerprint,
                                          struct usher_error *err)
{
    const struct source *source = self;
    enum usher_status status = call("fingerprint", offset, err);
    if (status != USHER_OK)
        return status;
    const struct kafka_record *record = &source->log->records[offset];
    assert(offset < source->log->end);
    if (offset < source->log->start || record->kind != KAFKA_RECORD)
        return USHER_REJECT;
    *fingerprint =
        record_fingerprint(record->key, record->key_size, record->value, record->value_size);
    return USHER_OK;
}

static enum usher_status first_record(void *self, int64_t from, int64_t until, int64_t *first,
                                      struct usher_error *err)
{
    const struct source *source = self;
    enum usher_status status = call("first_record", from, err);
    *first = from < source->log->start ? source->log->start : from;
    while (*first < until && source->log->records[*first].kind != KAFKA_RECORD)
        ++*first;
    return status;
}

static int64_t read_up_to(void *self, int64_t next_offset)
{
    const struct source *source = self;
    return next_offset > source->eof ? next_offset : source->eof;
}

static int64_t lag(void *self, int64_t next_offset, int64_t *open_transaction_ms)
{
    const struct source *source = self;
    *open_transaction_ms = 0;
    int64_t from = next_offset < 0 ? 0 : next_offset; /* where nothing was decided yet */
    return source->known_end > from ? source->known_end - from : 0;
}

static struct log_gaps gaps(void *self)
{
    (void)self;
    return (struct log_gaps){0};
}

static void acknowledge(void *self, int64_t next_offset)
{
    (void)self;
    sim_boundary("acknowledge", next_offset);
}

struct log_port kafka_source(int32_t partition, int64_t start_offset)
{
    struct source *source = memory_calloc(1, sizeof *source);
    source->log = &kafka.requests[partition];
    source->position = start_offset;
    source->noop = -1;
    source->known_end = INT64_MAX;
    source->descriptor = seams_descriptor(has_records, source);
    return (struct log_port){
        .self = source,
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
        .read_fingerprint = read_fingerprint,
        .first_record = first_record,
        .read_up_to = read_up_to,
        .lag = lag,
        .gaps = gaps,
        .acknowledge = acknowledge,
    };
}

void kafka_close_source(const struct log_port *port)
{
    struct source *source = port->self;
    close(source->descriptor);
    free(source);
}
