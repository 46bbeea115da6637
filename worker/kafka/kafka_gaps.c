/*
 * Offsets of the request log at which no request was read: see kafka_gaps.h. Each look is made by a
 * handle of its own, so that nothing that was fetched for another one is taken for its own.
 */
#include "worker/kafka/kafka_gaps.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/base/thread.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"
#include "worker/base/array.h"
#include "worker/kafka/kafka_disposal.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/kafka/kafka_record.h"
#include "worker/model/rows.h"

/* ==== A look ==== */

enum {
    ASK_MS = 1000, /* whoever stops a look waits as long */
    POLL_MS = 100,
    NEAR = 2000, /* records that are read rather than passed over by another look */
};

/* Outlives the look: destroying a handle may take long. */
struct look_log {
    struct kafka_log log; /* the handle's opaque */
};

struct looking {
    const struct kafka_look *look;
    struct kafka_looked *looked;
    rd_kafka_t *handle;
    rd_kafka_topic_t *topic;
    rd_kafka_topic_partition_list_t *place;
    uint32_t at;  /* the gap that is not over */
    int64_t next; /* all before it was seen */
    enum usher_status status;
    struct usher_error *err;
    bool has_message; /* in the last operation of the queue */
    bool is_blocked;  /* by what cannot be read, before the gap */
};

/* ---- what is seen ---- */

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_over(const struct looking *looking)
{
    const struct kafka_look *look = looking->look;
    return looking->at == look->count || looking->is_blocked ||
           look->gaps[looking->at].from - looking->next > NEAR;
}

static bool is_stopped(const struct looking *looking)
{
    return looking->look->stop && *looking->look->stop;
}

/* What is before the start cannot be told any more. */
static void begin_at(struct looking *looking, int64_t start)
{
    const struct kafka_look *look = looking->look;
    for (; looking->at < look->count && look->gaps[looking->at].from < start; looking->at++) {
        const struct kafka_gap *gap = &look->gaps[looking->at];
        int64_t to = gap->to < start ? gap->to : start;
        looking->looked->deleted += gap->from == OFFSET_NONE ? 0 : to - gap->from;
        if (gap->to > start)
            break;
    }
    looking->next = start;
    if (looking->at < look->count)
        looking->next = later(start, look->gaps[looking->at].from);
}

/* Nothing is between what was seen and `until`. */
static void pass(struct looking *looking, int64_t until)
{
    const struct kafka_look *look = looking->look;
    for (; looking->at < look->count; looking->at++) {
        const struct kafka_gap *gap = &look->gaps[looking->at];
        int64_t from = later(looking->next, gap->from);
        int64_t to = gap->to < until ? gap->to : until;
        if (from < to) {
            looking->looked->nothing += to - from;
            look->nothing(look->self, from, to);
        }
        if (gap->to > until)
            break;
    }
    looking->next = later(looking->next, until);
}

static void see(struct looking *looking, int64_t offset, int64_t *counter)
{
    const struct kafka_look *look = looking->look;
    if (offset < looking->next)
        return;
    pass(looking, offset);
    if (looking->at < look->count && look->gaps[looking->at].from <= offset)
        ++*counter;
    looking->next = offset + 1;
    if (looking->at < look->count && look->gaps[looking->at].to <= looking->next)
        looking->at++;
}

/* ---- what comes ---- */

/* Another look begins behind what is not in a gap. */
static void fail(struct looking *looking, const rd_kafka_message_t *message)
{
    looking->is_blocked = looking->look->gaps[looking->at].from > looking->next;
    if (looking->is_blocked)
        return;
    looking->status =
        kafka_fail(looking->err, message->err, "could not read offset %" PRId64, looking->next);
    if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) /* deleted just now */
        looking->status = USHER_RETRY;
    else if (looking->status == USHER_HALT)
        looking->status = USHER_REJECT;
}

/* Everything that the log has was seen. */
static void end_at(struct looking *looking, int64_t end)
{
    pass(looking, end);
    if (is_over(looking))
        return;
    looking->status = USHER_REJECT;
    usher_error_set(looking->err, USHER_EXIT_BAD_INPUT, "the log ends at offset %" PRId64, end);
}

static void on_message(rd_kafka_message_t *message, void *self)
{
    struct looking *looking = self;
    looking->has_message = true;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF)
        end_at(looking, message->offset);
    else if (message->err)
        fail(looking, message);
    else
        see(looking, message->offset,
            kafka_is_noop(message) ? &looking->looked->noops : &looking->looked->records);
}

/*
 * One operation that librdkafka keeps to itself: what ends a transaction moves its position behind
 * it, unlike any other.
 */
static void take_silent(struct looking *looking)
{
    rd_kafka_position(looking->handle, looking->place);
    see(looking, looking->place->elems[0].offset - 1, &looking->looked->ends);
}

