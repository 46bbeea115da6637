/*
 * Follows answers, each once and in order of its partition. Accepts exactly the next seq: a log
 * that a fenced worker and its successor both wrote to can hold 1, 2, 5, 6, 3, 4, 5, 6.
 */
#include "usher/client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/client/reader.h"
#include "producer/codec/answer_scan.h"
#include "usher/message.h"

enum {
    /*
     * Records behind the start of a log among which its lowest seq is: a fenced worker has no more
     * answers than this on their way, and its successor begins behind them.
     */
    SCAN_RECORDS = 20000,
    SKIPPED_MAX = 4096, /* records that a call passes over after its time is up */
};

/* One partition of the result topic. */
struct follow {
    bool started;
    bool has_seq; /* else the first seq that comes is accepted */
    int64_t next_seq;
    int64_t next_offset;
    int64_t end_at_open;

    /*
     * Behind a position, or where a seq was too high: neither the answer of the last seq nor the
     * next one has come, which must before that.
     */
    bool searching;
    int64_t search_until; /* offset */

    /* Retention was faster: from the start of the log it looks for the lowest seq that is kept. */
    bool scanning;
    int64_t scan_from, scan_until; /* offsets */
    int64_t lowest_seq;
    int scanned;

    int64_t missing; /* answers, of which the caller is still to be told; 0: none */
};

struct usher_watch {
    struct reader *reader;
    struct follow *partitions;
    int32_t partition_count;
    char resource[USHER_ID_MAX + 1];
    size_t resource_size; /* 0: all */
    int overtaken;        /* partitions with `missing` */
    int descriptor;       /* -1: nobody asked for it */
    int64_t came_ms; /* when a record last did, CLOCK_MONOTONIC; at first, when it was opened */
};

/* ---- what retention has deleted ---- */

static void note_missing(struct usher_watch *watch, struct follow *follow, int64_t missing)
{
    follow->missing = missing;
    watch->overtaken++;
}

/* Goes on at the start of the log. Which seq that is, is known where a record is left. */
static void begin_scan(struct usher_watch *watch, struct follow *follow, int64_t first, int64_t end)
{
    if (first == end) {
        note_missing(watch, follow, first - follow->next_offset);
        follow->has_seq = false;
    }
    follow->scanning = first < end;
    follow->scan_from = first;
    follow->scan_until = end;
    follow->lowest_seq = INT64_MAX;
    follow->scanned = 0;
    follow->next_offset = first;
}

/* From here on its answer or the next one must come by the end, or the log is another one. */
static void begin_search(struct follow *follow, int64_t end)
{
    follow->searching = true;
    follow->search_until = end;
}

static enum usher_status another_log(const struct follow *follow, int32_t partition,
                                     struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "could not continue after seq %" PRId64 " of partition %" PRId32
                    ": its log has neither that answer nor the next one from there on; was the "
                    "topic recreated or compacted, or does the position belong to another log?",
                    follow->next_seq - 1, partition);
    return USHER_FATAL;
}

/* A record during the scan. Once the lowest seq is known, reads from the start of the log again. */
static enum usher_status scan_lowest(struct usher_watch *watch, int32_t partition, int64_t seq,
                                     struct usher_error *err)
{
    struct follow *follow = &watch->partitions[partition];
    follow->lowest_seq = seq < follow->lowest_seq ? seq : follow->lowest_seq;
    if (follow->lowest_seq > follow->next_seq && ++follow->scanned < SCAN_RECORDS &&
        follow->next_offset < follow->scan_until)
        return USHER_OK;
    follow->scanning = false;
    follow->next_offset = follow->scan_from;
    begin_search(follow, follow->scan_until);
    if (follow->lowest_seq > follow->next_seq) {
        note_missing(watch, follow, follow->lowest_seq - follow->next_seq);
        follow->next_seq = follow->lowest_seq;
    }
    return reader_restart(watch->reader, partition, follow->scan_from, err);
}

static enum usher_status report_missing(struct usher_watch *watch, struct usher_reply *reply,
                                        struct usher_error *err)
{
    int32_t p = 0;
    while (watch->partitions[p].missing == 0)
        p++;
    struct follow *follow = &watch->partitions[p];
    *reply = (struct usher_reply){
        .status = USHER_HALT,
        .partition = p,
        .offset = follow->next_offset,
        .seq = follow->has_seq ? follow->next_seq : 0,
        .missing = follow->missing,
    };
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "retention deleted %s%" PRId64 " answer%s of partition %" PRId32
                    " before %s read; the view usher.history has %s",
                    follow->has_seq ? "" : "up to ", follow->missing, PLURAL(follow->missing), p,
                    follow->missing == 1 ? "it was" : "they were",
                    follow->missing == 1 ? "it" : "them");
    follow->missing = 0;
    watch->overtaken--;
    return USHER_HALT;
}

