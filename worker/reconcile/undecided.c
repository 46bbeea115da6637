/*
 * The log of each partition, and beside it the decisions, both in the order of offsets: see
 * undecided.h. Where neither has something, another look tells what is in the log.
 */
#include "worker/reconcile/undecided.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/plural.h"
#include "usher/memory.h"
#include "usher/message.h"
#include "worker/base/array.h"
#include "worker/kafka/kafka_browse.h"
#include "worker/kafka/kafka_gaps.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_partition.h"
#include "worker/postgres/pg_reconcile.h"

enum {
    LINES_MAX = 100 /* requests that are told, and as many gaps */
};

struct comparison {
    const struct undecided_settings *settings;
    struct pg_decided *decided;
    struct pg_decided_partition *partition;
    struct usher_arena page; /* has the ranges */
    struct pg_decided_range *ranges;
    uint32_t at, range_count;
    int64_t compared; /* requests of all partitions */
    uint64_t undecided;
    int64_t seen_until; /* before it each offset has a decision, a request, or is in a gap */
    struct kafka_gap *gaps;
    uint32_t gap_count, gap_limit;
    uint64_t unexplained; /* offsets */
    uint32_t unexplained_lines;
    struct usher_arena line;
    enum usher_status status; /* of the database, and why */
    struct usher_error why;
};

/* A decision or a request is at these offsets; between them and what was seen is neither. */
static void see(struct comparison *comparison, int64_t from, int64_t to)
{
    if (from > comparison->seen_until) {
        comparison->gaps = array_room(comparison->gaps, comparison->gap_count,
                                      &comparison->gap_limit, sizeof *comparison->gaps);
        comparison->gaps[comparison->gap_count++] =
            (struct kafka_gap){comparison->seen_until, from};
    }
    if (to > comparison->seen_until)
        comparison->seen_until = to;
}

/* The first range that ends behind an offset; NULL: there is none. */
static const struct pg_decided_range *range_behind(struct comparison *comparison, int64_t offset)
{
    for (;;) {
        while (comparison->at < comparison->range_count) {
            const struct pg_decided_range *range = &comparison->ranges[comparison->at];
            if (range->to > offset)
                return range;
            see(comparison, range->from, range->to);
            comparison->at++;
        }
        usher_arena_reset(&comparison->page);
        comparison->at = comparison->range_count = 0;
        comparison->status =
            pg_decided_next(comparison->decided, comparison->partition, &comparison->page,
                            &comparison->ranges, &comparison->range_count, &comparison->why);
        if (comparison->status != USHER_OK || comparison->range_count == 0)
            return NULL;
    }
}

static void report_request(struct comparison *comparison, const struct browsed_record *record)
{
    struct usher_request request = {0};
    struct usher_arena *arena = &comparison->line;
    const char *what = "";
    if (++comparison->undecided > LINES_MAX)
        return;
    usher_arena_reset(arena);
    if (record->value &&
        usher_request_decode(record->value, record->value_size, arena, &request, NULL) == USHER_OK)
        what = usher_arena_format(arena, ": %s \"%s\" of \"%s\"", usher_op_name(request.op),
                                  request.request_id, request.resource);
    comparison->settings->lines->line(
        comparison->settings->lines->context,
        usher_arena_format(
            arena, "partition %" PRId32 ": no decision about the request at offset %" PRId64 "%s",
            comparison->partition->partition, record->offset, what));
}

static void visit(void *self, const struct browsed_record *record)
{
    struct comparison *comparison = self;
    if (comparison->status != USHER_OK)
        return;
    const struct pg_decided_range *range = range_behind(comparison, record->offset);
    if (comparison->status == USHER_OK && (!range || range->from > record->offset))
        report_request(comparison, record);
    if (range && range->from <= record->offset)
        see(comparison, range->from, range->to);
    see(comparison, record->offset, record->offset + 1);
    comparison->compared++;
    progress_show(comparison->settings->progress,
                  "%" PRId64 " request%s compared with the decisions", comparison->compared,
                  PLURAL(comparison->compared));
}

static void note(struct comparison *comparison, const char *which, const char *why)
{
    const struct pg_differences *lines = comparison->settings->lines;
    lines->note(lines->context,
                usher_arena_format(&comparison->line,
                                   "partition %" PRId32
                                   ": requests%s were not compared with the decisions: %s",
                                   comparison->partition->partition, which, why));
}

/* ---- offsets with neither a decision nor a request ---- */

