/* The plan of a run, what goes wrong in it, and the verdict. */
#include "run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence.h"
#include "kafka.h"
#include "memory.h"
#include "operator.h"
#include "postgres.h"
#include "producer/base/allocate.h"
#include "redis.h"
#include "seams.h"
#include "sim.h"
#include "worker.h"
#include "worker/kafka/kafka_outbox.h"
#include "workload.h"

enum {
    RESTART_MS = 3000,
    FAULT_MS = 5000,
    QUIET_S = 400, /* everything is done by then, once faults have ended */
    OVERDUE_MS = 30000,
    MEMORY_COMPARED = 8,  /* in one seed of so many */
    CUT_OFTEN = 8,        /* requests are */
    LOG_AHEAD_MS = 60000, /* so far the clock of a broker is believed */
    DAY_MS = 86400000,
    OPERATED_REQUESTS = 40,
    RETAINED_MS = 20000, /* records are deleted no sooner … */
    LATER_S = 30,        /* … and an idle partition has passed what is no record by then */
};

struct run_counts run_counts;
struct run_less run_less;

/* What only a person can mend, once all is done. */
enum disaster {
    NO_DISASTER = 0,
    RESTORED, /* PostgreSQL is as it was before */
    RECREATED /* the topic of the requests is another one */
};

static struct plan {
    uint64_t seed, crash_at;
    int workers;
    uint32_t turns; /* of the scheduler */
    bool faulty;
    bool judged;  /* by the oracle, which knows nothing that is lost */
    bool calm;    /* nothing fails: workers leave in order, and partitions move */
    bool goes_on; /* once all is done: retention, other workers, further requests */
    enum disaster disaster;
    bool from_before;                      /* it may be as it was before the first decision */
    bool operated;                         /* a person mends it */
    bool pruning;                          /* a person is at it */
    bool stalls;                           /* a call or a worker may stand still for long */
    bool must_halt[KAFKA_PARTITIONS_MAX];  /* for they have lost something by it, … */
    int64_t answers[KAFKA_PARTITIONS_MAX]; /* … after so many answers */
    int64_t quiet_us;                      /* since when there are no faults; 0: there are */
    int64_t rest_us;                       /* when there was nothing left to do */
    int64_t later_us;                      /* when it goes on; 0: it is not that far */
    int64_t stands_at;                     /* the sum of all positions by then */
} plan;

__attribute__((format(printf, 1, 2), noreturn)) static void violated(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fprintf(stderr, "seed %" PRIu64 " crash_at %" PRIu64 ": ", plan.seed, plan.crash_at);
    (void)vfprintf(stderr, format, arguments);
    (void)fprintf(stderr, "\n");
    va_end(arguments);
    abort();
}

/* ---- what goes wrong ---- */

static void *keep_workers(void *argument)
{
    (void)argument;
    for (;;) {
        sim_sleep(1 + sim_below(RESTART_MS) * SIM_MS);
        for (int i = 1; i <= plan.workers; i++)
            if (sim_machines[i].alive)
                worker_count_states(&sim_machines[i]);
            else
                worker_start(&sim_machines[i]);
    }
    return NULL;
}

static uint32_t others = 1;    /* 0: none of these */
static uint32_t operators = 1; /* 0: nobody comes */

static void leave(void)
{
    if (sim_once_in(2))
        kafka_rebalance();
    else
        worker_stop(&sim_machines[1 + sim_below((uint32_t)plan.workers)]);
}

/*
 * What is decided or no record, and old enough; of answers all that are old. Of a new topic nothing
 * is known to be decided until it is accepted.
 */
