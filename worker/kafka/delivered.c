/* The published position: see delivered.h. PURE. */
#include "worker/kafka/delivered.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

#define UNREPORTED INT64_C(-2)
#define UNKNOWN INT64_C(-1)

enum {
    RING_START = 1024, /* powers of two */
    LETTERS_START = 16,
};

void delivered_init(struct delivered *delivered)
{
    *delivered = (struct delivered){.last_offset = UNKNOWN, .stop_offset = UNKNOWN};
}

void delivered_deinit(struct delivered *delivered)
{
    free(delivered->offsets);
    free(delivered->letters);
    delivered_init(delivered);
}

static int64_t *answer_at(struct delivered *delivered, int64_t seq)
{
    return &delivered->offsets[(uint64_t)seq & (delivered->capacity - 1)];
}

static int64_t *letter_at(struct delivered *delivered, uint64_t number)
{
    return &delivered->letters[number & (delivered->letter_capacity - 1)];
}

/* Returns a ring of twice the size; the caller copies the content. */
static int64_t *ring_new(uint32_t *capacity, uint32_t start)
{
    *capacity = *capacity > 0 ? *capacity * 2 : start;
    assert(*capacity > 0);
    int64_t *ring = memory_calloc(*capacity, sizeof *ring);
    return ring;
}

static void answers_grow(struct delivered *delivered)
{
    struct delivered old = *delivered;
    delivered->offsets = ring_new(&delivered->capacity, RING_START);
    for (int64_t seq = old.passed_seq + 1; seq < old.next_seq; seq++)
        *answer_at(delivered, seq) = *answer_at(&old, seq);
    free(old.offsets);
}

static void letters_grow(struct delivered *delivered)
{
    struct delivered old = *delivered;
    delivered->letters = ring_new(&delivered->letter_capacity, LETTERS_START);
    for (uint64_t n = old.letter_first; n < old.letter_next; n++)
        *letter_at(delivered, n) = *letter_at(&old, n);
    free(old.letters);
}

/* Returns the seq of the first undelivered dead letter: the position must stay below it. */
static int64_t letter_barrier(struct delivered *delivered)
{
    while (delivered->letter_first < delivered->letter_next &&
           *letter_at(delivered, delivered->letter_first) < 0)
        delivered->letter_first++;
    if (delivered->letter_first == delivered->letter_next)
        return INT64_MAX;
    return *letter_at(delivered, delivered->letter_first);
}

/* Advances over what is delivered. False: an offset does not rise. */
static bool advance(struct delivered *delivered)
{
    int64_t barrier = letter_barrier(delivered);
    while (delivered->passed_seq + 1 < delivered->next_seq && delivered->passed_seq + 1 < barrier) {
        int64_t offset = *answer_at(delivered, delivered->passed_seq + 1);
        if (offset == UNREPORTED)
            break;
        if (offset != UNKNOWN && offset <= delivered->last_offset)
            return false;
        delivered->passed_seq++;
        if (offset == UNKNOWN)
            continue;
        delivered->last_offset = offset;
        delivered->stop_seq = delivered->passed_seq;
        delivered->stop_offset = offset;
        delivered->moved = true;
    }
    return true;
}

void delivered_start(struct delivered *delivered, int64_t seq, int64_t offset)
{
    assert(seq >= 0 && offset >= UNKNOWN);
    delivered->passed_seq = seq;
    delivered->next_seq = seq + 1;
    delivered->last_offset = offset;
    delivered->unreported = 0;
    delivered->letter_first = delivered->letter_next = 0;
    delivered->letters_unreported = 0;
    delivered->stop_seq = seq;
    delivered->stop_offset = offset;
    delivered->moved = offset != UNKNOWN;
}

void delivered_sent(struct delivered *delivered, int64_t seq)
{
    assert(seq == delivered->next_seq);
    if (seq - delivered->passed_seq > (int64_t)delivered->capacity)
        answers_grow(delivered);
    *answer_at(delivered, seq) = UNREPORTED;
    delivered->next_seq++;
    delivered->unreported++;
}

void delivered_letter_sent(struct delivered *delivered, int64_t seq)
{
    assert(seq > 0);
    if (delivered->letter_next - delivered->letter_first == delivered->letter_capacity)
        letters_grow(delivered);
    *letter_at(delivered, delivered->letter_next++) = seq;
    delivered->letters_unreported++;
}

bool delivered_report(struct delivered *delivered, int64_t seq, int64_t offset)
{
    assert(seq > delivered->passed_seq && seq < delivered->next_seq);
    assert(*answer_at(delivered, seq) == UNREPORTED);
    *answer_at(delivered, seq) = offset >= 0 ? offset : UNKNOWN;
    delivered->unreported--;
    return advance(delivered);
}

bool delivered_letter_report(struct delivered *delivered, int64_t seq)
{
    uint64_t n = delivered->letter_first;
    while (n < delivered->letter_next && *letter_at(delivered, n) != seq)
        n++;
    assert(n < delivered->letter_next);
    *letter_at(delivered, n) = -seq;
    delivered->letters_unreported--;
    return advance(delivered);
}

void delivered_position(struct delivered *delivered, int64_t *seq, int64_t *offset)
{
    /* The position of the start counts only once the dead letters up to it are delivered. */
    if (!delivered->moved || delivered->stop_seq >= letter_barrier(delivered))
        return;
    *seq = delivered->stop_seq;
    *offset = delivered->stop_offset;
    delivered->moved = false;
}