static void report_nothing(void *self, int64_t from, int64_t to)
{
    struct comparison *comparison = self;
    comparison->unexplained += (uint64_t)(to - from);
    if (++comparison->unexplained_lines > LINES_MAX)
        return;
    usher_arena_reset(&comparison->line);
    comparison->settings->lines->line(
        comparison->settings->lines->context,
        usher_arena_format(
            &comparison->line,
            "partition %" PRId32 ": no decision about %" PRId64 " offset%s from %" PRId64
            " to %" PRId64 ", and the topic has nothing there: requests were removed "
            "before they were decided",
            comparison->partition->partition, to - from, PLURAL(to - from), from, to - 1));
}

/* A note of all of a partition. */
static void report_gaps(struct comparison *comparison, const struct kafka_looked *sums)
{
    const struct {
        int64_t count;
        const char *one, *many;
    } parts[] = {
        {sums->ends, "end of a transaction", "ends of transactions"},
        {sums->records, "record of an aborted one", "records of aborted ones"},
        {sums->noops, "no-op record", "no-op records"},
        {sums->deleted, "before the log's start", "before the log's start"},
        {sums->nothing, "where nothing is", "where nothing is"},
    };
    struct usher_arena *arena = &comparison->line;
    int64_t total = 0;
    usher_arena_reset(arena);
    const char *text = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].count == 0)
            continue;
        text =
            usher_arena_format(arena, "%s%s%" PRId64 " %s", text, total > 0 ? ", " : "",
                               parts[i].count, parts[i].count == 1 ? parts[i].one : parts[i].many);
        total += parts[i].count;
    }
    if (total > 0)
        comparison->settings->lines->note(
            comparison->settings->lines->context,
            usher_arena_format(arena,
                               "partition %" PRId32 ": no decision about %" PRId64
                               " offset%s where the topic has no request: %s",
                               comparison->partition->partition, total, PLURAL(total), text));
}

static void add(struct kafka_looked *sums, const struct kafka_looked *looked)
{
    sums->ends += looked->ends;
    sums->records += looked->records;
    sums->noops += looked->noops;
    sums->deleted += looked->deleted;
    sums->nothing += looked->nothing;
}

/* Returns the gaps that are left. */
static uint32_t pass_gaps(struct comparison *comparison, uint32_t at, int64_t next)
{
    while (at < comparison->gap_count && comparison->gaps[at].to <= next)
        at++;
    if (at < comparison->gap_count && comparison->gaps[at].from < next)
        comparison->gaps[at].from = next;
    return at;
}

/* What cannot be looked at is a note, and ends it. */
static void look_at_gaps(struct comparison *comparison)
{
    struct kafka_looked sums = {0}, looked;
    struct usher_error err;
    enum usher_status status = USHER_OK;
    for (uint32_t at = 0; status == USHER_OK && at < comparison->gap_count;) {
        const struct kafka_look look = {.partition = comparison->partition->partition,
                                        .gaps = &comparison->gaps[at],
                                        .count = comparison->gap_count - at,
                                        .nothing = report_nothing,
                                        .self = comparison};
        status = kafka_gaps_look(comparison->settings->kafka, &look, &looked, &err);
        add(&sums, &looked);
        at = pass_gaps(comparison, at, looked.next);
        if (status != USHER_OK)
            note(comparison,
                 usher_arena_format(&comparison->line, " from offset %" PRId64 " on",
                                    comparison->gaps[at].from),
                 err.text);
    }
    report_gaps(comparison, &sums);
}

/* `until`: the log was compared up to it. */
static void explain(struct comparison *comparison, int64_t until)
{
    const struct pg_decided_range *last = range_behind(comparison, until - 1);
    if (comparison->status != USHER_OK)
        return;
    if (last && last->from < until)
        see(comparison, last->from, until);
    see(comparison, until, until);
    if (comparison->gap_count > 0)
        look_at_gaps(comparison);
}

/* ---- a partition ---- */

/* `*is_away`: another partition need not be tried. */
static enum usher_status compare(struct comparison *comparison, bool *is_away,
                                 struct usher_error *err)
{
    struct browse browse = {.partition = comparison->partition->partition,
                            .from = OFFSET_NONE,
                            .to = comparison->partition->next_offset,
                            .visit = visit,
                            .self = comparison};
    struct browsed browsed;
    const struct pg_decided_range *first = range_behind(comparison, -1);
    if (comparison->status == USHER_OK && !comparison->partition->from_start)
        browse.from = first ? first->from : browse.to;
    comparison->seen_until = browse.from == OFFSET_NONE ? 0 : browse.from;
    if (comparison->status == USHER_OK) {
        enum usher_status kafka = kafka_browse(comparison->settings->kafka, &browse, &browsed, err);
        *is_away = kafka != USHER_OK && err->exit_code != USHER_EXIT_BAD_INPUT;
        if (kafka != USHER_OK)
            note(comparison, *is_away ? ", and those of partitions behind it," : "", err->text);
        else if (browsed.unreadable_at != OFFSET_NONE)
            note(comparison,
                 usher_arena_format(&comparison->line, " from offset %" PRId64 " on",
                                    browsed.unreadable_at),
                 browsed.why.text);
        if (kafka == USHER_OK && comparison->status == USHER_OK)
            explain(comparison,
                    browsed.unreadable_at != OFFSET_NONE ? browsed.unreadable_at : browse.to);
    }
    if (comparison->status != USHER_OK)
        *err = comparison->why;
    return comparison->status;
}