static void retain(bool all)
{
    int64_t before_ms = kafka_ms() - RETAINED_MS;
    for (int32_t i = 0; i < kafka.partition_count; i++) {
        struct topic_log *requests = &kafka.requests[i];
        bool is_new = plan.disaster == RECREATED && operator_at_work.waits[i];
        int64_t decided = is_new ? 0 : postgres.partitions[i].row.next_offset;
        kafka_retain(requests, all ? requests->end : decided, before_ms);
        if (plan.disaster == NO_DISASTER) /* or what is lost cannot be told from them */
            kafka_retain(&kafka.results[i], kafka.results[i].end, before_ms);
    }
}

/* A backup of now is what PostgreSQL will be restored from. */
static void save_some(void)
{
    for (int32_t i = 0; plan.disaster == RESTORED && !plan.from_before && i < kafka.partition_count;
         i++)
        if (sim_once_in(3))
            postgres_save(i);
}

/* The oracle takes it that time does not. */
static void set_clock(void)
{
    if (plan.judged)
        return;
    postgres_set_clock();
    for (int32_t i = 0; operators > 0 && sim_once_in(2) && i < kafka.partition_count; i++)
        (void)postgres_reset_clock(i);
}

static void fault(void)
{
    if (others == 0)
        return;
    int64_t until_us = sim_now_us + sim_below(sim_once_in(4) ? 40 * SIM_S : 3 * SIM_S);
    run_counts.outages++;
    save_some();
    switch (sim_below(13)) {
    case 0:
        postgres.away_until_us = until_us;
        break;
    case 1:
        kafka.away_until_us = until_us;
        break;
    case 2:
        if (kafka.replicated)
            kafka.held_until_us = until_us;
        break;
    case 3:
    case 4:
        leave();
        break;
    case 5:
        kafka_expire_member();
        break;
    case 6:
        retain(false);
        break;
    case 7:
        redis.away_until_us = until_us;
        break;
    case 8:
        redis_save();
        break;
    case 9:
        redis_lose();
        break;
    case 10:
        kafka.jumps++;
        kafka.ahead_ms = sim_below(sim_once_in(2) ? 2 * LOG_AHEAD_MS : DAY_MS);
        kafka.ahead_until_us = sim_now_us + sim_below(SIM_S);
        break;
    case 11:
        if (operators > 0)
            redis_rebuild();
        break;
    case 12:
        set_clock();
        break;
    default:
        abort();
    }
}

static void *go_wrong(void *argument)
{
    (void)argument;
    for (;;) {
        sim_sleep(1 + sim_below(FAULT_MS) * SIM_MS);
        if (workload.sent >= workload.requests)
            break;
        if (plan.calm)
            leave();
        else
            fault();
    }
    sim_faults = (struct sim_faults){0};
    return NULL;
}

static void prune(int32_t partition)
{
    const struct fake_database *tables = &postgres.partitions[partition].tables;
    for (uint32_t i = 0; i < tables->resource_count; i++) {
        const struct resource_row row = tables->resources[i].row;
        int32_t epoch;
        if (postgres_prune(partition, row.no, &epoch))
            redis_forget(partition, row.id, epoch);
    }
}

/* All that can be, as soon as it is over. */
static void *keep_pruning(void *argument)
{
    (void)argument;
    for (;;) {
        plan.pruning = false;
        sim_sleep(1 + sim_below(FAULT_MS) * SIM_MS);
        plan.pruning = true;
        for (int32_t i = 0; operators > 0 && i < kafka.partition_count; i++)
            prune(i);
    }
    return NULL;
}

static void set_faults_of_workers(void)
{
    sim_faults.crash = sim_once_in(2) ? 50 + sim_below(1000) : 0;
    sim_faults.pause = sim_once_in(2) ? 30 + sim_below(500) : 0;
    sim_faults.busy = sim_once_in(2) ? 10 + sim_below(1000) : 0;
}