/* Operations are taken one by one: see configure. */
static void read_on(struct looking *looking, int timeout_ms)
{
    int32_t partition = looking->look->partition;
    int64_t until_ms = clock_ms() + timeout_ms;
    while (looking->status == USHER_OK && !is_over(looking)) {
        looking->has_message = false;
        int taken =
            rd_kafka_consume_callback(looking->topic, partition, POLL_MS, on_message, looking);
        if (taken > 0)
            until_ms = clock_ms() + timeout_ms;
        if (taken > 0 && !looking->has_message)
            take_silent(looking);
        else if (taken <= 0 && (clock_ms() > until_ms || is_stopped(looking)))
            looking->status = kafka_fail(looking->err, RD_KAFKA_RESP_ERR__TIMED_OUT,
                                         "could not read offset %" PRId64, looking->next);
    }
}

/* ---- the handle ---- */

/* Of what is behind the gaps little is fetched. */
static rd_kafka_conf_t *configure(const struct usher_kafka_settings *settings,
                                  struct kafka_log *log, struct usher_error *err)
{
    static const char *const properties[][2] = {
        {"enable.partition.eof", "true"},       {"isolation.level", "read_uncommitted"},
        {"consume.callback.max.messages", "1"}, {"queued.min.messages", "1000"},
        {"queued.max.messages.kbytes", "2048"}, {"fetch.wait.max.ms", "10"},
    };
    rd_kafka_conf_t *conf = kafka_conf_new(settings, KAFKA_READER, log, err);
    enum usher_status status = conf ? USHER_OK : USHER_FATAL;
    for (size_t i = 0; status == USHER_OK && i < sizeof properties / sizeof *properties; i++)
        status = kafka_conf_set(conf, properties[i][0], properties[i][1], err);
    if (conf && status != USHER_OK) {
        rd_kafka_conf_destroy(conf);
        conf = NULL;
    }
    return conf;
}

static enum usher_status ask_start(const struct looking *looking, int timeout_ms, int64_t *start)
{
    const struct kafka_question question = {
        .kafka = looking->handle,
        .topic = rd_kafka_topic_name(looking->topic),
        .partition = looking->look->partition,
        .timeout_ms = ASK_MS,
    };
    int64_t until_ms = clock_ms() + timeout_ms;
    enum usher_status status;
    do {
        *start = RD_KAFKA_OFFSET_BEGINNING;
        status = kafka_ask_offset(&question, start, looking->err);
    } while (status == USHER_RETRY && !is_stopped(looking) && clock_ms() < until_ms);
    return status;
}

static enum usher_status look_with(struct looking *looking, int timeout_ms)
{
    int32_t partition = looking->look->partition;
    int64_t start;
    looking->status = ask_start(looking, timeout_ms, &start);
    if (looking->status != USHER_OK)
        return looking->status;
    begin_at(looking, start);
    if (is_over(looking))
        return USHER_OK;
    if (rd_kafka_consume_start(looking->topic, partition, looking->next) != 0)
        return kafka_fail(looking->err, rd_kafka_last_error(),
                          "could not read \"%s\" partition %" PRId32,
                          rd_kafka_topic_name(looking->topic), partition);
    read_on(looking, timeout_ms);
    rd_kafka_consume_stop(looking->topic, partition);
    return looking->status;
}

enum usher_status kafka_gaps_look(struct kafka_base *base, const struct kafka_look *look,
                                  struct kafka_looked *looked, struct usher_error *err)
{
    const char *topic = kafka_base_topics(base)->requests;
    struct look_log *owner = memory_calloc(1, sizeof *owner);
    struct looking looking = {.look = look, .looked = looked, .err = err};
    *looked = (struct kafka_looked){0};
    owner->log.context = log_context_with(NULL, "kafka=gaps");
    rd_kafka_conf_t *conf = configure(kafka_base_settings(base), &owner->log, err);
    looking.handle = conf ? kafka_handle_new(RD_KAFKA_CONSUMER, conf, err) : NULL;
    if (!looking.handle) {
        free(owner);
        return USHER_FATAL;
    }
    looking.topic = rd_kafka_topic_new(looking.handle, topic, NULL);
    looking.place = rd_kafka_topic_partition_list_new(1);
    assert(looking.topic);
    rd_kafka_topic_partition_list_add(looking.place, topic, look->partition);
    enum usher_status status =
        look_with(&looking, kafka_reader_timeout_ms(kafka_base_reader(base)));
    rd_kafka_topic_partition_list_destroy(looking.place);
    rd_kafka_topic_destroy(looking.topic);
    kafka_disposal_add(kafka_base_disposal(base), looking.handle, owner);
    looked->next = looking.next;
    return status;
}

/* ==== The watch ==== */

