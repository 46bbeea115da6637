/*
 * How much each partition may keep, which follows from what the process uses, and the thread
 * that measures it again and again.
 */
#include "worker/partition/memory_budget.h"

#include <assert.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "producer/base/thread.h"
#include "worker/inventory/resource.h"
#include "worker/observe/metrics.h"
#include "worker/observe/metrics_render.h"

/* ==== Budget ==== */

enum {
    MEASURE_INTERVAL_MS = 100,
    TIGHT_INTERVAL_MS = 20, /* while memory is tight */
    RETURN_PAUSE = 20,      /* times as long as it took to return free memory to the system, … */
    RETURN_PAUSE_MIN_MS = 100, /* … and twice as long as before if it brought less than … */
    RETURN_PAUSE_MAX_MS = 2000,
    RETURN_PART = 100, /* … this part of the maximum */
    ARENAS_MIN = 4,
    RESERVE_PART = 12, /* of the maximum, for what comes between two measurements */
    ASKED_MS = 1000,   /* who has not asked again for so long no longer waits */
};

/* What a partition took, or waits for. */
struct claim {
    int64_t taken;
    int64_t settled;     /* taken, and it will be measured after … */
    uint64_t settled_at; /* … this measurement */
    bool in_use;         /* not yet given back, measured or not */
    uint64_t turn;       /* 0: it does not wait */
    int64_t wanted;      /* if it waits */
    int64_t asked_ms;
};

struct memory_budget {
    struct metrics_registry *metrics;
    int32_t partition_count;
    int64_t max;
    _Atomic int64_t *kept; /* by partition */
    _Atomic int64_t level;
    _Atomic uint32_t portion;
    _Atomic bool slow;

    pthread_mutex_t claims_lock; /* of what follows */
    int64_t used;                /* when it was last measured */
    struct claim *claims;        /* by partition and use */
    uint64_t turns;
    uint64_t measurements; /* begun */

    /* Of its thread. */
    struct memory_share share;
    int64_t *scratch;
    int64_t next_return_ms, return_pause_ms; /* the first of CLOCK_MONOTONIC */
    bool warned;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping; /* under the lock */
};

/* By default there are eight arenas for each processor, and none gives to another. */
void memory_budget_prepare(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    mallopt(M_ARENA_MAX, processors > ARENAS_MIN ? (int)processors : ARENAS_MIN);
}

/* ---- what is about to be taken ---- */

static struct claim *claim_of(struct memory_budget *budget, int32_t partition, enum memory_use use)
{
    assert(partition >= 0 && partition < budget->partition_count && use < MEMORY_USE_COUNT);
    return &budget->claims[(size_t)partition * MEMORY_USE_COUNT + use];
}

static void check_claim(const struct claim *claim)
{
    assert(claim->taken >= 0 && claim->settled >= 0 && claim->wanted >= 0);
    assert(claim->in_use || claim->taken + claim->settled == 0);
}

static bool waits(const struct claim *claim, int64_t now_ms)
{
    return claim->turn != 0 && now_ms - claim->asked_ms < ASKED_MS;
}

/* All claims together. */
struct claims {
    int64_t taken;             /* and not measured */
    bool in_use;               /* any of them, measured or not */
    const struct claim *first; /* of those that wait, the one that asked first; NULL */
};

static struct claims sum_claims(const struct memory_budget *budget)
{
    struct claims sum = {0};
    int64_t now_ms = clock_ms();
    for (int32_t i = 0; i < budget->partition_count * MEMORY_USE_COUNT; i++) {
        const struct claim *claim = &budget->claims[i];
        check_claim(claim);
        sum.taken += claim->taken + claim->settled;
        sum.in_use = sum.in_use || claim->in_use;
        if (waits(claim, now_ms) && (!sum.first || claim->turn < sum.first->turn))
            sum.first = claim;
    }
    return sum;
}