static void set_faults(void)
{
    if (!plan.faulty)
        return;
    (void)sim_spawn(sim_machines, go_wrong, NULL);
    if (plan.calm)
        return;
    if (workload.closes)
        (void)sim_spawn(sim_machines, keep_pruning, NULL);
    set_faults_of_workers();
    postgres.slow = sim_once_in(2) ? 20 + sim_below(500) : 0;
    postgres.loses = sim_once_in(2) ? 10 + sim_below(200) : 0;
    kafka.loses = sim_once_in(2) ? 10 + sim_below(200) : 0;
    postgres.refuses = sim_once_in(4) ? 5 + sim_below(50) : 0;
    postgres.cancels = sim_once_in(4) ? 3 + sim_below(50) : 0;
    postgres.load_max = sim_once_in(8) ? 1 + sim_below(8) : 0;
    redis.slow = sim_once_in(2) ? 20 + sim_below(500) : 0;
    redis.loses = sim_once_in(2) ? 10 + sim_below(200) : 0;
}

/* What happens one time in so many; the last: whatever else goes wrong. */
static const struct {
    const char *name;
    uint32_t *once_in;
} faults[] = {
    {"crash", &sim_faults.crash},  {"pause", &sim_faults.pause},  {"busy", &sim_faults.busy},
    {"slow", &postgres.slow},      {"postgres", &postgres.loses}, {"refuse", &postgres.refuses},
    {"cancel", &postgres.cancels}, {"load", &postgres.load_max},  {"kafka", &kafka.loses},
    {"lagging", &redis.slow},      {"redis", &redis.loses},       {"others", &others},
    {"operators", &operators},
};

const char *run_fault(uint32_t i)
{
    return i < sizeof faults / sizeof *faults ? faults[i].name : NULL;
}

static void leave_faults_out(void)
{
    for (uint32_t i = 0; run_fault(i); i++)
        if (run_less.without >> i & 1)
            *faults[i].once_in = 0;
    plan.stalls |= sim_faults.pause > 0 || postgres.slow > 0;
}

static void end_faults(void)
{
    sim_faults = (struct sim_faults){0};
    postgres.slow = postgres.loses = kafka.loses = redis.slow = redis.loses = 0;
    for (int i = 1; i <= plan.workers; i++)
        sim_machines[i].paused_until_us = 0;
    plan.quiet_us = sim_now_us;
}

/* ---- the verdict ---- */

/* What a consumer has that accepts the next seq and nothing else. */
static int64_t consumed(int32_t partition, bool check)
{
    int64_t seq = 0;
    const struct topic_log *log = &kafka.results[partition];
    const struct fake_database *tables = &postgres.partitions[partition].tables;
    for (int64_t i = 0; i < log->end; i++) {
        const struct kafka_record *record = &log->records[i];
        if (record->kind != KAFKA_RECORD || record->seq != seq + 1)
            continue;
        seq++;
        if (!check)
            continue;
        if (seq > tables->decision_count)
            violated("partition %" PRId32 ": seq %" PRId64 " is published, not decided", partition,
                     seq);
        struct usher_buffer value = {0};
        const struct decision_row *row = &tables->decisions[seq - 1];
        if (!row->body) /* it was lost */
            continue;
        if (kafka_answer_value(row, partition, &value, NULL) != USHER_OK ||
            value.size != record->value_size || memcmp(value.at, record->value, value.size) != 0)
            violated("partition %" PRId32 ": seq %" PRId64 " is published otherwise than decided",
                     partition, seq);
        usher_buffer_deinit(&value);
    }
    return seq;
}

static bool is_overdue(const struct booking_row *row, int64_t now_ms)
{
    bool ends = row->state == BOOKING_HELD || row->state == BOOKING_WAITING ||
                row->state == BOOKING_BLOCKED;
    return ends && row->expires_ms != USHER_ABSENT && row->expires_ms < now_ms;
}

static bool is_published(int32_t partition, const struct dead_letter_row *letter)
{
    const struct topic_log *log = &kafka.letters[partition];
    int64_t at = 0;
    while (at < log->end && log->records[at].seq != letter->seq)
        at++;
    return at < log->end;
}