enum {
    PENDING_MAX = 4096,
    PAUSE_MS = 200,        /* between two looks … */
    RETRY_PAUSE_MS = 1000, /* … and where Kafka is away */
};

struct pending {
    int32_t partition;
    struct kafka_gap gap;
};

struct kafka_gaps {
    struct kafka_base *base;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    pthread_t thread;
    bool is_running;
    atomic_bool is_stopping;
    struct pending *pending; /* those of one partition in the order of offsets */
    uint32_t count, capacity;
    int64_t smallest;       /* none is smaller */
    struct log_gaps *found; /* by partition */
    int32_t partitions;
    struct log_limit unknown_log;
};

static int64_t size_of(const struct kafka_gap *gap)
{
    return gap->to - later(gap->from, 0);
}

struct kafka_gaps *kafka_gaps_new(struct kafka_base *base, int32_t partitions)
{
    struct kafka_gaps *gaps = memory_calloc(1, sizeof *gaps);
    gaps->base = base;
    gaps->partitions = partitions;
    gaps->found = memory_calloc((size_t)partitions, sizeof *gaps->found);
    pthread_mutex_init(&gaps->lock, NULL);
    thread_condition_init(&gaps->changed);
    return gaps;
}

struct log_gaps kafka_gaps_take(struct kafka_gaps *gaps, int32_t partition)
{
    assert(partition >= 0 && partition < gaps->partitions);
    pthread_mutex_lock(&gaps->lock);
    struct log_gaps found = gaps->found[partition];
    gaps->found[partition] = (struct log_gaps){0};
    pthread_mutex_unlock(&gaps->lock);
    return found;
}

/* ---- those to be looked at: under the lock ---- */

static void drop(struct kafka_gaps *gaps, uint32_t at)
{
    gaps->found[gaps->pending[at].partition].unchecked += size_of(&gaps->pending[at].gap);
    memmove(&gaps->pending[at], &gaps->pending[at + 1],
            (--gaps->count - at) * sizeof *gaps->pending);
}

/* The first of the largest, or of the smallest. */
static uint32_t find(const struct kafka_gaps *gaps, bool largest)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < gaps->count; i++) {
        int64_t more = size_of(&gaps->pending[i].gap) - size_of(&gaps->pending[found].gap);
        if (largest ? more > 0 : more < 0)
            found = i;
    }
    return found;
}

/* Where there are too many, the smallest is dropped; often it is the new one. */
static bool make_room(struct kafka_gaps *gaps, const struct kafka_gap *gap)
{
    if (gaps->count < PENDING_MAX)
        return true;
    if (size_of(gap) > gaps->smallest)
        gaps->smallest = size_of(&gaps->pending[find(gaps, false)].gap);
    if (size_of(gap) <= gaps->smallest)
        return false;
    drop(gaps, find(gaps, false));
    return true;
}

/* ---- the thread ---- */

/* What one look found, and where. */
struct turn {
    struct kafka_gaps *gaps;
    int32_t partition;
    int64_t first, end; /* of all offsets at which nothing is */
    int64_t unchecked;
    struct kafka_gap *at;
    uint32_t count, capacity;
};

static void note_nothing(void *self, int64_t from, int64_t to)
{
    struct turn *turn = self;
    if (turn->first == OFFSET_NONE)
        turn->first = from;
    turn->end = to;
}

/* The largest gap, and those of its partition behind it. */
static void choose(struct turn *turn)
{
    const struct kafka_gaps *gaps = turn->gaps;
    const struct pending *largest = &gaps->pending[find(gaps, true)];
    turn->partition = largest->partition;
    turn->first = OFFSET_NONE;
    turn->count = 0;
    for (uint32_t i = 0; i < gaps->count; i++) {
        const struct pending *pending = &gaps->pending[i];
        if (pending->partition != turn->partition || pending->gap.from < largest->gap.from)
            continue;
        turn->at = array_room(turn->at, turn->count, &turn->capacity, sizeof *turn->at);
        turn->at[turn->count++] = pending->gap;
    }
}

/* All of it that lies before `next`. Some may have been dropped, or added, meanwhile. */
static void forget(struct turn *turn, int64_t next)
{
    struct kafka_gaps *gaps = turn->gaps;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < gaps->count; i++) {
        struct pending pending = gaps->pending[i];
        bool is_of_turn =
            pending.partition == turn->partition && pending.gap.from >= turn->at[0].from;
        if (is_of_turn && pending.gap.from < next)
            pending.gap.from = next;
        if (pending.gap.from < pending.gap.to)
            gaps->pending[kept++] = pending;
    }
    gaps->count = kept;
}