/* What is about to be used: by those who took it, and by who waits for it and comes next. */
static int64_t lacking(struct memory_budget *budget)
{
    pthread_mutex_lock(&budget->claims_lock);
    const struct claims sum = sum_claims(budget);
    int64_t bytes = sum.first ? sum.taken + sum.first->wanted : 0;
    pthread_mutex_unlock(&budget->claims_lock);
    return bytes;
}

/* ---- measuring ---- */

static uint32_t read_kept(struct memory_budget *budget)
{
    uint32_t count = 0;
    for (int32_t i = 0; i < budget->partition_count; i++) {
        int64_t kept = atomic_load_explicit(&budget->kept[i], memory_order_relaxed);
        if (kept != MEMORY_OWNS_NONE)
            budget->scratch[count++] = kept;
    }
    return count;
}

/*
 * What was freed stays with the process until it is returned, and counts as used. The allocator
 * goes through all that is free for it while others wait: the longer that took, and the less it
 * brought, the later it is done again.
 */
static void return_free_memory(struct memory_budget *budget)
{
    int64_t began_ms = clock_ms();
    if (budget->share.reference == 0 || began_ms < budget->next_return_ms)
        return;
    int64_t used = process_resident_bytes();
    malloc_trim(0);
    bool brought = used - process_resident_bytes() > budget->share.max / RETURN_PART;
    int64_t ended_ms = clock_ms();
    int64_t least_ms = brought ? RETURN_PAUSE_MIN_MS : 2 * budget->return_pause_ms;
    int64_t pause_ms = RETURN_PAUSE * (ended_ms - began_ms);
    pause_ms = pause_ms > least_ms ? pause_ms : least_ms;
    budget->return_pause_ms = pause_ms < RETURN_PAUSE_MAX_MS ? pause_ms : RETURN_PAUSE_MAX_MS;
    budget->next_return_ms = ended_ms + budget->return_pause_ms;
    assert(budget->return_pause_ms >= RETURN_PAUSE_MIN_MS);
}

static void warn(struct memory_budget *budget, int64_t used)
{
    bool over = used > budget->max;
    if (over && !budget->warned)
        log_warning(NULL,
                    "the process uses %" PRId64 " MiB, more than the %" PRId64
                    " MiB of USHER_MEMORY_MAX: it keeps and takes as little as it can; raise "
                    "USHER_MEMORY_MAX, or run more workers",
                    used >> 20, budget->max >> 20);
    if (over || budget->share.reference == 0)
        budget->warned = over;
}

/* What was taken before it began is in it, and no longer counts beside it. */
static int64_t measure_used(struct memory_budget *budget)
{
    pthread_mutex_lock(&budget->claims_lock);
    uint64_t number = ++budget->measurements;
    pthread_mutex_unlock(&budget->claims_lock);
    int64_t used = process_resident_bytes();
    pthread_mutex_lock(&budget->claims_lock);
    budget->used = used;
    for (int32_t i = 0; i < budget->partition_count * MEMORY_USE_COUNT; i++)
        if (budget->claims[i].settled_at < number)
            budget->claims[i].settled = 0;
    pthread_mutex_unlock(&budget->claims_lock);
    return used;
}

static void measure(struct memory_budget *budget)
{
    return_free_memory(budget);
    int64_t used = measure_used(budget);
    bool was_tight = budget->share.reference != 0;
    memory_share_note(&budget->share, used, lacking(budget), budget->scratch, read_kept(budget));
    bool is_tight = budget->share.reference != 0;
    atomic_store_explicit(&budget->level, budget->share.level, memory_order_relaxed);
    atomic_store_explicit(&budget->portion, budget->share.portion, memory_order_relaxed);
    atomic_store_explicit(&budget->slow, budget->share.slow, memory_order_relaxed);
    metrics_set(&budget->metrics->usher_memory_max_bytes, budget->max);
    metrics_set(&budget->metrics->usher_memory_free_bytes, budget->max - used);
    metrics_set(&budget->metrics->usher_memory_tight, is_tight);
    if (is_tight && !was_tight)
        log_info(NULL,
                 "memory is tight, %" PRId64 " of %" PRId64
                 " MiB are used: partitions keep no more than %" PRId64 " MiB",
                 used >> 20, budget->max >> 20, budget->share.reference >> 20);
    warn(budget, used);
}