static enum usher_status beyond_end(int32_t partition, int64_t offset, int64_t end,
                                    struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT,
                    "could not continue at offset %" PRId64 " of partition %" PRId32
                    ": its log ends at %" PRId64 "; was the topic recreated?",
                    offset, partition, end);
    return USHER_REJECT;
}

/* The partition is no longer read, for its next record is gone. */
static enum usher_status overtaken(struct usher_watch *watch, int32_t partition,
                                   struct usher_error *err)
{
    int64_t first = 0, end = 0;
    struct follow *follow = &watch->partitions[partition];
    enum usher_status status = reader_range(watch->reader, partition, &first, &end, err);
    if (status == USHER_OK && follow->next_offset > end)
        status = beyond_end(partition, follow->next_offset, end, err);
    if (status != USHER_OK)
        return USHER_FATAL;
    if (follow->has_seq)
        begin_scan(watch, follow, first, end);
    follow->next_offset = first;
    return reader_restart(watch->reader, partition, first, err);
}

/* ---- opening ---- */

static const struct usher_position *position_of(const struct usher_watch_settings *settings,
                                                int32_t partition)
{
    for (size_t i = 0; i < settings->position_count; i++)
        if (settings->positions[i].partition == partition && settings->positions[i].seq > 0)
            return &settings->positions[i];
    return NULL;
}

/* Where to begin in a log that holds [first, end), without a position. */
static enum usher_status find_start(const struct usher_watch *watch, int32_t partition,
                                    const struct usher_watch_settings *settings, int64_t first,
                                    int64_t *start, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    int64_t end = watch->partitions[partition].end_at_open;
    int64_t from = settings->from_beginning ? first : end - settings->last;
    if (settings->since_ms > 0) {
        status = reader_offset_at(watch->reader, partition, settings->since_ms, &from, err);
        from = from < 0 || from > end ? end : from;
    }
    *start = from > first ? from : first;
    return status;
}

static enum usher_status start(struct usher_watch *watch, int32_t partition,
                               const struct usher_watch_settings *settings, struct usher_error *err)
{
    int64_t first = 0;
    struct follow *follow = &watch->partitions[partition];
    const struct usher_position *position = position_of(settings, partition);
    enum usher_status status =
        reader_range(watch->reader, partition, &first, &follow->end_at_open, err);
    if (status == USHER_OK && !position)
        status = find_start(watch, partition, settings, first, &follow->next_offset, err);
    if (status != USHER_OK)
        return status;
    follow->started = true;
    if (position) {
        follow->has_seq = true;
        follow->next_seq = position->seq + 1;
        follow->next_offset = position->offset + 1;
    }
    if (follow->next_offset > follow->end_at_open)
        return beyond_end(partition, follow->next_offset, follow->end_at_open, err);
    if (follow->next_offset < first)
        begin_scan(watch, follow, first, follow->end_at_open);
    else if (position && position->offset >= first) {
        follow->next_offset = position->offset; /* to see that it is what took effect */
        begin_search(follow, follow->end_at_open);
    }
    return reader_start(watch->reader, partition, follow->next_offset, err);
}

static enum usher_status check_positions(const struct usher_watch *watch,
                                         const struct usher_watch_settings *settings,
                                         struct usher_error *err)
{
    for (size_t i = 0; i < settings->position_count; i++) {
        int32_t partition = settings->positions[i].partition;
        if (partition >= 0 && partition < watch->partition_count)
            continue;
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "could not watch partition %" PRId32 ": there are %" PRId32, partition,
                        watch->partition_count);
        return USHER_REJECT;
    }
    return USHER_OK;
}

static enum usher_status start_all(struct usher_watch *watch,
                                   const struct usher_watch_settings *settings,
                                   struct usher_error *err)
{
    watch->partition_count = reader_partition_count(watch->reader);
    watch->partitions = memory_calloc((size_t)watch->partition_count, sizeof *watch->partitions);
    enum usher_status status = check_positions(watch, settings, err);
    if (status == USHER_OK && watch->resource_size > 0)
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
    opened->descriptor = -1;
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
    opened->came_ms = clock_ms();
    if (status == USHER_OK)
        *watch = opened;
    else
        usher_watch_close(opened);
    return status;
}