/* What is left to do in a partition; NULL: nothing. */
static const char *left_to_do(int32_t partition)
{
    const struct postgres_partition *stored = &postgres.partitions[partition];
    const struct topic_log *requests = &kafka.requests[partition];
    int64_t end = requests->end;
    if (plan.must_halt[partition] && !plan.operated)
        return stored->halted ? NULL : "it does not halt";
    if (plan.must_halt[partition] && operator_at_work.waits[partition])
        return "nobody has mended it";
    if (plan.must_halt[partition] && !operator_at_work.has_rebuilt)
        return "nobody has rebuilt Redis";
    if (plan.pruning)
        return "a resource is being pruned";
    while (end > 0 && requests->records[end - 1].kind != KAFKA_RECORD)
        end--;
    if (end > 0 && stored->row.next_offset < end)
        return "requests are not decided";
    if (consumed(partition, false) != stored->row.next_seq - 1)
        return "answers are not published";
    for (uint32_t i = 0; i < stored->letter_count; i++)
        if (!is_published(partition, &stored->letters[i]))
            return "dead letters are not published";
    /* The partition's own time may be ahead, when the database's was. */
    int64_t now_ms = sim_now_us / 1000 + postgres.clock_ms - OVERDUE_MS;
    for (uint32_t i = 0; i < stored->tables.booking_count; i++)
        if (is_overdue(&stored->tables.bookings[i], now_ms))
            return "what is due has not ended";
    for (uint32_t i = 0; i < stored->tables.resource_count; i++)
        if (stored->tables.resources[i].row.cancelling)
            return "the bookings of a closed resource are not cancelled";
    if (stored->row.next_seq > 1 && redis_position(partition) != stored->row.next_seq - 1)
        return "Redis does not follow";
    return NULL;
}

static void crash_all(void)
{
    for (int i = 1; i <= plan.workers; i++)
        if (sim_machines[i].alive)
            sim_crash(&sim_machines[i]);
}

static void lose(int32_t partition)
{
    const struct position *now = &postgres.partitions[partition].row;
    const struct position *saved = &postgres.saved[partition].row;
    bool restored =
        plan.disaster == RESTORED && saved->partition_count > 0 && saved->next_seq < now->next_seq;
    bool recreated = plan.disaster == RECREATED && now->fingerprint_offset != OFFSET_NONE;
    plan.must_halt[partition] = restored || recreated;
    plan.answers[partition] = kafka.results[partition].end;
    if (restored)
        postgres_restore(partition);
    if (recreated)
        kafka_recreate(&kafka.requests[partition], now->fingerprint_offset);
    if (restored && plan.operated && sim_once_in(2)) /* as by DeleteRecords */
        kafka_retain(&kafka.requests[partition],
                     sim_below((uint32_t)kafka.requests[partition].end + 1), INT64_MAX);
    if (plan.must_halt[partition])
        workload_disturb(partition);
    run_counts.disasters += plan.must_halt[partition];
}

/* Workers fail again while a person is at work. */
static void send_for_operator(void)
{
    operator_begin(plan.must_halt);
    workload.requests += sim_below(OPERATED_REQUESTS);
    set_faults_of_workers();
    leave_faults_out();
    (void)sim_spawn(sim_machines, go_wrong, NULL);
    plan.quiet_us = 0;
}

/*
 * All that was sent is deleted by then, or something is lost; others own the partitions, and there
 * is more to decide.
 */
static void go_on(void)
{
    plan.goes_on = false;
    plan.operated = plan.operated && operators > 0;
    if (plan.disaster != RESTORED || sim_once_in(2))
        crash_all();
    if (plan.disaster == NO_DISASTER)
        retain(true);
    for (int32_t i = 0; i < kafka.partition_count; i++)
        lose(i);
    workload.requests += 1 + sim_below(8);
    plan.quiet_us = sim_now_us;
    if (plan.operated)
        send_for_operator();
}