static void *run(void *argument)
{
    struct memory_budget *budget = argument;
    pthread_mutex_lock(&budget->lock);
    while (!budget->stopping) {
        pthread_mutex_unlock(&budget->lock);
        measure(budget);
        int wait_ms = budget->share.reference == 0 ? MEASURE_INTERVAL_MS : TIGHT_INTERVAL_MS;
        pthread_mutex_lock(&budget->lock);
        if (!budget->stopping)
            (void)thread_wait(&budget->wake, &budget->lock, clock_ms() + wait_ms);
    }
    pthread_mutex_unlock(&budget->lock);
    return NULL;
}

/* ---- opening and closing ---- */

struct memory_budget *memory_budget_open(int64_t max, int32_t partition_count,
                                         struct metrics_registry *metrics)
{
    assert(max > 0 && partition_count > 0);
    struct memory_budget *budget = memory_calloc(1, sizeof *budget);
    size_t count = (size_t)partition_count;
    budget->metrics = metrics;
    budget->partition_count = partition_count;
    budget->return_pause_ms = RETURN_PAUSE_MIN_MS;
    budget->kept = memory_calloc(count, sizeof *budget->kept);
    budget->scratch = memory_calloc(count, sizeof *budget->scratch);
    budget->claims = memory_calloc(MEMORY_USE_COUNT * count, sizeof *budget->claims);
    for (size_t i = 0; i < count; i++)
        budget->kept[i] = MEMORY_OWNS_NONE;
    budget->max = max;
    memory_share_init(&budget->share, max - max / RESERVE_PART);
    budget->level = budget->share.level;
    budget->portion = budget->share.portion;
    pthread_mutex_init(&budget->lock, NULL);
    pthread_mutex_init(&budget->claims_lock, NULL);
    thread_condition_init(&budget->wake);
    int failed = pthread_create(&budget->thread, NULL, run, budget);
    assert(!failed);
    return budget;
}

void memory_budget_close(struct memory_budget *budget)
{
    if (!budget)
        return;
    pthread_mutex_lock(&budget->lock);
    budget->stopping = true;
    pthread_cond_signal(&budget->wake);
    pthread_mutex_unlock(&budget->lock);
    pthread_join(budget->thread, NULL);
    pthread_cond_destroy(&budget->wake);
    pthread_mutex_destroy(&budget->lock);
    pthread_mutex_destroy(&budget->claims_lock);
    free(budget->claims);
    free(budget->kept);
    free(budget->scratch);
    free(budget);
}

int64_t memory_budget_queue_bytes(int64_t max, int32_t partition_count)
{
    assert(partition_count > 0);
    return max / MEMORY_QUEUE_PART / partition_count;
}

size_t memory_budget_shown_bytes(int64_t max)
{
    int64_t part = max / MEMORY_SHOWN_PART;
    return (size_t)(part < MEMORY_SHOWN_MAX ? part : MEMORY_SHOWN_MAX);
}

/* ---- what the allocators say and ask ---- */

void memory_budget_note(struct memory_budget *budget, int32_t partition, int64_t kept)
{
    assert(partition >= 0 && partition < budget->partition_count);
    assert(kept >= 0 || kept == MEMORY_OWNS_NONE);
    atomic_store_explicit(&budget->kept[partition], kept, memory_order_relaxed);
}

int64_t memory_budget_level(const struct memory_budget *budget)
{
    return atomic_load_explicit(&budget->level, memory_order_relaxed);
}

bool memory_budget_is_slow(const struct memory_budget *budget)
{
    return atomic_load_explicit(&budget->slow, memory_order_relaxed);
}

