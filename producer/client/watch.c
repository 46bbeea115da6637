/*
 * Follows answers, each once and in order of its partition. Accepts exactly the next seq: a log
 * that a fenced worker and its successor both wrote to can hold 1, 2, 5, 6, 3, 4, 5, 6.
 */
#include "usher/client.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/client/reader.h"
#include "producer/codec/answer_scan.h"
#include "usher/message.h"

/* One partition of the result topic. */
struct follow {
    bool started;
    bool has_seq; /* else the first seq that comes is accepted */
    int64_t next_seq;
    int64_t next_offset;
    int64_t end_at_open;
};

struct usher_watch {
    struct reader *reader;
    struct follow *partitions;
    int32_t partition_count;
    char resource[USHER_ID_MAX + 1];
    size_t resource_size; /* 0: all */
};

/* Where to begin in a log that holds [first, end). */
static enum usher_status find_start(const struct usher_watch *watch, int32_t partition,
                                    const struct usher_watch_settings *settings, int64_t *first,
                                    int64_t end, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    int64_t from = settings->from_beginning ? *first : end - settings->last;
    if (settings->since_ms > 0) {
        status = reader_offset_at(watch->reader, partition, settings->since_ms, &from, err);
        from = from < 0 || from > end ? end : from;
    }
    *first = from > *first ? from : *first;
    return status;
}

static enum usher_status start(struct usher_watch *watch, int32_t partition,
                               const struct usher_watch_settings *settings, struct usher_error *err)
{
    int64_t first = 0;
    struct follow *follow = &watch->partitions[partition];
    enum usher_status status =
        reader_range(watch->reader, partition, &first, &follow->end_at_open, err);
    if (status == USHER_OK)
        status = find_start(watch, partition, settings, &first, follow->end_at_open, err);
    if (status != USHER_OK)
        return status;
    follow->next_offset = first;
    follow->started = true;
    return reader_start(watch->reader, partition, follow->next_offset, err);
}

static enum usher_status start_all(struct usher_watch *watch,
                                   const struct usher_watch_settings *settings,
                                   struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    watch->partition_count = reader_partition_count(watch->reader);
    watch->partitions = memory_calloc((size_t)watch->partition_count, sizeof *watch->partitions);
    if (watch->resource_size > 0)
        return start(
            watch,
            usher_partition_of(watch->resource, watch->resource_size, watch->partition_count),
            settings, err);
    for (int32_t p = 0; status == USHER_OK && p < watch->partition_count; p++)
        status = start(watch, p, settings, err);
    return status;
}

enum usher_status usher_watch_open(const struct usher_watch_settings *settings,
                                   struct usher_watch **watch, struct usher_error *err)
{
    struct usher_watch *opened = memory_calloc(1, sizeof *opened);
    enum usher_status status = USHER_OK;
    *watch = NULL;
    if (settings->resource) {
        opened->resource_size = strnlen(settings->resource, sizeof opened->resource);
        memcpy(opened->resource, settings->resource, opened->resource_size);
        if (opened->resource_size == 0 || opened->resource_size > USHER_ID_MAX) {
            usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not watch \"%.80s\": no resource id",
                            settings->resource);
            status = USHER_REJECT;
        }
    }
    if (status == USHER_OK)
        status = reader_open(&settings->kafka, settings->client_id, &opened->reader, err);
    if (status == USHER_OK)
        status = start_all(opened, settings, err);
    if (status == USHER_OK)
        *watch = opened;
    else
        usher_watch_close(opened);
    return status;
}

/* Whether the record is the next answer of its partition, and of the requested resource. */
static bool is_wanted(struct usher_watch *watch, const struct usher_reply *record)
{
    struct follow *follow = &watch->partitions[record->partition];
    int64_t seq;
    follow->next_offset = record->offset + 1;
    if (!answer_scan_seq(record->data, record->size, &seq) ||
        (follow->has_seq && seq != follow->next_seq))
        return false;
    follow->has_seq = true;
    follow->next_seq = seq + 1;
    return watch->resource_size == 0 ||
           (record->key_size == watch->resource_size &&
            memcmp(record->key, watch->resource, record->key_size) == 0);
}

enum usher_status usher_watch_next(struct usher_watch *watch, int timeout_ms,
                                   struct usher_reply *reply, struct usher_error *err)
{
    enum {
        SKIPPED_MAX = 4096
    }; /* after the time is up */
    int64_t deadline = clock_ms() + timeout_ms;
    int64_t left = timeout_ms;
    int skipped = 0;
    enum usher_status status;
    do {
        status = reader_next(watch->reader, (int)(left > 0 ? left : 0), reply, err);
        if (status == USHER_OK && is_wanted(watch, reply))
            return USHER_OK;
        left = deadline - clock_ms();
        skipped++;
    } while ((status == USHER_OK && (left > 0 || skipped < SKIPPED_MAX)) ||
             (status == USHER_RETRY && left > 0));
    return status == USHER_OK ? USHER_RETRY : status;
}

bool usher_watch_caught_up_with(const struct usher_watch *watch, int32_t partition)
{
    const struct follow *follow = &watch->partitions[partition];
    return !follow->started || follow->next_offset >= follow->end_at_open;
}

bool usher_watch_caught_up(const struct usher_watch *watch)
{
    for (int32_t p = 0; p < watch->partition_count; p++)
        if (!usher_watch_caught_up_with(watch, p))
            return false;
    return true;
}

int32_t usher_watch_partitions(const struct usher_watch *watch)
{
    return watch->partition_count;
}

void usher_watch_close(struct usher_watch *watch)
{
    if (!watch)
        return;
    reader_close(watch->reader);
    free(watch->partitions);
    free(watch);
}