static bool all_active(void)
{
    int count = kafka_is_away() || sim_now_us < kafka.held_until_us ? -1 : 0;
    for (int i = 1; i <= plan.workers; i++)
        count += worker_count(&sim_machines[i], STAGE_ACTIVE);
    return count == kafka.partition_count;
}

static int64_t sum_of_positions(void)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < kafka.partition_count; i++)
        sum += postgres.partitions[i].row.next_seq + postgres.partitions[i].row.next_offset;
    return sum;
}

static bool is_over(void)
{
    if (!plan.goes_on)
        return true;
    int64_t at = sum_of_positions();
    if (plan.later_us == 0 || !all_active() || plan.stands_at != at)
        plan.later_us = sim_now_us + LATER_S * SIM_S;
    plan.stands_at = at;
    if (sim_now_us >= plan.later_us)
        go_on();
    return false;
}

/* Until Redis is rebuilt. */
static bool shows_what_is_lost(int32_t partition)
{
    return plan.must_halt[partition] && !(plan.operated && operator_at_work.has_rebuilt);
}

/* Whatever Redis says that it has, it has, at any moment. */
static void check_positions(void)
{
    const char *ahead = NULL;
    for (int32_t i = 0; !ahead && i < kafka.partition_count; i++)
        ahead = shows_what_is_lost(i) ? NULL : redis_is_ahead(i);
    if (ahead)
        violated("Redis %s", ahead);
}

/* Who is told to leave does so in time, whatever Kafka and PostgreSQL refuse. */
static void check_exits(void)
{
    if (seams_exit_code != 0 && !plan.stalls)
        violated("a worker ended itself with code %d", seams_exit_code);
}

static bool is_done(void)
{
    if (++plan.turns % 64 != 0)
        return false;
    check_positions();
    check_exits();
    if (workload.sent < workload.requests || workload.open > 0)
        return false;
    if (plan.quiet_us == 0)
        end_faults();
    const char *left = NULL;
    int32_t partition = 0;
    while (!left && partition < kafka.partition_count)
        left = left_to_do(partition++);
    if (!left)
        plan.rest_us = sim_now_us;
    if (sim_now_us - plan.quiet_us > QUIET_S * SIM_S && sim_now_us - plan.rest_us > QUIET_S * SIM_S)
        violated("partition %" PRId32 " stands still: %s", partition - 1, left);
    return !left && is_over();
}

static bool was_skipped(const struct postgres_partition *stored, int64_t offset)
{
    bool skipped = false;
    for (uint32_t i = 0; i < stored->skip_count; i++)
        skipped |= stored->skips[i].from <= offset && offset < stored->skips[i].to;
    return skipped;
}

/* Requests of this topic. */
static void check_decided_once(int32_t partition)
{
    const struct topic_log *log = &kafka.requests[partition];
    const struct postgres_partition *stored = &postgres.partitions[partition];
    const struct fake_database *tables = &stored->tables;
    uint8_t *times = memory_calloc((size_t)log->end + 1, 1);
    for (int64_t i = stored->topic_seq - 1; i < tables->decision_count; i++)
        if (tables->decisions[i].source_offset != OFFSET_NONE)
            times[tables->decisions[i].source_offset]++;
    for (int64_t i = 0; i < log->end; i++) {
        bool decided = log->records[i].kind == KAFKA_RECORD && !was_skipped(stored, i);
        if (times[i] != decided)
            violated("partition %" PRId32 ": the request at offset %" PRId64 " is decided %u times",
                     partition, i, times[i]);
    }
    free(times);
}

/* The booking that an answer names. */
static const struct booking_row *named(const struct fake_database *tables,
                                       const struct decision_row *row)
{
    static const char name[] = "\"booking\":\"";
    const char *at = memmem(row->body, row->body_size, name, strlen(name));
    for (uint32_t i = 0; at && i < tables->booking_count; i++) {
        const char *id = tables->bookings[i].request_id;
        if (tables->bookings[i].resource_no == row->resource_no &&
            strncmp(at + strlen(name), id, strlen(id)) == 0 && at[strlen(name) + strlen(id)] == '"')
            return &tables->bookings[i];
    }
    return NULL;
}