uint32_t memory_budget_portion(const struct memory_budget *budget, uint32_t room, uint32_t taken)
{
    uint32_t parts = atomic_load_explicit(&budget->portion, memory_order_relaxed);
    return memory_portion(parts, room, taken);
}

/* ---- what is about to be taken: by the allocators ---- */

/* One always may: else nobody would go on. */
bool memory_budget_reserve(struct memory_budget *budget, int32_t partition, enum memory_use use,
                           int64_t bytes)
{
    assert(bytes > 0);
    pthread_mutex_lock(&budget->claims_lock);
    struct claim *claim = claim_of(budget, partition, use);
    claim->turn = claim->turn == 0 ? ++budget->turns : claim->turn;
    claim->wanted = bytes;
    claim->asked_ms = clock_ms();
    const struct claims sum = sum_claims(budget);
    bool fits = !sum.in_use || budget->used + sum.taken + bytes <= budget->share.max;
    bool may = fits && sum.first == claim;
    if (may) {
        claim->taken += bytes;
        claim->in_use = true;
        claim->turn = 0;
    }
    pthread_mutex_unlock(&budget->claims_lock);
    return may;
}

bool memory_budget_is_awaited(struct memory_budget *budget)
{
    return lacking(budget) > 0;
}

void memory_budget_settle(struct memory_budget *budget, int32_t partition, enum memory_use use,
                          int64_t spare)
{
    pthread_mutex_lock(&budget->claims_lock);
    struct claim *claim = claim_of(budget, partition, use);
    assert(spare >= 0 && spare <= claim->taken);
    claim->settled += claim->taken - spare;
    claim->settled_at = budget->measurements;
    claim->taken = spare;
    pthread_mutex_unlock(&budget->claims_lock);
}

void memory_budget_return(struct memory_budget *budget, int32_t partition, enum memory_use use,
                          int64_t spare)
{
    pthread_mutex_lock(&budget->claims_lock);
    struct claim *claim = claim_of(budget, partition, use);
    assert(spare >= 0 && spare <= claim->taken);
    claim->taken = spare;
    claim->settled = 0;
    claim->in_use = spare > 0;
    pthread_mutex_unlock(&budget->claims_lock);
}

void memory_budget_release(struct memory_budget *budget, int32_t partition, enum memory_use use)
{
    pthread_mutex_lock(&budget->claims_lock);
    *claim_of(budget, partition, use) = (struct claim){0};
    pthread_mutex_unlock(&budget->claims_lock);
}

/* ==== Shares ==== */

enum {
    /* Of MEMORY_PARTS of the maximum: */
    ENDS = 700,  /* below it is no longer tight */
    TIGHT = 800, /* above it is */
    FULL = 920,  /* above the least is kept and taken */
    SLOW = 960,  /* above what is under way has to end first, such as writing to Redis */
    LEAST = 125, /* of what was kept when it became tight; so little is always kept */
    LEAST_OF_MAX = 60,

    HALVINGS = 12, /* of what may be taken, from TIGHT to FULL */

    /* Measured; the texts and units of a usual booking included. A seat of long rows takes 2, one
       of a plan with names 25. */
    RESOURCE_BYTES = 3000,
    BOOKING_BYTES = 455,
    ID_BYTES = 180,
    UNIT_BYTES = 10,
    POOL_BYTES = 620, /* a room type on a night; the catalogue that readers see included */
};
static_assert(sizeof(struct pool) <= 336, "count it in POOL_BYTES, and in DEFINED_POOL_BYTES");

void memory_share_init(struct memory_share *share, int64_t max)
{
    *share = (struct memory_share){.max = max, .level = INT64_MAX, .portion = MEMORY_PARTS};
}

/* Halves lose nothing that counts, and products of bytes and parts stay within 64 bits. */
static int64_t parts_of(int64_t bytes, int64_t parts)
{
    return bytes / MEMORY_PARTS * parts;
}