static enum usher_status compare_all(struct comparison *comparison, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_decided_partition *partitions;
    uint32_t count = 0;
    bool is_away = false;
    enum usher_status status = pg_decided_partitions(
        comparison->decided, comparison->settings->decisions, &arena, &partitions, &count, err);
    for (uint32_t i = 0; status == USHER_OK && i < count && !is_away; i++) {
        comparison->partition = &partitions[i];
        comparison->at = comparison->range_count = comparison->gap_count = 0;
        status = compare(comparison, &is_away, err);
    }
    usher_arena_deinit(&arena);
    return status;
}

enum usher_status undecided_find(const struct undecided_settings *settings, uint64_t *count,
                                 struct usher_error *err)
{
    struct comparison comparison = {.settings = settings};
    enum usher_status status = pg_decided_open(settings->postgres, &comparison.decided, err);
    if (status == USHER_OK)
        status = compare_all(&comparison, err);
    if (comparison.undecided > LINES_MAX)
        settings->lines->line(settings->lines->context,
                              usher_arena_format(&comparison.line,
                                                 "no decision about %" PRIu64 " more request%s",
                                                 comparison.undecided - LINES_MAX,
                                                 PLURAL(comparison.undecided - LINES_MAX)));
    if (comparison.unexplained_lines > LINES_MAX)
        settings->lines->line(settings->lines->context,
                              usher_arena_format(&comparison.line,
                                                 "and the topic has nothing in %" PRIu32
                                                 " more gap%s",
                                                 comparison.unexplained_lines - LINES_MAX,
                                                 PLURAL(comparison.unexplained_lines - LINES_MAX)));
    *count = comparison.undecided + comparison.unexplained;
    pg_decided_close(comparison.decided);
    free(comparison.gaps);
    usher_arena_deinit(&comparison.page);
    usher_arena_deinit(&comparison.line);
    return status;
}

/* ==== Recognition ==== */

struct recognition {
    const struct pg_decided_request *decided;
    struct usher_arena arena; /* of the record */
    bool is_there;
};

static void recognize(void *self, const struct browsed_record *record)
{
    struct recognition *recognition = self;
    struct usher_request request = {0};
    usher_arena_reset(&recognition->arena);
    recognition->is_there = record->value &&
                            usher_request_decode(record->value, record->value_size,
                                                 &recognition->arena, &request, NULL) == USHER_OK &&
                            strcmp(request.request_id, recognition->decided->request_id) == 0;
}

/* What was deleted since, or cannot be read, says nothing. */
static enum usher_status look(struct kafka_base *kafka, int32_t partition,
                              const struct pg_decided_request *decided, enum topic_is *is,
                              struct usher_error *err)
{
    struct recognition recognition = {.decided = decided};
    struct browsed browsed;
    const struct browse browse = {.partition = partition,
                                  .from = decided->offset,
                                  .to = decided->offset + 1,
                                  .visit = recognize,
                                  .self = &recognition};
    enum usher_status status = kafka_browse(kafka, &browse, &browsed, err);
    bool ends_before = status == USHER_FATAL && err->exit_code == USHER_EXIT_BAD_INPUT;
    usher_arena_deinit(&recognition.arena);
    if (ends_before)
        *is = TOPIC_OTHER;
    else if (status == USHER_OK && decided->offset >= browsed.start &&
             browsed.unreadable_at == OFFSET_NONE)
        *is = recognition.is_there ? TOPIC_KNOWN : TOPIC_OTHER;
    return ends_before ? USHER_OK : status;
}

enum usher_status undecided_recognize(const struct pg_settings *postgres, struct kafka_base *kafka,
                                      int32_t partition, enum topic_is *is, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_decided_request *decided;
    uint32_t count;
    *is = TOPIC_UNCERTAIN;
    enum usher_status status =
        pg_partition_decided(postgres, partition, &arena, &decided, &count, err);
    for (uint32_t i = 0; status == USHER_OK && *is != TOPIC_OTHER && i < count; i++)
        status = look(kafka, partition, &decided[i], is, err);
    usher_arena_deinit(&arena);
    return status;
}