/* The first request decided after that decision; NULL: none, or it may have been lost before. */
static const struct decision_row *request_after(const struct postgres_partition *stored, uint32_t i)
{
    const struct fake_database *tables = &stored->tables;
    bool was_known = tables->decisions[i].seq >= stored->topic_seq;
    while (i < tables->decision_count && tables->decisions[i].source_offset == OFFSET_NONE &&
           tables->decisions[i].outcome != USHER_OUTCOME_NONE)
        i++;
    const struct decision_row *row = i < tables->decision_count ? &tables->decisions[i] : NULL;
    bool is_of_topic = row && (was_known || row->seq < stored->topic_seq);
    return is_of_topic && row->source_offset != OFFSET_NONE ? row : NULL;
}

/* Nothing ends before a request that was appended in time. */
static void check_ended(int32_t partition, uint32_t i)
{
    const struct postgres_partition *stored = &postgres.partitions[partition];
    const struct fake_database *tables = &stored->tables;
    const struct decision_row *row = &tables->decisions[i];
    bool ends = row->source_offset == OFFSET_NONE && row->outcome == USHER_EXPIRED;
    const struct decision_row *next = ends ? request_after(stored, i) : NULL;
    const struct booking_row *booking = next ? fake_booking(tables, row->booking_no) : NULL;
    if (booking && booking->expires_ms != USHER_ABSENT && next->appended_ms < booking->expires_ms)
        violated("partition %" PRId32 ": seq %" PRId64 " ended a booking before seq %" PRId64
                 ", which had come %" PRId64 " ms before that end",
                 partition, row->seq, next->seq, booking->expires_ms - next->appended_ms);
    /* Between them the time of the partition may have been set back. */
    int64_t decided_ms =
        next && next->decided_ms > row->decided_ms ? next->decided_ms : row->decided_ms;
    if (booking && booking->expires_ms != USHER_ABSENT &&
        decided_ms + LOG_AHEAD_MS < booking->expires_ms)
        violated("partition %" PRId32 ": seq %" PRId64 " ended a booking %" PRId64
                 " ms before its time",
                 partition, row->seq, booking->expires_ms - row->decided_ms);
}

/* What has expired may be the hold that an exchange names beside its booking. */
static bool is_of_from_hold(const struct decision_row *row)
{
    static const char detail[] = "of the hold that";
    return memmem(row->body, row->body_size, detail, strlen(detail));
}

/* What was appended in time is not too late, however late it was read. */
static void check_in_time(int32_t partition)
{
    const struct fake_database *tables = &postgres.partitions[partition].tables;
    for (uint32_t i = 0; i < tables->decision_count; i++) {
        check_ended(partition, i);
        const struct decision_row *row = &tables->decisions[i];
        const struct booking_row *booking =
            row->reason == USHER_HOLD_EXPIRED && !is_of_from_hold(row) ? named(tables, row) : NULL;
        if (booking && row->appended_ms < booking->expires_ms && kafka.ahead_until_us == 0)
            violated("partition %" PRId32 ": seq %" PRId64 " came %" PRId64
                     " ms before the hold ended, and was refused",
                     partition, row->seq, booking->expires_ms - row->appended_ms);
    }
}

/* Who leaves in order has recorded what it has published. */
static void check_sent_once(int32_t partition)
{
    int64_t answers = 0, letters = 0;
    for (int64_t i = 0; i < kafka.results[partition].end; i++)
        answers += kafka.results[partition].records[i].kind == KAFKA_RECORD;
    for (int64_t i = 0; i < kafka.letters[partition].end; i++)
        letters += kafka.letters[partition].records[i].kind == KAFKA_RECORD;
    const struct postgres_partition *stored = &postgres.partitions[partition];
    if (answers != stored->tables.decision_count || letters != stored->letter_count)
        violated("partition %" PRId32 ": %" PRId64
                 " answers are published for %u decisions, %" PRId64 " dead letters for %u",
                 partition, answers, stored->tables.decision_count, letters, stored->letter_count);
}