/* ---- following ---- */

/*
 * A seq is too high. Those before it follow in the log as it is now, or they are not in it. If the
 * end is not known in time, the next record asks again.
 */
static void search_ahead(struct usher_watch *watch, struct follow *follow, int32_t partition)
{
    int64_t first = 0, end = 0;
    struct usher_error err;
    if (reader_range(watch->reader, partition, &first, &end, &err) == USHER_OK)
        begin_search(follow, end);
}

/*
 * Takes a record in. `wanted`: it is the next answer of its partition, and of the requested
 * resource.
 */
static enum usher_status take(struct usher_watch *watch, struct usher_reply *record, bool *wanted,
                              struct usher_error *err)
{
    struct follow *follow = &watch->partitions[record->partition];
    follow->next_offset = record->offset + 1;
    watch->came_ms = clock_ms();
    *wanted = false;
    bool is_answer = answer_scan_seq(record->data, record->size, &record->seq);
    if (is_answer && follow->scanning)
        return scan_lowest(watch, record->partition, record->seq, err);
    if (is_answer && (record->seq == follow->next_seq || record->seq == follow->next_seq - 1))
        follow->searching = false;
    if (is_answer && follow->has_seq && record->seq > follow->next_seq && !follow->searching)
        search_ahead(watch, follow, record->partition);
    if (follow->searching && follow->next_offset >= follow->search_until)
        return another_log(follow, record->partition, err);
    if (!is_answer || (follow->has_seq && record->seq != follow->next_seq))
        return USHER_OK;
    follow->has_seq = true;
    follow->next_seq = record->seq + 1;
    *wanted =
        watch->resource_size == 0 || (record->key_size == watch->resource_size &&
                                      memcmp(record->key, watch->resource, record->key_size) == 0);
    return USHER_OK;
}

/* One record, or what stands in the way of it. */
static enum usher_status next(struct usher_watch *watch, int64_t timeout_ms,
                              struct usher_reply *reply, bool *wanted, struct usher_error *err)
{
    enum usher_status status =
        reader_next(watch->reader, (int)(timeout_ms > 0 ? timeout_ms : 0), reply, err);
    *wanted = false;
    if (status == USHER_HALT)
        return overtaken(watch, reply->partition, err);
    return status == USHER_OK ? take(watch, reply, wanted, err) : status;
}

enum usher_status usher_watch_next(struct usher_watch *watch, int timeout_ms,
                                   struct usher_reply *reply, struct usher_error *err)
{
    int64_t deadline = clock_ms() + timeout_ms;
    int64_t left = timeout_ms;
    int skipped = 0;
    bool wanted = false;
    enum usher_status status;
    descriptor_clear(watch->descriptor);
    do {
        if (watch->overtaken > 0)
            return report_missing(watch, reply, err);
        status = next(watch, left, reply, &wanted, err);
        if (wanted)
            return USHER_OK;
        left = deadline - clock_ms();
        skipped++;
    } while ((status == USHER_OK && (left > 0 || skipped < SKIPPED_MAX)) ||
             (status == USHER_RETRY && left > 0));
    if (status == USHER_OK)
        descriptor_set(watch->descriptor); /* there may be more */
    return status == USHER_OK ? USHER_RETRY : status;
}

int usher_watch_descriptor(struct usher_watch *watch)
{
    if (watch->descriptor < 0) {
        watch->descriptor = descriptor_new();
        reader_descriptor(watch->reader, watch->descriptor);
    }
    return watch->descriptor;
}

bool usher_watch_caught_up_with(const struct usher_watch *watch, int32_t partition)
{
    const struct follow *follow = &watch->partitions[partition];
    return !follow->started || (follow->missing == 0 && follow->next_offset >= follow->end_at_open);
}

bool usher_watch_caught_up(const struct usher_watch *watch)
{
    for (int32_t p = 0; p < watch->partition_count; p++)
        if (!usher_watch_caught_up_with(watch, p))
            return false;
    return true;
}

int64_t usher_watch_silence_ms(const struct usher_watch *watch)
{
    return clock_ms() - watch->came_ms;
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
    if (watch->descriptor >= 0)
        close(watch->descriptor);
    free(watch->partitions);
    free(watch);
}
