/*
 * The log of each partition, and beside it the decisions, both in the order of offsets: see
 * undecided.h.
 */
#include "worker/reconcile/undecided.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "producer/base/plural.h"
#include "usher/memory.h"
#include "usher/message.h"
#include "worker/kafka/kafka_topics.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_partition.h"
#include "worker/postgres/pg_reconcile.h"

enum {
    LINES_MAX = 100 /* requests that are told */
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
    struct usher_arena line;
    enum usher_status status; /* of the database, and why */
    struct usher_error why;
};

/* The first range that ends behind an offset; NULL: there is none. */
static const struct pg_decided_range *range_behind(struct comparison *comparison, int64_t offset)
{
    for (;;) {
        while (comparison->at < comparison->range_count) {
            if (comparison->ranges[comparison->at].to > offset)
                return &comparison->ranges[comparison->at];
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
        comparison->at = comparison->range_count = 0;
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
    *count = comparison.undecided;
    pg_decided_close(comparison.decided);
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