/* The rest of the gap that cannot be looked at is given up; returns its end. */
static int64_t give_up(struct turn *turn, int64_t next, const struct usher_error *why)
{
    struct log_context context = log_context_with(NULL, "partition=%" PRId32, turn->partition);
    uint32_t at = 0;
    while (at + 1 < turn->count && turn->at[at].to <= next)
        at++;
    const struct kafka_gap rest = {later(turn->at[at].from, next), turn->at[at].to};
    log_failure(&turn->gaps->unknown_log, &context, LOG_LEVEL_WARNING,
                "could not look what was at offsets %" PRId64 " to %" PRId64
                " of the topic of requests: %s",
                rest.from, rest.to - 1, why->text);
    turn->unchecked += size_of(&rest);
    return rest.to;
}

static void report(const struct turn *turn, const struct kafka_looked *looked)
{
    struct log_context context = log_context_with(NULL, "partition=%" PRId32, turn->partition);
    log_debug(&context,
              "looked at what was read over before offset %" PRId64 ": %" PRId64
              " ends of transactions, %" PRId64 " records of aborted ones, %" PRId64 " nothing",
              looked->next, looked->ends, looked->records, looked->nothing);
    if (looked->nothing > 0)
        log_error(&context,
                  "the topic \"%s\" has nothing at %" PRId64 " offset%s from %" PRId64
                  " to %" PRId64
                  ", neither records nor ends of transactions: requests were removed "
                  "before they were decided; see `usher-worker reconcile`",
                  kafka_base_topics(turn->gaps->base)->requests, looked->nothing,
                  PLURAL(looked->nothing), turn->first, turn->end - 1);
}

/* Returns for how long to wait. */
static int look_once(struct turn *turn)
{
    struct kafka_gaps *gaps = turn->gaps;
    const struct kafka_look look = {.partition = turn->partition,
                                    .gaps = turn->at,
                                    .count = turn->count,
                                    .nothing = note_nothing,
                                    .self = turn,
                                    .stop = &gaps->is_stopping};
    struct kafka_looked looked;
    struct usher_error err;
    enum usher_status status = kafka_gaps_look(gaps->base, &look, &looked, &err);
    turn->unchecked = looked.deleted;
    if (status != USHER_OK && status != USHER_RETRY)
        looked.next = give_up(turn, looked.next, &err);
    report(turn, &looked);
    pthread_mutex_lock(&gaps->lock);
    gaps->found[turn->partition].unexplained += looked.nothing;
    gaps->found[turn->partition].unchecked += turn->unchecked;
    forget(turn, looked.next);
    pthread_mutex_unlock(&gaps->lock);
    return status == USHER_RETRY ? RETRY_PAUSE_MS : PAUSE_MS;
}

static void *watch(void *argument)
{
    struct kafka_gaps *gaps = argument;
    struct turn turn = {.gaps = gaps};
    pthread_mutex_lock(&gaps->lock);
    while (!gaps->is_stopping) {
        if (gaps->count == 0) {
            pthread_cond_wait(&gaps->changed, &gaps->lock);
            continue;
        }
        choose(&turn);
        pthread_mutex_unlock(&gaps->lock);
        int64_t until_ms = look_once(&turn) + clock_ms();
        pthread_mutex_lock(&gaps->lock);
        while (!gaps->is_stopping && thread_wait(&gaps->changed, &gaps->lock, until_ms))
            ;
    }
    pthread_mutex_unlock(&gaps->lock);
    free(turn.at);
    return NULL;
}

void kafka_gaps_add(struct kafka_gaps *gaps, int32_t partition, const struct kafka_gap *gap)
{
    assert(partition >= 0 && partition < gaps->partitions && gap->from < gap->to);
    pthread_mutex_lock(&gaps->lock);
    if (!gaps->is_running)
        gaps->is_running = pthread_create(&gaps->thread, NULL, watch, gaps) == 0;
    if (gaps->is_running && make_room(gaps, gap)) {
        gaps->pending =
            array_room(gaps->pending, gaps->count, &gaps->capacity, sizeof *gaps->pending);
        gaps->pending[gaps->count++] = (struct pending){partition, *gap};
        if (gaps->count == 1 || size_of(gap) < gaps->smallest)
            gaps->smallest = size_of(gap);
    } else {
        gaps->found[partition].unchecked += size_of(gap);
    }
    pthread_cond_signal(&gaps->changed);
    pthread_mutex_unlock(&gaps->lock);
}

void kafka_gaps_free(struct kafka_gaps *gaps)
{
    if (!gaps)
        return;
    pthread_mutex_lock(&gaps->lock);
    gaps->is_stopping = true;
    pthread_cond_signal(&gaps->changed);
    pthread_mutex_unlock(&gaps->lock);
    if (gaps->is_running)
        pthread_join(gaps->thread, NULL);
    pthread_cond_destroy(&gaps->changed);
    pthread_mutex_destroy(&gaps->lock);
    free(gaps->pending);
    free(gaps->found);
    free(gaps);
}