static const struct decision_row *first_answer(const struct fake_database *tables,
                                               const struct decision_row *repeat)
{
    for (uint32_t i = 0; i < tables->decision_count; i++) {
        const struct decision_row *row = &tables->decisions[i];
        if (row->first && row->resource_no == repeat->resource_no &&
            memcmp(row->id_hash, repeat->id_hash, USHER_HASH_SIZE) == 0)
            return row;
    }
    return NULL;
}

static void check_repeats(int32_t partition)
{
    const struct fake_database *tables = &postgres.partitions[partition].tables;
    for (uint32_t i = 0; i < tables->decision_count; i++) {
        const struct decision_row *row = &tables->decisions[i];
        const struct decision_row *first = row->replayed ? first_answer(tables, row) : NULL;
        if (row->replayed && (!first || first->seq >= row->seq || first->outcome != row->outcome ||
                              first->body_size != row->body_size ||
                              memcmp(first->body, row->body, row->body_size) != 0))
            violated("partition %" PRId32 ": seq %" PRId64 " does not repeat the first answer",
                     partition, row->seq);
    }
}

static void check_redis(int32_t partition)
{
    const char *differs = redis_differs(partition);
    if (differs)
        violated("partition %" PRId32 ": Redis at rest: %s", partition, differs);
}

static void check(void)
{
    for (int32_t i = 0; i < kafka.partition_count; i++) {
        const struct postgres_partition *stored = &postgres.partitions[i];
        if (plan.must_halt[i] && !plan.operated) {
            if (kafka.results[i].end != plan.answers[i])
                violated("partition %" PRId32 " has lost something, and answers", i);
            continue;
        }
        if (plan.must_halt[i] ? stored->halted == stored->row.epoch : stored->halted)
            violated("partition %" PRId32 " halted", i);
        if (!plan.must_halt[i] && stored->misread)
            violated("partition %" PRId32 ": %s", i, stored->misread);
        fake_database_check(&postgres.partitions[i].tables);
        check_decided_once(i);
        check_in_time(i);
        check_repeats(i);
        check_redis(i);
        if (plan.calm)
            check_sent_once(i);
        (void)consumed(i, true);
    }
}

/* ---- a run ---- */

static void set_plan(uint64_t seed, uint64_t crash_at)
{
    plan = (struct plan){.seed = seed, .crash_at = crash_at, .faulty = crash_at == 0};
    plan.workers = 1 + (int)sim_below(3);
    plan.calm = plan.faulty && sim_once_in(10);
    plan.goes_on = plan.faulty && sim_once_in(4);
    plan.judged = getenv("SIM_EVIDENCE");
    plan.disaster =
        plan.goes_on && !plan.calm && !plan.judged ? (enum disaster)sim_below(3) : NO_DISASTER;
    plan.operated = plan.disaster != NO_DISASTER && sim_once_in(2);
    plan.from_before = plan.disaster == RESTORED && sim_once_in(4);
    uint32_t many = sim_once_in(4) ? 400 : 60;
    workload = (struct workload){
        .requests = 1 + sim_below(crash_at > 0 ? 20 : many),
        .resources = 1 + sim_below(3),
        .pause_us = 1 + sim_below(sim_once_in(2) ? SIM_S : 50 * SIM_MS),
        .transactions = sim_once_in(3),
        .closes = plan.faulty && !plan.calm && !plan.judged && sim_once_in(4),
        .late = plan.faulty && sim_once_in(2) ? 1 + sim_below(6) : 0,
        .cuts = seed % CUT_OFTEN == 5 ? 3 : 40,
    };
    uint32_t kept = sim_once_in(2) ? 1000 : sim_below(4);
    worker_settings = (struct partition_settings){
        .batch_limit = 1 + sim_below(sim_once_in(2) ? 3 : 40),
        .batches_in_flight = 1 + sim_below(3),
        .hold_ttl_s = 60,
        .hold_ttl_max_s = 86400,
        .house_hold_ttl_max_s = 31536000,
        .limits = {.resources = kept,
                   .ids = kept,
                   .units = 1000 * kept,
                   .bookings = kept,
                   .pools = 1000 * kept},
        .drain_timeout_ms = 5000,
    };
}