/* MEMORY_PARTS up to TIGHT, none from FULL on, evenly less in between. */
static int64_t room_left(int64_t max, int64_t used)
{
    int64_t tight = parts_of(max, TIGHT);
    int64_t full = parts_of(max, FULL);
    if (used <= tight)
        return MEMORY_PARTS;
    return used < full ? (full - used) * MEMORY_PARTS / (full - tight) : 0;
}

static int compare_bytes(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/*
 * The level up to which all may keep what they have, so that it is no more than `allowed` in all:
 * those that keep less leave their part to the others.
 */
static int64_t level_of(const int64_t *sorted, uint32_t count, int64_t allowed)
{
    int64_t level = allowed;
    for (uint32_t i = 0; i < count; i++) {
        assert(sorted[i] >= (i > 0 ? sorted[i - 1] : 0));
        level = allowed / (count - i);
        if (sorted[i] > level)
            return level;
        allowed -= sorted[i];
    }
    return level;
}

void memory_share_note(struct memory_share *share, int64_t used, int64_t wanted, int64_t *kept,
                       uint32_t count)
{
    int64_t sum = 0;
    int64_t room = room_left(share->max, used + wanted);
    for (uint32_t i = 0; i < count; i++)
        sum += kept[i];
    if (used + wanted < parts_of(share->max, ENDS))
        share->reference = 0;
    else if (share->reference == 0 && room < MEMORY_PARTS)
        share->reference = sum > 0 ? sum : 1;
    share->portion = (uint32_t)room_left(share->max, used);
    assert(share->portion <= MEMORY_PARTS && room >= 0 && room <= MEMORY_PARTS);
    share->slow = used > parts_of(share->max, SLOW);
    share->level = INT64_MAX;
    if (share->reference == 0)
        return;
    int64_t least = parts_of(share->max, LEAST_OF_MAX);
    int64_t allowed = parts_of(share->reference, room > LEAST ? room : LEAST);
    qsort(kept, count, sizeof *kept, compare_bytes);
    share->level = level_of(kept, count, allowed > least ? allowed : least);
    assert(share->level >= 0);
}

uint32_t memory_portion(uint32_t portion, uint32_t room, uint32_t taken)
{
    assert(portion <= MEMORY_PARTS);
    uint32_t halvings = (MEMORY_PARTS - portion) * HALVINGS / MEMORY_PARTS;
    uint32_t allowed = (room + taken) >> halvings;
    if (halvings == 0 || room == 0)
        return room;
    if (allowed == 0)
        allowed = 1;
    return allowed > taken ? allowed - taken : 0;
}

int64_t memory_kept_bytes(const struct inventory_size *size)
{
    return (int64_t)size->resources * RESOURCE_BYTES + (int64_t)size->bookings * BOOKING_BYTES +
           (int64_t)size->ids * ID_BYTES + (int64_t)size->units * UNIT_BYTES +
           (int64_t)size->pools * POOL_BYTES;
}

static uint64_t lower(uint64_t limit, uint64_t size, double part)
{
    assert(part >= 0 && part <= 1);
    uint64_t allowed = (uint64_t)((double)size * part);
    return allowed < limit ? allowed : limit;
}

struct inventory_limits memory_limits_within(const struct inventory_limits *limits,
                                             const struct inventory_size *size, int64_t level)
{
    int64_t kept = memory_kept_bytes(size);
    assert(level >= 0);
    if (kept <= level)
        return *limits;
    double part = (double)level / (double)kept;
    return (struct inventory_limits){
        .bookings = (uint32_t)lower(limits->bookings, size->bookings, part),
        .resources = (uint32_t)lower(limits->resources, size->resources, part),
        .units = lower(limits->units, size->units, part),
        .ids = (uint32_t)lower(limits->ids, size->ids, part),
        .pools = lower(limits->pools, size->pools, part),
    };
}