static void count(void)
{
    run_counts.runs++;
    run_counts.calm += plan.calm;
    run_counts.later += plan.later_us > 0;
    run_counts.repeats += workload.repeats;
    run_counts.last_moments += workload.last_moments;
    run_counts.deleted += kafka.deleted;
    run_counts.requests += workload.sent;
    for (int32_t i = 0; i < kafka.partition_count; i++)
        run_counts.decisions += postgres.partitions[i].tables.decision_count;
    run_counts.lost_answers += postgres.lost_answers;
    run_counts.terminated += postgres.terminated;
    run_counts.jumps += kafka.jumps;
    run_counts.transactions += workload.ended;
    run_counts.refused += postgres.refused;
    run_counts.cancelled += postgres.cancelled;
    run_counts.slow_loads += postgres.slow_loads;
    run_counts.pages += postgres.pages;
    run_counts.set_back += postgres.set_back;
    run_counts.set_ahead += postgres.set_ahead;
    run_counts.resets += postgres.resets;
    run_counts.pruned += postgres.pruned;
    run_counts.redis_writes += redis.writes;
    run_counts.redis_gaps += redis.gaps;
    run_counts.redis_stale += redis.stale;
    run_counts.redis_losses += redis.losses;
    run_counts.redis_rebuilds += redis.rebuilds;
    run_counts.losses += operator_at_work.losses;
    run_counts.skips += operator_at_work.skips;
    run_counts.topics += operator_at_work.topics;
    run_counts.resumes += operator_at_work.resumes;
    run_counts.rebalances += kafka.rebalances;
    run_counts.lost_requests += kafka.lost_requests;
    run_counts.virtual_s += (uint64_t)(sim_now_us / SIM_S) - 1000;
}

uint64_t run(uint64_t seed, uint64_t crash_at)
{
    sim_begin(seed, crash_at);
    seams_reset();
    set_plan(seed, crash_at);
    memory_is_compared = seed % MEMORY_COMPARED == 0;
    int32_t partitions = 1 + (int32_t)sim_below(KAFKA_PARTITIONS_MAX);
    kafka_begin(partitions);
    postgres_begin(partitions);
    redis_begin();
    operator_at_work = (struct operator){0};
    postgres.page_rows = sim_once_in(3) ? 1 + sim_below(6) : 0;
    for (int32_t i = 0; i < partitions; i++)
        postgres.partitions[i].tables.leaves = sim_once_in(2) ? sim_random() | 1 : 0;
    for (int32_t i = 0; i < partitions && plan.from_before; i++)
        postgres_save(i);
    set_faults();
    leave_faults_out();
    if (run_less.requests > 0 && run_less.requests < workload.requests)
        workload.requests = run_less.requests;
    (void)sim_spawn(sim_machines, kafka_coordinate, NULL);
    (void)sim_spawn(sim_machines, keep_workers, NULL);
    (void)sim_spawn(sim_machines, workload_send, NULL);
    (void)sim_spawn(sim_machines, workload_confirm_late, NULL);
    if (!sim_run(is_done))
        violated("nothing happens any more");
    check();
    count();
    if (plan.judged)
        evidence_write(getenv("SIM_EVIDENCE"));
    return sim_end();
}
